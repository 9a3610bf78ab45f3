"""The benchmarks run and write what they measured; the pages show what was measured last. No figure is judged here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


def run(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a benchmark as a person would."""
    command = [sys.executable, "-m", f"bench.{module}", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def measured(module: str, out: Path, *arguments: str) -> dict[str, Any]:
    """What a benchmark writes when it is run on something small."""
    done = run(module, "--json", "--out", str(out), *arguments)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads((out / f"{module}.json").read_text())
    return dict(json.loads(done.stdout))


def test_append_compares_sizes_and_the_raw_recipe(tmp_path: Path) -> None:
    """Two libraries and the bare file recipe are measured, and two bars judged."""
    report = measured("append", tmp_path, "--sizes", "5", "20", "--rounds", "2", "--each", "1")
    assert [row[0] for row in report["rows"][::2]] == ["among 5", "among 20"]
    assert [row[0] for row in report["rows"][1::2]] == ["raw recipe among 5", "raw recipe among 20"]
    assert [bar["limit"] for bar in report["bars"]] == [1.2, 2.0, 2.0]


def test_start_compares_with_tinydb(tmp_path: Path) -> None:
    """What an import costs is a multiple of what tinydb's costs."""
    report = measured("start", tmp_path, "--rounds", "1")
    assert [row[0] for row in report["rows"]] == [
        "`pass`",
        "`import rawko`",
        "`import rawko; rawko.open`",
        "`import tinydb`",
    ]


def test_the_pages_show_what_was_measured_last() -> None:
    """No figure on a page was typed by hand."""
    done = run("report", "--check")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["append", "start", "faults"])
def test_a_page_that_shows_something_else_is_noticed(tmp_path: Path, name: str) -> None:
    """A figure that was measured again and not put into its page fails the check."""
    for path in (ROOT / "bench" / "results").glob("*.json"):
        text = path.read_text()
        changed = text.replace('"raw recipe', '"another').replace('"`pass`"', '"other"').replace('"D1"', '"D99"')
        (tmp_path / path.name).write_text(changed if path.stem == name else text)
    assert "does not show" in run("report", "--check", "--results", str(tmp_path)).stderr
