"""H4: people edit memories while agents write: the next call sees the edit, and no write ever takes it back."""

from __future__ import annotations

import itertools
import os
import random
import re
from typing import TYPE_CHECKING

import pytest

import bad
import crowd
import oracle
from process import SEED, Report
from rawko.store.examine import examine
from rawko.store.memories import FileStore
from rawko.values.errors import MemoryNotFound, RawkoError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from process import Writer
    from rawko.library import Library

    Edit = Callable[["Page", str], None]

_NEVER = ("not seen", "overwritten", "resurrected", "lost", "torn", "false alarms")
_MARKER = re.compile(rb"edit-\d{5}")
_TITLE = re.compile(rb"^title: .*$", re.MULTILINE)


class Page:
    """A memory file as a person sees it: a title, a line to edit, and a name that may change."""

    def __init__(self, library: Library, folder: Path, number: int) -> None:
        self.title = f"Page {number:05}"
        self.text = f"old-{number}"
        self.marker = "edit-00000"
        library.remember(self.title, f"{self.marker}\n\n{oracle.text(self.text)}", when_to_use=["test"])
        self.path = folder / f"page-{number:05}.md"

    def write_over(self, old: bytes, new: bytes) -> None:
        """Write bytes in place, as many as there were."""
        assert len(old) == len(new)
        with open(self.path, "r+b") as file:
            file.seek(file.read().index(old))
            file.write(new)


def save_by_rename(page: Page, marker: str) -> None:
    """As vim does: write all to another file, and put that under the name."""
    data = _MARKER.sub(marker.encode(), page.path.read_bytes(), count=1)
    other = page.path.with_name("4913")
    other.write_bytes(data)
    os.rename(other, page.path)
    page.marker = marker


def append_in_place(page: Page, marker: str) -> None:
    """As `cat >> file` does."""
    with open(page.path, "ab") as file:
        file.write(f"\n\n---\n\n## Update (2026-02-02)\n\n{marker}\n".encode())
    page.marker = marker


def edit_in_place(page: Page, marker: str) -> None:
    """As `sed` with the same number of bytes would, if it wrote in place."""
    page.write_over(_MARKER.findall(page.path.read_bytes())[0], marker.encode())
    page.marker = marker


def retitle_in_place(page: Page, marker: str) -> None:
    """The same, in the title."""
    title = f"Page {marker[-5:]}"
    page.write_over(f'"{page.title}"'.encode(), f'"{title}"'.encode())
    page.title = title


def move(page: Page, marker: str) -> None:
    """Give the file another name."""
    path = page.path.with_name(f"moved-{marker}.md")
    os.rename(page.path, path)
    page.path = path


def delete(page: Page, marker: str) -> None:
    """Delete the file."""
    del marker
    page.path.unlink()


EDITS: dict[str, Edit] = {
    "rename over": save_by_rename,
    "append": append_in_place,
    "in place": edit_in_place,
    "title in place": retitle_in_place,
    "move": move,
    "delete": delete,
}


def _folder(project: Path) -> Path:
    return project / ".rawko" / "memories"


def _check_alarms(report: Report, library: Library, view: oracle.View) -> None:
    """What people do to files is neither damage nor a failing disk."""
    report.add("torn", view.torn)
    report.add("false alarms", [str(problem) for problem in library.problems()])
    if isinstance(library.store, FileStore):
        report.add("false alarms", [str(found) for found in examine(library.store) if found.level == "error"])


# ------------------------------------------------------------ one after the other


def edits_between_calls(store: str, project: Path, count: int) -> Report:
    """Edit, look, write; a new page for each edit, and always the same library."""
    report = Report({"edits": 0, **dict.fromkeys(_NEVER, 0)})
    with bad.library(store, str(project), create=True) as library:
        for number in range(count):
            name, edit = list(EDITS.items())[number % len(EDITS)]
            page = Page(library, _folder(project), number)
            library.update(page.title, oracle.text(f"first-{number}"))
            edit(page, f"edit-{count + number:05}")
            report.add("edits", 1)
            report.add("not seen", not _is_seen(library, page, name), example=name)
            _write_after(report, library, page, f"later-{number}", name)
        _check_alarms(report, library, oracle.look(project, strict=False))
    return report


def _is_seen(library: Library, page: Page, name: str) -> bool:
    """Whether the next calls, by title and over all, have the page as it is now."""
    try:
        memory = library.get(page.title)
    except MemoryNotFound:
        return name == "delete" and page.title not in {memory.title for memory in library.memories()}
    except RawkoError:
        return False
    among = next(found for found in library.memories() if found.title == page.title)
    return name != "delete" and page.marker in memory.content and memory == among and memory.file == page.path.name


def _write_after(report: Report, library: Library, page: Page, ident: str, name: str) -> None:
    """The library's own next write leaves every byte of the page as it is, and adds to it."""
    before = page.path.read_bytes() if name != "delete" else b""
    try:
        library.update(page.title, oracle.text(ident))
    except RawkoError as error:
        report.add("lost", name != "delete", example=f"{name}: {error}")
    if name == "delete":
        report.add("resurrected", page.path.exists())
        library.remember(page.title, oracle.text(ident), when_to_use=["test"])
        report.add("resurrected", page.text in _everything(page.path.parent), example=name)
        return
    after = page.path.read_bytes() if page.path.exists() else b""
    report.add("overwritten", not after.startswith(before), example=name)
    report.add("lost", ident not in oracle.whole(after.decode()), example=name)


def _everything(folder: Path) -> str:
    """All texts that are in a folder, whole, as one list of words."""
    return " ".join(oracle.look(folder.parent.parent, strict=False).whole)


def test_an_edit_is_seen_by_the_next_call(tmp_path: Path, tier: Callable[[int, int], int]) -> None:
    """H4: what a person did to a file is there in the next call, and stays when the library writes to it."""
    report = edits_between_calls("rawko", tmp_path, tier(30, 102)).show("H4 between calls")
    assert report.bad(*_NEVER) == {}, report.examples


def test_an_unseen_edit_is_noticed(tmp_path: Path) -> None:
    """H4, red: a store that remembers what it read neither sees an edit nor keeps it."""
    report = edits_between_calls("cache", tmp_path, 12).show("H4 between calls", "cache")
    assert report["not seen"] > 0
    assert report["overwritten"] > 0


# ------------------------------------------------------------ at the same time


def edits_during_writes(store: str, project: Path, steps: range) -> Report:
    """Do each edit while another process is at each of these steps of a write to the page; then let it write again."""
    chance = random.Random(SEED)
    report = Report({"edits": 0, "during a write": 0, "acknowledged": 0, **dict.fromkeys(_NEVER, 0)})
    with bad.library(store, str(project), create=True) as library, crowd.crowd(("obey", store, project)) as (writer,):
        for number, (step, name) in enumerate(itertools.product(steps, EDITS)):
            page = Page(library, _folder(project), number)
            crowd.order(writer, chance.choice(["update", "remember"]), page.title, f"during-{number}", step)
            _edit_at_the_step(report, writer, page, name, f"edit-{10_000 + number:05}")
            _check_kept(report, page, name)
            crowd.order(writer, "update", page.title, f"after-{number}")
            writer.take_one()
            _check_kept(report, page, name)
            _check_written(report, writer.acknowledged, page, name, number)
        report.add("acknowledged", len(writer.acknowledged))
        _check_alarms(report, library, oracle.look(project, strict=False))
    return report


def _edit_at_the_step(report: Report, writer: Writer, page: Page, name: str, marker: str) -> None:
    """Edit while the writer waits at its step, or after its last one; and see how the write ends."""
    answers = len(writer.others)
    writer.take_one()
    is_during = any(line.startswith("paused") for line in writer.others[answers:])
    try:
        EDITS[name](page, marker)
    except (LookupError, ValueError):
        report.add("overwritten", 1, example=f"{name}: {page.path.name} has nothing to edit")
    report.add("edits", 1)
    report.add("during a write", is_during)
    if is_during:
        writer.go()
        writer.take_one()


def _check_kept(report: Report, page: Page, name: str) -> None:
    """What the person wrote is there, and what the person took away is not."""
    there = oracle.look(page.path.parents[2], strict=False).whole
    report.add("resurrected", there[page.text] > (name != "delete"), example=name)
    if name != "delete":
        content = page.path.read_text()
        kept = page.marker in content and f'title: "{page.title}"' in content
        report.add("overwritten", not kept, example=f"{name}: {page.path.name}")


def _check_written(report: Report, acknowledged: list[str], page: Page, name: str, number: int) -> None:
    """What was acknowledged is there, unless the person saved an older text over it or deleted it."""
    there = oracle.look(page.path.parents[2], strict=False).whole
    kept = {f"after-{number}"} if name in ("rename over", "delete") else {f"during-{number}", f"after-{number}"}
    promised = {ident for ident in kept if ident in acknowledged[-2:]}
    report.add("lost", promised - set(there), example=f"{name}: {promised - set(there)}")
    report.add("refused", name != "delete" and f"after-{number}" not in acknowledged[-2:], example=name)


def test_an_edit_during_a_write_is_kept(tmp_path: Path, tier: Callable[[int, int], int]) -> None:
    """H4: what a person does to a file at any step of a write to it is never overwritten or brought back."""
    report = edits_during_writes("rawko", tmp_path, range(1, 80, tier(7, 1))).show("H4 during writes")
    assert report.bad(*_NEVER, "refused") == {}, report.examples


@pytest.mark.parametrize("store", ["seed", "rename"])
def test_an_overwritten_edit_is_noticed(tmp_path: Path, store: str) -> None:
    """H4, red: whoever writes whole files back writes over what was edited in between."""
    report = edits_during_writes(store, tmp_path, range(1, 8)).show("H4 during writes", store)
    assert report["overwritten"] > 0
    assert report["resurrected"] > 0
