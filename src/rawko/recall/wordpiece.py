"""Text as numbers of word pieces, the way the uncased BERT models were trained to see it, in plain Python.

A text loses case and accents, breaks at spaces and around each punctuation mark and ideograph, and each word is
spelt with the longest pieces of the vocabulary. What the vocabulary cannot spell is the one piece for "unknown".
"""

from __future__ import annotations

import functools
import os
import unicodedata
import zlib

LIMIT = 256
"""Pieces of a text that the model was made for, its first and its last among them."""

_UNKNOWN, _FIRST, _LAST = 100, 101, 102
_LONGEST_WORD = 100
_LONGEST_PIECE = 18
_PER_PIECE = 40  # characters; no text needs more to fill its pieces, and reading a megabyte would take a while
_WORDS = 20_000
_SHORT, _FEW, _KNOWN = 2, 3, 0.46
_IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2CEAF), (0x2F800, 0x2FA1F))
_VOCABULARY = os.path.join(os.path.dirname(__file__), "data", "vocab.txt.z")


def pieces(text: str, limit: int = LIMIT) -> list[int]:
    """The pieces of a text between the mark of a beginning and that of an end; none where the text says nothing."""
    found = [_FIRST]
    for word in unicodedata.normalize("NFD", text[: _PER_PIECE * limit]).translate(_CHARACTERS).split():
        found += _spelt(word)
        if len(found) >= limit:
            break
    return [*found[: limit - 1], _LAST] if len(found) > 1 else []


def is_readable(text: str) -> bool:
    """Whether a text looks like the English that the model learnt: it knows at least so many of the words as a whole.

    To a model that cannot read them, any two texts in one language look alike. Of English about code it knows half of
    the words and more, of other languages less than half; a few names in ASCII may be anything.
    """
    said = unicodedata.normalize("NFD", text[: _PER_PIECE * LIMIT]).translate(_CHARACTERS).split()
    told = [word for word in said if word.isalpha() and (len(word) > _SHORT or not word.isascii())]
    known = sum(word.isascii() and word in vocabulary() for word in told)
    return known >= _KNOWN * len(told) or (len(told) < _FEW and all(map(str.isascii, told)))


class _Characters(dict[int, str]):
    """What becomes of a character, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = became = _became(chr(code))
        return became


_CHARACTERS = _Characters()


def _became(character: str) -> str:
    """A space, nothing, a word of its own, or the character in lower case."""
    kind = unicodedata.category(character)
    if character in "\t\n\r" or kind[0] == "Z":
        return " "
    if kind[0] == "C" or kind == "Mn" or character == "\ufffd":
        return ""
    if kind[0] == "P" or (character.isascii() and not character.isalnum()) or _is_ideograph(ord(character)):
        return f" {character} "
    return character.lower()


def _is_ideograph(code: int) -> bool:
    return any(first <= code <= last for first, last in _IDEOGRAPHS)


@functools.lru_cache(maxsize=_WORDS)
def _spelt(word: str) -> tuple[int, ...]:
    """The longest pieces from left to right; a word with a rest that has none is unknown as a whole."""
    if len(word) > _LONGEST_WORD:
        return (_UNKNOWN,)
    found: list[int] = []
    start = 0
    while start < len(word):
        end, piece = _longest(word, start)
        if piece is None:
            return (_UNKNOWN,)
        found.append(piece)
        start = end
    return tuple(found)


def _longest(word: str, start: int) -> tuple[int, int | None]:
    """Where the longest piece from here on ends, and which it is."""
    known, inside = vocabulary(), "##" if start else ""
    for end in range(min(len(word), start + _LONGEST_PIECE), start, -1):
        piece = known.get(inside + word[start:end])
        if piece is not None:
            return end, piece
    return start, None


@functools.cache
def vocabulary() -> dict[str, int]:
    """Every piece with its number; one that cannot begin a word is written with `##` before it."""
    with open(_VOCABULARY, "rb") as file:
        listed = zlib.decompress(file.read()).decode().split()
    return {piece: number for number, piece in enumerate(listed)}
