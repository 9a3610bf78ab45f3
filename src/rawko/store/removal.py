"""What has to go from receipts for good: a text, or what they say of one memory.

A text goes from what somebody said, never from the keys, the figures and the words that rawko has of its own: what is
left is a receipt that can be read.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from rawko.values.digests import sha256

if TYPE_CHECKING:
    from collections.abc import Callable

_OWN = {"id", "at", "now", "asOf", "minImportance", "block", "origin", "digest", "strength", "level"}
_UNREADABLE = "it cannot be read: "


class Removal:
    """Takes a text, or without one a memory of the project, out of receipts, and leaves a mark in its place."""

    def __init__(
        self,
        file: str,
        mark: str,
        text: str | None = None,
        names: frozenset[str] = frozenset(),
        data: bytes | None = None,
    ) -> None:
        """`names` are those of the files that are there: they say it as well, and go on being asked about.

        `data` is what the memory is afterwards, if it is so already: what it was before has no checksum any more.
        """
        self._file = file
        self._mark = mark
        self._names = names
        self._data = data
        forms = _forms(text or file)
        self._plain = {_plain(form) for form in forms}
        self._of_memory = text is None
        # The mark comes first, and stands for itself: what has one is not marked again, whatever the text is.
        pieces = [re.escape(mark), *map(re.escape, forms)]
        self._pattern = re.compile("|".join(pieces), re.IGNORECASE)

    def of(self, receipt: Any) -> Any:
        """A receipt without it, or the same one where it is not there."""
        kept = receipt if self._of_memory else self._without_text(receipt)
        return self._with_entries(kept) if isinstance(kept, dict) else kept

    def is_in(self, text: str) -> bool:
        """Whether a text, or a line that cannot be read, has it somewhere."""
        plain = _plain(text.replace(self._mark, "\n"))
        return any(form in plain for form in self._plain)

    def _without_text(self, receipt: Any) -> Any:
        marked = _said(receipt, self._marked)
        return receipt if marked == receipt else _said(marked, self._underived)

    def _marked(self, key: str, value: str) -> str:
        del key
        if value in self._names or not self.is_in(value):
            return value
        marked = self._pattern.sub(lambda _: self._mark, value)
        # Not everything that is the same in another case, or in lines of another length, is found by a pattern.
        return self._mark if self.is_in(marked) else marked

    def _underived(self, key: str, value: str) -> str:
        """Words of the task that match, and what was wrong with a file, may be pieces of what has gone."""
        if key == "matched" and value:
            return self._mark
        is_quoted = key == "reason" and value.startswith(_UNREADABLE)
        return f"{_UNREADABLE}{self._mark}" if is_quoted else value

    def _with_entries(self, receipt: dict[str, Any]) -> dict[str, Any]:
        lists = {key: receipt[key] for key in ("memories", "leftOut") if isinstance(receipt.get(key), list)}
        kept = {**receipt, **{key: [self._entry(one) for one in entries] for key, entries in lists.items()}}
        return kept if kept.get("memories") == receipt.get("memories") else {**kept, "block": ""}

    def _entry(self, entry: Any) -> Any:
        """What is kept of an entry: of the memory itself no word, and no checksum to guess by."""
        if not isinstance(entry, dict) or (entry.get("file"), entry.get("origin")) != (self._file, ""):
            return entry
        kept = _said(entry, self._underived) if self._of_memory else entry
        return {**kept, "digest": ""} if "digest" in entry and self._is_gone(entry) else kept

    def _is_gone(self, entry: dict[str, Any]) -> bool:
        """Whether what an entry tells of is not in the memory any more."""
        if self._of_memory or self._data is None or not isinstance(entry.get("size"), int):
            return self._of_memory
        return bool(sha256(self._data[: entry["size"]]) != entry["digest"])


def _said(value: Any, change: Callable[[str, str], str], key: str = "") -> Any:
    """A value with every text in it changed that somebody else than rawko may have said."""
    if isinstance(value, str):
        return value if key in _OWN else change(key, value)
    if isinstance(value, list):
        return [_said(item, change, key) for item in value]
    if isinstance(value, dict):
        return {name: _said(item, change, name) for name, item in value.items()}
    return value


def _forms(text: str) -> list[str]:
    """A text as it may be spelt: as it is, and in quotes. The longest first, for it may contain another."""
    quoted = {json.dumps(text), json.dumps(text, ensure_ascii=False), repr(text)}
    return sorted({text, *(one[1:-1] for one in quoted)}, key=len, reverse=True)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
