# SPDX-License-Identifier: GPL-3.0-or-later

import datetime
import typing as t

import pytest

from harness import Modules

MODULE = "edgeops.observability.content_security_rule"
INFO = "edgeops.observability.content_security_rule_info"
EXPRESSION = '(http.host eq "shop.example")'
DIRECTIVES = {"script-src": ["'self'", "https://js.pay.example/v3/"], "connect-src": ["'self'"]}
RULE = {"description": "checkout", "action": "log", "expression": EXPRESSION, "directives": DIRECTIVES}
VALUE = "connect-src 'self'; script-src 'self' https://js.pay.example/v3/"
CDN = "https://cdn.example/a.js"


def stored(**members: t.Any) -> dict[str, t.Any]:
    return {"id": "r1", "description": "checkout", "action": "log", "expression": EXPRESSION, "value": VALUE, **members}


def report(url: str = CDN, days: float = 1, **members: t.Any) -> dict[str, t.Any]:
    moment = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=days)
    seen = {"policy_id": "r1", "host": "shop.example", "page_url": "https://shop.example/pay", "count": 12}
    return {"datetime": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "url": url, **seen, **members}


def run(modules: Modules, options: dict[str, t.Any], **more: t.Any) -> dict[str, t.Any]:
    return t.cast("dict[str, t.Any]", modules.run({"name": "Run", MODULE: options}, **more).ours[-1].result)


@pytest.fixture
def logged(simulator: t.Any, zone: str) -> None:
    simulator.seed(policies={zone: [stored()]}, script_monitor={zone: {"enabled": True}})


def script(url: str, number: int = 0) -> dict[str, t.Any]:
    return {"script_id": f"{number}", "script_url": url, "host": "shop.example", "seen_on_first": "https://shop.example/pay"}


@pytest.mark.every_core
def test_lifecycle(modules: Modules) -> None:
    created, changed, deleted = modules.lifecycle(
        "content_security_rule",
        create=RULE,
        modify={"description": "checkout", "directives": "script-src *; frame-ancestors 'none'"},
        delete={"description": "checkout", "state": "absent"},
    )
    assert created.writes[0]["body"] == {
        "description": "checkout", "action": "log", "expression": EXPRESSION, "enabled": True, "value": VALUE,
    }  # fmt: skip
    assert created.predicted.result["content_security_rule"]["id"] is None and created.diff["before"] == {}
    made = created.applied.result["content_security_rule"]
    assert made["directives"] == {"connect-src": ["'self'"], "script-src": ["'self'", "https://js.pay.example/v3/"]}
    assert changed.writes[0]["body"] == {"value": "frame-ancestors 'none'; script-src *"}
    assert changed.diff["after"]["directives"] == {"frame-ancestors": ["'none'"], "script-src": ["*"]}
    assert deleted.writes[0]["method"] == "DELETE" and deleted.applied.result["content_security_rule"] is None
    assert all(step.applied.result["violations"] is None for step in (created, changed, deleted))


def test_enforce_and_roll_back(modules: Modules, logged: None, simulator: t.Any, zone: str) -> None:
    """One query reads the violations of the rule; sources that the new policy allows do not prevent its enforcement."""
    simulator.seed(violations={zone: [report(), report("https://old.example/v3/", days=9)]})
    sources = [*DIRECTIVES["script-src"], "cdn.example"]
    enforce = {"description": "checkout", "action": "allow", "directives": {**DIRECTIVES, "script-src": sources}}
    steps = modules.converge_each("content_security_rule", [enforce, {"description": "checkout", "action": "log"}])
    assert [(entry["method"], entry["path"].rpartition("/")[2]) for entry in steps[0].applied.journal] == [
        ("GET", "policies"), ("POST", "graphql"), ("PUT", "r1"),
    ]  # fmt: skip
    assert [entry["method"] for entry in steps[1].applied.journal] == ["GET", "PUT"]
    seen = steps[0].applied.result["violations"]
    assert (seen["available"], seen["total"], seen["blocked"]) == (True, 12, [])
    assert steps[0].result["effects"] == [{"name": "enforce_rule", "subject": "checkout", "detail": None}]
    assert steps[1].result["effects"] == [{"name": "weaken_rule", "subject": "checkout", "detail": None}]


@pytest.mark.parametrize("check", [False, True])
def test_rule_that_would_block_reported_sources_is_refused(
    modules: Modules, logged: None, simulator: t.Any, zone: str, check: bool
) -> None:
    reports = [report(), report(host="www.shop.example", count=3), report("inline"), report("eval", count=1)]
    simulator.seed(violations={zone: reports})
    result = run(modules, {"description": "checkout", "action": "allow"}, fails="gate", check=check)
    assert result["refusals"] == [
        {"rule": "checkout", "directive": "script-src", "source": CDN, "count": 15, "hosts": ["shop.example", "www.shop.example"],
         "page": "https://shop.example/pay"},
        {"rule": "checkout", "directive": "script-src", "source": "'unsafe-inline'", "count": 12, "hosts": ["shop.example"],
         "page": "https://shop.example/pay"},
        {"rule": "checkout", "directive": "script-src", "source": "'unsafe-eval'", "count": 1, "hosts": ["shop.example"],
         "page": "https://shop.example/pay"},
    ]  # fmt: skip
    assert "3 sources" in result["msg"] and "sampled" in result["msg"]
    assert f"script-src {CDN} (15 times, on shop.example, www.shop.example, such as https://shop.example/pay)" in result["msg"]
    assert result["plan_id"] and result["effects"][0]["name"] == "enforce_rule" and result["diff"]["after"]["action"] == "allow"
    assert not simulator.writes()


@pytest.mark.parametrize("accepted", [CDN, "https://cdn.example/**", "cdn.example"])
def test_accepted_sources_may_be_blocked(modules: Modules, logged: None, simulator: t.Any, zone: str, accepted: str) -> None:
    simulator.seed(violations={zone: [report(f"{CDN}?v=1"), report("inline")]})
    options = {"description": "checkout", "action": "allow", "accept_blocked": [accepted, "'unsafe-inline'"]}
    result = modules.converge("content_security_rule", options).applied.result
    assert [blocked["source"] for blocked in result["violations"]["blocked"]] == ["'unsafe-inline'", CDN]


UNOBSERVED = {
    "a new rule": ([], {**RULE, "action": "allow"}, {}, "it is new"),
    "a disabled rule": ([stored(action="allow", enabled=False)], {"description": "checkout", "enabled": True}, {}, "it is disabled"),
    "a plan without violations": (
        [stored()], {"description": "checkout", "action": "allow"}, {"graphql_disabled": ["zones/*"]}, "its violations cannot be read",
    ),
    "another expression than the logged one": (
        [stored()], {"description": "checkout", "action": "allow", "expression": "true"}, {}, "its expression changes",
    ),
    "inline code": (
        [stored(action="allow", value="script-src 'self' 'unsafe-eval' 'unsafe-inline'")],
        {"description": "checkout", "directives": {"script-src": ["'self'", "'unsafe-eval'"]}}, {},
        "no listing of the zone shows what script-src without 'unsafe-inline' would block",
    ),
    "code of which nothing was said": (
        [stored(action="allow", value="connect-src 'self'")],
        {"description": "checkout", "directives": {"connect-src": ["'self'"], "script-src": ["*", "'unsafe-inline'"]}}, {},
        "no listing of the zone shows what script-src without 'unsafe-eval' would block",
    ),
    "another expression": ([stored(action="allow")], {"description": "checkout", "expression": "true"}, {}, "its expression changes"),
    "what no listing shows": (
        [stored(action="allow")], {"description": "checkout", "directives": {**DIRECTIVES, "img-src": ["'self'"]}}, {},
        "no listing of the zone shows what img-src would block",
    ),
    "no listing": (
        [stored(action="allow")], {"description": "checkout", "directives": {**DIRECTIVES, "script-src": ["'self'"]}},
        {"unknown_routes": ["*/connections"]}, "the listing of the zone cannot be read",
    ),
    "monitor off": (
        [stored(action="allow")], {"description": "checkout", "directives": {**DIRECTIVES, "script-src": ["'self'"]}},
        {}, "the listing of the zone cannot be read as complete: the script monitor is off",
    ),
    "a silent rule, monitor off": ([stored()], {"description": "checkout", "action": "allow"}, {}, "the script monitor is off"),
    "a rule that evaluates no policy": (
        [stored(action="add_reporting_directives")], {"description": "checkout", "action": "allow"}, {},
        "its present action is add_reporting_directives, which evaluates no policy of its own",
    ),
    "a rule of an unknown action": (
        [stored(action="ALLOW")], {"description": "checkout", "action": "allow"}, {}, "its present action 'ALLOW' is not known",
    ),
    "an empty policy": ([stored(value="")], {"description": "checkout", "action": "allow"}, {}, "no directive that is known"),
    "unknown directives only": ([stored(value="sandbox")], {"description": "checkout", "action": "allow"}, {}, "no directive that is known"),
    "'strict-dynamic'": (
        [stored(action="allow", value="script-src 'sha256-abc=' 'strict-dynamic' https:")],
        {"description": "checkout", "directives": {"script-src": ["'sha256-abc='", "https:"]}}, {},
        "no listing of the zone shows what script-src without 'strict-dynamic' would block",
    ),
    "a policy that cannot be parsed": (
        [stored(action="allow", value="script-src 'nonce-1'")], {"description": "checkout", "directives": DIRECTIVES}, {}, "cannot be parsed",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", UNOBSERVED)
def test_enforcement_without_observation_is_refused(modules: Modules, simulator: t.Any, zone: str, case: str) -> None:
    rules, options, settings, said = UNOBSERVED[case]
    simulator.seed(policies={zone: rules})
    simulator.settings(**settings)
    warns = ["cannot be parsed"] if "parsed" in case else ["which are kept as they are"] if "unknown directives" in case else []
    result = run(modules, options, fails="gate", warns=warns)
    assert said in result["msg"] and not simulator.writes()
    assert result["refusals"] == [
        {"rule": "checkout", "directive": None, "source": None, "count": None, "hosts": [], "page": None}
    ]
    allowed = {**options, "unobserved": "allow"}
    assert run(modules, allowed, warns=[*warns, "is enforced although"])["changed"] is True
    again = [text for text in warns if "kept" in text]
    assert run(modules, allowed, warns=again)["changed"] is False


def test_stricter_enforced_rule_is_refused(modules: Modules, simulator: t.Any, zone: str) -> None:
    """The refusal counts the listed sources of the zone that the current policy allows and the desired one blocks."""
    value = "connect-src 'self' api.example; script-src 'self' cdn.example old.example"
    urls = (CDN, "https://never.example/x.js", "https://shop.example/own.js")
    scripts = [script(url, number) for number, url in enumerate(urls)]
    connections = [{"id": "c", "url": "https://api.example/v1", "host": "shop.example", "status": "infrequent"}]
    simulator.seed(
        policies={zone: [stored(action="allow", value=value)]},
        scripts={zone: scripts},
        connections={zone: connections},
        script_monitor={zone: {"enabled": True}},
    )
    options = {"description": "checkout", "directives": {"script-src": ["'self'"], "connect-src": ["'self'"]}}
    result = run(modules, options, fails="gate")
    assert [(refusal["directive"], refusal["source"], refusal["count"]) for refusal in result["refusals"]] == [
        ("connect-src", "https://api.example/v1", None), ("script-src", CDN, None),
    ]  # fmt: skip
    assert result["violations"]["blocked"] and result["violations"]["since"] is None
    assert result["effects"] == [
        {"name": "enforce_rule", "subject": "checkout",
         "detail": ["connect-src api.example", "script-src cdn.example", "script-src old.example"]},
    ]  # fmt: skip
    fewer = {"script-src": "'self' cdn.example", "connect-src": "'self' api.example"}
    assert (
        modules.converge("content_security_rule", {**options, "directives": fewer}).applied.result["violations"]["blocked"] == []
    )


ENFORCE = {"description": "checkout", "action": "allow"}


def test_silent_rule_is_compared_with_the_listing(modules: Modules, logged: None, simulator: t.Any, zone: str) -> None:
    """Nobody has seen a rule work that reported nothing, so what the zone lists must not be blocked by it."""
    simulator.seed(scripts={zone: [script("https://shop.example/own.js"), script(CDN, 1)]})
    result = run(modules, ENFORCE, fails="gate")
    assert [refusal["source"] for refusal in result["refusals"]] == [None]
    assert f"although the zone lists what it would block: script-src {CDN} (on shop.example" in result["msg"]
    accepted = run(
        modules, {**ENFORCE, "accept_blocked": ["cdn.example"]}, warns=["browsers reported nothing in the last 7 days"]
    )
    assert accepted["changed"] is True


def test_silent_rule_that_blocks_nothing_listed_is_a_warning(modules: Modules, logged: None, simulator: t.Any, zone: str) -> None:
    simulator.seed(scripts={zone: [script("https://shop.example/own.js")]})
    simulator.settings(graphql_report_window=864000)
    warns = [
        "browsers reported nothing in the last 10 days",
        "The plan shows violations of the last 10 days only, not of 30 days",
    ]
    result = run(modules, {**ENFORCE, "look_back_days": 30}, warns=warns)
    assert result["violations"]["available"] and result["violations"]["blocked"] == []


@pytest.mark.parametrize(
    "value", ["script-src 'self' https:; connect-src 'self'", "script-src * 'unsafe-inline'; connect-src 'self'"]
)
def test_narrower_policy_is_compared_with_the_listing(modules: Modules, simulator: t.Any, zone: str, value: str) -> None:
    """What a logged rule allowed nobody reported."""
    stripe = "https://js.stripe.com/v3/"
    simulator.seed(
        policies={zone: [stored(value=value)]},
        violations={zone: [report("https://old.example/", directive="connect-src")]},
        scripts={zone: [script("https://shop.example/own.js"), script(stripe, 1)]},
        script_monitor={zone: {"enabled": True}},
    )
    options = {**ENFORCE, "directives": {"script-src": ["'self'"], "connect-src": ["'self'", "old.example"]}}
    result = run(modules, options, fails="gate")
    blocked = {"rule": "checkout", "directive": "script-src", "source": stripe, "count": None, "hosts": ["shop.example"]}
    assert {**blocked, "page": "https://shop.example/pay"} in result["refusals"]
    assert "its pages load now, according to the script monitor" in result["msg"] and not simulator.writes()


def test_report_that_the_policy_allows_on_paper_is_blocked(modules: Modules, simulator: t.Any, zone: str, logged: None) -> None:
    """A redirect, a keyword, or an older policy: browsers decide. Reports that ended a day ago are a warning."""
    stripe = "https://js.pay.example/v3/"
    simulator.seed(violations={zone: [report(stripe, days=0.5, count=420), report(stripe, days=3, count=5)]})
    result = run(modules, {**ENFORCE, "accept_blocked": ["empty"]}, fails="gate")
    assert [(refusal["source"], refusal["count"]) for refusal in result["refusals"]] == [(stripe, 425)]
    assert (
        "sources of the policy name them" in result["msg"] and "a redirect (browsers name the address before it)" in result["msg"]
    )
    assert "Add them to directives" not in result["msg"]
    simulator.seed(violations={zone: [report(stripe, days=3)]})
    assert run(modules, ENFORCE, warns=["but not in the last 24 hours"])["changed"] is True


def test_keyword_that_switches_others_off_is_a_warning(modules: Modules, simulator: t.Any, zone: str) -> None:
    value = "script-src 'sha256-abc=' 'strict-dynamic' https://cdn.example"
    simulator.seed(policies={zone: [stored(value=value)]}, violations={zone: [report()]})
    warns = ["directives.script-src: 'strict-dynamic' switches off https://cdn.example", "not documented for the service"]
    result = run(modules, {**ENFORCE, "directives": value}, fails="gate", warns=warns)
    assert [refusal["source"] for refusal in result["refusals"]] == [
        CDN
    ] and "a keyword that switches other sources off" in result["msg"]


def test_extensions_and_empty_addresses_can_be_accepted(modules: Modules, logged: None, simulator: t.Any, zone: str) -> None:
    simulator.seed(violations={zone: [report("chrome-extension://aohghmighlieiainnegkcijnfilokake/x.js"), report("")]})
    refused = run(modules, ENFORCE, fails="gate")["refusals"]
    assert [refusal["source"] for refusal in refused] == ["chrome-extension://aohghmighlieiainnegkcijnfilokake/x.js", "empty"]
    assert run(modules, {**ENFORCE, "accept_blocked": ["chrome-extension:", "empty"]})["changed"] is True


def test_equivalent_policies_are_no_change(modules: Modules, simulator: t.Any, zone: str) -> None:
    simulator.settings(policy_enabled_as_text=True)
    value = "Script-Src  HTTPS://JS.Pay.example/v3/ 'SELF' 'self';connect-src 'self'; "
    simulator.seed(policies={zone: [stored(value=value)]})
    result = run(modules, {**RULE, "enabled": True, "expression": f" {EXPRESSION} "})
    assert result["changed"] is False and result["content_security_rule"]["value"] == value


def test_unknown_directives_are_kept(modules: Modules, simulator: t.Any, zone: str) -> None:
    simulator.seed(policies={zone: [stored(value="trusted-types Default; script-src 'self'; sandbox allow-Forms")]})
    options = {"description": "checkout", "directives": {"script-src": ["*"]}}
    warns = ["does not know, which are kept as they are: trusted-types, sandbox"]
    (step,) = modules.converge_each("content_security_rule", [options], warns=warns)
    assert step.writes[0]["body"] == {"value": "script-src *; trusted-types Default; sandbox allow-Forms"}


def test_baseline_adds_sources_to_the_rule(modules: Modules, logged: None) -> None:
    entries = [
        {"name": "cdn", "url": CDN, "authorised_by": "j.doe"},
        {"name": "map", "url": "https://*.maps.example/*/v2/*.js", "authorised_by": "j.doe"},
    ]
    warns = ["entry 'map' becomes broader than the entry: script-src https://\\*.maps.example/"]
    step = modules.converge_each("content_security_rule", [{"description": "checkout", "script_baseline": entries}], warns=warns)[
        0
    ]
    sources = step.applied.result["content_security_rule"]["directives"]["script-src"]
    assert sources == ["'self'", "https://*.maps.example/", CDN, "https://js.pay.example/v3/"]


def test_ambiguous_rule_needs_an_id(modules: Modules, simulator: t.Any, zone: str) -> None:
    simulator.seed(policies={zone: [stored(), stored(id="r2"), stored(id="r3", description="blog")]})
    result = run(modules, {"description": "checkout", "enabled": False}, fails="conflict")
    assert "r1, r2" in result["msg"]
    assert "r3 is already named 'blog'" in run(modules, {"rule_id": "r2", "description": "blog"}, fails="conflict")["msg"]
    run(modules, {"rule_id": "r9", "action": "log"}, fails="not_found")
    assert run(modules, {"rule_id": "r9", "state": "absent"})["changed"] is False
    steps = modules.converge_each(
        "content_security_rule", [{"rule_id": "r2", "description": "cart"}, {"rule_id": "R-3", "state": "absent"}]
    )
    assert steps[0].writes[0]["body"] == {"description": "cart"}
    assert [rule["description"] for rule in simulator.state(modules.zone)["policies"]] == ["checkout", "cart"]


@pytest.mark.parametrize(("most", "said"), [(0, "has no content security rules"), (1, "allows no further content security rule")])
def test_rule_above_the_maximum_is_rejected(modules: Modules, simulator: t.Any, zone: str, most: int, said: str) -> None:
    simulator.settings(max_policies=most)
    simulator.seed(policies={zone: [stored(id=f"s{n}", description=f"s{n}") for n in range(most)]})
    assert said in run(modules, RULE, fails="rejected")["msg"]


@pytest.mark.parametrize("change", [{"action": "allow"}, {"value": "script-src *"}, {"enabled": False}, {"expression": "false"}])
def test_answer_with_another_value_fails(modules: Modules, simulator: t.Any, change: dict[str, t.Any]) -> None:
    simulator.faults({"kind": "rewrite", "set": change, "method": "POST", "path": "*/policies"})
    run(modules, RULE, fails="bad_response")


def test_lost_answer_to_creation_makes_no_second_rule(modules: Modules, simulator: t.Any) -> None:
    simulator.faults({"kind": "reset_after", "method": "POST", "path": "*/policies"})
    assert run(modules, RULE)["content_security_rule"]["id"]
    assert len(simulator.state(modules.zone)["policies"]) == 1
    simulator.faults({"kind": "reset", "method": "POST", "path": "*/policies"})
    run(modules, {**RULE, "description": "cart"}, fails="unavailable")
    assert len(simulator.state(modules.zone)["policies"]) == 1


def test_info_returns_rules_and_violations(modules: Modules, simulator: t.Any, zone: str) -> None:
    rules = [stored(id="r2", description="blog", value="img-src nonsense!"), stored()]
    simulator.seed(policies={zone: rules}, violations={zone: [report(), report(policy_id="r2", directive="img-src")]})
    result = modules.run({"name": "Read", INFO: {"violations": True}}, warns=["cannot be parsed"]).ours[-1].result
    first, second = result["content_security_rules"]
    assert (first["id"], second["id"], second["directives"]) == ("r1", "r2", None)
    assert [blocked["source"] for blocked in first["violations"]["blocked"]] == [CDN]
    assert second["violations"]["blocked"][0]["directive"] == "img-src"
    only = modules.run({"name": "Read", INFO: {"description": "checkout"}}).ours[-1].result["content_security_rules"]
    assert [rule["id"] for rule in only] == ["r1"] and "violations" not in only[0]
    simulator.settings(graphql_disabled=["*"])
    result = modules.run({"name": "Read", INFO: {"rule_id": "r1", "violations": True}}).ours[-1].result
    assert result["content_security_rules"][0]["violations"]["available"] is False


@pytest.mark.parametrize("member", ["action", "expression", "value", "enabled"])
@pytest.mark.parametrize("value", [None, 5, []])
def test_info_says_what_cannot_be_told_of_a_rule(
    modules: Modules, logged: None, simulator: t.Any, member: str, value: t.Any
) -> None:
    """A task that only reads goes on; one that may write fails. Without its identity, a rule fails both."""
    fault = {"kind": "wrong_result", "method": "GET", "path": "*/policies", "count": None}
    simulator.faults({**fault, "value": [{**stored(), "enabled": True, member: value}]})
    result = modules.run({"name": "Read", INFO: {"violations": True}}, warns=[f"'{member}' of rule r1 must be"]).ours[-1].result
    (rule,) = result["content_security_rules"]
    assert rule[member] is None and rule["violations"]["available"] and (rule["directives"] is None) is (member == "value")
    assert (
        f"'{member}' of rule r1 must be"
        in run(modules, {"description": "checkout", "action": "log"}, fails="bad_response")["msg"]
    )
    simulator.clear_faults()
    simulator.faults({**fault, "value": [{**stored(), "enabled": True, "description": value}]})
    modules.run({"name": "Read", INFO: {}}, fails="bad_response")


def test_server_error_of_violations_query_fails(modules: Modules, logged: None, simulator: t.Any) -> None:
    """A server error fails the task, unlike a plan without violations."""
    simulator.faults({"kind": "graphql_error", "message": "unable to execute query", "count": None, "path": "*/graphql"})
    run(modules, {"description": "checkout", "action": "allow", "unobserved": "allow"}, fails="unavailable")


BAD = {
    "neither": ({"action": "log"}, "description, rule_id"),
    "empty description": ({"description": " "}, "description"),
    "id": ({"rule_id": "../x"}, "rule_id"),
    "days": ({"description": "a", "look_back_days": 31}, "look_back_days: 31"),
    "accepted": ({"description": "a", "accept_blocked": ["'self'", "no host"]}, "accept_blocked[1]"),
    "baseline": ({"description": "a", "script_baseline": [{"name": "x"}]}, "script_baseline[0].url"),
    "new without action": ({"description": "a", "expression": "true", "directives": DIRECTIVES}, "action"),
    "new without policy": ({"description": "a", "expression": "true", "action": "log"}, "directives"),
    "expression": ({"description": "a", "expression": " "}, "expression"),
    "nonce": ({"description": "a", "directives": {"script-src": ["'self'", "'nonce-x'"]}}, "directives.script-src[1]"),
}


@pytest.mark.parametrize("case", BAD)
def test_invalid_option_is_named(modules: Modules, simulator: t.Any, case: str) -> None:
    options, said = BAD[case]
    assert said in run(modules, options, fails="invalid_option")["msg"]
    assert not simulator.writes()
