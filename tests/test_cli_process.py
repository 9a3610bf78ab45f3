"""The command as the shell sees it: exit codes, pipes, signals, encodings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import rawko
from test_cli_tools import RAWKO, Shop, file_text


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A sample project with a library in it."""
    return Shop(tmp_path, monkeypatch)


def test_success_is_0(shop: Shop) -> None:
    """A command that did what was asked."""
    done = shop.process("remember", "--title", "Redis", "--when-to-use", "test", "--content", "Start it.")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"created redis.md\n", b"")


def test_failure_is_1(shop: Shop) -> None:
    """A command that did not."""
    done = shop.process("show", "nope")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"rawko: there is no memory 'nope'\n  hint: ")


def test_misuse_is_2(shop: Shop) -> None:
    """A flag that does not exist, with the way to the help."""
    done = shop.process("list", "--nope")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"rawko: No such option" in done.stderr
    assert b"  hint: see `rawko list --help`" in done.stderr


def test_standard_input_is_read(shop: Shop) -> None:
    """A pipe into `remember`."""
    done = shop.process("remember", stdin=file_text("Piped ä").encode())
    assert done.stdout == b"created piped-\xc3\xa4.md\n"


@pytest.mark.parametrize(
    ("words", "example"),
    [
        (["--library", ".", "list"], b"`rawko list --library ...`"),
        (["--json", "list"], b"`rawko list --json ...`"),
        (["--title", "x"], b"`rawko remember --title ...`"),
    ],
)
def test_a_flag_before_the_command_is_told_where_it_goes(shop: Shop, words: list[str], example: bytes) -> None:
    """Who is used to `git -C` learns how it is here."""
    done = shop.process(*words)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"goes after the command: " + example in done.stderr


def test_a_flag_that_no_command_has_is_unknown(shop: Shop) -> None:
    """Only what exists is told where it goes."""
    assert b"No such option" in shop.process("--nope", "list").stderr


@pytest.mark.parametrize("words", [["forget", "Key", "--purge"], ["forget", "Key", "--purge", "--text", "SECRET"]])
def test_forget_with_a_closed_input_removes_nothing(shop: Shop, words: list[str]) -> None:
    """Where standard input is closed nobody can say yes."""
    shop.remember("Key", "SECRET")
    done = subprocess.run(["sh", "-c", '"$@" <&-', "sh", *RAWKO, *words], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"rawko: nothing was removed\n  hint: nobody can be asked here; add --yes")
    assert "SECRET" in (shop.memories / "key.md").read_text()


def test_without_a_command_there_is_help(shop: Shop) -> None:
    """A bare `rawko` tells what there is."""
    done = shop.process()
    assert done.returncode == 0
    assert b"remember" in done.stdout


def test_the_installed_script_is_the_same_program() -> None:
    """The entry point works."""
    script = Path(sys.executable).with_name("rawko")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"rawko {rawko.__version__}\n"


def test_rawko_dir_names_the_library(shop: Shop, tmp_path: Path) -> None:
    """The environment counts where no flag does."""
    shop.remember("Redis")
    environment = {**os.environ, "RAWKO_DIR": str(shop.folder)}
    done = subprocess.run([*RAWKO, "list"], cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert b"redis.md" in done.stdout


def test_the_flag_wins_over_rawko_dir(shop: Shop, tmp_path: Path) -> None:
    """What is said on the command line holds."""
    environment = {**os.environ, "RAWKO_DIR": str(tmp_path / "nowhere")}
    assert shop.process("list", "--library", ".", env=environment).returncode == 0


def test_a_closed_pipe_ends_quietly(shop: Shop) -> None:
    """`rawko show ... | head -1` leaves no traceback."""
    shop.remember("Long", "line\n" * 200_000)
    process = subprocess.Popen([*RAWKO, "show", "Long"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    with process:
        assert process.stderr.read() == b""


def test_ctrl_c_ends_quietly_and_writes_nothing(shop: Shop) -> None:
    """A person who changes their mind sees no traceback, and the exit code is 130."""
    os.mkfifo(shop.folder / "slow.md")
    command = [*RAWKO, "remember", "--file", "slow.md"]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background has it ignored
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    finally:
        signal.signal(signal.SIGINT, before)
    with open(shop.folder / "slow.md", "wb"):  # returns when the other end is open, too
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out, err.strip()) == (130, b"", b"")
    assert list(shop.memories.iterdir()) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_an_output_that_is_full_is_an_error(shop: Shop) -> None:
    """What could not be shown is not called a success."""
    shop.remember("Redis")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*RAWKO, "list"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"rawko: the system refused: No space left on device\n")


def test_a_closed_output_is_no_crash(shop: Shop) -> None:
    """`rawko list >&-` has nowhere to print to, and does not mind."""
    shop.remember("Redis")
    done = subprocess.run(["sh", "-c", '"$@" list >&-', "sh", *RAWKO], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_output_that_lacks_a_script_gets_escapes(shop: Shop) -> None:
    """A title in another script does not stop the list."""
    shop.remember("记忆")
    done = shop.process("list", env={**os.environ, "PYTHONIOENCODING": "latin-1"})
    assert done.returncode == 0
    assert rb"\u8bb0\u5fc6" in done.stdout


def test_an_argument_that_is_not_unicode_is_an_error(shop: Shop) -> None:
    """Bytes in a title are refused in words."""
    done = shop.process("remember", "--title", b"caf\xe9", "--when-to-use", "x", "--content", "y")
    assert done.returncode == 1
    assert b"--title is not valid Unicode" in done.stderr


def test_json_is_all_there_is_on_standard_output(shop: Shop) -> None:
    """A program can read it without looking for it."""
    shop.put("broken.md", "")
    done = shop.process("list", "--json")
    assert json.loads(done.stdout)["problems"][0]["file"] == "broken.md"
    assert done.stderr.startswith(b"rawko: 1 file could not be read")


def test_nothing_that_draws_is_loaded_off_a_terminal(shop: Shop) -> None:
    """On a pipe `rich` costs nothing."""
    shop.remember("Redis")
    command = [sys.executable, "-X", "importtime", "-m", "rawko", "list"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = [line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()]
    assert "click" in loaded
    assert not [name for name in loaded if name.split(".")[0] == "rich"]
