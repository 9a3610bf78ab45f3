"""C6: a clock may be wrong, jump or stand still; what was said first stays first, and the last word counts."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

import bad
import oracle
from process import SEED, Report
from rawko.library import Library
from rawko.testing import FixedClock
from rawko.values.errors import MemoryNotFound

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rawko.values.memory import Memory

TITLE = "The clock is wrong"
TODAY = datetime(2026, 1, 23, 10, 30, tzinfo=UTC)
FAR = datetime(2099, 12, 31, 23, 59, 59, tzinfo=UTC)
_DAYS_BACK = timedelta(days=400)
_NEVER = ("exceptions", "duplicate ids", "out of order", "wrong as of", "wrong log", "lost", "torn")
_STEPS: dict[str, Callable[[datetime], datetime]] = {
    "stand still": lambda now: now,
    "tick": lambda now: now + timedelta(seconds=1),
    "a day later": lambda now: now + timedelta(days=1),
    "400 days back": lambda now: max(now - _DAYS_BACK, datetime(1971, 1, 1, tzinfo=UTC)),
    "2099": lambda _: FAR,
    "unset": lambda _: datetime(1970, 1, 1, tzinfo=UTC),
    "put right": lambda _: TODAY + timedelta(days=30),
}


def clocked(store: str, project: Path, clock: FixedClock) -> Library:
    """A library on disk with a clock that is told what to show."""
    opened = bad.library(store, str(project), create=True)
    return Library(opened.store, clock=clock, folder=opened.folder)


# ------------------------------------------------------------ order


def stepping_clock(store: str, project: Path, count: int) -> Report:
    """Update one memory again and again while the clock jumps about."""
    chance = random.Random(SEED)
    clock = FixedClock(TODAY)
    report = Report({"updates": count, "steps": 0, **dict.fromkeys(_NEVER, 0)})
    with clocked(store, project, clock) as library:
        library.remember(TITLE, oracle.text("n0"), when_to_use=["test"])
        said = [(clock.now, "n0")]
        for number in range(1, count + 1):
            step = chance.choice(list(_STEPS))
            report.add("steps", step != "tick")
            clock.now = _STEPS[step](clock.now)
            said.append((clock.now, f"n{number}"))
            try:
                library.update(TITLE, oracle.text(f"n{number}"))
            except Exception as error:  # noqa: BLE001 - none may come
                report.add("exceptions", 1, example=f"{step}: {error!r}")
        _check_order(report, library, said)
    view = oracle.look(project)
    report.add("lost", view.lost({ident for _, ident in said}))
    report.add("torn", view.torn)
    return report


def _check_order(report: Report, library: Library, said: list[tuple[datetime, str]]) -> None:
    memory = library.get(TITLE)
    ids = Counter(re.findall(rb'"id": "(\w+)"', library.store.read(memory.file).data))
    report.add("duplicate ids", sum(ids.values()) - len(ids))
    report.add("out of order", _told(memory) != said)
    for moment in sorted({at for at, _ in said}):
        then = [pair for pair in said if pair[0] <= moment] if said[0][0] <= moment else None
        report.add("wrong as of", _as_of(library, moment) != then, example=moment)
    log = [(change.update.at, _ident(change.update.content)) for change in library.log(TITLE)]
    report.add("wrong log", log != sorted(said, key=lambda pair: pair[0]))


def _told(memory: Memory) -> list[tuple[datetime, str]]:
    return [(part.at, _ident(part.content)) for part in memory.statements]


def _ident(content: str) -> str:
    return "".join(oracle.whole(content))


def _as_of(library: Library, moment: datetime) -> list[tuple[datetime, str]] | None:
    try:
        return _told(library.get(TITLE, as_of=moment))
    except MemoryNotFound:
        return None


def test_updates_keep_their_order(tmp_path: Path, tier: Callable[[int, int], int]) -> None:
    """C6: whatever the clock says, updates stay in the order in which they were made, and each has its own id."""
    report = stepping_clock("rawko", tmp_path, tier(60, 400)).show("C6 order")
    assert report.bad(*_NEVER) == {}, report.examples


def test_a_stepping_clock_is_noticed(tmp_path: Path) -> None:
    """C6, red: a store that goes by the clock has ids twice and updates out of order."""
    report = stepping_clock("by-clock", tmp_path, 60).show("C6 order", "by-clock")
    assert report["duplicate ids"] > 0
    assert report["out of order"] > 0


# ------------------------------------------------------------ status


def last_words(store: str, folder: Path, count: int) -> Report:
    """Deprecate and restore while the clock jumps about; each time the last word is what holds."""
    chance = random.Random(SEED)
    clock = FixedClock(TODAY)
    report = Report({"words": count, "not heeded": 0})
    with clocked(store, folder, clock) as library:
        library.remember("Successor", "It takes over.", when_to_use=["test"])
        library.remember(TITLE, "It may hold or not.", when_to_use=["test"])
        words: dict[str, Callable[[], Memory]] = {
            "deprecated": lambda: library.deprecate(TITLE, "no"),
            "active": lambda: library.restore(TITLE, "yes"),
            "superseded": lambda: library.supersede(TITLE, by="Successor"),
        }
        for _ in range(count):
            step, status = chance.choice(list(_STEPS)), chance.choice(list(words))
            clock.now = _STEPS[step](clock.now)
            answer = words[status]().status
            found = library.get(TITLE).status
            report.add("not heeded", {answer, found} != {status}, example=f"{step}, {status}: {answer}, {found}")
    return report


def test_the_last_word_counts(tmp_path: Path, tier: Callable[[int, int], int]) -> None:
    """C6: a memory that is deprecated or restored is so from then on, even if the clock was put back in between."""
    report = last_words("rawko", tmp_path, tier(60, 400)).show("C6 status")
    assert report.bad("not heeded") == {}, report.examples


def test_the_last_word_is_noticed(tmp_path: Path) -> None:
    """C6, red: where updates are sorted by the clock, an earlier word can be the last."""
    assert last_words("by-clock", tmp_path, 60).show("C6 status", "by-clock")["not heeded"] > 0


# ------------------------------------------------------------ the system's clock


def at(moment: str, project: Path, *arguments: str) -> dict[str, object]:
    """What a command prints when the system's clock shows a moment."""
    command = ["faketime", moment, sys.executable, "-m", "rawko", *arguments, "--library", str(project), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "TZ": "UTC"})
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.skipif(not shutil.which("faketime"), reason="NOT RUN: faketime is not installed")
def test_commands_under_a_wrong_clock(tmp_path: Path) -> None:
    """C6: the commands do the same under a clock that is years ahead and then 400 days back."""
    with bad.library("rawko", str(tmp_path), create=True):
        pass
    what = ("--title", TITLE, "--when-to-use", "test", "--content", oracle.text("now"))
    at("2026-01-23 10:30:00", tmp_path, "remember", *what)
    at("2099-06-30 23:59:59", tmp_path, "deprecate", TITLE, "--reason", oracle.text("ahead"))
    at("2024-12-19 10:30:00", tmp_path, "update", TITLE, "--content", oracle.text("behind"))
    at("2024-12-19 10:30:00", tmp_path, "restore", TITLE, "--reason", oracle.text("again"))
    with bad.library("rawko", str(tmp_path)) as library:
        memory = library.get(TITLE)
    assert [part.at.year for part in memory.statements] == [2026, 2099, 2024, 2099]  # a last word is never dated back
    assert [_ident(part.content) for part in memory.statements] == ["now", "ahead", "behind", "again"]
    assert memory.status == "active"
    assert len({part.id for part in memory.updates}) == 3
