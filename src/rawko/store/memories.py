"""Memories as files in a folder: the store that rawko uses unless told otherwise.

A new memory is a whole file linked to its final name; an update is appended under the lock, after a note of it
was made (see `lock`). Both are on disk before the call returns. Reading a file needs no lock: it is seen as before a
write or after it, never in between. Who looks through all of them enters what is new into the catalogue, if the lock
is free.
"""

from __future__ import annotations

import contextlib
import errno
import os
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from rawko.store import files, layout, lock
from rawko.store.catalogue import Catalogue, Row, key_of, row_of
from rawko.store.codec import MAX_BYTES, refuse_large, title_of
from rawko.store.files import ChangedMeanwhile, Stamp, Unfit
from rawko.store.layout import CACHE
from rawko.store.lock import Held, Intent
from rawko.store.log import Broken
from rawko.store.news import ALWAYS_LOOK, news
from rawko.store.plans import Batch, Plan
from rawko.store.scan import folder_stamp, folder_stamps, scan, sweep
from rawko.store.seam import Listing, News, Render, Stored, Write
from rawko.values.errors import MemoryNotFound, Problem, StoreError, StoreUnavailable, UnreadableMemory
from rawko.values.settings import Settings
from rawko.values.text import folded, names_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_TRIES = 50
_BRIEFLY = 0.1
_NOT_THERE = (FileNotFoundError, NotADirectoryError)

Answer = TypeVar("Answer")


class FileStore:
    """Memories in the files of one folder of a library."""

    def __init__(self, root: str, folder: str = "memories", settings: Settings | None = None) -> None:
        self._root = root
        self._folder = folder
        self._settings = settings or Settings()
        self._lock_name = f"{folder}.lock"
        self._was_there = False
        self._catalogue = Catalogue(os.path.join(root, CACHE, folder))

    # ------------------------------------------------------------ reading

    def names(self, title: str | None = None) -> Listing:
        """All names, or those of the memories with this title in any case."""
        with self._reading() as folder:
            if folder is None:
                return Listing(())
            if title is not None:
                return Listing(tuple(self._titled(folder, title)))
            found = scan(folder)
            return Listing(tuple(sorted(found.stamps)), tuple(found.problems))

    def news(self, mark: str = "") -> News:
        """What changed since a mark, or everything; without reading what did not change."""
        with self._reading() as folder:
            return News("", {}) if folder is None else news(folder, self._catalogue, mark)

    def read(self, name: str) -> Stored:
        """The text of this name. Raises MemoryNotFound or UnreadableMemory."""
        with self._reading() as folder:
            if folder is None:
                raise MemoryNotFound(f"there is no memory {name!r}")
            return Stored(name, self._whole(folder, name)[0])

    def _whole(self, folder: int, name: str) -> tuple[bytes, Stamp]:
        """A file's bytes and stamp, without an append that somebody is in the middle of."""
        for _ in range(_TRIES):
            data, status = self._read(folder, name)
            for intent in self.pending():
                if intent.name == name and files.is_unfinished(data[intent.size :], intent.data):
                    data = data[: intent.size]
                    return data, Stamp.of(status)._replace(size=len(data))
            if len(data) == status.st_size == self._size(folder, name, status.st_ino):
                break
        return data, Stamp.of(status)

    def _read(self, folder: int, name: str) -> tuple[bytes, os.stat_result]:
        try:
            return files.read(folder, name, MAX_BYTES)
        except Unfit as unfit:
            raise UnreadableMemory((Problem(name, unfit.reason, unfit.hint),)) from unfit
        except (FileNotFoundError, NotADirectoryError) as error:
            raise MemoryNotFound(f"there is no memory {name!r}") from error
        except PermissionError as error:
            raise UnreadableMemory((Problem(name, "no permission to read it", "check its mode"),)) from error
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                raise MemoryNotFound(f"there is no memory {name!r}") from error
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise UnreadableMemory((Problem(name, reason, "is the file or the disk damaged?"),)) from error

    def _size(self, folder: int, name: str, inode: int) -> int | None:
        try:
            with files.parent(folder, name) as (inside, last):
                status = os.stat(last, dir_fd=inside, follow_symlinks=False)
                return status.st_size if status.st_ino == inode else None
        except OSError:
            return None

    # ------------------------------------------------------------ writing

    def append(self, writes: Sequence[Write]) -> list[Stored]:
        """Do all of the writes, or on failure none, durably; returns each text as it is afterwards."""
        durability = self._settings.durability
        sync = durability == "full" or (durability == "batch" and len(writes) > 1)
        with self._writing() as (folder, held):
            for _ in range(_TRIES):
                chosen, plans = self._plan(folder, writes)
                quiet = self._is_quiet(folder)
                try:
                    self._carry_out(folder, held, plans, sync=sync)
                except (ChangedMeanwhile, FileExistsError):
                    self._look_around(folder, locked=True)
                    continue
                self._record(folder, plans, quiet=quiet)
                return [Stored(plan.name, plan.data, plan.is_new) for plan in chosen]
        raise _too_busy()

    def rewrite(self, name: str, render: Render) -> Stored:
        """Replace a text: only for removing what must not be kept."""
        with self._writing() as (folder, _), files.typed(f"cannot rewrite {name}"):
            for _ in range(_TRIES):
                before, stamp = self._whole(folder, name)
                data = render(Stored(name, before))
                refuse_large(name, data)
                try:
                    with files.parent(folder, name) as (inside, last):
                        files.replace(inside, last, stamp, data)
                except ChangedMeanwhile:
                    continue
                sweep(folder, scan(folder).leftovers, older_than=0)
                # What is recorded of it, the title included, may be what had to go; of the others it is still needed.
                self._keep_rows(row for row in self._known_rows() if row.name != name)
                return Stored(name, data)
        raise _too_busy()

    def close(self) -> None:
        """Close the catalogue."""
        self._catalogue.close()

    # ------------------------------------------------------------ for `examine`

    def rows(self) -> list[Row]:
        """What the catalogue has recorded of every file, after a look at all of them."""
        with self._reading() as folder:
            if folder is None:
                return []
            self._look_around(folder, locked=False)
            return self._ask(folder, Catalogue.rows)

    def leftovers(self) -> list[str]:
        """The temporary files that lie around."""
        with self._reading() as folder:
            return scan(folder).leftovers if folder is not None else []

    def pending(self) -> list[Intent]:
        """The appends that a writer noted and has not finished."""
        return lock.note(os.path.join(self._root, CACHE, self._lock_name))

    def repair(self) -> list[str]:
        """Finish what was interrupted, remove temporary files, record every file as it is now."""
        with self._writing() as (folder, _):
            removed = sweep(folder, scan(folder).leftovers, older_than=0)
            self._look_around(folder, locked=True)
            # An edit is accepted. Bytes that changed by themselves are not: no record of ours can mend them.
            self._keep_rows(row._replace(edited=False) for row in self._known_rows())
            return removed

    def _plan(self, folder: int, writes: Sequence[Write]) -> tuple[list[Plan], list[Plan]]:
        """What each write comes to, and what that comes to for each file."""
        if all(write.name for write in writes):
            with contextlib.suppress(Broken):  # then recording what is written builds a new one
                self._catalogue.catch_up()
        else:
            self._catch_up(folder, ALWAYS_LOOK, locked=True)
        batch, chosen = Batch(), []
        for write in writes:
            plan = self._target(folder, write, batch)
            batch.add(plan)
            is_new = plan.existing is None and not plan.added
            plan.added.append(write.render(None if is_new else Stored(plan.name, plan.data)))
            refuse_large(plan.name, plan.data)
            chosen.append(plan)
        return chosen, list(batch.plans.values())

    def _target(self, folder: int, write: Write, batch: Batch) -> Plan:
        """The file that a write goes to: one of this batch, one that is there, or a new one."""
        if not write.name and (plan := batch.new.get(write.title)):
            return plan
        name, is_new = (write.name, False) if write.name else self._find_or_name(folder, write.title, batch)
        if is_new:
            return Plan(name, write.title, None)
        return batch.plans.get(name) or Plan(name, "", self._whole(folder, name)[0])

    def _find_or_name(self, folder: int, title: str, batch: Batch) -> tuple[str, bool]:
        """The file with exactly this title, or else a name for a new one."""
        for number, name in enumerate(names_for(title)):
            titled, is_taken = self._ask(folder, partial(Catalogue.place, title=title, name=name), locked=True)
            is_there = files.exists(folder, name)
            # Whatever the catalogue says, the file that has the name may have the title as well.
            for found in (*(() if number else titled), *([name] if is_there else ())):
                if (seen := self._look(folder, found)) and seen[0] == title:
                    return found, False
            if not (is_taken or is_there or folded(name) in batch.forms):
                return name, True
        raise AssertionError("there is always a next number")

    def _carry_out(self, folder: int, held: Held, plans: list[Plan], *, sync: bool) -> None:
        appends = [
            Intent(plan.name, len(plan.existing), b"".join(plan.added)) for plan in plans if plan.existing is not None
        ]
        creates = [plan for plan in plans if plan.existing is None]
        created: list[str] = []
        names = ", ".join(plan.name for plan in plans[:3])
        with files.typed(f"cannot write {names}"):
            if appends:
                held.intend(appends, sync=sync)
            try:
                for intent in appends:
                    with files.parent(folder, intent.name) as (inside, last):
                        files.append(inside, last, intent.size, intent.data, sync=sync)
                for plan in creates:
                    plan.stamp = files.create(folder, plan.name, plan.data, sync=sync)
                    created.append(plan.name)
                if created and sync:
                    os.fsync(folder)
            except BaseException:
                self._undo(folder, held, appends, created)
                raise
            if appends:
                held.done()

    def _undo(self, folder: int, held: Held, appends: list[Intent], created: list[str]) -> None:
        """Bring back the state before the batch; what cannot be taken back now stays noted for the next writer."""
        for name in created:
            files.remove(folder, name)
        with contextlib.suppress(OSError):
            self._take_back(folder, appends, whole=True)
            held.done()

    def _take_back(self, folder: int, intents: list[Intent], *, whole: bool) -> None:
        for intent in intents:
            with contextlib.suppress(*_NOT_THERE), files.parent(folder, intent.name) as (inside, last):
                files.take_back(inside, last, intent.size, intent.data, whole=whole)

    # ------------------------------------------------------------ folders and the lock

    @contextlib.contextmanager
    def _reading(self) -> Iterator[int | None]:
        """The folder, or None where nothing was ever kept. A folder that went missing is an error, not empty."""
        descriptors: list[int] = []
        with files.typed(f"cannot read {self._folder}"):
            try:
                try:
                    descriptors.append(files.open_folder(self._root))
                    descriptors.append(files.open_folder(self._folder, descriptors[0]))
                    self._was_there = True
                except FileNotFoundError as error:
                    self._refuse_missing(error)
                yield descriptors[1] if len(descriptors) > 1 else None
            finally:
                files.close(*reversed(descriptors))

    def _refuse_missing(self, error: OSError) -> None:
        try:
            self._catalogue.catch_up()
            is_known = self._catalogue.exists() and self._catalogue.has_more_than(0)
        except Broken:
            is_known = False
        if is_known or self._was_there or not os.path.isdir(self._root):
            hint = "moved, not mounted, or not on this branch of git? `rawko init` makes it anew"
            raise StoreUnavailable(f"cannot open {self._folder}: {error.strerror}", hint=hint) from error

    @contextlib.contextmanager
    def _writing(self, timeout: float | None = None) -> Iterator[tuple[int, Held]]:
        """The folder, made if need be, and the lock on it, with whatever a dead writer left put right."""
        timeout = self._settings.lock_timeout if timeout is None else timeout
        descriptors: list[int] = []
        held: Held | None = None
        with files.typed(f"cannot write to {self._folder}"):
            try:
                descriptors.append(files.open_folder(self._root))
                descriptors.append(layout.open_cache(descriptors[0]))
                held = lock.acquire(descriptors[1], self._lock_name, timeout)
                descriptors.append(held.descriptor)  # the lock is free when this is closed
                folder = self._folder_to_write(descriptors[0])
                descriptors.append(folder)
                if pending := held.pending():
                    self._take_back(folder, pending, whole=False)
                    held.done()
                yield folder, held
            finally:
                if held:
                    held.release()
                files.close(*reversed(descriptors))

    def _folder_to_write(self, root: int) -> int:
        try:
            return files.open_folder(self._folder, root)
        except FileNotFoundError as error:
            self._refuse_missing(error)
            return files.open_folder(self._folder, root, make=True)

    # ------------------------------------------------------------ the catalogue

    def _catch_up(self, folder: int, always_look: int, *, locked: bool = False) -> None:
        """Make sure that the catalogue knows every file."""
        try:
            self._catalogue.catch_up()
            if self._is_quiet(folder) and self._catalogue.has_more_than(always_look):
                return
        except Broken:
            pass  # looking around builds a new one
        self._look_around(folder, locked=locked)

    def _is_quiet(self, folder: int) -> bool:
        """Whether no folder has changed since everything in it was last known."""
        folders = self._catalogue.folders()
        return bool(folders) and folders == folder_stamps(folder, folders)

    def _titled(self, folder: int, title: str) -> list[str]:
        """The files with this title in any case; before saying that there is none, a look at every file."""
        self._catch_up(folder, -1)
        titled, _ = self._ask(folder, partial(Catalogue.place, title=title, name=""))
        names = [name for name in titled if self._has_title(folder, name, title)]
        if names or files.exists(folder, title) or files.exists(folder, f"{title}.md"):
            return names  # what is the name of a file is hardly a title
        self._look_around(folder, locked=False)
        rows = self._ask(folder, Catalogue.rows)
        return [row.name for row in rows if row.key == key_of(title) and not row.missing]

    def _has_title(self, folder: int, name: str, title: str) -> bool:
        seen = self._look(folder, name)
        return seen is not None and key_of(seen[0]) == key_of(title)

    def _ask(self, folder: int, question: Callable[[Catalogue], Answer], *, locked: bool = False) -> Answer:
        """What the catalogue answers; one that cannot answer is built again, on disk with the lock, else in memory."""
        try:
            return question(self._catalogue)
        except Broken:
            if locked:
                self._catalogue.discard()
            else:
                self._catalogue = Catalogue(None)
        self._look_around(folder, locked=locked)
        return question(self._catalogue)

    def _look_around(self, folder: int, *, locked: bool) -> None:
        """Bring the catalogue up to date: on disk with the lock, and in memory where there is none to be had."""
        if locked:
            self._refresh(folder, keep=True)
            return
        try:
            with self._writing(timeout=_BRIEFLY):
                self._refresh(folder, keep=True)
        except StoreError:
            self._refresh(folder, keep=False)

    def _refresh(self, folder: int, *, keep: bool) -> None:
        found = scan(folder)
        if keep:
            sweep(folder, found.leftovers)
        for catalogue in (self._catalogue, self._catalogue, Catalogue(None)):
            try:
                catalogue.refresh(found, lambda name: self._look(folder, name), keep=keep)
            except Broken:
                if keep:
                    catalogue.discard()
            else:
                self._catalogue = catalogue
                return

    def _look(self, folder: int, name: str) -> tuple[str | None, bytes, Stamp] | None:
        try:
            data, stamp = self._whole(folder, name)
        except (UnreadableMemory, MemoryNotFound):
            return None
        return title_of(data), data, stamp

    def _known_rows(self) -> list[Row]:
        """What is recorded of the files that are there, or nothing where that cannot be read."""
        try:
            self._catalogue.catch_up()
            return [row for row in self._catalogue.rows() if not row.missing]
        except Broken:
            return []

    def _keep_rows(self, rows: Iterable[Row]) -> None:
        """Begin the catalogue anew with no more than these rows; the next look at the files adds the others."""
        kept = list(rows)
        self._catalogue.discard()
        with contextlib.suppress(Broken):
            self._catalogue.record(kept, {})

    def _record(self, folder: int, plans: list[Plan], *, quiet: bool) -> None:
        """Enter what was just written. The files are safe already, so nothing here may fail the call."""
        try:
            rows = [self._row(folder, plan) for plan in plans]
            folders = self._catalogue.folders()
            if any(plan.stamp for plan in plans):  # a new file: else the next one looks what else is new
                folders = folders | {"": folder_stamp(folder)} if quiet else {}
            self._catalogue.record(rows, folders)
        except Exception:  # noqa: BLE001 - whatever is wrong with what is derived, it is derived again
            self._catalogue.discard()

    def _row(self, folder: int, plan: Plan) -> Row:
        """What to record of a file; one that was there before is read again, for somebody may have edited it too."""
        data, stamp = (plan.data, plan.stamp) if plan.stamp else self._whole(folder, plan.name)
        title = plan.title if plan.title and data == plan.data else title_of(data)
        old = None if plan.existing is None else self._catalogue.known(plan.name)
        return row_of(plan.name, title, data, stamp, old)


def _too_busy() -> StoreUnavailable:
    return StoreUnavailable("somebody keeps changing the files", hint="do it again when it is quiet")
