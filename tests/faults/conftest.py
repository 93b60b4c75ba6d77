# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from faults import direct, scenarios

from ansible_collections.edgeops.observability.plugins.module_utils._zone import task as zone_task
from edgeops_simulator.testing import running

# Three pages of zones for the inventory; an added fault makes the total seven too high, so that a fourth page is expected.
ZONES = [scenarios.ZONE, *(f"{number:032x}" for number in range(1, 145))]
# One page of accounts: the fault makes the total too high for them, too.
ACCOUNTS = [scenarios.ACCOUNT, *(f"{number:032x}" for number in range(1, 46))]


@pytest.fixture(scope="session")
def simulator_server() -> t.Iterator[t.Any]:
    """Run a simulator with the zones and accounts of the matrix."""
    with running(zones=ZONES, accounts=ACCOUNTS) as server:
        yield server


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> direct.Pauses:
    """Retry without waiting, and read the parts of a zone one after the other, so that each fault hits the intended request."""
    monkeypatch.setattr(zone_task, "side_by_side", lambda read, values, most: list(map(read, values)))
    return direct.without_waiting(monkeypatch, scenarios.inventory)
