"""Visits a library in a process of its own and tells how every call ended.

    python visitor.py absent STORE PROJECT         as another user; one visit after each `go`, each followed by `ready`
    python visitor.py odd    STORE PROJECT NAMES   call everything on each of these files, and print it as JSON
    python visitor.py many   STORE PROJECT ...     read and write in each of these, the first of which is in order

A call ends in `["ok", what it gave]`, `["typed", the error's class, its message]` or `["untyped", the error]`.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
from typing import TYPE_CHECKING, Any

import bad
import oracle
import traced
from rawko.store.examine import examine
from rawko.store.memories import FileStore
from rawko.values.errors import RawkoError
from writer import remember, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from rawko.library import Library

    Outcome = list[Any]

NOBODY = 65534
TITLE = "Title 3"


def outcome(call: Callable[[], object]) -> Outcome:
    """How a call ends."""
    try:
        return ["ok", call()]
    except RawkoError as error:
        return ["typed", type(error).__name__, str(error)]
    except Exception as error:  # noqa: BLE001 - whatever comes out is what is told
        return ["untyped", repr(error)]


# ------------------------------------------------------------ a library that is not there

READS: dict[str, Callable[[Library], object]] = {
    "memories": lambda library: _idents(memory.content for memory in library.memories()),
    "get": lambda library: _idents([library.get(TITLE).content]),
    "get by file": lambda library: _idents([library.get("title-3.md").content]),
    "resolve": lambda library: library.resolve(TITLE),
    "log": lambda library: _idents(change.update.content for change in library.log()),
    "problems": lambda library: len(library.problems()),
    "validate": lambda library: len([problem for problem in library.validate() if problem.level == "error"]),
    "inject": lambda library: [chosen.file for chosen in library.inject("Run the test").memories],
    "search": lambda library: [found.id for found in library.search("title")],
}
WRITES: dict[str, Callable[[Library], object]] = {
    "remember": lambda library: bool(remember(library, f"New {os.urandom(4).hex()}", f"new-{os.urandom(4).hex()}")),
    "same title": lambda library: bool(remember(library, TITLE, f"same-{os.urandom(4).hex()}")),
    "update": lambda library: bool(library.update(TITLE, oracle.text(f"update-{os.urandom(4).hex()}"))),
    "forget": lambda library: bool(library.forget("spare.md", purge=True, reason=oracle.text("spare"))),
}


def _idents(texts: Any) -> list[str]:
    return sorted(ident for text in texts for ident in oracle.whole(text))


def examined(library: Library) -> dict[str, Any]:
    """What the doctor finds, by file, and how many rows the catalogue has."""
    store = library.store
    if not isinstance(store, FileStore):
        return {"rows": len(store.names().names), "missing": 0, "found": {}}
    found = {problem.file: problem.level for problem in examine(store)}
    rows = store.rows()
    return {"rows": len(rows), "missing": sum(row.missing for row in rows), "found": found}


READS["examine"] = examined


def visit(library: Library, calls: dict[str, Callable[[Library], object]]) -> dict[str, Outcome]:
    """Make all of these calls."""
    return {name: outcome(lambda call=call: call(library)) for name, call in calls.items()}  # type: ignore[misc]


def visit_anew(store: str, project: str, calls: dict[str, Callable[[Library], object]]) -> dict[str, Outcome]:
    """Open the library for these calls; if that is refused, so is each of them."""
    opened = outcome(lambda: bad.library(store, project))
    if opened[0] != "ok":
        return dict.fromkeys(calls, opened)
    with opened[1] as library:
        return visit(library, calls)


def become_nobody(project: str) -> None:
    """Give the library to another user and become that user: root is stopped by no mode."""
    if os.geteuid() != 0:
        return
    for folder, folders, names in os.walk(project):
        for name in (".", *folders, *names):
            os.chown(os.path.join(folder, name), NOBODY, NOBODY)
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def absent(store: str, project: str) -> None:
    """Visit whenever told to: once with a library that was open before, once with a new one."""
    with bad.library(store, project) as library:
        visit(library, READS)
        visit_anew(store, project, READS)  # everything that is loaded late is loaded now
        become_nobody(project)
        say("ready")
        while order := sys.stdin.readline().strip():
            calls = {"go": READS | WRITES, "read": READS}[order]
            seen = {"used": visit(library, calls), "new": visit_anew(store, project, calls)}
            say("seen " + json.dumps(seen))
            say("ready")


# ------------------------------------------------------------ files that are none


def odd(store: str, project: str, names: str) -> None:
    """Everything that can be asked of a file, of each of these."""
    with bad.library(store, project) as library:
        library.validate()
        for call in READS.values():
            outcome(lambda call=call: call(library))  # type: ignore[misc]
        traced.begin()
        found: dict[str, Any] = {"all": visit(library, READS)}
        found["problems"] = [[problem.file, problem.reason, problem.hint] for problem in library.problems()]
        for name in json.loads(names):
            found[name] = _everything(library, name)
    print(json.dumps(found))


def many(store: str, *projects: str) -> None:
    """Visit several libraries, one after the other."""
    visit_anew(store, projects[0], READS)  # everything that is loaded late is loaded now
    traced.begin()
    print(json.dumps({project: visit_anew(store, project, READS | WRITES) for project in projects}))


def _everything(library: Library, name: str) -> dict[str, Outcome]:
    stem = name.removesuffix(".md")
    calls: dict[str, Callable[[], object]] = {
        "get": lambda: library.get(name).content,
        "get by stem": lambda: library.get(stem).content,
        "log": lambda: [change.update.content for change in library.log(name)],
        "update": lambda: library.update(name, oracle.text("update")).content,
        "correct": lambda: library.correct(name, oracle.text("correction")).content,
        "deprecate": lambda: library.deprecate(name, oracle.text("reason")).content,
        "forget": lambda: repr(library.forget(name, purge=True)),
        "validate": lambda: [problem.reason for problem in library.validate(name)],
        "remember": lambda: library.remember(stem, oracle.text(f"beside-{stem}"), ["test"]).file,
    }
    return {call: outcome(function) for call, function in calls.items()}


if __name__ == "__main__":
    logging.disable()
    with contextlib.suppress(BrokenPipeError):
        {"absent": absent, "odd": odd, "many": many}[sys.argv[1]](*sys.argv[2:])
