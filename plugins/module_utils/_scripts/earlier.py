# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import functools
import typing as t

from .._chain.kinds import OF_SCRIPTS, UNVERIFIED
from .._chain.records import CheckedRecord
from .._text import NEVER, parse_time
from .facts import MAX_DETAILS
from .listing import Identity, News, Observation, ScriptQuery, asked_statuses, identity_of, looks_at

# What earlier audits of a chain looked at: one that did not look says nothing about what came and went before it.

# With one of these, what a record lists of a script was not authorised.
_NOT_AUTHORISED = frozenset(("new", "changed", UNVERIFIED, "unjustified", "expired"))


class _Listed(t.NamedTuple):
    """A script of a record, with the findings about it, and its hash if the baseline of the record authorised it."""

    kinds: frozenset[str]
    authorised: str


class _Read(t.NamedTuple):
    """The scripts that records list, by the number of the first of them, and which of these were read singly."""

    inventory: int
    details: str


class _Asked(t.NamedTuple):
    """What the service was asked to list."""

    hosts: tuple[str, ...]
    statuses: frozenset[str]

    def covers(self, hosts: t.Collection[str], statuses: t.Collection[str]) -> bool:
        return (not self.hosts or (bool(hosts) and {*hosts} <= {*self.hosts})) and {*statuses} <= self.statuses


class EarlierAudits:
    """The earlier audits of a chain, up to a time."""

    def __init__(self, until: datetime.datetime, behind: datetime.timedelta) -> None:
        """`behind` is how far the clock of the service is behind the one that the times of records are of."""
        self._until = until
        self._behind = behind
        self._inventories: dict[int, dict[Identity, _Listed]] = {}
        self._first: dict[int, datetime.datetime] = {}
        self._last: dict[int, datetime.datetime] = {}
        # The last times at which audits read the versions of scripts, and at which they saw any script.
        self._read: dict[_Read, datetime.datetime] = {}
        self._saw: dict[_Asked, datetime.datetime] = {}

    def add(self, record: CheckedRecord) -> None:
        """Take the next record of a chain; one that is later than the audit at hand hides nothing from it."""
        at = parse_time(record["at"])
        number = record["seq"] if "inventory" in record else record["inventory_same_as"]
        if "inventory" in record:
            self._inventories[number] = _scripts_of(record)
        if at is None or at > self._until:
            return
        self._first.setdefault(number, at)
        if record["monitor"]["enabled"]:
            self._last[number] = at
            scope = record["scope"]
            self._read[_Read(number, scope["details"])] = at
            if self._inventories[number]:
                self._saw[_Asked(tuple(scope["hosts"]), asked_statuses(scope["status"]))] = at

    @functools.cached_property
    def _listed(self) -> dict[Identity, datetime.datetime]:
        """Return when each script was first listed, or its versions were last read."""
        times: dict[Identity, datetime.datetime] = {}
        for number, at in sorted(self._first.items(), key=lambda item: item[1]):
            for identity in self._inventories[number]:
                times.setdefault(identity, at)
        for read, at in sorted(self._read.items(), key=lambda item: item[1]):
            times.update(dict.fromkeys(_have_read(self._inventories[read.inventory], read.details), at))
        return times

    @functools.cached_property
    def _authorised(self) -> dict[Identity, dict[str, datetime.datetime]]:
        """Return when the hashes of each script were last listed with a baseline that authorised them."""
        times: dict[Identity, dict[str, datetime.datetime]] = {}
        for number, at in sorted(self._last.items(), key=lambda item: item[1]):
            for identity, listed in self._inventories[number].items():
                if listed.authorised:
                    times.setdefault(identity, {})[listed.authorised] = at
        return times

    def news_of(self, seen: Observation) -> News:
        """Return which versions of a script are news: without a usable record, all.

        A record does not say which scripts were read singly, but by its scope and its findings. Versions have the time of the service.
        """
        authorised = self._authorised.get(seen.identity, {})
        return News(self._of_service(self._known_since(seen)), {value: self._of_service(at) for value, at in authorised.items()})

    def _of_service(self, at: datetime.datetime) -> datetime.datetime:
        return at - self._behind if at - NEVER > self._behind else NEVER

    def _known_since(self, seen: Observation) -> datetime.datetime:
        known = self._listed.get(seen.identity)
        if known is not None:
            return known
        saw = [at for asked, at in self._saw.items() if looks_at(asked.hosts, seen.host or "")]
        return max(saw, default=min(self._first.values(), default=NEVER))

    def last_as_wide(self, query: ScriptQuery) -> datetime.datetime | None:
        """Return when an audit last saw any script, and asked for all that this one asks for; None if none did."""
        statuses = asked_statuses(query.statuses)
        return max((at for asked, at in self._saw.items() if asked.covers(query.hosts, statuses)), default=None)


def _scripts_of(record: CheckedRecord) -> dict[Identity, _Listed]:
    """Return the scripts of a record; of several with the same URL and host, all findings."""
    inventory: dict[Identity, _Listed] = {}
    for item in record["inventory"]:
        identity, script = identity_of(item["script"]), item["script"]
        is_authorised = bool(item["entry"]) and _NOT_AUTHORISED.isdisjoint(item["findings"])
        before = inventory.get(identity, _Listed(frozenset(), ""))
        inventory[identity] = _Listed(
            before.kinds | OF_SCRIPTS.intersection(item["findings"]), (script.get("hash") or "").lower() if is_authorised else ""
        )
    return inventory


def _have_read(inventory: t.Mapping[Identity, _Listed], details: str) -> list[Identity]:
    """Return the scripts of which an audit has read the versions, and the service has shown them."""
    found = [identity for identity, listed in inventory.items() if listed.kinds or details == "all"]
    # Of more, nobody knows which were read.
    if details not in ("all", "findings") or (details == "findings" and len(found) > MAX_DETAILS):
        return []
    return [identity for identity in found if UNVERIFIED not in inventory[identity].kinds]
