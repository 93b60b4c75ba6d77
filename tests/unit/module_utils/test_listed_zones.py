# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._zones import is_selected, query

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
def test_filters(filters: dict[str, list[str]], selected: bool) -> None:
    assert is_selected(KEPT, {**NOTHING, **filters}) is selected


def test_zone_without_account_matches_none() -> None:
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
def test_filters_that_the_service_gets(filters: dict[str, list[str]], sent: dict[str, str]) -> None:
    assert query({**NOTHING, **filters}) == sent
