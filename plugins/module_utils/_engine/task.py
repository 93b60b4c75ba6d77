# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Answer, Client
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection
from ansible_collections.edgeops.observability.plugins.module_utils._api.http.libraries import missing_requests
from ansible_collections.edgeops.observability.plugins.module_utils._engine.execute import Application
from ansible_collections.edgeops.observability.plugins.module_utils._engine.legible import legible, place_of
from ansible_collections.edgeops.observability.plugins.module_utils._engine.options import (
    APPROVAL_OPTIONS,
    CONNECTION_OPTIONS,
    ZONE_OPTIONS,
    ArgumentSpec,
    Params,
    connection,
)
from ansible_collections.edgeops.observability.plugins.module_utils._errors import BAD_RESPONSE, Failure, conflict
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Conclusion, Json, Plan, Request
from ansible_collections.edgeops.observability.plugins.module_utils._plan_id import plan_id
from ansible_collections.edgeops.observability.plugins.module_utils._redact import scrub

Desired = t.Any
State = t.Any


class Spec(t.NamedTuple):
    """A module's own options with the rules between them, in the words of AnsibleModule."""

    options: ArgumentSpec
    mutually_exclusive: t.Sequence[t.Sequence[str]] = ()
    required_together: t.Sequence[t.Sequence[str]] = ()
    required_one_of: t.Sequence[t.Sequence[str]] = ()
    required_if: t.Sequence[t.Sequence[t.Any]] = ()
    required_by: t.Mapping[str, t.Sequence[str]] = types.MappingProxyType({})


class StateTask(t.NamedTuple):
    """A module that brings one thing of a zone into a state.

    desire(params) -> desired                  pure; raises `invalid_option` before any request
    read(client, desired) -> state              GET only
    plan(desired, state) -> Plan               pure
    conclude(desired, state, plan, answers) -> Conclusion   pure; raises `bad_response` where an answer is not what was asked for
    secrets(desired, state or None) -> strings that no output may hold
    successor(desired, request) -> desired      how to look for what a creation without an answer may have made
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
    approvable: bool = True

    def arguments(self) -> dict[str, t.Any]:
        """What AnsibleModule, or the validator that stands in for it, is told."""
        return _arguments(self.spec, APPROVAL_OPTIONS if self.approvable else {})

    def carry_out(self, run: Run) -> None:
        """Read, plan, and write unless this is check mode; the findings go into `run`."""
        desired = self.desire(run.params)
        run.hide(self.secrets(desired, None))
        client = run.connect()
        state = self.read(client, desired)
        run.hide(self.secrets(desired, state))
        plan = self.plan(desired, state)
        run.propose(plan, self.approvable)
        if run.check_mode or not plan.requests:
            return
        mark_written = run.mark_written if plan.changes else lambda: None
        conclusion, carried = Application(self, client, mark_written).apply(desired, state, plan)
        run.result["changed"] = carried and plan.changes
        run.result.update(conclusion.result)
        run.warnings.extend(conclusion.warnings)


class InfoTask(t.NamedTuple):
    """A module that only reads: `report(client, desired)` gives its result."""

    name: str
    spec: Spec
    desire: t.Callable[[Params], Desired]
    report: t.Callable[[Client, Desired], Conclusion]

    def arguments(self) -> dict[str, t.Any]:
        """What AnsibleModule, or the validator that stands in for it, is told."""
        return _arguments(self.spec, {})

    def carry_out(self, run: Run) -> None:
        """Read and report."""
        desired = self.desire(run.params)
        conclusion = self.report(run.connect(), desired)
        run.result.update(conclusion.result)
        run.warnings.extend(conclusion.warnings)


Task: t.TypeAlias = "StateTask | InfoTask"


class Run:
    """One execution of a task: the only reader of check mode and diff mode, and the place where its result grows."""

    def __init__(self, params: Params, *, check_mode: bool, diff_mode: bool) -> None:
        self.params = params
        self.check_mode = check_mode
        self.diff_mode = diff_mode
        self.result: dict[str, Json] = {"changed": False}
        self.warnings: list[str] = []
        self.written = False
        self._secrets: set[str] = set()
        self._client: Client | None = None

    def hide(self, secrets: t.Iterable[str]) -> None:
        """Strings that must not appear in any output."""
        self._secrets.update(secret for secret in secrets if secret)

    def mark_written(self) -> None:
        """Remember that the service was changed, for a failure that comes after it."""
        self.written = True

    def connect(self) -> Client:
        """The client of this run; fails before any request where options, credentials or the library do not do."""
        described: Connection = connection(self.params)
        self.hide(value for value in (described.token, described.key) if value)
        missing = missing_requests()
        if missing:
            raise missing
        self._client = Client(described)
        self.hide(self._client.secrets)
        return self._client

    def propose(self, plan: Plan, approvable: bool) -> None:
        """Record the prediction; refuse a plan other than the one that was approved."""
        self.warnings.extend(plan.warnings)
        if approvable:
            self.result["plan_id"] = plan_id(self.params["zone_id"], plan)
            expected = self.params["expected_plan_id"]
            if expected and expected != self.result["plan_id"]:
                raise conflict(
                    f"expected_plan_id: the plan is now {self.result['plan_id']}, not the approved {expected}:"
                    " the service or the options have moved since. Nothing was written; review a new check run."
                )
        self.result.update(plan.result)
        self.result["changed"] = plan.changed
        if self.diff_mode:
            self.result["diff"] = {"before": plan.before, "after": plan.after}

    def finish(self, task: Task) -> dict[str, Json]:
        """Carry the task out and return its result, failed or not, warnings included and free of secrets."""
        try:
            task.carry_out(self)
        except Failure as failure:
            self._fail(failure)
        except Exception as error:  # the last line of defence: a person gets a sentence, whatever the service sent
            self._fail(Failure(BAD_RESPONSE, f"{task.name} could not make sense of what it met: {place_of(error)}"))
        if self._client is not None:
            self.warnings.extend(self._client.warnings)
            self._client.close()
        self.result["warnings"] = list(dict.fromkeys(self.warnings))
        hidden: dict[str, Json] = scrub(self.result, self._secrets)
        return legible(hidden) if hidden.get("failed") else hidden

    def _fail(self, failure: Failure) -> None:
        if self._client is not None:
            failure = self._client.locate(failure)
        kept = {name: self.result[name] for name in ("plan_id",) if name in self.result}
        self.result = {"failed": True, "changed": self.written, **kept, "msg": str(failure), "error": failure.report()}


def _arguments(spec: Spec, further: ArgumentSpec) -> dict[str, t.Any]:
    return {
        "argument_spec": {**CONNECTION_OPTIONS, **ZONE_OPTIONS, **further, **spec.options},
        "mutually_exclusive": spec.mutually_exclusive,
        "required_together": spec.required_together,
        "required_one_of": spec.required_one_of,
        "required_if": spec.required_if,
        "required_by": dict(spec.required_by),
    }
