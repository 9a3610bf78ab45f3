"""What one call is going to do to which file, before anything is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rawko.values.text import folded

if TYPE_CHECKING:
    from rawko.store.files import Stamp


class Plan:
    """What a batch is going to do to one file: the bytes it has now, if any, and the bytes to add."""

    def __init__(self, name: str, title: str, existing: bytes | None) -> None:
        self.name = name
        self.title = title
        self.existing = existing
        self.added: list[bytes] = []
        self.stamp: Stamp | None = None

    @property
    def data(self) -> bytes:
        """The file as it will be."""
        return (self.existing or b"") + b"".join(self.added)

    @property
    def is_new(self) -> bool:
        """Whether one write makes the whole file."""
        return self.existing is None and len(self.added) == 1


class Batch:
    """The plans of one call by file; those of new files also by title and by the form in which names collide."""

    def __init__(self) -> None:
        self.plans: dict[str, Plan] = {}
        self.new: dict[str, Plan] = {}
        self.forms: set[str] = set()

    def add(self, plan: Plan) -> None:
        """Take in a plan, once or again."""
        self.plans[plan.name] = plan
        if plan.existing is None:
            self.new[plan.title] = plan
            self.forms.add(folded(plan.name))
