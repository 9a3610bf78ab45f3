"""What a caller gives, checked: texts that are texts, dates that are dates. Each refusal says what to give instead."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rawko.values.errors import InvalidMemory
from rawko.values.memory import IMPORTANCES
from rawko.values.text import unbroken
from rawko.values.times import end_of, parse_time

if TYPE_CHECKING:
    from collections.abc import Iterable


def moment(when: str | datetime, *, end: bool = True) -> datetime:
    """A moment from a date or a time; a bare date means its end, or with `end=False` its beginning."""
    if isinstance(when, datetime):
        return when if when.tzinfo else when.replace(tzinfo=UTC)
    try:
        return end_of(str(when)) if end else parse_time(str(when))
    except ValueError as error:
        raise InvalidMemory(f"{when!r} is not a date", hint="write 2026-01-23 or 2026-01-23T10:30:00Z") from error


def title(title: str) -> str:
    """A title on one line, as titles are compared."""
    return unbroken(required(title, "title"))


def required(text: str, what: str) -> str:
    """A text that says something."""
    found = optional(text, what)
    if not found:
        raise InvalidMemory(f"the {what} is empty", hint=f"give a {what}")
    return found


def optional(text: str | None, what: str) -> str | None:
    """A text without white space around it, or None where there is nothing in it."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise InvalidMemory(f"the {what} must be text, not {type(text).__name__}", hint=f"give the {what} as a str")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        hint = "half of a surrogate pair is no character; leave it out"
        raise InvalidMemory(f"the {what} is not valid Unicode at position {error.start}", hint=hint) from error
    return text.strip() or None


def several(values: str | Iterable[str] | None, what: str) -> tuple[str, ...]:
    """The texts that say something; an empty pattern, tag or link is nothing."""
    given = () if values is None else (values,) if isinstance(values, str) else values
    try:
        return tuple(text for text in (optional(value, what) for value in given) if text)
    except TypeError as error:
        hint = f"give {what} as a list of texts"
        raise InvalidMemory(f"{what} must be texts, not {type(values).__name__}", hint=hint) from error


def importance(importance: str) -> str:
    """One of the four."""
    if importance not in IMPORTANCES:
        raise InvalidMemory(f"importance is {importance!r}", hint=f"use one of {', '.join(IMPORTANCES)}")
    return importance
