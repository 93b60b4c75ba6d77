# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._zone.record import read_record
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


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"results": [{"findings": []}], "changed": False}, "is the result of a task with a loop"),
        ({"ansible_job_id": "j1", "started": 1, "finished": 0}, "is the result of a task that has only begun"),
    ],
)
@pytest.mark.parametrize("part", ["result", "pages", "scripts"])
def test_results_that_hold_no_part_are_refused(value: t.Any, said: str, part: str) -> None:
    """What is registered in a loop stands below `results`; taken for a part it would have no finding."""
    host = Host({"zone_id": "f1", "log_delivery_result": {"changed": False}, "seen": value}, Templar(loader=DataLoader()))
    with pytest.raises(Failure, match=said):
        record_of("shop.example", host, {"result": "log_delivery_result", part: "seen"})
    with pytest.raises(Failure, match=said):
        read_record("zones[0]", {"zone": "a", "zone_id": "f1", part: value})
