# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the SQL of transformers on single records with Apache DataFusion, an optional dependency of this package."""

from __future__ import annotations

import base64
import datetime
import decimal
import importlib
import importlib.util
import math
import re
import typing as t

from edgeops_simulator.delivery import datasets
from edgeops_simulator.state.owners import Account

Record = dict[str, t.Any]
EXTRA = "edgeops-simulator[transformers]"
_KNOWN = frozenset((*datasets.ZONE_ONLY, *datasets.BOTH, *datasets.ACCOUNT_ONLY))
_ASIDE = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(r'"[^"]+"|\w+|\S')
_COMMON = re.compile(r'"?(\w+)"?\s+AS\s*\(', re.IGNORECASE)
_NESTED = re.compile(r"(\w*)\s*\(\s*(?:SELECT|WITH)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_MEMBER = re.compile(r"\"?(\w+)\"?\['((?:[^']|'')+)'\]")
# A table needs a column, even for a record without members.
_NOTHING = "_"
# The allowed steps of a query plan: one SELECT from one dataset, with common table expressions and UNNEST.
_STEPS = {"Projection", "Filter", "SubqueryAlias", "TableScan", "Unnest"}
_WORDS = {
    "Aggregate": "aggregates",
    "Join": "joins",
    "Sort": "ORDER BY",
    "WindowExpr": "window functions",
    "Distinct": "DISTINCT",
}


class BadQuery(ValueError):
    """The API refuses the query, or the query fails on a record."""


class NotInstalled(Exception):
    """Apache DataFusion is missing."""

    def __init__(self) -> None:
        super().__init__(f"queries of transformers run with Apache DataFusion, which is not installed: pip install '{EXTRA}'")


def is_installed() -> bool:
    return importlib.util.find_spec("datafusion") is not None


def dataset_of(sql: str) -> str:
    """Return the dataset that a query reads; the names of common table expressions are not datasets."""
    plain = _ASIDE.sub(" ", sql)
    common = {name.lower() for name in _COMMON.findall(plain)}
    named = [name for name in _tables(plain) if name.lower() not in common]
    if not named:
        raise BadQuery("the query must have a FROM clause that names a dataset")
    if unknown := sorted(set(named) - _KNOWN):
        raise BadQuery(f"the FROM clause names an unknown dataset: {unknown[0]}")
    return str(named[0])


def _tables(sql: str) -> t.Iterator[str]:
    """Yield what each SELECT reads: the name after its FROM clause.

    The FROM of `extract(epoch FROM x)` is part of a call, in whose parentheses no SELECT stands, and that of `a IS DISTINCT FROM b`
    part of a comparison.
    """
    has_select, before = [True], ""
    for piece in _TOKEN.findall(sql):
        word = piece.upper()
        if piece == "(":
            has_select.append(False)
        elif piece == ")" and len(has_select) > 1:
            has_select.pop()
        elif before == "FROM CLAUSE":
            yield piece.strip('"')
        has_select[-1] |= word == "SELECT"
        before = "FROM CLAUSE" if word == "FROM" and has_select[-1] and before != "DISTINCT" else word


class Query:
    """A query that runs on records; `fields` are those of its dataset, None if they are not known."""

    def __init__(self, sql: str, fields: t.Collection[str] | None) -> None:
        self.dataset = dataset_of(sql)
        if not is_installed():
            raise NotInstalled
        plain = _ASIDE.sub(" ", sql)
        if any(word.upper() != "AS" for word in _NESTED.findall(plain)):
            raise BadQuery("subqueries are not supported")
        self._sql = sql
        words = set(_WORD.findall(plain))
        # These fields are added as null to records that lack them; further fields of the dataset are not needed.
        self._named = words & set(words if fields is None else fields)
        self._members = [(name, member.replace("''", "'")) for name, member in _MEMBER.findall(sql)]
        self._engine, self._arrow = importlib.import_module("datafusion"), importlib.import_module("pyarrow")
        settings = {"datafusion.sql_parser.enable_ident_normalization": "false", "datafusion.execution.target_partitions": "1"}
        self._context = self._engine.SessionContext(self._engine.SessionConfig(settings))

    def check(self) -> None:
        """Refuse a query that fails on every record of its dataset."""
        self._plan({})

    def run(self, record: Record) -> list[Record]:
        """Return the records that the query makes of one record: none if it is filtered out, several if the query unnests."""
        plan = self._plan(record)
        try:
            rows = plan.to_pylist()
        except Exception as problem:
            raise BadQuery(_reason(problem)) from None
        added = () if record else (_NOTHING,)
        return [{name: _json(value) for name, value in row.items() if name not in added} for row in rows]

    def _plan(self, record: Record) -> t.Any:
        options = self._engine.SQLOptions().with_allow_ddl(False).with_allow_dml(False).with_allow_statements(False)
        self._context.deregister_table(self.dataset)
        try:
            table = self._arrow.Table.from_pylist([self._completed(record)])
            self._context.register_record_batches(self.dataset, [table.to_batches()])
            plan = self._context.sql_with_options(self._sql, options)
            _check(plan.logical_plan())
        except BadQuery:
            raise
        except Exception as problem:
            raise BadQuery(_reason(problem)) from None
        return plan

    def _completed(self, record: Record) -> Record:
        """Add null to a record for each missing field that the query names."""
        made = {**dict.fromkeys(self._named), **record}
        for name, member in self._members:
            if isinstance(made.get(name), dict):
                made[name] = {member: None, **made[name]}
        return made or {_NOTHING: None}


def query_of(sql: str, account: Account) -> Query:
    """Return a query with the fields of its dataset in the account or its zones."""
    dataset = dataset_of(sql)
    return Query(sql, datasets.fields(dataset, account.fields, "zone" if dataset in datasets.ZONE_ONLY else "account"))


def _check(plan: t.Any) -> None:
    step = type(plan.to_variant()).__name__
    if step not in _STEPS:
        raise BadQuery(f"{_WORDS.get(step, step)} not supported")
    for inner in plan.inputs():
        _check(inner)


def _reason(problem: Exception) -> str:
    return " ".join(str(problem).split())[:500] or type(problem).__name__


def _json(value: t.Any) -> t.Any:
    """Convert a value of the engine to JSON."""
    if isinstance(value, dict):
        return {name: _json(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_json(item) for item in value]
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, bytes):
        return base64.b16encode(value).decode("ascii").lower()
    return None if isinstance(value, float) and not math.isfinite(value) else value
