"""Settings read from config.yaml files: the library's own, and above it the user's."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

from rawko.store import files, frontmatter
from rawko.store.codec import text_of
from rawko.store.files import Unfit
from rawko.store.frontmatter import Refused
from rawko.values.errors import InvalidSettings, Problem
from rawko.values.settings import DURABILITIES, Settings

NAME = "config.yaml"
_KEYS = {"durability": "durability", "lockTimeout": "lock_timeout", "agent": "agent"}


@dataclass(frozen=True, slots=True)
class Configured:
    """The settings in force, where each came from, and what in the files was not understood."""

    settings: Settings
    origins: dict[str, str]
    problems: tuple[Problem, ...] = ()

    def table(self) -> list[tuple[str, Any, str]]:
        """Every key with its value and where that came from."""
        return [(key, getattr(self.settings, name), self.origins.get(key, "default")) for key, name in _KEYS.items()]


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
        with files.opened(folder) as descriptor:
            data, _ = files.read(descriptor, name, frontmatter.MAX_BYTES)
        return frontmatter.load(text_of(data))
    except (FileNotFoundError, NotADirectoryError):
        return frontmatter.Mapping({}, {})
    except Refused as refused:
        raise InvalidSettings(f"{path}:{refused.line}: {refused.reason}", hint=refused.hint) from refused
    except Unfit as unfit:
        raise InvalidSettings(f"{path}: {unfit.reason}", hint=unfit.hint) from unfit
    except OSError as error:
        raise files.error_for(error, f"cannot read {path}") from error


def _value(path: str, line: int, key: str, value: object) -> Any:
    place = f"{path}:{line}"
    if not isinstance(value, str) or not value.strip():
        raise InvalidSettings(f"{place}: {key} must be one value", hint=f"write `{key}: ...`")
    if key == "durability" and value not in DURABILITIES:
        raise InvalidSettings(f"{place}: durability is {value!r}", hint=f"use one of {', '.join(DURABILITIES)}")
    if key != "lockTimeout":
        return value
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3600:  # noqa: PLR2004 - an hour is longer than anybody waits
        raise InvalidSettings(f"{place}: lockTimeout is {value!r}", hint="use seconds from 0 to 3600")
    return seconds
