# SPDX-License-Identifier: GPL-3.0-or-later

"""Configure the three settings of the fleet benchmark in many zones with the vendor's Python SDK, in threads."""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import cloudflare

PHASE = "http_log_custom_fields"
PARAMETERS = {
    "cookie_fields": [{"name": "Session"}],
    "request_fields": [{"name": "x-request-id"}, {"name": "x-tenant"}],
    "response_fields": [{"name": "x-cache"}],
}
RULE = {
    "action": "log_custom_field",
    "expression": "true",
    "description": "Custom log fields",
    "enabled": True,
    "action_parameters": PARAMETERS,
}
JOB = {
    "name": "fleet",
    "destination_conf": "s3://bucket/logs?region=eu-west-1",
    "dataset": "http_requests",
    "logpull_options": "fields=ClientIP,RayID,RequestHeaders&timestamps=rfc3339",
    "filter": '{"where":{"and":[{"key":"EdgeResponseStatus","operator":"geq","value":500}]}}',
    "enabled": True,
}


def plain(answer: Any) -> dict[str, Any]:
    """Return an answer as data; the SDK returns answers without a model as dictionaries."""
    return answer if isinstance(answer, dict) else answer.model_dump(mode="json", exclude_none=True)


def configure(client: cloudflare.Cloudflare, zone: str) -> None:
    """Apply the desired state to one zone."""
    if not plain(client.page_shield.get(zone_id=zone))["enabled"]:
        client.page_shield.update(zone_id=zone, enabled=True)
    try:
        ruleset = plain(client.rulesets.phases.get(PHASE, zone_id=zone))
    except cloudflare.NotFoundError:
        ruleset = plain(
            client.rulesets.create(zone_id=zone, kind="zone", name="Zone-level phase entry point", phase=PHASE, rules=[])
        )
    if [rule["action_parameters"] for rule in ruleset.get("rules") or []] != [PARAMETERS]:
        client.rulesets.update(ruleset["id"], zone_id=zone, rules=[RULE])
    if not any(plain(job)["name"] == JOB["name"] for job in client.logpush.jobs.list(zone_id=zone) if job):
        client.logpush.jobs.create(zone_id=zone, **JOB)


def main() -> None:
    """Configure the zones on the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=10)
    parser.add_argument("zones", nargs="+")
    options = parser.parse_args()
    client = cloudflare.Cloudflare(base_url=os.environ["CLOUDFLARE_BASE_URL"], api_token=os.environ["CLOUDFLARE_API_TOKEN"])
    with ThreadPoolExecutor(options.threads) as executor:
        list(executor.map(lambda zone: configure(client, zone), options.zones))


if __name__ == "__main__":
    main()
