"""The commands that write: what they keep, what they say, and what they refuse."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from rawko.clients.cli import common
from rawko.library import Library
from rawko.testing import MemoryStore
from test_cli_tools import Shop, file_text

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A sample project with a library in it."""
    return Shop(tmp_path, monkeypatch)


def refused(result: Result) -> str:
    """What a command that failed said on standard error."""
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("rawko: ")
    return result.stderr


# ------------------------------------------------------------ init


def test_init_prints_what_it_made(tmp_path: Path, shop: Shop) -> None:
    """`init` names the library and every file it made in it."""
    made = shop.run("init", "--library", str(tmp_path / "new")).stdout.splitlines()
    assert made[0] == f"made {tmp_path}/new/.rawko"
    assert {".gitignore", ".gitattributes", "config.yaml", "agents/developer.md"} <= {line.strip() for line in made}


def test_init_of_the_folder_of_the_user_is_what_recall_reads(shop: Shop) -> None:
    """What is kept there is injected in every project: no `.rawko` lies in it that nobody looks at."""
    home = os.environ["RAWKO_HOME"]
    result = shop.run("init", "--library", home)
    assert result.stdout.startswith(f"made {os.path.realpath(home)}\n")
    assert "It is yours, in every project." in result.stdout
    shop.run("remember", "--library", home, "--title", "Commits", "--when-to-use", "commit", "--content", "Say why.")
    assert "*From: user library*" in shop.run("inject", "Write the commit").stdout


def test_the_folder_of_the_user_needs_no_settings(shop: Shop) -> None:
    """A folder `memories` in it is enough, for writing as it is for reading."""
    home = os.environ["RAWKO_HOME"]
    memories = os.path.join(home, "memories")
    os.makedirs(memories)
    words = ("--title", "Commits", "--when-to-use", "commit", "--content", "Say why.")
    assert shop.run("remember", "--library", home, *words).exit_code == 0
    assert os.listdir(memories) == ["commits.md"]


def test_init_again_changes_nothing_and_says_so(shop: Shop) -> None:
    """A second `init` leaves every byte alone."""
    settings = shop.folder / ".rawko" / "config.yaml"
    settings.write_text("agent: ada\n")
    assert "nothing was changed" in shop.run("init").stdout
    assert settings.read_text() == "agent: ada\n"


def test_init_again_makes_what_is_missing(shop: Shop) -> None:
    """A second `init` brings back a file that was deleted."""
    (shop.folder / ".rawko" / ".gitattributes").unlink()
    assert shop.json("init")["created"] == [".gitattributes"]


def test_init_below_a_library_says_so_once(shop: Shop) -> None:
    """A second library is made all the same, and a remark names the one above and says which will be used."""
    made, again = (shop.run("init", "--library", "sub") for _ in range(2))
    above, below = shop.folder / ".rawko", shop.folder / "sub"
    told = f"rawko: a library lies above, at {above}; commands run in {below} or below will use the new one\n"
    assert (made.exit_code, made.stderr, again.stderr) == (0, told, "")
    assert (below / ".rawko" / "memories").is_dir()


# ------------------------------------------------------------ remember


def test_remember_takes_every_field_as_a_flag(shop: Shop) -> None:
    """The flags become the memory."""
    flags = "--importance high --tag constraints --tag failures --agent developer --task fix --source Makefile"
    shop.remember("Tests need Redis", "Start it.", "--when-to-use", "pytest", "--related", "a.md", *flags.split())
    memory = shop.get("Tests need Redis")
    assert (memory.file, memory.content, memory.importance) == ("tests-need-redis.md", "Start it.", "high")
    assert (memory.when_to_use, memory.tags) == (("test", "pytest"), ("constraints", "failures"))
    assert (memory.discovered_by, memory.discovered_in) == ("developer", "fix")
    assert (memory.source, memory.related) == ("Makefile", ("a.md",))


def test_remember_says_that_it_created_a_file(shop: Shop) -> None:
    """A new title is a new file."""
    result = shop.run("remember", "--title", "New", "--when-to-use", "x", "--content", "y")
    assert result.stdout == "created new.md\n"


def test_remember_says_that_it_updated_a_file(shop: Shop) -> None:
    """A title that is there gets an update."""
    shop.remember("New")
    result = shop.run("remember", "--title", "New", "--when-to-use", "x", "--content", "y")
    assert result.stdout == "updated new.md\n"


@pytest.mark.parametrize("flags", [[], ["--content", "-"], ["--file", "-"]])
def test_remember_reads_standard_input(shop: Shop, flags: list[str]) -> None:
    """Without content, or with `-`, the text comes from standard input."""
    shop.run("remember", "--title", "Piped", "--when-to-use", "x", *flags, stdin="From a pipe: ä\n")
    assert shop.get("Piped").content == "From a pipe: ä"


def test_remember_reads_frontmatter_on_standard_input(shop: Shop) -> None:
    """Text with frontmatter needs no flags."""
    text = file_text("Piped", tags="[a, b]", discoveredIn="a task", relatedMemories="other.md", source="here")
    memory = shop.json("remember", stdin=text)
    assert (memory["title"], memory["whenToUse"], memory["tags"]) == ("Piped", ["test"], ["a", "b"])
    assert (memory["discoveredBy"], memory["discoveredIn"], memory["source"]) == ("ada", "a task", "here")
    assert (memory["relatedMemories"], memory["importance"], memory["content"]) == (["other.md"], "low", "A body.")


def test_remember_reads_a_file_of_any_line_ends(shop: Shop) -> None:
    """A file with a byte order mark and CRLF reads like any other."""
    note = shop.folder / "note.md"
    note.write_bytes(b"\xef\xbb\xbf" + file_text("From a file").replace("\n", "\r\n").encode())
    assert shop.json("remember", "--file", str(note))["content"] == "A body."


def test_remember_takes_a_file_without_frontmatter_as_content(shop: Shop) -> None:
    """A plain file is the content, and the flags are the rest."""
    (shop.folder / "note.md").write_text("# Plain\n\nText.\n")
    memory = shop.json("remember", "--file", "note.md", "--title", "Plain", "--when-to-use", "x")
    assert memory["content"] == "# Plain\n\nText."


def test_a_flag_wins_over_the_frontmatter(shop: Shop) -> None:
    """What is given as a flag replaces the field of the file."""
    flags = ["--title", "Flag", "--when-to-use", "flag", "--importance", "critical", "--tag", "t"]
    memory = shop.json("remember", *flags, stdin=file_text("File", tags="[a, b]"))
    found = (memory["title"], memory["whenToUse"], memory["importance"], memory["tags"])
    assert found == ("Flag", ["flag"], "critical", ["t"])


def test_keys_that_are_not_taken_over_are_named(shop: Shop) -> None:
    """Nothing of the frontmatter is dropped without a word."""
    result = shop.run("remember", stdin=file_text(colour="red"))
    assert result.stderr == (
        "rawko: not taken over from the frontmatter: discoveredAt, colour; "
        "copy the file into .rawko/memories to keep it as it is\n"
    )


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (file_text(importance="urgent"), 4, "`importance` is 'urgent'"),
        (file_text(title="[a]"), 2, "`title` must be one text"),
        (file_text(whenToUse="{a: b}"), 3, "`whenToUse` must be a text or a list of texts"),
        ("---\ntitle: x\n", 1, "the frontmatter is not closed"),
        ("---\ntitle: x\n  - y: [\n---\n", 3, "not YAML"),
        ("one\ntwo \x00\n", 2, "there is a NUL byte"),
    ],
)
def test_an_error_in_a_text_names_its_line(shop: Shop, text: str, line: int, reason: str) -> None:
    """What is wrong with standard input is said with its line."""
    result = shop.run("remember", "--task", "t", stdin=text)
    assert refused(result).startswith(f"rawko: standard input:{line}: {reason}")
    assert list(shop.memories.iterdir()) == []


def test_an_error_in_a_file_names_the_file(shop: Shop) -> None:
    """What is wrong with a file is said with its name and line."""
    (shop.folder / "note.md").write_text(file_text(importance="urgent"))
    assert "note.md:4: " in refused(shop.run("remember", "--file", "note.md"))


def test_bytes_that_are_not_text_are_refused(shop: Shop) -> None:
    """Latin-1 on standard input is an error with its line."""
    result = shop.run("remember", "--title", "x", "--when-to-use", "y", stdin=b"fine\ncaf\xe9\n")
    assert "standard input:2: byte 0xe9 is not UTF-8" in refused(result)


def test_a_flood_on_standard_input_is_refused(shop: Shop) -> None:
    """More than a memory can hold is not even read to its end."""
    result = shop.run("remember", "--title", "x", "--when-to-use", "y", stdin=b"x" * (4 * 1024 * 1024 + 1))
    assert "more than 4,194,304 bytes" in refused(result)


def test_empty_content_is_refused(shop: Shop) -> None:
    """A memory that says nothing is not kept, and a person learns where its text can come from."""
    result = shop.run("remember", "--title", "x", "--when-to-use", "y", stdin="\n")
    assert refused(result) == (
        "rawko: standard input is empty\n  hint: give the text with --content or --file, or on standard input\n"
    )


def test_frontmatter_without_a_text_is_refused(shop: Shop) -> None:
    """Fields alone are no memory."""
    assert "standard input has nothing below the frontmatter" in refused(
        shop.run("remember", stdin=file_text(body="\n"))
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["remember", "--title", "\ud800", "--when-to-use", "y", "--content", "z"], "--title is not valid Unicode"),
        (["remember", "--title", "x", "--when-to-use", "\ud800", "--content", "z"], "--when-to-use is not valid"),
        (["remember", "--title", "x", "--when-to-use", "y", "--tag", "\ud800", "--content", "z"], "--tag is not valid"),
        (["remember", "--title", "x", "--when-to-use", "y", "--content", " "], "--content is empty"),
        (["update", "Redis", "--content", " "], "--content is empty"),
        (["deprecate", "Redis", "--reason", " "], "--reason is empty"),
    ],
)
def test_an_error_in_a_flag_names_the_flag(shop: Shop, words: list[str], said: str) -> None:
    """A person sees the word that they typed, not the one of the Python interface."""
    shop.remember("Redis")
    assert refused(shop.run(*words)).startswith(f"rawko: {said}")


def test_a_blank_title_or_pattern_is_a_missing_one(shop: Shop) -> None:
    """White space does not say for which tasks something matters."""
    result = shop.run("remember", "--title", " ", "--when-to-use", " ", "--content", "x")
    assert result.exit_code == 2
    assert "--title and --when-to-use must be given" in result.stderr


def test_a_missing_title_is_a_usage_error(shop: Shop) -> None:
    """What must be given is named by its flag, and the exit code is 2."""
    result = shop.run("remember", stdin="Some text.")
    assert result.exit_code == 2
    assert "--title and --when-to-use must be given" in result.stderr


@pytest.mark.parametrize("words", [["remember"], ["update", "Redis"], ["correct", "Redis"]])
def test_content_and_file_exclude_each_other(shop: Shop, words: list[str]) -> None:
    """Two texts for one memory are a usage error."""
    shop.remember("Redis")
    result = shop.run(*words, "--content", "a", "--file", "-")
    assert result.exit_code == 2
    assert "exclude each other" in result.stderr


# ------------------------------------------------------------ update, correct, status


def test_update_appends_with_its_own_provenance(shop: Shop) -> None:
    """An update brings text, patterns, tags, importance, agent and task."""
    shop.remember("Redis")
    flags = "--when-to-use redis --tag solutions --importance critical --agent tester --task check"
    memory = shop.json("update", "Redis", "--content", "Version 7.", *flags.split())
    update = memory["updates"][0]
    assert (memory["action"], update["content"], update["by"], update["in"]) == (
        "updated",
        "Version 7.",
        "tester",
        "check",
    )
    assert (memory["whenToUse"], memory["tags"], memory["importance"]) == (["test", "redis"], ["solutions"], "critical")


def test_update_reads_standard_input_as_it_is(shop: Shop) -> None:
    """The text of an update has no frontmatter: what looks like it is text."""
    shop.remember("Redis")
    assert shop.json("update", "redis.md", stdin="---\ntext\n---\n")["updates"][0]["content"] == "---\ntext\n---"


@pytest.mark.parametrize("command", ["update", "correct"])
def test_an_update_can_come_from_a_file(shop: Shop, command: str) -> None:
    """A longer text need not go through a pipe."""
    shop.remember("Redis")
    (shop.folder / "note.md").write_text("# Later\n\nVersion 7.\n")
    assert shop.json(command, "Redis", "--file", "note.md")["updates"][0]["content"] == "# Later\n\nVersion 7."


@pytest.mark.parametrize("command", ["update", "correct"])
def test_a_file_with_frontmatter_is_no_update(shop: Shop, command: str) -> None:
    """Fields that would be lost, or become text, are refused."""
    shop.remember("Redis")
    (shop.folder / "note.md").write_text(file_text())
    said = refused(shop.run(command, "Redis", "--file", "note.md"))
    assert said.startswith("rawko: note.md begins with frontmatter, and the ")
    assert "  hint: take the frontmatter out" in said
    assert shop.get("Redis").updates == ()


@pytest.mark.parametrize("command", ["update", "correct"])
def test_an_empty_update_says_where_a_text_can_come_from(shop: Shop, command: str) -> None:
    """Whoever forgot the text learns how to give it."""
    shop.remember("Redis")
    assert refused(shop.run(command, "Redis")) == (
        "rawko: standard input is empty\n  hint: give the text with --content or --file, or on standard input\n"
    )


def test_correct_appends_a_correction(shop: Shop) -> None:
    """A correction stands beside what it corrects."""
    shop.remember("Redis", "It is needed.")
    memory = shop.json("correct", "Redis", "--content", "It is not.")
    assert memory["updates"][0]["kind"] == "correction"
    assert memory["content"].startswith("It is needed.")


def test_deprecate_and_restore_change_the_status(shop: Shop) -> None:
    """A memory can be retired and brought back."""
    shop.remember("Redis")
    assert shop.json("deprecate", "Redis", "--reason", "Gone.")["status"] == "deprecated"
    assert shop.json("restore", "Redis", "--reason", "Back.")["status"] == "active"


def test_adding_to_a_retired_memory_says_that_it_stays_retired(shop: Shop) -> None:
    """Whoever learns again what was retired is told how to bring it back."""
    shop.remember("Redis")
    shop.run("deprecate", "Redis", "--reason", "Gone.")
    assert "still deprecated" in shop.run("update", "Redis", "--content", "It is back.").stderr
    assert "still" not in shop.run("restore", "Redis", "--reason", "Back.").stderr


@pytest.mark.parametrize(
    "words",
    [
        ["update", "key.md", "--content", "More."],
        ["correct", "key.md", "--content", "More."],
        ["restore", "key.md", "--reason", "After all."],
    ],
)
def test_what_was_purged_cannot_be_brought_back(shop: Shop, words: list[str]) -> None:
    """Whoever adds to a stub learns that the text is gone, and is not sent to `restore`."""
    shop.remember("Key", "SECRET")
    shop.run("forget", "Key", "--purge", "--yes")
    said = shop.run(*words).stderr
    assert ("gone" in said, "remember" in said, "restore" in said) == (True, True, False)


def test_remembering_a_stub_says_what_became_of_it(shop: Shop) -> None:
    """The title of a stub is no way back either."""
    shop.remember("Key", "SECRET")
    shop.run("forget", "Key", "--purge", "--yes")
    title = shop.get("key.md").title
    said = shop.run("remember", "--title", title, "--when-to-use", "x", "--content", "y").stderr
    assert "restore" not in said


def test_supersede_names_the_successor(shop: Shop) -> None:
    """A memory that was replaced says by which."""
    shop.remember("Old")
    shop.remember("New")
    memory = shop.json("supersede", "Old", "--by", "New")
    assert (memory["status"], memory["updates"][0]["replacedBy"]) == ("superseded", "new.md")


@pytest.mark.parametrize("command", ["deprecate", "restore"])
def test_a_status_needs_a_reason(shop: Shop, command: str) -> None:
    """Why is not optional."""
    shop.remember("Redis")
    assert shop.run(command, "Redis").exit_code == 2


@pytest.mark.parametrize("ref", ["Redis x", "REDIS X", "redis-x", "redis-x.md", ".rawko/memories/redis-x.md"])
def test_a_memory_goes_by_title_name_or_path(shop: Shop, ref: str) -> None:
    """However a person names it, it is found."""
    shop.remember("Redis x")
    assert shop.run("update", ref, "--content", "More.").stdout == "updated redis-x.md\n"


@pytest.mark.parametrize("ref", ["../secret.md", "/etc/passwd", ".rawko/config.yaml", ".rawko/memories/../config.yaml"])
def test_a_path_outside_the_memories_is_no_memory(shop: Shop, ref: str) -> None:
    """A path that leads elsewhere is only a name that nothing has."""
    assert "there is no memory" in refused(shop.run("update", ref, "--content", "x"))


def test_a_file_that_cannot_be_read_is_not_written_to(shop: Shop) -> None:
    """An update of a broken file is refused with the place of the trouble, and its bytes stay."""
    path = shop.put("broken.md", file_text(importance="urgent"))
    assert "broken.md:4: `importance` is 'urgent'" in refused(shop.run("update", "broken", "--content", "x"))
    assert path.read_text() == file_text(importance="urgent")


# ------------------------------------------------------------ forget


def test_forget_without_purge_points_to_deprecate(shop: Shop) -> None:
    """Nothing is removed by a word that sounds harmless."""
    shop.remember("Key", "SECRET")
    message = refused(shop.run("forget", "Key"))
    assert "rawko deprecate key.md" in message
    assert "SECRET" in (shop.memories / "key.md").read_text()


def test_forget_with_purge_removes_the_text_and_warns_about_history(shop: Shop) -> None:
    """The text is gone from the file, and the person learns where it is not gone from."""
    shop.remember("Key", "SECRET")
    result = shop.run("forget", "Key", "--purge", "--yes", "--reason", "It held a key.")
    assert result.stdout == "forgotten key.md\n"
    assert "version control" in result.stderr
    text = (shop.memories / "key.md").read_text()
    assert "SECRET" not in text
    assert "It held a key." in text


def test_forget_can_remove_one_text_read_from_standard_input(shop: Shop) -> None:
    """A secret need not be typed on the command line, and the rest of the memory stays."""
    shop.remember("Key", "before SECRET after")
    shop.run("forget", "Key", "--purge", "--yes", "--text", "-", stdin="SECRET\n")
    text = (shop.memories / "key.md").read_text()
    assert "SECRET" not in text
    assert "before (removed on " in text


@pytest.mark.parametrize("more", [[], ["--text", "SECRET"], ["--text", "-"]])
def test_forget_where_nobody_can_be_asked_needs_yes(shop: Shop, more: list[str]) -> None:
    """A script that did not say that it means it removes nothing."""
    shop.remember("Key", "SECRET")
    said = refused(shop.run("forget", "Key", "--purge", *more, stdin="SECRET"))
    assert said.startswith("rawko: nothing was removed\n  hint: nobody can be asked here; add --yes")
    assert "SECRET" in (shop.memories / "key.md").read_text()


@pytest.mark.parametrize(
    ("title", "text", "told"),
    [("Mallory Smith", "Mallory Smith", True), ("The smith", "Mallory", False), ("A note", "md", False)],
)
def test_forget_says_when_the_name_of_the_file_tells_it_still(shop: Shop, title: str, text: str, told: bool) -> None:
    """What was removed from the text may be what the file is called."""
    shop.remember(title, f"It was {text}.")
    said = shop.run("forget", title, "--purge", "--yes", "--text", text).stderr
    assert "version control" in said
    assert ("the file is still called" in said) is told


def test_forget_works_on_a_file_that_cannot_be_read(shop: Shop) -> None:
    """A secret in a broken file goes all the same, and the person learns that the file is still broken."""
    path = shop.put("broken.md", file_text(importance="urgent", body="SECRET"))
    result = shop.run("forget", "broken", "--purge", "--yes", "--text", "SECRET", "--json")
    assert json.loads(result.stdout) == {"action": "forgotten", "file": "broken.md"}
    assert "`rawko validate` says why" in result.stderr
    assert "SECRET" not in path.read_text()


# ------------------------------------------------------------ errors


def test_an_error_has_a_hint_on_a_line_of_its_own(shop: Shop) -> None:
    """People get the message and what to do about it."""
    assert refused(shop.run("show", "nope")) == (
        "rawko: there is no memory 'nope'\n  hint: `rawko list` shows what there is\n"
    )


@pytest.mark.parametrize("ref", ["redis", "tests-ned-redis", "Tests need Rdis", "./tests-need-redis.txt", "need"])
def test_an_unknown_name_gets_a_suggestion(shop: Shop, ref: str) -> None:
    """Whoever mistypes a name, or has only a part of it, is told the whole."""
    shop.remember("Tests need Redis")
    shop.remember("Payments")
    assert "  hint: it could be tests-need-redis.md; `rawko list`" in refused(shop.run("show", ref))


def test_a_suggestion_knows_titles(shop: Shop) -> None:
    """A file that is called otherwise than its title is found by what its title is like."""
    shop.put("n7.md", file_text("How we deploy"))
    assert "it could be n7.md" in refused(shop.run("show", "how we deplyo"))


@pytest.mark.parametrize("words", [["supersede", "Redis", "--by", "Paymens"], ["validate", "Redis", "Paymens"]])
def test_every_name_that_is_given_gets_a_suggestion(shop: Shop, words: list[str]) -> None:
    """Not only the first one."""
    shop.remember("Redis")
    shop.remember("Payments")
    assert "it could be payments.md" in refused(shop.run(*words))


def test_a_name_like_no_other_gets_no_suggestion(shop: Shop) -> None:
    """A wild guess helps nobody."""
    shop.remember("Redis")
    assert refused(shop.run("show", "xyz")).endswith("  hint: `rawko list` shows what there is\n")


@pytest.mark.parametrize(("count", "searched"), [(5000, True), (5001, False)])
def test_a_large_library_is_not_searched_for_suggestions(count: int, searched: bool) -> None:
    """An error must not take longer than a look at the list."""
    library = Library(MemoryStore({f"memory-{number}.md": b"" for number in range(count)}))
    assert bool(list(common._known(library))) is searched


def test_an_error_is_json_too(shop: Shop) -> None:
    """With --json a program finds the error on standard output, and a person on standard error."""
    result = shop.run("show", "nope", "--json")
    error = json.loads(result.stdout)["error"]
    assert (result.exit_code, error["kind"]) == (1, "MemoryNotFound")
    assert result.stderr.startswith("rawko: there is no memory")


def test_an_unreadable_memory_is_json_with_its_problems(shop: Shop) -> None:
    """All problems of the file are there, each with its line."""
    shop.put("broken.md", file_text(importance="urgent", discoveredAt="yesterday"))
    problems = shop.json("show", "broken")["error"]["problems"]
    assert sorted(problem["line"] for problem in problems) == [4, 5]


def test_without_a_library_the_hint_is_init(tmp_path: Path, shop: Shop) -> None:
    """A person in the wrong folder learns what to do."""
    assert "run `rawko init` there" in refused(shop.run("list", "--library", str(tmp_path)))
