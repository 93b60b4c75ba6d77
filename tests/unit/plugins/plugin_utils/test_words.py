# SPDX-License-Identifier: GPL-3.0-or-later

from ansible_collections.edgeops.observability.plugins.plugin_utils._words import distinct, part_of_hosts


def test_duplicates_get_a_number() -> None:
    assert distinct(["a", "a", "b", "a"]) == ["a", "a#2", "b", "a#3"]


def test_part_of_zones_and_accounts_is_one_of_both() -> None:
    assert part_of_hosts(1, ["zone", "zone"]) == "1 of 2 zones"
    assert part_of_hosts(5, ["zone"] * 5 + ["account"]) == "5 of 6 zones and accounts"
