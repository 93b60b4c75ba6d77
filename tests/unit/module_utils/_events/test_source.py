# SPDX-License-Identifier: GPL-3.0-or-later

"""The source: pending events, restarts after a kill, and the pause between two polls."""

import asyncio
import contextlib
import json
import subprocess
import sys
import types
import typing as t
from pathlib import Path

import killed_source
import pytest
from killed_source import ZONES, TwoZones

from ansible_collections.edgeops.observability.plugins.module_utils._events import source
from ansible_collections.edgeops.observability.plugins.module_utils._events.compare import Seen
from ansible_collections.edgeops.observability.plugins.module_utils._events.facts import Target
from ansible_collections.edgeops.observability.plugins.module_utils._events.observe import Clock

Event = dict[str, t.Any]


def watch(folder: Path, size: int, pause: t.Callable[[asyncio.Queue[Event], float], None], **clock: t.Any) -> list[Event]:
    """Run the source with `pause` for its pauses until that cancels it; return the events that are pending then."""

    async def main() -> None:
        queue: asyncio.Queue[Event] = asyncio.Queue(size)
        # As in ansible-rulebook, events that are put go to the queue behind the filters.
        filtered = types.SimpleNamespace(queue=queue, put=queue.put)

        async def sleep(seconds: float) -> None:
            pause(queue, seconds)

        arguments = {"zones": list(ZONES), "api_token": "x", "state_file": str(folder / "state.json"), "watch": ["settings"]}
        budget = clock.pop("budget", "300/300")
        with contextlib.suppress(asyncio.CancelledError):
            await source.watch(filtered, {**arguments, "request_budget": budget}, Clock(sleep=sleep, **clock))

    asyncio.run(main())
    return t.cast("list[Event]", json.loads((folder / "state.json").read_text(encoding="ascii"))["pending"])


def run(folder: Path, taken: t.Sequence[int], size: int) -> tuple[list[Event], list[Event]]:
    """Return the taken events, `taken` of them after each poll, and those that are pending at the end."""
    steps, received = iter(taken), []

    def pause(queue: asyncio.Queue[Event], _seconds: float) -> None:
        TwoZones.seen = Seen(monitor=False, fields={})
        count = next(steps, None)
        if count is None:
            raise asyncio.CancelledError
        received.extend([queue.get_nowait() for _each in range(count)])

    return received, watch(folder, size, pause)


def zones(events: t.Iterable[Event], redelivered: bool) -> list[str]:
    assert {event["edgeops"]["redelivered"] for event in events} <= {redelivered}
    return [event["edgeops"]["zone"]["id"] for event in events]


@pytest.mark.parametrize(
    ("taken", "pending"),
    [
        ([0, 0, 0, 0], ["a1", "b2"]),
        ([0, 1, 0, 0], ["b2"]),
        ([0, 1, 1, 0], []),
        ([0, 2, 0], []),
    ],
)
def test_event_is_pending_until_it_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: list[int], pending: list[str]
) -> None:
    """However many polls are complete, events that are still in the queue are sent again after the next start."""
    monkeypatch.setattr(source, "Service", TwoZones)
    monkeypatch.setattr(TwoZones, "seen", Seen(monitor=True, fields={}))
    received, stored = run(tmp_path, taken, 2)
    assert zones(received, False) == list(ZONES[: len(received)])
    assert zones(stored, False) == pending
    received, stored = run(tmp_path, [len(pending), 0], 0)
    assert zones(received, True) == pending
    assert stored == []


EXPECTED = {(kind, zone) for kind in ("script_changed", "script_new", "script_malicious") for zone in ZONES}


def test_kill_at_any_step_loses_nothing(tmp_path: Path) -> None:
    """Killed before any write to the disk and around any event, the source has sent each event after its next start."""
    command = [sys.executable, killed_source.__file__, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    runs = json.loads(done.stdout)
    assert len(runs) > 20
    for first, second, pending in runs:
        assert {(event["kind"], event["zone"]["id"]) for event in first + second} == EXPECTED
        fresh = [event["id"] for event in first + second if not event["redelivered"]]
        assert len(fresh) == len(set(fresh))
        assert not any(event["redelivered"] for event in first)
        assert pending == []


@pytest.mark.parametrize(
    ("budget", "busy", "requests", "pauses", "warned"),
    [
        ("300/300", 0, [50, 300], [300, 300], []),
        ("300/60", 0, [5000], [1000], [1000]),
        ("none", 0, [5_000_000], [300], []),
        # The time of a poll shortens the pause only if the interval has grown.
        ("300/300", 50, [400, 50], [350, 300], [400]),
        ("300/300", 390, [400], [300], [400]),
        # There is one warning until the interval grows again.
        ("300/300", 0, [1000, 1050, 900, 2000, 2001], [1000, 1050, 900, 2000, 2001], [1000, 2000]),
    ],
)
def test_interval_grows_with_the_budget(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    budget: str,
    busy: float,
    requests: list[int],
    pauses: list[float],
    warned: list[int],
) -> None:
    now, counts, paused = [0.0], iter(requests), []

    class Service(TwoZones):
        def look(self, target: Target) -> Seen:
            now[0] += busy if target.id == ZONES[0] else 0
            return Seen()

        def take_count(self) -> int:
            return next(counts)

    def pause(_queue: object, seconds: float) -> None:
        paused.append(seconds)
        if len(paused) == len(requests):
            raise asyncio.CancelledError

    monkeypatch.setattr(source, "Service", Service)
    watch(tmp_path, 0, pause, monotonic=lambda: now[0], budget=budget)
    assert paused == pauses
    said = [text.partition(":")[0] for text in caplog.messages]
    assert said == [f"interval grows from 300 to {seconds} seconds" for seconds in warned]
