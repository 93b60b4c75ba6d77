# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest

if t.TYPE_CHECKING:
    from edgeops_simulator.testing import Simulator


@pytest.fixture(scope="session")
def simulator_server(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Simulator]:
    """Run one simulator for the whole session."""
    from edgeops_simulator.testing import running  # noqa: PLC0415 - do not slow down test runs that only load the plugin

    with running(log_folder=tmp_path_factory.mktemp("buckets")) as server:
        yield server


@pytest.fixture
def simulator(simulator_server: Simulator) -> Simulator:
    """Return the simulator of the session, reset to its start."""
    simulator_server.reset()
    return simulator_server
