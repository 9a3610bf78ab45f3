"""`rawko inject` as a hook runs it, at every prompt: without the libraries that draw tables and write help.

What is not the plain case (a flag it does not know, something that goes wrong) is left to the full command, which
does the same and says more.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rawko.values.selection import Selection

_TEXTS = {"--agent": "agent", "--plan": "plan", "--history": "history", "--library": "folder"}
_MORE = {"--min-importance": "min_importance"}
_NUMBERS = {"--limit": "limit", "--budget": "budget"}
_DIGITS = 9  # what is longer is odd, and Python refuses to read some thousand of them
_INTERRUPTED = 130


def inject(arguments: list[str]) -> int | None:
    """Print the block for a task; the exit code, or None where the full command has to do it all."""
    given = _parsed(arguments)
    if given is None:
        return None
    from rawko.clients.lean import output

    try:
        return _injected(given) if output.is_plain() else None
    except KeyboardInterrupt:
        output.interrupted()
        return _INTERRUPTED


def _injected(given: dict[str, Any]) -> int | None:
    import rawko
    from rawko.clients.lean import output

    as_json, folder, task = given.pop("as_json", False), given.pop("folder", None), given.pop("task")
    try:
        with output.remarks() as remarks, contextlib.ExitStack() as stack:
            library = stack.enter_context(rawko.open(folder))
            selection = library.inject(output.standard_input() if task == "-" else task, **given)
            stack.pop_all()
    except Exception:  # noqa: BLE001 - nothing was printed yet: the full command comes upon it again, and says what it is
        return None
    # From here on nothing is left to others, for there is a receipt. To close may take time, so the block goes first.
    code = output.attempt(lambda: _tell(selection, as_json=as_json))
    with output.remarks() as late:
        library.close()
    said = [*remarks, *([] if as_json else output.about(selection)), *late]
    output.attempt(lambda: output.notes(said))  # what cannot be remarked on has been injected all the same
    return code


def _tell(selection: Selection, *, as_json: bool) -> None:
    from rawko.clients.lean import output

    if as_json:
        from rawko.clients.cli import shapes

        output.json(shapes.selection(selection))
    elif selection:
        output.block(selection.block)


def _parsed(arguments: list[str]) -> dict[str, Any] | None:
    """What the arguments say, or None where they are not the plain case."""
    given: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        flag, sign, joined = argument.partition("=")
        if argument == "--json":
            given["as_json"] = True
        elif name := _TEXTS.get(flag) or _MORE.get(flag) or _NUMBERS.get(flag):
            value = joined if sign else next(rest, None)
            if value is None or name in given or (flag in _NUMBERS and not _is_number(value)):
                return None
            given[name] = int(value) if flag in _NUMBERS else value
        elif (argument.startswith("-") and argument != "-") or "task" in given:
            return None
        else:
            given["task"] = argument
    return given if "task" in given else None


def _is_number(value: str) -> bool:
    return value.isascii() and value.isdecimal() and len(value) <= _DIGITS
