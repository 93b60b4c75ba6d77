# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._adopt.custom_fields import express_custom_fields
from ansible_collections.edgeops.observability.plugins.module_utils._adopt.expression import Expressed, LeftOut, joined
from ansible_collections.edgeops.observability.plugins.module_utils._adopt.jobs import express_jobs
from ansible_collections.edgeops.observability.plugins.module_utils._adopt.results import check_name
from ansible_collections.edgeops.observability.plugins.module_utils._adopt.vault import variable_key
from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._api.service_errors import is_missing
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields import read as custom_fields
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.state import Ruleset
from ansible_collections.edgeops.observability.plugins.module_utils._errors import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._logpush import read as logpush
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Conclusion, Json
from ansible_collections.edgeops.observability.plugins.module_utils._scripts import read as scripts

Part = t.TypeVar("Part")


class Query(t.NamedTuple):
    """The zone, its name in variables, and over which route its script monitor is read."""

    zone_id: str
    zone_name: str
    route: str


def desire(params: t.Mapping[str, t.Any]) -> Query:
    """The query in validated options."""
    name = params["zone_name"] or params["zone_id"]
    return Query(params["zone_id"], check_name("zone_name", name), params["route"])


def report(client: Client, query: Query) -> Conclusion:
    """Read a zone and express it in variables of the role; a part that the service does not offer is left out.

    Every service has rulesets: without a route for them the zone does not exist, and would be adopted as an empty one.
    """
    ruleset = custom_fields.entry_point(client, confirm=False)
    jobs, no_jobs = _offered(lambda: logpush.listed(client))
    monitor, no_monitor = _offered(lambda: scripts.monitor(client, query.route))
    found = express_zone(query.zone_name, ruleset, jobs or [], None if monitor is None else monitor.status)
    reasons = {"jobs": no_jobs, "script monitor": no_monitor}
    missing = tuple(LeftOut(what, why) for what, why in reasons.items() if why)
    return Conclusion(
        {
            "zone": query.zone_name,
            "zone_id": query.zone_id,
            "variables": found.variables,
            "vault": list(found.vault),
            "vault_destinations": list(found.destinations),
            "left_out": [part._asdict() for part in (*missing, *found.left_out)],
            "notes": list(found.notes),
        }
    )


def express_zone(
    zone_name: str, ruleset: Ruleset | None, jobs: t.Sequence[Json], monitor: t.Mapping[str, Json] | None
) -> Expressed:
    """The whole of a zone in variables of the role, in the order in which a user reads them."""
    declared = express_jobs(jobs, variable_key(zone_name))
    items = declared.variables.get("log_delivery_jobs", [])
    found = joined([express_custom_fields(ruleset, items), declared, _monitor(monitor)])
    if not found.variables:
        found = found._replace(notes=(*found.notes, "No setting of this zone is managed: the role does not change it."))
    return found


def _monitor(status: t.Mapping[str, Json] | None) -> Expressed:
    return Expressed({} if status is None else {"log_delivery_script_monitor_enabled": status["enabled"]})


def _offered(read: t.Callable[[], Part]) -> tuple[Part | None, str]:
    """What a read returns, or why there is nothing: the service lacks the route. Anything else is a failure of the zone."""
    try:
        return read(), ""
    except Failure as failure:
        if not is_missing(failure):
            raise
        return None, f"the service does not offer it ({failure})"
