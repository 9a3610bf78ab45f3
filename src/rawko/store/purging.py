"""What a purge leaves of a memory: a mark in the place of a text, or nothing but a dated stub."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rawko.store import codec
from rawko.values.errors import InvalidMemory, UnreadableMemory
from rawko.values.record import replace
from rawko.values.times import format_date

if TYPE_CHECKING:
    from datetime import datetime

    from rawko.store.seam import Stored
    from rawko.values.memory import Memory, Update

_ALL = "give no text: then all goes"


def mark_of(at: datetime) -> str:
    """What stands where a text was. It has no brackets: also where YAML has no quotes, it stays one text."""
    return f"(removed on {format_date(at)})"


def has(stored: Stored, text: str) -> bool:
    """Whether a file has a text. Raises InvalidMemory where it has it in another case: that is a slip, and not done."""
    if codec.without(stored.data, text, "") != stored.data:
        return True
    if text.casefold() in stored.data.decode(errors="replace").casefold():
        raise not_in(stored.name)
    return False


def not_in(name: str) -> InvalidMemory:
    """The refusal to purge a text that is not there."""
    return InvalidMemory(f"{name} does not contain that text", hint="give it exactly as it is in the file")


def purged(stored: Stored | None, text: str | None, stub: Update) -> bytes:
    """A file without a text, or with nothing but the stub. Raises InvalidMemory where that cannot be done."""
    assert stored is not None
    if text is None:
        first = replace(stub, when_to_use=("forgotten",), importance="low", kind="update")
        gone = codec.encode(f"Forgotten on {format_date(stub.at)}", first)
        return gone + codec.encode_update(stub, gone)
    mark = mark_of(stub.at)
    kept = codec.without(stored.data, text, mark)
    if kept == stored.data:
        raise not_in(stored.name)
    memory = readable(replace(stored, data=kept))
    if memory is None and readable(stored):
        raise InvalidMemory(f"{stored.name} could not be read without that text", hint=_ALL)
    if memory and text in codec.said(kept).replace(mark, ""):
        hint = f"take it out with an editor, or {_ALL}"
        raise InvalidMemory(f"{stored.name} spells that text in a way that is not understood", hint=hint)
    return kept + codec.encode_update(stub, kept) if memory else kept


def readable(stored: Stored) -> Memory | None:
    """The memory in a file, or None where it cannot be read."""
    try:
        return codec.decode(stored.name, stored.data)
    except UnreadableMemory:
        return None
