# SPDX-License-Identifier: GPL-3.0-or-later

"""The scenarios of the fault matrix: the state of a zone or an account, the desired state, and the requests of the run."""

import copy
import dataclasses
import json
import re
import time
import typing as t

from faults import direct
from faults.oracle import (
    DELETE,
    DELETE_NONE,
    GET,
    GET_FIELDS,
    GET_NONE,
    LIST,
    LIST_FURTHER,
    POST_JOB,
    POST_OWNERSHIP,
    POST_POLICY,
    POST_RULE,
    POST_RULESET,
    POST_TRANSFORMER,
    POST_WEBHOOK,
    PREVIEW,
    PUT,
    PUT_QUERY,
    QUERY,
)
from support.samples.custom_fields import own

from ansible_collections.edgeops.observability.plugins.inventory import zones as inventory
from ansible_collections.edgeops.observability.plugins.module_utils._address import Address
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import parse_connection
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import validated
from edgeops_simulator.delivery.transform import is_installed

Document = dict[str, t.Any]
ZONE = "5a1e0c47d2b94f6f8e3b7c9012d4a6f8"
ACCOUNT = "9a7806061c88ada191ed06f989cc3dac"
IN_ZONE, IN_ACCOUNT = Address("zone", ZONE), Address("account", ACCOUNT)
PHASE = "http_log_custom_fields"
DATASET = "http_requests"
DESTINATION = "s3://edge-logs/all?region=eu-west-1&access-key-id=AK1&secret-access-key=planted-bucket-secret-51d7"

# A rule of another owner, with every possible member.
FOREIGN_RULE: Document = {
    "id": "f0" * 16,
    "ref": "foreign",
    "version": "3",
    "action": "set_config",
    "action_parameters": {"bic": True, "nested": {"list": [1, 2.5, None, "x"], "text": "\u00e9\u4e2d"}},
    "expression": '(http.host eq "www.example.com")',
    "description": "Another owner's",
    "enabled": False,
    "logging": {"enabled": True},
    "ratelimit": {"characteristics": ["ip.src"], "period": 60, "requests_per_period": 5, "mitigation_timeout": 0},
    "exposed_credential_check": {"username_expression": "a", "password_expression": "b"},
}
OWN_RULE: Document = own("0a" * 16, request_fields=["x-old"], cookie_fields=["Session"])


def _ruleset(digits: str, phase: str, *rules: Document, kind: str = "zone") -> Document:
    return {"id": digits * 16, "name": "n", "kind": kind, "phase": phase, "version": "7", "rules": list(rules)}


OTHER_PHASE = _ruleset("0d", "http_request_firewall_custom", {"id": "0e" * 16, "action": "block", "expression": "true"})
MANAGED = _ruleset("0f", "http_request_firewall_managed", kind="managed")
OTHER_JOBS: list[Document] = [
    {"id": 11, "name": "foreign", "destination_conf": "r2://theirs", "enabled": True, "logpull_options": "fields=RayID"},
    {"id": 12, "name": "edge-logs", "dataset": "firewall_events", "destination_conf": "r2://theirs/too"},
]
OUR_JOB: Document = {
    "id": 13,
    "name": "edge-logs",
    "dataset": DATASET,
    "destination_conf": DESTINATION,
    "logpull_options": "fields=ClientIP&timestamps=rfc3339&CVE-2021-44228=true",
    "filter": '{"where":{"key":"ClientIP","operator":"eq","value":"192.0.2.1"}}',
    "enabled": False,
    "kind": "edge",
    "max_upload_records": 2000,
}
_SCRIPT: Document = {"host": "www.example.com", "status": "active", "js_integrity_score": 20}
SCRIPTS: list[Document] = [{**_SCRIPT, "script_url": f"https://cdn.example/{number}.js"} for number in range(5)]
_TOKEN, _PROVEN = "planted-token-of-a-challenge", "gs://edge-logs/all"
CHALLENGE: Document = {"token": _TOKEN, "destination_conf": _PROVEN, "expires": 4_000_000_000}
CONNECTIONS: list[Document] = [{"id": "1c" * 16, "url": "https://api.example/v1", "host": "www.example.com"}]
COOKIES: list[Document] = [{"id": "1d" * 16, "name": "session", "host": "www.example.com"}]
OTHER_CONTENT_RULE: Document = {"id": "2a" * 16, "description": "foreign", "value": "img-src *; sandbox"}
OUR_CONTENT_RULE: Document = {
    "id": "2b" * 16,
    "description": "checkout",
    "expression": "true",
    "value": "script-src 'self' a.example",
}
# The service refuses the parameters for complete listings.
REFUSALS = tuple({"kind": "status", "status": 400, "path": f"*/page_shield/{name}"} for name in ("scripts", "connections"))


_SINCE = "2026-01-01T00:00:00Z"
_KEPT: Document = {"dataset": None, "created_at": _SINCE, "updated_at": _SINCE}
OTHER_TRANSFORMER: Document = {"id": 31, "name": "theirs", **_KEPT}
OUR_TRANSFORMER: Document = {"id": 32, "name": "redact", "description": "d", **_KEPT}
_MAIL: Document = {"email": [{"id": "ops@example.com"}]}
OTHER_POLICY: Document = {"id": "51" * 16, "name": "theirs", "mechanisms": _MAIL}
OUR_POLICY: Document = {
    "id": "52" * 16,
    "name": "log delivery",
    "alert_type": "failing_logpush_job_disabled_alert",
    "mechanisms": _MAIL,
    "newer": {"kept": True},
}
WEBHOOK: Document = {"id": "61" * 16, "name": "chat", "url": "https://chat.example/planted-path-of-a-webhook"}


# Datasets and fields of accounts that replace those of zones.
_NAMES_OF_ACCOUNTS = {
    DATASET: "gateway_dns",
    "firewall_events": "audit_logs",
    "ClientIP": "SrcIP",
    "RayID": "QueryName",
    "RequestHeaders": "Email",
    "Cookies": "UserID",
}


def _of_account(document: t.Any) -> t.Any:
    """Return the options or jobs with the dataset and fields of an account."""
    return json.loads(re.sub("|".join(_NAMES_OF_ACCOUNTS), lambda name: _NAMES_OF_ACCOUNTS[name[0]], json.dumps(document)))


@dataclasses.dataclass(frozen=True)
class Scenario:
    """A desired state of a zone or an account, for one module, with the requests of a run without faults.

    `faults` are injected into each run in addition to the fault of the matrix, and the module must handle them.
    """

    requests: tuple[str, ...]
    module: str
    args: Document
    rules: tuple[Document, ...] | None = None
    jobs: tuple[Document, ...] = ()
    transformers: tuple[Document, ...] = ()
    policies: tuple[Document, ...] = ()
    content_rules: tuple[Document, ...] = ()
    settings: Document = dataclasses.field(default_factory=dict)
    faults: tuple[Document, ...] = ()
    address: Address = IN_ZONE
    idempotent: bool = True

    def of_account(self) -> t.Self:
        """Return the scenario for the jobs of an account."""
        return dataclasses.replace(self, args=_of_account(self.args), jobs=tuple(_of_account(self.jobs)), address=IN_ACCOUNT)

    def seed(self) -> Document:
        """Return the zone and the account at the start; most of their objects are not managed by the task."""
        own = [_ruleset("0c", PHASE, *self.rules)] if self.rules is not None else []
        jobs = {ZONE: list(OTHER_JOBS), ACCOUNT: _of_account(OTHER_JOBS)}
        jobs[self.address.id] += self.jobs
        return copy.deepcopy(
            {
                "accounts": [ACCOUNT],
                "script_monitor": {ZONE: {"enabled": False}},
                "scripts": {ZONE: SCRIPTS},
                "connections": {ZONE: CONNECTIONS},
                "cookies": {ZONE: COOKIES},
                "rulesets": {ZONE: [OTHER_PHASE, *own, MANAGED]},
                "jobs": jobs,
                "policies": {ZONE: [OTHER_CONTENT_RULE, *self.content_rules]},
                "violations": {ZONE: [_REPORTED]},
                "challenges": {ACCOUNT: [CHALLENGE]},
                "transformers": {ACCOUNT: [OTHER_TRANSFORMER, *self.transformers]},
                "notification_policies": {ACCOUNT: [OTHER_POLICY, *self.policies]},
                "webhooks": {ACCOUNT: [WEBHOOK]},
                "settings": self.settings,
            }
        )

    def run(self, simulator: t.Any, options: Document, *, check: bool = False) -> Document:
        run = direct.run if self.module != "inventory" else list_all
        return run(self.module, simulator, self.address, {**self.args, **options}, check=check)


def list_all(_module: str, simulator: t.Any, address: Address, args: t.Mapping[str, t.Any], **_modes: bool) -> Document:
    """Return the inventory's listing of zones or accounts in the form of a module's result."""
    arguments = {"base_url": simulator.base_url, "api_token": simulator.token, "request_budget": "none", **args}
    params = validated({"argument_spec": inventory.SPECIFICATION}, arguments, "zones").params
    described = parse_connection(params)
    try:
        operation, filters = ("zones.list", inventory.query(params)) if address == IN_ZONE else ("accounts.list", {})
        read = inventory.read_zone if operation == "zones.list" else inventory.read_account
        return {"changed": False, "listed": inventory._fetched(described, operation, read, filters)}
    except Failure as failure:
        return {"failed": True, "changed": False, "msg": str(failure), "error": failure.report()}


_CHANGED_FIELDS: Document = {"request_fields": ["X-New", "x-old"], "response_fields": ["Server"], "cookie_fields": []}
_NEW_FIELDS: Document = {"request_fields": ["X-New"], "cookie_fields": ["Session"]}
_NEW_JOB: Document = {
    "name": "edge-logs",
    "dataset": DATASET,
    "destination_conf": DESTINATION,
    "fields": ["ClientIP", "RequestHeaders", "Cookies"],
    "timestamp_format": "rfc3339",
    "filter": {"key": "ClientIP", "operator": "!eq", "value": "192.0.2.7"},
    "enabled": True,
}
_CHANGED_JOB: Document = {
    "name": "edge-logs",
    "dataset": DATASET,
    "fields": ["ClientIP", "RayID"],
    "enabled": True,
    "filter": "",
}
_GONE_JOB: Document = {"name": "edge-logs", "dataset": DATASET, "state": "absent"}
# All members are set that would be copied from the old job, because a run after a failure finds no old job.
_REPLACING_JOB: Document = {
    **_NEW_JOB,
    "kind": "",
    "recreate": True,
    "max_upload_records": 2000,
    "option_flags": {"CVE-2021-44228": True},
}
_OLD_LISTS: Document = {"request_fields": [], "response_fields": [], "cookie_fields": []}
_ALL_JOBS: list[Document] = [
    _REPLACING_JOB,
    {**_NEW_JOB, "name": "edge-logs-new"},
    {**_CHANGED_JOB, "name": "edge-logs-changed"},
    {**_GONE_JOB, "name": "edge-logs-gone"},
]
_NEW_CONTENT_RULE: Document = {
    "description": "checkout",
    "action": "log",
    "expression": "true",
    "directives": "script-src 'self'",
}
_ENFORCED: Document = {"description": "checkout", "action": "allow", "unobserved": "allow", "accept_blocked": ["old.example"]}
# A report about our content rule, so that it is no silent one.
_REPORTED: Document = {"policy_id": OUR_CONTENT_RULE["id"], "url": "https://old.example/x.js", "host": "shop.example"}
_REPORTED["datetime"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600))
_GONE_CONTENT_RULE: Document = {"description": "checkout", "state": "absent"}
# The service returns `enabled` of rules as text.
_AS_TEXT: Document = {"policy_enabled_as_text": True}
_PLAIN_ROUTES: Document = {"entrypoint_route": False, "get_ruleset_route": False, "rules_in_list": True}
_OLD: tuple[Document, ...] = (FOREIGN_RULE, OWN_RULE)

_OF_ZONES: t.Mapping[str, Scenario] = {
    "enable": Scenario((GET, PUT), "script_monitor", {"enabled": True}),
    "enable-over-the-other-route": Scenario(
        (GET_NONE, GET, PUT), "script_monitor", {"enabled": True}, settings={"script_monitor_routes": False}
    ),
    "create-fields": Scenario((GET_NONE, LIST, POST_RULESET, PUT), "log_custom_fields", _NEW_FIELDS),
    "create-fields-by-list": Scenario(
        (GET_NONE, LIST, POST_RULESET, PUT), "log_custom_fields", _NEW_FIELDS, settings=_PLAIN_ROUTES
    ),
    "add-first-rule": Scenario((GET, PUT), "log_custom_fields", _NEW_FIELDS, rules=(FOREIGN_RULE,)),
    "change-fields": Scenario((GET, PUT), "log_custom_fields", _CHANGED_FIELDS, rules=_OLD),
    "change-fields-by-list": Scenario(
        (GET_NONE, LIST, PUT), "log_custom_fields", _CHANGED_FIELDS, rules=_OLD, settings=_PLAIN_ROUTES
    ),
    "remove-fields": Scenario((GET, PUT), "log_custom_fields", {"state": "absent"}, rules=_OLD),
    "create-job": Scenario((LIST, GET_FIELDS, POST_JOB, LIST), "logpush_job", _NEW_JOB),
    "change-job": Scenario((LIST, GET_FIELDS, PUT), "logpush_job", _CHANGED_JOB, jobs=(OUR_JOB,)),
    "change-job-by-id": Scenario((GET, GET_FIELDS, PUT), "logpush_job", {**_CHANGED_JOB, "job_id": 13}, jobs=(OUR_JOB,)),
    "replace-job": Scenario((LIST, GET_FIELDS, DELETE, POST_JOB, LIST), "logpush_job", _REPLACING_JOB, jobs=(OUR_JOB,)),
    "delete-job": Scenario((LIST, DELETE), "logpush_job", _GONE_JOB, jobs=(OUR_JOB,)),
    "manage-jobs": Scenario(
        (LIST, GET_FIELDS, DELETE, DELETE, POST_JOB, PUT, POST_JOB, LIST),
        "logpush_jobs",
        {"jobs": _ALL_JOBS},
        jobs=(OUR_JOB, {**OUR_JOB, "id": 14, "name": "edge-logs-changed"}, {**OUR_JOB, "id": 15, "name": "edge-logs-gone"}),
    ),
    "create-rule": Scenario((LIST, POST_RULE, LIST), "content_security_rule", _NEW_CONTENT_RULE, settings=_AS_TEXT),
    "change-rule": Scenario((LIST, PUT), "content_security_rule", _NEW_CONTENT_RULE, content_rules=(OUR_CONTENT_RULE,)),
    "enforce-rule": Scenario(
        (LIST, QUERY, PUT), "content_security_rule", _ENFORCED, content_rules=(OUR_CONTENT_RULE,), settings=_AS_TEXT
    ),
    "delete-rule": Scenario((LIST, DELETE_NONE), "content_security_rule", _GONE_CONTENT_RULE, content_rules=(OUR_CONTENT_RULE,)),
    "manage-zone": Scenario(
        (GET_NONE, LIST, LIST, GET, GET_FIELDS, POST_RULESET, PUT, POST_JOB, PUT, LIST),
        "zone_observability",
        {"custom_fields": _NEW_FIELDS, "job": _NEW_JOB, "script_monitor_enabled": True},
    ),
    "clear-zone": Scenario(
        (GET, LIST, GET, DELETE, PUT),
        "zone_observability",
        {"state": "absent", "custom_fields": _OLD_LISTS, "job": _NEW_JOB, "script_monitor_enabled": False},
        rules=_OLD,
        jobs=(OUR_JOB,),
    ),
    "list-scripts": Scenario((GET, LIST, LIST, LIST), "script_monitor_info", {"per_page": 2}),
    "list-everything-over-the-other-route": Scenario(
        (GET_NONE, GET, LIST, LIST, LIST, LIST, LIST_FURTHER, LIST_FURTHER, LIST_FURTHER),
        "script_monitor_info",
        {"per_page": 2, "resources": ["scripts", "connections", "cookies"]},
        settings={"script_monitor_routes": False},
        faults=REFUSALS,
    ),
    "inventory": Scenario((LIST, LIST, LIST), "inventory", {}),
}
_OF_JOBS = ("create-job", "change-job", "change-job-by-id", "replace-job", "delete-job", "manage-jobs")
_OF_ACCOUNTS: t.Mapping[str, Scenario] = {
    **{f"{name}-of-account": _OF_ZONES[name].of_account() for name in _OF_JOBS},
    "manage-account": Scenario((LIST, GET_FIELDS, POST_JOB, LIST), "zone_observability", {"job": _NEW_JOB}).of_account(),
    "clear-account": Scenario(
        (LIST, DELETE), "zone_observability", {"state": "absent", "job": _NEW_JOB}, jobs=(OUR_JOB,)
    ).of_account(),
    "describe-account": Scenario((LIST,), "zone_variables_info", {}, jobs=(OUR_JOB,)).of_account(),
    "prove-ownership": Scenario(
        (POST_OWNERSHIP,), "logpush_ownership", {"destination_conf": _PROVEN, "ownership_challenge": _TOKEN}, address=IN_ACCOUNT
    ),
    "ask-for-ownership": Scenario(
        (POST_OWNERSHIP,), "logpush_ownership", {"destination_conf": _PROVEN}, address=IN_ACCOUNT, idempotent=False
    ),
    "inventory-of-accounts": Scenario((LIST,), "inventory", {}, address=IN_ACCOUNT),
}
_NEW_TRANSFORMER: Document = {"name": "redact", "sql": "SELECT RayID FROM http_requests", "description": "d"}
_CHANGED_TRANSFORMER: Document = {"name": "redact", "sql": "SELECT ClientIP FROM http_requests"}
_SAMPLES: list[Document] = [{"name": f"sample {number}", "input": {"RayID": "8a1"}, "absent": ["ClientIP"]} for number in (1, 2)]
_NEW_POLICY: Document = {
    "name": "log delivery",
    "alert_type": "failing_logpush_job_disabled_alert",
    "mechanisms": {"webhooks": ["chat"], "email": ["ops@example.com"]},
}
_CHANGED_POLICY: Document = {"name": "log delivery", "filters": {"zones": ["z"]}, "enabled": False}
_NEW_WEBHOOK: Document = {
    "name": "pager",
    "url": "https://pager.example/planted-path-of-a-pager",
    "secret": "planted-secret-of-a-pager",
}
_ABSENT: Document = {"state": "absent"}
# Like the fields of a dataset, versions and available alerts are optional reads.
_OF_ACCOUNTS_ALONE: t.Mapping[str, Scenario] = {
    "create-transformer": Scenario((LIST, POST_TRANSFORMER, GET, GET_FIELDS, LIST), "logpush_transformer", _NEW_TRANSFORMER),
    "change-transformer": Scenario(
        (LIST, GET, GET_FIELDS, PUT_QUERY, GET, GET_FIELDS),
        "logpush_transformer",
        _CHANGED_TRANSFORMER,
        transformers=(OUR_TRANSFORMER,),
    ),
    "describe-transformer": Scenario(
        (LIST, GET, GET_FIELDS, PUT, GET, GET_FIELDS),
        "logpush_transformer",
        {"name": "redact", "description": "other"},
        transformers=(OUR_TRANSFORMER,),
    ),
    "delete-transformer": Scenario(
        (LIST, GET, GET_FIELDS, DELETE), "logpush_transformer", {"name": "redact", **_ABSENT}, transformers=(OUR_TRANSFORMER,)
    ),
    "create-policy": Scenario((LIST, LIST, GET_FIELDS, POST_POLICY, GET, LIST), "notification_policy", _NEW_POLICY),
    "change-policy": Scenario((LIST, GET_FIELDS, PUT, GET), "notification_policy", _CHANGED_POLICY, policies=(OUR_POLICY,)),
    "delete-policy": Scenario((LIST, DELETE), "notification_policy", {"name": "log delivery", **_ABSENT}, policies=(OUR_POLICY,)),
    "create-webhook": Scenario((LIST, POST_WEBHOOK, GET, LIST), "notification_webhook", _NEW_WEBHOOK),
    # The address moves to another host, so that the policies are read that name the webhook.
    "change-webhook": Scenario((LIST, LIST, PUT, GET), "notification_webhook", {**_NEW_WEBHOOK, "name": "chat"}),
    "delete-webhook": Scenario((LIST, LIST, DELETE), "notification_webhook", {"name": "chat", **_ABSENT}),
}
# The simulator runs queries only if DataFusion is installed.
WITH_ENGINE: t.Mapping[str, Scenario] = {
    "try-transformer": Scenario(
        (LIST, PREVIEW, PREVIEW, POST_TRANSFORMER, GET, GET_FIELDS, LIST),
        "logpush_transformer",
        {**_NEW_TRANSFORMER, "samples": _SAMPLES},
        address=IN_ACCOUNT,
    ),
}
SCENARIOS: t.Mapping[str, Scenario] = {
    **_OF_ZONES,
    **_OF_ACCOUNTS,
    **{name: dataclasses.replace(scenario, address=IN_ACCOUNT) for name, scenario in _OF_ACCOUNTS_ALONE.items()},
    **(WITH_ENGINE if is_installed() else {}),
}
