# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Delivery facts of all hosts of a check: one question for the zones of each connection, one for each account.
import json
import typing as t

from .._core import Json
from .._logpush.delivery import by_owner

Record = dict[str, Json]


def questions(records: t.Mapping[str, Record], connection_of: t.Callable[[str], Json]) -> dict[str, Record]:
    """Return the options of the task of each host that asks; the first host of a connection asks for all its zones."""
    first: dict[str, str] = {}
    found: dict[str, Record] = {}
    for host, record in records.items():
        if record.get("account_id"):
            found[host] = {"account_id": record["account_id"]}
        elif record.get("zone_id"):
            asking = first.setdefault(json.dumps(connection_of(host)), host)
            found.setdefault(asking, {"zone_ids": []})["zone_ids"].append(record["zone_id"])
    return found


def answered(records: t.Sequence[Record], asked: t.Mapping[str, Record], answers: t.Mapping[str, Record]) -> list[Record]:
    """Return records with what the answer to its question says of each zone or account."""
    facts: Record = {}
    for host, question in asked.items():
        owners = question["zone_ids"] if "zone_ids" in question else [question["account_id"]]
        facts.update(by_owner(answers[host], owners))
    return [
        {**record, "delivery": facts[owner]} if (owner := record.get("account_id") or record.get("zone_id")) in facts else record
        for record in records
    ]
