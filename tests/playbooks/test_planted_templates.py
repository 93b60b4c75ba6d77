# SPDX-License-Identifier: GPL-3.0-or-later

"""The simulator puts a template into every text of every answer, and no playbook evaluates one on any ansible-core."""

import json
import re
import time
import typing as t
from pathlib import Path

import pytest
import yaml
from planting import PLANTED, REFUSED, WHOLLY, WRITABLE, Planter, planting, texts
from zone_runs import imported, of_each_playbook

from ansible_collections.edgeops.observability.plugins.module_utils._events.facts import inert
from harness import Playbook
from harness.outcome import Outcome, Report

pytestmark = pytest.mark.every_core

SEED = 7
# The results of evaluated templates, and the errors of ansible-core for invalid ones.
EVALUATED = re.compile(r"evaluated-(\d+)|Missing newline after '#jinja2:'|exception occurred while templating")
ACCOUNT = "acc0" * 8
ZONES = {mode: f"{number:032x}" for number, mode in enumerate((PLANTED, WRITABLE, WHOLLY, REFUSED), 1)}
# For ordinary modules one written and one failing zone are enough, because ansible-core handles all their results alike.
OF_MODULES = {mode: f"{number:032x}" for number, mode in enumerate((WRITABLE, REFUSED), 8)}
JOB = {
    "id": 7,
    "name": "edge",
    "dataset": "http_requests",
    "enabled": False,
    "destination_conf": "s3://bucket/logs?region=eu-west-1",
    "output_options": {"field_names": ["ClientIP", "RequestHeaders"], "timestamp_format": "rfc3339"},
    "filter": '{"where":{"key":"ClientRequestPath","operator":"contains","value":"/shop"}}',
    "last_error": "2026-01-01T00:00:00Z",
    "error_message": "access denied",
}
OLDER = {**JOB, "id": 8, "name": "older", "output_options": None, "logpull_options": "fields=ClientIP,RayID", "enabled": True}
SCRIPT = {"script_id": "0a" * 16, "script_url": "https://cdn.example/a.js", "host": "shop.example", "status": "active"}
RULE = {
    "ref": "own",
    "description": "made by hand",
    "action": "log_custom_field",
    "expression": "true",
    "action_parameters": {"request_fields": [{"name": "x-team"}], "cookie_fields": [{"name": "Sid"}]},
}


FAILS = ("bad_response", "authentication", "ansible")
USUAL = {"log_delivery_custom_fields": {"request_fields": ["x-other"], "response_fields": [], "cookie_fields": []}}
DESIRED = {
    PLANTED: {**USUAL, "log_delivery_job": {"job_id": 8, "enabled": False}, "log_delivery_script_monitor_enabled": True},
    WRITABLE: {**USUAL, "log_delivery_job": {"job_id": 8, "enabled": False}, "log_delivery_script_monitor_enabled": False},
    WHOLLY: {**USUAL, "log_delivery_script_monitor_enabled": True},
    REFUSED: {"log_delivery_script_monitor_enabled": True},
}


class Service(t.NamedTuple):
    """The simulator with templates in its answers, and the runner of playbooks."""

    planter: Planter
    base_url: str
    playbook: Playbook

    def run(self, playbook: t.Any, *, fails: t.Any = None, warns: t.Any = ("",), **launch: t.Any) -> Report:
        """Run a playbook; fail if anything that it prints, returns or writes was evaluated."""
        report = self.playbook.run(
            playbook=playbook, env={"CLOUDFLARE_BASE_URL": self.base_url}, fails=fails, warns=warns, **launch
        )
        self.check(report)
        return report

    def check(self, report: Report) -> None:
        """Fail if a template was evaluated; the message names the member of the answer that contained it."""
        texts = [report.stdout, report.stderr, report.log, report.record]
        folders = (report.folder, self.playbook.folder)
        files = {path for folder in folders for path in folder.rglob("*") if path.is_file() and "input" not in path.parts}
        texts += [path.read_text(encoding="utf-8", errors="replace") for path in files]
        evaluated = {(match[0], match[1]) for text in texts for match in EVALUATED.finditer(text)}
        evaluated |= {("a file was made", path.name) for path in self.planter.folder.iterdir()}
        assert not evaluated, [(what, self.planter.planted.get(number)) for what, number in evaluated]

    def shown(self, outcomes: t.Iterable[Outcome]) -> set[str]:
        """Return the names of the members whose texts these outcomes show unchanged."""
        said = {line.replace("\n", " ") for outcome in outcomes for line in texts(outcome.result)}
        return {
            place.rpartition(".")[2]
            for place, _colon, text in (planted.partition(": ") for planted in self.planter.planted.values())
            if any(text.replace("\n", " ") in line for line in said)
        }


POLICY = "a1" * 16


@pytest.fixture
def service(simulator: t.Any, playbook: Playbook, tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Service]:
    modes = {zone: mode for zones in (ZONES, OF_MODULES) for mode, zone in zones.items()}
    recent = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 600))
    lost = {"datetime": recent, "job_id": 7, "status": 403, "error": "denied", "success": 0, "final": 1, "records": 7, "bytes": 7}
    simulator.seed(
        zones=[
            {"id": zone, "name": f"{mode}.example", "account": {"id": ACCOUNT, "name": "Shop"}} for zone, mode in modes.items()
        ],
        jobs={zone: [JOB, OLDER] for zone in modes} | {ACCOUNT: [{**JOB, "id": 9, "dataset": "audit_logs"}]},
        scripts={zone: [SCRIPT] for zone in modes},
        connections={zone: [{"url": "https://api.example/v1", "host": "shop.example"}] for zone in modes},
        cookies={zone: [{"name": "Sid", "host": "shop.example"}] for zone in modes},
        script_monitor={zone: {"enabled": True} for zone in modes},
        rulesets={zone: [{"phase": "http_log_custom_fields", "kind": "zone", "name": "n", "rules": [RULE]}] for zone in modes},
        uploads={zone: [lost] for zone in modes},
        transformers={
            ACCOUNT: [{"id": 3, "name": "redact", "description": "by hand", "code": "SELECT RayID FROM http_requests"}]
        },
        notification_policies={
            ACCOUNT: [
                {"id": POLICY, "name": "told", "description": "by hand", "mechanisms": {"email": [{"id": "ops@example.com"}]}}
            ]
        },
        webhooks={ACCOUNT: [{"name": "chat", "url": "https://chat.example/in"}]},
        silences={ACCOUNT: [{"policy_id": POLICY, "start_time": "2026-01-01T00:00:00Z", "end_time": "2026-01-02T00:00:00Z"}]},
        notification_history={ACCOUNT: [{"alert_type": "dos_attack_l7", "sent": recent}]},
    )
    planter = Planter(tmp_path_factory.mktemp("evaluated"), SEED)
    with planting(simulator.base_url, planter, modes) as base_url:
        yield Service(planter, base_url, playbook)


HOSTS = {mode: {"zone_id": zone, **DESIRED[mode]} for mode, zone in ZONES.items()}


def test_check(service: Service, tmp_path: Path) -> None:
    """The check includes the audit of scripts with its evidence, delivery facts, and the pages of a report."""
    evidence = {"edgeops_evidence_dir": str(tmp_path / "evidence")}
    variables = {
        **evidence,
        "edgeops_audit_scripts": True,
        "edgeops_audit_delivery": True,
        "edgeops_report_dir": str(tmp_path / "report"),
        "edgeops_report_formats": ["json", "html", "junit", "markdown", "metrics"],
        "edgeops_required_fields": {"http_requests": ["RayID"]},
    }
    (tmp_path / "evidence").mkdir()
    # One zone is checked again, with the report and the evidence of the first time.
    plays = [imported("check", **variables), imported("check", **variables, edgeops_target=PLANTED)]
    report = service.run([*plays, imported("verify_evidence", **evidence)], inventory=HOSTS, fails=FAILS)
    checked, again, verified = of_each_playbook(report)
    assert service.shown(checked) >= {"script_url", "host", "name", "error_message", "message", "kind"}
    assert not [outcome for outcome in (*again, *verified) if outcome.failed]
    assert service.shown(verified) >= {"script_url", "host"}


def test_deliver(service: Service) -> None:
    """The delivery shows plans, effects, diffs and failures, in check mode and in a real run."""
    as_modules = {
        f"module_{mode}": {**DESIRED[mode], "zone_id": zone, "edgeops_in_process": False} for mode, zone in OF_MODULES.items()
    }
    report = service.run(
        "edgeops.observability.deliver",
        inventory=HOSTS | as_modules,
        extra_vars={"edgeops_allow": "all"},
        fails=(*FAILS, "rejected"),
    )
    assert service.shown(report.outcomes) >= {"name", "message", "description", "error_message", "kind", "rules unknown"}
    for zone in (ZONES[WRITABLE], OF_MODULES[WRITABLE]):
        (job,) = [job for job in service.playbook.simulator.state(zone)["jobs"] if job["id"] == 8]
        assert not job["enabled"]
    assert "6 zones: 2 changed" in report.stdout


def test_adopt_and_deliver(service: Service, tmp_path: Path) -> None:
    """The files contain the texts unchanged, and delivering them needs no write."""
    folder = tmp_path / "adopted"
    zones = {name: {"zone_id": zone} for name, zone in ZONES.items()} | {"account": {"account_id": ACCOUNT}}
    adopted = service.run(
        "edgeops.observability.adopt", inventory=zones, extra_vars={"edgeops_adopt_dir": str(folder)}, fails=FAILS
    )
    # A template in an option of a destination is masked, as whatever may hold a further option is.
    assert service.shown(adopted.outcomes) >= {"name", "script_url", "host", "message"}
    names = {path.parent.name for path in folder.glob("host_vars/*/adopted.yml")}
    assert names == {PLANTED, WRITABLE, "account"}
    listed = {"all": {"hosts": {name: zones[name] for name in names}}}
    (folder / "hosts.yml").write_text(yaml.safe_dump(listed), encoding="utf-8")
    delivered = service.run("edgeops.observability.deliver", inventory=folder / "hosts.yml")
    assert service.shown(delivered.outcomes) >= {"name"} and not delivered.writes


def test_survey_and_inventory(service: Service, tmp_path: Path) -> None:
    """Names of zones come from the API: the survey shows them, and the role runs on hosts with these names."""
    fleet = tmp_path / "fleet.zones.yml"
    compose = {"label": "zone_name | default(account_name)", "log_delivery_job": '{"job_id": 8, "enabled": true}'}
    fleet.write_text(
        json.dumps({"plugin": "edgeops.observability.zones", "base_url": service.base_url, "accounts": True, "compose": compose})
    )
    template = (
        "{{ label }} {{ zone_status | default() }} {{ zone_account | default({}) }} {{ hostvars[inventory_hostname].label }}"
    )
    play = {
        "hosts": "all",
        "gather_facts": False,
        "roles": ["edgeops.observability.log_delivery"],
        "post_tasks": [
            {"ansible.builtin.debug": {"msg": template}},
            {"ansible.builtin.set_fact": {"kept": "{{ label }}", "result": "{{ log_delivery_result }}"}},
            {"ansible.builtin.debug": {"msg": ["{{ kept }}", "{{ result }}", "{{ item }}"]}, "loop": ["{{ label }}"]},
        ],
    }
    survey = imported("survey", edgeops_audit_scripts=True, edgeops_report_dir=str(tmp_path / "survey"))
    # The hosts that are accounts have no job 8, so that the role fails for them. The survey fails for the zone that cannot be read.
    report = service.run([play, survey], inventory=fleet, fails=("authentication", "not_found", "ansible"))
    (surveyed,) = of_each_playbook(report)
    assert service.shown(surveyed) >= {"name", "script_url", "host", "message", "error_message"}
    assert service.shown(report.outcomes[: -len(surveyed)]) >= {"name", "status", "message"}


def test_results_and_filters(service: Service) -> None:
    """Results of modules and filters are used as arguments of lookups, tasks and facts."""
    read = [
        {"name": name, f"edgeops.observability.{name}": {"zone_id": ZONES[PLANTED], **options}, "register": name}
        for name, options in {
            "logpush_job_info": {},
            "log_custom_fields_info": {},
            "script_monitor_info": {"resources": ["scripts", "connections", "cookies"]},
            "logpush_dataset_info": {"dataset": "http_requests"},
            "logpush_delivery_info": {},
        }.items()
    ]
    jobs = "logpush_job_info.jobs"
    made = [
        f"log_custom_fields_info.custom_fields | edgeops.observability.log_field_coverage({jobs})",
        f"(log_custom_fields_info.custom_fields | edgeops.observability.log_field_coverage({jobs})).sentences",
        f"{jobs} | map(attribute='filter') | map('edgeops.observability.explain_logpush_filter')",
        "predicted | edgeops.observability.diff_lines",
        "script_monitor_info.scripts",
    ]
    predicted = {"zone_id": ZONES[PLANTED], "job_id": 8, "name": "other", "destination_conf": "s3://other/x?region=eu-west-1"}
    tasks = [
        *read,
        {"edgeops.observability.logpush_job": predicted, "check_mode": True, "register": "predicted"},
        {"ansible.builtin.set_fact": {"kept": [f"{{{{ {name} }}}}" for name in made]}},
        # Before ansible-core 2.19, lookups evaluate their arguments.
        {"ansible.builtin.set_fact": {"found": [f"{{{{ query('ansible.builtin.items', {name}) }}}}" for name in made]}},
        {"ansible.builtin.debug": {"msg": ["{{ item }}", "{{ kept }}"]}, "loop": "{{ found }}"},
    ]
    in_account = {"logpush_transformer_info": "transformers", "notification_policy_info": "notification_policies"}
    for name, key in in_account.items():
        tasks.append({"name": name, f"edgeops.observability.{name}": {"account_id": ACCOUNT}, "register": name})
        tasks.append({"ansible.builtin.debug": {"msg": ["{{ item }}"]}, "loop": f"{{{{ {name}.{key} }}}}"})
    asked = {"account_id": ACCOUNT, "history_days": 30}
    tasks.append({"edgeops.observability.notification_policy_info": asked, "register": "told", "ignore_errors": True})
    listings = ("webhooks", "silences", "history", "available_alerts")
    tasks += [{"ansible.builtin.debug": {"msg": [f"{{{{ told.{listing} | default([]) }}}}"]}} for listing in listings]
    play = {"hosts": "all", "gather_facts": False, "tasks": tasks}
    report = service.run([play], inventory={"localhost": {}})
    assert service.shown(report.outcomes) >= {"name", "url", "host", "script_url", "error_message", "field_names", "ClientIP"}
    assert service.shown(report.outcomes) >= {"content", "description", "alert_type"}


def test_texts_of_events(service: Service, tmp_path: Path) -> None:
    """Texts of events remain unchanged when a rule passes them as variables to a playbook that uses them in templates and arguments.

    Without `inert`, each of them is evaluated or refused, which proves that these tests can detect an evaluation.
    """
    kinds = service.planter.kinds("1")
    others = ("#jinja2: variable_start_string:'[['", "{{{ 6 * 7 }}}", "{\u202e{ 6 * 7 }}")
    handed_on = inert([*kinds, *others])
    file = tmp_path / "shown.json"
    tasks = [
        {"ansible.builtin.copy": {"content": "{{ texts | to_json }}", "dest": str(file)}},
        {"ansible.builtin.debug": {"msg": "{{ item }}"}, "loop": "{{ texts }}"},
    ]
    play = {"hosts": "all", "gather_facts": False, "tasks": tasks}
    report = service.run([play], inventory={"localhost": {}}, extra_vars={"texts": handed_on}, warns=())
    assert json.loads(file.read_text(encoding="utf-8")) == handed_on
    assert [result["msg"] for outcome in report.outcomes for result in outcome.result.get("results", ())] == handed_on

    variables = {f"kind{number}": kind for number, kind in enumerate(kinds)}
    tasks = [{"ansible.builtin.debug": {"msg": f"{{{{ {name} }}}}"}, "ignore_errors": True} for name in variables]
    report = service.playbook.run(tasks, extra_vars=variables, fails="ansible")
    assert all(EVALUATED.search(outcome.result["msg"]) for outcome in report.outcomes)
    assert service.planter.folder.joinpath("1").exists()
