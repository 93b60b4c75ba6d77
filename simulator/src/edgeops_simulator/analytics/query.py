# SPDX-License-Identifier: GPL-3.0-or-later

"""Answer GraphQL queries: groups of rows, and the limits of the plan."""

from __future__ import annotations

import dataclasses
import fnmatch
import re
import sys
import traceback
import typing as t

from graphql import (
    FieldNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLResolveInfo,
    SelectionSetNode,
    execute_sync,
    parse,
    validate,
)

from edgeops_simulator import clock
from edgeops_simulator.analytics.datasets import DATASETS, REPORTS, USAGE, Dataset, Row, groups, ordered, passes, split
from edgeops_simulator.analytics.schema import schema
from edgeops_simulator.refusal import query_error
from edgeops_simulator.state.owners import Account, Owner
from edgeops_simulator.state.service import Service

Document = dict[str, t.Any]
MAX_ZONES = 10
STATUS_BUDGET = 429
_HOUR = 3600
_BY_NAME = {dataset.name: dataset for dataset in DATASETS}
_UNKNOWN_FIELD = re.compile(r"Cannot query field '(\w+)'")


class Problem(Exception):
    """An error in the answer to a query, with the documented HTTP status."""

    def __init__(self, message: str, status: int = 400, code: str = "") -> None:
        super().__init__(message)
        self.status, self.code = status, code


def answer(service: Service, body: t.Mapping[str, t.Any]) -> tuple[Document, int]:
    """Return the complete answer to a query, and the documented HTTP status."""
    try:
        document = parse(body["query"])
    except (GraphQLError, RecursionError) as problem:
        return {"data": None, "errors": [query_error(f"error parsing query: {problem}")]}, 400
    problems = validate(schema(), document)
    if problems:
        return _failed(problems)
    done = execute_sync(
        schema(),
        document,
        root_value={"viewer": _Viewer(service)},
        variable_values=body.get("variables") or {},
        operation_name=body.get("operationName"),
    )
    return _failed(done.errors) if done.errors else ({"data": done.data, "errors": None}, 200)


def _failed(problems: t.Sequence[GraphQLError]) -> tuple[Document, int]:
    """Return an answer with errors and without data."""
    errors, status = [], 400
    for problem in problems:
        cause, unknown = problem.original_error, _UNKNOWN_FIELD.search(problem.message)
        if isinstance(cause, Problem):
            status = cause.status
            errors.append(query_error(str(cause), problem.path, cause.code))
        elif unknown:
            errors.append(query_error(f'unknown field "{unknown[1]}"'))
        elif cause is None or isinstance(cause, (GraphQLError, ValueError)):
            errors.append(query_error(f"error parsing args: {problem.message}", problem.path))
        else:
            traceback.print_exception(cause, file=sys.stderr)
            status = 500
            errors.append(query_error("unable to execute query", problem.path))
    return {"data": None, "errors": errors}, status


def _tags(arguments: t.Mapping[str, t.Any], name: str) -> list[str]:
    tags = [*([arguments[name]] if arguments.get(name) else []), *(arguments.get(f"{name}_in") or [])]
    if not tags:
        raise Problem(f"error parsing args: {name} is required")
    return list(dict.fromkeys(tags))


@dataclasses.dataclass
class _Viewer:
    """The zones and accounts that the credential can read."""

    service: Service

    def zones(self, info: GraphQLResolveInfo[t.Any], filter: Document, limit: int = MAX_ZONES) -> list[_Node]:  # noqa: A002 - its name in GraphQL
        tags = _tags(filter, "zoneTag")
        if len(tags) > MAX_ZONES:
            raise Problem(f"queries too many nodes, zones and accounts: {len(tags)} zones, maximum {MAX_ZONES}", STATUS_BUDGET)
        foreign = [tag for tag in tags if tag not in self.service.zones]
        if foreign:
            raise Problem(f"zones [{' '.join(foreign)}] are not authorized", 403, "authz")
        return [_Node(self.service, self.service.zones[tag]) for tag in tags][:limit]

    def accounts(self, info: GraphQLResolveInfo[t.Any], filter: Document, limit: int = MAX_ZONES) -> list[_Node]:  # noqa: A002 - its name in GraphQL
        tags = _tags(filter, "accountTag")
        if len(tags) > 1:
            raise Problem(f"queries too many nodes, zones and accounts: {len(tags)} accounts, maximum 1", STATUS_BUDGET)
        if tags[0] not in self.service.accounts:
            raise Problem("not authorized for that account", 403, "authz")
        return [_Node(self.service, self.service.accounts[tags[0]])][:limit]


class _Node:
    """One zone or account in a query."""

    def __init__(self, service: Service, owner: Owner) -> None:
        self._service, self._owner = service, owner
        self.zoneTag = self.accountTag = owner.id

    def settings(self, info: GraphQLResolveInfo[t.Any]) -> Document:
        return {dataset.name: self._limits(dataset) for dataset in DATASETS if self._owner.kind in dataset.scopes}

    def _limits(self, dataset: Dataset) -> Document:
        """Return the limits of the plan for a dataset."""
        settings = self._service.settings
        path = f"{self._owner.kind}s/{self._owner.id}/{dataset.name}"
        window = settings.graphql_zone_window if self._owner.kind == "zone" else settings.graphql_account_window
        window = settings.graphql_usage_window if dataset is USAGE else window
        window = settings.graphql_report_window if dataset is REPORTS else window
        hidden = settings.graphql_hidden_fields
        return {
            "enabled": not any(fnmatch.fnmatchcase(path, pattern) for pattern in settings.graphql_disabled),
            "availableFields": [field for field in dataset.available_fields if field not in hidden],
            "maxDuration": window,
            "maxNumberOfFields": settings.graphql_max_fields,
            "maxPageSize": settings.graphql_page_size,
            "notOlderThan": window + _HOUR,
        }

    def __getattr__(self, name: str) -> t.Any:
        """Return the resolver of a dataset; graphql-core looks it up as an attribute."""
        if name not in _BY_NAME:
            raise AttributeError(name)
        return lambda info, **arguments: self._groups(_BY_NAME[name], info, **arguments)

    def _groups(
        self,
        dataset: Dataset,
        info: GraphQLResolveInfo[t.Any],
        limit: int,
        filter: Document,  # noqa: A002 - the name of the GraphQL argument
        orderBy: t.Sequence[str] = (),  # noqa: N803 - the name of the GraphQL argument
    ) -> list[Document]:
        limits = self._limits(dataset)
        if not limits["enabled"]:
            raise Problem(f"{self._owner.kind} {self._owner.id} does not have access to the path", 403, "authz")
        fields = _selected(info, info.field_nodes[0].selection_set)
        _check_fields(fields, limits)
        if not 0 < limit <= limits["maxPageSize"]:
            raise Problem(f"limit must be positive number and not greater than {limits['maxPageSize']}")
        _check_window(filter, limits)
        rows = [row for row in self._rows(dataset) if passes(dataset, row, filter)]
        named = [field.partition("_")[2] for field in fields if field.startswith("dimensions_")]
        by_order = [key.rpartition("_")[0] for key in orderBy or ()]
        dimensions = list(dict.fromkeys([*named, *(name for name in by_order if name in dataset.dimensions)]))
        return ordered(dataset, groups(dataset, rows, dimensions), orderBy or ())[:limit]

    def _rows(self, dataset: Dataset) -> list[Row]:
        owners = [self._owner]
        if isinstance(self._owner, Account) and (dataset is USAGE or self._service.settings.graphql_account_has_zones):
            owners += [zone for zone in self._service.zones.values() if zone.account.get("id") == self._owner.id]
        rows = [row for owner in owners for row in getattr(owner, dataset.rows).values()]
        return [row for row in rows if row["success"]] if dataset is USAGE else rows


def _selected(info: GraphQLResolveInfo[t.Any], selections: SelectionSetNode | None, prefix: str = "") -> list[str]:
    """Return the fields that a query selects of a node, nested ones as `sum_records`."""
    fields: list[str] = []
    for node in selections.selections if selections else ():
        if isinstance(node, FieldNode):
            name = prefix + node.name.value
            fields += _selected(info, node.selection_set, f"{name}_") if node.selection_set else [name]
        elif isinstance(node, FragmentSpreadNode):
            fields += _selected(info, info.fragments[node.name.value].selection_set, prefix)
        else:
            fields += _selected(info, node.selection_set, prefix)  # type: ignore[attr-defined] # the only other type is an inline fragment
    return list(dict.fromkeys(name for name in fields if not name.endswith("__typename")))


def _check_fields(fields: t.Sequence[str], limits: Document) -> None:
    if len(fields) > limits["maxNumberOfFields"]:
        raise Problem(f"number of fields can't be more than {limits['maxNumberOfFields']}")
    hidden = [field for field in fields if field not in limits["availableFields"]]
    if hidden:
        raise Problem(f"does not have access to the path {', '.join(hidden)}", 403, "authz")


def _bounds(conditions: t.Mapping[str, t.Any]) -> t.Iterator[tuple[str, str]]:
    """Yield the bounds of time in a filter: ("from" or "to", time)."""
    for one in conditions.get("AND") or ():
        yield from _bounds(one)
    for name, operand in conditions.items():
        dimension, operator = split(name)
        if operand is None or not dimension.startswith("date") or not isinstance(operand, str):
            continue
        start, end = (f"{operand}T00:00:00Z", f"{operand}T23:59:59Z") if dimension == "date" else (operand, operand)
        if operator in ("", "_geq", "_gt"):
            yield "from", start
        if operator in ("", "_leq", "_lt"):
            yield "to", end


def _check_window(conditions: t.Mapping[str, t.Any], limits: Document) -> None:
    """Refuse a query about a time before the data that the plan keeps, or about a longer window than it allows."""
    now = clock.stamp_seconds()
    bounds = list(_bounds(conditions))
    first = max((moment for end, moment in bounds if end == "from"), default="0001-01-01T00:00:00Z")
    last = min([now, *(moment for end, moment in bounds if end == "to")])
    if clock.seconds_between(first, now) > limits["notOlderThan"] + 1:
        raise Problem(f"cannot request data older than {limits['notOlderThan']}s")
    length = clock.seconds_between(first, last)
    if length > limits["maxDuration"] + 1:
        raise Problem(f"query time range is too large, time range is: {length:.0f}s, maximum: {limits['maxDuration']}s")
