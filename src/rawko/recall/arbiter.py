"""The arbiter: for a task it finds what matches, judges it, chooses, and words the block.

It knows stores and indexes only through what they are asked: what is new, what a text is, which documents may
answer. Memories of several libraries compete in one choice, weighed by the figures of all of them together.
"""

from __future__ import annotations

import heapq
import os
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Protocol

from rawko.recall import choice, documents, meaning, pattern, prompt, score
from rawko.recall.candidates import Question
from rawko.recall.choice import Judged, Limits, Source
from rawko.values.document import Figures
from rawko.values.errors import MemoryNotFound, StoreError, UnreadableMemory
from rawko.values.memory import IMPORTANCES
from rawko.values.record import Record, replace
from rawko.values.selection import NO_ROOM, UNREADABLE, Chosen, LeftOut, Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from rawko.recall.alternative import Word
    from rawko.recall.pattern import Hit
    from rawko.store.seam import News, Store
    from rawko.values.agent import Agent
    from rawko.values.document import Document
    from rawko.values.memory import Memory
    from rawko.values.settings import Settings
    from rawko.values.task import Task

_TRIES = 3
_NEAREST = 50
_CANDIDATES, _TIMES = 20, 4
"""So many are asked of an index at least, and so many times what may go in."""


class Index(Protocol):
    """What the arbiter asks of an index."""

    def refresh(
        self,
        news: Callable[[str], News],
        make: Callable[[str, int | None], Document | None],
        seen: Callable[[], object] | None = None,
    ) -> None:
        """Bring it up to what there is."""
        ...

    def figures(self, terms: Iterable[str]) -> Figures:
        """How many documents there are, how long, and how many have each of these terms."""
        ...

    def candidates(self, question: Question) -> list[Document]:
        """The documents that may answer a question."""
        ...

    def nearness(self, text: str, among: Sequence[Document] = ()) -> dict[str, float]:
        """The cosine of a text with documents that have a vector; nothing without an embedder."""
        ...

    def named(self, names: Iterable[str]) -> list[Document]:
        """The documents of these names."""
        ...

    def unreadable(self) -> list[Document]:
        """The files that could not be read, each as a document that says why."""
        ...

    def stale(self, name: str) -> None:
        """Look at this document again at the next refresh: it is not what the index says."""
        ...


class Shelf(Record):
    """One library as the arbiter sees it: its texts, its index, and how its files are pointed to."""

    store: Store
    index: Index
    origin: str = ""
    folder: str = ".rawko/memories"


class Picked(Record):
    """What was selected, and of each chosen memory the bytes that it was read from."""

    selection: Selection
    data: tuple[bytes, ...]
    renderings: tuple[prompt.Rendering, ...]


class Arbiter:
    """Chooses memories from one or more shelves."""

    def __init__(self, shelves: Sequence[Shelf], settings: Settings, moment: datetime | None = None) -> None:
        self.shelves = tuple(shelves)
        self._settings = settings
        self._moment = moment

    def refresh(self, seen: Callable[[], object] | None = None, *, whole: bool = False) -> Arbiter:
        """Bring every index up to its store; with `whole`, after a look at every file.

        A shelf beside the first may be unreadable, which is a warning: the arbiter of all the others is returned.
        """
        able = [shelf for number, shelf in enumerate(self.shelves) if self._refresh(shelf, number, seen, whole=whole)]
        return self if len(able) == len(self.shelves) else Arbiter(able, self._settings, self._moment)

    def _refresh(self, shelf: Shelf, number: int, seen: Callable[[], object] | None, *, whole: bool) -> bool:
        news = partial(_all_news, shelf.store) if whole else shelf.store.news
        try:
            shelf.index.refresh(news, partial(documents.of_file, shelf.store, moment=self._moment), seen)
        except StoreError as error:
            if number == 0:
                raise
            _warn(shelf, error)
            return False
        return True

    def select(self, task: Task, agent: Agent, limits: Limits, wording: prompt.Wording, now: float) -> Picked:
        """What a task gets. A file that is no longer what the index says is looked at again first."""
        for _ in range(_TRIES):
            able = self.refresh()
            if able is not self:
                return able.select(task, agent, limits, wording, now)
            found = self._choose(task, agent, limits, now)
            read = [self._read(one) for one in found.chosen]
            if all(read):
                return self._worded(found, [pair for pair in read if pair], wording)
        there = [one for one, pair in zip(found.chosen, read, strict=True) if pair]
        return self._worded(replace(found, chosen=there), [pair for pair in read if pair], wording)

    def _choose(self, task: Task, agent: Agent, limits: Limits, now: float) -> choice.Choice:
        question, haystack = meaning.ask(task), pattern.Haystack.of(task)
        figures = _together([shelf.index.figures(question.terms) for shelf in self.shelves])
        scale = meaning.Scale.of(question, figures)
        task_words = score.telling(task.text)
        shares: dict[tuple[object, ...], float] = {}

        def share(hit: Hit) -> float:
            spelt = _spelt(hit)
            if spelt not in shares:
                shares[spelt] = meaning.share(*spelt, haystack.text, scale)
            return shares[spelt]

        def judge(document: Document, near: float, source: Source) -> Judged:
            found = meaning.judge(document, scale)
            patterns = zip(document.head.when_to_use, document.head.read, strict=True)
            hit = pattern.strongest(patterns, haystack)
            matched = choice.match(found, hit, near, strict=limits.strict)
            return Judged(document, source, found, hit, near, matched, {}, 0.0, share(hit) if hit else 0.0)

        def rate(one: Judged) -> Judged:
            worth = 0.0 if limits.strict else one.match.value
            parts = score.parts(one.document.head, agent, task_words, now, worth, self._settings.weights)
            return replace(one, parts=parts, score=score.total(parts))

        asked = Question(
            scale.parts,
            scale.around,
            scale.generic,
            haystack,
            IMPORTANCES.index(limits.min_importance),
            limits.strict,
            max(_CANDIDATES, _TIMES * limits.most) + len(limits.without),
        )
        judged: list[Judged] = []
        has_vectors = False
        for number, shelf in enumerate(self.shelves):
            found, near = self._considered(shelf, asked, task.text, strict=limits.strict)
            has_vectors = has_vectors or bool(near)
            judged += [judge(one, near.get(one.name, 0.0), Source(number, shelf.origin)) for one in found]
        return choice.choose(judged, replace(limits, documents=figures.documents, has_vectors=has_vectors), rate)

    def _considered(
        self, shelf: Shelf, asked: Question, text: str, *, strict: bool
    ) -> tuple[list[Document], dict[str, float]]:
        """The documents of a shelf that share something with a task, or mean about the same, and how near they are."""
        found = shelf.index.candidates(asked)
        near = {} if strict else shelf.index.nearness(text, found)
        known = {one.name for one in found}
        others = [name for name in heapq.nlargest(_NEAREST, near, key=near.__getitem__) if name not in known]
        return [*found, *(shelf.index.named(others) if others else ())], near

    def _read(self, one: Judged) -> tuple[Memory, bytes] | None:
        """The memory itself, or None where the file is another by now than the one that was judged."""
        shelf, name = self.shelves[one.source.number], one.document.name
        try:
            data = shelf.store.read(name).data
            if documents.checksum(data) == one.document.head.sum:
                memory = documents.memory_of(one.document, data)
                return (memory.as_of(self._moment) if self._moment else None) or memory, data
        except (MemoryNotFound, UnreadableMemory):
            pass
        shelf.index.stale(name)
        return None

    def _worded(self, found: choice.Choice, read: list[tuple[Memory, bytes]], wording: prompt.Wording) -> Picked:
        told = [
            prompt.Told(memory, f"{self.shelves[one.source.number].folder}/{memory.file}", one.source.origin)
            for one, (memory, _) in zip(found.chosen, read, strict=True)
        ]
        worded = prompt.word(told, wording)
        chosen, left_out = [], []
        kept: list[bytes] = []
        for one, (memory, data), how in zip(found.chosen, read, worded.renderings, strict=True):
            if how.level == "none":
                left_out.append(_left_out(one, NO_ROOM))
                continue
            chosen.append(Chosen(memory, one.score, one.parts, one.match, one.source.origin, how.level, how.characters))
            kept.append(data)
        left_out += [_left_out(one, reason) for one, reason in found.left_out]
        left_out += [
            LeftOut(one.name, f"{UNREADABLE}: {one.head.problem}", origin=shelf.origin)
            for shelf in self.shelves
            for one in shelf.index.unreadable()
        ]
        selection = Selection(tuple(chosen), tuple(left_out), worded.text, worded.tokens)
        return Picked(selection, tuple(kept), tuple(how for how in worded.renderings if how.level != "none"))


def _warn(shelf: Shelf, error: StoreError) -> None:
    """Say which library takes no part, why, and what to do about it."""
    import logging  # noqa: PLC0415 - most programs never need it

    why = str(error)
    if os.path.islink(shelf.folder):
        hint = "put the folder itself there, or set RAWKO_HOME to the folder that it lies in"
        why = f"it is a symbolic link, and links are not followed ({hint})"
    logging.getLogger("rawko").warning("the %s %s takes no part: %s", shelf.origin, shelf.folder, why)


def _all_news(store: Store, mark: str) -> News:
    """Everything there is, whatever was known before."""
    del mark
    return store.news()


def _spelt(hit: Hit) -> tuple[tuple[str, ...], tuple[Word, ...]]:
    """What a hit found as it is spelt, or by words."""
    if hit.strength == "exact":
        return hit.words, ()
    return (), tuple(word for word in hit.alternative.words if word.text in hit.words)


def _left_out(one: Judged, reason: str) -> LeftOut:
    score = one.score if one.parts else None
    return LeftOut(one.document.name, reason, one.document.head.title, score, one.parts, one.match, one.source.origin)


def _together(figures: Sequence[Figures]) -> Figures:
    """The figures of several libraries as those of one."""
    if len(figures) == 1:
        return figures[0]
    count = sum(one.documents for one in figures)
    frequency: Counter[str] = Counter()
    for one in figures:
        frequency.update(one.frequency)
    lengths = tuple(
        sum(one.lengths[place] * one.documents for one in figures) / max(count, 1)
        for place in range(len(figures[0].lengths))
    )
    return Figures(count, lengths, dict(frequency))
