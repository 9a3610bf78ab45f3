r"""A memory's text made safe for a prompt, with what holds now in front, and cut to what there is room for.

A body is Markdown that anybody may have written, and the prompt around it is ours. So nothing in it may end its
section, begin another or hide what follows, whoever reads it: a Markdown parser, a person or a model. The text is taken
apart into blocks line by line, and every line with a meaning beyond its own is written anew:

- invisible characters are written out, before lines are looked at, so that none of them can begin or end one;
- headings go three levels down, underlined ones as well, also those inside quotes and lists; rules become blank lines;
- a fence is written at the margin, longer than any in its code, and closed. Where exactly Markdown would see it end
  does not matter then: what is taken for code is within our own fence, and everything else is looked at;
- `<` is `&lt;` wherever HTML could begin, and in code wherever a tag could that says who speaks, such as `<system>`.

A block is kept or cut as one, so that a cut never leaves half a structure.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from rawko.values.memory import STATUS_OF_KIND
from rawko.values.text import one_line, visible
from rawko.values.times import format_date

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rawko.values.memory import Memory, Update

SUMMARY = 160
"""The characters of a summary, without the pointer behind it."""
HEADING, FENCE, LINES = "heading", "fence", "lines"

_OWN_LEVEL = 3
_DEEPEST = 6
_CODE_INDENT = 4
_RULE_LENGTH = 3
_SMUGGLED = re.compile("[\u034f\u180b-\u180d\u180f\u2800]|(?:(?<=[\\s\ufe00-\ufe0f])|^)[\ufe00-\ufe0f]", re.MULTILINE)
_PLAIN = re.compile(r"(?: {0,3}[-*+] )?(?:[^\W\d_]|\*\*[^\W_]|`[^\W_])[^<]*\Z")
_PREFIX = re.compile(r"(?:\s|>|[-+*](?=\s|\Z)|\d{1,9}[.)](?=\s|\Z))*")
_NUMBER = re.compile(r"\d+[.)]")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*))?\Z")
_FENCE = re.compile(r"(`{3,}(?=[^`]*\Z)|~{3,})(.*)")
_LANGUAGE = re.compile(r"[\w.+#{}:-]{0,40}")
_TICKS = re.compile(r"`{3,}")
_NAMES = (
    "h[1-6]|head|body|html|title|script|style|pre|xmp|plaintext|listing|textarea|template|noscript|noembed|noframes|iframe"
    "|object|select|details|summary|svg|math|div|span|dialog|p|a|img|input|button|form|link|meta|base|br|hr|table|tbody"
    "|thead|tr|td|th|ul|ol|li|dl|section|article|aside|nav|center|font|marquee|frameset|embed|video|audio|canvas|slot"
)
_ADDRESS = r"(?:https?|ftp|mailto):[^\s<>]+>"
_HTML = (
    rf"(?i)<(?=[a-z/!?|\uff5c])(?:(?![a-z])|(?<!\w<)(?!{_ADDRESS})"
    rf"|(?=(?:{_NAMES})(?:[\s/>]|\Z)|[a-z][\w:.-]*(?:[\s/][^<>]*(?:\b(?:hidden|style|class|popover)\b|\Z)|\Z)))"
)
"""Where HTML could begin; right behind a word it is a type such as `List<String>`, unless it names HTML or is open.

This and the next are compiled where they are first needed, for it takes a while, and most texts do without.
"""
_ROLES = "system|sys|user|assistant|human|developer|tool|function|instruction|reminder|invoke|antml"
_TAG = (
    r"<(?=[|\uff5c/\w])(?!(?<=\w<)[A-Z][a-z]\w*+(?!-))(?=[|\uff5c][\w/]|/?(?:[^\W\d_][\w:.]*-[^\W\d_][\w:.-]*"
    rf"|(?:\w*[_:])?(?i:{_ROLES})s?(?:[_:][\w:.-]*)?)(?:\s|/?>|\Z))"
)
"""Where a tag begins by which the programs around a model say who speaks; in code it means no more than elsewhere."""
_MARKUP = re.compile(r"[*_`~\\\[]|\](?:\([^()\[\]]{0,200}\))?")
_CORRECTS = re.compile(
    r"[\W\d_]*(?:updated understanding\b|(?:correct(?:ion|ions|ed)|update)[*_`]*"
    r"(?:[\W_]*\Z|\s*[(\[:\u2013\u2014]|\s+-+\s|(?:\s+(?:of|on|from))?\s+(?:\d+[-/.]\d+[-/.]\d|#?\d+(?:[\W_]*\Z|\s*[:(])))"
    r"|corrections?\s+(?:to|of)\b)",
    re.IGNORECASE,
)
"""A heading that says that what follows corrects something: the word alone, or with a date, a remark or its subject."""
_SENTENCE = re.compile(r"(?<!e\.g)(?<!i\.e)[.!?][\"')\]`*_]*(?=\s)|[\u3002\uff01\uff1f]|(?<=\S)(?=\n)")
_LOOSE = re.compile(r"[-+*>#\s]*|\s*\d{1,9}[.)]")


class Block(NamedTuple):
    """A piece of a text that is kept or cut as one; `tight` if it stands directly under the one before.

    `level` is what a heading had before it was demoted; the label of a statement is a heading of level 0.
    """

    kind: str
    text: str
    level: int = 0
    tight: bool = False


# ---------------------------------------------------------------- made safe


def safe_line(text: str) -> str:
    """The text on one line, with nothing invisible in it and no HTML that would reach beyond it."""
    return _inline(_SMUGGLED.sub(_written_out, one_line(text)))


def blocks(text: str) -> list[Block]:
    """A text as blocks that are safe to put below a heading of ours."""
    plain = visible(text.replace("\r\n", "\n").replace("\r", "\n"))
    if not plain.isascii():
        plain = _SMUGGLED.sub(_written_out, plain)
    page = _Page()
    for line in plain.split("\n"):
        page.take(line)
    return page.finish()


def _written_out(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def _inline(text: str) -> str:
    return _without_speakers(re.sub(_HTML, "&lt;", text)) if "<" in text else text


def _without_speakers(text: str) -> str:
    return re.sub(_TAG, "&lt;", text) if "<" in text else text


def _line(text: str) -> str:
    """The text of a line that is no structure, so that nobody takes its beginning for some."""
    if text.startswith("```"):
        text = _TICKS.sub("``", text)
    return _inline(text)


def _is_only(text: str, mark: str, least: int = 1) -> bool:
    """Whether a text is nothing but a mark, so many times; white space does not count."""
    bare = "".join(text.split())
    return len(bare) >= least and not bare.strip(mark)


def _is_rule(text: str) -> bool:
    if text[0] not in "-=*_":
        return False
    return _is_only(text, text[0], 1 if text[0] in "-=" else _RULE_LENGTH)


def _without_closing(text: str) -> str:
    """The text of a heading without the signs that some people end it with."""
    bare = text.strip().rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else text.strip()


class _Fence(NamedTuple):
    """An open fence: what closes it, how deep it is quoted and indented, and its code so far."""

    mark: str
    quotes: int
    indent: int
    language: str
    lines: list[str]

    def closes(self, line: str) -> bool:
        """Whether a line ends it, wherever that line begins."""
        bare = line.strip()
        return bare.startswith(self.mark) and not bare.strip(self.mark[0])

    def within(self, line: str) -> str | None:
        """The line without the quoting that the fence has, or None where the quote has ended."""
        if not self.quotes:
            return line
        at = -1
        prefix = line[: len(line) - len(line.lstrip("> \t"))]
        for _ in range(self.quotes):
            at = prefix.find(">", at + 1)
            if at < 0:
                return None
        return line[at + 1 :].removeprefix(" ")

    def dedented(self, line: str) -> str:
        """The line without as much indentation as the fence has."""
        return line[min(self.indent, len(line) - len(line.lstrip(" "))) :]

    @property
    def text(self) -> str:
        """The fence as it is written, which nothing inside it can end; nothing if there is no code."""
        code = _without_speakers("\n".join(self.lines).strip("\n"))
        ticks = "`" * max([2, *map(len, _TICKS.findall(code))])
        return f"{ticks}`{self.language}\n{code}\n{ticks}`" if code.strip() else ""


class _Page:
    """Takes the lines of a text one by one and puts them together as blocks."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._lines: list[str] = []
        self._fence: _Fence | None = None
        self._tight = False

    def take(self, line: str) -> None:
        """Take the next line."""
        if self._fence and self._take_code(self._fence, line):
            return
        if _PLAIN.match(line):
            self._lines.append(line)
        elif not line:
            self._break("")
        else:
            self._look_at(line)

    def _look_at(self, line: str) -> None:
        found = _PREFIX.match(line)
        prefix = found[0] if found else ""
        rest = line[len(prefix) :]
        if not rest or _is_rule(rest):
            self._break(line.strip())
        elif fence := _FENCE.match(rest):
            self._open(prefix, fence)
        elif rest[0] == "#":
            self._head(prefix, rest)
        else:
            self._lines.append(prefix + _line(rest))

    def finish(self) -> list[Block]:
        """Every block, with whatever was open closed."""
        self._close()
        self._flush()
        return self._blocks

    def _add(self, block: Block) -> None:
        self._blocks.append(block)
        self._tight = True

    def _flush(self) -> None:
        if self._lines:
            self._add(Block(LINES, "\n".join(self._lines).rstrip(), tight=self._tight))
            self._lines = []

    def _break(self, mark: str) -> None:
        """A blank line, a rule, an empty item, or the line under a heading."""
        if mark and mark[0] in "-=" and not mark.strip(mark[0]) and self._is_one_plain_line():
            self._add_heading(1 if mark[0] == "=" else 2, self._lines.pop().strip())
        self._flush()
        self._tight = False

    def _is_one_plain_line(self) -> bool:
        prefix = _PREFIX.match(self._lines[0]) if len(self._lines) == 1 else None
        return prefix is not None and not prefix[0].strip() and len(prefix[0].expandtabs(4)) < _CODE_INDENT

    def _add_heading(self, level: int, text: str) -> None:
        self._add(Block(HEADING, f"{_hashes(level)} {text}", level))

    def _head(self, prefix: str, rest: str) -> None:
        found = _HEADING.match(rest)
        text = _inline(_without_closing(found[2] or "")) if found else ""
        if not found:
            self._lines.append(f"{prefix}\\{_inline(rest)}")
        elif not text:
            self._break("")
        elif prefix.strip() or len(prefix.expandtabs(4)) >= _CODE_INDENT:
            self._lines.append(f"{prefix}{_hashes(len(found[1]))} {text}")
        else:
            self._flush()
            self._add_heading(len(found[1]), text)

    def _open(self, prefix: str, found: re.Match[str]) -> None:
        if numbers := _NUMBER.findall(prefix):
            self._lines.append(" ".join(numbers))
        self._flush()
        language = _LANGUAGE.match(found[2].strip())
        indent = len(prefix.rpartition(">")[2])
        self._fence = _Fence(found[1], prefix.count(">"), indent, language[0] if language else "", [])

    def _take_code(self, fence: _Fence, line: str) -> bool:
        """Whether a line belongs to the open fence, which it may end."""
        code = fence.within(line)
        if code is not None and not fence.closes(code):
            fence.lines.append(fence.dedented(code))
            return True
        self._close()
        return code is not None

    def _close(self) -> None:
        if self._fence and (text := self._fence.text):
            self._add(Block(FENCE, text, tight=self._tight))
        self._fence = None


def _hashes(level: int) -> str:
    return "#" * min(level + _OWN_LEVEL, _DEEPEST)


# ---------------------------------------------------------------- what holds, first


def body_of(memory: Memory) -> Body:
    """What a memory says, as its reader should have it: corrections, newer updates, then what was stated first."""
    title = _bare(safe_line(memory.title))
    said = [(part, found) for part in _in_order(memory) if (found := _statement(part.content, title))]
    if [part for part, _ in said] == [memory.first]:
        return Body(said[0][1])
    return Body(chain.from_iterable(_labelled(part, memory.first, found) for part, found in said))


def _in_order(memory: Memory) -> list[Update]:
    later = [part for part in memory.updates if part.kind not in STATUS_OF_KIND]
    numbered = sorted(enumerate(later), key=lambda pair: (pair[1].kind == "correction", pair[1].at, pair[0]))
    return [*[part for _, part in reversed(numbered)], memory.first]


def _statement(content: str, title: str) -> list[Block]:
    """One statement without a heading that repeats the title, and with what it corrects itself in front."""
    found = blocks(content)
    if found and found[0].kind == HEADING and _bare(found[0].text.lstrip("# ")) == title:
        del found[0]
    return _corrected_first(found)


def _bare(text: str) -> str:
    """A title as it reads without markup, in whatever case."""
    return " ".join(_MARKUP.sub("", text).casefold().split())


def _corrected_first(found: list[Block]) -> list[Block]:
    """The sections that a person called a correction, the last one first, and then the others."""
    others: list[Block] = []
    corrections: list[list[Block]] = []
    level = 0
    for block in found:
        if block.kind == HEADING and _CORRECTS.match(block.text):
            level = block.level
            corrections.append([])
        elif block.kind == HEADING and block.level <= level:
            level = 0
        (corrections[-1] if level else others).append(block)
    return [*chain.from_iterable(reversed(corrections)), *others]


def _labelled(part: Update, first: Update, found: list[Block]) -> list[Block]:
    name = "Originally" if part is first else part.kind.capitalize()
    label = Block(HEADING, f"**{name} ({format_date(part.at)}):**")
    return [label, found[0]._replace(tight=found[0].kind != HEADING), *found[1:]]


# ---------------------------------------------------------------- cut


class Body:
    """The whole text of a memory as it may be shown, and what is shown of it when there is less room."""

    def __init__(self, parts: Iterable[Block]) -> None:
        self._blocks = tuple(parts)
        self._ends: list[int] = []
        pieces: list[str] = []
        length = 0
        for block in self._blocks:
            gap = ("\n" if block.tight else "\n\n") if pieces else ""
            pieces.append(gap + block.text)
            length += len(gap) + len(block.text)
            self._ends.append(length)
        self.text = "".join(pieces)

    def cut(self, limit: int, pointer: str) -> str:
        """The text within so many characters, with the pointer to the rest if there is one; "" if nothing fits."""
        if len(self.text) <= limit:
            return self.text
        ending = _ending(pointer, limit)
        if not ending:
            return ""
        room = limit - len(ending)
        fitting = bisect_right(self._ends, room - 2)
        reached = self._settled(fitting)
        if 2 * reached < room and (begun := self._begun(fitting, room)):
            return begun + ending
        return f"{self.text[:reached]}\n\n{ending}" if reached else ending

    def summary(self, pointer: str) -> str:
        """The first that it says, in a sentence or a paragraph, with the pointer to the rest; "" if it says nothing."""
        block = next((block for block in self._blocks if block.kind != HEADING), None)
        if block is None:
            return ""
        label = f"{self._blocks[0].text}\n" if self._blocks[0].kind == HEADING and not self._blocks[0].level else ""
        if len(block.text) > SUMMARY:
            said = _part(block, SUMMARY, SUMMARY // 4)
            return label + said + _ending(pointer) if said else ""
        said = label + block.text
        return said if said == self.text else f"{said}\n\n{_ending(pointer)}"

    def _settled(self, count: int) -> int:
        """Where the last of so many blocks ends that is not a heading with nothing under it."""
        while count and self._blocks[count - 1].kind == HEADING:
            count -= 1
        return self._ends[count - 1] if count else 0

    def _begun(self, number: int, room: int) -> str:
        """The text with a part of one block at its end, or "" where that block cannot be shared out."""
        block = self._blocks[number]
        start = self._ends[number] - len(block.text)
        part = _part(block, room - start, room // 4 - start)
        return self.text[:start] + part if part else ""


def _ending(pointer: str, limit: int | None = None) -> str:
    ending = f"... (the rest is in {pointer})" if pointer else "..."
    if limit is None or len(ending) <= limit:
        return ending
    return "..." if limit >= len("...") else ""


def _part(block: Block, room: int, least: int) -> str:
    """The beginning of a block, with what must stand between it and the dots; "" if it has no good end."""
    if block.kind == HEADING or room <= 0:
        return ""
    return _some_code(block.text, room) if block.kind == FENCE else _some_sentences(block.text, room, least)


def _some_code(text: str, room: int) -> str:
    """As many whole lines of a fence as there is room for: half a command is worse than none."""
    opening, *lines, closing = text.split("\n")
    left = room - len(opening) - len(closing) - 2
    count = 0
    while count < len(lines) and left > len(lines[count]):
        left -= len(lines[count]) + 1
        count += 1
    code = "\n".join(lines[:count]).rstrip()
    return f"{opening}\n{code}\n{closing}\n" if code else ""


def _some_sentences(text: str, room: int, least: int) -> str:
    """The text up to the end of a sentence or line, if that is far enough; otherwise up to that of a word."""
    end = max((found.end() for found in _SENTENCE.finditer(text, 0, room - 1)), default=0)
    if end > max(0, least):
        kept = _without_loose_end(text[:end])
        return f"{kept} " if kept else ""
    word = max(text.rfind(" ", 0, room + 1), text.rfind("\n", 0, room + 1))
    return _without_loose_end(text[: word if 2 * word >= room else room])


def _without_loose_end(text: str) -> str:
    """The text without a last line that is only the mark of an item."""
    before, _, last = text.rstrip().rpartition("\n")
    return before.rstrip() if _LOOSE.fullmatch(last) else text.rstrip()
