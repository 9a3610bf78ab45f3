"""What a memory says as its reader should have it: what holds now in front, and cut to what there is room for."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import chain
from typing import TYPE_CHECKING

from rawko.recall.rendering import FENCE, HEADING, Block, blocks, safe_line
from rawko.values.memory import STATUS_OF_KIND
from rawko.values.times import format_date

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rawko.values.memory import Memory, Update

SUMMARY = 160
"""The characters of a summary, without the pointer behind it."""
_MARKUP = re.compile(r"[*_`~\\\[]|\](?:\([^()\[\]]{0,200}\))?")
_CORRECTS = (
    r"(?i)[\W\d_]*(?:updated understanding\b|(?:correct(?:ion|ions|ed)|update)[*_`]*"
    r"(?:[\W_]*\Z|\s*[(\[:\u2013\u2014]|\s+-+\s|(?:\s+(?:of|on|from))?\s+(?:\d+[-/.]\d+[-/.]\d|#?\d+(?:[\W_]*\Z|\s*[:(])))"
    r"|corrections?\s+(?:to|of)\b)"
)
"""A heading that says that what follows corrects something: the word alone, or with a date, a remark or its subject."""
_SENTENCE = re.compile(r"(?<!e\.g)(?<!i\.e)[.!?][\"')\]`*_]*(?=\s)|[\u3002\uff01\uff1f]|(?<=\S)(?=\n)")
_LOOSE = re.compile(r"[-+*>#\s]*|\s*\d{1,9}[.)]")


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
        if block.kind == HEADING and re.match(_CORRECTS, block.text):
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
