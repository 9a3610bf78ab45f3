"""Whether the arbiter picks the memories that an expert would.

    python -m bench.tasks --data DIR

DIR holds one folder a repository, each with `memories/*.md` and `tasks.jsonl`: `{id, task, agent, plan?, relevant}`,
where `relevant` grades files (2: certainly wanted, 1: useful) and is empty for a task that nothing there is about.
Each repository is a library of its own; every task goes through `library.inject` with the default settings.

What was set by looking at these repositories may be too kind to them. So there is a second figure, which says what to
expect of a repository that nobody looked at: the rule that cuts the matches is chosen anew on all repositories but one,
and judged on that one, for each in turn.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import shutil
import statistics
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import bench
import rawko
from rawko.recall import choice
from rawko.recall.embedding import installed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rawko.recall.embedding import Embedder

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
_FLOORS = (0.7, 0.85, 1.0, 1.2)
"""Times the usual floor; and what a memory needs of the best match, and each further one more."""
_CUTS = (0.3, 0.4, 0.5, 0.6)
_STEPS = (0.0, 0.03, 0.06)
_DEPTH = 5
_WANTED = 2
NAMES = ("recall@5 of grade 2", "nDCG@5", "precision", "silent when nothing is relevant", "injected a task")


class Outcome(NamedTuple):
    """What one task got, and what it should have got."""

    repository: str
    task: str
    injected: list[str]
    relevant: dict[str, int]


class _Remembering:
    """An embedder that embeds no text twice: the same tasks are asked with many rules."""

    def __init__(self, embedder: Embedder) -> None:
        self.model = embedder.model
        self._embedder = embedder
        self._known: dict[str, bytes] = {}

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """A vector for each text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, self._embedder.embed(new), strict=True))
        return [self._known[text] for text in texts]


@contextlib.contextmanager
def opened(data: Path, *, semantic: bool) -> Iterator[dict[str, rawko.Library]]:
    """A library of each repository, with its index built."""
    with contextlib.ExitStack() as stack:
        libraries = {}
        for path in sorted(data.glob("*/tasks.jsonl")):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="rawko-bench-"))
            shutil.copytree(path.parent / "memories", Path(folder) / ".rawko" / "memories")
            (Path(folder) / ".rawko" / "config.yaml").write_text(f"semantic: {str(semantic).lower()}\n")
            library = stack.enter_context(rawko.open(folder))
            embedder = installed() if semantic else None
            library.embedder = _Remembering(embedder) if embedder else None
            library.user = None
            library.recall.refresh()
            libraries[path.parent.name] = library
        yield libraries


def outcomes(data: Path, libraries: dict[str, rawko.Library]) -> list[Outcome]:
    """Every task of every repository."""
    return [
        _outcome(library, name, json.loads(line))
        for name, library in libraries.items()
        for line in filter(str.strip, (data / name / "tasks.jsonl").read_text(encoding="utf-8").splitlines())
    ]


def _outcome(library: rawko.Library, repository: str, task: dict[str, Any]) -> Outcome:
    selection = library.inject(task["task"], agent=task["agent"], plan=task.get("plan"), now=NOW)
    return Outcome(repository, task["id"], [one.file for one in selection.memories], task["relevant"])


def figures(found: Sequence[Outcome]) -> tuple[float, ...]:
    """The figures of NAMES over some tasks."""
    on = [one for one in found if one.relevant]
    off = [one for one in found if not one.relevant]
    wanted = [(one, [file for file, grade in one.relevant.items() if grade == _WANTED]) for one in on]
    recall = [sum(file in one.injected[:_DEPTH] for file in files) / len(files) for one, files in wanted if files]
    injected = [(file, one) for one in found for file in one.injected]
    return (
        _mean(recall),
        _mean([_ndcg(one) for one in on]),
        _mean([float(file in one.relevant) for file, one in injected]),
        _mean([float(not one.injected) for one in off]),
        _mean([float(len(one.injected)) for one in on]),
    )


def _ndcg(one: Outcome) -> float:
    got = sum(_gain(one.relevant.get(file, 0), place) for place, file in enumerate(one.injected[:_DEPTH]))
    ideal = sorted(one.relevant.values(), reverse=True)[:_DEPTH]
    return got / sum(_gain(grade, place) for place, grade in enumerate(ideal))


def _gain(grade: int, place: int) -> float:
    return float((2**grade - 1) / math.log2(place + 2))


def _mean(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else float("nan")


# ------------------------------------------------------------ what to expect elsewhere


def cross_validated(data: Path, libraries: dict[str, rawko.Library], rule: str) -> list[Outcome]:
    """Every task, with the rule that is best for the other repositories."""
    usual = getattr(choice, rule)
    tried = []
    try:
        for floor, cut, step in itertools.product(_FLOORS, _CUTS, _STEPS):
            setattr(choice, rule, choice.Rule(usual.floor * floor, cut, step))
            tried.append(outcomes(data, libraries))
    finally:
        setattr(choice, rule, usual)
    return [one for held in libraries for one in best_elsewhere(tried, held) if one.repository == held]


def best_elsewhere(tried: list[list[Outcome]], held: str) -> list[Outcome]:
    """Of what each rule did, that of the rule which is best where the held-out repository is left out."""
    return max(tried, key=lambda found: _worth([one for one in found if one.repository != held]))


def _worth(found: Sequence[Outcome]) -> float:
    """One figure to choose by: the mean of recall, nDCG, precision and silence, of those that there are."""
    return _mean([figure for figure in figures(found)[:4] if not math.isnan(figure)])


def _rows(name: str, groups: dict[str, Sequence[Outcome]]) -> list[tuple[str, ...]]:
    return [
        (name, each, str(len(some)), *(f"{figure:.3f}" for figure in figures(some))) for each, some in groups.items()
    ]


def measure(data: Path) -> bench.Report:
    """The figures over all repositories, and of each, by words alone and with the extra where it is installed."""
    rows = []
    for name, rule in (("words", "BY_WORDS"), *((("semantic", "BY_VECTORS"),) if installed() else ())):
        with opened(data, semantic=name == "semantic") as libraries:
            found = outcomes(data, libraries)
            groups = {each: [one for one in found if one.repository == each] for each in libraries}
            rows += _rows(name, {"all": found, **groups})
            rows += _rows(f"{name}, cross-validated", {"all": cross_validated(data, libraries, rule)})
    headers = ("configuration", "repository", "tasks", *NAMES)
    return bench.Report("tasks", headers, rows, [], {"clock": NOW.isoformat()})


def main(arguments: Sequence[str] | None = None) -> None:
    """Run it from the command line."""
    options = bench.parser("Does the arbiter pick the memories that an expert would?")
    options.add_argument("--data", type=Path, required=True, help="the folder with the repositories")
    chosen = options.parse_args(arguments)
    bench.publish(measure(bench.part(chosen.data, "tasks")), chosen)


if __name__ == "__main__":
    main()
