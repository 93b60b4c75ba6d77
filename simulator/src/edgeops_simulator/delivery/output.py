# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import csv
import dataclasses
import datetime
import io
import typing as t
import zlib
from urllib.parse import parse_qsl

from edgeops_simulator import jsontext
from edgeops_simulator.delivery import datasets

Record = dict[str, t.Any]
_SUBREQUESTS, _MAX_SUBREQUESTS = "Subrequests", 50
_FRACTIONS = {"rfc3339": 0, "rfc3339ms": 3, "rfc3339ns": 9}


@dataclasses.dataclass(frozen=True)
class Output:
    """How a job writes its records, from `output_options` or the older `logpull_options`."""

    fields: tuple[str, ...]
    timestamps: str = "unixnano"
    sample_rate: float = 1.0
    options: t.Mapping[str, t.Any] = dataclasses.field(default_factory=dict)
    merges: bool = False
    """Whether the requests that a worker made are in the record of the request that it handled."""

    def keeps(self, record: Record) -> bool:
        """Return whether a record is in the sample; the result is always the same for one request."""
        text = str(record.get("RayID") or jsontext.dump(record))
        return self.sample_rate >= 1 or zlib.crc32(text.encode("utf-8", "replace")) / 2**32 < self.sample_rate

    def record(self, full: Record) -> Record:
        names = [name for name in self.fields or full if name in full and name != _SUBREQUESTS]
        made = {name: self._value(name, full[name]) for name in names}
        return {**made, _SUBREQUESTS: list(full.get(_SUBREQUESTS) or ())[:_MAX_SUBREQUESTS]} if self.merges else made

    def _value(self, name: str, value: t.Any) -> t.Any:
        return timestamp(value, self.timestamps) if name in datasets.TIMES and isinstance(value, int) else value


def of_job(job: t.Mapping[str, t.Any]) -> Output:
    """Return the output of a job; `output_options` take precedence over `logpull_options`."""
    options = job.get("output_options")
    merges = bool(job.get("merge_subrequests") or (options or {}).get("merge_subrequests"))
    if options is not None:
        names = tuple(options.get("field_names") or ())
        rate = options.get("sample_rate")
        return Output(names, options.get("timestamp_format") or "unixnano", 1.0 if rate is None else float(rate), options, merges)
    query = dict(parse_qsl(job.get("logpull_options") or "", keep_blank_values=True))
    names = tuple(dict.fromkeys(name for name in query.get("fields", "").split(",") if name))
    return Output(names, query.get("timestamps") or "unixnano", float(query.get("sample") or 1), merges=merges)


def timestamp(nanoseconds: int, form: str) -> int | str:
    if form == "unixnano":
        return nanoseconds
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    if form == "unix":
        return seconds
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    digits = _FRACTIONS[form]
    fraction = f".{rest:09d}"[: digits + 1] if digits else ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}Z"


def span(records: t.Sequence[Record]) -> tuple[int, int]:
    """Return the times of the first and the last record, in nanoseconds."""
    times = [r["EdgeStartTimestamp"] for r in records if isinstance(r.get("EdgeStartTimestamp"), int)]
    return (min(times), max(times)) if times else (0, 0)


def text(records: t.Sequence[Record], output: Output) -> str:
    """Return the content of one file: a line of JSON or CSV for each record, with prefix and suffix of the batch."""
    options = output.options
    lines = _csv_lines(records, output) if options.get("output_type") == "csv" else _json_lines(records, options)
    delimiter = options.get("record_delimiter") or ""
    return (options.get("batch_prefix") or "") + delimiter.join(lines) + (options.get("batch_suffix") or "")


def _or(options: t.Mapping[str, t.Any], name: str, default: str) -> str:
    return default if options.get(name) is None else str(options[name])


def _json_lines(records: t.Sequence[Record], options: t.Mapping[str, t.Any]) -> list[str]:
    prefix, suffix = _or(options, "record_prefix", "{"), _or(options, "record_suffix", "}\n")
    delimiter = _or(options, "field_delimiter", ",")
    return [
        prefix + delimiter.join(f"{jsontext.dump(name)}:{jsontext.dump(value)}" for name, value in record.items()) + suffix
        for record in records
    ]


def _csv_lines(records: t.Sequence[Record], output: Output) -> list[str]:
    prefix, suffix = _or(output.options, "record_prefix", ""), _or(output.options, "record_suffix", "\n")
    delimiter = _or(output.options, "field_delimiter", ",")
    return [prefix + delimiter.join(_csv_cell(value) for value in record.values()) + suffix for record in records]


def _csv_cell(value: t.Any) -> str:
    cell = io.StringIO()
    plain = value if isinstance(value, (str, int, float)) and not isinstance(value, bool) else jsontext.dump(value)
    csv.writer(cell, lineterminator="").writerow([plain])
    return cell.getvalue()
