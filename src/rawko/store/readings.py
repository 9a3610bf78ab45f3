"""What the values of settings and agents mean: in the YAML that we read, every scalar is a text.

A reading returns what a value says. Raises ValueError with what to write instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rawko.values.memory import IMPORTANCES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Reading = Callable[[object], Any]


def text(value: object) -> str:
    """A text that says something."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("one value")
    return value


def texts(value: object) -> tuple[str, ...]:
    """One text or several; an empty value is none."""
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise ValueError("one value or a list of them")
    return tuple(item for item in found if item.strip())


def switch(value: object) -> bool:
    """Yes or no."""
    if value not in ("true", "false"):
        raise ValueError("true or false")
    return value == "true"


def one_of(*choices: str) -> Reading:
    """One of these words."""

    def read(value: object) -> str:
        if value not in choices:
            raise ValueError(f"one of {', '.join(choices)}")
        return str(value)

    return read


def number(least: float, most: float, kind: type[int | float]) -> Reading:
    """A number in these limits."""

    def read(value: object) -> float:
        try:
            found = kind(text(value))
        except ValueError:
            found = least - 1
        if not least <= found <= most:
            raise ValueError(f"a number from {least} to {most}")
        return found

    return read


def mapping(value: object, keys: Sequence[str], read: Reading) -> dict[str, Any]:
    """A mapping with some of these keys, each with a value of one kind."""
    if not isinstance(value, dict) or not set(value) <= set(keys):
        raise ValueError(f"a mapping with the keys {', '.join(keys)}")
    return {key: read(item) for key, item in value.items()}


IMPORTANCE = one_of(*IMPORTANCES)
MOST_INJECTED = number(0, 100, int)
BUDGET = number(0, 1_000_000, int)
