"""The tensors in an ONNX file, without the package for it: as much of protobuf as finding them takes.

Nothing is copied: a tensor is a view of the file, which stays mapped for as long as somebody has one.
"""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator

    Tensor = npt.NDArray[Any]

_VARINT, _EIGHT_BYTES, _SIZED, _FOUR_BYTES = 0, 1, 2, 5
_GRAPH, _INITIALIZER = 7, 5
_SHAPE, _TYPE, _NAME, _DATA = 1, 2, 8, 9
_TYPES = {1: "<f4", 3: "i1"}


class Field(NamedTuple):
    """One field of a message: its number in the schema, and a whole number or bytes."""

    number: int
    value: int
    data: memoryview


def read(path: str) -> dict[str, Tensor]:
    """The float32 and int8 tensors of a model, by name. What is not such a file is a ValueError or a LookupError."""
    with open(path, "rb") as file:
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    graphs = [field.data for field in _fields(data) if field.number == _GRAPH]
    found = [field.data for graph in graphs for field in _fields(graph) if field.number == _INITIALIZER]
    return dict(named for tensor in found for named in _tensor(tensor))


def _tensor(data: memoryview) -> Iterator[tuple[str, Tensor]]:
    """A tensor and its name, if it is of a type that we need and its numbers are in one piece."""
    fields = list(_fields(data))
    shape = [field.value for field in fields if field.number == _SHAPE]
    only = {field.number: field for field in fields}
    kind = _TYPES.get(only[_TYPE].value)
    if kind and _DATA in only:
        yield str(only[_NAME].data, "utf-8"), np.frombuffer(only[_DATA].data, kind).reshape(shape)


def _fields(data: memoryview) -> Iterator[Field]:
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        value = size = 0
        if key & 7 == _VARINT:
            value, at = _varint(data, at)
        else:
            size, at = _size(data, at, key & 7)
        if key < 8 or at + size > len(data):  # noqa: PLR2004 - no field has the number 0
            raise ValueError("this is not a protobuf message")
        yield Field(key >> 3, value, data[at : at + size])
        at += size


def _size(data: memoryview, at: int, kind: int) -> tuple[int, int]:
    """How many bytes a field has, and where they begin."""
    if kind == _SIZED:
        return _varint(data, at)
    if kind in {_EIGHT_BYTES, _FOUR_BYTES}:
        return (8 if kind == _EIGHT_BYTES else 4), at
    raise ValueError(f"{kind} is no kind of field")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """A whole number in groups of seven bits, the lowest first, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:  # noqa: PLR2004 - the highest bit says that there is more
            return value, at
