# SPDX-License-Identifier: GPL-3.0-or-later

"""What YAML, templates and loops make of options before a module gets them."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from support.audited import AUDIT, KNOWN, A
from support.samples.fleet import AT, HOSTILE, audit, finding, record

from harness import Playbook

pytestmark = pytest.mark.every_core

KEY = "planted-key-8c0db7"
FILTER = '{"where":{"key":"EdgeResponseStatus","operator":"geq","value":500}}'
JOB = {
    "name": "archive",
    "destination_conf": f"s3://archive/http?region=auto&access-key-id=ID&secret-access-key={KEY}",
    "fields": ["ClientIP"],
    "enabled": True,
}
REPORT = "edgeops.observability.audit_report"
SCRIPTS = [
    {"script_id": f"0{name}" * 16, "script_url": f"https://cdn.example.net/{name}.js", "host": "shop.example.com"}
    | {"status": "active", "hash": name * 64}
    for name in "ab"
]


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


def test_dates_and_hostile_texts(playbook: Playbook, tmp_path: Path) -> None:
    """A date without quotes is a date for YAML and a text for the report; a text arrives as it is, and as no template."""
    texts = [text for text in HOSTILE if "{{" not in text and "\ud800" not in text]
    zones = [record(f"zone {number}", scripts=audit(finding(message=text))) for number, text in enumerate(texts)]
    hostile = [
        {
            "name": f"Hostile {place}",
            REPORT: {"zones": zones, "at": AT, "dest": str(tmp_path / place), "formats": ["json", "junit", "html"]},
            "vars": {"edgeops_in_process": place == "inside"},
        }
        for place in ("inside", "module")
    ]
    unquoted = f"""
- hosts: all
  gather_facts: false
  tasks:
    - edgeops.observability.audit_report:
        dest: {tmp_path}/out
        at: 2026-11-22T06:00:00Z
        zones: [{{zone: a, error: {{kind: permission, message: no}}}}]
        waivers: [{{reason: known, owner: web, until: 2026-12-31}}]
    - {json.dumps(hostile[0])}
    - {json.dumps(hostile[1])}
"""
    (tmp_path / "play.yml").write_text(unquoted, encoding="utf-8")
    playbook.run(playbook=tmp_path / "play.yml")
    made = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert (made["generated_at"], made["waivers"][0]["until"]) == (AT, "2026-12-31")
    for place in ("inside", "module"):
        made = json.loads((tmp_path / place / "report.json").read_text(encoding="utf-8"))
        assert sorted(row["items"][0]["message"].partition("; should be: ")[0] for row in made["zones"]) == sorted(texts)
        ET.fromstring((tmp_path / place / "report.xml").read_bytes())  # noqa: S314  # made by the code under test


def test_unquoted_dates_in_host_variables(playbook: Playbook, zone: str, tmp_path: Path) -> None:
    """As users write them: YAML makes dates of them, and a template hands them on."""
    playbook.simulator.seed(scripts={zone: SCRIPTS}, script_monitor={zone: {"enabled": True}})
    inventory = tmp_path / "hosts.yml"
    inventory.write_text(
        f"""all:
  hosts:
    shop:
      ansible_connection: local
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
    options = {"zone_id": "{{ zone_id }}", "at": "2026-11-21T06:00:00Z"}
    tasks = [
        {
            "name": "Templated",
            AUDIT: {**options, "baseline": "{{ script_baseline }}", "fail_on": "{{ script_gate }}"},
            "ignore_errors": True,
        },
        {"name": "Composed", AUDIT: {**options, "baseline": "{{ script_baseline[:1] + script_baseline[1:] }}"}},
        {
            "name": "A date of a template",
            AUDIT: {**options, "baseline": [{**KNOWN, "review_by": "{{ script_baseline[1].review_by }}"}]},
        },
    ]
    play = {"name": "Audit", "hosts": "shop", "gather_facts": False, "tasks": tasks}
    templated, composed, single = [
        outcome.result for outcome in playbook.run(playbook=[play], inventory=inventory, fails="gate").ours
    ]
    assert [(each["kind"], each["entry"]) for each in templated["findings"]] == [("expired", "b")]
    assert templated["findings"] == composed["findings"] and templated["passed"] is False
    assert [each["kind"] for each in single["findings"]] == ["new", "expired"]
