# SPDX-License-Identifier: GPL-3.0-or-later

"""The vendor's SDKs read what the simulator answers: that for Python, which validates each answer by its types, and that for TypeScript."""

import json
import os
import shutil
import subprocess
import typing as t
from pathlib import Path

import cloudflare
import pydantic
import pytest
from cloudflare import Cloudflare

from edgeops_simulator import testing

ZONE, ACCOUNT, TOKEN = "023e105f4ecef8ad9ca31a8372d0c353", "c0" * 16, "token-of-the-sdk"
BUCKET = "s3://edge-logs/all?region=eu-west-1"
SCRIPT = {"script_id": "5e" * 16, "script_url": "https://js.example/a.js", "host": "shop.example", "js_integrity_score": 40}
CONNECTION = {"url": "https://api.example/collect", "host": "shop.example"}
COOKIE = {"name": "cart", "host": "shop.example", "type": "first_party"}
SILENCE = {"policy_id": "9e" * 16, "start_time": "2026-01-01T00:00:00Z", "end_time": "2026-01-02T00:00:00Z"}
SENT = {"alert_type": "failing_logpush_job_disabled_alert", "sent": "2026-01-01T00:00:00Z"}
FIELDS = {"action": "log_custom_field", "expression": "true", "action_parameters": {"request_fields": [{"name": "x-trace-id"}]}}
PHASE = "http_log_custom_fields"
MECHANISMS = {"email": [{"id": "operator@example.com"}]}

# What the simulator answers beyond the types, and why.
UNTYPED = {
    "LogpushJob.time_created": "in answers of the API, as users show them, and in no reference",
    "Account.type": "not in the line 4",
}


@pytest.fixture(scope="module")
def service() -> t.Iterator[testing.Simulator]:
    with testing.running(zones=[ZONE], accounts=[ACCOUNT], token=TOKEN) as service:
        service.seed(scripts={ZONE: [SCRIPT]}, connections={ZONE: [CONNECTION]}, cookies={ZONE: [COOKIE]})
        service.seed(silences={ACCOUNT: [SILENCE]}, notification_history={ACCOUNT: [SENT]})
        yield service


@pytest.fixture(scope="module")
def sdk(service: testing.Simulator) -> t.Iterator[Cloudflare]:
    client = Cloudflare(base_url=service.base_url, api_token=TOKEN, max_retries=0, _strict_response_validation=True)
    for name, create in CREATIONS.items():
        if not is_missing(name):
            created = create(client)
            assert created is not None and untyped(created) <= set(UNTYPED), name
    yield client
    client.close()


def is_missing(name: str) -> bool:
    """Return whether this line of the SDK does not have a call."""
    return cloudflare.__version__.startswith("4.") and name.startswith(("logpush.transformers", "alerting.silences"))


def untyped(value: object) -> set[str]:
    """Return the members of models, at any depth, that the types of the SDK do not have."""
    if isinstance(value, pydantic.BaseModel):
        own = {f"{type(value).__name__}.{name}" for name in value.model_extra or {}}
        return own.union(*(untyped(getattr(value, name)) for name in type(value).model_fields))
    if isinstance(value, dict):
        return set().union(*map(untyped, value.values()))
    return set().union(*map(untyped, value)) if isinstance(value, (list, tuple)) else set()


# What a user would create first.
CREATIONS: dict[str, t.Callable[[Cloudflare], object]] = {
    "page_shield.update": lambda sdk: sdk.page_shield.update(zone_id=ZONE, enabled=True),
    "page_shield.policies.create": lambda sdk: sdk.page_shield.policies.create(
        zone_id=ZONE, action="log", description="checkout", enabled=True, expression="true", value="script-src 'self'"
    ),
    "rulesets.create": lambda sdk: sdk.rulesets.create(zone_id=ZONE, kind="zone", name="fields", phase=PHASE, rules=[FIELDS]),
    "logpush.ownership.create": lambda sdk: sdk.logpush.ownership.create(zone_id=ZONE, destination_conf=BUCKET),
    "logpush.jobs.create": lambda sdk: sdk.logpush.jobs.create(
        zone_id=ZONE,
        destination_conf=BUCKET,
        dataset="http_requests",
        name="edge-logs",
        output_options={"field_names": ["RayID"]},
    ),
    "logpush.transformers.create": lambda sdk: sdk.logpush.transformers.create(
        account_id=ACCOUNT, name="redact", code="SELECT RayID FROM http_requests"
    ),
    "alerting.destinations.webhooks.create": lambda sdk: sdk.alerting.destinations.webhooks.create(
        account_id=ACCOUNT, name="chat", url="https://hooks.example/a"
    ),
    "alerting.policies.create": lambda sdk: sdk.alerting.policies.create(
        account_id=ACCOUNT, alert_type="failing_logpush_job_disabled_alert", enabled=True, mechanisms=MECHANISMS, name="jobs"
    ),
}
# What can be read, changed and deleted then.
READS: dict[str, t.Callable[[Cloudflare], object]] = {
    "zones.list": lambda sdk: list(sdk.zones.list()),
    "zones.get": lambda sdk: sdk.zones.get(zone_id=ZONE),
    "accounts.list": lambda sdk: list(sdk.accounts.list()),
    "accounts.get": lambda sdk: sdk.accounts.get(account_id=ACCOUNT),
    "user.tokens.verify": lambda sdk: sdk.user.tokens.verify(),
    "page_shield.get": lambda sdk: sdk.page_shield.get(zone_id=ZONE),
    "page_shield.scripts.list": lambda sdk: list(sdk.page_shield.scripts.list(zone_id=ZONE)),
    "page_shield.scripts.get": lambda sdk: sdk.page_shield.scripts.get(SCRIPT["script_id"], zone_id=ZONE),
    "page_shield.connections.list": lambda sdk: list(sdk.page_shield.connections.list(zone_id=ZONE)),
    "page_shield.cookies.list": lambda sdk: list(sdk.page_shield.cookies.list(zone_id=ZONE)),
    "page_shield.policies.list": lambda sdk: list(sdk.page_shield.policies.list(zone_id=ZONE)),
    "rulesets.list": lambda sdk: list(sdk.rulesets.list(zone_id=ZONE)),
    "rulesets.phases.get": lambda sdk: sdk.rulesets.phases.get(PHASE, zone_id=ZONE),
    "logpush.jobs.list": lambda sdk: list(sdk.logpush.jobs.list(zone_id=ZONE)),
    "logpush.jobs.get": lambda sdk: sdk.logpush.jobs.get(1, zone_id=ZONE),
    "logpush.jobs.update": lambda sdk: sdk.logpush.jobs.update(1, zone_id=ZONE, enabled=True),
    "logpush.datasets.jobs.get": lambda sdk: list(sdk.logpush.datasets.jobs.get("http_requests", zone_id=ZONE)),
    "alerting.silences.list": lambda sdk: list(sdk.alerting.silences.list(account_id=ACCOUNT)),
    "alerting.history.list": lambda sdk: list(sdk.alerting.history.list(account_id=ACCOUNT)),
    "logpush.datasets.fields.get": lambda sdk: sdk.logpush.datasets.fields.get("http_requests", zone_id=ZONE),
    "logpush.transformers.list": lambda sdk: list(sdk.logpush.transformers.list(account_id=ACCOUNT)),
    "logpush.transformers.get": lambda sdk: sdk.logpush.transformers.get(1, account_id=ACCOUNT),
    "alerting.available_alerts.list": lambda sdk: sdk.alerting.available_alerts.list(account_id=ACCOUNT),
    "alerting.destinations.webhooks.list": lambda sdk: list(sdk.alerting.destinations.webhooks.list(account_id=ACCOUNT)),
    "alerting.policies.list": lambda sdk: list(sdk.alerting.policies.list(account_id=ACCOUNT)),
}


@pytest.mark.parametrize("name", READS)
def test_sdk_reads_the_answer(sdk: Cloudflare, name: str) -> None:
    if is_missing(name):
        pytest.skip("not in the line 4 of the SDK")
    read = READS[name](sdk)
    assert read not in (None, [])
    assert untyped(read) <= set(UNTYPED)


def test_typescript_sdk_reads_the_same(service: testing.Simulator, sdk: Cloudflare) -> None:
    """The session installs the SDK into the folder that this variable names."""
    modules = os.environ.get("EDGEOPS_NODE_MODULES")
    if not (shutil.which("node") and modules and Path(modules, "cloudflare").is_dir()):
        pytest.skip("no Node.js, or its SDK could not be installed (Debian: nodejs, npm)")
    script = shutil.copy(Path(__file__).with_name("read.mjs"), Path(modules).with_name("read.mjs"))
    command = ["node", script, service.base_url, TOKEN, ZONE, ACCOUNT]
    read = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    answers = dict(json.loads(line) for line in read.stdout.splitlines())
    assert all(answers.values()) and len(answers) == 14
    assert [job["name"] for job in answers["logpush.jobs.list"]] == ["edge-logs"]
    assert [zone["name"] for zone in answers["zones.list"]] == [zone.name for zone in sdk.zones.list()]
    assert [script["url"] for script in answers["page_shield.scripts.list"]] == [SCRIPT["script_url"]]
