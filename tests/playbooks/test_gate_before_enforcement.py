# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook deliver enforces no rule of which it is known that it blocks what pages use, or not known what it blocks: a host for each case."""

import functools
import itertools
import json
import time
import typing as t

import pytest
from support.proxy import changing
from zone_runs import fleet

RULE = {"description": "shop", "expression": "true"}
ALLOW = {**RULE, "action": "allow"}
UNREAD = "its violations cannot be read"
STRIPE, OWN, CDN = "https://js.stripe.com/v3/", "https://shop.example/own.js", "https://cdn.example/a.js"
ENTRY = {
    "name": "pay",
    "url": CDN,
    "owner": "o",
    "justification": "j",
    "authorised_by": "me",
    "integrity": "unpinned",
    "integrity_reason": "r",
}


class Case(t.NamedTuple):
    """The present rule, the item, what browsers reported, and what the zone lists; what the failure says, "" for a rule that is written."""

    value: str
    item: dict[str, t.Any]
    said: str
    reported: tuple[str, ...] = ()
    scripts: tuple[str, ...] = (OWN,)
    connections: tuple[str, ...] = ()
    action: str = "log"
    monitor: bool = True
    directive: str = "script-src-elem"
    # What stands in the dimensions of its reports in place of what the service has there.
    instead: dict[str, t.Any] | None = None


CASES: dict[str, Case] = {
    "narrower_than_logged": Case(
        "script-src 'self' https:", {**ALLOW, "directives": "script-src 'self'"}, STRIPE, ("http://a.example/",), (OWN, STRIPE)
    ),
    "added_directive": Case(
        "script-src 'self'",
        {**ALLOW, "directives": "script-src 'self'; connect-src 'none'"},
        "https://api.example/v1",
        connections=("https://api.example/v1",),
        action="allow",
    ),
    "baseline_adds_to_what_is_in_effect": Case(
        "default-src 'self' https:", {**ALLOW, "script_baseline": [ENTRY]}, "", scripts=(OWN, STRIPE), action="allow"
    ),
    "reported_after_a_redirect": Case(
        "script-src https:", ALLOW, "although sources of the policy name them", (STRIPE,), (STRIPE,)
    ),
    "switched_off_by_a_keyword": Case(
        f"script-src 'strict-dynamic' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' {CDN}", ALLOW, CDN, (CDN,)
    ),
    "whole_text_as_directive": Case(
        "script-src 'self'", ALLOW, CDN, (CDN,), instead={"cspDirective": "script-src 'self' b.example"}
    ),
    "unknown_directive": Case("script-src 'self'", ALLOW, UNREAD, (CDN,), instead={"cspDirective": "zzz"}),
    "no_directive": Case("script-src 'self'", ALLOW, UNREAD, (CDN,), instead={"cspDirective": None}),
    "no_rule": Case("script-src 'self'", ALLOW, UNREAD, (CDN,), instead={"policyID": None}),
    "another_rule": Case("script-src 'self'", ALLOW, UNREAD, (CDN,), instead={"policyID": "other"}),
    "rule_in_capitals": Case("script-src 'self'", ALLOW, CDN, (CDN,), instead={"policyID": str.upper}),
    "no_address": Case("script-src 'self'", ALLOW, UNREAD, (CDN,), instead={"url": None}),
    "seen_by_nobody": Case("script-src 'self'", ALLOW, "nobody has seen it work", scripts=(STRIPE,)),
    "evaluates_nothing": Case("script-src 'self'", ALLOW, "evaluates no policy of its own", action="add_reporting_directives"),
    "cannot_be_parsed": Case("script-src https://a.example/a.js?x=1", ALLOW, "cannot be parsed"),
    "monitor_off": Case(
        "script-src 'self' https:", {**ALLOW, "directives": "script-src 'self'"}, "monitor is off", action="allow", monitor=False
    ),
    "nothing_listed": Case(
        "script-src 'self' https:", {**ALLOW, "directives": "script-src 'self'"}, "shows no scripts", scripts=(), action="allow"
    ),
    "who_embeds_the_page": Case(
        "frame-ancestors 'none'",
        {**ALLOW, "directives": "frame-ancestors 'self'"},
        "not who embeds it",
        (OWN,),
        directive="frame-ancestors",
    ),
    "extensions_are_accepted": Case(
        "script-src 'self'", {**ALLOW, "accept_blocked": ["chrome-extension:", "empty"]}, "", ("chrome-extension://abc/x.js", "")
    ),
}
HOSTS = {f"zone{number}": case for number, case in enumerate(CASES.values())}


def seen(name: str, case: Case) -> dict[str, t.Any]:
    """Return the state of the zone of a case, by part."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600))
    report = {"policy_id": f"{name}-rule", "directive": case.directive, "host": "shop.example", "count": 3, "datetime": moment}
    listed = {"host": "shop.example", "status": "active", "first_page_url": "https://shop.example/pay"}
    return {
        "script_monitor": {"enabled": case.monitor},
        "policies": [{**RULE, "id": f"{name}-rule", "enabled": True, "action": case.action, "value": case.value}],
        "violations": [{**report, "url": url} for url in case.reported],
        "scripts": [{"script_id": f"{number:032x}", "script_url": url, **listed} for number, url in enumerate(case.scripts)],
        "connections": [{"id": f"{number:032x}", "url": url, **listed} for number, url in enumerate(case.connections)],
    }


def garbled(hosts: dict[str, t.Any], path: str, status: int, content: bytes) -> tuple[int, bytes, dict[str, str]]:
    """Return an answer with the dimensions of reports as the cases have them."""
    if not path.endswith("/graphql"):
        return status, content, {}
    document = json.loads(content)
    names = {host["zone_id"]: name for name, host in hosts.items()}
    for zone in ((document.get("data") or {}).get("viewer") or {}).get("zones") or ():
        instead = HOSTS[names[zone["zoneTag"]]].instead or {}
        for row in (row for rows in zone.values() if isinstance(rows, list) for row in rows):
            row["dimensions"] |= {
                name: value(row["dimensions"][name]) if callable(value) else value for name, value in instead.items()
            }
    return status, json.dumps(document).encode(), {}


@pytest.mark.parametrize("check", [True, False], ids=["check", "run"])
def test_deliver_enforces_only_what_blocks_nothing_in_use(simulator, playbook, check):
    """A run predicts each zone as in check mode, so that two refused zones and one that is not show check mode itself."""
    cases = dict(itertools.islice(HOSTS.items(), 3)) if check else HOSTS
    hosts = fleet(simulator, [{"content_security_rules": [case.item]} for case in cases.values()])
    parts: dict[str, dict[str, t.Any]] = {}
    for name, case in cases.items():
        for part, value in seen(name, case).items():
            parts.setdefault(part, {})[hosts[name]["zone_id"]] = value
    simulator.seed(**parts)
    with changing(simulator.base_url, functools.partial(garbled, hosts)) as base_url:
        report = playbook.run(
            playbook="edgeops.observability.deliver",
            inventory=hosts,
            extra_vars={"edgeops_allow": "all"},
            env={"CLOUDFLARE_BASE_URL": base_url},
            check=check,
            fails=("gate", "ansible"),
            warns=[] if check else ["'strict-dynamic' switches off", "cannot be parsed; it is shown as `value`"],
        )
    said = {failure.host: failure.result["msg"] for failure in report.failures}
    refused = {name for name, case in cases.items() if case.said}
    assert {name: cases[name].said for name in refused if cases[name].said not in said.get(name, "")} == {}, said
    assert 0 < len(refused) < len(cases) and said.keys() == refused
    written = set() if check else {hosts[name]["zone_id"] for name in cases.keys() - refused}
    assert {entry["zone"] for entry in report.writes} == written
