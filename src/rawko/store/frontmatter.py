"""YAML read with suspicion: parse events only, every scalar a string, nothing that can grow.

PyYAML's loaders can be made to crash, to spin or to fill memory by a few hundred bytes. Its event
parser cannot, as long as whoever drives it refuses anchors, tags and depth; so this module drives it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rawko.values.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml.events import Event, NodeEvent

MAX_BYTES = 64 * 1024
MAX_DEPTH = 8

QUOTE_IT = 'put the value in quotes: "..."'

Value = str | list["Value"] | dict[str, "Value"]


class Refused(Exception):
    """The text is not YAML that we read; says where, why and what to do."""

    def __init__(self, line: int, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason
        self.hint = hint


class Mapping(Record):
    """The top-level keys of a YAML text, and the line on which each stands."""

    values: dict[str, Value]
    lines: dict[str, int]


def load(text: str, first_line: int = 1) -> Mapping:
    """Read one YAML mapping; `first_line` is where the text begins in its file. Raises Refused."""
    if len(text.encode()) > MAX_BYTES:
        raise Refused(first_line, f"more than {MAX_BYTES // 1024} KB of YAML", "move the text into the body")
    lines = text.split("\n")
    if all(line.lstrip().startswith("#") or not line.strip() for line in lines):
        return Mapping({}, {})  # a file of comments, as a new config.yaml is, is not worth loading a parser for
    if "..." in lines:
        raise Refused(first_line + lines.index("..."), "`...` ends a YAML document", "remove that line")
    return _Reader(text, first_line).mapping()


class _Reader:
    """Builds plain values from the events of one document."""

    def __init__(self, text: str, first_line: int) -> None:
        self._first_line = first_line
        self._lines = text.split("\n")
        self._events = self._guarded(text)

    def mapping(self) -> Mapping:
        """The document's one mapping; an empty document is an empty one."""
        from yaml import events  # noqa: PLC0415 - YAML stays off the hot path

        event = next(self._events, None)
        if event is None or (isinstance(event, events.ScalarEvent) and not event.value):
            return Mapping({}, {})
        if not isinstance(event, events.MappingStartEvent):
            raise Refused(self._line(event), "not a mapping of keys to values", "write lines such as `title: ...`")
        lines: dict[str, int] = {}
        found = Mapping(self._pairs(1, lines), lines)
        next(self._events, None)  # whatever follows the mapping must not go unread
        return found

    def _guarded(self, text: str) -> Iterator[Event]:
        import yaml  # noqa: PLC0415 - YAML stays off the hot path

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        documents = 0
        try:
            for event in yaml.parse(text, Loader=loader):
                if isinstance(event, yaml.DocumentStartEvent):
                    documents += 1
                    if documents > 1:
                        raise Refused(self._line(event), "more than one YAML document", "keep one of them")
                elif isinstance(event, yaml.NodeEvent):
                    self._refuse_growth(event)
                    yield event
                elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                    yield event
        except yaml.YAMLError as error:
            raise self._refused(error) from error

    def _refused(self, error: Exception) -> Refused:
        mark = getattr(error, "problem_mark", None)
        line = self._first_line + (mark.line if mark else 0)
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        is_tab = mark and self._lines[mark.line : mark.line + 1] and self._lines[mark.line].startswith("\t")
        return Refused(line, f"not YAML: {reason}", "indent with spaces, not with tabs" if is_tab else QUOTE_IT)

    def _refuse_growth(self, event: NodeEvent) -> None:
        if type(event).__name__ == "AliasEvent":
            hint = f'a value that begins with * needs quotes: "*{event.anchor}"'
            raise Refused(self._line(event), f"*{event.anchor} is a YAML alias", hint)
        if event.anchor:
            raise Refused(self._line(event), f"&{event.anchor} is a YAML anchor", QUOTE_IT)
        if getattr(event, "tag", None) not in (None, "!"):
            raise Refused(self._line(event), "YAML tags (!...) are not read", QUOTE_IT)

    def _value(self, event: Event, depth: int) -> Value:
        from yaml import events  # noqa: PLC0415 - the same

        if isinstance(event, events.ScalarEvent):
            return str(event.value)
        if depth >= MAX_DEPTH:
            raise Refused(self._line(event), f"nested deeper than {MAX_DEPTH} levels", QUOTE_IT)
        if isinstance(event, events.MappingStartEvent):
            return self._pairs(depth + 1, {})
        return self._items(depth + 1)

    def _items(self, depth: int) -> list[Value]:
        items: list[Value] = []
        while type(event := next(self._events)).__name__ != "SequenceEndEvent":
            items.append(self._value(event, depth))
        return items

    def _pairs(self, depth: int, lines: dict[str, int]) -> dict[str, Value]:
        pairs: dict[str, Value] = {}
        while type(event := next(self._events)).__name__ != "MappingEndEvent":
            if type(event).__name__ != "ScalarEvent":
                raise Refused(self._line(event), "a key must be a plain word", QUOTE_IT)
            key = str(self._value(event, depth))
            if key in pairs:
                raise Refused(self._line(event), f"the key {key!r} stands there twice", "keep one of the two")
            lines[key] = self._line(event)
            pairs[key] = self._value(next(self._events), depth)
        return pairs

    def _line(self, event: Event) -> int:
        return self._first_line + (event.start_mark.line if event.start_mark else 0)
