# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from edgeops_simulator.filters.syntax import ORDER, SCALAR, SETS, TEXT
from edgeops_simulator.rules.custom_fields import KINDS, WITH_DUPLICATES
from edgeops_simulator.rules.jobs import RANGES
from edgeops_simulator.rules.options import CVE_FLAG, TIMESTAMP_FORMATS
from edgeops_simulator.rules.rulesets import PHASES
from edgeops_simulator.schemas.answers import FLAG, Schema, array, nullable, record, ref

_TEXT: Schema = {"type": "string"}
_OBJECT: Schema = {"type": "object"}
_HEADER: Schema = {"type": "string", "pattern": "^[!#$%&'*+.^_`|~0-9a-z-]+$"}
_COOKIE: Schema = {"type": "string", "pattern": "^[!#-+.-:<-~-]+$"}


def _closed(schema: Schema) -> Schema:
    return {**schema, "additionalProperties": False}


def _fields(kind: str) -> Schema:
    members: Schema = {"name": _COOKIE if kind == "cookie_fields" else _HEADER}
    if kind in WITH_DUPLICATES:
        members["preserve_duplicates"] = FLAG
    return {"type": "array", "items": _closed(record(members, ["name"])), "minItems": 1, "maxItems": 8, "uniqueItems": True}


def _rule(action: Schema, required: tuple[str, ...], own: Schema, **more: Schema) -> Schema:
    common = {
        "id": _TEXT,
        "version": _TEXT,
        "last_updated": _TEXT,
        "ref": {"type": "string", "minLength": 1},
        "description": _TEXT,
    }
    objects = dict.fromkeys(("logging", "ratelimit", "exposed_credential_check"), _OBJECT)
    return _closed(record({**common, **objects, "enabled": FLAG, "action": action, **own, **more}, required))


_PARAMETERS = {**_closed(record({kind: _fields(kind) for kind in KINDS}, [])), "minProperties": 1}
_CUSTOM: Schema = {"action_parameters": _PARAMETERS, "expression": {"const": "true"}}
_OTHER: Schema = {"action_parameters": _OBJECT, "expression": {"type": "string", "minLength": 1}}
_NAMED_OTHERWISE: Schema = {"type": "string", "minLength": 1, "not": {"const": "log_custom_field"}}
_POSITION = {
    "oneOf": [_closed(record({name: _TEXT})) for name in ("before", "after")]
    + [_closed(record({"index": {"type": "integer", "minimum": 1}}))]
}


def _either(**more: Schema) -> Schema:
    custom = _rule({"const": "log_custom_field"}, ("action", "expression", "action_parameters"), _CUSTOM, **more)
    return {"anyOf": [custom, _rule(_NAMED_OTHERWISE, ("action", "expression"), _OTHER, **more)]}


_RULES = array(ref("NewRule"))
_NAME: Schema = {"type": "string", "minLength": 1}
_RULESET: Schema = {
    "name": _NAME,
    "kind": {"const": "zone"},
    "phase": {"enum": list(PHASES)},
    "description": _TEXT,
    "rules": _RULES,
}
_STRING = r'"[^"\\\x00-\x1f]{0,20}"'
_NUMBER = r"-?(0|[1-9][0-9]{0,8})"
_KEY = r'"[A-Za-z][A-Za-z0-9]{0,20}"'


def _condition(operators: tuple[str, ...], value: str) -> str:
    names = "|".join(operators)
    return rf'\{{"key":{_KEY},"operator":"({names})","value":{value}\}}'


def _filter_pattern() -> str:
    """The canonical spelling of a small filter: one level of `and` or `or`, up to four conditions, no blanks."""
    scalar = f"({_STRING}|{_NUMBER})"
    kinds = (
        _condition(SCALAR, f"({_STRING}|{_NUMBER}|true|false)"),
        _condition(ORDER, scalar),
        _condition(TEXT, _STRING),
        _condition(SETS, rf"\[{scalar}(,{scalar}){{0,2}}\]"),
    )
    one = f"({'|'.join(kinds)})"
    return rf'^(\{{"where":(\{{"(and|or)":\[{one}(,{one}){{0,3}}\]\}}|{one})\}})?$'


_OPTIONS = rf"^(fields=[A-Za-z0-9]+(,[A-Za-z0-9]+){{0,9}}(&timestamps=({'|'.join(TIMESTAMP_FORMATS)}))?(&CVE-2021-44228=(true|false))?)?$"
_DESTINATION: Schema = {
    "type": "string",
    "maxLength": 4096,
    "pattern": r"^(r2|gs|s3|sumo|https|azure|splunk|datadog)://[^/?]+(/[^?]*)?(\?.*)?$",
}
_CHALLENGE: Schema = {"type": "string", "maxLength": 4096, "pattern": r"^[a-zA-Z0-9/+.\-_]*$"}
_OUTPUT = record(
    {
        "field_names": nullable(array({"type": "string", "pattern": "^[A-Za-z0-9_]+$"})),
        "output_type": nullable({"enum": ["ndjson", "csv"]}),
        "timestamp_format": nullable({"enum": list(TIMESTAMP_FORMATS)}),
        "sample_rate": nullable({"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
        **dict.fromkeys((CVE_FLAG, "merge_subrequests"), nullable(FLAG)),
        **dict.fromkeys(("batch_prefix", "batch_suffix", "record_prefix", "record_suffix"), nullable(_TEXT)),
        **dict.fromkeys(("field_delimiter", "record_delimiter", "record_template"), nullable(_TEXT)),
    },
    [],
)
_JOB: Schema = {
    "name": nullable({"type": "string", "maxLength": 512, "pattern": r"^[a-zA-Z0-9\-.]*$"}),
    "destination_conf": _DESTINATION,
    "enabled": nullable(FLAG),
    "frequency": nullable({"enum": ["high", "low"]}),
    "logpull_options": nullable({"type": "string", "maxLength": 4096, "pattern": _OPTIONS}),
    "output_options": nullable(_OUTPUT),
    "filter": nullable(
        {"type": "string", "pattern": _filter_pattern(), "description": "JSON text; the pattern shows its usual spelling"}
    ),
    **dict.fromkeys(("filter_attack_traffic", "merge_subrequests"), nullable(FLAG)),
    "transformer_id": nullable({"type": "integer", "minimum": 0, "maximum": 0}),
    "ownership_challenge": nullable(_CHALLENGE),
    **{
        name: nullable({"anyOf": [{"const": 0}, {"type": "integer", "minimum": low, "maximum": high}]})
        for name, (low, high) in RANGES.items()
    },
}
_DATASET: Schema = {"type": "string", "maxLength": 256, "pattern": "^[a-zA-Z0-9_-]+$"}
_EDGE_ELSEWHERE = record({"kind": {"const": "edge"}, "dataset": {"type": "string", "not": {"const": "http_requests"}}})

SCHEMAS: Schema = {"NewRule": _either()}
SCRIPT_MONITOR = record({"enabled": FLAG})
PAGE_SHIELD = record(dict.fromkeys(("enabled", "use_cloudflare_reporting_endpoint", "use_connection_url_path"), FLAG), [])
NEW_RULESET = _closed(record(_RULESET, ["name", "kind", "phase"]))
RULESET = _closed(record({name: _RULESET[name] for name in ("description", "rules")}, []))
ENTRY_POINT = _closed(record({name: _RULESET[name] for name in ("name", "description", "rules")}, []))
RULE = _either(position=_POSITION)
NEW_JOB: Schema = {
    **record({**_JOB, "dataset": nullable(_DATASET), "kind": nullable({"enum": ["", "edge"]})}, ["destination_conf"]),
    "not": _EDGE_ELSEWHERE,
}
JOB = record(_JOB, [])
_DESCRIPTION: Schema = {"type": "string", "maxLength": 4096}
_CODE: Schema = {"type": "string", "minLength": 1, "maxLength": 10_240}
_TRANSFORMER_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 255}
NEW_TRANSFORMER = record({"name": _TRANSFORMER_NAME, "code": _CODE, "description": nullable(_DESCRIPTION)}, ["name", "code"])
TRANSFORMER = record({"name": _TRANSFORMER_NAME, "code": nullable(_CODE), "description": nullable(_DESCRIPTION)}, ["name"])
DESTINATION = record({"destination_conf": _TEXT})
OWNERSHIP = record({"destination_conf": _TEXT, "ownership_challenge": _TEXT})
ORIGIN = record({"logpull_options": _TEXT})
GRAPHQL = record({"query": _TEXT, "variables": nullable(_OBJECT), "operationName": nullable(_TEXT)}, ["query"])
