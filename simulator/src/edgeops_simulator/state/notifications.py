# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
import re
import typing as t
import uuid

from edgeops_simulator import clock
from edgeops_simulator.state.part import Document, JobIds, Observed, Part, Table

MECHANISMS = ("email", "webhooks", "pagerduty")
_SCRIPTS = "Client-side security"
# The alerts about Logpush and scripts, by product. An account may use them unless a seed contains others.
ALERTS: Document = {
    "Logpush": [
        {
            "type": "failing_logpush_job_disabled_alert",
            "display_name": "Failing Logpush Job Disabled",
            "description": "A Logpush job was disabled after it could not deliver for 24 hours.",
            "filter_options": [],
        }
    ],
    _SCRIPTS: [
        {
            "type": f"scriptmonitor_alert_{name}",
            "display_name": display_name,
            "description": text,
            "filter_options": [{"Key": "zones", "AvailableValues": None, "ComparisonOperator": "==", "Range": "0-n"}],
        }
        for name, display_name, text in (
            ("new_resources", "New Resources", "New scripts were found on pages of a zone."),
            ("new_hosts", "New Domains", "Scripts from new hosts were found on pages of a zone."),
            ("new_code_change_detections", "New Code Change Detections", "The code of a script changed."),
            ("new_malicious_scripts", "New Malicious Scripts", "A script was found to be malicious."),
        )
    ],
    "DDoS Protection": [
        {
            "type": "dos_attack_l7",
            "display_name": "HTTP DDoS Attack Alerter",
            "description": "An attack was mitigated.",
            "filter_options": [
                {"Key": "zones", "AvailableValues": None, "ComparisonOperator": "==", "Range": "0-n"},
                {
                    "Key": "protocol",
                    "AvailableValues": [{"ID": "https", "Description": "HTTPS"}, {"ID": "http", "Description": "HTTP"}],
                    "ComparisonOperator": "==",
                    "Range": "0-n",
                },
            ],
        }
    ],
}


class NotificationPolicies(Table):
    """The notification policies of an account, by id."""

    members: t.ClassVar[t.Mapping[str, type]] = {"id": str, "name": str, "mechanisms": dict}

    def add(self, ids: JobIds, item: Document, index: int) -> None:
        create(self, {"name": f"policy-{index + 1}", "alert_type": "dos_attack_l7", "enabled": True, **copy.deepcopy(item)})


class Webhooks(Table):
    """The webhooks that policies can notify, by id."""

    members: t.ClassVar[t.Mapping[str, type]] = {"id": str, "name": str, "url": str}

    def add(self, ids: JobIds, item: Document, index: int) -> None:
        create_webhook(self, {"name": f"webhook-{index + 1}", "url": "https://hooks.example/in", **copy.deepcopy(item)})


class Silences(Table):
    """When notification policies are silenced, by id."""

    members: t.ClassVar[t.Mapping[str, type]] = {"id": str, "policy_id": str}

    def add(self, ids: JobIds, item: Document, index: int) -> None:
        create_silence(self, copy.deepcopy(item))


class History(Observed):
    """The notifications that were sent, by id, the oldest first."""


class Alerts(Part):
    """The alerts that an account may use, by product."""

    in_log = False


def new_id() -> str:
    return uuid.uuid4().hex


def create(policies: NotificationPolicies, body: Document) -> Document:
    moment = clock.stamp_seconds()
    made = {"id": new_id(), "description": "", "alert_interval": "", "filters": {}, "mechanisms": {}}
    made |= {name: value for name, value in body.items() if value is not None}
    made = {"created": moment, "modified": moment, **made}
    made["mechanisms"] = _mechanisms(made)
    policies[made["id"]] = made
    return made


def _mechanisms(policy: Document) -> Document:
    made: Document = {name: [] for name in MECHANISMS}
    return {**made, **{name: items or [] for name, items in (policy.get("mechanisms") or {}).items()}}


def update(policy: Document, body: Document, *, keeps: bool) -> Document:
    """Return the policy after a PUT, which keeps members that the body omits, or resets them to their defaults."""
    kept = policy if keeps else {name: policy[name] for name in ("id", "created", "name", "alert_type", "enabled")}
    changes = {name: value for name, value in body.items() if value is not None and name not in ("id", "created", "modified")}
    made = {
        "description": "",
        "alert_interval": "",
        "filters": {},
        **copy.deepcopy(kept),
        **changes,
        "modified": clock.stamp_seconds(),
    }
    return {**made, "mechanisms": _mechanisms(made)}


# The hosts of chat services, whose addresses have a secret path that the API does not show.
_CHAT_HOSTS = {
    "hooks.slack.com": "slack",
    "discord.com": "discord",
    "chat.googleapis.com": "gchat",
    "open.feishu.cn": "feishu",
    "api.opsgenie.com": "opsgenie",
}


def create_webhook(webhooks: Webhooks, body: Document) -> Document:
    # `last_success` and `last_failure` are absent until something was delivered.
    made = {"id": new_id(), "created_at": clock.stamp_seconds()}
    made |= {"type": type_of(body["url"]), **body}
    webhooks[made["id"]] = made
    return made


_ORIGIN = re.compile(r"https?://([^/?#]+)")


def type_of(url: str) -> str:
    origin = _ORIGIN.match(url)
    return _CHAT_HOSTS.get(origin[1].lower() if origin else "", "generic")


def shown_webhook(webhook: Document) -> Document:
    """Return a webhook as the API shows it: never its secret, and of the address of a chat service only scheme and host."""
    visible = {name: value for name, value in webhook.items() if name != "secret"}
    origin = _ORIGIN.match(visible["url"])
    if visible["type"] != "generic" and origin:
        visible["url"] = origin[0]
    return visible


def create_silence(silences: Silences, body: Document) -> Document:
    moment = clock.stamp_seconds()
    made = {"id": new_id(), "created_at": moment, "updated_at": moment, **body}
    silences[made["id"]] = made
    return made
