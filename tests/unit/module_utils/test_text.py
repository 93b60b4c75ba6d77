# SPDX-License-Identifier: GPL-3.0-or-later

import datetime

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils import _text
from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure


def test_each_type_has_a_name():
    names = ["an object", "a list", "a string", "a boolean", "a number", "a number", "null", "a value of type bytes"]
    assert [_text.json_type(value) for value in ({}, [], "", True, 1, 1.5, None, b"")] == names
    # Values in templates are of a type of their own.
    kinds = [type("_Lazy", (kind,), {})() for kind in (dict, list, str, int)]
    assert list(map(_text.json_type, kinds)) == ["an object", "a list", "a string", "a number"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-21T06:00:00.123456789Z", "2026-11-21T06:00:00Z"),
        ("2026-11-21 06:00:00+01:00", "2026-11-21T05:00:00Z"),
        ("2026-11-21T06:00:00", "2026-11-21T06:00:00Z"),
        ("2026-11-21t06:00:00.5z", "2026-11-21T06:00:00Z"),
        (" 2026-11-21 06:00:00 Z\n", "2026-11-21T06:00:00Z"),
        ("0900-01-01T00:00:00Z", "0900-01-01T00:00:00Z"),
        *((text, None) for text in (None, 7, "", "2026-11-21", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00+14:00")),
    ],
)
def test_time_is_converted_to_whole_seconds_of_utc(text, expected):
    time = _text.parse_time(text)
    assert (time and _text.format_time(time)) == expected
    assert time is None or time.tzinfo is datetime.timezone.utc


@pytest.mark.parametrize(
    ("text", "day"),
    [
        *((text, "2027-04-01") for text in ("2027-04-01", " 2027-04-01 ", "2027-04-01 00:00:00", "2027-04-01T23:00:00-05:00")),
        *((text, None) for text in (None, 7, "", "2026-11-31", "20261130", "2026-11-30 or later", "\uff12026-11-30")),
        ("2026-11-30T25:00:00Z", None),
    ],
)
def test_date_is_the_written_day(text, day):
    assert _text.parse_date(text) == day


@pytest.mark.parametrize("need", [_text.need_time, _text.need_date])
def test_invalid_time_or_date_is_refused(need):
    assert need("until", "2027-04-01T00:00:00Z")
    with pytest.raises(Failure, match=r"waivers\[0\]\.until: 'tomorrow' is not a (time|date) such as 20") as caught:
        need("waivers[0].until", "tomorrow")
    assert caught.value.kind == INVALID_OPTION


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 second"), (90, "90 seconds"), (120, "2 minutes"), (108_000, "30 hours"), (259_200, "3 days")],
)
def test_duration_is_in_words(seconds, words):
    assert _text.duration(seconds) == words


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "a", "name": "b"}',
        '[{"a": {"name": "a", "name": "a"}}]',
        "{'name': 'a', 'name': 'b'}",
        "[{'a': {'n': 1, 'n': 1}}]",
    ],
)
def test_data_with_a_member_twice_is_refused(text):
    with pytest.raises(ValueError, match="two members of one name" if '"' in text else "double quotes"):
        _text.parse_data(text)


@pytest.mark.parametrize("text", ["{1, 2}", "[b'a']", "{'a': {1j}}", "[...]"])
def test_data_that_json_lacks_is_refused(text):
    with pytest.raises(ValueError, match="Expecting"):
        _text.parse_data(text)
    assert _text.parse_data("[(1, None), {'a': 2.5}]") == [(1, None), {"a": 2.5}]


KNOWN = ("name", "enabled", "dataset", "script_url", "url_reported_malicious", "gateway_dns", "destination_conf")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("enabeld", "enabled"),
        ("NAME", "name"),
        ("nmae", "name"),
        ("url", "script_url"),
        ("data", "dataset"),
        ("gateway-dsn", "gateway_dns"),
        ("destination_url", "destination_conf"),
        ("headers", ""),
        ("ai_gateway_events", ""),
        ("", ""),
    ],
)
def test_only_a_similar_name_is_suggested(name, meant):
    assert _text.nearest(name, KNOWN) == meant
    assert _text.did_you_mean(meant) == (f" (did you mean {meant!r}?)" if meant else "")
