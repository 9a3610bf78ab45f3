"""The choice: from what matches to what goes in, and the reason for everything that does not.

Pure functions over judged documents. First the match decides who is in at all, then the score in which order: those
whose matches are about the same are ordered by score.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rawko.values.memory import ACTIVE, IMPORTANCES
from rawko.values.record import Record
from rawko.values.selection import ONLY, Match
from rawko.values.stems import stem
from rawko.values.task import STRENGTHS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rawko.recall.meaning import Meaning
    from rawko.recall.pattern import Hit
    from rawko.values.document import Document

BARS = {"slight": 0.04, "moderate": 0.045, "close": 0.05}
"""What the match has to be for each strength that meaning can have; only a pattern can be exact."""
_EXACT = 0.03
_GROWTH = 0.08
_SMALL = 30
_NEAR = 0.3
_SHARES = {"critical": 0.1, "high": 0.15, "medium": 0.15, "low": 0.15}
"""How much of a task a pattern has to hit, so that a memory of this importance goes in whatever else it says."""
_WORDS_TOLD = 6
_RATED = 10
"""Of those that match too little, so many are told with their score."""
_NEAR_AS_EVIDENCE = 0.5


class Rule(Record):
    """What the best match must reach before anything goes in, and what share of it each further one needs."""

    floor: float
    cut: float
    step: float = 0.0


BY_WORDS = Rule(0.0625, 0.4, 0.03)
BY_VECTORS = Rule(0.17, 0.4, 0.05)
_BAND = 0.1
_ALIKE = 0.8
_CONTRASTS = frozenset(
    map(stem, ["not", "never", "no", "before", "after", "without", "instead", "avoid", "enable", "disable"])
)
"""Words that turn a sentence into another one."""


class Source(Record):
    """Where a document is from: whose library, and what the reader is told about it."""

    number: int
    origin: str = ""


class Judged(Record):
    """A document with what was found about it."""

    document: Document
    source: Source
    meaning: Meaning
    hit: Hit | None
    near: float
    match: Match
    parts: Mapping[str, float] = MappingProxyType({})
    score: float = 0.0
    share: float = 1.0
    """How much of the task its pattern hit."""

    @property
    def is_called_for(self) -> bool:
        """Whether a pattern asks for it by itself: `*`, the name of the agent, or what much of the task is about."""
        if self.hit is None:
            return False
        if self.hit.where == "agent" or self.hit.alternative.kind == "always":
            return True
        return (
            self.hit.where == "task"
            and self.hit.strength in {"exact", "close"}
            and self.share >= _SHARES[self.document.head.importance]
        )

    @property
    def is_exact(self) -> bool:
        """Whether a pattern hits as it is spelt, and not only inside of a word about something else."""
        return self.hit is not None and self.hit.strength == "exact" and self.share > 0


class Limits(Record):
    """What a caller, an agent and the settings allow."""

    most: int
    min_importance: str
    thresholds: Mapping[str, str]
    strict: bool = False
    has_vectors: bool = False
    documents: int = 0
    without: frozenset[tuple[str, str]] = frozenset()
    """Each as the origin and the file, for a name is one only within a library."""


class Choice(Record):
    """Who goes in, in order, and who does not, each with the reason."""

    chosen: list[Judged]
    left_out: list[tuple[Judged, str]]


def match(meaning: Meaning, hit: Hit | None, near: float, *, strict: bool) -> Match:
    """How strongly a memory matches: by its patterns, or by what it says."""
    exact = _EXACT if hit and hit.strength == "exact" else 0.0
    own = meaning.value + exact + _NEAR * max(0.0, near)
    value = min(1.0, own + meaning.beside)
    by_meaning = next((name for name in reversed(BARS) if own >= BARS[name]), "")
    if not by_meaning and value >= BARS["slight"]:
        by_meaning = "slight"
    if hit and (strict or not by_meaning or hit.rank >= STRENGTHS.index(by_meaning)):
        return Match(hit.strength, _told(hit), value)
    said = f"words: {', '.join(meaning.words[:_WORDS_TOLD])}" if meaning.words else ""
    is_near = near > 0 and _NEAR * near > meaning.value
    return Match(by_meaning, ", ".join(filter(None, (f"near in meaning ({near:.2f})" if is_near else "", said))), value)


def _told(hit: Hit) -> str:
    """Which alternative of which pattern matched, and by what."""
    place = "" if hit.where == "task" else f" in the {hit.where}" if hit.where != "agent" else " as the agent"
    by = f" by {', '.join(hit.words)}" if hit.words and hit.words != (hit.alternative.literal,) else ""
    return f"pattern: {hit.alternative.text}{by}{place}"


def choose(judged: Sequence[Judged], limits: Limits, rate: Callable[[Judged], Judged] = lambda one: one) -> Choice:
    """Choose among candidates; `rate` gives one its score, and is asked for those alone that need one."""
    rest: list[Judged] = []
    left_out: list[tuple[Judged, str]] = []
    for one in judged:
        reason = _refusal(one, limits)
        if reason:
            left_out.append((one, reason))
        else:
            rest.append(one)
    kept, others = _cut(rest, limits)
    chosen, doubles = _distinct(kept, limits, rate)
    told = _by_worth([*doubles, *others, *left_out])
    rated = [(one if one.parts else rate(one), reason) for one, reason in told[:_RATED]]
    return Choice(chosen, [*rated, *told[_RATED:]])


def _refusal(one: Judged, limits: Limits) -> str:
    """Why a memory may not go in, whatever the others are."""
    head = one.document.head
    if (one.source.origin, one.document.name) in limits.without:
        return "left out on request"
    if head.status != ACTIVE:
        return head.status
    if IMPORTANCES.index(head.importance) < IMPORTANCES.index(limits.min_importance):
        return f"less important than {limits.min_importance}"
    needed = "exact" if limits.strict else limits.thresholds[head.importance]
    if not one.match.strength or STRENGTHS.index(one.match.strength) < STRENGTHS.index(needed):
        found = f"{one.match.strength} match" if one.match.strength else "hardly a match"
        return f"{found}, and one of {head.importance} importance needs {needed}"
    return ""


def _cut(rest: list[Judged], limits: Limits) -> tuple[list[Judged], list[tuple[Judged, str]]]:
    """Those that the task is about, and those that match too little beside the best."""
    if limits.strict:
        return rest, []
    rule = BY_VECTORS if limits.has_vectors else BY_WORDS
    evidence = max((one.meaning.value + one.meaning.beside for one in rest), default=0.0)
    evidence += _NEAR_AS_EVIDENCE * max((one.near for one in rest), default=0.0)
    is_ours = evidence >= rule.floor * (1 + _GROWTH * math.log(max(1.0, limits.documents / _SMALL)))
    best = max((one.match.value for one in rest), default=0.0)
    kept: list[Judged] = []
    left_out: list[tuple[Judged, str]] = []
    for one in sorted(rest, key=_fit):
        share = rule.cut + rule.step * max(0, len(kept) - 1)
        if one.is_called_for or (is_ours and (one.is_exact or one.match.value >= share * best)):
            kept.append(one)
        elif is_ours:
            left_out.append((one, "matches far less than the best"))
        else:
            left_out.append((one, "too little of the task is about what is known here"))
    return kept, left_out


def _fit(one: Judged) -> tuple[Any, ...]:
    """The better match first; among equals, what the documents themselves say decides."""
    head = one.document.head
    return (-one.match.value, -IMPORTANCES.index(head.importance), -head.at, one.document.name, one.source.number)


def _distinct(
    kept: list[Judged], limits: Limits, rate: Callable[[Judged], Judged]
) -> tuple[list[Judged], list[tuple[Judged, str]]]:
    """The first that say something new, as many as there may be; and those that repeat one, or come too late."""
    chosen: list[Judged] = []
    left_out: list[tuple[Judged, str]] = []
    for band in _bands(kept, strict=limits.strict):
        is_full = len(chosen) >= limits.most
        for one in band if is_full else sorted(map(rate, band), key=_place):
            if len(chosen) >= limits.most:
                left_out.append((one, f"{ONLY}{limits.most} are injected"))
            elif twin := next((other for other in chosen if _say_the_same(one.document, other.document)), None):
                left_out.append((one, f"says the same as {twin.document.name}"))
            else:
                chosen.append(one)
    return chosen, left_out


def _bands(kept: list[Judged], *, strict: bool) -> list[list[Judged]]:
    """Those that match about equally well together, the best first."""
    best = max((one.match.value for one in kept), default=0.0) or 1.0
    bands: dict[int, list[Judged]] = {}
    for one in kept:
        band = 0 if strict else math.floor((1 - one.match.value / best) / _BAND + 1e-9)
        bands.setdefault(band, []).append(one)
    return [bands[band] for band in sorted(bands)]


def _place(one: Judged) -> tuple[Any, ...]:
    """What decides between those that match about equally well."""
    head = one.document.head
    ties = (not head.avoids, -IMPORTANCES.index(head.importance), -head.at)
    return (-one.score, *ties, head.title, one.document.name, one.source.number)


def _say_the_same(one: Document, other: Document) -> bool:
    """Whether two texts have nearly the same words, and none that tells them apart: a number, a `not`, a subject."""
    some, others = (frozenset(each.fields[-1].split()) for each in (one, other))
    if not some or len(some & others) < _ALIKE * len(some | others):
        return False
    subject = frozenset(one.fields[0].split()) ^ frozenset(other.fields[0].split())
    return not any(term in _CONTRASTS or term in subject or not term.isalpha() for term in some ^ others)


def _by_worth(left_out: list[tuple[Judged, str]]) -> list[tuple[Judged, str]]:
    return sorted(left_out, key=lambda pair: (-pair[0].match.value, -pair[0].score, pair[0].document.name))
