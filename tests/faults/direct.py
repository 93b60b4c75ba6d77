# SPDX-License-Identifier: GPL-3.0-or-later

"""Run a module's own code in the process of the test, as the action plugin does, without a process for each run."""

import functools
import time
import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._address import ZONE, Address
from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._engine import run as _run
from harness.modules import Document, checked, execute, task_of


def run(
    module: str | t.Any, simulator: t.Any, address: str | Address, args: t.Mapping[str, t.Any], *, check: bool = False
) -> Document:
    """Return the result of one run against the simulator; `module` may be a task, and `address` the id of a zone."""
    task = task_of(module) if isinstance(module, str) else module
    named = (address if isinstance(address, Address) else Address(ZONE, address)).named
    service = (
        {"base_url": simulator.base_url, "api_token": simulator.token, "request_budget": "none"} if task.asks_service else {}
    )
    validation = checked(task, {**service, **named, **args})
    assert not validation.errors.errors, validation.errors.msg
    return execute(task, validation, check=check)


class Pauses:
    """Replaces the sleep of a client: records the requested time, and sleeps at most `max_seconds`."""

    def __init__(self) -> None:
        self.max_seconds = 0.0
        self.made: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.made.append(seconds)
        if self.max_seconds:
            time.sleep(min(seconds, self.max_seconds))


def without_waiting(monkeypatch: pytest.MonkeyPatch, *modules: t.Any) -> Pauses:
    """Make clients retry without waiting; `modules` are Python modules that create clients, besides the one that does so for tasks."""
    pauses = Pauses()
    for module in (_run, *modules):
        monkeypatch.setattr(module, "Client", functools.partial(Client, sleep=pauses))
    return pauses
