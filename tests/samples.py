"""Texts and libraries that many tests begin with."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rawko.library import Library
from rawko.store import codec
from rawko.store.memories import FileStore
from rawko.store.seam import Write
from rawko.testing import FixedClock, MemoryStore
from rawko.values.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from rawko.store.seam import Store
    from rawko.values.memory import Memory

FRONT = {
    "title": '"Tests need Redis"',
    "whenToUse": '["test|pytest"]',
    "tags": "[constraints]",
    "importance": "high",
    "discoveredAt": "2026-01-23T10:30:00Z",
    "discoveredBy": "tester",
}


def text(body: str = "Start it with `make redis`.", **changes: str | None) -> str:
    """A whole memory file; a keyword changes one line of the frontmatter, None drops it."""
    pairs = {**FRONT, **changes}
    lines = [f"{key}: {value}" for key, value in pairs.items() if value is not None]
    return "\n".join(["---", *lines, "---", "", body, ""])


def data(body: str = "Start it with `make redis`.", **changes: str | None) -> bytes:
    """The bytes of such a file."""
    return text(body, **changes).encode()


def decoded(content: str | bytes) -> Memory:
    """The memory that a file's content spells."""
    return codec.decode("x.md", content.encode() if isinstance(content, str) else content)


def open_store(kind: str, folder: Path) -> Store:
    """A store of either kind; the one on disk does not sync, which no behaviour shows."""
    if kind == "memory":
        return MemoryStore()
    os.makedirs(folder / ".rawko" / "memories", exist_ok=True)
    return FileStore(str(folder / ".rawko"), settings=Settings(durability="off"))


def open_library(kind: str, folder: Path, clock: FixedClock | None = None) -> Library:
    """A library on a store of either kind, and on a clock that stands still."""
    return Library(open_store(kind, folder), clock=clock or FixedClock())


def write(folder: Path, name: str, content: str | bytes) -> Path:
    """Put a file into a library's memories by hand."""
    path = folder / ".rawko" / "memories" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def remember(library: Library, title: str = "Redis", content: str = "Start it.", **more: Any) -> Memory:
    """Keep a memory with little ado."""
    return library.remember(**{"title": title, "content": content, "when_to_use": "test", **more})


def put(library: Library, stem: str, content: bytes) -> None:
    """Put a text into the store under a name, as a person with an editor would."""
    library.store.append([Write(lambda _: b"", title=f"{stem} !")])
    library.store.rewrite(f"{stem}.md", lambda _: content)


def raw(library: Library, name: str = "redis.md") -> str:
    """What the store holds under a name."""
    return library.store.read(name).data.decode()


def everything(library: Library) -> dict[str, bytes]:
    """What the store holds under every name."""
    return {name: library.store.read(name).data for name in library.store.names().names}
