# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest
from ansible.errors import AnsibleError

from ansible_collections.edgeops.observability.plugins.inventory import zones
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure

ID, ACCOUNT = "a" * 32, {"id": "b" * 32, "name": "Example"}
ZONE = {"id": ID, "name": "a.example", "status": "active", "account": ACCOUNT, "plan": {"id": "free"}}
KEPT = {name: ZONE[name] for name in ("id", "name", "status", "account")}
NOTHING: dict[str, list[str]] = {"names": [], "statuses": [], "account_ids": []}


@pytest.mark.parametrize(
    ("item", "zone"),
    [
        (ZONE, KEPT),
        ({"id": ID, "name": "a.example"}, {"id": ID, "name": "a.example", "status": None, "account": None}),
        ({**ZONE, "account": {"id": "x", "more": 1}}, {**KEPT, "account": {"id": "x", "name": None}}),
        ({**ZONE, "account": {}}, {**KEPT, "account": None}),
        ({**ZONE, "name": "bücher.example"}, {**KEPT, "name": "bücher.example"}),
    ],
)
def test_members_that_are_kept(item, zone):
    assert zones.read_zone(item) == zone


@pytest.mark.parametrize(
    ("change", "member"),
    [
        ({"id": None}, "id"),
        ({"id": 7}, "id"),
        ({"id": ""}, "id"),
        ({"id": "g" * 32}, "id"),
        ({"id": "a" * 33}, "id"),
        ({"id": "#jinja2: variable_start_string: '<'\n"}, "id"),
        ({"name": None}, "name"),
        ({"name": ["a.example"]}, "name"),
        ({"status": 1}, "status"),
        ({"status": ""}, "status"),
        ({"account": []}, "account"),
        ({"account": "b"}, "account"),
        ({"account": {"id": 5}}, "account.id"),
        ({"account": {"name": False}}, "account.name"),
    ],
)
def test_zones_without_sense(change, member):
    with pytest.raises(Failure, match=rf"The zone .* has .* as its {member}\.$"):
        zones.read_zone({**ZONE, **change})


@pytest.mark.parametrize("item", [None, "zone", ["zone"], 3])
def test_what_is_no_zone(item):
    with pytest.raises(Failure, match="not an object"):
        zones.read_zone(item)


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("a.example", "a.example"),
        ("bücher.example", "bücher.example"),
        ("all", f"all_{ID}"),
        ("LocalHost", f"LocalHost_{ID}"),
        ("ungrouped", f"ungrouped_{ID}"),
        ("../../etc/passwd", f"_etc_passwd_{ID}"),
        ("a..b", f"a_b_{ID}"),
        ("a\x1b[2Jb", f"a_2Jb_{ID}"),
        ("a b", f"a_b_{ID}"),
        ("{{ a }}", f"_a__{ID}"),
        ("a[1:3]", f"a_1_3__{ID}"),
        ("*.example", f"_example_{ID}"),
        ("!a", f"_a_{ID}"),
        ("-a", f"_a_{ID}"),
        ("a" * 254, f"{'a' * 200}_{ID}"),
    ],
)
def test_host_names(name, host, monkeypatch):
    plugin, warnings = zones.InventoryModule(), []
    monkeypatch.setattr(plugin.display, "warning", warnings.append)
    assert [found for found, _zone in plugin._named([{**KEPT, "name": name}])] == [host]
    assert len(warnings) == (name != host) and all(text.isprintable() for text in warnings)


def test_host_names_are_unique(monkeypatch):
    plugin = zones.InventoryModule()
    monkeypatch.setattr(plugin.display, "warning", lambda text: None)
    listed = [
        {**KEPT, "id": digit, "name": name} for digit, name in (("1", "x"), ("2", "x"), ("3", "x_2"), ("4", "x/2"), ("5", "x:2"))
    ]
    assert len({host for host, _zone in plugin._named(listed)}) == 5


class Cache(dict[str, t.Any]):
    """A cache that holds one thing under every key; an error is raised."""

    def __missing__(self, _key: str) -> t.Any:
        if isinstance(self.held, Exception):
            raise self.held
        return self.held

    def __init__(self, held: t.Any) -> None:
        super().__init__()
        self.held = held


@pytest.mark.parametrize(
    ("held", "fetched", "warned"),
    [
        ([KEPT], False, False),
        ([], False, False),
        (KeyError("none"), True, False),
        (None, True, True),
        (7, True, True),
        ({"id": ID}, True, True),
        (["zone"], True, True),
        ([{**KEPT, "id": "../x"}], True, True),
        (AnsibleError("the cache file was corrupt"), True, True),
    ],
)
def test_cache_that_holds_something_else(held, fetched, warned, monkeypatch):
    """What is no listing is read again, and replaced."""
    plugin, warnings = zones.InventoryModule(), []
    monkeypatch.setattr(plugin.display, "warning", warnings.append)
    monkeypatch.setattr(plugin, "get_option", lambda name: True)
    monkeypatch.setattr(plugin, "get_cache_key", lambda path: "key")
    monkeypatch.setattr(zones, "_fetched", lambda described, operation, read, filters: [KEPT, KEPT])
    plugin._cache = Cache(held)
    found = plugin._listed("a.zones.yml", Connection("http://127.0.0.1"), "zones.list", zones.read_zone, {}, True)
    assert (found, bool(warnings)) == ([KEPT, KEPT] if fetched else held, warned)
    assert list(plugin._cache.values()) == ([[KEPT, KEPT]] if fetched else [])


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
    assert zones.InventoryModule().verify_file(str(tmp_path / name)) is meant
    assert zones.InventoryModule().verify_file(str(tmp_path / f"missing-{name}")) is False
