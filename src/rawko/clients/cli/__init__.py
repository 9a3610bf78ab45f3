"""The `rawko` command.

Nothing but the entry point is here, so that a command which must start fast need not load the others.
"""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run the command line of this process."""
    if sys.argv[1:2] == ["inject"]:
        from rawko.clients import lean

        gc.disable()  # it ends before there is anything worth collecting
        code = lean.inject(sys.argv[2:])
        if code is not None:
            os._exit(code)  # all is written and closed; to take the interpreter apart takes as long as the choice
        gc.enable()
    from rawko.clients.cli.app import commands

    commands(prog_name="rawko")
