"""Vectors as bytes: what an embedder gives, a database keeps, and a comparison takes, with numpy or without."""

from __future__ import annotations

import math
import sys
from array import array
from operator import mul
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Vector = bytes
"""The numbers as little-endian float32, one after the other."""


def unit(numbers: Sequence[float]) -> Vector:
    """The numbers as a vector of length one; zeros stay zeros."""
    length = math.hypot(*numbers)
    if not math.isfinite(length):
        raise ValueError("a vector has finite numbers")
    return _little(array("f", [number / (length or 1.0) for number in numbers])).tobytes()


def cosines(query: Vector, rows: Sequence[Vector]) -> list[float]:
    """How near each row is to the query, from -1 to 1; 0 for a vector of zeros."""
    if any(size != len(query) for size in set(map(len, rows))):
        raise ValueError("vectors of two models cannot be compared")
    try:
        import numpy as np  # noqa: PLC0415 - loaded where there is something to compare
    except ImportError:
        return _plainly(query, rows)
    numbers = np.frombuffer(b"".join(rows), "<f4").reshape(len(rows), len(query) // 4)
    products: list[float] = np.einsum("ij,j->i", numbers, np.frombuffer(query, "<f4")).tolist()
    return products  # as fast as `@`, and without the threads that `@` would start


def _plainly(query: Vector, rows: Iterable[Vector]) -> list[float]:
    """The same without numpy, for an embedder that does without it: a hundred times slower."""
    numbers = _numbers(query)
    return [sum(map(mul, numbers, _numbers(row))) for row in rows]


def _numbers(vector: Vector) -> array[float]:
    return _little(array("f", vector))


def _little(numbers: array[float]) -> array[float]:
    """The numbers from the machine's order of bytes to ours, or back."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
