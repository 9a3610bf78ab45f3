"""How a table fits a window: arithmetic on the widths of its cells, so that it needs no terminal.

A row is one line, and the name of a file is always whole: it is what a person types next. What can be told from
elsewhere, or matters least, makes room for it.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from rawko.clients.cli import shapes
from rawko.values.memory import ACTIVE
from rawko.values.text import one_line
from rawko.values.times import format_date, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rawko.values.memory import Memory
    from rawko.values.survey import Change

Table = dict[str, list[str]]
"""The cells under each header."""

GAP = "  "
_ELLIPSIS = "…"
_LEAST = 16  # of a title or a text: less of it says nothing
_LONGEST_TITLE = 100  # where there is no window: one title must not push every other column out of sight
_NARROW = 90  # below this, the hour of a change takes room that its text needs more


def of_memories(values: Sequence[Memory], window: int | None = None) -> Table:
    """The memories in a window of so many columns; without one, all there is to say about them."""
    table = _table(
        values,
        FILE=lambda memory: memory.file,
        IMPORTANCE=lambda memory: memory.importance,
        TITLE=lambda memory: memory.title,
        TAGS=lambda memory: ", ".join(memory.tags),
        DATE=lambda memory: format_date(memory.updated_at),
        STATUS=lambda memory: memory.status,
    )
    if window is None:
        return table | {"TITLE": [shortened(title, _LONGEST_TITLE) for title in table["TITLE"]]}
    status = ["STATUS"] if set(table["STATUS"]) - {ACTIVE} else []
    ways = (
        list(table),
        ["FILE", "IMPORTANCE", "TITLE", "DATE", "STATUS"],
        ["FILE", "IMPORTANCE", "TITLE", "STATUS"],
        ["FILE", "IMPORTANCE", "TITLE", *status],
        ["FILE", "TITLE", *status],
        ["FILE", "IMPORTANCE", *status],
        ["FILE", *status],
        ["FILE"],
    )
    return _fitted(table, ways, "TITLE", window)


def of_changes(values: Sequence[Change], window: int | None = None) -> Table:
    """The changes in a window of so many columns; without one, with the whole first line of each."""
    table = _table(
        values,
        TIME=lambda change: format_time(change.update.at),
        DATE=lambda change: format_date(change.update.at),
        WHAT=shapes.kind_of,
        FILE=lambda change: change.memory.file,
        BY=lambda change: change.update.by,
        TEXT=lambda change: next(iter(change.update.content.strip().splitlines()), ""),
    )
    full = ["TIME", "WHAT", "FILE", "BY", "TEXT"]
    if window is None:
        return {header: table[header] for header in full}
    narrow = (["DATE", *full[1:]], ["DATE", "WHAT", "FILE", "TEXT"], ["DATE", "WHAT", "FILE"])
    return _fitted(table, narrow if window < _NARROW else (full, *narrow), "TEXT", window)


def rows(table: Table) -> Iterator[list[str]]:
    """Each row, the headers first: its cells, with blanks up to the next one that says something."""
    widths = _widths(table).values()
    for cells in (list(table), *zip(*table.values(), strict=True)):
        last = max((place for place, cell in enumerate(cells) if cell), default=0)
        blanks = [" " * (wide - width(cell)) + GAP for wide, cell in zip(widths, cells, strict=True)]
        yield [cell + blanks[place] if place < last else cell for place, cell in enumerate(cells)]


def width(text: str) -> int:
    """How many columns a text takes on a terminal or in a fixed-width font."""
    return len(text) if text.isascii() else sum(map(_width_of, text))


def shortened(text: str, most: int) -> str:
    """The text, or as much of its beginning as fits so many columns with an ellipsis at the end."""
    if width(text) <= most:
        return text
    kept, room = "", most - 1
    for char in text:
        room -= _width_of(char)
        if room < 0:
            break
        kept += char
    return kept.rstrip() + _ELLIPSIS


def _width_of(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def _table(values: Iterable[Memory | Change], **columns: Callable[..., str]) -> Table:
    return {header: [one_line(cell(value)) for value in values] for header, cell in columns.items()}


def _widths(table: Table) -> dict[str, int]:
    return {header: max(map(width, (header, *cells))) for header, cells in table.items()}


def _fitted(table: Table, ways: Sequence[Sequence[str]], elastic: str, window: int) -> Table:
    """The first way that fits the window, or else the last; the elastic column takes what the others leave."""
    widths = _widths(table)
    least = widths | {elastic: min(_LEAST, widths[elastic])}
    for way in ways:
        room = window - sum(least[header] for header in way) - len(GAP) * (len(way) - 1)
        if room >= 0:
            break
    most = least[elastic] + max(room, 0)
    return {header: [shortened(cell, most) if header == elastic else cell for cell in table[header]] for header in way}
