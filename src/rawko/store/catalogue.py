"""Which file has which title: a derived table that makes finding one as cheap among 100,000 as among ten.

It also records a digest of what each file held when it was last written or first seen, so that damage can be
told from change. It may be deleted at any time; what is wrong with it is never an error, only a reason to
build it again. A file that is missing is marked so and not forgotten: a folder that is not mounted looks the
same as one whose files were all deleted.

The table is SQLite, and before it a log of the latest rows: a write costs one line, and every few hundred lines
are folded into the table together. Both are changed only by whoever holds the store's lock.
"""

from __future__ import annotations

import os
import threading
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from rawko.store.files import Stamp
from rawko.store.log import FORMAT, Broken, Log
from rawko.store.table import Table
from rawko.values.text import folded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rawko.store.scan import Scan

    Look = Callable[[str], tuple[str | None, bytes, Stamp] | None]

_FOLD_AFTER = 64 * 1024
_FOLD_ROWS = 256
_SCHEMA = """
CREATE TABLE IF NOT EXISTS memory (
    name TEXT PRIMARY KEY, key TEXT, mtime_ns INTEGER NOT NULL, size INTEGER NOT NULL, inode INTEGER NOT NULL,
    digest BLOB NOT NULL, edited INTEGER NOT NULL, missing INTEGER NOT NULL, folded TEXT, sum INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS memory_key ON memory (key);
CREATE INDEX IF NOT EXISTS memory_folded ON memory (folded) WHERE folded IS NOT NULL;
CREATE TABLE IF NOT EXISTS folder (name TEXT PRIMARY KEY, mtime_ns INTEGER NOT NULL) WITHOUT ROWID;
"""


class Row(NamedTuple):
    """What is known of one file; the key is its title as titles are compared, None where it has none."""

    name: str
    key: str | None
    stamp: Stamp
    digest: bytes
    edited: bool = False
    missing: bool = False


def key_of(title: str | None) -> str | None:
    """A title as titles are compared."""
    return None if title is None else folded(title)


def digest(data: bytes) -> bytes:
    """The fingerprint under which a file's bytes are recorded."""
    import hashlib  # noqa: PLC0415 - loading it takes time, and who only reads does without

    return hashlib.sha256(data).digest()


class Catalogue:
    """The table and its log on disk, or all of it in memory where the disk will not have it."""

    def __init__(self, path: str | None) -> None:
        self.path = path
        self._owner = 0
        self._guard = threading.RLock()
        self._table = Table(path + ".sqlite" if path else None, _SCHEMA, FORMAT)
        self._log = Log(path + ".log" if path else None)
        self._recent = _Recent()
        self._unkept: dict[str, Row] = {}  # what was seen without the lock, for whoever next writes with it
        self._folders: dict[str, int] | None = None
        self._least = 0  # how many rows the table is known to have; it only grows

    @property
    def _mine(self) -> threading.RLock:
        """The guard; in a forked process a new one, without whatever the parent was in the middle of."""
        if self._owner != os.getpid():
            self._owner, self._guard = os.getpid(), threading.RLock()
            self._table.abandon()
            self._forget()
        return self._guard

    def _forget(self) -> None:
        self._recent, self._unkept, self._folders = _Recent(), {}, None
        self._log.forget_position()

    def exists(self) -> bool:
        """Whether anything was ever recorded on disk."""
        return self.path is not None and os.path.exists(self.path + ".log")

    def place(self, title: str, name: str) -> tuple[list[str], bool]:
        """The files that have this title in any case, and whether some file has this name on some file system."""
        with self._mine:
            key, form = folded(title), folded(name)
            rows = [row for row in self._table.ask(_PLACE, key, form) if row[1] not in self._recent.rows]
            titled = [found for by_title, found in rows if by_title]
            is_taken = len(titled) < len(rows) or bool(self._recent.forms.get(form))
            return sorted([*titled, *self._recent.keys.get(key, ())]), is_taken

    def has_more_than(self, count: int) -> bool:
        """Whether more files than this are known, the missing ones included."""
        with self._mine:
            if len(self._recent.rows) > count or self._least > count:
                return True
            if self._table.ask("SELECT 1 FROM memory LIMIT 1 OFFSET ?", count):
                self._least = count + 1
            return self._least > count

    def folders(self) -> dict[str, int]:
        """The folders as they were when everything in them was last known."""
        with self._mine:
            return self._folders or {}

    def rows(self) -> list[Row]:
        """Everything that is known."""
        with self._mine:
            rows = {row[0]: _from_table(row) for row in self._table.ask(_ALL)}
            rows.update(self._recent.rows)
            return [rows[name] for name in sorted(rows)]

    def written(self) -> str:
        """The end of the log, for `since`; nothing where there is no log."""
        with self._mine:
            try:
                return self._log.end()
            except Broken:
                return ""

    def since(self, place: str) -> tuple[list[Row], dict[str, int] | None, str]:
        """The rows recorded since a place, the folders as last recorded, and the place after them. Raises Broken."""
        with self._mine:
            lines, after = self._log.since(place)
            rows = [_unpacked(row) for line in lines for row in line["rows"]]
            return rows, dict(lines[-1]["folders"]) if lines else None, after

    def known(self, name: str) -> Row | None:
        """What is known of one file."""
        with self._mine:
            recent = self._recent.rows.get(name)
            return recent or next(map(_from_table, self._table.ask(f"{_ALL} WHERE name = ?", name)), None)

    def record(self, rows: Iterable[Row], folders: dict[str, int], *, keep: bool = True) -> None:
        """Take in what was written or seen since `catch_up`; with `keep`, which needs the lock, on disk as well."""
        with self._mine:
            changed = [*self._unkept.values(), *rows]
            self._unkept = {} if keep else {row.name: row for row in changed}
            few = len(changed) < _FOLD_ROWS
            if keep and few:
                self._log.write({"rows": [_packed(row) for row in changed], "folders": folders})
            for row in changed:
                self._recent.take(row)
            self._folders = folders
            if keep and (not few or self._log.size > _FOLD_AFTER):
                self._put(self._recent.rows.values(), folders)
                self._log.clear()
                self._recent = _Recent()

    def _put(self, rows: Iterable[Row], folders: dict[str, int]) -> None:
        """Enter rows and folders into the table in one transaction."""
        values = [(*_flat(row), _other_form(row.name), _sum(_flat(row))) for row in rows]
        with self._table.changing() as connection:
            connection.executemany("INSERT OR REPLACE INTO memory VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
            connection.execute("DELETE FROM folder")
            connection.executemany("INSERT INTO folder VALUES (?, ?)", folders.items())

    def refresh(self, scan: Scan, look: Look, *, keep: bool) -> None:
        """Bring the table up to what a scan found; `look` reads a file that is new or changed."""
        self.catch_up()
        known = {row.name: row for row in self.rows()}
        rows = [
            row._replace(missing=True) for name, row in known.items() if name not in scan.stamps and not row.missing
        ]
        for name, stamp in scan.stamps.items():
            old = known.get(name)
            if old and old.stamp == stamp:
                if old.missing:
                    rows.append(old._replace(missing=False))
                continue
            seen = look(name)
            if seen:
                rows.append(row_of(name, *seen, old))
        if rows or scan.folders != self.folders():
            self.record(rows, scan.folders, keep=keep)

    def discard(self) -> None:
        """Throw everything away; the next question builds an empty table."""
        with self._mine:
            self._table.discard()
            self._log.discard()
            self._forget()
            self._least = 0

    def close(self) -> None:
        """Close what this process opened."""
        with self._mine:
            self._table.close()
            self._forget()

    def catch_up(self) -> None:
        """Read what other processes recorded since; to be called once before a round of questions."""
        with self._mine:
            self._catch_up()

    def _catch_up(self) -> None:
        try:
            lines, restarted = self._log.news()
            if restarted or self._folders is None:
                self._table.close()  # whoever began the log anew may have replaced the table
                self._recent, self._unkept = _Recent(), {}
                self._folders = dict(self._table.ask("SELECT name, mtime_ns FROM folder"))
            for line in lines:
                for row in line["rows"]:
                    self._recent.take(_unpacked(row))
                self._folders = dict(line["folders"])
        except (Broken, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            self._log.forget_position()  # not all that was read of it was taken in
            raise Broken(str(error)) from error


_PLACE = """
SELECT 1, name FROM memory WHERE key = ?1 AND NOT missing
UNION ALL SELECT 0, name FROM memory WHERE name = ?2 AND NOT missing
UNION ALL SELECT 0, name FROM memory WHERE folded = ?2 AND NOT missing
"""
_ALL = "SELECT name, key, mtime_ns, size, inode, digest, edited, missing, sum FROM memory"


class _Recent:
    """The rows that are not in the table yet, by name, by title and by the form in which names collide."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}
        self.keys: dict[str | None, set[str]] = {}
        self.forms: dict[str, set[str]] = {}

    def take(self, row: Row) -> None:
        """Take in a row in place of an older one of the same name."""
        old = self.rows.get(row.name)
        if old and not old.missing:
            self.keys[old.key].discard(row.name)
            self.forms[folded(row.name)].discard(row.name)
        self.rows[row.name] = row
        if not row.missing:
            self.keys.setdefault(row.key, set()).add(row.name)
            self.forms.setdefault(folded(row.name), set()).add(row.name)


def _flat(row: Row) -> tuple[object, ...]:
    return (row.name, row.key, *row.stamp, row.digest, int(row.edited), int(row.missing))


def _from_table(row: tuple[Any, ...]) -> Row:
    *values, total = row
    if _sum(values) != total:
        raise Broken("a row is damaged")
    return Row(row[0], row[1], Stamp(*row[2:5]), row[5], bool(row[6]), bool(row[7]))


def _sum(values: Iterable[object]) -> int:
    """What tells a row from one in which a bit has flipped."""
    return zlib.crc32(repr(tuple(values)).encode("utf-8", "surrogatepass"))


def _packed(row: Row) -> list[object]:
    return [row.name, row.key, list(row.stamp), row.digest.hex(), int(row.edited), int(row.missing)]


def _unpacked(line: list[Any]) -> Row:
    name, key, stamp, digest_hex, edited, missing = line
    return Row(name, key, Stamp(*stamp), bytes.fromhex(digest_hex), bool(edited), bool(missing))


def _other_form(name: str) -> str | None:
    """The form under which a name would collide with another, where that is not the name itself."""
    form = folded(name)
    return form if form != name else None


def row_of(name: str, title: str | None, data: bytes, stamp: Stamp, old: Row | None) -> Row:
    """The row for a file that was read or written; bytes that changed where they should only have grown are marked."""
    grown = old is None or digest(data[: old.stamp.size]) == old.digest
    return Row(name, key_of(title), stamp, digest(data), edited=not grown or (old is not None and old.edited))
