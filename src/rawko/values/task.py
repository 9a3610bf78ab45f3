"""A task: what an agent is about to do, and what is known around it."""

from __future__ import annotations

from rawko.values.record import Record


class Task(Record):
    """What memories are chosen for. The plan and the recent history are weaker evidence than the text itself."""

    text: str
    agent: str = ""
    plan: str = ""
    history: str = ""


STRENGTHS = ("slight", "moderate", "close", "exact")
"""How strongly a memory matches a task, weakest first."""

PARTS = ("importance", "recency", "title", "specialty", "discoverer", "bonus", "match")
"""What a score is made of."""
