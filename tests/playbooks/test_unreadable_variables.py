# SPDX-License-Identifier: GPL-3.0-or-later

"""A variable of one zone that cannot be evaluated: the zone fails alone, and nothing prints the value that holds the template."""

import json

import pytest
from zone_runs import SECRET, fleet, lists

CHECK, DELIVER = (f"edgeops.observability.{name}" for name in ("check", "deliver"))
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


@pytest.mark.every_core
@pytest.mark.parametrize(("name", "variables"), [(CHECK, {}), (DELIVER, {}), (DELIVER, {"edgeops_guard": False})])
def test_zone_fails_alone_and_prints_no_secret(playbook, simulator, tmp_path, name, variables):
    hosts = hosts_of(simulator)
    extra = {**variables, **({"edgeops_report_dir": str(tmp_path / "report")} if name == CHECK else {})}
    report = playbook.run(playbook=name, inventory=hosts, extra_vars=extra, secrets=[SECRET, HIDDEN], fails="ansible")
    ends = {outcome.host: outcome.result["msg"] for outcome in report.failures if outcome.name.startswith("Fail for a zone")}
    assert ends.keys() == BROKEN.keys()
    for host, (_variables, reason) in BROKEN.items():
        assert reason in ends[host]
    assert {entry["zone"] for entry in report.writes} == ({hosts["good"]["zone_id"]} if name == DELIVER else set())
    if name == CHECK:
        assert HIDDEN not in json.dumps([path.read_text(encoding="utf-8") for path in (tmp_path / "report").iterdir()])


@pytest.mark.every_core
def test_role_alone_prints_no_secret(playbook, simulator):
    hosts = {name: host for name, host in hosts_of(simulator).items() if name not in ("pages", "allow", "good")}
    play = {"hosts": "all", "gather_facts": False, "roles": ["edgeops.observability.log_delivery"]}
    report = playbook.run(playbook=[play], inventory=hosts, secrets=[SECRET, HIDDEN], fails="ansible")
    assert {outcome.host for outcome in report.failures} == hosts.keys() and not report.journal
