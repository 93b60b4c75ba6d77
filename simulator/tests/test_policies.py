# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import time
import typing as t

import pytest

RULE = {
    "action": "log",
    "description": "checkout",
    "enabled": True,
    "expression": '(http.host eq "shop.example")',
    "value": "script-src 'self'",
}
PATH = "/page_shield/policies"
ENTRY_POINT = "/rulesets/phases/http_response_page_shield/entrypoint"
REPORTS = """query($z: [string!], $from: Time!, $to: Time!) {viewer{zones(filter:{zoneTag_in:$z}){
  pageShieldReportsAdaptiveGroups(limit: 10, filter:{datetime_geq:$from, datetime_lt:$to, policyID: "p1"}, orderBy: [count_DESC])
  {count avg{sampleInterval} dimensions{cspDirective url host pageURL}}}}}"""


def test_lifecycle(zone: t.Any) -> None:
    made = zone.result("POST", PATH, RULE)
    assert made == {"id": made["id"], **RULE}
    assert zone.result("PUT", f"{PATH}/{made['id']}", {"action": "allow"}) == {**made, "action": "allow"}
    assert zone.result("GET", PATH) == [zone.result("GET", f"{PATH}/{made['id']}")]
    assert zone("DELETE", f"{PATH}/{made['id']}")[0] == zone("DELETE", f"{PATH}/{made['id']}")[0] == 204
    assert zone.refusal("PUT", f"{PATH}/{made['id']}", {"action": "log"})[:2] == (404, 10007)


@pytest.mark.parametrize("member", RULE)
def test_creation_needs_all_members(zone: t.Any, member: str) -> None:
    assert zone.refusal("POST", PATH, {name: value for name, value in RULE.items() if name != member})[0] == 400


@pytest.mark.parametrize("change", [{"value": "x" * 6001}, {"value": ""}, {"action": "block"}, {"enabled": "true"}])
def test_bad_values_are_refused(zone: t.Any, change: t.Any) -> None:
    assert zone.refusal("POST", PATH, {**RULE, **change})[0] == 400
    assert zone.result("GET", PATH) == []


@pytest.mark.parametrize(("most", "said"), [(5, "6 out of 5"), (0, "1 out of 0")])
def test_rule_above_the_quota_is_refused(sim: t.Any, zone: t.Any, most: int, said: str) -> None:
    sim.settings(max_policies=most)
    for _each in range(most):
        zone.result("POST", PATH, RULE)
    assert said in zone.refusal("POST", PATH, RULE)[2]


def test_setting_returns_enabled_as_text(sim: t.Any, zone: t.Any) -> None:
    sim.settings(policy_enabled_as_text=True)
    assert zone.result("POST", PATH, RULE)["enabled"] == zone.result("GET", PATH)[0]["enabled"] == "true"


def test_entry_point_needs_a_setting(sim: t.Any, zone: t.Any) -> None:
    made = zone.result("POST", PATH, RULE)
    assert zone.refusal("GET", ENTRY_POINT)[:2] == (404, 10003)
    sim.settings(policy_entry_point=True)
    entry_point = zone.result("GET", ENTRY_POINT)
    assert (entry_point["phase"], [rule["id"] for rule in entry_point["rules"]]) == ("http_response_page_shield", [made["id"]])


def test_violations_are_grouped(sim: t.Any) -> None:
    seen = {"policy_id": "p1", "url": "https://cdn.example/a.js", "host": "shop.example", "page_url": "https://shop.example/pay"}
    others = [{**seen, "policy_id": "p2"}, {**seen, "url": "https://cdn.example/b.js", "datetime": "2026-01-01T00:00:00Z"}]
    sim.seed(violations={sim.zone: [{**seen, "count": 12, "sample_interval": 10}, {**seen, "count": 3}, *others]})
    moments = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds)) for seconds in (-86400, 60)]
    answer = sim.query(REPORTS, z=[sim.zone], **dict(zip(("from", "to"), moments, strict=True)))
    (group,) = answer["data"]["viewer"]["zones"][0]["pageShieldReportsAdaptiveGroups"]
    dimensions = {"cspDirective": "script-src", "url": seen["url"], "host": "shop.example", "pageURL": seen["page_url"]}
    assert group == {"count": 15, "avg": {"sampleInterval": 5.5}, "dimensions": dimensions}
