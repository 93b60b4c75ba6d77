# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

import pytest

JOB = {"name": "a.job-1", "destination_conf": "s3://bucket/logs?region=eu-west-1"}


def condition(key: str = "ClientRequestHost", operator: str = "eq", value: t.Any = "a") -> dict[str, t.Any]:
    return {"key": key, "operator": operator, "value": value}


def text(where: t.Any) -> str:
    return json.dumps({"where": where}, separators=(",", ":"))


GOOD_FILTERS = [
    text(condition()),
    text(
        {
            "and": [
                condition(),
                {"or": [condition(operator="in", value=["a", "b"]), condition("EdgeResponseStatus", "geq", "500")]},
            ]
        }
    ),
    *[
        text({"and": [condition(operator=op)]})
        for op in (
            "eq",
            "!eq",
            "lt",
            "leq",
            "gt",
            "geq",
            "startsWith",
            "endsWith",
            "!startsWith",
            "!endsWith",
            "contains",
            "!contains",
        )
    ],
    text(condition(operator="!in", value=[200, 201])),
    text(condition(operator="eq", value=True)),
    text({"or": [condition("A", "eq", n) for n in range(25)]}).replace("ClientRequestHost", "A"),
    '{ "where" : {"and": [ {"value": 1, "operator": "gt", "key": "A"} ]} }',
]


@pytest.mark.parametrize("good", GOOD_FILTERS)
def test_valid_filters_are_returned_as_sent(zone: t.Any, good: str) -> None:
    assert zone("POST", "/logpush/jobs", {**JOB, "filter": good})[1]["result"]["filter"] == good


BAD_FILTERS = {
    "no JSON": "where",
    "no where": json.dumps(condition()),
    "more than where": json.dumps({"where": condition(), "x": 1}),
    "list": "[]",
    "empty and": text({"and": []}),
    "and or": text({"and": [condition()], "or": [condition()]}),
    "operator": text(condition(operator="lte")),
    "extra member": text({**condition(), "x": 1}),
    "missing member": text({"key": "a", "operator": "eq"}),
    "set as text": text(condition(operator="in", value="200,201")),
    "list as scalar": text(condition(value=["a"])),
    "null": text(condition(value=None)),
    "number in a text operator": text(condition(operator="contains", value=1)),
    "31 operators": text({"and": [condition("A", "lt", 1)] * 31}).replace(" ", ""),
    "1001 bytes": text(condition(value="x" * (1001 - len(text(condition(value="")))))),
    "bytes, not characters": text(condition(value="é" * 480)).encode().decode("unicode_escape"),
    "infinity": text(condition("A", "lt", 0)).replace("0", "1e999"),
}


@pytest.mark.parametrize("bad", BAD_FILTERS.values(), ids=BAD_FILTERS)
def test_invalid_filters_are_refused(zone: t.Any, bad: str) -> None:
    status, code, message = zone.refusal("POST", "/logpush/jobs", {**JOB, "filter": bad})
    assert (status, code) == (400, 1004) and "bad predicate" in message


def test_limits_of_a_filter_are_inclusive(zone: t.Any) -> None:
    thirty = text({"and": [condition("A", "eq", 1)] * 30})
    exact = text(condition(value="x" * (1000 - len(text(condition(value=""))))))
    assert len(exact) == 1000
    zone("POST", "/logpush/jobs", {**JOB, "filter": exact})
    assert zone.result("GET", "/logpush/jobs/1")["filter"] == exact
    assert "exceed the limit of 1000" in zone.refusal("POST", "/logpush/jobs", {**JOB, "filter": thirty})[2]
    assert zone.result("PUT", "/logpush/jobs/1", {"filter": ""}).get("filter") is None
