"""Moments in time, as they are written in memory files."""

from __future__ import annotations

from datetime import UTC, datetime, time


def parse_time(text: str) -> datetime:
    """An ISO-8601 date or moment; without an offset it is UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text.strip())
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{text!r} is outside the calendar") from error


def format_time(moment: datetime) -> str:
    """The moment in UTC to the second, as the seeds of the format write it."""
    return moment.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def format_date(moment: datetime) -> str:
    """The day of a moment, in UTC."""
    return moment.astimezone(UTC).date().isoformat()


def end_of(text: str) -> datetime:
    """The last moment that a date or time names: a bare date means the whole day. Raises ValueError."""
    moment = parse_time(text)
    is_date = len(text.strip()) <= len("2026-01-23")
    return datetime.combine(moment.date(), time.max, UTC) if is_date else moment.replace(microsecond=999_999)
