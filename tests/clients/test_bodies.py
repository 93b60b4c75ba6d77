# SPDX-License-Identifier: GPL-3.0-or-later

"""Each test of a module compares the bodies that it sent with the types of the vendor's SDK; these tests show that this finds differences."""

import typing as t

import pytest

from harness.sdk import misfits

JOB = {"destination_conf": "s3://edge-logs/all", "dataset": "http_requests"}


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ({**JOB, "output_options": {"field_names": ["RayID"]}, "transformer_id": 4}, []),
        ({"dataset": "http_requests"}, [".destination_conf: Field required"]),
        ({**JOB, "enabled": "perhaps"}, [".enabled: Input should be a valid boolean, unable to interpret input"]),
        ({**JOB, "output_options": {"field_name": ["RayID"]}}, [".output_options.field_name"]),
        ({**JOB, "filters": "{}"}, [".filters"]),
    ],
)
def test_body_that_does_not_fit_is_found(body: dict[str, t.Any], places: list[str]) -> None:
    assert misfits({"method": "POST", "path": "/zones/5e/logpush/jobs", "body": body}) == places
