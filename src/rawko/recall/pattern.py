"""`whenToUse` patterns: one rule set that says whether a memory is meant for a task, and how strongly.

A pattern is split into alternatives, and each is read by its own kind. Every alternative also matches its own text,
whatever else it means. No pattern raises, and none takes longer than the text is long: stars are looked for with
`str.find`, regular expressions go to RE2, and one that RE2 refuses is plain text. `docs/patterns.md` has the rules.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from rawko.recall import phrase
from rawko.recall.alternative import EFFORT, KEYS, Alternative, fold
from rawko.values.record import Record
from rawko.values.task import STRENGTHS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rawko.values.task import Task

__all__ = [
    "KEYS",
    "Alternative",
    "Haystack",
    "Hit",
    "fold",
    "hit",
    "judge",
    "key",
    "matches",
    "read",
    "strongest",
]

_MEMORY = 1 << 20
_ALL_TOGETHER = 5 * EFFORT
_COMPILING = 150
"""The bytes that a program of some size could look at while it is compiled."""
_WORD = re.compile(r"\w+")


def read(pattern: str) -> tuple[Alternative, ...]:
    """The alternatives of a pattern, in order; there is always one, though it may be empty."""
    from rawko.recall import reading  # noqa: PLC0415 - what an index has read need not be read again

    return reading.read(pattern)


def key(alternative: Alternative) -> str:
    """A short folded text that is in every folded text which the alternative matches other than by its words.

    Empty when nothing can be promised. An index may look for this first, and ask `matches` about what is left.
    """
    return alternative.key


class Allowance:
    """What the regular expressions of all memories together may still cost on one text, in the measure of EFFORT."""

    def __init__(self) -> None:
        self.left = _ALL_TOGETHER

    def granted(self, program: int, size: int, effort: int) -> int:
        """How many bytes a program of this size may look at; compiling it is paid for as well."""
        most = max(0, min(size, effort // program, self.left // program))
        self.left -= program * (most + _COMPILING)
        return most


class Text(Record):
    """A text prepared for many patterns; what only some of them need is made when the first one does."""

    raw: str

    @cached_property
    def folded(self) -> str:
        """As it is compared with texts."""
        return fold(self.raw)

    @cached_property
    def characters(self) -> frozenset[str]:
        """Every character that is in it."""
        return frozenset(self.folded)

    @cached_property
    def data(self) -> bytes:
        """As RE2 reads it; half of a surrogate pair is no character there."""
        return self.folded.encode(errors="replace")

    @cached_property
    def allowance(self) -> Allowance:
        """What is left for searching it."""
        return Allowance()

    @cached_property
    def stems(self) -> frozenset[str]:
        """As it is compared with the words of phrases."""
        return phrase.stems(self.raw)

    @cached_property
    def ordered(self) -> tuple[str, ...]:
        """The stems in order, so that a beginning is found without looking at all of them."""
        return tuple(sorted(self.stems))


class Haystack(Record):
    """A task prepared once, to be asked about many patterns."""

    task: Text
    agent: str = ""
    plan: Text = Text("")
    history: Text = Text("")

    @classmethod
    def of(cls, task: Task) -> Haystack:
        """The haystack of a task."""
        return cls(Text(task.text), fold(task.agent), Text(task.plan), Text(task.history))

    def anew(self) -> Haystack:
        """The same, of which nothing has been spent yet."""
        return Haystack(Text(self.task.raw), self.agent, Text(self.plan.raw), Text(self.history.raw))

    @cached_property
    def names(self) -> frozenset[str]:
        """What the agent may be called: by its name, or by a word of it."""
        return frozenset(filter(None, [self.agent, *_WORD.findall(self.agent)]))

    @property
    def text(self) -> str:
        """The folded text of the task: keys are looked for in this."""
        return self.task.folded

    @property
    def stems(self) -> frozenset[str]:
        """The stems of the task's words."""
        return self.task.stems


class Hit(Record):
    """Why a pattern matches a task: how strongly, which alternative of it, where, and by which words."""

    strength: str
    pattern: str
    alternative: Alternative
    where: str
    words: tuple[str, ...] = ()

    @property
    def rank(self) -> int:
        """The strength as a number, so that hits can be compared."""
        return STRENGTHS.index(self.strength)


def matches(alternative: Alternative, text: str) -> bool:
    """Whether a text has what an alternative spells: its own text, its wildcard or its regex; words do not count."""
    return _spelt_in(alternative, Text(text)) is not None


def hit(patterns: Sequence[str], haystack: Haystack) -> Hit | None:
    """The strongest hit of any pattern, the first of equals; None when there is none."""
    return strongest(((pattern, read(pattern)) for pattern in patterns), haystack)


def strongest(patterns: Iterable[tuple[str, Sequence[Alternative]]], haystack: Haystack) -> Hit | None:
    """The same for patterns that were read before."""
    best: Hit | None = None
    for found in _hits(patterns, haystack):
        if best is None or found.rank > best.rank:
            best = found
        if best.strength == "exact":
            break
    return best


def _hits(patterns: Iterable[tuple[str, Sequence[Alternative]]], haystack: Haystack) -> Iterator[Hit]:
    for pattern, alternatives in patterns:
        for alternative in alternatives:
            if found := judge(pattern, alternative, haystack):
                yield found


def judge(pattern: str, alternative: Alternative, haystack: Haystack) -> Hit | None:
    """What one alternative of a pattern makes of a task."""
    if alternative.kind == "empty":
        return None
    if (spelt := _spelt_in(alternative, haystack.task)) is not None:
        return Hit("exact", pattern, alternative, "task", spelt)
    if _names(alternative, haystack):
        return Hit("exact", pattern, alternative, "agent", (haystack.agent,))
    said = _said(alternative, haystack.task)
    if said and len(said) * 2 >= len(alternative.words):
        strength = "close" if len(said) == len(alternative.words) else "moderate"
        return Hit(strength, pattern, alternative, "task", said)
    return _nearby(pattern, alternative, haystack)


def _nearby(pattern: str, alternative: Alternative, haystack: Haystack) -> Hit | None:
    """A hit in what surrounds the task. A long text has half of any phrase's words, so here it takes all of them."""
    for where, text in (("plan", haystack.plan), ("history", haystack.history)):
        if (spelt := _spelt_in(alternative, text)) is not None:
            return Hit("slight", pattern, alternative, where, spelt)
        said = _said(alternative, text)
        if said and len(said) == len(alternative.words):
            return Hit("slight", pattern, alternative, where, said)
    return None


def _said(alternative: Alternative, text: Text) -> tuple[str, ...]:
    """The specific words of a phrase that a text has."""
    if not alternative.words or not text.raw:
        return ()
    return tuple(word.text for word in alternative.words if phrase.said_in(word, text.ordered, text.stems))


def _spelt_in(alternative: Alternative, text: Text) -> tuple[str, ...] | None:
    """What a text has of an alternative as it is spelt; None where it has nothing of it."""
    if alternative.kind == "always":
        return ()
    if alternative.kind == "empty" or alternative.key not in text.folded:
        return None
    if _has(text, alternative):
        return (alternative.literal,)
    if alternative.gaps and _in_order(alternative.gaps, text.folded):
        return alternative.gaps
    searched = (_searched(regex, text.data, text.allowance, alternative.effort) for regex in alternative.regexes)
    return next(((found,) for found in searched if found is not None), None)


def _has(text: Text, alternative: Alternative) -> bool:
    """Whether a text has the text of an alternative; that of a regex is hardly ever there, which its signs show."""
    if alternative.regexes and not text.characters.issuperset(alternative.literal):
        return False
    return alternative.literal in text.folded


def _in_order(gaps: Sequence[str], text: str) -> bool:
    """Whether a text has these pieces, one after the other."""
    place = 0
    for part in gaps:
        found = text.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True


def _names(alternative: Alternative, haystack: Haystack) -> bool:
    """Whether an alternative names the agent: by the whole name, or by a whole word of it."""
    if alternative.kind in {"always", "wildcard"} or alternative.key not in haystack.agent:
        return False
    return alternative.literal in haystack.names or any(
        _searched(f"^(?:{regex})$", name.encode(errors="replace"), haystack.task.allowance) is not None
        for regex in alternative.regexes
        for name in haystack.names
    )


def _searched(regex: str, data: bytes, allowance: Allowance, effort: int = EFFORT) -> str | None:
    """What RE2 finds. A regex with large counts is looked for only as far as its effort and what is left for all go."""
    if allowance.left <= 0:
        return None
    compiled = compiled_or_reason(regex, narrow=regex.isascii() and data.isascii())
    if isinstance(compiled, str):
        return None
    found = compiled.search(data, 0, allowance.granted(compiled.programsize, len(data), effort))
    return found.group().decode(errors="replace") if found else None


@lru_cache(maxsize=256)
def compiled_or_reason(regex: str, *, narrow: bool = False) -> Any:
    """A regex as RE2 has it, or the reason why it cannot be used: RE2 refuses it, or it is found in everything.

    `narrow` is for bytes that are a character each: a dot is then one step of the program, and not nine.
    """
    import re2  # type: ignore[import-untyped]  # noqa: PLC0415 - 5 ms that most patterns do not need

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MEMORY
    options.encoding = re2.Options.Encoding.LATIN1 if narrow else re2.Options.Encoding.UTF8
    try:
        compiled = re2.compile(regex.encode(), options=options)
    except UnicodeEncodeError:
        return "half of a surrogate pair is no character"
    except re2.error as error:
        return str(error.args[0], "utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
    return "it is found in a text without anything in it" if compiled.search(b"") else compiled
