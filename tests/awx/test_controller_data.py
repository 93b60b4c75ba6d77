# SPDX-License-Identifier: GPL-3.0-or-later

"""The data of the example is compared with infra.aap_configuration and with objects.yml, which use it."""

import re
import typing as t

import pytest
from awx.example import VARIABLES, load

NODES = "controller_workflows | subelements('simplified_workflow_nodes')"


def tasks(variable: str) -> list[dict[str, t.Any]]:
    """Return the tasks of objects.yml that loop over a variable."""
    return [task for task in load("objects.yml") if task["loop"] == f"{{{{ {variable} }}}}"]


def test_every_list_has_a_task_in_order() -> None:
    assert [name for name in load("controller.yml") if name.startswith(("aap_", "controller_"))] == list(VARIABLES)
    gone_through = [re.split(r"\W+", task["loop"])[1] for task in load("objects.yml")]
    assert list(dict.fromkeys(gone_through)) == list(VARIABLES)


@pytest.mark.parametrize("variable", VARIABLES)
def test_every_member_is_a_passed_option(variable: str) -> None:
    """Each member is an option of the task in objects.yml; the module refuses unknown options."""
    (task,) = tasks(variable)
    handed_on = task[f"awx.awx.{VARIABLES[variable]}"]
    assert handed_on == {name: f"{{{{ item.{name} }}}}" for name in handed_on}
    for item in load("controller.yml")[variable] + load("small.yml").get(variable, []):
        assert set(item) - {"simplified_workflow_nodes"} == set(handed_on), item


def test_every_member_of_a_node_is_passed() -> None:
    handed_on = {name: text for task in tasks(NODES) for name, text in task["awx.awx.workflow_job_template_node"].items()}
    for workflow in load("controller.yml")["controller_workflows"]:
        for node in workflow["simplified_workflow_nodes"]:
            for member in node:
                assert handed_on[member] in (f"{{{{ item.1.{member} }}}}", f"{{{{ item.1.{member} | default(omit) }}}}")


def test_failing_slices_are_merged() -> None:
    data = load("controller.yml")
    templates = {item["name"]: item for item in data["controller_templates"]}
    (audit,) = [workflow for workflow in data["controller_workflows"] if workflow["name"] == "Audit all zones"]
    nodes = {node["identifier"]: node for node in audit["simplified_workflow_nodes"]}
    assert (nodes["check"]["success_nodes"], nodes["check"]["always_nodes"]) == ([], ["merge"])
    check, merge = (templates[nodes[name]["unified_job_template"]] for name in ("check", "merge"))
    assert (check["playbook"], check["job_slice_count"]) == ("check.yml", "{{ zones_slices | int }}")
    assert (merge["playbook"], merge["job_slice_count"]) == ("merge.yml", 1)
