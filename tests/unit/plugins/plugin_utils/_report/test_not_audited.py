# SPDX-License-Identifier: GPL-3.0-or-later

"""What an audit did not look at, in every format, and what fails a host because it could not be judged."""

import json

import pytest
from support.samples.fleet import LATER, audit, failed, finding, items, job, outcome, record, report, row, unmanaged, zone_id

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._report import formats, page
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.facts import PARTS_AUDITED, STAND_INS, TYPES
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.gates import failed_hosts, refused
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.lines import printed

RULES = {"content_security_rules": outcome()}
PAGES = {"findings": [], "pages": [], "passed": True}
DENIED = {"failed": True, "msg": "no right", "error": {"kind": "permission"}}


def whole(name="a", **members):
    """Return the record of a zone of which everything is declared and read."""
    made = record(name, scripts=audit(), pages=PAGES, delivery=[], **members)
    made["result"] |= RULES
    return {**made, "jobs": members.get("jobs", [])}


def gaps(made):
    return [(gap["part"], gap["zones"], gap["jobs"], gap["reason"]) for gap in made["not_audited"]]


def managed(*jobs, **members):
    """Return the record of a zone that manages these jobs."""
    made = whole(**members)
    made["result"]["jobs"] = {**outcome(), "jobs": list(jobs), "unlisted_jobs": []}
    delivered = [{"job_id": 1, "uploads": 3, "dropped_records": 0}, {"job_id": 2, "uploads": 3, "dropped_records": 0}]
    return {**made, "jobs": list(filter(None, jobs)), "delivery": delivered, "account_id": "ac"}


ACCOUNT = {"zone": "account_ac", "account_id": "ac", "boundary": {"regions": ["eu"]}, "jobs": [], "result": {"jobs": outcome()}}


def test_everything_was_audited():
    assert gaps(report(whole())) == []
    assert not any("Not audited" in line for line in printed(report(whole())))


def test_parts_that_nothing_declares():
    bare = {**record("b"), "result": {"jobs": outcome()}, "jobs": []}
    assert gaps(report(whole(), bare)) == [
        ("custom_fields", 1, None, "not declared"),
        ("script_monitor", 1, None, "not declared"),
        ("content_security_rules", 1, None, "not declared"),
        ("scripts", 1, None, "edgeops_audit_scripts is false"),
        ("pages", 1, None, "not declared"),
    ]


def test_lists_of_custom_fields_that_are_not_declared():
    """After an adoption somebody adds a cookie to a zone with declared headers only: compliant, and said."""
    made = whole()
    made["result"]["custom_fields"] = {**outcome(), "undeclared": ["cookie_fields", "raw_response_fields"]}
    reported = report(made)
    assert gaps(reported) == [("custom_fields", 1, None, "cookie_fields, raw_response_fields not declared")]
    assert row(reported, "a")["status"] == "compliant"


def test_unmanaged_zone_was_not_audited():
    """Nothing is declared for it, so nothing of it was compared; of a zone that failed nothing is known, which its reason says."""
    assert {part for part, *_rest in gaps(report(unmanaged("a")))} == {*PARTS_AUDITED[:8]}
    assert gaps(report(failed("a"), {"zone": "b", "result": DENIED})) == []


def test_members_of_jobs_that_nothing_declares():
    first = job(undeclared=["destination", "filter", "filter_attack_traffic"])
    second = job("b", id=2, undeclared=["destination", "transformer", "sample_rate"])
    made = report(managed(first, second, None), ACCOUNT)
    counts = {part: number for part, _zones, number, _reason in gaps(made)}
    assert {name: counts[name] for name in PARTS_AUDITED[8:]} == {
        "destinations": 2,
        "filters": 1,
        "transformers": 1,
        "sample_rates": 1,
    }
    (line,) = [line for line in printed(made) if line.startswith("Not audited: ")]
    assert "destinations of 2 jobs in 1 zone (not declared), filters of 1 job in 1 zone (not declared)" in line


def test_query_of_a_transformer():
    """Another query delivers other records, and nothing that `check` compares has it."""
    declared = [job(transformer="redact", transformer_id=7, undeclared=[]), job("b", id=2, undeclared=[]), None]
    other = job("c", id=3, transformer_id=9)
    made = managed(*declared)
    assert ("transformers", 1, 1, "the query is not declared") in gaps(report(made, ACCOUNT))
    made["result"]["jobs"]["unlisted_jobs"] = [other]
    assert ("transformers", 1, 2, "the query is not declared") in gaps(report({**made, "jobs": [*made["jobs"], other]}, ACCOUNT))
    assert "transformers" not in {part for part, *_rest in gaps(report(managed(declared[1]), ACCOUNT))}


def test_other_jobs_of_the_zone():
    """Jobs that no item names are not audited unless they are reported or would be deleted."""
    made = managed(job())
    other = job("other", id=2)
    ignored = {**made, "jobs": [job(), other]}
    assert ("jobs", 1, None, "some are not declared, and unlisted_jobs is ignore") in gaps(report(ignored, ACCOUNT))
    reported = {**ignored, "result": {**made["result"], "jobs": {**made["result"]["jobs"], "unlisted_jobs": [other]}}}
    deleted = outcome({"other": {"enabled": True}}, {})
    gone = {**ignored, "result": {**made["result"], "jobs": {**deleted, "jobs": [job(), None], "unlisted_jobs": []}}}
    for zone_record in (reported, gone):
        assert "jobs" not in {part for part, *_rest in gaps(report(zone_record, ACCOUNT))}


@pytest.mark.parametrize(
    ("scripts", "told"),
    [
        (audit(inventory=[{"script": {"script_url": "https://x/", "malicious": None}, "entry": None}]), True),
        (audit(inventory=[{"script": {"script_url": "https://x/", "malicious": False}, "entry": None}]), False),
        ({"findings": [], "scripts": [{"script_url": "https://x/"}]}, True),
    ],
)
def test_hidden_verdicts_of_scripts(scripts, told):
    """They are documented to be absent where the plan hides them: nothing fails because of them."""
    made = report({**whole(), "scripts": scripts})
    assert (("scripts", 1, None, "the plan does not show the verdict of each script") in gaps(made)) is told
    assert failed_hosts(made["zones"], ["malicious", "reported"]) == {}


SHORTENED = {"available": True, "jobs": [], "shortened": {zone_id("a"): {"hours": 1, "requested": 24}}}


def test_hours_that_the_plan_does_not_show():
    """What was lost before the window that the plan shows is not known: never compliant without a word."""
    made = report(managed(job(undeclared=[])) | {"delivery": SHORTENED}, ACCOUNT)
    assert gaps(made)[-1] == ("delivery", 1, None, "1 of 24 hours")
    assert failed_hosts(made["zones"], ["records_dropped"]) == {
        "a": "fail_on records_dropped: not known, delivery: 1 of 24 hours"
    }
    assert failed_hosts(made["zones"], ["job_silent", "over_budget"]) == {}


@pytest.mark.parametrize(
    ("last", "told"),
    [({"hours": 24, "requested": 720}, "24 of 720 hours"), ({"hours": None, "requested": 720}, "a part of the hours")],
)
@pytest.mark.parametrize("survey", [False, True])
def test_days_of_violations_that_the_plan_does_not_show(survey, last, told):
    """What was reported before is not known, which fails nothing; of several rules the shortest window is told."""
    hours = [None, {"hours": 48, "requested": 168}, last]
    seen = [{"available": True, "blocked": [], "shortened": cut} for cut in hours]
    rules = [{"id": str(number), "description": str(number), "violations": violations} for number, violations in enumerate(seen)]
    part = {"content_security_rules": rules} if survey else {"violations": dict(enumerate(seen))}
    made = report({**whole(), "result": {"content_security_rules": {**outcome(), **part}}}, survey=survey)
    assert ("content_security_rules", 1, None, f"violations of {told}") in gaps(made)
    assert failed_hosts(made["zones"], ["violations", "enforcement_refused"]) == {}


def test_boundary_that_could_not_be_read():
    """It stands among what was not audited, and fails a host only where its findings are named; not asked for, it never does."""
    zone = managed(job(undeclared=[]))
    refused_ = report(zone, ACCOUNT | {"boundary": DENIED})
    assert ("boundary", 1, None, "no right") in gaps(refused_)
    assert list(failed_hosts(refused_["zones"], ["region_gap"])) == ["a"] and items(refused_) == [] == items(
        refused_, "account_ac"
    )
    unasked = report(zone, {name: value for name, value in ACCOUNT.items() if name != "boundary"})
    assert ("boundary", 1, None, "edgeops_audit_fields is false") in gaps(unasked)
    assert failed_hosts(unasked["zones"], ["region_gap"]) == {}


def test_every_format_says_it():
    made = report(managed(job(undeclared=["filter"])), {**record("b"), "result": {"jobs": outcome()}, "jobs": []}, ACCOUNT)
    sentence = "filters of 1 job in 1 zone (not declared)"
    assert sentence in "\n".join(printed(made))
    assert sentence in formats.render_markdown(made).decode()
    assert sentence in page.render(made).decode()
    assert sentence in formats.render_junit(made).decode()
    assert {"part": "filters", "zones": 1, "jobs": 1, "reason": "not declared"} in json.loads(formats.render_json(made))[
        "not_audited"
    ]
    series = formats.render_metrics(made).decode()
    assert (
        'edgeops_not_audited_zones{part="filters"} 1' in series and 'edgeops_not_audited_zones{part="destinations"} 0' in series
    )
    assert all(f'edgeops_not_audited_zones{{part="{part}"}}' in series for part in PARTS_AUDITED)


def test_merged_report_says_what_its_slices_did_not_audit():
    part = report(managed(job(undeclared=["filter"])), ACCOUNT)
    assert gaps(report(whole("b"), slices=[part], at=LATER)) == gaps(part)


def note(resource, subject=None, kind="not_readable"):
    return {"resource": resource, "type": kind, "subject": subject}


UNKNOWN = job(state="unknown", health={"state": "unknown", "message": "The service does not show it."})


@pytest.mark.parametrize(
    ("audited", "named", "fails"),
    [
        (whole(jobs=[UNKNOWN]), ["job_failing", "job_disabled_by_service", "job_silent", "job_never", "job_stale"], True),
        (whole(jobs=[UNKNOWN]), ["records_dropped", "missing_field", "malicious", "unlisted_job", "no_job"], False),
        (whole() | {"coverage": DENIED}, ["missing_field", "fields_not_selected", "field_stays_empty"], True),
        (whole() | {"delivery": DENIED}, ["records_dropped", "no_upload", "over_budget"], True),
        (whole() | {"delivery": [{"job_id": 1, "uploads": 1, "dropped_records": None}]}, ["records_dropped", "no_upload"], True),
        (whole() | {"delivery": [{"job_id": 1, "uploads": 1, "dropped_records": None}]}, ["over_budget"], False),
        (whole() | {"fields": DENIED}, ["field_removed"], True),
        (whole() | {"fields": DENIED}, ["region_gap", "missing_field"], False),
        (whole() | {"notifications": DENIED}, ["no_alert"], True),
        (whole(), [*TYPES], False),
        (
            whole() | {"scripts": audit(finding("monitor_off"))},
            ["malicious", "reported", "new", "changed", "gone", "nothing_seen"],
            True,
        ),
        (
            whole() | {"scripts": audit(finding("nothing_seen"))},
            ["malicious", "new", "unverified", "expired", "unjustified"],
            True,
        ),
        (whole() | {"scripts": audit(finding("nothing_seen"))}, ["monitor_off", "history_broken", "evidence_gap"], False),
        (whole() | {"scripts": audit(finding("unverified"))}, ["changed"], True),
        (whole() | {"scripts": audit(finding("unverified"))}, ["new", "malicious"], False),
        (failed("a"), [*TYPES], True),
        (unmanaged("a"), [*TYPES], False),
    ],
)
def test_type_that_could_not_be_judged_fails_the_host(audited, named, fails):
    """What this run was to judge and could not, fails a host by each type that stands for it; what was not asked for does not."""
    made = report(audited)
    for name in named:
        assert bool(refused(row(made, "a"), [name])) is fails, name


def test_survey_whose_monitor_is_off_saw_no_script():
    off = {"script_monitor": {"script_monitor": {"enabled": False}}}
    seen = report({"zone": "a", "jobs": [], "result": off, "scripts": {"scripts": []}}, survey=True)
    assert list(refused(row(seen, "a"), ["malicious"])) == ["malicious"]
    unasked = report({"zone": "a", "jobs": [], "result": off}, survey=True)
    assert refused(row(unasked, "a"), ["malicious"]) == {}


def test_every_stand_in_is_a_type():
    assert STAND_INS.keys() <= TYPES.keys()
    assert {name for stand_ins in STAND_INS.values() for _resource, name in stand_ins} <= TYPES.keys()


def test_problem_that_could_not_be_judged_is_not_resolved():
    failing = report(whole(jobs=[job(state="failing"), job("b", "failing", id=2)]))
    made = report(whole(jobs=[UNKNOWN, job("b", id=2)]), previous=failing, at=LATER)
    by_subject = {item["subject"]: item["id"] for item in items(failing) if item["type"] == "job_failing"}
    assert made["comparison"]["unknown"] == [by_subject["edge"]] and made["comparison"]["resolved"] == [by_subject["b"]]


def test_zone_without_its_account_is_covered_by_nobody():
    """Whether a recipient is told of its jobs is not known: it is neither a gap nor covered."""
    account = ACCOUNT | {"notifications": {"notification_policies": [], "webhooks": [], "available_alerts": {}}}
    made = report({**managed(job(undeclared=[])), "account_id": None}, account)
    assert [(item["resource"], item["type"]) for item in items(made, "a")] == [("notifications", "not_readable")]
    assert items(made, "account_ac") == []


@pytest.mark.parametrize("part", ["delivery", "notifications", "fields", "cost"])
def test_error_of_the_service_is_an_error(part):
    """What the token or the plan does not show is a note; an error of the service leaves the audit incomplete."""
    refused_ = report(whole() | {part: DENIED})
    assert row(refused_, "a")["status"] == "compliant" and [item["type"] for item in items(refused_)] == ["not_readable"]
    broken = report(whole() | {part: {"failed": True, "msg": "HTTP 500", "error": {"kind": "unavailable"}}})
    assert row(broken, "a")["status"] == "unaudited" and items(broken) == []


def test_refused_destination_is_a_difference():
    refusal = {"job": "edge", "member": "destination_address", "is": "s3://stolen", "should_be": "s3://logs"}
    result = {
        "failed": True,
        "msg": "it delivers elsewhere",
        "error": {"kind": "conflict"},
        "refusals": [refusal],
        "jobs": outcome(),
        "listed_jobs": [],
    }
    made = report({"zone": "a", "zone_id": zone_id("a"), "result": result})
    (item,) = items(made)
    assert (row(made, "a")["status"], item["kind"], item["subject"], item["member"]) == (
        "drifted", "difference", "edge", "destination_address",
    )  # fmt: skip
    assert item["message"] == "destination_address is s3://stolen, should be s3://logs"


def test_unread_payment_page_leaves_the_zone_unaudited():
    unread = {"kind": "page_unread", "page": "https://a/checkout", "subject": "https://a/checkout", "message": "HTTP 403"}
    inline = {
        "kind": "inline_new",
        "page": "https://a/pay",
        "subject": "sha256-x",
        "is": "x()",
        "message": "line 41: inline code",
    }
    pages = {"findings": [inline, unread], "pages": [], "evidence": {"seq": 2, "head": "cd"}}
    made = report({"zone": "a", "zone_id": zone_id("a"), "result": {}, "pages": pages})
    assert row(made, "a")["status"] == "unaudited" and [item["type"] for item in items(made)] == ["page_unread", "inline_new"]
    assert row(made, "a")["evidence"] == {"seq": None, "head": None, "pages": {"seq": 2, "head": "cd"}}
    assert list(refused(row(made, "a"), ["header_changed"])) == ["header_changed"]
    fine = report({"zone": "a", "zone_id": zone_id("a"), "result": {}, "pages": PAGES})
    assert row(fine, "a")["status"] == "compliant"


@pytest.mark.parametrize(
    ("members", "status"),
    [
        ({"scripts": {"findings": None, "inventory": []}}, "unaudited"),
        ({"scripts": {"findings": None, "scripts": None}}, "unaudited"),
        ({"jobs": {"jobs": None}}, "unaudited"),
        ({"pages": {"findings": None}}, "unaudited"),
        ({"delivery": {"jobs": None}}, "compliant"),
        ({"coverage": {"unselected": None, "unconfigured": []}}, "compliant"),
    ],
)
def test_result_whose_list_is_null_shows_nothing(members, status):
    """A list that is null is no empty one: what the run is for is not audited, the rest is a note."""
    made = report(whole() | members)
    assert row(made, "a")["status"] == status
    assert status == "unaudited" or [item["type"] for item in items(made)] == ["not_readable"]
    named = {
        "scripts": "malicious",
        "jobs": "job_silent",
        "pages": "inline_new",
        "delivery": "records_dropped",
        "coverage": "missing_field",
    }
    assert list(failed_hosts(made["zones"], [named[next(iter(members))]])) == ["a"]


def wrong():
    """Return the record of a zone with a silent job, lost records, a job without an upload, a malicious script and an undelivered field."""
    made = record("a", scripts=audit(finding("malicious")))
    made["jobs"] = [job(state="failing"), job("b", "stale", id=2, last_complete="2026-11-01T00:00:00Z")]
    numbers = {"uploads": 4, "records": 5, "failed_uploads": 1, "dropped_records": 7}
    made["delivery"] = [
        {"job_id": 1, **numbers, "statuses": {"403": 1}},
        {"job_id": 2, **dict.fromkeys(numbers, 0), "statuses": {}},
    ]
    unselected = {"kind": "cookie_fields", "names": ["x"], "field": "Cookies"}
    made["coverage"] = {"arrives": False, "unselected": [unselected], "unconfigured": [], "sentences": ["x reaches no log"]}
    return made


MEMBERS = [
    *((part, place, member) for part in ("jobs", "delivery") for place in (0, 1) for member in wrong()[part][place]),
    ("coverage", None, "unselected"),
    ("coverage", None, "sentences"),
]


# What fails the zone; an empty list says that there is nothing, and every member of a coverage may be omitted.
FAILING = ["job_failing", "job_silent", "job_stale", "no_upload", "records_dropped", "malicious", "fields_not_selected"]
LESS = [
    (*place, value)
    for place in MEMBERS
    for value in (..., None, "", [], {})
    if (place[-1], value) not in (("unselected", []), ("unselected", ...))
]


def fails_for(part, place, member, value):
    """Return the types that fail a zone with another value of a member; None if its record is refused."""
    changed = wrong()
    owner = changed[part] if place is None else changed[part][place]
    owner.pop(member)
    owner |= {} if value is ... else {member: value}
    try:
        made = report(changed)
    except Failure:
        return None
    return list(refused(row(made, "a"), FAILING))


def test_less_information_is_never_greener():
    """Whatever one member is missing or of another type, the same types fail the host, or the record is refused."""
    assert list(refused(row(report(wrong()), "a"), FAILING)) == FAILING
    assert [less for less in LESS if fails_for(*less) not in (None, FAILING)] == []


SCRIPT_ALERT = "scriptmonitor_alert_new_resources"
WATCHING = {
    "id": "p",
    "name": "watch",
    "enabled": True,
    "alert_type": SCRIPT_ALERT,
    "mechanisms": {"email": ["ops@example.com"]},
    "filters": {},
}
DENIED = {"failed": True, "msg": "no right", "error": {"kind": "permission", "path": "/zones/a/script_monitor"}}
OUTSIDE = "its account ac is not in the run, so it is not known who is told of its jobs and scripts"
SEEN = {"script_monitor": {"changed": False, "script_monitor": {"enabled": True}}}


@pytest.mark.parametrize("accounts", [[], [{**ACCOUNT, "zone": "other", "account_id": "other", "declared": False}]])
def test_account_of_a_zone_that_is_not_in_the_run(accounts):
    """Who is told, and which datasets its region delivers, is not known of the zone, and fails it where that decides."""
    fields = {"http_requests": {"fields": {"RayID": "string"}}}
    zone = {"zone": "a", "zone_id": zone_id("a"), "account_id": "ac", "declared": False, "jobs": [job()], "fields": fields}
    made = report({**zone, "result": SEEN}, *accounts)
    (text,) = [item["is"] for item in items(made, "a") if item["resource"] == "notifications"]
    assert text == f"{OUTSIDE}; name its account in account_ids of edgeops_survey"
    assert ("boundary", 1, None, "its account is not in the run") in gaps(made)
    refusals = refused(row(made, "a"), ["no_alert", "region_gap"])
    assert all(refusals[name].startswith("not known, ") for name in ("no_alert", "region_gap"))


HOST = {"zone": "other", "account_id": "other", "scope": "account"}
NO_NAME = "its account is not known, so it is not known who is told of its jobs and scripts"


@pytest.mark.parametrize(
    ("account_id", "others", "fail_on", "said"),
    [
        # A check asks who is told where an account is in the run, or where that decides.
        ("ac", [], [], []),
        (None, [], [], []),
        ("ac", [HOST], [], [f"{OUTSIDE}; add a host with account_id: ac"]),
        ("ac", [], ["no_alert"], [f"{OUTSIDE}; add a host with account_id: ac"]),
        (None, [HOST], [], [f"{NO_NAME}; set account_id at its host, and add a host with this account_id"]),
        (None, [], ["no_alert"], [f"{NO_NAME}; set account_id at its host, and add a host with this account_id"]),
    ],
)
def test_check_of_a_zone_without_its_account(account_id, others, fail_on, said):
    zone = {"zone": "a", "zone_id": zone_id("a"), "account_id": account_id, "jobs": [job()], "result": SEEN}
    made = report(zone, *others, fail_on=fail_on)
    assert [item["is"] for item in items(made, "a") if item["resource"] == "notifications"] == said
    assert bool(refused(row(made, "a"), ["no_alert"])) is bool(said)
    # Nothing that alerts are about is there.
    made = report(
        {**zone, "jobs": [], "result": {"script_monitor": {"script_monitor": {"enabled": False}}}}, *others, fail_on=fail_on
    )
    assert not [item for item in items(made, "a") if item["resource"] == "notifications"]


@pytest.mark.parametrize(
    ("members", "accounts", "reason", "is_asked"),
    [
        ({}, [], "edgeops_audit_fields is false", False),
        ({"fields": {"http_requests": {"fields": {"A": ""}}}}, [], "its account is not in the run", True),
        ({"fields": {"http_requests": {"fields": {"A": ""}}}, "account_id": None}, [], "its account is not known", True),
        # An unmanaged zone of a run that audits fields is not read.
        ({"jobs": None}, [{**HOST, "boundary": {"regions": ["eu"]}}], "its jobs were not read", False),
        ({}, [{**HOST, "account_id": "ac"}], "edgeops_audit_fields is false", False),
    ],
)
def test_reason_why_the_boundary_of_a_zone_was_not_audited_is_true(members, accounts, reason, is_asked):
    zone = {"zone": "a", "zone_id": zone_id("a"), "account_id": "ac", "jobs": [job()], **members}
    made = report(zone, *accounts)
    assert ("boundary", reason) in [(part, why) for part, _zones, _jobs, why in gaps(made)]
    assert bool(refused(row(made, "a"), ["region_gap"])) is is_asked


@pytest.mark.parametrize(("policies", "is_refused"), [([], True), ([WATCHING], False)])
def test_monitor_that_is_hidden_does_not_matter_where_it_is_covered(policies, is_refused):
    """Whether scripts are monitored is not known; who would be told is."""
    zone = {
        "zone": "a",
        "zone_id": zone_id("a"),
        "account_id": "ac",
        "declared": False,
        "jobs": [],
        "result": {"script_monitor": DENIED},
    }
    told = {"notification_policies": policies, "webhooks": [], "silences": [], "available_alerts": {SCRIPT_ALERT: ""}}
    made = report(zone, {**HOST, "account_id": "ac", "declared": False, "notifications": told, "jobs": []})
    assert bool(refused(row(made, "a"), ["no_alert"])) is is_refused


def test_zone_of_an_account_in_another_spelling():
    zone = {"zone": "a", "zone_id": zone_id("a"), "account_id": "AC", "declared": False, "jobs": [job()], "result": SEEN}
    told = {
        "notification_policies": [],
        "webhooks": [],
        "silences": [],
        "available_alerts": {"scriptmonitor_alert_new_resources": ""},
    }
    made = report(zone, {**ACCOUNT, "declared": False, "notifications": told})
    assert [item["type"] for item in items(made, "a") if item["resource"] == "notifications"] == ["no_alert"]


@pytest.mark.parametrize("monitor", [DENIED, {"script_monitor": {"enabled": None}}])
def test_unread_monitor_stands_for_an_alert_that_nobody_gets(monitor):
    """It is not known whether the zone has scripts of which a recipient should be told."""
    zone = {"zone": "a", "zone_id": zone_id("a"), "account_id": "ac", "declared": False, "jobs": []}
    told = {
        "notification_policies": [],
        "webhooks": [],
        "silences": [],
        "available_alerts": {"scriptmonitor_alert_new_resources": ""},
    }
    owner = {**ACCOUNT, "declared": False, "notifications": told}
    made = report({**zone, "result": {"script_monitor": monitor}}, owner)
    assert "not known" in refused(row(made, "a"), ["no_alert"])["no_alert"]
    assert "a" not in failed_hosts(made["zones"], ["monitor_off"])
    on = report({**zone, "result": SEEN}, owner)
    assert "nobody" in refused(row(on, "a"), ["no_alert"])["no_alert"]


def test_page_that_leads_elsewhere_fails_each_type_of_pages():
    elsewhere = {
        "kind": "redirected",
        "page": "https://a/pay",
        "subject": "https://a/cart",
        "message": "it ends on https://a/cart",
    }
    made = report(whole() | {"pages": {"findings": [elsewhere], "pages": []}})
    assert list(refused(row(made, "a"), ["inline_new", "expired", "malicious"])) == ["inline_new", "expired"]


MALICIOUS = [{"script_url": "https://cdn.example.net/x.js", "host": "a", "malicious": True, "malicious_reasons": []}]
UNSELECTED = {"unselected": [], "sentences": []}
SURVEYED = {"zone": "a", "declared": False, "jobs": [], "scripts": {"scripts": []}}
CONFIGURED = {"request_fields": ["x-a"], "response_fields": [], "cookie_fields": []}


@pytest.mark.parametrize(
    ("zone", "name", "reason"),
    [
        ({**whole(), "coverage": {**UNSELECTED, "unconfigured": None}}, "field_stays_empty", "coverage: unconfigured is null"),
        ({**whole(), "coverage": UNSELECTED}, "field_stays_empty", "coverage: unconfigured is missing"),
        ({**whole(), "coverage": {"arrives": False}}, "fields_not_selected", "coverage: unselected is missing"),
        ({**whole(), "scripts": {"findings": None, "scripts": MALICIOUS}}, "malicious", "findings is null"),
        (
            {**whole(), "declared": False, "scripts": {"findings": None, "scripts": MALICIOUS}},
            "malicious",
            "findings is null",
        ),
        (
            {**SURVEYED, "result": {"script_monitor": {"script_monitor": None}}},
            "monitor_off",
            "script monitor: the service does not show whether",
        ),
        (
            {"zone": "a", "jobs": [job()], "result": {"custom_fields": {**outcome(), "custom_fields": None}}},
            "fields_not_selected",
            "coverage: its custom fields are not shown",
        ),
        # Of a play without a task that lists the jobs.
        (
            {"zone": "a", "result": {"custom_fields": {**outcome(), "custom_fields": CONFIGURED}}},
            "fields_not_selected",
            "coverage: its jobs were not listed",
        ),
        (
            {"zone": "a", "result": {"jobs": {**outcome(), "jobs": [job()], "unlisted_jobs": None}}},
            "unlisted_job",
            "unavailable: its jobs could not be listed",
        ),
    ],
)
def test_part_without_what_decides_is_not_judged(zone, name, reason):
    """A list that is null or absent is no empty one."""
    made = report(zone)
    assert reason in refused(row(made, "a"), [name])[name]


def test_verdict_of_another_type_is_none():
    made = report({"zone": "a", "declared": False, "jobs": [], "scripts": {"scripts": [{**MALICIOUS[0], "malicious": "yes"}]}})
    assert ("scripts", 1, None, "the plan does not show the verdict of each script") in gaps(made)


@pytest.mark.parametrize(
    ("zone", "reason"),
    [
        ({"result": {"custom_fields": {**outcome(), "custom_fields": CONFIGURED}}}, "its jobs were not read"),
        ({"result": {"custom_fields": outcome()}, "jobs": [job()]}, "what its jobs delivered was not read"),
        ({}, None),
    ],
)
def test_delivery_that_was_asked_for_and_not_read_fails_a_gate(zone, reason):
    """Of a host without a declaration nothing is asked."""
    made = report({"zone": "a", **zone}, delivery=True)
    expected = {} if reason is None else {"records_dropped": f"not known, delivery: {reason}"}
    assert refused(row(made, "a"), ["records_dropped"]) == expected
    assert refused(row(report({"zone": "a", **zone}), "a"), ["records_dropped"]) == {}


@pytest.mark.parametrize("jobs", [{}, {"jobs": [job()]}])
def test_fields_that_were_asked_for_and_not_read_fail_a_gate(jobs):
    zone = {"zone": "a", "result": {"custom_fields": {**outcome(), "custom_fields": CONFIGURED}}, **jobs}
    made = report(zone, fields=True)
    assert list(refused(row(made, "a"), ["field_removed", "region_gap"])) == ["field_removed", "region_gap"]
    assert refused(row(report(zone), "a"), ["field_removed", "region_gap"]) == {}
    made = report({"zone": "a"}, fields=True)
    assert refused(row(made, "a"), ["field_removed", "region_gap"]) == {}, "nothing is declared"
