"""The index against one that leaves nothing out: the same choice, the same scores, the same order, the same figures."""

from __future__ import annotations

import os
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rawko.recall import documents, search
from rawko.recall.candidates import Question
from rawko.recall.index import Index
from rawko.recall.pattern import Haystack
from rawko.store.seal import Seal
from rawko.testing import ExhaustiveIndex, FixedClock, MemoryStore
from rawko.values.errors import MemoryNotFound, RawkoError
from rawko.values.memory import IMPORTANCES
from rawko.values.queries import query_terms
from rawko.values.settings import Settings
from rawko.values.task import Task
from rawko.values.words import STOP_WORDS
from recalled import keep, on_disk, picked, set_up, told
from samples import data

if TYPE_CHECKING:
    from rawko.library import Library
    from rawko.values.document import Document

WORDS = [
    "login", "page", "redis", "cache", "auth", "authentication", "deploy", "gateway", "certificate", "rotate", "the",
    "when", "fix", "user_id", "userid", "v1.2", "OAuth", "数据库", "データベース", "据库", "café", "CAFE", "kubernetes",
    "don't", "well-known",
]  # fmt: skip
PATTERNS = [
    "login", "auth", "login|page", "login.*page", "redis.{0,3}cache", "cache?", "caf?", "When working on auth",
    "When touching the db", "rotating the gateway certificate", "*", "", "|", "[*", "tester", "test", "数据库",
    "データ", "(login|auth) page", "user_id", "v1.2", "c++", "OAuth", "deploy.+gateway",
    "If the task mentions kubernetes",
]  # fmt: skip

texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
patterns = st.lists(st.one_of(st.sampled_from(PATTERNS), st.sampled_from(WORDS)), min_size=1, max_size=3)
memories = st.fixed_dictionaries(
    {
        "title": st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
        "content": st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join),
        "when_to_use": patterns.filter(lambda some: any(one.strip() for one in some)),
        "importance": st.sampled_from(IMPORTANCES),
        "tags": st.lists(st.sampled_from(["code", "failures", "testing"]), max_size=2),
        "agent": st.sampled_from(["developer", "tester"]),
    }
)
tasks = st.builds(Task, texts, st.sampled_from(["", "developer", "tester"]), texts, st.just(""))
places = st.integers(0, 5)
changes = st.one_of(
    st.tuples(st.just("remember"), places, memories),
    st.tuples(st.just("update"), places, memories),
    st.tuples(st.just("correct"), places, memories),
    st.tuples(st.just("deprecate"), places, memories),
    st.tuples(st.just("restore"), places, memories),
    st.tuples(st.just("forget"), places, memories),
    st.tuples(st.just("edit"), places, memories),
    st.tuples(st.just("break"), places, memories),
    st.tuples(st.just("delete"), places, memories),
    st.tuples(st.just("refresh"), places, memories),
)

FEWER = settings(max_examples=settings().max_examples // 4, suppress_health_check=[HealthCheck.too_slow])
"""For what writes to a disk."""


def change(library: Library, what: str, place: int, memory: dict[str, Any]) -> None:
    """Do one thing to a library, as rawko or as a person does it; what cannot be done is not done."""
    names = library.store.names().names
    if what == "remember" or not names:
        library.remember(**memory)
        return
    name = names[place % len(names)]
    try:
        if what == "update":
            library.update(name, memory["content"], when_to_use=memory["when_to_use"], importance=memory["importance"])
        elif what in ("correct", "deprecate", "restore"):
            getattr(library, what)(name, memory["content"])
        elif what == "forget":
            library.forget(name, purge=True)
    except RawkoError:
        return
    if library.folder and what in ("edit", "break", "delete"):
        by_hand(Path(library.folder) / "memories" / name, what, memory)


def by_hand(path: Path, what: str, memory: dict[str, Any]) -> None:
    """Change a file behind rawko's back."""
    if what == "delete":
        path.unlink()
    else:
        path.write_bytes(data(memory["content"], title=f'"{memory["title"]}"') if what == "edit" else b"---\nbroken")


def filled(some: list[dict[str, Any]], more: list[tuple[str, int, dict[str, Any]]] | None = None) -> Library:
    """A library without a disk that has all this."""
    library = set_up()
    for one in some:
        library.remember(**one)
    for one in more or ():
        change(library, *one)
    return library


def refreshed(library: Library, index: Any) -> Any:
    """An index that knows what a library has now."""
    index.refresh(library.store.news, partial(documents.of_file, library.store))
    return index


def known(library: Library, index: Any, task: Task) -> tuple[Any, list[Document]]:
    """What an index says of everything and of a task."""
    terms = {term for one in refreshed(library, ExhaustiveIndex())._readable() for term in " ".join(one.fields).split()}
    figures = index.figures(terms)
    question = Question((dict.fromkeys(sorted(terms), 1.0),), haystack=Haystack.of(task))
    return figures, sorted(index.candidates(question))


# ---------------------------------------------------------------- the same choice


@given(st.lists(memories, min_size=1, max_size=8), st.lists(changes, max_size=4), tasks, st.booleans())
def test_the_index_changes_no_choice(some: list[Any], more: list[Any], task: Task, strict: bool) -> None:
    """DESIGN 7, O3: with the index and without one, a task gets the same memories, scores and order."""
    library = filled(some, more)
    chosen = Settings(semantic=False, match="strict" if strict else "meaning")
    expected = told(picked(library.store, ExhaustiveIndex(), task, chosen))
    assert told(picked(library.store, Index(), task, chosen)) == expected


@given(st.lists(memories, min_size=1, max_size=8), tasks)
@example([{"title": "Zorp", "content": "Zarp.", "when_to_use": ["When working on auth"]}], Task("authentication"))
@example([{"title": "Zorp", "content": "Zarp.", "when_to_use": ["When touching the db"]}], Task("the database"))
def test_the_index_leaves_out_nothing_that_matches(some: list[Any], task: Task) -> None:
    """D2, E13: whatever matches is considered, be it chosen or left out with a reason."""
    library = filled(some)
    both = [picked(library.store, index, task, most=2).selection for index in (ExhaustiveIndex(), Index())]
    expected, found = ({one.file for one in each.left_out if one.match and one.match.strength} for each in both)
    assert found == expected


@given(st.lists(memories, min_size=1, max_size=8), st.lists(changes, max_size=4), texts)
@example([{"title": "a", "content": "数据库", "when_to_use": ["x"]}], [], "据库")
def test_the_index_changes_no_search(some: list[Any], more: list[Any], query: str) -> None:
    """O16: a search finds the same by the same score in the same order, but what has only little words of it."""
    library = filled(some, more)
    oracle = refreshed(library, ExhaustiveIndex())
    telling = {term for term in oracle.figures(query_terms(query)).frequency if term not in STOP_WORDS}
    expected = [
        (one.document.name, one.score)
        for one in search.search(oracle, query)
        if not telling or telling.intersection(" ".join(one.document.fields).split())
    ]
    assert [(one.document.name, one.score) for one in search.search(refreshed(library, Index()), query)] == expected


# ---------------------------------------------------------------- keeping up


@settings(FEWER)
@given(st.lists(changes, min_size=1, max_size=12), tasks)
def test_a_kept_index_is_a_fresh_one(some: list[Any], task: Task) -> None:
    """DESIGN 3, D9: after any changes by rawko or by hand, it says what one says that was built from nothing."""
    with tempfile.TemporaryDirectory() as folder, on_disk(Path(folder)) as library:
        kept = Index(Seal(str(library.folder), "index"))
        for what, place, memory in some:
            change(library, what, place, memory)
            if what == "refresh":
                refreshed(library, kept)
        fresh = refreshed(library, Index())
        assert known(library, refreshed(library, kept), task) == known(library, fresh, task)
        kept.close()


@settings(FEWER)
@given(st.lists(changes, min_size=1, max_size=8), tasks)
def test_an_index_on_disk_has_the_figures_of_the_oracle(some: list[Any], task: Task) -> None:
    """D9: how many documents there are, how long, how many have each term; and every one is found by its words."""
    with tempfile.TemporaryDirectory() as folder, on_disk(Path(folder)) as library:
        kept = Index(Seal(str(library.folder), "index"))
        for what, place, memory in some:
            change(library, what, place, memory)
            refreshed(library, kept)
        assert known(library, kept, task) == known(library, refreshed(library, ExhaustiveIndex()), task)
        kept.close()


def test_a_deleted_index_answers_the_same(tmp_path: Path) -> None:
    """DESIGN 1: files are the truth; delete what is derived and get the same answers."""
    with on_disk(tmp_path) as library:
        for letter in "abcdefgh":
            keep(library, f"Zorp {letter}")
        before = str(library.inject("Add a login page"))
    for path in (tmp_path / ".rawko" / ".cache").iterdir():
        path.unlink()
    with on_disk(tmp_path) as library:
        assert str(library.inject("Add a login page")) == before


def test_more_documents_than_an_index_compares_change_no_choice() -> None:
    """DESIGN 9: among a thousand, those with the rarest words of the task are still the ones that are chosen."""
    texts = {
        f"{number}.md": data(f"Login page number {number} of the site, zorp{number % 97}.", title=f'"Page {number}"')
        for number in range(1000)
    }
    texts["gateway.md"] = data("The gateway certificate is rotated by hand.", title='"Gateway"', whenToUse="[gateway]")
    store, task = MemoryStore(texts), Task("Rotate the gateway certificate on the login page")
    assert told(picked(store, Index(), task)) == told(picked(store, ExhaustiveIndex(), task))


# ---------------------------------------------------------------- the oracle itself


def test_the_oracle_returns_every_document_it_can_read() -> None:
    """What is compared with leaves nothing out."""
    library = set_up(texts={"a.md": data(), "b.md": b"broken"})
    index = refreshed(library, ExhaustiveIndex())
    assert [one.name for one in index.candidates(Question(({},)))] == ["a.md"]


def test_the_oracle_counts() -> None:
    """Its figures can be checked by hand."""
    library = set_up(texts={"a.md": data("zz qq", title='"x y z"'), "b.md": data("zz", title='"x"')})
    figures = refreshed(library, ExhaustiveIndex()).figures({"zz", "qq", "x", "absent"})
    assert (figures.documents, figures.frequency) == (2, {"zz": 2, "qq": 1, "x": 2})
    assert (figures.lengths[0], figures.lengths[3]) == (2.0, 1.5)


class Forgetful(Index):
    """An index that is careless in one way: it does not take out what is gone."""

    def _changed(self, news: Any) -> Any:
        changed, mark = super()._changed(news)
        return {name: version for name, version in changed.items() if version is not None}, mark


def test_an_index_that_does_not_keep_up_is_noticed(tmp_path: Path) -> None:
    """Red: the comparison fails for one that keeps what was deleted."""
    with on_disk(tmp_path, FixedClock()) as library:
        index = Forgetful(Seal(str(library.folder), "index"))
        keep(library, "Zorp a")
        keep(library, "Zorp b")
        refreshed(library, index)
        os.unlink(tmp_path / ".rawko" / "memories" / "zorp-a.md")
        task = Task("Add a login page")
        assert known(library, refreshed(library, index), task) != known(library, refreshed(library, Index()), task)


def test_a_file_that_is_gone_is_not_read(tmp_path: Path) -> None:
    """U7: between the look at the folder and the look at the file, a file may vanish."""
    with on_disk(tmp_path) as library:
        keep(library, "Zorp a")
        found = documents.of_file(library.store, "gone.md")
        with pytest.raises(MemoryNotFound):
            library.store.read("gone.md")
        assert found
        assert (found.kind, found.head.problem) == ("problem", "it was deleted meanwhile")
