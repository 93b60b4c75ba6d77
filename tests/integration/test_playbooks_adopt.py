# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import secrets
from pathlib import Path

from hand_made import CANARY, seed

from harness import Playbook

ADOPT = "edgeops.observability.adopt"
DELIVER = "edgeops.observability.deliver"
ZONES = 30


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_adopted_zones_are_delivered_without_a_write(playbook: Playbook, tmp_path: Path) -> None:
    """Random zones, adopted: a delivery with the files writes nothing, and adopting once more changes no byte."""
    hosts = seed(playbook.simulator, ZONES)
    folder = tmp_path / "inventory"
    adopt = {"playbook": ADOPT, "inventory": hosts, "extra_vars": {"adopt_dir": str(folder)}, "secrets": [CANARY], "timeout": 300}
    report = playbook.run(**adopt)
    assert report.returncode == 0
    assert not [entry for entry in report.journal if entry["method"] != "GET"]
    first = files(folder)
    assert len([name for name in first if name.startswith("host_vars/")]) == ZONES
    assert not any(CANARY.encode() in content for content in first.values())
    baseline = first["host_vars/zone0/adopted.yml"].decode()
    assert "script_baseline:" in baseline and '!unsafe "https://js.example.com/{{7}}.js"' in baseline
    assert playbook.run(**adopt).returncode == 0
    assert files(folder) == first

    listed = "\n".join(f"    {name}: {{zone_id: {host['zone_id']}}}" for name, host in hosts.items())
    (folder / "hosts.yml").write_text(f"all:\n  hosts:\n{listed}\n", encoding="utf-8")
    delivered = playbook.run(playbook=DELIVER, inventory=folder / "hosts.yml", secrets=[CANARY], timeout=300)
    assert not [entry for entry in delivered.journal if entry["method"] != "GET"]


def test_an_unreadable_zone_fails_by_name_and_the_others_are_written(playbook: Playbook, tmp_path: Path) -> None:
    hosts = {name: {"zone_id": secrets.token_hex(16)} for name in ("good", "bad")}
    playbook.simulator.seed(zones=[host["zone_id"] for host in hosts.values()])
    playbook.simulator.faults({"kind": "status", "status": 403, "method": "GET", "zone": hosts["bad"]["zone_id"], "count": 100})
    folder = tmp_path / "inventory"
    report = playbook.run(playbook=ADOPT, inventory=hosts, extra_vars={"adopt_dir": str(folder)}, fails={"permission", "ansible"})
    assert report.returncode != 0
    assert sorted(path.name for path in (folder / "host_vars").iterdir()) == ["good"]
    assert [outcome.host for outcome in report.outcomes if outcome.status == "failed" and outcome.module is None] == ["bad"]


def test_foreign_file_is_kept(playbook: Playbook, tmp_path: Path) -> None:
    """A file of someone else fails the run by its path, before any file is written."""
    playbook.simulator.seed(zones=["1"])
    foreign = tmp_path / "inventory" / "host_vars" / "shop.example" / "adopted.yml"
    foreign.parent.mkdir(parents=True)
    foreign.write_text("mine: true\n", encoding="utf-8")
    hosts = {"shop.example": {"zone_id": "1"}}
    adopt = {"playbook": ADOPT, "inventory": hosts}
    report = playbook.run(**adopt, extra_vars={"adopt_dir": str(tmp_path / "inventory")}, fails="conflict")
    assert report.returncode != 0 and str(foreign) in report.failure["msg"]
    assert files(tmp_path / "inventory") == {"host_vars/shop.example/adopted.yml": b"mine: true\n"}


def test_nothing_to_adopt(playbook: Playbook) -> None:
    report = playbook.run(playbook=ADOPT, inventory={"a": {"zone_id": "1"}}, fails="ansible")
    assert report.returncode != 0 and not report.journal
