# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator.front.call import Answer, Call, page_of
from edgeops_simulator.front.routing import ACCOUNT, ZONE, Routes
from edgeops_simulator.schemas import queries
from edgeops_simulator.schemas.answers import array, ref
from edgeops_simulator.state import owners

routes = Routes("")


@routes("GET", "/zones", "listZones", result=array(ref("Zone")), query=queries.ZONES, paged=True)
def list_zones(call: Call) -> Answer:
    """List the zones that the credential can read, 5 to 50 per page; a page past the end is empty."""
    return _page(call, owners.select_zones(call.service.zones.values(), call.query))


@routes("GET", ZONE, "getZone", result=ref("Zone"))
def get_zone(call: Call) -> Answer:
    return Answer(call.zone.summary())


@routes("GET", "/accounts", "listAccounts", result=array(ref("Account")), query=queries.ACCOUNTS, paged=True)
def list_accounts(call: Call) -> Answer:
    return _page(call, owners.select_accounts(call.service.accounts.values(), call.query))


@routes("GET", ACCOUNT, "getAccount", result=ref("Account"))
def get_account(call: Call) -> Answer:
    return Answer(call.account.summary())


def _page(call: Call, matching: t.Sequence[owners.Zone | owners.Account]) -> Answer:
    page, per_page = call.number("page", 1, 1), call.number("per_page", 20, 5, 50)
    listed, info = page_of(matching, page, per_page)
    return Answer([one.summary() for one in listed], result_info=info if call.settings.result_info else None)
