# SPDX-License-Identifier: GPL-3.0-or-later

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils import _core
from ansible_collections.edgeops.observability.plugins.module_utils._core import (
    CONFLICT,
    KINDS,
    Effect,
    Failure,
    Plan,
    Request,
    conflict,
    plan_id,
    report_effects,
)
from ansible_collections.edgeops.observability.plugins.module_utils._engine.steps import Approval

DOCUMENTED = (
    "invalid_option authentication permission not_found rejected rate_limited unavailable bad_response conflict gate internal"
)


def test_kinds_are_documented():
    assert set(DOCUMENTED.split()) == KINDS
    assert all(getattr(_core, kind.upper()) == kind for kind in KINDS)


def test_failure_has_defaults():
    failure = conflict("both")
    assert (str(failure), failure.args, failure.unanswered) == ("both", ("both",), False)
    nothing = dict.fromkeys(("method", "path", "status", "request_id"))
    assert failure.report() == {**nothing, "kind": "conflict", "errors": [], "attempts": 0}


def test_failure_reports_all_members():
    errors = [{"code": 1, "message": "no"}]
    failure = Failure("rejected", "Refused.", "PUT", "/p", 400, errors, "ray", 3, True)
    noted = failure.with_note("Gone.")
    assert str(noted) == "Refused. Gone." and noted.unanswered
    request = {"method": "PUT", "path": "/p", "status": 400, "request_id": "ray", "attempts": 3}
    assert noted.report() == failure.report() == {"kind": "rejected", "errors": errors, **request}
    assert failure.with_note("") is failure


def test_unknown_kind_is_a_programming_error():
    with pytest.raises(ValueError, match=r"^'odd' is not a kind of failure$"):
        raise Failure("odd", "x")


CREATE = Request(
    "rulesets.create", body={"name": "Läden", "kind": "zone"}, creates=True, look_again_on=("rejected",), if_it_fails="Oh."
)
UPDATE = Request(
    "rulesets.update",
    ids={"ruleset_id": "r", "job_id": 7},
    body={"rules": [{"ref": "another's"}, {"expression": "true", "enabled": True}]},
    id_from_answer="ruleset_id",
    digested={"rules": [{"expression": "true", "enabled": True}]},
)
PLAN = Plan(
    before={"a": 1},
    after={"a": 2},
    result={"a": 2},
    requests=(CREATE, UPDATE),
    basis={"id": 7, "enabled": False, "filter": None, "names": ["b", "a"], "rate": 0.5},
    warnings=("Beware.",),
)

ADDRESS = {"zone_id": "z"}


def test_plan_id_is_stable():
    """The id is the same on every machine and in every run."""
    assert plan_id(ADDRESS, PLAN) == "sha256:6aa7a7dd5ba7e5a60d0240751412f9ca43a314649cdee769bb9d04891c54577c"


@pytest.mark.parametrize(
    "same",
    [
        {"before": {}, "after": {}, "result": {}, "warnings": ()},
        {"basis": dict(reversed(PLAN.basis.items()))},
        {"requests": (CREATE._replace(if_it_fails=""), UPDATE)},
        {"requests": (CREATE, UPDATE._replace(body={"rules": []}))},
        {"requests": (CREATE, UPDATE._replace(body=UPDATE.digested, digested=None))},
        {"requests": (CREATE, UPDATE._replace(ids={"job_id": 7, "ruleset_id": "r"}))},
    ],
)
def test_plan_id_ignores_wording_and_order(same):
    assert plan_id(ADDRESS, PLAN._replace(**same)) == plan_id(ADDRESS, PLAN)


@pytest.mark.parametrize(
    "other",
    [
        {"basis": {**PLAN.basis, "enabled": True}},
        {"basis": {**PLAN.basis, "names": ["a", "b"]}},
        {"basis": None},
        {"requests": (CREATE,)},
        {"requests": (UPDATE, CREATE)},
        {"requests": (CREATE, UPDATE._replace(operation="rulesets.delete"))},
        {"requests": (CREATE, UPDATE._replace(ids={"ruleset_id": "r", "job_id": 8}))},
        {"requests": (CREATE, UPDATE._replace(digested={"rules": []}))},
        {"requests": (CREATE._replace(body={"name": "Laden", "kind": "zone"}), UPDATE)},
    ],
)
def test_plan_id_covers_basis_and_requests(other):
    assert plan_id(ADDRESS, PLAN._replace(**other)) != plan_id(ADDRESS, PLAN)


def test_plan_id_depends_on_the_address():
    assert len({plan_id(address, PLAN) for address in ({"zone_id": "z"}, {"zone_id": "other"}, {"account_id": "z"}, {})}) == 4


def test_effects_are_sorted_by_name_then_subject():
    effects = [Effect("b", "x", ("n",)), Effect("b", None), Effect("a", "z"), Effect("b", "x", ("m", "n"))]
    assert report_effects(effects) == [
        {"name": "a", "subject": "z", "detail": None},
        {"name": "b", "subject": None, "detail": None},
        {"name": "b", "subject": "x", "detail": ["m", "n"]},
        {"name": "b", "subject": "x", "detail": ["n"]},
    ]


AGAIN = "the service or the options have changed since. Nothing was written; review a new check run."


@pytest.mark.parametrize(
    ("expected", "current", "message"),
    [
        (" ", "x", "o is empty, so that no plan is approved. Nothing was written; omit it, or set the plan of a check run."),
        ("y", "x", f"o: the plan is x, but y was approved: {AGAIN}"),
        ("y", None, f"o: the task does not manage this, but y was approved: {AGAIN}"),
        (None, "x", f"o: the plan is x, but no plan was approved: {AGAIN}"),
    ],
)
def test_unapproved_plan_is_refused(expected, current, message):
    refused = Approval("o", expected, current, True).refusal()
    assert (refused.kind, refused.message) == (CONFLICT, message)
