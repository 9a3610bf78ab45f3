r"""A memory's text made safe for a prompt.

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
from typing import NamedTuple

from rawko.values.text import one_line, visible

HEADING, FENCE, LINES = "heading", "fence", "lines"

_OWN_LEVEL = 3
_DEEPEST = 6
_CODE_INDENT = 4
_RULE_LENGTH = 3
_SMUGGLED = "(?m)[\u034f\u180b-\u180d\u180f\u2800]|(?:(?<=[\\s\ufe00-\ufe0f])|^)[\ufe00-\ufe0f]"
"""Invisible signs that are more than a part of the letter before them.

This and the next ones are compiled where they are first needed, for it takes a while, and most texts do without.
"""
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
"""Where HTML could begin; right behind a word it is a type such as `List<String>`, unless it names HTML or is open."""
_ROLES = "system|sys|user|assistant|human|developer|tool|function|instruction|reminder|invoke|antml"
_TAG = (
    r"<(?=[|\uff5c/\w])(?!(?<=\w<)[A-Z][a-z]\w*+(?!-))(?=[|\uff5c][\w/]|/?(?:[^\W\d_][\w:.]*-[^\W\d_][\w:.-]*"
    rf"|(?:\w*[_:])?(?i:{_ROLES})s?(?:[_:][\w:.-]*)?)(?:\s|/?>|\Z))"
)
"""Where a tag begins by which the programs around a model say who speaks; in code it means no more than elsewhere."""


class Block(NamedTuple):
    """A piece of a text that is kept or cut as one; `tight` if it stands directly under the one before.

    `level` is what a heading had before it was demoted; the label of a statement is a heading of level 0.
    """

    kind: str
    text: str
    level: int = 0
    tight: bool = False


def safe_line(text: str) -> str:
    """The text on one line, with nothing invisible in it and no HTML that would reach beyond it."""
    return _inline(_with_smuggled(one_line(text)))


def blocks(text: str) -> list[Block]:
    """A text as blocks that are safe to put below a heading of ours."""
    plain = visible(text.replace("\r\n", "\n").replace("\r", "\n"))
    page = _Page()
    for line in _with_smuggled(plain).split("\n"):
        page.take(line)
    return page.finish()


def _with_smuggled(text: str) -> str:
    """The text with what is smuggled in it written out."""
    return text if text.isascii() else re.sub(_SMUGGLED, _written_out, text)


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
