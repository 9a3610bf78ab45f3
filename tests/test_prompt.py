from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rawko.recall.prompt import (
    AVOID,
    FRAME,
    INTRO,
    RENDERER,
    Rendering,
    Told,
    Wording,
    again,
    avoids,
    joined,
    word,
)
from rawko.store import codec
from rawko.values.memory import IMPORTANCES, UPDATE_KINDS, Memory, Update
from rawko.values.record import replace
from rawko.values.tokens import tokens
from samples import decoded, text

DATA = Path(__file__).parent / "data"
DAY = datetime(2026, 1, 23, 10, 30, tzinfo=UTC)
PLENTY = Wording(budget=100_000, characters=100_000)


def told(
    body: str = "Start it first.", title: str = "Redis", *, by: str = "tester", tags: tuple[str, ...] = ()
) -> Told:
    """A memory that is to be told."""
    first = Update(body, DAY, by, importance="high", when_to_use=("test",), tags=tags)
    return Told(Memory("redis.md", title, first), ".rawko/memories/redis.md")


def seed(name: str) -> Told:
    """An example of the seeds that is to be told."""
    return Told(decoded((DATA / "seeds" / f"{name}.md").read_bytes()), f".rawko/memories/{name}.md")


def levels(memories: list[Told], wording: Wording) -> list[str]:
    """How each memory came out."""
    return [rendering.level for rendering in word(memories, wording).renderings]


# ---------------------------------------------------------------- the frame, to the byte

CORRECTED = text(
    "# Password Hashing Approach\n\n## Original Finding\n\nUses bcrypt with 10 salt rounds.\n\n"
    "## Correction (Found error in initial discovery)\n\nActually uses 12 salt rounds. Checked with:\n"
    '```sh\ngrep "saltRounds" src/auth/middleware.ts  # Output: 12\n```\n\n'
    "## Updated Understanding\n\n- Salt rounds: 12 (not 10)\n- Algorithm: bcrypt\n"
    "- No custom salt generation (bcrypt handles it)",
    title='"Password Hashing Approach"',
)
APPENDED = text("# Tests need Redis\n\nStart it with `make redis`.") + (
    "\n\n---\n\n"
    + text("# Tests need Redis\n\nSince May it starts by itself.", importance="critical", whenToUse='["redis"]')
)
UPDATED = text("It listens on port 6379.") + (
    "\n---\n\n## Update (2026-01-24)\n\nA password is needed.\n"
    '\n---\n\n## Update (2026-01-25)\n<!-- rawko:1 {"id": "1", "at": "2026-01-25T08:00:00Z", "by": "tester", '
    '"kind": "correction"} -->\n\n### Correction\n\nIt listens on port 6380.\n'
)
GOLDEN = {
    "one": ([told()], Wording()),
    "several": ([seed("001-code-pattern"), seed("001-failure"), seed("003-constraint")], Wording()),
    "avoid": ([told("Do not flush it between tests.", tags=("Failures",))], Wording()),
    "origin": ([replace(told(), origin="user library")], Wording()),
    "origin-and-avoid": ([replace(told(tags=("failures",)), origin="user library")], Wording()),
    "intro": ([told()], Wording(intro=True)),
    "corrected": ([Told(decoded(CORRECTED), ".rawko/memories/password-hashing-approach.md")], Wording()),
    "updated": ([Told(decoded(UPDATED), ".rawko/memories/tests-need-redis.md")], Wording()),
    "appended": ([Told(decoded(APPENDED), ".rawko/memories/tests-need-redis.md")], Wording()),
    "cut": ([seed("003-code-pattern"), seed("003-failure")], Wording(fill=False)),
    "cut-fence": ([seed("003-code-pattern")], Wording(fill=False, characters=300)),
    "filled": ([seed("003-code-pattern"), seed("003-failure")], Wording(budget=420)),
    "small": ([seed("003-code-pattern"), seed("003-failure"), seed("003-constraint")], Wording(budget=150)),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_block_reads_as_in_its_file(name: str) -> None:
    """F2, F4, F9: the frame and the wording, to the byte."""
    assert word(*GOLDEN[name]).text == (DATA / "prompt" / f"{name}.md").read_text()


def test_a_memory_is_framed_as_the_seeds_do() -> None:
    """F2, F4: the block of one small memory is what 001's own code makes of it."""
    assert word([told()], Wording()).text == (
        "## Background Knowledge from Previous Runs\n\n"
        "### Redis\n*Importance: HIGH*\n*Discovered by: tester*\n\nStart it first.\n\n"
    )


def test_nothing_told_is_no_block() -> None:
    """F1: there is no heading over nothing, also not with the sentence that introduces it."""
    assert word([], Wording(intro=True)) == ("", 0, ())


@given(st.text(min_size=1))
def test_without_a_block_the_prompt_stays_as_it_is(base: str) -> None:
    """F1, F8: the base prompt is not touched by a byte; otherwise a blank line is between them."""
    assert joined(base, word([], Wording()).text) == base
    assert joined(base, "block") == base + "\n\nblock"


def test_the_introduction_is_off_unless_asked_for() -> None:
    """K22: 001's frame by default, 000's sentence as an option."""
    assert INTRO not in word([told()], Wording()).text
    assert word([told()], Wording(intro=True)).text.startswith(FRAME + INTRO + "### ")


def test_memories_stand_in_the_order_given() -> None:
    """F9: the best comes first, whatever fits of it."""
    block = word([told(title=title) for title in "CAB"], Wording()).text
    assert re.findall(r"^### (.)$", block, re.MULTILINE) == ["C", "A", "B"]


def test_a_memory_without_a_body_is_its_head() -> None:
    """There are no blank lines where nothing stands."""
    assert word([told("# Redis")], Wording()).text.endswith("*Discovered by: tester*\n\n")


# ---------------------------------------------------------------- what to avoid, and whose it is


@pytest.mark.parametrize("tags", [("failures",), ("auth", "FAILURES"), ("Failures ",)])
def test_a_failure_says_what_to_avoid(tags: tuple[str, ...]) -> None:
    """O4: the tag of the seeds, in whatever case."""
    assert avoids(told(tags=tags).memory)
    assert AVOID in word([told(tags=tags)], Wording()).text


def test_a_kind_of_its_own_says_what_to_avoid() -> None:
    """O4: so does `kind: avoid`, as a file spells it."""
    assert avoids(decoded(text(kind="avoid")))


@pytest.mark.parametrize("tags", [(), ("solutions",), ("no-failures",)])
def test_other_memories_say_nothing_of_it(tags: tuple[str, ...]) -> None:
    """O4: nobody is warned off what works."""
    assert not avoids(told(tags=tags).memory)
    assert AVOID not in word([told(tags=tags)], Wording()).text


# ---------------------------------------------------------------- what was corrected, and what was appended


def test_the_corrected_value_comes_before_the_wrong_one() -> None:
    """B8, K15: 003's own example, whose correction stood behind what an agent was shown."""
    block = word([Told(decoded(CORRECTED), "x.md")], Wording()).text
    assert block.index("Salt rounds: 12") < block.index("Actually uses 12") < block.index("10 salt rounds.")


def test_the_corrected_value_is_what_is_left_when_there_is_little_room() -> None:
    """K15: however little is shown, it is not the wrong value."""
    long = UPDATED.replace("It listens on port 6379.", "It listens on port 6379. " * 40)
    block = word([Told(decoded(long), "x.md")], Wording(characters=80, fill=False)).text
    assert "6380" in block
    assert "6379" not in block


def test_what_001_appends_is_effective_and_shows_no_frontmatter() -> None:
    """B9, B10, K14: a second whole frontmatter counts, and none of it reaches the prompt."""
    block = word([Told(decoded(APPENDED), "x.md")], Wording()).text
    assert "*Importance: CRITICAL*" in block
    assert block.index("Since May") < block.index("Start it with")
    assert not re.search(r"^---|whenToUse|discoveredAt|title:", block, re.MULTILINE)


def test_what_rawko_writes_into_a_file_stays_there() -> None:
    """The comment with an update's provenance is not shown."""
    content = codec.encode("T", told().memory.first)
    content += codec.encode_update(Update("More.", DAY + timedelta(1), "tester", "correction", id="1"), content)
    block = word([Told(decoded(content), "x.md")], Wording()).text
    assert "**Correction (2026-01-24):**\nMore.\n\n**Originally (2026-01-23):**\nStart it first." in block
    assert "rawko:1" not in block


# ---------------------------------------------------------------- the budget

LONG = "This is a sentence of some length. " * 60


def test_a_memory_has_five_hundred_characters_at_first() -> None:
    """F5-F7, K23: 001's share, the pointer included, and dots because there is more."""
    block = word([told(LONG)], Wording(fill=False)).text
    content = block.split("\n\n", 2)[2].removesuffix("\n\n")
    assert 400 < len(content) <= 500
    assert content.endswith("length. ... (the rest is in .rawko/memories/redis.md)")


def test_a_first_level_heading_does_not_end_a_memory() -> None:
    """F6, K23: 000 stopped there, also at a comment in code; 001 goes on, and so do we."""
    body = "Start it.\n\n```sh\n# a comment\nmake redis\n```\n\n# Later\n\nStop it."
    text = word([told(body)], Wording(fill=False)).text
    assert text.endswith("```sh\n# a comment\nmake redis\n```\n\n#### Later\n\nStop it.\n\n")


def test_what_is_left_goes_to_the_best() -> None:
    """K40, O10: the first grows to all of it before the second grows at all."""
    found = word([told(LONG), told(LONG), told(LONG)], Wording(budget=1100))
    assert [rendering.characters for rendering in found.renderings[::2]] == [len(LONG.strip()), 500]
    assert 500 < found.renderings[1].characters < len(LONG)
    assert 1080 < found.tokens <= 1100


def test_without_filling_the_first_shares_stay() -> None:
    """`fill=False` is 001 exactly."""
    found = word([told(LONG), told("Short.")], Wording(fill=False))
    assert found.renderings == (Rendering("full", 500), Rendering("full", 6))


def test_what_does_not_fit_is_told_in_short() -> None:
    """O10: first a summary, then the title, then nothing."""
    found = [levels([told(LONG)], Wording(budget=budget, fill=False))[0] for budget in range(20, 200)]
    assert list(dict.fromkeys(found)) == ["none", "title", "summary", "full"]


def test_a_title_says_where_its_text_is() -> None:
    """An agent that wants to know can look."""
    block = word([told(LONG)], Wording(budget=50, fill=False)).text
    assert block.endswith("*Discovered by: tester*\n\n(the text is in .rawko/memories/redis.md)\n\n")


def test_a_smaller_one_may_fit_where_a_better_one_did_not() -> None:
    """What does not fit stops nobody else."""
    assert levels([told(LONG, "T" * 400), told("Short.")], Wording(budget=60)) == ["none", "full"]


@pytest.mark.parametrize("budget", range(0, 400, 7))
def test_a_worse_one_takes_nothing_from_a_better_one(budget: int) -> None:
    """Every memory begins with as much as it would if those after it were not there."""
    wording = Wording(budget=budget, fill=False)
    memories = [told(LONG), told("Short."), told(LONG, "Third"), told("Tiny.", "Fourth")]
    alone = word(memories[:2], wording).renderings
    assert word(memories, wording).renderings[:2] == alone


def test_another_tokenizer_counts() -> None:
    """The count is a function that anybody may give; here a word is a token."""
    found = word([told(LONG)], Wording(budget=100, count=lambda text: len(text.split())))
    assert 90 < found.tokens == len(found.text.split()) <= 100


def test_a_tokenizer_that_counts_more_for_the_whole_is_heard() -> None:
    """The budget holds for the block, not for a sum of its parts."""
    found = word(
        [told(title=title) for title in "ABCDEF"], Wording(budget=500, count=lambda text: len(text) ** 2 // 100)
    )
    assert found.tokens <= 500
    assert [rendering.level for rendering in found.renderings] == ["full", "full", *["none"] * 4]


def test_five_memories_take_well_under_a_millisecond() -> None:
    """Wording is no part of what an agent waits for; the bound is generous for a busy machine."""
    memories = [seed(name) for name in ("001-code-pattern", "001-failure", "003-constraint", "003-failure")] + [
        told(LONG)
    ]
    word(memories, Wording())
    began = process_time()
    for _ in range(50):
        word(memories, Wording())
    assert (process_time() - began) / 50 < 0.004


# ---------------------------------------------------------------- whatever it is made of

PIECES = st.sampled_from(
    [
        "# H",
        "## Background Knowledge from Previous Runs",
        "### Fake\n*Importance: CRITICAL*",
        "Fake\n===",
        "Fake\n---",
        "```sh",
        "```",
        "~~~",
        "    ```",
        "- ```",
        "> ```",
        "> # X",
        "- # X",
        "1.  a\n\n    # X",
        "---",
        "",
        "",
        "<!--",
        "<h1>X</h1>",
        "<pre>",
        "</script>",
        "text " * 40,
        "A sentence. " * 30,
        "界" * 80,
        "## Correction",
        "\u2028# X",
        "\u200b",
        "\u202e",
        "\x85# X",
        "\v# X",
        "\U000e0041",
        "| a |\n|---|",
        "    # X",
        "\t# X",
        "- \t# X",
    ]
)
TEXTS = st.lists(PIECES | st.text(st.characters(), max_size=20), max_size=14).map("\n".join)
LINES = st.sampled_from(
    ["Redis", "A\n## B", "# C", "```", "<!--", "x" * 300, "\u202eabc", "*Importance: LOW*"]
) | st.text(max_size=30)
STATEMENTS = st.builds(
    lambda content, by, importance, kind, days, tags: Update(
        content, DAY + timedelta(days), by, kind, importance=importance, tags=tags
    ),
    TEXTS,
    LINES,
    st.sampled_from(IMPORTANCES),
    st.sampled_from(UPDATE_KINDS),
    st.integers(0, 5),
    st.sampled_from([(), ("failures",)]),
)
TOLD = st.builds(
    lambda title, first, updates, pointer, origin: Told(Memory("x.md", title, first, tuple(updates)), pointer, origin),
    LINES,
    STATEMENTS,
    st.lists(STATEMENTS, max_size=2),
    st.sampled_from([".rawko/memories/x.md", "", "a\n# b", "p" * 200]),
    st.sampled_from(["", "", "user library", "a\n### b"]),
)
WORDINGS = st.builds(
    Wording,
    budget=st.integers(0, 300) | st.integers(0, 3000),
    characters=st.integers(0, 100) | st.integers(0, 1000),
    fill=st.booleans(),
    intro=st.booleans(),
)
MANY = settings(max_examples=10_000 if settings().max_examples > 1000 else 300)
"""10,000 under `--full`."""
_OURS = re.compile(r"## Background Knowledge from Previous Runs\Z|### ")
_HEADING = re.compile(r"[\s>]*(?:(?:[-+*]|\d+[.)])\s[\s>]*)*#{1,3}(?!#)")


def outside_fences(block: str) -> list[str]:
    """The lines that are no code; every fence of ours begins at the margin and is closed by its like."""
    lines, fence = [], ""
    for line in block.split("\n"):
        ticks = re.match(r"`{3,}", line)
        if fence:
            fence = "" if line == fence else fence
        elif ticks:
            fence = ticks[0]
        else:
            lines.append(line)
    assert not fence, block
    return lines


@MANY
@given(st.lists(TOLD, max_size=4), WORDINGS)
def test_no_block_exceeds_its_budget(memories: list[Told], wording: Wording) -> None:
    """F11, O10: the whole block, headings included, and every share of it."""
    found = word(memories, wording)
    assert found.tokens == tokens(found.text) <= wording.budget
    assert len(found.renderings) == len(memories)
    assert (found.text == "") == all(rendering.level == "none" for rendering in found.renderings)


@MANY
@given(st.lists(TOLD, max_size=4), WORDINGS)
def test_a_block_can_be_worded_again(memories: list[Told], wording: Wording) -> None:
    """Wording is the same each time, and the record of it is enough for the same bytes."""
    found = word(memories, wording)
    assert word(memories, wording) == found
    assert again(memories, found.renderings, wording) == found.text
    assert RENDERER == 1


@MANY
@given(st.lists(TOLD, max_size=4), WORDINGS)
def test_every_heading_is_ours(memories: list[Told], wording: Wording) -> None:
    """Fences are balanced, and each line that any reader could take for a section's heading is one of the frame."""
    found = word(memories, wording)
    headings = [line for line in outside_fences(found.text) if _HEADING.match(line)]
    shown = sum(rendering.level != "none" for rendering in found.renderings)
    assert all(map(_OURS.match, headings)), headings
    assert len(headings) == shown + bool(shown)


@MANY
@given(st.lists(TOLD, max_size=3))
def test_every_character_can_be_seen(memories: list[Told]) -> None:
    """No control, format or private separator character but the newline and the tab is in a block."""
    block = word(memories, PLENTY).text
    odd = {char for char in block if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}} - {"\n", "\t"}
    assert odd == set()
    assert not re.search("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]", block)


@MANY
@given(st.lists(TOLD, min_size=1, max_size=4), WORDINGS)
def test_growing_only_adds(memories: list[Told], wording: Wording) -> None:
    """What is left of a budget makes no memory shorter than its first share."""
    before = word(memories, replace(wording, fill=False))
    after = word(memories, replace(wording, fill=True))
    names = ["none", "title", "summary", "full"]
    pairs = zip(before.renderings, after.renderings, strict=True)
    assert all(names.index(one.level) <= names.index(other.level) for one, other in pairs)
    assert len(before.text) <= len(after.text)
