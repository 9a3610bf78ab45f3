"""Everything the command line prints, and the only place that prints.

Text that came from data never reaches a terminal as it is: what is invisible in it is written out as an escape.
Colours, tables and bars are for terminals alone, and so is loading what draws them.
"""

from __future__ import annotations

import contextlib
import functools
import io
import sys
import traceback
import unicodedata
from typing import TYPE_CHECKING, Literal

import click

from rawko.clients.cli import shapes
from rawko.values.text import json_line, one_line, visible
from rawko.values.times import format_date, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import TracebackType

    from rich.console import Console

    from rawko.library import Change
    from rawko.values.errors import Problem, RawkoError
    from rawko.values.memory import Memory

    Part = str | tuple[str, str]

BAR_FROM = 200
_NAMED = 3
_DRAWN = 1000  # drawing more rows takes longer than anybody wants to wait for a list they cannot see whole
_UNBROKEN = frozenset({"IMPORTANCE", "DATE", "STATUS", "TIME", "WHAT", "TEXT"})
_STYLES = {
    "critical": "bold red",
    "high": "yellow",
    "low": "dim",
    "error": "bold red",
    "warning": "yellow",
    "hint": "cyan",
    "deprecated": "dim",
    "superseded": "dim",
    "forgotten": "dim",
}


def prepare() -> None:
    """Make the streams take any text, and an unforeseen error no way around the escaping."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.excepthook = _unforeseen


def line(*parts: Part, err: bool = False) -> None:
    """Print one piece of text, given in parts; a part may have a style, which only a terminal shows."""
    pairs = [(part, "") if isinstance(part, str) else part for part in parts]
    if not _is_terminal(err=err):
        click.echo("".join(visible(text) for text, _ in pairs), err=err)
        return
    from rich.text import Text

    text = Text.assemble(*((visible(text), style) for text, style in pairs))
    _console(err=err).print(text, soft_wrap=True)


def json(value: object) -> None:
    """Print a value as one line of JSON."""
    click.echo(json_line(value))


def note(text: str) -> None:
    """Say something beside the result, on standard error."""
    line(("rawko: ", "bold"), one_line(text), err=True)


def failure(error: RawkoError, *, as_json: bool) -> None:
    """Say why a command did not do what was asked: for people on standard error, as JSON on standard output."""
    refusal(error.message, error.hint)
    if as_json:
        json(shapes.error(error))


def refusal(message: str, hint: str = "") -> None:
    """Say what is wrong and what to do about it."""
    line(("rawko: ", "bold red"), one_line(message), err=True)
    if hint:
        line(("  hint: ", "cyan"), one_line(hint), err=True)


def usage(error: click.ClickException) -> None:
    """Say how a command is used, after it was used otherwise."""
    context = getattr(error, "ctx", None)
    if context is not None:
        line(context.get_usage(), err=True)
    refusal(error.format_message(), f"see `{context.command_path} --help`" if context is not None else "")


def memories(values: Sequence[Memory]) -> None:
    """A table of memories."""
    rows = [
        (
            memory.file,
            memory.importance,
            memory.title,
            ", ".join(memory.tags),
            format_date(memory.updated_at),
            memory.status,
        )
        for memory in values
    ]
    table(("FILE", "IMPORTANCE", "TITLE", "TAGS", "DATE", "STATUS"), rows)


def memory(value: Memory) -> None:
    """One memory: what is known about it, then what it says."""
    origin = f"{format_time(value.discovered_at)} by {value.discovered_by}"
    fields = [
        ("file", value.file),
        ("importance", value.importance),
        ("status", value.status),
        *(("when to use", pattern) for pattern in value.when_to_use),
        ("tags", ", ".join(value.tags)),
        ("discovered", f"{origin} in {value.discovered_in}" if value.discovered_in else origin),
        ("source", value.source or ""),
        ("related", ", ".join(value.related)),
        ("updated", format_time(value.updated_at) if value.updates else ""),
    ]
    line((one_line(value.title), "bold"))
    for name, text in fields:
        if text:
            line((f"  {name:<13}", "dim"), (one_line(text), _STYLES.get(text, "")))
    line("")
    line(value.content)


def changes(values: Sequence[Change]) -> None:
    """What was stated when, one line each."""
    rows = [
        (
            format_time(change.update.at),
            shapes.kind_of(change),
            change.memory.file,
            change.update.by,
            next(iter(change.update.content.strip().splitlines()), ""),
        )
        for change in values
    ]
    table(("TIME", "WHAT", "FILE", "BY", "TEXT"), rows)


def problems(values: Iterable[Problem]) -> None:
    """What is wrong, one line each: `file:line: level: reason (hint)`; a quotation follows its line, indented."""
    for problem in values:
        first, *quotation = problem.reason.split("\n")
        hint = f" ({one_line(problem.hint)})" if problem.hint else ""
        level = (problem.level, _STYLES.get(problem.level, ""))
        line((one_line(problem.place), "bold"), ": ", level, f": {one_line(first)}", (hint, "dim"))
        for quoted in quotation:
            line(f"    {quoted}")


def fixed(values: Iterable[Problem]) -> None:
    """What was wrong and no longer is."""
    for problem in values:
        line(("fixed", "green"), f": {one_line(problem.place)}: {one_line(problem.reason)}")


def summary(checked: str, values: Sequence[Problem]) -> None:
    """The closing line of a check: how much was looked at, and how many problems of each level there are."""
    levels = [problem.level for problem in values]
    counts = [counted(levels.count(level), level) for level in ("error", "warning", "hint") if level in levels]
    line(f"{checked}: {', '.join(counts) or 'no problems'}")


def unreadable(values: Sequence[Problem]) -> None:
    """Announce the files that are missing from a result because they could not be read."""
    places = list(dict.fromkeys(problem.file for problem in values))
    if places:
        more = ", ..." if len(places) > _NAMED else ""
        names = ", ".join(places[:_NAMED]) + more
        note(f"{counted(len(places), 'file')} could not be read: {names} (`rawko validate` says why)")


def counted(number: int, noun: str) -> str:
    """A number with its noun, such as `1 file` or `2 files`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Rows under headers: drawn on a terminal, unless they are very many; elsewhere columns of plain text in full."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    if _is_terminal() and len(cells) <= _DRAWN:
        _drawn(headers, cells)
        return
    widths = [max(map(_width, column)) for column in zip(headers, *cells, strict=True)]
    for row in (headers, *cells):
        padded = (cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(padded).rstrip())


def _drawn(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for header in headers:
        overflow: Literal["ellipsis", "fold"] = "ellipsis" if header == "TEXT" else "fold"
        drawn.add_column(header, overflow=overflow, no_wrap=header in _UNBROKEN)
    for row in rows:
        drawn.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in row))
    _console().print(drawn)


@contextlib.contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[], object]]:
    """A bar on a terminal's standard error while the block runs; it calls what this yields after each file."""
    if total <= BAR_FROM or not _is_terminal(err=True):
        yield lambda: None
        return
    from rich.progress import Progress

    with Progress(console=_console(err=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def confirmed(question: str) -> bool:
    """Ask on a terminal; where nobody can be asked, what was typed is taken to be meant."""
    if not sys.stdin.isatty():
        return True
    return click.confirm(one_line(question), err=True)


def _is_terminal(*, err: bool = False) -> bool:
    stream = sys.stderr if err else sys.stdout
    return stream is not None and stream.isatty()


@functools.cache
def _console(*, err: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=err, highlight=False, markup=False, emoji=False)


def _width(text: str) -> int:
    """How many columns a text takes on a terminal or in a fixed-width font."""
    marks = sum(unicodedata.combining(char) > 0 for char in text)
    return len(text) - marks + sum(unicodedata.east_asian_width(char) in "WF" for char in text)


def _unforeseen(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    text = "".join(traceback.format_exception(kind, error, trace))
    click.echo(visible(text), err=True)
