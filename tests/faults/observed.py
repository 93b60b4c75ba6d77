# SPDX-License-Identifier: GPL-3.0-or-later

"""What a scenario leaves behind in the zone and the account, in a form that can be compared from run to run."""

from __future__ import annotations

import functools
import typing as t

from faults.scenarios import ACCOUNT, SCENARIOS, ZONE

MADE = ("version", "last_updated", "updated_at", "time_created", "token", "filename", "expires")


@functools.cache
def known_ids(name: str) -> frozenset[t.Any]:
    """The ids of what is there at the start; all others are made by the service and differ from run to run."""
    seed = SCENARIOS[name].seed()
    rulesets = seed["rulesets"][ZONE]
    rules = [rule for ruleset in rulesets for rule in ruleset.get("rules", [])]
    found = [*rulesets, *rules, *seed["jobs"][ZONE], *seed["jobs"][ACCOUNT]]
    return frozenset(thing[member] for thing in found for member in ("id", "ref") if member in thing)


def comparable(state: t.Any, known: frozenset[t.Any]) -> t.Any:
    """A state without what the service makes: times, versions, new ids and challenges."""
    if isinstance(state, list):
        return [comparable(item, known) for item in state]
    if not isinstance(state, dict):
        return state
    kept = {name: value for name, value in state.items() if name not in MADE}
    new = {name: "new" for name in ("id", "ref") if name in kept and kept[name] not in known}
    return {name: new.get(name) or comparable(value, known) for name, value in kept.items()}


def observed(simulator: t.Any, name: str) -> t.Any:
    """The zone and the account, whichever of them the scenario is about."""
    return comparable([simulator.state(ZONE), simulator.state(account=ACCOUNT)], known_ids(name))


def run(simulator: t.Any, name: str, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
    """The result of a scenario, which meets the faults that each run has to cope with."""
    simulator.faults(*SCENARIOS[name].faults)
    return SCENARIOS[name].run(simulator, options, check=check)


def start(simulator: t.Any, name: str) -> None:
    simulator.reset(**SCENARIOS[name].seed())


class Undisturbed(t.NamedTuple):
    """What a run without any fault finds and leaves, how many things it creates, and its result."""

    before: t.Any
    after: t.Any
    creations: int
    result: dict[str, t.Any]


@functools.cache
def undisturbed(simulator: t.Any, name: str) -> Undisturbed:
    start(simulator, name)
    before = observed(simulator, name)
    result = run(simulator, name)
    assert not result.get("failed"), result
    return Undisturbed(before, observed(simulator, name), creations(simulator.journal()), result)


def writes(journal: t.Iterable[dict[str, t.Any]]) -> list[dict[str, t.Any]]:
    """The requests that could change something."""
    return [entry for entry in journal if entry["method"] != "GET" and not entry["path"].endswith("/ownership/validate")]


def applied(journal: t.Iterable[dict[str, t.Any]]) -> list[dict[str, t.Any]]:
    """The writes that the service has applied."""
    done = [entry for entry in writes(journal) if entry["applied"]]
    return [entry for entry in done if entry["status"] is None or entry["status"] < 400 or entry["fault"]]


def creations(journal: t.Iterable[dict[str, t.Any]]) -> int:
    return [entry["method"] for entry in applied(journal)].count("POST")
