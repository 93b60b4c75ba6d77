# SPDX-License-Identifier: GPL-3.0-or-later

"""Random sequences of content security rules with edits and reports of browsers: check mode predicts, a second run writes nothing."""

import random
import time
import typing as t

import pytest
from faults import direct
from faults.scenarios import ZONE

from edgeops_simulator.testing import running

SEQUENCES, STEPS = 10, 12
NAMES = ("checkout", "blog", "{{ 7 * 7 }}")
SOURCES = ("'self'", "https://cdn.example/lib/", "*.pay.example", "https:", "'unsafe-inline'", "'unsafe-eval'")
SEEN = ("https://cdn.example/lib/a.js", "https://js.pay.example/v3", "http://old.example/x.js", "inline", "eval")
OTHER = {"id": "f0", "description": "foreign", "action": "allow", "value": "sandbox; img-src *", "expression": "true"}


@pytest.fixture(scope="module")
def simulator() -> t.Iterator[t.Any]:
    with running(zones=[ZONE]) as server:
        yield server


def policy(draw: random.Random) -> dict[str, list[str]]:
    names = draw.sample(("script-src", "connect-src", "default-src"), draw.randint(1, 2))
    return {name: draw.sample(SOURCES, draw.randint(1, 3)) for name in names}


def desired(draw: random.Random) -> dict[str, t.Any]:
    options: dict[str, t.Any] = {"description": draw.choice(NAMES)}
    if draw.random() < 0.15:
        return {**options, "state": "absent"}
    options |= {"action": draw.choice(["log", "allow"]), "expression": draw.choice(["true", "false"]), "directives": policy(draw)}
    more = {
        "enabled": draw.random() < 0.8,
        "unobserved": draw.choice(["allow", "refuse"]),
        "accept_blocked": [draw.choice(["cdn.example", "'unsafe-inline'", "http://old.example/**"])],
        "script_baseline": [{"name": "pay", "url": "https://*.pay.example/v3/**", "authorised_by": "j.doe"}],
    }
    return {**options, **{name: value for name, value in more.items() if draw.random() < 0.5}}


def disturb(draw: random.Random, simulator: t.Any) -> None:
    """Add reports of browsers about the existing rules, and edit rules."""
    rules = simulator.state(ZONE)["policies"]
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600))
    seen = [
        {"policy_id": rule["id"], "url": url, "host": "shop.example", "count": 2, "datetime": moment}
        for rule in rules
        for url in draw.sample(SEEN, draw.randint(0, 2))
    ]
    simulator.seed(violations={ZONE: seen})
    mine = [rule for rule in rules if rule["id"] != OTHER["id"]]
    if mine and draw.random() < 0.3:
        change = draw.choice(
            [{"enabled": False}, {"action": "log"}, {"value": "Script-Src  'SELF'"}, {"value": "script-src 'nonce-1'"}]
        )
        simulator.request("PUT", f"/zones/{ZONE}/page_shield/policies/{draw.choice(mine)['id']}", change)


def test_random_sequences_converge(simulator: t.Any, cases: t.Any) -> None:
    for number in range(SEQUENCES):
        draw = random.Random(number)
        simulator.reset(policies={ZONE: [OTHER]})
        for _step in range(STEPS):
            disturb(draw, simulator)
            options, before = desired(draw), simulator.state(ZONE)["policies"]
            simulator.clear_journal()
            predicted = direct.run("content_security_rule", simulator, ZONE, options, check=True)
            assert simulator.writes() == [] and simulator.state(ZONE)["policies"] == before
            applied = direct.run("content_security_rule", simulator, ZONE, options)
            after = simulator.state(ZONE)["policies"]
            compared = ("failed", "diff", "plan_id", "effects", "refusals", "msg")
            assert [predicted.get(name) for name in compared] == [applied.get(name) for name in compared], options
            assert OTHER in after or next(rule for rule in after if rule["id"] == "f0")["value"] == OTHER["value"]
            if applied.get("failed"):
                # The rule must not be enforced, or an edit gave it a policy to which no source can be added.
                assert applied["error"]["kind"] in ("gate", "invalid_option") and after == before, applied
                assert bool(applied.get("refusals")) == (applied["error"]["kind"] == "gate")
                cases["rules: refused"] += 1
                continue
            assert predicted["changed"] == applied["changed"] == (after != before)
            cases[f"rules: {'changed' if applied['changed'] else 'unchanged'}"] += 1
            simulator.clear_journal()
            again = direct.run("content_security_rule", simulator, ZONE, options)
            assert not again.get("failed") and again["changed"] is False and simulator.writes() == []
            assert again["content_security_rule"] == applied["content_security_rule"]
            check_gate(options, before, after, applied)


def check_gate(options: dict[str, t.Any], before: list[t.Any], after: list[t.Any], applied: dict[str, t.Any]) -> None:
    """A rule that is now enforced was logged before or has `unobserved: allow`, and each source that it blocks is accepted."""
    sides = [next((rule for rule in rules if rule["description"] == options["description"]), None) for rules in (before, after)]
    was, now = (rule is not None and rule["enabled"] and rule["action"] == "allow" for rule in sides)
    if now and not was:
        assert applied["effects"] == [{"name": "enforce_rule", "subject": options["description"], "detail": None}]
        logged = sides[0] is not None and sides[0]["enabled"]
        assert logged or options.get("unobserved") == "allow"
    if was and not now:
        assert applied["effects"] == [{"name": "weaken_rule", "subject": options["description"], "detail": None}]
