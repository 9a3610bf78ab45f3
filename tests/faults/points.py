"""Stops a call at each of its points in turn: with strace, at every system call that touches a file.

strace counts from the moment it attaches, and it attaches to a writer that has loaded everything and waits. So
point 1 is the call's own first system call.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import bad
import oracle
from process import PATIENCE, Report, Writer
from rawko.values.errors import RawkoError
from writer import BEFORE, TITLE, added, remember, removed, seen

if TYPE_CHECKING:
    from pathlib import Path

_TRACED = "trace=%file,%desc,flock"
_NAME = re.compile(r"^(?:\d+ +)?(\w+)\(", re.MULTILINE)
_NOT_FILES = {"read", "select", "poll", "ppoll", "pselect6", "fcntl", "ioctl", "exit_group", "restart_syscall"}
NEW = "new"


def missing_tool() -> str:
    """Why points cannot be traced here, or nothing."""
    return "" if shutil.which("strace") else "NOT RUN: strace is not installed"


def traced_calls(store: str, call: str, project: Path) -> Counter[str]:
    """How often a call makes which system call on files."""
    log = project / "trace"
    writer = _run(store, call, project, f"-o{log}", "-e", _TRACED)
    assert writer.acknowledged == [NEW]
    return Counter(name for name in _NAME.findall(log.read_text()) if name not in _NOT_FILES)


def _run(store: str, call: str, project: Path, *options: str) -> Writer:
    """One call under strace, from its first system call to its end."""
    with Writer("call", store, project, call, NEW) as writer:
        writer.wait_for("ready")
        command = ["strace", "-f", "-p", str(writer.process.pid), *options]
        strace = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert strace.stderr
        line = strace.stderr.readline()
        assert "attached" in line, line
        writer.go()
        writer.finish()
        strace.communicate(timeout=PATIENCE)
    return writer


def every_point(store: str, call: str, folder: Path, inject: str) -> Report:
    """Inject something at every system call on files that a public call makes, each time into a new project."""
    report = Report({"points": 0, "lost": 0, "torn": 0})
    first = folder / call
    first.mkdir()
    points = [(name, at) for name, count in traced_calls(store, call, first).items() for at in range(1, count + 1)]

    def stop_at(point: tuple[str, int]) -> tuple[tuple[str, int], Path, Writer]:
        project = folder / f"{call}-{point[0]}-{point[1]}"
        project.mkdir()
        injection = f"inject={point[0]}:{inject}:when={point[1]}"
        return point, project, _run(store, call, project, "-o/dev/null", "-e", f"trace={point[0]}", "-e", injection)

    with ThreadPoolExecutor(3) as pool:
        for point, project, writer in pool.map(stop_at, points):
            report.add("points", 1)
            report.add("acknowledged", len(writer.acknowledged))
            check(report, store, call, project, f"{call} {point}", acknowledged=bool(writer.acknowledged))
            shutil.rmtree(project)
    return report


def every_step(store: str, call: str, folder: Path) -> Report:
    """Kill a writer before every call on files that the store makes; without strace, so without the catalogue's own."""
    report = Report({"points": 0, "lost": 0, "torn": 0})
    place = folder / call
    place.mkdir()
    with Writer("dying", store, place, call) as writer:
        writer.finish()
    assert writer.acknowledged, "the call never got to its end"
    for project in place.iterdir():
        report.add("points", 1)
        acknowledged = project.name in writer.acknowledged
        check(report, store, call, project, f"{call} at step {project.name}", acknowledged=acknowledged)
    return report


def check(report: Report, store: str, call: str, project: Path, where: str, *, acknowledged: bool) -> None:
    """A reader gets the state before the call or after it; then a writer works, and leaves nothing torn."""
    before, after = set(BEFORE), {*BEFORE, *added(call, NEW)} - removed(call)
    found = _reader_and_writer(report, store, project, where)
    report.add("lost", (after if acknowledged else before & after) - found, example=where)
    report.add("in between", found not in (before, after), example=f"{where}: {sorted(found)}")
    view = oracle.look(project)
    report.add("torn", view.torn, example=f"{where}: {view.torn}")
    report.add("twice", view.twice if call != "forget" else 0, example=f"{where}: {view.twice}")
    report.add("temporary files left", view.leftovers, example=where)


def _reader_and_writer(report: Report, store: str, project: Path, where: str) -> set[str]:
    """What a new reader finds; whatever it or a new writer trips over is counted."""
    try:
        with bad.library(store, str(project)) as library:
            found = seen(library)
            report.add("torn", found["torn"], example=f"{where}: {found['torn']}")
            for title in (TITLE, f"Title {NEW}", "Later"):
                remember(library, title, f"later-{title.split()[0]}")
            return set(found["whole"])
    except RawkoError as error:
        report.add("stuck", 1, example=f"{where}: {error}")
        return set()
