# SPDX-License-Identifier: GPL-3.0-or-later

"""Many tasks at once that need several times the budget, on a clock that only waiting moves: no task waits longer than the budget demands."""

import functools
import heapq
import itertools
import threading
import typing as t
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._api.budget import Budget
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection

REQUESTS, SECONDS = 20, 50
# Requests are counted by the second, with the time of the latest of them.
WINDOW = SECONDS * 1.01 + 1.002
WORKERS, CALLS = 12, 6


class Turns:
    """A clock for threads of which one runs at a time: the one whose sleep ends first."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0
        self._sleepers: list[tuple[float, int, threading.Event]] = []
        self._order = itertools.count()

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        awake = self._enter(self.time + seconds)
        self._next()
        awake.wait()

    def run(self, works: t.Sequence[t.Callable[[], None]]) -> None:
        """Run all works at once, in as little time as they need."""
        threads = [threading.Thread(target=self._work, args=(work, self._enter(self.time)), daemon=True) for work in works]
        for thread in threads:
            thread.start()
        self._next()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()

    def _enter(self, time: float) -> threading.Event:
        awake = threading.Event()
        heapq.heappush(self._sleepers, (time, next(self._order), awake))
        return awake

    def _work(self, work: t.Callable[[], None], awake: threading.Event) -> None:
        awake.wait()
        try:
            work()
        finally:
            self._next()

    def _next(self) -> None:
        if self._sleepers:
            self.time, _order, awake = heapq.heappop(self._sleepers)
            awake.set()


class Sent(t.NamedTuple):
    """A request: when it was due, when it began, when the service saw it, and when it ended."""

    asked: float
    begun: float
    seen: float
    ended: float


def work(turns: Turns, pauses: t.Iterator[float], sent: list[Sent]) -> None:
    """The requests of a task with a budget of its own, each of which the service sees in the middle."""
    connection = Connection("https://service.example", token="t")
    budget = Budget((REQUESTS, SECONDS), connection, now=turns.now, warn=lambda text: None)
    for _request in range(CALLS):
        asked = turns.time
        begun_request = budget.acquire(lambda seconds, _reason: turns.sleep(seconds))
        begun, pause = turns.time, next(pauses)
        turns.sleep(pause / 2)
        seen = turns.time
        turns.sleep(pause / 2)
        sent.append(Sent(asked, begun, seen, turns.time))
        budget.settle(begun_request, {})


@pytest.mark.parametrize(
    "latency",
    [(0.2,), (0.0,), (*[0.2] * 9, 28.0), (*[0.1] * 16, 45.0), (0.1, 0.3, 5.0)],
    ids=["quick", "instant", "slow now and then", "very slow now and then", "uneven"],
)
def test_no_task_waits_longer_than_needed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, latency: t.Sequence[float], cases: t.Any
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    turns, sent = Turns(), list[Sent]()
    begun = turns.time
    turns.run([functools.partial(work, turns, itertools.cycle(latency), sent)] * WORKERS)
    assert len(sent) == WORKERS * CALLS >= 3 * REQUESTS
    seen = sorted(each.seen for each in sent)
    for first, last in zip(seen, seen[REQUESTS:], strict=False):
        assert last - first >= SECONDS
    waited = [each for each in sent if each.begun > each.asked]
    for each in waited:
        # A moment earlier the budget was used up: by what had ended a window ago or less, and by what had not ended.
        moment = each.begun - 0.001
        used = [other for other in sent if other.begun < moment < other.ended + WINDOW]
        assert len(used) >= REQUESTS, f"begun {each.begun - begun:.3f} s after the start, with {len(used)} requests in the window"
    assert len(waited) >= len(sent) // 3
    ideal = (len(sent) - 1) // REQUESTS * SECONDS
    if max(latency) < 1:
        assert ideal <= seen[-1] - begun <= ideal * 1.02
    cases["requests that the budget made wait, none of them longer than it demands"] += len(waited)
