# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._api.client import Client
from .._api.response import is_missing
from .._core import BAD_RESPONSE, Conclusion, Failure, Json
from .facts import PHASE, RULESET_KIND
from .options import DesiredCustomFields
from .result import report
from .state import Ruleset, bad, read_ruleset

_NO_ENTRY_POINT = 10003
# The version of a ruleset that was not changed since its creation.
_UNTOUCHED = "1"


def read(client: Client, desired: DesiredCustomFields) -> Ruleset | None:
    """Return the ruleset to plan from; confirm its absence only if the plan may create it."""
    return entry_point(client, confirm=desired.present)


def report_fields(client: Client, _query: None) -> Conclusion:
    return Conclusion(report(entry_point(client, confirm=False)))


def entry_point(client: Client, *, confirm: bool) -> Ruleset | None:
    """Return the zone's own ruleset of the phase with its rules, by the routes that the service has; None if it does not exist.

    With `confirm`, read the list as well before returning None, because a ruleset may only be created if the list has none.
    """
    try:
        ruleset = _read_one(client, "rulesets.entrypoint", {"phase": PHASE})
    except Failure as failure:
        if not is_missing(failure):
            raise
        reports_none = failure.status == 404 and any(error["code"] == _NO_ENTRY_POINT for error in failure.errors)
        if reports_none and not confirm:
            return None
        listed = _listed(client)
        return listed and _with_rules(client, listed, on_a_full_route=False)
    return _with_rules(client, ruleset, on_a_full_route=True)


def _read_one(client: Client, operation: str, ids: t.Mapping[str, str] | None = None) -> Ruleset:
    """Return the ruleset of a route; refuse another kind or phase than the route's, both of which it may omit."""
    document = client.call(operation, ids=ids).result
    for name, expected in (("kind", RULESET_KIND), ("phase", PHASE)):
        if isinstance(document, dict) and document.get(name, expected) != expected:
            raise bad(f"its {name} is {document[name]!r} instead of {expected!r}")
    return read_ruleset(document)


def _with_rules(client: Client, ruleset: Ruleset, *, on_a_full_route: bool) -> Ruleset:
    """Return the ruleset with its rules; read the route for a single ruleset if the first answer has none.

    An answer without `rules` means that there are none only if the ruleset was not changed since its creation and the route
    shows rules. Otherwise it may be incomplete, and the next write would delete existing rules.
    """
    if ruleset.rules is not None:
        return ruleset
    alone, shows_rules = ruleset, on_a_full_route
    try:
        alone, shows_rules = _read_one(client, "rulesets.get", {"ruleset_id": ruleset.id}), True
    except Failure as failure:
        if not is_missing(failure):
            raise
    if alone.id != ruleset.id:
        raise bad(f"{ruleset.id} was requested, but the response is {alone.id}")
    if alone.rules is not None:
        return alone
    if shows_rules and alone.version == _UNTOUCHED:
        return alone._replace(rules=())
    raise Failure(
        BAD_RESPONSE,
        f"No route of the service shows the rules of ruleset {ruleset.id} in the phase {PHASE}."
        " A write would replace rules that cannot be seen, so nothing was written.",
    )


def _listed(client: Client) -> Ruleset | None:
    """Return the ruleset of the phase in the list, with or without rules; None if it has none."""
    rulesets = [read_ruleset(item) for item in client.items("rulesets.list", keys=("id",)) if _is_ours(item)]
    if len(rulesets) > 1:
        identifiers = ", ".join(ruleset.id for ruleset in rulesets)
        raise Failure(
            BAD_RESPONSE,
            f"The service lists more than one ruleset of kind {RULESET_KIND} in the phase {PHASE}, where there can be only one: {identifiers}.",
        )
    return rulesets[0] if rulesets else None


def _is_ours(item: Json) -> bool:
    """Return whether a listed ruleset is the zone's own of the phase; the list also contains rulesets of the account and the service."""
    members: t.Mapping[str, Json] = item if isinstance(item, dict) else {}
    kind, phase = members.get("kind"), members.get("phase")
    if not isinstance(kind, str) or not isinstance(phase, str):
        raise bad("the list holds one without kind or phase")
    return kind == RULESET_KIND and phase == PHASE
