"""Which memories are judged: what an index leaves out is never what judging everything would have chosen."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from rawko.recall.documents import of_file
from rawko.recall.index import Index
from rawko.testing import ExhaustiveIndex, MemoryStore
from rawko.values.settings import Settings
from rawko.values.task import Task
from recalled import on_disk, picked, set_up, settle, told
from samples import data

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

WORDS = """
gateway certificate rotate nginx proxy header cookie docker image registry pipeline rollout canary helm chart ingress
balancer listener upstream timeout
"""
NOISE = WORDS.split()
LOG = "alpha bravo charlie delta echo foxtrot golf hotel juliet kilo lima mike oscar papa quebec romeo sierra tango"


def noisy(count: int) -> dict[str, bytes]:
    """Memories of one subject beside one of another: the login page."""
    found = {
        f"m{number}.md": data(
            f"Zq{number} {' '.join(NOISE[number % 5 : number % 5 + 15])}",
            title=f'"Zorp{number} deploy"',
            whenToUse="[zzz]",
        )
        for number in range(count)
    }
    return found | {"login.md": data("The login page needs a passkey.", title='"Login page"', whenToUse="[zzzz]")}


def both(texts: Mapping[str, bytes], task: Task, **changes: Any) -> list[list[Any]]:
    """What is told by way of the index, and by way of one that leaves nothing out."""
    return [told(picked(MemoryStore(texts), index, task, **changes)) for index in (Index(), ExhaustiveIndex())]


def files(found: list[Any]) -> list[str]:
    """The files of what was told."""
    return [one[0] for one in found]


@pytest.mark.parametrize("count", [10, 25, 60])
@pytest.mark.parametrize(
    "task",
    [
        Task("Fix the login page", history=" ".join(NOISE)),
        Task("Fix the login page", plan=" ".join(NOISE)),
        Task("\n\n".join(["Fix the login page", *[f"{' '.join(NOISE)} {LOG}"] * 15])),
    ],
    ids=["history", "plan", "log"],
)
def test_what_is_around_a_request_does_not_push_out_what_it_is_about(count: int, task: Task) -> None:
    """A candidate is one for the part that it fits best; a plan and a history only ever add."""
    ours, everything = both(noisy(count), task)
    assert ours == everything
    assert files(ours) == ["login.md"]


def test_words_decide_nothing_where_only_patterns_count() -> None:
    """`match: strict` orders by score, so every memory whose pattern hits is judged."""
    fields = {"whenToUse": "['*login']", "discoveredBy": "other"}
    texts = {
        f"m{number}.md": data(f"Zq{number} login redis session.", title=f'"Zorp {number}"', **fields)
        for number in range(40)
    }
    texts["mine.md"] = data("Zq.", title='"Mine"', whenToUse="['*login']", discoveredBy="tester")
    task = Task("Fix the redis session of the login", agent="tester")
    ours, everything = both(texts, task, settings=Settings(semantic=False, match="strict"))
    assert ours == everything
    assert files(ours)[0] == "mine.md"


def test_what_holds_no_longer_takes_nobodys_place() -> None:
    """Retired memories grow in number, and fit as well as they ever did."""
    library = set_up()
    for number in range(130):
        title = f"Passkey login session redis gateway proxy {number}"
        library.remember(title, f"Zq{number} passkey login redis gateway proxy session cookie", ["zzz"])
        library.deprecate(title, "It is old.")
    library.remember("Login session rule", "The login session of redis: never log a passkey.", ["zzz"])
    selection = library.inject("Fix the passkey login session of the redis gateway proxy")
    assert [one.file for one in selection.memories] == ["login-session-rule.md"]


def test_what_only_a_plan_is_about_is_judged_as_well() -> None:
    """It adds, and for a critical memory that is enough."""
    rotation = data(
        "Rotate the gateway certificate by hand.", title='"Rotation"', whenToUse="[zzz]", importance="critical"
    )
    texts = {name: text for name, text in noisy(15).items() if name != "m0.md"} | {"rotation.md": rotation}
    ours, everything = both(texts, Task("Fix the login page", plan="First rotate the gateway certificate by hand."))
    assert ours == everything
    assert sorted(files(ours)) == ["login.md", "rotation.md"]


def test_more_than_usual_are_judged_where_more_may_go_in() -> None:
    """Each of these fits in its own way, so that none is looked at for being tied with another one."""
    asked = ["redis", "session", "cookie", "proxy", "nginx", "helm"]
    texts = {
        f"m{number:02}.md": data(
            f"Zq{number}. {' '.join(word for place, word in enumerate(asked) if number >> place & 1)}",
            title=f'"Zorp{number}"',
            whenToUse="[login]",
        )
        for number in range(64)
    }
    ours, everything = both(texts, Task(f"Fix the login: {' '.join(asked)}"), most=60)
    assert len(ours) > 50
    assert ours == everything


def test_an_index_is_asked_for_as_many_as_may_go_in() -> None:
    """A limit of fifty is one, and what is left out on request makes room for others."""
    texts = {
        f"m{number:02}.md": data(f"Zq{number} redis.", title=f'"Zorp{number} login"', whenToUse="[login]")
        for number in range(60)
    }
    library = set_up(texts=texts)
    task = "fix the login of redis"
    assert len(library.inject(task, limit=50, budget=100_000).memories) == 50
    seen: list[str] = []
    while found := library.inject(task, budget=100_000, without=seen).memories:
        seen += [one.file for one in found]
    assert sorted(seen) == sorted(texts)


def test_looking_for_candidates_spends_nothing_that_judging_needs() -> None:
    """Regular expressions have an allowance on a long text; it is there twice."""
    texts = {
        f"m{number}.md": data(f"Zq{number}.", title=f'"Zorp {number}"', whenToUse=rf"['err\d+ in (mod|pkg){number}\b']")
        for number in range(8)
    }
    task = Task("lorem ipsum err dolor\n" * 4000 + "err42 in mod0")
    ours, everything = both(texts, task, settings=Settings(semantic=False, match="strict"))
    assert ours == everything == [("m0.md", *ours[0][1:])]


def test_patterns_go_with_the_memories_that_had_them(tmp_path: Path) -> None:
    """A kept index is a fresh one: nothing of a deleted file is looked for, and nothing of it is counted."""
    with on_disk(tmp_path) as library:
        for number in range(5):
            library.remember(f"Zorp {number}", "Zq.", [rf"err\d+ in mod{number}", "login"])
        library.recall.refresh()
        assert library.recall.status()["patterns"] == 6
        for number in range(4):
            (tmp_path / ".rawko" / "memories" / f"zorp-{number}.md").unlink()
        library.recall.refresh()
        assert library.recall.status()["patterns"] == 2


def test_the_numbers_of_rows_decide_nothing(tmp_path: Path) -> None:
    """Of more equals than go in the same ones do, in whatever order their files were last changed."""
    memories = tmp_path / ".rawko" / "memories"
    with on_disk(tmp_path) as library:
        for number in range(30):
            content = data("Login redis session.", title=f'"Login redis session {number:02}"', whenToUse="[zzz]")
            (memories / f"m{number:02}.md").write_bytes(content)
        before = [one.file for one in library.inject("Fix the login session in redis").memories]
        for number in range(12):
            with (memories / f"m{number:02}.md").open("ab") as file:
                file.write(b"\n")
        assert [one.file for one in library.inject("Fix the login session in redis").memories] == before


def test_a_file_that_can_be_read_again_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A permission that comes back changes no time of the file."""
    with on_disk(tmp_path) as library:
        library.remember("Login page", "It needs a passkey.", ["login"])
        settle(tmp_path)
        opening = os.open

        def refuse(path: Any, *values: Any, **named: Any) -> int:
            if os.path.basename(os.fsdecode(path)) == "login-page.md":
                raise PermissionError(13, "Permission denied", path)
            return opening(path, *values, **named)

        with monkeypatch.context() as patch:
            patch.setattr(os, "open", refuse)
            selection = library.inject("Fix the login")
            assert [one.reason for one in selection.unreadable] == ["it cannot be read: no permission to read it"]
        assert [one.file for one in library.inject("Fix the login").memories] == ["login-page.md"]


def test_one_stale_file_is_read_again_and_no_other() -> None:
    """Noticing that a file is not what the index says costs one file, not the index."""
    store = MemoryStore({f"m{number}.md": data(f"Zq{number}.", title=f'"Zorp {number}"') for number in range(5)})
    index = Index()
    made: list[str] = []

    def make(name: str, known: int | None) -> Any:
        made.append(name)
        return of_file(store, name, known)

    index.refresh(store.news, make)
    index.stale("m3.md")
    made.clear()
    index.refresh(store.news, make)
    assert made == ["m3.md"]


def test_what_was_not_there_yet_is_not_called_unreadable() -> None:
    """`--as-of` before the first memory finds nothing, and nothing wrong."""
    library = set_up(texts={"login.md": data("It needs a passkey.", whenToUse="[login]")})
    selection = library.inject("Fix the login", as_of="2020-01-01")
    assert (selection.memories, selection.left_out) == ((), ())


@pytest.mark.parametrize(
    ("pattern", "task"),
    [
        (r'"\0ab?c"', "a \0abc"),
        (r'"a\0b*c"', "a\0b and c"),
        ('"[x*y"', "an [x and a y"),
        (f'"{"-" * 40}a*x"', f"{'-' * 40}a or x"),
        ('"a?*b?"', "xa?yb?"),
    ],
)
def test_odd_signs_in_a_pattern_are_found(pattern: str, task: str) -> None:
    """What SQLite is asked is never narrower than what a pattern means."""
    ours, everything = both(
        {"x.md": data("Zq.", title='"Zorp"', whenToUse=f"[{pattern}]", importance="low")},
        Task(task),
        settings=Settings(semantic=False, match="strict"),
    )
    assert ours == everything
    assert files(ours) == ["x.md"]


@pytest.mark.parametrize(("pattern", "task"), [("Go", "Write the parser in Go"), ("C", "The loop is in C")])
def test_a_language_with_a_little_name_is_meant(pattern: str, task: str) -> None:
    """A task that says it means a memory that is for it."""
    library = set_up(texts={"x.md": data("Run the linter.", title='"Zorp"', whenToUse=f"[{pattern}]")})
    assert [one.file for one in library.inject(task).memories] == ["x.md"]
