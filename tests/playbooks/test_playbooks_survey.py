# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import secrets
import typing as t
from pathlib import Path

import pytest

from harness import Playbook

SURVEY = "edgeops.observability.survey"
DESTINATION = "s3://bucket/logs?region=eu-west-1"


def survey(playbook: Playbook, folder: Path, **variables: t.Any) -> tuple[t.Any, dict[str, t.Any]]:
    named = {f"edgeops_{name}": value for name, value in {"report_dir": str(folder), **variables}.items()}
    warns = ["script monitor of the zone is disabled"]
    report = playbook.run(playbook=SURVEY, inventory={}, extra_vars=named, warns=warns)
    return report, json.loads((folder / "report.json").read_text(encoding="utf-8"))


def test_survey_needs_no_inventory(playbook: Playbook, tmp_path: Path) -> None:
    """Every zone of the token is read and reported, with the command that comes next; nothing is written."""
    marker = tmp_path / "executed"
    planted = f"{{{{ lookup('ansible.builtin.pipe', 'touch {marker}') }}}}"
    zone = secrets.token_hex(16)
    job = {"id": 1, "name": planted, "dataset": "http_requests", "destination_conf": DESTINATION, "enabled": True}
    playbook.simulator.seed(zones=[zone], jobs={zone: [{**job, "error_message": planted, "last_error": "2026-11-01T00:00:00Z"}]})
    report, found = survey(playbook, tmp_path / "survey", audit_scripts=True)
    assert not report.writes and not marker.exists()
    row = next(row for row in found["zones"] if row["zone_id"] == zone)
    assert row["status"] == "findings" and "job_failing" in {item["type"] for item in row["items"]}
    (shown,) = [outcome.result["msg"] for outcome in report.outcomes if outcome.name == "Show the findings"]
    assert shown[-1].startswith("Next: ansible-playbook edgeops.observability.adopt")


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"edgeops_survey": {"name": ["a"]}}, "edgeops_survey.name: there is no such member (did you mean 'names'?)"),
        ({"edgeops_servey": {}}, "edgeops_servey: there is no such variable (did you mean 'edgeops_survey'?)"),
    ],
)
def test_unknown_names_are_refused(playbook: Playbook, variables: dict[str, t.Any], said: str) -> None:
    report = playbook.run(playbook=SURVEY, inventory={}, extra_vars=variables, fails="invalid_option")
    assert said in report.failure["msg"] and not report.journal
