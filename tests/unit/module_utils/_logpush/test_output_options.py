# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import SUBOPTIONS
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.logpull_options import parse
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.output_options import (
    desire,
    from_logpull,
    merged,
    reported,
    same_suboption,
)

OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "field_names": st.lists(st.sampled_from("abc"), max_size=3),
        "output_type": st.sampled_from(("ndjson", "csv")),
        "sample_rate": st.sampled_from((0.5, 1)),
        "CVE-2021-44228": st.booleans(),
        "record_prefix": st.sampled_from(("", "{", "[")),
        "record_suffix": st.sampled_from(("", "}\n", "\n")),
    },
)


@pytest.mark.parametrize(
    ("requested", "present", "differs"),
    [
        ({"field_names": ["a", "b"]}, {"field_names": ["b", "a", "a"]}, False),
        ({"field_names": ["a", "b"], "output_type": "csv"}, {"field_names": ["b", "a"], "output_type": "csv"}, True),
        ({"sample_rate": 1}, {"sample_rate": 0}, True),
        ({"sample_rate": 1}, {"sample_rate": "0"}, True),
        ({"output_type": "ndjson", "record_prefix": "{", "sample_rate": 1.0, "CVE-2021-44228": False}, {}, False),
        ({"record_suffix": "\n"}, {"output_type": "csv"}, False),
        ({"record_suffix": "\n"}, {}, True),
        ({"field_names": ["a"]}, {"field_names": ["a"], "new_member": 1, "batch_prefix": None}, False),
        ({"timestamp_format": "rfc3339"}, {"timestamp_format": "unix"}, True),
    ],
)
def test_comparison_fills_in_defaults(requested: dict[str, t.Any], present: dict[str, t.Any], differs: bool) -> None:
    assert merged(requested, present)[1] is differs


def test_complete_output_options_are_sent() -> None:
    present = {"field_names": ["a"], "new_member": 1, "record_prefix": "{", "record_suffix": "x"}
    assert merged({"sample_rate": 0.5}, {**present, "batch_prefix": None}) == ({**present, "sample_rate": 0.5}, True)
    # Another output type has other defaults; members that a user set are kept.
    csv = {"field_names": ["a"], "new_member": 1, "record_suffix": "x", "output_type": "csv"}
    assert merged({"output_type": "csv"}, present)[0] == csv


@given(OPTIONS, OPTIONS)
def test_merge_is_idempotent(requested: dict[str, t.Any], present: dict[str, t.Any]) -> None:
    whole, _differs = merged(requested, present)
    assert merged(requested, whole) == (whole, False)
    assert all(same_suboption(name, whole, whole) for name in whole)


@given(OPTIONS, OPTIONS)
def test_spelling_of_a_request_is_unique(requested: dict[str, t.Any], present: dict[str, t.Any]) -> None:
    whole, _differs = merged(requested, present)
    output_type = whole.get("output_type", "ndjson")
    filled = {**{name: sub.by_output_type.get(output_type, sub.default) for name, sub in SUBOPTIONS.items()}, **whole}
    assert reported(whole, requested) == reported(merged(requested, filled)[0], requested)


@pytest.mark.parametrize(
    ("whole", "requested", "expected"),
    [
        ({"sample_rate": 1, "batch_prefix": ""}, {"sample_rate": 1}, {"sample_rate": 1}),
        ({"output_type": "csv", "record_suffix": "\n", "batch_prefix": "["}, {}, {"output_type": "csv", "batch_prefix": "["}),
        ({"sample_rate": 1, "field_names": []}, {}, None),
    ],
)
def test_members_with_defaults_are_reported_if_requested(
    whole: dict[str, t.Any], requested: dict[str, t.Any], expected: t.Any
) -> None:
    assert reported(whole, requested) == expected


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        *(({"sample_rate": rate}, f"sample_rate: {rate} is not above 0 and at most 1") for rate in (0, 1.01, float("nan"))),
        *(({"field_names": ["a", name]}, f"field_names[1]: {name!r} is not the name of a field") for name in ("", " ", "b,c")),
    ],
)
def test_invalid_options_are_refused(options: dict[str, t.Any], sentence: str) -> None:
    assert refusal(desire, options) == ("invalid_option", f"output_options.{sentence}")


def test_names_of_the_api_are_sent() -> None:
    options: dict[str, t.Any] = dict.fromkeys(sub.option for sub in SUBOPTIONS.values())
    assert desire({**options, "cve_2021_44228": True, "field_names": ["a", "a"]}) == {
        "CVE-2021-44228": True,
        "field_names": ["a"],
    }


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("fields=b,a&timestamps=rfc3339&sample=0.25&CVE-2021-44228=true&other=1", {
            "field_names": ["b", "a"], "timestamp_format": "rfc3339", "sample_rate": 0.25, "CVE-2021-44228": True,
        }),
        ("?fields=a%2C%20b&fields=a&timestamps=unix", {"field_names": ["a", "b"], "timestamp_format": "unix"}),
        ("fields=&timestamps=unixnano&sample=1.0&CVE-2021-44228=false&merge_subrequests=TRUE", {"merge_subrequests": True}),
        ("timestamps=stardate&sample=7", {}),
        ("sample=0&CVE-2021-44228=0", {}),
        ("sample=1e999", {}),
    ],
)  # fmt: skip
def test_older_form_is_converted(text: str, options: dict[str, t.Any]) -> None:
    assert from_logpull(parse(text)) == options
