# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The zones and accounts that a token sees, as hosts of a survey."""

from __future__ import annotations

import typing as t

from ..module_utils._api.client import Client
from ..module_utils._core import AUTHENTICATION, INVALID_OPTION, NOT_FOUND, PERMISSION, Failure, invalid_option
from ..module_utils._engine.task import CONNECTION_OPTIONS, connection, without_empty
from ..module_utils._redact import scrub
from ..module_utils._text import did_you_mean, nearest
from ..module_utils._zones import PAGES_SIDE_BY_SIDE, PER_PAGE, hosts, is_selected, is_zone_id, query
from ._arguments import validated

Members = t.Mapping[str, t.Any]
FILTERS = {name: {"type": "list", "elements": "str", "default": []} for name in ("names", "statuses", "account_ids")}


def discover(options: Members, filters: Members) -> dict[str, t.Any]:
    """Return a host for each zone and account, and why accounts could not be listed; empty where they could."""
    for name in filters:
        if name not in FILTERS:
            raise invalid_option(f"edgeops_survey.{name}", f"there is no such member{did_you_mean(nearest(name, FILTERS))}")
    checked = validated({"argument_spec": {**CONNECTION_OPTIONS, **FILTERS}}, {**without_empty(options), **filters}, "survey")
    if checked.error is not None:
        raise Failure(INVALID_OPTION, scrub(checked.error, checked.secrets))
    client = Client(connection(checked.params))
    try:
        listed = client.items("zones.list", query=query(checked.params), per_page=PER_PAGE, parallel=PAGES_SIDE_BY_SIDE)
        zones = {each["id"]: each for each in map(_checked, listed) if is_selected(each, checked.params)}
        accounts, refused = _accounts(client, checked.params)
    finally:
        client.close()
    found = [
        {"host": host, "zone_id": zone_id, "account_id": None, "owner": (zones[zone_id].get("account") or {}).get("id")}
        for zone_id, host in hosts((zone_id, zone["name"]) for zone_id, zone in zones.items())
    ]
    found += [{"host": f"account_{each}", "zone_id": None, "account_id": each, "owner": None} for each in accounts]
    return {"hosts": found, "accounts_refused": refused}


def _accounts(client: Client, filters: Members) -> tuple[list[str], str]:
    if filters["names"] or filters["statuses"]:
        return [], ""  # these narrow a survey to zones
    try:
        listed = client.items("accounts.list", query={}, per_page=PER_PAGE, parallel=PAGES_SIDE_BY_SIDE)
    except Failure as failure:
        if failure.kind not in (AUTHENTICATION, PERMISSION, NOT_FOUND):
            raise
        return [], str(failure)
    ids = [each["id"] for each in map(_checked, listed)]
    return [each for each in ids if not filters["account_ids"] or each in filters["account_ids"]], ""


def _checked(item: t.Any) -> dict[str, t.Any]:
    if isinstance(item, dict) and is_zone_id(str(item.get("id") or "")) and isinstance(item.get("name"), str) and item["name"]:
        return item
    raise Failure("bad_response", "an item of the listing has no id or no name")
