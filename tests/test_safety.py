"""S14, S15: nothing in the code can be made to run what data says, nothing reaches out, and an import does nothing."""

from __future__ import annotations

import ast
import functools
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rawko

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(rawko.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
PROJECT = Path(__file__).parents[1]

# ------------------------------------------------------------ S14: what the code may not do

_MODULES = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "jsonpickle", "ctypes", "code", "codeop"}
_BUILTINS = {"eval", "exec", "compile", "__import__", "breakpoint", "input"}
_SYSTEM = {"system", "popen", "spawnl", "spawnle", "spawnlp", "spawnv", "spawnve", "spawnvp", "startfile"}
_SYSTEM |= {"execl", "execle", "execlp", "execv", "execve", "execvp", "execvpe", "posix_spawn", "posix_spawnp"}
_YAML = {"parse"}


def dangers(source: str) -> list[str]:
    """What in a module could run, load or build more than it says."""
    return [danger for node in ast.walk(ast.parse(source)) for danger in _dangers_of(node)]


def _dangers_of(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (f"import {alias.name}" for alias in node.names if alias.name.split(".")[0] in _MODULES)
    elif isinstance(node, ast.ImportFrom):
        yield from (danger for alias in node.names if (danger := _imported(node.module or "", alias.name)))
    elif isinstance(node, ast.Name) and node.id in _BUILTINS:
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield from _attribute(ast.unparse(node.value), node.attr)
    elif isinstance(node, ast.Call):
        yield from _call(node)


def _imported(module: str, name: str) -> str:
    root = module.partition(".")[0]
    is_danger = (
        root in _MODULES
        or (root in {"os", "posix"} and name in _SYSTEM)
        or (root == "builtins" and name in _BUILTINS)
        or (root == "yaml" and "load" in name.lower())
    )
    return f"from {module} import {name}" if is_danger else ""


def _attribute(owner: str, name: str) -> Iterator[str]:
    runs = owner in {"os", "posix"} and name in _SYSTEM
    evaluates = owner in {"builtins", "__builtins__"} and name in _BUILTINS
    if runs or evaluates or name in {"__globals__", "__subclasses__", "__code__", "__import__"}:
        yield f"{owner}.{name}"


def _call(node: ast.Call) -> Iterator[str]:
    called = ast.unparse(node.func)
    shell = [keyword for keyword in node.keywords if keyword.arg == "shell"]
    if any(not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False) for keyword in shell):
        yield f"{called}(shell=...)"
    if called in {"subprocess.getoutput", "subprocess.getstatusoutput"}:
        yield called
    if called.startswith("yaml.") and called.removeprefix("yaml.") not in _YAML:
        yield called


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_no_module_runs_what_data_says(module: Path) -> None:
    """S14: no pickle, no eval, no shell, and of YAML nothing but its events."""
    assert dangers(module.read_text()) == []


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "import os, marshal",
        "import shelve as harmless",
        "from pickle import loads",
        "from os import system",
        "from yaml import safe_load",
        "def late():\n    import ctypes",
        "eval('1')",
        "exec('x = 1')",
        "run = eval",
        "compile('1', '', 'eval')",
        "__import__('pickle')",
        "__builtins__.eval('1')",
        "import builtins\nbuiltins.exec('1')",
        "import os\nos.system('true')",
        "import os\nos.popen('true')",
        "import os\nos.execvp('true', ['true'])",
        "import subprocess\nsubprocess.run('true', shell=True)",
        "import subprocess\nsubprocess.run('true', shell=bool(1))",
        "import subprocess\nsubprocess.getoutput('true')",
        "import yaml\nyaml.load('a: b')",
        "import yaml\nyaml.safe_load('a: b')",
        "import yaml\nyaml.full_load('a: b')",
        "import yaml\nyaml.load_all('a: b', Loader=yaml.SafeLoader)",
        "import yaml\nyaml.compose('a: b')",
        "().__class__.__subclasses__()",
    ],
)
def test_what_runs_data_is_noticed(source: str) -> None:
    """S14, red: the check sees each of them, however it is spelled."""
    assert dangers(source) != []


def test_harmless_code_is_not_flagged() -> None:
    """S14: a process without a shell, a compiled pattern and YAML's events are no danger."""
    source = "import re, subprocess, yaml\nre.compile('a')\nsubprocess.run(['true'], shell=False)\nyaml.parse('a: b')"
    assert dangers(source) == []


def test_there_are_four_dependencies() -> None:
    """S14: what is installed with rawko can be counted on one hand, and read."""
    needed = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert sorted(line.split(">")[0] for line in needed) == ["click", "google-re2", "pyyaml", "rich"]


# ------------------------------------------------------------ S15: nothing reaches out

_GUARDED = """
import json, os, sys
log = open(os.environ["SOCKET_LOG"], "a", buffering=1)
def hear(event, arguments):
    if event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "telnetlib.")):
        log.write(f"{event} {arguments!r}\\n")
        raise PermissionError(f"no network: {event}")
sys.addaudithook(hear)
sys.argv[0] = "rawko"
exec(sys.argv.pop(1))
"""
_RAWKO = "from rawko.clients.cli import main; main()"
_CONNECT = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"
_TOUR = [
    ["init"],
    [
        "remember",
        "--title",
        "Redis",
        "--when-to-use",
        "test",
        "--content",
        "Start it with make redis.",
        "--tag",
        "failures",
    ],
    ["remember", "--title", "Queue", "--when-to-use", "queue", "--content", "See https://example.com/queue."],
    ["update", "Redis", "--content", "Version 7 or newer."],
    ["correct", "Redis", "--content", "Version 8."],
    ["list"],
    ["list", "--json"],
    ["show", "Redis"],
    ["log"],
    ["deprecate", "Redis", "--reason", "Gone."],
    ["restore", "Redis", "--reason", "Back."],
    ["supersede", "Redis", "--by", "Queue"],
    ["validate"],
    ["doctor"],
    ["doctor", "--fix"],
    ["config"],
    ["forget", "Queue", "--purge", "--yes"],
]


@functools.cache
def without_network() -> tuple[str, ...]:
    """The command before which there is no network at all; none where that is not permitted."""
    command = ("unshare", "--net")
    permitted = (
        shutil.which("unshare") and not subprocess.run([*command, "true"], capture_output=True, check=False).returncode
    )
    return command if permitted else ()


class Cut:
    """A place without a network, in which every attempt at a socket is noted, and refused as well."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._log = folder.parent / "sockets"
        self._log.touch()
        plain = {key: value for key, value in os.environ.items() if key != "RAWKO_DIR"}
        self._environment = {**plain, "SOCKET_LOG": str(self._log), "RAWKO_HOME": str(folder.parent / "home")}

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a program with these arguments to its end."""
        command = [*without_network(), sys.executable, "-c", _GUARDED, program, *arguments]
        return subprocess.run(
            command, cwd=self.folder, env=self._environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    @property
    def sockets(self) -> list[str]:
        """What was attempted."""
        return self._log.read_text().splitlines()


@pytest.fixture
def cut(tmp_path: Path) -> Cut:
    """Such a place, with an empty folder to work in."""
    (tmp_path / "shop").mkdir()
    return Cut(tmp_path / "shop")


def test_every_command_works_without_a_network(cut: Cut) -> None:
    """S15: from `init` to `forget`, all of it works where there is no network, and no socket is ever made."""
    ended = {" ".join(command): cut.run(_RAWKO, *command) for command in _TOUR}
    how = (
        "unshare --net and an audit hook" if without_network() else "an audit hook alone: unshare is not permitted here"
    )
    print(f"\nS15 | rawko | commands={len(ended)} sockets={len(cut.sockets)} | {how}")
    assert {name: done.stderr for name, done in ended.items() if done.returncode} == {}
    assert cut.sockets == []


def test_a_socket_is_noticed(cut: Cut) -> None:
    """S15, red: a program that connects is caught with it."""
    assert cut.run(_CONNECT).returncode != 0
    assert cut.sockets != []


@pytest.mark.skipif(not without_network(), reason="NOT RUN: unshare is not permitted here")
def test_there_really_is_no_network(cut: Cut) -> None:
    """S15, red: where nothing is refused by us, the system refuses: not even this machine can be reached."""
    command = [*without_network(), sys.executable, "-c", _CONNECT]
    done = subprocess.run(command, cwd=cut.folder, capture_output=True, text=True, check=False)
    assert "Network is unreachable" in done.stderr


# ------------------------------------------------------------ nothing happens at import

_WATCHED = """
import _thread, json, os, sys
heard = []
changes = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod",
           "os.chown", "os.utime", "os.putenv", "os.unsetenv", "os.chdir", "shutil.", "tempfile.")
others = ("_thread.start", "os.fork", "os.exec", "os.posix_spawn", "os.system", "subprocess.", "socket.", "sqlite3.",
          "signal.", "os.listdir", "os.scandir")
writes = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
def hear(event, arguments):
    if event == "open":
        path, _, flags = arguments
        heard.append(["write" if flags & writes else "read", str(path)])
    elif event.startswith(changes + others):
        heard.append([event, str(arguments[:1])])
start = _thread.start_new_thread
def start_and_tell(*arguments):  # before Python 3.12 a thread is not audited
    heard.append(["thread", ""])
    return start(*arguments)
_thread.start_new_thread = start_and_tell
sys.addaudithook(hear)
exec(sys.argv[1])
told = [*heard]
print(json.dumps({"heard": told, "threads": len(os.listdir("/proc/self/task")) if os.path.exists("/proc") else 1}))
"""


def watched(program: str, cwd: Path) -> dict[str, Any]:
    """What a program does beside computing: every file opened, every change, every thread."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "RAWKO_HOME": str(cwd / "home")}
    environment.pop("RAWKO_DIR", None)
    command = [sys.executable, "-c", _WATCHED, program]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def beside_code(found: dict[str, Any]) -> list[list[str]]:
    """What was done, without the interpreter's looking for modules and reading them."""
    roots = [*filter(None, sys.path), str(SOURCE.parent), sys.prefix, sys.base_prefix]
    looked = {"os.listdir", "os.scandir"}
    kept = [item for item in found["heard"] if not (item[0] == "read" and item[1].endswith((".py", ".pyc", ".so")))]
    return [item for item in kept if not (item[0] in looked and any(root in item[1] for root in roots))]


def test_an_import_does_nothing(tmp_path: Path) -> None:
    """Importing rawko, and every public name of it, opens no file but code, changes nothing and starts nothing."""
    found = watched("import rawko\nfor name in rawko.__all__: getattr(rawko, name)", tmp_path)
    assert beside_code(found) == []
    assert found["threads"] == 1
    assert list(tmp_path.iterdir()) == []


def test_opening_a_library_reads_its_settings_and_no_more(tmp_path: Path) -> None:
    """To open a library writes nothing, starts nothing, and reads the two files with settings alone.

    Beside them it looks whether they were read before, where a cache would be.
    """
    rawko.open(tmp_path, create=True).close()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.yaml").write_text("agent: ada\n")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    found = watched(
        "import rawko\nlibrary = rawko.open('.')\nassert library.configured.settings.agent == 'ada'", tmp_path
    )
    folders = [str(tmp_path / "home"), str(tmp_path / ".rawko")]
    read = [["read", path] for folder in folders for path in (folder, "config.yaml")]
    assert [event for event in beside_code(found) if ".cache" not in event[1]] == read
    assert found["threads"] == 1
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize(
    "program",
    [
        "open('made', 'w').close()",
        "open('/etc/hostname').close()",
        "import os; os.mkdir('made')",
        "import os; os.listdir('/etc')",
        "import sqlite3; sqlite3.connect(':memory:').close()",
        "import threading; threading.Thread(target=print, args=('',), kwargs={'end': ''}).start()",
        "import subprocess; subprocess.run(['true'])",
    ],
)
def test_what_happens_at_import_would_be_noticed(tmp_path: Path, program: str) -> None:
    """Red: a module that writes, reads, looks around or starts something is caught."""
    assert beside_code(watched(program, tmp_path)) != []
