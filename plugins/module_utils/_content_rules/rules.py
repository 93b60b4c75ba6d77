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
    seen: dict[tuple[str, str], str] = {}
    for index, params in enumerate(rules):
        place = f"{option}[{index}]"
        if not any(params[name] is not None for name in ("description", "rule_id")):
            raise invalid_option(place, "one of description and rule_id is required")
        with within(place):
            desired = desire(params)
        items.append(RuleItem(place, desired))
        for key in _keys(desired):
            _require_other(place, seen.setdefault(key, place))
    return DesiredRules(tuple(items))


def _keys(desired: DesiredRule) -> t.Iterator[tuple[str, str]]:
    if desired.rule_id is not None:
        yield "rule_id", desired.rule_id
    if desired.description is not None:
        yield "description", desired.description


def _require_other(place: str, first: str) -> None:
    if place != first:
        raise invalid_option(place, f"means the same rule as {first}")


def require_different(desired: DesiredRules, states: t.Sequence[RuleState]) -> None:
    """Refuse two items that turn out to be about one rule."""
    seen: dict[str | None, str] = {}
    for item, state in zip(desired.items, states, strict=True):
        if state.rule is not None:
            _require_other(item.place, seen.setdefault(state.rule.id, item.place))


def label_of(desired: DesiredRule, state: RuleState) -> str:
    """Return what diffs and results call a rule: its description."""
    known = state.rule.description if state.rule else desired.rule_id
    return str(known if desired.description is None else desired.description)


def unlisted(listing: RuleListing) -> list[dict[str, Json]]:
    """Return the rules that no item names, sorted by id."""
    taken = {state.rule.id for state in listing.states if state.rule}
    others = sorted((rule for rule in listing.rules if rule.id not in taken), key=lambda rule: str(rule.id))
    return [{name: getattr(rule, name) for name in ("id", "description", "action", "enabled")} for rule in others]
