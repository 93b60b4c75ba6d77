# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The schema of GraphQL, made from the table of datasets. It has queries only."""

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


def _dataset(dataset: Dataset) -> str:
    name = dataset.name
    filters = {"AND": f"[{name}Filter!]", "OR": f"[{name}Filter!]"}
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
    group |= {outer: f"{name}_{outer}" for outer in nested}
    order = [f"{key}_{way}" for key in (*dataset.dimensions, *dataset.totals) for way in ("ASC", "DESC")]
    parts = [_record(f"{name}_{outer}", members) for outer, members in nested.items()]
    parts += [_record(f"{name}Filter", filters, "input"), f"enum {name}OrderBy {{ {' '.join(order)} }}\n", _record(name, group)]
    return "".join(parts)


def _scope(scope: str) -> str:
    """A zone or an account, with its datasets and their settings."""
    own = [dataset.name for dataset in DATASETS if scope in dataset.scopes]
    arguments = "(filter: {0}Filter!, limit: uint64!, orderBy: [{0}OrderBy!])"
    nodes = {name + arguments.format(name): f"[{name}!]" for name in own}
    tag = _TAGS[scope]
    return (
        _record(scope, {tag: "string!", "settings": f"{scope}Settings!", **nodes})
        + _record(f"{scope}Settings", dict.fromkeys(own, "NodeSettings"))
        + _record(f"{scope}Filter", {tag: "string", f"{tag}_in": "[string!]"}, "input")
    )


def _text() -> str:
    seconds = dict.fromkeys(("maxDuration", "maxNumberOfFields", "maxPageSize", "notOlderThan"), "uint64!")
    scalars = "".join(f"scalar {name}\n" for name in ("string", "uint16", "uint64", "float64", "Time", "Date"))
    viewer = {"zones(filter: zoneFilter!)": "[zone!]", "accounts(filter: accountFilter!)": "[account!]"}
    return (
        scalars
        + _record("NodeSettings", {"enabled": "Boolean!", "availableFields": "[string!]!", **seconds})
        + "".join(map(_dataset, DATASETS))
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
        t.cast(GraphQLScalarType, made.type_map[name]).parse_value = read  # type: ignore[assignment,method-assign]
    return made
