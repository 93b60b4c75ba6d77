# SPDX-License-Identifier: GPL-3.0-or-later

"""Jobs of the example as the controller would run them, and what they leave."""

from __future__ import annotations

import json
import typing as t

from awx.example import PROJECT
from awx.rules import answered, injected
from awx.stub import Controller

from harness import Playbook
from harness.outcome import Report

ACTIVE = ["blog.example", "shop.example"]
DELIVER, CHECK, MERGE = "Deliver logs", "Check log delivery", "Merge audit reports"


def launch(
    playbook: Playbook,
    controller: Controller,
    template: str,
    *,
    answers: t.Mapping[str, str] | None = None,
    inputs: t.Mapping[str, t.Mapping[str, str]] | None = None,
    limit: str = "all",
    number: int = 1,
    given: t.Mapping[str, t.Any] | None = None,
    **run: t.Any,
) -> Report:
    """One job of a template: the answers of its survey, the artifacts of jobs before it, and the environment of its credentials.

    `inputs` of a credential, by its name, take the place of those that it has.
    """
    job = controller.named("job_templates", template)
    (source,) = controller.objects["inventory_sources"].values()
    environment: dict[str, str] = {}
    for each in [source["credential"], *job["credentials"]]:
        credential = controller.find("credentials", each)
        kind = controller.find("credential_types", credential["credential_type"])
        environment |= injected(kind, {**(inputs or {}).get(credential["name"], credential["inputs"])})
    return playbook.run(
        playbook=PROJECT / job["playbook"],
        inventory=PROJECT / source["source_path"],
        check=job["job_type"] == "check",
        diff=job["diff_mode"],
        forks=job["forks"],
        # A job of the controller has its own /tmp.
        extra_vars={
            **json.loads(job["extra_vars"] or "{}"),
            **answered(job["survey_spec"], dict(answers or {})),
            **(given or {}),
            "edgeops_report_dir": str(playbook.folder / f"job{number}"),
            "awx_job_id": number,
        },
        env=environment,
        arguments=("--limit", f"{limit},localhost"),
        **run,
    )


def artifacts(report: Report) -> dict[str, t.Any]:
    """What a job keeps as data."""
    kept: dict[str, t.Any] = {}
    for outcome in report.outcomes:
        kept |= outcome.result.get("ansible_stats", {}).get("data", {})
    return kept
