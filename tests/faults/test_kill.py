"""D1, D2: whoever is killed while writing leaves what it acknowledged, and nothing torn."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest

import oracle
import points
from process import SEED, Report, Writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_ROUNDS_PER_PROJECT = 6


def random_kills(store: str, folder: Path, rounds: int) -> Report:
    """Kill a writer at a random moment, again and again; each new one starts on what the last one left."""
    chance = random.Random(SEED)
    report = Report({"kills": 0, "acknowledged": 0, "lost": 0, "torn": 0})
    acknowledged: set[str] = set()
    for number in range(rounds):
        project = folder / f"{number // _ROUNDS_PER_PROJECT}"
        if not project.exists():
            acknowledged = set()
            project.mkdir()
        with Writer("mix", store, project, SEED, f"r{number}", "slow" if number % 2 else "") as writer:
            try:
                writer.wait_for("ready")
            except EOFError:
                report.add("torn", 1, example="the next start failed")
                continue
            acknowledged.update(writer.acknowledged)
            report.add("lost", acknowledged - {*writer.seen["whole"], *writer.acknowledged})
            report.add("torn", writer.seen["torn"])
            _compare(report, oracle.look(project), acknowledged)
            writer.go()
            time.sleep(chance.uniform(0, 0.12))
        acknowledged.update(writer.acknowledged)
        view = oracle.look(project, strict=False)
        report.add("lost", view.lost(acknowledged))
        report.add("kills", 1)
        report.add("acknowledged", len(writer.acknowledged))
        report.add("unfinished when killed", view.torn)
        report.add("temporary files left", view.leftovers)
    return report


def _compare(report: Report, view: oracle.View, acknowledged: set[str]) -> None:
    report.add("lost", view.lost(acknowledged))
    report.add("torn", view.torn)
    report.add("twice", view.twice)


def test_random_kills_lose_nothing(tmp_path: Path, tier: Callable[[int, int], int]) -> None:
    """D1: after kill -9 at any moment, what was acknowledged is there, nothing is torn, and the next start works."""
    report = random_kills("rawko", tmp_path, tier(50, 500)).show("D1")
    assert report.bad("lost", "torn", "twice") == {}, report.examples


def test_random_kills_are_noticed(tmp_path: Path) -> None:
    """D1, red: the seeds' own way of writing loses or tears under the same kills."""
    report = random_kills("seed", tmp_path, 12).show("D1", "seed")
    assert report["lost"] + report["torn"] > 0


_STEPS = ["remember", "update", "forget"]
_FULL_STEPS = [
    pytest.param(call, marks=pytest.mark.full)
    for call in ("same-title", "correct", "deprecate", "supersede", "restore")
]
_NEVER = ("lost", "torn", "twice", "in between", "stuck")


@pytest.mark.parametrize("call", [*_STEPS, *_FULL_STEPS])
def test_killed_at_every_step(tmp_path: Path, call: str) -> None:
    """D2: killed before any call on files that the store makes, a call was made or was not."""
    report = points.every_step("rawko", call, tmp_path).show(f"D2 steps of {call}")
    assert report.bad(*_NEVER) == {}, report.examples


def test_killed_at_every_step_in_a_batch(tmp_path: Path) -> None:
    """D2: a batch that is killed loses and tears nothing; what of it was new may be there in part."""
    report = points.every_step("rawko", "append_many", tmp_path).show("D2 steps of append_many")
    assert report.bad("lost", "torn", "twice", "stuck") == {}, report.examples


def test_killed_at_every_step_is_noticed(tmp_path: Path) -> None:
    """D2, red: reading all and writing all is torn at some of the same points."""
    report = points.every_step("seed", "update", tmp_path).show("D2 steps of update", "seed")
    assert report["lost"] + report["torn"] > 0


@pytest.mark.full
@pytest.mark.skipif(points.missing_tool() != "", reason=points.missing_tool())
@pytest.mark.parametrize("call", ["remember", "update", "correct", "deprecate", "append_many", "forget"])
def test_killed_at_every_system_call(tmp_path: Path, call: str) -> None:
    """D2: killed at any system call on files, a call was made or was not, and the next reader and writer work."""
    report = points.every_point("rawko", call, tmp_path, "signal=KILL").show(f"D2 {call}")
    never = [name for name in _NEVER if (call, name) != ("append_many", "in between")]
    assert report.bad(*never) == {}, report.examples


@pytest.mark.full
@pytest.mark.skipif(points.missing_tool() != "", reason=points.missing_tool())
def test_killed_at_every_system_call_is_noticed(tmp_path: Path) -> None:
    """D2, red: the seeds' own way of writing is torn at some of the same points."""
    report = points.every_point("seed", "update", tmp_path, "signal=KILL").show("D2 update", "seed")
    assert report["lost"] + report["torn"] > 0
