"""What recall costs as a library grows: choosing for a task, and keeping the index.

    python -m bench.speed --sizes 1000 10000 100000

Every figure is CPU time beside something that anyone can name, measured in the same run: choosing for a task beside
the plain FTS5 query that asks for any of the task's words, beside the seeds' algorithm, which reads every file, and
beside whichever other programs are installed. Contenders take turns, a task a round, and the median of the ratios is
judged. What is chosen is compared with what judging every single memory would have chosen.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

import bench
import rawko
from bench import append, generate, peers
from rawko.recall.arbiter import Arbiter, Shelf
from rawko.recall.embedding import installed
from rawko.store import layout
from rawko.values.words import STOP_WORDS, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rawko.recall.candidates import Question
    from rawko.values.document import Document

    Ask = Callable[[str], object]

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
RAWKO = "rawko"
SEMANTIC = "rawko, semantic"
FTS5 = "plain FTS5 OR"
SEEDS = "the seeds' algorithm"
_SLOW = (SEEDS,)
_SHARE = 0.95
_BARS = {"inject": 0.1, "memory": 1.2, "size": 2.0, "build": 3.0, "growth": 1.2, "recipe": 2.0}
_FRONT = re.compile(rb"\A---\n(.*?)^---\n", re.DOTALL | re.MULTILINE)
_IDLE = """
import rawko, sys
with rawko.open(sys.argv[1]) as library:
    library.inject(sys.argv[2])
    with open("/proc/self/status") as status:
        print(next(line.split()[1] for line in status if line.startswith("VmRSS")))
"""


class Plan(NamedTuple):
    """How much is measured."""

    sizes: Sequence[int]
    rounds: int
    slow_rounds: int
    compared: int
    peers_up_to: int
    built: int
    append_rounds: int


class Found(NamedTuple):
    """Rows for the table, bars, and what a picture is drawn from."""

    rows: list[tuple[str, ...]]
    bars: list[bench.Bar]
    series: dict[str, list[tuple[int, float]]]


def measure(plan: Plan, folder: Path) -> bench.Report:
    """Everything that grows, at each size."""
    found = Found([], [], {})
    for size in plan.sizes:
        library_of(folder, size)
    for size in plan.sizes:
        _inject(found, folder, size, plan)
    for part in (_memory, _size, _build, _append):
        part(found, folder, plan)
    headers = ("what", "memories", "measured", "beside", "ratio")
    parameters = {**plan._asdict(), "sizes": list(plan.sizes), "series": found.series}
    return bench.Report("speed", headers, found.rows, found.bars, parameters)


def library_of(folder: Path, size: int, *, semantic: bool = False) -> Path:
    """A library of generated memories with its index built; one that is there already is used again."""
    path = folder / f"{size}{'-semantic' if semantic else ''}"
    if not path.exists():
        rawko.open(append.new_folder(path), create=True).close()
        (path / layout.FOLDER / "config.yaml").write_text(f"semantic: {str(semantic).lower()}\n")
        generate.fill(path / layout.FOLDER / layout.MEMORIES, size)
    with rawko.open(path) as library:
        library.recall.refresh()
    return path


# ------------------------------------------------------------ choosing for a task


def _inject(found: Found, folder: Path, size: int, plan: Plan) -> None:
    tasks = generate.tasks(plan.rounds + 2, size)
    with contextlib.ExitStack() as stack:
        library = stack.enter_context(rawko.open(folder / str(size)))
        library.user = None
        contenders: dict[str, Ask] = {RAWKO: lambda task: library.inject(task, now=NOW)}
        if size == plan.sizes[0] and installed():
            contenders[SEMANTIC] = _semantic(folder, size, stack)
        contenders[FTS5] = _plain_fts5(folder / f"fts5-{size}.sqlite", size)
        contenders[SEEDS] = _seeds(folder / str(size))
        contenders |= _peers(folder, size, plan, stack)
        samples = _take_turns(contenders, tasks, plan.slow_rounds)
        missed, same = _compared(library, tasks[: plan.compared])
    for name, taken in samples.items():
        beside = _ratio(taken, samples[FTS5])
        found.series.setdefault(name, []).append((size, round(statistics.median(taken.values()) * 1000, 4)))
        found.rows.append((f"inject: {name}", f"{size:,}", _ms(list(taken.values())), FTS5, f"{beside:.3f}"))
    found.rows.append(
        ("inject: the same choice", f"{size:,}", f"{same:.1%} of the tasks", "judging all", f"{1 - missed:.3f}")
    )
    if size == plan.sizes[-1]:
        beside = _ratio(samples[RAWKO], samples[FTS5])
        found.bars.append(bench.Bar(f"inject at {size:,} against {FTS5}", beside, _BARS["inject"]))
        found.bars.append(bench.Bar(f"share of the exhaustive choice missed at {size:,}", missed, 1 - _SHARE))


def _semantic(folder: Path, size: int, stack: contextlib.ExitStack) -> Ask:
    """The same with vectors, where there are few memories: embedding a hundred thousand would take an hour."""
    library = stack.enter_context(rawko.open(library_of(folder, size, semantic=True)))
    library.user = None
    return lambda task: library.inject(task, now=NOW)


def _take_turns(contenders: dict[str, Ask], tasks: Sequence[str], slow_rounds: int) -> dict[str, dict[int, float]]:
    """What each contender took for each task, in seconds; the slow ones do the first few alone."""
    for task, (name, ask) in itertools.product(tasks[-2:], contenders.items()):
        if name not in _SLOW:
            ask(task)
    samples: dict[str, dict[int, float]] = {name: {} for name in contenders}
    orders = itertools.cycle(itertools.permutations(contenders))
    for number, (task, names) in enumerate(zip(tasks[:-2], orders, strict=False)):
        for name in names:
            if name not in _SLOW or number < slow_rounds:
                samples[name][number] = _cpu(partial(contenders[name], task))
    return samples


def _cpu(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


def _plain_fts5(path: Path, size: int) -> Ask:
    """The query that anybody would write first: any of the words, the best by BM25."""
    is_there = path.exists()
    connection = sqlite3.connect(path)
    if not is_there:
        connection.execute("CREATE VIRTUAL TABLE memory USING fts5(title, patterns, tags, body, tokenize = 'porter')")
        rows = ((one.title, "\n".join(one.patterns), " ".join(one.tags), one.body) for one in generate.memories(size))
        connection.executemany("INSERT INTO memory VALUES (?, ?, ?, ?)", rows)
        connection.commit()
    query = "SELECT rowid FROM memory WHERE memory MATCH ? ORDER BY bm25(memory) LIMIT 10"
    return lambda task: connection.execute(query, (_any_of(task),)).fetchall()


def _any_of(task: str) -> str:
    return " OR ".join(f'"{word}"' for word in dict.fromkeys(words(task)) if word not in STOP_WORDS)


def _peers(folder: Path, size: int, plan: Plan, stack: contextlib.ExitStack) -> dict[str, Ask]:
    if size > plan.peers_up_to:
        return {}
    found: dict[str, Ask] = {}
    for name in peers.installed():
        found[name] = stack.enter_context(peers.opened(name, peer_of(folder, name, size)))
    return found


def peer_of(folder: Path, name: str, size: int) -> Path:
    """A peer that was filled with generated memories; one that is there already is used again."""
    path = folder / f"{name.split(maxsplit=1)[0].lower()}-{size}"
    if not path.exists():
        peers.fill(name, append.new_folder(path), generate.memories(size))
    return path


# ------------------------------------------------------------ the seeds' algorithm


def _seeds(project: Path) -> Ask:
    """Seed 000 word for word: read the frontmatter of every file, match, score, sort, and load the best five."""
    folder = project / layout.FOLDER / layout.MEMORIES

    def inject(task: str) -> list[str]:
        scored = []
        for path in folder.iterdir():
            if path.suffix == ".md":
                front = frontmatter(path.read_bytes())
                score = _seed_score(front, task)
                if any(seed_match(str(pattern), task.lower()) for pattern in front["whenToUse"]):
                    scored.append((score, path))
        scored.sort(key=lambda pair: -pair[0])
        return [path.read_text() for _, path in scored[:5]]

    return inject


def frontmatter(data: bytes) -> dict[str, Any]:
    """The frontmatter of a file, by PyYAML's C loader."""
    match = _FRONT.match(data)
    assert match is not None
    found: dict[str, Any] = yaml.load(match[1], Loader=yaml.CSafeLoader)
    return found


def _seed_score(front: dict[str, Any], task: str) -> int:
    score = {"low": 5, "medium": 15, "high": 25, "critical": 30}[front["importance"]]
    hours = (NOW - front["discoveredAt"]).total_seconds() / 3600
    score += 10 if hours < 24 else 5 if hours < 72 else 0
    title = front["title"].lower()
    return score + min(20, 5 * sum(word in title for word in task.lower().split()))


def seed_match(pattern: str, text: str) -> bool:
    """Whether a pattern matches a text in lower case, by the four readings of seed 000."""
    plain = pattern.lower().strip()
    if "|" in plain:
        return any(part.strip() in text for part in plain.split("|"))
    if "*" in plain or "?" in plain:
        with contextlib.suppress(re.error):
            return re.search(plain.replace("*", ".*").replace("?", "."), text) is not None
    return plain in text


# ------------------------------------------------------------ the exhaustive choice


class _Everything:
    """An index that answers every question with every document of another one."""

    def __init__(self, index: Any) -> None:
        self._index = index
        self._documents: list[Document] = []

    def refresh(self, news: Callable[[str], Any], *_: object) -> None:
        if not self._documents:
            self._documents = self._index.named(news("").versions)

    def candidates(self, question: Question) -> list[Document]:
        del question
        return self._documents

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)


def _compared(library: rawko.Library, tasks: Sequence[str]) -> tuple[float, float]:
    """Of what judging every memory chooses, the share that is missed; and how often the choice is the same."""
    exhaustive = rawko.open(library.folder)
    exhaustive.user = None
    recall = exhaustive.recall
    everything: Any = _Everything(recall.indexes[0])
    shelf = Shelf(exhaustive.store, everything)
    recall._arbiter = Arbiter([shelf], exhaustive.configured.settings)  # noqa: SLF001 - there is no other way in
    wanted, missed, same = 0, 0, 0
    for task in tasks:
        ours = [one.file for one in library.inject(task, now=NOW).memories]
        all_judged = [one.file for one in exhaustive.inject(task, now=NOW).memories]
        wanted += len(all_judged)
        missed += len(set(all_judged) - set(ours))
        same += ours == all_judged
    exhaustive.close()
    return missed / max(wanted, 1), same / max(len(tasks), 1)


# ------------------------------------------------------------ what the index costs


def _memory(found: Found, folder: Path, plan: Plan) -> None:
    """What a process holds after it opened a library and chose once."""
    held = {size: _idle(folder, size) for size in plan.sizes}
    first, last = plan.sizes[0], plan.sizes[-1]
    for size, kilobytes in held.items():
        row = ("idle memory", f"{size:,}", f"{kilobytes / 1024:.1f} MB", f"at {first:,}")
        found.rows.append((*row, f"{kilobytes / held[first]:.2f}"))
    found.bars.append(
        bench.Bar(f"idle memory at {last:,} against {first:,}", held[last] / held[first], _BARS["memory"])
    )


def _idle(folder: Path, size: int) -> float:
    task = generate.tasks(1, size)[0]
    command = [sys.executable, "-c", _IDLE, str(folder / str(size)), task]
    taken = [float(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(3)]
    return statistics.median(taken)


def _size(found: Found, folder: Path, plan: Plan) -> None:
    """What the index takes on disk, beside the files themselves."""
    for size in plan.sizes:
        root = folder / str(size) / layout.FOLDER
        text = sum(entry.stat().st_size for entry in os.scandir(root / layout.MEMORIES))
        index = (root / layout.CACHE / "index.sqlite").stat().st_size
        beside = f"the text, {text / 1e6:.1f} MB"
        found.rows.append(("index size", f"{size:,}", f"{index / 1e6:.1f} MB", beside, f"{index / text:.2f}"))
    found.bars.append(bench.Bar(f"index size at {size:,} against the text", index / text, _BARS["size"]))


def _build(found: Found, folder: Path, plan: Plan) -> None:
    """A full build beside reading the files and parsing their frontmatter."""
    size = plan.built if plan.built in plan.sizes else plan.sizes[-1]
    memories = folder / str(size) / layout.FOLDER / layout.MEMORIES

    def read() -> None:
        for path in memories.iterdir():
            frontmatter(path.read_bytes())

    with rawko.open(folder / str(size)) as library:
        taken = [(_cpu(library.recall.rebuild), _cpu(read)) for _ in range(3)]
    builds, reads = zip(*taken, strict=True)
    beside = bench.ratio(builds, reads)
    label = f"reading and parsing, {statistics.median(reads):.2f} s"
    found.rows.append(("full build", f"{size:,}", f"{statistics.median(builds):.2f} s", label, f"{beside:.2f}"))
    found.bars.append(bench.Bar(f"full build at {size:,} against reading and parsing", beside, _BARS["build"]))


def _append(found: Found, folder: Path, plan: Plan) -> None:
    """One more memory, durable and in the index, in a small library and in a large one."""
    first, last = plan.sizes[0], plan.sizes[-1]
    with contextlib.ExitStack() as stack:
        contenders: dict[str, append.Contender] = {}
        for size in dict.fromkeys((first, last)):
            contenders[f"raw {size:,}"] = append.raw_recipe(_cleaned(folder / str(size)))
            contenders[f"{size:,}"] = _remembering(stack.enter_context(rawko.open(folder / str(size))))
        samples = append.take_turns(contenders, plan.append_rounds, 3)
    cpu = {name: [sample.cpu for sample in taken] for name, taken in samples.items()}
    for size in dict.fromkeys((first, last)):
        own, raw = cpu[f"{size:,}"], cpu[f"raw {size:,}"]
        beside = bench.ratio(own, raw)
        label = f"new file, synced, {_ms(raw)}"
        found.rows.append(("append and index", f"{size:,}", _ms(own), label, f"{beside:.2f}"))
        found.bars.append(bench.Bar(f"append and index at {size:,} against the raw recipe", beside, _BARS["recipe"]))
    growth = bench.ratio(cpu[f"{last:,}"], cpu[f"{first:,}"])
    found.bars.append(bench.Bar(f"append and index at {last:,} against {first:,}", growth, _BARS["growth"]))


def _cleaned(project: Path) -> Path:
    """The folder of the memories, without what the raw recipe left there the last time."""
    memories = project / layout.FOLDER / layout.MEMORIES
    for left in (*memories.glob("raw-*.txt"), *memories.glob(".tmp-*")):
        left.unlink()
    return memories


def _remembering(library: rawko.Library) -> append.Contender:
    library.recall.refresh()
    numbers = itertools.count(random.SystemRandom().randrange(10**9, 10**12))

    def create() -> None:
        made = generate.memory(next(numbers))
        library.remember(made.title, made.body, list(made.patterns), made.importance, made.tags)
        library.recall._arbiter.refresh()  # noqa: SLF001 - what the next question would do first

    return lambda each: append.one_round(create, each)


# ------------------------------------------------------------ figures


def _ratio(samples: dict[int, float], others: dict[int, float]) -> float:
    both = sorted(samples.keys() & others.keys())
    return bench.ratio([samples[number] for number in both], [others[number] for number in both])


def _ms(values: Any) -> str:
    return f"{statistics.median(values) * 1000:.2f} ms"


@contextlib.contextmanager
def place(folder: Path | None) -> Iterator[Path]:
    """The folder to work in: the given one, which is kept, or one that goes away."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="rawko-bench-") as made:
        yield Path(made)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run it from the command line."""
    options = bench.parser("What recall costs as a library grows.")
    options.add_argument("--data", type=Path, default=None, help="taken and not needed: the memories are generated")
    options.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000], help="how many memories")
    options.add_argument("--rounds", type=int, default=40, help="how many tasks")
    options.add_argument("--slow-rounds", type=int, default=2, help="how many of them for what takes seconds")
    options.add_argument("--compared", type=int, default=20, help="how many tasks are also judged exhaustively")
    options.add_argument("--peers-up-to", type=int, default=10_000, help="the largest size that peers are filled to")
    options.add_argument("--built", type=int, default=10_000, help="the size at which the index is built")
    options.add_argument("--append-rounds", type=int, default=60, help="how often the appends take turns")
    options.add_argument("--folder", type=Path, default=None, help="where to work and keep what was generated")
    chosen = options.parse_args(arguments)
    os.environ["RAWKO_HOME"] = os.devnull  # nobody's own memories take part
    plan = Plan(*(getattr(chosen, name) for name in Plan._fields))
    with place(chosen.folder) as folder:
        bench.publish(measure(plan._replace(sizes=sorted(plan.sizes)), folder), chosen)


if __name__ == "__main__":
    main()
