"""The plain form that a word shares with its plural, its tenses and its nouns: Porter's rules for English.

The rules go by the measure of a word: how often vowels are followed by consonants in it. A suffix is taken off only
where enough of a word stays. Words of other languages and scripts are left as they are.
"""

from __future__ import annotations

from functools import lru_cache

_FORMS = """
have has had having; do does did done; go goes went gone; get got gotten; make made; take took taken; see saw seen;
come came; know knew known; give gave given; find found; think thought; tell told; become became; leave left; feel felt;
bring brought; begin began begun; keep kept; hold held; write wrote written; stand stood; hear heard; mean meant;
meet met; run ran; pay paid; sit sat; speak spoke spoken; lead led; grow grew grown; lose lost; fall fell fallen;
send sent; build built; understand understood; draw drew drawn; break broke broken; spend spent; rise rose risen;
drive drove driven; buy bought; wear wore worn; choose chose chosen; win won; teach taught; eat ate eaten;
sing sang sung; swim swam swum; catch caught; fly flew flown; throw threw thrown; ride rode ridden; sell sold;
fight fought; sleep slept; forget forgot forgotten; drink drank drunk; hide hid hidden; shoot shot; steal stole stolen;
wake woke woken; learn learnt; dream dreamt; hang hung; beat beaten; bite bit bitten; blow blew blown; deal dealt;
dig dug; feed fed; freeze froze frozen; shake shook shaken; show shown; speed sped; swear swore sworn; tear tore torn;
say said; bind bound; seek sought; sink sank sunk; stick stuck; strike struck; child children; man men; woman women;
foot feet; tooth teeth; mouse mice; person people; wife wives; life lives; knife knives; leaf leaves; shelf shelves
"""
_IRREGULAR = {form: line.split()[0] for line in _FORMS.split(";") for form in line.split()[1:]}
_APART = """
important importance importantly; customer customers; container containers; author authors authored authoring;
authoriz authorize authorizes authorized authorizing authorization authorizations; business businesses;
community communities; experience experiences experienced; internal internals internally;
international internationally; locale locales; news; positive positives positively; responsive; several;
terminal terminals
"""
_KNOWN = {form: line.split()[0] for line in _APART.split(";") for form in line.split()}
"""What the rules would take for something else: what is important is not imported."""
_SHORT = 2
_SHAPES = {ord(letter): "v" if letter in "aeiou" else "c" for letter in "abcdefghijklmnopqrstuvwxz"}
_NOUNS = """
ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize ation:ate
ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log
"""
_ADJECTIVES = "icate:ic ative: alize:al iciti:ic ical:ic ful: ness:"
_CHANGED = [dict(rule.split(":") for rule in rules.split()) for rules in (_NOUNS, _ADJECTIVES)]
_CHANGING = [tuple(rules) for rules in _CHANGED]
_SUFFIXES = "ement ance ence able ible ment ant ent ism ate iti ous ive ize al er ic ou ion"
_DROPPED = tuple(_SUFFIXES.split())


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """The plain form of a word in lower case."""
    if len(word) <= _SHORT or not (word.isascii() and word.isalpha()):
        return word
    if word in _KNOWN:
        return _KNOWN[word]
    found = _without_last_y(_without_tense(_without_plural(_IRREGULAR.get(word, word))))
    for suffixes, rules in zip(_CHANGING, _CHANGED, strict=True):
        if found.endswith(suffixes):  # hardly a word does
            found = _changed(found, rules)
    return _without_last_y(_without_last_e(_without_suffix(found)))


def _shape(word: str) -> str:
    """The word as a row of vowels and consonants; a `y` is a vowel after a consonant."""
    shape = word.translate(_SHAPES)
    while "y" in shape:
        before, _, after = shape.partition("y")
        shape = f"{before}{'v' if before.endswith('c') else 'c'}{after}"
    return shape


def _measure(word: str) -> int:
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """Whether a word ends like `hop`: then the e of `hope` was taken from it."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_tense(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for suffix in ("ed", "ing"):
        rest = word.removesuffix(suffix)
        if rest != word and "v" in _shape(rest):
            return _mended(rest)
    return word


def _mended(rest: str) -> str:
    """What is left of a verb without its ending, as the verb is spelt without it."""
    if rest.endswith(("at", "bl", "iz")):
        return f"{rest}e"
    if rest[-1:] == rest[-2:-1] and rest[-1] not in "lsz" and _shape(rest).endswith("c"):
        return rest[:-1]
    return f"{rest}e" if _measure(rest) == 1 and _ends_short(rest) else rest


def _changed(word: str, rules: dict[str, str]) -> str:
    for suffix, other in rules.items():
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest + other if _measure(rest) else word
    return word


def _without_suffix(word: str) -> str:
    for suffix in _DROPPED if word.endswith(_DROPPED) else ():
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            is_kept = _measure(rest) <= 1 or (suffix == "ion" and rest[-1] not in "st")
            return word if is_kept else rest
    return word


def _without_last_y(word: str) -> str:
    return f"{word[:-1]}i" if word.endswith("y") and "v" in _shape(word[:-1]) else word


def _without_last_e(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
