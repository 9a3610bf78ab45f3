"""B1 as a property: whatever is called in whatever order, files only grow, and both stores say the same."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from rawko.testing import FixedClock
from rawko.values.errors import RawkoError
from rawko.values.memory import IMPORTANCES, Draft
from rawko.values.record import replace
from samples import everything, open_library

if TYPE_CHECKING:
    from collections.abc import Callable

    from rawko.library import Library

LINES = st.sampled_from(
    [
        "text",
        "",
        "---",
        "## Update (2026-01-01)",
        '<!-- rawko:1 {"kind": "deprecated"} -->',
        "title: forged",
        "discoveredAt: 2020-01-01",
        "```",
        "<<<<<<< HEAD",
        "### Correction",
        "\\---",
        "界 \u202e",
    ]
)
CONTENTS = st.lists(LINES, min_size=1, max_size=5).map("\n".join).filter(str.strip)
TITLES = st.sampled_from(["Redis", "REDIS", "redis!", "Straße", "Strasse", "認証", "a/b", "...", "no", "x" * 90])
REFS = TITLES | st.sampled_from(["redis", "redis.md", "redis-2.md", "strasse", "nothing", "memory-ab.md"])
PATTERNS = st.lists(st.sampled_from(["a|b", "*x", "", "ü"]), min_size=1, max_size=2).map(tuple)
TAGS = st.lists(st.sampled_from(["failures", "404", "a b"]), max_size=2).map(tuple)
DRAFTS = st.builds(
    Draft, TITLES, CONTENTS, PATTERNS, st.sampled_from(IMPORTANCES), TAGS, task=st.none() | CONTENTS, related=TAGS
)
IDS = re.compile(rb'"id": "[0-9a-f]{8}"')


def without_ids(found: Any) -> Any:
    """Memories as they are but for the random ids of their updates."""
    if isinstance(found, list):
        return [without_ids(item) for item in found]
    return replace(found, updates=tuple(replace(update, id="") for update in found.updates))


class Stores(RuleBasedStateMachine):
    """The same calls on both stores: whatever is called, both say the same, and both only ever grow."""

    @initialize()
    def open(self) -> None:
        """Begin with two empty libraries on one clock."""
        self.folder = tempfile.mkdtemp()
        self.clock = FixedClock()
        self.libraries = [open_library(kind, Path(self.folder), self.clock) for kind in ("files", "memory")]
        self.before: list[dict[str, bytes]] = [{}, {}]

    def both(self, call: Callable[[Library], Any]) -> None:
        """Make a call on both stores, and compare what came of it."""
        assert self.outcome(call, self.libraries[0]) == self.outcome(call, self.libraries[1])

    def outcome(self, call: Callable[[Library], Any], library: Library) -> Any:
        """What a call returned, or how it was refused."""
        try:
            return without_ids(call(library))
        except RawkoError as error:
            return type(error), str(error)

    @rule(draft=DRAFTS)
    def remember(self, draft: Draft) -> None:
        """Keep one."""
        self.both(lambda library: library.append_many([draft]))

    @rule(drafts=st.lists(DRAFTS, max_size=4))
    def append_many(self, drafts: list[Draft]) -> None:
        """Keep several."""
        self.both(lambda library: library.append_many(drafts))

    @rule(ref=REFS, content=CONTENTS, tags=TAGS, importance=st.none() | st.sampled_from([*IMPORTANCES, "urgent"]))
    def update(self, ref: str, content: str, tags: tuple[str, ...], importance: str | None) -> None:
        """Add to one."""
        self.both(lambda library: library.update(ref, content, tags=tags, importance=importance))

    @rule(ref=REFS, content=CONTENTS, call=st.sampled_from(["correct", "deprecate", "restore"]))
    def say(self, ref: str, content: str, call: str) -> None:
        """Say something about one."""
        self.both(lambda library: getattr(library, call)(ref, content))

    @rule(ref=REFS, by=REFS)
    def supersede(self, ref: str, by: str) -> None:
        """Put one in the place of another."""
        self.both(lambda library: library.supersede(ref, by))

    @rule(hours=st.integers(-30, 30))
    def wait(self, hours: int) -> None:
        """Let the clock go, or step back."""
        self.clock.advance(hours=hours)

    @rule()
    def reopen(self) -> None:
        """Go on with what is on disk."""
        self.libraries[0].close()
        self.libraries[0] = open_library("files", Path(self.folder), self.clock)

    @invariant()
    def both_only_grow(self) -> None:
        """B1: the old bytes of every file are a prefix of its new ones."""
        now = [everything(library) for library in self.libraries]
        for before, after in zip(self.before, now, strict=True):
            assert [name for name in before if not after[name].startswith(before[name])] == []
        self.before = now

    @invariant()
    def both_hold_the_same(self) -> None:
        """The bytes are the same on both but for the ids, and both read them."""
        on_disk, without_disk = ({name: IDS.sub(b"", text) for name, text in found.items()} for found in self.before)
        assert on_disk == without_disk
        assert [library.problems() for library in self.libraries] == [[], []]

    def teardown(self) -> None:
        """Leave nothing behind."""
        for library in getattr(self, "libraries", ()):
            library.close()
        shutil.rmtree(getattr(self, "folder", ""), ignore_errors=True)


def test_files_only_grow_and_both_stores_agree() -> None:
    """B1, B4, DESIGN 7: after any sequence of calls, old bytes are a prefix of new ones, alike on both stores."""
    run_state_machine_as_test(Stores, settings=settings(max_examples=100, stateful_step_count=15))
