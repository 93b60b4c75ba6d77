# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The outcome of each zone of a delivery, and whether the health of its jobs became worse.
import typing as t

from .._core import PARTS, Json
from .._logpush.job import Identity, labels
from .._report.items import plural
from .._report.lines import difference_lines
from .._text import line
from .rails import Prediction
from .records import Variables, done, error_of
from .variables import APPLIED, CANARY, PREDICTION

CHANGED, UNCHANGED, FAILED, NOT_REACHED = STATES = ("changed", "unchanged", "failed", "not reached")
_MAX_LINE = 2000


class End(t.NamedTuple):
    """The outcome of a zone: a state, the reason of a failure, and the result with its changes."""

    state: str
    reason: str
    result: t.Mapping[str, Json]


def end_of(host: str, variables: Variables, is_written: bool, stopped: str) -> End:
    """Return the outcome of a zone; `is_written` is whether the delivery was to write to it."""
    error = error_of(variables, (APPLIED,) if is_written else (PREDICTION,))
    unhealthy = (variables.get(CANARY) or {}).get("unhealthy", {}).get(host)
    result = done(variables.get(APPLIED if is_written else PREDICTION))
    if unhealthy:
        return End(FAILED, f"gate: {unhealthy}", result or {})
    if error and error["kind"] == "unavailable" and "could not be reached" in error["message"]:
        return End(NOT_REACHED, "the zone could not be reached", {})
    if error:
        return End(FAILED, f"{error['kind']}: {error['message']}", {})
    if result is None:
        return End(NOT_REACHED, f"the zone was not reached{': ' if stopped else ''}{stopped}", {})
    changed = any((result.get(name) or {}).get("changed") for name in PARTS)
    return End(CHANGED if changed else UNCHANGED, "", result)


def outcome(ends: t.Mapping[str, End], stopped: str, check_mode: bool) -> dict[str, Json]:
    """Return the lines for the end of a delivery, and the reason for each zone that failed or was not reached."""
    states = [end.state for end in ends.values()]
    counts = ", ".join(
        f"{states.count(state)} {'would be changed' if state == CHANGED and check_mode else state}" for state in STATES
    )
    lines = [text for host, end in ends.items() for text in _lines(host, end, applied=not check_mode)]
    return {
        "lines": [f"{plural(len(ends), 'zone')}: {counts}", *lines, *([stopped] if stopped else [])],
        "failing": {host: line(end.reason, _MAX_LINE) for host, end in ends.items() if end.state in (FAILED, NOT_REACHED)},
    }


def _lines(host: str, end: End, *, applied: bool) -> list[str]:
    if end.state == CHANGED:
        verb = "changed" if applied else "would be changed"
        texts = difference_lines(end.result, applied=applied) or ["its secrets"]
        return [line(f"{host} {verb}: {text}", _MAX_LINE) for text in texts]
    if end.state == FAILED:
        return [line(f"{host} failed: {end.reason}", _MAX_LINE)]
    return [line(f"{host} was not reached", _MAX_LINE)] if end.state == NOT_REACHED else []


def plan_summary(zones: t.Sequence[Prediction]) -> str:
    """Return what a delivery would do to all zones in a line."""
    changed = [zone for zone in zones if zone.changed]
    kinds = [kind for zone in changed for kind in _kinds(zone.result)]
    failed = sum(bool(zone.error) for zone in zones)
    numbers = ", ".join(plural(kinds.count(kind), kind) for kind in ("addition", "change", "deletion"))
    return (
        f"{plural(len(zones), 'zone')}: {len(changed)} would change ({numbers}),"
        f" {len(zones) - len(changed) - failed} unchanged, {failed} failed"
    )


def _kinds(result: t.Mapping[str, Json]) -> t.Iterator[str]:
    for name in PARTS:
        part = result.get(name) or {}
        diff = part.get("diff") or {}
        before, after = diff.get("before") or {}, diff.get("after") or {}
        if not part.get("changed"):
            continue
        if name == "jobs":
            labels = {**before, **after}
            yield from (_kind(before.get(label), after.get(label)) for label in labels if before.get(label) != after.get(label))
        else:
            yield _kind(*(side.get("custom_fields", side) for side in (before, after)))


def _kind(before: Json, after: Json) -> str:
    if not before:
        return "addition"
    return "change" if after else "deletion"


Job = t.Mapping[str, Json]
_RANKS = {"healthy": 0, "stale": 1, "never": 1, "unknown": 1, "disabled": 2, "failing": 3}
_NEW = "never"


def worse_jobs(before: t.Sequence[Job], after: t.Sequence[Job], part: Job) -> list[str]:
    """Return a sentence for each job whose state is neither the one before nor better; `part` is what the delivery did to jobs.

    A job that the delivery removed or re-created is not missed.
    """
    delivered = {job["id"]: job for job in part.get("jobs") or () if job}
    managed = (part.get("diff") or {}).get("before") or {}
    names = labels([Identity(job.get("name"), job.get("dataset") or "", job["id"]) for job in before])
    known = {job["id"]: job for label, job in zip(names, before, strict=True) if label not in managed or job["id"] in delivered}
    present = {job["id"]: job for job in after}
    found = (
        _worse(known.get(key) or delivered[key], key in known, present.get(key), delivered.get(key))
        for key in {**known, **delivered}
    )
    return [sentence for sentence in found if sentence]


def _worse(job: Job, existed: bool, now: Job | None, delivered: Job | None) -> str:
    name = f"job '{job.get('name')}' (id {job['id']})" if job.get("name") else f"job {job['id']} ({job.get('dataset')})"
    if now is None:
        return f"{name} does not exist any more"
    before = job["health"]["state"] if existed else _NEW
    state = now["health"]["state"]
    if state == "disabled" and delivered is not None and not delivered.get("enabled") and not now.get("error_message"):
        return ""  # as the delivery left it
    if state == before or _RANKS.get(state, 3) <= _RANKS.get(before, 0):
        return ""
    was = f" was {before} before the delivery and" if existed else ""
    return f"{name}{was} is {state}: {now['health'].get('message') or 'no reason was given'}"
