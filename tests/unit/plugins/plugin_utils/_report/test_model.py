# SPDX-License-Identifier: GPL-3.0-or-later

import hashlib

import pytest
from support.samples.fleet import AT, audit, drifted, failed, finding, items, job, outcome, record, report, row, unmanaged

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.facts import TYPES


@pytest.mark.parametrize(
    ("record", "status"),
    [
        (record("a"), "compliant"),
        (drifted("a"), "drifted"),
        (failed("a"), "unaudited"),
        (unmanaged("a"), "unmanaged"),
        ({"zone": "a"}, "unmanaged"),
        ({"zone": "a", "result": None, "error": {}}, "unmanaged"),
        ({**drifted("a"), "error": {"kind": "permission", "message": "no"}}, "unaudited"),
        ({"zone": "a", "result": {"failed": True, "msg": "no", "error": {"kind": "conflict"}}}, "unaudited"),
        ({"zone": "a", "result": {"script_monitor": {"changed": True, "plan_id": "p"}}}, "drifted"),
        (record("a", scripts=audit(finding())), "findings"),
        (unmanaged("a", scripts=audit(finding())), "findings"),
        (record("a", scripts={"failed": True, "msg": "no"}), "unaudited"),
        (record("a", coverage={"failed": True, "msg": "no"}), "compliant"),
        ({**record("a"), "jobs": {"unreachable": True}}, "unaudited"),
        ({"zone": "a", "result": {"jobs": {"failed": True, "msg": "no"}}}, "unaudited"),
        ({"zone": "a", "result": {"jobs": {"skipped": True, "changed": False}}}, "unmanaged"),
    ],
)
def test_record_has_its_status(record, status):
    assert row(report(record), "a")["status"] == status


@pytest.mark.parametrize(
    ("part", "before", "after", "expected"),
    [
        ("fields", {"a_fields": ["x"]}, {"a_fields": ["y"], "b_fields": ["z"]}, ["a_fields", "b_fields"]),
        (
            "fields",
            {"custom_fields": {"a_fields": []}, "rules": []},
            {"custom_fields": {"a_fields": ["x"]}, "rules": [1]},
            ["a_fields"],
        ),
        (
            "fields",
            {"custom_fields": {}, "rules": [{"enabled": False}]},
            {"custom_fields": {}, "rules": [{"enabled": True}]},
            ["rules"],
        ),
        ("jobs", {"gone": {"enabled": True}}, {"fresh": {"enabled": True}}, ["fresh", "gone"]),
        (
            "jobs",
            {"one": {"enabled": False, "output_options": {"sample_rate": 1}}},
            {"one": {"enabled": True, "output_options": {"sample_rate": 0.5}}},
            ["one enabled", "one output_options.sample_rate"],
        ),
    ],
    ids=["lists", "lists and rules", "rules alone", "jobs", "members of a job"],
)
def test_differences_name_subject_and_member(part, before, after, expected):
    """Differences of a job have its label as subject; rules contain the lists, and are shown only if no list differs."""
    made = items(report(record("a", **{part: (before, after)})))
    assert sorted(" ".join(filter(None, (item["subject"], item["member"]))) for item in made) == expected
    assert {(item["kind"], item["resource"]) for item in made} == {("difference", {"fields": "custom_fields"}.get(part, part))}


def test_refused_script_audit_is_an_audit():
    """A script audit that a gate refused is complete; a skipped one is not."""
    refused = audit(finding(), failed=True, msg="gate: 1 new", error={"kind": "gate"})
    made = report(record("a", scripts=refused))
    assert (row(made, "a")["status"], made["outcome"]) == ("findings", "findings")
    skipped = report(record("a", scripts={"skipped": True, "changed": False}), previous=made)
    assert skipped["comparison"]["unknown"] == [item["id"] for item in items(made)]


def test_script_findings_are_findings_or_notes():
    first, second = items(report(record("a", scripts=audit(finding("malicious"), finding("unused")))))
    assert (first["kind"], first["member"], first["severity"]) == ("finding", "malicious", "high")
    assert (second["kind"], second["member"], second["severity"]) == ("note", "unused", "info")
    assert first["subject"] == '["https://cdn.example.net/a.js","shop.example.com",null]'


@pytest.mark.parametrize(
    ("job", "name"),
    [
        (job(state="failing"), "job_failing"),
        (job(state="disabled", enabled=False, error_message="403 for a day"), "job_disabled_by_service"),
        (job(state="disabled", enabled=False), None),
        (job(state="never"), "job_never"),
        (job(state="stale"), "job_stale"),
        (job(state="healthy"), None),
        (job(state="unknown"), "not_readable"),
        (job(state="resting"), "not_readable"),
        ({"id": 1, "name": "old"}, "not_readable"),
    ],
)
def test_health_of_a_job_is_a_finding(job, name):
    findings = items(report({**record("a"), "jobs": [job]}))
    assert [(item["type"], item["member"], item["resource"]) for item in findings] == ([(name, name, "health")] if name else [])
    assert all((item["kind"], item["severity"]) == TYPES[name][:2] for item in findings)


@pytest.mark.parametrize(
    ("jobs", "subjects"),
    [
        ([("x", 1), ("x", 2), ("", 3)], ["/http_requests/3", "x", "x/http_requests/2"]),
        ([("x/http_requests/2", 1), ("x", 2), ("x", 3)], ["x", "x/http_requests/2/http_requests/1", "x/http_requests/3"]),
        ([("x", None), ("x", None)], ["x", "x/http_requests/new"]),
    ],
)
def test_labels_of_jobs_are_unique(jobs, subjects):
    """Two jobs have different labels even if the name of one looks like the label of the other."""
    made = report({**record("a"), "jobs": [job(name, "failing", id=number) for name, number in jobs]})
    labels = sorted(item["subject"] for item in items(made))
    assert labels == subjects
    assert sorted(job["job"] for job in row(made, "a")["jobs"]) == subjects


def test_transformer_of_a_job_is_named():
    jobs = [
        {**job("a", id=1), "transformer": "redact", "transformer_id": 3},
        {**job("b", id=2), "transformer_id": 3},
        job("c", id=3),
        {**job("d", id=4), "transformer_id": True},
    ]
    made = report({**record("a"), "jobs": jobs})
    shown = [(job["transformer"], job["transformer_id"]) for job in row(made, "a")["jobs"]]
    assert shown == [("redact", 3), (None, 3), (None, None), (None, None)]


def test_coverage_is_a_note():
    coverage = {
        "unselected": [{"kind": "cookie_fields", "names": ["c"], "field": "Cookies"}],
        "unconfigured": [{"job_id": 1, "job_name": "edge", "field": "ResponseHeaders"}],
        "sentences": ["cookies reach no log", "the job stays empty"],
    }
    jobs = [job("edge", id=1), job("edge", id=2, dataset="dns_logs")]
    notes = items(report({**record("a"), "jobs": jobs, "coverage": coverage}))
    assert [(item["kind"], item["subject"], item["member"], item["message"]) for item in notes] == [
        ("note", None, "Cookies", "cookies reach no log; should be: selected by a job of http_requests"),
        ("note", "edge", "ResponseHeaders", "the job stays empty; should be: selected only if the zone has such custom fields"),
    ]


BOTH = {"field_names": ["RayID", "ClientIP"]}


@pytest.mark.parametrize(
    ("members", "missing"),
    [
        ({}, []),
        ({"logpull_options": "fields=ClientIP"}, ["RayID"]),
        ({"logpull_options": "", "output_options": BOTH}, []),
        ({"enabled": False}, ["ClientIP", "RayID"]),
        ({"filter": '{"where":{}}'}, ["ClientIP", "RayID"]),
        ({"filter_attack_traffic": True}, ["ClientIP", "RayID"]),
        ({"dataset": "dns_logs"}, ["ClientIP", "RayID"]),
        ({"logpull_options": "fields=ClientIP,RayID&sample=0.0001"}, ["ClientIP", "RayID"]),
        ({"logpull_options": "fields=ClientIP,RayID&sample=x"}, ["ClientIP", "RayID"]),
        ({"logpull_options": "fields=ClientIP,RayID&sample=1"}, []),
        # What a sample rate of 0 means is documented nowhere.
        ({"logpull_options": "fields=ClientIP,RayID&sample=0"}, ["ClientIP", "RayID"]),
        ({"output_options": {**BOTH, "sample_rate": 0}}, ["ClientIP", "RayID"]),
        ({"output_options": {**BOTH, "sample_rate": True}}, ["ClientIP", "RayID"]),
        # Of several values it is not known which one counts.
        ({"logpull_options": "fields=ClientIP,RayID&sample=0.001&sample=1"}, ["ClientIP", "RayID"]),
        ({"logpull_options": "fields=ClientIP&fields=ClientIP,RayID"}, ["RayID"]),
        ({"logpull_options": "fields=ClientIP,RayID&fields=RayID,ClientIP"}, []),
        ({"output_options": {**BOTH, "sample_rate": 0.01}}, ["ClientIP", "RayID"]),
        ({"output_options": {**BOTH, "sample_rate": 1}}, []),
    ],
)
def test_missing_required_fields_are_findings(members, missing):
    """All jobs of a dataset count together; without jobs, readable or not, all fields are missing."""
    required = {"http_requests": ["ClientIP", "RayID"]}
    findings = items(report({**record("a"), "jobs": [job(**members)]}, required_fields=required))
    assert [item["member"] for item in findings] == missing
    assert all((item["kind"], item["resource"], item["subject"]) == ("finding", "fields", "http_requests") for item in findings)
    several = [job(logpull_options="fields=ClientIP"), job("two", logpull_options="fields=RayID")]
    for jobs, number in ((several, 0), ([], 2), (None, 2)):
        assert len(items(report({**record("a"), "jobs": jobs}, required_fields=required))) == number
    assert len(items(report({"zone": "a", "jobs": []}, required_fields=required))) == 2


def test_unmanaged_zone_has_no_items():
    """Its jobs are not read, so that no field is missing."""
    made = report(unmanaged("a"), {"zone": "b"}, required_fields={"http_requests": ["RayID"]})
    assert (items(made), made["outcome"]) == ([], "unmanaged")


def test_counts_cover_zones_items_and_severities():
    """The second note: scripts of a zone are monitored, and its account is not known."""
    zones = [drifted("a"), record("b", scripts=audit(finding(), finding("unused"))), failed("c"), unmanaged("d"), record("e")]
    account = {"zone": "account_0a", "account_id": "0a", "jobs": [], "result": {"jobs": outcome(plan="p")}}
    assert report(*zones, account)["counts"] == {
        "zones": 5,
        "accounts": 1,
        "statuses": {"unaudited": 1, "drifted": 1, "findings": 1, "unmanaged": 1, "compliant": 2},
        "differences": 1,
        "findings": 1,
        "notes": 2,
        "severities": {"high": 1, "medium": 1, "low": 0, "info": 0},
        "waived": 0,
    }


def test_expected_zone_without_a_record_is_unaudited():
    made = report(record("a"), expected=["a", "b"])
    assert (row(made, "b")["status"], row(made, "b")["audited_at"], made["outcome"]) == ("unaudited", None, "unaudited")
    assert row(made, "b")["error"] == {"kind": "not_found", "message": "the run has no record of this zone"}


def test_plan_id_covers_all_zones():
    zone = {"zone": "b", "zone_id": "0b", "result": {"jobs": outcome(plan="p2"), "custom_fields": outcome(plan="p1")}}
    other = {"zone": "a", "zone_id": "0c", "result": {"jobs": outcome(plan="p3"), "script_monitor": {}}}
    lines = ["0b custom_fields p1", "0b jobs p2", "0c jobs p3"]
    assert report(zone, other)["plan_id"] == "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert report(zone, failed("a"))["plan_id"] is None
    assert row(report(zone), "b")["plan_ids"] == {
        "custom_fields": "p1", "jobs": "p2", "script_monitor": None, "content_security_rules": None,
    }  # fmt: skip


def test_equal_reports_are_equal():
    """Zones and items have a fixed order, and the id depends on the content only."""
    zones = [drifted("b", scripts=audit(finding(), finding("gone"))), record("a")]
    made = report(*zones)
    assert made == report(*reversed(zones))
    assert [zone["zone"] for zone in made["zones"]] == ["a", "b"]
    assert made["report_id"] != report(*zones, title="other")["report_id"]
    assert made["generated_at"] == AT


def test_evidence_inventory_and_proposals_are_reported():
    listed = [{"script": {"url": "https://x/a.js", "host": "shop"}, "entry": "x", "findings": []}]
    proposal = {"name": "cdn", "url": "https://cdn.example/a.js"}
    zone = row(report(record("a", scripts=audit(inventory=listed, proposals=[proposal]))), "a")
    assert zone["proposals"] == [proposal]
    assert zone["evidence"] == {"seq": 3, "head": "ab12", "pages": None}
    assert zone["inventory"] == [{"script_url": "https://x/a.js", "host": "shop", "entry": "x"}]


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_numbers_without_json_form_are_refused(number):
    with pytest.raises(Failure, match=r"^zones: a number in a record is infinite"):
        report(record("a", fields=({"x": 1}, {"x": number})))
    deep: list[object] = []
    for _level in range(100_000):
        deep = [deep]
    with pytest.raises(Failure, match=r"^zones: a record is nested more deeply"):
        report(record("a", delivery=[{"job_id": 1, "x": deep}]))
    with pytest.raises(Failure, match=r"^zones: there is no zone to report on"):
        report()
