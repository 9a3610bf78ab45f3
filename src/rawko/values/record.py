"""Frozen values with named fields: what `dataclasses` makes, without the time that it takes at every start.

A hook starts a process at every prompt. Loading `dataclasses` and making some twenty classes with it took a third of
the time from a task to its block, so values derive from `Record` instead; type checkers treat it the same.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar, dataclass_transform


@dataclass_transform(frozen_default=True)
class Record:
    """The base of every value: equal where its fields are equal, and never changed once made."""

    _names: ClassVar[tuple[str, ...]] = ()
    _usual: ClassVar[dict[str, Any]] = {}
    _apart: ClassVar[frozenset[str]] = frozenset()
    """Fields that do not count for the hash, because what they hold cannot be hashed."""

    def __init_subclass__(cls) -> None:
        own = [name for name, kind in cls.__annotations__.items() if not str(kind).startswith("ClassVar")]
        cls._names = (*cls._names, *own)
        cls._usual = cls._usual | {name: cls.__dict__[name] for name in own if name in cls.__dict__}

    def __init__(self, *values: Any, **named: Any) -> None:
        if len(values) == len(self._names) and not named:
            vars(self).update(zip(self._names, values, strict=True))
            return
        given = {**self._usual, **dict(zip(self._names, values, strict=False)), **named}
        if len(given) != len(self._names) or len(values) > len(self._names):
            self._refuse(given)
        vars(self).update(given)

    def _refuse(self, given: dict[str, Any]) -> None:
        missing = [name for name in self._names if name not in given]
        unknown = [name for name in given if name not in self._names]
        raise TypeError(f"{type(self).__name__}: missing {missing}, unknown {unknown}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(vars(self)[name] == vars(other)[name] for name in self._names)

    def __hash__(self) -> int:
        return hash(tuple(vars(self)[name] for name in self._names if name not in self._apart))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={vars(self)[name]!r}" for name in self._names)
        return f"{type(self).__name__}({fields})"


AnyRecord = TypeVar("AnyRecord", bound=Record)


def replace(record: AnyRecord, **changes: Any) -> AnyRecord:
    """The same value with some of its fields changed."""
    names, values = record._names, vars(record)  # noqa: SLF001 - a function of this module, as in `dataclasses`
    given = {name: values[name] for name in names} | changes
    return type(record)(*given.values()) if len(given) == len(names) else type(record)(**given)
