# SPDX-License-Identifier: GPL-3.0-or-later

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
    record,
    report,
    row,
    unmanaged,
    zone_id,
)

from ansible_collections.edgeops.observability.plugins.plugin_utils._report.gates import refused
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.model import dated_ahead

LATEST = "2026-11-24T06:00:00Z"
OFF = ({"enabled": False}, {"enabled": True})


def ids(made, zone=None):
    return [item["id"] for item in items(made, zone)]


def rows(made):
    """Return zones with their statuses, in parentheses if the row is carried from another report."""
    return ", ".join(
        f"({zone['zone']} {zone['status']})" if zone["carried"] else f"{zone['zone']} {zone['status']}" for zone in made["zones"]
    )


def parts(made):
    return {name: item_ids for name, item_ids in made["comparison"].items() if item_ids and name != "previous_id"}


def test_new_persisting_and_resolved_problems():
    first = report(drifted("a"))
    assert parts(first) == {} and first["comparison"]["previous_id"] is None
    before = report(record("a", fields=({"request_fields": []}, {"request_fields": ["x"]}), monitor=OFF), drifted("b"))
    now = report(
        record("a", fields=({"request_fields": []}, {"request_fields": ["y"]}), monitor=OFF),
        record("b", scripts=audit(finding())),
        previous=before,
        at=LATER,
    )
    fields, monitor = ids(now, "a")
    assert parts(now) == {"new": ids(now, "b"), "resolved": ids(before, "b"), "changed": [fields], "persisting": [monitor]}
    assert now["comparison"]["previous_id"] == before["report_id"]
    assert [item["first_seen"] for item in items(now)] == [AT, AT, LATER]


def test_changed_hash_of_a_script():
    """A changed value does not make a new problem; the time of the last failure of a job is not compared at all."""

    def seen(value, time):
        health = {"state": "failing", "message": f"The last delivery failed at {time}"}
        return record("a", scripts=audit(finding("changed", message=f"1 hash seen: {value}"))) | {"jobs": [job(health=health)]}

    before = report(seen("aa", AT))
    same, other = report(seen("aa", LATER), previous=before), report(seen("bb", AT), previous=before)
    script, health = (next(item["id"] for item in items(before) if item["resource"] == name) for name in ("scripts", "health"))
    assert parts(same) == {"persisting": sorted([script, health])}
    assert parts(other) == {"changed": [script], "persisting": [health]}


@pytest.mark.parametrize("expected", [None, ["a"]])
@pytest.mark.parametrize("known", [{}, {"zone_id": None}])
def test_items_of_an_unaudited_zone_are_unknown(known, expected):
    before = report(drifted("a"))
    gap = report({**failed("a"), **known}, previous=before, at=LATER, expected=expected)
    assert parts(gap) == {"unknown": ids(before)}
    assert [item["carried"] for item in items(gap)] == [True]
    assert (row(gap, "a")["audited_at"], row(gap, "a")["zone_id"]) == (AT, zone_id("a"))
    assert (gap["counts"]["differences"], gap["outcome"]) == (0, "unaudited")
    after = report(drifted("a"), previous=gap, at=LATEST)
    assert (parts(after), items(after)[0]["first_seen"]) == ({"persisting": ids(before)}, AT)
    assert parts(report(record("a"), previous=gap, at=LATEST)) == {"resolved": ids(before)}


def test_zones_outside_the_run_are_carried():
    before = report(drifted("a"), drifted("b"), record("c"))
    gap = report(drifted("a"), previous=before, at=LATER, expected=["a"])
    assert parts(gap) == {"persisting": ids(before, "a"), "unknown": ids(before, "b")}
    assert rows(gap) == "a drifted, (b drifted), (c compliant)"
    assert [zone["audited_at"] for zone in gap["zones"]] == [LATER, AT, AT]
    assert (gap["counts"]["zones"], gap["counts"]["statuses"]["drifted"], gap["counts"]["differences"]) == (1, 1, 1)
    assert (gap["outcome"], gap["plan_id"]) == ("drifted", report(drifted("a"))["plan_id"])
    after = report(drifted("a"), drifted("b"), record("c"), previous=gap, at=LATEST)
    assert parts(after) == {"persisting": sorted(ids(before))}
    assert {item["first_seen"] for item in items(after)} == {AT}


def test_unread_resources_are_unknown():
    """After an audit without scripts and jobs, findings about them are unknown, not resolved."""
    read = {"scripts": audit(finding()), "jobs": [job(state="failing")]}
    before = report({**drifted("a"), **read})
    unread = record("a")
    unread["result"]["listed_jobs"] = None
    now = report(unread, previous=before, at=LATER)
    unknown = [item["id"] for item in items(before) if item["resource"] in ("scripts", "health")]
    assert (now["comparison"]["unknown"], len(now["comparison"]["resolved"])) == (sorted(unknown), 1)
    assert now["outcome"] == "compliant"
    after = report({**drifted("a"), **read}, previous=now, at=LATEST)
    assert {item["first_seen"] for item in items(after) if item["resource"] != "script_monitor"} == {AT}


@pytest.mark.parametrize(
    ("now", "became"),
    [
        ([{**drifted("new"), "zone_id": zone_id("a")}, record("b")], "persisting"),
        ([{**drifted("b"), "zone_id": zone_id("a")}, {**record("a"), "zone_id": zone_id("b")}], "persisting"),
        ([unmanaged("a"), record("b")], "resolved"),
    ],
    ids=["renamed", "names swapped", "no longer managed"],
)
def test_zone_is_identified_by_its_id(now, became):
    before = report(drifted("a"), record("b"))
    made = report(*now, previous=before, at=LATER)
    assert parts(made) == {became: ids(before)} and len(made["zones"]) == 2


def test_new_zone_with_an_old_name_resolves_nothing():
    """A deleted and re-created zone has another id; the findings of the old zone are not resolved."""
    before = report(drifted("a"), record("b"))
    made = report({**record("a"), "zone_id": "ff"}, {**record("b"), "zone_id": "fe"}, previous=before, at=LATER)
    assert parts(made) == {"unknown": ids(before)}
    assert rows(made) == "a compliant, (a drifted), b compliant"
    assert [zone["zone_id"] for zone in made["zones"]] == ["ff", zone_id("a"), "fe"]


def test_hosts_of_one_zone_have_separate_rows():
    before = report(drifted("a"), {**record("b"), "zone_id": zone_id("a")})
    made = report(drifted("a"), {**record("b"), "zone_id": zone_id("a")}, previous=before, slices=[before], at=LATER)
    assert rows(made) == "a drifted, b compliant"


def test_merged_slices():
    one, two = report(drifted("a"), record("c"), at=AT), report(drifted("b"), drifted("c"), at=LATER)
    kept = json.dumps(one)
    merged = report(slices=[one, two], at=LATEST, expected=["a"], waivers=[{**WAIVER, "zone": "x"}])
    assert rows(merged) == "a drifted, b drifted, c drifted"
    assert [zone["audited_at"] for zone in merged["zones"]] == [AT, LATER, LATER]
    assert merged["counts"]["differences"] == 3
    assert merged == report(slices=[two, one], at=LATEST, waivers=[{**WAIVER, "zone": "x"}])
    assert json.dumps(one) == kept, "slices are not changed"


def test_slices_do_not_hide_each_other():
    """If one slice carried the row of a zone and another audited the zone, the audited row is used, whatever its result."""
    before = report(drifted("a"), drifted("b"))
    one = report(drifted("a"), previous=before, at=LATER, expected=["a"])
    two = report(failed("b"), previous=before, at=LATER, expected=["b"])
    merged = report(slices=[one, two], previous=before, at=LATER)
    assert rows(merged) == "a drifted, b unaudited"
    assert parts(merged) == {"persisting": ids(before, "a"), "unknown": ids(before, "b")}


def test_own_failure_is_not_hidden_by_a_slice():
    """If this run could not audit a zone, it is unaudited, even if a slice has a row of the same time; that row's items are carried."""
    old = report(drifted("a"), at=AT)
    made = report(failed("a"), slices=[old], at=LATER)
    assert (made["outcome"], row(made, "a")["audited_at"], row(made, "a")["error"]["kind"]) == ("unaudited", AT, "permission")
    assert [(item["carried"], item["first_seen"]) for item in items(made)] == [(True, AT)]
    assert report(failed("a"), slices=[old], at=AT)["outcome"] == "unaudited"


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("before", [None, "2026-11-20T06:00:00Z"])
def test_later_failure_to_audit_is_not_hidden_by_an_earlier_audit(again, before):
    """A row without an audit has no time of its own, or that of an audit long ago: what counts is when it was tried."""
    well = report(record("a"), at=AT)
    previous = report(drifted("a"), at=before) if before else None
    dark = report(failed("a"), previous=previous, at=LATER)
    slices = [well, dark, *([report(record("a"), at=LATEST)] if again else [])]
    for order in (slices, slices[::-1]):
        assert rows(report(slices=order, at=LATEST)) == ("a compliant" if again else "a unaudited")
    ahead = report(failed("a"), at="2099-01-01T00:00:00Z")
    assert rows(report(slices=[well, ahead], at=LATER)) == "a unaudited"
    gone = report(expected=["a"], at=LATER)
    assert rows(report(slices=[well, gone], at=LATEST)) == "a unaudited"


def test_slice_that_is_older_than_the_previous_report_says_nothing():
    """An old file that took the place of one that was not made resolves nothing that was found after it."""
    old, found = report(record("a"), at=AT), report(drifted("a"), at=LATER)
    made = report(record("b"), slices=[old], previous=found, at=LATEST)
    assert rows(made) == "a unaudited, b compliant" and parts(made)["unknown"] == ids(found, "a")
    assert row(made, "a")["error"]["message"] == f"its last audit was at {AT}, before that of the previous report, {LATER}"
    for again in (report(record("a"), at=LATER), report(record("a"), at=LATEST)):
        assert rows(report(record("b"), slices=[again], previous=found, at=LATEST)) == "a compliant, b compliant"


@pytest.mark.parametrize(
    ("audited", "later", "expected"),
    [
        (drifted("a"), unmanaged("a"), "a drifted"),
        (record("a"), unmanaged("a"), "a compliant"),
        (record("a", scripts=audit(finding())), unmanaged("a"), "a findings"),
        (drifted("a"), unmanaged("a", scripts=audit(finding())), "a drifted"),
        (record("a"), unmanaged("a", scripts=audit(finding())), "a findings"),
        (unmanaged("a"), drifted("a"), "a drifted"),
        (unmanaged("a"), unmanaged("a"), "a unmanaged"),
    ],
)
def test_row_without_a_declared_state_hides_no_audit(audited, later, expected):
    """Nothing was compared for it, be it of this run or of a slice; a finding of its own still counts."""
    one, other = report(audited, at=AT), report(later, at=LATER)
    for slices in ([one, other], [other, one]):
        assert rows(report(slices=slices, at=LATER)) == expected
    assert rows(report(later, slices=[one], at=LATER)) == expected
    assert rows(report(later, slices=[one], at=AT)) == expected


def test_worse_of_two_rows_of_the_same_time_is_used():
    """They contradict each other, and the order of files says nothing."""
    good, found, bad = report(record("a")), report(record("a", scripts=audit(finding()))), report(drifted("a"))
    for worse, better in ((bad, good), (bad, found), (found, good)):
        status = row(worse, "a")["status"]
        assert {rows(report(slices=slices, at=LATER)) for slices in ([worse, better], [better, worse])} == {f"a {status}"}
    assert rows(report(record("a"), slices=[bad], at=AT)) == "a drifted"


def test_slice_dated_in_the_future():
    """A row with a time in the future does not replace one of this run, and is reported."""
    ahead = report(record("a"), drifted("b"), at=LATEST)
    made = report(drifted("a"), failed("b"), slices=[ahead], at=AT)
    assert rows(made) == "a drifted, b unaudited"
    warning = dated_ahead([ahead], AT)
    assert warning.startswith(f"merge[0]: a was audited at {LATEST} (and 1 more), later than this report ({AT})")
    assert dated_ahead([ahead], LATEST) == ""


def test_slice_far_in_the_future_is_of_no_known_time():
    """Nothing tells how old such an audit is: it replaces no other one, and without another the zone is unaudited."""
    far = report(record("a"), record("b"), at="2099-01-01T00:00:00Z")
    made = report(slices=[report(drifted("a"), at=AT), far], at=LATER)
    assert rows(made) == "a drifted, b unaudited"
    assert row(made, "b")["error"]["message"].startswith("its last audit is dated 2099-01-01T00:00:00Z, ")
    assert rows(report(record("c"), slices=[report(drifted("a"), at="2026-11-21T06:04:59Z")], at="2026-11-21T06:00:00Z")) == (
        "a drifted, c compliant"
    )


def test_type_that_this_version_does_not_know_is_refused_by_each_name():
    part = report(record("a", scripts=audit(finding())))
    (item,) = row(part, "a")["items"]
    later = {**part, "zones": [{**row(part, "a"), "items": [{**item, "type": "zzz"}]}]}
    made = report(slices=[later], at=AT)
    assert "this version does not know the type zzz" in refused(row(made, "a"), ["job_silent"])["job_silent"]


def test_expected_zone_that_a_slice_carried_is_unaudited():
    before = report(drifted("a"), record("b"))
    part = report(record("b"), previous=before, at=LATER)
    made = report(slices=[part], expected=["a", "b"], at=LATER)
    assert (row(made, "a")["status"], row(made, "a")["audited_at"], row(made, "a")["zone_id"]) == ("unaudited", AT, zone_id("a"))
    assert [(item["carried"], item["first_seen"]) for item in items(made)] == [(True, AT)]


def test_zones_of_slices_are_merged_by_id():
    """A renamed zone is one zone; two zones with one name, in two accounts, are two."""
    old, renamed = report(drifted("old"), at=AT), report({**drifted("new"), "zone_id": zone_id("old")}, at=LATER)
    for slices in ([old, renamed], [renamed, old]):
        made = report(slices=slices, at=LATER)
        assert [(zone["zone"], zone["zone_id"]) for zone in made["zones"]] == [("new", zone_id("old"))]
        assert items(made)[0]["first_seen"] == AT
    made = report(slices=[old, report({**record("old"), "zone_id": "ff"}, at=LATER)], at=LATER)
    assert [(zone["zone_id"], zone["status"]) for zone in made["zones"]] == [(zone_id("old"), "drifted"), ("ff", "compliant")]
    nameless = report({**failed("old"), "zone_id": None}, at=AT)
    made = report(slices=[nameless, old, renamed], at=LATER)
    assert [(zone["zone"], zone["zone_id"]) for zone in made["zones"]] == [("new", zone_id("old"))]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("2026-11-22T07:00:00+02:00", "2026-11-22T06:00:00Z"),
        ("2026-11-22T05:59:59.75Z", "2026-11-22T06:00:00.5+00:00"),
        ("2026-11-22t05:59:59z", "2026-11-22T01:00:00-05:00"),
    ],
)
def test_latest_audit_is_used(before, after):
    """Times are compared whatever their format, and the report normalizes them."""
    old, new = report(drifted("a")), report(record("a", scripts=audit(finding())))
    old["zones"][0]["audited_at"], new["zones"][0]["audited_at"] = before, after
    new["zones"][0]["items"][0]["first_seen"] = "2026-11-22T08:00:00+02:00"
    for slices in ([old, new], [new, old]):
        made = report(slices=slices, at=LATER)
        assert [item["member"] for item in items(made)] == ["new"]
        assert (row(made, "a")["audited_at"], items(made)[0]["first_seen"]) == (AT, AT)


def test_first_seen_survives_a_retry():
    """A slice that could not audit a zone still has the first date of a problem, which the slice that audited it lacks."""
    gap = report(failed("a"), previous=report(drifted("a")), at=LATER)
    again = report(drifted("a"), at=LATEST)
    assert [item["first_seen"] for item in items(report(slices=[gap, again], at=LATEST))] == [AT]


def test_row_of_a_slice_without_the_time_of_its_audit_is_unaudited():
    """It may be of any age."""
    part = report(drifted("a"), record("b"))
    made = report(slices=[{**part, "zones": [{**zone, "audited_at": None} for zone in part["zones"]]}], at=LATER)
    assert rows(made) == "a unaudited, b unaudited"
    assert "does not say when it was audited" in row(made, "a")["error"]["message"]


def test_row_of_an_old_slice_is_unaudited():
    """The zone is unaudited because of the date of its row; within the configured days the row counts."""
    old = report(drifted("a"), record("b"))
    made = report(record("c"), slices=[old], at="2026-11-29T06:00:01Z")
    assert rows(made) == "a unaudited, b unaudited, c compliant"
    assert row(made, "a")["error"] == {
        "kind": "gate",
        "message": "its last audit was at 2026-11-22T06:00:00Z, 7 days before this report; max_age_days is 7",
    }
    assert row(made, "a")["audited_at"] == AT and [item["carried"] for item in items(made)] == [True]
    assert made["counts"]["differences"] == 0 and made["plan_id"] is None
    assert rows(report(record("c"), slices=[old], at="2026-11-29T06:00:00Z")) == "a drifted, b compliant, c compliant"
    assert rows(report(record("c"), slices=[old], at=LATER, max_age_days=0)) == "a unaudited, b unaudited, c compliant"
    assert rows(report(record("a"), slices=[old], at="2026-12-29T06:00:00Z")) == "a compliant, b unaudited"


def test_readable_parts_of_an_unaudited_zone_count():
    """Jobs are unreadable, the monitor is not: only items of readable parts can be resolved."""
    refused = {"failed": True, "msg": "403", "error": {"kind": "permission"}}
    before = report({**drifted("a", fields=({"request_fields": []}, {"request_fields": ["x"]})), "jobs": [job(state="failing")]})
    made = report({**drifted("a"), "jobs": refused}, previous=before, at=LATER)
    assert rows(made) == "a unaudited" and row(made, "a")["audited_at"] == AT
    assert row(made, "a")["error"] == {"kind": "permission", "message": "403", "permission": "Logs Write"}
    assert [(item["resource"], item["carried"]) for item in items(made)] == [
        ("script_monitor", False),
        ("custom_fields", True),
        ("health", True),
    ]
    assert (made["counts"]["differences"], made["comparison"]["resolved"]) == (1, [])
