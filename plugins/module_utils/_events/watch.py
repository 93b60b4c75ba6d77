# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import asyncio
import copy
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._events.clock import Clock
from ansible_collections.edgeops.observability.plugins.module_utils._events.event import Event, again
from ansible_collections.edgeops.observability.plugins.module_utils._events.facts import ZONES_SIDE_BY_SIDE
from ansible_collections.edgeops.observability.plugins.module_utils._events.options import settings
from ansible_collections.edgeops.observability.plugins.module_utils._events.source import Source


class Queue(t.Protocol):
    """Where ansible-rulebook takes events from; it holds one, which is taken when the rules have time for it."""

    async def put(self, event: Event, /) -> None:
        """Put an event in, waiting for space."""


async def watch(queue: Queue, arguments: t.Mapping[str, t.Any], clock: Clock | None = None) -> None:
    """Send what changes in the zones, until cancelled. Whatever takes time runs in a thread, beside the loop of the rulebook.

    An event is stored before it goes out and stays stored until it was taken from the queue and a poll after that is complete:
    one of which nobody knows whether it was received goes out again at the next start.
    """
    clock = clock or Clock()
    source = await asyncio.to_thread(lambda: Source(settings(arguments), clock))
    try:
        for event in await asyncio.to_thread(source.open):
            await _put(queue, again(event))
        while True:
            received, zones = await asyncio.to_thread(source.begin, _waiting(queue))
            for start in range(0, len(zones), ZONES_SIDE_BY_SIDE):
                for event in await asyncio.to_thread(source.look, zones[start : start + ZONES_SIDE_BY_SIDE]):
                    await _put(queue, event)
            for event in await asyncio.to_thread(source.complete, received):
                await _put(queue, event)
            await clock.sleep(source.pace.pause)
    finally:
        source.close()


async def _put(queue: Queue, event: Event) -> None:
    # Filters of the rulebook write into what they get, and this one may be stored once more.
    await queue.put(copy.deepcopy(event))
    await asyncio.sleep(0)  # the rules have their turn before the next event


def _waiting(queue: Queue) -> int:
    """Return how many events wait in the queue; ansible-rulebook gives one that filters, in front of the one that waits."""
    count = getattr(getattr(queue, "queue", queue), "qsize", None)
    return int(count()) if count is not None else 0
