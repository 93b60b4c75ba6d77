# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t
from pathlib import Path

import pytest
from support.audited import evidence, scripts

from harness import Modules, sdk
from harness.fixtures import simulator, simulator_server, zone

__all__ = ["evidence", "scripts", "simulator", "simulator_server", "zone"]


@pytest.fixture
def modules(simulator: t.Any, zone: str, tmp_path: Path) -> Modules:
    """Run modules against the simulator, by default in the zone."""
    return Modules(simulator, zone, tmp_path)


@pytest.fixture(autouse=True)
def bodies_fit_the_sdk(simulator: t.Any) -> t.Iterator[None]:
    """Compare each body that the test sent with the types of the vendor's SDK."""
    yield
    sent = simulator.journal()
    assert [(entry["path"], sdk.misfits(entry)) for entry in sent if sdk.misfits(entry)] == []
