# SPDX-License-Identifier: GPL-3.0-or-later

"""A variable of one zone that cannot be evaluated: the zone fails alone, and nothing prints the value that holds the template."""

import json

import pytest
from zone_runs import GO_ON, SECRET, fleet, imported, lists, play

DESIRED = {"custom_fields": lists(request=["x-trace-id"])}
HIDDEN = "planted-header-value-of-a-job"
JOB = {"name": "edge", "destination_conf": f"https://logs.example/in?header_Authorization={HIDDEN}"}
BROKEN = {
    "job": (
        {"log_delivery_job": {**JOB, "filter": "{{ nope.x }}"}},
        "'nope' is undefined",
    ),
    "jobs": ({"log_delivery_jobs": [JOB, {**JOB, "name": "{{ name_of_it }}"}]}, "'name_of_it' is undefined"),
    "text": ({"log_delivery_job": f"{{{{ {JOB} | combine(nope) }}}}"}, "'nope' is undefined"),
    "defaults": ({"log_delivery_job_defaults": {**JOB, "filter": "{{ nope }}"}, "log_delivery_job": {"name": "a"}}, "nope"),
    "pages": ({"edgeops_pages": "{{ nope }}"}, "edgeops_pages: cannot be evaluated: 'nope' is undefined"),
    "allow": ({"edgeops_allow": ["{{ nope }}"]}, "edgeops_allow: cannot be evaluated: 'nope' is undefined"),
}


def hosts_of(simulator):
    made = dict(zip([*BROKEN, "good"], fleet(simulator, [DESIRED] * (len(BROKEN) + 1)).values(), strict=True))
    return {name: host | BROKEN.get(name, ({}, ""))[0] for name, host in made.items()}


ENDS = {"check": "Fail for a zone that could not be audited", "deliver": "Fail for a zone that failed"}


def ends_of(report, name):
    """Return the messages with which a playbook fails its zones in the end."""
    return {outcome.host: outcome.result["msg"] for outcome in report.failures if outcome.name.startswith(ENDS[name])}


def test_zone_fails_alone_and_prints_no_secret(playbook, simulator, tmp_path):
    hosts = hosts_of(simulator)
    plays = [imported("check", edgeops_report_dir=str(tmp_path)), GO_ON, imported("deliver")]
    report = playbook.run(playbook=plays, inventory=hosts, secrets=[SECRET, HIDDEN], fails="ansible")
    for name in ENDS:
        ends = ends_of(report, name)
        assert ends.keys() == BROKEN.keys()
        assert [host for host, (_variables, reason) in BROKEN.items() if reason not in ends[host]] == []
    assert {entry["zone"] for entry in report.writes} == {hosts["good"]["zone_id"]}
    assert HIDDEN not in json.dumps([path.read_text(encoding="utf-8") for path in tmp_path.glob("report.*")])


@pytest.mark.every_core
def test_delivery_without_guard_fails_the_same(playbook, simulator):
    """And so does a play with the role alone, which reads no variable of the playbooks."""
    hosts = hosts_of(simulator)
    role = play({}, hosts="all:!pages:!allow:!good")
    plays = [imported("deliver", edgeops_guard=False), GO_ON, role]
    report = playbook.run(playbook=plays, inventory=hosts, secrets=[SECRET, HIDDEN], fails="ansible")
    ends = ends_of(report, "deliver")
    assert ends.keys() == BROKEN.keys()
    assert [host for host, (_variables, reason) in BROKEN.items() if reason not in ends[host]] == []
    of_role = report.failures[-len(BROKEN.keys() - {"pages", "allow"}) :]
    assert {outcome.host for outcome in of_role} == BROKEN.keys() - {"pages", "allow"}
    assert not [outcome.name for outcome in of_role if outcome.name.startswith("Fail for")]
    assert {entry["zone"] for entry in report.writes} == {hosts["good"]["zone_id"]}
