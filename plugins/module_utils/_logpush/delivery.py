# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from .._core import (
    AUTHENTICATION,
    BAD_RESPONSE,
    NOT_FOUND,
    PERMISSION,
    REJECTED,
    Conclusion,
    Failure,
    Json,
    invalid_option,
)
from .._text import format_time
from .._zones import ACCOUNT, ACCOUNT_ID, ALL_ADDRESSES, ZONE, Address, is_zone_id
from .costs import RATES_OPTION, Rates, estimate, parse_rates

# What the vendor measured of deliveries, from its GraphQL API: which queries to ask, and what their rows add up to.

HEALTH, USAGE = "logpushHealthAdaptiveGroups", "logpushUsageAdaptiveGroups"
MAX_ZONES_PER_QUERY = 10
MAX_HOURS = 720
DEFAULT_HOURS = 24
DEFAULT_PAGE_SIZE = 10_000
# A window that is not longer than this is not split any more.
_MIN_WINDOW = datetime.timedelta(minutes=1)
ZONE_IDS = "zone_ids"
DELIVERY_ADDRESSES = (ZONE_IDS, *ALL_ADDRESSES)
DELIVERY_OPTIONS: dict[str, dict[str, Json]] = {
    ZONE_IDS: {"type": "list", "elements": "str"},
    "since": {"type": "int", "default": DEFAULT_HOURS},
    "costs": {"type": "bool", "default": False},
    "rates": RATES_OPTION,
}
# The fields of a row, by the names that the settings of a plan give them.
_FIELDS = ("sum_uploads", "sum_records", "sum_bytes", "sum_bytesCompressed", "max_timestamp")
_DIMENSIONS = ("jobId", "status", "success", "final", "datetimeHour")
_ALL_FIELDS = frozenset((*_FIELDS, *(f"dimensions_{name}" for name in _DIMENSIONS)))
# The plan or the token has no such data; anything else that goes wrong is a failure.
_NOT_AVAILABLE = (AUTHENTICATION, PERMISSION, NOT_FOUND, REJECTED)

Ask = t.Callable[[str, t.Mapping[str, Json]], t.Mapping[str, Json]]
Row = t.Mapping[str, Json]


class DesiredFacts(t.NamedTuple):
    """Which zones (empty: the address of the task), how many hours back, and the rates if costs are estimated."""

    zone_ids: tuple[str, ...]
    hours: int
    rates: Rates | None


class Window(t.NamedTuple):
    """From when until when deliveries are asked for."""

    since: datetime.datetime
    until: datetime.datetime

    def halves(self) -> tuple[Window, Window]:
        """Return the earlier and the later half."""
        middle = (self.since + (self.until - self.since) / 2).replace(microsecond=0)
        return Window(self.since, middle), Window(middle, self.until)

    def shortened(self, limits: Limits, now: datetime.datetime) -> Window:
        """Return the part of the window that a plan shows."""
        earliest = max(self.until - limits.duration, now - limits.age)
        return Window(max(self.since, earliest), self.until)


class Limits(t.NamedTuple):
    """What a plan allows: fields by name, the longest window, the greatest age, and rows of a page."""

    fields: frozenset[str] = _ALL_FIELDS
    duration: datetime.timedelta = datetime.timedelta(hours=MAX_HOURS)
    age: datetime.timedelta = datetime.timedelta(hours=MAX_HOURS)
    page_size: int = DEFAULT_PAGE_SIZE


class Found(t.NamedTuple):
    """What queries found: rows by zone or account, why others have none, and the window that each was asked for."""

    rows: dict[str, list[Row]]
    missing: dict[str, str]
    windows: dict[str, Window]


def desire(params: t.Mapping[str, Json]) -> DesiredFacts:
    """Return the query of validated options."""
    hours, zone_ids = params["since"], params[ZONE_IDS] or ()
    if not 1 <= hours <= MAX_HOURS:
        raise invalid_option("since", f"{hours} is not a number of hours from 1 to {MAX_HOURS}")
    for index, zone_id in enumerate(zone_ids):
        if not is_zone_id(zone_id):
            raise invalid_option(f"{ZONE_IDS}[{index}]", f"{zone_id!r} is not 1 to 32 hexadecimal digits")
    if params["costs"] and not params.get(ACCOUNT_ID):
        raise invalid_option("costs", "costs arise for an account, so that account_id is needed")
    rates = parse_rates(params["rates"])
    return DesiredFacts(tuple(dict.fromkeys(zone_ids)), hours, rates if params["costs"] else None)


def report(ask: Ask, desired: DesiredFacts, address: Address | None, now: datetime.datetime) -> Conclusion:
    """Return the delivery facts of the zones or of the account; where there are none, the reason."""
    now = now.replace(microsecond=0)
    window = Window(now - datetime.timedelta(hours=desired.hours), now)
    ids = (address.id,) if address else desired.zone_ids
    scope = address.scope if address else ZONE
    found = _Query(ask, scope, now).all(ids, window)
    used = list(found.windows.values())
    since = min((each.since for each in used), default=window.since)
    result: dict[str, Json] = {
        "available": bool(used),
        "reason": None if used else next(iter(found.missing.values()), "no zone was asked for"),
        "window": {"since": format_time(since), "until": format_time(window.until)},
        "unavailable": {} if not used else dict(found.missing),
        "jobs": [job for each in found.rows for job in _jobs(f"{scope}_id", each, found.rows[each])],
        "usage": None,
        "cost": None,
    }
    if desired.rates is not None and address is not None and used:
        result |= _costs(_Query(ask, scope, now), address.id, desired.rates)
    return Conclusion(result, tuple(_warnings(found, window, scope) if used else ()))


def by_owner(result: t.Mapping[str, Json], owners: t.Iterable[str]) -> dict[str, Json]:
    """Return what a result says of each zone or account: its rows, or a result that tells why there are none."""
    if "jobs" not in result:
        result = {"available": False, "reason": result.get("msg") or "they were not read", "jobs": []}
    rows: dict[str, Json] = {each: [] for each in owners}
    for row in result["jobs"]:
        rows[row.get("zone_id") or row["account_id"]].append(row)
    reasons = result["unavailable"] if result["available"] else dict.fromkeys(rows, result["reason"])
    return {**rows, **{each: {"available": False, "reason": reason} for each, reason in reasons.items()}}


def _warnings(found: Found, window: Window, scope: str) -> t.Iterator[str]:
    """Report windows that were shortened, and zones without facts, each reason once."""
    shortened: dict[datetime.datetime, list[str]] = {}
    for each, used in found.windows.items():
        if used.since > window.since:
            shortened.setdefault(used.since, []).append(each)
    for since, ids in shortened.items():
        hours = (window.until - since).total_seconds() / 3600
        yield f"since: the plan of {_named(scope, ids)} shows only the last {hours:g} hours, from {format_time(since)} on."
    reasons: dict[str, list[str]] = {}
    for each, reason in found.missing.items():
        reasons.setdefault(reason, []).append(each)
    for reason, ids in reasons.items():
        yield f"There are no delivery facts of {_named(scope, ids)}: {reason}"


def _named(scope: str, ids: t.Sequence[str]) -> str:
    more = f" and {len(ids) - 3} more" if len(ids) > 3 else ""
    return f"{'the ' if len(ids) == 1 else f'{len(ids)} '}{scope}{'' if len(ids) == 1 else 's'} {', '.join(ids[:3])}{more}"


class _Query:
    """Asks for the rows of zones, up to ten a query, or of one account."""

    def __init__(self, ask: Ask, scope: str, now: datetime.datetime) -> None:
        self._ask = ask
        self._scope = scope
        self.now = now
        self._found = Found({}, {}, {})
        self._limits = Limits()

    def all(self, ids: t.Sequence[str], window: Window) -> Found:
        """Return what there is of all zones or of the account, one query for each ten zones whose plans allow the window."""
        for start in range(0, len(ids), MAX_ZONES_PER_QUERY):
            group = ids[start : start + MAX_ZONES_PER_QUERY]
            try:
                self._take(group, window, self._limits)
            except Failure as failure:
                if failure.kind not in _NOT_AVAILABLE:
                    raise
                self._apart(group, window, str(failure))
        return self._found

    def _apart(self, group: t.Sequence[str], window: Window, reason: str) -> None:
        """Ask for each of a group what its plan allows, since one of them fails the query for all.

        Where nothing was available for any zone so far, the token has no right to it, and that is asked only once.
        """
        if self._found.missing and not self._found.windows:
            self._found.missing.update(dict.fromkeys(group, reason))
            return
        for each in group:
            try:
                limits = self.settings(each, HEALTH)
                self._take([each], window.shortened(limits, self.now), limits)
            except Failure as failure:
                if failure.kind not in _NOT_AVAILABLE:
                    raise
                self._found.missing[each] = str(failure)

    def settings(self, each: str, dataset: str) -> Limits:
        """Return what the plan of a zone or account allows with a dataset."""
        return self._limits_of(each, self._nodes([each], {}, _settings_of(dataset))[each], dataset)

    def _limits_of(self, each: str, node: t.Mapping[str, Json], dataset: str) -> Limits:
        settings = _object(_object(node, "settings"), dataset)
        if settings.get("enabled") is not True:
            raise Failure(PERMISSION, f"The plan of the {self._scope} {each} has no {dataset}.")
        fields = settings.get("availableFields")
        if not isinstance(fields, list):
            raise _bad("`availableFields` must be a list")
        return Limits(
            frozenset(name for name in fields if isinstance(name, str)),
            datetime.timedelta(seconds=_number(settings, "maxDuration")),
            # The clocks of both sides may differ.
            datetime.timedelta(seconds=max(60, _number(settings, "notOlderThan") - 60)),
            max(1, _number(settings, "maxPageSize")),
        )

    def _take(self, group: t.Sequence[str], window: Window, limits: Limits) -> None:
        """Add the rows of a group; a page that is full may have left rows out, so its window is halved."""
        rows = self.rows(group, window, limits)
        self._found.windows.update(dict.fromkeys(group, window))
        for each in group:
            self._found.rows.setdefault(each, []).extend(rows[each])

    def rows(self, group: t.Sequence[str], window: Window, limits: Limits) -> dict[str, list[Row]]:
        """Return the rows of each of a group in a window; settings that are not known yet are part of the same query."""
        fields = _selection(limits.fields)
        variables = {"since": format_time(window.since), "until": format_time(window.until)}
        text = f"{HEALTH}(limit:{limits.page_size},filter:{{datetime_geq:$since,datetime_lt:$until}}){{{fields}}}"
        is_first = limits is self._limits
        nodes = self._nodes(group, variables, f"{_settings_of(HEALTH)} {text}" if is_first else text)
        found = {each: _list(nodes[each], HEALTH) for each in group}
        allowed = {each: self._limits_of(each, nodes[each], HEALTH) if is_first else limits for each in group}
        for each in group:
            # A page may be cut at the size that the plan allows, which is smaller than the one that was asked for.
            page_size = min(limits.page_size, allowed[each].page_size)
            if len(found[each]) >= page_size:
                if window.until - window.since <= _MIN_WINDOW:
                    raise _bad(f"there are {page_size} rows within a minute, so that more may be missing")
                first, second = (self.rows([each], half, allowed[each]) for half in window.halves())
                found[each] = first[each] + second[each]
        return found

    def usage(self, each: str, first: str, last: str, limits: Limits) -> list[Row]:
        """Return the billable bytes of an account by day."""
        text = (
            f"{USAGE}(limit:{limits.page_size},filter:{{date_geq:$since,date_leq:$until}},orderBy:[date_ASC])"
            "{sum{billableBytes} dimensions{date}}"
        )
        return _list(self._nodes([each], {"since": first, "until": last}, text, "Date")[each], USAGE)

    def destinations(self, each: str, window: Window, limits: Limits) -> list[Row]:
        """Return the bytes that an account delivered, by type of destination."""
        text = (
            f"{HEALTH}(limit:{limits.page_size},filter:{{datetime_geq:$since,datetime_lt:$until,success:1}})"
            "{sum{bytes} dimensions{destinationType}}"
        )
        variables = {"since": format_time(window.since), "until": format_time(window.until)}
        return _list(self._nodes([each], variables, text)[each], HEALTH)

    def _nodes(
        self, group: t.Sequence[str], variables: t.Mapping[str, Json], text: str, time: str = "Time"
    ) -> dict[str, t.Mapping[str, Json]]:
        """Return the node of each zone or account of a query."""
        tag = f"{self._scope}Tag"
        declared = "".join(f",${name}:{time}!" for name in variables)
        condition, given = (f"{tag}:$id", "string!") if self._scope == ACCOUNT else (f"{tag}_in:$id", "[string!]")
        query = f"query($id:{given}{declared}){{viewer{{{self._scope}s(filter:{{{condition}}}){{{tag} {text}}}}}}}"
        data = self._ask(query, {"id": group[0] if self._scope == ACCOUNT else list(group), **variables})
        nodes = _list(_object(data, "viewer"), f"{self._scope}s")
        found = {str(node.get(tag)).lower(): node for node in nodes}
        lacking = [each for each in group if each.lower() not in found]
        if lacking:
            # A node that is missing is not an empty one.
            raise Failure(PERMISSION, f"The service's answer lacks the {self._scope} {lacking[0]}, so the token cannot read it.")
        return {each: found[each.lower()] for each in group}


def _settings_of(dataset: str) -> str:
    """Return the selection of what a plan allows with a dataset."""
    return f"settings{{{dataset}{{enabled availableFields maxDuration maxPageSize notOlderThan}}}}"


def _selection(fields: frozenset[str]) -> str:
    """Return the selection of those fields that a plan has."""
    groups: dict[str, list[str]] = {}
    for name in (*_FIELDS, *(f"dimensions_{name}" for name in _DIMENSIONS)):
        if name in fields:
            outer, _line, inner = name.partition("_")
            groups.setdefault(outer, []).append(inner)
    if "dimensions_jobId" not in fields:
        raise Failure(PERMISSION, "The plan does not show deliveries by job.")
    return " ".join(f"{outer}{{{' '.join(inner)}}}" for outer, inner in groups.items())


def _jobs(member: str, owner: str, rows: t.Iterable[Row]) -> list[dict[str, Json]]:
    """Return the facts of each job of a zone or an account, by id."""
    by_job: dict[int, list[Row]] = {}
    for row in rows:
        by_job.setdefault(_number(_object(row, "dimensions"), "jobId"), []).append(row)
    return [{member: owner, "job_id": job_id, **_facts(by_job[job_id])} for job_id in sorted(by_job)]


def _facts(rows: t.Sequence[Row]) -> dict[str, Json]:
    """Add up the rows of one job; what the service does not offer is None."""
    delivered = [row for row in rows if _flag(row, "success") is not False and _flag(row, "final") is not False]
    lost = [row for row in rows if _flag(row, "success") is False and _flag(row, "final") is True]
    repeated = [row for row in rows if _flag(row, "final") is False]
    known = all(_flag(row, name) is not None for row in rows for name in ("success", "final"))
    final = [row for row in rows if _flag(row, "final") is not False]
    hours = [str(time) for row in rows if (time := _object(row, "dimensions").get("datetimeHour")) is not None]
    times = [str(time) for row in rows if (time := (row.get("max") or {}).get("timestamp")) is not None]
    return {
        "uploads": _total(delivered, "uploads", rows),
        "records": _total(delivered, "records", rows),
        "failed_uploads": _total(lost, "uploads", rows) if known else None,
        "dropped_records": _total(lost, "records", rows) if known else None,
        "retries": _total(repeated, "uploads", rows) if known else None,
        "bytes": _total(delivered, "bytes", rows),
        "bytes_compressed": _total(delivered, "bytesCompressed", rows),
        "statuses": _statuses(final),
        "first": min(hours, default=None),
        "last": max(times or hours, default=None),
    }


def _total(rows: t.Iterable[Row], name: str, whole: t.Iterable[Row]) -> int | None:
    """Return the sum of a member, None where the service does not offer it."""
    if any((row.get("sum") or {}).get(name) is None for row in whole):
        return None
    return sum(_number(row["sum"], name) for row in rows)


def _statuses(rows: t.Iterable[Row]) -> dict[str, int] | None:
    """Return the number of uploads by the status of their last try."""
    found: dict[str, int] = {}
    for row in rows:
        status, uploads = _object(row, "dimensions").get("status"), (row.get("sum") or {}).get("uploads")
        if status is None or uploads is None:
            return None
        found[str(status)] = found.get(str(status), 0) + _number(row["sum"], "uploads")
    return dict(sorted(found.items()))


def _costs(query: _Query, account: str, rates: Rates) -> dict[str, Json]:
    """Return usage by day and the cost of the month so far; usage is None where the service does not offer it."""
    now = query.now
    month = Window(now.replace(day=1, hour=0, minute=0, second=0), now)
    usage = _usage(query, account, month)
    limits = query.settings(account, HEALTH)
    window = month.shortened(limits, now)
    by_type: dict[str, int] = {}
    for row in query.destinations(account, window, limits):
        kind = str(_object(row, "dimensions").get("destinationType")).lower()
        by_type[kind] = by_type.get(kind, 0) + _number(_object(row, "sum"), "bytes")
    billed = None if usage is None else sum(day["billable_bytes"] for day in usage)
    return {"usage": usage, "cost": estimate(now, billed, by_type, rates, format_time(window.since))}


def _usage(query: _Query, account: str, month: Window) -> list[dict[str, Json]] | None:
    first, last = (time.date().isoformat() for time in month)
    try:
        rows = query.usage(account, first, last, query.settings(account, USAGE))
    except Failure as failure:
        if failure.kind not in _NOT_AVAILABLE:
            raise
        return None
    return [
        {"date": str(_object(row, "dimensions").get("date")), "billable_bytes": _number(_object(row, "sum"), "billableBytes")}
        for row in rows
    ]


def _flag(row: Row, name: str) -> bool | None:
    value = _object(row, "dimensions").get(name)
    return None if value is None else bool(int(value)) if str(value) in ("0", "1") else None


def _object(value: Json, name: str) -> t.Mapping[str, Json]:
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, dict):
        raise _bad(f"`{name}` must be an object")
    return found


def _list(value: Json, name: str) -> list[Row]:
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise _bad(f"`{name}` must be a list of objects")
    return found


def _number(value: t.Mapping[str, Json], name: str) -> int:
    """Return a whole number, which may be sent as text."""
    found = value.get(name)
    if isinstance(found, str) and found.isascii() and found.isdigit() and len(found) < 20:
        return int(found)
    if isinstance(found, bool) or not isinstance(found, int) or found < 0:
        raise _bad(f"`{name}` must be a whole number")
    return found


def _bad(what: str) -> Failure:
    return Failure(BAD_RESPONSE, f"The service's answer to the query for delivery facts cannot be used: {what}.")
