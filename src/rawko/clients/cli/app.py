"""All commands in one group, and what becomes of a call that click refuses or somebody interrupts."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, NoReturn

import click

import rawko
from rawko.clients.cli import checking, output, reading, recalling, writing
from rawko.clients.cli.common import with_examples

_INTERRUPTED = 130


class Commands(click.Group):
    """The group: its help lists the commands in the order in which people need them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order in which they were added."""
        del ctx
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The rest of the words; a flag of the commands that stands before the command is told where it belongs."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            takes_it = [name for name, made in self.commands.items() if error.option_name in _flags(made)]
            if not takes_it:
                raise
            example = "list" if "list" in takes_it else takes_it[0]
            message = f"{error.option_name} goes after the command: `rawko {example} {error.option_name} ...`"
            raise click.UsageError(message, ctx) from error

    def main(self, *args: Any, **more: Any) -> NoReturn:
        """Run one command line and end the process; whatever is printed on the way is escaped."""
        output.prepare()
        more["standalone_mode"] = False
        try:
            code = super().main(*args, **more)
        except click.ClickException as error:
            output.usage(error)
            code = error.exit_code
        except OSError as error:
            with contextlib.suppress(OSError):
                output.refusal(f"the system refused: {error.strerror or error}")
            code = 1
        except click.Abort:
            code = _INTERRUPTED
        output.settle()
        sys.exit(code or 0)


def _flags(made: click.Command) -> set[str]:
    return {flag for parameter in made.params for flag in parameter.opts}


@click.version_option(rawko.__version__, message="rawko %(version)s")
@click.pass_context
def _rawko(context: click.Context) -> None:
    """Memory for AI agents, as plain Markdown files beside your code.

    A memory is one file in .rawko/memories. It only ever grows: what was learned later is appended, with who said
    it and when. REF is the title of a memory, the name of its file, or the path to it.

    Examples:
      rawko init
      rawko remember --title "Tests need Redis" --when-to-use "test|pytest" --content "Start it with make redis."
      rawko inject "Fix the flaky login test" --agent developer
      rawko search redis
    """
    if context.invoked_subcommand is None:
        output.line(context.get_help())


_HELP = {"help_option_names": ["-h", "--help"]}
commands = click.group(
    "rawko",
    cls=Commands,
    help=with_examples(_rawko),
    context_settings=_HELP,
    invoke_without_command=True,
    subcommand_metavar="COMMAND ...",
)(_rawko)
for _command in (
    writing.init,
    writing.remember,
    recalling.inject,
    recalling.search,
    reading.list_,
    reading.show,
    reading.log,
    writing.update,
    writing.correct,
    writing.deprecate,
    writing.supersede,
    writing.restore,
    writing.forget,
    recalling.why,
    recalling.replay,
    checking.validate,
    recalling.explain_pattern,
    recalling.index,
    checking.doctor,
    checking.config,
):
    commands.add_command(_command)
