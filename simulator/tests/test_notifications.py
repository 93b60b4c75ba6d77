# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

POLICIES, WEBHOOKS = "/alerting/v3/policies", "/alerting/v3/destinations/webhooks"
NEW: t.Mapping[str, t.Any] = {
    "name": "log delivery",
    "alert_type": "failing_logpush_job_disabled_alert",
    "enabled": True,
    "mechanisms": {"email": [{"id": "ops@example.com"}]},
}


def test_policy_is_created_and_replaced(account: t.Any) -> None:
    made = account.result("POST", POLICIES, NEW)
    assert made.keys() == {"id"}
    policy = account.result("GET", f"{POLICIES}/{made['id']}")
    assert policy["filters"] == {} and policy["mechanisms"] == {
        "email": [{"id": "ops@example.com"}],
        "webhooks": [],
        "pagerduty": [],
    }
    assert account.result("PUT", f"{POLICIES}/{made['id']}", {**NEW, "description": "d", "more": 1}) == made
    (policy,) = account.result("GET", POLICIES)
    assert (policy["description"], policy["more"]) == ("d", 1)
    account.result("PUT", f"{POLICIES}/{made['id']}", {"mechanisms": NEW["mechanisms"]})
    (policy,) = account.result("GET", POLICIES)
    assert policy["description"] == "" and "more" not in policy and policy["name"] == NEW["name"]
    assert account.result("DELETE", f"{POLICIES}/{made['id']}") is None
    assert account.refusal("DELETE", f"{POLICIES}/{made['id']}")[0] == 404


def test_put_may_keep_what_it_omits(account: t.Any, sim: t.Any) -> None:
    sim.settings(notification_put_keeps=True)
    path = f"{POLICIES}/{account.result('POST', POLICIES, {**NEW, 'description': 'd', 'more': 1})['id']}"
    account.result("PUT", path, {"filters": {"zones": ["a"]}, "mechanisms": {"pagerduty": [{"id": "p"}]}})
    policy = account.result("GET", path)
    assert (policy["description"], policy["more"], policy["filters"]) == ("d", 1, {"zones": ["a"]})
    assert policy["mechanisms"] == {"email": [], "webhooks": [], "pagerduty": [{"id": "p"}]}


def test_invalid_policy_is_refused(account: t.Any) -> None:
    bad = {
        "missing required field: alert_type": {name: value for name, value in NEW.items() if name != "alert_type"},
        "unknown alert_type: nonsense": {**NEW, "alert_type": "nonsense"},
        "an enabled policy needs at least one mechanism": {**NEW, "mechanisms": {}},
        "unknown webhook: x": {**NEW, "mechanisms": {"webhooks": [{"id": "x"}]}},
    }
    for message, body in bad.items():
        assert account.refusal("POST", POLICIES, body)[::2] == (400, message)
    account.result("POST", POLICIES, {**NEW, "enabled": False, "mechanisms": {}})


def test_webhooks_hide_their_secret(account: t.Any, sim: t.Any) -> None:
    made = account.result("POST", WEBHOOKS, {"name": "chat", "url": "https://chat.example/hook", "secret": "s3cret"})
    (webhook,) = account.result("GET", WEBHOOKS)
    assert (webhook["id"], webhook["type"]) == (made["id"], "generic") and not {"secret", "last_failure"} & set(webhook)
    account.result("POST", POLICIES, {**NEW, "mechanisms": {"webhooks": [made]}})
    assert account.result("PUT", f"{WEBHOOKS}/{made['id']}", {"name": "other", "url": "https://chat.example/hook"}) == made
    assert account.result("GET", f"{WEBHOOKS}/{made['id']}")["name"] == "other"
    assert account.result("DELETE", f"{WEBHOOKS}/{made['id']}") is None
    assert account.refusal("GET", f"{WEBHOOKS}/{made['id']}")[0] == 404


def test_seed_replaces_available_alerts(account: t.Any, sim: t.Any) -> None:
    alerts = account.result("GET", "/alerting/v3/available_alerts")
    assert "failing_logpush_job_disabled_alert" in [alert["type"] for alert in alerts["Logpush"]]
    sim.seed(
        available_alerts={account.id: {"Other": [{"type": "x", "display_name": "X", "description": "d", "filter_options": None}]}}
    )
    assert list(account.result("GET", "/alerting/v3/available_alerts")) == ["Other"]
    assert account.refusal("POST", POLICIES, NEW)[0] == 400


def test_seeded_policies_and_webhooks_keep_their_ids(account: t.Any, sim: t.Any) -> None:
    sim.seed(
        notification_policies={account.id: [{"id": "p1", "name": "n"}]},
        webhooks={account.id: [{"id": "w1", "last_failure": "2026-01-01T00:00:00Z"}]},
    )
    assert account.result("GET", f"{POLICIES}/p1")["enabled"] is True
    assert account.result("GET", f"{WEBHOOKS}/w1")["last_failure"] == "2026-01-01T00:00:00Z"
    kept = sim.snapshot()
    sim.reset()
    sim.restore(kept)
    assert [policy["id"] for policy in account.result("GET", POLICIES)] == ["p1"]


def test_secret_path_of_a_chat_service_is_not_shown(account: t.Any, sim: t.Any) -> None:
    made = account.result("POST", WEBHOOKS, {"name": "chat", "url": "https://hooks.slack.com/services/T0/secret"})
    webhook = account.result("GET", f"{WEBHOOKS}/{made['id']}")
    assert (webhook["type"], webhook["url"]) == ("slack", "https://hooks.slack.com")


def test_refused_test_message_makes_no_webhook(account: t.Any, sim: t.Any) -> None:
    sim.settings(unwritable_webhooks=["https://bad.example/*"])
    status, _code = account.refusal("POST", WEBHOOKS, {"name": "chat", "url": "https://bad.example/hook"})[:2]
    assert status == 400 and account.result("GET", WEBHOOKS) == []


def test_silences(account: t.Any, sim: t.Any) -> None:
    sim.seed(notification_policies={account.id: [{"id": "p1", "name": "n"}]})
    silence = {"policy_id": "p1", "start_time": "2026-01-01T00:00:00Z", "end_time": "2026-01-02T00:00:00Z"}
    assert account.result("POST", "/alerting/v3/silences", [silence]) is None
    (listed,) = account.result("GET", "/alerting/v3/silences")
    assert {name: listed[name] for name in silence} == silence
    assert account.refusal("POST", "/alerting/v3/silences", [{**silence, "policy_id": "p2"}])[0] == 400
    account.result("DELETE", f"/alerting/v3/silences/{listed['id']}")
    assert account.result("GET", "/alerting/v3/silences") == []
    assert account.refusal("DELETE", f"/alerting/v3/silences/{listed['id']}")[0] == 404


def test_history_is_of_a_window_and_in_pages(account: t.Any, sim: t.Any) -> None:
    sent = [{"alert_type": "a", "sent": f"2026-01-{day:02d}T00:00:00Z"} for day in range(1, 11)]
    sim.seed(notification_history={account.id: sent})
    path = "/alerting/v3/history?since=2026-01-03T00:00:00Z&before=2026-01-10T00:00:00Z&per_page=5"
    days = [item["sent"][8:10] for page in (1, 2) for item in account.result("GET", f"{path}&page={page}")]
    assert days == ["09", "08", "07", "06", "05", "04", "03"]
