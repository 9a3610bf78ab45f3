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
from collections import Counter
from typing import TYPE_CHECKING

from rawko.recall.phrase import begins, is_generic, meant
from rawko.values.everyday import chance
from rawko.values.record import Record
from rawko.values.stems import stem
from rawko.values.words import LANGUAGES, asked, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
_MOST = 0.75
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
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


class Scale(Record):
    """A task on the scale of one library: what each word weighs, each part in all, and in which parts a word is."""

    question: Asked
    figures: Figures
    weights: dict[str, float]
    totals: tuple[float, ...]
    where: dict[str, tuple[int, ...]]
    needles: tuple[tuple[str, str], ...]
    """Each word, and how it stands in a field."""
    generic: frozenset[str]
    """The verbs for any work and the names for any thing among the words."""

    @classmethod
    def of(cls, question: Asked, figures: Figures) -> Scale:
        """The scale for a task in a library."""
        weights = {term: weight(term, figures) for term in sorted(question.terms)}
        totals = tuple(sum(weights[term] for term in part.words) or 1.0 for part in question.parts)
        where: dict[str, tuple[int, ...]] = {}
        for number, part in enumerate(question.parts):
            for term in part.words | part.wholes:
                where[term] = (*where.get(term, ()), number)
        needles = tuple((term, f" {term} ") for term in weights)
        generic = frozenset(term for term in weights if is_generic(question.spelling.get(term, term)))
        return cls(question, figures, weights, totals, where, needles, generic)

    @property
    def parts(self) -> tuple[dict[str, float], ...]:
        """What share of each part its words are."""
        pairs = zip(self.question.parts, self.totals, strict=True)
        return tuple(
            {term: self.weights[term] / total for term in sorted(part.words | part.wholes)} for part, total in pairs
        )

    @property
    def around(self) -> dict[str, float]:
        """What the words of the plan and the history add, beside the weightiest part."""
        return {term: much * self.weights[term] / max(self.totals) for term, much in self.question.nearby.items()}

    def shares(self, found: Mapping[str, float]) -> list[float]:
        """What the weights of some words are of each part."""
        sums = [0.0] * len(self.totals)
        for term, amount in found.items():
            for number in self.where.get(term, ()):
                sums[number] += amount
        return [amount / total for amount, total in zip(sums, self.totals, strict=True)]


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
    """The paragraphs of a task, a long one in pieces: a log that was pasted under a request does not drown it."""
    found = (part for paragraph in _PARAGRAPH.split(text) for part in _parts_of(paragraph))
    return [part for part in found if part.words | part.wholes] or [Part(frozenset(), frozenset())]


def _part(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a piece and the identifiers made of them; bare numbers in a long text are times and counts."""
    found, made = asked(text)
    return frozenset(word for word in found if not word.isdecimal()), made


def _parts_of(text: str) -> Iterable[Part]:
    whole = Part(*asked(text))
    if len(whole.words) <= _LONG:
        yield whole
        return
    known: frozenset[str] = frozenset()
    wholes: frozenset[str] = frozenset()
    for piece in _pieces(text):
        found, made = _part(piece)
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


def weight(term: str, figures: Figures) -> float:
    """The surprise of meeting a word, in this library and in as many texts of everyday English beside it."""
    known = max(figures.frequency.get(term, 0), 1) + _BACKGROUND * chance(term) + 0.5
    return float(math.log(max(_LEAST, (figures.documents + _BACKGROUND + 1) / known)) ** _POWER)


def judge(document: Document, scale: Scale) -> Meaning:
    """What a document has of a task."""
    has = _counts(document, scale)
    shares = {term: scale.weights[term] * count / (count + _SATURATION) for term, count in has.items()}
    named = sorted(shares, key=lambda term: (-shares[term], term))
    if scale.generic.issuperset(named):
        return Meaning(0.0)  # that is no likeness
    value, beside, number = _best(shares, scale)
    question = scale.question
    counted = question.parts[number].words | question.parts[number].wholes
    told = (term for term in named if term in counted or term in question.nearby)
    return Meaning(min(1.0, value), tuple(question.spelling.get(term, term) for term in told), min(1.0, beside))


def _best(shares: dict[str, float], scale: Scale) -> tuple[float, float, int]:
    """What is had of the part that is had most of, what the plan and the history add to it, and which part it is."""
    nearby = scale.question.nearby
    beside = {term: nearby[term] * share for term, share in shares.items() if term in nearby}
    around, inside = sum(beside.values()), scale.shares(beside)
    found = [
        (own, around / total - double, -number)
        for number, (own, total, double) in enumerate(zip(scale.shares(shares), scale.totals, inside, strict=True))
    ]
    own, more, number = max(found, key=lambda one: (one[0] + one[1], one[2]))
    return own, more, -number


def share(spelt: Iterable[str], said: Sequence[Word], task: str, scale: Scale) -> float:
    """How much of a task is what a pattern found in it: texts as they are spelt there, and words of a phrase.

    A text without a word in it, such as a bracket, is all that matters.
    """
    hit = {term for text in spelt for term in _around(text, task)}
    if not said and not any(map(str.isalnum, "".join(spelt))):
        return 1.0
    found = (term for term in scale.where if term in hit or any(meant(word, term) for word in said))
    return max(scale.shares({term: scale.weights[term] for term in found}), default=0.0)


def _around(text: str, task: str) -> frozenset[str]:
    """The terms of the words that a text lies in, where it begins with one; none where it lies inside of words."""
    start = _at_a_word(text, task)
    if start < 0:
        return frozenset()
    parts, wholes = asked(task[slice(*_bounds(start, text, task, "_"))])
    return parts | wholes | ({stem(LANGUAGES[text])} if text in LANGUAGES else frozenset())


def _at_a_word(text: str, task: str) -> int:
    """Where a text begins with a word of the task or is most of one; -1 where it lies inside words.

    `auth` begins `authentication` and is most of `oauth`. But `ecosystem` is not about `stem`, nor `portfolio` about
    `port`.
    """
    start = task.find(text)
    while start > 0 and text[0].isalnum() and not _is_most_of_its_word(start, text, task):
        start = task.find(text, start + 1)
    return start


def _is_most_of_its_word(start: int, text: str, task: str) -> bool:
    first, last = _bounds(start, text, task)
    return len(text) >= _MOST * (last - first) or (first == start and begins(text, task[first:last]))


def _bounds(start: int, text: str, task: str, more: str = "") -> tuple[int, int]:
    """Where the words begin and end that a text lies in; `more` are signs that count as letters."""
    end = start + len(text)
    while start and (task[start - 1].isalnum() or task[start - 1] in more):
        start -= 1
    while end < len(task) and (task[end].isalnum() or task[end] in more):
        end += 1
    return start, end


def counts(document: Document, lengths: Sequence[float]) -> dict[str, float]:
    """What each term of a document counts, those of every field: nothing where only a tag has it."""
    has: dict[str, float] = {}
    for terms, factor in _fields(document, lengths):
        for term, count in Counter(terms.split()).items():
            has[term] = has.get(term, 0.0) + factor * count
    return has


def _counts(document: Document, scale: Scale) -> dict[str, float]:
    """How often a document has each word, a count in a short or weighty field counting more."""
    has: dict[str, float] = {}
    for terms, factor in _fields(document, scale.figures.lengths):
        if factor:
            for term, needle in scale.needles:
                if needle in terms:
                    has[term] = has.get(term, 0.0) + factor * terms.count(needle)
    return has


def _fields(document: Document, lengths: Sequence[float]) -> Iterable[tuple[str, float]]:
    """The terms of each field with what one of them counts: the less, the longer the field is beside others."""
    for terms, factor, usual in zip(document.fields, FIELD_WEIGHTS, lengths, strict=True):
        if terms:
            yield terms, factor / (1 - _LENGTH + _LENGTH * (terms.count(" ") - 1) / (usual or 1.0))
