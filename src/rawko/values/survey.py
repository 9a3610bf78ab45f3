"""What one pass over a store found, and what was stated when."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rawko.values import checks

if TYPE_CHECKING:
    from datetime import datetime

    from rawko.values.errors import Problem
    from rawko.values.memory import Memory, Update


class Change(NamedTuple):
    """One statement of one memory, for reading what happened in order."""

    memory: Memory
    update: Update

    @property
    def is_first(self) -> bool:
        """Whether this is the statement that made the memory."""
        return self.update is self.memory.first


class Survey(NamedTuple):
    """What one pass over a store found."""

    memories: list[Memory]
    problems: list[Problem]

    def changes(self, since: str | datetime | None = None) -> list[Change]:
        """What these memories stated when, oldest first."""
        start = checks.moment(since, end=False) if since is not None else None
        changes = (Change(memory, update) for memory in self.memories for update in memory.statements)
        kept = (change for change in changes if start is None or change.update.at >= start)
        return sorted(kept, key=lambda change: change.update.at)
