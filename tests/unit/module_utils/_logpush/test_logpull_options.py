# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.logpull_options import (
    Requested,
    canonical,
    certain_names,
    from_parts,
    from_text,
    merged,
    parse,
    render,
    repeated,
    to_parts,
)

NAMES = st.text("abcXYZ_09-", min_size=1, max_size=6).filter(lambda name: name not in ("fields", "timestamps"))
QUERIES = st.dictionaries(NAMES, st.one_of(st.sampled_from(("true", "false", "0.1", "0", "rfc3339", "")), NAMES), max_size=4)
DESIRED_OPTIONS = st.builds(Requested, st.none() | st.lists(NAMES, max_size=4, unique=True).map(tuple), QUERIES)


@pytest.mark.parametrize(
    ("requested", "present", "text", "differs"),
    [
        ((["b", "a", "b"], "rfc3339", None), None, "fields=b,a&timestamps=rfc3339", True),
        ((["a", "b"], None, None), "timestamps=rfc3339&fields=b%2Ca", "fields=a,b&timestamps=rfc3339", False),
        ((None, "rfc3339", None), "fields=a&F=true", "fields=a&timestamps=rfc3339&F=true", True),
        ((None, "", None), "fields=a&timestamps=unix", "fields=a", True),
        ((None, "", None), "fields=a&timestamps=unixnano", "fields=a", False),
        ((None, None, {"F": False}), "fields=a&F=true", "fields=a", True),
        ((None, None, {"F": True}), "fields=a&F=TRUE", "fields=a&F=true", False),
        ((None, None, {"F": "True"}), "fields=a", "fields=a&F=true", True),
        # A rate of 0 is documented nowhere: it is a difference from "all records", and no other parameter takes it along.
        ((None, None, {"sample": 1}), "fields=a&sample=0", "fields=a&sample=1", True),
        ((None, None, {"sample": False}), "fields=a&sample=false", "fields=a", True),
        ((("b",), None, None), "fields=a&sample=0.0", "fields=b&sample=0.0", True),
        ((("b",), None, None), "fields=a&sample=0", "fields=b&sample=0", True),
        ((None, None, {"sample": 0.1}), "sample=0.10", "sample=0.1", False),
        ((["0"], None, None), "fields=false", "fields=0", True),
        ((["false"], None, None), "fields=false", "fields=false", False),
        ((["a"], None, None), "&&fields=+a,,", "fields=a", True),
        ((None, "rfc3339", None), "timestamps=RFC3339", "timestamps=rfc3339", True),
        ((None, "rfc3339", {"X:Y": 2}), "timestamps=unix&timestamps=rfc3339", "timestamps=rfc3339&X:Y=2", True),
        # Of a parameter with several values it is not known which one counts: it differs from each, and is kept if it is not declared.
        ((None, "rfc3339", None), "timestamps=unix&timestamps=rfc3339", "timestamps=rfc3339", True),
        ((None, None, {"sample": 1}), "fields=a&sample=0.001&sample=1", "fields=a&sample=1", True),
        ((None, None, {"sample": 1}), "fields=a&sample=1&sample=0.001", "fields=a&sample=1", True),
        ((["a", "b"], None, None), "fields=a&fields=a,b", "fields=a,b", True),
        ((["a", "b"], None, None), "fields=a,b&fields=b,a", "fields=a,b", False),
        ((None, None, {"F": True}), "F=false&F=true", "F=true", True),
        (
            (None, None, {"F": True}),
            "F=true&F=1&fields=a&fields=b&sample=0.1&s%61mple=1",
            "fields=a&fields=b&F=true&sample=0.1&sample=1",
            True,
        ),
        # The default is exactly 1.
        ((None, None, {"sample": 1}), "sample=0.9999999", "sample=1", True),
        ((None, None, {"sample": 0.1 + 0.2}), "sample=0.3", "sample=0.3", False),
        ((None, None, {"after": 1234567890123456789}), None, "after=1234567890123456789", True),
        ((None, None, {"F": True}), "F=1", "F=true", True),
        ((None, None, {"F": None}), "F=true", "", True),
    ],
)
def test_parts_replace_only_their_parameters(requested: tuple[t.Any, ...], present: str | None, text: str, differs: bool) -> None:
    desired = from_parts(*requested)
    assert desired is not None
    assert merged(desired, parse(present)) == (text, differs)
    assert from_parts(None, None, None) is None


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        (None, {}),
        (" ?a=b=c&&=d ", {"a": "b=c"}),
        ("fields = a, b & timestamps=%20rfc3339& F =true&%20=x", {"fields": "a,b", "timestamps": "rfc3339", "F": "true"}),
        ("fields=a&%46=x%26y&fields=b,a&%46=z", {"fields": "a,b", "F": "z"}),
        ("fields=a,b&fields=b,a&%46=1&F=1.0", {"fields": "a,b", "F": "1.0"}),
    ],
)
def test_parameters_of_the_service_are_parsed(text: str | None, parameters: dict[str, str]) -> None:
    assert parse(text) == parameters


def test_parts_with_several_values_are_not_known() -> None:
    parameters = parse("fields=a,b&fields=b&timestamps=unix&timestamps=rfc3339&sample=0.1&sample=1&F=true&F=true")
    assert repeated(parameters) == ["fields", "sample", "timestamps"]
    assert certain_names(parameters) == ("b",)
    assert to_parts(parameters) == {"fields": None, "timestamp_format": None, "option_flags": {"sample": "0.1 or 1", "F": True}}


@pytest.mark.parametrize(
    ("text", "present", "sent", "differs"),
    [
        ("fields=a,b& timestamps=rfc3339", "fields=b,%20a&timestamps= rfc3339 ", "fields=a,b&timestamps=rfc3339", False),
        ("fields=", "fields=&sample=1.0&timestamps=unixnano", "sample=1.0&timestamps=unixnano", False),
        # Fields are first, then the options of the task in their order.
        ("fields=b,a&timestamps=rfc3339&X=true", "", "fields=b,a&timestamps=rfc3339&X=true", True),
        ("X=0&timestamps=unixnano&fields=a", "", "fields=a&timestamps=unixnano", True),
        ("timestamps=rfc3339", "X=true&fields=a", "fields=a&timestamps=rfc3339&X=true", True),
        ("fields=" + "a" * 4089, "", "fields=" + "a" * 4089, True),
    ],
)
def test_text_replaces_only_its_parameters(text: str, present: str, sent: str, differs: bool) -> None:
    assert merged(from_text(text), parse(present)) == (sent, differs)


def test_too_long_text_is_refused() -> None:
    message = "logpull_options: 4097 characters would be more than the limit of 4096"
    assert refusal(render, {"fields": "a" * 4090}) == ("invalid_option", message)


IS_ONE_WORD = (
    "a timestamp format is one word, and what follows its comma would not be read as field names;"
    " list every field under 'fields', as in fields=ClientIP,RayID&timestamps=rfc3339"
)
TWICE = "is given several times with different values, and servers differ in which one counts; give it once"
NO_PAIR = "is not of the form NAME=VALUE, as in timestamps=rfc3339"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("timestamps=rfc3339,ClientIP=true", f"timestamps=rfc3339,ClientIP=true: {IS_ONE_WORD}"),
        (" timestamps =rfc3339,ClientIP", f"timestamps =rfc3339,ClientIP: {IS_ONE_WORD}"),
        ("timestamps=rfc3339%2CClientIP", f"timestamps=rfc3339%2CClientIP: {IS_ONE_WORD}"),
        ("?fields=a,,b", "fields=a,,b has an empty field name"),
        ("fields=a&x=\ud800", "has a lone surrogate, which cannot be sent as UTF-8"),
        ("fields", f"'fields' {NO_PAIR}"),
        ("%20=a", f"'%20=a' {NO_PAIR}"),
        ("fields=" + "a" * 4090, "4097 characters are more than the limit of 4096"),
        ("fields=a&sample=0.1&s%61mple=1", f"'sample' {TWICE}"),
        ("fields=a&fields=b,a", f"'fields' {TWICE}"),
        ("timestamps=unix&timestamps=rfc3339", f"'timestamps' {TWICE}"),
    ],
)
def test_invalid_text_is_refused(text: str, sentence: str) -> None:
    assert refusal(from_text, text) == ("invalid_option", f"logpull_options: {sentence}")


NOT_ONE_WORD = "is empty or contains white space or one of the characters & = , ? # % + ;"


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ((["a", ""], None, None), f"fields[1]: '' {NOT_ONE_WORD}"),
        ((["a,b"], None, None), f"fields[0]: 'a,b' {NOT_ONE_WORD}"),
        ((["\ud800"], None, None), f"fields[0]: '\\ud800' {NOT_ONE_WORD}"),
        ((None, "rfc3339,ClientIP", None), f"timestamp_format: 'rfc3339,ClientIP' {NOT_ONE_WORD}"),
        ((None, None, {"fields": "a"}), "option_flags.fields: cannot be set here; use the option fields"),
        ((None, None, {"timestamps": "a"}), "option_flags.timestamps: cannot be set here; use the option timestamp_format"),
        ((None, None, {" fields": "a"}), "option_flags.fields: cannot be set here; use the option fields"),
        ((None, None, {"sample": 0.1, "sample ": 1}), f"option_flags: 'sample' {TWICE}"),
        ((None, None, {"F": [1]}), "option_flags.F: [1] must be true, false, a number or a string"),
        ((None, None, {"F": "a&b"}), f"option_flags.F: 'a&b' {NOT_ONE_WORD}"),
        ((None, None, {"": True}), f"option_flags: '' {NOT_ONE_WORD}"),
        ((None, None, {"sample": 0}), "option_flags.sample: '0' is not above 0 and at most 1"),
        ((None, None, {"sample": "x"}), "option_flags.sample: 'x' is not above 0 and at most 1"),
        ((None, None, {"F": float("nan")}), "option_flags.F: nan is not a number that can be sent"),
    ],
)
def test_invalid_parts_are_refused(parts: tuple[t.Any, ...], sentence: str) -> None:
    assert refusal(from_parts, *parts) == ("invalid_option", sentence)


@given(QUERIES)
def test_rendered_options_keep_their_meaning(query: dict[str, str]) -> None:
    assert canonical(parse(render(query))) == canonical(query)


@given(DESIRED_OPTIONS, QUERIES)
def test_merge_is_idempotent(requested: Requested, there: dict[str, str]) -> None:
    text, _differs = merged(requested, parse(render(there)))
    assert merged(requested, parse(text)) == (text, False)


@given(DESIRED_OPTIONS, QUERIES)
def test_omitted_options_are_kept(requested: Requested, there: dict[str, str]) -> None:
    after = canonical(parse(merged(requested, parse(render(there)))[0]))
    for name, value in canonical(there).items():
        if name not in requested.others:
            assert after[name] == value


def test_invalid_text_of_the_service_is_kept() -> None:
    assert merged(Requested(("a",), {}), parse("x=\ud800&fields=a")) == ("fields=a&x=%ED%A0%80", False)
