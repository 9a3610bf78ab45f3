"""D3, D7, D8: when the system refuses any one step, the call fails with a typed error and leaves no trace."""

from __future__ import annotations

import errno
import gc
import itertools
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import bad
import oracle
import shim
from process import Report
from rawko.values.errors import RawkoError
from writer import CALLS, TITLE, added, prepare, remember, seen

if TYPE_CHECKING:
    from rawko.library import Library

Fault = Callable[[int], shim.Failing | shim.Short]
FAULTS: dict[str, Fault] = {
    "EIO": lambda at: shim.Failing(at, errno.EIO),
    "ENOSPC": lambda at: shim.Failing(at, errno.ENOSPC),
    "EINTR": lambda at: shim.Failing(at, errno.EINTR),
    "short write": shim.Short,
    "short write, then ENOSPC": lambda at: shim.Short(at, errno.ENOSPC),
}
_NEVER = ("false acknowledgements", "untyped", "changed", "torn", "temporary files", "descriptors", "stuck")


def contents(project: Path) -> dict[str, bytes]:
    """Every file in the folder of memories, byte by byte."""
    folder = oracle.memories(project)
    return {name: _bytes(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def every_refusal(store: str, folder: Path, call: str, fault: Fault, report: Report) -> Report:
    """Refuse step 1 of a call, then step 2, until the call needs no more steps; by a new library and a used one."""
    gc.collect()  # what earlier tests left open is closed now, and not while descriptors are counted
    for warm in (False, True):
        project = _prepared(store, folder)
        for at in itertools.count(1):
            step = fault(at)
            before, descriptors = contents(project), len(os.listdir("/proc/self/fd"))
            with bad.library(store, str(project)) as library:
                if warm:
                    seen(library)
                outcome = _outcome(report, library, call, "new", step)
            if not step.failed:
                break
            where = f"{call}, step {at} ({step.failed}): {outcome}"
            new = added(call, "new") if outcome == "acknowledged" else set()
            report.add("refusals", 1)
            report.add("descriptors", len(os.listdir("/proc/self/fd")) != descriptors, example=where)
            _check(report, project, before, new, where)
            if contents(project) != before:
                project = _prepared(store, folder)
    return report


def _prepared(store: str, folder: Path) -> Path:
    project = Path(tempfile.mkdtemp(dir=folder))
    with bad.library(store, str(project), create=True) as library:
        prepare(library)
    with open(project / ".rawko" / "config.yaml", "w") as file:
        file.write("lockTimeout: 0.2\n")  # who locks itself out is to be seen soon
    return project


def _outcome(report: Report, library: Library, call: str, ident: str, step: shim.Failing | shim.Short) -> str:
    try:
        with shim.installed(step):
            CALLS[call](library, ident)
    except RawkoError as error:
        report.add("typed errors", 1)
        return repr(error)
    except Exception as error:  # noqa: BLE001 - whatever comes out is what is counted
        report.add("untyped", 1, example=f"{call}, {step.failed} {step.calls}: {error!r}")
        return repr(error)
    report.add("acknowledged", 1 if step.failed else 0)
    return "acknowledged"


def _check(report: Report, project: Path, before: dict[str, bytes], new: set[str], where: str) -> None:
    """Unless it was acknowledged, every byte is as it was; if it was, the new text is there too, whole."""
    after, view = contents(project), oracle.look(project)
    report.add("false acknowledgements", view.lost(new), example=where)
    # What was purged must not come back because the last step failed.
    kind = "purged although it failed" if where.startswith("forget") and view.whole["new"] else "changed"
    report.add(kind, 0 if new else after != before, example=f"{where}: {_difference(before, after)}")
    report.add("torn", view.torn, example=f"{where}: {view.torn}")
    report.add("temporary files", view.leftovers, example=where)


def _difference(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    return [name for name in {**before, **after} if before.get(name) != after.get(name)]


@pytest.mark.parametrize("fault", FAULTS)
def test_every_refused_step_is_a_clean_failure(tmp_path: Path, fault: str) -> None:
    """D3: whichever step is refused, the call fails with our own error and every byte is as before, or it is done."""
    report = Report({"refusals": 0, "acknowledged": 0, "typed errors": 0, "false acknowledgements": 0, "torn": 0})
    for call in CALLS:
        every_refusal("rawko", tmp_path, call, FAULTS[fault], report)
    assert report.show(f"D3 {fault}").bad(*_NEVER) == {}, report.examples


@pytest.mark.parametrize("fault", ["EIO", "short write", "short write, then ENOSPC"])
def test_a_refused_step_is_noticed(tmp_path: Path, fault: str) -> None:
    """D3, red: a store that only appends leaves half an update, or forgets the half that was not taken."""
    report = Report({"refusals": 0})
    for call in ("remember", "update"):
        every_refusal("append", tmp_path, call, FAULTS[fault], report)
    report.show(f"D3 {fault}", "append")
    assert report["torn"] + report["changed"] + report["false acknowledgements"] > 0


@pytest.mark.parametrize("call", ["remember", "update", "append_many"])
def test_a_disk_that_stays_broken(tmp_path: Path, call: str) -> None:
    """D3: when nothing works from some step on, nothing is acknowledged, and the next writer puts it right."""
    report = Report({"refusals": 0, "false acknowledgements": 0, "torn": 0})
    for at in range(1, 200):
        project = _prepared("rawko", tmp_path)
        with bad.library("rawko", str(project)) as library:
            before = set(seen(library)["whole"])
            step = shim.Failing(at, errno.EIO, forever=True)
            outcome = _outcome(report, library, call, "new", step)
        if not step.failed:
            break
        report.add("refusals", 1)
        _check_recovery(report, project, before, added(call, "new"), f"{call}, step {at}: {outcome}")
    assert report.show(f"D3 broken for good, {call}").bad(*_NEVER) == {}, report.examples


def _check_recovery(report: Report, project: Path, before: set[str], new: set[str], where: str) -> None:
    with bad.library("rawko", str(project)) as library:
        found = seen(library)
        report.add("torn", found["torn"], example=f"{where}: {found['torn']}")
        acknowledged = new if where.endswith("acknowledged") else set()
        report.add("false acknowledgements", (before | acknowledged) - set(found["whole"]), example=where)
        remember(library, TITLE, "later")
    view = oracle.look(project)
    report.add("torn", view.torn, example=f"{where}: {view.torn}")
    report.add("stuck", view.lost({*before, "later"}), example=where)


def failed_syncs(store: str, folder: Path) -> Report:
    """Let each sync of each call fail once."""
    report = Report({"refusals": 0, "acknowledged": 0, "false acknowledgements": 0})
    for call in CALLS:
        every_refusal(store, folder, call, lambda at: shim.Failing(at, errno.EIO, shim.SYNCS), report)
    report.add("false acknowledgements", report["acknowledged"])
    return report


def test_a_failed_sync_fails_the_call(tmp_path: Path) -> None:
    """D8: a sync that fails once fails its call for good, even if the next would succeed."""
    report = failed_syncs("rawko", tmp_path).show("D8")
    assert report["refusals"] > len(CALLS)
    assert report.bad(*_NEVER) == {}, report.examples


def test_a_failed_sync_is_noticed(tmp_path: Path) -> None:
    """D8, red: a store that tries the sync again acknowledges what may be gone."""
    assert failed_syncs("retries-sync", tmp_path).show("D8", "retries-sync")["false acknowledgements"] > 0
