# SPDX-License-Identifier: GPL-3.0-or-later

import json
import typing as t

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._transformers.samples import Sample, judge, refusal

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
RECORDS = st.dictionaries(st.text(max_size=3), JSON, max_size=4)
INNER = {"a": {"b": 1, "c.d": 2}, "l": [{"x": 1}, {"y": None}], "n": None}


@pytest.mark.parametrize(
    ("expected", "delivered", "differences"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, ["a"]),
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, []),
        ({"a": [1, 2]}, {"a": [2, 1]}, ["a"]),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3, "d": 4}}, ["a.c", "a.d"]),
        ({"a": {"b": 1}}, {"a": None}, ["a"]),
        ({"a": None}, {}, ["a"]),
        ({}, {"b": 1, "a": 2}, ["a", "b"]),
        ({"a": 1}, None, ["a"]),
        (None, {"a": 1}, ["a"]),
        (None, None, []),
    ],
)
def test_all_members_are_compared(expected: t.Any, delivered: t.Any, differences: list[str]) -> None:
    verdict = judge(Sample("s", {}, expected), delivered)
    assert (verdict["differences"], verdict["passed"]) == (differences, not differences)


@pytest.mark.parametrize(("expected", "delivered"), [({}, None), (None, {})])
def test_empty_record_differs_from_no_record(expected: t.Any, delivered: t.Any) -> None:
    assert judge(Sample("s", {}, expected), delivered)["passed"] is False


@pytest.mark.parametrize("path", ["a", "a.b", "a.c.d", "l.x", "l.y", "n"])
def test_delivered_member_is_found(path: str) -> None:
    verdict = judge(Sample("s", {}, absent=(path, "z")), INNER)
    assert verdict["passed"] is False and verdict["differences"] == [path]


@pytest.mark.parametrize("path", ["b", "a.c", "a.b.c", "l.z", "n.x", "A"])
def test_absent_member_passes(path: str) -> None:
    assert judge(Sample("s", {}, absent=(path,)), INNER)["passed"] is True
    assert judge(Sample("s", {}, absent=(path,)), None)["passed"] is True


@given(RECORDS)
def test_record_equals_itself(record: dict[str, t.Any]) -> None:
    assert judge(Sample("s", {}, record), json.loads(json.dumps(record)))["passed"] is True


@given(RECORDS, RECORDS)
def test_comparison_is_symmetric(one: dict[str, t.Any], other: dict[str, t.Any]) -> None:
    forth, back = judge(Sample("s", {}, one), other), judge(Sample("s", {}, other), one)
    assert forth["differences"] == back["differences"] and forth["passed"] is back["passed"]


def test_refusal_shows_the_record_on_one_line() -> None:
    samples = [
        Sample("leaks", {}, absent=("ClientIP",)),
        Sample("lost", {}, {"a": 1}),
        Sample("kept", {}, None),
        Sample("other", {}, {"a": 1}),
        Sample("good", {}, {"a": "x\ny"}),
    ]
    delivered = [{"ClientIP": "192.0.2.1"}, None, {"b": 2}, {"a": "x\ny"}, {"a": "x\ny"}]
    text = refusal([judge(sample, record) for sample, record in zip(samples, delivered, strict=True)], samples)
    assert "\n" not in text
    for part in (
        "samples: 4 of 5 failed, and nothing was written",
        """'leaks': ClientIP must not be delivered, but the record would be {"ClientIP": "192.0.2.1"}""",
        "'lost': the record would be filtered out, but it must be delivered",
        """'kept': must be filtered out, but would be delivered as {"b": 2}""",
        r"""'other': a would differ, and the record would be {"a": "x\ny"}""",
    ):
        assert part in text
    assert "good" not in text
    assert refusal([judge(samples[4], delivered[4])], samples[4:]) == ""
