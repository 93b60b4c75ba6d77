# SPDX-License-Identifier: GPL-3.0-or-later

"""Replaces the loop of ansible-rulebook: collects the events of each poll, and runs a step of the test between two polls."""

import asyncio
import contextlib
import dataclasses
import time
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._events.observe import Clock
from ansible_collections.edgeops.observability.plugins.module_utils._events.source import watch

Event = dict[str, t.Any]
Step = t.Callable[[], object]


@dataclasses.dataclass
class Heard:
    """The events of each poll, and the pauses between polls."""

    polls: list[list[Event]] = dataclasses.field(default_factory=lambda: [[]])
    pauses: list[float] = dataclasses.field(default_factory=list)

    @property
    def kinds(self) -> list[list[str]]:
        """Return the kinds of the events of each poll, sorted."""
        return [sorted(event["edgeops"]["kind"] for event in poll) for poll in self.polls]

    async def put(self, event: Event) -> None:
        """Store an event, and change it as event filters do."""
        self.polls[-1].append({**event})
        event["meta"]["uuid"] = "added by a filter"


def listen(arguments: t.Mapping[str, t.Any], *steps: Step, now: t.Callable[[], float] = time.time) -> Heard:
    """Run the source for one poll, and for one more after each step; `now` is its time of day."""
    heard = Heard()
    rest = iter(steps)

    async def pause(seconds: float) -> None:
        heard.pauses.append(seconds)
        step = next(rest, None)
        if step is None:
            raise asyncio.CancelledError
        await asyncio.to_thread(step)
        heard.polls.append([])

    async def run() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await watch(heard, arguments, Clock(sleep=pause, now=now))

    asyncio.run(run())
    return heard
