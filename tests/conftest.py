"""What every test shares: the `--full` tier, and a guard that nothing here talks to the network."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import hypothesis
import pytest

from rawko.testing import FixedClock
from samples import open_library

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rawko.library import Library

os.environ.pop("PYTHONUNBUFFERED", None)  # what somebody set would hide what a process leaves in its buffers
_FULL_ONLY = ("full", "root")
_LOOPBACK = ("127.", "::1", "localhost")
_attempts: list[str] = []


def _refuse_network(event: str, arguments: tuple[object, ...]) -> None:
    """Stop whatever reaches for an address that is not this machine's own."""
    if event not in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        return
    address = arguments[1] if len(arguments) > 1 else None
    if isinstance(address, tuple) and not str(address[0]).startswith(_LOOPBACK):
        _attempts.append(f"{event} {address!r}")
        raise PermissionError(f"tests work offline: {event} to {address!r}")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that `make faults` runs with."""
    parser.addoption("--full", action="store_true", help="the fault programme at full counts, and what needs root")


def pytest_configure(config: pytest.Config) -> None:
    """Put the guard in place, which cannot be taken away again; and say how properties are tried.

    A plain run tries the same examples each time, so that a change fails by its own fault; `--full` tries new ones.
    """
    sys.addaudithook(_refuse_network)
    full = config.getoption("--full")
    hypothesis.settings.register_profile("same", deadline=None, derandomize=True)
    hypothesis.settings.register_profile("new", deadline=None, max_examples=2000)
    hypothesis.settings.load_profile("new" if full else "same")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the full tier out of a plain run; in a full one, say loudly what cannot run here."""
    if config.getoption("--full"):
        for item in items:
            if item.get_closest_marker("root") and os.geteuid() != 0:
                item.add_marker(pytest.mark.skip(reason="NOT RUN: needs root; `sudo make faults` runs it"))
        return
    left_out = [item for item in items if any(item.get_closest_marker(mark) for mark in _FULL_ONLY)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session", autouse=True)
def offline() -> Iterator[list[str]]:
    """S15: no test reached for the network, not even one that swallowed the refusal."""
    yield _attempts
    assert _attempts == []


@pytest.fixture
def clock() -> FixedClock:
    """A clock that shows the morning of 2026-01-23."""
    return FixedClock()


@pytest.fixture(params=["files", "memory"])
def library(request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock) -> Iterator[Library]:
    """An empty library on a store of either kind."""
    with open_library(request.param, tmp_path, clock) as library:
        yield library


@pytest.fixture
def files(tmp_path: Path, clock: FixedClock) -> Iterator[Library]:
    """An empty library on disk."""
    with open_library("files", tmp_path, clock) as library:
        yield library
