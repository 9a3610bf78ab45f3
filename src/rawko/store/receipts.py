"""Receipts: what was injected, when, for which task, and why; a file for each month, which only grows.

A receipt is a record of what happened, not a memory: it is not synced to disk, so that a prompt need not wait for
it, and one that cannot be written is a warning.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from rawko.store import files, lines
from rawko.store.files import ChangedMeanwhile, Stamp, Unfit
from rawko.store.log import checked, summed
from rawko.store.scan import sweep
from rawko.values.errors import InvalidMemory, ReceiptNotFound, StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from rawko.store.removal import Removal

FORMAT = 1
FOLDER = "receipts"
_NAME = r"\d{4}-\d{2}\.jsonl"
_ID = r"(\d{4})(\d{2})\d{2}-\d{6}-[0-9a-f]{8}"
_LIMIT = 1 << 30
_TRIES = 50


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
        if isinstance(name, str) and re.fullmatch(_ID, name):
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
        raise ReceiptNotFound("nothing was injected here yet", hint="`rawko inject TASK` makes a receipt")

    def rewrite(self, removal: Removal) -> Counter[str]:
        """Take out of every receipt what must not be kept; returns how many lines were `changed`, `unread`, `removed`.

        A line that cannot be read stays as it is, unless it has what must go: then it is removed.
        """
        told = Counter({"changed": sum(removal.of(one) != one for one in self._unfiled)})
        self._unfiled = list(map(removal.of, self._unfiled))
        for month in self._months() if self._root else ():
            with files.typed(f"cannot rewrite {FOLDER}"), contextlib.suppress(FileNotFoundError):
                told += self._rewrite(month, removal)
        return told

    def _rewrite(self, month: str, removal: Removal) -> Counter[str]:
        with self._folder() as folder:
            for _ in range(_TRIES):
                try:
                    return _replaced(folder, month, removal)
                except ChangedMeanwhile:
                    continue
                except Unfit as unfit:
                    raise StoreUnavailable(f"{FOLDER}/{month} is {unfit.reason}", hint=unfit.hint) from unfit
        raise StoreUnavailable(f"somebody keeps changing {FOLDER}/{month}", hint="do it again when it is quiet")

    @contextlib.contextmanager
    def _folder(self, *, make: bool = False) -> Iterator[int]:
        assert self._root is not None
        with files.opened(self._root) as root, files.opened(FOLDER, root, make=make) as folder:
            yield folder

    def _months(self) -> list[str]:
        if self._root is None:
            return ["unfiled"]
        with files.typed(f"cannot read {FOLDER}"), contextlib.suppress(FileNotFoundError):
            return sorted(filter(partial(re.fullmatch, _NAME), os.listdir(os.path.join(self._root, FOLDER))))
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


def _replaced(folder: int, month: str, removal: Removal) -> Counter[str]:
    """Put what is left of a month in its place, while nobody can add to it."""
    with lines.locked(folder, month):
        data, status = files.read(folder, month, _LIMIT)
        outcomes = [_without(line, removal) for line in data.split(b"\n")]
        kept = b"\n".join(line for _, line in outcomes)
        if kept != data:
            files.replace(folder, month, Stamp.of(status), kept)
    sweep(folder, [name for name in os.listdir(folder) if name.startswith(files.TEMPORARY)])
    return Counter(outcome for outcome, _ in outcomes if outcome)


def _without(line: bytes, removal: Removal) -> tuple[str, bytes]:
    """A line without what must not be kept, and what became of it; nothing where it stays as it is."""
    try:
        receipt = checked(line)
        kept = removal.of(receipt)
    except (ValueError, RecursionError):
        is_suspect = removal.is_in(line.decode(errors="replace"))
        return ("removed", b"") if is_suspect else ("unread" if line else "", line)
    return ("", line) if kept == receipt else ("changed", summed(kept).removesuffix(b"\n"))
