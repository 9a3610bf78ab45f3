"""What a phrase is about: its specific words, without those that any task could use.

The lists are general knowledge about how people write "When implementing X" and "If the task mentions Y". They are
compared by form, not by stem: `handling` says nothing, a `handler` does.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING

from rawko.recall.alternative import Word
from rawko.values.everyday import elsewhere, is_common
from rawko.values.stems import stem
from rawko.values.words import STOP_WORDS, asked, spoken, terms, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LEAD_INS = frozenset(["when", "whenever", "if", "while", "before", "after", "during", "once"])
"""Words that begin a sentence about the task rather than a text that occurs in it."""

_VERBS = """
    accept adapt add address adjust allow apply approach ask attempt avoid be begin bring call care carry change check
    choose come complete concern consider contain continue cover create deal decide define depend describe determine
    develop discuss do edit enable ensure evaluate expect extend face find finish fix follow get give go handle happen
    have help implement improve include integrate introduce investigate involve keep know learn leave look maintain
    make manage mention modify move need occur perform pick prepare propose provide put reach refer relate remember
    remove replace require resolve see set show solve start stop support tackle take talk tell think touch try turn
    understand update use want work write
"""
_IRREGULAR = """
    began begun brought building built came chose chosen dealt did done found gave given gone held kept knew known
    learnt left made met ran running saw seen shown taken thought told took tried understood went written wrote
"""
_NOUNS = """
    ability aspect case code codebase concept detail effort example feature functionality goal idea implementation
    instance issue kind matter part piece problem project purpose question reason requirement situation stuff subject
    task thing topic way work
"""
_QUALIFIERS = """
    able actual additional another anything anywhere appropriate available best better certain common complex correct
    correctly current currently different easy entire especially everything everywhere existing first general
    generally good important never new next often old particularly previous proper properly real related relevant
    right several similar simple something somewhere specific suitable sure unsure various whole always
"""
_WEAK = """
    agent app application area behavior behaviour block build class component context directory element file flow
    folder function item job layer library logic mechanism method module object operation option package page pattern
    plan process run script section service setup step structure system team ticket time tool type unit user utility
    value
"""
_SHORT_FORMS = {
    "admin": ("administrator", "administration"),
    "app": ("application",),
    "auth": ("authentication", "authorization"),
    "ci": ("pipeline",),
    "config": ("configuration",),
    "db": ("database",),
    "deps": ("dependencies",),
    "docs": ("documentation",),
    "env": ("environment",),
    "i18n": ("internationalization", "translation"),
    "infra": ("infrastructure",),
    "k8s": ("kubernetes",),
    "perf": ("performance",),
    "prod": ("production",),
    "repo": ("repository",),
}
SHORTEST_PREFIX = 4


def _forms(verb: str) -> Iterator[str]:
    yield from (verb, f"{verb}s", f"{verb}es", f"{verb}ed", f"{verb}ing", f"{verb}{verb[-1]}ing", f"{verb}{verb[-1]}ed")
    if verb.endswith("e"):
        yield from (f"{verb}d", f"{verb[:-1]}ing")
    if verb.endswith("y"):
        yield from (f"{verb[:-1]}ies", f"{verb[:-1]}ied")


def _with_plurals(nouns: Iterable[str]) -> Iterator[str]:
    for noun in nouns:
        yield from (noun, f"{noun}s", f"{noun}es", f"{noun.removesuffix('y')}ies")


@lru_cache(maxsize=1)
def generic() -> frozenset[str]:
    """Words that say nothing about a task, in every form."""
    verbs = (form for verb in _VERBS.split() for form in _forms(verb))
    return STOP_WORDS.union(elsewhere(), verbs, _IRREGULAR.split(), _with_plurals(_NOUNS.split()), _QUALIFIERS.split())


@lru_cache(maxsize=1)
def _weak() -> frozenset[str]:
    return frozenset(_with_plurals(_WEAK.split()))


@lru_cache(maxsize=1)
def _relatives() -> dict[str, frozenset[str]]:
    """Stems that stand for each other: a short form and what it is short for."""
    found: dict[str, frozenset[str]] = {}
    for short, longs in _SHORT_FORMS.items():
        for one, other in [(short, long) for long in longs] + [(long, short) for long in longs]:
            found[stem(one)] = found.get(stem(one), frozenset()) | {stem(other)}
    return found


def is_generic(word: str) -> bool:
    """Whether a word says nothing about a task: a little word, a verb for any work, a name for any thing."""
    return word in generic()


def specific(text: str) -> tuple[Word, ...]:
    """The words that a phrase is about; `module` and its like count only where nothing else does."""
    # In lower case, so that GitHub is one word, which a task has as well; of user_id the parts, lest it count thrice.
    plain = spoken(text).lower()
    parts, _ = asked(plain)
    said = [word for word in dict.fromkeys(words(plain)) if stem(word) in parts and not is_generic(word)]
    strong = [word for word in said if word not in _weak()]
    return tuple(Word(word, stem(word)) for word in strong or said)


def stems(text: str) -> frozenset[str]:
    """The stems of a text's words, and of the short or long forms of those."""
    found = frozenset(terms(text))
    return found.union(*(related for short, related in _relatives().items() if short in found))


def begins(text: str, word: str) -> bool:
    """Whether the word that begins with a text is about it: one that is a word itself only begins its own forms."""
    own = stem(text)
    return own in stems(word) or not (is_common(own) or own in _relatives())


def meant(word: Word, term: str) -> bool:
    """Whether a term of a task says a word: it is the word, begins with it, or is its short or long form."""
    is_begun = len(word.stem) >= SHORTEST_PREFIX and term.startswith(word.stem)
    return is_begun or term == word.stem or word.stem in _relatives().get(term, ())


def said_in(word: Word, ordered: Sequence[str], known: frozenset[str]) -> bool:
    """Whether a text has a word, or one that begins with it: `auth` is said by `authentication`."""
    if word.stem in known:
        return True
    if len(word.stem) < SHORTEST_PREFIX:
        return False
    place = bisect_left(ordered, word.stem)
    return place < len(ordered) and ordered[place].startswith(word.stem)
