# SPDX-License-Identifier: GPL-3.0-or-later

import pytest
from support.samples.fleet import AT, WAIVER, desired, drifted, record

from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._observed import Cause, Unknown


def waiver(**members):
    return {"waivers": [WAIVER, {**WAIVER, **members}]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"zones": [record("a"), {"zone": ""}]}, "zones[1].zone: '' is not valid"),
        ({"zones": [record("a"), record("a")]}, "zones[1].zone: 'a' has more than one"),
        ({"zones": [{"zone": "a", "results": {}}]}, "zones[0].results: is unknown (did you mean 'result'?)"),
        ({"zones": [{"zone": "a", "result": []}]}, "zones[0].result: must be a dictionary, not a list"),
        ({"zones": [{"zone": "a", "scripts": {"changed": False}}]}, "zones[0].scripts.findings: is missing"),
        ({"zones": [{"zone": "a", "error": "broken"}]}, "zones[0].error: must be a dictionary, not 'broken'"),
        ({"expected": ["a", ""]}, "expected[1]: the name of a zone is needed"),
        ({"at": "yesterday"}, "at: 'yesterday' is not a time"),
        ({"dest": ""}, "dest: "),
        ({"formats": []}, "formats: at least one"),
        ({"required_fields": {"dns_logs": "QueryName"}}, "required_fields.dns_logs: a list of names"),
        ({"keep": -1}, "keep: -1 is not a number from 0"),
        ({"keep": 1001}, "keep: 1001 is not a number from 0"),
        ({"max_age_days": -1}, "max_age_days: -1 is not a number from 0"),
        ({"silent_after_days": 0}, "silent_after_days: 0 is not a number from 1"),
        ({"put_url": "ftp://x/"}, "put_url: must be an http or https URL"),
        ({"put_url": "https://me:planted@x/"}, "put_url: user information in the URL is refused; use put_headers"),
        ({"put_url": "https://x/a b"}, "put_url: it contains blanks"),
        ({"put_headers": {"A b": "x"}}, "put_headers: header 1 has no valid name"),
        ({"put_headers": {"A": "x\r\nB: y"}}, "put_headers.A: its value contains characters"),
        (waiver(reason=" "), "waivers[1].reason: needed"),
        (waiver(owner=None), "waivers[1].owner: needed"),
        (waiver(until=""), "waivers[1].until: needed"),
        (waiver(until="2026-13-01"), "waivers[1].until: '2026-13-01' is not a date"),
        (waiver(zone=""), "waivers[1].zone: an empty pattern"),
        (waiver(subject="\t"), "waivers[1].subject: an empty pattern"),
        (waiver(resource="job"), "waivers[1].resource: 'job' matches no resource (did you mean 'jobs'"),
        (waiver(type="unlisted_jobs"), "waivers[1].type: 'unlisted_jobs' matches no type (did you mean 'unlisted_job'?)"),
    ],
)
def test_invalid_options_are_refused(options, message):
    """One example for each message; the schema of a record is tested in tests/unit/module_utils/test_schema.py."""
    with pytest.raises(Failure) as caught:
        desired(**{"zones": [record("a")], **options})
    assert caught.value.kind == INVALID_OPTION
    assert str(caught.value).startswith(message)


def test_options_have_defaults_and_no_duplicates():
    made = desired(drifted("a"), at=None, formats=["html", "json", "html"], expected=["a", "a"], waivers=[WAIVER, dict(WAIVER)])
    assert made.at.endswith("Z")
    assert desired(record("a"), at="2026-11-22T07:30:00.5+01:30").at == AT
    assert (made.formats, made.expected, len(made.waivers)) == (("html", "json"), ("a",), 1)
    assert len(desired(record("a"), waivers=[{**WAIVER, "type": "job_fail*"}]).waivers) == 1


@pytest.mark.parametrize("empty", [None, "", {}])
def test_empty_members_were_not_audited(empty):
    record = desired({"zone": "a", "zone_id": 12, "result": empty, "error": empty, "jobs": None, "scripts": empty}).records[0]
    known = {"zone": "a", "zone_id": "12", "scope": "zone", "declared": True}
    parts = {name: value.cause for name, value in record.items() if isinstance(value, Unknown)}
    assert {name: value for name, value in record.items() if value and name not in parts} == known
    assert set(parts.values()) == {Cause.NOT_ASKED} and {"result", "jobs", "scripts", "delivery", "pages"} <= parts.keys()
