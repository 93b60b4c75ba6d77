# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest
from samples.logpush import JOB, TEXT

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.health import delivery_warnings
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import parse_job, view

OTHERWISE = "job 7 has members of another type than documented"
FAILED = "Job 'n' (id 7): its last delivery failed"
DISABLED = (
    "Job 'n' (id 7) is disabled, probably by the service after it had failed to deliver for a day; records of that time are lost."
)


@pytest.mark.parametrize(
    ("job", "sentence"),
    [
        ([], "a job is a list, not an object"),
        ({}, "a job has no id"),
        ({"id": None}, "a job has None as its id, not a number above 0"),
        ({"id": 8}, "job 7 was requested, but the answer contains job 8"),
        (
            {"id": 7, "name": 1, "destination_conf": 2, "output_options": {"sample_rate": "1", "merge_subrequests": 0}},
            f"{OTHERWISE}: name, destination_conf, output_options.sample_rate, output_options.merge_subrequests",
        ),
        ({"id": 7, "output_options": ["field_names"]}, f"{OTHERWISE}: output_options"),
    ],
)
def test_sentences_about_what_is_no_job(job: t.Any, sentence: str) -> None:
    with pytest.raises(Failure) as caught:
        parse_job(job, 7)
    assert str(caught.value) == f"The service's answer cannot be used: {sentence}."


@pytest.mark.parametrize(
    "options",
    [
        {"CVE-2021-44228": True, "merge_subrequests": False},
        {"sample_rate": 1, "field_names": [], "batch_prefix": ""},
        {"sample_rate": 0.5, "field_names": ["a"], "record_template": None},
        {"a member that comes later": 1},
    ],
)
def test_documented_output_options_are_accepted(options: dict[str, t.Any]) -> None:
    """Output options of the documented types are part of a job."""
    job = {**JOB, "output_options": options}
    assert parse_job(job, 7).members is job


@pytest.mark.parametrize(
    ("sent", "shown", "explained"),
    [
        (TEXT, TEXT, 'A record is delivered only if ClientCountry is "de"; all other records are left out.'),
        (
            {"where": {"and": [{"key": "ClientCity", "operator": "eq", "value": "Köln"}]}},
            '{"where":{"and":[{"key":"ClientCity","operator":"eq","value":"Köln"}]}}',
            'A record is delivered only if ClientCity is "Köln"; all other records are left out.',
        ),
        ("not JSON", "not JSON", "The filter could not be understood, so it is not known which records are delivered."),
        ({}, None, "Every record is delivered: there is no filter."),
        ("", None, "Every record is delivered: there is no filter."),
    ],
)
def test_filter_is_shown_as_sent_and_explained(sent: t.Any, shown: str | None, explained: str) -> None:
    """A filter is shown as the text that is sent and explained."""
    found = view(parse_job({**JOB, "filter": sent}))
    assert (found["filter"], found["filter_explained"]) == (shown, explained)
    assert found.keys() == view(None).keys()


ZERO = "0001-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("job", "wants_enabled", "sentences"),
    [
        ({"enabled": True, "last_complete": "2026-03-02"}, None, ()),
        ({"enabled": True, "last_complete": "2026-03-02", "last_error": "2026-03-02"}, None, ()),
        (
            {"enabled": True, "last_error": "2026-03-02"},
            None,
            (f"{FAILED} at 2026-03-02; the service gives no reason.",),
        ),
        (
            {"enabled": False, "last_error": "2026-03-02", "last_complete": "2026-03-01"},
            True,
            (f"{FAILED} at 2026-03-02; the service gives no reason.", DISABLED),
        ),
        ({"enabled": True, "error_message": "no bucket"}, None, (f"{FAILED}: no bucket",)),
        (
            {"error_message": "no bucket", "last_error": "2026-03-02"},
            None,
            (f"{FAILED} at 2026-03-02: no bucket", DISABLED),
        ),
        ({"error_message": "no bucket"}, False, (f"{FAILED}: no bucket",)),
        ({"enabled": True, "last_error": ZERO}, None, ()),
        ({"enabled": True, "last_error": ZERO, "last_complete": "2026-03-02T10:00:00Z"}, None, ()),
        ({"enabled": True, "last_error": ZERO, "error_message": "no bucket"}, None, (f"{FAILED}: no bucket",)),
        (
            {"enabled": True, "last_error": "2026-03-02T10:00:00Z", "last_complete": ZERO},
            None,
            (f"{FAILED} at 2026-03-02T10:00:00Z; the service gives no reason.",),
        ),
    ],
)
def test_undelivering_job_is_described(job: dict[str, t.Any], wants_enabled: bool | None, sentences: tuple[str, ...]) -> None:
    """Sentences about a job that does not deliver."""
    assert delivery_warnings(parse_job({**JOB, **job}), wants_enabled) == sentences


@pytest.mark.parametrize(
    ("error", "complete", "failed"),
    [
        ("2026-03-02T10:00:00Z", "2026-03-02T10:00:00.5Z", False),
        ("2026-03-02T10:00:00.5Z", "2026-03-02T10:00:00Z", True),
        ("2026-03-02T10:00:00.500Z", "2026-03-02T10:00:00.5Z", False),
        ("2026-03-02T10:00:00+02:00", "2026-03-02T09:00:00Z", False),
        ("2026-03-02T09:00:00-05:00", "2026-03-02T10:00:00Z", True),
        ("2026-03-02t10:00:01z", "2026-03-02T10:00:00Z", True),
    ],
)
def test_last_failure_is_told_by_time(error: str, complete: str, failed: bool) -> None:
    """However the service writes its times, the later one counts."""
    job = {**JOB, "enabled": True, "last_error": error, "last_complete": complete}
    assert bool(delivery_warnings(parse_job(job), None)) is failed
