# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the OpenAPI 3.1 description from the declarations that also serve the routes."""

from __future__ import annotations

import typing as t

from edgeops_simulator import __version__
from edgeops_simulator.front.operations import OPERATIONS
from edgeops_simulator.front.routing import Operation
from edgeops_simulator.rules.rulesets import PHASES
from edgeops_simulator.schemas.answers import SCHEMAS, Schema, envelope, ref
from edgeops_simulator.schemas.bodies import SCHEMAS as BODIES

_FEW = 20
_FAILURES = {400: "Refused", 401: "Not authenticated", 403: "Not allowed", 404: "Not found", 429: "Too many requests"}
_OTHERS = {204: "Done", 405: "Not available by this method", 409: "In use", 501: "Not installed"}


def _parameters(operation: Operation, in_paths: Schema) -> list[Schema]:
    names = [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]
    anything = {"type": "string", "minLength": 1}
    in_path = [{"name": name, "in": "path", "required": True, "schema": in_paths.get(name, anything)} for name in names]
    return in_path + [{"name": name, "in": "query", "schema": schema} for name, schema in operation.query.items()]


def _answer(schema: Schema, words: str) -> Schema:
    return {"description": words, "content": {"application/json": {"schema": schema}}}


def _responses(operation: Operation) -> Schema:
    failures = dict(_FAILURES)
    if operation.body is not None:
        failures |= {413: "Body too large", 415: "Not JSON"}
    made: Schema = {str(status): _answer(ref("Failure"), words) for status, words in failures.items()}
    for status in operation.also:
        made[str(status)] = {"description": _OTHERS[status]} if status < 300 else _answer(ref("Failure"), _OTHERS[status])
    if operation.result is None:
        made[str(operation.status)] = {"description": "Done"}
    else:
        schema = operation.result if operation.bare else envelope(operation.result, pages=operation.paged)
        made[str(operation.status)] = _answer(schema, "Done")
    return made


def _operation(operation: Operation, in_paths: Schema) -> Schema:
    made: Schema = {
        "operationId": operation.name,
        "parameters": _parameters(operation, in_paths),
        "responses": _responses(operation),
    }
    if operation.body is not None:
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": operation.body}}}
    return made


def description(base_url: str, zones: t.Sequence[str] = (), accounts: t.Sequence[str] = ()) -> Schema:
    """Return the description for this base URL; it lists the zones and the accounts if they are few."""
    in_paths: Schema = {"phase": {"enum": list(PHASES)}, "dataset": {"type": "string", "pattern": "^[a-zA-Z0-9_-]+$"}}
    for name, ids in (("zone_id", zones), ("account_id", accounts)):
        if 0 < len(ids) <= _FEW:
            in_paths[name] = {"enum": list(ids)}
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
        "components": {"schemas": {**SCHEMAS, **BODIES}, "securitySchemes": schemes},
    }
