"""An agent as recall sees it: what it is good at, and how much it wants to be told."""

from __future__ import annotations

from rawko.values.record import Record

DEFAULT_TAGS = {
    "planner": ("planning", "structure", "analysis", "architecture"),
    "developer": ("implementation", "code", "patterns", "development"),
    "tester": ("testing", "validation", "quality", "tests"),
    "reviewer": ("review", "quality", "standards", "code-review"),
}
"""The specialties of the agents that everybody has, for those whose definition names none."""


class Agent(Record):
    """Who acts, with what its definition says about memories; what is None is decided by the settings."""

    name: str = ""
    tags: tuple[str, ...] = ()
    max_injected: int | None = None
    min_importance: str | None = None
    score_bonus: float = 0.0
    budget: int | None = None

    @property
    def specialties(self) -> frozenset[str]:
        """The tags of memories that this agent is good at."""
        return frozenset(tag.lower() for tag in self.tags or DEFAULT_TAGS.get(self.name, ()))
