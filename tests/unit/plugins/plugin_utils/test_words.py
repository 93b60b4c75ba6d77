# SPDX-License-Identifier: GPL-3.0-or-later

from ansible_collections.edgeops.observability.plugins.plugin_utils._words import distinct


def test_duplicates_get_a_number() -> None:
    assert distinct(["a", "a", "b", "a"]) == ["a", "a#2", "b", "a#3"]
