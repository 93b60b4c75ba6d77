# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import asyncio
import copy
import datetime
import threading
import typing as t

from .._api.client import side_by_side
from .._core import AUTHENTICATION, RATE_LIMITED, UNAVAILABLE, Failure, invalid_option
from .._text import format_time
from .compare import Seen, compare
from .facts import Event, Target, make_event
from .observe import Clock, Service
from .options import LOGGER, Settings, settings
from .state import StateFile

_SIDE_BY_SIDE = 4
# Temporary failures: a source that starts at that time waits.
_PASSING = (UNAVAILABLE, RATE_LIMITED)
# The number of requests varies a little; warn only if the interval grew by this factor since the last warning.
_GROWTH_TO_WARN = 1.1


class Source:
    """The parts of the source that run in threads: each method may wait for the service or the disk; only one runs at a time."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._stop = threading.Event()
        self._state = StateFile(settings.state_file, clock.monotonic)
        self._service = Service(settings, clock, self._stop)
        self._targets: tuple[Target, ...] = ()
        self._refused: list[tuple[Target, Failure]] | None = []
        self._waiting: list[Event] = []
        self._warned_of: float = settings.interval
        self._begin = 0.0
        self._is_first_poll = True
        # The seconds to the next poll.
        self.pause = 0.0

    def open(self) -> list[Event]:
        """Take the state file, check that the service accepts the credentials, and return the events that are still pending."""
        self._state.open()
        self._service.learn(self._state.names)
        try:
            self._targets = self._service.list_targets(at_start=True)
        except Failure as failure:
            if failure.kind not in _PASSING:
                raise
            LOGGER.warning("Zones cannot be listed yet: %s", failure)
        else:
            if not self._targets:
                raise invalid_option("discover", "the credentials see no zone that meets the filters")
        return list(self._state.pending)

    def begin(self, waiting: int) -> tuple[int, tuple[Target, ...]]:
        """Begin a poll; return how many events count as received when it ends, and the zones and accounts to look at.

        Of the events that were put, so many are `waiting` to be taken, which a rulebook that is killed loses.
        """
        self._begin = self._clock.monotonic()
        if not self._is_first_poll:
            try:
                self._targets = self._service.list_targets()
            except Failure as failure:
                LOGGER.warning("Zones cannot be listed, so those of the last listing are watched: %s", failure)
        self._is_first_poll = False
        # A poll without zones does not prove that the credentials work.
        taken = max(0, len(self._state.pending) - waiting) if self._targets else 0
        return taken, self._targets

    def look(self, targets: t.Sequence[Target]) -> list[Event]:
        """Look at some zones and accounts, and compare; return the events that are stored and can be sent."""
        for target, seen in zip(targets, side_by_side(self._service.look, targets, _SIDE_BY_SIDE), strict=True):
            self._prove(target, seen)
        return self._stored() if self._state.is_due else []

    def complete(self, received: int) -> list[Event]:
        """End a poll of all zones, and remove the received events from the pending ones."""
        if self._refused:
            raise self._refused[0][1]
        self._state.forget(received)
        self.pause = self._next_pause(self._service.take_count())
        for warning in self._service.take_warnings():
            LOGGER.warning("%s", warning)
        return self._stored()

    def close(self) -> None:
        """Interrupt waiting requests and release the state file."""
        self._stop.set()
        self._state.close()
        self._service.close()

    def _next_pause(self, requests: int) -> float:
        """Return the interval of the user, or a longer one if a poll with this number of requests needs it; warn if that grew."""
        interval, budget = self._settings.interval, self._settings.connection.request_budget
        if budget is None:
            return interval
        needed = requests * budget[1] / budget[0]
        if needed > self._warned_of * _GROWTH_TO_WARN:
            self._warned_of = needed
            LOGGER.warning(
                "interval grows from %d to %d seconds: a poll takes %d requests, and request_budget allows %d in %d seconds."
                " Watch fewer zones, narrow watch, or raise request_budget.",
                *(interval, needed, requests, *budget),
            )
        return max(interval, needed - (self._clock.monotonic() - self._begin))

    def _prove(self, target: Target, seen: Seen | Failure) -> None:
        """Compare a zone or account. As long as all of them reject the credentials, send no event: the credentials may be wrong."""
        if self._refused is not None:
            if isinstance(seen, Failure) and seen.kind == AUTHENTICATION:
                self._refused.append((target, seen))
                return
            refused, self._refused = self._refused, None
            for earlier, failure in refused:
                self._note(earlier, failure)
        self._note(target, seen)

    def _note(self, target: Target, seen: Seen | Failure) -> None:
        moment = datetime.datetime.fromtimestamp(self._clock.now(), datetime.timezone.utc)
        now, rules = format_time(moment), self._settings.rules._replace(today=moment.date().isoformat())
        known, changes = compare(self._state.zone(target.key), seen, target, rules)
        target = self._service.named(target)
        events = [make_event(change, target, now) for change in changes]
        self._state.note(target.key, known._replace(name=target.name or known.name), events)
        self._waiting.extend(events)

    def _stored(self) -> list[Event]:
        self._state.save()
        stored, self._waiting = self._waiting, []
        return stored


async def watch(queue: t.Any, arguments: t.Mapping[str, t.Any], clock: Clock | None = None) -> None:
    """Send an event for each change, until cancelled. Requests, comparison and files run in threads, not in the loop of the rulebook.

    The queue of ansible-rulebook holds one event, which is taken when the rules are ready.
    An event is stored before it goes out and stays stored until it was taken from the queue and a poll after that is complete:
    one of which nobody knows whether it was received goes out again at the next start.
    """
    clock = clock or Clock()
    source = await asyncio.to_thread(lambda: Source(settings(arguments), clock))
    try:
        for event in await asyncio.to_thread(source.open):
            await _put(queue, event, redelivered=True)
        while True:
            received, targets = await asyncio.to_thread(source.begin, _waiting(queue))
            for start in range(0, len(targets), _SIDE_BY_SIDE):
                for event in await asyncio.to_thread(source.look, targets[start : start + _SIDE_BY_SIDE]):
                    await _put(queue, event)
            for event in await asyncio.to_thread(source.complete, received):
                await _put(queue, event)
            await clock.sleep(source.pause)
    finally:
        source.close()


async def _put(queue: t.Any, event: Event, *, redelivered: bool = False) -> None:
    sent = copy.deepcopy(event)  # filters of the rulebook change the events that they get, and this one may be stored again
    sent["edgeops"]["redelivered"] = redelivered
    await queue.put(sent)
    await asyncio.sleep(0)  # the rules have their turn before the next event


def _waiting(queue: t.Any) -> int:
    """Return the number of events in the queue; ansible-rulebook passes a filtering queue in front of the one that holds them."""
    count = getattr(getattr(queue, "queue", queue), "qsize", None)
    return int(count()) if count is not None else 0
