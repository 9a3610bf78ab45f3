from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawko.recall.pattern_advice import explain, review
from rawko.values.memory import Memory
from rawko.values.task import Task
from samples import decoded, text


def memory(*patterns: str, **front: Any) -> Memory:
    """A memory with these patterns, and with further lines of frontmatter."""
    listed = ", ".join(f"'{pattern}'" for pattern in patterns)
    return decoded(text(whenToUse=f"[{listed}]", **front))


def reasons(*patterns: str, **front: Any) -> list[str]:
    """What is said about a memory with these patterns."""
    found = review(memory(*patterns, **front))
    assert {problem.level for problem in found} <= {"warning"}
    return [str(problem) for problem in found]


# ---------------------------------------------------------------- explaining


@pytest.mark.parametrize(
    ("pattern", "reading"),
    [
        ("auth", 'matches a text with "auth" in it, also inside a word'),
        ("main()", 'matches a text with "main()" in it, also inside a word'),
        ("find.*file", 'matches a text with "find", later "file"'),
        ("colou?r", "matches what the regular expression finds, and its own text"),
        ("When implementing security", "matches its own text, or a task that is about security"),
        (
            "writing Express handlers",
            "matches its own text, or a task that is about express and handlers; half of these are a moderate match",
        ),
        ("if something changes", 'matches a text with "if something changes" in it, also inside a word'),
        ("*", "matches every task"),
        ("", "matches nothing"),
    ],
)
def test_a_pattern_is_explained_in_plain_words(pattern: str, reading: str) -> None:
    """O7: one sentence says how an alternative is read."""
    assert [part.reading for part in explain(pattern)] == [reading]


def test_each_alternative_is_explained() -> None:
    """O7: its kind, its specific words, and what RE2 is asked."""
    found = explain("auth|colou?r|When implementing security")
    assert [(part.text, part.kind) for part in found] == [
        ("auth", "literal"),
        ("colou?r", "regex"),
        ("When implementing security", "phrase"),
    ]
    assert [part.regexes for part in found] == [(), ("colou?r", "colou.r"), ()]
    assert [part.words for part in found] == [(), (), ("security",)]
    assert [part.advice for part in found] == [(), (), ()]


def test_a_pattern_is_explained_against_a_task() -> None:
    """O7: of each alternative it is said whether it matches, how strongly, where and by which words."""
    task = Task("Harden the security headers", agent="tester", plan="First auth.")
    hits = [part.hit for part in explain("auth|tester|When implementing security|nothing", task)]
    found = [hit and (hit.strength, hit.where, hit.words) for hit in hits]
    assert found == [
        ("slight", "plan", ("auth",)),
        ("exact", "agent", ("tester",)),
        ("close", "task", ("security",)),
        None,
    ]


# ---------------------------------------------------------------- doubts


GOOD = ["auth|login", "implement.*auth", "When implementing security", "expect(", "CI tests", "认证", "api", "colou?r"]


@pytest.mark.parametrize("pattern", GOOD)
def test_a_good_pattern_is_left_alone(pattern: str) -> None:
    """O7: nothing is said where there is nothing to say."""
    assert reasons(pattern) == []


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("auth|", "an empty alternative matches nothing"),
        ("When something changes", "only a task with exactly this text matches"),
        ("(?!x)auth", "no usable regular expression (invalid perl operator: (?!)"),
        ("[a-z]*", "no usable regular expression (it is found in a text without anything in it)"),
        ("x" * 1001, "longer than 1000 characters"),
        ("*", "it matches every task"),
        (".*", "it matches every task"),
        (r"\S+", "it matches nearly every task"),
        ("ab|auth", '"ab" is found inside many words'),
        ("a*", '"a" is found inside many words'),
        ("add", '"add" says nothing about a task'),
        ("fixing", '"fixing" says nothing about a task'),
        ("the", '"the" says nothing about a task'),
        ("implement*", '"implement" says nothing about a task'),
        (r"auth\|login", r"`\|` is the character `|`"),
        ("auth, login", "a comma does not separate alternatives"),
    ],
)
def test_a_doubtful_pattern_is_named(pattern: str, said: str) -> None:
    """K4, O7: dead and over-broad patterns are warnings, with a hint and with the pattern they are about."""
    found = reasons(pattern)
    assert len(found) == 1
    assert said in found[0]
    assert pattern[:70] in found[0]


def test_what_was_forgotten_is_not_reviewed() -> None:
    """A stub has nothing left to improve."""
    stub = '\n\n---\n\n## Update (2026-02-01)\n<!-- rawko:1 {"kind": "forgotten"} -->\n\nGone.\n'
    assert review(decoded(text(whenToUse="['*']") + stub)) == []


# ---------------------------------------------------------------- examples


def test_examples_that_behave_are_silent() -> None:
    """O7: an author may say what a memory is for, and what not."""
    examples = '{match: ["Add a login page", "Fix OAuth"], miss: ["Add email notifications"]}'
    assert reasons("auth|login", examples=examples) == []


def test_examples_that_do_not_behave_are_named() -> None:
    """O7: a warning names the pattern and the text."""
    examples = '{match: ["Add email"], miss: "Fix the login"}'
    missed, found = reasons("auth|login", "When signing in", examples=examples)
    assert missed == 'x.md: no pattern matches the example "Add email" (whenToUse has "auth|login", "When signing in")'
    assert 'whenToUse "auth|login", alternative "login" matches the example "Fix the login"' in found


@pytest.mark.parametrize(
    ("examples", "said"),
    [
        ("nonsense", "`examples` is not understood"),
        ("[a, b]", "`examples` is not understood"),
        ("{matches: [auth]}", "`examples` is not understood"),
        ("{match: {a: b}}", "`examples: match` is no list of texts"),
        ("{miss: [[a]]}", "`examples: miss` is no list of texts"),
    ],
)
def test_examples_that_are_malformed_are_a_warning(examples: str, said: str) -> None:
    """O7: whatever stands there, the memory can be read."""
    found = reasons("auth", examples=examples)
    assert len(found) == 1
    assert said in found[0]


_ANYTHING = st.recursive(
    st.none() | st.text(max_size=5) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["match", "miss", "x"]), inner, max_size=3)
    ),
)


@given(st.text(st.characters(), max_size=30), _ANYTHING)
def test_a_review_never_raises(pattern: str, examples: Any) -> None:
    """K4: whatever an author or a model wrote, it is at worst a warning."""
    first = memory("auth").first
    odd = Memory("x.md", "Title", type(first)("Text.", first.at, when_to_use=(pattern,)), extra={"examples": examples})
    assert all(problem.level == "warning" for problem in review(odd))
    assert all(part.reading for part in explain(pattern, Task(pattern)))


def test_a_regex_that_is_refused_is_called_what_it_is_read_as() -> None:
    """D10: one that RE2 does not take is a literal, and the explanation says nothing else."""
    [explained] = explain("(?=a)b")
    assert (explained.kind, explained.reading) == ("literal", 'matches a text with "(?=a)b" in it, also inside a word')
    assert "no usable regular expression" in explained.advice[0].reason
