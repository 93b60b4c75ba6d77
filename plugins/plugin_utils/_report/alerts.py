# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from ...module_utils._address import ACCOUNT
from ...module_utils._core import Json
from ...module_utils._notifications.policy import LOST_JOB, NEW_SCRIPTS, SCRIPT_ALERTS, watchers
from ...module_utils._text import dict_of, list_of
from ...module_utils._zone.record import ZoneRecord
from .items import Problem, problem

# Of what nobody is notified in an account whose notification policies were read.


class Watched(t.NamedTuple):
    """What there is to tell of in an account and its zones, as far as the run read them."""

    jobs: bool = False
    scripts: bool = False


def watched_of(records: t.Iterable[ZoneRecord]) -> t.Mapping[str | None, Watched]:
    """Return for each account whether it has Logpush jobs, and whether scripts of its zones are monitored."""
    seen: dict[str | None, Watched] = collections.defaultdict(Watched)
    for record in records:
        monitor = dict_of(dict_of((record["result"] or {}).get("script_monitor")).get("script_monitor"))
        before = seen[record["account_id"]]
        seen[record["account_id"]] = Watched(
            before.jobs or bool(record["jobs"]), before.scripts or monitor.get("enabled") is True
        )
    return seen


def notes(record: ZoneRecord, there: Watched) -> t.Iterator[Problem]:
    """Yield a note for each alert of an account that reaches nobody."""
    notifications = record["notifications"]
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
