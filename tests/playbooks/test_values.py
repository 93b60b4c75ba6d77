# SPDX-License-Identifier: GPL-3.0-or-later

"""Values of options after YAML, templates and vaults have processed them."""

import json
import subprocess
import typing as t
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from support.audited import AUDIT, KNOWN, SCRIPTS, A
from support.samples.fleet import AT, HOSTILE, audit, finding, record

from harness import CORE, Playbook
from harness.process import BIN

every_core = pytest.mark.every_core

KEY = "planted-key-8c0db7"
FILTER = '{"where":{"key":"EdgeResponseStatus","operator":"geq","value":500}}'
JOB = {
    "name": "archive",
    "destination_conf": f"s3://archive/http?region=auto&access-key-id=ID&secret-access-key={KEY}",
    "fields": ["ClientIP"],
    "enabled": True,
}
REPORT = "edgeops.observability.audit_report"


@every_core
def test_templates_and_loops(playbook: Playbook) -> None:
    """JSON text for a filter may come from a template, and a loop shows no secret."""
    single = "edgeops.observability.logpush_job"
    text = {"name": "Text", single: {**JOB, "filter": "{{ text }}"}}
    looped = {
        "name": "Jobs of {{ _each }}",
        "edgeops.observability.logpush_jobs": {"jobs": [{**JOB, "name": "{{ _each }}"}], "unlisted_jobs": "absent"},
        "loop": ["first", "second"],
        "loop_control": {"loop_var": "_each"},
    }
    tasks = [{"name": "Filter", single: {**JOB, "filter": json.loads(FILTER)["where"]}}, text, looped]
    report = playbook.run(tasks, extra_vars={"text": f" {FILTER} "}, secrets=[KEY], verbosity=4)
    assert [outcome.result["changed"] for outcome in report.ours] == [True, False, True]


@every_core
def test_yaml_as_users_write_it(playbook: Playbook, zone: str, tmp_path: Path) -> None:
    """A play with a vaulted token, unquoted dates, which YAML converts, and strings that look like templates and are not evaluated."""
    simulator = playbook.simulator
    simulator.seed(scripts={zone: SCRIPTS}, script_monitor={zone: {"enabled": True}})
    (tmp_path / "password").write_text("open sesame", encoding="utf-8")
    unlock = ["--vault-password-file", str(tmp_path / "password")]
    command = [str(BIN / "ansible-vault"), "encrypt_string", *unlock, simulator.token]
    vaulted = subprocess.run(command, check=True, capture_output=True, text=True).stdout.replace("\n", "\n          ")
    (tmp_path / "hosts.yml").write_text(
        f"""all:
  hosts:
    shop:
      ansible_connection: local
      ansible_python_interpreter: "{{{{ ansible_playbook_python }}}}"
      zone_id: {zone}
      script_gate: [expired]
      script_baseline:
        - name: a
          url: https://cdn.example.net/a.js
          owner: "it's me"
          justification: 'a "quoted" reason, with {{braces}}'
          authorised_by: me
          authorised_on: 2025-10-01
          review_by: 2027-04-01
          hashes: [{A}]
          required: true
        - name: b
          url: https://cdn.example.net/*
          owner: o
          justification: j
          authorised_by: me
          review_by: 2026-01-31
          integrity: unpinned
          integrity_reason: r
""",
        encoding="utf-8",
    )
    # JSON is also valid YAML.
    texts = [text for text in HOSTILE if "{{" not in text and "\ud800" not in text]
    zones = [record(f"zone {number}", scripts=audit(finding(message=text))) for number, text in enumerate(texts)]
    hostile = [
        {REPORT: {"zones": zones, "at": AT, "dest": str(tmp_path / place), "formats": ["json", "junit", "html"]}}
        | {"vars": {"edgeops_in_process": place == "inside"}}
        for place in ("inside", "module")
    ]
    options = {"zone_id": "{{ zone_id }}", "at": "2026-11-21T06:00:00Z"}
    dated = {**KNOWN, "review_by": "{{ script_baseline[1].review_by }}"}
    audits = [
        {
            AUDIT: {**options, "baseline": "{{ script_baseline }}", "fail_on": "{{ script_gate }}"},
            "ignore_errors": True,
        },
        {AUDIT: {**options, "baseline": "{{ script_baseline[:1] + script_baseline[1:] }}"}},
        {AUDIT: options, "vars": {"edgeops_script_baseline": "{{ script_baseline }}"}},
        {AUDIT: {**options, "baseline": [dated]}},
    ]
    (tmp_path / "play.yml").write_text(
        f"""
- hosts: all
  gather_facts: false
  module_defaults:
    group/edgeops.observability.zone:
      api_token: {vaulted}
  tasks:
    - edgeops.observability.audit_report:
        dest: {tmp_path}/out
        at: 2026-11-22T06:00:00Z
        zones: [{{zone: a, error: {{kind: permission, message: no}}}}]
        waivers: [{{reason: known, owner: web, until: 2026-12-31}}]
"""
        + "".join(f"    - {json.dumps(step)}\n" for step in (*hostile, *audits)),
        encoding="utf-8",
    )
    report = playbook.run(
        playbook=tmp_path / "play.yml",
        inventory=tmp_path / "hosts.yml",
        arguments=unlock,
        env={"CLOUDFLARE_API_TOKEN": None},
        fails="gate",
    )

    def made(place: str) -> t.Any:
        return json.loads((tmp_path / place / "report.json").read_text(encoding="utf-8"))

    assert (made("out")["generated_at"], made("out")["waivers"][0]["until"]) == (AT, "2026-12-31")
    for place in ("inside", "module"):
        messages = [row["items"][0]["message"].partition("; should be: ")[0] for row in made(place)["zones"]]
        assert sorted(messages) == sorted(texts)
        ET.fromstring((tmp_path / place / "report.xml").read_bytes())  # noqa: S314  # written by the code under test
    templated, composed, variable, single = [outcome.result for outcome in report.ours[-4:]]
    assert [(finding["kind"], finding["entry"]) for finding in templated["findings"]] == [("expired", "b")]
    assert templated["findings"] == composed["findings"] == variable["findings"] and templated["passed"] is False
    assert [finding["kind"] for finding in single["findings"]] == ["new", "expired"]


def test_relative_paths_are_relative_to_the_working_directory(playbook: Playbook, zone: str, tmp_path: Path) -> None:
    """The rule applies to options and variables, in any folder of a playbook, in process and as an ordinary module, with a wrong PWD."""
    playbook.simulator.seed(scripts={zone: SCRIPTS}, script_monitor={zone: {"enabled": True}})
    plays = tmp_path / "plays"
    plays.mkdir()
    audit = {"evidence_dir": "evidence/{{ item }}", "baseline": [], "at": AT}
    tasks = [
        {AUDIT: audit, "loop": ["inside"]},
        {AUDIT: audit, "loop": ["module"], "vars": {"edgeops_in_process": False}},
        {AUDIT: {"baseline": [], "at": AT}, "vars": {"edgeops_evidence_dir": "evidence/variable"}},
        {REPORT: {"zones": [record("shop")]}, "vars": {"edgeops_report_dir": "report"}},
        {
            "edgeops.observability.script_monitor_info": {"ca_path": "missing.pem"},
            "loop": [True, False],
            "vars": {"edgeops_in_process": "{{ item }}"},
            "ignore_errors": True,
        },
    ]
    (plays / "play.yml").write_text(json.dumps([{"hosts": "all", "gather_facts": False, "tasks": tasks}]), encoding="utf-8")
    report = playbook.launch(plays / "play.yml", inventory={"shop": {"zone_id": zone}}, env={"PWD": str(plays)})
    folder = report.folder / "input"
    made = {path.relative_to(folder).parts[:2] for path in folder.rglob("*.jsonl")}
    assert made == {("evidence", "inside"), ("evidence", "module"), ("evidence", "variable")}
    assert (folder / "report" / "report.json").exists()
    assert report.stdout.count(f"ca_path: file or directory '{folder / 'missing.pem'}' does not exist") >= 2
    assert [path.name for path in plays.iterdir()] == ["play.yml"]


@every_core
def test_unevaluated_template_is_not_written(playbook: Playbook, zone: str, tmp_path: Path) -> None:
    """Before ansible-core 2.19 a setting passes templates with undefined variables as text; newer versions fail the task.

    No version evaluates what a lookup returns or what is marked as unsafe.
    """
    (tmp_path / "left").write_text("https://logs.example.com/in?header_Authorization={{ vault_x }}", encoding="utf-8")
    left = "\"{{ lookup('ansible.builtin.file', 'left') }}\""
    shared = "fields: [ClientIP], enabled: false, zone_id: '{{ zone_id }}'"
    (tmp_path / "play.yml").write_text(
        f"""
- hosts: all
  gather_facts: false
  tasks:
    - name: destination
      edgeops.observability.logpush_job: {{name: a, destination_conf: "s3://{{{{ nowhere }}}}/x", {shared}}}
      ignore_errors: true
    - name: item
      edgeops.observability.log_custom_fields: {{cookie_fields: [a, "{{{{ inner }}}}"]}}
      vars: {{inner: "x-{{{{ nowhere }}}}"}}
      ignore_errors: true
    - name: whole
      edgeops.observability.zone_observability: {{job: "{{{{ nowhere }}}}"}}
      vars: {{edgeops_in_process: false}}
      ignore_errors: true
    - name: variable
      edgeops.observability.script_monitor: {{enabled: true}}
      vars: {{edgeops_ca_path: "{{{{ inner }}}}", inner: "x-{{{{ nowhere }}}}"}}
      ignore_errors: true
    - name: marked
      edgeops.observability.logpush_job: {{name: !unsafe "{{{{name}}}}", destination_conf: "https://x.example/y", {shared}}}
      check_mode: true
      ignore_errors: true
    - name: password
      edgeops.observability.logpush_job: {{name: a, destination_conf: {left}, {shared}}}
      ignore_errors: true
    - name: module
      edgeops.observability.logpush_jobs: {{jobs: [{{name: a, destination_conf: {left}}}]}}
      vars: {{edgeops_in_process: false}}
      ignore_errors: true
    - name: address
      edgeops.observability.script_monitor: {{enabled: true}}
      vars: {{edgeops_base_url: {left}}}
      ignore_errors: true
    - name: early
      edgeops.observability.validate_variables:
      vars: {{edgeops_report_dir: {left}}}
      ignore_errors: true
    - name: role
      ansible.builtin.import_role: {{name: edgeops.observability.log_delivery}}
      vars: {{log_delivery_jobs: [{{name: a, destination_conf: {left}}}]}}
      ignore_errors: true
""",
        encoding="utf-8",
    )
    report = playbook.run(
        playbook=tmp_path / "play.yml",
        inventory={"shop": {"zone_id": zone}},
        env={"ANSIBLE_ERROR_ON_UNDEFINED_VARS": "false"},
        fails=("invalid_option", "ansible") if CORE >= (2, 19) else "invalid_option",
    )
    assert not [entry for entry in report.journal if entry["method"] != "GET"]
    for name, place in {
        "marked": "name",
        "password": "destination_conf",
        "module": "jobs[0].destination_conf",
        "address": "edgeops_base_url",
        "early": "edgeops_report_dir",
    }.items():
        assert report.named(name).result["msg"].startswith(f"{place}: a template is left in it that nobody evaluated"), name
    assert "jobs[0].destination_conf: a template is left" in str([outcome.result for outcome in report.failures][-1])
    assert report.named("variable").result["msg"].startswith("edgeops_ca_path: ")
    if CORE < (2, 19):
        places = {"destination": "destination_conf", "item": "cookie_fields[1]", "whole": "job"}
        for name, place in places.items():
            assert report.named(name).result["msg"].startswith(f"{place}: a template in it has an undefined variable")


def test_words_and_numbers_of_yaml_are_refused(playbook: Playbook, tmp_path: Path) -> None:
    """Values that YAML converts are refused in options and host variables, in process and by ordinary modules."""
    (tmp_path / "play.yml").write_text(
        """
- hosts: all
  gather_facts: false
  tasks:
    - {name: octal, edgeops.observability.script_monitor: {enabled: true, zone_id: 0755}, ignore_errors: true}
    - name: word
      edgeops.observability.logpush_jobs: {jobs: [{name: no, destination_conf: s3://a/b}]}
      vars: {edgeops_in_process: false}
      ignore_errors: true
    - {name: cookie, edgeops.observability.log_custom_fields: {cookie_fields: [on]}, ignore_errors: true}
    - {name: variable, edgeops.observability.log_custom_fields: {cookie_fields: [a]}, vars: {zone_id: 0755}, ignore_errors: true}
    - {name: dictionary, edgeops.observability.zone_observability: {job: "[1]"}, ignore_errors: true}
    - {name: path, edgeops.observability.zone_observability: {job: {kind: sideways}}, ignore_errors: true}
    - {name: option, edgeops.observability.script_monitor: {enabld: true}, ignore_errors: true}
    - {name: name, edgeops.observability.script_monitor: {enabled: true, zone_id: shop.example.com}, ignore_errors: true}
""",
        encoding="utf-8",
    )
    report = playbook.run(playbook=tmp_path / "play.yml", inventory={"shop": {"zone_id": "ab"}}, fails="invalid_option")
    messages = {outcome.name: outcome.result["msg"] for outcome in report.ours}
    for name, start in {
        "octal": "zone_id: must be text, not a number",
        "word": "jobs[0].name: must be text, not a boolean",
        "cookie": "cookie_fields[0]: must be text, not a boolean",
        "variable": "zone_id: must be text, not a number",
        "dictionary": "job: must be a dictionary of options, not a list",
        "path": "job.kind: ",
        "option": "enabld: unsupported parameter (did you mean 'enabled'?)",
        "name": "zone_id: 'shop.example.com' is not 1 to 32 hexadecimal digits; use zone_name",
    }.items():
        assert messages[name].startswith(start), messages[name]
    assert not report.journal
