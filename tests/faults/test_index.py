"""D9 for the index: whatever happens to what is derived, the answers are those that the files give."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import sqlite3
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from asker import answers, truth
from process import SEED, Report, Writer
from rawko.recall import documents, recollection
from rawko.recall.index import FORMAT, Index
from rawko.store.log import summed
from rawko.store.seal import Seal
from recalled import keep, on_disk, settle, titles
from samples import data

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rawko.library import Library
    from rawko.values.document import Document
    from rawko.values.memory import Memory

    Damage = Callable[[Path, random.Random], None]

NOBODY = 65534
NEVER = ("wrong", "raised", "hung")
NAMES = ("index.sqlite", "index.seal")


TASK = "Add a login page"


def filled(project: Path, count: int = 60) -> Path:
    """A project with memories of three topics that have been there for an hour."""
    folder = project / ".rawko" / "memories"
    folder.mkdir(parents=True)
    for number in range(count):
        text = (
            f"The certificate of gateway number {number} is rotated by hand.",
            f"The login page of tenant {number} times out after {number} seconds.",
            f"数据库 {number} 的备份每天运行。",
        )[number % 3]
        when = ("gateway|certificate", "login.*page", "数据库")[number % 3]
        title = f'"About {("gateway", "tenant", "数据库")[number % 3]} {number}"'
        (folder / f"memory-{number}.md").write_bytes(data(text, title=title, whenToUse=f'["{when}"]'))
    settle(project)
    return folder


@pytest.fixture
def project() -> Iterator[Path]:
    """A project with an index that is up to date; in a folder that other users may enter."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        filled(path)
        with on_disk(path) as library:
            library.get("About gateway 0")  # so that there is a catalogue as well
            answers(library)
        yield path


def cache(project: Path) -> Path:
    """Where the index is."""
    return project / ".rawko" / ".cache"


def compare(report: Report, expected: list[Any], library: Library, what: object) -> None:
    """Ask a library, and count what is wrong with the answers."""
    report.add("asked", 1)
    try:
        found = answers(library)
    except Exception as error:  # noqa: BLE001 - whatever comes out is what is counted
        report.add("raised", 1, example=f"{what}: {error!r}")
    else:
        report.add("wrong", int(found != expected), example=what)


# ---------------------------------------------------------------- ways to damage a file


def delete(path: Path, chance: random.Random) -> None:
    """It is gone."""
    del chance
    path.unlink()


def truncate(path: Path, chance: random.Random) -> None:
    """Its end is missing."""
    os.truncate(path, chance.randrange(path.stat().st_size))


def flip(path: Path, chance: random.Random) -> None:
    """One bit is another."""
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def scramble(path: Path, chance: random.Random) -> None:
    """A page of it is something else."""
    content = bytearray(path.read_bytes())
    start = chance.randrange(len(content))
    content[start : start + 4096] = chance.randbytes(len(content[start : start + 4096]))
    path.write_bytes(content)


def lengthen(path: Path, chance: random.Random) -> None:
    """There is more behind it."""
    with path.open("ab") as file:
        file.write(chance.randbytes(5000))


def empty(path: Path, chance: random.Random) -> None:
    """Nothing is in it."""
    del chance
    path.write_bytes(b"")


def folder(path: Path, chance: random.Random) -> None:
    """A folder is in its place, with something in it."""
    delete(path, chance)
    path.mkdir()
    (path / "something").touch()


def link(path: Path, chance: random.Random) -> None:
    """A link to a copy of it is in its place."""
    del chance
    path.rename(path.with_suffix(".elsewhere"))
    path.symlink_to(path.with_suffix(".elsewhere"))


def dangling(path: Path, chance: random.Random) -> None:
    """A link to nothing is in its place."""
    delete(path, chance)
    path.symlink_to(path.with_suffix(".nowhere"))


def foreign(path: Path, chance: random.Random) -> None:
    """A table of somebody else is in its place."""
    delete(path, chance)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE document (name)")


DAMAGES: list[Damage] = [
    delete, truncate, flip, scramble, lengthen, empty, folder, link, dangling, foreign,
]  # fmt: skip


def damaged(project: Path, name: str, damages: list[Damage]) -> Report:
    """Damage a file, ask a library that was open and one that is opened then, put everything back; again and again."""
    chance = random.Random(SEED)
    expected = truth(project)
    report = Report({"damages": 0, "asked": 0, "wrong": 0, "raised": 0})
    good = project / "good"
    shutil.copytree(cache(project), good)
    for number, damage in enumerate(damages):
        with on_disk(project) as before:
            answers(before)
            time.sleep(0.02)  # a change within the same tick of the clock as our own would look like ours
            damage(cache(project) / name, chance)
            report.add("damages", 1)
            with on_disk(project) as after:
                compare(report, expected, after, f"{number} {damage.__name__}, opened after")
            compare(report, expected, before, f"{number} {damage.__name__}, opened before")
        shutil.rmtree(cache(project))
        shutil.copytree(good, cache(project))
    return report


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_no_damage_changes_an_answer(project: Path, name: str, damage: Damage) -> None:
    """D9: an index that is lost, cut, changed, replaced or not a file at all is built again, and nobody is stopped."""
    report = damaged(project, name, [damage] * 2).show(f"D9 {name} {damage.__name__}")
    assert report.bad(*NEVER) == {}, report.examples


@pytest.mark.parametrize("name", NAMES)
def test_a_flipped_bit_changes_no_answer(project: Path, name: str, tier: Callable[[int, int], int]) -> None:
    """D9: 100 random flips, 0 wrong answers, 0 errors."""
    report = damaged(project, name, [flip] * tier(8, 100)).show(f"D9 {name} flips")
    assert report.bad(*NEVER) == {}, report.examples


@pytest.mark.parametrize("name", NAMES)
def test_a_cut_of_any_length_changes_no_answer(project: Path, name: str, tier: Callable[[int, int], int]) -> None:
    """D9: cut at random lengths."""
    report = damaged(project, name, [truncate] * tier(6, 60)).show(f"D9 {name} cuts")
    assert report.bad(*NEVER) == {}, report.examples


class Gullible(Index):
    """An index that is careless: it believes any file that SQLite opens, keeps it for ever, and does not keep up."""

    def refresh(self, news: Any, make: Any, seen: Any = None) -> None:
        """Look once, at the beginning."""
        if not self._table.ask("SELECT count(*) FROM document")[0][0]:
            super().refresh(news, make, seen)

    def stale(self, name: str) -> None:
        """It was right once."""

    def discard(self) -> None:
        """Nothing is ever thrown away."""

    def leave_the_disk(self) -> None:
        """Nor left alone."""

    def _believe(self) -> None:
        """Whatever it is."""


@pytest.mark.parametrize(("damage", "count"), [(flip, 40), (scramble, 10), (truncate, 10), (foreign, 2)])
def test_damage_is_noticed(project: Path, monkeypatch: pytest.MonkeyPatch, damage: Damage, count: int) -> None:
    """D9, red: who believes whatever SQLite returns gives wrong answers or none."""
    monkeypatch.setattr(recollection, "Index", Gullible)
    report = damaged(project, "index.sqlite", [damage] * count).show(f"D9 index {damage.__name__}", "gullible")
    assert report["wrong"] + report["raised"] > 0


# ---------------------------------------------------------------- an older copy


def put_back(project: Path, names: tuple[str, ...], *, in_place: bool) -> Report:
    """Put back what the index was before the memories changed, and ask."""
    old = project / "old"
    shutil.copytree(cache(project), old)
    with on_disk(project) as library:
        library.remember("New", "The gateway certificate is new.", ["gateway"], importance="critical")
        library.correct("memory-0.md", "The compost of the certificate.")
        library.deprecate("memory-1.md", "Gone.")
        (project / ".rawko" / "memories" / "memory-2.md").unlink()
        answers(library)
        for name in names:
            status = (old / name).stat()
            if not in_place:
                (cache(project) / name).unlink()
            (cache(project) / name).write_bytes((old / name).read_bytes())
            os.utime(cache(project) / name, ns=(status.st_atime_ns, status.st_mtime_ns))
        report = Report({"asked": 0, "wrong": 0, "raised": 0})
        expected = truth(project)
        compare(report, expected, library, "opened before")
    with on_disk(project) as library:
        compare(report, expected, library, "opened after")
    return report


@pytest.mark.parametrize("in_place", [True, False], ids=["in place", "as a new file"])
@pytest.mark.parametrize("names", [NAMES, NAMES[:1], NAMES[1:], (*NAMES, "memories.log")], ids=str)
def test_an_older_copy_is_brought_up_to_date(project: Path, names: tuple[str, ...], in_place: bool) -> None:
    """D9: with its seal or without, with its time or without."""
    report = put_back(project, names, in_place=in_place).show(f"D9 older copy of {' '.join(names)}")
    assert report.bad(*NEVER) == {}, report.examples


LOG = ("memories.log",)
CATALOGUE = ("memories.log", "memories.sqlite")


@pytest.mark.parametrize("names", [NAMES, (*NAMES, *LOG), (*NAMES, *CATALOGUE), LOG, CATALOGUE], ids=str)
def test_an_older_copy_among_many_is_brought_up_to_date(tmp_path: Path, names: tuple[str, ...]) -> None:
    """D9, DESIGN 4: also where the files are too many to look at each, and only appends came after the copy."""
    filled(tmp_path, 300)
    with on_disk(tmp_path) as library:
        library.update("memory-299.md", "More.")
        settle(tmp_path)
        library.get("About gateway 0")
        answers(library)
    shutil.copytree(cache(tmp_path), tmp_path / "old")
    with on_disk(tmp_path) as library:
        library.update("memory-100.md", "Compost.", when_to_use=["compost"])  # which no answer had before
        answers(library)
    for name in names:
        shutil.copy2(tmp_path / "old" / name, cache(tmp_path) / name)
    report = Report()
    with on_disk(tmp_path) as library:
        library.update("memory-202.md", "Mud.")  # whose line in the log is as long as the one that is gone
        compare(report, truth(tmp_path), library, "opened after")
    assert report.bad(*NEVER) == {}, report.examples


def test_an_older_copy_is_noticed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """D9, red: who does not keep up tells what was."""
    monkeypatch.setattr(recollection, "Index", Gullible)
    report = put_back(project, NAMES, in_place=True).show("D9 older copy", "gullible")
    assert report["wrong"] > 0


def reseal(project: Path) -> None:
    """Make the seal hold for whatever the file is now."""
    with Seal(str(project / ".rawko"), "index").opened():
        pass


@pytest.mark.parametrize("version", [FORMAT + 1, FORMAT + 1000, -1])
def test_another_format_is_built_anew(project: Path, version: int) -> None:
    """D9, L3: an index of another rawko under a seal that holds is replaced on disk, not avoided for ever."""
    with sqlite3.connect(cache(project) / "index.sqlite") as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    reseal(project)
    report = Report()
    with on_disk(project) as library:
        compare(report, truth(project), library, version)
    with sqlite3.connect(cache(project) / "index.sqlite") as connection:
        found = connection.execute("PRAGMA user_version").fetchone()[0]
    connection.close()
    assert (report.bad(*NEVER), found) == ({}, FORMAT), report.examples


def test_a_table_that_is_missing_is_made_anew(project: Path) -> None:
    """D9: an index that lacks a part under a seal that holds is built again."""
    with sqlite3.connect(cache(project) / "index.sqlite") as connection:
        connection.execute("DROP TABLE term")
    connection.close()
    reseal(project)
    report = Report()
    with on_disk(project) as library:
        compare(report, truth(project), library, "without terms")
    assert report.bad(*NEVER) == {}, report.examples


@pytest.mark.parametrize("damage", [truncate, scramble, empty, foreign], ids=lambda damage: damage.__name__)
def test_damage_under_a_seal_that_was_left_broken_changes_no_answer(project: Path, damage: Damage) -> None:
    """D9, D1: a process was killed while it wrote, and then the file was damaged as well."""
    damage(cache(project) / "index.sqlite", random.Random(SEED))
    (cache(project) / "index.seal").write_bytes(summed("broken"))
    report = Report()
    expected = truth(project)
    with on_disk(project) as library:
        compare(report, expected, library, "first")
    with on_disk(project) as library:
        compare(report, expected, library, "second")
    assert report.bad(*NEVER) == {}, report.examples


# ---------------------------------------------------------------- what blocks, what refuses


def visited(work: Callable[[], object], patience: float = 20.0) -> str:
    """What a forked process says of a piece of work: `ok`, what went wrong, or that it hung."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            said = str(work() or "ok")
        except BaseException as error:  # noqa: BLE001 - whatever comes out is told
            said = f"raised {error!r}"
        os.write(writes, said.encode()[:4000])
        os._exit(0)
    os.close(writes)
    deadline = time.monotonic() + patience
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        if time.monotonic() > deadline:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
            os.close(reads)
            return "hung"
        time.sleep(0.01)
    with os.fdopen(reads) as said_by:
        return said_by.read()


def right(project: Path, expected: list[Any]) -> str:
    """Whether a library that is opened now answers as it should."""
    with on_disk(project) as library:
        found = answers(library)
    return "ok" if found == expected else f"wrong {found}"


@pytest.mark.parametrize("name", [*NAMES, "index.lock", "parsed.json", "memories.log", "memories.sqlite"])
def test_a_pipe_holds_nobody_up(project: Path, name: str) -> None:
    """H7, D9: a pipe in the place of anything that is derived blocks nothing."""
    agents = project / ".rawko" / "agents"
    agents.mkdir()
    (agents / "developer.md").write_text("---\nname: developer\n---\n")
    expected = truth(project)
    (cache(project) / name).unlink(missing_ok=True)
    os.mkfifo(cache(project) / name)

    def work() -> str:
        with on_disk(project) as library:
            library.inject("Rotate the certificate", agent="developer")
        return right(project, expected)

    assert visited(work, 8.0) == "ok"


def as_nobody(work: Callable[[], object]) -> Callable[[], object]:
    """The same work, done by somebody who may not write here."""

    def done() -> object:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        return work()

    return done


def lock_away(project: Path, mode: int) -> None:
    """Take the right to write from everybody but root: to the cache, and to the receipts."""
    seal = cache(project) / "index.seal"
    for path in sorted(cache(project).rglob("*")):
        if path != seal:
            path.chmod(mode & 0o444)
    reseal(project)  # another mode is a change of the file; on a disk that is read-only it has none
    seal.chmod(mode & 0o444)
    allow(project, mode)


def allow(project: Path, mode: int = 0o755) -> None:
    """Give both folders a mode."""
    cache(project).chmod(mode)
    (project / ".rawko" / "receipts").chmod(mode)


@pytest.mark.parametrize("mode", [0o555, 0o000], ids=["readable", "closed"])
@pytest.mark.parametrize("changed", [False, True], ids=["as it was", "after an edit"])
def test_a_cache_that_must_not_be_written_changes_no_answer(project: Path, mode: int, changed: bool) -> None:
    """D11, D9: on a read-only disk the index is used as it is, or kept in memory."""
    if changed:
        path = project / ".rawko" / "memories" / "memory-0.md"
        path.write_bytes(data("The compost of gateway certificate.", title='"Compost"', whenToUse="[gateway]"))
    expected = truth(project)
    lock_away(project, mode)
    try:
        assert visited(as_nobody(lambda: right(project, expected))) == "ok"
    finally:
        allow(project)


def test_damage_on_a_read_only_disk_changes_no_answer(project: Path) -> None:
    """D11, D9: an index that turns out to be damaged, and cannot be built again on disk, is built in memory."""
    expected = truth(project)
    with sqlite3.connect(cache(project) / "index.sqlite") as connection:
        connection.execute("UPDATE document SET data = 'gateway certificate'")
    connection.close()
    lock_away(project, 0o555)
    try:
        assert visited(as_nobody(lambda: right(project, expected))) == "ok"
    finally:
        allow(project)


def test_an_edit_in_place_on_a_read_only_disk_is_seen_when_it_is_chosen() -> None:
    """D11, DESIGN 4: among many files what is chosen is checked, also where the index cannot be put right."""
    with tempfile.TemporaryDirectory() as name:
        project = Path(name)
        project.chmod(0o755)
        path = filled(project, 300) / "memory-0.md"
        with on_disk(project) as library:
            library.update("memory-299.md", "More.")
            settle(project)
            library.store.names("About gateway 0")
            library.inject("Rotate the certificate of gateway number 0")
        path.write_bytes(path.read_bytes().replace(b"by hand", b"by cron"))
        lock_away(project, 0o555)

        def work() -> str:
            with on_disk(project) as library:
                block = str(library.inject("Rotate the certificate of gateway number 0"))
            return "ok" if "gateway number 0 is rotated by cron" in block else f"wrong {block}"

        try:
            assert visited(as_nobody(work)) == "ok"
        finally:
            allow(project)


# ---------------------------------------------------------------- while others work


def while_asking(project: Path, names: tuple[str, ...], rounds: int) -> Report:
    """Damage files while another process asks in a loop."""
    chance = random.Random(SEED)
    expected = truth(project)
    (project / "expected.json").write_text(json.dumps(expected))
    report = Report({"damages": 0, "asked": 0, "wrong": 0, "raised": 0})
    with Writer("ask", project, project / "expected.json", script="asker.py") as asker:
        asker.wait_for("ready")
        for number in range(rounds):
            damage = chance.choice([delete, truncate, flip, scramble, lengthen, empty, foreign])
            for name in names:
                with contextlib.suppress(OSError, ValueError, sqlite3.Error):  # it may be gone, or empty, just now
                    damage(cache(project) / name, chance)
            report.add("damages", 1, example=f"{number} {damage.__name__}")
            time.sleep(chance.uniform(0.0, 0.15))
        (project / "stop").touch()
        asker.finish()
    report.examples.clear()
    for line in asker.others:
        word, _, rest = line.partition(" ")
        report.add("asked" if word == "rounds" else word, int(rest) if word == "rounds" else 1, example=line[:300])
    with on_disk(project) as library:
        compare(report, expected, library, "at the end")
    return report


@pytest.mark.parametrize("names", [NAMES[:1], NAMES[1:], NAMES], ids=str)
def test_damage_while_another_process_asks(
    project: Path, names: tuple[str, ...], tier: Callable[[int, int], int]
) -> None:
    """D9: who is in the middle of asking gets right answers, too."""
    report = while_asking(project, names, tier(15, 150)).show(f"D9 {' '.join(names)} while another process asks")
    assert report.bad(*NEVER) == {}, report.examples


@pytest.mark.parametrize("mode", ["build", "change"])
def test_a_process_that_is_killed_changes_no_answer(project: Path, mode: str, tier: Callable[[int, int], int]) -> None:
    """D9, D1: killed while it builds the index or brings it up to date, at random moments."""
    chance = random.Random(SEED)
    report = Report({"kills": 0, "asked": 0, "wrong": 0, "raised": 0})
    for number in range(tier(5, 100)):
        with Writer(mode, project, script="asker.py") as writer:
            writer.wait_for("ready")
            time.sleep(chance.uniform(0.0, 0.2))
            writer.kill()
        report.add("kills", 1)
        with on_disk(project) as library:
            compare(report, truth(project), library, f"kill {number}")
    report.show(f"D9 killed while it runs `{mode}`")
    assert report.bad(*NEVER) == {}, report.examples


def test_many_ask_while_others_write(project: Path, tier: Callable[[int, int], int]) -> None:
    """C4, C7: 4 processes inject and 2 write: no error, every selection of one piece, and at the end all is there."""
    count = tier(25, 250)
    report = Report({"rounds": 0, "asked": 0, "wrong": 0, "raised": 0})
    crowd = [Writer("inject", project, count, script="asker.py") for _ in range(4)]
    crowd += [Writer("write", project, count, script="asker.py") for _ in range(2)]
    for one in crowd:
        one.finish()
    for line in [line for one in crowd for line in one.others if line != "ready"]:
        word, _, rest = line.partition(" ")
        report.add(word, int(rest) if word == "rounds" else 1, example=line[:300])
    for one in crowd:
        one.__exit__(None, None, None)
    with on_disk(project) as library:
        compare(report, truth(project), library, "at the end")
    report.show("C4 4 inject and 2 write")
    assert (report["rounds"], report.bad(*NEVER)) == (6 * count, {}), report.examples


# ---------------------------------------------------------------- forks


def test_a_fork_asks_for_itself(project: Path) -> None:
    """C7: a process that was forked after the index was used answers right, and so does its parent."""
    expected = truth(project)
    with on_disk(project) as library:
        first = answers(library) == expected
        said = visited(lambda: "ok" if answers(library) == expected else "wrong")
        assert (first, said, answers(library) == expected) == (True, "ok", True)


def test_a_fork_that_writes_is_seen_by_its_parent(project: Path) -> None:
    """C7: and the other way round."""
    with on_disk(project) as library:
        answers(library)

        def work() -> str:
            library.remember("New", "The gateway certificate is new.", ["gateway"], importance="critical")
            return "ok" if answers(library) == truth(project) else "wrong"

        assert visited(work) == "ok"
        assert answers(library) == truth(project)


def test_two_processes_go_on_with_an_index_that_a_third_built_again(tmp_path: Path) -> None:
    """D9: whoever has the old file open takes the new one; nobody throws it away again."""
    one, other = on_disk(tmp_path), on_disk(tmp_path)
    for number in range(5):
        keep(one, f"Zorp {number}")
    assert len(one.inject(TASK).memories) == len(other.inject(TASK).memories) == 5
    with contextlib.closing(on_disk(tmp_path)) as third:
        third.recall.rebuild()
    file = tmp_path / ".rawko" / ".cache" / "index.sqlite"
    built = file.stat().st_ino
    for number, library in enumerate((one, other, one, other)):
        keep(library, f"Blick {number}")
        library.inject(TASK)
    assert file.stat().st_ino == built
    one.close()
    other.close()


def test_a_lock_that_is_held_keeps_nobody_from_an_answer(tmp_path: Path) -> None:
    """C5, D9: whoever cannot have the lock on the index answers from memory."""
    with contextlib.closing(on_disk(tmp_path, lock_timeout=0.1)) as library:
        keep(library, "Known")
        library.inject(TASK)
        keep(library, "New")
        with Seal(str(tmp_path / ".rawko"), "index").locked(1.0):
            assert sorted(titles(library.inject(TASK))) == ["Known", "New"]


def test_a_file_that_was_only_touched_is_not_read_anew(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After `git checkout` every file has another time; what says what it said stays as it is, with its vector."""
    memories = project / ".rawko" / "memories"
    for path in memories.iterdir():
        os.utime(path, (1_700_000_000, 1_700_000_000))
    (memories / "memory-0.md").write_bytes(data("The certificate is another one.", title="Other"))
    settle(project)
    made: list[str] = []
    of_memory = documents.of_memory

    def counted(memory: Memory, *values: Any) -> Document:
        made.append(memory.file)
        return of_memory(memory, *values)

    monkeypatch.setattr(documents, "of_memory", counted)
    with on_disk(project) as library:
        found = answers(library)
    assert made == ["memory-0.md"]
    assert found == truth(project)
