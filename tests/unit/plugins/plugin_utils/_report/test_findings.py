# SPDX-License-Identifier: GPL-3.0-or-later

"""Findings about jobs and their delivery, and the items of a survey."""

import hashlib
import json

import pytest
from support.samples.fleet import (
    AT,
    LATER,
    WAIVER,
    audit,
    drifted,
    failed,
    finding,
    items,
    job,
    outcome,
    record,
    report,
    row,
    unmanaged,
    zone_id,
)

from ansible_collections.edgeops.observability.plugins.module_utils._core import PARTS, Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.facts import GATES, TYPES
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.formats import render_markdown
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.gates import failed_hosts, refused
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.page import render

STRANGER = {"scheme": "https", "address": "collector.example/in", "options": {}}
OURS = {"scheme": "s3", "address": "acme-logs/http/{DATE}", "options": {"region": "eu-central-1"}}
OFF = {"script_monitor": {"enabled": False}}


def with_unlisted(read, listed, **members):
    """Return a zone with declared jobs and others."""
    made = record("a", **members)
    made["result"]["jobs"]["unlisted_jobs"] = listed
    return {**made, "jobs": read}


def types(made, zone=None):
    return sorted(item["type"] for item in items(made, zone))


def surveyed(*zones, **options):
    return report(*zones, survey=True, title=None, **options)


def zone(name="a", *, jobs=None, **members):
    return {"zone": name, "zone_id": zone_id(name), "jobs": [job(destination=OURS)] if jobs is None else jobs, **members}


def test_unlisted_job_is_a_finding():
    """The finding has destination and dataset; a job that would be deleted is a difference, and no finding."""
    jobs = [job(id=1), job("debug", id=7, destination=STRANGER)]
    listed = [{"id": 7, "name": "debug", "dataset": "http_requests", "enabled": True}]
    (item,) = items(report(with_unlisted(jobs, listed)))
    assert (item["type"], item["kind"], item["severity"]) == ("unlisted_job", "finding", "medium")
    assert (item["resource"], item["subject"], item["member"]) == ("jobs", "debug", "unlisted_job")
    assert item["is"] == (
        "no item declares it; it delivers http_requests to https://collector.example/in, with personal data (ClientIP)"
    )
    deleted = report(with_unlisted(jobs, listed, jobs=({"debug": {"enabled": True}}, {})))
    assert types(deleted) == ["difference"]


def test_unlisted_job_of_an_unknown_dataset_says_so():
    """A dataset that no table has may contain anything; a known one without such fields says nothing."""
    for dataset, words in (("made_up", ", whose fields are not known"), ("nel_reports", "")):
        listed = [job("debug", id=7, dataset=dataset, logpull_options="fields=ClientIPASN", destination=STRANGER)]
        (item,) = items(report(with_unlisted(listed, listed)))
        assert item["is"] == f"no item declares it; it delivers {dataset} to https://collector.example/in{words}"


def test_jobs_may_come_with_the_result():
    made = with_unlisted(None, None)
    made["result"]["listed_jobs"] = [job(state="failing")]
    assert types(report(made)) == ["job_failing"]


def test_difference_has_the_reason_of_a_disabled_job():
    """The reason is also in the item of a difference, so that users see why the job is disabled before they enable it."""
    stopped = job("edge", "disabled", enabled=False, error_message="403 from the bucket")
    made = report({**record("a", jobs=({"edge": {"enabled": False}}, {"edge": {"enabled": True}})), "jobs": [stopped]})
    difference, problem = items(made)
    assert difference["message"] == "enabled is false, should be true; the service disabled it: 403 from the bucket"
    assert problem["type"] == "job_disabled_by_service"
    assert "403 from the bucket" in problem["message"]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([{"dropped_records": 0, "uploads": 5}], []),
        ([{"dropped_records": 0, "uploads": None}], ["losses_unknown"]),
        ([{"dropped_records": None, "uploads": None}], ["losses_unknown"]),
        ([{"dropped_records": None, "failed_uploads": 0, "uploads": 3}], []),
        ([{"dropped_records": None, "failed_uploads": None, "uploads": 3, "statuses": {"200": 3}}], []),
        ([{"dropped_records": None, "failed_uploads": None, "uploads": 3, "statuses": {}}], ["losses_unknown"]),
        ([{"dropped_records": 0, "uploads": 0}], ["no_upload"]),
        ([{"dropped_records": 0, "uploads": 0, "failed_uploads": 1}], []),
        ([], ["no_upload"]),
    ],
)
def test_delivery_facts_have_findings(rows, expected):
    made = report({**record("a"), "jobs": [job()], "delivery": [{"job_id": 1, **row} for row in rows]})
    assert types(made) == expected


def test_dropped_records_are_a_finding():
    """The message has the status codes of the destination and their meaning."""
    statuses = {"200": 5, "403": 1, "1105": 2, "0": 3, "777": 4}
    rows = [
        {"job_id": 1, "dropped_records": 1200, "failed_uploads": 3, "statuses": statuses},
        {"job_id": 9, "dropped_records": 1},
    ]
    first, second = sorted(items(report({**record("a"), "jobs": [job()], "delivery": rows})), key=lambda item: item["subject"])
    assert (first["severity"], first["resource"]) == ("high", "delivery")
    assert (first["subject"], second["subject"], second["is"]) == ("edge", "job 9", "1 record dropped")
    assert first["is"] == (
        "1,200 records dropped in 3 batches: no answer 3 times, error 1105 (the host name of the destination cannot be resolved)"
        " 2 times, HTTP 403 (the credentials may not write there) once, HTTP 777 4 times"
    )


def test_missing_delivery_facts_are_a_note():
    jobs = [job(id=1, enabled=False, state="disabled"), job("b", "never", id=2)]
    assert "no_upload" not in types(report({**record("a"), "jobs": jobs, "delivery": []}))
    made = report({**record("a"), "jobs": [job()], "delivery": {"available": False, "reason": "the plan has none", "jobs": []}})
    (note,) = items(made)
    assert (note["type"], note["kind"], note["resource"]) == ("not_readable", "note", "delivery")
    assert row(made, "a")["delivery"] is None


def test_account_has_findings_and_a_plan_id():
    read = {"result": {"jobs": outcome(plan="p")}, "jobs": [job("audit", "failing")]}
    account = {"zone": "account_0a", "account_id": "0a", **read}
    made = report(account)
    (item,) = items(made)
    place = json.dumps(["0a", "finding", "health", "audit", "job_failing"], separators=(",", ":"))
    assert item["id"] == hashlib.sha256(place.encode()).hexdigest()[:16]
    assert made["plan_id"] == "sha256:" + hashlib.sha256(b"0a jobs p").hexdigest()
    assert [(row["scope"], row["account_id"], row["zone_id"]) for row in made["zones"]] == [("account", "0a", None)]
    assert report(account, previous=made)["comparison"]["persisting"] == [item["id"]]


def test_fail_on_statuses_and_types():
    """Waived items do not count; a type of finding counts for any status of the host, notes only by their type."""
    waiver = {**WAIVER, "zone": "c", "type": "new"}
    zones = [drifted("a", scripts=audit(finding("malicious"))), *(record(name, scripts=audit(finding())) for name in "bc")]
    zones += [unmanaged("d"), failed("e"), record("f", scripts=audit(finding("unused")))]
    rows = {row["zone"]: list(refused(row, GATES)) for row in report(*zones, waivers=[waiver])["zones"]}
    assert rows == {
        "a": ["drifted", "findings", "malicious"],
        "b": ["findings", "new"],
        "c": [],
        "d": ["unmanaged"],
        "e": ["unaudited", *TYPES],
        "f": ["unused"],
    }
    assert set(GATES) > set(TYPES)


def test_drifted_zone_fails_for_its_findings():
    """The status is that of the difference, but a pipeline with `fail_on` for findings fails as well."""
    made = report(drifted("a", scripts=audit(finding("malicious"), finding("malicious", url="https://x/b.js"))), record("b"))
    assert row(made, "a")["status"] == "drifted"
    assert failed_hosts(made["zones"], ["findings"]) == {
        "a": "fail_on findings: script https://cdn.example.net/a.js on shop.example.com: no entry covers it;"
        " should be: no malicious script on the pages of the zone (and 1 more)"
    }
    assert failed_hosts(made["zones"], []) == {}


def test_zones_with_one_name_do_not_hide_each_other():
    """Zones of two accounts may have one name; each refusal of either fails it."""
    for zones in ([failed("a"), {**record("a"), "zone_id": "ff"}], [{**record("a"), "zone_id": "ff"}, failed("a")]):
        rows = [row for zone in zones for row in report(zone)["zones"]]
        assert list(failed_hosts(rows, ["unaudited"])) == ["a"]


def test_host_fails_with_its_own_reason():
    made = report(failed("a", "permission", "no right"), failed("b", "unavailable", "no answer"), drifted("c"))
    assert failed_hosts(made["zones"], ["unaudited", "drifted"]) == {
        "a": "permission: no right",
        "b": "unavailable: no answer",
        "c": "fail_on drifted: script monitor: enabled is false, should be true",
    }


# Events without a notification.

LOST, NEW = "failing_logpush_job_disabled_alert", "scriptmonitor_alert_new_resources"
MAIL = {"email": ["ops@example.com"], "webhooks": [], "pagerduty": []}
HOOK = {"email": [], "webhooks": ["w"], "pagerduty": []}
FAILED_HOOK = {"id": "w", "name": "chat", "last_failure": "2026-10-02T00:00:00Z", "last_success": "2026-10-01T00:00:00Z"}


def policy(alert_type, mechanisms=MAIL, enabled=True):
    return {"name": "p", "alert_type": alert_type, "enabled": enabled, "mechanisms": mechanisms}


def account_with(*policies, webhooks=(), available=(LOST, NEW), jobs=(), **members):
    alerts = None if available is None else dict.fromkeys(available, "")
    notifications = {
        "notification_policies": list(policies),
        "webhooks": list(webhooks),
        "silences": [],
        "available_alerts": alerts,
    }
    return {"zone": "acme", "account_id": "ac", "jobs": list(jobs), "notifications": notifications, **members}


MONITORED = {"script_monitor": {"script_monitor": {"enabled": True}}}


@pytest.mark.parametrize(
    ("account", "members", "subjects"),
    [
        (account_with(), {}, [LOST]),
        (account_with(), {"jobs": []}, []),
        (account_with(jobs=[job()]), {"jobs": []}, [LOST]),
        (account_with(policy(LOST)), {}, []),
        (account_with(policy(LOST, enabled=False)), {}, [LOST]),
        (account_with(policy(LOST, {"email": []})), {}, [LOST]),
        (account_with(policy(LOST, HOOK), webhooks=[{**FAILED_HOOK, "last_failure": None}]), {}, []),
        (account_with(policy(LOST, HOOK), webhooks=[FAILED_HOOK]), {}, [LOST]),
        (account_with(policy(LOST)), {"result": MONITORED}, [f"a {NEW}"]),
        (account_with(policy(LOST)), {"result": OFF}, []),
        (
            account_with(policy(LOST), policy("scriptmonitor_alert_new_hosts"), available=(NEW, "scriptmonitor_alert_new_hosts")),
            {"result": MONITORED},
            [],
        ),
        (account_with(policy(LOST), available=(LOST,)), {"result": MONITORED}, []),
        (account_with(policy(LOST), available=None), {"result": MONITORED}, []),
        (account_with(), {"account_id": "another"}, []),
    ],
)
def test_events_without_a_notification_are_a_note(account, members, subjects):
    """Jobs of the account and of its zones count; the note about scripts stands at their zone."""
    made = report({"declared": False, **account}, {"declared": False, **zone(account_id="ac"), **members})
    notes = [(host, item) for host in ("acme", "a") for item in items(made, host) if item["type"] == "no_alert"]
    assert [note["subject"] if host == "acme" else f"{host} {note['subject']}" for host, note in notes] == subjects
    assert all((note["resource"], note["kind"], note["severity"]) == ("notifications", "note", "low") for _host, note in notes)


def test_alert_that_perhaps_reaches_nobody_is_of_severity_info():
    scoped = {**policy(NEW), "filters": {"services": ["x"]}}
    made = report({"declared": False, **account_with(scoped)}, {"declared": False, **zone(account_id="ac"), "result": MONITORED})
    (note,) = [item for item in items(made, "a") if item["type"] == "no_alert"]
    assert note["severity"] == "info" and "policy 'p'" in note["is"]
    (alert,) = [row for row in made["alerts"] if row["alert_type"] == NEW]
    assert (alert["covered"], alert["perhaps"], alert["uncovered"]) == ([], ["a"], [])


def test_who_is_told_is_shown_on_the_page_and_in_markdown():
    hook = {**FAILED_HOOK, "name": "<b>chat"}
    made = report({"declared": False, **account_with(policy(LOST, HOOK), webhooks=[hook], jobs=[job()])})
    page, markdown = render(made).decode(), render_markdown(made).decode()
    assert "Who is told" in page and "&lt;b&gt;chat" in page and "<b>chat" not in page
    assert "## Who is told" in markdown and "not acme" in markdown and "2026-10-01" in page
    many = [{"declared": False, **zone(f"z{number}", account_id="ac"), "result": MONITORED} for number in range(4)]
    markdown = render_markdown(report({"declared": False, **account_with(policy(NEW, HOOK), webhooks=[hook])}, *many)).decode()
    assert "| not covered: 4 zones, such as z0 |" in markdown


def told_of(made):
    (alert,) = [alert for alert in made["alerts"] if alert["alert_type"] == LOST]
    return alert["covered"], alert["perhaps"], alert["uncovered"]


def test_alerts_of_slices_are_one_table_of_the_rows_that_are_used():
    """A slice that saw the policy before somebody switched it off must not say that anybody is told, in whatever order they are merged."""
    before, after = (
        report(
            {"declared": False, **account_with(policy(LOST, enabled=enabled), jobs=[job()])},
            {"declared": False, **zone(name, account_id="ac")},
            at=at,
        )
        for enabled, name, at in ((True, "a", AT), (False, "b", LATER))
    )
    assert (told_of(before), told_of(after)) == ((["a", "acme"], [], []), ([], [], ["acme", "b"]))
    for slices in ([before, after], [after, before]):
        assert told_of(report(slices=slices, at=LATER)) == (["a"], [], ["acme", "b"])
    old = report(slices=[before], at="2026-12-24T06:00:00Z")
    assert told_of(old) == ([], ["a", "acme"], []) and old["outcome"] == "unaudited"


def test_failing_webhook_is_named():
    account = account_with(policy(LOST, HOOK), webhooks=[FAILED_HOOK], jobs=[job()])
    (note,) = [item for item in items(report(account)) if item["type"] == "no_alert"]
    assert "policy 'p': the last delivery to its webhook 'chat' failed" in note["is"]


def test_unreadable_policies_are_a_note():
    account = {"zone": "acme", "account_id": "ac", "jobs": [job()], "declared": False}
    failure = {"failed": True, "msg": "no right", "error": {"kind": "permission", "path": "/accounts/ac/alerting/v3/policies"}}
    made = report({**account, "notifications": failure})
    (note,) = [item for item in items(made) if item["type"] == "not_readable"]
    assert note["resource"] == "notifications" and made["outcome"] != "unaudited"


# A survey.


def test_survey_has_its_title_and_statuses():
    made = surveyed(
        zone("a"),
        zone("b", jobs=[job(state="failing", destination=OURS)]),
        {"zone": "c", "jobs": {"failed": True, "msg": "403", "error": {"kind": "permission"}}},
    )
    assert made["title"] == "Survey"
    assert [zone["status"] for zone in made["zones"]] == ["unmanaged", "findings", "unaudited"]
    assert made["outcome"] == "unaudited"
    assert made["zones"][2]["error"] == {"kind": "permission", "message": "403", "permission": "Logs Write"}
    assert row(made, "a")["plan_ids"] == dict.fromkeys(PARTS)


@pytest.mark.parametrize(
    ("zone_record", "expected"),
    [
        (zone(), []),
        (zone(jobs=[]), ["no_job"]),
        (zone(jobs={"jobs": [job(enabled=False, state="disabled", destination=OURS)]}), ["no_job"]),
        (zone(jobs={"jobs": [job(enabled=False, destination=OURS), job("b", id=2, destination=OURS)]}), []),
        (zone(result={"script_monitor": OFF}), ["monitor_off"]),
        (zone(result={"script_monitor": {"script_monitor": {"enabled": None}}}), ["not_readable"]),
        (zone(result={"script_monitor": {"script_monitor": {}}}), ["not_readable"]),
        (zone(result={"custom_fields": {"custom_fields": {"cookie_fields": ["c"]}}}), ["fields_not_selected"]),
        # What is no list of names is not taken for none, nor for a defect.
        *(
            (zone(result={"custom_fields": {"custom_fields": fields}}), ["not_readable"])
            for fields in ({"cookie_fields": "c"}, {"cookie_fields": [{"name": "c"}]}, {"cookies": ["c"]}, ["c"], 5)
        ),
        (zone(result={"script_monitor": {"failed": True, "msg": "no"}}), ["not_readable"]),
        (zone(scripts={"scripts": [{"script_url": "https://x/", "malicious": True}]}), ["malicious"]),
        (zone(scripts={"scripts": [{"script_url": "https://x/", "url_reported_malicious": True}]}), ["reported"]),
        (zone(scripts={"scripts": [{"script_url": "https://x/", "malicious_url_categories": ["phishing"]}]}), ["reported"]),
        (zone(scripts={"scripts": [{"script_url": "https://x/", "malicious_domain_categories": "phishing"}]}), ["reported"]),
        (zone(scripts={"scripts": [{"script_url": "https://x/", "malicious": False}]}), []),
        (zone(delivery=[{"job_id": 1, "dropped_records": 3, "uploads": 2}]), ["records_dropped"]),
        (zone(jobs={"jobs": [job(state="failing", destination=OURS)]}), ["job_failing"]),
    ],
)
def test_survey_of_a_zone_has_findings_and_notes(zone_record, expected):
    made = surveyed(zone_record)
    assert types(made) == expected
    assert made["outcome"] != "unaudited"
    if expected == ["monitor_off"]:
        (note,) = items(made)
        assert (note["kind"], note["resource"], note["severity"]) == ("note", "script_monitor", "low")
        assert made["outcome"] == "unmanaged"


def test_unreadable_zone_is_unaudited_and_account_has_a_note():
    """An unreadable zone is unaudited; an unreadable account is a note, because tokens for zones have no access to it."""
    refused = {"failed": True, "msg": "no right", "error": {"kind": "permission"}}
    sealed = {"zone": "a", "zone_id": "0a", "jobs": refused, "result": {"custom_fields": refused, "script_monitor": refused}}
    account = {"zone": "account_0b", "account_id": "0b", "result": refused, "jobs": refused}
    made = surveyed(sealed, account)
    assert [zone["status"] for zone in made["zones"]] == ["unaudited", "unmanaged"]
    assert all({item["type"] for item in zone["items"]} == {"not_readable"} for zone in made["zones"])


def test_destination_of_one_zone_alone_is_no_note():
    """Where most jobs deliver is a guess and no fact; the survey shows each destination instead."""
    usual = [zone(name) for name in "abdef"]
    assert items(surveyed(*usual, zone("c", jobs=[job(destination=STRANGER)]))) == []


# Enabled jobs without deliveries.

DAYS_AGO = {days: f"2026-11-{22 - days}T06:00:00Z" for days in (0, 1, 3, 7, 9)}


NOT_KNOWN = "its filter could not be understood, so that it is not known whether it should deliver"


@pytest.mark.parametrize(
    ("last", "members", "is_silent"),
    [
        (DAYS_AGO[9], {}, True),
        (DAYS_AGO[7], {}, True),
        (DAYS_AGO[3], {}, False),
        (DAYS_AGO[9], {"enabled": False, "state": "disabled"}, False),
        (DAYS_AGO[9], {"state": "failing"}, False),
        (DAYS_AGO[9], {"error_message": "no"}, False),
        (DAYS_AGO[9], {"filter": '{"where":{}}'}, True),
        (DAYS_AGO[9], {"filter": '{"where":{"key":"ClientIP","operator":"eq","value":"x"}}'}, False),
        # Without knowing its filter nobody knows whether it should deliver.
        (DAYS_AGO[9], {"filter": "zzz"}, None),
        (DAYS_AGO[9], {"filter": ["a"]}, None),
        (DAYS_AGO[3], {"filter": "zzz"}, False),
        (DAYS_AGO[9], {"filter_attack_traffic": True}, True),
        (DAYS_AGO[9], {"kind": "edge"}, False),
        ("0001-01-01T00:00:00Z", {"state": "never"}, False),
    ],
)
def test_job_that_is_silent_for_days(last, members, is_silent):
    made = report({**record("a"), "jobs": [job(**{"state": "stale", **members}, last_complete=last)]})
    assert ("job_silent" in types(made)) is bool(is_silent)
    unknown = [item["is"] for item in items(made) if (item["resource"], item["type"]) == ("health", "not_readable")]
    assert [text.partition(", and ")[2] for text in unknown] == [NOT_KNOWN] * (is_silent is None)
    if is_silent:
        (silent,) = [item for item in items(made) if item["type"] == "job_silent"]
        assert (silent["kind"], silent["severity"], silent["resource"], silent["subject"]) == (
            "finding",
            "high",
            "health",
            "edge",
        )


@pytest.mark.parametrize(
    ("other", "last", "is_silent"),
    [
        ({}, DAYS_AGO[1], True),
        ({}, "2026-11-21T06:00:01Z", False),
        ({"dataset": "dns_logs"}, DAYS_AGO[3], False),
        ({"last_complete": "2026-11-22T04:59:59Z"}, DAYS_AGO[3], False),
    ],
)
def test_silent_job_is_a_finding_if_another_delivers(other, last, is_silent):
    beside = job("beside", id=2, **{"last_complete": "2026-11-22T05:00:00Z", **other})
    made = report({**record("a"), "jobs": [job(state="stale", last_complete=last), beside]})
    reasons = [item["is"] for item in items(made) if item["type"] == "job_silent"]
    assert len(reasons) == is_silent
    assert not reasons or reasons[0].endswith("while job beside of the same dataset delivers")


def test_never_delivering_job_is_silent_since_its_first_report():
    jobs = [job("idle", "never", last_complete=None), job("beside", id=2)]
    first = report({**record("a"), "jobs": jobs})
    assert types(first) == ["job_never"]
    later = [job("idle", "never", last_complete=None), job("beside", id=2, last_complete="2026-11-23T05:30:00Z")]
    made = report({**record("a"), "jobs": later}, previous=first, at=LATER)
    assert types(made) == ["job_never", "job_silent"]
    assert {item["first_seen"] for item in items(made) if item["type"] == "job_never"} == {AT}


def test_job_that_was_noted_in_the_future_is_silent_since_nobody_knows_when():
    """Such a time is of a clock that was ahead: a job that never delivered must not be out of sight until it is reached."""
    idle = {**record("a"), "jobs": [job("idle", "never", last_complete=None)]}
    first = report(idle, at="2027-01-01T06:00:00Z")
    made = report(idle, previous=first)
    assert sorted(types(made)) == ["job_never", "not_readable"]
    (unknown,) = [item["is"] for item in items(made) if item["type"] == "not_readable"]
    assert "dates its first note of that 40 days after this one" in unknown
    assert list(failed_hosts(made["zones"], ["job_silent"])) == ["a"]


def test_only_job_of_a_zone_is_silent_too():
    """A job that never delivered anything is silent after the days since it was first noted, also if nothing else delivers."""
    idle = {**record("a"), "jobs": [job("idle", "never", last_complete=None)]}
    first = report(idle)
    assert types(report(idle, previous=first, at=LATER)) == ["job_never"]
    made = report(idle, previous=first, at="2026-11-29T06:00:00Z")
    assert types(made) == ["job_never", "job_silent"]
    (silent,) = [item for item in items(made) if item["type"] == "job_silent"]
    assert silent["is"] == "it has never delivered, noted 7 days ago"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"failed_uploads": 4}, "4 uploads failed; the plan does not show how many records"),
        (
            {"failed_uploads": 1, "statuses": {"200": 5, "403": 1}},
            "1 upload failed; the plan does not show how many records: HTTP 403 (the credentials may not write there) once",
        ),
        ({"failed_uploads": None, "statuses": {"500": 2}}, "the plan does not show whether records were lost: HTTP 500"),
        ({"failed_uploads": None, "statuses": None}, "the plan does not show whether uploads failed"),
    ],
)
def test_unknown_losses_are_a_note(row, message):
    rows = [{"job_id": 1, "uploads": 3, "dropped_records": None, **row}]
    (note,) = items(report({**record("a"), "jobs": [job()], "delivery": rows}))
    assert (note["type"], note["kind"], note["resource"], note["severity"]) == ("losses_unknown", "note", "delivery", "low")
    assert note["is"].startswith(message)


def test_fields_are_required_of_hosts_that_can_have_the_dataset():
    required = {"http_requests": ["RayID"], "audit_logs": ["ActorIP"], "made_up": ["X"]}
    account = {"zone": "account_0a", "account_id": "0a", "result": {"jobs": outcome(plan="p")}, "jobs": []}
    made = report({**record("a"), "jobs": []}, account, required_fields=required)
    assert {item["subject"] for item in items(made, "a")} == {"http_requests", "made_up"}
    assert {item["subject"] for item in items(made, "account_0a")} == {"audit_logs", "made_up"}


@pytest.mark.parametrize(
    ("jobs", "expected"),
    [
        ([job(transformer="redact")], ["decided by transformer redact"]),
        ([job(transformer_id=7)], ["decided by transformer 7"]),
        ([job(output_options={"field_names": ["ClientIP"], "record_template": "x"})], ["decided by the record template"]),
        ([job(output_options={"field_names": ["ClientIP"], "record_template": "{{.ClientIP}}"})], []),
        ([job(kind="instant-logs")], ["decided by the kind 'instant-logs' of the job"]),
        ([job(kind="edge")], []),
        ([job(transformer="redact"), job("plain", id=2)], []),
        ([job(transformer="redact", logpull_options="fields=RayID")], ["no enabled job delivers it of all records"]),
        ([job(transformer="redact", filter="x")], ["no enabled job delivers it of all records"]),
    ],
)
def test_required_field_that_is_not_delivered_for_certain(jobs, expected):
    made = report({**record("a"), "jobs": jobs}, required_fields={"http_requests": ["ClientIP"]})
    assert [item["is"].rpartition(": ")[2] for item in items(made) if item["type"] == "missing_field"] == expected


CDN = "https://cdn.example/a.js"
BLOCKED = {
    "rule": "checkout",
    "directive": "script-src",
    "source": "https://cdn.example/a.js",
    "count": 1,
    "hosts": [],
    "page": None,
}
NOT_SEEN = {"rule": "blog", "directive": None, "source": None, "count": None, "hosts": [], "page": None}


def test_refused_rule_is_a_finding():
    """A refused plan is not a failed audit: the zone is audited, with the difference and the reason."""
    rules = outcome({"checkout": {"action": "log"}, "blog": {}}, {"checkout": {"action": "allow"}, "blog": {"action": "allow"}})
    failure = {
        "failed": True,
        "msg": "would block",
        "error": {"kind": "gate"},
        "refusals": [BLOCKED, {**BLOCKED, "count": 2}, NOT_SEEN],
        "listed_jobs": [],
    }
    made = report({"zone": "a", "zone_id": zone_id("a"), "result": {**failure, "content_security_rules": rules}})
    assert (row(made, "a")["status"], made["outcome"]) == ("drifted", "drifted")
    assert sorted(types(made)) == ["difference", "difference", "enforcement_refused", "enforcement_refused"]
    by_subject = {item["subject"]: item for item in items(made) if item["type"] == "enforcement_refused"}
    assert {(item["severity"], item["resource"]) for item in by_subject.values()} == {("high", "content_security_rules")}
    source = "script-src https://cdn.example/a.js"
    assert (
        by_subject["checkout"]["is"]
        == f"it is not enforced, because it would block 2 sources: {source} (1 report), {source} (2 reports)"
    )
    assert by_subject["blog"]["is"] == "it is not enforced, because it is not known yet what it would block"
    (changed, created) = sorted(
        (item for item in items(made) if item["type"] == "difference"), key=lambda item: item["member"] or "", reverse=True
    )
    assert (changed["subject"], changed["member"], changed["should_be"]) == ("checkout", "action", "allow")
    assert (created["subject"], created["message"]) == ("blog", "is missing, should be created")


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"result": {"jobs": {**outcome(), "changed": None}}}, "jobs does not say whether it differs (changed)"),
        ({"result": {"jobs": {**outcome(), "changed": "no"}}}, "jobs does not say whether it differs (changed)"),
        (
            {"result": {"changed": True, "jobs": outcome()}},
            "it says that something differs (changed), and none of its parts does",
        ),
        (
            {"result": {"changed": True, "job": {"name": "edge"}}},
            "it says that something differs (changed), and none of its parts does",
        ),
        ({"result": {"failed": "yes", "msg": "no"}}, "no"),
        ({"scripts": {"failed": 1, "msg": "no", "findings": []}}, "no"),
        ({"scripts": {"passed": False, "findings": []}}, "the audit did not pass, and its result has no finding"),
        (
            {"scripts": {"passed": False, "findings": [finding("unused")]}},
            "the audit did not pass, and its result has no finding",
        ),
        ({"pages": {"passed": False, "findings": [], "pages": []}}, "the audit did not pass, and its result has no finding"),
    ],
)
def test_result_that_does_not_say_what_it_is_about_is_no_audit(members, reason):
    """Of a result that was cut, kept in a file, or is another module's: never compliant."""
    made = report({**record("a"), **members})
    assert (row(made, "a")["status"], row(made, "a")["error"]["message"]) == ("unaudited", reason)


def test_pages_without_their_findings_are_refused():
    with pytest.raises(Failure, match=r"zones\[0\]\.pages\.findings: is missing"):
        report({**record("a"), "pages": {"passed": True}})


def test_rule_that_enforces_although_not_all_is_known_says_so():
    """Whoever accepts what is unobserved is told of it; the rule that is refused says so itself, and one of which all is known has no note."""
    unknown = {"available": False, "reason": "there are 10 different reports or more", "blocked": []}
    change = outcome({"checkout": {"action": "log"}}, {"checkout": {"action": "allow"}})
    for violations, refusals, expected in (
        (unknown, [], ["difference", "not_readable"]),
        (unknown, [BLOCKED], ["difference", "enforcement_refused"]),
        ({**unknown, "available": True}, [], ["difference"]),
        (None, [], ["difference"]),
    ):
        part = {**change, "violations": {"checkout": violations}}
        result = {"content_security_rules": part, "refusals": refusals, "listed_jobs": []}
        made = report({"zone": "a", "zone_id": zone_id("a"), "result": result})
        assert types(made) == expected
        fails = list(failed_hosts(made["zones"], ["enforcement_refused"]))
        assert fails == ["a"] * (len(expected) - 1)


def test_undeclared_rules_are_findings():
    """Descriptions need not be unique; rules with the same one are named with their ids."""
    described = [
        ("shop", "allow", True),
        ("blog", "log", True),
        ("", "allow", False),
        ("blog", "allow", True),
        ("odd", "ALLOW", True),
    ]
    rules = [
        {"id": f"r{number}", "description": name, "action": action, "enabled": enabled}
        for number, (name, action, enabled) in enumerate(described)
    ]
    result = {"content_security_rules": {**outcome(), "unlisted_rules": rules}, "listed_jobs": []}
    made = report({"zone": "a", "zone_id": zone_id("a"), "result": result})
    assert {item["subject"]: item["is"].rpartition("; ")[2] for item in items(made)} == {
        "shop": "it enforces", "blog (id r1)": "it logs", "r2": "it is disabled", "blog (id r3)": "it enforces",
        "odd": "its action is ALLOW",
    }  # fmt: skip
    assert {(item["type"], item["severity"]) for item in items(made)} == {("unlisted_rule", "medium")}


def test_rule_with_unknown_directives_is_a_note():
    """They are neither compared nor changed, so that what the rule allows is not known."""
    rules = [
        {"id": "r", "description": "shop", "value": "script-src 'self'; Report-To x"},
        {"id": "s", "value": "img-src *"},
        None,
    ]
    result = {"content_security_rules": {**outcome(), "content_security_rules": rules}, "listed_jobs": []}
    [note] = items(report({"zone": "a", "zone_id": zone_id("a"), "result": result}))
    assert (note["type"], note["resource"], note["subject"]) == ("not_readable", "content_security_rules", "shop")
    assert note["message"].endswith(": Report-To; should be: known directives")


def test_jobs_that_nobody_listed_are_a_note():
    """Of a zone with a declared part it is not known whether its jobs deliver; of one without, nothing was to be read."""
    managed = {"zone": "a", "zone_id": zone_id("a"), "result": {"custom_fields": outcome()}}
    made = report(managed, fail_on=["job_failing"])
    (note,) = items(made)
    assert (note["type"], note["kind"], note["resource"]) == ("not_readable", "note", "health") and "were not listed" in note[
        "is"
    ]
    assert row(made, "a")["status"] == "compliant"
    assert not items(report({**managed, "jobs": []})) and not items(report({**managed, "result": {"custom_fields": None}}))


@pytest.mark.parametrize(
    ("value", "sources", "words"),
    [
        ("script-src 'self'", [("script-src", CDN, ["shop.example"])], f"it blocks 1 source: script-src {CDN} (1 report)"),
        ("script-src 'self' https://cdn.example", [("script-src", CDN, ["shop.example"])], "browsers reported 1 source: "),
        # On a second host, 'self' is another one.
        ("script-src 'self'", [("script-src", CDN, ["cdn.example"])], "browsers reported 1 source: "),
        ("script-src 'self'", [("script-src", CDN, ["cdn.example", "shop.example"])], "it blocks 1 source: "),
        ("script-src 'strict-dynamic' https://cdn.example", [("script-src", CDN, [])], "it blocks 1 source: "),
        ("default-src 'strict-dynamic' https://cdn.example", [("default-src", CDN, [])], "it blocks 1 source: "),
        ("script-src 'unsafe-inline'", [("script-src", "'unsafe-inline'", [])], "browsers reported 1 source: "),
        ("script-src 'unsafe-inline' 'sha256-YQ=='", [("script-src", "'unsafe-inline'", [])], "it blocks 1 source: "),
        ("script-src *", [("script-src", "empty", [])], "it blocks 1 source: "),
        ("connect-src 'self'", [("script-src", CDN, [])], "browsers reported 1 source: "),
        ("connect-src 'self'; script-src-x *", [("script-src", CDN, [])], "it blocks 1 source: "),
        ("", [("script-src", CDN, [])], "it blocks 1 source: "),
        (
            "script-src https://cdn.example",
            [("script-src", CDN, []), ("script-src", "https://evil.example/b.js", [])],
            f"it blocks 1 source: script-src https://evil.example/b.js (1 report); browsers reported 1 source: script-src {CDN}",
        ),
    ],
)
def test_violations_are_compared_with_the_present_policy(value, sources, words):
    """An old report of what the policy allows by now asks for nothing; what it does not allow on each host is blocked."""
    reported = [{**BLOCKED, "directive": name, "source": source, "hosts": hosts} for name, source, hosts in sources]
    rule = {"id": "1", "description": "checkout", "action": "allow", "value": value}
    rule["violations"] = {"available": True, "reason": None, "blocked": reported}
    surveyed_zone = {
        **zone("a", jobs=[job(destination=OURS)]),
        "result": {"content_security_rules": {"content_security_rules": [rule]}},
    }
    (note,) = [item for item in items(surveyed(surveyed_zone)) if item["type"] == "violations"]
    assert note["is"].startswith(words)
    assert ("; should be: " in note["message"]) is ("it blocks" in words), "only what is blocked is to be allowed"


def test_violations_are_notes_of_a_survey():
    def rule(name, **violations):
        return {
            "id": name,
            "description": name,
            "action": "log",
            "violations": {"available": True, "reason": None, "blocked": [], **violations},
        }

    nameless = [{**BLOCKED, "source": None}, {**BLOCKED, "source": "", "directive": None}]
    rules = [rule("quiet"), rule("busy", blocked=[BLOCKED]), rule("hidden", available=False, reason="no right")]
    # What is known of reports of which one cannot be told is not hidden by that.
    rules.append(rule("partly", available=False, reason="a row has no address", blocked=[BLOCKED]))
    rules.append(rule("nameless", blocked=nameless))
    zone_record = zone("a", jobs=[job(destination=OURS)])
    zone_record["result"] = {**(zone_record.get("result") or {}), "content_security_rules": {"content_security_rules": rules}}
    notes = {
        (item["subject"], item["type"]): item["is"]
        for item in items(surveyed(zone_record))
        if item["resource"] == "content_security_rules"
    }
    blocked = "it would block 1 source: script-src https://cdn.example/a.js (1 report)"
    assert notes == {
        ("busy", "violations"): blocked,
        ("hidden", "not_readable"): "its violations cannot be read: no right",
        ("partly", "not_readable"): "its violations cannot be read: a row has no address",
        ("partly", "violations"): blocked,
        ("nameless", "violations"): (
            "it would block 2 sources: script-src without an address (1 report), a source that is not shown"
        ),
    }


def test_job_whose_dataset_and_filter_are_not_known_has_one_note_of_its_health():
    """An id is that of one item; a later run would refuse a report in which it stands twice."""
    hidden = job(state="stale", dataset=None, destination={}, filter="zzz", last_complete="2026-11-01T00:00:00Z")
    before = report({**record("a"), "jobs": [hidden]})
    assert [item["type"] for item in items(before) if item["resource"] == "health"] == ["not_readable", "job_stale"]
    assert report(record("a"), previous=before)["comparison"]["previous_id"] == before["report_id"]
