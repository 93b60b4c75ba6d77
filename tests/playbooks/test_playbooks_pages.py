# SPDX-License-Identifier: GPL-3.0-or-later

import json
import secrets
import typing as t
from pathlib import Path

from harness import Modules, Playbook, Plays, Scenario

CHECK = "edgeops.observability.check"
AUTHORISED = {"owner": "payments@example.com", "justification": "card checkout", "authorised_by": "j.doe"}


def url(simulator: t.Any, zone: str) -> str:
    return f"{simulator.base_url.partition('/client')[0]}/__site__/{zone}/checkout"


def proposals(simulator: t.Any, zone: str, folder: Path) -> list[dict[str, t.Any]]:
    audit = {"pages": [{"url": url(simulator, zone)}], "baseline": []}
    result = Modules(simulator, zone, folder / zone).run({"name": "Audit", "edgeops.observability.page_audit": audit}).result
    return [{**proposal, **AUTHORISED} for proposal in result["proposals"]]


def report_of(folder: Path) -> dict[str, t.Any]:
    report = json.loads((folder / "report.json").read_text())
    return {zone["zone"]: zone for zone in report["zones"]}


def test_check_audits_pages(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """Zones with pages are audited, whatever else they declare; a page that cannot be read is not green; an account has none.

    A waiver of the resource `pages` accepts one kind of finding until its date, and no other one.
    """
    changes = {
        "clean": (),
        "skimmed": ("skimmer", "header", "frame", "form"),
        "waived": ("frame",),
        "waived too": ("frame", "skimmer"),
    }
    zones = {name: secrets.token_hex(16) for name in (*changes, "unread")}
    simulator.seed(zones=[*zones.values()])
    evidence = tmp_path / "evidence"
    hosts: dict[str, dict[str, t.Any]] = {
        name: {
            "zone_id": zones[name],
            "edgeops_pages": [{"url": url(simulator, zones[name])}],
            "edgeops_page_baseline": proposals(simulator, zones[name], tmp_path),
        }
        for name in changes
    }
    hosts["clean"]["edgeops_pages"] = [url(simulator, zones["clean"])]
    hosts |= {
        "unread": {
            "zone_id": zones["unread"],
            "edgeops_pages": [url(simulator, zones["unread"]) + "/none"],
            "log_delivery_job": {"enabled": "wrong"},
        },
        "account": {"account_id": simulator.account, "edgeops_pages": [url(simulator, zones["clean"])]},
        "plain": {"zone_id": zones["clean"]},
    }
    simulator.settings(site_changes=[f"{zones[name]}:{change}" for name, changed in changes.items() for change in changed])
    waiver = {
        "zone": "waived*",
        "resource": "pages",
        "reason": "a new provider",
        "owner": "payments@example.com",
        "until": "2999-12-31",
    }
    variables = {
        "edgeops_report_dir": str(tmp_path / "report"),
        "edgeops_evidence_dir": str(evidence),
        "edgeops_waivers": [{**waiver, "type": "frame_new", "subject": "*https://evil.example/*"}],
        "edgeops_fail_on": ["findings", "inline_new"],
    }
    run = playbook.run(playbook=CHECK, inventory=hosts, extra_vars=variables, fails=["ansible", "invalid_option"])
    rows = report_of(tmp_path / "report")
    assert {name: row["status"] for name, row in rows.items()} == {
        "account": "unaudited",
        "clean": "compliant",
        "plain": "unmanaged",
        "skimmed": "findings",
        "unread": "unaudited",
        "waived": "compliant",
        "waived too": "findings",
    }
    failed = {outcome.host for outcome in run.failures if outcome.status == "failed"}
    assert failed == {"account", "skimmed", "unread", "waived too"}
    item_types = sorted(item["type"] for item in rows["skimmed"]["items"] if item["kind"] == "finding")
    assert item_types == ["form_new", "frame_new", "header_changed", "inline_new"]
    assert {item["resource"] for item in rows["skimmed"]["items"]} == {"pages"}
    assert [(item["type"], item["waived"]) for item in rows["waived"]["items"]] == [("frame_new", True)]
    found = sorted((item["type"], item["waived"]) for item in rows["waived too"]["items"])
    assert found == [("frame_new", True), ("inline_new", False)]
    assert "guide_payment_pages.html" in (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "page_unread" in [item["type"] for item in rows["unread"]["items"]]
    assert rows["clean"]["evidence"]["pages"]["seq"] == 1 and "edgeops_pages" in rows["account"]["error"]["message"]
    assert {path.name for path in evidence.glob("*.jsonl")} == {f"{zone}.pages.jsonl" for zone in zones.values()}
    assert not run.writes and all(entry["method"] == "GET" for entry in run.journal)


def without_pages(zone: str) -> Scenario:
    """Nothing needs the library."""
    report = yield Plays([{"import_playbook": CHECK, "vars": {"edgeops_target": "plain"}}], {"plain": {"zone_id": zone}})
    assert report.returncode == 0


def with_pages(simulator: t.Any, zone: str) -> Scenario:
    hosts = {"shop": {"zone_id": zone, "edgeops_pages": [url(simulator, zone)]}}
    report = yield Plays([{"import_playbook": CHECK}], hosts, fails="invalid_option")
    (failed,) = report.failures
    assert "edgeops_pages: to read pages, the Python library justhtml is required" in failed.result["msg"]
    assert not report.journal


def test_missing_parser_is_named_before_a_zone_is_read(playbook: Playbook, simulator: t.Any, zone: str, tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "justhtml.py").write_text("raise ImportError(\"No module named 'justhtml'\")\n", encoding="utf-8")
    scenarios = {"without pages": without_pages(zone), "with pages": with_pages(simulator, zone)}
    playbook.run_scenarios(scenarios, env={"PYTHONPATH": str(library)})


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
