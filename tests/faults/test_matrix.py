# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every fault at every request of every scenario: how the run ends, what it leaves behind, and that the next run converges."""

from __future__ import annotations

import dataclasses
import functools
import random
import typing as t

import pytest
from faults import oracle, scenarios
from faults.oracle import LASTING, OK, ONCE, RETRIES, ROWS
from faults.scenarios import SCENARIOS, ZONE

SEED = 20261121
Case = tuple[str, int, str, str]


def every_case() -> list[Case]:
    """The whole matrix."""
    return [
        (scenario, index, fault, persistence)
        for scenario, found in SCENARIOS.items()
        for index in range(len(found.requests))
        for fault in ROWS
        for persistence in (ONCE, LASTING)
        if not (persistence == LASTING and fault in oracle.ONLY_ONCE)
        and not (fault == "refused" and _side_by_side(scenario, index))
    ]


def _side_by_side(scenario: str, index: int) -> bool:
    """Whether the request is on its way with the one before it, so that no port can be closed between the two."""
    return SCENARIOS[scenario].requests[index - 2 : index + 1] == (oracle.LIST,) * 3


def sampled(cases: t.Sequence[Case]) -> list[Case]:
    """A seeded part of the matrix: every fault once at every class of request, and for good at one request."""
    strata: dict[tuple[str, ...], Case] = {}
    for case in random.Random(SEED).sample(cases, len(cases)):
        scenario, index, fault, persistence = case
        if persistence == ONCE:
            strata.setdefault((fault, SCENARIOS[scenario].requests[index]), case)
        elif ROWS[fault].timeout > 1:  # timeouts that last cost real time
            strata.setdefault((fault,), case)
    chosen = set(strata.values())
    return [case for case in cases if case in chosen]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        cases = every_case()
        if metafunc.config.getoption("--faults") == "sample":
            cases = sampled(cases)
        ids = [f"{scenario}-{index}-{fault}-{persistence}" for scenario, index, fault, persistence in cases]
        metafunc.parametrize("case", cases, ids=ids)


@functools.cache
def known_ids(name: str) -> frozenset[t.Any]:
    """The ids of what is there at the start; all others are made by the service and differ from run to run."""
    seed = SCENARIOS[name].seed()
    rulesets = seed["rulesets"][ZONE]
    rules = [rule for ruleset in rulesets for rule in ruleset.get("rules", [])]
    found = [*rulesets, *rules, *seed["jobs"][ZONE]]
    return frozenset(thing[member] for thing in found for member in ("id", "ref") if member in thing)


def comparable(state: t.Any, known: frozenset[t.Any]) -> t.Any:
    """A zone's state without what the service makes: times, versions, new ids."""
    if isinstance(state, list):
        return [comparable(item, known) for item in state]
    if not isinstance(state, dict):
        return state
    kept = {name: value for name, value in state.items() if name not in ("version", "last_updated", "updated_at", "time_created")}
    new = {name: "new" for name in ("id", "ref") if name in kept and kept[name] not in known}
    return {name: new.get(name) or comparable(value, known) for name, value in kept.items()}


def observed(simulator: t.Any, name: str) -> t.Any:
    return comparable(simulator.state(ZONE), known_ids(name))


def start(simulator: t.Any, name: str) -> None:
    simulator.reset(**SCENARIOS[name].seed())


@dataclasses.dataclass(frozen=True)
class Undisturbed:
    """What a run without any fault finds and leaves, and how many things it creates."""

    before: t.Any
    after: t.Any
    creations: int


_undisturbed: dict[str, Undisturbed] = {}


def undisturbed(simulator: t.Any, name: str) -> Undisturbed:
    if name not in _undisturbed:
        start(simulator, name)
        before = observed(simulator, name)
        results = SCENARIOS[name].run(simulator, {})
        assert not any(result.get("failed") for result in results), results
        _undisturbed[name] = Undisturbed(before, observed(simulator, name), len(applied(simulator.journal(), "POST")))
    return _undisturbed[name]


def applied(journal: t.Iterable[dict[str, t.Any]], *methods: str) -> list[dict[str, t.Any]]:
    """The requests of those methods that the service has applied."""
    done = [entry for entry in journal if entry["applied"] and entry["method"] in methods]
    return [entry for entry in done if entry["status"] is None or entry["status"] < 400 or entry["fault"]]


def others_things(state: t.Any) -> t.Any:
    """What in a zone belongs to others: their rules, rulesets and jobs, the scripts."""
    ours = (scenarios.OWN_RULE["action"], scenarios.OUR_JOB["name"])
    rules = [rule for ruleset in state["rulesets"] for rule in ruleset["rules"] if rule["action"] != ours[0]]
    rulesets = [ruleset for ruleset in state["rulesets"] if ruleset["phase"] != scenarios.PHASE]
    jobs = [job for job in state["jobs"] if not job["name"].startswith(ours[1]) or job["dataset"] != "http_requests"]
    return rules, rulesets, jobs, state["scripts"]


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario_sends_its_declared_requests(simulator, pauses, name):
    """A scenario takes the requests that the matrix knows."""
    found = undisturbed(simulator, name)
    assert others_things(found.after) == others_things(found.before)
    start(simulator, name)
    SCENARIOS[name].run(simulator, {})
    journal = simulator.journal()
    requests = SCENARIOS[name].requests
    assert [entry["method"] for entry in journal] == [request.split()[0].replace("LIST", "GET") for request in requests]
    for entry, request in zip(journal, requests, strict=True):
        assert (entry["status"] == 404) == (request == oracle.GET_NONE)
        ends = {oracle.POST_JOB: "/jobs", oracle.POST_RULESET: "/rulesets"}
        assert entry["path"].endswith(ends.get(request, ""))
    assert pauses.made == []


def test_injected_fault_ends_as_the_table_says(simulator, pauses, case, cases):
    """The run ends as the table says after a fault at one request, and the next run converges."""
    name, index, fault, persistence = case
    scenario, row = SCENARIOS[name], ROWS[fault]
    reference = undisturbed(simulator, name)
    start(simulator, name)

    pauses.max_seconds = 0.05 if fault == "refused" and persistence == ONCE else 0.0
    simulator.faults({**row.fault, "index": index, "count": 1 if persistence == ONCE else None})
    results = scenario.run(simulator, {"timeout": row.timeout, "retries": RETRIES if persistence == LASTING else 4})
    simulator.clear_faults()

    journal = simulator.journal()
    assert any(entry["fault"] for entry in journal) or fault == "refused"
    assert not any("followed" in entry["path"] for entry in journal)
    verdict, tries = oracle.expected(row, scenario.requests, index, persistence)
    check_outcome(results, verdict, tries)
    if verdict == oracle.BAD:
        # A write that was accepted is a change, whether its answer can be read or not.
        assert any(result["changed"] for result in results) == bool(applied(journal, "PUT", "POST", "DELETE"))
    if verdict == OK or not applied(journal, "PUT", "POST", "DELETE"):
        assert observed(simulator, name) == (reference.after if verdict == OK else reference.before)
    check_recovery(simulator, name, reference, verdict)
    cases[f"fault matrix: {fault}"] += 1


def check_outcome(results: list[dict[str, t.Any]], verdict: str, tries: int | None) -> None:
    """A success, or the failure of the kind of the table, reported in full."""
    last = results[-1]
    assert (last["error"]["kind"] if last.get("failed") else OK) == verdict, last
    if verdict == OK:
        return
    error = last["error"]
    assert last["msg"] and "could not make sense" not in last["msg"]
    assert set(error) == {"kind", "method", "path", "status", "errors", "request_id", "attempts"}
    assert error["method"] in ("GET", "PUT", "POST", "DELETE") and error["path"].startswith("/zones"), error
    # A POST that may have been received is never repeated; everything else is tried as often as it may be.
    assert tries is None or error["attempts"] in ((1, tries) if error["method"] == "POST" else (tries,)), error


def check_recovery(simulator: t.Any, name: str, reference: Undisturbed, verdict: str) -> None:
    """A plain second run ends where an undisturbed one does, a third finds nothing to do, and nothing was made twice."""
    second = SCENARIOS[name].run(simulator, {})
    assert len(second) == len(SCENARIOS[name].steps)
    assert not any(result.get("failed") for result in second), second
    assert verdict != OK or not any(result["changed"] for result in second), second
    journal = simulator.journal()
    simulator.clear_journal()
    third = SCENARIOS[name].run(simulator, {})
    assert not any(result.get("failed") or result["changed"] for result in third), third
    assert observed(simulator, name) == reference.after
    assert simulator.writes() == []
    assert len(applied(journal, "POST")) == reference.creations
