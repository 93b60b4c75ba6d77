# SPDX-License-Identifier: GPL-3.0-or-later

import time
import typing as t

import pytest
from support.samples.fleet import report as of_records

from ansible_collections.edgeops.observability.plugins.module_utils._scripts.listing import reports_of
from ansible_collections.edgeops.observability.plugins.module_utils._zone.survey import may_be_selected
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.gates import refused
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.lines import printed
from harness import Modules

MODULE = "edgeops.observability.survey_info"
JOB = {"id": 4, "name": "edge", "destination_conf": "s3://logs/a?region=eu-west-1", "enabled": True}


def run(modules: Modules, **options: t.Any) -> t.Any:
    fails, warns = options.pop("fails", None), options.pop("warns", ())
    return modules.run({"name": "Read", MODULE: options}, defaults={}, check=True, fails=fails, warns=warns)


def fleet(modules: Modules, count: int) -> list[str]:
    ids = [f"{number:032x}" for number in range(1, count + 1)]
    modules.simulator.reset()
    modules.simulator.seed(zones=[{"id": zone_id, "name": f"z{place}.example"} for place, zone_id in enumerate(ids)])
    return ids


@pytest.mark.every_core
def test_unreadable_parts_have_a_reason(modules: Modules) -> None:
    """Each part is a result, or the reason why it could not be read; the other parts are still read."""
    first, second = fleet(modules, 2)
    modules.simulator.seed(jobs={first: [JOB]})
    modules.simulator.settings(graphql_disabled=["zones/*"])
    modules.simulator.faults({"kind": "status", "status": 403, "path": f"*/{second}/logpush/jobs", "count": None})
    one, other = run(modules, scripts=True, names=["Z0.example", "z1.example", "absent"], warns=["is named 'absent'"]).result[
        "zones"
    ]
    assert (one["zone"], one["zone_id"], one["jobs"]["jobs"][0]["health"]["state"]) == ("z0.example", first, "never")
    assert not one["delivery"]["available"] and "plan" in one["delivery"]["reason"]
    assert one["result"]["script_monitor"]["script_monitor"]["enabled"] is False and one["scripts"]["scripts"] == []
    assert other["jobs"]["failed"] and other["jobs"]["error"]["kind"] == "permission" and "delivery" not in other
    assert other["result"]["custom_fields"]["custom_fields"] == one["result"]["custom_fields"]["custom_fields"]


def test_one_missing_permission_is_told_once(modules: Modules) -> None:
    """What the records of a survey say of refused requests is enough for a report to see that they have one cause."""
    fleet(modules, 4)
    modules.simulator.faults({"kind": "status", "status": 403, "code": 10000, "path": "*/page_shield*", "count": None})
    modules.simulator.settings(script_monitor_routes=False)
    zones = [record for record in run(modules).result["zones"] if record["scope"] == "zone"]
    lines = printed(of_records(*zones, title="Survey"))
    told = [text for text in lines if "Page Shield Read" in text]
    assert (
        len(told) == 1
        and told[0].startswith("5 zones, such as ")
        and "script monitor, content security rules: the token needs" in told[0]
    )


def test_categories_of_scripts_are_read(modules: Modules) -> None:
    """A script may be reported by its categories alone, if the plan hides the two flags."""
    (zone,) = fleet(modules, 1)
    hidden = dict.fromkeys(("url_reported_malicious", "domain_reported_malicious"))
    seen = {
        "script_id": "a1",
        "script_url": "https://x.example/x.js",
        "status": "active",
        "malicious_url_categories": ["phishing"],
    }
    modules.simulator.seed(scripts={zone: [{**seen, **hidden}]})
    (record,) = run(modules, scripts=True, names=["z0.example"]).result["zones"]
    assert [list(reports_of(script)) for script in record["scripts"]["scripts"]] == [["URL category: phishing"]]


def test_listing_of_scripts_that_may_be_incomplete_is_told(modules: Modules) -> None:
    """Without the scripts that the service does not list, nobody can tell that none is malicious."""
    (zone_id,) = fleet(modules, 1)
    modules.simulator.seed(script_monitor={zone_id: {"enabled": True}})
    modules.simulator.settings(script_monitor_routes=False)
    modules.simulator.faults({"kind": "status", "status": 400, "code": 1999, "path": "*/page_shield/scripts"})
    zone = run(modules, scripts=True, names=["z0.example"]).result["zones"][0]
    (row,) = of_records(zone, title="Survey")["zones"]
    assert refused(row, ["malicious"])["malicious"].startswith(
        "not known, scripts: The list may be incomplete: the service refuses"
    )
    zone = run(modules, scripts=True, names=["z0.example"]).result["zones"][0]
    assert refused(of_records(zone, title="Survey")["zones"][0], ["malicious"]) == {}


def test_four_requests_per_zone(modules: Modules) -> None:
    """Each zone needs requests for fields, jobs, monitor and rules; ten zones with jobs share one delivery query."""
    ids = fleet(modules, 12)
    modules.simulator.seed(jobs={zone_id: [JOB] for zone_id in ids})
    report = run(modules)
    zones = [entry for entry in report.journal if entry["zone"] in ids]
    assert len(zones) == 48 and sum(entry["path"] == "/graphql" for entry in report.journal) == 2
    assert [zone["delivery"] for zone in report.result["zones"] if zone.get("zone_id") in ids] == [[]] * 12


def test_disabled_rule_is_reported(modules: Modules) -> None:
    (zone,) = fleet(modules, 1)
    action = {"action": "log_custom_field", "expression": "true", "action_parameters": {"cookie_fields": [{"name": "Cart"}]}}
    rules = {
        "id": "0e" * 16,
        "kind": "zone",
        "phase": "http_log_custom_fields",
        "rules": [{**action, "id": "0a", "enabled": False}],
    }

    def sentences() -> list[str]:
        modules.simulator.seed(rulesets={zone: [rules]}, jobs={zone: [{**JOB, "logpull_options": "fields=Cookies"}]})
        (record,) = [record for record in run(modules).result["zones"] if record.get("zone_id") == zone]
        return list(record["coverage"]["sentences"])

    assert sentences() == ["Job 'edge' selects Cookies, which stays empty: the rule of the custom fields is disabled."]
    others = {**action, "action_parameters": {"cookie_fields": [{"name": "Session"}]}, "id": "0b", "enabled": True}
    rules["rules"] = [{**action, "id": "0a", "enabled": False}, others]
    assert sentences() == ["cookie_fields (Cart) reach no log: their rule is disabled."]


def test_no_matching_zone_fails(modules: Modules) -> None:
    fleet(modules, 1)
    run(modules, statuses=["moved"], fails="not_found")
    refused = run(modules, statuses=["pendng"], fails="not_found")
    assert "statuses: 'pendng' is not a status of zones that is documented (did you mean 'pending'?)" in refused.failure["msg"]
    (warning,) = run(modules, statuses=["pendng", "active"], warns=["pendng"]).result["warnings"]
    assert warning.startswith("statuses: 'pendng' is not")


def test_rules_and_their_violations_are_read(modules: Modules) -> None:
    """Ten zones with rules share one query; an unreadable zone does not hide the others."""
    ids = fleet(modules, 12)
    rules = {zone_id: [{"id": f"r{number}", "description": "checkout"}] for number, zone_id in enumerate(ids[:11])}
    past = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600))
    seen = {ids[0]: [{"policy_id": "r0", "url": "https://cdn.example/a.js", "count": 3, "datetime": past}]}
    modules.simulator.seed(policies=rules, violations=seen)
    report = run(modules, delivery=False)
    assert sum(entry["path"] == "/graphql" for entry in report.journal) == 2
    rules_by_zone = rules_of(report)
    assert [blocked["source"] for blocked in rules_by_zone[ids[0]][0]["violations"]["blocked"]] == ["https://cdn.example/a.js"]
    assert rules_by_zone[ids[1]][0]["violations"]["blocked"] == [] and rules_by_zone[ids[11]] == []
    modules.simulator.settings(graphql_disabled=[f"zones/{ids[1]}/*"])
    rules_by_zone = rules_of(run(modules, delivery=False))
    assert [rules_by_zone[zone_id][0]["violations"]["available"] for zone_id in ids[:3]] == [True, False, True]


def test_failed_query_is_the_failure_of_its_zones(modules: Modules) -> None:
    """An error of the service in the query for ten zones leaves the others as they are."""
    ids = fleet(modules, 12)
    modules.simulator.seed(
        policies={zone_id: [{"id": f"r{number}", "description": "checkout"}] for number, zone_id in enumerate(ids)}
    )
    modules.simulator.faults({"kind": "status", "status": 500, "path": "*/graphql", "count": 1})
    zones = [zone for zone in run(modules, delivery=False).result["zones"] if zone.get("zone_id")]
    rules = {zone["zone_id"]: zone["result"]["content_security_rules"] for zone in zones}
    failed = [part["error"]["kind"] for part in rules.values() if part.get("failed")]
    assert failed == ["unavailable"] * 10 and len(rules) >= 12


def test_zone_without_its_account_is_read() -> None:
    """A zone that the service lists without its account may be one of the account that is asked for."""
    zone: t.Any = {"id": "0a", "name": "a.example", "status": "active", "account": None}
    filters = {"names": [], "statuses": [], "account_ids": ["0b"]}
    assert may_be_selected(zone, filters) and may_be_selected({**zone, "account": {"id": "0b", "name": None}}, filters)
    assert not may_be_selected({**zone, "account": {"id": "0c", "name": None}}, filters)
    assert not may_be_selected(zone, {**filters, "names": ["b.example"]})


def rules_of(report: t.Any) -> dict[str, t.Any]:
    zones = [zone for zone in report.result["zones"] if zone.get("zone_id")]
    return {zone["zone_id"]: zone["result"]["content_security_rules"]["content_security_rules"] for zone in zones}


def test_policies_of_accounts_are_read(modules: Modules) -> None:
    """Policies are read for each account; without permission, the result has the reason."""

    def read() -> list[t.Any]:
        return [zone.get("notifications") for zone in run(modules).result["zones"] if zone["scope"] == "account"]

    fleet(modules, 1)
    assert [sorted(notifications) for notifications in read()] == [
        ["available_alerts", "history", "notification_policies", "silences", "webhooks"]
    ]
    modules.simulator.faults({"kind": "status", "status": 403, "path": "*/alerting/v3/policies", "count": None})
    assert [notifications["error"]["kind"] for notifications in read()] == ["permission"]


def test_warnings_of_the_modules_of_all_parts_are_shown(modules: Modules) -> None:
    """Of jobs, rules and notifications alike, with the zone or account: what cannot be told is not shown as nothing."""
    (zone_id,) = fleet(modules, 1)
    rule = {"id": "r0", "description": "checkout", "value": "script-src 'self'; unheard-of x"}
    modules.simulator.seed(
        policies={zone_id: [rule]}, jobs={zone_id: [{**JOB, "destination_conf": "s3://logs/a&region=eu-west-1"}]}
    )
    modules.simulator.faults({"kind": "status", "status": 403, "path": "*/alerting/v3/silences", "count": None})
    account = f"account_{modules.simulator.account}"
    patterns = (r"z0\.example: .*question mark", r"z0\.example: .*'checkout' has directives", rf"{account}: silences is null")
    result = run(modules, warns=patterns).result
    assert not any("warnings" in str(record) for record in result["zones"])


def test_an_account_that_is_asked_for_is_surveyed_although_it_is_not_listed(modules: Modules) -> None:
    """A token that lists other accounts only, or none, hides no account that somebody named."""
    fleet(modules, 1)
    known, hidden = "0c" * 16, "0d" * 16
    modules.simulator.seed(accounts=[{"id": known, "name": "Shop"}])

    def read() -> list[t.Any]:
        return list(run(modules, account_ids=[known, hidden]).result["zones"])

    modules.simulator.faults({"kind": "status", "status": 403, "path": f"/accounts/{hidden}/*", "count": None})
    records = {record["account_id"]: record for record in read()}
    assert records.keys() == {known, hidden} and not records[known]["jobs"].get("failed")
    modules.simulator.faults({"kind": "status", "status": 403, "path": "/accounts", "count": None})
    for of_run in (list(records.values()), read()):
        rows = {row["account_id"]: row for row in of_records(*of_run, title="Survey")["zones"]}
        assert rows[hidden]["status"] == "unaudited" and rows[known]["status"] != "unaudited"


def test_custom_fields_that_cannot_be_read_leave_their_delivery_unknown(modules: Modules) -> None:
    modules.simulator.faults({"kind": "status", "status": 403, "path": "*/rulesets*", "zone": modules.zone, "count": None})
    report = modules.run({"name": "Survey", MODULE: {"scripts": False, "delivery": False}}, defaults={})
    (zone,) = [record for record in report.result["zones"] if record.get("zone_id") == modules.zone]
    assert zone["coverage"]["failed"] and zone["coverage"]["error"]["kind"] == "permission"


def test_server_error_is_not_a_missing_permission(modules: Modules) -> None:
    broken, refused = fleet(modules, 2)
    modules.simulator.seed(jobs={broken: [JOB]})
    wrong = {"kind": "status", "count": None}
    modules.simulator.faults(
        {**wrong, "status": 500, "path": f"*/zones/{broken}/rulesets*"},
        {**wrong, "status": 403, "path": f"*/zones/{refused}/rulesets*"},
    )
    zones = [zone for zone in run(modules, retries=0).result["zones"] if zone.get("zone_id") in (broken, refused)]
    rows = {row["zone_id"]: row for row in of_records(*zones, title="Survey")["zones"]}
    assert (rows[broken]["status"], rows[broken]["error"]["kind"]) == ("unaudited", "unavailable")
    assert "permission" not in rows[broken]["error"] and rows[broken]["jobs"]
    assert rows[refused]["status"] == "unmanaged" and "not_readable" in {item["type"] for item in rows[refused]["items"]}
