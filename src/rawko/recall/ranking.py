"""The free search: every document that has words of the query, the best first.

One saturation is over all evidence for a word: that the text has it, that its title or tags do, and that neighbours in
the same group have it. Lengths and distances are counted in words, so short turns of a conversation borrow from those
around them, and long texts are measured by how densely they speak of something. A group with several good documents
lifts each of them a little.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from typing import TYPE_CHECKING

from rawko.values.record import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rawko.values.document import Document, Figures

_SATURATION = 1.2
_LENGTH = 50.0
_NEIGHBOUR = 0.3
_REACH = 100.0
_ANSWER = 3.0
_STEPS = 2
_GROUP = 0.3
_BEST_OF_GROUP = 3
_VECTOR = 0.6
_VECTOR_BESIDE = 0.6
TITLE, PATTERNS, TAGS, BODY = range(4)
_WEIGHTS = (1.0, 1.0, 1.0)
"""What a word adds that is in the title, the patterns or the tags, beside what the text has of it."""


class Ranked(Record):
    """A document and what it is worth for a query, as a share of all that the query asks for."""

    document: Document
    score: float


def weights(terms: dict[str, float], figures: Figures) -> dict[str, float]:
    """What each term of a query weighs here; one that nothing has weighs most, against everything that lacks it."""
    return {term: asked * _surprise(figures.frequency.get(term, 0), figures.documents) for term, asked in terms.items()}


def rank(
    found: Sequence[Document], around: Sequence[Document], weighed: dict[str, float], near: Mapping[str, float]
) -> list[Ranked]:
    """What documents are worth for a query, the best first; `around` are these and their neighbours.

    `near` has the cosines of their vectors with the query's, where there are any.
    """
    total = sum(weighed.values()) or 1.0
    counts = _Counts(around, weighed)
    scores = {number: counts.score(one, weighed) for number, one in enumerate(found)}
    groups: dict[str, list[float]] = defaultdict(list)
    for number, one in enumerate(found):
        groups[one.group].append(scores[number])
    lifts = {
        group: _GROUP * sum(heapq.nlargest(_BEST_OF_GROUP, values)) / _BEST_OF_GROUP for group, values in groups.items()
    }
    ranked = []
    for number, one in enumerate(found):
        worth = (scores[number] + (lifts[one.group] if one.group else 0.0)) / total
        ranked.append(Ranked(one, worth + (_VECTOR * counts.nearness(one, near) if near else 0.0)))
    return sorted(ranked, key=lambda one: (-one.score, one.document.name))


def _surprise(frequency: int, documents: int) -> float:
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


class _Counts:
    """How often each document has each term of a query, and who stands beside whom."""

    def __init__(self, around: Sequence[Document], terms: dict[str, float]) -> None:
        self._needles = [(term, f" {term} ") for term in terms]
        self._at = {(one.group, one.position): one for one in around if one.group}
        self._counted: dict[tuple[str, str], dict[str, float]] = {}

    def score(self, document: Document, weighed: dict[str, float]) -> float:
        """What a document is worth, with what its neighbours have of the query."""
        evidence: dict[str, float] = dict(self._density(document))
        for term, needle in self._needles:
            beside = sum(weight for weight, terms in zip(_WEIGHTS, document.fields, strict=False) if needle in terms)
            if beside:
                evidence[term] = evidence.get(term, 0.0) + beside
        for other, nearness in neighbours(document, self._at):
            for term, density in self._density(other).items():
                evidence[term] = evidence.get(term, 0.0) + _NEIGHBOUR * nearness * density
        return sum(
            weighed[term] * (_SATURATION + 1) * amount / (amount + _SATURATION) for term, amount in evidence.items()
        )

    def nearness(self, document: Document, near: Mapping[str, float]) -> float:
        """How near a document is to the query, and a little how near those beside it are."""
        total, weight = near.get(document.name, 0.0), 1.0
        for other, nearness in neighbours(document, self._at):
            total += _VECTOR_BESIDE * nearness * near.get(other.name, 0.0)
            weight += _VECTOR_BESIDE * nearness
        return total / weight

    def _density(self, document: Document) -> dict[str, float]:
        """How often the text of a document has each term, beyond a modest length by its words."""
        key = (document.kind, document.name)
        if key not in self._counted:
            text = document.fields[BODY]
            scale = max(1.0, words_of(document) / _LENGTH)
            self._counted[key] = {term: text.count(needle) / scale for term, needle in self._needles if needle in text}
        return self._counted[key]


def words_of(document: Document) -> int:
    """The words of a document's text."""
    return max(1, document.fields[BODY].count(" ") - 1)


def neighbours(document: Document, at: dict[tuple[str, int], Document]) -> list[tuple[Document, float]]:
    """Who stands beside a document in its group, and how near: fading with the words between, more after a question."""
    if not document.group:
        return []
    found = []
    for step in (-1, 1):
        gap = words_of(document) / 2
        for distance in range(1, _STEPS + 1):
            other = at.get((document.group, document.position + step * distance))
            if other is None:
                break
            gap += words_of(other) / 2
            answers = step < 0 and distance == 1 and other.head.asks
            found.append((other, math.exp(-gap / _REACH) * (_ANSWER if answers else 1.0)))
            gap += words_of(other) / 2
    return found
