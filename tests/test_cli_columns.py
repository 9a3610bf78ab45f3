"""How tables fit a window: one line a row, file names whole, and what makes room for them in which order."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from rawko import Change
from rawko.clients.cli import columns
from rawko.values.memory import Memory, Update

if TYPE_CHECKING:
    from rawko.clients.cli.columns import Table

_WIDTHS = [40, 60, 80, 100, 120]
_AT = datetime(2026, 1, 23, 10, 30, tzinfo=UTC)
_LONG = "postgres-connection-pool-is-exhausted-under-load-when-the-import.md"
_ALL = ["FILE", "IMPORTANCE", "TITLE", "TAGS", "DATE", "STATUS"]


def memory(file: str, title: str, importance: str = "high", *tags: str, status: str = "") -> Memory:
    """A memory, retired if a status is given."""
    first = Update("它需要 Redis.\nMore.", _AT, "developer", importance=importance, tags=tags)
    return Memory(file, title, first, (Update("Gone since the move.", _AT, "tester", status),) if status else ())


MEMORIES = [
    memory("tests-need-redis.md", "Tests need Redis, and it has to run before them", "high", "constraints", "failures"),
    memory("支付金额以分为单位.md", "支付金额以分为单位，绝不要使用浮点数来计算发票", "critical", "data-model"),
    memory("queue.md", "Cafe\u0301 orders are put on the queue twice", "low"),
]
RETIRED = [*MEMORIES, memory("old.md", "Old", "low", status="deprecated")]
CHANGES = [Change(value, update) for value in RETIRED for update in value.statements]


def lines(table: Table) -> list[str]:
    """The rows of a table as they are printed."""
    return ["".join(row) for row in columns.rows(table)]


def widest(table: Table) -> int:
    """The columns that the longest row takes."""
    return max(map(columns.width, lines(table)))


@pytest.mark.parametrize("window", _WIDTHS)
@pytest.mark.parametrize("values", [MEMORIES, RETIRED])
def test_a_list_fits_the_window_with_whole_names(values: list[Memory], window: int) -> None:
    """No row is wider than the window, and every file can be copied from it."""
    table = columns.of_memories(values, window)
    assert widest(table) <= window
    assert table["FILE"] == [value.file for value in values]


@pytest.mark.parametrize("window", _WIDTHS)
def test_a_log_fits_the_window_with_whole_names(window: int) -> None:
    """No row is wider than the window, but where time, kind and file alone are."""
    table = columns.of_changes(CHANGES, window)
    core = len("2026-01-23  deprecated  支付金额以分为单位.md") + len("支付金额以分为单位")
    assert widest(table) <= max(window, core)
    assert table["FILE"] == [change.memory.file for change in CHANGES]


@pytest.mark.parametrize(
    ("window", "headers"),
    [
        (120, _ALL),
        (100, _ALL),
        (80, ["FILE", "IMPORTANCE", "TITLE", "DATE", "STATUS"]),
        (60, ["FILE", "IMPORTANCE", "TITLE", "STATUS"]),
        (58, ["FILE", "IMPORTANCE", "TITLE"]),
        (45, ["FILE", "TITLE"]),
        (36, ["FILE", "IMPORTANCE"]),
        (30, ["FILE"]),
    ],
)
def test_a_narrow_list_drops_columns_in_order(window: int, headers: list[str]) -> None:
    """The tags go first, then the date, the status that says nothing, the importance, the title."""
    assert list(columns.of_memories(MEMORIES, window)) == headers


@pytest.mark.parametrize(
    ("window", "headers"),
    [
        (63, ["FILE", "IMPORTANCE", "TITLE", "STATUS"]),
        (62, ["FILE", "TITLE", "STATUS"]),
        (45, ["FILE", "IMPORTANCE", "STATUS"]),
        (40, ["FILE", "STATUS"]),
        (30, ["FILE"]),
    ],
)
def test_a_status_that_says_something_stays(window: int, headers: list[str]) -> None:
    """Where one memory is retired, importance and title go before the status."""
    assert list(columns.of_memories(RETIRED, window)) == headers


def test_a_title_is_shortened_before_a_column_goes() -> None:
    """As long as sixteen columns of it are left, every column is there."""
    table = columns.of_memories(MEMORIES, 94)
    assert list(table) == _ALL
    assert table["TITLE"] == ["Tests need Redi…", "支付金额以分为…", "Cafe\u0301 orders are…"]


def test_a_title_takes_what_the_window_has() -> None:
    """In a wide window nothing is shortened."""
    assert columns.of_memories(MEMORIES, 200)["TITLE"] == [value.title for value in MEMORIES]


def test_a_name_that_is_wider_than_the_window_is_whole() -> None:
    """A longer line is better than half a name."""
    table = columns.of_memories([memory(_LONG, "Pool")], 40)
    assert lines(table) == ["FILE", _LONG]


@pytest.mark.parametrize(
    ("window", "headers"),
    [
        (120, ["TIME", "WHAT", "FILE", "BY", "TEXT"]),
        (90, ["TIME", "WHAT", "FILE", "BY", "TEXT"]),
        (89, ["DATE", "WHAT", "FILE", "BY", "TEXT"]),
        (74, ["DATE", "WHAT", "FILE", "BY", "TEXT"]),
        (70, ["DATE", "WHAT", "FILE", "TEXT"]),
        (60, ["DATE", "WHAT", "FILE"]),
        (20, ["DATE", "WHAT", "FILE"]),
    ],
)
def test_a_narrow_log_drops_columns_in_order(window: int, headers: list[str]) -> None:
    """The hour goes first, then the author, then the text."""
    assert list(columns.of_changes(CHANGES, window)) == headers


def test_only_the_first_line_of_a_text_is_in_the_log() -> None:
    """A change is one row, however much it says."""
    assert columns.of_changes(CHANGES[:1])["TEXT"] == ["它需要 Redis."]


def test_without_a_window_there_is_every_column() -> None:
    """A pipe gets all there is, and the whole text of a change."""
    assert list(columns.of_memories(MEMORIES)) == _ALL
    assert columns.of_changes(CHANGES)["TEXT"][-1] == "Gone since the move."


def test_a_very_long_title_is_shortened_even_without_a_window() -> None:
    """One title does not push the other columns out of sight."""
    title = columns.of_memories([memory("a.md", "word " * 50)])["TITLE"][0]
    assert columns.width(title) == 100
    assert title.endswith("word…")


def test_a_row_has_no_blanks_at_its_end() -> None:
    """Where the last cells are empty, the line ends before them."""
    assert lines({"A": ["x", "long"], "B": ["", "y"]}) == ["A     B", "x", "long  y"]


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("记忆记忆", 8, "记忆记忆"),
        ("记忆记忆", 7, "记忆记…"),
        ("记忆记忆", 6, "记忆…"),
        ("cafe\u0301 noir", 6, "cafe\u0301…"),
        ("", 0, ""),
    ],
)
def test_a_text_is_shortened_by_what_it_takes_on_a_terminal(text: str, most: int, expected: str) -> None:
    """Wide characters count twice and marks not at all, and a mark stays with its letter."""
    assert columns.shortened(text, most) == expected
