"""A writer in a process of its own: it prints an id only after the call for it has returned.

    python writer.py mix   STORE PROJECT SEED PREFIX [slow]   read all, write one, `ready`, and after `go` write on
    python writer.py call  STORE PROJECT CALL IDENT           prepare, `ready`, and after `go` make one public call
    python writer.py first STORE PROJECT                      make a library and its first memory, `ready`
    python writer.py dying STORE FOLDER CALL                  one child for each point of a call, killed there
    python writer.py hang  STORE PROJECT TITLE [AT]           take the lock, and hang at sync number AT of a write

Lines printed: `ack ID`, `failed ID ERROR`, `seen {json}`, `ready`, `done`.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import sys
from typing import TYPE_CHECKING

import bad
import oracle
import rawko
import shim

if TYPE_CHECKING:
    from collections.abc import Callable

    from rawko.library import Library

BEFORE = ("before-first", "before-second", "other-first")
TITLE = "Before"
OTHER = "Other"
_SIZES = (200, 200, 200, 3_000, 40_000)


def say(line: str) -> None:
    """Print one line, at once and in one piece."""
    os.write(1, f"{line}\n".encode())


def remember(library: Library, title: str, ident: str, size: int = 200) -> object:
    """Keep the text of an id under a title."""
    return library.remember(title, oracle.text(ident, size), when_to_use=["test"], tags=["fault"])


def _mixed(library: Library, chance: random.Random, titles: list[str], ident: str) -> None:
    """One call of the mix that agents make."""
    size = chance.choice(_SIZES)
    text = oracle.text(ident, size)
    kind = chance.choice(["create", "update", "update", "same-title", "correct", "deprecate", "restore"])
    title = chance.choice(titles[-4:]) if titles else ""
    if kind == "create" or not title:
        titles.append(f"Title {ident}")
        remember(library, titles[-1], ident, size)
    elif kind == "same-title":
        remember(library, title, ident, size)
    else:
        getattr(library, kind)(title, text)


def seen(library: Library) -> dict[str, list[str]]:
    """What a reader gets: the ids that are whole in it, and whatever it could not read."""
    found: dict[str, list[str]] = {"whole": [], "torn": [str(problem) for problem in library.problems()]}
    for memory in library.memories():
        for statement in memory.statements:
            idents = oracle.whole(statement.content)
            found["whole"] += idents
            if len(idents) != 1:
                found["torn"].append(f"{memory.file}: {statement.content[:60]!r}")
    return found


def mix(store: str, project: str, seed: str, prefix: str, slow: str = "") -> None:
    """Start as after a crash: read all, write one. Then write whatever comes until somebody kills us."""
    chance = random.Random(f"{seed} {prefix}")
    with bad.library(store, project, create=True) as library:
        say("seen " + json.dumps(seen(library)))
        titles: list[str] = []
        remember(library, f"Start {prefix}", f"{prefix}-start")
        say(f"ack {prefix}-start")
        say("ready")
        sys.stdin.readline()
        with shim.installed(shim.Slow()) if slow else contextlib.nullcontext():
            for number in itertools.count():
                _mixed(library, chance, titles, f"{prefix}-{number}")
                say(f"ack {prefix}-{number}")


def prepare(library: Library) -> None:
    """Two memories, one of them with an update, written as every call finds them."""
    remember(library, TITLE, BEFORE[0])
    library.update(TITLE, oracle.text(BEFORE[1]))
    remember(library, OTHER, BEFORE[2])


def _many(library: Library, ident: str) -> None:
    titles = ["New one", TITLE, "New two", "New one"]
    drafts = [rawko.Draft(title, oracle.text(f"{ident}-{number}"), ("test",)) for number, title in enumerate(titles)]
    library.append_many(drafts)


CALLS: dict[str, Callable[[Library, str], object]] = {
    "remember": lambda library, ident: remember(library, f"Title {ident}", ident),
    "same-title": lambda library, ident: remember(library, TITLE, ident),
    "update": lambda library, ident: library.update(TITLE, oracle.text(ident)),
    "correct": lambda library, ident: library.correct(TITLE, oracle.text(ident)),
    "deprecate": lambda library, ident: library.deprecate(TITLE, oracle.text(ident)),
    "supersede": lambda library, ident: library.supersede(TITLE, by=OTHER, reason=oracle.text(ident)),
    "restore": lambda library, ident: library.restore(TITLE, oracle.text(ident)),
    "append_many": _many,
    "forget": lambda library, ident: library.forget(OTHER, purge=True, reason=oracle.text(ident)),
}


def added(call: str, ident: str) -> set[str]:
    """The ids that a call brings."""
    return {f"{ident}-{number}" for number in range(4)} if call == "append_many" else {ident}


def removed(call: str) -> set[str]:
    """The ids that a call takes away: only `forget` takes any."""
    return {BEFORE[2]} if call == "forget" else set()


def call(store: str, project: str, name: str, ident: str) -> None:
    """Make one public call, when told to."""
    with bad.library(store, project, create=True) as library:
        prepare(library)
        seen(library)  # everything that is loaded late is loaded now
        say("ready")
        sys.stdin.readline()
        CALLS[name](library, ident)
        say(f"ack {ident}")


def first(store: str, project: str) -> None:
    """Make a library and its first memory."""
    with bad.library(store, project, create=True) as library:
        remember(library, "First", "first")
        say("ready")
        sys.stdin.readline()


def dying(store: str, folder: str, name: str) -> None:
    """For every point of a call, a child that is killed there; ends with the point at which it survives."""
    for point in itertools.count(1):
        project = os.path.join(folder, str(point))
        os.mkdir(project)
        with bad.library(store, project, create=True) as library:
            prepare(library)
        child = os.fork()
        if child == 0:
            with bad.library(store, project) as library, shim.installed(shim.Dying(point)):
                CALLS[name](library, "new")
            os._exit(0)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
            say(f"ack {point}")
            return


def hang(store: str, project: str, title: str, at: str = "1") -> None:
    """Begin an update and stay in the middle of it."""
    with bad.library(store, project) as library, shim.installed(shim.Hanging(int(at))):
        library.update(title, oracle.text("never", 20_000))


if __name__ == "__main__":
    {"mix": mix, "call": call, "first": first, "dying": dying, "hang": hang}[sys.argv[1]](*sys.argv[2:])
