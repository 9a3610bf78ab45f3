"""Receipts: what was injected is on record, and can be worded again to the byte."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rawko.recall import prompt
from rawko.store.log import checked, summed
from rawko.testing import FixedClock
from rawko.values.errors import InvalidMemory, NotReplayable, ReceiptNotFound, StoreUnavailable
from recalled import keep, on_disk, set_up, titles
from samples import data, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rawko.library import Library

TASK = "Add a login page"
SECRET = "qwxzkjvbn"  # letters that no rule for plain forms changes
TESTS = Path(__file__).parent


@pytest.fixture
def library(tmp_path: Path, clock: FixedClock) -> Iterator[Library]:
    """An empty library with everything on disk."""
    with on_disk(tmp_path, clock) as library:
        yield library


def month(folder: Path, name: str = "2026-01") -> Path:
    """The file of a month."""
    return folder / ".rawko" / "receipts" / f"{name}.jsonl"


def kept(folder: Path) -> list[dict[str, Any]]:
    """Every receipt, read without rawko's help but for the checksum."""
    return [checked(line) for line in month(folder).read_bytes().splitlines()]


def everywhere(folder: Path) -> bytes:
    """All bytes of a library, whatever file they are in."""
    return b"".join(path.read_bytes() for path in sorted((folder / ".rawko").rglob("*")) if path.is_file())


# ---------------------------------------------------------------- what is on record


def test_an_injection_is_on_record(library: Library, tmp_path: Path) -> None:
    """DESIGN 4: when, for which task, what, which version, what score and why."""
    keep(library, "Known", importance="high")
    selection = library.inject(TASK, agent="developer", plan="First this.", history="Then that.")
    [receipt] = kept(tmp_path)
    [memory] = receipt["memories"]
    assert (receipt["rawko"], receipt["id"], receipt["at"]) == (1, selection.receipt, "2026-01-23T10:30:00Z")
    assert receipt["task"] == {"text": TASK, "agent": "developer", "plan": "First this.", "history": "Then that."}
    assert (memory["file"], memory["score"], memory["matched"]) == (
        "known.md",
        selection.memories[0].score,
        "pattern: login",
    )
    assert memory["size"] == (tmp_path / ".rawko" / "memories" / "known.md").stat().st_size


def test_an_injection_of_nothing_is_on_record(library: Library, tmp_path: Path) -> None:
    """DESIGN 4: that there was nothing to say is a record too."""
    selection = library.inject(TASK)
    [receipt] = kept(tmp_path)
    assert (receipt["id"], receipt["memories"], receipt["tokens"]) == (selection.receipt, [], 0)


def test_a_receipt_has_no_text_of_a_memory(library: Library, tmp_path: Path) -> None:
    """DESIGN 4: ids and versions, scores and hashes."""
    library.remember("Known", f"The {SECRET} is the text.", ["login"])
    library.inject(TASK)
    assert SECRET not in month(tmp_path).read_text()


def test_the_best_fifty_of_what_was_left_out_are_on_record(library: Library, tmp_path: Path) -> None:
    """DESIGN 4: and how many more there were."""
    for number in range(60):
        keep(library, f"Zorp {number}", "*")
    library.inject(TASK)
    [receipt] = kept(tmp_path)
    assert (len(receipt["memories"]), len(receipt["leftOut"]), receipt["more"]) == (5, 50, 5)


def test_receipts_lie_in_a_file_for_each_month(library: Library, tmp_path: Path, clock: FixedClock) -> None:
    """A year of them need not be read to find one."""
    library.inject(TASK)
    clock.advance(days=30)
    library.inject(TASK)
    assert sorted(os.listdir(tmp_path / ".rawko" / "receipts")) == ["2026-01.jsonl", "2026-02.jsonl"]


def test_the_latest_receipt_is_found_across_months(library: Library, clock: FixedClock) -> None:
    """What `rawko why` shows."""
    library.inject("First")
    clock.advance(days=30)
    library.inject("Second")
    receipts = library.recall.receipts
    assert receipts.latest()["task"]["text"] == "Second"
    assert receipts.latest(lambda one: one["task"]["text"] == "First")["task"]["text"] == "First"


def test_without_a_disk_receipts_are_kept_as_long_as_the_library() -> None:
    """DESIGN 7: the store in memory has them too."""
    library = set_up()
    keep(library, "Known")
    selection = library.inject(TASK)
    assert library.replay(selection.receipt) == str(selection)


@pytest.mark.parametrize(
    "name", ["", "x", "20260123-103000-00000000", "../../etc/passwd", "99999999-999999-ffffffff", "\x00", "数"]
)
def test_what_is_no_receipt_is_not_found(library: Library, name: str) -> None:
    """S3: a name that leads elsewhere is just a name that nobody has."""
    library.inject(TASK)
    with pytest.raises(ReceiptNotFound):
        library.replay(name)


def test_without_receipts_there_is_no_latest(library: Library) -> None:
    """And no error but that one."""
    with pytest.raises(ReceiptNotFound):
        library.recall.receipts.latest()


def test_a_receipt_that_cannot_be_kept_fails_nothing(
    library: Library, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """G7: the prompt is what matters, the receipt is a warning."""
    (tmp_path / ".rawko" / "receipts").write_text("a file where the folder should be")
    keep(library, "Known")
    selection = library.inject(TASK)
    assert (titles(selection), selection.receipt) == (["Known"], "")
    assert "no receipt was kept" in caplog.text


# ---------------------------------------------------------------- replay


def test_a_block_is_worded_again_to_the_byte(library: Library) -> None:
    """DESIGN 4: `replay` gives what the agent saw."""
    keep(library, "Zorp a", importance="high")
    library.remember("Zorp b", "A long login text. " * 400, ["login"])
    selection = library.inject(TASK)
    assert library.replay(selection.receipt) == str(selection) != ""


def test_an_empty_block_is_replayed(library: Library) -> None:
    """F1: nothing is nothing again."""
    assert library.replay(library.inject(TASK).receipt) == ""


def test_what_was_stated_later_changes_no_replay(library: Library, clock: FixedClock) -> None:
    """DESIGN 4: updates, corrections and a deprecation come after what was told."""
    keep(library, "Known")
    selection = library.inject(TASK)
    clock.advance(days=1)
    library.update("Known", "More.", when_to_use=["x"], importance="critical", tags=["failures"])
    library.correct("Known", "Not so.")
    library.deprecate("Known", "Gone.")
    assert library.replay(selection.receipt) == str(selection)


def test_what_was_stated_before_is_replayed(library: Library, clock: FixedClock) -> None:
    """DESIGN 4: a block with a correction in it comes out with it."""
    keep(library, "Known")
    library.correct("Known", "Not so.")
    selection = library.inject(TASK)
    clock.advance(days=1)
    library.correct("Known", "So after all.")
    assert library.replay(selection.receipt) == str(selection)
    assert "Not so." in str(selection)


def test_a_look_into_the_past_is_replayed(library: Library, clock: FixedClock) -> None:
    """DESIGN 4: with what held at that moment."""
    keep(library, "Known")
    clock.advance(days=1)
    library.correct("Known", "Not so.")
    selection = library.inject(TASK, as_of="2026-01-23")
    assert library.replay(selection.receipt) == str(selection)
    assert "Not so." not in str(selection)


@pytest.mark.parametrize(
    "settings", [{"intro": True}, {"fill": False}, {"characters": 80, "fill": False}, {"budget": 70}], ids=str
)
def test_a_replay_is_worded_as_it_was_then(tmp_path: Path, settings: dict[str, Any]) -> None:
    """DESIGN 4: settings that changed since do not matter."""
    with on_disk(tmp_path, **settings) as library:
        library.remember("Known", "A long login text. " * 400, ["login"])
        selection = library.inject(TASK)
    with on_disk(tmp_path) as library:
        assert library.replay(selection.receipt) == str(selection) != str(library.inject(TASK))


def test_another_process_replays(tmp_path: Path) -> None:
    """A receipt is on disk when the call has returned."""
    with on_disk(tmp_path) as library:
        keep(library, "Known")
        selection = library.inject(TASK)
    with on_disk(tmp_path) as library:
        assert library.replay(selection.receipt) == str(selection)


def test_an_edit_by_hand_ends_a_replay(library: Library, tmp_path: Path) -> None:
    """DESIGN 4: what is not as it was is said so, and never passed off as what was told."""
    keep(library, "Known", content="The port is 5432.")
    selection = library.inject(TASK)
    path = tmp_path / ".rawko" / "memories" / "known.md"
    path.write_text(path.read_text().replace("5432", "6432"))
    with pytest.raises(NotReplayable, match=r"known\.md is not what it was then"):
        library.replay(selection.receipt)


def test_a_deleted_file_ends_a_replay(library: Library, tmp_path: Path) -> None:
    """DESIGN 4: so it is when the file is gone."""
    keep(library, "Known")
    selection = library.inject(TASK)
    (tmp_path / ".rawko" / "memories" / "known.md").unlink()
    with pytest.raises(NotReplayable, match="cannot be read any more"):
        library.replay(selection.receipt)


def test_another_renderer_is_not_taken_for_this_one(library: Library, tmp_path: Path) -> None:
    """DESIGN 4: a block is worded again only by the rules that worded it."""
    keep(library, "Known")
    selection = library.inject(TASK)
    [receipt] = kept(tmp_path)
    month(tmp_path).write_bytes(summed({**receipt, "renderer": prompt.RENDERER + 1}))
    with pytest.raises(NotReplayable, match="renderer"):
        library.replay(selection.receipt)


# ---------------------------------------------------------------- what is wrong with the file


def test_a_torn_line_is_skipped(library: Library, tmp_path: Path) -> None:
    """D1: what a killed process left unfinished is not read, and not glued to the next."""
    first = library.inject(TASK).receipt
    with month(tmp_path).open("ab") as file:
        file.write(b'0badc0de {"rawko": 1, "id": "2026')
    second = library.inject(TASK).receipt
    assert [library.replay(first), library.replay(second)] == ["", ""]


@pytest.mark.parametrize("line", [b"\x00\xff\n", b"\n\n", b"0000 {}\n", summed([1]), summed({"id": "x"}), summed(7)])
def test_a_line_that_is_no_receipt_is_skipped(library: Library, tmp_path: Path, line: bytes) -> None:
    """D9, L3: whatever else is in the file."""
    library.inject(TASK)
    month(tmp_path).write_bytes(line + month(tmp_path).read_bytes() + line)
    receipt = library.inject(TASK).receipt
    assert library.recall.receipts.get(receipt)["id"] == receipt


def test_a_newer_format_is_refused_and_left_alone(library: Library, tmp_path: Path) -> None:
    """L3: a receipt of a rawko that is not there yet is not guessed at."""
    receipt = library.inject(TASK).receipt
    month(tmp_path).write_bytes(summed({"rawko": 2, "id": receipt, "blocks": []}))
    before = month(tmp_path).read_bytes()
    with pytest.raises(InvalidMemory, match="format 2"):
        library.replay(receipt)
    library.inject(TASK)
    assert month(tmp_path).read_bytes().startswith(before)


@pytest.mark.parametrize("odd", ["folder", "link", "pipe"])
def test_something_odd_in_the_place_of_the_file_fails_nothing(library: Library, tmp_path: Path, odd: str) -> None:
    """H7, G7: a folder, a link or a pipe: the block is there, and nothing outside was written."""
    keep(library, "Known")
    month(tmp_path).parent.mkdir()
    outside = tmp_path / "outside"
    outside.write_text("not ours")
    {"folder": os.mkdir, "pipe": os.mkfifo, "link": lambda path: os.symlink(outside, path)}[odd](month(tmp_path))
    assert titles(library.inject(TASK)) == ["Known"]
    assert outside.read_text() == "not ours"


_MANY = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from recalled import on_disk
with on_disk(Path(sys.argv[2])) as library:
    for number in range(int(sys.argv[3])):
        print(library.inject(f"run the test {number}").receipt)
"""


def test_many_processes_keep_all_their_receipts(tmp_path: Path) -> None:
    """C1: 8 processes of 50 injections each are 400 receipts, each whole and found by its id."""
    write(tmp_path, "known.md", data())
    command = [sys.executable, "-c", _MANY, str(TESTS), str(tmp_path), "50"]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    said = [line for process in processes for line in process.communicate()[0].split()]
    assert [process.returncode for process in processes] == [0] * 8
    found = [receipt["id"] for receipt in kept(tmp_path)]
    assert (len(found), len(set(found)), set(found)) == (400, 400, set(said))


def test_an_id_sorts_by_time() -> None:
    """Two of one second differ, and a later one comes later."""
    clock = FixedClock(datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC))
    library = set_up(clock)
    first, second = library.inject(TASK).receipt, library.inject(TASK).receipt
    clock.advance(seconds=1)
    assert first != second
    assert max(first, second) < library.inject(TASK).receipt


# ---------------------------------------------------------------- what must not be kept


def test_a_purged_text_is_gone_from_everywhere(library: Library, tmp_path: Path) -> None:
    """DESIGN 3: from the file, from the index, and from the receipts of tasks that had it."""
    library.remember("Known", f"The password is {SECRET}.", ["login"])
    library.inject(f"login with {SECRET}", plan=SECRET, history=SECRET)
    library.search(SECRET)
    library.forget("Known", purge=True, text=SECRET)
    library.close()
    assert SECRET.encode() not in everywhere(tmp_path)


def test_a_purged_memory_is_gone_from_everywhere(library: Library, tmp_path: Path) -> None:
    """DESIGN 3: all that it said, its patterns and tags included; only the name of its file stays."""
    keep(library, "Known", [f"login|{SECRET}"], content=f"The password is {SECRET}.", tags=[SECRET])
    library.inject(TASK)
    library.inject(f"What is {SECRET}", limit=0)
    receipts = month(tmp_path).read_text().replace(f"What is {SECRET}", "")
    library.forget("Known", purge=True)
    library.close()
    left = everywhere(tmp_path).replace(json.dumps(f"What is {SECRET}").encode(), b"")
    assert (SECRET in receipts, SECRET.encode() in left) == (True, False)


def test_other_receipts_stay_as_they_were_after_a_purge(library: Library, tmp_path: Path) -> None:
    """DESIGN 3: only what had to go is gone."""
    keep(library, "Other", "cluster")
    other = library.inject("Resize the cluster")
    library.remember("Known", f"The password is {SECRET}.", ["login"])
    library.inject(TASK)
    library.forget("Known", purge=True, text=SECRET)
    assert (len(kept(tmp_path)), library.replay(other.receipt)) == (2, str(other))


def test_a_purged_memory_cannot_be_replayed(library: Library) -> None:
    """DESIGN 3: what is gone is gone, and that is said."""
    library.remember("Known", f"The password is {SECRET}.", ["login"])
    receipt = library.inject(TASK).receipt
    library.forget("Known", purge=True, text=SECRET)
    with pytest.raises(NotReplayable):
        library.replay(receipt)


def test_a_purged_memory_is_not_found(library: Library) -> None:
    """DESIGN 3: neither by search nor by a task."""
    library.remember("Known", f"The password is {SECRET}.", ["login"], importance="critical")
    library.search(SECRET)
    library.forget("Known", purge=True, text=SECRET)
    assert (library.search(SECRET), titles(library.inject(SECRET))) == ([], [])


def test_a_purged_text_is_gone_in_any_case_and_in_pieces(library: Library, tmp_path: Path) -> None:
    """DESIGN 3: the words that matched are those of the task, lower-cased and split; where it had the text, they go."""
    library.remember("Gate", "Login on staging works with Hunter2Zebra.", ["staging"])
    library.inject("login on staging with Hunter2Zebra, or HUNTER2ZEBRA", plan="hunter2zebra")
    library.forget("Gate", purge=True, text="Hunter2Zebra")
    left = month(tmp_path).read_bytes().lower()
    assert [piece for piece in (b"hunter", b"zebra") if piece in left] == []


def test_what_was_wrong_with_a_file_goes_with_the_text_that_it_quotes(library: Library, tmp_path: Path) -> None:
    """A3: a reason may quote a part of what has to go."""
    write(tmp_path, "broken.md", data(importance=SECRET))
    library.inject(f"login with {SECRET}")
    library.forget("broken.md", purge=True, text=SECRET)
    [receipt] = kept(tmp_path)
    assert [entry["reason"] for entry in receipt["leftOut"]] == ["it cannot be read: (removed on 2026-01-23)"]


@pytest.mark.parametrize("text", ["1500", "file", "id", "full", "exact", "removed"])
def test_a_purge_leaves_receipts_that_can_be_read(library: Library, tmp_path: Path, text: str) -> None:
    """A2: whatever the text is, keys, figures and rawko's own words stay, and what has nothing of it is replayed."""
    keep(library, "Known", "cluster", content="The zinc.")
    other = library.inject("xyz cluster")
    library.remember("Odd", f"It says {text} here.", ["login"])
    library.forget("Odd", purge=True, text=text)
    [receipt] = kept(tmp_path)
    assert (receipt["id"], receipt["wording"]["budget"]) == (other.receipt, 1500)
    assert library.replay(other.receipt) == str(other) != ""


def test_the_same_purge_changes_a_receipt_once(library: Library, tmp_path: Path) -> None:
    """A2: a mark is not marked again, also where it has the text itself."""
    library.remember("Odd", "It was removed.", ["login"])
    library.inject("login was removed")
    library.forget("Odd", purge=True, text="removed")
    assert kept(tmp_path)[0]["task"]["text"] == "login was (removed on 2026-01-23)"


def test_a_line_that_cannot_be_read_survives_a_purge(
    library: Library, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A2: it stays byte for byte, and somebody is told that nobody could look into it."""
    library.remember("Known", SECRET, ["login"])
    library.inject(f"login with {SECRET}")
    with month(tmp_path).open("ab") as file:
        file.write(b'0badc0de {"rawko": 1, "id": "2026\n')
    library.forget("Known", purge=True, text=SECRET)
    assert month(tmp_path).read_bytes().endswith(b'\n0badc0de {"rawko": 1, "id": "2026\n')
    assert caplog.text.count("cannot be read were left as they are: 1") == 1


def test_a_line_that_cannot_be_read_and_has_the_text_is_removed(
    library: Library, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A2: the secret counts for more, and that is said."""
    library.remember("Known", SECRET, ["login"])
    receipt = library.inject(TASK).receipt
    with month(tmp_path).open("ab") as file:
        file.write(f'0badc0de {{"rawko": 1, "task": "{SECRET.upper()}'.encode())
    library.forget("Known", purge=True, text=SECRET)
    assert SECRET.upper().encode() not in everywhere(tmp_path)
    assert library.recall.receipts.get(receipt)["id"] == receipt
    assert "were removed: 1" in caplog.text


def test_a_purge_loses_no_receipt_of_another_process(tmp_path: Path) -> None:
    """A1: who adds one while the file is rewritten has added it, and the purge does not fail."""
    command = [sys.executable, "-c", _MANY, str(TESTS), str(tmp_path), "60"]
    with on_disk(tmp_path) as library:
        library.inject(TASK)
        processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        while any(process.poll() is None for process in processes):
            library.inject(f"zz {SECRET}")
            library.recall.purge("known.md", SECRET, "(gone)")
    said = {line for process in processes for line in process.communicate()[0].split()}
    assert [process.returncode for process in processes] == [0, 0]
    assert len(said) == 120
    assert said <= {receipt["id"] for receipt in kept(tmp_path)}
    assert SECRET not in month(tmp_path).read_text()


def test_a_purge_does_not_wait_for_the_index(tmp_path: Path) -> None:
    """A1: who is at the index finds that it is gone; no word of the text stays in it."""
    with on_disk(tmp_path, lock_timeout=0.05) as library:
        library.remember("Known", f"The password is {SECRET}.", ["login"])
        library.inject(f"login with {SECRET}")
        with (tmp_path / ".rawko" / ".cache" / "index.lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            library.forget("Known", purge=True, text=SECRET)
        assert SECRET.encode() not in everywhere(tmp_path)


def test_who_has_the_index_open_leaves_nothing_of_it(library: Library, tmp_path: Path) -> None:
    """A1: another connection goes on with an index that is built again."""
    library.remember("Known", f"The password is {SECRET}.", ["login"])
    with on_disk(tmp_path) as other:
        assert len(other.search(SECRET)) == 1
        library.forget("Known", purge=True, text=SECRET)
        assert SECRET.encode() not in everywhere(tmp_path)
        assert other.search(SECRET) == []
    assert SECRET.encode() not in everywhere(tmp_path)


def test_a_purge_that_stopped_half_way_is_finished_by_another(library: Library, tmp_path: Path) -> None:
    """A1: the memory has the text no longer, the receipts still do."""
    library.remember("Known", f"The password is {SECRET}.", ["login"])
    library.inject(f"login with {SECRET}")
    library.store.rewrite("known.md", lambda stored: (stored.data if stored else b"").replace(SECRET.encode(), b"gone"))
    memory = library.forget("Known", purge=True, text=SECRET)
    assert SECRET.encode() not in everywhere(tmp_path)
    assert memory is not None
    assert memory.body == "The password is gone."


def test_receipts_that_cannot_be_rewritten_stop_a_purge_before_it_begins(library: Library, tmp_path: Path) -> None:
    """A1: with a typed error; the title is still there, and the same call does it all once that is mended."""
    library.remember(f"About {SECRET}", "Text.", ["login"])
    library.inject(f"login with {SECRET}")
    os.link(month(tmp_path), tmp_path / "elsewhere")
    with pytest.raises(StoreUnavailable, match="hard link"):
        library.forget(f"About {SECRET}", purge=True, text=SECRET)
    (tmp_path / "elsewhere").unlink()
    library.forget(f"About {SECRET}", purge=True, text=SECRET)
    assert SECRET.encode() not in everywhere(tmp_path).replace(f"about-{SECRET}.md".encode(), b"")


def test_a_text_that_is_nowhere_is_not_purged(library: Library, tmp_path: Path) -> None:
    """A1: neither in the memory nor in a receipt: nobody is told that something has gone."""
    library.remember("Known", "Text.", ["login"])
    library.inject(TASK)
    before = month(tmp_path).read_bytes()
    with pytest.raises(InvalidMemory, match="does not contain"):
        library.forget("Known", purge=True, text=SECRET)
    assert month(tmp_path).read_bytes() == before


def test_a_text_that_the_memory_has_in_another_case_is_not_purged_by_half(library: Library, tmp_path: Path) -> None:
    """A1: the receipts alone would be purged, and the memory would go on saying it."""
    library.remember("Known", SECRET.upper(), ["login"])
    library.inject(f"login with {SECRET}")
    with pytest.raises(InvalidMemory, match="does not contain"):
        library.forget("Known", purge=True, text=SECRET)
    assert SECRET in month(tmp_path).read_text()


def test_a_purged_text_leaves_no_checksum_to_guess_by(library: Library, tmp_path: Path) -> None:
    """DESIGN 3: who knows the rest could try texts until one fits; what was told before there was one stays."""
    keep(library, "Known")
    before = library.inject(TASK)
    library.update("Known", f"The password is {SECRET}.")
    library.inject(TASK)
    library.forget("Known", purge=True, text=SECRET)
    _, receipt = kept(tmp_path)
    assert (receipt["block"], receipt["memories"][0]["digest"]) == ("", "")
    assert library.replay(before.receipt) == str(before) != ""


def test_a_purged_memory_leaves_no_checksum_to_guess_by(library: Library, tmp_path: Path) -> None:
    """DESIGN 3: neither of itself nor of the block that it was in."""
    keep(library, "Known")
    library.inject(TASK)
    library.forget("Known", purge=True)
    [receipt] = kept(tmp_path)
    assert (receipt["block"], receipt["memories"][0]["digest"]) == ("", "")


# ---------------------------------------------------------------- two libraries, and other times


@pytest.fixture
def with_user(tmp_path: Path, clock: FixedClock) -> Iterator[Library]:
    """A library, and a user's library that has a file of the same name."""
    write(tmp_path / "user", "commits.md", data(title="Commits", whenToUse="commit"))
    with on_disk(tmp_path, clock) as library:
        library.user = str(tmp_path / "user" / ".rawko")
        library.remember("Commits", "Sign them off.", ["commit"])
        yield library


def test_a_purge_leaves_what_receipts_say_of_another_library(with_user: Library, tmp_path: Path) -> None:
    """B4: a file of the same name in the user's library is another memory."""
    with_user.inject("Write the commit")
    with_user.forget("commits.md", purge=True)
    [receipt] = kept(tmp_path)
    matched = {entry["origin"]: entry["matched"] for entry in receipt["memories"]}
    assert matched == {"": "(removed on 2026-01-23)", "user library": "pattern: commit"}


def test_a_replay_says_that_a_library_is_not_there(with_user: Library, tmp_path: Path) -> None:
    """C: nobody edited, merged or purged what is only out of reach."""
    receipt = with_user.inject("Write the commit").receipt
    with on_disk(tmp_path) as library, pytest.raises(NotReplayable, match="user library, which is not there"):
        library.replay(receipt)


def test_a_receipt_is_from_when_it_was_made(library: Library, tmp_path: Path) -> None:
    """B1: whatever moment a caller asks for is a field of its own, and changes neither id, file nor order."""
    first = library.inject(TASK, now="2031-01-01", as_of="2025-06-01").receipt
    second = library.inject("Something else").receipt
    told = [(one["id"], one["at"][:4], one["now"] and one["now"][:4], one["asOf"]) for one in kept(tmp_path)]
    assert told == [(first, "2026", "2031", "2025-06-01T23:59:59Z"), (second, "2026", None, None)]
    assert library.recall.receipts.latest()["id"] == second


@pytest.mark.parametrize("name", [None, 7, b"x", ["x"]])
def test_what_is_no_text_is_no_receipt(library: Library, name: Any) -> None:
    """C: as any other id that nobody has."""
    with pytest.raises(ReceiptNotFound):
        library.replay(name)
