# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
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
    """Return the current custom log fields."""
    return Conclusion(report(entry_point(client, confirm=False)))


def entry_point(client: Client, *, confirm: bool) -> Ruleset | None:
    """Return the zone's own ruleset of the phase with its rules, by the routes that the service has; None if it does not exist.

    With `confirm`, read the list as well before returning None, because a ruleset may only be created if the list has none.
    """
    try:
        found = read_ruleset(_of_the_phase(client.call("rulesets.entrypoint").result))
    except Failure as failure:
        if not is_missing(failure):
            raise
        if _reports_none(failure) and not confirm:
            return None
        listed = _listed(client)
        return listed and _with_rules(client, listed, on_a_full_route=False)
    return _with_rules(client, found, on_a_full_route=True)


def _with_rules(client: Client, found: Ruleset, *, on_a_full_route: bool) -> Ruleset:
    """Return the ruleset with its rules; read the route for a single ruleset if the first answer has none.

    An answer without `rules` means that there are none only if the ruleset was not changed since its creation and the route
    shows rules. Otherwise it may be incomplete, and the next write would delete existing rules.
    """
    if found.rules is not None:
        return found
    try:
        alone = read_ruleset(_of_the_phase(client.call("rulesets.get", ids={"ruleset_id": found.id}).result))
    except Failure as failure:
        if not is_missing(failure):
            raise
        alone, shown = found, on_a_full_route
    else:
        shown = True
    if alone.id != found.id:
        raise bad(f"{found.id} was requested, but the response is {alone.id}")
    if alone.rules is not None:
        return alone
    if shown and alone.version == _UNTOUCHED:
        return alone._replace(rules=())
    raise Failure(
        BAD_RESPONSE,
        f"No route of the service shows the rules of ruleset {found.id} in the phase {PHASE}."
        " A write would replace rules that cannot be seen, so nothing was written.",
    )


def _listed(client: Client) -> Ruleset | None:
    """Return the ruleset of the phase in the list, with or without rules; None if it has none."""
    items = [item for item in client.items("rulesets.list", keys=("id",)) if _is_ours(item)]
    found = [read_ruleset(item) for item in items]
    if len(found) > 1:
        identifiers = ", ".join(ruleset.id for ruleset in found)
        raise Failure(
            BAD_RESPONSE,
            f"The service lists more than one ruleset of kind {RULESET_KIND} in the phase {PHASE}, where there can be only one: {identifiers}.",
        )
    return found[0] if found else None


def _is_ours(item: Json) -> bool:
    """Return whether a listed ruleset is the zone's own of the phase; the list also contains rulesets of the account and the service."""
    members: t.Mapping[str, Json] = item if isinstance(item, dict) else {}
    kind, phase = members.get("kind"), members.get("phase")
    if not isinstance(kind, str) or not isinstance(phase, str):
        raise bad("the list holds one without kind or phase")
    return kind == RULESET_KIND and phase == PHASE


def _of_the_phase(document: Json) -> Json:
    """Return a ruleset; raise `bad_response` if its kind or phase differs from the route's; both may be omitted."""
    for name, expected in (("kind", RULESET_KIND), ("phase", PHASE)):
        if document.get(name, expected) != expected:
            raise bad(f"its {name} is {document[name]!r} instead of {expected!r}")
    return document


def _reports_none(failure: Failure) -> bool:
    """Return whether the route exists and the service reports that the phase has no entry point."""
    return failure.status == 404 and any(error["code"] == _NO_ENTRY_POINT for error in failure.errors)
