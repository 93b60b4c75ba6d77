# SPDX-License-Identifier: GPL-3.0-or-later

import email.utils
import fcntl
import json
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
    Budget,
    Log,
    PauseTooLong,
    seconds_until,
    to_text,
)
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection

FORK = multiprocessing.get_context("fork")


class Mine(Budget):
    """A budget with its warnings and the reasons of its waits, on the clock of a test."""

    def __init__(self, clock: t.Any, allowance: tuple[int, float] = (3, 10.0), **options: t.Any) -> None:
        connection = Connection(**{"base_url": "https://service.example/client/v4", "token": "t", **options})
        self.warnings: list[str] = []
        self.reasons: list[str] = []
        self._clock = clock
        super().__init__(allowance, connection, now=clock.now, warn=self.warnings.append)

    def wait(self, seconds: float, reason: str) -> None:
        self.reasons.append(reason)
        self._clock.sleep(seconds)

    def begin(self) -> t.Any:
        """Count a request after the wait for it."""
        return self.acquire(self.wait)

    def request(self, headers: t.Mapping[str, str] | None = None) -> None:
        """One request that takes no time."""
        self.settle(self.begin(), headers or {})


def state_file(tmp_path: t.Any) -> t.Any:
    (found,) = (tmp_path / "state" / "edgeops.observability").glob("*.json")
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
        number = mine.begin()
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
        Mine(clock, (1, 10), **options).begin()
    assert clock.pauses == []
    Mine(clock, (1, 10), base_url="https://SERVICE.example/other/path").begin()
    assert clock.pauses


def test_budgets_of_different_size_read_one_log(clock):
    for _request in range(2):
        Mine(clock, (100, 10)).begin()
    Mine(clock, (2, 10)).begin()
    assert sum(clock.pauses) > 10


def test_state_file_has_no_credential(clock, tmp_path):
    Mine(clock, token="canary").begin()
    found = state_file(tmp_path)
    assert b"canary" not in found.read_bytes() and "canary" not in found.name
    assert stat.S_IMODE(found.stat().st_mode) == 0o600 and stat.S_IMODE(found.parent.stat().st_mode) == 0o700
    assert found.stat().st_size < 1000


def test_a_person_can_read_the_state_file(clock, tmp_path):
    mine = Mine(clock, (100, 60))
    for pause in (0.25, 0.5, 2):
        mine.request()
        clock.time += pause
    mine.pause(30)
    read = json.loads(state_file(tmp_path).read_text(encoding="utf-8"))
    assert read["requests"] == {"2027-01-15T08:00:00.250Z": 2, "2027-01-15T08:00:00.750Z": 1} or read["requests"] == {
        "2027-01-15T08:00:00.750Z": 3
    }
    assert (read["pause_until"], read["sent"]) == ("2027-01-15T08:00:32.750Z", 3)


NOT_A_LOG = [
    b"",
    b"x",
    b"[]",
    b"{",
    b'{"requests": {}, "more": 1}',
    b'{"requests": []}',
    b'{"requests": {"soon": 1}}',
    b'{"requests": {"2027-01-15T07:59:59.000Z": "1"}}',
    b'{"requests": {"2027-01-15T07:59:59.000Z": true}}',
    b'{"sent": 1.5}',
    b'{"allowed": null}',
    b'{"pause_until": 5}',
    b'{"allowed_until": "2027"}',
    b'{"announced": {"7": 5}}',
    b'{"window": "300"}',
    b'{"window": -1}',
    b'{"window": 3602}',
    b'{"window": NaN}',
    b"[" * 100_000,
    os.urandom(600_000),
]


@pytest.mark.parametrize("content", NOT_A_LOG)
def test_an_unreadable_file_is_replaced_with_a_warning(clock, tmp_path, content):
    Mine(clock, (1, 10)).begin()
    state_file(tmp_path).write_bytes(content)
    mine = Mine(clock, (1, 10))
    mine.begin()
    assert clock.pauses == []
    assert mine.warnings == [f"request_budget: {state_file(tmp_path)} is not a record of requests and is replaced."]
    mine.begin()
    assert 10 < sum(clock.pauses) < 11 and len(mine.warnings) == 1


def test_a_written_file_can_be_read(clock, tmp_path):
    """Each member by itself, so that the unreadable ones above are unreadable for one reason."""
    mine = Mine(clock, (100, 10))
    mine.request(announcing(clock, 60, remaining=2))
    mine.pause(5)
    mine.announce()
    for name, value in json.loads(state_file(tmp_path).read_text(encoding="utf-8")).items():
        assert value and Log.parse(json.dumps({name: value}).encode()) == Log(**{name: value})


def test_impossible_counts_delay_nobody_for_ever(clock, tmp_path):
    mine = Mine(clock, (2, 10))
    mine.begin()
    counts = {"2027-01-15T07:59:59.000Z": -(10**9), "2027-01-15T08:00:00.999Z": 10**9, "9999-99-99T99:99:99.999Z": 10**9}
    state_file(tmp_path).write_text(json.dumps({"requests": counts}), encoding="utf-8")
    for _request in range(6):
        mine.begin()
    assert sum(clock.pauses) < 42


def test_a_clock_that_was_set_back(clock):
    mine = Mine(clock, (1, 10))
    mine.begin()
    clock.time -= 100_000
    mine.begin()
    assert clock.pauses == []
    mine.begin()
    assert 10 < sum(clock.pauses) < 11


@pytest.mark.parametrize(("retry_wait_max", "waits"), [(300, [120]), (60, [])])
def test_a_pause_is_shared(clock, retry_wait_max, waits):
    """A pause of another task is waited for, unless it is longer than this task's retry_wait_max."""
    Mine(clock, (100, 10)).pause(120)
    Mine(clock, (100, 10), retry_wait_max=retry_wait_max).begin()
    assert clock.pauses == [pytest.approx(wait) for wait in waits]


def test_the_service_may_allow_less(clock):
    mine, other = Mine(clock, (100, 10)), Mine(clock, (100, 10))
    mine.request({"x-ratelimit-limit": "100", **announcing(clock, 60, remaining=2)})
    other.begin()
    other.begin()
    assert clock.pauses == []
    other.begin()
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
    mine.begin()
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
    assert Mine(clock).begin().number == 0
    assert list((tmp_path / "elsewhere").glob(f"edgeops.observability-{os.geteuid()}/requests-*"))


def test_without_any_place_there_is_a_warning(clock, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/nowhere")
    monkeypatch.setattr("tempfile.tempdir", "/dev/null/nowhere")
    free = Mine(clock, (1, 10))
    free.begin()
    free.begin()
    assert clock.pauses == [] and "request_budget" in free.warnings[0]


@pytest.mark.parametrize("broken", [(fcntl, "flock"), (os, "rename")], ids=["lock", "file"])
def test_a_file_that_fails_later_is_a_warning_too(clock, monkeypatch, broken):
    mine = Mine(clock, (1, 10))
    mine.begin()

    def fail(*_arguments: t.Any) -> t.NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*broken, fail)
    clock.time += 100
    assert mine.begin() is None and mine.begin() is None
    mine.settle(None, {})
    assert mine.announce() is True
    assert mine.warnings == ["request_budget is not kept from here on: No space left on device."]


def real_budget() -> Budget:
    return Budget((10_000, 600.0), Connection("https://service.example", token="t"), now=time.time, warn=print)


def hammer(mine: Budget, results: t.Any) -> None:
    results.put([mine.acquire(lambda seconds, _reason: time.sleep(seconds)).number for _request in range(50)])


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


def link(path):
    path.symlink_to("/dev/full")


@pytest.mark.parametrize(
    ("suffix", "replace"), [("", link), ("", os.mkfifo), ("", os.mkdir), (".lock", link), (".lock", os.mkdir)]
)
def test_a_state_file_of_another_kind_is_refused(clock, tmp_path, replace, suffix):
    Mine(clock).begin()
    path = state_file(tmp_path)
    path = path.with_name(path.name + suffix)
    path.unlink()
    replace(path)
    mine = Mine(clock, (1, 10))
    mine.begin()
    mine.begin()
    (warning,) = mine.warnings
    assert warning.startswith("request_budget is not kept from here on: ") and clock.pauses == []


def test_retries_count_and_429_pauses_all(serve, client, clock, tmp_path):
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
    assert Log.parse(state_file(tmp_path).read_bytes()).pause_until == to_text(begun + 50)
    client(server, request_budget=(2, 300.0)).call("script_monitor.get")
    assert sum(clock.pauses) == pytest.approx(303, abs=2)


def test_slow_request_takes_one_place(clock):
    """A slow request takes one place, of its end; one that is slower than the window takes one again when it ends."""
    mine = Mine(clock)
    slow, slower = mine.begin(), mine.begin()
    mine.request()
    clock.time += 9
    mine.settle(slow, {})
    # Two places are free a window after they were taken; the slow one keeps the third.
    mine.request()
    assert 1 < sum(clock.pauses) < 1.5
    mine.settle(slower, {})
    clock.pauses.clear()
    mine.request()
    # The slow one leaves a window after its end.
    assert 8 < sum(clock.pauses) < 10


def test_requests_of_a_second_leave_with_the_latest_of_them(clock):
    mine = Mine(clock, (2, 10))
    mine.request()
    clock.time += 0.5
    mine.request()
    clock.time += 8
    mine.request()
    assert sum(clock.pauses) == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("window", [10, 3600])
def test_the_file_keeps_the_longest_window(clock, tmp_path, window):
    """Of the tasks that use it, until nothing is left in it."""
    Mine(clock, (5, window)).request()
    clock.time += 20
    other = Mine(clock, (5, 10))
    other.request()
    assert len(Log.parse(state_file(tmp_path).read_bytes()).requests) == (2 if window == 3600 else 1)
    clock.time += 4000
    other.request()
    other.request()
    assert Log.parse(state_file(tmp_path).read_bytes()).window < 11


def test_a_run_announces_once(clock, monkeypatch):
    mine, other = Mine(clock), Mine(clock)
    assert [each.announce() for each in (mine, other, mine)] == [True, False, False]
    monkeypatch.setattr(os, "getppid", lambda: -1)
    assert [each.announce() for each in (mine, other)] == [True, False]


@pytest.mark.parametrize("moment", [0.0, 1_800_000_000.0, 1_800_000_000.25, 1_800_000_000.9991, 1_800_000_059.9999])
def test_texts_of_times(moment):
    """They are in the order of their times, and never earlier."""
    text = to_text(moment)
    assert seconds_until(text, moment - 5, 10) == pytest.approx(5.0005, abs=0.0006)
    assert to_text(moment - 0.0011) < text < to_text(moment + 0.0011) and len(text) == 24


@pytest.mark.parametrize("text", ["", "soon", "2027-13-15T08:00:00.000Z", to_text(1_799_999_999), to_text(1_800_000_011)])
def test_no_time_to_wait_for(text):
    assert seconds_until(text, 1_800_000_000.0, 10) == 0


@pytest.mark.parametrize("longest", [300, 59])
def test_an_announced_wait(clock, longest):
    """If it is longer than the option allows, no run sleeps because of it; later runs with the same state do not either."""
    mine = Mine(clock, retry_wait_max=longest)
    mine.request(announcing(clock, 60))
    if longest < 60:
        for _again in range(2):
            with pytest.raises(PauseTooLong, match=r"leave no request for 60 s, and retry_wait_max allows 59 s$"):
                mine.begin()
        assert clock.pauses == mine.reasons == []
    else:
        mine.begin()
        assert mine.reasons == ["X-RateLimit-Remaining and X-RateLimit-Reset of the service leave no request"]
    assert mine.warnings == []


def test_the_reason_of_a_wait(clock):
    mine = Mine(clock, (1, 60.0))
    mine.request()
    mine.begin()
    mine.pause(100)
    mine.begin()
    assert mine.reasons == [
        "1 request in 60 seconds were sent with this credential, by all tasks of this user on this machine (request_budget)",
        "the service asked for this pause (HTTP 429)",
    ]
