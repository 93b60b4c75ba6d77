# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from .._baseline.entries import is_host, parse_baseline
from .._baseline.pattern import Pattern, normalize_url, parse_pattern
from .._core import HOLDS_DATA, STATE_OPTION, Json, invalid_option
from .._policy.facts import COMMON_SCHEMES, EMPTY
from .._policy.matching import locate
from .._policy.parse import BLANKS, PLACE, Policy, parse_policy
from .._text import quoted
from .baseline import EntrySource, entry_sources, has_authoriser
from .facts import (
    ACCEPT,
    ACTIONS,
    DEFAULT_LOOK_BACK_DAYS,
    MAX_LENGTH,
    MAX_LOOK_BACK_DAYS,
    REFUSE,
    UNOBSERVED,
)

IDENTITY = ("description", "rule_id")
LOOK_BACK: dict[str, dict[str, Json]] = {"look_back_days": {"type": "int", "default": DEFAULT_LOOK_BACK_DAYS}}
OPTIONS: dict[str, dict[str, Json]] = {
    **STATE_OPTION,
    "description": {"type": "str", HOLDS_DATA: True},
    "rule_id": {"type": "str"},
    "action": {"type": "str", "choices": list(ACTIONS)},
    "expression": {"type": "str", HOLDS_DATA: True},
    "directives": {"type": "raw", HOLDS_DATA: True},
    "enabled": {"type": "bool"},
    "script_baseline": {"type": "raw", HOLDS_DATA: True},
    **LOOK_BACK,
    "accept_blocked": {"type": "list", "elements": "str", "default": [], HOLDS_DATA: True},
    "unobserved": {"type": "str", "choices": list(UNOBSERVED), "default": REFUSE},
}
_RULE_ID = re.compile(r"[0-9A-Za-z_-]{1,100}")
_MAX_DESCRIPTION = 500


class Accepted(t.NamedTuple):
    """One item of `accept_blocked`: a pattern of URLs, or a host, scheme or keyword as it is written in a policy, or `empty`."""

    pattern: Pattern | None
    text: str

    def accepts(self, source: str) -> bool:
        """Return whether a source may be blocked."""
        if self.pattern is not None:
            return self.pattern.covers(normalize_url(source))
        if self.text == source:
            return True
        location = locate(source)
        if self.text == EMPTY or location is None:
            return False
        # A scheme takes every address of it: extensions of browsers have random ids.
        return self.text in (location.origin.host, f"{location.origin.scheme}:")


class DesiredRule(t.NamedTuple):
    """The desired state of one rule; None for members that are not managed. `unauthorised` are entries of a baseline that become no source."""

    present: bool
    description: str | None
    rule_id: str | None
    action: str | None
    expression: str | None
    enabled: bool | None
    policy: Policy | None
    baseline: tuple[EntrySource, ...]
    unauthorised: tuple[str, ...]
    look_back_days: int
    accepted: tuple[Accepted, ...]
    allows_unobserved: bool

    def accepts(self, source: str) -> bool:
        """Return whether a source may be blocked."""
        return any(pattern.accepts(source) for pattern in self.accepted)


def desire(params: t.Mapping[str, t.Any]) -> DesiredRule:
    """Return the desired state of validated options; refuse values that are invalid whatever the zone has."""
    description, expression, enabled = params["description"], params["expression"], params["enabled"]
    check_identity(params)
    if expression is not None and not expression.strip():
        raise invalid_option("expression", 'must not be empty; for every request of the zone, write "true"')
    entries = parse_baseline(params["script_baseline"] if params["script_baseline"] is not None else [], "script_baseline")
    sources = tuple(entry_sources(entries))
    policy = None if params["directives"] is None else parse_policy(params["directives"])
    if policy is not None:
        require_length(policy)
    if policy is not None and not policy.directives and not sources:
        raise invalid_option(PLACE, "has no directive, and a rule needs one")
    return DesiredRule(
        present=params["state"] == "present",
        description=description,
        rule_id=params["rule_id"],
        action=params["action"],
        expression=None if expression is None else expression.strip(BLANKS),
        enabled=enabled,
        policy=policy,
        baseline=sources,
        unauthorised=tuple(entry.name for entry in entries if not has_authoriser(entry)),
        look_back_days=check_look_back(params["look_back_days"]),
        accepted=tuple(_accepted(f"accept_blocked[{index}]", text) for index, text in enumerate(params["accept_blocked"])),
        allows_unobserved=params["unobserved"] == ACCEPT,
    )


def require_length(policy: Policy) -> None:
    length = len(policy.text)
    if length > MAX_LENGTH:
        raise invalid_option(
            PLACE, f"the policy has {length} characters, {length - MAX_LENGTH} more than the maximum of {MAX_LENGTH}"
        )


def check_identity(params: t.Mapping[str, t.Any]) -> None:
    """Refuse a description or an id that no rule can have."""
    description, rule_id = params["description"], params["rule_id"]
    if description is not None and not (description.strip() and len(description) <= _MAX_DESCRIPTION):
        raise invalid_option("description", f"must have 1 to {_MAX_DESCRIPTION} characters")
    if rule_id is not None and not _RULE_ID.fullmatch(rule_id):
        raise invalid_option("rule_id", f"{quoted(rule_id)} is not the id of a rule")


def check_look_back(days: int) -> int:
    if not 1 <= days <= MAX_LOOK_BACK_DAYS:
        raise invalid_option("look_back_days", f"{days} is not a number of days from 1 to {MAX_LOOK_BACK_DAYS}")
    return days


def _accepted(place: str, text: str) -> Accepted:
    text = text.strip()
    if "://" in text:
        return Accepted(parse_pattern(place, text), text)
    is_word = re.fullmatch(r"'[a-z-]+'|[a-z][a-z0-9+.-]*:", text.lower())
    if text.lower() in COMMON_SCHEMES:
        raise invalid_option(place, f"{quoted(text)} lacks the colon of a scheme (did you mean {text.lower()}:?)")
    if not is_word and not is_host(text):
        what = "a URL or a pattern of URLs, a host, a scheme such as chrome-extension:, a keyword in single quotes, or empty"
        raise invalid_option(place, f"{quoted(text)} is not {what}")
    return Accepted(None, text.lower())


class RuleQuery(t.NamedTuple):
    """Which rules to read, and over how many days their violations; None without violations."""

    description: str | None
    rule_id: str | None
    look_back_days: int | None


QUERY_OPTIONS: dict[str, dict[str, Json]] = {
    "description": {"type": "str", HOLDS_DATA: True},
    "rule_id": {"type": "str"},
    "violations": {"type": "bool", "default": False},
    **LOOK_BACK,
}


def desire_query(params: t.Mapping[str, t.Any]) -> RuleQuery:
    check_identity(params)
    days = check_look_back(params["look_back_days"])
    return RuleQuery(params["description"], params["rule_id"], days if params["violations"] else None)
