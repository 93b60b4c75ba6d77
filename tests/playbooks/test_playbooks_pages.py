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
    zone, other, third = (secrets.token_hex(16) for _ in range(3))
    simulator.seed(zones=[zone, other, third])
    baseline = proposals(playbook, simulator, zone)
    evidence = tmp_path / "evidence"
    hosts = {
        "clean": {"zone_id": zone, "edgeops_pages": [url(simulator, zone)], "edgeops_page_baseline": baseline},
        "skimmed": {
            "zone_id": other,
            "edgeops_pages": [{"url": url(simulator, other)}],
            "edgeops_page_baseline": proposals(playbook, simulator, other),
        },
        "unread": {
            "zone_id": third,
            "edgeops_pages": [url(simulator, third) + "/none"],
            "log_delivery_job": {"enabled": "wrong"},
        },
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
    item_types = sorted(item["type"] for item in zones["skimmed"]["items"] if item["kind"] == "finding")
    assert item_types == ["form_new", "frame_new", "header_changed", "inline_new"]
    assert {item["resource"] for item in zones["skimmed"]["items"]} == {"pages"}
    assert "page_unread" in [item["type"] for item in zones["unread"]["items"]]
    assert zones["clean"]["evidence"]["pages"]["seq"] == 1 and "edgeops_pages" in zones["account"]["error"]["message"]
    assert not run.writes and {path.name for path in evidence.glob("*.jsonl")} == {
        f"{zone_id}.pages.jsonl" for zone_id in (zone, other, third)
    }
    assert all(entry["method"] == "GET" for entry in run.journal)


def test_finding_of_a_page_can_be_waived(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """A waiver of the resource `pages` accepts one kind of finding until its date, and no other one."""
    zone = secrets.token_hex(16)
    simulator.seed(zones=[zone])
    waiver = {
        "zone": "shop",
        "resource": "pages",
        "reason": "a new provider",
        "owner": "payments@example.com",
        "until": "2999-12-31",
    }
    variables: dict[str, t.Any] = {
        "edgeops_pages": [url(simulator, zone)],
        "edgeops_page_baseline": proposals(playbook, simulator, zone),
        "edgeops_waivers": [{**waiver, "type": "frame_new", "subject": "*https://evil.example/*"}],
        "edgeops_report_dir": str(tmp_path / "report"),
        "edgeops_fail_on": ["findings"],
    }
    hosts = {"shop": {"zone_id": zone}}
    simulator.settings(site_changes=[f"{zone}:frame"])
    playbook.run(playbook=CHECK, inventory=hosts, extra_vars=variables)
    shop = report_of(tmp_path / "report")["shop"]
    assert [(item["type"], item["waived"]) for item in shop["items"]] == [("frame_new", True)]
    assert shop["status"] == "compliant"
    simulator.settings(site_changes=[f"{zone}:frame", f"{zone}:skimmer"])
    playbook.run(playbook=CHECK, inventory=hosts, extra_vars=variables, fails=["ansible"])
    shop = report_of(tmp_path / "report")["shop"]
    assert sorted((item["type"], item["waived"]) for item in shop["items"]) == [("frame_new", True), ("inline_new", False)]
    assert "guide_payment_pages.html" in (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert shop["status"] == "findings"


def test_missing_parser_is_named_before_a_zone_is_read(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    zone = secrets.token_hex(16)
    simulator.seed(zones=[zone])
    library = tmp_path / "library"
    library.mkdir()
    (library / "justhtml.py").write_text("raise ImportError(\"No module named 'justhtml'\")\n", encoding="utf-8")
    hosts = {"shop": {"zone_id": zone, "edgeops_pages": [url(simulator, zone)]}, "plain": {"zone_id": zone}}
    run = playbook.run(playbook=CHECK, inventory=hosts, env={"PYTHONPATH": str(library)}, fails=["invalid_option"])
    (failed,) = run.failures
    assert "edgeops_pages: to read pages, the Python library justhtml is required" in failed.result["msg"]
    assert not run.journal
    # Without pages, nothing needs the library.
    playbook.run(playbook=CHECK, inventory={"plain": {"zone_id": zone}}, env={"PYTHONPATH": str(library)})


def test_adoption_with_a_page_that_cannot_be_read(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """Its zone is adopted without an entry for it, which is said with the reason; the other zones have the entries for their pages."""
    zones = dict(zip(("sound", "unread", "plain"), (secrets.token_hex(16) for _ in range(3)), strict=True))
    simulator.seed(zones=[*zones.values()])
    hosts: dict[str, dict[str, t.Any]] = {name: {"zone_id": zone} for name, zone in zones.items()}
    hosts["sound"]["edgeops_pages"] = [url(simulator, zones["sound"])]
    hosts["unread"]["edgeops_pages"] = [url(simulator, zones["unread"]) + "/none"]
    folder = tmp_path / "adopted"
    run = playbook.run(playbook="edgeops.observability.adopt", inventory=hosts, extra_vars={"edgeops_adopt_dir": str(folder)})
    texts = {name: (folder / "host_vars" / name / "adopted.yml").read_text() for name in zones}
    assert [name for name, text in texts.items() if "edgeops_page_baseline" in text] == ["sound"]
    summary = (folder / "ADOPTED.md").read_text()
    assert "/checkout/none: the page could not be read: its status is 404" in summary
    (lines,) = [outcome.result["msg"] for outcome in run.outcomes if outcome.name == "Show the outcome"]
    assert lines[0].startswith("3 zones adopted, ") and not run.writes
    assert sorted(outcome.host for outcome in run.outcomes if outcome.module == "page_audit") == ["sound", "unread"]
