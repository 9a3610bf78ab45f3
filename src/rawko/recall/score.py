"""How much a memory is worth to an agent with a task: named parts that add up, each a plain function.

The parts are those of the seeds' table, at most 85 in all, and `match`, which uses the room they leave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rawko.values.words import STOP_WORDS, named, words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rawko.values.agent import Agent
    from rawko.values.document import Head

TaskWords = frozenset[tuple[str, ...]]
"""The words of a task, each with every name that it goes by."""
MOST = 100.0
_IMPORTANCE = {"low": 5.0, "medium": 15.0, "high": 25.0, "critical": 30.0}
_DAY = 24 * 3600
_SAME_DISCOVERER = 10.0
_PER_WORD, _WORDS_AT_MOST = 5.0, 20.0
_PER_TAG, _TAGS_AT_MOST = 5.0, 15.0
_MATCH_AT_MOST = 15.0
_FULL_MATCH = 0.3  # hardly a memory says more than this of a task


def parts(
    head: Head, agent: Agent, task_words: TaskWords, now: float, match: float, weights: Mapping[str, float]
) -> dict[str, float]:
    """Every part of the score; `match` is how strongly the memory matches, from 0 to 1."""
    found = {
        "importance": importance(head),
        "recency": recency(head, now),
        "title": title(head, task_words),
        "specialty": specialty(head, agent),
        "discoverer": discoverer(head, agent),
        "bonus": bonus(head, agent),
        "match": _MATCH_AT_MOST * min(1.0, match / _FULL_MATCH),
    }
    return {name: round(value * weights.get(name, 1.0), 2) for name, value in found.items()}


def total(found: Mapping[str, float]) -> float:
    """The parts added up, within bounds."""
    return round(min(MOST, max(0.0, sum(found.values()))), 2)


def importance(head: Head) -> float:
    """What its author said it is worth."""
    return _IMPORTANCE.get(head.importance, 0.0)


def recency(head: Head, now: float) -> float:
    """More for what was stated within a day or three; nothing for what claims to be from the future."""
    age = now - head.at
    if age < 0:
        return 0.0
    return 10.0 if age < _DAY else 5.0 if age < 3 * _DAY else 0.0


def title(head: Head, task_words: TaskWords) -> float:
    """For every word of the task that begins a word of the title."""
    said = f" {' '.join(words(head.title))}"
    hits = sum(any(f" {name}" in said for name in names) for names in task_words)
    return min(_WORDS_AT_MOST, _PER_WORD * hits)


def telling(text: str) -> TaskWords:
    """The words of a task that count for a title: each once, none of the little ones.

    An identifier is one word, with its parts as other names of it; of a path, every step is a word.
    """
    kept = (tuple(filter(_is_telling, names)) for names in named(text.replace("/", " ")))
    return frozenset(filter(None, kept))


def _is_telling(word: str) -> bool:
    return len(word) > 1 and word not in STOP_WORDS


def specialty(head: Head, agent: Agent) -> float:
    """For every tag that the agent is good at."""
    return min(_TAGS_AT_MOST, _PER_TAG * len(_shared(head, agent)))


def discoverer(head: Head, agent: Agent) -> float:
    """For what the same agent found out itself."""
    return _SAME_DISCOVERER if agent.name and head.by == agent.name else 0.0


def bonus(head: Head, agent: Agent) -> float:
    """What the agent's definition adds for its specialties."""
    return agent.score_bonus if _shared(head, agent) else 0.0


def _shared(head: Head, agent: Agent) -> frozenset[str]:
    return agent.specialties & {tag.lower() for tag in head.tags}
