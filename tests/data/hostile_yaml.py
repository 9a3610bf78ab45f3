"""Thirty frontmatters that were made to crash, hang, bloat or mislead whoever loads them, each to be refused."""

from __future__ import annotations

REQUIRED = 'title: "A"\nwhenToUse: "b"\nimportance: low\ndiscoveredBy: c\ndiscoveredAt: 2026-01-23T10:30:00Z\n'


def _alias_bomb(levels: int, width: int) -> str:
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines)


def _mapping_bomb(levels: int) -> str:
    lines = ["m0: &m0 {k: v}"]
    lines += [f"m{n}: &m{n} {{x: *m{n - 1}, y: *m{n - 1}}}" for n in range(1, levels)]
    return "\n".join(lines)


def _merge_bomb(levels: int) -> str:
    lines = ["m0: &m0 {k0: v}"]
    lines += [f"m{n}: &m{n} {{<<: [*m{n - 1}, *m{n - 1}], k{n}: v}}" for n in range(1, levels)]
    return "\n".join(lines)


def _merge_chain(levels: int) -> str:
    lines = ["m0: &m0\n  k0: v"]
    lines += [f"m{n}: &m{n}\n  <<: *m{n - 1}\n  k{n}: v" for n in range(1, levels)]
    return "\n".join(lines)


def _indented(levels: int) -> str:
    return "\n".join(f"{' ' * n}k{n}:" for n in range(levels))


HOSTILE: list[tuple[str, str]] = [
    ("alias bomb, nine levels", _alias_bomb(9, 9)),
    ("alias bomb, three hundred levels", _alias_bomb(300, 9)),
    ("alias bomb of mappings", _mapping_bomb(40)),
    ("alias of itself", "a: &a [*a]"),
    ("mapping of itself", "a: &a {b: *a}"),
    ("merge-key bomb", _merge_bomb(24)),
    ("merge-key chain", _merge_chain(200)),
    ("merge key without alias", "<<: {title: x}\n<<: {title: y}\n"),
    ("anchor on a scalar", "a: &a b"),
    ("anchor on a key", "&a a: b"),
    ("30,000 nested brackets", f"a: {'[' * 30_000}"),
    ("30,000 nested brackets, closed", f"a: {'[' * 30_000}{']' * 30_000}"),
    ("10,000 nested braces", f"a: {'{a: ' * 10_000}"),
    ("9 nested brackets, closed", f"a: {'[' * 9}{']' * 9}"),
    ("300 nested mappings by indent", _indented(300)),
    ("10,000 nested sequences by dash", f"a:\n{'- ' * 10_000}x"),
    ("a mapping as a key", "? {a: b}\n: c"),
    ("10,000 question marks", "? " * 10_000),
    ("huge integer as importance", f"importance: {'9' * 60_000}"),
    ("huge integer as date", f"discoveredAt: {'9' * 60_000}"),
    ("huge exponent as date", "discoveredAt: 1e999999999"),
    ("sexagesimal number as date", f"discoveredAt: {':'.join(['59'] * 10_000)}"),
    ("a scalar of 3 MB", f"a: {'x' * 3_000_000}"),
    ("200,000 keys", "\n".join(f"k{n}: v" for n in range(200_000))),
    ("Python object tag", "a: !!python/object/apply:os.system ['true']"),
    ("Python name tag", "a: !!python/name:os.system"),
    ("binary tag", "a: !!binary aGVsbG8="),
    ("tag of one's own under a %TAG line", "%TAG !e! tag:example.com,2026:\n---\na: !e!b c"),
    ("the same key twice", "title: A\ntitle: B"),
    ("a second document", "a: b\n--- {a: c}\n"),
]
