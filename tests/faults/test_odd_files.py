"""H7: what lies among the memories and is no file of its own is refused and reported, blocks nobody and leads nowhere.

The folder of derived files may be as odd: a library can come from anybody's repository.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import oracle
import rawko
import traced
import visitor
from process import HERE, Report
from racer import SECRET, SECRET_FILE
from rawko.store import log, table
from rawko.store.files import Stamp
from traced import snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _socket(path: Path, outside: Path) -> None:
    """A socket has room for a short path only: it is reached through the folder's descriptor."""
    del outside
    folder = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{folder}/{path.name}")
    os.close(folder)


def _disguised(path: Path, outside: Path) -> None:
    """A third name that looks like the temporary one of a file that is just being made."""
    path.hardlink_to(outside / "disguised.md")
    path.with_name(".tmp-disguise").hardlink_to(path)


ODD: dict[str, tuple[str, Callable[[Path, Path], object]]] = {
    "link.md": ("a symbolic link", lambda path, outside: path.symlink_to(outside / "secret.md")),
    "link-to-folder.md": ("a symbolic link", lambda path, outside: path.symlink_to(outside)),
    "link-to-nothing.md": ("a symbolic link", lambda path, outside: path.symlink_to(outside / "none")),
    "link-to-itself.md": ("a symbolic link", lambda path, _: path.symlink_to(path)),
    "link-to-zeros.md": ("a symbolic link", lambda path, _: path.symlink_to("/dev/zero")),
    "folder-elsewhere": ("a symbolic link", lambda path, outside: path.symlink_to(outside)),
    "hard-link.md": ("a hard link", lambda path, outside: path.hardlink_to(outside / "linked.md")),
    "hard-link-in-disguise.md": ("a hard link", _disguised),
    "folder.md": ("a folder", lambda path, _: path.mkdir()),
    "pipe.md": ("not a regular file", lambda path, _: os.mkfifo(path)),
    "socket.md": ("not a regular file", _socket),
    "device.md": ("not a regular file", lambda path, _: os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))),
}


class Visited(NamedTuple):
    """A library with all of them in it, after everything was asked of each."""

    found: dict[str, Any]
    text: str
    outside: set[str]
    changed: list[str]
    missing: set[str]


def visited(store: str, folder: Path, kinds: list[str], timeout: float = 60) -> Visited:
    """Put these among the memories of a library and visit it, in a process that is not waited for for ever."""
    project, outside = folder / "project", folder / "outside"
    outside.mkdir()
    for name in ("secret.md", "linked.md", "disguised.md"):
        (outside / name).write_text(SECRET_FILE)
    with rawko.open(project, create=True) as library:
        library.remember("Title 3", oracle.text("n3"), ["test"])
    (project / ".rawko" / "config.yaml").write_text("semantic: false\n")  # weights lie outside, and are no memory
    missing = {kind for kind in kinds if not _made(project / ".rawko" / "memories" / kind, outside)}
    before = snapshot(outside)
    command = [sys.executable, str(HERE / "visitor.py"), "odd", store, str(project), json.dumps(kinds)]
    environment = os.environ | {"RAWKO_HOME": str(folder / "home")}
    done = traced.run(command, folder / "trace", environment, folder, timeout)
    assert done.code == 0, done.err
    allowed = (project / ".rawko", folder / "home")
    changed = [path for path, data in snapshot(outside).items() if data != before.get(path)]
    return Visited(json.loads(done.out), done.out + done.err, done.outside(*allowed), changed, missing)


def _made(path: Path, outside: Path) -> bool:
    try:
        ODD[path.name][1](path, outside)
    except PermissionError:
        return False
    return True


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Visited:
    """One visit, for all of the tests below."""
    return visited("rawko", tmp_path_factory.mktemp("odd"), [*ODD])


@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_file_is_reported(visit: Visited, kind: str) -> None:
    """H7: it is named with the reason and with what to do."""
    if kind in visit.missing:
        pytest.skip(f"NOT RUN: only root can make {kind}")
    [(reason, hint)] = [(reason, hint) for file, reason, hint in visit.found["problems"] if file == kind]
    assert reason.startswith(ODD[kind][0])
    assert hint


@pytest.mark.parametrize("kind", [kind for kind in ODD if kind.endswith(".md")])
def test_what_is_no_file_is_refused(visit: Visited, kind: str) -> None:
    """H7: it is not read and not written; its name is taken, and a memory of that title gets another."""
    if kind in visit.missing:
        pytest.skip(f"NOT RUN: only root can make {kind}")
    outcomes = visit.found[kind]
    refused = {call: outcome[1] for call, outcome in outcomes.items() if call not in {"validate", "remember"}}
    assert set(refused.values()) == {"UnreadableMemory"}
    assert outcomes["validate"][1][0].startswith(ODD[kind][0])
    assert outcomes["remember"] == ["ok", kind.replace(".md", "-2.md")]


def test_nothing_outside_is_reached(visit: Visited) -> None:
    """H7: not one byte from outside is shown, opened or changed, and the memories beside are served."""
    report = Report({"kinds": len(ODD) - len(visit.missing), "shown": int(SECRET in visit.text)})
    report.add("opened outside", visit.outside)
    report.add("changed outside", visit.changed)
    report.add("untyped", [found for found in visit.text.split('"') if found == "untyped"])
    how = "read by strace" if not traced.missing_tool() else "not traced"
    report.show(f"H7 ({how})")
    assert report.bad("shown", "opened outside", "changed outside", "untyped") == {}, report.examples
    assert visit.found["all"]["memories"] == ["ok", ["n3"]]


@pytest.mark.skipif(traced.missing_tool() != "", reason=traced.missing_tool())
def test_the_trace_has_seen_the_library(visit: Visited, tmp_path: Path) -> None:
    """H7: that nothing was opened outside is not said by a trace that has seen nothing."""
    del visit
    program = "import traced; traced.begin(); open('/etc/hostname').close()"
    done = traced.run(
        [sys.executable, "-c", program], tmp_path / "trace", os.environ | {"PYTHONPATH": str(HERE)}, tmp_path
    )
    assert done.outside(tmp_path) == {"/etc/hostname"}


@pytest.mark.parametrize("kind", ["link.md", "hard-link.md"])
def test_a_link_is_noticed(tmp_path: Path, kind: str) -> None:
    """H7, red: a store that opens by path shows what is outside, and writes to it."""
    visit = visited("seed", tmp_path, [kind])
    assert SECRET in visit.text
    assert visit.changed != []


def test_a_pipe_is_noticed(tmp_path: Path) -> None:
    """H7, red: a store that opens whatever has the right name waits for ever."""
    with pytest.raises(subprocess.TimeoutExpired):
        visited("seed", tmp_path, ["pipe.md"], timeout=2)


# ------------------------------------------------------------ the folder of derived files


def _database(outside: Path) -> Path:
    with sqlite3.connect(outside / "database") as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS theirs (x)")
    connection.close()
    return outside / "database"


def _replace(path: Path, make: Callable[[Path], object]) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    make(path)


DERIVED: dict[str, Callable[[Path, Path], object]] = {
    "the folder is a link": lambda cache, outside: _replace(cache, lambda path: path.symlink_to(outside)),
    "the folder is a pipe": lambda cache, _: _replace(cache, os.mkfifo),
    "the table is a link": lambda cache, outside: _replace(
        cache / "memories.sqlite", lambda path: path.symlink_to(_database(outside))
    ),
    "the table is a link to nothing": lambda cache, outside: _replace(
        cache / "memories.sqlite", lambda path: path.symlink_to(outside / "none")
    ),
    "the table is a pipe": lambda cache, _: _replace(cache / "memories.sqlite", os.mkfifo),
    "the log is a link": lambda cache, outside: _replace(
        cache / "memories.log", lambda path: path.symlink_to(outside / "secret.md")
    ),
    "the log is a pipe": lambda cache, _: _replace(cache / "memories.log", os.mkfifo),
    "the lock is a link": lambda cache, outside: _replace(
        cache / "memories.lock", lambda path: path.symlink_to(outside / "secret.md")
    ),
    "the lock is a pipe": lambda cache, _: _replace(cache / "memories.lock", os.mkfifo),
    "the index is a link": lambda cache, outside: _replace(
        cache / "index.sqlite", lambda path: path.symlink_to(_database(outside))
    ),
    "the index is a link to nothing": lambda cache, outside: _replace(
        cache / "index.sqlite", lambda path: path.symlink_to(outside / "none")
    ),
    "the seal is a link": lambda cache, outside: _replace(
        cache / "index.seal", lambda path: path.symlink_to(outside / "secret.md")
    ),
    "the lock of the index is a link": lambda cache, outside: _replace(
        cache / "index.lock", lambda path: path.symlink_to(outside / "secret.md")
    ),
    "what was parsed is a link": lambda cache, outside: _replace(
        cache / "parsed.json", lambda path: path.symlink_to(outside / "secret.md")
    ),
    "the receipts are a link": lambda cache, outside: _replace(
        cache.parent / "receipts", lambda path: path.symlink_to(outside)
    ),
    "a month of receipts is a link": lambda cache, outside: _each_month(
        cache.parent / "receipts", lambda path: path.symlink_to(outside / "secret.md")
    ),
    "a month of receipts is a pipe": lambda cache, _: _each_month(cache.parent / "receipts", os.mkfifo),
}


def _each_month(receipts: Path, make: Callable[[Path], object]) -> None:
    for month in list(receipts.iterdir()):
        _replace(month, make)


def odd_derived_files(folder: Path) -> tuple[dict[str, Path], Path]:
    """A library for each of them, after one in which all is well; and what they lead to."""
    outside = folder / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text(SECRET_FILE)
    projects = {name: folder / str(number) for number, name in enumerate(["all is well", *DERIVED])}
    for name, project in projects.items():
        with rawko.open(project, create=True) as library:
            (project / ".rawko" / "config.yaml").write_text("semantic: false\n")
            library.remember("Title 3", oracle.text("n3"), ["test"])
        with rawko.open(project) as library:
            library.inject("Run the test")
        if name in DERIVED:
            DERIVED[name](project / ".rawko" / ".cache", outside)
    return projects, outside


def test_odd_derived_files_lead_nowhere(tmp_path: Path) -> None:
    """H7: whatever a repository brings in the place of our own files, reading works and nothing outside changes."""
    projects, outside = odd_derived_files(tmp_path)
    before = snapshot(outside)
    command = [sys.executable, str(HERE / "visitor.py"), "many", "rawko", *map(str, projects.values())]
    done = traced.run(command, tmp_path / "trace", os.environ | {"RAWKO_HOME": str(tmp_path / "home")}, tmp_path)
    assert done.code == 0, done.err
    report = Report({"kinds": len(DERIVED), "shown": int(SECRET in done.out)})
    allowed = [project / ".rawko" for project in projects.values()]
    report.add("opened outside", done.outside(*allowed, tmp_path / "home"))
    report.add("changed outside", snapshot(outside) != before)
    for name, project in projects.items():
        ended = json.loads(done.out)[str(project)]
        report.add("unread", ended["memories"] != ["ok", ["n3"]], example=f"{name}: {ended}")
        report.add("untyped", [call for call in ended if ended[call][0] == "untyped"], example=f"{name}: {ended}")
    report.show("H7 derived files")
    assert report.bad("shown", "opened outside", "changed outside", "unread", "untyped") == {}, report.examples


@pytest.mark.parametrize("kind", ["the folder is a link", "the table is a link", "the table is a link to nothing"])
def test_odd_derived_files_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """H7, red: a catalogue that does not look at its files before it opens them writes where the link leads."""
    for module in (table, log):
        monkeypatch.setattr(module, "stamp_of_file", lambda path: Stamp.of(os.stat(path)))
    projects, outside = odd_derived_files(tmp_path)
    before = snapshot(outside)
    visitor.visit_anew("rawko", str(projects[kind]), visitor.READS)
    assert snapshot(outside) != before
