"""The house is in order: imports go down, public names are one list, names are ours, nothing grows too large."""

from __future__ import annotations

import ast
import importlib
import re
import statistics
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import rawko

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(rawko.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
ROOMS = ["values", "store", "recall", "learn", "library", "run", "clients"]
"""From the ground up. A room may import itself and what is below it; `testing` stands on the library."""
_BESIDE = {"testing": "library", "__init__": "library", "__main__": "clients"}
_PURE = {"os", "io", "sys", "time", "socket", "subprocess", "threading", "pathlib", "shutil", "tempfile", "sqlite3"}
_NOT_OURS = ("Manager", "Service", "Handler", "Helper", "Util", "Utils", "Factory", "Base")


def each_module(modules: list[Path] = MODULES) -> pytest.MarkDecorator:
    """Run a test for each module, under the module's name."""
    return pytest.mark.parametrize("module", modules, ids=lambda path: path.relative_to(SOURCE).as_posix())


def room_of(name: str) -> str:
    """The room of a module, given as `rawko.store.codec` or as `store/codec.py`."""
    part = re.sub(r"^rawko(\.|$)", "", name.replace("/", ".").removesuffix(".py")).split(".")[0] or "__init__"
    return _BESIDE.get(part, part)


def imports(tree: ast.AST, *, late: bool = True) -> Iterator[str]:
    """The modules that a module imports; with `late`, those inside functions and for types alone as well."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (_existing(f"{node.module}.{alias.name}") or str(node.module) for alias in node.names)
        elif late or not (_is_for_types(node) or isinstance(node, ast.FunctionDef)):
            yield from imports(node, late=late)


def _existing(name: str) -> str:
    """The name, if there is a module of ours called so."""
    path = SOURCE.parent / name.replace(".", "/")
    return name if path.with_suffix(".py").is_file() or (path / "__init__.py").is_file() else ""


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def parsed(module: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(module.read_text())


def climbing(room: str, tree: ast.AST) -> list[str]:
    """The imports that go up from a room."""
    ours = [name for name in imports(tree) if name.split(".")[0] == "rawko" and name != "rawko"]
    return [name for name in ours if ROOMS.index(room_of(name)) > ROOMS.index(room)]


@each_module()
def test_imports_only_go_down(module: Path) -> None:
    """No module imports from a room above its own, not even late or for a type."""
    assert climbing(room_of(module.relative_to(SOURCE).as_posix()), parsed(module)) == []


@pytest.mark.parametrize(
    "line",
    ["from rawko.clients import cli", "import rawko.library", "def f():\n    from rawko.library import Library"],
)
def test_an_import_that_goes_up_is_noticed(line: str) -> None:
    """The check sees every spelling of an import."""
    assert climbing("store", ast.parse(line)) != []


def test_there_are_no_cycles() -> None:
    """Modules can be put into an order in which each only needs those before it."""
    needs = {_name(module): set(imports(parsed(module), late=False)) for module in MODULES}
    while free := [name for name, wanted in needs.items() if not wanted & needs.keys() - {name}]:
        for name in free:
            del needs[name]
    assert needs == {}


def _name(module: Path) -> str:
    parts = module.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@each_module([module for module in MODULES if room_of(module.relative_to(SOURCE).as_posix()) == "values"])
def test_values_touch_nothing(module: Path) -> None:
    """No value knows a disk, a clock, an environment or a process."""
    assert {name.split(".")[0] for name in imports(parsed(module))} & _PURE == set()


@each_module()
def test_the_environment_is_read_in_one_place(module: Path) -> None:
    """Only the library reads the environment and asks what time it is."""
    asked = re.findall(r"os\.environ|os\.getenv|expanduser|datetime\.now|\.today\(", module.read_text())
    assert asked == [] or module.name == "library.py"


@each_module()
def test_only_the_output_prints(module: Path) -> None:
    """Whatever reaches a terminal goes through the one place that escapes it."""
    prints = re.findall(r"\bprint\(|click\.s?echo\(|sys\.std(?:out|err)\.write", module.read_text())
    assert prints == [] or module.name == "output.py"


def test_the_public_names_are_one_sorted_list() -> None:
    """Everything that is public is listed once, in order, with its home."""
    assert sorted(rawko.__all__) == rawko.__all__
    assert list(rawko._HOMES) == rawko.__all__
    assert dir(rawko) == sorted([*rawko.__all__, "__version__"])


@pytest.mark.parametrize("name", rawko.__all__)
def test_every_public_name_is_what_its_home_calls_so(name: str) -> None:
    """A public name is the same object wherever it is imported from, and says what it is for."""
    value = getattr(rawko, name)
    assert value is getattr(importlib.import_module(rawko._HOMES[name]), name)
    assert value.__doc__


def test_type_checkers_see_the_same_names() -> None:
    """What is listed for type checkers is what is there at run time."""
    block = next(node for node in parsed(SOURCE / "__init__.py").body if _is_for_types(node))
    imported = [node for node in ast.walk(block) if isinstance(node, ast.ImportFrom) and node.module != "typing"]
    assert sorted(alias.name for node in imported for alias in node.names) == rawko.__all__


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    """A misspelt name fails as in any module."""
    with pytest.raises(AttributeError, match="no attribute 'opne'"):
        rawko.opne  # noqa: B018 - looking it up is the test


@each_module()
def test_classes_are_named_for_what_they_are(module: Path) -> None:
    """No class is a manager, a helper or the like."""
    names = [node.name for node in ast.walk(parsed(module)) if isinstance(node, ast.ClassDef)]
    assert [name for name in names if name.endswith(_NOT_OURS) and name != "MemoryManager"] == []


@each_module()
def test_every_lint_exception_says_why(module: Path) -> None:
    """A `noqa` without a reason is not accepted."""
    exceptions = re.findall(r"#\s*(?:noqa|type: ignore)[^\n]*", module.read_text())
    assert [found for found in exceptions if " - " not in found] == []


def lengths() -> list[int]:
    """The lines of every function, without its docstring."""
    functions = (node for module in MODULES for node in ast.walk(parsed(module)) if isinstance(node, ast.FunctionDef))
    return [_length(function) for function in functions]


def _length(function: ast.FunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_functions_are_short() -> None:
    """Most functions are a few lines, and none needs scrolling."""
    found = lengths()
    assert statistics.median(found) <= 6
    assert statistics.quantiles(found, n=20)[-1] <= 28
    assert max(found) <= 45


@each_module()
def test_no_module_is_too_long_to_read(module: Path) -> None:
    """A module that grows beyond this has a second reason to exist."""
    assert module.read_text().count("\n") <= 450
