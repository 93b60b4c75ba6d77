# SPDX-License-Identifier: GPL-3.0-or-later

import datetime
import typing as t

import pytest

from harness import Modules
from harness.outcome import Report

WRITE, READ = "edgeops.observability.notification_policy", "edgeops.observability.notification_policy_info"
DISABLED = "failing_logpush_job_disabled_alert"
HOOK, TWIN = "0b" * 16, "0c" * 16
ADDRESS = "https://chat.example/hooks/planted-webhook-path-81c4?key=planted-webhook-key-22d0"
SECRETS = ["planted-webhook-path-81c4", "planted-webhook-key-22d0"]
WEBHOOKS = [{"id": HOOK, "name": "Chat", "url": ADDRESS, "last_success": "2026-01-02T00:00:00Z"}]
KINDS = {400: "rejected", 403: "permission", 500: "unavailable"}
SCRIPTS = "scriptmonitor_alert_new_resources"
NEW = {"name": "Log delivery", "alert_type": DISABLED, "mechanisms": {"email": ["ops@example.com"]}}


@pytest.fixture
def account(simulator: t.Any) -> dict[str, t.Any]:
    simulator.seed(webhooks={simulator.account: WEBHOOKS})
    return {"account_id": simulator.account}


def run(modules: Modules, args: dict[str, t.Any], **more: t.Any) -> Report:
    return modules.run({"name": "Task", WRITE: args}, defaults={"account_id": modules.simulator.account}, secrets=SECRETS, **more)


def test_name_of_another_policy_is_refused(modules: Modules, account: dict[str, t.Any]) -> None:
    """Two of one name could not be told apart any more."""
    run(modules, NEW)
    other = run(modules, {**NEW, "name": "Other"}).result["notification_policy"]["id"]
    report = run(modules, {"policy_id": other, "name": NEW["name"]}, fails="conflict")
    assert f"is already named {NEW['name']!r}" in report.failure["msg"] and not report.writes


@pytest.mark.every_core
def test_twelve_steps(modules: Modules, account: dict[str, t.Any]) -> None:
    created, modified, deleted = modules.lifecycle(
        "notification_policy",
        create={
            **NEW,
            "alert_type": SCRIPTS,
            "mechanisms": {"email": ["b@example.com", "a@example.com"], "webhooks": ["Chat"]},
            "description": "d",
        },
        modify={
            "name": NEW["name"],
            "mechanisms": {"email": ["a@example.com"]},
            "filters": {"zones": ["z2", "z1"]},
            "alert_interval": "30m",
        },
        delete={"name": NEW["name"], "state": "absent"},
        defaults=account,
        secrets=SECRETS,
    )
    ids = {"email": [{"id": "a@example.com"}, {"id": "b@example.com"}], "webhooks": [{"id": HOOK}]}
    assert created.writes[0]["body"] == {
        **NEW,
        "alert_type": SCRIPTS,
        "enabled": True,
        "mechanisms": ids,
        "description": "d",
    }
    assert created.result["notification_policy"]["mechanisms"] == {
        "email": ["a@example.com", "b@example.com"],
        "webhooks": [HOOK],
        "pagerduty": [],
    }
    (put,) = modified.writes
    assert put["method"] == "PUT" and not {"id", "created", "modified"} & put["body"].keys()
    assert put["body"]["mechanisms"] == {"email": [{"id": "a@example.com"}], "webhooks": [{"id": HOOK}], "pagerduty": []}
    assert (put["body"]["filters"], put["body"]["description"]) == ({"zones": ["z1", "z2"]}, "d")
    assert modified.result["effects"] == [
        {"name": "mute_alert", "subject": "Log delivery", "detail": ["email: b@example.com", "filters.zones"]}
    ]
    assert modified.diff["before"]["mechanisms"] == {"email": ["a@example.com", "b@example.com"]}
    assert deleted.result["effects"] == [{"name": "mute_alert", "subject": "Log delivery", "detail": None}]


def test_unknown_members_are_kept(modules: Modules, simulator: t.Any) -> None:
    """Unknown members of the policy, of its mechanisms and of their items are kept."""
    mechanisms = {"email": [{"id": "ops@example.com", "verified": True}], "slack": [{"id": "c1"}]}
    policy = {"id": "p1", "name": "n", "alert_type": DISABLED, "mechanisms": mechanisms, "newer": {"a": 1}}
    simulator.seed(notification_policies={simulator.account: [policy]})
    report = run(modules, {"policy_id": "p1", "mechanisms": {"email": ["new@example.com", "ops@example.com"]}})
    (put,) = report.writes
    assert put["body"]["newer"] == {"a": 1}
    assert put["body"]["mechanisms"]["slack"] == [{"id": "c1"}]
    assert put["body"]["mechanisms"]["email"] == [{"id": "new@example.com"}, {"id": "ops@example.com", "verified": True}]
    assert report.result["effects"] == []


@pytest.mark.parametrize("keeps", [False, True])
def test_put_that_keeps_or_resets_what_it_omits(modules: Modules, simulator: t.Any, keeps: bool) -> None:
    """No member is lost, none stays that was taken away, and each prediction is true, whatever a PUT means to the service."""
    simulator.settings(notification_put_keeps=keeps)
    mechanisms = {"email": [{"id": "ops@example.com"}], "slack": [{"id": "c1"}]}
    policy = {"id": "p1", "name": "n", "alert_type": SCRIPTS, "description": "d", "alert_interval": "30m", "newer": {"a": 1}}
    simulator.seed(notification_policies={simulator.account: [{**policy, "filters": {"zones": ["a"]}, "mechanisms": mechanisms}]})
    states = [
        {"policy_id": "p1", "enabled": False},
        {"policy_id": "p1", "mechanisms": {"email": [], "pagerduty": ["p"]}},
        {"policy_id": "p1", "filters": {}, "description": ""},
    ]
    modules.converge_each("notification_policy", states, defaults={"account_id": simulator.account})
    (stored,) = simulator.state(account=simulator.account)["notification_policies"]
    emptied = {"email": [], "webhooks": [], "pagerduty": [{"id": "p"}], "slack": [{"id": "c1"}]}
    expected = {**policy, "enabled": False, "filters": {}, "description": "", "mechanisms": emptied}
    assert {name: stored[name] for name in expected} == expected


def test_order_and_empty_filters_are_no_change(modules: Modules, simulator: t.Any) -> None:
    new = {**NEW, "alert_type": SCRIPTS}
    run(modules, {**new, "filters": {"zones": ["b", "a"]}, "mechanisms": {"email": ["b@example.com", "a@example.com"]}})
    same = {**new, "filters": {"zones": ["a", "b", "a"], "more": []}, "mechanisms": {"email": ["a@example.com", "b@example.com"]}}
    report = run(modules, same)
    assert not report.result["changed"] and [entry["method"] for entry in report.journal] == ["GET"]
    wider = run(modules, {"name": NEW["name"], "filters": {}})
    assert wider.result["changed"] and wider.result["effects"] == [] and wider.result["notification_policy"]["filters"] == {}


def test_disabling_mutes(modules: Modules, account: dict[str, t.Any]) -> None:
    run(modules, {**NEW, "alert_type": SCRIPTS})
    report = run(modules, {"name": NEW["name"], "enabled": False, "mechanisms": {"email": []}})
    assert report.result["effects"] == [{"name": "mute_alert", "subject": NEW["name"], "detail": None}]
    assert run(modules, {"name": NEW["name"], "filters": {"zones": ["a"]}}).result["effects"] == []
    run(modules, {"name": NEW["name"], "enabled": True}, fails="invalid_option")


def test_unavailable_alert_is_refused(modules: Modules, simulator: t.Any) -> None:
    report = run(modules, {**NEW, "alert_type": "failing_logpush_job_disabled"}, fails="invalid_option")
    assert report.failure["msg"].startswith("alert_type: ") and f"did you mean '{DISABLED}'?" in report.failure["msg"]
    assert not report.writes
    simulator.settings(unknown_routes=["*/available_alerts"])
    report = run(modules, NEW, warns=["^alert_type: whether the account may use"])
    assert report.result["changed"]
    report = run(modules, {**NEW, "alert_type": "dos_attack_l7"}, fails="conflict")
    assert "cannot change" in report.failure["msg"] and not report.writes


def test_webhooks_are_named_by_id_or_name(modules: Modules, simulator: t.Any, account: dict[str, t.Any]) -> None:
    """A name needs one listing of webhooks, an id needs none."""
    report = run(modules, {**NEW, "mechanisms": {"webhooks": ["Chatt"]}}, fails="invalid_option")
    assert "mechanisms.webhooks: " in report.failure["msg"] and "did you mean 'Chat'?" in report.failure["msg"]
    run(modules, {**NEW, "mechanisms": {"webhooks": [HOOK]}})
    report = run(modules, {"name": NEW["name"], "mechanisms": {"webhooks": ["Chat", HOOK]}})
    assert not report.result["changed"] and [entry["path"].rpartition("/")[2] for entry in report.journal] == [
        "policies",
        "webhooks",
    ]
    simulator.seed(webhooks={simulator.account: [*WEBHOOKS, {**WEBHOOKS[0], "id": TWIN}]})
    report = run(modules, {"name": NEW["name"], "mechanisms": {"webhooks": ["Chat"]}}, fails="conflict")
    assert HOOK in report.failure["msg"] and TWIN in report.failure["msg"]


def test_duplicate_name_needs_an_id(modules: Modules, simulator: t.Any) -> None:
    some = {"mechanisms": {"email": [{"id": "a@example.com"}]}}
    simulator.seed(
        notification_policies={simulator.account: [{"id": "p1", "name": "twin", **some}, {"id": "p2", "name": "twin", **some}]}
    )
    report = run(modules, {"name": "twin"}, fails="conflict")
    assert "p1, p2" in report.failure["msg"]
    assert run(modules, {"policy_id": "p2", "name": "renamed"}).result["notification_policy"]["name"] == "renamed"
    run(modules, {"policy_id": "p9"}, fails="not_found")
    assert not run(modules, {"policy_id": "p9", "state": "absent"}).result["changed"]


def test_stored_policy_is_verified(modules: Modules, simulator: t.Any) -> None:
    simulator.faults({"kind": "rewrite", "set": {"mechanisms.email": []}, "path": "*/policies/*", "method": "GET"})
    report = run(modules, NEW, fails="bad_response")
    assert "mechanisms" in report.failure["msg"] and report.failure["changed"] is True


def test_lost_answer_to_creation_makes_no_second_policy(modules: Modules, simulator: t.Any) -> None:
    simulator.faults({"kind": "reset_after", "method": "POST"})
    report = run(modules, NEW)
    assert report.result["changed"] and report.result["notification_policy"]["id"]
    assert len(simulator.state(account=simulator.account)["notification_policies"]) == 1


def test_info_never_shows_the_address_of_a_webhook(modules: Modules, simulator: t.Any, account: dict[str, t.Any]) -> None:
    run(modules, NEW)
    task = {"name": "Read", READ: {}}
    result = modules.run(task, defaults=account, secrets=SECRETS).result
    assert [policy["name"] for policy in result["notification_policies"]] == [NEW["name"]]
    webhook = {
        "id": HOOK,
        "name": "Chat",
        "type": "generic",
        "host": "chat.example",
        "last_success": "2026-01-02T00:00:00Z",
        "last_failure": None,
    }
    assert result["webhooks"] == [webhook]
    assert DISABLED in result["available_alerts"]
    assert modules.run({"name": "Read", READ: {"name": "x"}}, defaults=account).result["notification_policies"] == []
    simulator.settings(unknown_routes=["*/webhooks", "*/available_alerts", "*/silences"])
    null = ["^webhooks is null", "^available_alerts is null", "^silences is null"]
    result = modules.run(task, defaults=account, warns=null).result
    assert result["webhooks"] is result["available_alerts"] is result["silences"] is result["history"] is None


SILENCE = {"policy_id": "p1", "start_time": "2026-01-01T00:00:00Z", "end_time": "2026-01-02T00:00:00Z"}


def test_info_shows_silences_and_what_was_sent(modules: Modules, simulator: t.Any) -> None:
    now = datetime.datetime.now(datetime.timezone.utc)
    times = [f"{now - datetime.timedelta(days=days):%Y-%m-%dT%H:%M:%SZ}" for days in (1, 2, 9)]
    simulator.seed(
        silences={simulator.account: [SILENCE]},
        notification_history={simulator.account: [{"alert_type": DISABLED, "sent": time} for time in times]},
    )
    defaults = {"account_id": simulator.account}
    plain = modules.run({"name": "Read", READ: {}}, defaults=defaults)
    assert plain.result["silences"] == [SILENCE] and plain.result["history"] is None
    assert not any("history" in entry["path"] for entry in plain.journal)
    result = modules.run({"name": "Read", READ: {"history_days": 7}}, defaults=defaults).result
    assert result["history"] == {DISABLED: {"count": 2, "last_sent": times[0]}}
    simulator.settings(unknown_routes=["*/history"])
    result = modules.run({"name": "Read", READ: {"history_days": 7}}, defaults=defaults, warns=["^history is null"]).result
    assert result["history"] is None
    report = modules.run({"name": "Read", READ: {"history_days": 31}}, defaults=defaults, fails="invalid_option")
    assert report.failure["msg"].startswith("history_days: 31")


UNREADABLE: dict[str, dict[str, t.Any]] = {
    "a product that is not a list": {"path": "*/available_alerts", "kind": "wrong_result", "value": {"Logpush": "none"}},
    "a webhook whose failure is not a string": {"path": "*/webhooks", "kind": "rewrite", "set": {"0.last_failure": 5}},
    "a webhook without its name": {"path": "*/webhooks", "kind": "rewrite", "set": {"0.name": None}},
    "a silence without its policy": {"path": "*/silences", "kind": "rewrite", "set": {"0.policy_id": None}},
    "a silence without its end": {"path": "*/silences", "kind": "rewrite", "set": {"0.end_time": None}},
}


@pytest.mark.parametrize("fault", UNREADABLE)
def test_what_cannot_be_told_is_null_with_a_warning(
    modules: Modules, simulator: t.Any, account: dict[str, t.Any], fault: str
) -> None:
    """The other parts are read all the same."""
    simulator.seed(silences={simulator.account: [SILENCE]})
    simulator.faults(UNREADABLE[fault])
    name = UNREADABLE[fault]["path"].removeprefix("*/")
    result = modules.run({"name": "Read", READ: {}}, defaults=account, warns=[f"^{name} is null"], secrets=SECRETS).result
    assert result[name] is None
    assert all(result[other] is not None for other in ("webhooks", "available_alerts", "silences") if other != name)


@pytest.mark.parametrize("check", [True, False])
def test_filters_that_the_service_does_not_offer_are_warnings(modules: Modules, simulator: t.Any, check: bool) -> None:
    options = [
        {"Key": "zones", "AvailableValues": None, "ComparisonOperator": "==", "Range": "1-n"},
        {"Key": "slo", "AvailableValues": [{"ID": "99.9", "Description": "99.9 %"}], "ComparisonOperator": "==", "Range": "1-1"},
    ]
    alert = {"type": "http_alert_origin_error", "display_name": "Errors", "description": "d", "filter_options": options}
    simulator.seed(available_alerts={simulator.account: {"Traffic": [alert]}})
    new = {**NEW, "alert_type": "http_alert_origin_error"}
    required = [
        "^filters.slo: 'http_alert_origin_error' requires this filter",
        "^filters.zones: 'http_alert_origin_error' requires this filter",
    ]
    assert run(modules, new, check=check, warns=required).result["changed"]
    simulator.seed(notification_policies={simulator.account: []})
    told = [
        "^filters.slo: .*does not offer '99.99'.*did you mean '99.9'",
        "^filters.zone: .*did you mean 'zones'",
        "^filters.zones: .*requires",
    ]
    assert run(modules, {**new, "filters": {"slo": ["99.99"], "zone": ["x"]}}, check=check, warns=told).result["changed"]


@pytest.mark.parametrize("status", [400, 403, 500])
def test_a_refusal_that_quotes_a_webhook_shows_no_address(
    modules: Modules, simulator: t.Any, account: dict[str, t.Any], status: int
) -> None:
    message = f'webhook "{ADDRESS}" does not answer'
    for method in ("GET", "POST"):
        simulator.faults({"kind": "status", "status": status, "code": 1999, "message": message, "method": method})
        report = run(modules, {**NEW, "mechanisms": {"webhooks": ["Chat"]}}, fails=KINDS[status])
        assert "does not answer" in report.failure["msg"]


INVALID: dict[str, dict[str, t.Any]] = {
    "name: is empty": {"name": ""},
    "alert_type: is required": {"name": "x", "mechanisms": {"email": ["a@example.com"]}},
    "mechanisms: an enabled policy": {"name": "x", "alert_type": DISABLED},
    "mechanisms.email[1]: is empty": {"name": "x", "mechanisms": {"email": ["a@example.com", " "]}},
    "filters.zones[1]: must be a string, not a number": {"name": "x", "filters": {"zones": ["a", 1]}},
    "filters.zones: must be a string, not an object": {"name": "x", "filters": {"zones": {"a": 1}}},
}


@pytest.mark.parametrize("message", INVALID)
def test_invalid_options_are_refused(modules: Modules, message: str) -> None:
    report = run(modules, INVALID[message], fails="invalid_option")
    assert report.failure["msg"].startswith(message) and not report.writes
