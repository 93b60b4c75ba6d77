# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pathlib
import typing as t

import pytest

from edgeops_simulator.delivery import transform
from edgeops_simulator.testing import Simulator, running


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("engine") and not transform.is_installed():
            item.add_marker(pytest.mark.skip(reason=f"needs Apache DataFusion: {transform.EXTRA}"))


@pytest.fixture(scope="session")
def log_folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return tmp_path_factory.mktemp("buckets")


@pytest.fixture(scope="session")
def server(log_folder: pathlib.Path) -> t.Iterator[Simulator]:
    with running(zones=["a" * 32, "b" * 32], log_folder=log_folder) as simulator:
        yield simulator


@pytest.fixture
def sim(server: Simulator) -> Simulator:
    server.reset()
    return server


class Owner:
    """A client of one zone or account: paths are relative to it, answers are (status, envelope)."""

    def __init__(self, sim: Simulator, owner_id: str, kind: str = "zone") -> None:
        self.sim, self.id, self.kind = sim, owner_id, kind

    def __call__(self, method: str, path: str, body: t.Any = None) -> tuple[int, t.Any]:
        return self.sim.request(method, f"/{self.kind}s/{self.id}{path}", body)

    def result(self, method: str, path: str, body: t.Any = None) -> t.Any:
        status, envelope = self(method, path, body)
        assert status in (200, 201) and envelope["success"] is True and envelope["errors"] == [], envelope
        return envelope["result"]

    def refusal(self, method: str, path: str, body: t.Any = None) -> tuple[int, int, str]:
        status, envelope = self(method, path, body)
        assert envelope["success"] is False and envelope["result"] is None and envelope["messages"] == []
        error = envelope["errors"][0]
        assert status >= 400 and error["code"] >= 1000 and error["message"]
        return status, error["code"], error["message"]

    def ruleset(self, *rules: t.Any) -> t.Any:
        made = self.result(
            "POST", "/rulesets", {"name": "n", "kind": "zone", "phase": "http_log_custom_fields", "description": "d"}
        )
        return self.result("PUT", f"/rulesets/{made['id']}", {"rules": list(rules)}) if rules else made


@pytest.fixture
def zone(sim: Simulator) -> Owner:
    return Owner(sim, sim.zone)


@pytest.fixture
def other_zone(sim: Simulator) -> Owner:
    return Owner(sim, sim.zones[1])


@pytest.fixture
def account(sim: Simulator) -> Owner:
    """Return a client of the account to which the zones belong."""
    return Owner(sim, sim.account, "account")


@pytest.fixture(params=["zone", "account"])
def owner(request: pytest.FixtureRequest) -> Owner:
    """Return a client of a zone and of an account, for tests of both."""
    client: Owner = request.getfixturevalue(request.param)
    return client
