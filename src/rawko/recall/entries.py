"""Documents as the rows of an index: how they go in and out of its tables, the totals with them.

A term goes into the table of words under the level of what it counts in a document, so that the table alone says
about how much a document has of a task.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from typing import TYPE_CHECKING, Any

from rawko.recall import alternative, meaning
from rawko.recall.alternative import Alternative, packed
from rawko.store.log import Broken
from rawko.values.document import FIELDS, Document, Head
from rawko.values.memory import ACTIVE, IMPORTANCES

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    Make = Callable[[str, int | None], Document | None]

GLOB = "\x1f"
"""Before an alternative that SQLite looks for with GLOB."""
ONLY_READ = "\x1e"
"""Before one that only its own text can tell, such as a regex. Folded texts have neither sign."""
PHRASE = "\u00b6"
"""Before the stem of a word that a phrase is about: such a word also matches those that begin with it."""
LEVEL = "\u00b6"
"""Behind a term, once for each level that it is above the first."""
_PIECE = 32
"""Of a piece of a wildcard SQLite looks for so much: what it takes for a text grows with this."""
LEVELS = (0.2, 0.38, 0.56)
"""What a document of each level has of a term: about what `meaning` makes of a count of 1, 2.5 or 5."""
_FROM = (1.6, 3.6)
_TYPICAL = (6.0, 14.0, 3.0, 110.0)
"""The lengths of the fields that levels are told by: the same in every index, however it came about."""
_TUPLES = tuple(map(Head._fields.index, ("when_to_use", "tags", "related")))
_READ = Head._fields.index("read")
SELECT = "SELECT id, kind, name, version, place, position, data, sum FROM document"
_INSERT = """
INSERT INTO document (kind, name, version, place, position, data, sum) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_COUNT = """
INSERT INTO term VALUES (?, ?, ?, ?) ON CONFLICT (term) DO UPDATE
SET first = first + excluded.first, second = second + excluded.second, third = third + excluded.third
"""
_RENEW = "UPDATE document SET version = ?, sum = ? WHERE id = ?"
_LINK = "INSERT OR IGNORE INTO has VALUES (?, ?, ?)"
_UNLINK = "DELETE FROM has WHERE alternative = ? AND worth = ? AND document = ?"
_CLEAR = """
DELETE FROM alternative WHERE key = ? AND needle = ? AND NOT EXISTS (SELECT 1 FROM has WHERE alternative = ?)
"""


class Change:
    """One transaction: documents go out and come in, and the totals with them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._tokens: Counter[str] = Counter()
        self._totals: Counter[str] = Counter()

    def replace(self, versions: list[tuple[str, str | None]], make: Make, seen: Callable[[], object] | None) -> None:
        """Put the named documents in the place of what was there under these names."""
        for name, version in versions:
            self._replace(name, version, make)
            if seen:
                seen()
        terms: dict[str, list[int]] = {}
        for token, count in self._tokens.items():
            term = token.rstrip(LEVEL)
            terms.setdefault(term, [0] * len(LEVELS))[len(token) - len(term)] = count
        self._connection.executemany(_COUNT, [(term, *counts) for term, counts in terms.items() if any(counts)])
        gone = [(term,) for term, counts in terms.items() if min(counts) < 0]
        self._connection.executemany("DELETE FROM term WHERE term = ? AND first + second + third <= 0", gone)
        self._connection.executemany(
            "UPDATE total SET value = value + ? WHERE name = ?", [(count, name) for name, count in self._totals.items()]
        )

    def _replace(self, name: str, version: str | None, make: Make) -> None:
        row = self._connection.execute(f"{SELECT} WHERE name = ?", (name,)).fetchone()
        known = unpacked(row) if row else None
        made = None
        if version is not None:
            made = make(name, known.head.sum or None if known else None)
            if made is None and row:  # it was touched, and says what it said
                self._connection.execute(_RENEW, _renewed(row, version))
                return
        if known:
            self._remove(row[0], known)
        if made and version is not None:
            self._add(made, version)

    def _remove(self, number: int, document: Document) -> None:
        self._connection.execute("DELETE FROM document WHERE id = ?", (number,))
        self._connection.execute("DELETE FROM standing WHERE document = ?", (number,))
        self._connection.execute("DELETE FROM vector WHERE document = ?", (number,))
        terms = self._count(document, -1)
        self._connection.execute("INSERT INTO word (word, rowid, terms) VALUES ('delete', ?, ?)", (number, terms))
        worth = _worth(document)
        gone = _alternatives(document)
        self._connection.executemany(_UNLINK, [(number_of(*one), worth, number) for one in gone])
        self._connection.executemany(_CLEAR, [(*one, number_of(*one)) for one in gone])

    def _add(self, document: Document, version: str) -> None:
        data = _packed(document)
        if document.head.problem and not document.head.sum:
            version = ""  # nobody has seen what is in it: it is looked at again, whether or not it looks changed
        flat = (document.kind, document.name, version, document.group, document.position, data)
        number = self._connection.execute(_INSERT, (*flat, _sum(flat))).lastrowid
        worth = _worth(document)
        self._connection.execute("INSERT INTO standing VALUES (?, ?)", (number, worth))
        self._connection.execute("INSERT INTO word (rowid, terms) VALUES (?, ?)", (number, self._count(document, 1)))
        found = _alternatives(document)
        self._connection.executemany("INSERT OR IGNORE INTO alternative VALUES (?, ?)", found)
        self._connection.executemany(_LINK, [(number_of(*one), worth, number) for one in found])

    def _count(self, document: Document, sign: int) -> str:
        """Enter a document into the totals; returns its terms, each with the signs of its level."""
        if document.head.problem:
            return ""
        self._totals["count"] += sign
        for field, terms in zip(FIELDS, document.fields, strict=True):
            self._totals[field] += sign * max(0, terms.count(" ") - 1)
        tokens = _tokens(document)
        if sign > 0:
            self._tokens.update(tokens)
        else:
            self._tokens.subtract(tokens)
        return " ".join(tokens)


def _tokens(document: Document) -> set[str]:
    """The terms of a document, each with the signs of its level, and the words that its phrases are about."""
    second, third = _FROM
    tokens = {
        term if count < second else term + LEVEL if count < third else term + LEVEL * 2
        for term, count in meaning.counts(document, _TYPICAL).items()
    }
    return tokens.union(f"{PHRASE}{word.stem}" for read in document.head.read for one in read for word in one.words)


def _alternatives(document: Document) -> list[tuple[str, str]]:
    """What the patterns of a document are found by: a key, and what to look for in a text that has the key."""
    found = (one for read in document.head.read for one in read if one.kind != "empty")
    return sorted({(storable(one.key), _needle(one)) for one in found})


def _needle(one: Alternative) -> str:
    """What a text must have for an alternative to hit: a text, or pieces in order; else what to read and to ask."""
    if one.kind == "wildcard":
        pieces = "*".join(part[:_PIECE] for part in one.gaps)
        return f"{GLOB}*{storable(pieces).replace('[', '*').replace('?', '*')}*"
    return (one.kind in {"literal", "phrase"} and storable(one.literal)) or ONLY_READ + one.text


def storable(text: str) -> str:
    """The text as SQLite takes and compares it: half of a surrogate pair is no character, and NUL would end it."""
    return text.encode(errors="replace").decode().replace("\0", " ")


def number_of(key: str, needle: str) -> int:
    """What an alternative is linked by; where two have the same, more is looked at than need be."""
    return zlib.crc32(f"{key}{ONLY_READ}{needle}".encode(errors="replace"))


def _worth(document: Document) -> int:
    """What comes first among equals, as one number: the more important, the newer, and then by the name alone.

    Below all others is what holds no longer.
    """
    head = document.head
    rank = IMPORTANCES.index(head.importance) if head.status == ACTIVE else -1
    at = min(max(int(head.at), 0), _LATEST)
    return (rank << _RANK_BITS) + (at << _TIE_BITS) + (zlib.crc32(document.name.encode(errors="replace")) & _TIES)


def rank_of(worth: int) -> int:
    """How important something of this worth is, as a number; -1 for what holds no longer."""
    return worth >> _RANK_BITS


_TIE_BITS, _RANK_BITS = 24, 58
_TIES = (1 << _TIE_BITS) - 1
_LATEST = (1 << (_RANK_BITS - _TIE_BITS)) - 1


def forget_version(connection: sqlite3.Connection, name: str) -> None:
    """Let a document be one whose file has changed, whatever that looks like."""
    for row in connection.execute(f"{SELECT} WHERE name = ?", (name,)).fetchall():
        connection.execute(_RENEW, _renewed(row, ""))


def _renewed(row: tuple[Any, ...], version: str) -> tuple[str, int, int]:
    """What changes in a row when only the version of its file is another."""
    number, kind, name, _, group, position, data, _ = row
    return version, _sum((kind, name, version, group, position, data)), number


def _packed(document: Document) -> bytes:
    read = tuple(tuple(packed(one) for one in alternatives) for alternatives in document.head.read)
    head = json.dumps(document.head._replace(read=read), ensure_ascii=False, separators=(",", ":"))
    text = "\n".join((head, *document.fields, document.front))
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def unpacked(row: tuple[Any, ...]) -> Document:
    """The document in a row. Raises Broken for one in which a bit has flipped."""
    _, kind, name, version, group, position, data, total = row
    if not isinstance(data, bytes) or _sum((kind, name, version, group, position, data)) != total:
        raise Broken("a row is damaged")
    head, *fields, front = zlib.decompress(data).decode("utf-8", "surrogatepass").split("\n")
    values = json.loads(head)
    for place in _TUPLES:
        values[place] = tuple(values[place])
    values[_READ] = tuple(tuple(map(alternative.unpacked, alternatives)) for alternatives in values[_READ])
    return Document(name, Head(*values), tuple(fields), kind, group, position, front)


def _sum(flat: tuple[Any, ...]) -> int:
    *values, data = flat
    return zlib.crc32(data, zlib.crc32("\x1f".join(map(str, values)).encode("utf-8", "surrogatepass")))
