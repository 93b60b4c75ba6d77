# SPDX-License-Identifier: GPL-3.0-or-later

import types
import typing as t

import pytest
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.inventory.zones import InventoryModule
from ansible_collections.edgeops.observability.plugins.module_utils._events import facts
from ansible_collections.edgeops.observability.plugins.module_utils._events.facts import Change, Target

CHANGE = Change("script_new", "s", None, {"script_url": "https://x.example/"})


def event(change: Change = CHANGE, **target: t.Any) -> dict[str, t.Any]:
    members = {"id": "5a1e", "name": "shop.example", "host": "shop.example", **target}
    return facts.make_event(change, Target(**members), "2026-11-22T00:00:00Z")


def test_event_has_the_documented_members() -> None:
    made = event()
    assert list(made["edgeops"]) == ["kind", "id", "zone", "subject", "before", "after", "observed_at", "redelivered"]
    assert made["edgeops"]["zone"] == {"id": "5a1e", "name": "shop.example"}
    assert {name: member for name, member in made.items() if name != "edgeops"} == {"meta": {"hosts": "shop.example"}}
    assert made["edgeops"]["redelivered"] is False


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (event(CHANGE._replace(before="x")), True),
        (event(CHANGE._replace(after="y")), False),
        (event(CHANGE._replace(kind="script_changed")), False),
        (event(CHANGE._replace(subject="t")), False),
        (event(CHANGE._replace(hidden="other")), False),
        (event(id="5a1f"), False),
        (event(scope="account"), False),
        (event(name="renamed.example"), True),
    ],
)
def test_event_id_depends_on_its_content(other: dict[str, t.Any], same: bool) -> None:
    assert (other["edgeops"]["id"] == event()["edgeops"]["id"]) is same


@pytest.mark.parametrize("host", ["shop.example", "shop.example_5a1e", None, "*.example", "a,b", "all", "a b", "~.*", "!x"])
def test_host_pattern_selects_one_host(host: str | None) -> None:
    expected = host if host and host.startswith("shop.example") else "5a1e"
    assert event(host=host)["meta"]["hosts"] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ lookup('pipe', 'id') }}", "%7B{ lookup('pipe', 'id') }}"),
        ("{% if %}{# c #}", "%7B% if %}%7B# c #}"),
        ('{"where":{"and":[]}}', '{"where":{"and":[]}}'),
        ("{#jinja2:{{{\n[[ x ]]", "%7B%23jinja2:%7B%7B{ [[ x ]]"),
        ("{\u202e{ x }}#\u200ejinja2:", "{\ufffd{ x }}#\ufffdjinja2:"),
        ("Straße 😀\x1b[31mb\r\n\x9b\u2066\ud800", "Straße 😀\ufffd[31mb \ufffd\ufffd\ufffd"),
    ],
)
def test_text_of_the_service_is_not_a_template(text: str, expected: str) -> None:
    made = event(CHANGE._replace(subject=text, after={text: [text]}))
    assert made["edgeops"]["subject"] == expected
    assert made["edgeops"]["after"] == {expected: [expected]}


@given(st.lists(st.sampled_from(["{", "%", "#", "}", "jinja2:", "\n", "\u202e", "x"])).map("".join))
def test_any_text_is_not_a_template(text: str) -> None:
    made = facts.inert(text)
    assert not any(mark in made for mark in ("{{", "{%", "{#", "#jinja2:", "\u202e", "\n"))
    assert facts.inert(made) == made


WORDS = "shop.example shop.example_2 all ALL localhost 127.0.0.1 _meta *.example a,b a..b -x zones Accounts"
NAMES = st.sampled_from(["a b", *WORDS.split()]) | st.text(min_size=1, max_size=4)


@pytest.mark.parametrize("names", [["shop.example", "blog.example"], ["zones", "Accounts", "all"], ["shop", "*"]])
def test_a_group_of_the_same_name_is_not_selected(names: list[str]) -> None:
    """Ansible prefers the host, and no host has the name of a group of the inventory plugin."""
    inventory = InventoryManager(loader=DataLoader(), sources=[])
    targets = facts.with_hosts(Target(f"{number:x}", name) for number, name in enumerate(names, 1))
    for group in ("zones", "accounts", *(zone.host for zone in targets if zone.host)):
        inventory.add_group(group)
    for zone in targets:
        inventory.add_host(zone.host, "zones")
        inventory.add_host("another.example", zone.host)
    inventory.reconcile_inventory()
    for zone in targets:
        selected = inventory.get_hosts(facts.make_event(CHANGE, zone, "now")["meta"]["hosts"])
        assert [host.name for host in selected] == [zone.host]
        assert zone.host not in ("zones", "accounts", "all")


@given(st.dictionaries(st.text("12ab", min_size=1, max_size=2), NAMES, max_size=6))
def test_hosts_agree_with_the_inventory(zones: dict[str, str]) -> None:
    """The host of an event is the one that the inventory plugin makes of the zone, and its pattern selects no other."""
    plugin = t.cast("t.Any", types.SimpleNamespace(NAME="", display=types.SimpleNamespace(warning=lambda text: None)))
    listed = [{"id": zone_id, "name": name} for zone_id, name in zones.items()]
    expected = {zone["id"]: name for name, zone in InventoryModule._named(plugin, listed)}
    targets = facts.with_hosts(Target(*zone) for zone in zones.items())
    assert {zone.id: zone.host for zone in targets} == expected
    assert all(facts.make_event(CHANGE, zone, "now")["meta"]["hosts"] == zone.host for zone in targets)
