"""A free query as the terms that it asks for, and times as the words that people use for them."""

from __future__ import annotations

import re

from rawko.values.stems import stem
from rawko.values.words import STOP_WORDS, words

_ASIDE = 0.3
_REQUESTS = """
list mention mentioned tell give describe explain summarize summarise summary show suggest recommend help please item
items conversation conversations discuss discussed chat chats talk talked say said many much kind type sort thing things
"""
_REQUEST = frozenset(_REQUESTS.split())
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_DATE = re.compile(r"\b(\d{4})-(\d{1,2})(?:-(\d{1,2}))?(?:[T ]\d{1,2}:\d{2}\S*)?(?!\d)")
_CLOCK = re.compile(r"\b\d{1,2}:\d{2}(?::\d{2})?\s*(?:[ap]m\b)?", re.IGNORECASE)


def query_terms(query: str) -> dict[str, float]:
    """The terms of a query with their weights: little words and words that only ask for something count less."""
    found: dict[str, float] = {}
    for word in words(spelled(query)):
        weight = _ASIDE if word in STOP_WORDS or word in _REQUEST else 1.0
        found[stem(word)] = max(found.get(stem(word), 0.0), weight)
    return found


def spelled(text: str) -> str:
    """The text with its ISO dates written out, so that 2023-05-08 meets `8 May 2023`."""
    return _DATE.sub(_in_words, text)


def time_words(text: str) -> str:
    """A time as it is searched for: the date in words, without the clock."""
    return _CLOCK.sub(" ", spelled(text)).replace("-", " ")


def _in_words(date: re.Match[str]) -> str:
    month = int(date[2])
    if not 1 <= month <= len(_MONTHS):
        return date[0]
    return f" {int(date[3]) if date[3] else ''} {_MONTHS[month - 1]} {date[1]} "
