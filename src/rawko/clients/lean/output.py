"""What the lean program prints: a block, whose text was made safe when it was worded, or a line of JSON."""

from __future__ import annotations

import sys

from rawko.values.text import json_line


def block(text: str) -> None:
    """Print a block; where there is none, nothing."""
    _write(text)


def json(value: object) -> None:
    """Print a value as one line of JSON."""
    _write(f"{json_line(value)}\n")


def _write(text: str) -> None:
    sys.stdout.buffer.write(text.encode(errors="backslashreplace"))
    sys.stdout.buffer.flush()
