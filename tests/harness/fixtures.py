# SPDX-License-Identifier: GPL-3.0-or-later

"""The fixtures for the simulator and a zone; the `conftest.py` of a folder imports those that its tests use."""

import secrets
import typing as t

import pytest

from edgeops_simulator.pytest_plugin import simulator
from edgeops_simulator.testing import running

__all__ = ["simulator", "simulator_server", "zone"]

# Strings that occur nowhere else, because all output is searched for them.
TOKEN = "planted-token-7f3a9c51e0"
KEY = "planted-key-c41d88b6f2"


@pytest.fixture(scope="session")
def simulator_server(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[t.Any]:
    """Start one simulator for the test process; each parallel process has its own."""
    folder = tmp_path_factory.mktemp("bucket")
    with running(token=TOKEN, email="operator@example.com", key=KEY, log_folder=str(folder)) as server:
        yield server


@pytest.fixture
def zone(simulator: t.Any) -> str:
    """Return the id of a new zone without any settings."""
    fresh = secrets.token_hex(16)
    simulator.seed(zones=[fresh])
    return fresh
