# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import itertools
import json
import math
import re
import typing as t

from .._core import Failure, Json, bad_answer, invalid_option
from .._text import did_you_mean, json_type, nearest, shorten

_MEMBERS = ("name", "input", "expected", "absent")
_MAX_RECORD_LENGTH = 2000


Record = dict[str, Json]


class Sample(t.NamedTuple):
    """A unit test of a query: a record, and what must become of it.

    With `absent`, a record must be delivered, without these members. Otherwise exactly the records of `expected` must be delivered.
    """

    name: str
    input: Record
    expected: tuple[Record, ...] = ()
    absent: tuple[str, ...] | None = None


class SampleResult(t.TypedDict):
    """The result of a sample; `delivered` is empty if the record would be filtered out."""

    name: str
    passed: bool
    delivered: list[Record]
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
    return Sample(name, record, _expected(f"{place}.expected", expected))


def _expected(place: str, expected: Json) -> tuple[Record, ...]:
    """Return the records that must be delivered: one, none for null, or those of a list."""
    if expected is None:
        return ()
    if isinstance(expected, dict):
        _check_json(place, expected)
        return (expected,)
    if not isinstance(expected, list):
        raise invalid_option(place, f"must be a dictionary, a list of dictionaries, or null, not {json_type(expected)}")
    for index, record in enumerate(expected):
        if not isinstance(record, dict):
            raise invalid_option(f"{place}[{index}]", f"must be a dictionary, not {json_type(record)}")
        _check_json(f"{place}[{index}]", record)
    return tuple(expected)


def _paths(place: str, paths: Json) -> tuple[str, ...]:
    if not isinstance(paths, list) or not paths:
        raise invalid_option(place, "must be a list of the names of members, and not empty")
    for index, path in enumerate(paths):
        if not isinstance(path, str) or not all(path.split(".")):
            raise invalid_option(
                f"{place}[{index}]", "must be the name of a member; a dot leads into one, as in RequestHeaders.authorization"
            )
    return tuple(paths)


def _check_json(place: str, value: Json) -> None:
    """Refuse what JSON lacks, such as infinite numbers, which YAML has."""
    if isinstance(value, dict):
        for name, member in value.items():
            if not isinstance(name, str):
                raise invalid_option(place, f"the name of a member must be a string, not {json_type(name)}; quote it")
            _check_json(f"{place}.{name}", member)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _check_json(f"{place}[{index}]", item)
    elif isinstance(value, float) and not math.isfinite(value):
        raise invalid_option(place, f"{value} is not a JSON number")


_WORD = re.compile(r"\w+")


def delivered_records(answer: Json, sample: Sample, sql: str) -> tuple[Record, ...]:
    """Return the records in the answer of a preview: a record, null for none, or a list of records; raise `bad_response` for anything else.

    A sample that would pass because a member is absent proves nothing if that is no record, but what wraps one, or nothing at all.
    """
    records: list[Record] = []
    for record in [] if answer is None else answer if isinstance(answer, list) else [answer]:
        if not isinstance(record, dict):
            raise _bad(f"the preview of the sample {sample.name!r} delivers {json_type(record)}, not a record")
        records.append(record)
    if sample.absent is not None and judge(sample, records)["passed"]:
        known = {word.lower() for word in _WORD.findall(sql)} | {name.lower() for name in _names_in(sample.input)}
        for record in records:
            if not record:
                raise _bad(f"the preview of the sample {sample.name!r} delivers an empty object, not a record")
            if _wraps(record, known):
                raise _bad(
                    f"the preview of the sample {sample.name!r} delivers {', '.join(map(repr, record))[:60]}, which neither the query nor the"
                    " record of the sample names, so that the record may be inside"
                )
    return tuple(records)


def _wraps(record: Record, known: t.Collection[str]) -> bool:
    """Return whether an object looks like one around a record, or around none: it holds more than scalars, and nobody named any member."""
    is_named = any(name.lower() in known or not _WORD.fullmatch(name) for name in record)
    return not is_named and any(isinstance(value, (dict, list, type(None))) for value in record.values())


def _names_in(value: Json) -> t.Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _names_in(inner)


def _bad(what: str) -> Failure:
    return bad_answer(what).with_note("A test that cannot run has not passed.")


def judge(sample: Sample, delivered: t.Sequence[Record]) -> SampleResult:
    """Return whether the delivered records are what a sample demands, and the members in which they are not."""
    if sample.absent is not None:
        wrong = [path for path in sample.absent if any(_has(record, path) for record in delivered)]
        passed = not wrong and bool(delivered)
    else:
        several = max(len(sample.expected), len(delivered)) > 1
        # A record that the other side lacks differs in each of its members.
        pairs: t.Iterable[tuple[Record, Record]] = itertools.zip_longest(sample.expected, delivered, fillvalue={})
        places = [(f"[{index}]" if several else "", pair) for index, pair in enumerate(pairs)]
        wrong = sorted(path for place, pair in places for path in _differences(place, *pair))
        passed = not wrong and len(sample.expected) == len(delivered)
    return {"name": sample.name, "passed": passed, "delivered": list(delivered), "differences": wrong}


def _has(value: Json, path: str) -> bool:
    """Return whether a record has a member at a path, whatever its value; a name without a dot is looked for at any depth.

    The name of a member may contain a dot itself.
    """
    if isinstance(value, list):
        return any(_has(item, path) for item in value)
    if not isinstance(value, dict):
        return False
    if path in value or ("." not in path and any(_has(member, path) for member in value.values())):
        return True
    return any(_has(member, path[len(name) + 1 :]) for name, member in value.items() if path.startswith(f"{name}."))


def _differences(place: str, expected: Json, delivered: Json) -> t.Iterator[str]:
    """Yield the paths of the members that differ."""
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
    if not result["delivered"]:
        hint = "" if sample.absent is None else " (expected: null is for a record that must be left out)"
        return f"nothing would be delivered: the record would be filtered out, but it must be delivered{hint}"
    delivered: Json = result["delivered"][0] if len(result["delivered"]) == 1 else result["delivered"]
    record = shorten(json.dumps(delivered, ensure_ascii=False), _MAX_RECORD_LENGTH)
    names = ", ".join(result["differences"])
    if sample.absent is not None:
        return f"{names} must not be delivered, but the record would be {record}"
    if not sample.expected:
        return f"must be filtered out, but would be delivered as {record}"
    if len(sample.expected) != len(result["delivered"]):
        return f"{len(sample.expected)} records must be delivered, but {len(result['delivered'])} would be: {record}"
    return f"{names} would differ, and the record would be {record}"
