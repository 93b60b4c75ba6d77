# SPDX-License-Identifier: GPL-3.0-or-later

"""Processes that share one budget and are killed: before, during and after each of their writes, and at random times."""

import multiprocessing
import os
import signal
import time
import typing as t
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._address import Address
from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection
from edgeops_simulator.testing import DEFAULT_ZONE, running

REQUESTS, SECONDS = 12, 1
SURVIVORS, CALLS = 4, 9
WRITES = range(8)
FORK = multiprocessing.get_context("fork")


@pytest.fixture
def connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> t.Iterator[Connection]:
    """Run a simulator with a sliding window; it has its own process because this one forks."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with running(zones=[DEFAULT_ZONE], process=True, rate_limit=REQUESTS, rate_window=SECONDS) as service:
        yield Connection(
            service.base_url,
            Address("zone", DEFAULT_ZONE),
            service.token,
            retries=0,
            request_budget=(REQUESTS, float(SECONDS)),
            timeout=20,
        )


def call(connection: Connection, calls: int, results: t.Any) -> None:
    """Send requests, then return the warnings."""
    client = Client(connection)
    for _call in range(calls):
        client.call("script_monitor.get")
    results.put(client.warnings)


def die_writing(connection: Connection, write: int, moment: str) -> None:
    """Kill this process at a write to the locked state file: before it is complete, before the new file replaces the old one, or after it."""
    unlink, rename, seen = os.unlink, os.rename, iter(range(write + 1))
    is_last = False

    def unlink_or_die(path: str) -> None:
        nonlocal is_last
        is_last = next(seen) == write
        if is_last and moment == "half":
            os.truncate(f"{path}.new", Path(f"{path}.new").stat().st_size // 2)
            os.kill(os.getpid(), signal.SIGKILL)
        unlink(path)

    def rename_or_die(source: str, target: str) -> None:
        if is_last and moment == "between":
            os.kill(os.getpid(), signal.SIGKILL)
        rename(source, target)
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)

    os.unlink, os.rename = unlink_or_die, rename_or_die
    client = Client(connection)
    while True:
        client.call("script_monitor.get")


def finish(processes: t.Iterable[t.Any], code: int) -> None:
    for process in processes:
        # Much longer than all requests take on a busy machine; a lock or a budget that is never released would take longer.
        process.join(120)
        assert process.exitcode == code


@pytest.mark.parametrize("moment", ["half", "between", "whole"])
def test_other_processes_keep_the_budget_after_a_kill(connection: Connection, moment: str, cases: t.Any) -> None:
    """All requests of the other processes are answered, none is refused, and the budget is complete again later.

    On a busy machine requests of two windows can arrive in one; the simulator then announces when it ends.
    """
    results = FORK.SimpleQueue()
    killed = [FORK.Process(target=die_writing, args=(connection, write, moment)) for write in WRITES]
    killed[0].start()
    killed[0].join(120)
    wanderer = FORK.Process(target=call, args=(connection, 10_000, results))
    survivors = [FORK.Process(target=call, args=(connection, CALLS, results)) for _survivor in range(SURVIVORS)]
    for process in (*killed[1:], wanderer, *survivors):
        process.start()
    time.sleep(SECONDS / 2)
    wanderer.kill()
    finish([*killed, wanderer], -signal.SIGKILL)
    finish(survivors, 0)
    told = [text for _survivor in survivors for text in results.get()]
    assert not [text for text in told if not text.startswith("X-RateLimit-Remaining")]
    cases["processes killed while they held the lock"] += len(killed)
