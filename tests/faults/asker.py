"""Asks a library in a process of its own, again and again, and tells what was wrong with the answers.

    python asker.py ask    PROJECT EXPECTED   ask until there is a file `stop`; compare with the answers in a JSON file
    python asker.py build  PROJECT            throw the index away and build it, until killed
    python asker.py change PROJECT            update memories and bring the index up to it, until killed
    python asker.py inject PROJECT COUNT      inject, and see that every selection is of one piece
    python asker.py write  PROJECT COUNT      remember and update

Each prints `ready` when it begins, and at its end how often it did what it does.
"""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from rawko.recall import search
from rawko.recall.documents import of_file
from rawko.store.memories import FileStore
from rawko.testing import ExhaustiveIndex, FixedClock
from rawko.values.settings import Settings
from rawko.values.task import Task
from recalled import on_disk, picked

if TYPE_CHECKING:
    from collections.abc import Callable

    from rawko.library import Library

TASKS = [
    "Rotate the certificate of gateway number 7",
    "Why does the login page of tenant 3 time out?",
    "修改数据库的结构 5",
    "Something about compost that nobody knows",
]
QUERIES = ["gateway certificate", "tenant 11 login", "数据库", "compost"]


def answers(library: Library) -> list[Any]:
    """What a library answers to everything that is asked here."""
    chosen = [[[one.file, one.score, one.match.matched] for one in library.inject(task).memories] for task in TASKS]
    return chosen + [[[one.id, one.score] for one in library.search(query, limit=500)] for query in QUERIES]


def truth(project: Path) -> list[Any]:
    """What the files alone answer: by way of an index that leaves nothing out."""
    store = FileStore(str(project / ".rawko"), settings=Settings(durability="off"))
    index = ExhaustiveIndex()
    now = FixedClock().now.timestamp()
    chosen = [picked(store, index, Task(task), now=now).selection.memories for task in TASKS]
    index.refresh(store.news, partial(of_file, store))
    found = [search.search(index, query) for query in QUERIES]
    return [[[one.file, one.score, one.match.matched] for one in some] for some in chosen] + [
        [[one.document.name, round(one.score, 4)] for one in some] for some in found
    ]


def say(line: str) -> None:
    """Tell the parent."""
    print(line, flush=True)


def ask(project: Path, expected: str) -> None:
    """Ask until told to stop, with a library that stays open."""
    right = json.loads(Path(expected).read_text())
    rounds = 0
    with on_disk(project) as library:
        say("ready")
        while not (project / "stop").exists():
            rounds += 1
            try:
                if answers(library) != right:
                    say("wrong")
            except Exception as error:  # noqa: BLE001 - whatever comes out is what is counted
                say(f"raised {error!r}")
    say(f"rounds {rounds}")


def build(project: Path) -> None:
    """Build the index from nothing, until killed."""
    with on_disk(project) as library:
        say("ready")
        while True:
            library.recall.rebuild()


def change(project: Path) -> None:
    """Update memories, and bring the index up to that, until killed."""
    with on_disk(project) as library:
        library.recall.refresh()
        say("ready")
        for number in range(10**9):
            library.update(f"memory-{number % 20}.md", f"Still so, {os.getpid()} {number}.")
            library.recall.refresh()


def inject(project: Path, count: str) -> None:
    """Inject while others write: each block has the chosen memories in order, and comes out the same again."""
    with on_disk(project) as library:
        say("ready")
        for number in range(int(count)):
            try:
                selection = library.inject(TASKS[number % 3])
                headings = [line[4:] for line in str(selection).splitlines() if line.startswith("### ")]
                if [title for title in headings if title in _titles(selection)] != _titles(selection):
                    say(f"wrong {headings}")
                elif library.replay(selection.receipt) != str(selection):
                    say("wrong replay")
            except Exception as error:  # noqa: BLE001 - the same
                say(f"raised {error!r}")
    say(f"rounds {count}")


def _titles(selection: Any) -> list[str]:
    return [one.memory.title for one in selection.memories]


def write(project: Path, count: str) -> None:
    """Remember and update."""
    with on_disk(project) as library:
        say("ready")
        for number in range(int(count)):
            try:
                library.remember(f"New {os.getpid()} {number % 20}", f"The gateway certificate {number}.", ["gateway"])
                library.correct(f"memory-{number % 20}.md", f"The certificate of {number}.")
            except Exception as error:  # noqa: BLE001 - the same
                say(f"raised {error!r}")
    say(f"rounds {count}")


MODES: dict[str, Callable[..., None]] = {"ask": ask, "build": build, "change": change, "inject": inject, "write": write}

if __name__ == "__main__":
    MODES[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
