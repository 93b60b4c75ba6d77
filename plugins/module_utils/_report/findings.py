# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import json
import typing as t

from .._core import Json
from .._logpush.coverage import DATASET, selected_fields
from .._logpush.job import Identity, labels
from .._text import diff_lines, distinct
from .facts import DIFFERENCE, FINDING, KINDS, MANAGED, NOTE, RESOURCES, SCRIPT_SEVERITIES, SEVERITIES

Item = dict[str, Json]

_ORDER = {name: place for names in (KINDS, RESOURCES, SEVERITIES) for place, name in enumerate(names)}


class Observation(t.NamedTuple):
    """What one look at a zone found, before it has a history."""

    kind: str
    resource: str
    subject: str | None
    member: str | None
    severity: str
    message: str
    before: Json = None
    after: Json = None


def item_id(zone_id: str | None, kind: str, resource: str, subject: str | None, member: str | None) -> str:
    """Identify a problem by where it is, not by its values: the same id in every format and every run."""
    return hashlib.sha256(compact([zone_id, kind, resource, subject, member]).encode()).hexdigest()[:16]


def subject_words(item: Item) -> str:
    """The subject as a user reads it: that of a script's finding is JSON, here its URL and the host of the page."""
    subject: str = item["subject"] or ""
    if item["resource"] != "scripts":
        return subject
    try:
        parts = json.loads(subject)
    except (ValueError, RecursionError):
        return subject
    return " on ".join(str(part) for part in parts[:2] if part) if isinstance(parts, list) else subject


def compact(value: Json) -> str:
    """Compact ASCII JSON with sorted members: one text for equal values; raise `ValueError` for a number that JSON cannot hold."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def items_of(zone_id: str | None, observations: t.Iterable[Observation], at: str) -> list[Item]:
    """The items of a zone, each problem once, in a fixed order."""
    found: dict[str, Item] = {}
    for seen in observations:
        identity = item_id(zone_id, seen.kind, seen.resource, seen.subject, seen.member)
        found.setdefault(identity, {"id": identity, **seen._asdict(), "first_seen": at, "waived": False, "carried": False})
    return in_order(found.values())


def in_order(items: t.Iterable[Item]) -> list[Item]:
    """By kind, severity, resource, subject and member; carried ones last."""
    return sorted(items, key=_place)


def counting(items: t.Iterable[Item]) -> list[Item]:
    """The items that decide: neither waived nor carried over from an earlier report."""
    return [item for item in items if not item["waived"] and not item["carried"]]


def _place(item: Item) -> tuple[Json, ...]:
    return (
        item["carried"],
        *(_ORDER.get(item[name], len(_ORDER)) for name in ("kind", "severity", "resource")),
        item["subject"] or "",
        item["member"] or "",
        item["id"],
    )


# Differences of a zone: what the results of the state modules would change, one observation for each member.


Result = t.Mapping[str, Json]

_WHOLE = ("custom_fields", "rules")


def differences(result: Result) -> t.Iterator[Observation]:
    """Each member in which the managed resources of a zone differ from their desired state."""
    for resource in MANAGED:
        outcome = result.get(resource) or {}
        found = list(_of_resource(resource, outcome.get("diff") or {}))
        if not found and outcome.get("changed"):
            found = [_difference(resource, None, None, "differs; the result has no diff that shows where", None, None)]
        yield from found


def _of_resource(resource: str, diff: Result) -> t.Iterator[Observation]:
    before, after = diff.get("before") or {}, diff.get("after") or {}
    if resource == "jobs":
        for label in sorted({**before, **after}):
            yield from _of_job(label, before.get(label), after.get(label))
    elif resource == "custom_fields":
        yield from _of_custom_fields(before, after)
    else:
        yield from _members(resource, None, "", before, after)


def _of_custom_fields(before: Result, after: Result) -> t.Iterator[Observation]:
    """The lists by their names. The rules hold the same names again, and are shown only where they alone differ."""
    one, other = ({**side, **(side.get("custom_fields") or {})} for side in (before, after))
    found = list(_members("custom_fields", None, "", _without(one, _WHOLE), _without(other, _WHOLE)))
    yield from found or _members(
        "custom_fields", None, "", _without(one, ("custom_fields",)), _without(other, ("custom_fields",))
    )


def _without(side: Result, names: t.Collection[str]) -> dict[str, Json]:
    return {name: value for name, value in side.items() if name not in names}


def _of_job(label: str, before: Json, after: Json) -> t.Iterator[Observation]:
    if isinstance(before, dict) and isinstance(after, dict) and before and after:
        yield from _members("jobs", label, "", before, after)
    elif before or after:
        message = "the job would be deleted" if before else "the job is missing and would be created"
        yield _difference("jobs", label, None, message, before or None, after or None)


def _members(resource: str, subject: str | None, place: str, before: Result, after: Result) -> t.Iterator[Observation]:
    for name in sorted({**before, **after}):
        one, other, path = before.get(name), after.get(name), f"{place}{name}"
        if one == other:
            continue
        if isinstance(one, dict) and isinstance(other, dict) and one and other:
            yield from _members(resource, subject, f"{path}.", one, other)
        else:
            [message] = diff_lines({"before": {path: one}, "after": {path: other}})
            yield _difference(resource, subject, path, message, one, other)


def _difference(resource: str, subject: str | None, member: str | None, message: str, before: Json, after: Json) -> Observation:
    return Observation(DIFFERENCE, resource, subject, member, "medium", message, before, after)


# Findings and notes of a zone: the health of its jobs, its scripts, the coverage of its custom fields, required log fields.


Job = t.Mapping[str, Json]


def labelled(jobs: t.Sequence[Job]) -> list[tuple[str, Job]]:
    """Each job with its label, as a difference of the job has it."""
    identities = [Identity(str(job.get("name") or ""), job.get("dataset") or DATASET, job.get("id")) for job in jobs]
    return list(zip(distinct(labels(identities)), jobs, strict=True))


def health(jobs: t.Sequence[Job]) -> t.Iterator[Observation]:
    """Jobs that fail, that the service disabled, that never delivered, or whose last delivery is old."""
    for label, job in labelled(jobs):
        state = health_state(job)
        reason = str((job.get("health") or {}).get("message") or job.get("error_message") or "")
        if state == "failing":
            yield Observation(FINDING, "health", label, state, "high", reason or "its last delivery failed")
        elif state == "disabled" and job.get("error_message"):
            yield Observation(FINDING, "health", label, state, "high", reason or "the service disabled it")
        elif state == "never":
            yield Observation(NOTE, "health", label, state, "info", "the job has not delivered anything yet")
        elif state == "stale":
            when = job.get("last_complete")
            yield Observation(NOTE, "health", label, state, "low", f"the last delivery was at {when}; a quiet zone may be fine")


def health_state(job: Job) -> str:
    """The state that `logpush_job_info` reports for a job."""
    state = (job.get("health") or {}).get("state")
    return state if isinstance(state, str) else "unknown"


def scripts(audit: t.Mapping[str, Json]) -> t.Iterator[Observation]:
    """The findings of `script_audit`; an entry of the baseline that matches nothing is a note."""
    for found in audit.get("findings") or ():
        kind = str(found.get("kind"))
        subject = compact([found.get("script_url"), found.get("host"), found.get("entry")])
        severity = SCRIPT_SEVERITIES.get(kind, "high")
        message = str(found.get("message") or kind)
        yield Observation(NOTE if kind == "unused" else FINDING, "scripts", subject, kind, severity, message)


def coverage(found: t.Mapping[str, Json], jobs: t.Sequence[Job]) -> t.Iterator[Observation]:
    """The notes of `log_field_coverage`: custom fields that no job delivers, and fields of jobs that stay empty."""
    unselected, unconfigured = list(found.get("unselected") or ()), list(found.get("unconfigured") or ())
    sentences = [str(sentence) for sentence in found.get("sentences") or ()]
    sentences += ["does not fit"] * (len(unselected) + len(unconfigured) - len(sentences))
    called = {compact([job.get("name"), job.get("id")]): label for label, job in labelled(jobs)}
    for part, sentence in zip(unselected, sentences, strict=False):
        yield Observation(NOTE, "coverage", None, str(part.get("kind")), "low", sentence)
    for part, sentence in zip(unconfigured, sentences[len(unselected) :], strict=False):
        job = {"name": part.get("job_name"), "id": part.get("job_id"), "dataset": DATASET}
        label = called.get(compact([job["name"], job["id"]])) or labelled([job])[0][0]
        yield Observation(NOTE, "coverage", label, str(part.get("field")), "low", sentence)


def required(fields: t.Mapping[str, t.Sequence[str]], jobs: t.Sequence[Job] | None) -> t.Iterator[Observation]:
    """Log fields that no enabled job without a filter delivers, although the user requires them."""
    for dataset, names in sorted(fields.items()):
        complete = [job for job in jobs or () if _delivers_all(job, dataset)]
        delivered = {name for job in complete for name in selected_fields(job)}
        reason = "the jobs of the zone were not read" if jobs is None else "no enabled job without a filter delivers it"
        for name in sorted(set(names) - delivered):
            yield Observation(FINDING, "fields", dataset, name, "medium", f"{name} of {dataset} is required: {reason}")


def _delivers_all(job: Job, dataset: str) -> bool:
    return (job.get("dataset") or DATASET) == dataset and job.get("enabled") is True and not job.get("filter")
