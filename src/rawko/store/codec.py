"""Text ⇄ value for memory files, whose keys are camelCase here and nowhere above.

Reading never changes a byte, and whatever cannot be read is named with its line. Writing only ever makes a new
file's text or the text of one more update; both are plain strings, so the store decides where they go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from rawko.store import frontmatter, sections
from rawko.store.frontmatter import Refused
from rawko.values.errors import InvalidMemory, Problem, UnreadableMemory
from rawko.values.memory import IMPORTANCES, UPDATE_KINDS, Memory, Update
from rawko.values.record import replace
from rawko.values.text import json_line, quoted, unbroken
from rawko.values.times import format_date, format_time, parse_time

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from rawko.store.sections import Section

MAX_BYTES = 4 * 1024 * 1024

_KEYS = {
    "title": "title",
    "when_to_use": "whenToUse",
    "tags": "tags",
    "importance": "importance",
    "source": "source",
    "related": "relatedMemories",
    "task": "discoveredIn",
    "agent": "discoveredBy",
}
"""The fields of a draft, with the keys that they have in a file."""
_KNOWN_KEYS = frozenset({*_KEYS.values(), "discoveredAt"})
_BARE = r"[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*\Z"
_TYPED_BY_OTHERS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_OPENING = re.compile(r"\s*^---[^\S\n]*\n", re.MULTILINE)
_CLOSING = re.compile(r"^---[^\S\n]*$", re.MULTILINE)
_SUM = re.compile(rb', "(?:lines|sum)": "[0-9a-f]+"')
_EPOCH = parse_time("1970-01-01")


def decode(file: str, data: bytes, front: frontmatter.Mapping | None = None) -> Memory:
    """The memory that a file's bytes spell. Raises UnreadableMemory with every problem of that file.

    `front` is what `front_of` said of the same bytes before; then no YAML is read again.
    """
    return _Decoder(file).decoded(data, front)


def read(file: str, data: bytes) -> tuple[Memory, frontmatter.Mapping | None]:
    """The memory that a file's bytes spell, and its frontmatter for `decode`; None where a merge left several."""
    decoder = _Decoder(file)
    return decoder.decoded(data), decoder.front


class Given(NamedTuple):
    """A text that somebody wants kept: its content, its fields as `Draft` names them, and the keys left out.

    `named` has every field whose key is there, also those with nothing behind it.
    """

    content: str
    fields: dict[str, Any]
    named: frozenset[str] = frozenset()
    left_out: tuple[str, ...] = ()


def given(place: str, text: str) -> Given:
    """What a text with or without frontmatter gives to be kept. Raises UnreadableMemory with every problem of it."""
    if not _OPENING.match(text):
        return Given(text, {})
    try:
        return _Decoder(place).given(text)
    except Refused as refused:
        raise UnreadableMemory((Problem(place, refused.reason, refused.hint, refused.line),)) from refused


def title_of(data: bytes) -> str | None:
    """The title in a file's frontmatter as titles are compared, or None where there is none to read."""
    try:
        title = split_frontmatter(text_of(data))[0][0].values.get("title")
    except Refused:
        return None
    return unbroken(title) or None if isinstance(title, str) else None


def text_of(data: bytes) -> str:
    """The bytes as text with plain newlines. Raises Refused."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Refused(1, "this is UTF-16 text", "save the file as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Refused(line, f"byte 0x{data[error.start]:02x} is not UTF-8", "save the file as UTF-8") from error
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise Refused(line, "there is a NUL byte", "this is not a text file, or it is damaged")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def split_frontmatter(
    text: str, known: frontmatter.Mapping | None = None
) -> tuple[list[frontmatter.Mapping], list[str], int]:
    """The frontmatter (several where a merge made one of them), the body, and the line it begins on. Raises Refused."""
    opening = _OPENING.match(text)
    if not opening:
        start = text[: len(text) - len(text.lstrip())].count("\n") + 1
        if not text.strip():
            raise Refused(1, "the file is empty", "write frontmatter and a body, or remove the file")
        raise Refused(start, "there is no frontmatter", "the first line must be `---`")
    line = text.count("\n", 0, opening.end()) + 1
    closing = _CLOSING.search(text, opening.end(), opening.end() + frontmatter.MAX_BYTES)
    if not closing:
        hint = f"end it with a line `---` within {frontmatter.MAX_BYTES // 1024} KB"
        raise Refused(line - 1, "the frontmatter is not closed", hint)
    lines = text[opening.end() : closing.start()].split("\n")
    fronts = [known] if known else sections.load_fronts(lines, line)
    body_line = text.count("\n", 0, closing.end()) + 2
    return fronts, text[closing.end() + 1 :].split("\n"), body_line


class _Decoder:
    """Decodes one file, and collects what is wrong with it so that a person can mend it all at once."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._problems: list[Problem] = []
        self.front: frontmatter.Mapping | None = None
        """The frontmatter, once read, where there is one only."""

    def decoded(self, data: bytes, known: frontmatter.Mapping | None = None) -> Memory:
        """The memory in a file's bytes, or an UnreadableMemory with every problem found."""
        try:
            return self.memory(text_of(data), known)
        except Refused as refused:
            problem = Problem(self._file, refused.reason, refused.hint, refused.line)
            raise UnreadableMemory((problem,)) from refused

    def memory(self, text: str, known: frontmatter.Mapping | None = None) -> Memory:
        """The memory, or an UnreadableMemory with every problem found."""
        if found := sections.conflict(text):
            hint = "keep what both sides say, remove the marker lines; `rawko doctor` shows them"
            raise Refused(found[0] + 1, "there is an unresolved git conflict", hint)
        (front, *others), body, body_line = split_frontmatter(text, known)
        self.front = None if others else front
        front = _completed(front, others[-1]) if others else front
        title = self._text(front, "title", required=True)
        opening, *later = sections.split(body, body_line)
        first = self._statement(front, opening.content, required=True)
        opening.fronts, opening.merged = others, True
        updates = [*self._added(opening, front)]
        for section in later:
            updates += self._added(section, front) if section.fronts else [self._update(section)]
        if self._problems:
            raise UnreadableMemory(tuple(self._problems))
        extra = {key: value for key, value in front.values.items() if key not in _KNOWN_KEYS}
        return Memory(self._file, title, first, tuple(updates), extra)

    def given(self, text: str) -> Given:
        """The content and the fields of a text that is to become a memory; nothing is required of it yet."""
        (front, *_), body, _ = split_frontmatter(text)
        fields = {
            "title": self._text(front, "title"),
            "agent": self._text(front, "discoveredBy"),
            "task": self._text(front, "discoveredIn"),
            **self._claims(front, required=False),
        }
        if self._problems:
            raise UnreadableMemory(tuple(self._problems))
        fields["when_to_use"] = tuple(filter(str.strip, fields["when_to_use"]))
        said = {name: value for name, value in fields.items() if value}
        named = frozenset(name for name, key in _KEYS.items() if key in front.values)
        left_out = tuple(key for key in front.values if key not in _KEYS.values())
        return Given("\n".join(body), said, named, left_out)

    def _statement(self, front: frontmatter.Mapping, content: str, *, required: bool) -> Update:
        return Update(
            content=content,
            at=self._moment(front, "discoveredAt"),
            by=self._text(front, "discoveredBy", required=required),
            task=self._text(front, "discoveredIn") or None,
            **self._claims(front, required=required),
        )

    def _added(self, section: Section, first: frontmatter.Mapping) -> list[Update]:
        """What frontmatter further down states, and what a merge left of it."""
        fronts = [_completed(front, first) if section.merged else front for front in section.fronts]
        return [self._statement(front, section.content, required=False) for front in fronts]

    def _update(self, section: Section) -> Update:
        claims = frontmatter.Mapping(section.claims, dict.fromkeys(section.claims, section.line))
        kind = self._choice(claims, "kind", UPDATE_KINDS) or "update"
        update = Update(
            content=section.content,
            at=self._moment(claims, "at") if "at" in section.claims else self._day(section),
            by=self._text(claims, "by"),
            kind=kind,
            task=self._text(claims, "in") or None,
            replaced_by=self._text(claims, "replacedBy") or None,
            id=self._text(claims, "id"),
            **self._claims(claims, required=False),
        )
        return replace(update, content=update.content.removeprefix(update.mark).strip())

    def _claims(self, front: frontmatter.Mapping, *, required: bool) -> dict[str, Any]:
        return {
            "when_to_use": self._texts(front, "whenToUse", required=required),
            "tags": self._texts(front, "tags"),
            "importance": self._choice(front, "importance", IMPORTANCES, required=required),
            "source": self._text(front, "source") or None,
            "related": self._texts(front, "relatedMemories"),
        }

    def _wrong(self, front: frontmatter.Mapping, key: str, reason: str, hint: str) -> None:
        line = front.lines.get(key, min(front.lines.values(), default=2))
        self._problems.append(Problem(self._file, reason, hint, line))

    def _missing(self, front: frontmatter.Mapping, key: str) -> None:
        if key in front.values:
            self._wrong(front, key, f"`{key}` is empty", "give it a value")
            return
        near = [name for name in front.values if name.replace("_", "").lower() == key.lower()]
        hint = f"`{near[0]}` is spelt `{key}`" if near else f"add a line `{key}: ...` to the frontmatter"
        self._wrong(front, near[0] if near else key, f"`{key}` is missing", hint)

    def _text(self, front: frontmatter.Mapping, key: str, *, required: bool = False) -> str:
        value = front.values.get(key, "")
        if not isinstance(value, str):
            self._wrong(front, key, f"`{key}` must be one text", f"write `{key}: ...` on one line")
            return ""
        if required and not value.strip():
            self._missing(front, key)
        return value.strip()

    def _texts(self, front: frontmatter.Mapping, key: str, *, required: bool = False) -> tuple[str, ...]:
        value = front.values.get(key, "")
        values = ([value] if value.strip() else []) if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(item, str) for item in values):
            self._wrong(front, key, f"`{key}` must be a text or a list of texts", f'write `{key}: ["...", "..."]`')
            return ()
        if required and not values:
            self._missing(front, key)
        return tuple(str(item) for item in values)

    def _choice(
        self, front: frontmatter.Mapping, key: str, choices: tuple[str, ...], *, required: bool = False
    ) -> str | None:
        value = self._text(front, key, required=required)
        if value and value not in choices:
            self._wrong(front, key, f"`{key}` is {value[:60]!r}", f"use one of {', '.join(choices)}")
        return value if value in choices else None

    def _moment(self, front: frontmatter.Mapping, key: str) -> datetime:
        value = self._text(front, key, required=True)
        try:
            return parse_time(value)
        except ValueError:
            if value:
                self._wrong(front, key, f"`{key}` is {value[:60]!r}", "write it as 2026-01-23T10:30:00Z")
            return _EPOCH

    def _day(self, section: Section) -> datetime:
        try:
            return parse_time(section.date)
        except ValueError:
            reason, hint = f"the update has no date ({section.date!r})", "put `## Update (2026-01-23)` above it"
            self._problems.append(Problem(self._file, reason, hint, section.line))
            return _EPOCH


def _completed(front: frontmatter.Mapping, other: frontmatter.Mapping) -> frontmatter.Mapping:
    """What a union merge left of a frontmatter, with the author that it shared with another."""
    if "discoveredBy" in front.values:
        return front
    shared = {key: value for key, value in other.values.items() if key in {"discoveredIn", "discoveredBy"}}
    return frontmatter.Mapping({**shared, **front.values}, front.lines)


def encode(title: str, first: Update) -> bytes:
    """The whole text of a new memory file."""
    lines = [
        "---",
        f"title: {quoted(title)}",
        "whenToUse:",
        *[f"  - {quoted(pattern)}" for pattern in first.when_to_use],
        f"tags: [{', '.join([_plain(tag) for tag in first.tags])}]",
        f"importance: {first.importance}",
        f"source: {quoted(first.source)}" if first.source else "",
        f"relatedMemories: [{', '.join([quoted(name) for name in first.related])}]" if first.related else "",
        # The date comes last: two branches that add the same memory differ here, and a union merge shares the rest.
        # The author comes just before: where a merge shared that, it shared the task as well.
        f"discoveredIn: {quoted(first.task)}" if first.task else "",
        f"discoveredBy: {_plain(first.by)}",
        f"discoveredAt: {format_time(first.at)}",
        "---",
    ]
    head = "\n".join(filter(None, lines))
    if len(head.encode()) > frontmatter.MAX_BYTES:
        hint = "move what is long into the content"
        raise InvalidMemory(f"the fields have more than {frontmatter.MAX_BYTES // 1024} KB in all", hint=hint)
    return f"{head}\n\n{sections.protect(plain(first.content))}\n".encode()


def encode_update(update: Update, existing: bytes) -> bytes:
    """The bytes that one update adds to the end of a memory file, with the line ends that the file has."""
    text = replace(update, content=sections.protect(plain(update.content))).text
    pairs = [
        ("id", update.id),
        ("at", format_time(update.at)),
        ("by", update.by),
        ("kind", "" if update.kind == "update" else update.kind),
        ("in", update.task),
        ("whenToUse", update.when_to_use),
        ("tags", update.tags),
        ("importance", update.importance),
        ("source", update.source),
        ("relatedMemories", update.related),
        ("replacedBy", update.replaced_by),
        ("sum", sections.checksum(text)),
        ("lines", sections.fingerprints(text)),
    ]
    claims = _claimed({key: value for key, value in pairs if value})
    header = f"## Update ({format_date(update.at)})\n<!-- rawko:{sections.FORMAT} {claims} -->"
    added = f"\n\n---\n\n{header}\n\n{text}\n"
    return (added.replace("\n", "\r\n") if b"\r\n" in existing[:4096] else added).encode()


def without(data: bytes, text: str, mark: str) -> bytes:
    """The bytes with a mark in the place of a text: as it is, with the file's line ends, in quotes, in a comment."""
    spellings = (text, text.replace("\n", "\r\n"), quoted(text)[1:-1], _claimed(text)[1:-1])
    kept = data
    for spelling in spellings:
        kept = kept.replace(spelling.encode(), mark.encode())
    if kept == data:
        return data
    lines = kept.split(b"\n")  # a checksum would help to guess what was there
    return b"\n".join(_SUM.sub(b"", line) if line.startswith(b"<!-- rawko:") else line for line in lines)


def said(data: bytes) -> str:
    """Every text that a file spells, known to us or not, for looking whether something is in it. Raises Refused."""
    fronts, body, line = split_frontmatter(text_of(data))
    parts = sections.split(body, line)
    values = [front.values for part in parts for front in part.fronts] + [front.values for front in fronts]
    return "\n".join([*(part.content for part in parts), *_scalars([*values, *(part.claims for part in parts)])])


def _scalars(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from _scalars([*value, *value.values()])
    elif isinstance(value, list):
        for item in value:
            yield from _scalars(item)
    else:
        yield str(value)


def refuse_large(name: str, data: bytes) -> None:
    """Refuse to make a file that could not be read. Raises InvalidMemory."""
    if len(data) > MAX_BYTES:
        hint = "start a new memory, and name this one as related"
        raise InvalidMemory(f"{name} would grow beyond {MAX_BYTES:,} bytes", hint=hint)


def _claimed(value: object) -> str:
    """A value as it stands in a comment, which it cannot end."""
    return json_line(value).replace(">", "\\u003e")


def _plain(text: str) -> str:
    """A scalar without quotes where every YAML reader takes it for the same text."""
    return text if re.match(_BARE, text) and text.lower() not in _TYPED_BY_OTHERS else quoted(text)


def plain(content: str) -> str:
    """The content as it reads back: trimmed, with plain newlines."""
    if "\x00" in content:
        raise InvalidMemory("the content has a NUL character in it", hint="give text, not bytes")
    return content.replace("\r\n", "\n").replace("\r", "\n").strip()
