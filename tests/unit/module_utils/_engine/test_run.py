# SPDX-License-Identifier: GPL-3.0-or-later

import contextlib
import dataclasses
import gc

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._address import ZONE, ZONE_ADDRESSES, Address
from ansible_collections.edgeops.observability.plugins.module_utils._core import (
    BAD_RESPONSE,
    CONFLICT,
    GATE,
    INTERNAL,
    REJECTED,
    UNAVAILABLE,
    Answer,
    Conclusion,
    Effect,
    Failure,
    Plan,
    Request,
    conflict,
    invalid_option,
)
from ansible_collections.edgeops.observability.plugins.module_utils._engine import run as run_module
from ansible_collections.edgeops.observability.plugins.module_utils._engine.steps import Approval, Composition, Step
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import (
    InfoTask,
    LocalTask,
    StateTask,
)

DESIRED, OTHER = {"value": "desired"}, {"value": "of another run"}
CREATED, LOOKED_AGAIN = ["GET", "logpush_jobs.create"], ["GET", "logpush_jobs.create", "GET"]


class Service:
    """A fake client that stores one object, and answers each write with the next of `outcomes`.

    `reads` are the results of reads that differ from the stored object.
    """

    def __init__(self, thing=None, outcomes=(), reads=None):
        self.thing = thing
        self.outcomes = list(outcomes)
        self.reads = reads
        self.sent = []
        self.warnings = []
        self.secrets = ("canary-of-a-proxy",)
        self.address = Address(ZONE, "abc")

    def resolve(self):
        return self

    def read(self):
        self.sent.append("GET")
        return self.thing if self.reads is None else self._outcome(self.reads.pop(0))

    def call(self, operation, *, ids=None, body=None, query=None):
        self.sent.append(operation)
        outcome = self._outcome(self.outcomes.pop(0) if self.outcomes else None) or body
        self.thing = body
        return Answer({"id": "new", **outcome})

    @staticmethod
    def _outcome(outcome):
        if isinstance(outcome, Failure):
            raise outcome
        return outcome

    def delete(self, operation, *, ids=None):
        self.sent.append(operation)
        there, self.thing = self.thing is not None, None
        return there

    def locate(self, failure):
        return failure

    def close(self):
        pass


def plan(desired, state):
    operation = "logpush_jobs.update" if state else "logpush_jobs.create"
    request = Request(operation, body=desired, creates=not state, look_again_on=(REJECTED,), if_it_fails="That is all.")
    return Plan(
        before=state or {},
        after=desired,
        result={"thing": desired},
        requests=() if state == desired else (request,),
        basis=state,
        warnings=("planned",),
    )


class Thing(StateTask):
    name = "thing"

    def desire(self, params):
        return DESIRED

    def read(self, client, desired):
        return client.read()

    def plan(self, desired, state):
        return plan(desired, state)

    def conclude(self, desired, state, plan, answers):
        return Conclusion({"thing": answers[-1].result}, ("concluded",))

    def secrets(self, desired, state):
        return ["canary-secret"] if state is None else ["canary-current"]


TASK = Thing()


def changed(**members):
    """Return the task with other members; functions replace methods."""
    methods = {
        name: (lambda own, *arguments, use=use: use(*arguments)) if callable(use) else use for name, use in members.items()
    }
    return type("Changed", (Thing,), methods)()


OPTIONS = {name: option.get("default") for name, option in TASK.arguments()["argument_spec"].items()}
OPTIONS |= {"base_url": "http://127.0.0.1:1", "api_token": "canary-token", "zone_id": "abc", "request_budget": "none"}


@pytest.fixture
def execute(monkeypatch):
    def run(service, task=TASK, *, check_mode=False, diff_mode=False, **options):
        monkeypatch.setattr(run_module, "Client", lambda described, announce: service)
        return run_module.Run({**OPTIONS, **options}, check_mode=check_mode, diff_mode=diff_mode).finish(task)

    return run


def test_only_a_difference_is_written(execute):
    """This is one example; for all modules, tests/harness checks that check mode predicts the run."""
    service = Service()
    result = execute(service, diff_mode=True)
    assert service.sent == CREATED and result["changed"] is True
    assert result["diff"] == {"before": {}, "after": {"value": "desired"}}
    assert result["warnings"] == ["planned", "concluded"]
    service = Service(DESIRED)
    result = execute(service)
    assert service.sent == ["GET"] and result["changed"] is False and "diff" not in result


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("empty", [True, False])
def test_unapproved_plan_is_refused(execute, check_mode, empty):
    """A plan other than the approved one is refused in both modes; an empty text approves no plan."""
    approved = " " if empty else execute(Service(), check_mode=True)["plan_id"]
    assert empty or execute(Service(), check_mode=check_mode, expected_plan_id=approved)["changed"]
    service = Service(OTHER)
    result = execute(service, check_mode=check_mode, expected_plan_id=approved)
    assert result["failed"] and result["error"]["kind"] == CONFLICT and not result["changed"]
    assert result["msg"].startswith("expected_plan_id is empty" if empty else "expected_plan_id: ")
    assert service.sent == ["GET"]


LOST = Failure(UNAVAILABLE, "cut off.", unanswered=True)
REFUSED = Failure(REJECTED, "not allowed.")
INVALID, ACCEPTED = (Failure(BAD_RESPONSE, "no JSON.", accepted=accepted) for accepted in (False, True))


@pytest.mark.parametrize(
    ("reads", "outcome", "sent", "changed", "kind"),
    [
        # The outcome of the creation is unknown: the object is looked up, and either found or not created again.
        ([None, DESIRED], LOST, LOOKED_AGAIN, True, None),
        ([None, DESIRED], {"id": None}, LOOKED_AGAIN, True, None),
        ([None, None], LOST, LOOKED_AGAIN, False, UNAVAILABLE),
        ([None, None], dataclasses.replace(LOST, accepted=True), LOOKED_AGAIN, False, UNAVAILABLE),
        ([None, Failure(UNAVAILABLE, "down")], dataclasses.replace(LOST, accepted=True), LOOKED_AGAIN, True, UNAVAILABLE),
        ([None, Failure(UNAVAILABLE, "down")], LOST, LOOKED_AGAIN, True, UNAVAILABLE),
        ([OTHER], LOST, ["GET", "logpush_jobs.update"], True, UNAVAILABLE),
        # The creation is refused: if another run created the object in the meantime, it is updated.
        ([None, OTHER], REFUSED, [*LOOKED_AGAIN, "logpush_jobs.update"], True, None),
        ([None, DESIRED], REFUSED, LOOKED_AGAIN, False, None),
        ([None, None], REFUSED, LOOKED_AGAIN, False, REJECTED),
        # The answer is invalid: the result is changed if the write was accepted.
        ([None], INVALID, CREATED, False, BAD_RESPONSE),
        ([None], ACCEPTED, CREATED, True, BAD_RESPONSE),
        ([OTHER], ACCEPTED, ["GET", "logpush_jobs.update"], True, BAD_RESPONSE),
    ],
)
def test_failed_write_reports_what_changed(execute, reads, outcome, sent, changed, kind):
    service = Service(outcomes=[outcome], reads=list(reads))
    result = execute(service)
    assert (service.sent, result["changed"], result.get("error", {}).get("kind")) == (sent, changed, kind)
    if kind is None:
        assert result["thing"]["value"] == "desired"
    else:
        assert result["msg"].startswith(f"{outcome} That is all.")
        assert ("Reading the service again failed: down" in result["msg"]) is (len(reads) == 2 and reads[1] is not None)


def test_what_another_run_created_is_not_destroyed(execute):
    """After a creation without an answer the new plan may be another one: nobody approved what it destroys, and no policy saw it."""
    deletes = Effect("delete_job", "main")
    for more, kind in (({"effects": (deletes,)}, CONFLICT), ({"refused": "a page would break"}, GATE)):
        cautious = changed(plan=lambda desired, state, more=more: plan(desired, state)._replace(**more if state else {}))
        for outcome in (LOST, REFUSED):
            service = Service(outcomes=[outcome], reads=[None, OTHER])
            result = execute(service, cautious)
            assert (service.sent, result["error"]["kind"]) == (LOOKED_AGAIN, kind)
            assert result["changed"] is outcome.unanswered
    # What the first plan destroys, too, was shown.
    known = changed(plan=lambda desired, state: plan(desired, state)._replace(effects=(deletes,)))
    assert not execute(Service(outcomes=[REFUSED], reads=[None, OTHER]), known).get("failed")


def composed(*tasks):
    """Return a task of several parts with one step each."""

    def compose(desired, state):
        steps = tuple(Step(task.name, task.name, task.name, desired, state, task.plan(desired, state)) for task in tasks)
        whole = steps[0].plan._replace(requests=tuple(request for step in steps for request in step.plan.requests))
        return Composition(whole, steps, lambda done: Conclusion({"parts": len(done)}))

    return changed(name="things", compose=compose, parts={task.name: task for task in tasks})


def test_part_with_an_invalid_answer_was_written(execute):
    result = execute(Service(outcomes=[ACCEPTED]), composed(TASK, changed(name="other")))
    assert result["error"]["kind"] == BAD_RESPONSE and result["changed"] is True
    assert "not sent: 'other'" in result["msg"]


@pytest.mark.parametrize(
    ("failing", "progress"),
    [
        (0, "a ('a') failed; not sent: 'b', 'c'"),
        (1, "b ('b') failed; already written: 'a'; not sent: 'c'"),
        (2, "c ('c') failed; already written: 'a', 'b'"),
    ],
)
def test_a_failed_part_says_what_was_written(execute, failing, progress):
    service = Service(outcomes=[*[None] * failing, REFUSED], reads=[None, *[None] * 9])
    result = execute(service, composed(*(changed(name=name) for name in "abc")))
    assert result["msg"] == f"{progress}. {REFUSED} That is all."
    assert result["changed"] is (failing > 0) and result["error"]["kind"] == REJECTED


def test_parts_are_validated_and_verified_with_their_own_steps(execute):
    seen = []

    def part(name):
        return changed(
            name=name,
            validate=lambda client, steps: seen.append(("validate", name, [step.place for step in steps])),
            verify=lambda client, outcomes: seen.append(("verify", name, [outcome.written for outcome in outcomes])),
        )

    for check_mode in (True, False):
        seen.clear()
        result = execute(Service(), composed(part("a"), part("b")), check_mode=check_mode)
        validated = [("validate", "a", ["a"]), ("validate", "b", ["b"])]
        assert seen == [*validated, *([] if check_mode else [("verify", "a", [True]), ("verify", "b", [True])])]
        assert result["changed"] and ("parts" in result) is not check_mode


def approving(**approvals):
    """Return a task whose parts are approved separately, with something to write."""
    plan = Plan({}, {"x": 1}, {}, (Request("rulesets.create", body={}),), effects=(Effect("job_deleted", "main"),))
    return changed(approvable=False, compose=lambda desired, state: Composition(plan, (), lambda done: Conclusion({}), approvals))


@pytest.mark.parametrize(
    ("expected", "current"), [(" ", "sha256:1"), ("sha256:2", "sha256:1"), (None, "sha256:1"), ("sha256:2", None)]
)
def test_a_part_that_was_not_approved_is_refused(execute, expected, current):
    service, approval = Service(), Approval("expected_plan_ids.jobs", expected, current, True)
    result = execute(service, approving(jobs=approval))
    assert result["msg"] == approval.refusal().message
    assert (result["error"]["kind"], result["changed"], service.sent) == (CONFLICT, False, ["GET"])
    assert result["plan_ids"] == {"jobs": current} and "effects" not in result


def test_parts_without_an_expected_plan_are_not_compared(execute):
    result = execute(Service(), approving(jobs=Approval("o", None, "sha256:1", False), fields=Approval("p", "3", "3", True)))
    assert (result["plan_ids"], result["changed"]) == ({"jobs": "sha256:1", "fields": "3"}, True)
    assert result["effects"] == [{"name": "job_deleted", "subject": "main", "detail": None}] and "plan_id" not in result


def test_a_plan_that_a_policy_refuses_is_shown(execute):
    refused = changed(plan=lambda desired, state: plan(desired, state)._replace(refused="a page would break"))
    service = Service()
    result = execute(service, refused, diff_mode=True)
    assert (result["msg"], result["error"]["kind"], service.sent) == ("a page would break", GATE, ["GET"])
    # The result is the prediction, but nothing has changed.
    assert result["thing"] == DESIRED and result["diff"]["after"] == DESIRED and result["changed"] is False
    assert result["effects"] == [] and result["plan_id"].startswith("sha256:")


def test_a_failure_keeps_the_address_and_the_plan(execute):
    result = execute(Service(outcomes=[REFUSED]), diff_mode=True)
    assert result.keys() == {"failed", "changed", "msg", "error", "warnings", "zone_id", "plan_id"}
    assert (result["failed"], result["zone_id"]) == (True, "abc") and result["plan_id"].startswith("sha256:")


def test_conflict_after_the_last_write_is_a_change(execute):
    """Changes of another run are found after the last write, and nothing more is written."""

    def meet(client, outcomes):
        assert [outcome.created for outcome in outcomes] == [True]
        raise conflict("another run was faster")

    meeting = changed(verify=meet)
    for task in (meeting, composed(meeting)):
        service = Service()
        result = execute(service, task)
        assert service.sent == ["GET", "logpush_jobs.create"]
        assert (result["changed"], result["error"]["kind"], result["msg"]) == (True, CONFLICT, "another run was faster")


def asking(changes):
    request = Request("logpush_ownership.create", body={"value": "asked"}, changes=changes)
    return changed(
        plan=lambda desired, state: Plan({}, {"x": 1}, {"thing": None}, (request,)),
        read=lambda *_unused: None,
        approvable=False,
    )


@pytest.mark.parametrize("changes", [True, False])
def test_task_without_approval_has_no_plan_id(execute, changes):
    service = Service()
    assert "expected_plan_id" not in asking(changes).arguments()["argument_spec"]
    assert execute(service, asking(changes), check_mode=True)["changed"] is changes and service.sent == []
    result = execute(service, asking(changes))
    assert (result["changed"], result["thing"]["value"]) == (changes, "asked") and "plan_id" not in result
    assert service.sent == ["logpush_ownership.create"]
    for invalid in (INVALID, ACCEPTED):
        result = execute(Service(outcomes=[invalid]), asking(changes))
        assert result["failed"] and result["changed"] is (changes and invalid.accepted)


@pytest.mark.parametrize("status", ["deleted", "gone", "still there"])
def test_object_that_was_deleted_by_others_is_no_change_and_must_be_gone(execute, status):
    deletions = (Request("logpush_jobs.delete"),)
    deletion = changed(
        plan=lambda desired, state: Plan({"x": 1}, {}, {"thing": None}, deletions if state else ()),
        conclude=lambda desired, state, planned, answers: Conclusion({"thing": None}),
    )
    there = {"x": 1}
    reads = {"deleted": None, "gone": [there, None], "still there": [there, there]}[status]
    service = Service(there if status == "deleted" else None, reads=reads)
    result = execute(service, deletion)
    assert (result["changed"], result.get("failed", False)) == (status == "deleted", status == "still there")
    assert service.sent == ["GET", "logpush_jobs.delete", *(["GET"] if status != "deleted" else [])]
    if status == "still there":
        assert (
            result["error"]["kind"] == BAD_RESPONSE
            and "that the Logpush job does not exist when it was to be deleted" in result["msg"]
        )


REQUESTS = (Request("rulesets.create", body={}), Request("rulesets.update", body={}, id_from_answer="ruleset_id"))
TWO_WRITES = changed(plan=lambda desired, state: Plan({}, {"x": 1}, {}, REQUESTS))


def test_id_is_taken_from_the_answer(execute):
    seen, service = [], Service()
    send = service.call
    service.call = lambda operation, **arguments: seen.append(arguments["ids"]) or send(operation, **arguments)
    assert execute(service, TWO_WRITES)["changed"]
    assert seen == [{}, {"ruleset_id": "new"}]


@pytest.mark.parametrize("identifier", [None, "", True, 1.5, {}])
def test_answer_without_id_fails_as_changed(execute, identifier):
    result = execute(Service(outcomes=[{"id": identifier}]), TWO_WRITES)
    assert result["failed"] and result["error"]["kind"] == BAD_RESPONSE and result["changed"] is True


def raising(error):
    def fail(*_unused):
        raise error

    return fail


def test_option_is_refused_before_any_request(execute):
    service, refused = Service(), invalid_option("fields[0]", "empty")
    result = execute(service, changed(desire=raising(refused)))
    assert (service.sent, result["msg"], result["error"]) == ([], "fields[0]: empty", refused.report())


def test_secrets_are_masked_everywhere(execute):
    leak = "it said canary-secret, canary-current, canary-token and canary-of-a-proxy"
    leaking = changed(conclude=lambda *_unused: Conclusion({"thing": {"note": leak}}, (leak,)))
    failing = Service(OTHER, [Failure(UNAVAILABLE, leak, errors=[{"code": 1, "message": leak}])])
    for result in (execute(Service(OTHER), leaking), execute(failing)):
        assert "canary" not in repr(result)


def test_messages_are_one_printable_line(execute):
    """Messages may quote any text of the service; result data is not changed."""
    hostile = "denied\x1b[2J\nzone9 failed\u2028\x9b31m\u202e"
    telling = changed(conclude=lambda *_unused: Conclusion({"thing": {"note": hostile}}, (hostile,)))
    told = execute(Service(), telling)
    assert told["warnings"][-1].isprintable() and told["thing"] == {"note": hostile}
    failure = Failure(UNAVAILABLE, hostile, errors=[{"code": 1, "message": hostile}])
    failed = execute(Service(outcomes=[failure]))
    assert failed["msg"].isprintable() and failed["error"]["errors"][0]["message"].isprintable()


def test_unexpected_exception_quotes_nothing(execute):
    stumble = raising(KeyError("canary-secret in a key"))
    result = execute(Service(), changed(read=stumble))
    assert result["failed"] and result["error"]["kind"] == INTERNAL
    line = stumble.__code__.co_firstlineno + 1
    assert result["msg"] == f"defect in edgeops.observability: KeyError at test_run.py:{line}; please report it"
    assert result["exception"].splitlines()[-1] == "KeyError" and ", in fail" in result["exception"]


@pytest.mark.parametrize(("addresses", "address"), [(ZONE_ADDRESSES, {"zone_id": "abc"}), ((), {})])
def test_an_info_task_reads_and_reports(execute, addresses, address):
    class ThingInfo(InfoTask):
        name = "thing_info"

        def desire(self, params):
            return 7

        def report(self, client, desired):
            return Conclusion({"things": [desired]}, ("w",))

    ThingInfo.addresses = addresses
    assert execute(Service(), ThingInfo()) == {"changed": False, "things": [7], "warnings": ["w"], **address}


def local(report):
    """Return a task that runs on the controller only."""

    class Local(LocalTask):
        name = "local"

        def desire(self, params):
            return None

        def report(self, desired):
            return report(desired)

    return Local()


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("fault", [None, Failure(REJECTED, "no"), KeyError("no"), KeyboardInterrupt()])
def test_garbage_collection_is_disabled_during_a_run(fault, enabled):
    """However a run ends, the collector is enabled or disabled as before."""
    collected = []

    def report(desired):
        collected.append(gc.isenabled())
        if fault:
            raise fault
        return Conclusion({})

    (gc.enable if enabled else gc.disable)()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            run_module.Run({}, check_mode=False, diff_mode=False).finish(local(report))
        assert (collected, gc.isenabled()) == ([False], enabled)
    finally:
        gc.enable()


@pytest.mark.parametrize("changes", [True, False])
@pytest.mark.parametrize("check_mode", [True, False])
def test_a_local_task_writes_what_it_predicts(changes, check_mode):
    written = []
    task = local(lambda desired: Conclusion({"changed": changes}))
    type(task).write = lambda own, desired: written.append(desired)
    result = run_module.Run({}, check_mode=check_mode, diff_mode=False).finish(task)
    assert (result["changed"], written) == (changes, [None] if changes and not check_mode else [])


def test_refusal_of_a_local_task_has_its_result(execute):
    conclusion = Conclusion({"findings": ["one"]}, ("careful",), "1 finding is refused")
    result = execute(Service(), local(lambda desired: conclusion))
    assert result["failed"] and not result["changed"]
    assert (result["msg"], result["error"]["kind"]) == ("1 finding is refused", GATE)
    assert (result["findings"], result["warnings"]) == (["one"], ["careful"])
