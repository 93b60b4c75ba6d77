# SPDX-License-Identifier: GPL-3.0-or-later

"""The source: which events stay pending, what a kill loses, and how long the pause between two polls is."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._events import source
from ansible_collections.edgeops.observability.plugins.module_utils._events.compare import Seen
from ansible_collections.edgeops.observability.plugins.module_utils._events.facts import Target
from ansible_collections.edgeops.observability.plugins.module_utils._events.observe import Clock
from ansible_collections.edgeops.observability.plugins.module_utils._events.source import Pace, watch

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


PROGRAM = Path(__file__).resolve().parents[3] / "support" / "killed_source.py"
EXPECTED = {(kind, zone) for kind in ("script_changed", "script_new", "script_malicious") for zone in ("a1", "b2")}


def test_kill_at_any_step_loses_nothing(tmp_path: Path) -> None:
    """Killed before each write to the disk and around each event, the source has sent everything after its next start."""
    done = subprocess.run([sys.executable, PROGRAM, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    runs = json.loads(done.stdout)
    assert len(runs) > 20
    for first, second, pending in runs:
        assert {(event["kind"], event["zone"]["id"]) for event in first + second} == EXPECTED
        fresh = [event["id"] for event in first + second if not event["redelivered"]]
        assert len(fresh) == len(set(fresh))
        assert not any(event["redelivered"] for event in first)
        assert pending == []


class World:
    """A clock that is set by hand."""

    now = 0.0

    def pace(self, budget: tuple[int, float] | None) -> Pace:
        return Pace(300, budget, lambda: self.now)


@pytest.mark.parametrize(
    ("budget", "requests", "pause", "warned"),
    [
        ((300, 300.0), 50, 300, False),
        ((300, 300.0), 300, 300, False),
        ((300, 300.0), 5000, 5000, True),
        ((300, 60.0), 5000, 1000, True),
        (None, 5_000_000, 300, False),
    ],
)
def test_interval_grows_with_the_budget(
    budget: tuple[int, float] | None, requests: int, pause: float, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Interval grows with what the budget needs."""
    pace = World().pace(budget)
    pace.begin()
    assert pace.end(requests) == pause
    assert (f"interval grows from 300 to {pause} seconds" in caplog.text) is warned


def test_grown_interval_includes_the_poll() -> None:
    """The time of a poll counts towards an interval that has grown, and no other."""
    world = World()
    pace = world.pace((300, 300.0))
    pace.begin()
    world.now = 50
    assert pace.end(400) == 350
    world.now = 390
    assert pace.end(400) == 300


def test_warning_comes_once_until_it_grows_again(caplog: pytest.LogCaptureFixture) -> None:
    pace = World().pace((300, 300.0))
    for requests in (1000, 1001, 1050, 900, 1050, 2000, 2001):
        pace.end(requests)
    assert [text.partition(":")[0] for text in caplog.messages] == [
        "interval grows from 300 to 1000 seconds",
        "interval grows from 300 to 2000 seconds",
    ]
