# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t

import pytest
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.inventory.zones import InventoryModule
from ansible_collections.edgeops.observability.plugins.module_utils._events.facts import Change, Target, make_event, with_hosts

NAMES = st.sampled_from(
    (
        "shop.example",
        "shop.example_2",
        "all",
        "ALL",
        "localhost",
        "127.0.0.1",
        "_meta",
        "*.example",
        "a,b",
        "a..b",
        "-x",
        "a b",
        "zones",
        "Accounts",
    )
) | st.text(min_size=1, max_size=4)


@pytest.mark.parametrize("names", [["shop.example", "blog.example"], ["zones", "Accounts", "all"], ["shop", "*"]])
def test_a_group_of_the_same_name_is_not_selected(names: list[str]) -> None:
    """Ansible prefers the host, and no name is that of a group that the inventory plugin makes."""
    inventory = InventoryManager(loader=DataLoader(), sources=[])
    found = with_hosts(Target(f"{number:x}", name) for number, name in enumerate(names, 1))
    for group in ("zones", "accounts", *(zone.host for zone in found if zone.host)):
        inventory.add_group(group)
    for zone in found:
        inventory.add_host(zone.host, "zones")
        inventory.add_host("another.example", zone.host)
    inventory.reconcile_inventory()
    for zone in found:
        event = make_event(Change("script_new", "s", None, None), zone, "now")
        assert [host.name for host in inventory.get_hosts(event["meta"]["hosts"])] == [zone.host]
        assert zone.host not in ("zones", "accounts", "all")


@given(st.dictionaries(st.text("12ab", min_size=1, max_size=2), NAMES, max_size=6))
def test_hosts_are_those_of_the_inventory(zones: dict[str, str]) -> None:
    """The host of an event is the one that the inventory plugin makes of its zone, and selects itself only."""
    plugin = t.cast("t.Any", types.SimpleNamespace(NAME="", display=types.SimpleNamespace(warning=lambda text: None)))
    listed = [{"id": zone_id, "name": name} for zone_id, name in zones.items()]
    expected = {zone["id"]: name for name, zone in InventoryModule._named(plugin, listed)}
    found = with_hosts(Target(*each) for each in zones.items())
    assert {zone.id: zone.host for zone in found} == expected
    for zone in found:
        event = make_event(Change("script_new", "s", None, None), zone, "now")
        assert event["meta"]["hosts"] == zone.host
