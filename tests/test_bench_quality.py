"""The benchmarks on labelled data: figures are what their names promise. None of ours is judged here."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest
from bench import retrieval, tasks

from test_bench import measured

if TYPE_CHECKING:
    from pathlib import Path

MEMORY = """---
title: "{title}"
whenToUse: ["{pattern}"]
importance: high
discoveredAt: 2026-01-23
discoveredBy: developer
tags: []
---

{body}
"""


def outcome(injected: list[str], **relevant: int) -> tasks.Outcome:
    """What a task got and should have got; files are called by one letter."""
    return tasks.Outcome("project", "task", injected, relevant)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two small repositories, each with a memory, a task for it, and a task about something else."""
    for name, word in (("shop", "invoice"), ("game", "sprite")):
        memories = tmp_path / "tasks" / name / "memories"
        memories.mkdir(parents=True)
        text = MEMORY.format(title=f"The {word} rule", pattern=word, body=f"Every {word} has a number.")
        (memories / f"{word}.md").write_text(text)
        asked = [
            {"id": "1", "task": f"Print the {word}", "agent": "developer", "relevant": {f"{word}.md": 2}},
            {"id": "2", "task": "Write to the museum", "agent": "planner", "relevant": {}},
        ]
        (tmp_path / "tasks" / name / "tasks.jsonl").write_text("\n".join(map(json.dumps, asked)))
    return tmp_path


def test_tasks_are_judged_in_each_repository(project: Path) -> None:
    """Everything wanted is found and nothing else, with the data found below the folder that is given."""
    rows = measured("tasks", project, "--data", str(project))["rows"]
    assert rows[0] == ["words", "all", "4", "1.000", "1.000", "1.000", "1.000", "1.000"]
    assert [row[:2] for row in rows[1:4]] == [["words", "game"], ["words", "shop"], ["words, cross-validated", "all"]]


def test_the_rule_for_a_repository_is_chosen_without_it() -> None:
    """Of two rules, the one counts that did better on the others."""
    good, bad = tasks.Outcome("a", "1", ["x"], {"x": 2}), tasks.Outcome("a", "1", [], {"x": 2})
    worse, better = tasks.Outcome("b", "2", [], {"y": 2}), tasks.Outcome("b", "2", ["y"], {"y": 2})
    assert tasks.best_elsewhere([[good, worse], [bad, better]], "b") == [good, worse]
    assert tasks.best_elsewhere([[good, worse], [bad, better]], "a") == [bad, better]


def test_recall_counts_what_is_certainly_wanted() -> None:
    """One of two, among the first five."""
    assert tasks.figures([outcome(["a", "x"], a=2, b=2, c=1)])[0] == 0.5
    assert tasks.figures([outcome([*"vwxyz", "a"], a=2)])[0] == 0.0


def test_the_order_counts_for_ndcg() -> None:
    """What is certainly wanted gains three, what is useful one, each less the later it stands."""
    found = tasks.figures([outcome(["b", "a"], a=2, b=1)])[1]
    assert found == pytest.approx((1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)))


def test_precision_counts_everything_that_was_injected() -> None:
    """Also what was injected for a task with nothing relevant."""
    assert tasks.figures([outcome(["a", "x"], a=1), outcome(["y", "z"])])[2] == 0.25


def test_silence_counts_where_nothing_is_relevant() -> None:
    """One of two such tasks got nothing."""
    assert tasks.figures([outcome(["a"], a=2), outcome([]), outcome(["x"])])[3] == 0.5


def test_a_search_is_judged_in_each_set(tmp_path: Path) -> None:
    """The turn that answers comes first, with the data found below the folder that is given."""
    said = ["We moved to Oslo.", "Was it cold?", "My cat is called Pixel.", "What a name."]
    docs = [
        {"id": str(number), "session": 1, "speaker": "A", "ts": "2023-05-08", "text": text}
        for number, text in enumerate(said)
    ]
    queries = [{"q": "What is the cat called?", "gold": ["2"], "cat": 1}, {"q": "nothing", "gold": [], "cat": 1}]
    (tmp_path / "retrieval").mkdir()
    path = tmp_path / "retrieval" / "small-1.json"
    path.write_text(json.dumps({"name": "small-1", "docs": docs, "queries": queries}))
    rows = measured("retrieval", tmp_path, "--data", str(tmp_path))["rows"]
    assert rows[0] == ["words", "small", "1", "1.000", "1.000", "1.000", "1.000", "1.000"]


def test_the_figures_of_a_question() -> None:
    """One of two gold documents in second place, the other not at all."""
    found = retrieval.figures(["x", "a", "y"], {"a", "b"})
    assert (found["R@1"], found["R@5"], found["MRR"]) == (0.0, 0.5, 0.5)
    assert found["nDCG@10"] == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))
