# SPDX-License-Identifier: GPL-3.0-or-later

"""The example for AWX and automation controller is applied several times, and its jobs run as on a controller."""

import json
import re
import shutil
import typing as t
from pathlib import Path

import pytest
from awx.example import ACTIVE, CHECK, DELIVER, EMAIL, KEY, PROJECT, SELECTED, TOKEN, UNPROVEN, Configured, artifacts, launch
from awx.rules import IMAGES, Refused, injected, launched

from ansible_collections.edgeops.observability.plugins.module_utils._supported import MIN_CORE, MIN_PYTHON
from harness import Playbook
from harness.process import Place, execute

TYPE = "Cloudflare API v4"
PROOF = "Prove the ownership of a bucket"
APPROVED, WORKFLOW = "Deliver what was approved", "Deliver logs after approval"


def test_second_run_creates_what_a_failed_update_of_the_project_left_and_third_nothing(configured: Configured) -> None:
    """The project exists, and has no playbooks yet, when the second run creates the templates."""
    first, later = configured.outputs
    written = [[entry["path"] for entry in run] for run in configured.writes]
    assert "Project update failed" in first and not [path for path in written[0] if "job_templates" in path]
    # The numbers of the second process are the sums of its runs.
    assert re.search(r" changed=5 ", first) and re.findall(r"ok=(\d+) +changed=(\d+) ", later) == [("15", "9"), ("30", "9")]
    created = [path for path in written[0] + written[1] if re.fullmatch(r"/api/v2/\w+/", path)]
    assert len(created) == 26 and all(configured.controller.objects.values())
    # An update changes nothing while the repository of the project is the same.
    (update,) = written[2]
    assert re.fullmatch(r"/api/v2/projects/\d+/update/", update)
    assert "Create the job templates" in later
    assert TOKEN not in first + later and configured.controller.token not in first + later


def test_minimal_setup_is_created_in_one_run(minimal: Configured) -> None:
    (output,) = minimal.outputs
    assert re.search(r"ok=9 +changed=8 ", output) and minimal.controller.objects["job_templates"]


@pytest.mark.parametrize("template", [DELIVER, CHECK])
def test_template_with_slices_takes_no_limit(configured: Configured, template: str) -> None:
    job = configured.controller.named("job_templates", template)
    assert job["job_slice_count"] > 1
    with pytest.raises(Refused, match="does not ask for a limit"):
        launched(job, "shop.example")
    with pytest.raises(Refused, match="no hosts to target"):
        launched({**job, "ask_limit_on_launch": True}, "shop.example")


def test_every_template_with_a_limit_has_no_slices(configured: Configured, minimal: Configured) -> None:
    for controller in (configured.controller, minimal.controller):
        for job in controller.objects["job_templates"].values():
            assert job["job_slice_count"] == 1 or not job["ask_limit_on_launch"]


def test_image_can_run_the_collection(configured: Configured) -> None:
    (environment,) = configured.controller.objects["execution_environments"].values()
    core, python = IMAGES.get(environment["image"], (MIN_CORE, MIN_PYTHON))
    assert core >= MIN_CORE and python >= MIN_PYTHON


def test_minimal_setup_checks_on_a_schedule(minimal: Configured, playbook: Playbook, zones: dict[str, str]) -> None:
    controller = minimal.controller
    names = {template["name"]: template["job_type"] for template in controller.objects["job_templates"].values()}
    assert names == {CHECK: "check", PROOF: "run"}
    assert not [kind for kind in ("teams", "workflow_job_templates", "notification_templates") if controller.objects[kind]]
    (schedule,) = controller.objects["schedules"].values()
    assert controller.find("unified_job_templates", schedule["unified_job_template"])["name"] == CHECK
    checked = launch(playbook, controller, CHECK, fails="ansible", warns=UNPROVEN)
    assert sorted(artifacts(checked)["edgeops_check"]["statuses"]["drifted"]) == ACTIVE and not checked.writes


def test_job_is_created_with_the_token_of_the_bucket(
    configured: Configured, playbook: Playbook, simulator: t.Any, zones: dict[str, str]
) -> None:
    """A template requests the challenge and shows the path of its file; the survey of another one has a question for the token."""
    simulator.settings(strict_ownership=True)
    proven = launch(playbook, configured.controller, PROOF, limit="shop.example")
    (message,) = [outcome.result["msg"] for outcome in proven.outcomes if outcome.name == "Show where the file with the token is"]
    (file,) = [path for path in simulator.log_folder.rglob("*") if path.is_file() and path.name in message]
    launch(playbook, configured.controller, SELECTED, answers={"bucket_token": file.read_text()}, limit="shop.example")
    assert [len(simulator.state(zone)["jobs"]) for zone in zones.values()] == [0, 1, 0]


def test_check_template_is_always_in_check_mode(configured: Configured) -> None:
    check = configured.controller.named("job_templates", CHECK)
    assert (check["job_type"], check["diff_mode"]) == ("check", True)
    assert [check[f"ask_{what}_on_launch"] for what in ("job_type", "diff_mode", "variables")] == [False, False, False]
    assert configured.controller.named("job_templates", DELIVER)["job_type"] == "run"


def test_team_can_approve_but_not_deliver(configured: Configured) -> None:
    controller = configured.controller
    (team,) = controller.objects["teams"]
    granted = {(name, role) for name, role, teams in controller.roles.values() if team in teams}
    assert granted == {(CHECK, "execute"), ("Audit all zones", "execute"), (WORKFLOW, "execute"), (WORKFLOW, "approval")}


def test_schedule_audits_all_zones_and_failures_notify(configured: Configured) -> None:
    controller = configured.controller
    (schedule,) = controller.objects["schedules"].values()
    assert controller.find("unified_job_templates", schedule["unified_job_template"])["name"] == "Audit all zones"
    (notification,) = controller.objects["notification_templates"]
    for name in ("Merge audit reports", DELIVER, APPROVED):
        assert controller.named("job_templates", name)["notification_templates_error"] == [notification]
    assert controller.named("workflow_job_templates", WORKFLOW)["notification_templates_approvals"] == [notification]


def test_slices_share_the_request_budget(configured: Configured) -> None:
    for name in (DELIVER, CHECK):
        template = configured.controller.named("job_templates", name)
        requests, seconds = json.loads(template["extra_vars"])["edgeops_request_budget"].split("/")
        assert template["job_slice_count"] * int(requests) <= 1200
        assert seconds == "300"


def test_empty_input_injects_empty_variable(configured: Configured) -> None:
    kind = configured.controller.named("credential_types", TYPE)
    assert injected(kind, {"api_token": TOKEN}) == {
        "CLOUDFLARE_API_TOKEN": TOKEN,
        "CLOUDFLARE_EMAIL": "",
        "CLOUDFLARE_API_KEY": "",
        "CLOUDFLARE_BASE_URL": "",
    }
    assert {field["id"] for field in kind["inputs"]["fields"] if field.get("secret")} == {"api_token", "api_key"}


def test_workflow_delivers_the_approved_plan(
    configured: Configured, playbook: Playbook, simulator: t.Any, zones: dict[str, str]
) -> None:
    """Plan id and limit are passed from the prediction through the approval to the delivery; with another plan the job fails."""
    controller = configured.controller
    nodes = controller.nodes(WORKFLOW)
    names = {node["id"]: name for name, node in nodes.items()}
    assert {name: [names[number] for number in node["success_nodes"]] for name, node in nodes.items()} == {
        "predict": ["approve"],
        "approve": ["deliver"],
        "deliver": [],
    }
    predict, approve, deliver = (
        controller.find("unified_job_templates", node["unified_job_template"]) for node in nodes.values()
    )
    assert approve["type"] == "workflow_approval_template" and approve["timeout"] > 0
    limited = (controller.named("workflow_job_templates", WORKFLOW), predict, deliver)
    assert all(template["ask_limit_on_launch"] for template in limited)

    predicted = launch(playbook, controller, predict["name"], warns=UNPROVEN)
    assert artifacts(predicted)["edgeops_plan_id"] and not simulator.writes()
    start = simulator.snapshot()
    simulator.seed(script_monitor={zones["shop.example"]: {"enabled": True}})
    refused = launch(playbook, controller, deliver["name"], extra_vars=artifacts(predicted), fails="ansible", warns=UNPROVEN)
    said = [outcome.result["msg"] for outcome in refused.failures]
    assert len(said) == len(ACTIVE) and not refused.writes
    assert all(text.startswith("conflict: edgeops_approved_plan_id: ") and "have changed since" in text for text in said)
    simulator.restore(start)
    delivered = launch(playbook, controller, deliver["name"], extra_vars=artifacts(predicted), warns=UNPROVEN)
    assert [len(simulator.state(zone)["jobs"]) for zone in zones.values()] == [1, 1, 0]
    summary = [outcome.result["msg"][0] for outcome in delivered.outcomes if outcome.name == "Show the outcomes"]
    assert summary == ["2 zones: 2 changed, 0 unchanged, 0 failed, 0 not reached"]


def test_delivery_without_an_approval_is_refused(configured: Configured, playbook: Playbook, zones: dict[str, str]) -> None:
    refused = launch(playbook, configured.controller, APPROVED, fails="conflict")
    assert "nothing was approved" in refused.failure["msg"]
    # Only the inventory was read.
    assert {entry["path"] for entry in refused.journal} == {"/zones"}


def test_survey_takes_precedence_over_inventory(
    configured: Configured, playbook: Playbook, simulator: t.Any, zones: dict[str, str]
) -> None:
    job = {"name": "answered", "destination_conf": "https://logs.example.com/answered", "fields": ["RayID"]}
    answers = {
        "survey_custom_fields": '{"request_fields": [], "response_fields": [], "cookie_fields": ["Cart"]}',
        "survey_job": json.dumps(job, indent=1),
        "survey_state": "present",
        "survey_script_monitor_enabled": "false",
    }
    account = {"api_email": EMAIL, "api_key": KEY, "base_url": simulator.base_url}
    launch(playbook, configured.controller, SELECTED, answers=answers, inputs={"Cloudflare zones": account}, limit="shop.example")
    state = simulator.state(zones["shop.example"])
    assert [job["name"] for job in state["jobs"]] == ["answered"]
    assert state["jobs"][0]["logpull_options"] == "fields=RayID,Cookies"
    assert state["script_monitor"]["enabled"] is False
    assert {entry["headers"].get("authorization") for entry in simulator.journal()} == {None}
    assert not simulator.state(zones["blog.example"])["jobs"]

    gone = launch(
        playbook,
        configured.controller,
        SELECTED,
        answers={**answers, "survey_state": "absent", "edgeops_allow": "delete_job,drop_custom_fields"},
        limit="shop.example",
    )
    assert gone.writes and not simulator.state(zones["shop.example"])["jobs"]


def test_invalid_survey_answer_sends_nothing(configured: Configured, playbook: Playbook, zones: dict[str, str]) -> None:
    report = launch(
        playbook,
        configured.controller,
        SELECTED,
        answers={"survey_custom_fields": "{'request_fields'"},
        limit="shop.example",
        fails={"ansible", "invalid_option"},
    )
    assert "invalid_option: log_delivery_custom_fields: not JSON: " in report.stdout
    assert {entry["path"] for entry in report.journal} <= {"/zones", "/client/v4/zones"}


def test_navigator_audits_the_zones(simulator: t.Any, zones: dict[str, str], tmp_path: Path) -> None:
    """ansible-navigator uses the settings of the project, here without an image, and the playbook runs to its end."""
    project = tmp_path / "project"
    shutil.copytree(PROJECT, project)
    report = tmp_path / "report"
    command = ["ansible-navigator", "run", "check.yml", "--execution-environment", "false", "-e", f"edgeops_report_dir={report}"]
    environment = {**Place(tmp_path / "place").environment(), **simulator.environment(), "TERM": "xterm"}
    code, output, errors = execute(command, environment, project, timeout=300)
    assert code == 0, output + errors
    assert f"{len(ACTIVE)} zones: 0 unaudited, {len(ACTIVE)} drifted" in output
    assert (report / "report.html").exists() and not simulator.writes()
