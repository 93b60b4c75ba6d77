# SPDX-License-Identifier: GPL-3.0-or-later

"""The GraphQL datasets about Logpush and content security rules, and how their rows are filtered, grouped and added up."""

from __future__ import annotations

import dataclasses
import re
import typing as t

Row = t.Mapping[str, t.Any]
Value = t.Callable[[Row], t.Any]


def _rounded(minutes: int) -> Value:
    def value(row: Row) -> str:
        text = str(row["datetime"])
        return f"{text[:14]}{int(text[14:16]) // minutes * minutes:02}:00Z"

    return value


def _like(text: str, pattern: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("%"))), text, re.DOTALL) is not None


def _member(name: str) -> Value:
    return lambda row: row[name]


def _mean(name: str) -> t.Callable[[t.Sequence[Row]], float]:
    return lambda rows: sum(row[name] for row in rows) / len(rows)


def _sum(name: str) -> t.Callable[[t.Sequence[Row]], int]:
    return lambda rows: sum(row[name] for row in rows)


@dataclasses.dataclass(frozen=True)
class Dataset:
    """One dataset: the dimensions of its filters and groups (name -> type, value), and its aggregates (path -> type, value)."""

    name: str
    dimensions: t.Mapping[str, tuple[str, Value]]
    totals: t.Mapping[str, tuple[str, t.Callable[[t.Sequence[Row]], t.Any]]]
    scopes: tuple[str, ...] = ("zone", "account")
    rows: str = "uploads"
    """The part of a zone or an account that holds the rows."""

    @property
    def available_fields(self) -> list[str]:
        return [*self.totals, *(f"dimensions_{name}" for name in self.dimensions)]


HEALTH = Dataset(
    "logpushHealthAdaptiveGroups",
    {
        "jobId": ("uint64", _member("job_id")),
        "destinationType": ("string", _member("destination_type")),
        **{name: ("uint16", _member(name)) for name in ("status", "success", "final")},
        "error": ("string", _member("error")),
        "date": ("Date", lambda row: row["datetime"][:10]),
        "datetime": ("Time", _member("datetime")),
        "datetimeMinute": ("Time", _rounded(1)),
        "datetimeFiveMinutes": ("Time", _rounded(5)),
        "datetimeFifteenMinutes": ("Time", _rounded(15)),
        "datetimeHour": ("Time", _rounded(60)),
    },
    {
        "count": ("uint64", len),
        "sum_bytes": ("uint64", _sum("bytes")),
        "sum_bytesCompressed": ("uint64", _sum("bytes_compressed")),
        "sum_records": ("uint64", _sum("records")),
        "sum_uploads": ("uint64", len),
        "avg_uploadDuration": ("float64", _mean("duration")),
        "avg_sampleInterval": ("float64", lambda rows: 1.0),
        "max_timestamp": ("Time", lambda rows: max(row["datetime"] for row in rows)),
    },
)
USAGE = Dataset(
    "logpushUsageAdaptiveGroups",
    {"date": HEALTH.dimensions["date"]},
    {"sum_billableBytes": ("uint64", _sum("bytes"))},
    scopes=("account",),
)
REPORTS = Dataset(
    "pageShieldReportsAdaptiveGroups",
    {
        "policyID": ("string", _member("policy_id")),
        "cspDirective": ("string", _member("directive")),
        "urlHost": ("string", _member("url_host")),
        "resourceType": ("string", _member("resource_type")),
        "pageURL": ("string", _member("page_url")),
        **{name: ("string", _member(name)) for name in ("action", "url", "host")},
        **{name: dimension for name, dimension in HEALTH.dimensions.items() if name.startswith("date")},
    },
    {"count": ("uint64", _sum("count")), "avg_sampleInterval": ("float64", _mean("sample_interval"))},
    scopes=("zone",),
    rows="violations",
)
DATASETS = (HEALTH, USAGE, REPORTS)
OPERATORS = ("", "_gt", "_geq", "_lt", "_leq", "_neq")
SETS = ("_in", "_notin")
PATTERNS = ("_like", "_notlike")
_SUFFIX = re.compile(r"(.+?)(_gt|_geq|_lt|_leq|_neq|_in|_notin|_like|_notlike|)")
_HOLDS: t.Mapping[str, t.Callable[[t.Any, t.Any], bool]] = {
    "": lambda value, operand: bool(value == operand),
    "_neq": lambda value, operand: bool(value != operand),
    "_gt": lambda value, operand: bool(value > operand),
    "_geq": lambda value, operand: bool(value >= operand),
    "_lt": lambda value, operand: bool(value < operand),
    "_leq": lambda value, operand: bool(value <= operand),
    "_in": lambda value, operand: value in operand,
    "_notin": lambda value, operand: value not in operand,
    "_like": _like,
    "_notlike": lambda value, operand: not _like(value, operand),
}


def split(condition: str) -> tuple[str, str]:
    """Split a condition of a filter into the dimension and the operator, such as `datetime_geq`."""
    match = _SUFFIX.fullmatch(condition)
    assert match is not None  # the pattern matches any text
    return match[1], match[2]


def passes(dataset: Dataset, row: Row, conditions: t.Mapping[str, t.Any]) -> bool:
    """Return whether a row matches a filter; conditions with null are ignored."""
    for name, operand in conditions.items():
        if operand is None:
            continue
        if name in ("AND", "OR"):
            outcomes = [passes(dataset, row, one) for one in operand]
            holds = all(outcomes) if name == "AND" else any(outcomes)
        else:
            dimension, operator = split(name)
            holds = _HOLDS[operator](dataset.dimensions[dimension][1](row), operand)
        if not holds:
            return False
    return True


def groups(dataset: Dataset, rows: t.Iterable[Row], dimensions: t.Sequence[str]) -> list[dict[str, t.Any]]:
    """Add up rows by dimensions; without rows there are no groups."""
    by_key: dict[tuple[t.Any, ...], list[Row]] = {}
    for row in rows:
        by_key.setdefault(tuple(dataset.dimensions[name][1](row) for name in dimensions), []).append(row)
    made = []
    for key, members in by_key.items():
        group: dict[str, t.Any] = {"dimensions": dict(zip(dimensions, key, strict=True))}
        for path, (_type, value) in dataset.totals.items():
            outer, _line, inner = path.partition("_")
            if inner:
                group.setdefault(outer, {})[inner] = value(members)
            else:
                group[outer] = value(members)
        made.append(group)
    return made


def ordered(dataset: Dataset, grouped: list[dict[str, t.Any]], order: t.Sequence[str]) -> list[dict[str, t.Any]]:
    """Sort groups by several keys: by the last key first, because sorting is stable."""
    for key in reversed(order):
        name, _line, direction = key.rpartition("_")
        outer, _line, inner = name.partition("_")
        if name in dataset.dimensions:
            outer, inner = "dimensions", name
        grouped.sort(key=lambda group, o=outer, i=inner: group[o][i] if i else group[o], reverse=direction == "DESC")  # type: ignore[misc] # mypy cannot infer a lambda with defaults
    return grouped
