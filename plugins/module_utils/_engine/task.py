# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import abc
import dataclasses
import re
import types
import typing as t

from .._address import ZONE_ADDRESSES
from .._api.client import Client
from .._api.connection import CONNECTION_OPTIONS, mask_credentials
from .._api.endpoints import ENDPOINTS
from .._core import (
    BAD_RESPONSE,
    HOLDS_DATA,
    KEEPS_NULLS,
    SHOWS_DESTINATION,
    TEXT_MEMBER,
    Answer,
    Conclusion,
    Failure,
    Plan,
    Request,
    conflict,
)
from .._destination_secrets import public_text
from .._redact import MASK
from .._templates import new_template
from .masking import HIDDEN_VALUE, secrets_of
from .run import Run
from .steps import Composition, Outcome, Step

Params = t.Mapping[str, t.Any]
ArgumentSpec = dict[str, dict[str, t.Any]]


def presentable(params: Params, known: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return arguments for a result: mask the values of unknown options, and credentials where none are expected."""
    return mask_credentials(_known_only(params, {"options": known}))


_USER_INFORMATION = re.compile(r"(?<=://)[^/?#\s]*@")


def _known_only(value: t.Any, option: t.Mapping[str, t.Any]) -> t.Any:
    """Return a value with secret and unknown (sub)options masked; so is text instead of a dictionary, because it may contain secrets."""
    if option.get("no_log"):
        return _hidden(value)
    options = option.get("options")
    if isinstance(value, str) and option.get(SHOWS_DESTINATION):
        return public_text(value)
    if value is None or options is None:
        return _USER_INFORMATION.sub(f"{MASK}@", value) if isinstance(value, str) else value
    if isinstance(value, (list, tuple)):
        return [_known_only(item, option) for item in value]
    if isinstance(value, dict):
        return {name: _known_only(suboption, options[name]) if name in options else MASK for name, suboption in value.items()}
    return MASK


def _hidden(value: t.Any) -> t.Any:
    """Return the value of a secret option as ansible-core shows it; what is masked by parts, such as a URL, would not be found again."""
    if isinstance(value, (list, tuple)):
        return [_hidden(item) for item in value]
    if isinstance(value, dict):
        return {name: _hidden(member) for name, member in value.items()}
    return value if value in (None, "") or isinstance(value, bool) else HIDDEN_VALUE


def _declared(options: ArgumentSpec) -> ArgumentSpec:
    """Return options without what only this collection reads of them."""
    return {
        name: {
            key: _declared(value) if key == "options" else value
            for key, value in option.items()
            if key not in (HOLDS_DATA, KEEPS_NULLS, SHOWS_DESTINATION, TEXT_MEMBER)
        }
        for name, option in options.items()
    }


Desired = t.TypeVar("Desired")
State = t.TypeVar("State")


class Spec(t.NamedTuple):
    """A module's own options and the rules between them, as arguments of AnsibleModule."""

    options: ArgumentSpec
    mutually_exclusive: t.Sequence[t.Sequence[str]] = ()
    required_together: t.Sequence[t.Sequence[str]] = ()
    required_one_of: t.Sequence[t.Sequence[str]] = ()
    required_if: t.Sequence[t.Sequence[t.Any]] = ()
    required_by: t.Mapping[str, t.Sequence[str]] = types.MappingProxyType({})


class Task(abc.ABC):
    """What a module does; its options are those of the connection, of the address and its own.

    addresses: the options of which exactly one names the zone or the account
    approvable: whether the module has `plan_id` and `expected_plan_id`
    on_controller: whether the module runs on the controller only, without connection options
    asks_service: whether the module has a connection to the service
    """

    name: t.ClassVar[str]
    spec: t.ClassVar[Spec] = Spec({})
    addresses: t.ClassVar[tuple[str, ...]] = ZONE_ADDRESSES
    approvable: t.ClassVar[bool] = False
    on_controller: t.ClassVar[bool] = False
    asks_service: t.ClassVar[bool] = True

    @classmethod
    def options(cls) -> ArgumentSpec:
        """Return all options as they are declared."""
        shared: ArgumentSpec = {}
        if not cls.on_controller:
            shared = {**(CONNECTION_OPTIONS if cls.asks_service else {}), **{name: {"type": "str"} for name in cls.addresses}}
        if cls.approvable:
            shared["expected_plan_id"] = {"type": "str"}
        return {**shared, **cls.spec.options}

    @classmethod
    def arguments(cls) -> dict[str, t.Any]:
        """Return the arguments of AnsibleModule, or of the validator that stands in for it."""
        options = _declared(cls.options())
        rules = {**cls.spec._asdict(), "required_by": dict(cls.spec.required_by)}
        del rules["options"]
        return {"argument_spec": options, **rules}

    @classmethod
    def secrets_in(cls, arguments: Params) -> set[str]:
        """Return the values of secret options, as they were given, that no output may contain."""
        return set(secrets_of(cls.options(), arguments))

    @abc.abstractmethod
    def perform(self, run: Run) -> None:
        """Do what the module does, with the means of one run."""


class _Desiring(Task, t.Generic[Desired]):
    """A task that makes a desired state, or a query, of its options before any request."""

    @abc.abstractmethod
    def desire(self, params: Params, /) -> Desired:
        """Return what validated options ask for; raise `invalid_option`."""


class StateTask(_Desiring[Desired], t.Generic[Desired, State]):
    """A module that brings one resource of a zone or an account, or several, into the desired state.

    A module of one resource defines `plan` and `conclude`. One of several defines `parts` and `compose`, which makes every plan before
    the first write. `plan`, `conclude`, `compose` and `successor` are pure, and whatever has the client sends no write.
    """

    approvable = True

    @property
    def parts(self) -> t.Mapping[str, StateTask[t.Any, t.Any]]:
        """Return the tasks of the steps, by the names that the steps have for them."""
        return {self.name: self}

    @abc.abstractmethod
    def read(self, client: Client, desired: Desired, /) -> State:
        """Return the current state."""

    def plan(self, desired: Desired, state: State, /) -> Plan:
        """Return what the run will do."""
        raise NotImplementedError(f"{type(self).__name__} must define plan, or parts and compose")

    def compose(self, desired: Desired, state: State, /) -> Composition:
        """Return the plans of all parts as one."""
        return Composition.of(Step(self.name, "", self.name, desired, state, self.plan(desired, state)))

    def conclude(self, desired: Desired, state: State, plan: Plan, answers: t.Sequence[Answer], /) -> Conclusion:
        """Return the result after the writes; raise `bad_response` if an answer differs from the request."""
        return Conclusion(plan.result)

    def reread(self, client: Client, plan: Plan, answers: t.Sequence[Answer], /) -> t.Sequence[Answer]:
        """Return the answers to the writes of a plan, and those with what the service shows only if it is read again."""
        return answers

    def option_of(self, path: str, /) -> str:
        """Return the option that a path of the diff is about."""
        return path

    def secrets(self, desired: Desired, state: State | None, /) -> t.Iterable[str]:
        """Return the texts that no output may contain; `state` is None before it is read."""
        return ()

    def successor(self, desired: Desired, request: Request, /) -> Desired:
        """Return the desired state with which to read again after a creation with an unknown outcome."""
        return desired

    def validate(self, client: Client, steps: t.Sequence[Step], /) -> None:
        """Raise `invalid_option` before the first write if the service would misunderstand a plan."""

    def verify(self, client: Client, outcomes: t.Sequence[Outcome], /) -> None:
        """Raise `conflict` after the last write if another run did the same meanwhile."""

    def perform(self, run: Run) -> None:
        """Read, make every plan, and apply the plans in order unless this is check mode."""
        run.need_address(self.addresses)
        desired = self.desire(run.params)
        run.secrets.update(self.secrets(desired, None))
        client = run.connect(self.addresses)
        state = self.read(client, desired)
        run.secrets.update(self.secrets(desired, state))
        composition = self.compose(desired, state)
        for step in composition.steps:
            _refuse_templates(self.parts[step.part], step)
        for name, part in self.parts.items():
            part.validate(client, [step for step in composition.steps if step.part == name])
        run.propose(composition.whole, self.approvable, composition.approvals)
        if run.check_mode or not composition.steps:
            return
        done: list[Outcome] = []
        for step in composition.steps:
            writes = run.writes
            try:
                conclusion, created = _apply(run, self.parts[step.part], client, step.desired, step.state, step.plan)
            except Failure as failure:
                raise _with_progress(failure, step, done, composition.steps) from failure
            done.append(Outcome(step, conclusion, run.writes > writes, created))
        run.result["changed"] = run.writes > 0
        # Of what was created in place of something, `verify` sees whether that is gone.
        unverified = [request for outcome in done if not outcome.created for request in outcome.step.plan.requests]
        if gone := [request for request in unverified if request in run.not_found]:
            self._need_gone(run, client, desired, gone)
        for name, part in self.parts.items():
            part.verify(client, [outcome for outcome in done if outcome.step.part == name])
        run.report(composition.conclude(done))

    def _need_gone(self, run: Run, client: Client, desired: Desired, gone: t.Sequence[Request]) -> None:
        """Read again after deletions that the service answered with "not found": fail if it still shows what was to be deleted."""
        state = self.read(client, desired)
        run.secrets.update(self.secrets(desired, state))
        again = [request for step in self.compose(desired, state).steps for request in step.plan.requests]
        if left := [request for request in gone if request in again]:
            raise Failure(
                BAD_RESPONSE,
                f"The service answered that {' and '.join(map(_object_of, left))} does not exist when it was to be deleted, but still shows it: it"
                " was not deleted. Check the permissions of the token, and what is between this machine and the service.",
            )


def _object_of(deletion: Request) -> str:
    """Return how messages call what a request deletes."""
    return " ".join((ENDPOINTS[deletion.operation].description.removeprefix("Deleting "), *map(str, deletion.ids.values())))


def _refuse_templates(part: StateTask[t.Any, t.Any], step: Step) -> None:
    """Raise `invalid_option` if a plan would write a template that nobody evaluated; what the service already has may look like one."""
    if failure := new_template(step.plan.before, step.plan.after, part.option_of):
        raise dataclasses.replace(failure, message=f"{step.place}.{failure.message}" if step.place else failure.message)


def _apply(
    run: Run, task: StateTask[Desired, State], client: Client, desired: Desired, state: State, plan: Plan
) -> tuple[Conclusion, bool]:
    """Send the requests of a plan; return the conclusion, and whether this run certainly created something."""
    answers: list[Answer] = []
    for request in plan.requests:
        try:
            answers.append(run.send(client, request, answers))
        except Failure as failure:
            if request.creates and (failure.unanswered or failure.kind in request.look_again_on):
                return _look_again(run, task, client, desired, plan, request, failure.with_note(request.if_it_fails)), False
            run.writes += request.changes and (failure.accepted or failure.unanswered)
            raise failure.with_note(request.if_it_fails) from failure
    return task.conclude(desired, state, plan, task.reread(client, plan, answers)), plan.creates


def _look_again(
    run: Run, task: StateTask[Desired, State], client: Client, desired: Desired, first: Plan, request: Request, failure: Failure
) -> Conclusion:
    """Read and plan again after a creation with an unknown outcome, which is never repeated.

    If the object exists by then, continue with it; if the new plan would still create it, raise the first failure. Nobody approved what
    the new plan would destroy beside what the first one names.
    """
    desired = task.successor(desired, request)
    try:
        state = task.read(client, desired)
        plan = task.plan(desired, state)
    except Failure as second:
        run.writes += failure.accepted or failure.unanswered
        raise failure.with_note(f"Reading the service again failed: {second}") from second
    if plan.creates:
        raise failure
    run.writes += failure.unanswered
    if plan.refused:
        raise Failure(plan.refused_as, plan.refused)
    if destroyed := sorted({effect.name for effect in {*plan.effects} - {*first.effects}}):
        raise conflict(
            f"{failure} Meanwhile the service has it, but of another run: to go on would be {', '.join(destroyed)}, which was not planned."
            " Nothing more was written; review a new check run."
        )
    if not plan.requests:
        return Conclusion(plan.result, plan.warnings)
    return _apply(run, task, client, desired, state, plan)[0]


def _with_progress(failure: Failure, step: Step, done: t.Sequence[Outcome], steps: t.Sequence[Step]) -> Failure:
    """Return the failure of a step with the progress of the others before its text, which may be long."""
    if not step.place:
        return failure  # the only step of a task
    written = [repr(outcome.step.label) for outcome in done if outcome.written]
    waiting = [repr(later.label) for later in steps[len(done) + 1 :]]
    parts = [f"{step.place} ({step.label!r}) failed"]
    parts += [f"already written: {', '.join(written)}"] if written else []
    parts += [f"not sent: {', '.join(waiting)}"] if waiting else []
    return dataclasses.replace(failure, message=f"{'; '.join(parts)}. {failure.message}")


class InfoTask(_Desiring[Desired]):
    """A module that only reads."""

    @abc.abstractmethod
    def report(self, client: Client, desired: Desired, /) -> Conclusion:
        """Return the result."""

    def perform(self, run: Run) -> None:
        """Read, and report."""
        run.need_address(self.addresses)
        desired = self.desire(run.params)
        run.report(self.report(run.connect(self.addresses), desired))


class LocalTask(_Desiring[Desired]):
    """A module that sends no requests, has no connection options and runs on the controller only."""

    on_controller = True

    @abc.abstractmethod
    def report(self, desired: Desired, /) -> Conclusion:
        """Return the predicted result, with `changed`."""

    def write(self, desired: Desired, /) -> None:
        """Write what `report` has predicted."""

    def perform(self, run: Run) -> None:
        """Report, and write unless this is check mode."""
        desired = self.desire(run.params)
        run.report(self.report(desired))
        if run.result["changed"] and not run.check_mode:
            self.write(desired)


Document = t.TypeVar("Document")
Written = t.TypeVar("Written")


class DocumentTask(_Desiring[Desired], t.Generic[Desired, Document, Written]):
    """A module whose files are its product: they are written in check mode too, and are no change."""

    on_controller = True

    @abc.abstractmethod
    def compose(self, desired: Desired, /) -> Document:
        """Return what the files will contain; write nothing."""

    @abc.abstractmethod
    def write(self, desired: Desired, document: Document, /) -> Written:
        """Write the files."""

    @abc.abstractmethod
    def conclude(self, desired: Desired, document: Document, written: Written, /) -> Conclusion:
        """Return the result."""

    def perform(self, run: Run) -> None:
        """Compose the document, write it, and report."""
        desired = self.desire(run.params)
        document = self.compose(desired)
        run.report(self.conclude(desired, document, self.write(desired, document)))
