"""Pure helpers on text: names for files, and text that is safe to show or to quote."""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_INVISIBLE = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800"
    "\u3164\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff]"
)
"""What nobody sees or what moves other text; compiled when a text needs it, for it takes a while."""
_LINE_BREAKS = r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*"
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{digit}" for port in ("com", "lpt") for digit in "123456789¹²³"}
)
_BREAKS = r"[\s-]+"
_SLUG_CHARACTERS = 64
_SLUG_BYTES = 180


def _escape(match: re.Match[str]) -> str:
    forms = ("\\x{:02x}", 0xFF), ("\\u{:04x}", 0xFFFF), ("\\U{:08x}", 0x10FFFF)
    point = ord(match[0])
    return next(form.format(point) for form, largest in forms if point <= largest)


def visible(text: str) -> str:
    """The text with every control, bidirectional and zero-width character written out as an escape."""
    return text if _is_seen(text) else re.sub(_INVISIBLE, _escape, text)


def _is_seen(text: str) -> bool:
    """Whether there is nothing in a text that could be invisible."""
    return text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()


def unbroken(title: str) -> str:
    """The title on one line, as titles are compared; spaces within a line are part of it."""
    plain = title.strip()
    return plain if plain.isprintable() else re.sub(_LINE_BREAKS, " ", plain)


def one_line(text: str) -> str:
    """The text on one line, white space folded, nothing invisible in it."""
    return visible(" ".join(text.split()))


def quoted(text: str) -> str:
    """The text as a double-quoted YAML scalar."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{visible(escaped)}"'


def json_line(value: object) -> str:
    """The value as JSON on one line, readable in any script, with nothing invisible in it."""
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    return text if _is_seen(text) else re.sub(_INVISIBLE, lambda match: json.dumps(match[0])[1:-1], text)


def folded(name: str) -> str:
    """The form in which two names count as the same where case and composition are ignored."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def is_of_a_word(char: str) -> bool:
    """Whether a character is part of a word in some script: a letter, a digit or a mark on one."""
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def _is_kept(char: str) -> bool:
    return char == "-" or char.isspace() or is_of_a_word(char)


def slug(title: str) -> str:
    """A readable kebab-case file name for a title, in the title's own script."""
    text = title.lower() if title.isascii() else unicodedata.normalize("NFC", title).lower()
    kept = unicodedata.normalize("NFC", "".join(filter(_is_kept, text)))
    name = re.sub(_BREAKS, "-", kept)[:_SLUG_CHARACTERS].strip("-")
    name = name.encode()[:_SLUG_BYTES].decode(errors="ignore").strip("-")
    if not any(map(str.isalnum, name)):
        import hashlib  # noqa: PLC0415 - hardly a title needs it

        return f"memory-{hashlib.sha256(title.encode(errors='surrogatepass')).hexdigest()[:8]}"
    return f"{name}-memory" if name in _RESERVED else name


def names_for(title: str) -> Iterator[str]:
    """The file names for a title, in the order in which they are tried."""
    stem = slug(title)
    yield f"{stem}.md"
    yield from (f"{stem}-{number}.md" for number in itertools.count(2))
