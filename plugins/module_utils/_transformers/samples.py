# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import math
import typing as t

from .._core import Json, invalid_option
from .._text import did_you_mean, json_type, nearest, shorten

_MEMBERS = ("name", "input", "expected", "absent")
_MAX_RECORD_LENGTH = 2000


class Sample(t.NamedTuple):
    """A unit test of a query: a record, and what must become of it.

    With `absent`, none of these members may be delivered. Otherwise exactly `expected` must be delivered, or nothing if that is None.
    """

    name: str
    input: dict[str, Json]
    expected: dict[str, Json] | None = None
    absent: tuple[str, ...] | None = None


class SampleResult(t.TypedDict):
    """The result of a sample; `delivered` is None if the record would be filtered out."""

    name: str
    passed: bool
    delivered: Json
    differences: list[str]


def parse_samples(items: t.Sequence[t.Mapping[str, Json]]) -> tuple[Sample, ...]:
    """Return the samples of an option; a null in them is part of a record and does not mean omitted."""
    samples = [_parse(f"samples[{index}]", item) for index, item in enumerate(items)]
    names = [sample.name for sample in samples]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise invalid_option(f"samples[{index}].name", f"{shorten(name)!r} is also the name of samples[{names.index(name)}]")
    return tuple(samples)


def _parse(place: str, item: t.Mapping[str, Json]) -> Sample:
    for member in item:
        if member not in _MEMBERS:
            raise invalid_option(f"{place}.{member}", f"is unknown{did_you_mean(nearest(str(member), _MEMBERS))}")
    name, record, expected = item.get("name"), item.get("input"), item.get("expected")
    if not isinstance(name, str) or not name:
        raise invalid_option(f"{place}.name", f"must be a string that is not empty, not {json_type(name)}")
    if not isinstance(record, dict):
        raise invalid_option(f"{place}.input", f"must be a dictionary, the record before the query, not {json_type(record)}")
    _check_json(f"{place}.input", record)
    absent = item.get("absent")
    if (absent is None) is ("expected" not in item):
        reason = (
            "expected and absent exclude each other"
            if absent is not None
            else "one of expected (a record, or null) and absent is required"
        )
        raise invalid_option(place, reason)
    if absent is not None:
        return Sample(name, record, absent=_paths(f"{place}.absent", absent))
    if expected is not None and not isinstance(expected, dict):
        raise invalid_option(f"{place}.expected", f"must be a dictionary or null, not {json_type(expected)}")
    _check_json(f"{place}.expected", expected)
    return Sample(name, record, expected)


def _paths(place: str, paths: Json) -> tuple[str, ...]:
    if not isinstance(paths, list) or not paths:
        raise invalid_option(place, "must be a list of the names of members, and not empty")
    for index, path in enumerate(paths):
        if not isinstance(path, str) or not path:
            raise invalid_option(
                f"{place}[{index}]", "must be the name of a member; a dot leads into one, as in RequestHeaders.authorization"
            )
    return tuple(paths)


def _check_json(place: str, value: Json) -> None:
    """Refuse what JSON lacks, such as infinite numbers, which YAML has."""
    if isinstance(value, dict):
        for name, each in value.items():
            if not isinstance(name, str):
                raise invalid_option(place, f"the name of a member must be a string, not {json_type(name)}; quote it")
            _check_json(f"{place}.{name}", each)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            _check_json(f"{place}[{index}]", each)
    elif isinstance(value, float) and not math.isfinite(value):
        raise invalid_option(place, f"{value} is not a JSON number")


def judge(sample: Sample, delivered: Json) -> SampleResult:
    """Return whether the delivered record is what a sample demands, and the members in which it is not."""
    if sample.absent is not None:
        wrong = [path for path in sample.absent if _has(delivered, path)]
        return {"name": sample.name, "passed": not wrong, "delivered": delivered, "differences": wrong}
    wrong = sorted(_differences("", sample.expected, delivered))
    passed = not wrong and (sample.expected is None) is (delivered is None)
    return {"name": sample.name, "passed": passed, "delivered": delivered, "differences": wrong}


def _has(value: Json, path: str) -> bool:
    """Return whether a record has a member at a path, whatever its value; the name of a member may contain a dot itself."""
    if isinstance(value, list):
        return any(_has(each, path) for each in value)
    if not isinstance(value, dict):
        return False
    return path in value or any(_has(each, path[len(name) + 1 :]) for name, each in value.items() if path.startswith(f"{name}."))


def _differences(place: str, expected: Json, delivered: Json) -> t.Iterator[str]:
    """Yield the paths of the members that differ; a record that is filtered out has none."""
    if isinstance(expected, dict) or isinstance(delivered, dict):
        is_inner = isinstance(expected, dict) and isinstance(delivered, dict)
        if place and not is_inner:
            yield place
            return
        left, right = (value if isinstance(value, dict) else {} for value in (expected, delivered))
        for name in {**left, **right}:
            path = f"{place}.{name}" if place else name
            if name in left and name in right:
                yield from _differences(path, left[name], right[name])
            else:
                yield path
    elif not _same(expected, delivered):
        yield place


def _same(one: Json, other: Json) -> bool:
    """Return whether two JSON values are equal; true is not 1, and 1 is 1.0."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    return one == other and isinstance(one, bool) is isinstance(other, bool)


def refusal(results: t.Sequence[SampleResult], samples: t.Sequence[Sample]) -> str:
    """Return the message about samples that failed; "" if all passed."""
    failed = [(result, sample) for result, sample in zip(results, samples, strict=True) if not result["passed"]]
    if not failed:
        return ""
    texts = [f"{result['name']!r}: {_reason(result, sample)}" for result, sample in failed]
    return f"samples: {len(failed)} of {len(samples)} failed, and nothing was written. {'; '.join(texts)}"


def _reason(result: SampleResult, sample: Sample) -> str:
    if result["delivered"] is None:
        return "the record would be filtered out, but it must be delivered"
    record = shorten(json.dumps(result["delivered"], ensure_ascii=False), _MAX_RECORD_LENGTH)
    names = ", ".join(result["differences"])
    if sample.absent is not None:
        return f"{names} must not be delivered, but the record would be {record}"
    return (
        f"{names} would differ, and the record would be {record}"
        if sample.expected is not None
        else f"must be filtered out, but would be delivered as {record}"
    )
