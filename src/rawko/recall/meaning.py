"""How much of what a task says a memory says as well: a figure from 0 to 1 that ranks, cuts and abstains.

Every word of the task has a weight: rare words weigh most. How rare a word is comes from the library, steadied by
everyday English, because a handful of memories cannot know. A memory gets the share of the task's weight that it
covers, the more the more often it has the word, a title or a pattern counting double. Words that nobody knows
count against everything: that is what makes a task about something else come out low.

A long task is judged part by part, and a memory by the part that it fits best.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rawko.recall.phrase import generic, meant
from rawko.values.everyday import chance
from rawko.values.record import Record
from rawko.values.stems import stem
from rawko.values.words import asked, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rawko.recall.alternative import Word
    from rawko.values.document import Document, Figures
    from rawko.values.task import Task

FIELD_WEIGHTS = (2.0, 2.0, 0.0, 1.0)
"""What a word counts in the title, the patterns, the tags and the body."""
_SATURATION = 4.0
_LENGTH = 0.5
_BACKGROUND = 300.0
_POWER = 1.5
_PLAN = 0.5
_HISTORY = 0.25
_LEAST = 1.1
_LONG = 36
"""Distinct words of a task that are judged together; a longer one is judged in parts."""
_PART = 24
_BREAK = re.compile(r"\n+|(?<=[.!?;])\s+")


class Part(Record):
    """One part of a task: its words, and the identifiers that are made of some of them."""

    words: frozenset[str]
    wholes: frozenset[str]


class Asked(Record):
    """A task as what its words weigh; `nearby` are those of the plan and the history, which only ever add.

    `spelling` has each as it is written there.
    """

    parts: tuple[Part, ...]
    nearby: dict[str, float]
    spelling: dict[str, str]

    @property
    def terms(self) -> set[str]:
        """Every word that may count."""
        return set(self.nearby).union(*(part.words | part.wholes for part in self.parts))


class Meaning(Record):
    """What a memory has of a task, and the words that made it so, the weightiest first.

    `beside` is what the plan and the history add to it.
    """

    value: float
    words: tuple[str, ...] = ()
    beside: float = 0.0


def ask(task: Task) -> Asked:
    """The words of a task, part by part."""
    parts = tuple(_parts(task.text))
    nearby: dict[str, float] = {}
    for text, weight in ((task.plan, _PLAN), (task.history, _HISTORY)):
        for word in asked(text)[0]:
            nearby.setdefault(word, weight)
    said = (word for text in (task.history, task.plan, task.text) for word in words(text))
    return Asked(parts, nearby, {stem(word): word for word in said})


def _parts(text: str) -> Iterable[Part]:
    whole = Part(*asked(text))
    if len(whole.words) <= _LONG:
        yield whole
        return
    known: frozenset[str] = frozenset()
    wholes: frozenset[str] = frozenset()
    for piece in _pieces(text):
        found, made = asked(piece)
        if known and len(known | found) > _PART:
            yield Part(known, wholes)
            known, wholes = frozenset(), frozenset()
        known, wholes = known | found, wholes | made
    yield Part(known, wholes)


def _pieces(text: str) -> Iterable[str]:
    """The sentences and lines of a text; one that does not end is cut."""
    for piece in _BREAK.split(text):
        said = piece.split()
        yield from (" ".join(said[start : start + _PART]) for start in range(0, len(said), _PART))


@lru_cache(maxsize=1)
def _generic() -> frozenset[str]:
    return frozenset(map(stem, generic()))


def weights(question: Asked, figures: Figures) -> dict[str, float]:
    """What each word of a task weighs in a library."""
    return {term: weight(term, figures) for term in question.terms}


def weight(term: str, figures: Figures) -> float:
    """The surprise of meeting a word, in this library and in as many texts of everyday English beside it."""
    known = max(figures.frequency.get(term, 0), 1) + _BACKGROUND * chance(term) + 0.5
    return float(math.log(max(_LEAST, (figures.documents + _BACKGROUND + 1) / known)) ** _POWER)


def judge(document: Document, question: Asked, weighed: dict[str, float], figures: Figures) -> Meaning:
    """What a document has of a task."""
    has = _counts(document, weighed, figures)
    shares = {term: weighed[term] * count / (count + _SATURATION) for term, count in has.items()}
    best, best_beside, counted = 0.0, 0.0, frozenset[str]()
    for part in question.parts:
        total = sum(weighed[term] for term in part.words) or 1.0
        found = sum(shares.get(term, 0.0) for term in part.words | part.wholes)
        beside = sum(
            share * shares[term] for term, share in question.nearby.items() if term in shares and term not in part.words
        )
        if found + beside > (best + best_beside) * total:
            best, best_beside, counted = found / total, beside / total, part.words | part.wholes
    named = sorted(
        (term for term in shares if term in counted or term in question.nearby), key=lambda term: -shares[term]
    )
    if not _generic().isdisjoint(named) and _generic().issuperset(named):
        return Meaning(0.0)  # verbs for any work and names for any thing: that is no likeness
    told = tuple(question.spelling.get(term, term) for term in named)
    return Meaning(min(1.0, best), told, min(1.0, best_beside))


def share(spelt: Iterable[str], said: Sequence[Word], task: str, question: Asked, weighed: dict[str, float]) -> float:
    """How much of a task is what a pattern found in it: texts as they are spelt there, and words of a phrase.

    A text without a word in it, such as a bracket, is all that matters.
    """
    hit = {term for text in spelt for term in _around(text, task)}
    shares = [1.0] if not hit and not said else []
    for part in question.parts:
        total = sum(weighed[term] for term in part.words) or 1.0
        known = part.words | part.wholes
        found = {term for term in known if term in hit or any(meant(word, term) for word in said)}
        shares.append(sum(weighed[term] for term in found) / total)
    return max(shares, default=0.0)


def _around(text: str, task: str) -> frozenset[str]:
    """The terms of the words that a text lies in, where it is first found in a task."""
    start = task.find(text)
    if start < 0 or not any(map(str.isalnum, text)):
        return frozenset()
    end = start + len(text)
    while start and (task[start - 1].isalnum() or task[start - 1] == "_"):
        start -= 1
    while end < len(task) and (task[end].isalnum() or task[end] == "_"):
        end += 1
    return frozenset().union(*asked(task[start:end]))


def _counts(document: Document, weighed: dict[str, float], figures: Figures) -> dict[str, float]:
    """How often a document has each word, a count in a short or weighty field counting more."""
    fields = [
        (terms, factor / (1 - _LENGTH + _LENGTH * (terms.count(" ") - 1) / (average or 1.0)))
        for terms, factor, average in zip(document.fields, FIELD_WEIGHTS, figures.lengths, strict=True)
        if factor and terms
    ]
    has = {}
    for term in weighed:
        needle = f" {term} "
        count = sum(factor * terms.count(needle) for terms, factor in fields if needle in terms)
        if count:
            has[term] = count
    return has
