"""S4: whoever swaps a file or folder for a link while we look gets nothing from outside read or written."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import bad
import shim
from process import HERE, PATIENCE, SEED, Report
from racer import KINDS, SECRET, Swap
from rawko.store.examine import examine
from rawko.store.memories import FileStore
from rawko.values.errors import RawkoError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from rawko.library import Library

_NEVER = ("read outside", "changed outside", "untyped")
_TRIES_PER_PROJECT = 250

CALLS: dict[str, Callable[[Library, str], object]] = {
    "get": lambda library, name: library.get(name),
    "by title": lambda library, name: library.get(_title(name)),
    "memories": lambda library, _: list(library.memories()),
    "log": lambda library, name: library.log(name),
    "examine": lambda library, _: examine(library.store) if isinstance(library.store, FileStore) else None,
    "update": lambda library, name: library.update(name, "One more thing."),
    "same title": lambda library, name: library.remember(_title(name), "Once more.", ["test"]),
    "forget": lambda library, name: library.forget(name, purge=True, text="inside"),
}
REDUCED = ("by title", "update", "forget")
NAMES = {"link": ["x.md"], "hard link": ["x.md"], "folder": ["sub/y.md"], "memories": ["x.md", "sub/y.md"]}


def _title(name: str) -> str:
    return name.removesuffix(".md").rpartition("/")[2].upper()


class Swapping(shim.Shim):
    """Swaps right before call number `at`."""

    def __init__(self, at: int, swap: Swap, kind: str) -> None:
        self._left = at
        self._swap = swap
        self._kind = kind

    @property
    def swapped(self) -> bool:
        """Whether there was such a call."""
        return self._left <= 0

    def call(self, name: str, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Count, and swap when it is time."""
        self._left -= 1
        if self._left == 0:
            self._swap.out(self._kind)
        return real(*arguments, **options)


def one_try(report: Report, library: Library, call: str, name: str) -> None:
    """Make one call and look at what it gave, or how it failed."""
    report.add("tries", 1)
    try:
        found = repr(CALLS[call](library, name))
    except RawkoError as error:
        found = repr(error)
        report.add("refused", 1)
    except Exception as error:  # noqa: BLE001 - whatever comes out is what is counted
        found = repr(error)
        report.add("untyped", 1, example=f"{call} {name}: {error!r}")
    report.add("read outside", SECRET in found, example=f"{call} {name}: {found}")


def a_library(store: str, folder: Path) -> tuple[Library, Swap]:
    """A library that does not sync, because no power is cut here, and what it is to be swapped for."""
    with bad.library(store, str(folder / "project"), create=True):
        (folder / "project" / ".rawko" / "config.yaml").write_text("durability: off\n")
    swap = Swap(folder / "project", folder / "outside")
    swap.prepare()
    return bad.library(store, str(folder / "project")), swap


def every_step(store: str, folder: Path, kind: str, calls: Collection[str] = CALLS) -> Report:
    """Swap before every step of these calls in turn, and leave the link there until the call has ended."""
    report = Report({"tries": 0, "refused": 0, "read outside": 0, "changed outside": 0})
    library, swap = a_library(store, folder)
    with library:
        for call, name in itertools.product(calls, NAMES[kind]):
            for at in itertools.count(1):
                swap.reset()
                step = Swapping(at, swap, kind)
                with shim.installed(step):
                    one_try(report, library, call, name)
                swap.back()
                report.add("changed outside", swap.changed(), example=f"{call} {name}, step {at}")
                if not step.swapped:
                    break
    return report


@pytest.mark.parametrize("kind", KINDS)
def test_a_swap_at_any_step_leads_nowhere(tmp_path: Path, tier: Callable[[int, int], int], kind: str) -> None:
    """S4: a link that appears before any step of a call is not followed, neither to read nor to write."""
    calls = [*CALLS] if tier(0, 1) else REDUCED
    report = every_step("rawko", tmp_path, kind, calls).show(f"S4 {kind} at every step")
    assert report["refused"] > 0
    assert report.bad(*_NEVER) == {}, report.examples


@pytest.mark.parametrize("kind", KINDS)
def test_a_swap_at_any_step_is_noticed(tmp_path: Path, kind: str) -> None:
    """S4, red: a store that opens by path follows the link."""
    report = every_step("seed", tmp_path, kind).show(f"S4 {kind} at every step", "seed")
    assert report["read outside"] + report["changed outside"] > 0


def race(store: str, folder: Path, tries: int) -> Report:
    """Make calls while another process swaps as fast as it can."""
    chance = random.Random(SEED)
    report = Report({"tries": 0, "swaps": 0, "refused": 0, "read outside": 0, "changed outside": 0})
    for number in range(0, tries, _TRIES_PER_PROJECT):
        library, _ = a_library(store, folder / str(number))
        command = [
            sys.executable,
            HERE / "racer.py",
            folder / str(number) / "project",
            folder / str(number) / "outside",
        ]
        with library, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as racer:
            assert racer.stdout
            racer.stdout.readline()
            for _ in range(min(_TRIES_PER_PROJECT, tries - number)):
                one_try(report, library, chance.choice([*CALLS]), chance.choice(NAMES["memories"]))
            out, _ = racer.communicate("", timeout=PATIENCE)
        told = json.loads(out)
        report.add("swaps", told["swaps"])
        report.add("changed outside", told["changed outside"])
    return report


def test_a_race_for_links_is_won(tmp_path: Path, tier: Callable[[int, int], int]) -> None:
    """S4: with links coming and going all the time, nothing outside is ever read or changed."""
    report = race("rawko", tmp_path, tier(500, 10_000)).show("S4 race")
    assert report["swaps"] > 0
    assert report["refused"] > 0
    assert report.bad(*_NEVER) == {}, report.examples


def test_a_race_for_links_is_noticed(tmp_path: Path) -> None:
    """S4, red: a store that opens by path is led outside sooner or later."""
    for number in range(20):
        report = race("seed", tmp_path / f"race {number}", 500).show("S4 race", "seed")
        if report["read outside"] + report["changed outside"]:
            return
    pytest.fail("the careless store was never led outside")
