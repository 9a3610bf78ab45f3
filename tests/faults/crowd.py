"""One writer of a crowd, in a process of its own, and what a test needs to lead a crowd and to read meanwhile.

    python crowd.py many STORE PROJECT SEED PREFIX COUNT   `ready`, and after `go` COUNT writes to shared titles
    python crowd.py obey STORE PROJECT                     `ready`, and then for each line [CALL, TITLE, IDENT, AT] that
                                                           call, which waits for another line at its step AT

Lines printed are those of writer.py: `ack ID` after a call has returned, `failed ID ERROR` when it raised.
"""

from __future__ import annotations

import contextlib
import json
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import bad
import oracle
import shim
from process import Report, Writer
from rawko.values.errors import RawkoError
from writer import remember, say, seen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from rawko.library import Library

TITLES = ("How we deploy", "Payments are in cents", "Tests need Redis")


def write_one(library: Library, call: str, title: str, ident: str) -> None:
    """Make one call with the text of an id."""
    if call == "remember":
        remember(library, title, ident)
    else:
        getattr(library, call)(title, oracle.text(ident))


def _tell(library: Library, call: str, title: str, ident: str) -> None:
    """Make one call and say how it ended."""
    try:
        write_one(library, call, title, ident)
    except (RawkoError, OSError) as error:
        say(f"failed {ident} {' '.join(repr(error).split())}")
    else:
        say(f"ack {ident}")


def many(store: str, project: str, seed: str, prefix: str, count: str) -> None:
    """Create and update the shared titles, as many times as told."""
    chance = random.Random(f"{seed} {prefix}")
    with bad.library(store, project) as library:
        say("ready")
        sys.stdin.readline()
        for number in range(int(count)):
            title = chance.choice(TITLES)
            call = chance.choice(["remember", "update", "correct"]) if number >= len(TITLES) else "remember"
            _tell(library, call, title if number >= len(TITLES) else TITLES[number], f"{prefix}-{number}")


def obey(store: str, project: str) -> None:
    """Do what each line says, until there is none any more."""
    with bad.library(store, project) as library:
        say("ready")
        while line := sys.stdin.readline():
            *call, at = json.loads(line)
            with shim.installed(shim.Pausing(at)):
                _tell(library, *call)


def order(writer: Writer, call: str, title: str, ident: str, at: int = 0) -> None:
    """Tell a writer that obeys what to do; it answers with one line, and before that with one at step `at`."""
    assert writer.process.stdin
    writer.process.stdin.write(json.dumps([call, title, ident, at]) + "\n")
    writer.process.stdin.flush()


@contextlib.contextmanager
def crowd(*commands: Sequence[object]) -> Iterator[list[Writer]]:
    """Writers that are all ready, and are gone afterwards."""
    with contextlib.ExitStack() as stack:
        writers = [stack.enter_context(Writer(*command, script="crowd.py")) for command in commands]
        for writer in writers:
            writer.wait_for("ready")
        yield writers


class Reader:
    """Reads everything again and again, and counts what it should have got and did not."""

    def __init__(self, store: str, project: Path, writers: Sequence[Writer], titles: Sequence[str] = ()) -> None:
        self.report = Report()
        self._library = bad.library(store, str(project))
        self._writers = writers
        self._titles = titles
        self._known: set[str] = set()

    def read(self) -> None:
        """Read all, then some by title; what was acknowledged or seen before must be there, whole."""
        promised = self._known.union(*(tuple(writer.acknowledged) for writer in self._writers))
        found = seen(self._library)
        self._known.update(found["whole"])
        self.report.add("reads", 1)
        self.report.add("texts read", len(found["whole"]))
        self.report.add("torn", found["torn"])
        self.report.add("missing", promised - set(found["whole"]))
        for title in self._titles:
            self._read_one(title)

    def close(self) -> None:
        """Let go of the library."""
        self._library.close()

    def _read_one(self, title: str) -> None:
        self.report.add("reads", 1)
        try:
            statements = self._library.get(title).statements
        except RawkoError as error:
            self.report.add("torn", 1, example=repr(error))
            return
        self.report.add("torn", [part.content[:60] for part in statements if len(oracle.whole(part.content)) != 1])


def read_while(writers: Sequence[Writer], readers: Sequence[Reader], is_enough: Callable[[], bool]) -> None:
    """Let all of them loose at once; until the writers are done, or until it is enough and they are killed."""

    def read_on(reader: Reader) -> None:
        while not all(writer.done() for writer in writing) and not is_enough():
            reader.read()

    with ThreadPoolExecutor(len(writers) + len(readers)) as pool:
        for writer in writers:
            writer.go()
        writing = [pool.submit(writer.finish) for writer in writers]
        reading = [pool.submit(read_on, reader) for reader in readers]
        try:
            for reader in reading:
                reader.result()
        finally:
            if is_enough():
                for writer in writers:
                    writer.process.kill()
        for end in writing:
            end.result()


if __name__ == "__main__":
    {"many": many, "obey": obey}[sys.argv[1]](*sys.argv[2:])
