# SPDX-License-Identifier: GPL-3.0-or-later

"""The permissions of each credential in a play, each read once."""

import re
import typing as t
from pathlib import Path

from zone_runs import GO_ON, fleet, imported, of_each_playbook

from harness import Playbook

TOKEN_INFO = "edgeops.observability.token_info"  # the name of the module


def look(hosts: str, **options: t.Any) -> dict[str, t.Any]:
    task = {"name": "Look", TOKEN_INFO: {"gather": True, **options}, "run_once": True}
    return {"name": "Look", "hosts": hosts, "gather_facts": False, "tasks": [task]}


def read_token(playbook: Playbook, hosts: t.Mapping[str, t.Any], *, fails: t.Any = None, **options: t.Any) -> t.Any:
    return playbook.run(playbook=[look("all", **options)], inventory=hosts, fails=fails)


def test_each_credential_is_tested_once(playbook: Playbook, simulator: t.Any) -> None:
    """Only hosts that the playbook would read count; a credential is tested with the first of its hosts that is readable."""
    hosts = fleet(simulator, [{"script_monitor_enabled": True}] * 3 + [{"job": None}] * 2)
    hosts["zone1"] |= {"log_delivery_script_monitor_enabled": None, "log_delivery_jobs": "[]"}
    hosts["zone2"] |= {"edgeops_api_email": simulator.email, "edgeops_api_key": simulator.key}
    hosts["zone3"] |= {"edgeops_audit_scripts": "f", "log_delivery_custom_fields": "{ }"}
    hosts["zone4"]["edgeops_api_token"] = "planted-token-of-a-zone-without-state"
    sealed = hosts["zone0"]["zone_id"]
    simulator.faults({"kind": "status", "status": 403, "path": f"*/zones/{sealed}/*", "count": None})
    plays = [look("all", required_for=["adopt"]), look("all", required_for=["check"])]
    plays[0]["tasks"][0]["ignore_errors"] = True
    adopted, checked = playbook.run(playbook=plays, inventory=hosts, fails="authentication").ours
    said = adopted.result["msg"]
    assert said.startswith("zone4: ") and "api_token" in said, "an adoption reads every zone"
    by_hosts = {tuple(credential["hosts"]): credential for credential in checked.result["credentials"]}
    assert set(by_hosts) == {("zone0", "zone1"), ("zone2",)}
    assert checked.result["lines"][0] == "zone0, zone1:" and "zone2:" in checked.result["lines"]
    read = {row["product"] for row in by_hosts["zone0", "zone1"]["permissions"] if row["scope"] == "zone" and row["readable"]}
    assert read >= {"jobs", "custom_fields", "script_monitor"}
    assert {entry["credential"] for entry in checked.journal} == {"token", "email_key"}
    assert hosts["zone3"]["zone_id"] not in {entry["zone"] for entry in checked.journal}


def test_wait_is_announced(playbook: Playbook, simulator: t.Any) -> None:
    """The message appears before the wait, as that of a task for one zone does."""
    report = read_token(playbook, fleet(simulator, [{"script_monitor_enabled": True}]), request_budget="8/6")
    assert len(re.findall(r"Waiting \d+ seconds before the next request: 8 requests in 6 seconds ", report.stderr)) == 1


def test_zone_of_the_host_is_the_default(playbook: Playbook, simulator: t.Any) -> None:
    """Without an address, the task tests the zone of its host, both in process and as an ordinary module."""
    hosts = fleet(simulator, [{"job": None}] * 4)
    hosts["zone2"]["edgeops_in_process"] = hosts["zone3"]["edgeops_in_process"] = False
    plays = [{"name": "Look", "hosts": "all", "gather_facts": False, "tasks": [{"name": "Look", TOKEN_INFO: {}}]}]
    report = playbook.run(playbook=plays, inventory=hosts)
    assert {outcome.host: outcome.result["zone_id"] for outcome in report.ours} == {
        name: host["zone_id"] for name, host in hosts.items()
    }
    assert playbook.in_process is False or report.stdout.count("Using module file") == 2


def test_wrong_connection_does_not_hide_others(playbook: Playbook, simulator: t.Any) -> None:
    hosts = fleet(simulator, [{"script_monitor_enabled": True}] * 3)
    hosts["zone0"]["edgeops_base_url"] = "{{ nowhere }}"
    hosts["zone1"]["edgeops_timeout"] = -1
    result = read_token(playbook, hosts, required_for=["check"]).ours[0].result
    assert [credential["hosts"] for credential in result["credentials"]] == [["zone2"]]
    assert [text for text in result["lines"] if text.startswith("zone1: timeout: -1")]


def test_zone_that_does_not_exist_does_not_hide_the_token(playbook: Playbook, simulator: t.Any) -> None:
    """The next zone tells what the token is; one that cannot be read and one that does not exist are no readable zone."""
    hosts = fleet(simulator, [{"script_monitor_enabled": True}] * 5)
    for name in ("zone0", "zone2", "zone4"):
        hosts[name] |= {"log_delivery_zone_name": "nowhere.example", "log_delivery_zone_id": None}
    simulator.faults({"kind": "status", "status": 403, "path": f"/zones/{hosts['zone3']['zone_id']}*", "count": None})
    plays = [look(names, required_for=["check"]) for names in ("zone0,zone1", "zone2,zone3", "zone3,zone4")]
    for play in plays[1:]:
        play["tasks"][0]["ignore_errors"] = True
    found, *failed = playbook.run(playbook=plays, inventory=hosts, fails="permission").ours
    assert [credential["hosts"] for credential in found.result["credentials"]] == [["zone0", "zone1"]]
    assert [outcome.result["failed"] for outcome in failed] == [True, True]


def test_hosts_without_credentials_fail(playbook: Playbook, simulator: t.Any) -> None:
    """One host with credentials is enough; without any the task fails, as it does for one host."""
    hosts = fleet(simulator, [{"script_monitor_enabled": True}] * 3)
    hosts["zone1"]["edgeops_api_token"] = simulator.token
    nothing = {"CLOUDFLARE_API_TOKEN": None, "CLOUDFLARE_TOKEN": None}
    plays = [look("all"), look("zone0,zone2")]
    one, none = playbook.run(playbook=plays, inventory=hosts, env=nothing, fails="invalid_option").ours
    assert [credential["hosts"] for credential in one.result["credentials"]] == [["zone1"]]
    assert "no usable credentials" in none.result["msg"]


VERIFY = {"edgeops_verify_token": True}


def test_playbooks_show_missing_permissions_first(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """Missing permissions are shown before any zone is compared; an unreadable zone does not hide the others."""
    hosts = fleet(simulator, [{"script_monitor_enabled": True}] * 3)
    # The last zone can be read, so that the run goes on.
    for name in ("zone0", "zone1"):
        path = f"*/zones/{hosts[name]['zone_id']}/logpush/*"
        simulator.faults({"kind": "status", "status": 403, "path": path, "count": None})
    folders = {f"edgeops_{name}_dir": str(tmp_path / name) for name in ("adopt", "report")}
    names = ("check", "deliver", "adopt")
    plays = [play for name in names for play in (imported(name, **folders), GO_ON)]
    report = playbook.launch(plays, inventory=hosts, extra_vars=VERIFY)
    for name, one in zip(names, of_each_playbook(report), strict=True):
        (shown,) = [number for number, outcome in enumerate(one) if outcome.name == "Show what the token lacks"]
        result = one[shown].result
        assert "  Zone > Logs > Edit  (Logs Write: jobs; for survey, check, deliver, adopt)" in result["lines"], name
        assert not {"token", "permissions", "credentials", "missing"} & set(result), "Ansible prints the whole result"
        readers = ("zone_observability", "zone_variables_info")
        assert shown < min(number for number, outcome in enumerate(one) if outcome.module in readers), name


def test_survey_shows_missing_permissions_first(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    simulator.faults({"kind": "status", "status": 403, "path": "*/logpush/*", "count": None})
    variables = {**VERIFY, "edgeops_report_dir": str(tmp_path)}
    report = playbook.launch("edgeops.observability.survey", inventory={}, extra_vars=variables)
    assert any("Zone > Logs > Edit" in line for line in report.named("Show what the token lacks").result["lines"])


def test_expired_token_ends_the_run(playbook: Playbook, simulator: t.Any) -> None:
    hosts = fleet(simulator, [{"script_monitor_enabled": True}] * 2)
    simulator.settings(credential_status="expired")
    plays = [imported("deliver", edgeops_target=f"zone{looks:d}", looks=looks) for looks in (False, True)]
    try:
        report = playbook.run(
            playbook=plays, inventory=hosts, extra_vars={"edgeops_verify_token": "{{ looks }}"}, fails="authentication"
        )
    finally:
        simulator.settings(credential_status="active")
    assert "The token is expired" in report.failures[0].result["msg"]
    assert {entry["zone"] for entry in report.writes} == {hosts["zone0"]["zone_id"]}, "only where nobody looks"


def test_sufficient_token_shows_nothing(playbook: Playbook, simulator: t.Any) -> None:
    hosts = fleet(simulator, [{"script_monitor_enabled": True}])
    report = playbook.run(playbook="edgeops.observability.check", inventory=hosts, extra_vars=VERIFY, verbosity=0)
    assert report.named("Show what the token lacks").result["missing"] == [] and "The token" not in report.stdout


def test_lines_are_printed_without_secrets(playbook: Playbook, simulator: t.Any) -> None:
    """With `show`, for all hosts of a play and for one, in process and as an ordinary module, on the screen of a run without options."""
    hosts = fleet(simulator, [{"script_monitor_enabled": True}])
    hosts["zone0"]["edgeops_base_url"] = "{{ lookup('env', 'CLOUDFLARE_BASE_URL') }}"
    said = f"{simulator.token} may not"
    simulator.faults({"kind": "status", "status": 403, "path": "*/logpush/*", "message": said, "count": None})
    tasks = [
        {"name": "Together", TOKEN_INFO: {"gather": True, "show": True}},
        {"name": "Alone", TOKEN_INFO: {"show": True}},
        {"name": "Elsewhere", TOKEN_INFO: {"show": True}, "vars": {"edgeops_in_process": False}},
    ]
    plays = [{"name": "Look", "hosts": "all", "gather_facts": False, "tasks": tasks}]
    report = playbook.run(playbook=plays, inventory=hosts, verbosity=0)
    assert report.stdout.count("  Zone > Logs > Edit  (Logs Write: jobs; for ") == 3
    assert all("permissions" not in outcome.result for outcome in report.ours)


# What a host declares, and what of the optional products it needs.
NEEDS: tuple[tuple[dict[str, t.Any], set[str]], ...] = (
    ({}, set()),
    ({"edgeops_audit_scripts": True}, {"script_monitor"}),
    ({"log_delivery_script_monitor_enabled": False}, {"script_monitor"}),
    ({"log_delivery_content_security_rules": []}, {"content_security_rules", "delivery"}),
    ({"edgeops_audit_delivery": "yes"}, {"delivery"}),
)


def test_only_what_the_variables_need_is_asked_for(playbook: Playbook, simulator: t.Any) -> None:
    """A token for jobs alone lacks nothing in a run that declares jobs alone; a play about no zone to read asks for nothing."""
    hosts = fleet(simulator, [{"job": None}] * (len(NEEDS) + 1))
    *declaring, without = hosts
    for name, (variables, _read) in zip(declaring, NEEDS, strict=True):
        hosts[name] |= {"log_delivery_jobs": [], **variables}
    report = playbook.run(
        playbook=[*(look(name, required_for=["check"]) for name in declaring), look(without, required_for=["check", "deliver"])],
        inventory=hosts,
    )
    *outcomes, nothing = report.ours
    optional = {"script_monitor", "content_security_rules", "delivery"}
    for outcome, (variables, read) in zip(outcomes, NEEDS, strict=True):
        (credential,) = outcome.result["credentials"]
        assert credential["hosts"] == [outcome.host]
        rows = outcome.result["permissions"]
        looked_at = {row["product"] for row in rows if row["scope"] == "zone" and row["readable"] is not None}
        assert looked_at & optional == read and "jobs" in looked_at, variables
    assert (nothing.result["credentials"], nothing.result["lines"], nothing.journal) == ([], [], [])
