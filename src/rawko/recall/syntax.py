"""How a pattern is spelt: its pieces, where it splits, and what each alternative means as a regular expression.

Nothing here matches anything. A pattern is read once into tokens, and everything else is asked of those: whether a
bracket has a partner, whether a `*` repeats what is before it or stands for anything, which letters must be there.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rawko.recall.alternative import fold
from rawko.values.text import folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PIECE = r"""
      (?P<escape> \\[pP](?: \{\^?\w+\} | [A-Z] ) | \\x\{[0-9A-Fa-f]+\} | \\x[0-9A-Fa-f]{2} | \\. )
    | (?P<class> \[\^?\]?+ (?: \[:\^?\w+:\] | \\. | [^\]\\] )*+ \] )
    | (?P<flags> \(\?[imsU-]+\) )
    | (?P<open> \( (?: \?(?: P?<[A-Za-z_]\w*> | [imsU-]*: | <?[=!] ) )? )
    | (?P<close> \) )
    | (?P<pipe> \| )
    | (?P<repeat> [*+?] | \{\d+(?:,\d*)?\} )
    | (?P<dot> \. )
    | (?P<anchor> [\^$] )
    | (?P<space> [ ] )
    | (?P<char> . )
    """
_SPECIAL = frozenset("\\.+*?()|[]^$")
_REPEATED = (".", ")", "]", "}")
_PLAIN = ("char", "space", "dot")
_ALWAYS = re.compile(r"\^?(?:(?:\.?\*|\.\+)\?? ?)+\$?")


class Token(NamedTuple):
    """One piece of a pattern. A bracket without a partner or with nothing in it is a `char` like any other."""

    kind: str
    text: str


Tokens = tuple[Token, ...]


def tidy(pattern: str) -> str:
    r"""A pattern as it is read: composed, white space folded, its case kept, because `\S` is not `\s`."""
    return " ".join((pattern if pattern.isascii() else unicodedata.normalize("NFC", pattern)).split())


def tokens(text: str) -> Tokens:
    """The pieces of a tidy pattern."""
    return tuple(_lone_brackets_as_chars(list(_pieces(text))))


@lru_cache(maxsize=1)
def _piece() -> re.Pattern[str]:
    return re.compile(_PIECE, re.VERBOSE | re.DOTALL)  # takes a while, and a pattern of words does not need it


def _pieces(text: str) -> Iterator[Token]:
    return (Token(piece.lastgroup or "char", piece[0]) for piece in _piece().finditer(text))


def _lone_brackets_as_chars(found: list[Token]) -> Iterator[Token]:
    pairs: set[int] = set()
    waiting: list[int] = []
    for place, token in enumerate(found):
        if token.kind == "open":
            waiting.append(place)
        elif token.kind == "close" and waiting:
            pair = (waiting.pop(), place)
            if found[place - 1] != Token("open", "("):  # `main()` is a call, not `main` and an empty group
                pairs.update(pair)
    for place, token in enumerate(found):
        if token.kind not in {"open", "close"} or place in pairs:
            yield token
        else:
            yield Token("char", token.text[0])
            yield from _pieces(token.text[1:])


def alternatives(found: Tokens) -> list[Tokens]:
    """The pieces between the pipes that stand outside brackets, each without the spaces around it."""
    parts: list[list[Token]] = [[]]
    for token, depth in zip(found, _depths(found), strict=True):
        if token.kind == "pipe" and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [_trimmed(part) for part in parts]


def _depths(found: Sequence[Token]) -> Iterator[int]:
    """How many brackets are open at each piece, the brackets themselves counted in."""
    depth = 0
    for token in found:
        depth += token.kind == "open"
        yield depth
        depth -= token.kind == "close"


def _trimmed(part: list[Token]) -> Tokens:
    inside = [place for place, token in enumerate(part) if token.kind != "space"]
    return tuple(part[inside[0] : inside[-1] + 1]) if inside else ()


def spelt(found: Sequence[Token]) -> str:
    """The text that the pieces were cut from."""
    return "".join(token.text for token in found)


def is_always(found: Tokens) -> bool:
    """Whether this matches every text by its spelling alone: `*`, `.*`, `^.*$`, `(.*)` and the like."""
    inner = found
    while len(inner) > 1 and inner[0].kind == "open" and inner[-1].kind == "close" and _is_one_group(inner):
        inner = inner[1:-1]
    return _ALWAYS.fullmatch(spelt(inner)) is not None


def _is_one_group(found: Tokens) -> bool:
    return all(depth > 0 for depth in _depths(found))


def is_regex(found: Tokens) -> bool:
    """Whether some piece only makes sense in a regular expression; stars alone do not make one."""
    return any(_asks_for_regex(found, place) for place in range(len(found)))


def _asks_for_regex(found: Tokens, place: int) -> bool:
    token = found[place]
    match token.kind:
        case "escape" | "flags":
            return True
        case "class":
            return any(near and near.kind != "space" for near in (_at(found, place - 1), _at(found, place + 1)))
        case "open":
            return _is_regex_group(found, place)
        case "anchor":
            return len(found) > 1 and _is_anchor(found, place)
        case "repeat":
            return _is_regex_repeat(found, place)
    return False


def _at(found: Tokens, place: int) -> Token | None:
    return found[place] if 0 <= place < len(found) else None


def _is_regex_group(found: Tokens, start: int) -> bool:
    """Whether a group is more than a remark in brackets: it has a choice, a repeat or a flag, or no sentence around."""
    depth = 0
    for place in range(start, len(found)):
        depth += (found[place].kind == "open") - (found[place].kind == "close")
        if depth == 0:
            break
    after = _at(found, place + 1)
    is_repeated = after is not None and after.kind == "repeat" and after.text != "?"
    is_choice = any(token.kind == "pipe" for token in found[start:place])
    return is_choice or is_repeated or len(found[start].text) > 1 or not has_several_words(found)


def _is_anchor(found: Tokens, place: int) -> bool:
    """Whether a `^` stands at a beginning or a `$` at an end."""
    if found[place].text == "^":
        before = _at(found, place - 1)
        return before is None or before.kind in {"open", "pipe", "flags"}
    after = _at(found, place + 1)
    return after is None or after.kind in {"close", "pipe"}


def _is_regex_repeat(found: Tokens, place: int) -> bool:
    before, text = _at(found, place - 1), found[place].text
    if text == "?":
        return len(found) > 1 and not _is_lazy(found, place)
    if text == "*":
        return _repeats(found, place) and before != Token("dot", ".")
    if text == "+":
        return _repeats(found, place)
    return before is not None and before.kind != "space"


def _repeats(found: Tokens, place: int) -> bool:
    """Whether a `*` or `+` repeats what is before it; otherwise it stands for anything, or for itself."""
    before = _at(found, place - 1)
    return before is not None and (before.kind == "escape" or before.text.endswith(_REPEATED))


def _is_lazy(found: Tokens, place: int) -> bool:
    """Whether a `?` only says that the repeat before it is to take little: that changes no answer."""
    before = _at(found, place - 1)
    return before is not None and before.kind == "repeat" and before.text != "?"


def has_several_words(found: Tokens) -> bool:
    """Whether there is a space in it."""
    return any(token.kind == "space" for token in found)


def has_star(found: Tokens) -> bool:
    """Whether something in it stands for anything."""
    return Token("repeat", "*") in found


def without_question_mark(found: Tokens) -> Tokens:
    """A phrase without the question mark at its end, which is punctuation there."""
    end = len(found)
    while end and found[end - 1] in {Token("repeat", "?"), Token("space", " ")}:
        end -= 1
    return found[:end] if end and has_several_words(found[:end]) else found


def gaps(found: Tokens) -> tuple[str, ...]:
    """The folded texts between the stars, in order: each must occur after the one before it.

    Spaces beside a star do not count: `a * b` is also meant for `a b`.
    """
    parts = [""]
    for place, token in enumerate(found):
        after = _at(found, place + 1)
        if token == Token("repeat", "*"):
            parts.append("")
        elif not (token.kind == "dot" and after == Token("repeat", "*")) and not (
            token.text == "?" and _is_lazy(found, place)
        ):
            parts[-1] += token.text
    return tuple(filter(None, map(fold, parts)))


def as_regex(found: Tokens) -> str:
    """What the pieces mean to RE2, which is asked about folded text: letters are folded, lone brackets escaped."""
    return "".join(_regex_of(found, place) for place in range(len(found)))


def _regex_of(found: Tokens, place: int) -> str:
    token = found[place]
    match token.kind:
        case "char":
            return _escaped(token.text)
        case "class":
            return f"(?i:{token.text})"
        case "escape":
            return f"(?i:{token.text})" if len(token.text) > len(r"\d") else token.text
        case "anchor":
            return token.text if _is_anchor(found, place) else f"\\{token.text}"
        case "repeat" if token.text == "*" and not _repeats(found, place):
            return ".*"
    return token.text


def _escaped(char: str) -> str:
    text = "".join(f"\\{letter}" if letter in _SPECIAL else letter for letter in folded(char))
    return f"(?:{text})" if len(text) > 1 and text[0] != "\\" else text


def as_glob(found: Tokens) -> str:
    """What the pieces mean to RE2 when `?` is any one character; nothing when they can only be a regex."""
    if not all(token.kind in _PLAIN or token.text in {"*", "?"} for token in found):
        return ""
    return "".join(_glob_of(found, place) for place in range(len(found)))


def _glob_of(found: Tokens, place: int) -> str:
    token = found[place]
    if token.kind == "repeat":
        return ".*" if token.text == "*" else "."
    if token.kind == "dot":
        return "" if _at(found, place + 1) == Token("repeat", "*") else "\\."
    return _escaped(token.text)


def required(found: Tokens) -> list[str]:
    """The runs of letters that stand in every text that the regex, the glob or the text itself matches."""
    runs = [""]
    for place, (token, depth) in enumerate(zip(found, _depths(found), strict=True)):
        after = _at(found, place + 1)
        is_repeated = after is not None and after.kind == "repeat"
        if depth == 0 and token.kind in {"char", "space"} and not is_repeated:
            runs[-1] += token.text
        else:
            runs.append("")
    return [fold(run) for run in runs]
