# SPDX-License-Identifier: GPL-3.0-or-later

import json
import re
import time
from pathlib import Path

import pytest
import yaml
from planting import texts
from zone_runs import DESTINATION, SECRET, fleet, lists, modules, selected, shown_lines

PLAYBOOKS = Path(__file__).resolve().parents[2] / "playbooks"
DELIVER = "edgeops.observability.deliver"
CHECK = "edgeops.observability.check"
LOST = "failing_logpush_job_disabled_alert"
DESIRED = {"custom_fields": lists(request=["x-trace-id"])}


def findings(report):
    """Return the findings of an audit: as statistics, and as printed lines."""
    (stats,) = [
        outcome.result["ansible_stats"]["data"]["edgeops_check"]
        for outcome in report.outcomes
        if "ansible_stats" in outcome.result
    ]
    return stats, shown_lines(report)


def failed_hosts(report):
    """Return the hosts that the recap counts as failed."""
    return set(re.findall(r"^(\S+)\s+: ok=.* failed=[1-9]", report.stdout, re.MULTILINE))


def test_check_after_deliver(playbook, simulator, tmp_path):
    """After a delivery the zones of an inventory with connection variables are compliant; one task reads delivery facts for all of them.

    Lost records are findings, and missing delivery facts are a note.
    """
    hosts = fleet(simulator, [DESIRED, {**DESIRED, "script_monitor_enabled": True}, DESIRED])
    for host in hosts.values():
        del host["log_delivery_zone_id"]  # the inventory plugin does not set it either
        host |= {"edgeops_base_url": simulator.base_url, "edgeops_api_token": "{{ kept }}", "kept": simulator.token}
    # A different credential makes it a different connection.
    hosts["zone2"] |= {"edgeops_api_email": simulator.email, "edgeops_api_key": simulator.key, "edgeops_api_token": ""}
    inventory = tmp_path / "plain.yml"
    inventory.write_text(yaml.safe_dump({"all": {"hosts": hosts}}))
    nowhere = {"CLOUDFLARE_BASE_URL": "http://127.0.0.1:9", "CLOUDFLARE_API_TOKEN": "planted-wrong-token"}
    run = {"inventory": inventory, "env": nowhere, "secrets": [SECRET]}
    delivered = playbook.run(playbook=DELIVER, **run)
    assert {entry["credential"] for entry in delivered.journal} == {"token", "email_key"}
    first, second = (hosts[name]["zone_id"] for name in ("zone0", "zone1"))
    assert selected(simulator, first)[-1] == "RequestHeaders" and simulator.state(second)["script_monitor"]["enabled"]
    number = simulator.state(first)["jobs"][0]["id"]
    lost = {"job_id": number, "status": 403, "success": 0, "final": 1, "records": 7, "bytes": 70}
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600))
    simulator.seed(uploads={first: [{"datetime": moment, **lost}]})
    simulator.settings(graphql_disabled=[f"zones/{second}/*"])
    variables = {"edgeops_audit_delivery": True, "edgeops_fail_on": "drifted"}
    report = playbook.run(playbook=CHECK, extra_vars=variables, **run)
    stats, lines = findings(report)
    assert {name: zones for name, zones in stats["statuses"].items() if zones} == {
        "findings": ["zone0"],
        "compliant": ["zone1", "zone2"],
    }
    assert report.returncode == 0 and not report.writes
    assert any("zone0 finding records_dropped (high): job edge-logs: 7 records dropped" in line for line in lines)
    assert any("zone1 note not_readable" in line for line in lines)
    asked = [entry for entry in report.journal if entry["path"] == "/graphql"]
    assert {entry["credential"] for entry in asked} == {"token", "email_key"}


# Variables with which a zone fails in both playbooks, and how the reason begins. A connection that cannot be evaluated is not
# replaced with the address or the credentials of the environment.
FAILING = {
    "job": ({"log_delivery_job": {"enabled": True}}, "invalid_option: job.name: "),
    "no_zone": ({"zone_id": None, "log_delivery_zone_id": None}, "invalid_option: "),
    "no_id": ({"log_delivery_zone_id": "nonsense"}, "invalid_option: log_delivery_zone_id: "),
    "refused": ({}, "authentication: "),
    "remote": (
        {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 9, "edgeops_in_process": False},
        "unavailable: it could not be reached",
    ),
    "address": ({"edgeops_base_url": "{{ rehearsal_url }}"}, "rehearsal_url"),
    "token": ({"edgeops_api_token": "{{ vault_token }}"}, "vault_token"),
    "zone": ({"log_delivery_zone_id": "{{ zone_of_another }}"}, "zone_of_another"),
    "timeout": ({"edgeops_timeout": -1}, "invalid_option: edgeops_timeout: "),
    "retries": ({"edgeops_retries": "often"}, "invalid_option: "),
}
EMPTY = {f"edgeops_{name}": "" for name in ("timeout", "api_token", "base_url", "ca_path", "retries")}


def failing_fleet(simulator):
    """Return a host for each way to fail, and two valid ones."""
    made = dict(zip([*FAILING, "empty", "good"], fleet(simulator, [DESIRED] * (len(FAILING) + 2)).values(), strict=True))
    by_host = {**{name: variables for name, (variables, _reason) in FAILING.items()}, "empty": EMPTY, "good": {}}
    refused = {"kind": "status", "status": 403, "zone": made["refused"]["zone_id"], "code": 10000, "message": "no"}
    simulator.faults({**refused, "count": None})
    return {
        name: {key: value for key, value in (host | by_host[name]).items() if value is not None} for name, host in made.items()
    }


def test_switches_have_the_spellings_of_a_module(playbook, simulator, tmp_path):
    """What validation takes for true is true for the play too, which is more than the filter `bool` takes."""
    spellings = ("y", "t", "Y", "T", "on", "1", 1.0, "n", "f")
    hosts = fleet(simulator, [{"script_monitor_enabled": True}] * len(spellings))
    for host, spelling in zip(hosts.values(), spellings, strict=True):
        host["edgeops_audit_scripts"] = spelling
    extra = {"edgeops_report_dir": str(tmp_path)}
    report = playbook.run(playbook=CHECK, inventory=hosts, extra_vars=extra)
    audited = [outcome.host for outcome in report.ours if outcome.module == "script_audit" and outcome.status != "skipped"]
    assert sorted(audited) == [f"zone{number}" for number in range(7)]


def test_failing_zones_do_not_hide_others(playbook, simulator):
    """Other zones are audited even if the whole first batch fails. Script audits also fail for damaged evidence and for findings."""
    hosts = failing_fleet(simulator)
    audits = fleet(simulator, [{"script_monitor_enabled": True}] * 3)
    for host in audits.values():
        host["edgeops_audit_scripts"] = "yes"
    audits["zone0"]["edgeops_evidence_dir"] = audits["zone1"]["edgeops_expected_head"] = "{{ nowhere }}"
    audits["zone2"]["edgeops_script_fail_on"] = ["nothing_seen", "monitor_off"]
    fails = ("ansible", "authentication", "invalid_option", "unreachable", "gate")
    report = playbook.run(
        playbook=CHECK, inventory=hosts | audits, extra_vars={"edgeops_zones_at_once": 5}, fails=fails, secrets=[SECRET]
    )
    stats, lines = findings(report)
    assert sorted(stats["statuses"]["drifted"]) == ["empty", "good", "zone2"]
    assert sorted(stats["statuses"]["unaudited"]) == sorted([*FAILING, "zone0", "zone1"])
    reasons = dict(line.split(" unaudited: ", 1) for line in lines if " unaudited: " in line)
    for name, (_variables, reason) in FAILING.items():
        assert reason in reasons[name], name
    assert all("'nowhere' is undefined" in reasons[name] for name in ("zone0", "zone1"))
    assert failed_hosts(report) == {*FAILING, *audits} and report.returncode != 0


@pytest.mark.parametrize("place", ["inventory", "set_fact"])
def test_what_was_set_before_is_no_result(playbook, simulator, tmp_path, place):
    """What an inventory or a play says under the name of a result is not audited: nothing was read of an unmanaged zone."""
    hosts = fleet(simulator, [{"job": None}])
    health = {"state": "failing", "error_message": "denied", "last_error": "2026-11-01T00:00:00Z"}
    listed = {"jobs": [{"id": 1, "name": "edge", "dataset": "http_requests", "enabled": True, "health": health}]}
    forged = {"_log_delivery_listed": listed, "_edgeops_notifications": {"notification_policies": []}}
    plays = CHECK
    if place == "set_fact":
        play = {"name": "Set", "hosts": "all", "gather_facts": False, "tasks": [{"ansible.builtin.set_fact": forged}]}
        plays = [play, {"import_playbook": CHECK}]
    else:
        hosts["zone0"] |= forged
    playbook.run(playbook=plays, inventory=hosts, extra_vars={"edgeops_report_dir": str(tmp_path)})
    (row,) = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["zones"]
    assert (row["status"], row["items"], row["jobs"]) == ("unmanaged", [], None)


def test_a_listing_of_an_earlier_check_is_no_result(playbook, simulator, tmp_path):
    """The second check reads nothing of a zone for which nothing is declared any more."""
    hosts = fleet(simulator, [{"job": None, "script_monitor_enabled": False}])
    simulator.seed(jobs={hosts["zone0"]["zone_id"]: [{"name": "a", "dataset": "http_requests", "destination_conf": "gs://b/c"}]})
    forget = {"ansible.builtin.set_fact": {"log_delivery_script_monitor_enabled": None}}
    between = {"name": "Declare nothing", "hosts": "all", "gather_facts": False, "tasks": [forget]}
    folders = [tmp_path / "first", tmp_path / "second"]
    checks = [{"import_playbook": CHECK, "vars": {"edgeops_report_dir": str(folder)}} for folder in folders]
    playbook.run(playbook=[checks[0], between, checks[1]], inventory=hosts)
    rows = [json.loads((folder / "report.json").read_text(encoding="utf-8"))["zones"][0] for folder in folders]
    assert len(rows[0]["jobs"]) == 1 and (rows[1]["status"], rows[1]["jobs"]) == ("unmanaged", None)


def test_failing_zones_do_not_end_a_delivery(playbook, simulator):
    hosts = failing_fleet(simulator)
    fails = ("ansible", "unreachable", "authentication", "invalid_option")
    report = playbook.run(playbook=DELIVER, inventory=hosts, fails=fails)
    assert report.returncode != 0 and failed_hosts(report) == set(FAILING)
    counts, *lines = shown_lines(report, "Show the outcomes")
    assert counts == "12 zones: 2 changed, 0 unchanged, 9 failed, 1 not reached"
    assert {line.split(":")[0] for line in lines} >= {"remote was not reached", "empty changed", "good changed", "token failed"}
    assert {entry["zone"] for entry in report.writes} == {hosts["empty"]["zone_id"], hosts["good"]["zone_id"]}
    reached = {entry["zone"] for entry in report.journal}
    assert reached == {hosts[name]["zone_id"] for name in ("empty", "good", "refused")}
    texts = {outcome.host: outcome.result["msg"] for outcome in report.failures if outcome.name.startswith("Fail for a zone")}
    assert {name for name, (_variables, reason) in FAILING.items() if reason not in texts[name]} <= {"remote"}


def test_target_and_limit_narrow_the_audit(playbook, simulator):
    hosts = fleet(simulator, [DESIRED, DESIRED, DESIRED])
    variables = {"edgeops_target": "zone1:zone2", "edgeops_fail_on": "unaudited, drifted"}
    arguments = ["--limit", "zone0:zone2"]
    report = playbook.run(playbook=CHECK, inventory=hosts, extra_vars=variables, arguments=arguments, fails="ansible")
    stats, _shown = findings(report)
    assert (stats["statuses"]["drifted"], stats["statuses"]["unaudited"]) == (["zone2"], [])
    assert report.returncode != 0 and failed_hosts(report) == {"zone2"}


def test_two_checks_in_one_run(playbook, simulator):
    """The second audit does not use results of the first."""
    hosts = fleet(simulator, [DESIRED, DESIRED])
    simulator.faults({"kind": "status", "status": 403, "zone": hosts["zone0"]["zone_id"], "count": 1})
    again = {"name": "Go on", "hosts": "all", "gather_facts": False, "tasks": [{"meta": "clear_host_errors"}]}
    plays = [{"import_playbook": CHECK}, again, {"import_playbook": CHECK}]
    report = playbook.run(playbook=plays, inventory=hosts, fails=("ansible", "permission"))
    counts = [" ".join(outcome.result["msg"]) for outcome in report.outcomes if outcome.name == "Show the findings"]
    assert "1 drifted" in counts[0] and "1 unaudited" in counts[0] and "2 drifted" in counts[1], counts


def test_two_checks_of_different_zones_in_one_run(playbook, simulator):
    """Each of them fails its own zones, and reads of them what it needs."""
    hosts = fleet(simulator, [DESIRED, {**DESIRED, "job": None}])
    drifted = {"edgeops_fail_on": "drifted"}
    plays = [{"import_playbook": CHECK, "vars": {"edgeops_target": "zone0"}}]
    plays += [{"import_playbook": CHECK, "vars": {"edgeops_target": "zone1", **drifted}}]
    report = playbook.run(playbook=plays, inventory=hosts, fails="ansible")
    assert report.returncode != 0 and failed_hosts(report) == {"zone1"}
    (listed,) = modules(report, "logpush_job_info")
    assert listed.host == "zone1"


def test_check_of_jobs_and_custom_fields(playbook, simulator):
    """A changed secret is masked, unselected custom fields are a note, a zone without desired state is not read, and nothing is written."""
    hosts = fleet(simulator, [DESIRED, {"job": None, "custom_fields": lists(cookies=["Cart"])}, {"job": None}])
    older = "planted-older-secret-93e2"
    job = {"name": "edge-logs", "destination_conf": DESTINATION.replace(SECRET, older), "enabled": True}
    rule = {"action": "log_custom_field", "expression": "true", "action_parameters": {"cookie_fields": [{"name": "Cart"}]}}
    ruleset = {"name": "entry", "kind": "zone", "phase": "http_log_custom_fields", "rules": [rule]}
    first, second, _third = (host["zone_id"] for host in hosts.values())
    simulator.seed(jobs={first: [{**job, "dataset": "http_requests"}]}, rulesets={second: [ruleset]})
    report = playbook.run(playbook=CHECK, inventory=hosts, secrets=[SECRET, older], verbosity=4)
    stats, lines = findings(report)
    assert [line for line in lines if line.startswith("zone0 difference: job edge-logs: ") and "destination" in line]
    assert any(line.startswith("zone1 ") and "cookie_fields (Cart) reach no log" in line for line in lines)
    assert stats["statuses"]["unmanaged"] == ["zone2"] and {entry["zone"] for entry in report.journal} == {first, second}
    assert stats["statuses"]["drifted"] == ["zone0"] and stats["lines"] == lines
    assert "3 zones: 0 unaudited, 1 drifted, 0 with findings, 1 unmanaged, 1 compliant" in lines
    assert not re.search(r" changed=[1-9]", report.stdout) and not report.writes
    listings = [entry["zone"] for entry in report.journal if entry["path"].endswith("/logpush/jobs")]
    assert sorted(listings) == sorted([first, second])


def test_accounts_without_alerts_have_a_note(playbook, simulator):
    """The note about jobs is for accounts with jobs, not for zones; unreadable policies are a note, too."""
    jobs = [{"name": "a", "dataset": "audit_logs", "destination_conf": DESTINATION, "enabled": True}]
    accounts = {name: f"{number:x}" * 32 for number, name in enumerate(("silent", "told", "hidden", "undeclared"), 10)}
    simulator.seed(
        accounts=[*accounts.values()],
        jobs={f"accounts/{account}": [{**jobs[0], "id": number}] for number, account in enumerate(accounts.values(), 1)},
        notification_policies={accounts["told"]: [{"alert_type": LOST, "mechanisms": {"email": [{"id": "ops@example.com"}]}}]},
    )
    simulator.faults({"kind": "status", "status": 403, "path": f"*/{accounts['hidden']}/alerting/*", "count": None})
    declared = {"log_delivery_jobs": [{"name": "a", "dataset": "audit_logs", "enabled": True}]}
    hosts = {name: {"account_id": account, **(declared if name != "undeclared" else {})} for name, account in accounts.items()}
    hosts["silent"]["log_delivery_account_id"] = hosts["silent"].pop("account_id")
    report = playbook.run(playbook=CHECK, inventory={**hosts, **fleet(simulator, [DESIRED])}, fails="permission")
    assert report.returncode == 0 and not report.writes
    _stats, lines = findings(report)
    notes = sorted(line.split(":")[0] for line in lines if " note no_alert" in line or " note not_readable" in line)
    assert notes == ["hidden note not_readable", "silent note no_alert"]
    # What is told at accounts is read of an account without a declared state, too; its jobs are not.
    assert {entry["account"] for entry in report.journal if "/alerting/" in entry["path"]} == {*accounts.values()}
    assert not [entry for entry in report.journal if accounts["undeclared"] in entry["path"] and "/logpush/" in entry["path"]]


def test_playbooks_are_short_and_plain():
    """Expressions in playbooks and the role fit on one line and do not begin with a string; each play says itself what it does."""
    folders = [PLAYBOOKS, PLAYBOOKS / "tasks", PLAYBOOKS / "plays", *(PLAYBOOKS.parent / "roles").glob("*/*")]
    for path in (path for folder in folders for path in folder.glob("*.yml")):
        events = list(yaml.parse(path.read_text()))
        assert not [event for event in events if getattr(event, "anchor", None)], path
        expressions = [text for text in texts(yaml.safe_load(path.read_text())) if "{{" in text or "{%" in text]
        assert max(map(len, expressions), default=0) <= 120, path
        assert not [text for text in expressions if re.search(r"\{\{ '", text)], path
    assert max(len(path.read_text().splitlines()) for path in PLAYBOOKS.glob("*.yml")) <= 135


def test_hours_that_the_plan_does_not_show(playbook, simulator):
    """Records that were lost before the window that the plan shows: compliant only in what was audited, which every run says."""
    hosts = fleet(
        simulator, [{"job": {"name": "edge-logs", "enabled": True, "fields": ["RayID"], "destination_conf": DESTINATION}}]
    )
    (zone,) = (host["log_delivery_zone_id"] for host in hosts.values())
    playbook.run(playbook=DELIVER, inventory=hosts, secrets=[SECRET])
    number = simulator.state(zone)["jobs"][0]["id"]
    lost = {"job_id": number, "status": 403, "success": 0, "final": 1, "records": 1234, "bytes": 70}
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 7200))
    simulator.seed(uploads={zone: [{"datetime": moment, **lost}]})
    simulator.settings(graphql_zone_window=3600)
    run = {"playbook": CHECK, "inventory": hosts, "secrets": [SECRET]}
    _stats, lines = findings(playbook.run(extra_vars={"edgeops_audit_delivery": True}, **run))
    assert any("delivery of 1 zone (1 of 24 hours)" in line for line in lines), lines
    named = {"edgeops_audit_delivery": True, "edgeops_fail_on": ["records_dropped", None]}
    failed = playbook.run(extra_vars=named, fails="ansible", **run)
    assert "fail_on records_dropped: not known, delivery: 1 of 24 hours" in failed.failure["msg"]
