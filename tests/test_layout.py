"""Where a library is found, and what a new one is made of."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import rawko
from rawko.store import frontmatter, layout
from rawko.store.agents import agent
from rawko.values.errors import LibraryNotFound, StoreUnavailable

AGENTS = ["developer.md", "memory-extractor.md", "planner.md", "reviewer.md", "tester.md"]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No library of whoever runs the tests is in sight."""
    monkeypatch.delenv("RAWKO_DIR", raising=False)
    monkeypatch.setenv("RAWKO_HOME", str(tmp_path / "home"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a library."""
    layout.create(str(tmp_path / "shop"))
    return tmp_path / "shop"


def opened(path: Path | str | None = None) -> str:
    """The folder of the library that is opened."""
    with rawko.open(path) as library:
        return str(library.folder)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# ---------------------------------------------------------------- finding


@pytest.mark.parametrize("below", [".", ".rawko", "src", "src/deep/er", "src/not/there/yet"])
def test_a_library_is_found_from_below(project: Path, below: str) -> None:
    """DESIGN 2: like a git repository, from a folder upward; from the library itself too."""
    (project / "src" / "deep" / "er").mkdir(parents=True)
    assert opened(project / below) == str(project / ".rawko")


def test_a_library_is_found_from_a_file(project: Path) -> None:
    """What an editor has open is as good a place to start as its folder."""
    (project / "main.py").write_text("")
    assert opened(project / "main.py") == str(project / ".rawko")


def test_without_a_path_the_working_directory_counts(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN 2: from there upward."""
    (project / "src").mkdir()
    monkeypatch.chdir(project / "src")
    assert opened() == str(project / ".rawko")


def test_without_a_path_rawko_dir_counts_first(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN 2: the variable goes before the working directory."""
    layout.create(str(tmp_path / "other"))
    monkeypatch.chdir(project)
    monkeypatch.setenv("RAWKO_DIR", str(tmp_path / "other"))
    assert opened() == str(tmp_path / "other" / ".rawko")


def test_a_path_goes_before_rawko_dir(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN 2: RAWKO_DIR applies only when no path is given."""
    layout.create(str(tmp_path / "other"))
    monkeypatch.setenv("RAWKO_DIR", str(tmp_path / "other"))
    assert opened(project) == str(project / ".rawko")


def test_an_empty_rawko_dir_is_as_good_as_none(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that is set to nothing names nothing."""
    monkeypatch.chdir(project)
    monkeypatch.setenv("RAWKO_DIR", "")
    assert opened() == str(project / ".rawko")


def test_the_nearest_library_is_meant(project: Path) -> None:
    """A project inside a project has its own."""
    layout.create(str(project / "vendor"))
    assert opened(project / "vendor") == str(project / "vendor" / ".rawko")


def test_no_library_anywhere_is_an_error_with_a_hint(tmp_path: Path) -> None:
    """A person in the wrong folder learns which folder that is, and what to do."""
    with pytest.raises(LibraryNotFound) as caught:
        rawko.open(tmp_path)
    assert str(tmp_path) in caught.value.message
    assert "rawko init" in caught.value.hint


def test_a_file_called_rawko_is_no_library(project: Path) -> None:
    """Only a folder is; the search goes on above it."""
    (project / "src").mkdir()
    (project / "src" / ".rawko").write_text("")
    assert opened(project / "src") == str(project / ".rawko")


def test_a_linked_library_is_refused(project: Path, tmp_path: Path) -> None:
    """A repository cannot lead us to another folder; the hint says how a person can."""
    (tmp_path / "cloned").mkdir()
    (tmp_path / "cloned" / ".rawko").symlink_to(project / ".rawko")
    with pytest.raises(LibraryNotFound, match="symbolic link") as caught:
        rawko.open(tmp_path / "cloned")
    assert "RAWKO_DIR" in caught.value.hint


def test_a_linked_library_is_not_passed_over(project: Path) -> None:
    """The one above it is not meant, so it is not opened instead."""
    (project / "src").mkdir()
    (project / "src" / ".rawko").symlink_to(project / ".rawko")
    with pytest.raises(LibraryNotFound, match="symbolic link"):
        rawko.open(project / "src")


def test_a_library_may_have_another_name(project: Path) -> None:
    """What a link pointed to can be opened by its own path, whatever it is called."""
    folder = (project / ".rawko").rename(project / "knowledge")
    assert opened(folder) == str(folder)


def test_a_project_that_looks_like_a_library_is_not_taken_for_its_own(project: Path) -> None:
    """Folders called `memories` and files called `config.yaml` are not ours alone: `.rawko` goes before them."""
    (project / "memories").mkdir()
    (project / "config.yaml").write_text("theirs: true\n")
    assert opened(project) == str(project / ".rawko")
    assert layout.create(str(project)) == (str(project / ".rawko"), [])


def test_a_project_that_looks_like_a_library_gets_one_of_its_own(tmp_path: Path) -> None:
    """Nothing is written among files that are not ours."""
    (tmp_path / "memories").mkdir()
    (tmp_path / "config.yaml").write_text("theirs: true\n")
    assert layout.create(str(tmp_path))[0] == str(tmp_path / ".rawko")
    assert not (tmp_path / ".gitignore").exists()


# ---------------------------------------------------------------- making


def test_a_new_library_has_its_files(tmp_path: Path) -> None:
    """DESIGN 2: a place for memories, settings, and what git has to know; the caller learns what was made."""
    root, made = layout.create(str(tmp_path / "new" / "project"))
    assert root == str(tmp_path / "new" / "project" / ".rawko")
    assert (
        sorted(os.listdir(root))
        == sorted([*made, "memories"])
        == [
            ".gitattributes",
            ".gitignore",
            "config.yaml",
            "memories",
        ]
    )


def test_what_is_private_is_kept_out_of_git(project: Path) -> None:
    """DESIGN 2: cache, sessions, receipts, layers and reviews; memories, agents and settings are committed."""
    lines = (project / ".rawko" / ".gitignore").read_text().splitlines()
    ignored = [line for line in lines if not line.startswith("#")]
    assert sorted(ignored) == [".cache/", ".tmp-*", "layers/", "receipts/", "review/", "sessions/"]


def test_memories_are_merged_by_union(project: Path) -> None:
    """DESIGN 2: two branches that append to one memory merge without a conflict, in subfolders too."""
    lines = (project / ".rawko" / ".gitattributes").read_text().splitlines()
    assert "memories/*.md merge=union" in lines
    assert "memories/**/*.md merge=union" in lines


def test_new_settings_change_nothing(project: Path) -> None:
    """A file of comments: every key is optional, and a default stays one."""
    with rawko.open(project) as library:
        assert (library.configured.settings, library.configured.origins) == (rawko.Settings(), {})


def test_opening_can_make_a_library(tmp_path: Path) -> None:
    """DESIGN 10: `create` makes one where there is none, with every folder above it."""
    with rawko.open(tmp_path / "a" / "b", create=True) as library:
        assert library.folder == str(tmp_path / "a" / "b" / ".rawko")


def test_opening_makes_nothing_unless_told(tmp_path: Path) -> None:
    """A mistyped path leaves no trace."""
    with pytest.raises(LibraryNotFound):
        rawko.open(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_a_library_can_be_made_below_another(project: Path) -> None:
    """DESIGN 2: `create` makes `path/.rawko` even there."""
    with rawko.open(project / "vendor", create=True) as library:
        assert library.folder == str(project / "vendor" / ".rawko")


def test_making_a_library_again_keeps_every_byte(project: Path) -> None:
    """What is there already stays as it is, edited files and memories included."""
    root = project / ".rawko"
    (root / "config.yaml").write_bytes(b"agent: ada\r\n")
    (root / ".gitignore").write_bytes(b"")
    (root / "memories" / "x.md").write_bytes(b"\xff")
    before = contents(root)
    assert layout.create(str(project)) == (str(root), [])
    assert contents(root) == before


def test_making_a_library_again_makes_what_is_missing(project: Path) -> None:
    """A file that was deleted comes back, and is named."""
    (project / ".rawko" / ".gitattributes").unlink()
    assert layout.create(str(project))[1] == [".gitattributes"]


@pytest.mark.parametrize("path", [".", ".rawko"])
def test_a_library_is_made_at_the_project_or_at_itself(project: Path, path: str) -> None:
    """`.rawko` means the library, not a project to make one in."""
    assert layout.create(str(project / path))[0] == str(project / ".rawko")
    assert not (project / ".rawko" / ".rawko").exists()


def test_no_library_is_made_through_a_link(tmp_path: Path) -> None:
    """Nothing is written where a link leads."""
    (tmp_path / "target").mkdir()
    (tmp_path / ".rawko").symlink_to(tmp_path / "target")
    with pytest.raises(StoreUnavailable, match="symbolic link") as caught:
        layout.create(str(tmp_path))
    assert caught.value.hint
    assert list((tmp_path / "target").iterdir()) == []


def test_a_file_in_the_way_is_an_error(tmp_path: Path) -> None:
    """It is not replaced, and the error is one of ours."""
    (tmp_path / ".rawko").write_text("mine")
    with pytest.raises(StoreUnavailable):
        layout.create(str(tmp_path))
    assert (tmp_path / ".rawko").read_text() == "mine"


# ---------------------------------------------------------------- agents


def test_the_templates_of_agents_are_put_there(project: Path) -> None:
    """DESIGN 2, C11: the four of the seeds and the extractor."""
    made = layout.create_agents(str(project / ".rawko"))
    assert made == [f"agents/{name}" for name in AGENTS]
    assert sorted(os.listdir(project / ".rawko" / "agents")) == AGENTS


def test_an_agent_that_was_edited_stays(project: Path) -> None:
    """The templates are only a start."""
    layout.create_agents(str(project / ".rawko"))
    path = project / ".rawko" / "agents" / "planner.md"
    path.write_text("mine")
    (project / ".rawko" / "agents" / "tester.md").unlink()
    assert layout.create_agents(str(project / ".rawko")) == ["agents/tester.md"]
    assert path.read_text() == "mine"


def template(name: str) -> dict[str, frontmatter.Value]:
    """The frontmatter of a template as our own reader has it."""
    path = Path(layout.__file__).parent / "templates" / "agents" / name
    opening, front, body = path.read_text().split("---\n", 2)
    assert opening == ""
    assert body.startswith("\n# ")
    return frontmatter.load(front).values


@pytest.mark.parametrize("name", AGENTS)
def test_a_template_says_who_when_and_with_what(name: str) -> None:
    """C11: name, displayName, whenToUse and tools, and the name is that of the file."""
    agent = template(name)
    assert {"name", "displayName", "whenToUse", "tools"} <= agent.keys()
    assert f"{agent['name']}.md" == name


def test_the_extractor_may_only_read() -> None:
    """C10, C11: it has no tool that writes or runs anything."""
    assert template("memory-extractor.md")["tools"] == {"allowed": ["Read"], "blocked": ["Write", "Edit", "Bash"]}


@pytest.mark.parametrize("name", AGENTS)
def test_a_template_leaves_what_is_recalled_to_the_settings(project: Path, name: str) -> None:
    """E9, E10: what a template would pin, no setting could change."""
    layout.create_agents(str(project / ".rawko"))
    found, problems = agent(str(project / ".rawko"), name.removesuffix(".md"))
    assert (found.max_injected, found.min_importance, found.budget, problems) == (None, None, None, [])


@pytest.mark.parametrize("name", ["planner", "developer", "tester", "reviewer"])
def test_a_template_shows_what_an_agent_may_pin(project: Path, name: str) -> None:
    """G3: it counts as soon as somebody takes the comment signs away."""
    layout.create_agents(str(project / ".rawko"))
    path = project / ".rawko" / "agents" / f"{name}.md"
    path.write_text(re.sub(r"(?m)^# (memory:|  )", r"\1", path.read_text()))
    found, problems = agent(str(project / ".rawko"), name)
    assert (found.max_injected, found.min_importance, problems) == (5, "low", [])


@pytest.mark.parametrize(
    ("name", "tags"),
    [
        ("planner", ["planning", "structure", "analysis", "architecture"]),
        ("developer", ["implementation", "code", "patterns", "development"]),
        ("tester", ["testing", "validation", "quality", "tests"]),
        ("reviewer", ["review", "quality", "standards", "code-review"]),
    ],
)
def test_a_template_has_the_tags_of_its_agent(name: str, tags: list[str]) -> None:
    """E6, U12: the seeds' table, with the fourth tag."""
    assert template(f"{name}.md")["metadata"] == {"tags": tags}
