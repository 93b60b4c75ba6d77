# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._address import ZONE
from ...module_utils._core import BAD_RESPONSE, PARTS, Json, ReportedEffect
from ...module_utils._difference import Difference
from ...module_utils._schema import checked
from ...module_utils._text import dict_of, line
from ...module_utils._zone.registered import (
    REGISTERED_ONCE,
    RESULT,
    Reason,
    failure_of,
    has_failed,
    refuse_other_results,
    why_not_all,
    why_unread,
    why_untold,
)
from ...module_utils._zone.result import ZoneResult, differences_of
from .._arguments import serialised

# What the role registered for a host: its prediction, or what it wrote.

MAX_LINE = 2000


class Zone(t.NamedTuple):
    """The registered result of a host, or why there is none; `changed` is what the task itself says.

    `is_unreached`: the connection to the host failed.
    """

    name: str
    zone_id: str
    result: ZoneResult
    error: str = ""
    changed: bool = False
    is_unreached: bool = False
    scope: str = ZONE

    @property
    def owner(self) -> tuple[str, str]:
        """Return what tells zones and accounts apart: several hosts may be one zone."""
        return self.scope, self.zone_id.lower() or self.name

    @property
    def differs(self) -> bool:
        """Return whether a part of the result is changed, which a prediction also says."""
        return not self.error and any((self.result.get(name) or {}).get("changed") for name in PARTS)

    @property
    def differences(self) -> list[Difference]:
        """Return what differs in the parts of the result."""
        # Older cores mark registered texts with types of their own, which no writer of YAML or JSON knows.
        own = {name: value for name, value in self.result.items() if name in (*PARTS, "refusals")}
        return differences_of(checked(ZoneResult, serialised(own), self.name))

    @property
    def plan_ids(self) -> dict[str, str | None]:
        """Return the plan id of each part; None for one that is not managed."""
        return {name: (self.result.get(name) or {}).get("plan_id") for name in PARTS}

    @property
    def effects(self) -> list[ReportedEffect]:
        """Return what the plan destroys, as a whole and of its parts."""
        parts = [(self.result.get(name) or {}).get("effects") for name in PARTS]
        effects: list[ReportedEffect] = []
        for effect in (effect for several in (self.result.get("effects"), *parts) for effect in several or ()):
            effects += [effect] if effect not in effects else []
        return effects


def zone_of(
    name: str, variables: t.Mapping[str, Json], variable: str, owner: str = "", *, is_registered_once: bool = False
) -> Zone | None:
    """Return what a host registered under the name of a variable; None if its task did not run.

    `owner` is the id of the zone or the account of the host, as it is compared; "" if it is not known without a request.
    """
    registered = variables.get(variable)
    if not isinstance(registered, dict) or registered.get("skipped"):
        return None
    refuse_other_results(f"{variable} of {name}", registered)
    unread = why_unread(RESULT, registered, owner)
    is_own = not is_registered_once and (unread is None or has_failed(registered))
    once = REGISTERED_ONCE if is_registered_once else why_not_all(registered)
    error = _line_of(once or unread or failure_of(registered) or _unread_part(registered, owner))
    result: ZoneResult = {} if error else checked(ZoneResult, registered, variable)
    error = error or _why_unjudged(registered)
    ids = (str(registered.get(member) or "") for member in ("zone_id", "account_id"))
    is_unreached = bool(registered.get("unreachable"))
    zone_id = next(filter(None, ids), "") if is_own else owner
    return Zone(name, zone_id, {} if error else result, error, bool(registered.get("changed")), is_unreached)


def _unread_part(registered: t.Mapping[str, Json], owner: str) -> Reason | None:
    """Return why a part of a result, which may be put together from several, could not be read; None if all could."""
    reasons = (why_unread(name, registered.get(name), owner) for name in PARTS)
    return next(filter(None, reasons), None)


def _why_unjudged(registered: t.Mapping[str, Json]) -> str:
    """Return why it is not known what a result destroys, "" if it is: the rails must not take what is missing for nothing."""
    if untold := why_untold(registered):
        return f"{BAD_RESPONSE}: {untold}"
    changed = [part for part in PARTS if dict_of(registered.get(part)).get("changed")]
    if changed and not isinstance(registered.get("effects"), list):
        return f"{BAD_RESPONSE}: its result has no effects, so that it is not known what it destroys"
    return ""


def error_of(result: t.Mapping[str, Json]) -> str:
    """Return why a task failed, with the kind of failure, on one line; "" if it did not."""
    return _line_of(failure_of(result))


def _line_of(reason: Reason | None) -> str:
    return line(f"{reason['kind']}: {reason['message']}", MAX_LINE) if reason else ""
