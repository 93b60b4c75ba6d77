# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest
from samples.logpush import JOB, KEYS, TEXT
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import parse_job, view

WRONG = "output_options.sample_rate, output_options.CVE-2021-44228"
OTHERWISE = "job 7 has members of another type than documented"


@pytest.mark.parametrize(
    ("job", "sentence"),
    [
        ("job", "a job is a string, not an object"),
        ({}, "a job has no id"),
        *(({"id": value}, f"a job has {value!r} as its id, not a number above 0") for value in (None, "7", True, 0)),
        ({"id": 8}, "job 7 was requested, but the answer contains job 8"),
        ({"id": 7, "enabled": "yes"}, f"{OTHERWISE}: enabled"),
        ({"id": 7, "max_upload_bytes": True}, f"{OTHERWISE}: max_upload_bytes"),
        ({"id": 7, "name": 1, "filter": []}, f"{OTHERWISE}: name, filter"),
        ({"id": 7, "destination_conf": {"planted": 1}}, f"{OTHERWISE}: destination_conf"),
        ({"id": 7, "output_options": {"field_names": [1]}}, f"{OTHERWISE}: output_options.field_names"),
        ({"id": 7, "output_options": {"sample_rate": True, "CVE-2021-44228": 0}}, f"{OTHERWISE}: {WRONG}"),
    ],
)
def test_what_is_no_job_is_refused(job: t.Any, sentence: str) -> None:
    assert refusal(parse_job, job, 7) == ("bad_response", f"The service's answer cannot be used: {sentence}.")


def test_documented_output_options_are_accepted() -> None:
    options = {"CVE-2021-44228": True, "sample_rate": 1, "field_names": ["a"], "record_template": None, "a later member": 1}
    job = {**JOB, "output_options": options}
    assert parse_job(job, 7).members is job


NOT_UNDERSTOOD = "The filter could not be understood, so it is not known which records are delivered."


@pytest.mark.parametrize(
    ("sent", "shown", "explained"),
    [
        (TEXT, TEXT, 'A record is delivered only if ClientCountry is "de"; all other records are left out.'),
        ({"x": "ö"}, '{"x":"ö"}', NOT_UNDERSTOOD),
        ("not JSON", "not JSON", NOT_UNDERSTOOD),
        ({}, None, "Every record is delivered: there is no filter."),
        ("", None, "Every record is delivered: there is no filter."),
    ],
)
def test_filter_is_shown_as_sent_and_explained(sent: t.Any, shown: str | None, explained: str) -> None:
    found = view(parse_job({**JOB, "filter": sent}))
    assert (found["filter"], found["filter_explained"]) == (shown, explained)


def test_minimal_job_has_every_member() -> None:
    assert view(parse_job({"id": 7})) == {
        "id": 7, "name": None, "dataset": "http_requests", "enabled": False, "kind": "", "frequency": "high", "other": {},
        "logpull_options": None, "output_options": None, "filter": None, "transformer_id": None, "filter_attack_traffic": False,
        "max_upload_bytes": None, "max_upload_interval_seconds": 30, "max_upload_records": 100_000,
        "last_complete": None, "last_error": None, "error_message": None,
        "destination": {"scheme": None, "address": None, "options": {}},
        "filter_explained": "Every record is delivered: there is no filter.",
    }  # fmt: skip


def test_a_view_has_no_secret() -> None:
    secret = {"destination_conf": KEYS, "error_message": "planted", "ownership_challenge": "challenge"}
    shown = str(view(parse_job({**JOB, **secret})))
    assert "planted" not in shown and "challenge" not in shown
    job = {**JOB, "redact": {"ips": True}, "webhook": "https://h/x?token=planted", "apiKey": "planted", "time_created": "x"}
    other = {"redact": {"ips": True}, "webhook": "https://h/x?token=********", "apiKey": "********"}
    assert view(parse_job(job))["other"] == other
