# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import functools
import typing as t

from .._chain.kinds import OF_SCRIPTS
from .._chain.records import CheckedRecord
from .._text import NEVER, parse_time
from .facts import MAX_DETAILS
from .listing import Identity, Observation, identity_of, looks_at

# From when on the versions of a script are news. A record does not say which scripts were read singly, but by its scope and its findings.

_Kinds = frozenset[str]


class _Looked(t.NamedTuple):
    """What records that list the same scripts, with the same details, are about."""

    inventory: int
    details: str


class VersionsSeen:
    """When audits last saw the versions of each script: an audit that did not read them says nothing about what came and went before it."""

    def __init__(self, until: datetime.datetime) -> None:
        self._until = until
        self._inventories: dict[int, dict[Identity, _Kinds]] = {}
        self._looked: dict[_Looked, datetime.datetime] = {}
        self._first: dict[int, datetime.datetime] = {}
        # By the hosts that were asked for, when an audit last saw any script.
        self._hosts: dict[tuple[str, ...], datetime.datetime] = {}

    def add(self, record: CheckedRecord) -> None:
        """Take the next record of a chain; one that is later than the audit at hand hides nothing from it."""
        at = parse_time(record["at"])
        number = record["seq"] if "inventory" in record else record["inventory_same_as"]
        if "inventory" in record:
            self._inventories[number] = _read(record)
        if at is None or at > self._until:
            return
        self._first.setdefault(number, at)
        self._looked[_Looked(number, record["scope"]["details"])] = at
        if record["monitor"]["enabled"] and self._inventories[number]:
            self._hosts[tuple(record["scope"]["hosts"])] = at

    @functools.cached_property
    def _listed(self) -> dict[Identity, datetime.datetime]:
        """Return when each script was first listed, or its versions were last read."""
        times: dict[Identity, datetime.datetime] = {}
        for number, at in sorted(self._first.items(), key=lambda item: item[1]):
            for identity in self._inventories[number]:
                times.setdefault(identity, at)
        for looked, at in sorted(self._looked.items(), key=lambda item: item[1]):
            times.update(dict.fromkeys(_have_read(self._inventories[looked.inventory], looked.details), at))
        return times

    def since(self, seen: Observation) -> datetime.datetime:
        """Return from when on a version is news: without a usable record, always."""
        known = self._listed.get(seen.identity)
        if known is not None:
            return known
        saw = [at for hosts, at in self._hosts.items() if looks_at(hosts, seen.host or "")]
        return max(saw, default=min(self._first.values(), default=NEVER))


def _read(record: CheckedRecord) -> dict[Identity, _Kinds]:
    """Return the scripts of a record with their findings; of several with the same URL and host, all findings."""
    inventory: dict[Identity, _Kinds] = {}
    for item in record["inventory"]:
        identity = identity_of(item["script"])
        inventory[identity] = inventory.get(identity, frozenset()) | OF_SCRIPTS.intersection(item["findings"])
    return inventory


def _have_read(inventory: t.Mapping[Identity, _Kinds], details: str) -> list[Identity]:
    """Return the scripts of which an audit has read the versions, or has said that it could not."""
    if details == "all":
        return list(inventory)
    found = [identity for identity, kinds in inventory.items() if kinds]
    # Of more, nobody knows which were read.
    return found if details == "findings" and len(found) <= MAX_DETAILS else []
