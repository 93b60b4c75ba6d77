# SPDX-License-Identifier: GPL-3.0-or-later

import types

import pytest

from ansible_collections.edgeops.observability.plugins.inventory import zones
from ansible_collections.edgeops.observability.plugins.inventory.zones import InventoryModule


@pytest.mark.parametrize("name", ["a.zones.yml", "a.zones.yaml", "zones.yml", "azones.yml", "a.zones.yml.bak", "a.zones.json"])
def test_only_files_of_its_suffix_are_accepted(name, tmp_path):
    (tmp_path / name).touch()
    assert InventoryModule().verify_file(str(tmp_path / name)) is (name in ("a.zones.yml", "a.zones.yaml"))
    assert InventoryModule().verify_file(str(tmp_path / f"missing-{name}")) is False


def test_warnings_of_a_listing_are_shown(monkeypatch):
    """Such as that the request budget is not kept."""
    shown = []
    client = types.SimpleNamespace(items=lambda *_, **__: ["a"], warnings=["request_budget: x", "y"], close=lambda: None)
    monkeypatch.setattr(zones, "Client", lambda *_, **__: client)
    monkeypatch.setattr(zones, "Display", lambda: types.SimpleNamespace(warning=shown.append))
    assert zones._fetched(None, "zones.list", str.upper, {}) == ["A"]
    assert shown == ["edgeops.observability.zones: request_budget: x", "edgeops.observability.zones: y"]
