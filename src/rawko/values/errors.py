"""What can go wrong, as one tree, so that a caller can catch as much or as little as it wants.

RawkoError
├── LibraryNotFound       no .rawko folder here or above
├── MemoryNotFound        no memory has this file name or title
├── InvalidMemory         what the caller gave cannot become a memory
├── InvalidTask           what the caller asks for cannot be answered as asked
├── ReceiptNotFound       no receipt has this id
├── NotReplayable         what a receipt names is no longer as it was
├── InvalidSettings       a configuration file says something that is not a setting
├── UnreadableMemory      a file on disk is not a memory; carries its problems
└── StoreError
    ├── StoreUnavailable  the folder is missing, read-only or not ours to read
    ├── DiskFull          no room; nothing was written
    ├── LockTimeout       another process holds the lock for too long
    └── WriteFailed       the disk refused; nothing was written
"""

from __future__ import annotations

from rawko.values.record import Record


class Problem(Record):
    """One thing wrong with one file: where, why, and what to do about it."""

    file: str
    reason: str
    hint: str = ""
    line: int | None = None
    level: str = "error"

    @property
    def place(self) -> str:
        """The file, with the line where one is known."""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    def __str__(self) -> str:
        text = f"{self.place}: {self.reason}"
        return f"{text} ({self.hint})" if self.hint else text


class RawkoError(Exception):
    """The base of every error that rawko raises on purpose."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class LibraryNotFound(RawkoError):
    """There is no .rawko folder here or above."""


class MemoryNotFound(RawkoError):
    """No memory has this file name or title."""


class InvalidMemory(RawkoError):
    """What the caller gave cannot become a memory."""


class InvalidTask(RawkoError):
    """What the caller asks for cannot be answered as asked."""


class ReceiptNotFound(RawkoError):
    """No receipt has this id."""


class NotReplayable(RawkoError):
    """What a receipt names is no longer as it was, so the block cannot be worded again exactly."""


class InvalidSettings(RawkoError):
    """A configuration file says something that is not a setting."""


class UnreadableMemory(RawkoError):
    """A file in the store is not a readable memory; nothing of it was changed."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        first = problems[0]
        super().__init__(f"{first.place}: {first.reason}", hint=first.hint)
        self.problems = problems

    def __reduce__(self) -> tuple[type[UnreadableMemory], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)  # so that it survives the way out of a worker process


class StoreError(RawkoError):
    """The disk did not do what was asked; what was there before is still there."""


class StoreUnavailable(StoreError):
    """The folder is missing, read-only or not ours to read."""


class DiskFull(StoreError):
    """There is no room for what was to be written, and nothing of it was kept."""


class LockTimeout(StoreError):
    """Another process held the lock for longer than the limit."""


class WriteFailed(StoreError):
    """The disk refused a write, and nothing of it was kept."""
