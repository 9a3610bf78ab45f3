"""What goes into a prompt and what stays out: statuses, repetitions, budgets, moments, and several libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import rawko
from rawko.recall.recollection import Place, Recollection, Wish
from rawko.store.memories import FileStore
from rawko.store.receipts import Receipts
from rawko.store.seam import News, Stored
from rawko.testing import FixedClock, MemoryStore
from rawko.values.errors import InvalidTask, MemoryNotFound, StoreUnavailable
from rawko.values.settings import Settings
from rawko.values.task import Task
from rawko.values.tokens import tokens
from recalled import keep, on_disk, only, reasons, set_up, settle, titles
from samples import data, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rawko.library import Library

TASK = "Add a login page"
LONG = " ".join(f"The login has a sentence number {number} that says a little more." for number in range(200))

OTHER = "Every guest had another wish, and most of those were granted. " * 200


@pytest.fixture
def library(clock: FixedClock) -> Library:
    """An empty library that knows words and no vectors."""
    return set_up(clock)


# ---------------------------------------------------------------- the prompt


@pytest.mark.parametrize("base", ["You are a developer.", "", "ends with a line\n", "\r\n  spaces  "])
def test_without_memories_a_prompt_is_what_it_was(library: Library, base: str) -> None:
    """F1: byte for byte."""
    keep(library, "Known", "login", importance="critical")
    selection = library.inject("Write the docs")
    assert (str(selection), bool(selection), selection.tokens) == ("", False, 0)
    assert library.prompt("developer", "Write the docs", base=base) == base


def test_the_block_follows_the_prompt(library: Library) -> None:
    """F2, F8, F10: after two line ends, under its heading, it is the end of the agent's system prompt."""
    keep(library, "Known")
    selection = library.inject(TASK, agent="developer")
    assert str(selection).startswith("## Background Knowledge from Previous Runs\n\n### Known\n")
    system = library.prompt("developer", TASK, base="You are a developer.")
    assert system == f"You are a developer.\n\n{selection}"


def test_a_prompt_of_nothing_else_is_the_block(library: Library) -> None:
    """Without a base nothing stands above the heading; without either there is nothing."""
    keep(library, "Known")
    assert library.prompt("developer", TASK) == str(library.inject(TASK, agent="developer"))
    assert library.prompt("developer", "Write the docs") == ""


def test_memories_stand_in_the_block_by_rank(library: Library) -> None:
    """F9, F4: the order of the block is that of the selection."""
    keep(library, "Zorp a", importance="low")
    keep(library, "Zorp b", importance="critical")
    keep(library, "Zorp c", importance="high")
    selection = library.inject(TASK)
    headings = [line[4:] for line in str(selection).splitlines() if line.startswith("### ")]
    assert headings == titles(selection) == ["Zorp b", "Zorp c", "Zorp a"]


def test_a_correction_is_told_first(library: Library) -> None:
    """B8, K15: what holds stands before what was said at first."""
    library.remember("Known", f"The port is 5432. {LONG}", ["login"])
    library.correct("Known", "The port is 6432.")
    block = str(library.inject(TASK))
    assert 0 < block.index("The port is 6432.") < block.index("The port is 5432.")


def test_a_correction_is_found_by_its_words(library: Library) -> None:
    """B8, B9: what a correction says counts for the next task."""
    keep(library, "Known", "zzz", importance="high")
    library.correct("Known", "The warehouse moved: the warehouse is in Rotterdam.")
    assert titles(library.inject("Where is the warehouse in Rotterdam?")) == ["Known"]


@pytest.mark.parametrize("budget", [0, 20, 60, 200, 1500])
def test_a_block_keeps_to_its_budget(library: Library, budget: int) -> None:
    """F11, O10: the whole block, headings included."""
    for letter in "abcde":
        library.remember(f"Zorp {letter}", f"{letter * 5} {LONG}", ["login"])
    selection = library.inject(TASK, budget=budget)
    assert tokens(str(selection)) == selection.tokens <= budget


def test_the_budget_is_a_setting(clock: FixedClock) -> None:
    """O10: 1,500 unless the library says otherwise."""
    library = set_up(clock, budget=100)
    library.remember("Known", LONG, ["login"])
    assert 0 < library.inject(TASK).tokens <= 100


def test_what_has_no_room_is_named(library: Library) -> None:
    """F11, E13: a memory that did not fit is left out with that reason."""
    keep(library, "Zorp a", importance="high")
    keep(library, "Zorp b", importance="low")
    assert reasons(library.inject(TASK, budget=50)) == {"Zorp b": "no room left in the budget"}


def test_what_is_left_of_the_budget_goes_to_the_best(library: Library) -> None:
    """K40, O10: the first of two long memories is told at greater length."""
    library.remember("Zorp a", f"Aaa. {LONG}", ["login"], importance="high")
    library.remember("Zorp b", OTHER, ["login"], importance="low")
    best, other = library.inject(TASK, budget=900).memories
    assert (best.memory.title, best.characters > other.characters) == ("Zorp a", True)


def test_without_filling_each_has_its_share(clock: FixedClock) -> None:
    """K40, K23: `fill: false` stops at 500 characters each."""
    library = set_up(clock, fill=False)
    library.remember("Known", LONG, ["login"])
    selection = library.inject(TASK)
    content = str(selection).split("\n\n", 2)[2].removesuffix("\n\n")
    assert (only(selection).characters, len(content) <= 500) == (500, True)


# ---------------------------------------------------------------- what may not go in


def test_what_is_deprecated_stays_out(library: Library) -> None:
    """O5: it is named among what was left out, and never told."""
    keep(library, "Known", importance="critical")
    library.deprecate("Known", "No longer so.")
    selection = library.inject(TASK)
    assert (titles(selection), reasons(selection), str(selection)) == ([], {"Known": "deprecated"}, "")


def test_what_was_superseded_stays_out(library: Library) -> None:
    """O5: its successor is told."""
    keep(library, "Old")
    keep(library, "New")
    library.supersede("Old", by="New")
    selection = library.inject(TASK)
    assert (titles(selection), reasons(selection)) == (["New"], {"Old": "superseded"})


def test_what_was_restored_goes_in_again(library: Library) -> None:
    """O5: the last word counts."""
    keep(library, "Known")
    library.deprecate("Known", "No longer so.")
    library.restore("Known", "It is, after all.")
    assert titles(library.inject(TASK)) == ["Known"]


def test_what_was_forgotten_stays_out(library: Library) -> None:
    """A purged memory is not told; its stub says nothing about the task."""
    keep(library, "Known", importance="critical")
    library.forget("Known", purge=True)
    assert titles(library.inject(TASK)) == []


@pytest.mark.parametrize("task", ["forgotten", "Text was removed for good", "Forgotten on 2026-01-23"])
def test_a_stub_is_never_told(library: Library, task: str) -> None:
    """Not even to a task that has its words."""
    keep(library, "Known", importance="critical")
    library.forget("Known", purge=True)
    selection = library.inject(task)
    assert (titles(selection), set(reasons(selection).values()) <= {"forgotten"}) == ([], True)


def test_a_file_that_cannot_be_read_hides_no_other(clock: FixedClock) -> None:
    """K30, G7: the others are told."""
    texts = {"good.md": data(), "bad.md": b"---\ntitle: [\n---\n", "worse.md": b"\xff\xfe\x00"}
    assert titles(set_up(clock, texts).inject("run the test")) == ["Tests need Redis"]


def test_a_conflict_of_a_merge_is_not_told(clock: FixedClock) -> None:
    """H2: a file with both sides of a conflict is nobody's statement."""
    text = data("<<<<<<< HEAD\nPort 1.\n=======\nPort 2.\n>>>>>>> other\n")
    assert titles(set_up(clock, {"a.md": text}).inject("run the test")) == []


def test_a_caller_may_leave_memories_out(library: Library) -> None:
    """`without` takes names and titles, and the selection says so."""
    keep(library, "Zorp a")
    keep(library, "Zorp b")
    selection = library.inject(TASK, without=["zorp-a.md"])
    assert (titles(selection), reasons(selection)) == (["Zorp b"], {"Zorp a": "left out on request"})


def test_what_cannot_be_left_out_is_an_error(library: Library) -> None:
    """A misspelt name is not silently told."""
    with pytest.raises(MemoryNotFound):
        library.inject(TASK, without=["nothing"])


@pytest.mark.parametrize(
    "wish",
    [{"limit": -1}, {"limit": True}, {"limit": "5"}, {"budget": -1}, {"budget": 1.5}, {"min_importance": "urgent"}],
)
def test_a_wish_that_makes_no_sense_is_refused(library: Library, wish: dict[str, Any]) -> None:
    """What cannot be meant is said so, before anything is looked at."""
    with pytest.raises(InvalidTask):
        library.inject(TASK, **wish)


# ---------------------------------------------------------------- what says the same


def test_what_says_the_same_goes_in_once(library: Library) -> None:
    """O8: of two memories with the same text the better one is told."""
    text = "The login page is rendered on the server, and the session is kept in Redis."
    library.remember("Zorp a", text, ["login"], importance="medium")
    library.remember("Zorp b", f"{text} Always.", ["login"], importance="high")
    selection = library.inject(TASK)
    assert (titles(selection), reasons(selection)) == (["Zorp b"], {"Zorp a": "says the same as zorp-b.md"})


def test_what_repeats_another_takes_nobodys_place(library: Library) -> None:
    """O8: N counts what says something new."""
    text = "The login page is rendered on the server, and the session is kept in Redis."
    library.remember("Zorp a", text, ["login"], importance="high")
    library.remember("Zorp b", text, ["login"], importance="high")
    keep(library, "Zorp c", importance="low")
    assert titles(library.inject(TASK, limit=2)) == ["Zorp a", "Zorp c"]


def test_what_says_something_else_in_few_words_is_not_the_same(library: Library) -> None:
    """O8: a value that differs is what matters."""
    library.remember("Zorp a", "The login page times out after 30 seconds.", ["login"])
    library.remember("Zorp b", "The token of the login lives for 15 minutes.", ["login"])
    assert titles(library.inject(TASK)) == ["Zorp a", "Zorp b"]


# ---------------------------------------------------------------- moments


def test_the_past_is_told_as_it_was(library: Library, clock: FixedClock) -> None:
    """`as_of`: what was stated later is not known yet."""
    keep(library, "Zorp a", content="The port is 5432.")
    clock.advance(days=1)
    library.correct("Zorp a", "The port is 6432.")
    keep(library, "Zorp b")
    selection = library.inject(TASK, as_of="2026-01-23")
    assert (titles(selection), "6432" in str(selection)) == (["Zorp a"], False)


def test_what_is_deprecated_now_held_then(library: Library, clock: FixedClock) -> None:
    """`as_of`: a status counts from when it was given."""
    keep(library, "Known")
    clock.advance(days=1)
    library.deprecate("Known", "No longer so.")
    assert titles(library.inject(TASK, as_of="2026-01-23")) == ["Known"]


def test_a_moment_before_everything_has_nothing(library: Library) -> None:
    """`as_of`: nothing was known yet."""
    keep(library, "Known")
    assert titles(library.inject(TASK, as_of="2020-01-01")) == []


def test_a_moment_that_is_none_is_refused(library: Library) -> None:
    """`as_of` takes dates."""
    with pytest.raises(InvalidTask, match="not a date"):
        library.inject(TASK, as_of="yesterday")


def test_a_time_that_is_none_is_refused(library: Library) -> None:
    """`now` takes them too."""
    with pytest.raises(InvalidTask, match="not a date"):
        library.inject(TASK, now="yesterday")


@pytest.mark.parametrize("name", ["since", "until"])
def test_a_filter_by_a_date_that_is_none_is_refused(library: Library, name: str) -> None:
    """What is asked for cannot be answered; no memory is wrong."""
    with pytest.raises(InvalidTask, match="not a date"):
        library.search("redis", **{name: "yesterday"})


# ---------------------------------------------------------------- the user's own library


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    """A project's library and the user's beside it, each with a memory."""
    home = tmp_path / "home"
    monkeypatch.setenv("RAWKO_HOME", str(home))
    (home / "memories").mkdir(parents=True)
    (home / "config.yaml").write_text("semantic: false\ndurability: off\n")
    (home / "memories" / "mine.md").write_bytes(data("Mine wants Redis.", title='"Mine"', importance="critical"))
    (tmp_path / "project").mkdir()
    with rawko.open(tmp_path / "project", create=True) as library:
        write(tmp_path / "project", "ours.md", data("Ours is about Postgres.", title='"Ours"', importance="high"))
        yield library


def test_the_users_memories_compete(two: Library) -> None:
    """DESIGN 2: recall reads both, and one choice is made of all."""
    assert titles(two.inject("run the test")) == ["Mine", "Ours"]


def test_each_memory_says_which_library_it_is_from(two: Library) -> None:
    """DESIGN 2: in the selection and in the block."""
    selection = two.inject("run the test")
    assert [one.origin for one in selection.memories] == ["user library", ""]
    assert str(selection).count("*From: user library*") == 1


def test_search_reads_the_users_memories_too(two: Library) -> None:
    """DESIGN 2: and says where each is from."""
    assert {(one.title, one.origin) for one in two.search("redis postgres")} == {
        ("Mine", "user library"),
        ("Ours", ""),
    }


def test_a_selection_of_two_libraries_is_replayed(two: Library) -> None:
    """A receipt says from which library each memory was."""
    selection = two.inject("run the test")
    assert two.replay(selection.receipt) == str(selection)


def test_the_same_name_in_both_libraries_is_two_memories(two: Library, tmp_path: Path) -> None:
    """A name is one only within a library."""
    write(tmp_path / "project", "mine.md", data("Another text altogether.", title='"Mine, ours"'))
    assert titles(two.inject("run the test")) == ["Mine", "Mine, ours", "Ours"]


def test_a_name_to_leave_out_means_the_projects_memory(two: Library, tmp_path: Path) -> None:
    """Where both libraries have one of that name, the other is told."""
    write(tmp_path / "project", "mine.md", data("Another text altogether.", title='"Mine, ours"'))
    selection = two.inject("run the test", without=["mine"])
    assert titles(selection) == ["Mine", "Ours"]
    assert reasons(selection) == {"Mine, ours": "left out on request"}


@pytest.mark.parametrize("name", ["mine.md", "mine", "Mine"])
def test_a_name_to_leave_out_may_be_one_of_the_user(two: Library, name: str) -> None:
    """By title or file, where the project has none of it."""
    selection = two.inject("run the test", without=name)
    assert (titles(selection), reasons(selection)) == (["Ours"], {"Mine": "left out on request"})


def test_a_name_that_neither_library_has_is_an_error(two: Library) -> None:
    """A misspelt name is not silently told."""
    with pytest.raises(MemoryNotFound, match="there is no memory 'nothing'"):
        two.inject("run the test", without=["nothing"])


def test_a_link_to_the_users_folder_is_followed(two: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some keep it among their dotfiles."""
    (tmp_path / "link").symlink_to(tmp_path / "home")
    monkeypatch.setenv("RAWKO_HOME", str(tmp_path / "link"))
    with rawko.open(tmp_path / "project") as library:
        assert titles(library.inject("run the test")) == titles(two.inject("run the test")) == ["Mine", "Ours"]


@pytest.fixture
def linked(two: Library, tmp_path: Path) -> Library:
    """Both libraries, of which the user's has become a link to memories elsewhere after it was read."""
    two.inject("run the test")
    (tmp_path / "home" / "memories").rename(tmp_path / "elsewhere")
    (tmp_path / "home" / "memories").symlink_to(tmp_path / "elsewhere")
    return two


def test_a_link_in_the_users_library_is_a_warning(
    linked: Library, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Once, with its name and what to do; nothing of it takes part, and the project's memories are chosen."""
    selection = linked.inject("run the test")
    assert (titles(selection), reasons(selection)) == (["Ours"], {})
    [said] = caplog.messages
    assert said.startswith(f"the user library {tmp_path}/home/memories takes no part: it is a symbolic link")
    assert "set RAWKO_HOME" in said


def test_a_search_goes_without_a_users_library_that_is_a_link(linked: Library) -> None:
    """What its index still knows is not shown."""
    assert [one.title for one in linked.search("redis postgres")] == ["Ours"]


def test_the_past_is_told_without_a_users_library_that_is_a_link(linked: Library) -> None:
    """`as_of` reads every file, of those that can be read."""
    assert titles(linked.inject("run the test", as_of="2026-12-31")) == ["Ours"]


def test_a_link_in_the_projects_library_is_an_error(two: Library, tmp_path: Path) -> None:
    """What a project has learned is not silently missing."""
    folder = tmp_path / "project" / ".rawko" / "memories"
    folder.rename(tmp_path / "ours")
    folder.symlink_to(tmp_path / "ours")
    with pytest.raises(StoreUnavailable):
        two.inject("run the test")


def test_the_users_library_is_not_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who works in the user's own library has each memory once."""
    monkeypatch.setenv("RAWKO_HOME", str(tmp_path / ".rawko"))
    (tmp_path / ".rawko").mkdir()
    (tmp_path / ".rawko" / "config.yaml").write_text("semantic: false\n")
    with rawko.open(tmp_path, create=True) as library:
        write(tmp_path, "mine.md", data())
        assert titles(library.inject("run the test")) == ["Tests need Redis"]


def test_a_user_without_memories_has_no_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder for settings alone is no library, and none is made there."""
    monkeypatch.setenv("RAWKO_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.yaml").write_text("semantic: false\n")
    with rawko.open(tmp_path, create=True) as library:
        library.inject("run the test")
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["config.yaml"]


# ---------------------------------------------------------------- what is read


class Counting(FileStore):
    """A store that notes which texts were read."""

    def __init__(self, root: str, settings: Settings) -> None:
        super().__init__(root, settings=settings)
        self.reads: list[str] = []

    def read(self, name: str) -> Stored:
        """The text, noted."""
        self.reads.append(name)
        return super().read(name)


@pytest.mark.parametrize("count", [20, 300])
def test_only_what_is_chosen_is_read(tmp_path: Path, count: int) -> None:
    """A7, O3: with an index that knows the files, an injection opens those that go into the prompt."""
    for number in range(count):
        write(tmp_path, f"other-{number}.md", data(f"Zorp {number}.", title=f'"Other {number}"', whenToUse="[cluster]"))
    write(tmp_path, "chosen.md", data(title='"Chosen"', whenToUse="[login]"))
    settle(tmp_path)
    with on_disk(tmp_path) as library:
        library.recall.refresh()
    with on_disk(tmp_path, kind=Counting) as library:
        assert titles(library.inject(TASK)) == ["Chosen"]
        assert library.store.reads == ["chosen.md"]  # type: ignore[attr-defined]


def test_a_task_without_a_match_reads_nothing(tmp_path: Path) -> None:
    """A7: not even one file."""
    write(tmp_path, "known.md", data())
    settle(tmp_path)
    with on_disk(tmp_path) as library:
        library.recall.refresh()
    with on_disk(tmp_path, kind=Counting) as library:
        library.inject(TASK)
        assert library.store.reads == []  # type: ignore[attr-defined]


def test_only_what_changed_is_read_again(tmp_path: Path, clock: FixedClock) -> None:
    """O3: a write costs the index that one file."""
    for letter in "abc":
        write(tmp_path, f"{letter}.md", data(f"Zorp {letter}.", title=f'"{letter}"', whenToUse="[cluster]"))
    settle(tmp_path)
    with on_disk(tmp_path) as library:
        library.recall.refresh()
    with on_disk(tmp_path, clock, kind=Counting) as library:
        library.update("b.md", "More.")
        library.store.reads.clear()  # type: ignore[attr-defined]
        library.inject(TASK)
        assert library.store.reads == ["b.md"]  # type: ignore[attr-defined]


# ---------------------------------------------------------------- files that change while they are chosen


class Restless(MemoryStore):
    """A store in which one text is another at every look, though its version is the same."""

    def read(self, name: str) -> Stored:
        """The text, and how often it was read."""
        found = super().read(name)
        if name != "restless.md":
            return found
        self.looks = getattr(self, "looks", 0) + 1
        return Stored(name, found.data + b"x" * self.looks)


class Locked(MemoryStore):
    """A store that does not let itself be read."""

    def news(self, mark: str = "") -> News:
        """Nothing but the refusal."""
        raise StoreUnavailable("cannot read memories: Permission denied", hint="check the permissions of the folder")


def recollection(*stores: MemoryStore) -> Recollection:
    """Recall over stores of several origins."""
    places = [Place(store, None, f"origin {number}") for number, store in enumerate(stores)]
    return Recollection(places, Settings(semantic=False), Receipts(None))


def test_a_file_that_never_rests_is_not_told(clock: FixedClock) -> None:
    """G7, U7: what cannot be read as it was judged stays out, and the others go in."""
    store = Restless({"restless.md": data("Zorp a."), "quiet.md": data("Zarp b.", title='"Quiet"')})
    assert titles(recollection(store).inject(Task("run the test"), Wish(), clock.now)) == ["Quiet"]


def test_a_file_that_never_rests_hides_no_namesake(clock: FixedClock) -> None:
    """G7: a memory of the same name in another library is another memory."""
    stores = Restless({"restless.md": data("Zorp a.")}), MemoryStore({"restless.md": data("Zarp b.", title='"Quiet"')})
    assert titles(recollection(*stores).inject(Task("run the test"), Wish(), clock.now)) == ["Quiet"]


def test_another_library_that_cannot_be_read_is_a_warning(clock: FixedClock, caplog: pytest.LogCaptureFixture) -> None:
    """With what the system says, and what to do."""
    stores = MemoryStore({"quiet.md": data("Zarp b.", title='"Quiet"')}), Locked({"mine.md": data("Zorp a.")})
    assert titles(recollection(*stores).inject(Task("run the test"), Wish(), clock.now)) == ["Quiet"]
    [said] = caplog.messages
    assert said.endswith("takes no part: cannot read memories: Permission denied (check the permissions of the folder)")


def test_a_library_of_its_own_that_cannot_be_read_is_an_error(clock: FixedClock) -> None:
    """Nothing is chosen as if there were nothing."""
    with pytest.raises(StoreUnavailable, match="Permission denied"):
        recollection(Locked(), MemoryStore()).inject(Task("run the test"), Wish(), clock.now)


def test_one_name_to_leave_out_is_a_name(library: Library) -> None:
    """A text is one name, not its letters."""
    keep(library, "Known")
    assert library.inject(TASK, without="known.md").memories == ()


@pytest.mark.parametrize("now", [FixedClock()().replace(tzinfo=None), "2026-01-23", "2026-01-23T10:30:00Z"])
def test_the_time_may_be_said_in_any_form(library: Library, now: Any) -> None:
    """A date, a time, or a `datetime` without a zone, which is in UTC."""
    keep(library, "Known")
    assert only(library.inject(TASK, now=now)).file == "known.md"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Always run the migrations before the deploy of the login page.",
            "Always run the migrations after the deploy of the login page.",
        ),
        (
            "The port of the login service is 8080, behind the proxy.",
            "The port of the login service is 8081, behind the proxy.",
        ),
        (
            "The login page may be cached by the proxy for a day or so.",
            "The login page may not be cached by the proxy for a day or so.",
        ),
    ],
)
def test_what_says_the_opposite_is_not_the_same(library: Library, one: str, other: str) -> None:
    """O8: however many words two texts share, one that turns the sentence round tells them apart."""
    library.remember("Zorp a", one, ["login"])
    library.remember("Zorp b", other, ["login"])
    assert titles(library.inject(TASK)) == ["Zorp a", "Zorp b"]


def test_texts_about_two_subjects_are_not_the_same(library: Library) -> None:
    """O8: a word that only one of the titles has is what it is about."""
    text = "The login page of {} is rendered on the server, and the session is kept in Redis."
    library.remember("Staging", text.format("staging"), ["login"])
    library.remember("Production", text.format("production"), ["login"])
    assert titles(library.inject(TASK)) == ["Production", "Staging"]


def test_vectors_are_made_when_nobody_waits(tmp_path: Path) -> None:
    """An injection embeds nothing but its task; what is missing is embedded when the library is closed."""
    with on_disk(tmp_path, semantic=True) as library:
        keep(library, "Known")
        settle(tmp_path)
        library.inject(TASK)
        assert library.recall.indexes[0].embed(lambda _: "", 0) == 1
    with on_disk(tmp_path, semantic=True) as library:
        library.inject(TASK)
        assert library.recall.indexes[0].embed(lambda _: "", 0) == 0
