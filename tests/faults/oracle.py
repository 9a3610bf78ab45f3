"""Reads memory files from the outside, with nothing of rawko: what was acknowledged must be there, and whole.

Every text that a test writes carries its id at both ends, and everything in between follows from the id. So the
oracle knows each text by heart, and one missing or foreign byte shows.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from dataclasses import dataclass, field

_FRONT = re.compile(r"\A---\n(?P<front>.*?)\n---\n\n", re.DOTALL)
_UPDATE = re.compile(r"\n\n\n---\n\n(?=## Update \()")
_HEAD = re.compile(r"## Update \(\d{4}-\d{2}-\d{2}\)\n<!-- rawko:1 (?P<claims>\{.*\}) -->\n\n(### \w+\n\n)?")
_BEGIN = re.compile(r"\[\[begin (?P<ident>[\w-]+) (?P<size>\d+)\]\]")
TEMPORARY = ".tmp-"


def text(ident: str, size: int = 200) -> str:
    """The text for an id: about `size` characters in lines, every one of which names the id."""
    line = f"{ident} {hashlib.sha256(ident.encode()).hexdigest()}"
    count = max(1, size // (len(line) + 8))
    return "\n".join([f"[[begin {ident} {size}]]", *(f"{line} {n}" for n in range(count)), f"[[end {ident}]]"])


@dataclass
class View:
    """What the oracle saw in a folder."""

    whole: Counter[str] = field(default_factory=Counter)
    torn: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)
    files: int = 0

    def lost(self, acknowledged: set[str]) -> set[str]:
        """What was acknowledged and is not there, whole."""
        return acknowledged - set(self.whole)

    @property
    def twice(self) -> list[str]:
        """The ids that are there more than once."""
        return [ident for ident, count in self.whole.items() if count > 1]


def memories(project: str | os.PathLike[str]) -> str:
    """The folder that holds a project's memories."""
    return os.path.join(project, ".rawko", "memories")


def look(project: str | os.PathLike[str], *, strict: bool = True) -> View:
    """Look at every file of a project; strictly, nothing but what the tests wrote may be in them."""
    view = View()
    for folder, _, names in os.walk(os.path.join(project, ".rawko")):
        view.leftovers += [name for name in names if name.startswith(TEMPORARY)]
        for name in sorted(names):
            if folder.startswith(memories(project)) and name.endswith(".md") and not name.startswith(TEMPORARY):
                _look_at(view, os.path.join(folder, name), strict=strict)
    return view


def _look_at(view: View, path: str, *, strict: bool) -> None:
    view.files += 1
    name = os.path.basename(path)
    try:
        with open(path, "rb") as file:
            content = file.read().decode()
    except (UnicodeDecodeError, FileNotFoundError) as error:
        view.torn.append(f"{name}: {error}")
        return
    if strict:
        view.torn += [f"{name}: {reason}" for reason in damage(content)]
    view.whole.update(whole(content))
    if not strict:
        view.torn += [f"{name}: {ident}" for ident in _begun(content) if ident not in whole(content)]


def whole(content: str) -> list[str]:
    """The ids whose whole text stands in a content."""
    found = []
    for match in _BEGIN.finditer(content):
        expected = text(match["ident"], int(match["size"]))
        if content.startswith(expected, match.start()):
            found.append(match["ident"])
    return found


def _begun(content: str) -> list[str]:
    return [match["ident"] for match in _BEGIN.finditer(content)]


def damage(content: str) -> list[str]:
    """What in a file is not exactly a frontmatter, a text, and updates of one text each."""
    front = _FRONT.match(content)
    if not front or "\0" in content or not content.endswith("\n"):
        return [f"not a whole file: {content[:60]!r} ... {content[-60:]!r}"]
    lacking = [key for key in ("title: ", "whenToUse:", "discoveredAt: ") if key not in front["front"]]
    first, *updates = _UPDATE.split(content[front.end() :].removesuffix("\n"))
    found = [f"no {key!r} in the frontmatter" for key in lacking]
    found += [] if _is_text(first) else [f"the first text is damaged: {first[-60:]!r}"]
    return found + [f"an update is damaged: {update[-60:]!r}" for update in updates if not _is_update(update)]


def _is_update(update: str) -> bool:
    head = _HEAD.match(update)
    try:
        claims = json.loads(head["claims"]) if head else {}
    except ValueError:
        return False
    return bool(head) and bool(claims.get("id")) and _is_text(update[head.end() :])


def _is_text(content: str) -> bool:
    content = re.sub(r"\AReplaced by `[^`]*`\. ", "", content)
    match = _BEGIN.match(content)
    return match is not None and content == text(match["ident"], int(match["size"]))
