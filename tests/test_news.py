"""What is new in a store, without reading it: every change is news once, whoever made it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rawko.store.files import Stamp
from rawko.store.memories import FileStore
from rawko.store.news import ALWAYS_LOOK, version
from rawko.testing import MemoryStore
from rawko.values.memory import Draft
from recalled import on_disk, settle
from samples import data, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rawko.library import Library

MANY = ALWAYS_LOOK + 44


@pytest.fixture(params=[3, MANY], ids=["few", "many"])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Library]:
    """A library whose files have been there for an hour, few or many of them."""
    with on_disk(tmp_path) as library:
        library.append_many([Draft(f"Title {number}", f"Zorp {number}.", ["test"]) for number in range(request.param)])
        settle(tmp_path)
        library.store.names("Title 0")  # whoever looks enters what is there into the catalogue
        yield library


@pytest.fixture
def many(tmp_path: Path) -> Iterator[Library]:
    """A library with many files."""
    with on_disk(tmp_path) as library:
        library.append_many([Draft(f"Title {number}", f"Zorp {number}.", ["test"]) for number in range(MANY)])
        settle(tmp_path)
        library.store.names("Title 0")
        library.update("Title 1", "More.")  # so that the log of the catalogue has begun
        settle(tmp_path)
        library.store.names("Title 0")
        yield library


def known(library: Library) -> tuple[str, dict[str, str]]:
    """The mark and the versions as they are now."""
    found = library.store.news()
    return found.mark, dict(found.versions)


def changed(library: Library, before: tuple[str, dict[str, str]]) -> dict[str, bool]:
    """What is news since then: each name that is new or another, and whether it is still there."""
    mark, versions = before
    found = library.store.news(mark)
    news = {name: True for name, one in found.versions.items() if versions.get(name) != one}
    return news | ({name: False for name in versions if name not in found.versions} if found.whole else {})


# ---------------------------------------------------------------- the store on disk


def test_without_a_mark_everything_is_news(library: Library) -> None:
    """O3: each file with its version, and nothing of it was read."""
    found = library.store.news()
    assert (found.whole, sorted(found.versions)) == (True, sorted(library.store.names().names))


def test_where_nothing_happened_nothing_is_news(library: Library) -> None:
    """O3: however often one asks."""
    before = known(library)
    assert (changed(library, before), changed(library, before)) == ({}, {})


def test_an_own_new_memory_is_news(library: Library) -> None:
    """DESIGN 4: our own writes are known at once."""
    before = known(library)
    library.remember("New", "Text.", ["test"])
    assert changed(library, before) == {"new.md": True}


def test_an_own_update_is_news(library: Library) -> None:
    """DESIGN 4: so is what was appended."""
    before = known(library)
    library.update("Title 2", "More.")
    assert changed(library, before) == {"title-2.md": True}


def test_what_another_process_wrote_is_news(library: Library, tmp_path: Path) -> None:
    """C4: whoever writes with rawko."""
    before = known(library)
    with on_disk(tmp_path) as other:
        other.remember("New", "Text.", ["test"])
        other.update("Title 2", "More.")
    assert changed(library, before) == {"new.md": True, "title-2.md": True}


def test_a_file_that_somebody_puts_there_is_news(library: Library, tmp_path: Path) -> None:
    """H4: git, an editor, a copy."""
    before = known(library)
    write(tmp_path, "foreign.md", data())
    assert changed(library, before) == {"foreign.md": True}


def test_a_file_in_a_folder_below_is_news(library: Library, tmp_path: Path) -> None:
    """K39, H4: folders are read recursively."""
    before = known(library)
    write(tmp_path, "deep/er/foreign.md", data())
    assert changed(library, before) == {"deep/er/foreign.md": True}


def test_a_second_file_in_a_folder_below_is_news(library: Library, tmp_path: Path) -> None:
    """K39, H4: a folder that is known is looked at for what is new in it."""
    write(tmp_path, "deep/one.md", data())
    settle(tmp_path)
    library.store.names("Title 0")
    before = known(library)
    write(tmp_path, "deep/two.md", data())
    assert changed(library, before) == {"deep/two.md": True}


def test_a_renamed_file_is_news_twice(library: Library, tmp_path: Path) -> None:
    """H4: one name is gone, the other is new."""
    before = known(library)
    folder = tmp_path / ".rawko" / "memories"
    (folder / "title-2.md").rename(folder / "other.md")
    assert changed(library, before) == {"title-2.md": False, "other.md": True}


def test_a_deleted_file_is_news(library: Library, tmp_path: Path) -> None:
    """H4: it is gone."""
    before = known(library)
    (tmp_path / ".rawko" / "memories" / "title-2.md").unlink()
    assert changed(library, before) == {"title-2.md": False}


def test_a_file_that_an_editor_saved_is_news(library: Library, tmp_path: Path) -> None:
    """H4: as editors do, by a new file in place of the old."""
    before = known(library)
    write(tmp_path, ".title-2.swp", data("Other."))
    folder = tmp_path / ".rawko" / "memories"
    (folder / ".title-2.swp").rename(folder / "title-2.md")
    assert changed(library, before) == {"title-2.md": True}


def test_an_edit_and_an_own_write_are_both_news(library: Library, tmp_path: Path) -> None:
    """H4: our own write hides nobody else's."""
    before = known(library)
    write(tmp_path, "foreign.md", data())
    library.update("Title 2", "More.")
    assert changed(library, before) == {"foreign.md": True, "title-2.md": True}


def test_a_foreign_file_and_an_own_new_one_are_both_news(library: Library, tmp_path: Path) -> None:
    """H4: in whatever order."""
    before = known(library)
    library.remember("New", "Text.", ["test"])
    write(tmp_path, "foreign.md", data())
    library.remember("Newer", "Text.", ["test"])
    assert changed(library, before) == {"foreign.md": True, "new.md": True, "newer.md": True}


def test_what_a_purge_rewrote_is_news(library: Library) -> None:
    """DESIGN 3: what must go has to be seen."""
    before = known(library)
    library.forget("Title 2", purge=True)
    assert changed(library, before) == {"title-2.md": True}


@pytest.mark.parametrize("mark", ["", "x", "{}", "[]", "null", '{"place": "1 0:5", "folders": {"": 1}}', "\ud800", "7"])
def test_a_mark_that_means_nothing_is_everything(library: Library, mark: str) -> None:
    """D9: nobody is told that nothing changed on the word of a mark that is not ours."""
    found = library.store.news(mark)
    assert (found.whole, len(found.versions)) == (True, len(library.store.names().names))


def test_a_file_that_is_edited_in_place_is_news_among_few(tmp_path: Path) -> None:
    """DESIGN 4: small stores are looked at in full."""
    path = write(tmp_path, "a.md", data())
    settle(tmp_path)
    with on_disk(tmp_path) as library:
        before = known(library)
        path.write_bytes(data("Other text that is as it is"))
        assert changed(library, before) == {"a.md": True}


def test_an_edit_of_the_same_size_is_news(tmp_path: Path) -> None:
    """H4: the time tells, where the size does not."""
    path = write(tmp_path, "a.md", data("One."))
    settle(tmp_path)
    with on_disk(tmp_path) as library:
        before = known(library)
        path.write_bytes(data("Two."))
        assert changed(library, before) == {"a.md": True}


# ---------------------------------------------------------------- many files


def test_among_many_only_what_was_written_is_looked_at(many: Library) -> None:
    """O3, DESIGN 4: the log of the catalogue says what rawko wrote, and no other file is named."""
    mark, _ = known(many)
    many.update("Title 2", "More.")
    found = many.store.news(mark)
    assert (found.whole, list(found.versions)) == (False, ["title-2.md"])


def test_a_mark_leads_on_to_the_next(many: Library) -> None:
    """O3: each change is news once."""
    mark, _ = known(many)
    many.update("Title 2", "More.")
    found = many.store.news(mark)
    many.update("Title 3", "More.")
    assert list(many.store.news(found.mark).versions) == ["title-3.md"]


def test_a_mark_from_another_log_is_everything(many: Library, tmp_path: Path) -> None:
    """D9: a log that was begun anew does not know what came before."""
    mark, _ = known(many)
    (tmp_path / ".rawko" / ".cache" / "memories.log").unlink()
    many.close()
    many.update("Title 2", "More.")
    assert many.store.news(mark).whole


def test_a_mark_is_kept_across_processes(many: Library, tmp_path: Path) -> None:
    """O3: the next process need not look at everything."""
    mark, _ = known(many)
    many.update("Title 2", "More.")
    with on_disk(tmp_path) as other:
        assert list(other.store.news(mark).versions) == ["title-2.md"]


def test_a_folder_that_changed_just_now_is_looked_at_again(many: Library, tmp_path: Path) -> None:
    """Two changes of one instant may carry the same time, so the next look is at everything."""
    write(tmp_path, "foreign.md", data())
    found = many.store.news()
    again = many.store.news(found.mark)
    assert ("foreign.md" in found.versions, again.whole, again.versions.keys()) == (True, True, found.versions.keys())


def test_what_we_append_in_a_burst_is_news_without_a_look_at_everything(many: Library, tmp_path: Path) -> None:
    """A folder that we keep changing is never settled; what we wrote into it is on record all the same."""
    write(tmp_path, "foreign.md", data())
    many.store.names("Title 0")
    mark = many.store.news().mark
    for number in range(5):
        many.remember(f"Burst {number}", "Text.", "burst")
        found = many.store.news(mark)
        assert (found.whole, list(found.versions)) == (False, [f"burst-{number}.md"])
        mark = found.mark


def test_a_folder_that_is_gone_is_everything(many: Library, tmp_path: Path) -> None:
    """K39: whatever was in a folder below is gone with it."""
    write(tmp_path, "deep/one.md", data())
    settle(tmp_path)
    many.store.names("Title 0")
    many.update("Title 3", "More.")
    settle(tmp_path)
    before = known(many)
    (tmp_path / ".rawko" / "memories" / "deep" / "one.md").unlink()
    (tmp_path / ".rawko" / "memories" / "deep").rmdir()
    assert changed(many, before) == {"deep/one.md": False}


def test_a_change_within_the_tick_of_the_last_write_is_seen(many: Library, tmp_path: Path) -> None:
    """H4: a foreign file that arrives in the same instant as our own last write is seen at the next look but one."""
    folder = tmp_path / ".rawko" / "memories"
    mark, _ = known(many)
    many.remember("New", "Text.", ["test"])
    instant = folder.stat().st_mtime_ns
    found = many.store.news(mark)
    write(tmp_path, "foreign.md", data())
    os.utime(folder, ns=(instant, instant))
    assert "foreign.md" in many.store.news(found.mark).versions


# ---------------------------------------------------------------- versions


def test_a_version_is_of_time_size_and_place() -> None:
    """Any of the three tells one state of a file from another."""
    stamps = [Stamp(1, 2, 3), Stamp(9, 2, 3), Stamp(1, 9, 3), Stamp(1, 2, 9)]
    assert len({version(stamp, 10**18) for stamp in stamps}) == 4


def test_what_changed_just_now_is_looked_at_again() -> None:
    """A file may change twice within one tick of the clock."""
    now = 10**18
    assert version(Stamp(now, 2, 3), now) != version(Stamp(now, 2, 3), now + 10**9)


# ---------------------------------------------------------------- without a folder, without a disk


def test_a_store_without_a_folder_has_no_news(tmp_path: Path) -> None:
    """A4: nothing was ever kept."""
    os.mkdir(tmp_path / ".rawko")
    assert FileStore(str(tmp_path / ".rawko")).news().versions == {}


def test_the_store_in_memory_tells_the_same() -> None:
    """DESIGN 7: what changed has another version, what did not has the same."""
    store = MemoryStore({"a.md": data(), "b.md": data("Other.")})
    before = store.news().versions
    store.rewrite("b.md", lambda _: data("Another."))
    after = store.news().versions
    assert (after["a.md"] == before["a.md"], after["b.md"] == before["b.md"]) == (True, False)
