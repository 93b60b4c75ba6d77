# SPDX-License-Identifier: GPL-3.0-or-later

import email.utils
import fcntl
import multiprocessing
import os
import secrets
import stat
import threading
import time
import typing as t

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._api.budget import (
    CAPACITY,
    Budget,
    PauseTooLong,
    State,
)
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection

FORK = multiprocessing.get_context("fork")


class Mine(Budget):
    """A budget with its warnings, on the clock of a test."""

    def __init__(self, clock: t.Any, allowance: tuple[int, float] = (3, 10.0), **options: t.Any) -> None:
        connection = Connection(**{"base_url": "https://service.example/client/v4", "token": "t", **options})
        self.warnings: list[str] = []
        super().__init__(allowance, connection, sleep=clock.sleep, now=clock.now, warn=self.warnings.append)

    def request(self, headers: t.Mapping[str, str] | None = None) -> None:
        """One request that takes no time."""
        self.settle(self.acquire(), headers or {})

    def begin_at(self, count: int) -> None:
        """As if so many requests had been made before."""

        def change(state: State) -> None:
            state.count = count
            state.save()

        self._locked(change, None)


def state_file(tmp_path: t.Any) -> t.Any:
    (found,) = (tmp_path / "state" / "edgeops.observability").iterdir()
    return found


def announcing(clock: t.Any, seconds: float, remaining: int = 0) -> dict[str, str]:
    reset = email.utils.formatdate(clock.time + seconds, usegmt=True)
    return {"x-ratelimit-remaining": str(remaining), "x-ratelimit-reset": reset}


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_no_window_ever_holds_more(new_clock, data):
    clock, token = new_clock(), secrets.token_hex()
    requests, seconds = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 20))
    budgets = [Mine(clock, (requests, seconds), token=token) for _process in range(3)]
    seen = []
    for _request in range(30):
        mine = data.draw(st.sampled_from(budgets))
        number = mine.acquire()
        clock.time += data.draw(st.floats(0, 0.5))
        seen.append(clock.time)
        clock.time += data.draw(st.floats(0, 3))
        mine.settle(number, {})
    for first, last in zip(seen, seen[requests:], strict=False):
        assert last - first >= seconds


def test_budget_is_per_credential_and_service(clock):
    pair = {"token": None, "email": "me@example.com"}
    others: list[dict[str, t.Any]] = [
        {"token": "u"},
        {"base_url": "https://other.example"},
        {**pair, "key": "k"},
        {**pair, "key": "l"},
        {**pair, "email": "you@example.com", "key": "k"},
    ]
    for options in ({}, *others):
        Mine(clock, (1, 10), **options).acquire()
    assert clock.pauses == []
    Mine(clock, (1, 10), base_url="https://SERVICE.example/other/path").acquire()
    assert clock.pauses


def test_budgets_of_different_size_read_one_log(clock):
    for _request in range(2):
        Mine(clock, (100, 10)).acquire()
    Mine(clock, (2, 10)).acquire()
    assert sum(clock.pauses) > 10


def test_state_file_has_no_credential(clock, tmp_path):
    Mine(clock, token="canary").acquire()
    found = state_file(tmp_path)
    assert b"canary" not in found.read_bytes() and "canary" not in found.name
    assert stat.S_IMODE(found.stat().st_mode) == 0o600 and stat.S_IMODE(found.parent.stat().st_mode) == 0o700
    assert found.stat().st_blocks * 512 < 65536


@pytest.mark.parametrize(
    "rubbish", [b"", b"x", b"rubbish" * 1000, os.urandom(600_000), b"edgeops1" + b"\xff" * (64 + CAPACITY * 8 - 8)]
)
def test_rubbish_is_read_as_an_empty_log(clock, tmp_path, rubbish):
    Mine(clock, (1, 10)).acquire()
    state_file(tmp_path).write_bytes(rubbish)
    mine = Mine(clock, (1, 10))
    mine.acquire()
    assert clock.pauses == []
    mine.acquire()
    assert 10 < sum(clock.pauses) < 11


def test_rubbish_among_the_times_delays_nobody(clock, tmp_path):
    mine = Mine(clock, (2, 10))
    mine.acquire()
    with state_file(tmp_path).open("r+b") as file:
        file.seek(64)
        file.write(os.urandom(64))
    for _request in range(6):
        mine.acquire()
    assert sum(clock.pauses) < 31


def test_a_clock_that_was_set_back(clock):
    mine = Mine(clock, (1, 10))
    mine.acquire()
    clock.time -= 100_000
    mine.acquire()
    assert clock.pauses == []
    mine.acquire()
    assert 10 < sum(clock.pauses) < 11


@pytest.mark.parametrize(("retry_wait_max", "waits"), [(300, [120]), (60, [])])
def test_a_pause_is_shared(clock, retry_wait_max, waits):
    """A pause of another task is waited for, unless it is longer than this task's retry_wait_max."""
    Mine(clock, (100, 10)).pause(120)
    Mine(clock, (100, 10), retry_wait_max=retry_wait_max).acquire()
    assert clock.pauses == [pytest.approx(wait) for wait in waits]


def test_the_service_may_allow_less(clock):
    mine, other = Mine(clock, (100, 10)), Mine(clock, (100, 10))
    mine.request({"x-ratelimit-limit": "100", **announcing(clock, 60, remaining=2)})
    other.acquire()
    other.acquire()
    assert clock.pauses == []
    other.acquire()
    assert sum(clock.pauses) == pytest.approx(60, abs=2)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-ratelimit-remaining": "1000", "x-ratelimit-reset": 60},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": -60},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": 10**8},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon"},
        {"x-ratelimit-remaining": "-1", "x-ratelimit-reset": 60},
    ],
)
def test_headers_never_raise_the_budget(clock, headers):
    """They never allow more requests than the budget; invalid ones, and those that the budget covers, are ignored."""
    reset = headers.get("x-ratelimit-reset")
    if isinstance(reset, int):
        headers = {**headers, "x-ratelimit-reset": announcing(clock, reset)["x-ratelimit-reset"]}
    mine = Mine(clock, (4, 10))
    for left in (3, 2, 1, 0):
        mine.request(headers or announcing(clock, 60, left))
    assert clock.pauses == []
    mine.acquire()
    assert 10 < sum(clock.pauses) < 11


@pytest.mark.parametrize("is_link", [True, False])
def test_unusable_folder_has_a_fallback(clock, tmp_path, monkeypatch, is_link):
    (tmp_path / "elsewhere").mkdir()
    if is_link:
        (tmp_path / "state").mkdir()
        (tmp_path / "state" / "edgeops.observability").symlink_to(tmp_path / "elsewhere")
    else:
        monkeypatch.setattr(os, "access", lambda path, mode: "state" not in str(path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))
    assert Mine(clock).acquire() == 0
    assert list((tmp_path / "elsewhere").glob(f"edgeops.observability-{os.geteuid()}/requests-*"))


def test_without_any_place_there_is_a_warning(clock, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/nowhere")
    monkeypatch.setattr("tempfile.tempdir", "/dev/null/nowhere")
    free = Mine(clock, (1, 10))
    free.acquire()
    free.acquire()
    assert clock.pauses == [] and "request_budget" in free.warnings[0]


@pytest.mark.parametrize("broken", ["flock", "pwrite"])
def test_a_file_that_fails_later_is_a_warning_too(clock, monkeypatch, broken):
    mine = Mine(clock, (1, 10))
    mine.acquire()

    def fail(*_arguments: t.Any) -> t.NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fcntl if broken == "flock" else os, broken, fail)
    if broken == "pwrite":
        clock.time += 100
    assert mine.acquire() is None and mine.acquire() is None
    mine.settle(None, {})
    assert mine.warnings == ["request_budget is not kept from here on: No space left on device."]


def real_budget() -> Budget:
    return Budget((10_000, 600.0), Connection("https://service.example", token="t"), sleep=time.sleep, now=time.time, warn=print)


def hammer(mine: Budget, results: t.Any) -> None:
    results.put([mine.acquire() for _request in range(50)])


@pytest.mark.parametrize("start", [FORK.Process, threading.Thread])
def test_many_count_together(start):
    """Processes open the file themselves, as tasks do; threads share a budget."""
    results, shared = FORK.SimpleQueue(), real_budget()
    budgets = [shared if start is threading.Thread else real_budget() for _number in range(8)]
    workers = [start(target=hammer, args=(mine, results)) for mine in budgets]
    for worker in workers:
        worker.start()
    numbers = [number for _worker in workers for number in results.get()]
    for worker in workers:
        worker.join(10)
    assert sorted(numbers) == list(range(400))


@pytest.mark.parametrize(
    ("replace", "reason"),
    [
        (lambda path: path.symlink_to("/dev/full"), "symbolic link"),
        (os.mkfifo, "not a file of this user"),
        (os.mkdir, "Is a directory"),
    ],
)
def test_a_state_file_of_another_kind_is_refused(clock, tmp_path, replace, reason):
    Mine(clock)
    path = state_file(tmp_path)
    path.unlink()
    replace(path)
    (warning,) = Mine(clock).warnings
    assert warning.startswith("request_budget is not kept from here on: ") and reason in warning


def test_retries_count_and_429_pauses_all(serve, client, clock):

    def talk(peer: t.Any, _number: int) -> None:
        while peer.read():
            if len(server.requests) == 1:
                peer.answer(b"", 429, Retry_After="50")
            else:
                peer.answer({})

    server = serve(talk)
    begun = clock.time
    client(server, request_budget=(2, 300.0)).call("script_monitor.get")
    assert sum(clock.pauses) == pytest.approx(50)
    # What a process beside this one reads meanwhile.
    other = Mine(clock, (2, 300.0), base_url=f"http://127.0.0.1:{server.port}", token="canary-token-4711")
    assert other._locked(lambda state: state.pause_end, 0.0) == pytest.approx(begun + 50)
    client(server, request_budget=(2, 300.0)).call("script_monitor.get")
    assert sum(clock.pauses) == pytest.approx(301, abs=2)


@pytest.mark.parametrize("first", [0, CAPACITY - 3], ids=["from the start", "around the end"])
def test_slow_request_takes_one_place(clock, first):
    """A slow request takes one place only, and one that is too slow takes none of another."""
    mine = Mine(clock)
    mine.begin_at(first)
    slow, slower = mine.acquire(), mine.acquire()
    mine.request()
    clock.time += 9
    mine.settle(slow, {})
    # Two places are free a window after they were taken; the slow one is the third, and keeps its time.
    mine.request()
    # What began more than a window ago has lost its place, so that its end must not overwrite the slow one's.
    mine.settle(slower, {})
    mine.request()
    assert 1 < sum(clock.pauses) < 1.5
    mine.acquire()
    assert 9 < sum(clock.pauses) < 10.5


@pytest.mark.parametrize("longest", [300, 59])
def test_an_announced_wait_is_a_warning(clock, longest):
    """If it is longer than the option allows, no run sleeps because of it; later runs with the same state do not either."""
    mine = Mine(clock, retry_wait_max=longest)
    mine.request(announcing(clock, 60))
    assert mine.warnings == []
    if longest < 60:
        for _again in range(2):
            with pytest.raises(PauseTooLong, match="60 s, and retry_wait_max allows 59 s"):
                mine.acquire()
        assert clock.pauses == mine.warnings == []
    else:
        mine.acquire()
        (warning,) = mine.warnings
        assert "X-RateLimit" in warning and "60 s" in warning


@pytest.mark.parametrize(("seconds", "said"), [(4.0, 0), (60.0, 1)])
def test_long_wait_is_reported_once(clock, seconds, said):
    mine = Mine(clock, (1, seconds))
    for _request in range(3):
        mine.request()
    assert len(mine.warnings) == said
    assert all("because 1 request in 60 seconds had been sent" in text for text in mine.warnings)
