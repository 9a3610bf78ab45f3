"""What can be configured, where it is read from, and what each setting does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import rawko
from faults import shim
from rawko.library import Library
from rawko.store import config, layout
from rawko.store.config import configure
from rawko.store.memories import FileStore
from rawko.values.errors import InvalidSettings, LockTimeout
from rawko.values.memory import IMPORTANCES, Draft
from rawko.values.settings import DURABILITIES, THRESHOLDS, Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rawko.store.config import Configured

SOURCES = ["user", "library"]


def configured(folder: Path, *, user: str | bytes | None = None, library: str | bytes | None = None) -> Configured:
    """What comes of these two files; None is no file."""
    for name, content in (("user", user), ("library", library)):
        (folder / name).mkdir()
        if content is not None:
            (folder / name / "config.yaml").write_bytes(content.encode() if isinstance(content, str) else content)
    return configure(str(folder / "library"), str(folder / "user"))


def refused(folder: Path, content: str | bytes, source: str = "library") -> InvalidSettings:
    """How a file is refused."""
    with pytest.raises(InvalidSettings) as caught:
        configured(folder, **{source: content})
    return caught.value


# ---------------------------------------------------------------- the keys


WRITING = ["durability", "lockTimeout", "agent"]
RECALL = ["maxInjected", "minImportance", "budget", "characters", "fill", "intro", "match", "semantic"]
TABLES = ["thresholds", "weights"]


def test_the_settings_are_these() -> None:
    """DESIGN 2: no key starts something, reaches the network or changes trust, so a cloned repository cannot either."""
    keys = [key for key, _, _ in config.Configured(Settings(), {}).table()]
    assert keys == [*WRITING, *RECALL, *TABLES]
    assert [re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", key) for key in keys] == list(
        Settings.__annotations__
    )


def test_without_files_everything_has_its_default(tmp_path: Path) -> None:
    """Every key is optional, and so are the files and their folders."""
    found = configure(str(tmp_path / "none"), str(tmp_path / "nobody"))
    assert found.settings == Settings(
        durability="full",
        lock_timeout=10.0,
        agent="user",
        max_injected=5,
        min_importance="low",
        budget=1500,
        characters=500,
        fill=True,
        intro=False,
        match="meaning",
        semantic=True,
        thresholds={"critical": "slight", "high": "moderate", "medium": "close", "low": "exact"},
        weights={},
    )
    assert (found.origins, found.problems) == ({}, ())


@pytest.mark.parametrize("content", ["", "\n", "# only a comment\n", "---\n# and that\n"])
def test_a_file_that_says_nothing_changes_nothing(tmp_path: Path, content: str) -> None:
    """As the one that `rawko init` writes."""
    assert configured(tmp_path, library=content).settings == Settings()


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("durability: full", {"durability": "full"}),
        ("durability: batch", {"durability": "batch"}),
        ('durability: "off"', {"durability": "off"}),
        ("durability: off", {"durability": "off"}),
        ("lockTimeout: 0", {"lock_timeout": 0.0}),
        ("lockTimeout: 2.5", {"lock_timeout": 2.5}),
        ("lockTimeout: 3600", {"lock_timeout": 3600.0}),
        ("agent: ada", {"agent": "ada"}),
        ("agent: no", {"agent": "no"}),
        ("agent: 42", {"agent": "42"}),
        ("maxInjected: 0", {"max_injected": 0}),
        ("maxInjected: 100", {"max_injected": 100}),
        ("minImportance: high", {"min_importance": "high"}),
        ("budget: 0", {"budget": 0}),
        ("budget: 1000000", {"budget": 1_000_000}),
        ("characters: 50", {"characters": 50}),
        ("characters: 100000", {"characters": 100_000}),
        ("fill: false", {"fill": False}),
        ("intro: true", {"intro": True}),
        ("match: strict", {"match": "strict"}),
        ("match: meaning", {"match": "meaning"}),
        ("semantic: false", {"semantic": False}),
        ("thresholds: {low: close}", {"thresholds": {**THRESHOLDS, "low": "close"}}),
        (
            "thresholds: {critical: exact, high: exact, medium: exact}",
            {"thresholds": dict.fromkeys(IMPORTANCES, "exact")},
        ),
        ("thresholds: {}", {}),
        ("weights: {recency: 0, match: 2.5}", {"weights": {"recency": 0.0, "match": 2.5}}),
        ("weights: {bonus: 10}", {"weights": {"bonus": 10.0}}),
    ],
)
def test_every_key_is_read_from_either_file(
    tmp_path: Path, source: str, line: str, expected: dict[str, object]
) -> None:
    """Values are texts: `off` and `no` are what they look like."""
    assert configured(tmp_path, **{source: line}).settings == Settings(**expected)  # type: ignore[arg-type]


def test_the_library_lies_over_the_user_key_by_key(tmp_path: Path) -> None:
    """What the library does not say, the user has said; each key knows where it is from."""
    found = configured(tmp_path, user="agent: ada\nlockTimeout: 3\n", library="agent: bob\n")
    assert found.settings == Settings(agent="bob", lock_timeout=3.0)
    assert found.table()[:3] == [
        ("durability", "full", "default"),
        ("lockTimeout", 3.0, f"{tmp_path}/user/config.yaml"),
        ("agent", "bob", f"{tmp_path}/library/config.yaml"),
    ]
    assert {origin for _, _, origin in found.table()[3:]} == {"default"}


@pytest.mark.parametrize(
    ("user", "library", "expected"),
    [
        ("thresholds: {low: close}", "thresholds: {medium: moderate}", {"medium": "moderate", "low": "exact"}),
        ("thresholds: {low: close}", "agent: ada", {"medium": "close", "low": "close"}),
    ],
)
def test_a_table_lies_over_another_as_a_whole(
    tmp_path: Path, user: str, library: str, expected: dict[str, str]
) -> None:
    """Thresholds of two files are not mixed: what the upper one does not name is at its default."""
    found = configured(tmp_path, user=user, library=library).settings.thresholds
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    "content", [b"agent: ada\r\n", b"\xef\xbb\xbfagent: ada", b"agent: ada # me\n", b"---\nagent: ada\n"]
)
def test_the_ways_of_editors_make_no_difference(tmp_path: Path, content: bytes) -> None:
    """U5 for settings: line ends, byte order mark, comments."""
    assert configured(tmp_path, library=content).settings.agent == "ada"


# ---------------------------------------------------------------- what is not understood


@pytest.mark.parametrize("source", SOURCES)
def test_a_key_that_is_none_is_a_warning(tmp_path: Path, source: str) -> None:
    """A typo does not stop anybody, and is told with file, line and the keys there are; the others count."""
    found = configured(tmp_path, **{source: "# mine\nagnet: ada\nagent: bob\n"})
    (problem,) = found.problems
    assert (problem.file, problem.line, problem.level) == (f"{tmp_path}/{source}/config.yaml", 2, "warning")
    assert problem.reason == "'agnet' is not a setting"
    assert all(key in problem.hint for key in [*WRITING, *RECALL, *TABLES])
    assert found.settings.agent == "bob"


@pytest.mark.parametrize(
    "key",
    "model endpoint embedder executor command trust trust.files hooks url apiKey key plugins extends include".split(),  # noqa: SIM905 - one list
)
def test_a_repository_cannot_start_reach_or_trust_anything(tmp_path: Path, key: str) -> None:
    """DESIGN 2: such a key in a cloned config.yaml is only a word that is not understood."""
    found = configured(tmp_path, library=f"{key}: https://example.com\n")
    assert found.settings == Settings()
    assert [problem.level for problem in found.problems] == ["warning"]


@pytest.mark.parametrize("key", [key for key in [*WRITING, *RECALL, *TABLES] if key != "agent"])
def test_no_setting_takes_a_text_that_could_name_something(tmp_path: Path, key: str) -> None:
    """DESIGN 2: numbers, switches and words from a list; only `agent` is free text, and that is a name on a memory."""
    for value in ("https://example.com", "/bin/sh", "~/.ssh/id_rsa", "python -c pass"):
        folder = tmp_path / str(abs(hash(value)))
        folder.mkdir()
        refused(folder, f"{key}: {value}")


def test_an_embedder_can_be_left_out_but_not_chosen(tmp_path: Path) -> None:
    """DESIGN 2: `semantic` says no, or that the one which is installed may take part; it names none."""
    assert "true or false" in refused(tmp_path, "semantic: openai").hint


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    ("content", "line", "hint"),
    [
        ("durability: perhaps", 1, "full, batch, off"),
        ("durability: Full", 1, "full, batch, off"),
        ("# x\n\nlockTimeout: soon", 3, "0 to 3600"),
        ("lockTimeout: -1", 1, "0 to 3600"),
        ("lockTimeout: 3601", 1, "0 to 3600"),
        ("lockTimeout: nan", 1, "0 to 3600"),
        ("lockTimeout: inf", 1, "0 to 3600"),
        ("agent:", 1, "agent: ..."),
        ('agent: "  "', 1, "agent: ..."),
        ("agent: [a, b]", 1, "agent: ..."),
        ("agent: {a: b}", 1, "agent: ..."),
        ("lockTimeout: [1]", 1, "lockTimeout: ..."),
        ("maxInjected: -1", 1, "0 to 100"),
        ("maxInjected: 101", 1, "0 to 100"),
        ("maxInjected: 2.5", 1, "0 to 100"),
        ("maxInjected: many", 1, "0 to 100"),
        ("minImportance: urgent", 1, "low, medium, high, critical"),
        ("budget: -1", 1, "a number from 0 to 1"),
        ("budget: 1000001", 1, "a number from 0 to 1"),
        ("characters: 49", 1, "50 to 100000"),
        ("fill: yes", 1, "true or false"),
        ("intro: 1", 1, "true or false"),
        ("semantic: [true]", 1, "true or false"),
        ("match: exact", 1, "meaning, strict"),
        ("thresholds: close", 1, "critical"),
        ("thresholds: {urgent: close}", 1, "low, medium, high, critical"),
        ("thresholds: {low: nearly}", 1, "slight, moderate, close, exact"),
        ("thresholds: {low: slight}", 1, "do not rise"),
        ("thresholds: {critical: exact}", 1, "do not rise"),
        ("weights: [1]", 1, "importance"),
        ("weights: {colour: 1}", 1, "importance, recency, title, specialty, discoverer, bonus, match"),
        ("weights: {match: -1}", 1, "0 to 10"),
        ("weights: {match: 11}", 1, "0 to 10"),
        ("weights: {match: nan}", 1, "0 to 10"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(
    tmp_path: Path, source: str, content: str, line: int, hint: str
) -> None:
    """Nothing is guessed: file and line, and what would be right."""
    error = refused(tmp_path, content, source)
    assert error.message.startswith(f"{tmp_path}/{source}/config.yaml:{line}: ")
    assert hint in error.hint


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("agent: ada\nagent: bob", 2),
        ("- agent", 1),
        ("agent: *ada", 1),
        ("agent: &x ada", 1),
        ("durability: a: b", 1),
        (b"agent: caf\xe9", 1),
        (b"agent: a\n\x00", 2),
    ],
)
def test_a_file_that_is_no_plain_mapping_is_refused(tmp_path: Path, content: str | bytes, line: int) -> None:
    """The settings are read with the same suspicion as memories."""
    error = refused(tmp_path, content)
    assert error.message.startswith(f"{tmp_path}/library/config.yaml:{line}: ")
    assert error.hint


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    """More than anybody would write is not read."""
    assert "bytes" in refused(tmp_path, "# x\n" * 20_000).message


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    """What cannot be read is not taken for nothing."""
    (tmp_path / "library" / "config.yaml").mkdir(parents=True)
    with pytest.raises(InvalidSettings, match="not a regular file"):
        configure(str(tmp_path / "library"), str(tmp_path / "user"))


def test_a_linked_file_in_a_library_is_refused(tmp_path: Path) -> None:
    """A repository does not choose which file of ours is read."""
    (tmp_path / "library").mkdir()
    (tmp_path / "elsewhere.yaml").write_text("agent: ada\n")
    (tmp_path / "library" / "config.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    with pytest.raises(InvalidSettings, match="symbolic link"):
        configure(str(tmp_path / "library"), str(tmp_path / "user"))


@pytest.mark.parametrize("linked", ["user", "user/config.yaml"])
def test_the_users_own_file_may_be_linked(tmp_path: Path, linked: str) -> None:
    """Many keep their settings in a repository and link to them; that is theirs to do."""
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles" / "config.yaml").write_text("agent: ada\n")
    (tmp_path / linked).parent.mkdir(exist_ok=True)
    target = "dotfiles" if linked == "user" else "dotfiles/config.yaml"
    (tmp_path / linked).symlink_to(tmp_path / target)
    assert configure(str(tmp_path), str(tmp_path / "user")).settings.agent == "ada"


# ---------------------------------------------------------------- where they are read


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a library, whose user has no settings."""
    monkeypatch.setenv("RAWKO_HOME", str(tmp_path / "home"))
    layout.create(str(tmp_path / "shop"))
    return tmp_path / "shop"


def agent_of(project: Path) -> str:
    """Who is named as the author of a memory in a project."""
    with rawko.open(project) as library:
        return library.remember("T", "c", "x").discovered_by


def test_the_settings_of_a_library_hold_where_it_is_opened(project: Path) -> None:
    """They are read once, when a library is opened."""
    (project / ".rawko" / "config.yaml").write_text("agent: ada\n")
    assert agent_of(project) == "ada"


def test_rawko_home_names_the_folder_of_the_user(project: Path, tmp_path: Path) -> None:
    """DESIGN 2: instead of ~/.config/rawko."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.yaml").write_text("agent: ada\n")
    assert agent_of(project) == "ada"


def test_the_folder_of_the_user_is_below_home(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN 2: ~/.config/rawko, where nothing else is said."""
    monkeypatch.delenv("RAWKO_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".config" / "rawko").mkdir(parents=True)
    (tmp_path / ".config" / "rawko" / "config.yaml").write_text("agent: ada\n")
    assert agent_of(project) == "ada"


def test_a_setting_that_makes_no_sense_opens_no_library(project: Path) -> None:
    """The error comes before anything is written under a wrong setting."""
    (project / ".rawko" / "config.yaml").write_text("durability: perhaps\n")
    with pytest.raises(InvalidSettings):
        rawko.open(project)


# ---------------------------------------------------------------- what they do

CALLS: dict[str, Callable[[Library], Any]] = {
    "remember": lambda library: library.remember("New", "c", "x"),
    "update": lambda library: library.update("Old", "c"),
    "append_many": lambda library: library.append_many([Draft("a", "c", "x"), Draft("b", "c", "x")]),
    "forget": lambda library: library.forget("Old", purge=True),
}


def syncs(project: Path, durability: str, call: str) -> int:
    """How often a call waits for the disk, once the library has been used."""
    assert durability in DURABILITIES
    ledger = shim.Ledger()
    store = FileStore(str(project / ".rawko"), settings=Settings(durability=durability))
    with Library(store) as library:
        library.remember("Old", "c", "x")
        with shim.installed(ledger):
            CALLS[call](library)
    return sum(ledger.calls[name] for name in shim.SYNCS)


@pytest.mark.parametrize(
    ("durability", "call", "count"),
    [
        ("full", "remember", 2),  # the file, the folder
        ("full", "update", 2),  # the note in the lock, the file
        ("full", "append_many", 3),  # two files, one folder
        ("batch", "remember", 0),
        ("batch", "update", 0),
        ("batch", "append_many", 3),  # as with full
        ("off", "remember", 0),
        ("off", "update", 0),
        ("off", "append_many", 0),
    ],
)
def test_durability_is_how_often_a_call_waits_for_the_disk(
    project: Path, durability: str, call: str, count: int
) -> None:
    """full: acknowledged means on disk. batch: only append_many waits. off: the system decides when."""
    assert syncs(project, durability, call) == count


@pytest.mark.parametrize("durability", DURABILITIES)
def test_forgetting_always_waits_for_the_disk(project: Path, durability: str) -> None:
    """What must not be kept is gone when the call returns, whatever the setting."""
    assert syncs(project, durability, "forget") == 2


@pytest.mark.parametrize("durability", DURABILITIES)
def test_durability_changes_nothing_that_is_read(project: Path, durability: str) -> None:
    """It is about power cuts alone."""
    (project / ".rawko" / "config.yaml").write_text(f"durability: {durability}\n")
    with rawko.open(project) as library:
        library.append_many([Draft("a", "1", "x"), Draft("a", "2", "x")])
    with rawko.open(project) as library:
        assert [part.content for part in library.get("a").statements] == ["1", "2"]


def test_the_lock_timeout_is_how_long_a_writer_waits(project: Path) -> None:
    """Another writer gives a typed error after that time, with a hint, and nothing was written."""
    (project / ".rawko" / "config.yaml").write_text("lockTimeout: 0.05\n")
    other = FileStore(str(project / ".rawko"))
    with rawko.open(project) as library:
        library.remember("Old", "c", "x")
        with other._writing(), pytest.raises(LockTimeout, match=r"0\.05 s") as caught:
            library.remember("New", "c", "x")
        assert caught.value.hint
        assert library.store.names().names == ("old.md",)
