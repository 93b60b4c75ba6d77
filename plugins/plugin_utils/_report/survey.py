# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from ...module_utils._address import ZONE
from ...module_utils._core import CONTENT_SECURITY_RULES
from ...module_utils._text import dict_of, list_of
from ...module_utils._zone.record import ZoneRecord
from ...module_utils._zone.result import ReportedJob
from .facts import MIN_ZONES_TO_COMPARE, NOTE
from .findings import labelled, personal_fields, violations
from .items import Problem, problem

# The notes about zones without a declared state; their findings about jobs and scripts are those of any audit.


class Usual(t.NamedTuple):
    """Where the jobs of an account deliver: how many of its zones to each host or bucket, and the one of most of its jobs, if any."""

    zones: t.Mapping[str, int]
    majority: str


Destinations: t.TypeAlias = "t.Mapping[str | None, Usual]"


def destinations_of(records: t.Iterable[ZoneRecord]) -> Destinations:
    """Return the destinations of the accounts that have enough zones, and of which most jobs deliver to one place."""
    members: dict[str | None, list[ZoneRecord]] = collections.defaultdict(list)
    for record in records:
        members[record["account_id"]].append(record)
    usual: dict[str | None, Usual] = {}
    for account, of_account in members.items():
        targets = [[_target(job) for job in record["jobs"] or ()] for record in of_account]
        jobs = collections.Counter(target for of_zone in targets for target in of_zone if target)
        target, number = next(iter(jobs.most_common(1)), ("", 0))
        zones = sum(record["scope"] == ZONE for record in of_account)
        if zones >= MIN_ZONES_TO_COMPARE and number * 2 > sum(jobs.values()):
            usual[account] = Usual(collections.Counter(each for of_zone in targets for each in {*of_zone}), target)
    return usual


def notes(record: ZoneRecord, destinations: Destinations) -> t.Iterator[Problem]:
    """Yield the notes that only a survey has."""
    jobs = record["jobs"]
    if jobs is not None and all(job.get("enabled") is False for job in jobs):
        reason = "every Logpush job of it is disabled" if jobs else "no Logpush job delivers logs of it"
        yield problem("no_job", None, reason)
    monitor = ((record["result"] or {}).get("script_monitor") or {}).get("script_monitor")
    if dict_of(monitor).get("enabled") is False:
        yield problem("monitor_off", None, "the script monitor is disabled", resource="script_monitor", kind=NOTE)
    yield from violations(
        map(dict_of, list_of(dict_of((record["result"] or {}).get(CONTENT_SECURITY_RULES)).get(CONTENT_SECURITY_RULES)))
    )
    usual = destinations.get(record["account_id"])
    elsewhere: dict[str, list[tuple[str, ReportedJob]]] = collections.defaultdict(list)
    for label, job in labelled(jobs or ()):
        target = _target(job)
        if usual and target and target != usual.majority:
            elsewhere[target].append((label, job))
    for target, its_jobs in elsewhere.items():
        if usual and usual.zones[target] == 1:
            yield problem("single_destination", its_jobs[0][0], f"no other zone delivers to {target}{_others(its_jobs)}")
        personal = [(label, job) for label, job in its_jobs if job.get("enabled") is True and personal_fields(job)]
        if personal:
            names = ", ".join(sorted({name for _label, job in personal for name in personal_fields(job)}))
            message = f"delivers {names} to {target}, which is not where most jobs of the account deliver{_others(personal)}"
            yield problem("personal_data", personal[0][0], message)


def _others(jobs: t.Sequence[tuple[str, ReportedJob]]) -> str:
    """Return the other jobs of one note, which is about their destination."""
    return f"; so do {', '.join(label for label, _job in jobs[1:])}" if len(jobs) > 1 else ""


def _target(job: ReportedJob) -> str:
    """Return scheme and host or bucket of a job's destination; "" if they are masked."""
    public = dict_of(job.get("destination"))
    host = str(public.get("address") or "").rpartition("@")[2].partition("/")[0]
    return f"{public['scheme']}://{host}" if host and public.get("scheme") else ""
