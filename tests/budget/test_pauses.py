# SPDX-License-Identifier: GPL-3.0-or-later

"""Pauses that the service asks for, with a clock that only sleeping moves."""

from __future__ import annotations

import email.utils
import functools
import importlib
import typing as t
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._engine import run as _run
from ansible_collections.edgeops.observability.plugins.module_utils._engine.run import Run
from ansible_collections.edgeops.observability.plugins.module_utils._text import pause_text
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import validated
from edgeops_simulator.testing import DEFAULT_ZONE

MODULES = "ansible_collections.edgeops.observability.plugins.modules"
TASKS = {
    "script_monitor": {"enabled": True},
    "script_monitor_info": {},
    "log_custom_fields": {"request_fields": ["x-a"]},
    "logpush_job": {"name": "a", "destination_conf": "r2://b/p", "fields": ["ClientIP"]},
    "logpush_job_info": {},
}


class Clock:
    def __init__(self) -> None:
        self.time = 1_800_000_000.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Clock:
    made = Clock()
    monkeypatch.setattr(_run, "Client", functools.partial(Client, sleep=made.sleep, now=lambda: made.time))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return made


def run(simulator: t.Any, module: str, **args: t.Any) -> dict[str, t.Any]:
    task = importlib.import_module(f"{MODULES}.{module}").TASK
    connection = {"base_url": simulator.base_url, "api_token": simulator.token, "zone_id": DEFAULT_ZONE}
    checked = validated(task.arguments(), {**connection, **TASKS[module], **args}, task.name)
    return Run(checked.params, check_mode=False, diff_mode=False).finish(task)


@pytest.mark.parametrize("module", TASKS)
@pytest.mark.parametrize("form", ["seconds", "date"])
def test_a_pause_of_two_minutes_is_made(simulator: t.Any, clock: Clock, module: str, form: str) -> None:
    retry_after = "120" if form == "seconds" else email.utils.formatdate(clock.time + 120, usegmt=True)
    simulator.faults({"kind": "429", "headers": {"Retry-After": retry_after}, "retry_after": None})
    assert "failed" not in run(simulator, module)
    assert sum(clock.slept) == pytest.approx(120, abs=1)


@pytest.mark.parametrize("module", TASKS)
@pytest.mark.parametrize(("asked", "longest"), [(301, 300), (121, 120), (86400, 300), (1, 0)])
def test_a_longer_pause_fails_at_once_and_says_so(simulator: t.Any, clock: Clock, module: str, asked: int, longest: int) -> None:
    simulator.faults({"kind": "429", "retry_after": asked, "count": None})
    result = run(simulator, module, retry_wait_max=longest)
    assert result["error"]["kind"] == "rate_limited" and result["error"]["attempts"] == 1
    assert f"asks for a pause of {pause_text(asked)}, and retry_wait_max allows {longest} s" in result["msg"]
    assert clock.slept == []


def test_first_long_pause_is_announced_before_it_begins(simulator: t.Any, clock: Clock) -> None:
    """Once a task, with its length; a pause of a few seconds is not worth a line."""
    task = importlib.import_module(f"{MODULES}.logpush_job_info").TASK
    options = {"base_url": simulator.base_url, "api_token": simulator.token, "zone_id": DEFAULT_ZONE}
    checked = validated(task.arguments(), options, task.name)
    for pause, announced in ((4, []), (60, [([], 60)])):
        clock.slept.clear()
        simulator.faults({"kind": "429", "retry_after": pause, "count": 2})
        said: list[tuple[list[float], int]] = []

        def tell(seconds: float, said: list[tuple[list[float], int]] = said) -> None:
            said.append((list(clock.slept), round(seconds)))

        result = Run(checked.params, check_mode=False, diff_mode=False, announce=tell).finish(task)
        assert "failed" not in result and len(clock.slept) >= 2
        assert said == announced


def test_next_task_waits_for_an_earlier_pause(simulator: t.Any, clock: Clock) -> None:
    """The next task waits for the pause of the one before."""
    simulator.faults({"kind": "429", "retry_after": 100, "count": None})
    assert run(simulator, "script_monitor_info", retries=1)["error"]["kind"] == "rate_limited"
    simulator.clear_faults()
    clock.slept.clear()
    clock.time -= 60
    assert "failed" not in run(simulator, "script_monitor_info")
    assert sum(clock.slept) == pytest.approx(60, abs=1)
    clock.slept.clear()
    assert "failed" not in run(simulator, "script_monitor_info", request_budget="none")
    assert clock.slept == []


def test_requests_over_budget_wait(simulator: t.Any, clock: Clock) -> None:
    """Requests beyond the budget wait for the window."""
    for _time in range(10):
        run(simulator, "logpush_job_info", request_budget="4/50")
    assert clock.slept and sum(clock.slept) == pytest.approx(100, rel=0.1)


def test_rate_limit_headers_correct_the_budget(simulator: t.Any, clock: Clock) -> None:
    """Others use the credential, too: the service reports that little is left, and when there is more."""
    reset = email.utils.formatdate(clock.time + 90, usegmt=True)
    simulator.faults(
        {
            "kind": "status",
            "status": 404,
            "code": 1,
            "headers": {"x-ratelimit-remaining": "1", "x-ratelimit-reset": reset},
            "count": 1,
        }
    )
    run(simulator, "logpush_job_info", request_budget="100/300")
    run(simulator, "logpush_job_info", request_budget="100/300")
    assert clock.slept == []
    run(simulator, "logpush_job_info", request_budget="100/300")
    assert sum(clock.slept) == pytest.approx(90, abs=2)
