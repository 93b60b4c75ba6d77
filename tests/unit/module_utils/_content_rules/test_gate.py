# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a change after which more is blocked may be written: tables of what is known, and what a user reads."""

import datetime
import random
import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.enforcement import is_outdated
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.gate import Verdict, judge
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.options import OPTIONS, desire
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.plan import rule_after
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.rule import (
    Evidence,
    Rule,
    RuleState,
    parse_rule,
)
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.violations import (
    DATASET,
    Seen,
    Window,
    parse,
    warning_of,
)
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._observed import Cause, Known, Unknown
from ansible_collections.edgeops.observability.plugins.module_utils._policy.comparison import compare
from ansible_collections.edgeops.observability.plugins.module_utils._policy.matching import Resource, source_of
from ansible_collections.edgeops.observability.plugins.module_utils._policy.parse import read_policy

DEFAULTS = {name: option.get("default") for name, option in OPTIONS.items()}
ZONE = "023e105f4ecef8ad9ca31a8372d0c353"
RULE_ID = "c9ef84a6bf5e47138c75d95e2f933e8f"
WINDOW = Window.of(datetime.datetime(2026, 11, 28, tzinfo=datetime.timezone.utc), 7)
STRIPE, OWN, CDN = "https://js.stripe.com/v3/", "https://shop.example/own.js", "https://cdn.example/a.js"
OFF = Unknown(Cause.MONITOR_OFF, "the script monitor is off")
NO_RIGHT = Unknown(Cause.NO_RIGHT, "the token lacks Zone Analytics Read", "permission")


def rule(value: str, **members: t.Any) -> Rule:
    document = {"id": RULE_ID, "description": "shop", "action": "log", "expression": "true", "enabled": True, "value": value}
    return parse_rule({**document, **members})


def row(url: t.Any = CDN, directive: t.Any = "script-src-elem", count: t.Any = 3, **dimensions: t.Any) -> dict[str, t.Any]:
    seen = {
        "policyID": RULE_ID,
        "cspDirective": directive,
        "url": url,
        "host": "shop.example",
        "pageURL": "https://shop.example/pay",
    }
    return {"count": count, "dimensions": {**seen, **dimensions}}


def answer(*rows: t.Any, recent: t.Sequence[t.Any] | None = None, page_size: int = 10) -> t.Any:
    """Return what is known of the reports in an answer of the service; `recent` are those of the last day, by default all."""
    node = {"zoneTag": ZONE, DATASET: list(rows), "recent": list(rows if recent is None else recent)}
    return parse({"viewer": {"zones": [node]}}, [ZONE], WINDOW, page_size, recent=True)[ZONE]


def listing(*urls: str, gaps: tuple[Unknown, ...] = (), directive: str = "script-src") -> Seen:
    return Seen(tuple(Resource(directive, url, "shop.example", "https://shop.example/pay") for url in urls), gaps)


def judged(before: Rule | None, options: t.Mapping[str, t.Any], reports: t.Any = None, listed: Seen | None = None) -> Verdict:
    desired = desire({**DEFAULTS, "description": "shop", **options})
    return judge(desired, RuleState(before, Evidence(reports, listed)), rule_after(desired, before))


ALLOW: dict[str, t.Any] = {"action": "allow"}
ENFORCED: dict[str, t.Any] = {"action": "allow"}
SELF = rule("script-src 'self'")
NEW = {"action": "allow", "expression": "true", "directives": "script-src 'self'"}

# Present rule, options, reports, listing; the sources that are refused (None: not known), and what a user reads.
REFUSED: dict[str, tuple[Rule | None, dict[str, t.Any], t.Any, Seen | None, list[str | None], str]] = {
    "reported": (SELF, ALLOW, answer(row()), None, [CDN], "would block 1 source that browsers reported (counts are sampled): script-src"),
    "reported, with its place and what to do": (SELF, ALLOW, answer(row()), None, [CDN],
        "script-src https://cdn.example/a.js (3 times, on shop.example, such as https://shop.example/pay). Add them to directives, or to"),
    "only in the sample of the last day": (SELF, ALLOW, answer(recent=[row()]), None, [CDN], "would block 1 source"),
    "reported, but the policy has it": (SELF, ALLOW, answer(row(OWN)), None, [OWN], "although sources of the policy name them"),
    "reported in a directive that the policy lacks": (
        SELF, ALLOW, answer(row("https://api.example/v1", "connect-src")), None, ["https://api.example/v1"],
        "or none of its directives governs them: connect-src https://api.example/v1"),
    "inline code beside a hash": (
        rule("script-src 'unsafe-inline' 'sha256-a='"), ALLOW, answer(row("inline")), None, ["'unsafe-inline'"],
        "a keyword that switches other sources off"),
    "strict-dynamic": (
        rule("script-src 'strict-dynamic' https://cdn.example"), ALLOW, answer(row()), None, [CDN], "a keyword that switches other sources off"),
    "a host beside strict-dynamic": (
        rule("script-src 'strict-dynamic' 'sha256-a='"), ALLOW, answer(row()), None, [CDN],
        "Hosts and schemes beside 'strict-dynamic' have no effect: remove it, or add them to accept_blocked."),
    "the reported address under another name of the source": (
        rule("script-src https://cdn.example"), {**ALLOW, "directives": f"script-src https://cdn.example {CDN}"}, answer(row()), None, [CDN],
        "although sources of the policy name them"),
    "reported of an earlier policy, and listed": (
        rule("script-src 'self' 'unsafe-inline'"), ALLOW, answer(row("inline"), recent=[]), listing(STRIPE), [None],
        f"nothing of its pages that its present policy blocks in the last 7 days, although the zone lists what it would block: script-src {STRIPE}"),
    "not known what was reported, and listed": (
        SELF, ALLOW, NO_RIGHT, listing(STRIPE), [None], "what browsers reported is not known, although the zone lists what it would block"),
    "new, and listed": (None, NEW, None, listing(STRIPE), [STRIPE, None], "would block 1 source that its pages load now"),
    "disabled, and listed": (
        rule("script-src 'self'", enabled=False), {**ALLOW, "enabled": True}, answer(), listing(STRIPE), [STRIPE, None],
        "would block 1 source that its pages load now"),
    "reports of a frame name the page": (
        rule("frame-ancestors 'none'"), {**ALLOW, "directives": "frame-ancestors 'self'"}, answer(row(OWN, "frame-ancestors")), None, [OWN],
        "Browsers name the page and not who embeds it"),
    "a source without a scheme is not for wss": (
        rule("connect-src 'self'", **ENFORCED), {"directives": "connect-src shop.example"}, None,
        listing("wss://shop.example/live", directive="connect-src"), ["wss://shop.example/live"], "connect-src wss://shop.example/live"),
    "logged, narrower, listed": (
        rule("script-src 'self' https:"), {**ALLOW, "directives": "script-src 'self'"}, answer(row("http://a.example/")), listing(STRIPE),
        ["http://a.example/", STRIPE], "that browsers reported (counts are sampled), or that its pages load now"),
    "reported and listed": (
        rule("script-src 'self' https:"), {**ALLOW, "directives": "script-src 'self'"}, answer(row(STRIPE)), listing(STRIPE), [STRIPE],
        "(3 times, on shop.example"),
    "an added directive": (
        SELF, {**ALLOW, "directives": "script-src 'self'; connect-src 'none'"}, answer(row()),
        listing("https://api.example/v1", directive="connect-src"), [CDN, "https://api.example/v1", None],
        "what connect-src without blob:, connect-src without data: would block"),
    "a script baseline beside default-src": (
        rule("default-src 'self' https:", **ENFORCED),
        {"directives": "default-src 'self' https:", "script_baseline": [{"name": "a", "url": CDN, "authorised_by": "x"}], "expression": "false"},
        None, None, [None], "its expression changes"),
    "a listing of a disabled monitor": (
        rule("script-src 'self' https:", **ENFORCED), {"directives": "script-src 'self'"}, None, listing(STRIPE, gaps=(OFF,)), [STRIPE, None],
        "the listing of the zone cannot be read as complete: the script monitor is off"),
    "another rule's row": (SELF, ALLOW, answer(row(policyID="f" * 32)), None, [CDN, None], "a row is about another rule"),
    "no id of a rule": (SELF, ALLOW, answer(row(OWN, policyID=None)), None, [OWN, None], "no id of a rule in 'policyID', but null"),
    "no dimensions": (SELF, ALLOW, answer({"count": 3, "dimensions": None}), None, [None], "its violations cannot be read: a row has no dimensions"),
    "no directive": (SELF, ALLOW, answer(row(directive=None)), None, [None], "a row has no directive in 'cspDirective', but null"),
    "an unknown directive": (SELF, ALLOW, answer(row(directive="scripts")), None, [None], "a row has no directive"),
    "no address": (SELF, ALLOW, answer(row(None)), None, [None], "a row has no address in 'url', but null"),
    "an empty address": (SELF, ALLOW, answer(row("")), listing(OWN), ["empty"], "script-src empty (3 times"),
    "accepted reports that say nothing about the pages, and listed": (
        SELF, {**ALLOW, "accept_blocked": ["chrome-extension:", "empty"]}, answer(row("chrome-extension"), row("")), listing(STRIPE), [None],
        f"nothing of its pages that its present policy blocks in the last 7 days, although the zone lists what it would block: script-src {STRIPE}"),
    "a whole directive": (SELF, ALLOW, answer(row(directive="Script-Src 'self'; img-src *")), None, [CDN], "would block 1 source"),
    "a full page": (SELF, ALLOW, answer(*[row(OWN, count=n) for n in range(10)], recent=[]), None, [None], "there are 10 different reports or more"),
    "a full page of the last day": (
        SELF, {**ALLOW, "accept_blocked": ["shop.example"]}, answer(recent=[row(OWN)] * 10), None, [None],
        "10 different"),
    "no right to read reports": (SELF, ALLOW, NO_RIGHT, None, [None], "its violations cannot be read: the token lacks Zone Analytics Read"),
    "silent, and the zone lists what both block": (SELF, ALLOW, answer(), listing(OWN, STRIPE), [None],
        "browsers reported nothing in the last 7 days, although the zone lists what it would block: script-src https://js.stripe.com/v3/"),
    "silent, nothing listed": (
        SELF, ALLOW, answer(), Seen(gaps=(Unknown(Cause.NOTHING_LISTED, "it shows no scripts at all"),)), [None],
        "it shows no scripts at all"),
    "new": (None, NEW, None, None, [None], "it is new, so that nobody has seen yet what it would block. Set action to log"),
    "disabled": (rule("script-src 'self'", enabled=False), {**ALLOW, "enabled": True}, answer(row()), None, [CDN, None], "it is disabled"),
    "reports only": (rule("script-src 'self'", action="add_reporting_directives"), ALLOW, answer(), None, [None], "evaluates no policy of its own"),
    "an unknown action": (
        rule("script-src 'self'", action="ALLOW"), ALLOW, answer(), None, [None],
        "'ALLOW' is not known, and so not whether it enforces"),
    "an unknown action, a stricter policy": (
        rule("script-src 'self' https:", action="zzz"), {"directives": "script-src 'self'"}, None, listing(OWN), [None],
        "'zzz' is not known"),
    "a query in a source": (
        rule(f"script-src {CDN}?x=1"), ALLOW, answer(row(), row(STRIPE, count=1)), None, [CDN, STRIPE, None],
        "its policy cannot be parsed"),
    "a directive twice": (rule("script-src 'self'; script-src *"), ALLOW, answer(), None, [None], "its policy cannot be parsed"),
    "a present policy that cannot be parsed": (
        rule("script-src 'nonce-1'"), {**ALLOW, "directives": "img-src *"}, answer(), None, [None],
        "its present policy cannot be parsed"),
    "an empty policy": (rule(" "), ALLOW, answer(), None, [None], "its policy has no directive that is known"),
    "another expression": (SELF, {**ALLOW, "expression": "false"}, answer(), listing(OWN), [None], "its expression changes"),
    "an image": (
        rule("img-src *", **ENFORCED), {"directives": "img-src 'self'"}, None, None, [None],
        "no listing of the zone shows what img-src would block. Log a second rule"),
    "workers that move": (
        rule("child-src *; script-src 'self'", **ENFORCED), {"directives": "script-src 'self'"}, None, None, [None],
        "what worker-src would block"),
    "a hash that is lost": (
        rule("script-src 'self' 'sha256-a=' 'sha256-b='", **ENFORCED), {"directives": "script-src 'self' 'sha256-a='"}, None, listing(OWN), [None],
        "what script-src without 'sha256-b=' would block"),
    "a listed script of an unknown page": (
        rule("script-src 'self'", **ENFORCED), {"directives": "script-src 'none'"}, None,
        Seen((Resource("script-src-elem", OWN),)), [OWN, None], "would block 1 source"),
    "a listed script of a page whose scheme is not known": (
        rule("script-src cdn.example", **ENFORCED), {"directives": "script-src 'none'"}, None,
        Seen((Resource("script-src-elem", "http://cdn.example/a.js", "shop.example"),)), ["http://cdn.example/a.js", None],
        "what worker-src would block"),
    "a listed connection without its path": (
        rule("connect-src https://api.example/v1/", **ENFORCED), {"directives": "connect-src 'self'"}, None,
        listing("https://api.example/", directive="connect-src"), ["https://api.example/"], "would block 1 source"),
    "a silent rule with sources for elements": (
        rule("script-src *; script-src-elem 'none'"), ALLOW, answer(), listing(STRIPE, directive="script-src-elem"), [None],
        "although the zone lists what it would block: script-src-elem https://js.stripe.com/v3/"),
    "a sandbox, which nobody reports": (
        rule("script-src *; sandbox"), {**ALLOW, "accept_blocked": ["data:"]}, answer(row("data")), None, [None],
        "browsers do not report what sandbox would block"),
    "an upgrade, which nobody reports": (
        rule("script-src *; upgrade-insecure-requests"), {**ALLOW, "accept_blocked": ["data:"]}, answer(row("data")), None, [None],
        "browsers do not report what upgrade-insecure-requests would block"),
    "an upgrade and a sandbox": (
        rule("script-src *; upgrade-insecure-requests; sandbox"), {**ALLOW, "accept_blocked": ["data:"]}, answer(row("data")), None, [None],
        "browsers do not report what upgrade-insecure-requests, sandbox would block"),
    "an upgrade that is added": (
        rule("script-src *", **ENFORCED), {"directives": "script-src *; upgrade-insecure-requests"}, None, None, [None],
        "what upgrade-insecure-requests would block"),
    "workers of blob, which fall back to the scripts": (
        rule("script-src * data: blob:", **ENFORCED), {"directives": "script-src *"}, None, listing(OWN), [None],
        "what worker-src would block; no listing of the zone shows what script-src without blob:, script-src without data: would block"),
    "the same, first logged": (
        rule("script-src * data: blob:"), {**ALLOW, "directives": "script-src *", "accept_blocked": ["inline"]}, answer(row("eval")), listing(OWN),
        ["'unsafe-eval'", None], "what worker-src would block; no listing of the zone shows what script-src without blob:"),
    "scripts of blob beside sources for workers": (
        rule("script-src * blob:; worker-src *", **ENFORCED), {"directives": "script-src *; worker-src *"}, None, listing(OWN), [None],
        "what script-src without blob: would block"),
    "workers of the own site": (
        rule("script-src https:", **ENFORCED), {"directives": "script-src https://cdn.example"}, None, listing(CDN), [None],
        "what worker-src would block"),
    "workers by default": (
        rule("default-src 'self' blob:", **ENFORCED), {"directives": "default-src 'self'"}, None, listing(OWN), [None],
        "what default-src would block; no listing of the zone shows what default-src without blob:"),
    "the first sources for scripts": (
        rule("img-src *", **ENFORCED), {"directives": "img-src *; script-src * 'unsafe-inline' 'unsafe-eval'"}, None, listing(OWN), [None],
        "what worker-src would block; no listing of the zone shows what script-src without blob:, script-src without data: would block"),
    "connections of blob": (
        rule("connect-src 'self' blob:", **ENFORCED), {"directives": "connect-src 'self'"}, None,
        listing("https://shop.example/v1", directive="connect-src"), [None], "what connect-src without blob: would block"),
    "strict-dynamic that is lost": (
        rule("script-src 'sha256-a=' 'strict-dynamic'", **ENFORCED), {"directives": "script-src 'sha256-a=' https:"}, None, listing(OWN), [None],
        "what script-src without 'strict-dynamic' would block"),
}  # fmt: skip

# Present policy, new policy, reported address, its directive: the new one names again what the present one has, for no other host.
REPEATED = (
    ("script-src https://cdn.example", "script-src https://cdn.example https://cdn.example:443", CDN, "script-src-elem"),
    ("script-src https://cdn.example:443", "script-src https://cdn.example", CDN, "script-src-elem"),
    ("script-src https://cdn.example/", "script-src https://cdn.example", CDN, "script-src-elem"),
    ("script-src https://cdn.example", "script-src https://cdn.example/ https://cdn.example", CDN, "script-src-elem"),
    ("script-src https://cdn.example", f"script-src https://cdn.example {CDN}", CDN, "script-src-elem"),
    ("script-src https://cdn.example/%61.js", f"script-src {CDN}", CDN, "script-src-elem"),
    ("script-src https://cdn.example", "script-src HTTPS://CDN.example HTTP://CDN.example:80", CDN, "script-src-elem"),
    ("script-src https://cdn.example", "script-src https://cdn.example cdn.example http://cdn.example", CDN, "script-src-elem"),
    ("script-src cdn.example", "script-src cdn.example http://cdn.example", CDN, "script-src-elem"),
    ("default-src https://cdn.example", "default-src https://cdn.example; script-src http://cdn.example", CDN, "script-src-elem"),
    # After a redirect paths do not count, so that a broader one is no reason.
    ("script-src https://cdn.example/a.js", "script-src https://cdn.example", CDN, "script-src-elem"),
    ("script-src https:", "script-src https: http: https://* *", CDN, "script-src-elem"),
    ("script-src *.example", "script-src *.example https://cdn.example https://*.example", CDN, "script-src-elem"),
    ("script-src 'self'", "script-src 'self' https://shop.example", OWN, "script-src-elem"),
    ("script-src shop.example", "script-src 'self'", OWN, "script-src-elem"),
    ("script-src 'unsafe-eval'", "script-src 'unsafe-eval' 'wasm-unsafe-eval'", "wasm-eval", "script-src"),
    ("connect-src wss://api.example", "connect-src wss://api.example ws://api.example", "wss://api.example/", "connect-src"),
    # Where nothing is restricted, nothing can be newly allowed.
    ("img-src *", "img-src *; script-src https://cdn.example", CDN, "script-src-elem"),
)


@pytest.mark.parametrize(("present", "new", "url", "directive"), REPEATED)
def test_second_name_of_a_source_explains_no_report(present: str, new: str, url: str, directive: str) -> None:
    """What browsers block although a policy allows it on paper stays blocked if the new policy only repeats it."""
    options = {**ALLOW, "directives": new, "unobserved": "allow"}
    verdict = judged(rule(present), options, answer(row(url, directive)), listing(CDN))
    assert [refusal["source"] for refusal in verdict.refusals] == [source_of(url)], verdict
    assert "although sources of the policy name them" in verdict.refused
    # Of earlier days it is a warning.
    older = judged(rule(present), options, answer(row(url, directive), recent=[]), listing(CDN))
    assert not older.refused and "but not in the last 24 hours" in " ".join(older.warnings)


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_in_use_or_not_known_is_refused(case: str) -> None:
    before, options, reports, listed, sources, said = REFUSED[case]
    verdict = judged(before, options, reports, listed)
    assert [refusal["source"] for refusal in verdict.refusals] == sources, verdict.refused
    assert said in verdict.refused and verdict.refused.startswith("content security rule 'shop' would ")
    assert all(refusal["rule"] == "shop" for refusal in verdict.refusals)
    # `unobserved: allow` lets nothing pass that is known to be blocked.
    allowed = judged(before, {**options, "unobserved": "allow"}, reports, listed)
    assert [refusal["source"] for refusal in allowed.refusals] == [source for source in sources if source is not None]
    assert None not in sources or allowed.refused or "is enforced although" in allowed.warnings[0]


# Present rule, options, reports, listing, warnings.
PASSED: dict[str, tuple[Rule | None, dict[str, t.Any], t.Any, Seen | None, list[str]]] = {
    "a new source allows what was reported": (SELF, {**ALLOW, "directives": "script-src 'self' cdn.example"}, answer(row()), None, []),
    "a broader one does, too": (rule("script-src https://cdn.example/b/"), {**ALLOW, "directives": "script-src https:"}, answer(row()), None, []),
    "more hosts may explain what was allowed on paper": (
        rule("script-src https://cdn.example"), {**ALLOW, "directives": "script-src https://*.example"}, answer(row()), None, []),
    "so may a keyword": (
        rule("script-src https://cdn.example"), {**ALLOW, "directives": "script-src 'self' https://cdn.example 'unsafe-inline'"}, answer(row("inline")),
        None, []),
    "and every host": (rule("script-src 'self'"), {**ALLOW, "directives": "script-src 'self' https:"}, answer(row(OWN)), None, []),
    "an upgrade that is enforced already": (
        rule("script-src *; upgrade-insecure-requests", **ENFORCED), {"directives": "script-src 'self'; upgrade-insecure-requests"}, None,
        listing(OWN), []),
    "scripts and workers keep what has no host": (
        rule("script-src 'self' blob: https:", **ENFORCED), {"directives": "script-src 'self' blob:"}, None, listing(OWN), []),
    "the directive goes": (rule("script-src 'self'; img-src *"), {**ALLOW, "directives": "img-src *"}, answer(row()), None, []),
    "accepted": (SELF, {**ALLOW, "accept_blocked": ["cdn.example"]}, answer(row()), None, []),
    "extensions": (
        SELF, {**ALLOW, "accept_blocked": ["chrome-extension:"]}, answer(row("chrome-extension://abc/x.js"), row("chrome-extension")),
        listing(OWN), []),
    "an empty address": (SELF, {**ALLOW, "accept_blocked": ["empty"]}, answer(row("")), listing(OWN), []),
    "enforced on other requests, and the zone lists what it blocks": (
        rule("script-src 'self'", **ENFORCED), {"expression": "http.host eq \"shop.example\"", "unobserved": "allow"}, None, listing(STRIPE),
        [f"nobody has seen it on these requests, although the zone lists what it would block: script-src {STRIPE}"]),
    "silent, with directives that no listing shows": (
        rule("script-src 'self'; img-src 'none'; font-src 'none'"), ALLOW, answer(), listing(OWN),
        ["would be blocked, no listing shows what img-src, font-src would block, and its expression"]),
    "an id in another form": (
        SELF, {**ALLOW, "accept_blocked": ["cdn.example"]}, answer(row(policyID="C9EF84A6-BF5E-4713-8C75-D95E2F933E8F")), None,
        []),
    "allowed on paper, long ago": (SELF, ALLOW, answer(row(OWN), recent=[]), listing(OWN),
        ["browsers reported what its policy allows on paper, but not in the last 24 hours: script-src https://shop.example/own.js"]),
    "silent, and nothing listed is blocked": (
        SELF, ALLOW, answer(), listing(OWN),
        ["browsers reported nothing in the last 7 days: nothing that the zone lists"]),
    "silent, and what it blocks is accepted": (
        SELF, {**ALLOW, "accept_blocked": ["js.stripe.com"]}, answer(), listing(STRIPE),
        ["browsers reported nothing"]),
    "listed, but blocked by both, with reports": (SELF, {**ALLOW, "directives": "script-src 'self' cdn.example"}, answer(row()), listing(STRIPE), []),
    "stricter, and nothing listed is lost": (
        rule("script-src 'self' https:", **ENFORCED), {"directives": "script-src 'self'"}, None, listing(OWN, "http://x.example/"),
        []),
    "looser": (rule("script-src 'self'", **ENFORCED), {"directives": "script-src *"}, None, None, []),
    "logged only": (None, {**NEW, "action": "log"}, None, None, []),
    "disabled": (rule("script-src *", **ENFORCED), {"enabled": False, "directives": "script-src 'none'"}, None, None, []),
}  # fmt: skip


@pytest.mark.parametrize("case", PASSED)
def test_what_blocks_nothing_in_use_passes(case: str) -> None:
    before, options, reports, listed, warnings = PASSED[case]
    verdict = judged(before, options, reports, listed)
    assert not verdict.refused and not verdict.refusals
    assert len(verdict.warnings) == len(warnings)
    assert all(said in text for said, text in zip(warnings, verdict.warnings, strict=True))


def test_what_nothing_was_reported_in_is_the_window_that_was_looked_at() -> None:
    hour = WINDOW._replace(length=datetime.timedelta(hours=1))
    silent = Known(answer().value._replace(window=hour))
    assert "browsers reported nothing in the last 60 minutes: nothing" in judged(SELF, ALLOW, silent, listing(OWN)).warnings[0]
    assert "browsers reported nothing in the last 60 minutes, although" in judged(SELF, ALLOW, silent, listing(STRIPE)).refused


@pytest.mark.parametrize(("seconds", "shortened"), [(604800, None), (10**19, None), (86400, {"hours": 24.0, "requested": 168})])
def test_window_is_what_the_plan_shows_also_where_the_service_refuses_no_longer_one(seconds: int, shortened: t.Any) -> None:
    limits = {"enabled": True, "maxDuration": seconds, "maxPageSize": 10, "notOlderThan": seconds}
    node = {"zoneTag": ZONE, "settings": {DATASET: limits}, DATASET: [], "recent": []}
    observed = parse({"viewer": {"zones": [node]}}, [ZONE], WINDOW, recent=True, settings=True)[ZONE]
    assert isinstance(observed, Known)
    window = observed.value.window
    assert window.shortened == shortened and bool(warning_of(window)) is bool(shortened)
    assert window.until == WINDOW.until and (window.since == WINDOW.since) is (shortened is None)


SOURCES = (
    "'self'",
    "https:",
    "cdn.example",
    "https://js.stripe.com/v3/",
    "*",
    "'unsafe-inline'",
    "'strict-dynamic'",
    "'sha256-a='",
)
URLS = (STRIPE, OWN, CDN, "inline", "eval", "", "data", "chrome-extension://a/b")


def severity(verdict: Verdict) -> int:
    """Return how bad a verdict is: nothing, a warning, or how much is refused."""
    return 100 + len(verdict.refusals) if verdict.refused else min(1, len(verdict.warnings))


def drawn(draw: random.Random, sources: t.Sequence[str] = SOURCES) -> str:
    return f"script-src {' '.join(draw.sample(sources, draw.randint(1, 4)))}"


def test_verdict_is_never_better_with_one_more_report() -> None:
    for number in range(400):
        draw = random.Random(number)
        before, options = rule(drawn(draw)), {**ALLOW, **draw.choice([{}, {"directives": drawn(draw)}])}
        rows = [row(draw.choice(URLS), count=n) for n in range(draw.randint(1, 3))]
        listed = listing(*draw.sample(URLS[:3], 2))
        recent = draw.sample(rows, draw.randint(0, len(rows)))
        more = [*rows, row(draw.choice([*URLS, None]), count=9)]
        fewer, with_more = (
            judged(before, options, answer(*rows, recent=recent), listed),
            judged(before, options, answer(*more, recent=[*recent, more[-1]]), listed),
        )
        assert severity(with_more) >= severity(fewer), (number, fewer, with_more)
        # The first report of the present policy shows that it works.
        of_silent = {None} if is_outdated(before, Evidence(answer(*rows, recent=recent))) else set()
        assert {refusal["source"] for refusal in fewer.refusals} - of_silent <= {
            refusal["source"] for refusal in with_more.refusals
        }


def test_verdict_is_never_better_for_a_narrower_policy() -> None:
    compared = 0
    for number in range(1500):
        draw = random.Random(number)
        before, broad, narrow = rule(drawn(draw), action=draw.choice(["log", "allow"])), drawn(draw), drawn(draw)
        if compare(read_policy(broad), read_policy(narrow)).gained:
            continue
        compared += 1
        reports = answer(*[row(draw.choice(URLS), count=n) for n in range(draw.randint(1, 3))])
        listed = listing(*draw.sample(URLS[:3], 2))
        broader, narrower = (judged(before, {**ALLOW, "directives": value}, reports, listed) for value in (broad, narrow))
        assert severity(narrower) >= severity(broader), (number, before.value, broad, narrow, broader, narrower)
    assert compared > 100


def test_answer_that_may_hide_reports_is_no_observation() -> None:
    """Two nodes of a zone, or an answer without the page size that the plan allows."""
    node = {"zoneTag": ZONE, DATASET: [], "recent": []}
    with pytest.raises(Failure, match="is there twice"):
        parse({"viewer": {"zones": [node, {**node, "zoneTag": ZONE.upper()}]}}, [ZONE], WINDOW, recent=True)
    observed = parse({"viewer": {"zones": [node]}}, [ZONE], WINDOW, recent=True, settings=True)[ZONE]
    assert isinstance(observed, Unknown) and observed.kind == "bad_response"
    limits = {"enabled": True, "maxDuration": 86400, "maxPageSize": 1, "notOlderThan": 90000}
    cut = {**node, DATASET: [row()], "settings": {DATASET: limits}}
    observed = parse({"viewer": {"zones": [cut]}}, [ZONE], WINDOW, recent=True, settings=True)[ZONE]
    assert isinstance(observed, Known) and [gap.cause for gap in observed.value.gaps] == [Cause.CUT_OFF]


def test_row_that_cannot_be_told_is_about_its_own_zone_and_rule() -> None:
    other, second = "f" * 32, "e" * 32
    rows = [row(count=-1), row(policyID=second), row(STRIPE, policyID=None)]
    nodes = [{"zoneTag": ZONE, DATASET: rows[:2]}, {"zoneTag": other, DATASET: rows[1:]}, {"zoneTag": second, DATASET: None}]
    observed = parse({"viewer": {"zones": nodes}}, [ZONE, other, second], WINDOW, recent=False)
    one, two, three = observed.values()
    assert isinstance(one, Known) and isinstance(two, Known) and isinstance(three, Unknown)
    assert [gap.message for gap in one.value.of(RULE_ID).gaps] == ["the 'count' of a row is no whole number"]
    assert not one.value.of(second).gaps and len(one.value.of(second).resources) == 1
    # One without the id of a rule may be about each of the zone.
    assert two.value.of(RULE_ID).gaps and two.value.of(second).gaps
