# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import functools
import typing as t

from .._address import MAX_ZONES_PER_QUERY
from .._api.client import Client
from .._api.monitor_listings import list_monitored
from .._api.response import is_missing
from .._core import BAD_RESPONSE, NOT_AVAILABLE, PERMISSION, REJECTED, Conclusion, Failure, Json
from .._policy.facts import CONNECT_SRC, SCRIPT_SRC
from .._policy.matching import Resource
from .._policy.parse import read_policy
from . import violations
from .enforcement import LISTED, LISTING, REPORTS, blocked_by, show_violations, to_look_at
from .options import DesiredRule, RuleQuery
from .plan import rule_after
from .rule import Observation, Rule, RuleState, find_rule, parse_rules, show, warnings_about
from .rules import DesiredRules, RuleListing
from .violations import Reports, Window

_LISTINGS = {SCRIPT_SRC: "page_shield.scripts", CONNECT_SRC: "page_shield.connections"}


def is_not_offered(failure: Failure) -> bool:
    """Return whether a listing failed because the service, the plan or the token does not have it."""
    return is_missing(failure) or failure.kind in (PERMISSION, REJECTED)


def listed(client: Client) -> list[Rule]:
    """Return all content security rules of the zone; the route has no pages."""
    return parse_rules(client.items("content_security_rules.list", keys=()))


def read(client: Client, desired: DesiredRule) -> RuleState:
    """Read the rule that a task is about, and what the plan for it has to know."""
    return _states(client, [desired], listed(client))[0]


def read_all(client: Client, desired: DesiredRules) -> RuleListing:
    """Read the rules of a task with one listing."""
    rules = listed(client)
    return RuleListing(tuple(rules), tuple(_states(client, [item.desired for item in desired.items], rules)))


def _states(client: Client, desired: t.Sequence[DesiredRule], rules: t.Sequence[Rule]) -> list[RuleState]:
    """Return the states of rules of a listing; only rules that are to enforce more take further requests."""
    loaded = functools.cache(lambda: _loaded(client))
    states = []
    for each in desired:
        rule = find_rule(rules, each.rule_id, each.description)
        what = to_look_at(rule, rule_after(each, rule)) if rule else None
        observation = _reported(client, rule, each.look_back_days) if rule and what == REPORTS else None
        others = {str(other.id): other.description for other in rules if other is not rule}
        states.append(RuleState(rule, loaded() if what == LISTING else observation, others))
    return states


def _reported(client: Client, rule: Rule, days: int) -> Observation:
    window = Window.of(datetime.datetime.now(datetime.timezone.utc), days)
    try:
        reports = reports_of(client, [client.address.id], window, rule.id)[client.address.id]
    except Failure as failure:
        if failure.kind not in NOT_AVAILABLE:
            raise
        return violations.unavailable(failure, window)
    return Observation(reports.get(str(rule.id), ()), *window)


def reports_of(client: Client, zone_ids: t.Sequence[str], window: Window, rule_id: str | None = None) -> dict[str, Reports]:
    """Return what browsers reported in up to ten zones, by zone and rule."""
    return violations.parse(client.query(*violations.query(zone_ids, window, rule_id)), zone_ids)


def _loaded(client: Client) -> Observation:
    """Return what the pages of the zone load now, as far as the service lists it."""
    resources: list[Resource] = []
    for directive in LISTED:
        try:
            resources += (_listed_resource(directive, item) for item in list_monitored(client, _LISTINGS[directive]))
        except Failure as failure:
            if not is_not_offered(failure):
                raise
            return Observation(reason=str(failure))
    return Observation(tuple(resources))


def _listed_resource(directive: str, item: Json) -> Resource:
    members: t.Mapping[str, Json] = item if isinstance(item, dict) else {}
    url, host, page = (members.get(name) for name in ("url", "host", "first_page_url"))
    if not isinstance(url, str) or not isinstance(host, (str, type(None))):
        raise Failure(BAD_RESPONSE, "The service lists a script or a connection without a valid url and host.")
    return Resource(directive, url, host or "", page if isinstance(page, str) else "")


def report(client: Client, query: RuleQuery) -> Conclusion:
    """Return the rules that a query selects, sorted by id, with what browsers reported if it asks for that."""
    rules = listed(client)
    chosen = [rule for rule in rules if query.rule_id in (None, rule.id) and query.description in (None, rule.description)]
    chosen.sort(key=lambda rule: str(rule.id))
    views = [show(rule) for rule in chosen]
    if query.look_back_days is not None:
        window = Window.of(datetime.datetime.now(datetime.timezone.utc), query.look_back_days)
        add_violations(client, {client.address.id: views}, window)
    return Conclusion({"content_security_rules": views}, tuple(text for rule in chosen for text in warnings_about(rule)))


def add_violations(client: Client, zones: t.Mapping[str, t.Sequence[dict[str, Json]]], window: Window) -> None:
    """Add what browsers reported to the shown rules of zones, with one query for ten zones that can be read."""
    ids = [zone_id for zone_id, rules in zones.items() if rules]
    for start in range(0, len(ids), MAX_ZONES_PER_QUERY):
        group = ids[start : start + MAX_ZONES_PER_QUERY]
        for zone_id, reports in _reports_or_reasons(client, group, window).items():
            for rule in zones[zone_id]:
                rule["violations"] = _violations_of(rule, reports, window)


def _reports_or_reasons(client: Client, group: t.Sequence[str], window: Window) -> dict[str, Reports | Failure]:
    """Return what was reported in each of a group of zones; one zone that cannot be read fails the query for all."""
    try:
        return dict(reports_of(client, group, window))
    except Failure as failure:
        if failure.kind not in NOT_AVAILABLE:
            raise
        if len(group) == 1:
            return {group[0]: failure}
    reports: dict[str, Reports | Failure] = {}
    for zone_id in group:
        reports |= _reports_or_reasons(client, [zone_id], window)
    return reports


def _violations_of(rule: t.Mapping[str, Json], reports: Reports | Failure, window: Window) -> dict[str, Json] | None:
    """Return what browsers reported of a shown rule that its policy blocks; all of it if that policy cannot be parsed."""
    if isinstance(reports, Failure):
        return show_violations(violations.unavailable(reports, window), ())
    resources = reports.get(str(rule["id"]), ())
    return show_violations(Observation(resources, *window), blocked_by(read_policy(str(rule["value"])), resources))
