# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from zone_runs import DESTINATION, SECRET, fleet, job, lists, modules, selected

from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import CONNECTION_OPTIONS

PLAYBOOKS = Path(__file__).resolve().parents[2] / "playbooks"
DELIVER = "edgeops.observability.deliver"
CHECK = "edgeops.observability.check"
CONNECTION = "edgeops_connection"
ZONE_VARIABLES = ("ansible_python_interpreter", "log_delivery_zone_id", "edgeops_connection_given", CONNECTION)
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
    (shown,) = [outcome.result["msg"] for outcome in report.outcomes if outcome.name == "Show the findings"]
    return stats, shown


def failed_hosts(report):
    """Hosts that the recap counts as failed."""
    return set(re.findall(r"^(\S+)\s+: ok=.* failed=[1-9]", report.stdout, re.MULTILINE))


@pytest.mark.every_core
def test_check_is_compliant_after_deliver(playbook, simulator):
    """deliver brings every zone into its desired state, and check then reports it as compliant."""
    hosts = without_role_zone(fleet(simulator, [DESIRED, {"script_monitor_enabled": True}]))
    before = playbook.run(playbook=CHECK, inventory=hosts, secrets=[SECRET])
    stats, shown = findings(before)
    assert [zone["zone"] for zone in stats["drifted"]] == ["zone0", "zone1"]
    assert stats["drifted"][0]["differences"]["jobs"] == ["edge-logs: is not there and would be created"]
    assert "custom_fields.request_fields: +x-trace-id" in " ".join(stats["drifted"][0]["differences"]["custom_fields"])
    assert stats["drifted"][1]["differences"] == {
        "custom_fields": [],
        "jobs": ["edge-logs: is not there and would be created"],
        "script_monitor": ["enabled: false -> true"],
    }
    assert shown[-3] == "2 checked: 0 compliant, 2 drifted, 0 unmanaged, 0 failed"
    assert "zone1 drifted: script monitor: enabled: false -> true" in shown
    assert not before.writes

    playbook.run(playbook=DELIVER, inventory=hosts, secrets=[SECRET])
    assert [len(simulator.state(host["zone_id"])["jobs"]) for host in hosts.values()] == [1, 1]
    assert selected(simulator, hosts["zone0"]["zone_id"])[-1] == "RequestHeaders"

    again = playbook.run(playbook=DELIVER, inventory=hosts)
    assert not again.writes
    assert not [outcome for outcome in again.ours if outcome.result["changed"]]

    after = playbook.run(playbook=CHECK, inventory=hosts, extra_vars={"fail_on": "drifted"})
    stats, shown = findings(after)
    both = ["zone0", "zone1"]
    counts = ["2 checked: 2 compliant, 0 drifted, 0 unmanaged, 0 failed", "0 differences, 0 findings, 0 notes, 0 waived"]
    assert stats == {**{name: [] for name in stats}, "zones": both, "compliant": both, "lines": counts[:1]}
    assert shown[:-1] == counts
    assert after.returncode == 0 and not after.writes


def test_failing_zone_hides_no_other_zone(playbook, simulator):
    """A failing zone, and one without its variables, hide no other zone."""
    hosts = without_role_zone(fleet(simulator, [DESIRED, DESIRED, DESIRED, DESIRED]))
    hosts["zone1"]["log_delivery_job"] = {"enabled": True}
    del hosts["zone2"]["zone_id"]
    simulator.faults(
        {"kind": "status", "status": 403, "zone": hosts["zone3"]["zone_id"], "code": 10000, "message": "no", "count": None}
    )
    fails = ("ansible", "authentication", "invalid_option")
    report = playbook.run(playbook=CHECK, inventory=hosts, extra_vars={"zones_at_once": 2}, fails=fails)
    stats, shown = findings(report)
    assert [zone["zone"] for zone in stats["drifted"]] == ["zone0"]
    errors = {zone["zone"]: zone["error"] for zone in stats["failed"]}
    assert errors["zone1"]["kind"] == "invalid_option" and "log_delivery_job" in errors["zone1"]["message"]
    assert errors["zone2"]["kind"] == "invalid_option" and "zone_id" in errors["zone2"]["message"]
    assert errors["zone3"]["kind"] == "authentication"
    assert "4 checked: 0 compliant, 1 drifted, 0 unmanaged, 3 failed" in shown
    assert [line.split()[:2] for line in shown if " failed: " in line] == [[f"zone{n}", "failed:"] for n in (1, 2, 3)]
    assert report.returncode != 0
    assert failed_hosts(report) == {"zone1", "zone2", "zone3"}


@pytest.mark.parametrize(("text", "fails"), [("drifted", "ansible"), ("finding", None), ("", None)])
def test_drift_fails_only_with_fail_on(playbook, simulator, text, fails):
    """Differences fail the play only if `fail_on` asks for it."""
    hosts = fleet(simulator, [DESIRED])
    report = playbook.run(playbook=CHECK, inventory=hosts, extra_vars={"fail_on": text, "cross_check": bool(text)}, fails=fails)
    assert (report.returncode != 0) is (fails is not None)
    assert failed_hosts(report) == ({"zone0"} if fails else set())


def test_target_and_limit_narrow_the_audit(playbook, simulator):
    """A target and a limit narrow the audit."""
    hosts = fleet(simulator, [DESIRED, DESIRED, DESIRED])
    stats, _shown = findings(playbook.run(playbook=CHECK, inventory=hosts, extra_vars={"target": "zone1:zone2"}))
    assert (stats["zones"], [zone["zone"] for zone in stats["drifted"]]) == (["zone1", "zone2"], ["zone1", "zone2"])
    stats, _shown = findings(playbook.run(playbook=CHECK, inventory=hosts, arguments=["--limit", "zone2"]))
    assert (stats["zones"], [zone["zone"] for zone in stats["drifted"]]) == (["zone2"], ["zone2"])


@pytest.mark.parametrize("name", [CHECK, DELIVER])
@pytest.mark.parametrize(
    ("target", "arguments"),
    [
        ("zone0:!zone0", []),
        ("zone0:!zone0", ["--limit", "zone1"]),
        ("zone0", ["--limit", "zone1"]),
    ],
)
def test_no_zone_at_all_is_a_failure(playbook, simulator, name, target, arguments):
    hosts = fleet(simulator, [DESIRED, DESIRED])
    report = playbook.run(playbook=name, inventory=hosts, extra_vars={"target": target}, arguments=arguments, fails="ansible")
    assert report.returncode != 0 and not report.journal
    assert f"no host for '{target}'" in report.failures[0].result["msg"]


@pytest.mark.parametrize(
    ("name", "variables", "said"),
    [
        (CHECK, {"report_formats": ["pdf"]}, "report_formats: "),
        (CHECK, {"report_waivers": [{"zone": "a"}]}, "report_waivers[0].reason: "),
        (CHECK, {"report_waivers": [{"reason": "{{ nowhere }}"}]}, "report_waivers: cannot be evaluated: 'nowhere' is undefined"),
        (CHECK, {"report_merge": "missing.json"}, "report_merge[0]: "),
        (CHECK, {"fail_on": "drift"}, "value of fail_on must be"),
        (CHECK, {"fail_on": "{{ nowhere }}"}, "fail_on: cannot be evaluated"),
        (CHECK, {"audit_scripts": "perhaps"}, "audit_scripts: must be true or false"),
        (CHECK, {"cross_check": "{{ nowhere }}"}, "cross_check: cannot be evaluated"),
        (CHECK, {"zones_at_once": [1, "none"]}, "zones_at_once: must be"),
        (CHECK, {"report_put_url": "ftp://files.example"}, "report_put_url must be"),
        (CHECK, {"target": "{{ nowhere }}"}, "target: cannot be evaluated"),
    ],
)
def test_variables_of_the_run_are_validated_first(playbook, simulator, name, variables, said):
    """They are refused by their names before any request, and not after all zones were read."""
    hosts = fleet(simulator, [DESIRED])
    hosts["zone0"].update(ansible_connection="ssh", ansible_host="127.0.0.1", ansible_port=9)
    kind = "invalid_option" if " cannot be evaluated" in said or said.endswith(": ") or "fail_on" in said else "ansible"
    kind = "ansible" if "target" in variables else kind
    report = playbook.run(playbook=name, inventory=hosts, extra_vars=variables, fails=kind)
    assert report.failure["msg"].startswith(said) and not report.journal


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        (DELIVER, {"zone 1": {}}, 'The host names "zone 1" have'),
        (CHECK, {"zone{1}": {}, "zone 2": {}}, 'The host names "zone 2", "zone{1}" have'),
        (CHECK, {"zone0": {"target": "zone0"}}, "target: must be text, given as an extra variable"),
    ],
)
def test_zones_that_cannot_be_addressed(playbook, simulator, name, changes, said):
    hosts = fleet(simulator, [DESIRED])
    hosts = {each: {**hosts.get(each, {}), **changes.get(each, {})} for each in {**hosts, **changes}}
    report = playbook.run(playbook=name, inventory=hosts, fails="ansible")
    assert report.failure["msg"].startswith(said) and not report.journal


def test_evidence_that_cannot_be_found_fails_its_zone(playbook, simulator):
    """Without its history an audit of scripts would pass, and leave no record."""
    hosts = fleet(simulator, [{"script_monitor_enabled": True}] * 3)
    hosts["zone0"]["script_history"] = hosts["zone1"]["script_expected_head"] = "{{ nowhere }}"
    report = playbook.run(
        playbook=CHECK, inventory=hosts, extra_vars={"audit_scripts": "yes"}, fails=("ansible", "invalid_option")
    )
    stats, _shown = findings(report)
    assert {zone["zone"]: zone["error"]["message"] for zone in stats["failed"] if zone["zone"] != "zone2"} == {
        f"zone{number}": f"{name}: cannot be evaluated: 'nowhere' is undefined"
        for number, name in enumerate(("script_history", "script_expected_head"))
    }


def test_checked_twice_in_one_run(playbook, simulator):
    """What one audit found out is forgotten by the next."""
    hosts = fleet(simulator, [DESIRED, DESIRED])
    simulator.faults({"kind": "status", "status": 403, "zone": hosts["zone0"]["zone_id"], "count": 1})
    again = {"name": "Go on", "hosts": "all", "gather_facts": False, "tasks": [{"meta": "clear_host_errors"}]}
    plays = [{"import_playbook": CHECK}, again, {"import_playbook": CHECK}]
    report = playbook.run(playbook=plays, inventory=hosts, fails=("ansible", "permission"))
    counts = [outcome.result["msg"][-3] for outcome in report.outcomes if outcome.name == "Show the findings"]
    assert counts == [
        "2 checked: 0 compliant, 1 drifted, 0 unmanaged, 1 failed",
        "2 checked: 0 compliant, 2 drifted, 0 unmanaged, 0 failed",
    ]


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
    texts = {outcome.host: outcome.result["msg"] for outcome in report.failures if outcome.name.startswith("Fail for")}
    assert "rehearsal_url" in texts["zone0"] and "vault_token" in texts["zone1"]
    assert "this host has neither zone_id nor log_delivery_zone_id" in texts["zone6"]
    for zone, variable in (("zone5", "log_delivery_zone_id"), ("zone7", "edgeops_timeout"), ("zone8", "edgeops_retries")):
        assert texts[zone].removeprefix("invalid_option: ").startswith(f"{variable}: ")


def test_failed_batch_does_not_end_delivery(playbook, simulator):
    """A batch that fails as a whole does not end a delivery."""
    hosts = fleet(simulator, [DESIRED] * 4)
    for zone in ("zone0", "zone1"):
        fault = {"kind": "status", "status": 403, "zone": hosts[zone]["zone_id"], "code": 10000, "message": "no", "count": None}
        simulator.faults(fault)
    hosts["zone2"].update(ansible_connection="ssh", ansible_host="127.0.0.1", ansible_port=9, edgeops_in_process=False)
    for changed in (True, False):
        report = playbook.run(
            playbook=DELIVER, inventory=hosts, extra_vars={"zones_at_once": 1}, fails=("ansible", "unreachable", "authentication")
        )
        assert report.returncode != 0 and failed_hosts(report) == {"zone0", "zone1", "zone2"}
        (shown,) = [outcome.result["msg"] for outcome in report.outcomes if outcome.name == "Show the outcomes"]
        assert shown[0] == f"4 zones: {changed:d} changed, {not changed:d} unchanged, 2 failed, 1 not reached"
        assert [line.split(":")[0] for line in shown[1:]] == [
            *["zone3 changed"][: int(changed)],
            "zone0 failed",
            "zone1 failed",
            "zone2 was not reached",
        ]
    assert len(simulator.state(hosts["zone3"]["zone_id"])["jobs"]) == 1


def test_unreachable_zone_is_not_compliant(playbook, simulator):
    """A zone that is not reached is not compliant."""
    hosts = fleet(simulator, [DESIRED, DESIRED])
    hosts["zone0"].update(ansible_connection="ssh", ansible_host="127.0.0.1", ansible_port=9, edgeops_in_process=False)
    report = playbook.run(playbook=CHECK, inventory=hosts, extra_vars={"zones_at_once": 1}, fails=("ansible", "unreachable"))
    stats, shown = findings(report)
    assert (stats["unknown"], stats["compliant"]) == (["zone0"], [])
    assert "zone0 failed: it could not be reached" in shown and failed_hosts(report) == {"zone0"}


COMMAND = "lookup('ansible.builtin.pipe', 'touch %s')"


@pytest.mark.every_core
@pytest.mark.parametrize("name", [CHECK, DELIVER])
def test_texts_of_the_service_are_no_templates(playbook, simulator, tmp_path, name):
    """Neither in messages of failures nor in names of fields and jobs, with the usual delimiters and with others."""
    marker = tmp_path / "executed"
    command = COMMAND % marker
    plain = f"{{{{ {command} }}}}"
    header = f"#jinja2: variable_start_string: '<<', variable_end_string: '>>'\n<< {command} >>"
    hosts = fleet(simulator, [DESIRED, {"job": job(name=None, job_id=7, filter="")}, DESIRED])
    zones = [host["zone_id"] for host in hosts.values()]
    for zone, text in ((zones[0], plain), (zones[2], header)):
        simulator.faults({"kind": "status", "status": 403, "zone": zone, "code": 10000, "message": text, "count": None})
    seeded = {"id": 7, "name": plain, "dataset": "http_requests", "destination_conf": DESTINATION}
    simulator.seed(jobs={zones[1]: [seeded]})
    report = playbook.run(
        playbook=name, inventory=hosts, extra_vars={"cross_check": True}, fails=("ansible", "authentication"), secrets=[SECRET]
    )
    assert not marker.exists()
    shown = next(outcome.result["msg"] for outcome in report.outcomes if outcome.name.startswith("Show the"))
    assert [line for line in shown if line.startswith("zone0 failed: authentication") and plain in line]
    assert [line for line in shown if line.startswith("zone2 failed: authentication") and f"<< {command} >>" in line]


def test_changed_secret_differs_and_is_masked(playbook, simulator):
    """A changed secret is a difference, and is not shown."""
    hosts = fleet(simulator, [DESIRED])
    zone = hosts["zone0"]["zone_id"]
    old = DESTINATION.replace(SECRET, "planted-older-secret-93e2")
    simulator.seed(jobs={zone: [{"name": "edge-logs", "dataset": "http_requests", "destination_conf": old, "enabled": True}]})
    report = playbook.run(playbook=CHECK, inventory=hosts, secrets=[SECRET, "planted-older-secret-93e2"], verbosity=4)
    stats, _shown = findings(report)
    assert [line for line in stats["drifted"][0]["differences"]["jobs"] if "destination" in line]


def test_cross_check_notes_unselected_fields(playbook, simulator):
    """The cross check notes fields that no job selects."""
    hosts = fleet(simulator, [{}, {}])
    rule = {"action": "log_custom_field", "expression": "true", "action_parameters": {"cookie_fields": [{"name": "Cart"}]}}
    ruleset = {"name": "entry", "kind": "zone", "phase": "http_log_custom_fields", "rules": [rule]}
    simulator.seed(rulesets={hosts["zone1"]["zone_id"]: [ruleset]})
    stats, shown = findings(playbook.run(playbook=CHECK, inventory=hosts, extra_vars={"cross_check": "true"}))
    assert [note["zone"] for note in stats["notes"]] == ["zone1"]
    assert "zone1 note: cookie_fields (Cart) reach no log" in " ".join(shown)


def test_an_inventory_gives_the_connection(playbook, simulator):
    hosts = fleet(simulator, [{}])
    hosts["zone0"].update(
        edgeops_base_url=simulator.base_url, edgeops_api_email=simulator.email, edgeops_api_key="{{ kept_key }}", edgeops_retries=0,
        edgeops_validate_certs=False, edgeops_api_token="", kept_key=simulator.key,
    )  # fmt: skip
    nowhere = {"CLOUDFLARE_BASE_URL": "http://127.0.0.1:9", "CLOUDFLARE_API_TOKEN": "planted-wrong-token"}
    for name in (CHECK, DELIVER):
        report = playbook.run(playbook=name, inventory=hosts, env=nowhere)
        assert report.journal and {entry["credential"] for entry in report.journal} == {"email_key"}
    assert len(simulator.state(hosts["zone0"]["zone_id"])["jobs"]) == 1


def test_plain_inventory_needs_no_connection(playbook, simulator, tmp_path):
    """A plain inventory needs no connection variables."""
    hosts = fleet(simulator, [DESIRED])
    inventory = tmp_path / "plain.yml"
    inventory.write_text(yaml.safe_dump({"all": {"hosts": hosts}}))
    report = playbook.run(playbook=DELIVER, inventory=inventory, in_process=False)
    assert [outcome.result["changed"] for outcome in modules(report, "zone_observability")] == [True, True]


def plays_on_zones(name):
    """The plays of a playbook that send requests for each zone: those with the variables of the connection."""
    return [play for play in yaml.safe_load((PLAYBOOKS / f"{name}.yml").read_text()) if CONNECTION in play.get("vars", {})]


def module_defaults(node):
    """Every `module_defaults` of a play, a task or a list of them."""
    if isinstance(node, list):
        return [found for each in node for found in module_defaults(each)]
    if not isinstance(node, dict):
        return []
    own = [node["module_defaults"]] if "module_defaults" in node else []
    return own + module_defaults(list(node.values()))


def test_playbooks_share_their_connection():
    """The variables of a zone and of its connection are the same in the three playbooks, which cannot share a file at no cost."""
    plays = {name: plays_on_zones(name) for name in ("check", "deliver", "adopt")}
    assert {name: len(found) for name, found in plays.items()} == {"check": 1, "deliver": 2, "adopt": 2}
    (check,) = plays["check"]
    for play in (play for found in plays.values() for play in found):
        assert {name: play["vars"][name] for name in ZONE_VARIABLES} == {name: check["vars"][name] for name in ZONE_VARIABLES}
        assert (play["connection"], play["gather_facts"]) == ("local", False)
        defaults = module_defaults(play)
        assert defaults and all(each == {"group/edgeops.observability.zone": "{{ edgeops_connection }}"} for each in defaults)
    first = [found[0] for found in plays.values()]
    assert {play["hosts"] for play in first} == {"{{ target | default('all') }}"}
    predicted = plays["deliver"][0]
    for member in ("vars", "ignore_unreachable", "check_mode", "diff"):
        assert predicted[member] == check[member]
    (names,) = re.findall(r"\^edgeops_\(([a-z_|]+)\)\$", check["vars"]["edgeops_connection_given"])
    assert set(names.split("|")) == set(CONNECTION_OPTIONS)


def test_playbook_readme_names_every_variable():
    """The README of the playbooks names every variable."""
    readme = (PLAYBOOKS / "README.md").read_text()
    used = set()
    for name in ("deliver", "check"):
        text = (PLAYBOOKS / f"{name}.yml").read_text()
        used |= set(re.findall(r"\b(?:target|zones_at_once|fail_on|cross_check|report_\w+)(?= \| default)", text))
    used |= {f"edgeops_{name}" for name in CONNECTION_OPTIONS}
    assert used == {name for name in re.findall(r"`(\w+)`", readme) if name in used} and len(used) == 22


def test_job_of_another_dataset_is_delivered(playbook, simulator):
    """A job of another dataset can be delivered."""
    hosts = fleet(simulator, [{"job": job(dataset="firewall_events", fields=["Action"])}])
    report = playbook.run(playbook=DELIVER, inventory=hosts)
    assert modules(report, "zone_observability")[0].result["jobs"]["jobs"][0]["dataset"] == "firewall_events"
