"""Other stores of memories, asked the same questions with the same embedding; each is used only where it is installed.

The embedding is a hash of words: it costs next to nothing and is the same for all, so that what differs is the stores.
This module imports nothing of ours: a process that is started to measure a peer must not pay for us.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import itertools
import math
import os
import re
import sqlite3
import uuid
import zlib

TYPE_CHECKING = False  # what `typing` says as well, without the time that loading it takes
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from typing import Any

    from bench.generate import Made

    Ask = Callable[[str], object]

LANGGRAPH = "LangGraph SqliteStore"
CHROMA = "chromadb"
MEM0 = "mem0"
TANTIVY = "tantivy"
DIMENSIONS = 256
_MOST = 10
_BATCH = 1000
_WORD = re.compile(r"\w+")
_MODULES = {TANTIVY: "tantivy", LANGGRAPH: "langgraph", CHROMA: "chromadb", MEM0: "mem0"}
_QUIET = {"MEM0_TELEMETRY": "False", "ANONYMIZED_TELEMETRY": "False", "OPENAI_API_KEY": "unused"}


def installed() -> list[str]:
    """The peers that can be measured here."""
    found = [name for name, module in _MODULES.items() if importlib.util.find_spec(module)]
    if not hasattr(sqlite3.Connection, "enable_load_extension"):  # this Python was built without
        return [name for name in found if name != LANGGRAPH]
    return found


def embed(text: str) -> list[float]:
    """A text as a vector of unit length: every word adds to one place, or takes from it."""
    vector = [0.0] * DIMENSIONS
    for word in _WORD.findall(text.lower()):
        code = zlib.crc32(word.encode())
        vector[code % DIMENSIONS] += 1.0 if code & 0x10000 else -1.0
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


def fill(name: str, folder: Path, memories: Iterable[Made]) -> None:
    """Put memories into a peer, in its own way."""
    _FILL[name](str(folder), memories)


@contextlib.contextmanager
def opened(name: str, folder: Path | str) -> Iterator[Ask]:
    """What asks a peer for the best ten."""
    os.environ.update(_QUIET)
    with _OPEN[name](str(folder)) as ask:
        yield ask


def _batches(memories: Iterable[Made]) -> Iterator[list[Made]]:
    rest = iter(memories)
    while batch := list(itertools.islice(rest, _BATCH)):
        yield batch


# ------------------------------------------------------------ LangGraph


def _langgraph(folder: str) -> Any:
    sqlite = importlib.import_module("langgraph.store.sqlite")
    index = {"dims": DIMENSIONS, "embed": lambda texts: [embed(text) for text in texts], "fields": ["text"]}
    return sqlite.SqliteStore.from_conn_string(os.path.join(folder, "store.sqlite"), index=index)


def _fill_langgraph(folder: str, memories: Iterable[Made]) -> None:
    base = importlib.import_module("langgraph.store.base")
    with _langgraph(folder) as store:
        store.setup()
        for batch in _batches(memories):
            store.batch([base.PutOp(("memories",), made.name, {"text": made.spoken}) for made in batch])


@contextlib.contextmanager
def _open_langgraph(folder: str) -> Iterator[Ask]:
    with _langgraph(folder) as store:
        store.setup()
        yield lambda task: store.search(("memories",), query=task, limit=_MOST)


# ------------------------------------------------------------ chromadb


def _chroma(folder: str) -> Any:
    chromadb = importlib.import_module("chromadb")
    client = chromadb.PersistentClient(folder, chromadb.Settings(anonymized_telemetry=False))
    return client.get_or_create_collection("memories", embedding_function=None)


def _fill_chroma(folder: str, memories: Iterable[Made]) -> None:
    collection = _chroma(folder)
    for batch in _batches(memories):
        texts = [made.spoken for made in batch]
        collection.add(ids=[made.name for made in batch], documents=texts, embeddings=[embed(text) for text in texts])


@contextlib.contextmanager
def _open_chroma(folder: str) -> Iterator[Ask]:
    collection = _chroma(folder)
    yield lambda task: collection.query(query_embeddings=[embed(task)], n_results=_MOST)


# ------------------------------------------------------------ mem0


class _Hashed:
    """The embedding as mem0 asks for it."""

    def embed(self, text: str, *_: object) -> list[float]:
        return embed(text)

    def embed_batch(self, texts: list[str], *_: object) -> list[list[float]]:
        return [embed(text) for text in texts]


def _mem0(folder: str) -> Any:
    os.environ.update(_QUIET, MEM0_DIR=folder)
    mem0 = importlib.import_module("mem0")
    place = {"path": os.path.join(folder, "qdrant"), "on_disk": True, "embedding_model_dims": DIMENSIONS}
    memory = mem0.Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": {**place, "collection_name": "memories"}},
            "history_db_path": os.path.join(folder, "history.sqlite"),
        }
    )
    memory.embedding_model = _Hashed()
    return memory


def _fill_mem0(folder: str, memories: Iterable[Made]) -> None:
    memory = _mem0(folder)
    for batch in _batches(memories):
        texts = [made.spoken for made in batch]
        memory.vector_store.insert(
            vectors=[embed(text) for text in texts],
            payloads=[{"data": text, "user_id": "bench", "hash": "", "created_at": ""} for text in texts],
            ids=[str(uuid.uuid5(uuid.NAMESPACE_URL, made.name)) for made in batch],
        )
    memory.vector_store.client.close()


@contextlib.contextmanager
def _open_mem0(folder: str) -> Iterator[Ask]:
    memory = _mem0(folder)
    try:
        yield lambda task: memory.search(task, filters={"user_id": "bench"}, top_k=_MOST)
    finally:
        memory.vector_store.client.close()


# ------------------------------------------------------------ tantivy


def _tantivy(folder: str) -> Any:
    tantivy = importlib.import_module("tantivy")
    builder = tantivy.SchemaBuilder()
    for field in ("title", "patterns", "tags", "body"):
        builder.add_text_field(field, stored=True, tokenizer_name="en_stem")
    return tantivy.Index(builder.build(), path=folder)


def _fill_tantivy(folder: str, memories: Iterable[Made]) -> None:
    tantivy = importlib.import_module("tantivy")
    writer = _tantivy(folder).writer()
    for made in memories:
        patterns, tags = "\n".join(made.patterns), " ".join(made.tags)
        writer.add_document(tantivy.Document(title=made.title, patterns=patterns, tags=tags, body=made.body))
    writer.commit()
    writer.wait_merging_threads()


@contextlib.contextmanager
def _open_tantivy(folder: str) -> Iterator[Ask]:
    index = _tantivy(folder)
    index.reload()
    searcher = index.searcher()

    def ask(task: str) -> object:
        query = index.parse_query(" ".join(_WORD.findall(task.lower())), ["title", "patterns", "tags", "body"])
        return searcher.search(query, _MOST).hits

    yield ask


_FILL = {LANGGRAPH: _fill_langgraph, CHROMA: _fill_chroma, MEM0: _fill_mem0, TANTIVY: _fill_tantivy}
_OPEN = {LANGGRAPH: _open_langgraph, CHROMA: _open_chroma, MEM0: _open_mem0, TANTIVY: _open_tantivy}
