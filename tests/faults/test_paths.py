"""S3: no text that somebody gives is ever taken for a path that leads out of the library."""

from __future__ import annotations

import json
import os
import random
import sys
from typing import TYPE_CHECKING, Any

import pytest

import bad
import paths
import traced
from data.traversal import TRAVERSAL
from process import HERE, SEED, Report
from racer import SECRET_FILE
from traced import snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_NEVER = ("shown", "otherwise", "opened outside", "changed outside")


def tour(store: str, folder: Path, kind: str, strings: list[str]) -> Report:
    """Give every string to every call of a library deep inside a folder with something to be read on every level."""
    project = folder / "a" / "b" / "project"
    with bad.library(store, str(project), create=True):
        (project / ".rawko" / "config.yaml").write_text("durability: off\nsemantic: false\n")
        (project / ".rawko" / "agents").mkdir(exist_ok=True)
    for place in (folder, folder / "a", folder / "a" / "b", project, project / ".rawko", project / ".rawko" / "agents"):
        (place / "secret.md").write_text(SECRET_FILE)
    texts = [text.replace("{outside}", str(folder)) for text in strings]
    before = _outside(folder)
    command = [sys.executable, str(HERE / "paths.py"), kind, store, str(project), json.dumps(texts)]
    environment = os.environ | {"RAWKO_HOME": str(folder / "home"), "HOME": str(folder)}
    done = traced.run(command, folder / "trace", environment, project)
    assert done.code == 0, done.err
    return _judged(json.loads(done.out), done, project, before, _outside(folder))


def _outside(folder: Path) -> dict[str, bytes]:
    """Everything but the folders in which a library may write, and the trace."""
    inside = [str(folder / "a" / "b" / "project" / ".rawko" / name) for name in paths.WRITTEN]
    return {
        path: data for path, data in snapshot(folder).items() if not path.startswith((*inside, str(folder / "trace")))
    }


def _judged(
    ended: dict[str, Any], done: traced.Traced, project: Path, before: dict[str, bytes], after: dict[str, bytes]
) -> Report:
    report = Report({name: ended[name] for name in ("calls", "refused", "kept", "shown")})
    report.add("otherwise", ended["otherwise"])
    allowed = [project / ".rawko" / name for name in (*paths.READ, *paths.WRITTEN)]
    reached = done.outside(*allowed, project.parents[2] / "home") - {str(project / ".rawko")}
    report.add("opened outside", [*ended["away"], *reached])
    report.add("changed outside", [path for path in {**before, **after} if before.get(path) != after.get(path)])
    return report


def test_there_are_more_than_sixty() -> None:
    """S3 counts sixty, each different."""
    assert len(set(TRAVERSAL)) == len(TRAVERSAL) >= 60


@pytest.mark.parametrize("kind", ["api", "cli"])
def test_no_text_leads_out_of_the_library(tmp_path: Path, tier: Callable[[int, int], int], kind: str) -> None:
    """S3: through every call and every command, it is refused or kept as text; nothing outside is opened or made."""
    how = "audit hook and strace" if not traced.missing_tool() else "audit hook alone"
    strings = random.Random(SEED).sample(TRAVERSAL, tier(60, len(TRAVERSAL)))
    report = tour("rawko", tmp_path, kind, strings).show(f"S3 {kind}, {len(strings)} strings ({how})")
    assert report["kept"] > 0
    assert report["refused"] > 0
    assert report.bad(*_NEVER) == {}, report.examples


@pytest.mark.parametrize("string", ["../secret", "../../x", "{outside}/x"])
def test_a_text_that_leads_out_is_noticed(tmp_path: Path, string: str) -> None:
    """S3, red: a store that calls its files what their memories are called writes outside; the check sees both."""
    report = tour("joins-titles", tmp_path, "title", [string]).show(f"S3 {string}", "joins-titles")
    assert report["changed outside"] > 0
    assert report["opened outside"] > 0
