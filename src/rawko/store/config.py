"""Settings read from config.yaml files: the library's own, and above it the user's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rawko.store import files, frontmatter, parsed, readings
from rawko.store.codec import text_of
from rawko.store.files import Unfit
from rawko.store.frontmatter import Refused
from rawko.values.errors import InvalidSettings, Problem
from rawko.values.memory import IMPORTANCES
from rawko.values.record import Record, replace
from rawko.values.settings import DURABILITIES, MATCHES, THRESHOLDS, Settings
from rawko.values.task import PARTS, STRENGTHS

if TYPE_CHECKING:
    from rawko.store.readings import Reading

NAME = "config.yaml"
_KEYS = {
    "durability": "durability",
    "lockTimeout": "lock_timeout",
    "agent": "agent",
    "maxInjected": "max_injected",
    "minImportance": "min_importance",
    "budget": "budget",
    "characters": "characters",
    "fill": "fill",
    "intro": "intro",
    "match": "match",
    "semantic": "semantic",
    "thresholds": "thresholds",
    "weights": "weights",
}


class Configured(Record):
    """The settings in force, where each came from, and what in the files was not understood."""

    settings: Settings
    origins: dict[str, str]
    problems: tuple[Problem, ...] = ()

    def table(self) -> list[tuple[str, Any, str]]:
        """Every key with its value and where that came from."""
        return [
            (key, _plain(getattr(self.settings, name)), self.origins.get(key, "default")) for key, name in _KEYS.items()
        ]


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else value


def configure(library: str, user: str) -> Configured:
    """Read the user's settings, then the library's over them. Raises InvalidSettings."""
    settings, origins, problems = Settings(), {}, []
    # The user's own file may be a link, as those who keep theirs in a repository have it; a library's may not.
    for path in (os.path.realpath(os.path.join(user, NAME)), os.path.join(library, NAME)):
        found = _read(path)
        for key, value in found.values.items():
            if key not in _KEYS:
                hint = f"the settings are {', '.join(_KEYS)}"
                problems.append(Problem(path, f"{key!r} is not a setting", hint, found.lines[key], "warning"))
                continue
            settings = replace(settings, **{_KEYS[key]: _value(path, found.lines[key], key, value)})
            origins[key] = path
    return Configured(settings, origins, tuple(problems))


def _read(path: str) -> frontmatter.Mapping:
    folder, name = os.path.split(path)
    try:
        return parsed.mapping(folder, name, lambda: _load(folder, name))
    except (FileNotFoundError, NotADirectoryError):
        return frontmatter.Mapping({}, {})
    except Refused as refused:
        raise InvalidSettings(f"{path}:{refused.line}: {refused.reason}", hint=refused.hint) from refused
    except Unfit as unfit:
        raise InvalidSettings(f"{path}: {unfit.reason}", hint=unfit.hint) from unfit
    except OSError as error:
        raise files.error_for(error, f"cannot read {path}") from error


def _load(folder: str, name: str) -> frontmatter.Mapping:
    with files.opened(folder) as descriptor:
        data, _ = files.read(descriptor, name, frontmatter.MAX_BYTES)
    return frontmatter.load(text_of(data))


def _value(path: str, line: int, key: str, value: object) -> Any:
    reading = _READINGS.get(key, readings.text)
    try:
        return reading(value)
    except ValueError as error:
        hint = f"use {error}, as in `{key}: ...`"
        raise InvalidSettings(f"{path}:{line}: {key} is {value!r}", hint=hint) from error


def _thresholds(value: object) -> dict[str, str]:
    found = {**THRESHOLDS, **readings.mapping(value, IMPORTANCES, readings.one_of(*STRENGTHS))}
    steps = [STRENGTHS.index(found[importance]) for importance in IMPORTANCES]
    if steps != sorted(steps, reverse=True):
        raise ValueError("thresholds that do not rise with the importance")
    return found


def _weights(value: object) -> dict[str, float]:
    return readings.mapping(value, PARTS, readings.number(0, 10, float))


_READINGS: dict[str, Reading] = {
    "durability": readings.one_of(*DURABILITIES),
    "lockTimeout": readings.number(0, 3600, float),
    "maxInjected": readings.MOST_INJECTED,
    "minImportance": readings.IMPORTANCE,
    "budget": readings.BUDGET,
    "characters": readings.number(50, 100_000, int),
    "fill": readings.switch,
    "intro": readings.switch,
    "match": readings.one_of(*MATCHES),
    "semantic": readings.switch,
    "thresholds": _thresholds,
    "weights": _weights,
}
