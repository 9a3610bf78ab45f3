"""A document: what ranking knows of a text, be it a memory, an entry of a session or of a layer."""

from __future__ import annotations

from typing import Any, NamedTuple

from rawko.values.record import Record

FIELDS = ("title", "patterns", "tags", "body")
"""The parts of a document that are weighed apart."""


class Head(NamedTuple):
    """What is known of a document without reading its text."""

    title: str = ""
    when_to_use: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    importance: str = "medium"
    by: str = ""
    at: float = 0.0
    """When it was last stated, in seconds since 1970."""
    found: float = 0.0
    """When it was first stated."""
    status: str = "active"
    avoids: bool = False
    related: tuple[str, ...] = ()
    problem: str = ""
    """Why it cannot be read; then nothing else is known."""
    read: tuple[tuple[Any, ...], ...] = ()
    """The patterns as they were read, for whoever matches them."""
    asks: bool = False
    """Whether it ends with a question, which what follows is likely to answer."""
    sum: int = 0
    """What tells whether the text is still the one that this was made from."""


class Document(NamedTuple):
    """A text as it is ranked: each field as its terms, and the group whose neighbours support each other."""

    name: str
    head: Head
    fields: tuple[str, ...]
    """The terms of each field, a space before and after every one."""
    kind: str = "memory"
    group: str = ""
    position: int = 0
    front: str = ""
    """The frontmatter of a file as it was read, so that it need not be read again."""


class Figures(Record):
    """What is known of all documents together: how many, how long their fields are, and how many have a term."""

    documents: int
    lengths: tuple[float, ...]
    frequency: dict[str, int]


def joined(terms: list[str]) -> str:
    """Terms as a document has them."""
    return f" {' '.join(terms)} " if terms else ""
