"""D6, D7: a full disk is named as such, takes nothing away, and is forgiven once there is room again."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import bad
import oracle
import powercut
from process import HERE, Report
from rawko.values.errors import DiskFull, RawkoError
from writer import remember, seen

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rawko.library import Library

_NEVER = ("lost", "torn", "untyped", "unread", "temporary files")


def fill_up(store: str, project: Path, make_room: Callable[[], None]) -> Report:
    """Write until nothing goes in any more, look, make room, and write again."""
    report = Report({"acknowledged": 0, "refused": 0, "lost": 0, "torn": 0})
    acknowledged: set[str] = set()
    with bad.library(store, str(project), create=True) as library:
        for number in range(2000):
            refused = _write(report, library, number, acknowledged)
            _look(report, library, project, acknowledged) if refused or number % 50 == 0 else None
            if report["refused"] + report["untyped"] >= 30:
                break
        make_room()
        for number in range(3000, 3003):
            report.add("refused once there was room", _write(report, library, number, acknowledged))
        _look(report, library, project, acknowledged)
    return report


def _write(report: Report, library: Library, number: int, acknowledged: set[str]) -> bool:
    """Create or update; whether it was refused."""
    ident = f"n{number}"
    try:
        if number % 3 and acknowledged:
            library.update("Title 0", oracle.text(ident, 1500))
        else:
            remember(library, f"Title {number}", ident, 6000)
    except DiskFull:
        report.add("refused", 1)
    except Exception as error:  # noqa: BLE001 - whatever comes out is what is counted
        report.add("untyped", 1, example=repr(error))
    else:
        acknowledged.add(ident)
        report.add("acknowledged", 1)
        return False
    return True


def _look(report: Report, library: Library, project: Path, acknowledged: set[str]) -> None:
    view = oracle.look(project)
    report.add("lost", view.lost(acknowledged))
    report.add("torn", view.torn)
    report.add("temporary files", view.leftovers)
    try:
        report.add("unread", acknowledged - set(seen(library)["whole"]))
    except (RawkoError, OSError) as error:
        report.add("unread", 1, example=repr(error))


def _filler(place: Path) -> Path:
    """Something that can be removed to make room: a third of the disk."""
    path = place / "filler"
    path.write_bytes(b"x" * 300_000)
    return path


@pytest.mark.root
@pytest.mark.full
def test_a_full_disk() -> None:
    """D6: on a disk of 1 MB, writes end in DiskFull, reads go on, and writes go on once there is room."""
    with powercut.small_disk("size=1m") as place:
        filler = _filler(place)
        report = fill_up("rawko", place, filler.unlink).show("D6 full")
    assert report["refused"] > 0
    assert report.bad(*_NEVER, "refused once there was room") == {}, report.examples


@pytest.mark.root
@pytest.mark.full
def test_no_more_files() -> None:
    """D6: when the disk has room for bytes but not for one more file, the same holds."""
    with powercut.small_disk("size=8m,nr_inodes=60") as place:
        fillers = [place / f"filler-{number}" for number in range(20)]
        for filler in fillers:
            filler.touch()
        report = fill_up("rawko", place, lambda: [filler.unlink() for filler in fillers]).show("D6 no inodes")
    assert report["refused"] > 0
    assert report.bad(*_NEVER, "refused once there was room") == {}, report.examples


@pytest.mark.root
@pytest.mark.full
@pytest.mark.parametrize("store", ["seed", "append"])
def test_a_full_disk_is_noticed(store: str) -> None:
    """D6, red: writing in place tears the file that no longer fits."""
    with powercut.small_disk("size=1m") as place:
        report = fill_up(store, place, _filler(place).unlink).show("D6 full", store)
    assert report["lost"] + report["torn"] > 0


_LIMITED = """
import resource, signal, sys, json, pathlib
sys.path.insert(0, sys.argv[1])
import test_full_disk
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
lift = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
report = test_full_disk.fill_up(sys.argv[2], pathlib.Path(sys.argv[3]), lift)
print(json.dumps([report.counts, report.examples]))
"""


def _limited(store: str, project: Path) -> Report:
    """Fill up under a limit on the size of a file, in a process of its own."""
    import json

    command = [sys.executable, "-c", _LIMITED, str(HERE), store, str(project)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": ""})
    assert done.returncode == 0, done.stderr
    return Report(*json.loads(done.stdout.splitlines()[-1]))


def test_a_limit_on_the_size_of_files(tmp_path: Path) -> None:
    """D7: a file that may not grow is a full disk: a typed error, nothing torn, and all well once the limit is gone."""
    report = _limited("rawko", tmp_path).show("D7")
    assert report["refused"] > 0
    assert report.bad(*_NEVER, "refused once there was room") == {}, report.examples


def test_a_limit_on_the_size_of_files_is_noticed(tmp_path: Path) -> None:
    """D7, red: appending without taking back leaves half an update."""
    report = _limited("append", tmp_path).show("D7", "append")
    assert report["lost"] + report["torn"] > 0
