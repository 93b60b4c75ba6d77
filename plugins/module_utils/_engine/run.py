# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import dataclasses
import gc
import traceback
import typing as t

from .._api.client import Client
from .._api.connection import parse_connection
from .._api.endpoints import ENDPOINTS
from .._core import (
    BAD_RESPONSE,
    GATE,
    Answer,
    Approval,
    Conclusion,
    Failure,
    Json,
    Outcome,
    Plan,
    Request,
    Step,
    defect,
    plan_id,
    report_effects,
)
from .._destination import readable_failure, readable_text
from .._redact import scrub
from .._text import list_of
from .task import CompositeTask, Desired, InfoTask, LocalTask, Params, State, StateTask, Task


class Run:
    """One run of a task: applies check mode and diff mode, and builds the result."""

    def __init__(
        self, params: Params, *, check_mode: bool, diff_mode: bool, announce: t.Callable[[float], None] | None = None
    ) -> None:
        """`announce` is called with the seconds of the first long pause, before it begins."""
        self._params = params
        self._announce = announce
        self._check_mode = check_mode
        self._diff_mode = diff_mode
        self._result: dict[str, Json] = {"changed": False}
        self._warnings: list[str] = []
        # How many writes the service accepted or may have accepted.
        self._writes = 0
        # What no output may contain.
        self._secrets: set[str] = set()
        self._client: Client | None = None
        self._address: dict[str, str] = {}

    def finish(self, task: Task) -> dict[str, Json]:
        """Run the task and return its result with warnings and without secrets, failed or not."""
        with _no_garbage_collection():
            try:
                if isinstance(task, (StateTask, CompositeTask)):
                    self._change(task)
                elif isinstance(task, InfoTask):
                    desired = task.desire(self._params)
                    self._report(task.report(self._connect(task.addresses), desired))
                elif isinstance(task, LocalTask):
                    self._change_here(task)
            except Failure as failure:
                self._fail(failure)
            except Exception as error:  # a bug: fail with a message that the user can report
                self._fail(defect(error))
                # The text of the exception may quote a secret.
                self._result["exception"] = f"{''.join(traceback.format_tb(error.__traceback__))}{type(error).__name__}"
            if self._client is not None:
                self._warnings.extend(self._client.warnings)
                self._client.close()
            hidden = scrub({**self._result, "warnings": list(dict.fromkeys(self._warnings))}, self._secrets)
            hidden["warnings"] = [readable_text(str(warning)) for warning in list_of(hidden["warnings"])]
            return readable_failure(hidden) if hidden.get("failed") else hidden

    def _change_here(self, task: LocalTask[Desired]) -> None:
        desired = task.desire(self._params)
        self._report(task.report(desired))
        if self._result["changed"] and not self._check_mode:
            task.write(desired)

    def _change(self, task: StateTask[Desired, State] | CompositeTask[Desired, State]) -> None:
        """Read, make every plan, and apply the plans in order unless this is check mode."""
        desired = task.desire(self._params)
        self._secrets.update(task.secrets(desired, None))
        client = self._connect(task.addresses)
        state = task.read(client, desired)
        self._secrets.update(task.secrets(desired, state))
        composition = task.compose(desired, state)
        parts = task.parts if isinstance(task, CompositeTask) else {task.name: task}
        for name, part in parts.items():
            part.validate(client, [step for step in composition.steps if step.part == name])
        self._propose(composition.whole, task.approvable, composition.approvals)
        if self._check_mode or not composition.steps:
            return
        done: list[Outcome] = []
        for step in composition.steps:
            before = self._writes
            try:
                conclusion, created = self._apply(parts[step.part], client, step.desired, step.state, step.plan)
            except Failure as failure:
                raise _with_progress(failure, step, done, composition.steps) from failure
            done.append(Outcome(step, conclusion, self._writes > before, created))
        self._result["changed"] = self._writes > 0
        for name, part in parts.items():
            part.verify(client, [outcome for outcome in done if outcome.step.part == name])
        self._report(composition.conclude(done))

    def _apply(
        self, task: StateTask[Desired, State], client: Client, desired: Desired, state: State, plan: Plan
    ) -> tuple[Conclusion, bool]:
        """Send the requests of a plan; return the conclusion, and whether this run certainly created something."""
        answers: list[Answer] = []
        for request in plan.requests:
            try:
                answers.append(self._send(client, request, answers))
            except Failure as failure:
                if request.creates and (failure.unanswered or failure.kind in request.look_again_on):
                    return self._look_again(task, client, desired, request, failure.with_note(request.if_it_fails)), False
                self._writes += request.changes and failure.accepted
                raise failure.with_note(request.if_it_fails) from failure
        return task.conclude(desired, state, plan, answers), plan.creates

    def _look_again(
        self, task: StateTask[Desired, State], client: Client, desired: Desired, request: Request, failure: Failure
    ) -> Conclusion:
        """Read and plan again after a creation with an unknown outcome, which is never repeated.

        If the object exists by then, continue with it; if the new plan would still create it, raise the first failure.
        """
        desired = task.successor(desired, request)
        try:
            state = task.read(client, desired)
            plan = task.plan(desired, state)
        except Failure as second:
            self._writes += failure.accepted
            raise failure.with_note(f"Reading the service again failed: {second}") from second
        if plan.creates:
            raise failure
        self._writes += failure.unanswered
        if not plan.requests:
            return Conclusion(plan.result, plan.warnings)
        return self._apply(task, client, desired, state, plan)[0]

    def _send(self, client: Client, request: Request, answers: t.Sequence[Answer]) -> Answer:
        ids = dict(request.ids)
        if request.id_from_answer:
            ids[request.id_from_answer] = _identity(answers[-1])
        if ENDPOINTS[request.operation].method == "DELETE":
            self._writes += client.delete(request.operation, ids=ids)
            return Answer(None)
        answer = client.call(request.operation, ids=ids, body=request.body)
        self._writes += request.changes
        if request.creates:
            # If the answer has no id, the failure makes the run read the service again.
            _identity(answer)
        return answer

    def _connect(self, addresses: t.Sequence[str]) -> Client:
        """Return the client of this run; fail before any request if options, credentials or the library are unusable."""
        described = parse_connection(self._params, addresses=addresses)
        self._secrets.update(described.secrets)
        self._client = Client(described, announce=self._announce)
        self._secrets.update(self._client.secrets)
        self._client = self._client.resolve()
        if described.address:
            self._address = self._client.address.named
            self._result.update(self._address)
        return self._client

    def _propose(self, plan: Plan, approvable: bool, approvals: t.Mapping[str, Approval]) -> None:
        """Record the prediction; refuse a plan that differs from the approved one."""
        self._warnings.extend(plan.warnings)
        required = [*approvals.values()]
        if approvals:
            self._result["plan_ids"] = {name: approval.found for name, approval in approvals.items()}
        if approvable:
            found, expected = plan_id(self._address, plan), self._params["expected_plan_id"]
            self._result["plan_id"] = found
            required.insert(0, Approval("expected_plan_id", expected, found, expected is not None))
        for approval in required:
            if approval.compared and approval.expected != approval.found:
                raise approval.refusal()
        if approvable or approvals:
            self._result["effects"] = report_effects(plan.effects)
        self._result.update(plan.result)
        self._result["changed"] = plan.changed
        if self._diff_mode:
            self._result["diff"] = {"before": plan.before, "after": plan.after}

    def _report(self, conclusion: Conclusion) -> None:
        self._result.update(conclusion.result)
        self._warnings.extend(conclusion.warnings)
        if conclusion.refused:
            raise Failure(GATE, conclusion.refused)

    def _fail(self, failure: Failure) -> None:
        if self._client is not None:
            failure = self._client.locate(failure)
        kept = self._result
        if failure.kind != GATE:
            kept = {name: self._result[name] for name in (*self._address, "plan_id", "plan_ids") if name in self._result}
        self._result = {**kept, "failed": True, "changed": self._writes > 0, "msg": str(failure), "error": failure.report()}


@contextlib.contextmanager
def _no_garbage_collection() -> t.Iterator[None]:
    """Disable garbage collection during a run; it took a third of the time for 50,000 scripts."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _with_progress(failure: Failure, step: Step, done: t.Sequence[Outcome], steps: t.Sequence[Step]) -> Failure:
    """Return the failure of a step with the progress of the others before its text, which may be long."""
    if not step.place:
        return failure  # the only step of a task
    written = [repr(outcome.step.label) for outcome in done if outcome.written]
    waiting = [repr(each.label) for each in steps[len(done) + 1 :]]
    parts = [f"{step.place} ({step.label!r}) failed"]
    parts += [f"already written: {', '.join(written)}"] if written else []
    parts += [f"not sent: {', '.join(waiting)}"] if waiting else []
    return dataclasses.replace(failure, message=f"{'; '.join(parts)}. {failure.message}")


def _identity(answer: Answer) -> str | int:
    """Return the id of the created object; raise `bad_response` if the answer has none."""
    found: Json = answer.result.get("id") if isinstance(answer.result, dict) else None
    if isinstance(found, bool) or not isinstance(found, (str, int)) or found == "":
        raise Failure(BAD_RESPONSE, "The service created an object, but its response has no id.", unanswered=True)
    return found
