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
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u109f\u1780-\u17d3\u17d7\u17dc\u17dd"
    "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_OPTIONAL = (
    "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u00ad\u200c\u200d"
)
"""What a word is written with or without: accents, the vowels of Hebrew and Arabic, and what only joins letters."""
_MARKED = ((0x0591, 0x1E00), (0xA66F, 0xAC00), (0x10A00, 0x12000))
"""Where the scripts are whose vowels are marks; a mark is no letter to `re`, and the words would end at each."""
_LETTERS = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
    | {"đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "TH", "\u0131": "i"}
)
"""Letters that are no others with an accent, as people write them who do not have them."""
_LATIN = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff"
_TOKEN = re.compile(r"\w+(?:[.\-/]\w+)*", re.ASCII)
_SEPARATORS = re.compile(r"[._\-/]+")
_PART = re.compile(r"[A-Z]{2,}(?=[A-Z][a-z])|[A-Z]{0,2}[a-z]+|[A-Z]+|\d+")
_RUN = rf"[{_LATIN}]+|\d+|[^\x00-\x7f{_LATIN}\d]\D*"
_HYPHENED = re.compile(r"[^\d_./\-]+(?:-[^\d_./\-]+)+")
_SIGNS = ("++", "C#", "c#", "F#", "f#", ".NET", ".Net", ".net", "Go", "C ", "R ", "in C", "in R")
_SIGNED = r"(?<![\w.#*$])(?:C\+\+|c\+\+(?![;)\]])|[CcFf]#|\.(?:NET|Net|net))(?![A-Za-z_#+])"
"""What is a name by its signs; neither `c++;` in a line of code nor the ending of a name with a dot in it."""
_CODE = (
    "api|bindings?|code(?:base)?|compiler|extensions?|files?|functions?|headers?|interfaces?|librar(?:y|ies)|modules?|packages?"
    "|programs?|projects?|routines?|scripts?|sdk|services?|sources?|structs?|tests?|toolchain|types?|wrappers?"
)
_CALLED = rf"(?<![\w.#*$'-])(?:Go|C|R)(?= (?i:{_CODE})\b)|(?<= in )(?:Go|C|R)(?![\w+#&'/:\\-]|\.\w)"
"""A language whose name is a letter or a little word: where it names code, or something is written in it."""
_SPOKEN = {"c++": "cpp", "c#": "csharp", "f#": "fsharp", ".net": "dotnet"}
LANGUAGES = {"go": "golang", "c": "clanguage", "r": "rlanguage"}
"""What these languages are called where they are meant, beside what they are spelt like."""


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


def spoken(text: str) -> str:
    """The text with odd names of languages as words: what is said of C++ is not said of C, and Go is no verb."""
    if not any(sign in text for sign in _SIGNS):
        return text
    return re.sub(_CALLED, _with_name, re.sub(_SIGNED, lambda found: _SPOKEN[found[0].lower()], text))


def _with_name(found: re.Match[str]) -> str:
    return f"{found[0]} {LANGUAGES[found[0].lower()]}"


def named(text: str) -> Iterator[tuple[str, ...]]:
    """The words of a text, each with every name that it goes by: an identifier is one word, whatever its parts."""
    for token in _tokens(text):
        if token.whole:
            yield (*token.parts, token.whole)
        else:
            yield from ((part,) for part in token.parts)


def _raw(text: str) -> list[str]:
    """The words of a text as they are written; in another script than ASCII, in one spelling and without accents."""
    text = spoken(text)
    if text.isascii():
        return _TOKEN.findall(text)
    import unicodedata  # noqa: PLC0415 - most texts do without

    apart = unicodedata.normalize("NFKD", text.encode(errors="replace").decode())
    plain = unicodedata.normalize("NFC", _scripts().optional.sub("", apart)).translate(_LETTERS)
    return (_marks().token if _scripts().marked.search(plain) else _scripts().token).findall(plain)


class _Scripts(NamedTuple):
    """How words are told apart beyond ASCII; made when a text first needs it, for it takes a while."""

    token: re.Pattern[str]
    unspaced: re.Pattern[str]
    optional: re.Pattern[str]
    marked: re.Pattern[str]


class _Marks(NamedTuple):
    """The same where letters have marks; it takes longer, and most texts do without."""

    token: re.Pattern[str]
    cluster: re.Pattern[str]


@lru_cache(maxsize=1)
def _scripts() -> _Scripts:
    token = re.compile(rf"[{_UNSPACED}]+|(?=\w)(?:[.\-/]?[^\W{_UNSPACED}]+)+")
    marked = "".join(f"{chr(first)}-{chr(last - 1)}" for first, last in _MARKED)
    return _Scripts(token, *(re.compile(f"[{chars}]") for chars in (_UNSPACED, _OPTIONAL, marked)))


@lru_cache(maxsize=1)
def _marks() -> _Marks:
    import unicodedata  # noqa: PLC0415 - most texts do without

    chars = (chr(point) for first, last in _MARKED for point in range(first, last))
    marks = "".join(char for char in chars if unicodedata.category(char)[0] == "M")
    token = re.compile(rf"[{_UNSPACED}]+|(?=\w)(?:[.\-/]?[^\W{_UNSPACED}]+|[{marks}]+)+")
    return _Marks(token, re.compile(rf".[{marks}]*", re.DOTALL))


def _tokens(text: str) -> Iterator[Token]:
    return map(_token, _raw(text))


@lru_cache(maxsize=1 << 13)
def _token(raw: str) -> Token:
    if not raw[0].isascii() and _scripts().unspaced.match(raw):
        return Token(tuple(_pairs(raw)))
    parts = tuple(part.lower()[:LONGEST] for piece in _SEPARATORS.split(raw) for part in _parts(piece))
    is_one = len(parts) < 2 or _HYPHENED.fullmatch(raw)  # noqa: PLR2004 - a whole has at least two parts
    return Token(parts, "" if is_one else _SEPARATORS.sub("", raw.lower())[:LONGEST])


def _parts(piece: str) -> Iterator[str]:
    """Where a piece of an identifier changes its case, its script or to digits; a word with an odd letter is one."""
    for run in [piece] if piece.isascii() else re.findall(_RUN, piece):
        if run.isascii():
            yield from _PART.findall(run)
        else:
            yield run


def _pairs(raw: str) -> Iterator[str]:
    """Every two neighbours of a text without spaces, each letter with its marks."""
    letters = _marks().cluster.findall(raw) if _scripts().marked.search(raw) else raw
    return ("".join(letters[start : start + 2])[:LONGEST] for start in range(max(1, len(letters) - 1)))


@lru_cache(maxsize=1 << 16)
def _terms(raw: str) -> tuple[str, ...]:
    token = _token(raw)
    return tuple(map(stem, (*token.parts, token.whole) if token.whole else token.parts))
