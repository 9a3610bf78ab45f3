"""D9 for the catalogue: whatever happens to what is derived, the answers are those that the files give."""

from __future__ import annotations

import os
import random
import re
import threading
import time
from typing import TYPE_CHECKING

import pytest

import bad
from process import SEED, Report
from rawko.library import Library
from rawko.store.memories import FileStore
from rawko.values.errors import LockTimeout, RawkoError
from rawko.values.settings import Settings
from samples import data

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_MEMORIES = 300
_NEVER = ("not found", "made twice", "untyped")


def filled(project: Path, count: int = _MEMORIES) -> Path:
    """A project with memories that no command has looked at yet."""
    folder = project / ".rawko" / "memories"
    folder.mkdir(parents=True)
    for number in range(count):
        (folder / f"title-{number}.md").write_bytes(data(title=f'"Title {number}"'))
    return folder


def opened(project: Path, kind: type[FileStore] = FileStore, **settings: float) -> Library:
    """A library on a store that does not sync, which makes no difference here."""
    return Library(kind(str(project / ".rawko"), settings=Settings(durability="off", **settings)))


def flipped(project: Path, name: str, flips: int, kind: type[FileStore] = FileStore) -> Report:
    """Flip a bit of a derived file, ask for memories and remember one again, and put the file back; again and again."""
    chance = random.Random(SEED)
    report = Report({"flips": 0, **dict.fromkeys(_NEVER, 0)})
    folder = filled(project)
    with opened(project) as library:
        library.append_many([])
        for number in range(20):
            library.update(f"Title {number}", "More.")
    cache = {path: path.read_bytes() for path in (project / ".rawko" / ".cache").iterdir()}
    path = project / ".rawko" / ".cache" / name
    good = cache[path]
    for number in range(flips):
        title = f"Title {chance.randrange(_MEMORIES)}"
        at = _in_key(good, title, chance) if number % 2 else chance.randrange(len(good))
        for derived, content in cache.items():
            derived.write_bytes(content)
        path.write_bytes(good[:at] + bytes([good[at] ^ 1 << chance.randrange(8)]) + good[at + 1 :])
        report.add("flips", 1)
        others = [f"Title {chance.randrange(_MEMORIES)}" for _ in range(7)]
        _ask(report, opened(project, kind), folder, [title, *others])
    return report


def _in_key(content: bytes, title: str, chance: random.Random) -> int:
    """A place in a derived file where a title stands as titles are compared."""
    places = [found.start() for found in re.finditer(re.escape(title.lower().encode()) + rb"(?!\d)", content)]
    return chance.choice(places) + chance.randrange(len(title)) if places else chance.randrange(len(content))


def _ask(report: Report, library: Library, folder: Path, titles: list[str]) -> None:
    with library:
        for title in titles:
            try:
                library.get(title)
            except RawkoError as error:
                report.add("not found", 1, example=f"{title}: {error}")
            except Exception as error:  # noqa: BLE001 - whatever comes out is what is counted
                report.add("untyped", 1, example=repr(error))
        try:
            library.remember(titles[0], "Again.", ["test"])
        except Exception as error:  # noqa: BLE001 - the same
            report.add("untyped", 1, example=repr(error))
    report.add("made twice", len(os.listdir(folder)) - _MEMORIES, example=titles[0])


@pytest.mark.parametrize("name", ["memories.sqlite", "memories.log"])
def test_a_flipped_bit_changes_no_answer(tmp_path: Path, name: str, tier: Callable[[int, int], int]) -> None:
    """D9: a damaged catalogue hides no memory, makes none twice, and stops nobody."""
    report = flipped(tmp_path, name, tier(15, 100)).show(f"D9 {name}")
    assert report.bad(*_NEVER) == {}, report.examples


class Trusting(FileStore):
    """A store that is careless in one way: it believes a catalogue that says no."""

    def _titled(self, folder: int, title: str) -> list[str]:
        self._catch_up(folder, -1)
        return self._catalogue.place(title, "")[0]


def test_a_flipped_bit_is_noticed(tmp_path: Path) -> None:
    """D9, red: who believes a catalogue that says no does not find what is there."""
    report = flipped(tmp_path, "memories.sqlite", 40, Trusting).show("D9 memories.sqlite", "trusting")
    assert report["not found"] + report["made twice"] + report["untyped"] > 0


# ---------------------------------------------------------------- what comes from outside at a bad moment


def test_a_file_that_arrives_while_somebody_waits_for_the_lock_is_seen(tmp_path: Path) -> None:
    """H4: an update that had to wait does not take the folder for known."""
    folder = filled(tmp_path)
    library = opened(tmp_path)
    library.get("Title 0")
    with library.store._writing():  # type: ignore[attr-defined]
        waiting = threading.Thread(target=lambda: opened(tmp_path).update("Title 1", "More."))
        waiting.start()
        time.sleep(0.1)  # it has read the catalogue by now, and waits; if it has not, the test shows less
        (folder / "from-git.md").write_bytes(data(title='"From git"'))
    waiting.join()
    assert opened(tmp_path).get("From git").file == "from-git.md"
    assert opened(tmp_path).remember("From git", "Again.", ["test"]).file == "from-git.md"


def test_a_file_that_was_empty_when_it_was_seen_is_seen_again(tmp_path: Path) -> None:
    """H4: a copy that takes its time is a memory once it is there."""
    folder = filled(tmp_path)
    (folder / "slow-copy.md").touch()
    opened(tmp_path).get("Title 0")
    (folder / "slow-copy.md").write_bytes(data(title='"Slow copy"'))
    assert opened(tmp_path).remember("Slow copy", "Again.", ["test"]).file == "slow-copy.md"
    assert opened(tmp_path).get("Slow copy").file == "slow-copy.md"


def test_what_was_seen_without_the_lock_is_not_forgotten(tmp_path: Path) -> None:
    """What a reader found while somebody else was writing goes into the catalogue with its next write."""
    folder = filled(tmp_path)
    library, other = opened(tmp_path), opened(tmp_path)
    library.get("Title 0")
    (folder / "a-new-one.md").write_bytes(data(title='"Another name"'))
    with other.store._writing():  # type: ignore[attr-defined]
        assert library.get("Another name").file == "a-new-one.md"
    library.remember("Something else", "New.", ["test"])
    assert opened(tmp_path).remember("Another name", "Again.", ["test"]).file == "a-new-one.md"


@pytest.mark.parametrize("odd", ["folder", "time"])
def test_what_cannot_be_recorded_fails_no_write(tmp_path: Path, odd: str) -> None:
    """A write that is on disk is acknowledged, whatever the catalogue makes of its surroundings."""
    folder = filled(tmp_path)
    if odd == "folder":
        os.mkdir(os.path.join(os.fsencode(folder), b"caf\xe9"))
    else:
        os.utime(folder / "title-0.md", ns=(1 << 62, (1 << 63) - 1))
    with opened(tmp_path) as library:
        library.append_many([bad.rawko.Draft(f"New {number}", "Text.", ("test",)) for number in range(300)])
        assert library.get("New 299").body == "Text."


# ---------------------------------------------------------------- forks


def child(work: Callable[[], object]) -> int:
    """A forked process that does something and waits to be killed; gives up after a while."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return pid


def test_a_fork_does_not_keep_the_lock(tmp_path: Path) -> None:
    """C5: a process that was forked while another thread wrote holds nobody up."""
    filled(tmp_path, 3)
    library = opened(tmp_path, lock_timeout=1)
    with library.store._writing():  # type: ignore[attr-defined]
        pid = child(lambda: time.sleep(20))
    try:
        library.remember("After the fork", "Text.", ["test"])
    except LockTimeout:
        pytest.fail("the fork has the lock")
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)


def test_a_fork_is_not_held_up_by_a_thread_of_its_parent(tmp_path: Path) -> None:
    """C7: a guard that another thread held at the moment of the fork is nobody's in the child."""
    filled(tmp_path, 3)
    library = opened(tmp_path)
    library.get("Title 0")
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with library.store._catalogue._mine:  # type: ignore[attr-defined]
            held.set()
            done.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(30)
    pid = child(lambda: library.get("Title 1"))
    deadline = time.monotonic() + 20
    while (ended := os.waitpid(pid, os.WNOHANG))[0] == 0 and time.monotonic() < deadline:
        time.sleep(0.02)
    done.set()
    thread.join()
    if ended[0] == 0:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    assert ended[0] == pid
