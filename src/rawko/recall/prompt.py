"""The block that goes into an agent's prompt: its frame, and how much of each memory its budget allows.

The frame is that of the seeds, to the byte. Every memory first gets a modest share, best first: so many characters, or
a summary, or its title alone. Then what is left of the budget lets the best grow. How each came out is recorded, and
from that record the same block can be worded again without choosing anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from rawko.recall.body import body_of
from rawko.recall.rendering import safe_line
from rawko.values.record import Record
from rawko.values.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rawko.values.memory import Memory

RENDERER = 1
"""The version of these rules; a block is worded again only by the version that worded it first."""
FRAME = "## Background Knowledge from Previous Runs\n\n"
INTRO = "The following information was learned from prior runs and may be relevant:\n\n"
AVOID = "*Avoid: this did not work or must not be done.*"

_TRIES = 6
_NEAR = 8


class Told(Record):
    """A memory that is to be told, where the rest of it is, and whose library it is from unless the project's own."""

    memory: Memory
    pointer: str
    origin: str = ""


class Wording(Record):
    """How a block is worded: the most tokens of it, the first share of each memory, and what counts tokens."""

    budget: int = 1500
    characters: int = 500
    fill: bool = True
    intro: bool = False
    count: Callable[[str], int] = tokens


class Rendering(NamedTuple):
    """How much of a memory was told; `characters` is the most that its text could have."""

    level: Literal["full", "summary", "title", "none"]
    characters: int


class Worded(NamedTuple):
    """A block, its tokens, and how each memory came out, in the order in which they were given."""

    text: str
    tokens: int
    renderings: tuple[Rendering, ...]


def word(told: Sequence[Told], wording: Wording) -> Worded:
    """Word a block within its budget; the memories are given best first, and none is told less for a worse one."""
    entries = [_Entry(one) for one in told]
    places = _first_shares(entries, wording)
    if wording.fill:
        _grow(entries, places, wording)
    text = _block((place.text for place in places), wording)
    while text and wording.count(text) > wording.budget:  # a tokenizer may count more for a whole than for its parts
        last = max(number for number, place in enumerate(places) if place.text)
        places[last] = _NOWHERE
        text = _block((place.text for place in places), wording)
    return Worded(text, wording.count(text) if text else 0, tuple(place.rendering for place in places))


def again(told: Sequence[Told], renderings: Sequence[Rendering], wording: Wording) -> str:
    """The block as it was worded before, from the record of how each memory came out."""
    pairs = zip(told, renderings, strict=True)
    return _block((_Entry(one).text(how) for one, how in pairs if how.level != "none"), wording)


def joined(base: str, block: str) -> str:
    """The prompt with the block behind it; without a block it is the prompt as it was, without a prompt the block."""
    return f"{base}\n\n{block}" if base and block else base or block


def avoids(memory: Memory) -> bool:
    """Whether a memory says what not to do."""
    return memory.extra.get("kind") == "avoid" or any(tag.strip().casefold() == "failures" for tag in memory.tags)


class _Entry:
    """One memory of the block, at whatever length is asked for."""

    def __init__(self, told: Told) -> None:
        self._head = _head(told)
        self._pointer = safe_line(told.pointer)
        self._body = body_of(told.memory)

    @property
    def whole(self) -> Rendering:
        """All of it."""
        return Rendering("full", len(self._body.text))

    def shares(self, characters: int) -> Iterator[tuple[Rendering, str]]:
        """What it may begin with, the most first: so many characters, a summary, its title."""
        whole = self._body.text
        if not whole or (content := self._body.cut(characters, self._pointer)):
            yield Rendering("full", min(characters, len(whole))), self._with(content if whole else "")
        if content := self._body.summary(self._pointer):
            yield Rendering("summary", len(content)), self._with(content)
        yield _TITLE, self._with(self._title_alone)

    def text(self, rendering: Rendering) -> str:
        """It, as it was rendered before."""
        if rendering.level == "full":
            return self._with(self._body.cut(rendering.characters, self._pointer))
        return self._with(self._body.summary(self._pointer) if rendering.level == "summary" else self._title_alone)

    @property
    def _title_alone(self) -> str:
        return f"(the text is in {self._pointer})" if self._pointer else ""

    def _with(self, content: str) -> str:
        return f"{self._head}{content}\n\n" if content else self._head


def _head(told: Told) -> str:
    memory = told.memory
    lines = [
        f"### {safe_line(memory.title)}",
        f"*Importance: {memory.importance.upper()}*",
        f"*Discovered by: {safe_line(memory.discovered_by)}*",
    ]
    if told.origin:
        lines.append(f"*From: {safe_line(told.origin)}*")
    if avoids(memory):
        lines.append(AVOID)
    return "\n".join(lines) + "\n\n"


class _Place(NamedTuple):
    """What a memory takes of the block for now."""

    rendering: Rendering
    text: str
    cost: int


_NOWHERE = _Place(Rendering("none", 0), "", 0)
_TITLE = Rendering("title", 0)


def _frame(wording: Wording) -> str:
    return FRAME + INTRO if wording.intro else FRAME


def _block(texts: Iterable[str], wording: Wording) -> str:
    told = "".join(texts)
    return _frame(wording) + told if told else ""


def _first_shares(entries: list[_Entry], wording: Wording) -> list[_Place]:
    left = wording.budget - wording.count(_frame(wording))
    places = []
    for entry in entries:
        costed = (_Place(how, text, wording.count(text)) for how, text in entry.shares(wording.characters))
        place = next((place for place in costed if place.cost <= left), _NOWHERE)
        left -= place.cost
        places.append(place)
    return places


def _grow(entries: list[_Entry], places: list[_Place], wording: Wording) -> None:
    """Give what is left of the budget to the best, as much as each can use."""
    left = wording.budget - wording.count(_frame(wording)) - sum(place.cost for place in places)
    for number, (entry, place) in enumerate(zip(entries, places, strict=True)):
        if place is _NOWHERE or place.rendering == entry.whole:
            continue
        grown = _grown(entry, place, place.cost + left, wording)
        if len(grown.text) > len(place.text):
            places[number] = grown
            left -= grown.cost - place.cost


def _grown(entry: _Entry, place: _Place, most: int, wording: Wording) -> _Place:
    """A memory at about the length that costs so much at most, sought between one that does and one that does not."""
    whole = _costed(entry, entry.whole, wording)
    if whole.cost <= most:
        return whole
    best, low, high = place, 0, whole.rendering.characters
    cheap, dear = wording.count(entry.text(_TITLE)), whole.cost
    for _ in range(_TRIES):
        between = low + (most - cheap) * (high - low) // max(1, dear - cheap)
        if not low < between < high or most - best.cost <= _NEAR:
            break
        found = _costed(entry, Rendering("full", between), wording)
        if found.cost <= most:
            best, low, cheap = found, between, found.cost
        else:
            high, dear = between, found.cost
    return best


def _costed(entry: _Entry, rendering: Rendering, wording: Wording) -> _Place:
    text = entry.text(rendering)
    return _Place(rendering, text, wording.count(text))
