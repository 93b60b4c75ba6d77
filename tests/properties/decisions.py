# SPDX-License-Identifier: GPL-3.0-or-later

"""What runs decide: the tasks of playbooks and modules in the test's own process, with what the actions do between them."""

import dataclasses
import functools
import itertools
import json
import shutil
import threading
import typing as t
from pathlib import Path

from faults import direct
from properties.losses import at, leaves, place_of
from properties.recordings import writes
from support.hosts_of_a_play import Hosts, play

from ansible_collections.edgeops.observability.plugins.module_utils._address import ACCOUNT, ZONE, Address
from ansible_collections.edgeops.observability.plugins.module_utils._events.compare import compare
from ansible_collections.edgeops.observability.plugins.module_utils._events.facts import Target
from ansible_collections.edgeops.observability.plugins.module_utils._events.observe import Clock, Service
from ansible_collections.edgeops.observability.plugins.module_utils._events.options import settings
from ansible_collections.edgeops.observability.plugins.module_utils._events.state import Job, Known, Script, decode, encode
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.task import BOUNDARY_TASK, COST_TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._play.hosts import Play
from ansible_collections.edgeops.observability.plugins.plugin_utils._play.records import (
    record_of,
    with_delivery,
    with_fields,
    with_part,
)
from harness.modules import checked, execute, task_of

Document = dict[str, t.Any]
HOST = "shop.example"


EVERYTHING = "everything"


class Decision(t.NamedTuple):
    """What a run tells: each watched thing for which it fails, or `EVERYTHING` where it ends as a whole. And what it writes."""

    tells: frozenset[str]
    writes: frozenset[str]
    message: str = ""

    def is_better_than(self, other: "Decision") -> str:
        """Return in which respect this decision is better than another; "" if it is not."""
        green = [] if EVERYTHING in self.tells else sorted(other.tells - self.tells)
        more = sorted(self.writes - other.writes)
        return "; ".join([f"no word of {name}" for name in green] + [f"writes {write}" for write in more])


def _sent() -> frozenset[str]:
    """Return what the run wrote: each request with the names of the members that it sets.

    A value may hold what others wrote, which a whole rule or policy carries along.
    """
    sent = {f"{method} {path}" for method, path, _body in writes()}
    members = {f"{method} {path}: {name}" for method, path, body in writes() if body.startswith("{") for name in json.loads(body)}
    return frozenset(sent | members)


def ended(message: str = "") -> Decision:
    return Decision(frozenset({EVERYTHING}), _sent(), message)


def told(names: t.Iterable[str], message: str = "") -> Decision:
    return Decision(frozenset(names), _sent(), message)


class _InPlay(t.NamedTuple):
    """A task about the hosts of a play, with the play."""

    task: t.Any
    play: Play

    def perform(self, run: t.Any) -> None:
        self.task.perform_in(self.play, run)


@dataclasses.dataclass
class Place:
    """Where runs happen: the service, an address, and a folder that is emptied for each run."""

    simulator: t.Any
    address: Address
    folder: Path
    memory: dict[str, t.Any] = dataclasses.field(default_factory=dict)
    _numbers: t.Iterator[int] = dataclasses.field(default_factory=itertools.count)

    def run(self, module: str, args: t.Mapping[str, t.Any], *, check: bool = True) -> Document:
        return direct.run(module, self.simulator, self.address, args, check=check)

    def anywhere(self, module: str, args: t.Mapping[str, t.Any]) -> Document:
        """Run a module that takes no address."""
        task = task_of(module)
        connection = {"base_url": self.simulator.base_url, "api_token": self.simulator.token, "request_budget": "none"}
        return execute(task, checked(task, {**connection, **args}), check=True)

    def local(self, module: str, args: t.Mapping[str, t.Any], of: Play | None = None) -> Document:
        """Run a task that needs no connection, but may need a play."""
        task = task_of(module)
        validation = checked(task, args)
        assert not validation.errors.errors, validation.errors.msg
        return execute(_InPlay(task, of) if of else task, validation, check=True, diff=False)

    def fresh(self) -> Path:
        """Return an empty folder."""
        folder = self.folder / str(next(self._numbers))
        shutil.rmtree(folder, ignore_errors=True)
        return folder

    def variables(self, **registered: t.Any) -> Document:
        """Return the variables of the host: its address, its connection, and what its tasks registered."""
        named = {f"{self.address.scope}_id": self.address.id}
        connection = {"edgeops_base_url": self.simulator.base_url, "edgeops_api_token": self.simulator.token}
        return {**named, **connection, "edgeops_request_budget": "none", **registered}


def reported(place: Place, records: t.Sequence[Document], watched: t.Collection[str], **options: t.Any) -> Decision:
    """Return for which of the watched types a report on these records fails a host; a host that is unaudited fails for each."""

    def gate(*types: str) -> Document:
        folder = place.fresh()
        args = {"zones": records, "dest": str(folder), "formats": ["json"], "fail_on": ["unaudited", *types], **options}
        result = place.local("audit_report", args)
        shutil.rmtree(folder, ignore_errors=True)
        return result

    types = [name for name in watched if name != EVERYTHING]
    result = gate(*types)
    reasons = str(result.get("failed_hosts") or result.get("msg"))
    if result.get("failed") and "fail_on" not in reasons:
        return ended(reasons)
    # One report tells what each type fails for; one that is not among its reasons is asked for alone.
    refused = [name for name in types if f"fail_on {name}:" in reasons or gate(name).get("failed")]
    return told(refused, reasons)


def gathered(
    registered: t.Mapping[str, str], variables: Document, *, delivery: bool = False, fields: bool = False, budget: float = 0
) -> list[Document]:
    """Return the records of a play with one host, as the action of `audit_report` gathers them."""
    host = t.cast("t.Any", Hosts({HOST: variables})).host(HOST)
    hosts, records = {HOST: host}, {HOST: record_of(HOST, host, registered)}
    if fields:
        records = with_fields(records, hosts, functools.partial(_asked, task_of("logpush_dataset_info")))
        records = with_part(records, hosts, "boundary", functools.partial(_asked, BOUNDARY_TASK))
    if budget:
        records = with_part(records, hosts, "cost", functools.partial(_asked, COST_TASK))
        records[HOST]["cost"] = {**records[HOST]["cost"], "budget_usd": budget}
    if not delivery:
        return list(records.values())
    return with_delivery(records, hosts, functools.partial(_asked, task_of("logpush_delivery_info")))


def _asked(task: t.Any, args: t.Mapping[str, t.Any]) -> Document:
    return execute(task, checked(task, {"request_budget": "none", **args}), check=True)


REGISTERED = {"result": "log_delivery_result", "jobs": "_listed", "scripts": "_scripts", "notifications": "_notifications"}


def check(
    place: Place,
    declared: Document,
    watched: t.Collection[str],
    *,
    scripts: Document | None = None,
    delivery: bool = False,
    fields: bool = False,
    budget: float = 0,
    **options: t.Any,
) -> Decision:
    """Compare, read what the comparison does not show, and report: the tasks of the playbook `check` for one host."""
    result = place.run("zone_observability", declared)
    registered: Document = {"log_delivery_result": result, "_scripts": {"skipped": True}}
    is_compared = not result.get("failed") or "refusals" in result
    if is_compared:
        if result.get("listed_jobs") is None:
            registered["_listed"] = place.run("logpush_job_info", {})
        if scripts is not None:
            registered["_scripts"] = place.run("script_audit", scripts)
        if place.address.scope == ACCOUNT:
            registered["_notifications"] = place.run("notification_policy_info", {})
    records = gathered(REGISTERED, place.variables(**registered), delivery=delivery, fields=fields, budget=budget)
    return reported(place, records, watched, **options)


def survey(place: Place, watched: t.Collection[str], *, options: Document | None = None, **of_survey: t.Any) -> Decision:
    """Read everything, and report: the tasks of the playbook `survey`."""
    result = place.anywhere("survey_info", of_survey)
    if result.get("failed"):
        return ended(result["msg"])
    return reported(place, result["zones"], watched, **(options or {}))


def deliver(place: Place, declared: Document, variables: Document | None = None, others: Document | None = None) -> Decision:
    """Predict, evaluate the rails, and write what they allow: the tasks of the playbook `deliver` for one host.

    `others` are the variables of further hosts, with what was predicted for them.
    """
    predicted = place.run("zone_observability", declared)
    hosts = {HOST: place.variables(log_delivery_result=predicted, **(variables or {})), **(others or {})}
    planned = place.local("delivery_plan", {}, play(hosts))
    if planned.get("failed") or predicted.get("failed"):
        return ended(planned.get("msg") or predicted.get("msg"))
    if HOST not in planned["written"]:
        return told((), "nothing to write")
    written = place.run("zone_observability", {**declared, "expected_plan_ids": planned["plan_ids"][HOST]}, check=False)
    return ended(written["msg"]) if written.get("failed") else told({"written"})


def module(place: Place, name: str, args: Document) -> Decision:
    """Run one module for real: it fails or not, and destroys what its effects say."""
    result = place.run(name, args, check=False)
    return ended(result["msg"]) if result.get("failed") else told(str(effect["name"]) for effect in result.get("effects") or ())


def adopt(place: Place) -> Decision:
    """Describe a zone as variables; what cannot be described is left out with a reason, and nothing but the current state is declared."""
    result = place.run("zone_variables_info", {})
    if result.get("failed") or result["left_out"] or result["notes"]:
        return ended(str(result.get("msg") or result["left_out"] or result["notes"]))
    lines = {f"{place_of(path)}={json.dumps(at(result['variables'], path))}" for path in leaves(result["variables"])}
    return Decision(frozenset(line.partition("=")[0] for line in lines), frozenset(lines))


def listened(place: Place, arguments: Document, unchanged: t.Callable[[], None]) -> Decision:
    """Poll once with less knowledge, and once more with all of it: the events of both polls."""
    service, target, rules = _watch(place, arguments)
    known, changes = compare(place.memory["known"], service.look(target), target, rules)
    unchanged()
    known = decode(json.loads(encode(known)))
    _known, more = compare(known, service.look(target), target, rules)
    return Decision(frozenset({change.kind for change in [*changes, *more]} - _TRANSITIONS), frozenset())


_TRANSITIONS = {f"{scope}_{word}" for scope in (ZONE, ACCOUNT) for word in ("readable", "unreadable")}


def remember(place: Place, arguments: Document) -> None:
    """Poll for the first time."""
    service, target, rules = _watch(place, arguments)
    place.memory["known"], _changes = compare(None, service.look(target), target, rules)


def _watch(place: Place, arguments: Document) -> tuple[Service, Target, t.Any]:
    address = {f"{place.address.scope}s": [place.address.id]}
    connection = {
        "base_url": place.simulator.base_url,
        "api_token": place.simulator.token,
        "request_budget": "none",
        "retries": 0,
    }
    chosen = settings({**connection, **address, "state_file": str(place.folder / "state.json"), **arguments})
    service = Service(chosen, Clock(), threading.Event())
    return service, Target(place.address.id, HOST, HOST, place.address.scope), chosen.rules


# A state of a zone with something in each part.
KNOWN = Known(
    name=HOST,
    scripts={("https://cdn.example/a.js", HOST): Script(("a" * 64,), False, ())},
    jobs={1: Job({"name": "edge", "enabled": True}, "d" * 32, "healthy")},
    monitor=True,
    fields={"request_fields": ["x-team"]},
    rules={},
)
