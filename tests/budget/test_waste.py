# SPDX-License-Identifier: GPL-3.0-or-later

"""Many parallel tasks need several times the budget, with a clock that only sleeping moves: no task waits longer than necessary."""

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
# Requests of one second are counted together, with the time of the last one.
WINDOW = SECONDS * 1.01 + 1.002
WORKERS, CALLS = 12, 6


class Turns:
    """A clock for threads that take turns: the thread whose sleep ends first runs next."""

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
        """Run all functions in parallel, and skip the time in which all of them sleep."""
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
    """A request: when its task was ready, when it was sent, when the service received it, and when it ended."""

    asked: float
    begun: float
    seen: float
    ended: float


def work(turns: Turns, pauses: t.Iterator[float], sent: list[Sent]) -> None:
    """Send the requests of one task, with its own budget object; the service receives each halfway."""
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
    seen = sorted(request.seen for request in sent)
    for first, last in zip(seen, seen[REQUESTS:], strict=False):
        assert last - first >= SECONDS
    waited = [request for request in sent if request.begun > request.asked]
    for request in waited:
        # Just before the request, the budget was used up: by requests that ended less than a window ago or had not ended.
        moment = request.begun - 0.001
        used = [other for other in sent if other.begun < moment < other.ended + WINDOW]
        assert len(used) >= REQUESTS, (
            f"begun {request.begun - begun:.3f} s after the start, with {len(used)} requests in the window"
        )
    assert len(waited) >= len(sent) // 3
    ideal = (len(sent) - 1) // REQUESTS * SECONDS
    if max(latency) < 1:
        assert ideal <= seen[-1] - begun <= ideal * 1.02
    cases["requests that the budget made wait, none of them longer than it demands"] += len(waited)
