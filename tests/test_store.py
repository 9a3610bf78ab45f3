from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from rawko.store.codec import MAX_BYTES
from rawko.store.seam import Stored, Write
from rawko.values.errors import InvalidMemory, MemoryNotFound, StoreError, StoreUnavailable, UnreadableMemory
from samples import data, open_store, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rawko.store.seam import Store


@pytest.fixture(params=["files", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of either kind: every test that takes it is part of what a store must do."""
    store = open_store(request.param, tmp_path)
    yield store
    store.close()


@pytest.fixture
def files(tmp_path: Path) -> Iterator[Store]:
    """An empty store on disk."""
    store = open_store("files", tmp_path)
    yield store
    store.close()


def adding(title: str, text: str = "More.\n", name: str = "") -> Write:
    """A write that makes a memory with this title, or adds a line to what is there."""

    def render(stored: Stored | None) -> bytes:
        return data(title=f'"{title}"') if stored is None else text.encode()

    return Write(render, title=title, name=name)


def failing(title: str) -> Write:
    """A write whose caller changes its mind."""

    def render(stored: Stored | None) -> bytes:
        raise InvalidMemory(f"no {stored}")

    return Write(render, title=title)


def as_is(content: bytes) -> Callable[[Stored | None], bytes]:
    """A render function that gives these bytes."""
    return lambda _: content


# ---------------------------------------------------------------- every store


def test_a_new_store_is_empty(store: Store) -> None:
    """Nothing was kept, so nothing is there, and that is no problem."""
    assert store.names().names == ()
    assert store.names().problems == ()
    assert store.names("Redis").names == ()


def test_a_new_title_makes_a_memory_named_by_its_slug(store: Store) -> None:
    """B3, B5: the name is the slug of the title, the text what the caller rendered, and it is new."""
    assert store.append([adding("Redis Setup!")]) == [
        Stored("redis-setup.md", data(title='"Redis Setup!"'), is_new=True)
    ]


def test_what_was_kept_can_be_read(store: Store) -> None:
    """The bytes come back as they went in."""
    store.append([adding("Redis")])
    assert store.read("redis.md").data == data(title='"Redis"')


def test_a_known_title_adds_to_its_memory(store: Store) -> None:
    """B1, B4: what was there stays as a prefix, and it is not new."""
    store.append([adding("Redis")])
    assert store.append([adding("Redis")]) == [Stored("redis.md", data(title='"Redis"') + b"More.\n")]
    assert store.names().names == ("redis.md",)


def test_the_caller_sees_what_is_there(store: Store) -> None:
    """A write can depend on the text it adds to."""
    store.append([adding("Redis")])
    seen: list[Stored | None] = []
    store.append([Write(lambda stored: seen.append(stored) or b"x", title="Redis")])  # type: ignore[func-returns-value]
    assert seen == [Stored("redis.md", data(title='"Redis"'))]


def test_a_write_may_name_its_memory(store: Store) -> None:
    """A name goes before a title."""
    store.append([adding("Redis"), adding("Other")])
    assert store.append([adding("Other", name="redis.md")])[0].name == "redis.md"
    assert store.read("redis.md").data.endswith(b"More.\n")


@pytest.mark.parametrize(
    "name", ["none.md", "../redis.md", "/etc/passwd", "a/b.md", ".", "..", "a\x00.md", "", "redis.md/"]
)
def test_a_name_that_is_not_there_is_not_found(store: Store, name: str) -> None:
    """Reading, and names that would lead out of the store, end in the same error."""
    store.append([adding("Redis")])
    with pytest.raises(MemoryNotFound):
        store.read(name)


def test_adding_to_a_name_that_is_not_there_makes_none(store: Store) -> None:
    """Only a title makes a memory."""
    with pytest.raises(MemoryNotFound):
        store.append([adding("Redis", name="redis.md")])
    assert store.names().names == ()


def test_names_are_sorted(store: Store) -> None:
    """Every store lists in the same order."""
    store.append([adding("b"), adding("c"), adding("a")])
    assert store.names().names == ("a.md", "b.md", "c.md")


def test_titles_are_looked_up_in_any_case(store: Store) -> None:
    """K12: a title is found by case-fold, in either composition."""
    store.append([adding("Caf\u00e9 Setup")])
    assert store.names("CAFE\u0301 setup").names == ("café-setup.md",)
    assert store.names("Cafe setup").names == ()


def test_a_title_in_other_case_is_another_memory(store: Store) -> None:
    """Writing compares titles exactly, so that nothing is added where it was not meant."""
    store.append([adding("Redis"), adding("REDIS")])
    assert store.names("redis").names == ("redis-2.md", "redis.md")


def test_the_same_slug_under_another_title_is_numbered(store: Store) -> None:
    """K12: a collision gets `-2`, the next `-3`."""
    stored = [store.append([adding(title)])[0] for title in ("C pitfalls", "C++ pitfalls", "C# pitfalls")]
    assert [text.name for text in stored] == ["c-pitfalls.md", "c-pitfalls-2.md", "c-pitfalls-3.md"]


def test_a_batch_makes_all_its_memories(store: Store) -> None:
    """Creations and additions go together, each answer in its place."""
    store.append([adding("a")])
    stored = store.append([adding("b"), adding("a"), adding("c")])
    assert [(text.name, text.is_new) for text in stored] == [("b.md", True), ("a.md", False), ("c.md", True)]


def test_one_title_twice_in_a_batch_is_one_memory(store: Store) -> None:
    """The second write adds to what the first one makes."""
    stored = store.append([adding("a"), adding("a")])
    assert {text.name for text in stored} == {"a.md"}
    assert store.read("a.md").data == data(title='"a"') + b"More.\n"


def test_colliding_slugs_in_a_batch_are_numbered(store: Store) -> None:
    """Two titles of one batch never get one name."""
    assert [text.name for text in store.append([adding("C"), adding("C!")])] == ["c.md", "c-2.md"]


def test_a_batch_that_fails_leaves_nothing(store: Store) -> None:
    """All or none: what comes before the failure is not kept, what was there stays as it was."""
    store.append([adding("a")])
    with pytest.raises(InvalidMemory):
        store.append([adding("b"), adding("a"), failing("c")])
    assert store.names().names == ("a.md",)
    assert store.read("a.md").data == data(title='"a"')


def test_an_empty_batch_does_nothing(store: Store) -> None:
    """Nothing asked, nothing done."""
    assert store.append([]) == []


def test_a_memory_does_not_outgrow_what_is_read(store: Store) -> None:
    """What could not be read back is refused, and nothing of it is kept."""
    store.append([adding("a")])
    with pytest.raises(InvalidMemory, match="grow"):
        store.append([adding("a", text="x" * MAX_BYTES)])
    assert store.read("a.md").data == data(title='"a"')


def test_rewriting_replaces_a_text(store: Store) -> None:
    """The one way to lose bytes, for what must not be kept; the old title is gone with them."""
    store.append([adding("Secret")])
    assert store.rewrite("secret.md", as_is(data(title="Gone"))).data == data(title="Gone")
    assert store.names("Secret").names == ()
    assert store.names("Gone").names == ("secret.md",)


def test_a_rewrite_that_fails_changes_nothing(store: Store) -> None:
    """The caller sees the text and may refuse."""
    store.append([adding("a")])
    with pytest.raises(InvalidMemory):
        store.rewrite("a.md", failing("a").render)
    assert store.read("a.md").data == data(title='"a"')


def test_rewriting_what_is_not_there_is_an_error(store: Store) -> None:
    """There is nothing to remove."""
    with pytest.raises(MemoryNotFound):
        store.rewrite("a.md", as_is(b""))


def test_a_text_that_is_no_memory_is_kept_and_listed(store: Store) -> None:
    """What a text says is not the store's business."""
    store.append([Write(as_is(b"\xff no frontmatter"), title="odd")])
    assert store.names().names == ("odd.md",)
    assert store.read("odd.md").data == b"\xff no frontmatter"


def test_a_closed_store_opens_again(store: Store) -> None:
    """Closing lets go of things; it ends nothing."""
    store.append([adding("a")])
    store.close()
    store.close()
    assert store.append([adding("a")])[0].name == "a.md"


# ---------------------------------------------------------------- files that people made


def test_a_file_written_by_hand_is_found_by_its_title(tmp_path: Path, files: Store) -> None:
    """K12: the title decides, whatever the file is called."""
    write(tmp_path, "oauth-too-broad.md", data(title='"OAuth2 Integration Was Too Broad"'))
    assert files.names("OAuth2 Integration Was Too Broad").names == ("oauth-too-broad.md",)
    assert files.append([adding("OAuth2 Integration Was Too Broad")])[0].name == "oauth-too-broad.md"


def test_folders_are_read_through(tmp_path: Path, files: Store) -> None:
    """K39: memories in subfolders are memories."""
    write(tmp_path, "api/v2/routes.md", data(title="Routes"))
    assert files.names().names == ("api/v2/routes.md",)
    assert files.read("api/v2/routes.md").data == data(title="Routes")


def test_a_memory_in_a_folder_grows_where_it_is(tmp_path: Path, files: Store) -> None:
    """K39: an update goes to the file that has the title; only new files are written flat."""
    path = write(tmp_path, "api/routes.md", data(title="Routes"))
    files.append([adding("Routes"), adding("New")])
    assert path.read_bytes() == data(title="Routes") + b"More.\n"
    assert files.names().names == ("api/routes.md", "new.md")


def test_a_file_that_appears_is_seen(tmp_path: Path, files: Store) -> None:
    """A31: a file made by hand is there at the next look, and its name is taken."""
    files.append([adding("a")])
    write(tmp_path, "b.md", data(title="B by hand"))
    assert files.names().names == ("a.md", "b.md")
    assert files.append([adding("b")])[0].name == "b-2.md"


def test_a_title_changed_by_hand_is_seen(tmp_path: Path, files: Store) -> None:
    """A31: the file on disk is the truth, also for what was looked up before."""
    files.append([adding("Old")])
    assert files.names("Old").names == ("old.md",)
    write(tmp_path, "old.md", data(title='"New title"'))
    assert files.names("Old").names == ()
    assert files.names("New title").names == ("old.md",)


def test_an_edit_of_the_same_length_is_seen(tmp_path: Path, files: Store) -> None:
    """A31: not only the size tells that a file changed."""
    files.append([adding("abc")])
    files.names("abc")
    write(tmp_path, "abc.md", data(title='"xyz"'))
    assert (files.names("abc").names, files.names("xyz").names) == ((), ("abc.md",))


def test_an_editor_that_replaces_the_file_loses_nothing(tmp_path: Path, files: Store) -> None:
    """A31: what was saved by rename is what the next write adds to."""
    files.append([adding("a")])
    new = write(tmp_path, "a.md.swp", data(title='"a"', body="Edited."))
    new.rename(new.with_name("a.md"))
    assert files.append([adding("a")])[0].data == data(title='"a"', body="Edited.") + b"More.\n"


def test_a_file_that_was_deleted_is_gone(tmp_path: Path, files: Store) -> None:
    """A31: it is no longer found, and its title makes a new one."""
    files.append([adding("a"), adding("b")])
    (tmp_path / ".rawko" / "memories" / "a.md").unlink()
    assert files.names("a").names == ()
    assert files.append([adding("a")])[0].is_new


def test_a_file_that_was_moved_is_found_where_it_is(tmp_path: Path, files: Store) -> None:
    """A31: names are the people's business too."""
    files.append([adding("a")])
    folder = tmp_path / ".rawko" / "memories"
    (folder / "sub").mkdir()
    (folder / "a.md").rename(folder / "sub" / "z.md")
    assert files.names("a").names == ("sub/z.md",)


def test_another_process_sees_what_one_wrote(tmp_path: Path, files: Store) -> None:
    """Two that have the same folder open see the same memories."""
    other = open_store("files", tmp_path)
    files.append([adding("a")])
    assert other.append([adding("a")])[0].data.endswith(b"More.\n")
    assert files.read("a.md").data == other.read("a.md").data


# ---------------------------------------------------------------- what is no memory


@pytest.mark.parametrize(
    "name", ["x.txt", "x.MD", "x.md~", "x.md.bak", "md", ".md/x.txt", ".git/x.md", "README", ".#x.md", "._x.md"]
)
def test_other_files_are_not_read(tmp_path: Path, files: Store, name: str) -> None:
    """A3: only names that end in `.md`, and nothing that is hidden, as the locks of editors are."""
    write(tmp_path, name, data())
    assert files.names().names == ()


def test_a_folder_named_like_a_memory_is_reported(tmp_path: Path, files: Store) -> None:
    """A3: `x.md/` is no memory, and nobody is left to wonder."""
    write(tmp_path, "x.md/inside.md", data())
    listing = files.names()
    assert listing.names == ()
    assert [problem.file for problem in listing.problems] == ["x.md"]


def test_a_link_is_not_followed(tmp_path: Path, files: Store) -> None:
    """A3: only regular files; a link could lead anywhere."""
    (tmp_path / "secret.md").write_bytes(data())
    (tmp_path / ".rawko" / "memories" / "x.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(UnreadableMemory, match="symbolic link"):
        files.read("x.md")


def test_a_file_with_a_second_name_elsewhere_is_reported(tmp_path: Path, files: Store) -> None:
    """A hard link out of the store is no file of its own."""
    path = write(tmp_path, "x.md", data())
    os.link(path, tmp_path / "elsewhere.md")
    with pytest.raises(UnreadableMemory, match="hard link"):
        files.read("x.md")


def test_a_file_that_is_too_large_is_reported(tmp_path: Path, files: Store) -> None:
    """What is not read is said."""
    write(tmp_path, "x.md", b"x" * (MAX_BYTES + 1))
    with pytest.raises(UnreadableMemory, match="bytes"):
        files.read("x.md")


def test_a_name_that_is_not_utf_8_is_reported(tmp_path: Path, files: Store) -> None:
    """A file that cannot be named cannot be a memory, and is not passed over."""
    (tmp_path / ".rawko" / "memories").mkdir(exist_ok=True)
    with open(os.fsencode(tmp_path / ".rawko" / "memories") + b"/\xff.md", "wb") as file:
        file.write(data())
    assert [problem.reason for problem in files.names().problems] == ["the name is not UTF-8"]


# ---------------------------------------------------------------- the folder itself


def test_a_library_without_a_memories_folder_has_no_memories(tmp_path: Path, files: Store) -> None:
    """A4: nothing was ever kept, and that is no error; the first write makes the folder."""
    (tmp_path / ".rawko" / "memories").rmdir()
    assert files.names().names == files.names("a").names == ()
    with pytest.raises(MemoryNotFound):
        files.read("a.md")
    assert files.append([adding("a")])[0].name == "a.md"


def test_a_folder_that_went_missing_is_an_error(tmp_path: Path, files: Store) -> None:
    """A5: memories that were there did not become none; the disk may not be mounted."""
    files.append([adding("a")])
    (tmp_path / ".rawko" / "memories").rename(tmp_path / "away")
    with pytest.raises(StoreUnavailable):
        files.names()
    with pytest.raises(StoreUnavailable):
        files.append([adding("b")])
    (tmp_path / "away").rename(tmp_path / ".rawko" / "memories")
    assert files.names().names == ("a.md",)


def test_a_library_that_went_missing_is_an_error(tmp_path: Path, files: Store) -> None:
    """A5: so for the whole of it."""
    shutil.rmtree(tmp_path / ".rawko")
    with pytest.raises(StoreUnavailable):
        files.names()


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_memories_folder_that_is_none_is_an_error(tmp_path: Path, files: Store, kind: str) -> None:
    """A5: what stands in its place is not followed and not read as empty."""
    folder = tmp_path / ".rawko" / "memories"
    folder.rmdir()
    folder.write_text("") if kind == "file" else folder.symlink_to(tmp_path)
    with pytest.raises(StoreUnavailable):
        files.names()


AS_NOBODY = """
import logging, os
from rawko.library import Library
from rawko.store.memories import FileStore
from rawko.values.errors import RawkoError
library = Library(FileStore("."))
list(library.memories())
library.close()
if os.geteuid() == 0:
    os.seteuid(65534)
try:
    print(sorted(memory.title for memory in library.memories()), *library.problems())
except RawkoError as error:
    print(type(error).__name__, error)
"""


def seen_by_another_user(root: Path) -> str:
    """What a process without root's rights sees of the library that it stands in."""
    root.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY], cwd=root, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_folder_that_must_not_be_read_is_an_error(tmp_path: Path) -> None:
    """A5: no permission is not the same as nothing there."""
    folder = write(tmp_path, "a.md", data()).parent
    folder.chmod(0o000)
    seen = seen_by_another_user(tmp_path / ".rawko")
    folder.chmod(0o700)
    assert seen.startswith("StoreUnavailable")


def test_a_file_that_must_not_be_read_hides_no_others(tmp_path: Path) -> None:
    """U3, K30: it is reported, and the others load."""
    write(tmp_path, "a.md", data(title="A")).parent.chmod(0o755)
    write(tmp_path, "b.md", data(title="B")).chmod(0o000)
    seen = seen_by_another_user(tmp_path / ".rawko")
    assert seen.startswith("['A'] b.md: no permission to read it")


# ---------------------------------------------------------------- the derived catalogue


def _delete(cache: Path) -> None:
    shutil.rmtree(cache)


def _empty(cache: Path) -> None:
    for path in cache.iterdir():
        path.write_bytes(b"")


def _garble(cache: Path) -> None:
    for path in cache.iterdir():
        path.write_bytes(b"\x00garbage\xff" * 500)


def _cut(cache: Path) -> None:
    for path in cache.iterdir():
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _block(cache: Path) -> None:
    shutil.rmtree(cache)
    cache.write_text("not a folder")


@pytest.mark.parametrize("damage", [_delete, _empty, _garble, _cut, _block])
def test_a_damaged_catalogue_changes_no_answer(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    """STYLE 3: delete what is derived, get the same answers."""
    before = open_store("files", tmp_path)
    before.append([adding(f"Title {number}") for number in range(30)])
    before.append([adding("Title 7")])
    before.close()
    damage(tmp_path / ".rawko" / ".cache")
    store = open_store("files", tmp_path)
    assert store.names("title 7").names == ("title-7.md",)
    assert len(store.names().names) == 30


@pytest.mark.parametrize("damage", [_delete, _empty, _garble, _cut])
def test_a_damaged_catalogue_misleads_no_write(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    """STYLE 3: a known title still adds to its memory, a new one gets a free name."""
    before = open_store("files", tmp_path)
    before.append([adding("C pitfalls"), adding("Redis")])
    before.close()
    damage(tmp_path / ".rawko" / ".cache")
    stored = open_store("files", tmp_path).append([adding("Redis"), adding("C++ pitfalls")])
    assert [(text.name, text.is_new) for text in stored] == [("redis.md", False), ("c-pitfalls-2.md", True)]


@pytest.mark.parametrize("damage", [_delete, _empty, _garble, _cut])
def test_a_catalogue_damaged_while_it_is_open_misleads_nobody(
    tmp_path: Path, files: Store, damage: Callable[[Path], None]
) -> None:
    """D9: the same with the store still open."""
    files.append([adding("C pitfalls"), adding("Redis")])
    damage(tmp_path / ".rawko" / ".cache")
    stored = files.append([adding("Redis"), adding("C++ pitfalls")])
    assert [(text.name, text.is_new) for text in stored] == [("redis.md", False), ("c-pitfalls-2.md", True)]


def test_where_no_catalogue_can_be_kept_reading_works(tmp_path: Path, files: Store) -> None:
    """A store on a read-only disk answers every question; only writing is refused."""
    write(tmp_path, "a.md", data(title="A"))
    (tmp_path / ".rawko" / ".cache").write_text("in the way")
    assert files.names("a").names == ("a.md",)
    assert files.read("a.md").data == data(title="A")
    with pytest.raises(StoreError):
        files.append([adding("b")])


# ---------------------------------------------------------------- traces


def test_a_new_file_has_one_name_and_nothing_beside_it(tmp_path: Path, files: Store) -> None:
    """The temporary file that it was written as is gone."""
    files.append([adding("a"), adding("b")])
    folder = tmp_path / ".rawko" / "memories"
    assert sorted(os.listdir(folder)) == ["a.md", "b.md"]
    assert {path.stat().st_nlink for path in folder.iterdir()} == {1}


def test_a_failed_batch_leaves_nothing_beside_the_files(tmp_path: Path, files: Store) -> None:
    """All or none holds for temporary files too."""
    with pytest.raises(InvalidMemory):
        files.append([adding("a"), failing("b")])
    assert os.listdir(tmp_path / ".rawko" / "memories") == []


def test_old_temporary_files_are_swept(tmp_path: Path, files: Store) -> None:
    """What a killed writer left an hour ago goes at the next write; what may be somebody's work stays."""
    old = write(tmp_path, ".tmp-old", b"half")
    new = write(tmp_path, ".tmp-new", b"half")
    os.utime(old, (time.time() - 7200, time.time() - 7200))
    files.append([adding("a")])
    assert (old.exists(), new.exists()) == (False, True)
    assert files.names().names == ("a.md",)


def test_the_cache_keeps_itself_out_of_git(tmp_path: Path, files: Store) -> None:
    """On a branch without a library, what is left of the cache is not offered for a commit."""
    files.append([Write(lambda _: data(), title="A")])
    assert (tmp_path / ".rawko" / ".cache" / ".gitignore").read_text() == "*\n"
