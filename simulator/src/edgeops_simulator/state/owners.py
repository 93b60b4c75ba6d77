# SPDX-License-Identifier: GPL-3.0-or-later
"""Zones and accounts, and the filters of their listings."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from edgeops_simulator.state.jobs import Fields, Jobs
from edgeops_simulator.state.notifications import ALERTS, Alerts, History, NotificationPolicies, Silences, Webhooks
from edgeops_simulator.state.ownership import Challenges
from edgeops_simulator.state.part import Document, Part
from edgeops_simulator.state.policies import Policies, Violations
from edgeops_simulator.state.resources import Connections, Cookies
from edgeops_simulator.state.rulesets import Rulesets
from edgeops_simulator.state.script_monitor import ScriptMonitor
from edgeops_simulator.state.scripts import Scripts
from edgeops_simulator.state.transformers import Transformers
from edgeops_simulator.state.uploads import Uploads


@dataclass
class Owner:
    """A zone or an account. Each part of its state is one line here or below; owners share no state."""

    kind: t.ClassVar[t.Literal["zone", "account"]]
    id: str
    name: str = ""
    jobs: Jobs = field(default_factory=Jobs)
    challenges: Challenges = field(default_factory=Challenges)
    fields: Fields = field(default_factory=Fields)
    uploads: Uploads = field(default_factory=Uploads)

    def parts(self) -> dict[str, Part]:
        return {name: value for name, value in vars(self).items() if isinstance(value, Part)}


@dataclass
class Account(Owner):
    kind = "account"
    created_on: str = "2020-01-01T00:00:00Z"
    transformers: Transformers = field(default_factory=Transformers)
    notification_policies: NotificationPolicies = field(default_factory=NotificationPolicies)
    webhooks: Webhooks = field(default_factory=Webhooks)
    silences: Silences = field(default_factory=Silences)
    notification_history: History = field(default_factory=History)
    boundary: Part = field(default_factory=Part)
    available_alerts: Alerts = field(default_factory=lambda: Alerts(ALERTS))

    def summary(self) -> Document:
        """Return the account as the listing of accounts shows it."""
        settings = {"enforce_twofactor": False, "abuse_contact_email": None}
        return {"id": self.id, "name": self.name, "type": "standard", "settings": settings, "created_on": self.created_on}


# What is the same for every zone, unless a seed says otherwise.
_ZONE: Document = {
    **dict.fromkeys(("activated_on", "created_on", "modified_on"), "2020-01-01T00:00:00Z"),
    "development_mode": 0,
    "meta": {
        "cdn_only": False,
        "custom_certificate_quota": 1,
        "dns_only": False,
        "foundation_dns": False,
        "page_rule_quota": 125,
    },
    "name_servers": ["ada.ns.cloudflare.example", "bob.ns.cloudflare.example"],
    **dict.fromkeys(("original_dnshost", "original_name_servers", "original_registrar")),
    "paused": False,
    "plan": {
        "id": "94f3b7b768b0458b56d2cac4fe5ec0f9",
        "name": "Enterprise Website",
        "legacy_id": "enterprise",
        "is_subscribed": True,
    },
    "type": "full",
}


@dataclass
class Zone(Owner):
    kind = "zone"
    status: str = "active"
    account: Document = field(default_factory=dict)
    more: Document = field(default_factory=dict)
    """Members that only the listing shows, such as `plan`."""
    script_monitor: ScriptMonitor = field(default_factory=lambda: ScriptMonitor(enabled=False, updated_at=None))
    scripts: Scripts = field(default_factory=Scripts)
    connections: Connections = field(default_factory=Connections)
    cookies: Cookies = field(default_factory=Cookies)
    policies: Policies = field(default_factory=Policies)
    violations: Violations = field(default_factory=Violations)
    rulesets: Rulesets = field(default_factory=Rulesets)

    def summary(self) -> Document:
        """Return the zone as the listing of zones shows it, with each member that clients of the vendor require."""
        members = {"id": self.id, "name": self.name, "status": self.status, "account": self.account}
        return {**members, **_ZONE, "owner": {**self.account, "type": "organization"}, **self.more}


_NAME_OPERATORS: t.Mapping[str, t.Callable[[str, str], bool]] = {
    "equal": lambda name, text: name == text,
    "not_equal": lambda name, text: name != text,
    "starts_with": lambda name, text: name.startswith(text),
    "ends_with": lambda name, text: name.endswith(text),
    "contains": lambda name, text: text in name,
}


def _name_fits(name: str, condition: str) -> bool:
    operator, colon, text = condition.partition(":")
    if colon and operator in _NAME_OPERATORS:
        return _NAME_OPERATORS[operator](name.lower(), text.lower())
    return name.lower() in [item.strip().lower() for item in condition.split(",")]


def select_zones(zones: t.Iterable[Zone], query: t.Mapping[str, str]) -> list[Zone]:
    """Return the zones that match a query, in its order."""
    selected = [
        zone
        for zone in zones
        if (not query.get("name") or _name_fits(zone.name, query["name"]))
        and (not query.get("status") or zone.status == query["status"])
        and (not query.get("account.id") or zone.account.get("id") == query["account.id"])
        and (not query.get("account.name") or _name_fits(zone.account.get("name", ""), query["account.name"]))
    ]
    if query.get("order") in ("name", "status"):
        selected.sort(key=lambda zone: str(getattr(zone, query["order"])))
    elif query.get("order") == "account.id":
        selected.sort(key=lambda zone: str(zone.account.get("id")))
    if query.get("direction") == "desc":
        selected.reverse()
    return selected


def select_accounts(accounts: t.Iterable[Account], query: t.Mapping[str, str]) -> list[Account]:
    selected = [account for account in accounts if not query.get("name") or _name_fits(account.name, query["name"])]
    if query.get("direction"):
        selected.sort(key=lambda account: account.name, reverse=query["direction"] == "desc")
    return selected
