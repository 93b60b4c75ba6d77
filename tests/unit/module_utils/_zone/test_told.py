# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._zone.record import read_record
from ansible_collections.edgeops.observability.plugins.module_utils._zone.told import (
    NOT,
    PERHAPS,
    UNKNOWN,
    Told,
    told,
)

AT, OLD, NEW = "2026-11-28T12:00:00Z", "2026-10-01T00:00:00Z", "2026-10-02T00:00:00Z"
LOST, SCRIPTS, HOSTS = (
    "failing_logpush_job_disabled_alert",
    "scriptmonitor_alert_new_resources",
    "scriptmonitor_alert_new_hosts",
)
MAIL: dict[str, t.Any] = {"email": ["ops@example.com"], "webhooks": [], "pagerduty": []}
HOOK: dict[str, t.Any] = {"email": [], "webhooks": ["w"], "pagerduty": []}
WEBHOOK = {"id": "w", "name": "Chat", "last_success": OLD, "last_failure": None}
RULE = {"enabled": True, "action": "log", "description": "checkout"}
JOB = {"id": 1, "name": "edge", "dataset": "http_requests"}
DENIED = {"failed": True, "msg": "no right", "error": {"kind": "permission", "path": "/accounts/ac/alerting/v3/policies"}}


def policy(alert: str = SCRIPTS, **members: t.Any) -> dict[str, t.Any]:
    return {"id": "p", "name": "watch", "enabled": True, "alert_type": alert, "mechanisms": MAIL, "filters": {}, **members}


def account(*policies: dict[str, t.Any], jobs: t.Any = (), **listings: t.Any) -> dict[str, t.Any]:
    notifications = {
        "notification_policies": list(policies),
        "webhooks": [WEBHOOK],
        "silences": [],
        "available_alerts": {LOST: "", SCRIPTS: "", HOSTS: ""},
        **listings,
    }
    return {
        "zone": "acme",
        "account_id": "ac",
        "scope": "account",
        "declared": False,
        "jobs": list(jobs),
        "notifications": notifications,
    }


def zone(name: str = "a", *rules: t.Any, monitored: t.Any = True, listed: bool = True, **members: t.Any) -> dict[str, t.Any]:
    result: dict[str, t.Any] = {"script_monitor": {"script_monitor": {"enabled": monitored}}}
    if listed:
        result["content_security_rules"] = {"content_security_rules": list(rules)}
    number = f"{ord(name[0]):032x}"
    record = {"zone": name, "zone_id": number, "account_id": "ac", "declared": False, "jobs": [], "result": result}
    return {**record, **members}


def made(*raw: dict[str, t.Any], at: str = AT) -> Told:
    return told([read_record(f"zones[{place}]", record) for place, record in enumerate(raw)], at)


A = f"{ord('a'):032x}"
IN_A, IN_B = {"zones": [A.upper()]}, {"zones": [f"{ord('b'):032x}"]}
ID = "97010e6c5d9248a6915aa61d2009ecc9"
HYPHENED = f"{ID[:8]}-{ID[8:]}"
SILENCE = {"policy_id": "p", "start_time": "2026-11-28T00:00:00Z", "end_time": "2026-11-29T00:00:00Z"}


def silenced(**members: t.Any) -> dict[str, t.Any]:
    return {"silences": [{**SILENCE, **members}]}


def hook(**members: t.Any) -> dict[str, t.Any]:
    return {"webhooks": [{**WEBHOOK, **members}]}


# A policy, the listings of the account, the zone, how sure it is that the zone is covered (None: it is), and what is said.
TABLE: list[tuple[dict[str, t.Any] | None, dict[str, t.Any], dict[str, t.Any], int | None, str]] = [
    (None, {}, zone(), NOT, "nobody is notified of new or changed scripts"),
    (policy(), {}, zone(), None, ""),
    (policy(HOSTS), {}, zone(), None, ""),
    (policy(LOST), {}, zone(), NOT, "nobody"),
    (policy(enabled=False), {}, zone(), NOT, "policy 'watch': it is disabled"),
    (policy(mechanisms={"email": []}), {}, zone(), NOT, "it has no recipient"),
    (policy(mechanisms={"email": [None, "", 5]}), {}, zone(), NOT, "it has no recipient"),
    *((policy(filters=filters), {}, zone(), PERHAPS, "what its filters restrict cannot be told") for filters in ([], "zones")),
    (policy(filters={"zones": 5}), {}, zone(), NOT, "its filter zones does not name this zone"),
    # Silences.
    (policy(), silenced(), zone(), NOT, "it is silenced until 2026-11-29T00:00:00Z"),
    (policy(), silenced(end_time="0001-01-01T00:00:00Z"), zone(), UNKNOWN, "when it is silenced cannot be told"),
    (policy(), silenced(policy_id=" p"), zone(), NOT, "it is silenced until 2026-11-29T00:00:00Z"),
    (policy(), silenced(policy_id="*", end_time="2026-11-28T01:00:00Z"), zone(), None, ""),
    (policy(), silenced(policy_id="1" * 32), zone(), None, ""),
    (policy(id=ID), silenced(policy_id=ID.upper()), zone(), NOT, "it is silenced until 2026-11-29T00:00:00Z"),
    (policy(id=ID), silenced(policy_id=HYPHENED), zone(), NOT, "it is silenced until 2026-11-29T00:00:00Z"),
    (policy(), silenced(end_time="2026-11-28T12:00:00Z"), zone(), None, ""),
    (policy(), silenced(start_time="2026-11-28T12:00:01Z"), zone(), None, ""),
    (policy(), silenced(policy_id="other"), zone(), None, ""),
    (policy(), silenced(policy_id="P"), zone(), NOT, "it is silenced until 2026-11-29T00:00:00Z"),
    (policy(), silenced(end_time="later"), zone(), UNKNOWN, "when it is silenced cannot be told"),
    (policy(), {"silences": None}, zone(), UNKNOWN, "whether it is silenced could not be read"),
    # Webhooks.
    (policy(mechanisms=HOOK), {}, zone(), None, ""),
    (policy(mechanisms=HOOK), hook(last_success=None), zone(), None, ""),
    (policy(mechanisms=HOOK), hook(last_failure=NEW), zone(), NOT, "the last delivery to its webhook 'Chat' failed"),
    (policy(mechanisms=HOOK), hook(last_failure=NEW, last_success=None), zone(), NOT, "failed"),
    (policy(mechanisms=HOOK), hook(last_failure=OLD, last_success=NEW), zone(), None, ""),
    (
        policy(mechanisms=HOOK),
        hook(last_failure=OLD, last_success="2099-01-01T00:00:00Z"),
        zone(),
        UNKNOWN,
        "which is in the future",
    ),
    (policy(mechanisms={**HOOK, "email": ["a"]}), hook(last_failure=NEW), zone(), None, ""),
    (policy(mechanisms={**HOOK, "webhooks": ["w", "v"]}), {"webhooks": [WEBHOOK, {**WEBHOOK, "id": "v"}]}, zone(), None, ""),
    (policy(mechanisms=HOOK), hook(last_failure="yesterday"), zone(), UNKNOWN, "cannot be told"),
    (policy(mechanisms=HOOK), hook(last_failure=""), zone(), UNKNOWN, "cannot be told"),
    (policy(mechanisms={**HOOK, "webhooks": ["W"]}), {}, zone(), None, ""),
    (policy(mechanisms={**HOOK, "webhooks": [ID.upper()]}), hook(id=HYPHENED, last_failure=NEW), zone(), NOT, "failed"),
    (policy(mechanisms=HOOK), {"webhooks": []}, zone(), UNKNOWN, "its webhook w is not listed"),
    (policy(mechanisms=HOOK), {"webhooks": None}, zone(), UNKNOWN, "whether its webhooks work could not be read"),
    (policy(), {"webhooks": None}, zone(), None, ""),
    # Filters.
    (policy(filters=IN_A), {}, zone("a", RULE), None, ""),
    (policy(filters=IN_A), {}, zone("a", {**RULE, "action": "allow"}), None, ""),
    (policy(filters=IN_B), {}, zone("a", RULE), NOT, "its filter zones does not name this zone"),
    (policy(filters=IN_A), {}, zone("a"), NOT, "and none is enabled"),
    (policy(filters=IN_A), {}, zone("a", {**RULE, "enabled": False}), NOT, "and none is enabled"),
    (policy(filters=IN_A), {}, zone("a", {**RULE, "action": "add_reporting_directives"}), NOT, "and none is enabled"),
    (policy(filters=IN_A), {}, zone("a", listed=False), PERHAPS, "rules were not read"),
    (policy(filters=IN_A), {}, zone("a", {**RULE, "enabled": None}), PERHAPS, "cannot be told"),
    (policy(filters={"services": ["x"]}), {}, zone(), PERHAPS, "what its filter services restricts is not known"),
    (policy(filters={**IN_A, "services": ["x"]}), {}, zone("a", RULE), PERHAPS, "what its filter services"),
    (policy(filters={**IN_B, "services": ["x"]}), {}, zone("a", RULE), NOT, "does not name this zone"),
    (policy(filters={"zones": []}), {}, zone(), None, ""),
    # What the account may use.
    (None, {"available_alerts": {LOST: ""}}, zone(), None, ""),
    (None, {"available_alerts": None}, zone(), UNKNOWN, "the alerts that the account may use could not be read"),
    (None, {"available_alerts": {}}, zone(), UNKNOWN, "the alerts that the account may use could not be read"),
    (policy(enabled=False), {"available_alerts": {LOST: ""}}, zone(), NOT, "it is disabled"),
    # What is not monitored, or was not read.
    (None, {}, zone(monitored=False), None, ""),
    (None, {}, zone(monitored=None), UNKNOWN, "nobody is, and whether its script monitor is on could not be read"),
    (policy(), {}, zone(monitored=None), None, ""),
    (None, {}, zone(result={"script_monitor": DENIED}), UNKNOWN, "nobody is, and whether its script monitor is on could not"),
    (policy(), {}, zone(result={"script_monitor": DENIED}), None, ""),
    (None, {}, zone(result={}), None, ""),
    (None, {}, zone(account_id="other"), None, ""),
]


@pytest.mark.parametrize(("watching", "listings", "host", "degree", "said"), TABLE)
def test_who_is_told_of_the_scripts_of_a_zone(
    watching: t.Any, listings: t.Any, host: t.Any, degree: int | None, said: str
) -> None:
    alerting = made(account(*([watching] if watching else []), **listings), host)
    gaps = [gap for gap in alerting.gaps if gap.host == "a"]
    assert [(gap.alert, gap.degree) for gap in gaps] == ([] if degree is None else [(SCRIPTS, degree)])
    assert all(said in gap.message for gap in gaps)


def predicted(monitor: tuple[bool, bool], rules: tuple[dict[str, t.Any], dict[str, t.Any]], *others: t.Any) -> dict[str, t.Any]:
    """Return a zone whose declared state differs from what it has: what is before and after, and the rules that nothing declares."""
    before, after = rules
    result = {
        "script_monitor": {
            "script_monitor": {"enabled": monitor[1]},
            "diff": {"before": {"enabled": monitor[0]}, "after": {"enabled": monitor[1]}},
        },
        "content_security_rules": {
            "content_security_rules": [rule or None for rule in after.values()],
            "unlisted_rules": list(others),
            "diff": {"before": before, "after": after},
        },
    }
    return zone(result=result, declared=True)


OFF, REPORTING = {**RULE, "enabled": False}, {**RULE, "action": "add_reporting_directives"}
ON = (True, True)


@pytest.mark.parametrize(
    ("host", "degrees"),
    [
        (predicted(ON, ({"checkout": RULE}, {"checkout": RULE})), []),
        (predicted(ON, ({"checkout": {}}, {"checkout": RULE})), [NOT]),
        (predicted(ON, ({"checkout": OFF}, {"checkout": RULE})), [NOT]),
        (predicted(ON, ({"checkout": REPORTING}, {"checkout": RULE})), [NOT]),
        (predicted(ON, ({"checkout": RULE}, {"checkout": OFF})), []),
        (predicted(ON, ({"checkout": RULE}, {"checkout": {}})), []),
        (predicted(ON, ({"checkout": {}}, {"checkout": RULE}), {**RULE, "description": "other"}), []),
        (predicted((False, True), ({"checkout": {}}, {"checkout": RULE})), []),
        (predicted((True, False), ({"checkout": {}}, {"checkout": RULE})), [NOT]),
    ],
)
def test_what_a_zone_has_decides_and_not_what_is_predicted(host: t.Any, degrees: list[int]) -> None:
    gaps = made(account(policy(filters=IN_A)), host).gaps
    assert [gap.degree for gap in gaps if gap.host == "a"] == degrees


@pytest.mark.parametrize(
    ("scripts", "degrees"),
    [
        ({"findings": []}, [NOT]),
        ({"findings": [{"kind": "new"}]}, [NOT]),
        ({"findings": [{"kind": "monitor_off"}]}, []),
        ({"scripts": []}, []),
        (DENIED, [UNKNOWN]),
    ],
)
def test_monitor_is_known_from_an_audit_of_the_scripts(scripts: t.Any, degrees: list[int]) -> None:
    gaps = made(account(), zone(result={}, scripts=scripts)).gaps
    assert [gap.degree for gap in gaps if gap.host == "a"] == degrees


@pytest.mark.parametrize(
    ("silence", "is_said"),
    [
        ({"policy_id": "other"}, True),
        ({"policy_id": "*"}, True),
        ({"policy_id": None}, True),
        ({"policy_id": "other", "end_time": "later"}, True),
        ({"policy_id": "other", "end_time": "2026-11-28T01:00:00Z"}, False),
        ({"policy_id": "P"}, False),
    ],
)
def test_silence_of_a_policy_that_is_not_listed_is_told_once_at_the_account(silence: dict[str, t.Any], is_said: bool) -> None:
    """It may be that of a deleted policy, or of a listed one in another spelling; no zone is in doubt for it."""
    alerting = made(account(policy(LOST), jobs=[JOB], **silenced(**silence)), zone(), zone("b"))
    said = [(gap.host, gap.alert, gap.degree) for gap in alerting.gaps if "policies that are not listed" in gap.message]
    assert said == ([("acme", "silences", UNKNOWN)] if is_said else [])


def test_one_scoped_policy_hides_no_other_zone() -> None:
    """A policy of one zone tells of that zone alone, and the best of several policies counts."""
    scoped, broken = policy(filters=IN_A), policy(HOSTS, id="q", name="broken", mechanisms={})
    alerting = made(account(scoped, broken), zone("a", RULE), zone("b", RULE), zone("c", RULE))
    assert [gap.host for gap in alerting.gaps] == ["b", "c"]
    (resources, hosts) = alerting.alerts
    assert (resources["covered"], resources["perhaps"], resources["uncovered"]) == (["a"], [], ["b", "c"])
    assert (hosts["covered"], hosts["uncovered"]) == ([], ["a", "b", "c"])
    assert hosts["policies"] == [
        {
            "name": "broken",
            "mechanisms": {"email": [], "webhooks": [], "pagerduty": []},
            "last_delivery": None,
            "reason": "it has no recipient",
        }
    ]
    assert resources["policies"][0]["reason"] == "only for its filters: zones"


@pytest.mark.parametrize(
    ("of_account", "of_zone", "watching", "degree"),
    [
        ([], [], None, None),
        ([JOB], [], None, NOT),
        ([], [JOB], None, NOT),
        ([JOB], [], policy(LOST), None),
        ([JOB], [], policy(LOST, filters=IN_A), PERHAPS),
        ([JOB], [], policy(LOST, mechanisms=HOOK), None),
        ([JOB], [], policy(), NOT),
    ],
)
def test_who_is_told_of_a_disabled_job(of_account: t.Any, of_zone: t.Any, watching: t.Any, degree: int | None) -> None:
    """The alert knows no zones, so that its gap is told at the account."""
    alerting = made(account(*([watching] if watching else []), jobs=of_account), zone(jobs=of_zone, monitored=False))
    assert [(gap.host, gap.scope, gap.alert, gap.degree) for gap in alerting.gaps] == (
        [] if degree is None else [("acme", "account", LOST, degree)]
    )
    rows = [row for row in alerting.alerts if row["alert_type"] == LOST]
    if of_account or of_zone:
        assert rows[0]["covered" if degree is None else "perhaps" if degree == PERHAPS else "uncovered"] == (
            ["acme"] if of_account else ["a"]
        )


@pytest.mark.parametrize(
    ("before", "degree"),
    [({"checkout": {"enabled": True}}, None), ({"checkout": {"enabled": False}}, NOT), ({}, NOT)],
)
def test_rule_that_is_only_predicted_watches_nothing(before: t.Any, degree: int | None) -> None:
    host = zone("a", RULE)
    host["result"]["content_security_rules"]["diff"] = {"before": before, "after": {"checkout": {"enabled": True}}}
    alerting = made(account(policy(filters=IN_A)), host)
    assert [gap.degree for gap in alerting.gaps if gap.host == "a"] == ([] if degree is None else [degree])


@pytest.mark.parametrize("name", ["webhooks", "silences", "available_alerts"])
def test_listing_that_was_not_read_is_told_at_the_account(name: str) -> None:
    alerting = made(account(policy(), **{name: None}), zone())
    assert [(gap.degree, gap.alert) for gap in alerting.gaps if gap.host == "acme"] == [(UNKNOWN, name)]


def test_policies_that_were_not_read_are_unknown_at_each_zone_that_needs_them() -> None:
    alerting = made({**account(), "notifications": DENIED}, zone("a"), zone("b", monitored=False))
    assert [(gap.host, gap.degree) for gap in alerting.gaps] == [("a", UNKNOWN)] and "no right" in alerting.gaps[0].message
    assert alerting.alerts == []


@pytest.mark.parametrize("policies", [None, {}, "none"])
def test_result_without_policies_is_unknown_at_the_account_too(policies: t.Any) -> None:
    alerting = made(account(notification_policies=policies, jobs=[JOB]), zone())
    assert [(gap.host, gap.degree) for gap in alerting.gaps] == [("a", UNKNOWN), ("acme", UNKNOWN)]


def test_spelling_of_the_account_does_not_matter() -> None:
    alerting = made(account(), zone(account_id="AC"))
    assert [(gap.host, gap.degree) for gap in alerting.gaps] == [("a", NOT)]


def test_nothing_is_told_without_an_account_in_the_run() -> None:
    assert made(zone()) == Told([], [], [])


def test_last_delivery_is_of_webhooks_and_their_names_are_shown() -> None:
    (row,) = made(account(policy(mechanisms={**HOOK, "email": ["a"]})), zone()).alerts[:1]
    (listed,) = row["policies"]
    assert listed["mechanisms"] == {"email": ["a"], "webhooks": ["Chat"], "pagerduty": []} and listed["last_delivery"] == OLD


@pytest.mark.parametrize(
    ("member", "jobs", "known"),
    [
        (zone(), [JOB], [("account", "acme", LOST), ("zone", "a", SCRIPTS)]),
        (zone(monitored=False), [], [("zone", "a", SCRIPTS)]),
        (zone(jobs=[JOB]), [], [("account", "acme", LOST), ("zone", "a", SCRIPTS)]),
        # Nothing was asked of it, or the answer shows nothing.
        (zone(result={}), [], []),
        (zone(monitored=None), [], []),
        (zone(result={"script_monitor": DENIED}), [], []),
    ],
)
def test_it_is_known_of_which_hosts_alerts_are_about_something(
    member: dict[str, t.Any], jobs: list[t.Any], known: list[tuple[str, str, str]]
) -> None:
    assert made(member, account(policy(), jobs=jobs)).known == known
    assert made(member, {**account(), "notifications": DENIED}).known == []
