# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.edgeops.observability.plugins.inventory.zones import InventoryModule


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("a.zones.yml", True),
        ("a.zones.yaml", True),
        ("zones.yml", False),
        ("azones.yml", False),
        ("a.zones.yml.bak", False),
        ("a.zones.json", False),
    ],
)
def test_files(name, meant, tmp_path):
    (tmp_path / name).touch()
    assert InventoryModule().verify_file(str(tmp_path / name)) is meant
    assert InventoryModule().verify_file(str(tmp_path / f"missing-{name}")) is False
