"""Documents as the rows of an index: how they go in and out of its tables, the totals with them."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from typing import TYPE_CHECKING, Any

from rawko.recall import alternative
from rawko.recall.alternative import Alternative, packed
from rawko.store.log import Broken
from rawko.values.document import FIELDS, Document, Head
from rawko.values.memory import ACTIVE, IMPORTANCES

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

    Make = Callable[[str], Document]

GAP = "\x1f"
"""Between the pieces of a wildcard."""
PHRASE = "\u00b6"
"""Before the stem of a word that a phrase is about: such a word also matches those that begin with it."""
_TUPLES = tuple(map(Head._fields.index, ("when_to_use", "tags", "related")))
_READ = Head._fields.index("read")
SELECT = "SELECT id, kind, name, version, place, position, head, terms, front, sum FROM document"
_INSERT = """
INSERT INTO document (kind, name, version, place, position, head, terms, front, sum)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_COUNT = """
INSERT INTO term VALUES (?, ?) ON CONFLICT (term) DO UPDATE SET documents = documents + excluded.documents
"""
_LINK = "INSERT OR IGNORE INTO has SELECT id, ? FROM alternative WHERE key = ? AND text = ?"
_UNLINK = """
DELETE FROM has WHERE document = ?
AND alternative = (SELECT id FROM alternative WHERE key = ? AND text = ?)
"""


class Change:
    """One transaction: documents go out and come in, and the totals with them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._terms: Counter[str] = Counter()
        self._totals: Counter[str] = Counter()

    def replace(self, versions: list[tuple[str, str | None]], make: Make, seen: Callable[[], object] | None) -> None:
        """Put the named documents in the place of what was there under these names."""
        for name, version in versions:
            self._remove(name)
            if version is not None:
                self._add(make(name), version)
            if seen:
                seen()
        self._connection.executemany(_COUNT, [(term, count) for term, count in self._terms.items() if count])
        gone = [(term,) for term, count in self._terms.items() if count < 0]
        self._connection.executemany("DELETE FROM term WHERE term = ? AND documents <= 0", gone)
        self._connection.executemany(
            "UPDATE total SET value = value + ? WHERE name = ?", [(count, name) for name, count in self._totals.items()]
        )

    def _remove(self, name: str) -> None:
        query = f"{SELECT} WHERE name = ?"
        row = self._connection.execute(query, (name,)).fetchone()
        if row is None:
            return
        document = unpacked(row)
        self._connection.execute("DELETE FROM document WHERE id = ?", (row[0],))
        self._connection.execute("DELETE FROM standing WHERE document = ?", (row[0],))
        self._connection.execute("DELETE FROM vector WHERE document = ?", (row[0],))
        distinct = self._count(document, -1)
        self._connection.execute("INSERT INTO word (word, rowid, terms) VALUES ('delete', ?, ?)", (row[0], distinct))
        self._connection.executemany(_UNLINK, [(row[0], key, text) for key, text, _ in _alternatives(document)])

    def _add(self, document: Document, version: str) -> None:
        flat = _flat(document, version)
        cursor = self._connection.execute(_INSERT, (*flat, _sum(flat)))
        number = cursor.lastrowid
        standing = (number, _rank(document), document.head.at, zlib.crc32(document.name.encode(errors="replace")))
        self._connection.execute("INSERT INTO standing VALUES (?, ?, ?, ?)", standing)
        distinct = self._count(document, 1)
        self._connection.execute("INSERT INTO word (rowid, terms) VALUES (?, ?)", (number, distinct))
        found = _alternatives(document)
        self._connection.executemany("INSERT OR IGNORE INTO alternative (key, text, plain) VALUES (?, ?, ?)", found)
        self._connection.executemany(_LINK, [(number, key, text) for key, text, _ in found])

    def _count(self, document: Document, sign: int) -> str:
        """Enter a document into the totals; returns its distinct terms."""
        if document.head.problem:
            return ""
        self._totals["count"] += sign
        distinct: set[str] = set()
        for field, terms in zip(FIELDS, document.fields, strict=True):
            found = terms.split()
            self._totals[field] += sign * len(found)
            distinct.update(found)
        distinct.update(f"{PHRASE}{word.stem}" for read in document.head.read for one in read for word in one.words)
        for term in distinct:
            self._terms[term] += sign
        return " ".join(sorted(distinct))


def _alternatives(document: Document) -> list[tuple[str, str, str]]:
    """What the patterns of a document are found by: a key, the text, and the text to look for where that is all."""
    found = (one for read in document.head.read for one in read if one.kind != "empty")
    return sorted({(one.key, one.text, _spelling(one)) for one in found})


def _spelling(one: Alternative) -> str:
    """What a text must have, piece after piece, for an alternative to hit; nothing where only a regex can tell."""
    if one.kind in {"literal", "phrase"}:
        return one.literal
    return GAP.join(one.gaps) if one.kind == "wildcard" else ""


def _rank(document: Document) -> int:
    """How important it is, as a number; below all others if it holds no longer."""
    return IMPORTANCES.index(document.head.importance) if document.head.status == ACTIVE else -1


def _flat(document: Document, version: str) -> tuple[Any, ...]:
    read = tuple(tuple(packed(one) for one in alternatives) for alternatives in document.head.read)
    head = json.dumps(document.head._replace(read=read), ensure_ascii=False, separators=(",", ":"))
    terms = "\n".join(document.fields)
    return (document.kind, document.name, version, document.group, document.position, head, terms, document.front)


def unpacked(row: tuple[Any, ...]) -> Document:
    """The document in a row. Raises Broken for one in which a bit has flipped."""
    _, kind, name, _, group, position, head, terms, front, total = row
    if _sum(row[1:-1]) != total:
        raise Broken("a row is damaged")
    values = json.loads(head)
    for place in _TUPLES:
        values[place] = tuple(values[place])
    values[_READ] = tuple(tuple(map(alternative.unpacked, alternatives)) for alternatives in values[_READ])
    return Document(name, Head(*values), tuple(terms.split("\n")), kind, group, position, front)


def _sum(values: Iterable[object]) -> int:
    return zlib.crc32("\x1f".join(map(str, values)).encode("utf-8", "surrogatepass"))
