# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from harness import Modules

pytestmark = pytest.mark.every_core

S3 = "s3://example-bucket/http/{DATE}?region=us-west-2"
WITH_KEYS = "s3://archive?access-key-id=EXAMPLEID&secret-access-key=planted-key-8c0d&region=auto"
OPAQUE = "planted-challenge-51f7ac"


def ownership(args: dict[str, t.Any], **more: t.Any) -> dict[str, t.Any]:
    return {"name": "Ownership", "edgeops.observability.logpush_ownership": args, **more}


def job(args: dict[str, t.Any], **more: t.Any) -> dict[str, t.Any]:
    return {"name": "Job", "edgeops.observability.logpush_job": {"name": "n", "fields": ["ClientIP"], **args}, **more}


def test_challenge_is_requested_and_used_by_a_job(modules: Modules) -> None:
    modules.simulator.settings(strict_ownership=True)
    asked = modules.run(ownership({"destination_conf": S3}))
    assert asked.result["changed"] is True
    assert asked.result["ownership"]["valid"] is True
    assert "ownership-challenge" in asked.result["ownership"]["filename"]
    assert "plan_id" not in asked.result
    token = modules.simulator.state(modules.zone)["challenges"][-1]["token"]
    desired = {"destination_conf": S3, "ownership_challenge": f"{token}\n"}
    report = modules.run(
        [ownership(desired), job({**desired, "enabled": True}), job({**desired, "enabled": True})], secrets=[token]
    )
    validated, created, unchanged = report.ours
    assert validated.result["changed"] is False
    assert validated.result["ownership"] == {"valid": True}
    assert created.writes[0]["body"]["ownership_challenge"] == token
    assert unchanged.result["changed"] is False


def test_check_mode_sends_nothing(modules: Modules) -> None:
    """Check mode sends nothing, and predicted values are null."""
    report = modules.run(
        [ownership({"destination_conf": S3}), ownership({"destination_conf": S3, "ownership_challenge": OPAQUE})], check=True
    )
    asked, validated = (outcome.result for outcome in report.ours)
    assert (asked["changed"], asked["ownership"]) == (True, {"filename": None, "valid": None, "message": None})
    assert (validated["changed"], validated["ownership"]) == (False, {"valid": None})
    assert validated["diff"]["before"] == validated["diff"]["after"]
    assert not report.journal


def test_negative_result_with_http_200_fails(modules: Modules) -> None:
    modules.simulator.settings(unwritable_destinations=["s3://archive*"])
    report = modules.run(
        [
            ownership({"destination_conf": S3, "ownership_challenge": OPAQUE}, ignore_errors=True),
            ownership({"destination_conf": WITH_KEYS}, ignore_errors=True),
        ],
        fails="rejected",
        warns=["no proof of ownership"],
    )
    assert [outcome.journal[0]["status"] for outcome in report.ours] == [200, 200]
    assert report.ours[0].result["changed"] is False
    assert "cannot be written to" in report.ours[1].result["msg"]
