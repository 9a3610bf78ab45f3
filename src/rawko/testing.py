"""Doubles that are part of the product: a store without a disk, an index that leaves nothing out, a clock that stands.

Whoever writes a store or an index of their own compares it with these.
"""

from __future__ import annotations

import hashlib
import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from rawko.library import Library
from rawko.store.codec import refuse_large, title_of
from rawko.store.seam import Listing, News, Render, Stored, Write
from rawko.values.document import FIELDS, Document, Figures
from rawko.values.errors import MemoryNotFound
from rawko.values.text import folded, names_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rawko.recall.candidates import Question


class MemoryStore:
    """A store that keeps its texts in a dictionary and forgets them with the process."""

    def __init__(self, texts: Mapping[str, bytes] | None = None) -> None:
        self._texts = dict(texts or {})
        self._titles = {name: title_of(data) for name, data in self._texts.items()}
        self._guard = threading.RLock()

    def names(self, title: str | None = None) -> Listing:
        """All names, or those of the memories with this title in any case."""
        with self._guard:
            return Listing(tuple(sorted(name for name in self._texts if title is None or self._is_titled(name, title))))

    def news(self, mark: str = "") -> News:
        """Everything, each text with a version that no other text has."""
        del mark
        with self._guard:
            return News("", {name: hashlib.sha256(data).hexdigest() for name, data in self._texts.items()})

    def read(self, name: str) -> Stored:
        """The text of this name. Raises MemoryNotFound."""
        with self._guard:
            if name not in self._texts:
                raise MemoryNotFound(f"there is no memory {name!r}")
            return Stored(name, self._texts[name])

    def append(self, writes: Sequence[Write]) -> list[Stored]:
        """Do all of the writes or none, and return each text as it is afterwards."""
        with self._guard:
            before, titles = dict(self._texts), dict(self._titles)
            try:
                names = [self._append(write) for write in writes]
            except BaseException:
                self._texts, self._titles = before, titles
                raise
            return [Stored(name, self._texts[name], name not in before and names.count(name) == 1) for name in names]

    def rewrite(self, name: str, render: Render) -> Stored:
        """Replace a text: only for removing what must not be kept."""
        with self._guard:
            self._put(name, render(self.read(name)))
            return self.read(name)

    def close(self) -> None:
        """Nothing is open."""

    def _append(self, write: Write) -> str:
        titled = (name for name in sorted(self._titles) if self._titles[name] == write.title)
        name = write.name or next(titled, "")
        there = self.read(name) if name else None
        name = name or self._free_name(write.title)
        self._put(name, (there.data if there else b"") + write.render(there))
        return name

    def _put(self, name: str, data: bytes) -> None:
        refuse_large(name, data)
        self._texts[name] = data
        self._titles[name] = title_of(data)

    def _is_titled(self, name: str, title: str) -> bool:
        found = self._titles[name]
        return found is not None and folded(found) == folded(title)

    def _free_name(self, title: str) -> str:
        taken = {folded(name) for name in self._texts}
        return next(name for name in names_for(title) if folded(name) not in taken)


class ExhaustiveIndex:
    """An index that reads everything anew and leaves nothing out: slow, and right by being plain.

    It answers any question with every document that can be read, and with figures that are counted there and then. A
    real index leaves out what cannot matter; that it left out nothing else shows in a comparison with this one.
    """

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}

    def refresh(
        self,
        news: Callable[[str], News],
        make: Callable[[str, int | None], Document | None],
        seen: Callable[[], object] | None = None,
    ) -> None:
        """Read everything there is."""
        self._documents = {}
        for name in sorted(news("").versions):
            made = make(name, None)
            if made is not None:
                self._documents[name] = made
            if seen:
                seen()

    def figures(self, terms: Iterable[str]) -> Figures:
        """How many documents there are, how long, and how many have each of these terms."""
        found = self._readable()
        lengths = tuple(sum(len(one.fields[place].split()) for one in found) for place in range(len(FIELDS)))
        having = {term: sum(any(f" {term} " in text for text in one.fields) for one in found) for term in set(terms)}
        return Figures(
            len(found),
            tuple(length / max(len(found), 1) for length in lengths),
            {term: count for term, count in having.items() if count},
        )

    def candidates(self, question: Question, limit: int | None = None) -> list[Document]:
        """Every document, whatever is asked and however many there are."""
        del question, limit
        return self._readable()

    def around(self, found: Iterable[Document], steps: int) -> list[Document]:
        """The documents at most so many places away from these, in the same groups."""
        near = {
            (one.group, place)
            for one in found
            if one.group
            for place in range(one.position - steps, one.position + steps + 1)
        }
        return [one for one in self._readable() if (one.group, one.position) in near]

    def named(self, names: Iterable[str]) -> list[Document]:
        """The documents of these names."""
        return [self._documents[name] for name in names if name in self._documents]

    def nearness(self, text: str, among: Sequence[Document] = ()) -> dict[str, float]:
        """Nothing: it knows words, not vectors."""
        del text, among
        return {}

    def unreadable(self) -> list[Document]:
        """The files that could not be read, each as a document that says why."""
        return [one for one in self._documents.values() if one.head.problem]

    def stale(self, name: str) -> None:
        """Nothing to do: the next refresh reads everything."""

    def _readable(self) -> list[Document]:
        return [one for one in self._documents.values() if not one.head.problem]


class FixedClock:
    """A clock that shows one moment until it is told to move on."""

    def __init__(self, now: datetime = datetime(2026, 1, 23, 10, 30, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """The moment it shows."""
        return self.now

    def advance(self, **duration: float) -> None:
        """Move on, by the keywords of a timedelta."""
        self.now += timedelta(**duration)


def library(texts: Mapping[str, bytes] | None = None, clock: FixedClock | None = None) -> Library:
    """A library without a disk, on a clock that stands still."""
    return Library(MemoryStore(texts), clock=clock or FixedClock())
