"""What is said about a memory that can be read: advice where it helps, and silence where it does not."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rawko import testing
from rawko.store import codec
from rawko.values import guidelines
from rawko.values.memory import STANDARD_TAGS
from samples import data, decoded, text

if TYPE_CHECKING:
    from rawko.values.errors import Problem
    from rawko.values.memory import Memory

SEEDS = Path(__file__).parent / "data" / "seeds"
ENOUGH = "It says something specific. " * 20
GOOD = {"title": '"Redis setup"', "tags": "[constraints]", "source": "Makefile"}


def memory(body: str = f"# Redis setup\n\n{ENOUGH}", file: str = "redis-setup.md", **changes: str | None) -> Memory:
    """A memory about which there is nothing to say, but for what is changed."""
    return codec.decode(file, data(body=body, **{**GOOD, **changes}))


def advice(found: Memory) -> list[tuple[str, str]]:
    """The level and the reason of everything that is said about a memory."""
    return [(problem.level, problem.reason) for problem in guidelines.review(found)]


def only(found: Memory) -> Problem:
    """The one thing that is said about a memory."""
    (problem,) = guidelines.review(found)
    return problem


def compared(**texts: bytes) -> list[tuple[str, str]]:
    """The file and the reason of what shows when memories are seen together; `__` in a name is a slash."""
    library = testing.library({f"{name.replace('__', '/')}.md": found for name, found in texts.items()})
    problems = [problem for problem in library.validate() if problem.level == "warning" and "words" not in str(problem)]
    return [(problem.file, problem.reason) for problem in problems]


def test_a_good_memory_is_left_alone() -> None:
    """A reader who did everything right is told nothing."""
    assert advice(memory()) == []


# ---------------------------------------------------------------- the seeds' own examples

# The names that the seeds list for them, or their slugs; and what is true of each: three are short, five have none of
# the seven tags that 003 lists, three say neither task nor source.
UNTAGGED = ("hint", "none of the standard tags")
UNTRACED = ("hint", "nothing says where this was found")
EXAMPLES = {
    "001-file-structure": ("auth-module-structure.md", [("warning", "only 27 words")]),
    "001-codebase-structure": ("project-structure.md", [UNTAGGED, UNTRACED]),
    "001-failure": ("oauth-too-broad.md", [("warning", "only 41 words"), UNTRACED]),
    "001-code-pattern": ("middleware-pattern.md", [UNTAGGED, UNTRACED]),
    "003-file-structure": ("clear-specific-title.md", [("warning", "only 39 words"), UNTAGGED]),
    "003-codebase-structure": ("project-structure.md", [UNTAGGED]),
    "003-code-pattern": ("error-handling-pattern-in-express-handlers.md", [UNTAGGED]),
    "003-failure": ("oauth-too-broad.md", []),
    "003-constraint": ("session-store-integration-required.md", []),
}


@pytest.mark.parametrize(("example", "expected"), EXAMPLES.items(), ids=EXAMPLES)
def test_the_examples_of_the_seeds_raise_no_false_alarm(
    example: str, expected: tuple[str, list[tuple[str, str]]]
) -> None:
    """A18, A24: only what a reader finds true is said of them; a heading that differs from the title is fine."""
    file, said = expected
    assert advice(codec.decode(file, (SEEDS / f"{example}.md").read_bytes())) == said


# ---------------------------------------------------------------- length


@pytest.mark.parametrize("count", [50, 51, 199, 200, 500, 501, 2000])
def test_50_to_2000_words_are_fine(count: int) -> None:
    """A22: the least is 50, the most 2,000, and what lies between is the author's choice."""
    assert advice(memory("# x " + "word " * (count - 2))) == []


def test_fewer_than_50_words_are_a_warning() -> None:
    """A22: at least something specific; the hint names the ideal."""
    problem = only(memory("# x " + "word " * 47))
    assert (problem.file, problem.level, problem.reason) == ("redis-setup.md", "warning", "only 49 words")
    assert "200 to 500" in problem.hint


def test_more_than_2000_words_are_a_warning_with_a_way_to_split() -> None:
    """A22: the hint names the sections, each of which could be a memory, with their words."""
    sections = "\n\n".join(f"## {name} ##\n\n{'word ' * 700}" for name in ("Overview", "Details", "Limits"))
    problem = only(memory(f"# Redis setup\n\n{sections}"))
    assert (problem.level, problem.file) == ("warning", "redis-setup.md")
    assert problem.reason.startswith("21")
    assert problem.hint == "split it into one memory per section: Overview (700), Details (700), Limits (700)"


def test_a_long_text_without_sections_is_to_be_split_too() -> None:
    """A22: where there is nothing to split at, the hint does not pretend to know."""
    assert only(memory("# x " + "word " * 2000)).hint == "split it into several memories"


def test_updates_count_as_words() -> None:
    """A22: a memory that grew too long through its updates is too long."""
    body = f"# x {'word ' * 1500}\n\n---\n\n## Update (2026-02-01)\n\n{'word ' * 600}"
    assert only(memory(body)).hint.startswith("split it into one memory per section: Update (2026-02-01)")


def test_sections_in_code_are_no_sections() -> None:
    """A22: a comment in a code fence is no heading to split at."""
    content = "## Real\n\none two\n\n```sh\n## not real\n```\n\n## Also real\n\nthree"
    assert guidelines.split_points(content) == [("Real", 7), ("Also real", 1)]


def test_a_script_without_spaces_is_not_one_word() -> None:
    """A22: 120 Chinese characters are no short memory."""
    assert advice(memory("# 认证\n\n" + "认证模块的结构在源码目录" * 10)) == []


# ---------------------------------------------------------------- the name of the file


@pytest.mark.parametrize(
    "file",
    ["redis-setup.md", "redis.md", "2-redis.md", "sub-folder/redis-setup.md", "SUB/redis.md", "redis-setup-2.md"],
)
def test_a_kebab_case_name_is_fine(file: str) -> None:
    """A23: also a short one, one with a number, and in any folder."""
    assert advice(memory(file=file)) == []


@pytest.mark.parametrize("file", ["Redis-setup.md", "redis_setup.md", "redis setup.md", "redis--setup.md", "-redis.md"])
def test_another_spelling_is_a_warning(file: str) -> None:
    """A23: the hint has the name that it would get."""
    problem = only(memory(file=file))
    assert (problem.file, problem.level, problem.reason) == (file, "warning", "the file name is not kebab-case")
    assert "redis-setup.md" in problem.hint


@pytest.mark.parametrize(
    "title", ["प्रमाणीकरण मॉड्यूल", "โครงสร้างโมดูล", "İstanbul", "認証 構成", "Straße", "C++ pitfalls", "...", "CON"]
)
def test_a_name_that_rawko_gave_is_fine(title: str) -> None:
    """A23, A24: nobody is told to rename what we named, in whatever script."""
    library = testing.library()
    library.remember(title, f"# Heading\n\n{ENOUGH}", "heading", tags=["failures"], source="here")
    assert library.validate() == []


@pytest.mark.parametrize(
    ("file", "title"),
    [
        ("oauth-too-broad.md", '"OAuth2 Integration Was Too Broad"'),
        ("auth.md", '"Authentication"'),
        ("project-structure.md", '"Project File Organization"'),
        ("authentication-modules.md", '"The auth module"'),
        ("認証.md", '"認証モジュール"'),
    ],
)
def test_a_name_may_be_shorter_than_the_title(file: str, title: str) -> None:
    """A24, K12: the names that the seeds list are shorter; one word in common is enough."""
    assert advice(memory(file=file, title=title)) == []


def test_a_name_that_has_nothing_of_the_title_is_a_hint() -> None:
    """A24: the hint has a name that would."""
    problem = only(memory(file="notes-of-monday.md"))
    assert (problem.level, problem.reason) == ("hint", "the file name says nothing of the title")
    assert problem.hint == "for example redis-setup.md"


# ---------------------------------------------------------------- headings


def test_a_body_without_a_heading_is_a_hint() -> None:
    """A25: the hint has the heading that the seeds would put there."""
    problem = only(memory(ENOUGH))
    assert (problem.level, problem.reason) == ("hint", "the body has no heading")
    assert problem.hint == "begin it with `# Redis setup`"


@pytest.mark.parametrize("heading", ["# Something else", "## Overview", "# Redis setup #"])
def test_any_heading_will_do(heading: str) -> None:
    """A18: it is optional, and may differ from the title."""
    assert advice(memory(f"{heading}\n\n{ENOUGH}")) == []


def test_two_first_level_headings_are_a_warning() -> None:
    """A28: one concept per memory."""
    problem = only(memory(f"# One\n\n{ENOUGH}\n\n# Two\n\n{ENOUGH}"))
    assert (problem.level, problem.reason) == ("warning", "2 first-level headings")
    assert "one concept per memory" in problem.hint


@pytest.mark.parametrize(
    "code",
    [
        "```sh\n# one\n# two\n```",
        "~~~\n# one\n# two\n~~~",
        "````md\n```\n# one\n```\n# two\n````",
        "   ```sh\n# one\n# two\n   ```",
        "```sh\n# one\n```js\n# two\n```",
        "```sh\n# one\n# two, and never closed",
        "~~~\n```\n# one\n~~~\n\n```\n# two\n```",
        "    # one\n    # two",
        "#!/bin/sh\n#one",
    ],
)
def test_a_comment_in_code_is_no_heading(code: str) -> None:
    """A28, K23: no false alarm for what stands in a fence, whichever kind it is."""
    assert advice(memory(f"# Redis setup\n\n{ENOUGH}\n\n{code}")) == []


def test_code_in_a_line_opens_no_fence() -> None:
    """What follows ```` ```code``` ```` is text, and its headings count."""
    assert advice(memory(f"# One\n\n```make redis``` starts it. {ENOUGH}\n\n# Two")) == [
        ("warning", "2 first-level headings")
    ]


def test_the_headings_of_an_update_are_its_own() -> None:
    """A28: an update that begins with a heading makes no second concept."""
    assert advice(memory(f"# One\n\n{ENOUGH}\n\n---\n\n## Update (2026-02-01)\n\n# Two\n\nMore.")) == []


def test_the_template_has_what_a_good_memory_has() -> None:
    """A25: heading and one sentence, then Overview, Key Points, Details and Constraints; A26: a place for code."""
    body = guidelines.TEMPLATE.format(title="Redis setup")
    headings = [line for line in body.split("\n") if line.startswith("#")]
    assert headings == ["# Redis setup", "## Overview", "## Key Points", "## Details", "## Constraints"]
    assert "code example" in body
    assert [level for level, _ in advice(memory(body))] == ["warning"]  # it is short until somebody fills it


# ---------------------------------------------------------------- tags and origin


@pytest.mark.parametrize("tag", STANDARD_TAGS)
def test_one_standard_tag_is_enough(tag: str) -> None:
    """A14: among others, in any place."""
    assert advice(memory(tags=f"[mine, {tag}]")) == []


def test_the_standard_tags_are_those_of_the_seeds() -> None:
    """A14: the seven of 003."""
    assert set(STANDARD_TAGS) == {
        "codebase-structure",
        "code-patterns",
        "api-surface",
        "data-model",
        "failures",
        "solutions",
        "constraints",
    }


@pytest.mark.parametrize("tags", [None, "[]", "[auth, important]"])
def test_no_standard_tag_is_a_hint(tags: str | None) -> None:
    """A14, K11: tags are optional, and the hint lists those to choose from."""
    problem = only(memory(tags=tags))
    assert (problem.level, problem.reason) == ("hint", "none of the standard tags")
    assert all(tag in problem.hint for tag in STANDARD_TAGS)


@pytest.mark.parametrize("origin", [{"source": "a.py"}, {"source": None, "discoveredIn": '"Task: x"'}])
def test_a_task_or_a_source_says_where_it_was_found(origin: dict[str, str | None]) -> None:
    """A28: either makes it possible to check."""
    assert advice(memory(**origin)) == []


def test_neither_task_nor_source_is_a_hint() -> None:
    """A28: date everything, and say where it is from."""
    problem = only(memory(source=None))
    assert (problem.level, problem.reason) == ("hint", "nothing says where this was found")
    assert "`discoveredIn` or `source`" in problem.hint


def test_nothing_is_asked_of_what_was_forgotten() -> None:
    """A stub is short because it has to be."""
    library = testing.library()
    library.remember("Key", "It held a key.", "x")
    library.forget("Key", purge=True)
    assert library.validate() == []


# ---------------------------------------------------------------- memories side by side


def test_a_title_that_is_taken_twice_is_a_warning() -> None:
    """A8: titles are unique; the second file is told of the first, and what to do."""
    library = testing.library({"a.md": data(title="Redis"), "b.md": data(title="Redis")})
    (problem,) = [problem for problem in library.validate() if "title" in problem.reason and problem.level == "warning"]
    assert (problem.file, problem.reason) == ("b.md", "the same title as a.md")
    assert problem.hint == "give them different titles"


def test_a_title_that_differs_only_in_case_is_a_warning() -> None:
    """A8: who looks for one may mean the other."""
    assert compared(a=data(title="Redis"), b=data(title="REDIS")) == [
        ("b.md", "a title that differs only in case from a.md")
    ]


def test_titles_that_differ_are_fine() -> None:
    """A8: a title that begins like another is another."""
    assert compared(redis=data(title="Redis"), setup=data(title='"Redis setup"')) == []


def test_two_stubs_of_one_day_are_no_twins() -> None:
    """A8: their titles were given by us, and nobody has to change them."""
    library = testing.library()
    library.remember("One", "x", "x")
    library.remember("Two", "x", "x")
    library.forget("One", purge=True)
    library.forget("Two", purge=True)
    assert library.validate() == []


@pytest.mark.parametrize("name", ["routes", "routes.md", "api/routes", "api/routes.md", '"All routes"'])
def test_a_related_memory_goes_by_id_stem_or_file(name: str) -> None:
    """A17, K13: any way to name it leads to it, also where it lies in a subfolder."""
    assert compared(a=data(title="A", relatedMemories=f"[{name}]"), api__routes=data(title='"All routes"')) == []


def test_a_related_memory_that_is_not_there_is_a_warning() -> None:
    """A17, K13: danglers are reported with the name that leads nowhere."""
    found = compared(a=data(title="A", relatedMemories="[b, nothing, nothing.md]"), b=data(title="B"))
    assert found == [("a.md", "relatedMemories names 'nothing'"), ("a.md", "relatedMemories names 'nothing.md'")]


def test_a_related_memory_that_cannot_be_read_is_there() -> None:
    """K13: a broken file is a problem of its own, not one of those that name it."""
    assert compared(a=data(title="A", relatedMemories="[broken]"), broken=b"not a memory") == []


def test_an_update_can_name_a_related_memory() -> None:
    """K13: the links of every statement are followed."""
    library = testing.library()
    library.remember("A", "x", "x")
    library.remember("A", "x", "x", related=["nothing"])
    assert [problem.reason for problem in library.validate() if "related" in problem.reason] == [
        "relatedMemories names 'nothing'"
    ]


# ---------------------------------------------------------------- what advice is


@pytest.mark.parametrize(
    "content",
    [text(body=""), text(body="x " * 3000, tags=None, title='"Other"'), text(body="# a\n\n# b", relatedMemories="[z]")],
)
def test_advice_is_never_an_error(content: str) -> None:
    """A22 to A28 are guidelines: warnings and hints, each with its file and what to do."""
    found = [*guidelines.review(decoded(content)), *guidelines.compare([decoded(content)])]
    assert found
    assert {problem.level for problem in found} <= {"warning", "hint"}
    assert all(problem.file == "x.md" and problem.hint for problem in found)


@pytest.mark.parametrize("line", ["## a" + " " * 300_000 + "b", "## a" + "#" * 300_000 + "b", "```\n~~~\n" * 60_000])
def test_no_text_takes_long_to_review(line: str) -> None:
    """A hostile file does not hang `validate`; in the square of its length this would take minutes."""
    begun = time.process_time()
    guidelines.review(memory(f"# Redis setup\n\n{line}\n\n{'word ' * 2500}"))
    assert time.process_time() - begun < 5


def test_several_tags_in_one_text_are_a_warning() -> None:
    """`failures, constraints` in one text is neither of the two."""
    found = advice(memory(tags='["failures, constraints", solutions]'))
    assert found == [("warning", '"failures, constraints" is one tag')]
