"""What is wrong with a store on disk that no single memory shows, and how to put it right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rawko.store import codec, sections
from rawko.store.catalogue import digest
from rawko.store.frontmatter import Refused
from rawko.values.errors import MemoryNotFound, Problem, UnreadableMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rawko.store.catalogue import Row
    from rawko.store.memories import FileStore


def examine(store: FileStore, seen: Callable[[], object] | None = None) -> list[Problem]:
    """Every problem found: damage, unresolved conflicts, leftovers, files that went missing."""
    found = [*_leftovers(store)]
    for row in store.rows():
        found.extend(_recorded(store, row))
        if seen:
            seen()
    return found


def _leftovers(store: FileStore) -> Iterator[Problem]:
    for name in store.leftovers():
        yield Problem(
            name, "a temporary file that a killed writer left", "`rawko doctor --fix` removes it", level="hint"
        )
    for intent in store.pending():
        reason = f"an update of {len(intent.data)} bytes was interrupted"
        yield Problem(intent.name, reason, "the next write or `rawko doctor --fix` puts it right", level="warning")


def _recorded(store: FileStore, row: Row) -> Iterator[Problem]:
    if row.missing:
        yield Problem(row.name, "it was here and is gone", "deleted, moved, or on another branch?", level="hint")
        return
    try:
        data = store.read(row.name).data
    except (UnreadableMemory, MemoryNotFound):
        return  # the library reports it
    if digest(data[: row.stamp.size]) != row.digest:  # what was appended since this was recorded is no damage
        hint = "restore it from version control or a backup"
        yield Problem(row.name, "its bytes changed although nobody wrote to it: the disk may be failing", hint)
    elif row.edited:
        hint = "if that was you, `rawko doctor --fix` records it as it is now"
        yield Problem(row.name, "bytes were changed since they were recorded", hint, level="hint")
    yield from _conflict(row.name, data)


def _conflict(name: str, data: bytes) -> Iterator[Problem]:
    try:
        text = codec.text_of(data)
    except Refused:
        return
    if span := sections.conflict(text):
        sides = "\n".join(text.split("\n")[span[0] : span[1] + 1])
        yield Problem(name, f"both sides of the conflict:\n{sides}", "keep what both say", span[0] + 1, "hint")
