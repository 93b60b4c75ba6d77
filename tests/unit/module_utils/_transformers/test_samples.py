# SPDX-License-Identifier: GPL-3.0-or-later

import json
import typing as t

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._transformers.samples import (
    Sample,
    delivered_records,
    judge,
    refusal,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def records(*several: t.Any) -> tuple[dict[str, t.Any], ...]:
    """Return the records of a sample or an answer; None stands for none."""
    return tuple(record for record in several if record is not None)


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
    verdict = judge(Sample("s", {}, records(expected)), records(delivered))
    assert (verdict["differences"], verdict["passed"]) == (differences, not differences)
    assert verdict["delivered"] == list(records(delivered))


@pytest.mark.parametrize(("expected", "delivered"), [({}, None), (None, {})])
def test_empty_record_differs_from_no_record(expected: t.Any, delivered: t.Any) -> None:
    assert judge(Sample("s", {}, records(expected)), records(delivered))["passed"] is False


@pytest.mark.parametrize(
    ("delivered", "differences"),
    [
        (({"a": 1}, {"a": 2}), []),
        (({"a": 1}, {"a": 3}), ["[1].a"]),
        (({"a": 2}, {"a": 1}), ["[0].a", "[1].a"]),
        (({"a": 1},), ["[1].a"]),
        (({"a": 1}, {"a": 2}, {"b": 0}), ["[2].b"]),
    ],
)
def test_each_of_several_records_is_compared(delivered: t.Any, differences: list[str]) -> None:
    verdict = judge(Sample("s", {}, ({"a": 1}, {"a": 2})), delivered)
    assert (verdict["differences"], verdict["passed"]) == (differences, not differences)


@pytest.mark.parametrize("path", ["a", "b", "x", "a.b", "a.c.d", "l.x", "l.y", "n"])
def test_delivered_member_is_found(path: str) -> None:
    """A name without a dot is looked for at any depth, and in each record."""
    for delivered in (records(INNER), records({"other": 1}, INNER)):
        verdict = judge(Sample("s", {}, absent=(path, "z")), delivered)
        assert verdict["passed"] is False and verdict["differences"] == [path]


@pytest.mark.parametrize("path", ["c", "a.c", "a.b.c", "l.z", "n.x", "A"])
def test_absent_member_passes(path: str) -> None:
    assert judge(Sample("s", {}, absent=(path,)), records(INNER))["passed"] is True


def test_absent_needs_a_delivered_record() -> None:
    """A query that drops every record would otherwise pass."""
    sample = Sample("s", {}, absent=("ClientIP",))
    verdict = judge(sample, ())
    assert verdict == {"name": "s", "passed": False, "delivered": [], "differences": []}
    assert "nothing would be delivered" in refusal([verdict], [sample])


SQL, INPUT = "SELECT RayID, RequestHeaders AS h FROM http_requests", {"RequestHeaders": {"a": {"b": 1}}, "Tags": [1]}


@pytest.mark.parametrize(
    ("answer", "delivered"),
    [
        (None, ()),
        ([], ()),
        ({"RayID": "1"}, ({"RayID": "1"},)),
        ([{"RayID": "1"}], ({"RayID": "1"},)),
        ([{"RayID": "1"}, {"h": {"c": 1}}], ({"RayID": "1"}, {"h": {"c": 1}})),
        (
            {"rayid": {"x": 1}, "Tags": [1], "named_struct(Utf8(x))": {}},
            ({"rayid": {"x": 1}, "Tags": [1], "named_struct(Utf8(x))": {}},),
        ),
    ],
)
def test_records_of_a_preview(answer: t.Any, delivered: t.Any) -> None:
    assert delivered_records(answer, Sample("s", INPUT), SQL) == delivered


PASSES = Sample("s", INPUT, absent=("ClientIP",))
WRAPPED: list[t.Any] = [
    {"result": {"RayID": "1"}},
    {"records": [{"RayID": "1"}], "count": 1},
    {"records": []},
    {"result": None},
    [{"record": {"RayID": "1"}}],
]


@pytest.mark.parametrize("answer", ["text", 1, True, [None], [[]], {}, [{}], *WRAPPED])
def test_preview_without_records_is_a_bad_response(answer: t.Any) -> None:
    with pytest.raises(Failure, match="the preview of the sample 's'") as caught:
        delivered_records(answer, PASSES, SQL)
    assert caught.value.kind == "bad_response"


UNNAMED = {"RayID": "a", "H": {"authorization": "x"}}


@pytest.mark.parametrize(
    ("sample", "answers"),
    [
        (Sample("s", INPUT, ({"RayID": "1"},)), [{}, UNNAMED, *WRAPPED]),
        (Sample("s", INPUT), [{}, UNNAMED, *WRAPPED]),
        (Sample("s", INPUT, absent=("H.authorization", "records")), [UNNAMED, *WRAPPED[1:3]]),
    ],
)
def test_record_with_members_that_nobody_named_fails_its_sample(sample: Sample, answers: list[t.Any]) -> None:
    """The user sees the record and how it differs, which an unusable answer would not show."""
    for answer in answers:
        verdict = judge(sample, delivered_records(answer, sample, SQL))
        assert not verdict["passed"] and verdict["delivered"] == (answer if isinstance(answer, list) else [answer])


def test_record_with_further_members_passes_if_some_are_named() -> None:
    record = {"RayID": "a", "H": {"user-agent": "x"}}
    assert judge(PASSES, delivered_records(record, PASSES, SQL))["passed"]


@given(RECORDS)
def test_record_equals_itself(record: dict[str, t.Any]) -> None:
    assert judge(Sample("s", {}, records(record)), records(json.loads(json.dumps(record))))["passed"] is True


@given(RECORDS, RECORDS)
def test_comparison_is_symmetric(one: dict[str, t.Any], other: dict[str, t.Any]) -> None:
    forth, back = judge(Sample("s", {}, (one,)), (other,)), judge(Sample("s", {}, (other,)), (one,))
    assert forth["differences"] == back["differences"] and forth["passed"] is back["passed"]


def test_refusal_shows_the_record_on_one_line() -> None:
    samples = [
        Sample("leaks", {}, absent=("ClientIP",)),
        Sample("lost", {}, records({"a": 1})),
        Sample("kept", {}),
        Sample("other", {}, records({"a": 1})),
        Sample("good", {}, records({"a": "x\ny"})),
    ]
    delivered = [{"ClientIP": "192.0.2.1"}, None, {"b": 2}, {"a": "x\ny"}, {"a": "x\ny"}]
    text = refusal([judge(sample, records(record)) for sample, record in zip(samples, delivered, strict=True)], samples)
    assert "\n" not in text
    for part in (
        "samples: 4 of 5 failed, and nothing was written",
        """'leaks': ClientIP must not be delivered, but the record would be {"ClientIP": "192.0.2.1"}""",
        "'lost': nothing would be delivered: the record would be filtered out, but it must be delivered",
        """'kept': must be filtered out, but would be delivered as {"b": 2}""",
        r"""'other': a would differ, and the record would be {"a": "x\ny"}""",
    ):
        assert part in text
    assert "good" not in text
    assert refusal([judge(samples[4], records(delivered[4]))], samples[4:]) == ""
