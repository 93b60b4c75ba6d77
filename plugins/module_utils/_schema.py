# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from ._core import INVALID_OPTION, Failure, Json
from ._text import did_you_mean, nearest, parse_date, quoted

# The part of JSON Schema that this collection uses: how to write schemas, and the validation of values.

Schema = dict[str, t.Any]

_TYPES: t.Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}
_NAMES = {"object": "a dictionary", "array": "a list", "string": "a string", "integer": "an integer", "boolean": "true or false"}


# An object with any members, or null.
OBJECT: Schema = {"type": ["object", "null"]}


def string(**rules: t.Any) -> Schema:
    return {"type": "string", **rules}


def array(items: Schema, **rules: t.Any) -> Schema:
    return {"type": "array", "items": items, **rules}


def record(members: t.Mapping[str, Schema], optional: t.Collection[str] = (), **rules: t.Any) -> Schema:
    """Return the schema of an object with known members; others are allowed."""
    required = [name for name in members if name not in optional]
    return {"type": "object", "properties": dict(members), "required": required, **rules}


def row(*members: Schema) -> Schema:
    """Return the schema of a list that has exactly these members."""
    return {"type": "array", "prefixItems": list(members), "items": False, "minItems": len(members)}


def nullable(schema: Schema) -> Schema:
    """Return a schema that also accepts null."""
    return {**schema, "type": [schema["type"], "null"]}


def problems(schema: Schema, value: Json, place: str = "", *, later: bool = False) -> t.Iterator[str]:
    """Yield why a value does not fit a schema, each with its path; with `later`, unknown words of an enumeration are valid."""
    types = schema.get("type", [])
    allowed = [types] if isinstance(types, str) else types
    if allowed and not any(_is(value, name) for name in allowed):
        yield f"{place or 'the whole'}: must be {_NAMES[allowed[0]]}, not {quoted(value)}"
    elif isinstance(value, dict) and "properties" in schema:
        yield from _object_problems(schema, value, place, later)
    elif isinstance(value, list) and "prefixItems" in schema:
        if len(value) != len(schema["prefixItems"]):
            yield f"{place}: has {len(value)} items and not {len(schema['prefixItems'])}"
        for number, (member, of_member) in enumerate(zip(value, schema["prefixItems"], strict=False)):
            yield from problems(of_member, member, f"{place}[{number}]", later=later)
    elif isinstance(value, list) and "items" in schema:
        for number, member in enumerate(value):
            yield from problems(schema["items"], member, f"{place}[{number}]", later=later)
        if schema.get("uniqueItems") and len(set(map(repr, value))) < len(value):
            yield f"{place}: has a duplicate"
    elif isinstance(value, (str, int)) and not _fits(schema, value, later):
        yield f"{place}: {quoted(value)} is not valid"


def check(schema: Schema, value: Json, place: str) -> None:
    """Raise `invalid_option` with the path of the first problem if a value does not fit a schema."""
    for problem in problems(schema, value, place):
        raise Failure(INVALID_OPTION, problem)


def _object_problems(schema: Schema, value: dict[str, Json], place: str, later: bool) -> t.Iterator[str]:
    known = schema["properties"]
    for name in value if schema.get("additionalProperties") is False else ():
        if name not in known:
            yield f"{_path(place, name)}: is unknown{did_you_mean(nearest(str(name), known))}"
    yield from (f"{_path(place, name)}: is missing" for name in schema["required"] if name not in value)
    for name, member in known.items():
        if name in value:
            yield from problems(member, value[name], _path(place, name), later=later)


def _path(place: str, name: object) -> str:
    return f"{place}.{name}" if place else str(name)


def _is(value: Json, name: str) -> bool:
    return isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def _fits(schema: Schema, value: str | int, later: bool) -> bool:
    if isinstance(value, int):
        return value >= int(schema.get("minimum", value))
    if "enum" in schema and value not in schema["enum"]:
        return later
    if schema.get("format") == "date" and (len(value) != len("2026-12-31") or parse_date(value) is None):
        return False
    return len(value) >= int(schema.get("minLength", 0)) and re.search(schema.get("pattern", ""), value) is not None
