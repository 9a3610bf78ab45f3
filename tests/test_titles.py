from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest

from data.titles import titles
from rawko import testing
from rawko.values.errors import InvalidMemory
from rawko.values.text import folded, slug
from samples import open_library

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rawko.library import Library

TITLES = titles()


@pytest.fixture(scope="module", params=["files", "memory"])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A library that remembers something under every title."""
    with open_library(request.param, tmp_path_factory.mktemp("titles")) as library:
        for number, title in enumerate(TITLES):
            library.remember(title, f"Text {number}.", "x")
        yield library


def test_there_are_a_thousand_titles() -> None:
    """H5 counts a thousand, all different."""
    assert len(set(TITLES)) == len(TITLES) == 1000


def test_a_thousand_titles_are_a_thousand_memories(library: Library) -> None:
    """H5: none was taken for another, and every one has its title as it was given."""
    assert sorted(memory.title for memory in library.memories()) == sorted(TITLES)


def test_each_is_found_again_by_its_exact_title(library: Library) -> None:
    """H5: a thousand of a thousand, twins of case and of composition told apart."""
    found = {title: library.get(title).body for title in TITLES}
    assert found == {title: f"Text {number}." for number, title in enumerate(TITLES)}


def test_remembering_a_title_again_updates_the_same_memory(library: Library) -> None:
    """K12: the memory is found by its title, whatever its file is called."""
    before = library.get(TITLES[7]).file
    assert library.remember(TITLES[7], "Again.", "x").file == before


def test_names_are_unique_on_any_file_system(library: Library) -> None:
    """H5: also where case and composition do not count."""
    names = library.store.names().names
    assert len({folded(name) for name in names}) == len(names) == 1000


def test_names_fit_everywhere(library: Library) -> None:
    """H5: at most 200 bytes, composed, in lower case."""
    names = library.store.names().names
    assert [name for name in names if len(name.encode()) > 200] == []
    assert [name for name in names if name != unicodedata.normalize("NFC", name)] == []
    assert [name for name in names if name != name.lower()] == []


def test_names_are_readable(library: Library) -> None:
    """H5, U8: letters, digits and marks of the title's own script, and hyphens."""
    stems = [name.removesuffix(".md") for name in library.store.names().names]
    odd = [stem for stem in stems if not all(char == "-" or unicodedata.category(char)[0] in "LNM" for char in stem)]
    assert odd == []
    assert [stem for stem in stems if stem.strip("-") != stem] == []


def test_only_titles_without_letters_are_named_by_number(library: Library) -> None:
    """U8: a title in any script keeps its words; only one of signs alone gets a made-up name."""
    made_up = [memory.title for memory in library.memories() if memory.file.startswith("memory-")]
    assert made_up
    assert [title for title in made_up if any(char.isalnum() for char in title)] == []


def test_no_name_is_reserved(library: Library) -> None:
    """H5: CON, NUL and their kind are no file names on Windows."""
    reserved = {"con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in range(1, 10))}
    assert reserved & {name.removesuffix(".md") for name in library.store.names().names} == set()


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Authentication Module Structure", "authentication-module-structure"),
        ("OAuth2 Too Broad for MVP!", "oauth2-too-broad-for-mvp"),
        ("  C++   pitfalls  ", "c-pitfalls"),
        ("a -- b", "a-b"),
        ("-lead and trail-", "lead-and-trail"),
        ("under_score", "underscore"),
        ("認証モジュール 構成", "認証モジュール-構成"),
        ("Cafe\u0301", "caf\u00e9"),
        ("CON", "con-memory"),
        ("x" * 300, "x" * 64),
        ("../../etc/passwd", "etcpasswd"),
    ],
)
def test_a_slug_is_the_title_in_kebab_case(title: str, name: str) -> None:
    """B3, U8: lower case, letters and digits, hyphens for spaces, at most 64 characters; other scripts stay."""
    assert slug(title) == name


@pytest.mark.parametrize("title", ["", "   ", "\n\t", "\u2028"])
def test_an_empty_title_is_refused(title: str) -> None:
    """A8: a memory has a title."""
    with pytest.raises(InvalidMemory, match="title"):
        testing.library().remember(title, "Text.", "x")


def test_a_title_that_is_not_unicode_is_refused() -> None:
    """A lone surrogate cannot be written to a file, so it is refused before."""
    with pytest.raises(InvalidMemory, match="Unicode"):
        testing.library().remember("a\ud800b", "Text.", "x")


def test_a_title_of_two_lines_becomes_one() -> None:
    """A title is one line; it is found by either spelling."""
    library = testing.library()
    memory = library.remember("Two\nlines", "Text.", "x")
    assert memory.title == "Two lines"
    assert library.get("Two\nlines").file == library.get("Two lines").file == memory.file
