"""The command line and its documents say the same: every command has help with examples, and a section in docs/."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from rawko.clients.cli.app import commands
from test_cli_tools import Shop, file_text

_DOCUMENT = (Path(__file__).parent.parent / "docs" / "commands.md").read_text()
_NAMES = list(commands.commands)
_PARTS = re.split(r"^#{2,3} (.+)$", _DOCUMENT, flags=re.MULTILINE)
_SECTIONS = dict(zip(_PARTS[1::2], _PARTS[2::2], strict=True))
_NAMED_SHAPES = {
    "<memory>": "A memory as JSON",
    "<update>": "An update as JSON",
    "<problem>": "A problem as JSON",
}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A library with a memory that has every field, one that cannot be read, and a setting nobody knows."""
    shop = Shop(tmp_path, monkeypatch)
    fields = "--tag constraints --agent ada --task queue --source Makefile --related other.md --importance high"
    shop.remember("Redis", "Start it.", *fields.split())
    shop.remember("Redis", "Version 7.", "--when-to-use", "redis", *fields.split())
    shop.remember("Other")
    shop.put("broken.md", file_text(importance="urgent"))
    (shop.folder / ".rawko" / "config.yaml").write_text("colour: red\n")
    (shop.folder / ".rawko" / ".gitignore").unlink()
    return shop


def documented(section: str) -> Any:
    """The JSON in a section of the document."""
    found = re.search(r"^```json\n(.+)\n```$", _SECTIONS[section], re.MULTILINE)
    assert found, f"{section} shows no JSON"
    return json.loads(found[1])


def differences(shown: Any, printed: Any, place: str = "") -> list[str]:
    """Where what is printed has another shape than what the document shows."""
    if isinstance(shown, str) and shown in _NAMED_SHAPES:
        return differences(documented(_NAMED_SHAPES[shown]), printed, place)
    if isinstance(shown, dict) and isinstance(printed, dict):
        shown = {**documented(_NAMED_SHAPES[shown["..."]]), **shown} if "..." in shown else shown
        shown = {key: value for key, value in shown.items() if key != "..."}
        keys = [f"{place}: {key}" for key in shown.keys() ^ printed.keys()]
        return keys + [
            line for key in shown.keys() & printed.keys() for line in differences(shown[key], printed[key], key)
        ]
    if isinstance(shown, list) and isinstance(printed, list):
        return [line for item in printed for line in differences(shown[0], item, place)]
    fits = printed is None or shown is None or type(shown) is type(printed) or place == "value"
    return [] if fits else [f"{place}: {printed!r} is not like {shown!r}"]


def help_of(name: str) -> str:
    """The help of a command, as it is printed."""
    return CliRunner().invoke(commands, [name, "--help"], prog_name="rawko").stdout


@pytest.mark.parametrize("name", _NAMES)
def test_every_command_takes_json_and_library(name: str) -> None:
    """No command is left out of what all share."""
    flags = {flag for parameter in commands.commands[name].params for flag in parameter.opts}
    assert {"--json", "--library"} <= flags


@pytest.mark.parametrize("name", _NAMES)
def test_every_flag_says_what_it_is_for(name: str) -> None:
    """There is no flag without help."""
    options = [parameter for parameter in commands.commands[name].params if isinstance(parameter, click.Option)]
    assert all(option.help for option in options)


@pytest.mark.parametrize("name", _NAMES)
def test_every_help_has_examples_that_parse(shop: Shop, name: str) -> None:
    """The examples stand on lines of their own, begin with the command, and are understood by it."""
    (shop.folder / "notes.md").touch()
    examples = [line.strip() for line in help_of(name).split("Examples:")[1].split("\n\n")[0].strip().splitlines()]
    assert all(example.startswith(f"rawko {name}") for example in examples)
    for example in examples:
        words = shlex.split(example.split(" < ")[0])[2:]
        commands.commands[name].make_context(name, words).close()


def test_no_line_of_the_command_list_is_cut() -> None:
    """On a terminal of 80 columns, what each command does is said in full."""
    told = CliRunner().invoke(commands, ["--help"], prog_name="rawko", terminal_width=80).stdout
    lines = told.split("Commands:\n")[1].splitlines()
    assert [line.split()[0] for line in lines] == _NAMES
    assert [line for line in lines if not line.endswith(".") or line.endswith("...")] == []


def test_the_help_says_which_importance_is_the_default() -> None:
    """Who gives none knows what they get, and an update has no default."""
    assert "[default: medium]" in help_of("remember")
    assert "[default: medium]" not in help_of("update")


@pytest.mark.parametrize("name", _NAMES)
def test_every_command_is_documented(name: str) -> None:
    """Each has its section, and its line in the table."""
    assert f"rawko {name}" in _SECTIONS
    assert f"[`rawko {name}`](#rawko-{name})" in _DOCUMENT


def test_no_command_is_documented_that_does_not_exist() -> None:
    """What was taken away is taken out of the document."""
    sections = [section.removeprefix("rawko ") for section in _SECTIONS if section.startswith("rawko ")]
    assert sections == _NAMES


@pytest.mark.parametrize(
    "command",
    [
        "init",
        "remember --title New --when-to-use x --content y",
        "list",
        "show Redis",
        "log",
        "update Redis --content x --tag a --when-to-use b --importance low --task t",
        "correct Redis --content x",
        "deprecate Redis --reason x",
        "supersede Redis --by Other",
        "restore Redis --reason x",
        "forget Redis --purge --yes",
        "validate",
        "doctor --fix",
        "config",
    ],
)
def test_the_documented_json_is_what_is_printed(shop: Shop, command: str) -> None:
    """The same keys, the same kinds of values, all the way down."""
    words = command.split()
    assert differences(documented(f"rawko {words[0]}"), shop.json(*words)) == []


def test_the_documented_error_is_what_is_printed(shop: Shop) -> None:
    """An error has the documented keys, and the problems of the file."""
    assert differences(documented("Errors as JSON"), shop.json("show", "broken")) == []


def test_the_comparison_can_fail(shop: Shop) -> None:
    """A key too many and a key too few are both seen."""
    printed = shop.json("show", "Redis")
    printed["colour"] = printed.pop("file")
    assert sorted(differences(documented("rawko show"), printed)) == [": colour", ": file"]


def test_every_verb_is_short() -> None:
    """Logic belongs in the library: a verb has at most 30 lines without its docstring."""
    for name, command in commands.commands.items():
        function = inspect.unwrap(command.callback)
        lines = [line for line in inspect.getsource(function).splitlines() if line.strip()]
        assert len(lines) - len((function.__doc__ or "").strip().splitlines()) <= 30, name


def test_the_tour_runs_to_its_end() -> None:
    """What `make demo` shows works: every command ends as the tour expects, in plain text, within 20 seconds."""
    tour = Path(__file__).parent.parent / "examples" / "tour.py"
    done = subprocess.run([sys.executable, tour], capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert done.stdout.rstrip().endswith("`library.remember(...)`.")
