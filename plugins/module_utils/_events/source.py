# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import threading
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.client import side_by_side
from ansible_collections.edgeops.observability.plugins.module_utils._errors import (
    AUTHENTICATION,
    RATE_LIMITED,
    UNAVAILABLE,
    Failure,
    invalid_option,
)
from ansible_collections.edgeops.observability.plugins.module_utils._events.clock import Clock
from ansible_collections.edgeops.observability.plugins.module_utils._events.compare import Seen, compare_zone
from ansible_collections.edgeops.observability.plugins.module_utils._events.event import Event, make_event
from ansible_collections.edgeops.observability.plugins.module_utils._events.facts import ZONES_SIDE_BY_SIDE
from ansible_collections.edgeops.observability.plugins.module_utils._events.observe import requests_for
from ansible_collections.edgeops.observability.plugins.module_utils._events.options import LOGGER, Settings
from ansible_collections.edgeops.observability.plugins.module_utils._events.pace import Pace
from ansible_collections.edgeops.observability.plugins.module_utils._events.service import Service
from ansible_collections.edgeops.observability.plugins.module_utils._events.state_file import StateFile
from ansible_collections.edgeops.observability.plugins.module_utils._events.zones import Zone
from ansible_collections.edgeops.observability.plugins.module_utils._times import format_time

# What passes by itself, so that a source that starts just then has only to wait.
_PASSING = (UNAVAILABLE, RATE_LIMITED)


class Source:
    """What the source does in threads: every method may wait for the service or a disk, and one at a time runs."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._stop = threading.Event()
        self._state = StateFile(settings.state_file, clock.monotonic)
        self._service = Service(settings, clock, self._stop)
        self._zones: tuple[Zone, ...] = ()
        self._refused: list[tuple[Zone, Failure]] | None = []
        self._waiting: list[Event] = []
        self.pace = Pace(settings.interval, settings.connection.request_budget, clock.monotonic, LOGGER.warning)

    def open(self) -> list[Event]:
        """Take the state file, check that the service accepts the credentials, and return the events that are still pending."""
        self._state.open()
        self._service.learn(self._state.names())
        try:
            self._zones = self._list()
        except Failure as failure:
            if failure.kind not in _PASSING:
                raise
            LOGGER.warning("Zones cannot be listed yet: %s", failure)
        else:
            if not self._zones:
                raise invalid_option("discover", "the credentials see no zone that meets the filters")
        return list(self._state.pending)

    def begin(self, waiting: int) -> tuple[list[Event], tuple[Zone, ...]]:
        """Begin a poll; return the events that are known when it ends, and the zones to look at.

        Of the events that were put, so many are `waiting` to be taken, which a rulebook that is killed loses.
        """
        self.pace.begin(requests_for(self._settings.watch) * len(self._zones))
        if self._settings.discover is not None and self.pace.polls > 1:
            try:
                self._zones = self._list()
            except Failure as failure:
                LOGGER.warning("Zones cannot be listed, so those of the last listing are watched: %s", failure)
        if self._settings.zones is not None and self.pace.polls > 1:
            self._zones = self._service.with_names(self._settings.zones)
        # A poll of no zones proves nothing.
        taken = max(0, len(self._state.pending) - waiting) if self._zones else 0
        return self._state.pending[:taken], self._zones

    def look(self, zones: t.Sequence[Zone]) -> list[Event]:
        """Look at some zones and compare; return the events that are stored by now and go out next."""
        for zone, seen in zip(zones, side_by_side(self._service.look, zones, ZONES_SIDE_BY_SIDE), strict=True):
            self._prove(zone, seen)
        return self._stored() if self._state.is_due else []

    def complete(self, received: t.Sequence[Event]) -> list[Event]:
        """End a poll of all zones: what was received before it is known from now on."""
        if self._refused:
            raise self._refused[0][1]
        self._state.forget(received)
        self.pace.end(self._service.take_count())
        for warning in self._service.take_warnings():
            LOGGER.warning("%s", warning)
        return self._stored()

    def close(self) -> None:
        """Stop what waits, and let another process have the state file."""
        self._stop.set()
        self._state.close()
        self._service.close()

    def _list(self) -> tuple[Zone, ...]:
        if self._settings.zones is None:
            return self._service.discover()
        return self._service.check(self._settings.zones)

    def _prove(self, zone: Zone, seen: Seen | Failure) -> None:
        """Note a zone; as long as every zone refuses the credentials, they may be the wrong ones, which is no event of a zone."""
        if self._refused is not None:
            if isinstance(seen, Failure) and seen.kind == AUTHENTICATION:
                self._refused.append((zone, seen))
                return
            refused, self._refused = self._refused, None
            for earlier, failure in refused:
                self._note(earlier, failure)
        self._note(zone, seen)

    def _note(self, zone: Zone, seen: Seen | Failure) -> None:
        known, changes = compare_zone(self._state.zone(zone.id), seen, zone.id, self._settings.rules)
        zone = self._service.named(zone)
        now = format_time(datetime.datetime.fromtimestamp(self._clock.now(), datetime.timezone.utc))
        events = [make_event(change, zone.id, zone.name, zone.host, now) for change in changes]
        self._state.note(zone.id, known._replace(name=zone.name or known.name), events)
        self._waiting.extend(events)

    def _stored(self) -> list[Event]:
        self._state.save()
        stored, self._waiting = self._waiting, []
        return stored
