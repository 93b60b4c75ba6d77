# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The source in front of a queue from which the rulebook takes events late, or never."""

from __future__ import annotations

import asyncio
import contextlib
import json
import typing as t
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._events import source
from ansible_collections.edgeops.observability.plugins.module_utils._events.compare import Seen
from ansible_collections.edgeops.observability.plugins.module_utils._events.facts import Target
from ansible_collections.edgeops.observability.plugins.module_utils._events.observe import Clock
from ansible_collections.edgeops.observability.plugins.module_utils._events.source import watch

Event = dict[str, t.Any]
ZONES = ("a1", "b2")


class Service:
    """Two zones whose monitor changes with the first poll, or later ones."""

    polls: t.ClassVar[t.Iterator[bool]]

    def __init__(self, *_given: object) -> None:
        self.learn = self.close = lambda *given: None
        self._enabled = True

    def list_targets(self, *, at_start: bool = False) -> tuple[Target, ...]:
        return tuple(Target(zone, zone, zone) for zone in ZONES)

    def look(self, target: Target) -> Seen:
        if target.id == ZONES[0]:
            self._enabled = next(self.polls)
        return Seen(monitor=self._enabled)

    def named(self, target: Target) -> Target:
        return target

    def take_count(self) -> int:
        return 0

    def take_warnings(self) -> list[str]:
        return []


class Filtered:
    """A queue as ansible-rulebook gives it: what is put goes to one behind it."""

    def __init__(self, queue: asyncio.Queue[Event]) -> None:
        self.queue = queue

    async def put(self, event: Event) -> None:
        await self.queue.put(event)


def kinds(events: t.Iterable[Event]) -> list[tuple[str, bool]]:
    return [(event["edgeops"]["zone"]["id"], event["edgeops"]["redelivered"]) for event in events]


def run(folder: Path, polls: t.Sequence[bool], taken: t.Sequence[int], size: int) -> tuple[list[Event], list[Event]]:
    """The events that were taken, so many in the pause after each poll, and those that are pending at the end."""
    Service.polls = iter(polls)
    steps = iter(taken)
    received: list[Event] = []

    async def main() -> None:
        queue: asyncio.Queue[Event] = asyncio.Queue(size)

        async def pause(_seconds: float) -> None:
            count = next(steps, None)
            if count is None:
                raise asyncio.CancelledError
            received.extend([queue.get_nowait() for _each in range(count)])

        arguments = {"zones": list(ZONES), "api_token": "x", "state_file": str(folder / "state.json"), "watch": ["settings"]}
        with contextlib.suppress(asyncio.CancelledError):
            await watch(Filtered(queue), arguments, Clock(sleep=pause))

    asyncio.run(main())
    return received, json.loads((folder / "state.json").read_text(encoding="ascii"))["pending"]


@pytest.mark.parametrize(
    ("taken", "pending"),
    [
        ([0, 0], ["a1", "b2"]),
        ([0, 0, 0, 0], ["a1", "b2"]),
        ([0, 1, 0], ["b2"]),
        ([0, 1, 0, 0], ["b2"]),
        ([0, 1, 1, 0], []),
        ([0, 2, 0], []),
    ],
)
def test_event_is_pending_until_it_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: list[int], pending: list[str]
) -> None:
    """However many polls are complete: what still waits in the queue goes out again at the next start."""
    monkeypatch.setattr(source, "Service", Service)
    received, stored = run(tmp_path, [True, *[False] * len(taken)], taken, 2)
    assert kinds(received) == [(zone, False) for zone in ZONES[: len(received)]]
    assert [zone for zone, _again in kinds(stored)] == pending
    received, stored = run(tmp_path, [False] * 3, [len(pending), 0], 0)
    assert kinds(received) == [(zone, True) for zone in pending]
    assert stored == []
