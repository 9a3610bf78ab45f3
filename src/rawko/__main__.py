"""`python -m rawko` is the `rawko` command of this interpreter."""

from rawko.clients.cli import main

main()
