# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t
from pathlib import Path

import pytest
from support.audited import evidence, scripts

from harness import Playbook
from harness.fixtures import simulator, simulator_server, zone

__all__ = ["evidence", "scripts", "simulator", "simulator_server", "zone"]


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a short path: newer ansible-core creates a socket below it, whose path may have 107 characters."""
    return tmp_path_factory.mktemp("p")


@pytest.fixture
def playbook(simulator: t.Any, zone: str, tmp_path: Path, request: pytest.FixtureRequest) -> Playbook:
    """Run playbooks against the simulator, by default in the zone."""
    return Playbook(simulator, zone, tmp_path, in_process=False if request.config.getoption("--as-modules") else None)
