"""What can be found by which words and patterns: derived from the files, and built again whenever in doubt.

One SQLite file holds each document as it is ranked, FTS5 says which documents have a term, and small tables
say how many have it and which patterns begin where. Which documents may answer a question is told from these alone
(see `candidates`); only the few that may are then read and compared in full.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import zlib
from typing import TYPE_CHECKING, Any

from rawko.recall import candidates, entries
from rawko.recall.embedding import cosines
from rawko.store.log import Broken
from rawko.store.seal import Unwritable
from rawko.store.table import Table
from rawko.values.document import FIELDS, Document, Figures
from rawko.values.errors import LockTimeout, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rawko.recall.candidates import Question
    from rawko.recall.embedding import Embedder
    from rawko.store.seal import Seal
    from rawko.store.seam import News

    Ask = Callable[[str], News]
    Make = Callable[[str, int | None], Document | None]

FORMAT = 7
_BATCH = 2000
_EMBEDDED = 16
_SCANNED = 20_000
_MOST = 0.9
_SCHEMA = """
CREATE TABLE document (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, version TEXT NOT NULL, place TEXT NOT NULL,
    position INTEGER NOT NULL, data BLOB NOT NULL, sum INTEGER NOT NULL, UNIQUE (name)
);
CREATE INDEX document_problem ON document (name) WHERE kind = 'problem';
CREATE INDEX document_place ON document (place, position) WHERE place != '';
CREATE TABLE term (
    term TEXT PRIMARY KEY, first INTEGER NOT NULL, second INTEGER NOT NULL, third INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE alternative (key TEXT, needle TEXT, PRIMARY KEY (key, needle)) WITHOUT ROWID;
CREATE TABLE has (
    alternative INTEGER, worth INTEGER, document INTEGER, PRIMARY KEY (alternative, worth DESC, document)
) WITHOUT ROWID;
CREATE TABLE standing (document INTEGER PRIMARY KEY, worth INTEGER NOT NULL);
CREATE TABLE vector (document INTEGER PRIMARY KEY, model TEXT NOT NULL, data BLOB NOT NULL, sum INTEGER NOT NULL);
CREATE TABLE total (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
INSERT INTO total VALUES ('mark', ''), ('count', 0), ('title', 0), ('patterns', 0), ('tags', 0), ('body', 0);
CREATE VIRTUAL TABLE word USING fts5(terms, content='', detail='none', columnsize=0, tokenize='ascii');
"""
_VERSIONS = "SELECT name, version FROM document"
_IDS = "SELECT id FROM document"
_VECTORS = "SELECT name, vector.data, vector.sum FROM vector JOIN document ON id = document WHERE model = ?"
_ALL_EMBEDDED = """
SELECT (SELECT value FROM total WHERE name = 'count') = (SELECT count(*) FROM vector WHERE model = ?)
"""
_WITHOUT_VECTOR = """
SELECT id, name FROM document WHERE kind != 'problem'
AND id NOT IN (SELECT document FROM vector WHERE model = ?) ORDER BY id
"""
_FREQUENCY = "SELECT term, first + second + third FROM term WHERE term IN (SELECT value FROM json_each(?))"
_AMONG = "IN (SELECT value FROM json_each(?))"


class Index:
    """The documents of one library, on disk under a seal, or in memory where the disk will not have them."""

    def __init__(self, seal: Seal | None = None, timeout: float = 10.0, embedder: Embedder | None = None) -> None:
        self._seal = seal
        self._embedder = embedder
        self._timeout = timeout
        self._owner = 0
        self._guard = threading.RLock()
        self._table = Table(seal.path if seal else None, _SCHEMA, FORMAT)

    @property
    def _mine(self) -> threading.RLock:
        """The guard; in a forked process a new one, and another connection."""
        if self._owner != os.getpid():
            self._owner, self._guard = os.getpid(), threading.RLock()
            self._table.abandon()
        return self._guard

    def close(self) -> None:
        """Close what this process opened."""
        with self._mine:
            self._table.close()

    def discard(self) -> None:
        """Throw everything away; the next question builds it again."""
        with self._mine:
            if self._seal is None:
                self._table.close()
                return
            try:
                with self._seal.locked(self._timeout):
                    self._table.discard()
            except Unwritable as error:
                raise error.why from error

    def begin_anew(self) -> None:
        """Throw everything away, or leave it to the disk where that cannot be."""
        try:
            self.discard()
        except StoreError:
            self.leave_the_disk()

    def leave_the_disk(self) -> None:
        """Go on in memory: the file cannot be changed, or is no good as soon as it is made."""
        with self._mine:
            self._table.close()
            self._seal, self._table = None, Table(None, _SCHEMA, FORMAT)

    # ------------------------------------------------------------ keeping up

    def refresh(self, news: Ask, make: Make, seen: Callable[[], object] | None = None) -> None:
        """Bring the index up to what there is; only what is new or changed is read."""
        with self._mine:
            for recover in (self.begin_anew, self.leave_the_disk):
                try:
                    self._believe()
                    self._catch_up(news, make, seen)
                except (Unwritable, LockTimeout, OSError):
                    self.leave_the_disk()
                except Broken:
                    recover()
                else:
                    return
            self._catch_up(news, make, seen)

    def _believe(self) -> None:
        """Make sure that the file is ours as we left it; one that is not is begun anew."""
        if self._seal is None:
            return
        if self._seal.holds():
            self._table.close_if_replaced()
            return
        with self._seal.locked(self._timeout):
            if self._seal.holds():
                self._table.close()  # somebody else has just changed or replaced it
                return
            if not self._seal.was_left_broken():
                self._table.discard()
                self._seal.discard()
            self._table.close()
            with self._seal.opened():
                self._table.ask("SELECT count(*) FROM document")

    def _catch_up(self, news: Ask, make: Make, seen: Callable[[], object] | None) -> None:
        changed, mark = self._changed(news)
        if not changed and mark is None:
            return
        with self._changing():
            changed, mark = self._changed(news)  # somebody else may have been faster
            names = list(changed)
            for start in range(0, max(len(names), 1), _BATCH):
                batch = [(name, changed[name]) for name in names[start : start + _BATCH]]
                with self._table.changing() as connection:
                    entries.Change(connection).replace(batch, make, seen)
                    if mark is not None and start + _BATCH >= len(names):
                        connection.execute("UPDATE total SET value = ? WHERE name = 'mark'", (mark,))

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        if self._seal is None:
            yield
            return
        with self._seal.locked(self._timeout), self._seal.opened():
            yield

    def _changed(self, news: Ask) -> tuple[dict[str, str | None], str | None]:
        """Each name that is new, changed (with its version) or gone (None), and the mark if there is a new one."""
        [(mark,)] = self._table.ask("SELECT value FROM total WHERE name = 'mark'")
        found = news(mark)
        rows = (
            self._table.ask(_VERSIONS)
            if found.whole
            else self._table.ask(f"{_VERSIONS} WHERE name {_AMONG}", json.dumps(list(found.versions)))
        )
        known = dict(rows)
        changed: dict[str, str | None] = {
            name: version for name, version in found.versions.items() if known.get(name) != version
        }
        if found.whole:
            changed |= dict.fromkeys(name for name in known if name not in found.versions)
        return changed, found.mark if found.mark != mark else None

    def embed(self, text_of: Callable[[str], str], most: int | None, seen: Callable[[], object] | None = None) -> int:
        """Embed documents that have no vector yet, at most so many; returns how many are left without."""
        with self._mine:
            if self._embedder is None or (most is not None and self._seal is None):
                return 0  # what is in memory alone is gone before anybody could use it
            if self._table.ask(_ALL_EMBEDDED, self._embedder.model)[0][0]:
                return 0
            rows = self._table.ask(_WITHOUT_VECTOR, self._embedder.model)
            wanted = rows[:most] if most is not None else rows
            for start in range(0, len(wanted), _EMBEDDED):
                batch = wanted[start : start + _EMBEDDED]
                vectors = self._embedder.embed([text_of(name) for _, name in batch])
                values = [
                    (number, self._embedder.model, data, zlib.crc32(data))
                    for (number, _), data in zip(batch, vectors, strict=True)
                ]
                with self._changing(), self._table.changing() as connection:
                    connection.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?)", values)
                if seen:
                    for _ in batch:
                        seen()
            return len(rows) - len(wanted)

    # ------------------------------------------------------------ answering

    def nearness(self, text: str, among: Sequence[Document] = ()) -> dict[str, float]:
        """The cosine of a text with every document that has a vector; in a large index with these documents alone."""
        with self._mine:
            if self._embedder is None or not text.strip():
                return {}
            documents = self.figures(()).documents
            [(embedded,)] = self._table.ask("SELECT count(*) FROM vector WHERE model = ?", self._embedder.model)
            if embedded < _MOST * documents:
                return {}  # those without a vector would lose against those with one
            few = documents <= _SCANNED
            query, values = (_VECTORS, ()) if few else (f"{_VECTORS} AND name {_AMONG}", (_names(among),))
            rows = self._table.ask(query, self._embedder.model, *values)
            if any(zlib.crc32(data) != total for _, data, total in rows):
                raise Broken("a vector is damaged")
            return cosines(self._embedder, text, rows)

    def figures(self, terms: Iterable[str]) -> Figures:
        """How many documents there are, how long, and how many of them have each of these terms."""
        with self._mine:
            totals = dict(self._table.ask("SELECT name, value FROM total"))
            wanted = json.dumps(list(terms))
            frequency = dict(self._table.ask(_FREQUENCY, wanted))
            count = totals["count"]
            return Figures(count, tuple(totals[field] / max(count, 1) for field in FIELDS), frequency)

    def candidates(self, question: Question) -> list[Document]:
        """The documents that may answer a question."""
        with self._mine:
            return self._documents(candidates.of(self._table, question))

    def around(self, found: Iterable[Document], steps: int) -> list[Document]:
        """The documents at most so many places away from these, in the same groups."""
        with self._mine:
            places = {
                (one.group, place)
                for one in found
                if one.group
                for place in range(one.position - steps, one.position + steps + 1)
            }
            query = (
                "SELECT document.id FROM document JOIN json_each(?) AS asked"
                " ON place = json_extract(asked.value, '$[0]') AND position = json_extract(asked.value, '$[1]')"
                " WHERE place != ''"
            )
            return self._documents([row[0] for row in self._table.ask(query, json.dumps(sorted(places)))])

    def named(self, names: Iterable[str]) -> list[Document]:
        """The documents of these names."""
        with self._mine:
            rows = self._table.ask(f"{_IDS} WHERE name {_AMONG}", json.dumps(list(names)))
            return self._documents([row[0] for row in rows])

    def stale(self, name: str) -> None:
        """Look at this document again at the next refresh: it is not what the index says."""
        with self._mine:
            try:
                with self._changing(), self._table.changing() as connection:
                    entries.forget_version(connection, name)
                    connection.execute("UPDATE total SET value = '' WHERE name = 'mark'")
            except Broken:
                self.leave_the_disk()

    def status(self) -> dict[str, Any]:
        """How much is in it, and what could not be read."""
        with self._mine:
            [(terms, patterns)] = self._table.ask(
                "SELECT (SELECT count(*) FROM term), (SELECT count(*) FROM alternative)"
            )
            return {
                "memories": self.figures(()).documents,
                "terms": terms,
                "patterns": patterns,
                "bytes": os.path.getsize(self._seal.path) if self._seal else 0,
                "unreadable": [{"file": one.name, "reason": one.head.problem} for one in self.unreadable()],
            }

    def unreadable(self) -> list[Document]:
        """The files that could not be read, each as a document that says why."""
        with self._mine:
            rows = self._table.ask("SELECT id FROM document WHERE kind = 'problem' ORDER BY name")
            return self._documents([row[0] for row in rows])

    def _documents(self, ids: Iterable[int]) -> list[Document]:
        query = f"{entries.SELECT} WHERE id {_AMONG}"
        return [entries.unpacked(row) for row in self._table.ask(query, json.dumps(sorted(ids)))]


def _names(documents: Sequence[Document]) -> str:
    return json.dumps([one.name for one in documents])
