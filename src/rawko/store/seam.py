"""What the rest of rawko asks of a store: to list, read, append and (for a purge) rewrite; no paths.

A store keeps named texts that only ever grow. Where a text goes is the store's business, what it says is the
caller's: a write carries a function from what is there (or None) to the bytes to add.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rawko.values.errors import Problem


@dataclass(frozen=True, slots=True)
class Stored:
    """A text as it is in the store, under its name; new if one write has just made all of it."""

    name: str
    data: bytes
    is_new: bool = False


Render = Callable[[Stored | None], bytes]


@dataclass(frozen=True, slots=True)
class Write:
    """One thing to append: to the memory of this name, else to the one of exactly this title, else as a new one.

    `render` gets what is there, or None when there is nothing yet, and returns the bytes to add.
    """

    render: Render
    title: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The names in a store, and what in it cannot be a memory at all."""

    names: tuple[str, ...]
    problems: tuple[Problem, ...] = ()


class Store(Protocol):
    """A place where memories are kept."""

    def names(self, title: str | None = None) -> Listing:
        """All names, or those of the memories with this title in any case."""
        ...

    def read(self, name: str) -> Stored:
        """The text of this name. Raises MemoryNotFound or UnreadableMemory."""
        ...

    def append(self, writes: Sequence[Write]) -> list[Stored]:
        """Do all of the writes, or on failure none, durably; returns each text as it is afterwards."""
        ...

    def rewrite(self, name: str, render: Render) -> Stored:
        """Replace a text: only for removing what must not be kept."""
        ...

    def close(self) -> None:
        """Let go of whatever is open."""
        ...
