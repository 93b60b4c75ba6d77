# SPDX-License-Identifier: GPL-3.0-or-later

"""The project of the example with ansible-navigator, whose settings it brings; without the image, which a test cannot have."""

from __future__ import annotations

import shutil
import typing as t
from pathlib import Path

from awx.example import ACTIVE, PROJECT

from harness.process import Place, execute


def test_navigator_audits_the_zones(simulator: t.Any, zones: dict[str, str], tmp_path: Path) -> None:
    """The inventory of the settings is read, and the playbook reaches its end."""
    project = tmp_path / "project"
    shutil.copytree(PROJECT, project)
    report = tmp_path / "report"
    command = ["ansible-navigator", "run", "check.yml", "--execution-environment", "false", "-e", f"edgeops_report_dir={report}"]
    environment = {**Place(tmp_path / "place").environment(), **simulator.environment(), "TERM": "xterm"}
    code, output, errors = execute(command, environment, project, timeout=300)
    assert code == 0, output + errors
    assert f"{len(ACTIVE)} zones: 0 unaudited, {len(ACTIVE)} drifted" in output
    assert (report / "report.html").exists() and not simulator.writes()
