# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import datetime
import typing as t

from .._address import ACCOUNT_ID, ALL_ADDRESSES, ZONE, Address, need_id
from .._core import Conclusion, Failure, Json, invalid_option
from .._observed import Meaning
from .._text import dict_of, format_time, list_of
from .costs import NO_DELIVERIES, RATES_OPTION, Excluded, Rates, desire_rates, estimate
from .delivery_query import FIELDS, HEALTH, MAX_HOURS, Ask, Query, Row, Window, number_of, object_of

# Deliveries as Cloudflare measured them: what is asked for, and the sums of the rows.

DEFAULT_HOURS = 24
# What a plan may not offer: such a member is not asked for, and then it is not known. A row without its job cannot be used.
_NOT_OFFERED = Meaning(None, "settings.availableFields of the plan (Cloudflare documentation, GraphQL Analytics API, settings)")
MAY_BE_ABSENT: t.Mapping[str, Meaning] = {
    f"{HEALTH}[].{group}.{name}": _NOT_OFFERED for group, names in FIELDS.items() for name in names if name != "jobId"
}
ZONE_IDS = "zone_ids"
DELIVERY_ADDRESSES = (ZONE_IDS, *ALL_ADDRESSES)
DELIVERY_OPTIONS: dict[str, dict[str, Json]] = {
    ZONE_IDS: {"type": "list", "elements": "str"},
    "since": {"type": "int", "default": DEFAULT_HOURS},
    "costs": {"type": "bool", "default": False},
    "rates": RATES_OPTION,
}


class DesiredFacts(t.NamedTuple):
    """Which zones (empty: the address of the task), how many hours back, and the rates if costs are estimated."""

    zone_ids: tuple[str, ...]
    hours: int
    rates: Rates | None


def desire(params: t.Mapping[str, t.Any]) -> DesiredFacts:
    hours, zone_ids = params["since"], params[ZONE_IDS] or ()
    if not 1 <= hours <= MAX_HOURS:
        raise invalid_option("since", f"{hours} is not a number of hours from 1 to {MAX_HOURS}")
    for index, zone_id in enumerate(zone_ids):
        need_id(f"{ZONE_IDS}[{index}]", zone_id)
    if params["costs"] and not params.get(ACCOUNT_ID):
        raise invalid_option("costs", "costs arise for an account, so that account_id is needed")
    rates = desire_rates(params["rates"])
    return DesiredFacts(tuple(dict.fromkeys(zone_ids)), hours, rates if params["costs"] else None)


def report(
    ask: Ask, desired: DesiredFacts, address: Address | None, now: datetime.datetime, excluded: Excluded = None
) -> Conclusion:
    """Return the delivery facts of the zones or of the account; where there are none, the reason.

    `excluded` are the jobs that costs leave out, because they are not paid by the gigabyte.
    """
    now = now.replace(microsecond=0)
    window = Window(now - datetime.timedelta(hours=desired.hours), now)
    scope = address.scope if address else ZONE
    query = Query(ask, scope)
    query.read((address.id,) if address else desired.zone_ids, window)
    jobs = _all_jobs(query, scope)
    used = list(query.windows.values())
    period = Window(min((own.since for own in used), default=window.since), window.until)
    result: dict[str, Json] = {
        "available": bool(used),
        "reason": None if used else next(iter(query.missing.values()), "no zone was asked for"),
        "window": period.variables,
        "unavailable": query.missing,
        "shortened": {
            owner: {"hours": own.hours, "requested": desired.hours}
            for owner, own in query.windows.items()
            if own.is_shorter(window)
        },
        "jobs": jobs,
        "usage": None,
        "cost": None,
    }
    warnings = list(_warnings(query, window, scope) if used else ())
    if desired.rates is not None and address is not None and used:
        result |= _costs(query, address.id, now, desired.rates, excluded)
        if result["cost"] is None:
            warnings.append("cost is null, because the plan shows neither the billed nor the delivered bytes of the account.")
    return Conclusion(result, tuple(warnings))


def by_owner(result: t.Mapping[str, Json], owners: t.Iterable[str]) -> dict[str, Json]:
    """Return the rows of each zone or account; a result where the plan shows fewer hours than requested, or where there are none.

    The failure of the task is that of each.
    """
    if result.get("failed") is True:
        return {owner: {name: result.get(name) for name in ("failed", "msg", "error")} for owner in owners}
    if "jobs" not in result:
        result = {"available": False, "reason": "they were not read", "jobs": []}
    rows: dict[str, list[Json]] = {owner: [] for owner in owners}
    for row in map(dict_of, list_of(result["jobs"])):
        rows[str(row.get("zone_id") or row["account_id"])].append(row)
    reasons = dict_of(result.get("unavailable"))
    lacking = [owner for owner in rows if owner in reasons or not result["available"]]
    cut = {owner: hours for owner, hours in dict_of(result.get("shortened")).items() if owner in rows}
    return {
        **rows,
        **{owner: {"available": True, "jobs": rows[owner], "shortened": {owner: hours}} for owner, hours in cut.items()},
        **{owner: {"available": False, "reason": reasons.get(owner, result["reason"])} for owner in lacking},
    }


def _warnings(query: Query, window: Window, scope: str) -> t.Iterator[str]:
    """Report windows that were shortened, and zones without facts, each reason once."""
    about: dict[tuple[str, str], list[str]] = {}
    for owner, used in query.windows.items():
        if used.is_shorter(window):
            end = f" shows only the last {used.hours:g} hours, from {format_time(used.since)} on."
            about.setdefault(("since: the plan of ", end), []).append(owner)
    for owner, reason in query.missing.items():
        about.setdefault(("There are no delivery facts of ", f": {reason}"), []).append(owner)
    for (start, end), ids in about.items():
        scopes = f"the {scope}" if len(ids) == 1 else f"{len(ids)} {scope}s"
        more = f" and {len(ids) - 3} more" if len(ids) > 3 else ""
        yield f"{start}{scopes} {', '.join(ids[:3])}{more}{end}"


def _costs(query: Query, account: str, now: datetime.datetime, rates: Rates, excluded: Excluded) -> dict[str, Json]:
    """Return what an account is billed for in the month so far by day, and the cost; None for what the service does not offer."""
    month = Window(now.replace(day=1, hour=0, minute=0, second=0), now)
    usage = query.usage(account, month)
    limits = query.settings(account, HEALTH)
    window = month.shortened(limits)
    left_out = {job for jobs in (excluded or {}).values() for job in jobs}
    delivered = query.delivered(account, window, limits, left_out) if "sum_bytes" in limits.fields else None
    if usage is None and delivered is None:
        return {"usage": None, "cost": None}
    days = None if usage is None else [{"date": date, "billable_bytes": size} for date, size in usage.items()]
    return {"usage": days, "cost": estimate(now, usage, delivered or NO_DELIVERIES, window.since, rates, excluded)}


def _all_jobs(query: Query, scope: str) -> list[dict[str, Json]]:
    """Return the facts of each job. A row that cannot be used leaves its zone without facts, and ends the task if no other has any."""
    jobs: dict[str, list[dict[str, Json]]] = {}
    refused: Failure | None = None
    for owner, rows in query.rows.items():
        try:
            jobs[owner] = _jobs({f"{scope}_id": owner}, rows)
        except Failure as failure:
            refused = failure
            query.missing[owner] = str(failure)
            del query.windows[owner]
    if refused is not None and not jobs:
        raise refused
    return [job for of_owner in jobs.values() for job in of_owner]


_FLAGS = {"0": False, "1": True}
_DELIVERED = "200"


def _jobs(owner: t.Mapping[str, Json], rows: t.Iterable[Row]) -> list[dict[str, Json]]:
    """Return the facts of each job of a zone or an account, by id."""
    by_job: dict[int, list[t.Mapping[str, t.Any]]] = {}
    for row in rows:
        groups = {name: object_of(row, name) if row.get(name) is not None else {} for name in FIELDS}
        number = number_of(object_of(row, "dimensions"), "jobId")
        members = {path.rpartition(".")[2]: _shown(groups, path, meaning) for path, meaning in MAY_BE_ABSENT.items()}
        by_job.setdefault(number, []).append(
            {**members, **{name: _FLAGS.get(str(members[name])) for name in ("success", "final")}}
        )
    return [{**owner, "job_id": job_id, **_facts(by_job[job_id])} for job_id in sorted(by_job)]


def _shown(groups: t.Mapping[str, t.Mapping[str, Json]], path: str, meaning: Meaning) -> Json:
    """Return a member of a row, or what it means that it is absent."""
    group, name = path.split(".")[1:]
    if groups[group].get(name) is None:
        return meaning.value
    return number_of(groups[group], name) if group == "sum" else groups[group][name]


def _facts(uploads: t.Sequence[t.Mapping[str, t.Any]]) -> dict[str, Json]:
    """Add up the rows of one job, each for uploads with one outcome; what the service does not offer is None."""

    def total(rows: t.Iterable[t.Mapping[str, t.Any]], name: str) -> int | None:
        return None if any(row[name] is None for row in uploads) else sum(row[name] for row in rows)

    final = [row for row in uploads if row["final"] is not False]
    outcomes = [_is_delivered(row) for row in final]
    delivered = [row for row, outcome in zip(final, outcomes, strict=True) if outcome]
    lost = [row for row in uploads if row["success"] is False and row["final"]]
    known = all(None not in (row["success"], row["final"]) for row in uploads)
    is_certain = None not in outcomes
    hours, times = ([str(row[name]) for row in uploads if row[name]] for name in ("datetimeHour", "timestamp"))
    return {
        "uploads": total(delivered, "uploads") if is_certain else None,
        "records": total(delivered, "records") if is_certain else None,
        "failed_uploads": total(lost, "uploads") if known else None,
        "dropped_records": total(lost, "records") if known else None,
        "retries": total([row for row in uploads if row["final"] is False], "uploads") if known else None,
        "bytes": total(delivered, "bytes") if is_certain else None,
        "bytes_compressed": total(delivered, "bytesCompressed") if is_certain else None,
        "statuses": _statuses(final),
        "first": min(hours, default=None),
        "last": max(times or hours, default=None),
    }


def _is_delivered(row: t.Mapping[str, t.Any]) -> bool | None:
    """Return whether uploads were delivered, by their outcome or else by a status that says so; None if neither tells."""
    if row["success"] is not None:
        return bool(row["success"])
    return True if str(row["status"]) == _DELIVERED else None


def _statuses(rows: t.Sequence[t.Mapping[str, t.Any]]) -> dict[str, int] | None:
    """Return the number of uploads by status; None if the service does not show each of both."""
    statuses: collections.Counter[str] = collections.Counter()
    for row in rows:
        if row["status"] is None or row["uploads"] is None:
            return None
        statuses[str(row["status"])] += row["uploads"]
    return dict(sorted(statuses.items()))
