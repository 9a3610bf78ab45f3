"""An embedder behind HTTP: any server with `/v1/embeddings` as OpenAI defined it (Ollama, vLLM, llama.cpp, ...).

It is used by whoever constructs it and by nobody else, because it sends the texts of memories to that server. It
reaches that address alone: it follows no redirect, and takes no proxy from the environment.
"""

from __future__ import annotations

import json
import time
from http.client import HTTPException, HTTPResponse
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
)

from rawko.recall.embedding import EmbedderUnavailable
from rawko.recall.vectors import unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rawko.recall.vectors import Vector

_MOST = 64 * 1024 * 1024
_CHUNK = 64 * 1024
_QUOTED = 300
_SOMETHING = "-"  # servers refuse a text that says nothing, but only an answer tells how long its zeros are


class Endpoint:
    """A model at an address like `http://localhost:11434/v1`; `timeout` is in seconds, for each batch of texts."""

    def __init__(self, address: str, model: str, *, key: str = "", timeout: float = 30.0, batch: int = 64) -> None:
        self._address = _checked(address)
        self._model = model
        self._headers = {"Content-Type": "application/json", "User-Agent": "rawko"} | _authorization(key)
        self._timeout = timeout
        self._batch = max(1, batch)

    @property
    def model(self) -> str:
        """The model and its address, because servers do not agree on what a name means."""
        return f"{self._model} at {self._address}"

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector of length one for each text; of zeros where a text is blank."""
        starts = range(0, len(texts), self._batch)
        found = [vector for start in starts for vector in self._embed(texts[start : start + self._batch])]
        if len(set(map(len, found))) > 1:
            raise self._unavailable("gave vectors of different lengths")
        return found

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        answer = self._ask([text if text.strip() else _SOMETHING for text in texts])
        try:
            vectors = _vectors(json.loads(answer), len(texts))
        except (LookupError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise self._unavailable("did not answer with one vector for each text") from error
        return [vector if text.strip() else bytes(len(vector)) for text, vector in zip(texts, vectors, strict=True)]

    def _ask(self, texts: Sequence[str]) -> bytes:
        body = json.dumps({"model": self._model, "input": texts}).encode()
        request = Request(f"{self._address}/embeddings", body, self._headers)  # noqa: S310 - the scheme was checked
        try:
            return _answer(request, self._timeout)
        except HTTPError as error:
            with error:
                said = error.read(_QUOTED).decode("utf-8", "replace")
            raise self._unavailable(f"answered {error.code} {error.reason}: {said}") from error
        except (OSError, HTTPException) as error:
            raise self._unavailable(f"cannot be asked: {error}") from error

    def _unavailable(self, what: str) -> EmbedderUnavailable:
        return EmbedderUnavailable(f"the embedder at {self._address} {what}", hint=f"it was asked for {self._model!r}")


def _checked(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.query or parts.fragment:
        hint = "like http://localhost:11434/v1, with a key given apart"
        raise EmbedderUnavailable(f"{parts.hostname or address!r} is not the address of an embedder", hint=hint)
    return address.rstrip("/")


def _authorization(key: str) -> dict[str, str]:
    if not (key.isascii() and key.isprintable()):
        raise EmbedderUnavailable("the key of an embedder has characters that cannot be sent")
    return {"Authorization": f"Bearer {key}"} if key else {}


def _answer(request: Request, timeout: float) -> bytes:
    """What the server says, as long as it says it in time and does not say too much."""
    deadline = time.monotonic() + timeout
    said = bytearray()
    with _opener().open(request, timeout=timeout) as response:
        assert isinstance(response, HTTPResponse)
        while part := response.read1(_CHUNK):
            said += part
            if time.monotonic() > deadline:
                raise TimeoutError("timed out")
            if len(said) > _MOST:
                raise OSError("it does not stop talking")
    return bytes(said)


def _opener() -> OpenerDirector:
    opener = OpenerDirector()
    for part in (HTTPHandler(), HTTPSHandler(), HTTPErrorProcessor(), HTTPDefaultErrorHandler()):
        opener.add_handler(part)
    return opener


def _vectors(answer: Any, count: int) -> list[Vector]:
    """The vectors in an answer, in the order of the texts."""
    rows = sorted(answer["data"], key=lambda row: row["index"])
    if [row["index"] for row in rows] != list(range(count)) or not all(row["embedding"] for row in rows):
        raise ValueError("a vector is missing")
    return [unit([float(number) for number in row["embedding"]]) for row in rows]
