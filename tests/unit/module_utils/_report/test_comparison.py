# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from support.samples.fleet import (
    AT,
    LATER,
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

LATEST = "2026-11-24T06:00:00Z"


def ids(made, zone=None):
    return [item["id"] for item in items(made, zone)]


def parts(made):
    return {name: found for name, found in made["comparison"].items() if found and name != "previous_id"}


def test_nothing_is_new_in_the_first_report():
    made = report(drifted("a"))
    assert made["comparison"] == {
        "previous_id": None,
        "new": [],
        "resolved": [],
        "changed": [],
        "persisting": [],
        "unknown": [],
    }


def test_what_became_of_problems():
    before = report(
        record("a", fields=({"request_fields": []}, {"request_fields": ["x"]}), monitor=({"enabled": False}, {"enabled": True})),
        drifted("b"),
    )
    now = report(
        record("a", fields=({"request_fields": []}, {"request_fields": ["y"]}), monitor=({"enabled": False}, {"enabled": True})),
        record("b", scripts=audit(finding())),
        previous=before,
        at=LATER,
    )
    fields, monitor = ids(now, "a")
    assert parts(now) == {"new": ids(now, "b"), "resolved": ids(before, "b"), "changed": [fields], "persisting": [monitor]}
    assert now["comparison"]["previous_id"] == before["report_id"]
    assert [item["first_seen"] for item in items(now)] == [AT, AT, LATER]


def test_another_hash_of_a_script_is_a_change():
    """A problem is the same with other values; the time of a job's last failure is none of them."""

    def seen(value, time):
        health = {"state": "failing", "message": f"The last delivery failed at {time}"}
        return {
            **record("a", scripts=audit(finding("changed", message=f"1 hash(es) seen: {value}"))),
            "jobs": [job(health=health)],
        }

    before = report(seen("aa", AT))
    same, other = report(seen("aa", LATER), previous=before), report(seen("bb", AT), previous=before)
    script, health = (next(item["id"] for item in items(before) if item["resource"] == name) for name in ("scripts", "health"))
    assert parts(same) == {"persisting": sorted([script, health])}
    assert parts(other) == {"changed": [script], "persisting": [health]}


@pytest.mark.parametrize("expected", [None, ["a"]])
@pytest.mark.parametrize("zones", [[failed("a")], [{**failed("a"), "zone_id": None}]])
def test_items_of_an_unaudited_zone_are_unknown(zones, expected):
    before = report(drifted("a"))
    gap = report(*zones, previous=before, at=LATER, expected=expected)
    assert parts(gap) == {"unknown": ids(before)}
    assert [item["carried"] for item in items(gap)] == [True]
    assert (row(gap, "a")["audited_at"], row(gap, "a")["zone_id"]) == (AT, zone_id("a"))
    assert (gap["counts"]["differences"], gap["outcome"]) == (0, "unaudited")
    after = report(drifted("a"), previous=gap, at=LATEST)
    assert parts(after) == {"persisting": ids(before)}
    assert items(after)[0]["first_seen"] == AT
    assert parts(report(record("a"), previous=gap, at=LATEST)) == {"resolved": ids(before)}


def test_zones_outside_the_run_are_carried():
    before = report(drifted("a"), drifted("b"), record("c"))
    gap = report(drifted("a"), previous=before, at=LATER, expected=["a"])
    assert parts(gap) == {"persisting": ids(before, "a"), "unknown": ids(before, "b")}
    assert [(each["zone"], each["carried"], each["audited_at"]) for each in gap["zones"]] == [
        ("a", False, LATER),
        ("b", True, AT),
        ("c", True, AT),
    ]
    assert (gap["counts"]["zones"], gap["counts"]["drifted"], gap["counts"]["differences"]) == (1, 1, 1)
    assert gap["outcome"] == "drifted"
    assert gap["plan_id"] == report(drifted("a"))["plan_id"]
    after = report(drifted("a"), drifted("b"), record("c"), previous=gap, at=LATEST)
    assert parts(after) == {"persisting": sorted(ids(before))}
    assert {item["first_seen"] for item in items(after)} == {AT}


def test_unread_resources_are_unknown():
    """Findings about scripts and jobs are unknown, not resolved, after an audit that did not read them."""
    full = {"scripts": audit(finding()), "jobs": [job(state="failing")]}
    before = report({**drifted("a"), **full})
    now = report(record("a"), previous=before, at=LATER)
    unknown = [item["id"] for item in items(before) if item["resource"] in ("scripts", "health")]
    assert now["comparison"]["unknown"] == sorted(unknown)
    assert len(now["comparison"]["resolved"]) == 1
    assert now["outcome"] == "clean"
    after = report({**drifted("a"), **full}, previous=now, at=LATEST)
    assert {item["first_seen"] for item in items(after) if item["resource"] != "script_monitor"} == {AT}


def test_renamed_zone_is_the_same_zone():
    before = report(drifted("old"))
    now = report({**drifted("new"), "zone_id": zone_id("old")}, previous=before, at=LATER)
    assert [each["zone"] for each in now["zones"]] == ["new"]
    assert parts(now) == {"persisting": ids(before)}


def test_an_unmanaged_zone_has_a_record():
    before = report(drifted("a"))
    assert parts(report(unmanaged("a"), previous=before)) == {"resolved": ids(before)}


def test_merged_slices():
    one, two = report(drifted("a"), record("c"), at=AT), report(drifted("b"), drifted("c"), at=LATER)
    merged = report(slices=[one, two], at=LATEST)
    assert [(each["zone"], each["status"], each["audited_at"]) for each in merged["zones"]] == [
        ("a", "drifted", AT),
        ("b", "drifted", LATER),
        ("c", "drifted", LATER),
    ]
    assert merged["counts"]["differences"] == 3
    assert merged == report(slices=[two, one], at=LATEST)


def test_slices_do_not_hide_each_other():
    """A row that a slice only carried along yields to a slice that looked, whatever that one found."""
    before = report(drifted("a"), drifted("b"))
    one = report(drifted("a"), previous=before, at=LATER, expected=["a"])
    two = report(failed("b"), previous=before, at=LATER, expected=["b"])
    merged = report(slices=[one, two], previous=before, at=LATER)
    assert [(each["zone"], each["status"], each["carried"]) for each in merged["zones"]] == [
        ("a", "drifted", False),
        ("b", "unaudited", False),
    ]
    assert parts(merged) == {"persisting": ids(before, "a"), "unknown": ids(before, "b")}


def test_expected_zone_is_found_in_a_slice():
    assert report(slices=[report(record("a"))], expected=["a"])["outcome"] == "clean"
