"""What can be configured, as one frozen value with its defaults in sight."""

from __future__ import annotations

from dataclasses import dataclass

DURABILITIES = ("full", "batch", "off")


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one library; every one has a default."""

    durability: str = "full"
    """full: acknowledged means on disk. batch: only append_many syncs. off: the system decides when."""

    lock_timeout: float = 10.0
    """Seconds to wait for another process that is writing."""

    agent: str = "user"
    """Who is named as the discoverer when a caller names nobody."""
