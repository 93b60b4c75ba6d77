# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service's description in OpenAPI 3.1, made from the same table of operations that serves it."""

from __future__ import annotations

import typing as t

from edgeops_simulator import __version__
from edgeops_simulator.front.call import MOST
from edgeops_simulator.front.operations import OPERATIONS, Operation
from edgeops_simulator.openapi.answers import SCHEMAS, TEXT, Schema, array, envelope, nullable, record, ref
from edgeops_simulator.openapi.bodies import BODIES
from edgeops_simulator.openapi.bodies import SCHEMAS as WISHES
from edgeops_simulator.rules.rulesets import PHASES

_VALID = record({"valid": {"type": "boolean"}, "message": TEXT})
_RESULTS: Schema = {
    "listZones": array(ref("Zone")),
    "getZone": ref("Zone"),
    **dict.fromkeys(("getScriptMonitor", "updateScriptMonitor"), ref("ScriptMonitor")),
    **dict.fromkeys(("getPageShield", "updatePageShield"), ref("PageShield")),
    "listScripts": array(ref("Script")),
    "getScript": ref("ScriptInFull"),
    "listPageShieldScripts": array(ref("PageShieldScript")),
    "getPageShieldScript": ref("PageShieldScriptInFull"),
    "listRulesets": array(ref("Ruleset")),
    **dict.fromkeys(
        ("createRuleset", "updateRuleset", "updateEntryPoint", "addRule", "updateRule", "deleteRule"), nullable(ref("Ruleset"))
    ),
    **dict.fromkeys(("getRuleset", "getEntryPoint"), ref("Ruleset")),
    **dict.fromkeys(("listJobs", "listDatasetJobs"), array(ref("Job"))),
    **dict.fromkeys(("createJob", "updateJob"), ref("Job")),
    "getJob": {"anyOf": [ref("Job"), {**array(ref("Job")), "maxItems": 1}]},
    "deleteJob": nullable({"type": "object"}),
    "listDatasetFields": {"type": "object", "additionalProperties": TEXT},
    "createOwnership": record({"filename": TEXT, "valid": {"type": "boolean"}, "message": TEXT}),
    "validateOwnership": record({"valid": {"type": "boolean"}}),
    **dict.fromkeys(("validateDestination", "validateOrigin"), _VALID),
    "destinationExists": record({"exists": {"type": "boolean"}}),
}
_FEW = 20
_PAGED = ("listZones", "listScripts", "listPageShieldScripts")
_DRY = ("createRuleset", "updateRuleset", "updateEntryPoint", "deleteRuleset", "addRule", "updateRule", "deleteRule")
_PAGE: Schema = {"page": {"type": "integer", "minimum": 1, "maximum": MOST}}
_SCRIPTS: Schema = {"hosts": TEXT, "status": TEXT, **_PAGE, "per_page": {"type": "integer", "minimum": 1, "maximum": 100}}
_QUERIES: t.Mapping[str, Schema] = {
    "listScripts": _SCRIPTS,
    "listPageShieldScripts": {
        **_SCRIPTS,
        **dict.fromkeys(("urls", "exclude_urls", "exclude_cdn_cgi", "exclude_duplicates", "order_by", "direction"), TEXT),
        "page": {"anyOf": [_PAGE["page"], {"const": "all"}]},
    },
    "listZones": {
        **_PAGE,
        "per_page": {"type": "integer", "minimum": 5, "maximum": 50},
        **dict.fromkeys(("name", "status", "account.id", "account.name", "order", "direction"), TEXT),
    },
    **{name: {"dry_run": {"enum": ["true", "false"]}} for name in _DRY},
}


def _parameters(operation: Operation, in_paths: Schema) -> list[Schema]:
    names = [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]
    anything = {"type": "string", "minLength": 1}
    in_path = [{"name": name, "in": "path", "required": True, "schema": in_paths.get(name, anything)} for name in names]
    query = _QUERIES.get(operation.name, {})
    return in_path + [{"name": name, "in": "query", "schema": schema} for name, schema in query.items()]


def _answer(schema: Schema, words: str) -> Schema:
    return {"description": words, "content": {"application/json": {"schema": schema}}}


def _responses(operation: Operation) -> Schema:
    failures = {
        "400": "Refused",
        "401": "Not authenticated",
        "403": "Not allowed",
        "404": "Not found",
        "429": "Too many requests",
    }
    if operation.name in BODIES:
        failures |= {"413": "Body too large", "415": "Not JSON"}
    if operation.name == "listJobs":
        failures["405"] = "Jobs cannot be listed"
    made: Schema = {status: _answer(ref("Failure"), words) for status, words in failures.items()}
    if operation.name in ("deleteRuleset", "deleteJob"):
        made["204"] = {"description": "Deleted"}
    if operation.name != "deleteRuleset":
        good = "201" if operation.name == "createJob" else "200"
        made[good] = _answer(envelope(_RESULTS[operation.name], pages=operation.name in _PAGED), "Done")
    return made


def _operation(operation: Operation, in_paths: Schema) -> Schema:
    made: Schema = {
        "operationId": operation.name,
        "parameters": _parameters(operation, in_paths),
        "responses": _responses(operation),
    }
    if operation.name in BODIES:
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": BODIES[operation.name]}}}
    return made


def description(base_url: str, zones: t.Sequence[str] = ()) -> Schema:
    """The whole document, for a service at this base URL; it names the zones if they are few."""
    in_paths: Schema = {"phase": {"enum": list(PHASES)}, "dataset": {"type": "string", "pattern": "^[a-zA-Z0-9_-]+$"}}
    if 0 < len(zones) <= _FEW:
        in_paths["zone_id"] = {"enum": list(zones)}
    paths: Schema = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, in_paths)
    schemes = {
        "token": {"type": "http", "scheme": "bearer"},
        "email": {"type": "apiKey", "in": "header", "name": "X-Auth-Email"},
        "key": {"type": "apiKey", "in": "header", "name": "X-Auth-Key"},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Simulated zone service", "version": __version__},
        "servers": [{"url": base_url}],
        "security": [{"token": []}, {"email": [], "key": []}],
        "paths": paths,
        "components": {"schemas": {**SCHEMAS, **WISHES}, "securitySchemes": schemes},
    }
