# SPDX-License-Identifier: GPL-3.0-or-later

"""Many processes in parallel, and other editors that write between the read and the write of a task."""

import copy
import typing as t

import pytest
from concurrency.crew import Crew
from faults import direct
from faults.scenarios import FOREIGN_RULE, PHASE

from ansible_collections.edgeops.observability.plugins.module_utils._address import ACCOUNT, ZONE, Address
from edgeops_simulator.testing import running
from harness.modules import task_of

ZONES = [f"{number:032x}" for number in range(1, 9)]
ROUNDS = 6
NAMES = [f"x-by-{number}" for number in range(8)]
JOB = {"name": "edge-logs", "destination_conf": "https://logs.example.com/in", "fields": ["RayID"], "enabled": True}


@pytest.fixture(scope="session")
def simulator_server() -> t.Iterator[t.Any]:
    """Run a simulator in its own process, because the tests fork, which is not safe with its threads."""
    with running(zones=ZONES, process=True) as server:
        yield server


@pytest.fixture(scope="session")
def crew() -> t.Iterator[Crew]:
    """Return eight processes that start at the same time."""
    with Crew(8) as hired:
        yield hired


def entry_points(simulator: t.Any, zone: str) -> list[dict[str, t.Any]]:
    return [ruleset for ruleset in simulator.state(zone)["rulesets"] if ruleset["kind"] == "zone" and ruleset["phase"] == PHASE]


def logged(ruleset: t.Mapping[str, t.Any]) -> set[str]:
    items = [
        rule["action_parameters"].get("request_fields", []) for rule in ruleset["rules"] if rule["action"] == "log_custom_field"
    ]
    return {item["name"] for listed in items for item in listed}


def warns_of_others(result: t.Mapping[str, t.Any]) -> bool:
    return any("another client" in warning for warning in result["warnings"])


@pytest.mark.parametrize(
    ("module", "options"),
    [("script_monitor", {"enabled": True}), ("log_custom_fields", {"request_fields": ["x-a"]}), ("logpush_job", JOB)],
)
def test_eight_zones_in_parallel_are_independent(simulator, crew, cases, module, options):
    simulator.settings(latency_ms=20)
    results = crew.run(module, simulator, [(zone, options) for zone in ZONES])
    assert [result.get("failed", False) for result in results] == [False] * 8, results
    assert all(result["changed"] and result["warnings"] == [] for result in results)
    again = crew.run(module, simulator, [(zone, options) for zone in ZONES])
    assert not any(result.get("failed") or result["changed"] for result in again), again
    for zone in ZONES:
        state = simulator.state(zone)
        assert len(state["jobs"]) == int(module == "logpush_job")
        assert len(entry_points(simulator, zone)) == int(module == "log_custom_fields")
    cases["eight processes in eight zones"] += len(results + again)


def test_eight_creators_make_one_entry_point(simulator, crew, cases):
    zone = ZONES[0]
    simulator.settings(latency_ms=10)
    for _round in range(ROUNDS):
        simulator.seed(rulesets={zone: []})
        simulator.clear_journal()
        results = crew.run("log_custom_fields", simulator, [(zone, {"request_fields": [name], "purge": False}) for name in NAMES])
        (ruleset,) = entry_points(simulator, zone)
        check_race(ruleset, results)
        made = [entry for entry in simulator.writes() if entry["method"] == "POST"]
        assert [entry["status"] for entry in made].count(201) + [entry["status"] for entry in made].count(200) == 1
        cases["eight creators of one entry point: races lost"] += len(made) - 1
        cases["eight creators of one entry point: overwritten and warned"] += sum(map(warns_of_others, results))
        # A run whose fields were overwritten only has to be repeated.
        for name in NAMES:
            last = direct.run("log_custom_fields", simulator, zone, {"request_fields": [name], "purge": False})
            assert not last.get("failed") and not warns_of_others(last), last
        assert logged(entry_points(simulator, zone)[0]) == set(NAMES)
        cases["eight creators of one entry point"] += 8


def check_race(ruleset: t.Mapping[str, t.Any], results: t.Sequence[dict[str, t.Any]]) -> None:
    """An overwritten run does not fail, and the run that overwrites others warns about it."""
    failures = [result for result in results if result.get("failed")]
    # The only possible failure: the answer to the write contains changes of another editor.
    assert all("its response differs from the desired state" in result["msg"] for result in failures), failures
    assert {result["error"]["kind"] for result in failures} <= {"bad_response"}
    lost = set(NAMES) - logged(ruleset)
    told = [result for result in results if result.get("failed") or warns_of_others(result)]
    assert not lost or told, (lost, results)
    done = [result for result in results if not result.get("failed")]
    assert all(result["changed"] and result["ruleset"]["id"] == ruleset["id"] for result in done)
    # Each version after the first was written by one run.
    versions = [int(result["ruleset"]["version"]) for result in done]
    assert len(set(versions)) == len(versions)
    assert max(versions) <= int(ruleset["version"]) == 1 + len(results)


def edit_before_write(simulator: t.Any, module: str, edit: t.Callable[[], t.Any]) -> t.Any:
    """Return a task that has another editor write between its read and its write."""
    task = copy.copy(task_of(module))
    real = task.read

    def read(client: t.Any, desired: t.Any) -> t.Any:
        state = real(client, desired)
        edit()
        return state

    task.read = read
    return task


def test_rule_edit_before_write_is_reported(simulator, cases):
    zone = ZONES[0]
    simulator.seed(rulesets={zone: [{"kind": "zone", "phase": PHASE, "rules": [FOREIGN_RULE]}]})
    (ruleset,) = entry_points(simulator, zone)
    theirs = {name: value for name, value in FOREIGN_RULE.items() if name not in ("version", "last_updated")}
    edit = ("PUT", f"/zones/{zone}/rulesets/{ruleset['id']}", {"rules": [{**theirs, "enabled": True}]})
    task = edit_before_write(simulator, "log_custom_fields", lambda: simulator.request(*edit))
    result = direct.run(task, simulator, zone, {"request_fields": ["x-a"]})
    (warning,) = result["warnings"]
    assert "from version 1 to 3 although this run wrote once" in warning
    undisturbed = direct.run("log_custom_fields", simulator, zone, {"request_fields": ["x-b"]})
    assert undisturbed["changed"] and undisturbed["warnings"] == []
    cases["edits between read and write"] += 1


def test_eight_creators_report_duplicate_jobs(simulator, crew, cases):
    """No job is deleted; each run that creates a duplicate reports it, and the next run reports all of them."""
    zone = ZONES[0]
    simulator.settings(latency_ms=10)
    for _round in range(ROUNDS):
        simulator.seed(jobs={zone: []})
        results = crew.run("logpush_job", simulator, [(zone, JOB)] * 8)
        oldest, *others = sorted(simulator.state(zone)["jobs"], key=lambda job: job["id"])
        assert all(job["enabled"] is True and job["logpull_options"] == "fields=RayID" for job in (oldest, *others))
        failed = [result for result in results if result.get("failed")]
        assert {result["error"]["kind"] for result in failed} <= {"conflict"}, failed
        told = {int(result["msg"].split("delete job ")[1].split()[0]) for result in failed if result["changed"]}
        assert told == {job["id"] for job in others}
        again = direct.run("logpush_job", simulator, zone, JOB)
        assert not again["changed"] and bool(again.get("failed")) is bool(others)
        cases["eight creators of one job"] += 8


def test_entry_point_created_by_another_editor_is_used(simulator, cases):
    zone = ZONES[0]
    rule = {name: value for name, value in FOREIGN_RULE.items() if name not in ("version", "last_updated", "id")}
    body = {"name": "theirs", "kind": "zone", "phase": PHASE, "rules": [rule]}
    # The first POST is refused, because the entry point exists now; the task reads again.
    task = edit_before_write(simulator, "log_custom_fields", lambda: simulator.request("POST", f"/zones/{zone}/rulesets", body))
    result = direct.run(task, simulator, zone, {"request_fields": ["x-a"]})
    assert not result.get("failed") and result["changed"] and result["warnings"] == [], result
    (ruleset,) = entry_points(simulator, zone)
    assert ruleset["name"] == "theirs" and len(ruleset["rules"]) == 2
    kept = ruleset["rules"][0]
    assert {name: kept[name] for name in rule} == rule
    cases["edits between read and write"] += 1


POLICY = {
    "name": "twin",
    "alert_type": "failing_logpush_job_disabled_alert",
    "enabled": True,
    "mechanisms": {"email": [{"id": "ops@example.com"}]},
}
RULE = {"description": "twin", "action": "log", "expression": "true", "enabled": True, "directives": {"script-src": ["'self'"]}}


@pytest.mark.parametrize(
    ("module", "path", "body", "options"),
    [
        (
            "notification_policy",
            "alerting/v3/policies",
            POLICY,
            {**POLICY, "mechanisms": {"email": ["ops@example.com"]}},
        ),
        (
            "logpush_transformer",
            "logpush/transformers",
            {"name": "twin", "code": "SELECT RayID FROM http_requests"},
            {"name": "twin", "sql": "SELECT RayID FROM http_requests"},
        ),
        ("content_security_rule", "page_shield/policies", RULE, RULE),
    ],
)
def test_two_creators_of_one_name_are_a_conflict_at_once(simulator, cases, module, path, body, options):
    """The service keeps no names unique: the run that created the second one says so, instead of the next run."""
    is_of_zone = module == "content_security_rule"
    address = Address(ZONE, ZONES[0]) if is_of_zone else Address(ACCOUNT, simulator.account)
    sent = {**body, "value": "script-src 'self'"} if is_of_zone else body
    sent.pop("directives", None)
    task = edit_before_write(simulator, module, lambda: simulator.request("POST", f"/{address.scope}s/{address.id}/{path}", sent))
    result = direct.run(task, simulator, address, options)
    assert result["failed"] and result["changed"] and result["error"]["kind"] == "conflict", result
    assert "Another run created" in result["msg"] and "'twin'" in result["msg"] and "Nothing was deleted" in result["msg"]
    cases["edits between read and write"] += 1


@pytest.mark.parametrize("deleted", [True, False])
def test_job_deleted_or_edited_before_write(simulator, cases, deleted):
    """If another editor deletes the job between read and write, the task fails; if it changes the job, the change is kept."""
    zone = ZONES[0]
    path = f"/zones/{zone}/logpush/jobs/5"
    simulator.seed(jobs={zone: [{"id": 5, "name": "edge-logs", "destination_conf": "r2://edge-logs"}]})
    edit = ("DELETE", path, None) if deleted else ("PUT", path, {"max_upload_records": 2000})
    task = edit_before_write(simulator, "logpush_job", lambda: simulator.request(*edit))
    result = direct.run(task, simulator, zone, JOB)
    if deleted:
        # The changed job no longer exists: this is a failure, and the next run creates the job.
        assert result["failed"] and result["error"]["kind"] == "not_found" and not result["changed"]
    else:
        # Only members that differ are sent, so that other changes are kept.
        assert result["changed"] and simulator.state(zone)["jobs"][0]["max_upload_records"] == 2000
    assert not direct.run("logpush_job", simulator, zone, JOB).get("failed")
    (job,) = simulator.state(zone)["jobs"]
    assert job["enabled"] is True and job["logpull_options"] == "fields=RayID"
    gone = edit_before_write(
        simulator, "logpush_job", lambda: simulator.request("DELETE", f"/zones/{zone}/logpush/jobs/{job['id']}")
    )
    removed = direct.run(gone, simulator, zone, {"name": "edge-logs", "state": "absent"})
    assert not removed.get("failed") and removed["changed"] is False
    cases["edits between read and write"] += 2
