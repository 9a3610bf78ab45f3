"""Swaps what lies in a library for links to something outside, and back again.

python racer.py PROJECT OUTSIDE    `ready`; swap as fast as it goes until standard input ends, then print the counts
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import select
import shutil
import sys
from pathlib import Path

SECRET = "THE-SECRET-OUTSIDE"
KINDS = ("link", "hard link", "folder", "memories")
_TEXT = """---
title: "{title}"
whenToUse: [test]
importance: low
discoveredAt: 2026-01-23T10:30:00Z
discoveredBy: tester
---

{body}
"""
SECRET_FILE = _TEXT.format(title="Outside", body=SECRET)


class Swap:
    """A library with two memories, `x.md` and `sub/y.md`, and what is outside in the same form."""

    def __init__(self, project: Path, outside: Path) -> None:
        self._memories = project / ".rawko" / "memories"
        self._aside = project / "aside"
        self._outside = outside
        self._away: list[Path] = []
        self._expected: dict[str, bytes] = {}

    def prepare(self) -> None:
        """Write both memories, and their counterparts outside."""
        for folder in (self._memories / "sub", self._outside / "sub", self._aside):
            folder.mkdir(parents=True, exist_ok=True)
        self.reset()
        for name in ("x.md", "sub/y.md"):
            body = f"{SECRET}\n" + "." * (len(_body()) - len(SECRET) - 1)
            (self._outside / name).write_text(_TEXT.format(title=_title(name), body=body))
        self._expected = self._state()

    def reset(self) -> None:
        """Write both memories as they were."""
        for name in ("x.md", "sub/y.md"):
            (self._memories / name).write_text(_TEXT.format(title=_title(name), body=_body()))

    def out(self, kind: str) -> None:
        """Put a link in the place of a file or folder."""
        target = {"folder": self._memories / "sub", "memories": self._memories}.get(kind, self._memories / "x.md")
        link = self._aside / "link"
        if kind == "hard link":
            self._make_as_long(self._outside / "x.md", target)
            link.hardlink_to(self._outside / "x.md")
        else:
            link.symlink_to(self._outside / {"folder": "sub", "memories": ""}.get(kind, "x.md"))
        with contextlib.suppress(FileNotFoundError):
            target.rename(self._aside / target.name)
        link.replace(target)
        self._away.append(target)

    def back(self) -> None:
        """Put back what was there."""
        while self._away:
            target = self._away.pop()
            if target.is_symlink():
                target.unlink()
            elif target.is_dir():
                shutil.rmtree(target)  # somebody made a new folder in the place of the link
            with contextlib.suppress(FileNotFoundError):
                (self._aside / target.name).replace(target)

    def changed(self) -> list[str]:
        """What outside is no longer as it was put there."""
        found = self._state()
        changed = [name for name in {**found, **self._expected} if found.get(name) != self._expected.get(name)]
        self._expected = found
        return changed

    def _make_as_long(self, path: Path, other: Path) -> None:
        """A file that is as long as another one shows no difference to who only looks at the size."""
        with contextlib.suppress(FileNotFoundError), open(path, "r+b") as file:
            file.seek(0, os.SEEK_END)
            file.write(b"." * (other.stat().st_size - file.tell()))
            file.truncate(other.stat().st_size)
        self._expected["x.md"] = path.read_bytes()

    def _state(self) -> dict[str, bytes]:
        paths = (path for path in self._outside.rglob("*") if path.is_file())
        return {str(path.relative_to(self._outside)): path.read_bytes() for path in paths}


def _title(name: str) -> str:
    return Path(name).stem.upper()


def _body() -> str:
    return "What is inside may be read.\n" + "inside " * 20


def race(project: str, outside: str) -> None:
    """Swap until nobody listens any more."""
    swap = Swap(Path(project), Path(outside))
    swap.changed()
    swaps, changed = 0, []
    print("ready", flush=True)
    for kind in itertools.cycle(KINDS[:3]):  # the whole folder away is too often too simple a case
        if select.select([sys.stdin], [], [], 0)[0]:
            break
        swap.out(kind)
        swap.back()
        swaps += 1
        changed += swap.changed()
    print(json.dumps({"swaps": swaps, "changed outside": changed}))


if __name__ == "__main__":
    race(*sys.argv[1:])
