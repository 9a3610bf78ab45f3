"""Stands in for the `os` module inside the store, and makes the system misbehave at a chosen call."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COUNTED = frozenset(
    [
        "open",
        "chmod",
        "close",
        "read",
        "pread",
        "write",
        "pwrite",
        "writev",
        "lseek",
        "fstat",
        "stat",
        "lstat",
        "scandir",
        "listdir",
        "mkdir",
        "makedirs",
        "link",
        "unlink",
        "remove",
        "rename",
        "replace",
        "ftruncate",
        "truncate",
        "fsync",
        "fdatasync",
    ]
)
SYNCS = frozenset({"fsync", "fdatasync"})
_IN = ("rawko.store", "bad")


class Shim:
    """Everything that `os` has; subclasses decide what happens to the calls that touch files."""

    def call(self, name: str, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Do one call on files; here, as it was asked."""
        return real(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in COUNTED:
            return real
        return lambda *arguments, **options: self.call(name, real, *arguments, **options)


@contextlib.contextmanager
def installed(shim: Shim) -> Iterator[None]:
    """Put a shim into every module of the store, the real one and the careless ones, while the block runs."""
    homes = [module for name, module in list(sys.modules.items()) if name.startswith(_IN)]
    homes = [module for module in homes if getattr(module, "os", None) is os]
    for module in homes:
        module.os = shim
    try:
        yield
    finally:
        for module in homes:
            module.os = os


class Failing(Shim):
    """Fails the call number `at` of those named: once, or from then on."""

    def __init__(self, at: int, error: int, names: frozenset[str] = COUNTED, *, forever: bool = False) -> None:
        self._at = at
        self._error = error
        self._names = names
        self._forever = forever
        self.calls = 0
        self.failed = ""

    def call(self, name: str, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Count, and fail when it is time; a descriptor is closed even so, as the kernel does."""
        self.calls += name in self._names
        due = self.calls == self._at or (self._forever and self.calls > self._at)
        if name not in self._names or not due:
            return real(*arguments, **options)
        self.failed = self.failed or name
        if name == "close":
            real(*arguments, **options)
        raise OSError(self._error, os.strerror(self._error))


class Short(Shim):
    """Write number `at` takes only half of its bytes; with an error, the next write fails with it."""

    def __init__(self, at: int, error: int | None = None) -> None:
        self._at = at
        self._error = error
        self.calls = 0
        self.failed = ""

    def call(self, name: str, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Count writes, and cut one short."""
        self.calls += name == "write"
        if name != "write" or self.calls not in (self._at, self._at + 1):
            return real(*arguments, **options)
        if self.calls == self._at + 1:
            if self._error is None or not self.failed:
                return real(*arguments, **options)
            raise OSError(self._error, os.strerror(self._error))
        self.failed = name
        descriptor, data = arguments
        return real(descriptor, memoryview(data)[: max(1, len(data) // 2)])


class Slow(Shim):
    """Every write takes its bytes page by page, with a pause after each: the half-written state is easy to hit."""

    def __init__(self, pause: float = 0.001, page: int = 2048) -> None:
        self._pause = pause
        self._page = page

    def call(self, name: str, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Take one page and wait."""
        if name != "write":
            return real(*arguments, **options)
        descriptor, data = arguments
        written = real(descriptor, memoryview(data)[: self._page])
        time.sleep(self._pause)
        return written


class Pausing(Shim):
    """Says so at call number `at` of those on files, and waits there for a line: time for others to do something."""

    def __init__(self, at: int) -> None:
        self._left = at

    def call(self, name: str, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Count, and wait when it is time."""
        self._left -= 1
        if self._left == 0:
            os.write(1, f"paused at {name}\n".encode())
            sys.stdin.readline()
        return real(*arguments, **options)


class Hanging(Shim):
    """Says so and stops at sync number `at`: whoever runs under it holds whatever it holds by then."""

    def __init__(self, at: int = 1) -> None:
        self._left = at

    def call(self, name: str, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Hang at a sync until a signal comes."""
        self._left -= name in SYNCS
        if name in SYNCS and self._left == 0:
            print("hanging", flush=True)
            signal.pause()
        return real(*arguments, **options)


class Dying(Failing):
    """Kills its own process at call number `at`, before the call is made."""

    def __init__(self, at: int) -> None:
        super().__init__(at, 0)

    def call(self, name: str, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Count, and die when it is time."""
        self.calls += 1
        if self.calls == self._at:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **options)


class Ledger(Shim):
    """Keeps count of what a power cut would lose: bytes and names that no sync has covered yet."""

    def __init__(self) -> None:
        self.unsynced: set[str] = set()
        self.calls: Counter[str] = Counter()

    def call(self, name: str, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Do the call and enter what it leaves unsynced."""
        self.calls[name] += 1
        if name in {"write", "ftruncate"}:
            self.unsynced.add(_path(arguments[0]))
        elif name in SYNCS:
            self.unsynced.discard(_path(arguments[0]))
        elif name in {"link", "rename", "replace"}:
            self.unsynced.add(_folder(arguments[1], options.get("dst_dir_fd")))
        elif name in {"mkdir", "makedirs"}:
            self._enter_new_folders(_full(arguments[0], options.get("dir_fd")))
        elif name == "open" and arguments[1] & os.O_CREAT:
            self._enter_new_file(arguments[0], options.get("dir_fd"))
        elif name in {"unlink", "remove"}:
            self.unsynced.discard(_full(arguments[0], options.get("dir_fd")))
        result = real(*arguments, **options)
        if name == "link":
            self.unsynced.discard(_full(arguments[1], options.get("dst_dir_fd")))
        return result

    def _enter_new_folders(self, path: str) -> None:
        while not os.path.isdir(path):
            path = os.path.dirname(path)
            self.unsynced.add(path)

    def _enter_new_file(self, path: str, folder: int | None) -> None:
        full = _full(path, folder)
        if not os.path.exists(full) and not os.path.basename(full).startswith(".tmp-"):
            self.unsynced.add(os.path.dirname(full))

    def at_risk(self) -> set[str]:
        """What a power cut now could lose, apart from the cache, which may be lost."""
        return {path for path in self.unsynced if "/.cache" not in path}


def _path(descriptor: int) -> str:
    return os.readlink(f"/proc/self/fd/{descriptor}")


def _full(path: str, folder: int | None) -> str:
    return os.path.join(_path(folder) if folder is not None else os.getcwd(), path)


def _folder(path: str, folder: int | None) -> str:
    return os.path.dirname(_full(path, folder))
