# SPDX-License-Identifier: GPL-3.0-or-later

import datetime
import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.costs import (
    EXTERNAL,
    INTERNAL,
    PUBLISHED_RATES,
    Projection,
    Rate,
    project,
)
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.regions import boundary_of, parse_boundary
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.used_fields import datasets_of, used_fields
from ansible_collections.edgeops.observability.plugins.module_utils._observed import Known, Unknown


def at(day: int, hour: int = 0, month: int = 11) -> datetime.datetime:
    return datetime.datetime(2026, month, day, hour, tzinfo=datetime.timezone.utc)


def cost(internal: t.Any = 0.0, external: t.Any = 0.0, month: str = "2026-11") -> dict[str, t.Any]:
    return {"month": month, INTERNAL: {"gb": internal}, EXTERNAL: {"gb": external}, "amount": 999.0}


BEFORE = "the plan shows neither the usage nor what was delivered before"
NO_USAGE = "the usage has no figures of 2 days, such as 2026-11-01"


@pytest.mark.parametrize(
    ("used", "time", "projected"),
    [
        # 437 GB in twelve days are 1092.5 GB in thirty, 25 of which are free.
        (cost(0, 437), at(13), Projection(41.2, 106.75, 12)),
        # The free gigabytes are taken off once for each kind, and after the projection.
        (cost(20, 20), at(16), Projection(0.0, (40 - 25) * 0.03 + (40 - 25) * 0.1, 15)),
        (cost(10, 10), at(16), Projection(0.0, 0.0, 15)),
        (cost(125, 0), at(16), Projection(3.0, 6.75, 15)),
        # In the first three days nothing is projected.
        (cost(0, 125), at(3, 23), Projection(10.0, None, 3)),
        (cost(0, 125), at(4), Projection(10.0, 122.5, 3)),
        (cost(0, 125), at(1, 1), Projection(10.0, None, 1)),
        # At the end of the month what was used is what it costs.
        (cost(0, 125), at(30, 12), Projection(10.0, 10.21, 30)),
        # Where only a part of the month is shown, that part is projected, and it is said.
        ({**cost(0, 125), "since": "2026-11-06T00:00:00Z"}, at(11), Projection(10.0, 72.5, 5, f"{BEFORE} 2026-11-06T00:00:00Z")),
        ({**cost(0, 125), "since": "2026-11-09T12:00:00Z"}, at(11), Projection(10.0, None, 2, f"{BEFORE} 2026-11-09T12:00:00Z")),
        # A day without usage is no day of nothing, unless nothing was delivered on it.
        ({**cost(0, 125), "missing_days": {"2026-11-01": 5, "2026-11-02": None}}, at(13), Projection(10.0, 35.0, 10, NO_USAGE)),
        ({**cost(0, 125), "missing_days": {"2026-11-01": 0}}, at(16), Projection(10.0, 22.5, 15, "", True)),
        (
            {**cost(0, 125), "missing_days": {"2026-11-01": 5, "2026-11-03": 0}},
            at(4),
            Projection(10.0, None, 2, NO_USAGE.replace("2 days", "1 day"), True),
        ),
        ({**cost(0, 125), "missing_days": {}}, at(16), Projection(10.0, 22.5, 15)),
        ({**cost(0, 125), "missing_days": None}, at(16), None),
        ({**cost(0, 125), "since": "2026-11-01T00:00:00Z"}, at(16), Projection(10.0, 22.5, 15)),
        ({**cost(0, 125), "since": None}, at(16), None),
        ({**cost(0, 125), "since": "zzz"}, at(16), None),
        # Figures of another month, or that cannot be told, are none.
        (cost(0, 437, month="2026-10"), at(13), None),
        (cost(None, 437), at(13), None),
        (cost(True, 437), at(13), None),
        (cost(-1, 437), at(13), None),
        ({"month": "2026-11"}, at(13), None),
        ({"month": "2026-11", INTERNAL: None, EXTERNAL: {"gb": 1}}, at(13), None),
    ],
)
def test_month_is_projected_and_then_priced(used: t.Any, time: t.Any, projected: Projection | None) -> None:
    made = project(used, PUBLISHED_RATES, time)
    assert made == (
        projected and projected._replace(projected=projected.projected and pytest.approx(projected.projected, abs=0.005))
    )


def test_own_rates_and_the_length_of_a_month() -> None:
    rates = {INTERNAL: Rate(0.0, 0.0), EXTERNAL: Rate(1.0, 0.0)}
    assert project(cost(50, 14, month="2026-02"), rates, at(8, month=2)) == Projection(14.0, 56.0, 7)


@pytest.mark.parametrize(
    ("answer", "region", "known", "lacks"),
    [
        ({"regions": ["eu"]}, "eu", True, True),
        ({"regions": ["EU"], "allow_out_of_region_access": False}, "eu", True, True),
        ({"regions": ["eu"], "allow_out_of_region_access": True}, None, True, False),
        ({"regions": ["EU", "eu"]}, "eu", True, True),
        ({"regions": ["us"]}, "us", True, False),
        ({"regions": ["eu", "us"]}, None, True, False),
        ({"regions": []}, None, True, False),
        ({"regions": ["zz"]}, "zz", False, False),
        ({}, None, False, False),
    ],
)
def test_dataset_that_a_region_does_not_support(answer: t.Any, region: t.Any, known: bool, lacks: bool) -> None:
    boundary = boundary_of(answer)
    assert (boundary.region, boundary.is_known, boundary.lacks("AUDIT_LOGS")) == (region, known, lacks)
    assert not boundary.lacks("http_requests")


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"regions": None},
        {"regions": "eu"},
        {"regions": [1]},
        {"regions": [""]},
        [],
        {"regions": [], "allow_out_of_region_access": "no"},
    ],
)
def test_boundary_that_cannot_be_told_is_a_bad_response(sent: t.Any) -> None:
    with pytest.raises(Failure) as caught:
        parse_boundary(sent)
    assert caught.value.kind == "bad_response"


def test_absent_access_from_outside_is_not_allowed() -> None:
    assert parse_boundary({"regions": ["eu"]}) == {"regions": ["eu"], "allow_out_of_region_access": False}


FILTER = {
    "where": {
        "and": [
            {"key": "ClientIP", "operator": "eq", "value": "x"},
            {"or": [{"key": "RequestHeaders.x-a", "operator": "eq", "value": "y"}]},
        ]
    }
}


@pytest.mark.parametrize(
    ("job", "names"),
    [
        ({"output_options": {"field_names": ["RayID", "ClientIP"]}}, ["ClientIP", "RayID"]),
        ({"logpull_options": "fields=RayID&timestamps=rfc3339"}, ["RayID"]),
        (
            {"output_options": {"field_names": ["RayID", "ClientIP"]}, "filter": FILTER},
            ["ClientIP", "RayID", "RequestHeaders.x-a"],
        ),
        ({"filter": '{"where": {"key": "ClientASN", "operator": "eq", "value": 1}}'}, ["ClientASN"]),
        # No name is left out, and none is cut to one that the dataset has.
        ({"filter": {"and": [{"key": key, "operator": "eq", "value": 1} for key in (" RayID", "Ray-ID")]}}, [" RayID", "Ray-ID"]),
        ({}, []),
    ],
)
def test_fields_that_a_job_selects_or_compares(job: t.Any, names: list[str]) -> None:
    assert used_fields(job) == Known(names)


@pytest.mark.parametrize("filter_", ["no JSON", "5", "[]", '["a"]', '{"zzz": 1}', ["a"], 5, True])
def test_fields_of_a_filter_that_cannot_be_understood_are_not_known(filter_: t.Any) -> None:
    assert isinstance(used_fields({"filter": filter_}), Unknown)


@pytest.mark.parametrize("names", [None, [], ...])
def test_fields_beside_output_options_without_any_are_not_known(names: t.Any) -> None:
    output = {"sample_rate": 1, **({} if names is ... else {"field_names": names})}
    assert isinstance(used_fields({"output_options": output, "logpull_options": "fields=RayID"}), Unknown)
    assert used_fields({"output_options": output, "logpull_options": "timestamps=unix"}) == Known([])
    assert used_fields({"output_options": {}, "logpull_options": "fields=RayID"}) == Known(["RayID"])


@pytest.mark.parametrize("name", ["logpull_options", "output_options", "output_options.field_names", "transformer_id"])
def test_fields_of_a_job_that_cannot_be_read_are_not_known(name: str) -> None:
    fields = used_fields({"logpull_options": None, "output_options": None, "unreadable": [name]})
    assert isinstance(fields, Unknown) and name in fields.message


def test_datasets_of_jobs_that_are_not_disabled() -> None:
    jobs = [
        {"dataset": "b", "enabled": True},
        {"dataset": "a"},
        {"enabled": None},
        {"dataset": "c", "enabled": False},
        {"dataset": "b"},
    ]
    assert datasets_of(jobs) == ["a", "b", "http_requests"]
    # Results always have it, if the service shows it.
    assert datasets_of([{"dataset": None, "destination": None}]) == []
