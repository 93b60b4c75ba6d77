# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from support.samples.fleet import WAIVER, audit, drifted, finding, items, record, report

ON, AFTER = "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z"
JOBS = ({"edge [eu]": {"enabled": False}}, {"edge [eu]": {"enabled": True}})


@pytest.mark.parametrize(
    ("waiver", "fits"),
    [
        ({}, True),
        ({"zone": "shop*"}, True),
        ({"zone": "SHOP*"}, False),
        ({"zone": "*", "resource": "jobs", "member": "enabled", "subject": "edge*"}, True),
        ({"subject": "edge [[]eu]"}, True),
        ({"subject": "edge"}, False),
        ({"resource": "scripts"}, False),
        ({"member": "filt?r"}, False),
        ({"zone": None, "member": None}, True),
    ],
)
def test_patterns(waiver, fits):
    made = report(record("shop.example.com", jobs=JOBS), waivers=[{**WAIVER, **waiver}])
    assert [item["waived"] for item in items(made)] == [fits]
    assert (made["counts"]["waived"], made["counts"]["differences"]) == ((1, 0) if fits else (0, 1))
    assert made["outcome"] == ("clean" if fits else "drifted")
    assert made["waivers"][0]["items"] == ([items(made)[0]["id"]] if fits else [])


def test_a_waived_zone_is_still_drifted():
    made = report(drifted("a"), waivers=[WAIVER])
    assert made["zones"][0]["status"] == "drifted"
    assert made["outcome"] == "clean"


def test_star_fits_an_absent_subject():
    assert items(report(drifted("a"), waivers=[{**WAIVER, "subject": "*"}]))[0]["waived"]


@pytest.mark.parametrize(("at", "waived"), [(ON, True), (AFTER, False)])
def test_last_day_is_included(at, waived):
    made = report(drifted("a"), waivers=[WAIVER], at=at)
    assert items(made)[-1]["waived"] is waived or items(made)[0]["waived"] is waived
    assert made["outcome"] == ("clean" if waived else "findings")


def test_expired_waiver_is_a_finding():
    made = report(drifted("a"), record("b"), waivers=[WAIVER], at=AFTER)
    difference, late = items(made)
    assert (difference["waived"], late["waived"]) == (False, False)
    assert (late["kind"], late["resource"], late["member"]) == ("finding", "script_monitor", "waiver")
    assert '"until":"2026-12-31"' in late["subject"]
    assert (made["counts"]["differences"], made["counts"]["findings"]) == (1, 1)
    assert made["waivers"][0]["expired"] is True


def test_expired_unused_waiver_is_silent():
    """Expired waiver that fits nothing is silent."""
    assert items(report(record("a"), waivers=[WAIVER], at=AFTER)) == []


def test_expired_waiver_cannot_be_waived():
    made = report(drifted("a"), waivers=[WAIVER, {**WAIVER, "until": "2030-01-01"}], at=AFTER)
    assert [item["waived"] for item in items(made)] == [True, False]


def test_waivers_of_slices_apply_to_the_whole():
    part = report(drifted("a"), waivers=[WAIVER])
    assert report(slices=[part])["outcome"] == "clean"
    late = report(slices=[part], at=AFTER)
    assert late["counts"]["findings"] == 1
    again = report(slices=[late], at=AFTER)
    assert again["counts"] == late["counts"]


def test_waivers_of_a_slice_stay_with_its_zones():
    """Also after another merge; a waiver of this run applies to all zones."""
    waived, other = report(drifted("a"), waivers=[WAIVER]), report(drifted("b"))
    made = report(drifted("c"), slices=[waived, other])
    assert [item["waived"] for item in items(made)] == [True, False, False]
    assert made["waivers"] == waived["waivers"]
    again = report(drifted("d"), slices=[made])
    assert [item["waived"] for item in items(again)] == [True, False, False, False]
    everywhere = report(drifted("c"), slices=[waived, other], waivers=[WAIVER])
    assert [item["waived"] for item in items(everywhere)] == [True, True, True]
    assert len(everywhere["waivers"]) == 1


def test_waiver_of_a_replaced_row_applies_no_more():
    """The zone was audited again by a slice that waives nothing."""
    old, new = report(drifted("a"), waivers=[WAIVER]), report(drifted("a"), at="2026-11-23T06:00:00Z")
    assert [item["waived"] for item in items(report(slices=[old, new]))] == [False]


def test_field_named_waiver_is_no_expired_waiver():
    made = report(record("a"), required_fields={"http_requests": ["waiver"]})
    assert [item["member"] for item in items(report(slices=[made]))] == ["waiver"]
    assert items(report(record("a"), required_fields={"http_requests": ["waiver"]}, waivers=[WAIVER]))[0]["waived"]


def test_notes_can_be_waived():
    made = report(record("a", scripts=audit(finding("unused"))), waivers=[{**WAIVER, "member": "unused"}])
    assert (made["counts"]["notes"], made["counts"]["waived"]) == (0, 1)
