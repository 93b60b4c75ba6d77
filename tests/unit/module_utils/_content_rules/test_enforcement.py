# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._baseline.entries import parse_baseline
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules import plan as plans
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.baseline import entry_sources
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.enforcement import blocked_by, to_look_at
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.options import OPTIONS, desire
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.rule import (
    Rule,
    RuleState,
    parse_rule,
    parse_rules,
)
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._policy.matching import Resource
from ansible_collections.edgeops.observability.plugins.module_utils._policy.parse import read_policy

DEFAULTS = {name: option.get("default") for name, option in OPTIONS.items()}


def rule(value: str = "script-src 'self' cdn.example", **members: t.Any) -> Rule:
    document = {"id": "r1", "description": "shop", "action": "allow", "expression": "true", "enabled": True, "value": value}
    return parse_rule({**document, **members})


def planned(before: Rule | None, **options: t.Any) -> t.Any:
    desired = desire({**DEFAULTS, "description": "shop", "unobserved": "allow", **options})
    return plans.plan(desired, RuleState(before))


LOGGED = {"action": "log"}
# Current rule, options, effects (name, detail), which observations are needed.
CHANGES = [
    (None, {"action": "allow", "expression": "true", "directives": "img-src *"}, [("enforce_rule", None)], None),
    (None, {"action": "log", "expression": "true", "directives": "img-src *"}, [], None),
    (rule(**LOGGED), {"action": "allow"}, [("enforce_rule", None)], "reports"),
    (rule(**LOGGED), {"directives": "img-src *"}, [], None),
    (rule(enabled="false"), {"enabled": True}, [("enforce_rule", None)], "reports"),
    (rule(enabled=False, action="log"), {"action": "allow"}, [], None),
    (rule(), {"action": "log"}, [("weaken_rule", None)], None),
    (rule(), {"enabled": False}, [("weaken_rule", None)], None),
    (rule(), {"state": "absent"}, [("weaken_rule", None)], None),
    (rule(**LOGGED), {"state": "absent"}, [], None),
    (rule(), {"directives": "script-src 'self'"}, [("enforce_rule", ["script-src cdn.example"])], "listing"),
    (rule(), {"directives": "script-src 'self' cdn.example api.example"}, [("weaken_rule", ["script-src api.example"])], None),
    (rule(), {"directives": "script-src 'self' *.example"}, [("weaken_rule", ["script-src *.example"])], None),
    (rule(), {"directives": "script-src 'none'"}, [("enforce_rule", ["script-src 'self'", "script-src cdn.example"])], "listing"),
    (rule(), {"directives": "script-src 'self' cdn.example; img-src 'self'"}, [("enforce_rule", ["img-src"])], "listing"),
    (rule(), {"directives": "img-src 'self'"}, [("enforce_rule", ["img-src"]), ("weaken_rule", ["script-src"])], "listing"),
    (rule("default-src 'self'"), {"directives": "default-src 'self'; script-src 'self'"}, [], None),
    (rule("default-src 'self'"), {"directives": "default-src 'self'; script-src *"}, [("weaken_rule", ["script-src"])], None),
    (rule("script-src 'unsafe-inline'"), {"directives": "script-src 'unsafe-inline' 'sha256-a='"},
     [("enforce_rule", ["script-src 'unsafe-inline'"]), ("weaken_rule", ["script-src 'sha256-a='"])], "listing"),
    (rule("img-src *"), {"directives": "img-src *; upgrade-insecure-requests"}, [("enforce_rule", ["upgrade-insecure-requests"])], "listing"),
    (rule(), {"expression": "false"}, [("enforce_rule", ["expression"]), ("weaken_rule", ["expression"])], None),
    (rule("script-src 'nonce-1'"), {"directives": "img-src *"}, [("enforce_rule", ["directives"]), ("weaken_rule", ["directives"])], None),
    (rule(), {"directives": "SCRIPT-SRC cdn.example 'self'"}, [], None),
]  # fmt: skip


@pytest.mark.parametrize(("before", "options", "effects", "look"), CHANGES)
def test_changes_of_a_rule_have_effects(before: Rule | None, options: t.Any, effects: t.Any, look: str | None) -> None:
    found = planned(before, **options)
    assert [(each.name, each.detail and list(each.detail)) for each in found.effects] == effects
    assert all(each.subject == "shop" for each in found.effects)
    desired = desire({**DEFAULTS, "description": "shop", **options})
    assert to_look_at(before, plans.rule_after(desired, before)) == look


def test_plan_sends_only_differences() -> None:
    (request,) = planned(rule(), action="log", directives="script-src 'self'").requests
    assert request.body == {"action": "log", "value": "script-src 'self'"} and request.ids == {"rule_id": "r1"}
    assert planned(rule(), enabled=True, action="allow", directives="script-src cdn.example 'self'").requests == ()


def test_blocked_sources_are_grouped() -> None:
    policy = read_policy("default-src 'self'")
    seen = [
        Resource("script-src-elem", f"https://cdn.example/a.js?v={n}", host, "https://shop.example/p?session=1", times)
        for n, (host, times) in enumerate([("b.example", 2), ("a.example", 5), ("", 1)])
    ]
    (found,) = blocked_by(policy, [*seen, Resource("img-src", "https://shop.example/x.png", "shop.example", "", 9)])
    assert found.show() == {
        "directive": "default-src", "source": "https://cdn.example/a.js", "count": 8, "hosts": ["a.example", "b.example"],
        "page": "https://shop.example/p",
    }  # fmt: skip


@pytest.mark.parametrize(
    "document",
    [None, {}, {"id": 5}, {"id": "r", "action": "log", "expression": "true", "value": None, "enabled": True},
     {"id": "r", "action": "log", "expression": "true", "value": "x", "enabled": "yes"},
     {"id": "r", "action": "log", "expression": "true", "value": "x", "enabled": True, "description": []}],
)  # fmt: skip
def test_invalid_rule_is_a_bad_response(document: t.Any) -> None:
    with pytest.raises(Failure) as caught:
        parse_rule(document)
    assert caught.value.kind == "bad_response"


def test_duplicate_rule_id_is_a_bad_response() -> None:
    document = {"id": "r", "action": "log", "expression": "true", "value": "img-src *", "enabled": True}
    with pytest.raises(Failure, match="two rules have the id r"):
        parse_rules([document, document])


def test_baseline_needs_a_valid_policy() -> None:
    with pytest.raises(Failure, match="cannot be parsed"):
        planned(rule("script-src 'nonce-1'"), script_baseline=[{"name": "a", "url": "https://a.example/a.js"}])


def test_length_of_a_policy_is_limited() -> None:
    with pytest.raises(Failure, match=r"^directives: the policy has 6810 characters, 810 more than the maximum of 6000"):
        planned(None, directives={"script-src": [f"{n:04d}.example.com" for n in range(400)]})


# URL or pattern of an entry, source, broader.
ENTRIES = [
    ("https://js.example/v3/x.js", "https://js.example/v3/x.js", False),
    ("https://js.example/v3/x.js?v=1", "https://js.example/v3/x.js", True),
    ("https://js.example", "https://js.example", True),
    ("https://js.example/", "https://js.example/", True),
    ("http://js.example/x.js", "http://js.example/x.js", True),
    ("https://js.example:8443/a;b.js", "https://js.example:8443/a%3Bb.js", False),
    ("https://js.example/ä.js", "https://js.example/%C3%A4.js", False),
    ("https://js.example/v3/**", "https://js.example/v3/", False),
    ("https://js.example/v3/*", "https://js.example/v3/", True),
    ("https://js.example/v3/app-*.js", "https://js.example/v3/", True),
    ("https://js.example/v*/app.js", "https://js.example/", True),
    ("https://js.example/x.js?v=*", "https://js.example/x.js", True),
    ("https://*.js.example/v3/**", "https://*.js.example/v3/", False),
    ("https://*.js.example/v3/x.js", "https://*.js.example/v3/x.js", False),
    ("https://cdn-*.js.example/x.js", "https://*.js.example/x.js", True),
    ("https://a.*.js.example/x.js", "https://*.js.example/x.js", True),
    ("https://**/x.js", "https:", True),
    ("https://[::1]/x.js", "https:", True),
]


@pytest.mark.parametrize(("url", "source", "broader"), ENTRIES)
def test_entries_become_sources(url: str, source: str, broader: bool) -> None:
    (found,) = entry_sources(parse_baseline([{"name": "entry", "url": url}]))
    assert found == ("entry", source, broader)
    assert read_policy(f"script-src {found.source}") is not None
