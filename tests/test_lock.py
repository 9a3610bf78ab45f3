"""One writer at a time, and the note that a dead one leaves."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

import pytest

from rawko.store import files, lock
from rawko.store.lock import Intent
from rawko.values.errors import LockTimeout, StoreUnavailable
from samples import data, open_library, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rawko.store.lock import Held

NAME = "memories.lock"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    """A folder for a lock, open."""
    with files.opened(str(tmp_path)) as folder:
        yield folder


@pytest.fixture
def held(folder: int) -> Iterator[Held]:
    """A lock that is held."""
    held = lock.acquire(folder, NAME, timeout=1)
    yield held
    files.close(held.descriptor)


# ---------------------------------------------------------------- one at a time


@pytest.mark.usefixtures("held")
def test_a_second_writer_gets_a_timed_error(folder: int) -> None:
    """C5: not before the limit, and with a hint."""
    begun = time.monotonic()
    with pytest.raises(LockTimeout, match=r"0\.1 s") as caught:
        lock.acquire(folder, NAME, timeout=0.1)
    assert time.monotonic() - begun >= 0.1
    assert "free at once" in caught.value.hint


def test_a_lock_is_free_when_it_is_closed(folder: int, held: Held) -> None:
    """As it is when its holder dies: the system closes it then."""
    files.close(held.descriptor)
    files.close(lock.acquire(folder, NAME, timeout=0).descriptor)


@pytest.mark.usefixtures("held")
def test_two_names_are_two_locks(folder: int) -> None:
    """Whoever writes elsewhere does not wait."""
    files.close(lock.acquire(folder, "other.lock", timeout=0).descriptor)


@pytest.mark.usefixtures("held")
def test_a_lock_whose_file_was_deleted_is_no_lock(tmp_path: Path, folder: int) -> None:
    """Somebody may empty the cache: the next writer locks the file that others will find."""
    (tmp_path / NAME).unlink()
    second = lock.acquire(folder, NAME, timeout=0)
    assert os.fstat(second.descriptor).st_ino == (tmp_path / NAME).stat().st_ino
    files.close(second.descriptor)


@pytest.mark.usefixtures("held")
def test_a_lock_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Its note holds text of memories."""
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600


def test_a_link_is_not_followed(tmp_path: Path, folder: int) -> None:
    """A repository cannot have another file emptied."""
    (tmp_path / "precious").write_text("kept")
    (tmp_path / NAME).symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="symbolic"):
        lock.acquire(folder, NAME, timeout=0)
    assert (tmp_path / "precious").read_text() == "kept"


# ---------------------------------------------------------------- the note

INTENTS = [Intent("a.md", 12, b"\n\nMore \xff\x00.\n"), Intent("sub/é.md", 0, b"")]


def test_a_note_says_what_is_about_to_be_appended(tmp_path: Path, held: Held) -> None:
    """File, size and bytes come back as they were, to the next holder and to a reader without the lock."""
    held.intend(INTENTS, sync=False)
    assert held.pending() == lock.note(str(tmp_path / NAME)) == INTENTS


def test_a_shorter_note_replaces_a_longer_one(held: Held) -> None:
    """Nothing of the old one is left behind it."""
    held.intend(INTENTS, sync=False)
    held.intend(INTENTS[1:], sync=False)
    assert held.pending() == INTENTS[1:]


def test_a_note_that_is_done_with_is_empty(tmp_path: Path, held: Held) -> None:
    """What was written for a moment does not stay on disk."""
    held.intend(INTENTS, sync=False)
    held.done()
    assert held.pending() == lock.note(str(tmp_path / NAME)) == []
    assert (tmp_path / NAME).read_bytes() == b""


def test_a_note_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    """Nobody has written yet."""
    assert lock.note(str(tmp_path / NAME)) == []


SENSELESS = {
    "unfinished": b'{"rawko": 1, "appends": [{"name": "a.md", "size": 0, "data": "x"}]}',
    "no json": b"garbage\n",
    "nested": b"[" * 200_000 + b"\n",
    "another shape": b"[]\n",
    "no list": b'{"appends": 5}\n',
    "no dict": b'{"appends": [5]}\n',
    "no size": b'{"appends": [{"name": "a.md", "data": "x"}]}\n',
    **{
        f"size {size}": json.dumps({"appends": [{"name": "a.md", "size": size, "data": "x"}]}).encode() + b"\n"
        for size in ("x", None, -5, 10**30, [])
    },
    "no text": b'{"appends": [{"name": "a.md", "size": 0, "data": 5}]}\n',
    **{
        f"name {name!r:.20}": json.dumps({"appends": [{"name": name, "size": 0, "data": "x"}]}).encode() + b"\n"
        for name in ("", "a//b.md", "x" * 5000, "\ud800.md", None, 5)
    },
    "not latin": b'{"appends": [{"name": "a.md", "size": 0, "data": "\\u754c"}]}\n',
}


@pytest.mark.parametrize("content", SENSELESS.values(), ids=SENSELESS)
def test_a_note_without_sense_says_nothing(tmp_path: Path, content: bytes) -> None:
    """A note that is not whole was never acted upon."""
    (tmp_path / NAME).write_bytes(content)
    assert lock.note(str(tmp_path / NAME)) == []


@pytest.mark.parametrize("content", SENSELESS.values(), ids=SENSELESS)
def test_a_note_without_sense_stops_nobody(tmp_path: Path, content: bytes) -> None:
    """D9: the cache may be damaged in any way; memories are read and written all the same."""
    path = write(tmp_path, "a.md", data(title="A"))
    (tmp_path / ".rawko" / ".cache").mkdir()
    (tmp_path / ".rawko" / ".cache" / NAME).write_bytes(content)
    library = open_library("files", tmp_path)
    assert library.get("A").body == "Start it with `make redis`."
    library.update("A", "More.")
    assert path.read_bytes().startswith(data(title="A"))


@pytest.mark.parametrize("name", ["a.md/b.md", "no/such/folder.md", "gone.md"])
def test_a_note_for_a_file_that_is_not_there_stops_nobody(tmp_path: Path, name: str) -> None:
    """What cannot be there has nothing to be taken back from."""
    write(tmp_path, "a.md", data(title="A"))
    (tmp_path / ".rawko" / ".cache").mkdir()
    note = json.dumps({"rawko": 1, "appends": [{"name": name, "size": 0, "data": "x"}]}) + "\n"
    (tmp_path / ".rawko" / ".cache" / NAME).write_text(note)
    assert len(open_library("files", tmp_path).update("A", "More.").updates) == 1


def test_the_note_of_a_newer_rawko_is_left_to_it(tmp_path: Path) -> None:
    """L3: what a newer version left unfinished is not half understood by an older one."""
    write(tmp_path, "a.md", data(title="A"))
    (tmp_path / ".rawko" / ".cache").mkdir()
    (tmp_path / ".rawko" / ".cache" / NAME).write_text('{"rawko": 2, "plans": []}\n')
    with pytest.raises(StoreUnavailable, match="newer") as caught:
        open_library("files", tmp_path).update("A", "More.")
    assert "upgrade" in caught.value.hint
    assert (tmp_path / ".rawko" / ".cache" / NAME).read_text() == '{"rawko": 2, "plans": []}\n'


def test_a_note_for_a_file_outside_touches_nothing(tmp_path: Path) -> None:
    """S3: the names in a note lead no further than the folder of memories."""
    (tmp_path / "victim.md").write_bytes(b"precious")
    library = open_library("files", tmp_path)
    library.remember("A", "c", "x")
    note = {"rawko": 1, "appends": [{"name": "../../victim.md", "size": 0, "data": "precious and more"}]}
    (tmp_path / ".rawko" / ".cache" / NAME).write_text(json.dumps(note) + "\n")
    library.update("A", "More.")
    assert (tmp_path / "victim.md").read_bytes() == b"precious"


@pytest.mark.parametrize("left", [b"", b"\n\n---\n\n## Upd", b"\n\n---\n\n## Upd\x00\x00\x00\x00"])
def test_an_append_that_a_dead_writer_left_is_cut_off(tmp_path: Path, left: bytes) -> None:
    """D1: a reader does not see it, and the next writer removes it."""
    whole = b"\n\n---\n\n## Update (2026-01-24)\n\nNever finished.\n"
    path = write(tmp_path, "a.md", data(title="A") + left)
    note = {"appends": [{"name": "a.md", "size": len(data(title="A")), "data": whole.decode()}]}
    (tmp_path / ".rawko" / ".cache").mkdir()
    (tmp_path / ".rawko" / ".cache" / NAME).write_text(json.dumps(note) + "\n")
    library = open_library("files", tmp_path)
    assert library.get("a.md").updates == ()
    library.remember("B", "c", "x")
    assert path.read_bytes() == data(title="A")


def test_an_append_that_a_dead_writer_finished_is_kept(tmp_path: Path) -> None:
    """D1: it may have been acknowledged, so it stays."""
    whole = b"\n\n---\n\n## Update (2026-01-24)\n\nJust finished.\n"
    write(tmp_path, "a.md", data(title="A") + whole)
    note = {"appends": [{"name": "a.md", "size": len(data(title="A")), "data": whole.decode()}]}
    (tmp_path / ".rawko" / ".cache").mkdir()
    (tmp_path / ".rawko" / ".cache" / NAME).write_text(json.dumps(note) + "\n")
    library = open_library("files", tmp_path)
    library.remember("B", "c", "x")
    assert [update.content for update in library.get("A").updates] == ["Just finished."]


def test_a_note_for_something_that_is_no_file_stops_nobody(tmp_path: Path) -> None:
    """A folder or a link in the place of a file has nothing to be taken back from."""
    write(tmp_path, "a.md", data(title="A"))
    (tmp_path / ".rawko" / "memories" / "folder.md").mkdir()
    (tmp_path / ".rawko" / "memories" / "link.md").symlink_to(tmp_path)
    (tmp_path / ".rawko" / ".cache").mkdir()
    appends = [{"name": name, "size": 0, "data": "x"} for name in ("folder.md", "link.md")]
    (tmp_path / ".rawko" / ".cache" / NAME).write_text(json.dumps({"rawko": 1, "appends": appends}) + "\n")
    assert len(open_library("files", tmp_path).update("A", "More.").updates) == 1
