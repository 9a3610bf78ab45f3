"""The free search: what has the words of a query, the best first, whatever the patterns say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rawko.values.errors import InvalidTask, RawkoError
from recalled import keep, on_disk, set_up
from samples import data, write

if TYPE_CHECKING:
    from pathlib import Path

    from rawko.library import Library
    from rawko.testing import FixedClock

REDIS = "Tests of the queue need Redis. Start it with `make redis` before the first test."


@pytest.fixture
def library(clock: FixedClock) -> Library:
    """A library with three memories of different agents, importances and tags."""
    library = set_up(clock)
    library.remember("Tests need Redis", REDIS, ["zzz"], "high", ["constraints", "Testing"], "tester")
    clock.advance(days=2)
    library.remember("How we deploy", "Deploys run from the main branch.", ["yyy"], "low", ["solutions"], "developer")
    clock.advance(days=2)
    library.remember("Cache of pages", "Pages are cached in Redis for a minute.", ["xxx"], "medium", [], "developer")
    return library


def found(library: Library, query: str, **more: Any) -> list[str]:
    """The titles that a search finds, in order."""
    return [one.title for one in library.search(query, **more)]


def test_search_ignores_the_patterns(library: Library) -> None:
    """K10: what a memory says is enough."""
    assert found(library, "branch") == ["How we deploy"]


def test_the_best_comes_first(library: Library) -> None:
    """O16: who says more of the query, and in the title."""
    assert found(library, "redis tests") == ["Tests need Redis", "Cache of pages"]


def test_a_hit_says_what_it_is(library: Library) -> None:
    """DESIGN 10: kind, id, title, score and the piece that has the words."""
    [hit, *_] = library.search("start redis")
    assert (hit.kind, hit.id, hit.title) == ("memory", "tests-need-redis.md", "Tests need Redis")
    assert (hit.snippet, hit.score > 0) == ("Start it with `make redis` before the first test.", True)


@pytest.mark.parametrize("query", ["deploying", "DEPLOY", "deployed branches", "dépløy deploy"])
def test_forms_of_a_word_are_one_word(library: Library, query: str) -> None:
    """O16: endings, cases and accents do not matter."""
    assert found(library, query) == ["How we deploy"]


@pytest.mark.parametrize("query", ["", "   ", "?!", "kubernetes", "the kubernetes"])
def test_what_nobody_says_is_not_found(library: Library, query: str) -> None:
    """T27: an empty query and unknown words find nothing."""
    assert found(library, query) == []


def test_a_query_of_little_words_searches_for_them(library: Library) -> None:
    """T7: where there is nothing else to search for."""
    assert set(found(library, "of the")) == {"Tests need Redis", "How we deploy", "Cache of pages"}


@pytest.mark.parametrize(("limit", "count"), [(0, 0), (1, 1), (10, 2), (-1, 0)])
def test_a_search_has_a_limit(library: Library, limit: int, count: int) -> None:
    """DESIGN 10: no more than asked for."""
    assert len(library.search("redis", limit=limit)) == count


def test_the_limit_is_ten_by_default(clock: FixedClock) -> None:
    """DESIGN 10: unless somebody says otherwise."""
    library = set_up(clock)
    for number in range(12):
        keep(library, f"Zorp {number}")
    assert len(library.search("zorp")) == 10


@pytest.mark.parametrize(
    ("filters", "titles"),
    [
        ({"tag": "testing"}, ["Tests need Redis"]),
        ({"tag": ["constraints", "TESTING"]}, ["Tests need Redis"]),
        ({"tag": ["constraints", "solutions"]}, []),
        ({"importance": "high"}, ["Tests need Redis"]),
        ({"importance": "low"}, ["Tests need Redis", "Cache of pages"]),
        ({"agent": "developer"}, ["Cache of pages"]),
        ({"since": "2026-01-26"}, ["Cache of pages"]),
        ({"until": "2026-01-24"}, ["Tests need Redis"]),
        ({"until": "2026-01-23"}, ["Tests need Redis"]),
        ({"since": "2026-01-24", "until": "2026-01-25"}, []),
        ({"tag": None, "agent": None}, ["Tests need Redis", "Cache of pages"]),
    ],
)
def test_filters_narrow_a_search(library: Library, filters: dict[str, Any], titles: list[str]) -> None:
    """DESIGN 10: by tag, least importance, agent and date."""
    assert found(library, "redis tests", **filters) == titles


@pytest.mark.parametrize("filters", [{"importance": "urgent"}, {"since": "soon"}, {"until": "x"}, {"colour": "red"}])
def test_a_filter_that_makes_no_sense_is_refused(library: Library, filters: dict[str, Any]) -> None:
    """S13: in words of ours."""
    with pytest.raises(RawkoError):
        library.search("redis", **filters)


def test_search_keeps_to_what_it_is_told_to_look_through(library: Library) -> None:
    """DESIGN 10: `within` says where."""
    assert found(library, "redis", within=("sessions",)) == []


def test_what_is_deprecated_is_found(library: Library) -> None:
    """O5: a person may look for what held once."""
    library.deprecate("How we deploy", "We do not.")
    assert found(library, "branch") == ["How we deploy"]


def test_what_was_forgotten_is_not_found(library: Library) -> None:
    """DESIGN 3: neither by what it said nor by its stub."""
    library.forget("How we deploy", purge=True)
    assert (found(library, "branch"), found(library, "forgotten removed")) == ([], [])


def test_an_update_is_found(library: Library) -> None:
    """B9, C2: what was appended is found at once."""
    library.update("How we deploy", "Since March by a pipeline.")
    assert found(library, "pipeline march") == ["How we deploy"]


def test_a_tag_is_found(library: Library) -> None:
    """O16: a search is over title, patterns, tags and text."""
    assert (found(library, "solutions"), found(library, "yyy")) == (["How we deploy"], ["How we deploy"])


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("データベースの移行は夜間に行う。", "データベース"),
        ("数据库的备份每天两点运行。", "备份"),
        ("데이터베이스 백업은 매일 두 시에 실행된다.", "백업"),
        ("Резервная копия делается ночью.", "КОПИЯ"),
        ("สำรองข้อมูลทุกคืน", "ข้อมูล"),
        ("النسخة الاحتياطية ليلا.", "الاحتياطية"),
        ("Το αντίγραφο γίνεται τη νύχτα.", "αντιγραφο"),
        ("ทดสอบ Redis ก่อน", "redis"),
        ("用Redis缓存页面", "缓存 redis"),
    ],
)
def test_every_script_is_searched(clock: FixedClock, text: str, query: str) -> None:
    """DESIGN 4: FTS5's own tokenizer finds nothing in some of these."""
    library = set_up(clock)
    library.remember("Zorp", text, ["zzz"])
    keep(library, "Other")
    assert found(library, query) == ["Zorp"]


def test_a_search_finds_the_same_on_disk(tmp_path: Path, library: Library) -> None:
    """DESIGN 7: whichever store and index it is."""
    for name in library.store.names().names:
        write(tmp_path, name, library.store.read(name).data)
    with on_disk(tmp_path) as other:
        assert other.search("redis tests deploy") == library.search("redis tests deploy")


def test_a_file_that_was_edited_is_found_by_what_it_says_now(tmp_path: Path) -> None:
    """A31, H4: hand edits are seen at the next search."""
    path = write(tmp_path, "a.md", data("About Redis."))
    with on_disk(tmp_path) as library:
        before = found(library, "postgres")
        path.write_bytes(data("About Postgres."))
        assert (before, found(library, "postgres")) == ([], ["Tests need Redis"])


def test_a_query_that_is_no_text_is_refused(library: Library) -> None:
    """DESIGN 10: as a task is."""
    with pytest.raises(InvalidTask):
        library.search(None)  # type: ignore[arg-type]


def test_a_snippet_keeps_the_marks_of_code(library: Library) -> None:
    """What a command begins with is part of it; the mark of an item is not."""
    library.remember("Options", "Say so:\n\n- `--json` prints a line.\n- --quiet prints none.", "x")
    assert library.search("json")[0].snippet == "`--json` prints a line."
    assert library.search("quiet")[0].snippet == "--quiet prints none."
