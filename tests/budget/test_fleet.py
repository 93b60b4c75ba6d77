# SPDX-License-Identifier: GPL-3.0-or-later

"""A fleet that needs three times the budget, through real playbooks and modules. The journal of the service is what counts."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest

from edgeops_simulator.testing import running
from harness import process
from harness.outcome import Outcome

HOSTS = 40
# The window is long against the time in which the processes of a task begin, twice.
REQUESTS, SECONDS = 75, 8
OPTIONS = {"request_fields": ["x-a"]}
TASKS = [
    {"name": "Fields", "edgeops.observability.log_custom_fields": OPTIONS},
    {"name": "Look", "edgeops.observability.script_monitor_info": {"malicious_only": True}},
]
ZONES = [f"{number:032x}" for number in range(1, HOSTS + 1)]


@pytest.fixture(scope="module")
def service() -> t.Iterator[t.Any]:
    """The service counts as strictly as it can: the budget, in a window that slides."""
    with running(zones=ZONES, token="planted-budget-token", process=True) as server:
        yield server


def play(service: t.Any, folder: Path, tasks: t.Any, hosts: int = HOSTS, **env: str) -> tuple[list[Outcome], list[t.Any], float]:
    """The results of tasks on all hosts, the requests that they made, and the seconds that it took."""
    place = process.Place(folder)
    service.clear_journal()
    source = {"hosts": "all", "gather_facts": False, "tasks": tasks}
    source["module_defaults"] = {
        "group/edgeops.observability.zone": {"zone_id": "{{ zone }}", "request_budget": f"{REQUESTS}/{SECONDS}"}
    }
    inventory = process.inventory({f"zone{number}": {"zone": ZONES[number]} for number in range(hosts)})
    command = [str(process.BIN / "ansible-playbook"), str(place.write("play.yml", [source]))]
    command += ["-i", str(place.write("hosts.yml", inventory))]
    environment = {**place.environment(hosts), **service.environment(), **env}
    code, stdout, stderr = process.execute(command, environment, place.input, timeout=400)
    journal = service.journal()
    outcomes = process.outcomes(place.record.read_text(encoding="utf-8"), journal)
    assert code == 0, f"{stdout[-3000:]}{stderr[-2000:]}"
    times = [entry["monotonic"] for entry in journal]
    return outcomes, journal, max(times) - min(times)


def max_in_a_window(times: t.Sequence[float]) -> int:
    """The maximum of requests in any window of the budget's length."""
    ordered = sorted(times)
    return max(sum(1 for other in ordered[first:] if other < start + SECONDS) for first, start in enumerate(ordered))


def test_fleet_stays_within_the_budget(service: t.Any, tmp_path: Path, cases: t.Any) -> None:
    """A fleet ends without a failure and within the budget."""
    service.settings(rate_limit=REQUESTS, rate_window=SECONDS)
    outcomes, journal, took = play(service, tmp_path, TASKS)
    service.settings(rate_limit=0)
    times = [entry["monotonic"] for entry in journal]
    assert len(outcomes) == HOSTS * len(TASKS)
    assert {outcome.status for outcome in outcomes} == {"ok"}
    assert len(journal) >= 3 * REQUESTS, "the fleet has to need three times the budget"
    assert [entry["status"] for entry in journal if entry["status"] == 429] == []
    assert max_in_a_window(times) <= REQUESTS
    # What the budget allows: a full window at once, and the last request when the windows before it are over.
    allowed = (len(journal) - 1) // REQUESTS * SECONDS
    print(f"\n{len(journal)} requests in {took:.2f} s; the budget allows {allowed} s: ratio {took / allowed:.3f}")
    cases["thousandths of the time that the budget allows, taken by the fleet"] += round(1000 * took / allowed)
    # Each window is used: the budget is free again a window after a request, and on a busy machine hardly one waits half as long again.
    starts = sorted(times)
    late = [later - earlier for earlier, later in zip(starts, starts[REQUESTS:], strict=False) if later - earlier > 1.5 * SECONDS]
    assert len(late) <= len(journal) // 10, (
        f"{len(late)} of {len(journal)} requests were late, by up to {max(late) - SECONDS:.2f} s"
    )


@pytest.mark.parametrize("damage", ["garbage", "folder"])
def test_a_damaged_state_stops_nobody(service: t.Any, tmp_path: Path, damage: str) -> None:
    play(service, tmp_path, TASKS[:1], hosts=1)
    (file,) = (tmp_path / "home" / "state" / "edgeops.observability").iterdir()
    if damage == "garbage":
        file.write_bytes(os.urandom(3000))
    else:
        file.unlink()
        file.mkdir()
    outcomes, _journal, _took = play(service, tmp_path, TASKS[:1], hosts=1)
    assert outcomes[-1].status == "ok"
    warned = [text for text in outcomes[-1].result.get("warnings", []) if "request_budget is not kept" in text]
    assert bool(warned) is (damage == "folder")


@pytest.mark.parametrize("in_process", [True, False], ids=["in process", "as module"])
def test_homes_that_cannot_be_written_stop_nobody(service: t.Any, tmp_path: Path, in_process: bool) -> None:
    """A file is where the folder of the state would be, at the first place and at the second."""
    (tmp_path / "tmp").mkdir()
    for path in (tmp_path / "state", tmp_path / "tmp" / f"edgeops.observability-{os.geteuid()}"):
        path.write_text("not a folder", encoding="utf-8")
    tasks = [{**TASKS[0], "vars": {"edgeops_in_process": in_process}}]
    outcomes, _journal, _took = play(service, tmp_path, tasks, hosts=2, XDG_STATE_HOME=str(tmp_path / "state"))
    assert {outcome.status for outcome in outcomes} == {"ok"}
    assert all("request_budget is not kept" in outcome.result["warnings"][0] for outcome in outcomes)
