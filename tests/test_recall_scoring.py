"""What a chosen memory scores, part by part, and the order that follows."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from rawko.testing import FixedClock
from recalled import keep, only, reasons, set_up, titles
from samples import data

if TYPE_CHECKING:
    from rawko.library import Library

AN_OLD_ONE = {"days": 30}


@pytest.fixture
def library(clock: FixedClock) -> Library:
    """An empty library that knows words and no vectors."""
    return set_up(clock)


def parts(library: Library, task: str = "Add a login page", **more: object) -> dict[str, float]:
    """The parts of the score of the one memory that is chosen."""
    return dict(only(library.inject(task, **more)).parts)  # type: ignore[arg-type]


# ---------------------------------------------------------------- the parts


@pytest.mark.parametrize(("importance", "points"), [("critical", 30.0), ("high", 25.0), ("medium", 15.0), ("low", 5.0)])
def test_importance_has_its_points(library: Library, importance: str, points: float) -> None:
    """E2: the points of the seeds' table."""
    keep(library, "Known", importance=importance)
    assert parts(library)["importance"] == points


@pytest.mark.parametrize(
    ("hours", "points"),
    [(0, 10.0), (23.9, 10.0), (24, 5.0), (71.9, 5.0), (72, 0.0), (9000, 0.0), (-0.1, 0.0), (-24 * 365 * 70, 0.0)],
)
def test_what_is_recent_has_more_points(library: Library, clock: FixedClock, hours: float, points: float) -> None:
    """E3, O2, fault C6: less than a day is 10, less than three is 5; what claims to be from the future has nothing."""
    keep(library, "Known")
    assert parts(library, now=clock.now + timedelta(hours=hours))["recency"] == points


def test_a_file_from_the_future_has_no_recency_and_does_no_harm(clock: FixedClock) -> None:
    """E3, fault C6: a file whose date is ahead of the clock is chosen like any other, without the bonus."""
    library = set_up(clock, {"ahead.md": data(discoveredAt="2099-01-01T00:00:00Z")})
    assert parts(library, "run the test")["recency"] == 0.0


def test_an_update_makes_a_memory_recent(library: Library, clock: FixedClock) -> None:
    """O2, K14: recency is that of the latest statement."""
    keep(library, "Known")
    clock.advance(**AN_OLD_ONE)
    library.update("Known", "Still so.")
    assert parts(library)["recency"] == 10.0


@pytest.mark.parametrize(
    ("title", "task", "points"),
    [
        ("Zorp", "Add a login page", 0.0),
        ("The login", "Add a login page", 5.0),
        ("Login pages", "Add a login page", 10.0),
        ("Login page added for guests of ours", "add a login page for guests, ours", 20.0),
        ("Too many logins", "to login", 5.0),
        ("The login", "login login login login", 5.0),
        ("A login for the users", "the login for a", 5.0),
    ],
)
def test_words_of_the_task_in_the_title_have_points(library: Library, title: str, task: str, points: float) -> None:
    """E4, K17, U10: 5 for each word that begins one of the title's, once each, none for little words, 20 at most."""
    keep(library, title)
    assert parts(library, task)["title"] == points


@pytest.mark.parametrize(
    ("tags", "points"),
    [
        ([], 0.0),
        (["patterns"], 5.0),
        (["Patterns", "CODE"], 10.0),
        (["implementation", "code", "patterns", "development"], 15.0),
        (["testing"], 0.0),
    ],
)
def test_tags_of_the_agents_specialty_have_points(library: Library, tags: list[str], points: float) -> None:
    """E5, U11, U12: 5 for each shared tag in any case, 15 at most."""
    keep(library, "Known", tags=tags)
    assert parts(library, agent="developer")["specialty"] == points


@pytest.mark.parametrize(
    ("agent", "tag"),
    [
        ("planner", "planning"), ("planner", "structure"), ("planner", "analysis"), ("planner", "architecture"),
        ("developer", "implementation"), ("developer", "code"), ("developer", "patterns"), ("developer", "development"),
        ("tester", "testing"), ("tester", "validation"), ("tester", "quality"), ("tester", "tests"),
        ("reviewer", "review"), ("reviewer", "quality"), ("reviewer", "standards"), ("reviewer", "code-review"),
    ],
)  # fmt: skip
def test_the_usual_agents_have_their_specialties(library: Library, agent: str, tag: str) -> None:
    """E6, U12: the seeds' table, with the fourth tag of each."""
    keep(library, "Known", tags=[tag], agent="somebody")
    assert parts(library, agent=agent)["specialty"] == 5.0


@pytest.mark.parametrize("agent", ["", "stranger", "Developer"])
def test_an_unknown_agent_has_no_specialty(library: Library, agent: str) -> None:
    """E7: nobody knows what a stranger is good at."""
    keep(library, "Known", tags=["code", "testing", "review", "planning"])
    assert parts(library, agent=agent)["specialty"] == 0.0


@pytest.mark.parametrize(("agent", "points"), [("tester", 10.0), ("developer", 0.0), ("", 0.0)])
def test_the_discoverer_is_told_again(library: Library, agent: str, points: float) -> None:
    """E8: 10 for what the same agent found out itself."""
    keep(library, "Known", agent="tester")
    assert parts(library, agent=agent)["discoverer"] == points


def test_a_match_has_points_that_the_seeds_leave(library: Library) -> None:
    """E1, DESIGN 4: how strongly a memory matches uses the room up to 100."""
    keep(library, "Known")
    assert 0 < parts(library)["match"] <= 15


def test_a_score_is_the_sum_of_its_parts(library: Library) -> None:
    """E13, E1: every part is visible, and the score is no more than they are."""
    keep(library, "Login pages", importance="critical", agent="developer", tags=["code", "patterns", "development"])
    chosen = only(library.inject("Add a login page", agent="developer"))
    assert chosen.score == pytest.approx(sum(chosen.parts.values()))
    assert list(chosen.parts) == ["importance", "recency", "title", "specialty", "discoverer", "bonus", "match"]


def test_what_is_left_out_shows_its_parts_too(library: Library) -> None:
    """E13: of what is not injected, the score is explained as well."""
    keep(library, "Known")
    [left_out] = library.inject("Add a login page", limit=0).left_out
    assert (left_out.score, left_out.parts["importance"]) == (pytest.approx(sum(left_out.parts.values())), 15.0)


def test_weights_are_settings(clock: FixedClock) -> None:
    """O9, DESIGN 4: a part can be weighed more, or not at all."""
    library = set_up(clock, weights={"importance": 2.0, "recency": 0.0})
    keep(library, "Known", importance="high")
    found = parts(library)
    assert (found["importance"], found["recency"]) == (50.0, 0.0)


def test_a_score_is_never_above_100(clock: FixedClock) -> None:
    """E1: whatever the weights."""
    library = set_up(clock, weights={"importance": 10.0})
    keep(library, "Known", importance="critical")
    assert only(library.inject("Add a login page")).score == 100.0


# ---------------------------------------------------------------- strict: the seeds' own scores


def test_strict_has_the_scores_of_the_seeds() -> None:
    """E1, U13: the third example's parts, from the table alone; what matches how well counts nothing."""
    clock = FixedClock()
    library = set_up(clock, match="strict")
    keep(library, "Authentication module structure", "password", importance="high", agent="developer")
    clock.advance(days=2)
    chosen = only(library.inject("Implement password reset feature", agent="developer"))
    assert (chosen.score, chosen.parts["match"]) == (25 + 5 + 10, 0.0)


def test_strict_reaches_85_at_most() -> None:
    """E1: that is what the seeds' parts add up to."""
    library = set_up(match="strict")
    tags = ["implementation", "code", "patterns"]
    keep(library, "Add login pages for guests", "login", importance="critical", agent="developer", tags=tags)
    assert only(library.inject("add login pages for guests", agent="developer")).score == 85.0


def test_strict_orders_by_score_alone() -> None:
    """E9, E11, U13: the seeds sort by score, however well each matches."""
    library = set_up(match="strict")
    keep(library, "Zorp", "login", importance="critical", content="Nothing.")
    login = "The login page is the login page of the login."
    library.remember("Zarp", login, ["login", "page", "add a login page"], importance="low")
    assert titles(library.inject("Add a login page")) == ["Zorp", "Zarp"]


# ---------------------------------------------------------------- order


def test_the_best_score_comes_first(library: Library) -> None:
    """E9, E11: of those that match alike, the order is that of their scores."""
    keep(library, "Zorp a", importance="medium")
    keep(library, "Zorp b", importance="high", agent="tester")
    keep(library, "Zorp c", importance="high", agent="developer")
    keep(library, "Zorp d", importance="critical")
    selection = library.inject("Add a login page", agent="developer")
    assert len({one.match.value for one in selection.memories}) == 1
    assert titles(selection) == ["Zorp c", "Zorp d", "Zorp b", "Zorp a"]
    scores = [one.score for one in selection.memories]
    assert scores == sorted(scores, reverse=True)


def test_five_go_in_unless_somebody_says_otherwise(library: Library) -> None:
    """E9: the default of N is 5, and the others are named."""
    for number in range(8):
        keep(library, f"Zorp {'abcdefgh'[number]}")
    selection = library.inject("Add a login page")
    assert (len(selection.memories), set(reasons(selection).values())) == (5, {"only 5 are injected"})


@pytest.mark.parametrize(("limit", "count"), [(0, 0), (1, 1), (3, 3), (7, 4)])
def test_a_caller_may_want_more_or_fewer(library: Library, limit: int, count: int) -> None:
    """E9: the limit of a call holds."""
    for letter in "abcd":
        keep(library, f"Zorp {letter}")
    assert len(library.inject("Add a login page", limit=limit).memories) == count


def test_the_best_of_many_go_in(library: Library) -> None:
    """E9: the cut comes after the order."""
    keep(library, "Zorp a", importance="low")
    keep(library, "Zorp b", importance="critical")
    keep(library, "Zorp c", importance="high")
    assert titles(library.inject("Add a login page", limit=2)) == ["Zorp b", "Zorp c"]


def test_of_equal_scores_the_more_important_comes_first() -> None:
    """K19: then importance decides."""
    library = set_up(weights={"importance": 0.0})
    keep(library, "Zorp a", importance="medium")
    keep(library, "Zorp b", importance="critical")
    assert titles(library.inject("Add a login page")) == ["Zorp b", "Zorp a"]


def test_of_equally_important_ones_the_newer_comes_first(library: Library, clock: FixedClock) -> None:
    """K19: then the date."""
    keep(library, "Zorp a")
    clock.advance(days=5)
    keep(library, "Zorp b")
    clock.advance(**AN_OLD_ONE)
    assert titles(library.inject("Add a login page")) == ["Zorp b", "Zorp a"]


@pytest.mark.parametrize("order", [["Zorp a", "Zorp b"], ["Zorp b", "Zorp a"]])
def test_of_equally_new_ones_the_title_decides(library: Library, order: list[str]) -> None:
    """K19: then the title, never the order of the folder."""
    keep(library, order[0])
    keep(library, order[1])
    assert titles(library.inject("Add a login page")) == ["Zorp a", "Zorp b"]


def test_what_to_avoid_comes_before_others_of_equal_score(library: Library) -> None:
    """O4, A29: a failure is told first."""
    keep(library, "Zorp a")
    keep(library, "Zorp b", tags=["Failures"])
    assert titles(library.inject("Add a login page")) == ["Zorp b", "Zorp a"]


def test_what_to_avoid_may_be_said_by_its_kind(clock: FixedClock) -> None:
    """O4: `kind: avoid` says it as well as the tag."""
    texts = {
        "a.md": data("Zorp one.", title='"Zorp a"', tags="[]"),
        "b.md": data("Zarp two.", title='"Zorp b"', tags="[]", kind="avoid"),
    }
    assert titles(set_up(clock, texts).inject("run the test")) == ["Zorp b", "Zorp a"]


def test_a_better_score_beats_what_to_avoid(library: Library) -> None:
    """O4: only among equals."""
    keep(library, "Zorp a", importance="high")
    keep(library, "Zorp b", tags=["failures"], importance="medium")
    assert titles(library.inject("Add a login page")) == ["Zorp a", "Zorp b"]


# ---------------------------------------------------------------- the least importance


@pytest.mark.parametrize(
    ("least", "found"),
    [
        ("low", ["critical", "high", "medium", "low"]),
        ("medium", ["critical", "high", "medium"]),
        ("high", ["critical", "high"]),
        ("critical", ["critical"]),
    ],
)
def test_the_least_importance_is_inclusive(library: Library, least: str, found: list[str]) -> None:
    """E10, K20: `medium` admits medium."""
    for importance in ("low", "medium", "high", "critical"):
        keep(library, f"Zorp {importance}", importance=importance)
    selection = library.inject("Add a login page", min_importance=least)
    assert [one.memory.importance for one in selection.memories] == found


def test_what_is_not_important_enough_is_named(library: Library) -> None:
    """E10, E13: with the reason."""
    keep(library, "Known", importance="low")
    assert reasons(library.inject("Add a login page", min_importance="high")) == {"Known": "less important than high"}
