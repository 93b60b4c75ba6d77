# SPDX-License-Identifier: GPL-3.0-or-later

"""The policy of the example, evaluated as a controller would: which jobs it lets run."""

from __future__ import annotations

import json
import typing as t

import pytest
import regopy
from awx.example import EXAMPLE

WORKFLOW = {"name": "Deliver logs after approval"}
PLAN = {"edgeops_plan_id": f"sha256:{'0f' * 32}"}


def decide(job: dict[str, t.Any]) -> dict[str, t.Any]:
    engine = regopy.Interpreter()
    engine.add_module("deliver", (EXAMPLE / "policy" / "deliver.rego").read_text(encoding="utf-8"))
    engine.set_input({"playbook": "deliver.yml", "job_type": "run", "extra_vars": {}, **job})
    (answer,) = json.loads(str(engine.query("data.edgeops.deliver")))["expressions"]
    return t.cast("dict[str, t.Any]", answer)


@pytest.mark.parametrize(
    ("job", "reasons"),
    [
        ({"workflow_job_template": WORKFLOW, "extra_vars": PLAN}, []),
        ({"job_type": "check"}, []),
        ({"playbook": "check.yml"}, []),
        ({"playbook": "merge.yml", "job_type": "check"}, []),
        ({}, ["launch the workflow", "no plan was approved"]),
        ({"extra_vars": PLAN}, ["launch the workflow"]),
        ({"workflow_job_template": {"name": "Audit all zones"}, "extra_vars": PLAN}, ["launch the workflow"]),
        ({"workflow_job_template": WORKFLOW}, ["no plan was approved"]),
        ({"workflow_job_template": WORKFLOW, "extra_vars": {"edgeops_plan_id": ""}}, ["no plan was approved"]),
        ({"workflow_job_template": WORKFLOW, "extra_vars": {"edgeops_plan_id": "yes"}}, ["no plan was approved"]),
    ],
)
def test_job_may_run_or_is_refused(job: dict[str, t.Any], reasons: list[str]) -> None:
    answer = decide(job)
    assert answer["allowed"] is not bool(reasons) and len(answer["violations"]) == len(reasons)
    assert all(any(reason in violation for violation in answer["violations"]) for reason in reasons)


def test_policy_names_the_workflow_and_the_playbook_of_the_example() -> None:
    text = (EXAMPLE / "controller.yml").read_text(encoding="utf-8")
    assert f"  - name: {WORKFLOW['name']}\n" in text and "playbook: deliver.yml\n" in text
