"""The `rawko` command.

Nothing but the entry point is here, so that a command which must start fast need not load the others.
"""

from __future__ import annotations


def main() -> None:
    """Run the command line of this process."""
    from rawko.clients.cli.app import commands

    commands(prog_name="rawko")
