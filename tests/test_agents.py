"""Agent definitions: what `agents/*.md` says about an agent's memories is what recall does."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

import pytest

from rawko.store import parsed
from rawko.store.agents import agent
from rawko.store.frontmatter import Mapping
from rawko.store.layout import create_agents
from rawko.store.log import summed
from rawko.values.agent import Agent
from recalled import keep, on_disk, only, titles

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rawko.library import Library

TASK = "Add a login page"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """An empty library on disk."""
    with on_disk(tmp_path) as library:
        yield library


def define(folder: Path, front: str, name: str = "developer") -> Path:
    """Write an agent's definition."""
    path = folder / ".rawko" / "agents" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nname: {name}\n{front}\n---\n\n# Instructions\n\nDo it.\n")
    return path


def read(folder: Path, name: str = "developer") -> tuple[Agent, list[str]]:
    """An agent as it is defined, and what was wrong with that."""
    found, problems = agent(str(folder / ".rawko"), name)
    return found, [problem.reason for problem in problems]


# ---------------------------------------------------------------- what a definition changes


def test_a_definition_says_how_many(library: Library, tmp_path: Path) -> None:
    """G3, E9: `memory.maxInjected` is the limit of that agent."""
    define(tmp_path, "memory:\n  maxInjected: 2")
    for letter in "abcd":
        keep(library, f"Zorp {letter}")
    assert [len(library.inject(TASK, agent=name).memories) for name in ("developer", "tester")] == [2, 4]


@pytest.mark.parametrize("name", ["planner", "developer", "tester", "reviewer"])
def test_a_template_leaves_it_to_the_settings(tmp_path: Path, name: str) -> None:
    """G3, E9: a new library has definitions, and its settings count all the same."""
    with on_disk(tmp_path, max_injected=3) as library:
        create_agents(str(tmp_path / ".rawko"))
        for letter in "abcd":
            keep(library, f"Zorp {letter}")
        assert len(library.inject(TASK, agent=name).memories) == 3


def test_a_definition_says_how_important(library: Library, tmp_path: Path) -> None:
    """G3, E10, K20: `memory.minImportance` is the least of that agent."""
    define(tmp_path, 'memory:\n  minImportance: "high"')
    keep(library, "Zorp a", importance="high")
    keep(library, "Zorp b", importance="medium")
    assert titles(library.inject(TASK, agent="developer")) == ["Zorp a"]


def test_a_definition_says_how_much(library: Library, tmp_path: Path) -> None:
    """O10: `memory.budget` is the budget of that agent."""
    define(tmp_path, "memory:\n  budget: 90")
    library.remember("Zorp", "A login sentence. " * 300, ["login"])
    assert library.inject(TASK, agent="developer").tokens <= 90 < library.inject(TASK, agent="tester").tokens


@pytest.mark.parametrize("key", ["memory", "metadata"])
def test_a_definition_says_what_an_agent_is_good_at(library: Library, tmp_path: Path, key: str) -> None:
    """K18, E6: the agent's own tags take the place of the usual ones."""
    define(tmp_path, f"{key}:\n  tags: [Rust]")
    keep(library, "Zorp", tags=["rust", "code", "patterns"])
    assert only(library.inject(TASK, agent="developer")).parts["specialty"] == 5.0


def test_a_stranger_with_a_definition_has_a_specialty(library: Library, tmp_path: Path) -> None:
    """K18, E7: any agent may say what it is good at."""
    define(tmp_path, "metadata:\n  tags: [rust]", "rustacean")
    keep(library, "Zorp", tags=["rust"])
    assert only(library.inject(TASK, agent="rustacean")).parts["specialty"] == 5.0


def test_a_definition_gives_a_bonus(library: Library, tmp_path: Path) -> None:
    """E12, K21: `memory.scoreBonus` is for memories that share a tag with the agent."""
    define(tmp_path, "memory:\n  scoreBonus: 10")
    keep(library, "Zorp a", tags=["code"])
    keep(library, "Zorp b", tags=["other"])
    found = {one.memory.title: one.parts["bonus"] for one in library.inject(TASK, agent="developer").memories}
    assert found == {"Zorp a": 10.0, "Zorp b": 0.0}


def test_a_bonus_keeps_to_100(library: Library, tmp_path: Path) -> None:
    """K21, E1: the score is capped."""
    define(tmp_path, "memory:\n  scoreBonus: 500")
    keep(library, "Zorp", tags=["code"])
    assert only(library.inject(TASK, agent="developer")).score == 100.0


@pytest.mark.parametrize(
    ("wish", "count"), [({}, 2), ({"limit": 3}, 3), ({"min_importance": "critical"}, 0), ({"budget": 0}, 0)]
)
def test_a_caller_has_the_last_word(library: Library, tmp_path: Path, wish: dict[str, Any], count: int) -> None:
    """G3: a call goes before the definition, the definition before the settings."""
    define(tmp_path, "memory:\n  maxInjected: 2\n  budget: 900\n  minImportance: low")
    for letter in "abcd":
        keep(library, f"Zorp {letter}")
    assert len(library.inject(TASK, agent="developer", **wish).memories) == count


def test_a_changed_definition_counts_at_once(library: Library, tmp_path: Path) -> None:
    """A31: what was read before is not believed when the file is another."""
    path = define(tmp_path, "memory:\n  maxInjected: 1")
    keep(library, "Zorp a")
    keep(library, "Zorp b")
    before = len(library.inject(TASK, agent="developer").memories)
    define(tmp_path, "memory:\n  maxInjected: 20")
    first = len(library.inject(TASK, agent="developer").memories)
    path.unlink()
    assert (before, first, len(library.inject(TASK, agent="developer").memories)) == (1, 2, 2)


# ---------------------------------------------------------------- what is wrong with a definition


@pytest.mark.parametrize("name", ["nobody", "", "../../etc/passwd", "a/b", "\x00", "x" * 500, ".hidden", "数据"])
def test_an_agent_without_a_definition_is_itself(library: Library, tmp_path: Path, name: str) -> None:
    """E7, S3: an unknown name is just a name, and no name leads anywhere else."""
    keep(library, "Zorp")
    assert titles(library.inject(TASK, agent=name)) == ["Zorp"]
    assert read(tmp_path, name) == (Agent(name), [])


@pytest.mark.parametrize(
    ("front", "reason"),
    [
        ("memory:\n  maxInjected: many", "`maxInjected` is 'many'"),
        ("memory:\n  maxInjected: -1", "`maxInjected` is '-1'"),
        ("memory:\n  budget: -1", "`budget` is '-1'"),
        ("memory:\n  minImportance: urgent", "`minImportance` is 'urgent'"),
        ("memory:\n  scoreBonus: lots", "`scoreBonus` is 'lots'"),
        ("memory:\n  scoreBonus: nan", "`scoreBonus` is 'nan'"),
        ("memory:\n  scoreBonus: [1]", "`scoreBonus` is ['1']"),
        ("memory:\n  scoreBonus: -5", "`scoreBonus` is '-5'"),
        ("memory:\n  tags: {a: b}", "`tags` is {'a': 'b'}"),
        ("memory:\n  tags: [[a]]", "`tags` is [['a']]"),
        ("memory: yes", "`memory` must be a mapping"),
    ],
)
def test_a_value_that_makes_no_sense_is_said_so_and_left_out(tmp_path: Path, front: str, reason: str) -> None:
    """G7: the rest of the definition counts, and a person can see what does not."""
    define(tmp_path, f"{front}\nmetadata:\n  tags: [rust]")
    assert read(tmp_path) == (Agent("developer", tags=("rust",)), [reason])


def test_a_bad_definition_is_a_warning(library: Library, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """G7: it never fails an injection."""
    define(tmp_path, "memory:\n  maxInjected: many")
    keep(library, "Zorp")
    with caplog.at_level(logging.WARNING, "rawko"):
        assert titles(library.inject(TASK, agent="developer")) == ["Zorp"]
    assert "agents/developer.md:3: `maxInjected` is 'many'" in caplog.text


@pytest.mark.parametrize("content", [b"", b"---\n", b"no front", b"---\n[\n---\n", b"\xff\xfe", b"---\n- a\n---\n"])
def test_a_file_that_is_no_definition_fails_nothing(library: Library, tmp_path: Path, content: bytes) -> None:
    """G7, U1: the agent is then itself, with its usual specialties."""
    define(tmp_path, "").write_bytes(content)
    keep(library, "Zorp", tags=["code"])
    assert only(library.inject(TASK, agent="developer")).parts["specialty"] == 5.0


def test_a_link_is_no_definition(library: Library, tmp_path: Path) -> None:
    """H7: a definition is a file of the library."""
    path = define(tmp_path, "memory:\n  maxInjected: 0")
    path.rename(tmp_path / "elsewhere.md")
    path.symlink_to(tmp_path / "elsewhere.md")
    keep(library, "Zorp")
    assert titles(library.inject(TASK, agent="developer")) == ["Zorp"]


# ---------------------------------------------------------------- what was read before


def test_a_file_is_parsed_once(tmp_path: Path) -> None:
    """DESIGN 4: a hook that runs at every prompt does not load a YAML parser for what has not changed."""
    (tmp_path / ".cache").mkdir()
    (tmp_path / "a.yaml").write_text("x")
    reads: list[str] = []

    def load() -> Mapping:
        reads.append("read")
        return Mapping({"a": ["1"]}, {"a": 1})

    first, second = parsed.mapping(str(tmp_path), "a.yaml", load), parsed.mapping(str(tmp_path), "a.yaml", load)
    assert (first, reads) == (second, ["read"])


@pytest.mark.parametrize(
    "kept",
    [b"", b"garbage", b"00000000 {}\n", summed([1]), summed({"a.yaml": 7}), summed({"a.yaml": []}), summed("text")],
)
def test_a_cache_that_says_something_else_is_not_believed(tmp_path: Path, kept: bytes) -> None:
    """D9: what is derived is never an error."""
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "parsed.json").write_bytes(kept)
    (tmp_path / "a.yaml").write_text("x")
    found = Mapping({"a": "1"}, {"a": 1})
    assert parsed.mapping(str(tmp_path), "a.yaml", lambda: found) == found


def test_a_folder_in_the_place_of_the_cache_fails_nothing(tmp_path: Path) -> None:
    """D9: what could not be kept leaves no temporary file behind, however often it is tried."""
    (tmp_path / ".cache" / "parsed.json").mkdir(parents=True)
    (tmp_path / "a.yaml").write_text("x")
    found = Mapping({"a": "1"}, {"a": 1})
    assert parsed.mapping(str(tmp_path), "a.yaml", lambda: found) == found
    assert os.listdir(tmp_path / ".cache") == ["parsed.json"]


def test_a_cache_that_cannot_be_kept_fails_nothing(tmp_path: Path) -> None:
    """D11: without a folder for it, the file is read each time."""
    (tmp_path / "a.yaml").write_text("x")
    found = Mapping({"a": "1"}, {"a": 1})
    assert parsed.mapping(str(tmp_path), "a.yaml", lambda: found) == found
    assert os.listdir(tmp_path) == ["a.yaml"]
