"""A memory: what was first stated, and every update since, folded into what holds now."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rawko.values.record import Record, replace
from rawko.values.times import format_date

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

IMPORTANCES = ("low", "medium", "high", "critical")
STANDARD_TAGS = (
    "codebase-structure",
    "code-patterns",
    "api-surface",
    "data-model",
    "failures",
    "solutions",
    "constraints",
)
ACTIVE = "active"
STATUS_OF_KIND = {"deprecated": "deprecated", "superseded": "superseded", "restored": ACTIVE, "forgotten": "forgotten"}
UPDATE_KINDS = ("update", "correction", *STATUS_OF_KIND)


class Draft(Record):
    """What a caller wants remembered, before it has a file."""

    title: str
    content: str
    when_to_use: str | Sequence[str]
    importance: str = "medium"
    tags: Sequence[str] = ()
    agent: str | None = None
    task: str | None = None
    source: str | None = None
    related: Sequence[str] = ()


class Update(Record):
    """One statement of a memory: its first one, or one appended later, each with its own provenance."""

    content: str
    at: datetime
    by: str = ""
    kind: str = "update"
    task: str | None = None
    when_to_use: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    importance: str | None = None
    source: str | None = None
    related: tuple[str, ...] = ()
    replaced_by: str | None = None
    id: str = ""

    @property
    def mark(self) -> str:
        """The heading that tells a reader what kind of update this is; a plain one has none."""
        return "" if self.kind == "update" else f"### {self.kind.capitalize()}"

    @property
    def text(self) -> str:
        """The content under its mark."""
        return f"{self.mark}\n\n{self.content}".strip()


class Memory(Record):
    """One long-term memory as it holds now; `first` and `updates` are how it came to be so."""

    file: str
    title: str
    first: Update
    updates: tuple[Update, ...] = ()
    extra: Mapping[str, Any] = MappingProxyType({})

    _apart = frozenset({"extra"})

    @property
    def statements(self) -> tuple[Update, ...]:
        """Everything this memory says, oldest first."""
        return (self.first, *self.updates)

    @property
    def when_to_use(self) -> tuple[str, ...]:
        """Every pattern that any statement brought, once each."""
        return self._all("when_to_use")

    @property
    def tags(self) -> tuple[str, ...]:
        """Every tag that any statement brought, once each."""
        return self._all("tags")

    @property
    def related(self) -> tuple[str, ...]:
        """Every memory that any statement pointed to, as it was named there."""
        return self._all("related")

    @property
    def source(self) -> str | None:
        """Where the first statement that names a source had it from."""
        return next((part.source for part in self.statements if part.source), None)

    @property
    def importance(self) -> str:
        """The highest importance that any statement gave."""
        given = [part.importance for part in self.statements if part.importance]
        return max(given, key=IMPORTANCES.index)

    @property
    def discovered_at(self) -> datetime:
        """When the first statement was made."""
        return self.first.at

    @property
    def discovered_by(self) -> str:
        """Who made the first statement."""
        return self.first.by

    @property
    def discovered_in(self) -> str | None:
        """The task in which the first statement was made."""
        return self.first.task

    @property
    def updated_at(self) -> datetime:
        """When anything was last stated."""
        return max(part.at for part in self.statements)

    @property
    def body(self) -> str:
        """The first statement alone."""
        return self.first.content

    @property
    def content(self) -> str:
        """The whole text as a reader sees it: the first statement, then each update under its dated heading."""
        later = (f"\n\n---\n\n## Update ({format_date(part.at)})\n\n{part.text}" for part in self.updates)
        return self.first.content + "".join(later)

    @property
    def corrections(self) -> tuple[Update, ...]:
        """The updates that say an earlier statement is wrong."""
        return tuple(part for part in self.updates if part.kind == "correction")

    @property
    def status_updates(self) -> tuple[Update, ...]:
        """The updates that say whether it holds, by time: a merge puts those of two branches one after the other."""
        return tuple(sorted((part for part in self.updates if part.kind in STATUS_OF_KIND), key=lambda part: part.at))

    @property
    def status(self) -> str:
        """Active, deprecated, superseded or forgotten: the last word on it."""
        return STATUS_OF_KIND[self.status_updates[-1].kind] if self.status_updates else ACTIVE

    def _all(self, name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(value for part in self.statements for value in getattr(part, name)))

    def as_of(self, moment: datetime) -> Memory | None:
        """This memory as it stood at a moment, or None before its discovery."""
        if self.first.at > moment:
            return None
        return replace(self, updates=tuple(part for part in self.updates if part.at <= moment))
