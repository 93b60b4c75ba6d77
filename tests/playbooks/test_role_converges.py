# SPDX-License-Identifier: GPL-3.0-or-later

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
    results,
    role_variables,
    rules,
    selected,
)

from harness import Plays, prediction

CUSTOM = lists(request=["X-Trace-Id", "x-forwarded-proto"], cookies=["Cart"])


@pytest.mark.every_core
def test_zone_converges(playbook, simulator):
    """One zone has its desired state as data, and another has it as JSON text, like an answer to a survey of AWX."""
    data = {
        "job": job(filter={"where": {"key": "EdgeResponseStatus", "operator": "geq", "value": 500}}),
        "custom_fields": CUSTOM,
        "script_monitor_enabled": True,
    }
    hosts = fleet(simulator, [data, {name: json.dumps(value) for name, value in data.items()}])
    plays = [play({}, check_mode=True), play({}), play({})]
    report = playbook.run(playbook=plays, inventory=hosts, secrets=[SECRET])
    for host, variables in hosts.items():
        predicted, done, again = [outcome for outcome in modules(report, "zone_observability") if outcome.host == host]
        assert predicted.result["changed"] is True and again.result["changed"] is False
        prediction.check_predicted(predicted, done)
        assert [result["changed"] for result in results(report, host)] == [True, True, False]
        zone = variables["zone_id"]
        sent = [entry["method"] for entry in report.journal if entry["zone"] == zone]
        assert [method for method in sent if method != "GET"] == ["POST", "PUT", "POST", "PUT"] and sent[-3:] == ["GET"] * 3
        (rule,) = rules(simulator, zone)
        assert names(rule, "request_fields") == ["x-forwarded-proto", "x-trace-id"]
        assert names(rule, "cookie_fields") == ["Cart"]
        assert selected(simulator, zone) == [*OWN_FIELDS, "RequestHeaders", "Cookies"]
        state = simulator.state(zone)
        assert state["jobs"][0]["enabled"] is True and state["jobs"][0]["destination_conf"] == DESTINATION
        assert state["script_monitor"]["enabled"] is True


def variables_reach_the_module(simulator, zone):
    """Jobs as text, job defaults with a null, the route and each type of custom fields reach the module, and only the approved plans that are set."""
    named = [{**job(enabled=True), "timestamp_format": None}, job(name="errors", dataset="firewall_events", fields=["Action"])]
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
    approved = {**variables, "log_delivery_expected_plan_ids": "{{ log_delivery_result.plan_ids }}"}
    ways = [play(variables, check_mode=True), play(approved), play(approved)]
    report = yield Plays([{**way, "hosts": "reached"} for way in ways], {"reached": {}}, fails="conflict")
    assert [result["changed"] for result in results(report)] == [True, True]
    assert report.failure["msg"].startswith("expected_plan_ids.")
    jobs = {stored["name"]: stored for stored in simulator.state(zone)["jobs"]}
    assert {name: stored["enabled"] for name, stored in jobs.items()} == {"edge-logs": True, "errors": False}
    assert jobs["errors"]["logpull_options"] == "fields=Action&timestamps=rfc3339"
    assert "timestamps" not in jobs["edge-logs"]["logpull_options"]
    (rule,) = rules(simulator, zone)
    assert names(rule, "transformed_request_fields") == ["x-t"] and names(rule, "response_fields") == ["x-r"]
    paths = {entry["path"].rpartition("/")[2] for entry in report.journal}
    assert "page_shield" in paths and "script_monitor" not in paths


def null_variables_are_omitted(simulator):
    """Null or empty variables are omitted: custom fields, jobs and the script monitor are not even read.

    An empty list of jobs is not omitted: it declares that there is none.
    """
    fields = [{"custom_fields": declared} for declared in (None, {}, {"request_fields": None})]
    fields.append({"custom_fields": {"request_fields": None}, "state": "absent"})
    jobs = [{"job": None, "jobs": declared, "custom_fields": CUSTOM} for declared in (None, "", " ")]
    none = [{"job": None, "jobs": declared} for declared in ([], "[]")]
    hosts = fleet(simulator, [*fields, *jobs, *none])
    report = yield Plays([play({}, hosts=[*hosts])], hosts)
    for number, host in enumerate(hosts):
        (result,) = results(report, host)
        if number >= len(fields) + len(jobs):
            assert result["jobs"]["jobs"] == [] and result["jobs"]["plan_id"]
            continue
        alone, path = ("custom_fields", "rulesets") if number < len(fields) else ("jobs", "logpush")
        assert result[alone] == {} and result["script_monitor"] == {}
        sent = [entry["path"] for entry in report.journal if entry["zone"] == hosts[host]["zone_id"]]
        assert sent and not [request_path for request_path in sent if path in request_path or "script_monitor" in request_path]


def test_variables_and_null(playbook, simulator, zone):
    # The failing one is the last one, because a run ends where all hosts of a play fail.
    scenarios = {"null": null_variables_are_omitted(simulator), "set": variables_reach_the_module(simulator, zone)}
    playbook.run_scenarios(scenarios, secrets=[SECRET], verbosity=4)
