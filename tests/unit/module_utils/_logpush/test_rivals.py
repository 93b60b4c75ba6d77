# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest
from samples.logpush import JOB, S3, declare_job

from ansible_collections.edgeops.observability.plugins.module_utils._core import Answer, Conclusion, Failure, Outcome, Step
from ansible_collections.edgeops.observability.plugins.module_utils._engine.run import settle
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import view
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.plan import plan
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.read import rivals
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.select import State
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.task import JOB_TASK as TASK

LISTED = frozenset((3,))
NO_LIST = Failure("not_found", "no such route", status=404)
BROKEN = Failure("unavailable", "HTTP 500.", status=500)


def job(number: int, name: str | None = "n", **members: t.Any) -> dict[str, t.Any]:
    return {**JOB, "id": number, "name": name, **members}


def outcome(made: int = 20, name: str | None = "n", created: bool = True, **more: t.Any) -> Outcome:
    """A creation by name in a zone that was listed before; keywords replace these values."""
    options = {"destination_conf": S3, "recreate": True, "kind": "edge", **more.pop("options", {})}
    state = State(**{"job": None, "known": LISTED, **more})
    desired = declare_job(**options)
    made_plan = plan(desired, state)
    shown = view(job(made, name))
    return Outcome(Step("job", "", "n", desired, state, made_plan), Conclusion({"job": shown}), True, created)


class Service:
    def __init__(self, listing: t.Any) -> None:
        self.listing = listing
        self.requests = 0
        self.sent: list[str] = []

    def items(self, operation: str, **_more: t.Any) -> t.Any:
        self.requests += 1
        if isinstance(self.listing, Failure):
            raise self.listing
        return self.listing

    def delete(self, operation: str, **_more: t.Any) -> bool:
        self.sent.append(operation)
        return True

    def call(self, operation: str, *, body: t.Any, ids: t.Any) -> Answer:
        self.sent.append(operation)
        return Answer({**job(ids["job_id"]), **body}, None, 200, 1, None)


def found(listing: t.Any, *outcomes: Outcome) -> list[tuple[int, int]]:
    service = Service(listing)
    met = rivals(t.cast("t.Any", service), outcomes)
    assert service.requests == bool([each for each in outcomes if each.created])
    return [(each.state.job["id"], t.cast(int, each.deletion.ids["job_id"])) for each in met]


BY_ID: dict[str, t.Any] = {"options": {"job_id": 7}, "job": job(7, kind=""), "known": None}


@pytest.mark.parametrize(
    ("listing", "made", "met"),
    [
        ([job(20)], outcome(), []),
        ([job(20), job(19)], outcome(), [(19, 20)]),
        ([job(19), job(18), job(20)], outcome(), [(18, 20)]),
        ([job(20), job(21)], outcome(), []),
        ([job(20), job(19, "other")], outcome(), []),
        ([job(20), job(19, dataset="dns_logs")], outcome(), []),
        ([job(20), job(19, dataset=None)], outcome(), [(19, 20)]),
        ([job(20), job(3)], outcome(), []),
        ([job(20), job(19, None)], outcome(name=None, **BY_ID), []),
        ([job(20), job(6)], outcome(**BY_ID), []),
        ([job(20), job(19)], outcome(**BY_ID), [(19, 20)]),
        ([job(20), job(19)], outcome(created=False), []),
    ],
)
def test_an_older_job_that_appeared_meanwhile(listing: list[t.Any], made: Outcome, met: list[tuple[int, int]]) -> None:
    assert found(listing, made) == met


def test_several_creations_take_one_look() -> None:
    listing = [job(19), job(20), job(21, "m"), job(22, "m")]
    assert found(listing, outcome(), outcome(22, "m", options={"name": "m"})) == [(19, 20), (21, 22)]


def test_older_job_gets_the_desired_state() -> None:
    """The older job is updated to the desired state."""
    (met,) = rivals(
        t.cast("t.Any", Service([job(20), job(19, enabled=False, kind="edge")])), [outcome(options={"enabled": True})]
    )
    assert [(each.operation, each.body) for each in plan(met.desired, met.state).requests] == [
        ("logpush_jobs.update", {"enabled": True})
    ]
    assert "job 19 is updated to the desired state" in met.warning


def test_no_list_route_needs_no_second_read() -> None:
    """A service that lists no jobs is not read again."""
    service = Service(NO_LIST)
    made = outcome(unlisted=NO_LIST, known=None, options={"create_unlisted": True})
    assert rivals(t.cast("t.Any", service), [made]) == [] and service.requests == 0
    assert found(NO_LIST, outcome(**BY_ID)) == []


@pytest.mark.parametrize("failure", [BROKEN, NO_LIST])
def test_a_look_that_fails(failure: Failure) -> None:
    with pytest.raises(Failure, match="The job was created, but whether another run") as caught:
        found(failure, outcome())
    assert caught.value.kind == failure.kind


def given_way(service: Service, *outcomes: Outcome) -> list[Outcome]:
    return settle({"job": TASK}, t.cast("t.Any", service), lambda: None, lambda secrets: None, outcomes)


def test_every_plan_is_made_before_giving_way() -> None:
    """Where an older job cannot be brought into the desired state, all jobs are left."""
    service = Service([job(19), job(20), job(21, "m", kind=""), job(22, "m")])
    refused = outcome(22, "m", options={"name": "m", "recreate": False})
    with pytest.raises(Failure, match="its kind '' cannot become 'edge'") as caught:
        given_way(service, outcome(options={"kind": None, "enabled": True}), refused)
    assert service.sent == []
    assert caught.value.kind == "conflict"
    assert "Job 21 of the same name 'm' and dataset was created by another run before job 22, which this run created;" in str(
        caught.value
    )


def test_giving_way_deletes_and_updates() -> None:
    """The own job goes, and the older one gets what it lacks."""
    service = Service([job(19, enabled=False), job(20)])
    (settled,) = given_way(service, outcome(options={"kind": None, "enabled": True}))
    assert service.sent == ["logpush_jobs.delete", "logpush_jobs.update"]
    assert settled.conclusion.result["job"]["id"] == 19
