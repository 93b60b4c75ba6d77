# SPDX-License-Identifier: GPL-3.0-or-later

import dataclasses
import json
import re
import time
from pathlib import Path

import yaml
from planting import texts
from zone_runs import DESTINATION, SECRET, fleet, imported, lists, modules, of_each_playbook, selected, shown_lines

from harness import Plays

PLAYBOOKS = Path(__file__).resolve().parents[2] / "playbooks"
DELIVER = "edgeops.observability.deliver"
CHECK = "edgeops.observability.check"
LOST = "failing_logpush_job_disabled_alert"
DESIRED = {"custom_fields": lists(request=["x-trace-id"])}
GO_ON = {"name": "Go on", "hosts": "all", "gather_facts": False, "tasks": [{"ansible.builtin.meta": "clear_host_errors"}]}


def findings(report):
    """Return the findings of an audit: as statistics, and as printed lines."""
    (stats,) = [
        outcome.result["ansible_stats"]["data"]["edgeops_check"]
        for outcome in report.outcomes
        if "ansible_stats" in outcome.result
    ]
    return stats, shown_lines(report)


def failed_hosts(report):
    """Return the hosts of which a task failed that does not ignore this."""
    return {outcome.host for outcome in report.outcomes if outcome.status == "failed"}


def ago(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))


def test_check_after_deliver(playbook, simulator, tmp_path):
    """After a delivery the zones of an inventory with connection variables are compliant; one task reads delivery facts for all of them.

    Lost records are findings, and missing delivery facts are a note. What was lost before the hours that the plan of the zone shows is not
    known: the zone is compliant only in what was audited, which every run says, and fails where this finding is named.
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
    first, second, third = (host["zone_id"] for host in hosts.values())
    assert selected(simulator, first)[-1] == "RequestHeaders" and simulator.state(second)["script_monitor"]["enabled"]
    lost = {"status": 403, "success": 0, "final": 1, "records": 7, "bytes": 70}
    uploads = {zone: {**lost, "job_id": simulator.state(zone)["jobs"][0]["id"]} for zone in (first, third)}
    simulator.seed(
        uploads={first: [{"datetime": ago(1800), **uploads[first]}], third: [{"datetime": ago(7200), **uploads[third]}]}
    )
    simulator.settings(graphql_disabled=[f"zones/{second}/*"], graphql_zone_window=3600)
    # What is named last fails zones.
    plays = [
        imported("check", edgeops_audit_delivery=True, edgeops_fail_on=named) for named in ("drifted", ["records_dropped", None])
    ]
    report = playbook.run(playbook=[plays[0], GO_ON, plays[1]], fails="ansible", **run)
    first_check, second_check = (dataclasses.replace(report, outcomes=part) for part in of_each_playbook(report))
    stats, lines = findings(first_check)
    assert {name: zones for name, zones in stats["statuses"].items() if zones} == {
        "findings": ["zone0"],
        "compliant": ["zone1", "zone2"],
    }
    assert not failed_hosts(first_check) and not report.writes
    assert any("zone0 finding records_dropped (high): job edge-logs: 7 records dropped" in line for line in lines)
    assert any("zone1 note not_readable" in line for line in lines)
    assert any("delivery of 2 zones (1 of 24 hours)" in line for line in lines), lines
    asked = [entry for outcome in first_check.outcomes for entry in outcome.journal if entry["path"] == "/graphql"]
    assert {entry["credential"] for entry in asked} == {"token", "email_key"}
    reasons = {outcome.host: outcome.result["msg"] for outcome in second_check.failures}
    assert "fail_on records_dropped: not known, delivery: 1 of 24 hours" in reasons["zone2"]


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


def failing_zones_hide_no_others(simulator, hosts):
    """They are audited even if the whole first batch fails. Script audits also fail for damaged evidence and for findings."""
    audits = fleet(simulator, [{"script_monitor_enabled": True}] * 3)
    for host in audits.values():
        host["edgeops_audit_scripts"] = "yes"
    audits["zone0"]["edgeops_evidence_dir"] = audits["zone1"]["edgeops_expected_head"] = "{{ nowhere }}"
    audits["zone2"]["edgeops_script_fail_on"] = ["nothing_seen", "monitor_off"]
    fails = ("ansible", "authentication", "invalid_option", "unreachable", "gate")
    check = {"import_playbook": CHECK, "vars": {"edgeops_zones_at_once": 5, "edgeops_target": ":".join(hosts | audits)}}
    report = yield Plays([check, GO_ON], hosts | audits, fails=fails)
    stats, lines = findings(report)
    assert sorted(stats["statuses"]["drifted"]) == ["empty", "good", "zone2"]
    assert sorted(stats["statuses"]["unaudited"]) == sorted([*FAILING, "zone0", "zone1"])
    reasons = dict(line.split(" unaudited: ", 1) for line in lines if " unaudited: " in line)
    for name, (_variables, reason) in FAILING.items():
        assert reason in reasons[name], name
    assert all("'nowhere' is undefined" in reasons[name] for name in ("zone0", "zone1"))
    assert failed_hosts(report) == {*FAILING, *audits} and report.returncode != 0


def failing_zones_do_not_end_a_delivery(hosts):
    fails = ("ansible", "unreachable", "authentication", "invalid_option")
    deliver = {"import_playbook": DELIVER, "vars": {"edgeops_target": ":".join(hosts)}}
    report = yield Plays([deliver], hosts, fails=fails)
    assert report.returncode != 0 and failed_hosts(report) == set(FAILING)
    counts, *lines = shown_lines(report, "Show the outcomes")
    assert counts == "12 zones: 2 changed, 0 unchanged, 9 failed, 1 not reached"
    assert {line.split(":")[0] for line in lines} >= {"remote was not reached", "empty changed", "good changed", "token failed"}
    assert {entry["zone"] for entry in report.writes} == {hosts["empty"]["zone_id"], hosts["good"]["zone_id"]}
    reached = {entry["zone"] for entry in report.journal}
    assert reached == {hosts[name]["zone_id"] for name in ("empty", "good", "refused")}
    texts = {outcome.host: outcome.result["msg"] for outcome in report.failures if outcome.name.startswith("Fail for a zone")}
    assert {name for name, (_variables, reason) in FAILING.items() if reason not in texts[name]} <= {"remote"}


def two_checks_of_different_zones(simulator):
    """Each of them fails its own zones, and reads of them what it needs."""
    hosts = fleet(simulator, [DESIRED, {**DESIRED, "job": None}], "own")
    drifted = {"edgeops_fail_on": "drifted"}
    plays = [{"import_playbook": CHECK, "vars": {"edgeops_target": "own0"}}]
    plays += [{"import_playbook": CHECK, "vars": {"edgeops_target": "own1", **drifted}}]
    report = yield Plays(plays, hosts, fails="ansible")
    assert report.returncode != 0 and failed_hosts(report) == {"own1"}
    (listed,) = modules(report, "logpush_job_info")
    assert listed.host == "own1"


def test_checks_and_a_delivery_with_failing_zones(playbook, simulator):
    hosts = failing_fleet(simulator)
    scenarios = {
        "check": failing_zones_hide_no_others(simulator, hosts),
        "deliver": failing_zones_do_not_end_a_delivery(hosts),
        # The last one, because a run ends where all hosts of a play fail.
        "two checks": two_checks_of_different_zones(simulator),
    }
    playbook.run_scenarios(scenarios, secrets=[SECRET])


def test_what_was_known_before_is_no_result(playbook, simulator, tmp_path):
    """What an inventory, a play or an earlier check in the run has left under the name of a result is not audited.

    Of an unmanaged zone nothing is read, nor of one for which nothing is declared any more.
    """
    health = {"state": "failing", "error_message": "denied", "last_error": "2026-11-01T00:00:00Z"}
    listed = {"jobs": [{"id": 1, "name": "edge", "dataset": "http_requests", "enabled": True, "health": health}]}
    forged = {"_log_delivery_listed": listed, "_edgeops_notifications": {"notification_policies": []}}
    states = {
        "inventory": {"job": None},
        "fact": {"job": None},
        "forgotten": {"job": None, "script_monitor_enabled": False},
        "refused": DESIRED,
        "other": DESIRED,
    }
    hosts = dict(zip(states, fleet(simulator, list(states.values())).values(), strict=True))
    hosts["inventory"] |= forged
    job = {"name": "a", "dataset": "http_requests", "destination_conf": "gs://b/c"}
    simulator.seed(jobs={hosts["forgotten"]["zone_id"]: [job]})
    simulator.faults({"kind": "status", "status": 403, "zone": hosts["refused"]["zone_id"], "count": 1})
    folders = [tmp_path / "first", tmp_path / "second"]
    checks = [{"import_playbook": CHECK, "vars": {"edgeops_report_dir": str(folder)}} for folder in folders]
    facts = {"fact": forged, "forgotten": {"log_delivery_script_monitor_enabled": None}}
    forge, forget = (
        {"hosts": name, "gather_facts": False, "tasks": [{"ansible.builtin.set_fact": facts[name]}]} for name in facts
    )
    playbook.run(playbook=[forge, checks[0], GO_ON, forget, checks[1]], inventory=hosts, fails=("ansible", "permission"))
    reports = [json.loads((folder / "report.json").read_text(encoding="utf-8")) for folder in folders]
    first, second = ({row["zone"]: row for row in report["zones"]} for report in reports)
    for rows in (first, second):
        for name in ("inventory", "fact"):
            assert (rows[name]["status"], rows[name]["items"], rows[name]["jobs"]) == ("unmanaged", [], None)
    assert len(first["forgotten"]["jobs"]) == 1
    assert (second["forgotten"]["status"], second["forgotten"]["jobs"]) == ("unmanaged", None)
    assert [rows["refused"]["status"] for rows in (first, second)] == ["unaudited", "drifted"]
    assert [rows["other"]["status"] for rows in (first, second)] == ["drifted", "drifted"]


def seed_accounts(simulator):
    """Return account hosts with a job each: who is told of it, is not told, cannot be read, or nothing is declared."""
    job = {"name": "a", "dataset": "audit_logs", "destination_conf": DESTINATION, "enabled": True}
    accounts = {name: f"{number:x}" * 32 for number, name in enumerate(("silent", "told", "hidden", "undeclared"), 10)}
    simulator.seed(
        accounts=[*accounts.values()],
        jobs={f"accounts/{account}": [{**job, "id": number}] for number, account in enumerate(accounts.values(), 1)},
        notification_policies={accounts["told"]: [{"alert_type": LOST, "mechanisms": {"email": [{"id": "ops@example.com"}]}}]},
    )
    simulator.faults({"kind": "status", "status": 403, "path": f"*/{accounts['hidden']}/alerting/*", "count": None})
    declared = {"log_delivery_jobs": [{"name": "a", "dataset": "audit_logs", "enabled": True}]}
    hosts = {name: {"account_id": account, **(declared if name != "undeclared" else {})} for name, account in accounts.items()}
    hosts["silent"]["log_delivery_account_id"] = hosts["silent"].pop("account_id")
    return hosts, accounts


def test_check_of_zones_and_accounts(playbook, simulator):
    """A changed secret is masked, unselected custom fields are a note, a zone without desired state is not read, and nothing is written.

    The note about alerts for jobs is for accounts with jobs, not for zones; unreadable policies are a note, too. Target and limit narrow the audit.
    """
    states = [DESIRED, {"job": None, "custom_fields": lists(cookies=["Cart"])}, {"job": None}, DESIRED, DESIRED]
    hosts = fleet(simulator, states)
    older = "planted-older-secret-93e2"
    job = {"name": "edge-logs", "destination_conf": DESTINATION.replace(SECRET, older), "enabled": True}
    rule = {"action": "log_custom_field", "expression": "true", "action_parameters": {"cookie_fields": [{"name": "Cart"}]}}
    ruleset = {"name": "entry", "kind": "zone", "phase": "http_log_custom_fields", "rules": [rule]}
    first, second, *_others = (host["zone_id"] for host in hosts.values())
    simulator.seed(jobs={first: [{**job, "dataset": "http_requests"}]}, rulesets={second: [ruleset]})
    of_accounts, accounts = seed_accounts(simulator)
    report = playbook.run(
        playbook=CHECK,
        inventory={**hosts, **of_accounts},
        extra_vars={"edgeops_target": "all:!zone3", "edgeops_fail_on": "unaudited, drifted"},
        arguments=["--limit", "all:!zone4"],
        secrets=[SECRET, older],
        verbosity=4,
        fails=("ansible", "permission"),
    )
    stats, lines = findings(report)
    assert [line for line in lines if line.startswith("zone0 difference: job edge-logs: ") and "destination" in line]
    assert any(line.startswith("zone1 ") and "cookie_fields (Cart) reach no log" in line for line in lines)
    assert stats["statuses"]["unmanaged"] == ["undeclared", "zone2"] and stats["lines"] == lines
    assert (stats["statuses"]["drifted"], stats["statuses"]["unaudited"]) == (["zone0"], [])
    assert "3 zones and 4 accounts: 0 unaudited, 1 drifted, 0 with findings, 2 unmanaged, 4 compliant" in lines, lines
    assert report.returncode != 0 and failed_hosts(report) == {"zone0"}
    assert not re.search(r" changed=[1-9]", report.stdout) and not report.writes
    assert {entry["zone"] for entry in report.journal if entry["zone"]} == {first, second}
    listings = [entry["zone"] for entry in report.journal if entry["zone"] and entry["path"].endswith("/logpush/jobs")]
    assert sorted(listings) == sorted([first, second])
    notes = sorted(line.split(":")[0] for line in lines if " note no_alert" in line or " note not_readable" in line)
    # The account of a zone with a job is not known.
    assert notes == ["hidden note not_readable", "silent note no_alert", "zone0 note not_readable"]
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
