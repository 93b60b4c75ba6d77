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


class ClockedBudget(Budget):
    """A budget with the clock of the test, its warnings, and the reasons of its waits."""

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
        """Wait until a request is allowed, and count it."""
        return self.acquire(self.wait)

    def request(self, headers: t.Mapping[str, str] | None = None) -> None:
        """Count a request that takes no time."""
        self.settle(self.begin(), headers or {})


def state_file(tmp_path: t.Any) -> t.Any:
    (path,) = (tmp_path / "state" / "edgeops.observability").glob("*.json")
    return path


def announcing(clock: t.Any, seconds: float, remaining: int = 0) -> dict[str, str]:
    reset = email.utils.formatdate(clock.time + seconds, usegmt=True)
    return {"x-ratelimit-remaining": str(remaining), "x-ratelimit-reset": reset}


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_no_window_exceeds_the_budget(new_clock, data):
    clock, token = new_clock(), secrets.token_hex()
    requests, seconds = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 20))
    budgets = [ClockedBudget(clock, (requests, seconds), token=token) for _process in range(3)]
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
        ClockedBudget(clock, (1, 10), **options).begin()
    assert clock.pauses == []
    ClockedBudget(clock, (1, 10), base_url="https://SERVICE.example/other/path").begin()
    assert clock.pauses


def test_budgets_of_different_size_share_one_file(clock):
    for _request in range(2):
        ClockedBudget(clock, (100, 10)).begin()
    ClockedBudget(clock, (2, 10)).begin()
    assert sum(clock.pauses) > 10


def test_state_file_has_no_credential(clock, tmp_path):
    ClockedBudget(clock, token="canary").begin()
    path = state_file(tmp_path)
    assert b"canary" not in path.read_bytes() and "canary" not in path.name
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.stat().st_size < 1000


def test_state_file_is_readable_text(clock, tmp_path):
    mine = ClockedBudget(clock, (100, 60))
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
def test_invalid_file_is_replaced_with_a_warning(clock, tmp_path, content):
    ClockedBudget(clock, (1, 10)).begin()
    state_file(tmp_path).write_bytes(content)
    mine = ClockedBudget(clock, (1, 10))
    mine.begin()
    assert clock.pauses == []
    assert mine.warnings == [f"request_budget: {state_file(tmp_path)} is not a record of requests and is replaced."]
    mine.begin()
    assert 10 < sum(clock.pauses) < 11 and len(mine.warnings) == 1


def link(path):
    path.symlink_to("/dev/full")


@pytest.mark.parametrize("replace", [link, os.mkfifo])
def test_unreadable_file_is_replaced_with_a_warning(clock, tmp_path, replace):
    """A device and a pipe cannot be read, not even by root."""
    ClockedBudget(clock, (1, 10)).begin()
    path = state_file(tmp_path)
    path.unlink()
    replace(path)
    mine = ClockedBudget(clock, (1, 10))
    mine.begin()
    assert mine.warnings == [f"request_budget: {path} is not a record of requests and is replaced."]
    mine.begin()
    assert 10 < sum(clock.pauses) < 11 and path.is_file() and not path.is_symlink()


def test_each_member_of_the_file_is_read_back(clock, tmp_path):
    """Each member alone can be read, so that the invalid files above are invalid for the intended reason only."""
    mine = ClockedBudget(clock, (100, 10))
    mine.request(announcing(clock, 60, remaining=2))
    mine.pause(5)
    mine.announce()
    for name, value in json.loads(state_file(tmp_path).read_text(encoding="utf-8")).items():
        assert value and Log.parse(json.dumps({name: value}).encode()) == Log(**{name: value})


def test_impossible_counts_cause_no_endless_wait(clock, tmp_path):
    mine = ClockedBudget(clock, (2, 10))
    mine.begin()
    counts = {"2027-01-15T07:59:59.000Z": -(10**9), "2027-01-15T08:00:00.999Z": 10**9, "9999-99-99T99:99:99.999Z": 10**9}
    state_file(tmp_path).write_text(json.dumps({"requests": counts}), encoding="utf-8")
    for _request in range(6):
        mine.begin()
    assert sum(clock.pauses) < 42


def test_clock_that_is_set_back_causes_no_long_wait(clock):
    mine = ClockedBudget(clock, (1, 10))
    mine.begin()
    clock.time -= 100_000
    mine.begin()
    assert clock.pauses == []
    mine.begin()
    assert 10 < sum(clock.pauses) < 11


@pytest.mark.parametrize(("retry_wait_max", "waits"), [(300, [120]), (60, [])])
def test_pause_is_shared(clock, retry_wait_max, waits):
    """A task observes the pause of another task, unless it is longer than its own retry_wait_max."""
    ClockedBudget(clock, (100, 10)).pause(120)
    ClockedBudget(clock, (100, 10), retry_wait_max=retry_wait_max).begin()
    assert clock.pauses == [pytest.approx(wait) for wait in waits]


def test_rate_limit_headers_can_reduce_the_budget(clock):
    mine, other = ClockedBudget(clock, (100, 10)), ClockedBudget(clock, (100, 10))
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
    """Headers never allow more than the budget; invalid ones, and those that allow as much, are ignored."""
    reset = headers.get("x-ratelimit-reset")
    if isinstance(reset, int):
        headers = {**headers, "x-ratelimit-reset": announcing(clock, reset)["x-ratelimit-reset"]}
    mine = ClockedBudget(clock, (4, 10))
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
    assert ClockedBudget(clock).begin().number == 0
    assert list((tmp_path / "elsewhere").glob(f"edgeops.observability-{os.geteuid()}/requests-*"))


def test_without_a_usable_folder_there_is_a_warning(clock, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/nowhere")
    monkeypatch.setattr("tempfile.tempdir", "/dev/null/nowhere")
    free = ClockedBudget(clock, (1, 10))
    free.begin()
    free.begin()
    assert clock.pauses == [] and "request_budget" in free.warnings[0]


@pytest.mark.parametrize("broken", [(fcntl, "flock"), (os, "rename")], ids=["lock", "file"])
def test_later_failure_of_the_file_is_a_warning(clock, monkeypatch, broken):
    mine = ClockedBudget(clock, (1, 10))
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


def send_requests(mine: Budget, results: t.Any) -> None:
    results.put([mine.acquire(lambda seconds, _reason: time.sleep(seconds)).number for _request in range(50)])


@pytest.mark.parametrize("start", [FORK.Process, threading.Thread])
def test_processes_and_threads_share_the_budget(start):
    """Processes open the file themselves, as tasks do; threads share a budget."""
    results, shared = FORK.SimpleQueue(), real_budget()
    budgets = [shared if start is threading.Thread else real_budget() for _number in range(8)]
    workers = [start(target=send_requests, args=(mine, results)) for mine in budgets]
    for worker in workers:
        worker.start()
    numbers = [number for _worker in workers for number in results.get()]
    for worker in workers:
        worker.join(10)
    assert sorted(numbers) == list(range(400))


@pytest.mark.parametrize(("suffix", "replace"), [("", os.mkdir), (".lock", link), (".lock", os.mkdir)])
def test_what_cannot_be_replaced_is_refused(clock, tmp_path, replace, suffix):
    ClockedBudget(clock).begin()
    path = state_file(tmp_path)
    path = path.with_name(path.name + suffix)
    path.unlink()
    replace(path)
    mine = ClockedBudget(clock, (1, 10))
    mine.begin()
    mine.begin()
    (warning,) = mine.warnings
    assert warning.startswith("request_budget is not kept from here on: ") and clock.pauses == []


def test_retries_count_and_429_pauses_all_tasks(serve, client, clock, tmp_path):
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
    # Another process can read this pause in the file.
    assert Log.parse(state_file(tmp_path).read_bytes()).pause_until == to_text(begun + 50)
    client(server, request_budget=(2, 300.0)).call("script_monitor.get")
    assert sum(clock.pauses) == pytest.approx(303, abs=2)


def test_slow_request_counts_from_its_end(clock):
    """A slow request counts once, from its end on; one that is slower than the window counts again when it ends."""
    mine = ClockedBudget(clock)
    slow, slower = mine.begin(), mine.begin()
    mine.request()
    clock.time += 9
    mine.settle(slow, {})
    # Two of three requests are allowed again one window after the first ones; the slow request still counts.
    mine.request()
    assert 1 < sum(clock.pauses) < 1.5
    mine.settle(slower, {})
    clock.pauses.clear()
    mine.request()
    # The slow request counts until one window after its end.
    assert 8 < sum(clock.pauses) < 10


def test_requests_of_one_second_expire_together(clock):
    mine = ClockedBudget(clock, (2, 10))
    mine.request()
    clock.time += 0.5
    mine.request()
    clock.time += 8
    mine.request()
    assert sum(clock.pauses) == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("window", [10, 3600])
def test_file_keeps_requests_for_the_longest_window(clock, tmp_path, window):
    """The file keeps requests for the longest window of the tasks that use it, as long as it has any."""
    ClockedBudget(clock, (5, window)).request()
    clock.time += 20
    other = ClockedBudget(clock, (5, 10))
    other.request()
    assert len(Log.parse(state_file(tmp_path).read_bytes()).requests) == (2 if window == 3600 else 1)
    clock.time += 4000
    other.request()
    other.request()
    assert Log.parse(state_file(tmp_path).read_bytes()).window < 11


def test_wait_is_announced_once_per_run(clock, monkeypatch):
    mine, other = ClockedBudget(clock), ClockedBudget(clock)
    assert [budget.announce() for budget in (mine, other, mine)] == [True, False, False]
    monkeypatch.setattr(os, "getppid", lambda: -1)
    assert [budget.announce() for budget in (mine, other)] == [True, False]


@pytest.mark.parametrize("moment", [0.0, 1_800_000_000.0, 1_800_000_000.25, 1_800_000_000.9991, 1_800_000_059.9999])
def test_times_as_text_sort_like_times(moment):
    """Texts sort like the times that they represent, and are never earlier than these times."""
    text = to_text(moment)
    assert seconds_until(text, moment - 5, 10) == pytest.approx(5.0005, abs=0.0006)
    assert to_text(moment - 0.0011) < text < to_text(moment + 0.0011) and len(text) == 24


@pytest.mark.parametrize("text", ["", "soon", "2027-13-15T08:00:00.000Z", to_text(1_799_999_999), to_text(1_800_000_011)])
def test_invalid_and_past_times_are_ignored(text):
    assert seconds_until(text, 1_800_000_000.0, 10) == 0


@pytest.mark.parametrize("longest", [300, 59])
def test_wait_for_rate_limit_headers_has_a_maximum(clock, longest):
    """A wait that is longer than the option allows is a failure without sleep, also in later runs with the same file."""
    mine = ClockedBudget(clock, retry_wait_max=longest)
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


def test_each_wait_has_its_reason(clock):
    mine = ClockedBudget(clock, (1, 60.0))
    mine.request()
    mine.begin()
    mine.pause(100)
    mine.begin()
    assert mine.reasons == [
        "1 request in 60 seconds were sent with this credential, by all tasks of this user on this machine (request_budget)",
        "the service asked for this pause (HTTP 429)",
    ]
