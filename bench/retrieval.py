"""How well the free search finds what a question needs, in long conversations.

    python -m bench.retrieval --data DIR

DIR holds one JSON file a conversation: `{name, docs: [{id, session, speaker, ts, text}], queries: [{q, gold, cat}]}`.
Each file is one index. Reported is the share of a question's gold documents among the first 1, 5 and 10, the mean
reciprocal rank and nDCG at 10, averaged over questions. One configuration for all files.
"""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bench
from rawko.recall.embedding import installed
from rawko.recall.index import Index
from rawko.recall.search import search
from rawko.store.seam import News
from rawko.values.document import Document, Head, joined
from rawko.values.queries import time_words
from rawko.values.words import terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rawko.recall.embedding import Embedder

_DEPTHS = (1, 5, 10)
_LAST = 120


def documents(docs: Sequence[dict[str, Any]]) -> dict[str, Document]:
    """The turns of a conversation as documents, in groups by session, in their order."""
    places: dict[str, int] = {}
    found = {}
    for doc in docs:
        group = str(doc["session"])
        places[group] = places.get(group, -1) + 1
        head = Head(title=doc["speaker"], by=doc["speaker"], asks="?" in doc["text"][-_LAST:])
        fields = (doc["speaker"], "", time_words(str(doc["ts"])), doc["text"])
        name = str(doc["id"])
        found[name] = Document(name, head, tuple(joined(terms(text)) for text in fields), "turn", group, places[group])
    return found


def figures(ranked: list[str], gold: set[str]) -> dict[str, float]:
    """The figures of one question."""
    hits = [name in gold for name in ranked]
    first = next((place for place, hit in enumerate(hits, 1) if hit), None)
    gain = sum(1 / math.log2(place + 1) for place, hit in enumerate(hits[:10], 1) if hit)
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(10, len(gold)) + 1))
    recalls = {f"R@{depth}": sum(hits[:depth]) / len(gold) for depth in _DEPTHS}
    return {**recalls, "MRR": 1 / first if first else 0.0, "nDCG@10": gain / ideal}


def measure_file(path: Path, embedder: Embedder | None) -> list[dict[str, float]]:
    """The figures of every question of one conversation."""
    content = json.loads(path.read_text(encoding="utf-8"))
    found = documents(content["docs"])
    texts = {str(doc["id"]): doc["text"] for doc in content["docs"]}
    index = Index(embedder=embedder)
    index.refresh(lambda _: News("", dict.fromkeys(found, "1")), lambda name, _: found[name])
    index.embed(texts.__getitem__, None)
    asked = [question for question in content["queries"] if question["gold"]]
    results = []
    for question in asked:
        ranked = [one.document.name for one in search(index, question["q"])]
        results.append(figures(ranked, set(map(str, question["gold"]))))
    index.close()
    return results


def measure(data: Path) -> bench.Report:
    """The figures of each set of conversations, a set being the files whose names begin the same."""
    names = [*(f"R@{depth}" for depth in _DEPTHS), "MRR", "nDCG@10"]
    rows = []
    for configuration, embedder in (("words", None), *((("semantic", installed()),) if installed() else ())):
        sets: dict[str, list[dict[str, float]]] = {}
        for path in sorted(data.glob("*.json")):
            sets.setdefault(path.stem.split("-")[0], []).extend(measure_file(path, embedder))
        rows += [
            (
                configuration,
                name,
                str(len(found)),
                *(f"{statistics.fmean(one[key] for one in found):.3f}" for key in names),
            )
            for name, found in sets.items()
        ]
    return bench.Report("retrieval", ("configuration", "set", "questions", *names), rows, [], {})


def main(arguments: Sequence[str] | None = None) -> None:
    """Run it from the command line."""
    options = bench.parser("How well the free search finds what a question needs.")
    options.add_argument("--data", type=Path, required=True, help="the folder with the conversations")
    chosen = options.parse_args(arguments)
    bench.publish(measure(bench.part(chosen.data, "retrieval")), chosen)


if __name__ == "__main__":
    main()
