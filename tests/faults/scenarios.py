# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The scenarios of the fault matrix: what a zone has, the desired state, and which requests that takes."""

from __future__ import annotations

import copy
import dataclasses
import typing as t

from faults import direct
from faults.oracle import DELETE, GET, GET_FIELDS, GET_NONE, LIST, POST_JOB, POST_RULESET, PUT

from ansible_collections.edgeops.observability.plugins.inventory import zones as inventory
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import connection
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import validated

Document = dict[str, t.Any]
ZONE = "5a1e0c47d2b94f6f8e3b7c9012d4a6f8"
PHASE = "http_log_custom_fields"
DESTINATION = "s3://edge-logs/all?region=eu-west-1&access-key-id=AK1&secret-access-key=planted-bucket-secret-51d7"

# A rule of another owner, with every member that a rule can have.
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
OWN_RULE: Document = {
    "id": "0a" * 16,
    "ref": "our-rule",
    "version": "2",
    "action": "log_custom_field",
    "expression": "true",
    "description": "Custom log fields",
    "enabled": True,
    "action_parameters": {"request_fields": [{"name": "x-old"}], "cookie_fields": [{"name": "Session"}]},
}
OTHER_PHASE: Document = {
    "id": "0d" * 16,
    "name": "default",
    "kind": "zone",
    "phase": "http_request_firewall_custom",
    "version": "9",
    "rules": [{"id": "0e" * 16, "action": "block", "expression": "true"}],
}
MANAGED: Document = {
    "id": "0f" * 16,
    "name": "Managed",
    "kind": "managed",
    "phase": "http_request_firewall_managed",
    "version": "41",
}
OTHER_JOBS: list[Document] = [
    {"id": 11, "name": "foreign", "destination_conf": "r2://theirs", "enabled": True, "logpull_options": "fields=RayID"},
    {"id": 12, "name": "edge-logs", "dataset": "firewall_events", "destination_conf": "r2://theirs/too"},
]
OUR_JOB: Document = {
    "id": 13,
    "name": "edge-logs",
    "destination_conf": DESTINATION,
    "logpull_options": "fields=ClientIP&timestamps=rfc3339&CVE-2021-44228=true",
    "filter": '{"where":{"key":"ClientIP","operator":"eq","value":"192.0.2.1"}}',
    "enabled": False,
    "max_upload_records": 2000,
}
NEIGHBOURS: tuple[Document, ...] = (
    {**OUR_JOB, "id": 14, "name": "edge-logs-changed"},
    {**OUR_JOB, "id": 15, "name": "edge-logs-gone"},
)
SCRIPTS: list[Document] = [
    {
        "script_url": f"https://cdn.example/{number}.js",
        "host": "www.example.com",
        "status": "active",
        "js_integrity_score": 20 * number,
    }
    for number in range(5)
]


def _entry_point(*rules: Document) -> Document:
    return {"id": "0c" * 16, "name": "ours", "kind": "zone", "phase": PHASE, "version": "7", "rules": list(rules)}


@dataclasses.dataclass(frozen=True)
class Scenario:
    """A desired state of a zone, by one or more modules, with the requests that it takes where nothing goes wrong."""

    requests: tuple[str, ...]
    steps: tuple[tuple[str, Document], ...]
    rules: tuple[Document, ...] | None = None
    jobs: tuple[Document, ...] = ()
    settings: Document = dataclasses.field(default_factory=dict)

    def seed(self) -> Document:
        """The zone at the start; much in it belongs to others."""
        own = [_entry_point(*self.rules)] if self.rules is not None else []
        return copy.deepcopy(
            {
                "script_monitor": {ZONE: {"enabled": False}},
                "scripts": {ZONE: SCRIPTS},
                "rulesets": {ZONE: [OTHER_PHASE, *own, MANAGED]},
                "jobs": {ZONE: [*OTHER_JOBS, *self.jobs]},
                "settings": self.settings,
            }
        )

    def run(self, simulator: t.Any, options: Document) -> list[Document]:
        """The results of the steps, up to the first that fails."""
        results: list[Document] = []
        for module, args in self.steps:
            run = direct.run if module != "inventory" else list_zones
            results.append(run(module, simulator, ZONE, {**args, **options}))
            if results[-1].get("failed"):
                break
        return results


def list_zones(_module: str, simulator: t.Any, _zone: str, args: t.Mapping[str, t.Any]) -> Document:
    """The inventory's listing, in the form of a module's result."""
    given = {"base_url": simulator.base_url, "api_token": simulator.token, "request_budget": "none", **args}
    params = validated({"argument_spec": inventory.SPECIFICATION}, given, "zones").params
    try:
        return {"changed": False, "zones": inventory._fetched(connection(params), params)}
    except Failure as failure:
        return {"failed": True, "changed": False, "msg": str(failure), "error": failure.report()}


_CHANGED_FIELDS: Document = {"request_fields": ["X-New", "x-old"], "response_fields": ["Server"], "cookie_fields": []}
_NEW_FIELDS: Document = {"request_fields": ["X-New"], "cookie_fields": ["Session"]}
_NEW_JOB: Document = {
    "name": "edge-logs",
    "destination_conf": DESTINATION,
    "fields": ["ClientIP", "RequestHeaders", "Cookies"],
    "timestamp_format": "rfc3339",
    "filter": {"key": "ClientIP", "operator": "!eq", "value": "192.0.2.7"},
    "enabled": True,
}
_CHANGED_JOB: Document = {"name": "edge-logs", "fields": ["ClientIP", "RayID"], "enabled": True, "filter": ""}
# All that would carry over from the old job is given, since a run after a failure finds no old job.
_REPLACING_JOB: Document = {
    **_NEW_JOB,
    "kind": "edge",
    "recreate": True,
    "max_upload_records": 2000,
    "option_flags": {"CVE-2021-44228": True},
}
_NEW_LISTS: Document = {"request_fields": ["X-New"], "cookie_fields": ["Session"]}
_OLD_LISTS: Document = {"request_fields": [], "response_fields": [], "cookie_fields": []}
_NEW_NEIGHBOUR: Document = {**_NEW_JOB, "name": "edge-logs-new"}
_CHANGED_NEIGHBOUR: Document = {**_CHANGED_JOB, "name": "edge-logs-changed"}
_GONE_NEIGHBOUR: Document = {"name": "edge-logs-gone", "state": "absent"}
_PLAIN_ROUTES: Document = {"entrypoint_route": False, "get_ruleset_route": False, "rules_in_list": True}
_OLD: tuple[Document, ...] = (FOREIGN_RULE, OWN_RULE)

SCENARIOS: t.Mapping[str, Scenario] = {
    "enable": Scenario((GET, PUT), (("script_monitor", {"enabled": True}),)),
    "enable-over-the-other-route": Scenario(
        (GET_NONE, GET, PUT), (("script_monitor", {"enabled": True}),), settings={"script_monitor_routes": False}
    ),
    "create-fields": Scenario((GET_NONE, LIST, POST_RULESET, PUT), (("log_custom_fields", _NEW_FIELDS),)),
    "create-fields-by-list": Scenario(
        (GET_NONE, LIST, POST_RULESET, PUT), (("log_custom_fields", _NEW_FIELDS),), settings=_PLAIN_ROUTES
    ),
    "add-first-rule": Scenario((GET, PUT), (("log_custom_fields", _NEW_FIELDS),), rules=(FOREIGN_RULE,)),
    "change-fields": Scenario((GET, PUT), (("log_custom_fields", _CHANGED_FIELDS),), rules=_OLD),
    "change-fields-by-list": Scenario(
        (GET_NONE, LIST, PUT), (("log_custom_fields", _CHANGED_FIELDS),), rules=_OLD, settings=_PLAIN_ROUTES
    ),
    "remove-fields": Scenario((GET, PUT), (("log_custom_fields", {"state": "absent"}),), rules=_OLD),
    "create-job": Scenario((LIST, GET_FIELDS, POST_JOB, LIST), (("logpush_job", _NEW_JOB),)),
    "change-job": Scenario((LIST, GET_FIELDS, PUT), (("logpush_job", _CHANGED_JOB),), jobs=(OUR_JOB,)),
    "change-job-by-id": Scenario((GET, GET_FIELDS, PUT), (("logpush_job", {**_CHANGED_JOB, "job_id": 13}),), jobs=(OUR_JOB,)),
    "replace-job": Scenario(
        (LIST, GET_FIELDS, DELETE, POST_JOB, LIST),
        (("logpush_job", _REPLACING_JOB),),
        jobs=(OUR_JOB,),
    ),
    "delete-job": Scenario((LIST, DELETE), (("logpush_job", {"name": "edge-logs", "state": "absent"}),), jobs=(OUR_JOB,)),
    "role-from-nothing": Scenario(
        (GET_NONE, LIST, POST_RULESET, PUT, LIST, GET_FIELDS, POST_JOB, LIST, GET, PUT),
        (("log_custom_fields", _NEW_FIELDS), ("logpush_job", _NEW_JOB), ("script_monitor", {"enabled": True})),
    ),
    "manage-jobs": Scenario(
        (LIST, GET_FIELDS, DELETE, DELETE, POST_JOB, PUT, POST_JOB, LIST),
        (("logpush_jobs", {"jobs": [_REPLACING_JOB, _NEW_NEIGHBOUR, _CHANGED_NEIGHBOUR, _GONE_NEIGHBOUR]}),),
        jobs=(OUR_JOB, *NEIGHBOURS),
    ),
    "manage-zone": Scenario(
        (GET_NONE, LIST, LIST, GET, GET_FIELDS, POST_RULESET, PUT, POST_JOB, PUT, LIST),
        (("zone_observability", {"custom_fields": _NEW_LISTS, "job": _NEW_JOB, "script_monitor_enabled": True}),),
    ),
    "clear-zone": Scenario(
        (GET, LIST, GET, DELETE, PUT),
        (
            (
                "zone_observability",
                {"state": "absent", "custom_fields": _OLD_LISTS, "job": _NEW_JOB, "script_monitor_enabled": False},
            ),
        ),
        rules=_OLD,
        jobs=(OUR_JOB,),
    ),
    "list-scripts": Scenario((GET, LIST, LIST, LIST), (("script_monitor_info", {"per_page": 2}),)),
    "inventory": Scenario((LIST, LIST, LIST), (("inventory", {}),)),
}
