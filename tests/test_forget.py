"""The one exception to append-only: what must not be kept goes for good, and nothing else goes with it."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from rawko.store import codec
from rawko.values.errors import InvalidMemory, MemoryNotFound
from samples import data, everything, open_library, put, raw, remember, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rawko.library import Library
    from rawko.store.seam import Stored
    from rawko.testing import FixedClock

NOW = datetime(2026, 1, 23, 10, 30, tzinfo=UTC)
SECRET = "hunter2_secret"
BROKEN = data(importance="urgent", title='"Broken"', body=SECRET)


def refused(call: Callable[[], object]) -> InvalidMemory:
    """How a call is refused."""
    with pytest.raises(InvalidMemory) as caught:
        call()
    return caught.value


def traces(folder: Path, text: str) -> list[str]:
    """The files of a library, its cache included, that hold a text."""
    found = [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]
    return [path.name for path in found]


@pytest.mark.parametrize("text", [None, SECRET])
def test_nothing_is_forgotten_without_purge(library: Library, text: str | None) -> None:
    """B1: the one way to lose something has to be asked for, and the hint says how."""
    remember(library, content=SECRET)
    assert "purge=True" in refused(lambda: library.forget("Redis", purge=False, text=text)).hint
    assert SECRET in raw(library)


def test_a_forgotten_memory_says_nothing_any_more(library: Library, clock: FixedClock) -> None:
    """DESIGN 3: its text, title, patterns, tags and updates are gone; a dated stub says so."""
    remember(library, f"Title {SECRET}", SECRET, when_to_use=SECRET, tags=[SECRET], task=SECRET, source=SECRET)
    name = library.update(f"Title {SECRET}", SECRET, agent=SECRET).file
    clock.advance(days=1)
    memory = library.forget(f"Title {SECRET}", purge=True, reason="It held a key.", agent="ada")
    assert memory is not None
    assert SECRET not in raw(library, name)
    assert (memory.status, memory.title, memory.body) == ("forgotten", "Forgotten on 2026-01-24", "It held a key.")
    assert (memory.discovered_by, memory.discovered_at) == ("ada", NOW + timedelta(days=1))


def test_a_forgotten_title_is_not_found(library: Library) -> None:
    """What it was called is gone too, and the title makes a new memory."""
    remember(library, "Deploy key", SECRET)
    library.forget("Deploy key", purge=True)
    assert library.store.names("Deploy key").names == ()
    assert remember(library, "Deploy key", "Ask Ada.").file == "deploy-key-2.md"


def test_a_forgotten_text_leaves_the_rest(library: Library, clock: FixedClock) -> None:
    """DESIGN 3: every occurrence gets a dated mark, and an update says why; nothing else changes."""
    remember(library, content=f"The key is {SECRET}, the job `release`.")
    library.update("Redis", f"Again: {SECRET}", agent="tester")
    clock.advance(days=1)
    memory = library.forget("Redis", purge=True, text=SECRET, reason="It leaked.")
    assert memory is not None
    assert [part.content for part in memory.statements] == [
        "The key is (removed on 2026-01-24), the job `release`.",
        "Again: (removed on 2026-01-24)",
        "It leaked. (removed on 2026-01-24)",
    ]
    assert (memory.title, memory.status, memory.updates[0].by) == ("Redis", "active", "tester")


@pytest.mark.parametrize("text", ['pa"ss', "pa\\ss", "a>b-->c", "zero\u200bwidth", "two\nlines", "tab\there"])
def test_a_text_goes_however_it_is_spelt(library: Library, text: str) -> None:
    """Frontmatter and comments escape some characters; what is removed is removed there too."""
    name = remember(library, f"A {text}", f"x {text} y", when_to_use=text, tags=[text], task=text, source=text).file
    library.update(name, f"{text}.", task=text, when_to_use=[f"{text}?"])
    memory = library.forget(name, purge=True, text=text)
    assert memory is not None
    said = [memory.title, memory.content, memory.source, memory.first.task, memory.updates[0].task]
    assert [value for value in (*said, *memory.when_to_use, *memory.tags) if text in str(value)] == []


def test_a_text_goes_from_a_file_with_other_line_ends(library: Library) -> None:
    """A text of several lines is found where the file ends its lines with CRLF."""
    put(library, "redis", data(body="one\ntwo\nthree").replace(b"\n", b"\r\n"))
    memory = library.forget("redis.md", purge=True, text="two\nthree")
    assert memory is not None
    assert memory.body == "one\n(removed on 2026-01-23)"


def test_the_name_of_an_author_can_be_forgotten(library: Library) -> None:
    """Personal data stands where YAML has no quotes as well, and the memory can still be read."""
    remember(library, content="Ask alice.", agent="alice", tags=["alice", "failures"])
    memory = library.forget("Redis", purge=True, text="alice")
    assert memory is not None
    assert (memory.discovered_by, memory.tags[1]) == ("(removed on 2026-01-23)", "failures")
    assert "alice" not in raw(library)


@pytest.mark.parametrize("text", ["nothing of the kind", "start it."])
def test_a_text_that_is_not_there_is_not_forgotten(library: Library, text: str) -> None:
    """Nobody is told that something is gone when nothing was found."""
    remember(library, content="Start it.")
    before = everything(library)
    assert "exactly" in refused(lambda: library.forget("Redis", purge=True, text=text)).hint
    assert everything(library) == before


@pytest.mark.parametrize("text", ["importance", "high", "2026-01-23T10:30:00Z", "---"])
def test_a_text_without_which_nothing_could_be_read_stays(library: Library, text: str) -> None:
    """Forgetting a text never costs the memory; the hint says how to let all of it go."""
    put(library, "redis", data())
    assert "all goes" in refused(lambda: library.forget("redis.md", purge=True, text=text)).hint
    assert everything(library) == {"redis.md": data()}


def test_a_text_in_a_spelling_of_its_own_is_not_forgotten_by_half(library: Library) -> None:
    """Where the memory would still say it, nothing is changed and the person learns so."""
    content = data(title="'It''s here'", body="It's here.")
    put(library, "redis", content)
    assert "editor" in refused(lambda: library.forget("redis.md", purge=True, text="It's")).hint
    assert everything(library) == {"redis.md": content}


def test_a_reason_does_not_say_it_again(library: Library) -> None:
    """The stub would keep what was to go."""
    remember(library, content=SECRET)
    assert refused(lambda: library.forget("Redis", purge=True, text=SECRET, reason=f"{SECRET} leaked")).hint
    assert library.get("Redis").updates == ()


def test_an_unreadable_memory_can_be_forgotten(library: Library) -> None:
    """A secret does not wait until a file is mended; the stub can be read."""
    put(library, "broken", BROKEN)
    memory = library.forget("broken", purge=True)
    assert memory is not None
    assert memory.status == "forgotten"
    assert SECRET not in raw(library, "broken.md")


def test_a_text_of_an_unreadable_memory_can_be_forgotten(library: Library) -> None:
    """The text goes, the file is as broken as before, and that is what None says."""
    put(library, "broken", BROKEN)
    assert library.forget("broken", purge=True, text=SECRET) is None
    assert raw(library, "broken.md").encode() == BROKEN.replace(SECRET.encode(), b"(removed on 2026-01-23)")


def test_what_is_not_there_cannot_be_forgotten(library: Library) -> None:
    """There is nothing to remove."""
    with pytest.raises(MemoryNotFound):
        library.forget("Redis", purge=True)


@pytest.mark.parametrize("text", [None, SECRET])
def test_a_forgotten_text_is_in_no_file_of_the_library(tmp_path: Path, files: Library, text: str | None) -> None:
    """DESIGN 3: nor in the catalogue, the journal of the lock, or what a killed writer left."""
    remember(files, f"About {SECRET}", SECRET)
    files.update(f"About {SECRET}", SECRET)
    files.resolve(f"about {SECRET}")
    write(tmp_path, ".tmp-0123", SECRET)
    assert {".tmp-0123", "memories.log"} <= set(traces(tmp_path, SECRET))
    files.forget(f"About {SECRET}", purge=True, text=text)
    assert traces(tmp_path, SECRET) == []


def test_a_memory_in_a_folder_can_be_forgotten(tmp_path: Path, files: Library) -> None:
    """K39: where it lies makes no difference."""
    path = write(tmp_path, "api/keys.md", data(title="Keys", body=SECRET))
    files.forget("Keys", purge=True, text=SECRET)
    assert path.read_bytes().startswith(data(title="Keys", body="(removed on 2026-01-23)"))
    assert traces(tmp_path, SECRET) == []


def test_whoever_has_the_library_open_sees_that_it_is_gone(tmp_path: Path, files: Library) -> None:
    """Another process does not go on finding it."""
    remember(files, "Deploy key", SECRET)
    other = open_library("files", tmp_path)
    assert other.get("Deploy key").body == SECRET
    files.forget("Deploy key", purge=True)
    assert other.get("deploy-key.md").status == "forgotten"
    assert other.store.names("Deploy key").names == ()


def test_what_was_private_stays_private(tmp_path: Path, files: Library) -> None:
    """A file that only its owner may read is so afterwards."""
    remember(files, "Redis", SECRET)
    path = tmp_path / ".rawko" / "memories" / "redis.md"
    path.chmod(0o600)
    files.forget("Redis", purge=True, text=SECRET)
    assert path.stat().st_mode & 0o777 == 0o600


def test_no_checksum_is_left_to_guess_by(library: Library) -> None:
    """Whoever knows the rest of a text could try what was removed until the checksum fits."""
    remember(library, "Redis")
    before = library.update("Redis", f"The password is {SECRET}.").updates[0]
    library.forget("Redis", purge=True, text=SECRET)
    assert codec.encode_update(before, b"").split(b'"sum": "')[1][:12].decode() not in raw(library)


def test_text_that_looks_like_a_checksum_stays(library: Library) -> None:
    """Only what was asked for goes."""
    kept = '{"a": 1, "lines": "42", "sum": "00ff"}'
    remember(library, "Redis", f"{SECRET}\n\n{kept}")
    library.forget("Redis", purge=True, text=SECRET)
    assert kept in library.get("Redis").content


@pytest.mark.parametrize("front", ['note: "{}"', 'tags: ["{}"]', 'nested: {{deep: ["{}"]}}'])
def test_a_text_in_another_spelling_is_found_in_any_key(tmp_path: Path, files: Library, front: str) -> None:
    """What YAML spells with escapes is not missed, not even under a key that rawko does not know."""
    escaped = "".join(f"\\x{ord(char):02x}" for char in SECRET)
    key, _, value = front.format(escaped).partition(": ")
    write(tmp_path, "redis.md", data(body=SECRET, **{"title": "Redis", key: value}))
    with pytest.raises(InvalidMemory, match="spells that text"):
        files.forget("Redis", purge=True, text=SECRET)


def test_a_purge_that_would_make_a_file_too_large_is_refused(library: Library) -> None:
    """The mark is longer than what it stands for; what could not be read afterwards is not written."""
    remember(library, "Redis", "x" * 1_000_000)
    with pytest.raises(InvalidMemory, match="would grow"):
        library.forget("Redis", purge=True, text="x")
    assert library.get("Redis").body == "x" * 1_000_000


def test_a_purge_does_not_undo_an_edit(tmp_path: Path, files: Library) -> None:
    """H4: what somebody adds while the file is being rewritten is still there, and the secret is gone."""
    remember(files, "Redis", f"The password is {SECRET}.")
    path, edits = tmp_path / ".rawko" / "memories" / "redis.md", iter(["\nAdded by hand.\n"])

    def render(stored: Stored | None) -> bytes:
        assert stored is not None
        for edit in itertools.islice(edits, 1):
            path.write_bytes(path.read_bytes() + edit.encode())
        return stored.data.replace(SECRET.encode(), b"gone")

    files.store.rewrite("redis.md", render)
    assert "Added by hand." in path.read_text()
    assert SECRET not in path.read_text()


def test_what_was_forgotten_stays_forgotten(library: Library) -> None:
    """A stub can neither be restored nor added to: there is nothing left to restore."""
    name = remember(library, "Redis", SECRET).file
    library.forget("Redis", purge=True)
    with pytest.raises(InvalidMemory, match="gone for good"):
        library.restore(name, "It was needed.")
    with pytest.raises(InvalidMemory, match="gone for good"):
        library.update(name, "More.")
