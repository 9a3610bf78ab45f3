"""The forward pass of all-MiniLM-L6-v2 in numpy: six layers of attention, and the mean of what they say.

One text at a time: batches padded to the longest text were slower. Matrices are multiplied in tiles, each too small
for OpenBLAS to share it among threads. That costs nothing with one thread, and on a machine that is busy, as one with
agents on it is, threads that wait for each other took ten times as long.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from rawko.recall import weights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Floats = npt.NDArray[np.float32]
    Tensors = Mapping[str, npt.NDArray[np.float32]]

DIMENSIONS = 384
_LAYERS, _HEADS = 6, 12
_PER_LAYER = 6
_PIECES = 30_522
_ROOT = np.float32((DIMENSIONS // _HEADS) ** -0.5)
_ONE, _TINY = np.float32(1), np.float32(1e-12)
_ERF = (-1.453152027, 1.421413741, -0.284496736, 0.254829592)
_COLUMNS = 64
_ROWS = 10
"""Rows at a time for a tile of 384 by 64; beyond 2^18 multiplications OpenBLAS starts threads."""
_LOOKING = 32
"""Pieces at a time that look at all others, for the same reason: times 32 numbers of a head, times 256 pieces."""


class Dense(NamedTuple):
    """Every output a weighted sum of all inputs: weights by 384 inputs, by 64 outputs, and within such a tile."""

    tiles: Floats
    bias: Floats

    def __call__(self, rows: Floats) -> Floats:
        """The outputs for each row."""
        found = np.empty((len(rows), len(self.bias)), np.float32)
        for block in _blocks(len(rows), _ROWS):
            inputs = rows[block].reshape(-1, len(self.tiles), 1, DIMENSIONS).transpose(1, 2, 0, 3)
            outputs = (inputs @ self.tiles).sum(0).transpose(1, 0, 2)
            found[block] = outputs.reshape(-1, len(self.bias))
        found += self.bias
        return found


class Norm(NamedTuple):
    """Every row brought to the mean and the spread that were learnt."""

    weight: Floats
    bias: Floats

    def __call__(self, rows: Floats) -> Floats:
        """The rows, normalised."""
        rows = rows - rows.mean(-1, keepdims=True)
        spread: Floats = np.sqrt((rows * rows).mean(-1, keepdims=True) + _TINY)
        return rows / spread * self.weight + self.bias


class Layer(NamedTuple):
    """Each piece looks at all pieces, then at itself."""

    ask: Dense
    """Queries, keys and values side by side; queries are already divided by the root of their size."""
    answer: Dense
    answered: Norm
    widen: Dense
    narrow: Dense
    narrowed: Norm

    def __call__(self, rows: Floats) -> Floats:
        """The pieces after this layer."""
        rows = self.answered(rows + self.answer(_attention(self.ask(rows))))
        return self.narrowed(rows + self.narrow(_gelu(self.widen(rows))))


class Network:
    """The whole model, read from its file."""

    def __init__(self, path: str) -> None:
        tensors = {name.removeprefix("inner."): tensor for name, tensor in weights.read(path).items()}
        self._words = tensors["embeddings.word_embeddings.weight_q"]
        self._scales = tensors["embeddings.word_embeddings.weight_scale"]
        places = "embeddings.position_embeddings.weight"
        self._places = tensors[f"{places}_q"] * tensors[f"{places}_scale"]
        self._places += tensors["embeddings.token_type_embeddings.weight"][0]
        self._norm = _norm(tensors, "embeddings.")
        self._layers = _layers(tensors)
        if self._words.shape != (_PIECES, DIMENSIONS) or len(self._layers) != _LAYERS:
            raise ValueError("these are the weights of another model")

    def vector(self, pieces: Sequence[int]) -> Floats:
        """What a text means, as a vector of length one; of zeros where it has no pieces."""
        if not pieces:
            return np.zeros(DIMENSIONS, np.float32)
        rows = self._norm(self._words[pieces] * self._scales[pieces] + self._places[: len(pieces)])
        for layer in self._layers:
            rows = layer(rows)
        mean: Floats = rows.mean(0)
        return mean / np.linalg.norm(mean)


def _blocks(count: int, most: int) -> list[slice]:
    """So many rows in blocks of about the same size, because OpenBLAS treats a single row in another way."""
    number = -(-count // most)
    bounds = [count * place // number for place in range(number + 1)]
    return [slice(*ends) for ends in pairwise(bounds)]


def _attention(asked: Floats) -> Floats:
    """For each piece the values of all pieces, each as far as its key answers the query, head by head."""
    queries, keys, values = asked.reshape(len(asked), 3, _HEADS, -1).transpose(1, 2, 0, 3)
    found = np.empty((len(asked), DIMENSIONS), np.float32)
    for block in _blocks(len(asked), _LOOKING):
        shares = queries[:, block] @ keys.transpose(0, 2, 1)
        shares -= shares.max(-1, keepdims=True)
        np.exp(shares, out=shares)
        seen = shares @ values / shares.sum(-1, keepdims=True)
        found[block] = seen.transpose(1, 0, 2).reshape(-1, DIMENSIONS)
    return found


def _gelu(rows: Floats) -> Floats:
    """Each number times the chance that a normal variable is below it, in place.

    The error function is that of Abramowitz and Stegun, 7.1.26, which is off by less than 1.5e-7. A few rows at a
    time stay in the processor's cache.
    """
    for place in _blocks(len(rows), _LOOKING):
        block = rows[place]
        size = np.abs(block)
        bent = size * np.float32(0.5**0.5)
        step = 1 / (np.float32(0.3275911) * bent + 1)
        tail = step * np.float32(1.061405429)
        for factor in _ERF:
            tail += np.float32(factor)
            tail *= step
        tail *= np.exp(-bent * bent) * size * np.float32(0.5)
        np.maximum(block, 0, out=block)
        block -= tail
    return rows


def _layers(tensors: Tensors) -> list[Layer]:
    """The layers; their matrices have only numbers for names, which rise in the order of the graph."""
    names = sorted((name[:-2] for name in tensors if name.startswith("val_") and name.endswith("_q")), key=_number)
    starts = range(0, len(names), _PER_LAYER)
    return [_layer(tensors, at // _PER_LAYER, names[at : at + _PER_LAYER]) for at in starts]


def _number(name: str) -> int:
    return int(name.removeprefix("val_"))


def _layer(tensors: Tensors, number: int, names: Sequence[str]) -> Layer:
    here = f"encoder.layer.{number}."
    query, key, value, answer, widen, narrow = names
    asked = [
        _dense(tensors, query, f"{here}attention.self.query", _ROOT),
        _dense(tensors, key, f"{here}attention.self.key"),
        _dense(tensors, value, f"{here}attention.self.value"),
    ]
    return Layer(
        Dense(np.concatenate([one.tiles for one in asked], 1), np.concatenate([one.bias for one in asked])),
        _dense(tensors, answer, f"{here}attention.output.dense"),
        _norm(tensors, f"{here}attention.output."),
        _dense(tensors, widen, f"{here}intermediate.dense"),
        _dense(tensors, narrow, f"{here}output.dense"),
        _norm(tensors, f"{here}output."),
    )


def _dense(tensors: Tensors, matrix: str, here: str, factor: np.float32 = _ONE) -> Dense:
    """A matrix that is kept as small whole numbers, and a scale for each column."""
    whole = tensors[f"{matrix}_q"].reshape(-1, DIMENSIONS, tensors[f"{matrix}_q"].shape[1] // _COLUMNS, _COLUMNS)
    scale = (tensors[f"{matrix}_scale"] * factor).reshape(1, -1, 1, _COLUMNS)
    return Dense(np.multiply(whole.transpose(0, 2, 1, 3), scale, order="C"), tensors[f"{here}.bias"] * factor)


def _norm(tensors: Tensors, here: str) -> Norm:
    return Norm(tensors[f"{here}LayerNorm.weight"], tensors[f"{here}LayerNorm.bias"])
