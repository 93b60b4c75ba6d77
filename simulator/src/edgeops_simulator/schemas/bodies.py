# SPDX-License-Identifier: GPL-3.0-or-later

"""The schemas of request bodies, for validation and for the OpenAPI description. Rules about several members are in `rules`."""

from __future__ import annotations

from edgeops_simulator.rules.custom_fields import ACTION, KINDS, WITH_DUPLICATES
from edgeops_simulator.rules.destinations import BAD_DESTINATION, PATTERN
from edgeops_simulator.rules.options import CVE_FLAG, TIMESTAMP_FORMATS
from edgeops_simulator.rules.rulesets import PHASES
from edgeops_simulator.schemas.answers import FLAG, TEXT, Schema, array, nullable, record, ref

_OBJECT: Schema = {"type": "object"}
_NAME: Schema = {"type": "string", "minLength": 1}
_WHOLE: Schema = {"type": "integer"}


def _closed(schema: Schema) -> Schema:
    return {**schema, "additionalProperties": False}


def _fields(kind: str) -> Schema:
    """Return the schema of fields: header names are lower-case tokens, cookie names may have any case."""
    pattern = r"^[^\s=;,]+$" if kind == "cookie_fields" else r"^[!#$%&'*+.^_`|~0-9a-z-]+$"
    members: Schema = {"name": {"type": "string", "pattern": pattern}}
    if kind in WITH_DUPLICATES:
        members["preserve_duplicates"] = FLAG
    return {**array(_closed(record(members, ["name"]))), "minItems": 1}


_PARAMETERS: Schema = {**_closed(record({kind: _fields(kind) for kind in KINDS}, [])), "minProperties": 1}
_CUSTOM: Schema = {
    "if": record({"action": {"const": ACTION}}),
    "then": record({"action_parameters": _PARAMETERS, "expression": {"const": "true"}}),
}
_RULE: Schema = {
    **dict.fromkeys(("id", "version", "last_updated", "description"), TEXT),
    **dict.fromkeys(("ref", "action", "expression"), _NAME),
    **dict.fromkeys(("action_parameters", "logging", "ratelimit", "exposed_credential_check"), _OBJECT),
    "enabled": FLAG,
}
_POSITION: Schema = {
    **_closed(record({"before": TEXT, "after": TEXT, "index": {**_WHOLE, "minimum": 1}}, [])),
    "minProperties": 1,
    "maxProperties": 1,
}
NEW_RULE: Schema = {**_closed(record({**_RULE, "position": _POSITION}, ["action", "expression"])), **_CUSTOM}
RULE: Schema = {
    "type": "object",
    "if": {"propertyNames": {"const": "position"}},
    "then": record({"position": _POSITION}, []),
    "else": ref("PlacedRule"),
}
SCHEMAS: Schema = {"NewRule": {**_closed(record(_RULE, ["action", "expression"])), **_CUSTOM}, "PlacedRule": NEW_RULE}

_RULESET: Schema = {"name": _NAME, "description": TEXT, "rules": array(ref("NewRule"))}
ENTRY_POINT = _closed(record(_RULESET, []))
RULESET = _closed(record({**_RULESET, "kind": TEXT, "phase": TEXT}, []))
NEW_RULESET = _closed(record({**_RULESET, "kind": {"const": "zone"}, "phase": {"enum": list(PHASES)}}, ["name", "kind", "phase"]))

SCRIPT_MONITOR = record({"enabled": FLAG})
PAGE_SHIELD = record(dict.fromkeys(("enabled", "use_cloudflare_reporting_endpoint", "use_connection_url_path"), FLAG), [])

_POLICY: Schema = {
    "action": {"enum": ["log", "allow"]},
    "description": TEXT,
    "enabled": FLAG,
    "expression": _NAME,
    "value": {**_NAME, "maxLength": 6000},
}
NEW_POLICY = record(_POLICY)
POLICY = record(_POLICY, [])


def _text(pattern: str, longest: int) -> Schema:
    return {"type": "string", "pattern": pattern, "maxLength": longest}


def _zero_or(low: int, high: int) -> Schema:
    bounds = {"anyOf": [{"enum": [0, None]}, {"minimum": low}], "x-words": f"must be 0 or {low} to {high}"}
    return {**nullable(_WHOLE), "maximum": high, **bounds}


_OUTPUT = record(
    {
        "field_names": nullable(array({"type": "string", "pattern": "^[A-Za-z0-9_]+$"})),
        "output_type": nullable({"enum": ["ndjson", "csv"]}),
        "timestamp_format": nullable({"enum": list(TIMESTAMP_FORMATS)}),
        "sample_rate": nullable({"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
        **dict.fromkeys((CVE_FLAG, "merge_subrequests"), nullable(FLAG)),
        **dict.fromkeys(("batch_prefix", "batch_suffix", "record_prefix", "record_suffix"), nullable(TEXT)),
        **dict.fromkeys(("field_delimiter", "record_delimiter", "record_template"), nullable(TEXT)),
    },
    [],
)
_DESTINATION: Schema = {**_text(PATTERN, 4096), "x-code": BAD_DESTINATION}
_JOB: Schema = {
    "name": nullable(_text(r"^[a-zA-Z0-9\-._]*$", 512)),
    "dataset": nullable(_text("^[a-zA-Z0-9_-]+$", 256)),
    "kind": nullable({"enum": ["", "edge"]}),
    "frequency": nullable({"enum": ["high", "low"]}),
    "logpull_options": nullable({"type": "string", "maxLength": 4096}),
    "output_options": nullable(_OUTPUT),
    "filter": nullable({**TEXT, "description": "JSON text, at most 30 operators and 1000 bytes"}),
    "ownership_challenge": nullable(_text(r"^[a-zA-Z0-9/+.\-_]*$", 4096)),
    **dict.fromkeys(("enabled", "filter_attack_traffic", "merge_subrequests"), nullable(FLAG)),
    "transformer_id": nullable({**_WHOLE, "minimum": 0}),
    "max_upload_bytes": nullable({**_WHOLE, "minimum": 0, "maximum": 1_000_000_000}),
    "max_upload_interval_seconds": _zero_or(30, 300),
    "max_upload_records": _zero_or(1_000, 1_000_000),
}
NEW_JOB = record({**_JOB, "destination_conf": _DESTINATION}, ["destination_conf"])
JOB = record({**_JOB, "destination_conf": nullable(_DESTINATION)}, [])
DESTINATION = record({"destination_conf": TEXT})
OWNERSHIP = record({"destination_conf": TEXT, "ownership_challenge": TEXT})
ORIGIN = record({"logpull_options": TEXT, "dataset": nullable(TEXT)}, ["logpull_options"])

_TRANSFORMER: Schema = {
    "name": {**_NAME, "maxLength": 255},
    "description": nullable({"type": "string", "maxLength": 4096}),
}
_NAMED = {"x-names-missing": True}
NEW_TRANSFORMER = {**record({**_TRANSFORMER, "code": _NAME}, ["name", "code"]), **_NAMED}
TRANSFORMER = {**record({**_TRANSFORMER, "code": nullable(_NAME)}, ["name"]), **_NAMED}
PREVIEW = {**record({"input": _OBJECT, "sql": _NAME}), **_NAMED}

_MECHANISM = nullable(array(record({"id": _NAME})))
_NOTIFICATION: Schema = {
    "name": _NAME,
    "alert_type": _NAME,
    "enabled": FLAG,
    "mechanisms": record(dict.fromkeys(("email", "webhooks", "pagerduty"), _MECHANISM), []),
    "filters": nullable({"type": "object", "additionalProperties": array(TEXT)}),
    "description": nullable(TEXT),
    "alert_interval": nullable(TEXT),
}
NEW_NOTIFICATION_POLICY = {**record(_NOTIFICATION, ["name", "alert_type", "enabled", "mechanisms"]), **_NAMED}
NOTIFICATION_POLICY = record(_NOTIFICATION, [])
_WEBHOOK: Schema = {"name": _NAME, "url": {"type": "string", "pattern": "^https?://[^/]+"}, "secret": nullable(TEXT)}
NEW_WEBHOOK = {**record(_WEBHOOK, ["name", "url"]), **_NAMED}
BOUNDARY = record({"regions": array(TEXT), "allow_out_of_region_access": nullable(FLAG)}, ["regions"])
NEW_SILENCES = array({**record({"policy_id": _NAME, "start_time": _NAME, "end_time": _NAME}), **_NAMED})
GRAPHQL = record({"query": TEXT, "variables": nullable(_OBJECT), "operationName": nullable(TEXT)}, ["query"])
