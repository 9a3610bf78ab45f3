"""The one object a user opens: what an agent learned goes in, and is found again."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from rawko.store import codec, layout, naming, purging
from rawko.store.config import Configured, configure
from rawko.store.memories import FileStore
from rawko.store.seam import Stored, Write
from rawko.values import checks
from rawko.values.errors import InvalidMemory, MemoryNotFound, Problem, UnreadableMemory
from rawko.values.memory import STATUS_OF_KIND, Draft, Memory, Update
from rawko.values.record import replace
from rawko.values.settings import Settings
from rawko.values.times import format_date

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import TracebackType

    from rawko.recall.embedding import Embedder
    from rawko.recall.recollection import Recollection
    from rawko.store.seam import Render, Store
    from rawko.values.selection import Found, Selection
    from rawko.values.survey import Change, Survey


def open(path: str | os.PathLike[str] | None = None, *, create: bool = False) -> Library:  # noqa: A001 - rawko.open
    """Open the library at a path or above it; without a path, the one in RAWKO_DIR or the working directory.

    With `create`, make one at the path if it has none.
    """
    start = start_of(path)
    user = user_folder()
    root = layout.create(start, user)[0] if create else layout.locate(start, user)
    configured = configure(root, user)
    library = Library(FileStore(root, settings=configured.settings), configured=configured, folder=root)
    library.user = user if os.path.isdir(os.path.join(user, layout.MEMORIES)) else None
    return library


def start_of(path: str | os.PathLike[str] | None) -> str:
    """Where the search for a library begins: at the path, else at RAWKO_DIR, else in the working directory."""
    return os.fspath(path) if path is not None else os.environ.get("RAWKO_DIR") or "."


def user_folder() -> str:
    """Where a user's own settings and memories are, if there are any."""
    return os.environ.get("RAWKO_HOME") or os.path.join(os.path.expanduser("~"), ".config", "rawko")


def _now() -> datetime:
    return datetime.now(UTC)


class Library:
    """The memories of one project. Use it as a context manager, or call `close`."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], datetime] = _now,
        configured: Configured | None = None,
        folder: str | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self.store = store
        self.embedder = embedder
        self.folder = folder
        self.user: str | None = None
        self.configured = configured or Configured(Settings(), {})
        self._clock = clock

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of whatever is open. The library can still be used; it opens again what it needs."""
        self.store.close()
        if "recall" in vars(self):
            self.recall.close()

    # ------------------------------------------------------------ writing

    def remember(
        self,
        title: str,
        content: str,
        when_to_use: str | Sequence[str],
        importance: str = "medium",
        tags: Sequence[str] = (),
        agent: str | None = None,
        task: str | None = None,
        source: str | None = None,
        related: Sequence[str] = (),
    ) -> Memory:
        """Keep a memory: as a new file, or, when one with this title exists, as an update of it."""
        draft = Draft(title, content, when_to_use, importance, tags, agent, task, source, related)
        return self.append_many([draft])[0]

    def append_many(self, drafts: Iterable[Draft]) -> list[Memory]:
        """Keep several memories at once, with one sync of the folder.

        If it fails, none of them is kept; if the process is killed meanwhile, each is there whole or not at all.
        """
        news = [(checks.title(draft.title), self._statement(draft)) for draft in drafts]
        stored = self.store.append([Write(_renderer(title, first), title=title) for title, first in news])
        memories = {text.name: _memory(text, title, first) for text, (title, first) in zip(stored, news, strict=True)}
        return [memories[text.name] for text in stored]

    def update(
        self,
        file_or_title: str,
        content: str,
        agent: str | None = None,
        task: str | None = None,
        when_to_use: Sequence[str] = (),
        tags: Sequence[str] = (),
        importance: str | None = None,
    ) -> Memory:
        """Append a dated update; the new patterns, tags and importance count from now on."""
        return self._append(
            file_or_title,
            Update(
                checks.required(content, "content"),
                self._moment(),
                self._agent(agent),
                task=checks.optional(task, "task"),
                when_to_use=checks.several(when_to_use, "when_to_use"),
                tags=checks.several(tags, "tags"),
                importance=checks.importance(importance) if importance else None,
            ),
        )

    def correct(self, file_or_title: str, content: str, agent: str | None = None, task: str | None = None) -> Memory:
        """Append a correction: what was said before stays, and this is what holds."""
        text = checks.required(content, "content")
        return self._append(
            file_or_title, Update(text, self._moment(), self._agent(agent), "correction", checks.optional(task, "task"))
        )

    def deprecate(self, file_or_title: str, reason: str, agent: str | None = None) -> Memory:
        """Say that a memory no longer holds: it stays on file and is not injected."""
        return self._set_status(file_or_title, "deprecated", reason, agent)

    def supersede(self, file_or_title: str, by: str, reason: str = "", agent: str | None = None) -> Memory:
        """Say that another memory has taken the place of this one."""
        successor = self.resolve(by)
        if successor == self.resolve(file_or_title):
            raise InvalidMemory("a memory cannot take its own place", hint="name the one that does")
        text = f"Replaced by `{successor}`. {checks.optional(reason, 'reason') or ''}".strip()
        return self._set_status(file_or_title, "superseded", text, agent, replaced_by=successor)

    def restore(self, file_or_title: str, reason: str, agent: str | None = None) -> Memory:
        """Say that a memory holds again after all."""
        return self._set_status(file_or_title, "restored", reason, agent)

    def forget(
        self, file_or_title: str, *, purge: bool, text: str | None = None, reason: str = "", agent: str | None = None
    ) -> Memory | None:
        """Remove text for good: the one exception to append-only, for a leaked secret or personal data.

        With `text`, every occurrence of it in the file; without, everything the memory says. A dated stub stays.
        What failed in the middle is finished by the same call again.
        Copies in version control are not touched. Returns None for a file that could not and cannot be read.
        """
        if not purge:
            hint = "pass purge=True if the text itself must go"
            raise InvalidMemory("to retire a memory, deprecate it: nothing is removed without purge", hint=hint)
        why = checks.optional(reason, "reason") or "Text was removed for good."
        stub = Update(why, self._moment(), self._agent(agent), "forgotten", id=_new_id())
        if text is not None:
            text, mark = checks.required(text, "text"), purging.mark_of(stub.at)
            stub = replace(stub, kind="update", content=f"{why} {mark}")
            if reason and text in reason:
                raise InvalidMemory("the reason says again what is to be removed", hint="give another reason")
        return self._purge(self.resolve(file_or_title), text, stub)

    # ------------------------------------------------------------ recall

    @cached_property
    def recall(self) -> Recollection:
        """What chooses and finds memories, over this library and the user's own."""
        from rawko.recall import shelves  # noqa: PLC0415 - who only writes does without

        return shelves.recollection(self.store, self.folder, self.user, self.configured.settings, self.embedder)

    def inject(
        self,
        task: str,
        agent: str = "",
        plan: object = None,
        history: object = None,
        limit: int | None = None,
        min_importance: str | None = None,
        budget: int | None = None,
        now: str | datetime | None = None,
        without: str | Iterable[str] = (),
        as_of: str | datetime | None = None,
    ) -> Selection:
        """The memories that an agent needs for a task, as a block for its prompt, with the reasons for each."""
        from rawko.recall import shelves  # noqa: PLC0415 - who only writes does without

        names = checks.several(without, "without")
        wish = shelves.wish(limit, min_importance, budget, map(self.recall.meant, names), as_of)
        moment = None if now is None else shelves.moment(now)
        return self.recall.inject(shelves.task(task, agent, plan, history), wish, self._moment(), moment)

    def prompt(self, agent: str, task: str, base: str = "") -> str:
        """The system prompt of an agent for a task: the base, and behind it what the agent should know, if anything."""
        from rawko.recall import prompt  # noqa: PLC0415 - who only writes does without

        return prompt.joined(base, str(self.inject(task, agent)))

    def search(
        self, query: str, limit: int = 10, within: Sequence[str] = ("memories", "sessions", "layers"), **filters: Any
    ) -> list[Found]:
        """What has the words of a query, the best first; filters are tag, importance, agent, since and until."""
        from rawko.recall import shelves  # noqa: PLC0415 - who only writes does without

        passes, most = shelves.wanted(query, filters), shelves.number("limit", limit)
        return self.recall.search(query, most, passes) if most > 0 and "memories" in shelves.kinds(within) else []

    def replay(self, receipt: str) -> str:
        """The block of a receipt, byte for byte, from what the files held then. Raises NotReplayable."""
        return self.recall.replay(receipt)

    # ------------------------------------------------------------ reading

    def memories(self, as_of: str | datetime | None = None) -> Iterator[Memory]:
        """Every memory that can be read, by file name; `problems` has the others."""
        moment = None if as_of is None else checks.moment(as_of)
        for found in self._read_all(self.store.names().names):
            if not isinstance(found, Memory):
                _warn(found[0])
                continue
            then = found if moment is None else found.as_of(moment)
            if then is not None:
                yield then

    def problems(self) -> list[Problem]:
        """What in the store could not be read, each with file, line, reason and what to do."""
        return self.survey().problems

    def survey(self, seen: Callable[[], object] | None = None) -> Survey:
        """Everything in the store in one pass: the memories, and what could not be read; `seen` is called per file."""
        from rawko.values.survey import Survey  # noqa: PLC0415 - a hook does not look at everything

        listing = self.store.names()
        found = Survey([], list(listing.problems))
        for item in self._read_all(listing.names):
            if isinstance(item, Memory):
                found.memories.append(item)
            else:
                found.problems.extend(item)
            if seen:
                seen()
        return found

    def get(self, file_or_title: str, as_of: str | datetime | None = None) -> Memory:
        """The memory with this file name or title. Raises MemoryNotFound, or UnreadableMemory with its problems."""
        memory = _decoded(self.store.read(self.resolve(file_or_title)))
        then = memory if as_of is None else memory.as_of(checks.moment(as_of))
        if then is None:
            raise MemoryNotFound(f"{memory.file} was not there yet: it is from {format_date(memory.discovered_at)}")
        return then

    def log(self, file_or_title: str | None = None, since: str | datetime | None = None) -> list[Change]:
        """What was stated when: of one memory, or of all, oldest first."""
        memories = self.memories() if file_or_title is None else [self.get(file_or_title)]
        from rawko.values.survey import Survey  # noqa: PLC0415 - the same

        return Survey(list(memories), []).changes(since)

    def validate(self, file_or_title: str | None = None, seen: Callable[[], object] | None = None) -> list[Problem]:
        """What cannot be read, and what could be better: errors, warnings and hints, in the order of the files."""
        from rawko.recall import pattern_advice  # noqa: PLC0415 - nothing else needs them
        from rawko.values import guidelines  # noqa: PLC0415 - the same

        survey = self.survey(seen)
        found = [*survey.problems, *guidelines.compare(survey.memories, [problem.file for problem in survey.problems])]
        for memory in survey.memories:
            found.extend([*guidelines.review(memory), *pattern_advice.review(memory)])
        name = None if file_or_title is None else self.resolve(file_or_title)
        kept = (problem for problem in found if name in (None, problem.file))
        return sorted(kept, key=lambda problem: (problem.file, problem.line or 0))

    def resolve(self, file_or_title: str) -> str:
        """The file that a name or title means: an exact title, a name or stem, a title in any case."""
        return naming.resolve(self.store, file_or_title)

    # ------------------------------------------------------------ inside

    def _read_all(self, names: Iterable[str]) -> Iterator[Memory | tuple[Problem, ...]]:
        for name in names:
            try:
                yield _decoded(self.store.read(name))
            except UnreadableMemory as error:
                yield error.problems
            except MemoryNotFound:
                _warn(Problem(name, "it was deleted while the memories were being read", level="warning"))

    def _statement(self, draft: Draft) -> Update:
        patterns = checks.several(draft.when_to_use, "when_to_use")
        if not patterns:
            raise InvalidMemory("when_to_use is empty", hint="say for which tasks this matters")
        return Update(
            content=codec.plain(checks.required(draft.content, "content")),
            at=self._moment(),
            by=self._agent(draft.agent),
            task=checks.optional(draft.task, "task"),
            when_to_use=patterns,
            tags=checks.several(draft.tags, "tags"),
            importance=checks.importance(draft.importance),
            source=checks.optional(draft.source, "source"),
            related=checks.several(draft.related, "related"),
        )

    def _set_status(self, file_or_title: str, kind: str, reason: str, agent: str | None, **more: Any) -> Memory:
        text = checks.required(reason, "reason")
        return self._append(file_or_title, Update(text, self._moment(), self._agent(agent), kind, **more))

    def _append(self, file_or_title: str, update: Update) -> Memory:
        update = replace(update, id=_new_id())

        def render(stored: Stored | None) -> bytes:
            if stored is None:
                raise MemoryNotFound(f"there is no memory {file_or_title!r}")
            memory = _living(stored)
            return codec.encode_update(_after_the_last_word(memory, update), stored.data)

        return _decoded(self.store.append([Write(render, name=self.resolve(file_or_title))])[0])

    def _purge(self, name: str, text: str | None, stub: Update) -> Memory | None:
        """Take a text out of the receipts, the memory and the index, or whichever of them still has it.

        The receipts come first: if they cannot be rewritten, nothing is gone yet, and the memory is found by its title.
        """
        stored, mark = self.store.read(name), purging.mark_of(stub.at)
        is_there = text is None or purging.has(stored, text)
        if is_there:
            purging.purged(stored, text, stub)  # what is refused is refused before anything is changed
        is_told = self.recall.purge(name, text, mark)
        if is_there:
            stored = self.store.rewrite(name, lambda stored: purging.purged(stored, text, stub))
        self.recall.discard()
        if not (is_there or is_told):
            raise purging.not_in(name)
        self.recall.purge(name, text, mark, stored.data)  # somebody may have been told of it in between
        return purging.readable(stored)

    def _moment(self) -> datetime:
        return self._clock().astimezone(UTC).replace(microsecond=0)

    def _agent(self, agent: str | None) -> str:
        return checks.required(agent or self.configured.settings.agent, "agent")


def _after_the_last_word(memory: Memory, update: Update) -> Update:
    """The update, dated so that its word on the status is the last one, even where a clock went back."""
    if update.kind not in STATUS_OF_KIND or not memory.status_updates:
        return update
    return replace(update, at=max(update.at, memory.status_updates[-1].at))


def _living(stored: Stored) -> Memory:
    """A memory that can be added to: nothing is appended to a file that cannot be read, or to a stub."""
    memory = _decoded(stored)
    if memory.status == "forgotten":
        raise InvalidMemory(f"the text of {stored.name} is gone for good", hint="remember it anew, under another title")
    return memory


def _warn(problem: Problem) -> None:
    import logging  # noqa: PLC0415 - most programs never need it

    logging.getLogger("rawko").warning("%s", problem)


def _renderer(title: str, first: Update) -> Render:
    """What to write for a statement: a whole file, or where the title is known what it adds to that."""

    def render(stored: Stored | None) -> bytes:
        if stored is None:
            return codec.encode(title, first)
        memory = _living(stored)
        update = replace(
            first,
            id=_new_id(),
            when_to_use=tuple(item for item in first.when_to_use if item not in memory.when_to_use),
            tags=tuple(item for item in first.tags if item not in memory.tags),
        )
        return codec.encode_update(update, stored.data)

    return render


def _memory(stored: Stored, title: str, first: Update) -> Memory:
    """The memory after a write; a new one need not be read back."""
    return Memory(stored.name, title, first) if stored.is_new else _decoded(stored)


def _decoded(stored: Stored) -> Memory:
    return codec.decode(stored.name, stored.data)


def _new_id() -> str:
    return os.urandom(4).hex()
