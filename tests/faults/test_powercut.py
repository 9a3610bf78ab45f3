"""D4, D5: what was acknowledged survives a power cut, on ext4 and on xfs."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest

import bad
import oracle
import powercut
from process import SEED, Report, Writer
from rawko.values.errors import RawkoError
from writer import BEFORE, CALLS, TITLE, added, remember, removed, seen

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.root, pytest.mark.full]
_NEVER = ("lost", "torn", "twice", "in between")


@pytest.fixture(params=powercut.FILE_SYSTEMS)
def kind(request: pytest.FixtureRequest) -> str:
    """Each kind of file system that can be made here."""
    if reason := powercut.missing_tool(request.param):
        pytest.skip(reason)
    return str(request.param)


def cuts_under_load(store: str, kind: str, cuts: int) -> Report:
    """Cut the power while two writers are at work, switch it on, look; again and again on the same disk."""
    chance = random.Random(SEED)
    report = Report({"cuts": 0, "acknowledged": 0, "lost": 0, "torn": 0})
    with powercut.disk(kind) as disk:
        for number in range(cuts):
            project = disk.place / str(number)
            project.mkdir()
            disk.sync()
            acknowledged = _cut_while_writing(store, disk, project, chance.uniform(0, 0.25))
            report.add("cuts", 1)
            report.add("acknowledged", len(acknowledged))
            _look_at_what_is_left(report, store, project, acknowledged)
            _make_room(disk, project)
    return report


def _cut_while_writing(store: str, disk: powercut.Disk, project: Path, seconds: float) -> set[str]:
    with Writer("mix", store, project, SEED, "a") as one, Writer("mix", store, project, SEED, "b") as other:
        for writer in (one, other):
            writer.wait_for("ready")
        for writer in (one, other):
            writer.go()
        time.sleep(seconds)
        for writer in (one, other):
            writer.stop()  # a power cut ends programs too: what a sync says after it (ext4 may say yes) is never told
        disk.cut()
    disk.restart()
    return {*one.acknowledged, *other.acknowledged}


def _look_at_what_is_left(report: Report, store: str, project: Path, acknowledged: set[str]) -> None:
    """As in D1: at once, by the oracle; then by a reader and a writer of the store; then by the oracle again."""
    report.add("lost", oracle.look(project, strict=False).lost(acknowledged))
    try:
        with bad.library(store, str(project)) as library:
            found = seen(library)
            report.add("torn", found["torn"])
            remember(library, "Start a", "later")
    except (OSError, RawkoError) as error:
        report.add("torn", 1, example=repr(error))
    view = oracle.look(project)
    report.add("torn", view.torn)
    report.add("twice", view.twice)


def _make_room(disk: powercut.Disk, project: Path) -> None:
    for path in sorted(project.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    disk.sync()


def test_power_cuts_under_load(kind: str) -> None:
    """D4: after a hundred cuts in the middle of writing, everything acknowledged is there and nothing is torn."""
    report = cuts_under_load("rawko", kind, 100).show(f"D4 {kind}")
    assert report.bad("lost", "torn", "twice") == {}, report.examples


def test_power_cuts_under_load_are_noticed(kind: str) -> None:
    """D4, red: without syncs, what was acknowledged is gone."""
    assert cuts_under_load("append", kind, 5).show(f"D4 {kind}", "append")["lost"] > 0


def cuts_after_a_call(store: str, kind: str, call: str, cuts: int) -> Report:
    """One public write call on a quiet disk, and the power goes as soon as it has returned."""
    report = Report({"cuts": 0, "lost": 0, "torn": 0})
    with powercut.disk(kind) as disk:
        for number in range(cuts):
            project = disk.place / str(number)
            project.mkdir()
            with Writer("call", store, project, call, "new") as writer:
                writer.wait_for("ready")
                disk.sync()
                writer.go()
                while not writer.acknowledged:
                    writer.take_one()
                disk.cut()
            disk.restart()
            report.add("cuts", 1)
            _look_after_a_call(report, store, project, call)
    return report


def _look_after_a_call(report: Report, store: str, project: Path, call: str) -> None:
    expected = {*BEFORE, *added(call, "new")} - removed(call)
    view = oracle.look(project)
    report.add("lost", view.lost(expected))
    report.add("torn", view.torn)
    report.add("not removed", set(view.whole) & removed(call))
    with bad.library(store, str(project)) as library:
        report.add("lost", expected - set(seen(library)["whole"]))
        remember(library, TITLE, "later")


@pytest.mark.parametrize("call", CALLS)
def test_a_power_cut_right_after_a_call(kind: str, call: str) -> None:
    """D5: each public write call is durable when it returns."""
    report = cuts_after_a_call("rawko", kind, call, 20).show(f"D5 {kind} {call}")
    assert report.bad("lost", "torn", "not removed") == {}, report.examples


def test_a_power_cut_right_after_the_first_memory(kind: str) -> None:
    """D5: the first memory of a new library survives with the folders that it lies in."""
    report = Report({"cuts": 0, "lost": 0})
    with powercut.disk(kind) as disk:
        for number in range(20):
            project = disk.place / str(number)
            project.mkdir()
            disk.sync()
            with Writer("first", "rawko", project) as writer:
                writer.wait_for("ready")
                disk.cut()
            disk.restart()
            report.add("cuts", 1)
            report.add("lost", oracle.look(project).lost({"first"}))
    assert report.show(f"D5 {kind} first memory")["lost"] == 0


def test_a_power_cut_right_after_a_call_is_noticed() -> None:
    """D5, red: without a sync of the folder, ext4 loses a new file that was itself synced."""
    if reason := powercut.missing_tool("ext4"):
        pytest.skip(reason)
    assert cuts_after_a_call("no-folder-sync", "ext4", "remember", 5).show("D5 ext4 remember", "no-folder-sync")["lost"]
