"""Recall as the library offers it: inject, search, and the receipts that make both accountable."""

from __future__ import annotations

import contextlib
import os
from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any, TypeVar

from rawko.recall import documents, prompt
from rawko.recall.arbiter import Arbiter, Picked, Shelf
from rawko.recall.choice import Limits
from rawko.recall.index import Index
from rawko.store import codec, naming
from rawko.store.agents import agent as read_agent
from rawko.store.log import Broken
from rawko.store.seal import Seal
from rawko.store.table import Table
from rawko.values.agent import Agent
from rawko.values.digests import sha256
from rawko.values.errors import (
    MemoryNotFound,
    NotReplayable,
    RawkoError,
    StoreError,
    StoreUnavailable,
    UnreadableMemory,
)
from rawko.values.record import Record, replace
from rawko.values.selection import Found, Match
from rawko.values.times import format_time, parse_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from rawko.recall.embedding import Embedder
    from rawko.recall.ranking import Ranked
    from rawko.store.receipts import Receipts
    from rawko.store.seam import Store
    from rawko.values.document import Document
    from rawko.values.selection import Chosen, LeftOut, Selection
    from rawko.values.settings import Settings
    from rawko.values.task import Task

_KEPT_OF_LEFT_OUT = 50
_NAME = "index"
_A_FEW = 8

Answer = TypeVar("Answer")


class Wish(Record):
    """What a caller wants of one injection; what is None is decided by the agent, then by the settings."""

    limit: int | None = None
    min_importance: str | None = None
    budget: int | None = None
    without: frozenset[tuple[str, str]] = frozenset()
    as_of: datetime | None = None


class Place(Record):
    """A library that recall reads: its store, its folder if it has one, and what its memories are said to be from."""

    store: Store
    folder: str | None
    origin: str = ""
    shown: str = ".rawko/memories"


class Recollection:
    """Recall over one or more libraries; receipts are kept in the first."""

    def __init__(
        self, places: Sequence[Place], settings: Settings, kept: Receipts, embedder: Embedder | None = None
    ) -> None:
        self._places = tuple(places)
        self._settings = settings
        self.receipts = kept
        self._was_asked = False
        self.indexes = tuple(_index(place, settings, embedder) for place in self._places)
        shelves = zip(self._places, self.indexes, strict=True)
        self._arbiter = Arbiter(
            [Shelf(place.store, index, place.origin, place.shown) for place, index in shelves], settings
        )

    def close(self) -> None:
        """Close every index. Now that nobody waits for an answer, a few vectors are made that are still missing."""
        if self._was_asked:
            self._embed(_A_FEW)
            self._was_asked = False
        for index in self.indexes:
            index.close()

    def inject(self, task: Task, wish: Wish, at: datetime, now: datetime | None = None) -> Selection:
        """Choose for a task, and keep a receipt of it; one that cannot be kept is a warning.

        `at` is when that happens, and what the receipt is filed under, whatever `now` the caller would have it be.
        """
        agent = self._agent(task.agent)
        limits, wording = self._limits(agent, wish), self._wording(agent, wish)
        arbiter = self._arbiter if wish.as_of is None else self._past(wish.as_of)
        moment = now or wish.as_of or at
        picked = self._answered(lambda: arbiter.select(task, agent, limits, wording, moment.timestamp()))
        times = {
            "at": format_time(at),
            "now": format_time(now) if now else None,
            "asOf": format_time(wish.as_of) if wish.as_of else None,
        }
        receipt = {**times, **_receipt(task, picked, limits, wording)}
        try:
            return replace(picked.selection, receipt=self.receipts.write(receipt, at))
        except StoreError as error:
            _warn(f"no receipt was kept: {error}")
            return picked.selection

    def meant(self, name: str) -> tuple[str, str]:
        """Whose memory a name or title means, and its file: the project's where it has one, else one of the user's."""
        own, *others = self._places
        try:
            return own.origin, naming.resolve(own.store, name)
        except MemoryNotFound:
            for place in others:
                with contextlib.suppress(MemoryNotFound, StoreError):
                    return place.origin, naming.resolve(place.store, name)
            raise

    def since(self, origin: str, file: str) -> datetime | None:
        """Since when there is a memory; None where it cannot be read."""
        with contextlib.suppress(MemoryNotFound, UnreadableMemory, StoreError):
            for place in self._places:
                if place.origin == origin:
                    return codec.decode(file, place.store.read(file).data).discovered_at
        return None

    def search(self, query: str, limit: int, wanted: Callable[[Document], bool]) -> list[Found]:
        """The memories that have words of a query, the best first."""
        return self._answered(lambda: self._search(query, limit, wanted))

    def _search(self, query: str, limit: int, wanted: Callable[[Document], bool]) -> list[Found]:
        from rawko.recall import search  # noqa: PLC0415 - a hook does not search

        able = {shelf.origin for shelf in self._arbiter.refresh().shelves}
        ranked = [
            (one, place)
            for place, index in zip(self._places, self.indexes, strict=True)
            if place.origin in able
            for one in search.search(index, query, wanted, limit)
        ]
        ranked.sort(key=lambda pair: (-pair[0].score, pair[0].document.name))
        return [_found(one, place, partial(search.snippet, query=query)) for one, place in ranked[:limit]]

    def refresh(self, seen: Callable[[], object] | None = None) -> None:
        """Bring every index up to its files, vectors included where there is an embedder."""
        self._answered(lambda: self._arbiter.refresh(seen, whole=True))
        self._embed(None, seen)

    def _embed(self, most: int | None, seen: Callable[[], object] | None = None) -> None:
        for place, index in zip(self._places, self.indexes, strict=True):
            try:
                index.embed(partial(documents.text_of, place.store), most, seen)
            except (RawkoError, Broken, OSError) as error:
                _warn(f"not everything was embedded: {error}")

    def rebuild(self, seen: Callable[[], object] | None = None) -> None:
        """Throw every index away and build it again."""
        for index in self.indexes:
            index.discard()
        self.refresh(seen)

    def purge(self, file: str, text: str | None, mark: str, data: bytes | None = None) -> bool:
        """Remove a text from the receipts, or what they say of one memory; returns whether it was in any of them.

        With `data`, which is what the memory is without the text, its old checksums go as well.
        """
        from rawko.store.removal import Removal  # noqa: PLC0415 - a hook does not purge

        told = self.receipts.rewrite(Removal(file, mark, text, self._names(), data))
        if told["removed"]:
            _warn(f"lines of the receipts that held it and could not be read were removed: {told['removed']}")
        if told["unread"] and data is None:
            _warn(f"lines of the receipts that cannot be read were left as they are: {told['unread']}")
        return bool(told["changed"] or told["removed"])

    def _names(self) -> frozenset[str]:
        """The names of the files that are there, in the libraries that can be asked."""
        found: set[str] = set()
        for place in self._places:
            with contextlib.suppress(StoreError):
                found.update(place.store.names().names)
        return frozenset(found)

    def discard(self) -> None:
        """Remove the index of the library itself, also where somebody else is at it: it has the words of what is gone.

        Whoever has the file open finds another in its place, or none, and begins anew.
        """
        with contextlib.suppress(StoreError):
            self.indexes[0].discard()
        self.indexes[0].close()
        folder = self._places[0].folder
        if folder:
            path = Seal(folder, _NAME).path
            Table(path, "", 0).discard()
            _refuse_left(path)

    def status(self) -> dict[str, Any]:
        """What is in the index of the library itself."""
        return self.indexes[0].status()

    def _answered(self, ask: Callable[[], Answer]) -> Answer:
        """What the indexes answer; if one of them turns out to be damaged, all are built again first."""
        self._was_asked = True
        for recover in (methodcaller("begin_anew"), methodcaller("leave_the_disk")):
            try:
                return ask()
            except Broken:
                for index in self.indexes:
                    recover(index)
        return ask()

    def replay(self, name: str) -> str:
        """The block of a receipt, worded again from what the files held then. Raises NotReplayable."""
        receipt = self.receipts.get(name)
        if receipt["renderer"] != prompt.RENDERER:
            hint = "replay it with the rawko that made it"
            raise NotReplayable(f"receipt {name} was worded by renderer {receipt['renderer']}", hint=hint)
        as_of = parse_time(receipt["asOf"]) if receipt.get("asOf") else None
        told = [self._told(entry, as_of) for entry in receipt["memories"]]
        renderings = [prompt.Rendering(entry["level"], entry["characters"]) for entry in receipt["memories"]]
        block = prompt.again(told, renderings, prompt.Wording(**receipt["wording"]))
        if _digest(block.encode()) != receipt["block"]:
            origins = sorted({entry["origin"] for entry in receipt["memories"]} - {""})
            hint = f"has the {origins[0]} moved, or is it another rawko?" if origins else "is it another rawko?"
            raise NotReplayable(f"the block of receipt {name} comes out differently", hint=hint)
        return block

    def _told(self, entry: dict[str, Any], as_of: datetime | None) -> prompt.Told:
        place, name = self._place(entry), entry["file"]
        try:
            data = place.store.read(name).data[: entry["size"]]
            if _digest(data) != entry["digest"]:
                raise NotReplayable(f"{name} is not what it was then", hint="it was edited, merged or purged since")
            memory = codec.decode(name, data)
        except (MemoryNotFound, UnreadableMemory) as error:
            raise NotReplayable(f"{name} cannot be read any more", hint=str(error)) from error
        except StoreUnavailable as error:
            raise _not_there(entry, str(error)) from error
        return prompt.Told((memory.as_of(as_of) if as_of else None) or memory, f"{place.shown}/{name}", place.origin)

    def _place(self, entry: dict[str, Any]) -> Place:
        """The library that an entry is from. Raises NotReplayable."""
        for place in self._places:
            if place.origin == entry["origin"]:
                return place
        raise _not_there(entry, "was it moved, or is RAWKO_HOME another?")

    def _agent(self, name: str) -> Agent:
        folder = self._places[0].folder
        if not name or folder is None:
            return Agent(name)
        found, problems = read_agent(folder, name)
        for problem in problems:
            _warn(str(problem))
        return found

    def _limits(self, agent: Agent, wish: Wish) -> Limits:
        settings = self._settings
        return Limits(
            most=_first(wish.limit, agent.max_injected, settings.max_injected),
            min_importance=_first(wish.min_importance, agent.min_importance, settings.min_importance),
            thresholds=settings.thresholds,
            strict=settings.match == "strict",
            without=wish.without,
        )

    def _wording(self, agent: Agent, wish: Wish) -> prompt.Wording:
        settings = self._settings
        budget = _first(wish.budget, agent.budget, settings.budget)
        return prompt.Wording(budget, settings.characters, settings.fill, settings.intro)

    def _past(self, moment: datetime) -> Arbiter:
        """An arbiter that sees everything as it was at a moment, from the files themselves."""
        shelves = [Shelf(place.store, Index(), place.origin, place.shown) for place in self._places]
        return Arbiter(shelves, self._settings, moment)


def _found(one: Ranked, place: Place, snippet: Callable[[str], str]) -> Found:
    name, head = one.document.name, one.document.head
    try:
        content = codec.decode(name, place.store.read(name).data).content
    except (MemoryNotFound, UnreadableMemory):
        content = ""
    return Found("memory", name, head.title, round(one.score, 4), snippet(content), place.origin, head.status)


def _index(place: Place, settings: Settings, embedder: Embedder | None) -> Index:
    return Index(Seal(place.folder, _NAME) if place.folder else None, settings.lock_timeout, embedder)


def _first(*values: Any) -> Any:
    return next(value for value in values if value is not None)


def _not_there(entry: dict[str, Any], hint: str) -> NotReplayable:
    return NotReplayable(f"{entry['file']} is of the {entry['origin'] or 'library'}, which is not there", hint=hint)


def _refuse_left(path: str) -> None:
    """Refuse to leave a derived file where it is, whose words must go. Raises StoreUnavailable."""
    if os.path.lexists(path):
        raise StoreUnavailable(f"{path} still has the words of it", hint="delete that file")


def _receipt(task: Task, picked: Picked, limits: Limits, wording: prompt.Wording) -> dict[str, Any]:
    selection = picked.selection
    left_out = selection.left_out
    return {
        "task": {"text": task.text, "agent": task.agent, "plan": task.plan, "history": task.history},
        "limits": {"most": limits.most, "minImportance": limits.min_importance, "strict": limits.strict},
        "wording": {
            "budget": wording.budget,
            "characters": wording.characters,
            "fill": wording.fill,
            "intro": wording.intro,
        },
        "renderer": prompt.RENDERER,
        "tokens": selection.tokens,
        "block": _digest(selection.block.encode()),
        "memories": [_chosen(one, data) for one, data in zip(selection.memories, picked.data, strict=True)],
        "leftOut": [_left_out(one) for one in left_out[:_KEPT_OF_LEFT_OUT]],
        "more": max(0, len(left_out) - _KEPT_OF_LEFT_OUT),
    }


def _chosen(one: Chosen, data: bytes) -> dict[str, Any]:
    return {
        "file": one.file,
        "origin": one.origin,
        "size": len(data),
        "digest": _digest(data),
        "score": one.score,
        "parts": dict(one.parts),
        **_match(one.match),
        "level": one.level,
        "characters": one.characters,
    }


def _left_out(one: LeftOut) -> dict[str, Any]:
    return {
        "file": one.file,
        "origin": one.origin,
        "reason": one.reason,
        "score": one.score,
        **_match(one.match or Match("", "")),
    }


def _match(match: Match) -> dict[str, Any]:
    return {"strength": match.strength, "matched": match.matched, "match": round(match.value, 4)}


def _digest(data: bytes) -> str:
    return sha256(data)


def _warn(text: str) -> None:
    import logging  # noqa: PLC0415 - most programs never need it

    logging.getLogger("rawko").warning("%s", text)
