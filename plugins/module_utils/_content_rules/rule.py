# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import functools
import typing as t

from .._core import Failure, Json, bad_answer
from .._observed import Observed
from .._policy.parse import BLANKS, Policy, read_policy
from .._selection import ambiguous
from .._text import is_same_id, json_type
from .facts import ACTIONS, ADD_REPORTING, ALLOW
from .violations import Reports, Seen

_bad = functools.partial(bad_answer, answer="The service's answer holds a content security rule that")

_ENABLED: t.Mapping[Json, bool] = {True: True, False: False, "true": True, "false": False}


class Rule(t.NamedTuple):
    """A content security rule; `value` is its policy as the service has it, `policy` None if that cannot be parsed."""

    id: str | None
    description: str
    action: str
    expression: str
    enabled: bool
    value: str
    policy: Policy | None

    @property
    def enforces(self) -> bool:
        """Return whether browsers certainly block what the policy does not allow."""
        return self.enabled and self.action == ALLOW

    @property
    def may_enforce(self) -> bool:
        """Return whether browsers block what the policy does not allow, or that is not known: the action is an unknown word."""
        return self.enabled and (self.action == ALLOW or self.action not in (*ACTIONS, ADD_REPORTING))

    @property
    def text(self) -> str:
        """Return the policy without its spelling, as far as it can be parsed."""
        return self.value if self.policy is None else self.policy.text

    @property
    def directives(self) -> dict[str, list[str]] | None:
        """Return the policy in the form of the option."""
        return policy_as_option(self.policy)

    def managed(self) -> dict[str, Json]:
        """Return what the module manages, for diffs."""
        policy: dict[str, Json] = {"value": self.value} if self.policy is None else {"directives": self.directives}
        members = {name: getattr(self, name) for name in ("description", "action", "expression", "enabled")}
        return {**members, **policy}


def policy_as_option(policy: Policy | None) -> dict[str, list[str]] | None:
    return None if policy is None else {name: list(sources) for name, sources in sorted(policy.directives.items())}


class Evidence(t.NamedTuple):
    """What was asked for before more is blocked than before; None for what was not asked for.

    `reports`: what browsers reported of the rule. `listing`: what the pages of the zone load now.
    """

    reports: Observed[Reports] | None = None
    listing: Seen | None = None


class RuleState(t.NamedTuple):
    """Current state of one rule: None if it does not exist; `others` are the descriptions of all other rules of the zone.

    `today` is the day of UTC as the service has it, "" if nobody asked.
    """

    rule: Rule | None
    evidence: Evidence = Evidence()
    others: t.Mapping[str, str] = {}
    today: str = ""


_IDENTITY, _MEMBERS = ("id", "description"), ("action", "expression", "value", "enabled")


def _member(document: t.Mapping[str, Json], name: str) -> t.Any:
    """Return a member of a rule; raise `bad_response` if it is invalid."""
    value = document.get(name)
    of_rule = "" if name == "id" else f" of rule {document.get('id')}"
    if name == "enabled":
        if not isinstance(value, (bool, str)) or value not in _ENABLED:
            raise _bad(f"'enabled'{of_rule} must be true or false, and is {json_type(value)}")
        return _ENABLED[value]
    if not isinstance(value, str) or (not value.strip() and name in ("id", "action", "expression")):
        raise _bad(f"{name!r}{of_rule} must be a string, and is {'empty' if isinstance(value, str) else json_type(value)}")
    return value.strip(BLANKS) if name == "expression" else value


def _identified(document: Json) -> t.Mapping[str, Json]:
    """Return a rule of a listing; raise `bad_response` if it lacks its identity."""
    if not isinstance(document, dict):
        raise _bad(f"it is {json_type(document)}")
    for name in _IDENTITY:
        _member(document, name)
    return document


def parse_rule(document: Json) -> Rule:
    """Parse a rule of the service; raise `bad_response` if it is invalid."""
    rule = _identified(document)
    members = {name: _member(rule, name) for name in (*_IDENTITY, *_MEMBERS)}
    return Rule(**members, policy=read_policy(members["value"]))


class View(t.NamedTuple):
    """A rule as results contain it, and warnings about it."""

    shown: dict[str, Json]
    warnings: tuple[str, ...]


def view_rules(documents: t.Iterable[Json]) -> list[View]:
    """Return the rules of a listing for a task that only reads: a member that cannot be told is None, with a warning."""
    views = []
    known: set[Json] = set()
    for rule in map(_identified, documents):
        if rule["id"] in known:
            raise _bad(f"two rules have the id {rule['id']}")
        known.add(rule["id"])
        try:
            parsed = parse_rule(rule)
            views.append(View(show(parsed), tuple(warnings_about(parsed))))
        except Failure:
            views.append(_partial(rule))
    return views


def _partial(rule: t.Mapping[str, Json]) -> View:
    shown: dict[str, Json] = {name: rule[name] for name in _IDENTITY}
    warnings = []
    for name in _MEMBERS:
        try:
            shown[name] = _member(rule, name)
        except Failure as failure:
            shown[name] = None
            warnings.append(f"{failure} It is shown as null.")
    policy = read_policy(shown["value"]) if isinstance(shown["value"], str) else None
    return View({**shown, "directives": policy_as_option(policy)}, tuple(warnings))


def parse_rules(documents: t.Iterable[Json]) -> list[Rule]:
    """Parse a listing; refuse two rules of one id."""
    by_id: dict[str | None, Rule] = {}
    for rule in map(parse_rule, documents):
        if rule.id in by_id:
            raise _bad(f"two rules have the id {rule.id}")
        by_id[rule.id] = rule
    return list(by_id.values())


def find_rule(rules: t.Sequence[Rule], rule_id: str | None, description: str | None) -> Rule | None:
    """Return the rule of an id, otherwise that of a description; refuse two of one description."""
    if rule_id is not None:
        return next((rule for rule in rules if is_same_id(rule.id, rule_id)), None)
    matches = [rule for rule in rules if rule.description == description]
    if len(matches) > 1:
        raise ambiguous("description", "content security rules", (rule.id for rule in matches), f"{description!r}", "rule_id")
    return matches[0] if matches else None


def show(rule: Rule) -> dict[str, Json]:
    """Return a rule as results contain it."""
    members = {name: getattr(rule, name) for name in ("id", "description", "action", "expression", "enabled")}
    return {**members, "directives": rule.directives, "value": rule.value}


def warnings_about(rule: Rule) -> list[str]:
    """Return what a user has to know about the policy that the service has."""
    if rule.policy is None:
        return [
            f"The policy of content security rule {rule.description!r} (id {rule.id}) cannot be parsed; it is shown as `value`."
        ]
    if names := ", ".join(rule.policy.unknown):
        subject = f"The policy of content security rule {rule.description!r}"
        return [f"{subject} has directives that this collection does not know, which are kept as they are: {names}."]
    return []
