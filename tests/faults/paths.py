"""Gives names that would lead out of a library to everything that takes a text, in a process of its own.

    python paths.py KIND STORE PROJECT STRINGS    every call (api), every command (cli), or `remember` alone (title)

STRINGS is JSON. Prints, as JSON, how many calls were refused, were done, or ended otherwise, and what Python itself
opened or changed outside.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner

import bad
import rawko
import traced
from racer import SECRET
from rawko.clients.cli.app import commands
from rawko.values.errors import RawkoError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rawko.library import Library

    Call = Callable[[Library, str, str], object]

_EVENTS = ("open", "os.", "shutil.", "sqlite3.connect", "glob.", "tempfile.", "subprocess.", "socket.")
_OURS = (
    ".gitignore", ".md", ".jsonl", "memories.lock", "memories.log", "memories.sqlite", "memories.sqlite-journal",
    "index.lock", "index.seal", "index.sqlite", "index.sqlite-journal", "parsed.json",
)  # fmt: skip
READ = ("config.yaml", "agents")
WRITTEN = ("memories", ".cache", "receipts")
"""What a call may read in a library, and where it may write."""
KNOWN = "Known"
_FIRST = "warm.*[up]"  # as a pattern, it is one for which a library is loaded late

CALLS: dict[str, Call] = {
    "get": lambda library, _, text: library.get(text),
    "get as of": lambda library, known, text: library.get(known, as_of=text),
    "log": lambda library, _, text: library.log(text),
    "log since": lambda library, known, text: library.log(known, since=text),
    "validate": lambda library, _, text: library.validate(text),
    "resolve": lambda library, _, text: library.resolve(text),
    "update": lambda library, _, text: library.update(text, "More."),
    "correct": lambda library, _, text: library.correct(text, "Rather this."),
    "deprecate": lambda library, _, text: library.deprecate(text, "No more."),
    "restore": lambda library, _, text: library.restore(text, "Again."),
    "supersede": lambda library, known, text: library.supersede(text, by=known),
    "supersede by": lambda library, known, text: library.supersede(known, by=text),
    "forget": lambda library, _, text: library.forget(text, purge=True),
    "forget text": lambda library, known, text: library.forget(known, purge=True, text=text),
    "title": lambda library, _, text: library.remember(text, "Something.", ["test"]),
    "content": lambda library, known, text: library.remember(f"{known} content", text, ["test"]),
    "pattern": lambda library, known, text: library.remember(f"{known} pattern", "Something.", [text]),
    "tag": lambda library, known, text: library.remember(f"{known} tag", "Something.", ["test"], tags=[text]),
    "agent": lambda library, known, text: library.remember(f"{known} agent", "Something.", ["test"], agent=text),
    "task": lambda library, known, text: library.remember(f"{known} task", "Something.", ["test"], task=text),
    "source": lambda library, known, text: library.remember(f"{known} source", "Something.", ["test"], source=text),
    "related": lambda library, known, text: library.remember(f"{known} near", "Something.", ["test"], related=[text]),
    "draft": lambda library, known, text: library.append_many([rawko.Draft(text, known, ("test",), agent=text)]),
    "update fields": lambda library, known, text: library.update(known, text, text, text, [text], [text]),
    "correct fields": lambda library, known, text: library.correct(known, text, text, text),
    "deprecate fields": lambda library, known, text: library.deprecate(known, text, text),
    "restore fields": lambda library, known, text: library.restore(known, text, text),
    "forget fields": lambda library, known, text: library.forget(known, purge=True, reason=text, agent=text),
    "inject": lambda library, _, text: library.inject(text),
    "inject around": lambda library, known, text: library.inject(known, plan=text, history=text),
    "inject for": lambda library, known, text: library.inject(known, agent=text),
    "inject without": lambda library, known, text: library.inject(known, without=[text]),
    "inject as of": lambda library, known, text: library.inject(known, as_of=text),
    "search": lambda library, _, text: library.search(text),
    "search among": lambda library, known, text: library.search(known, tag=text, agent=text),
    "search since": lambda library, known, text: library.search(known, since=text),
    "replay": lambda library, _, text: library.replay(text),
    "receipt": lambda library, _, text: library.recall.receipts.get(text),
    "get again": lambda library, _, text: library.get(text),
    "log again": lambda library, _, text: library.log(text),
    "update again": lambda library, _, text: library.update(text, "More."),
    "forget again": lambda library, _, text: library.forget(text, purge=True),
}
_NEW = ("remember", "--when-to-use=test", "--content=Something.")
COMMANDS: dict[str, Callable[[str, str], tuple[str, ...]]] = {
    "show": lambda _, text: ("show", "--", text),
    "show as of": lambda known, text: ("show", f"--as-of={text}", known),
    "log": lambda _, text: ("log", "--", text),
    "log since": lambda _, text: ("log", f"--since={text}"),
    "validate": lambda _, text: ("validate", "--", text),
    "list": lambda _, text: ("list", f"--tag={text}", f"--agent={text}"),
    "update": lambda _, text: ("update", "--content=More.", "--", text),
    "correct": lambda _, text: ("correct", "--content=Rather this.", "--", text),
    "deprecate": lambda _, text: ("deprecate", "--reason=No more.", "--", text),
    "restore": lambda _, text: ("restore", "--reason=Again.", "--", text),
    "supersede": lambda known, text: ("supersede", f"--by={known}", "--", text),
    "supersede by": lambda known, text: ("supersede", f"--by={text}", known),
    "forget": lambda _, text: ("forget", "--purge", "--yes", "--", text),
    "forget text": lambda known, text: ("forget", "--purge", "--yes", f"--text={text}", known),
    "title": lambda _, text: (*_NEW, f"--title={text}"),
    "fields": lambda known, text: (
        *_NEW, f"--title={known} fields", f"--agent={text}", f"--task={text}", f"--source={text}",
        f"--related={text}", f"--tag={text}", f"--when-to-use={text}",
    ),
    "inject": lambda _, text: ("inject", "--", text),
    "inject around": lambda known, text: ("inject", f"--plan={text}", f"--history={text}", "--explain", known),
    "inject for": lambda known, text: ("inject", f"--agent={text}", "--json", known),
    "inject without": lambda known, text: ("inject", f"--without={text}", known),
    "inject as of": lambda known, text: ("inject", f"--as-of={text}", known),
    "search": lambda _, text: ("search", "--", text),
    "search among": lambda known, text: ("search", f"--tag={text}", f"--agent={text}", known),
    "search since": lambda known, text: ("search", f"--since={text}", f"--until={text}", known),
    "why": lambda _, text: ("why", "--", text),
    "why receipt": lambda _, text: ("why", f"--receipt={text}"),
    "replay": lambda _, text: ("replay", "--", text),
    "explain pattern": lambda _, text: ("explain-pattern", f"--task={text}", f"--agent={text}", "--", text),
    "show again": lambda _, text: ("show", "--", text),
}  # fmt: skip


class Watch:
    """Hears of everything that Python does with a path, and notes what leads away."""

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root)
        inside = [os.path.join(self._root, name) for name in (*READ, *WRITTEN)]
        self._allowed = (*inside, os.path.realpath(os.environ["RAWKO_HOME"]), sys.prefix, sys.base_prefix)
        self.is_on = False
        self.away: set[str] = set()
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_on or not event.startswith(_EVENTS):
            return
        names = arguments[: 2 if event in {"os.rename", "os.link", "os.symlink"} else 1]
        paths = [os.fsdecode(name) for name in names if isinstance(name, str | bytes)]
        self.away.update(f"{event} {path!r}" for path in paths if self._leads_away(event, path))

    def _leads_away(self, event: str, path: str) -> bool:
        """A path that is not absolute is taken to be relative to an open folder: then it must be one plain name."""
        if not event.startswith(("open", "os.", "sqlite3.")):
            return True
        if os.path.isabs(path):
            path = os.path.normpath(path)
            return path != self._root and not path.startswith(self._allowed) and not path.endswith((".py", ".pyc"))
        return "/" in path or path in {"", ".", ".."}


def run(kind: str, store: str, project: str, strings: list[str]) -> dict[str, Any]:
    """Make every call with every string, in an empty library each; the first round only loads what is loaded late."""
    ended: dict[str, Any] = {"calls": 0, "refused": 0, "kept": 0, "otherwise": [], "shown": 0}
    watch = Watch(os.path.join(project, ".rawko"))
    for number, text in enumerate([_FIRST, *strings]):
        if number == 1:
            traced.begin()
            watch.is_on = True
        with bad.library(store, project) as library:
            library.remember(KNOWN, "Something.", ["test"])
            for name, call in KINDS[kind].items():
                _note(ended, f"{name} {text!r}", partial(call, library, KNOWN, text))
        watch.away.update(_emptied(os.path.join(project, ".rawko")))
    watch.is_on = False
    return {**ended, "away": sorted(watch.away)}


def _emptied(root: str) -> list[str]:
    """Remove all memories and what was derived from them; returns what was there and is no memory."""
    odd = []
    for folder in WRITTEN:
        with contextlib.suppress(FileNotFoundError), os.scandir(os.path.join(root, folder)) as entries:
            for entry in entries:
                odd += [entry.path] if entry.is_dir() or not entry.name.endswith(_OURS) else []
                os.unlink(entry.path)
    return odd


def _note(ended: dict[str, Any], where: str, call: Callable[[], object]) -> None:
    ended["calls"] += 1
    try:
        found = repr(call())
        ended["kept"] += 1
    except RawkoError as error:
        found = repr(error)
        ended["refused"] += 1
    except Exception as error:  # noqa: BLE001 - whatever comes out is what is counted
        found = repr(error)
        ended["otherwise"].append(f"{where}: {found}")
    ended["shown"] += SECRET in found


def _as_call(command: Callable[[str, str], tuple[str, ...]]) -> Call:
    """A command as a call: one that fails as it should is a refusal."""

    def call(library: Library, known: str, text: str) -> str:
        name, *arguments = command(known, text)
        line = [name, f"--library={library.folder}", *arguments]
        result = CliRunner().invoke(commands, line, prog_name="rawko")
        if isinstance(result.exception, SystemExit) and result.exit_code in {1, 2}:
            raise RawkoError(result.output)
        if result.exception:
            raise result.exception
        return result.output

    return call


KINDS: dict[str, dict[str, Call]] = {
    "api": CALLS,
    "cli": {name: _as_call(command) for name, command in COMMANDS.items()},
    "title": {"title": CALLS["title"]},
}

if __name__ == "__main__":
    logging.disable()
    *what, texts = sys.argv[1:]
    print(json.dumps(run(*what, json.loads(texts))))
