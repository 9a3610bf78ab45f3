"""What can be configured, as one frozen value with its defaults in sight."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from rawko.values.record import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

DURABILITIES = ("full", "batch", "off")
MATCHES = ("meaning", "strict")
THRESHOLDS = {"critical": "slight", "high": "moderate", "medium": "close", "low": "exact"}
"""How strongly a memory of each importance has to match before it is injected."""


class Settings(Record):
    """The settings of one library; every one has a default."""

    durability: str = "full"
    """full: acknowledged means on disk. batch: only append_many syncs. off: the system decides when."""

    lock_timeout: float = 10.0
    """Seconds to wait for another process that is writing."""

    agent: str = "user"
    """Who is named as the discoverer when a caller names nobody."""

    max_injected: int = 5
    """How many memories go into a prompt at most."""

    min_importance: str = "low"
    """The least importance that is injected."""

    budget: int = 1500
    """Tokens that the whole block may have."""

    characters: int = 500
    """Characters of each memory before the rest of the budget is shared out."""

    fill: bool = True
    """Whether the best memories get what is left of the budget."""

    intro: bool = False
    """Whether a sentence introduces the block."""

    match: str = "meaning"
    """meaning: patterns, and what a memory says. strict: only patterns that hit the task literally."""

    semantic: bool = True
    """Whether an installed embedder takes part."""

    thresholds: Mapping[str, str] = MappingProxyType(THRESHOLDS)
    """How strongly a memory has to match, by its importance."""

    weights: Mapping[str, float] = MappingProxyType({})
    """What parts of the score are multiplied by; 1 where nothing is said."""

    _apart = frozenset({"thresholds", "weights"})
