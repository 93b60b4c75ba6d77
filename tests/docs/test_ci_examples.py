# SPDX-License-Identifier: GPL-3.0-or-later

"""The examples for GitLab CI and GitHub Actions: their commands run, and create the files that the jobs save."""

import json
import re
import subprocess
import typing as t
import xml.etree.ElementTree as ET

import pytest
import yaml
from blocks import ROOT, ZONE

from harness.process import Place

CI = ROOT / "examples" / "ci"
GROUP_VARS = "log_delivery_script_monitor_enabled: true\nlog_delivery_custom_fields: {cookie_fields: [Cart]}\n"


class Job(t.NamedTuple):
    """The relevant parts of a job in either system."""

    commands: list[str]
    restored: str
    saved: str
    kept: list[str]
    junit: str


def gitlab() -> Job:
    job = yaml.safe_load((CI / "gitlab-ci.yml").read_text(encoding="utf-8"))["check log delivery"]
    (previous,) = job["cache"]["paths"]
    assert (job["cache"]["when"], job["artifacts"]["when"]) == ("always", "always")
    return Job(job["script"], previous, previous, job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"])


def steps() -> list[dict[str, t.Any]]:
    workflow = yaml.safe_load((CI / "github-actions.yml").read_text(encoding="utf-8"))
    job_steps: list[dict[str, t.Any]] = workflow["jobs"]["check"]["steps"]
    return job_steps


def github() -> Job:
    using = {step["uses"].split("@")[0]: step for step in steps() if "uses" in step}
    commands = [step["run"] for step in steps() if "run" in step and "pip" not in step["run"]]
    after = ("actions/cache/save", "actions/upload-artifact", "mikepenz/action-junit-report")
    assert all(using[name]["if"].startswith("always()") for name in after)
    restore, save, upload, junit = (using[name]["with"] for name in ("actions/cache/restore", *after))
    assert save["key"] == restore["key"] and save["key"].startswith(restore["restore-keys"])
    return Job(commands, restore["path"], save["path"], [upload["path"]], junit["report_paths"])


@pytest.mark.parametrize("read", [gitlab, github])
def test_drift_fails_the_job_and_saves_files(read, simulator, tmp_path_factory):
    """The job runs in a project with two zones, one of which has drifted."""
    job, project = read(), tmp_path_factory.mktemp("project")
    simulator.seed(zones=[{"id": ZONE, "name": "shop.example", "status": "active"}])
    (project / "group_vars").mkdir()
    (project / "group_vars" / "all.yml").write_text(GROUP_VARS, encoding="utf-8")
    (project / "fleet.zones.yml").write_text("plugin: edgeops.observability.zones\n", encoding="utf-8")
    place = Place(tmp_path_factory.mktemp("place"))
    environment = {
        **place.environment(forks=1),
        **simulator.environment(),
        "GITHUB_STEP_SUMMARY": str(project / "summary"),
    }

    codes = [
        subprocess.run(["bash", "-ec", command], cwd=project, env=environment, check=False).returncode for command in job.commands
    ]
    assert codes[0] == 2 and not any(codes[1:])
    # The report that one run saves is restored in the next run, for its comparison.
    assert job.restored == job.saved
    made = json.loads((project / job.saved).read_text(encoding="utf-8"))
    assert made["counts"]["differences"] == 2 and made["comparison"]["previous_id"] is None
    assert all((project / name).exists() for name in (job.junit, *job.kept))
    assert ET.parse(project / job.junit).getroot().get("failures") == "2"  # noqa: S314  # made by the code under test
    assert read is gitlab or "shop.example" in (project / "summary").read_text(encoding="utf-8")


def test_files_contain_no_secret():
    text = (CI / "gitlab-ci.yml").read_text(encoding="utf-8")
    assert not re.search(r"^\s*(- )?(export )?CLOUDFLARE_\w+\s*[:=]", text, re.MULTILINE)
    values = {name: value for step in steps() for name, value in step.get("env", {}).items()}
    assert values == {"CLOUDFLARE_API_TOKEN": "${{ secrets.CLOUDFLARE_API_TOKEN }}"}


def test_actions_are_pinned():
    used = [step["uses"] for step in steps() if "uses" in step]
    assert used and all(re.fullmatch(r"[\w-]+/[\w/-]+@(v\d+(\.\d+)*|[0-9a-f]{40})", name) for name in used)
