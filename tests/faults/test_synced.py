"""D5 without root: at the moment of acknowledgement, nothing that a power cut would lose is left unsynced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import bad
import shim
from writer import CALLS, prepare, remember

if TYPE_CHECKING:
    from pathlib import Path


def unsynced_after(store: str, project: Path, call: str) -> set[str]:
    """What is written but not yet synced when a call returns."""
    ledger = shim.Ledger()
    with bad.library(store, str(project), create=True) as library:
        prepare(library)
        with shim.installed(ledger):
            CALLS[call](library, "new")
    return ledger.at_risk()


@pytest.mark.parametrize("call", CALLS)
def test_nothing_is_at_risk_when_a_call_returns(tmp_path: Path, call: str) -> None:
    """D5: every byte and every name is synced before a public write call returns."""
    assert unsynced_after("rawko", tmp_path, call) == set()


def test_nothing_is_at_risk_in_a_new_library(tmp_path: Path) -> None:
    """D5: the folders that a first memory needs are synced too, up to the one that was there."""
    ledger = shim.Ledger()
    with shim.installed(ledger), bad.library("rawko", str(tmp_path / "deep" / "project"), create=True) as library:
        remember(library, "First", "first")
    assert ledger.at_risk() == set()


@pytest.mark.parametrize(("store", "call"), [("no-folder-sync", "remember"), ("append", "update"), ("seed", "update")])
def test_what_is_at_risk_is_noticed(tmp_path: Path, store: str, call: str) -> None:
    """D5, red: a store that leaves out a sync has something at risk."""
    assert unsynced_after(store, tmp_path, call) != set()
