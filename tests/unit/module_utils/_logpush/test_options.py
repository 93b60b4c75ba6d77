# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from samples.logpush import CONDITION, KEYS, declare_job
from samples.logpush import NOTHING as NO_OPTIONS
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import DATASETS, RANGES
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.logpull_options import Requested
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import (
    desire,
    desire_dataset,
    desire_report,
    unknown_dataset,
)

OMITTED = dict.fromkeys(("job_id", "destination", "challenge", "filter", "logpull", "output"))
IBM, IBM_MAX = "ibmcl://h", 2_000_000
LONG_DESTINATION = "s3://".ljust(4096, "a")


@pytest.mark.parametrize(
    ("options", "desired"),
    [
        ({}, {"present": True, "name": "n", "dataset": "http_requests", "plain": {"name": "n"}, "recreate": False}),
        ({}, {"create_without_listing": False, "sending": "if_different", "validate_fields": True, **OMITTED}),
        ({"state": "absent"}, {"present": False}),
        ({"recreate": True, "create_without_listing": True}, {"recreate": True, "create_without_listing": True}),
        ({"job_id": 7, "name": ""}, {"job_id": 7, "name": "", "plain": {"name": ""}}),
        ({"dataset": ""}, {"plain": {"name": "n"}, "dataset": "http_requests"}),
        ({"dataset": "a" * 256}, {"dataset": "a" * 256, "plain": {"name": "n", "dataset": "a" * 256}}),
        ({"enabled": False, "kind": "edge"}, {"plain": {"name": "n", "enabled": False, "kind": "edge"}}),
        ({"destination_conf": LONG_DESTINATION}, {"destination": LONG_DESTINATION}),
        ({"destination_conf": KEYS, "ownership_challenge": " token\r\n"}, {"destination": KEYS, "challenge": "token"}),
        ({"ownership_challenge": "a" * 4096 + "\n"}, {"challenge": "a" * 4096}),
        ({"ownership_challenge": "\n"}, {}),
        ({"filter": ""}, {"filter": ""}),
        ({"max_upload_bytes": IBM_MAX, "destination_conf": IBM}, {"plain": {"name": "n", "max_upload_bytes": IBM_MAX}}),
        ({"filter": CONDITION}, {"filter": parse(CONDITION)}),
        ({"filter": {"and": [CONDITION] * 31}, "validate_filter": False}, {"filter": parse({"and": [CONDITION] * 31})}),
        ({"logpull_options": "fields=a"}, {"logpull": Requested(("a",), {})}),
        ({"logpull_options": ""}, {"logpull": Requested(None, {})}),
        (
            {"fields": ["a"], "timestamp_format": "rfc3339", "option_flags": {"X": True}},
            {"logpull": Requested(("a",), {"timestamps": "rfc3339", "X": "true"}, "fields")},
        ),
        ({"timestamp_format": "unix"}, {"logpull": Requested(None, {"timestamps": "unix"}, "timestamp_format")}),
        ({"output_options": {"sample_rate": 0.5}}, {"output": {"sample_rate": 0.5}}),
    ],
)
def test_options_become_a_desired_job(options: dict[str, t.Any], desired: dict[str, t.Any]) -> None:
    declared = declare_job(**options)
    members = {**declared._asdict(), "destination": declared.destination.text if declared.destination else None}
    # Compared as text, because true equals 1, and expressions have no `==`.
    assert {name: repr(members[name]) for name in desired} == {name: repr(value) for name, value in desired.items()}


MEANT_GS = (
    "(did you mean 'gs'?); known are azure, bq, datadog, gs, http, https, ibmcl, kinesis, r2, s3, sentinelone, splunk, sumo"
)
NOR = "(the default of the service) nor 5000000 to 1000000000"
DESTINATION = "destination_conf: is not of the form SCHEME://ADDRESS, as in s3://bucket/folder?region=us-west-2"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"job_id": 0}, "job_id: 0 is not above 0"),
        ({"name": None}, "name: is empty; without job_id it is required"),
        ({"max_upload_records": 999}, "max_upload_records: 999 is neither 0 (the default of the service) nor 1000 to 1000000"),
        ({"max_upload_bytes": 1, "destination_conf": "bq://p"}, f"max_upload_bytes: 1 is neither 0 {NOR}"),
        ({"transformer_id": -1}, "transformer_id: -1 is below 0; 0 removes the transformer"),
        ({"dataset": "a b"}, "dataset: 'a b' is not up to 256 letters, digits, '_' and '-'"),
        ({"dataset": "a" * 257}, f"dataset: '{'a' * 257}' is not up to 256 letters, digits, '_' and '-'"),
        (
            {"kind": "edge", "dataset": "firewall_events"},
            "kind: 'edge' exists for the dataset http_requests only, not for firewall_events",
        ),
        ({"destination_conf": "bucket/planted"}, DESTINATION),
        ({"destination_conf": "s3://planted\n"}, DESTINATION),
        ({"max_upload_bytes": IBM_MAX + 1, "destination_conf": IBM}, f"max_upload_bytes: 2000001 is neither 0 {NOR}"),
        ({"destination_conf": f"{LONG_DESTINATION}a"}, "destination_conf: 4097 characters are more than the limit of 4096"),
        ({"destination_conf": "gcs://planted"}, f"destination_conf: 'gcs' is not a type of destination {MEANT_GS}"),
        ({"ownership_challenge": "a" * 4097}, "ownership_challenge: 4097 characters are more than the limit of 4096"),
        ({"ownership_challenge": "planted token"}, "ownership_challenge: contains white space, which no token has"),
        ({"filter": {"and": []}}, "filter.where.and: must not be empty"),
        (
            {"filter": {"and": [CONDITION] * 31}},
            "filter: 31 operators are 1 more than the limit of 30; 1662 bytes are 662 more than the limit of 1000",
        ),
    ],
)
def test_invalid_options_are_refused(options: dict[str, t.Any], sentence: str) -> None:
    assert refusal(declare_job, **options) == ("invalid_option", sentence)


@pytest.mark.parametrize("name", RANGES)
def test_upload_limit_has_a_range_and_zero(name: str) -> None:
    low, high = RANGES[name]
    for value in (-1, 1, low - 1, high + 1):
        assert refusal(declare_job, **{name: value})[1].startswith(f"{name}: {value} is neither 0 ")
    assert [declare_job(**{name: value}).plain[name] for value in (0, low, high)] == [0, low, high]


@pytest.mark.parametrize(
    ("address", "dataset", "words"),
    [
        ("zone_id", "gateway_dns", "accounts only; those of zones are account_abuse_protection_events, dns_logs"),
        ("account_id", "dns_logs", "zones only; those of accounts are access_requests, "),
        ("zone_id", "firewall_events", ""),
        ("account_id", "firewall_events", ""),
        ("zone_id", "new_dataset", ""),
    ],
)
def test_dataset_of_the_other_scope_is_refused(address: str, dataset: str, words: str) -> None:
    """A dataset of the other scope is refused; an unknown one is left to the service."""
    options = {**NO_OPTIONS, "zone_id": None, address: "9a7806061c88ada191ed06f989cc3dac", "name": "n", "dataset": dataset}
    if not words:
        assert desire(options).dataset == desire_dataset(options) == dataset
        return
    for check in (desire, desire_dataset):
        assert refusal(check, options)[1].startswith(f"dataset: '{dataset}' exists for {words}")


def test_every_dataset_has_one_scope_or_both() -> None:
    assert (len(DATASETS["zone"]), len(DATASETS["account"]), len(DATASETS["zone"] | DATASETS["account"])) == (9, 31, 38)


def test_unknown_dataset_is_a_warning() -> None:
    assert unknown_dataset("http_request") == [
        "dataset: 'http_request' is not a dataset that this collection knows (did you mean 'http_requests'?)."
    ]
    assert unknown_dataset("gateway_dns") == []


def test_invalid_query_of_jobs_is_refused() -> None:
    query = {"name": "n", "dataset": "d", "job_id": None, "stale_after": 1}
    assert desire_report(query) == ("n", "d", None, 1)
    for name in ("job_id", "stale_after"):
        assert refusal(desire_report, {**query, name: 0}) == ("invalid_option", f"{name}: 0 is not above 0")
    assert refusal(desire_dataset, {"dataset": ""}) == ("invalid_option", "dataset: is empty")
