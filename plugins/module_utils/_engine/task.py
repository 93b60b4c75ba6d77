# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The types of task that a module can be; `run.py` runs each of them.
import dataclasses
import types
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._composition import Composition, Outcome, Rival, Step
from ansible_collections.edgeops.observability.plugins.module_utils._engine.options import (
    APPROVAL_OPTIONS,
    CONNECTION_OPTIONS,
    ZONE_OPTIONS,
    ArgumentSpec,
    Params,
)
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Answer, Conclusion, Plan, Request

Desired = t.TypeVar("Desired")
State = t.TypeVar("State")


class Spec(t.NamedTuple):
    """A module's own options with the rules between them, in the words of AnsibleModule."""

    options: ArgumentSpec
    mutually_exclusive: t.Sequence[t.Sequence[str]] = ()
    required_together: t.Sequence[t.Sequence[str]] = ()
    required_one_of: t.Sequence[t.Sequence[str]] = ()
    required_if: t.Sequence[t.Sequence[t.Any]] = ()
    required_by: t.Mapping[str, t.Sequence[str]] = types.MappingProxyType({})


@dataclasses.dataclass(frozen=True)
class StateTask(t.Generic[Desired, State]):
    """A module that brings one resource of a zone into its desired state.

    desire(params) -> desired                  pure; raises `invalid_option` before any request
    read(client, desired) -> state              GET only
    plan(desired, state) -> Plan               pure
    conclude(desired, state, plan, answers) -> Conclusion   pure; raises `bad_response` where an answer is not what was requested
    secrets(desired, state or None) -> strings that no output may hold
    successor(desired, request) -> desired      how to look for what a creation without an answer may have created
    validate(client, steps)                     GET only; raises `invalid_option` where the service would misunderstand a plan
    rivals(client, outcomes) -> rivals          GET only; what other runs created before this one, looked for after the last write
    approvable: whether the module has `plan_id` and `expected_plan_id`
    """

    name: str
    spec: Spec
    desire: t.Callable[[Params], Desired]
    read: t.Callable[[Client, Desired], State]
    plan: t.Callable[[Desired, State], Plan]
    conclude: t.Callable[[Desired, State, Plan, t.Sequence[Answer]], Conclusion]
    secrets: t.Callable[[Desired, State | None], t.Iterable[str]] = lambda desired, state: ()
    successor: t.Callable[[Desired, Request], Desired] = lambda desired, request: desired
    validate: t.Callable[[Client, t.Sequence[Step]], None] = lambda client, steps: None
    rivals: t.Callable[[Client, t.Sequence[Outcome]], t.Sequence[Rival]] = lambda client, outcomes: ()
    approvable: bool = True

    def arguments(self) -> dict[str, t.Any]:
        """The arguments of AnsibleModule, or of the validator that stands in for it."""
        return _arguments(self.spec, {**CONNECTION_OPTIONS, **ZONE_OPTIONS, **(APPROVAL_OPTIONS if self.approvable else {})})


@dataclasses.dataclass(frozen=True)
class CompositeTask(t.Generic[Desired, State]):
    """A module that brings several resources of a zone into their desired state: every plan is made before the first write.

    `parts` are the single tasks by the names that steps give them; the rest is as in `StateTask`.
    """

    name: str
    spec: Spec
    desire: t.Callable[[Params], Desired]
    read: t.Callable[[Client, Desired], State]
    plan: t.Callable[[Desired, State], Composition]
    parts: t.Mapping[str, StateTask[t.Any, t.Any]]
    secrets: t.Callable[[Desired, State | None], t.Iterable[str]] = lambda desired, state: ()
    approvable: bool = True

    def arguments(self) -> dict[str, t.Any]:
        """The arguments of AnsibleModule, or of the validator that stands in for it."""
        return _arguments(self.spec, {**CONNECTION_OPTIONS, **ZONE_OPTIONS, **(APPROVAL_OPTIONS if self.approvable else {})})


@dataclasses.dataclass(frozen=True)
class InfoTask(t.Generic[Desired]):
    """A module that only reads: `report(client, desired)` returns its result."""

    name: str
    spec: Spec
    desire: t.Callable[[Params], Desired]
    report: t.Callable[[Client, Desired], Conclusion]

    def arguments(self) -> dict[str, t.Any]:
        """The arguments of AnsibleModule, or of the validator that stands in for it."""
        return _arguments(self.spec, {**CONNECTION_OPTIONS, **ZONE_OPTIONS})


@dataclasses.dataclass(frozen=True)
class LocalTask(t.Generic[Desired]):
    """A module that never talks to the service, so it has no connection options.

    report(desired) -> Conclusion      its result, `changed` included, as check mode predicts it
    write(desired)                     makes that true, outside check mode and only where `changed` is true
    """

    name: str
    spec: Spec
    desire: t.Callable[[Params], Desired]
    report: t.Callable[[Desired], Conclusion]
    write: t.Callable[[Desired], None] = lambda desired: None

    def arguments(self) -> dict[str, t.Any]:
        """The arguments of AnsibleModule, or of the validator that stands in for it."""
        return _arguments(self.spec, {})


Task: t.TypeAlias = "StateTask[t.Any, t.Any] | CompositeTask[t.Any, t.Any] | InfoTask[t.Any] | LocalTask[t.Any]"


def _arguments(spec: Spec, shared: ArgumentSpec) -> dict[str, t.Any]:
    return {
        "argument_spec": {**shared, **spec.options},
        "mutually_exclusive": spec.mutually_exclusive,
        "required_together": spec.required_together,
        "required_one_of": spec.required_one_of,
        "required_if": spec.required_if,
        "required_by": dict(spec.required_by),
    }
