"""What the arbiter chose for a task, what it left out, and why."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from rawko.values.record import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rawko.values.memory import Memory


class Match(Record):
    """How a memory matches a task: how strongly, by which pattern or words, and as a figure from 0 to 1."""

    strength: str
    matched: str
    value: float = 0.0


class Chosen(Record):
    """A memory that goes into the prompt."""

    memory: Memory
    score: float
    parts: Mapping[str, float]
    match: Match
    origin: str = ""
    level: str = "full"
    characters: int = 0

    @property
    def file(self) -> str:
        """The memory's file."""
        return self.memory.file


class LeftOut(Record):
    """A memory that was considered and does not go in."""

    file: str
    reason: str
    title: str = ""
    score: float | None = None
    """Nobody works it out for what is far from going in."""
    parts: Mapping[str, float] = MappingProxyType({})
    match: Match | None = None
    origin: str = ""


UNREADABLE = "it cannot be read"
"""How the reason begins why a memory that cannot be read was left out."""
NO_ROOM = "no room left in the budget"
ONLY = "only "
"""How the reasons begin why one was left out that would have gone in by itself."""


class Selection(Record):
    """What one task gets: `str()` of it is the block for the prompt, empty where nothing matters."""

    memories: tuple[Chosen, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    block: str = ""
    tokens: int = 0
    receipt: str = ""

    @property
    def unreadable(self) -> tuple[LeftOut, ...]:
        """The memories that could take no part."""
        return tuple(one for one in self.left_out if one.reason.startswith(UNREADABLE))

    @property
    def is_crowded_out(self) -> bool:
        """Whether something would have gone in, had there been room for it."""
        return any(one.reason == NO_ROOM or one.reason.startswith(ONLY) for one in self.left_out)

    def __str__(self) -> str:
        return self.block

    def __bool__(self) -> bool:
        return bool(self.memories)


class Found(Record):
    """What a search found: a memory, or an entry of a session or a layer."""

    kind: str
    id: str
    title: str
    score: float
    snippet: str
    origin: str = ""
    status: str = "active"
