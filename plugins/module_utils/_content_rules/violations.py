# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import functools
import typing as t

from .._core import BAD_RESPONSE, PERMISSION, Failure, Json, bad_answer
from .._observed import Cause, Known, Observed, Unknown, unknown
from .._policy.facts import REPORTABLE
from .._policy.matching import Resource, source_of
from .._text import duration, format_time, is_integer, json_type, plain_id, span_of
from .facts import absent_as

# What browsers reported of content security rules, as Cloudflare's GraphQL API has it.

_bad = functools.partial(bad_answer, answer="The service's answer to the query for violations")

DATASET = "pageShieldReportsAdaptiveGroups"
PAGE_SIZE = 10_000
# Reports of a policy that was changed end so long after the last one.
RECENT = datetime.timedelta(days=1)
# How much the clocks of both sides may differ.
_CLOCKS = datetime.timedelta(minutes=1)
_DIMENSIONS = ("policyID", "cspDirective", "url", "host", "pageURL")
_RECENT, _SETTINGS = "recent", f"settings{{{DATASET}{{enabled maxDuration maxPageSize notOlderThan}}}}"


class Window(t.NamedTuple):
    """A time span that ends at a time, of so many days that were asked for, as far as the plan shows it (`length`)."""

    end: datetime.datetime
    days: int
    length: datetime.timedelta

    @classmethod
    def of(cls, now: datetime.datetime, days: int) -> Window:
        """Return the window of whole days that ends now."""
        return cls(now.replace(microsecond=0), days, datetime.timedelta(days=days))

    def within(self, limits: Limits) -> Window:
        """Return the part that a plan shows; the whole if only a difference of clocks is missing."""
        part = self._replace(length=min(self.length, limits.span))
        return part if part.shortened else self

    @property
    def since(self) -> str:
        return format_time(self.end - self.length)

    @property
    def until(self) -> str:
        return format_time(self.end)

    @property
    def recent(self) -> str:
        """Return when the last day of the window begins."""
        return format_time(self.end - min(self.length, RECENT))

    @property
    def text(self) -> str:
        """Return how long the window is, for people."""
        return duration(self.length.total_seconds())

    @property
    def shortened(self) -> dict[str, Json] | None:
        """Return how many of the requested hours the plan shows; None if it shows all."""
        if datetime.timedelta(days=self.days) - self.length <= _CLOCKS:
            return None
        return {"hours": round((self.length + _CLOCKS).total_seconds() / 3600, 1), "requested": self.days * 24}


class Limits(t.NamedTuple):
    """What a plan allows: how far back, and how many rows of a page."""

    span: datetime.timedelta
    page_size: int


class Seen(t.NamedTuple):
    """What was seen for certain, and the reasons why there may be more."""

    resources: tuple[Resource, ...] = ()
    gaps: tuple[Unknown, ...] = ()


class Reports(t.NamedTuple):
    """What browsers reported in a window: by rule, and of rules that cannot be told; `recent` are those of the last day."""

    window: Window
    by_rule: t.Mapping[str, Seen]
    gaps: tuple[Unknown, ...]
    recent: frozenset[tuple[str, str]] = frozenset()

    def of(self, rule_id: str | None) -> Seen:
        """Return what was reported of a rule; a row that cannot be told may be about each rule."""
        seen = self.by_rule.get(plain_id(str(rule_id)), Seen())
        return seen._replace(gaps=(*seen.gaps, *self.gaps))

    def only_of(self, rule_id: str | None) -> Seen:
        """Return what was reported of the only rule that was asked for, so that no row may be about another one."""
        key = plain_id(str(rule_id))
        seen = self.of(rule_id)
        others = {name: other for name, other in self.by_rule.items() if name != key}
        resources = tuple(resource for other in others.values() for resource in other.resources)
        strange = [_gap("a row is about another rule than the one that was asked for")] if any(others) else []
        gaps = (*strange, *(gap for other in others.values() for gap in other.gaps))
        return Seen((*seen.resources, *resources), (*seen.gaps, *gaps))


def query(
    zone_ids: t.Sequence[str], window: Window, rule_id: str | None = None, page_size: int = PAGE_SIZE, *, settings: bool = True
) -> tuple[str, dict[str, Json]]:
    """Return the query for the reports of up to ten zones, or of one of their rules, and its variables.

    Of one rule, the reports of the last day are a second group. With `settings`, the limits of the plan are part of the answer.
    """
    variables: dict[str, Json] = {"id": list(zone_ids), "since": window.since, "until": window.until}
    declared, condition, last_day = "", "", ""
    fields = f"{{count dimensions{{{' '.join(_DIMENSIONS)}}}}}"
    if rule_id:
        variables |= {"rule": rule_id, "recent": window.recent}
        declared, condition = ",$rule:string!,$recent:Time!", ",policyID:$rule"
        last_day = (
            f" {_RECENT}:{DATASET}(limit:{page_size},filter:{{datetime_geq:$recent,datetime_lt:$until{condition}}}){fields}"
        )
    rows = f"{DATASET}(limit:{page_size},filter:{{datetime_geq:$since,datetime_lt:$until{condition}}}){fields}"
    parts = f"zoneTag {f'{_SETTINGS} ' if settings else ''}{rows}{last_day}"
    return (
        f"query($id:[string!],$since:Time!,$until:Time!{declared}){{viewer{{zones(filter:{{zoneTag_in:$id}}){{{parts}}}}}}}",
        variables,
    )


def settings_query(zone_id: str) -> tuple[str, dict[str, Json]]:
    """Return the query for what the plan of a zone allows."""
    return f"query($id:[string!]){{viewer{{zones(filter:{{zoneTag_in:$id}}){{zoneTag {_SETTINGS}}}}}}}", {"id": [zone_id]}


def parse(
    data: Json, zone_ids: t.Sequence[str], window: Window, page_size: int = PAGE_SIZE, *, recent: bool, settings: bool = False
) -> dict[str, Observed[Reports]]:
    """Return what was reported in each zone of the answer to a query; a missing zone does not mean that it has no reports.

    `recent`: the reports of the last day are part of the answer. `settings`: so are the limits of the plan.
    A page may be cut at the size that it allows, which can be smaller.
    """
    nodes = _nodes(data)
    observed: dict[str, Observed[Reports]] = {}
    for zone_id in zone_ids:
        try:
            node = _node(nodes, zone_id)
            limits = _limits(node, zone_id) if settings else Limits(window.length, page_size)
            # A service that does not refuse a window that is too long for a plan leaves out what the plan does not show.
            part = window.within(limits)
            observed[zone_id] = Known(_reports(node, part, min(page_size, limits.page_size), recent))
        except Failure as failure:
            observed[zone_id] = unknown(failure)
    return observed


def parse_limits(data: Json, zone_id: str) -> Limits:
    """Return what the plan of a zone allows; raise `Failure` if it has no violations."""
    return _limits(_node(_nodes(data), zone_id), zone_id)


def _nodes(data: Json) -> dict[str, t.Mapping[str, Json]]:
    zones = _member(_member(data, "viewer"), "zones")
    if not isinstance(zones, list):
        raise _bad(f"'zones' must be a list, not {json_type(zones)}")
    nodes: dict[str, t.Mapping[str, Json]] = {}
    for node in zones:
        tag = str(_member(node, "zoneTag")).lower()
        if tag in nodes:
            raise _bad(f"the zone {tag} is there twice")
        nodes[tag] = node
    return nodes


def _node(nodes: t.Mapping[str, t.Mapping[str, Json]], zone_id: str) -> t.Mapping[str, Json]:
    if zone_id.lower() not in nodes:
        raise Failure(PERMISSION, f"The service's answer lacks the zone {zone_id}, so the token cannot read its violations.")
    return nodes[zone_id.lower()]


def _limits(node: t.Mapping[str, Json], zone_id: str) -> Limits:
    settings = _member(_member(node, "settings"), DATASET)
    if _member(settings, "enabled") is not True:
        raise Failure(PERMISSION, f"The plan of the zone {zone_id} does not show violations.")
    age = max(_CLOCKS, span_of(_number(settings, "notOlderThan")) - _CLOCKS)
    span = min(age, span_of(_number(settings, "maxDuration")))
    return Limits(span, max(1, _number(settings, "maxPageSize")))


def _reports(node: t.Mapping[str, Json], window: Window, page_size: int, recent: bool) -> Reports:
    gaps: list[Unknown] = []
    groups = {}
    for name in (DATASET, *([_RECENT] if recent else [])):
        rows = node.get(name)
        if not isinstance(rows, list):
            raise _bad(f"{name!r} must be a list, not {json_type(rows)}")
        if len(rows) >= page_size:
            gaps.append(
                Unknown(
                    Cause.CUT_OFF,
                    f"there are {page_size} different reports or more, and more are not shown; lower look_back_days",
                )
            )
        groups[name] = [_read_row(row) for row in rows]
    by_rule: dict[str, Seen] = {}
    # A sample of the last day may have what one of all days lacks.
    counted = {_place(row) for row in groups[DATASET]}
    for row in (*groups[DATASET], *(row for row in groups.get(_RECENT, ()) if _place(row) not in counted)):
        if row.rule is None:
            gaps += row.gaps
            resources: tuple[Resource, ...] = () if row.resource is None else (row.resource,)
            by_rule[""] = _joined(by_rule.get("", Seen()), Seen(resources))
            continue
        seen = Seen(() if row.resource is None else (row.resource,), row.gaps)
        by_rule[row.rule] = _joined(by_rule.get(row.rule, Seen()), seen)
    of_last_day = frozenset(
        (row.resource.directive, source_of(row.resource.url)) for row in groups.get(_RECENT, ()) if row.resource is not None
    )
    return Reports(window, by_rule, tuple(dict.fromkeys(gaps)), of_last_day)


def _joined(one: Seen, other: Seen) -> Seen:
    return Seen((*one.resources, *other.resources), tuple(dict.fromkeys((*one.gaps, *other.gaps))))


class _Row(t.NamedTuple):
    """A row: its rule and its resource, None for what cannot be told, with the reasons."""

    rule: str | None
    resource: Resource | None
    gaps: tuple[Unknown, ...]


def _place(row: _Row) -> object:
    return row if row.resource is None else (row.rule, row.resource._replace(times=None))


def _read_row(row: Json) -> _Row:
    """Return a row; nothing of it that decides has a default."""
    dimensions = row.get("dimensions") if isinstance(row, dict) else None
    if not isinstance(row, dict) or not isinstance(dimensions, dict):
        return _Row(None, None, (_gap("a row has no dimensions"),))
    gaps = []
    rule, directive, url = (dimensions.get(name) for name in _DIMENSIONS[:3])
    if not isinstance(rule, str) or not rule.strip():
        gaps.append(_gap(f"a row has no id of a rule in 'policyID', but {json_type(rule)}"))
    # The text of a whole directive counts by its first word.
    words = directive.lower().split() if isinstance(directive, str) else []
    if not words or words[0] not in REPORTABLE:
        gaps.append(_gap(f"a row has no directive in 'cspDirective', but {json_type(directive)}"))
    if not isinstance(url, str):
        gaps.append(_gap(f"a row has no address in 'url', but {json_type(url)}"))
    gaps += [
        _gap(f"a row has {json_type(value)} in {name!r}")
        for name in _DIMENSIONS[3:]
        if not isinstance(value := dimensions.get(name), (str, type(None)))
    ]
    host, page = (absent_as(f"reports[].dimensions.{name}", dimensions.get(name)) for name in _DIMENSIONS[3:])
    times: int | None = None
    try:
        times = _number(row, "count")
    except Failure:
        gaps.append(_gap("the 'count' of a row is no whole number"))
    resource = None
    if isinstance(url, str) and words and words[0] in REPORTABLE:
        resource = Resource(words[0], url, host.lower(), page, times)
    known = plain_id(rule) if isinstance(rule, str) and rule.strip() else None
    return _Row(known, resource, tuple(gaps))


def _gap(message: str) -> Unknown:
    return Unknown(Cause.NOT_READABLE, message, BAD_RESPONSE)


def warning_of(window: Window) -> str:
    """Return the warning for a window that the plan shortens, "" for none."""
    if window.shortened is None:
        return ""
    return f"The plan shows violations of the last {window.text} only, not of {window.days} days (look_back_days)."


def _member(value: Json, name: str) -> Json:
    if not isinstance(value, dict):
        raise _bad(f"{name!r} must be part of an object, not of {json_type(value)}")
    return value.get(name)


def _number(value: Json, name: str) -> int:
    """Return a whole number, which may be sent as text."""
    number = _member(value, name)
    if isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 20:
        number = int(number)
    if not is_integer(number) or number < 0:
        raise _bad(f"{name!r} must be a whole number")
    return number
