# SPDX-License-Identifier: GPL-3.0-or-later

"""The transformer of a job, selected by its name, in a zone and in an account."""

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._difference import of_members
from harness import Modules
from harness.outcome import Report

JOB = "edgeops.observability.logpush_job"
ZONE = "edgeops.observability.zone_observability"
DESTINATION = "https://logs.example/in"
NEW = {"name": "edge", "destination_conf": DESTINATION, "enabled": True, "fields": ["RayID"]}
TRANSFORMERS = [{"id": 3, "name": "redact"}, {"id": 4, "name": "twin"}, {"id": 5, "name": "twin"}, {"id": 6, "name": "other"}]


@pytest.fixture(autouse=True)
def transformers(simulator: t.Any) -> None:
    simulator.seed(transformers={simulator.account: TRANSFORMERS})


def run(modules: Modules, args: dict[str, t.Any], task: str = JOB, **more: t.Any) -> Report:
    return modules.run({"name": "Task", task: args}, **more)


def listings(report: Report) -> list[str]:
    return [entry["path"] for entry in report.journal if "/jobs" not in entry["path"] and "/fields" not in entry["path"]]


def test_transformer_is_selected_by_name(modules: Modules, simulator: t.Any) -> None:
    """The id is looked up in the account of the zone; another name changes the transformer, an empty name removes it."""
    created, changed, detached = modules.converge_each(
        "logpush_job", [{**NEW, "transformer": name} for name in ("redact", "other", "")]
    )
    assert created.writes[0]["body"]["transformer_id"] == 3 and created.result["job"]["transformer"] == "redact"
    assert listings(created.report)[:2] == [f"/zones/{modules.zone}", f"/accounts/{simulator.account}/logpush/transformers"]
    assert changed.writes[0]["body"] == {"transformer_id": 6}
    before, after = changed.result["diff"]["before"], changed.result["diff"]["after"]
    assert (before["transformer_id"], before["transformer"]) == (3, "redact")
    assert [(difference.path, difference.before, difference.after) for difference in of_members(before, after)] == [
        ("transformer_id", "redact", "other")
    ]
    assert [effect["name"] for effect in changed.result["effects"]] == ["change_transformer"]
    assert detached.writes[0]["body"] == {"transformer_id": 0} and detached.result["job"]["transformer"] is None
    assert [effect["name"] for effect in detached.result["effects"]] == ["change_transformer"]


def test_account_job_reads_no_zone(modules: Modules, simulator: t.Any) -> None:
    args = {"name": "a", "dataset": "audit_logs", "destination_conf": DESTINATION, "enabled": True, "transformer": "redact"}
    report = run(modules, args, defaults={"account_id": simulator.account})
    assert report.result["job"]["transformer_id"] == 3
    assert listings(report) == [f"/accounts/{simulator.account}/logpush/transformers"]


def test_transformers_are_not_read_without_a_name(modules: Modules) -> None:
    report = run(modules, {**NEW, "transformer_id": 3})
    assert listings(report) == [] and report.result["job"]["transformer"] is None
    assert listings(run(modules, {"name": "edge", "state": "absent", "transformer": "redact"})) == []


@pytest.mark.parametrize(
    ("args", "kind", "message"),
    [
        (
            {"transformer": "redacted"},
            "invalid_option",
            "transformer: 'redacted' is not a transformer of the account (did you mean 'redact'?)",
        ),
        ({"transformer": "twin"}, "conflict", "transformer: the transformers 4, 5 are all named 'twin'"),
        ({"transformer": "redact", "transformer_id": 3}, "invalid_option", "parameters are mutually exclusive"),
        (
            {"transformer": "redact", "output_options": {"output_type": "csv"}},
            "invalid_option",
            "transformer: a transformer changes records",
        ),
        (
            {"transformer_id": 3, "output_options": {"output_type": "csv"}},
            "invalid_option",
            "transformer_id: a transformer changes records",
        ),
    ],
)
def test_invalid_transformer_is_refused_before_a_write(modules: Modules, args: dict[str, t.Any], kind: str, message: str) -> None:
    options = {name: value for name, value in NEW.items() if name != "fields" or "output_options" not in args}
    for check in (True, False):
        report = run(modules, {**options, **args}, fails=kind, check=check)
        assert report.failure["msg"].startswith(message) and not report.writes


def test_transformer_with_csv_output_is_refused(modules: Modules) -> None:
    run(
        modules,
        {**{name: NEW[name] for name in ("name", "destination_conf", "enabled")}, "transformer": "redact", "output_options": {}},
    )
    report = run(modules, {"name": "edge", "output_options": {"output_type": "csv"}}, fails="invalid_option")
    assert report.failure["msg"].startswith("output_options.output_type: a transformer changes records")


def test_jobs_list_transformers_once(modules: Modules, simulator: t.Any) -> None:
    """An item with `transformer` or `transformer_id` replaces the default of either option."""
    jobs = [
        {**NEW, "name": "by-default"},
        {**NEW, "name": "own", "transformer": "other"},
        {**NEW, "name": "by-id", "transformer_id": 4},
    ]
    jobs.append({**NEW, "name": "none", "transformer": ""})
    args = {"jobs": jobs, "job_defaults": {"transformer": "redact"}}
    report = run(modules, args, ZONE)
    made = report.result["jobs"]["jobs"]
    assert [(job["transformer_id"], job["transformer"]) for job in made] == [
        (3, "redact"),
        (6, "other"),
        (4, "twin"),
        (None, None),
    ]
    assert len(listings(report)) == 2
    # The answer that leads to the transformers names the account.
    assert (report.result["zone_id"], report.result["account_id"]) == (modules.zone, simulator.account)
    assert not run(modules, args, ZONE).result["changed"]
    by_id = {"jobs": jobs[:2], "job_defaults": {"transformer_id": 6}}
    assert [job["transformer_id"] for job in run(modules, by_id, ZONE).result["jobs"]["jobs"]] == [6, 6]
    wrong = {"jobs": [{**NEW, "transformer": "x"}]}
    assert run(modules, wrong, ZONE, fails="invalid_option").failure["msg"].startswith("jobs[0].transformer: 'x' is not")
    both = {"jobs": [{**NEW, "transformer": "redact", "transformer_id": 3}]}
    assert (
        run(modules, both, ZONE, fails="invalid_option").failure["msg"].startswith("jobs[0].transformer: cannot be used together")
    )


def test_adoption_writes_transformer_names(modules: Modules, simulator: t.Any) -> None:
    """Adoption writes names that are readable and unique, otherwise ids; the adopted variables are compliant."""
    kept = {"destination_conf": DESTINATION, "enabled": True}
    jobs = [{**kept, "id": 1, "name": "a", "transformer_id": 3}, {**kept, "id": 2, "name": "b", "transformer_id": 4}]
    simulator.seed(jobs={modules.zone: jobs})
    info = "edgeops.observability.zone_variables_info"
    adopted = run(modules, {}, info).result["variables"]["log_delivery_jobs"]
    assert [(job.get("transformer"), job.get("transformer_id")) for job in adopted] == [("redact", None), (None, 4)]
    report = run(modules, {"jobs": adopted}, ZONE)
    assert not report.result["changed"] and report.result["jobs"]["jobs"][0]["transformer"] == "redact"
    simulator.faults({"kind": "status", "status": 403, "path": "*/transformers"})
    assert [job.get("transformer_id") for job in run(modules, {}, info).result["variables"]["log_delivery_jobs"]] == [3, 4]


def test_zone_without_account_suggests_transformer_id(modules: Modules, simulator: t.Any) -> None:
    simulator.faults({"kind": "rewrite", "set": {"account": {}}, "path": f"/zones/{modules.zone}"})
    report = run(modules, {**NEW, "transformer": "redact"}, fails="bad_response")
    assert "set transformer_id instead" in report.failure["msg"]


def test_listed_jobs_of_a_zone_have_the_names_that_were_read(modules: Modules, simulator: t.Any) -> None:
    """Of jobs that select one by name and of others; nothing is read for the names alone."""
    run(modules, {**NEW, "transformer": "redact"})
    run(modules, {**NEW, "name": "other", "transformer_id": 6})
    named = run(modules, {"job": {**NEW, "transformer": "redact"}}, ZONE)
    assert {job["name"]: job["transformer"] for job in named.result["listed_jobs"]} == {"edge": "redact", "other": "other"}
    by_id = run(modules, {"job": {**NEW, "transformer_id": 3}}, ZONE)
    assert {job["transformer"] for job in by_id.result["listed_jobs"]} == {None} and listings(by_id) == []
