# SPDX-License-Identifier: GPL-3.0-or-later

"""Alert rules and dashboard query series that reports contain, and the rules fire as intended."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from support.samples.fleet import full, job, record, report

from ansible_collections.edgeops.observability.plugins.plugin_utils._report.formats import render_metrics

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "monitoring"
_SERIES = re.compile(r"(edgeops_[a-z_]+)(?:\{([^}]*)\})?")
_LABEL = re.compile(r'([a-z]+)(?:=~|!=|=)"([^"]*)"')


def samples() -> dict[str, dict[str, set[str]]]:
    """Return the values of each label of each series, from a report with every type of item."""
    delivered = report({**record("f.example"), "jobs": [job()], "delivery": [{"job_id": 1, "records": 5, "dropped_records": 0}]})
    series: dict[str, dict[str, set[str]]] = {}
    for made in (full(), delivered):
        for name, labels in _SERIES.findall(re.sub("(?m)^#.*$", "", render_metrics(made).decode())):
            of_name = series.setdefault(name, {})
            for label, value in _LABEL.findall(labels):
                of_name.setdefault(label, set()).add(value)
    return series


def queries() -> list[str]:
    rules = yaml.safe_load((EXAMPLE / "alerts.yml").read_text(encoding="utf-8"))
    dashboard = json.loads((EXAMPLE / "dashboard.json").read_text(encoding="utf-8"))
    expressions = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    return expressions + [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


@pytest.mark.parametrize("query", queries())
def test_query_uses_existing_series(query):
    """Reports have the series, labels, and label values (of status, state, kind and type) of the query."""
    known = samples()
    named = _SERIES.findall(query)
    assert named
    for name, labels in named:
        assert name in known
        for label, pattern in _LABEL.findall(labels):
            assert all(value in known[name][label] for value in pattern.split("|"))
    for label in re.findall(r"by \(([^)]*)\)", query):
        assert set(re.split(r",\s*", label)) <= set(known[named[0][0]])


def promtool(*arguments: str, stdin: bytes = b"") -> None:
    """Run promtool in the folder of the examples; fail if it reports an error."""
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("no promtool on this machine: install the package prometheus to test alert rules and metrics")
    done = subprocess.run([program, *arguments], cwd=EXAMPLE, input=stdin, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_rules_fire_as_intended():
    promtool("test", "rules", "alerts_test.yml")


def test_prometheus_reads_the_metrics():
    promtool("check", "metrics", stdin=render_metrics(full()))


def test_each_rule_is_tested():
    rules = yaml.safe_load((EXAMPLE / "alerts.yml").read_text(encoding="utf-8"))
    tests = yaml.safe_load((EXAMPLE / "alerts_test.yml").read_text(encoding="utf-8"))
    fired = {case["alertname"] for test in tests["tests"] for case in test["alert_rule_test"] if case["exp_alerts"]}
    assert fired == {rule["alert"] for group in rules["groups"] for rule in group["rules"]}
