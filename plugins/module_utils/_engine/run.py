# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import gc
import traceback
import typing as t

from .._address import parse_address
from .._api.client import Client
from .._api.connection import parse_connection
from .._api.endpoints import ENDPOINTS
from .._core import (
    BAD_RESPONSE,
    Answer,
    Conclusion,
    Failure,
    Json,
    Plan,
    Request,
    defect,
    plan_id,
    report_effects,
)
from .._destination_secrets import readable_failure, readable_text
from .._redact import scrub
from .._text import dict_of, list_of
from .steps import Approval


class Performs(t.Protocol):
    """A task, as far as a run knows it."""

    def perform(self, run: Run) -> None: ...


class Run:
    """One run of a task: applies check mode and diff mode, and builds the result."""

    def __init__(
        self,
        params: t.Mapping[str, t.Any],
        *,
        check_mode: bool,
        diff_mode: bool,
        announce: t.Callable[[str], None] | None = None,
    ) -> None:
        """`announce` gets the reason for the first long wait before it begins."""
        self.params = params
        self._announce = announce
        self.check_mode = check_mode
        self._diff_mode = diff_mode
        self.result: dict[str, Json] = {"changed": False}
        self._warnings: list[str] = []
        # How many writes the service accepted or may have accepted.
        self.writes = 0
        # The deletions of what did not exist any more, by the service's answer.
        self.not_found: list[Request] = []
        self._is_refused = False
        # What no output may contain.
        self.secrets: set[str] = set()
        self._client: Client | None = None
        self._address: dict[str, str] = {}

    def finish(self, task: Performs) -> dict[str, Json]:
        """Run the task and return its result with warnings and without secrets, failed or not."""
        with _no_garbage_collection():
            try:
                task.perform(self)
            except Failure as failure:
                self._fail(failure)
            except Exception as error:  # a bug: fail with a message that the user can report
                self._fail(defect(error))
                # The text of the exception may quote a secret.
                self.result["exception"] = f"{''.join(traceback.format_tb(error.__traceback__))}{type(error).__name__}"
            if self._client is not None:
                self._warnings.extend(self._client.warnings)
                self._client.close()
            hidden = scrub({**self.result, "warnings": list(dict.fromkeys(self._warnings))}, self.secrets)
            hidden["warnings"] = [readable_text(str(warning)) for warning in list_of(hidden["warnings"])]
            if not hidden.get("failed"):
                return hidden
            # By the kind a playbook decides; it is a word of ours, also where a secret is the same one.
            hidden["error"] = {**dict_of(hidden["error"]), "kind": dict_of(self.result["error"])["kind"]}
            return readable_failure(hidden)

    def send(self, client: Client, request: Request, answers: t.Sequence[Answer]) -> Answer:
        ids = dict(request.ids)
        if request.id_from_answer:
            ids[request.id_from_answer] = _identity(answers[-1])
        if ENDPOINTS[request.operation].method == "DELETE":
            is_deleted = client.delete(request.operation, ids=ids)
            self.writes += is_deleted
            if not is_deleted:
                self.not_found.append(request)
            return Answer(None)
        answer = client.call(request.operation, ids=ids, body=request.body)
        self.writes += request.changes
        if request.creates:
            # If the answer has no id, the failure makes the run read the service again.
            _identity(answer)
        return answer

    def need_address(self, addresses: t.Sequence[str]) -> None:
        """Refuse options without an address, or with several, before other options are judged by its scope."""
        if addresses:
            parse_address(self.params, addresses)

    def connect(self, addresses: t.Sequence[str]) -> Client:
        """Return the client of this run; fail before any request if options, credentials or the library are unusable."""
        described = parse_connection(self.params, addresses=addresses)
        self.secrets.update(described.secrets)
        self._client = Client(described, announce=self._announce)
        self.secrets.update(self._client.secrets)
        self._client = self._client.resolve()
        if described.address:
            self._address = self._client.address.named
            self.result.update(self._address)
        return self._client

    def propose(self, plan: Plan, approvable: bool, approvals: t.Mapping[str, Approval]) -> None:
        """Record the prediction; refuse a plan that differs from the approved one, or that a policy of the user refuses."""
        self._warnings.extend(plan.warnings)
        required = [*approvals.values()]
        if approvals:
            self.result["plan_ids"] = {name: approval.current for name, approval in approvals.items()}
        if approvable:
            current, expected = plan_id(self._address, plan), self.params["expected_plan_id"]
            self.result["plan_id"] = current
            required.insert(0, Approval("expected_plan_id", expected, current, expected is not None))
        for approval in required:
            if approval.compared and approval.expected != approval.current:
                raise approval.refusal()
        if approvable or approvals:
            self.result["effects"] = report_effects(plan.effects)
        self.result.update(plan.result)
        self.result["changed"] = plan.changed
        if self._diff_mode:
            self.result["diff"] = {"before": plan.before, "after": plan.after}
        if plan.refused:
            self._is_refused = True
            raise Failure(plan.refused_as, plan.refused)

    def report(self, conclusion: Conclusion) -> None:
        self.result.update(conclusion.result)
        self._warnings.extend(conclusion.warnings)
        if conclusion.refused:
            self._is_refused = True
            raise Failure(conclusion.refused_as, conclusion.refused)

    def _fail(self, failure: Failure) -> None:
        if self._client is not None:
            failure = self._client.locate(failure)
        kept = self.result
        if not self._is_refused:
            kept = {name: self.result[name] for name in (*self._address, "plan_id", "plan_ids") if name in self.result}
        self.result = {**kept, "failed": True, "changed": self.writes > 0, "msg": str(failure), "error": failure.report()}


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


def _identity(answer: Answer) -> str | int:
    """Return the id of the created object; raise `bad_response` if the answer has none."""
    object_id: Json = answer.result.get("id") if isinstance(answer.result, dict) else None
    if isinstance(object_id, bool) or not isinstance(object_id, (str, int)) or object_id == "":
        raise Failure(BAD_RESPONSE, "The service created an object, but its response has no id.", unanswered=True)
    return object_id
