# SPDX-License-Identifier: GPL-3.0-or-later

"""What many zones have in common is read on one screen."""

import re
from pathlib import Path

import pytest
from zone_runs import DESTINATION, OWN_FIELDS, SECRET, fleet, shown_lines

from harness import Playbook

ZONES = 7
MAX_LINES = 22
# Ansible's own lines: headings of plays and tasks, the status of a host, the file of an included task.
OWN = re.compile(r"^(PLAY|TASK|ok:|changed:|skipping:|included:|fatal:|failed:|\.\.\.ignoring|\[ERROR\]|\s*$)")


def filtered(status: int) -> dict[str, object]:
    return {"where": {"and": [{"key": "EdgeResponseStatus", "operator": "geq", "value": status}]}}


def job(status: int) -> dict[str, object]:
    options = f"fields={','.join(OWN_FIELDS)}"
    return {"name": "edge-logs", "dataset": "http_requests", "destination_conf": DESTINATION, "enabled": True, "logpull_options": options} | {
        "filter": filtered(status)
    }  # fmt: skip


@pytest.fixture
def hosts(simulator):
    """Return zones, whose jobs have another filter than their common variables say."""
    made = fleet(simulator, [{"job": None, "jobs": [{"name": "edge-logs", "filter": filtered(400)}]}] * ZONES)
    simulator.seed(
        jobs={
            host["zone_id"]: [{**job(500), "filter": '{"where":{"key":"EdgeResponseStatus","operator":"geq","value":500}}'}]
            for host in made.values()
        }
    )
    return made


def printed(report) -> list[str]:
    """Return the lines that are neither Ansible's own nor its recap."""
    body = report.stdout.partition("PLAY RECAP")[0]
    return [text for text in body.splitlines() if not OWN.match(text)]


def skipped(report) -> dict[str, int]:
    """Return the tasks that were skipped zone by zone, with the number of zones."""
    parts = re.split(r"^(?=TASK|PLAY)", report.stdout, flags=re.MULTILINE)
    zones_of = {text.partition("\n")[0]: len(re.findall(r"^skipping: ", text, re.MULTILINE)) for text in parts}
    return {name: count for name, count in zones_of.items() if count > 1}


def test_refused_delivery(playbook: Playbook, hosts) -> None:
    """The diff is shown once, the refusal once and at each zone in a short line; the run ends with what consents."""
    report = playbook.run(
        playbook="edgeops.observability.deliver",
        inventory=hosts,
        check=True,
        verbosity=0,
        fails="ansible",
        secrets=[SECRET],
    )
    lines = printed(report)
    assert len(lines) <= MAX_LINES, "\n".join(lines)
    plan = shown_lines(report, "Show the plan")
    assert [text.split() for text in plan if text[0] in "+-" and text[1] == " "] == [
        ["-", "value:", "500"],
        ["+", "value:", "400"],
    ]
    assert f"--- {ZONES} zones, such as zone0 before" in plan
    ends = shown_lines(report, "Show the outcomes")
    assert ends[-1].endswith("To consent, run it again with -e edgeops_allow=change_filter")
    failed = [outcome for outcome in report.failures if outcome.name.startswith("Fail for a zone")]
    assert len(failed) == ZONES
    assert {outcome.result["msg"] for outcome in failed} == {"gate: edgeops_allow does not allow change_filter edge-logs."}
    assert not report.writes and skipped(report) == {}


def test_delivery_without_the_guard(playbook: Playbook, hosts) -> None:
    """Nothing is predicted, and no zone has a line for that."""
    report = playbook.run(
        playbook="edgeops.observability.deliver",
        inventory=hosts,
        extra_vars={"edgeops_guard": "off"},
        verbosity=0,
        secrets=[SECRET],
    )
    assert skipped(report) == {} and len(report.writes) == ZONES
    assert len(printed(report)) <= MAX_LINES
    assert f"--- {ZONES} zones, such as zone0 before" in shown_lines(report, "Show the outcomes"), (
        "no plan has shown what differs"
    )
    # Variables were validated for all zones at once.
    assert [outcome.module for outcome in report.ours if outcome.host == "zone1"] == ["zone_observability"]


def test_check(playbook: Playbook, hosts) -> None:
    """What few zones have, is read of these in a play of its own: jobs that are not declared, scripts, pages and policies."""
    hosts["zone3"] = {**hosts["zone3"], "log_delivery_jobs": None, "log_delivery_script_monitor_enabled": True}
    hosts["zone4"] = {**hosts["zone4"], "edgeops_audit_scripts": True}
    hosts["zone5"] = {**hosts["zone5"], "edgeops_pages": ["http://127.0.0.1:1/"], "edgeops_timeout": 1}
    account = {"log_delivery_account_id": "a" * 32}
    report = playbook.run(
        playbook="edgeops.observability.check",
        inventory={**hosts, "account": account},
        secrets=[SECRET],
        verbosity=0,
        extra_vars={"edgeops_fail_on": "drifted"},
        fails=("ansible", "not_found"),
    )
    lines = printed(report)
    assert len(lines) <= MAX_LINES, "\n".join(lines)
    findings = shown_lines(report)
    assert findings[0].startswith(f"{ZONES - 1} zones, such as zone0: difference: job edge-logs: filter is ")
    assert not [text for text in findings if "zone1 " in text]
    read = {
        outcome.module: outcome.host for outcome in report.ours if outcome.host and outcome.module.endswith(("_info", "_audit"))
    }
    assert read["logpush_job_info"] == "zone3" and read["script_audit"] == "zone4" and read["page_audit"] == "zone5"
    assert read["notification_policy_info"] == "account"
    assert skipped(report) == {}
    assert report.stdout.rfind("TASK [Show the findings]") == report.stdout.rfind("TASK [")


def test_check_reads_no_more_of_zones_that_could_not_be_compared(playbook: Playbook, hosts) -> None:
    """They have failed with their reason, and have no line for each part that would have been read."""
    few = dict(list(hosts.items())[:4])
    for host in few.values():
        host.update(log_delivery_jobs=None, log_delivery_custom_fields={"request_fields": ["x-a"]}, edgeops_audit_scripts=True)
    refused = [
        {"kind": "status", "status": 403, "path": "*/rulesets*", "zone": few[name]["zone_id"], "count": None}
        for name in ("zone0", "zone1", "zone3")
    ]
    playbook.simulator.faults(*refused)
    report = playbook.run(
        playbook="edgeops.observability.check", inventory=few, secrets=[SECRET], verbosity=0, fails=("permission", "ansible")
    )
    assert skipped(report) == {}
    read = [(outcome.module, outcome.host) for outcome in report.ours if outcome.module in ("logpush_job_info", "script_audit")]
    assert read == [("logpush_job_info", "zone2"), ("script_audit", "zone2")]
    # Equal reasons are printed once by ansible-core; the id of each zone was in the address of the task that failed.
    reasons = [outcome.result["msg"] for outcome in report.failures if outcome.name.startswith("Fail for a zone")]
    assert len(reasons) == 3 and len(set(reasons)) == 1 and "GET /zones/.../rulesets" in reasons[0]


def test_adoption_that_fails_for_many_zones(playbook: Playbook, hosts, tmp_path: Path) -> None:
    """Some cannot be read; for others the service answers otherwise in the verification, so that each would change in the same way."""
    names = list(hosts)
    changed, unread = names[: ZONES // 2], names[ZONES // 2 : -1]
    rewrite = {"kind": "rewrite", "set": {"enabled": True}, "path": "*/script_monitor", "index": 1, "count": None}
    playbook.simulator.faults(
        *({**rewrite, "zone": hosts[name]["zone_id"]} for name in changed),
        *({"kind": "status", "status": 403, "zone": hosts[name]["zone_id"], "count": None} for name in unread),
    )
    inventory = {name: {"zone_id": host["zone_id"]} for name, host in hosts.items()}
    report = playbook.run(
        playbook="edgeops.observability.adopt",
        inventory=inventory,
        extra_vars={"edgeops_adopt_dir": str(tmp_path / "adopted")},
        secrets=[SECRET],
        verbosity=0,
        fails=("ansible", "permission"),
    )
    lines = printed(report)
    assert len(lines) <= MAX_LINES, "\n".join(lines)
    outcomes = shown_lines(report, "Show the outcome")
    assert outcomes[0] == f"{len(changed)} zones, such as zone0: script_monitor.enabled: true -> false"
    assert outcomes[1].startswith(
        f"{len(unread)} zones, such as {unread[0]} were not adopted: the zone could not be read: permission: "
    )
    assert outcomes[2].startswith(f"{len(changed) + 1} zones adopted, ") and outcomes[-1].startswith("Next: ")
    assert len(re.findall(r"FAILED! => .*with these files a delivery would change the zone", report.stdout)) == len(changed)


def test_adoption_says_nothing_of_zones_without_news(playbook: Playbook, hosts, tmp_path: Path) -> None:
    """No task is skipped zone by zone; the summary is the last one before the recap."""
    inventory = {name: {"zone_id": host["zone_id"]} for name, host in hosts.items()}
    report = playbook.run(
        playbook="edgeops.observability.adopt",
        inventory=inventory,
        extra_vars={"edgeops_adopt_dir": str(tmp_path / "adopted")},
        secrets=[SECRET],
        verbosity=0,
    )
    assert skipped(report) == {}
    assert len(printed(report)) <= MAX_LINES
    assert report.stdout.rfind("TASK [Show the outcome]") == report.stdout.rfind("TASK [")


def test_adoption_of_one_zone_says_nothing_of_others(playbook: Playbook, hosts, tmp_path: Path) -> None:
    """No task is skipped for zones outside of the target."""
    inventory = {name: {"zone_id": host["zone_id"]} for name, host in hosts.items()} | {"bastion": {}, "proxy": {}}
    report = playbook.run(
        playbook="edgeops.observability.adopt",
        inventory=inventory,
        extra_vars={"edgeops_adopt_dir": str(tmp_path / "adopted"), "edgeops_target": "zone3"},
        secrets=[SECRET],
        verbosity=0,
    )
    assert skipped(report) == {} and not report.writes
    predicted = {outcome.host for outcome in report.ours if outcome.module == "zone_observability"}
    assert predicted == set(hosts), "each zone of the group"
    assert report.stdout.rfind("TASK [Show the outcome]") == report.stdout.rfind("TASK [")
