"""The latest rows of the catalogue, one line each: cheap to add to, and soon folded into the table.

A line has a checksum, because a flipped bit would otherwise be believed. Like all that is derived, the log may be
deleted at any time, and what is wrong with it is only a reason to build it again.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import zlib
from typing import Any

from rawko.store import files
from rawko.store.files import Stamp

FORMAT = 1
_LOG = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
_HEADER = len(f"{FORMAT} 0123456789abcdef\n")


class Broken(Exception):
    """The table or its log cannot be read or written; whoever asked builds a new one."""


def stamp_of_file(path: str) -> Stamp:
    """The stamp of a file of ours. Raises Broken for anything else: a link leads elsewhere, and a pipe blocks."""
    if os.path.islink(os.path.dirname(path)):
        raise Broken(f"{path} lies in a folder that is a link")
    status = os.stat(path, follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode):
        raise Broken(f"{path} is not a regular file")
    return Stamp.of(status)


class Log:
    """The rows since the table was last written, one JSON line each, and how far this process has read them."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._stamp: Stamp | None = None
        self._header = b""
        self.size = 0

    def news(self) -> tuple[list[Any], bool]:
        """The lines that were not read yet, and whether the log began anew since."""
        if self._path is None:
            return [], False
        try:
            stamp = stamp_of_file(self._path)
            if stamp == self._stamp:
                return [], False
            with open(self._path, "rb", buffering=0) as file:
                self._stamp = stamp
                return self._read(file)
        except FileNotFoundError:
            self._stamp = None  # the same file may come back
            return self._restart(b"")
        except (OSError, ValueError) as error:
            raise Broken(str(error)) from error

    def _read(self, file: Any) -> tuple[list[Any], bool]:
        header = file.read(_HEADER)
        restarted = header != self._header
        if restarted:
            self._restart(header)
        file.seek(self.size)
        lines = file.read().split(b"\n")[:-1]  # what follows the last newline was not finished
        self.size += sum(len(line) + 1 for line in lines)
        return [_checked(line) for line in lines], restarted

    def _restart(self, header: bytes) -> tuple[list[Any], bool]:
        restarted = header != self._header
        self._header, self.size = header, len(header)
        return [], restarted

    def write(self, line: dict[str, Any] | None = None) -> None:
        """Add a line, or only the header; with the store's lock held, and after reading what is there."""
        if self._path is None:
            return
        text = _summed(json.dumps(line).encode()) if line else b""
        try:
            descriptor = os.open(self._path, _LOG, 0o600)
            try:
                if not self._header:
                    self._header = f"{FORMAT} {os.urandom(8).hex()}\n".encode()
                    text, self.size = self._header + text, 0
                if os.fstat(descriptor).st_size != self.size:
                    os.ftruncate(descriptor, self.size)  # a killed writer left an unfinished line
                files.write_all(descriptor, text)
                self._stamp = Stamp.of(os.fstat(descriptor))
            finally:
                os.close(descriptor)
        except OSError as error:
            raise Broken(str(error)) from error
        self.size += len(text)

    def clear(self) -> None:
        """Begin anew, after the table has taken everything in."""
        self.forget_position()
        self.write()

    def discard(self) -> None:
        """Remove the file."""
        self.forget_position()
        if self._path is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._path)

    def forget_position(self) -> None:
        """Read everything again at the next question."""
        self._header, self.size, self._stamp = b"", 0, None


def _summed(line: bytes) -> bytes:
    return b"%08x %s\n" % (zlib.crc32(line), line)


def _checked(line: bytes) -> Any:
    """What a line of the log says. Raises ValueError for one in which a bit has flipped."""
    total, _, text = line.partition(b" ")
    if int(total, 16) != zlib.crc32(text):
        raise ValueError("a line of the log is damaged")
    return json.loads(text)
