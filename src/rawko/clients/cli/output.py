"""Everything the command line prints, and the only place that prints.

Text that came from data never reaches a terminal as it is: what is invisible in it is written out as an escape.
Colours, tables and bars are for terminals alone, and so is loading what draws them.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import re
import sys
import traceback
from typing import TYPE_CHECKING

import click

from rawko.clients.cli import columns, shapes
from rawko.values.text import json_line, one_line, quoted, visible
from rawko.values.times import format_date, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import TracebackType

    from rich.console import Console

    from rawko.store.config import Configured
    from rawko.values.errors import Problem, RawkoError
    from rawko.values.memory import Memory
    from rawko.values.survey import Change

    Part = str | tuple[str, str]

BAR_FROM = 200
_NAMED = 3
_PLAIN = re.compile(r"\w+(?:[ .@/+-]\w+)*", re.ASCII)
_COLOURED = frozenset({"IMPORTANCE", "STATUS"})
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


def settle() -> None:
    """Leave nothing in a stream that cannot be written: the interpreter would try again, and end with its own code."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


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
    table(columns.of_memories(values, _window()))


def memory(value: Memory, origin: str = "") -> None:
    """One memory: what is known about it, and whose it is where it is not the project's; then what it says."""
    discovered = f"{format_time(value.discovered_at)} by {value.discovered_by}"
    successor = value.status_updates[-1].replaced_by if value.status_updates else None
    fields = [
        ("file", value.file),
        ("from", origin),
        ("importance", value.importance),
        ("status", f"{value.status} by {successor}" if successor else value.status),
        *(("when to use", pattern) for pattern in value.when_to_use),
        ("tags", ", ".join(value.tags)),
        ("discovered", f"{discovered} in {value.discovered_in}" if value.discovered_in else discovered),
        ("source", value.source or ""),
        ("related", ", ".join(value.related)),
        ("updated", format_time(value.updated_at) if value.updates else ""),
    ]
    line((one_line(value.title), "bold"))
    for name, text in fields:
        if text:
            style = _STYLES.get(text.split()[0], "") if name.upper() in _COLOURED else ""
            line((f"  {name:<13}", "dim"), (one_line(text), style))
    line("")
    line(value.body)
    for update in value.updates:
        by = f" by {one_line(update.by)}" if update.by else ""
        line(f"\n---\n\n## Update ({format_date(update.at)}){by}\n\n{update.text}")


def changes(values: Sequence[Change]) -> None:
    """What was stated when, one line each."""
    table(columns.of_changes(values, _window()))


def settings(configured: Configured) -> None:
    """Every setting with its value and where that came from."""
    rows = [(key, _as_yaml(value), one_line(origin)) for key, value, origin in configured.table()]
    table(
        {header: list(cells) for header, cells in zip(("KEY", "VALUE", "FROM"), zip(*rows, strict=True), strict=True)}
    )


def _as_yaml(value: object) -> str:
    """The value as a person can write it in config.yaml, on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_as_yaml(item)}' for key, item in value.items())}}}"
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) else quoted(value)
    return json_line(value)


def problems(values: Iterable[Problem]) -> None:
    """What is wrong, one line each: `file:line: level: reason (hint)`; a quotation follows its line, indented."""
    for problem in values:
        first, *quotation = problem.reason.split("\n")
        hint = f" ({one_line(problem.hint)})" if problem.hint else ""
        level = (problem.level, _STYLES.get(problem.level, ""))
        line((one_line(problem.place), "bold"), ": ", level, f": {one_line(first)}", (hint, "dim"))
        for more in quotation:
            line(f"    {more}")


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
    places = sorted({problem.file for problem in values})
    if places:
        more = ", ..." if len(places) > _NAMED else ""
        names = ", ".join(places[:_NAMED]) + more
        note(f"{counted(len(places), 'file')} could not be read: {names} (`rawko validate` says why)")


def counted(number: int, noun: str) -> str:
    """A number with its noun, such as `1 file` or `2 files`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def table(cells: columns.Table) -> None:
    """Columns under their headers, one line a row; only a terminal shows colours."""
    headers, *rows = columns.rows(cells)
    line(("".join(headers), "bold"))
    for row in rows:
        line(*(_coloured(header, cell) for header, cell in zip(cells, row, strict=True)))


def _coloured(header: str, cell: str) -> Part:
    return cell, _STYLES.get(cell.rstrip(), "") if header in _COLOURED else ""


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
    """Ask somebody who is there to answer."""
    return click.confirm(one_line(question), err=True)


def _is_terminal(*, err: bool = False) -> bool:
    stream = sys.stderr if err else sys.stdout
    return stream is not None and stream.isatty()


def _window() -> int | None:
    """How many columns standard output has; None where it is no terminal."""
    return _console().width if _is_terminal() else None


@functools.cache
def _console(*, err: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=err, highlight=False, markup=False, emoji=False)


def _unforeseen(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    text = "".join(traceback.format_exception(kind, error, trace))
    click.echo(visible(text), err=True)
