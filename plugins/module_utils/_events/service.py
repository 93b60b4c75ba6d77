# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import threading
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._destination.text import readable_failure
from ansible_collections.edgeops.observability.plugins.module_utils._errors import (
    AUTHENTICATION,
    BAD_RESPONSE,
    RATE_LIMITED,
    UNAVAILABLE,
    Failure,
)
from ansible_collections.edgeops.observability.plugins.module_utils._events.clock import Clock
from ansible_collections.edgeops.observability.plugins.module_utils._events.compare import Seen
from ansible_collections.edgeops.observability.plugins.module_utils._events.observe import Look, look_at
from ansible_collections.edgeops.observability.plugins.module_utils._events.options import Settings
from ansible_collections.edgeops.observability.plugins.module_utils._events.zones import Zone, discover, name_of, with_hosts
from ansible_collections.edgeops.observability.plugins.module_utils._redact import place_of, scrub

# Failures that say nothing about the right to read a name.
_PASSING = (UNAVAILABLE, RATE_LIMITED, BAD_RESPONSE)


class Stopped(Exception):
    """The rulebook ends; whatever waits gives up."""


class Service:
    """The zones as the service shows them; all share connections and the request budget."""

    def __init__(self, settings: Settings, clock: Clock, stop: threading.Event) -> None:
        self._settings = settings
        self._look = Look(settings.watch, settings.query, settings.stale_after)
        self._clock = clock
        self._stop = stop
        self._client = Client(settings.connection, sleep=self._sleep, now=clock.now)
        self._names: dict[str, str] = {}
        self._nameless: set[str] = set()
        self._counted = 0

    def learn(self, names: t.Mapping[str, str]) -> None:
        """Take over names of zones that were found before."""
        self._names.update(names)

    def discover(self) -> tuple[Zone, ...]:
        """List the zones that the credentials see."""
        client = self._client.in_zone(None)
        try:
            found = discover(client, self._settings.discover or {})
        except Failure as failure:
            raise self._public(client, failure) from None
        self._names.update({zone.id: zone.name for zone in found if zone.name})
        return found

    def check(self, zones: t.Sequence[str]) -> tuple[Zone, ...]:
        """Ask for the name of one zone, which reveals unknown credentials; return all zones with the names that are known."""
        self._find_name(zones[0], at_start=True)
        return self.with_names(zones)

    def with_names(self, zones: t.Iterable[str]) -> tuple[Zone, ...]:
        """Return zones with the names that are known by now."""
        return with_hosts((zone, self._names.get(zone)) for zone in zones)

    def look(self, zone: Zone) -> Seen | Failure:
        """Return what there is in a zone, or why it cannot be read."""
        if zone.id not in self._names and zone.id not in self._nameless:
            self._find_name(zone.id)
        client = self._client.in_zone(zone.id)
        try:
            return look_at(client, self._look, self._clock.now())
        except Stopped:
            raise
        except Failure as failure:
            return self._public(client, failure)
        except Exception as error:  # a strange answer of one zone must not end the watch over the others
            return Failure(BAD_RESPONSE, f"The service gave an unexpected response: {place_of(error)}")

    def named(self, zone: Zone) -> Zone:
        """Return the zone with its name, if that was found after the zones were listed."""
        name = self._names.get(zone.id)
        return zone if zone.name or not name else with_hosts([(zone.id, name)])[0]

    def take_count(self) -> int:
        """Return how many requests were sent since the last time."""
        before, self._counted = self._counted, self._client.tries
        return self._counted - before

    def take_warnings(self) -> list[str]:
        """Return what the client had to say since the last time."""
        said, self._client.warnings[:] = list(dict.fromkeys(self._client.warnings)), []
        return said

    def close(self) -> None:
        """Let go of connections."""
        self._client.close()

    def _find_name(self, zone_id: str, *, at_start: bool = False) -> None:
        client = self._client.in_zone(zone_id)
        try:
            name = name_of(client)
        except Failure as failure:
            if at_start and failure.kind == AUTHENTICATION and failure.status != 403:
                raise self._public(client, failure) from None
            if failure.kind in _PASSING:
                return  # asked again at the next look; until then the id stands for the name
            name = None
        if name:
            self._names[zone_id] = name
        else:
            self._nameless.add(zone_id)

    def _public(self, client: Client, failure: Failure) -> Failure:
        """Return the failure in words without secrets, at a length that can be read."""
        located = client.locate(failure)
        shown = readable_failure(scrub({"msg": str(located), "error": located.report()}, client.secrets))
        return Failure(located.kind, shown["msg"], status=located.status)

    def _sleep(self, seconds: float) -> None:
        if self._stop.wait(seconds):
            raise Stopped
