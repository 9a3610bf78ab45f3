"""Files by descriptor: nothing is followed out of the store, nothing half-written is ever acknowledged.

Every name is opened relative to a folder that is already open, without following links, and what was opened is
looked at before it is read. Every step of a write that can fail raises a typed error.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from rawko.values.errors import DiskFull, StoreError, StoreUnavailable, WriteFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

TEMPORARY = ".tmp-"
_63_BITS = (1 << 63) - 1

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_APPEND = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NOT_OURS = {errno.EACCES, errno.EPERM, errno.EROFS}
_NO_FILE = {errno.ENOENT, errno.EISDIR, errno.ELOOP, errno.ENXIO}
_NOT_THERE = {errno.ENOENT, errno.ENOTDIR, errno.ESTALE}


class Unfit(Exception):
    """What lies under a name is not a file that a memory may be in."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


class Stamp(NamedTuple):
    """What changes when a file is written or replaced, without reading it."""

    mtime_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        """The stamp in a stat result."""
        return cls(status.st_mtime_ns & _63_BITS, status.st_size, status.st_ino & _63_BITS)  # as SQLite can keep it


@contextlib.contextmanager
def typed(what: str) -> Iterator[None]:
    """Turn what the system says into one of our errors; a name that is taken is for the caller to resolve."""
    try:
        yield
    except FileExistsError:
        raise
    except OSError as error:
        raise error_for(error, what) from error


def error_for(error: OSError, what: str) -> StoreError:
    """The typed error for a system error."""
    reason = os.strerror(error.errno) if error.errno else str(error)
    if error.errno in _NO_ROOM:
        return DiskFull(f"{what}: the disk is full ({reason})", hint="free some space and do it again")
    if error.errno in _NOT_OURS:
        return StoreUnavailable(f"{what}: {reason}", hint="check the permissions of the folder")
    if error.errno in _NOT_THERE:
        return StoreUnavailable(f"{what}: {reason}", hint="is the folder gone, moved or not mounted?")
    return WriteFailed(f"{what}: {reason}", hint="do it again; what was acknowledged before is safe")


def open_folder(path: str, folder: int | None = None, *, make: bool = False) -> int:
    """Open a folder and, with `make`, make it if need be; its last part may not be a link."""
    try:
        return os.open(path, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not make or folder is None:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, dir_fd=folder)
        os.fsync(folder)
    return os.open(path, _FOLDER, dir_fd=folder)


@contextlib.contextmanager
def opened(path: str, folder: int | None = None, *, make: bool = False) -> Iterator[int]:
    """A folder that is open while the block runs."""
    descriptor = open_folder(path, folder, make=make)
    try:
        yield descriptor
    finally:
        close(descriptor)


def close(*descriptors: int) -> None:
    """Close all of these. What had to reach the disk was synced before, so a refusal has nothing more to say."""
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)


@contextlib.contextmanager
def parent(folder: int, name: str) -> Iterator[tuple[int, str]]:
    """The folder that holds a name such as `a/b.md`, opened part by part, and the last part."""
    *parts, last = name.split("/")
    if not last or any(part in ("", ".", "..") for part in (*parts, last)) or "\x00" in name:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    with contextlib.ExitStack() as stack:
        for part in parts:
            folder = stack.enter_context(opened(part, folder))
        yield folder, last


def exists(folder: int, name: str) -> bool:
    """Whether anything at all lies under a name."""
    try:
        with parent(folder, name) as (inside, last):
            os.stat(last, dir_fd=inside, follow_symlinks=False)
    except OSError:
        return False
    return True


def read(folder: int, name: str, limit: int) -> tuple[bytes, os.stat_result]:
    """The bytes of a regular file and its status. Raises Unfit for anything else, without blocking on it."""
    with parent(folder, name) as (inside, last):
        try:
            descriptor = os.open(last, _READ, dir_fd=inside)
        except OSError as error:
            raise _unfit(error) or error from None
        try:
            status = os.fstat(descriptor)
            _refuse_unfit(status, limit)
            if status.st_nlink > 1 and _is_linked(inside, descriptor):
                raise Unfit("a hard link: the same file has another name elsewhere", "replace it with a copy")
            return _read_all(descriptor), status
        finally:
            close(descriptor)


def _unfit(error: OSError) -> Unfit | None:
    if error.errno == errno.ELOOP:
        return Unfit("a symbolic link", "put the file itself here")
    return Unfit("not a regular file", "remove it from the folder") if error.errno == errno.ENXIO else None


def _refuse_unfit(status: os.stat_result, limit: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise Unfit("not a regular file", "remove it from the folder")
    if status.st_size > limit:
        raise Unfit(f"{status.st_size:,} bytes; more than {limit:,} are not read", "split it into several memories")


def _is_linked(folder: int, descriptor: int) -> bool:
    """Whether a file has a name beside its own, other than the temporary one under which it is being created."""
    inode = os.fstat(descriptor).st_ino
    with os.scandir(folder) as entries:
        temporary = sum(entry.inode() == inode and entry.name.startswith(TEMPORARY) for entry in entries)
    return os.fstat(descriptor).st_nlink > 1 + temporary  # asked last: its creation may end while we look


def _read_all(descriptor: int) -> bytes:
    chunks = []
    while chunk := os.read(descriptor, 1 << 20):
        chunks.append(chunk)
    return b"".join(chunks)


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte, however many calls it takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def write_temporary(folder: int, data: bytes, *, sync: bool, mode: int = 0o666) -> tuple[str, Stamp]:
    """Write the bytes to a new temporary file in the folder, return its name and stamp; leaves nothing on failure."""
    name = f"{TEMPORARY}{os.urandom(8).hex()}"
    descriptor = os.open(name, _CREATE, mode, dir_fd=folder)
    try:
        try:
            write_all(descriptor, data)
            if sync:
                os.fsync(descriptor)
            stamp = Stamp.of(os.fstat(descriptor))
        finally:
            close(descriptor)
    except BaseException:
        remove(folder, name)
        raise
    return name, stamp


def create(folder: int, name: str, data: bytes, *, sync: bool) -> Stamp:
    """Put a whole new file under a name that nobody has. Raises FileExistsError when somebody has it."""
    temporary, stamp = write_temporary(folder, data, sync=sync)
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    finally:
        remove(folder, temporary)
    return stamp


def put(folder: int, name: str, data: bytes) -> None:
    """Put a whole file of what is derived under a name, in the place of whatever has it, without a sync."""
    temporary, _ = write_temporary(folder, data, sync=False, mode=0o600)
    try:
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        remove(folder, temporary)
        raise


class ChangedMeanwhile(Exception):
    """Somebody else changed the file between our look at it and our write."""


def replace(folder: int, name: str, before: Stamp, data: bytes) -> None:
    """Put a whole file in the place of the one that has this stamp, durably. Raises ChangedMeanwhile."""
    temporary, _ = write_temporary(folder, data, sync=True, mode=0o600)
    try:
        os.chmod(temporary, _mode_of(folder, name, before), dir_fd=folder)  # what was private stays private
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        remove(folder, temporary)
        raise
    os.fsync(folder)


def _mode_of(folder: int, name: str, before: Stamp) -> int:
    """The mode of a file that has still this stamp. Raises ChangedMeanwhile."""
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if Stamp.of(status) != before:
        raise ChangedMeanwhile
    return stat.S_IMODE(status.st_mode)


def append(folder: int, name: str, size: int, data: bytes, *, sync: bool) -> None:
    """Add bytes to the end of a file that has `size` bytes, or leave it as it was."""
    try:
        descriptor = os.open(name, _APPEND, dir_fd=folder)
    except FileNotFoundError:
        raise ChangedMeanwhile from None
    try:
        if os.fstat(descriptor).st_size != size:
            raise ChangedMeanwhile
        _refuse_other(descriptor, folder, name)
        try:
            write_all(descriptor, data)
            if sync:
                os.fsync(descriptor)
            _refuse_other(descriptor, folder, name)
        except BaseException:
            with contextlib.suppress(OSError):
                _take_back(descriptor, size, data, whole=True)
            raise
    finally:
        close(descriptor)


def _refuse_other(descriptor: int, folder: int, name: str) -> None:
    """Another file may have been put under the name, or the one we have may lie elsewhere too. Raises ChangedMeanwhile.

    The links are counted before the name is looked at: a file from outside that was there for a moment has one link
    again only after its name here is gone.
    """
    own = os.fstat(descriptor)
    if own.st_nlink > 1 and _is_linked(folder, descriptor):
        raise ChangedMeanwhile
    try:
        if os.path.samestat(own, os.stat(name, dir_fd=folder, follow_symlinks=False)):
            return
    except FileNotFoundError:
        pass
    raise ChangedMeanwhile


def take_back(folder: int, name: str, size: int, data: bytes, *, whole: bool) -> None:
    """Cut off an append that did not finish; with `whole`, one that did as well."""
    try:
        descriptor = os.open(name, _APPEND, dir_fd=folder)
    except OSError as error:
        if error.errno in _NO_FILE:
            return  # there is nothing to be taken back from
        raise
    try:
        _take_back(descriptor, size, data, whole=whole)
    finally:
        close(descriptor)


def _take_back(descriptor: int, size: int, data: bytes, *, whole: bool) -> None:
    tail = _tail(descriptor, size, len(data) + 1)
    if tail and ((whole and tail == data) or is_unfinished(tail, data)):
        os.ftruncate(descriptor, size)
        os.fsync(descriptor)


def is_unfinished(tail: bytes, data: bytes) -> bool:
    """Whether a tail is what a crash leaves of an append: its beginning, and zeros where blocks never arrived."""
    return len(tail) <= len(data) and tail != data and data.startswith(tail.rstrip(b"\0"))


def _tail(descriptor: int, size: int, limit: int) -> bytes:
    chunks, position = [], size
    while position < size + limit and (chunk := os.pread(descriptor, size + limit - position, position)):
        chunks.append(chunk)
        position += len(chunk)
    return b"".join(chunks)


def remove(folder: int, name: str) -> None:
    """Remove a name if it is there; one retry, because what is left behind would be found by others."""
    for _ in range(2):
        try:
            os.unlink(name, dir_fd=folder)
        except FileNotFoundError:
            return
        except OSError:
            continue
        return
