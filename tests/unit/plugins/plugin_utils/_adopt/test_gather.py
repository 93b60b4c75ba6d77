# SPDX-License-Identifier: GPL-3.0-or-later

from support.hosts_of_a_play import play

from ansible_collections.edgeops.observability.plugins.plugin_utils._adopt.gather import Registered, gather

FAILED = {"failed": True, "msg": "not\nallowed", "error": {"kind": "permission"}}


def test_each_zone_is_adopted_once() -> None:
    hosts = {host: {"described": {"zone_id": zone, "zone": host}} for host, zone in (("a", "0A"), ("b", "0a"), ("c", "1"))}
    hosts["c"]["seen"] = {"proposals": [{"name": "stripe"}]}
    found = gather(play({**hosts, "d": {"described": FAILED}, "e": {}}), Registered("described", "seen"))
    assert [zone["zone"] for zone in found.zones] == ["c"] and found.script_baselines == {"c": [{"name": "stripe"}]}
    assert found.refused["a"].endswith("has several hosts: a, b")
    assert found.refused["d"] == "the zone could not be read: permission: not allowed"
    assert found.refused["e"] == "the zone could not be read: its task did not run"


def test_zone_with_unreadable_scripts_is_refused() -> None:
    found = gather(play({"a": {"described": {"zone_id": "1", "zone": "a"}, "seen": FAILED}}), Registered("described", "seen"))
    assert found.zones == [] and "not allowed" in found.refused["a"]
