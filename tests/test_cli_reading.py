"""The commands that show: what is in the tables, as of when, and what is said of files that cannot be read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from rawko.library import Library
from rawko.testing import MemoryStore
from test_cli_tools import Shop, file_text

if TYPE_CHECKING:
    from pathlib import Path

    from rawko.store.seam import Stored

_UPDATE = "\n---\n\n## Update (2026-02-10)\n\nLater: Redis 7.\n"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A sample project with a library in it."""
    return Shop(tmp_path, monkeypatch)


@pytest.fixture
def stocked(shop: Shop) -> Shop:
    """A library with two memories of different kinds."""
    shop.put("auth.md", file_text("How auth works", importance="high", tags="[api-surface, data-model]"))
    shop.put("redis.md", file_text("Redis", discoveredBy="bob", tags="[failures]") + _UPDATE)
    return shop


def files(shop: Shop, *filters: str) -> list[str]:
    """The files that `list` shows."""
    return [memory["file"] for memory in shop.json("list", *filters)["memories"]]


# ------------------------------------------------------------ list


def test_list_is_a_table_in_plain_text(stocked: Shop) -> None:
    """Off a terminal there are columns, in full and without colour."""
    assert stocked.run("list").stdout.splitlines() == [
        "FILE      IMPORTANCE  TITLE           TAGS                     DATE        STATUS",
        "auth.md   high        How auth works  api-surface, data-model  2026-01-23  active",
        "redis.md  low         Redis           failures                 2026-02-10  active",
    ]


def test_columns_line_up_under_wide_characters(shop: Shop) -> None:
    """A Chinese character takes two columns."""
    shop.put("a.md", file_text("记忆"))
    shop.put("b.md", file_text("memo"))
    _, first, second = shop.run("list").stdout.splitlines()
    assert first.split("记忆")[1] == second.split("memo")[1]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (["--tag", "api-surface", "--tag", "data-model"], ["auth.md"]),
        (["--tag", "api-surface", "--tag", "failures"], []),
        (["--importance", "low"], ["redis.md"]),
        (["--importance", "low", "--importance", "high"], ["auth.md", "redis.md"]),
        (["--agent", "bob"], ["redis.md"]),
        (["--status", "deprecated"], []),
        (["--status", "active", "--agent", "ada"], ["auth.md"]),
    ],
)
def test_list_filters(stocked: Shop, filters: list[str], expected: list[str]) -> None:
    """Tags must all be there; of the others any will do."""
    assert files(stocked, *filters) == expected


def test_list_filters_by_the_status_that_holds_now(stocked: Shop) -> None:
    """A memory that was retired is found as such."""
    stocked.run("deprecate", "redis", "--reason", "Gone.")
    assert files(stocked, "--status", "deprecated") == ["redis.md"]


def test_an_empty_library_is_not_an_error(shop: Shop) -> None:
    """There is nothing on standard output, and a word on how to begin."""
    result = shop.run("list")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "`rawko remember` adds one" in result.stderr


def test_a_filter_that_leaves_nothing_says_so(stocked: Shop) -> None:
    """Nothing found is told from nothing there."""
    assert stocked.run("list", "--tag", "nope").stderr == "rawko: no memory matches\n"


def test_files_that_cannot_be_read_are_announced_once(stocked: Shop) -> None:
    """The others are listed, and one line names those that are missing."""
    stocked.put("broken.md", file_text(importance="urgent"))
    stocked.put("empty.md", "")
    result = stocked.run("list")
    assert len(result.stdout.splitlines()) == 3
    assert result.stderr == "rawko: 2 files could not be read: broken.md, empty.md (`rawko validate` says why)\n"


def test_names_that_are_announced_are_in_order(shop: Shop) -> None:
    """Folders and links are not told after files."""
    shop.put("m.md", "")
    (shop.memories / "z.md").mkdir()
    (shop.memories / "a.md").symlink_to("m.md")
    assert "could not be read: a.md, m.md, z.md (" in shop.run("list").stderr


def test_a_long_title_is_shortened_in_plain_text(shop: Shop) -> None:
    """One title does not push the columns after it out of sight."""
    shop.put("a.md", file_text("word " * 60))
    assert shop.run("list").stdout.splitlines()[1].split()[-3:] == ["word…", "2026-01-23", "active"]


def test_many_files_that_cannot_be_read_are_counted(shop: Shop) -> None:
    """A long list of names is cut, the count is not."""
    shop.put("a.md", "")
    shop.put("b.md", "")
    shop.put("c.md", "")
    shop.put("d.md", "")
    assert "4 files could not be read: a.md, b.md, c.md, ... (" in shop.run("list").stderr


def test_a_folder_named_like_a_memory_is_announced(shop: Shop) -> None:
    """What is no file at all is not passed over either."""
    (shop.memories / "odd.md").mkdir()
    assert "odd.md" in shop.run("list").stderr


def test_list_as_json_has_the_problems(stocked: Shop) -> None:
    """A program learns of unreadable files where it looks."""
    stocked.put("broken.md", file_text(importance="urgent"))
    problem = stocked.json("list")["problems"][0]
    assert (problem["file"], problem["line"], problem["level"]) == ("broken.md", 4, "error")


# ------------------------------------------------------------ show


def test_show_has_the_fields_and_the_text(stocked: Shop) -> None:
    """First what is known about a memory, then what it says."""
    head, text = stocked.run("show", "Redis").stdout.split("\n\n", 1)
    assert head.splitlines() == [
        "Redis",
        "  file         redis.md",
        "  importance   low",
        "  status       active",
        "  when to use  test",
        "  tags         failures",
        "  discovered   2026-01-23T10:30:00Z by bob",
        "  updated      2026-02-10T00:00:00Z",
    ]
    assert text == "A body.\n\n---\n\n## Update (2026-02-10)\n\nLater: Redis 7.\n"


def test_show_finds_a_memory_of_the_user_after_those_of_the_project(stocked: Shop, tmp_path: Path) -> None:
    """By name or title, for people and as JSON, with whose it is where it is not the project's."""
    memories = tmp_path / "home" / "memories"
    memories.mkdir(parents=True)
    (memories / "mine.md").write_text(file_text("Mine") + _UPDATE)
    (memories / "redis.md").write_text(file_text("Redis of mine"))
    assert "\n  file         mine.md\n  from         user library\n" in stocked.run("show", "Mine").stdout
    shown = [stocked.json("show", *words) for words in (["mine", "--as-of", "2026-02-09"], ["redis"])]
    assert [(one["title"], one["origin"], one["updates"] == []) for one in shown] == [
        ("Mine", "user library", True),
        ("Redis", "", False),
    ]


def test_show_says_who_made_an_update_of_which_kind(shop: Shop) -> None:
    """An update is dated, signed, and called what it is."""
    shop.remember("Redis", "Needed.")
    shop.run("correct", "Redis", "--content", "Not needed.", "--agent", "tester")
    body, update = shop.run("show", "Redis").stdout.split("\n\n", 1)[1].split("\n\n---\n\n")
    assert body == "Needed."
    assert re.sub(r"\d{4}-\d\d-\d\d", "DATE", update) == (
        "## Update (DATE) by tester\n\n### Correction\n\nNot needed.\n"
    )


def test_show_names_the_successor(shop: Shop) -> None:
    """Whoever reads a memory that was replaced learns by which."""
    shop.remember("Old")
    shop.remember("New")
    shop.run("supersede", "Old", "--by", "New")
    assert "  status       superseded by new.md\n" in shop.run("show", "Old").stdout
    shop.run("restore", "Old", "--reason", "After all.")
    assert "  status       active\n" in shop.run("show", "Old").stdout


def test_show_as_of_a_day_leaves_out_what_came_later(stocked: Shop) -> None:
    """A memory as it stood at the end of a day."""
    assert stocked.json("show", "Redis", "--as-of", "2026-02-09")["updates"] == []
    assert len(stocked.json("show", "Redis", "--as-of", "2026-02-10")["updates"]) == 1


def test_show_before_the_discovery_is_an_error(stocked: Shop) -> None:
    """There was no such memory then, and from when on there is."""
    result = stocked.run("show", "Redis", "--as-of", "2026-01-22")
    assert result.exit_code == 1
    assert "it is from 2026-01-23" in result.stderr


def test_a_date_that_is_none_is_an_error_with_an_example(stocked: Shop) -> None:
    """A person learns how a date is written."""
    result = stocked.run("show", "Redis", "--as-of", "last week")
    assert result.exit_code == 1
    assert "hint: write 2026-01-23" in result.stderr


# ------------------------------------------------------------ log


def test_log_tells_what_was_stated_when(stocked: Shop) -> None:
    """One line a statement, oldest first."""
    assert stocked.run("log", "Redis").stdout.splitlines() == [
        "TIME                  WHAT     FILE      BY   TEXT",
        "2026-01-23T10:30:00Z  created  redis.md  bob  A body.",
        "2026-02-10T00:00:00Z  update   redis.md       Later: Redis 7.",
    ]


def test_log_of_all_since_a_day(stocked: Shop) -> None:
    """What changed this week."""
    changes = stocked.json("log", "--since", "2026-02-01")["changes"]
    assert [(change["file"], change["kind"]) for change in changes] == [("redis.md", "update")]


def test_log_with_nothing_to_tell_says_so(stocked: Shop) -> None:
    """Silence would look like a fault."""
    result = stocked.run("log", "--since", "2030-01-01")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "rawko: nothing was stated in that time\n")


def test_log_of_an_empty_library_says_how_to_begin(shop: Shop) -> None:
    """Without a date, it is not the time in which nothing was stated."""
    result = shop.run("log")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "rawko: there are no memories yet; `rawko remember` adds one\n"


class Counting(MemoryStore):
    """A store that remembers what was read from it."""

    def __init__(self, texts: dict[str, bytes]) -> None:
        super().__init__(texts)
        self.seen: list[str] = []

    def read(self, name: str) -> Stored:
        """The text of this name."""
        self.seen.append(name)
        return super().read(name)


def test_log_of_all_reads_each_file_once() -> None:
    """The changes and the problems come from one pass, with the changes in the order of their time."""
    later, early = file_text("Later", discoveredAt="2026-02-01"), file_text("Early") + _UPDATE
    store = Counting({"a.md": later.encode(), "b.md": b"", "c.md": early.encode()})
    survey = Library(store).survey()
    assert store.seen == ["a.md", "b.md", "c.md"]
    assert [change.memory.title for change in survey.changes()] == ["Early", "Later", "Early"]
    assert [problem.file for problem in survey.problems] == ["b.md"]


@pytest.mark.parametrize("words", [["log"], ["log", "Redis"]])
def test_log_since_a_date_that_is_none_is_an_error(stocked: Shop, words: list[str]) -> None:
    """Of one memory or of all, a person learns how a date is written."""
    result = stocked.run(*words, "--since", "last week")
    assert result.exit_code == 1
    assert result.stderr.startswith("rawko: 'last week' is not a date\n  hint: write 2026-01-23")


def test_log_announces_files_that_cannot_be_read(stocked: Shop) -> None:
    """A history with a hole in it says so, once."""
    stocked.put("broken.md", "")
    result = stocked.run("log")
    assert result.stderr == "rawko: 1 file could not be read: broken.md (`rawko validate` says why)\n"


def test_log_shows_every_kind_of_change(shop: Shop) -> None:
    """Creation, update, correction and status are told apart."""
    shop.remember("Redis")
    shop.run("update", "Redis", "--content", "a")
    shop.run("correct", "Redis", "--content", "b")
    shop.run("deprecate", "Redis", "--reason", "c")
    shop.run("restore", "Redis", "--reason", "d")
    kinds = [change["kind"] for change in shop.json("log", "Redis")["changes"]]
    assert kinds == ["created", "update", "correction", "deprecated", "restored"]
