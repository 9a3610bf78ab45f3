from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.hostile_yaml import HOSTILE, REQUIRED
from rawko.store import frontmatter
from rawko.store.frontmatter import Refused

if TYPE_CHECKING:
    from pathlib import Path

MEASURE = """
import json, resource, sys, time, yaml
from rawko.store import codec, frontmatter
from rawko.values.errors import UnreadableMemory
frontmatter.load("warm: up")
data = open(sys.argv[1], "rb").read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
try:
    codec.decode("x.md", data)
    refused = False
except UnreadableMemory as error:
    refused = str(error)
spent = time.process_time() - start
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps({"refused": refused, "seconds": spent, "megabytes": grown / 1024}))
"""


def refused(text: str, first_line: int = 1) -> Refused:
    """How a text is refused."""
    with pytest.raises(Refused) as caught:
        frontmatter.load(text, first_line)
    return caught.value


@pytest.mark.parametrize(
    "scalar",
    ["no", "yes", "on", "404", "1e3", "0x1F", "0o17", "1_000", "12:30:45", ".inf", "~", "null", "true", "2026-01-23"],
)
def test_every_scalar_stays_the_text_it_is(scalar: str) -> None:
    """What other YAML readers turn into booleans, numbers and dates is read as it was written."""
    assert frontmatter.load(f"key: {scalar}").values == {"key": scalar}


def test_tags_that_look_like_other_types_are_texts() -> None:
    """K37: `tags: [yes, 404]` are two texts."""
    assert frontmatter.load("tags: [yes, 404]").values == {"tags": ["yes", "404"]}


def test_an_unquoted_date_is_the_text_of_it() -> None:
    """A11: `discoveredAt` without quotes is no datetime."""
    assert frontmatter.load("discoveredAt: 2026-01-23T10:30:00Z").values["discoveredAt"] == "2026-01-23T10:30:00Z"


def test_an_unquoted_flow_list_with_pipes_has_the_intended_texts() -> None:
    """A21: the flow lists of the seeds, half of whose items have no quotes, mean what they show."""
    found = frontmatter.load('whenToUse: [error|exception|handle.*error, "Writing Express handlers"]')
    assert found.values["whenToUse"] == ["error|exception|handle.*error", "Writing Express handlers"]


def test_a_value_that_begins_with_a_star_is_refused_with_a_quoting_hint() -> None:
    """K37: `[*auth]` is an alias to YAML; the hint shows how to write it."""
    error = refused("title: x\nwhenToUse: [*auth]")
    assert error.line == 2
    assert '"*auth"' in error.hint


def test_a_line_of_three_dots_is_refused_with_its_line() -> None:
    """K37: `...` ends a YAML document, and what follows would be lost."""
    error = refused("title: x\n...\nimportance: high", first_line=2)
    assert (error.line, error.hint) == (3, "remove that line")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("a: b\na: c", 2, "'a' stands there twice"),
        ("a: b\nc: {d: 1, d: 2}", 2, "'d' stands there twice"),
        ("a: &x b", 1, "anchor"),
        ("a: *x", 1, "alias"),
        ("<<: *x", 1, "alias"),
        ("a: !!str b", 1, "tags"),
        ("a: !mine b", 1, "tags"),
        ("a: !!python/name:os.system ", 1, "tags"),
        ("- a\n- b", 1, "not a mapping"),
        ("just text", 1, "not a mapping"),
        ("? [a, b]\n: c", 1, "key must be a plain word"),
        ("a: b\n--- \nc: d", 2, "more than one YAML document"),
        ("a: [b\nc: d", 2, "not YAML"),
        ("a: b: c", 1, "not YAML"),
        ("a:\n\t- b", 2, "not YAML"),
        ('a: "b', 1, "not YAML"),
        ("a: %b\n@c: d", 1, "not YAML"),
        ("a: \x07", 1, "not YAML"),
    ],
)
def test_what_is_not_a_plain_mapping_is_refused_with_line_and_reason(text: str, line: int, reason: str) -> None:
    """Duplicate keys, anchors, aliases, tags, lists, second documents and broken YAML are named, not guessed at."""
    error = refused(text)
    assert reason in error.reason
    assert error.line == line
    assert error.hint


def test_lines_count_from_the_place_of_the_text_in_its_file() -> None:
    """The lines of keys and of errors are lines of the file."""
    assert frontmatter.load("# note\na: b\n\nc: d", first_line=2).lines == {"a": 3, "c": 5}


def test_comments_are_legal() -> None:
    """A20: comments stand between, before and behind the keys."""
    assert frontmatter.load("# YAML frontmatter\na: b # why\n# end").values == {"a": "b"}


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment"])
def test_an_empty_text_is_an_empty_mapping(text: str) -> None:
    """Nothing between the rules is no error of its own; the missing keys are."""
    assert frontmatter.load(text).values == {}


def test_eight_levels_are_read_and_nine_are_not() -> None:
    """The limit of depth is where it is said to be, the mapping itself included."""
    assert frontmatter.load("a: [[[[[[[b]]]]]]]").values == {"a": [[[[[[["b"]]]]]]]}
    assert "deeper than 8" in refused("a: [[[[[[[[b]]]]]]]]").reason


def test_64_kb_are_read_and_a_byte_more_is_not() -> None:
    """The limit counts bytes of UTF-8, whatever the script."""
    limit = frontmatter.MAX_BYTES
    fits = "a: " + "é" * ((limit - 4) // 2) + "x"
    assert len(fits.encode()) == limit
    assert len(frontmatter.load(fits).values["a"]) == (limit - 4) // 2 + 1
    assert "64 KB" in refused(fits + "x").reason


PIECES = st.sampled_from(
    [
        "a",
        ":",
        " ",
        "\n",
        "- ",
        "[",
        "]",
        "{",
        "}",
        ",",
        "&x",
        "*x",
        "!",
        "!!int",
        "|",
        ">",
        "'",
        '"',
        "#",
        "?",
        "%",
        "---",
        "...",
        "<<",
        "\t",
        "\\",
        "\x00",
        "\x85",
        "\u2028",
        "\ufeff",
        "é",
        "😀",
        "  ",
        "@",
        "`",
        "~",
        "1",
    ]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join)))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing but a Refused comes out of it, whatever goes in."""
    try:
        text.encode()
        found = frontmatter.load(text)
    except (Refused, UnicodeEncodeError):
        return
    assert found.values.keys() == found.lines.keys()


def test_there_are_thirty_hostile_files() -> None:
    """S2 counts thirty, each with a name of its own."""
    assert len({name for name, _ in HOSTILE}) == len(HOSTILE) == 30


@pytest.mark.parametrize(("name", "text"), HOSTILE, ids=[name for name, _ in HOSTILE])
def test_hostile_yaml_is_refused_at_once(tmp_path: Path, name: str, text: str) -> None:
    """S2: refused in under 100 ms and 50 MB, by an error and not by a signal."""
    keys = {line.partition(":")[0] for line in text.split("\n")}
    required = "".join(line for line in REQUIRED.splitlines(keepends=True) if line.partition(":")[0] not in keys)
    path = tmp_path / "hostile.md"
    path.write_text(f"---\n{required}{text}\n---\n\nbody\n")
    done = subprocess.run([sys.executable, "-c", MEASURE, str(path)], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, f"{name}: {done.stderr.decode()}"
    measured = json.loads(done.stdout)
    assert measured["refused"]
    assert measured["seconds"] < 0.1
    assert measured["megabytes"] < 50
