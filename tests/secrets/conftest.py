# SPDX-License-Identifier: GPL-3.0-or-later

import contextlib
import json
import os
import typing as t

import pytest
from faults import direct
from planted import Plants

from ansible_collections.edgeops.observability.plugins.module_utils._address import Address
from edgeops_simulator.testing import running
from harness import Outcome, process

# The dataset and fields of a job in each scope.
JOBS = {"zone": {"dataset": "http_requests", "fields": ["ClientIP"]}, "account": {"dataset": "gateway_dns", "fields": ["SrcIP"]}}


class Watched:
    """Runs modules against the simulator in this process, and searches each result for pieces of the planted secrets."""

    def __init__(self, simulator: t.Any, plants: Plants, address: Address) -> None:
        self.simulator, self.plants, self.address = simulator, plants, address
        self.job = {"name": "edge", **JOBS[address.scope]}

    def seed_jobs(self, *jobs: dict[str, t.Any]) -> None:
        """Replace all jobs with these; a job without a name gets that of `job`."""
        named = {"name": self.job["name"], "dataset": self.job["dataset"]}
        self.simulator.seed(jobs={self.address.id: [{**named, **job} for job in jobs]})

    @contextlib.contextmanager
    def faults(self, *faults: dict[str, t.Any]) -> t.Iterator[None]:
        self.simulator.faults(*faults)
        yield
        self.simulator.clear_faults()

    def run(self, module: str, *, check: bool = False, by_key: bool = False, **args: t.Any) -> dict[str, t.Any]:
        """Return the result of a module; the module may fail, but the result must not contain a secret."""
        by_key_only = {"api_token": None, "api_email": self.simulator.email, "api_key": self.simulator.key}
        before = dict(os.environ)
        result = direct.run(
            module, self.simulator, self.address, {"retries": 1, **(by_key_only if by_key else {}), **args}, check=check
        )
        added = {name: value for name, value in os.environ.items() if before.get(name) != value}
        # Tests the masking of the task itself; in playbooks ansible-core masks option values in addition.
        text = f"{json.dumps(result, ensure_ascii=False)}\n{result!r}\n{added!r}"
        leaks = self.plants.found(text)
        assert not leaks, "\n".join([module, *leaks])
        return result


class Searched(t.NamedTuple):
    """A run of a playbook without leaks: its exit code, its tasks, and all texts that it wrote."""

    code: int
    outcomes: list[Outcome]
    places: dict[str, str]


@pytest.fixture(scope="session")
def plants() -> Plants:
    return Plants(seed=20260101)


@pytest.fixture(scope="session")
def service(plants: Plants) -> t.Iterator[t.Any]:
    """Run a simulator with credentials of which each piece can be found."""
    token, key = plants.plant("api_token", "_-"), plants.plant("api_key", "%2F")
    with running(token=token, email="operator@example.com", key=key) as server:
        yield server


@pytest.fixture
def watched(service: t.Any, plants: Plants, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Watched:
    """Return a runner of modules in a zone, or in the scope of the test's parameter."""
    address = Address(getattr(request, "param", "zone"), "0123456789abcdef0123456789abcdef")
    service.reset()
    service.seed({f"{address.scope}s": [address.id]})
    direct.without_waiting(monkeypatch)
    return Watched(service, plants, address)


@pytest.fixture
def run_and_search(plants: Plants) -> t.Callable[..., Searched]:
    """Return a function that runs a playbook at the highest verbosity, and searches its output and files."""

    def run(place: process.Place, command: list[str], environment: dict[str, str]) -> Searched:
        command = [str(process.BIN / "ansible-playbook"), *command, "--diff", "-vvvv"]
        code, stdout, stderr = process.execute(command, environment, place.input, timeout=400)
        written = [path for path in place.folder.rglob("*") if path.is_file() and place.input not in path.parents]
        places = {"stdout": stdout, "stderr": stderr, **{str(path): path.read_text("utf-8", "replace") for path in written}}
        leaks = [f"{name}: {leak}" for name, text in places.items() for leak in plants.found(text)]
        assert not leaks, "\n".join(leaks)
        return Searched(code, process.outcomes(place.record.read_text(encoding="utf-8"), []), places)

    return run
