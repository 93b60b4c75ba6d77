# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from edgeops_simulator.front.call import Answer, Call, page_of
from edgeops_simulator.front.routing import Routes
from edgeops_simulator.schemas import queries
from edgeops_simulator.schemas.answers import array, ref
from edgeops_simulator.state import zones as state

routes = Routes("/zones")


@routes("GET", "", "listZones", result=array(ref("Zone")), query=queries.ZONES, paged=True)
def list_zones(call: Call) -> Answer:
    """All zones of the credential, 5 to 50 a page; past the end a page is empty."""
    page, per_page = call.number("page", 1, 1), call.number("per_page", 20, 5, 50)
    shown, info = page_of(state.select(call.service.zones.values(), call.query), page, per_page)
    return Answer([zone.summary() for zone in shown], result_info=info if call.settings.result_info else None)


@routes("GET", "/{zone_id}", "getZone", result=ref("Zone"))
def get_zone(call: Call) -> Answer:
    return Answer(call.zone.summary())
