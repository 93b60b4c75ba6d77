# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import datetime
import functools
import typing as t

from .._address import ACCOUNT, ACCOUNT_ID, ALL_ADDRESSES, MAX_ZONES_PER_QUERY, ZONE, Address, need_id
from .._core import NOT_AVAILABLE, PERMISSION, Conclusion, Failure, Json, bad_answer, invalid_option
from .._observed import Meaning
from .._text import dict_of, format_time, is_integer, list_of
from .costs import NO_DELIVERIES, RATES_OPTION, Deliveries, Excluded, Rates, desire_rates, estimate, whole_days

# Deliveries as Cloudflare measured them: the queries to its GraphQL API, and the sums of their rows.

_bad = functools.partial(bad_answer, answer="The service's answer to the query for delivery facts")

HEALTH, USAGE = "logpushHealthAdaptiveGroups", "logpushUsageAdaptiveGroups"
MAX_HOURS = 720
DEFAULT_HOURS = 24
# Windows of this length or shorter are not split.
_MIN_WINDOW = datetime.timedelta(minutes=1)
# How much the clocks of both sides may differ.
_CLOCKS = datetime.timedelta(minutes=1)
# How a reason begins that is no missing permission.
_PLAN = "The plan"
# The fields of a row by their group; the settings of a plan name them as in `sum_uploads`.
_SUMS = ("uploads", "records", "bytes", "bytesCompressed")
_FIELDS = {"sum": _SUMS, "max": ("timestamp",), "dimensions": ("jobId", "status", "success", "final", "datetimeHour")}
_DESTINATION, _DATE = "destinationType", "date"
_USAGE_FIELDS = frozenset(("sum_billableBytes", "dimensions_date"))
# What a plan may not offer: such a member is not asked for, and then it is not known. A row without its job cannot be used.
_NOT_OFFERED = Meaning(None, "settings.availableFields of the plan (Cloudflare documentation, GraphQL Analytics API, settings)")
MAY_BE_ABSENT: t.Mapping[str, Meaning] = {
    f"{HEALTH}[].{group}.{name}": _NOT_OFFERED for group, names in _FIELDS.items() for name in names if name != "jobId"
}
_ALL_FIELDS = frozenset(f"{group}_{name}" for group, names in _FIELDS.items() for name in names)

ZONE_IDS = "zone_ids"
DELIVERY_ADDRESSES = (ZONE_IDS, *ALL_ADDRESSES)
DELIVERY_OPTIONS: dict[str, dict[str, Json]] = {
    ZONE_IDS: {"type": "list", "elements": "str"},
    "since": {"type": "int", "default": DEFAULT_HOURS},
    "costs": {"type": "bool", "default": False},
    "rates": RATES_OPTION,
}

Ask = t.Callable[[str, t.Mapping[str, Json]], t.Mapping[str, Json]]
Row = t.Mapping[str, Json]


def is_of_plan(reason: str) -> bool:
    """Return whether the plan is the reason why there are no delivery facts, which no permission changes."""
    return reason.startswith(_PLAN)


class DesiredFacts(t.NamedTuple):
    """Which zones (empty: the address of the task), how many hours back, and the rates if costs are estimated."""

    zone_ids: tuple[str, ...]
    hours: int
    rates: Rates | None


class Limits(t.NamedTuple):
    """What a plan allows: fields by name, how far back, and rows of a page."""

    fields: frozenset[str] = _ALL_FIELDS
    span: datetime.timedelta = datetime.timedelta(hours=MAX_HOURS)
    page_size: int = 10_000


class Window(t.NamedTuple):
    """The time span of the requested deliveries."""

    since: datetime.datetime
    until: datetime.datetime

    @property
    def hours(self) -> float:
        """Return the length as people say it: what is left out because clocks may differ counts."""
        return round((self.until - self.since + _CLOCKS).total_seconds() / 3600, 1)

    @property
    def variables(self) -> dict[str, Json]:
        return {"since": format_time(self.since), "until": format_time(self.until)}

    def shortened(self, limits: Limits) -> Window:
        """Return the part that a plan shows of a window that ends now; the whole if only a difference of clocks is missing."""
        part = Window(max(self.since, self.until - limits.span), self.until)
        return part if part.is_shorter(self) else self

    def is_shorter(self, asked: Window) -> bool:
        """Return whether this part lacks more of a window than clocks may differ."""
        return self.since - asked.since > _CLOCKS

    def halves(self, page_size: int) -> tuple[Window, Window]:
        """Return the halves of a window whose rows fill a page; raise `Failure` if it is too short."""
        length = self.until - self.since
        if length <= _MIN_WINDOW:
            raise _bad(f"there are {page_size} rows within a minute, so that more may be missing")
        middle = (self.since + length / 2).replace(microsecond=0)
        return Window(self.since, middle), Window(middle, self.until)


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
    query = _Query(ask, scope)
    query.read((address.id,) if address else desired.zone_ids, window)
    jobs = query.jobs()
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
        result |= query.costs(address.id, now, desired.rates, excluded)
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


def _warnings(query: _Query, window: Window, scope: str) -> t.Iterator[str]:
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


class _Query:
    """Queries for the rows of zones, up to ten in a query, or of one account.

    `rows` and `windows` contain the rows of each and the window that was requested; `missing`, why others have no rows.
    """

    def __init__(self, ask: Ask, scope: str) -> None:
        self._ask = ask
        self._scope = scope
        self.rows: dict[str, list[Row]] = {}
        self.windows: dict[str, Window] = {}
        self.missing: dict[str, str] = {}
        self._limits: dict[str, Limits] = {}

    def jobs(self) -> list[dict[str, Json]]:
        """Return the facts of each job. A row that cannot be used leaves its zone without facts, and ends the task if no other has any."""
        jobs: dict[str, list[dict[str, Json]]] = {}
        refused: Failure | None = None
        for owner, rows in self.rows.items():
            try:
                jobs[owner] = _jobs({f"{self._scope}_id": owner}, rows)
            except Failure as failure:
                refused = failure
                self.missing[owner] = str(failure)
                del self.windows[owner]
        if refused is not None and not jobs:
            raise refused
        return [job for of_owner in jobs.values() for job in of_owner]

    def read(self, ids: t.Sequence[str], window: Window) -> None:
        """Read the rows of all zones or of the account, with one query for each ten zones whose plans allow the window."""
        for start in range(0, len(ids), MAX_ZONES_PER_QUERY):
            group = ids[start : start + MAX_ZONES_PER_QUERY]
            try:
                self.rows.update(self._rows(group, window))
                # A service that does not refuse a window that is too long for a plan leaves out what the plan does not show.
                self.windows.update({owner: window.shortened(self._limits[owner]) for owner in group})
            except Failure as failure:
                if failure.kind not in NOT_AVAILABLE:
                    raise
                if not self.windows and set(self.missing.values()) == {str(failure)}:
                    # Each zone so far was refused with the same words, so that it is the token, and asking for each zone is useless.
                    self.missing.update(dict.fromkeys(group, str(failure)))
                else:
                    self._read_apart(group, window)

    def _read_apart(self, group: t.Sequence[str], window: Window) -> None:
        """Query each of a group by itself and within the limits of its plan, because one of them fails the query for all."""
        for owner in group:
            try:
                limits = self._settings(owner, HEALTH)
                shorter = window.shortened(limits)
                self.rows.update(self._rows([owner], shorter, limits))
                self.windows[owner] = shorter
            except Failure as failure:
                if failure.kind not in NOT_AVAILABLE:
                    raise
                self.missing[owner] = str(failure)

    def _settings(self, owner: str, dataset: str) -> Limits:
        """Return what the plan of a zone or account allows with a dataset."""
        return self._limits_of(owner, self._nodes([owner], {}, _settings_of(dataset))[owner], dataset)

    def _limits_of(self, owner: str, node: t.Mapping[str, Json], dataset: str) -> Limits:
        settings = _object(_object(node, "settings"), dataset)
        if settings.get("enabled") is not True:
            raise Failure(PERMISSION, f"{_PLAN} of the {self._scope} {owner} has no {dataset}, which shows deliveries.")
        fields = settings.get("availableFields")
        if not isinstance(fields, list):
            raise _bad("`availableFields` must be a list")
        age = max(_CLOCKS, datetime.timedelta(seconds=_number(settings, "notOlderThan")) - _CLOCKS)
        return Limits(
            frozenset(name for name in fields if isinstance(name, str)),
            min(age, datetime.timedelta(seconds=_number(settings, "maxDuration"))),
            max(1, _number(settings, "maxPageSize")),
        )

    def _rows(self, group: t.Sequence[str], window: Window, limits: Limits | None = None) -> dict[str, list[Row]]:
        """Return the rows of each of a group in a window; settings that are not known yet are part of the same query."""
        asked = limits or Limits()
        if "dimensions_jobId" not in asked.fields:
            raise Failure(PERMISSION, f"{_PLAN} does not show deliveries by job.")
        selections = {outer: [name for name in names if f"{outer}_{name}" in asked.fields] for outer, names in _FIELDS.items()}
        fields = " ".join(f"{outer}{{{' '.join(names)}}}" for outer, names in selections.items() if names)
        text = f"{HEALTH}(limit:{asked.page_size},filter:{{datetime_geq:$since,datetime_lt:$until}}){{{fields}}}"
        nodes = self._nodes(group, window.variables, text if limits else f"{_settings_of(HEALTH)} {text}")
        rows_of = {owner: _list(nodes[owner], HEALTH) for owner in group}
        for owner, rows in rows_of.items():
            allowed = self._limits[owner] = limits or self._limits_of(owner, nodes[owner], HEALTH)
            # A page may be cut at the size that the plan allows, which is smaller than the requested one.
            page_size = min(asked.page_size, allowed.page_size)
            # A full page may have left rows out.
            if len(rows) >= page_size:
                halves = window.halves(page_size)
                rows_of[owner] = [row for half in halves for row in self._rows([owner], half, allowed)[owner]]
        return rows_of

    def costs(self, account: str, now: datetime.datetime, rates: Rates, excluded: Excluded) -> dict[str, Json]:
        """Return what an account is billed for in the month so far by day, and the cost; None for what the service does not offer."""
        month = Window(now.replace(day=1, hour=0, minute=0, second=0), now)
        usage = self._usage(account, month)
        limits = self._settings(account, HEALTH)
        window = month.shortened(limits)
        left_out = {job for jobs in (excluded or {}).values() for job in jobs}
        delivered = self._delivered(account, window, limits, left_out) if "sum_bytes" in limits.fields else None
        if usage is None and delivered is None:
            return {"usage": None, "cost": None}
        days = None if usage is None else [{"date": date, "billable_bytes": size} for date, size in usage.items()]
        return {"usage": days, "cost": estimate(now, usage, delivered or NO_DELIVERIES, window.since, rates, excluded)}

    def _usage(self, account: str, month: Window) -> dict[str, int] | None:
        """Return the billable bytes of each day of a month that the service shows, None if it does not offer them."""
        usage: dict[str, int] = {}
        try:
            limits = self._settings(account, USAGE)
            if not _USAGE_FIELDS.issubset(limits.fields):
                return None
            shown = month.shortened(limits)
            days = whole_days(shown.since, shown.until)
            # A day is a row.
            at_once = min(31, limits.page_size)
            text = (
                f"{USAGE}(limit:{at_once},filter:{{date_geq:$since,date_leq:$until}},"
                "orderBy:[date_ASC]){sum{billableBytes} dimensions{date}}"
            )
            for start in range(0, len(days), at_once):
                page = days[start : start + at_once]
                asked = {"since": page[0], "until": page[-1]}
                for row in _list(self._nodes([account], asked, text, "Date")[account], USAGE):
                    size, date = _number(_object(row, "sum"), "billableBytes"), _object(row, "dimensions").get("date")
                    if not isinstance(date, str) or date not in page or date in usage:
                        raise _bad(f"`date` of a row must be a day that was asked for, once, and is {str(date)[:40]!r}")
                    usage[date] = size
        except Failure as failure:
            if failure.kind not in NOT_AVAILABLE:
                raise
            return None
        return usage

    def _delivered(self, account: str, window: Window, limits: Limits, left_out: t.Collection[int]) -> Deliveries:
        """Return what was delivered of an account, without some jobs."""
        names = [name for name in ("jobId", _DESTINATION, _DATE) if f"dimensions_{name}" in limits.fields]
        types: collections.Counter[str | None] = collections.Counter()
        days: collections.Counter[str] = collections.Counter()
        jobs: set[int] = set()
        for row in self._delivery_rows(account, window, limits, names):
            dimensions, size = _object(row, "dimensions"), _number(_object(row, "sum"), "bytes")
            job, kind = _number(dimensions, "jobId"), dimensions.get(_DESTINATION)
            if job not in left_out:
                jobs.add(job)
                types[kind.lower() if isinstance(kind, str) and kind else None] += size
                days[str(dimensions.get(_DATE))] += size
        shown = whole_days(window.since, window.until)
        is_shown = _DATE in names and {*shown, window.since.date().isoformat()}.issuperset(days)
        return Deliveries(types, frozenset(jobs), {day: days[day] for day in shown} if is_shown else {})

    def _delivery_rows(self, account: str, window: Window, limits: Limits, names: t.Sequence[str]) -> list[Row]:
        text = (
            f"{HEALTH}(limit:{limits.page_size},filter:{{datetime_geq:$since,datetime_lt:$until,success:1}})"
            f"{{sum{{bytes}} dimensions{{{' '.join(names)}}}}}"
        )
        rows = _list(self._nodes([account], window.variables, text)[account], HEALTH)
        if len(rows) < limits.page_size:
            return rows
        halves = window.halves(limits.page_size)
        return [row for half in halves for row in self._delivery_rows(account, half, limits, names)]

    def _nodes(
        self, group: t.Sequence[str], variables: t.Mapping[str, Json], text: str, time: str = "Time"
    ) -> dict[str, t.Mapping[str, Json]]:
        """Return the node of each zone or account of a query."""
        tag = f"{self._scope}Tag"
        declared = "".join(f",${name}:{time}!" for name in variables)
        condition, id_type = (f"{tag}:$id", "string!") if self._scope == ACCOUNT else (f"{tag}_in:$id", "[string!]")
        query = f"query($id:{id_type}{declared}){{viewer{{{self._scope}s(filter:{{{condition}}}){{{tag} {text}}}}}}}"
        data = self._ask(query, {"id": group[0] if self._scope == ACCOUNT else list(group), **variables})
        nodes = {str(node.get(tag)).lower(): node for node in _list(_object(data, "viewer"), f"{self._scope}s")}
        lacking = [owner for owner in group if owner.lower() not in nodes]
        if lacking:
            # A missing node does not mean that there are no deliveries.
            raise Failure(PERMISSION, f"The service's answer lacks the {self._scope} {lacking[0]}, so the token cannot read it.")
        return {owner: nodes[owner.lower()] for owner in group}


def _settings_of(dataset: str) -> str:
    """Return the selection of what a plan allows with a dataset."""
    return f"settings{{{dataset}{{enabled availableFields maxDuration maxPageSize notOlderThan}}}}"


_FLAGS = {"0": False, "1": True}


def _jobs(owner: t.Mapping[str, Json], rows: t.Iterable[Row]) -> list[dict[str, Json]]:
    """Return the facts of each job of a zone or an account, by id."""
    by_job: dict[int, list[t.Mapping[str, t.Any]]] = {}
    for row in rows:
        groups = {name: _object(row, name) if row.get(name) is not None else {} for name in _FIELDS}
        number = _number(_object(row, "dimensions"), "jobId")
        shown = {path.rpartition(".")[2]: _shown(groups, path, meaning) for path, meaning in MAY_BE_ABSENT.items()}
        by_job.setdefault(number, []).append({**shown, **{name: _FLAGS.get(str(shown[name])) for name in ("success", "final")}})
    return [{**owner, "job_id": job_id, **_facts(by_job[job_id])} for job_id in sorted(by_job)]


def _shown(groups: t.Mapping[str, t.Mapping[str, Json]], path: str, meaning: Meaning) -> Json:
    """Return a member of a row, or what it means that it is absent."""
    group, name = path.split(".")[1:]
    if groups[group].get(name) is None:
        return meaning.value
    return _number(groups[group], name) if group == "sum" else groups[group][name]


def _facts(uploads: t.Sequence[t.Mapping[str, t.Any]]) -> dict[str, Json]:
    """Add up the rows of one job, each for uploads with one outcome; what the service does not offer is None."""

    def total(rows: t.Iterable[t.Mapping[str, t.Any]], name: str) -> int | None:
        return None if any(row[name] is None for row in uploads) else sum(row[name] for row in rows)

    final = [row for row in uploads if row["final"] is not False]
    delivered = [row for row in final if row["success"] is not False]
    lost = [row for row in uploads if row["success"] is False and row["final"]]
    known = all(None not in (row["success"], row["final"]) for row in uploads)
    hours, times = ([str(row[name]) for row in uploads if row[name]] for name in ("datetimeHour", "timestamp"))
    return {
        "uploads": total(delivered, "uploads"),
        "records": total(delivered, "records"),
        "failed_uploads": total(lost, "uploads") if known else None,
        "dropped_records": total(lost, "records") if known else None,
        "retries": total([row for row in uploads if row["final"] is False], "uploads") if known else None,
        "bytes": total(delivered, "bytes"),
        "bytes_compressed": total(delivered, "bytesCompressed"),
        "statuses": _statuses(final),
        "first": min(hours, default=None),
        "last": max(times or hours, default=None),
    }


def _statuses(rows: t.Sequence[t.Mapping[str, t.Any]]) -> dict[str, int] | None:
    """Return the number of uploads by status; None if the service does not show each of both."""
    statuses: collections.Counter[str] = collections.Counter()
    for row in rows:
        if row["status"] is None or row["uploads"] is None:
            return None
        statuses[str(row["status"])] += row["uploads"]
    return dict(sorted(statuses.items()))


def _object(value: Json, name: str) -> t.Mapping[str, Json]:
    member = value.get(name) if isinstance(value, dict) else None
    if not isinstance(member, dict):
        raise _bad(f"`{name}` must be an object")
    return member


def _list(value: Json, name: str) -> list[Row]:
    items = value.get(name) if isinstance(value, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise _bad(f"`{name}` must be a list of objects")
    return items


def _number(value: t.Mapping[str, Json], name: str) -> int:
    """Return a whole number, which may be sent as text."""
    number = value.get(name)
    if isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 20:
        return int(number)
    if not is_integer(number) or number < 0:
        raise _bad(f"`{name}` must be a whole number")
    return number
