# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import re
import typing as t

from ...module_utils._core import Json, invalid_option
from ...module_utils._engine.task import Params
from ...module_utils._logpush.costs import Rates, desire_rates
from ...module_utils._text import format_time, need_time, quoted
from ...module_utils._zone.record import ZoneRecord, read_record
from .._variables.readers import read_budget
from .facts import DEFAULT_TITLE, GATES, MAX_DAYS, MAX_KEEP, SURVEY_TITLE
from .waivers import Waiver, parse_waivers

# The options of `audit_report`, validated.

# What a header may contain, so that the HTTP library need not refuse it with an error that quotes the value.
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class DesiredReport(t.NamedTuple):
    """The validated options of a report."""

    records: tuple[ZoneRecord, ...]
    expected: tuple[str, ...]
    dest: str
    formats: tuple[str, ...]
    previous: str | None
    merge: tuple[str, ...]
    max_age_days: int
    waivers: tuple[Waiver, ...]
    required_fields: dict[str, list[str]]
    silent_after_days: int
    fail_on: tuple[str, ...]
    at: str
    title: str
    keep: int
    put_url: str
    put_headers: dict[str, str]
    validate_only: bool
    reads_only: bool
    is_survey: bool
    asks_delivery: bool
    asks_fields: bool
    budget: float | None
    rates: Rates


def desire(params: Params) -> DesiredReport:
    """Return the validated options of `audit_report`; raise `invalid_option` with the path of an invalid one."""
    records = _records(params["zones"] or ())
    expected, required_fields = params["expected"] or (), params["required_fields"] or {}
    if "" in expected:
        raise invalid_option(f"expected[{expected.index('')}]", "the name of a zone is needed")
    for name, what in (("dest", "a folder is needed"), ("formats", "at least one format is needed")):
        if not params[name]:
            raise invalid_option(name, what)
    for name, least, most in (("keep", 0, MAX_KEEP), ("max_age_days", 0, MAX_DAYS), ("silent_after_days", 1, MAX_DAYS)):
        if not least <= params[name] <= most:
            raise invalid_option(name, f"{params[name]} is not a number from {least} to {most}")
    for dataset, names in required_fields.items():
        if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
            raise invalid_option(f"required_fields.{dataset}", "a list of names of log fields is needed")
    # Nothing is declared for any zone.
    is_survey = bool(records) and not any(record["declared"] for record in records)
    return DesiredReport(
        records=records,
        expected=tuple(dict.fromkeys(expected)),
        dest=params["dest"],
        formats=tuple(dict.fromkeys(params["formats"])),
        previous=params["previous"] or None,
        merge=tuple(params["merge"] or ()),
        max_age_days=params["max_age_days"],
        waivers=parse_waivers(params["waivers"] or ()),
        required_fields=required_fields,
        silent_after_days=params["silent_after_days"],
        fail_on=tuple(name for name in GATES if name in (params["fail_on"] or ())),
        at=format_time(need_time("at", params["at"]) if params["at"] else datetime.datetime.now(datetime.timezone.utc)),
        title=params["title"] or (SURVEY_TITLE if is_survey else DEFAULT_TITLE),
        keep=params["keep"],
        put_url=_put_url(params["put_url"] or ""),
        put_headers=_put_headers(params["put_headers"] or {}),
        validate_only=params["validate_only"],
        reads_only=params["reads_only"],
        is_survey=is_survey,
        asks_delivery=params["delivery"],
        asks_fields=params["fields"],
        budget=None if params["monthly_budget_usd"] is None else read_budget("monthly_budget_usd", params["monthly_budget_usd"]),
        rates=desire_rates(params["rates"]),
    )


def _records(zones: t.Sequence[t.Mapping[str, Json]]) -> tuple[ZoneRecord, ...]:
    records = tuple(read_record(f"zones[{place}]", record) for place, record in enumerate(zones))
    seen: set[tuple[str, str]] = set()
    for place, record in enumerate(records):
        if (record["scope"], record["zone"]) in seen:
            raise invalid_option(f"zones[{place}].zone", f"{quoted(record['zone'])} has more than one record")
        seen.add((record["scope"], record["zone"]))
    return records


def _put_url(text: str) -> str:
    """Return the URL without a trailing slash; do not repeat an invalid one, because it may contain credentials."""
    if text and not re.match(r"https?://[^/?#\s]", text):
        raise invalid_option("put_url", "must be an http or https URL")
    if re.match(r"https?://[^/?#]*@", text):
        raise invalid_option("put_url", "user information in the URL is refused; use put_headers")
    if re.search(r"[\s\x00-\x1f\x7f]", text):
        raise invalid_option("put_url", "it contains blanks or line breaks")
    if "?" in text or "#" in text:
        raise invalid_option("put_url", "it has a query or a fragment, but the name of each file is appended to its path")
    return text.rstrip("/")


def _put_headers(option: t.Mapping[str, t.Any]) -> dict[str, str]:
    headers = {str(name): str(value) for name, value in option.items() if value is not None}
    for number, (name, value) in enumerate(headers.items(), 1):
        if not _HEADER_NAME.fullmatch(name):
            # It may be a value in the wrong place.
            raise invalid_option("put_headers", f"header {number} has no valid name")
        if not re.fullmatch(r"[\t\x20-\x7e]*", value) or value != value.strip():
            raise invalid_option(f"put_headers.{name}", "its value contains characters that an HTTP header cannot contain")
    return headers
