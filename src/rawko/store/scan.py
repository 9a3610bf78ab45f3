"""What lies in a folder of memories, by name and stamp, without opening a single file."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

from rawko.store import files
from rawko.store.files import TEMPORARY, Stamp
from rawko.values.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH = 8
SWEEP_AFTER = 3600.0


class Scan:
    """The memory files found, the folders they lie in, and what should not be there."""

    def __init__(self) -> None:
        self.stamps: dict[str, Stamp] = {}
        self.folders: dict[str, int] = {}
        self.problems: list[Problem] = []
        self.leftovers: list[str] = []


def scan(folder: int) -> Scan:
    """Look through a folder and the folders below it."""
    found = Scan()
    _into(found, folder, "")
    return found


def sweep(folder: int, leftovers: list[str], *, older_than: float = SWEEP_AFTER) -> list[str]:
    """Remove temporary files that a writer left when it was killed; returns those removed."""
    removed = []
    for name in leftovers:
        try:
            with files.parent(folder, name) as (inside, last):
                status = os.stat(last, dir_fd=inside, follow_symlinks=False)
                if time.time() - status.st_mtime >= older_than:
                    files.remove(inside, last)
                    removed.append(name)
        except OSError:
            continue
    return removed


def folder_stamp(folder: int) -> int:
    """What changes when a file is added to, removed from or renamed in a folder."""
    return os.fstat(folder).st_mtime_ns


def folder_stamps(folder: int, names: dict[str, int]) -> dict[str, int]:
    """The stamps of the named folders, or nothing where one of them is gone."""
    stamps = {}
    for name in names:
        try:
            with files.parent(folder, f"{name}_") if name else contextlib.nullcontext((folder, "")) as (inside, _):
                stamps[name] = folder_stamp(inside)
        except OSError:
            return {}
    return stamps


def _into(found: Scan, folder: int, prefix: str) -> None:
    found.folders[prefix] = folder_stamp(folder)
    for entry in _entries(folder):
        name = prefix + entry.name
        if not _is_text(name):
            if entry.name.endswith(".md") or entry.is_dir(follow_symlinks=False):
                shown = os.fsencode(name).decode(errors="backslashreplace")
                found.problems.append(Problem(shown, "the name is not UTF-8", "rename it"))
        elif entry.name.startswith(TEMPORARY):
            found.leftovers.append(name)
        elif entry.name.startswith("."):
            continue  # an editor's lock, a file manager's notes: hidden files are nobody's memories
        elif entry.is_dir(follow_symlinks=False):
            _into_subfolder(found, folder, entry, name)
        elif entry.name.endswith(".md"):
            _file(found, entry, name)
        elif entry.is_symlink():
            found.problems.append(Problem(name, "a symbolic link", "put what it points to here, or remove it"))


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _entries(folder: int) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        yield from entries


def _into_subfolder(found: Scan, folder: int, entry: os.DirEntry[str], name: str) -> None:
    if entry.name.endswith(".md"):
        found.problems.append(Problem(name, "a folder named like a memory", "rename the folder"))
    elif name.count("/") >= MAX_DEPTH:
        found.problems.append(Problem(name, f"folders deeper than {MAX_DEPTH} are not read", "move it up"))
    else:
        try:
            with files.opened(entry.name, folder) as inside:
                _into(found, inside, f"{name}/")
        except OSError as error:
            found.problems.append(Problem(name, os.strerror(error.errno or 0), "check the folder's permissions"))


def _file(found: Scan, entry: os.DirEntry[str], name: str) -> None:
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return
    except OSError as error:
        found.problems.append(Problem(name, os.strerror(error.errno or 0), "check its permissions"))
    else:
        found.stamps[name] = Stamp.of(status)
