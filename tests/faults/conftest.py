# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from faults import direct, scenarios

from ansible_collections.edgeops.observability.plugins.module_utils._zone import task as zone_task
from edgeops_simulator.testing import running

# 145 zones are three pages. A fault reports a total that is seven too high, for which the inventory requests a fourth page.
ZONES = [scenarios.ZONE, *(f"{number:032x}" for number in range(1, 145))]
# 46 accounts are one page. With the same fault, a second page is requested.
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
