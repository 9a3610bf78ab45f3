"""`rawko inject` as a hook runs it, at every prompt: without the libraries that draw tables and write help.

What is not the plain case (a flag it does not know, something that goes wrong) is left to the full command, which
does the same and says more.
"""

from __future__ import annotations

from typing import Any

_TEXTS = {"--agent": "agent", "--plan": "plan", "--history": "history", "--library": "folder"}
_MORE = {"--min-importance": "min_importance"}
_NUMBERS = {"--limit": "limit", "--budget": "budget"}


def inject(arguments: list[str]) -> bool:
    """Print the block for a task; whether this was a plain case that went well."""
    given = _parsed(arguments)
    if given is None:
        return False
    import rawko
    from rawko.clients.cli import shapes
    from rawko.clients.lean import output

    as_json, folder = given.pop("as_json", False), given.pop("folder", None)
    try:
        with rawko.open(folder) as library:
            selection = library.inject(**given)
    except rawko.RawkoError:
        return False
    if as_json:
        output.json(shapes.selection(selection))
    else:
        output.block(selection.block)
    return True


def _parsed(arguments: list[str]) -> dict[str, Any] | None:
    """What the arguments say, or None where they are not the plain case."""
    given: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        if argument == "--json":
            given["as_json"] = True
        elif name := _TEXTS.get(argument) or _MORE.get(argument) or _NUMBERS.get(argument):
            value = next(rest, None)
            if value is None or name in given or (argument in _NUMBERS and not value.isdecimal()):
                return None
            given[name] = int(value) if argument in _NUMBERS else value
        elif argument.startswith("-") or "task" in given:
            return None
        else:
            given["task"] = argument
    return given if "task" in given else None
