"""What all commands have in common: `--library`, `--json`, and how they fail."""

from __future__ import annotations

import contextlib
import functools
import inspect
import logging
import os
import re
from typing import TYPE_CHECKING, Any

import click

import rawko
from rawko.clients.cli import output
from rawko.store.memories import FileStore
from rawko.values.errors import InvalidMemory, MemoryNotFound, Problem, RawkoError, StoreError
from rawko.values.text import folded, slug

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rawko.library import Library

_SUGGESTED_UP_TO = 5000  # names; to compare more of them takes longer than to look at the list
_SUGGESTIONS = 3
_TELLING = 3  # bytes: three letters, or one character of a script that has more to a character
_FIELD = re.compile(r"\A(?:the )?(\w+)(?= (?:is|must) )")


def command(function: Callable[..., None]) -> click.Command:
    """Make a command of a function that takes `folder` and `as_json`."""

    @functools.wraps(function)
    def run(as_json: bool, **given: Any) -> None:
        with _reported(as_json=as_json):
            function(as_json=as_json, **given)

    made = click.command(function.__name__.rstrip("_").replace("_", "-"), help=with_examples(function))(run)
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
            one = {key: _name_in(library, given[key]) for key in ("ref", "by") if given.get(key)}
            many = {key: tuple(_name_in(library, ref) for ref in given[key]) for key in ("refs",) if key in given}
            with _suggesting(library, (*one.values(), *many.get("refs", ()))):
                function(library, **{**given, **one, **many})

    return command(run)


def _name_in(library: Library, ref: str) -> str:
    """What a person calls a memory; a path to its file, as a shell completes it, becomes the file's name."""
    folder = os.path.join(library.folder or "", "memories", "")
    path = os.path.abspath(ref)
    return path.removeprefix(folder) if "/" in ref and path.startswith(folder) else ref


@contextlib.contextmanager
def _suggesting(library: Library, refs: Iterable[str]) -> Iterator[None]:
    """Let the hint on a name that nothing has say what else could have been meant."""
    try:
        yield
    except MemoryNotFound as error:
        unknown = [ref for ref in refs if error.message == f"there is no memory {ref!r}"]
        near = _near(unknown[0], _known(library)) if unknown and "it could be" not in error.hint else []
        if near:
            error.hint = f"it could be {' or '.join(near)}; {error.hint}".removesuffix("; ")
        raise


def _known(library: Library) -> Iterator[tuple[str, str]]:
    """Each file with what it goes by: its stem, and its title where that is known without reading the file."""
    names = library.store.names().names
    if len(names) > _SUGGESTED_UP_TO:
        return
    yield from ((folded(name.removesuffix(".md")), name) for name in names)
    with contextlib.suppress(StoreError):
        rows = library.store.rows() if isinstance(library.store, FileStore) else ()
        yield from ((row.key, row.name) for row in rows if row.key and not row.missing)


def _near(wanted: str, known: Iterable[tuple[str, str]]) -> list[str]:
    """The files that go by something like this: first those that have it in their name or title, then look-alikes."""
    import difflib

    files = dict(known)
    forms = [form(wanted.removesuffix(".md")) for form in (folded, slug)]
    within = [key for key in files for form in forms if form in key and len(form.encode()) >= _TELLING]
    alike = [key for form in forms for key in difflib.get_close_matches(form, files, _SUGGESTIONS)]
    return list(dict.fromkeys(files[key] for key in (*within, *alike)))[:_SUGGESTIONS]


@contextlib.contextmanager
def _reported(*, as_json: bool) -> Iterator[None]:
    """Turn our errors into a message and an exit code, and warnings of the library into notes."""
    log, notes = logging.getLogger("rawko"), _Notes()
    log.addHandler(notes)
    try:
        yield
    except RawkoError as error:
        if isinstance(error, InvalidMemory):
            error.message = _FIELD.sub(_as_flag, error.message)
        output.failure(error, as_json=as_json)
        raise click.exceptions.Exit(1) from error
    finally:
        log.removeHandler(notes)


def _as_flag(field: re.Match[str]) -> str:
    """A field of a memory as the command that runs calls it, where it has a flag for it."""
    flags = (option for option in click.get_current_context().command.params if isinstance(option, click.Option))
    return next((flag.opts[0] for flag in flags if flag.name == field[1]), field[0])


class _Notes(logging.Handler):
    """Shows what the library warns about; files that cannot be read are announced by the commands that skip them."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one warning."""
        told = record.args if isinstance(record.args, tuple) else ()
        if record.levelno >= logging.WARNING and not any(isinstance(part, Problem) for part in told):
            output.note(record.getMessage())
