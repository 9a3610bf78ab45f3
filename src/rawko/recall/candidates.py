"""Which documents may answer a question, without looking at a single one of them.

The table of words says which documents have a term at which level, and so about what each has of a task; the table of
patterns says which documents have one that may hit. The best by that alone are then judged in full.
"""

from __future__ import annotations

import heapq
import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rawko.recall import entries, pattern
from rawko.recall.phrase import SHORTEST_PREFIX
from rawko.values.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rawko.recall.pattern import Haystack
    from rawko.store.table import Table

_POSTINGS, _PER_PART = 2000, 500
"""About so many documents are met in the lists of all terms, and so many more for each further part."""
_AT_LEAST = 2
"""So many lists of each part are read, however long they are."""
_CALLED = 8
"""Beside the best by what they share with a task, so many whose patterns hit, the most important ones."""
_ANYWAY = 10
_ENOUGH = 0.25
"""What share of the best another one needs to be looked at; a few are in any case, and those whose patterns hit."""
_TIED = 200
"""So many are looked at where the last ones are tied: what decides between them is not known here."""
_ROUGHLY = 100
_PATTERN = 0.06
_PHRASE = 0.025
"""What a hit of a pattern is worth, and a word of a phrase, beside the share of the task that a document has."""
_PER_PATTERN = 200
_BETWEEN = "\x1e"
_LONG = 20_000
"""Characters of texts whose pieces are too many to be asked about one by one."""
_ALL_KEYS = "SELECT DISTINCT key FROM alternative"
_LEVELS = "SELECT term, first, second, third FROM term WHERE term IN (SELECT value FROM json_each(?))"
_HAVING = "SELECT rowid FROM word WHERE word MATCH ?"
_ALTERNATIVES = """
SELECT key, needle FROM alternative WHERE key IN (SELECT value FROM json_each(?1)) AND CASE
WHEN needle >= ' ' THEN instr(?2, needle) WHEN needle >= char(31) THEN ?2 GLOB substr(needle, 2) ELSE 1 END
"""
_HAS = "SELECT document, worth FROM has WHERE alternative = ? ORDER BY worth DESC LIMIT ?"
_WORTH = "SELECT document, worth FROM standing WHERE document IN (SELECT value FROM json_each(?))"


class Question(Record):
    """What is asked for: terms with what they weigh, part by part, and the task in which patterns may hit.

    A document is worth what it has of the part that it has most of, and of what is `around`, which only ever adds. The
    `generic` terms count where there is another one. A question that is `strict` goes by patterns alone.
    """

    parts: tuple[dict[str, float], ...]
    around: Mapping[str, float] = MappingProxyType({})
    generic: frozenset[str] = frozenset()
    haystack: Haystack | None = None
    least: int = 0
    """The least importance that matters, as a number."""
    strict: bool = False
    most: int = 20
    """About so many are wanted."""


def of(table: Table, question: Question) -> list[int]:
    """The rows of the documents that may answer a question: the best by words, and the best whose pattern may hit.

    The numbers of the rows decide nothing: they are others in an index that was built anew.
    """
    worth = _by_pattern(table, question.haystack)
    called = frozenset(worth)
    if question.strict:
        return heapq.nlargest(max(question.most, _TIED), called, key=worth.__getitem__)
    own, around = _shares(table, question, called)
    found = _best(table, question, worth, own, called)
    if around:  # what has more of what is around than of the task itself may not push the others out
        beside = {number: own.get(number, 0.0) + around.get(number, 0.0) for number in {*own, *around}}
        found += _best(table, question, worth, beside, called)
    most_important = heapq.nlargest(
        _CALLED, called, key=lambda number: (entries.rank_of(worth[number]), own.get(number, 0.0), worth[number])
    )
    return list(dict.fromkeys([*found, *most_important]))


def _best(
    table: Table, question: Question, worth: dict[int, int], own: dict[int, float], called: frozenset[int]
) -> list[int]:
    """Those that have most of a question, as many as are wanted and not far below the best."""
    limit = question.most
    weights = own | {number: own.get(number, 0.0) + _PATTERN for number in called}
    _weigh(table, worth, weights, max(limit, _ROUGHLY), question.least)

    def by_weight(number: int) -> tuple[float, ...]:
        return (entries.rank_of(worth[number]) >= question.least, weights[number], worth[number])

    known = weights.keys() & worth.keys()
    if not question.haystack:  # a search goes on: neighbours may lift what has little itself
        return heapq.nlargest(limit, known, key=by_weight)
    best = heapq.nlargest(max(limit, _TIED), known, key=by_weight)
    enough = _ENOUGH * max((own.get(number, 0.0) for number in best), default=0.0)
    last = weights[best[limit - 1]] if len(best) >= limit else 0.0
    some = [number for number in best[_ANYWAY:limit] if number in called or own[number] >= enough]
    return [*best[:_ANYWAY], *some, *(number for number in best[limit:] if weights[number] == last >= enough)]


def _weigh(table: Table, worth: dict[int, int], weights: dict[int, float], wanted: int, least: int) -> None:
    """Look up the worth of the weightiest, until so many are found that may go in at all."""
    while True:
        bar = min(heapq.nlargest(wanted, weights.values()), default=0.0)
        roughly = [number for number, weight in weights.items() if weight >= bar]
        missing = [number for number in roughly if number not in worth]
        worth.update(table.ask(_WORTH, json.dumps(missing)) if missing else ())
        able = sum(entries.rank_of(worth[number]) >= least for number in roughly)
        if able >= min(wanted, _ROUGHLY) or len(roughly) == len(weights):
            return
        wanted *= 4


def _shares(table: Table, question: Question, called: frozenset[int]) -> tuple[dict[int, float], dict[int, float]]:
    """About what share each document has of the part that it has most of, as far as one can go; and what is around."""
    phrases = _of_phrases(question.haystack)
    parts: list[dict[int, float]] = [{} for _ in question.parts]
    around: dict[int, float] = {}
    said: dict[int, float] = {}
    reached = set(called)
    for term, share, among, found in _read(table, question, phrases):
        if term not in question.generic:
            reached.update(found)
        rows = found & reached
        for number in among:
            _add(parts[number], rows, share * question.parts[number][term])
        _add(around, rows, share * question.around.get(term, 0.0))
        _add(said, rows, phrases.get(term, 0.0))
    best, *others = parts
    for has in others:
        for number, weight in has.items():
            best[number] = max(weight, best.get(number, 0.0))
    for number, weight in said.items():
        best[number] = best.get(number, 0.0) + weight
    return best, around


def _add(has: dict[int, float], rows: Iterable[int], weight: float) -> None:
    if weight:
        for number in rows:
            has[number] = has.get(number, 0.0) + weight


def _read(
    table: Table, question: Question, phrases: dict[str, float]
) -> Iterator[tuple[str, float, list[int], set[int]]]:
    """Terms, how much a document has of each, the parts that it is in, and the documents; the most telling first."""
    where: dict[str, list[int]] = {}
    for number, part in enumerate(question.parts):
        for term in part:
            where.setdefault(term, []).append(number)
    left = _POSTINGS + _PER_PART * (len(question.parts) - 1)
    read = [0] * len(question.parts)
    for _, _, size, token, term, share in sorted(_lists(table, question, phrases), reverse=True):
        among = where.get(term, [])
        if size <= left or any(read[number] < _AT_LEAST for number in among):
            left -= size
            for number in among:
                read[number] += 1
            yield term, share, among, {number for (number,) in table.ask(_HAVING, f'"{token}"')}


def _lists(table: Table, question: Question, phrases: dict[str, float]) -> Iterator[tuple[Any, ...]]:
    """Every list of documents there is for the terms of a question: what it weighs, its length, what it goes by."""
    weights = dict(question.around)
    for part in question.parts:
        for term, weight in part.items():
            weights[term] = max(weight, weights.get(term, 0.0))
    for term, *sizes in table.ask(_LEVELS, json.dumps([*weights, *phrases])):
        for level, (share, size) in enumerate(zip(entries.LEVELS, sizes, strict=True)):
            if size:
                weight = phrases.get(term) or share * weights[term]
                yield term not in question.generic, weight, size, term + entries.LEVEL * level, term, share


def _by_pattern(table: Table, haystack: Haystack | None) -> dict[int, int]:
    """The documents with a pattern that may hit, the best of those with each such pattern, and their worth."""
    found: dict[int, int] = {}
    if haystack is not None:
        texts = (haystack.text, haystack.agent, haystack.plan.folded, haystack.history.folded)
        asked = [entries.storable(text) for text in texts if text]
        untouched = haystack.anew()  # what is spent here is not to be missed when the candidates are judged
        for key, needle in table.ask(_ALTERNATIVES, json.dumps(_keys(table, asked)), _BETWEEN.join(asked)):
            if not needle.startswith(entries.ONLY_READ) or _hits(needle[1:], untouched):
                found.update(table.ask(_HAS, entries.number_of(key, needle), _PER_PATTERN))
    return found


def _keys(table: Table, texts: list[str]) -> list[str]:
    """Every key that a pattern could have that hits in these texts; of long ones, those that there are."""
    if sum(map(len, texts)) > _LONG:
        return [key for (key,) in table.ask(_ALL_KEYS) if any(key in text for text in texts)]
    pieces = (
        text[start : start + size] for text in texts for size in pattern.KEYS for start in range(len(text) - size + 1)
    )
    return list({"", *pieces})


def _hits(text: str, haystack: Haystack) -> bool:
    return any(pattern.judge(text, one, haystack) for one in pattern.read(text))


def _of_phrases(haystack: Haystack | None) -> dict[str, float]:
    """The terms under which a phrase is found that has a word of the task, or the beginning of one."""
    texts = (haystack.task, haystack.plan, haystack.history) if haystack else ()
    stems = {stem for text in texts for stem in text.stems}
    ends = ((stem, end) for stem in stems for end in {len(stem), *range(SHORTEST_PREFIX, len(stem))})
    return {f"{entries.PHRASE}{stem[:end]}": _PHRASE for stem, end in ends}
