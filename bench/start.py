"""What it costs to start: `import rawko` against `import tinydb`, less what a bare Python costs anyway.

    python -m bench.start

A hook starts a new process at every prompt, so the import is paid again and again. Each contender is a process of
its own; they take turns, and the CPU time of each is what the system counted for it. All of them find their modules
compiled, whatever the environment says: an installed package is compiled as well.
"""

from __future__ import annotations

import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import bench

if TYPE_CHECKING:
    from collections.abc import Sequence

_BARE = "pass"
_IMPORT = "import rawko"
_OPEN = "import rawko; rawko.open"
_TINYDB = "import tinydb"
_PROGRAMS = (_BARE, _IMPORT, _OPEN, _TINYDB)
_LIMIT = 3.0
_IMPORT_TIME = re.compile(r"^import time: +(\d+) \|", re.MULTILINE)


def measure(rounds: int) -> bench.Report:
    """Let the programs take turns, and compare what they cost beyond a bare start."""
    cpu: dict[str, list[float]] = {program: [] for program in _PROGRAMS}
    modules: dict[str, list[float]] = {program: [] for program in _PROGRAMS}
    with tempfile.TemporaryDirectory(prefix="rawko-bench-") as compiled:
        variables = _variables(compiled)
        for program in _PROGRAMS:
            _cpu_of(program, variables)  # whatever has to be compiled is compiled now
        for number in range(rounds):
            for program in _PROGRAMS[:: 1 if number % 2 else -1]:
                cpu[program].append(_cpu_of(program, variables))
                modules[program].append(_import_time_of(program, variables))
    return _report(cpu, modules, rounds)


def _variables(compiled: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "PYTHONPYCACHEPREFIX": compiled}


def _cpu_of(program: str, variables: dict[str, str]) -> float:
    """The user and system time of one process that runs the program, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], check=True, env=variables)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def _import_time_of(program: str, variables: dict[str, str]) -> float:
    """What `-X importtime` adds up to over every module that the program imports, in seconds."""
    command = [sys.executable, "-X", "importtime", "-c", program]
    found = subprocess.run(command, check=True, capture_output=True, text=True, env=variables)
    return sum(map(int, _IMPORT_TIME.findall(found.stderr))) / 1e6


def _report(cpu: dict[str, list[float]], modules: dict[str, list[float]], rounds: int) -> bench.Report:
    rows = [
        (f"`{program}`", _shown(cpu[program]), _above(cpu, program), _shown(modules[program]), _above(modules, program))
        for program in _PROGRAMS
    ]
    bars = [
        bench.Bar(f"`{_IMPORT}`, CPU", _beyond(cpu, _IMPORT), _LIMIT),
        bench.Bar(f"`{_IMPORT}`, -X importtime", _beyond(modules, _IMPORT), _LIMIT),
        bench.Bar(f"`{_OPEN}`, CPU", _beyond(cpu, _OPEN), _LIMIT),
    ]
    headers = ("program", "CPU ms", "x tinydb", "-X importtime ms", "x tinydb")
    return bench.Report("start", headers, rows, bars, {"rounds": rounds})


def _beyond(samples: dict[str, list[float]], program: str) -> float:
    """What a program costs beyond a bare start, as a multiple of what tinydb does, from the medians."""
    bare, own, other = (statistics.median(samples[name]) for name in (_BARE, program, _TINYDB))
    return (own - bare) / max(other - bare, 1e-6)


def _above(samples: dict[str, list[float]], program: str) -> str:
    return "" if program == _BARE else f"{_beyond(samples, program):.2f}"


def _shown(samples: list[float]) -> str:
    return f"{statistics.median(samples) * 1000:.2f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run it from the command line."""
    options = bench.parser("What it costs to start.")
    options.add_argument("--rounds", type=int, default=60, help="how often the programs take turns")
    chosen = options.parse_args(arguments)
    bench.publish(measure(chosen.rounds), chosen)


if __name__ == "__main__":
    main()
