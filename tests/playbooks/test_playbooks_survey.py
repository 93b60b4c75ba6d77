# SPDX-License-Identifier: GPL-3.0-or-later

import json
import time
import typing as t
from pathlib import Path

from support.zone_runs import shown_lines

from harness import Playbook

SURVEY = "edgeops.observability.survey"
ACCOUNT = "acc0" * 8
IDS = {name: f"{number:032x}" for number, name in enumerate(("disabled", "failing", "none", "personal", "sealed", "usual"), 1)}
USUAL = "s3://logs/{DATE}?region=eu-west-1"
RECENT = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 600))


def job(number: int, **members: t.Any) -> dict[str, t.Any]:
    return {"id": number, "name": "edge", "destination_conf": USUAL, "enabled": True, "last_complete": RECENT, **members}


JOBS = {
    "disabled": job(1, enabled=False, error_message="access denied"),
    "failing": job(2, last_error=RECENT, last_complete=None, error_message="no such bucket"),
    "personal": job(3, destination_conf="https://elsewhere.example/in", output_options={"field_names": ["ClientIP", "RayID"]}),
    "usual": job(4),
}


def seed(simulator: t.Any) -> None:
    account = {"id": ACCOUNT, "name": "Example"}
    zones = [{"id": identifier, "name": f"{name}.example", "account": account} for name, identifier in IDS.items()]
    lost = {"datetime": RECENT, "job_id": 4, "status": 403, "success": 0, "final": 1, "records": 7, "bytes": 70}
    simulator.seed(
        accounts=[account],
        zones=zones,
        jobs={**{IDS[name]: [of_zone] for name, of_zone in JOBS.items()}, ACCOUNT: [job(9, name="audit", dataset="audit_logs")]},
        uploads={IDS["usual"]: [lost]},
        faults=[{"kind": "status", "status": 403, "path": f"*/zones/{IDS['sealed']}/*", "count": None}],
    )


def survey(playbook: Playbook, folder: Path, *, fails: str | None = None, check: bool = False, **variables: t.Any) -> t.Any:
    """Return the results of Ansible, and the report of the survey."""
    extra = {"edgeops_report_dir": str(folder), **variables}
    report = playbook.run(playbook=SURVEY, inventory={}, fails=fails, check=check, extra_vars=extra)
    assert {entry["method"] for entry in report.journal if entry["path"] != "/graphql"} <= {"GET"}
    return report, json.loads((folder / "report.json").read_text())


def test_survey_of_a_fleet(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """With a token alone, every zone has its status, findings and notes, and nothing is written.

    A second survey with filters is compared with the first; accounts that cannot be listed are a note. What is required of declared zones is
    not asked of these.
    """
    simulator.reset()
    seed(simulator)
    report, made = survey(playbook, tmp_path, fails="ansible", check=True, edgeops_required_fields={"http_requests": ["RayID"]})
    assert made["title"] == "Survey"
    rows = {zone["zone"]: (zone["status"], {item["type"] for item in zone["items"]}) for zone in made["zones"]}
    zones = {name.removesuffix(".example"): rows[name] for name in rows if name.endswith(".example")}
    common = {"monitor_off"}
    assert zones["disabled"] == ("findings", {"job_disabled_by_service", "no_job", *common})
    assert zones["failing"][0] == "findings" and "job_failing" in zones["failing"][1]
    assert zones["none"] == ("unmanaged", {"no_job", *common})
    assert zones["personal"] == ("unmanaged", {"no_upload", *common})
    assert zones["sealed"][0] == "unaudited" and zones["sealed"][1] == {"not_readable"}
    assert zones["usual"] == ("findings", {"records_dropped", *common})
    assert rows[f"account_{ACCOUNT}"][0] == "unmanaged"
    lines = shown_lines(report)
    assert lines[-2].endswith("/report.html") and "edgeops.observability.adopt" in lines[-1]
    # An ordinary module cannot show its progress.
    assert ("Survey: 9 of 9 zones and accounts read" in report.stdout) is (playbook.in_process is not False)
    # One query for ten zones, and one for the account.
    assert sum(entry["path"] == "/graphql" for entry in report.journal) == 2

    simulator.faults({"kind": "status", "status": 403, "path": "*/accounts", "count": None})
    narrow = json.dumps({"names": ["None.example"], "account_ids": [ACCOUNT]})
    report, again = survey(playbook, tmp_path, edgeops_survey=narrow, edgeops_audit_scripts=True)
    account, zone = sorted((zone for zone in again["zones"] if not zone["carried"]), key=lambda zone: zone["scope"])
    assert [item["type"] for item in account["items"]][:1] == ["not_readable"] and len(account["jobs"]) == 1
    assert zone["zone"] == "none.example" and again["comparison"]["previous_id"] == made["report_id"]
    assert report.returncode == 0


def test_survey_fails_without_logs_permission(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """Without Logs Write all Logpush routes are refused: the survey shows first what the token lacks, fails for this reason, and shows the rest."""
    simulator.reset()
    seed(simulator)
    simulator.clear_faults()
    simulator.faults({"kind": "status", "status": 403, "path": "*/logpush/*", "count": None})
    narrow = json.dumps({"names": [f"{name}.example" for name in IDS], "account_ids": [ACCOUNT]})
    report, made = survey(playbook, tmp_path, fails="ansible", edgeops_survey=narrow, edgeops_verify_token=True)
    names = [outcome.name for outcome in report.outcomes]
    assert names.index("Show what the token lacks") < names.index("Read all zones and accounts")
    assert any("Zone > Logs > Edit" in line for line in report.named("Show what the token lacks").result["lines"])
    assert (made["outcome"], made["counts"]["zones"], made["counts"]["accounts"]) == ("unaudited", 6, 1)
    assert made["counts"]["statuses"]["unaudited"] == 7
    verdict = "6 zones and 1 account could not be audited (without the permission Logs Write)."
    assert verdict in shown_lines(report) and "No zone or account needs attention" not in report.stdout
    assert {item["type"] for zone in made["zones"] for item in zone["items"]} == {"monitor_off"}
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<title>Survey: 6 zones and 1 account could not be audited" in page
