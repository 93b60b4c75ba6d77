# SPDX-License-Identifier: GPL-3.0-or-later

import json
import secrets
import typing as t
from pathlib import Path

from harness import Playbook

CHECK = "edgeops.observability.check"
AUTHORISED = {"owner": "payments@example.com", "justification": "card checkout", "authorised_by": "j.doe"}


def url(simulator: t.Any, zone: str) -> str:
    return f"{simulator.base_url.partition('/client')[0]}/__site__/{zone}/checkout"


def proposals(playbook: Playbook, simulator: t.Any, zone: str) -> list[dict[str, t.Any]]:
    audit = {"pages": [url(simulator, zone)], "baseline": []}
    result = playbook.run({"name": "Audit", "edgeops.observability.page_audit": audit}).named("Audit").result
    return [{**proposal, **AUTHORISED} for proposal in result["proposals"]]


def report_of(folder: Path) -> dict[str, t.Any]:
    report = json.loads((folder / "report.json").read_text())
    return {zone["zone"]: zone for zone in report["zones"]}


def test_check_audits_pages(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """Zones with pages are audited, whatever else they declare; a page that cannot be read is not green; an account has none."""
    zone, other = secrets.token_hex(16), secrets.token_hex(16)
    simulator.seed(zones=[zone, other])
    baseline = proposals(playbook, simulator, zone)
    evidence = tmp_path / "evidence"
    hosts = {
        "clean": {"zone_id": zone, "edgeops_pages": [url(simulator, zone)], "edgeops_page_baseline": baseline},
        "skimmed": {
            "zone_id": other,
            "edgeops_pages": [{"url": url(simulator, other)}],
            "edgeops_page_baseline": proposals(playbook, simulator, other),
        },
        "unread": {"zone_id": zone, "edgeops_pages": [url(simulator, zone) + "/none"], "log_delivery_job": {"enabled": "wrong"}},
        "account": {"account_id": simulator.account, "edgeops_pages": [url(simulator, zone)]},
        "plain": {"zone_id": zone},
    }
    simulator.settings(site_changes=[f"{other}:skimmer", f"{other}:header", f"{other}:frame", f"{other}:form"])
    variables = {
        "edgeops_report_dir": str(tmp_path / "report"),
        "edgeops_evidence_dir": str(evidence),
        "edgeops_fail_on": ["inline_new"],
    }
    run = playbook.run(playbook=CHECK, inventory=hosts, extra_vars=variables, fails=["ansible", "invalid_option"])
    zones = report_of(tmp_path / "report")
    assert {name: zone["status"] for name, zone in zones.items()} == {
        "account": "unaudited",
        "clean": "compliant",
        "plain": "unmanaged",
        "skimmed": "findings",
        "unread": "unaudited",
    }
    found = sorted(item["type"] for item in zones["skimmed"]["items"] if item["kind"] == "finding")
    assert found == ["form_new", "frame_new", "header_changed", "inline_new"]
    assert {item["resource"] for item in zones["skimmed"]["items"]} == {"pages"}
    assert "page_unread" in [item["type"] for item in zones["unread"]["items"]]
    assert zones["clean"]["evidence"]["pages"]["seq"] == 1 and "edgeops_pages" in zones["account"]["error"]["message"]
    assert not run.writes and {path.name for path in evidence.glob("*.jsonl")} == {f"{zone}.pages.jsonl", f"{other}.pages.jsonl"}
    assert all(entry["method"] == "GET" for entry in run.journal)
