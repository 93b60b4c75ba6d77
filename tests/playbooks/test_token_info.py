# SPDX-License-Identifier: GPL-3.0-or-later

"""The permissions of each credential in a play, each read once."""

import re
import typing as t
from pathlib import Path

from zone_runs import GO_ON, fleet, imported, of_each_playbook

from harness import Playbook, Plays, Scenario

TOKEN_INFO = "edgeops.observability.token_info"  # the name of the module


def look(hosts: t.Iterable[str], **options: t.Any) -> dict[str, t.Any]:
    # A failed task with run_once ends a run.
    task = {"name": "Look", TOKEN_INFO: {"gather": True, **options}, "run_once": True, "ignore_errors": True}
    return {"name": "Look", "hosts": [*hosts], "gather_facts": False, "tasks": [task]}


def each_credential_is_tested_once(simulator: t.Any) -> Scenario:
    """Only hosts that the playbook would read count; a credential is tested with the first of its hosts that is readable."""
    hosts = fleet(simulator, [{"script_monitor_enabled": True}] * 3 + [{"job": None}] * 2)
    hosts["zone1"] |= {"log_delivery_script_monitor_enabled": None, "log_delivery_jobs": "[]"}
    hosts["zone2"] |= {"edgeops_api_email": simulator.email, "edgeops_api_key": simulator.key}
    hosts["zone3"] |= {"edgeops_audit_scripts": "f", "log_delivery_custom_fields": "{ }"}
    hosts["zone4"]["edgeops_api_token"] = "planted-token-of-a-zone-without-state"
    sealed = hosts["zone0"]["zone_id"]
    simulator.faults({"kind": "status", "status": 403, "path": f"*/zones/{sealed}/*", "count": None})
    plays = [look(hosts, required_for=["adopt"]), look(hosts, required_for=["check"])]
    report = yield Plays(plays, hosts, fails="authentication")
    adopted, checked = report.ours
    said = adopted.result["msg"]
    assert said.startswith("zone4: ") and "api_token" in said, "an adoption reads every zone"
    by_hosts = {tuple(credential["hosts"]): credential for credential in checked.result["credentials"]}
    assert set(by_hosts) == {("zone0", "zone1"), ("zone2",)}
    assert checked.result["lines"][0] == "zone0, zone1:" and "zone2:" in checked.result["lines"]
    read = {row["product"] for row in by_hosts["zone0", "zone1"]["permissions"] if row["scope"] == "zone" and row["readable"]}
    assert read >= {"jobs", "custom_fields", "script_monitor"}
    assert {entry["credential"] for entry in checked.journal} == {"token", "email_key"}
    assert hosts["zone3"]["zone_id"] not in {entry["zone"] for entry in checked.journal}


def wait_is_announced(simulator: t.Any) -> Scenario:
    """The message appears before the wait, as that of a task for one zone does."""
    hosts = fleet(simulator, [{"script_monitor_enabled": True}], "slow")
    report = yield Plays([look(hosts, request_budget="8/6")], hosts)
    assert len(re.findall(r"Waiting \d+ seconds before the next request: 8 requests in 6 seconds ", report.stderr)) == 1


def zone_of_the_host_is_the_default(simulator: t.Any, as_modules: bool) -> Scenario:
    """Without an address, the task tests the zone of its host, both in process and as an ordinary module."""
    hosts = fleet(simulator, [{"job": None}] * 4, "own")
    hosts["own2"]["edgeops_in_process"] = hosts["own3"]["edgeops_in_process"] = False
    plays = [{"name": "Look", "hosts": [*hosts], "gather_facts": False, "tasks": [{"name": "Look", TOKEN_INFO: {}}]}]
    report = yield Plays(plays, hosts)
    assert {outcome.host: outcome.result["zone_id"] for outcome in report.ours} == {
        name: host["zone_id"] for name, host in hosts.items()
    }
    assert as_modules or report.stdout.count("Using module file") == 2


def wrong_connection_does_not_hide_others(simulator: t.Any) -> Scenario:
    hosts = fleet(simulator, [{"script_monitor_enabled": True}] * 3, "wrong")
    hosts["wrong0"]["edgeops_base_url"] = "{{ nowhere }}"
    hosts["wrong1"]["edgeops_timeout"] = -1
    report = yield Plays([look(hosts, required_for=["check"])], hosts)
    result = report.ours[0].result
    assert [credential["hosts"] for credential in result["credentials"]] == [["wrong2"]]
    assert [text for text in result["lines"] if text.startswith("wrong1: timeout: -1")]


def zone_that_does_not_exist_does_not_hide_the_token(simulator: t.Any) -> Scenario:
    """The next zone tells what the token is; one that cannot be read and one that does not exist are no readable zone."""
    hosts = fleet(simulator, [{"script_monitor_enabled": True}] * 5, "gone")
    for name in ("gone0", "gone2", "gone4"):
        hosts[name] |= {"log_delivery_zone_name": "nowhere.example", "log_delivery_zone_id": None}
    simulator.faults({"kind": "status", "status": 403, "path": f"/zones/{hosts['gone3']['zone_id']}*", "count": None})
    pairs = (("gone0", "gone1"), ("gone2", "gone3"), ("gone3", "gone4"))
    report = yield Plays([look(names, required_for=["check"]) for names in pairs], hosts, fails="permission")
    found, *failed = report.ours
    assert [credential["hosts"] for credential in found.result["credentials"]] == [["gone0", "gone1"]]
    assert [outcome.result["failed"] for outcome in failed] == [True, True]


# What a host declares, and what of the optional products it needs.
NEEDS: tuple[tuple[dict[str, t.Any], set[str]], ...] = (
    ({}, set()),
    ({"edgeops_audit_scripts": True}, {"script_monitor"}),
    ({"log_delivery_script_monitor_enabled": False}, {"script_monitor"}),
    ({"log_delivery_content_security_rules": []}, {"content_security_rules", "delivery"}),
    ({"edgeops_audit_delivery": "yes"}, {"delivery"}),
)


def only_what_the_variables_need_is_asked_for(simulator: t.Any) -> Scenario:
    """A token for jobs alone lacks nothing in a run that declares jobs alone; a play about no zone to read asks for nothing."""
    hosts = fleet(simulator, [{"job": None}] * (len(NEEDS) + 1), "need")
    *declaring, without = hosts
    for name, (variables, _read) in zip(declaring, NEEDS, strict=True):
        hosts[name] |= {"log_delivery_jobs": [], **variables}
    plays = [*(look([name], required_for=["check"]) for name in declaring), look([without], required_for=["check", "deliver"])]
    report = yield Plays(plays, hosts)
    *outcomes, nothing = report.ours
    optional = {"script_monitor", "content_security_rules", "delivery"}
    for outcome, (variables, read) in zip(outcomes, NEEDS, strict=True):
        (credential,) = outcome.result["credentials"]
        assert credential["hosts"] == [outcome.host]
        rows = outcome.result["permissions"]
        looked_at = {row["product"] for row in rows if row["scope"] == "zone" and row["readable"] is not None}
        assert looked_at & optional == read and "jobs" in looked_at, variables
    assert (nothing.result["credentials"], nothing.result["lines"], nothing.journal) == ([], [], [])


def test_credentials_of_plays(playbook: Playbook, simulator: t.Any) -> None:
    scenarios = {
        "each once": each_credential_is_tested_once(simulator),
        "wait": wait_is_announced(simulator),
        "default": zone_of_the_host_is_the_default(simulator, as_modules=playbook.in_process is False),
        "wrong connection": wrong_connection_does_not_hide_others(simulator),
        "no such zone": zone_that_does_not_exist_does_not_hide_the_token(simulator),
        "needed": only_what_the_variables_need_is_asked_for(simulator),
    }
    playbook.run_scenarios(scenarios)


def test_hosts_without_credentials_fail(playbook: Playbook, simulator: t.Any) -> None:
    """One host with credentials is enough; without any the task fails, as it does for one host."""
    hosts = fleet(simulator, [{"script_monitor_enabled": True}] * 3)
    hosts["zone1"]["edgeops_api_token"] = simulator.token
    nothing = {"CLOUDFLARE_API_TOKEN": None, "CLOUDFLARE_TOKEN": None}
    plays = [look(hosts), look(["zone0", "zone2"])]
    one, none = playbook.run(playbook=plays, inventory=hosts, env=nothing, fails="invalid_option").ours
    assert [credential["hosts"] for credential in one.result["credentials"]] == [["zone1"]]
    assert "no usable credentials" in none.result["msg"]


VERIFY = {"edgeops_verify_token": True}


def missing_permissions_are_shown_first(simulator: t.Any, folder: Path) -> Scenario:
    """Missing permissions are shown before any zone is compared; an unreadable zone does not hide the others."""
    hosts = fleet(simulator, [{"script_monitor_enabled": True}] * 3)
    # The last zone can be read, so that the run goes on.
    for name in ("zone0", "zone1"):
        path = f"*/zones/{hosts[name]['zone_id']}/logpush/*"
        simulator.faults({"kind": "status", "status": 403, "path": path, "count": None})
    variables = {f"edgeops_{name}_dir": str(folder / name) for name in ("adopt", "report")} | {"edgeops_target": ":".join(hosts)}
    names = ("check", "deliver", "adopt")
    # A delivery with the files beside the variables of the hosts is refused.
    fails = ("permission", "ansible", "invalid_option")
    report = yield Plays([play for name in names for play in (imported(name, **variables), GO_ON)], hosts, fails=fails)
    for name, one in zip(names, of_each_playbook(report), strict=True):
        (shown,) = [number for number, outcome in enumerate(one) if outcome.name == "Show what the token lacks"]
        result = one[shown].result
        assert "  Zone > Logs > Edit  (Logs Write: jobs; for survey, check, deliver, adopt)" in result["lines"], name
        assert not {"token", "permissions", "credentials", "missing"} & set(result), "Ansible prints the whole result"
        readers = ("zone_observability", "zone_variables_info")
        assert shown < min(number for number, outcome in enumerate(one) if outcome.module in readers), name


def sufficient_token_shows_nothing(simulator: t.Any) -> Scenario:
    hosts = fleet(simulator, [{"script_monitor_enabled": True}], "rich")
    report = yield Plays([imported("check", edgeops_target="rich0")], hosts)
    assert report.named("Show what the token lacks").result["missing"] == [] and "The token" not in report.stdout


def lines_are_printed_without_secrets(simulator: t.Any) -> Scenario:
    """With `show`, for all hosts of a play and for one, in process and as an ordinary module."""
    hosts = fleet(simulator, [{"script_monitor_enabled": True}], "shown")
    hosts["shown0"]["edgeops_base_url"] = "{{ lookup('env', 'CLOUDFLARE_BASE_URL') }}"
    path = f"*/zones/{hosts['shown0']['zone_id']}/logpush/*"
    said = f"{simulator.token} may not"
    simulator.faults({"kind": "status", "status": 403, "path": path, "message": said, "count": None})
    tasks = [
        {"name": "Together", TOKEN_INFO: {"gather": True, "show": True}},
        {"name": "Alone", TOKEN_INFO: {"show": True}},
        {"name": "Elsewhere", TOKEN_INFO: {"show": True}, "vars": {"edgeops_in_process": False}},
    ]
    report = yield Plays([{"name": "Look", "hosts": [*hosts], "gather_facts": False, "tasks": tasks}], hosts)
    assert report.stdout.count("  Zone > Logs > Edit  (Logs Write: jobs; for ") == 3
    assert all("permissions" not in outcome.result for outcome in report.ours)


def test_what_is_shown_of_a_token(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """On the screen of a run without options."""
    scenarios = {
        "sufficient": sufficient_token_shows_nothing(simulator),
        "lines": lines_are_printed_without_secrets(simulator),
        # The last one, because a run ends where all hosts of a play fail.
        "missing permissions": missing_permissions_are_shown_first(simulator, tmp_path),
    }
    playbook.run_scenarios(scenarios, extra_vars=VERIFY, verbosity=0)


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
