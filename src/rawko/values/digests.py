"""SHA-256 from the interpreter itself: loading OpenSSL for it would cost more than a whole injection."""

from __future__ import annotations

from functools import cache
from typing import Any


def sha256(data: bytes) -> str:
    """The digest of some bytes, in hexadecimal."""
    found: str = _digest()(data).hexdigest()
    return found


@cache
def _digest() -> Any:
    """The function itself: looking for a module that is not there takes longer than a digest."""
    try:
        from _sha2 import sha256 as digest  # type: ignore[import-not-found]  # noqa: PLC0415 - Python 3.12 and later
    except ImportError:
        try:
            from _sha256 import sha256 as digest  # type: ignore[import-not-found]  # noqa: PLC0415 - 3.11
        except ImportError:
            from hashlib import sha256 as digest  # noqa: PLC0415 - any other interpreter
    return digest
