"""Forty files as they turn up in real folders, each with what must come of it.

A file either loads, with these values, or is reported, with this line and words from the reason. `BODY` stands for
a body that must read as it was written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

FRONT = """\
title: "T"
whenToUse: ["a|b"]
tags: [x]
importance: high
discoveredAt: 2026-01-23T10:30:00Z
discoveredBy: tester
"""
GOOD = f"---\n{FRONT}---\n\nBody.\n"


@dataclass(frozen=True)
class Dirty:
    """One file: its bytes, and either the values it loads with or the line and reason of its report."""

    name: str
    data: bytes
    loads: dict[str, Any] = field(default_factory=dict)
    line: int | None = None
    reason: str = ""


def _loads(name: str, content: str | bytes, **values: Any) -> Dirty:
    data = content if isinstance(content, bytes) else content.encode()
    return Dirty(f"{name}.md", data, {"title": "T", "importance": "high", **values})


def _reported(name: str, content: str | bytes, line: int, reason: str) -> Dirty:
    data = content if isinstance(content, bytes) else content.encode()
    return Dirty(f"{name}.md", data, line=line, reason=reason)


def _front(old: str, new: str) -> str:
    assert old in FRONT
    return GOOD.replace(old, new, 1)


def _conflict(ours: str, theirs: str) -> str:
    return f"<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> branch\n"


DIRTY = [
    _loads("crlf", GOOD.replace("\n", "\r\n"), body="Body."),
    _loads("cr-only", GOOD.replace("\n", "\r"), body="Body."),
    _loads("mixed-ends", GOOD.replace("\n", "\r\n", 3), body="Body."),
    _loads("bom", b"\xef\xbb\xbf" + GOOD.encode(), body="Body."),
    _loads("bom-crlf", b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode(), body="Body."),
    _loads("leading-blank", "\n \n\n" + GOOD, body="Body."),
    _loads("no-final-newline", GOOD.rstrip("\n"), body="Body."),
    _loads("no-body", f"---\n{FRONT}---\n", body=""),
    _loads("no-body-no-newline", f"---\n{FRONT}---", body=""),
    _loads("rule-in-body", f"{GOOD}\n---\n\nMore.\n", body="Body.\n\n---\n\nMore."),
    _loads("trailing-spaces", GOOD.replace("---\n", "--- \t\n"), body="Body."),
    _loads("comments", f"---\n# why\n{FRONT}# end\n---\n\nBody.\n", body="Body."),
    _loads("unknown-keys", _front("tags:", "owner: me\ntags:"), extra={"owner": "me"}),
    _loads("typed-tags", _front("[x]", "[yes, 404, 2026-01-01, null]"), tags=("yes", "404", "2026-01-01", "null")),
    _loads("pattern-text", _front('["a|b"]', "a|b"), when_to_use=("a|b",)),
    _loads("no-tags", _front("tags: [x]\n", ""), tags=()),
    _loads("title-no", _front('"T"', "no"), title="no"),
    _loads("controls-in-body", GOOD.replace("Body.", "a\x07\x1b[31mb\u202e"), body="a\x07\x1b[31mb\u202e"),
    _loads("open-fence", f"{GOOD}\n```sh\nmake", body="Body.\n\n```sh\nmake"),
    _reported("empty", b"", 1, "empty"),
    _reported("only-blank", " \n\n\t\n", 1, "empty"),
    _reported("only-a-rule", "---\n", 1, "not closed"),
    _reported("two-rules", "---\n---\n", 2, "`title` is missing"),
    _reported("unclosed", f"---\n{FRONT}\nBody.\n", 1, "not closed"),
    _reported("no-frontmatter", "# Just text\n\nBody.\n", 1, "no frontmatter"),
    _reported("list-frontmatter", "---\n- title\n- x\n---\n\nBody.\n", 2, "not a mapping"),
    _reported("text-frontmatter", "---\njust text\n---\n", 2, "not a mapping"),
    _reported("utf-16", GOOD.encode("utf-16"), 1, "UTF-16"),
    _reported("latin-1", GOOD.replace("Body", "Café").encode("latin-1"), 10, "0xe9 is not UTF-8"),
    _reported("nul", GOOD.replace("Body", "Bo\x00dy"), 10, "NUL"),
    _reported("lone-surrogate", GOOD.encode().replace(b"Body", b"\xed\xa0\x80"), 10, "0xed is not UTF-8"),
    _reported("conflict-in-frontmatter", _front("tags: [x]\n", _conflict("tags: [x]\n", "tags: [y]\n")), 4, "conflict"),
    _reported("conflict-in-body", GOOD + _conflict("a\n", "b\n"), 11, "conflict"),
    _reported("conflict-of-everything", _conflict(GOOD, GOOD), 1, "conflict"),
    _reported("missing-title", _front('title: "T"\n', ""), 2, "`title` is missing"),
    _reported("wrong-importance", _front("high", "urgent"), 5, "`importance` is 'urgent'"),
    _reported("bad-date", _front("2026-01-23T10:30:00Z", "23.01.2026"), 6, "`discoveredAt` is '23.01.2026'"),
    _reported("tabs", _front('["a|b"]', "\n\t- a|b"), 4, "not YAML"),
    _reported("star", _front('["a|b"]', "[*auth]"), 3, "alias"),
    _reported("twice", _front("tags: [x]\n", "tags: [x]\ntags: [y]\n"), 5, "'tags' stands there twice"),
]
