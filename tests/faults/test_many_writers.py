"""C1, C2, C4, C7: however many write and read at once, nothing is lost and nothing is seen half-done."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

import bad
import crowd
import oracle
from process import SEED, Report, Writer
from rawko.values.errors import RawkoError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rawko.library import Library

_WRITERS = 8
_THREADS = 64
_NEVER = ("lost", "torn", "missing", "twice", "failed", "files too many")


def new_project(store: str, folder: Path) -> Path:
    """A project with a library, where nobody gives up because the machine is slow."""
    with bad.library(store, str(folder), create=True):
        (folder / ".rawko" / "config.yaml").write_text("lockTimeout: 120\n")
    return folder


def compare(report: Report, project: Path, acknowledged: set[str], files: int) -> Report:
    """What the outside parser finds, against what was acknowledged."""
    view = oracle.look(project)
    report.add("there", len(view.whole))
    report.add("lost", view.lost(acknowledged))
    report.add("torn", view.torn)
    report.add("twice", view.twice)
    report.add("files too many", view.files - files)
    return report


# ------------------------------------------------------------ C1


def many_writers(store: str, folder: Path, count: int, crew: int = _WRITERS) -> Report:
    """Many processes create and update three titles at once, while two readers read."""
    project = new_project(store, folder)
    report = Report({"writes": crew * count, "acknowledged": 0, "there": 0, "lost": 0, "torn": 0, "missing": 0})
    with crowd.crowd(*[("many", store, project, SEED, f"w{number}", count) for number in range(crew)]) as writers:
        readers = [crowd.Reader(store, project, writers) for _ in range(2)]
        crowd.read_while(writers, readers, lambda: False)
        take(report, *readers)
    report.add("failed", [line for writer in writers for line in writer.others])
    acknowledged = {ident for writer in writers for ident in writer.acknowledged}
    report.add("acknowledged", len(acknowledged))
    return compare(report, project, acknowledged, len(crowd.TITLES))


def take(report: Report, *readers: crowd.Reader) -> None:
    """Take in what readers counted, after one more look at how it ended."""
    for reader in readers:
        reader.read()
        reader.close()
        for name, count in reader.report.counts.items():
            report.add(name, count)
        report.examples += reader.report.examples


def test_many_writers_lose_nothing(tmp_path: Path, tier: Callable[[int, int], int]) -> None:
    """C1: of what eight processes write to three titles, all is there, and a reader never sees any of it torn."""
    report = many_writers("rawko", tmp_path, tier(25, 250)).show("C1")
    assert report["there"] == report["acknowledged"] == report["writes"]
    assert report.bad(*_NEVER) == {}, report.examples


@pytest.mark.parametrize("store", ["seed", "slow-seed", "rename"])
def test_many_writers_are_noticed(tmp_path: Path, store: str) -> None:
    """C1, red: without a lock, what one writer adds is overwritten by the next."""
    report = many_writers(store, tmp_path, 25, crew=4).show("C1", store)
    assert report["lost"] > 0


# ------------------------------------------------------------ C2


def same_title(store: str, folder: Path, rounds: int, crew: int = _WRITERS) -> Report:
    """Many processes remember the same new title at once, again and again."""
    project = new_project(store, folder)
    report = Report({"rounds": rounds, "acknowledged": 0, "found": 0, "there": 0, "lost": 0, "torn": 0})
    with (
        crowd.crowd(*[("obey", store, project)] * crew) as writers,
        bad.library(store, str(project)) as library,
    ):
        for number in range(rounds):
            title = f"Round {number}"
            for which, writer in enumerate(writers):
                crowd.order(writer, "remember", title, f"r{number}-w{which}")
            for writer in writers:
                writer.take_one()
            report.add("found", _found(library, title))
    report.add("failed", [line for writer in writers for line in writer.others])
    acknowledged = {ident for writer in writers for ident in writer.acknowledged}
    report.add("acknowledged", len(acknowledged))
    return compare(report, project, acknowledged, rounds)


def _found(library: Library, title: str) -> list[str]:
    """The ids that the memory of a title states."""
    try:
        return [ident for part in library.get(title).statements for ident in oracle.whole(part.content)]
    except RawkoError:
        return []


def test_the_same_title_at_once(tmp_path: Path, tier: Callable[[int, int], int]) -> None:
    """C2: the same new title from eight processes is one file with eight statements, each of which is found."""
    report = same_title("rawko", tmp_path, tier(12, 200)).show("C2")
    assert report["found"] == report["there"] == report["acknowledged"] == _WRITERS * report["rounds"]
    assert report.bad(*_NEVER) == {}, report.examples


@pytest.mark.parametrize("store", ["slow-seed", "rename"])
def test_the_same_title_is_noticed(tmp_path: Path, store: str) -> None:
    """C2, red: without a lock, each of them believes that it is the first."""
    report = same_title(store, tmp_path, 6, crew=4).show("C2", store)
    assert report["found"] < 4 * report["rounds"]
    assert report["lost"] > 0


# ------------------------------------------------------------ C4


def reader_during_writer(store: str, folder: Path, seconds: float, reads: int) -> Report:
    """Read while two writers write slowly, for some seconds, and for as long as it takes to have read enough."""
    project = new_project(store, folder)
    report = Report({"reads": 0, "texts read": 0, "acknowledged": 0, "lost": 0, "torn": 0, "missing": 0})
    with (
        Writer("mix", store, project, SEED, "a", "slow") as one,
        Writer("mix", store, project, SEED, "b", "slow") as other,
    ):
        writers = [writer.wait_for("ready") for writer in (one, other)]
        reader = crowd.Reader(store, project, writers, ("Start a", "Start b"))
        deadline = time.monotonic() + seconds
        crowd.read_while(writers, [reader], lambda: time.monotonic() > deadline and reader.report["reads"] >= reads)
    take(report, reader)
    acknowledged = {*one.acknowledged, *other.acknowledged}
    report.add("acknowledged", len(acknowledged))
    report.add("lost", oracle.look(project, strict=False).lost(acknowledged))
    return report


def test_a_reader_never_sees_a_write_half_done(tmp_path: Path, tier: Callable[[int, int], int]) -> None:
    """C4: whoever reads while others write gets whole memories, and never misses one that was there."""
    report = reader_during_writer("rawko", tmp_path, tier(3, 10), tier(100, 1000)).show("C4")
    assert report.bad("torn", "missing", "lost") == {}, report.examples


@pytest.mark.parametrize("store", ["seed", "append"])
def test_a_reader_notices_a_write_half_done(tmp_path: Path, store: str) -> None:
    """C4, red: writing in place shows half a text to whoever reads meanwhile."""
    report = reader_during_writer(store, tmp_path, 1, 20).show("C4", store)
    assert report["torn"] > 0


# ------------------------------------------------------------ C7


def _write(library: Library, thread: int, each: int) -> tuple[list[str], list[str]]:
    """What one thread does with the library that all share; returns what was acknowledged, and what failed."""
    acknowledged, failed = [], []
    for number in range(each):
        ident = f"t{thread}-{number}"
        call = "update" if number % 2 else "remember"
        title = crowd.TITLES[(thread + number // 2) % len(crowd.TITLES)]
        try:
            crowd.write_one(library, call, title, ident)
            idents = _found(library, title)
        except Exception as error:  # noqa: BLE001 - whatever comes out of a thread is what is counted
            failed.append(f"{ident}: {error!r}")
            continue
        acknowledged.append(ident)
        if ident not in idents:
            failed.append(f"{ident} was acknowledged and not found")
    return acknowledged, failed


def in_threads(library: Library, each: int) -> list[tuple[list[str], list[str]]]:
    """All threads begin at once."""
    barrier = threading.Barrier(_THREADS)

    def write(thread: int) -> tuple[list[str], list[str]]:
        barrier.wait()
        return _write(library, thread, each)

    with ThreadPoolExecutor(_THREADS) as pool:
        return list(pool.map(write, range(_THREADS)))


def in_tasks(library: Library, each: int) -> list[tuple[list[str], list[str]]]:
    """The same from an event loop, which must not block meanwhile."""

    async def all_at_once() -> list[tuple[list[str], list[str]]]:
        with ThreadPoolExecutor(_THREADS) as pool:
            asyncio.get_running_loop().set_default_executor(pool)
            writes = (asyncio.to_thread(_write, library, thread, each) for thread in range(_THREADS))
            return await asyncio.gather(*writes)

    return asyncio.run(all_at_once())


_WAYS = {"threads": in_threads, "asyncio": in_tasks}


def one_library(store: str, folder: Path, way: str, each: int) -> Report:
    """Many threads, one library object."""
    project = new_project(store, folder)
    report = Report({"threads": _THREADS, "writes": _THREADS * each, "there": 0, "lost": 0, "torn": 0, "failed": 0})
    with bad.library(store, str(project)) as library:
        done = _WAYS[way](library, each)
    report.add("failed", [line for _, failed in done for line in failed])
    return compare(report, project, {ident for idents, _ in done for ident in idents}, len(crowd.TITLES))


@pytest.mark.parametrize("way", _WAYS)
def test_many_threads_share_one_library(tmp_path: Path, way: str, tier: Callable[[int, int], int]) -> None:
    """C7: 64 threads that share one library object lose nothing, and each finds at once what it wrote."""
    report = one_library("rawko", tmp_path, way, tier(2, 10)).show(f"C7 {way}")
    assert report["there"] == report["writes"]
    assert report.bad(*_NEVER) == {}, report.examples


@pytest.mark.parametrize("way", _WAYS)
def test_many_threads_are_noticed(tmp_path: Path, way: str) -> None:
    """C7, red: without a lock, threads overwrite each other as processes do."""
    report = one_library("slow-seed", tmp_path, way, 2).show(f"C7 {way}", "slow-seed")
    assert report["lost"] > 0
