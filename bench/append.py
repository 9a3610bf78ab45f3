"""What it costs to keep one more memory: in a small library, in a large one, and against the bare file recipe.

    python -m bench.append --sizes 1000 100000

Creating a memory must cost the same however many there are, and not much more than the system calls that make any
new file durable. All of them take turns in short rounds, and the medians of the ratios are judged. The raw recipe
runs in the very folder that the library writes to: what a new file costs the file system depends on what lies there
already, and on where the disk has put it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import bench
import rawko

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RAW = "raw recipe {label}"
_GROWTH = 1.2
_OVERHEAD = 2.0
_BODY = """\
# {title}

The importer reads the feed in batches and keeps a cursor for each source.

## Key Points

- A batch is at most 500 rows; larger ones time out at the gateway
- The cursor is written after the batch, never before it
- A source without a cursor is read from its beginning

## Details

The batches are made in `src/importer/batches.py`, the cursors are kept in `src/importer/cursors.py`. A batch that
fails is tried again twice, with the same cursor, and then put aside with the reason. Nothing reads what was put
aside on its own: somebody has to look at it and run `make retry`.

## Constraints

Do not change the size of a batch and the format of a cursor in the same release: a rollback could not read them.
"""


class Sample(NamedTuple):
    """What one round of one contender took, per memory, in seconds."""

    cpu: float
    wall: float


if TYPE_CHECKING:
    Contender = Callable[[int], Sample]


def measure(sizes: Sequence[int], rounds: int, each: int, folder: Path) -> bench.Report:
    """Let the libraries and the raw recipe take turns, and compare them."""
    with contextlib.ExitStack() as stack:
        contenders: dict[str, Contender] = {}
        for size in sizes:
            library = stack.enter_context(rawko.open(_filled(folder / str(size), size)))
            contenders[_label(size)] = _library(library)
            contenders[RAW.format(label=_label(size))] = raw_recipe(folder / str(size) / ".rawko" / "memories")
        samples = take_turns(contenders, rounds, each)
    parameters = {"sizes": list(sizes), "rounds": rounds, "memories_a_round": each}
    return _report(samples, [_label(size) for size in sizes], parameters)


def take_turns(contenders: dict[str, Contender], rounds: int, each: int) -> dict[str, list[Sample]]:
    """Let every contender do so many rounds, in changing order, after one that does not count."""
    samples: dict[str, list[Sample]] = {name: [] for name in contenders}
    for contend in contenders.values():
        contend(each)
    order = itertools.cycle(itertools.permutations(contenders))
    for names in itertools.islice(order, rounds):
        for name in names:
            samples[name].append(contenders[name](each))
    return samples


def one_round(create: Callable[[], object], each: int) -> Sample:
    """What it takes to create so many, for each."""
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(each):
        create()
    return Sample((time.process_time() - cpu) / each, (time.perf_counter() - wall) / each)


def _library(library: rawko.Library) -> Contender:
    library.log("memory 0")  # the catalogue is built once, before anything is measured
    numbers = itertools.count()

    def create() -> object:
        title = f"A new memory {next(numbers)}"
        return library.remember(title, _BODY.format(title=title), "import|importer", tags=["constraints"])

    return lambda each: one_round(create, each)


def raw_recipe(folder: Path) -> Contender:
    """What any program has to do so that a new file is whole and survives a power cut."""
    numbers = itertools.count()

    def create() -> None:
        number = next(numbers)
        temporary, final = folder / f".tmp-{number}", folder / f"raw-{number}.txt"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        os.write(descriptor, _file_text(f"A new memory {number}").encode())
        os.fsync(descriptor)
        os.close(descriptor)
        os.link(temporary, final)
        os.unlink(temporary)
        parent = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        os.fsync(parent)
        os.close(parent)

    def contend(each: int) -> Sample:
        before = os.stat(folder)
        sample = one_round(create, each)
        os.utime(folder, ns=(before.st_atime_ns, before.st_mtime_ns))  # so that the library need not look what is new
        return sample

    return contend


def _filled(folder: Path, size: int) -> Path:
    """A library with that many memories, written as plainly as possible: filling it is not what is measured."""
    rawko.open(new_folder(folder), create=True).close()
    for number in range(size):
        text = _file_text(f"Memory {number}")
        (folder / ".rawko" / "memories" / f"memory-{number}.md").write_text(text, encoding="utf-8")
    return folder


def _file_text(title: str) -> str:
    front = f'title: "{title}"\nwhenToUse:\n  - "import|importer"\ntags: [constraints]\nimportance: medium\n'
    who = "discoveredBy: user\ndiscoveredAt: 2026-01-23T10:30:00Z\n"
    return f"---\n{front}{who}---\n\n{_BODY.format(title=title)}"


def new_folder(path: Path) -> Path:
    """A folder that was not there before."""
    path.mkdir()
    return path


def _report(samples: dict[str, list[Sample]], labels: Sequence[str], parameters: dict[str, object]) -> bench.Report:
    first, last = labels[0], labels[-1]
    headers = ("new memory", "CPU ms", "x raw recipe there", f"x {first}", "wall ms (not judged)")
    rows = []
    for label in labels:
        own, raw = samples[label], samples[RAW.format(label=label)]
        growth, raw_growth = _ratio(own, samples[first]), _ratio(raw, samples[RAW.format(label=first)])
        rows.append((label, _median(own, "cpu"), f"{_ratio(own, raw):.2f}", f"{growth:.2f}", _median(own, "wall")))
        name = RAW.format(label=label)
        rows.append((name, _median(raw, "cpu"), "1.00", f"{raw_growth:.2f}", _median(raw, "wall")))
    bars = [bench.Bar(f"{last} against {first}", _ratio(samples[last], samples[first]), _GROWTH)]
    bars += [
        bench.Bar(
            f"{label} against the raw recipe there", _ratio(samples[label], samples[RAW.format(label=label)]), _OVERHEAD
        )
        for label in labels
    ]
    return bench.Report("append", headers, rows, bars, parameters)


def _ratio(samples: Sequence[Sample], others: Sequence[Sample]) -> float:
    return bench.ratio([sample.cpu for sample in samples], [other.cpu for other in others])


def _median(samples: Sequence[Sample], name: str) -> str:
    return f"{statistics.median(getattr(sample, name) for sample in samples) * 1000:.3f}"


def _label(size: int) -> str:
    return f"among {size:,}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run it from the command line."""
    options = bench.parser("What it costs to keep one more memory.")
    options.add_argument("--sizes", type=int, nargs="+", default=[1_000, 100_000], help="how many are there already")
    options.add_argument("--rounds", type=int, default=120, help="how often they take turns")
    options.add_argument("--each", type=int, default=5, help="how many memories each makes in a round")
    options.add_argument("--folder", type=Path, default=None, help="where to work; the disk that is measured")
    chosen = options.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="rawko-bench-", dir=chosen.folder) as folder:
        bench.publish(measure(sorted(chosen.sizes), chosen.rounds, chosen.each, Path(folder)), chosen)


if __name__ == "__main__":
    main()
