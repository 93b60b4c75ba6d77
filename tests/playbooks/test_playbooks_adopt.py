# SPDX-License-Identifier: GPL-3.0-or-later

import re
import secrets
from pathlib import Path

from hand_made import CANARY, seed

from harness import Playbook

ADOPT = "edgeops.observability.adopt"
DELIVER = "edgeops.observability.deliver"
# With this seed, seven zones have every type of job, rule and text; tests/properties adopts more zones without playbooks.
ZONES, SEED = 7, 5


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_adopted_zones_deliver_without_a_write(playbook: Playbook, tmp_path: Path) -> None:
    """Random zones are adopted; a second adoption writes the same bytes, and a delivery with the files writes nothing.

    What the hosts set for their audits of scripts does not count: no evidence, and no finding that fails a zone.
    """
    hosts = seed(playbook.simulator, ZONES, SEED)
    folder = tmp_path / "inventory"
    unknown = ["has directives that this collection does not know", "destination_address does not show secret parts"]
    adopt = {
        "playbook": ADOPT,
        "inventory": hosts,
        "extra_vars": {
            "edgeops_adopt_dir": str(folder),
            "edgeops_evidence_dir": str(tmp_path / "evidence"),
            "edgeops_script_fail_on": ["new"],
        },
        "secrets": [CANARY],
        "timeout": 300,
        "warns": unknown,
    }
    report = playbook.run(**adopt)
    assert report.returncode == 0
    assert not any(outcome.result.get("changed") for outcome in report.outcomes)
    assert not [entry for entry in report.journal if entry["method"] != "GET"]
    (lines,) = [outcome.result["msg"] for outcome in report.outcomes if "Next: " in str(outcome.result.get("msg"))]
    assert re.fullmatch(rf"Next: ansible-playbook \S+deliver -i \S+ -i {re.escape(str(folder))} --check --diff", lines[-1])
    first = files(folder)
    assert not (tmp_path / "evidence").exists()
    assert len([name for name in first if name.startswith("host_vars/")]) == ZONES
    assert not any(CANARY.encode() in content for content in first.values())
    baseline = first["host_vars/zone0/adopted.yml"].decode()
    assert "edgeops_script_baseline:" in baseline and '!unsafe "https://js.example.com/{{7}}.js"' in baseline
    (folder / "host_vars" / "zone0" / "adopted.yml").write_text("mine: true\n", encoding="utf-8")
    adopt["extra_vars"] |= {"edgeops_adopt_overwrite": True}
    assert playbook.run(**adopt).returncode == 0
    assert files(folder) == first

    listed = "\n".join(f"    {name}: {{zone_id: {host['zone_id']}}}" for name, host in hosts.items())
    (folder / "hosts.yml").write_text(f"all:\n  hosts:\n{listed}\n", encoding="utf-8")
    delivered = playbook.run(playbook=DELIVER, inventory=folder / "hosts.yml", secrets=[CANARY], timeout=300, warns=unknown)
    assert not [entry for entry in delivered.journal if entry["method"] != "GET"]


def test_failing_zones_are_reported(playbook: Playbook, tmp_path: Path) -> None:
    """An unreadable zone gets no file, and a zone that its files would change keeps the old ones; both fail, all others are adopted.

    So does a zone whose files cannot be loaded, because another one beside them is broken, although nothing would change without them.
    """
    names = ("good", "bad", "moved", "one", "unseen", "odd/name", "gone", "broken")
    hosts = {name: {"zone_id": secrets.token_hex(16)} for name in names}
    zones = {name: host["zone_id"] for name, host in hosts.items()}
    monitors = {zones["unseen"]: {"enabled": True}}
    playbook.simulator.seed(zones=[zone for name, zone in zones.items() if name != "gone"], script_monitor=monitors)
    hosts["other"] = {"zone_id": zones["one"]}
    bad, moved, unseen = (zones[name] for name in ("bad", "moved", "unseen"))
    playbook.simulator.faults(
        {"kind": "status", "status": 403, "method": "GET", "zone": bad, "count": None},
        {"kind": "status", "status": 403, "method": "GET", "zone": unseen, "path": "*/scripts", "count": None},
        # Changes the answer between the adoption and the check that its files are compliant.
        {"kind": "rewrite", "set": {"enabled": True}, "zone": moved, "path": "*/script_monitor", "index": 1, "count": None},
    )
    folder = tmp_path / "inventory"
    (folder / "host_vars" / "broken").mkdir(parents=True)
    (folder / "host_vars" / "broken" / "mine.yml").write_text("mine: {", encoding="utf-8")
    variables = {"edgeops_adopt_dir": "~/inventory", "edgeops_adopt_group": "edge"}
    kinds = {"permission", "ansible", "invalid_option", "not_found"}
    report = playbook.run(playbook=ADOPT, inventory=hosts, extra_vars=variables, fails=kinds, env={"HOME": str(tmp_path)})
    assert report.returncode != 0 and not report.writes
    assert sorted(files(folder)) == [
        "ADOPTED.md",
        "host_vars/broken/adopted.yml",
        "host_vars/broken/mine.yml",
        "host_vars/good/adopted.yml",
        "host_vars/moved/adopted.yml",
        "vault-example.txt",
    ]
    failed = [outcome for outcome in report.outcomes if outcome.status == "failed" and outcome.module is None]
    unread, shared = "the zone could not be read", "no file was written, because one zone has several hosts"
    said = {outcome.host: outcome.result["msg"].partition(":") for outcome in failed}
    assert {host: words[0] for host, words in said.items()} == {
        "bad": unread,
        "gone": unread,
        "odd/name": unread,
        "unseen": unread,
        "one": shared,
        "other": shared,
        "broken": "the zone could not be verified",
        "moved": "with these files a delivery would change the zone; move what it names out of the file",
    }
    assert said["one"][2] == said["other"][2] == " one, other"
    assert said["broken"][2].startswith(" its files could not be loaded: ")
    assert "/scripts" in said["unseen"][2] and "cannot be the name of a folder" in said["odd/name"][2]


def test_adoption_in_check_mode(playbook: Playbook, tmp_path: Path) -> None:
    """Even with a limit without localhost, the run reports which files it would write, and writes none.

    No task is skipped for hosts outside of the target, and nothing is predicted.
    """
    playbook.simulator.seed(zones=["1", "2", "3"])
    zones = {f"{name}.example": {"zone_id": number} for number, name in zip("123", ("shop", "blog", "news"), strict=True)}
    report = playbook.run(
        playbook=ADOPT,
        inventory={**zones, "bastion": {}, "proxy": {}},
        extra_vars={"edgeops_adopt_dir": str(tmp_path / "inventory"), "edgeops_target": "shop.example:blog.example"},
        check=True,
        verbosity=0,
        arguments=("--limit", "shop.example:news.example:bastion:proxy"),
    )
    (written,) = [outcome.result for outcome in report.ours if outcome.name == "Write the variables"]
    assert report.returncode == 0 and written["files"] and not (tmp_path / "inventory").exists()
    assert written["lines"] == ["1 zone would be adopted, 0 settings left out; in check mode no file is written"]
    assert {outcome.host for outcome in report.ours} == set(re.findall(r"skipping: \[(.*)\]", report.stdout)) == {"shop.example"}
    assert "zone_observability" not in {outcome.module for outcome in report.ours} and not report.writes
    assert report.stdout.rfind("TASK [Show the outcome]") == report.stdout.rfind("TASK [")
