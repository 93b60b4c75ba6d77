# SPDX-License-Identifier: GPL-3.0-or-later

"""A job and desired states of it, for the tests of the Logpush package."""

import base64
import json
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._address import Address
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure, Plan
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import Job, JobState, parse_job
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import DesiredJob, desire
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.plan import plan

ZONE = "023e105f4ecef8ad9ca31a8372d0c353"
S3 = "s3://bucket/dir?region=a"
KEYS = "s3://bucket/dir?region=a&access-key-id=ID&secret-access-key=planted"
CONDITION = {"key": "ClientCountry", "operator": "eq", "value": "de"}
TEXT = '{"where":{"and":[{"key":"ClientCountry","operator":"eq","value":"de"}]}}'
JOB: dict[str, t.Any] = {"id": 7, "name": "n", "dataset": "http_requests", "enabled": False, "destination_conf": S3}
NOTHING: dict[str, t.Any] = {
    "state": "present",
    "zone_id": ZONE,
    **dict.fromkeys(
        (
            *(
                "name",
                "job_id",
                "dataset",
                "destination_conf",
                "destination_address",
                "ownership_challenge",
                "fields",
                "timestamp_format",
            ),
            *("option_flags", "logpull_options", "output_options", "filter", "enabled", "kind", "frequency"),
            *("max_upload_bytes", "max_upload_interval_seconds", "max_upload_records"),
            *("filter_attack_traffic", "transformer_id", "transformer"),
        )
    ),
    "recreate": False,
    "validate_filter": True,
    "create_without_listing": False,
    "validate_fields": True,
    "send_destination": "if_different",
}


def jwt(claims: t.Any) -> str:
    """Return an unsigned ownership token."""
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({"alg": "none"}, claims)]
    return ".".join((*parts, "x"))


def declare_job(**options: t.Any) -> DesiredJob:
    return desire({**NOTHING, **({} if "job_id" in options else {"name": "n"}), **options})


def parsed(job: dict[str, t.Any] | None) -> Job | None:
    return None if job is None else parse_job(job)


def state_of(job: dict[str, t.Any] | None, **state: t.Any) -> JobState:
    return JobState(parsed(job), **state)


def planned(options: dict[str, t.Any], job: dict[str, t.Any] | None, **state: t.Any) -> Plan:
    return plan(declare_job(**options), state_of(job, **{"address": Address("zone", ZONE), **state}))


def sent(plan: Plan) -> list[tuple[str, t.Any]]:
    return [(request.operation.partition(".")[2], request.body) for request in plan.requests]


class Listings(list[t.Any]):
    """Answers of one operation, in order; the last one is repeated."""


class FakeClient:
    """Answers operations by the last part of their names, or by the dataset for its fields; raises an answer that is a Failure."""

    address = Address("zone", ZONE)

    def __init__(self, **answers: t.Any) -> None:
        self._answers = answers
        self.asked: list[str] = []
        self.warnings: list[str] = []
        self.slept: list[float] = []
        self.sleep = self.slept.append

    def call(self, operation: str, ids: t.Mapping[str, t.Any]) -> t.Any:
        return type("Answer", (), {"result": self._answer(str(ids.get("dataset", operation)))})

    def items(self, operation: str, **_more: t.Any) -> t.Any:
        return self._answer(operation)

    def _answer(self, name: str) -> t.Any:
        self.asked.append(name.rpartition(".")[2])
        answer = self._answers[self.asked[-1]]
        # In order; the last one is repeated.
        answer = (answer.pop(0) if len(answer) > 1 else answer[0]) if isinstance(answer, Listings) else answer
        if isinstance(answer, Failure):
            raise answer
        return answer
