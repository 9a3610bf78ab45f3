r"""Where the statements of a memory's body begin and end, for reading and for protecting them.

A body is its first statement and then updates. Three spellings of an update are read:

- ours: `---`, `## Update (date)`, and under it one comment line `<!-- rawko:1 {json} -->` with its provenance.
  The comment begins the update, whatever stands above it;
- by hand: the same heading without a comment;
- a whole second frontmatter after `---`, if it is a mapping with a title or whenToUse.

Git's union merge writes the lines that two branches share only once, wherever it finds them. So a comment may lack
its heading, a frontmatter its first lines, and the lines of an update may stand among those of others. But every line
that followed a comment on its branch still follows it. So the comment names the lines of its update by short
fingerprints: whoever goes through the file and takes each as it comes has the update again, to the byte.
"""

from __future__ import annotations

import json
import re
import zlib
from typing import TYPE_CHECKING, Any

from rawko.store import frontmatter
from rawko.store.frontmatter import Refused
from rawko.values.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FORMAT = 1
MEND_COMMENT = "restore it from version control, or put a backslash before it if it is only text"

_COMMENT = re.compile(r"<!-- rawko:(\d{1,9}) (\{.*\}) -->\s*\Z")
_NEARLY_COMMENT = re.compile(r"<!--\s*rawko\b", re.IGNORECASE)
_HEADING = re.compile(r"## Update \((\d{4}-\d{2}-\d{2})\)\s*\Z")
_RULE = re.compile(r"---\s*\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_NAMES_A_MEMORY = re.compile(r"(title|whenToUse)\s*:")
_DATES_A_MEMORY = re.compile(r"discoveredAt\s*:")
_KEY = re.compile(r"(\w+)\s*:")
_FRONT_LINE = re.compile(r"(title|whenToUse|tags|importance|source|relatedMemories|discovered(At|By|In))\s*:| +- ")
_PROTECTED = re.compile(r"\\+(?=<!--\s*rawko|## Update \(|---\s*\Z|[<>]{7}(?:\s|\Z))", re.IGNORECASE)
_NEVER_AS_IT_IS = r"(?i)<!--\s*rawko|[<>]{7}(?:\s|\Z)|" + _PROTECTED.pattern
_MAY_NEED_PROTECTION = r"(?im)^(?:\\*(?:<!--\s*rawko|## Update \(|---\s*$|[<>]{7})|discoveredAt\s*:)"
_PASSES = 3
_MOST_FRONTS = 1000
_MOST_YAML = 4 * frontmatter.MAX_BYTES
_FINGERPRINT = 5
_MOST_LINES = 500
_MOST_STEPS = 1_000_000


class Section:
    """The lines that one statement owns, and what its header says; the first section has no header."""

    def __init__(
        self,
        line: int,
        *,
        date: str = "",
        fronts: Sequence[frontmatter.Mapping] = (),
        claims: dict[str, Any] | None = None,
    ) -> None:
        self.line = line
        self.start = 0
        self.lines: list[str] = []
        self.date = date
        self.fronts = list(fronts)
        self.claims: dict[str, Any] = claims or {}
        self.merged = False

    @property
    def text(self) -> str:
        """The statement's text as it stands in the file, trimmed."""
        return "\n".join(self.lines).strip()

    @property
    def content(self) -> str:
        """The statement's text without the backslashes that protected it."""
        return "\n".join(line[1:] if _PROTECTED.match(line) else line for line in self.lines).strip()


class _Boundary(Record):
    """A header in the lines of a body: from `start` up to, but not including, `end`."""

    start: int
    end: int
    section: Section


def checksum(text: str) -> str:
    """A short fingerprint of a statement's text as it stands in the file."""
    import hashlib  # noqa: PLC0415 - loading it takes time, and who only reads does without

    return hashlib.sha256(text.encode()).hexdigest()[:12]


def fingerprints(text: str) -> str:
    """The lines of a statement's text, each by a few digits; nothing for a text of very many."""
    lines = text.split("\n")
    return "".join(map(_fingerprint, lines)) if len(lines) <= _MOST_LINES else ""


def _fingerprint(line: str) -> str:
    return f"{zlib.crc32(line.encode()):08x}"[-_FINGERPRINT:]


def is_rule(line: str) -> bool:
    """Whether a line is `---`, which opens and closes frontmatter and precedes an update."""
    return bool(_RULE.match(line))


def load_fronts(lines: list[str], first_line: int) -> list[frontmatter.Mapping]:
    """The frontmatter in these lines; several where a union merge made one block of them. Raises Refused."""
    fronts = []
    for block in _unmerged(lines):
        fronts.append(frontmatter.load("\n".join(block), first_line))
        first_line += len(block)
    return fronts


def _unmerged(lines: list[str]) -> list[list[str]]:
    """The blocks that a union merge made one of: each is dated, and has no key twice."""
    if sum(bool(_DATES_A_MEMORY.match(line)) for line in lines) <= 1:
        return [lines]
    blocks: list[list[str]] = [[]]
    seen: set[str] = set()
    for line in lines:
        key = _KEY.match(line)
        if key and key[1] in seen:
            blocks.append([])
            seen = set()
        elif line.startswith(" ") and blocks[-1] and _DATES_A_MEMORY.match(blocks[-1][-1]):
            blocks.append(["whenToUse:"])  # patterns of the second one, whose key was shared
            seen = set()
        seen.add(key[1] if key else "")
        blocks[-1].append(line)
    return blocks


def split(lines: list[str], first_line: int = 1) -> list[Section]:
    """Cut a body into its statements. Raises Refused for a header of a newer format."""
    sections = [Section(first_line)]
    reached = 0
    for boundary in _boundaries(lines, first_line):
        sections[-1].lines = _without_separator(lines[reached : boundary.start])
        sections.append(boundary.section)
        boundary.section.start = reached = boundary.end
    sections[-1].lines = lines[reached:]
    if any(section.merged for section in sections):
        _gather([section for section in sections if _is_damaged(section)], lines)
        return _once_each(sections)
    return sections


def protect(content: str) -> str:
    """The content with a backslash before every line that a reader would take for structure."""
    if not re.search(_MAY_NEED_PROTECTION, content):
        return content
    lines = [f"\\{line}" if re.match(_NEVER_AS_IT_IS, line) else line for line in content.split("\n")]
    for attempt in range(_PASSES + 1):
        looked_at = _structure(lines) if attempt < _PASSES else range(len(lines))  # then all that could be structure
        found = [number for number in looked_at if is_rule(lines[number]) or _HEADING.match(lines[number])]
        if not found:
            break
        for number in found:
            lines[number] = f"\\{lines[number]}"
    return "\n".join(lines)


def _structure(lines: list[str]) -> list[int]:
    try:
        return [number for found in _boundaries(lines, 1) for number in range(found.start, found.end)]
    except Refused:  # so much of it that no reader would look: then all of it
        return list(range(len(lines)))


def conflict(text: str) -> tuple[int, int] | None:
    """The numbers of the first and the last line of the first unresolved git conflict in a text."""
    expected, start = "<<<<<<<", 0
    if expected not in text:
        return None
    for number, line in enumerate(text.split("\n")):
        if not line.startswith(expected) or line[7:8].strip():
            continue
        if expected == ">>>>>>>":
            return start, number
        start = number if expected == "<<<<<<<" else start
        expected = "=======" if expected == "<<<<<<<" else ">>>>>>>"
    return None


def _boundaries(lines: list[str], first_line: int) -> Iterator[_Boundary]:
    fence, number, fronts = "", 0, _Fronts(lines, first_line)
    while number < len(lines):
        line = lines[number]
        boundary = None
        if line.startswith(("<", "#", "-", "d")):
            boundary = _comment_at(lines, number, first_line)
            if boundary is None and not fence:
                boundary = _heading_at(lines, number, first_line) or fronts.at(number)
        if boundary is not None:
            yield boundary
            fence, number = "", boundary.end
            continue
        if "```" in line or "~~~" in line:
            fence = _fence_after(fence, line)
        number += 1


def _fence_after(fence: str, line: str) -> str:
    found = _FENCE.match(line)
    if not found:
        return fence
    if not fence:
        return "" if "`" in found[2] and found[1][0] == "`" else found[1]
    closes = found[1][0] == fence[0] and len(found[1]) >= len(fence) and not found[2].strip()
    return "" if closes else fence


def _comment_at(lines: list[str], number: int, first_line: int) -> _Boundary | None:
    found = _COMMENT.match(lines[number])
    if not found and _NEARLY_COMMENT.match(lines[number]):
        raise Refused(first_line + number, "this is not quite the comment line of an update", MEND_COMMENT)
    if not found:
        return None
    if int(found[1]) > FORMAT:
        raise Refused(first_line + number, f"written in format {found[1]}, newer than {FORMAT}", "upgrade rawko")
    heading = _HEADING.match(lines[number - 1]) if number else None
    start = number - 1 if heading else number
    separated = heading and any(is_rule(line) for line in lines[max(0, start - 2) : start])
    section = Section(
        first_line + number, date=heading[1] if heading else "", claims=_claims(found[2], first_line + number)
    )
    section.merged = not separated
    return _Boundary(start, number + 1, section)


def _claims(text: str, line: int) -> dict[str, Any]:
    try:
        claims = json.loads(text)
    except (ValueError, RecursionError):
        claims = None
    if not isinstance(claims, dict):
        raise Refused(line, "the comment line of this update is damaged", MEND_COMMENT)
    return claims


def _heading_at(lines: list[str], number: int, first_line: int) -> _Boundary | None:
    found = _HEADING.match(lines[number])
    if not found or (number + 1 < len(lines) and _COMMENT.match(lines[number + 1])):
        return None
    return _Boundary(number, number + 1, Section(first_line + number, date=found[1]))


class _Fronts:
    """Finds later frontmatter in a body; looks at no line twice, and gives up where there is too much of it."""

    def __init__(self, lines: list[str], first_line: int) -> None:
        self._lines = lines
        self._first_line = first_line
        self._settled = 0
        self._left = _MOST_FRONTS
        self._yaml = _MOST_YAML

    def at(self, number: int) -> _Boundary | None:
        """The frontmatter that begins at this line, or that a union merge left around it."""
        if is_rule(self._lines[number]):
            return self._second(number)
        if number >= self._settled and _DATES_A_MEMORY.match(self._lines[number]):
            return self._headless(number)
        return None

    def _second(self, number: int) -> _Boundary | None:
        if self._separates(number):
            return None
        end = next((at for at in range(number + 1, len(self._lines)) if is_rule(self._lines[at])), len(self._lines))
        block = self._lines[number + 1 : end]
        return self._boundary(block, number, end) if any(map(_NAMES_A_MEMORY.match, block)) else None

    def _headless(self, number: int) -> _Boundary | None:
        """What is left of a frontmatter when a union merge shared its first lines with another."""
        start = end = number
        while start > self._settled and _FRONT_LINE.match(self._lines[start - 1]):
            start -= 1
        while end < len(self._lines) and _FRONT_LINE.match(self._lines[end]):
            end += 1
        self._settled = end
        block = self._lines[start:end]
        boundary = self._boundary(["whenToUse:", *block] if block[0].startswith(" ") else block, start, end)
        if boundary:
            boundary.section.merged = True
        return boundary

    def _boundary(self, block: list[str], start: int, end: int) -> _Boundary | None:
        if end == len(self._lines) or not is_rule(self._lines[end]) or self._separates(end):
            return None
        if not self._left:
            raise Refused(self._first_line + start, f"more than {_MOST_FRONTS} blocks of frontmatter", "split the file")
        self._left -= 1
        self._yaml -= sum(map(len, block))
        if self._yaml < 0:
            reason = f"more than {_MOST_YAML // 1024} KB of frontmatter in all"
            raise Refused(self._first_line + start, reason, "split the file")
        try:
            fronts = load_fronts(block, self._first_line + start)
        except Refused:
            return None
        self._settled = end + 1
        return _Boundary(start, end + 1, Section(self._first_line + start, fronts=fronts))

    def _separates(self, number: int) -> bool:
        """Whether a rule is the one above an update, and so neither opens nor closes frontmatter."""
        following = [line for line in self._lines[number + 1 : number + 3] if line.strip()]
        return bool(following) and bool(_HEADING.match(following[0]) or _COMMENT.match(following[0]))


def _without_separator(lines: list[str]) -> list[str]:
    kept = len(lines)
    while kept and not lines[kept - 1].strip():
        kept -= 1
    return lines[: kept - 1] if kept and is_rule(lines[kept - 1]) else lines[:kept]


def _is_damaged(section: Section) -> bool:
    return "sum" in section.claims and checksum(section.text) != section.claims["sum"]


def _gather(sections: list[Section], lines: list[str]) -> None:
    """Give sections their own lines again, as far as they are all there and looking for them is bearable."""
    left = _MOST_STEPS
    for section in sections:
        expected = str(section.claims.get("lines", ""))
        wanted = [expected[at : at + _FINGERPRINT] for at in range(0, len(expected), _FINGERPRINT)]
        found: list[str] = []
        for at in range(section.start, min(len(lines), section.start + left)):
            if len(found) == len(wanted):
                break
            left -= 1
            if _fingerprint(lines[at]) == wanted[len(found)]:
                found.append(lines[at])
        if checksum("\n".join(found)) == section.claims["sum"]:
            section.lines = found


def _once_each(sections: list[Section]) -> list[Section]:
    """The sections without those that a crosswise merge wrote a second time."""
    first = {_identity(section): section for section in reversed(sections)}
    return [section for section in sections if first[_identity(section)] is section]


def _identity(section: Section) -> str | int:
    return str(section.claims.get("id") or "") or id(section)
