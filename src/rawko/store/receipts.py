"""Receipts: what was injected, when, for which task, and why; a file for each month, which only grows.

A receipt is a record of what happened, not a memory: it is not synced to disk, so that a prompt need not wait for
it, and one that cannot be written is a warning.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from typing import TYPE_CHECKING, Any

from rawko.store import files, lines
from rawko.store.files import Stamp, Unfit
from rawko.store.log import checked, summed
from rawko.values.errors import InvalidMemory, ReceiptNotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

FORMAT = 1
FOLDER = "receipts"
_NAME = re.compile(r"\d{4}-\d{2}\.jsonl")
_ID = re.compile(r"(\d{4})(\d{2})\d{2}-\d{6}-[0-9a-f]{8}")
_LIMIT = 1 << 30


class Receipts:
    """The receipts of one library, in its folder, or in memory where it has none."""

    def __init__(self, root: str | None) -> None:
        self._root = root
        self._unfiled: list[dict[str, Any]] = []

    def write(self, receipt: dict[str, Any], at: datetime) -> str:
        """Keep a receipt; returns the id that it is found by."""
        name = new_id(at)
        if self._root is None:
            self._unfiled.append({"rawko": FORMAT, "id": name, **receipt})
            return name
        with files.typed(f"cannot write to {FOLDER}"), self._folder(make=True) as folder:
            lines.append(folder, _file_of(name), {"rawko": FORMAT, "id": name, **receipt}, sync=False)
        return name

    def get(self, name: str) -> dict[str, Any]:
        """The receipt with this id. Raises ReceiptNotFound."""
        if _ID.fullmatch(name):
            found = [receipt for receipt in self._month(_file_of(name)) if receipt["id"] == name]
            if found:
                return _understood(found[-1])
        raise ReceiptNotFound(f"there is no receipt {name!r}", hint="`rawko why` shows the latest one")

    def latest(self, wanted: Callable[[dict[str, Any]], bool] = bool) -> dict[str, Any]:
        """The newest receipt that is wanted. Raises ReceiptNotFound."""
        for month in reversed(self._months()):
            for receipt in reversed(self._month(month)):
                if wanted(receipt):
                    return _understood(receipt)
        raise ReceiptNotFound("there is no such receipt", hint="`rawko inject TASK` makes one")

    def rewrite(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Change every receipt: only for removing what must not be kept."""
        self._unfiled = list(map(change, self._unfiled))
        for month in self._months() if self._root else ():
            with files.typed(f"cannot rewrite {FOLDER}"), self._folder() as folder:
                data, status = files.read(folder, month, _LIMIT)
                changed = b"".join(_changed(line, change) for line in data.split(b"\n"))
                if changed != data:
                    files.replace(folder, month, Stamp.of(status), changed)

    @contextlib.contextmanager
    def _folder(self, *, make: bool = False) -> Iterator[int]:
        assert self._root is not None
        with files.opened(self._root) as root, files.opened(FOLDER, root, make=make) as folder:
            yield folder

    def _months(self) -> list[str]:
        if self._root is None:
            return ["unfiled"]
        with files.typed(f"cannot read {FOLDER}"), contextlib.suppress(FileNotFoundError):
            return sorted(filter(_NAME.fullmatch, os.listdir(os.path.join(self._root, FOLDER))))
        return []

    def _month(self, name: str) -> list[dict[str, Any]]:
        if self._root is None:
            return self._unfiled
        found: list[Any] = []
        not_there = contextlib.suppress(FileNotFoundError, Unfit)
        with files.typed(f"cannot read {FOLDER}"), not_there, self._folder() as folder:
            found = lines.read(folder, name, _LIMIT)
        return [receipt for receipt in found if isinstance(receipt, dict) and "id" in receipt]


def new_id(at: datetime) -> str:
    """An id that sorts by time and that no other receipt has."""
    return f"{at:%Y%m%d-%H%M%S}-{os.urandom(4).hex()}"


def _file_of(name: str) -> str:
    return f"{name[:4]}-{name[4:6]}.jsonl"


def _understood(receipt: dict[str, Any]) -> dict[str, Any]:
    if receipt.get("rawko") != FORMAT:
        hint = "upgrade rawko to read it"
        raise InvalidMemory(f"the receipt {receipt['id']} has format {receipt.get('rawko')!r}", hint=hint)
    return receipt


def _changed(line: bytes, change: Callable[[dict[str, Any]], dict[str, Any]]) -> bytes:
    """A line as it is after a change; one that cannot be read may hold what has to go, and goes."""
    if not line:
        return b""
    try:
        return summed(change(checked(line)))
    except (ValueError, RecursionError, KeyError, TypeError):
        return b""


def without(receipt: dict[str, Any], text: str, mark: str) -> dict[str, Any]:
    """A receipt with a mark wherever a text was."""
    spelled = json.dumps(text)[1:-1]
    changed: dict[str, Any] = json.loads(json.dumps(receipt).replace(spelled, json.dumps(mark)[1:-1]))
    return changed
