"""What is new in a folder of memories, without reading a single one of them.

Few files are looked at one by one. For many, the catalogue's log says what rawko itself wrote since a mark, and the
time of the folder whether anybody else added, renamed or replaced a file; only then every file is looked at.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from rawko.store.log import Broken
from rawko.store.scan import folder_stamps, scan
from rawko.store.seam import News

if TYPE_CHECKING:
    from rawko.store.catalogue import Catalogue, Row
    from rawko.store.files import Stamp

ALWAYS_LOOK = 256
_TICK = 50_000_000  # nanoseconds; two changes that are closer may carry the same time


def news(folder: int, catalogue: Catalogue, mark: str = "") -> News:
    """What changed since the mark, or everything where the mark does not tell."""
    return _since(folder, catalogue, mark) or _everything(folder, catalogue)


def _since(folder: int, catalogue: Catalogue, mark: str) -> News | None:
    try:
        then = json.loads(mark)
        rows, folders, place = catalogue.since(then["place"]) if then["place"] else _nothing(catalogue)
        known = then["folders"] if folders is None else folders
    except (Broken, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not known or known != folder_stamps(folder, known) or any(row.missing for row in rows):
        return None
    now = time.time_ns()
    settled = known if _is_settled(known, now) else {}  # else what else came in the same tick is looked for next time
    return News(_mark(place, settled), {row.name: version(row.stamp, now) for row in rows}, whole=False)


def _everything(folder: int, catalogue: Catalogue) -> News:
    place = catalogue.written()  # before looking: what is written meanwhile is news again the next time
    found = scan(folder)
    now = time.time_ns()
    versions = {name: version(stamp, now) for name, stamp in found.stamps.items()}
    settled = found.folders if _is_settled(found.folders, now) else {}
    return News(_mark(place, settled) if len(versions) > ALWAYS_LOOK else "", versions)


def _is_settled(folders: dict[str, int], now: int) -> bool:
    """Whether a change from now on would show in the time of a folder."""
    return all(stamp + _TICK < now for stamp in folders.values())


def _nothing(catalogue: Catalogue) -> tuple[list[Row], None, str]:
    """What is new where there was no log: nothing, as long as there is none."""
    if catalogue.written():
        raise Broken("there is a log now")
    return [], None, ""


def version(stamp: Stamp, now: int) -> str:
    """What differs for two states of a file; one that changed just now may change again within the same tick."""
    mtime, size, inode = stamp
    return f"{mtime:x}-{size:x}-{inode:x}{'?' if mtime + _TICK > now else ''}"


def _mark(place: str, folders: dict[str, int]) -> str:
    return json.dumps({"place": place, "folders": folders})
