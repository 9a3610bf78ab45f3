"""C5: a writer that dies frees the lock with it, and one that hangs is waited for no longer than configured."""

from __future__ import annotations

import contextlib
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

import bad
import oracle
from process import Report, Writer
from rawko.values.errors import LockTimeout
from writer import TITLE, prepare, seen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_LIMIT = 1.0
_AT_THE_NOTE, _AT_THE_UPDATE = 1, 2


@contextlib.contextmanager
def hanging(store: str, project: Path, at: int) -> Iterator[Writer]:
    """A writer that has the lock and stays in the middle of its write."""
    with Writer("hang", store, project, TITLE, at) as writer:
        yield writer.wait_for("hanging")


def prepared(store: str, project: Path) -> Path:
    """A project with a memory in it, where a writer waits one second for another."""
    project.mkdir()
    with bad.library(store, str(project), create=True) as library:
        prepare(library)
    (project / ".rawko" / "config.yaml").write_text(f"lockTimeout: {_LIMIT}\n")
    return project


def killed_holders(store: str, folder: Path, rounds: int) -> Report:
    """Kill whoever holds the lock, and write; the next is free when it does not run into the limit."""
    report = Report({"kills": 0, "locked out": 0, "lost": 0, "torn": 0, "longest wait ms": 0})
    project = prepared(store, folder / "killed")
    for number in range(rounds):
        with hanging(store, project, _AT_THE_UPDATE if number % 2 else _AT_THE_NOTE) as holder:
            holder.kill()
        with bad.library(store, str(project)) as library:
            start = time.perf_counter()
            try:
                library.update(TITLE, oracle.text(f"after-{number}"))
            except LockTimeout as error:
                report.add("locked out", 1, example=str(error))
                continue
            waited = int((time.perf_counter() - start) * 1000)
            report.counts["longest wait ms"] = max(waited, report["longest wait ms"])
        report.add("kills", 1)
        view = oracle.look(project)
        report.add("lost", view.lost({f"after-{number}"}))
        report.add("torn", view.torn)
    return report


def test_a_killed_writer_frees_the_lock(tmp_path: Path, tier: Callable[[int, int], int]) -> None:
    """C5: when whoever holds the lock is killed, the next writer has it at once."""
    report = killed_holders("rawko", tmp_path, tier(6, 40)).show("C5 killed")
    assert report.bad("locked out", "lost", "torn") == {}, report.examples
    assert report["longest wait ms"] < 5_000


def test_a_killed_writer_is_noticed(tmp_path: Path) -> None:
    """C5, red: a lock that is a file with a pid in it outlives whoever made it."""
    assert killed_holders("pid-lock", tmp_path, 1).show("C5 killed", "pid-lock")["locked out"] > 0


def stopped_holder(store: str, folder: Path, patience: float) -> Report:
    """Stop whoever holds the lock, and write; then let it go on and die, and write again."""
    report = Report({"ms": 0, "timed errors": 0, "hung": 0, "not kept out": 0, "unread": 0})
    project = prepared(store, folder / "stopped")
    with (
        ThreadPoolExecutor(1) as pool,
        hanging(store, project, _AT_THE_NOTE) as holder,
        bad.library(store, str(project)) as library,
    ):
        holder.process.send_signal(signal.SIGSTOP)
        start = time.perf_counter()
        outcome = pool.submit(library.update, TITLE, oracle.text("kept-out"))
        try:
            outcome.result(patience)
            report.add("not kept out", 1)
        except LockTimeout:
            report.add("timed errors", 1)
        except TimeoutError:
            report.add("hung", 1)
        report.add("ms", int((time.perf_counter() - start) * 1000))
        report.add("unread", {"before-first", "before-second", "other-first"} - set(seen(library)["whole"]))
        holder.kill()
    with bad.library(store, str(project)) as library:
        library.update(TITLE, oracle.text("later"))
    report.add("lost", oracle.look(project).lost({"later"}))
    return report


def test_a_stopped_writer_is_a_timed_error(tmp_path: Path) -> None:
    """C5: when whoever holds the lock hangs, a writer gives up at the limit with LockTimeout, and readers read on."""
    report = stopped_holder("rawko", tmp_path, patience=60).show("C5 stopped")
    assert report["timed errors"] == 1
    assert 800 * _LIMIT <= report["ms"] < 10_000
    assert report.bad("unread", "lost") == {}, report.examples


@pytest.mark.parametrize("store", ["retries-sync", "rename"])
def test_a_stopped_writer_is_noticed(tmp_path: Path, store: str) -> None:
    """C5, red: a lock without a limit hangs with its holder, and without a lock nobody is kept out."""
    report = stopped_holder(store, tmp_path, patience=1.5).show("C5 stopped", store)
    assert report["timed errors"] == 0
    assert report["hung"] + report["not kept out"] == 1
