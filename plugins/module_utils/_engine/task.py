# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import re
import types
import typing as t

from .._address import ALL_ADDRESSES, HOST_ADDRESS, ZONE_ADDRESSES
from .._api.client import Client
from .._api.connection import CONNECTION_OPTIONS
from .._core import Answer, Composition, Conclusion, Outcome, Plan, Request, Step
from .._redact import MASK

Params = t.Mapping[str, t.Any]
ArgumentSpec = dict[str, dict[str, t.Any]]


def presentable(params: Params, known: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return arguments for a result: mask user information in base_url and the values of unknown options."""
    shown: dict[str, t.Any] = _known_only(params, known)
    if isinstance(shown.get("base_url"), str):
        shown["base_url"] = re.sub(r"//.*@", f"//{MASK}@", shown["base_url"], flags=re.DOTALL)
    return shown


def _known_only(value: t.Any, options: t.Mapping[str, t.Any] | None) -> t.Any:
    """Return a value with unknown (sub)options masked; text instead of a dictionary is masked, because it may contain secrets."""
    if value is None or options is None:
        return value
    if isinstance(value, (list, tuple)):
        return [_known_only(item, options) for item in value]
    if isinstance(value, dict):
        return {
            name: _known_only(each, options[name].get("options")) if name in options else MASK for name, each in value.items()
        }
    return MASK


def secrets_of(options: t.Mapping[str, t.Any], given: object, is_secret: bool = False) -> t.Iterator[str]:
    """Yield the texts that options with `no_log` have at any depth of the arguments."""
    if isinstance(given, (list, tuple)):
        for each in given:
            yield from secrets_of(options, each, is_secret)
    elif isinstance(given, dict):
        for name, value in given.items():
            option = options.get(name, {})
            yield from secrets_of(option.get("options", {}), value, is_secret or bool(option.get("no_log")))
    elif is_secret and given not in (None, "") and not isinstance(given, bool):
        yield str(given)


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


@dataclasses.dataclass(kw_only=True)
class Task:
    """What a module does, in functions; its options are those of the connection, of the address and its own.

    addresses: the options of which exactly one names the zone or the account
    approvable: whether the module has `plan_id` and `expected_plan_id`
    """

    name: str
    spec: Spec
    addresses: tuple[str, ...] = ZONE_ADDRESSES
    approvable: bool = False
    is_local: t.ClassVar[bool] = False

    def arguments(self) -> dict[str, t.Any]:
        """Return the arguments of AnsibleModule, or of the validator that stands in for it."""
        shared: ArgumentSpec = (
            {} if self.is_local else {**CONNECTION_OPTIONS, **{name: {"type": "str"} for name in self.addresses}}
        )
        if self.addresses == ALL_ADDRESSES:
            shared[HOST_ADDRESS] = {"type": "bool", "default": False}
        if self.approvable:
            shared["expected_plan_id"] = {"type": "str"}
        rules = {**self.spec._asdict(), "required_by": dict(self.spec.required_by)}
        return {"argument_spec": {**shared, **rules.pop("options")}, **rules}


@dataclasses.dataclass(kw_only=True)
class StateTask(Task, t.Generic[Desired, State]):
    """A module that brings one resource of a zone into its desired state.

    desire(params) -> desired                  pure; raises `invalid_option` before any request
    read(client, desired) -> state              GET only
    plan(desired, state) -> Plan               pure
    conclude(desired, state, plan, answers) -> Conclusion   pure; raises `bad_response` if an answer differs from the request
    secrets(desired, state or None) -> strings that no output may contain
    successor(desired, request) -> desired      for reading again after a creation with an unknown outcome
    validate(client, steps)                     GET only; raises `invalid_option` if the service would misunderstand a plan
    verify(client, outcomes)                    GET only, after the last write; raises `conflict` if another run did the same meanwhile
    """

    desire: t.Callable[[Params], Desired]
    read: t.Callable[[Client, Desired], State]
    plan: t.Callable[[Desired, State], Plan]
    conclude: t.Callable[[Desired, State, Plan, t.Sequence[Answer]], Conclusion]
    secrets: t.Callable[[Desired, State | None], t.Iterable[str]] = lambda desired, state: ()
    successor: t.Callable[[Desired, Request], Desired] = lambda desired, request: desired
    validate: t.Callable[[Client, t.Sequence[Step]], None] = lambda client, steps: None
    verify: t.Callable[[Client, t.Sequence[Outcome]], None] = lambda client, outcomes: None
    approvable: bool = True

    def compose(self, desired: Desired, state: State) -> Composition:
        """Return the plan as the only step of the task."""
        return Composition.of(Step(self.name, "", self.name, desired, state, self.plan(desired, state)))


@dataclasses.dataclass(kw_only=True)
class CompositeTask(Task, t.Generic[Desired, State]):
    """A module that brings several resources of a zone into their desired state and makes every plan before the first write.

    `parts` are the single tasks, by the names that steps use; the rest is as in `StateTask`.
    """

    desire: t.Callable[[Params], Desired]
    read: t.Callable[[Client, Desired], State]
    compose: t.Callable[[Desired, State], Composition]
    parts: t.Mapping[str, StateTask[t.Any, t.Any]]
    secrets: t.Callable[[Desired, State | None], t.Iterable[str]] = lambda desired, state: ()
    approvable: bool = True


@dataclasses.dataclass(kw_only=True)
class InfoTask(Task, t.Generic[Desired]):
    """A module that only reads: `report(client, desired)` returns its result."""

    desire: t.Callable[[Params], Desired]
    report: t.Callable[[Client, Desired], Conclusion]


@dataclasses.dataclass(kw_only=True)
class LocalTask(Task, t.Generic[Desired]):
    """A module that sends no requests, has no connection options and runs on the controller only.

    report(desired) -> Conclusion      the predicted result, with `changed`
    write(desired)                     applies it, if `changed` is true and this is not check mode
    """

    desire: t.Callable[[Params], Desired]
    report: t.Callable[[Desired], Conclusion]
    write: t.Callable[[Desired], None] = lambda desired: None
    is_local: t.ClassVar[bool] = True
