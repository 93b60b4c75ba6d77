# SPDX-License-Identifier: GPL-3.0-or-later

"""A scenario with something wrong, which a run with less knowledge must not find in order, and what scenarios are made of."""

import dataclasses
import datetime
import typing as t

from faults import scenarios
from properties import decisions
from properties.decisions import Decision, Document, Place

from ansible_collections.edgeops.observability.plugins.module_utils._address import ACCOUNT as OF_ACCOUNT
from ansible_collections.edgeops.observability.plugins.module_utils._address import ZONE as OF_ZONE
from ansible_collections.edgeops.observability.plugins.module_utils._address import Address

ZONE_ID, ACCOUNT_ID, NAME = scenarios.ZONE, scenarios.ACCOUNT, "shop.example"
IN_ZONE, IN_ACCOUNT = Address(OF_ZONE, ZONE_ID), Address(OF_ACCOUNT, ACCOUNT_ID)


def ago(hours: float) -> str:
    moment = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=hours)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclasses.dataclass(frozen=True)
class Trouble:
    """A state of the service in which something is wrong, the run that must tell it, and what it has to tell."""

    run: t.Callable[[Place], Decision]
    tells: tuple[str, ...]
    seed: Document = dataclasses.field(default_factory=dict)
    address: Address = IN_ZONE
    settings: Document = dataclasses.field(default_factory=dict)
    # Losses that the contract answers otherwise, as causes.
    allowed: tuple[tuple[str, str, str], ...] = ()
    # Whether what may be absent is taken away too, because the run knows that it was there.
    optional: bool = False
    # What was there before, and what the run did with it.
    before: Document = dataclasses.field(default_factory=dict)
    begin: t.Callable[[Place], None] | None = None

    def earlier(self) -> Document:
        return dataclasses.replace(self, seed=self.before).whole_seed()

    def whole_seed(self) -> Document:
        account = {"id": ACCOUNT_ID, "name": "Shop"}
        zones = [{"id": ZONE_ID, "name": NAME, "status": "active", "account": account}]
        key = self.address.id
        parts = {name: {key: value} for name, value in self.seed.items() if name not in ("of_account", "of_zone")}
        for name, other in (("of_account", ACCOUNT_ID), ("of_zone", ZONE_ID)):
            for part, value in self.seed.get(name, {}).items():
                parts.setdefault(part, {})[other] = value
        return {"zones": zones, "accounts": [account], **parts, "settings": self.settings}


BUCKET = "s3://logs/all?region=eu-west-1"
JOB: Document = {
    "id": 1,
    "name": "edge",
    "dataset": "http_requests",
    "destination_conf": BUCKET,
    "enabled": True,
    "output_options": {"field_names": ["ClientIP", "RayID"], "timestamp_format": "rfc3339"},
}
DECLARED: Document = {"name": "edge", "destination_conf": BUCKET, "output_options": {"field_names": ["ClientIP", "RayID"]}}
OF_OLDER_FORM: Document = {
    "name": "edge",
    "destination_conf": BUCKET,
    "fields": ["ClientIP", "RayID"],
    "timestamp_format": "rfc3339",
}


def jobs(*jobs: Document) -> list[Document]:
    return [{**JOB, "last_complete": ago(0.1), **job} for job in jobs]


def declares(*names: str, **options: t.Any) -> Document:
    return {"jobs": [{"name": name, "dataset": "http_requests", **options} for name in names], "unlisted_jobs": "report"}


CHECK, SURVEY, DELIVER, MODULE = decisions.check, decisions.survey, decisions.deliver, decisions.module

HEALTH = jobs(
    {"id": 1, "name": "edge"},
    {"id": 2, "name": "failing", "last_error": ago(0.05), "error_message": "access denied"},
    {"id": 3, "name": "silent", "last_complete": ago(50)},
    {"id": 4, "name": "off", "enabled": False, "error_message": "no such bucket", "last_error": ago(30)},
    {"id": 5, "name": "never", "last_complete": None},
    {"id": 6, "name": "unlisted"},
)
OF_HEALTH = ("job_failing", "job_disabled_by_service", "job_silent", "job_never")

SCRIPT: Document = {
    "script_id": "0a" * 16,
    "script_url": "https://cdn.example/a.js",
    "host": NAME,
    "status": "active",
    "hash": "a" * 64,
}
SCRIPTS: list[Document] = [
    {**SCRIPT, "js_integrity_score": 10},
    {**SCRIPT, "script_id": "0b" * 16, "script_url": "https://cdn.example/bad.js", "js_integrity_score": 99},
    {**SCRIPT, "script_id": "0c" * 16, "script_url": "https://cdn.example/told.js", "url_reported_malicious": True},
    {**SCRIPT, "script_id": "0d" * 16, "script_url": "https://cdn.example/changed.js", "hash": "b" * 64},
    {**SCRIPT, "script_id": "0e" * 16, "script_url": "https://cdn.example/new.js"},
]
AUTHORISED: Document = {"owner": "o", "justification": "j", "authorised_by": "me"}


def entry(name: str, **more: t.Any) -> Document:
    return {"name": name, "url": f"https://cdn.example/{name}.js", "hashes": ["a" * 64], **AUTHORISED, **more}


BASELINE: Document = {"baseline": [*map(entry, ("a", "bad", "told", "changed")), entry("gone", required=True)]}
OF_SCRIPTS = ("malicious", "reported", "changed", "new", "gone")
ON: Document = {"enabled": True}

ENTRY_POINT: Document = {
    "id": "0c" * 16,
    "name": "n",
    "kind": "zone",
    "phase": scenarios.PHASE,
    "version": "7",
    "rules": [scenarios.FOREIGN_RULE, scenarios.OWN_RULE],
}
FIELDS: Document = {"request_fields": ["x-old"], "response_fields": [], "cookie_fields": ["Session"]}

RULE: Document = {
    "id": "2b" * 16,
    "description": "checkout",
    "action": "allow",
    "expression": "true",
    "enabled": True,
    "value": "script-src 'self'",
}
OTHER_RULE: Document = {**RULE, "id": "2c" * 16, "description": "foreign", "action": "log"}
DECLARED_RULE: Document = {"description": "checkout", "action": "allow", "expression": "true", "directives": "script-src 'self'"}


def uploads(**more: t.Any) -> Document:
    return {
        "datetime": ago(1),
        "job_id": 1,
        "destination_type": "s3",
        "records": 10,
        "bytes": 900,
        "bytes_compressed": 90,
        **more,
    }


LOST = {"status": 403, "success": 0, "final": 1, "error": "access denied", "records": 1234}
REPORT: Document = {"policy_id": "2b" * 16, "directive": "script-src", "host": NAME, "count": 3}
VIOLATIONS = [{**REPORT, "url": "https://evil.example/x.js", "datetime": ago(5)}]

POLICY: Document = {"id": "52" * 16, "name": "log delivery", "alert_type": "failing_logpush_job_disabled_alert"}
HOOK: Document = {
    "id": "61" * 16,
    "name": "chat",
    "url": "https://chat.example/hook",
    "last_failure": ago(1),
    "last_success": ago(9),
}
ACCOUNT_JOB: Document = {**JOB, "dataset": "gateway_dns", "output_options": {"field_names": ["QueryName"]}}
TRANSFORMERS: list[Document] = [
    {"id": 7, "name": "redact", "code": "SELECT RayID FROM http_requests"},
    {"id": 8, "name": "other", "code": "SELECT ClientIP FROM http_requests"},
]
