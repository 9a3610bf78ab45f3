from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rawko.store import codec
from rawko.values.errors import InvalidMemory, UnreadableMemory
from rawko.values.memory import IMPORTANCES, UPDATE_KINDS, Update
from rawko.values.record import replace
from samples import data, decoded, text

SEEDS = Path(__file__).parent / "data" / "seeds"
WHEN = datetime(2026, 1, 23, 10, 30, tzinfo=UTC)
TASK = "Task: Implement user authentication"


def refused(content: str | bytes) -> UnreadableMemory:
    """How a file's content is refused."""
    with pytest.raises(UnreadableMemory) as caught:
        decoded(content)
    return caught.value


# ---------------------------------------------------------------- the nine complete examples of the seeds

EXAMPLES = {
    "001-file-structure": (
        "Authentication Module Structure",
        ("auth|authentication|login|security", "When implementing security features"),
        ("auth", "codebase-structure", "important"),
        ("high", "planner", TASK, "2026-01-23T10:30:00+00:00"),
        ("# Authentication Module Structure\n\nOne-sentence summary.", "// Example pattern...\n```"),
    ),
    "001-codebase-structure": (
        "Project File Organization",
        ("exploring|navigate|find.*file", "When understanding project structure"),
        ("structure", "codebase", "important"),
        ("critical", "planner", None, "2026-01-23T10:30:00+00:00"),
        ("# Project File Organization\n\n## Directory Layout", "- **Database models**: src/models/"),
    ),
    "001-failure": (
        "OAuth2 Integration Was Too Broad",
        ("oauth|social.*auth", "considering auth approaches"),
        ("failures", "auth", "scope"),
        ("high", "developer", None, "2026-01-23T10:45:00+00:00"),
        ("# Why OAuth2 Was Rejected", "Stick with JWT-based authentication."),
    ),
    "001-code-pattern": (
        "Express Middleware Pattern",
        ("middleware|interceptor", "writing Express handlers"),
        ("patterns", "conventions", "express"),
        ("high", "developer", None, "2026-01-23T10:40:00+00:00"),
        ("# Express Middleware Pattern", "4. Always call `next()` on success"),
    ),
    "003-file-structure": (
        "Clear, specific title",
        ("pattern1|pattern2", "natural language description"),
        ("tag1", "tag2"),
        ("high", "agent-name", "Task description", "2026-01-23T10:30:00+00:00"),
        ("# Memory Title (optional, can differ from frontmatter title)", "More details..."),
    ),
    "003-codebase-structure": (
        "Project File Organization",
        ("exploring|navigate|find.*file|locate.*module", "When needing to understand project structure"),
        ("structure", "important", "codebase"),
        ("critical", "planner", TASK, "2026-01-23T10:30:00+00:00"),
        ("# Project File Organization", "- `src/api/routes/auth.ts` - Auth endpoints"),
    ),
    "003-code-pattern": (
        "Error Handling Pattern in Express Handlers",
        ("error|exception|handle.*error", "Writing Express handlers"),
        ("patterns", "conventions", "error-handling"),
        ("high", "developer", TASK, "2026-01-23T11:00:00+00:00"),
        ("# Error Handling Pattern", "6. Don't expose stack traces to client"),
    ),
    "003-failure": (
        "OAuth2 Integration Was Too Broad",
        ("oauth|social.*auth|third.*party", "When considering auth approaches"),
        ("failures", "decisions", "auth"),
        ("high", "developer", TASK, "2026-01-23T10:45:00+00:00"),
        ("# Why OAuth2 Was Rejected", "Don't implement nice-to-haves."),
    ),
    "003-constraint": (
        "Session Store Integration Required",
        ("session|state.*management", "Working with authentication"),
        ("constraints", "auth", "architecture"),
        ("high", "planner", TASK, "2026-01-23T10:50:00+00:00"),
        ("# Session Management Architecture", "until performance requires Redis upgrade."),
    ),
}


@pytest.mark.parametrize(("name", "expected"), EXAMPLES.items(), ids=EXAMPLES)
def test_the_examples_of_the_seeds_read_as_they_show(name: str, expected: tuple[object, ...]) -> None:
    """A1: all nine complete example memories parse to what a reader expects, one statement each."""
    memory = decoded((SEEDS / f"{name}.md").read_bytes())
    origin = (memory.importance, memory.discovered_by, memory.discovered_in, memory.discovered_at.isoformat())
    assert (memory.title, memory.when_to_use, memory.tags, origin) == expected[:4]
    assert memory.updates == ()


@pytest.mark.parametrize(("name", "expected"), EXAMPLES.items(), ids=EXAMPLES)
def test_the_bodies_of_the_seeds_are_kept_whole(name: str, expected: tuple[object, ...]) -> None:
    """A19: paragraphs, code, lists, tables and links of a body are the bytes between frontmatter and end, trimmed."""
    content = (SEEDS / f"{name}.md").read_text()
    body = decoded(content).body
    assert body == content.split("\n---\n", 1)[1].strip()
    assert body.startswith(expected[4][0])  # type: ignore[index]
    assert body.endswith(expected[4][1])  # type: ignore[index]


def test_a_failure_memory_is_a_memory_like_any_other() -> None:
    """A29: "don't do X" reads with its tag, its importance and its reasons."""
    memory = decoded((SEEDS / "001-failure.md").read_bytes())
    assert "failures" in memory.tags
    assert "OAuth2 adds significant complexity" in memory.body


def test_a_constraint_memory_is_a_memory_like_any_other() -> None:
    """A30: a limitation reads with its tag and its options."""
    memory = decoded((SEEDS / "003-constraint.md").read_bytes())
    assert "constraints" in memory.tags
    assert "### Options Considered" in memory.body


def test_a_heading_that_differs_from_the_title_is_no_error() -> None:
    """A18: the heading of the body is the author's own."""
    memory = decoded(text(body="# Something else\n\nText."))
    assert (memory.title, memory.body) == ("Tests need Redis", "# Something else\n\nText.")


# ---------------------------------------------------------------- how files come to be written


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: content.replace(b"\n", b"\r"),
        lambda content: b"\xef\xbb\xbf" + content,
        lambda content: b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"),
        lambda content: b"\n\n  \n" + content,
        lambda content: content.rstrip(b"\n"),
        lambda content: content + b"\n\n\n",
        lambda content: content.replace(b"---\n", b"---  \n"),
        lambda content: content.replace(b"---\n", b"---\n# YAML frontmatter\n", 1),
    ],
    ids=["CRLF", "CR", "BOM", "BOM and CRLF", "blank lines", "no final newline", "more newlines", "spaces", "comment"],
)
def test_the_ways_of_editors_make_no_difference(change: object) -> None:
    """U5: line ends, byte order mark, blank lines and comments change nothing in what is read."""
    content = (SEEDS / "003-failure.md").read_bytes()
    assert decoded(change(content)) == decoded(content)  # type: ignore[operator]


@pytest.mark.parametrize("value", ['"auth|login"', "auth|login", '["auth|login"]', "\n  - auth|login"])
def test_one_pattern_may_be_a_text_or_a_list(value: str) -> None:
    """A9: `whenToUse` as a string is a list of one."""
    assert decoded(text(whenToUse=value)).when_to_use == ("auth|login",)


@pytest.mark.parametrize("value", IMPORTANCES)
def test_four_importances_are_read(value: str) -> None:
    """A10: low, medium, high and critical."""
    assert decoded(text(importance=value)).importance == value


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-01-23T10:30:00Z", WHEN),
        ('"2026-01-23T10:30:00Z"', WHEN),
        ("'2026-01-23 10:30:00'", WHEN),
        ("2026-01-23T11:30:00+01:00", WHEN),
        ("2026-01-23T10:30:00.000Z", WHEN),
        ("2026-01-23", datetime(2026, 1, 23, tzinfo=UTC)),
    ],
)
def test_dates_are_read_with_and_without_quotes(value: str, moment: datetime) -> None:
    """A11: any ISO-8601 date or time; without an offset it is UTC."""
    assert decoded(text(discoveredAt=value)).discovered_at == moment


@pytest.mark.parametrize("key", ["title", "whenToUse", "importance", "discoveredAt", "discoveredBy"])
def test_a_required_field_that_is_missing_is_named(key: str) -> None:
    """A8 to A12: without one of the five there is no memory, and the problem says which and how to mend it."""
    (problem,) = refused(text(**{key: None})).problems
    assert problem.reason == f"`{key}` is missing"
    assert key in problem.hint


@pytest.mark.parametrize("key", ["title", "whenToUse", "importance", "discoveredAt", "discoveredBy"])
def test_a_required_field_that_is_empty_is_as_good_as_missing(key: str) -> None:
    """A8 to A12: `title:` with nothing behind it names nothing."""
    (problem,) = refused(text(**{key: ""})).problems
    assert problem.reason == f"`{key}` is empty"


@pytest.mark.parametrize("spelt", ["when_to_use", "WhenToUse", "whentouse"])
def test_a_key_in_another_spelling_is_recognised_in_the_hint(spelt: str) -> None:
    """Somebody who writes a key as they would in Python learns how it is spelt here."""
    (problem,) = refused(text(**{"whenToUse": None, spelt: "[test]"})).problems
    assert problem.hint == f"`{spelt}` is spelt `whenToUse`"


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("title", "[a, b]", 2),
        ("title", "{a: b}", 2),
        ("whenToUse", "{a: b}", 3),
        ("whenToUse", "[[a]]", 3),
        ("tags", "{a: b}", 4),
        ("importance", "urgent", 5),
        ("importance", "High", 5),
        ("discoveredAt", "yesterday", 6),
        ("discoveredAt", "2026-02-30", 6),
        ("discoveredAt", "0001-01-01T00:00:00+14:00", 6),
        ("discoveredBy", "[a]", 7),
    ],
)
def test_a_field_of_the_wrong_kind_is_reported_with_its_line(key: str, value: str, line: int) -> None:
    """U2: a value that cannot be meant is an error on its own line, with a hint."""
    (problem,) = refused(text(**{key: value})).problems
    assert (problem.file, problem.line) == ("x.md", line)
    assert f"`{key}`" in problem.reason
    assert problem.hint


def test_everything_wrong_with_a_file_is_said_at_once() -> None:
    """A person mends a file once, not once for each of its errors."""
    problems = refused(text(title=None, importance="urgent", discoveredAt="soon")).problems
    assert [problem.reason for problem in problems] == [
        "`title` is missing",
        "`discoveredAt` is 'soon'",
        "`importance` is 'urgent'",
    ]


@pytest.mark.parametrize("value", [None, "", "[]"])
def test_tags_are_optional_on_reading(value: str | None) -> None:
    """K11: no tags is an empty list."""
    assert decoded(text(tags=value)).tags == ()


def test_the_optional_fields_are_read() -> None:
    """A15 to A17: where it was found, from which source, and what it is related to, with and without `.md`."""
    memory = decoded(text(discoveredIn='"Task: X"', source='"File: a.ts"', relatedMemories="[jwt, other.md]"))
    assert (memory.discovered_in, memory.source, memory.related) == ("Task: X", "File: a.ts", ("jwt", "other.md"))


def test_unknown_keys_are_kept_as_they_are() -> None:
    """A key that somebody added stays readable beside ours."""
    memory = decoded(text(owner="team-a", review="{by: [x, y]}"))
    assert memory.extra == {"owner": "team-a", "review": {"by": ["x", "y"]}}


@pytest.mark.parametrize("rule", ["---", "---  ", "***"])
def test_a_rule_in_a_body_is_part_of_it(rule: str) -> None:
    """K14: `---` is legal Markdown, and ends nothing by itself."""
    memory = decoded(text(body=f"One.\n\n{rule}\n\nTwo."))
    assert memory.body == f"One.\n\n{rule}\n\nTwo."
    assert memory.updates == ()


# ---------------------------------------------------------------- writing


def first(**changes: object) -> Update:
    """A first statement."""
    fields = {"content": "Text.", "at": WHEN, "by": "tester", "when_to_use": ("a|b",), "importance": "high"}
    return Update(**{**fields, **changes})  # type: ignore[arg-type]


def test_a_new_file_is_frontmatter_blank_line_body() -> None:
    """B5, B6: the written form of the seeds, tags always written, dates without quotes."""
    statement = first(tags=("auth", "404"), task="Task: X", source="a.ts", related=("jwt",))
    assert codec.encode('Say "hi"', statement).decode() == (
        '---\ntitle: "Say \\"hi\\""\nwhenToUse:\n  - "a|b"\ntags: [auth, "404"]\nimportance: high\nsource: "a.ts"\n'
        'relatedMemories: ["jwt"]\ndiscoveredIn: "Task: X"\ndiscoveredBy: tester\ndiscoveredAt: 2026-01-23T10:30:00Z\n'
        "---\n\nText.\n"
    )


def test_no_tags_are_written_as_an_empty_list() -> None:
    """K11: `tags` is always written."""
    assert b"\ntags: []\n" in codec.encode("T", first())


@pytest.mark.parametrize("tag", ["yes", "no", "404", "1e3", "null", "~", "a b", "ü", "-x", "a,b", "#x", "[x]", "*x"])
def test_other_yaml_readers_see_the_same_texts(tag: str) -> None:
    """What we write means the same to a reader that guesses types."""
    content = codec.encode("no", first(tags=(tag,), by=tag, when_to_use=("*auth", "yes"))).decode()
    found = yaml.safe_load(content.split("---\n")[1])
    assert (found["title"], found["tags"], found["discoveredBy"]) == ("no", [tag], tag)
    assert found["whenToUse"] == ["*auth", "yes"]


def test_an_update_is_a_rule_a_dated_heading_and_text() -> None:
    """B4, B7: 003's form, with the provenance in one comment line under the heading."""
    added = codec.encode_update(first(id="ab12", importance=None, when_to_use=()), b"").decode()
    lines = added.split("\n")
    assert lines[:5] == ["", "", "---", "", "## Update (2026-01-23)"]
    assert lines[5].startswith('<!-- rawko:1 {"id": "ab12", "at": "2026-01-23T10:30:00Z", "by": "tester", "sum": "f06d')
    assert lines[5].endswith('", "lines": "e11f2"} -->')
    assert lines[6:] == ["", "Text.", ""]


def test_a_correction_says_so_to_a_reader() -> None:
    """B8: a correction is marked in the text itself."""
    assert b"\n### Correction\n\nText.\n" in codec.encode_update(first(kind="correction"), b"")


def test_an_update_of_a_crlf_file_has_crlf() -> None:
    """A file keeps one kind of line end."""
    content = data().replace(b"\n", b"\r\n")
    grown = content + codec.encode_update(first(), content)
    assert grown.count(b"\n") == grown.count(b"\r\n")
    assert decoded(grown).updates[0].content == "Text."


def test_content_with_a_nul_is_refused() -> None:
    """What could not be read back is not written."""
    with pytest.raises(InvalidMemory, match="NUL"):
        codec.encode("T", first(content="a\x00b"))


# ---------------------------------------------------------------- properties

LINES = st.sampled_from(
    [
        "---",
        "--- ",
        "\\---",
        "a \\---",
        "...",
        "***",
        "## Update (2026-01-01)",
        "\\## Update (2026-01-01)",
        "### Correction",
        "### Deprecated",
        '<!-- rawko:1 {"importance": "critical", "at": "2020-01-01"} -->',
        '<!-- rawko:2 {"x": 1} -->',
        '<!--  RAWKO:1 {"kind": "deprecated"} -->',
        "x \\<!-- rawko:1 {} -->",
        "title: forged",
        "whenToUse: [x]",
        "  - y",
        "importance: critical",
        "discoveredAt: 2020-01-01",
        "discoveredBy: evil",
        "tags: [z]",
        "```",
        "````",
        "~~~",
        "```python",
        "    ```",
        "<<<<<<< HEAD",
        "<<<<<<<",
        "=======",
        ">>>>>>> theirs",
        "\\<<<<<<< HEAD",
        "\\\\---",
        "",
        "  ",
        "\t",
        "text",
        "# Heading",
        "\u2028",
        "a\x85b",
        "a\x0bb",
        "-->",
        "\\",
    ]
)
CONTENTS = st.one_of(
    st.lists(LINES, min_size=1, max_size=14).map("\n".join), st.text(st.characters(exclude_categories=["Cs"]))
).filter(lambda content: content.strip() and "\x00" not in content)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).map(str.strip).filter(bool)
STATEMENTS = st.builds(
    Update,
    content=CONTENTS,
    at=st.datetimes(datetime(1970, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC)).map(  # noqa: DTZ001
        lambda at: at.replace(microsecond=0)
    ),
    by=WORDS,
    task=st.none() | WORDS,
    when_to_use=st.lists(WORDS, min_size=1, max_size=4, unique=True).map(tuple),
    tags=st.lists(WORDS, max_size=4, unique=True).map(tuple),
    importance=st.sampled_from(IMPORTANCES),
    source=st.none() | WORDS,
    related=st.lists(WORDS, max_size=3, unique=True).map(tuple),
)
UPDATES = st.builds(
    lambda statement, kind, successor, number: Update(
        **{name: getattr(statement, name) for name in ("content", "at", "by", "task", "when_to_use", "tags")},
        kind=kind,
        replaced_by=successor,
        id=number,
    ),
    STATEMENTS,
    st.sampled_from(UPDATE_KINDS),
    st.none() | WORDS,
    st.text("0123456789abcdef", min_size=8, max_size=8),
)


def as_read(update: Update) -> Update:
    """A statement as it reads back: its content trimmed, with plain newlines."""
    return replace(update, content=codec.plain(update.content))


@given(WORDS, STATEMENTS)
@example("T", first(content="a \\---"))
def test_what_is_written_reads_back(title: str, statement: Update) -> None:
    """Any title, pattern, tag, task, source and content comes back equal, and nothing in them becomes structure."""
    memory = decoded(codec.encode(title, statement))
    assert (memory.title, memory.first, memory.updates) == (title, as_read(statement), ())


@settings(max_examples=200)
@given(STATEMENTS, st.lists(UPDATES, min_size=1, max_size=4))
@example(first(content="x\n\n---\ntitle: forged"), [first()])
@example(first(content="---\ntitle: x\ndiscoveredAt: 2020-01-01\nimportance: critical"), [first()])
def test_updates_read_back_and_forge_nothing(statement: Update, updates: list[Update]) -> None:
    """B1, B7: old bytes stay a prefix, and every statement reads back equal, whatever the texts contain."""
    content = codec.encode("T", statement)
    for update in updates:
        grown = content + codec.encode_update(update, content)
        assert grown.startswith(content)
        content = grown
    memory = decoded(content)
    assert (memory.first, memory.updates) == (as_read(statement), tuple(map(as_read, updates)))


@given(CONTENTS, UPDATES)
def test_an_append_changes_nothing_that_was_read_before(body: str, update: Update) -> None:
    """B1: whatever a person wrote into a file, an update adds one statement and alters none."""
    content = data(body=body)
    try:
        before = decoded(content)
    except UnreadableMemory:
        return
    after = decoded(content + codec.encode_update(update, content))
    assert after.statements == (*before.statements, as_read(update))


BYTES = st.lists(
    st.one_of(
        st.binary(max_size=12),
        LINES.map(lambda line: line.encode() + b"\n"),
        st.sampled_from([b"\n", b"\r\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\x00", data()]),
    ),
    max_size=20,
).map(b"".join)


@settings(max_examples=300)
@given(BYTES)
def test_any_bytes_are_a_memory_or_unreadable(content: bytes) -> None:
    """Nothing but UnreadableMemory comes out of decoding, with a file, a line and a reason."""
    try:
        decoded(content)
    except UnreadableMemory as error:
        problems = error.problems
    else:
        return
    assert all(problem.file == "x.md" and problem.line and problem.reason for problem in problems)


@given(BYTES)
def test_any_body_is_a_memory_or_unreadable(content: bytes) -> None:
    """The same behind a good frontmatter, where the sections are read."""
    try:
        memory = decoded(data() + content)
    except UnreadableMemory:
        return
    assert memory.title == "Tests need Redis"
