"""What a program opens, makes, renames or removes, as strace sees it: the paths it asks for and those it gets.

The program says when it begins, so that what the interpreter needs to start is left out.
"""

from __future__ import annotations

import codecs
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

from process import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

BEGIN = "/rawko-begins-here"
_CALLS = (
    "open,openat,openat2,creat,truncate,mkdir,mkdirat,mknod,mknodat,link,linkat,symlink,symlinkat,rename,renameat,"
    "renameat2,unlink,unlinkat,rmdir,chmod,fchmodat,chown,fchownat,connect,socket"
)
_ASKED = re.compile(r'(?:(?:\d+|AT_FDCWD)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
_GIVEN = re.compile(r" = \d+<(/[^>]*)>$", re.MULTILINE)
_INTERPRETER = tuple({sys.prefix, sys.base_prefix, "/usr/lib", "/lib", "/usr/local/lib"})
_CODE = (".py", ".pyc", ".so")


class Traced(NamedTuple):
    """How a program ended, what it printed, and every path that it touched; none where nothing could be traced."""

    code: int
    out: str
    err: str
    paths: frozenset[str]

    def outside(self, *allowed: Path) -> set[str]:
        """The paths that lie in none of the allowed folders and are no code, nor chance, of the interpreter."""
        roots = [os.path.realpath(folder) for folder in allowed]
        inside = [path for path in self.paths for root in roots if path == root or path.startswith(f"{root}/")]
        return {path for path in self.paths - set(inside) if not _is_code(path)}


def _is_code(path: str) -> bool:
    return path.endswith(_CODE) or path.startswith(_INTERPRETER) or path == "/dev/urandom"


def begin() -> None:
    """To be called by a traced program: what it touches from now on counts."""
    try:
        os.close(os.open(BEGIN, os.O_RDONLY))
    except FileNotFoundError:
        return


@functools.cache
def missing_tool() -> str:
    """Why nothing can be traced here, or nothing."""
    if not shutil.which("strace"):
        return "NOT RUN: strace is not installed"
    tried = subprocess.run(["strace", "-f", "-o", os.devnull, "true"], capture_output=True, check=False)
    return "" if tried.returncode == 0 else "NOT RUN: strace may not trace here"


def run(command: Sequence[str], log: Path, env: Mapping[str, str], cwd: Path, timeout: float = PATIENCE) -> Traced:
    """Run a program to its end, under strace where there is one. Raises TimeoutExpired when it blocks."""
    traced = not missing_tool()
    strace = ["strace", "-f", "--seccomp-bpf", "-y", "-s", "5000", "-o", str(log), "-e", f"trace={_CALLS}"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    full = [*(strace if traced else ()), *command]
    with subprocess.Popen(full, env=env, cwd=cwd, text=True, start_new_session=True, **pipes) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # strace alone would leave behind what it traces
            raise
    paths = frozenset(_paths(log.read_text(errors="replace"))) if traced else frozenset()
    return Traced(process.returncode, out, err, paths)


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, byte by byte; of what is no file, its kind."""
    paths = sorted(folder.rglob("*"))
    return {str(path): path.read_bytes() if path.is_file() else oct(path.lstat().st_mode).encode() for path in paths}


def _paths(log: str) -> Iterator[str]:
    _, mark, after = log.partition(BEGIN)
    assert mark, "the program never said that it begins"
    for line in after.splitlines()[1:]:
        for folder, name in _ASKED.findall(line):
            yield os.path.normpath(os.path.join(folder, _unescaped(name)))
        yield from map(_unescaped, _GIVEN.findall(line))


def _unescaped(text: str) -> str:
    return codecs.escape_decode(text.encode())[0].decode(errors="surrogateescape")  # type: ignore[attr-defined]
