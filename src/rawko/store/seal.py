"""The seal on a derived file: how it looked when rawko last changed it, and the lock for changing it.

SQLite does not notice when somebody else has changed a byte of its file. The seal does: it holds the file's stamp,
and a file whose stamp is another is not believed. A writer breaks the seal before it changes anything and renews it
after; one that is killed in between leaves it broken, and what SQLite then makes of its file holds.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from rawko.store import files, layout, lock
from rawko.store.files import Stamp
from rawko.store.log import Broken, line_of_file, status_of_file, summed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rawko.values.errors import StoreError

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_BROKEN = "broken"


class Unwritable(Broken):
    """The file cannot be changed under its seal; `why` is what to tell whoever asked for just that."""

    def __init__(self, why: StoreError) -> None:
        super().__init__(str(why))
        self.why = why


class Seal:
    """The seal of one file in the cache of a library."""

    def __init__(self, root: str, name: str) -> None:
        self._root = root
        self._lock = f"{name}.lock"
        self.path = os.path.join(root, layout.CACHE, f"{name}.sqlite")
        self._seal = os.path.join(root, layout.CACHE, f"{name}.seal")

    def holds(self) -> bool:
        """Whether nobody but rawko has touched the file."""
        try:
            return bool(line_of_file(self._seal) == self._stamp())
        except (OSError, Broken):
            return False

    def was_left_broken(self) -> bool:
        """Whether a writer of ours was ended while it wrote; to be asked with the lock held."""
        return line_of_file(self._seal) == _BROKEN and os.path.exists(self.path)

    @contextlib.contextmanager
    def locked(self, timeout: float) -> Iterator[None]:
        """Keep other writers out. Raises LockTimeout, or Unwritable."""
        with contextlib.ExitStack() as stack:
            with _writing():
                root = stack.enter_context(files.opened(self._root))
                cache = layout.open_cache(root)
                stack.callback(files.close, cache)
                held = lock.acquire(cache, self._lock, timeout)
                stack.callback(files.close, held.descriptor)
                stack.callback(held.release)
            yield

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """Break the seal for a change, and renew it after one that went well; with the lock held. Raises Unwritable."""
        with _writing():
            self._write(_BROKEN)
        yield
        with _writing():
            self._write(self._stamp())

    def discard(self) -> None:
        """Remove the seal, or what lies in its place; with the lock held."""
        with contextlib.suppress(OSError):
            os.unlink(self._seal)

    def _stamp(self) -> list[int]:
        """The stamp of the file, and when that was last set: whoever puts an older copy back can set all but this."""
        status = status_of_file(self.path)
        return [*Stamp.of(status), status.st_ctime_ns]

    def _write(self, content: object) -> None:
        line = summed(content)
        descriptor = os.open(self._seal, _FLAGS, 0o600)
        try:
            files.write_all(descriptor, line)
            os.ftruncate(descriptor, len(line))
        finally:
            files.close(descriptor)


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unwritable(files.error_for(error, f"cannot write to {layout.CACHE}")) from error
