"""What a library does, on every store: each test that takes `library` runs on files and without a disk."""

from __future__ import annotations

import inspect
import re
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rawko
from faults import shim
from rawko import testing
from rawko.library import Library
from rawko.store.codec import MAX_BYTES
from rawko.store.config import Configured
from rawko.store.memories import FileStore
from rawko.testing import FixedClock, MemoryStore
from rawko.values.errors import InvalidMemory, MemoryNotFound, UnreadableMemory
from rawko.values.memory import Draft
from rawko.values.settings import Settings
from samples import data, everything, put, raw, remember, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOW = datetime(2026, 1, 23, 10, 30, tzinfo=UTC)
BROKEN = data(importance="urgent", title='"Broken"')


def refused(call: Callable[[], object]) -> InvalidMemory:
    """How a call is refused."""
    with pytest.raises(InvalidMemory) as caught:
        call()
    return caught.value


# ---------------------------------------------------------------- remember


def test_a_memory_has_what_it_was_given(library: Library) -> None:
    """DESIGN 10: every argument of `remember` is an attribute of the memory."""
    memory = library.remember(
        title="Tests need Redis",
        content="Start it with `make redis`.",
        when_to_use=["test|pytest", "redis"],
        importance="high",
        tags=["constraints"],
        agent="developer",
        task="Fix the queue",
        source="Makefile",
        related=["how-we-deploy.md"],
    )
    assert (memory.file, memory.title, memory.content) == (
        "tests-need-redis.md",
        "Tests need Redis",
        "Start it with `make redis`.",
    )
    assert (memory.when_to_use, memory.tags, memory.importance) == (("test|pytest", "redis"), ("constraints",), "high")
    assert (memory.discovered_at, memory.discovered_by, memory.discovered_in) == (NOW, "developer", "Fix the queue")
    assert (memory.source, memory.related, memory.status) == ("Makefile", ("how-we-deploy.md",), "active")


def test_what_is_returned_is_what_is_kept(library: Library) -> None:
    """A memory that was just made reads back equal."""
    made = remember(library, content=" # T\r\n\r\ntext ", tags=["a"], task="x ", when_to_use=[" a ", "b"])
    assert library.get("Redis") == made
    assert made.content == "# T\n\ntext"


def test_one_text_does_where_a_list_is_asked_for(library: Library) -> None:
    """A9: a pattern, a tag or a related memory alone is a list of one, not one of letters."""
    memory = remember(library, when_to_use="test", tags="constraints", related="a.md")
    assert (memory.when_to_use, memory.tags, memory.related) == (("test",), ("constraints",), ("a.md",))


def test_what_is_optional_may_be_none(library: Library) -> None:
    """A15 to A17, K11: nothing but title, content and pattern is needed."""
    memory = remember(library, tags=None, agent=None, task=None, source=None, related=None)
    assert (memory.tags, memory.related, memory.source, memory.discovered_in) == ((), (), None, None)
    assert (memory.importance, memory.discovered_by) == ("medium", "user")


def test_a_new_memory_is_one_file_with_one_statement(library: Library) -> None:
    """B5: a new file is the formatted memory only."""
    memory = remember(library)
    assert (memory.updates, memory.discovered_at) == ((), memory.updated_at)
    assert raw(library).endswith("---\n\nStart it.\n")


def test_the_same_title_again_is_an_update(library: Library, clock: FixedClock) -> None:
    """B7, K12: the same knowledge found again is appended under a dated heading; what was there is intact."""
    before = remember(library)
    old = raw(library)
    clock.advance(days=1)
    memory = remember(library, content="Again.", agent="tester")
    assert (memory.file, memory.first, len(list(library.memories()))) == (before.file, before.first, 1)
    assert raw(library).startswith(f"{old}\n\n---\n\n## Update (2026-01-24)\n<!-- rawko:1 ")
    assert (memory.updates[0].content, memory.updates[0].by) == ("Again.", "tester")


def test_the_same_title_adds_patterns_and_tags(library: Library) -> None:
    """B9, K14: patterns, tags and related memories are the union, once each, oldest first."""
    remember(library, when_to_use=["a", "b"], tags=["x"], related=["one"])
    memory = remember(library, when_to_use=["b", "c"], tags=["x", "y"], related=["two"])
    assert (memory.when_to_use, memory.tags, memory.related) == (("a", "b", "c"), ("x", "y"), ("one", "two"))


def test_an_update_says_only_what_it_adds(library: Library) -> None:
    """A file is for reading: what is known is not said again with every update."""
    remember(library, when_to_use=["a", "b"], tags=["x"])
    memory = remember(library, when_to_use=["b", "c"], tags=["x"])
    assert (memory.updates[0].when_to_use, memory.updates[0].tags) == (("c",), ())


@pytest.mark.parametrize(("first", "second", "holds"), [("low", "critical", "critical"), ("high", "low", "high")])
def test_the_same_title_can_only_raise_the_importance(library: Library, first: str, second: str, holds: str) -> None:
    """B9, K14: the highest importance that anybody gave holds."""
    remember(library, importance=first)
    assert remember(library, importance=second).importance == holds


def test_the_first_source_holds(library: Library) -> None:
    """A16: who found it again elsewhere does not change where it was found first."""
    remember(library, source="Makefile")
    assert remember(library, source="README").source == "Makefile"


def test_a_title_in_another_case_is_another_memory(library: Library) -> None:
    """K12: on writing a title is compared exactly, and the name gets a number."""
    assert (remember(library, "Redis").file, remember(library, "REDIS").file) == ("redis.md", "redis-2.md")


def test_two_titles_that_fold_alike_get_two_names(library: Library) -> None:
    """H5: no two names differ in case alone, not even those of one batch."""
    memories = library.append_many([Draft("Straße", "x", "x"), Draft("Strasse", "x", "x")])
    assert [memory.file for memory in memories] == ["straße.md", "strasse-2.md"]


def test_a_memory_under_any_file_name_is_updated_by_its_title(library: Library) -> None:
    """K12: the title finds it first; the slug only names new files."""
    put(library, "oauth-too-broad", data(title='"OAuth2 Integration Was Too Broad"'))
    assert remember(library, "OAuth2 Integration Was Too Broad").file == "oauth-too-broad.md"


def test_the_setting_names_who_says_it() -> None:
    """Where a caller names nobody, the setting `agent` does, for every way of writing."""
    library = Library(MemoryStore(), configured=Configured(Settings(agent="ada"), {}))
    remember(library)
    library.append_many([Draft("Other", "Text.", "x")])
    library.update("Other", "More.")
    assert [change.update.by for change in library.log()] == ["ada", "ada", "ada"]


TEXTS = st.text(st.characters()) | st.text(st.sampled_from("aA/.\"'\\\n\r\x85\u2028\x1c -#*&|>:[]\ufffe\u200b\u0301İß"))


@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=2), st.lists(TEXTS, max_size=2), st.none() | TEXTS)
@example("a\uffff", "Text.", ["\ufffe"], [], None)
def test_whatever_is_kept_is_found_again(
    title: str, content: str, patterns: list[str], tags: list[str], task: str | None
) -> None:
    """A text of any kind is kept and found under its title as it was given, or refused with a hint."""
    library = testing.library()
    try:
        memory = library.remember(title, content, patterns, tags=tags, task=task)
    except InvalidMemory as error:
        hint = error.hint
    else:
        assert library.get(title) == library.get(memory.file) == memory
        return
    assert hint
    assert library.store.names().names == ()


def test_a_new_memory_has_an_author_even_if_one_is_named_empty(library: Library) -> None:
    """A12: `discoveredBy` is never empty."""
    assert remember(library, agent="").discovered_by == "user"


# ---------------------------------------------------------------- update, correct, status


def test_an_update_has_its_own_provenance(library: Library, clock: FixedClock) -> None:
    """B7: who, when and in which task are the update's own; those of the first statement stay."""
    remember(library, agent="planner")
    clock.advance(days=2)
    memory = library.update("Redis", "Version 7.", agent="tester", task="Check")
    (update,) = memory.updates
    assert (update.content, update.by, update.task, update.at) == (
        "Version 7.",
        "tester",
        "Check",
        NOW + timedelta(days=2),
    )
    assert (memory.discovered_by, memory.discovered_at, memory.updated_at) == ("planner", NOW, update.at)


def test_what_an_update_brings_is_effective(library: Library) -> None:
    """B9: new patterns, tags, importance and content count from the update on."""
    remember(library, importance="low", tags=["x"])
    library.update("Redis", "Version 7.", when_to_use=["redis"], tags=["y"], importance="critical")
    memory = library.get("Redis")
    assert (memory.when_to_use, memory.tags, memory.importance) == (("test", "redis"), ("x", "y"), "critical")
    assert "Version 7." in memory.content


def test_every_update_has_an_id_of_its_own(library: Library) -> None:
    """C6: two updates in one second can be told apart."""
    remember(library)
    library.update("Redis", "a")
    ids = [update.id for update in library.update("Redis", "a").updates]
    assert len(set(ids)) == 2
    assert all(re.fullmatch("[0-9a-f]{8}", found) for found in ids)


def test_comments_and_unknown_keys_survive_an_update(library: Library) -> None:
    """A20: what a person wrote into the frontmatter stays byte for byte."""
    content = data(owner="team-a").replace(b"tags:", b"# why these?\ntags:")
    put(library, "redis", content)
    memory = library.update("redis", "More.")
    assert raw(library).encode().startswith(content)
    assert memory.extra == {"owner": "team-a"}


def test_a_correction_is_marked_and_the_original_kept(library: Library) -> None:
    """B8: what was wrong stays to be read, and what holds is marked as the correction of it."""
    remember(library, content="10 salt rounds.")
    memory = library.correct("Redis", "12 salt rounds.", agent="reviewer", task="Audit")
    assert memory.content.startswith("10 salt rounds.\n\n---\n\n## Update (2026-01-23)\n\n### Correction\n\n12 salt")
    (correction,) = memory.corrections
    assert (correction.content, correction.by, correction.task) == ("12 salt rounds.", "reviewer", "Audit")


def test_a_plain_update_is_no_correction(library: Library) -> None:
    """B8: only what says so is one."""
    remember(library)
    assert library.update("Redis", "### Correction\n\nNot really.").corrections == ()


def test_a_deprecated_memory_stays_on_file(library: Library) -> None:
    """DESIGN 3: retiring is a statement with a reason, never a deletion."""
    remember(library)
    memory = library.deprecate("Redis", reason="The queue is in memory.", agent="tester")
    assert (memory.status, memory.body, memory.updates[0].by) == ("deprecated", "Start it.", "tester")
    assert [found.status for found in library.memories()] == ["deprecated"]


def test_a_restored_memory_holds_again(library: Library) -> None:
    """DESIGN 3: the latest word counts."""
    remember(library)
    library.deprecate("Redis", "Gone.")
    assert library.restore("Redis", "Back.").status == "active"


def test_an_update_does_not_restore(library: Library) -> None:
    """Only `restore` brings a retired memory back."""
    remember(library)
    library.deprecate("Redis", "Gone.")
    assert library.update("Redis", "More.").status == "deprecated"


def test_a_superseded_memory_names_its_successor(library: Library) -> None:
    """DESIGN 3: by its file, for programs and in the text for people."""
    remember(library, "Old")
    remember(library, "New")
    memory = library.supersede("Old", by="new", reason="It says more.")
    assert (memory.status, memory.updates[0].replaced_by) == ("superseded", "new.md")
    assert memory.updates[0].content == "Replaced by `new.md`. It says more."


def test_nothing_is_superseded_by_what_is_not_there(library: Library) -> None:
    """A successor has to exist."""
    remember(library)
    with pytest.raises(MemoryNotFound):
        library.supersede("Redis", by="Nothing")
    assert library.get("Redis").updates == ()


def test_nothing_is_superseded_by_itself(library: Library) -> None:
    """Or a slip of the tongue would retire it."""
    remember(library)
    assert refused(lambda: library.supersede("Redis", by="redis.md")).hint
    assert library.get("Redis").status == "active"


WRITES: dict[str, Callable[[Library, str], object]] = {
    "update": lambda library, ref: library.update(ref, "More."),
    "correct": lambda library, ref: library.correct(ref, "More."),
    "deprecate": lambda library, ref: library.deprecate(ref, "Why."),
    "restore": lambda library, ref: library.restore(ref, "Why."),
    "supersede": lambda library, ref: library.supersede(ref, by="Other"),
}


@pytest.mark.parametrize("call", WRITES)
def test_what_is_not_there_cannot_be_added_to(library: Library, call: str) -> None:
    """Only `remember` makes a memory."""
    remember(library, "Other")
    with pytest.raises(MemoryNotFound):
        WRITES[call](library, "Redis")
    assert library.store.names().names == ("other.md",)


@pytest.mark.parametrize("call", WRITES)
def test_nothing_is_added_to_an_unreadable_memory(library: Library, call: str) -> None:
    """A file that cannot be read is never written to, however it is named."""
    remember(library, "Other")
    put(library, "broken", BROKEN)
    with pytest.raises(UnreadableMemory):
        WRITES[call](library, "Broken")
    assert raw(library, "broken.md").encode() == BROKEN


def test_remembering_the_title_of_an_unreadable_memory_is_refused(library: Library) -> None:
    """Its title can be read, so the memory belongs there; but nothing is added to what cannot be read."""
    put(library, "broken", BROKEN)
    with pytest.raises(UnreadableMemory, match="importance"):
        remember(library, "Broken")
    assert everything(library) == {"broken.md": BROKEN}


def test_a_memory_does_not_outgrow_what_is_read(library: Library) -> None:
    """What could not be read back is refused with a hint, and what was there stays."""
    remember(library)
    before = everything(library)
    assert "related" in refused(lambda: library.update("Redis", "x" * MAX_BYTES)).hint
    assert everything(library) == before


# ---------------------------------------------------------------- what cannot become a memory

NOT_TEXT = [5, b"bytes", ["a"], "a\ud800"]
EMPTY = ["", "  \n\t", None]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("title", value) for value in (*EMPTY, *NOT_TEXT)),
        *(("content", value) for value in (*EMPTY, *NOT_TEXT, "a\x00b")),
        *(("when_to_use", value) for value in ("", " ", [], [""], None, 5, [5], [None, 5], ["a\ud800"])),
        *(("importance", value) for value in ("urgent", "High", "", None, 5, ["high"])),
        *(("tags", value) for value in (5, [5], ["a\ud800"], [["a"]])),
        *(("agent", value) for value in ("  ", *NOT_TEXT)),
        *(("task", value) for value in NOT_TEXT),
        *(("source", value) for value in NOT_TEXT),
        *(("related", value) for value in (5, [5], ["a\ud800"])),
    ],
)
def test_what_cannot_become_a_memory_is_refused(library: Library, field: str, value: object) -> None:
    """B2, U9: bad input of any field is InvalidMemory that names the field, with a hint, and nothing is written."""
    error = refused(lambda: remember(library, **{field: value}))
    assert field in error.message
    assert error.hint
    assert library.store.names().names == ()


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda library: library.update("Redis", ""), "content"),
        (lambda library: library.update("Redis", "a\x00b"), "content"),
        (lambda library: library.update("Redis", 5), "content"),
        (lambda library: library.update("Redis", "x", importance="urgent"), "importance"),
        (lambda library: library.update("Redis", "x", tags=5), "tags"),
        (lambda library: library.update("Redis", "x", when_to_use=[5]), "when_to_use"),
        (lambda library: library.update("Redis", "x", agent=5), "agent"),
        (lambda library: library.update("Redis", "x", task="\ud800"), "task"),
        (lambda library: library.update("", "x"), "title"),
        (lambda library: library.update(5, "x"), "title"),
        (lambda library: library.correct("Redis", " "), "content"),
        (lambda library: library.correct("Redis", "x", task=5), "task"),
        (lambda library: library.deprecate("Redis", ""), "reason"),
        (lambda library: library.deprecate("Redis", None), "reason"),
        (lambda library: library.restore("Redis", "a\ud800"), "reason"),
        (lambda library: library.restore("Redis", "x", agent=" "), "agent"),
        (lambda library: library.supersede("Redis", by="Other", reason=5), "reason"),
        (lambda library: library.forget("Redis", purge=True, reason=5), "reason"),
        (lambda library: library.forget("Redis", purge=True, reason="\ud800"), "reason"),
        (lambda library: library.forget("Redis", purge=True, text=""), "text"),
        (lambda library: library.forget("Redis", purge=True, text=5), "text"),
    ],
)
def test_what_cannot_be_added_is_refused(library: Library, call: Callable[[Library], object], what: str) -> None:
    """B2: it is InvalidMemory that names the argument, with a hint, and every byte stays."""
    library.append_many([Draft("Redis", "Start it.", "test"), Draft("Other", "Text.", "test")])
    before = everything(library)
    error = refused(lambda: call(library))
    assert what in error.message
    assert error.hint
    assert everything(library) == before


# ---------------------------------------------------------------- append_many


def test_many_are_kept_at_once(library: Library) -> None:
    """The memories come back in the order of the drafts, new ones and updates alike."""
    remember(library, "Old")
    memories = library.append_many([Draft("b", "1", "x"), Draft("Old", "2", "x"), Draft("a", "3", "x")])
    assert [(memory.file, len(memory.updates)) for memory in memories] == [("b.md", 0), ("old.md", 1), ("a.md", 0)]


def test_one_title_twice_in_a_batch_is_a_memory_and_its_update(library: Library) -> None:
    """The second draft finds what the first one made, and says only what it adds."""
    memory = library.append_many([Draft("a", "1", ("x", "y")), Draft("a", "2", ("y", "z"))])[1]
    assert [part.content for part in memory.statements] == ["1", "2"]
    assert memory.when_to_use == ("x", "y", "z")
    assert library.get("a") == memory


def test_no_drafts_are_no_memories(library: Library) -> None:
    """Nothing asked, nothing done."""
    assert library.append_many([]) == []


def test_one_bad_draft_keeps_all_out(library: Library) -> None:
    """All or none: the good drafts before it are not kept either."""
    refused(lambda: library.append_many([Draft("a", "1", "x"), Draft("b", "2", "x", importance="urgent")]))
    assert library.store.names().names == ()


def test_one_unreadable_memory_keeps_all_out(library: Library) -> None:
    """All or none: what is only noticed while writing undoes what was planned before it."""
    put(library, "broken", BROKEN)
    remember(library, "Old")
    before = everything(library)
    with pytest.raises(UnreadableMemory):
        library.append_many([Draft("New", "1", "x"), Draft("Old", "2", "x"), Draft("Broken", "3", "x")])
    assert everything(library) == before


# ---------------------------------------------------------------- history


@pytest.fixture
def grown(library: Library, clock: FixedClock) -> Library:
    """Redis was found on the 23rd, corrected on the 24th and deprecated on the 26th; Auth was found on the 25th."""
    remember(library)
    clock.advance(days=1)
    library.correct("Redis", "Only the queue tests need it.")
    clock.advance(days=1)
    remember(library, "Auth")
    clock.advance(days=1)
    library.deprecate("Redis", "There is a fake now.")
    return library


def days(changes: list[rawko.Change]) -> list[tuple[str, int, str]]:
    """What a log says: the file, the day of the month and the kind."""
    return [(change.memory.file, change.update.at.day, change.update.kind) for change in changes]


def test_the_log_of_one_memory_has_its_statements(grown: Library) -> None:
    """DESIGN 3: history is always there, oldest first."""
    assert days(grown.log("Redis")) == [
        ("redis.md", 23, "update"),
        ("redis.md", 24, "correction"),
        ("redis.md", 26, "deprecated"),
    ]


def test_the_log_of_all_is_in_the_order_of_time(grown: Library) -> None:
    """DESIGN 3: what was stated when, across the memories."""
    assert [day for _, day, _ in days(grown.log())] == [23, 24, 25, 26]


@pytest.mark.parametrize(
    ("since", "first"),
    [
        ("2026-01-25", 25),
        ("2026-01-25T10:30:00Z", 25),
        ("2026-01-25T10:30:01Z", 26),
        (datetime(2026, 1, 24, 10, 30, tzinfo=UTC), 24),
        (datetime(2026, 1, 24, 10, 30), 24),  # noqa: DTZ001 - naive on purpose
        (date(2026, 1, 25), 25),
    ],
)
def test_the_log_since_a_moment_begins_there(grown: Library, since: str | datetime, first: int) -> None:
    """A date means its beginning; what has no offset is UTC."""
    assert days(grown.log(since=since))[0][1] == first


def test_a_change_knows_whether_it_made_the_memory(grown: Library) -> None:
    """The first statement is told from the later ones."""
    assert [change.is_first for change in grown.log("Redis")] == [True, False, False]


@pytest.mark.parametrize(
    ("as_of", "updates", "status"),
    [
        ("2026-01-23", 0, "active"),
        ("2026-01-24", 1, "active"),
        ("2026-01-24T10:29:59Z", 0, "active"),
        ("2026-01-24T10:30:00Z", 1, "active"),
        ("2026-01-24T11:30:00+01:00", 1, "active"),
        ("2026-01-26", 2, "deprecated"),
        (datetime(2026, 1, 25, tzinfo=UTC), 1, "active"),
        (date(2026, 1, 24), 1, "active"),
    ],
)
def test_a_memory_can_be_seen_as_it_was(grown: Library, as_of: str | datetime, updates: int, status: str) -> None:
    """DESIGN 3: at the end of a day, or at a moment, with the status it had."""
    memory = grown.get("Redis", as_of=as_of)
    assert (len(memory.updates), memory.status) == (updates, status)


def test_a_memory_was_not_there_before_it_was_found(grown: Library) -> None:
    """It is not found, and the error says since when it is there."""
    with pytest.raises(MemoryNotFound, match="2026-01-25"):
        grown.get("Auth", as_of="2026-01-24")


def test_all_memories_can_be_seen_as_they_were(grown: Library) -> None:
    """DESIGN 3: those that were found later are left out."""
    then = list(grown.memories(as_of="2026-01-24"))
    assert [(memory.file, memory.status) for memory in then] == [("redis.md", "active")]


@pytest.mark.parametrize("when", ["last week", "2026-02-30", "", 5, []])
def test_a_time_that_is_none_is_refused(grown: Library, when: Any) -> None:
    """A person learns how a date is written, from every method that takes one."""
    assert "2026-01-23" in refused(lambda: grown.get("Redis", as_of=when)).hint
    assert "2026-01-23" in refused(lambda: list(grown.memories(as_of=when))).hint
    assert "2026-01-23" in refused(lambda: grown.log(since=when)).hint


# ---------------------------------------------------------------- resolve


@pytest.mark.parametrize("ref", ["Redis Setup", "redis-setup.md", "redis-setup", "REDIS setup", " Redis Setup\n"])
def test_a_memory_goes_by_many_names(library: Library, ref: str) -> None:
    """K12, K13: its title, its file, the stem of it, the title in any case."""
    remember(library, "Redis Setup")
    assert library.get(ref).file == library.resolve(ref) == "redis-setup.md"


def test_a_memory_in_another_composition_is_found(library: Library) -> None:
    """K12: a title typed on another keyboard is the same title."""
    remember(library, "Caf\u00e9")
    assert library.get("CAFE\u0301").file == "caf\u00e9.md"


def test_an_exact_title_goes_before_a_file_name(library: Library) -> None:
    """K12: find an existing memory by its title first."""
    put(library, "other", data(title="redis"))
    put(library, "redis", data(title='"Something else"'))
    assert library.resolve("redis") == "other.md"


def test_a_file_name_goes_before_a_title_in_another_case(library: Library) -> None:
    """What a shell completes means the file."""
    put(library, "other", data(title="REDIS"))
    put(library, "redis", data(title='"Something else"'))
    assert library.resolve("redis") == library.resolve("redis.md") == "redis.md"


def test_a_title_in_any_case_goes_before_a_slug(library: Library) -> None:
    """K12: title first, slug second; or an update would go to a memory about something else."""
    put(library, "notes", data(title='"Redis setup"'))
    put(library, "redis-setup", data(title='"Something else"'))
    assert library.resolve("REDIS SETUP") == "notes.md"


def test_a_slug_is_only_a_guess(library: Library) -> None:
    """K12: the file that a title would have got is offered, not taken: it may be about something else."""
    put(library, "c-pitfalls", data(title='"C pitfalls"'))
    with pytest.raises(MemoryNotFound) as caught:
        library.update("C++ pitfalls", "More.")
    assert caught.value.hint == "it could be c-pitfalls.md"


def test_two_titles_that_differ_in_case_are_told_apart(library: Library) -> None:
    """The exact one is meant."""
    library.append_many([Draft("Redis x", "1", "x"), Draft("REDIS X", "2", "x")])
    assert (library.get("Redis x").body, library.get("REDIS X").body) == ("1", "2")


def test_an_ambiguous_title_is_not_guessed_at(library: Library) -> None:
    """An update never goes to one of two by chance; the hint has both."""
    put(library, "one", data(title="REDIS"))
    put(library, "two", data(title="Redis"))
    with pytest.raises(MemoryNotFound) as caught:
        library.resolve("redis")
    assert caught.value.hint == "it could be one.md or two.md"


@pytest.mark.parametrize("title", ["x" * 300, "界" * 200])
def test_a_long_title_is_found_in_any_case(library: Library, title: str) -> None:
    """H5: a title that no file name can hold is still a title."""
    memory = remember(library, f"{title} a")
    assert library.get(f"{title} A").file == memory.file


@pytest.mark.parametrize("ref", ["nothing", "x" * 300, "界" * 200, "../redis.md", "/etc/passwd", "a/b", "redis.md/x"])
def test_what_is_not_there_is_not_found(library: Library, ref: str) -> None:
    """A name of any shape that nothing has is MemoryNotFound, with a hint where to look."""
    remember(library)
    with pytest.raises(MemoryNotFound) as caught:
        library.get(ref)
    assert "rawko list" in caught.value.hint


# ---------------------------------------------------------------- problems, survey, validate


@pytest.fixture
def mixed(library: Library) -> Library:
    """A good memory between two that cannot be read."""
    put(library, "a-broken", BROKEN)
    remember(library, "Good")
    put(library, "z-empty", b"")
    return library


def test_memories_are_those_that_can_be_read(mixed: Library) -> None:
    """U1, U4: a bad file hides no good one."""
    assert [memory.file for memory in mixed.memories()] == ["good.md"]


def test_problems_are_the_others(mixed: Library) -> None:
    """U1, K30: each with file, line, reason and hint."""
    found = [(problem.file, problem.line, problem.level) for problem in mixed.problems()]
    assert found == [("a-broken.md", 5, "error"), ("z-empty.md", 1, "error")]
    assert all(problem.reason and problem.hint for problem in mixed.problems())


def test_a_survey_is_both_in_one_pass(mixed: Library) -> None:
    """Every file is counted once, for a progress bar."""
    seen: list[int] = []
    survey = mixed.survey(lambda: seen.append(1))
    assert survey.memories == list(mixed.memories())
    assert survey.problems == mixed.problems()
    assert len(seen) == 3


def test_getting_an_unreadable_memory_says_what_is_wrong(mixed: Library) -> None:
    """U2: the error carries the problems of that file."""
    with pytest.raises(UnreadableMemory) as caught:
        mixed.get("a-broken")
    assert caught.value.problems == tuple(mixed.problems()[:1])


def test_validating_has_errors_and_advice_in_the_order_of_the_files(mixed: Library) -> None:
    """A27: what cannot be read, and what could be better."""
    found = [(problem.file, problem.level) for problem in mixed.validate()]
    assert found[0] == ("a-broken.md", "error")
    assert ("good.md", "warning") in found
    assert found[-1] == ("z-empty.md", "error")


@pytest.mark.parametrize("ref", ["Good", "good.md", "z-empty"])
def test_one_memory_can_be_validated_alone(mixed: Library, ref: str) -> None:
    """A27: the problems of the others are not its problems."""
    assert {problem.file for problem in mixed.validate(ref)} == {mixed.resolve(ref)}


def test_a_memory_that_vanishes_meanwhile_is_passed_over(
    tmp_path: Path, files: Library, caplog: pytest.LogCaptureFixture
) -> None:
    """U7: a file that is deleted between the listing and its turn is no error, only a warning."""
    files.append_many([Draft("a", "1", "x"), Draft("b", "2", "x"), Draft("c", "3", "x")])
    memories = files.memories()
    first = next(memories)
    (tmp_path / ".rawko" / "memories" / "b.md").unlink()
    assert [first.file, *(memory.file for memory in memories)] == ["a.md", "c.md"]
    assert "b.md" in caplog.text


# ---------------------------------------------------------------- files that people edit


def test_an_edit_by_hand_is_picked_up(tmp_path: Path, files: Library) -> None:
    """A31: the next read has what a person saved, title, fields and text."""
    remember(files)
    write(tmp_path, "redis.md", data(title='"Redis 7"', importance="critical", body="Edited."))
    memory = files.get("Redis 7")
    assert (memory.file, memory.importance, memory.body) == ("redis.md", "critical", "Edited.")
    assert files.store.names("Redis").names == ()


def test_an_update_goes_behind_an_edit_by_hand(tmp_path: Path, files: Library) -> None:
    """A31, B1: what a person wrote is never overwritten."""
    remember(files)
    path = write(tmp_path, "redis.md", data(title="Redis", body="Edited."))
    files.update("Redis", "More.")
    assert path.read_bytes().startswith(data(title="Redis", body="Edited."))


def test_a_file_made_by_hand_is_a_memory(tmp_path: Path, files: Library) -> None:
    """A31, A6: it is found by title and by name, with its frontmatter."""
    assert list(files.memories()) == []
    write(tmp_path, "by-hand.md", data(title='"By hand"'))
    assert files.get("by hand") == files.get("by-hand") == next(files.memories())
    assert (files.get("By hand").file, files.get("By hand").discovered_by) == ("by-hand.md", "tester")


def test_a_memory_in_a_folder_goes_by_its_path(tmp_path: Path, files: Library) -> None:
    """K39: subfolders are read; the name of a memory is its path below `memories`."""
    write(tmp_path, "api/routes.md", data(title="Routes"))
    found = {files.get(ref).file for ref in ("Routes", "routes", "api/routes", "api/routes.md")}
    assert found == {"api/routes.md"}


def test_a_memory_in_a_folder_grows_where_it_is(tmp_path: Path, files: Library) -> None:
    """K39: read recursively, write flat."""
    write(tmp_path, "api/routes.md", data(title="Routes"))
    assert remember(files, "Routes").file == "api/routes.md"
    assert remember(files, "New").file == "new.md"


def test_a_file_that_did_not_change_is_not_read_again(files: Library) -> None:
    """K30: what was learned of a file holds while its time and size do; finding one of many opens that one."""
    files.append_many([Draft(f"Title {number}", "Text.", "x") for number in range(20)])
    files.get("Title 7")
    opened = Opened()
    with shim.installed(opened):
        files.get("Title 7")
    assert {name for name in opened.names if name.endswith(".md")} == {"title-7.md"}


class Opened(shim.Shim):
    """Notes the names of the files that are opened."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def call(self, name: str, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Do the call; note what an open opens."""
        if name == "open":
            self.names.append(arguments[0])
        return real(*arguments, **options)


def test_memories_may_lie_in_a_folder_of_another_name(tmp_path: Path) -> None:
    """A2: `memories` is the default; whoever makes a store may call it otherwise."""
    library = Library(FileStore(str(tmp_path), folder="knowledge", settings=Settings(durability="off")))
    remember(library)
    assert (tmp_path / "knowledge" / "redis.md").is_file()
    library.close()


# ---------------------------------------------------------------- opening and closing


def test_a_library_can_be_used_after_it_was_closed(library: Library) -> None:
    """Closing lets go of what is open; it ends nothing, and may be done twice."""
    remember(library)
    library.close()
    library.close()
    assert library.update("Redis", "More.").updates[0].content == "More."
    assert library.get("Redis").body == "Start it."


def test_a_library_closes_when_its_block_fails(library: Library) -> None:
    """The error is the caller's own, and what was kept is kept."""
    remember(library)
    with pytest.raises(ZeroDivisionError), library:
        raise ZeroDivisionError
    assert library.get("Redis").body == "Start it."


def test_what_one_kept_the_next_one_finds(tmp_path: Path) -> None:
    """Files are the truth: another library on the same folder has the same memories."""
    with rawko.open(tmp_path, create=True) as library:
        made = remember(library)
    with rawko.open(tmp_path) as library:
        assert list(library.memories()) == [made]


def test_a_library_without_memories_is_empty(library: Library) -> None:
    """A4: nothing was kept, and that is no error."""
    assert list(library.memories()) == library.problems() == library.log() == library.validate() == []


def test_opening_writes_no_memory_and_asks_nothing_of_the_clock(tmp_path: Path) -> None:
    """A library that is only opened and read leaves the memories folder as it was."""
    rawko.open(tmp_path, create=True).close()
    with rawko.open(tmp_path) as library:
        assert list(library.memories()) == []
    assert list((tmp_path / ".rawko" / "memories").iterdir()) == []


# ---------------------------------------------------------------- DESIGN 10: names that others rely on


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (rawko.open, "path create"),
        (Library.remember, "title content when_to_use importance tags agent task source related"),
        (Library.update, "file_or_title content agent"),
        (Library.correct, "file_or_title content agent"),
        (Library.deprecate, "file_or_title reason"),
        (Library.get, "file_or_title"),
        (Library.memories, ""),
        (Library.problems, ""),
        (Library.close, ""),
    ],
)
def test_the_public_calls_take_what_is_promised(function: Callable[..., object], names: str) -> None:
    """DESIGN 10: checks from outside rely on these names."""
    parameters = inspect.signature(function).parameters
    assert [name for name in names.split() if name not in parameters] == []


def test_the_public_calls_work_as_they_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN 10: the lines of the contract, as they stand there."""
    monkeypatch.chdir(tmp_path)
    library = rawko.open(path=".", create=True)
    library.remember(title="T", content="c", when_to_use=["x"], importance="high", tags=["y"], agent="developer")
    library.update("T", content="more", agent="developer")
    library.correct("t.md", content="better", agent="developer")
    library.deprecate("T", reason="old")
    library.close()
    with rawko.open(path=".", create=False) as again:
        assert [len(memory.updates) for memory in again.memories()] == [3]


@pytest.mark.parametrize(
    "name",
    "file title importance when_to_use tags discovered_at discovered_by content".split(),  # noqa: SIM905 - as it stands
)
def test_a_memory_has_the_promised_attributes(library: Library, name: str) -> None:
    """DESIGN 10: checks from outside rely on these names."""
    assert getattr(remember(library, tags=["x"]), name)


def test_every_error_is_one_of_ours() -> None:
    """DESIGN 10: RawkoError is the base of every error, so that a caller can catch them all."""
    public = [getattr(rawko, name) for name in rawko.__all__]
    errors = [value for value in public if isinstance(value, type) and issubclass(value, Exception)]
    assert [error for error in errors if not issubclass(error, rawko.RawkoError)] == []
    assert len(errors) > 10
