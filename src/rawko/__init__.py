"""Memory for AI agents: what one run learned is there, in plain files, when the next agent needs it.

    import rawko

    library = rawko.open(".", create=True)
    library.remember("Tests need Redis", "Start it with `make redis`.", when_to_use=["test|pytest"])
    block = library.inject("Fix the flaky session test", agent="developer")

Nothing happens at import: the names below are loaded when they are first used.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # what `typing` says as well, without the time that loading it takes
if TYPE_CHECKING:
    from typing import Any

    from rawko.library import Library, open  # noqa: A004 - rawko.open reads like open
    from rawko.values.errors import (
        DiskFull,
        InvalidMemory,
        InvalidSettings,
        InvalidTask,
        LibraryNotFound,
        LockTimeout,
        MemoryNotFound,
        NotReplayable,
        Problem,
        RawkoError,
        ReceiptNotFound,
        StoreError,
        StoreUnavailable,
        UnreadableMemory,
        WriteFailed,
    )
    from rawko.values.memory import Draft, Memory, Update
    from rawko.values.selection import Chosen, Found, LeftOut, Match, Selection
    from rawko.values.settings import Settings
    from rawko.values.survey import Change, Survey

_HOMES = {
    "Change": "rawko.values.survey",
    "Chosen": "rawko.values.selection",
    "DiskFull": "rawko.values.errors",
    "Draft": "rawko.values.memory",
    "Found": "rawko.values.selection",
    "InvalidMemory": "rawko.values.errors",
    "InvalidSettings": "rawko.values.errors",
    "InvalidTask": "rawko.values.errors",
    "LeftOut": "rawko.values.selection",
    "Library": "rawko.library",
    "LibraryNotFound": "rawko.values.errors",
    "LockTimeout": "rawko.values.errors",
    "Match": "rawko.values.selection",
    "Memory": "rawko.values.memory",
    "MemoryNotFound": "rawko.values.errors",
    "NotReplayable": "rawko.values.errors",
    "Problem": "rawko.values.errors",
    "RawkoError": "rawko.values.errors",
    "ReceiptNotFound": "rawko.values.errors",
    "Selection": "rawko.values.selection",
    "Settings": "rawko.values.settings",
    "StoreError": "rawko.values.errors",
    "StoreUnavailable": "rawko.values.errors",
    "Survey": "rawko.values.survey",
    "UnreadableMemory": "rawko.values.errors",
    "Update": "rawko.values.memory",
    "WriteFailed": "rawko.values.errors",
    "open": "rawko.library",
}

__all__ = [
    "Change",
    "Chosen",
    "DiskFull",
    "Draft",
    "Found",
    "InvalidMemory",
    "InvalidSettings",
    "InvalidTask",
    "LeftOut",
    "Library",
    "LibraryNotFound",
    "LockTimeout",
    "Match",
    "Memory",
    "MemoryNotFound",
    "NotReplayable",
    "Problem",
    "RawkoError",
    "ReceiptNotFound",
    "Selection",
    "Settings",
    "StoreError",
    "StoreUnavailable",
    "Survey",
    "UnreadableMemory",
    "Update",
    "WriteFailed",
    "open",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rawko' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
