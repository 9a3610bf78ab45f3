"""The command on a terminal: colours, bars, questions, the editor, and nothing that data could do to it (S9)."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import TYPE_CHECKING

import pytest

from rawko.clients.cli.columns import width
from test_cli_tools import HOSTILE, PAYLOAD, Shop, escaped, file_text, on_terminal

if TYPE_CHECKING:
    from pathlib import Path

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_BODY = file_text(body=PAYLOAD.replace("\x00", ""))


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A sample project with a library in it."""
    return Shop(tmp_path, monkeypatch)


def editor(shop: Shop, script: str) -> dict[str, str]:
    """The environment in which a shell script, which gets the file as $1, is the editor."""
    path = shop.folder / "editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return {"EDITOR": str(path)}


# ------------------------------------------------------------ colours and tables


def test_a_terminal_gets_colours(shop: Shop) -> None:
    """Importance stands out."""
    shop.remember("Redis", "x", "--importance", "critical")
    assert "\x1b[1;31mcritical" in shop.terminal("list").text


def test_no_color_is_respected(shop: Shop) -> None:
    """Who asks for no colour gets none."""
    shop.remember("Redis", "x", "--importance", "critical")
    assert "31m" not in shop.terminal("list", env={"NO_COLOR": "1"}).text


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 120])
@pytest.mark.parametrize("command", ["list", "log"])
def test_a_table_fits_the_window(shop: Shop, command: str, columns: int) -> None:
    """Each row is one line that does not run over, with the whole name of its file."""
    shop.put("tests-redis.md", file_text("Tests need a Redis of their own, which listens on port 6390", "Start " * 50))
    shop.put("记忆.md", file_text("支付金额以分为单位，绝不要使用浮点数来计算发票", "每个金额都是整数。" * 9))
    lines = _COLOUR.sub("", shop.terminal(command, columns=columns).text).splitlines()
    assert len(lines) == 3
    assert max(map(width, lines)) <= columns
    assert ("tests-redis.md" in lines[1], "记忆.md" in lines[2]) == (True, True)


def test_a_title_is_shortened_with_an_ellipsis(shop: Shop) -> None:
    """What does not fit is seen not to be all."""
    shop.put("a.md", file_text("A title that is a good deal longer than the window of this terminal is wide"))
    assert "A title that is a good de…  " in shop.terminal("list", columns=70).text


def test_markup_in_a_title_is_text(shop: Shop) -> None:
    """Square brackets and emoji codes mean nothing to a table."""
    shop.remember("[red]Redis[/red] :boom:", "x")
    assert "[red]Redis[/red] :boom:" in shop.terminal("list").text


def test_an_error_on_a_terminal_has_its_hint(shop: Shop) -> None:
    """The message is the same, with colour."""
    screen = shop.terminal("show", "nope")
    assert screen.code == 1
    assert "rawko: there is no memory 'nope'" in _COLOUR.sub("", screen.text)


def test_a_remark_of_inject_is_coloured(shop: Shop) -> None:
    """The short way is for programs: on a terminal it is left to the full one."""
    assert "\x1b[1mrawko: \x1b[0m" in shop.terminal("inject", "zorp").text


# ------------------------------------------------------------ progress


def fill(shop: Shop, count: int) -> None:
    """Put many small memories into a library."""
    text = file_text()
    for number in range(count):
        shop.put(f"m{number}.md", text)


@pytest.mark.parametrize(
    ("command", "word"), [("list", "reading"), ("validate", "validating"), ("doctor", "examining")]
)
def test_long_work_shows_a_bar(shop: Shop, command: str, word: str) -> None:
    """More than 200 files are worth a bar on standard error."""
    fill(shop, 201)
    with open(os.devnull, "wb") as nowhere:
        screen = shop.terminal(command, stdout=nowhere.fileno())
    assert word in screen.text
    assert "100%" in screen.text


def test_short_work_shows_no_bar(shop: Shop) -> None:
    """Up to 200 files are read before a bar could be seen."""
    fill(shop, 200)
    assert "reading" not in shop.terminal("list").text


def test_a_bar_stays_out_of_the_result(shop: Shop, tmp_path: Path) -> None:
    """Standard output has the JSON alone, while the bar is on the terminal."""
    fill(shop, 201)
    with open(tmp_path / "out.json", "wb") as out:
        screen = shop.terminal("list", "--json", stdout=out.fileno())
    assert "reading" in screen.text
    assert len(json.loads((tmp_path / "out.json").read_text())["memories"]) == 201


# ------------------------------------------------------------ the editor


def test_the_editor_opens_on_a_template_filled_from_the_flags(shop: Shop) -> None:
    """What was given is there, and the headings of a good memory."""
    flags = ["--title", 'A "b"', "--when-to-use", "x|y", "--tag", "failures", "--importance", "high"]
    shop.terminal("remember", *flags, env=editor(shop, 'cp "$1" seen.md'))
    seen = (shop.folder / "seen.md").read_text()
    assert 'title: "A \\"b\\""\n' in seen
    assert '\n  - "x|y"\n' in seen
    assert 'tags: ["failures"]' in seen
    assert "importance: high" in seen
    assert '# A "b"\n' in seen
    assert "## Key Points\n" in seen


def test_what_is_written_in_the_editor_is_kept(shop: Shop) -> None:
    """Title, patterns and text come from the editor, the other flags count as well."""
    (shop.folder / "text.md").write_text(file_text("Edited"))
    screen = shop.terminal("remember", "--task", "a task", env=editor(shop, 'cp text.md "$1"'))
    assert (screen.code, "edited.md" in screen.text) == (0, True)
    memory = shop.get("Edited")
    assert (memory.content, memory.discovered_in) == ("A body.", "a task")


@pytest.mark.parametrize("text", ["Only text.\n", "---\nsource: here\n---\n\nOnly text.\n"])
def test_a_flag_counts_where_the_editor_leaves_its_field_out(shop: Shop, text: str) -> None:
    """Who deletes the frontmatter, or a line of it, has still said it on the command line."""
    (shop.folder / "text.md").write_text(text)
    flags = ["--title", "Flag", "--when-to-use", "x", "--tag", "failures", "--importance", "high"]
    assert shop.terminal("remember", *flags, env=editor(shop, 'cp text.md "$1"')).code == 0
    memory = shop.get("Flag")
    assert (memory.when_to_use, memory.tags, memory.importance) == (("x",), ("failures",), "high")
    assert memory.content == "Only text."


def test_what_the_editor_says_wins_over_a_flag(shop: Shop) -> None:
    """A field that was changed or emptied in the editor is as it was left there."""
    (shop.folder / "text.md").write_text(file_text("Edited", tags="[]"))
    flags = ["--title", "Flag", "--when-to-use", "x", "--tag", "failures", "--importance", "high"]
    assert shop.terminal("remember", *flags, env=editor(shop, 'cp text.md "$1"')).code == 0
    memory = shop.get("Edited")
    assert (memory.when_to_use, memory.tags, memory.importance) == (("test",), (), "low")


@pytest.mark.parametrize(
    ("script", "said"),
    [("true", "was left as it was"), ('touch "$1"', "was left as it was"), (': > "$1"', "was empty")],
)
def test_an_unchanged_or_emptied_text_writes_nothing(shop: Shop, script: str, said: str) -> None:
    """Leaving the editor without a text is a way out."""
    screen = shop.terminal("remember", "--title", "x", "--when-to-use", "y", env=editor(shop, script))
    assert screen.code == 1
    assert "nothing was written: the memory " + said in screen.text
    assert list(shop.memories.iterdir()) == []


@pytest.mark.parametrize("text", [file_text(importance="urgent"), "No frontmatter, so no title."])
def test_a_text_that_cannot_be_kept_is_not_lost(shop: Shop, text: str) -> None:
    """A mistake in the frontmatter does not cost a person what they wrote."""
    (shop.folder / "text.md").write_text(text)
    screen = shop.terminal("remember", env={**editor(shop, 'cp text.md "$1"'), "TMPDIR": str(shop.folder)})
    saved = re.search(r"your text is in (\S+);", screen.text)
    assert screen.code in {1, 2}
    assert saved is not None
    with open(saved[1]) as file:
        assert file.read() == text


def test_an_editor_that_fails_is_an_error(shop: Shop) -> None:
    """Nothing is taken from an editor that gave up, and there is another way."""
    screen = shop.terminal("remember", env=editor(shop, 'echo text > "$1"; exit 3'))
    assert screen.code == 1
    assert "hint: set $EDITOR to one that works, or give the text with --content" in _COLOUR.sub("", screen.text)
    assert list(shop.memories.iterdir()) == []


@pytest.mark.parametrize("command", ["/nowhere/editor", 'vi "unclosed'])
def test_an_editor_that_cannot_be_started_is_an_error(shop: Shop, command: str) -> None:
    """A wrong $EDITOR is no crash."""
    shop.remember("Redis")
    screen = shop.terminal("update", "Redis", env={"EDITOR": command})
    assert screen.code == 1
    assert "hint: set $EDITOR" in _COLOUR.sub("", screen.text)


def test_an_update_can_be_written_in_the_editor(shop: Shop) -> None:
    """Without content, an update opens the editor on an empty text."""
    shop.remember("Redis")
    assert shop.terminal("update", "Redis", env=editor(shop, 'echo Later. > "$1"')).code == 0
    assert shop.get("Redis").updates[0].content == "Later."


# ------------------------------------------------------------ questions


@pytest.mark.parametrize(("answer", "code", "kept"), [(b"n\n", 1, True), (b"y\n", 0, False)])
def test_forget_asks_first(shop: Shop, answer: bytes, code: int, kept: bool) -> None:
    """Only a yes removes anything."""
    shop.remember("Key", "SECRET")
    screen = shop.terminal("forget", "Key", "--purge", typed=answer)
    assert "Remove everything that key.md says for good? [y/N]" in screen.text
    assert screen.code == code
    assert ("SECRET" in (shop.memories / "key.md").read_text()) is kept


def test_forget_does_not_ask_with_yes(shop: Shop) -> None:
    """Who has said yes is not asked."""
    shop.remember("Key", "SECRET")
    screen = shop.terminal("forget", "Key", "--purge", "--yes")
    assert screen.code == 0
    assert "[y/N]" not in screen.text


# ------------------------------------------------------------ S9: what data cannot do to a terminal


def arrived(text: str) -> set[str]:
    """The hostile characters in what a terminal received, beside our own colours and line ends."""
    ours = _COLOUR.sub("", text).replace("\r\n", "\n")
    return {char for char in ours if char in HOSTILE or 0xD800 <= ord(char) <= 0xDFFF}


@pytest.fixture
def hostile(shop: Shop) -> Shop:
    """A library with hostile characters wherever a file can have them."""
    bad, key = escaped(PAYLOAD), escaped(_KEY)
    rest = dict.fromkeys(("whenToUse", "discoveredBy", "discoveredIn", "source", "relatedMemories"), bad)
    shop.put("fields.md", file_text(bad, tags=f"[{bad}]", **rest))
    shop.put(
        "body.md", _BODY + f'\n---\n\n## Update (2026-02-01)\n<!-- rawko:1 {{"by": {json.dumps(PAYLOAD)}}} -->\n\nx\n'
    )
    shop.put("importance.md", file_text(importance=bad))
    shop.put("date.md", file_text(discoveredAt=bad))
    shop.put("kind.md", file_text() + f"\n<!-- rawko:1 {json.dumps({'at': PAYLOAD, 'kind': PAYLOAD})} -->\n\nx\n")
    shop.put("key.md", f"---\n{key}: 1\n{key}: 2\n---\n")
    shop.put("alias.md", "---\ntitle: *a\x9bZ\u202eZ\n---\n")
    shop.put("raw.md", f"---\ntitle: {PAYLOAD}\n---\n")
    shop.put("conflict.md", file_text(body=f"<<<<<<< {PAYLOAD[2:]}\n{PAYLOAD[2:]}\n=======\nx\n>>>>>>> y"))
    for start in range(1, len(HOSTILE), 30):
        name = "".join(f"{char}Z" for char in HOSTILE[start : start + 30])
        shop.put(f"{name}.md", file_text(f"Name {start}"))
        shop.put(f"{name}broken.md", "")
        (shop.memories / f"{name}folder.md").mkdir()
    (shop.memories / os.fsdecode(b"\x9b\xff.md")).write_text(file_text())
    (shop.memories / f".tmp-{_KEY}").write_text("half")
    (shop.folder / ".rawko" / "config.yaml").write_text(f"agent: {bad}\n{key}: x\n")
    return shop


_NAME = "".join(f"{char}Z" for char in HOSTILE[1:31])
_KEY = "".join(f"{char}Z" for char in HOSTILE[20:60])  # YAML has no room for longer keys
_ARGUMENT = PAYLOAD.replace("\x00", "")
_READING = [
    (["list"], 0),
    (["list", "--tag", _ARGUMENT], 0),
    (["show", "fields.md"], 0),
    (["show", "body.md"], 0),
    (["show", "Name 1"], 0),
    (["log"], 0),
    (["validate"], 1),
    (["validate", "importance.md"], 1),
    (["doctor"], 1),
    (["config"], 0),
]
_FAILING = [
    ["show", _ARGUMENT],
    ["show", "roken"],
    ["show", "fields.md", "--as-of", _ARGUMENT],
    ["show", "importance.md"],
    ["show", "raw.md"],
    ["show", "key.md"],
    ["log", "--since", _ARGUMENT],
    ["list", "--library", f"/tmp/{_ARGUMENT}"],
    ["supersede", "fields.md", "--by", _ARGUMENT],
    ["forget", "Name 1"],
    ["forget", "Name 1", "--purge", "--text", _ARGUMENT],
    ["remember", "--file", _ARGUMENT],
    ["remember", "--title", "x", "--when-to-use", "y", "--importance", _ARGUMENT],
    [_ARGUMENT],
    ["list", f"--{_ARGUMENT}"],
    ["list", _ARGUMENT],
    ["init", "--library", f"/dev/null/{_KEY}"],
    ["correct", "kind.md", "--content", _ARGUMENT],
    ["restore", _ARGUMENT, "--reason", _ARGUMENT],
    ["deprecate", "Name 31", "--reason", ""],
    ["remember", "--file", f"{_KEY}-broken.md"],
    ["remember", "--file", f"{_KEY}-wrong.md"],
]
_WRITING = [
    (["remember", "--title", _ARGUMENT, "--when-to-use", "y", "--content", _ARGUMENT, "--tag", _ARGUMENT], 0),
    (["remember", "--file", "note.md", "--title", "x", "--when-to-use", "y"], 0),
    (["update", "fields.md", "--content", _ARGUMENT, "--agent", _ARGUMENT], 0),
    (["deprecate", "fields.md", "--reason", _ARGUMENT], 0),
    (["restore", "Name 1", "--reason", _ARGUMENT], 0),
    (["correct", "Name 1", "--content", _ARGUMENT, "--task", _ARGUMENT], 0),
    (["supersede", "fields.md", "--by", "Name 1", "--reason", _ARGUMENT], 0),
    (["forget", "Name 1", "--purge", "--reason", _ARGUMENT, "--agent", _ARGUMENT], 0),
    (["forget", "Name 1", "--purge", "--yes", "--text", "A body."], 0),
    (["forget", f"{_NAME}broken.md", "--purge", "--yes"], 0),
    (["init", "--library", _KEY], 0),
    (["init", "--library", _KEY, "--json"], 0),
    (["doctor", "--fix"], 1),
]


def test_the_check_itself_can_fail(tmp_path: Path) -> None:
    """A program that prints the characters as they are is caught with every one of them."""
    program = f"import sys; sys.stdout.buffer.write({PAYLOAD.encode()!r})"
    screen = on_terminal(sys.executable, "-c", program, cwd=tmp_path)
    assert arrived(screen.text) == set(HOSTILE)


@pytest.mark.parametrize(("command", "code"), _READING)
def test_nothing_hostile_arrives_from_a_result(hostile: Shop, command: list[str], code: int) -> None:
    """Every column of every table, every field and every line of a problem is escaped."""
    screen = hostile.terminal(*command)
    assert screen.code == code
    assert "\\x1bZ" in screen.text
    assert arrived(screen.text) == set()


@pytest.mark.parametrize("command", _FAILING)
def test_nothing_hostile_arrives_from_an_error(hostile: Shop, command: list[str]) -> None:
    """What was wrong is quoted harmlessly."""
    (hostile.folder / f"{_KEY}-broken.md").write_text(f"---\n{escaped(_KEY)}: 1\n{escaped(_KEY)}: 2\n---\n")
    (hostile.folder / f"{_KEY}-wrong.md").write_text(file_text(importance=escaped(PAYLOAD)))
    screen = hostile.terminal(*command, typed=b"y\n")
    assert screen.code in {1, 2}
    assert "Traceback" not in screen.text
    assert "rawko: " in _COLOUR.sub("", screen.text)
    assert arrived(screen.text) == set()


@pytest.mark.parametrize(("command", "code"), _WRITING)
def test_nothing_hostile_arrives_from_a_write(hostile: Shop, command: list[str], code: int) -> None:
    """What a command says about its work is as harmless."""
    (hostile.folder / "note.md").write_text(f"---\n{escaped(_KEY)}: x\n---\n\nText.\n")
    screen = hostile.terminal(*command, typed=b"y\n")
    assert screen.code == code
    assert arrived(screen.text) == set()


def test_nothing_hostile_arrives_from_a_question(hostile: Shop) -> None:
    """The file that is about to lose its text is named harmlessly, and nothing happens without a yes."""
    screen = hostile.terminal("forget", "Name 1", "--purge", typed=b"n\n")
    assert screen.code == 1
    assert "[y/N]" in screen.text
    assert "\\x01Z" in screen.text
    assert arrived(screen.text) == set()


def test_nothing_hostile_arrives_from_what_the_doctor_remembers(hostile: Shop) -> None:
    """Files that are gone, files that rotted, and updates that were interrupted are named harmlessly."""
    hostile.run("doctor")
    (hostile.memories / f"{_NAME}.md").unlink()
    other = hostile.memories / f"{''.join(f'{char}Z' for char in HOSTILE[31:61])}.md"
    times = other.stat()
    other.write_bytes(other.read_bytes().replace(b"A body.", b"A bodY."))
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    note = {"appends": [{"name": PAYLOAD, "size": 0, "data": "x"}]}
    (hostile.folder / ".rawko" / ".cache" / "memories.lock").write_text(json.dumps(note) + "\n")
    found = _COLOUR.sub("", hostile.terminal("doctor").text)
    for said in ("was interrupted", "it was here and is gone", "its bytes changed", "that a killed writer left"):
        assert said in found
    assert arrived(found) == set()


@pytest.mark.parametrize("command", [["list"], ["config"], ["doctor"]])
def test_nothing_hostile_arrives_from_settings_that_are_refused(hostile: Shop, command: list[str]) -> None:
    """A setting that makes no sense is quoted harmlessly."""
    (hostile.folder / ".rawko" / "config.yaml").write_text(f"durability: {escaped(PAYLOAD)}\n")
    screen = hostile.terminal(*command)
    assert screen.code == 1
    assert "durability is" in screen.text
    assert arrived(screen.text) == set()


@pytest.mark.parametrize("command", [["config"], ["init"], ["doctor"], ["list"]])
def test_nothing_hostile_arrives_from_where_a_library_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    """The path of a library, in a column or in a sentence, is as harmless."""
    (tmp_path / _KEY).mkdir()
    shop = Shop(tmp_path / _KEY, monkeypatch)
    (shop.folder / ".rawko" / "config.yaml").write_text("agent: ada\ncolour: red\n")
    screen = shop.terminal(*command, columns=4000)
    assert screen.code == 0
    assert arrived(screen.text) == set()


@pytest.mark.parametrize("command", [*(command for command, _ in (*_READING, *_WRITING)), *_FAILING])
def test_json_has_nothing_hostile_in_it_either(hostile: Shop, command: list[str]) -> None:
    """In JSON the characters are escaped, on a terminal as on a pipe."""
    (hostile.folder / "note.md").write_text("Text.\n")
    result = hostile.run(*command, "--json")
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert arrived(result.output) == set()


def test_json_gives_the_text_back_as_it_is(hostile: Shop) -> None:
    """Escaping loses nothing: a program reads the title with every character."""
    assert hostile.json("show", "fields.md")["title"] == PAYLOAD.strip()


def test_an_unforeseen_error_is_escaped_too(hostile: Shop) -> None:
    """Even a fault of ours prints no character of the data's choosing."""
    program = (
        "import sys; from rawko.clients.cli import output; output.prepare(); "
        f"raise RuntimeError({PAYLOAD.encode()!r}.decode())"
    )
    screen = on_terminal(sys.executable, "-c", program, cwd=hostile.folder)
    assert "RuntimeError: " in screen.text
    assert arrived(screen.text) == set()
