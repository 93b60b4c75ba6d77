# SPDX-License-Identifier: GPL-3.0-or-later

import pytest
from support.samples.fleet import WAIVER, audit, drifted, failed, finding, items, record, report, unmanaged

ON, AFTER = "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z"
JOBS = ({"edge [eu]": {"enabled": False}}, {"edge [eu]": {"enabled": True}})


@pytest.mark.parametrize(
    ("waiver", "fits"),
    [
        ({}, True),
        ({"zone": "shop*"}, True),
        ({"zone": "SHOP*"}, False),
        ({"zone": "*", "resource": "jobs", "type": "difference", "member": "enabled", "subject": "edge*"}, True),
        ({"subject": "edge [[]eu]"}, True),
        ({"subject": "edge"}, False),
        ({"resource": "scripts"}, False),
        ({"type": "job_*"}, False),
        ({"member": "filt?r"}, False),
    ],
)
def test_waiver_applies_to_matching_items(waiver, fits):
    made = report(record("shop.example.com", jobs=JOBS), waivers=[{**WAIVER, **waiver}])
    difference = items(made)[0]
    assert difference["waived"] is fits
    assert (made["counts"]["waived"], made["counts"]["differences"]) == ((1, 0) if fits else (0, 1))
    assert made["outcome"] == ("compliant" if fits else "drifted")
    assert made["waivers"][0]["items"] == ([difference["id"]] if fits else [])


@pytest.mark.parametrize("kind", ["new", "unused"])
def test_zone_whose_items_are_all_waived(kind):
    """Notes are waived as well; a star matches a missing subject."""
    zones = [drifted("a"), record("b", scripts=audit(finding(kind))), unmanaged("c", scripts=audit(finding(kind)))]
    made = report(*zones, waivers=[{**WAIVER, "subject": "*"}])
    assert [zone["status"] for zone in made["zones"]] == ["compliant", "compliant", "unmanaged"]
    assert (made["outcome"], made["counts"]["waived"], made["counts"]["notes"]) == ("unmanaged", 3, 0)


def unmatched(made):
    return [
        (row["zone"], item["subject"]) for row in made["zones"] for item in row["items"] if item["type"] == "unmatched_waiver"
    ]


@pytest.mark.parametrize(
    ("waiver", "zones", "where"),
    [
        ({"zone": "b"}, [record("a"), record("b")], ["b"]),
        ({"zone": "shp.*"}, [record("b"), drifted("a")], ["a"]),
        ({"zone": "a", "until": "2020-01-01"}, [record("a")], ["a"]),
        ({"zone": "a"}, [drifted("a")], []),
        ({"zone": "b"}, [record("a"), failed("b")], []),
        ({"resource": "scripts"}, [record("a")], []),
        ({"type": "records_dropped"}, [record("a", jobs=JOBS)], []),
        ({"type": "records_dropped"}, [record("a", delivery=[])], ["a"]),
    ],
)
def test_waiver_that_matches_nothing_is_a_note(waiver, zones, where):
    """There is a note only if all items that the waiver could match were audited, or if its zone pattern matches no zone."""
    made = report(*zones, waivers=[{**WAIVER, **waiver}])
    assert [zone for zone, _subject in unmatched(made)] == where
    assert made["counts"]["notes"] == len(where)
    again = report(*zones, waivers=[{**WAIVER, **waiver}], previous=made, at=made["generated_at"])
    assert {item["first_seen"] for item in items(again) if item["type"] == "unmatched_waiver"} <= {made["generated_at"]}


@pytest.mark.parametrize(("verdict", "notes"), [(None, 0), (False, 1)])
def test_waiver_of_what_this_run_did_not_judge_must_stay(verdict, notes):
    """Nobody knows whether the script is still malicious; once it is known that it is not, the waiver matches nothing."""
    found, waiver = finding("malicious"), {**WAIVER, "type": "malicious"}
    before = report(record("a", scripts=audit(found)), waivers=[waiver])
    script = {"script_url": found["script_url"], "host": found["host"], "malicious": verdict}
    seen = audit(inventory=[{"script": script, "entry": None, "findings": []}])
    now = report(record("a", scripts=seen), waivers=[waiver], previous=before, at=ON)
    assert [item["carried"] for item in items(now) if item["type"] == "malicious"] == [True] * (1 - notes)
    assert len(unmatched(now)) == notes


def test_waiver_of_a_zone_outside_the_run_has_no_note():
    before = report(drifted("a"), drifted("b"))
    assert unmatched(report(record("a"), waivers=[{**WAIVER, "zone": "b"}], previous=before)) == []


def test_last_day_is_included():
    """After that day the waiver is a finding, and its items count again."""
    (waived,) = items(report(drifted("a"), waivers=[WAIVER], at=ON))
    assert waived["waived"] is True
    made = report(drifted("a"), record("b"), waivers=[WAIVER], at=AFTER)
    difference, late = items(made)
    assert (difference["waived"], late["waived"], made["outcome"]) == (False, False, "drifted")
    assert (late["kind"], late["type"]) == ("finding", "expired_waiver")
    assert (late["resource"], late["member"]) == ("script_monitor", "waiver")
    assert late["is"] == "the waiver of web@example.com ended on 2026-12-31: known"
    assert '"until":"2026-12-31"' in late["subject"]
    assert (made["counts"]["differences"], made["counts"]["findings"]) == (1, 1)
    assert made["waivers"][0]["expired"] is True


def test_expired_waiver_cannot_be_waived():
    made = report(drifted("a"), waivers=[WAIVER, {**WAIVER, "until": "2030-01-01"}], at=AFTER)
    assert [item["waived"] for item in items(made)] == [True, False]


def test_waivers_of_slices_apply_to_the_whole():
    part = report(drifted("a"), waivers=[WAIVER])
    assert report(slices=[part])["outcome"] == "compliant"
    late = report(slices=[part], at=AFTER, max_age_days=60)
    assert late["counts"]["findings"] == 1
    again = report(slices=[late], at=AFTER, max_age_days=60)
    assert again["counts"] == late["counts"]


def test_waivers_of_a_slice_stay_with_its_zones():
    """A waiver of a slice applies to the zones of that slice, also after another merge; a waiver of this run applies to all zones."""
    waived, other = report(drifted("a"), waivers=[WAIVER]), report(drifted("b"))
    made = report(drifted("c"), slices=[waived, other])
    assert [item["waived"] for item in items(made)] == [True, False, False]
    assert made["waivers"] == waived["waivers"]
    again = report(drifted("d"), slices=[made])
    assert [item["waived"] for item in items(again)] == [True, False, False, False]
    everywhere = report(drifted("c"), slices=[waived, other], waivers=[WAIVER])
    assert [item["waived"] for item in items(everywhere)] == [True, True, True]
    assert len(everywhere["waivers"]) == 1


def test_waiver_of_a_replaced_row_ends():
    """Waivers of an earlier report do not apply to a zone that a slice without waivers has audited since."""
    old, new = report(drifted("a"), waivers=[WAIVER]), report(drifted("a"), at="2026-11-23T06:00:00Z")
    assert [item["waived"] for item in items(report(slices=[old, new], at="2026-11-23T06:00:00Z"))] == [False]


def test_field_named_waiver_is_no_expired_waiver():
    made = report(record("a"), required_fields={"http_requests": ["waiver"]})
    assert [item["member"] for item in items(report(slices=[made]))] == ["waiver"]
    assert items(report(record("a"), required_fields={"http_requests": ["waiver"]}, waivers=[WAIVER]))[0]["waived"]
