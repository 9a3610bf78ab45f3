"""What the rest of rawko asks of a store: to list, read, append and (for a purge) rewrite, and what is new; no paths.

A store keeps named texts that only ever grow. Where a text goes is the store's business, what it says is the
caller's: a write carries a function from what is there (or None) to the bytes to add.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from rawko.values.record import Record

if TYPE_CHECKING:
    from rawko.values.errors import Problem


class Stored(Record):
    """A text as it is in the store, under its name; new if one write has just made all of it."""

    name: str
    data: bytes
    is_new: bool = False


Render = Callable[[Stored | None], bytes]


class Write(Record):
    """One thing to append: to the memory of this name, else to the one of exactly this title, else as a new one.

    `render` gets what is there, or None when there is nothing yet, and returns the bytes to add.
    """

    render: Render
    title: str = ""
    name: str = ""


class Listing(Record):
    """The names in a store, and what in it cannot be a memory at all."""

    names: tuple[str, ...]
    problems: tuple[Problem, ...] = ()


class News(Record):
    """What is there since a mark, each name with its version, and the mark to ask with the next time.

    A version changes when the text does. Where the news are the `whole`, a name that is not in them is gone.
    """

    mark: str
    versions: dict[str, str]
    whole: bool = True


class Store(Protocol):
    """A place where memories are kept."""

    def names(self, title: str | None = None) -> Listing:
        """All names, or those of the memories with this title in any case."""
        ...

    def news(self, mark: str = "") -> News:
        """What changed since a mark that this store gave, or everything; without reading what did not change."""
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
