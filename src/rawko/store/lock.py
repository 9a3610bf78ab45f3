"""One writer at a time, and a note of what it is about to append, so that the next one can clean up after it.

The lock is the system's own (flock): it is free the moment its holder dies. The lock file doubles as a journal.
Before bytes are added to an existing file, the file's name, its size and the bytes are written here and synced;
afterwards the note is emptied. Whoever finds a note left by a dead writer knows exactly what may be unfinished.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import re
import time
from typing import TYPE_CHECKING, NamedTuple

from rawko.store import files
from rawko.values.errors import LockTimeout, StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMAT = 1
_LARGEST = 1 << 40  # no file is so long; a size beyond it is damage
_LONGEST = 255
_FORMAT = re.compile(rb'\{"rawko": (\d{1,9})')
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class Intent(NamedTuple):
    """An append that is about to happen: to which file, at which size, which bytes."""

    name: str
    size: int
    data: bytes


class Held:
    """A lock that is held now."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def pending(self) -> list[Intent]:
        """What the last holder left unfinished. Raises StoreUnavailable for the note of a newer rawko."""
        content = _content(self.descriptor)
        if (found := _FORMAT.match(content)) and int(found[1]) > FORMAT:
            raise StoreUnavailable("a newer rawko was interrupted here", hint="upgrade rawko, or write with that one")
        return _intents(content)

    def intend(self, intents: Sequence[Intent], *, sync: bool) -> None:
        """Note what is about to be appended."""
        notes = [{"name": item.name, "size": item.size, "data": item.data.decode("latin-1")} for item in intents]
        note = json.dumps({"rawko": FORMAT, "pid": os.getpid(), "appends": notes}).encode() + b"\n"
        try:
            os.lseek(self.descriptor, 0, os.SEEK_SET)
            files.write_all(self.descriptor, note)
            os.ftruncate(self.descriptor, len(note))
            if sync:
                os.fsync(self.descriptor)
        except BaseException:
            self.done()
            raise

    def done(self) -> None:
        """Empty the note."""
        with contextlib.suppress(OSError):
            os.ftruncate(self.descriptor, 0)

    def release(self) -> None:
        """Let go of the lock, also of the copy that a process forked meanwhile has of it."""
        with contextlib.suppress(OSError):
            fcntl.flock(self.descriptor, fcntl.LOCK_UN)


def acquire(folder: int, name: str, timeout: float) -> Held:
    """Take the named lock; closing its descriptor lets it go. Raises LockTimeout."""
    deadline = time.monotonic() + timeout
    while True:
        descriptor = os.open(name, _FLAGS, 0o600, dir_fd=folder)
        try:
            _wait(descriptor, deadline, timeout)
            if is_named(descriptor, folder, name):
                return Held(descriptor)
        except BaseException:
            files.close(descriptor)
            raise
        files.close(descriptor)


def _wait(descriptor: int, deadline: float, timeout: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EINTR):
                raise
        else:
            return
        if time.monotonic() > deadline:
            hint = "if it hangs, end it: the lock is then free at once"
            raise LockTimeout(f"another process has been writing for more than {timeout:g} s", hint=hint)
        time.sleep(0.0005 + os.urandom(1)[0] / 100_000)  # spread, so that waiters do not come in step


def is_named(descriptor: int, folder: int, name: str) -> bool:
    """Whether a file we locked is the one that others will find: somebody may have removed or replaced it."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(name, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return False


def note(path: str) -> list[Intent]:
    """What some writer is appending right now, or left unfinished; read without the lock."""
    try:
        if os.stat(path, follow_symlinks=False).st_size == 0:
            return []
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        return _intents(_content(descriptor))
    finally:
        files.close(descriptor)


def _content(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, size, 0) if size else b""


def _intents(content: bytes) -> list[Intent]:
    """The intents in a note; a note that is not whole was never acted upon."""
    if not content.endswith(b"\n"):
        return []
    try:
        found = json.loads(content)
        items = [item for item in found["appends"] if 0 <= item["size"] < _LARGEST and _is_name(item["name"])]
        return [Intent(item["name"], int(item["size"]), item["data"].encode("latin-1")) for item in items]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []


def _is_name(name: str) -> bool:
    """Whether a file can have this name: a note that somebody made up must not stop all writing."""
    return all(0 < len(part.encode()) <= _LONGEST for part in name.split("/"))
