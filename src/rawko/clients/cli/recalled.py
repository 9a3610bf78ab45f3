"""How the commands that recall word what they found, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rawko.clients.cli import output, shapes
from rawko.values.memory import ACTIVE
from rawko.values.text import one_line
from rawko.values.times import format_time, parse_time

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from rawko.recall.pattern_advice import Explained
    from rawko.values.selection import Chosen, Found, Selection

_SHOWN = 20
_TASK = 200


def selection(value: Selection) -> None:
    """What was chosen and what was left out, with the parts of each score."""
    considered = len(value.memories) + len(value.left_out)
    if value.memories:
        output.line(("chosen", "bold"), f": {len(value.memories)} of {considered}, {value.tokens} tokens")
        output.table(_scores(value.memories))
        for one in value.memories:
            output.line((f"  {one_line(one.file)}", "bold"), f"  {one.match.strength}: {one_line(one.match.matched)}")
    else:
        output.line("nothing was chosen")
    _left_out([shapes.left_out(one) for one in value.left_out], beside=bool(value.memories), all_of_them=False)
    if value.receipt:
        output.line("")
        output.line(("receipt", "bold"), f": {value.receipt}")


def _scores(chosen: Sequence[Chosen]) -> dict[str, list[str]]:
    names = [name for name in chosen[0].parts if any(one.parts[name] for one in chosen)]
    best = max(one.match.value for one in chosen) or 1.0
    return {
        "FILE": [one_line(one.file) for one in chosen],
        "FIT": [f"{one.match.value / best:.0%}" for one in chosen],
        "SCORE": [f"{one.score:g}" for one in chosen],
        **{name.upper(): [f"{one.parts[name]:g}" for one in chosen] for name in names},
        **({"FROM": [one.origin or "project" for one in chosen]} if any(one.origin for one in chosen) else {}),
    }


def found(values: Sequence[Found]) -> None:
    """What a search found: the file and its title, and the piece that has the words."""
    for one in values:
        beside = [text for text in (one.origin, one.status if one.status != ACTIVE else "") if text]
        remark = f" ({', '.join(beside)})" if beside else ""
        output.line((one_line(one.id), "bold"), f"  {one_line(one.title)}{remark}", (f"  {one.score:.2f}", "dim"))
        if one.snippet:
            output.line(("    " + one_line(one.snippet), "dim"))


def receipt(kept: dict[str, Any], *, whole: bool) -> None:
    """What an injection made of its task, or of the memories that have one name."""
    _head(kept)
    for entry in kept["memories"]:
        told = f"  chosen: score {entry['score']:g} = {_sum(entry['parts'])}"
        output.line((f"  {one_line(entry['file'])}", "bold"), _origin(entry), told)
        output.line((f"      {entry['strength']}: {one_line(entry['matched'])}", "dim"))
    more = kept["more"] if whole else 0
    _left_out(kept["leftOut"], beside=bool(kept["memories"]), all_of_them=not whole, more=more)
    if whole and not kept["memories"]:
        output.line("nothing was injected")


def not_in(kept: dict[str, Any], name: str, since: datetime | None) -> None:
    """Why a receipt does not have a memory, as far as it can tell."""
    _head(kept)
    name, seen, left_out = one_line(name), kept["asOf"] or kept["at"], len(kept["leftOut"])
    if since and since > parse_time(seen):
        output.line(f"{name} is newer: it is of {format_time(since)}, and the receipt tells of {seen}")
    elif kept["more"]:
        told = f"the receipt has only the best {left_out} of {left_out + kept['more']} that were left out"
        output.line(f"{name} was not injected: {told}, and not this one")
    else:
        output.line(f"{name} was not considered: no pattern of it and hardly a word of it was in the task")


def _head(kept: dict[str, Any]) -> None:
    task = kept["task"]
    agent = f" by {one_line(task['agent'])}" if task["agent"] else ""
    moments = [f", {what} {kept[key]}" for key, what in (("asOf", "as of"), ("now", "as if at")) if kept.get(key)]
    output.line(("receipt", "bold"), f" {kept['id']} of {kept['at']}{agent}{''.join(moments)}")
    text = one_line(task["text"])
    output.line(("task", "bold"), f" {text if len(text) <= _TASK else text[:_TASK] + ' ...'}")


def _origin(entry: dict[str, Any]) -> str:
    """Whose memory it is, where it is not the project's."""
    return f" ({one_line(entry['origin'])})" if entry["origin"] else ""


def _left_out(entries: Sequence[dict[str, Any]], *, beside: bool, all_of_them: bool, more: int = 0) -> None:
    """What was left out though it matches; of what hardly matches only how much there is, unless it was asked for.

    `beside` is whether something was chosen, than which the rest can be said to match less.
    """
    shown = [entry for entry in entries if all_of_them or entry["strength"] or "cannot be read" in entry["reason"]]
    if not entries:
        return
    count = len(entries) + more
    hardly = "" if shown or beside else f" that hardly {'matches' if count == 1 else 'match'}"
    output.line("")
    output.line(("left out", "bold"), f": {count}{hardly}")
    for entry in shown[:_SHOWN]:
        matched = f" ({one_line(entry['matched'])})" if entry["matched"] else ""
        reason = f"{_origin(entry)}  {one_line(entry['reason'])}"
        output.line((f"  {one_line(entry['file'])}", "bold"), reason, (matched, "dim"))
    if (rest := count - len(shown[:_SHOWN])) and not hardly:
        output.line((f"  and {rest} that match less", "dim"))


def _sum(parts: dict[str, float]) -> str:
    return " + ".join(f"{name} {value:g}" for name, value in parts.items() if value) or "0"


def status(values: dict[str, Any]) -> None:
    """What is in the index."""
    output.line(
        f"{values['memories']:,} memories, {output.counted(values['terms'], 'term')},"
        f" {output.counted(values['patterns'], 'pattern')}, {values['bytes']:,} bytes"
    )
    for problem in values["unreadable"]:
        output.line((one_line(problem["file"]), "bold"), f"  {one_line(problem['reason'])}")


def explained(values: Sequence[Explained], *, has_task: bool) -> None:
    """How each alternative of a pattern is read."""
    for one in values:
        output.line((one_line(one.text) or "(nothing)", "bold"), f"  {one.kind}: {one.reading}")
        if one.words:
            output.line(("    words: " + ", ".join(one.words), "dim"))
        for advice in one.advice:
            output.line(("    warning: ", "yellow"), f"{one_line(advice.reason)} ({one_line(advice.hint)})")
        if has_task:
            output.line(f"    {'hits: ' + one.hit.strength if one.hit else 'does not hit'}")
