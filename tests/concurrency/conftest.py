# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest
from concurrency.crew import Crew

from edgeops_simulator.testing import running

ZONES = [f"{number:032x}" for number in range(1, 9)]


@pytest.fixture(scope="session")
def simulator_server() -> t.Iterator[t.Any]:
    """A simulator in a process of its own, so that processes of the tests fork from one without its threads."""
    with running(zones=ZONES, process=True) as server:
        yield server


@pytest.fixture(scope="session")
def crew() -> t.Iterator[Crew]:
    """Eight processes that begin at the same time."""
    with Crew(8) as hired:
        yield hired
