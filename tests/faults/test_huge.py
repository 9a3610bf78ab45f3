"""H6: what is far too large is left out and said so; what is merely much is served in bounded memory."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import bad
import oracle
from process import HERE, Report

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.full

_MEGABYTE = 1 << 20
_MOST = 50
_BOUND = 200  # for what is served, of which the programme says only that it is bounded
_MANY = 50_000
_FRONT = """---
title: "{title}"
whenToUse: [test]
importance: low
discoveredAt: 2026-01-23T10:30:00Z
discoveredBy: tester
---

"""
_MEASURE = """
import json, logging, resource, sys
sys.path.insert(0, sys.argv[1])
import bad, visitor
logging.disable()

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

visitor.visit_anew(sys.argv[2], sys.argv[3], visitor.READS)
before = peak()
with bad.library(sys.argv[2], sys.argv[4]) as library:
    survey = library.survey()
    found = {
        "memories": len(survey.memories),
        "problems": [[problem.file, problem.reason, problem.hint] for problem in survey.problems],
        "get": visitor.outcome(lambda: len(library.get("huge.md").content)),
        "by title": visitor.outcome(lambda: library.get("Title 3").file),
        "update": visitor.outcome(lambda: library.update("huge.md", "More.").file),
        "remember": visitor.outcome(lambda: library.remember("Huge", "Something.", ["test"]).file),
    }
print(json.dumps({**found, "megabytes": peak() - before}))
"""


def a_library(project: Path, store: str = "rawko") -> Path:
    """A library with three small memories; returns the folder of its memories."""
    with bad.library(store, str(project), create=True) as library:
        for number in (1, 2, 3):
            library.remember(f"Title {number}", oracle.text(f"n{number}"), ["test"])
    return project / ".rawko" / "memories"


def measured(store: str, folder: Path) -> dict[str, Any]:
    """What a process finds in the library, and by how many megabytes its peak grew after it had read a small one."""
    a_library(folder / "small", store)
    command = [sys.executable, "-c", _MEASURE, str(HERE), store, str(folder / "small"), str(folder / "project")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def put_huge(memories: Path) -> None:
    """A memory of 100 MB that would be quite in order if it were smaller."""
    with open(memories / "huge.md", "w") as file:
        file.write(_FRONT.format(title="Huge"))
        file.writelines("A line of a very long memory...\n" * (_MEGABYTE // 32) for _ in range(100))


def test_a_file_of_100_megabytes(tmp_path: Path) -> None:
    """H6: it is reported with its size and not read; the others are served, and its title can still be used."""
    put_huge(a_library(tmp_path / "project"))
    found = measured("rawko", tmp_path)
    Report({"memories served": found["memories"], "MB grown": round(found["megabytes"])}).show("H6 100 MB")
    assert found["memories"] == 3
    [(file, reason, hint)] = found["problems"]
    assert (file, "bytes" in reason, bool(hint)) == ("huge.md", True, True)
    assert (found["get"][1], found["update"][1]) == ("UnreadableMemory", "UnreadableMemory")
    assert (found["by title"], found["remember"]) == (["ok", "title-3.md"], ["ok", "huge-2.md"])
    assert found["megabytes"] < _MOST


def test_a_file_of_100_megabytes_is_noticed(tmp_path: Path) -> None:
    """H6, red: a store that reads whatever is there takes all of it into memory."""
    put_huge(a_library(tmp_path / "project", "seed"))
    found = measured("seed", tmp_path)
    Report({"memories served": found["memories"], "MB grown": round(found["megabytes"])}).show("H6 100 MB", "seed")
    assert found["megabytes"] > _MOST


@pytest.mark.parametrize(("line", "served"), [("x\n", 4), ("abc\n", 4), ("a line of a body\n", 3)])
def test_a_body_of_a_million_lines(tmp_path: Path, line: str, served: int) -> None:
    """H6: what is within the limit is served in bounded memory, what is beyond it is reported; the others are there."""
    memories = a_library(tmp_path / "project")
    (memories / "huge.md").write_text(_FRONT.format(title="Long") + line * 1_000_000)
    found = measured("rawko", tmp_path)
    figures = {"bytes per line": len(line), "memories served": found["memories"], "MB grown": round(found["megabytes"])}
    Report(figures).show("H6 1,000,000 lines")
    assert found["memories"] == served
    assert len(found["problems"]) == 4 - served
    assert found["by title"] == ["ok", "title-3.md"]
    assert found["megabytes"] < _BOUND


def test_fifty_thousand_files(tmp_path: Path) -> None:
    """H6: all of them are served, by name and by title, and one that is too large beside them is reported."""
    memories = a_library(tmp_path / "project")
    for number in range(_MANY):
        (memories / f"m{number}.md").write_text(_FRONT.format(title=f"Many {number}") + oracle.text(f"m{number}"))
    put_huge(memories)
    found = measured("rawko", tmp_path)
    figures = {"files": _MANY + 4, "memories served": found["memories"], "MB grown": round(found["megabytes"])}
    Report(figures).show("H6 50,000 files")
    assert found["memories"] == _MANY + 3
    assert [problem[0] for problem in found["problems"]] == ["huge.md"]
    assert found["by title"] == ["ok", "title-3.md"]
    assert found["megabytes"] < _BOUND
