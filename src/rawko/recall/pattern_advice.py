"""What to tell people about their patterns: how each is read, and which will never or always match.

Nothing here is an error. A memory with a bad pattern is still a memory; its author may want to know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rawko.recall import pattern as patterns
from rawko.recall import reading
from rawko.recall.pattern import Haystack
from rawko.recall.phrase import is_generic
from rawko.values.errors import Problem
from rawko.values.record import Record
from rawko.values.task import Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rawko.recall.pattern import Alternative, Hit
    from rawko.values.memory import Memory

SHORTEST = 3
"""Letters of a word that says something; a shorter one stands inside too many others."""

_UNLIKE = ("Add email notifications", "12,500 rows in table 7", "数据库迁移")
"""Texts with nothing in common: what is found in all of them is found everywhere."""
_LONGEST_SHOWN = 80
_EXPECTED = ("match", "miss")


class Advice(Record):
    """One thing about a pattern that its author may want to change, and how."""

    reason: str
    hint: str


class Explained(Record):
    """One alternative of a pattern in plain words; `hit` says what a task makes of it, where one was given."""

    text: str
    kind: str
    reading: str
    words: tuple[str, ...] = ()
    regexes: tuple[str, ...] = ()
    advice: tuple[Advice, ...] = ()
    hit: Hit | None = None


def explain(pattern: str, task: Task | None = None) -> list[Explained]:
    """How each alternative of a pattern is read, what is doubtful about it, and whether it matches a task."""
    haystack = Haystack.of(task) if task else None
    return [_explained(pattern, alternative, haystack) for alternative in patterns.read(pattern)]


def _explained(pattern: str, alternative: Alternative, haystack: Haystack | None) -> Explained:
    kind = "literal" if _refusals(alternative) else alternative.kind
    return Explained(
        text=alternative.text,
        kind=kind,
        reading=_reading(alternative, kind),
        words=tuple(word.text for word in alternative.words),
        regexes=alternative.regexes,
        advice=tuple(advise(alternative)),
        hit=patterns.judge(pattern, alternative, haystack) if haystack else None,
    )


def _reading(alternative: Alternative, kind: str) -> str:
    match kind:
        case "always":
            return "matches every task"
        case "empty":
            return "matches nothing"
        case "wildcard":
            return "matches a text with " + ", later ".join(map(_quoted, alternative.gaps))
        case "regex":
            return "matches what the regular expression finds, and its own text"
        case "phrase" if alternative.words:
            return f"matches its own text, or a task that is about {_listed(alternative)}"
    return f"matches a text with {_quoted(alternative.literal)} in it, also inside a word"


def _listed(alternative: Alternative) -> str:
    *others, last = [word.text for word in alternative.words]
    if not others:
        return last
    return f"{', '.join(others)} and {last}; half of these are a moderate match"


def _quoted(text: str) -> str:
    return f'"{text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."}"'


def advise(alternative: Alternative) -> Iterator[Advice]:
    """What is doubtful about one alternative: it can hardly match, or it matches nearly everything."""
    match alternative.kind:
        case "empty":
            yield Advice("an empty alternative matches nothing", "remove it; `*` alone matches every task")
        case "always":
            yield Advice("it matches every task", "name what the memory is about")
        case "phrase":
            yield from _about_phrase(alternative)
        case "regex":
            yield from _about_regex(alternative)
        case _:
            yield from _about_text(alternative)


def _about_phrase(alternative: Alternative) -> Iterator[Advice]:
    if not alternative.words:
        hint = "name what the task is about: a technology, a part of the code, an error"
        yield Advice("it has no specific word, so only a task with exactly this text matches", hint)
    elif all(len(piece.split()) == 1 for piece in alternative.text.split(",")):
        yield Advice("a comma does not separate alternatives", "write `|` between them")


def _refusals(alternative: Alternative) -> list[str]:
    """Why none of the regular expressions can be used; empty where one can, or where there are none."""
    refused = [found for found in map(patterns.compiled_or_reason, alternative.regexes) if isinstance(found, str)]
    return refused if len(refused) == len(alternative.regexes) else []


def _about_regex(alternative: Alternative) -> Iterator[Advice]:
    if refused := _refusals(alternative):
        yield Advice(f"it is no usable regular expression ({refused[0]}) and is read as plain text", "correct it")
    elif all(patterns.matches(alternative, text) for text in _UNLIKE):
        yield Advice("it matches nearly every task", "name what the memory is about")
    if "\\|" in alternative.text:
        yield Advice("`\\|` is the character `|`", "write `|` between alternatives")


def _about_text(alternative: Alternative) -> Iterator[Advice]:
    if len(alternative.text) > reading.LONGEST:
        hint = "make several patterns of it"
        yield Advice(f"it is longer than {reading.LONGEST} characters and is read as plain text", hint)
    said = alternative.gaps or (alternative.literal,)
    longest = max(said, key=len)
    if longest.isascii() and longest.isalnum() and len(longest) < SHORTEST:
        yield Advice(f"{_quoted(longest)} is found inside many words", f"write at least {SHORTEST} letters")
    elif all(map(is_generic, said)):
        yield Advice(f"{_quoted(longest)} says nothing about a task", "name what the memory is about")


def review(memory: Memory) -> list[Problem]:
    """What the author of a memory may want to change about its patterns, and which of its examples do not behave."""
    if memory.status == "forgotten":
        return []
    found = [*_doubts(memory), *_examples(memory)]
    return [Problem(memory.file, advice.reason, advice.hint, level="warning") for advice in found]


def _doubts(memory: Memory) -> Iterator[Advice]:
    for pattern in memory.when_to_use:
        for alternative in patterns.read(pattern):
            for advice in advise(alternative):
                yield Advice(f"whenToUse {_named(pattern, alternative)}: {advice.reason}", advice.hint)


def _named(pattern: str, alternative: Alternative) -> str:
    is_whole = alternative.text == pattern.strip()
    return _quoted(pattern) if is_whole else f"{_quoted(pattern)}, alternative {_quoted(alternative.text)}"


def _examples(memory: Memory) -> Iterator[Advice]:
    """The examples that an author gave beside the patterns, tried."""
    given = memory.extra.get("examples")
    if given is None:
        return
    if not isinstance(given, dict) or not given.keys() <= set(_EXPECTED):
        yield Advice("`examples` is not understood", 'write `examples: {match: ["..."], miss: ["..."]}`')
        return
    for expected in _EXPECTED:
        texts = _texts(given.get(expected, []))
        if texts is None:
            yield Advice(f"`examples: {expected}` is no list of texts", f'write `{expected}: ["...", "..."]`')
        for text in texts or ():
            yield from _tried(memory, expected, text)


def _texts(value: Any) -> list[str] | None:
    texts = [value] if isinstance(value, str) else value
    is_list = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
    return [text for text in texts if text.strip()] if is_list else None


def _tried(memory: Memory, expected: str, text: str) -> Iterator[Advice]:
    hit = patterns.hit(memory.when_to_use, Haystack.of(Task(text)))
    if expected == "match" and not hit:
        hint = f"whenToUse has {', '.join(map(_quoted, memory.when_to_use))}"
        yield Advice(f"no pattern matches the example {_quoted(text)}", hint)
    if expected == "miss" and hit:
        by = _named(hit.pattern, hit.alternative)
        yield Advice(f"whenToUse {by} matches the example {_quoted(text)}, which it should miss", "make it narrower")
