# SPDX-License-Identifier: GPL-3.0-or-later

"""The inventory of zones, as ansible-inventory and ansible-playbook see it."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import typing as t
from pathlib import Path

import pytest
from ansible.plugins.loader import cache_loader

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

    def list(self, env: t.Mapping[str, str] | None = None, **options: t.Any) -> Found:
        """What one file lists."""
        return self.list_all({"fleet": options}, env)

    def list_all(self, sources: t.Mapping[str, t.Mapping[str, t.Any]], env: t.Mapping[str, str] | None = None) -> Found:
        """What several files list together; it fails if none of them can be used."""
        paths = [self.place.write(f"{name}.zones.yml", {"plugin": PLUGIN, **options}) for name, options in sources.items()]
        arguments = [argument for path in paths for argument in ("-i", str(path))]
        done = self.command(
            "ansible-inventory", *arguments, "--list", env={"ANSIBLE_INVENTORY_UNPARSED_FAILED": "true", **(env or {})}
        )
        document = plain(json.loads(done.stdout)) if done.returncode == 0 else {}
        hosts = document.pop("_meta", {}).get("hostvars", {})
        return Found(
            hosts,
            {name: group.get("hosts", []) for name, group in document.items()},
            " ".join(done.stderr.split()),
            done.returncode,
        )

    def refuses(self, *sources: t.Mapping[str, t.Any]) -> list[str]:
        """What is said of each of these files, of which none can be used."""
        found = self.list_all({f"refused{number}": options for number, options in enumerate(sources)})
        assert found.returncode != 0, found.stderr
        assert not found.hosts
        assert self.simulator.token not in found.stderr
        *said, _rest = re.split(r"Unable to parse \S+ as an inventory source", found.stderr)
        return said


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
    assert "omit the option accounts" in inventory.refuses({"accounts": True})[0]


@pytest.mark.every_core
def test_one_host_for_each_zone(inventory: Inventory) -> None:
    """All zones, those of one name too, with variables and groups made of them."""
    again = {"id": "f" * 32, "name": "z1.example", "status": "active", "account": ACCOUNTS[0]}
    unfit = {**again, "id": "e" * 32, "name": "a\x1b[2Jb"}
    inventory.simulator.seed(zones=[*zones(12), again, unfit])
    found = inventory.list(
        strict=True,
        compose={"log_delivery_zone_id": "zone_id", "account": "zone_account.name"},
        groups={"waiting": "zone_status == 'pending'"},
        keyed_groups=[{"key": "account", "prefix": "of"}, {"key": "zone_name", "prefix": "", "separator": ""}],
    )
    assert set(ours(found)) == {*(f"z{number}.example" for number in range(12)), f"z1.example_{'f' * 32}"}
    seventh = found.hosts["z7.example"]
    assert seventh["zone_id"] == f"{7:032x}"
    assert (seventh["zone_name"], seventh["zone_status"], seventh["zone_account"]) == ("z7.example", "active", ACCOUNTS[1])
    assert seventh["ansible_connection"] == "local"
    assert Path(seventh["ansible_python_interpreter"]).parent == BIN
    assert found.hosts["z1.example"]["zone_id"] == f"{1:032x}"
    assert found.hosts[f"z1.example_{'f' * 32}"]["zone_id"] == "f" * 32
    assert "several zones are named 'z1.example'" in found.stderr
    assert found.hosts[f"a_2Jb_{'e' * 32}"]["zone_name"] == unfit["name"]
    assert r"no host can be named 'a\x1b[2Jb'; that zone is the host 'a_2Jb_" in found.stderr
    assert found.hosts["z2.example"]["log_delivery_zone_id"] == f"{2:032x}"
    assert {"z0.example", "z5.example", "z10.example"} <= set(found.groups["waiting"])
    assert "z3.example" in found.groups["of_Account_1"]
    assert found.groups["z3_example"] == ["z3.example"]


def test_all_pages(inventory: Inventory) -> None:
    inventory.simulator.seed(zones=zones(230))
    inventory.simulator.clear_journal()
    assert len(ours(inventory.list())) == 230
    listed = [entry for entry in inventory.simulator.journal() if entry["path"] == "/zones"]
    assert len(listed) == 5
    assert all("per_page=50" in entry["query"] for entry in listed)


def test_filters(inventory: Inventory) -> None:
    """What each filter leaves, and a warning for a name that no zone has."""
    filters: list[tuple[dict[str, t.Any], t.Iterable[int]]] = [
        ({"names": ["Z3.example"]}, [3]),
        ({"names": ["z3.example", "z4.example"]}, [3, 4]),
        ({"statuses": ["pending"]}, [0, 5, 10]),
        ({"statuses": ["pending", "active"]}, range(12)),
        ({"account_ids": [ACCOUNTS[1]["id"]]}, [1, 3, 5, 7, 9, 11]),
        ({"account_ids": [ACCOUNTS[1]["id"]], "statuses": ["pending"]}, [5]),
        ({"names": "z3.example,z4.example"}, [3, 4]),
        ({"names": ["z3.example", "nowhere.example"]}, [3]),
    ]
    sources = {f"of{number}": {**options, "groups": {f"of{number}": True}} for number, (options, _left) in enumerate(filters)}
    found = inventory.list_all(sources)
    assert "nowhere.example" in found.stderr
    for source, (_options, left) in zip(sources, filters, strict=True):
        of_source = {host for host in found.groups[source] if not host.startswith("zone-")}
        assert of_source == {f"z{number}.example" for number in left}, source


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


def test_cache_that_holds_something_else(inventory: Inventory) -> None:
    """What is not a listing is read again and replaced; each file has a cache of its own. An empty listing is one."""
    held = [None, 7, {"id": "1"}, ["zone"], [{"id": "../x", "name": "x"}], []]
    names = [f"of{number}" for number in range(len(held) + 1)]
    sources = {name: {**CACHE, "cache_connection": name, "groups": {name: True}} for name in names}
    inventory.list_all(sources)
    cached = {name: next((inventory.place.input / name).iterdir()) for name in names}
    listings = {name: path.read_text(encoding="utf-8") for name, path in cached.items()}
    cached[names[-1]].write_text("[", encoding="utf-8")
    strange = cache_loader.get("jsonfile", _uri=str(inventory.place.input / "strange"), _prefix="", _timeout=0)
    for name, value in zip(names, held, strict=False):
        strange.set(name, value)
        (file,) = (inventory.place.input / "strange").glob(f"*{name}")
        cached[name].write_bytes(file.read_bytes())
    inventory.simulator.clear_journal()
    found = inventory.list_all(sources)
    empty = names[held.index([])]
    assert {name for name in names if name not in found.groups} == {empty}
    assert "the cache cannot be used" in found.stderr and len(inventory.simulator.journal()) == len(names) - 1
    assert {name for name, path in cached.items() if path.read_text(encoding="utf-8") != listings[name]} == {empty}


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
    """And options that are empty, which are as good as omitted."""
    empty = dict.fromkeys(("base_url", "api_token", "timeout", "retries", "ca_path", "request_budget"), "")
    pair = {"api_email": inventory.simulator.email, "api_key": inventory.simulator.key}
    assert len(ours(inventory.list(env={"CLOUDFLARE_API_TOKEN": ""}, **empty, **pair))) == 12
    assert inventory.simulator.journal()[-1]["credential"] == "email_key"
    inventory.simulator.clear_journal()
    assert len(ours(inventory.list(**empty, **dict.fromkeys(pair, "")))) == 12
    assert inventory.simulator.journal()[-1]["credential"] == "token"


def test_refusals(inventory: Inventory) -> None:
    """An option that is wrong or cannot be evaluated fails the source, before any request if it is not refused by the service."""
    refused: list[tuple[dict[str, t.Any], str]] = [
        ({"api_email": "a@example.com"}, "api_key"),
        ({"base_url": "ftp://example.com"}, "base_url"),
        ({"timeout": "soon"}, "timeout"),
        ({"status": ["active"]}, "unknown option: 'status'"),
        ({"zone_id": "0123"}, "unknown option: 'zone_id'"),
        ({"names": {"a": "b"}}, "names"),
        *(
            ({option: f"{{{{ nobody_defined_{option} }}}}"}, f"nobody_defined_{option}")
            for option in ("base_url", "api_token", "names")
        ),
    ]
    said = inventory.refuses(*(options for options, _message in refused))
    assert [message in text for (_options, message), text in zip(refused, said, strict=True)] == [True] * len(refused), said
    assert not inventory.simulator.journal()
    wrong, composed = inventory.refuses(
        {"api_token": "planted-wrong-token"}, {"strict": True, "compose": {"a": "nothing_of_that_name"}}
    )
    assert "401" in wrong and "planted-wrong-token" not in wrong and "undefined" in composed


def test_answers_without_sense_are_no_inventory(inventory: Inventory) -> None:
    kinds = {"array": "object", "no_result": "result", "wrong_result": "result", "not_json": "JSON", "status": "403"}
    inventory.simulator.settings(result_info=False)
    inventory.simulator.faults(*({"kind": kind, "status": 403, "index": number} for number, kind in enumerate(kinds)))
    said = inventory.refuses(*[{"retries": 0}] * len(kinds))
    assert [message in text for message, text in zip(kinds.values(), said, strict=True)] == [True] * len(kinds), said
    inventory.simulator.clear_faults()
    inventory.simulator.faults({"kind": "wrong_result", "value": [{"id": "a1", "name": "a.example", "account": "b"}]})
    assert "as its account" in inventory.refuses({"retries": 0})[0]


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
