# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from harness import Modules

pytestmark = pytest.mark.every_core

SECRET = "planted-secret-8c0d"
JOBS: list[dict[str, t.Any]] = [
    {
        "id": 9,
        "name": "twin",
        "destination_conf": f"https://user:{SECRET}@logs.example.com/in?header_Authorization=Bearer%20{SECRET}",
    },
    {"id": 5, "name": "twin", "destination_conf": f"sumo://endpoint.example.com/receiver/v1/http/{SECRET}"},
    {"id": 7, "name": "other", "destination_conf": "s3://bucket", "dataset": "firewall_events"},
]


def info(args: dict[str, t.Any], **more: t.Any) -> dict[str, t.Any]:
    return {"name": "Info", "edgeops.observability.logpush_job_info": args, **more}


def test_jobs_filtered_by_each_option(modules: Modules) -> None:
    modules.simulator.settings(job_get="array")
    modules.simulator.seed(jobs={modules.zone: JOBS})
    tasks = [info({}), info({"name": "twin", "dataset": "http_requests"}), info({"job_id": 7}), info({"job_id": 4711})]
    report = modules.run(tasks, secrets=[SECRET])
    assert [[job["id"] for job in outcome.result["jobs"]] for outcome in report.ours] == [[5, 7, 9], [5, 9], [7], []]
    assert not any(outcome.result["changed"] for outcome in report.ours)
    _sumo, s3, https = report.ours[0].result["jobs"]
    masked = {"scheme": "https", "address": "********@logs.example.com/in", "options": {"header_Authorization": "********"}}
    assert https["destination"] == masked
    assert s3["max_upload_interval_seconds"] == 30
    assert s3["filter_explained"].startswith("Every record")


def test_health_is_reported(modules: Modules) -> None:
    """The health of each job depends on the clock of this machine."""
    broken = {"last_error": "2026-03-02T09:44:10Z", "error_message": f"refused: https://user:{SECRET}@logs.example.com"}
    signs = [{"last_complete": "2020-01-01T00:00:00Z"}, broken, {"enabled": False, "error_message": "gone"}]
    jobs = [{**JOBS[2], "id": number, "enabled": True, **sign} for number, sign in enumerate(signs, 1)]
    modules.simulator.seed(jobs={modules.zone: jobs})
    report = modules.run([info({}), info({"stale_after": 1_000_000_000, "job_id": 1})], secrets=[SECRET])
    healths = [job["health"] for job in report.ours[0].result["jobs"]]
    assert [health["state"] for health in healths] == ["stale", "failing", "disabled"]
    assert healths[1]["since"] == broken["last_error"] and "refused" in healths[1]["message"]
    assert healths[0]["lag_seconds"] > 3600
    assert report.ours[1].result["jobs"][0]["health"]["state"] == "healthy"
    modules.run(info({"stale_after": 0}), fails="invalid_option")
