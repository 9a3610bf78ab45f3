"""How the tests of the command line run it: in this process, as a process of its own, or on a terminal."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from typing import TYPE_CHECKING, Any, NamedTuple

from click.testing import CliRunner, Result

import rawko
from rawko.clients.cli.app import commands

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pytest

    from rawko import Memory

RAWKO = (sys.executable, "-m", "rawko")
HOSTILE = [
    *(chr(point) for point in (*range(0x20), *range(0x7F, 0xA0)) if chr(point) not in "\n\t"),
    *"\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e",
    *"\u2060\u2066\u2067\u2068\u2069\ufeff\U000e0001\U000e0041",
]
PAYLOAD = "".join(f"{char}Z" for char in HOSTILE)


class Screen(NamedTuple):
    """What a terminal received, and the exit code."""

    text: str
    code: int


class Shop:
    """A sample project with a library in it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder / "shop"
        self.folder.mkdir()
        self.memories = self.folder / ".rawko" / "memories"
        monkeypatch.delenv("RAWKO_DIR", raising=False)
        monkeypatch.setenv("RAWKO_HOME", str(folder / "home"))
        monkeypatch.chdir(self.folder)
        assert self.run("init").exit_code == 0

    def run(self, *args: str, stdin: str | bytes = "") -> Result:
        """Run a command in this process, where nothing is a terminal."""
        return CliRunner().invoke(commands, args, input=stdin, prog_name="rawko")

    def json(self, *args: str, stdin: str | bytes = "") -> Any:
        """What a command prints with --json; it must be one line."""
        out = self.run(*args, "--json", stdin=stdin).stdout
        assert out.count("\n") == 1
        return json.loads(out)

    def process(self, *args: str | bytes, stdin: bytes = b"", **more: Any) -> subprocess.CompletedProcess[bytes]:
        """Run a command as a process of its own, on pipes."""
        return subprocess.run([*RAWKO, *args], cwd=self.folder, input=stdin, capture_output=True, check=False, **more)

    def terminal(self, *args: str | bytes, **more: Any) -> Screen:
        """Run a command on a terminal of its own."""
        return on_terminal(*RAWKO, *args, cwd=self.folder, **more)

    def remember(self, title: str, content: str = "Something was learned.", *more: str) -> None:
        """Keep a memory with little ado."""
        result = self.run("remember", "--title", title, "--when-to-use", "test", "--content", content, *more)
        assert result.exit_code == 0, result.stderr

    def get(self, ref: str) -> Memory:
        """A memory as the library has it."""
        with rawko.open(self.folder) as library:
            return library.get(ref)

    def put(self, name: str, text: str) -> Path:
        """Write a memory file by hand."""
        path = self.memories / name
        path.write_text(text, encoding="utf-8", newline="")
        return path


def on_terminal(
    *command: str | bytes,
    cwd: Path,
    typed: bytes = b"",
    columns: int = 500,
    env: Mapping[str, str] | None = None,
    stdout: int | None = None,
) -> Screen:
    """Run a program on a terminal; its standard output may go elsewhere."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    plain = {key: value for key, value in os.environ.items() if key not in {"COLUMNS", "NO_COLOR", "VISUAL", "EDITOR"}}
    streams = {"stdin": theirs, "stdout": stdout or theirs, "stderr": theirs}
    environment = {**plain, "TERM": "xterm-256color", **(env or {})}
    with subprocess.Popen(command, cwd=cwd, env=environment, **streams) as process:
        os.close(theirs)
        os.write(ours, typed)
        return Screen(_received(ours), process.wait(60))


def file_text(title: str = "By hand", body: str = "A body.", **fields: str) -> str:
    """The text of a memory file that a person might have written."""
    values = {
        "title": title,
        "whenToUse": "test",
        "importance": "low",
        "discoveredAt": "2026-01-23T10:30:00Z",
        "discoveredBy": "ada",
    }
    lines = [f"{key}: {value}" for key, value in {**values, **fields}.items()]
    return "\n".join(["---", *lines, "---", "", body, ""])


def escaped(text: str) -> str:
    """The text as a YAML scalar in which every character is written as an escape."""
    return '"' + "".join(f"\\U{ord(char):08x}" for char in text) + '"'


def _received(descriptor: int) -> str:
    """Everything that arrives at our end of a terminal until the other end is closed."""
    chunks = []
    try:
        while chunk := os.read(descriptor, 1 << 16):
            chunks.append(chunk)
    except OSError:
        pass
    finally:
        os.close(descriptor)
    return b"".join(chunks).decode(errors="surrogateescape")
