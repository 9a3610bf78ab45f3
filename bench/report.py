"""The measured figures, written into the pages that show them.

python -m bench.report           puts what is in bench/results into docs/performance.md and docs/reliability.md
python -m bench.report --check   says whether the pages show what was measured last
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bench

if TYPE_CHECKING:
    from collections.abc import Sequence

DOCS = Path(__file__).parent.parent / "docs"
PAGES = (DOCS / "performance.md", DOCS / "reliability.md")
FAULTS = "faults"
_PLACE = re.compile(r"(<!-- bench:(?P<name>\w+) -->\n).*?(<!-- /bench -->)", re.DOTALL)
_CASE = re.compile(r"(?P<id>[A-Z]\d+)\s*(?P<what>.*)")


def filled(page: str, results: Path) -> str:
    """The page with the latest figures between its markers."""

    def figures(place: re.Match[str]) -> str:
        found = json.loads((results / f"{place['name']}.json").read_text())
        section = _faults(found) if place["name"] == FAULTS else _section(found)
        return f"{place[1]}{section}\n{place[3]}"

    return _PLACE.sub(figures, page)


def _section(found: dict[str, Any]) -> str:
    bars = [bench.Bar(bar["what"], bar["ratio"], bar["limit"]) for bar in found["bars"]]
    tables = [bench.table(found["headers"], found["rows"]), *([bench.bars_table(bars)] if bars else ())]
    return "\n\n".join([*tables, _circumstances(found["environment"])])


def _faults(found: dict[str, Any]) -> str:
    """One row a case, those of the careless stores marked as what they are."""
    rows = [(*_case(figure["case"]), figure["store"], _counts(figure["counts"])) for figure in found["figures"]]
    return bench.table(("fault", "case", "store", "counted"), rows)


def _case(case: str) -> tuple[str, str]:
    match = _CASE.fullmatch(case)
    return (match["id"], match["what"]) if match else ("", case)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


def _circumstances(where: dict[str, Any]) -> str:
    return f"Python {where['python']} on {where['system']} {where['machine']} with {where['cpus']} CPUs."


def main(arguments: Sequence[str] | None = None) -> None:
    """Run it from the command line."""
    options = argparse.ArgumentParser(description="Put the measured figures into the pages of docs/.")
    options.add_argument("--check", action="store_true", help="change nothing; fail when a page is out of date")
    options.add_argument("--results", type=Path, default=bench.RESULTS)
    chosen = options.parse_args(arguments)
    for page in PAGES:
        text = page.read_text()
        new = filled(text, chosen.results)
        if chosen.check and new != text:
            sys.exit(f"docs/{page.name} does not show what was measured last; run `python -m bench.report`")
        if not chosen.check:
            page.write_text(new)


if __name__ == "__main__":
    main()
