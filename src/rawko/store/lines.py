"""A file that only grows by whole lines, each a JSON value with a checksum: for records that many processes make.

An append is one write under the file's own lock. What a killed or refused writer left unfinished is a line that does
not add up: it is skipped, reported by whoever wants to know, and never glued to the next one. Whoever puts another file
in its place does so under that lock as well, and who waited for it meanwhile goes on with the new one.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING, Any

from rawko.store import files, lock
from rawko.store.log import checked, summed

if TYPE_CHECKING:
    from collections.abc import Iterator

_APPEND = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def append(folder: int, name: str, value: object, *, sync: bool) -> None:
    """Add one value to the end of a file, or leave the file as it was."""
    with locked(folder, name, make=True) as descriptor:
        size = os.fstat(descriptor).st_size
        unfinished = size and os.pread(descriptor, 1, size - 1) != b"\n"
        try:
            files.write_all(descriptor, (b"\n" if unfinished else b"") + summed(value))
            if sync:
                os.fsync(descriptor)
        except BaseException:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, size)
            raise


@contextlib.contextmanager
def locked(folder: int, name: str, *, make: bool = False) -> Iterator[int]:
    """A file with its lock held: the one that has the name once the lock is ours."""
    while True:
        descriptor = os.open(name, _APPEND | (os.O_CREAT if make else 0), 0o600, dir_fd=folder)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if lock.is_named(descriptor, folder, name):
                yield descriptor
                return
        finally:
            files.close(descriptor)


def read(folder: int, name: str, limit: int) -> list[Any]:
    """Every value in a file, oldest first; a line that does not add up is left out."""
    data, _ = files.read(folder, name, limit)
    return list(_values(data))


def _values(data: bytes) -> Iterator[Any]:
    for line in data.split(b"\n"):
        with contextlib.suppress(ValueError, RecursionError):
            yield checked(line)
