# SPDX-License-Identifier: GPL-3.0-or-later

"""The inventory plugin in ansible-inventory and ansible-playbook."""

import dataclasses
import json
import re
import typing as t
from importlib.util import find_spec
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
    """The output of one listing."""

    hosts: dict[str, dict[str, t.Any]]
    groups: dict[str, list[str]]
    stderr: str
    returncode: int


def plain(value: t.Any) -> t.Any:
    """Return a value without the marks of unsafe text."""
    if isinstance(value, dict):
        return (
            value["__ansible_unsafe"]
            if set(value) == {"__ansible_unsafe"}
            else {name: plain(member) for name, member in value.items()}
        )
    return [plain(item) for item in value] if isinstance(value, list) else value


@dataclasses.dataclass
class Inventory:
    simulator: t.Any
    place: Place

    def command(self, name: str, *arguments: str, env: t.Mapping[str, str] | None = None) -> tuple[int, str, str]:
        environment = {**self.place.environment(), **self.simulator.environment(), **(env or {})}
        return execute([str(BIN / name), *arguments], environment, self.place.input, timeout=120)

    def list(self, env: t.Mapping[str, str] | None = None, **options: t.Any) -> Found:
        """Return the hosts that one inventory file lists."""
        return self.list_all({"fleet": options}, env)

    def list_all(self, sources: t.Mapping[str, t.Mapping[str, t.Any]], env: t.Mapping[str, str] | None = None) -> Found:
        """Return the hosts that several files list together; fail if none of them can be used."""
        paths = [self.place.write(f"{name}.zones.yml", {"plugin": PLUGIN, **options}) for name, options in sources.items()]
        arguments = [argument for path in paths for argument in ("-i", str(path))]
        failing = {"ANSIBLE_INVENTORY_UNPARSED_FAILED": "true", **(env or {})}
        code, stdout, stderr = self.command("ansible-inventory", *arguments, "--list", env=failing)
        document = plain(json.loads(stdout)) if code == 0 else {}
        hosts = document.pop("_meta", {}).get("hostvars", {})
        groups = {name: group.get("hosts", []) for name, group in document.items()}
        return Found(hosts, groups, " ".join(stderr.split()), code)


@pytest.fixture
def inventory(simulator: t.Any, tmp_path: Path) -> Inventory:
    simulator.seed(zones=zones(12))
    return Inventory(simulator, Place(tmp_path))


def ours(listing: Found) -> dict[str, dict[str, t.Any]]:
    """Return the hosts without the default zone of the simulator."""
    return {name: variables for name, variables in listing.hosts.items() if name.startswith("z") and not name.startswith("zone-")}


@pytest.mark.every_core
def test_hosts_variables_and_groups(inventory: Inventory) -> None:
    """Every zone and account is a host with variables and groups, even with a duplicate name or one that is not valid as a host name."""
    again = {"id": "f" * 32, "name": "z1.example", "status": "active", "account": ACCOUNTS[0]}
    unfit = {**again, "id": "e" * 32, "name": "a\x1b[2Jb"}
    inventory.simulator.seed(zones=[*zones(60), again, unfit])
    listing = inventory.list(
        strict=True,
        accounts=True,
        compose={"log_delivery_zone_id": "zone_id | default('none')", "account": "zone_account.name | default('none')"},
        groups={"waiting": "zone_status | default('none') == 'pending'"},
        keyed_groups=[{"key": "account", "prefix": "of"}, {"key": "zone_name | default('none')", "prefix": "", "separator": ""}],
        **dict.fromkeys(("base_url", "api_token", "api_email", "api_key", "timeout", "retries", "ca_path", "request_budget"), ""),
    )
    assert set(ours(listing)) == {*(f"z{number}.example" for number in range(60)), f"z1.example_{'f' * 32}"}
    listed = [entry["query"] for entry in inventory.simulator.journal() if entry["path"] == "/zones"]
    assert len(listed) == 2 and all("per_page=50" in query for query in listed)
    seventh = listing.hosts["z7.example"]
    assert seventh["zone_id"] == seventh["log_delivery_zone_id"] == f"{7:032x}"
    assert (seventh["zone_name"], seventh["zone_status"], seventh["zone_account"]) == ("z7.example", "active", ACCOUNTS[1])
    assert seventh["ansible_connection"] == "local"
    assert Path(seventh["ansible_python_interpreter"]).parent == BIN
    assert listing.hosts["z1.example"]["zone_id"] == f"{1:032x}"
    assert listing.hosts[f"z1.example_{'f' * 32}"]["zone_id"] == "f" * 32
    assert "several zones are named 'z1.example'" in listing.stderr
    assert listing.hosts[f"a_2Jb_{'e' * 32}"]["zone_name"] == unfit["name"]
    assert r"no host can be named 'a\x1b[2Jb'; that zone is the host 'a_2Jb_" in listing.stderr
    assert {"z0.example", "z5.example", "z10.example"} <= set(listing.groups["waiting"])
    assert "z3.example" in listing.groups["of_Account_1"] and listing.groups["z3_example"] == ["z3.example"]
    account = listing.hosts[f"account_{inventory.simulator.account}"]
    assert account["account_id"] == inventory.simulator.account and account["account_name"] and "zone_id" not in account
    assert account["ansible_connection"] == "local" and f"account_{account['account_id']}" in listing.groups["accounts"]
    assert set(ours(listing)) <= set(listing.groups["zones"]) and not set(listing.groups["accounts"]) & set(
        listing.groups["zones"]
    )


def test_host_with_the_name_of_a_group(inventory: Inventory) -> None:
    """Keyed groups of the accounts of zones have the names of the hosts of these accounts, which keep their variables and groups."""
    inventory.simulator.seed(accounts=ACCOUNTS)
    listing = inventory.list(
        strict=True,
        accounts=True,
        compose={"owner": "account_name | default('none')"},
        groups={"everything": "true"},
        keyed_groups=[
            {"key": "zone_account.id | default(account_id)", "prefix": "account"},
            {"key": "account_name | default('zone')", "prefix": "named"},
        ],
    )
    for account in ACCOUNTS:
        name = f"account_{account['id']}"
        assert (listing.hosts[name]["account_id"], listing.hosts[name]["owner"]) == (account["id"], account["name"])
        assert listing.hosts[name]["ansible_connection"] == "local"
        assert {name, f"z{ACCOUNTS.index(account)}.example"} <= set(listing.groups[name])
        assert name in listing.groups["everything"] and name in listing.groups[f"named_{account['name'].replace(' ', '_')}"]
    assert "account_id" not in listing.hosts["z0.example"]


@pytest.mark.every_core
def test_credentials_are_declared_secret(inventory: Inventory) -> None:
    """Token and key are secret options where ansible-core knows these; older versions know no such declaration."""
    code, stdout, stderr = inventory.command("ansible-doc", "--type", "inventory", "--json", PLUGIN)
    assert code == 0, stderr
    options = json.loads(stdout)[PLUGIN]["doc"]["options"]
    secret = {name for name, option in options.items() if option.get("secret")}
    assert secret == ({"api_token", "api_key"} if find_spec("ansible.module_utils.secrets") else set())


def test_options(inventory: Inventory) -> None:
    """Filters select zones, with a warning for a name or status that no zone has; credentials and other options may be templates."""
    lookup = "{{ lookup('ansible.builtin.env', '%s') }}"
    token = {"api_token": lookup % "ELSEWHERE"}
    pair = {"api_email": inventory.simulator.email, "api_key": inventory.simulator.key}
    cases: list[tuple[dict[str, t.Any], t.Iterable[int]]] = [
        ({**token, "names": ["Z3.example"]}, [3]),
        ({**token, "names": "z3.example,z4.example"}, [3, 4]),
        ({**token, "names": ["z3.example", "nowhere.example"]}, [3]),
        ({**token, "statuses": ["pending"], "account_ids": [ACCOUNTS[1]["id"]]}, [5]),
        ({**token, "timeout": "{{ 2 * 10 }}", "validate_certs": lookup % "CHECK", "names": ["z{{ 1 + 2 }}.example"]}, [3]),
        ({**token, "statuses": ["Pending", "pendng"], "account_ids": [ACCOUNTS[1]["id"].upper(), "9" * 32]}, [5]),
        ({**pair, "api_token": ""}, range(12)),
    ]
    sources = {f"of{number}": {**options, "groups": {f"of{number}": True}} for number, (options, _left) in enumerate(cases)}
    env = {"CLOUDFLARE_API_TOKEN": "", "ELSEWHERE": inventory.simulator.token, "CHECK": "yes"}
    listing = inventory.list_all(sources, env)
    assert "statuses: 'pendng' is not a status" in listing.stderr
    assert "nowhere.example" in listing.stderr and f"account_ids: no zone belongs to '{'9' * 32}'" in listing.stderr
    assert [entry["credential"] for entry in inventory.simulator.journal()] == ["token"] * 6 + ["email_key"]
    for source, (_options, left) in zip(sources, cases, strict=True):
        of_source = {host for host in listing.groups[source] if not host.startswith("zone-")}
        assert of_source == {f"z{number}.example" for number in left}, source


def test_refusals(inventory: Inventory) -> None:
    """A wrong option or a failing template is reported before any request; other failures have their reason."""
    before_any_request: list[tuple[dict[str, t.Any], str]] = [
        ({"api_email": "a@example.com"}, "api_key"),
        ({"base_url": "ftp://example.com"}, "base_url"),
        ({"timeout": "soon"}, "timeout"),
        ({"status": ["active"]}, "unknown option: 'status'"),
        ({"names": {"a": "b"}}, "names"),
        ({"base_url": "{{ '{' }}{ left }}"}, "base_url: a template is left in it that nobody evaluated"),
        ({"account_ids": ["a1", "Shop"]}, "account_ids[1]: 'Shop' is not 1 to 32"),
        *(({option: f"{{{{ no_{option} }}}}"}, f"no_{option}") for option in ("base_url", "api_token", "names")),
    ]
    later: list[tuple[dict[str, t.Any], str]] = [
        ({"api_token": "planted-wrong-token"}, "401"),
        ({"strict": True, "compose": {"a": "nothing_of_that_name"}}, "undefined"),
        ({"accounts": True}, "omit the option accounts"),
    ]
    inventory.simulator.faults({"kind": "status", "status": 403, "code": 10000, "message": "no", "path": "/accounts"})
    cases = [*before_any_request, *later]
    listing = inventory.list_all({f"refused{number}": options for number, (options, _message) in enumerate(cases)})
    assert listing.returncode != 0 and not listing.hosts
    assert inventory.simulator.token not in listing.stderr and "planted-wrong-token" not in listing.stderr
    *said, _rest = re.split(r"Unable to parse .+? as an inventory source", listing.stderr)
    assert [message in text for (_options, message), text in zip(cases, said, strict=True)] == [True] * len(cases), said
    assert [entry["path"] for entry in inventory.simulator.journal()] == ["/zones"] * 3 + ["/accounts"]


CACHE = {"cache": True, "cache_plugin": "ansible.builtin.jsonfile", "cache_connection": "cache"}


def test_cache(inventory: Inventory) -> None:
    """Filters that the API does not have use the cache; changed filters that it has, and a refresh, make a new listing."""

    simulator, place = inventory.simulator, inventory.place

    def listed(**options: t.Any) -> int:
        simulator.clear_journal()
        assert ours(inventory.list(**CACHE, **options))
        return len(simulator.journal())

    def refreshed(*arguments: str, **options: t.Any) -> int:
        path = place.write("fleet.zones.yml", {"plugin": PLUGIN, **CACHE, **options})
        simulator.clear_journal()
        code, stdout, stderr = inventory.command("ansible-playbook", str(playbook), "-i", str(path), *arguments)
        assert code == 0, stdout + stderr
        return len(simulator.journal())

    refresh = [{"hosts": "all", "gather_facts": False, "tasks": [{"ansible.builtin.meta": "refresh_inventory"}]}]
    playbook = place.write("refresh.yml", refresh)
    assert [listed(), listed(names=["z1.example", "z2.example"])] == [1, 0]
    # The start of the run sends a request for the other filter, or because of the option; a refresh always sends one.
    one = {"names": ["z1.example"]}
    assert [refreshed(**one), refreshed("--flush-cache", **one)] == [2, 2]
    for cached in (place.input / "cache").iterdir():
        assert simulator.token not in cached.name + cached.read_text(encoding="utf-8")


def test_invalid_cache_is_replaced(inventory: Inventory) -> None:
    """Cached data that is not a listing is read again and replaced; each file has its own cache entry. Empty listings are valid."""
    held = [None, 7, {}, "", {"id": "1"}, ["zone"], [{"id": "../x", "name": "x"}], []]
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
    listing = inventory.list_all(sources)
    empty = names[held.index([])]
    assert {name for name in names if name not in listing.groups} == {empty}
    assert "the cache cannot be used" in listing.stderr and len(inventory.simulator.journal()) == len(names) - 1
    assert {name for name, path in cached.items() if path.read_text(encoding="utf-8") != listings[name]} == {empty}


def test_unreadable_options_fail(inventory: Inventory) -> None:
    """A vaulted token without its password, an undefined variable, and an id that YAML changes are errors of the file."""
    texts = {
        "vaulted": ("api_token: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  3030", "api_token: "),
        "template": ('account_ids: ["{{ nowhere }}"]', "account_ids: cannot be evaluated: 'nowhere' is undefined"),
        "number": ("account_ids: [0755]", "account_ids[0]: must be text, not a number"),
        "word": ("names: [no]", "names[0]: must be text, not a boolean"),
    }
    paths = [inventory.place.write(f"{name}.zones.yml", f"plugin: {PLUGIN}\n{text}\n") for name, (text, _said) in texts.items()]
    env = {"ANSIBLE_INVENTORY_UNPARSED_FAILED": "true", "ANSIBLE_ERROR_ON_UNDEFINED_VARS": "false"}
    sources = [argument for path in paths for argument in ("-i", str(path))]
    code, stdout, stderr = inventory.command("ansible-inventory", *sources, "--list", env=env)
    words = " ".join(stderr.split())
    assert code not in (0, 250) and "Unexpected Exception" not in words and "Traceback" not in words and not stdout
    *found, _rest = re.split(r"Unable to parse .+? as an inventory source", words)
    assert [said in text for (_text, said), text in zip(texts.values(), found, strict=True)] == [True] * len(texts), found


def test_source_that_cannot_be_read_ends_a_run(inventory: Inventory) -> None:
    """Ansible only warns, and goes on with the hosts of the other sources."""
    shops = str(inventory.place.write("shops.zones.yml", {"plugin": PLUGIN, "names": ["z1.example"]}))
    hosts = str(inventory.place.write("hosts.yml", "all: {hosts: {z2.example: {}}}\n"))
    missing = str(inventory.place.folder / "blogs.zones.yml")
    check = ("ansible-playbook", "edgeops.observability.check", "-i", hosts)
    code, stdout, _stderr = inventory.command(*check, "-i", missing)
    assert code != 0 and f"the inventory {missing} does not exist" in stdout
    code, stdout, _stderr = inventory.command(*check, "-i", shops, env={"ANSIBLE_INVENTORY_ENABLED": "host_list,yaml,ini"})
    assert code != 0 and f"the inventory {shops} was not read by {PLUGIN}" in stdout
    assert not inventory.simulator.journal()
    blogs = str(inventory.place.write("blogs.zones.yml", {"plugin": PLUGIN, "api_token": "planted-wrong-token"}))
    code, stdout, _stderr = inventory.command(*check, "-i", shops, "-i", blogs)
    assert code != 0 and f"the inventory {blogs} could not be listed" in stdout and shops not in stdout
    assert {entry["path"] for entry in inventory.simulator.journal()} == {"/zones"}
