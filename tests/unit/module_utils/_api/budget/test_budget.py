# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import email.utils
import fcntl
import multiprocessing
import os
import pathlib
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
    Ledger,
    PauseTooLong,
    Unlimited,
    parse_budget,
)
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure

URL = "https://service.example/client/v4"


def budget(clock: t.Any, allowance: tuple[int, float] | None = (3, 10.0), **options: t.Any) -> Unlimited:
    connection = Connection(options.pop("url", URL), request_budget=allowance, **{"token": "t", **options})
    warnings: list[str] = []
    made = Budget.of(connection, sleep=clock.sleep, now=clock.now, warn=warnings.append)
    made.warnings = warnings  # type: ignore[attr-defined]  # for the tests only
    return made


def state_file(tmp_path: t.Any) -> t.Any:
    (found,) = (tmp_path / "state" / "edgeops.observability").iterdir()
    return found


def date(moment: float) -> str:
    return email.utils.formatdate(moment, usegmt=True)


@pytest.mark.parametrize(("text", "meaning"), [("1200/300", (1200, 300.0)), (" 1/1 ", (1, 1.0)), ("none", None), ("None", None)])
def test_budgets(text: str, meaning: t.Any) -> None:
    assert parse_budget(text) == meaning


@pytest.mark.parametrize(
    "text", ["", "0/5", "5/0", "5", "5/", "/5", "5/5/5", "-1/5", "1.5/5", "5/x", "65537/1", "1/86401", "٣/٣", "1e3/5"]
)
def test_budgets_that_are_refused(text: str) -> None:
    with pytest.raises(Failure) as caught:
        parse_budget(text)
    assert caught.value.kind == "invalid_option" and caught.value.message.startswith("request_budget: ")


def test_requests_within_the_budget_do_not_wait(clock: t.Any) -> None:
    mine = budget(clock)
    for number in range(3):
        assert mine.acquire() == number
    assert clock.pauses == []


def test_one_request_over_waits_one_window(clock: t.Any) -> None:
    """One more request waits for the window, and hardly longer."""
    mine = budget(clock)
    for _request in range(9):
        mine.settle(mine.acquire(), {})
    assert 20 < sum(clock.pauses) < 20 * 1.1


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_no_window_ever_holds_more(new_clock: t.Callable[[], t.Any], data: st.DataObject) -> None:
    clock = new_clock()
    path = pathlib.Path(os.environ["XDG_STATE_HOME"]).with_name(f"ledger-{time.monotonic_ns()}")
    requests, seconds = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 20))
    budgets = [Budget(Ledger(str(path)), (requests, seconds), 300, clock.sleep, clock.now, print) for _process in range(3)]
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
    path.unlink()


def test_budget_is_per_credential_and_service(clock: t.Any) -> None:
    """Credentials and services have budgets of their own."""
    budgets = [budget(clock, (1, 10)), budget(clock, (1, 10), token="u"), budget(clock, (1, 10), url="https://other.example")]
    for mine in budgets:
        mine.acquire()
    assert clock.pauses == []
    budget(clock, (1, 10), url=URL + "/").acquire()
    assert clock.pauses


def test_budgets_of_different_size_read_one_log(clock: t.Any) -> None:
    wide, narrow = budget(clock, (100, 10)), budget(clock, (2, 10))
    wide.acquire()
    wide.acquire()
    narrow.acquire()
    assert sum(clock.pauses) > 10


def test_no_budget_never_waits(clock: t.Any, tmp_path: t.Any) -> None:
    """Without a budget nothing waits and nothing counts."""
    free = budget(clock, None)
    for _request in range(9):
        free.settle(free.acquire(), {})
    free.pause(100)
    budget(clock, (1, 10)).acquire()
    assert clock.pauses == []


def test_state_file_has_no_credential(clock: t.Any, tmp_path: t.Any) -> None:
    """The state file holds no credential, and only its owner can read it."""
    budget(clock, token="canary").acquire()
    found = state_file(tmp_path)
    assert b"canary" not in found.read_bytes() and "canary" not in found.name
    assert stat.S_IMODE(found.stat().st_mode) == 0o600 and stat.S_IMODE(found.parent.stat().st_mode) == 0o700
    assert found.stat().st_blocks * 512 < 65536


@pytest.mark.parametrize(
    "rubbish", [b"", b"x", b"rubbish" * 1000, os.urandom(600_000), b"edgeops1" + b"\xff" * (64 + CAPACITY * 8 - 8)]
)
def test_rubbish_is_read_as_an_empty_log(clock: t.Any, tmp_path: t.Any, rubbish: bytes) -> None:
    budget(clock, (1, 10)).acquire()
    state_file(tmp_path).write_bytes(rubbish)
    mine = budget(clock, (1, 10))
    mine.acquire()
    assert clock.pauses == []
    mine.acquire()
    assert 10 < sum(clock.pauses) < 11


def test_rubbish_among_the_times_delays_nobody(clock: t.Any, tmp_path: t.Any) -> None:
    mine = budget(clock, (2, 10))
    mine.acquire()
    with state_file(tmp_path).open("r+b") as file:
        file.seek(64)
        file.write(os.urandom(64))
    for _request in range(6):
        mine.acquire()
    assert sum(clock.pauses) < 31


def test_a_clock_that_was_set_back(clock: t.Any) -> None:
    mine = budget(clock, (1, 10))
    mine.acquire()
    clock.time -= 100_000
    mine.acquire()
    assert clock.pauses == []
    mine.acquire()
    assert 10 < sum(clock.pauses) < 11


def test_the_log_goes_round(clock: t.Any) -> None:
    mine = budget(clock, (2, 10))
    with mine._ledger.locked() as state:  # type: ignore[attr-defined]  # as if so many had been made before
        state.count = CAPACITY - 1
        state.save()
    for _request in range(5):
        mine.acquire()
    assert 20 < sum(clock.pauses) < 22


def test_a_pause_is_shared(clock: t.Any) -> None:
    mine, other = budget(clock, (100, 10)), budget(clock, (100, 10))
    mine.pause(120)
    other.acquire()
    assert clock.pauses == [pytest.approx(120)]


def test_shorter_retry_wait_max_skips_a_pause(clock: t.Any) -> None:
    """A pause longer than this task's retry_wait_max is not waited for."""
    budget(clock, (100, 10), retry_wait_max=300).pause(120)
    budget(clock, (100, 10), retry_wait_max=60).acquire()
    assert clock.pauses == []


def test_the_service_may_allow_less(clock: t.Any) -> None:
    mine, other = budget(clock, (100, 10)), budget(clock, (100, 10))
    headers = {"x-ratelimit-limit": "100", "x-ratelimit-remaining": "2", "x-ratelimit-reset": date(clock.time + 60)}
    mine.settle(mine.acquire(), headers)
    other.acquire()
    other.acquire()
    assert clock.pauses == []
    other.acquire()
    assert sum(clock.pauses) == pytest.approx(60, abs=2)


@pytest.mark.parametrize(
    "headers",
    [
        {"x-ratelimit-remaining": "1000", "x-ratelimit-reset": 60},
        {"x-ratelimit-remaining": "0"},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": -60},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": 10**8},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon"},
        {"x-ratelimit-remaining": "-1", "x-ratelimit-reset": 60},
        {"x-ratelimit-remaining": "none", "x-ratelimit-reset": 60},
        {"x-ratelimit-remaining": "", "x-ratelimit-reset": 60},
    ],
)
def test_headers_never_raise_the_budget(clock: t.Any, headers: dict[str, t.Any]) -> None:
    """Headers of the service never allow more requests than the budget, and invalid ones are ignored."""
    reset = headers.get("x-ratelimit-reset")
    if isinstance(reset, int):
        headers = {**headers, "x-ratelimit-reset": date(clock.time + reset)}
    mine = budget(clock, (4, 10))
    for _request in range(4):
        mine.settle(mine.acquire(), headers)
    assert clock.pauses == []
    mine.acquire()
    assert 10 < sum(clock.pauses) < 11


def test_consistent_headers_change_nothing(clock: t.Any) -> None:
    """Headers that the budget already covers need no correction."""
    mine = budget(clock, (4, 10))
    for remaining in (3, 2, 1, 0):
        mine.settle(mine.acquire(), {"x-ratelimit-remaining": str(remaining), "x-ratelimit-reset": date(clock.time + 60)})
    mine.acquire()
    assert sum(clock.pauses) < 11


@pytest.mark.parametrize("place", ["file", "link", "readonly"])
def test_unusable_folder_has_a_fallback(clock: t.Any, tmp_path: t.Any, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """A folder that cannot be used gives way to another."""
    folder = tmp_path / "state" / "edgeops.observability"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "state").mkdir()
    if place == "file":
        folder.write_text("")
    elif place == "link":
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        monkeypatch.setattr(os, "access", lambda path, mode: "state" not in str(path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))
    assert budget(clock).acquire() == 0
    assert list((tmp_path / "elsewhere").glob(f"edgeops.observability-{os.geteuid()}/requests-*"))


def test_without_any_place_there_is_a_warning(clock: t.Any, tmp_path: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/nowhere")
    monkeypatch.setattr("tempfile.tempdir", "/dev/null/nowhere")
    free = budget(clock, (1, 10))
    free.acquire()
    free.acquire()
    assert clock.pauses == [] and "request_budget" in free.warnings[0]  # type: ignore[attr-defined]  # see above


@pytest.mark.parametrize("broken", ["flock", "pwrite"])
def test_a_file_that_fails_later_is_a_warning_too(clock: t.Any, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    mine = budget(clock, (1, 10))
    mine.acquire()

    def fail(*_arguments: t.Any) -> t.NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fcntl if broken == "flock" else os, broken, fail)
    if broken == "pwrite":
        clock.time += 100
    assert mine.acquire() is None and mine.acquire() is None
    mine.settle(None, {})
    mine.pause(10)
    assert mine.warnings == ["request_budget is not kept from here on: No space left on device."]  # type: ignore[attr-defined]  # a name of the test double


def test_nobody_sleeps_while_the_file_is_locked(clock: t.Any) -> None:
    mine, other = budget(clock, (1, 10)), budget(clock, (1, 10))
    mine.acquire()
    locked: list[bool] = []

    def sleep(seconds: float) -> None:
        clock.time += seconds
        with other._ledger.locked():  # type: ignore[attr-defined]  # would wait for ever if it were
            locked.append(False)

    mine._sleep = sleep  # type: ignore[attr-defined]  # in place of the clock's
    mine.acquire()
    assert locked


def hammer(path: str, requests: int, results: t.Any) -> None:
    mine = Budget(Ledger(path), (10_000, 600), 300, time.sleep, time.time, print)
    results.put([mine.acquire() for _request in range(requests)])


def test_eight_processes_count_together(tmp_path: t.Any) -> None:
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    path = str(tmp_path / "ledger")
    processes = [context.Process(target=hammer, args=(path, 100, results)) for _process in range(8)]
    for process in processes:
        process.start()
    numbers = [number for _process in processes for number in results.get()]
    for process in processes:
        process.join(10)
    assert sorted(numbers) == list(range(800))


def die(path: str) -> None:
    with Ledger(path).locked():
        os._exit(1)


def test_a_process_that_dies_lets_go(tmp_path: t.Any, clock: t.Any) -> None:
    path = str(tmp_path / "ledger")
    process = multiprocessing.get_context("fork").Process(target=die, args=(path,))
    process.start()
    process.join(10)
    with Ledger(path).locked() as state:
        assert state.append(clock.now()) == 0


def test_threads_of_one_process_count_together(tmp_path: t.Any) -> None:
    mine = Budget(Ledger(str(tmp_path / "ledger")), (10_000, 600), 300, time.sleep, time.time, print)
    numbers: list[int | None] = []
    threads = [threading.Thread(target=lambda: numbers.extend(mine.acquire() for _request in range(50))) for _thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sorted(number for number in numbers if number is not None) == list(range(200))


def test_a_ledger_that_is_a_link_is_refused(tmp_path: t.Any) -> None:
    (tmp_path / "target").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match="symbolic link"):
        Ledger(str(tmp_path / "link"))
    assert (tmp_path / "target").read_text() == ""
    with pytest.raises(OSError, match="not a file of this user"):
        Ledger("/dev/null")


def test_retries_count_and_429_pauses_all(serve: t.Any, talks: t.Any, client: t.Any, clock: t.Any) -> None:
    """Retries count and a rate limit pauses all."""

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
    other = budget(clock, (2, 300.0), url=f"http://127.0.0.1:{server.port}", token="canary-token-4711")
    with other._ledger.locked() as state:  # type: ignore[attr-defined]  # what a process beside this one has read meanwhile
        assert state.pause_end == pytest.approx(begun + 50)
    client(server, request_budget=(2, 300.0)).call("script_monitor.get")
    assert sum(clock.pauses) == pytest.approx(301, abs=2)


@pytest.mark.parametrize("first", [0, CAPACITY - 3], ids=["from the start", "around the end"])
def test_slow_request_takes_one_place(clock: t.Any, first: int) -> None:
    """A slow request takes one place only, and one that is too slow takes none of another."""
    mine = budget(clock, (3, 10.0))
    with mine._ledger.locked() as state:  # type: ignore[attr-defined]  # as if so many had been made before
        state.count = first
        state.save()
    slow, slower = mine.acquire(), mine.acquire()
    mine.settle(mine.acquire(), {})
    clock.time += 9
    mine.settle(slow, {})
    # Two places are free a window after they were taken; the slow one is the third, and keeps its time.
    mine.settle(mine.acquire(), {})
    # What began more than a window ago has lost its place, so that its end must not overwrite the slow one's.
    mine.settle(slower, {})
    mine.settle(mine.acquire(), {})
    assert 1 < sum(clock.pauses) < 1.5
    mine.acquire()
    assert 9 < sum(clock.pauses) < 10.5


def announcing(clock: t.Any, seconds: float) -> dict[str, str]:
    return {"x-ratelimit-remaining": "0", "x-ratelimit-reset": date(clock.time + seconds)}


def test_an_announced_wait_is_a_warning(clock: t.Any) -> None:
    mine = budget(clock)
    mine.settle(mine.acquire(), announcing(clock, 60))
    assert mine.warnings == []  # type: ignore[attr-defined]  # set by `budget` above
    mine.acquire()
    (warning,) = mine.warnings  # type: ignore[attr-defined]  # set by `budget` above
    assert "X-RateLimit" in warning and "60 s" in warning


def test_announced_wait_over_maximum_is_refused(clock: t.Any) -> None:
    """No run sleeps because of a header for longer than the option allows; later runs with the same state do not either."""
    mine = budget(clock, retry_wait_max=59)
    mine.settle(mine.acquire(), announcing(clock, 60))
    for _again in range(2):
        with pytest.raises(PauseTooLong, match="60 s, and retry_wait_max allows 59 s"):
            mine.acquire()
    assert clock.pauses == []
    clock.time += 61
    assert mine.acquire() is not None


@pytest.mark.parametrize(("seconds", "said"), [(4.0, 0), (60.0, 1)])
def test_long_wait_is_reported_once(clock: t.Any, seconds: float, said: int) -> None:
    """A wait for the budget of more than five seconds is reported, with its length and the reason, however often it happens."""
    mine = budget(clock, (1, seconds))
    for _request in range(3):
        mine.settle(mine.acquire(), {})
    warnings = mine.warnings  # type: ignore[attr-defined]  # set by `budget` above
    assert len(warnings) == said and all("because 1 request in 60 seconds had been sent" in text for text in warnings)
