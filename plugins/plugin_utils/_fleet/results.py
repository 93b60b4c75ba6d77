# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._core import INVALID_OPTION, PARTS, UNAVAILABLE, Json, ReportedEffect
from ...module_utils._schema import check
from ...module_utils._text import dict_of, line
from ...module_utils._zone.result import RESULT, ZoneResult

# What the role registered for a host: its prediction, or what it wrote.

MAX_LINE = 2000
_UNREACHED = f"{UNAVAILABLE}: it could not be reached"


class Zone(t.NamedTuple):
    """The registered result of a host, or why there is none; `changed` is what the task itself says."""

    name: str
    zone_id: str
    result: ZoneResult
    error: str = ""
    changed: bool = False

    @property
    def differs(self) -> bool:
        """Return whether a part of the result is changed, which a prediction also says."""
        return not self.error and any((self.result.get(name) or {}).get("changed") for name in PARTS)

    @property
    def plan_ids(self) -> dict[str, str | None]:
        """Return the plan id of each part; None for one that is not managed."""
        return {name: (self.result.get(name) or {}).get("plan_id") for name in PARTS}

    @property
    def effects(self) -> list[ReportedEffect]:
        """Return what the plan destroys."""
        return list(self.result.get("effects") or ())

    @property
    def is_unreached(self) -> bool:
        """Return whether the connection to the host failed."""
        return self.error == _UNREACHED


def zone_of(name: str, variables: t.Mapping[str, Json], variable: str) -> Zone | None:
    """Return what a host registered under the name of a variable; None if its task did not run."""
    registered = variables.get(variable)
    if not isinstance(registered, dict) or registered.get("skipped"):
        return None
    error = error_of(registered)
    if not error:
        check(RESULT, registered, variable)
    ids = (str(registered.get(each) or "") for each in ("zone_id", "account_id"))
    result = t.cast("ZoneResult", {} if error else registered)  # by the schema
    return Zone(name, next(filter(None, ids), ""), result, error, bool(registered.get("changed")))


def error_of(result: t.Mapping[str, Json]) -> str:
    """Return why a task failed, with the kind of failure; "" if it did not."""
    if result.get("unreachable"):
        return _UNREACHED
    if not result.get("failed"):
        return ""
    # Without a kind the failure is of ansible-core: a variable cannot be evaluated.
    kind = dict_of(result.get("error")).get("kind") or INVALID_OPTION
    return line(f"{kind}: {' '.join(str(result.get('msg') or 'it failed').split())}", MAX_LINE)
