"""A thousand titles that break naive file names, made the same way every time."""

from __future__ import annotations

import itertools
import unicodedata

_SCRIPTS = [
    "认证模块的结构",
    "認証モジュールの構成",
    "인증 모듈 구조",
    "بنية وحدة المصادقة",
    "מבנה מודול האימות",
    "प्रमाणीकरण मॉड्यूल",
    "โครงสร้างโมดูล",
    "Структура модуля",
    "Δομή της μονάδας",
    "Cấu trúc mô-đun",
    "Ġestjoni ta' ċavetta",
    "ქართული სათაური",
    "አማርኛ ርዕስ",
    "தமிழ் தலைப்பு",
]
_EMOJI = ["🔥", "🧠", "👩‍💻", "🇩🇪", "👍🏽", "❤️", "☠️", "𝔘𝔫𝔦", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "①②③"]
_RESERVED = [
    "CON",
    "PRN",
    "AUX",
    "NUL",
    *(f"{port}{digit}" for port in ("COM", "LPT") for digit in range(1, 10)),
    "COM¹",
]
_TWINS = [
    "Café au lait",
    "Ångström units",
    "naïve Bayes",
    "Żółć",
    "한국어 제목",
    "ﬁle ﬂow",
    "Straße",
    "İstanbul",
    "ſharp s",
]
_PUNCTUATION = [
    *list("!?.-_*+~#%&@=|/\\<>:;,'\"`^$()[]{}"),
    "!!!",
    "???",
    "...",
    "--",
    "---",
    "- -",
    "¿?",
    "«»",
    "—",
    "。",
]
_PATHS = [
    "../../etc/passwd",
    "/etc/passwd",
    "..",
    ".",
    "~",
    "~root",
    "a/b",
    "a\\b",
    "C:\\Windows\\x",
    "\\\\server\\share",
    "%2e%2e%2f",
    ".hidden",
    ".tmp-0123",
    ".gitignore",
    "x.md",
    "x.md.md",
    "x.",
    "\uff0e\uff0e\uff0fx",
    "memories.lock",
    "config.yaml",
]
_YAML = [
    "no",
    "null",
    "true",
    "1e3",
    "0x1F",
    "2026-01-01",
    "key: value",
    "trailing:",
    "- item",
    "# comment",
    "a #b",
    "*alias",
    "&anchor",
    "!tag",
    "{a: b}",
    "[x]",
    "| block",
    "> fold",
    "%dir",
    "@x",
    "`x`",
    "'single'",
    '"double"',
    "it's",
    "\\n",
    "\\",
    '\\"',
    "<<",
    "?",
    "? x",
]
_INVISIBLE = "\x01\x07\x1b\x7f\x80\x9f\xad\u200b\u200d\u200e\u200f\u202a\u202e\u2060\u2066\u2069\ufeff\U000e0041\t"


def _long() -> list[str]:
    stems = ["x" * 300, "界" * 300, "🔥" * 300, "e\u0301" * 150, "word " * 60, "-" * 300, "Ä" * 299, "ב" * 300]
    return [f"{stem.strip()}{end}" for stem in stems for end in ("", "a", "b", "A", " 2", "!")]


def _cases() -> list[str]:
    bases = ["Redis setup", "straße nach süden", "ΣΊΣΥΦΟΣ", "dž letters", "C++ pitfalls", *_TWINS]
    return [form for base in bases for form in (base, base.lower(), base.upper(), base.title(), base.swapcase())]


def _forms() -> list[str]:
    return [unicodedata.normalize(form, base) for base in _TWINS for form in ("NFC", "NFD", "NFKC", "NFKD")]


def _collisions() -> list[str]:
    signs = ["", "+", "++", "#", "!", "?", "*", "/", ":", "&", "@", "%", "'", '"', ".", ",", ";", "|", "~", "="]
    return [
        f"{word}{sign} pitfalls{end}" for word in ("C", "x") for sign in signs for end in ("", ".", "-2", " 2", "_2")
    ]


def _hidden() -> list[str]:
    return [
        f"{before}{sign}{after}"
        for sign in _INVISIBLE
        for before, after in (("a", "b"), ("C", " pitfalls"), ("界", "面"))
    ]


def _filling() -> list[str]:
    parts = itertools.product(range(1, 40), _SCRIPTS, _EMOJI[:4])
    return [f"{script} {emoji} {number}" for number, script, emoji in parts]


def titles(count: int = 1000) -> list[str]:
    """That many different titles, none of which begins or ends with white space."""
    made = [
        *_SCRIPTS,
        *_EMOJI,
        *_RESERVED,
        *map(str.lower, _RESERVED),
        *(f"{name}.md" for name in _RESERVED),
        *(f"{name} " + "x" for name in _RESERVED),
        *_cases(),
        *_forms(),
        *_PUNCTUATION,
        *_PATHS,
        *_YAML,
        *_hidden(),
        *_long(),
        *_collisions(),
        *_filling(),
    ]
    return [title for title in dict.fromkeys(made) if title == title.strip()][:count]
