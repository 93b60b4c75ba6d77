# SPDX-License-Identifier: GPL-3.0-or-later

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import DATASETS
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.personal_fields import (
    PERSONAL_FIELDS,
    personal_fields,
)


def test_every_dataset_is_known():
    assert PERSONAL_FIELDS.keys() == frozenset().union(*DATASETS.values())


@pytest.mark.parametrize(
    ("dataset", "selected", "personal"),
    [
        ("http_requests", "RayID,ClientIP,Cookies", ["ClientIP", "Cookies"]),
        (None, "ClientIP", ["ClientIP"]),
        ("email_security_alerts", "Subject,AlertID", ["Subject"]),
        ("dlp_forensic_copies", "Payload,Phase", ["Payload"]),
        ("sinkhole_http_logs", "Password,Method", ["Password"]),
        ("ssh_logs", "Payload,PTY", ["Payload"]),
        ("websocket_analytics", "ClientIP,RayID", ["ClientIP"]),
        ("websocket_analytics", "clientIP,rayId", ["clientIP"]),
        ("gateway_dns", "QueryNameReversed,RCode", ["QueryNameReversed"]),
        ("network_analytics_logs", "IPDestinationAddress,SourceASN", ["IPDestinationAddress"]),
        ("nel_reports", "ClientIPASN,ClientIPCountry", []),
        ("made_up", "ClientIP", None),
    ],
)
def test_fields_that_identify_a_person(dataset, selected, personal):
    assert personal_fields({"dataset": dataset, "logpull_options": f"fields={selected}"}) == personal


@pytest.mark.parametrize("output", [None, {"sample_rate": 1}])
@pytest.mark.parametrize("older", [None, "", "timestamps=unix"])
def test_fields_that_the_service_chooses_are_not_known(older, output):
    """A job that lists no field delivers what the service chooses, of which nobody can say that it identifies no person."""
    job = {"dataset": "http_requests", "logpull_options": older, "output_options": output}
    assert personal_fields(job) is None
    assert personal_fields({**job, "dataset": "nel_reports"}) == [], "no field of this dataset does"


def test_fields_of_the_older_form_beside_the_newer_one_are_not_known():
    older = {"dataset": "http_requests", "logpull_options": "fields=ClientIP", "output_options": {"sample_rate": 1}}
    assert personal_fields(older) is None
