"""The benchmarks of recall run on something small and write what they measured. No figure is judged here."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from bench import generate, peers, picture, speed

from rawko.store import codec
from test_bench import measured, run

if TYPE_CHECKING:
    from pathlib import Path

SMALL = ("--sizes", "12", "24", "--rounds", "2", "--compared", "1", "--append-rounds", "1", "--peers-up-to", "0")


def test_speed_compares_with_the_plain_query_and_the_seeds(tmp_path: Path) -> None:
    """Each size has its contenders, and each bar of the design is judged."""
    report = measured("speed", tmp_path, "--data", str(tmp_path), *SMALL)
    named = [row[0] for row in report["rows"] if row[1] == "24"]
    assert named[:4] == [
        "inject: rawko",
        "inject: plain FTS5 OR",
        "inject: the seeds' algorithm",
        "inject: the same choice",
    ]
    assert [bar["limit"] for bar in report["bars"]] == pytest.approx([0.1, 0.05, 1.2, 2.0, 3.0, 2.0, 2.0, 1.2])
    assert [size for size, _ in report["parameters"]["series"]["rawko"]] == [12, 24]


def test_cold_compares_with_a_bare_start(tmp_path: Path) -> None:
    """A fresh process that injects is a multiple of one that does nothing."""
    report = measured("cold", tmp_path, "--size", "12", "--rounds", "1", "--no-peers")
    assert [row[0] for row in report["rows"]] == ["python -c pass", "rawko inject", "rawko inject, semantic"]
    assert [bar["limit"] for bar in report["bars"]] == [5.0]


def test_what_is_generated_is_the_same_every_time() -> None:
    """A memory depends on its number alone, so libraries of different sizes begin with the same ones."""
    assert list(generate.memories(3)) == list(generate.memories(5))[:3]
    assert generate.tasks(3, 100) == generate.tasks(3, 100)


def test_what_is_generated_is_a_memory() -> None:
    """A generated file can be read, and says what was meant."""
    made = generate.memory(7)
    memory = codec.decode(made.name, made.text.encode())
    assert (memory.title, memory.when_to_use, memory.tags) == (made.title, made.patterns, made.tags)


def test_a_body_has_the_length_of_a_real_one() -> None:
    """Bodies have 80 to 150 words beside their headings."""
    lengths = [len(made.body.split()) for made in generate.memories(50)]
    assert min(lengths) >= 80
    assert max(lengths) <= 165


def test_a_task_is_about_memories_that_are_there() -> None:
    """Of every task some words are those of a topic in the library."""
    own = {word for number in range(100 // generate.A_TOPIC) for word in generate.topic(number)}
    assert all(own.intersection(task.lower().replace(".", "").split()) for task in generate.tasks(10, 100))


def test_the_same_words_embed_alike() -> None:
    """The embedding of the peers is of unit length and does not mind the order of words."""
    one, other = peers.embed("retry the batch"), peers.embed("the batch, retry")
    assert one == pytest.approx(other)
    assert sum(value * value for value in one) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("auth|login", True), ("fix*login", True), ("logout", False), ("fix ( *", False), ("x ?", True)],
)
def test_the_seeds_match_as_they_said(pattern: str, expected: bool) -> None:
    """Lists, wildcards and plain texts; what is no regular expression is a plain text."""
    assert speed.seed_match(pattern, "fix the login form") is expected


def test_a_picture_shows_every_series() -> None:
    """Every contender has its line and its name, in a file that is XML."""
    drawn = picture.draw({"rawko": [[1000, 2.0], [100_000, 3.5]], "a < b": [[1000, 0.4], [100_000, 80.0]]})
    root = ET.fromstring(drawn)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "rawko: 3.5 ms" in texts
    assert "a < b: 80 ms" in texts
    assert len(list(root.iter("{http://www.w3.org/2000/svg}polyline"))) == 2


def test_a_picture_that_is_out_of_date_is_noticed(tmp_path: Path) -> None:
    """A picture is drawn from the latest report and from nothing else."""
    (tmp_path / "speed.json").write_text(json.dumps({"parameters": {"series": {"rawko": [[1000, 2.0]]}}}))
    arguments = ("--results", str(tmp_path), "--out", str(tmp_path / "cost.svg"))
    assert "does not show" in run("picture", "--check", *arguments).stderr
    assert run("picture", *arguments).returncode == 0
    assert run("picture", "--check", *arguments).returncode == 0
