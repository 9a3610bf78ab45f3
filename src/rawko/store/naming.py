"""What people call a memory, and the file that they mean by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rawko.store import codec
from rawko.values import checks
from rawko.values.errors import MemoryNotFound, UnreadableMemory
from rawko.values.text import slug

if TYPE_CHECKING:
    from rawko.store.seam import Store


def resolve(store: Store, file_or_title: str) -> str:
    """The file of a store that a name or title means. Raises MemoryNotFound."""
    wanted = checks.title(file_or_title)
    titled = store.names(wanted).names
    exact = [name for name in titled if codec.title_of(store.read(name).data) == wanted]
    if exact:
        return exact[0]
    for name in (file_or_title, f"{wanted}.md"):
        if name.endswith(".md") and _is_there(store, name):
            return name
    if len(titled) == 1:
        return titled[0]
    near = titled or [name for name in [f"{slug(wanted)}.md"] if _is_there(store, name)]
    hint = f"it could be {' or '.join(near)}" if near else "`rawko list` shows what there is"
    raise MemoryNotFound(f"there is no memory {file_or_title!r}", hint=hint)


def _is_there(store: Store, name: str) -> bool:
    try:
        store.read(name)
    except MemoryNotFound:
        return False
    except UnreadableMemory:
        return True
    return True
