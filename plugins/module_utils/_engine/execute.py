# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._api.endpoints import ENDPOINTS
from ansible_collections.edgeops.observability.plugins.module_utils._composition import Outcome, Rival, Step
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import Desired, State, StateTask
from ansible_collections.edgeops.observability.plugins.module_utils._errors import BAD_RESPONSE, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Answer, Conclusion, Json, Plan, Request


class Execution(t.Generic[Desired, State]):
    """Sends a plan request by request, and reads the service once more where a creation had no clear answer."""

    def __init__(self, task: StateTask[Desired, State], client: Client, mark_written: t.Callable[[], None]) -> None:
        self._task = task
        self._client = client
        self._mark_written = mark_written
        self._wrote = False
        self.created = False

    def apply(self, desired: Desired, state: State, plan: Plan) -> tuple[Conclusion, bool]:
        """Return what the answers mean, and whether this run wrote anything.

        A creation whose outcome is unknown is never repeated: the service is read and planned again. What is there by then
        is adopted; where the new plan would still create it, the first failure stands.
        """
        answers: list[Answer] = []
        for request in plan.requests:
            try:
                answers.append(self._send(request, answers))
            except Failure as failure:
                if not request.creates or not (failure.unanswered or failure.kind in request.look_again_on):
                    self._note_accepted(failure)
                    raise failure.with_note(request.if_it_fails) from failure
                return self._look_again(desired, request, failure)
        self.created = plan.creates
        return self._task.conclude(desired, state, plan, answers), self._wrote

    def _look_again(self, desired: Desired, request: Request, failure: Failure) -> tuple[Conclusion, bool]:
        desired = self._task.successor(desired, request)
        try:
            state = self._task.read(self._client, desired)
            plan = self._task.plan(desired, state)
        except Failure as second:
            self._note_accepted(failure)
            raise failure.with_note(request.if_it_fails).with_note(f"Looking again failed: {second}") from second
        if plan.creates:
            raise failure.with_note(request.if_it_fails) from failure
        if failure.unanswered:
            self._note_write()
        if not plan.requests:
            return Conclusion(plan.result, plan.warnings), self._wrote
        return self.apply(desired, state, plan)

    def give_way(self, rival: Rival, plan: Plan) -> Conclusion:
        """Delete what this run created, and bring what another run created first into the desired state."""
        try:
            self._send(rival.deletion, ())
            conclusion = self.apply(rival.desired, rival.state, plan)[0] if plan.requests else Conclusion(plan.result)
        except Failure as failure:
            self._note_accepted(failure)
            raise failure.with_note(rival.note) from failure
        return conclusion._replace(warnings=(rival.warning, *plan.warnings, *conclusion.warnings))

    def _send(self, request: Request, answers: t.Sequence[Answer]) -> Answer:
        ids = dict(request.ids)
        if request.id_from_answer:
            ids[request.id_from_answer] = _identity(answers[-1])
        if ENDPOINTS[request.operation].method == "DELETE":
            return self._delete(request.operation, ids)
        answer = self._client.call(request.operation, ids=ids, body=request.body)
        self._note_write()
        if request.creates:
            # Without an id the answer does not say what was created, which another look at the service does.
            _identity(answer)
        return answer

    def _delete(self, operation: str, ids: t.Mapping[str, str | int]) -> Answer:
        if self._client.delete(operation, ids=ids):
            self._note_write()
        return Answer(result=None, result_info=None, status=200, attempts=1, request_id=None)

    def _note_accepted(self, failure: Failure) -> None:
        """Remember a write whose answer has a status of success and cannot be read: that it changed nothing would be a lie."""
        if failure.accepted:
            self._note_write()

    def _note_write(self) -> None:
        self._wrote = True
        self._mark_written()


def apply_steps(
    parts: t.Mapping[str, StateTask[t.Any, t.Any]], client: Client, mark_written: t.Callable[[], None], steps: t.Sequence[Step]
) -> list[Outcome]:
    """Apply one step after the other; a failure stops the rest and names what was written before it."""
    done: list[Outcome] = []
    for step in steps:
        execution = Execution(parts[step.part], client, mark_written)
        try:
            conclusion, written = execution.apply(step.desired, step.state, step.plan)
        except Failure as failure:
            raise _told(failure, step, done, steps) from failure
        done.append(Outcome(step, conclusion, written, execution.created))
    return done


def settle(
    parts: t.Mapping[str, StateTask[t.Any, t.Any]],
    client: Client,
    mark_written: t.Callable[[], None],
    hide: t.Callable[[t.Iterable[str]], None],
    outcomes: t.Sequence[Outcome],
) -> list[Outcome]:
    """Look after the last write for what other runs created first, and give way to it; return the outcomes as they are then."""
    settled = {id(outcome): outcome for outcome in outcomes}
    met = [
        (task, rival)
        for name, task in parts.items()
        for rival in task.rivals(client, [outcome for outcome in outcomes if outcome.step.part == name])
    ]
    for task, rival in met:
        hide(task.secrets(rival.desired, rival.state))
    # What was created goes only once it is certain that what is there before it can take its place.
    plans = [_plan_rival(task, rival) for task, rival in met]
    for (task, rival), plan in zip(met, plans, strict=True):
        conclusion = Execution(task, client, mark_written).give_way(rival, plan)
        settled[id(rival.outcome)] = rival.outcome._replace(conclusion=conclusion)
    return list(settled.values())


def _plan_rival(task: StateTask[t.Any, t.Any], rival: Rival) -> Plan:
    try:
        return task.plan(rival.desired, rival.state)
    except Failure as failure:
        raise failure.with_note(rival.note) from failure


def _told(failure: Failure, step: Step, done: t.Sequence[Outcome], steps: t.Sequence[Step]) -> Failure:
    """Return the failure of one step with what became of the others; first, because the service's words may be long."""
    written = [repr(outcome.step.label) for outcome in done if outcome.written]
    waiting = [repr(each.label) for each in steps[len(done) + 1 :]]
    parts = [f"{step.place} ({step.label!r}) failed"]
    parts += [f"already written: {', '.join(written)}"] if written else []
    parts += [f"not sent: {', '.join(waiting)}"] if waiting else []
    return dataclasses.replace(failure, message=f"{'; '.join(parts)}. {failure.message}")


def _identity(answer: Answer) -> str | int:
    """The id of what the request before has made; without it nothing more can be addressed."""
    found: Json = answer.result.get("id") if isinstance(answer.result, dict) else None
    if isinstance(found, bool) or not isinstance(found, (str, int)) or found == "":
        raise Failure(BAD_RESPONSE, "The service created an object, but its response has no id.", unanswered=True)
    return found
