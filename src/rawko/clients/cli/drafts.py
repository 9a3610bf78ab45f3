"""What a person gives to be kept: as flags, a file, standard input, or a text written in an editor."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from rawko.store import codec
from rawko.store.frontmatter import Refused
from rawko.values.errors import InvalidMemory, UnreadableMemory
from rawko.values.guidelines import TEMPLATE
from rawko.values.memory import IMPORTANCES, STANDARD_TAGS
from rawko.values.text import quoted

if TYPE_CHECKING:
    from rawko.store.codec import Given

STDIN = "standard input"


def given(content: str | None, file: BinaryIO | None) -> Given | None:
    """What was given as text, as a file or on standard input; None where a person is to be asked."""
    _refuse_both(content, file)
    if file is not None:
        return parse(*_read(file))
    if content not in (None, "-"):
        return codec.Given(_said("--content", str(content)), {})
    if content is None and somebody_is_there():
        return None
    return parse(STDIN, standard_input())


def plain(content: str | None, file: BinaryIO | None, what: str) -> str:
    """A text without frontmatter: given as it is, as a file, on standard input, or written in an editor."""
    _refuse_both(content, file)
    if file is not None:
        return _without_frontmatter(*_read(file), what)
    if content not in (None, "-"):
        return _said("--content", str(content))
    if content is None and somebody_is_there():
        return edited("", what)
    return _said(STDIN, standard_input())


def parse(place: str, text: str) -> Given:
    """The text as content, or where it begins with frontmatter, as fields and content. Raises InvalidMemory."""
    try:
        found = codec.given(place, _said(place, text))
    except UnreadableMemory as error:
        raise InvalidMemory(error.message, hint=error.hint) from error
    if not found.content.strip():
        raise InvalidMemory(f"{place} has nothing below the frontmatter", hint="write there what is to be kept")
    return found


def _refuse_both(content: str | None, file: BinaryIO | None) -> None:
    if content is not None and file is not None:
        raise click.UsageError("--content and --file exclude each other")


def _said(place: str, text: str) -> str:
    if not text.strip():
        hint = "give the text with --content or --file, or on standard input"
        raise InvalidMemory(f"{place} is empty", hint=hint)
    return text


def _without_frontmatter(place: str, text: str, what: str) -> str:
    if text.lstrip().partition("\n")[0].rstrip() == "---":
        hint = "take the frontmatter out; tags, patterns and the like are flags here"
        raise InvalidMemory(f"{place} begins with frontmatter, and {what} is text alone", hint=hint)
    return _said(place, text)


def template(flags: dict[str, Any]) -> str:
    """The text that an editor opens on: frontmatter filled from the flags, and the headings of a good memory."""
    patterns = "".join(f"\n  - {quoted(pattern)}" for pattern in flags.get("when_to_use") or ("",))
    tags = ", ".join(map(quoted, flags.get("tags", ())))
    front = [
        "---",
        f"title: {quoted(flags.get('title') or '')}",
        f'whenToUse:  # one pattern a line, such as "auth|login|oauth"{patterns}',
        f"tags: [{tags}]  # such as {', '.join(STANDARD_TAGS)}",
        f"importance: {flags.get('importance') or 'medium'}  # {', '.join(IMPORTANCES)}",
        "---",
    ]
    return "\n".join([*front, "", TEMPLATE.format(title=flags.get("title") or "Title")])


def edited(text: str, what: str) -> str:
    """What a person makes of a text in their editor. Raises InvalidMemory if they leave it as it is, or empty."""
    try:
        changed = click.edit(text, extension=".md")
    except (click.ClickException, ValueError) as error:
        hint = "set $EDITOR to one that works, or give the text with --content"
        raise InvalidMemory(f"nothing was written: {getattr(error, 'message', error)}", hint=hint) from error
    if changed is None or not changed.strip() or changed.strip() == text.strip():
        state = "empty" if changed is not None and not changed.strip() else "left as it was"
        raise InvalidMemory(f"nothing was written: {what} was {state}")
    return changed


def rescued(text: str) -> str:
    """The path of a new file that keeps a text a person wrote, when it could not be taken."""
    descriptor, path = tempfile.mkstemp(prefix="rawko-", suffix=".md")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def _read(file: BinaryIO) -> tuple[str, str]:
    """What a file is called, and the text in it."""
    name = str(getattr(file, "name", "-"))
    place = STDIN if name in {"<stdin>", "-"} else name
    return place, _decoded(place, file)


def _decoded(place: str, stream: BinaryIO) -> str:
    data = stream.read(codec.MAX_BYTES + 1)
    if len(data) > codec.MAX_BYTES:
        raise InvalidMemory(f"{place} has more than {codec.MAX_BYTES:,} bytes", hint="split it into several memories")
    try:
        return codec.text_of(data)
    except Refused as refused:
        raise InvalidMemory(f"{place}:{refused.line}: {refused.reason}", hint=refused.hint) from refused


def standard_input() -> str:
    """The text on standard input, as it is."""
    return _decoded(STDIN, sys.stdin.buffer if sys.stdin is not None else io.BytesIO())


def somebody_is_there() -> bool:
    """Whether standard input is a terminal, so that a person can be asked."""
    return sys.stdin is not None and sys.stdin.isatty()
