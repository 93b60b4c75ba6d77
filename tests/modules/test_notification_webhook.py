# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from harness import Modules
from harness.outcome import Report

WRITE = "edgeops.observability.notification_webhook"
PATH, KEY, SECRET = "planted-webhook-path-81c4", "planted-webhook-key-22d0", "planted-webhook-secret-9f3e"
URL = f"https://chat.example/hooks/{PATH}?key={KEY}"
MOVED = f"https://other.example/hooks/{PATH}?key={KEY}"
SECRETS = [PATH, KEY, SECRET]
NEW = {"name": "Chat", "url": URL, "secret": SECRET}
HOOK = "0b" * 16
HYPHENED = f"{HOOK[:8]}-{HOOK[8:12]}-{HOOK[12:16]}-{HOOK[16:20]}-{HOOK[20:]}"
POLICY = {
    "id": "0a" * 16,
    "name": "Log delivery",
    "alert_type": "failing_logpush_job_disabled_alert",
    "mechanisms": {"webhooks": [{"id": HOOK}]},
}
GONE = ["^secret: is omitted"]


@pytest.fixture
def account(simulator: t.Any) -> dict[str, t.Any]:
    return {"account_id": simulator.account}


@pytest.fixture
def seeded(simulator: t.Any) -> t.Callable[..., None]:
    """Return a function that seeds a webhook, which policies may name."""

    def seed(*policies: dict[str, t.Any], **members: t.Any) -> None:
        webhook = {"id": HOOK, "name": "Chat", "url": URL, "last_success": "2026-01-02T00:00:00Z", **members}
        simulator.seed(webhooks={simulator.account: [webhook]}, notification_policies={simulator.account: list(policies)})

    return seed


def run(modules: Modules, args: dict[str, t.Any], **more: t.Any) -> Report:
    return modules.run({"name": "Task", WRITE: args}, defaults={"account_id": modules.simulator.account}, secrets=SECRETS, **more)


@pytest.mark.every_core
def test_twelve_steps(modules: Modules, account: dict[str, t.Any]) -> None:
    created, modified, deleted = modules.lifecycle(
        "notification_webhook",
        create=NEW,
        modify={**NEW, "url": MOVED},
        delete={"name": "Chat", "state": "absent"},
        defaults=account,
        secrets=SECRETS,
    )
    assert created.writes[0]["body"] == NEW and created.predicted.result["compared"] is None
    webhook = created.result["notification_webhook"]
    assert (webhook["name"], webhook["type"], webhook["host"]) == ("Chat", "generic", "chat.example") and webhook["last_success"]
    (put,) = modified.writes
    assert (put["method"], put["body"]) == ("PUT", {**NEW, "url": MOVED})
    assert modified.diff["before"] == {"name": "Chat", "host": "chat.example", "address": "another"}
    assert modified.diff["after"] == {"name": "Chat", "host": "other.example", "address": "as requested"}
    assert modified.result["compared"] == ["name", "scheme", "host", "path", "query"]
    assert [entry["method"] for entry in deleted.writes] == ["DELETE"] and deleted.result["notification_webhook"] is None
    assert created.result["effects"] == modified.result["effects"] == deleted.result["effects"] == []


@pytest.mark.parametrize(
    ("url", "changed"),
    [
        (URL, False),
        (URL.replace("chat.example", "CHAT.example:443"), False),
        (URL.replace("hooks", "other"), True),
        (URL.replace(KEY, f"{KEY}-2"), True),
        (URL.replace("chat.example", "chat.example:8443"), True),
    ],
)
def test_whole_address_of_a_generic_webhook_is_compared(modules: Modules, seeded: t.Any, url: str, changed: bool) -> None:
    seeded()
    report = run(modules, {**NEW, "url": url})
    assert report.result["changed"] is changed and len(report.writes) == changed


@pytest.mark.parametrize(
    ("visible", "path", "changed"),
    [
        ("", "/services/T1/x", False),
        ("/services/T1", "/services/T1/x", False),
        ("/services/T1", "/services/T2/x", True),
        ("/services/***", "/services/x", False),
    ],
)
def test_address_of_a_chat_service_is_compared_as_far_as_it_is_shown(
    modules: Modules, simulator: t.Any, seeded: t.Any, visible: str, path: str, changed: bool
) -> None:
    seeded(url=f"https://hooks.slack.com/services/{PATH}")
    origin = "https://hooks.slack.com"
    simulator.faults({"kind": "rewrite", "set": {"0.url": f"{origin}{visible}"}, "path": "*/webhooks", "method": "GET"})
    report = run(modules, {**NEW, "url": f"{origin}{path}"}, check=True)
    assert report.result["changed"] is changed
    assert report.result["compared"] == ["name", "scheme", "host"]
    if not changed:
        shown_of = {"name": "Chat", "host": "hooks.slack.com", "address": "as requested, as far as it is shown"}
        assert report.result["diff"]["before"] == report.result["diff"]["after"] == shown_of


def test_query_that_is_not_shown_is_not_compared(modules: Modules, simulator: t.Any, seeded: t.Any) -> None:
    seeded(url=f"https://chat.example/hooks/{PATH}")
    report = run(modules, NEW, check=True)
    assert report.result["compared"] == ["name", "scheme", "host", "path"] and not report.result["changed"]
    assert report.result["diff"]["after"]["address"] == "as requested, as far as it is shown"


@pytest.mark.parametrize("query", ["?key=s3cr3tq", "?s3cr3tq", "?a=1&key=s3cr3tq"])
def test_short_secret_of_a_query_is_masked(modules: Modules, simulator: t.Any, account: dict[str, t.Any], query: str) -> None:
    fault = {"kind": "status", "status": 400, "path": "*/webhooks", "method": "POST", "code": 17000, "message": "bad q s3cr3tq"}
    simulator.faults(fault)
    args = {**NEW, "url": f"https://chat.example/hooks/x{query}&wait=true"}
    task = {"name": "Task", WRITE: args}
    report = modules.run(task, defaults=account, fails="rejected")
    assert "bad q " in report.failure["msg"] and "s3cr3tq" not in report.stdout


def test_secret_alone_is_no_difference_and_always_sends_it(modules: Modules, seeded: t.Any) -> None:
    seeded()
    assert not run(modules, {**NEW, "secret": f"{SECRET}-2"}).result["changed"]
    first, second = (run(modules, {**NEW, "send_url": "always"}) for _run in range(2))
    assert first.result["changed"] and second.result["changed"] and first.result["effects"] == []
    assert first.writes[0]["body"]["secret"] == SECRET and first.result["plan_id"] == second.result["plan_id"]


def test_update_replaces_the_whole_webhook(modules: Modules, seeded: t.Any) -> None:
    """Without an address nothing can be changed, and without a secret it is not known whether the service keeps one."""
    seeded()
    report = run(modules, {"webhook_id": HOOK, "name": "Other"}, fails="invalid_option")
    assert report.failure["msg"].startswith("url: is required to change") and not report.writes
    assert not run(modules, {"name": "Chat"}).result["changed"]
    renamed = run(modules, {"webhook_id": HOOK, "name": "Other", "url": URL}, warns=GONE)
    assert renamed.result["notification_webhook"]["name"] == "Other" and renamed.writes[0]["body"] == {
        "name": "Other",
        "url": URL,
    }


def test_webhook_that_a_policy_names_is_not_deleted(modules: Modules, seeded: t.Any) -> None:
    seeded(POLICY)
    for _spelling in range(2):
        report = run(modules, {"name": "Chat", "state": "absent"}, fails="conflict")
        assert "'Log delivery'" in report.failure["msg"] and not report.writes
        seeded({**POLICY, "mechanisms": {"webhooks": [{"id": HYPHENED.upper()}]}})


@pytest.mark.parametrize(
    ("enabled", "url", "effects"),
    [(True, MOVED, [{"name": "mute_alert", "subject": "Chat", "detail": ["url"]}]), (False, MOVED, []), (True, f"{URL}-2", [])],
)
def test_other_host_mutes_the_policies(modules: Modules, seeded: t.Any, enabled: bool, url: str, effects: t.Any) -> None:
    seeded({**POLICY, "enabled": enabled})
    report = run(modules, {**NEW, "url": url})
    assert report.result["changed"] and report.result["effects"] == effects


def test_refused_test_message_is_rejected(modules: Modules, simulator: t.Any, account: dict[str, t.Any]) -> None:
    """The text of the service quotes the address, which is a secret."""
    simulator.settings(unwritable_webhooks=["https://chat.example/*"])
    report = run(modules, NEW, fails="rejected")
    assert "the test message to" in report.failure["msg"] and "HTTP 404" in report.failure["msg"]
    assert not report.failure["changed"]


def test_lost_answer_to_creation_makes_no_second_webhook(modules: Modules, simulator: t.Any, account: dict[str, t.Any]) -> None:
    simulator.faults({"kind": "reset_after", "method": "POST"})
    report = run(modules, NEW)
    assert report.result["changed"] and report.result["notification_webhook"]["id"]
    assert len(simulator.state(account=simulator.account)["webhooks"]) == 1


def test_names_are_not_unique(modules: Modules, simulator: t.Any) -> None:
    twins = [{"id": HOOK, "name": "Chat", "url": URL}, {"id": "0c" * 16, "name": "Chat", "url": URL}]
    simulator.seed(webhooks={simulator.account: [*twins, {"id": "0d" * 16, "name": "Other", "url": URL}]})
    assert HOOK in run(modules, NEW, fails="conflict").failure["msg"]
    report = run(modules, {"webhook_id": "0d" * 16, "name": "Chat", "url": URL}, fails="conflict")
    assert "is already named 'Chat'" in report.failure["msg"] and not report.writes
    run(modules, {"webhook_id": "0e" * 16, "url": URL}, fails="not_found")


@pytest.mark.parametrize("changes", [{"0.name": None}, {"0.id": ""}, {"0.url": 7}])
def test_webhook_that_cannot_be_told_stops_the_task(modules: Modules, simulator: t.Any, seeded: t.Any, changes: t.Any) -> None:
    seeded()
    simulator.faults({"kind": "rewrite", "set": changes, "path": "*/webhooks"})
    assert not run(modules, {**NEW, "url": MOVED}, fails="bad_response").writes


def test_address_that_is_not_shown_is_sent_only_if_the_task_says_so(modules: Modules, simulator: t.Any, seeded: t.Any) -> None:
    """Whether it differs is not known; whether it moves neither, so that policies that name the webhook count as muted."""
    seeded({**POLICY, "enabled": True})
    hidden = {"kind": "rewrite", "set": {"0.url": None}, "path": "*/webhooks"}
    simulator.faults(hidden)
    refused = run(modules, NEW, fails="bad_response")
    assert "send_url 'always' sends it" in refused.failure["msg"] and not refused.writes
    simulator.faults(hidden)
    report = run(modules, {**NEW, "send_url": "always"}, check=True)
    assert report.result["changed"] and report.result["compared"] == ["name"]
    assert [effect["name"] for effect in report.result["effects"]] == ["mute_alert"]


def test_stored_webhook_is_verified(modules: Modules, simulator: t.Any, account: dict[str, t.Any]) -> None:
    simulator.faults({"kind": "rewrite", "set": {"url": "https://evil.example/x"}, "path": "*/webhooks/*", "method": "GET"})
    report = run(modules, NEW, fails="bad_response")
    assert "url" in report.failure["msg"] and report.failure["changed"] is True


INVALID: dict[str, dict[str, t.Any]] = {
    "name: is empty": {"name": ""},
    "webhook_id: is empty": {"webhook_id": " "},
    "url: must be an address": {"name": "x", "url": f"http://chat.example/{PATH}"},
    "url: contains a blank": {"name": "x", "url": f"https://chat.example/{PATH} y"},
    "url: is required to create": {"name": "x"},
    "url: is required with send_url": {"name": "x", "send_url": "always"},
    "secret: is empty": {"name": "x", "url": URL, "secret": ""},
}


@pytest.mark.parametrize("message", INVALID)
def test_invalid_options_are_refused(modules: Modules, message: str) -> None:
    report = run(modules, INVALID[message], fails="invalid_option")
    assert report.failure["msg"].startswith(message) and not report.writes
