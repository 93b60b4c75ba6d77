# SPDX-License-Identifier: GPL-3.0-or-later

"""Random sequences over all parts of a zone in one task, with edits by others: check mode predicts, and a second run writes nothing."""

import collections
import random
import typing as t

import pytest
from faults import direct
from faults.scenarios import ACCOUNT, OWN_RULE, PHASE, ZONE
from properties import test_content_rules as content_rules

from edgeops_simulator.testing import running

SEQUENCES, STEPS = 8, 10
JOBS = ("edge", "audit", "theirs")
TRANSFORMERS = ("redact", "other")
BUCKETS = (
    "s3://logs/all?region=eu-west-1",
    "r2://logs/web?account-id=a&access-key-id=k&secret-access-key=planted-secret-of-a-zone",
)
FILTERS: tuple[t.Any, ...] = ("", {"key": "ClientIP", "operator": "eq", "value": "192.0.2.1"})


@pytest.fixture(scope="module")
def simulator() -> t.Iterator[t.Any]:
    with running(zones=[]) as server:
        yield server


def some(draw: random.Random, chance: float, **options: t.Any) -> dict[str, t.Any]:
    """Return each of these options with a chance."""
    return {name: value for name, value in options.items() if draw.random() < chance}


def job(draw: random.Random, name: str) -> dict[str, t.Any]:
    if draw.random() < 0.15:
        return {"name": name, "state": "absent"}
    more = some(
        draw,
        0.4,
        enabled=draw.random() < 0.7,
        filter=draw.choice(FILTERS),
        fields=draw.sample(["ClientIP", "RayID", "EdgeResponseStatus"], 2),
        transformer=draw.choice(["", *TRANSFORMERS]),
        max_upload_records=draw.choice([1000, 2000]),
    )
    return {"name": name, "dataset": "http_requests", "destination_conf": draw.choice(BUCKETS), **more}


def desired(draw: random.Random) -> dict[str, t.Any]:
    names = draw.sample(["x-team", "x-old", "Accept"], draw.randint(0, 2))
    rules = {rule["description"]: rule for rule in (content_rules.desired(draw) for _number in range(2))}
    parts = some(
        draw,
        0.6,
        custom_fields={"request_fields": names, **some(draw, 0.5, response_fields=["Server"], cookie_fields=[])},
        jobs=[job(draw, name) for name in draw.sample(JOBS, draw.randint(0, 3))],
        script_monitor_enabled=draw.random() < 0.5,
        content_security_rules=list(rules.values()),
    )
    return {**parts, **({"unlisted_jobs": draw.choice(["report", "ignore", "absent"])} if "jobs" in parts else {})}


def disturb(draw: random.Random, simulator: t.Any) -> None:
    """Edit a job, the monitor or a rule, as another user does."""
    jobs = simulator.state(ZONE)["jobs"]
    if jobs and draw.random() < 0.4:
        change = draw.choice([{"enabled": False}, {"filter": ""}, {"max_upload_records": 3000}, {"name": "theirs"}])
        simulator.request("PUT", f"/zones/{ZONE}/logpush/jobs/{draw.choice(jobs)['id']}", change)
    if draw.random() < 0.3:
        simulator.request("PUT", f"/zones/{ZONE}/script_monitor", {"enabled": draw.random() < 0.5})
    content_rules.disturb(draw, simulator)


def state(simulator: t.Any) -> dict[str, t.Any]:
    """Return the state of the zone without the time of the monitor, which a first look at it sets."""
    whole = simulator.state(ZONE)
    return {**whole, "script_monitor": whole["script_monitor"]["enabled"]}


def seed() -> dict[str, t.Any]:
    account = {"id": ACCOUNT, "name": "Shop"}
    return {
        "zones": [{"id": ZONE, "name": "shop.example", "account": account}],
        "rulesets": {ZONE: [{"kind": "zone", "phase": PHASE, "rules": [OWN_RULE]}]},
        "policies": {ZONE: [content_rules.OTHER]},
        "transformers": {ACCOUNT: [{"name": name, "code": "SELECT RayID FROM http_requests"} for name in TRANSFORMERS]},
    }


@pytest.mark.parametrize("number", range(SEQUENCES))
def test_random_sequences_over_all_parts_converge(simulator: t.Any, cases: collections.Counter[str], number: int) -> None:
    draw = random.Random(number)
    simulator.reset(**seed())
    for _step in range(STEPS):
        disturb(draw, simulator)
        options, before = desired(draw), state(simulator)
        simulator.clear_journal()
        predicted = direct.run("zone_observability", simulator, ZONE, options, check=True)
        assert simulator.writes() == [] and state(simulator) == before
        applied = direct.run("zone_observability", simulator, ZONE, options)
        compared = ("failed", "diff", "plan_ids", "effects", "refusals", "msg")
        if applied.get("failed"):
            # A rule must not be enforced yet, a policy of others takes no sources, or two jobs have one name by now.
            assert applied["error"]["kind"] in ("gate", "invalid_option", "conflict"), applied["msg"]
            assert [predicted.get(name) for name in compared] == [applied.get(name) for name in compared], options
            assert simulator.writes() == [] and state(simulator) == before
            cases[f"whole zones: {applied['error']['kind']}"] += 1
            continue
        assert [predicted.get(name) for name in compared] == [applied.get(name) for name in compared], options
        assert predicted["changed"] == applied["changed"] == bool(simulator.writes())
        simulator.clear_journal()
        again = direct.run("zone_observability", simulator, ZONE, options)
        assert not again.get("failed") and again["changed"] is False and simulator.writes() == [], (options, again)
        for part, plan in applied["plan_ids"].items():
            # An applied plan no longer matches; of a part that had nothing to do it is the same.
            assert (plan == again["plan_ids"][part]) is not bool((applied[part] or {}).get("changed")), part
        cases[f"whole zones: {'changed' if applied['changed'] else 'unchanged'}"] += 1
