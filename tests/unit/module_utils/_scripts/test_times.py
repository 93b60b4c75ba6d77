# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._scripts.times import format_time, parse_date, parse_time


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-21T06:00:00Z", "2026-11-21T06:00:00Z"),
        ("2026-11-21T06:00:00.123456789Z", "2026-11-21T06:00:00Z"),
        ("2026-11-21 06:00:00+01:00", "2026-11-21T05:00:00Z"),
        ("2026-11-21T06:00:00", "2026-11-21T06:00:00Z"),
        ("2026-11-21t06:00:00.5z", "2026-11-21T06:00:00Z"),
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


@pytest.mark.parametrize("text", [None, 7, "", "2026-11-31", "2026-11-30x", "20261130", "tomorrow"])
def test_what_is_no_date(text: object) -> None:
    assert parse_date(text) is None
