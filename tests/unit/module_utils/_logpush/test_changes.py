# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest
from samples.logpush import CONDITION, JOB, S3, TEXT, planned, sent

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import parse_job
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.plan import carried

FRENCH = TEXT.replace('"de"', '"fr"')
OPTIONS = {"field_names": ["a"]}


@pytest.mark.parametrize(
    ("options", "present", "before", "after"),
    [
        ({"enabled": True}, {}, {"enabled": False}, {"enabled": True}),
        ({"filter": CONDITION}, {}, {"filter": None}, {"filter": TEXT}),
        ({"filter": CONDITION}, {"filter": FRENCH}, {"filter": FRENCH}, {"filter": TEXT}),
        ({"filter": CONDITION}, {"filter": "not JSON"}, {"filter": "not JSON"}, {"filter": TEXT}),
        ({"filter": CONDITION}, {"filter": TEXT}, {"filter": TEXT}, {"filter": TEXT}),
        ({"filter": ""}, {"filter": TEXT}, {"filter": TEXT}, {"filter": None}),
        ({"filter": ""}, {}, {"filter": None}, {"filter": None}),
        ({"fields": ["a"]}, {}, {"logpull_options": None}, {"logpull_options": "fields=a"}),
        (
            {"fields": ["a"]},
            {"logpull_options": "fields=b&X=true"},
            {"logpull_options": "fields=b&X=true"},
            {"logpull_options": "fields=a&X=true"},
        ),
        ({"fields": []}, {"logpull_options": "fields=b"}, {"logpull_options": "fields=b"}, {"logpull_options": None}),
        (
            {"fields": ["a", "b"]},
            {"logpull_options": "fields=b,a"},
            {"logpull_options": "fields=b,a"},
            {"logpull_options": "fields=b,a"},
        ),
        (
            {"output_options": {"sample_rate": 0.5}},
            {"output_options": OPTIONS},
            {"output_options": OPTIONS},
            {"output_options": {**OPTIONS, "sample_rate": 0.5}},
        ),
        ({"output_options": OPTIONS}, {"output_options": OPTIONS}, {"output_options": OPTIONS}, {"output_options": OPTIONS}),
    ],
)
def test_diff_shows_before_and_after(
    options: dict[str, t.Any], present: dict[str, t.Any], before: dict[str, t.Any], after: dict[str, t.Any]
) -> None:
    """The diff shows the current and the desired state."""
    found = planned(options, {**JOB, **present})
    assert (found.before, found.after) == ({"name": "n", **before}, {"name": "n", **after})
    assert {name: found.result["job"][name] for name in after} == after


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"timestamp_format": "unixnano"}, "timestamps=unixnano"),
        ({"logpull_options": "sample=1"}, "sample=1"),
        ({"option_flags": {"X": False}}, None),
        ({"logpull_options": ""}, None),
    ],
)
def test_new_job_gets_logpull_options(options: dict[str, t.Any], text: str | None) -> None:
    """A new job gets the older form, even if its options have the defaults."""
    ((_operation, body),) = sent(planned({"destination_conf": S3, **options}, None))
    assert body.get("logpull_options") == text


@pytest.mark.parametrize(
    ("job", "taken"),
    [
        ({"id": 7, "destination_conf": S3, "error_message": "sick", "enabled": False, "frequency": "high"}, {}),
        ({"output_options": OPTIONS}, {"output_options": OPTIONS}),
        ({"output_options": OPTIONS, "logpull_options": "fields=a"}, {"output_options": OPTIONS}),
        ({"output_options": {}, "logpull_options": "fields=a"}, {"logpull_options": "fields=a"}),
        ({"name": "n", "filter": {"where": {"and": [CONDITION]}}}, {"name": "n", "filter": TEXT}),
    ],
)
def test_a_successor_takes_over_what_is_set(job: dict[str, t.Any], taken: dict[str, t.Any]) -> None:
    assert carried(parse_job({"id": 7, **job})) == taken


OLDER = "fields=RayID,ClientIP&timestamps=rfc3339&sample=0.5"


@pytest.mark.parametrize(
    ("requested", "whole"),
    [
        ({"sample_rate": 0.1}, {"field_names": ["RayID", "ClientIP"], "timestamp_format": "rfc3339", "sample_rate": 0.1}),
        ({"field_names": ["ClientIP"]}, {"field_names": ["ClientIP"], "timestamp_format": "rfc3339", "sample_rate": 0.5}),
        # A default that the older form sets otherwise.
        (
            {"timestamp_format": "unixnano"},
            {"field_names": ["RayID", "ClientIP"], "timestamp_format": "unixnano", "sample_rate": 0.5},
        ),
        # What the older form says already, the newer one has to say to count.
        ({"sample_rate": 0.5}, {"field_names": ["RayID", "ClientIP"], "timestamp_format": "rfc3339", "sample_rate": 0.5}),
        ({"batch_prefix": ""}, None),
        ({}, None),
    ],
)
def test_newer_form_takes_over_the_older_one(requested: dict[str, t.Any], whole: dict[str, t.Any] | None) -> None:
    """What the task does not name keeps its meaning, and the diff shows where it comes from."""
    job = {**JOB, "logpull_options": OLDER}
    found = planned({"output_options": requested}, job)
    if whole is None:
        assert not found.requests and found.before == found.after == {"name": "n", "output_options": None}
        return
    assert sent(found) == [("update", {"output_options": whole})]
    assert found.before == {"name": "n", "logpull_options": OLDER, "output_options": None}
    assert found.after == {"name": "n", "logpull_options": OLDER, "output_options": whole}
    assert found.result["job"]["logpull_options"] == OLDER
    assert planned({"output_options": requested}, {**job, "output_options": whole}).requests == ()


def test_newer_form_is_never_shown_as_none() -> None:
    """Where the service leaves out what is false, the newer form is still there, and nothing differs again."""
    job = {**JOB, "logpull_options": "CVE-2021-44228=true"}
    options = {"output_options": {"cve_2021_44228": False}}
    assert sent(planned(options, job)) == [("update", {"output_options": {"output_type": "ndjson", "CVE-2021-44228": False}})]
    assert planned(options, {**job, "output_options": {"output_type": "ndjson"}}).requests == ()


def test_successor_has_the_newer_form_only() -> None:
    options = {"output_options": {"sample_rate": 0.1}, "kind": "edge", "recreate": True, "destination_conf": S3}
    found = planned(options, {**JOB, "logpull_options": "fields=RayID"})
    (_deletion, (_creation, body)) = sent(found)
    assert body["output_options"] == {"field_names": ["RayID"], "sample_rate": 0.1}
    assert "logpull_options" not in body
    assert (found.before["logpull_options"], found.after["logpull_options"]) == ("fields=RayID", None)
    assert found.result["job"]["logpull_options"] is None
