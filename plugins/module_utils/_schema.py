# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
import functools
import re
import types
import typing as t

from ._core import INVALID_OPTION, Failure, Json
from ._text import did_you_mean, nearest, parse_date, quoted

# The part of JSON Schema that this collection uses: the schema of a type, and the validation of values. The types of records are
# the only table of their members: what a type cannot say (a pattern, a description, a default) is in `Annotated` beside it.

Schema = dict[str, t.Any]
_T = t.TypeVar("_T")

_TYPES: t.Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}
_NAMES = {"object": "a dictionary", "array": "a list", "string": "a string", "integer": "an integer", "boolean": "true or false"}


_SCALARS: t.Mapping[object, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    object: {},
    t.Any: {},
    types.NoneType: {"type": "null"},
}


class Rules:
    """What a type cannot say of a member: a description, a pattern, the default of one that may be missing; for `Annotated`."""

    def __init__(self, description: str = "", **keywords: t.Any) -> None:
        self.schema: Schema = {**({"description": description} if description else {}), **keywords}


def schema_of(kind: t.Any) -> Schema:
    """Return the schema of a type: of a TypedDict, a list, a tuple (a list of exactly these items), a dictionary, or a JSON scalar.

    A member may be missing where it has a default, or where its TypedDict is not total. Objects may have further members.
    """
    if t.is_typeddict(kind):
        return _record(kind)
    return _COMPOUND[origin](kind) if (origin := t.get_origin(kind)) else _SCALARS[kind]


def _annotated(kind: t.Any) -> Schema:
    schema = schema_of(t.get_args(kind)[0])
    for rules in kind.__metadata__:
        schema = {**schema, **rules.schema}
    return schema


def _array(kind: t.Any) -> Schema:
    return {"type": "array", "items": schema_of(t.get_args(kind)[0])}


def _row(kind: t.Any) -> Schema:
    items = [schema_of(item) for item in t.get_args(kind)]
    return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}


def _dictionary(kind: t.Any) -> Schema:
    values = schema_of(t.get_args(kind)[1])
    return {"type": "object", **({"additionalProperties": values} if values else {})}


@functools.cache
def _record(kind: t.Any) -> Schema:
    members = {name: schema_of(member) for name, member in t.get_type_hints(kind, include_extras=True).items()}
    required = [name for name, member in members.items() if name in kind.__required_keys__ and "default" not in member]
    return {"type": "object", "properties": members, "required": required}


def _union(kind: t.Any) -> Schema:
    """Return the schema of one type or null, or of several scalars."""
    schema: Schema = {}
    names: list[str] = []
    for one in map(schema_of, t.get_args(kind)):
        if not one:
            return {}  # anything
        schema |= one
        names.append(one["type"])
    return {**schema, "type": names}


_COMPOUND: t.Mapping[object, t.Callable[[t.Any], Schema]] = {
    t.Annotated: _annotated,
    t.Union: _union,
    types.UnionType: _union,
    list: _array,
    tuple: _row,
    dict: _dictionary,
}


def named(names: t.Iterable[str], kind: t.Any) -> Schema:
    """Return the rules of a dictionary that has these names, each with a value of the type."""
    members = dict.fromkeys(names, schema_of(kind))
    return {"properties": members, "required": list(members)}


def valid(kind: type[_T], value: Json) -> _T | None:
    """Return a value as its type; None if it does not fit."""
    return None if any(problems(schema_of(kind), value)) else t.cast(_T, value)


def checked(kind: type[_T], value: Json, place: str, *, is_closed: bool = False) -> _T:
    """Return a value as its type; raise `invalid_option` with the path of the first problem if it does not fit.

    With `is_closed` it must not have members of which the type does not know.
    """
    schema = schema_of(kind)
    for problem in problems({**schema, "additionalProperties": False} if is_closed else schema, value, place):
        raise Failure(INVALID_OPTION, problem)
    return t.cast(_T, value)  # it fits the schema of the type


def completed(kind: type[_T], value: Json) -> _T:
    """Return a value that fits as its type: with the defaults of missing members, and without members that the type does not have."""
    return t.cast(_T, _complete(schema_of(kind), value))


def _complete(schema: Schema, value: Json) -> Json:
    if isinstance(value, dict) and "properties" in schema:
        members: dict[str, Schema] = schema["properties"]
        return {
            name: _complete(member, value[name]) if name in value else copy.copy(member["default"])
            for name, member in members.items()
            if name in value or "default" in member
        }
    if isinstance(value, list) and isinstance(items := schema.get("items"), dict) and items.keys() & {"properties", "items"}:
        return [_complete(items, item) for item in value]
    return value


def problems(schema: Schema, value: Json, place: str = "", *, later: bool = False) -> t.Iterator[str]:
    """Yield why a value does not fit a schema, each with its path; with `later`, unknown words of an enumeration are valid."""
    types = schema.get("type", [])
    allowed = [types] if isinstance(types, str) else types
    if allowed and not any(_is(value, name) for name in allowed):
        yield f"{place or 'the whole'}: must be {_NAMES[allowed[0]]}, not {quoted(value)}"
    elif isinstance(value, dict):
        yield from _object_problems(schema, value, place, later)
    elif isinstance(value, list) and "prefixItems" in schema:
        if len(value) != len(schema["prefixItems"]):
            yield f"{place}: has {len(value)} items and not {len(schema['prefixItems'])}"
        for number, (member, of_member) in enumerate(zip(value, schema["prefixItems"], strict=False)):
            yield from problems(of_member, member, f"{place}[{number}]", later=later)
    elif isinstance(value, list) and "items" in schema:
        for number, member in enumerate(value) if schema["items"] else ():
            yield from problems(schema["items"], member, f"{place}[{number}]", later=later)
        if schema.get("uniqueItems") and len(set(map(repr, value))) < len(value):
            yield f"{place}: has a duplicate"
    elif isinstance(value, (str, int)) and not _fits(schema, value, later):
        yield f"{place}: {quoted(value)} is not valid"


def _object_problems(schema: Schema, value: dict[str, Json], place: str, later: bool) -> t.Iterator[str]:
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name in value if others is False else ():
        if name not in known:
            yield f"{_path(place, name)}: is unknown{did_you_mean(nearest(str(name), known))}"
    yield from (f"{_path(place, name)}: is missing" for name in schema.get("required", ()) if name not in value)
    for name, member in known.items():
        if member and name in value:
            yield from problems(member, value[name], _path(place, name), later=later)
    for name in value.keys() - known.keys() if isinstance(others, dict) else ():
        yield from problems(others, value[name], _path(place, name), later=later)


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
