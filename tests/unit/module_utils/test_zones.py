# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._zones import is_selected, is_zone_id, query

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("text", ["0", "023e105f4ecef8ad9ca31a8372d0c353", "ABCdef"])
def test_ids(text):
    assert is_zone_id(text)


@pytest.mark.parametrize("text", ["", "0" * 33, "abc\n", "x", "../0", "0/../1", "0x12", "٣", " 0"])
def test_what_is_no_id(text):
    assert not is_zone_id(text)


def test_no_other_file_has_the_pattern():
    """A check that stands twice is changed once."""
    command = ["git", "grep", "--untracked", "-lF", "]{1,32}", "--", "plugins/*.py", "extensions/*.py"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert found == ["plugins/module_utils/_zones.py"]


ACCOUNT = {"id": "b" * 32, "name": "Example"}
KEPT = {"id": "a" * 32, "name": "a.example", "status": "active", "account": ACCOUNT}
NOTHING: dict[str, list[str]] = {"names": [], "statuses": [], "account_ids": []}


@pytest.mark.parametrize(
    ("filters", "selected"),
    [
        ({}, True),
        ({"names": ["A.Example"]}, True),
        ({"names": ["example"]}, False),
        ({"statuses": ["pending", "active"]}, True),
        ({"statuses": ["pending"]}, False),
        ({"account_ids": [ACCOUNT["id"]]}, True),
        ({"account_ids": ["Example"]}, False),
        ({"names": ["a.example"], "statuses": ["pending"]}, False),
    ],
)
def test_filters(filters, selected):
    assert is_selected(KEPT, {**NOTHING, **filters}) is selected


def test_zone_without_account_matches_none():
    """A zone without account has none of the accounts."""
    assert not is_selected({**KEPT, "account": None}, {**NOTHING, "account_ids": ["b"]})


@pytest.mark.parametrize(
    ("filters", "sent"),
    [
        ({}, {}),
        ({"names": ["a.example"], "statuses": ["active"]}, {"name": "a.example", "status": "active"}),
        ({"names": ["a.example", "b.example"], "account_ids": ["b"]}, {"account.id": "b"}),
        ({"names": ["A.example"], "statuses": ["active"]}, {"status": "active"}),
    ],
)
def test_filters_that_the_service_gets(filters, sent):
    assert query({**NOTHING, **filters}) == sent
