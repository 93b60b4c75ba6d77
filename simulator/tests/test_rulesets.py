# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest

PHASE = "http_log_custom_fields"
NEW = {"name": "n", "kind": "zone", "phase": PHASE, "description": "d"}


def rule(**kinds: t.Any) -> dict[str, t.Any]:
    named = {kind: [{"name": item} if isinstance(item, str) else item for item in items] for kind, items in kinds.items()}
    return {"action": "log_custom_field", "expression": "true", "action_parameters": named}


def test_create_list_update(zone: t.Any, sim: t.Any) -> None:
    made = zone.result("POST", "/rulesets", NEW)
    assert made["version"] == "1" and made["rules"] == [] and {k: made[k] for k in NEW} == NEW
    listed = zone.result("GET", "/rulesets")
    assert [r["id"] for r in listed] == [made["id"]] and "rules" not in listed[0]
    updated = zone.result("PUT", f"/rulesets/{made['id']}", {"rules": [rule(request_fields=["x-a"], cookie_fields=["Sid"])]})
    (kept,) = updated["rules"]
    assert updated["version"] == "2" and updated["last_updated"] > made["last_updated"] and updated["name"] == "n"
    assert kept["version"] == "1" and kept["ref"] == kept["id"] and kept["enabled"] is True and kept["description"] == ""
    assert kept["action_parameters"] == {"request_fields": [{"name": "x-a"}], "cookie_fields": [{"name": "Sid"}]}
    sim.settings(rules_in_list=True)
    assert zone.result("GET", "/rulesets")[0]["rules"] == [kept]


def test_phase_has_one_ruleset_per_zone(zone: t.Any, other_zone: t.Any) -> None:
    """A phase has one ruleset in each zone."""
    zone.ruleset()
    status, code, message = zone.refusal("POST", "/rulesets", NEW)
    assert (status, code) == (400, 20217) and "exceeded maximum number of zone rulesets for phase" in message
    other_zone.ruleset()


def test_put_keeps_rule_identity_by_id_or_ref(zone: t.Any) -> None:
    """PUT replaces all rules; a rule with a known id or ref keeps its id and ref."""
    ruleset = zone.ruleset(
        rule(request_fields=["x-a"]), {**rule(request_fields=["x-b"]), "ref": "mine"}, rule(request_fields=["x-c"])
    )
    one, two, _unused = ruleset["rules"]
    sent = [
        {**rule(request_fields=["x-d"]), "ref": "mine"},
        {**rule(request_fields=["x-e"]), "id": one["id"]},
        rule(cookie_fields=["N"]),
    ]
    after = zone.result("PUT", f"/rulesets/{ruleset['id']}", {"rules": sent})["rules"]
    assert [r["id"] for r in after[:2]] == [two["id"], one["id"]] and [r["ref"] for r in after[:2]] == ["mine", one["ref"]]
    assert [r["version"] for r in after] == ["2", "2", "1"]
    assert after[2]["id"] not in {r["id"] for r in ruleset["rules"]}
    again = zone.result("PUT", f"/rulesets/{ruleset['id']}", {"rules": [rule(cookie_fields=["N"])]})["rules"]
    assert again[0]["id"] != after[2]["id"]


def test_put_without_rules_keeps_them(zone: t.Any) -> None:
    ruleset = zone.ruleset(rule(request_fields=["x-a"]))
    after = zone.result("PUT", f"/rulesets/{ruleset['id']}", {"description": "other"})
    assert after["rules"] == ruleset["rules"] and after["description"] == "other" and after["version"] == "3"


BAD_RULES = {
    "unknown member": {**rule(request_fields=["x-a"]), "note": 1},
    "unknown kind": rule(header_fields=["x-a"]),
    "unknown item member": rule(request_fields=[{"name": "x-a", "preserve_duplicates": True}]),
    "expression": {**rule(request_fields=["x-a"]), "expression": 'http.host eq "a"'},
    "no expression": {"action": "log_custom_field", "action_parameters": {"request_fields": [{"name": "x"}]}},
    "no parameters": {"action": "log_custom_field", "expression": "true"},
    "no list": rule(),
    "empty list": rule(request_fields=[]),
    "upper case": rule(request_fields=["X-A"]),
    "no header name": rule(response_fields=["x a"]),
    "empty name": rule(request_fields=[""]),
    "no text": rule(request_fields=[{"name": 1}]),
    "cookie": rule(cookie_fields=["a=b"]),
    "twice": rule(cookie_fields=["a", "a"]),
    "raw and transformed": rule(request_fields=["x-a"], transformed_request_fields=["x-a"]),
    "raw and transformed answer": rule(response_fields=["x-a"], raw_response_fields=["x-a"]),
    "too many": rule(request_fields=[f"x-{n}" for n in range(20)], cookie_fields=[f"c{n}" for n in range(21)]),
    "enabled": {**rule(request_fields=["x-a"]), "enabled": "yes"},
    "empty ref": {**rule(request_fields=["x-a"]), "ref": ""},
    "no action": {"expression": "true"},
    "no object": "rule",
}


@pytest.mark.parametrize("bad", BAD_RULES.values(), ids=BAD_RULES)
def test_refused_rules_change_nothing(zone: t.Any, bad: t.Any) -> None:
    ruleset = zone.ruleset(rule(request_fields=["x-kept"]))
    assert zone.refusal("PUT", f"/rulesets/{ruleset['id']}", {"rules": [bad]})[0] == 400
    assert zone.result("GET", f"/rulesets/{ruleset['id']}") == ruleset


def test_unknown_members_are_named(zone: t.Any) -> None:
    ruleset = zone.ruleset()
    bad = {**rule(request_fields=["x-a"]), "categories": []}
    assert zone.refusal("PUT", f"/rulesets/{ruleset['id']}", {"rules": [bad]})[2] == 'invalid JSON: unknown field "categories"'
    assert (
        zone.refusal("PUT", f"/rulesets/phases/{PHASE}/entrypoint", {"kind": "zone"})[2] == 'invalid JSON: unknown field "kind"'
    )
    assert zone.refusal("POST", "/rulesets", {**NEW, "x": 1})[0] == 400


def test_field_limit_is_forty_and_can_be_set(zone: t.Any, sim: t.Any) -> None:
    """The default limit is forty fields, and a setting changes it."""
    full = rule(request_fields=[f"x-{n}" for n in range(20)], cookie_fields=[f"C{n}" for n in range(20)])
    ruleset = zone.ruleset(full)
    assert zone.refusal("PUT", f"/rulesets/{ruleset['id']}", {"rules": [full, rule(response_fields=["age"])]})[0] == 400
    sim.settings(field_limit=0, field_limit_per_kind=100)
    zone.result("PUT", f"/rulesets/{ruleset['id']}", {"rules": [full, rule(response_fields=["age"])]})


def test_foreign_rules_and_versions_are_accepted(zone: t.Any, sim: t.Any) -> None:
    """Rules with other actions are accepted, and versions in requests are ignored."""
    foreign = {
        "action": "something_else",
        "expression": 'http.host eq "a"',
        "action_parameters": {"deep": [1]},
        "logging": {"enabled": True},
    }
    ruleset = zone.ruleset(foreign)
    back = ruleset["rules"]
    assert zone.result("PUT", f"/rulesets/{ruleset['id']}", {"rules": back})["rules"][0]["action_parameters"] == {"deep": [1]}
    sim.settings(refuse_foreign_actions=["something_else"])
    assert zone.refusal("PUT", f"/rulesets/{ruleset['id']}", {"rules": back})[0] == 400


def test_entry_point_is_created_and_read(zone: t.Any, sim: t.Any) -> None:
    path = f"/rulesets/phases/{PHASE}/entrypoint"
    assert zone.refusal("GET", path)[:2] == (404, 10003)
    made = zone.result("PUT", path, {"rules": [rule(request_fields=["x-a"])]})
    assert made["version"] == "1" and made["kind"] == "zone" and made["phase"] == PHASE
    assert zone.result("GET", path) == made == zone.result("GET", f"/rulesets/{made['id']}")
    assert zone.result("PUT", path, {"rules": []})["rules"] == []
    sim.settings(entrypoint_route=False, get_ruleset_route=False)
    assert zone.refusal("GET", path)[1] == zone.refusal("GET", f"/rulesets/{made['id']}")[1] == 7003


def test_single_rules_are_added_moved_changed_and_deleted(zone: t.Any) -> None:
    ruleset = zone.ruleset(rule(request_fields=["x-a"]))
    path = f"/rulesets/{ruleset['id']}"
    first = {**rule(cookie_fields=["C"]), "position": {"index": 1}}
    after = zone.result("POST", f"{path}/rules", first)
    new, old = after["rules"]
    assert old == ruleset["rules"][0] and after["version"] == "3" and "position" not in new
    moved = zone.result("PATCH", f"{path}/rules/{new['id']}", {"position": {"after": old["id"]}})["rules"]
    assert moved == [old, new]
    changed = zone.result("PATCH", f"{path}/rules/{new['id']}", {**rule(cookie_fields=["D"]), "enabled": False})["rules"][1]
    assert (changed["id"], changed["ref"], changed["version"], changed["enabled"]) == (new["id"], new["ref"], "2", False)
    assert zone.result("DELETE", f"{path}/rules/{old['id']}")["rules"] == [changed]
    assert zone.refusal("DELETE", f"{path}/rules/{old['id']}")[0] == 404
    assert zone.refusal("POST", f"{path}/rules", {**rule(cookie_fields=["E"]), "position": {"index": 9}})[0] == 400
    assert zone.refusal("POST", f"{path}/rules", {**rule(cookie_fields=["E"]), "ref": new["ref"]})[0] == 400


def test_dry_run_changes_nothing_and_delete_removes(zone: t.Any) -> None:
    ruleset = zone.ruleset()
    path = f"/rulesets/{ruleset['id']}"
    assert zone("PUT", f"{path}?dry_run=true", {"rules": [rule(request_fields=["x-a"])]})[1]["result"] is None
    assert zone("DELETE", f"{path}?dry_run=true") == (204, None)
    assert zone.refusal("DELETE", f"{path}?dry_run=maybe")[0] == 400
    assert zone.result("GET", path) == ruleset
    assert zone("DELETE", path) == (204, None)
    assert zone.refusal("GET", path)[0] == 404 and zone.refusal("DELETE", path)[0] == 404


def test_account_rulesets_are_read_only(zone: t.Any, sim: t.Any) -> None:
    """Rulesets of the account are listed but cannot be changed."""
    sim.seed(
        rulesets={
            zone.id: [
                {"id": "m", "kind": "managed", "phase": "http_request_firewall_managed"},
                {"id": "r", "kind": "root", "phase": PHASE},
            ]
        }
    )
    assert [r["kind"] for r in zone.result("GET", "/rulesets")] == ["managed", "root"]
    assert zone.refusal("GET", f"/rulesets/phases/{PHASE}/entrypoint")[0] == 404
    assert zone.refusal("PUT", "/rulesets/r", {"rules": []})[0] == 403


def test_preserve_duplicates_is_echoed_if_set(zone: t.Any, sim: t.Any) -> None:
    """With the setting, `preserve_duplicates` is returned for every item."""
    sent = rule(response_fields=[{"name": "age", "preserve_duplicates": True}, "vary"])
    assert zone.ruleset(sent)["rules"][0]["action_parameters"] == sent["action_parameters"]
    sim.settings(echo_preserve_duplicates=True)
    fields = zone.result("GET", f"/rulesets/phases/{PHASE}/entrypoint")["rules"][0]["action_parameters"]["response_fields"]
    assert [item["preserve_duplicates"] for item in fields] == [True, False]


def test_malformed_rule_does_not_affect_others(zone: t.Any, sim: t.Any) -> None:
    """A seed can contain a rule that the API would refuse; writes of other rules still work."""
    sim.seed(rulesets={zone.id: [{"id": "r", "rules": [{"action": "log_custom_field"}]}]})
    added = zone.result("POST", "/rulesets/r/rules", rule(request_fields=["x-a"]))
    assert len(added["rules"]) == 2


REFUSED_BODIES = [
    ("POST", "/rulesets", {**NEW, "x": 1}, 10014, 'invalid JSON: unknown field "x"', None),
    ("POST", "/rulesets", {"kind": "zone", "phase": PHASE}, 20120, "name is required", "/name"),
    ("POST", "/rulesets", {**NEW, "kind": "root"}, 20120, "kind must be 'zone'", "/kind"),
    ("POST", "/rulesets", [], 10014, "the body must be an object", None),
    ("PUT", "", {"rules": [{**rule(request_fields=["x-a"]), "enabled": 1}]}, 10014, "rules[0].enabled must be a boolean", "/rules/0/enabled"),
    ("PUT", "", {"rules": [rule(request_fields=["x-a\n"])]}, 20120, "rules[0].action_parameters.request_fields[0].name must match", None),
    ("PUT", "", {"rules": [{"action": "log_custom_field", "expression": "true"}]}, 20120, "rules[0].action_parameters is required", None),
    ("POST", "/rules", {**rule(cookie_fields=["C"]), "position": {}}, 20120, "position must have at least 1 member(s)", "/position"),
    ("PATCH", "/rules/x", {"position": {"index": 0}}, 20120, "position.index must be at least 1", "/position/index"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("method", "path", "body", "code", "message", "pointer"), REFUSED_BODIES, ids=[row[4] for row in REFUSED_BODIES]
)
def test_refused_bodies_have_a_place(
    zone: t.Any, method: str, path: str, body: t.Any, code: int, message: str, pointer: str | None
) -> None:
    full = path if path == "/rulesets" else f"/rulesets/{zone.ruleset()['id']}{path}"
    status, envelope = zone(method, full, body)
    error = envelope["errors"][0]
    assert (status, error["code"]) == (400, code) and error["message"].startswith(message)
    assert pointer is None or error["source"] == {"pointer": pointer}
