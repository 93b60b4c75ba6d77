# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import functools
import typing as t

from .._address import MAX_ZONES_PER_QUERY
from .._api.client import Client
from .._api.monitor_listings import list_monitored
from .._api.response import is_missing
from .._api.rivals import Created, Listed, Words, look_again
from .._core import BAD_RESPONSE, NOT_AVAILABLE, PERMISSION, REJECTED, Conclusion, Failure, Json
from .._observed import Cause, Known, Observed, Unknown, unknown
from .._policy.facts import CONNECT_SRC, SCRIPT_ELEMENTS, SCRIPT_SRC
from .._policy.matching import Resource, is_readable
from .._policy.parse import read_policy
from .._text import dict_of, is_same_id
from . import violations
from .enforcement import (
    governed_listings,
    grouped,
    has_reports,
    is_moved,
    is_outdated,
    is_silent,
    is_unseen,
    narrowed_listings,
    show_violations,
)
from .facts import absent_as
from .options import DesiredRule, RuleQuery
from .plan import rule_after
from .rule import Evidence, Rule, RuleState, find_rule, parse_rules, view_rules
from .rules import DesiredRules, RuleListing
from .violations import Reports, Seen, Window

# Scripts are elements of pages, for which a policy can have sources of its own.
_LISTINGS = {SCRIPT_ELEMENTS: "page_shield.scripts", CONNECT_SRC: "page_shield.connections"}
_NAMES = {SCRIPT_SRC: "scripts", CONNECT_SRC: "connections"}


def is_not_offered(failure: Failure) -> bool:
    """Return whether a listing failed because the service, the plan or the token does not have it."""
    return is_missing(failure) or failure.kind in (PERMISSION, REJECTED)


def listed(client: Client) -> list[Rule]:
    """Return all content security rules of the zone; the route has no pages."""
    return parse_rules(_documents(client))


def _documents(client: Client) -> list[Json]:
    return client.items("content_security_rules.list", keys=())


def read(client: Client, desired: DesiredRule) -> RuleState:
    """Read the rule that a task is about, and what the plan for it has to know."""
    return _states(client, [desired], listed(client))[0]


def read_all(client: Client, desired: DesiredRules) -> RuleListing:
    """Read the rules of a task with one listing."""
    rules = listed(client)
    return RuleListing(tuple(rules), tuple(_states(client, [item.desired for item in desired.items], rules)))


_WORDS = Words(
    "content security rule",
    "content security rules",
    "rule_id",
    "content_security_rule_info",
    ", so that pages get both, and the strictest one wins",
)


def verify(client: Client, created: t.Iterable[tuple[RuleState, Json]]) -> None:
    """List the rules again after a creation, which another run may have made at the same time."""
    made = [_created(state, dict_of(result)) for state, result in created]
    look_again(client, _WORDS, lambda: [Listed(str(rule.id), rule.description) for rule in listed(client)], made)


def _created(state: RuleState, made: t.Mapping[str, Json]) -> Created:
    description = str(made["description"])
    return Created(
        str(made["id"]), description, description, f"description {description!r}", lambda other: str(other) not in state.others
    )


def _states(client: Client, desired: t.Sequence[DesiredRule], rules: t.Sequence[Rule]) -> list[RuleState]:
    """Return the states of rules of a listing; only rules that are to block more take further requests."""
    loaded = functools.cache(functools.partial(_loaded, client))
    states = []
    for item in desired:
        rule = find_rule(rules, item.rule_id, item.description)
        others = {str(other.id): other.description for other in rules if other is not rule}
        evidence = _evidence(client, rule, item, loaded)
        today = client.now().date().isoformat() if item.baseline else ""
        states.append(RuleState(rule, evidence, others, today))
    return states


def _after(desired: DesiredRule, rule: Rule | None) -> Rule | None:
    """Return a rule after a change, as far as options say what it is; the plan refuses others, with their place."""
    try:
        return rule_after(desired, rule)
    except Failure:
        return None


def _evidence(client: Client, rule: Rule | None, desired: DesiredRule, loaded: t.Callable[[], Seen]) -> Evidence:
    """Ask for what has to be known before a rule blocks more: what browsers reported of it, and what the zone lists."""
    evidence, after = Evidence(), _after(desired, rule)
    if rule is not None and has_reports(rule, after):
        reports = reports_of(client, [client.address.id], desired.look_back_days, str(rule.id))[client.address.id]
        if isinstance(reports, Unknown) and reports.kind not in NOT_AVAILABLE:
            raise Failure(reports.kind or BAD_RESPONSE, reports.message)
        evidence = evidence._replace(reports=reports)
    needed = narrowed_listings(rule, after)
    is_unknown = is_unseen(rule, after) or is_moved(rule, after) or isinstance(evidence.reports, Unknown)
    is_needed = is_unknown and desired.allows_unobserved
    if after is not None and (is_needed or (rule is not None and is_silent(rule, evidence))):
        # Without a report, the listing shows whether anybody could have reported something.
        return evidence._replace(listing=_complete(loaded(), needed, governed_listings(after.policy)))
    if rule is not None and is_outdated(rule, evidence):
        # What the zone does not list is no reason to refuse then: the rule was seen to work, with an earlier policy.
        listing = loaded()
        gaps = tuple(gap for gap in listing.gaps if gap.cause is not Cause.MONITOR_OFF or needed)
        return evidence._replace(listing=_complete(listing._replace(gaps=gaps), needed))
    return evidence._replace(listing=_complete(loaded(), needed)) if needed else evidence


def _complete(listing: Seen, directives: t.Sequence[str], any_of: t.Sequence[str] = ()) -> Seen:
    """Return a listing that says so if it has nothing of a directive that is needed, or of all of several."""
    listed = {SCRIPT_SRC if resource.directive == SCRIPT_ELEMENTS else resource.directive for resource in listing.resources}
    lacking = [name for name in directives if name not in listed]
    lacking += [] if not any_of or listed & set(any_of) else [name for name in any_of if name not in lacking]
    gaps = tuple(Unknown(Cause.NOTHING_LISTED, f"it shows no {_NAMES[name]} at all") for name in lacking)
    return listing._replace(gaps=(*listing.gaps, *gaps))


def reports_of(client: Client, zone_ids: t.Sequence[str], days: int, rule_id: str | None = None) -> dict[str, Observed[Reports]]:
    """Return what browsers reported in up to ten zones, or why that is not known; one zone that cannot be read fails the query for all."""

    def ask(now: datetime.datetime) -> dict[str, Observed[Reports]]:
        window = Window.of(now, days)
        try:
            data = client.query(*violations.query(zone_ids, window, rule_id))
        except Failure as failure:
            if failure.kind not in NOT_AVAILABLE:
                raise
            return {zone_id: _within_limits(client, zone_id, window, rule_id) for zone_id in zone_ids}
        return violations.parse(data, zone_ids, window, recent=bool(rule_id), settings=True)

    by_zone = client.at_service_time(ask)
    windows = [reports.value.window for reports in by_zone.values() if isinstance(reports, Known)]
    client.warnings.extend(text for text in dict.fromkeys(map(violations.warning_of, windows)) if text)
    return by_zone if client.knows_time else {zone_id: _without_time(reports) for zone_id, reports in by_zone.items()}


def _without_time(reports: Observed[Reports]) -> Observed[Reports]:
    """Return reports that may be of another time, because no answer of the service says which time it is."""
    if isinstance(reports, Unknown):
        return reports
    text = "no answer of the service says which time it is, so that they may be of another time than the last days"
    return Known(reports.value._replace(gaps=(*reports.value.gaps, Unknown(Cause.NOT_READABLE, text))))


def _within_limits(client: Client, zone_id: str, whole: Window, rule_id: str | None) -> Observed[Reports]:
    """Return what browsers reported in one zone, as far as its plan shows it; its settings say how far."""
    try:
        limits = violations.parse_limits(client.query(*violations.settings_query(zone_id)), zone_id)
        window, page_size = whole.within(limits), min(limits.page_size, violations.PAGE_SIZE)
        data = client.query(*violations.query([zone_id], window, rule_id, page_size, settings=False))
    except Failure as failure:
        if failure.kind not in NOT_AVAILABLE:
            raise
        return unknown(failure)
    return violations.parse(data, [zone_id], window, page_size, recent=bool(rule_id))[zone_id]


def _loaded(client: Client) -> Seen:
    """Return what the pages of the zone load now, as far as the service lists it, and why that may not be all."""
    gaps: list[Unknown] = []
    try:
        if not _is_monitored(client):
            gaps.append(Unknown(Cause.MONITOR_OFF, "the script monitor is off"))
    except Failure as failure:
        gaps.append(_not_offered(failure))
    resources: list[Resource] = []
    for directive, operation in _LISTINGS.items():
        try:
            items = list_monitored(client, operation, tell=lambda text: gaps.append(Unknown(Cause.CUT_OFF, text)))
            resources += (_listed_resource(directive, item) for item in items)
        except Failure as failure:
            gaps.append(_not_offered(failure))
    readable = tuple(resource for resource in resources if is_readable(resource.url))
    if unreadable := len(resources) - len(readable):
        what = "a script or a connection" if unreadable == 1 else f"{unreadable} scripts and connections"
        gaps.append(Unknown(Cause.NOT_READABLE, f"it has {what} without a readable address"))
    return Seen(readable, tuple(dict.fromkeys(gaps)))


def _not_offered(failure: Failure) -> Unknown:
    if not is_not_offered(failure):
        raise failure
    return unknown(failure)


def _is_monitored(client: Client) -> bool:
    status = client.call("page_shield.get").result
    enabled = status.get("enabled") if isinstance(status, dict) else None
    if not isinstance(enabled, bool):
        raise Failure(BAD_RESPONSE, "The status of the script monitor has no true or false in 'enabled'.")
    return enabled


def _listed_resource(directive: str, item: Json) -> Resource:
    members: t.Mapping[str, Json] = item if isinstance(item, dict) else {}
    url, host, page = (members.get(name) for name in ("url", "host", "first_page_url"))
    if not isinstance(url, str) or not all(isinstance(text, (str, type(None))) for text in (host, page)):
        raise Failure(BAD_RESPONSE, "The service lists a script or a connection without a valid url, host and first_page_url.")
    return Resource(directive, url, absent_as("listing[].host", host), absent_as("listing[].first_page_url", page))


def report(client: Client, query: RuleQuery) -> Conclusion:
    """Return the rules that a query selects, sorted by id, with what browsers reported if it asks for that."""
    views = view_rules(_documents(client))
    chosen = [
        view
        for view in views
        if (query.rule_id is None or is_same_id(query.rule_id, view.shown["id"]))
        and query.description in (None, view.shown["description"])
    ]
    chosen.sort(key=lambda view: str(view.shown["id"]))
    rules = [view.shown for view in chosen]
    if query.look_back_days is not None:
        add_violations(client, {client.address.id: rules}, query.look_back_days)
    return Conclusion({"content_security_rules": rules}, tuple(text for view in chosen for text in view.warnings))


def add_violations(client: Client, zones: t.Mapping[str, t.Sequence[dict[str, Json]]], days: int) -> None:
    """Add what browsers reported to the shown rules of zones, with one query for ten zones that can be read."""
    ids = [zone_id for zone_id, rules in zones.items() if rules]
    for start in range(0, len(ids), MAX_ZONES_PER_QUERY):
        for zone_id, reports in reports_of(client, ids[start : start + MAX_ZONES_PER_QUERY], days).items():
            for rule in zones[zone_id]:
                rule["violations"] = _violations_of(rule, reports)


def _violations_of(rule: t.Mapping[str, Json], reports: Observed[Reports]) -> dict[str, Json] | None:
    """Return what browsers reported of a shown rule, also what its policy allows on paper."""
    if isinstance(reports, Unknown):
        return show_violations(None, (), (reports,), ())
    seen = reports.value.of(str(rule["id"]))
    value = rule["value"]
    blocked = grouped(read_policy(value) if isinstance(value, str) else None, seen.resources)
    return show_violations(reports.value.window, seen.resources, seen.gaps, blocked)
