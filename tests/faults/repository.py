"""A git repository with a library in it and a checkout for each branch, and texts that are hard to merge."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import bad
from rawko.library import Library
from rawko.testing import FixedClock

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

_ALONE = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_EDITOR": "true",
}


def missing_tool() -> str:
    """Why nothing can be merged here, or nothing."""
    return "" if shutil.which("git") else "NOT RUN: git is not installed"


def git(folder: Path, *arguments: str, fails: bool = False) -> str:
    """What git says, without anybody's own settings; with `fails`, it may refuse."""
    command = ["git", "-C", str(folder), "-c", "gc.auto=0", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **_ALONE})
    assert fails or done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done.stdout


class Repository:
    """Branches of one project, each in a folder of its own, with one clock that never shows a second twice."""

    def __init__(self, folder: Path, *, attributes: bool = True) -> None:
        self._folder = folder
        self.clock = FixedClock()
        self.main = folder / "main"
        subprocess.run(
            [sys.executable, "-m", "rawko", "init", "--library", str(self.main)], check=True, capture_output=True
        )
        if not attributes:
            (self.main / ".rawko" / ".gitattributes").unlink()
        git(self.main, "init", "-q", "-b", "main")
        self.commit("main")

    def checkout(self, branch: str) -> Path:
        """The folder of a branch."""
        return self._folder / branch

    def library(self, branch: str, store: str = "rawko") -> Library:
        """The library as it is on a branch."""
        opened = bad.library(store, str(self.checkout(branch)))
        return Library(opened.store, clock=self._tick, folder=opened.folder)

    def _tick(self) -> object:
        self.clock.advance(seconds=1)
        return self.clock.now

    def branch(self, name: str, start: str = "main") -> None:
        """Begin a branch."""
        git(self.checkout(start), "worktree", "add", "-q", "-b", name, str(self.checkout(name)))

    def commit(self, branch: str) -> None:
        """Commit whatever there is."""
        git(self.checkout(branch), "add", "-A")
        git(self.checkout(branch), "commit", "-q", "--allow-empty", "-m", "more")

    def merge(self, into: str, other: str, style: str = "merge") -> list[str]:
        """Merge another branch; returns the files in conflict, which stay as git left them."""
        git(self.checkout(into), "-c", f"merge.conflictStyle={style}", "merge", "-q", "-m", "merge", other, fails=True)
        return git(self.checkout(into), "diff", "--name-only", "--diff-filter=U").split()

    def path(self, branch: str, name: str) -> Path:
        """A memory's file on a branch."""
        return self.checkout(branch) / ".rawko" / "memories" / name


# ------------------------------------------------------------ texts

_LINES = ["It depends on the version.", "- see `src/billing/money.py`", "## Details", "> quoted", "", "The end."]
_BLOCKS = [
    "```python\ndef pay(cents: int) -> None:\n    ledger.add(cents)\n\n    audit(cents)\n```",
    "## Steps\n\n1. Stop the workers\n2. Run `make migrate`\n3. Start the workers\n",
    "~~~\n---\n## Update (2026-01-01)\n\n---\n~~~",
    "| key | value |\n|---|---|\n| a | 1 |\n| b | 2 |\n| c | 3 |",
]


def _lines(chance: random.Random, most: int) -> list[str]:
    return [chance.choice(_LINES) for _ in range(chance.randint(0, most))]


def plain(chance: random.Random, ident: str) -> str:
    """A few paragraphs that nobody else writes."""
    return "\n\n".join(f"{ident}: paragraph {number}." for number in range(chance.randint(1, 4)))


def shared_ends(chance: random.Random, ident: str) -> str:
    """Lines of one's own between lines that others begin and end with as well."""
    return "\n".join([*_lines(chance, 4), plain(chance, ident), *_lines(chance, 4)])


def identical(chance: random.Random, ident: str) -> str:
    """One of three texts: whoever writes on another branch may well write the same."""
    del ident
    return chance.choice([_BLOCKS[1], "The same.", "The same beginning.\n\nAnd the same end.\n"])


def code(chance: random.Random, ident: str) -> str:
    """One's own words around a block that others quote as well."""
    return "\n\n".join([f"{ident} says:", chance.choice(_BLOCKS), f"That is all from {ident}."])


def anything(chance: random.Random, ident: str) -> str:
    """Lines and blocks of one's own and of everybody, in any order."""
    parts = [*_lines(chance, 3), *chance.sample(_BLOCKS, chance.randint(0, 2)), *_lines(chance, 3)]
    parts += [f"{ident}: {number}" for number in range(chance.randint(1, 3))]
    chance.shuffle(parts)
    return chance.choice(["\n", "\n\n"]).join(parts)


TEXTS: dict[str, Callable[[random.Random, str], str]] = {
    "plain": plain,
    "shared ends": shared_ends,
    "identical": identical,
    "code": code,
    "anything": anything,
}
