# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import random
import secrets
import typing as t
from pathlib import Path

from harness import Playbook

ADOPT = "edgeops.observability.adopt"
DELIVER = "edgeops.observability.deliver"
CANARY = "planted-secret-55d0"
ZONES = 30
FIELDS = ("ClientIP", "RayID", "RequestHeaders", "ResponseHeaders", "Cookies")


def random_job(draw: random.Random, number: int) -> dict[str, t.Any]:
    """A job as someone may have made it by hand, in either form of its options."""
    names = draw.sample(FIELDS, draw.randint(1, 5))
    job: dict[str, t.Any] = {
        "id": number,
        "name": draw.choice(["logs", "errors", "", "{{ 7 * 7 }}"]),
        "dataset": "http_requests",
        "enabled": draw.random() < 0.7,
        "destination_conf": draw.choice(
            [
                "gs://logs/by-hand",
                f"s3://logs/{{DATE}}?region=x&access-key-id=AK&secret-access-key={CANARY}",
                f"https://user:{CANARY}@logs.example.com/in",
                f"sumo://endpoint.example.com/{CANARY}",
            ]
        ),
    }
    if draw.random() < 0.3:
        job["output_options"] = {"field_names": names, "timestamp_format": draw.choice(["rfc3339", "unix"])}
    else:
        job["logpull_options"] = f"fields={','.join(names)}" + draw.choice(["", "&timestamps=rfc3339", "&CVE-2021-44228=true"])
    if draw.random() < 0.3:
        job["filter"] = '{"where":{"and":[{"key":"ClientRequestPath","operator":"!contains","value":"{{ secret }}"}]}}'
    if draw.random() < 0.3:
        job["frequency"] = "low"
    return job


def random_rules(draw: random.Random) -> list[dict[str, t.Any]]:
    kinds = draw.sample(["request_fields", "response_fields", "cookie_fields"], draw.randint(1, 3))
    own = [
        {
            "id": secrets.token_hex(16),
            "ref": f"r{index}",
            "action": "log_custom_field",
            "expression": draw.choice(["true", "true", 'http.host eq "a"']),
            "enabled": draw.random() < 0.8,
            "action_parameters": {kind: [{"name": f"x-{kind[:3]}-{index}"}] for kind in kinds},
        }
        for index in range(draw.choice([0, 1, 1, 1, 2]))
    ]
    foreign = {
        "id": secrets.token_hex(16),
        "ref": "f",
        "action": "skip",
        "expression": "false",
        "action_parameters": {"ruleset": "current"},
    }
    return [*own, *([foreign] if draw.random() < 0.3 else [])]


def seed(simulator: t.Any) -> dict[str, dict[str, t.Any]]:
    draw = random.Random(17)
    hosts = {f"zone{number}": {"zone_id": secrets.token_hex(16)} for number in range(ZONES)}
    zones = [host["zone_id"] for host in hosts.values()]
    jobs = {
        zone: [random_job(draw, index * 10 + number + 1) for number in range(draw.randint(0, 4))]
        for index, zone in enumerate(zones)
    }
    rulesets = {
        zone: [
            {
                "id": secrets.token_hex(16),
                "kind": "zone",
                "phase": "http_log_custom_fields",
                "name": "n",
                "rules": random_rules(draw),
            }
        ]
        for zone in zones
        if draw.random() < 0.8
    }
    seen = {
        "script_id": "5c0a",
        "script_url": "https://js.example.com/{{7}}.js",
        "host": "shop.example.com",
        "hash": "ab" * 32,
        "status": "active",
    }
    simulator.seed(
        zones=zones, jobs=jobs, rulesets=rulesets, script_monitor={zones[0]: {"enabled": True}}, scripts={zones[0]: [seen]}
    )
    return hosts


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_adopted_zones_are_delivered_without_a_write(playbook: Playbook, tmp_path: Path) -> None:
    """Random zones, adopted: a delivery with the files writes nothing, and adopting once more changes no byte."""
    hosts = seed(playbook.simulator)
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


def test_nothing_to_adopt(playbook: Playbook) -> None:
    report = playbook.run(playbook=ADOPT, inventory={"a": {"zone_id": "1"}}, fails="ansible")
    assert report.returncode != 0 and not report.journal
