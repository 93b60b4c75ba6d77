# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The end of a run: the outcome of each zone of a delivery, jobs with worse health than before, and adopted zones.
import typing as t

from ...module_utils._core import JOBS, PARTS, Json
from ...module_utils._text import dict_of, line, list_of
from ...module_utils._zone.result import ManagedPart, ReportedJob, ZoneResult
from .._report.findings import health_state, labelled
from .._report.items import plural
from .._report.lines import difference_lines
from .rails import Prediction, is_changed
from .records import MAX_LINE, Variables, done, done_zone, error_of
from .variables import APPLIED, CANARY, DESCRIBED, PREDICTION, SCRIPTS

CHANGED, UNCHANGED, FAILED, NOT_REACHED = STATES = ("changed", "unchanged", "failed", "not reached")


class End(t.NamedTuple):
    """The outcome of a zone: a state, the reason of a failure, and the result with its changes."""

    state: str
    reason: str
    result: ZoneResult


def end_of(host: str, variables: Variables, is_written: bool, stopped: str) -> End:
    """Return the outcome of a zone; `is_written` is whether the delivery was to write to it."""
    error = error_of(variables, (APPLIED,) if is_written else (PREDICTION,))
    unhealthy = dict_of(dict_of(variables.get(CANARY)).get("unhealthy")).get(host)
    result = done_zone(variables, APPLIED if is_written else PREDICTION)
    if unhealthy:
        return End(FAILED, f"gate: {unhealthy}", result or {})
    if error and error["kind"] == "unavailable" and "could not be reached" in error["message"]:
        return End(NOT_REACHED, "the zone could not be reached", {})
    if error:
        return End(FAILED, f"{error['kind']}: {error['message']}", {})
    if result is None:
        return End(NOT_REACHED, f"the zone was not reached{': ' if stopped else ''}{stopped}", {})
    return End(CHANGED if is_changed(result) else UNCHANGED, "", result)


def outcome(ends: t.Mapping[str, End], stopped: str, check_mode: bool) -> dict[str, Json]:
    """Return the lines for the end of a delivery, and the reason for each zone that failed or was not reached."""
    states = [end.state for end in ends.values()]
    counts = ", ".join(
        f"{states.count(state)} {'would be changed' if state == CHANGED and check_mode else state}" for state in STATES
    )
    lines = [text for host, end in ends.items() for text in _lines(host, end, applied=not check_mode)]
    return {
        "lines": [f"{plural(len(ends), 'zone')}: {counts}", *lines, *([stopped] if stopped else [])],
        "failing": {host: line(end.reason, MAX_LINE) for host, end in ends.items() if end.state in (FAILED, NOT_REACHED)},
    }


def _lines(host: str, end: End, *, applied: bool) -> list[str]:
    if end.state == CHANGED:
        verb = "changed" if applied else "would be changed"
        texts = difference_lines(end.result, applied=applied) or ["its secrets"]
        return [line(f"{host} {verb}: {text}", MAX_LINE) for text in texts]
    if end.state == FAILED:
        return [line(f"{host} failed: {end.reason}", MAX_LINE)]
    return [line(f"{host} was not reached", MAX_LINE)] if end.state == NOT_REACHED else []


def plan_summary(zones: t.Sequence[Prediction]) -> str:
    """Return what a delivery would do to all zones in a line."""
    changed = [zone for zone in zones if zone.changed]
    kinds = [kind for zone in changed for kind in _kinds(zone.result)]
    numbers = ", ".join(plural(kinds.count(kind), kind) for kind in ("addition", "change", "deletion"))
    failed = sum(bool(zone.error) for zone in zones)
    unchanged = len(zones) - len(changed) - failed
    return f"{plural(len(zones), 'zone')}: {len(changed)} would change ({numbers}), {unchanged} unchanged, {failed} failed"


def _kinds(result: ZoneResult) -> t.Iterator[str]:
    """Yield addition, change or deletion for each job and each setting that differs."""
    for name in PARTS:
        diff = (result.get(name) or {}).get("diff") or {}
        before, after = diff.get("before") or {}, diff.get("after") or {}
        pairs = [(before.get("custom_fields", before), after.get("custom_fields", after))]
        if name == JOBS:
            pairs = [(before.get(label), after.get(label)) for label in {**before, **after}]
        for old, new in pairs:
            if old != new:
                yield "addition" if not old else "change" if new else "deletion"


_RANKS = {"healthy": 0, "stale": 1, "never": 1, "unknown": 1, "disabled": 2, "failing": 3}


def worse_jobs(before: t.Sequence[ReportedJob], after: t.Sequence[ReportedJob], part: ManagedPart) -> list[str]:
    """Return a sentence for each job whose health is worse than before; `part` is the result of the delivery for jobs.

    Jobs that the delivery deleted or re-created are not missed.
    """
    delivered = {job.get("id"): job for job in part.get("jobs") or () if job}
    managed = (part.get("diff") or {}).get("before") or {}
    known = {job.get("id"): job for label, job in labelled(before) if label not in managed or job.get("id") in delivered}
    present = {job.get("id"): job for job in after}
    found = (
        _worse(known.get(key) or delivered[key], key in known, present.get(key), delivered.get(key))
        for key in {**known, **delivered}
    )
    return [sentence for sentence in found if sentence]


def _worse(job: ReportedJob, existed: bool, now: ReportedJob | None, delivered: ReportedJob | None) -> str:
    number, called = job.get("id"), job.get("name")
    name = f"job '{called}' (id {number})" if called else f"job {number} ({job.get('dataset')})"
    if now is None:
        return f"{name} does not exist any more"
    before = health_state(job) if existed else "never"
    state = health_state(now)
    if state == "disabled" and delivered is not None and not delivered.get("enabled") and not now.get("error_message"):
        return ""  # as the delivery left it
    if state == before or _RANKS.get(state, 3) <= _RANKS.get(before, 0):
        return ""
    was = f" was {before} before the delivery and" if existed else ""
    return f"{name}{was} is {state}: {(now.get('health') or {}).get('message') or 'no reason was given'}"


# Which zones of a run are adopted, and whether a delivery would change them.

_ADDRESSES = ("zone_id", "account_id", "zone_name")
_NEXT = "Next: move group_vars and host_vars beside your inventory, then run ansible-playbook edgeops.observability.check -i INVENTORY"


def select_adopted(hosts: t.Mapping[str, Variables]) -> dict[str, t.Any]:
    """Return the `zones` that are written, the entries for their `script_baselines`, and why others are `refused`."""
    refused: dict[str, str] = {}
    found: dict[str, dict[str, Json]] = {}
    hosts_of: dict[str, list[str]] = {}
    for host, variables in hosts.items():
        error = error_of(variables, (DESCRIBED, SCRIPTS))
        result = done(variables.get(DESCRIBED))
        if error or result is None:
            refused[host] = f"the zone could not be read: {error['message'] if error else 'it could not be reached'}"
        else:
            found[host] = result
            hosts_of.setdefault(str(result.get("account_id") or result.get("zone_id")).lower(), []).append(host)
    for names in hosts_of.values():
        if len(names) > 1:
            refused.update(dict.fromkeys(names, f"no file was written, because one zone has several hosts: {', '.join(names)}"))
    written = [host for host in found if host not in refused]
    return {
        "zones": [found[host] for host in written],
        "script_baselines": {host: (done(hosts[host].get(SCRIPTS)) or {}).get("proposals") or [] for host in written},
        "refused": refused,
    }


def is_zone(variables: Variables) -> bool:
    """Return whether a host has an address."""
    return any(variables.get(f"{prefix}{name}") for prefix in ("", "log_delivery_") for name in _ADDRESSES)


def changed_by_files(variables: Variables) -> str:
    """Return how the files of a host differ from its zone; "" if a delivery would not change the zone."""
    error = error_of(variables, (PREDICTION,))
    result = done_zone(variables, PREDICTION) or {}
    if error:
        return line(f"the zone could not be verified: {error['message']}", MAX_LINE)
    if is_changed(result):
        found = "; ".join(difference_lines(result)) or "a secret"
        return line(f"with these files a delivery would change the zone; move what it names out of the file: {found}", MAX_LINE)
    return ""


def conclude_adoption(zones: t.Sequence[Variables], dest: str, failing: t.Mapping[str, str]) -> list[str]:
    """Return the last lines of an adoption."""
    left_out = sum(len(list_of(zone.get("left_out"))) for zone in zones)
    secrets = sum(len(list_of(zone.get("vault"))) for zone in zones)
    return [
        *(line(f"{host} failed: {reason}", MAX_LINE) for host, reason in failing.items()),
        f"{plural(len(zones), 'zone')} adopted, {plural(left_out, 'setting')} left out: see {dest}/ADOPTED.md",
        *([f"{plural(secrets, 'secret')} to set: see {dest}/vault-example.txt"] if secrets else []),
        _NEXT,
    ]
