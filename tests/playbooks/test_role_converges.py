# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from zone_runs import (
    DESTINATION,
    OWN_FIELDS,
    SECRET,
    fleet,
    job,
    lists,
    modules,
    names,
    play,
    rehearsed,
    results,
    role_variables,
    rules,
    selected,
)

from harness import prediction

CUSTOM = lists(request=["X-Trace-Id", "x-forwarded-proto"], cookies=["Cart"])


@pytest.mark.every_core
def test_empty_zone_is_predicted_and_applied(playbook, simulator, zone):
    """From an empty zone: predicted, applied, and then left alone."""
    report = playbook.run(
        playbook=rehearsed(role_variables(zone, custom_fields=CUSTOM, script_monitor_enabled=True)), secrets=[SECRET]
    )
    predicted, done, again = modules(report, "zone_observability")
    assert predicted.result["changed"] is True and not predicted.writes
    prediction.check_predicted(predicted, done)
    assert [entry["method"] for entry in done.writes] == ["POST", "PUT", "POST", "PUT"]
    assert again.result["changed"] is False
    assert [entry["method"] for entry in again.journal] == ["GET"] * 3
    assert [found["changed"] for found in results(report)] == [True, True, False]
    (rule,) = rules(simulator, zone)
    assert names(rule, "request_fields") == ["x-forwarded-proto", "x-trace-id"]
    assert names(rule, "cookie_fields") == ["Cart"]
    assert selected(simulator, zone) == [*OWN_FIELDS, "RequestHeaders", "Cookies"]
    state = simulator.state(zone)
    assert state["jobs"][0]["enabled"] is True
    assert state["jobs"][0]["destination_conf"] == DESTINATION
    assert state["script_monitor"]["enabled"] is True


@pytest.mark.every_core
def test_survey_text_equals_data(playbook, simulator, zone):
    """The text of a survey means the same as data."""
    data = role_variables(zone, custom_fields=CUSTOM, script_monitor_enabled=True)
    text = {
        "log_delivery_job": json.dumps(job(filter={"where": {"key": "EdgeResponseStatus", "operator": "geq", "value": 500}})),
        "log_delivery_custom_fields": json.dumps(CUSTOM),
        "log_delivery_script_monitor_enabled": "true",
    }
    data["log_delivery_job"] = json.loads(text["log_delivery_job"])
    report = playbook.run(playbook=[play({**data, **text}), play(data)], secrets=[SECRET])
    assert [found["changed"] for found in results(report)] == [True, False]
    assert selected(simulator, zone) == [*OWN_FIELDS, "RequestHeaders", "Cookies"]


def test_variables_reach_the_module(playbook, simulator, zone):
    """Jobs as a list of text, the defaults below them, the route and every type of custom fields."""
    named = [job(enabled=True), job(name="errors", dataset="firewall_events", fields=["Action"])]
    variables = role_variables(
        zone,
        job=None,
        jobs=json.dumps(named),
        job_defaults={"timestamp_format": "rfc3339", "enabled": False},
        unlisted_jobs="absent",
        custom_fields={"transformed_request_fields": ["X-T"], "preserve_duplicates": [], "response_fields": ["x-r"]},
        script_monitor_enabled=True,
        script_monitor_route="page_shield",
    )
    simulator.seed(jobs={zone: [{"name": "stray", "destination_conf": DESTINATION}]})
    report = playbook.run(playbook=[play(variables)], secrets=[SECRET], verbosity=4)
    found = {each["name"]: each for each in simulator.state(zone)["jobs"]}
    assert {name: each["enabled"] for name, each in found.items()} == {"edge-logs": True, "errors": False}
    assert found["errors"]["logpull_options"] == "fields=Action&timestamps=rfc3339"
    (rule,) = rules(simulator, zone)
    assert names(rule, "transformed_request_fields") == ["x-t"] and names(rule, "response_fields") == ["x-r"]
    paths = {entry["path"].rpartition("/")[2] for entry in report.journal}
    assert "page_shield" in paths and "script_monitor" not in paths


def test_null_variables_leave_alone(playbook, simulator):
    """What is null or empty in the inventory is omitted: custom fields, jobs and the script monitor are not even read."""
    fields = [
        {"custom_fields": given, "state": state}
        for given in (None, {}, {"request_fields": None})
        for state in ("present", "absent")
    ]
    jobs = [{"job": None, "jobs": given, "custom_fields": CUSTOM} for given in (None, [], "[]", "", " ")]
    hosts = fleet(simulator, [*fields, *jobs])
    report = playbook.run(playbook=[play({})], inventory=hosts)
    for number, host in enumerate(hosts):
        (found,) = results(report, host)
        alone, path = ("custom_fields", "rulesets") if number < len(fields) else ("jobs", "logpush")
        assert found[alone] == {} and found["script_monitor"] == {}
        sent = [entry["path"] for entry in report.journal if entry["zone"] == hosts[host]["zone_id"]]
        assert sent and not [each for each in sent if path in each or "script_monitor" in each]


def test_only_the_approved_plan_is_applied(playbook, simulator, zone):
    """An approved check run is applied, and nothing else."""
    (predicted,) = results(playbook.run(playbook=[play(role_variables(zone))], check=True))
    assert [name for name, found in predicted["plan_ids"].items() if found] == ["jobs"]
    approved = play(role_variables(zone, expected_plan_ids=predicted["plan_ids"]))
    report = playbook.run(playbook=[approved, approved], fails="conflict")
    assert len(simulator.state(zone)["jobs"]) == 1
    assert report.failure["msg"].startswith("expected_plan_ids.jobs: ")
    assert report.failure["plan_ids"]["jobs"] not in (None, predicted["plan_ids"]["jobs"])
