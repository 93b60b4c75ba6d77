# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from .._address import ACCOUNT, ZONE, Address, hosts
from .._core import Json
from .._text import digest_of, line

SCRIPTS, JOBS, SETTINGS = WATCHED = ("scripts", "jobs", "settings")
KINDS = (
    *("script_new", "script_changed", "script_malicious", "script_reported", "script_gone"),
    *("job_created", "job_changed", "job_deleted", "job_failing", "job_disabled", "job_stale", "job_recovered"),
    *(
        "monitor_changed",
        "fields_changed",
        "rule_changed",
        "rule_violated",
        "zone_unreadable",
        "zone_readable",
        "account_unreadable",
        "account_readable",
    ),
)


class _Identified(t.TypedDict):
    id: str
    kind: str


class EventMembers(_Identified, total=False):
    """What an event says; the texts of the service in it are inert."""

    zone: Json
    account: Json
    subject: Json
    before: Json
    after: Json
    observed_at: str
    redelivered: bool


class Event(t.TypedDict):
    """An event as the rulebook gets it: its members below `edgeops`, and the host below `meta`."""

    edgeops: EventMembers
    meta: dict[str, Json]


# The Jinja delimiters, and the header that can change them: playbooks get events as variables, which ansible-core evaluates.
_TEMPLATE = re.compile(r"\{(?=[{%#])|#(?=jinja2:)")
_ENCODED = {"{": "%7B", "#": "%23"}
# A host name that selects only itself; a pattern, a list or a group would select other hosts of the inventory.
_HOST = re.compile(r"(?!(?:all|ungrouped|localhost)$)[\w.-]+")


class Target(t.NamedTuple):
    """A watched zone or account: its id, its name if known, and its host name in the inventory."""

    id: str
    name: str | None = None
    host: str | None = None
    scope: str = ZONE

    @property
    def address(self) -> Address:
        """Return where its API paths begin."""
        return Address(self.scope, self.id)

    @property
    def key(self) -> str:
        """Return its key in the state file; a zone and an account can have the same id."""
        return self.id if self.scope == ZONE else f"{ACCOUNT}_{self.id}"


def with_hosts(targets: t.Iterable[Target]) -> tuple[Target, ...]:
    """Return each target once, with its host name in the inventory if known; a zone needs a name for it."""
    distinct = {target.key: target for target in targets}
    named = dict(hosts((target.id, target.name) for target in distinct.values() if target.scope == ZONE and target.name))
    return tuple(
        target._replace(host=named.get(target.id) if target.scope == ZONE else target.key) for target in distinct.values()
    )


class Change(t.NamedTuple):
    """One difference: its kind, its subject, both sides as shown, and the part of the new state that is not shown."""

    kind: str
    subject: str
    before: Json
    after: Json
    hidden: Json = None


def make_event(change: Change, target: Target, now: str) -> Event:
    """Return the event of a change in a zone or account, with the texts of the service made inert."""
    host = target.host if target.host and _HOST.fullmatch(target.host) else target.key
    owner = inert({"id": target.id, "name": target.name or target.id})
    members: EventMembers = {
        "kind": change.kind,
        "id": digest_of([change.kind, target.key, change.subject, change.after, change.hidden]),
    }
    if target.scope == ZONE:
        members["zone"] = owner
    else:
        members["account"] = owner
    told: EventMembers = {
        **members,
        "subject": inert(change.subject),
        "before": inert(change.before),
        "after": inert(change.after),
        "observed_at": now,
        "redelivered": False,
    }
    return {"edgeops": told, "meta": {"hosts": inert(host)}}


def inert(value: Json) -> Json:
    """Return JSON without anything in its texts that a template engine or a terminal would interpret."""
    if isinstance(value, str):
        return _TEMPLATE.sub(lambda match: _ENCODED[match[0]], line(value))
    if isinstance(value, dict):
        return {inert(name): inert(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [inert(item) for item in value]
    return value
