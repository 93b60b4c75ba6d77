# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from .._core import Json
from .._text import did_you_mean, json_type, nearest, parse_date, shown
from .facts import FINDINGS, KINDS, MANAGED, PATTERNS, RESOURCES, SCOPES, SEVERITIES, STATUSES

# The JSON Schema of a report, which is also a file in extensions/schemas, that of a record, and their validation.

Schema = dict[str, t.Any]

_TYPES: t.Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}
_NAMES = {"object": "an object", "array": "a list", "string": "text", "integer": "a number", "boolean": "true or false"}


def _text(**rules: t.Any) -> Schema:
    return {"type": "string", **rules}


def _list(items: Schema, **rules: t.Any) -> Schema:
    return {"type": "array", "items": items, **rules}


def _object(members: t.Mapping[str, Schema], optional: t.Collection[str] = (), **rules: t.Any) -> Schema:
    required = [name for name in members if name not in optional]
    return {"type": "object", "properties": dict(members), "required": required, **rules}


def _or_null(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


_ANY: Schema = {}
_OBJECT: Schema = {"type": ["object", "null"]}
_ADDRESS: Schema = {"type": ["string", "integer", "null"]}
_NUMBER: Schema = {"type": "integer", "minimum": 0}
_FLAG: Schema = {"type": "boolean"}
_TIME = _text(
    description="RFC 3339; written in UTC with seconds.",
    pattern=r"^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$",
)
_ID = _text(
    description="The first 16 hexadecimal digits of SHA-256 over zone_id (or account_id), kind, resource, subject and member.",
    pattern="^[0-9a-f]{16}$",
)
_COUNTS = _object(
    dict.fromkeys(
        ("zones", *(each for each in STATUSES if each != FINDINGS), "differences", "findings", "notes", "waived"), _NUMBER
    ),
    description="Zones of this run by status, and items that are neither waived nor carried; waived items.",
)
_ITEM = _object(
    {
        "id": _ID,
        "kind": _text(enum=list(KINDS)),
        "type": _text(description="The type of finding or note, or difference."),
        "resource": _text(enum=list(RESOURCES)),
        "subject": _or_null(_text()),
        "member": _or_null(_text()),
        "severity": _text(enum=list(SEVERITIES)),
        "message": _text(description="What is, and what should be."),
        "is": {},
        "should_be": {},
        "first_seen": _TIME,
        "waived": _FLAG,
        "carried": {**_FLAG, "description": "Taken over from an earlier report, because this run did not look; counts nowhere."},
    },
    optional=("carried",),
)
ITEM_MEMBERS = tuple(_ITEM["properties"])
_JOB = _object(
    {"job": _text(), "job_id": {"type": ["integer", "null"]}, "health": _text(), "last_complete": _or_null(_text())},
    optional=("job_id",),
)
_ZONE = _object(
    {
        "zone": _text(minLength=1),
        "zone_id": _or_null(_text()),
        "account_id": _or_null(_text(description="Of an account, in place of zone_id.")),
        "scope": _text(enum=list(SCOPES)),
        "status": _text(enum=list(STATUSES)),
        "audited_at": _or_null({**_TIME, "description": "When the zone was last audited."}),
        "plan_ids": _object(dict.fromkeys(MANAGED, _or_null(_text())), description="Null where a resource is left alone."),
        "items": _list(_ITEM),
        "error": _or_null(_object({"kind": _text(), "message": _text()}, description="Why the zone could not be audited.")),
        "evidence": {"description": "seq and head of the evidence of scripts.", "type": ["object", "null"]},
        "delivery": _or_null(
            _list({"type": "object"}, description="What was delivered and lost, a row for each job; null if not read.")
        ),
        "proposals": _or_null(
            _list({"type": "object"}, description="Entries for the baseline of scripts; null if scripts were not audited.")
        ),
        "carried": {**_FLAG, "description": "The zone was not part of this run; its row is that of its last audit."},
        "resources": _list(_text(), description="What was looked at."),
        "jobs": _or_null(_list(_JOB, description="Null where jobs were not read.")),
        "inventory": _or_null(
            _list(
                _object(dict.fromkeys(("script_url", "host", "entry"), _ANY)),
                description="Scripts with the entry of the baseline; null where scripts were not audited.",
            )
        ),
    },
    optional=("account_id", "scope", "delivery", "proposals", "carried", "resources", "jobs", "inventory"),
)
_WAIVER = _object(
    {
        **dict.fromkeys(PATTERNS, _or_null(_text())),
        **dict.fromkeys(("reason", "owner"), _text(pattern=r"\S")),
        "until": _text(format="date"),
        "expired": _FLAG,
        "items": _list(_ID, description="Items that it names.", uniqueItems=True),
    },
    optional=(*PATTERNS, "expired", "items"),
)
REPORT: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://github.com/edgeops/edgeops.observability/extensions/schemas/audit-report-1.json",
    "$comment": "SPDX-License-Identifier: GPL-3.0-or-later. A minor version only adds members.",
    "title": "Audit report of edgeops.observability, major version 1",
    **_object(
        {
            "schema_version": _text(description="Major and minor version.", pattern=r"^1\.\d+$"),
            "report_id": _text(description="Digest of everything else in the report."),
            "generated_at": _TIME,
            "collection_version": _text(),
            "title": _text(),
            "outcome": _text(description="The first of the statuses that a zone has.", enum=list(STATUSES)),
            "counts": _COUNTS,
            "plan_id": _or_null(
                _text(
                    description="SHA-256 over the sorted lines 'zone_id resource plan_id'; null if a zone is unaudited.",
                    pattern="^sha256:[0-9a-f]{64}$",
                )
            ),
            "zones": _list(_ZONE, description="Sorted by name."),
            "comparison": _object(
                {
                    "previous_id": _or_null(_text(description="report_id of the previous report.")),
                    **dict.fromkeys(("new", "resolved", "changed", "persisting"), _list(_ID, uniqueItems=True)),
                    "unknown": _list(_ID, description="Not looked at by this run.", uniqueItems=True),
                },
                description="Ids of items by what became of them since the previous report.",
            ),
            "waivers": _list(_WAIVER),
            "trend": _list(_object({"at": _TIME, "counts": _COUNTS}), description="Counts of earlier reports, the oldest first."),
        },
        optional=("trend",),
    ),
}

_PART = _or_null(_object({"plan_id": _or_null(_text())}, optional=("plan_id",)))
_DIFF = _or_null(_object(dict.fromkeys(("before", "after"), _OBJECT), optional=("before", "after")))
_OBJECTS = _or_null(_list({"type": "object"}))
_MANAGED_PART = {**_PART, "properties": {**_PART["properties"], "diff": _DIFF}}
RECORD: Schema = _object(
    {
        "zone": _text(minLength=1),
        **dict.fromkeys(("zone_id", "account_id"), _ADDRESS),
        "scope": _text(enum=list(SCOPES)),
        "result": _or_null(_object(dict.fromkeys(MANAGED, _MANAGED_PART), optional=MANAGED)),
        "jobs": _or_null(_list(_object({"health": _OBJECT}, optional=("health",)))),
        "coverage": _or_null(
            _object(
                {**dict.fromkeys(("unselected", "unconfigured"), _OBJECTS), "sentences": {"type": ["array", "null"]}},
                optional=("unselected", "unconfigured", "sentences"),
            )
        ),
        "scripts": _or_null(
            _object(
                {
                    **dict.fromkeys(("findings", "scripts", "inventory", "proposals"), _OBJECTS),
                    "evidence": {"type": ["object", "null"]},
                },
                optional=("findings", "scripts", "inventory", "proposals", "evidence"),
            )
        ),
        "delivery": _OBJECTS,
        "error": {"type": ["object", "null"]},
    },
    optional=("zone_id", "account_id", "scope", "result", "jobs", "coverage", "scripts", "delivery", "error"),
    additionalProperties=False,
)


def problems(schema: Schema, value: Json, place: str = "", *, later: bool = False) -> t.Iterator[str]:
    """Yield what of a value does not fit a schema, its place first; with `later`, unknown words of an enumeration are valid."""
    types = schema.get("type", [])
    allowed = [types] if isinstance(types, str) else types
    if allowed and not any(_is(value, name) for name in allowed):
        yield f"{place or 'the whole'}: {shown(value) if not value else _shown(value)} is not {_NAMES[allowed[0]]}"
    elif isinstance(value, dict) and "properties" in schema:
        yield from _object_problems(schema, value, place, later)
    elif isinstance(value, list) and "items" in schema:
        for number, member in enumerate(value):
            yield from problems(schema["items"], member, f"{place}[{number}]", later=later)
        if schema.get("uniqueItems") and len(set(map(repr, value))) < len(value):
            yield f"{place}: has an item twice"
    elif isinstance(value, (str, int)) and not _fits(schema, value, later):
        yield f"{place}: {shown(value)} cannot be used there"


def _object_problems(schema: Schema, value: dict[str, Json], place: str, later: bool) -> t.Iterator[str]:
    known = schema["properties"]
    for name in value if schema.get("additionalProperties") is False else ():
        if name not in known:
            yield f"{_path(place, name)}: does not exist there{did_you_mean(nearest(str(name), known))}"
    yield from (f"{_path(place, name)}: is missing" for name in schema["required"] if name not in value)
    for name, member in known.items():
        if name in value:
            yield from problems(member, value[name], _path(place, name), later=later)


def _path(place: str, name: object) -> str:
    return f"{place}.{name}" if place else str(name)


def _shown(value: Json) -> str:
    return shown(value) if isinstance(value, (str, int, float)) else json_type(value)


def _is(value: Json, name: str) -> bool:
    return isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def _fits(schema: Schema, value: str | int, later: bool) -> bool:
    """Return whether a text or number fits its schema."""
    if isinstance(value, int):
        return value >= int(schema.get("minimum", value))
    if "enum" in schema and value not in schema["enum"]:
        return later
    if schema.get("format") == "date" and (len(value) != len("2026-12-31") or parse_date(value) is None):
        return False
    return len(value) >= int(schema.get("minLength", 0)) and re.search(schema.get("pattern", ""), value) is not None
