"""What a fresh process takes from a task to the block for its prompt: a hook starts one at every prompt.

    python -m bench.cold --size 10000

Each contender is a process of its own and they take turns; judged is the CPU time that the system counted for each,
as a multiple of a Python that does nothing. Peers open their store and ask it for the best ten. Everything was filled
and indexed before, and modules are compiled, whatever the environment says.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import bench
from bench import generate, peers, speed
from rawko.recall.embedding import installed

if TYPE_CHECKING:
    from collections.abc import Sequence

    Programs = dict[str, list[str]]

BARE = "python -c pass"
RAWKO = "rawko inject"
SEMANTIC = "rawko inject, semantic"
_EMBEDDED = 1000
"""Memories of the library with vectors: embedding takes a while."""
_LIMIT = 5.0
_ROOT = Path(__file__).parent
_PEER = """
import sys
sys.path.insert(0, {bench!r})
import peers
with peers.opened({name!r}, {folder!r}) as ask:
    print(ask(sys.argv[1]))
"""


def measure(size: int, rounds: int, folder: Path, names: Sequence[str]) -> bench.Report:
    """Let the programs take turns, and compare each with a bare start."""
    programs = _programs(folder, size, names)
    tasks = generate.tasks(rounds, size)
    cpu: dict[str, list[float]] = {name: [] for name in programs}
    with tempfile.TemporaryDirectory(prefix="rawko-bench-") as compiled:
        variables = _variables(compiled)
        for command in programs.values():
            _cpu_of(command, tasks[0], variables)  # whatever has to be compiled is compiled now
        for number, task in enumerate(tasks):
            for name in list(programs)[:: 1 if number % 2 else -1]:
                cpu[name].append(_cpu_of(programs[name], task, variables))
    return _report(cpu, size, rounds)


def _programs(folder: Path, size: int, names: Sequence[str]) -> Programs:
    """The command of each contender; the task is what is added to it."""
    library = speed.library_of(folder, size)
    found: Programs = {BARE: [sys.executable, "-c", "pass"]}
    script = Path(sys.executable).with_name("rawko")  # what a hook calls; `python -m` takes a few milliseconds more
    program = [str(script)] if script.exists() else [sys.executable, "-m", "rawko"]
    inject = [*program, "inject", "--json", "--library"]
    found[RAWKO] = [*inject, str(library)]
    if installed():
        found[SEMANTIC] = [*inject, str(speed.library_of(folder, min(size, _EMBEDDED), semantic=True))]
    for name in names:
        place = speed.peer_of(folder, name, size)
        code = _PEER.format(bench=str(_ROOT), name=name, folder=str(place))
        found[name] = [sys.executable, "-c", code]
    return found


def _variables(compiled: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "RAWKO"))}
    path = os.pathsep.join(filter(None, sys.path))
    return {**kept, "PYTHONPYCACHEPREFIX": compiled, "PYTHONPATH": path, "RAWKO_HOME": os.devnull}


def _cpu_of(command: list[str], task: str, variables: dict[str, str]) -> float:
    """The user and system time of one process, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, task], check=True, capture_output=True, env=variables)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def _report(cpu: dict[str, list[float]], size: int, rounds: int) -> bench.Report:
    rows = [
        (
            name,
            f"{min(size, _EMBEDDED) if name == SEMANTIC else size:,}",
            f"{statistics.median(taken) * 1000:.1f}",
            f"{bench.ratio(taken, cpu[BARE]):.2f}",
        )
        for name, taken in cpu.items()
    ]
    bars = [bench.Bar(f"{RAWKO} against {BARE}", bench.ratio(cpu[RAWKO], cpu[BARE]), _LIMIT)]
    headers = ("program", "memories", "CPU ms", f"x {BARE}")
    return bench.Report("cold", headers, rows, bars, {"size": size, "rounds": rounds})


def main(arguments: Sequence[str] | None = None) -> None:
    """Run it from the command line."""
    options = bench.parser("What a fresh process takes from a task to the block.")
    options.add_argument("--data", type=Path, default=None, help="taken and not needed: the memories are generated")
    options.add_argument("--size", type=int, default=10_000, help="how many memories")
    options.add_argument("--rounds", type=int, default=40, help="how often the programs take turns")
    options.add_argument("--folder", type=Path, default=None, help="where to work and keep what was generated")
    options.add_argument("--no-peers", action="store_true", help="leave other programs out, also where installed")
    chosen = options.parse_args(arguments)
    names = [] if chosen.no_peers else peers.installed()
    with speed.place(chosen.folder) as folder:
        bench.publish(measure(chosen.size, chosen.rounds, folder, names), chosen)


if __name__ == "__main__":
    main()
