# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.edgeops.observability.plugins.plugin_utils._host_variables import Host
from ansible_collections.edgeops.observability.plugins.plugin_utils._play.records import record_of

INVENTORY = {"zone_account": {"id": "c1", "name": "Shop"}}


@pytest.mark.parametrize(
    ("answered", "variables", "account"),
    [
        ({"account_id": "a1"}, {"account_id": "b1", **INVENTORY}, ("a1", None)),
        ({"account_id": "c1"}, INVENTORY, ("c1", "Shop")),
        ({}, {"account_id": "b1", **INVENTORY}, ("b1", None)),
        ({}, INVENTORY, ("c1", "Shop")),
        ({}, {"account_id": ""}, (None, None)),
    ],
)
def test_account_of_a_zone(answered: t.Any, variables: t.Any, account: t.Any) -> None:
    """An answer takes precedence over what a user wrote down, and both over the inventory; a name stands only beside its own id."""
    registered = {"zone_id": "f1", "changed": False, **answered}
    host = Host({"zone_id": "f1", "log_delivery_result": registered, **variables}, Templar(loader=DataLoader()))
    record = record_of("shop.example", host, {"result": "log_delivery_result"})
    assert (record["scope"], record["zone_id"]) == ("zone", "f1")
    assert (record.get("account_id"), record.get("account_name")) == account
