# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from .._core import BAD_RESPONSE, PERMISSION, REJECTED, Failure, Json
from .._policy.matching import Resource
from .._text import dict_of, format_time, is_integer, json_type, list_of
from .rule import Observation

# What browsers reported of content security rules, as Cloudflare's GraphQL API has it.

DATASET = "pageShieldReportsAdaptiveGroups"
PAGE_SIZE = 10_000
_DIMENSIONS = ("policyID", "cspDirective", "url", "host", "pageURL")

# What was reported, by the id of its rule.
Reports = t.Mapping[str, tuple[Resource, ...]]


class Window(t.NamedTuple):
    """A time span in RFC 3339."""

    since: str
    until: str

    @classmethod
    def of(cls, now: datetime.datetime, days: int) -> Window:
        now = now.replace(microsecond=0)
        return cls(format_time(now - datetime.timedelta(days=days)), format_time(now))


def query(zone_ids: t.Sequence[str], window: Window, rule_id: str | None = None) -> tuple[str, dict[str, Json]]:
    """Return the query for the reports of up to ten zones, or of one of their rules, and its variables."""
    variables: dict[str, Json] = {"id": list(zone_ids), **window._asdict(), **({"rule": rule_id} if rule_id else {})}
    declared, condition = (",$rule:string!", ",policyID:$rule") if rule_id else ("", "")
    conditions = f"datetime_geq:$since,datetime_lt:$until{condition}"
    groups = f"{DATASET}(limit:{PAGE_SIZE},filter:{{{conditions}}}){{count dimensions{{{' '.join(_DIMENSIONS)}}}}}"
    text = f"query($id:[string!],$since:Time!,$until:Time!{declared}){{viewer{{zones(filter:{{zoneTag_in:$id}}){{zoneTag {groups}}}}}}}"
    return text, variables


def parse(data: Json, zone_ids: t.Sequence[str]) -> dict[str, Reports]:
    """Return what was reported in each zone of the answer to a query; a missing zone does not mean that it has no reports."""
    nodes = {}
    for node in list_of(dict_of(dict_of(data).get("viewer")).get("zones")):
        nodes[str(dict_of(node).get("zoneTag")).lower()] = dict_of(node)
    by_zone: dict[str, Reports] = {}
    for zone_id in zone_ids:
        if zone_id.lower() not in nodes:
            raise Failure(PERMISSION, f"The service's answer lacks the zone {zone_id}, so the token cannot read its violations.")
        rows = nodes[zone_id.lower()].get(DATASET)
        if not isinstance(rows, list):
            raise _bad(f"{DATASET!r} must be a list, not {json_type(rows)}")
        if len(rows) >= PAGE_SIZE:
            raise Failure(REJECTED, f"there are more than {PAGE_SIZE} different reports; lower look_back_days")
        reports: dict[str, list[Resource]] = {}
        for rule_id, resource in map(_resource, rows):
            reports.setdefault(rule_id, []).append(resource)
        by_zone[zone_id] = {rule_id: tuple(each) for rule_id, each in reports.items()}
    return by_zone


def _resource(row: Json) -> tuple[str, Resource]:
    dimensions = dict_of(dict_of(row).get("dimensions"))
    count = dict_of(row).get("count")
    if isinstance(count, str) and count.isascii() and count.isdigit() and len(count) < 20:
        count = int(count)
    if not is_integer(count) or count < 0:
        raise _bad("'count' must be a whole number")
    texts = []
    for name in _DIMENSIONS:
        text = dimensions.get(name) or ""
        if not isinstance(text, str):
            raise _bad(f"{name!r} must be a string, not {json_type(text)}")
        texts.append(text)
    rule_id, directive, url, host, page = texts
    return rule_id, Resource(directive.strip().lower(), url, host.lower(), page, count)


def unavailable(failure: Failure, window: Window) -> Observation:
    """Return the observation for violations that cannot be read."""
    return Observation((), window.since, window.until, str(failure))


def _bad(what: str) -> Failure:
    return Failure(BAD_RESPONSE, f"The service's answer to the query for violations cannot be used: {what}.")
