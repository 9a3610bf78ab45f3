"""One alternative of a pattern, as it was read: all that is needed to match it, without reading the pattern again."""

from __future__ import annotations

from typing import Any, NamedTuple

from rawko.values.text import folded

KEYS = (1, 2, 4, 8)
"""How many characters a key may have: few lengths, so that there are few keys to look for in a text."""

EFFORT = 2_000_000
"""Instructions times bytes that one pattern may cost RE2 on one text; at the worst rate that was measured, 50 ms."""


class Word(NamedTuple):
    """A word as it was written, in lower case, and the form in which it is compared."""

    text: str
    stem: str


class Alternative(NamedTuple):
    """One alternative of a pattern, told apart once: what it says, and what is needed to find it.

    kind is literal (one word), phrase (several), wildcard, regex, always or empty.
    """

    text: str
    kind: str
    literal: str = ""
    """The text itself, folded: any alternative also matches this."""
    gaps: tuple[str, ...] = ()
    """The folded texts of a wildcard, each after the one before it."""
    regexes: tuple[str, ...] = ()
    """What RE2 is asked, for folded text; any of them may match."""
    words: tuple[Word, ...] = ()
    """The specific words of a phrase."""
    key: str = ""
    """A piece that must be there for any reading but the words."""
    effort: int = EFFORT
    """The part of its pattern's effort that it may use."""


def fold(text: str) -> str:
    """The form in which texts and patterns are compared: case and composition ignored, white space folded."""
    return " ".join(folded(text).split())


def key(text: str) -> str:
    """The beginning of a text by which it is found, as long as a key can be."""
    return text[: max((size for size in KEYS if size <= len(text)), default=0)]


def packed(alternative: Alternative) -> list[Any]:
    """An alternative as it is kept; what is as usual is left out at the end, and a literal that is its own text."""
    values: list[Any] = list(alternative)
    if alternative.literal == alternative.text:
        values[2] = None
    while values and values[-1] in ("", (), EFFORT):
        values.pop()
    return values


def unpacked(values: list[Any]) -> Alternative:
    """An alternative from what was kept of it."""
    text, kind, literal, gaps, regexes, words, key, effort = (*values, *_USUAL[len(values) :])
    plain = text if literal is None else literal
    said = tuple(Word(*pair) for pair in words)
    return Alternative(text, kind, plain, tuple(gaps), tuple(regexes), said, key, effort)


_USUAL: tuple[Any, ...] = ("", "", "", (), (), (), "", EFFORT)
