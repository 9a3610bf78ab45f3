"""H2, H3: what git makes of memories when branches meet: a union where it may, and a conflict that shows where not."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

import repository
from process import SEED, Report
from rawko.store.examine import examine
from rawko.store.memories import FileStore
from rawko.values.errors import RawkoError, UnreadableMemory
from repository import TEXTS, Repository
from writer import remember, seen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from rawko.library import Library
    from rawko.values.memory import Memory, Update

pytestmark = pytest.mark.skipif(repository.missing_tool() != "", reason=repository.missing_tool())

_BRANCHES = ("main", "one", "two")
_AGENTS = ("ada", "grace", "linus")
_MERGES_PER_REPOSITORY = 5

# ------------------------------------------------------------ H2

_CONFLICT = "conflict.md"
_H2_NEVER = ("unreported", "wrong line", "a side not shown", "read", "changed", "others affected", "not readable again")


def _edit(project: Repository, branch: str, old: str, new: str) -> None:
    path = project.path(branch, _CONFLICT)
    path.write_text(path.read_text().replace(old, new))


def in_frontmatter(project: Repository, branch: str, side: str) -> None:
    """Each side edits the same line of the frontmatter by hand."""
    _edit(project, branch, "discoveredBy: user", f"discoveredBy: {side}")


def in_body(project: Repository, branch: str, side: str) -> None:
    """Each side edits the same line of the text by hand."""
    _edit(project, branch, "What it says.", f"What {side} says.")


def in_updates(project: Repository, branch: str, side: str) -> None:
    """Each side appends an update, as the library does."""
    with project.library(branch) as library:
        library.update("Conflict", f"What {side} says.")


def whole_file(project: Repository, branch: str, side: str) -> None:
    """Each side adds the same file with a text of its own."""
    lines = [f"title: {side}", f"whenToUse: [{side}]", "importance: low", f"discoveredBy: {side}"]
    front = "\n".join(["---", *lines, "discoveredAt: 2026-01-23", "---"])
    path = project.path(branch, _CONFLICT)
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{front}\n\n{side}\n")


_PLACES = {"frontmatter": in_frontmatter, "body": in_body, "updates": in_updates, "whole file": whole_file}
_STYLES = ("merge", "diff3", "zdiff3")


def conflicts(folder: Path, place: str, rounds: int, store: str = "rawko") -> Report:
    """Let two branches meet without .gitattributes, in every style in which git marks a conflict."""
    report = Report({"conflicts": 0, **dict.fromkeys(_H2_NEVER, 0)})
    for number in range(rounds):
        chance = random.Random(f"{SEED} {place} {number}")
        sides = [f"side-{chance.getrandbits(32):08x}" for _ in range(2)]
        project = _parted(folder / f"{number}", place, TEXTS["anything"](chance, "base"), sides)
        for style in _STYLES:
            report.add("conflicts", project.merge("main", "one", style))
            _check_conflict(report, project, sides, store)
            repository.git(project.main, "reset", "-q", "--hard")
    return report


def _parted(folder: Path, place: str, text: str, sides: list[str]) -> Repository:
    """A project with two branches that will not merge."""
    folder.mkdir()
    project = Repository(folder, attributes=False)
    with project.library("main") as library:
        for ident in ("other-1", "other-2"):
            remember(library, ident, ident)
        if place != "whole file":
            library.remember("Conflict", f"{text}\n\nWhat it says.", ["test"])
    project.commit("main")
    project.branch("one")
    for branch, side in zip(("main", "one"), sides, strict=True):
        _PLACES[place](project, branch, side)
        project.commit(branch)
    return project


def _check_conflict(report: Report, project: Repository, sides: list[str], store: str) -> None:
    path = project.path("main", _CONFLICT)
    before = path.read_bytes()
    marked = next(number for number, line in enumerate(before.split(b"\n"), 1) if line.startswith(b"<<<<<<<"))
    with project.library("main", store) as library:
        told = [problem for problem in library.problems() if "conflict" in problem.reason]
        report.add("unreported", [problem.file for problem in told] != [_CONFLICT], example=library.problems())
        report.add("wrong line", [problem.line for problem in told] != [marked], example=told)
        if isinstance(library.store, FileStore):
            shown = "\n".join(problem.reason for problem in examine(library.store))
            report.add("a side not shown", [side for side in sides if side not in shown], example=shown)
        report.add("read", _touched(library))
        report.add("changed", path.read_bytes() != before)
        found = seen(library)["whole"]
        report.add("others affected", sorted(found) != ["other-1", "other-2"], example=found)
        repository.git(project.checkout("main"), "checkout", "--ours", str(path))
        report.add("not readable again", [str(problem) for problem in library.problems()])


def _touched(library: Library) -> list[str]:
    """Which calls take a file in conflict for a memory."""
    calls = {"get": library.get, "update": lambda name: library.update(name, "More.")}
    done = []
    for name, call in calls.items():
        try:
            call(_CONFLICT)
        except UnreadableMemory:
            continue
        done.append(name)
    return done


@pytest.mark.parametrize("place", _PLACES)
def test_a_conflict_is_reported(tmp_path: Path, place: str, tier: Callable[[int, int], int]) -> None:
    """H2: a git conflict is reported with file and line and both its sides, and touches no other memory."""
    report = conflicts(tmp_path, place, tier(1, 10)).show(f"H2 {place}")
    assert report["conflicts"] == len(_STYLES) * tier(1, 10)
    assert report.bad(*_H2_NEVER) == {}, report.examples


@pytest.mark.parametrize("place", ["frontmatter", "body"])
def test_a_hidden_conflict_is_noticed(tmp_path: Path, place: str) -> None:
    """H2, red: a store that leaves out the marker lines reports no conflict, or takes both sides for one text."""
    assert conflicts(tmp_path, place, 1, "forgiving").show(f"H2 {place}", "forgiving")["unreported"] > 0


def test_doctor_shows_a_conflict(tmp_path: Path) -> None:
    """H2: `rawko doctor` names the conflict with both sides, and fails."""
    project = Repository(tmp_path, attributes=False)
    project.branch("one")
    for branch in ("main", "one"):
        whole_file(project, branch, f"side-{branch}")
        project.commit(branch)
    assert project.merge("main", "one") == [f".rawko/memories/{_CONFLICT}"]
    command = [sys.executable, "-m", "rawko", "doctor", "--library", str(project.main)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"{_CONFLICT}:2: error: there is an unresolved git conflict" in done.stdout
    assert "title: side-main" in done.stdout
    assert "title: side-one" in done.stdout


# ------------------------------------------------------------ H3

Stated = tuple[str, str, str, str, str, str]
_NEVER = (
    "conflicts",
    "lines lost",
    "damaged",
    "not as written",
    "altered or too many",
    "patterns lost",
    "refused afterwards",
)
_TITLE = re.compile(r'^title: "(.*)"$', re.MULTILINE)


def stated(memory: Memory, part: Update) -> Stated:
    """A statement with its provenance, as it must come out of every merge."""
    return memory.title, part.at.isoformat(), part.by, part.kind, part.task or "", part.content


@dataclass
class Branch:
    """What was written on a branch, or on one that was merged into it."""

    statements: Counter[Stated] = field(default_factory=Counter)
    patterns: set[tuple[str, str]] = field(default_factory=set)

    def take(self, other: Branch) -> None:
        """Take in what another branch has."""
        self.statements |= other.statements
        self.patterns |= other.patterns


class Work:
    """Somebody who writes on a branch, and remembers what."""

    def __init__(
        self, chance: random.Random, text: Callable[[random.Random, str], str], calls: tuple[str, ...]
    ) -> None:
        self._chance = chance
        self._text = text
        self._calls = calls
        self._count = 0

    def write(self, library: Library, branch: Branch, call: str = "") -> None:
        """Make one call, and enter what it stated as the library returned it."""
        self._count += 1
        ident = f"n{self._count}"
        call = call or self._chance.choice(self._calls)
        agent, task, pattern = self._chance.choice(_AGENTS), self._chance.choice([None, "Fix it"]), f"pattern {ident}"
        content = self._text(self._chance, ident)
        if call in ("new", "same title"):
            title = f"Memory {ident}" if call == "new" else f"Shared {self._chance.randint(1, 3)}"
            patterns = [pattern] if call == "new" or self._chance.random() < 0.5 else ["shared"]
            memory = library.remember(title, content, patterns, agent=agent, task=task)
        else:
            title = self._chance.choice(sorted(memory.title for memory in library.memories()))
            patterns = [pattern] if call == "update" else []
            more = {"when_to_use": patterns} if call == "update" else {}
            memory = getattr(library, call)(title, content, agent=agent, task=task, **more)
        branch.statements[stated(memory, memory.statements[-1])] += 1
        branch.patterns.update((title, pattern) for pattern in patterns)


def merges(folder: Path, text: str, calls: Sequence[str], count: int, *, attributes: bool = True) -> Report:
    """Write on three branches and merge them with each other, again and again; everything is everywhere in the end."""
    report = Report({"merges": 0, "statements": 0, **dict.fromkeys(_NEVER, 0)})
    number = 0
    while report["merges"] < count:
        number += 1
        chance = random.Random(f"{SEED} {text} {calls} {number}")
        place = folder / f"{number}"
        place.mkdir()
        _merge_again_and_again(
            report, Repository(place, attributes=attributes), Work(chance, TEXTS[text], calls), chance
        )
    return report


def _merge_again_and_again(report: Report, project: Repository, work: Work, chance: random.Random) -> None:
    known = {name: Branch() for name in _BRANCHES}
    with project.library("main") as library:
        work.write(library, known["main"], "new")
        work.write(library, known["main"], "new")
    project.commit("main")
    for name in _BRANCHES[1:]:
        project.branch(name)
        known[name].take(known["main"])
    for _ in range(_MERGES_PER_REPOSITORY):
        into, other = chance.sample(_BRANCHES, 2)
        for name in (into, other):
            _write(project, name, work, known[name], chance.randint(1, 3))
        report.add("merges", 1)
        conflicts = project.merge(into, other)
        report.add("conflicts", conflicts)
        if conflicts:
            return
        known[into].take(known[other])
        report.add("lines lost", _lost_lines(project.path(into, ""), known[into]))
        if not _is_whole(report, project.library(into), known[into]):
            return


def _write(project: Repository, name: str, work: Work, branch: Branch, count: int) -> None:
    with project.library(name) as library:
        for _ in range(count):
            work.write(library, branch)
    project.commit(name)


def _lost_lines(folder: Path, branch: Branch) -> list[str]:
    """The lines of texts that are in no file of their title any more, by a look at the files alone."""
    there: dict[str, set[str]] = {}
    for path in folder.iterdir():
        content = path.read_text()
        there.setdefault(_TITLE.findall(content)[0], set()).update(content.replace("\n\\", "\n").split("\n"))
    return [line for title, *_, text in branch.statements for line in text.split("\n") if line not in there[title]]


def _is_whole(report: Report, library: Library, branch: Branch) -> bool:
    """Compare what a library states with what was written; whether it is the same."""
    with library:
        survey = library.survey()
        found = Counter(stated(memory, part) for memory in survey.memories for part in memory.statements)
        patterns = {(memory.title, pattern) for memory in survey.memories for pattern in memory.when_to_use}
        report.counts["statements"] = max(report["statements"], found.total())
        report.add("damaged", [str(problem) for problem in survey.problems])
        report.add("not as written", list((branch.statements - found).elements()))
        report.add("altered or too many", list((found - branch.statements).elements()))
        report.add("patterns lost", branch.patterns - patterns)
        is_whole = found == branch.statements and not survey.problems
        for memory in survey.memories:
            _update(report, library, memory, branch)
        return is_whole


def _update(report: Report, library: Library, memory: Memory, branch: Branch) -> None:
    """Whatever a merge made of a file, it can be added to."""
    try:
        after = library.update(memory.file, "Later.", agent="ada")
    except RawkoError as error:
        report.add("refused afterwards", 1, example=str(error))
        return
    report.add("altered or too many", after.statements[:-1] != memory.statements)
    branch.statements[stated(after, after.statements[-1])] += 1


_UPDATES = ("new", "update", "update", "correct")
_SAME_TITLE = ("same title",)


@pytest.mark.parametrize("text", TEXTS)
def test_updates_of_one_memory_merge(tmp_path: Path, text: str, tier: Callable[[int, int], int]) -> None:
    """H3: branches that add memories and updates merge without conflict; each statement is whole with its origin."""
    report = merges(tmp_path, text, _UPDATES, tier(5, 40)).show(f"H3 updates, {text}")
    assert report.bad(*_NEVER) == {}, "\n".join(report.examples)


@pytest.mark.parametrize("text", TEXTS)
def test_the_same_title_merges(tmp_path: Path, text: str, tier: Callable[[int, int], int]) -> None:
    """H3: where branches add the same title crosswise, no line is lost and all is readable; not always whose it is."""
    report = merges(tmp_path, text, _SAME_TITLE, tier(5, 40)).show(f"H3 same title, {text}")
    never = [name for name in _NEVER if name not in ("not as written", "altered or too many")]
    assert report.bad(*never) == {}, "\n".join(report.examples)


def added_twice(folder: Path, text: str, count: int) -> Report:
    """Two branches add a memory of the same title, each in its own words, and are merged."""
    report = Report({"merges": 0, "conflicts": 0, "not both": 0})
    for number in range(count):
        chance = random.Random(f"{SEED} twice {text} {number}")
        (folder / f"{number}").mkdir()
        project = Repository(folder / f"{number}")
        written = set()
        for name in ("ours", "theirs"):
            project.branch(name)
            content, who = TEXTS[text](chance, name), chance.choice(["ada", "grace"])
            with project.library(name) as library:
                task = chance.choice([None, "Fix it"])
                part = library.remember("Shared", content, ["test"], agent=who, task=task).first
            written.add((part.at, part.by, part.content))
            project.commit(name)
        report.add("merges", 1)
        report.add("conflicts", project.merge("ours", "theirs"))
        found = {(part.at, part.by, part.content) for part in project.library("ours").get("Shared").statements}
        report.add("not both", found != written, example=f"{number}: {found ^ written}")
    return report


@pytest.mark.parametrize("text", ["plain", "identical"])
def test_a_title_that_was_added_twice(tmp_path: Path, text: str, tier: Callable[[int, int], int]) -> None:
    """H3: two branches that add the same title, with different texts or the same, become one memory that says both."""
    report = added_twice(tmp_path, text, tier(4, 40)).show(f"H3 added twice, {text}")
    assert report.bad("conflicts", "not both") == {}, "\n".join(report.examples)


def test_a_branch_that_was_left_takes_no_names(tmp_path: Path) -> None:
    """H3: in one checkout, the same title on another branch gets the same file, so that the two can merge."""
    project = Repository(tmp_path)
    with project.library("main") as library:
        library.remember("Base", "What all say.", ["test"])
        project.commit("main")
        repository.git(project.main, "checkout", "-q", "-b", "one")
        there = library.remember("Same", "What one says.", ["test"]).file
        project.commit("main")
        repository.git(project.main, "checkout", "-q", "main")
        assert library.remember("Same", "What the other says.", ["test"]).file == there


def test_merges_without_attributes_are_noticed(tmp_path: Path) -> None:
    """H3, red: without the .gitattributes of `rawko init`, the same merges are conflicts."""
    assert merges(tmp_path, "plain", _UPDATES, 5, attributes=False).show("H3", "no .gitattributes")["conflicts"] > 0
