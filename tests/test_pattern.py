from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rawko.recall import pattern, phrase, reading, syntax
from rawko.recall.alternative import fold
from rawko.recall.pattern import Haystack, Hit
from rawko.values.task import STRENGTHS, Task
from samples import decoded

SEEDS = Path(__file__).parent / "data" / "seeds"


def hit(patterns: str | list[str], text: str, **around: str) -> Hit | None:
    """The strongest hit of one or several patterns in a task."""
    given = [patterns] if isinstance(patterns, str) else patterns
    return pattern.hit(given, Haystack.of(Task(text, **around)))


def strength(patterns: str | list[str], text: str, **around: str) -> str | None:
    """How strongly patterns match a task."""
    found = hit(patterns, text, **around)
    return found.strength if found else None


def kinds(text: str) -> list[tuple[str, str]]:
    """The alternatives of a pattern, with their kinds."""
    return [(alternative.kind, alternative.text) for alternative in pattern.read(text)]


def specific(text: str) -> list[str]:
    """The specific words of a pattern's first alternative."""
    return [word.text for word in pattern.read(text)[0].words]


# ---------------------------------------------------------------- what the seeds promise


@pytest.mark.parametrize(
    ("text", "task", "expected"),
    [
        ("auth|login|security", "add login page", "exact"),
        ("auth|login|security", "add user page", None),
        ("implement.*auth", "implement authentication", "exact"),
        ("implement.*auth", "auth module", None),
        ("When implementing security", "security features task", "close"),
        ("When implementing security", "database task", None),
    ],
)
def test_the_table_of_the_seeds_holds(text: str, task: str, expected: str | None) -> None:
    """D13: all six outcomes of the original table."""
    assert strength(text, task) == expected


MEANT = {
    "001-file-structure": (
        [
            "Add a login page",
            "Implement user authentication",
            "Review the security of file uploads",
            "Fix OAuth tokens",
        ],
        ["Add email notifications", "Speed up the product search", "Upgrade PostgreSQL to 16", "Add a new feature"],
    ),
    "001-codebase-structure": (
        [
            "Find the config file",
            "Explain the structure of this repository",
            "Start by exploring the API",
            "Navigate to it",
        ],
        [
            "Fix the rounding of prices",
            "Add email notifications",
            "Understand why the job is slow",
            "Plan the new project",
        ],
    ),
    "001-failure": (
        [
            "Add OAuth integration to existing auth system",
            "Offer social authentication",
            "Compare authentication options",
        ],
        ["Add email notifications", "Fix the social media links", "Consider other approaches to caching"],
    ),
    "001-code-pattern": (
        [
            "Add a rate limiting middleware",
            "Write an Express handler for uploads",
            "Log every request in an interceptor",
        ],
        ["Add email notifications", "Write the release notes", "Tune the database indexes"],
    ),
    "003-file-structure": (
        ["Use pattern1 here", "Refactor pattern2", "Parse a natural language description"],
        ["Add email notifications", "Fix the login", "Use a pattern"],
    ),
    "003-codebase-structure": (
        ["Locate the payment module", "Find every file that uses it", "Describe the project structure"],
        ["Add email notifications", "Understand the bug", "Locate the nearest shop", "Start a new project"],
    ),
    "003-code-pattern": (
        ["Return an error for bad input", "Catch the exception in the worker", "Write Express handlers for orders"],
        ["Add email notifications", "Write the docs", "Upgrade the linter"],
    ),
    "003-failure": (
        [
            "Use OAuth for GitHub",
            "Evaluate a third-party login",
            "Decide how auth should work",
            "Social sign-in and auth",
        ],
        ["Add email notifications", "Consider a cache", "Throw a party", "Approach the deadline"],
    ),
    "003-constraint": (
        ["Let a session expire", "Choose a state management library", "Refactor authentication", "Fix the auth tests"],
        ["Add email notifications", "Work on the invoice layout", "State the obvious", "Work with dates"],
    ),
}
_EACH = [(name, task, True) for name, (meant, _) in MEANT.items() for task in meant] + [
    (name, task, False) for name, (_, other) in MEANT.items() for task in other
]


@pytest.mark.parametrize(("name", "task", "expected"), _EACH)
def test_the_memories_of_the_seeds_match_what_a_reader_expects(name: str, task: str, expected: bool) -> None:
    """D12, K2, K5: the patterns of every example memory match tasks that are meant, and no others."""
    memory = decoded((SEEDS / f"{name}.md").read_bytes())
    assert (hit(list(memory.when_to_use), task) is not None) is expected


@pytest.mark.parametrize(
    ("patterns", "meant", "other"),
    [
        (
            ["auth|login", "implementing security"],
            ["Add login", "Harden security headers", "Rotate auth tokens"],
            ["Implement paging", "Add email notifications", "Implementing a parser"],
        ),
        (
            ["When task mentions authentication"],
            ["Implement authentication", "Document how authentication works", "Slow authentications"],
            ["The task mentions dates", "Add email notifications", "Rename a task"],
        ),
        (
            ["auth|login", "When implementing security features"],
            ["Fix the login", "Plan security work", "Move the auth code"],
            ["Implement features", "Add a feature flag", "Add email notifications"],
        ),
    ],
)
def test_the_lists_in_the_text_of_the_seeds(patterns: list[str], meant: list[str], other: list[str]) -> None:
    """D3, D12: what is shown beside the examples matches as it reads; any pattern of a list suffices."""
    assert [task for task in meant if not hit(patterns, task)] == []
    assert [task for task in other if hit(patterns, task)] == []


def test_a_task_about_something_else_gets_nothing() -> None:
    """Example 2 of the seeds: memories about authentication have nothing to say about email."""
    texts = (path.read_bytes() for path in sorted(SEEDS.glob("*.md")))
    assert [memory for memory in map(decoded, texts) if hit(list(memory.when_to_use), "Add email notifications")] == []


_ROW = re.compile(r"^\| `(.+?)` \| [a-z ]+ \| (.*) \| (.*) \|$", re.MULTILINE)
_PAGE = Path(__file__).parent.parent / "docs" / "patterns.md"
_SHOWN = [
    (text.replace("\\|", "|"), task, expected)
    for text, meant, other in _ROW.findall(_PAGE.read_text())
    for tasks, expected in ((meant, True), (other, False))
    for task in re.findall(r'"([^"]+)"', tasks)
]


def test_the_page_has_examples() -> None:
    """What follows is not an empty promise."""
    assert len(_SHOWN) >= 20


@pytest.mark.parametrize(("text", "task", "expected"), _SHOWN)
def test_the_examples_of_the_page_are_so(text: str, task: str, expected: bool) -> None:
    """O7: what the page of rules shows as matching matches, and nothing else in its table does."""
    assert (hit(text, task) is not None) is expected


# ---------------------------------------------------------------- how a pattern is taken apart


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("auth", [("literal", "auth")]),
        ("  auth  ", [("literal", "auth")]),
        ("rate-limit", [("literal", "rate-limit")]),
        ("package.json", [("literal", "package.json")]),
        ("C++", [("literal", "C++")]),
        ("$HOME", [("literal", "$HOME")]),
        ("src\\", [("literal", "src\\")]),
        ("[bug]", [("literal", "[bug]")]),
        ("认证", [("literal", "认证")]),
        ("expect(", [("literal", "expect(")]),
        ("expect(|assert", [("literal", "expect("), ("literal", "assert")]),
        ("main()", [("literal", "main()")]),
        ("get()|set()", [("literal", "get()"), ("literal", "set()")]),
        ("init().*x", [("wildcard", "init().*x")]),
        ("items[|list", [("literal", "items["), ("literal", "list")]),
        ("a)|b", [("literal", "a)"), ("literal", "b")]),
        (
            "exploring|navigate|find.*file",
            [("literal", "exploring"), ("literal", "navigate"), ("wildcard", "find.*file")],
        ),
        ("(a|b)c|d", [("regex", "(a|b)c"), ("literal", "d")]),
        ("[a|b]c|d", [("regex", "[a|b]c"), ("literal", "d")]),
        (r"a\|b", [("regex", r"a\|b")]),
        ("auth|", [("literal", "auth"), ("empty", "")]),
        ("", [("empty", "")]),
        (" | ", [("empty", ""), ("empty", "")]),
        ("*.ts", [("wildcard", "*.ts")]),
        ("auth*", [("wildcard", "auth*")]),
        ("[*", [("wildcard", "[*")]),
        ("expect(.*", [("wildcard", "expect(.*")]),
        ("auth.*?token", [("wildcard", "auth.*?token")]),
        ("colou?r", [("regex", "colou?r")]),
        ("implement.{0,5}auth", [("regex", "implement.{0,5}auth")]),
        ("[Rr]edis", [("regex", "[Rr]edis")]),
        (r"\bapi\b", [("regex", r"\bapi\b")]),
        ("^fix", [("regex", "^fix")]),
        ("v[0-9]+", [("regex", "v[0-9]+")]),
        ("user authentication", [("phrase", "user authentication")]),
        ("How do we deploy?", [("phrase", "How do we deploy?")]),
        ("adding tests (unit or integration)", [("phrase", "adding tests (unit or integration)")]),
        ("[WIP] branches", [("phrase", "[WIP] branches")]),
        ("When touching (auth|login)", [("phrase", "When touching (auth|login)")]),
        ("touching (auth|login)", [("regex", "touching (auth|login)")]),
        *[(text, [("always", text)]) for text in ("*", "**", ".*", "^.*$", "(.*)", ".+", "* *", "((.*))")],
    ],
)
def test_each_alternative_is_read_by_its_own_kind(text: str, expected: list[tuple[str, str]]) -> None:
    """D5, D6, K2, K7: split on pipes outside brackets; a bracket without a partner is a character like any other."""
    assert kinds(text) == expected


def test_a_pattern_that_is_too_long_is_plain_text() -> None:
    """K4: what is longer than a pattern can reasonably be is not taken apart."""
    text = "auth|" * 201
    assert [alternative.kind for alternative in pattern.read(text)] == ["literal"]
    assert hit(text, "auth") is None
    assert strength(text, f"see {text} there") == "exact"


# ---------------------------------------------------------------- texts, wildcards, regular expressions


@pytest.mark.parametrize(
    ("text", "task", "expected"),
    [
        ("AUTH", "fix the Authors page", True),
        ("auth", "OAuth", True),
        ("认证", "修复用户认证错误", True),
        ("ÉCOLE", "une e\u0301cole", True),
        ("straße", "STRASSE", True),
        ("auth\n login", "Auth   login", True),
        ("expect(", "use expect(value)", True),
        ("expect(", "what to expect", False),
        ("main()", "where main() is called", True),
        ("main()", "Maintain the changelog", False),
        ("main()", "Fix the domain name", False),
        ("^init()", "Unit tests for init", False),
        ("C++", "a C++ parser", True),
        ("C++", "a C parser", False),
        ("package.json", "packagexjson", False),
        ("social.*auth", "social sign-in and authentication", True),
        ("social.*auth", "auth for social media", False),
        ("implement.*auth", "implementauth", True),
        ("auth*page", "the auth and login page", True),
        ("auth * page", "the auth page", True),
        ("*.ts", "rename main.ts", True),
        ("*.ts", "rename tests", False),
        ("aba*aba", "ababa", False),
        ("[*", "a [* b", True),
        ("[*", "a * b", False),
        ("(auth|login)*page", "page", True),
        ("x[0-9]*y", "x12y", True),
        ("/users/{id}*", "GET /users/{id}/orders", True),
    ],
)
def test_texts_and_stars(text: str, task: str, expected: bool) -> None:
    """D7, D11, K3: a word is found anywhere, a lone star is anything, a star after a bracket or a dot repeats."""
    assert (strength(text, task) == "exact") is expected


@pytest.mark.parametrize(
    ("text", "task", "expected"),
    [
        ("colou?r", "colour", True),
        ("colou?r", "Color", True),
        ("colou?r", "colouur", True),  # as one character
        ("colou?r", "colr", False),
        ("t?st", "a test", True),
        ("?at", "a cat", True),
        ("tests?", "one test", True),
        ("implement.{0,5}auth", "implement auth", True),
        ("implement.{0,5}auth", "implement the new auth", False),
        (r"\bapi\b", "the API is slow", True),
        (r"\bapi\b", "the rapid test", False),
        (r"v\d+\.\d+", "since v2.1", True),
        ("[A-Z]{3}-[0-9]+", "close ABC-12", True),
        ("^fix", "Fix it", True),
        ("^fix", "a fix", False),
        ("(unit|integration) tests?$", "write integration tests", True),
        ("(unit|integration) tests?$", "unit tests for it", False),
        ("foo(bar)", "call foo(bar)", True),
        ("foo(.{0,3}bar", "foo( bar", True),
        ("STRASSE.+x", "straße ax", True),
        ("认.{0,3}证", "认真验证", True),
        (r"v\pL+1", "vAb1", True),
        (r"v\pL+1", "v221", False),
        (r"v\PL+x", "v22x", True),
        (r"v\S+1", "v-1", True),
        (r"v\S+1", "v 1", False),
        (r"v\W1", "v-1", True),
        (r"v\Dx", "v-x", True),
        (r"v\Dx", "v1x", False),
    ],
)
def test_regular_expressions(text: str, task: str, expected: bool) -> None:
    """D8, D9, K1: the regex reading or the glob reading may match, or the text itself."""
    assert (strength(text, task) == "exact") is expected


@pytest.mark.parametrize("text", [r"(?=x)secret", r"(a)\1", "a{1001}", "x{2}*", "?+a", r"\Qa.b", "[z-a]b", "a\ud800.?"])
def test_a_regex_that_cannot_be_used_is_plain_text(text: str) -> None:
    """D10, K4: what RE2 refuses is found where it stands, and nowhere else."""
    assert strength(text, f"see {text} here") == "exact"
    assert hit(text, "Add secret email notifications") is None


@pytest.mark.parametrize("text", ["(auth)?", "[a-z]*", "x{0,3}", "()", r"\w*", "(a|)"])
def test_a_regex_that_needs_nothing_finds_nothing(text: str) -> None:
    """K7: what is found in an empty text says nothing about a task; `*` alone means every task."""
    assert hit(text, "Fix it") is None
    assert strength(text, f"see {text} here") == "exact"


def test_simple_patterns_do_not_load_re2() -> None:
    """Words, phrases and stars are looked for without a regex engine, which takes longer to load than to run."""
    code = (
        "import sys; from rawko.recall.pattern import Haystack, hit; from rawko.values.task import Task\n"
        "where = Haystack.of(Task('Implement the auth page', 'tester', 'a plan', 'history'))\n"
        "patterns = ['nothing', 'find.*file', 'colou?r', 'When all else fails', '*.ts', 'expect(', 'auth*page']\n"
        "print(hit(patterns, where).words)\n"
        "print('re2' in sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.split("\n")[:2] == ["('auth', 'page')", "False"]


@pytest.mark.parametrize("end", ["", " café"])
def test_a_regex_with_large_counts_reaches_as_far_as_its_effort(end: str) -> None:
    """K4: a long task is looked through in part; where the task is cut, no `$` is found."""
    assert strength("a.{0,100}b", "a b" + " word" * 1000 + end) == "exact"
    assert strength("a.{0,100}b", " word" * 200 + "a b" + end) == "exact"
    assert hit("a.{0,100}b$", "word " * 20_000 + "a b" + end) is None
    assert hit("a.{0,100}d$", "a word " * 20_000 + "x" + end) is None


# ---------------------------------------------------------------- phrases


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("When implementing security features", ["security"]),
        ("When task mentions authentication", ["authentication"]),
        ("considering auth approaches", ["auth"]),
        ("writing Express handlers", ["express", "handlers"]),
        ("When needing to understand project structure", ["structure"]),
        ("Use this when you are adding a new payments module", ["payments"]),
        ("When creating modules", ["modules"]),
        ("If something has to be changed", []),
        ("When using OAuth with GitHub?", ["oauth", "github"]),
        ("When renaming user_account", ["renaming", "account"]),
        ("When writing C++", ["cpp"]),
        ("Using C# (or C++)", ["csharp", "cpp"]),
    ],
)
def test_a_phrase_is_about_its_specific_words(text: str, expected: list[str]) -> None:
    """K5: little words, lead-ins and verbs for any work are dropped; `module` counts where nothing else does."""
    assert specific(text) == expected


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("We are writing Express handlers", "exact"),
        ("Express: new handlers", "close"),
        ("Move handlers to another place", "moderate"),
        ("An Express server", "moderate"),
        ("Writing documentation", None),
    ],
)
def test_the_strength_of_a_phrase(task: str, expected: str | None) -> None:
    """K5, K6: its own text is exact, all specific words are close, half of them moderate."""
    assert strength("writing Express handlers", task) == expected


def test_less_than_half_of_the_words_is_nothing() -> None:
    """K5: one word of three is no match."""
    assert hit("Redis cluster failover", "a cluster of bugs") is None
    assert strength("Redis cluster failover", "a Redis cluster") == "moderate"


@pytest.mark.parametrize(
    ("text", "task", "expected"),
    [
        ("When dealing with auth", "Refactor authentication", "close"),
        ("When dealing with authentication", "Refactor auth", "close"),
        ("When the database is slow", "DB migration", "moderate"),
        ("When touching the api", "apiary", None),
        ("When using a session store", "rename sessionStore", "close"),
        ("When writing C++", "Port it to C++17", "close"),
        ("When writing C++", "Write the C parser", None),
    ],
)
def test_words_are_compared_as_people_mean_them(text: str, task: str, expected: str | None) -> None:
    """K5: a word of four letters begins a longer one, a short form stands for the long one, identifiers have parts."""
    assert strength(text, task) == expected


def test_a_phrase_without_a_specific_word_matches_by_its_text_alone() -> None:
    """K5: nothing to be about is no reason to match."""
    assert hit("When something has to be changed", "Change something") is None
    assert strength("has to be changed", "It has to be  changed today") == "exact"


def test_the_question_mark_of_a_phrase_is_punctuation() -> None:
    """K1: a question ends with one, and the task need not."""
    assert strength("How do we deploy?", "Tell me how do we deploy this") == "exact"
    assert strength("How do we deploy?", "Deploy it") == "close"


# ---------------------------------------------------------------- where, how strongly, which


def test_a_star_alone_matches_every_task() -> None:
    """D15, K7: `*` is meant for everything, even for a task without text."""
    assert strength("*", "") == "exact"
    assert hit(["", " ", "|"], "anything") is None


@pytest.mark.parametrize(
    ("text", "agent", "expected"),
    [
        ("tester", "tester", True),
        ("TESTER", "Tester", True),
        ("test", "tester", False),
        ("test.*", "tester", False),
        ("plan", "planner", False),
        ("extractor", "memory-extractor", True),
        ("memory-extractor", "memory-extractor", True),
        ("(test|tester)", "tester", True),
        ("test(ing)?", "tester", False),
        ("code reviewer", "Code Reviewer", True),
        ("When the tester works", "tester", False),
        ("e", "", False),
    ],
)
def test_an_agent_is_named_as_a_whole(text: str, agent: str, expected: bool) -> None:
    """D4, K8: a pattern may name an agent, but a piece of the name is no reason to match all its tasks."""
    found = hit(text, "Do it now", agent=agent)
    assert ((found.strength, found.where) if found else None) == (("exact", "agent") if expected else None)


@pytest.mark.parametrize("where", ["plan", "history"])
@pytest.mark.parametrize("text", ["oauth|login", "log.*in", "When touching the login form", "^fix (the|a) login"])
def test_a_hit_beside_the_task_is_slight(text: str, where: str) -> None:
    """D1, K9: the plan and the history are weaker evidence, however good the hit."""
    found = hit(text, "Go on", **{where: "Fix the login form"})
    assert found
    assert (found.strength, found.where) == ("slight", where)


def test_half_of_a_phrase_beside_the_task_is_nothing() -> None:
    """K9: a long history has half the words of anything."""
    assert hit("writing Express handlers", "Go on", history="We took the express train") is None


def test_the_strongest_hit_counts_and_the_first_of_equals() -> None:
    """O7: the hit says which pattern and which alternative made it, and by which words."""
    found = hit(["When paging results", "nothing|login.*page", "login"], "Paging on the login page")
    assert found
    assert (found.strength, found.pattern, found.alternative.text) == ("exact", "nothing|login.*page", "login.*page")
    assert (found.where, found.words) == ("task", ("login", "page"))


# ---------------------------------------------------------------- keys


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("auth", "auth"),
        ("authentication", "authenti"),
        ("When implementing security", "implemen"),
        ("find.*file", "find"),
        ("C++", "c+"),
        ("colou?r", "colo"),
        ("(a|b)", ""),
        ("*", ""),
        ("", ""),
        (r"\bmigrate(d|s)?\b", "migr"),
        ("认证", "认证"),
    ],
)
def test_the_key_of_an_alternative(text: str, expected: str) -> None:
    """A key is short, folded, and taken from what is most telling."""
    assert pattern.key(pattern.read(text)[0]) == expected


# ---------------------------------------------------------------- properties

ANY = st.text(st.characters(), max_size=40)
SPELT = st.text(st.sampled_from(list("abAB  ||**..??++()[]{}\\^$-05,:ißé\u0301认")), max_size=16)
PIECES = st.lists(
    st.sampled_from(
        ["auth", "ab", "a", " ", "|", "*", ".*", "?", "(", ")", "[ab]", "b+", ".{0,2}", "\\b", "When ", "c"]
    ),
    max_size=8,
).map("".join)
PATTERNS = SPELT | PIECES | ANY
TEXTS = st.text(st.sampled_from(list("abABc  authißéS[](*?.|-\u0301认")), max_size=24) | ANY


@given(PATTERNS, TEXTS, ANY)
@example("\ud800", "\ud800", "\ud800")
@example("[" * 1000, "[", "(" * 1000)
def test_nothing_raises(text: str, task: str, agent: str) -> None:
    """K4: any text is a pattern, any text is a task, and there is always an answer."""
    found = pattern.hit([text], Haystack.of(Task(task, agent, task, agent)))
    assert found is None or found.strength in STRENGTHS


@given(PATTERNS, TEXTS)
def test_a_key_is_in_every_text_that_matches(text: str, task: str) -> None:
    """What an index leaves out for want of the key would not have matched."""
    for alternative in pattern.read(text):
        key = pattern.key(alternative)
        assert len(key) in {0, *pattern.KEYS}
        if pattern.matches(alternative._replace(key=""), task):
            assert key in fold(task)


@given(PATTERNS)
@example("a\\ |b")
@example(" " * 2000 + "a|b")
def test_alternatives_put_together_again_are_read_the_same(text: str) -> None:
    """K2: splitting loses nothing and moves nothing."""
    read = pattern.read(text)
    assert pattern.read("|".join(alternative.text for alternative in read)) == read


@given(PATTERNS)
def test_the_short_way_reads_the_same(text: str) -> None:
    """A pattern without brackets is read without being taken to pieces, which changes nothing."""
    pieces = syntax.alternatives(syntax.tokens(syntax.tidy(text)))
    slow = [reading._alternative(part) if part else pattern.Alternative("", "empty") for part in pieces]
    assert [found._replace(effort=0) for found in pattern.read(text)] == [found._replace(effort=0) for found in slow]


@given(PATTERNS, ANY, ANY)
def test_every_alternative_matches_its_own_text(text: str, before: str, after: str) -> None:
    """Whatever else it means, a pattern is found where somebody wrote it."""
    for alternative in pattern.read(text):
        assert pattern.matches(alternative, f"{before} {alternative.text} {after}") is (alternative.kind != "empty")


@given(st.lists(PATTERNS, max_size=3), PATTERNS, TEXTS)
def test_a_further_pattern_never_weakens_a_hit(patterns: list[str], more: str, task: str) -> None:
    """D3: any pattern suffices, so one more can only help."""
    before, after = strength(patterns, task), strength([*patterns, more], task)
    assert before is None or (after is not None and STRENGTHS.index(after) >= STRENGTHS.index(before))


@given(st.lists(st.sampled_from(["a", "b", "ab", "aba", "c"]), min_size=1, max_size=4), st.text("abc ", max_size=20))
def test_stars_are_what_a_regex_makes_of_them(parts: list[str], text: str) -> None:
    """K3: looking for one part after the other finds what `.*` between them finds."""
    alternative = pattern.read(".*".join(parts))[0]
    assert pattern.matches(alternative, text) is (re.search(".*".join(parts), fold(text)) is not None)


@pytest.mark.parametrize(
    "word", ["implementing", "adds", "fixed", "considered", "tries", "writes", "setting", "when", "task"]
)
def test_generic_words_are_known_in_every_form(word: str) -> None:
    """K5: a verb for any work is none of a phrase's specific words, whatever its tense."""
    assert phrase.is_generic(word)


@pytest.mark.parametrize("word", ["handler", "settings", "security", "test", "deploy", "users"])
def test_specific_words_are_not_taken_for_generic(word: str) -> None:
    """K5: a word that only looks like a verb for any work is kept."""
    assert not phrase.is_generic(word)


def test_all_patterns_together_have_a_limit() -> None:
    """S1: a library full of expensive patterns costs no more than a few of them; the rest are read as plain text."""
    haystack = Haystack.of(Task("a" * 10_000))
    found = [pattern.hit([f"[a-z]{{400}}[0-9]{{{number}}}"], haystack) for number in range(1, 200)]
    assert found == [None] * 199
    assert haystack.task.allowance.left <= 0
    assert pattern.hit(["lo[gh]in"], Haystack.of(Task("login"))) is not None
