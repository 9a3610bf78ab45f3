"""The pages say what is so: every example runs and prints what is shown, every public thing is described.

What a page may count on:

- ```python blocks run in order in one namespace, ```console blocks line by line, all in one new folder per page;
- a line that begins with `$ ` is a command, a line `> ` after it goes on with it, the lines up to the next command are
  what it prints, standard output and error together;
- a ```text block after a ```python block is what that block prints;
- a line that is only `...` stands for any number of lines, a `...` inside a line for any text;
- a date stands for any date, a time for any time, an `"id"`, `"sum"` or `"lines"` for any other;
- the folder is called `/home/you/project` on every page;
- any other fence (```sh, ```markdown, ```yaml) is only shown.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

import rawko
from rawko.store import codec, frontmatter, scan
from rawko.store.config import _KEYS as SETTINGS
from rawko.values.errors import RawkoError
from rawko.values.memory import UPDATE_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
MADE_UP = "/home/you/project"
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_MAY_DIFFER = (
    (re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z"), "<time>"),
    (re.compile(r"\d{4}-\d{2}-\d{2}"), "<date>"),
    (re.compile(r'"(id|sum|lines)": "[0-9a-f]*"'), r'"\1": "<\1>"'),
)


class Block(NamedTuple):
    """One fenced block of a page."""

    language: str
    text: str
    line: int


def each_page(pages: list[Path]) -> pytest.MarkDecorator:
    """Run a test for each page, under the page's name."""
    return pytest.mark.parametrize("page", pages, ids=lambda page: page.relative_to(ROOT).as_posix())


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text()
    return [Block(found[1], found[2], text.count("\n", 0, found.start()) + 1) for found in _FENCE.finditer(text)]


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return _FENCE.sub("", page.read_text())


# ---------------------------------------------------------------- examples


class Folder:
    """Where the examples of one page run: a folder of its own, which `cd` in a console block may leave."""

    def __init__(self, path: Path) -> None:
        self.root = path
        self.here = str(path)

    def shell(self, command: str) -> str:
        """What a command prints, standard output and error together."""
        script = f'{command}\nprintf "\\0%s" "$PWD"'
        with subprocess.Popen(
            ["bash", "-c", script],
            cwd=self.here,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as run:
            printed, _, self.here = run.communicate()[0].rpartition("\0")
        return printed

    def python(self, source: str, namespace: dict[str, object], name: str) -> str:
        """What a piece of Python prints."""
        printed = io.StringIO()
        with contextlib.chdir(self.here), contextlib.redirect_stdout(printed):
            exec(compile(source, name, "exec", dont_inherit=True), namespace)
        return printed.getvalue()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """A folder like that of somebody who has just installed rawko."""
    path = tmp_path / "project"
    path.mkdir()
    scripts = os.path.dirname(sys.executable)
    for name in [name for name in os.environ if name.startswith(("RAWKO_", "GIT_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", f"{scripts}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "100")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "you")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "you@example.org")
    return Folder(path)


@each_page([page for page in PAGES if any(block.language in ("python", "console") for block in blocks(page))])
def test_the_examples_of_a_page_run_and_print_what_is_shown(page: Path, folder: Folder) -> None:
    """Somebody who types what a page shows sees what the page shows."""
    namespace: dict[str, object] = {"__name__": "example"}
    printed = None
    for block in blocks(page):
        if block.language == "console":
            run_console(block, folder, page)
        elif block.language == "python":
            printed = folder.python("\n" * block.line + block.text, namespace, str(page))
        elif block.language == "text" and printed is not None:
            check(block.text, printed, folder, f"{page.name}:{block.line}")
            printed = None


def run_console(block: Block, folder: Folder, page: Path) -> None:
    """Run the commands of a block, and compare what each prints with what is shown."""
    for command, shown in commands(block.text):
        check(shown, folder.shell(command), folder, f"{page.name}:{block.line}: $ {command}")


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with what is shown under it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        first, *rest = part.splitlines()
        more = [line[2:] for line in rest if line.startswith("> ")]
        yield "\n".join([first, *more]), "\n".join(line for line in rest if not line.startswith("> "))


def check(shown: str, printed: str, folder: Folder, place: str) -> None:
    """Fail with both texts where they differ."""
    actual = settled(printed.replace(str(folder.root), MADE_UP))
    if not matches(settled(shown), actual):
        pytest.fail(f"{place}\nshown:\n{shown}\nprinted:\n{printed}", pytrace=False)


def settled(text: str) -> str:
    """The text without what differs from day to day."""
    for pattern, placeholder in _MAY_DIFFER:
        text = pattern.sub(placeholder, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def matches(shown: str, printed: str) -> bool:
    """Whether what is shown stands for what was printed."""
    lines = [r"(?:.*\n)*?" if line == "..." else f"{_line_pattern(line)}\n" for line in shown.splitlines()]
    return re.fullmatch("".join(lines), f"{printed}\n" if printed else "") is not None


def _line_pattern(line: str) -> str:
    return ".*".join(map(re.escape, line.split("...")))


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb", "a\nb", True),
        ("a\n...\nd", "a\nb\nc\nd", True),
        ("a ... c", "a b c", True),
        ("on 2026-01-23", "on 2031-12-01", True),
        ("a", "b", False),
        ("a\n...", "b\nc", False),
        ("a", "a\nb", False),
        ("", "something", False),
    ],
)
def test_an_example_that_shows_something_else_is_noticed(shown: str, printed: str, same: bool) -> None:
    """The comparison is not so lenient that it lets everything through."""
    assert matches(settled(shown), settled(printed)) is same


# ---------------------------------------------------------------- everything public is described


def headings(page: Path) -> list[str]:
    """The headings of a page, in order."""
    return re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)


API = ROOT / "docs" / "api.md"
FORMAT = ROOT / "docs" / "file-format.md"
METHODS = sorted(name for name, value in inspect.getmembers(rawko.Library) if callable(value) and name[0] != "_")


@pytest.mark.parametrize("name", rawko.__all__)
def test_every_public_name_is_described(name: str) -> None:
    """Each name that can be imported has a heading of its own in the API page."""
    assert any(f"`{name}`" in heading or f"`rawko.{name}" in heading for heading in headings(API))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_of_a_library_is_described(name: str) -> None:
    """Each method has a heading with its signature, and the signature names every parameter."""
    heading = next((heading for heading in headings(API) if f"`library.{name}(" in heading), "")
    assert heading, f"docs/api.md has no heading for library.{name}"
    parameters = [
        parameter for parameter in inspect.signature(getattr(rawko.Library, name)).parameters if parameter != "self"
    ]
    assert [parameter for parameter in parameters if not re.search(rf"\b{parameter}\b", heading)] == []


def test_the_error_tree_is_shown_whole() -> None:
    """The tree on the API page is the tree in the code."""

    def tree(error: type[RawkoError]) -> Iterator[str]:
        yield error.__name__
        for kind in error.__subclasses__():
            yield from tree(kind)

    drawn = next(block.text for block in blocks(API) if block.text.startswith("RawkoError"))
    ours = {name for name in tree(RawkoError) if name in rawko.__all__}
    assert set(re.findall(r"(\w+)(?: {2,}|$)", drawn, re.MULTILINE)) >= ours


@pytest.mark.parametrize("key", sorted(codec._KNOWN_KEYS))
def test_every_frontmatter_key_is_described(key: str) -> None:
    """Each key that is read has a row in a table of the file format."""
    assert f"| `{key}` |" in FORMAT.read_text()


@pytest.mark.parametrize("key", ["id", "at", "by", "kind", "in", "replacedBy", "sum", "lines"])
def test_every_key_of_the_comment_line_is_described(key: str) -> None:
    """Each key that only an update has, has a row as well."""
    assert f"| `{key}` |" in FORMAT.read_text()


@pytest.mark.parametrize("kind", UPDATE_KINDS)
def test_every_kind_of_update_is_described(kind: str) -> None:
    """Each kind has a row that says what it does to the status."""
    assert f"| `{kind}` |" in FORMAT.read_text()


def test_the_limits_on_the_page_are_the_limits_in_the_code() -> None:
    """What the page says is read is what is read."""
    text = FORMAT.read_text()
    assert f"{codec.MAX_BYTES // 1024 // 1024} MiB" in text
    assert f"{frontmatter.MAX_BYTES // 1024} KB" in text
    assert f"| nesting in the frontmatter | {frontmatter.MAX_DEPTH} |" in text
    assert f"| nesting of folders | {scan.MAX_DEPTH} |" in text


@pytest.mark.parametrize("key", sorted(SETTINGS))
def test_every_setting_is_described(key: str) -> None:
    """Each key of config.yaml has a row in a table."""
    assert f"| `{key}` |" in (ROOT / "docs" / "library-layout.md").read_text()


# ---------------------------------------------------------------- the pages hang together


@each_page(PAGES)
def test_every_link_leads_somewhere(page: Path) -> None:
    """A link to a page of ours names a file that is there, and a heading that is in it."""
    ours = [link for link in _LINK.findall(prose(page)) if "://" not in link]
    assert [link for link in ours if not _is_there(page, link)] == []


def _is_there(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return target.exists() and (not anchor or anchor in map(_anchor, headings(target)))


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@each_page([page for page in PAGES if page.parent.name == "docs"])
def test_every_page_can_be_reached(page: Path) -> None:
    """A reader who starts at the README finds every page."""
    assert f"docs/{page.name}" in (ROOT / "README.md").read_text()


@each_page([page for page in PAGES if page.parent.name == "decisions"])
def test_a_decision_says_what_was_weighed(page: Path) -> None:
    """A decision record has a number of its own, and says what was asked, chosen and given up."""
    number = page.name[:4]
    assert len(list(page.parent.glob(f"{number}-*.md"))) == 1
    assert headings(page)[0].startswith(f"{number}: ")
    assert headings(page)[1:] == ["The question", "The decision", "What follows"]


@each_page(PAGES)
def test_a_page_keeps_to_the_house_style(page: Path) -> None:
    """No em dashes, no marketing, no place on somebody's disk."""
    text = page.read_text()
    places = re.findall(r"/(?:tmp|root|work)/", text)
    marketing = re.findall(r"\u2014|\b(?:blazing|seamless|effortless|powerful|cutting-edge|simply)\w*", text)
    assert places + marketing == []


@each_page([ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
def test_every_make_target_that_is_named_exists(page: Path) -> None:
    """`make demo` and the others do something."""
    named = set(re.findall(r"\bmake ([a-z]+)\b(?=`|\s*(?:#|$))", page.read_text(), re.MULTILINE)) - {
        "redis",
        "services",
    }
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert named <= targets
    assert named
