"""A picture of what choosing for a task costs against the number of memories, from what was measured last.

python -m bench.picture           draws bench/results/speed.json as docs/images/cost.svg
python -m bench.picture --check   says whether the picture shows what was measured last
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape

import bench

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Series = Mapping[str, Sequence[Sequence[float]]]

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "cost.svg"
_WIDTH, _HEIGHT = 760, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 210, 50, 60
_COLOURS = ("#0b6e4f", "#4c6ef5", "#868e96", "#e8590c", "#9c36b5", "#c92a2a", "#1098ad")
_NARROWEST = 16.0
_STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-size: 15px; font-weight: 600 }
.grid { stroke: #d0d7de; stroke-width: 1 }
.panel { fill: #ffffff }
@media (prefers-color-scheme: dark) { .panel { fill: #0d1117 } text { fill: #c9d1d9 } .grid { stroke: #30363d } }
"""


class Scale(NamedTuple):
    """Powers of ten along one side of the picture."""

    first: int
    last: int
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Where a value is."""
        share = (math.log10(value) - self.first) / (self.last - self.first)
        return self.start + share * (self.end - self.start)

    @classmethod
    def over(cls, values: Iterable[float], start: float, end: float) -> Scale:
        """The scale from the power of ten below all values to the one above."""
        found = [math.log10(value) for value in values]
        first = math.floor(min(found))
        return cls(first, max(first + 1, math.ceil(max(found))), start, end)


def draw(series: Series) -> str:
    """The picture of some series, each a name and points of memories and milliseconds."""
    points = [point for line in series.values() for point in line]
    across = Scale.over((point[0] for point in points), _LEFT, _WIDTH - _RIGHT)
    up = Scale.over((point[1] for point in points), _HEIGHT - _BOTTOM, _TOP)
    parts = [*_frame(), *_grid(across, up), *_lines(series, across, up)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
    title = "What choosing for a task costs against the number of memories"
    return "\n".join([f'{head} aria-label="{title}">', f"<style>{_STYLE}</style>", *parts, "</svg>", ""])


def _frame() -> Iterator[str]:
    yield f'<rect class="panel" width="{_WIDTH}" height="{_HEIGHT}"/>'
    yield _text(_LEFT, 26, "CPU time to choose for one task, in milliseconds", css="title")
    yield _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 14, "memories in the library", anchor="middle")


def _grid(across: Scale, up: Scale) -> Iterator[str]:
    for power in range(across.first, across.last + 1):
        place = across(10.0**power)
        yield _line(place, up.start, place, up.end)
        yield _text(place, up.start + 20, f"{10**power:,}", anchor="middle")
    for power in range(up.first, up.last + 1):
        place = up(10.0**power)
        yield _line(across.start, place, across.end, place)
        yield _text(across.start - 8, place + 4, f"{10.0**power:,.{max(0, -power)}f}", anchor="end")


def _lines(series: Series, across: Scale, up: Scale) -> Iterator[str]:
    ends = {name: up(line[-1][1]) for name, line in series.items()}
    labels = _apart(ends)
    for (name, line), colour in zip(series.items(), _COLOURS * len(series), strict=False):
        places = [(across(size), up(cost)) for size, cost in line]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
        yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>' for x, y in places)
        x, label = across.end + 14, labels[name]
        yield f'<path d="M{places[-1][0] + 5:.1f} {ends[name]:.1f} L{x - 3:.1f} {label:.1f}" stroke="{colour}"/>'
        yield _text(x, label + 4, f"{name}: {line[-1][1]:.3g} ms", colour=colour)


def _apart(places: Mapping[str, float]) -> dict[str, float]:
    """The places of labels, moved down so that none covers another."""
    found: dict[str, float] = {}
    free = -math.inf
    for name, place in sorted(places.items(), key=lambda pair: pair[1]):
        found[name] = max(place, free)
        free = found[name] + _NARROWEST
    return found


def _text(x: float, y: float, text: str, anchor: str = "start", css: str = "", colour: str = "") -> str:
    more = (f' class="{css}"' if css else "") + (f' style="fill: {colour}"' if colour else "")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="grid" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def main(arguments: Sequence[str] | None = None) -> None:
    """Run it from the command line."""
    options = argparse.ArgumentParser(description="Draw what choosing for a task costs.")
    options.add_argument("--check", action="store_true", help="change nothing; fail when the picture is out of date")
    options.add_argument("--results", type=Path, default=bench.RESULTS)
    options.add_argument("--out", type=Path, default=PICTURE, help="the file that the picture is written to")
    chosen = options.parse_args(arguments)
    measured = json.loads((chosen.results / "speed.json").read_text())
    picture = draw(measured["parameters"]["series"])
    if chosen.check and (not chosen.out.exists() or chosen.out.read_text() != picture):
        sys.exit(f"{chosen.out.name} does not show what was measured last; run `python -m bench.picture`")
    if not chosen.check:
        chosen.out.parent.mkdir(parents=True, exist_ok=True)
        chosen.out.write_text(picture)


if __name__ == "__main__":
    main()
