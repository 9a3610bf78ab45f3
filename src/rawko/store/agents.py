"""Agent definitions: what `agents/NAME.md` says about an agent's memories."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from rawko.store import codec, files, parsed, readings
from rawko.store.files import Unfit
from rawko.store.frontmatter import MAX_BYTES, Mapping, Refused
from rawko.values.agent import Agent
from rawko.values.errors import Problem

if TYPE_CHECKING:
    from rawko.store.readings import Reading

FOLDER = "agents"
_BONUS = readings.number(0, 1000, float)
_NAME = re.compile(r"\w[\w.-]{0,99}")


def agent(root: str, name: str) -> tuple[Agent, list[Problem]]:
    """The agent of this name, and what in its definition was not understood; one without a definition is itself."""
    file = f"{FOLDER}/{name}.md"
    if not _NAME.fullmatch(name):
        return Agent(name), []
    try:
        front = parsed.mapping(root, file, lambda: _read(root, file))
    except (FileNotFoundError, NotADirectoryError):
        return Agent(name), []
    except Refused as refused:
        return Agent(name), [Problem(file, refused.reason, refused.hint, refused.line)]
    except Unfit as unfit:
        return Agent(name), [Problem(file, unfit.reason, unfit.hint)]
    except OSError as error:
        return Agent(name), [Problem(file, str(files.error_for(error, "cannot read it").message))]
    return _Definition(name, file, front).agent()


def problems(root: str) -> list[Problem]:
    """What in any of the definitions was not understood."""
    try:
        names = sorted(os.listdir(os.path.join(root, FOLDER)))
    except OSError:
        return []
    return [each for name in names if name.endswith(".md") for each in agent(root, name.removesuffix(".md"))[1]]


def _read(root: str, file: str) -> Mapping:
    with files.opened(root) as folder:
        data, _ = files.read(folder, file, 4 * MAX_BYTES)
    return codec.split_frontmatter(codec.text_of(data))[0][0]


class _Definition:
    """Reads one definition, and collects what is wrong with it."""

    def __init__(self, name: str, file: str, front: Mapping) -> None:
        self._name = name
        self._file = file
        self._front = front
        self._problems: list[Problem] = []

    def agent(self) -> tuple[Agent, list[Problem]]:
        """The agent, and what was not understood."""
        memory = self._mapping("memory")
        found = Agent(
            self._name,
            tags=self._value(memory, "tags", readings.texts) or self._other_tags(),
            max_injected=self._value(memory, "maxInjected", readings.MOST_INJECTED),
            min_importance=self._value(memory, "minImportance", readings.IMPORTANCE),
            score_bonus=self._value(memory, "scoreBonus", _BONUS) or 0.0,
            budget=self._value(memory, "budget", readings.BUDGET),
        )
        return found, self._problems

    def _other_tags(self) -> tuple[str, ...]:
        return self._value(self._mapping("metadata"), "tags", readings.texts, "metadata") or ()

    def _mapping(self, key: str) -> dict[str, Any]:
        value = self._front.values.get(key, {})
        if not isinstance(value, dict):
            self._wrong(key, f"`{key}` must be a mapping", "write each of its keys on a line of its own, indented")
            return {}
        return value

    def _value(self, values: dict[str, Any], key: str, read: Reading, below: str = "memory") -> Any:
        if key not in values:
            return None
        try:
            return read(values[key])
        except ValueError as error:
            self._wrong(below, f"`{key}` is {values[key]!r}", f"use {error}")
            return None

    def _wrong(self, key: str, reason: str, hint: str) -> None:
        self._problems.append(Problem(self._file, reason, hint, self._front.lines.get(key), "warning"))
