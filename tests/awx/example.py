# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of the example, and a function that runs its jobs as the controller would."""

import dataclasses
import json
import typing as t
from pathlib import Path

from awx.rules import answered, injected, launched
from awx.stub import Controller
from support import ansible_yaml

from harness import Playbook
from harness.outcome import Entry, Report

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "awx"
PROJECT = EXAMPLE / "project"
EMAIL = "operator@example.com"
# Does not occur elsewhere, because outputs are searched for it.
TOKEN = "planted-token-20b6d4f1aa"
KEY = "planted-key-93ce07b5d8"
ACTIVE = ["blog.example", "shop.example"]
DELIVER, SELECTED, CHECK, MERGE = "Deliver logs", "Deliver logs to selected zones", "Check log delivery", "Merge audit reports"

# The variables of infra.aap_configuration in the order of its dispatch role, and the module for each.
VARIABLES = {
    "aap_teams": "team",
    "controller_credential_types": "credential_type",
    "controller_credentials": "credential",
    "controller_notifications": "notification_template",
    "controller_execution_environments": "execution_environment",
    "controller_projects": "project",
    "controller_inventories": "inventory",
    "controller_inventory_sources": "inventory_source",
    "controller_templates": "job_template",
    "controller_workflows": "workflow_job_template",
    "controller_schedules": "schedule",
    "controller_roles": "role",
}


def load(name: str) -> t.Any:
    return ansible_yaml.load((EXAMPLE / name).read_text(encoding="utf-8"))


@dataclasses.dataclass(frozen=True)
class Configured:
    """A controller after runs of configure.yml, with the output of each process and the writes of each run.

    The last of three runs has only one object of each kind.
    """

    controller: Controller
    outputs: list[str]
    writes: list[list[Entry]]


# The bucket of the example needs a proof of ownership; another template requests the challenge.
UNPROVEN = ["ownership_challenge: is omitted"]


def launch(
    playbook: Playbook,
    controller: Controller,
    template: str,
    *,
    answers: t.Mapping[str, str] | None = None,
    inputs: t.Mapping[str, t.Mapping[str, str]] | None = None,
    limit: str = "",
    zones: str = "all",
    number: int = 1,
    extra_vars: t.Mapping[str, t.Any] | None = None,
    **run: t.Any,
) -> Report:
    """Run one job of a template: with survey answers, artifacts of earlier jobs, and the environment of its credentials.

    `inputs` replace inputs of credentials, by the name of the credential. `zones` are those of a slice.
    """
    job = controller.named("job_templates", template)
    launched(job, limit)
    (source,) = controller.objects["inventory_sources"].values()
    environment: dict[str, str] = {}
    for credential_id in [source["credential"], *job["credentials"]]:
        credential = controller.find("credentials", credential_id)
        kind = controller.find("credential_types", credential["credential_type"])
        environment |= injected(kind, {**(inputs or {}).get(credential["name"], credential["inputs"])})
    return playbook.run(
        playbook=PROJECT / job["playbook"],
        inventory=PROJECT / source["source_path"],
        check=job["job_type"] == "check",
        diff=job["diff_mode"],
        forks=job["forks"],
        # On a controller, each job has its own /tmp.
        extra_vars={
            **json.loads(job["extra_vars"] or "{}"),
            **answered(job["survey_spec"], dict(answers or {})),
            **(extra_vars or {}),
            "edgeops_report_dir": str(playbook.folder / f"job{number}"),
            "awx_job_id": number,
        },
        env=environment,
        arguments=("--limit", f"{limit or zones},localhost"),
        **run,
    )


def artifacts(report: Report) -> dict[str, t.Any]:
    """Return the artifacts of a job."""
    kept: dict[str, t.Any] = {}
    for outcome in report.outcomes:
        kept |= outcome.result.get("ansible_stats", {}).get("data", {})
    return kept
