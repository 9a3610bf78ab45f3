"""D11: a library that cannot be reached or written says so, and nothing of it is taken for deleted."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import bad
import oracle
from process import Report, Writer
from visitor import NOBODY, READS, WRITES
from writer import remember

if TYPE_CHECKING:
    from collections.abc import Iterator

_COUNT = 30
_ROTTEN = "title-7.md"
_ABSENT = {"StoreUnavailable", "LibraryNotFound"}
_NEVER = ("untyped", "taken for empty", "other errors", "lost", "rows lost", "records lost", "stuck")
_NEVER_IF_EMPTY = ("untyped", "taken for deleted", "lost", "rows lost", "records lost", "stuck")

Way = Callable[[Path], AbstractContextManager[None]]


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project that another user can reach; the folders of pytest are private."""
    become = [sys.executable, "-c", f"import os; os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})"]
    if os.geteuid() == 0 and subprocess.run(become, capture_output=True, check=False).returncode:
        pytest.skip("NOT RUN: root, whom no mode stops, cannot become another user here")
    public = Path(tempfile.mkdtemp(prefix="rawko-absent-"))
    public.chmod(0o755)
    monkeypatch.setenv("RAWKO_HOME", str(public / "home"))
    (public / "home").mkdir()
    (public / "home" / "config.yaml").write_text("semantic: false\n")
    (public / "project").mkdir()
    yield public / "project"
    shutil.rmtree(public)


# ------------------------------------------------------------ ways to be absent


@contextlib.contextmanager
def _with_mode(mode: int, *paths: Path) -> Iterator[None]:
    before = [path.stat().st_mode for path in paths]
    for path in paths:
        path.chmod(mode)
    try:
        yield
    finally:
        for path, old in reversed([*zip(paths, before, strict=True)]):
            path.chmod(old)


@contextlib.contextmanager
def _away(path: Path) -> Iterator[None]:
    aside = path.with_name(f"{path.name}-aside")
    path.rename(aside)
    try:
        yield
    finally:
        if path.exists():
            shutil.rmtree(path)
        aside.rename(path)


@contextlib.contextmanager
def _emptied(path: Path) -> Iterator[None]:
    """What a mount point looks like when nothing is mounted on it."""
    with _away(path):
        path.mkdir()
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
        yield


def _library(project: Path) -> Path:
    return project / ".rawko"


def _memories(project: Path) -> Path:
    return project / ".rawko" / "memories"


def _read_only(project: Path) -> AbstractContextManager[None]:
    """Every file and every folder, from the bottom up."""
    return _with_mode(0o555, *sorted(_library(project).rglob("*"), reverse=True), _library(project))


UNREACHABLE: dict[str, Way] = {
    "memories may not be read": lambda project: _with_mode(0o000, _memories(project)),
    "the library may not be entered": lambda project: _with_mode(0o000, _library(project)),
    "memories are gone": lambda project: _away(_memories(project)),
    "the library is gone": lambda project: _away(_library(project)),
    "the project is gone": _away,
}


# ------------------------------------------------------------ visits


def rot(path: Path) -> None:
    """Change one letter of a file in a way that nothing but a recorded digest shows."""
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"[[end", b"[[eND"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def visits(store: str, project: Path, way: Way, calls: str, judge: Callable[[Report, dict[str, Any]], None]) -> Report:
    """Visit a library while it is absent in some way, and again when it is back; it has a rotten file on record."""
    report = Report({"calls": 0, "refused": 0, "untyped": 0, "lost": 0})
    with bad.library(store, str(project), create=True) as library:
        for number in range(_COUNT):
            remember(library, f"Title {number}" if number else "Spare", f"n{number}" if number else "spare")
    rot(_memories(project) / _ROTTEN)
    before = oracle.look(project).whole
    with Writer("absent", store, project, script="visitor.py") as visitor:
        visitor.wait_for("ready")
        with way(project):
            for seen in _visit(visitor, calls).values():
                for name, outcome in seen.items():
                    _count(report, name, outcome)
                judge(report, seen)
        report.add("lost", set(before) - set(oracle.look(project).whole))
        for seen in _visit(visitor, "go").values():
            _judge_return(report, seen, set(before))
    return report


def _visit(visitor: Writer, order: str) -> dict[str, dict[str, Any]]:
    assert visitor.process.stdin
    visitor.process.stdin.write(f"{order}\n")
    visitor.process.stdin.flush()
    visitor.wait_for("ready")
    return visitor.seen  # type: ignore[return-value]


def _count(report: Report, name: str, outcome: list[Any]) -> None:
    report.add("calls", 1)
    report.add("untyped", outcome[0] == "untyped", example=f"{name}: {outcome}")
    if outcome[0] == "typed":
        report.add("refused" if outcome[1] in _ABSENT else "other errors", 1, example=f"{name}: {outcome}")


def _judge_return(report: Report, seen: dict[str, Any], before: set[str]) -> None:
    """When it is back, every memory and every row is there, what was recorded is still known, and writing works."""
    kept = {name: outcome[1] for name, outcome in seen.items() if outcome[0] == "ok"}
    report.add("lost", before - set(kept.get("memories", ())))
    examined = kept.get("examine", {"rows": 0, "missing": 0, "found": {}})
    report.add("rows lost", max(0, _COUNT - examined["rows"] + examined["missing"]), example=examined)
    report.add("records lost", examined["found"].get(_ROTTEN) != "error", example=examined)
    refused = [f"{name}: {outcome}" for name, outcome in seen.items() if outcome[0] != "ok"]
    report.add("stuck", refused)


def _all_refused(report: Report, seen: dict[str, Any]) -> None:
    report.add("taken for empty", [f"{name}: {seen[name]}" for name in seen if seen[name][0] == "ok"])


def _only_writes_refused(report: Report, seen: dict[str, Any]) -> None:
    report.add("acknowledged", [name for name in WRITES if seen[name][0] == "ok"])
    report.add("unread", [f"{name}: {seen[name]}" for name in READS if seen[name][0] != "ok"])
    report.add("unread", _COUNT - 1 - len(seen["memories"][1]))


def _all_missed(report: Report, seen: dict[str, Any]) -> None:
    """An empty folder may be what somebody wanted; but the doctor misses every file, and no row is gone."""
    examined = seen["examine"][1]
    missed = [name for name, level in examined["found"].items() if level == "hint"]
    report.add("taken for deleted", _COUNT - len(missed), example=examined)
    report.add("rows lost", _COUNT - examined["rows"])


@pytest.mark.parametrize("way", UNREACHABLE)
def test_a_library_that_cannot_be_reached_is_an_error(project: Path, way: str) -> None:
    """D11: every call says that the folder is not there or not ours, and all of it is there when the folder is."""
    report = visits("rawko", project, UNREACHABLE[way], "go", _all_refused).show(f"D11 {way}")
    assert report["refused"] == report["calls"] == 2 * len(READS | WRITES), report.examples
    assert report.bad(*_NEVER) == {}, report.examples


def test_a_read_only_library_can_be_read(project: Path) -> None:
    """D11: where nothing may be written every question is answered, every write refused, and nothing is lost."""
    report = visits("rawko", project, _read_only, "go", _only_writes_refused).show("D11 read-only")
    assert report["refused"] == 2 * len(WRITES), report.examples
    assert report.bad(*_NEVER, "acknowledged", "unread") == {}, report.examples


def test_an_empty_folder_is_not_taken_for_deletion(project: Path) -> None:
    """D11: a mount point without its disk looks like an empty folder: the doctor misses every file by name."""
    report = visits("rawko", project, lambda project: _emptied(_memories(project)), "read", _all_missed)
    assert report.show("D11 an empty folder").bad(*_NEVER_IF_EMPTY) == {}, report.examples


def test_an_open_library_notices_that_it_was_emptied(project: Path) -> None:
    """D11: who had the library open is told that its folder went missing, even if the catalogue went with it.

    Who opens it only then has nothing to tell it from a library that is new.
    """

    def judge(report: Report, seen: dict[str, Any]) -> None:
        report.add("visitors who were told", all(outcome[0] == "typed" for outcome in seen.values()))

    report = visits("rawko", project, lambda project: _emptied(_library(project)), "read", judge)
    assert report.show("D11 an emptied library").bad(*_NEVER_IF_EMPTY) == {}, report.examples
    assert report["visitors who were told"] == 1


@contextlib.contextmanager
def _unmounted(path: Path) -> Iterator[None]:
    subprocess.run(["umount", "--lazy", path], check=True)
    try:
        yield
    finally:
        _bind(path)


def _bind(path: Path) -> None:
    subprocess.run(["mount", "--bind", path.with_name("disk"), path], check=True)


@pytest.mark.root
@pytest.mark.full
@pytest.mark.parametrize(("folder", "judge"), [(".rawko/memories", _all_missed), (".", _all_refused)])
def test_an_unmounted_library(project: Path, folder: str, judge: Callable[[Report, dict[str, Any]], None]) -> None:
    """D11: the same with a real mount, of the memories alone and of the whole project."""
    path = project / folder
    path.mkdir(parents=True, exist_ok=True)
    path.with_name("disk").mkdir()
    _bind(path)
    try:
        report = visits("rawko", project, lambda _: _unmounted(path), "read", judge).show(f"D11 unmounted {folder}")
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)
    assert report.bad(*_NEVER_IF_EMPTY) == {}, report.examples


@pytest.mark.parametrize("way", ["memories are gone", "memories may not be read"])
def test_absence_is_noticed(project: Path, way: str) -> None:
    """D11, red: a careless store makes a missing folder anew or fails in its own words, and records nothing."""
    report = visits("seed", project, UNREACHABLE[way], "go", _all_refused).show(f"D11 {way}", "seed")
    assert report["untyped"] + report["taken for empty"] > 0
    assert report["records lost"] > 0
