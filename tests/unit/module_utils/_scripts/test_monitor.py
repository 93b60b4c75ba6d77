# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._core import (
    BAD_RESPONSE,
    DISABLE_MONITOR,
    Answer,
    Effect,
    Failure,
    plan_id,
)
from ansible_collections.edgeops.observability.plugins.module_utils._scripts import monitor

STATUS = {"enabled": False, "updated_at": "2026-03-02T09:41:33.358104Z"}
SEEN = monitor.State("script_monitor", STATUS)
ON = monitor.State("script_monitor", {**STATUS, "enabled": True})
SEEN_ELSEWHERE = monitor.State("page_shield", STATUS)


def declare(enabled: bool, route: str = "script_monitor") -> monitor.Desired:
    return monitor.desire({"enabled": enabled, "route": route})


@pytest.mark.parametrize(
    ("enabled", "state", "operation", "effects"),
    [
        (True, SEEN, "script_monitor.update", ()),
        (True, SEEN_ELSEWHERE, "page_shield.update", ()),
        (False, ON, "script_monitor.update", (Effect(DISABLE_MONITOR),)),
        (False, SEEN, None, ()),
        (True, ON, None, ()),
    ],
)
def test_different_status_is_written_once(enabled, state, operation, effects):
    """To the route that answered, with nothing but `enabled`; the plan has the current status even if nothing is written."""
    plan = monitor.plan(declare(enabled, "auto"), state)
    found, after = state.status["enabled"], {"enabled": enabled}
    assert [(request.operation, request.body) for request in plan.requests] == ([(operation, after)] if operation else [])
    assert (plan.before, plan.after, plan.changed) == ({"enabled": found}, after, operation is not None)
    assert plan.result == {"script_monitor": {**state.status, **after}}
    assert (plan.basis, plan.effects) == ({"route": state.route, "enabled": found}, effects)


def test_status_without_time_has_null():
    """A status without a time has the documented null."""
    assert monitor.read_status({"enabled": True}) == {"enabled": True, "updated_at": None}


@given(st.recursive(st.none() | st.text() | st.integers(), st.lists))
def test_non_boolean_status_is_bad_response(value):
    """A status that is neither true nor false decides nothing."""
    with pytest.raises(Failure) as caught:
        monitor.read_status({"enabled": value})
    assert caught.value.kind == BAD_RESPONSE
    assert "enabled" in str(caught.value)


def test_different_answer_is_a_bad_response():
    """An answer other than what was requested is no success."""
    with pytest.raises(Failure) as caught:
        monitor.conclude(declare(True), SEEN, monitor.plan(declare(True), SEEN), [Answer(STATUS, None, 200, 1, None)])
    assert caught.value.kind == BAD_RESPONSE
    assert str(caught.value) == ("The service accepted enabled=True, but its response has enabled=False.")


def test_write_returns_the_answer():
    """The result of a write is what the service answered."""
    answer = {"enabled": True, "updated_at": "2026-03-02T10:00:00.000001Z"}
    assert monitor.conclude(
        declare(True), SEEN, monitor.plan(declare(True), SEEN), [Answer(answer, None, 200, 1, None)]
    ).result == {"script_monitor": answer}


def test_plan_id_ignores_updated_at():
    """The plan id ignores the time, and depends on the current and the desired state."""
    digest = plan_id({"zone_id": "abc"}, monitor.plan(declare(True), SEEN))
    assert digest == plan_id(
        {"zone_id": "abc"}, monitor.plan(declare(True), SEEN._replace(status={**STATUS, "updated_at": "2030-01-01T00:00:00Z"}))
    )
    assert digest != plan_id({"zone_id": "abc"}, monitor.plan(declare(True), ON))
    assert digest != plan_id({"zone_id": "abc"}, monitor.plan(declare(False), SEEN))
    assert digest != plan_id({"zone_id": "abc"}, monitor.plan(declare(True), SEEN_ELSEWHERE))
    assert digest != plan_id({"zone_id": "def"}, monitor.plan(declare(True), SEEN))
