"""Memories to measure with: as many as are wanted, the same ones every time, and tasks that are about some of them.

Real libraries are topical, so these are: a dozen memories share a topic, a topic has words of its own, and the rest
of what they say is drawn from one vocabulary in which, as in any language, a few words are everywhere and most are
rare. Nothing here is tuned to a ranking: patterns, tags, dates and importance are spread as people spread them.
"""

from __future__ import annotations

import itertools
import math
import random
from bisect import bisect
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

A_TOPIC = 12
"""Memories that share a topic."""
_OWN_WORDS = 10
_WORDS = 40_000
_COMMONEST = 50
_COMMON = """
    error request response server client user session token cache query table column index file path config setting test
    build deploy release version branch commit review task agent memory prompt model log event queue worker job retry
    timeout limit batch cursor stream socket header cookie login password permission role policy key value field schema
    type class function method module package import export parser render template page form button menu layout theme
    image font color script style route handler middleware hook plugin extension driver adapter wrapper factory
    registry loader resolver validator formatter encoder decoder compiler interpreter runtime thread process lock
    mutex transaction rollback migration backup restore snapshot replica shard cluster node service gateway proxy
    balancer firewall certificate domain network packet buffer pointer memory heap stack overflow leak race deadlock
    benchmark profile metric trace span alert dashboard report chart export archive bundle asset locale currency
    invoice payment refund order cart product price discount shipping address customer account profile avatar message
    channel thread comment notification email digest attachment upload download import search filter sort rank score
    match pattern rule condition action trigger schedule calendar date zone interval duration clock counter total
    average sample window chunk block record row entry list tree graph edge vertex path depth width height size length
    format encoding charset newline whitespace quote escape literal number integer float string boolean null default
    fallback override merge conflict diff patch tag label name title summary detail description note warning failure
    exception assertion fixture mock stub coverage lint typing annotation decorator generator iterator closure
"""
_LITTLE = """
    the of to and a in is it that for on with as be by this are not or from when which at an if only than all has was
    but they will can each one before after must no never always so then because its into do use while until without
"""
_ONSETS = "b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sh sl st t th tr v w z"
_VOWELS = "a e i o u ea ou"
_CODAS = ("", "", "l", "m", "n", "nd", "r", "rt", "s", "st", "t", "x")
_ENDINGS = ("", "", "", "er", "ing", "ed", "s", "tion", "able", "ment")
_BEGINNINGS = 150
_LEADS = ("When working on", "Before changing", "Whenever somebody touches", "When debugging", "If you extend")
_VERBS = ("Fix", "Add", "Extend", "Investigate", "Refactor", "Document", "Speed up", "Migrate", "Test", "Remove")
_TAGS = "testing performance security api database frontend patterns constraints architecture tooling analysis"
_AGENTS = ("planner", "developer", "tester", "reviewer", "user")
_IMPORTANCE = ("low", "medium", "medium", "medium", "high", "high", "critical")


class Made(NamedTuple):
    """One generated memory, as a peer takes it."""

    name: str
    title: str
    patterns: tuple[str, ...]
    tags: tuple[str, ...]
    importance: str
    at: str
    by: str
    body: str

    @property
    def text(self) -> str:
        """The file."""
        front = [f'title: "{self.title}"', "whenToUse:", *(f'  - "{pattern}"' for pattern in self.patterns)]
        front += [f"tags: [{', '.join(self.tags)}]", f"importance: {self.importance}"]
        front += [f"discoveredBy: {self.by}", f"discoveredAt: {self.at}"]
        return "\n".join(["---", *front, "---", "", f"# {self.title}", "", self.body, ""])

    @property
    def spoken(self) -> str:
        """Everything it says, as one text."""
        return "\n".join([self.title, *self.patterns, " ".join(self.tags), self.body])


class Vocabulary:
    """Words by how common they are, drawn with a chance that falls with their rank."""

    def __init__(self) -> None:
        dice = random.Random(1)
        beginnings = sorted({_syllable(dice) for _ in range(_BEGINNINGS)})
        found = dict.fromkeys(_COMMON.split())
        while len(found) < _WORDS:
            middle = "".join(_syllable(dice) for _ in range(dice.choice((1, 1, 2))))
            found[dice.choice(beginnings) + middle + dice.choice(_ENDINGS)] = None
        self.words = list(found)

    @cached_property
    def _weights(self) -> list[float]:
        return list(itertools.accumulate(1 / (rank + 8) for rank in range(len(self.words))))

    def draw(self, dice: random.Random, count: int) -> list[str]:
        """So many words, the common ones more often."""
        weights, most = self._weights, self._weights[-1]
        return [self.words[bisect(weights, dice.random() * most)] for _ in range(count)]

    def specific(self, dice: random.Random, count: int) -> list[str]:
        """So many different words that a topic may have as its own: as many well-known ones as rare ones."""
        found: dict[str, None] = {}
        while len(found) < count:
            rank = math.exp(dice.uniform(math.log(_COMMONEST), math.log(len(self.words))))
            found[self.words[min(int(rank), len(self.words) - 1)]] = None
        return list(found)


def _syllable(dice: random.Random) -> str:
    return dice.choice(_ONSETS.split()) + dice.choice(_VOWELS.split()) + dice.choice(_CODAS)


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """The one vocabulary of all that is generated."""
    return Vocabulary()


@lru_cache(maxsize=1 << 12)
def topic(number: int) -> tuple[str, ...]:
    """The words of a topic, in no order."""
    return tuple(vocabulary().specific(random.Random(f"topic {number}"), _OWN_WORDS))


def memory(number: int) -> Made:
    """The memory of this number; the same one in a library of any size."""
    dice = random.Random(f"memory {number}")
    words = topic(number // A_TOPIC)
    first, second, *others = dice.sample(words, 5)
    body = _body(dice, words)
    return Made(
        f"{first}-{second}-{number}.md",
        f"{first.capitalize()} and {second} {dice.choice(others)} {number}",
        tuple(_patterns(dice, words)),
        tuple(dice.sample(_TAGS.split(), dice.randint(1, 3))),
        dice.choice(_IMPORTANCE),
        f"2026-{dice.randint(1, 10):02}-{dice.randint(1, 28):02}T{dice.randint(0, 23):02}:30:00Z",
        dice.choice(_AGENTS),
        body,
    )


def memories(count: int) -> Iterator[Made]:
    """The first so many memories."""
    return map(memory, range(count))


def _patterns(dice: random.Random, words: Sequence[str]) -> Iterator[str]:
    kinds = dice.sample(("list", "phrase", "wildcard"), dice.choice((1, 1, 2, 3)))
    for kind in kinds:
        one, two, three = dice.sample(words, 3)
        if kind == "list":
            yield f"{one}|{two} {three}|{two}"
        elif kind == "phrase":
            yield f"{dice.choice(_LEADS)} the {one} of the {two} {three}"
        else:
            yield dice.choice((f"{one}*{two}", f"{dice.choice(_VERBS).lower()}*{one}", f"{one}.*{three}"))


def _body(dice: random.Random, words: Sequence[str]) -> str:
    count = dice.randint(80, 150)
    said = _mixed(dice, words, count)
    points = [_sentence(said[start : start + 12]) for start in range(0, count, 12)]
    first, listed, rest = points[:3], points[3:6], points[6:]
    lines = [" ".join(first), "", "## Key Points", "", *(f"- {point}" for point in listed)]
    return "\n".join([*lines, "", "## Details", "", " ".join(rest)] if rest else lines)


def _mixed(dice: random.Random, words: Sequence[str], count: int) -> list[str]:
    """Little words, words of the topic and words of the language, in about the shares of technical prose."""
    little = _LITTLE.split()
    drawn = iter(vocabulary().draw(dice, count))
    shares = (dice.random() for _ in range(count))
    return [
        dice.choice(little) if share < 0.42 else dice.choice(words) if share < 0.62 else next(drawn) for share in shares
    ]


def _sentence(words: Sequence[str]) -> str:
    return f"{' '.join(words).capitalize()}."


def tasks(count: int, among: int) -> list[str]:
    """Tasks that are each about a topic of the first so many memories, with as many words as people use.

    The tasks that people wrote for `bench.tasks` have 9 to 12 telling words, by quartiles, and so have these.
    """
    topics = max(1, among // A_TOPIC)
    return [_task(random.Random(f"task {number}"), topics) for number in range(count)]


def _task(dice: random.Random, topics: int) -> str:
    words = topic(dice.randrange(topics))
    one, two, three = dice.sample(words, 3)
    said = [f"{dice.choice(_VERBS)} the {one} {two} of the {three}"]
    said.append(_sentence(_mixed(dice, words, dice.randint(9, 16))).rstrip("."))
    return ". ".join(said)


def fill(folder: Path, count: int) -> None:
    """Write the first so many memories, as plainly as possible: filling is not what is measured."""
    for made in memories(count):
        (folder / made.name).write_text(made.text, encoding="utf-8")
