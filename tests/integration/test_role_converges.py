# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

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
    rules,
    selected,
    wish,
)

from harness import prediction

CUSTOM = lists(request=["X-Trace-Id", "x-forwarded-proto"], cookies=["Cart"])
NOT_GIVEN = (None, {}, {"request_headers": None})


def seed_rules(simulator, zone, **kinds):
    """A zone that has custom fields, and a rule of another action beside them."""
    parameters = {kind: [{"name": name} for name in found] for kind, found in kinds.items()}
    rule = {"action": "log_custom_field", "expression": "true", "enabled": True, "action_parameters": parameters}
    foreign = {"action": "skip", "expression": "true", "enabled": True, "action_parameters": {"ruleset": "current"}}
    ruleset = {"name": "entry", "kind": "zone", "phase": "http_log_custom_fields", "rules": [foreign, rule]}
    simulator.seed(rulesets={zone: [ruleset]})


def test_from_nothing_is_foretold_then_done_and_then_left_alone(playbook, simulator, zone):
    report = playbook.run(playbook=rehearsed(wish(zone, custom_fields=CUSTOM, script_monitor_enabled=True)), secrets=[SECRET])
    for module in ("log_custom_fields", "logpush_job", "script_monitor"):
        foretold, done, again = modules(report, module)
        assert foretold.result["changed"] is True and not foretold.writes
        prediction.check_predicted(foretold, done)
        assert done.writes
        assert again.result["changed"] is False
        assert len(again.journal) == 1 and not again.writes
    assert [found["changed"] for found in results(report)] == [True, True, False]
    (rule,) = rules(simulator, zone)
    assert names(rule, "request_fields") == ["x-forwarded-proto", "x-trace-id"]
    assert names(rule, "cookie_fields") == ["Cart"]
    assert selected(simulator, zone) == [*OWN_FIELDS, "RequestHeaders", "Cookies"]
    state = simulator.state(zone)
    assert state["jobs"][0]["enabled"] is True
    assert state["jobs"][0]["destination_conf"] == DESTINATION
    assert state["script_monitor"]["enabled"] is True


def test_a_check_run_of_the_whole_playbook_predicts_both_on_an_empty_zone(playbook, zone):
    report = playbook.run(playbook=[play(wish(zone, custom_fields=CUSTOM))], check=True)
    (found,) = results(report)
    assert found["changed"] is True
    assert found["custom_fields"]["custom_fields"]["cookie_fields"] == ["Cart"]
    assert found["job"]["job"]["id"] is None
    assert "RequestHeaders" in found["job"]["job"]["logpull_options"]
    assert found["script_monitor"] == {}
    assert found["cross_check"]["arrives"] is True


def test_the_job_selects_what_carries_a_list_that_is_not_empty(playbook, simulator):
    cases = [
        (lists(request=["x-a"]), ["RequestHeaders"]),
        (lists(response=["x-a"], cookies=["c"]), ["ResponseHeaders", "Cookies"]),
        ({"response_headers": ["x-a"]}, ["ResponseHeaders"]),
        (None, []),
    ]
    hosts = fleet(simulator, [{"custom_fields": custom_fields} for custom_fields, _added in cases])
    playbook.run(playbook=[play({})], inventory=hosts)
    for host, (_custom_fields, added) in zip(hosts.values(), cases, strict=True):
        assert selected(simulator, host["zone_id"]) == [*OWN_FIELDS, *added]


def test_every_form_of_a_job_gets_the_fields_and_keeps_its_own(playbook, simulator):
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


def test_a_list_that_became_empty_takes_its_field_out_of_the_job(playbook, simulator, zone):
    plays = [play(wish(zone, custom_fields=CUSTOM)), *rehearsed(wish(zone, custom_fields=lists(cookies=["Cart"])))]
    report = playbook.run(playbook=plays)
    assert selected(simulator, zone) == [*OWN_FIELDS, "Cookies"]
    (rule,) = rules(simulator, zone)
    assert "request_fields" not in rule["action_parameters"]
    assert [found["changed"] for found in results(report)] == [True, True, True, False]


def test_three_empty_lists_remove_every_custom_field_and_nothing_else(playbook, simulator, zone):
    seed_rules(simulator, zone, request_fields=["x-old"], transformed_request_fields=["x-other"])
    report = playbook.run(playbook=rehearsed(wish(zone, custom_fields=lists())))
    assert [rule["action"] for rule in rules(simulator, zone)] == ["skip"]
    assert selected(simulator, zone) == OWN_FIELDS
    assert [found["changed"] for found in results(report)] == [True, True, False]


def test_custom_fields_that_are_not_given_are_left_alone(playbook, simulator):
    hosts = fleet(simulator, [{"custom_fields": given, "state": state} for given in NOT_GIVEN for state in ("present", "absent")])
    for host in hosts.values():
        seed_rules(simulator, host["zone_id"], request_fields=["x-old"])
    report = playbook.run(playbook=[play({})], inventory=hosts)
    assert not [entry for entry in report.journal if "rulesets" in entry["path"]]
    assert [found["custom_fields"] for found in results(report)] == [{}] * len(hosts)


def test_a_list_that_is_not_given_leaves_its_sort_alone(playbook, simulator, zone):
    seed_rules(simulator, zone, request_fields=["x-old"], cookie_fields=["Kept"])
    playbook.run(playbook=[play(wish(zone, custom_fields={"request_headers": ["x-new"]}))])
    rule = rules(simulator, zone)[1]
    assert names(rule, "request_fields") == ["x-new"]
    assert names(rule, "cookie_fields") == ["Kept"]


def test_absent_removes_the_job_first_and_then_the_named_fields(playbook, simulator, zone):
    present = wish(zone, custom_fields=lists(request=["x-a", "x-b"], cookies=["Cart"]))
    gone = wish(zone, state="absent", custom_fields=lists(request=["x-a"]))
    report = playbook.run(playbook=[play(present), *rehearsed(gone)])
    assert simulator.state(zone)["jobs"] == []
    (rule,) = rules(simulator, zone)
    assert names(rule, "request_fields") == ["x-b"]
    assert names(rule, "cookie_fields") == ["Cart"]
    deletes = [entry["index"] for entry in report.writes if entry["method"] == "DELETE"]
    assert len(deletes) == 1
    assert deletes[0] < max(entry["index"] for entry in report.writes if "rulesets" in entry["path"])
    assert [found["changed"] for found in results(report)] == [True, True, True, False]
    assert results(report)[-1]["job"]["job"] is None


def test_absent_with_three_empty_lists_removes_every_custom_field(playbook, simulator, zone):
    report = playbook.run(
        playbook=[play(wish(zone, custom_fields=CUSTOM)), *rehearsed(wish(zone, state="absent", custom_fields=lists()))]
    )
    assert rules(simulator, zone) == []
    assert simulator.state(zone)["jobs"] == []
    assert [found["changed"] for found in results(report)] == [True, True, True, False]


def test_absent_on_a_zone_that_has_nothing_changes_nothing(playbook, zone):
    report = playbook.run(playbook=[play(wish(zone, state="absent", custom_fields=CUSTOM))])
    assert [found["changed"] for found in results(report)] == [False]
    assert not report.writes


def test_a_job_is_enabled_unless_the_wish_says_otherwise(playbook, simulator):
    hosts = fleet(simulator, [{"job": job()}, {"job": job(enabled=False)}])
    for host, enabled in zip(hosts.values(), (False, True), strict=True):
        existing = {"name": "edge-logs", "dataset": "http_requests", "destination_conf": DESTINATION, "enabled": enabled}
        simulator.seed(jobs={host["zone_id"]: [existing]})
    playbook.run(playbook=[play({})], inventory=hosts)
    assert [simulator.state(host["zone_id"])["jobs"][0]["enabled"] for host in hosts.values()] == [True, False]


def test_the_script_monitor_is_left_alone_unless_it_is_named(playbook, simulator, zone):
    simulator.seed(script_monitor={zone: {"enabled": True}})
    report = playbook.run(playbook=[play(wish(zone)), play(wish(zone, script_monitor_enabled=False))])
    assert simulator.state(zone)["script_monitor"]["enabled"] is False
    first, second = results(report)
    assert first["script_monitor"] == {}
    assert second["script_monitor"]["script_monitor"]["enabled"] is False


def test_the_text_of_a_survey_means_the_same_as_data(playbook, simulator, zone):
    data = wish(zone, custom_fields=CUSTOM, script_monitor_enabled=True)
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
    wanted = job(
        timestamp_format="rfc3339",
        option_flags={"CVE-2021-44228": True},
        filter={"and": [{"key": "EdgeResponseStatus", "operator": "geq", "value": 500}]},
        kind="edge",
        frequency="low",
        max_upload_bytes=5_000_000,
        max_upload_interval_seconds=60,
        max_upload_records=1000,
    )
    playbook.run(playbook=[play(wish(zone, job=wanted))])
    (found,) = simulator.state(zone)["jobs"]
    assert found["filter"] == '{"where":{"and":[{"key":"EdgeResponseStatus","operator":"geq","value":500}]}}'
    assert "timestamps=rfc3339" in found["logpull_options"] and "CVE-2021-44228=true" in found["logpull_options"]
    assert {name: found[name] for name in ("kind", "frequency", "max_upload_bytes")} == {
        "kind": "edge",
        "frequency": "low",
        "max_upload_bytes": 5_000_000,
    }
    assert (found["max_upload_interval_seconds"], found["max_upload_records"]) == (60, 1000)


def test_an_approved_check_run_is_applied_and_nothing_else(playbook, simulator, zone):
    (foretold,) = results(playbook.run(playbook=[play(wish(zone))], check=True))
    approved = job(expected_plan_id=foretold["job"]["plan_id"])
    playbook.run(playbook=[play(wish(zone, job=approved))])
    assert len(simulator.state(zone)["jobs"]) == 1
    playbook.run(playbook=[play(wish(zone, job=approved))], fails="conflict")


def test_fields_that_stay_empty_are_pointed_out_and_fail_nothing(playbook, simulator, zone):
    seed_rules(simulator, zone, request_fields=["x-a"], response_fields=["x-b"])
    wanted = wish(zone, job=job(fields=["Cookies"]), custom_fields={"request_headers": ["x-a"]})
    report = playbook.run(playbook=[play(wanted)])
    (found,) = results(report)
    assert [finding["kind"] for finding in found["cross_check"]["unselected"]] == ["response_fields"]
    assert [finding["field"] for finding in found["cross_check"]["unconfigured"]] == ["Cookies"]
    (shown,) = [outcome for outcome in report.outcomes if outcome.action == "ansible.builtin.debug" and outcome.status == "ok"]
    assert shown.result["msg"] == found["cross_check"]["sentences"]
