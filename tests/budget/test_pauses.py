# SPDX-License-Identifier: GPL-3.0-or-later

"""Pauses that the service asks for, with a clock that only sleeping moves."""

from __future__ import annotations

import email.utils
import functools
import typing as t
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._engine import run as _run
from ansible_collections.edgeops.observability.plugins.module_utils._engine.run import Run
from ansible_collections.edgeops.observability.plugins.module_utils._text import pause_text
from ansible_collections.edgeops.observability.plugins.modules.logpush_job_info import TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import validated
from edgeops_simulator.testing import DEFAULT_ZONE


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


@pytest.fixture
def run(simulator: t.Any, clock: Clock) -> t.Callable[..., dict[str, t.Any]]:
    """Runs a task that reads; `announce` is what a run calls before it pauses."""

    def run(announce: t.Any = None, **args: t.Any) -> dict[str, t.Any]:
        connection = {"base_url": simulator.base_url, "api_token": simulator.token, "zone_id": DEFAULT_ZONE}
        checked = validated(TASK.arguments(), {**connection, **args}, TASK.name)
        return Run(checked.params, check_mode=False, diff_mode=False, announce=announce).finish(TASK)

    return run


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_a_pause_of_two_minutes_is_made(simulator: t.Any, clock: Clock, run: t.Any, form: str) -> None:
    retry_after = "120" if form == "seconds" else email.utils.formatdate(clock.time + 120, usegmt=True)
    simulator.faults({"kind": "429", "headers": {"Retry-After": retry_after}, "retry_after": None})
    assert "failed" not in run()
    assert sum(clock.slept) == pytest.approx(120, abs=1)


@pytest.mark.parametrize(("asked", "longest"), [(301, 300), (86400, 300), (1, 0)])
def test_a_longer_pause_fails_at_once(simulator: t.Any, clock: Clock, run: t.Any, asked: int, longest: int) -> None:
    simulator.faults({"kind": "429", "retry_after": asked, "count": None})
    result = run(retry_wait_max=longest)
    assert result["error"]["kind"] == "rate_limited" and result["error"]["attempts"] == 1
    assert f"asks for a pause of {pause_text(asked)}, and retry_wait_max allows {longest} s" in result["msg"]
    assert clock.slept == []


@pytest.mark.parametrize(("pause", "announced"), [(4, []), (60, [([], 60)])])
def test_first_long_pause_is_announced(simulator: t.Any, clock: Clock, run: t.Any, pause: int, announced: t.Any) -> None:
    """Once a task, before it begins; a pause of a few seconds is not worth a line."""
    simulator.faults({"kind": "429", "retry_after": pause, "count": 2})
    told: list[tuple[list[float], int]] = []
    result = run(lambda seconds: told.append((list(clock.slept), round(seconds))))
    assert "failed" not in result and len(clock.slept) >= 2
    assert told == announced


def test_next_task_waits_for_an_earlier_pause(simulator: t.Any, clock: Clock, run: t.Any) -> None:
    simulator.faults({"kind": "429", "retry_after": 100, "count": None})
    assert run(retries=1)["error"]["kind"] == "rate_limited"
    simulator.clear_faults()
    clock.slept.clear()
    clock.time -= 60
    assert "failed" not in run(request_budget="none") and clock.slept == []
    assert "failed" not in run()
    assert sum(clock.slept) == pytest.approx(60, abs=1)
