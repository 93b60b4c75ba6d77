# SPDX-License-Identifier: GPL-3.0-or-later

import time
import typing as t

import pytest
from support.samples.custom_fields import own
from zone_runs import DESTINATION, SECRET, job

from ansible_collections.edgeops.observability.plugins.module_utils._zone.registered import why_untold
from harness import Modules, prediction

pytestmark = pytest.mark.every_core

MODULE = "edgeops.observability.zone_observability"
KEY = "planted-key-8c0db7"
JOB = {"name": "archive", "destination_conf": f"s3://archive/http?access-key-id=ID&secret-access-key={KEY}", "fields": ["RayID"]}
DESIRED = {
    "custom_fields": {"request_fields": ["X-A"], "raw_response_fields": ["server"]},
    "jobs": [JOB, {**JOB, "name": "events", "dataset": "firewall_events"}],
    "script_monitor_enabled": True,
}


def task(check: bool = False, **args: t.Any) -> dict[str, t.Any]:
    return {"name": "Zone", MODULE: args, "check_mode": check, "ignore_errors": True}


def endpoints(entries: t.Iterable[t.Mapping[str, t.Any]]) -> list[tuple[str, str]]:
    return [(entry["method"], entry["path"].rpartition("/zones/")[2].partition("/")[2].split("/")[0]) for entry in entries]


def test_all_parts_are_predicted_and_applied(modules: Modules) -> None:
    """All parts are predicted, then applied, then unchanged."""
    runs = [task(True, **DESIRED), task(**DESIRED), task(True, **DESIRED), task(**DESIRED)]
    predicted, applied, rechecked, reapplied = modules.run(runs, secrets=[KEY]).ours
    prediction.check_predicted(predicted, applied)
    assert endpoints(applied.writes) == [
        ("POST", "rulesets"),
        ("PUT", "rulesets"),
        ("POST", "logpush"),
        ("POST", "logpush"),
        ("PUT", "script_monitor"),
    ]
    assert set(applied.result["diff"]["after"]) == {"custom_fields", "jobs", "script_monitor"}
    assert applied.result["coverage"]["arrives"] is True
    assert "RequestHeaders,ResponseHeaders" in applied.result["jobs"]["jobs"][0]["logpull_options"]
    assert applied.result["jobs"]["jobs"][1]["logpull_options"] == "fields=RayID"
    for again in (rechecked, reapplied):
        assert again.result["changed"] is False
        assert again.result["diff"] == {"before": {}, "after": {}}
        assert why_untold({**again.result, "changed": True}) == "", "whatever changed_when says"
        assert sorted(endpoints(again.journal)) == [("GET", "logpush"), ("GET", "rulesets"), ("GET", "script_monitor")]


LEFT = "{{left}}"
DECLARED = {
    "custom_fields": {"cookie_fields": [LEFT]},
    "jobs": [{**JOB, "filter": {"key": "ClientRequestPath", "operator": "contains", "value": LEFT}}],
    "content_security_rules": [
        {"description": LEFT, "action": "log", "expression": "true", "enabled": True, "directives": "script-src 'self'"}
    ],
}


@pytest.mark.parametrize(
    ("part", "place"),
    [
        ("custom_fields", "custom_fields.cookie_fields[0]"),
        ("jobs", "jobs[0].filter.where.and[0].value"),
        ("content_security_rules", "content_security_rules[0].description"),
    ],
)
@pytest.mark.parametrize("check", [True, False])
def test_template_that_nobody_evaluated_is_not_written(modules: Modules, part: str, place: str, check: bool) -> None:
    """All that an adoption writes may look like one, so that the plan decides: the service does not have it yet."""
    report = modules.run(task(check, **{part: DECLARED[part]}), fails="invalid_option")
    assert report.failure["msg"].startswith(f"{place}: a template is left in it") and not report.writes


def test_template_that_the_service_has_is_data(modules: Modules) -> None:
    text = '{"where":{"and":[{"key":"ClientRequestPath","operator":"contains","value":"{{left}}"}]}}'
    there = {**JOB, "dataset": "http_requests", "enabled": False, "filter": text, "logpull_options": "fields=RayID"}
    modules.simulator.seed(jobs={modules.zone: [there]})
    report = modules.run(task(jobs=DECLARED["jobs"]), secrets=[KEY])
    assert [entry["body"] for entry in report.writes] == [{"enabled": True}]


def test_omitted_parts_are_not_changed(modules: Modules) -> None:
    for part, args in (("custom_fields", {}), ("custom_fields", {"state": "absent"}), ("jobs", {"unlisted_jobs": "report"})):
        report = modules.run(task(**args))
        assert report.result[part] == {} and report.result["plan_ids"] == dict.fromkeys(report.result["plan_ids"])
        assert report.journal == [] and report.result["changed"] is False


def test_an_empty_list_declares_that_there_is_no_job(modules: Modules) -> None:
    """Every job is unlisted, the part has a plan, and nothing is written; a single job beside the list is the job."""
    modules.simulator.seed(jobs={modules.zone: [{"name": "stolen", "destination_conf": DESTINATION, "enabled": True}]})
    reported = modules.run(task(jobs=[], unlisted_jobs="report"))
    part = reported.result["jobs"]
    assert [job["name"] for job in part["unlisted_jobs"]] == ["stolen"] and part["jobs"] == []
    assert reported.result["plan_ids"]["jobs"] == part["plan_id"] and part["plan_id"].startswith("sha256:")
    assert endpoints(reported.journal) == [("GET", "logpush")] and reported.result["changed"] is False
    ignored = modules.run(task(jobs=[])).result
    assert ignored["jobs"]["unlisted_jobs"] == [] and [job["name"] for job in ignored["listed_jobs"]] == ["stolen"]
    beside = modules.run(task(True, jobs=[], job=JOB), secrets=[KEY]).result["jobs"]
    assert [job["name"] for job in beside["jobs"]] == ["archive"]
    refused = modules.run(task(jobs=[], unlisted_jobs="absent"), fails="invalid_option")
    assert "unlisted_jobs: 'absent'" in refused.result["msg"] and refused.journal == []


def test_job_that_was_led_elsewhere_is_a_conflict(modules: Modules) -> None:
    """In check mode and for real: nothing of the zone is written, and the failure has the whole plan, beside a rule that is refused."""
    modules.simulator.seed(
        jobs={modules.zone: [{"name": "archive", "destination_conf": f"s3://evil/x?secret-access-key={KEY}", "enabled": True}]}
    )
    item = {"name": "archive", "destination_address": "s3://archive/http", "filter": "", "enabled": False}
    rule = {"description": "pay", "action": "allow", "expression": "true", "directives": {"script-src": ["'self'"]}}
    args = {"jobs": [item], "script_monitor_enabled": True}
    (named,) = [{"job": "archive", "member": "destination_address", "is": "s3://evil/x", "should_be": "s3://archive/http"}]
    for check, more in ((True, {}), (False, {}), (True, {"content_security_rules": [rule]})):
        report = modules.run(task(check, **args, **more), fails="conflict", secrets=[KEY])
        result = report.result
        assert result["msg"].startswith(
            "jobs[0].destination_address: Job 'archive' (id 1) delivers to another place, to s3://evil/x"
        )
        assert report.writes == [] and result["changed"] is False
        assert [refusal.get("job") or refusal.get("rule") for refusal in result["refusals"]] == [
            "archive",
            *(["pay"] if more else []),
        ]
        assert result["refusals"][0] == named
        assert result["plan_ids"]["jobs"].startswith("sha256:") and result["plan_ids"]["script_monitor"].startswith("sha256:")
        assert "disable_job" in [effect["name"] for effect in result["effects"]]
        moved = result["diff"]["after"]["jobs"]["archive"]["destination"]
        assert (result["diff"]["before"]["jobs"]["archive"]["destination"]["address"], moved["address"]) == (
            "evil/x",
            "archive/http",
        )
        assert result["jobs"]["jobs"][0]["destination"]["address"] == "evil/x"
        assert result["script_monitor"]["changed"] is True
    gone = modules.run(task(jobs=[{**item, "name": "lost"}]), fails="conflict", secrets=[KEY]).result
    assert gone["refusals"] == [{**named, "job": "lost", "is": None}] and gone["jobs"]["jobs"] == [None]


def test_each_job_says_what_its_item_does_not_declare(modules: Modules) -> None:
    """What `job_defaults` set counts as declared; prediction and run say the same."""
    args = {"jobs": [{**JOB, "filter": ""}], "job_defaults": {"transformer": "", "filter_attack_traffic": False}}
    for report in modules.run([task(True, **args), task(**args)], secrets=[KEY]).ours:
        assert report.result["jobs"]["jobs"][0]["undeclared"] == ["sample_rate"]
        assert "undeclared" not in (report.result["listed_jobs"] or [{}])[0]


def test_failed_read_names_its_request(modules: Modules) -> None:
    """Parts are read in parallel, and the error names the request that failed."""
    modules.simulator.faults({"kind": "rewrite", "method": "GET", "path": "*/script_monitor", "set": {"enabled": "x"}})
    error = modules.run(task(**DESIRED), fails="bad_response", secrets=[KEY]).failure["error"]
    assert (error["method"], error["path"], error["status"]) == ("GET", f"/zones/{modules.zone}/script_monitor", 200)


def test_parts_are_approved_separately(modules: Modules) -> None:
    approved = modules.run(task(True, **DESIRED), secrets=[KEY]).result["plan_ids"]
    other = {**DESIRED, "script_monitor_enabled": False, "expected_plan_ids": approved}
    report = modules.run(
        [task(**other), task(script_monitor_enabled=True, expected_plan_ids=approved)], fails="conflict", secrets=[KEY]
    )
    assert not report.writes
    assert "expected_plan_ids.script_monitor: the plan is sha256:" in report.ours[0].result["msg"]
    assert report.ours[0].result["plan_ids"]["jobs"] == approved["jobs"]
    assert "expected_plan_ids.custom_fields: the task does not manage this" in report.ours[1].result["msg"]
    for plan_ids, kind, words in (
        ({**approved, "custom_fields": ""}, "conflict", "expected_plan_ids.custom_fields is empty"),
        ({**approved, "custom_fields": None}, "conflict", "but no plan was approved"),
        ({"job": "a"}, "invalid_option", "expected_plan_ids.job: not a part of a zone (did you mean 'jobs'?)"),
        ({"jobs": 1}, "invalid_option", "expected_plan_ids.jobs: must be a plan id"),
    ):
        for check in (True, False):
            report = modules.run(task(check, **DESIRED, expected_plan_ids=plan_ids), fails=kind, secrets=[KEY])
            assert words in report.failure["msg"] and not report.writes
    partly = {name: plan for name, plan in approved.items() if name != "custom_fields"}
    assert modules.run(task(**DESIRED, expected_plan_ids=partly), secrets=[KEY]).result["changed"] is True


def test_one_invalid_part_writes_nothing(modules: Modules) -> None:
    """If one part cannot be planned, no part is written."""
    parts = {"jobs": [{"name": "new"}]}, {"custom_fields": {"request_fields": ["x-a"], "preserve_duplicates": ["x-b"]}}
    report = modules.run([task(**{**DESIRED, **part}) for part in parts], fails="invalid_option", secrets=[KEY])
    assert not report.writes
    job, fields = (outcome.result["msg"] for outcome in report.ours)
    assert job.startswith("jobs[0].destination_conf: is required")
    assert fields.startswith("custom_fields.preserve_duplicates: ")


def test_listed_jobs_are_all_jobs_of_the_zone(modules: Modules) -> None:
    """`listed_jobs` are all jobs of the zone with their health, null if the task does not manage jobs."""
    seed = [
        {"id": 8, "name": "mine", "enabled": True, "error_message": "403", "destination_conf": "s3://b/x?region=r"},
        {"id": 7, "name": "other", "destination_conf": "s3://b/x?region=r"},
    ]
    modules.simulator.seed(jobs={modules.zone: seed})
    report = modules.run(
        [task(True, jobs=[{"name": "mine"}]), task(True, script_monitor_enabled=False)], warns=["its last delivery failed"]
    )
    listed, nothing = (outcome.result["listed_jobs"] for outcome in report.ours)
    assert [(job["id"], job["health"]["state"]) for job in listed] == [(7, "disabled"), (8, "failing")]
    assert nothing is None


def test_uncovered_fields_are_reported(modules: Modules) -> None:
    """Fields that no job selects are reported, but are no failure."""
    rule = own("0a" * 16, request_fields=["x-a"], response_fields=["x-b"])
    modules.simulator.seed(rulesets={modules.zone: [{"kind": "zone", "phase": "http_log_custom_fields", "rules": [rule]}]})
    desired = {"job": job(fields=["Cookies"]), "custom_fields": {"request_fields": ["x-a"]}}
    coverage = modules.run(task(**desired), secrets=[SECRET]).result["coverage"]
    assert [finding["kind"] for finding in coverage["unselected"]] == ["response_fields"]
    assert [finding["field"] for finding in coverage["unconfigured"]] == ["Cookies"]
    assert len(coverage["sentences"]) == 2


@pytest.mark.parametrize("unlisted", ["ignore", "report", "absent"])
def test_several_jobs_have_defaults_and_custom_fields(modules: Modules, unlisted: str) -> None:
    """Each job has the defaults; only jobs of one dataset get the fields of custom fields; other jobs are ignored, reported or deleted."""
    seed = [{"name": name, "destination_conf": DESTINATION} for name in ("old", "stray")]
    modules.simulator.seed(jobs={modules.zone: seed})
    jobs = [
        job(enabled=True),
        job(name="errors", dataset="firewall_events", fields=["Action"]),
        {"name": "old", "state": "absent"},
    ]
    defaults = {"timestamp_format": "rfc3339", "enabled": False}
    custom = {"request_fields": ["X-Trace-Id", "x-forwarded-proto"], "cookie_fields": ["Cart"]}
    desired = {"jobs": jobs, "job_defaults": defaults, "unlisted_jobs": unlisted, "custom_fields": custom}
    predicted, done, *again = modules.run([task(check, **desired) for check in (True, False, True, False)], secrets=[SECRET]).ours
    prediction.check_predicted(predicted, done)
    assert [outcome.result["changed"] for outcome in again] == [False, False] and not again[1].writes
    by_name = {item["name"]: item for item in modules.simulator.state(modules.zone)["jobs"]}
    assert set(by_name) == {"edge-logs", "errors", *(() if unlisted == "absent" else ("stray",))}
    assert "RequestHeaders,Cookies&timestamps=rfc3339" in by_name["edge-logs"]["logpull_options"]
    assert by_name["errors"]["logpull_options"] == "fields=Action&timestamps=rfc3339"
    assert (by_name["edge-logs"]["enabled"], by_name["errors"]["enabled"]) == (True, False)
    assert [item["name"] for item in done.result["jobs"]["unlisted_jobs"]] == ([] if unlisted == "ignore" else ["stray"])
    assert endpoints(done.journal)[-1] == ("GET", "logpush"), "after a creation jobs are listed once more"


RULE = {"description": "checkout", "action": "log", "expression": "true", "directives": {"script-src": ["'self'"]}}
STORED = {"id": "r1", "description": "blog", "action": "log", "expression": "true", "value": "img-src *"}


def test_content_security_rules(modules: Modules) -> None:
    """Rules are deleted first, then changed, then created; rules that no item names are returned unchanged."""
    old, other = ({**STORED, "id": name, "description": name} for name in ("old", "other"))
    modules.simulator.seed(policies={modules.zone: [STORED, old, other]})
    items = [RULE, {"rule_id": "r1", "directives": "img-src 'self'"}, {"description": "old", "state": "absent"}]
    desired = {**DESIRED, "content_security_rules": items}
    runs = [task(True, **desired), task(**desired), task(True, **desired), task(**desired)]
    predicted, applied, rechecked, reapplied = modules.run(runs, secrets=[KEY]).ours
    prediction.check_predicted(predicted, applied)
    assert [entry["method"] for entry in applied.writes[-3:]] == ["DELETE", "PUT", "POST"] and len(applied.writes) == 8
    part = applied.result["content_security_rules"]
    assert [rule and rule["description"] for rule in part["content_security_rules"]] == ["checkout", "blog", None]
    assert part["violations"] == {"checkout": None, "blog": None, "old": None}
    assert part["unlisted_rules"] == [{"id": "other", "description": "other", "action": "log", "enabled": True}]
    assert set(applied.result["diff"]["after"]["content_security_rules"]) == {"checkout", "blog", "old"}
    for again in (rechecked, reapplied):
        assert again.result["changed"] is False and len(again.journal) == 4
    gone = modules.run(task(state="absent", content_security_rules=[RULE], custom_fields={"request_fields": ["X-A"]})).ours[0]
    assert endpoints(gone.writes) == [("DELETE", "page_shield"), ("PUT", "rulesets")]


def test_rules_of_one_description_are_kept_apart(modules: Modules) -> None:
    """The rule with the lower id keeps the description as its label in diff, violations and effects; the other one has its id as well."""
    enforced, logged = ({**STORED, "id": name, "action": action} for name, action in (("r1", "allow"), ("r2", "log")))
    modules.simulator.seed(policies={modules.zone: [enforced, logged]})
    adopted = [{"description": "blog", "rule_id": rule["id"], "action": rule["action"]} for rule in (logged, enforced)]
    items = [{"rule_id": "r2", "expression": 'http.host eq "a"'}, {"rule_id": "r1", "enabled": False}]
    same, changed = modules.run([task(content_security_rules=adopted), task(True, content_security_rules=items)]).ours
    assert same.result["changed"] is False
    after = changed.result["diff"]["after"]["content_security_rules"]
    assert {label: rule["enabled"] for label, rule in after.items()} == {"blog/r2": True, "blog": False}
    assert set(changed.result["content_security_rules"]["violations"]) == {"blog/r2", "blog"}
    assert [(effect["name"], effect["subject"]) for effect in changed.result["effects"]] == [("weaken_rule", "blog")]


def test_refused_rule_writes_no_part(modules: Modules) -> None:
    """No part is written; the failure has the diff, plan ids and effects of all parts."""
    seen = {"policy_id": "r1", "directive": "img-src", "url": "https://cdn.example/a.png", "host": "shop.example", "count": 3}
    seen["datetime"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600))
    modules.simulator.seed(policies={modules.zone: [STORED]}, violations={modules.zone: [seen]})
    items = [{**RULE, "action": "allow"}, {"description": "blog", "action": "allow", "directives": "img-src 'self'"}]
    report = modules.run(task(**DESIRED, content_security_rules=items), secrets=[KEY], fails="gate")
    result = report.failure
    assert not report.writes and result["changed"] is False
    assert [(refusal["rule"], refusal["source"]) for refusal in result["refusals"]] == [
        ("checkout", None),
        ("blog", "https://cdn.example/a.png"),
        # No listing shows what a narrower img-src blocks.
        ("blog", None),
    ]
    assert "content_security_rules[0]: content security rule 'checkout' would be enforced" in result["msg"]
    assert "content_security_rules[1]: content security rule 'blog' would block 1 source" in result["msg"]
    assert set(result["diff"]["after"]) == {"custom_fields", "jobs", "script_monitor", "content_security_rules"}
    assert all(result["plan_ids"].values()) and [effect["name"] for effect in result["effects"]] == [
        "enforce_rule",
        "enforce_rule",
    ]
    assert result["content_security_rules"]["violations"]["blog"]["total"] == 3


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([RULE, RULE], "content_security_rules[1]: means the same rule as content_security_rules[0]"),
        ([{"rule_id": "r1"}, {"description": "blog"}], "content_security_rules[1]: means the same rule as"),
        ([{**RULE, "rule_id": "r1"}, RULE], "content_security_rules[1]: means the same rule as content_security_rules[0]"),
        ([{**RULE, "directives": {}}], "content_security_rules[0].directives: has no directive"),
        ([{"action": "log"}], "content_security_rules[0]: one of description and rule_id is required"),
        ([{**RULE, "directives": {"script-src": ["self"]}}], "content_security_rules[0].directives.script-src[0]: 'self' lacks"),
        (
            [{"description": "cart", "directives": "img-src *"}],
            "content_security_rules[0].action: is required for a new content security rule",
        ),
    ],
)
def test_invalid_rules_are_named(modules: Modules, items: t.Any, said: str) -> None:
    modules.simulator.seed(policies={modules.zone: [STORED]})
    assert said in modules.run(task(content_security_rules=items), fails="invalid_option").failure["msg"]


def test_accounts_have_no_rules(modules: Modules) -> None:
    options = {"account_id": modules.simulator.account, "content_security_rules": []}
    failure = modules.run(task(**options), defaults={}, fails="invalid_option").failure
    assert "content_security_rules: only zones have this" in failure["msg"]
