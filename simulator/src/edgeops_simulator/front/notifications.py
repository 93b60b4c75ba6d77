# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import fnmatch

from edgeops_simulator import clock
from edgeops_simulator.front.call import Answer, Call, page_of
from edgeops_simulator.front.routing import ACCOUNT, Routes
from edgeops_simulator.refusal import Refusal
from edgeops_simulator.schemas import bodies, queries
from edgeops_simulator.schemas.answers import TEXT, array, nullable, record, ref
from edgeops_simulator.state import notifications as state
from edgeops_simulator.state.part import Document

_CODE = 17102
routes = Routes(f"{ACCOUNT}/alerting/v3", codes=(_CODE, _CODE))
_POLICY, _WEBHOOK = "/policies/{policy_id}", "/destinations/webhooks/{webhook_id}"
_ID = record({"id": TEXT})
_NOTHING = nullable({"type": "object"})


def _policy(call: Call) -> Document:
    policy: Document | None = call.account.notification_policies.get(call.ids["policy_id"])
    if policy is None:
        raise Refusal(404, _CODE, f"policy {call.ids['policy_id']!r} not found")
    return policy


def _check(call: Call, policy: Document) -> None:
    """Check the members of a policy together, and that the alert and the webhooks in it exist."""
    known = {alert["type"] for alerts in call.account.available_alerts.values() for alert in alerts}
    if policy["alert_type"] not in known:
        raise Refusal(400, _CODE, f"unknown alert_type: {policy['alert_type']}")
    mechanisms = policy.get("mechanisms") or {}
    if policy["enabled"] and not any(mechanisms.values()):
        raise Refusal(400, _CODE, "an enabled policy needs at least one mechanism")
    for item in mechanisms.get("webhooks") or ():
        if item["id"] not in call.account.webhooks:
            raise Refusal(400, _CODE, f"unknown webhook: {item['id']}")


@routes("GET", "/policies", "listNotificationPolicies", result=array(ref("NotificationPolicy")))
def list_policies(call: Call) -> Answer:
    return Answer(list(call.account.notification_policies.values()))


@routes("POST", "/policies", "createNotificationPolicy", body=bodies.NEW_NOTIFICATION_POLICY, result=_ID)
def create_policy(call: Call) -> Answer:
    _check(call, call.body)
    return Answer({"id": state.create(call.account.notification_policies, _settable(call.body))["id"]})


def _settable(body: Document) -> Document:
    return {name: value for name, value in body.items() if name not in ("id", "created", "modified")}


@routes("GET", _POLICY, "getNotificationPolicy", result=ref("NotificationPolicy"))
def get_policy(call: Call) -> Answer:
    return Answer(_policy(call))


@routes("PUT", _POLICY, "updateNotificationPolicy", body=bodies.NOTIFICATION_POLICY, result=_ID)
def put_policy(call: Call) -> Answer:
    policy = _policy(call)
    changed = state.update(policy, call.body, keeps=call.settings.notification_put_keeps)
    _check(call, changed)
    call.account.notification_policies[policy["id"]] = changed
    return Answer({"id": policy["id"]})


@routes("DELETE", _POLICY, "deleteNotificationPolicy", result=_NOTHING)
def delete_policy(call: Call) -> Answer:
    del call.account.notification_policies[_policy(call)["id"]]
    return Answer(None)


@routes("GET", "/available_alerts", "listAvailableAlerts", result={"type": "object", "additionalProperties": array(ref("Alert"))})
def list_available_alerts(call: Call) -> Answer:
    return Answer(dict(call.account.available_alerts))


def _webhook(call: Call) -> Document:
    webhook: Document | None = call.account.webhooks.get(call.ids["webhook_id"])
    if webhook is None:
        raise Refusal(404, _CODE, f"webhook {call.ids['webhook_id']!r} not found")
    return webhook


@routes("GET", "/destinations/webhooks", "listWebhooks", result=array(ref("Webhook")))
def list_webhooks(call: Call) -> Answer:
    return Answer([state.shown_webhook(webhook) for webhook in call.account.webhooks.values()])


@routes("POST", "/destinations/webhooks", "createWebhook", body=bodies.NEW_WEBHOOK, result=_ID)
def create_webhook(call: Call) -> Answer:
    """Create a webhook. The API sends a test message to it, which fails for the patterns of the setting `unwritable_webhooks`."""
    _test(call)
    members = {name: call.body[name] for name in ("name", "url", "secret") if call.body.get(name)}
    made = state.create_webhook(call.account.webhooks, {**members, "last_success": clock.stamp_seconds()})
    return Answer({"id": made["id"]})


@routes("GET", _WEBHOOK, "getWebhook", result=ref("Webhook"))
def get_webhook(call: Call) -> Answer:
    return Answer(state.shown_webhook(_webhook(call)))


@routes("PUT", _WEBHOOK, "updateWebhook", body=bodies.NEW_WEBHOOK, result=_ID)
def put_webhook(call: Call) -> Answer:
    webhook = _webhook(call)
    _test(call)
    members = {name: call.body[name] for name in ("name", "url", "secret") if call.body.get(name)}
    webhook.update({**members, "type": state.type_of(members["url"])})
    return Answer({"id": webhook["id"]})


@routes("DELETE", _WEBHOOK, "deleteWebhook", result=_NOTHING)
def delete_webhook(call: Call) -> Answer:
    del call.account.webhooks[_webhook(call)["id"]]
    return Answer(None)


def _test(call: Call) -> None:
    url = call.body["url"]
    if any(fnmatch.fnmatchcase(url, pattern) for pattern in call.settings.unwritable_webhooks):
        raise Refusal(400, _CODE, f"the test message to {url} was refused: HTTP 404")


@routes("GET", "/silences", "listSilences", result=array(ref("Silence")))
def list_silences(call: Call) -> Answer:
    return Answer(list(call.account.silences.values()))


@routes("POST", "/silences", "createSilences", body=bodies.NEW_SILENCES, result=_NOTHING)
def create_silences(call: Call) -> Answer:
    items: list[Document] = call.body
    for item in items:
        if item["policy_id"] not in call.account.notification_policies:
            raise Refusal(400, _CODE, f"unknown policy: {item['policy_id']}")
    for item in items:
        state.create_silence(call.account.silences, item)
    return Answer(None)


@routes("DELETE", "/silences/{silence_id}", "deleteSilence", result=_NOTHING)
def delete_silence(call: Call) -> Answer:
    if call.account.silences.pop(call.ids["silence_id"], None) is None:
        raise Refusal(404, _CODE, f"silence {call.ids['silence_id']!r} not found")
    return Answer(None)


@routes(
    "GET",
    "/history",
    "listNotificationHistory",
    result=array(ref("Notification")),
    query=queries.HISTORY,
    paged=True,
)
def list_history(call: Call) -> Answer:
    """List what was sent in a window, the newest first."""
    since, before = call.query.get("since") or "", call.query.get("before") or "9"
    sent = [item for item in call.account.notification_history.values() if since <= item["sent"] < before]
    newest_first = sorted(sent, key=lambda item: str(item["sent"]), reverse=True)
    listed, info = page_of(newest_first, call.number("page", 1, 1), call.number("per_page", 25, 5, 1000))
    return Answer(listed, result_info=info if call.settings.result_info else None)
