# SPDX-License-Identifier: GPL-3.0-or-later

"""The memory that answers need, measured in a separate process."""

import json
import subprocess
import sys
import typing as t

import pytest
from support.conversations import answering

MIB = 1024 * 1024
DECODING = """
import resource
from ansible_collections.edgeops.observability.plugins.module_utils._api.response import Unusable, decode, open_envelope
from ansible_collections.edgeops.observability.plugins.module_utils._http import MAX_BODY_BYTES
begin, item, end = {begin!r}, {item!r}, {end!r}
body = begin + item * ((MAX_BODY_BYTES - len(begin) - len(end)) // len(item)) + end
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    open_envelope(decode(body), (list,))
    print("taken", end=" ")
except Unusable as bad:
    print("refused", end=" ")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def run(code: str, *arguments: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize(
    ("item", "outcome"),
    [
        (b"[],", "refused"),
        (b"[[]],", "refused"),
        (b'{"a":0},', "refused"),
        (b'"ab",', "refused"),
        (b"1.5,", "refused"),
        # The maximum number of values.
        (b'{"abc":"bcd"},'.ljust(54), "taken"),
        (b'"ab",'.ljust(27), "taken"),
        # With one character outside the basic plane, Python needs four bytes for each character of a text.
        (('"\N{PILE OF POO}' + "a" * 20 + '",').encode().ljust(27), "taken"),
        (b'{"abc":"' + b"x" * 200 + b'","d":[1.5]},', "taken"),
    ],
)
def test_no_answer_takes_more_than_640_mb(item: bytes, outcome: str) -> None:
    actual, kib = run(DECODING.format(begin=b'{"success":true,"result":[', item=item, end=b"0]}"))
    assert actual == outcome and int(kib) / 1024 * MIB < 640_000_000


LISTING = """
import resource, sys
sys.path[:0] = sys.argv[2:]
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.edgeops.observability.plugins.module_utils._engine.run import Run
from ansible_collections.edgeops.observability.plugins.modules.logpush_job_info import TASK
options = {"base_url": sys.argv[1], "api_token": "token-for-a-test-4f19", "zone_id": "ab", "request_budget": "none"}
params = ArgumentSpecValidator(**TASK.arguments()).validate(options).validated_parameters
result = Run(params, check_mode=False, diff_mode=False).finish(TASK)
print(len(result.get("jobs", ())), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
JOB = {
    "dataset": "http_requests",
    "enabled": True,
    "destination_conf": "s3://edge-logs/all?region=eu-west-1",
    "output_options": {"field_names": [f"ClientRequestField{number}" for number in range(75)], "timestamp_format": "rfc3339"},
    "filter": json.dumps({"where": {"and": [{"key": "ClientRequestHost", "operator": "eq", "value": "shop.example"}] * 2}}),
    "last_complete": "2026-11-01T00:00:00Z",
}


def test_ten_thousand_jobs_are_listed_in_400_mb(serve: t.Any, pytestconfig: pytest.Config) -> None:
    jobs = [{"id": number, "name": f"job-{number}", **JOB} for number in range(1, 10_001)]
    body = json.dumps({"success": True, "errors": [], "messages": [], "result": jobs}).encode()
    assert len(body) > 20_000_000
    paths = [str(pytestconfig.rootpath / name) for name in t.cast("list[str]", pytestconfig.getini("pythonpath"))]
    count, kib = run(LISTING, f"http://127.0.0.1:{serve(answering(body)).port}", *paths)
    assert count == "10000" and int(kib) / 1024 * MIB < 400_000_000
