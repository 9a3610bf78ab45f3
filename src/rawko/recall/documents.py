"""A memory as a document to be ranked."""

from __future__ import annotations

import json
import re
import zlib
from typing import TYPE_CHECKING

from rawko.recall import pattern
from rawko.recall.prompt import avoids
from rawko.store import codec
from rawko.store.frontmatter import Mapping
from rawko.values.document import Document, Head, joined
from rawko.values.errors import MemoryNotFound, UnreadableMemory
from rawko.values.memory import STATUS_OF_KIND
from rawko.values.words import terms

if TYPE_CHECKING:
    from datetime import datetime

    from rawko.store.seam import Store
    from rawko.values.memory import Memory

_SIGNS = re.compile(r"[|*?^$()\[\]\\]+")
_HEADING = re.compile(r"\A# .*\n")  # the title once more: it says nothing that the title does not


def of_file(store: Store, name: str, known: int | None = None, moment: datetime | None = None) -> Document | None:
    """The document for a file of a store, now or at a moment; one that cannot be read is a document that says why.

    None where the file still has the checksum that is known of it, and where there was no such memory yet.
    """
    try:
        data = store.read(name).data
    except UnreadableMemory as error:
        return _problem(name, error.problems[0].reason)
    except MemoryNotFound:
        return _problem(name, "it was deleted meanwhile")
    total = checksum(data)
    if total == known:
        return None
    try:
        memory, front = codec.read(name, data)
    except UnreadableMemory as error:
        first = error.problems[0]
        return _problem(name, f"line {first.line}: {first.reason}" if first.line else first.reason, total)
    then = memory.as_of(moment) if moment else memory
    return of_memory(then, total, front) if then else None


def _problem(name: str, reason: str, total: int = 0) -> Document:
    return Document(name, Head(problem=reason, sum=total), ("", "", "", ""), "problem")


def of_memory(memory: Memory, total: int = 0, front: Mapping | None = None) -> Document:
    """The document for a memory."""
    body = _HEADING.sub("", _said(memory), count=1)
    read = tuple(map(pattern.read, memory.when_to_use))
    # What a wildcard or a regex is made of are not words: `implement.*auth` is not about every auth.
    said = "\n".join(one.text for some in read for one in some if one.kind in {"literal", "phrase"})
    texts = (memory.title, said, " ".join(memory.tags), body)
    head = Head(
        memory.title,
        memory.when_to_use,
        memory.tags,
        memory.importance,
        memory.discovered_by,
        memory.updated_at.timestamp(),
        memory.discovered_at.timestamp(),
        memory.status,
        avoids(memory),
        memory.related,
        read=read,
        sum=total,
    )
    kept = json.dumps([front.values, front.lines], ensure_ascii=False) if front else ""
    return Document(memory.file, head, tuple(joined(terms(text)) for text in texts), front=kept)


def _said(memory: Memory) -> str:
    """What a memory states, without the headings and marks that rawko writes around updates."""
    return "\n\n".join(part.content for part in memory.statements if part.kind not in STATUS_OF_KIND)


def memory_of(document: Document, data: bytes) -> Memory:
    """The memory that a document was made from, out of the same bytes, without reading YAML again."""
    front = Mapping(*json.loads(document.front)) if document.front else None
    return codec.decode(document.name, data, front)


def text_of(store: Store, name: str) -> str:
    """What is embedded of a file: everything that it says, its patterns as plain words."""
    try:
        memory = codec.decode(name, store.read(name).data)
    except (UnreadableMemory, MemoryNotFound):
        return ""
    patterns = ". ".join(_SIGNS.sub(" ", pattern) for pattern in memory.when_to_use)
    return "\n".join((memory.title, patterns, " ".join(memory.tags), _said(memory)))


def checksum(data: bytes) -> int:
    """What tells a file's bytes from others."""
    return zlib.crc32(data)
