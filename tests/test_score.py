"""The parts of a score, each a plain function."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawko.recall import score
from rawko.values.agent import Agent
from rawko.values.document import Head
from rawko.values.memory import IMPORTANCES
from rawko.values.task import PARTS


@pytest.mark.parametrize(
    ("importance", "points"), [("critical", 30), ("high", 25), ("medium", 15), ("low", 5), ("urgent", 0), ("", 0)]
)
def test_importance_has_the_points_of_the_table(importance: str, points: float) -> None:
    """E2: and an unknown one has none."""
    assert score.importance(Head(importance=importance)) == points


@pytest.mark.parametrize(
    ("seconds", "points"), [(0, 10), (86_399.9, 10), (86_400, 5), (259_199.9, 5), (259_200, 0), (-0.1, 0)]
)
def test_the_bounds_of_recency_are_strict(seconds: float, points: float) -> None:
    """E3: 24 hours is not less than 24 hours."""
    assert score.recency(Head(at=1000.0), 1000.0 + seconds) == points


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", set()),
        ("to be or not to be", set()),
        ("Add the login, LOGIN!", {("add",), ("login",)}),
        ("a b c", set()),
        ("fix CI", {("fix",), ("ci",)}),
        ("userId user_id", {("user", "id", "userid")}),
        ("api/jwt.py", {("api",), ("jwt", "py", "jwtpy")}),
    ],
)
def test_only_telling_words_of_a_task_count_for_a_title(text: str, words: set[tuple[str, ...]]) -> None:
    """K17, U10: each once, no little words, no single letters."""
    assert score.telling(text) == words


@pytest.mark.parametrize(
    ("title", "task", "points"),
    [
        ("Authentication", "auth", 5),
        ("OAuth", "auth", 0),
        ("too broad", "to", 0),
        ("one two three four five", "one two three four five", 20),
        ("", "auth", 0),
        ("データベース", "データ", 10),
        ("The userId of a guest", "rename userId", 5),
        ("OAuth2", "OAuth2", 5),
        ("User table", "userId", 5),
        ("JWT in auth", "auth/jwt.py", 10),
    ],
)
def test_a_word_counts_where_a_word_of_the_title_begins_with_it(title: str, task: str, points: float) -> None:
    """E4, K17: a prefix of a word, not any part of it; 20 at most."""
    assert score.title(Head(title=title), score.telling(task)) == points


def test_a_tag_twice_counts_once() -> None:
    """E5, U11: tags are compared in lower case, and each counts once."""
    assert score.specialty(Head(tags=("Code", "code", "CODE")), Agent("developer")) == 5


def test_own_tags_take_the_place_of_the_usual_ones() -> None:
    """K18: an agent that says what it is good at is good at nothing else."""
    agent = Agent("developer", tags=("Rust",))
    assert score.specialty(Head(tags=("rust", "code")), agent) == 5


@pytest.mark.parametrize(("tags", "points"), [(("code",), 7.5), (("code", "patterns"), 7.5), ((), 0), (("x",), 0)])
def test_the_bonus_is_for_the_agents_specialties(tags: tuple[str, ...], points: float) -> None:
    """E12, K21: once, for what shares a tag with the agent."""
    assert score.bonus(Head(tags=tags), Agent("developer", score_bonus=7.5)) == points


@pytest.mark.parametrize(("by", "name", "points"), [("tester", "tester", 10), ("tester", "Tester", 0), ("", "", 0)])
def test_the_discoverer_is_the_same_name(by: str, name: str, points: float) -> None:
    """E8: and nobody is not the same as nobody."""
    assert score.discoverer(Head(by=by), Agent(name)) == points


@pytest.mark.parametrize(("found", "total"), [({}, 0), ({"a": 60, "b": 60}, 100), ({"a": -5}, 0), ({"a": 1.25}, 1.25)])
def test_a_total_is_within_bounds(found: dict[str, float], total: float) -> None:
    """E1: from 0 to 100."""
    assert score.total(found) == total


heads = st.fixed_dictionaries(
    {
        "title": st.text(max_size=40),
        "tags": st.lists(st.sampled_from(["code", "Patterns", "review", "implementation", "development"])).map(tuple),
        "importance": st.sampled_from([*IMPORTANCES, "?"]),
        "by": st.sampled_from(["developer", "x"]),
        "at": st.floats(-1e12, 1e12),
    }
).map(lambda fields: Head(**fields))
agents = st.builds(Agent, st.sampled_from(["developer", "", "x"]), score_bonus=st.floats(-1000, 1000))


@given(heads, agents, st.text(max_size=60), st.floats(-1e12, 1e12), st.floats(0, 1))
def test_any_score_is_from_0_to_100_and_named(head: Head, agent: Agent, task: str, now: float, match: float) -> None:
    """E1, E13: whatever comes together, every part has its name and the sum its bounds."""
    found = score.parts(head, agent, score.telling(task), now, match, {})
    assert tuple(found) == PARTS
    assert 0 <= score.total(found) <= 100


@given(heads, st.text(max_size=60), st.floats(0, 1))
def test_without_a_bonus_the_parts_keep_to_their_bounds(head: Head, task: str, match: float) -> None:
    """E1: 30, 10, 20, 15, 10 and 15 at most."""
    found = score.parts(head, Agent("developer"), score.telling(task), 0.0, match, {})
    most = {"importance": 30, "recency": 10, "title": 20, "specialty": 15, "discoverer": 10, "bonus": 0, "match": 15}
    assert {name: value for name, value in found.items() if not 0 <= value <= most[name]} == {}
