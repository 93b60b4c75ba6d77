# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator.state.scripts import SCORES

Schema = dict[str, t.Any]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
ID: Schema = {"type": "string", "pattern": "^[0-9a-f]{32}$"}
INSTANT: Schema = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$"}
TEXTS: Schema = {"type": "array", "items": TEXT}


def nullable(schema: Schema) -> Schema:
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    if "type" in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def record(properties: Schema, required: t.Sequence[str] | None = None) -> Schema:
    """Return the schema of an object; by default all members are required."""
    return {"type": "object", "properties": properties, "required": list(properties if required is None else required)}


def array(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


_VERSION = record({"hash": TEXT, "js_integrity_score": {"type": "integer"}, "fetched_at": INSTANT}, [])
_SEEN: Schema = {
    "added_at": INSTANT,
    "first_seen_at": INSTANT,
    "last_seen_at": INSTANT,
    "host": TEXT,
    "domain_reported_malicious": FLAG,
    "url_reported_malicious": FLAG,
    "malicious_url_categories": TEXTS,
    "malicious_domain_categories": TEXTS,
    "status": TEXT,
}
_SCRIPT: Schema = {
    **_SEEN,
    "hash": nullable(TEXT),
    "js_integrity_score": nullable({"type": "integer"}),
    "fetched_at": nullable(INSTANT),
}
_OLD_NAMES: Schema = {
    "script_id": TEXT,
    "script_url": TEXT,
    "seen_on_first": TEXT,
    "count": COUNT,
    "appears_in_cdn_cgi_path": FLAG,
}
_SHIELD_REQUIRED = ("id", "url", "added_at", "first_seen_at", "last_seen_at", "host", "url_contains_cdn_cgi_path")
_NEW_NAMES: Schema = {"id": TEXT, "url": TEXT, "first_page_url": TEXT, "page_urls": TEXTS, "url_contains_cdn_cgi_path": FLAG}
_SCORES: Schema = dict.fromkeys(SCORES, nullable({"type": "integer"}))
COOKIE = record(
    {
        **dict.fromkeys(("id", "name", "host", "type"), TEXT),
        **dict.fromkeys(("first_seen_at", "last_seen_at"), INSTANT),
        "page_urls": TEXTS,
        **dict.fromkeys((f"{name}_attribute" for name in ("domain", "path", "expires", "same_site")), TEXT),
        "max_age_attribute": nullable({"type": "integer"}),
        **dict.fromkeys(("http_only_attribute", "secure_attribute"), FLAG),
    },
    ["id", "name", "host", "type", "first_seen_at", "last_seen_at"],
)
STATUS = record({"enabled": FLAG, "updated_at": INSTANT})
PAGE_SHIELD = record({**STATUS["properties"], "use_cloudflare_reporting_endpoint": FLAG, "use_connection_url_path": FLAG})
RULE = record(
    {
        "id": TEXT,
        "version": TEXT,
        "action": TEXT,
        "action_parameters": {"type": "object"},
        "expression": TEXT,
        "description": TEXT,
        "last_updated": INSTANT,
        "ref": TEXT,
        "enabled": FLAG,
        "logging": {"type": "object"},
        "ratelimit": {"type": "object"},
        "exposed_credential_check": {"type": "object"},
    },
    ["id", "version", "action", "expression", "last_updated", "ref", "enabled"],
)
RULESET = record(
    {
        **dict.fromkeys(("id", "name", "description", "kind", "phase"), TEXT),
        "version": {"type": "string", "pattern": "^[0-9]+$"},
        "last_updated": INSTANT,
        "rules": array(RULE),
    },
    ["id", "name", "description", "kind", "phase", "version", "last_updated"],
)
JOB = record(
    {
        "id": {"type": "integer", "minimum": 1},
        **dict.fromkeys(("dataset", "destination_conf"), TEXT),
        "enabled": FLAG,
        **dict.fromkeys(("name", "kind", "frequency", "logpull_options", "filter", "error_message"), nullable(TEXT)),
        "output_options": nullable({"type": "object"}),
        **dict.fromkeys(("filter_attack_traffic", "merge_subrequests"), nullable(FLAG)),
        "transformer_id": nullable(COUNT),
        "time_created": INSTANT,
        **dict.fromkeys(("max_upload_bytes", "max_upload_interval_seconds", "max_upload_records"), nullable({"type": "integer"})),
        "last_complete": nullable(INSTANT),
        # A time, or the error of a transformer.
        "last_error": nullable(TEXT),
    },
    ["id", "dataset", "enabled", "destination_conf"],
)
JOB["not"] = {"required": ["ownership_challenge"]}
ZONE = record(
    {
        **dict.fromkeys(("id", "name", "status", "type"), TEXT),
        "account": record({"id": TEXT, "name": TEXT}, []),
        **dict.fromkeys(("created_on", "modified_on"), INSTANT),
        "activated_on": nullable(INSTANT),
        "development_mode": COUNT,
        "name_servers": TEXTS,
        **{name: {"type": "object"} for name in ("meta", "owner", "plan")},
    },
    ["id", "name", "status", "account", "created_on", "modified_on", "development_mode", "name_servers", "meta", "owner", "plan"],
)
ACCOUNT = record({"id": TEXT, "name": TEXT, "type": TEXT, "settings": {"type": "object"}, "created_on": INSTANT})
TRANSFORMER = record(
    {
        "id": COUNT,
        **dict.fromkeys(("name", "description"), TEXT),
        "dataset": nullable(TEXT),
        **dict.fromkeys(("created_at", "updated_at"), INSTANT),
        "associated_jobs": array(record({"id": COUNT, **dict.fromkeys(("name", "object_type", "object_tag"), TEXT)})),
    }
)
POLICY = record(
    {
        **dict.fromkeys(("id", "action", "description", "expression", "value"), TEXT),
        "enabled": {"anyOf": [FLAG, {"enum": ["true", "false"]}]},
    }
)
TRANSFORMER_VERSION = record({"id": COUNT, "version": COUNT, "created_at": INSTANT})
_MECHANISM = array(record({"id": TEXT}))
NOTIFICATION_POLICY = record(
    {
        **dict.fromkeys(("id", "name", "description", "alert_type", "alert_interval"), TEXT),
        "enabled": FLAG,
        "filters": {"type": "object", "additionalProperties": TEXTS},
        "mechanisms": record(dict.fromkeys(("email", "webhooks", "pagerduty"), _MECHANISM), []),
        **dict.fromkeys(("created", "modified"), INSTANT),
    }
)
WEBHOOK = record(
    {
        **dict.fromkeys(("id", "name", "type", "url"), TEXT),
        **dict.fromkeys(("created_at", "last_success", "last_failure"), INSTANT),
    },
    ["id", "name", "type", "url", "created_at"],
)
SILENCE = record(
    {
        **dict.fromkeys(("id", "policy_id"), TEXT),
        **dict.fromkeys(("start_time", "end_time", "created_at", "updated_at"), TEXT),
    }
)
NOTIFICATION = record(
    {
        **dict.fromkeys(("id", "alert_type", "sent"), TEXT),
        **dict.fromkeys(("name", "policy_id", "mechanism", "mechanism_type", "alert_body", "description"), nullable(TEXT)),
    },
    ["id", "alert_type", "sent"],
)
ALERT = record({**dict.fromkeys(("type", "display_name", "description"), TEXT), "filter_options": nullable({"type": "array"})})
PAGES = record(dict.fromkeys(("page", "per_page", "count", "total_count", "total_pages"), COUNT))
PROBLEM = record(
    {
        "code": {"type": "integer", "minimum": 1000},
        "message": TEXT,
        "source": record({"pointer": TEXT}),
        "error_chain": array(record({"code": {"type": "integer"}, "message": TEXT})),
    },
    ["code", "message"],
)
FAILURE = record(
    {
        "result": {"type": "null"},
        "success": {"const": False},
        "errors": {**array({"$ref": "#/components/schemas/Problem"}), "minItems": 1},
        "messages": {"type": "array"},
    }
)
GRAPHQL = record({"data": nullable({"type": "object"}), "errors": nullable(array(record({"message": TEXT})))})
SCHEMAS: Schema = {
    "ScriptMonitor": STATUS,
    "PageShield": PAGE_SHIELD,
    "Script": record({**_OLD_NAMES, **_SCRIPT}, ["script_id"]),
    "ScriptInFull": record({**_OLD_NAMES, **_SCRIPT, "seen_on": TEXTS, "versions": array(_VERSION)}, ["script_id"]),
    "PageShieldScript": record({**_NEW_NAMES, **_SCRIPT, **_SCORES}, _SHIELD_REQUIRED),
    "PageShieldScriptInFull": record({**_NEW_NAMES, **_SCRIPT, **_SCORES, "versions": array(_VERSION)}, _SHIELD_REQUIRED),
    "Connection": record({**_NEW_NAMES, **_SEEN}, _SHIELD_REQUIRED),
    "Cookie": COOKIE,
    "Policy": POLICY,
    "Ruleset": RULESET,
    "Job": JOB,
    "Zone": ZONE,
    "Account": ACCOUNT,
    "Transformer": TRANSFORMER,
    "TransformerVersion": TRANSFORMER_VERSION,
    "NotificationPolicy": NOTIFICATION_POLICY,
    "Webhook": WEBHOOK,
    "Silence": SILENCE,
    "Notification": NOTIFICATION,
    "Alert": ALERT,
    "Pages": PAGES,
    "Problem": PROBLEM,
    "Failure": FAILURE,
}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def envelope(result: Schema, *, pages: bool = False) -> Schema:
    """Return the schema of a successful answer with a result."""
    members = {
        "result": result,
        "success": {"const": True},
        "errors": {"type": "array", "maxItems": 0},
        "messages": {"type": "array"},
    }
    made = record(members)
    if pages:
        made["properties"]["result_info"] = ref("Pages")
    return made
