# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from ...module_utils._address import ACCOUNT
from ...module_utils._core import Json
from ...module_utils._notifications.facts import MECHANISMS, WEBHOOKS
from ...module_utils._text import dict_of, list_of, parse_time
from ...module_utils._zone.record import ZoneRecord, result_of, value_of
from .items import Problem, problem

# Of what nobody is notified in an account whose notification policies were read.

# The alert about a job that the service disabled, and those about scripts, the most general one first.
LOST_JOB = "failing_logpush_job_disabled_alert"
SCRIPT_ALERTS = tuple(
    f"scriptmonitor_alert_new_{name}"
    for name in (
        *("resources", "hosts", "max_length_resource_url", "code_change_detections"),
        *("malicious_hosts", "malicious_scripts", "malicious_url"),
    )
)
NEW_SCRIPTS = SCRIPT_ALERTS[0]


class Watched(t.NamedTuple):
    """What there is to tell of in an account and its zones, as far as the run read them."""

    jobs: bool = False
    scripts: bool = False


def watched_of(records: t.Iterable[ZoneRecord]) -> t.Mapping[str | None, Watched]:
    """Return for each account whether it has Logpush jobs, and whether scripts of its zones are monitored."""
    seen: dict[str | None, Watched] = collections.defaultdict(Watched)
    for record in records:
        monitor = dict_of(dict_of(result_of(record).get("script_monitor")).get("script_monitor"))
        before, jobs = seen[record["account_id"]], value_of(record["jobs"])
        seen[record["account_id"]] = Watched(before.jobs or bool(jobs), before.scripts or monitor.get("enabled") is True)
    return seen


def notes(record: ZoneRecord, there: Watched) -> t.Iterator[Problem]:
    """Yield a note for each alert of an account that reaches nobody."""
    notifications = value_of(record["notifications"])
    if record["scope"] != ACCOUNT or notifications is None:
        return
    if there.jobs:
        yield from _unless_watched(LOST_JOB, (LOST_JOB,), "a Logpush job that the service disables", notifications)
    available = dict_of(notifications.get("available_alerts"))
    usable = tuple(name for name in SCRIPT_ALERTS if name in available)
    if there.scripts and usable:
        yield from _unless_watched(NEW_SCRIPTS, usable, "new or changed scripts", notifications)


def _unless_watched(
    subject: str, alerts: t.Collection[str], words: str, notifications: t.Mapping[str, Json]
) -> t.Iterator[Problem]:
    """Yield a note unless a policy notifies of one of these alerts."""
    policies, webhooks = list_of(notifications.get("notification_policies")), list_of(notifications.get("webhooks"))
    reached, failing = watchers(alerts, map(dict_of, policies), map(dict_of, webhooks))
    if not reached:
        only = f"; the last delivery to the webhook of {', '.join(failing)} failed" if failing else ""
        yield problem("no_alert", subject, f"nobody is notified of {words}{only}")


def watchers(
    alerts: t.Collection[str], policies: t.Iterable[t.Mapping[str, Json]], webhooks: t.Iterable[t.Mapping[str, Json]]
) -> tuple[list[str], list[str]]:
    """Return the names of the enabled policies that notify of one of these alerts, and of those whose only webhooks fail.

    Policies and webhooks are those of a result. A webhook whose last delivery failed does not count.
    """
    failing = {webhook.get("id") for webhook in webhooks if _is_failing(webhook)}
    reached: list[str] = []
    lost: list[str] = []
    for policy in policies:
        mechanisms = {name: list_of(dict_of(policy.get("mechanisms")).get(name)) for name in MECHANISMS}
        if policy.get("enabled") is True and policy.get("alert_type") in alerts and any(mechanisms.values()):
            others = any(values for name, values in mechanisms.items() if name != WEBHOOKS)
            is_lost = not others and failing.issuperset(mechanisms[WEBHOOKS])
            (lost if is_lost else reached).append(str(policy.get("name")))
    return reached, lost


def _is_failing(webhook: t.Mapping[str, Json]) -> bool:
    failure, success = parse_time(webhook.get("last_failure")), parse_time(webhook.get("last_success"))
    return failure is not None and (success is None or success < failure)
