# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
import yaml
from zone_runs import DESTINATION, SECRET, fleet, lists, modules, selected, shown_lines

from ansible_collections.edgeops.observability.plugins.module_utils._delivery.variables import PLAYBOOK_VARIABLES

PLAYBOOKS = Path(__file__).resolve().parents[2] / "playbooks"
DELIVER = "edgeops.observability.deliver"
CHECK = "edgeops.observability.check"
DESIRED = {"custom_fields": lists(request=["x-trace-id"])}


def without_role_zone(hosts):
    """Zones as an inventory plugin lists them: the role's own variable for the zone is not set."""
    return {name: {key: value for key, value in host.items() if key != "log_delivery_zone_id"} for name, host in hosts.items()}


def findings(report):
    """What the audit kept as data, and what it showed."""
    (stats,) = [
        outcome.result["ansible_stats"]["data"]["edgeops_check"]
        for outcome in report.outcomes
        if "ansible_stats" in outcome.result
    ]
    return stats, shown_lines(report)


def recap(report):
    """How many tasks changed each zone, as the last lines of Ansible tell."""
    found = re.findall(r"^(zone\d+) +: ok=\d+ +changed=(\d+)", report.stdout, re.MULTILINE)
    return {host: int(number) for host, number in found}


def failed_hosts(report):
    """Hosts that the recap counts as failed."""
    return set(re.findall(r"^(\S+)\s+: ok=.* failed=[1-9]", report.stdout, re.MULTILINE))


def test_check_is_compliant_after_deliver(playbook, simulator):
    """deliver brings every zone into its desired state, and check then reports it as compliant."""
    hosts = without_role_zone(fleet(simulator, [DESIRED, {"script_monitor_enabled": True}]))
    before = playbook.run(playbook=CHECK, inventory=hosts, secrets=[SECRET])
    stats, shown = findings(before)
    assert stats["drifted"] == ["zone0", "zone1"] and stats["lines"] == shown
    differing = [line.split(": ")[0:2] for line in shown if " difference: " in line]
    assert [zone.split()[0] for zone, _about in differing] == ["zone0", "zone0", "zone1", "zone1"]
    assert [about.split()[0] for _zone, about in differing] == ["custom", "job", "job", "script"]
    assert "2 zones: 0 unaudited, 2 drifted, 0 with findings, 0 unmanaged, 0 compliant" in shown
    assert recap(before) == {"zone0": 0, "zone1": 0}
    assert not before.writes

    playbook.run(playbook=DELIVER, inventory=hosts, secrets=[SECRET])
    assert [len(simulator.state(host["zone_id"])["jobs"]) for host in hosts.values()] == [1, 1]
    assert selected(simulator, hosts["zone0"]["zone_id"])[-1] == "RequestHeaders"

    again = playbook.run(playbook=DELIVER, inventory=hosts)
    assert not again.writes
    assert not [outcome for outcome in again.ours if outcome.result["changed"]]

    after = playbook.run(playbook=CHECK, inventory=hosts, extra_vars={"edgeops_fail_on": "drifted"})
    stats, shown = findings(after)
    assert {name: zones for name, zones in stats.items() if zones and name != "lines"} == {"compliant": ["zone0", "zone1"]}
    assert after.returncode == 0 and not after.writes


def test_delivery_facts(playbook, simulator):
    """One task asks for all zones of a connection; lost records are findings, and facts that are not available a note."""
    hosts = without_role_zone(fleet(simulator, [DESIRED, DESIRED, DESIRED]))
    playbook.run(playbook=DELIVER, inventory=hosts, secrets=[SECRET])
    first, second = (hosts[name]["zone_id"] for name in ("zone0", "zone1"))
    number = simulator.state(first)["jobs"][0]["id"]
    lost = {"job_id": number, "status": 403, "success": 0, "final": 1, "records": 7, "bytes": 70}
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600))
    simulator.seed(uploads={first: [{"datetime": moment, **lost}]})
    simulator.settings(graphql_disabled=[f"zones/{second}/*"])
    # Another credential is another connection.
    hosts["zone2"] |= {"edgeops_api_email": simulator.email, "edgeops_api_key": simulator.key, "edgeops_api_token": ""}
    report = playbook.run(
        playbook=CHECK, inventory=hosts, extra_vars={"edgeops_audit_delivery": True}, warns=["no delivery facts"]
    )
    stats, shown = findings(report)
    assert (stats["findings"], stats["unaudited"], report.returncode) == (["zone0"], [], 0)
    assert any("zone0 finding records_dropped (high): job edge-logs: 7 records dropped" in line for line in shown)
    assert any("zone1 note not_readable" in line for line in shown)
    assert {outcome.host for outcome in modules(report, "logpush_delivery_info")} == {"zone0", "zone2"}
    assert not report.writes


def test_failing_zone_hides_no_other_zone(playbook, simulator):
    """A failing zone, one without its variables, and one that is not reached and alone in its batch, hide no other zone."""
    hosts = without_role_zone(fleet(simulator, [DESIRED, DESIRED, DESIRED, DESIRED, DESIRED]))
    hosts["zone1"]["log_delivery_job"] = {"enabled": True}
    del hosts["zone2"]["zone_id"]
    simulator.faults(
        {"kind": "status", "status": 403, "zone": hosts["zone3"]["zone_id"], "code": 10000, "message": "no", "count": None}
    )
    hosts["zone4"].update(ansible_connection="ssh", ansible_host="127.0.0.1", ansible_port=9, edgeops_in_process=False)
    fails = ("ansible", "authentication", "invalid_option", "unreachable")
    report = playbook.run(playbook=CHECK, inventory=hosts, extra_vars={"edgeops_zones_at_once": 2}, fails=fails)
    stats, shown = findings(report)
    assert stats["drifted"] == ["zone0"] and stats["unaudited"] == ["zone1", "zone2", "zone3", "zone4"]
    errors = [line.partition(" unaudited: ")[2] for line in shown if " unaudited: " in line]
    assert errors[0].startswith("invalid_option: job.name: ")
    assert errors[1].startswith("invalid_option: ") and "zone_id" in errors[1]
    assert errors[2].startswith("authentication: ")
    assert errors[3] == "unavailable: it could not be reached"
    assert report.returncode != 0
    assert failed_hosts(report) == {"zone1", "zone2", "zone3", "zone4"}


def test_target_and_limit_narrow_the_audit(playbook, simulator):
    hosts = fleet(simulator, [DESIRED, DESIRED, DESIRED])
    variables = {"edgeops_target": "zone1:zone2", "edgeops_fail_on": "unaudited, drifted"}
    arguments = ["--limit", "zone0:zone2"]
    report = playbook.run(playbook=CHECK, inventory=hosts, extra_vars=variables, arguments=arguments, fails="ansible")
    stats, _shown = findings(report)
    assert (stats["drifted"], stats["unaudited"]) == (["zone2"], [])
    assert report.returncode != 0 and failed_hosts(report) == {"zone2"}


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"edgeops_report_merge": "missing.json"}, "merge[0]: "),
        ({"edgeops_target": "{{ nowhere }}"}, "edgeops_target: cannot be evaluated"),
        ({"edgeops_target": "zone0:!zone0"}, "no host for 'zone0:!zone0'"),
    ],
)
def test_a_run_is_validated_first(playbook, simulator, variables, said):
    """Before any zone is read, and even where none can be reached."""
    hosts = fleet(simulator, [DESIRED])
    hosts["zone0"].update(ansible_connection="ssh", ansible_host="127.0.0.1", ansible_port=9)
    report = playbook.run(playbook=CHECK, inventory=hosts, extra_vars=variables, fails="invalid_option")
    assert said in report.failure["msg"] and not report.journal


def test_script_audits_that_fail_their_zone(playbook, simulator):
    """A finding that the variable of a zone names fails that zone only; without its history an audit would pass, and leave no record."""
    hosts = fleet(simulator, [{"script_monitor_enabled": True}] * 4)
    hosts["zone0"]["edgeops_evidence_dir"] = hosts["zone1"]["edgeops_expected_head"] = "{{ nowhere }}"
    hosts["zone2"]["edgeops_script_fail_on"] = ["nothing_seen", "monitor_off"]
    report = playbook.run(
        playbook=CHECK, inventory=hosts, extra_vars={"edgeops_audit_scripts": "yes"}, fails=("ansible", "gate"), secrets=[SECRET]
    )
    stats, shown = findings(report)
    assert stats["unaudited"] == ["zone0", "zone1"]
    assert all("'nowhere' is undefined" in line for line in shown if " unaudited: " in line)
    assert failed_hosts(report) == {"zone0", "zone1", "zone2"}


def test_checked_twice_in_one_run(playbook, simulator):
    """What one audit found out is forgotten by the next."""
    hosts = fleet(simulator, [DESIRED, DESIRED])
    simulator.faults({"kind": "status", "status": 403, "zone": hosts["zone0"]["zone_id"], "count": 1})
    again = {"name": "Go on", "hosts": "all", "gather_facts": False, "tasks": [{"meta": "clear_host_errors"}]}
    plays = [{"import_playbook": CHECK}, again, {"import_playbook": CHECK}]
    report = playbook.run(playbook=plays, inventory=hosts, fails=("ansible", "permission"))
    counts = [" ".join(outcome.result["msg"]) for outcome in report.outcomes if outcome.name == "Show the findings"]
    assert "1 drifted" in counts[0] and "1 unaudited" in counts[0] and "2 drifted" in counts[1], counts


@pytest.mark.parametrize("name", [CHECK, DELIVER])
def test_untemplatable_connection_fails(playbook, simulator, name):
    """Nothing takes its place: neither the address nor the credentials of the environment. The other zones are not affected."""
    hosts = fleet(simulator, [DESIRED] * 9)
    hosts["zone0"]["edgeops_base_url"] = "{{ rehearsal_url }}"
    hosts["zone1"]["edgeops_api_token"] = "{{ vault_token }}"
    hosts["zone2"].update(edgeops_timeout="", edgeops_api_token="", edgeops_base_url="", edgeops_ca_path="", edgeops_retries="")
    hosts["zone3"]["log_delivery_zone_id"] = "{{ zone_of_somebody }}"
    hosts["zone5"]["log_delivery_zone_id"] = "nonsense"
    del hosts["zone6"]["zone_id"], hosts["zone6"]["log_delivery_zone_id"]
    hosts["zone7"]["edgeops_timeout"], hosts["zone8"]["edgeops_retries"] = -1, "often"
    report = playbook.run(playbook=name, inventory=hosts, fails=("ansible", "invalid_option"))
    assert failed_hosts(report) == {"zone0", "zone1", "zone3", *(f"zone{number}" for number in range(5, 9))}
    reached = {entry["zone"] for entry in report.journal}
    assert reached == {hosts["zone2"]["zone_id"], hosts["zone4"]["zone_id"]}
    texts = {outcome.host: outcome.result["msg"] for outcome in report.failures if outcome.name.startswith("Fail for a zone")}
    assert "rehearsal_url" in texts["zone0"] and "vault_token" in texts["zone1"]
    for zone, option in (("zone5", "zone_id"), ("zone6", "zone_id"), ("zone7", "timeout"), ("zone8", "retries")):
        assert texts[zone].startswith("invalid_option: ") and option in texts[zone]


def test_failed_batch_does_not_end_delivery(playbook, simulator):
    """A batch that fails as a whole does not end a delivery."""
    hosts = fleet(simulator, [DESIRED] * 4)
    for zone in ("zone0", "zone1"):
        fault = {"kind": "status", "status": 403, "zone": hosts[zone]["zone_id"], "code": 10000, "message": "no", "count": None}
        simulator.faults(fault)
    hosts["zone2"].update(ansible_connection="ssh", ansible_host="127.0.0.1", ansible_port=9, edgeops_in_process=False)
    report = playbook.run(
        playbook=DELIVER,
        inventory=hosts,
        extra_vars={"edgeops_zones_at_once": 1},
        fails=("ansible", "unreachable", "authentication"),
    )
    assert report.returncode != 0 and failed_hosts(report) == {"zone0", "zone1", "zone2"}
    shown = shown_lines(report, "Show the outcomes")
    assert shown[0] == "4 zones: 1 changed, 0 unchanged, 2 failed, 1 not reached"
    assert [line.split(":")[0] for line in shown[1:4]] == ["zone0 failed", "zone1 failed", "zone2 was not reached"]
    assert {line.split(":")[0] for line in shown[4:]} == {"zone3 changed"}
    assert len(simulator.state(hosts["zone3"]["zone_id"])["jobs"]) == 1


def test_what_a_check_shows_of_jobs(playbook, simulator):
    """A changed secret is a difference and masked; custom fields that no job selects are a note; a zone that declares nothing is not read."""
    hosts = fleet(simulator, [DESIRED, {"job": None, "custom_fields": lists(cookies=["Cart"])}, {"job": None}])
    older = "planted-older-secret-93e2"
    job = {"name": "edge-logs", "destination_conf": DESTINATION.replace(SECRET, older), "enabled": True}
    rule = {"action": "log_custom_field", "expression": "true", "action_parameters": {"cookie_fields": [{"name": "Cart"}]}}
    ruleset = {"name": "entry", "kind": "zone", "phase": "http_log_custom_fields", "rules": [rule]}
    first, second, _third = (host["zone_id"] for host in hosts.values())
    simulator.seed(jobs={first: [{**job, "dataset": "http_requests"}]}, rulesets={second: [ruleset]})
    report = playbook.run(playbook=CHECK, inventory=hosts, secrets=[SECRET, older], verbosity=4)
    stats, shown = findings(report)
    assert [line for line in shown if line.startswith("zone0 difference: job edge-logs: ") and "destination" in line]
    assert any(line.startswith("zone1 ") and "cookie_fields (Cart) reach no log" in line for line in shown)
    assert stats["unmanaged"] == ["zone2"] and {entry["zone"] for entry in report.journal} == {first, second}
    listings = [entry["zone"] for entry in report.journal if entry["path"].endswith("/logpush/jobs")]
    assert sorted(listings) == sorted([first, second])


def test_an_inventory_gives_the_connection(playbook, simulator):
    hosts = fleet(simulator, [{}])
    hosts["zone0"].update(
        edgeops_base_url=simulator.base_url, edgeops_api_email=simulator.email, edgeops_api_key="{{ kept_key }}", edgeops_retries=0,
        edgeops_validate_certs=False, edgeops_api_token="", kept_key=simulator.key,
    )  # fmt: skip
    nowhere = {"CLOUDFLARE_BASE_URL": "http://127.0.0.1:9", "CLOUDFLARE_API_TOKEN": "planted-wrong-token"}
    report = playbook.run(playbook=DELIVER, inventory=hosts, env=nowhere)
    assert report.journal and {entry["credential"] for entry in report.journal} == {"email_key"}
    assert len(simulator.state(hosts["zone0"]["zone_id"])["jobs"]) == 1


def test_plain_inventory_needs_no_connection(playbook, simulator, tmp_path):
    """A plain inventory needs no connection variables."""
    hosts = fleet(simulator, [DESIRED])
    inventory = tmp_path / "plain.yml"
    inventory.write_text(yaml.safe_dump({"all": {"hosts": hosts}}))
    report = playbook.run(playbook=DELIVER, inventory=inventory, in_process=False)
    assert [outcome.result["changed"] for outcome in modules(report, "zone_observability")] == [False, True]


def texts(node):
    """Every text in a document."""
    if isinstance(node, str):
        return [node]
    return [
        text
        for each in (node.values() if isinstance(node, dict) else node if isinstance(node, list) else ())
        for text in texts(each)
    ]


def test_playbooks_are_short_and_plain():
    """No expression hides a text, and none needs more than a line."""
    folders = [PLAYBOOKS, PLAYBOOKS / "tasks", *(PLAYBOOKS.parent / "roles").glob("*/*")]
    for path in (path for folder in folders for path in folder.glob("*.yml")):
        found = [text for text in texts(yaml.safe_load(path.read_text())) if "{{" in text or "{%" in text]
        assert max(map(len, found), default=0) <= 120, path
        assert not [text for text in found if re.search(r"\{\{ '", text)], path
    assert max(len(path.read_text().splitlines()) for path in PLAYBOOKS.glob("*.yml")) <= 135


def test_playbook_readme_names_every_variable():
    readme = (PLAYBOOKS / "README.md").read_text()
    assert not [name for name in PLAYBOOK_VARIABLES if f"`{name}`" not in readme]
