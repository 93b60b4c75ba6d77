# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._baseline.entries import parse_baseline
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules import plan as plans
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.baseline import entry_sources
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.enforcement import (
    grouped,
    has_reports,
    narrowed_listings,
)
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
ENTRY = {"name": "cdn", "url": "https://cdn.example/a.js", "authorised_by": "j.doe"}
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
    (rule(), {"directives": "script-src 'self'"}, [("enforce_rule", ["script-src cdn.example"])], "script-src"),
    (rule(), {"directives": "script-src 'self' cdn.example api.example"}, [("weaken_rule", ["script-src api.example"])], None),
    (rule(), {"directives": "script-src 'self' *.example"}, [("weaken_rule", ["script-src *.example"])], None),
    (rule(), {"directives": "script-src 'none'"}, [("enforce_rule", ["script-src 'self'", "script-src cdn.example"])], "script-src"),
    (rule(), {"directives": "script-src 'self' cdn.example; img-src 'self'"}, [("enforce_rule", ["img-src"])], None),
    (rule(), {"directives": "img-src 'self'"}, [("enforce_rule", ["img-src"]), ("weaken_rule", ["script-src"])], None),
    (rule("default-src 'self'"), {"directives": "default-src 'self'; script-src 'self'"}, [], None),
    (rule("default-src 'self'"), {"directives": "default-src 'self'; script-src *"}, [("weaken_rule", ["script-src"])], None),
    (rule("script-src 'unsafe-inline'"), {"directives": "script-src 'unsafe-inline' 'sha256-a='"},
     [("enforce_rule", ["script-src 'unsafe-inline'"]), ("weaken_rule", ["script-src 'sha256-a='"])], "script-src"),
    (rule("img-src *"), {"directives": "img-src *; upgrade-insecure-requests"}, [("enforce_rule", ["upgrade-insecure-requests"])], None),
    (rule(), {"expression": "false"}, [("enforce_rule", ["expression"]), ("weaken_rule", ["expression"])], None),
    (rule("script-src 'nonce-1'"), {"directives": "img-src *"}, [("enforce_rule", ["directives"]), ("weaken_rule", ["directives"])], None),
    (rule(), {"directives": "SCRIPT-SRC cdn.example 'self'"}, [], None),
    # What falls back to other directives.
    (rule("script-src 'self'"), {"directives": "script-src 'self'; script-src-elem *"}, [("weaken_rule", ["script-src-elem"])], None),
    (rule("script-src 'self'; script-src-elem *"), {"directives": "script-src 'self'"}, [("enforce_rule", ["script-src-elem"])], None),
    (rule("script-src *"), {"directives": "script-src *; script-src-elem 'self'"}, [("enforce_rule", ["script-src-elem"])], None),
    (rule("child-src 'self'; script-src cdn.example"), {"directives": "script-src cdn.example"},
     [("enforce_rule", ["worker-src 'self'"]), ("weaken_rule", ["child-src"])], None),
    (rule("default-src 'self' cdn.example; script-src 'self'"), {"directives": "default-src 'self'; script-src 'self'"},
     [("enforce_rule", ["default-src cdn.example"])], "connect-src"),
    (rule("default-src 'self'"), {"script_baseline": [ENTRY]}, [("weaken_rule", ["script-src"])], None),
    (rule("script-src 'self' cdn.example"), {"directives": "script-src 'self' cdn.example 'strict-dynamic'"},
     [("enforce_rule", ["script-src 'self'", "script-src cdn.example"]), ("weaken_rule", ["script-src 'strict-dynamic'"])], "script-src"),
    (rule("script-src 'self'"), {"directives": "script-src 'self' 'report-sample'"}, [], None),
    # An action that is not known: not known whether it enforces.
    (rule(action="ALLOW"), {"action": "log"}, [("enforce_rule", None), ("weaken_rule", None)], None),
    (rule(action="zzz"), {"action": "allow"}, [("enforce_rule", None), ("weaken_rule", None)], "reports"),
    (rule(action="zzz"), {"directives": "script-src 'self'"}, [("enforce_rule", None), ("weaken_rule", None)], "script-src"),
    (rule(action="zzz"), {"state": "absent"}, [("enforce_rule", None), ("weaken_rule", None)], None),
    (rule(action="zzz", enabled=False), {"action": "log"}, [], None),
    (rule(action="add_reporting_directives"), {"action": "log"}, [], None),
    (rule(action="add_reporting_directives"), {"action": "allow"}, [("enforce_rule", None)], "reports"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "options", "effects", "look"), CHANGES)
def test_changes_of_a_rule_have_effects(before: Rule | None, options: t.Any, effects: t.Any, look: str | None) -> None:
    plan = planned(before, **options)
    assert [(effect.name, effect.detail and list(effect.detail)) for effect in plan.effects] == effects
    assert all(effect.subject == "shop" for effect in plan.effects)
    after = plans.rule_after(desire({**DEFAULTS, "description": "shop", **options}), before)
    assert has_reports(before, after) is (look == "reports")
    assert list(narrowed_listings(before, after)) == (look.split() if look and look != "reports" else [])


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
    (group,) = grouped(policy, seen)
    assert group.show() == {
        "directive": "default-src", "source": "https://cdn.example/a.js", "count": 8, "hosts": ["a.example", "b.example"],
        "page": "https://shop.example/p",
    }  # fmt: skip


@pytest.mark.parametrize(
    "document",
    [None, {}, {"id": 5}, {"id": "r", "action": "log", "expression": "true", "value": None, "enabled": True},
     {"id": "r", "action": "log", "expression": "true", "value": "x", "enabled": "yes"},
     {"id": "r", "action": "log", "expression": "true", "value": "x", "enabled": True, "description": []},
     {"id": "r", "action": "log", "description": "d", "expression": " ", "value": "img-src *", "enabled": True},
     {"id": "r", "action": "log", "expression": "true", "value": "x", "enabled": True}],
)  # fmt: skip
def test_invalid_rule_is_a_bad_response(document: t.Any) -> None:
    with pytest.raises(Failure) as caught:
        parse_rule(document)
    assert caught.value.kind == "bad_response"


def test_duplicate_rule_id_is_a_bad_response() -> None:
    document = {"id": "r", "action": "log", "description": "", "expression": "true", "value": "img-src *", "enabled": True}
    with pytest.raises(Failure, match="two rules have the id r"):
        parse_rules([document, document])


def test_baseline_needs_a_valid_policy() -> None:
    with pytest.raises(Failure, match="cannot be parsed"):
        planned(rule("script-src 'nonce-1'"), script_baseline=[ENTRY])


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
    ("https://bücher.example/x.js", "https://xn--bcher-kva.example/x.js", False),
    ("https://*.BÜCHER.example/v3/**", "https://*.xn--bcher-kva.example/v3/", False),
    ("https://js.example./x.js", "https://js.example/x.js", False),
    ("https://js.example.:8443/x.js", "https://js.example:8443/x.js", False),
]
INEXPRESSIBLE = [
    ("https://**/x.js", "would become https:, which allows every host"),
    ("https://*/x.js", "would become https:, which allows every host"),
    ("https://[::1]/x.js", "has the host '[::1]', which no source can have"),
    ("https://js..example/x.js", "has the host 'js..example', which no source can have"),
    ("https://js.example../x.js", "has the host"),
    ("https://faß.example/x.js", "write it in its ASCII form"),
    ("https://js.example/a/../x.js", "has a . or .. segment"),
    ("https://js.example/a/%2E%2e/x.js", "has a . or .. segment"),
]


@pytest.mark.parametrize(("url", "source", "broader"), ENTRIES)
def test_entries_become_sources(url: str, source: str, broader: bool) -> None:
    (result,) = entry_sources(parse_baseline([{"name": "entry", "url": url, "authorised_by": "j.doe"}]))
    assert result[:3] == ("entry", source, broader)
    assert read_policy(f"script-src {result.source}") is not None


def test_hosts_of_entries_are_one_warning() -> None:
    """A source allows a script on every page of the rule; entries that an adoption wrote have hosts, so that one line tells of all."""
    entries = [
        {"name": f"e{n}", "url": f"https://js.example/{n}.js", "authorised_by": "j.doe", "hosts": ["shop.example"]}
        for n in range(5)
    ]
    options = {"action": "log", "expression": "true", "script_baseline": entries}
    (warning,) = (text for text in planned(None, **options).warnings if "host" in text)
    assert warning.endswith("also where the hosts of its entry do not name it: 'e0', 'e1', 'e2' and 2 more.")


@pytest.mark.parametrize(("url", "said"), INEXPRESSIBLE)
def test_entry_that_no_source_can_express_is_refused(url: str, said: str) -> None:
    entries = parse_baseline(
        [{"name": "other", "url": "https://a.example/"}, {"name": "entry", "url": url, "authorised_by": "j.doe"}]
    )
    with pytest.raises(Failure) as caught:
        entry_sources(entries)
    assert caught.value.kind == "invalid_option" and said in str(caught.value)
    assert str(caught.value).startswith("baseline[1].url: entry 'entry' cannot become a source of script-src")


def test_entry_without_authorisation_becomes_no_source() -> None:
    options = {"script_baseline": [ENTRY, {**ENTRY, "name": "skimmer", "url": "https://evil.example/x.js", "authorised_by": " "}]}
    plan = planned(rule("script-src 'self'"), **options)
    assert plan.requests[0].body == {"value": "script-src 'self' https://cdn.example/a.js"}
    assert "entry 'skimmer' has no authorised_by, so that it becomes no source" in " ".join(plan.warnings)
    alone = planned(rule("script-src 'self'"), script_baseline=[{"name": "skimmer", "url": "https://evil.example/x.js"}])
    assert not alone.requests


def test_baseline_adds_to_what_is_in_effect() -> None:
    """A rule with `default-src` alone keeps what that allows for scripts."""
    for options in ({}, {"directives": "default-src 'self' https://b.example"}):
        plan = planned(rule("default-src 'self' https://b.example"), script_baseline=[ENTRY], **options)
        value = "default-src 'self' https://b.example; script-src 'self' https://b.example https://cdn.example/a.js"
        assert plan.requests[0].body == {"value": value}
        assert [(effect.name, effect.detail) for effect in plan.effects] == [("weaken_rule", ("script-src",))]


def test_spelling_of_a_policy_is_no_part_of_the_plan() -> None:
    """The plan that was approved is the same, however the service writes the policy."""
    one, other = (
        planned(rule(value), action="log") for value in ("script-src 'self' A.example", "Script-Src  a.example 'SELF' ;")
    )
    assert one.basis == other.basis


@pytest.mark.parametrize(
    ("days", "why"),
    [
        ({"review_by": "2026-11-20"}, "had to be reviewed by 2026-11-20"),
        ({"authorised_on": "2026-11-22"}, "authorises nothing before 2026-11-22"),
        ({"authorised_on": "2026-11-21", "review_by": "2026-11-21"}, ""),
        ({}, ""),
    ],
)
def test_entry_that_authorises_nothing_today_becomes_a_source_with_a_warning(days: dict[str, str], why: str) -> None:
    desired = desire({**DEFAULTS, "description": "shop", "unobserved": "allow", "script_baseline": [{**ENTRY, **days}]})
    plan = plans.plan(desired, RuleState(rule("script-src 'self'"), today="2026-11-21"))
    assert plan.requests[0].body == {"value": "script-src 'self' https://cdn.example/a.js"}
    said = f"script_baseline: entry 'cdn' {why}, and is a source of script-src all the same."
    assert [text for text in plan.warnings if "all the same" in text] == ([said] if why else [])
