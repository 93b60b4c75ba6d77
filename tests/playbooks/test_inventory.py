# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inventory of zones, as ansible-inventory and ansible-playbook see it."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import typing as t
from pathlib import Path

import pytest

from harness.process import BIN, Place, execute

PLUGIN = "edgeops.observability.zones"
ACCOUNTS = [{"id": f"{number:032x}", "name": f"Account {number}"} for number in range(2)]


def zones(count: int) -> list[dict[str, t.Any]]:
    return [
        {
            "id": f"{number:032x}",
            "name": f"z{number}.example",
            "status": "pending" if number % 5 == 0 else "active",
            "account": ACCOUNTS[number % 2],
        }
        for number in range(count)
    ]


@dataclasses.dataclass
class Found:
    """What one listing printed."""

    hosts: dict[str, dict[str, t.Any]]
    groups: dict[str, list[str]]
    stderr: str
    returncode: int


def plain(value: t.Any) -> t.Any:
    """Listings for people mark text that must not be a template."""
    if isinstance(value, dict):
        return (
            value["__ansible_unsafe"]
            if set(value) == {"__ansible_unsafe"}
            else {name: plain(each) for name, each in value.items()}
        )
    return [plain(each) for each in value] if isinstance(value, list) else value


@dataclasses.dataclass
class Inventory:
    simulator: t.Any
    place: Place

    def command(self, *arguments: str, env: t.Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        environment = {**self.place.environment(), **self.simulator.environment(), **(env or {})}
        executable, *rest = arguments
        return subprocess.CompletedProcess(
            arguments, *execute([str(BIN / executable), *rest], environment, self.place.input, timeout=120)
        )

    def list(self, name: str = "fleet.zones.yml", env: t.Mapping[str, str] | None = None, **options: t.Any) -> Found:
        path = self.place.write(name, {"plugin": PLUGIN, **options})
        failing = {"ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "true", **(env or {})}
        done = self.command("ansible-inventory", "-i", str(path), "--list", env=failing)
        document = plain(json.loads(done.stdout)) if done.returncode == 0 else {}
        hosts = document.pop("_meta", {}).get("hostvars", {})
        return Found(
            hosts,
            {name: group.get("hosts", []) for name, group in document.items()},
            " ".join(done.stderr.split()),
            done.returncode,
        )

    def refuses(self, **options: t.Any) -> str:
        found = self.list(**options)
        assert found.returncode != 0
        assert not found.hosts
        assert self.simulator.token not in found.stderr
        return found.stderr


@pytest.fixture
def inventory(simulator: t.Any, tmp_path: Path) -> Inventory:
    simulator.seed(zones=zones(12))
    return Inventory(simulator, Place(tmp_path))


def ours(found: Found) -> dict[str, dict[str, t.Any]]:
    """Without the zone that every simulator starts with."""
    return {name: variables for name, variables in found.hosts.items() if name.startswith("z") and not name.startswith("zone-")}


def test_accounts_are_hosts(inventory: Inventory) -> None:
    """With the option, every account is a host of its own group; a refused listing is explained."""
    found = inventory.list(accounts=True)
    account = inventory.simulator.account
    host = found.hosts[f"account_{account}"]
    assert host["account_id"] == account and host["account_name"] and host["ansible_connection"] == "local"
    assert "zone_id" not in host and f"account_{account}" in found.groups["accounts"]
    assert set(ours(found)) <= set(found.groups["zones"]) and not set(found.groups["accounts"]) & set(found.groups["zones"])
    inventory.simulator.faults({"kind": "status", "status": 403, "code": 10000, "message": "no", "path": "/accounts"})
    assert "omit the option accounts" in inventory.refuses(accounts=True)


@pytest.mark.every_core
def test_one_host_for_each_zone(inventory: Inventory) -> None:
    found = inventory.list()
    assert set(ours(found)) == {f"z{number}.example" for number in range(12)}
    seventh = found.hosts["z7.example"]
    assert seventh["zone_id"] == f"{7:032x}"
    assert (seventh["zone_name"], seventh["zone_status"], seventh["zone_account"]) == ("z7.example", "active", ACCOUNTS[1])
    assert seventh["ansible_connection"] == "local"
    assert Path(seventh["ansible_python_interpreter"]).parent == BIN


def test_all_pages(inventory: Inventory) -> None:
    inventory.simulator.seed(zones=zones(230))
    inventory.simulator.clear_journal()
    assert len(ours(inventory.list())) == 230
    listed = [entry for entry in inventory.simulator.journal() if entry["path"] == "/zones"]
    assert len(listed) == 5
    assert all("per_page=50" in entry["query"] for entry in listed)


def test_all_pages_without_counts(inventory: Inventory) -> None:
    inventory.simulator.seed(zones=zones(60))
    inventory.simulator.settings(result_info=False)
    assert len(ours(inventory.list())) == 60


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        ({"names": ["Z3.example"]}, [3]),
        ({"names": ["z3.example", "z4.example"]}, [3, 4]),
        ({"statuses": ["pending"]}, [0, 5, 10]),
        ({"statuses": ["pending", "active"]}, list(range(12))),
        ({"account_ids": [ACCOUNTS[1]["id"]]}, [1, 3, 5, 7, 9, 11]),
        ({"account_ids": [ACCOUNTS[1]["id"]], "statuses": ["pending"]}, [5]),
        ({"names": "z3.example,z4.example"}, [3, 4]),
    ],
)
def test_filters(options: dict[str, t.Any], numbers: list[int], inventory: Inventory) -> None:
    assert set(ours(inventory.list(**options))) == {f"z{number}.example" for number in numbers}


def test_a_name_that_no_zone_has_is_a_warning(inventory: Inventory) -> None:
    found = inventory.list(names=["z3.example", "nowhere.example"])
    assert set(found.hosts) == {"z3.example"}
    assert "nowhere.example" in found.stderr


@pytest.mark.every_core
def test_constructed(inventory: Inventory) -> None:
    found = inventory.list(
        strict=True,
        compose={"log_delivery_zone_id": "zone_id", "account": "zone_account.name"},
        groups={"waiting": "zone_status == 'pending'"},
        keyed_groups=[{"key": "account", "prefix": "of"}, {"key": "zone_name", "prefix": "", "separator": ""}],
    )
    assert found.hosts["z2.example"]["log_delivery_zone_id"] == f"{2:032x}"
    assert {"z0.example", "z5.example", "z10.example"} <= set(found.groups["waiting"])
    assert "z3.example" in found.groups["of_Account_1"]
    assert found.groups["z3_example"] == ["z3.example"]
    assert "undefined" in inventory.refuses(strict=True, compose={"a": "nothing_of_that_name"})


def test_two_zones_of_one_name(inventory: Inventory) -> None:
    again = {"id": "f" * 32, "name": "z1.example", "status": "active", "account": ACCOUNTS[0]}
    inventory.simulator.seed(zones=[*zones(3), again])
    found = inventory.list()
    assert found.hosts["z1.example"]["zone_id"] == f"{1:032x}"
    assert found.hosts[f"z1.example_{'f' * 32}"]["zone_id"] == "f" * 32
    assert "several zones are named 'z1.example'" in found.stderr


CACHE = {"cache": True, "cache_plugin": "ansible.builtin.jsonfile", "cache_connection": "cache"}


def requests(inventory: Inventory, **options: t.Any) -> int:
    inventory.simulator.clear_journal()
    assert len(ours(inventory.list(**options))) > 0
    return len(inventory.simulator.journal())


def test_cache(inventory: Inventory) -> None:
    assert [requests(inventory, **CACHE) for _unused in range(2)] == [1, 0]
    # Filters that the service does not see work on the cache; those that it sees make another listing.
    assert requests(inventory, names=["z1.example", "z2.example"], **CACHE) == 0
    assert [requests(inventory, names=["z1.example"], **CACHE) for _unused in range(2)] == [1, 0]
    for path in (inventory.place.input / "cache").iterdir():
        assert inventory.simulator.token not in path.name + path.read_text(encoding="utf-8")


def test_cache_that_is_refreshed(inventory: Inventory) -> None:
    refresh = [{"hosts": "all", "gather_facts": False, "tasks": [{"ansible.builtin.meta": "refresh_inventory"}]}]
    playbook = inventory.place.write("refresh.yml", refresh)
    path = inventory.place.write("fleet.zones.yml", {"plugin": PLUGIN, **CACHE})
    counts = []
    for arguments in ([], [], ["--flush-cache"]):
        inventory.simulator.clear_journal()
        done = inventory.command("ansible-playbook", str(playbook), "-i", str(path), *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        counts.append(len(inventory.simulator.journal()))
    # A refresh always asks the service; the start of a run does unless the cache can answer.
    assert counts == [2, 1, 2]


def test_options_are_templates(inventory: Inventory) -> None:
    env = {"CLOUDFLARE_API_TOKEN": "", "ELSEWHERE": inventory.simulator.token, "CHECK": "yes"}
    lookup = "{{ lookup('ansible.builtin.env', '%s') }}"
    found = inventory.list(
        env=env,
        api_token=lookup % "ELSEWHERE",
        timeout="{{ 2 * 10 }}",
        validate_certs=lookup % "CHECK",
        names=["z{{ 1 + 2 }}.example"],
    )
    assert set(found.hosts) == {"z3.example"}


def test_pair_of_credentials(inventory: Inventory) -> None:
    pair = {"api_email": inventory.simulator.email, "api_key": inventory.simulator.key}
    assert len(ours(inventory.list(env={"CLOUDFLARE_API_TOKEN": ""}, **pair))) == 12
    assert inventory.simulator.journal()[-1]["credential"] == "email_key"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"api_token": "planted-wrong-token"}, "401"),
        ({"api_email": "a@example.com"}, "api_key"),
        ({"base_url": "ftp://example.com"}, "base_url"),
        ({"timeout": "soon"}, "timeout"),
        ({"status": ["active"]}, "unknown option: 'status'"),
        ({"zone_id": "0123"}, "unknown option: 'zone_id'"),
        ({"names": {"a": "b"}}, "names"),
    ],
)
def test_refusals(options: dict[str, t.Any], message: str, inventory: Inventory) -> None:
    text = inventory.refuses(**options)
    assert message in text
    assert "planted-wrong-token" not in text


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"kind": "array"}, "object"),
        ({"kind": "no_result"}, "result"),
        ({"kind": "wrong_result"}, "result"),
        ({"kind": "not_json"}, "JSON"),
        ({"kind": "status", "status": 403}, "403"),
        ({"kind": "wrong_result", "value": ["zone"]}, "not an object"),
        ({"kind": "wrong_result", "value": [{"id": "a1", "name": None}]}, "'a1'"),
        ({"kind": "wrong_result", "value": [{"name": "lost.example"}]}, "lost.example"),
        ({"kind": "wrong_result", "value": [{"id": "not hexadecimal", "name": "a.example"}]}, "as its id"),
        ({"kind": "wrong_result", "value": [{"id": "a1", "name": "a.example", "status": 7}]}, "as its status"),
        ({"kind": "wrong_result", "value": [{"id": "a1", "name": "a.example", "account": "b"}]}, "as its account"),
    ],
)
def test_answers_without_sense_are_no_inventory(fault: dict[str, t.Any], message: str, inventory: Inventory) -> None:
    inventory.simulator.settings(result_info=False)
    inventory.simulator.faults(fault)
    assert message in inventory.refuses(retries=0)


@pytest.mark.every_core
def test_texts_of_the_service_are_never_executed(inventory: Inventory, tmp_path: Path) -> None:
    """Whatever member they are in, with the usual delimiters and with a header that chooses others."""
    marker = tmp_path / "executed"
    command = f"lookup('ansible.builtin.pipe', 'touch {marker}')"
    header = f"#jinja2: variable_start_string: '<<', variable_end_string: '>>'\n<< {command} >>"
    shown = "{{ zone_name }} {{ zone_status }} {{ zone_account.id }} {{ zone_account.name }} {{ hostvars[inventory_hostname].zone_status }}"
    for number, text in enumerate((header, f"{{{{ {command} }}}}", f"{{% set x = {command} %}}")):
        zone = {"id": f"{number}a", "name": text, "status": text, "account": {"id": text, "name": text}}
        inventory.simulator.settings(result_info=False)
        inventory.simulator.faults({"kind": "wrong_result", "value": [zone], "count": 1})
        path = inventory.place.write("fleet.zones.yml", {"plugin": PLUGIN})
        play = {
            "hosts": "all",
            "gather_facts": False,
            "tasks": [
                {"ansible.builtin.debug": {"msg": shown}},
                {"ansible.builtin.set_fact": {"kept": "{{ zone_status }}", "all_kept": "{{ zone_account }}"}},
                {"ansible.builtin.debug": {"msg": "{{ kept }} {{ all_kept }} {{ item }}"}, "loop": ["{{ zone_name }}"]},
            ],
        }
        done = inventory.command("ansible-playbook", "-i", str(path), str(inventory.place.write("play.yml", [play])))
        assert done.returncode == 0, done.stdout + done.stderr
        assert not marker.exists()
        assert done.stdout.count("ansible.builtin.pipe") > 6, done.stdout


@pytest.mark.parametrize("option", ["base_url", "api_token", "names"])
def test_untemplatable_option_fails_the_source(inventory: Inventory, option: str) -> None:
    """An option that cannot be templated fails the source."""
    text = inventory.refuses(**{option: "{{ nobody_defined_this }}"})
    assert "nobody_defined_this" in text and not inventory.simulator.journal()


def test_empty_options_are_omitted(inventory: Inventory) -> None:
    empty = dict.fromkeys(
        ("base_url", "api_token", "api_email", "api_key", "timeout", "retries", "ca_path", "request_budget"), ""
    )
    assert len(ours(inventory.list(**empty))) == 12


def test_text_of_the_service_is_no_template(inventory: Inventory) -> None:
    account = {"id": "a1", "name": "{{ 7 * 7 }}"}
    inventory.simulator.seed(zones=[{"id": "b" * 32, "name": "zx.example", "status": "active", "account": account}])
    path = inventory.place.write("fleet.zones.yml", {"plugin": PLUGIN, "names": ["zx.example"]})
    done = inventory.command(
        "ansible", "-i", str(path), "all", "-m", "ansible.builtin.debug", "-a", "msg={{ zone_account.name }}"
    )
    assert "49" not in done.stdout
    assert "{{ 7 * 7 }}" in done.stdout


@pytest.mark.parametrize("name", ["fleet.zones.yaml", "production.zones.yml"])
def test_file_names(name: str, inventory: Inventory) -> None:
    assert len(ours(inventory.list(name))) == 12


@pytest.mark.parametrize("name", ["zones.yml", "fleet.yml", "fleet.zones.json"])
def test_other_files_are_left_alone(name: str, inventory: Inventory) -> None:
    assert inventory.list(name).returncode != 0
    assert not inventory.simulator.journal()


def test_a_play_over_zones(inventory: Inventory) -> None:
    play = {
        "hosts": "all",
        "gather_facts": False,
        "tasks": [{"edgeops.observability.script_monitor": {"zone_id": "{{ zone_id }}", "enabled": True}}],
    }
    playbook = inventory.place.write("play.yml", [play])
    path = inventory.place.write("fleet.zones.yml", {"plugin": PLUGIN})
    done = inventory.command("ansible-playbook", str(playbook), "-i", str(path), "--limit", "z1.example,z2.example")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [inventory.simulator.state(f"{number:032x}")["script_monitor"]["enabled"] for number in range(4)] == [
        False,
        True,
        True,
        False,
    ]
