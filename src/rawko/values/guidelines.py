"""What a good memory looks like: the conventions of the format as warnings and hints, never as errors."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from rawko.values.errors import Problem
from rawko.values.memory import STANDARD_TAGS, Memory
from rawko.values.text import folded, is_of_a_word, slug

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FEWEST_WORDS = 50
IDEAL_WORDS = (200, 500)
MOST_WORDS = 2000

_HEADING = re.compile(r"^(#{1,6}) +(\S.*)$", re.MULTILINE)
_FENCED = re.compile(
    r"^ {0,3}(?:(`{3,})(?!`)[^`\n]*|(~{3,})(?!~)[^\n]*)$(?:.*?^ {0,3}(?:\1`*|\2~*)[ \t]*$|.*\Z)",
    re.MULTILINE | re.DOTALL,
)
_UNSPACED = re.compile(
    "[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)

TEMPLATE = """\
# {title}

One sentence that says what this memory covers.

## Overview

What was found, in a few lines.

## Key Points

- The first point

## Details

Where it is (`src/...`), how it is done, a short code example where it helps.

## Constraints

Limits and pitfalls.
"""


def review(memory: Memory) -> list[Problem]:
    """Everything about one memory that its author may want to improve."""
    if memory.status == "forgotten":
        return []
    return [*_length(memory), *_naming(memory), *_headings(memory), *_tags(memory), *_origin(memory)]


def compare(memories: Iterable[Memory], unreadable: Iterable[str] = ()) -> list[Problem]:
    """What only shows when memories are seen together: titles that are taken twice, links that lead nowhere.

    `unreadable` names files that are there as well, though nobody can say what is in them.
    """
    known = list(memories)
    return [*_twins(known), *_danglers(known, unreadable)]


def split_points(content: str) -> list[tuple[str, int]]:
    """The second-level sections of a long text with their words: each could be a memory of its own."""
    found = [heading for heading in _HEADING.finditer(_blanked(content)) if heading[1] == "##"]
    ends = [*(heading.start() for heading in found), len(content)][1:]
    pairs = zip(found, ends, strict=True)
    return [(heading[2].rstrip(" #"), words(content[heading.end() : end])) for heading, end in pairs]


def words(text: str) -> int:
    """How many words a reader would count; two characters are one where a script puts no spaces between words."""
    return len(_UNSPACED.sub(" ", text).split()) + (len(_UNSPACED.findall(text)) + 1) // 2


def _length(memory: Memory) -> Iterator[Problem]:
    count = words(memory.content)
    if count > MOST_WORDS:
        parts = ", ".join(f"{name} ({size})" for name, size in split_points(memory.content)[:6])
        hint = f"split it into one memory per section: {parts}" if parts else "split it into several memories"
        yield Problem(memory.file, f"{count} words; {MOST_WORDS} is the most that reads well", hint, level="warning")
    elif count < FEWEST_WORDS:
        hint = f"say something specific; {IDEAL_WORDS[0]} to {IDEAL_WORDS[1]} words are ideal"
        yield Problem(memory.file, f"only {count} word{'' if count == 1 else 's'}", hint, level="warning")


def _naming(memory: Memory) -> Iterator[Problem]:
    name = memory.file.rsplit("/", 1)[-1]
    if not _is_kebab(name.removesuffix(".md")):
        hint = f"a kebab-case name such as {slug(memory.title)}.md"
        yield Problem(memory.file, "the file name is not kebab-case", hint, level="warning")
    elif not _is_akin(name.removesuffix(".md"), slug(memory.title)):
        hint = f"for example {slug(memory.title)}.md"
        yield Problem(memory.file, "the file name says nothing of the title", hint, level="hint")


def _is_kebab(stem: str) -> bool:
    return stem == stem.lower() and all(part and all(map(is_of_a_word, part)) for part in stem.split("-"))


def _is_akin(stem: str, wanted: str) -> bool:
    """Whether two names share a word, or the beginning of one: `auth` is said of `authentication`."""
    pairs = itertools.product(stem.split("-"), wanted.split("-"))
    return any(a == b or (min(len(a), len(b)) > 1 and (a.startswith(b) or b.startswith(a))) for a, b in pairs)


def _headings(memory: Memory) -> Iterator[Problem]:
    found = [heading[1] for heading in _HEADING.finditer(_blanked(memory.body))]
    if not found:
        yield Problem(memory.file, "the body has no heading", f"begin it with `# {memory.title}`", level="hint")
    if found.count("#") > 1:
        hint = "one concept per memory: give each its own file"
        yield Problem(memory.file, f"{found.count('#')} first-level headings", hint, level="warning")


def _tags(memory: Memory) -> Iterator[Problem]:
    for tag in memory.tags:
        if "," in tag:
            yield Problem(memory.file, f'"{tag}" is one tag', "write several as a list: [one, other]", level="warning")
    if not set(memory.tags) & set(STANDARD_TAGS):
        hint = f"add one of {', '.join(STANDARD_TAGS)}"
        yield Problem(memory.file, "none of the standard tags", hint, level="hint")


def _origin(memory: Memory) -> Iterator[Problem]:
    if not memory.discovered_in and not memory.source:
        hint = "add `discoveredIn` or `source`, so that it can be checked"
        yield Problem(memory.file, "nothing says where this was found", hint, level="hint")


def _twins(memories: list[Memory]) -> Iterator[Problem]:
    first: dict[str, Memory] = {}
    for memory in (memory for memory in memories if memory.status != "forgotten"):
        twin = first.setdefault(folded(memory.title), memory)
        if twin is not memory:
            same = "the same title as" if twin.title == memory.title else "a title that differs only in case from"
            yield Problem(memory.file, f"{same} {twin.file}", "give them different titles", level="warning")


def _danglers(memories: list[Memory], unreadable: Iterable[str]) -> Iterator[Problem]:
    paths = [*(memory.file for memory in memories), *unreadable]
    names = {name for path in paths for name in (path, path.rsplit("/", 1)[-1])}
    known = names | {name.removesuffix(".md") for name in names} | {memory.title for memory in memories}
    for memory in memories:
        for name in memory.related:
            if name not in known:
                yield Problem(
                    memory.file, f"relatedMemories names {name!r}", "there is no such memory", level="warning"
                )


def _blanked(content: str) -> str:
    """The content with fenced code blanked out, every other character in its place."""
    return _FENCED.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), content)
