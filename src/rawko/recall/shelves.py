"""What a caller gives, as recall takes it: libraries as places, and words, numbers and dates that were looked at."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from rawko.recall.embedding import installed
from rawko.recall.recollection import Place, Recollection, Wish
from rawko.store.layout import MEMORIES
from rawko.store.memories import FileStore
from rawko.store.receipts import Receipts
from rawko.values import checks
from rawko.values.errors import InvalidMemory, InvalidTask
from rawko.values.memory import IMPORTANCES
from rawko.values.task import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from rawko.recall.embedding import Embedder
    from rawko.store.seam import Store
    from rawko.values.document import Document
    from rawko.values.settings import Settings

USER = "user library"
_LONGEST = 100_000
KINDS = ("memories", "sessions", "layers")
_FILTERS = ("tag", "importance", "agent", "since", "until")


def recollection(
    store: Store, folder: str | None, user: str | None, settings: Settings, embedder: Embedder | None = None
) -> Recollection:
    """Recall over a library, and over the user's own where that is another one, with the embedder there is."""
    shown = os.path.basename(folder) if folder else ".rawko"
    places = [Place(store, folder, shown=f"{shown}/{MEMORIES}")]
    if user and folder and (real := os.path.realpath(user)) != os.path.realpath(folder):
        # A link to the folder is followed, as `open` follows one to a project; the links in it are not.
        places.append(Place(FileStore(real, settings=settings), real, USER, os.path.join(user, MEMORIES)))
    chosen = embedder or installed() if settings.semantic else None
    return Recollection(places, settings, Receipts(folder), chosen)


def task(text: object, agent: object, plan: object, history: object) -> Task:
    """A task from what a caller has; a plan or a history that is not text becomes JSON, or a line each."""
    if not isinstance(text, str) or not isinstance(agent, str):
        raise InvalidTask("the task and the agent must be texts", hint="say in words what is to be done")
    return Task(_ends_of(text), agent.strip(), _ends_of(_text(plan)), _ends_of(_text(history)))


def _ends_of(text: str) -> str:
    """The text, or the beginning and the end of one that is too long to be anything but a log."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}\n\n{text[-_LONGEST // 2 :]}"


def _text(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidTask(f"a plan or a history cannot be told as JSON: {error}", hint="give it as a text") from error


def wish(
    limit: int | None,
    min_importance: str | None,
    budget: int | None,
    without: Iterable[tuple[str, str]],
    as_of: str | datetime | None,
) -> Wish:
    """What a caller wants of an injection. Raises InvalidTask."""
    return Wish(
        limit if limit is None else _count("limit", limit),
        min_importance if min_importance is None else _importance(min_importance),
        budget if budget is None else _count("budget", budget),
        frozenset(without),
        None if as_of is None else moment(as_of),
    )


def moment(when: str | datetime, *, end: bool = True) -> datetime:
    """A moment from a date or a time, as `checks.moment` has it. Raises InvalidTask."""
    try:
        return checks.moment(when, end=end)
    except InvalidMemory as error:  # what is asked for is no memory
        raise InvalidTask(error.message, hint=error.hint) from error


def number(name: str, value: object) -> int:
    """A whole number. Raises InvalidTask."""
    if not isinstance(value, int) or isinstance(value, bool):  # True is an int as well
        raise InvalidTask(f"the {name} is {value!r}", hint="give a whole number from 0 up")
    return value


def _count(name: str, value: object) -> int:
    found = number(name, value)
    if found < 0:
        raise InvalidTask(f"the {name} is {value!r}", hint="give a whole number from 0 up")
    return found


def kinds(within: object) -> frozenset[str]:
    """What a search looks through. Raises InvalidTask."""
    found = _texts("within", within)
    if unknown := [kind for kind in found if kind not in KINDS]:
        raise InvalidTask(f"there are no {unknown[0]!r} to search", hint=f"use some of {', '.join(KINDS)}")
    return frozenset(found)


def wanted(query: object, filters: Mapping[str, Any]) -> Callable[[Document], bool]:
    """Whether a document passes the filters that a caller gave with a query. Raises InvalidTask."""
    if not isinstance(query, str):
        raise InvalidTask("the query must be a text", hint="say in words what to look for")
    if unknown := [name for name in filters if name not in _FILTERS]:
        raise InvalidTask(f"{unknown[0]!r} is not a filter", hint=f"the filters are {', '.join(_FILTERS)}")
    given = {name: value for name, value in filters.items() if value is not None}
    since = moment(given["since"], end=False).timestamp() if "since" in given else float("-inf")
    until = moment(given["until"]).timestamp() if "until" in given else float("inf")
    tags = {tag.lower() for tag in _texts("tag", given.get("tag", ()))}
    if not isinstance(agent := given.get("agent", ""), str):
        raise InvalidTask(f"the agent is {agent!r}", hint="give the name of one")
    least = IMPORTANCES.index(_importance(given.get("importance", "low")))

    def passes(document: Document) -> bool:
        head = document.head
        return (
            document.kind != "problem"
            and head.status != "forgotten"
            and tags <= {tag.lower() for tag in head.tags}
            and IMPORTANCES.index(head.importance) >= least
            and given.get("agent") in (None, head.by)
            and since <= head.at <= until
        )

    return passes


def _importance(value: object) -> str:
    if not isinstance(value, str) or value not in IMPORTANCES:
        raise InvalidTask(f"the importance is {value!r}", hint=f"use one of {', '.join(IMPORTANCES)}")
    return value


def _texts(name: str, value: object) -> tuple[str, ...]:
    """One text or several. Raises InvalidTask for anything else: it must not be taken for no filter at all."""
    found = (value,) if isinstance(value, str) else value
    if not isinstance(found, (list, tuple, set, frozenset)) or not all(isinstance(item, str) for item in found):
        raise InvalidTask(f"the {name} is {value!r}", hint="give a text, or a list of texts")
    return tuple(found)
