"""S1: a pattern that somebody made to take forever takes no longer than any other, and holds nobody up."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from process import SEED, Report
from rawko.recall.pattern import Haystack, hit
from rawko.recall.pattern_advice import explain
from rawko.values.task import Task

if TYPE_CHECKING:
    from collections.abc import Callable

_SIZE = 100_000
_BAR = 50
"""Milliseconds of processor time that a pattern may take on one text."""
_TOO_LONG = 4 * _BAR
_TICK = 0.02
_SECONDS = 2.0

HOSTILE = [
    # what makes a backtracking engine try everything
    "(a+)+$",
    "(a*)*b",
    "(a|a)*b",
    "(a|aa)+$",
    "(x+x+)+y",
    "([a-z]+)*1",
    "(.*a){20}b",
    "(.*)*=.*",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    r"(\w+\s?)+!",
    r"^(\d+)*x$",
    "(a?){50}a{50}",
    r"(\S+,?\s*)+;",
    "(.*)(.*)(.*)(.*)(.*)z9",
    r"((a|b)*|c*)*d",
    "(?:a+b+)+c(?:a+b+)+c",
    # what makes an automaton large
    "[ab]*a[ab]{200}c",
    "a[ab]{300}c",
    "(a|b)*a(a|b){50}c",
    ".{0,200}~",
    "a.{0,150}b.{0,150}c",
    "[^~]{0,300}~",
    "(.{0,50}q){5}z",
    "(a{1,30}){1,30}b",
    "((a{0,10}){0,10}){0,10}~",
    "(a|b|.){0,90}c.{0,50}d",
    r"\pL{500}~",
    "(?i)(é|ß|认){0,99}~",
    # what the engine refuses, or nearly
    "a{1000}{1000}",
    "(" * 500 + "a" + ")" * 500,
    "(" * 1000,
    "[" * 1000,
    r"(a)\1+$",
    "(?=a+)+b",
    # many stars, many alternatives, much of anything
    "a*" * 400 + "b",
    "*a" * 400 + "~",
    "qx|" * 333,
    "a.?~|" * 200,
    "[ab]{0,99}~|" * 70,
    "a" * 49_999 + "b",
    "When " + "authx " * 150,
    "?" * 999,
]


def texts() -> dict[str, str]:
    """Texts as long as a task can reasonably be, each bad for some of the patterns."""
    chance = random.Random(SEED)
    return {
        "a": "a" * _SIZE,
        "a or b": "".join(chance.choices("ab", k=_SIZE)),
        "words": " ".join("".join(chance.choices("abcdefgh", k=6)) for _ in range(_SIZE // 7)),
        "mixed": "".join(chance.choices("abé认ß \n\ud800", k=_SIZE // 3)),
        "short": "a" * 300,
    }


def ticks_beside(work: Callable[[], object]) -> float:
    """How often a second one thread gets its turn while another does something again and again."""
    stop = threading.Event()
    count = 0

    def again() -> None:
        while not stop.is_set():
            work()

    worker = threading.Thread(target=again)
    start = time.monotonic()
    worker.start()
    while time.monotonic() - start < _SECONDS:
        time.sleep(_TICK)
        count += 1
    elapsed = time.monotonic() - start
    stop.set()
    worker.join()
    return count / elapsed


def tried(report: Report, name: str, pattern: str, haystack: Haystack) -> None:
    """Ask for one pattern in one text, and count the processor time of this thread."""
    start = time.thread_time()
    hit([pattern], haystack)
    took = round((time.thread_time() - start) * 1000)
    report.add("asked", 1)
    report.counts["slowest ms"] = max(report["slowest ms"], took)
    for limit, called in ((_BAR, f"over {_BAR} ms"), (_TOO_LONG, "too long")):
        report.add(called, int(took > limit), example=f"{pattern[:40]} in {name}: {took} ms")


def prepared() -> dict[str, Haystack]:
    """The texts as tasks; what is made once for a task is not a pattern's doing, and is made here."""
    haystacks = {name: Haystack.of(Task(text, "tester")) for name, text in texts().items()}
    for haystack in haystacks.values():
        hit(["When loading re2", "a.?b.?c"], haystack)
    return haystacks


def test_hostile_patterns_are_answered_in_time() -> None:
    """S1: each takes a bounded time on texts up to 100 KB."""
    report = Report({"patterns": len(HOSTILE), "asked": 0, "slowest ms": 0, f"over {_BAR} ms": 0, "too long": 0})
    for name, haystack in prepared().items():
        for pattern in HOSTILE:
            tried(report, name, pattern, haystack)
    report.show("S1")
    assert report["asked"] == len(HOSTILE) * len(texts())
    assert report.bad("too long") == {}, report.examples


def test_hostile_patterns_hold_nobody_up() -> None:
    """S1: another thread gets its turn beside them as often as beside any Python code, which is less than alone."""
    haystacks = prepared().values()
    alone = ticks_beside(lambda: time.sleep(0.1))
    plain = ticks_beside(lambda: sum(number * number for number in range(100_000)))
    hostile = ticks_beside(lambda: [hit([pattern], haystack) for pattern in HOSTILE for haystack in haystacks])
    shares = {"ticks % beside hostile patterns": hostile, "ticks % beside a plain loop": plain}
    report = Report({name: round(100 * rate / alone) for name, rate in shares.items()}).show("S1 other thread")
    assert hostile > plain / 2, report.counts


def test_hostile_patterns_are_still_answered_rightly() -> None:
    """S1: a bound on the effort is no excuse for a wrong answer on a text of ordinary length."""
    expected = {"(a+)+$": True, "(a*)*b": False, "a[ab]{300}c": True, ".{0,200}~": False, "(x+x+)+y": False}
    haystack = Haystack.of(Task("a" * 301 + "c" + " and " + "x" * 300 + " aaa"))
    assert {pattern: hit([pattern], haystack) is not None for pattern in expected} == expected


@pytest.mark.parametrize("pattern", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_patterns_can_be_explained(pattern: str) -> None:
    """S1: the person who looks at such a pattern gets an answer as well."""
    assert all(part.reading for part in explain(pattern, Task("a" * 300)))


_WITH_RE = """
import re, sys, threading, time
threading.Thread(target=re.search, args=(sys.argv[1], sys.argv[2]), daemon=True).start()
for _ in range(100):
    time.sleep(0.005)
    print("tick", flush=True)
"""


def test_hostile_patterns_are_hostile() -> None:
    """S1, red: the standard library's engine does not come back on a text of 300 characters, and stops every thread."""
    text = "a" * 300 + " " + "x" * 300
    names = ["(a|a)*b", "(a|aa)+$", "(x+x+)+y", "([a-z]+)*1", "^(([a-z])+.)+[A-Z]([a-z])+$"]
    runs = [
        subprocess.Popen([sys.executable, "-c", _WITH_RE, pattern, text], stdout=subprocess.PIPE, text=True)
        for pattern in names
    ]
    report = Report({"patterns": len(names), "not back after 3 s": 0, "ticks %": 0})
    deadline = time.monotonic() + 3
    for run in runs:
        try:
            run.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            report.add("not back after 3 s", 1)
            run.kill()
        ticks = run.communicate()[0].count("tick")
        report.counts["ticks %"] = max(report["ticks %"], ticks)
    report.show("S1", "re")
    assert report["not back after 3 s"] >= 3
