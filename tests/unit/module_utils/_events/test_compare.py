# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._baseline.entries import Baseline, parse_baseline
from ansible_collections.edgeops.observability.plugins.module_utils._core import PERMISSION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._events.compare import (
    Rules,
    Seen,
    compare,
    compare_rules,
    subject_of,
)
from ansible_collections.edgeops.observability.plugins.module_utils._events.facts import KINDS, Change, Target, make_event
from ansible_collections.edgeops.observability.plugins.module_utils._events.observe import see_jobs
from ansible_collections.edgeops.observability.plugins.module_utils._events.state import Job, Known, Rule, Script
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import read_job

ZONE = Target("5a1e")
LOUD = Rules(silent=False, baseline=Baseline(()), today="2026-11-20")
SILENT = LOUD._replace(silent=True)
A, B = ("https://cdn.example/a.js", "shop.example"), ("https://cdn.example/b.js", "shop.example")
CLEAN = Script(("h1",), False, ())
FILTER = '{"where":{"and":[{"key":"A","operator":"eq","value":1},{"key":"B","operator":"eq","value":2}]}}'
SAME_FILTER = '{"where":{"and":[{"key":"B","operator":"eq","value":2},{"key":"A","operator":"eq","value":1.0}]}}'
REFUSED = Failure(PERMISSION, "reading is not allowed")


def job(health: str = "healthy", destination: str = "d1", **members: t.Any) -> Job:
    return Job({"id": 1, "name": "logs", "dataset": "http_requests", "enabled": True, **members}, destination, health)


def seen_jobs(*jobs: Job) -> dict[int, Job]:
    return {job.members["id"]: job._replace(details={"state": job.health, "since": None}) for job in jobs}


def kinds(changes: list[Change]) -> list[str]:
    assert {change.kind for change in changes} <= set(KINDS)
    return [change.kind for change in changes]


@pytest.mark.parametrize(
    "hidden",
    [
        {(A[0], ""): CLEAN, (B[0], ""): CLEAN},
        {("0a" * 16, A[1]): CLEAN, ("0b" * 16, A[1]): CLEAN},
        {("0a" * 16, ""): CLEAN, B: CLEAN},
    ],
)
def test_scripts_without_url_or_host_are_not_compared(hidden: t.Any) -> None:
    """A listing that shows less than the last one says nothing about what is gone, and what changed is told when it shows all again."""
    known = Known(scripts={A: CLEAN, B: CLEAN})
    now, changes = compare(known, Seen(hidden), ZONE, SILENT)
    assert kinds(changes) == ["zone_unreadable"] and now.scripts == known.scripts
    _now, changes = compare(now, Seen({A: CLEAN._replace(hashes=("h2",)), B: CLEAN}), ZONE, SILENT)
    assert kinds(changes) == ["zone_readable", "script_changed"]


def test_plan_that_never_showed_hosts_is_watched() -> None:
    known = Known(scripts={(A[0], ""): CLEAN, (B[0], ""): CLEAN})
    _now, changes = compare(known, Seen({(A[0], ""): CLEAN, ("https://cdn.example/c.js", ""): CLEAN}), ZONE, SILENT)
    assert kinds(changes) == ["script_new", "script_gone"]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, CLEAN, ["script_new"]),
        (None, CLEAN._replace(malicious=True), ["script_new", "script_malicious"]),
        (CLEAN, CLEAN, []),
        (CLEAN, CLEAN._replace(malicious=True), ["script_malicious"]),
        (CLEAN._replace(malicious=True), CLEAN, []),
        (CLEAN._replace(reported=("a",)), CLEAN._replace(reported=("a", "b")), ["script_reported"]),
        (CLEAN._replace(reported=("a", "b")), CLEAN._replace(reported=("a",)), []),
        (CLEAN, CLEAN._replace(hashes=("h2", "h1")), ["script_changed"]),
        (CLEAN._replace(hashes=("h2", "h1")), CLEAN, []),
        (CLEAN._replace(hashes=()), CLEAN, []),
        (CLEAN, None, ["script_gone"]),
    ],
)
def test_change_of_a_script_is_an_event(before: Script | None, after: Script | None, expected: list[str]) -> None:
    known = Known(scripts={A: before} if before else {})
    _now, changes = compare(known, Seen({A: after} if after else {}), ZONE, SILENT)
    assert kinds(changes) == expected
    assert all(change.subject == '["https://cdn.example/a.js","shop.example"]' for change in changes)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([True, None, True], []),
        ([True, None, False, True], ["script_malicious"]),
        ([None, None, True, None, True], ["script_malicious"]),
    ],
)
def test_missing_score_or_hash_keeps_the_known_one(verdicts: list[bool | None], expected: list[str]) -> None:
    """If the service omits a score or hash for some time, there is no second event, and no change is missed."""
    known, events = Known(scripts={A: CLEAN._replace(malicious=verdicts[0])}), []
    for verdict in verdicts[1:]:
        known, changes = compare(known, Seen({A: Script((), verdict, ())}), ZONE, SILENT)
        events += kinds(changes)
    assert events == expected
    (change,) = compare(known, Seen({A: CLEAN._replace(hashes=("h2",), malicious=None)}), ZONE, SILENT)[1]
    assert (change.kind, change.before["hash"], change.after["hash"]) == ("script_changed", "h1", "h2")


ENTRY = {"name": "a", "url": A[0], "owner": "payments", "justification": "checkout", "authorised_by": "j.doe"}


def authorising(*entries: dict[str, t.Any]) -> Rules:
    return SILENT._replace(baseline=Baseline(parse_baseline(list(entries))))


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([ENTRY], []),
        ([{**ENTRY, "review_by": "2026-11-20"}], []),
        ([{**ENTRY, "review_by": "2026-11-19"}], ["script_new"]),
        ([{**ENTRY, "authorised_on": "2026-11-21"}], ["script_new"]),
        *([([{**ENTRY, member: None}], ["script_new"]) for member in ("owner", "justification", "authorised_by")]),
        # Which of two equal ones applies is not known.
        ([{**ENTRY, "url": "https://cdn.example/*"}, {**ENTRY, "name": "b", "url": "https://cdn.example/*.js"}], []),
        (
            [{**ENTRY, "url": "https://cdn.example/*"}, {**ENTRY, "name": "b", "url": "https://cdn.example/*.js", "owner": ""}],
            ["script_new"],
        ),
        # The more exact one takes precedence, although it authorises nothing.
        ([{**ENTRY, "url": "https://cdn.example/*"}, {**ENTRY, "name": "b", "owner": ""}], ["script_new"]),
    ],
)
def test_entry_that_authorises_nothing_does_not_hide_a_new_script(entries: list[dict[str, t.Any]], expected: list[str]) -> None:
    _known, changes = compare(Known(scripts={}), Seen({A: CLEAN}), ZONE, authorising(*entries))
    assert kinds(changes) == expected


def test_covered_script_is_watched_but_not_new() -> None:
    rules = authorising({**ENTRY, "url": A[0]})
    bad = CLEAN._replace(malicious=True)
    known, changes = compare(Known(scripts={}), Seen({A: bad, B: CLEAN}), ZONE, rules)
    assert [(change.kind, change.subject) for change in changes] == [
        ("script_malicious", subject_of(A)),
        ("script_new", subject_of(B)),
    ]
    _known, changes = compare(known, Seen({A: bad._replace(hashes=("h2",)), B: CLEAN}), ZONE, rules)
    assert kinds(changes) == ["script_changed"]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, job(), ["job_created"]),
        (None, job("failing"), ["job_created", "job_failing"]),
        (job(), job(), []),
        (job(), job(name="other"), ["job_changed"]),
        (job(), job("off", enabled=False), ["job_changed"]),
        (job(), job("disabled", enabled=False), ["job_disabled"]),
        (job(), job("disabled", enabled=False, filter="{}"), ["job_changed", "job_disabled"]),
        (job(), job("failing"), ["job_failing"]),
        (job("failing"), job("stale"), ["job_stale"]),
        (job("failing"), job(), ["job_recovered"]),
        (job("disabled", enabled=False), job(), ["job_changed", "job_recovered"]),
        (job("never"), job(), []),
        (job("failing"), job("never"), []),
        (job(logpull_options="fields=A,B&timestamps=rfc3339"), job(logpull_options="timestamps=rfc3339&fields=B%2CA"), []),
        (job(logpull_options="fields=A,B"), job(logpull_options="fields=A"), ["job_changed"]),
        (job(filter=FILTER), job(filter=SAME_FILTER), []),
        (job(filter=FILTER), job(filter=None), ["job_changed"]),
        (job(), None, ["job_deleted"]),
    ],
)
def test_change_of_a_job_is_an_event(before: Job | None, after: Job | None, expected: list[str]) -> None:
    known = Known(jobs={1: before} if before else {})
    _now, changes = compare(known, Seen(jobs=seen_jobs(*[after] if after else [])), ZONE, SILENT)
    assert kinds(changes) == expected
    assert {change.subject for change in changes} <= {"logs", "other"}


@pytest.mark.parametrize("trouble", ["failing", "stale", "disabled"])
@pytest.mark.parametrize("between", ["never", "unknown"])
def test_trouble_ends_with_a_delivery_only(trouble: str, between: str) -> None:
    """A poll that shows no last delivery does not hide that the job recovers, and the same trouble is told once."""
    known, events = Known(jobs={1: job(trouble)}), []
    for health in (between, trouble, between, "healthy", between, "healthy"):
        known, changes = compare(known, Seen(jobs=seen_jobs(job(health))), ZONE, SILENT)
        events += kinds(changes)
    assert events == ["job_recovered"]


SENT = {"id": 1, "dataset": "http_requests", "enabled": True, "destination_conf": "s3://bucket/logs?region=r"}


@pytest.mark.parametrize(
    ("sent", "place"),
    [
        ({**SENT, "enabled": None}, "jobs[1].enabled (job 1) is null"),
        ({name: value for name, value in SENT.items() if name != "enabled"}, "jobs[1].enabled (job 1) is missing"),
        ({**SENT, "enabled": "false"}, "enabled"),
        ({**SENT, "dataset": None}, "jobs[1].dataset (job 1) is null"),
        ({**SENT, "destination_conf": None}, "jobs[1].destination_conf (job 1) is null"),
        ({**SENT, "filter": 7}, "filter"),
        ({**SENT, "output_options": {"field_names": "ClientIP"}}, "output_options.field_names"),
    ],
)
def test_job_that_cannot_be_told_makes_the_jobs_unreadable(sent: t.Any, place: str) -> None:
    jobs = [read_job({**SENT, "id": 2}), read_job(sent)]
    with pytest.raises(Failure) as caught:
        see_jobs(jobs, 3600, 0, ())
    assert caught.value.kind == "bad_response" and place in str(caught.value)


def test_each_change_of_a_secret_is_an_event() -> None:
    """Both changes look the same because the secret is masked, but have different ids. Without a new state, the last state is kept."""
    ids, known = [], Known(jobs={1: job("failing")})
    for destination in ("d2", "d3"):
        known, (change,) = compare(known, Seen(jobs=seen_jobs(job("unknown", destination))), ZONE, SILENT)
        assert (change.before["destination_secret"], change.after["destination_secret"]) == ("********", "******** (changed)")
        assert destination not in str((change.before, change.after))
        ids.append((change.after, make_event(change, ZONE, "now")["edgeops"]["id"]))
    assert ids[0][0] == ids[1][0] and ids[0][1] != ids[1][1]
    assert kinds(compare(known, Seen(jobs=seen_jobs(job(destination="d3"))), ZONE, SILENT)[1]) == ["job_recovered"]


def test_jobs_of_one_name_have_different_subjects() -> None:
    two = seen_jobs(job(), job(id=2), job(id=3, name=""))
    _known, changes = compare(Known(jobs={}), Seen(jobs=two), ZONE, SILENT)
    assert [change.subject for change in changes] == ["logs", "logs/http_requests/2", "/http_requests/3"]


@pytest.mark.parametrize(
    ("known", "seen", "expected"),
    [
        (Known(monitor=True), Seen(monitor=False), ["monitor_changed"]),
        (Known(monitor=True), Seen(monitor=True), []),
        (Known(), Seen(monitor=False, fields={"request_fields": ["a"]}), []),
        (Known(fields={"request_fields": []}), Seen(fields={"request_fields": ["a"]}), ["fields_changed"]),
        (Known(monitor=True, fields={}), Seen(), []),
    ],
)
def test_change_of_settings_is_an_event(known: Known, seen: Seen, expected: list[str]) -> None:
    assert kinds(compare(known, seen, ZONE, LOUD)[1]) == expected


def test_first_poll_is_silent_or_all_new() -> None:
    seen = Seen({A: CLEAN._replace(malicious=True)}, seen_jobs(job("failing")), False, {})
    silent, changes = compare(None, seen, ZONE, SILENT)
    assert changes == []
    loud, changes = compare(None, seen, ZONE, LOUD)
    assert kinds(changes) == ["script_new", "script_malicious", "job_created", "job_failing"]
    assert silent == loud
    assert compare(loud, seen, ZONE, LOUD) == (loud, [])


def test_unreadable_zone_is_one_event_each_way() -> None:
    known = Known(scripts={A: CLEAN}, jobs={1: job()})
    known, changes = compare(known, REFUSED, ZONE, SILENT)
    assert kinds(changes) == ["zone_unreadable"]
    assert changes[0].after == {"error": {"kind": "permission", "message": "reading is not allowed"}}
    known, changes = compare(known, REFUSED, ZONE, SILENT)
    assert changes == []
    known, changes = compare(known, Seen({A: CLEAN, B: CLEAN}, seen_jobs(job())), ZONE, SILENT)
    assert kinds(changes) == ["zone_readable", "script_new"]
    assert compare(None, REFUSED, ZONE, SILENT)[1][0].kind == "zone_unreadable"


def rule(value: str, *reported: str, whole: bool = True) -> dict[str, Rule]:
    members = {
        "id": "r1",
        "description": "checkout",
        "action": "log",
        "enabled": True,
        "value": value,
        "directives": {"x": [value]},
    }
    details = {("script-src", source): {"directive": "script-src", "source": source} for source in reported}
    return {"r1": Rule(members, frozenset(details) if whole else None, details)}


def test_spelling_of_a_policy_is_no_event() -> None:
    known = rule("script-src 'self' https://A.example")
    assert compare_rules(known, rule("Script-Src  https://a.example 'SELF'; "))[1] == []
    assert kinds(compare_rules(known, rule("script-src 'self'"))[1]) == ["rule_changed"]
    assert kinds(compare_rules(known, rule("script-src 'nonce-1'"))[1]) == ["rule_changed"]


def test_what_a_new_rule_reported_is_sent_as_soon_as_it_is_shown() -> None:
    """Of a rule that the last poll did not have everything is new, also where the first look at it does not show its reports."""
    value = "script-src 'self'"
    known, changes = compare_rules({}, rule(value, "https://a.example", whole=False))
    assert kinds(changes) == ["rule_changed", "rule_violated"]
    assert kinds(compare_rules(known, rule(value, "https://a.example", "https://b.example"))[1]) == ["rule_violated"]
    # What was never read before has not changed.
    known, _changes = compare_rules(None, rule(value, whole=False))
    assert compare_rules(known, rule(value, "https://a.example"))[1] == []


def test_reports_beside_one_that_cannot_be_told_are_sent_once() -> None:
    value = "script-src 'self'"
    known, changes = compare_rules(rule(value, "https://a.example"), rule(value, "https://b.example", whole=False))
    assert kinds(changes) == ["rule_violated"]
    assert compare_rules(known, rule(value, "https://a.example", "https://b.example"))[1] == []
    assert compare_rules(known, rule(value, whole=False))[1] == []
