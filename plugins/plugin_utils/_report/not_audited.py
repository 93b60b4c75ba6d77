# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from ...module_utils._address import ZONE
from ...module_utils._core import CONTENT_SECURITY_RULES, CUSTOM_FIELDS, JOBS, PARTS, SCRIPT_MONITOR
from ...module_utils._logpush.coverage import dataset_of
from ...module_utils._logpush.regions import boundary_of
from ...module_utils._observed import Cause, Known, Observed, Unknown, is_unasked
from ...module_utils._text import dict_of, list_of
from ...module_utils._zone.record import ZoneRecord, part_of_hours, result_of
from ...module_utils._zone.result import ManagedPart, ReportedJob, deleted_jobs
from .._words import count_hosts, plural
from .document import Copied, Gap, NotAudited, Row
from .facts import PARTS_AUDITED, PARTS_OF_HOSTS, PARTS_OF_JOBS, RESOURCES, UNAUDITED

# What an audit did not look at: what nothing declares, what nobody asked for, and what could not be seen.

NOT_DECLARED = "not declared"
NOT_JUDGED = "not all that the earlier report found was looked at again"
# `check` compares which transformer a job has, and not what the transformer makes of its records.
_QUERY_NOT_DECLARED = "the query is not declared"
# The part of each member of a job that its item may leave undeclared.
_PART_OF: t.Mapping[str, str] = {
    "destination": "destinations",
    "filter": "filters",
    "filter_attack_traffic": "filters",
    "transformer": "transformers",
    "sample_rate": "sample_rates",
}
# Parts that only zones have.
_OF_ZONES = (CUSTOM_FIELDS, SCRIPT_MONITOR, CONTENT_SECURITY_RULES)


def gaps_of(record: ZoneRecord, boundary: Observed[Copied], asks_delivery: bool) -> list[Gap]:
    """Return what the audit of a zone or an account did not look at; `boundary` is that of its account.

    What could not be read is a note or the reason why the zone is unaudited, and is not told a second time.
    """
    if record["error"] is not None and not isinstance(record["result"], Known):
        return []
    told = {name for name, _reason in record["unreadable"]}
    gaps = [
        *_undeclared(record),
        *_scripts(record),
        *_violations(record),
        *_boundary(record, boundary),
        *_delivery(record, asks_delivery),
    ]
    if record["scope"] == ZONE and is_unasked(record["pages"]):
        gaps.append(_gap("pages", NOT_DECLARED))
    return [gap for gap in gaps if gap["part"] not in told or gap["asked"]]


def _gap(part: str, reason: str, jobs: int | None = None, *, asked: bool = False) -> Gap:
    return {"part": part, "jobs": jobs, "reason": reason, "asked": asked}


def _undeclared(record: ZoneRecord) -> t.Iterator[Gap]:
    """Yield parts of the desired state that nothing declares; a survey declares nothing, and compares nothing."""
    if not record["declared"]:
        return
    managed = result_of(record)
    for part in (*(_OF_ZONES if record["scope"] == ZONE else ()), JOBS):
        if not managed.get(part):
            yield _gap(part, NOT_DECLARED)
    if lists := [str(name) for name in list_of((managed.get(CUSTOM_FIELDS) or {}).get("undeclared"))]:
        yield _gap(CUSTOM_FIELDS, f"{', '.join(lists)} not declared")
    jobs = managed.get(JOBS) or {}
    declared = [job for job in jobs.get("jobs") or () if job is not None]
    if jobs and isinstance(record["jobs"], Known) and _has_others(record["jobs"].value, declared, jobs):
        yield _gap(JOBS, "some are not declared, and unlisted_jobs is ignore")
    members = collections.Counter(part for job in declared for part in _parts_of(job))
    for part in PARTS_OF_JOBS:
        if members[part]:
            yield _gap(part, NOT_DECLARED, members[part])
    if jobs and (changed := sum(_has_transformer(job) for job in _all_jobs(record, declared))):
        yield _gap("transformers", _QUERY_NOT_DECLARED, changed)


def _all_jobs(record: ZoneRecord, declared: t.Sequence[ReportedJob]) -> list[ReportedJob]:
    """Return the declared jobs as they are after the run, and the others as they were listed."""
    listed = record["jobs"].value if isinstance(record["jobs"], Known) else []
    known = [job.get("id") for job in declared]
    return [*declared, *(job for job in listed if job.get("id") not in known)]


def _has_transformer(job: ReportedJob) -> bool:
    return bool(job.get("transformer") or job.get("transformer_id"))


def _has_others(listed: t.Iterable[ReportedJob], declared: t.Iterable[ReportedJob], part: ManagedPart) -> bool:
    """Return whether there are jobs that no item names, and that are neither reported nor to be deleted."""
    known = [job.get("id") for job in (*declared, *(part.get("unlisted_jobs") or ()))]
    return sum(job.get("id") not in known for job in listed) > len(deleted_jobs(part))


def _parts_of(job: ReportedJob) -> set[str]:
    """Return the parts of a job that its item leaves undeclared."""
    return {_PART_OF[name] for name in list_of(job.get("undeclared")) if isinstance(name, str) and name in _PART_OF}


def _scripts(record: ZoneRecord) -> t.Iterator[Gap]:
    scripts = record["scripts"]
    if record["scope"] != ZONE:
        return
    if isinstance(scripts, Unknown):
        if scripts.cause is Cause.NOT_ASKED:
            yield _gap("scripts", "edgeops_audit_scripts is false")
        return
    listed = [entry.get("script") for entry in scripts.value.get("inventory") or ()] or scripts.value.get("scripts") or ()
    if any(not isinstance(dict_of(script).get("malicious"), bool) for script in listed):
        yield _gap("scripts", "the plan does not show the verdict of each script")


def _violations(record: ZoneRecord) -> t.Iterator[Gap]:
    """Yield the shortest window of violations that a plan shows of a rule: what was reported before is not known."""
    part = result_of(record).get(CONTENT_SECURITY_RULES) or {}
    # In a survey each rule has its own.
    listed = (dict_of(rule).get("violations") for rule in list_of(part.get(CONTENT_SECURITY_RULES)))
    seen = [dict_of(violations).get("shortened") for violations in (*dict_of(part.get("violations")).values(), *listed)]
    shortened = [(dict_of(one).get("hours"), text) for one in seen if (text := part_of_hours(one))]
    # One that cannot be told may be the shortest.
    ordered = sorted((hours if isinstance(hours, (int, float)) else 0, text) for hours, text in shortened)
    for _hours, text in ordered[:1]:
        yield _gap(CONTENT_SECURITY_RULES, f"violations of {text}")


def _boundary(record: ZoneRecord, boundary: Observed[Copied]) -> t.Iterator[Gap]:
    """Yield that it is not known whether the region supports the datasets of jobs."""
    if isinstance(record["jobs"], Known) and not record["jobs"].value:
        return
    if isinstance(boundary, Known):
        region = boundary_of(boundary.value)
        if not region.is_known and region.region:
            yield _gap("boundary", f"which datasets the region {region.region!r} supports is not known", asked=True)
        elif not region.is_known and region.region is None:
            yield _gap("boundary", "its regions cannot be told", asked=True)
        elif region.region and isinstance(record["jobs"], Known) and any(dataset_of(job) is None for job in record["jobs"].value):
            yield _gap("boundary", "the service does not show the dataset of each job", asked=True)
        return
    yield _gap("boundary", boundary.message, asked=not is_unasked(boundary))


def _delivery(record: ZoneRecord, asks_delivery: bool) -> t.Iterator[Gap]:
    jobs, delivery = record["jobs"], record["delivery"]
    if isinstance(delivery, Known):
        if delivery.value.shortened:
            yield _gap("delivery", delivery.value.shortened, asked=True)
    elif delivery.cause is Cause.NOT_ASKED and not (isinstance(jobs, Known) and not jobs.value):
        if not asks_delivery:
            yield _gap("delivery", "edgeops_audit_delivery is false" if record["declared"] else "not asked for")
            return
        has_jobs = isinstance(jobs, Known)
        reason = "what its jobs delivered was not read" if has_jobs else "its jobs were not read"
        # Nothing is asked of a host without a declaration.
        yield _gap("delivery", reason, asked=has_jobs or any(result_of(record).get(name) for name in PARTS))


# The part of what an earlier report found, by the resource of its items.
_PART_OF_ITEMS: t.Mapping[str, str] = {
    **dict.fromkeys(("health", "coverage", "fields"), JOBS),
    **{name: name for name in PARTS_OF_HOSTS},
}


def with_carried(row: Row) -> list[Gap] | None:
    """Return what was not audited of a row, with the parts of which an earlier report found something that this run did not judge."""
    gaps = row["not_audited"]
    if gaps is None or row["carried"] or row["status"] == UNAUDITED:
        return gaps
    told = {gap["part"] for gap in gaps}
    parts = {_PART_OF_ITEMS.get(item["resource"]) for item in row["items"] if item["carried"]}
    return [*gaps, *(_gap(part, NOT_JUDGED) for part in PARTS_AUDITED if part in parts - told)]


def not_audited(rows: t.Iterable[Row]) -> list[NotAudited]:
    """Return what was not audited in the zones and accounts of this run, by part and reason, with how many it concerns."""
    return [{"part": part, "zones": len(hosts), "jobs": jobs, "reason": reason} for part, reason, hosts, jobs in _collected(rows)]


def not_audited_text(rows: t.Iterable[Row], resource: str | None = None) -> str:
    """Return what was not audited, or what belongs to one resource of it, as one sentence; "" if there is nothing."""
    words = [
        f"{_words(part, jobs)} {count_hosts(row['scope'] for row in hosts)} ({reason})"
        for part, reason, hosts, jobs in _collected(rows)
        if resource in (None, part if part in RESOURCES else JOBS)
    ]
    return f"Not audited: {', '.join(words)}." if words else ""


def _words(part: str, jobs: int | None) -> str:
    return f"{PARTS_OF_HOSTS[part]} of" if jobs is None else f"{PARTS_OF_JOBS.get(part, part)} of {plural(jobs, 'job')} in"


def _collected(rows: t.Iterable[Row]) -> list[tuple[str, str, list[Row], int | None]]:
    """Return part, reason, hosts and number of jobs of each gap, in the order of the parts."""
    hosts: dict[tuple[str, str], list[Row]] = collections.defaultdict(list)
    jobs: dict[tuple[str, str], int | None] = {}
    for row in rows:
        for gap in () if row["carried"] else row["not_audited"] or ():
            key = (gap["part"], gap["reason"])
            hosts[key].append(row)
            jobs[key] = None if gap["jobs"] is None else (jobs.get(key) or 0) + gap["jobs"]
    return [(*key, hosts[key], jobs[key]) for key in sorted(hosts, key=lambda key: (PARTS_AUDITED.index(key[0]), key[1]))]
