# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t
from pathlib import Path

import pytest
from support.audited import evidence, scripts

from harness import Modules
from harness.fixtures import simulator, simulator_server, zone

__all__ = ["evidence", "scripts", "simulator", "simulator_server", "zone"]


@pytest.fixture
def modules(simulator: t.Any, zone: str, tmp_path: Path) -> Modules:
    """Run modules against the simulator, by default in the zone."""
    return Modules(simulator, zone, tmp_path)
