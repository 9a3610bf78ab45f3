from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from data.dirty import DIRTY, GOOD, Dirty
from rawko.values.errors import UnreadableMemory
from samples import open_library, write

if TYPE_CHECKING:
    from pathlib import Path

    from rawko.library import Library

LOADING = [dirty for dirty in DIRTY if dirty.loads]
REPORTED = [dirty for dirty in DIRTY if not dirty.loads]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A library in which all of them lie together."""
    for dirty in DIRTY:
        write(tmp_path, dirty.name, dirty.data)
    return tmp_path


@pytest.fixture
def library(corpus: Path) -> Library:
    """That library, opened."""
    return open_library("files", corpus)


def test_there_are_forty_of_them() -> None:
    """H1 counts forty files, each under a name of its own."""
    assert len({dirty.name for dirty in DIRTY}) == len(DIRTY) == 40


@pytest.mark.parametrize("dirty", LOADING, ids=[dirty.name for dirty in LOADING])
def test_a_file_that_can_be_read_loads(tmp_path: Path, dirty: Dirty) -> None:
    """H1: what a person would understand loads with the values that person would read."""
    write(tmp_path, dirty.name, dirty.data)
    memory = open_library("files", tmp_path).get(dirty.name)
    assert {name: getattr(memory, name) for name in dirty.loads} == dirty.loads


@pytest.mark.parametrize("dirty", REPORTED, ids=[dirty.name for dirty in REPORTED])
def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path, dirty: Dirty) -> None:
    """H1: name, line, reason and hint, from `problems` and from `get` alike."""
    write(tmp_path, dirty.name, dirty.data)
    library = open_library("files", tmp_path)
    problem = library.problems()[0]
    assert (problem.file, problem.line, problem.level) == (dirty.name, dirty.line, "error")
    assert dirty.reason in problem.reason
    assert problem.hint
    with pytest.raises(UnreadableMemory) as caught:
        library.get(dirty.name)
    assert caught.value.problems[0] == problem


def test_none_is_skipped_silently(library: Library) -> None:
    """H1: every file is a memory or a problem, and none is both."""
    loaded = [memory.file for memory in library.memories()]
    reported = {problem.file for problem in library.problems()}
    assert sorted([*loaded, *reported]) == sorted(dirty.name for dirty in DIRTY)


def test_bad_files_hide_no_good_ones(corpus: Path, library: Library) -> None:
    """U1: a good file among them loads, and each bad one is warned about."""
    write(corpus, "good.md", GOOD.replace('"T"', '"Good"'))
    assert library.get("Good").body == "Body."


def test_skipping_is_logged(library: Library, caplog: pytest.LogCaptureFixture) -> None:
    """U1, U3, K30: a pass over all memories warns of each that it could not read."""
    list(library.memories())
    assert all(any(dirty.name in line for line in caplog.messages) for dirty in REPORTED)


def test_every_file_stays_as_it_is(corpus: Path, library: Library) -> None:
    """H1: reading, searching, validating and writing beside them leaves every byte and every time stamp."""
    folder = corpus / ".rawko" / "memories"
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    library.validate()
    library.log()
    library.remember("Another", "Text.", "x")
    after = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    assert {name: after[name] for name in before} == before


@pytest.mark.parametrize("dirty", REPORTED, ids=[dirty.name for dirty in REPORTED])
def test_nothing_is_appended_to_a_file_that_cannot_be_read(tmp_path: Path, dirty: Dirty) -> None:
    """An update of an unreadable memory is refused and leaves its bytes alone."""
    path = write(tmp_path, dirty.name, dirty.data)
    with pytest.raises(UnreadableMemory):
        open_library("files", tmp_path).update(dirty.name, "More.")
    assert path.read_bytes() == dirty.data
