"""The commands that recall: what a task gets, what a query finds, and why."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import click

from rawko.clients.cli import output, recalled, shapes
from rawko.clients.cli.common import command, on_library
from rawko.clients.lean import output as lean
from rawko.values.errors import MemoryNotFound
from rawko.values.memory import IMPORTANCES
from rawko.values.task import Task
from rawko.values.text import slug

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rawko.library import Library


@on_library
@click.argument("task", metavar="TASK")
@click.option("--agent", default="", metavar="NAME", help="Who is about to act.")
@click.option("--plan", metavar="TEXT", help="The plan, as weaker evidence.")
@click.option("--history", metavar="TEXT", help="What happened before, as weaker evidence.")
@click.option("--limit", type=click.IntRange(0), metavar="N", help="At most so many memories.")
@click.option("--min-importance", type=click.Choice(IMPORTANCES), help="None below this importance.")
@click.option("--budget", type=click.IntRange(0), metavar="TOKENS", help="At most so many tokens in all.")
@click.option("--without", "refs", multiple=True, metavar="REF", help="As if this memory were not there.")
@click.option("--as-of", metavar="DATE", help="With the memories as they stood at that time.")
@click.option("--explain", is_flag=True, help="Show scores, matches and what was left out.")
def inject(library: Library, task: str, *, as_json: bool, explain: bool, refs: tuple[str, ...], **given: Any) -> None:
    """Choose the memories for a task, as a block for a prompt.

    TASK is what the agent is about to do; - reads it from standard input. Nothing is printed when nothing matters.

    Examples:
      rawko inject "Add login with GitHub" --agent developer
      rawko inject "Add login with GitHub" --explain
      rawko inject - --json < task.txt
    """
    text = lean.standard_input() if task == "-" else task
    selection = library.inject(text, without=refs, **given)
    if as_json:
        output.json(shapes.selection(selection))
    elif explain:
        recalled.selection(selection)
    else:
        if selection:
            output.line(selection.block.removesuffix("\n"))
        _note(lean.about(selection))


@on_library
@click.argument("query", metavar="QUERY")
@click.option("--limit", default=10, type=click.IntRange(1), metavar="N", help="At most so many.  [default: 10]")
@click.option("--tag", multiple=True, metavar="TAG", help="Only with this tag; given again, with all of them.")
@click.option("--importance", type=click.Choice(IMPORTANCES), help="Only of this importance or more.")
@click.option("--agent", metavar="NAME", help="Only discovered by this agent.")
@click.option("--since", metavar="DATE", help="Only stated on that day or later.")
@click.option("--until", metavar="DATE", help="Only stated on that day or earlier.")
def search(library: Library, query: str, *, as_json: bool, limit: int, **filters: Any) -> None:
    """Find memories by the words of a query, the best first.

    Examples:
      rawko search "connection pool"
      rawko search deploy --tag failures --since 2026-01-01
    """
    found = library.search(query, limit, **{name: value for name, value in filters.items() if value})
    if as_json:
        output.json({"found": [shapes.found(one) for one in found]})
    elif found:
        recalled.found(found)
    else:
        output.note(
            "nothing with these filters has these words" if any(filters.values()) else "nothing has these words"
        )
    if not as_json:
        _note(lean.unread(len(library.recall.status()["unreadable"])))


def _note(remarks: Iterable[str]) -> None:
    """Say something beside a result, which stands whether or not it can be said."""
    with contextlib.suppress(OSError):
        for remark in remarks:
            output.note(remark)


@on_library
@click.argument("ref", metavar="[REF]", required=False)
@click.option("--receipt", metavar="ID", help="Of this injection.  [default: the latest]")
def why(library: Library, ref: str | None, *, as_json: bool, receipt: str | None) -> None:
    """Say what an injection chose and left out, and why.

    With REF, say what it made of that memory.

    Examples:
      rawko why
      rawko why tests-need-redis
      rawko why --receipt 20260123-103000-0a1b2c3d
    """
    kept = library.recall.receipts
    found = kept.get(receipt) if receipt else kept.latest()
    origin, name = _meant(library, ref, found) if ref else ("", None)
    about = {key: [entry for entry in found[key] if name in (None, entry["file"])] for key in ("memories", "leftOut")}
    if as_json:
        output.json({**found, **about})
    elif name and not any(about.values()):
        recalled.not_in(found, name, library.recall.since(origin, name))
    else:
        recalled.receipt({**found, **about}, whole=name is None)


def _meant(library: Library, ref: str, found: dict[str, Any]) -> tuple[str, str]:
    """Whose memory is meant, and its file; one that is not there any more has the name that the receipt has."""
    try:
        return library.recall.meant(ref)
    except MemoryNotFound:
        for entry in (*found["memories"], *found["leftOut"]):
            if entry["file"] in (ref, f"{ref}.md", f"{slug(ref)}.md"):
                return entry["origin"], entry["file"]
        raise


@on_library
@click.argument("receipt", metavar="[RECEIPT]", required=False)
def replay(library: Library, receipt: str | None, *, as_json: bool) -> None:
    """Print the block of a receipt again, byte for byte.

    Without RECEIPT, that of the latest. It is worded from what the files held then, so later updates do not show in it.

    Examples:
      rawko replay 20260123-103000-0a1b2c3d
    """
    name = library.recall.receipts.latest()["id"] if receipt is None else receipt
    block = library.replay(name)
    if as_json:
        output.json({"receipt": name, "block": block})
    elif block:
        output.line(block.removesuffix("\n"))
    else:
        output.note("nothing was injected")


@on_library
@click.option("--rebuild", is_flag=True, help="Throw it away and build it again.")
def index(library: Library, *, as_json: bool, rebuild: bool) -> None:
    """Bring the index up to the files, and say what is in it.

    The index is derived from the files. It may be deleted at any time, and keeps itself up to date.

    Examples:
      rawko index
      rawko index --rebuild
    """
    with output.progress("indexing", len(library.store.names().names)) as seen:
        (library.recall.rebuild if rebuild else library.recall.refresh)(seen)
    status = library.recall.status()
    if as_json:
        output.json({"library": library.folder, **status})
    else:
        recalled.status(status)


@command
@click.argument("pattern", metavar="PATTERN")
@click.option("--task", metavar="TEXT", help="Say as well what it makes of this task.")
@click.option("--agent", default="", metavar="NAME", help="Who has the task.")
def explain_pattern(pattern: str, *, as_json: bool, task: str | None, agent: str, folder: str | None) -> None:
    """Show how a pattern of whenToUse is read.

    Examples:
      rawko explain-pattern "auth|login|social.*auth"
      rawko explain-pattern "When implementing security" --task "harden the login form"
    """
    from rawko.recall import pattern_advice

    del folder
    explained = pattern_advice.explain(pattern, Task(task, agent) if task is not None else None)
    if as_json:
        output.json({"pattern": pattern, "alternatives": [shapes.explained(one) for one in explained]})
    else:
        recalled.explained(explained, has_task=task is not None)
