"""What the fault tests share."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import process

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def tier(request: pytest.FixtureRequest) -> Callable[[int, int], int]:
    """How often to do a thing: the reduced count, or the full one under `--full`."""
    is_full = request.config.getoption("--full")
    return lambda reduced, full: full if is_full else reduced


def pytest_sessionfinish() -> None:
    """Keep the figures where `make faults` wants them."""
    if path := os.environ.get("RAWKO_FAULT_FIGURES"):
        Path(path).write_text(json.dumps({"seed": process.SEED, "figures": process.FIGURES}, indent=1) + "\n")
