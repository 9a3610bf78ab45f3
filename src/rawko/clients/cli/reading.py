"""The commands that show what a library holds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from rawko.clients.cli import output, shapes
from rawko.clients.cli.common import on_library
from rawko.library import Library
from rawko.store.memories import FileStore
from rawko.values.errors import MemoryNotFound
from rawko.values.memory import ACTIVE, IMPORTANCES, STATUS_OF_KIND

if TYPE_CHECKING:
    from rawko.values.memory import Memory

_EMPTY = "there are no memories yet; `rawko remember` adds one"
_STATUSES = tuple(dict.fromkeys((ACTIVE, *STATUS_OF_KIND.values())))


@on_library
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only with this tag; given again, with all of them.")
@click.option("--importance", multiple=True, type=click.Choice(IMPORTANCES), help="Only of this importance.")
@click.option("--status", multiple=True, type=click.Choice(_STATUSES), help="Only of this status.")
@click.option("--agent", multiple=True, metavar="NAME", help="Only discovered by this agent.")
def list_(library: Library, *, as_json: bool, tags: tuple[str, ...], **wanted: tuple[str, ...]) -> None:
    """List the memories.

    They come by file name; the date is that of the latest update. Files that cannot be read
    are announced on standard error.

    Examples:
      rawko list
      rawko list --tag failures --importance high --importance critical
      rawko list --status active --json
    """
    with output.progress("reading", len(library.store.names().names)) as seen:
        survey = library.survey(seen)
    kept = [
        memory
        for memory in survey.memories
        if set(tags) <= set(memory.tags)
        and memory.importance in (wanted["importance"] or IMPORTANCES)
        and memory.status in (wanted["status"] or _STATUSES)
        and memory.discovered_by in (wanted["agent"] or (memory.discovered_by,))
    ]
    if as_json:
        output.json({"memories": list(map(shapes.memory, kept)), "problems": shapes.problems(survey.problems)})
    elif kept:
        output.memories(kept)
    elif survey.memories:
        output.note("no memory matches")
    elif not survey.problems:
        output.note(_EMPTY)
    output.unreadable(survey.problems)


@on_library
@click.argument("ref", metavar="REF")
@click.option("--as-of", metavar="DATE", help="As it stood at the end of that day, or at that moment.")
def show(library: Library, ref: str, *, as_json: bool, as_of: str | None) -> None:
    """Show one memory with its updates.

    It is the project's where it has one of that name, else one of yours.

    Examples:
      rawko show "Tests need Redis"
      rawko show tests-need-redis --as-of 2026-01-23
    """
    memory, origin = _meant(library, ref, as_of)
    if as_json:
        output.json({**shapes.memory(memory), "origin": origin})
    else:
        output.memory(memory, origin)


def _meant(library: Library, ref: str, as_of: str | None) -> tuple[Memory, str]:
    """The memory that is meant, and whose it is: the project's where it has one, else one of the user's."""
    try:
        return library.get(ref, as_of), ""
    except MemoryNotFound:
        origin, _ = library.recall.meant(ref)
        if not origin or library.user is None:
            raise  # the project has it, and had it not yet at that time
    with Library(FileStore(os.path.realpath(library.user), settings=library.configured.settings)) as own:
        return own.get(ref, as_of), origin


@on_library
@click.argument("ref", metavar="[REF]", required=False)
@click.option("--since", metavar="DATE", help="Only from that day or moment on.")
def log(library: Library, ref: str | None, *, as_json: bool, since: str | None) -> None:
    """Show what was stated when, oldest first.

    Examples:
      rawko log "Tests need Redis"
      rawko log --since 2026-01-19
    """
    if ref:
        changes, problems = library.log(ref, since), []
    else:
        with output.progress("reading", len(library.store.names().names)) as seen:
            survey = library.survey(seen)
        changes, problems = survey.changes(since), survey.problems
    if as_json:
        output.json({"changes": list(map(shapes.change, changes)), "problems": shapes.problems(problems)})
    elif changes:
        output.changes(changes)
    elif since:
        output.note("nothing was stated in that time")
    elif not problems:
        output.note(_EMPTY)
    output.unreadable(problems)
