# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from .._core import Json
from .._logpush.health import DISABLED, FAILING, STALE
from .._text import digest_of, line
from .._zones import ACCOUNT, ZONE, Address, hosts

SCRIPTS, JOBS, SETTINGS = "scripts", "jobs", "settings"
WATCHED = (SCRIPTS, JOBS, SETTINGS)
SILENT, EMIT = "silent", "emit"

SCRIPT_NEW, SCRIPT_CHANGED, SCRIPT_MALICIOUS, SCRIPT_REPORTED, SCRIPT_GONE = _OF_SCRIPTS = (
    "script_new",
    "script_changed",
    "script_malicious",
    "script_reported",
    "script_gone",
)
JOB_CREATED, JOB_CHANGED, JOB_DELETED, JOB_RECOVERED = _OF_JOBS = ("job_created", "job_changed", "job_deleted", "job_recovered")
MONITOR_CHANGED, FIELDS_CHANGED = _OF_SETTINGS = ("monitor_changed", "fields_changed")
UNREADABLE: t.Mapping[str, str] = {ZONE: "zone_unreadable", ACCOUNT: "account_unreadable"}
READABLE: t.Mapping[str, str] = {ZONE: "zone_readable", ACCOUNT: "account_readable"}
# The state of a job that the user disabled; `disabled` is that of a job that the service disabled.
OFF = "off"
# States of a job's health that are events.
TROUBLE: t.Mapping[str, str] = {FAILING: "job_failing", DISABLED: "job_disabled", STALE: "job_stale"}
KINDS = (*_OF_SCRIPTS, *_OF_JOBS, *TROUBLE.values(), *_OF_SETTINGS, *UNREADABLE.values(), *READABLE.values())

# The subject of events about a part of a zone that has no name of its own.
MONITOR_SUBJECT, FIELDS_SUBJECT = "script_monitor", "custom_fields"

# The statuses of scripts that are on the pages of a zone now.
SCRIPT_STATUSES = ("active", "infrequent")

MIN_INTERVAL = 60
DEFAULT_INTERVAL = 300
# A quarter of what Cloudflare allows, which leaves the rest for deliveries.
DEFAULT_BUDGET = "300/300"
SIDE_BY_SIDE = 4


class Event(t.TypedDict):
    """An event as the rulebook gets it."""

    edgeops: dict[str, Json]
    meta: dict[str, Json]


# The Jinja delimiters, and the header that can change them: playbooks get events as variables, which ansible-core evaluates.
_TEMPLATE = re.compile(r"\{(?=[{%#])|#(?=jinja2:)")
_ENCODED: t.Mapping[str, str] = {"{": "%7B", "#": "%23"}
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
    named = dict(hosts((each.id, each.name) for each in distinct.values() if each.scope == ZONE and each.name))
    return tuple(each._replace(host=named.get(each.id) if each.scope == ZONE else each.key) for each in distinct.values())


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
    members = {
        "kind": change.kind,
        "id": digest_of([change.kind, target.key, change.subject, change.after, change.hidden]),
        target.scope: {"id": target.id, "name": target.name or target.id},
        "subject": change.subject,
        "before": change.before,
        "after": change.after,
        "observed_at": now,
        "redelivered": False,
    }
    return {"edgeops": {name: inert(member) for name, member in members.items()}, "meta": {"hosts": inert(host)}}


def again(event: Event) -> Event:
    """Return an event as it is sent again."""
    return {**event, "edgeops": {**event["edgeops"], "redelivered": True}}


def inert(value: Json) -> Json:
    """Return JSON without anything in its texts that a template engine or a terminal would interpret."""
    if isinstance(value, str):
        return _TEMPLATE.sub(lambda found: _ENCODED[found[0]], line(value))
    if isinstance(value, dict):
        return {inert(name): inert(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [inert(item) for item in value]
    return value
