"""YAML that was read before: what a file's mapping said, for as long as the file stays as it is.

Loading a YAML parser costs more than the whole rest of a hook, and settings and agents hardly ever change. What is
kept lies in the cache of the same folder that the file itself is in, so that it is as trusted as the file.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from rawko.store import files
from rawko.store.frontmatter import Mapping
from rawko.store.layout import CACHE
from rawko.store.log import Broken, line_of_file, stamp_of_file, summed

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME = "parsed.json"


def mapping(root: str, name: str, read: Callable[[], Mapping]) -> Mapping:
    """The mapping in a file of a library; `read` is called where the file is not as it was. Raises what `read` does."""
    try:
        stamp = list(stamp_of_file(os.path.join(root, name)))
    except (OSError, Broken):
        return read()
    kept = _kept(root)
    match kept.get(name):
        case [then, dict() as values, dict() as lines] if then == stamp:
            return Mapping(values, lines)
    found = read()
    _keep(root, {**kept, name: [stamp, found.values, found.lines]})
    return found


def _kept(root: str) -> dict[str, Any]:
    found = line_of_file(os.path.join(root, CACHE, _NAME))
    return found if isinstance(found, dict) else {}


def _keep(root: str, kept: dict[str, Any]) -> None:
    """Keep it for the next process; where that cannot be, the next one reads again."""
    with contextlib.suppress(OSError), files.opened(os.path.join(root, CACHE)) as cache:
        files.put(cache, _NAME, summed(kept))
