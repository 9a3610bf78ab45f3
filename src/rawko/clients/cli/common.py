"""What all commands have in common: `--library`, `--json`, and how they fail."""

from __future__ import annotations

import contextlib
import functools
import inspect
import logging
import os
from typing import TYPE_CHECKING, Any

import click

import rawko
from rawko.clients.cli import output
from rawko.values.errors import Problem, RawkoError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rawko.library import Library


def command(function: Callable[..., None]) -> click.Command:
    """Make a command of a function that takes `folder` and `as_json`."""

    @functools.wraps(function)
    def run(as_json: bool, **given: Any) -> None:
        with _reported(as_json=as_json):
            function(as_json=as_json, **given)

    made = click.command(function.__name__.rstrip("_"), help=with_examples(function))(run)
    made.params += [
        click.Option(
            ["--library", "folder"],
            metavar="DIR",
            help="The project or its .rawko folder.  [default: RAWKO_DIR, or found from here upward]",
        ),
        click.Option(["--json", "as_json"], is_flag=True, help="Print JSON; docs/commands.md describes its shape."),
    ]
    return made


def with_examples(function: Callable[..., None]) -> str:
    """The docstring as help text, in which click leaves the lines of the examples as they are."""
    return inspect.cleandoc(function.__doc__ or "").replace("\n\nExamples:\n", "\n\n\b\nExamples:\n")


def on_library(function: Callable[..., None]) -> click.Command:
    """Make a command of a function that takes a library, open while it runs, and `as_json`."""

    @functools.wraps(function)
    def run(folder: str | None, **given: Any) -> None:
        with rawko.open(folder) as library:
            names = {key: _name_in(library, given[key]) for key in ("ref", "by") if given.get(key)}
            function(library, **{**given, **names})

    return command(run)


def _name_in(library: Library, ref: str) -> str:
    """What a person calls a memory; a path to its file, as a shell completes it, becomes the file's name."""
    folder = os.path.join(library.folder or "", "memories", "")
    path = os.path.abspath(ref)
    return path.removeprefix(folder) if "/" in ref and path.startswith(folder) else ref


@contextlib.contextmanager
def _reported(*, as_json: bool) -> Iterator[None]:
    """Turn our errors into a message and an exit code, and warnings of the library into notes."""
    log, notes = logging.getLogger("rawko"), _Notes()
    log.addHandler(notes)
    try:
        yield
    except RawkoError as error:
        output.failure(error, as_json=as_json)
        raise click.exceptions.Exit(1) from error
    finally:
        log.removeHandler(notes)


class _Notes(logging.Handler):
    """Shows what the library warns about; files that cannot be read are announced by the commands that skip them."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one warning."""
        told = record.args if isinstance(record.args, tuple) else ()
        if record.levelno >= logging.WARNING and not any(isinstance(part, Problem) for part in told):
            output.note(record.getMessage())
