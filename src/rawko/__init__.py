"""Memory for AI agents: what one run learned is there, in plain files, when the next agent needs it.

    import rawko

    library = rawko.open(".", create=True)
    library.remember("Tests need Redis", "Start it with `make redis`.", when_to_use=["test|pytest"])

Nothing happens at import: the names below are loaded when they are first used.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # what `typing` says as well, without the time that loading it takes
if TYPE_CHECKING:
    from typing import Any

    from rawko.library import Change, Library, Survey, open  # noqa: A004 - rawko.open reads like open
    from rawko.values.errors import (
        DiskFull,
        InvalidMemory,
        InvalidSettings,
        LibraryNotFound,
        LockTimeout,
        MemoryNotFound,
        Problem,
        RawkoError,
        StoreError,
        StoreUnavailable,
        UnreadableMemory,
        WriteFailed,
    )
    from rawko.values.memory import Draft, Memory, Update
    from rawko.values.settings import Settings

_HOMES = {
    "Change": "rawko.library",
    "DiskFull": "rawko.values.errors",
    "Draft": "rawko.values.memory",
    "InvalidMemory": "rawko.values.errors",
    "InvalidSettings": "rawko.values.errors",
    "Library": "rawko.library",
    "LibraryNotFound": "rawko.values.errors",
    "LockTimeout": "rawko.values.errors",
    "Memory": "rawko.values.memory",
    "MemoryNotFound": "rawko.values.errors",
    "Problem": "rawko.values.errors",
    "RawkoError": "rawko.values.errors",
    "Settings": "rawko.values.settings",
    "StoreError": "rawko.values.errors",
    "StoreUnavailable": "rawko.values.errors",
    "Survey": "rawko.library",
    "UnreadableMemory": "rawko.values.errors",
    "Update": "rawko.values.memory",
    "WriteFailed": "rawko.values.errors",
    "open": "rawko.library",
}

__all__ = [
    "Change",
    "DiskFull",
    "Draft",
    "InvalidMemory",
    "InvalidSettings",
    "Library",
    "LibraryNotFound",
    "LockTimeout",
    "Memory",
    "MemoryNotFound",
    "Problem",
    "RawkoError",
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
