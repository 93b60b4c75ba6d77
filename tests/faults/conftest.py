# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from faults import direct, scenarios

from ansible_collections.edgeops.observability.plugins.module_utils._zone import task as zone_task
from edgeops_simulator.testing import running

# Three pages of zones for the inventory; a total that is seven too high would need a fourth.
ZONES = [scenarios.ZONE, *(f"{number:032x}" for number in range(1, 145))]
# Likewise one page of accounts.
ACCOUNTS = [scenarios.ACCOUNT, *(f"{number:032x}" for number in range(1, 46))]


@pytest.fixture(scope="session")
def simulator_server() -> t.Iterator[t.Any]:
    """The simulator of this test process, with the fleet of the matrix."""
    with running(zones=ZONES, accounts=ACCOUNTS) as server:
        yield server


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> direct.Pauses:
    """Retries without waiting, and reads of a zone one after the other, so that a fault meets the request that it names."""
    monkeypatch.setattr(zone_task, "side_by_side", lambda read, values, most: list(map(read, values)))
    return direct.without_waiting(monkeypatch, scenarios.inventory)
