"""What the lean program prints: a block, whose text was made safe when it was worded, a line of JSON, or remarks.

It writes to the descriptors themselves, so that nothing is left in a buffer for the interpreter to stumble over when
it ends. Whatever makes printing an art, a terminal or another encoding, is left to the full command.
"""

from __future__ import annotations

import contextlib
import io
import sys
from typing import TYPE_CHECKING

from rawko.store import files
from rawko.values.errors import InvalidTask
from rawko.values.text import json_line, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TextIO

    from rawko.values.selection import Selection


def is_plain() -> bool:
    """Whether both streams are open, in UTF-8, and neither is a terminal."""
    return all(
        stream is not None and not stream.isatty() and stream.encoding.lower() in {"utf-8", "utf8"}
        for stream in (sys.stdout, sys.stderr)
    )


def standard_input() -> str:
    """What is on standard input, in UTF-8, where the full command finds it again if it has to do it all."""
    if sys.stdin is None:
        raise InvalidTask("standard input is closed", hint="give the task as an argument")
    sys.stdin = io.TextIOWrapper(io.BytesIO(sys.stdin.buffer.read()), "utf-8", "replace")
    try:
        return sys.stdin.read()
    finally:
        sys.stdin.seek(0)


class Remarks(io.StringIO):
    """Stands in for standard error while a task is answered: what is written to it is a remark, and waits.

    A logger that nobody listens to writes its warnings there, each in one piece. To listen would take loading
    `logging`, and the calls that go well, almost all of them, do without.
    """

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def write(self, text: str) -> int:
        """Take one remark."""
        self.texts.append(text)
        return len(text)


@contextlib.contextmanager
def remarks() -> Iterator[list[str]]:
    """What is said on standard error while the block runs, instead of its being said."""
    with contextlib.redirect_stderr(Remarks()) as kept:
        yield kept.texts


def block(text: str) -> None:
    """Print a block; where there is none, nothing."""
    _write(sys.stdout, text)


def json(value: object) -> None:
    """Print a value as one line of JSON."""
    _write(sys.stdout, f"{json_line(value)}\n")


def notes(texts: Iterable[str]) -> None:
    """Say something beside the result, on standard error, as the full command says it."""
    for text in texts:
        _write(sys.stderr, f"rawko: {one_line(text)}\n")


def about(selection: Selection) -> list[str]:
    """What is said beside a block: why there is none, or that memories could take no part."""
    if selection:
        nothing = []
    elif selection.is_crowded_out:
        nothing = ["what matters to this task found no room: the budget or the limit is too small"]
    else:
        nothing = ["nothing here matters to this task"]
    return nothing + unread(len(selection.unreadable))


def unread(count: int) -> list[str]:
    """What is said where memories cannot be read."""
    some = "1 memory" if count == 1 else f"{count} memories"
    return [f"{some} cannot be read: `rawko validate` says why"] if count else []


def attempt(tell: Callable[[], None]) -> int:
    """Print something; the exit code. Where the reader is gone there is nobody to be told of it."""
    try:
        tell()
    except BrokenPipeError:
        return 1
    except OSError as error:
        with contextlib.suppress(OSError):
            notes([f"the system refused: {error.strerror or error}"])
        return 1
    return 0


def interrupted() -> None:
    """End the line on which a terminal shows that somebody pressed Ctrl-C."""
    with contextlib.suppress(OSError):
        _write(sys.stderr, "\n")


def _write(stream: TextIO, text: str) -> None:
    files.write_all(stream.fileno(), text.encode(errors="backslashreplace"))
