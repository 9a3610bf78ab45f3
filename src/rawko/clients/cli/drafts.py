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
IN_TEMPLATE = ("title", "when_to_use", "tags", "importance")


def given(content: str | None, file: BinaryIO | None) -> Given | None:
    """What was given as text, as a file or on standard input; None where a person is to be asked."""
    if file is not None:
        name = str(getattr(file, "name", "-"))
        place = STDIN if name in {"<stdin>", "-"} else name
        return parse(place, _decoded(place, file))
    if content not in (None, "-"):
        return codec.Given(str(content), {})
    if content is None and _somebody_is_there():
        return None
    return parse(STDIN, _decoded(STDIN, _stdin()))


def plain(content: str | None, what: str) -> str:
    """A text without frontmatter: given as it is, on standard input, or written in an editor."""
    if content not in (None, "-"):
        return str(content)
    if content is None and _somebody_is_there():
        return edited("", what)
    return _decoded(STDIN, _stdin())


def parse(place: str, text: str) -> Given:
    """The text as content, or where it begins with frontmatter, as fields and content. Raises InvalidMemory."""
    try:
        return codec.given(place, text)
    except UnreadableMemory as error:
        raise InvalidMemory(error.message, hint=error.hint) from error


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
    changed = click.edit(text, extension=".md")
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


def _decoded(place: str, stream: BinaryIO) -> str:
    data = stream.read(codec.MAX_BYTES + 1)
    if len(data) > codec.MAX_BYTES:
        raise InvalidMemory(f"{place} has more than {codec.MAX_BYTES:,} bytes", hint="split it into several memories")
    try:
        return codec.text_of(data)
    except Refused as refused:
        raise InvalidMemory(f"{place}:{refused.line}: {refused.reason}", hint=refused.hint) from refused


def _somebody_is_there() -> bool:
    """Whether standard input is a terminal, so that a person can be asked."""
    return sys.stdin is not None and sys.stdin.isatty()


def _stdin() -> BinaryIO:
    return sys.stdin.buffer if sys.stdin is not None else io.BytesIO()
