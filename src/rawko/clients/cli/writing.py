"""The commands that add to a library; each only ever appends, but `forget --purge`."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from rawko.clients.cli import drafts, output, shapes
from rawko.clients.cli.common import command, on_library
from rawko.library import start_of, user_folder
from rawko.store import layout
from rawko.values.errors import InvalidMemory, RawkoError
from rawko.values.memory import ACTIVE, IMPORTANCES
from rawko.values.text import slug

if TYPE_CHECKING:
    from rawko.library import Library
    from rawko.store.codec import Given
    from rawko.values.memory import Memory

_REF = click.argument("ref", metavar="REF")
_AGENT = click.option("--agent", metavar="NAME", help="Who says it.  [default: the setting `agent`]")
_TASK = click.option("--task", metavar="TEXT", help="The task in which it was found.")
_TAG = click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag; give the flag again for more.")
_PATTERN = click.option(
    "--when-to-use", multiple=True, metavar="PATTERN", help="For which tasks it matters; give the flag again for more."
)
_LEVEL = click.Choice(IMPORTANCES)
_CONTENT = click.option("--content", metavar="TEXT|-", help="What to say; `-` reads standard input.")
_FILE = click.option("--file", type=click.File("rb"), help="A file with the text, without frontmatter; `-` too.")

_WAYS_ON = {"forgotten": "its text is gone, and `rawko remember` begins a new one"}


@command
def init(folder: str | None, *, as_json: bool) -> None:
    """Make a library in this folder.

    It is the folder .rawko, with memories as files. What is there already stays as it is, so this can be
    run again at any time. Where a library lies above, a remark says so.

    Examples:
      rawko init
      rawko init --library ~/code/shop
    """
    start = start_of(folder)
    before = _library_at(start)
    root, made = layout.create(start, user_folder())
    is_users = layout.is_users(root, user_folder())
    if not is_users:
        made = [*made, *layout.create_agents(root)]
    if before not in (None, root):
        below = os.path.dirname(root)
        output.note(f"a library lies above, at {before}; commands run in {below} or below will use the new one")
    if as_json:
        output.json({"library": root, "created": made})
    elif made:
        output.line("made ", (root, "bold"))
        for name in made:
            output.line(f"  {name}")
        whose = "It is yours, in every project." if is_users else "Commit it with your project."
        output.line(f"{whose} `rawko remember --help` shows how to keep the first memory.")
    else:
        output.line((root, "bold"), " is there already; nothing was changed")


def _library_at(start: str) -> str | None:
    """The library that commands use there so far, if any."""
    with contextlib.suppress(RawkoError):
        return layout.locate(start, user_folder())
    return None


@on_library
@click.option("--title", metavar="TEXT", help="What it is called; a title that is there already gets an update.")
@_PATTERN
@click.option("--importance", type=_LEVEL, help="How much it matters.  [default: medium]")
@_TAG
@_AGENT
@_TASK
@click.option("--source", metavar="TEXT", help="Where it can be checked: a file, a link, a commit.")
@click.option("--related", multiple=True, metavar="REF", help="Another memory; give the flag again for more.")
@_CONTENT
@click.option("--file", type=click.File("rb"), help="A Markdown file, with or without frontmatter; `-` too.")
def remember(library: Library, *, as_json: bool, content: str | None, file: BinaryIO | None, **flags: Any) -> None:
    """Keep a memory, as a new file or as an update.

    It becomes an update where a memory has that title already.

    The text comes from --content, --file or standard input; on a terminal, without any of them, $EDITOR opens on
    a template. A file or standard input may begin with frontmatter; a flag wins over the same field there.

    Examples:
      rawko remember --title "Tests need Redis" --when-to-use "test|pytest" --content "Start it with make redis."
      rawko remember --file notes.md --agent developer
      rawko remember < notes.md
      rawko remember
    """
    found = drafts.given(content, file)
    memory = _keep(library, found, flags) if found else _keep_edited(library, flags)
    _tell(memory, "updated" if memory.updates else "created", as_json=as_json)


def _keep(library: Library, found: Given, flags: dict[str, Any]) -> Memory:
    """Keep what was given, with the flags over it."""
    fields = found.fields | {name: value for name, value in flags.items() if value}
    needed = {"title": "--title", "when_to_use": "--when-to-use"}
    if missing := [flag for name, flag in needed.items() if not "".join(fields.get(name, "")).strip()]:
        raise click.UsageError(f"{' and '.join(missing)} must be given, as flags or in frontmatter")
    if found.left_out:
        keys = ", ".join(found.left_out)
        output.note(
            f"not taken over from the frontmatter: {keys}; copy the file into .rawko/memories to keep it as it is"
        )
    return library.remember(content=found.content, **fields)


def _keep_edited(library: Library, flags: dict[str, Any]) -> Memory:
    """Keep what a person writes in an editor; what cannot be kept is not lost to them."""
    text = drafts.edited(drafts.template(flags), "the memory")
    try:
        found = drafts.parse("the text", text)
        return _keep(library, found, {name: value for name, value in flags.items() if name not in found.named})
    except (RawkoError, click.UsageError):
        output.note(f"your text is in {drafts.rescued(text)}; mend it and give it with --file")
        raise


@on_library
@_REF
@_CONTENT
@_FILE
@_PATTERN
@click.option("--importance", type=_LEVEL, help="How much it matters; the higher one counts.")
@_TAG
@_AGENT
@_TASK
def update(
    library: Library, ref: str, *, as_json: bool, content: str | None, file: BinaryIO | None, **more: Any
) -> None:
    """Append a dated update to a memory.

    The patterns and tags are added to those it has, and the higher importance counts.

    Examples:
      rawko update "Tests need Redis" --content "Version 7 or newer."
      rawko update tests-need-redis.md --tag solutions --file notes.md
    """
    memory = library.update(ref, drafts.plain(content, file, "the update"), **more)
    _tell(memory, "updated", as_json=as_json)


@on_library
@_REF
@_CONTENT
@_FILE
@_AGENT
@_TASK
def correct(
    library: Library, ref: str, *, as_json: bool, content: str | None, file: BinaryIO | None, **more: Any
) -> None:
    """Append a correction to a memory.

    What was said before stays on file; the correction is what holds.

    Examples:
      rawko correct "Tests need Redis" --content "Only the queue tests do."
    """
    memory = library.correct(ref, drafts.plain(content, file, "the correction"), **more)
    _tell(memory, "corrected", as_json=as_json)


@on_library
@_REF
@click.option("--reason", required=True, metavar="TEXT", help="Why it no longer holds.")
@_AGENT
def deprecate(library: Library, ref: str, *, as_json: bool, reason: str, agent: str | None) -> None:
    """Say that a memory no longer holds.

    It stays on file, and `restore` brings it back.

    Examples:
      rawko deprecate "Tests need Redis" --reason "The queue is in memory now."
    """
    _tell(library.deprecate(ref, reason, agent), "deprecated", as_json=as_json)


@on_library
@_REF
@click.option("--by", required=True, metavar="REF", help="The memory that takes its place.")
@click.option("--reason", default="", metavar="TEXT", help="Why.")
@_AGENT
def supersede(library: Library, ref: str, *, as_json: bool, by: str, reason: str, agent: str | None) -> None:
    """Say that another memory has taken the place of one.

    Examples:
      rawko supersede "Tests need Redis" --by "How tests are run"
    """
    _tell(library.supersede(ref, by, reason, agent), "superseded", as_json=as_json)


@on_library
@_REF
@click.option("--reason", required=True, metavar="TEXT", help="Why it holds again.")
@_AGENT
def restore(library: Library, ref: str, *, as_json: bool, reason: str, agent: str | None) -> None:
    """Say that a memory holds again after all.

    Examples:
      rawko restore "Tests need Redis" --reason "Redis is back."
    """
    _tell(library.restore(ref, reason, agent), "restored", as_json=as_json)


@on_library
@_REF
@click.option("--purge", is_flag=True, help="Needed: the text itself goes, and there is no way back.")
@click.option("--text", metavar="TEXT|-", help="Only this text, wherever it occurs in the file; `-` reads it.")
@click.option("--reason", default="", metavar="TEXT", help="What the stub says in its place.")
@click.option("--yes", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@_AGENT
def forget(library: Library, ref: str, *, as_json: bool, text: str | None, yes: bool, **more: Any) -> None:
    """Remove text for good, such as a leaked secret.

    This is the one command that takes something away, and only with --purge. A dated stub stays and
    says so. To retire a memory that is merely wrong or old, use `deprecate`.

    Examples:
      rawko forget deploy-key.md --purge --reason "It held a key."
      rawko forget "How we deploy" --purge --yes --text - < secret.txt
    """
    name = library.resolve(ref)
    if not more["purge"]:
        hint = f"`rawko deprecate {name} --reason ...` retires it; --purge removes the text itself, for good"
        raise InvalidMemory(f"nothing was removed from {name}: memories are kept", hint=hint)
    if not yes:
        _ask(f"everything that {name} says" if text is None else f"that text from {name}")
    wanted = drafts.standard_input().strip() if text == "-" else text
    memory = library.forget(name, text=wanted, **more)
    output.note("what version control and backups hold of it is still there; remove it there too")
    if wanted is None or slug(wanted) in name.removesuffix(".md"):
        output.note(f"the file is still called {name}; rename it if that says too much")
    if memory is None:
        output.note(f"{name} could not be read before and cannot now; `rawko validate` says why")
    _tell(memory or name, "forgotten", as_json=as_json)


def _ask(what: str) -> None:
    """Let a person say whether they mean it; where nobody is there to be asked, that is a no."""
    if not drafts.somebody_is_there():
        hint = "nobody can be asked here; add --yes if it is to go for good"
        raise InvalidMemory("nothing was removed", hint=hint)
    if not output.confirmed(f"Remove {what} for good?"):
        raise InvalidMemory("nothing was removed")


def _tell(memory: Memory | str, action: str, *, as_json: bool) -> None:
    """Say what was done, and to which file; of one that cannot be read only the name is known."""
    shape = {"file": memory} if isinstance(memory, str) else shapes.memory(memory)
    if as_json:
        output.json({"action": action, **shape})
    else:
        output.line((action, "green"), " ", (shape["file"], "bold"))
    status = shape.get("status", ACTIVE)
    if action in {"updated", "corrected"} and status != ACTIVE:
        output.note(f"it is still {status}; {_WAYS_ON.get(status, '`rawko restore` brings it back')}")
