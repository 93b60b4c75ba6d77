# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from support.samples.fleet import audit, finding, job, outcome, report

from ansible_collections.edgeops.observability.plugins.module_utils._report.model import summary, zone_records

RESULT = {
    "changed": True,
    "custom_fields": outcome({"custom_fields": {"request_fields": []}}, {"custom_fields": {"request_fields": ["x"]}}),
    "jobs": {},
    "script_monitor": outcome(),
    "coverage": {},
}
UNREACHED = {"kind": "unavailable", "message": "it could not be reached"}
REFUSED = {"kind": "permission", "message": "not allowed"}


def one(**variables):
    (found,) = zone_records(["a"], {"a": {"zone_id": "0a", **variables}})
    return found


def test_record_of_an_audited_zone():
    found = one(log_delivery_result=RESULT)
    assert found == {
        "zone": "a",
        "zone_id": "0a",
        "result": {name: RESULT[name] for name in ("custom_fields", "jobs", "script_monitor")},
        "jobs": None,
        "coverage": None,
        "scripts": None,
    }


@pytest.mark.parametrize(
    ("variables", "error"),
    [
        ({}, UNREACHED),
        ({"log_delivery_result": {"unreachable": True, "msg": "no"}}, UNREACHED),
        ({"log_delivery_result": {"skipped": True}}, UNREACHED),
        ({"log_delivery_result": RESULT, "edgeops_check_error": REFUSED}, REFUSED),
        ({"log_delivery_result": {"failed": True}, "edgeops_check_error": REFUSED}, REFUSED),
    ],
)
def test_zone_of_which_nothing_is_known(variables, error):
    assert one(**variables) == {"zone": "a", "zone_id": "0a", "error": error}


@pytest.mark.parametrize("part", ["edgeops_check_jobs", "edgeops_check_custom_fields", "edgeops_check_scripts"])
@pytest.mark.parametrize(
    ("found", "error"),
    [
        ({"unreachable": True, "msg": "no route"}, UNREACHED),
        ({"failed": True, "msg": "not allowed", "error": {"kind": "permission"}}, REFUSED),
        ({"failed": True, "msg": "not allowed"}, {"kind": "bad_response", "message": "not allowed"}),
    ],
)
def test_part_that_could_not_be_read_is_no_compliance(part, found, error):
    """A zone whose scripts, jobs or custom fields were to be read and could not be is unaudited."""
    record = one(log_delivery_result=RESULT, **{part: found})
    assert record == {"zone": "a", "zone_id": "0a", "error": error}
    assert report(record)["outcome"] == "unaudited"
    assert one(log_delivery_result=RESULT, **{part: {"skipped": True}})["result"]


def test_record_has_the_parts_that_were_read():
    """Jobs, coverage and scripts are in a record where they were read."""
    fields = {"custom_fields": {"cookie_fields": ["c"]}}
    listed, audited = {"jobs": [job()]}, {"findings": [finding()]}
    found = one(
        log_delivery_result=RESULT,
        edgeops_check_jobs=listed,
        edgeops_check_custom_fields=fields,
        edgeops_check_scripts=audited,
    )
    assert (found["jobs"], found["scripts"]) == (listed["jobs"], audited)
    assert [part["kind"] for part in found["coverage"]["unselected"]] == ["cookie_fields"]
    assert one(log_delivery_result=RESULT, edgeops_check_jobs={"skipped": True})["jobs"] is None


@pytest.mark.parametrize(
    ("variables", "zone_id"),
    [
        ({"zone_id": "0a"}, "0a"),
        ({"zone_id": "0a", "log_delivery_zone_id": "0b"}, "0b"),
        ({"zone_id": "{{ nothing }}"}, None),
        ({"zone_id": ["0a"]}, None),
        ({}, None),
    ],
)
def test_only_an_id_is_an_id(variables, zone_id):
    assert zone_records(["a"], {"a": variables})[0]["zone_id"] == zone_id


def test_summary():
    hosts = {
        "a": {"zone_id": "0a", "log_delivery_result": RESULT},
        "b": {"log_delivery_result": {**RESULT, "custom_fields": outcome()}},
        "c": {"log_delivery_result": {"custom_fields": {}, "jobs": {}, "script_monitor": {}}},
        "d": {"edgeops_check_error": {"kind": "permission", "message": "no \x1b[31m\nway"}},
        "e": {},
    }
    found = summary(zone_records(hosts, hosts))
    assert {name: found[name] for name in ("zones", "compliant", "unmanaged", "unknown", "notes")} == {
        "zones": ["a", "b", "c", "d", "e"],
        "compliant": ["b"],
        "unmanaged": ["c"],
        "unknown": ["e"],
        "notes": [],
    }
    assert [zone["zone"] for zone in found["drifted"]] == ["a"]
    assert [zone["zone"] for zone in found["failed"]] == ["d"]
    assert found["lines"] == [
        "a drifted: custom fields: custom_fields.request_fields: +x",
        "d failed: permission: no \ufffd[31m way",
        "e failed: it could not be reached",
        "5 checked: 1 compliant, 1 drifted, 1 unmanaged, 2 failed",
    ]


def test_summary_names_script_findings():
    """At most 20 of a zone, each on one line; an entry that matches nothing is none."""
    found = [finding("changed", message="1 hash(es)\nseen \x1b[31m"), finding("unused", message="matches nothing")]
    many = [finding(url=f"https://x/{number}.js") for number in range(22)]
    hosts = {
        "a": {"zone_id": "0a", "log_delivery_result": RESULT, "edgeops_check_scripts": audit(*found)},
        "b": {"log_delivery_result": RESULT, "edgeops_check_scripts": audit(*many)},
        "c": {"log_delivery_result": RESULT, "edgeops_check_scripts": audit(finding("monitor_off", url=None) | {"host": None})},
    }
    made = summary(zone_records(hosts, hosts))
    text = "changed: https://cdn.example.net/a.js on shop.example.com: 1 hash(es) seen \ufffd[31m"
    assert made["findings"][0] == {"zone": "a", "zone_id": "0a", "findings": [text]}
    assert f"a finding: {text}" in made["lines"]
    assert len(made["findings"][1]["findings"]) == 21
    assert "b finding: 2 more are in the report" in made["lines"]
    assert "c finding: monitor_off: no entry covers it" in made["lines"]


def test_records_make_a_report():
    hosts = {"a": {"zone_id": "0a", "log_delivery_result": RESULT}, "e": {}}
    made = report(*zone_records(hosts, hosts))
    assert made["counts"]["differences"] == 1 and made["counts"]["unaudited"] == 1
    assert made["zones"][0]["items"][0]["member"] == "request_fields"
