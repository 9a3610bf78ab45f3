from __future__ import annotations

import json
import unicodedata
from datetime import UTC, datetime, timedelta, timezone

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from rawko.values.errors import Problem, RawkoError, UnreadableMemory
from rawko.values.guidelines import words
from rawko.values.memory import IMPORTANCES, UPDATE_KINDS, Memory, Update
from rawko.values.text import folded, json_line, one_line, quoted, slug, visible
from rawko.values.times import end_of, format_date, format_time, parse_time

DAY = datetime(2026, 1, 23, tzinfo=UTC)
ANY_TEXT = st.text(st.characters())
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
AWKWARD = st.text(
    st.sampled_from("aJTß! -.\u0301\u030c\u0308\u0130Σς\u200b\u202e\u2028\x00\x1b\x85\xa0\"'\\\n\t\r\ufffe\uffff界🔥")
)
TITLES = ANY_TEXT | AWKWARD
MOMENTS = st.datetimes(
    datetime(1, 1, 2),  # noqa: DTZ001 - hypothesis wants naive bounds
    datetime(9999, 12, 30),  # noqa: DTZ001 - the same
    timezones=st.integers(-23, 23).map(lambda hours: timezone(timedelta(hours=hours))),
)


# ---------------------------------------------------------------- names for files


@given(TITLES)
@example("J\u030c")
@example("e!\u0301")
def test_a_slug_is_composed_and_in_lower_case(title: str) -> None:
    """H5, U8: a name is in normal form C and lower case, so that no file system changes it."""
    name = slug(title)
    assert name == unicodedata.normalize("NFC", name) == name.lower()


@given(TITLES)
@example("")
@example("...")
def test_a_slug_always_says_something(title: str) -> None:
    """U8: no title gives an empty name, or one that hides the file or is only hyphens."""
    name = slug(title)
    assert any(map(str.isalnum, name))
    assert name.strip("-") == name
    assert not name.startswith(".")


@given(TITLES)
@example("../../etc/passwd")
def test_a_slug_leads_nowhere_else(title: str) -> None:
    """U8: nothing in a name separates folders, ends a text or means something to a shell or a disk."""
    assert set(slug(title)) & set("/\\:*?\"<>|\x00\n\r\t .~$%&'`") == set()


@given(TITLES.map(lambda title: title * 40))
@example("界" * 300)
@example("🔥𝔘" * 300)
def test_a_slug_fits_into_200_bytes(title: str) -> None:
    """H5: with its ending and a number behind it, a name has at most 200 bytes."""
    assert len(f"{slug(title)}-9999.md".encode()) <= 200


@given(TITLES)
def test_a_slug_of_a_slug_is_the_same(title: str) -> None:
    """K12: a stem finds the file that it is the stem of."""
    assert slug(slug(title)) == slug(title)


@given(TITLES)
def test_folding_ignores_case_and_composition(title: str) -> None:
    """K12: two spellings that some file system takes for one are compared as one."""
    spellings = {title, unicodedata.normalize("NFC", title), unicodedata.normalize("NFD", title), folded(title)}
    assert {folded(spelling) for spelling in spellings} == {folded(title)}


# ---------------------------------------------------------------- text that is safe to show and to quote


@given(TITLES)
def test_visible_text_has_no_control_characters(text: str) -> None:
    """S9: what is shown moves no cursor, turns no direction and hides nothing; only tabs and newlines stay."""
    left = {char for char in visible(text) if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}}
    assert left <= {"\n", "\t"}
    assert set(visible(text)) & set("\u200b\u200e\u200f\u202a\u202e\u2060\u2066\u2069\ufeff\U000e0041") == set()


@given(st.text(st.characters(exclude_categories=["C", "Z"], max_codepoint=0xDFFFF)))
def test_visible_text_is_left_as_it_is(text: str) -> None:
    """Nothing that a reader can see is changed."""
    assert visible(text) == text


@given(TITLES)
def test_one_line_is_one_line(text: str) -> None:
    """White space of every kind becomes one space, and nothing that is left breaks a line."""
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert line == " ".join(line.split())
    assert not set(line) & {"\t", "\n", "\r"}


@given(TEXTS | AWKWARD)
@example("\ufffe\uffff")
def test_a_quoted_text_reads_back_in_any_yaml_reader(text: str) -> None:
    """K37: whatever we quote is that text again, to a reader that guesses types too."""
    assert yaml.safe_load(f"key: {quoted(text)}") == {"key": text}
    assert yaml.load(f"[{quoted(text)}]", Loader=yaml.CSafeLoader) == [text]


@given(TEXTS | AWKWARD)
def test_a_quoted_text_is_one_visible_line(text: str) -> None:
    """Frontmatter that we write hides nothing from the person who reads it."""
    assert quoted(text) == visible(quoted(text))
    assert "\n" not in quoted(text)


@given(st.recursive(ANY_TEXT | AWKWARD, lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner), max_leaves=5))
def test_a_json_line_reads_back(value: object) -> None:
    """Any value of texts is the same after a trip through one visible line."""
    line = json_line(value)
    assert json.loads(line) == value
    assert line == visible(line)
    assert len(line.split("\n")) == 1


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("One two\n\nthree", 3),
        ("don't re-count", 2),
        ("认证模块的结构在源码目录", 6),
        ("認証 module の構成", 4),
        ("โครงสร้าง", 5),
        ("인증 모듈 구조", 3),
    ],
)
def test_words_are_counted_as_a_reader_would(text: str, count: int) -> None:
    """A22: a script without spaces between words is not one long word."""
    assert words(text) == count


# ---------------------------------------------------------------- moments


@given(MOMENTS)
def test_a_moment_reads_back_to_the_second(moment: datetime) -> None:
    """A11: what is written is the same moment in UTC, and looks like the seeds' own dates."""
    written = format_time(moment)
    assert parse_time(written) == moment.replace(microsecond=0)
    assert written.endswith("Z")
    assert written[:10] == format_date(moment)


@given(MOMENTS)
def test_a_moment_without_an_offset_is_utc(moment: datetime) -> None:
    """A11: nothing depends on the zone of the machine."""
    naive = moment.replace(tzinfo=None)
    assert parse_time(naive.isoformat()) == moment.replace(tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-02-30", "23.01.2026", "0001-01-01T00:00:00+14:00", "10:30"])
def test_what_is_no_moment_is_a_value_error(text: str) -> None:
    """A11: a date that nobody can place is not guessed at."""
    with pytest.raises(ValueError, match=r".+"):
        parse_time(text)


@given(MOMENTS)
def test_the_end_of_a_day_is_its_last_moment(moment: datetime) -> None:
    """`--as-of 2026-01-23` means all of that day, and nothing of the next."""
    day = format_date(moment)
    assert format_date(end_of(day)) == day
    assert format_date(end_of(day) + timedelta(microseconds=1)) > day


@pytest.mark.parametrize(
    "text",
    ["2026-01-23T10:30:00Z", " 2026-01-23T10:30:00 ", "2026-01-23T11:30:00+01:00", "2026-01-23T10:30:00.5Z"],
)
def test_the_end_of_a_time_is_the_end_of_its_second(text: str) -> None:
    """Statements are dated to the second, so a time includes what was stated in that second and no more."""
    assert end_of(text) == DAY + timedelta(hours=10, minutes=30, microseconds=999_999)


def test_the_last_second_of_the_calendar_has_an_end() -> None:
    """There is no moment beyond it, and asking is no error."""
    assert end_of("9999-12-31T23:59:59.9Z") == datetime.max.replace(tzinfo=UTC)


# ---------------------------------------------------------------- a memory as it holds

UPDATES = st.builds(
    Update,
    content=st.just("Text."),
    at=st.integers(0, 6).map(lambda days: DAY + timedelta(days=days)),
    by=st.just("tester"),
    kind=st.sampled_from(UPDATE_KINDS),
    when_to_use=st.lists(st.sampled_from("abc"), max_size=3).map(tuple),
    tags=st.lists(st.sampled_from("xyz"), max_size=3).map(tuple),
    importance=st.none() | st.sampled_from(IMPORTANCES),
)
FIRSTS = st.builds(
    Update,
    content=st.just("First."),
    at=st.integers(0, 3).map(lambda days: DAY + timedelta(days=days)),
    when_to_use=st.just(("a",)),
    importance=st.sampled_from(IMPORTANCES),
)
MEMORIES = st.builds(Memory, st.just("t.md"), st.just("T"), FIRSTS, st.lists(UPDATES, max_size=5).map(tuple))
DAYS = st.integers(-1, 7).map(lambda days: DAY + timedelta(days=days))


def memory(*kinds: str) -> Memory:
    """A memory that was given these kinds of updates, a day apart."""
    updates = [Update("Text.", DAY + timedelta(days=number + 1), kind=kind) for number, kind in enumerate(kinds)]
    return Memory("t.md", "T", Update("First.", DAY, importance="low"), tuple(updates))


@given(MEMORIES)
def test_patterns_and_tags_are_those_of_all_statements(memory: Memory) -> None:
    """B9, K14: each that any statement brought holds, once."""
    assert set(memory.when_to_use) == {item for part in memory.statements for item in part.when_to_use}
    assert len(set(memory.when_to_use)) == len(memory.when_to_use)
    assert set(memory.tags) == {item for part in memory.statements for item in part.tags}


@given(MEMORIES)
def test_importance_is_the_highest_of_all_statements(memory: Memory) -> None:
    """B9, K14: no statement lowers it, and one is enough to raise it."""
    ranks = [IMPORTANCES.index(part.importance) for part in memory.statements if part.importance]
    assert IMPORTANCES.index(memory.importance) == max(ranks)


@pytest.mark.parametrize(
    ("kinds", "status"),
    [
        ((), "active"),
        (("update", "correction"), "active"),
        (("deprecated",), "deprecated"),
        (("deprecated", "update"), "deprecated"),
        (("deprecated", "restored"), "active"),
        (("superseded", "restored", "deprecated"), "deprecated"),
        (("deprecated", "superseded"), "superseded"),
        (("forgotten",), "forgotten"),
    ],
)
def test_the_status_is_the_latest_word_on_it(kinds: tuple[str, ...], status: str) -> None:
    """DESIGN 3: retiring and restoring are updates, and the last of them holds."""
    assert memory(*kinds).status == status


@pytest.mark.parametrize(("days", "status"), [(-1, "deprecated"), (0, "active"), (1, "active")])
def test_the_latest_word_holds_wherever_it_stands(days: int, status: str) -> None:
    """A merge puts the words of two branches one after the other: time decides, and within a second the order."""
    words_on_it = (Update("a", DAY, kind="deprecated"), Update("b", DAY + timedelta(days=days), kind="restored"))
    assert Memory("t.md", "T", Update("First.", DAY), words_on_it).status == status


@given(MEMORIES, DAYS)
def test_a_memory_as_of_a_moment_has_nothing_from_later(memory: Memory, moment: datetime) -> None:
    """DESIGN 3: it has every statement up to the moment and none after, or it was not there yet."""
    then = memory.as_of(moment)
    if moment < memory.discovered_at:
        assert then is None
    else:
        assert then is not None
        assert then.updates == tuple(part for part in memory.updates if part.at <= moment)
        assert (then.first, then.file, then.title) == (memory.first, memory.file, memory.title)


@given(MEMORIES)
def test_a_memory_as_of_its_last_update_is_whole(memory: Memory) -> None:
    """Nothing is left out of the present."""
    assert memory.as_of(memory.updated_at) == memory


@given(MEMORIES)
def test_the_content_has_every_statement_in_order(memory: Memory) -> None:
    """B7, B8: the first text, then each update under its dated heading and its mark."""
    first, *later = memory.content.split("\n\n---\n\n")
    assert first == memory.body
    assert later == [f"## Update ({format_date(part.at)})\n\n{part.text}" for part in memory.updates]


def test_memories_with_equal_content_are_equal() -> None:
    """Values are pure: two that say the same are the same."""
    assert memory("correction") == memory("correction")


# ---------------------------------------------------------------- problems and errors


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (Problem("a.md", "bad"), "a.md: bad"),
        (Problem("a.md", "bad", "mend it", 3), "a.md:3: bad (mend it)"),
    ],
)
def test_a_problem_reads_as_one_line(problem: Problem, line: str) -> None:
    """File, line where one is known, reason, and what to do about it."""
    assert str(problem) == line


def test_an_error_has_its_hint_behind_it() -> None:
    """Whoever only prints an error still learns what to do."""
    assert str(RawkoError("no such thing", hint="make one")) == "no such thing (make one)"
    assert str(RawkoError("no such thing")) == "no such thing"


def test_an_unreadable_memory_speaks_with_its_first_problem() -> None:
    """It carries all of them, and says the first."""
    problems = (Problem("a.md", "bad", "mend it", 3), Problem("a.md", "worse", "", 4))
    error = UnreadableMemory(problems)
    assert (str(error), error.problems) == ("a.md:3: bad (mend it)", problems)
