"""The shapes that `--json` prints; docs/commands.md describes them, and they only ever gain keys.

The keys are those of the memory files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rawko.values.errors import RawkoError, UnreadableMemory
from rawko.values.times import format_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rawko.recall.pattern_advice import Explained
    from rawko.store.config import Configured
    from rawko.values.errors import Problem
    from rawko.values.memory import Memory, Update
    from rawko.values.selection import Chosen, Found, LeftOut, Match, Selection
    from rawko.values.survey import Change

Shape = dict[str, Any]


def memory(value: Memory) -> Shape:
    """One memory as it holds now, with its updates."""
    return {
        "file": value.file,
        "title": value.title,
        "whenToUse": list(value.when_to_use),
        "importance": value.importance,
        "tags": list(value.tags),
        "discoveredAt": format_time(value.discovered_at),
        "discoveredBy": value.discovered_by,
        "discoveredIn": value.discovered_in,
        "source": value.source,
        "relatedMemories": list(value.related),
        "status": value.status,
        "updatedAt": format_time(value.updated_at),
        "updates": [update(part) for part in value.updates],
        "content": value.content,
    }


def update(value: Update) -> Shape:
    """One statement of a memory, with its own provenance."""
    return {
        "id": value.id,
        "at": format_time(value.at),
        "by": value.by,
        "kind": value.kind,
        "in": value.task,
        "whenToUse": list(value.when_to_use),
        "tags": list(value.tags),
        "importance": value.importance,
        "source": value.source,
        "relatedMemories": list(value.related),
        "replacedBy": value.replaced_by,
        "content": value.content,
    }


def change(value: Change) -> Shape:
    """One statement and the memory it belongs to."""
    return {
        "file": value.memory.file,
        "title": value.memory.title,
        **update(value.update),
        "kind": kind_of(value),
    }


def kind_of(value: Change) -> str:
    """What happened in a change: `created` for the statement that made the memory, else its kind."""
    return "created" if value.is_first else value.update.kind


def problem(value: Problem) -> Shape:
    """One thing wrong with one file."""
    return {
        "file": value.file,
        "line": value.line,
        "level": value.level,
        "reason": value.reason,
        "hint": value.hint,
    }


def problems(values: Iterable[Problem]) -> list[Shape]:
    """Several things that are wrong."""
    return [problem(value) for value in values]


def settings(configured: Configured) -> list[Shape]:
    """Every setting with its value and where that came from."""
    return [{"key": key, "value": value, "origin": origin} for key, value, origin in configured.table()]


def selection(value: Selection) -> Shape:
    """What a task gets, and what it does not."""
    return {
        "block": value.block,
        "tokens": value.tokens,
        "receipt": value.receipt,
        "memories": [chosen(one) for one in value.memories],
        "leftOut": [left_out(one) for one in value.left_out],
    }


def chosen(value: Chosen) -> Shape:
    """A memory that goes in."""
    return {
        "file": value.file,
        "title": value.memory.title,
        "origin": value.origin,
        "score": value.score,
        "parts": dict(value.parts),
        **_match(value.match),
        "level": value.level,
    }


def left_out(value: LeftOut) -> Shape:
    """A memory that does not go in."""
    return {
        "file": value.file,
        "title": value.title,
        "origin": value.origin,
        "reason": value.reason,
        "score": value.score,
        "parts": dict(value.parts),
        **_match(value.match),
    }


def _match(value: Match | None) -> Shape:
    strength, matched, figure = (value.strength, value.matched, value.value) if value else ("", "", 0.0)
    return {"strength": strength, "matched": matched, "match": round(figure, 4)}


def found(value: Found) -> Shape:
    """What a search found."""
    return {
        "kind": value.kind,
        "id": value.id,
        "title": value.title,
        "origin": value.origin,
        "status": value.status,
        "score": value.score,
        "snippet": value.snippet,
    }


def explained(value: Explained) -> Shape:
    """How one alternative of a pattern is read."""
    return {
        "text": value.text,
        "kind": value.kind,
        "reading": value.reading,
        "words": list(value.words),
        "advice": [{"reason": one.reason, "hint": one.hint} for one in value.advice],
        "strength": value.hit.strength if value.hit else None,
    }


def error(value: RawkoError) -> Shape:
    """Why a command did not do what was asked."""
    found = value.problems if isinstance(value, UnreadableMemory) else ()
    why = {"kind": type(value).__name__, "message": value.message, "hint": value.hint, "problems": problems(found)}
    return {"error": why}
