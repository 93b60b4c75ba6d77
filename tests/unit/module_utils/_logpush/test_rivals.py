# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

import pytest
from samples.logpush import JOB, S3, FakeClient, declare_job, parsed

from ansible_collections.edgeops.observability.plugins.module_utils._core import Conclusion, Failure, Outcome, Step
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import JobState, parse_job, view
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.plan import plan
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.read import refuse_rivals

NO_LIST = Failure("not_found", "no such route", status=404)


def job(number: int, name: str | None = "n", **members: t.Any) -> dict[str, t.Any]:
    return {**JOB, "id": number, "name": name, **members}


def outcome(made: int = 20, name: str | None = "n", created: bool = True, **more: t.Any) -> Outcome:
    """A creation by name in a zone that was listed before; keywords replace these values."""
    options = {"destination_conf": S3, "recreate": True, "kind": "edge", **more.pop("options", {})}
    state = JobState(**{"known": frozenset((3,)), **more, "job": parsed(more.get("job"))})
    desired = declare_job(**options)
    shown = Conclusion({"job": view(parse_job(job(made, name)))})
    return Outcome(Step("job", "", "n", desired, state, plan(desired, state)), shown, True, created)


def found(listing: t.Any, *outcomes: Outcome) -> list[tuple[int, int]]:
    """The older and the newer job of each rivalry that the conflict names."""
    client: t.Any = FakeClient(list=listing)
    text = ""
    try:
        refuse_rivals(client, outcomes)
    except Failure as failure:
        if failure.kind != "conflict":
            raise
        text = failure.message
        assert "Nothing was deleted: delete job 20 (state: absent with job_id: 20)" in text
    # Where jobs cannot be listed, a job that was created without a look is not looked for either.
    needed = [each for each in outcomes if each.created and not each.step.state.unlisted]
    assert client.asked == (["list"] if needed else [])
    numbers = re.findall(r"created job (\d+) .*? before this run created job (\d+)", text)
    return [(int(older), int(newer)) for older, newer in numbers]


BY_ID: dict[str, t.Any] = {"options": {"job_id": 7}, "job": job(7, kind=""), "known": None}


@pytest.mark.parametrize(
    ("listing", "made", "met"),
    [
        ([job(20)], outcome(), []),
        ([job(20), job(19)], outcome(), [(19, 20)]),
        ([job(19), job(18), job(20)], outcome(), [(18, 20)]),
        ([job(20), job(21), job(19, "other")], outcome(), []),
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


def test_no_list_route_needs_no_second_read() -> None:
    made = outcome(unlisted=NO_LIST, known=None, options={"create_without_listing": True})
    assert found(NO_LIST, made) == found(NO_LIST, outcome(**BY_ID)) == []


@pytest.mark.parametrize("failure", [Failure("unavailable", "HTTP 500.", status=500), NO_LIST])
def test_a_look_that_fails(failure: Failure) -> None:
    with pytest.raises(Failure, match="The job was created, but whether another run") as caught:
        found(failure, outcome())
    assert caught.value.kind == failure.kind
