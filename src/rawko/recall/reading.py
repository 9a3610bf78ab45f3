"""Reading a pattern: which alternatives it has, and what each of them means."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rawko.recall import phrase, syntax
from rawko.recall.alternative import EFFORT, Alternative, fold, key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rawko.recall.alternative import Word

LONGEST = 1000
"""Characters of a pattern; a longer one is one plain text."""

_WORD = re.compile(r"\w+")
_BRACKETS = frozenset("()[]\\")
_SIGNS = frozenset("*+?.^${")
"""Without one of these outside brackets, a text can only mean itself."""


def read(pattern: str) -> tuple[Alternative, ...]:
    """The alternatives of a pattern, in order; there is always one, though it may be empty."""
    text = syntax.tidy(pattern)
    return _read(text) if len(text) <= LONGEST else (_plain("literal", text),)


@lru_cache(maxsize=1 << 12)
def _read(text: str) -> tuple[Alternative, ...]:
    found = [_alternative(part) if part else _of_words(words) for words, part in _parts(text)]
    share = EFFORT // (sum(len(alternative.regexes) for alternative in found) or 1)
    return tuple(alternative._replace(effort=share) if alternative.regexes else alternative for alternative in found)


def _parts(text: str) -> Iterator[tuple[str, syntax.Tokens]]:
    """The text of each alternative; its tokens are there only where a character may mean something else."""
    if _BRACKETS.isdisjoint(text):
        for part in map(str.strip, text.split("|")):
            yield part, () if _SIGNS.isdisjoint(part) else syntax.tokens(part)
    else:
        yield from ((syntax.spelt(part), part) for part in syntax.alternatives(syntax.tokens(text)))


def _of_words(text: str) -> Alternative:
    """An alternative in which every character means itself; most are."""
    if " " in text:
        return _plain("phrase", text, words=phrase.specific(text))
    return _plain("literal", text) if text else Alternative(text, "empty")


def _alternative(part: syntax.Tokens) -> Alternative:
    text = syntax.spelt(part)
    if syntax.is_always(part):
        return Alternative(text, "always")
    asked = syntax.without_question_mark(part)
    words = phrase.specific(text) if syntax.has_several_words(asked) else ()
    if _is_phrase(asked, words):
        return _plain("phrase", text, fold(syntax.spelt(asked)), words)
    if syntax.is_regex(asked):
        return _regex(asked, text)
    if syntax.has_star(asked):
        gaps = syntax.gaps(asked)
        return Alternative(text, "wildcard", fold(text), gaps=gaps, key=_key(gaps, fold(text)))
    return _plain("literal", text)


def _is_phrase(part: syntax.Tokens, words: tuple[Word, ...]) -> bool:
    """Whether this is said in plain words; what begins like `When ...` is, whatever else there is in it."""
    if not syntax.has_several_words(part):
        return False
    is_sentence = bool(words) and fold(syntax.spelt(part)).split(" ", 1)[0] in phrase.LEAD_INS
    return is_sentence or not (syntax.is_regex(part) or syntax.has_star(part))


def _plain(kind: str, text: str, literal: str = "", words: tuple[Word, ...] = ()) -> Alternative:
    found = literal or fold(text)
    return Alternative(text, kind, found, words=words, key=_key((found,), found))


def _regex(part: syntax.Tokens, text: str) -> Alternative:
    asked = tuple(dict.fromkeys(filter(None, (syntax.as_regex(part), syntax.as_glob(part)))))
    promised = _key(syntax.required(part), fold(text))
    return Alternative(text, "regex", fold(text), regexes=asked, key=promised)


def _key(runs: Sequence[str], literal: str) -> str:
    """The beginning of the longest word in what must be there, if the plain text of the alternative has it too.

    Where words are short, the beginning of the longest run tells more: `c++` rather than `c`.
    """
    word = max((word for run in runs for word in _WORD.findall(run)), key=len, default="")
    run = max(runs, key=len, default="").strip()
    found = key(run if len(key(run)) > len(key(word)) else word)
    return found if found in literal else ""
