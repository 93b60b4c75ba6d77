# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._text import (
    duration,
    format_time,
    need_date,
    need_time,
    parse_date,
    parse_time,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-21T06:00:00Z", "2026-11-21T06:00:00Z"),
        ("2026-11-21T06:00:00.123456789Z", "2026-11-21T06:00:00Z"),
        ("2026-11-21 06:00:00+01:00", "2026-11-21T05:00:00Z"),
        ("2026-11-21T06:00:00", "2026-11-21T06:00:00Z"),
        ("2026-11-21t06:00:00.5z", "2026-11-21T06:00:00Z"),
        (" 2026-11-21 06:00:00 Z\n", "2026-11-21T06:00:00Z"),
        ("0900-01-01T00:00:00Z", "0900-01-01T00:00:00Z"),
    ],
)
def test_times(text: str, expected: str) -> None:
    time = parse_time(text)
    assert time is not None and time.tzinfo is datetime.timezone.utc and format_time(time) == expected


@pytest.mark.parametrize(
    "text", [None, 7, "", "2026-11-21", "2026-11-21T06:00", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00+14:00"]
)
def test_what_is_no_time(text: object) -> None:
    assert parse_time(text) is None


@pytest.mark.parametrize(
    "text",
    [
        None,
        7,
        "",
        "2026-11-31",
        "2026-11-30x",
        "20261130",
        "tomorrow",
        "2026-11-30T",
        "2026-11-30 or later",
        "2026-11-30T25:00:00Z",
        "\uff12026-11-30",
    ],
)
def test_what_is_no_date(text: object) -> None:
    assert parse_date(text) is None


@pytest.mark.parametrize("text", ["2027-04-01", " 2027-04-01 ", "2027-04-01 00:00:00", "2027-04-01T23:00:00-05:00"])
def test_the_day_of_a_date(text: str) -> None:
    assert parse_date(text) == need_date("until", text) == "2027-04-01"


@pytest.mark.parametrize("need", [need_time, need_date])
def test_an_option_that_is_neither(need: t.Callable[[str, str], object]) -> None:
    with pytest.raises(Failure, match=r"waivers\[0\]\.until: 'tomorrow' is not a (time|date) such as 20") as caught:
        need("waivers[0].until", "tomorrow")
    assert caught.value.kind == INVALID_OPTION


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 seconds"),
        (0.2, "1 second"),
        (90, "90 seconds"),
        (3600, "60 minutes"),
        (108_000, "30 hours"),
        (259_200, "3 days"),
    ],
)
def test_duration(seconds: float, words: str) -> None:
    assert duration(seconds) == words
