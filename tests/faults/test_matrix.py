# SPDX-License-Identifier: GPL-3.0-or-later

"""Each fault at each request of each scenario: the run ends as expected, leaves the expected state, and the next run converges."""

import functools
import random
import typing as t

import pytest
from faults import oracle
from faults.oracle import LASTING, OK, ONCE, RETRIES, ROWS
from faults.scenarios import ACCOUNT, SCENARIOS, WITH_ENGINE, ZONE

from harness.invariants import ERROR_MEMBERS

SEED = 20261121
# Members that the service sets, and which differ between runs.
MADE = (
    "version",
    "last_success",
    "last_updated",
    "updated_at",
    "time_created",
    "token",
    "filename",
    "expires",
    "created_at",
    "created",
    "modified",
)
Case = tuple[str, int, str, str]


@functools.cache
def known_ids(name: str) -> frozenset[t.Any]:
    """Return the ids at the start; other ids are new in each run."""
    seed = SCENARIOS[name].seed()
    rulesets = seed["rulesets"][ZONE]
    rules = [rule for ruleset in rulesets for rule in ruleset.get("rules", [])]
    things = [*rulesets, *rules, *seed["policies"][ZONE], *seed["jobs"][ZONE], *seed["jobs"][ACCOUNT]]
    things += [thing for part in ("transformers", "notification_policies", "webhooks") for thing in seed[part][ACCOUNT]]
    return frozenset(thing[member] for thing in things for member in ("id", "ref") if member in thing)


def comparable(state: t.Any, known: frozenset[t.Any]) -> t.Any:
    """Return a state without values that the service sets: times, versions, new ids and challenges."""
    if isinstance(state, list):
        return [comparable(item, known) for item in state]
    if not isinstance(state, dict):
        return state
    kept = {name: value for name, value in state.items() if name not in MADE}
    new = {name: "new" for name in ("id", "ref") if name in kept and kept[name] not in known}
    return {name: new.get(name) or comparable(value, known) for name, value in kept.items()}


def observed(simulator: t.Any, name: str) -> t.Any:
    """Return the state of the zone and the account."""
    return comparable([simulator.state(ZONE), simulator.state(account=ACCOUNT)], known_ids(name))


def run(simulator: t.Any, name: str, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
    """Return the result of a scenario, with the scenario's own faults."""
    simulator.faults(*SCENARIOS[name].faults)
    return SCENARIOS[name].run(simulator, options, check=check)


def start(simulator: t.Any, name: str) -> None:
    simulator.reset(**SCENARIOS[name].seed())


class Reference(t.NamedTuple):
    """The state before and after a run without faults, the number of objects that it creates, and its result."""

    before: t.Any
    after: t.Any
    creations: int
    result: dict[str, t.Any]


@functools.cache
def reference_run(simulator: t.Any, name: str) -> Reference:
    start(simulator, name)
    before = observed(simulator, name)
    result = run(simulator, name)
    assert not result.get("failed"), result
    return Reference(before, observed(simulator, name), creations(simulator.journal()), result)


def writes(journal: t.Iterable[dict[str, t.Any]]) -> list[dict[str, t.Any]]:
    """Return the requests that could change the service."""
    reading = ("/graphql", "/ownership/validate", "/transformers/preview")
    return [entry for entry in journal if entry["method"] != "GET" and not entry["path"].endswith(reading)]


def applied(journal: t.Iterable[dict[str, t.Any]]) -> list[dict[str, t.Any]]:
    """Return the writes that the service applied."""
    done = [entry for entry in writes(journal) if entry["applied"]]
    return [entry for entry in done if entry["status"] is None or entry["status"] < 400 or entry["fault"]]


def creations(journal: t.Iterable[dict[str, t.Any]]) -> int:
    return [entry["method"] for entry in applied(journal)].count("POST")


def all_cases() -> list[Case]:
    """Return all cases of the matrix."""
    return [
        (scenario, index, fault, persistence)
        for scenario, definition in SCENARIOS.items()
        for index in range(len(definition.requests))
        for fault in ROWS
        for persistence in (ONCE, LASTING)
        if not (persistence == LASTING and fault in oracle.ONLY_ONCE)
        and not (fault == "refused" and is_sent_in_parallel(scenario, index))
    ]


def is_sent_in_parallel(scenario: str, index: int) -> bool:
    """Return whether the request is sent in parallel with the previous one, so that the port cannot be closed between them."""
    return SCENARIOS[scenario].requests[index - 2 : index + 1] == (oracle.LIST,) * 3


def sampled(cases: t.Sequence[Case]) -> list[Case]:
    """Return a seeded sample: each fault once at each class of requests, and lasting at one request."""
    strata: dict[tuple[str, ...], Case] = {}
    for case in random.Random(SEED).sample(cases, len(cases)):
        scenario, index, fault, persistence = case
        if persistence == ONCE:
            strata.setdefault((fault, ROWS[fault].stratum(SCENARIOS[scenario].requests[index])), case)
        elif ROWS[fault].timeout > 1:  # a lasting timeout takes real time
            strata.setdefault((fault,), case)
    chosen = set(strata.values())
    return [case for case in cases if case in chosen]


def marks_of(scenario: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.engine] if scenario in WITH_ENGINE else []


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        cases = all_cases()
        if metafunc.config.getoption("--faults") == "sample":
            cases = sampled(cases)
        marked = [pytest.param(case, marks=marks_of(case[0]), id=named(case)) for case in cases]
        metafunc.parametrize("case", marked)


def named(case: Case) -> str:
    """Return a description of the case for failure messages."""
    scenario, index, fault, persistence = case
    return f"{scenario}: {fault} {persistence} at request {index + 1}, {SCENARIOS[scenario].requests[index]}"


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks_of(name)) for name in SCENARIOS])
def test_scenario_sends_its_declared_requests(simulator, pauses, name):
    start(simulator, name)
    run(simulator, name)
    journal = simulator.journal()
    requests = SCENARIOS[name].requests
    assert [entry["method"] for entry in journal] == [
        {"LIST": "GET", "PREVIEW": "POST", "QUERY": "POST"}.get(request.split()[0], request.split()[0]) for request in requests
    ]
    for entry, request in zip(journal, requests, strict=True):
        assert (entry["status"] == 404) == (request == oracle.GET_NONE)
        where = {oracle.POST_JOB: "/jobs", oracle.POST_RULESET: "/rulesets", oracle.POST_OWNERSHIP: "/ownership"}
        where |= {
            oracle.PREVIEW: "/preview",
            oracle.POST_TRANSFORMER: "/transformers",
            oracle.POST_POLICY: "/policies",
            oracle.POST_WEBHOOK: "/webhooks",
            oracle.POST_RULE: "/policies",
        }
        assert entry["path"].startswith("/graphql" if request == oracle.QUERY else f"/{SCENARIOS[name].address.scope}s")
        assert where.get(request, "") in entry["path"]
    assert pauses.made == []


def test_fault_ends_as_expected(simulator, pauses, case, cases):
    name, index, fault, persistence = case
    scenario, row = SCENARIOS[name], ROWS[fault]
    reference = reference_run(simulator, name)
    start(simulator, name)

    pauses.max_seconds = 0.05 if fault == "refused" and persistence == ONCE else 0.0
    simulator.faults({**row.fault, "index": index, "count": 1 if persistence == ONCE else None})
    result = run(simulator, name, timeout=row.timeout, retries=RETRIES if persistence == LASTING else 4)
    simulator.clear_faults()

    journal = simulator.journal()
    assert fault == "refused" or journal[index]["fault"]
    assert not any("followed" in entry["path"] for entry in journal)
    verdict, tries = oracle.expected(row, scenario.requests, index, persistence)
    check_outcome(result, verdict, tries, scenario.address.scope)
    if verdict == oracle.BAD:
        # An applied write is a change even if its answer is invalid.
        assert result["changed"] == bool(applied(journal))
    elif verdict == oracle.UNAVAILABLE:
        # Whether it was applied is not known if it has no answer.
        assert result["changed"] or not applied(journal)
    if verdict == OK or not applied(journal):
        assert observed(simulator, name) == (reference.after if verdict == OK else reference.before)
    if verdict == OK and reference.before == reference.after:
        assert result == reference.result or result["warnings"], "what only reads has lost something"
    check_recovery(simulator, name, reference, verdict)
    cases[f"fault matrix: {fault}"] += 1


def check_outcome(result: dict[str, t.Any], verdict: str, tries: int | None, scope: str) -> None:
    """The run succeeds, or fails with the expected kind and a complete error."""
    assert (result["error"]["kind"] if result.get("failed") else OK) == verdict, result
    if verdict == OK:
        return
    error = result["error"]
    assert result["msg"]
    assert set(error) == ERROR_MEMBERS
    if verdict == oracle.GATE:  # a refusal of what was answered
        return
    assert error["method"] in ("GET", "PUT", "POST", "DELETE") and error["path"].startswith((f"/{scope}s", "/graphql")), error
    is_once = error["method"] == "POST" or (error["method"] == "PUT" and "/transformers/" in error["path"])
    # A POST that may have been received is never retried, nor is a query; all other requests are retried as often as allowed.
    assert tries is None or error["attempts"] in ((1, tries) if is_once else (tries,)), error


def check_recovery(simulator: t.Any, name: str, reference: Reference, verdict: str) -> None:
    """A second run without the fault reaches the state of a run that had none, a third changes nothing, and nothing is created twice."""
    made = creations(simulator.journal())
    second = run(simulator, name)
    assert not second.get("failed"), second
    if not SCENARIOS[name].idempotent:  # each run creates an object
        assert made <= 1 and creations(simulator.journal()) == made + 1
        return
    assert verdict != OK or not second["changed"], second
    journal = simulator.journal()
    simulator.clear_journal()
    third = run(simulator, name)
    assert not third.get("failed") and not third["changed"], third
    assert observed(simulator, name) == reference.after
    assert writes(simulator.journal()) == []
    assert creations(journal) == reference.creations
