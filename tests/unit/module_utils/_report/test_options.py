# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from support.samples.fleet import AT, WAIVER, drifted, order, record

from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._report.options import AuditRecord


@pytest.mark.parametrize(
    ("zones", "options", "message"),
    [
        ([{}], {}, "zones[0].zone: is missing"),
        ([record("a"), {"zone": ""}], {}, "zones[1].zone: '' is not valid"),
        ([record("a"), record("a")], {}, "zones[1].zone: 'a' has more than one"),
        ([{"zone": "a", "results": {}}], {}, "zones[0].results: is unknown (did you mean 'result'?)"),
        ([{"zone": "a", "zone_id": ["x"]}], {}, "zones[0].zone_id: must be a string, not a list"),
        ([{"zone": "a", "result": []}], {}, "zones[0].result: must be a dictionary, not a list"),
        ([{"zone": "a", "result": {"jobs": "x"}}], {}, "zones[0].result.jobs: must be a dictionary, not 'x'"),
        ([{"zone": "a", "result": {"jobs": {"diff": [1]}}}], {}, "zones[0].result.jobs.diff: must be a dictionary, not a list"),
        (
            [{"zone": "a", "result": {"jobs": {"diff": {"before": 1}}}}],
            {},
            "zones[0].result.jobs.diff.before: must be a dictionary, not 1",
        ),
        ([{"zone": "a", "jobs": {"x": 1}}], {}, "zones[0].jobs: must be a list, not an object"),
        ([{"zone": "a", "jobs": [{"health": 1}]}], {}, "zones[0].jobs[0].health: must be a dictionary, not 1"),
        ([{"zone": "a", "scripts": {"findings": [None]}}], {}, "zones[0].scripts.findings[0]: must be a dictionary, not null"),
        ([{"zone": "a", "scripts": {"changed": False}}], {}, "zones[0].scripts.findings: is missing"),
        (
            [{"zone": "a", "scripts": {"findings": [], "evidence": 1}}],
            {},
            "zones[0].scripts.evidence: must be a dictionary, not 1",
        ),
        ([{"zone": "a", "result": {"jobs": {"plan_id": 1}}}], {}, "zones[0].result.jobs.plan_id: must be a string, not 1"),
        ([{"zone": "a", "coverage": {"unselected": 1}}], {}, "zones[0].coverage.unselected: must be a list, not 1"),
        ([{"zone": "a", "coverage": {"sentences": 5}}], {}, "zones[0].coverage.sentences: must be a list, not 5"),
        ([record("a")], {"expected": ["a", ""]}, "expected[1]: the name of a zone is needed"),
        ([{"zone": "a", "error": "broken"}], {}, "zones[0].error: must be a dictionary, not 'broken'"),
        ([record("a")], {"at": "yesterday"}, "at: 'yesterday' is not a time"),
        ([record("a")], {"at": "2026-02-30T00:00:00Z"}, "at: '2026-02-30T00:00:00Z' is not a time"),
        ([record("a")], {"dest": ""}, "dest: "),
        ([record("a")], {"formats": []}, "formats: at least one"),
        ([record("a")], {"required_fields": {"dns_logs": "QueryName"}}, "required_fields.dns_logs: a list of names"),
        ([record("a")], {"waivers": [{**WAIVER, "reason": " "}]}, "waivers[0].reason: needed"),
        ([record("a")], {"waivers": [WAIVER, {**WAIVER, "owner": None}]}, "waivers[1].owner: needed"),
        ([record("a")], {"waivers": [WAIVER, {**WAIVER, "zone": ""}]}, "waivers[1].zone: an empty pattern"),
        ([record("a")], {"waivers": [{**WAIVER, "subject": "\t"}]}, "waivers[0].subject: an empty pattern"),
        (
            [record("a")],
            {"waivers": [{**WAIVER, "resource": "job"}]},
            "waivers[0].resource: 'job' matches no resource (did you mean 'jobs'",
        ),
        (
            [record("a")],
            {"waivers": [{**WAIVER, "type": "job_fail*"}, {**WAIVER, "type": "unlisted_jobs"}]},
            "waivers[1].type: 'unlisted_jobs' matches no type (did you mean 'unlisted_job'?)",
        ),
        ([{"zone": "a", "scope": "fleet"}], {}, "zones[0].scope: 'fleet' is not valid"),
        ([{"zone": "a", "delivery": [1]}], {}, "zones[0].delivery[0]: must be a dictionary, not 1"),
        ([record("a")], {"keep": -1}, "keep: -1 is not a number from 0"),
        ([record("a")], {"waivers": [{**WAIVER, "until": ""}]}, "waivers[0].until: needed"),
        ([record("a")], {"waivers": [{**WAIVER, "until": "2026-13-01"}]}, "waivers[0].until: '2026-13-01' is not a date"),
    ],
)
def test_refused(zones, options, message):
    with pytest.raises(Failure) as caught:
        order(*zones, **options)
    assert caught.value.kind == INVALID_OPTION
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("given", "moment"),
    [
        ("2026-11-22T06:00:00Z", AT),
        ("2026-11-22t06:00:00z", AT),
        ("2026-11-22 06:00:00+00:00", AT),
        ("2026-11-22T07:30:00.5+01:30", AT),
        ("2026-11-22 06:00:00", AT),
    ],
)
def test_times_are_in_utc(given, moment):
    assert order(record("a"), at=given).at == moment


def test_the_present_time_is_the_default():
    assert order(record("a"), at=None).at.endswith("Z")


def test_equal_options_count_once():
    made = order(drifted("a"), formats=["html", "json", "html"], expected=["a", "a"], waivers=[WAIVER, dict(WAIVER)])
    assert (made.formats, made.expected, len(made.waivers)) == (("html", "json"), ("a",), 1)


@pytest.mark.parametrize("empty", [None, "", {}])
def test_empty_members_were_not_looked_at(empty):
    found = order({"zone": "a", "zone_id": 12, "result": empty, "error": empty, "jobs": None, "scripts": empty}).records[0]
    assert found == AuditRecord(zone="a", zone_id="12")
