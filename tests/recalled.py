"""Libraries to recall from, and selections in few words."""

from __future__ import annotations

import os
import time
import zlib
from typing import TYPE_CHECKING, Any

from rawko.library import Library
from rawko.recall import prompt
from rawko.recall.arbiter import Arbiter, Shelf
from rawko.recall.choice import Limits
from rawko.store.config import Configured
from rawko.store.memories import FileStore
from rawko.testing import FixedClock, MemoryStore
from rawko.values.agent import Agent
from rawko.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rawko.recall.arbiter import Index, Picked
    from rawko.store.seam import Store
    from rawko.values.memory import Memory
    from rawko.values.selection import Chosen, Selection
    from rawko.values.task import Task


def on_disk(
    folder: Path, clock: FixedClock | None = None, kind: type[FileStore] = FileStore, **settings: Any
) -> Library:
    """A library with everything on disk: its index and its receipts too. It does not sync, which nothing here shows."""
    root = str(folder / ".rawko")
    os.makedirs(os.path.join(root, "memories"), exist_ok=True)
    chosen = Settings(**{"durability": "off", "semantic": False, **settings})
    store = kind(root, settings=chosen)
    return Library(store, clock=clock or FixedClock(), configured=Configured(chosen, {}), folder=root)


def set_up(clock: FixedClock | None = None, texts: Mapping[str, bytes] | None = None, **settings: Any) -> Library:
    """A library without a disk and without vectors, with whatever settings."""
    configured = Configured(Settings(**{"semantic": False, **settings}), {})
    return Library(MemoryStore(texts), clock=clock or FixedClock(), configured=configured)


def settle(folder: Path) -> None:
    """Let an hour pass for the files of a library, so that nothing in it looks as if it had changed just now."""
    then = time.time() - 3600
    for path in sorted((folder / ".rawko" / "memories").rglob("*"), reverse=True):
        os.utime(path, (then, then))
    os.utime(folder / ".rawko" / "memories", (then, then))


def keep(library: Library, title: str, when_to_use: str | Sequence[str] = "login", **more: Any) -> Memory:
    """Keep a memory whose text says nothing, and nothing that another one says: only its patterns and title count."""
    content = f"Zq{zlib.crc32(title.encode()):x}."
    return library.remember(**{"title": title, "content": content, "when_to_use": when_to_use, **more})


def titles(selection: Selection) -> list[str]:
    """The titles of what was chosen, in order."""
    return [one.memory.title for one in selection.memories]


def reasons(selection: Selection) -> dict[str, str]:
    """Why each of the others was left out, by title."""
    return {one.title: one.reason for one in selection.left_out}


def only(selection: Selection) -> Chosen:
    """The one memory that was chosen."""
    [chosen] = selection.memories
    return chosen


def picked(
    store: Store, index: Index, task: Task, settings: Settings | None = None, most: int = 5, now: float = 0.0
) -> Picked:
    """What an arbiter picks from a store by way of an index."""
    settings = settings or Settings(semantic=False)
    limits = Limits(most, "low", settings.thresholds, strict=settings.match == "strict")
    arbiter = Arbiter([Shelf(store, index)], settings)
    return arbiter.select(task, Agent(task.agent), limits, prompt.Wording(budget=100_000), now)


def told(found: Picked) -> list[tuple[str, float, str, str]]:
    """What was picked, as what an index could get wrong: which, what score, and how it matches, in order."""
    return [(one.file, one.score, one.match.strength, one.match.matched) for one in found.selection.memories]
