"""Which documents may answer a question, without looking at a single one of them.

The table of words says which documents have a term at which level, and so about what each has of a task; the table of
patterns says which documents have one that may hit. The best by that alone are then judged in full.
"""

from __future__ import annotations

import heapq
import json
from typing import TYPE_CHECKING

from rawko.recall import entries, pattern
from rawko.recall.phrase import SHORTEST_PREFIX
from rawko.values.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rawko.recall.pattern import Haystack
    from rawko.store.table import Table

_POSTINGS = 2000
_AT_LEAST = 2
_CALLED = 8
"""Beside the best by what they share with a task, so many whose patterns hit, the most important ones."""
_ANYWAY = 10
_ENOUGH = 0.25
"""What share of the best another one needs to be looked at; a few are in any case."""
_TIED = 200
"""So many are looked at where the last ones are tied: what decides between them is not known here."""
_ROUGHLY = 100
_PATTERN = 5.0
_PHRASE = 2.0
_PER_PATTERN = 100
_BETWEEN = "\x1e"
_LEVELS = "SELECT term, first, second, third FROM term WHERE term IN (SELECT value FROM json_each(?))"
_HAVING = "SELECT rowid FROM word WHERE word MATCH ?"
_ALTERNATIVES = """
SELECT key, needle FROM alternative WHERE key IN (SELECT value FROM json_each(?1)) AND CASE
WHEN needle >= ' ' THEN instr(?2, needle) WHEN needle >= char(31) THEN ?2 GLOB substr(needle, 2) ELSE 1 END
"""
_HAS = "SELECT document, worth FROM has WHERE alternative = ? ORDER BY worth DESC LIMIT ?"
_WORTH = "SELECT document, worth FROM standing WHERE document IN (SELECT value FROM json_each(?))"


class Question(Record):
    """What is asked for: terms with their weights, and the task in which patterns may hit."""

    terms: dict[str, float]
    haystack: Haystack | None = None
    least: int = 0
    """The least importance that matters, as a number."""


def of(table: Table, question: Question, limit: int) -> list[int]:
    """The rows of the documents that may answer a question: the best by words, and the best whose pattern may hit.

    The numbers of the rows decide nothing: they are others in an index that was built anew.
    """
    worth = _by_pattern(table, question.haystack)
    called = frozenset(worth)
    weights = dict.fromkeys(worth, _PATTERN)
    for weight, rows in _by_term(table, question):
        for (number,) in rows:
            weights[number] = weights.get(number, 0.0) + weight
    bar = min(heapq.nlargest(max(limit, _ROUGHLY), weights.values()), default=0.0)
    roughly = [number for number, weight in weights.items() if weight >= bar and number not in called]
    worth.update(table.ask(_WORTH, json.dumps(roughly)))

    def by_weight(number: int) -> tuple[float, ...]:
        return (entries.rank_of(worth[number]) >= question.least, weights[number], worth[number])

    def by_rank(number: int) -> tuple[float, ...]:
        return (entries.rank_of(worth[number]), weights[number], worth[number])

    best = heapq.nlargest(max(limit, _TIED) if question.haystack else limit, worth, key=by_weight)
    if question.haystack:  # a search goes on: neighbours may lift what has little itself
        own = {number: weights[number] - _PATTERN * (number in called) for number in best}
        enough = _ENOUGH * max(own.values(), default=0.0)
        last = weights[best[limit - 1]] if len(best) >= limit else 0.0
        some = [number for number in best[_ANYWAY:limit] if own[number] >= enough]
        best = [*best[:_ANYWAY], *some, *(number for number in best[limit:] if weights[number] == last >= enough)]
    return list(dict.fromkeys([*best, *heapq.nlargest(_CALLED, called, key=by_rank)]))


def _by_term(table: Table, question: Question) -> Iterator[tuple[float, list[tuple[int]]]]:
    """The documents that have a term at a level, and what that weighs, the most telling first, as far as one can go."""
    left = _POSTINGS
    for number, (weight, size, token) in enumerate(sorted(_lists(table, question), reverse=True)):
        if size <= left or number < _AT_LEAST:
            left -= size
            yield weight, table.ask(_HAVING, f'"{token}"')


def _lists(table: Table, question: Question) -> Iterator[tuple[float, int, str]]:
    """Every list of documents there is for the terms of a question: what it weighs, its length, what it goes by."""
    phrases = _of_phrases(question.haystack)
    for term, *sizes in table.ask(_LEVELS, json.dumps([*question.terms, *phrases])):
        weight = question.terms.get(term, 0.0)
        for level, (share, size) in enumerate(zip(entries.LEVELS, sizes, strict=True)):
            if size:
                yield phrases.get(term) or weight * share, size, term + entries.LEVEL * level


def _by_pattern(table: Table, haystack: Haystack | None) -> dict[int, int]:
    """The documents with a pattern that may hit, the best of those with each such pattern, and their worth."""
    found: dict[int, int] = {}
    if haystack is not None:
        texts = [
            text for text in (haystack.text, haystack.agent, haystack.plan.folded, haystack.history.folded) if text
        ]
        keys = json.dumps([*{"", *(text[start:end] for text in texts for start, end in _keys(len(text)))}])
        for key, needle in table.ask(_ALTERNATIVES, keys, entries.storable(_BETWEEN.join(texts))):
            if not needle.startswith(entries.ONLY_READ) or _hits(needle[1:], haystack):
                found.update(table.ask(_HAS, entries.number_of(key, needle), _PER_PATTERN))
    return found


def _hits(text: str, haystack: Haystack) -> bool:
    return any(pattern.judge(text, one, haystack) for one in pattern.read(text))


def _of_phrases(haystack: Haystack | None) -> dict[str, float]:
    """The terms under which a phrase is found that has a word of the task, or the beginning of one."""
    texts = (haystack.task, haystack.plan, haystack.history) if haystack else ()
    stems = {stem for text in texts for stem in text.stems}
    ends = ((stem, end) for stem in stems for end in {len(stem), *range(SHORTEST_PREFIX, len(stem))})
    return {f"{entries.PHRASE}{stem[:end]}": _PHRASE for stem, end in ends}


def _keys(length: int) -> Iterator[tuple[int, int]]:
    """Where every key lies that a pattern could have that hits in a text of this length."""
    return ((start, start + size) for size in pattern.KEYS for start in range(length - size + 1))
