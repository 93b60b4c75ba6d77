# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import datetime
import functools
import typing as t

from .._address import ACCOUNT, MAX_ZONES_PER_QUERY
from .._core import NOT_AVAILABLE, PERMISSION, Failure, Json, bad_answer
from .._text import format_time, is_integer, span_of
from .costs import Deliveries, whole_days

# The queries to the GraphQL API of Cloudflare for the rows of deliveries, within what a plan allows.

_bad = functools.partial(bad_answer, answer="The service's answer to the query for delivery facts")

HEALTH, USAGE = "logpushHealthAdaptiveGroups", "logpushUsageAdaptiveGroups"
MAX_HOURS = 720
# Windows of this length or shorter are not split.
_MIN_WINDOW = datetime.timedelta(minutes=1)
# How much the clocks of both sides may differ.
_CLOCKS = datetime.timedelta(minutes=1)
# How a reason begins that is no missing permission.
_PLAN = "The plan"
# The fields of a row by their group; the settings of a plan name them as in `sum_uploads`.
_SUMS = ("uploads", "records", "bytes", "bytesCompressed")
FIELDS = {"sum": _SUMS, "max": ("timestamp",), "dimensions": ("jobId", "status", "success", "final", "datetimeHour")}
_DESTINATION, _DATE = "destinationType", "date"
_USAGE_FIELDS = frozenset(("sum_billableBytes", "dimensions_date"))
_ALL_FIELDS = frozenset(f"{group}_{name}" for group, names in FIELDS.items() for name in names)

Ask = t.Callable[[str, t.Mapping[str, Json]], t.Mapping[str, Json]]
Row = t.Mapping[str, Json]


def is_of_plan(reason: str) -> bool:
    """Return whether the plan is the reason why there are no delivery facts, which no permission changes."""
    return reason.startswith(_PLAN)


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


class Query:
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
                limits = self.settings(owner, HEALTH)
                shorter = window.shortened(limits)
                self.rows.update(self._rows([owner], shorter, limits))
                self.windows[owner] = shorter
            except Failure as failure:
                if failure.kind not in NOT_AVAILABLE:
                    raise
                self.missing[owner] = str(failure)

    def settings(self, owner: str, dataset: str) -> Limits:
        """Return what the plan of a zone or account allows with a dataset."""
        return self._limits_of(owner, self._nodes([owner], {}, _settings_of(dataset))[owner], dataset)

    def _limits_of(self, owner: str, node: t.Mapping[str, Json], dataset: str) -> Limits:
        settings = object_of(object_of(node, "settings"), dataset)
        if settings.get("enabled") is not True:
            raise Failure(PERMISSION, f"{_PLAN} of the {self._scope} {owner} has no {dataset}, which shows deliveries.")
        fields = settings.get("availableFields")
        if not isinstance(fields, list):
            raise _bad("`availableFields` must be a list")
        age = max(_CLOCKS, span_of(number_of(settings, "notOlderThan")) - _CLOCKS)
        return Limits(
            frozenset(name for name in fields if isinstance(name, str)),
            min(age, span_of(number_of(settings, "maxDuration"))),
            max(1, number_of(settings, "maxPageSize")),
        )

    def _rows(self, group: t.Sequence[str], window: Window, limits: Limits | None = None) -> dict[str, list[Row]]:
        """Return the rows of each of a group in a window; settings that are not known yet are part of the same query."""
        asked = limits or Limits()
        if "dimensions_jobId" not in asked.fields:
            raise Failure(PERMISSION, f"{_PLAN} does not show deliveries by job.")
        selections = {outer: [name for name in names if f"{outer}_{name}" in asked.fields] for outer, names in FIELDS.items()}
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

    def usage(self, account: str, month: Window) -> dict[str, int] | None:
        """Return the billable bytes of each day of a month that the service shows, None if it does not offer them."""
        usage: dict[str, int] = {}
        try:
            limits = self.settings(account, USAGE)
            if not _USAGE_FIELDS.issubset(limits.fields):
                return None
            part = month.shortened(limits)
            days = whole_days(part.since, part.until)
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
                    size, date = number_of(object_of(row, "sum"), "billableBytes"), object_of(row, "dimensions").get("date")
                    if not isinstance(date, str) or date not in page or date in usage:
                        raise _bad(f"`date` of a row must be a day that was asked for, once, and is {str(date)[:40]!r}")
                    usage[date] = size
        except Failure as failure:
            if failure.kind not in NOT_AVAILABLE:
                raise
            return None
        return usage

    def delivered(self, account: str, window: Window, limits: Limits, left_out: t.Collection[int]) -> Deliveries:
        """Return what was delivered of an account, without some jobs."""
        names = [name for name in ("jobId", _DESTINATION, _DATE) if f"dimensions_{name}" in limits.fields]
        types: collections.Counter[str | None] = collections.Counter()
        days: collections.Counter[str] = collections.Counter()
        jobs: set[int] = set()
        for row in self._delivery_rows(account, window, limits, names):
            dimensions, size = object_of(row, "dimensions"), number_of(object_of(row, "sum"), "bytes")
            job, kind = number_of(dimensions, "jobId"), dimensions.get(_DESTINATION)
            if job not in left_out:
                jobs.add(job)
                types[kind.lower() if isinstance(kind, str) and kind else None] += size
                days[str(dimensions.get(_DATE))] += size
        whole = whole_days(window.since, window.until)
        is_shown = _DATE in names and {*whole, window.since.date().isoformat()}.issuperset(days)
        return Deliveries(types, frozenset(jobs), {day: days[day] for day in whole} if is_shown else {})

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
        nodes: dict[str, Row] = {}
        for node in _list(object_of(data, "viewer"), f"{self._scope}s"):
            owner = str(node.get(tag)).lower()
            if nodes.setdefault(owner, node) is not node:
                raise _bad(f"it has two nodes of the {self._scope} {owner[:40]}")
        lacking = [owner for owner in group if owner.lower() not in nodes]
        if lacking:
            # A missing node does not mean that there are no deliveries.
            raise Failure(PERMISSION, f"The service's answer lacks the {self._scope} {lacking[0]}, so the token cannot read it.")
        return {owner: nodes[owner.lower()] for owner in group}


def _settings_of(dataset: str) -> str:
    """Return the selection of what a plan allows with a dataset."""
    return f"settings{{{dataset}{{enabled availableFields maxDuration maxPageSize notOlderThan}}}}"


def object_of(value: Json, name: str) -> t.Mapping[str, Json]:
    member = value.get(name) if isinstance(value, dict) else None
    if not isinstance(member, dict):
        raise _bad(f"`{name}` must be an object")
    return member


def _list(value: Json, name: str) -> list[Row]:
    items = value.get(name) if isinstance(value, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise _bad(f"`{name}` must be a list of objects")
    return items


def number_of(value: t.Mapping[str, Json], name: str) -> int:
    """Return a whole number, which may be sent as text."""
    number = value.get(name)
    if isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 20:
        return int(number)
    if not is_integer(number) or number < 0:
        raise _bad(f"`{name}` must be a whole number")
    return number
