"""The `rawko` command.

Nothing but the entry point is here, so that a command which must start fast need not load the others.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line of this process."""
    if sys.argv[1:2] == ["inject"]:
        from rawko.clients import lean

        code = lean.inject(sys.argv[2:])
        if code is not None:
            sys.exit(code)
    from rawko.clients.cli.app import commands

    commands(prog_name="rawko")
