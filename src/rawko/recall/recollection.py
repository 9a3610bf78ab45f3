"""Recall as the library offers it: inject, search, and the receipts that make both accountable."""

from __future__ import annotations

from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any, TypeVar

from rawko.recall import documents, prompt, search
from rawko.recall.arbiter import Arbiter, Picked, Shelf
from rawko.recall.choice import Limits
from rawko.recall.index import Index
from rawko.store import codec, receipts
from rawko.store.agents import agent as read_agent
from rawko.store.log import Broken
from rawko.store.seal import Seal
from rawko.values.agent import Agent
from rawko.values.digests import sha256
from rawko.values.errors import MemoryNotFound, NotReplayable, RawkoError, StoreError, UnreadableMemory
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
_A_FEW = 8  # about a second of work, after the answer is known

Answer = TypeVar("Answer")


class Wish(Record):
    """What a caller wants of one injection; what is None is decided by the agent, then by the settings."""

    limit: int | None = None
    min_importance: str | None = None
    budget: int | None = None
    without: frozenset[str] = frozenset()
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
        self.indexes = tuple(_index(place, settings, embedder) for place in self._places)
        shelves = zip(self._places, self.indexes, strict=True)
        self._arbiter = Arbiter(
            [Shelf(place.store, index, place.origin, place.shown) for place, index in shelves], settings
        )

    def close(self) -> None:
        """Close every index."""
        for index in self.indexes:
            index.close()

    def inject(self, task: Task, wish: Wish, now: datetime) -> Selection:
        """Choose for a task, and keep a receipt of it; one that cannot be kept is a warning."""
        agent = self._agent(task.agent)
        limits, wording = self._limits(agent, wish), self._wording(agent, wish)
        arbiter = self._arbiter if wish.as_of is None else self._past(wish.as_of)
        picked = self._answered(lambda: arbiter.select(task, agent, limits, wording, now.timestamp()))
        self._embed(_A_FEW)
        receipt = _receipt(task, picked, limits, wording, now, wish.as_of)
        try:
            return replace(picked.selection, receipt=self.receipts.write(receipt, now))
        except StoreError as error:
            _warn(f"no receipt was kept: {error}")
            return picked.selection

    def search(self, query: str, limit: int, wanted: Callable[[Document], bool]) -> list[Found]:
        """The memories that have words of a query, the best first."""
        return self._answered(lambda: self._search(query, limit, wanted))

    def _search(self, query: str, limit: int, wanted: Callable[[Document], bool]) -> list[Found]:
        self._arbiter.refresh()
        ranked = [
            (one, place)
            for place, index in zip(self._places, self.indexes, strict=True)
            for one in search.search(index, query, wanted)
        ]
        ranked.sort(key=lambda pair: (-pair[0].score, pair[0].document.name))
        return [_found(one, place, query) for one, place in ranked[:limit]]

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

    def purge(self, file: str, text: str | None, mark: str) -> None:
        """Remove a text from the receipts, or what they say of one memory, and whatever was derived from it."""

        def change(receipt: dict[str, Any]) -> dict[str, Any]:
            if text is not None:
                return receipts.without(receipt, text, mark)
            for entry in (*receipt["memories"], *receipt["leftOut"]):
                if entry["file"] == file:
                    entry.update(matched=mark, digest="")
            return receipt

        self.indexes[0].discard()
        self.receipts.rewrite(change)

    def status(self) -> dict[str, Any]:
        """What is in the index of the library itself."""
        return self.indexes[0].status()

    def _answered(self, ask: Callable[[], Answer]) -> Answer:
        """What the indexes answer; if one of them turns out to be damaged, all are built again first."""
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
            raise NotReplayable(f"the block of receipt {name} comes out differently", hint="is it another rawko?")
        return block

    def _told(self, entry: dict[str, Any], as_of: datetime | None) -> prompt.Told:
        place = next((place for place in self._places if place.origin == entry["origin"]), None)
        name = entry["file"]
        try:
            data = place.store.read(name).data[: entry["size"]] if place else b""
            if _digest(data) != entry["digest"]:
                raise NotReplayable(f"{name} is not what it was then", hint="it was edited, merged or purged since")
            memory = codec.decode(name, data)
        except (MemoryNotFound, UnreadableMemory) as error:
            raise NotReplayable(f"{name} cannot be read any more", hint=str(error)) from error
        assert place is not None
        return prompt.Told((memory.as_of(as_of) if as_of else None) or memory, f"{place.shown}/{name}", place.origin)

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


def _found(one: Ranked, place: Place, query: str) -> Found:
    name, head = one.document.name, one.document.head
    try:
        content = codec.decode(name, place.store.read(name).data).content
    except (MemoryNotFound, UnreadableMemory):
        content = ""
    return Found("memory", name, head.title, round(one.score, 4), search.snippet(content, query), place.origin)


def _index(place: Place, settings: Settings, embedder: Embedder | None) -> Index:
    return Index(Seal(place.folder, _NAME) if place.folder else None, settings.lock_timeout, embedder)


def _first(*values: Any) -> Any:
    return next(value for value in values if value is not None)


def _receipt(
    task: Task, picked: Picked, limits: Limits, wording: prompt.Wording, now: datetime, as_of: datetime | None
) -> dict[str, Any]:
    selection = picked.selection
    left_out = selection.left_out
    return {
        "at": format_time(now),
        "task": {"text": task.text, "agent": task.agent, "plan": task.plan, "history": task.history},
        "asOf": format_time(as_of) if as_of else None,
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
