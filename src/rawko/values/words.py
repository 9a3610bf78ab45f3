"""Text as the terms that it is found by: words of any script, without the little ones, in their plain form."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rawko.values.stems import stem

if TYPE_CHECKING:
    from collections.abc import Iterator

_LITTLE = """
a about above after again against all also am an and any are aren as at be because been before being below between both
but by can cannot could couldn d did didn do does doesn doing don done down during each either else etc ever every few
for from further get gets got had has hasn have haven having he her here hers him his how however i if in into is isn it
its itself just let lets like ll m may me might more most much must my myself neither no nor not now of off on once only
onto or other our ours out over own per please pls rather re s same shall she should shouldn since so some such t than
that the their theirs them then there these they this those through thus to too under until up upon us ve very via was
wasn we were weren what when where whether which while who whom whose why will with within without won would wouldn yet
you your yours
"""
STOP_WORDS = frozenset(_LITTLE.split())
"""Words that say nothing about what a text is about."""

LONGEST = 48
"""Characters of a term; what is longer is data, not a word, and is cut."""

_UNSPACED = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_TOKEN = re.compile(r"\w+(?:[.\-/]\w+)*", re.ASCII)
_SEPARATORS = re.compile(r"[._\-/]+")
_PART = re.compile(r"[A-Z]{2,}(?=[A-Z][a-z])|[A-Z]{0,2}[a-z]+|[A-Z]+|\d+|[^\W\d_]+")
_HYPHENED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")


class Token(NamedTuple):
    """What one word of a text comes to: its parts, and the whole of an identifier, a path or a version."""

    parts: tuple[str, ...]
    whole: str = ""


def words(text: str) -> Iterator[str]:
    """The words of a text in lower case: an identifier as its parts and as a whole, unspaced scripts in pairs."""
    for token in _tokens(text):
        yield from token.parts
        if token.whole:
            yield token.whole


def terms(text: str) -> list[str]:
    """What a text is found by: its words in their plain form, in order."""
    return [term for raw in _raw(text) for term in _terms(raw)]


def asked(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The terms that a task is about, without little words, and the identifiers in it, whose parts are among them."""
    parts: set[str] = set()
    wholes: set[str] = set()
    for token in _tokens(text):
        kept = (part for part in token.parts if part not in STOP_WORDS and (len(part) > 1 or not part.isascii()))
        parts.update(map(stem, kept))
        if token.whole:
            wholes.add(stem(token.whole))
    return frozenset(parts), frozenset(wholes - parts)


def _raw(text: str) -> list[str]:
    """The words of a text as they are written; in another script than ASCII, in one spelling and without accents."""
    if text.isascii():
        return _TOKEN.findall(text)
    import unicodedata  # noqa: PLC0415 - most texts do without

    apart = unicodedata.normalize("NFKD", text.encode(errors="replace").decode())
    plain = unicodedata.normalize("NFC", _scripts().marks.sub("", apart))
    return _scripts().token.findall(plain)


class _Scripts(NamedTuple):
    """How words are told apart beyond ASCII; made when a text first needs it, for it takes a while."""

    token: re.Pattern[str]
    unspaced: re.Pattern[str]
    marks: re.Pattern[str]


@lru_cache(maxsize=1)
def _scripts() -> _Scripts:
    token = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+(?:[.\-/][^\W{_UNSPACED}]+)*")
    return _Scripts(token, re.compile(f"[{_UNSPACED}]"), re.compile("[\u0300-\u036f]"))


def _tokens(text: str) -> Iterator[Token]:
    return map(_token, _raw(text))


@lru_cache(maxsize=1 << 13)
def _token(raw: str) -> Token:
    if not raw[0].isascii() and _scripts().unspaced.match(raw):
        return Token(tuple(raw[start : start + 2] for start in range(max(1, len(raw) - 1))))
    pieces = (part for piece in _SEPARATORS.split(raw) for part in _PART.findall(piece))
    parts = tuple(part.lower()[:LONGEST] for part in pieces)
    is_one = len(parts) < 2 or _HYPHENED.fullmatch(raw)  # noqa: PLR2004 - a whole has at least two parts
    return Token(parts, "" if is_one else _SEPARATORS.sub("", raw.lower())[:LONGEST])


@lru_cache(maxsize=1 << 14)
def _terms(raw: str) -> tuple[str, ...]:
    token = _token(raw)
    return tuple(map(stem, (*token.parts, token.whole) if token.whole else token.parts))
