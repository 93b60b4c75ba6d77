# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.select import JobQuery, desire, numbered, selected

# The service leaves `dataset` out where it is the default, and lists in no order.
JOBS: list[dict[str, t.Any]] = [
    {"id": 9, "name": "edge", "dataset": "http_requests"},
    {"id": 3, "name": "edge"},
    {"id": 5, "name": "edge", "dataset": "firewall_events"},
    {"id": 4, "name": None, "dataset": "firewall_events"},
]


@pytest.mark.parametrize(
    ("options", "conditions"),
    [
        ({}, JobQuery(None, None, None)),
        ({"name": "edge"}, JobQuery("edge", None, None)),
        ({"dataset": "firewall_events"}, JobQuery(None, "firewall_events", None)),
        ({"job_id": 1}, JobQuery(None, None, 1)),
        ({"name": "", "dataset": "d", "job_id": 9}, JobQuery("", "d", 9)),
        ({"stale_after": 60}, JobQuery(None, None, None, 60)),
    ],
)
def test_options_are_conditions(options: dict[str, t.Any], conditions: JobQuery) -> None:
    assert desire({"name": None, "dataset": None, "job_id": None, "stale_after": 3600, **options}) == conditions


@pytest.mark.parametrize("job_id", [0, -1])
def test_no_job_has_an_id_below_one(job_id: int) -> None:
    with pytest.raises(Failure, match=rf"^job_id\b.*{job_id} is not above 0") as caught:
        desire({"name": None, "dataset": None, "job_id": job_id, "stale_after": 3600})
    assert caught.value.kind == "invalid_option"


@pytest.mark.parametrize(
    ("conditions", "ids"),
    [
        (JobQuery(None, None, None), [3, 4, 5, 9]),
        (JobQuery("edge", None, None), [3, 5, 9]),
        (JobQuery("other", None, None), []),
        (JobQuery(None, "http_requests", None), [3, 9]),
        (JobQuery(None, "firewall_events", None), [4, 5]),
        (JobQuery(None, None, 5), [5]),
        (JobQuery(None, None, 6), []),
        (JobQuery("edge", "firewall_events", None), [5]),
        (JobQuery("edge", "http_requests", 5), []),
        (JobQuery("other", "firewall_events", 5), []),
        (JobQuery("edge", "firewall_events", 5), [5]),
    ],
)
def test_all_conditions_apply_in_id_order(conditions: JobQuery, ids: list[int]) -> None:
    """Every condition counts, and the order is that of the ids."""
    assert [job["id"] for job in selected(JOBS, conditions)] == ids


def test_an_id_finds_its_job_or_none() -> None:
    assert [numbered(JOBS, job["id"]) for job in JOBS] == JOBS
    assert numbered(JOBS, 1) is None
    assert numbered([], 1) is None


@pytest.mark.parametrize("find", [lambda jobs: selected(jobs, JobQuery(None, None, 9)), lambda jobs: numbered(jobs, 7)])
def test_invalid_item_makes_the_list_invalid(find: t.Callable[[list[t.Any]], t.Any]) -> None:
    """A list with an invalid item in it decides nothing."""
    with pytest.raises(Failure) as caught:
        find([*JOBS, {"id": "9"}])
    assert caught.value.kind == "bad_response"
