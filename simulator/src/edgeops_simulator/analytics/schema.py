# SPDX-License-Identifier: GPL-3.0-or-later

"""Build the GraphQL schema, which has queries only, from the table of datasets."""

from __future__ import annotations

import functools
import re
import typing as t

from graphql import GraphQLScalarType, GraphQLSchema, build_schema

from edgeops_simulator import clock
from edgeops_simulator.analytics.datasets import DATASETS, OPERATORS, PATTERNS, SETS, Dataset

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TAGS = {"zone": "zoneTag", "account": "accountTag"}


def _record(name: str, members: t.Mapping[str, str], kind: str = "type") -> str:
    return f"{kind} {name} {{\n" + "".join(f"  {member}: {of}\n" for member, of in members.items()) + "}\n"


def _name(scope: str, dataset: Dataset) -> str:
    """Return the prefix for the types of a dataset, such as ZoneLogpushHealthAdaptiveGroups."""
    return scope.capitalize() + dataset.name[:1].upper() + dataset.name[1:]


def _dataset(name: str, dataset: Dataset) -> str:
    filters = dict.fromkeys(("AND", "OR"), f"[{name}Filter_InputObject!]")
    for dimension, (kind, _value) in dataset.dimensions.items():
        filters |= {dimension + operator: kind for operator in (*OPERATORS, *(PATTERNS if kind == "string" else ()))}
        filters |= {dimension + operator: f"[{kind}!]" for operator in SETS}
    nested: dict[str, dict[str, str]] = {"dimensions": {key: kind for key, (kind, _value) in dataset.dimensions.items()}}
    group = {}
    for path, (kind, _total) in dataset.totals.items():
        outer, _line, inner = path.partition("_")
        if inner:
            nested.setdefault(outer, {})[inner] = kind
        else:
            group[outer] = f"{kind}!"
    group |= {outer: name + outer.capitalize() for outer in nested}
    order = [f"{key}_{way}" for key in (*dataset.dimensions, *dataset.totals) for way in ("ASC", "DESC")]
    parts = [_record(name + outer.capitalize(), members) for outer, members in nested.items()]
    parts += [_record(f"{name}Filter_InputObject", filters, "input"), f"enum {name}OrderBy {{ {' '.join(order)} }}\n"]
    return "".join([*parts, _record(name, group)])


def _scope(scope: str) -> str:
    """Return the type of a zone or an account, with its datasets and their settings."""
    own = {dataset.name: _name(scope, dataset) for dataset in DATASETS if scope in dataset.scopes}
    arguments = "(filter: {0}Filter_InputObject!, limit: uint64!, orderBy: [{0}OrderBy!])"
    nodes = {node + arguments.format(name): f"[{name}!]" for node, name in own.items()}
    tag = _TAGS[scope]
    return "".join(
        [
            *(_dataset(_name(scope, dataset), dataset) for dataset in DATASETS if scope in dataset.scopes),
            _record(scope, {tag: "string!", "settings": f"{scope}Settings!", **nodes}),
            _record(f"{scope}Settings", dict.fromkeys(own, "NodeSettings")),
            _record(f"{scope.capitalize()}Filter_InputObject", {tag: "string", f"{tag}_in": "[string!]"}, "input"),
        ]
    )


def _text() -> str:
    seconds = dict.fromkeys(("maxDuration", "maxNumberOfFields", "maxPageSize", "notOlderThan"), "uint64!")
    scalars = "".join(f"scalar {name}\n" for name in ("string", "uint16", "uint64", "float64", "Time", "Date"))
    viewer = {f"{scope}s(filter: {scope.capitalize()}Filter_InputObject!, limit: uint64)": f"[{scope}!]" for scope in _TAGS}
    return (
        scalars
        + _record("NodeSettings", {"enabled": "Boolean!", "availableFields": "[string!]!", **seconds})
        + "".join(map(_scope, _TAGS))
        + _record("viewer", viewer)
        + _record("Query", {"viewer": "viewer"})
    )


def _is_text(value: t.Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a string")
    return value


def _is_number(value: t.Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{value!r} is not a number")
    return value


def _is_date(value: t.Any) -> str:
    text = _is_text(value)
    if not _DATE.fullmatch(text):
        raise ValueError(f"{text!r} is not a date such as 2026-01-31")
    return text


_SCALARS: t.Mapping[str, t.Callable[[t.Any], t.Any]] = {
    "string": _is_text,
    "uint16": _is_number,
    "uint64": _is_number,
    "Time": lambda value: clock.read(_is_text(value)),
    "Date": _is_date,
}


@functools.lru_cache(maxsize=1)
def schema() -> GraphQLSchema:
    made = build_schema(_text())
    for name, read in _SCALARS.items():
        # Copy all attributes, because the one that holds the function differs between releases of graphql-core.
        vars(made.type_map[name]).update(vars(GraphQLScalarType(name, parse_value=read)))
    return made
