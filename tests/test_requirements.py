"""Every requirement has a test that proves it, or is named as open with what brings it; and only those may be open."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import NamedTuple

import pytest

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "requirements.md"
_ROW = re.compile(r"^\| ((?:fault )?[A-Z]\d+) \| (.+) \| (.+) \|$", re.MULTILINE)
_TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")
_OPEN = re.compile(r"open: ([a-z ]+)")


def numbered(letters: str) -> set[str]:
    """The ids that `A1-3 B2` stands for."""
    found = set()
    for part in letters.split():
        letter, first, last = re.fullmatch(r"([A-Z])(\d+)(?:-(\d+))?", part).groups()
        found |= {f"{letter}{number}" for number in range(int(first), int(last or first) + 1)}
    return found


REQUIREMENTS = numbered("A1-31 B1-10 C1-13 D1-15 E1-13 F1-11 G1-8 H1-27 I1-37 K1-41 O1-25 U1-20 T1-30")
FAULTS = {f"fault {name}" for name in numbered("D1-11 C1-7 H1-7 S1-15 L1-4")}
MAY_BE_OPEN = {
    "sessions and layers": numbered("H1-27 I1-29 I35-37 K24-29 K31-35 K41 O17-19 O21 T1-15 T21-30")
    | {"fault C3", "fault L1", "fault L2", "fault L3", "fault S12"},
    "learning": numbered("C1-13 K16 K38 O11-13 O15 O20 O25 U14-19") | {"fault S5", "fault S6", "fault S7", "fault S8"},
    "running": numbered("G1-8 I30-34 K36 O14 U20 T16-20") | {"fault L4"},
    "clients": numbered("O22") | {"fault S10", "fault S11"},
    "later": numbered("O1 O5-6 O9 O23-24"),
}


class Row(NamedTuple):
    """One requirement of the page."""

    name: str
    text: str
    proof: str

    @property
    def tests(self) -> list[tuple[str, str]]:
        """The tests that it names, as file and function."""
        return _TEST.findall(self.proof)

    @property
    def open(self) -> list[str]:
        """What it waits for."""
        return _OPEN.findall(self.proof)


ROWS = [Row(*found) for found in _ROW.findall(PAGE.read_text())]


def functions(file: str) -> set[str]:
    """The tests in a file."""
    tree = ast.parse((TESTS / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def missing(row: Row) -> list[str]:
    """The tests that a row names and that do not exist."""
    return [f"{file}::{name}" for file, name in row.tests if not _exists(file, name)]


def _exists(file: str, name: str) -> bool:
    return name.startswith("test_") and (TESTS / file).is_file() and name in functions(file)


def test_every_requirement_has_one_row() -> None:
    """Nothing that was asked for is left off the page, and nothing is on it twice."""
    assert sorted(row.name for row in ROWS) == sorted(REQUIREMENTS | FAULTS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_requirement_is_proved_or_open(row: Row) -> None:
    """A row names tests that exist, or what brings it; what is here already may not be called open."""
    assert row.tests or row.open
    assert missing(row) == []
    assert [what for what in row.open if row.name not in MAY_BE_OPEN.get(what, set())] == []


@pytest.mark.parametrize(
    "row",
    [
        Row("A1", "", "`test_codec.py::test_that_nobody_wrote`"),
        Row("A1", "", "`test_nothing.py::test_that_nobody_wrote`"),
        Row("A1", "", "`samples.py::data`"),
    ],
)
def test_a_test_that_does_not_exist_is_noticed(row: Row) -> None:
    """The page cannot name a test that was renamed or never written."""
    assert missing(row) != []
