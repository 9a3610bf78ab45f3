"""S13: whatever is asked for, in whatever words, the answer is hits, none, or an error of ours."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from process import SEED, Report
from rawko.recall import index
from rawko.values.errors import InvalidTask, RawkoError
from recalled import on_disk, titles
from samples import data, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rawko.library import Library

NEVER = ("untyped", "foreign rows")
PIECES = [
    '"', '""', "'", "`", "NEAR(", "NEAR/3", "AND", "OR", "NOT", "*", "^", "-", "+", ":", "{", "}", "(", ")", "[", "]",
    "terms:", "rowid", "word", "document", "MATCH", "'; DROP TABLE document; --", "%", "_", "?", "?1", ":a", "@a", "$a",
    "\x00", "\ud800", "\udfff", "\ufeff", "\u202e", "\U000e0041", "\r", "\n", "\t", "\x1b[31m", "\\", "\\u0000", "page",
    "login", "gateway", "数据库", "データ", "ก", "é", "e\u0301", "ß", "İ", "ﬁ", "😀", "👩\u200d💻", "0", "-1", "1e400",
    "2026-01-23",
    "2026-99-99", "json_each", "$[0]", "NULL", "null", "{}", "[]", ".", "..", "/", "../../etc/passwd", "x" * 5000,
]  # fmt: skip
FILTERS: list[tuple[str, list[Any]]] = [
    ("tag", ["constraints", "' OR 1=1 --", "", [], ["x", "y"], "\ud800", 7, None, {"a": 1}]),
    ("importance", ["low", "critical", "urgent", "", None, 7, [], "low' --"]),
    ("agent", ["tester", "nobody", "", None, "\x00", 7, "*"]),
    ("since", ["2026-01-01", "yesterday", "", None, "9999-99-99", 7, "2026-01-23T10:30:00Z", "\x00"]),
    ("until", ["2026-12-31", "tomorrow", None, "0000-00-00", "-1"]),
    ("rowid", ["1"]),
    ("name; --", ["x"]),
    ("kind", ["problem"]),
]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """A library with a few memories and one that waits outside of every answer."""
    write(tmp_path, "login.md", data("The login page.", title='"Login"', whenToUse="[login, page.*]"))
    write(tmp_path, "gateway.md", data("The gateway.", title='"Gateway"', whenToUse='["gateway|数据库", "*.toml"]'))
    write(tmp_path, "broken.md", b"---\nbroken")
    with on_disk(tmp_path) as library:
        library.remember("Secret", "Nobody may know.", ["zzz"])
        library.forget("Secret", purge=True)
        yield library


def fuzzed(chance: random.Random) -> str:
    """A text made of what means something to somebody."""
    text = "".join(chance.choice([*PIECES, " ", " "]) for _ in range(chance.randrange(12)))
    return text if chance.random() < 0.8 else "".join(chr(chance.randrange(0x110000)) for _ in range(20))


def asked(library: Library, count: int) -> Report:
    """Search and inject with fuzzed texts and filters, and count how it ended."""
    chance = random.Random(SEED)
    report = Report({"asked": 0, "answered": 0, "refused": 0, "untyped": 0, "foreign rows": 0})
    known = {"login.md", "gateway.md"}
    for _ in range(count):
        text, filters = fuzzed(chance), {}
        for name, values in chance.sample(FILTERS, chance.randrange(3)):
            filters[name] = chance.choice(values)
        calls: list[Callable[[], set[str]]] = [
            lambda text=text, filters=filters: {one.id for one in library.search(text, **filters)},  # type: ignore[misc]
            lambda text=text: {one.file for one in library.inject(text, agent=text[:20], plan=text[::-1]).memories},  # type: ignore[misc]
        ]
        for call in calls:
            report.add("asked", 1)
            try:
                found = call()
                report.add("answered", 1)
                report.add("foreign rows", len(found - known), example=repr(text)[:200])
            except RawkoError:
                report.add("refused", 1)
            except Exception as error:  # noqa: BLE001 - whatever comes out is what is counted
                report.add("untyped", 1, example=f"{error!r} for {text[:100]!r} {filters!r}")
    return report


def test_no_text_and_no_filter_breaks_a_search(library: Library, tier: Callable[[int, int], int]) -> None:
    """S13: 5,000 fuzzed queries and filters: no error but ours, nothing that was not asked for."""
    report = asked(library, tier(500, 5000)).show("S13 search and inject")
    assert report.bad(*NEVER) == {}, report.examples


class Pasting(index.Index):
    """An index that is careless in one way: it pastes what is asked for into the query of the full text."""

    def candidates(self, question: index.Question, limit: int = 200) -> list[Any]:
        """Whatever matches the text as it is."""
        text = question.haystack.task.raw if question.haystack else " ".join(question.terms)
        connection = self._table._open()
        rows = connection.execute(f"SELECT rowid FROM word WHERE word MATCH '{text}'").fetchall()
        return self._documents([row[0] for row in rows])


@pytest.mark.usefixtures("library")
def test_text_that_means_something_to_sqlite_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S13, red: who pastes a text into a query gets errors of SQLite."""
    monkeypatch.setattr("rawko.recall.recollection.Index", Pasting)
    with on_disk(tmp_path) as library:
        report = asked(library, 60).show("S13 search and inject", "pasting")
    assert report["untyped"] > 0
    assert "OperationalError" in str(report.examples)


@pytest.mark.parametrize(
    "text",
    ["login " * 170_000, "x" * 1_000_000, '"' * 1_000_000, "数据库" * 300_000, "\x00" * 1_000_000],
    ids=["words", "one word", "quotes", "chinese", "nul"],
)
def test_a_megabyte_of_text_is_answered(library: Library, text: str) -> None:
    """S13, S1: a query or a task of a megabyte ends."""
    found = library.search(text)
    assert {one.id for one in found} <= {"login.md", "gateway.md"}
    assert {one.file for one in library.inject(text).memories} <= {"login.md", "gateway.md"}


@pytest.mark.parametrize("query", ['"', "NEAR(login page)", "login*", "terms:login", "login NOT x", "(login", "^login"])
def test_what_is_syntax_elsewhere_is_words_here(library: Library, query: str) -> None:
    """S13: a query is words; the ones in it are found."""
    assert [one.id for one in library.search(query)] == (["login.md"] if "login" in query else [])


@pytest.mark.parametrize("name", ["rowid", "kind", "name", "document", "tag; --", ""])
def test_an_unknown_filter_is_named(library: Library, name: str) -> None:
    """S13: a filter that there is not is refused, and never a column."""
    with pytest.raises(InvalidTask, match="is not a filter"):
        library.search("login", **{name: "x"})


@pytest.mark.parametrize(
    ("arguments", "filters"),
    [
        ((None,), {}),
        ((7,), {}),
        ((b"login",), {}),
        (("login", "5"), {}),
        (("login", None), {}),
        (("login", True), {}),
        (("login", 5, 7), {}),
        (("login", 5, ["memory"]), {}),
        (("login",), {"tag": 7}),
        (("login",), {"tag": [7]}),
        (("login",), {"tag": {"a": 1}}),
        (("login",), {"agent": 7}),
        (("login",), {"importance": ["low"]}),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(library: Library, arguments: Any, filters: dict[str, Any]) -> None:
    """S13: what is not a text, a number or a tag is said so, and never taken for no filter at all."""
    with pytest.raises(InvalidTask):
        library.search(*arguments, **filters)


@pytest.mark.parametrize("name", ["'; DROP TABLE document; --", '"', "a'b", "NEAR", "terms", "数据库", "-", "x*"])
def test_a_memory_may_be_called_anything(library: Library, name: str) -> None:
    """S13: titles, patterns, tags and texts are kept and found as they are."""
    library.remember(f"{name} zorp", f"{name} zorp zorp.", [f"{name}|zorp"], tags=[name], agent=name)
    assert library.search("zorp", tag=name, agent=name)[0].title == f"{name} zorp"
    assert titles(library.inject("zorp")) == [f"{name} zorp"]
