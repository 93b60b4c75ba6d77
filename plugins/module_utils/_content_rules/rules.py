# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import Json, invalid_option, within
from .options import DesiredRule, desire
from .rule import Rule, RuleState


class RuleItem(t.NamedTuple):
    """One rule of a task that manages several, and its place in the options."""

    place: str
    desired: DesiredRule


class DesiredRules(t.NamedTuple):
    """The rules that a task manages; all others are left alone."""

    items: tuple[RuleItem, ...]


class RuleListing(t.NamedTuple):
    """Current state for several items: all rules of the zone, and the state of each item."""

    rules: tuple[Rule, ...]
    states: tuple[RuleState, ...]


def desire_rules(option: str, rules: t.Iterable[t.Mapping[str, t.Any]]) -> DesiredRules:
    """Return the desired rules of validated options; refuse two items for one rule."""
    items = []
    by_id: dict[str, str] = {}
    by_description: dict[str, RuleItem] = {}
    for index, params in enumerate(rules):
        place = f"{option}[{index}]"
        if not any(params[name] is not None for name in ("description", "rule_id")):
            raise invalid_option(place, "one of description and rule_id is required")
        with within(place):
            desired = desire(params)
        item = RuleItem(place, desired)
        items.append(item)
        if desired.rule_id is not None:
            _require_other(place, by_id.setdefault(desired.rule_id, place))
        if desired.description is not None:
            first = by_description.setdefault(desired.description, item)
            # Two ids are two rules, whatever their description.
            if None in (desired.rule_id, first.desired.rule_id):
                _require_other(place, first.place)
    return DesiredRules(tuple(items))


def _require_other(place: str, first: str) -> None:
    if place != first:
        raise invalid_option(place, f"means the same rule as {first}")


def require_different(desired: DesiredRules, states: t.Sequence[RuleState]) -> None:
    """Refuse two items that turn out to be about one rule."""
    seen: dict[str | None, str] = {}
    for item, state in zip(desired.items, states, strict=True):
        if state.rule is not None:
            _require_other(item.place, seen.setdefault(state.rule.id, item.place))


def labels(desired: DesiredRules, states: t.Sequence[RuleState]) -> list[str]:
    """Return what diffs and results call each rule: its description; `description/id` if a rule with a lower id has the same."""
    names = [_description_of(item.desired, state) for item, state in zip(desired.items, states, strict=True)]
    ids = [str(state.rule.id) if state.rule else "" for state in states]
    first = {name: min(ids[place] for place, other in enumerate(names) if other == name) for name in names}
    return [name if first[name] == number else f"{name}/{number}" for name, number in zip(names, ids, strict=True)]


def _description_of(desired: DesiredRule, state: RuleState) -> str:
    known = state.rule.description if state.rule else desired.rule_id
    return str(known if desired.description is None else desired.description)


def unlisted(listing: RuleListing) -> list[dict[str, Json]]:
    """Return the rules that no item names, sorted by id."""
    taken = {state.rule.id for state in listing.states if state.rule}
    others = sorted((rule for rule in listing.rules if rule.id not in taken), key=lambda rule: str(rule.id))
    return [{name: getattr(rule, name) for name in ("id", "description", "action", "enabled")} for rule in others]
