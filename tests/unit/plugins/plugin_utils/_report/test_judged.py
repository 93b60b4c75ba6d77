# SPDX-License-Identifier: GPL-3.0-or-later

"""Of each type of items what resolves it, and what leaves it unknown."""

import json
import typing as t

import pytest
from support.samples.fleet import AT, LATER, WAIVER, audit, finding, items, job, outcome, record, report, row, unmanaged, zone_id

from ansible_collections.edgeops.observability.plugins.plugin_utils._report.facts import OF_WAIVERS, TYPES
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.judged import OBSERVATIONS

Json = t.Any
DENIED = {"failed": True, "msg": "no right", "error": {"kind": "permission", "path": "/zones/a/logpush/jobs"}}
URL, PAGE = "https://cdn.example.net/a.js", "https://shop.example.com/checkout"
LOST = "failing_logpush_job_disabled_alert"
RULES = "content_security_rules"


class Case(t.NamedTuple):
    """Records in which something is found, is well, and was not judged, with the options of each report."""

    found: t.Sequence[Json]
    well: t.Sequence[Json]
    unread: t.Sequence[Json]
    options: t.Mapping[str, Json] = {}
    unread_options: t.Mapping[str, Json] | None = None


def zone(*jobs: Json, **members: Json) -> Json:
    """Return the record of a declared zone with jobs."""
    return {**record("a"), "account_id": "ac", "jobs": list(jobs), **members}


def without_jobs() -> Json:
    """Return the record of a zone without a declaration, of which nothing was read."""
    return {**unmanaged("a"), "account_id": "ac"}


def surveyed(result: Json = None, **members: Json) -> Json:
    parts = {"zone": "a", "zone_id": zone_id("a"), "account_id": "ac", "declared": False, "result": result, **members}
    return {name: part for name, part in parts.items() if part is not None}


def account(**members: Json) -> Json:
    return {
        "zone": "acme",
        "account_id": "ac",
        "scope": "account",
        "account_name": "Shop",
        "declared": False,
        "jobs": [],
        **members,
    }


def of_jobs(bad: Json, good: Json, unknown: Json) -> Case:
    return Case([zone(bad)], [zone(good)], [zone(unknown)])


def scripts(*findings: Json, entry: str | None = None, shown: bool = True, **members: Json) -> Json:
    """Return a zone with the audit of one script, of which the service shows its verdicts or not."""
    flags = {"malicious": False, "url_reported_malicious": False, "domain_reported_malicious": False} if shown else {}
    script = {"script_url": URL, "host": "shop.example.com", **flags, **members.pop("script", {})}
    return [zone(scripts=audit(*findings, inventory=[{"script": script, "entry": entry, "findings": []}], **members))]


def about_audit(kind: str) -> Json:
    return {"kind": kind, "script_url": None, "host": None, "entry": None, "message": "x"}


def of_entry(kind: str) -> Json:
    return about_audit(kind) | {"entry": "one"}


def pages(*findings: Json, url: str = PAGE, head: str | None = "ab", **members: Json) -> Json:
    """Return a zone with the audit of one payment page."""
    page = {
        "url": url,
        "final_url": url,
        "source": "fetch",
        "recorded_at": None,
        "entry": "shop",
        "headers": {"x-frame-options": None},
    }
    evidence = {"seq": 1, "head": head}
    return [zone(pages={"findings": list(findings), "pages": [page | members], "evidence": evidence})]


def of_page(kind: str, subject: str | None = "x", page: str | None = PAGE) -> Json:
    return {"kind": kind, "page": page, "subject": subject, "message": "x", "should_be": None}


def page_case(kind: str, subject: str | None = "x") -> Case:
    """Another page was read in place of the one with the finding."""
    return Case(pages(of_page(kind, subject)), pages(), pages(url="https://shop.example.com/pay"))


def with_result(**parts: Json) -> Json:
    made = zone(job())
    made["result"] |= parts
    return [made]


def rules(**members: Json) -> Json:
    return with_result(**{RULES: outcome() | {RULES: [], **members}})


def survey_rules(*blocked: Json, available: bool = True) -> Json:
    rule = {"description": "checkout", "value": "script-src 'self'", "action": "log"}
    seen = {"available": available, "reason": "no right", "blocked": list(blocked)}
    return [surveyed({RULES: {RULES: [rule | {"violations": seen}]}}, jobs=[job()])]


def monitor(*, enabled: bool) -> Json:
    return [surveyed({"script_monitor": {"script_monitor": {"enabled": enabled}}}, jobs=[job()])]


def unread_part(name: str, read: Json) -> Case:
    """A survey that could not read a part, one that could, and one that did not ask."""
    return Case([surveyed({name: DENIED}, jobs=[job()])], [surveyed({name: read}, jobs=[job()])], [surveyed({}, jobs=[job()])])


def coverage(**members: Json) -> Json:
    return [zone(job(), coverage={"unselected": [], "unconfigured": [], "sentences": ["x"], **members})]


def delivered(**members: Json) -> Json:
    return [
        zone(
            job(),
            delivery=[{"job_id": 1, "uploads": 1, "dropped_records": 0, "failed_uploads": 0, "statuses": {"200": 1}, **members}],
        )
    ]


def notified(*policies: Json) -> Json:
    return {
        "notification_policies": list(policies),
        "webhooks": [],
        "silences": [],
        "available_alerts": {LOST: ""},
    }


MAIL = {"email": ["ops@example.com"], "webhooks": [], "pagerduty": []}
POLICY = {"id": "p", "name": "watch", "enabled": True, "alert_type": LOST, "mechanisms": MAIL, "filters": {}}
SELECTING = {"output_options": {"field_names": ["RayID", "Gone"]}}
FIELDS = {"http_requests": {"fields": {"RayID": ""}}}
FIELDS_NOW = {"http_requests": {"fields": {"RayID": "", "Gone": ""}}}
COST = {"month": "2026-11", "internal": {"gb": 0.0}, "external": {"gb": 437.0}, "estimated": False}
OLD = "2026-10-22T05:00:00Z"
HEALTH_HIDDEN = job(health={"state": "unknown", "message": "the service does not show it"})
FAILS = job(state="failing", error_message="403")
DISABLED = job(state="disabled", enabled=False, error_message="403")
UNHASHED = finding("unverified", message="no hash")
SCRIPT_OF_ENTRY = {"script_url": URL, "host": "shop.example.com", "entry": "one"}
HIDDEN = {"script": {"script_url": None}}
NOTHING_SEEN = [zone(scripts=audit(about_audit("nothing_seen")))]
UNAUDITED_CHAIN = {"evidence": {"seq": None, "head": None}}

CASES: dict[tuple[str, str], Case] = {
    **{
        (part, "difference"): Case(
            with_result(**{part: outcome(*sides)}), with_result(**{part: outcome()}), [surveyed({}, jobs=[job()])]
        )
        for part, sides in {
            "custom_fields": ({"request_fields": []}, {"request_fields": ["x"]}),
            "jobs": ({"edge": {"enabled": False}}, {"edge": {"enabled": True}}),
            "script_monitor": ({"enabled": False}, {"enabled": True}),
            RULES: ({"checkout": {"action": "log"}}, {"checkout": {"action": "allow"}}),
        }.items()
    },
    ("health", "job_failing"): of_jobs(FAILS, job(), HEALTH_HIDDEN),
    ("health", "job_disabled_by_service"): of_jobs(DISABLED, job(), HEALTH_HIDDEN),
    ("health", "job_silent"): of_jobs(job(state="stale", last_complete=OLD), job(), HEALTH_HIDDEN),
    ("health", "job_never"): of_jobs(job(state="never", last_complete=None), job(), HEALTH_HIDDEN),
    ("health", "job_stale"): of_jobs(job(state="stale"), job(), HEALTH_HIDDEN),
    ("coverage", "fields_not_selected"): Case(
        coverage(unselected=[{"kind": "request_fields", "names": ["x"], "field": "RequestHeaders"}]), coverage(), [zone(job())]
    ),
    ("coverage", "field_stays_empty"): Case(
        coverage(unconfigured=[{"job_id": 1, "job_name": "edge", "field": "Cookies"}]), coverage(), [zone(job())]
    ),
    ("delivery", "records_dropped"): Case(
        delivered(dropped_records=5), delivered(), delivered(dropped_records=None, failed_uploads=1)
    ),
    ("delivery", "no_upload"): Case(delivered(uploads=0, statuses={}), delivered(), delivered(uploads=None)),
    ("delivery", "losses_unknown"): Case(delivered(dropped_records=None, failed_uploads=1), delivered(), [zone(job())]),
    ("delivery", "over_budget"): Case(
        [account(cost=COST)], [account(cost=COST)], [account()], {"monthly_budget_usd": 1}, {"monthly_budget_usd": None}
    ),
    (RULES, "enforcement_refused"): Case(
        with_result(**{RULES: outcome(), "refusals": [{"rule": "checkout", "source": "https://x.example"}]}),
        rules(),
        [without_jobs()],
    ),
    (RULES, "unlisted_rule"): Case(
        rules(unlisted_rules=[{"description": "other", "action": "log", "enabled": True}]), rules(), [without_jobs()]
    ),
    (RULES, "violations"): Case(
        survey_rules({"directive": "script-src", "source": "https://x.example", "count": 2}), survey_rules(), rules()
    ),
    ("scripts", "malicious"): Case(scripts(finding("malicious")), scripts(), scripts(shown=False)),
    ("scripts", "reported"): Case(scripts(finding("reported")), scripts(), scripts(shown=False)),
    ("scripts", "new"): Case(scripts(finding("new")), scripts(entry="one"), scripts(script={"script_url": None})),
    ("scripts", "changed"): Case(scripts(finding("changed")), scripts(entry="one"), scripts(UNHASHED, entry="one")),
    ("scripts", "unverified"): Case(scripts(UNHASHED), scripts(entry="one"), scripts(finding("new"))),
    ("scripts", "expired"): Case(scripts(of_entry("expired")), scripts(), [zone()]),
    ("scripts", "unjustified"): Case(scripts(of_entry("unjustified")), scripts(), [zone()]),
    ("scripts", "gone"): Case(scripts(of_entry("gone")), scripts(), NOTHING_SEEN),
    ("scripts", "unused"): Case(scripts(of_entry("unused")), scripts(), NOTHING_SEEN),
    ("scripts", "monitor_off"): Case(scripts(about_audit("monitor_off")), scripts(), [zone()]),
    ("scripts", "nothing_seen"): Case(NOTHING_SEEN, scripts(), scripts(about_audit("monitor_off"))),
    ("scripts", "history_broken"): Case(scripts(about_audit("history_broken")), scripts(), scripts(**UNAUDITED_CHAIN)),
    ("scripts", "evidence_gap"): Case(scripts(about_audit("evidence_gap")), scripts(), scripts(**UNAUDITED_CHAIN)),
    **{("pages", name): page_case(name) for name, its in TYPES.items() if its.resource == "pages"},
    **{("pages", name): page_case(name) for name in ("expired", "unjustified", "gone")},
    ("pages", "header_changed"): Case(
        pages(of_page("header_changed", "x-frame-options")), pages(), pages(headers={"refresh": None})
    ),
    ("pages", "unused"): Case(pages(of_page("unused", "shop", None)), pages(), [zone()]),
    ("pages", "history_broken"): Case(pages(of_page("history_broken", None, None)), pages(), pages(head=None)),
    ("pages", "evidence_gap"): Case(pages(of_page("evidence_gap", None, None)), pages(), pages(head=None)),
    ("jobs", "unlisted_job"): Case(
        with_result(jobs=outcome() | {"jobs": [], "unlisted_jobs": [{"id": 1, "name": "edge"}]}),
        with_result(jobs=outcome() | {"jobs": [job()], "unlisted_jobs": []}),
        with_result(jobs=outcome() | {"jobs": [], "unlisted_jobs": []}),
    ),
    ("jobs", "region_gap"): Case(
        [zone(job(dataset="nel_reports")), account(boundary={"regions": ["eu"]})],
        [zone(job(dataset="nel_reports")), account(boundary={"regions": ["us"]})],
        [zone(job(dataset="nel_reports")), account(boundary=DENIED)],
    ),
    ("jobs", "no_job"): Case([surveyed(jobs=[])], [surveyed(jobs=[job()])], [zone(job())]),
    ("fields", "field_removed"): Case(
        [zone(job(**SELECTING), fields=FIELDS)],
        [zone(job(**SELECTING), fields=FIELDS_NOW)],
        [zone(job(**SELECTING), fields={"http_requests": DENIED})],
    ),
    ("fields", "missing_field"): Case(
        [zone(job())],
        [zone(job(logpull_options="fields=ClientIP,RayID,X"))],
        [zone(job())],
        {"required_fields": {"http_requests": ["X"]}},
        {"required_fields": {"http_requests": ["RayID"]}},
    ),
    ("script_monitor", "monitor_off"): Case(monitor(enabled=False), monitor(enabled=True), [zone(job())]),
    ("notifications", "no_alert"): Case(
        [zone(job()), account(notifications=notified())],
        [zone(job()), account(notifications=notified(POLICY))],
        [without_jobs(), account(notifications=notified())],
    ),
    ("custom_fields", "not_readable"): unread_part("custom_fields", {"custom_fields": {}}),
    ("script_monitor", "not_readable"): unread_part("script_monitor", {"script_monitor": {"enabled": True}}),
    ("jobs", "not_readable"): Case(
        [surveyed(DENIED, jobs=[job()])], [surveyed({}, jobs=[job()])], [surveyed({}, scripts={"scripts": []})]
    ),
    (RULES, "not_readable"): Case(survey_rules(available=False), survey_rules(), [surveyed({}, jobs=[job()])]),
    ("scripts", "not_readable"): Case(
        [surveyed({}, jobs=[job()], scripts=DENIED)],
        [surveyed({}, jobs=[job()], scripts={"scripts": []})],
        [surveyed({}, jobs=[job()])],
    ),
    ("health", "not_readable"): Case([zone(HEALTH_HIDDEN)], [zone(job())], [without_jobs()]),
    ("coverage", "not_readable"): Case([zone(job(), coverage=DENIED)], coverage(), [without_jobs()]),
    ("delivery", "not_readable"): Case([zone(job(), delivery=DENIED)], delivered(), [zone(job())]),
    ("fields", "not_readable"): Case(
        [zone(job(), fields={"http_requests": DENIED})], [zone(job(), fields=FIELDS)], [zone(job())]
    ),
    ("notifications", "not_readable"): Case(
        [zone(job()), account(notifications=DENIED)],
        [zone(job()), account(notifications=notified(POLICY))],
        [zone(job()), account()],
    ),
    ("pages", "not_readable"): Case(
        [surveyed({}, jobs=[job()], pages=DENIED)],
        [surveyed({}, jobs=[job()], pages={"findings": [], "pages": []})],
        [surveyed({}, jobs=[job()])],
    ),
}


def test_each_type_has_an_observation_and_a_pair():
    assert {name for _resource, name in OBSERVATIONS} == {"difference", *TYPES} - {*OF_WAIVERS}
    assert CASES.keys() == OBSERVATIONS.keys()


def found_ids(made: Json, resource: str, name: str) -> list[str]:
    return [item["id"] for item in items(made) if (item["resource"], item["type"]) == (resource, name) and not item["carried"]]


@pytest.mark.parametrize(("resource", "name"), CASES)
def test_missing_item_is_resolved_only_where_it_was_judged(resource, name):
    case = CASES[resource, name]
    before = report(*case.found, **case.options)
    ids = found_ids(before, resource, name)
    assert ids
    options = dict(case.options) | ({"monthly_budget_usd": 1e6} if name == "over_budget" else {})
    well = report(*case.well, previous=before, at=LATER, **options)
    assert set(ids) <= set(well["comparison"]["resolved"])
    options = dict(case.options if case.unread_options is None else case.unread_options)
    unread = report(*case.unread, previous=before, at=LATER, **options)
    assert set(ids) <= set(unread["comparison"]["unknown"])
    carried = [item for item in items(unread) if item["id"] in ids]
    assert [(item["carried"], item["first_seen"]) for item in carried] == [(True, AT)] * len(ids)
    # The next run knows it, and since when.
    again = report(*case.found, previous=unread, at=LATER, **case.options)
    assert [item["first_seen"] for item in items(again) if item["id"] in ids] == [AT] * len(ids)


def became(found: Json, now: Json, name: str, **options: Json) -> str:
    """Return what became of the only item of a type."""
    before = report(*found)
    (item,) = [item for item in items(before) if item["type"] == name]
    made = report(*now, previous=before, at=LATER, **options)
    (word,) = [word for word, ids in made["comparison"].items() if word != "previous_id" and item["id"] in ids]
    return word


@pytest.mark.parametrize("name", ["job_failing", "field_removed", "region_gap"])
def test_problem_of_a_job_that_is_gone_is_resolved(name):
    """What else could not be read says nothing about a job that does not exist any more."""
    before = [
        zone({**FAILS, **SELECTING, "dataset": "nel_reports"}, fields={"nel_reports": {"fields": {"RayID": ""}}}),
        account(boundary={"regions": ["eu"]}),
    ]
    assert became(before, [zone(job("other", id=2))], name) == "resolved"


@pytest.mark.parametrize(("name", "word"), [("region_gap", "unknown"), ("missing_field", "unknown"), ("no_alert", "unknown")])
def test_zone_whose_declaration_is_lost_resolves_nothing_that_was_not_read(name, word):
    options = {"required_fields": {"nel_reports": ["X"]}}
    shared = account(boundary={"regions": ["eu"]}, notifications=notified())
    before = report(zone(job(dataset="nel_reports")), shared, **options)
    made = report(without_jobs(), shared, previous=before, at=LATER, **options)
    ids = {item["id"] for item in items(before) if item["type"] == name}
    assert ids and ids <= set(made["comparison"][word])
    assert row(made, "a")["status"] == "unmanaged"


@pytest.mark.parametrize(
    ("shown", "word"),
    [
        ({"logpull_options": None, "output_options": None}, "unknown"),
        ({"output_options": {"field_names": ["RayID"]}}, "resolved"),
    ],
)
def test_job_that_shows_no_fields_has_not_lost_its_removed_one(shown, word):
    before, now = (zone(job(**members), fields=FIELDS) for members in (SELECTING, shown))
    assert became([before], [now], "field_removed") == word


@pytest.mark.parametrize(
    ("listed", "word"),
    [
        ([], "resolved"),
        ([{"script_url": None, "host": "shop.example.com"}], "unknown"),
        ([{"script_url": None, "host": "blog.example.com"}], "resolved"),
        ([{"script_url": URL, "host": None}], "unknown"),
        ([{"script_url": "https://other.example/b.js", "host": None}], "resolved"),
        ([{"script_url": URL + "#x", "host": "SHOP.example.com", "malicious": None}], "unknown"),
    ],
)
def test_script_that_is_not_listed_is_gone_unless_one_is_hidden(listed, word):
    inventory = [{"script": {"malicious": False, **script}, "entry": None, "findings": []} for script in listed]
    assert became(scripts(finding("malicious")), [zone(scripts=audit(inventory=inventory))], "malicious") == word


def test_script_that_is_still_malicious_is_not_resolved_by_another_entry():
    """A survey has no baseline, so that it names no entry."""
    found = finding("malicious", message="the script is malicious") | {"entry": "one"}
    before = report(*scripts(found, entry="one"))
    script = {"script_url": URL, "host": "shop.example.com", "malicious": True}
    made = report(surveyed({}, jobs=[job()], scripts={"scripts": [script]}), previous=before, at=LATER)
    (item,) = [item for item in items(made) if item["type"] == "malicious"]
    assert (item["first_seen"], json.loads(item["subject"])[2]) == (AT, None)
    assert item["id"] in made["comparison"]["persisting"] and made["comparison"]["resolved"] == []


def test_survey_lists_no_infrequent_scripts():
    """What an audit found is not gone because a survey does not list it, nor because the next one does not; what a survey found is."""
    other = {"script_url": "https://cdn.example.net/b.js", "host": "shop.example.com", "malicious": False}
    survey = surveyed({}, jobs=[job()], scripts={"scripts": [other]})
    of_audit = report(*scripts(finding("malicious")))
    (found,) = items(of_audit)
    made = report(survey, previous=of_audit, at=LATER)
    again = report(survey, previous=made, at=LATER)
    assert made["comparison"]["unknown"] == again["comparison"]["unknown"] == [found["id"]]
    assert report(*scripts(), previous=again, at=LATER)["comparison"]["resolved"] == [found["id"]]
    bad = {"script_url": URL, "host": "shop.example.com", "malicious": True}
    assert became([surveyed({}, jobs=[job()], scripts={"scripts": [bad]})], [survey], "malicious") == "resolved"


@pytest.mark.parametrize(
    ("before", "now", "word"),
    [
        ({}, {}, "resolved"),
        ({}, {"source": "har", "recorded_at": "2026-11-20T06:00:00Z"}, "unknown"),
        ({}, {"source": "har", "recorded_at": "2026-11-22T18:00:00Z"}, "resolved"),
        (
            {"source": "har", "recorded_at": "2026-11-20T06:00:00Z"},
            {"source": "har", "recorded_at": "2026-11-21T06:00:00Z"},
            "resolved",
        ),
        # A recording shows what code of the page loads, a fetch does not.
        ({"source": "har", "recorded_at": "2026-11-20T06:00:00Z"}, {}, "unknown"),
        ({}, {"final_url": "https://shop.example.com/cart"}, "unknown"),
        ({"final_url": PAGE + "/en?sid=1"}, {"final_url": PAGE + "/en?sid=2"}, "resolved"),
        ({"final_url": PAGE + "/en"}, {"final_url": PAGE}, "resolved"),
        ({}, {"final_url": None}, "unknown"),
    ],
)
def test_page_is_judged_by_a_later_look_at_the_same_page(before, now, word):
    found, well = pages(of_page("script_new"), **before), pages(**now)
    assert became(found, well, "script_new") == word
    first = report(*found)
    second = report(*well, previous=first, at=LATER)
    third = report(*well, previous=second, at=LATER)
    ids = [item["id"] for item in items(first)]
    assert third["comparison"]["unknown"] == (ids if word == "unknown" else []), "what a page was compared with is kept"
    said = [gap["part"] for gap in third["not_audited"] if "earlier report" in gap["reason"]]
    assert said == (["pages"] if word == "unknown" else [])


def test_row_of_a_report_without_observations_resolves_nothing():
    before = report(zone(FAILS))
    part = report(zone(job()), at=LATER)
    part["zones"][0].pop("judged")
    assert report(slices=[part], previous=before, at=LATER)["comparison"]["resolved"] == []
    part = report(zone(job()), at=LATER)
    assert len(report(slices=[part], previous=before, at=LATER)["comparison"]["resolved"]) == 1


@pytest.mark.parametrize(
    ("seen", "word"),
    [
        ({"available": True, "blocked": []}, "resolved"),
        ({"available": False, "reason": "no right"}, "unknown"),
        ({"available": True, "blocked": [], "shortened": {"hours": 1, "requested": 24}}, "unknown"),
        (None, "unknown"),
    ],
)
def test_violations_are_resolved_only_where_the_rule_shows_them_all(seen, word):
    now = survey_rules()
    now[0]["result"][RULES][RULES][0]["violations"] = seen
    assert became(survey_rules({"directive": "script-src", "source": "https://x.example"}), now, "violations") == word


def test_rule_that_is_still_there_is_not_resolved_by_its_other_label():
    """Of two rules of one description, which have their ids in their labels, one is deleted."""
    two = [{"id": number, "description": "d", "action": "log", "enabled": True} for number in ("r1", "r2")]
    before = report(*rules(unlisted_rules=two))
    ids = {item["subject"]: item["id"] for item in items(before)}
    made = report(*rules(unlisted_rules=two[1:]), previous=before, at=LATER)
    assert made["comparison"]["resolved"] == [ids["d (id r1)"]] and made["comparison"]["unknown"] == [ids["d (id r2)"]]
    again = report(*rules(unlisted_rules=two), previous=made, at=LATER)
    assert "d" in [item["subject"] for item in items(again) if item["carried"]]


def test_alert_about_jobs_is_not_judged_without_a_job_in_the_run():
    """The jobs may be those of zones outside the run."""
    before = [zone(job()), account(notifications=notified())]
    assert became(before, [zone(), account(notifications=notified())], "no_alert") == "unknown"


EXPIRED = {**WAIVER, "resource": "health", "until": "2026-01-01"}


@pytest.mark.parametrize(
    ("now", "waivers", "word"),
    [
        (zone(job()), [EXPIRED], "resolved"),
        (zone(FAILS), [], "resolved"),
        (zone(FAILS), [{**EXPIRED, "until": "2026-12-31"}], "resolved"),
        (without_jobs(), [EXPIRED], "unknown"),
        (zone(FAILS), [EXPIRED], "persisting"),
    ],
)
def test_expired_waiver_is_resolved_with_the_waiver_or_with_what_it_covered(now, waivers, word):
    before = report(zone(FAILS), waivers=[EXPIRED])
    (item,) = [item for item in items(before) if item["type"] == "expired_waiver"]
    assert item["id"] in report(now, previous=before, at=LATER, waivers=waivers)["comparison"][word]


@pytest.mark.parametrize(
    ("now", "waivers", "word"),
    [
        (zone(FAILS), [{**WAIVER, "resource": "health"}], "resolved"),
        (zone(job()), [], "resolved"),
        (without_jobs(), [{**WAIVER, "resource": "health"}], "unknown"),
    ],
)
def test_unmatched_waiver_is_resolved_with_the_waiver_or_by_a_match(now, waivers, word):
    before = report(zone(job()), waivers=[{**WAIVER, "resource": "health"}])
    (item,) = [item for item in items(before) if item["type"] == "unmatched_waiver"]
    assert item["id"] in report(now, previous=before, at=LATER, waivers=waivers)["comparison"][word]


# The same job under another name, and the same zone under another spelling of its id.


def silent_ids(made: Json) -> list[tuple[str, str]]:
    return [(item["subject"], item["first_seen"]) for item in items(made) if item["type"] == "job_silent"]


NEVER = {"state": "never", "last_complete": None}


@pytest.mark.parametrize(
    "now",
    [
        {**zone(job(**NEVER)), "zone_id": zone_id("a").upper()},
        zone(job("renamed", **NEVER)),
        zone(job(**NEVER), job("second", id=2)),
    ],
    ids=["id in capitals", "renamed", "beside another"],
)
def test_clock_of_a_silent_job_goes_on(now):
    before = report(zone(job(**NEVER)))
    made = report(now, previous=before, at="2026-11-30T06:00:00Z")
    assert [subject for subject, _since in silent_ids(made)]
    (note,) = [item for item in items(made) if item["type"] == "job_never"]
    assert note["first_seen"] == AT and note["id"] in made["comparison"]["persisting"]
    assert made["comparison"]["resolved"] == made["comparison"]["unknown"] == []


def test_job_that_delivered_once_never_did_not():
    """The service shows its last delivery no more: since when it is silent is known all the same, in each later report."""
    made = report(zone(job(state="stale", last_complete=OLD)))
    since = silent_ids(made)
    for _further in range(2):
        made = report(zone(job(**NEVER)), previous=made, at=LATER)
        assert silent_ids(made) == since == [("edge", AT)]
        assert not [item for item in items(made) if item["type"] == "job_never"]
        assert row(made, "a")["jobs"][0]["last_complete"] == OLD
    (note,) = [item for item in items(made) if item["type"] == "not_readable"]
    assert OLD in note["message"]


def test_label_that_another_job_takes_over_takes_over_no_date():
    """Of two jobs of one name the first is deleted, and the second has its label."""
    first, second = {**FAILS, "id": 1, "name": "n"}, {**FAILS, "id": 2, "name": "n"}
    old = report(zone(first))
    before = report(zone(first, second), previous=old, at=LATER)
    labels = {item["subject"]: item["id"] for item in items(before)}
    assert labels.keys() == {"n", "n/http_requests/2"}
    made = report(zone(second), previous=before, at="2026-11-24T06:00:00Z")
    assert [(item["subject"], item["first_seen"]) for item in items(made)] == [("n", LATER)]
    assert made["comparison"]["persisting"] == [labels["n"]] and made["comparison"]["resolved"] == []
    well = report(zone({**job("n"), "id": 2}), previous=before, at="2026-11-24T06:00:00Z")
    assert well["comparison"]["resolved"] == sorted(labels.values())
    unread = report(zone({**HEALTH_HIDDEN, "id": 2, "name": "n"}), previous=before, at="2026-11-24T06:00:00Z")
    assert [(item["subject"], item["first_seen"]) for item in items(unread) if item["carried"]] == [("n", LATER)]


def test_renamed_job_keeps_its_date_and_resolves_under_its_old_id():
    before = report(zone(FAILS))
    (item,) = items(before)
    renamed = report(zone({**FAILS, "name": "other"}), previous=before, at=LATER)
    assert [(made["subject"], made["first_seen"]) for made in items(renamed)] == [("other", AT)]
    assert renamed["comparison"]["resolved"] == renamed["comparison"]["new"] == []
    well = report(zone(job("other")), previous=before, at=LATER)
    assert well["comparison"]["resolved"] == [item["id"]]
    hidden = report(zone({**HEALTH_HIDDEN, "name": "other"}), previous=before, at=LATER)
    assert [made["subject"] for made in items(hidden) if made["carried"]] == ["other"]


def test_subject_that_is_no_json_is_never_judged():
    before = report(*scripts(finding("malicious")))
    before["zones"][0]["items"][0]["subject"] = json.dumps([1])
    assert report(*scripts(), previous=before, at=LATER)["comparison"]["resolved"] == []
