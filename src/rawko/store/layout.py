"""Where a library lies, and what a new one is made of."""

from __future__ import annotations

import contextlib
import os

from rawko.store import files
from rawko.values.errors import LibraryNotFound, StoreUnavailable

FOLDER = ".rawko"
MEMORIES = "memories"
CACHE = ".cache"

GITIGNORE = """\
# Private to this checkout; memories, agents and config are meant to be committed.
.cache/
.tmp-*
sessions/
receipts/
layers/
review/
"""
GITATTRIBUTES = """\
# Memories only grow, so two branches that both added to one can keep both additions.
memories/*.md merge=union
memories/**/*.md merge=union
"""
CONFIG = """\
# Settings of this library; `rawko config` lists every key with its default.
"""


def locate(path: str, user: str = "") -> str:
    """The library at a path: the folder itself, the .rawko in it, or the nearest one above. Raises LibraryNotFound."""
    start = folder = _real(path)
    if _is_library(start, user):
        return start
    while True:
        candidate = os.path.join(folder, FOLDER)
        if os.path.islink(candidate):
            hint = "set RAWKO_DIR to the folder it points to, if you trust it"
            raise LibraryNotFound(f"{candidate} is a symbolic link", hint=hint)
        if os.path.isdir(candidate):
            return candidate
        above = os.path.dirname(folder)
        if above == folder:
            raise LibraryNotFound(f"there is no {FOLDER} folder in {start} or above", hint="run `rawko init` there")
        folder = above


def create(path: str, user: str = "") -> tuple[str, list[str]]:
    """Make a library at a path, keeping every file that is there; returns it and the files made."""
    start = _real(path)
    root = start if os.path.basename(start) == FOLDER or is_users(start, user) else os.path.join(start, FOLDER)
    return root, furnish(root)


def is_users(path: str, user: str) -> bool:
    """Whether a folder is that of the user: what is in it is a library itself, and not in a folder below."""
    return bool(user) and path == os.path.realpath(user)


def furnish(root: str) -> list[str]:
    """Make what is missing of a library, the folder itself included; returns the files made."""
    with files.typed(f"cannot make {root}"):
        if os.path.islink(root):
            raise StoreUnavailable(f"{root} is a symbolic link", hint="remove the link, or name the folder itself")
        _make_durably(root)
        with files.opened(root) as folder:
            with files.opened(MEMORIES, folder, make=True):
                pass
            texts = {".gitignore": GITIGNORE, ".gitattributes": GITATTRIBUTES, "config.yaml": CONFIG}
            return _write_missing(folder, texts)


def open_cache(root: int) -> int:
    """Open the folder for what is derived; a new one tells git to leave it alone, on whatever branch it is."""
    try:
        return files.open_folder(CACHE, root)
    except FileNotFoundError:
        folder = files.open_folder(CACHE, root, make=True)
    with contextlib.suppress(OSError):
        files.create(folder, ".gitignore", b"*\n", sync=False)
    return folder


def create_agents(root: str) -> list[str]:
    """Put the templates of agent definitions into a library, keeping those that are there."""
    from pathlib import Path  # noqa: PLC0415 - only a new library needs it

    templates = Path(__file__).parent / "templates" / "agents"
    texts = {path.name: path.read_text() for path in sorted(templates.glob("*.md"))}
    with (
        files.typed(f"cannot make {root}/agents"),
        files.opened(root) as folder,
        files.opened("agents", folder, make=True) as agents,
    ):
        return [f"agents/{name}" for name in _write_missing(agents, texts)]


def _real(path: str) -> str:
    with files.typed(f"cannot go to {path}"):
        return os.path.realpath(path)


def _make_durably(path: str) -> None:
    """Make a folder and those above it that are missing, each synced into the one that holds it."""
    if os.path.isdir(path):
        return
    above, name = os.path.split(path)
    _make_durably(above)
    with files.opened(above) as folder, files.opened(name, folder, make=True):
        pass


def _is_library(path: str, user: str) -> bool:
    if os.path.basename(path) == FOLDER:
        return os.path.isdir(path)
    if os.path.lexists(os.path.join(path, FOLDER)):
        return False  # a project that has a library, and perhaps a folder of memories of its own
    has_memories = os.path.isdir(os.path.join(path, MEMORIES))
    return has_memories and (is_users(path, user) or os.path.isfile(os.path.join(path, "config.yaml")))


def _write_missing(folder: int, texts: dict[str, str]) -> list[str]:
    made = []
    for name, text in texts.items():
        try:
            files.create(folder, name, text.encode(), sync=True)
        except FileExistsError:
            continue
        made.append(name)
    os.fsync(folder)
    return made
