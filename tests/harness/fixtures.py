# SPDX-License-Identifier: GPL-3.0-or-later

"""The simulator and a zone, for whoever runs something against them: a `conftest.py` imports what its folder needs."""

import secrets
import typing as t

import pytest

from edgeops_simulator.pytest_plugin import simulator
from edgeops_simulator.testing import running

__all__ = ["simulator", "simulator_server", "zone"]

# Distinctive, because every output is searched for them.
TOKEN = "planted-token-7f3a9c51e0"
KEY = "planted-key-c41d88b6f2"


@pytest.fixture(scope="session")
def simulator_server(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[t.Any]:
    """The simulator of this test process; parallel processes have one each."""
    folder = tmp_path_factory.mktemp("bucket")
    with running(token=TOKEN, email="operator@example.com", key=KEY, log_folder=str(folder)) as server:
        yield server


@pytest.fixture
def zone(simulator: t.Any) -> str:
    """A zone that nothing has touched."""
    fresh = secrets.token_hex(16)
    simulator.seed(zones=[fresh])
    return fresh
