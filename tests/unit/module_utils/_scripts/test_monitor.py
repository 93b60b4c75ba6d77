# SPDX-License-Identifier: GPL-3.0-or-later

import pytest
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils import _core as core
from ansible_collections.edgeops.observability.plugins.module_utils._scripts import monitor

STATUS = {"enabled": False, "updated_at": "2026-03-02T09:41:33.358104Z"}
SEEN = monitor.MonitorState("script_monitor", STATUS)
ON = monitor.MonitorState("script_monitor", {**STATUS, "enabled": True})
SEEN_ELSEWHERE = monitor.MonitorState("page_shield", STATUS)


def declare(enabled: bool, route: str = "script_monitor") -> monitor.DesiredMonitor:
    return monitor.desire({"enabled": enabled, "route": route})


@pytest.mark.parametrize(
    ("enabled", "state", "operation", "effects"),
    [
        (True, SEEN, "script_monitor.update", ()),
        (True, SEEN_ELSEWHERE, "page_shield.update", ()),
        (False, ON, "script_monitor.update", (core.Effect(core.DISABLE_MONITOR),)),
        (False, SEEN, None, ()),
        (True, ON, None, ()),
    ],
)
def test_different_status_is_written_once(enabled, state, operation, effects):
    """The route that answered gets `enabled` only; the plan contains the current status even if nothing is written."""
    plan = monitor.plan(declare(enabled, "auto"), state)
    before, after = state.status["enabled"], {"enabled": enabled}
    assert [(request.operation, request.body) for request in plan.requests] == ([(operation, after)] if operation else [])
    assert (plan.before, plan.after, plan.changed) == ({"enabled": before}, after, operation is not None)
    assert plan.result == {"script_monitor": {**state.status, **after, "other": {}}}
    assert (plan.basis, plan.effects) == ({"route": state.route, "enabled": before}, effects)


def test_status_without_time_has_null():
    assert monitor.read_status({"enabled": True}) == {"enabled": True, "updated_at": None}


@pytest.mark.parametrize("value", [None, "true", 1, []])
def test_non_boolean_status_is_bad_response(value):
    kind, message = refusal(monitor.read_status, {"enabled": value})
    assert kind == core.BAD_RESPONSE and "enabled" in message


def concluded(answer):
    desired = declare(True)
    return monitor.conclude(desired, SEEN, monitor.plan(desired, SEEN), [core.Answer(answer)]).result


def test_an_answer_is_verified_and_returned():
    answer = {"enabled": True, "updated_at": "2026-03-02T10:00:00.000001Z"}
    assert concluded(answer) == {"script_monitor": {**answer, "other": {}}}
    sentence = "The service accepted enabled=True, but its response has enabled=False."
    assert refusal(concluded, STATUS) == (core.BAD_RESPONSE, sentence)


def digest(enabled, state, zone="abc"):
    return core.plan_id({"zone_id": zone}, monitor.plan(declare(enabled), state))


def test_plan_id_ignores_updated_at():
    approved = digest(True, SEEN)
    assert digest(True, SEEN._replace(status={**STATUS, "updated_at": "2030-01-01T00:00:00Z"})) == approved
    others = [digest(True, ON), digest(False, SEEN), digest(True, SEEN_ELSEWHERE), digest(True, SEEN, zone="def")]
    assert approved not in others


def test_other_settings_are_shown_and_kept():
    """The answer to a PUT may have the status only."""
    other = {"use_cloudflare_reporting_endpoint": True, "use_connection_url_path": False}
    state = monitor.read_monitor("page_shield", {**STATUS, **other})
    planned = monitor.plan(declare(True), state)
    assert [request.body for request in planned.requests] == [{"enabled": True}]
    assert planned.result["script_monitor"]["other"] == other
    done = monitor.conclude(declare(True), state, planned, [core.Answer({**STATUS, "enabled": True})])
    assert done.result["script_monitor"]["other"] == other
