"""How much of a model's context a text takes, without a tokenizer."""

from __future__ import annotations


def tokens(text: str) -> int:
    """An estimate that errs on the safe side: 3.5 ASCII characters a token, and one for every other character."""
    plain = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return -(-2 * plain // 7) + len(text) - plain
