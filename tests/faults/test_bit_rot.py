"""D10: one byte that changes by itself, in any memory, is found by `rawko doctor`."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import oracle
import rawko
from process import SEED, Report
from rawko.values.errors import UnreadableMemory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_FILES = 200
_HEALTHY = 20


def a_library(project: Path, how: str = "written") -> list[Path]:
    """Memories with one to three statements, recorded as they were written, or when a doctor first saw them."""
    with rawko.open(project, create=True):
        (project / ".rawko" / "config.yaml").write_text("durability: off\n")
    with rawko.open(project) as library:
        names = [f"m{number}" for number in range(_FILES + _HEALTHY)]
        library.append_many(rawko.Draft(f"Title {name}", oracle.text(name), ("test",)) for name in names)
        for count in (2, 3):
            library.append_many(
                rawko.Draft(f"Title {name}", oracle.text(f"{name}-{count}"), ("test",)) for name in names[::count]
            )
    if how == "seen":
        shutil.rmtree(project / ".rawko" / ".cache")
        doctor(project)
    return sorted((project / ".rawko" / "memories").iterdir())


def rot(path: Path, chance: random.Random, *, keep_time: bool) -> None:
    """Change one byte of a file; what the folder says of it stays, unless its time is not kept."""
    before = path.stat()
    position, change = chance.randrange(before.st_size), chance.randrange(1, 256)
    with open(path, "r+b") as file:
        file.seek(position)
        changed = file.read(1)[0] ^ change
        file.seek(position)
        file.write(bytes([changed]))
    if keep_time:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert (path.stat().st_mtime_ns == before.st_mtime_ns) is keep_time


def doctor(project: Path, *command: str) -> dict[str, set[str]]:
    """The files that `rawko doctor` names, by level; it may find what it likes, but not crash."""
    arguments = [sys.executable, "-m", "rawko", *(command or ("doctor",)), "--json", "--library", str(project)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    assert "Traceback" not in done.stderr
    found: dict[str, set[str]] = {"error": set(), "warning": set(), "hint": set()}
    for problem in json.loads(done.stdout)["problems"]:
        found[problem["level"]].add(problem["file"])
    return found


def rotten_library(
    project: Path, *, how: str = "written", keep_time: bool = True, meanwhile: Callable[[str], object] = lambda _: None
) -> Report:
    """Let 200 files of a library rot, and ask the doctor about them, twice: asking must not make it forget.

    `meanwhile` gets the name of a file that is in order.
    """
    chance = random.Random(SEED)
    paths = a_library(project, how)
    rotten = set(chance.sample(paths, _FILES))
    for path in sorted(rotten):
        rot(path, chance, keep_time=keep_time)
    meanwhile(next(path.name for path in paths if path not in rotten))
    report = Report({"flipped": len(rotten), "named": 0})
    names = {path.name for path in rotten}
    first, again = doctor(project), doctor(project)
    named = set().union(*first.values())
    report.add("named", len(named & names))
    report.add("named as an error", len(first["error"] & names))
    report.add("false alarms", named - names)
    report.add("forgotten at the second look", named - set().union(*again.values()))
    return report


@pytest.mark.parametrize("how", ["written", "seen"])
def test_a_byte_that_rots_is_found(tmp_path: Path, how: str) -> None:
    """D10: one byte changed in each of 200 files whose time and size stay: each is an error, and nothing else is."""
    report = rotten_library(tmp_path, how=how).show(f"D10 recorded when {how}")
    assert report["named as an error"] >= _FILES - 1
    assert report.bad("false alarms", "forgotten at the second look") == {}, report.examples


def test_a_byte_that_changes_together_with_the_time_is_found(tmp_path: Path) -> None:
    """D10: where the time of the file changed too, somebody may have edited it; each is named all the same."""
    report = rotten_library(tmp_path, keep_time=False).show("D10 with another time")
    assert report["named"] >= _FILES - 1
    assert report.bad("false alarms", "forgotten at the second look") == {}, report.examples


def test_rot_is_found_after_an_update(tmp_path: Path) -> None:
    """D10: an update of a rotten file does not record the damage as what was always there."""

    def update_all(_: str) -> None:
        with rawko.open(tmp_path) as library:
            for name in library.store.names().names:
                try:
                    library.update(name, "One more thing.")
                except UnreadableMemory:
                    continue

    report = rotten_library(tmp_path, meanwhile=update_all).show("D10 after an update")
    assert report["named"] >= _FILES - 1
    assert report.bad("false alarms", "forgotten at the second look") == {}, report.examples


def test_rot_is_found_after_a_purge(tmp_path: Path) -> None:
    """D10: to forget one memory is not to forget what is recorded of the others."""

    def forget_one(name: str) -> None:
        with rawko.open(tmp_path) as library:
            library.forget(name, purge=True)

    report = rotten_library(tmp_path, meanwhile=forget_one).show("D10 after a purge")
    assert report["named"] >= _FILES - 1
    assert report.bad("false alarms", "forgotten at the second look") == {}, report.examples


def test_rot_is_not_called_repaired(tmp_path: Path) -> None:
    """D10: `doctor --fix` cannot mend a byte, and does not say so: each file is an error as before."""
    report = rotten_library(tmp_path, meanwhile=lambda _: doctor(tmp_path, "doctor", "--fix")).show("D10 after --fix")
    assert report["named as an error"] >= _FILES - 1
    assert report.bad("false alarms", "forgotten at the second look") == {}, report.examples


def test_no_command_crashes_on_rot(tmp_path: Path) -> None:
    """D10: whatever became of the bytes, a command answers, and says what it could not read."""
    chance = random.Random(SEED)
    for path in a_library(tmp_path):
        rot(path, chance, keep_time=True)
    unreadable = [doctor(tmp_path, command)["error"] for command in ("list", "log", "validate")]
    assert unreadable[0] == unreadable[1] == unreadable[2] != set()


def test_rot_is_noticed(tmp_path: Path) -> None:
    """D10, red: without the recorded digests, only what no longer reads as a memory is found: too few."""
    report = rotten_library(tmp_path, meanwhile=lambda _: shutil.rmtree(tmp_path / ".rawko" / ".cache"))
    assert report.show("D10", "without digests")["named"] < _FILES - 1
