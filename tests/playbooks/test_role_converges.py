# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
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
NOT_GIVEN = (None, {}, {"request_fields": None})


def seed_rules(simulator, zone, **kinds):
    """A zone that has custom fields, and a rule of another action beside them."""
    parameters = {kind: [{"name": name} for name in found] for kind, found in kinds.items()}
    rule = {"action": "log_custom_field", "expression": "true", "enabled": True, "action_parameters": parameters}
    foreign = {"action": "skip", "expression": "true", "enabled": True, "action_parameters": {"ruleset": "current"}}
    ruleset = {"name": "entry", "kind": "zone", "phase": "http_log_custom_fields", "rules": [foreign, rule]}
    simulator.seed(rulesets={zone: [ruleset]})


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


def test_check_run_predicts_an_empty_zone(playbook, zone):
    """A check run of the whole playbook predicts fields and jobs on an empty zone."""
    report = playbook.run(playbook=[play(role_variables(zone, custom_fields=CUSTOM))], check=True)
    (found,) = results(report)
    assert found["changed"] is True
    assert found["custom_fields"]["custom_fields"]["cookie_fields"] == ["Cart"]
    assert found["jobs"]["jobs"][0]["id"] is None
    assert "RequestHeaders" in found["jobs"]["jobs"][0]["logpull_options"]
    assert found["script_monitor"] == {}
    assert found["coverage"]["arrives"] is True


def test_job_selects_fields_of_given_lists(playbook, simulator):
    """The job selects the log field that carries a list, if the list is not empty."""
    cases = [
        (lists(request=["x-a"]), ["RequestHeaders"]),
        (lists(response=["x-a"], cookies=["c"]), ["ResponseHeaders", "Cookies"]),
        ({"response_fields": ["x-a"]}, ["ResponseHeaders"]),
        (None, []),
    ]
    hosts = fleet(simulator, [{"custom_fields": custom_fields} for custom_fields, _added in cases])
    playbook.run(playbook=[play({})], inventory=hosts)
    for host, (_custom_fields, added) in zip(hosts.values(), cases, strict=True):
        assert selected(simulator, host["zone_id"]) == [*OWN_FIELDS, *added]


def test_every_job_form_gets_the_fields(playbook, simulator):
    """Every form of a job gets the fields, and keeps its own."""
    forms = [
        {"fields": ["Cookies", "ClientIP"], "timestamp_format": "rfc3339"},
        {"fields": None, "logpull_options": "fields=Cookies,ClientIP&timestamps=rfc3339"},
        {"fields": None, "output_options": {"field_names": ["Cookies", "ClientIP"], "timestamp_format": "rfc3339"}},
    ]
    hosts = fleet(simulator, [{"job": job(**form), "custom_fields": CUSTOM} for form in forms])
    report = playbook.run(playbook=rehearsed({}), inventory=hosts)
    for name, host in hosts.items():
        assert sorted(selected(simulator, host["zone_id"])) == ["ClientIP", "Cookies", "RequestHeaders"]
        assert [found["changed"] for found in results(report, name)] == [True, True, False]


def test_emptied_list_removes_its_log_field(playbook, simulator, zone):
    """A list that became empty removes its log field from the job."""
    plays = [
        play(role_variables(zone, custom_fields=CUSTOM)),
        *rehearsed(role_variables(zone, custom_fields=lists(cookies=["Cart"]))),
    ]
    report = playbook.run(playbook=plays)
    assert selected(simulator, zone) == [*OWN_FIELDS, "Cookies"]
    (rule,) = rules(simulator, zone)
    assert "request_fields" not in rule["action_parameters"]
    assert [found["changed"] for found in results(report)] == [True, True, True, False]


def test_empty_lists_clear_their_types_only(playbook, simulator):
    """Empty lists empty their types and nothing else."""
    hosts = fleet(simulator, [{"custom_fields": lists()}, {"custom_fields": lists()}])
    seed_rules(simulator, hosts["zone0"]["zone_id"], request_fields=["x-old"])
    seed_rules(simulator, hosts["zone1"]["zone_id"], request_fields=["x-old"], transformed_request_fields=["x-other"])
    report = playbook.run(playbook=rehearsed({}), inventory=hosts)
    for name, host in hosts.items():
        assert selected(simulator, host["zone_id"]) == OWN_FIELDS
        assert [found["changed"] for found in results(report, name)] == [True, True, False]
    assert [rule["action"] for rule in rules(simulator, hosts["zone0"]["zone_id"])] == ["skip"]
    _foreign, rule = rules(simulator, hosts["zone1"]["zone_id"])
    assert rule["action_parameters"] == {"transformed_request_fields": [{"name": "x-other"}]}


def test_omitted_custom_fields_are_left_alone(playbook, simulator):
    """Custom fields that are omitted are left alone."""
    hosts = fleet(simulator, [{"custom_fields": given, "state": state} for given in NOT_GIVEN for state in ("present", "absent")])
    for host in hosts.values():
        seed_rules(simulator, host["zone_id"], request_fields=["x-old"])
    report = playbook.run(playbook=[play({})], inventory=hosts)
    assert not [entry for entry in report.journal if "rulesets" in entry["path"]]
    assert [found["custom_fields"] for found in results(report)] == [{}] * len(hosts)


def test_omitted_list_leaves_its_type_alone(playbook, simulator, zone):
    """A list that is omitted leaves its type alone."""
    seed_rules(simulator, zone, request_fields=["x-old"], cookie_fields=["Kept"])
    playbook.run(playbook=[play(role_variables(zone, custom_fields={"request_fields": ["x-new"]}))])
    rule = rules(simulator, zone)[1]
    assert names(rule, "request_fields") == ["x-new"]
    assert names(rule, "cookie_fields") == ["Kept"]


def test_absent_removes_job_then_fields(playbook, simulator, zone):
    """state=absent removes the job first, and then the named fields."""
    present = role_variables(zone, custom_fields=lists(request=["x-a", "x-b"], cookies=["Cart"]))
    gone = role_variables(zone, state="absent", custom_fields=lists(request=["x-a"]))
    report = playbook.run(playbook=[play(present), *rehearsed(gone)])
    assert simulator.state(zone)["jobs"] == []
    (rule,) = rules(simulator, zone)
    assert names(rule, "request_fields") == ["x-b"]
    assert names(rule, "cookie_fields") == ["Cart"]
    deletes = [entry["index"] for entry in report.writes if entry["method"] == "DELETE"]
    assert len(deletes) == 1
    assert deletes[0] < max(entry["index"] for entry in report.writes if "rulesets" in entry["path"])
    assert [found["changed"] for found in results(report)] == [True, True, True, False]
    assert results(report)[-1]["jobs"]["jobs"] == [None]


def test_absent_with_empty_lists_removes_all(playbook, simulator, zone):
    """state=absent with three empty lists removes every custom field."""
    report = playbook.run(
        playbook=[
            play(role_variables(zone, custom_fields=CUSTOM)),
            *rehearsed(role_variables(zone, state="absent", custom_fields=lists())),
        ]
    )
    assert rules(simulator, zone) == []
    assert simulator.state(zone)["jobs"] == []
    assert [found["changed"] for found in results(report)] == [True, True, True, False]


def test_absent_on_an_empty_zone_is_no_change(playbook, zone):
    """state=absent on a zone that has nothing changes nothing."""
    report = playbook.run(playbook=[play(role_variables(zone, state="absent", custom_fields=CUSTOM))])
    assert [found["changed"] for found in results(report)] == [False]
    assert not report.writes


def test_job_is_enabled_by_default(playbook, simulator):
    """If omitted, `enabled` is true."""
    hosts = fleet(simulator, [{"job": job()}, {"job": job(enabled=False)}])
    for host, enabled in zip(hosts.values(), (False, True), strict=True):
        existing = {"name": "edge-logs", "dataset": "http_requests", "destination_conf": DESTINATION, "enabled": enabled}
        simulator.seed(jobs={host["zone_id"]: [existing]})
    playbook.run(playbook=[play({})], inventory=hosts)
    assert [simulator.state(host["zone_id"])["jobs"][0]["enabled"] for host in hosts.values()] == [True, False]


def test_omitted_monitor_is_left_alone(playbook, simulator, zone):
    """The script monitor is left alone if it is omitted."""
    simulator.seed(script_monitor={zone: {"enabled": True}})
    report = playbook.run(playbook=[play(role_variables(zone)), play(role_variables(zone, script_monitor_enabled=False))])
    assert simulator.state(zone)["script_monitor"]["enabled"] is False
    first, second = results(report)
    assert first["script_monitor"] == {}
    assert second["script_monitor"]["script_monitor"]["enabled"] is False


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


def test_options_of_the_job_reach_the_module(playbook, simulator, zone):
    desired = job(
        timestamp_format="rfc3339",
        option_flags={"CVE-2021-44228": True},
        filter={"and": [{"key": "EdgeResponseStatus", "operator": "geq", "value": 500}]},
        kind="edge",
        frequency="low",
        max_upload_bytes=5_000_000,
        max_upload_interval_seconds=60,
        max_upload_records=1000,
    )
    playbook.run(playbook=[play(role_variables(zone, job=desired))])
    (found,) = simulator.state(zone)["jobs"]
    assert found["filter"] == '{"where":{"and":[{"key":"EdgeResponseStatus","operator":"geq","value":500}]}}'
    assert "timestamps=rfc3339" in found["logpull_options"] and "CVE-2021-44228=true" in found["logpull_options"]
    assert {name: found[name] for name in ("kind", "frequency", "max_upload_bytes")} == {
        "kind": "edge",
        "frequency": "low",
        "max_upload_bytes": 5_000_000,
    }
    assert (found["max_upload_interval_seconds"], found["max_upload_records"]) == (60, 1000)


def test_only_the_approved_plan_is_applied(playbook, simulator, zone):
    """An approved check run is applied, and nothing else."""
    (predicted,) = results(playbook.run(playbook=[play(role_variables(zone))], check=True))
    assert [name for name, found in predicted["plan_ids"].items() if found] == ["jobs"]
    approved = role_variables(zone, expected_plan_ids=predicted["plan_ids"])
    playbook.run(playbook=[play(approved)])
    assert len(simulator.state(zone)["jobs"]) == 1
    report = playbook.run(playbook=[play(approved)], fails="conflict")
    assert report.failure["msg"].startswith("expected_plan_ids.jobs: ")
    assert report.failure["plan_ids"]["jobs"] not in (None, predicted["plan_ids"]["jobs"])


def test_uncovered_fields_are_reported_only(playbook, simulator, zone):
    """Fields that reach no log are reported, and fail nothing."""
    seed_rules(simulator, zone, request_fields=["x-a"], response_fields=["x-b"])
    desired = role_variables(zone, job=job(fields=["Cookies"]), custom_fields={"request_fields": ["x-a"]})
    report = playbook.run(playbook=[play(desired)])
    (found,) = results(report)
    assert [finding["kind"] for finding in found["coverage"]["unselected"]] == ["response_fields"]
    assert [finding["field"] for finding in found["coverage"]["unconfigured"]] == ["Cookies"]
    assert len(found["coverage"]["sentences"]) == 2


JOBS = [job(), job(name="errors", dataset="firewall_events", fields=["Action"]), {"name": "old", "state": "absent"}]


def test_several_jobs(playbook, simulator):
    """One listing; defaults below each job; the carriers of custom fields in jobs of one dataset only; the rest reported or deleted."""
    common = {
        "job_defaults": {"timestamp_format": "rfc3339", "enabled": False},
        "custom_fields": CUSTOM,
        "script_monitor_enabled": True,
    }
    named = [{**JOBS[0], "enabled": True}, *JOBS[1:]]
    cases = [{"jobs": named, "unlisted_jobs": unlisted, **common} for unlisted in ("ignore", "report", "absent")]
    cases.append({"jobs": json.dumps(named), **common})
    hosts = {name: {k: v for k, v in host.items() if k != "log_delivery_job"} for name, host in fleet(simulator, cases).items()}
    for host in hosts.values():
        seed = [{"name": name, "destination_conf": DESTINATION} for name in ("old", "stray")]
        simulator.seed(jobs={host["zone_id"]: seed}, script_monitor={host["zone_id"]: {"enabled": True}})
    report = playbook.run(playbook=rehearsed({}), inventory=hosts, secrets=[SECRET], verbosity=4)
    for number, (name, host) in enumerate(hosts.items()):
        predicted, done, again = results(report, name)
        assert [found["changed"] for found in (predicted, done, again)] == [True, True, False]
        assert [found and found["name"] for found in again["jobs"]["jobs"]] == ["edge-logs", "errors", None]
        found = {each["name"]: each for each in simulator.state(host["zone_id"])["jobs"]}
        assert set(found) == {"edge-logs", "errors", *(() if number == 2 else ("stray",))}
        assert "RequestHeaders,Cookies&timestamps=rfc3339" in found["edge-logs"]["logpull_options"]
        assert found["errors"]["logpull_options"] == "fields=Action&timestamps=rfc3339"
        assert (found["edge-logs"]["enabled"], found["errors"]["enabled"]) == (True, False)
        assert [each["name"] for each in done["jobs"]["unlisted_jobs"]] == ([] if number == 0 else ["stray"])
    for zone in (host["zone_id"] for host in hosts.values()):
        mine = [entry for entry in report.journal if zone in entry["path"]]
        last = max(place for place, entry in enumerate(mine) if entry["method"] != "GET")
        # The zone is read once, and its jobs once more after a creation.
        assert len(mine[last + 1 :]) == 1 + 3


def test_omitted_jobs_are_left_alone(playbook, simulator):
    """Jobs are left alone if they are omitted."""
    hosts = fleet(simulator, [{"jobs": given, "custom_fields": CUSTOM} for given in (None, [], "[]")])
    for host in hosts.values():
        del host["log_delivery_job"]
    report = playbook.run(playbook=[play({})], inventory=hosts)
    assert not [entry for entry in report.journal if "logpush" in entry["path"]]
    assert [found["jobs"] for found in results(report)] == [{}] * 3


def test_every_type_of_custom_fields(playbook, simulator, zone):
    given = {"transformed_request_fields": ["X-T"], "raw_response_fields": ["x-raw"], "response_fields": ["x-r"]}
    playbook.run(playbook=[play(role_variables(zone, custom_fields={**given, "preserve_duplicates": ["x-r"]}))])
    (rule,) = rules(simulator, zone)
    assert names(rule, "transformed_request_fields") == ["x-t"]
    assert names(rule, "raw_response_fields") == ["x-raw"]
    assert rule["action_parameters"]["response_fields"] == [{"name": "x-r", "preserve_duplicates": True}]
    assert selected(simulator, zone) == [*OWN_FIELDS, "RequestHeaders", "ResponseHeaders", "ResponseFields"]


def test_the_route_reaches_the_module(playbook, zone):
    variables = role_variables(zone, script_monitor_enabled=True, script_monitor_route="page_shield")
    report = playbook.run(playbook=[play(variables)])
    paths = {entry["path"].rpartition("/")[2] for entry in report.journal}
    assert "page_shield" in paths and "script_monitor" not in paths
