# SPDX-License-Identifier: GPL-3.0-or-later

"""A playbook for many hosts needs three times the budget; the journal of the simulator is checked against it."""

import typing as t
from pathlib import Path

from edgeops_simulator.testing import running
from harness import process
from harness.outcome import Outcome

HOSTS = 24
# Each host sends six requests, so that the last third waits for two windows, which takes less time than any other number. A window is
# long compared with the time in which the processes of two tasks start.
REQUESTS, SECONDS = HOSTS * 6 // 3, 6
OPTIONS = {"request_fields": ["x-a"]}
TASKS = [
    {"name": "Fields", "edgeops.observability.log_custom_fields": OPTIONS},
    {"name": "Look", "edgeops.observability.script_monitor_info": {"malicious_only": True}},
]
ZONES = [f"{number:032x}" for number in range(1, HOSTS + 1)]


def play(service: t.Any, folder: Path) -> tuple[list[Outcome], list[t.Any]]:
    """Return the results of the tasks on all hosts, and their requests."""
    place = process.Place(folder)
    budget = {"zone_id": "{{ zone }}", "request_budget": f"{REQUESTS}/{SECONDS}"}
    defaults = {"group/edgeops.observability.zone": budget}
    source = {"hosts": "all", "gather_facts": False, "tasks": TASKS, "module_defaults": defaults}
    inventory = process.inventory({f"zone{number}": {"zone": zone} for number, zone in enumerate(ZONES)})
    command = [str(process.BIN / "ansible-playbook"), str(place.write("play.yml", [source]))]
    command += ["-i", str(place.write("hosts.yml", inventory))]
    environment = {**place.environment(HOSTS), **service.environment()}
    code, stdout, stderr = process.execute(command, environment, place.input, timeout=400)
    assert code == 0, f"{stdout[-3000:]}{stderr[-2000:]}"
    journal = service.journal()
    return process.outcomes(place.record.read_text(encoding="utf-8"), journal), journal


def max_in_a_window(times: t.Sequence[float]) -> int:
    """Return the maximum number of requests in any window of the budget's length."""
    ordered = sorted(times)
    return max(sum(1 for other in ordered[first:] if other < start + SECONDS) for first, start in enumerate(ordered))


def test_fleet_stays_within_the_budget(tmp_path: Path, cases: t.Any) -> None:
    """With a sliding window, the strictest way of counting, the simulator refuses no request."""
    limit = {"rate_limit": REQUESTS, "rate_window": SECONDS}
    with running(zones=ZONES, token="planted-budget-token", process=True, **limit) as service:
        outcomes, journal = play(service, tmp_path)
    times = [entry["monotonic"] for entry in journal]
    assert len(outcomes) == HOSTS * len(TASKS)
    assert {outcome.status for outcome in outcomes} == {"ok"}
    assert len(journal) >= 3 * REQUESTS, "the fleet has to need three times the budget"
    assert [entry["status"] for entry in journal if entry["status"] == 429] == []
    assert max_in_a_window(times) <= REQUESTS
    took = max(times) - min(times)
    # The minimum time: the first window is used at once, and the last request is sent when all windows before it are over.
    allowed = (len(journal) - 1) // REQUESTS * SECONDS
    print(f"\n{len(journal)} requests in {took:.2f} s; the budget allows {allowed} s: ratio {took / allowed:.3f}")
    cases["thousandths of the time that the budget allows, taken by the fleet"] += round(1000 * took / allowed)
    # The budget allows each request one window after the request REQUESTS places before it. Because the machine can be busy, up to a
    # tenth of the requests may take longer than one and a half windows.
    starts = sorted(times)
    late = [later - earlier for earlier, later in zip(starts, starts[REQUESTS:], strict=False) if later - earlier > 1.5 * SECONDS]
    assert len(late) <= len(journal) // 10, (
        f"{len(late)} of {len(journal)} requests were late, by up to {max(late) - SECONDS:.2f} s"
    )
