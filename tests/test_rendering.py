from __future__ import annotations

from datetime import UTC, datetime, timedelta
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rawko.recall.body import SUMMARY, Body, body_of
from rawko.recall.rendering import FENCE, HEADING, blocks, safe_line
from rawko.values.memory import UPDATE_KINDS, Memory, Update
from rawko.values.text import visible
from rawko.values.tokens import tokens

DAY = datetime(2026, 1, 23, 10, 30, tzinfo=UTC)
POINTER = ".rawko/memories/x.md"
REST = f"... (the rest is in {POINTER})"


def shown(text: str) -> str:
    """A text as it stands in a prompt, uncut."""
    return Body(blocks(text)).text


def memory(body: str, *updates: Update, title: str = "Salt rounds") -> Memory:
    """A memory that states something, and later something else."""
    return Memory("x.md", title, Update(body, DAY, "planner", importance="high"), updates)


def later(days: int, content: str, kind: str = "correction") -> Update:
    """What was said so many days later."""
    return Update(content, DAY + timedelta(days), "developer", kind)


def order(text: str, *words: str) -> list[str]:
    """The words in the order in which a text has them."""
    return sorted(words, key=text.index)


# ---------------------------------------------------------------- the estimate of tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("a" * 7, 2), ("a" * 8, 3), ("界", 1), ("ab界🔥", 3), ("\ud800", 1)],
)
def test_tokens_are_estimated(text: str, expected: int) -> None:
    """O10: 3.5 ASCII characters are a token, rounded up, and every other character is one."""
    assert tokens(text) == expected


@given(st.text(), st.text())
def test_the_parts_never_cost_less_than_the_whole(one: str, other: str) -> None:
    """So that a sum over the parts of a block is enough to stay within a budget."""
    assert tokens(one + other) <= tokens(one) + tokens(other)


# ---------------------------------------------------------------- plain text stays as it is


@pytest.mark.parametrize(
    "text",
    [
        "One paragraph.\nWith two lines.\n\nAnd another.",
        "- a list\n- of `code` and **bold**\n  - nested\n    over two lines\n\n1. one\n2) two",
        "Text right above a fence:\n```sh\n# a comment, not a heading\nmake test\n```\nand right below.",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "> quoted\n> twice",
        "See <https://example.org>, `List<String>`, a < b and #12.",
        "Vec<u8>, Result<Option<T>, E>, std::vector<std::string> and <mailto:me@example.org>; x <- y <= 3 <3",
        "```\n<div>\nList<User> f <| x <|> y\n#include <sys/types.h>\nwhile (i<n-1)\n```",
        "    indented code\n    more of it",
        "`code` first, **bold** next, *emphasis* last: 3 * 4 = 12 - 1",
        "日本語の本文。\n\nكتابة عربية",
        "* star\n+ plus\n- minus",
        "-5 degrees\n--verbose is a flag\n**kwargs\n__init__\n=> arrow",
    ],
)
def test_ordinary_text_is_shown_to_the_byte(text: str) -> None:
    """Nothing is changed that could not be taken for something else."""
    assert shown(text) == text


# ---------------------------------------------------------------- headings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One", "#### One"),
        ("## Two", "##### Two"),
        ("### Three", "###### Three"),
        ("###### Six", "###### Six"),
        ("   # Indented", "#### Indented"),
        ("#\tTab", "#### Tab"),
        ("# Closed ##", "#### Closed"),
        ("# C#", "#### C#"),
        ("#", ""),
        ("## ##", ""),
        ("a\n#\nb", "a\n\nb"),
        ("#NoSpace", "\\#NoSpace"),
        ("#\u00a0No-break space", "\\#\u00a0No-break space"),
        ("\u00a0# Behind a no-break space", "#### Behind a no-break space"),
        ("####### Seven", "\\####### Seven"),
        ("> # Quoted", "> #### Quoted"),
        (">># Twice", ">>#### Twice"),
        ("- # In a list", "- #### In a list"),
        ("1. > * ## Deep", "1. > * ##### Deep"),
        ("-\t# After a tab", "-\t#### After a tab"),
        ("1.  item\n\n    # In its item", "1.  item\n\n    #### In its item"),
        ("One\n===", "#### One"),
        ("Two\n---", "##### Two"),
        ("Two\n  -  ", "##### Two"),
        ("Two\nlines\n---\nmore", "Two\nlines\n\nmore"),
        ("> One\n> ===", "> One"),
        ("- item\n---\nmore", "- item\n\nmore"),
        ("- item\n  ===", "- item"),
    ],
)
def test_a_heading_goes_below_that_of_the_memory(text: str, expected: str) -> None:
    """In every spelling that Markdown or a reader knows, a heading is at level four or deeper, or none."""
    assert shown(text) == expected


@pytest.mark.parametrize("rule", ["---", "***", "___", "- - -", " * * *", "_____", "> ---", "+ ---", "1. ***", "====="])
def test_a_rule_ends_nothing(rule: str) -> None:
    """K14: a rule is a blank line, so that nobody takes it for the end of the section."""
    assert shown(f"- above\n\n{rule}\n\nbelow") == "- above\n\nbelow"


# ---------------------------------------------------------------- fences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```sh\nmake", "```sh\nmake\n```"),
        ("~~~\nmake\n~~~", "```\nmake\n```"),
        ("```\n~~~\n# X", "```\n~~~\n# X\n```"),
        ("````\n```\n# X\n```\n````", "````\n```\n# X\n```\n````"),
        ("~~~~\n`````\n~~~\n~~~~", "``````\n`````\n~~~\n``````"),
        ("``` a`b\n# X", "`` a`b\n\n#### X"),
        ("```one```", "``one``"),
        ("```\n\n```\nafter", "after"),
        ("```js title=`x`\n# X", "``js title=`x`\n\n#### X"),
        ("~~~ a`b c\ncode", "```a\ncode\n```"),
        ("- item\n  ```\n# X\n  ```", "- item\n```\n# X\n```"),
        ("- ```sh\n  make\n  ```\n- next", "```sh\nmake\n```\n- next"),
        ("2. ```\n   make\n   ```", "2.\n```\nmake\n```"),
        ("> ```\n> # code\n# X", "```\n# code\n```\n\n#### X"),
        ("> ```\n> > out\n> ```\n> after", "```\n> out\n```\n> after"),
        ("    ```\n# X", "```\n# X\n```"),
        ("```\n    ```\n# X", "#### X"),
        ("text ```\n# X", "text ```\n\n#### X"),
    ],
)
def test_a_fence_is_closed_and_holds_only_its_code(text: str, expected: str) -> None:
    """K23: every fence stands at the margin, cannot be ended from inside and ends before our text goes on."""
    assert shown(text) == expected


# ---------------------------------------------------------------- HTML, and what cannot be seen


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<!-- hidden", "&lt;!-- hidden"),
        ("text <!-- hidden", "text &lt;!-- hidden"),
        ("<h1>Fake</h1>", "&lt;h1>Fake&lt;/h1>"),
        ("a <H2 class=x>Fake</H2>", "a &lt;H2 class=x>Fake&lt;/H2>"),
        ("<div>\n```\n\n# X", "&lt;div>\n```\n# X\n```"),
        ("- <custom-tag>", "- &lt;custom-tag>"),
        ("<?php", "&lt;?php"),
        ("<![CDATA[", "&lt;![CDATA["),
        ("</details>", "&lt;/details>"),
        ("# <h1>", "#### &lt;h1>"),
        ("<|im_start|>system", "&lt;|im_start|>system"),
        ("foo <div hidden>", "foo &lt;div hidden>"),
        ("<span style='display:none'>", "&lt;span style='display:none'>"),
        ("x <dialog>", "x &lt;dialog>"),
        ("x<div hidden>", "x&lt;div hidden>"),
        ("x<odd style=a>", "x&lt;odd style=a>"),
        ("x<odd\nhidden>", "x&lt;odd\nhidden>"),
        ("<https://x style=a>", "&lt;https://x style=a>"),
        ("`<b>`", "`&lt;b>`"),
        ("a</b>", "a&lt;/b>"),
        ("```\n<h1>in code</h1>\n```", "```\n<h1>in code</h1>\n```"),
    ],
)
def test_html_hides_nothing_and_shows_no_heading(text: str, expected: str) -> None:
    """Raw HTML is text, wherever it stands: it hides nothing, and opens no comment, no block and no heading."""
    assert shown(text) == expected


@pytest.mark.parametrize(
    "tag",
    [
        "<system-reminder>",
        "</system-reminder>",
        "<SYSTEM>",
        "</user>",
        "<human >",
        "<assistant/>",
        "<tool_result id=1>",
        "<function_calls>",
        "<invoke name=x>",
        "<local-command-stdout>",
        "<|im_start|>",
        "<|/system|>",
        "<\uff5cUser\uff5c>",
        "<System-reminder>",
    ],
)
@pytest.mark.parametrize("around", ["a {} b", "`{}`", "x{}", "```\n{}\n```", "```\nx{}\n```", "> - {}"])
def test_no_tag_says_who_speaks(around: str, tag: str) -> None:
    """In code neither: a memory cannot pretend to be the system, the user or the result of a tool."""
    assert shown(around.format(tag)) == around.format(f"&lt;{tag[1:]}")


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\v", "\f", "\x1c", "\x1e"])
def test_no_odd_separator_begins_a_line(separator: str) -> None:
    """What some readers take for a line end is written out before lines are looked at."""
    assert shown(f"text{separator}# X") == visible(f"text{separator}") + "# X"


@pytest.mark.parametrize("text", ["a\r\n# X", "a\r# X", "a\n# X"])
def test_a_carriage_return_is_a_line_end(text: str) -> None:
    """However a caller ends lines, headings are seen."""
    assert shown(text) == "a\n\n#### X"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\u200bb", "a\\u200bb"),
        ("```\n\u202ecode\n```", "```\n\\u202ecode\n```"),
        ("\u200b# X", "\\u200b# X"),
        ("#\u200b X", "\\#\\u200b X"),
        ("❤\ufe0f is fine", "❤\ufe0f is fine"),
        ("x\ufe00\ufe01\ufe02", "x\ufe00\\ufe01\\ufe02"),
        ("\ufe00x", "\\ufe00x"),
        ("a\u034fb\u2800c", "a\\u034fb\\u2800c"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, expected: str) -> None:
    """Text that only a model would see is there for everybody; a selector of an emoji stays."""
    assert shown(text) == expected


def test_a_title_is_one_line() -> None:
    """A title or an author brings no line of its own, nothing invisible, and no HTML that goes on."""
    assert safe_line("A\n## B\u2028 *C*\t<!-- \u202e") == "A ## B *C* &lt;!-- \\u202e"
    assert safe_line("agent <div hidden>") == "agent &lt;div hidden>"


# ---------------------------------------------------------------- what holds, first


def test_one_statement_is_just_its_body() -> None:
    """A memory that was never touched is shown without any label."""
    assert body_of(memory("It is bcrypt.")).text == "It is bcrypt."


def test_the_newest_correction_comes_first() -> None:
    """K15, B8: corrections, newest first, then updates, newest first, then what was stated at first."""
    parts = [
        later(1, "Eleven.", "correction"),
        later(4, "Hashes are long.", "update"),
        later(2, "Twelve.", "correction"),
        later(3, "Salt is random.", "update"),
    ]
    assert body_of(memory("Ten.", *parts)).text == (
        "**Correction (2026-01-25):**\nTwelve.\n\n**Correction (2026-01-24):**\nEleven.\n\n"
        "**Update (2026-01-27):**\nHashes are long.\n\n**Update (2026-01-26):**\nSalt is random.\n\n"
        "**Originally (2026-01-23):**\nTen."
    )


def test_of_two_corrections_at_one_moment_the_later_in_the_file_holds() -> None:
    """The order of the file decides where the time does not."""
    text = body_of(memory("Ten.", later(1, "Eleven."), later(1, "Twelve."))).text
    assert order(text, "Eleven", "Twelve", "Ten") == ["Twelve", "Eleven", "Ten"]


@pytest.mark.parametrize("kind", ["deprecated", "superseded", "restored", "forgotten"])
def test_a_status_is_no_content(kind: str) -> None:
    """Whether a memory holds is not part of what it says."""
    assert body_of(memory("Ten.", later(1, "No longer.", kind))).text == "Ten."


def test_what_a_person_corrected_within_a_body_comes_first() -> None:
    """003: the sections of a correction stand before the finding they correct, the last one first."""
    body = (
        "Intro.\n\n## Original Finding\n\nTen.\n\n## Correction (error)\n\nTwelve.\n\n### How\n\ngrep.\n\n"
        "## Updated Understanding\n\n- 12\n\n## Other\n\nMore."
    )
    text = body_of(memory(body)).text
    found = order(text, "Intro.", "Ten.", "Twelve.", "grep.", "- 12", "More.")
    assert found == ["- 12", "Twelve.", "grep.", "Intro.", "Ten.", "More."]


@pytest.mark.parametrize(
    "heading",
    [
        "## Update",
        "# **Correction**",
        "### 2. Corrected",
        "## Update: rounds",
        "## Correction (Found error in initial discovery)",
        "## Updated Understanding",
        "## Update (2026-01-24)",
        "## Correction 2026-01-24",
        "## Update of 24.01.2026",
        "## Corrections \u2014 rounds",
        "## Corrected - rounds",
        "## Correction to the above",
        "## Correction of the rounds",
        "## **Correction:** rounds",
        "## Update #2",
    ],
)
def test_a_correction_is_known_by_its_heading(heading: str) -> None:
    """However a person marks it up or numbers it."""
    assert body_of(memory(f"Ten.\n\n{heading}\n\nTwelve.")).text.endswith("Twelve.\n\nTen.")


@pytest.mark.parametrize(
    "heading",
    [
        "## Updating",
        "## Update procedure",
        "## Incorrect",
        "## Correction factors for sensors",
        "## Corrected values",
        "## Update of dependencies",
        "## Update 3 packages",
        "## Update-check",
        "```\n## Correction\n```",
    ],
)
def test_other_headings_stay_where_they_are(heading: str) -> None:
    """Nor is code looked at."""
    assert body_of(memory(f"Ten.\n\n{heading}\n\nTwelve.")).text.startswith("Ten.")


@pytest.mark.parametrize(
    "heading", ["# Salt rounds", "## **salt** `Rounds` ##", "Salt Rounds\n===", "# [Salt](x) rounds"]
)
def test_a_heading_that_repeats_the_title_is_left_out(heading: str) -> None:
    """The title is there already, in whatever case and markup; in every statement."""
    assert body_of(memory(f"{heading}\n\nTen.")).text == "Ten."
    assert "ounds" not in body_of(memory("Ten.", later(1, f"{heading}\n\nTwelve."))).text


def test_a_statement_that_says_nothing_is_left_out() -> None:
    """A body of nothing but its title has no label either."""
    assert body_of(memory("# Salt rounds", later(1, "---"))).text == ""


# ---------------------------------------------------------------- cut


def cut(text: str, limit: int, pointer: str = POINTER) -> str:
    """A text within so many characters."""
    found = Body(blocks(text)).cut(limit, pointer)
    assert len(found) <= limit
    return found


def test_what_fits_is_not_cut() -> None:
    """K23: there are no dots where nothing is missing."""
    assert cut("x" * 500, 500) == "x" * 500


def test_a_text_is_cut_at_the_end_of_a_paragraph() -> None:
    """K23: first choice, if it is not too far back."""
    assert cut("One. Two.\n\n" * 20, 100).endswith(f"One. Two.\n\n{REST}")


def test_a_text_is_cut_at_the_end_of_a_sentence() -> None:
    """K23: second choice, in any script."""
    assert cut("This is one. " * 20, 100) == f"This is one. This is one. This is one. This is one. {REST}"
    assert cut("これは文です。" * 40, 100).endswith(f"文です。 {REST}")


def test_a_text_is_cut_at_the_end_of_a_line() -> None:
    """An item of a list or a row of a table is as good as a sentence."""
    assert cut("\n".join(f"- item number {number}" for number in range(40)), 100).endswith(f"- item number 2 {REST}")


def test_a_text_is_cut_at_the_end_of_a_word() -> None:
    """K23: third choice."""
    assert cut("word " * 100, 100) == " ".join(["word"] * 12) + REST


def test_a_text_without_any_end_is_cut_anyway() -> None:
    """Nothing else is left for it."""
    assert cut("x" * 600, 500) == "x" * (500 - len(REST)) + REST


def test_a_short_beginning_is_not_all() -> None:
    """A paragraph end too far back is no reason to show next to nothing."""
    assert len(cut("Short.\n\n" + "Some words here. " * 60, 500)) > 450


def test_a_fence_is_cut_between_lines_and_closed() -> None:
    """K23, C6.2: what is shown of it is whole lines, and the closing fence counts."""
    code = "# comment\nmake something\n"
    assert cut(f"Do:\n\n```sh\n{code * 40}```", 112) == f"Do:\n\n```sh\n{code * 2}```\n{REST}"


@pytest.mark.parametrize("limit", range(60, 140, 4))
def test_a_cut_leaves_no_heading_and_no_fence_without_anything(limit: int) -> None:
    """K23: a heading, a label or a fence at the end would promise what does not come."""
    text = f"{'Some words. ' * 3}\n\n## Heading\n\n### Another\n\n```sh\n{'x' * 40}\n```\n\n## Last\n\n{'More. ' * 99}"
    before = cut(text, limit).removesuffix(REST).rstrip().split("\n")
    assert not before[-1].startswith("#")
    assert before[-2:] != ["```sh", "```"]


def test_a_cut_leaves_no_mark_of_an_item() -> None:
    """Nor does the sign of an item stand there alone."""
    found = {cut(f"One sentence.\n1. {'x' * 900}", limit) for limit in range(60, 90)}
    assert not any(text.removesuffix(REST).rstrip().endswith("1.") for text in found)


def test_a_long_line_of_code_is_not_cut() -> None:
    """Half a command is worse than none."""
    assert cut(f"```\nrm -rf {'x' * 600}\n```", 500) == REST


def test_a_pointer_that_does_not_fit_is_left_out() -> None:
    """The limit holds, whatever the file is called."""
    assert cut("word " * 20, 30, "p" * 100) == "word word word word word..."
    assert cut("word " * 20, 2) == ""
    assert cut("word " * 20, 30, "") == "word word word word word..."


PIECES = st.sampled_from(
    [
        "# H",
        "a\n===",
        "```sh",
        "~~~",
        "    ```",
        "- item",
        "> quoted",
        "1. ",
        "---",
        "",
        "",
        "<!--",
        "word " * 30,
        "A sentence. Another one! " * 5,
        "x" * 300,
        "界" * 50,
        "| a | b |",
        "- ```",
        "> ```",
        "\u200b",
        "## Correction",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=30), max_size=25).map("\n".join)
UPDATES = st.builds(later, st.integers(0, 9), TEXTS, st.sampled_from(UPDATE_KINDS))
MANY = settings(max_examples=10_000 if settings().max_examples > 1000 else 300)
"""As many as the properties of a prompt are tried with: 10,000 under `--full`."""


@MANY
@given(TEXTS, st.lists(UPDATES, max_size=3), st.integers(0, 700), st.sampled_from([POINTER, "", "p" * 90]))
def test_a_cut_is_never_too_long(text: str, updates: list[Update], limit: int, pointer: str) -> None:
    """K23: at most so many characters, the pointer included, and dots only where something is missing."""
    body = body_of(memory(text, *updates))
    found = body.cut(limit, pointer)
    assert len(found) <= limit
    assert (found == body.text) == (len(body.text) <= limit)
    assert found == body.text or "..." in found or limit < 3


@MANY
@given(TEXTS)
def test_what_is_safe_stays_as_it_is(text: str) -> None:
    """Every block says the same when it is read again, but that its headings go deeper: nothing in it is structure."""
    for block in blocks(text):
        once = blocks(block.text)
        assert [found.kind for found in once] == [block.kind]
        assert block.kind == HEADING or once[0].text == block.text


@given(TEXTS)
def test_every_fence_has_code(text: str) -> None:
    """An empty one is not worth its lines."""
    assert all(block.text.split("\n", 1)[1].strip("`\n") for block in blocks(text) if block.kind == FENCE)


@given(TEXTS)
def test_a_summary_is_short(text: str) -> None:
    """A summary is a sentence or a paragraph, and the pointer if that is not all."""
    assert len(Body(blocks(text)).summary(POINTER)) <= SUMMARY + len(f"\n\n{REST}")


def test_a_summary_says_what_holds() -> None:
    """K15: the first sentences of the newest correction, under its label."""
    body = body_of(memory("Ten.", later(1, "## How\n\nIt is twelve. " + "Checked again. " * 30)))
    assert body.summary(POINTER).startswith("**Correction (2026-01-24):**\nIt is twelve. Checked again.")
    assert body.summary(POINTER).endswith(f". {REST}")


def test_there_is_no_summary_of_nothing() -> None:
    """Headings alone say nothing."""
    assert Body(blocks("# One\n\n## Two")).summary(POINTER) == ""


# ---------------------------------------------------------------- bounded time

HOSTILE = {
    "spaces": "x" + " " * 200_000 + "y",
    "heading of spaces": "# Update" + " " * 200_000 + "y",
    "hashes": "# " + "# " * 100_000 + "y",
    "ticks": "`" * 200_000 + " `",
    "quotes": ">" * 200_000 + " # X",
    "quoted fences": (">" * 500 + "```\n") * 400,
    "items": "- " * 100_000 + "x",
    "links": "# " + "](" * 100_000,
    "full stops": "." * 100_000 + '"' * 100_000,
    "tags": "<h" * 100_000,
    "open tags": "x<a " * 50_000,
    "names": "<a" + "_a" * 100_000,
    "tags in code": "```\n" + "<a_" * 60_000 + "\n```",
    "stars": "* " * 100_000 + "x",
    "blank lines": "\n" * 200_000,
    "empty fences": "```\n" * 50_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_takes_long(name: str) -> None:
    """A body of 200 KB made to be slow is read and cut within a second, as any other."""
    began = process_time()
    body_of(memory(HOSTILE[name], later(1, HOSTILE[name]))).cut(500, POINTER)
    assert process_time() - began < 1
