"""Measurements, as ratios taken in one run.

A figure in milliseconds says as much about the machine as about the code, so each benchmark measures what it is
about and something to compare it with, in turns, and judges the ratio. CPU time is judged, not wall time: how long
a disk takes to sync is not ours to improve.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, slots=True)
class Bar:
    """A ratio that must stay at or below a limit."""

    what: str
    ratio: float
    limit: float

    @property
    def verdict(self) -> str:
        """The outcome in one word."""
        return "met" if self.ratio <= self.limit else "missed"


@dataclass(frozen=True, slots=True)
class Report:
    """What one benchmark found: a table of figures, and the bars they are held against."""

    name: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    bars: Sequence[Bar] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        bars = ["", bars_table(self.bars)] if self.bars else []
        return "\n".join([table(self.headers, self.rows), *bars])

    def to_json(self) -> str:
        """The report with what a reader needs to compare it: the Python version and the number of CPUs."""
        values = {**asdict(self), "bars": [{**asdict(bar), "verdict": bar.verdict} for bar in self.bars]}
        return json.dumps({**values, "environment": environment()}, indent=2) + "\n"


def environment() -> dict[str, str | int]:
    """What the figures were measured on, with nothing that names the machine."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cpus": os.cpu_count() or 0,
    }


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with its columns lined up, to be read on a terminal or on a page."""
    columns = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = (cell.ljust(width) for cell, width in zip(cells, columns, strict=True))
        return f"| {' | '.join(padded)} |"

    rule = f"|{'|'.join('-' * (width + 2) for width in columns)}|"
    return "\n".join([line(headers), rule, *map(line, rows)])


def bars_table(bars: Sequence[Bar]) -> str:
    """The bars and how they were met, as a table."""
    rows = [(bar.what, f"{bar.ratio:.2f}", f"{bar.limit:g}", bar.verdict) for bar in bars]
    return table(("bar", "measured", "at most", "verdict"), rows)


def ratio(values: Sequence[float], others: Sequence[float]) -> float:
    """The median of the ratios round by round, so that a noisy moment spoils one round and not the figure."""
    return statistics.median(value / other for value, other in zip(values, others, strict=True))


def parser(description: str) -> argparse.ArgumentParser:
    """The options that every benchmark has."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--json", action="store_true", help="print the report as JSON instead of as tables")
    options.add_argument("--out", type=Path, default=RESULTS, help="the folder that the report is written to")
    return options


def part(data: Path, kind: str) -> Path:
    """The folder with one kind of labelled data: the given one, or the one of that name inside it."""
    return data / kind if (data / kind).is_dir() else data


def publish(report: Report, options: argparse.Namespace) -> None:
    """Write a report to its file and print it."""
    text = report.to_json()
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / f"{report.name}.json").write_text(text)
    print(text if options.json else report)
