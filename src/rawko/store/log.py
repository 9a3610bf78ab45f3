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
_LONGEST = 1 << 20


class Broken(Exception):
    """The table or its log cannot be read or written; whoever asked builds a new one."""


def stamp_of_file(path: str) -> Stamp:
    """The stamp of a file of ours. Raises Broken for anything else: a link leads elsewhere, and a pipe blocks."""
    return Stamp.of(status_of_file(path))


def status_of_file(path: str) -> os.stat_result:
    """All that the system says of a file of ours. Raises Broken, as above."""
    if os.path.islink(os.path.dirname(path)):
        raise Broken(f"{path} lies in a folder that is a link")
    status = os.stat(path, follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode):
        raise Broken(f"{path} is not a regular file")
    return status


def line_of_file(path: str) -> Any:
    """The value in a file of ours that is one line; None where there is no such file, or where it does not add up."""
    try:
        if stamp_of_file(path).size > _LONGEST:
            return None
        with open(path, "rb") as file:
            return checked(file.read().removesuffix(b"\n"))
    except (OSError, Broken, ValueError, RecursionError):
        return None


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
        is_cut = os.fstat(file.fileno()).st_size < self.size  # an older copy was put back
        restarted = is_cut or header != self._header
        if restarted:
            self._restart(header)
        file.seek(self.size)
        lines = file.read().split(b"\n")[:-1]  # what follows the last newline was not finished
        self.size += sum(len(line) + 1 for line in lines)
        return [checked(line) for line in lines], restarted

    def _restart(self, header: bytes) -> tuple[list[Any], bool]:
        restarted = header != self._header
        self._header, self.size = header, len(header)
        return [], restarted

    def since(self, place: str) -> tuple[list[Any], str]:
        """The lines after a place in the log, and the place after them. Raises Broken, or ValueError.

        A place says what comes before it, not only how much: another log, and an older copy of this one to which
        somebody has added since, have no such place.
        """
        size, _, total = place.partition(":")
        data = self._finished()
        if zlib.crc32(data[: int(size)]) != int(total):
            raise Broken("the log is another")
        return [checked(line) for line in data[int(size) :].split(b"\n")[:-1]], _end_of(data)

    def end(self) -> str:
        """The place after the last line, for whoever wants to know what comes later; nothing where there is no log."""
        data = self._finished()
        return _end_of(data) if data else ""

    def _finished(self) -> bytes:
        """All of the log up to its last whole line."""
        if self._path is None:
            return b""
        try:
            stamp_of_file(self._path)
            with open(self._path, "rb") as file:
                return b"".join(file.read().rpartition(b"\n")[:2])
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise Broken(str(error)) from error

    def write(self, line: dict[str, Any] | None = None) -> None:
        """Add a line, or only the header; with the store's lock held, and after reading what is there."""
        if self._path is None:
            return
        text = summed(line) if line else b""
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


def _end_of(data: bytes) -> str:
    return f"{len(data)}:{zlib.crc32(data)}"


def summed(value: object) -> bytes:
    """A value as one line with a checksum before it."""
    line = json.dumps(value).encode()
    return b"%08x %s\n" % (zlib.crc32(line), line)


def checked(line: bytes) -> Any:
    """What such a line says. Raises ValueError for one in which a bit has flipped."""
    total, _, text = line.partition(b" ")
    if int(total, 16) != zlib.crc32(text):
        raise ValueError("a line is damaged")
    return json.loads(text)
