"""The commands that recall: what is printed for a task and for a query, why, and again."""

from __future__ import annotations

import fcntl
import io
import json
import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rawko.clients import lean
from test_cli_docs import differences, documented
from test_cli_tools import HOSTILE, PAYLOAD, RAWKO, Shop, escaped, file_text

if TYPE_CHECKING:
    from pathlib import Path

TASK = "Add a voucher field to the checkout and take the discount off the price"
ELSEWHERE = (
    "Write to the museum that nine adults and four children would like to visit on Sunday, and ask for the price"
)
RECEIPT = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")
UNKNOWN = "20260101-000000-0a1b2c3d"
HEADING = "## Background Knowledge from Previous Runs\n\n"

CENTS = (
    "Every amount is an integer number of cents, from the checkout to the invoice.",
    {"whenToUse": "payment|price|invoice", "importance": "critical", "tags": "[data-model]"},
)
DISCOUNTS = (
    "Sum the items first, apply the discount to the sum, and round once, half up. The accountant checks it.",
    {"whenToUse": "When working on discounts or vouchers", "importance": "high", "discoveredBy": "bob"},
)
CART = (
    "A cached cart showed the discount of another customer. The checkout must read it from the database.",
    {"whenToUse": "cart|basket", "importance": "medium", "tags": "[failures]", "discoveredAt": "2026-03-01T00:00:00Z"},
)
QUEUE = (
    """\
Jobs wait in Redis, and each worker gets one of them at a time. A job that fails three times is put aside for a person
to look at. There are ten workers by night and forty by day. Restart them with `make workers`, and read the dashboard
before you do, because whatever they have begun is begun again. The mail, the search and the price lists each have one
of their own, and the reports share another, which may run late when the month ends.""",
    {"whenToUse": "queue", "importance": "low"},
)
"""It shares one word with the task, and says so much else that no bar is near."""

TEMPLATES = ("In web/templates, one folder for each page.", {"whenToUse": "template"})


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A library with four memories that goes by words and patterns alone."""
    shop = Shop(tmp_path, monkeypatch)
    memories = {"Payments": CENTS, "Discounts": DISCOUNTS, "Caching the cart": CART, "Templates": TEMPLATES}
    for title, (body, fields) in memories.items():
        shop.put(f"{title.lower().replace(' ', '-')}.md", file_text(title, body, **fields))
    configure(shop, "semantic: false")
    return shop


def configure(shop: Shop, text: str) -> None:
    """Give the library these settings."""
    (shop.folder / ".rawko" / "config.yaml").write_text(f"{text}\n")


def chosen(shop: Shop, *more: str, task: str = TASK) -> list[str]:
    """The files that a task gets, in order."""
    return [memory["file"] for memory in shop.json("inject", task, *more)["memories"]]


def left_out(shop: Shop, *more: str, task: str = TASK) -> dict[str, str]:
    """The files that a task does not get, each with the reason."""
    return {memory["file"]: memory["reason"] for memory in shop.json("inject", task, *more)["leftOut"]}


def found(shop: Shop, query: str, *filters: str) -> list[str]:
    """The files that a query finds, in order."""
    return [one["id"] for one in shop.json("search", query, *filters)["found"]]


def latest_of(shop: Shop, task: str) -> Any:
    """The receipt of an injection for this task."""
    shop.run("inject", task)
    return latest(shop)


def latest(shop: Shop) -> Any:
    """The receipt of the latest injection."""
    return shop.json("why")


# ------------------------------------------------------------ inject


def test_inject_prints_the_block(shop: Shop) -> None:
    """F2, F4: the heading, then each memory with its importance and discoverer, and a blank line at the end."""
    result = shop.run("inject", "Print the invoice of a payment")
    body = "### Payments\n*Importance: CRITICAL*\n*Discovered by: ada*\n\n"
    assert result.stdout == f"{HEADING}{body}{CENTS[0]}\n\n"
    assert (result.exit_code, result.stderr) == (0, "")


def test_inject_orders_by_match_and_then_by_score(shop: Shop) -> None:
    """What fits the task best comes first, although another has the higher score."""
    memories = shop.json("inject", TASK, "--agent", "ada")["memories"]
    assert [memory["file"] for memory in memories] == ["discounts.md", "payments.md", "caching-the-cart.md"]
    assert memories[0]["score"] < memories[1]["score"]


def test_inject_prints_nothing_where_nothing_matters(shop: Shop) -> None:
    """F1: not a byte on standard output, so that a prompt stays as it was; for people there is a word beside it."""
    result = shop.run("inject", ELSEWHERE)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("rawko: ")


def test_inject_as_json_has_an_empty_block_where_nothing_matters(shop: Shop) -> None:
    """A program asks for the block, and gets a text in any case."""
    printed = shop.json("inject", ELSEWHERE)
    assert (printed["block"], printed["tokens"], printed["memories"]) == ("", 0, [])


def test_inject_into_an_empty_library_is_not_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first run of a project has nothing to be told."""
    result = Shop(tmp_path, monkeypatch).run("inject", TASK)
    assert (result.exit_code, result.stdout) == (0, "")


@pytest.mark.parametrize("task", ["", "   ", "\n", "the", "?"])
def test_inject_takes_a_task_that_says_nothing(shop: Shop, task: str) -> None:
    """A hook passes on whatever somebody typed."""
    result = shop.run("inject", task)
    assert (result.exit_code, result.stdout) == (0, "")


def test_inject_reads_the_task_from_standard_input(shop: Shop) -> None:
    """A long task need not be an argument."""
    assert shop.run("inject", "-", stdin=f"{TASK}\n").stdout == shop.run("inject", TASK).stdout


def test_inject_as_json_is_the_block_with_its_reasons(shop: Shop) -> None:
    """The same text, and beside it what was chosen and left out."""
    printed = shop.json("inject", TASK)
    assert printed["block"] == shop.run("inject", TASK).stdout
    assert [memory["file"] for memory in printed["leftOut"]] == []
    assert all(memory["score"] == pytest.approx(sum(memory["parts"].values())) for memory in printed["memories"])


def test_explain_shows_scores_matches_and_the_receipt(shop: Shop) -> None:
    """E13: the parts in a table, what matched each, what was left out, and how to ask again."""
    text = shop.run("inject", TASK, "--explain").stdout
    assert re.search(r"^FILE +FIT +SCORE +IMPORTANCE .*MATCH$", text, re.MULTILINE)
    assert re.findall(r"^(\S+\.md) +(\d+)% +[\d.]+ ", text, re.MULTILINE)[0] == ("discounts.md", "100")
    assert "discounts.md  close: pattern: When working on discounts or vouchers" in text
    assert "payments.md  exact: pattern: price" in text
    assert "caching-the-cart.md  close: words: checkout, discount" in text
    assert re.search(r"^receipt: \d{8}-\d{6}-[0-9a-f]{8}$", text, re.MULTILINE)


def test_explain_names_what_was_left_out_and_why(shop: Shop) -> None:
    """A task about something else: the pattern that hit is shown, and that it was not enough."""
    text = shop.run("inject", ELSEWHERE, "--explain").stdout
    assert text.startswith("nothing was chosen\n")
    assert "payments.md  too little of the task" in text


def test_explain_only_counts_what_hardly_matches(shop: Shop) -> None:
    """A list of everything that shares a word with the task would hide what came close; as JSON it is all there."""
    shop.put("queue.md", file_text("Queue", QUEUE[0], **QUEUE[1]))
    text = shop.run("inject", TASK, "--explain").stdout
    assert "left out: 1\n  and 1 that match less\n" in text
    assert "queue.md" not in text
    assert left_out(shop) == {"queue.md": "hardly a match, and one of low importance needs exact"}


@pytest.mark.parametrize(
    ("when", "said"), [("by night", "1 that hardly matches"), ("one night", "3 that hardly match")]
)
def test_explain_compares_with_nothing_where_nothing_is_named(shop: Shop, when: str, said: str) -> None:
    """Where nothing was chosen, and nothing comes near, there is nothing that the rest could match less than."""
    shop.put("queue.md", file_text("Queue", QUEUE[0], **QUEUE[1]))
    text = shop.run("inject", f"Write to the museum that nine adults would like to visit {when}", "--explain").stdout
    assert text.startswith(f"nothing was chosen\n\nleft out: {said}\n\nreceipt: ")
    assert f"left out: {said}\nnothing was injected\n" in shop.run("why").stdout


def test_what_cannot_be_read_is_mentioned(shop: Shop, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Beside a block, beside nothing and beside what was found, in few words; a hook's log then has it, too."""
    shop.put("broken.md", file_text(importance="urgent"))
    said = "rawko: 1 memory cannot be read: `rawko validate` says why\n"
    assert shop.run("inject", TASK).stderr == said
    assert shop.run("inject", "Knit a scarf").stderr == f"rawko: nothing here matters to this task\n{said}"
    assert shop.run("search", "payments").stderr == said
    assert lean.inject([TASK]) == 0
    assert capfdbinary.readouterr().err.decode() == said


def test_explain_names_what_cannot_be_read(shop: Shop) -> None:
    """K30: it might have mattered, so nobody is left to wonder; the others are chosen all the same."""
    shop.put("broken.md", file_text(importance="urgent"))
    text = shop.run("inject", TASK, "--explain").stdout
    assert re.search(r"^  broken\.md  it cannot be read: .*`importance` is 'urgent'", text, re.MULTILINE)
    assert left_out(shop)["broken.md"].startswith("it cannot be read: ")
    assert "payments.md" in chosen(shop)


def test_words_are_shown_as_the_task_spells_them(shop: Shop) -> None:
    """Nobody types a stem."""
    memories = shop.json("inject", "Reading cached customers from databases at the checkout")["memories"]
    matched = {memory["file"]: memory["matched"] for memory in memories}["caching-the-cart.md"]
    assert matched.startswith("words: ")
    assert {"customers", "databases", "checkout"} <= set(matched.removeprefix("words: ").split(", "))


def test_explain_leaves_the_block_out(shop: Shop) -> None:
    """It is for people who ask why."""
    assert HEADING not in shop.run("inject", TASK, "--explain").stdout


def test_a_limit_leaves_out_the_last(shop: Shop) -> None:
    """E9: the best go in, and the others are told why they do not."""
    assert chosen(shop, "--limit", "2") == ["discounts.md", "payments.md"]
    assert "only 2" in left_out(shop, "--limit", "2")["caching-the-cart.md"]
    assert chosen(shop, "--limit", "0") == []


def test_a_least_importance_is_inclusive(shop: Shop) -> None:
    """E10: high admits high."""
    assert chosen(shop, "--min-importance", "high") == ["discounts.md", "payments.md"]


def test_a_budget_holds_for_the_whole_block(shop: Shop) -> None:
    """F11: headings included, and what finds no room is left out with that reason."""
    printed = shop.json("inject", TASK, "--budget", "80")
    assert 0 < printed["tokens"] <= 80
    assert "no room left in the budget" in {memory["reason"] for memory in printed["leftOut"]}
    assert shop.run("inject", TASK, "--budget", "0").stdout == ""


def test_without_leaves_a_memory_out(shop: Shop) -> None:
    """As if it were not there, by title or file; the others move up."""
    flags = ["--without", "Discounts", "--without", "payments.md"]
    assert chosen(shop, *flags) == ["caching-the-cart.md"]
    assert left_out(shop, *flags)["discounts.md"] == "left out on request"


def test_as_of_chooses_among_what_was_known(shop: Shop) -> None:
    """The cart was cached in March; in February nobody knew."""
    assert "caching-the-cart.md" in chosen(shop, "--as-of", "2026-03-01")
    assert chosen(shop, "--as-of", "2026-02-28") == ["discounts.md", "payments.md"]
    assert chosen(shop, "--as-of", "2025-12-31") == []


def test_as_of_is_the_moment_for_recency(shop: Shop) -> None:
    """E3: what was new then has the points of what is new."""
    for day, points in (("2026-03-01", 10.0), ("2026-03-03", 5.0), ("2026-03-09", 0.0)):
        memories = shop.json("inject", TASK, "--as-of", day)["memories"]
        recency = {memory["file"]: memory["parts"]["recency"] for memory in memories}
        assert recency["caching-the-cart.md"] == points


def test_the_agent_counts_for_the_score(shop: Shop) -> None:
    """E8: what bob found out is worth more to bob."""
    for agent, points in (("bob", 10.0), ("ada", 0.0)):
        parts = {memory["file"]: memory["parts"] for memory in shop.json("inject", TASK, "--agent", agent)["memories"]}
        assert parts["discounts.md"]["discoverer"] == points


def test_the_definition_of_an_agent_counts_before_the_settings(shop: Shop) -> None:
    """And a flag before both."""
    (shop.folder / ".rawko/agents/bob.md").write_text("---\nmemory: {maxInjected: 1}\n---\n")
    configure(shop, "semantic: false\nmaxInjected: 2")
    assert len(chosen(shop)) == 2
    assert len(chosen(shop, "--agent", "bob")) == 1
    assert len(chosen(shop, "--agent", "bob", "--limit", "3")) == 3


def test_a_definition_that_is_not_understood_is_a_remark(shop: Shop) -> None:
    """With file and line, and the block comes all the same."""
    (shop.folder / ".rawko/agents/bob.md").write_text("---\nmemory: {maxInjected: many}\n---\n")
    result = shop.run("inject", TASK, "--agent", "bob", "--explain")
    assert result.exit_code == 0
    assert result.stderr.startswith("rawko: agents/bob.md:2: `maxInjected` is 'many'")


def test_the_plan_is_weaker_evidence(shop: Shop) -> None:
    """K9: it can bring in a critical memory, and no other on its own."""
    task = "Do the second step"
    assert chosen(shop, task=task) == []
    plan = shop.json("inject", task, "--plan", "1. Change the cart. 2. Print the price.")
    strengths = {memory["file"]: memory["strength"] for memory in (*plan["memories"], *plan["leftOut"])}
    assert strengths["caching-the-cart.md"] in {"slight", "moderate", "close"}
    assert "exact" not in strengths.values()


def test_a_retired_memory_is_not_injected(shop: Shop) -> None:
    """It stays on file, and the reason is its status."""
    shop.run("deprecate", "Discounts", "--reason", "There are none any more.")
    assert "discounts.md" not in chosen(shop)
    assert left_out(shop)["discounts.md"] == "deprecated"


def test_a_correction_comes_first(shop: Shop) -> None:
    """K15: the agent reads what holds before what held."""
    shop.run("correct", "Payments", "--content", "They are in tenths of a cent.")
    block = shop.run("inject", "Print the invoice of a payment").stdout
    assert block.index("tenths of a cent") < block.index("integer number of cents")


def test_strict_goes_by_patterns_alone(shop: Shop) -> None:
    """Only what a pattern spells, in the order of the score; a task about something else is no exception."""
    configure(shop, "match: strict")
    assert chosen(shop) == ["payments.md"]
    assert chosen(shop, task=ELSEWHERE) == ["payments.md"]


def test_a_memory_of_the_user_says_so(shop: Shop, tmp_path: Path) -> None:
    """Both libraries compete in one choice, and the reader knows which is which."""
    memories = tmp_path / "home" / "memories"
    memories.mkdir(parents=True)
    (memories / "mine.md").write_text(file_text("Mine", "Vouchers have eight letters.", whenToUse="voucher"))
    assert "*From: user library*\n\nVouchers have eight letters." in shop.run("inject", TASK).stdout
    assert {memory["origin"] for memory in shop.json("inject", TASK)["memories"]} == {"", "user library"}


# ------------------------------------------------------------ two ways to the same block


@pytest.mark.parametrize(
    "words",
    [
        [TASK],
        [TASK, "--agent", "bob"],
        ["--agent", "bob", TASK, "--limit", "1"],
        [TASK, "--plan", "Look at the cart.", "--history", "Looked at the templates."],
        [TASK, "--budget", "100", "--min-importance", "medium"],
        ["--plan=Look at the cart. a=b", "--limit=1", "--library=.", TASK],
        [TASK, "--agent="],
        [ELSEWHERE],
        [""],
    ],
)
def test_the_lean_way_prints_what_the_full_way_prints(
    shop: Shop, capfdbinary: pytest.CaptureFixture[bytes], words: list[str]
) -> None:
    """A hook gets, byte for byte, what a person sees."""
    assert lean.inject(words) == 0
    assert capfdbinary.readouterr().out.decode() == shop.run("inject", *words).stdout


def test_the_lean_way_prints_the_same_json(shop: Shop, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """All but the receipt, of which each call has its own."""
    assert lean.inject([TASK, "--json"]) == 0
    quick, full = json.loads(capfdbinary.readouterr().out), shop.json("inject", TASK)
    assert quick.pop("receipt") != full.pop("receipt")
    assert quick == full


@pytest.mark.parametrize(
    "words",
    [
        [],
        [TASK, "--"],
        [TASK, "--explain"],
        [TASK, "--without", "Payments"],
        [TASK, "--help"],
        [TASK, "--limit", "x"],
        [TASK, "--limit", "-1"],
        [TASK, "--budget", "9" * 5000],
        [TASK, "--limit", "٣"],
        [TASK, "--agent"],
        [TASK, "--json=yes"],
        [TASK, "--limit="],
        [TASK, "--nope=x"],
        [TASK, "--agent", "a", "--agent", "b"],
        [TASK, "another"],
        [TASK, "--min-importance", "huge"],
        [TASK, "--library", "/nowhere"],
    ],
)
@pytest.mark.usefixtures("shop")
def test_the_lean_way_leaves_the_rest_to_the_full_one(
    capfdbinary: pytest.CaptureFixture[bytes], words: list[str]
) -> None:
    """What it does not know or cannot do is not guessed, and nothing was printed yet."""
    assert lean.inject(words) is None
    assert capfdbinary.readouterr() == (b"", b"")


def test_the_command_takes_the_lean_way_as_a_process(shop: Shop) -> None:
    """What the shell gets is the same in either way."""
    done = shop.process("inject", TASK)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == shop.run("inject", TASK).stdout


def both_ways(shop: Shop, *words: str, env: dict[str, str] | None = None) -> list[tuple[int, str, str]]:
    """Exit code, output and remarks of the lean way and of the full one, which alone knows `--`."""
    ways = [shop.process("inject", *words, *more, env={**os.environ, **(env or {})}) for more in ([], ["--"])]
    return [(way.returncode, RECEIPT.sub("ID", way.stdout.decode()), way.stderr.decode()) for way in ways]


@pytest.mark.parametrize(
    "words",
    [
        [TASK],
        [TASK, "--json"],
        [ELSEWHERE],
        [ELSEWHERE, "--json"],
        [TASK, "--budget", "9" * 5000],
        [TASK, "--min-importance", "huge"],
    ],
)
def test_both_ways_are_the_same_program(shop: Shop, words: list[str]) -> None:
    """What is printed, what is remarked and how it ends."""
    quick, full = both_ways(shop, *words)
    assert quick == full


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "utf8"])
def test_both_ways_print_in_the_same_encoding(shop: Shop, encoding: str) -> None:
    """Whoever reads the block gets it as it was asked for."""
    shop.put("money.md", file_text("Währung", "Preise in €.", whenToUse="price"))
    quick, full = (
        shop.process("inject", TASK, *more, env={**os.environ, "PYTHONIOENCODING": encoding}) for more in ([], ["--"])
    )
    assert b"W\xe4hrung" in full.stdout or b"W\xc3\xa4hrung" in full.stdout
    assert quick.stdout == full.stdout


def test_both_ways_warn_the_same(shop: Shop) -> None:
    """A warning is a remark, and the block comes all the same."""
    (shop.folder / ".rawko" / "receipts").write_text("in the way")
    quick, full = both_ways(shop, TASK)
    assert quick == full
    assert quick[:2] == (0, shop.run("inject", TASK).stdout)
    assert re.fullmatch(r"rawko: no receipt was kept: .+\n", quick[2])


def test_both_ways_warn_without_control_characters(shop: Shop, tmp_path: Path) -> None:
    """A warning may name what somebody else has named."""
    home = tmp_path / "ho\x1b[31m\u202eme"
    home.mkdir()
    (home / "memories").symlink_to(shop.memories)
    quick, full = both_ways(shop, ELSEWHERE, env={"RAWKO_HOME": str(home)})
    assert quick == full
    assert r"/ho\x1b[31m\u202eme/memories takes no part" in quick[2]
    assert quick[2].count("rawko: ") == quick[2].count("\n") == 2


def receipts(shop: Shop) -> int:
    """How many receipts there are."""
    return sum(path.read_bytes().count(b"\n") for path in (shop.folder / ".rawko" / "receipts").glob("*"))


SINKS = {"full": "> /dev/full", "closed": ">&-", "mute": "2>&-", "nowhere": "2> /dev/full"}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("words", [[TASK], [TASK, "--json"], [ELSEWHERE]])
@pytest.mark.parametrize("sink", SINKS)
def test_both_ways_end_the_same_where_nothing_can_be_printed(shop: Shop, sink: str, words: list[str]) -> None:
    """No traceback, and one choice with one receipt each."""
    quick, full = (
        subprocess.run(
            ["sh", "-c", f'"$@" {SINKS[sink]}', "sh", *RAWKO, "inject", *words, *more], capture_output=True, check=False
        )
        for more in ([], ["--"])
    )
    assert b"Traceback" not in quick.stderr
    assert (quick.returncode, quick.stderr) == (full.returncode, full.stderr)
    assert receipts(shop) == 2


@pytest.mark.parametrize("more", [[], ["--json"], ["--"]])
def test_a_reader_that_is_gone_ends_either_way_quietly(shop: Shop, more: list[str]) -> None:
    """`rawko inject ... | true` leaves no traceback, and one receipt."""
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run([*RAWKO, "inject", TASK, *more], stdout=theirs, stderr=subprocess.PIPE, check=False)
    os.close(theirs)
    assert (done.returncode, done.stderr, receipts(shop)) == (1, b"", 1)


def test_ctrl_c_on_the_lean_way_ends_quietly(shop: Shop, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """As on the full way, while it waits for another process."""
    (shop.folder / ".rawko" / ".cache").mkdir(exist_ok=True)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    with open(shop.folder / ".rawko" / ".cache" / "index.lock", "wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        assert lean.inject([TASK]) == 130
    signal.signal(signal.SIGALRM, before)
    assert capfdbinary.readouterr() == (b"", b"\n")


def test_the_lean_way_loads_nothing_that_it_does_not_need(shop: Shop) -> None:
    """A hook starts a process at every prompt."""
    command = [sys.executable, "-X", "importtime", "-m", "rawko", "inject", TASK]
    done = subprocess.run(command, cwd=shop.folder, capture_output=True, text=True, check=True)
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}
    assert "rawko.recall.arbiter" in loaded
    assert loaded & {"click", "rich", "logging", "traceback", "dataclasses"} == set()


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Have standard input say this."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8"))


def test_the_lean_way_reads_the_task_from_standard_input(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """As the full way does."""
    typed(monkeypatch, f"{TASK}\r\n")
    assert lean.inject(["-"]) == 0
    assert capfdbinary.readouterr().out.decode() == shop.run("inject", "-", stdin=f"{TASK}\r\n").stdout


@pytest.mark.usefixtures("shop")
def test_a_task_on_standard_input_is_not_lost_where_the_lean_way_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The full one reads it once more."""
    typed(monkeypatch, TASK)
    assert lean.inject(["-", "--min-importance", "huge"]) is None
    assert sys.stdin.read() == TASK


def test_an_error_on_the_lean_way_is_told_by_the_full_one(shop: Shop) -> None:
    """With a message, a hint and an exit code."""
    configure(shop, "budget: much")
    done = shop.process("inject", TASK)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"budget is 'much'\n  hint: " in done.stderr


# ------------------------------------------------------------ search


def test_search_shows_file_title_and_the_piece_that_has_the_words(shop: Shop) -> None:
    """Two lines for each, the best first."""
    first, second = shop.run("search", "accountant").stdout.splitlines()
    assert re.fullmatch(r"discounts\.md  Discounts  \d\.\d\d", first)
    assert second == "    The accountant checks it."


def test_search_needs_no_pattern(shop: Shop) -> None:
    """K10: whatever has the words is found, the best first."""
    assert found(shop, "database checkout") == ["caching-the-cart.md", "payments.md"]


def test_search_that_finds_nothing_prints_nothing(shop: Shop) -> None:
    """There is a word on standard error, and it is no failure."""
    result = shop.run("search", "zeppelin")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("rawko: ")
    assert shop.json("search", "zeppelin") == {"found": []}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (["--tag", "failures"], ["caching-the-cart.md"]),
        (["--tag", "FAILURES", "--tag", "data-model"], []),
        (["--importance", "high"], ["discounts.md", "payments.md"]),
        (["--agent", "bob"], ["discounts.md"]),
        (["--since", "2026-02-01"], ["caching-the-cart.md"]),
        (["--until", "2026-02-01"], ["discounts.md", "payments.md"]),
        (["--since", "2026-03-01", "--until", "2026-03-01"], ["caching-the-cart.md"]),
        (["--limit", "1", "--tag", "data-model"], ["payments.md"]),
    ],
)
def test_search_filters(shop: Shop, filters: list[str], expected: list[str]) -> None:
    """Tags must all be there, an importance is the least, dates are about what was last stated."""
    assert sorted(found(shop, "checkout discount", *filters)) == expected


def test_search_stops_at_its_limit(shop: Shop) -> None:
    """The best remain."""
    everything = found(shop, "checkout discount")
    assert found(shop, "checkout discount", "--limit", "2") == everything[:2]


def test_search_finds_retired_memories_and_none_whose_text_is_gone(shop: Shop) -> None:
    """Retired is still history; purged is not."""
    shop.run("deprecate", "Discounts", "--reason", "Old.")
    assert found(shop, "accountant") == ["discounts.md"]
    shop.run("forget", "Discounts", "--purge", "--yes")
    assert found(shop, "accountant") == []


# ------------------------------------------------------------ why and replay


def test_why_tells_of_the_latest_injection(shop: Shop) -> None:
    """The task, who has it, each memory with the sum of its score, and what matched."""
    shop.run("inject", ELSEWHERE)
    shop.run("inject", TASK, "--agent", "bob")
    lines = shop.run("why").stdout.splitlines()
    assert re.fullmatch(r"receipt \d{8}-\d{6}-[0-9a-f]{8} of \S+Z by bob", lines[0])
    assert lines[1] == f"task {TASK}"
    assert re.fullmatch(
        r"  discounts\.md  chosen: score [\d.]+ = importance 25 \+ .*discoverer 10 \+ match [\d.]+", lines[2]
    )
    assert lines[3].strip().startswith("close: pattern: When working on discounts or vouchers")


def test_why_tells_that_nothing_was_injected(shop: Shop) -> None:
    """With what came closest, and the reason."""
    shop.run("inject", ELSEWHERE)
    text = shop.run("why").stdout
    assert "nothing was injected" in text
    assert "payments.md  too little of the task" in text


def test_why_tells_of_one_memory(shop: Shop) -> None:
    """By title or file, chosen or left out."""
    shop.run("inject", TASK, "--limit", "1")
    assert "left out: 1\n  payments.md  only 1" in shop.run("why", "Payments").stdout
    assert "discounts.md  chosen: score" in shop.run("why", "discounts").stdout
    assert "payments.md" not in shop.run("why", "discounts").stdout


def test_why_tells_of_one_memory_that_hardly_matched(shop: Shop) -> None:
    """Who asks about it is told, although it is only counted beside others."""
    shop.put("queue.md", file_text("Queue", QUEUE[0], **QUEUE[1]))
    shop.run("inject", TASK)
    assert "queue.md" not in shop.run("why").stdout
    assert "  queue.md  hardly a match, and one of low importance needs exact" in shop.run("why", "Queue").stdout


def test_why_has_one_shape_as_json(shop: Shop) -> None:
    """The receipt, of which a name leaves only what is about that memory."""
    shop.run("inject", TASK, "--limit", "1")
    whole, of_one, of_another = (shop.json("why", *names) for names in ([], ["Payments"], ["Discounts"]))
    assert [entry["file"] for entry in of_one["leftOut"]] == ["payments.md"]
    assert [entry["file"] for entry in of_another["memories"]] == ["discounts.md"]
    assert (of_one["memories"], of_another["leftOut"]) == ([], [])
    assert whole == {**of_one, "memories": of_another["memories"], "leftOut": whole["leftOut"]}


def test_why_tells_that_a_memory_was_not_considered(shop: Shop) -> None:
    """It shares nothing with the task, which is an answer too."""
    shop.run("inject", TASK)
    assert "templates.md was not considered" in shop.run("why", "Templates").stdout
    about = shop.json("why", "Templates")
    assert (about["memories"], about["leftOut"]) == ([], [])


def test_why_does_not_say_more_than_the_receipt_knows(shop: Shop) -> None:
    """Of many memories only the best are kept; that one of the others was not considered is not known."""
    for number in range(70):
        shop.put(f"m{number}.md", file_text(f"M {number}", f"Text {number}.", whenToUse="zorp"))
    kept = {entry["file"] for entry in latest_of(shop, "zorp")["memories"] + latest(shop)["leftOut"]}
    name = next(name for name in (f"m{number}.md" for number in range(70)) if name not in kept)
    more = latest(shop)["more"]
    assert f"{name} was not injected: the receipt has only the best 50 of {50 + more} " in shop.run("why", name).stdout
    assert f"left out: {50 + more}\n" in shop.run("why").stdout


def test_why_tells_that_a_memory_is_newer_than_the_receipt(shop: Shop) -> None:
    """It matches, and could not have been considered."""
    shop.run("inject", TASK)
    shop.put("new.md", file_text("New", "A voucher.", whenToUse="voucher", discoveredAt="2099-01-01T00:00:00Z"))
    assert "new.md is newer: it is of 2099-01-01T00:00:00Z" in shop.run("why", "new").stdout


@pytest.mark.parametrize("ref", ["discounts.md", "discounts", "Discounts"])
def test_why_tells_of_a_memory_that_was_deleted_since(shop: Shop, ref: str) -> None:
    """The receipt still has it."""
    shop.run("inject", TASK)
    (shop.memories / "discounts.md").unlink()
    assert "discounts.md  chosen: score" in shop.run("why", ref).stdout


def test_why_says_whose_memory_it_is(shop: Shop, tmp_path: Path) -> None:
    """Two files of one name are two memories."""
    memories = tmp_path / "home" / "memories"
    memories.mkdir(parents=True)
    (memories / "payments.md").write_text(file_text("Mine", "Ask before you pay.", whenToUse="price"))
    (memories / "mine.md").write_text(file_text("Mine too", "Vouchers have eight letters.", whenToUse="voucher"))
    shop.run("inject", TASK)
    of_both = shop.run("why", "payments").stdout
    assert re.findall(r"^  payments\.md( \(user library\))?  ", of_both, re.MULTILINE).count(" (user library)") == 1
    assert "mine.md (user library)  chosen: score" in shop.run("why", "mine").stdout


def test_why_names_the_moment_that_was_asked_for(shop: Shop) -> None:
    """And the latest is what was asked last, whatever moment it asked for."""
    shop.run("inject", ELSEWHERE)
    shop.run("inject", TASK, "--as-of", "2026-02-01")
    first, second = shop.run("why").stdout.splitlines()[:2]
    assert first.endswith("Z, as of 2026-02-01T23:59:59Z")
    assert second == f"task {TASK}"


def test_why_tells_of_an_earlier_injection(shop: Shop) -> None:
    """By the id that was printed then."""
    receipt = shop.json("inject", TASK)["receipt"]
    shop.run("inject", ELSEWHERE)
    assert latest(shop)["id"] != receipt
    assert shop.run("why", "--receipt", receipt).stdout.splitlines()[1] == f"task {TASK}"
    assert shop.json("why", "Payments", "--receipt", receipt)["id"] == receipt


@pytest.mark.parametrize(
    "words",
    [
        ["why"],
        ["replay"],
        ["why", "--receipt", UNKNOWN],
        ["why", "--receipt", "../x"],
        ["replay", UNKNOWN],
        ["replay", ""],
    ],
)
def test_a_receipt_that_is_not_there_is_an_error_with_a_hint(shop: Shop, words: list[str]) -> None:
    """Also before the first injection, when there is none at all."""
    result = shop.run(*words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert re.match(r"rawko: (there is no receipt|nothing was injected here yet).*\n  hint: ", result.stderr)
    assert shop.json(*words)["error"]["kind"] == "ReceiptNotFound"


def test_why_of_a_memory_that_is_not_there_suggests_one(shop: Shop) -> None:
    """As every command that takes a name."""
    shop.run("inject", TASK)
    result = shop.run("why", "paymets")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "it could be payments.md" in result.stderr


def test_replay_prints_nothing_where_nothing_was_injected(shop: Shop) -> None:
    """As `inject` did."""
    result = shop.run("replay", latest_of(shop, ELSEWHERE)["id"])
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "rawko: nothing was injected\n")


def test_replay_says_that_the_library_of_the_user_is_not_there(shop: Shop, tmp_path: Path) -> None:
    """Nothing was edited: it is elsewhere."""
    memories = tmp_path / "home" / "memories"
    memories.mkdir(parents=True)
    (memories / "mine.md").write_text(file_text("Mine", "Vouchers have eight letters.", whenToUse="voucher"))
    receipt = latest_of(shop, TASK)["id"]
    memories.rename(tmp_path / "elsewhere")
    assert "mine.md is of the user library, which is not there" in shop.run("replay", receipt).stderr


def test_replay_prints_the_same_bytes(shop: Shop) -> None:
    """Also after an update: it is worded from what the file held then."""
    block = shop.run("inject", TASK).stdout
    receipt = latest(shop)["id"]
    shop.run("update", "Payments", "--content", "Refunds too.")
    assert shop.run("replay", receipt).stdout == block
    assert shop.json("replay", receipt) == {"receipt": receipt, "block": block}
    assert shop.run("inject", TASK).stdout != block


@pytest.mark.usefixtures("shop")
def test_a_task_that_is_not_utf8_is_read_as_far_as_it_can_be() -> None:
    """A log that was cut in the middle of a letter is no reason to do without memories."""
    for more in ([], ["--"]):
        done = subprocess.run(
            [*RAWKO, "inject", *more, "-"], input=TASK.encode() + b"\xff", capture_output=True, check=False
        )
        assert (done.returncode, b"### Payments" in done.stdout) == (0, True)


@pytest.mark.usefixtures("shop")
def test_a_closed_input_is_an_error_with_a_hint() -> None:
    """`rawko inject - <&-` has no task, and says so."""
    done = subprocess.run(["sh", "-c", '"$@" <&-', "sh", *RAWKO, "inject", "-"], capture_output=True, check=False)
    said = b"rawko: standard input is closed\n  hint: give the task as an argument\n"
    assert (done.returncode, done.stderr) == (1, said)


def test_replay_without_an_id_is_that_of_the_latest(shop: Shop) -> None:
    """As `why` is."""
    block = shop.run("inject", TASK).stdout
    assert shop.run("replay").stdout == block


def test_what_found_no_room_is_not_called_unimportant(shop: Shop) -> None:
    """A budget that is too small is what to change, and not the patterns."""
    for little in (["--budget", "5"], ["--limit", "0"]):
        assert "found no room: the budget or the limit is too small" in shop.run("inject", TASK, *little).stderr


def test_search_marks_what_holds_no_longer(shop: Shop) -> None:
    """Whoever finds it must not take it for what holds."""
    shop.run("deprecate", "Payments", "--reason", "We sold it.")
    assert "  Payments (deprecated)  " in shop.run("search", "payments").stdout
    assert shop.json("search", "payments")["found"][0]["status"] == "deprecated"


def test_a_filter_that_excludes_everything_is_named(shop: Shop) -> None:
    """The words are there, so that is not what to say."""
    assert (
        shop.run("search", "payments", "--agent", "nobody").stderr
        == "rawko: nothing with these filters has these words\n"
    )


def test_replay_of_nothing_prints_nothing(shop: Shop) -> None:
    """An injection that chose nothing is replayed as that."""
    receipt = shop.json("inject", ELSEWHERE)["receipt"]
    result = shop.run("replay", receipt)
    assert (result.exit_code, result.stdout.strip()) == (0, "")


def test_replay_does_not_guess(shop: Shop) -> None:
    """A file that was edited since is named, and no block is printed."""
    receipt = shop.json("inject", TASK)["receipt"]
    path = shop.memories / "payments.md"
    path.write_text(path.read_text().replace("integer", "whole"))
    result = shop.run("replay", receipt)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("rawko: payments.md is not what it was then\n  hint: ")


def test_a_purged_text_is_gone_from_the_receipts(shop: Shop) -> None:
    """What must not be kept is not kept in a task either."""
    shop.run("inject", "Replace hunter2 in the invoice of a payment")
    shop.run("update", "Payments", "--content", "The key is hunter2.")
    shop.run("forget", "Payments", "--purge", "--yes", "--text", "hunter2")
    kept = "".join(path.read_text() for path in (shop.folder / ".rawko" / "receipts").iterdir())
    assert kept
    assert "hunter2" not in kept


# ------------------------------------------------------------ index and patterns


def test_index_says_what_is_in_it(shop: Shop) -> None:
    """Counts and a size, for people."""
    assert re.fullmatch(r"4 memories, \d+ terms, \d+ patterns, [\d,]+ bytes\n", shop.run("index").stdout)


def test_index_names_what_could_not_be_read(shop: Shop) -> None:
    """The others are in it, and it is no failure."""
    shop.put("broken.md", file_text(importance="urgent"))
    result = shop.run("index")
    assert result.exit_code == 0
    assert "`importance` is 'urgent'" in result.stdout
    assert [one["file"] for one in shop.json("index")["unreadable"]] == ["broken.md"]


def test_index_says_in_which_line_as_documented(shop: Shop) -> None:
    """The file is named beside the reason, so the reason has the line alone."""
    shop.put("broken.md", file_text(importance="urgent"))
    reasons = [one["unreadable"][0]["reason"] for one in (shop.json("index"), documented("rawko index"))]
    assert [re.sub(r"\d+", "N", reason) for reason in reasons] == ["line N: `importance` is 'urgent'"] * 2


@pytest.mark.parametrize("words", [["index"], ["index", "--rebuild"], ["search", "accountant"]])
def test_a_damaged_index_is_built_again(shop: Shop, words: list[str]) -> None:
    """Whatever somebody did to it, the answer is the same."""
    shop.run("index")
    (shop.folder / ".rawko" / ".cache" / "index.sqlite").write_bytes(b"not a database" * 1000)
    assert shop.run(*words).exit_code == 0
    assert found(shop, "accountant") == ["discounts.md"]


def test_explain_pattern_shows_how_each_alternative_is_read(shop: Shop) -> None:
    """One line each, with its kind."""
    assert shop.run("explain-pattern", "auth|social.*auth|When adding a login").stdout.splitlines() == [
        'auth  literal: matches a text with "auth" in it, also inside a word',
        'social.*auth  wildcard: matches a text with "social", later "auth"',
        "When adding a login  phrase: matches its own text, or a task that is about login",
        "    words: login",
    ]


def test_explain_pattern_warns_about_what_is_doubtful(shop: Shop) -> None:
    """O7: a dead alternative is told, with what to do."""
    assert "warning: an empty alternative matches nothing (" in shop.run("explain-pattern", "auth|").stdout


def test_explain_pattern_tries_a_task(shop: Shop) -> None:
    """Whether each alternative hits it, and how strongly; an agent is named by a whole word."""
    words = ["explain-pattern", "auth|tester", "--task", "Fix OAuth", "--agent", "tester"]
    assert [one["strength"] for one in shop.json(*words)["alternatives"]] == ["exact", "exact"]
    assert [one["strength"] for one in shop.json(*words[:-2])["alternatives"]] == ["exact", None]
    assert "does not hit" in shop.run(*words[:-2]).stdout


def test_explain_pattern_needs_no_library(shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever writes a pattern may be anywhere."""
    monkeypatch.chdir(tmp_path)
    assert shop.run("explain-pattern", "auth").exit_code == 0


# ------------------------------------------------------------ what all of them share


@pytest.mark.parametrize(
    "words",
    [
        ["inject"],
        ["inject", TASK, "--limit", "-1"],
        ["inject", TASK, "--budget", "many"],
        ["inject", TASK, "--min-importance", "huge"],
        ["search"],
        ["search", "x", "--limit", "0"],
        ["search", "x", "--importance", "huge"],
        ["explain-pattern"],
        ["index", "extra"],
    ],
)
def test_misuse_is_2(shop: Shop, words: list[str]) -> None:
    """With the way to the help."""
    result = shop.run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"  hint: see `rawko {words[0]} --help`" in result.stderr


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["inject", TASK, "--without", "nope"], "MemoryNotFound"),
        (["inject", TASK, "--as-of", "gestern"], "InvalidTask"),
        (["search", "x", "--since", "gestern"], "InvalidTask"),
        (["why", "nope"], "ReceiptNotFound"),
        (["inject", TASK, "--library", "/nowhere"], "LibraryNotFound"),
    ],
)
def test_failure_is_1(shop: Shop, words: list[str], kind: str) -> None:
    """A message and a hint on standard error, and with --json the same on standard output."""
    result = shop.run(*words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert re.match(r"rawko: .+\n  hint: .+\n", result.stderr)
    assert re.fullmatch(kind, shop.json(*words)["error"]["kind"])


@pytest.mark.parametrize(
    "command",
    [
        f"inject {TASK} --limit 2",
        "search checkout",
        "why",
        "why Payments",
        "explain-pattern auth|add|When fixing security --task Fix OAuth",
        "index",
    ],
)
def test_the_documented_json_is_what_is_printed(shop: Shop, command: str) -> None:
    """The same keys, the same kinds of values, all the way down."""
    shop.put("broken.md", file_text(importance="urgent"))
    shop.run("inject", TASK, "--limit", "2")
    flags = re.split(r" (?=--)", command)
    words = [*flags[0].split(" ", 1), *(word for flag in flags[1:] for word in flag.split(" ", 1))]
    printed = shop.json(*words)
    if words[0] == "inject":
        [unread] = [entry for entry in printed["leftOut"] if entry["file"] == "broken.md"]
        assert unread["parts"] == {}
        unread["parts"] = printed["memories"][0]["parts"]
    assert differences(documented(f"rawko {words[0]}"), printed) == []


def test_the_documented_json_of_a_replay_is_what_is_printed(shop: Shop) -> None:
    """The receipt and the block."""
    receipt = shop.json("inject", TASK)["receipt"]
    assert differences(documented("rawko replay"), shop.json("replay", receipt)) == []


@pytest.fixture
def hostile(shop: Shop) -> Shop:
    """A library with a memory that has every invisible character in every field."""
    fields = {"title": escaped(f"Voucher {PAYLOAD}"), "whenToUse": escaped(f"voucher|{PAYLOAD}")}
    text = file_text(
        body=f"The voucher {PAYLOAD.replace(chr(0), '')} is hidden.", discoveredBy=escaped(PAYLOAD), **fields
    )
    shop.put("hostile.md", text)
    return shop


@pytest.mark.parametrize(
    "words",
    [
        ["inject", f"{TASK} {PAYLOAD[1:]}"],
        ["inject", TASK, "--explain"],
        ["search", f"voucher {PAYLOAD[1:]}"],
        ["why"],
        ["why", "hostile"],
        ["explain-pattern", f"voucher|{PAYLOAD[1:]}", "--task", PAYLOAD[1:]],
        ["replay", PAYLOAD[1:]],
    ],
)
def test_nothing_invisible_is_printed(hostile: Shop, words: list[str]) -> None:
    """Whatever a memory, a task or a flag contains, no terminal gets it as it is."""
    hostile.run("inject", f"{TASK} {PAYLOAD}", "--agent", "ada\u202e")
    result = hostile.run(*words)
    assert "Z" in result.stdout + result.stderr or words[0] in {"inject", "why"}
    assert [char for char in HOSTILE if char in result.stdout + result.stderr] == []


@pytest.mark.usefixtures("hostile")
def test_nothing_invisible_is_printed_on_the_lean_way(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The block is made safe where it is worded, so that a hook cannot forget it."""
    assert lean.inject([TASK]) == 0
    printed = capfdbinary.readouterr().out.decode()
    assert "Voucher" in printed
    assert [char for char in HOSTILE if char in printed] == []
