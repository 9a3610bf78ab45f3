"""Search: the free query, over everything that has an index."""

from __future__ import annotations

import heapq
import re
from typing import TYPE_CHECKING

from rawko.recall import ranking
from rawko.recall.candidates import Question
from rawko.values.queries import query_terms
from rawko.values.text import one_line
from rawko.values.words import STOP_WORDS, terms

if TYPE_CHECKING:
    from collections.abc import Callable

    from rawko.recall.index import Index
    from rawko.recall.ranking import Ranked
    from rawko.values.document import Document

_CANDIDATES = 400
_STEPS = 2
_NEAREST = 100
_NEAR_ENOUGH = 0.25
"""The cosine from which a document is found that has no word of the query."""
_FILTERED = 10_000
_SNIPPET = 160
_MARKS = re.compile(r"\A\s*(?:(?:#+|[-*+>|]|\d+[.)])\s+)*|\s*\|?\s*\Z")
_BREAK = re.compile(r"\n+|(?<=[.!?])\s+")


def snippet(text: str, query: str) -> str:
    """The piece of a text that has most of a query, on one line."""
    wanted = {term for term, weight in query_terms(query).items() if weight == 1.0} or set(query_terms(query))
    pieces = [_MARKS.sub("", piece) for piece in _BREAK.split(text) if not piece.isspace()]
    best = max(pieces, key=lambda piece: len(wanted.intersection(terms(piece))), default="")
    line = one_line(best)
    return line if len(line) <= _SNIPPET else f"{line[:_SNIPPET].rsplit(' ', 1)[0]} ..."


def search(index: Index, query: str, wanted: Callable[[Document], bool] | None = None, least: int = 10) -> list[Ranked]:
    """The documents that have words of a query, or mean about the same, the best first.

    Where a filter leaves fewer than so many of the best, it is asked of many more.
    """
    found = _search(index, query, wanted, _CANDIDATES)
    return found if wanted is None or len(found) >= least else _search(index, query, wanted, _FILTERED)


def _search(index: Index, query: str, wanted: Callable[[Document], bool] | None, most: int) -> list[Ranked]:
    asked = query_terms(query)
    figures = index.figures(asked)
    weighed = ranking.weights(asked, figures)
    little = set(asked) <= STOP_WORDS  # only then are little words what is searched for
    telling = {term: weight for term, weight in weighed.items() if little or term not in STOP_WORDS}
    found = index.candidates(Question((telling,), most=most))
    near = index.nearness(query, found)
    known = {one.name for one in found}
    enough = (name for name in near if near[name] >= _NEAR_ENOUGH)
    others = [name for name in heapq.nlargest(_NEAREST, enough, key=near.__getitem__) if name not in known]
    found += index.named(others) if others else []
    everyone = {one.name: one for one in (*found, *index.around(found, _STEPS))}
    kept = [one for one in everyone.values() if wanted is None or wanted(one)]
    return [one for one in ranking.rank(kept, list(everyone.values()), weighed, near) if one.score > 0]
