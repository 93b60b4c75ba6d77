# SPDX-License-Identifier: GPL-3.0-or-later

"""Random zones are adopted and delivered with the modules' own code: no writes, the same bytes again, and no secrets."""

import typing as t
from pathlib import Path

import pytest
from faults import direct
from hand_made import CANARY, seed
from support import ansible_yaml

from ansible_collections.edgeops.observability.plugins.plugin_utils._adopt.files import desire, write
from edgeops_simulator.testing import running

ZONES = FLEETS = 200
PREFIX = "log_delivery_"


@pytest.fixture(scope="module")
def simulator() -> t.Iterator[t.Any]:
    with running(zones=["0"]) as server:
        yield server


Hosts = dict[str, dict[str, t.Any]]


def read(simulator: t.Any, hosts: Hosts) -> list[dict[str, t.Any]]:
    return [{**direct.run("zone_variables_info", simulator, host["zone_id"], {}), "zone": name} for name, host in hosts.items()]


def adopt(simulator: t.Any, hosts: Hosts, folder: Path, date: str, group: t.Iterable[str] = ()) -> str:
    """Write the files of these zones, which are the whole group unless `group` is given; return all results."""
    zones = read(simulator, hosts)
    options = {"dest": str(folder), "group": "all", "group_hosts": list(group or hosts), "overwrite": False, "date": date}
    write(desire({**options, "zones": zones, "script_baselines": {}, "page_baselines": {}}))
    return repr(zones)


def variables(folder: Path, host: str) -> dict[str, t.Any]:
    """Return the variables of a host as options of `zone_observability`."""
    files = [folder / "group_vars" / "all" / "adopted.yml", folder / "host_vars" / host / "adopted.yml"]
    there = [file for file in files if file.exists()]
    loaded = [ansible_yaml.load(file.read_text(encoding="utf-8")) or {} for file in there]
    return {name.removeprefix(PREFIX): value for content in loaded for name, value in content.items()}


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_adopted_zones_need_no_write(simulator: t.Any, tmp_path: Path) -> None:
    hosts = seed(simulator, ZONES)
    adopted = adopt(simulator, hosts, tmp_path, "2026-11-21")
    first = contents(tmp_path)
    assert len([path for path in first if path.parent.parent.name == "host_vars"]) == ZONES
    managed = {name: variables(tmp_path, name) for name in hosts}
    assert {len(options.get("jobs", [])) for options in managed.values()} == {0, 1, 2, 3, 4}
    assert {name for options in managed.values() for name in options} >= {
        "custom_fields",
        "script_monitor_enabled",
        "content_security_rules",
    }
    delivered = {
        name: direct.run("zone_observability", simulator, hosts[name]["zone_id"], options) for name, options in managed.items()
    }
    assert [name for name, result in delivered.items() if result["changed"]] == []
    assert simulator.writes() == []
    assert CANARY in repr(simulator.snapshot())
    assert CANARY not in adopted + repr(delivered) + repr(first)
    adopt(simulator, hosts, tmp_path, "2027-01-01")
    assert contents(tmp_path) == first


def test_adoption_of_some_zones_does_not_change_others(simulator: t.Any, tmp_path: Path) -> None:
    """Zones that are not adopted remain unchanged when others of their group are adopted and all of them are delivered."""
    for number in range(FLEETS):
        hosts = seed(simulator, 3, number)
        by_hand = {name: hosts[name] for name in ("zone1", "zone2")}
        managed = {zone["zone"]: zone["variables"] for zone in read(simulator, by_hand)}
        folder = tmp_path / str(number)
        adopt(simulator, {"zone0": hosts["zone0"]}, folder, "2026-11-21", group=hosts)
        for name, host in hosts.items():
            own = {key.removeprefix(PREFIX): value for key, value in managed.get(name, {}).items()}
            result = direct.run("zone_observability", simulator, host["zone_id"], {**variables(folder, name), **own})
            assert not result["changed"], (number, name, result)
    assert simulator.writes() == []
