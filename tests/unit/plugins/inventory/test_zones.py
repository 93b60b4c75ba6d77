# SPDX-License-Identifier: GPL-3.0-or-later

import pytest

from ansible_collections.edgeops.observability.plugins.inventory.zones import InventoryModule


@pytest.mark.parametrize("name", ["a.zones.yml", "a.zones.yaml", "zones.yml", "azones.yml", "a.zones.yml.bak", "a.zones.json"])
def test_only_files_of_its_suffix_are_accepted(name, tmp_path):
    (tmp_path / name).touch()
    assert InventoryModule().verify_file(str(tmp_path / name)) is (name in ("a.zones.yml", "a.zones.yaml"))
    assert InventoryModule().verify_file(str(tmp_path / f"missing-{name}")) is False
