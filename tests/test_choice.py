"""The choice among judged documents: who is in at all, in which order, and why the others are not."""

from __future__ import annotations

from typing import Any

import pytest

from rawko.recall import choice, pattern
from rawko.recall.choice import Judged, Limits, Source
from rawko.recall.meaning import Meaning
from rawko.recall.pattern import Haystack, Hit, Text
from rawko.values.document import Document, Head
from rawko.values.selection import Match
from rawko.values.settings import THRESHOLDS
from rawko.values.task import STRENGTHS


def hit(strength: str, text: str = "login", where: str = "task") -> Hit:
    """A hit of a pattern."""
    return Hit(strength, text, pattern.read(text)[0], where, (text,))


def judged(title: str = "Known", strength: str = "exact", value: float = 0.5, **more: Any) -> Judged:
    """A document that matches in some way; it says what no other one says."""
    head = Head(title=title, **{name: more.pop(name) for name in list(more) if name in Head._fields})
    found: dict[str, Any] = {
        "document": Document(f"{title.lower()}.md", head, ("", "", "", more.pop("said", f" {title.lower()} "))),
        "source": Source(0),
        "meaning": Meaning(value),
        "hit": hit(strength) if strength == "exact" else None,
        "near": 0.0,
        "parts": {},
        "score": 50.0,
        "match": Match(strength, "", value),
    }
    return Judged(**{**found, **more})


def limits(**more: Any) -> Limits:
    """The limits of somebody who asks for nothing special."""
    return Limits(**{"most": 5, "min_importance": "low", "thresholds": THRESHOLDS, **more})


def chosen(*some: Judged, **more: Any) -> list[str]:
    """The titles of those that go in."""
    return [one.document.head.title for one in choice.choose(some, limits(**more)).chosen]


def reason(one: Judged, **more: Any) -> str:
    """Why a document does not go in."""
    [(_, why)] = choice.choose([one], limits(**more)).left_out
    return why


@pytest.mark.parametrize(
    ("importance", "enough"),
    [
        ("critical", ["slight", "moderate", "close", "exact"]),
        ("high", ["moderate", "close", "exact"]),
        ("medium", ["close", "exact"]),
        ("low", ["exact"]),
    ],
)
def test_each_importance_needs_its_strength(importance: str, enough: list[str]) -> None:
    """D14, K6: the more important, the weaker a match may be."""
    found = [strength for strength in STRENGTHS if chosen(judged(strength=strength, importance=importance))]
    assert found == enough


@pytest.mark.parametrize("importance", ["critical", "high", "medium", "low"])
def test_without_a_match_nothing_goes_in(importance: str) -> None:
    """D2, E11: the match comes before everything else."""
    assert chosen(judged(strength="", value=0.0, importance=importance, score=100.0)) == []


def test_strict_needs_what_is_spelt() -> None:
    """D2: with `strict` even what is critical needs an exact hit."""
    assert [chosen(judged(strength=one, importance="critical"), strict=True) for one in STRENGTHS] == [
        [],
        [],
        [],
        ["Known"],
    ]


@pytest.mark.parametrize("status", ["deprecated", "superseded", "forgotten"])
def test_a_status_is_a_reason(status: str) -> None:
    """O5: what no longer holds is named by its status."""
    assert reason(judged(status=status)) == status


def test_a_reason_says_what_was_needed() -> None:
    """E13: and what there was."""
    one = judged(strength="slight", importance="medium")
    assert reason(one) == "slight match, and one of medium importance needs close"


@pytest.mark.parametrize(
    ("some", "order"),
    [
        ([judged("A", score=40.0), judged("B", score=60.0)], ["B", "A"]),
        ([judged("A"), judged("B", avoids=True)], ["B", "A"]),
        ([judged("A"), judged("B", importance="critical")], ["B", "A"]),
        ([judged("A", at=1.0), judged("B", at=2.0)], ["B", "A"]),
        ([judged("B"), judged("A")], ["A", "B"]),
        ([judged("A", importance="critical"), judged("B", avoids=True)], ["B", "A"]),
        ([judged("A", at=2.0), judged("B", importance="critical", at=1.0)], ["B", "A"]),
    ],
)
@pytest.mark.parametrize("strict", [True, False])
def test_ties_are_settled(some: list[Judged], order: list[str], strict: bool) -> None:
    """E9, K19, O4: score, what to avoid, importance, date, title."""
    assert chosen(*some, strict=strict) == order


@pytest.mark.parametrize("strict", [True, False])
def test_the_order_is_the_same_whoever_comes_first(strict: bool) -> None:
    """K19: not the order in which an index names them."""
    some = [judged("A"), judged("B", source=Source(1)), judged("C", score=70.0), judged("D", avoids=True)]
    assert chosen(*some, strict=strict) == chosen(*reversed(some), strict=strict) == ["C", "D", "A", "B"]


def test_what_matches_far_less_than_the_best_is_named() -> None:
    """G5: beside something that is about the task, a passing word is nothing."""
    some = [judged("A", "close", 0.8, importance="high"), judged("B", "close", 0.06, importance="high")]
    found = choice.choose(some, limits())
    assert [why for _, why in found.left_out] == ["matches far less than the best"]


def test_a_pattern_that_hits_needs_no_more() -> None:
    """D2, K6: what a pattern spells is in beside anything that matches better."""
    assert chosen(judged("A", "close", 0.8, importance="high"), judged("B", "exact", 0.02)) == ["A", "B"]


def test_a_pattern_that_hits_is_in_by_itself() -> None:
    """D2, K6: and where nothing else is known of the task."""
    assert chosen(judged(value=0.02)) == ["Known"]


@pytest.mark.parametrize("called", [hit("exact", "*"), hit("exact", "tester", "agent")])
def test_what_is_called_for_is_in_whatever_the_task_says(called: Hit) -> None:
    """D15, K8: a star, or the name of the agent."""
    assert chosen(judged(value=0.0, hit=called)) == ["Known"]


def test_when_too_little_is_known_nothing_goes_in() -> None:
    """F1, G5: a task about something else gets nothing by words alone."""
    assert "too little of the task" in reason(judged(strength="close", value=0.051, importance="critical"))


def test_the_limit_comes_after_the_order() -> None:
    """E9, E11: the best N."""
    assert chosen(judged("A", score=1.0), judged("B", score=3.0), judged("C", score=2.0), most=2) == ["B", "C"]


def test_what_repeats_is_left_to_the_better_one() -> None:
    """O8: the same words are told once."""
    some = judged("A", said=" one two three four ", score=60.0), judged("B", said=" four three two one ")
    found = choice.choose(some, limits())
    assert [(one.document.name, why) for one, why in found.left_out] == [("b.md", "says the same as a.md")]


def test_those_without_a_text_do_not_repeat_each_other() -> None:
    """O8: nothing is not the same as nothing."""
    assert chosen(judged("A", said=""), judged("B", said="")) == ["A", "B"]


def test_a_refusal_on_request_comes_first() -> None:
    """What the caller wants left out is left out for that reason."""
    assert reason(judged(status="deprecated"), without=frozenset({("", "known.md")})) == "left out on request"


def test_a_refusal_on_request_is_of_one_library() -> None:
    """A name is one only within a library."""
    some = judged("A", source=Source(0)), judged("A", source=Source(1, "user library"), said=" b ")
    found = choice.choose(some, limits(without=frozenset({("user library", "a.md")})))
    assert [(one.source.number, why) for one, why in found.left_out] == [(1, "left out on request")]


# ---------------------------------------------------------------- what a match is


def matched(found: Meaning, by: Hit | None, *, strict: bool = False) -> Match:
    """How strongly something matches without vectors."""
    return choice.match(found, by, 0.0, strict=strict)


def test_a_hit_is_told_by_its_pattern() -> None:
    """O7: the alternative, and what it hit."""
    assert matched(Meaning(0.5, ("x",)), hit("exact")).matched == "pattern: login"


def test_words_are_told_where_they_are_stronger_than_the_pattern() -> None:
    """O7: what made the strength is what is named."""
    found = matched(Meaning(0.5, ("ab", "cd")), hit("slight", where="plan"))
    assert (found.strength, found.matched) == ("close", "words: ab, cd")


def test_strict_tells_only_patterns() -> None:
    """D2: with `strict` words are no match."""
    assert matched(Meaning(0.5, ("x",)), hit("slight"), strict=True).strength == "slight"


def test_nothing_is_no_match() -> None:
    """D2: without a hit and without words."""
    assert matched(Meaning(0.0), None) == Match("", "", 0.0)


def test_a_hit_in_the_plan_says_so() -> None:
    """O7, K9: where a pattern hit is part of why."""
    assert matched(Meaning(0.0), hit("slight", where="plan")).matched == "pattern: login in the plan"


def test_an_exact_hit_by_a_real_pattern_is_exact() -> None:
    """D11: the strength comes from the pattern, not from the figure."""
    found = pattern.hit(["login"], Haystack(Text("Add a login")))
    assert matched(Meaning(0.0), found).strength == "exact"
