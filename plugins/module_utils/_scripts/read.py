# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import itertools
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Conclusion, Json
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.inventory import Query, report
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.monitor import Desired, Status, present

# Pages asked for side by side; more would only spend the budget of the zone's neighbours faster.
PARALLEL_PAGES = 4


def status(client: Client, route: str) -> Status:
    """The status of the zone's script monitor."""
    return present(client.call(f"{route}.get").result)


def read(client: Client, desired: Desired) -> Status:
    """The status that the state task plans from."""
    return status(client, desired.route)


def report_inventory(client: Client, query: Query) -> Conclusion:
    """The status, and what is listed with its summary."""
    return Conclusion({"script_monitor": status(client, query.route), **report(scripts(client, query), query)})


def scripts(client: Client, query: Query) -> list[Json]:
    """What the service lists for the query, page by page and status by status, as it was sent."""
    if query.script_id is not None:
        return [client.call(f"{query.route}.script", ids={"script_id": query.script_id}).result]
    listings = (_listing(client, query, wanted) for wanted in query.statuses or (None,))
    return list(itertools.chain.from_iterable(listings))


def _listing(client: Client, query: Query, wanted: str | None) -> list[Json]:
    filters: dict[str, t.Any] = {}
    if query.hosts:
        filters["hosts"] = ",".join(query.hosts)
    if wanted:
        filters["status"] = wanted
    key = "id" if query.route == "page_shield" else "script_id"
    return client.items(f"{query.route}.scripts", query=filters, per_page=query.per_page, parallel=PARALLEL_PAGES, keys=(key,))
