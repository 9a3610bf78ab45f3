"""Stores that are wrong on purpose, each in one way, so that every fault test can be seen to fail.

They fit the same seam as the real one and keep the same files; only how the bytes get there is careless.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import time
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import rawko
from rawko.library import Library
from rawko.store.seam import Listing, Stored
from rawko.values.errors import LockTimeout
from rawko.values.text import slug

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rawko.store.seam import Render, Write

_CHUNK = 4096
_TITLE = re.compile(rb'^title: "(.*)"$', re.MULTILINE)
_UPDATE = re.compile(rb"(?=\n\n---\n\n## Update \()")
_AT = re.compile(rb'"at": "(.*?)"')
_ID = re.compile(rb'"id": "\w+"')
_MARKER = re.compile(rb"^(?:<<<<<<<|\|\|\|\|\|\|\||=======|>>>>>>>).*\n", re.MULTILINE)


@dataclass(frozen=True)
class Recipe:
    """How a careless store writes, and what of the right recipe it leaves out."""

    how: str = "whole"
    """whole: read all, write all. rename: the same through a temporary file. append: add to the end."""
    lock: str = ""
    """flock, pid (a file that says who has it), or nothing."""
    sync: bool = False
    sync_folder: bool = False
    retry_sync: bool = False
    pause: float = 0.0
    """Seconds between reading and writing: as on a slow disk."""
    by_clock: bool = False
    """Trust the clock: updates are sorted by their dates and have ids made of them."""
    caches: bool = False
    """Read each file once, and believe that nobody else ever writes to it."""
    forgives: bool = False
    """Leave out the lines with which git marks a conflict, so that the file can be read."""
    joins_titles: bool = False
    """Call a file what its memory is called, whatever that is."""


RECIPES = {
    "seed": Recipe(),
    "slow-seed": Recipe(pause=0.003),
    "rename": Recipe("rename", sync=True, sync_folder=True),
    "append": Recipe("append", lock="flock"),
    "no-folder-sync": Recipe("rename", lock="flock", sync=True),
    "retries-sync": Recipe("append", lock="flock", sync=True, sync_folder=True, retry_sync=True),
    "pid-lock": Recipe("append", lock="pid", sync=True, sync_folder=True),
    "by-clock": Recipe(by_clock=True),
    "cache": Recipe(caches=True),
    "forgiving": Recipe(forgives=True),
    "joins-titles": Recipe(joins_titles=True),
}


def library(kind: str, project: str, *, create: bool = False) -> Library:
    """A library on the real store, or on one of the careless ones."""
    if kind == "rawko":
        return rawko.open(project, create=create)
    root = os.path.join(project, ".rawko")
    os.makedirs(os.path.join(root, "memories"), exist_ok=True)
    return Library(Careless(root, RECIPES[kind]), folder=root)


class Careless:
    """A store by one of the recipes above."""

    def __init__(self, root: str, recipe: Recipe) -> None:
        self._folder = os.path.join(root, "memories")
        self._lock = os.path.join(root, "lock")
        self._recipe = recipe
        self._cache: dict[str, bytes] = {}

    def names(self, title: str | None = None) -> Listing:
        """All names, or those of one title."""
        names = sorted(name for name in os.listdir(self._folder) if name.endswith(".md"))
        return Listing(tuple(name for name in names if title is None or self._has_title(name, title)))

    def _has_title(self, name: str, title: str) -> bool:
        if name != f"{slug(title)}.md":
            return False
        found = _TITLE.search(self._bytes(name) or b"")
        return found is not None and found[1].decode() == title

    def _bytes(self, name: str) -> bytes | None:
        if name in self._cache:
            return self._cache[name]
        with contextlib.suppress(FileNotFoundError), open(os.path.join(self._folder, name), "rb") as file:
            data = file.read()
            if self._recipe.caches:
                self._cache[name] = data
            return _MARKER.sub(b"", data) if self._recipe.forgives else data
        return None

    def read(self, name: str) -> Stored:
        """Whatever is in the file at this moment."""
        return Stored(name, self._bytes(name) or b"")

    def append(self, writes: Sequence[Write]) -> list[Stored]:
        """Do one write after the other."""
        with self._locked():
            return [self._append(write) for write in writes]

    def _append(self, write: Write) -> Stored:
        name = write.name or f"{write.title if self._recipe.joins_titles else slug(write.title)}.md"
        before = self._bytes(name)
        added = write.render(None if before is None else Stored(name, before))
        time.sleep(self._recipe.pause)
        after = (before or b"") + added
        if self._recipe.by_clock:
            before, added = b"", _by_clock(after)
        self._write(os.path.join(self._folder, name), before or b"", added)
        if self._recipe.caches:
            self._cache[name] = after
        return Stored(name, after)

    def rewrite(self, name: str, render: Render) -> Stored:
        """Write the whole file anew."""
        data = render(self.read(name))
        self._put(os.path.join(self._folder, name), data, os.O_TRUNC)
        return Stored(name, data)

    def close(self) -> None:
        """Nothing is open."""

    def _write(self, path: str, before: bytes, added: bytes) -> None:
        if self._recipe.how == "append":
            self._put(path, added, os.O_APPEND)
        elif self._recipe.how == "whole":
            self._put(path, before + added, os.O_TRUNC)
        else:
            temporary = os.path.join(self._folder, f".tmp-{os.getpid()}")
            self._put(temporary, before + added, os.O_TRUNC)
            os.rename(temporary, path)
        if self._recipe.sync_folder:
            folder = os.open(self._folder, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)

    def _put(self, path: str, data: bytes, flag: int) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | flag, 0o666)
        try:
            for start in range(0, len(data), _CHUNK):
                os.write(descriptor, data[start : start + _CHUNK])
            if self._recipe.sync:
                self._sync(descriptor)
        finally:
            os.close(descriptor)

    def _sync(self, descriptor: int) -> None:
        try:
            os.fsync(descriptor)
        except OSError:
            if not self._recipe.retry_sync:
                raise
            os.fsync(descriptor)  # the kernel has marked the pages clean: this says nothing

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        if not self._recipe.lock:
            yield
        elif self._recipe.lock == "pid":
            yield from self._pid_locked()
        else:
            descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                yield
            finally:
                os.close(descriptor)

    def _pid_locked(self) -> Iterator[None]:
        deadline = time.monotonic() + 1
        while True:
            try:
                os.close(os.open(self._lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                break
            except FileExistsError:
                if time.monotonic() > deadline:
                    raise LockTimeout("somebody has the lock") from None
                time.sleep(0.01)
        try:
            yield
        finally:
            os.unlink(self._lock)


def _by_clock(data: bytes) -> bytes:
    """The text with its updates sorted by their dates, and ids made of those."""
    first, *updates = _UPDATE.split(data)
    dated = sorted((found[1], update) for update in updates if (found := _AT.search(update)))
    return first + b"".join(_ID.sub(b'"id": "%08x"' % zlib.crc32(at), update) for at, update in dated)
