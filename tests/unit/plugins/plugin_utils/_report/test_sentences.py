# SPDX-License-Identifier: GPL-3.0-or-later

import pytest
from support.samples.fleet import (
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
    unmanaged,
)

from ansible_collections.edgeops.observability.plugins.module_utils._difference import UPDATE, Difference
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.findings import differences
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.gates import failed_hosts
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.items import (
    APPLIED,
    cells,
    difference_problem,
    items_of,
    problem,
    sentence,
    subject_words,
)
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.lines import (
    difference_text,
    groups_by_action,
    printed,
    verdict,
)

FILTER = '{"where":{"and":[{"key":"ClientRequestHost","operator":"eq","value":"a"}]}}'
ONLY_A = 'A record is delivered only if ClientRequestHost is "a"; all other records are left out.'
S3 = {"scheme": "s3", "address": "logs/http", "options": {"region": "eu"}}


def as_item(difference):
    (item,) = items_of("zone", [difference], LATER)
    return item


def difference(member, present, desired):
    return difference_problem(Difference("jobs", None, member, UPDATE, present, desired))


@pytest.mark.parametrize(
    ("member", "present", "desired", "words"),
    [
        ("enabled", False, True, "enabled is false, should be true"),
        ("name", None, "edge", "name is not set, should be edge"),
        ("record_delimiter", " ", "\n", 'record_delimiter is " ", should be "\\n"'),
        ("max_upload_interval_seconds", 30, 1, "max_upload_interval_seconds is 30 seconds, should be 1 second"),
        ("request_fields", ["x-a"], ["x-b"], "request_fields: missing x-b; not declared x-a"),
        ("request_fields", None, ["x-b"], "request_fields: missing x-b"),
        ("output_options.field_names", ["A", "B"], ["A"], "fields: not declared B"),
        ("field_names", ["A", "B"], ["B", "A"], 'field_names is ["A", "B"], should be ["B", "A"]'),
        (
            "logpull_options",
            "fields=RayID,Old&timestamps=unixnano",
            "fields=RayID,ClientIP&timestamps=rfc3339",
            "fields: missing ClientIP; not declared Old; timestamps is unixnano, should be rfc3339",
        ),
        ("logpull_options", None, "fields=RayID", "fields: missing RayID"),
        ("filter", FILTER, None, f'filter is "{ONLY_A}", should be "Every record is delivered: there is no filter."'),
        ("destination", S3, {**S3, "address": "x"}, "destination is s3://logs/http?region=eu, should be s3://x?region=eu"),
        (None, None, {"name": "edge"}, "is missing, should be created"),
        (None, {"name": "edge"}, None, "is present, should be absent"),
        (None, None, None, "is different, should be as declared"),
        ("name", "x" * 500, "", f"name is {'x' * 197}..., should be not set"),
    ],
)
def test_difference_is_a_sentence(member, present, desired, words):
    assert sentence(difference(member, present, desired)) == words
    assert "->" not in words


@pytest.mark.parametrize(
    ("member", "present", "desired", "words"),
    [
        ("enabled", False, True, "enabled was false, now true"),
        ("request_fields", ["x-a"], ["x-b"], "request_fields: added x-b; removed x-a"),
        ("logpull_options", "fields=Old&sample=1", "fields=New", "fields: added New; removed Old; sample was 1, now not set"),
        (None, None, {"name": "edge"}, "created"),
        (None, {"name": "edge"}, None, "removed"),
        (None, None, None, "changed"),
    ],
)
def test_applied_difference_has_old_and_new_value(member, present, desired, words):
    assert sentence(difference(member, present, desired), APPLIED) == words


@pytest.mark.parametrize(
    ("item", "columns"),
    [
        (difference("enabled", False, True), ("enabled", "false", "true")),
        (difference("request_fields", ["x"], ["x", "y"]), ("request_fields", "missing y", "x, y")),
        (difference("request_fields", ["x"], None), ("request_fields", "not declared x", "empty")),
        (
            difference("logpull_options", "fields=A", "fields=A,B&sample=0.5"),
            ("output options", "fields: missing B; sample: not set", "fields: A, B; sample: 0.5"),
        ),
        (difference(None, None, {"x": 1}), ("", "missing", "created")),
        (problem("unused", None, "it waits"), ("", "it waits", "")),
        (problem("no_upload", None, "x" * 900), ("", "x" * 900, "")),
    ],
)
def test_item_has_columns(item, columns):
    assert cells(as_item(item)) == columns


def test_finding_has_the_desired_state():
    assert as_item(problem("records_dropped", None, "1 lost"))["message"] == "1 lost; should be: no record is dropped"
    assert as_item(problem("unused", None, "it waits"))["message"] == "it waits"


FINDING = record("f", scripts=audit(finding()))
TWO = (finding("malicious"), finding("malicious", url="https://x/b.js"))
ACCOUNT = {"zone": "account_0a", "account_id": "0a", "account_name": "Example", "result": {"jobs": outcome(plan="p")}, "jobs": []}
REFUSED = {"failed": True, "msg": "403", "error": {"kind": "permission", "path": "/zones/0a/logpush/jobs"}}
SEALED = {"zone": "s", "declared": False, "jobs": REFUSED, "result": {"script_monitor": {"script_monitor": {"enabled": True}}}}
SEALED_ACCOUNT = {"zone": "account_0c", "account_id": "0c", "declared": False, "jobs": REFUSED}


@pytest.mark.parametrize(
    ("zones", "outcome", "words"),
    [
        ([record("a")], "compliant", "1 zone is compliant."),
        ([record("a"), record("b")], "compliant", "All 2 zones are compliant."),
        ([{**record("a"), "jobs": [job(state="stale")]}], "compliant", "1 zone is compliant; 1 note is worth a look."),
        ([record("a"), unmanaged("b")], "unmanaged", "No zone needs attention: 1 unmanaged, 1 compliant."),
        ([unmanaged("a"), FINDING], "findings", "1 new script in 1 zone; 1 zone unmanaged."),
        ([drifted("a"), FINDING], "drifted", "1 new script in 1 zone; 1 zone drifted."),
        ([drifted("a", scripts=audit(finding("gone")))], "drifted", "1 zone drifted; 1 finding in 1 zone."),
        (
            [failed("a"), drifted("b"), FINDING, *(record(f"d{number}") for number in range(1000))],
            "unaudited",
            "1 new script in 1 zone; 1 zone could not be audited (permission); 1 zone drifted; 1,000 of 1,003 zones are compliant.",
        ),
        (
            [drifted("a", scripts=audit(*TWO)), drifted("b", scripts=audit(finding("expired"))), record("c"), ACCOUNT],
            "drifted",
            "2 malicious scripts in 1 zone; 2 zones drifted; 1 other finding in 1 zone; 2 of 4 zones and accounts are compliant.",
        ),
        (
            [SEALED, {**SEALED, "zone": "z"}, {**SEALED_ACCOUNT}],
            "unaudited",
            "2 zones and 1 account could not be audited (without the permission Logs Write).",
        ),
        (
            [SEALED, failed("a", "unavailable", "500")],
            "unaudited",
            "2 zones could not be audited (1 unavailable, 1 without the permission Logs Write).",
        ),
        ([ACCOUNT], "compliant", "1 account is compliant."),
        ([{"zone": "account_0b", "account_id": "0b"}], "unmanaged", "No account needs attention: 1 unmanaged."),
    ],
)
def test_verdict_starts_with_the_worst_status(zones, outcome, words):
    """The most severe status is first; the outcome is the worst status of a zone or account."""
    made = report(*zones)
    assert (verdict(made), made["outcome"]) == (words, outcome)


def test_terminal_lists_items_counts_and_next_steps():
    """All items that count, at most 20 of a kind for each zone, then the counts, and the next steps."""
    many = [finding(url=f"https://x.example/{number}.js") for number in range(22)] + [finding("gone", url="https://z.example/")]
    before = report(record("a"), drifted("b"))
    made = report(
        drifted("a", scripts=audit(*many)),
        drifted("b", scripts=audit()),
        failed("c"),
        waivers=[{**WAIVER, "zone": "b"}],
        previous=before,
        at=LATER,
    )
    lines = printed(made)
    assert verdict(made).startswith("22 new scripts in 1 zone; 1 zone could not be audited (permission); 1 zone drifted;")
    assert lines[0] == "a difference: script monitor: enabled is false, should be true (new)"
    assert sum(line.startswith("a finding new (high): script https://x.example/") for line in lines) == 19
    assert sum(line.startswith("a finding gone (medium): script https://z.example/") for line in lines) == 1, "one of each type"
    assert not [line for line in lines if line.startswith("b ")]
    assert {
        "a finding: 3 more findings in the report (3 new)",
        "c unaudited: permission: not allowed",
        verdict(made),
        "3 zones: 1 unaudited, 1 drifted, 0 with findings, 0 unmanaged, 1 compliant",
        "1 difference, 23 findings, 0 notes, 1 waived",
    } <= set(lines)
    assert [line.partition(".")[0] for line in lines if line.startswith("Next: ")] == [
        "Next: Find out why zones could not be audited",
        "Next: Examine scripts on your pages",
        "Next: Bring zones back to their desired state",
        "Next: Complete the script baseline and its evidence",
    ]


def test_notes_may_be_counted_by_type():
    """After a survey, in which every zone has notes, the terminal shows only their number."""
    made = report(
        {**record("a"), "jobs": [job(state="stale"), job("b", "never", id=2)]}, {**record("b"), "jobs": [job(state="stale")]}
    )
    lines = printed(made, ("note",))
    assert "notes: 2 job_stale, 1 job_never" in lines
    assert not [line for line in lines if line.startswith("a note")]


def test_accounts_are_counted_separately():
    made = report({**ACCOUNT, "jobs": [job(state="failing")]}, record("a"))
    lines = printed(made)
    assert lines[0].startswith("Example (account_0a) finding job_failing (high): job edge: ")
    assert "1 zone and 1 account: 0 unaudited, 0 drifted, 1 with findings, 0 unmanaged, 1 compliant" in lines


def texts(result, **how):
    return [difference_text(difference, **how) for difference in differences(result, result.get("listed_jobs") or ())]


def test_differences_of_a_result_are_lines():
    result = record("a", jobs=({"edge": {"enabled": False}}, {"edge": {"enabled": True}, "new": {"name": "new"}}))["result"]
    assert texts(result) == ["job edge: enabled is false, should be true", "job new: is missing, should be created"]
    assert texts(result, applied=True) == ["job edge: enabled was false, now true", "job new: created"]
    result["listed_jobs"] = [job("edge", "disabled", enabled=False, error_message="403 from the bucket")]
    assert texts(result)[0].endswith("should be true; the service disabled it: 403 from the bucket")
    assert texts(result, applied=True)[0].endswith("now true; the service disabled it: 403 from the bucket")
    assert texts({}) == []


def test_equal_items_of_several_zones_are_one_line():
    """Equal values fold, others stay with their zone; a common item that is new in some of the zones says in how many."""
    common = ({"edge": {"enabled": False}}, {"edge": {"enabled": True}})
    own = ({"edge": {"enabled": False, "name": "x"}}, {"edge": {"enabled": True, "name": "y"}})
    before = report(*(record(f"z{number}", jobs=common) for number in range(2)))
    made = report(*(record(f"z{number}", jobs=own if number == 3 else common) for number in range(40)), previous=before)
    lines = printed(made)
    assert lines[0] == "40 zones, such as z0: difference: job edge: enabled is false, should be true (new in 38)"
    assert lines[1] == "z3 difference: job edge: name is x, should be y (new)"
    assert len(lines) < 10
    gone = report(*(failed(f"z{number}") for number in range(40)))
    assert printed(gone)[0] == "40 zones, such as z0 unaudited: permission: not allowed"


def test_ids_in_addresses_do_not_keep_reasons_apart():
    """The same thing is missing in each zone, although the address of the request names the zone; one zone alone keeps its id."""

    def gone(count):
        message = "Listing the jobs (GET /zones/{:032x}/logpush/jobs) failed"
        rows = [{**failed(f"z{n}"), "error": {"kind": "permission", "message": message.format(n)}} for n in range(count)]
        return printed(report(*rows))[0]

    assert gone(40) == "40 zones, such as z0 unaudited: permission: Listing the jobs (GET /zones/.../logpush/jobs) failed"
    assert gone(1).endswith(f"(GET /zones/{0:032x}/logpush/jobs) failed")


def test_job_without_a_name_is_called_as_in_warnings():
    made = report({**record("a"), "jobs": [job("", "failing", id=149)]})
    assert printed(made)[0].startswith("a finding job_failing (high): job 149 (http_requests): its deliveries fail")
    assert items(made)[0]["subject"] == "/http_requests/149", "its id in files stays"
    change = Difference("jobs", "/http_requests/149", "enabled", UPDATE, False, True)
    assert difference_text(change, applied=True) == "job 149 (http_requests): enabled was false, now true"


def refused(permission_path, code=10000, message="Authentication error"):
    error = {"kind": "permission", "status": 403, "path": permission_path, "errors": [{"code": code, "message": message}]}
    return {"failed": True, "msg": f"Reading it (GET {permission_path}) failed.", "error": error}


def sealed(number, **answer):
    """Return a zone of a survey whose script monitor and content security rules are not shown."""
    path = f"/zones/{number:032x}/page_shield"
    hidden = {name: refused(path, **answer) for name in ("script_monitor", "content_security_rules")}
    return {"zone": f"z{number}", "zone_id": f"{number:032x}", "declared": False, "jobs": [job()], "result": hidden}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({}, "the token needs Page Shield Read (HTTP 403: Authentication error (code 10000))"),
        (
            {"code": 1004, "message": "not entitled: this feature is not available for your plan"},
            "the plan does not have it (HTTP 403: not entitled: this feature is not available for your plan (code 1004))",
        ),
    ],
)
def test_one_cause_is_one_note_for_all_zones_and_parts(answer, words):
    made = report(*(sealed(number, **answer) for number in range(8)), title="Survey")
    assert printed(made)[0] == f"8 zones, such as z0: note not_readable: script monitor, content security rules: {words}"
    assert made["counts"]["notes"] == 16 and "16 equal notes are worth a look" in verdict(made)
    assert len({item["id"] for row in made["zones"] for item in row["items"]}) == 16
    with_another = report(
        *(sealed(number, **answer) for number in range(8)), {"zone": "x", "declared": False, "jobs": []}, title="Survey"
    )
    assert "17 notes (2 different) are worth a look" in verdict(with_another)
    alone = printed(report(sealed(1, **answer)))
    assert alone[:2] == [f"z1 note not_readable: {part}: {words}" for part in ("script monitor", "content security rules")]


def test_a_missing_permission_is_the_next_step():
    """The run knows why, and does not tell its user to find out."""
    next_steps = [text for text in printed(report(*(sealed_jobs(n) for n in range(3)), record("a"))) if text.startswith("Next: ")]
    assert len(next_steps) == 1 and next_steps[0].startswith("Next: Give the token Logs Write. ")
    assert next_steps[0].endswith("/reference_permissions.html")
    mixed = printed(report(sealed_jobs(0), failed("b", "unavailable", "500")))
    assert any(text.startswith("Next: Find out why zones could not be audited. ") for text in mixed)


def sealed_jobs(number):
    return {
        "zone": f"s{number}",
        "declared": False,
        "jobs": refused(f"/zones/{number}/logpush/jobs"),
        "result": {"script_monitor": {"script_monitor": {"enabled": True}}},
    }


def test_drifted_zones_with_findings_are_told():
    """The numbers by status count such a zone once, so that a line of its own says that it has findings, too."""
    made = report(drifted("a", scripts=audit(finding())), drifted("b"), record("c"))
    lines = printed(made)
    place = lines.index("3 zones: 0 unaudited, 2 drifted, 0 with findings, 0 unmanaged, 1 compliant")
    assert lines[place + 1] == "2 drifted, 1 of them with findings"
    assert not [text for text in printed(report(drifted("a"), FINDING)) if "of them with" in text or "of it with" in text]


@pytest.mark.parametrize(
    ("zone", "step"),
    [
        (record("a", scripts=audit(finding("monitor_off"))), "Enable script monitors."),
        (
            {**record("a"), "jobs": [job(state="stale", last_complete="2026-11-01T00:00:00Z")]},
            "Find out why jobs deliver nothing.",
        ),
        ({**record("a"), "jobs": [job(state="failing")]}, "Repair log delivery."),
        (
            {**record("a"), "pages": {"findings": [{"kind": "page_new", "page": "https://a/", "message": "x"}]}},
            "Authorise payment pages",
        ),
    ],
)
def test_next_step_fits_the_finding(zone, step):
    steps = [text.removeprefix("Next: ") for text in printed(report(zone)) if text.startswith("Next: ")]
    assert len(steps) == 1 and steps[0].startswith(step)


def test_monitor_that_is_off_is_one_finding():
    """That no script is seen follows from it, and no traffic would help."""
    seen = audit(finding("monitor_off"), finding("nothing_seen"), finding("evidence_gap"))
    zone = report(record("a", scripts=seen))
    assert [item["type"] for item in items(zone)] == ["monitor_off", "evidence_gap"]
    assert all(failed_hosts(zone["zones"], [name]) for name in ("nothing_seen", "malicious", "findings"))
    assert [item["type"] for item in items(report(record("a", scripts=audit(finding("nothing_seen")))))] == ["nothing_seen"]


@pytest.mark.parametrize("kind", ["nothing_seen", "unjustified"])
def test_what_should_be_is_not_the_same_again(kind):
    """The message says what is missing; of a monitor that is off the wish is one word, and of a zone in a survey there is none."""
    (item,) = items(report(record("a", scripts=audit(finding(kind, message="the entry 'x' has no owner")))))
    assert item["should_be"] is None and item["message"] == "the entry 'x' has no owner"
    (item,) = items(report(record("a", scripts=audit(finding("monitor_off", message="the script monitor is disabled")))))
    assert item["message"] == "the script monitor is disabled; should be: enabled"


def test_a_sentence_ends_before_what_should_be():
    assert sentence(problem("inline_new", None, "window.shop = {};", "nothing.")) == "window.shop = {}; should be: nothing."
    assert sentence(problem("inline_new", None, "It ends.", "x")) == "It ends; should be: x"


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        ('["https://x/a.js","shop",null]', "https://x/a.js on shop"),
        ('[null,null,"stripe"]', "entry stripe"),
        ('["https://x/a.js",null,"stripe"]', "https://x/a.js (entry stripe)"),
        ("[null,null,null]", ""),
        *((text, text) for text in ('{"script_url":"x"}', "not JSON", "[" * 100_000)),
        (None, ""),
    ],
    ids=["script", "entry", "both", "zone", "waiver", "text", "deep", "nothing"],
)
def test_scripts_are_named_in_words(subject, words):
    """The subject may have any value in an earlier report, which is shown and never raises an error."""
    assert subject_words(as_item(problem("new", subject, ""))) == words
    assert subject_words(as_item(problem("no_job", subject, ""))) == (subject or "")
    assert subject_words(as_item(problem("expired_waiver", '{"zone":"a","member":null}', ""))) == "waiver for zone a"


def test_worst_type_comes_first():
    """Of one severity the order is that of the table of types, in headline, groups and items, whatever their names and numbers."""
    findings = [finding("changed", url=f"https://x/{number}.js") for number in range(3)] + [finding("malicious"), finding("new")]
    made = report(*(record(name, scripts=audit(*findings)) for name in "abc"))
    assert verdict(made).startswith("3 malicious scripts in 3 zones; 9 changed scripts in 3 zones; 3 new scripts in 3 zones")
    ((_action, groups),) = groups_by_action(made["zones"])
    assert [group.item["type"] for group in groups] == ["malicious", "changed", "changed", "changed", "new"]
    assert [item["type"] for item in items(made, "a")] == ["malicious", "changed", "changed", "changed", "new"]


def test_action_of_the_severest_item_comes_first():
    """Of equal severity the order of the actions counts; notes come last."""
    made = report(
        drifted("a", scripts=audit(finding("gone"), finding("unused"))),
        record("b", scripts=audit(finding("new"))),
        {**record("c"), "jobs": [job(state="failing")]},
    )
    assert [action.title for action, _groups in groups_by_action(made["zones"])] == [
        "Examine scripts on your pages",
        "Repair log delivery",
        "Bring zones back to their desired state",
        "Complete the script baseline and its evidence",
        "Worth a look",
    ]


def test_script_of_several_zones_stands_once():
    """Each zone has it on its own host, which its name says already."""
    url = "https://js.pay.example/pay.js"
    changed = {**finding("changed", url), "host": None}
    made = report(*(record(name, scripts=audit({**changed, "host": name})) for name in ("a.example", "b.example", "c.example")))
    (shared,) = [text for text in printed(made) if "finding changed" in text]
    assert shared.startswith("3 zones, such as a.example: finding changed (high): script https://js.pay.example/pay.js: ")
    elsewhere = report(*(record(name, scripts=audit({**changed, "host": "shop"})) for name in ("a.example", "b.example")))
    assert sum(f"script {url} on shop: " in text for text in printed(elsewhere)) == 2


def test_entry_without_a_page_is_named():
    about = {"page": None, "is": None, "should_be": None}
    expired = {**about, "kind": "expired", "subject": "checkout", "message": "had to be reviewed"}
    unused = {**about, "kind": "unused", "subject": "'self'", "message": "form 'self' of the entry 'checkout' fits nothing"}
    made = report(record("a.example", pages={"findings": [expired, unused], "pages": [], "passed": False}))
    assert any("expired (medium): entry checkout: had to be reviewed" in text for text in printed(made))
    assert any("note unused: line 'self': form 'self' of the entry 'checkout' fits nothing" in text for text in printed(made))


def test_unread_page_is_said_once():
    said = "the page could not be read: its status is 404"
    unread = {
        "kind": "page_unread",
        "page": "https://a.example/pay",
        "subject": None,
        "is": said,
        "should_be": None,
        "message": said,
    }
    made = report(record("a.example", pages={"findings": [unread], "pages": [], "passed": False}))
    assert made["zones"][0]["error"]["message"] == "a payment page could not be read: its status is 404"
