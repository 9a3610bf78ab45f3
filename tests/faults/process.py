"""Starts the writers and listens to them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType

HERE = Path(__file__).parent
SEED = int(os.environ.get("RAWKO_FAULT_SEED", "20260123"))
PATIENCE = 120
FIGURES: list[dict[str, Any]] = []
"""What every report of this run showed, in order."""


@dataclass
class Report:
    """What a fault did, as counts by name; `examples` is for the person who reads a failure."""

    counts: dict[str, int] = field(default_factory=dict)
    examples: list[str] = field(default_factory=list)

    def add(self, name: str, found: Any, *, example: object = "") -> None:
        """Count some more under a name."""
        number = found if isinstance(found, int) else len(found)
        self.counts[name] = self.counts.get(name, 0) + number
        if number and len(self.examples) < 10 and (example or not isinstance(found, int)):
            self.examples.append(f"{name}: {example or found}")

    def __getitem__(self, name: str) -> int:
        return self.counts.get(name, 0)

    def bad(self, *names: str) -> dict[str, int]:
        """The counts of these names that are not zero, and examples if there are any."""
        return {name: self[name] for name in names if self[name]}

    def show(self, case: str, store: str = "rawko") -> Self:
        """Print the figures on one line, with the seed."""
        FIGURES.append({"case": case, "store": store, "counts": dict(self.counts)})
        figures = " ".join(f"{name}={count}" for name, count in self.counts.items())
        print(f"\n{case} | {store} | {figures} | seed={SEED}")
        return self


class Writer:
    """A writer process, its lines, and what it acknowledged."""

    def __init__(self, *arguments: object, script: str = "writer.py", before: tuple[str, ...] = ()) -> None:
        command = [*before, sys.executable, str(HERE / script), *map(str, arguments)]
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed by __exit__
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self._errors, text=True, bufsize=1)
        self.acknowledged: list[str] = []
        self.seen: dict[str, list[str]] = {"whole": [], "torn": []}
        self.others: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._errors.close()

    def wait_for(self, line: str) -> Self:
        """Read until the writer says so. Raises EOFError when it never does."""
        assert self.process.stdout
        for found in self.process.stdout:
            if found.rstrip("\n") == line:
                return self
            self._take(found)
        raise EOFError(f"the writer ended without saying {line!r}: {self._last_words()}")

    def take_one(self) -> None:
        """Take in the next line."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise EOFError(f"the writer ended too soon: {self._last_words()}")
        self._take(line)

    def go(self) -> None:
        """Let it go on."""
        assert self.process.stdin
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def stop(self) -> None:
        """Let it say nothing more; what it has asked of the system goes on."""
        self.process.send_signal(signal.SIGSTOP)

    def kill(self) -> Self:
        """Kill it, if it is still there, and take in what it said."""
        self.process.kill()
        return self.finish()

    def finish(self) -> Self:
        """Wait for its end and take in what it said."""
        assert self.process.stdout
        assert self.process.stdin
        if not self.process.stdout.closed:
            for line in self.process.stdout:
                self._take(line)
            self.process.stdout.close()
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
        self.process.wait(PATIENCE)
        return self

    def _last_words(self) -> str:
        self._errors.seek(0)
        return self._errors.read()[-2000:]

    def _take(self, line: str) -> None:
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "ack":
            self.acknowledged.append(rest)
        elif word == "seen":
            self.seen = json.loads(rest)
        else:
            self.others.append(line.rstrip("\n"))
