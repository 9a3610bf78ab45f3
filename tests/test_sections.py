from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from rawko.store import codec, sections
from rawko.values.errors import UnreadableMemory
from rawko.values.memory import Memory, Update
from samples import FRONT, decoded, text


def front(**changes: str | None) -> str:
    """A frontmatter block as 001 appends it."""
    return text(body="", **changes).rstrip()


def claims(**pairs: object) -> str:
    """A comment line with provenance."""
    return f"<!-- rawko:1 {json.dumps(pairs)} -->"


def days(memory: Memory) -> list[str]:
    """The day of every update."""
    return [update.at.date().isoformat() for update in memory.updates]


# ---------------------------------------------------------------- 003: a dated section

BY_HAND = """\
# Authentication Module Structure

Original content...

---

## Update (2026-01-24)

Additional findings about the auth module:
- Also handles OAuth providers (see oauth-providers.ts)
- Database integration at models/UserSession.ts"""


def test_an_update_written_by_hand_is_a_statement_of_its_own() -> None:
    """B7: 003's `## Update (date)` section is read with its date and text, without the rule above it."""
    memory = decoded(text(body=BY_HAND))
    assert memory.body == "# Authentication Module Structure\n\nOriginal content..."
    assert memory.updates[0].content.startswith("Additional findings about the auth module:\n- Also")
    assert memory.updates[0].at == datetime(2026, 1, 24, tzinfo=UTC)


def test_the_whole_text_reads_as_the_file_does() -> None:
    """The content of a memory is what a person sees in the file, old and new."""
    assert decoded(text(body=BY_HAND)).content == BY_HAND


def test_an_update_makes_a_memory_recent() -> None:
    """K14: recency is the latest statement's, discovery the first one's."""
    memory = decoded(text(body=BY_HAND))
    assert memory.updated_at == datetime(2026, 1, 24, tzinfo=UTC)
    assert memory.discovered_at == datetime(2026, 1, 23, 10, 30, tzinfo=UTC)


@pytest.mark.parametrize("fence", ["```", "~~~", "````", "```markdown", "  ```"])
def test_an_update_heading_in_a_code_fence_is_no_boundary(fence: str) -> None:
    """Code that shows the format is not the format."""
    body = f"Like so:\n\n{fence}\n---\n\n## Update (2026-01-24)\n\ntext\n{fence.rstrip('markdown')}\n\nEnd."
    assert decoded(text(body=body)).body == body


def test_a_fence_is_closed_by_its_own_kind_only() -> None:
    """Three backticks inside four, or inside tildes, close nothing."""
    body = "````\n```\n## Update (2026-01-24)\n````\n~~~\n```\n## Update (2026-01-25)\n~~~"
    assert decoded(text(body=f"{body}\n\n## Update (2026-01-26)\n\nreal")).body == body


def test_headings_in_the_fences_of_an_update_stay_in_it() -> None:
    """003: an update may hold fenced headings too."""
    body = "One.\n\n## Update (2026-01-24)\n\n```sh\n## Update (2026-01-25)\n```\n\n## Update (2026-01-26)\n\nThree."
    assert days(decoded(text(body=body))) == ["2026-01-24", "2026-01-26"]


@pytest.mark.parametrize(
    "line",
    ["## Update", "## Updates (2026-01-24)", "### Update (2026-01-24)", "## Update (today)", " ## Update (2026)"],
)
def test_other_headings_are_part_of_the_text(line: str) -> None:
    """Only the exact form begins an update."""
    assert decoded(text(body=f"One.\n\n{line}\n\nTwo.")).updates == ()


def test_an_update_on_a_day_that_is_none_is_reported() -> None:
    """A heading of the right form with an impossible date is an error with its line, not a guess."""
    with pytest.raises(UnreadableMemory) as caught:
        decoded(text(body="One.\n\n## Update (2026-02-30)\n\nTwo."))
    assert (caught.value.problems[0].line, caught.value.problems[0].level) == (12, "error")


def test_corrections_within_a_body_are_part_of_it() -> None:
    """003: headings such as `## Correction` and `## Updated Understanding` stay where their author put them."""
    body = "## Original Finding\n\n10 rounds.\n\n## Correction (Found error)\n\n12.\n\n## Updated Understanding\n\n- 12"
    assert decoded(text(body=body)).body == body


# ---------------------------------------------------------------- 001: a second frontmatter


def appended(**changes: str | None) -> Memory:
    """A memory that was appended to as 001 does it: old, rule, new."""
    return decoded(f"{text().rstrip()}\n\n---\n\n{front(**changes)}\n\nMore.\n")


def test_a_second_frontmatter_is_a_statement_of_its_own() -> None:
    """K14: its text is not the first one's, and none of its YAML is text."""
    memory = appended(discoveredAt="2026-01-25T08:00:00Z", discoveredBy="developer")
    assert [part.content for part in memory.statements] == ["Start it with `make redis`.", "More."]
    assert (memory.updates[0].by, memory.discovered_by) == ("developer", "tester")
    assert "importance" not in memory.content


def test_patterns_and_tags_of_all_statements_hold() -> None:
    """B9: effective patterns and tags are the union, in order, once each."""
    memory = appended(whenToUse='["redis", "test|pytest"]', tags="[solutions, constraints]")
    assert memory.when_to_use == ("test|pytest", "redis")
    assert memory.tags == ("constraints", "solutions")


@pytest.mark.parametrize(("second", "effective"), [("critical", "critical"), ("low", "high")])
def test_the_highest_importance_holds(second: str, effective: str) -> None:
    """B9: effective importance is the maximum, whichever came later."""
    assert appended(importance=second).importance == effective


def test_the_latest_statement_makes_it_recent() -> None:
    """B9: effective recency is the latest date, even where the file is not in order."""
    assert appended(discoveredAt="2026-03-01").updated_at == datetime(2026, 3, 1, tzinfo=UTC)
    assert appended(discoveredAt="2025-03-01").updated_at == datetime(2026, 1, 23, 10, 30, tzinfo=UTC)


def test_a_second_frontmatter_needs_no_required_fields_but_its_date() -> None:
    """What an appended block does not say, the first one has said."""
    memory = appended(title=None, tags=None, importance=None, discoveredBy=None)
    assert (memory.importance, memory.updates[0].by) == ("high", "")


@pytest.mark.parametrize("block", ["a: b", "- x", "title", "important: title"])
def test_a_block_without_title_or_pattern_is_text(block: str) -> None:
    """K14: a second block counts as frontmatter only with a title or whenToUse."""
    body = f"One.\n\n---\n{block}\n---\n\nTwo."
    assert decoded(text(body=body)).body == body


def test_a_second_frontmatter_in_a_fence_is_text() -> None:
    """A memory about memory files shows one without being one."""
    body = f"```markdown\n{front()}\n```\n\nEnd."
    assert decoded(text(body=body)).body == body


def test_a_block_that_is_no_yaml_is_text() -> None:
    """A second block counts as frontmatter only if it parses."""
    body = "One.\n\n---\ntitle: [\n---\n\nTwo."
    assert decoded(text(body=body)).body == body


def test_an_update_may_follow_a_second_frontmatter() -> None:
    """Both spellings in one file are read in the order of the file."""
    content = f"{text().rstrip()}\n\n---\n\n{front(discoveredAt='2026-01-25')}\n\nMore.\n\n---\n\n"
    assert days(decoded(f"{content}## Update (2026-01-26)\n\nYet more.")) == ["2026-01-25", "2026-01-26"]


# ---------------------------------------------------------------- ours: a comment under the heading


def test_the_comment_says_who_when_and_what_else() -> None:
    """Every claim of a comment is effective."""
    header = claims(
        id="ab12",
        at="2026-01-25T08:00:00Z",
        by="developer",
        kind="superseded",
        whenToUse=["redis"],
        importance="critical",
        replacedBy="other.md",
        **{"in": "Task: Y"},
    )
    update = decoded(text(body=f"One.\n\n---\n\n## Update (2026-01-25)\n{header}\n\n### Superseded\n\nMore.")).updates[
        0
    ]
    assert update == Update(
        "More.",
        datetime(2026, 1, 25, 8, tzinfo=UTC),
        "developer",
        "superseded",
        "Task: Y",
        ("redis",),
        importance="critical",
        replaced_by="other.md",
        id="ab12",
    )


def test_a_comment_begins_an_update_whatever_stands_above() -> None:
    """A union merge may keep a heading only once: the comment, not the heading, is the boundary."""
    body = f"One.\n\n{claims(at='2026-01-24')}\n\nTwo.\n\n{claims(at='2026-01-25')}\n\nThree."
    assert [part.content for part in decoded(text(body=body)).statements] == ["One.", "Two.", "Three."]


def test_a_comment_counts_even_after_an_open_fence() -> None:
    """What somebody left open above does not swallow what was appended below."""
    content = text(body="```sh\nmake").encode()
    update = Update("More.", datetime(2026, 1, 24, tzinfo=UTC))
    assert decoded(content + codec.encode_update(update, content)).updates == (update,)


@pytest.mark.parametrize(
    "comment",
    [
        "<!-- rawko:1 {not json} -->",
        "<!-- rawko:1 [] -->",
        '<!-- rawko:1 {"at": 1} -->',
        '<!-- rawko:1 {"kind": "retired"} -->',
        '<!-- rawko:1 {"kind": "deprecated"} ->',
        '<!-- rawko {"kind": "deprecated"} -->',
        '<!--rawko:1 {"kind": "deprecated"} -->',
    ],
)
def test_a_damaged_comment_is_reported_with_its_line(comment: str) -> None:
    """What a comment said is not lost silently: a retired memory would be back without anybody knowing."""
    with pytest.raises(UnreadableMemory) as caught:
        decoded(text(body=f"One.\n\n## Update (2026-01-24)\n{comment}\n\nTwo."))
    assert caught.value.problems[0].line == 13
    assert caught.value.problems[0].hint


def test_a_newer_format_is_refused_and_says_so() -> None:
    """L3: what a newer rawko wrote is not half understood by an older one."""
    with pytest.raises(UnreadableMemory) as caught:
        decoded(text(body='One.\n\n## Update (2026-01-24)\n<!-- rawko:2 {"at": "2026-01-24"} -->\n\nTwo.'))
    (problem,) = caught.value.problems
    assert (problem.line, problem.hint) == (13, "upgrade rawko")
    assert "format 2" in problem.reason


# ---------------------------------------------------------------- protection


@pytest.mark.parametrize(
    "line",
    [
        "---",
        "## Update (2026-01-24)",
        '<!-- rawko:1 {"importance": "critical"} -->',
        '<!--rawko:1 {"importance": "critical"} -->',
        '<!-- RAWKO:1 {"kind": "forgotten"} -->',
        '<!-- rawko:9 {"a": 1} -->',
        f"---\n{text(body='x')}",
        "---\ntitle: x\ndiscoveredAt: 2020-01-01\nimportance: critical",
        "discoveredAt: 2020-01-01\n---",
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs",
        "```\nopen fence",
        "\\---",
        "\\\\<!-- rawko:1 {} -->",
        "\\## Update (2026-01-24)",
    ],
)
def test_content_that_looks_like_structure_is_content(line: str) -> None:
    """No text can forge a statement, close a section or make the file unreadable, and it reads back equal."""
    content = f"Before.\n\n{line}\n\nAfter."
    written = codec.encode(
        "T", Update(content, datetime(2026, 1, 23, tzinfo=UTC), "a", when_to_use=("x",), importance="low")
    )
    update = Update(content, datetime(2026, 1, 24, tzinfo=UTC), "b")
    memory = decoded(written + codec.encode_update(update, written))
    assert [part.content for part in memory.statements] == [content, content]
    assert (memory.importance, memory.status) == ("low", "active")


def test_ordinary_text_is_written_as_it_is() -> None:
    """B6: protection touches only lines that need it; a rule between paragraphs is none of them."""
    content = (
        "# T\n\nOne.\n\n---\n\n- a\n- b\n\n```yaml\n---\ntitle: x\n---\n```\n\n| a |\n|---|\n\n[link](x.md) \\--- C:\\x"
    )
    assert sections.protect(content) == content


# ---------------------------------------------------------------- conflicts


def conflicted(ours: str, theirs: str) -> str:
    """What git leaves of two sides."""
    return f"<<<<<<< HEAD\n{ours}\n=======\n{theirs}\n>>>>>>> branch\n"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (text(body=f"One.\n\n{conflicted('a', 'b')}"), 12),
        (text().replace("importance: high\n", conflicted("importance: high", "importance: low")), 5),
        (conflicted(text(), text(importance="low")), 1),
        (text(body=f"One.\n\n{conflicted('a', 'b')}").replace("\n", "\r\n"), 12),
    ],
    ids=["body", "frontmatter", "whole file", "CRLF"],
)
def test_a_git_conflict_is_reported_as_one(content: str, line: int) -> None:
    """H2: conflict markers are named with their first line, wherever they are."""
    with pytest.raises(UnreadableMemory, match="git conflict") as caught:
        decoded(content)
    assert caught.value.problems[0].line == line


@pytest.mark.parametrize(
    "body", ["<<<<<<< HEAD", "Title\n=======\n\ntext", "a\n>>>>>>> b", "<<<<<<<<< x\n=======\n>>>>>>> y"]
)
def test_a_marker_alone_is_no_conflict(body: str) -> None:
    """A heading underlined with seven signs is Markdown."""
    assert decoded(text(body=body)).body == body


# ---------------------------------------------------------------- union merges


def grown(content: bytes, *updates: str) -> bytes:
    """A file after updates on consecutive days."""
    for number, more in enumerate(updates):
        content += codec.encode_update(Update(more, datetime(2026, 2, 1 + number, tzinfo=UTC), "a"), content)
    return content


def test_a_shared_heading_is_enough_for_two_updates() -> None:
    """H3: git writes the rule and heading that two branches share once; both updates are read."""
    base = text().encode()
    ours = grown(base, "From ours.\n\nSecond paragraph.")
    theirs = codec.encode_update(Update("From theirs.", datetime(2026, 2, 1, tzinfo=UTC), "b"), base)
    shared = b"\n\n---\n\n## Update (2026-02-01)\n"
    assert theirs.startswith(shared)
    memory = decoded(ours.rstrip() + b"\n" + theirs.removeprefix(shared))
    assert [part.content for part in memory.updates] == ["From ours.\n\nSecond paragraph.", "From theirs."]


def test_lines_that_a_merge_shared_are_given_back() -> None:
    """H3: what git kept once of two updates with the same ending belongs to both, as their checksums say."""
    base = text().encode()
    ours, theirs = (
        codec.encode_update(Update(f"{who}\n\nThe same end.", datetime(2026, 2, 1, tzinfo=UTC), who), base).decode()
        for who in ("ours", "theirs")
    )
    merged = ours.replace("\n\nThe same end.\n", "\n") + theirs.removeprefix("\n\n---\n\n## Update (2026-02-01)\n")
    memory = decoded(text() + merged)
    assert [part.content for part in memory.updates] == ["ours\n\nThe same end.", "theirs\n\nThe same end."]


def updates_of(*texts: str, by: str) -> str:
    """The updates that somebody appends, as they stand in the file."""
    day = datetime(2026, 2, 1, tzinfo=UTC)
    return "".join(
        codec.encode_update(Update(content, day, by, id=f"{by}{content[:9]}"), b"").decode() for content in texts
    )


@pytest.mark.parametrize(
    "shared", ["a", "a\nb\nc\nd\ne", "```sh\nmake\n\nmake test\n\nmake demo\n```", "\\---\n\n\n\nx"]
)
def test_lines_that_stand_among_others_are_found(shared: str) -> None:
    """H3: git may share lines in the middle, and write those around them side by side."""
    ours, theirs = (updates_of(f"{who} begin\n{shared}\n{who} end", by=who).split("\n") for who in ("ours", "theirs"))
    middle = len(shared.split("\n"))
    merged = [*ours[:8], *theirs[5:8], *ours[8 : 8 + middle], ours[-2], theirs[-2], ""]
    memory = decoded(text() + "\n".join(merged))
    assert [part.content for part in memory.updates] == [
        f"{who} begin\n{shared}\n{who} end" for who in ("ours", "theirs")
    ]


def test_an_update_that_a_merge_wrote_twice_is_one() -> None:
    """H3: branches that are merged crosswise can leave an update in two places."""
    twice = updates_of("First.", by="ours") + updates_of("First.", by="ours").replace("\n\n---\n", "", 1)
    assert [part.content for part in decoded(text() + twice).updates] == ["First."]


def test_an_edit_of_an_update_is_not_undone() -> None:
    """A person who changes the text of an update is believed, whatever its comment says."""
    edited = updates_of("Version 6.\n\nSee the notes.", "See the notes.", by="ada").replace(
        "Version 6.\n\nSee the notes.", "Version 7.", 1
    )
    assert [part.content for part in decoded(text() + edited).updates] == ["Version 7.", "See the notes."]


def test_two_dates_in_a_frontmatter_are_two_statements() -> None:
    """H3: two branches that add the same memory with the same text leave one frontmatter with two dates."""
    memory = decoded(text(discoveredAt="2026-01-23T10:30:00Z\ndiscoveredAt: 2026-01-24T08:00:00Z"))
    assert [(part.at.day, part.content) for part in memory.statements] == [
        (23, "Start it with `make redis`."),
        (24, "Start it with `make redis`."),
    ]


def test_patterns_behind_a_date_belong_to_the_second_statement() -> None:
    """H3: where the key of a list was shared, its items still count."""
    dates = "2026-01-23T10:30:00Z\n  - theirs\ndiscoveredAt: 2026-01-24T08:00:00Z"
    assert decoded(text(discoveredAt=dates)).when_to_use == ("test|pytest", "theirs")


def test_an_author_that_a_merge_shared_is_that_of_both() -> None:
    """H3: what is left of the second frontmatter takes its author from the first."""
    rest = "discoveredAt: 2026-01-25T08:00:00Z\n---\n\nFrom theirs.\n"
    assert [part.by for part in decoded(f"{text()}\n{rest}").statements] == ["tester", "tester"]


def test_a_frontmatter_that_lost_its_first_lines_is_still_one() -> None:
    """H3: two branches that add the same memory leave a second frontmatter without the lines they share."""
    rest = "discoveredBy: developer\ndiscoveredAt: 2026-01-25T08:00:00Z\n---\n\nFrom theirs.\n"
    memory = decoded(f"{text()}\n{rest}")
    assert [part.content for part in memory.statements] == ["Start it with `make redis`.", "From theirs."]
    assert (memory.updates[0].by, memory.importance) == ("developer", FRONT["importance"])


# ---------------------------------------------------------------- no file takes long

_WRONG = "## Update (2026-01-01)\n" + claims(at="2026-01-01", sum="aaaaaaaaaaaa") + "\n\n"
SLOW = {
    "dates": "discoveredAt: 2020-01-01\n" * 40_000,
    "dates and items": "discoveredAt: 2020-01-01\n  - x\n" * 30_000,
    "broken blocks": "---\ntitle: [\n" * 70_000,
    "blocks": "---\ntitle: a\n" * 70_000,
    "wrong sums": _WRONG + "x\n" + _WRONG + ("y" * 8_000 + "\n") * 399,
    "many wrong sums": (_WRONG + "x\n" * 20) * 3_000,
    "fences": "```\n~~~\n" * 100_000,
    "headings": "## Update (2026-01-01)\n" * 40_000,
    "comments": (claims(at="2026-01-01") + "\n") * 20_000,
    "deep claims": f"<!-- rawko:1 {{{'[' * 500_000}}} -->",
    "markers": "<<<<<<< \n=======\n" * 50_000,
    "backslashes": "\\" * 1_000_000 + "---",
    "spaces": "---" + " " * 1_000_000 + "x",
    "comment spaces": "<!--" + " " * 1_000_000 + "x",
}
READ = """
import sys
from rawko.store import codec
from rawko.values.errors import UnreadableMemory
try:
    codec.decode("x.md", sys.stdin.buffer.read())
except UnreadableMemory:
    pass
"""


@pytest.mark.parametrize("name", SLOW)
def test_reading_any_body_comes_to_an_end(name: str) -> None:
    """A megabyte of the worst text is read or refused; in the square of its length it would take minutes."""
    content = text(body=SLOW[name]).encode()
    subprocess.run([sys.executable, "-c", READ], input=content, capture_output=True, timeout=20, check=True)


HOSTILE = {
    "a list before any key": "---\n  - a\ntitle: X\ndiscoveredAt: 1\ndiscoveredAt: 2\n---\nb\n",
    "an id that is a list": text() + '\nMore.\n\n<!-- rawko:1 {"id": ["x"], "at": "2026-01-24"} -->\n\nText.\n',
    "a version of many digits": text() + f"\n\n<!-- rawko:{'9' * 5000} {{}} -->\n",
    "lines that are no text": text() + '\n<!-- rawko:1 {"at": "2026-01-24", "sum": "x", "lines": [1]} -->\n\nText.\n',
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_nothing_that_a_file_says_is_an_untyped_error(content: str) -> None:
    """H1: a file is a memory, or it is reported as one that is not."""
    with contextlib.suppress(UnreadableMemory):
        decoded(content)
    assert codec.title_of(content.encode()) in {None, "X", "Tests need Redis"}


def test_content_that_is_all_structure_is_protected_at_once() -> None:
    """S1: however fences hide one heading behind the other, protecting them takes a few looks and no more."""
    content = "\n".join(f"{'`' * (3 + number)}\n## Update (2026-01-24)" for number in range(300))
    first = Update(content, datetime(2026, 1, 23, tzinfo=UTC), "t", when_to_use=("a",), importance="low")
    assert decoded(codec.encode("T", first)).body == content
