# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from harness import Modules

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


def test_jobs_by_every_condition(modules: Modules) -> None:
    modules.simulator.settings(job_get="array")
    modules.simulator.seed(jobs={modules.zone: JOBS})
    tasks = [info({}), info({"name": "twin", "dataset": "http_requests"}), info({"job_id": 7}), info({"job_id": 4711})]
    report = modules.run(tasks, secrets=[SECRET])
    assert [[job["id"] for job in outcome.result["jobs"]] for outcome in report.ours] == [[5, 7, 9], [5, 9], [7], []]
    assert not any(outcome.result["changed"] for outcome in report.ours)
    sumo, s3, https = report.ours[0].result["jobs"]
    assert sumo["destination"] == {"scheme": "sumo", "address": "endpoint.example.com/receiver/v1/http/********", "options": {}}
    assert https["destination"] == {
        "scheme": "https",
        "address": "********@logs.example.com/in",
        "options": {"header_Authorization": "********"},
    }
    assert s3["destination"] == {"scheme": "s3", "address": "bucket", "options": {}}
    assert s3["max_upload_interval_seconds"] == 30
    assert s3["filter_explained"].startswith("Every record")


def test_a_service_that_lists_no_jobs(modules: Modules) -> None:
    modules.simulator.seed(jobs={modules.zone: JOBS[:1]})
    modules.simulator.settings(job_list="404")
    modules.run(info({}), fails="not_found")
    assert [job["id"] for job in modules.run(info({"job_id": 9}), secrets=[SECRET]).result["jobs"]] == [9]
    modules.simulator.settings(job_list="ok", job_get="404")
    assert [job["id"] for job in modules.run(info({"job_id": 9}), secrets=[SECRET]).result["jobs"]] == [9]


def test_health(modules: Modules) -> None:
    """The state of each job against the clock of this machine, with one job that failed and one that the service switched off."""
    signs: list[dict[str, t.Any]] = [
        {"enabled": True, "last_complete": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"},
        {"enabled": True, "last_complete": "2020-01-01T00:00:00Z"},
        {
            "enabled": True,
            "last_error": "2026-03-02T09:44:10Z",
            "error_message": f"refused: https://user:{SECRET}@logs.example.com",
        },
        {"enabled": False, "error_message": "gone"},
        {"enabled": True},
        {"enabled": True, "last_complete": "2099-01-01T00:00:00Z"},
    ]
    jobs = [
        {"id": number, "name": f"{number}", "destination_conf": "s3://bucket", **sign} for number, sign in enumerate(signs, 1)
    ]
    modules.simulator.seed(jobs={modules.zone: jobs})
    report = modules.run([info({}), info({"stale_after": 1_000_000_000, "job_id": 2})], secrets=[SECRET])
    shown = [job["health"] for job in report.ours[0].result["jobs"]]
    assert [health["state"] for health in shown] == ["healthy", "stale", "failing", "disabled", "never", "stale"]
    assert shown[2]["since"] == "2026-03-02T09:44:10Z" and "refused" in shown[2]["message"]
    assert shown[1]["lag_seconds"] > 3600 and shown[4]["lag_seconds"] is None
    assert report.ours[1].result["jobs"][0]["health"]["state"] == "healthy"
    modules.run(info({"stale_after": 0}), fails="invalid_option")
