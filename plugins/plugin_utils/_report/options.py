# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from ...module_utils._core import GATE, Json, invalid_option
from ...module_utils._engine.task import Params
from ...module_utils._logpush.coverage import Coverage
from ...module_utils._schema import OBJECT, Schema, array, check, nullable, record, string
from ...module_utils._text import dict_of, format_time, need_time, shown
from ...module_utils._zone.result import JOBS, RESULT, ReportedJob, ZoneResult
from .document import Copied
from .facts import ACCOUNT, DEFAULT_TITLE, GATES, MANAGED, MAX_KEEP, SCOPES, SURVEY_TITLE, ZONE
from .waivers import Waiver, parse_waivers

# The options of `audit_report`, validated.

_ID: Schema = {"type": ["string", "integer", "null"]}
_OBJECTS = nullable(array({"type": "object"}))
_RECORD = record(
    {
        "zone": string(minLength=1),
        **dict.fromkeys(("zone_id", "account_id"), _ID),
        "scope": string(enum=list(SCOPES)),
        "result": RESULT,
        "jobs": JOBS,
        "coverage": nullable(
            record({"unselected": _OBJECTS, "unconfigured": _OBJECTS, "sentences": {"type": ["array", "null"]}}, required=[])
        ),
        "scripts": nullable(
            record(
                {**dict.fromkeys(("findings", "scripts", "inventory", "proposals"), _OBJECTS), "evidence": OBJECT}, required=[]
            )
        ),
        "delivery": _OBJECTS,
        "error": OBJECT,
    },
    required=["zone"],
    additionalProperties=False,
)


class Scripts(t.TypedDict, total=False):
    """The result of `script_audit`, or of `script_monitor_info` for a zone without a baseline."""

    findings: list[Copied] | None
    scripts: list[Copied] | None
    inventory: list[Copied] | None
    proposals: list[Copied] | None
    evidence: Copied | None


class AuditRecord(t.TypedDict):
    """The results of a run for one zone or account; None for parts that were not read.

    The schema guarantees these types; the rest of it is looked at before it is used. `unreadable` names the resources that could
    not be read although the zone was, with the reason.
    """

    zone: str
    zone_id: str | None
    account_id: str | None
    scope: str
    result: ZoneResult | None
    jobs: list[ReportedJob] | None
    coverage: Coverage | None
    scripts: Scripts | None
    delivery: list[Copied] | None
    error: dict[str, str] | None
    unreadable: list[tuple[str, str]]


class Order(t.NamedTuple):
    """The validated options of a report."""

    records: tuple[AuditRecord, ...]
    expected: tuple[str, ...]
    dest: str
    formats: tuple[str, ...]
    previous: str | None
    merge: tuple[str, ...]
    waivers: tuple[Waiver, ...]
    required_fields: dict[str, list[str]]
    fail_on: tuple[str, ...]
    at: str
    title: str
    survey: bool
    keep: int
    validate_only: bool


def desire(params: Params) -> Order:
    """Return the validated options of `audit_report`; raise `invalid_option` with the path of an invalid one."""
    survey, keep = params["survey"], params["keep"]
    records = tuple(_record(f"zones[{place}]", given, survey) for place, given in enumerate(params["zones"]))
    seen: set[tuple[str, str]] = set()
    for place, each in enumerate(records):
        if (each["scope"], each["zone"]) in seen:
            raise invalid_option(f"zones[{place}].zone", f"{shown(each['zone'])} has more than one record")
        seen.add((each["scope"], each["zone"]))
    expected, required_fields = params["expected"] or (), params["required_fields"] or {}
    if "" in expected:
        raise invalid_option(f"expected[{expected.index('')}]", "the name of a zone is needed")
    for name, what in (("dest", "a folder is needed"), ("formats", "at least one format is needed")):
        if not params[name]:
            raise invalid_option(name, what)
    if not 0 <= keep <= MAX_KEEP:
        raise invalid_option("keep", f"{keep} is not a number from 0 to {MAX_KEEP}")
    for dataset, names in required_fields.items():
        if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
            raise invalid_option(f"required_fields.{dataset}", "a list of names of log fields is needed")
    return Order(
        records=records,
        expected=tuple(dict.fromkeys(expected)),
        dest=params["dest"],
        formats=tuple(dict.fromkeys(params["formats"])),
        previous=params["previous"] or None,
        merge=tuple(params["merge"] or ()),
        waivers=parse_waivers(params["waivers"] or ()),
        required_fields=required_fields,
        fail_on=tuple(name for name in GATES if name in (params["fail_on"] or ())),
        at=format_time(need_time("at", params["at"]) if params["at"] else datetime.datetime.now(datetime.timezone.utc)),
        title=params["title"] or (SURVEY_TITLE if survey else DEFAULT_TITLE),
        survey=survey,
        keep=keep,
        validate_only=params["validate_only"],
    )


def _record(place: str, given: dict[str, Json], survey: bool) -> AuditRecord:
    """Return a record; a part that failed is the error of its zone, in a survey a part that is not readable."""
    parts, failures = _read_parts(given)
    by_account = given.get("account_id") and not given.get("zone_id")
    scope = given.get("scope") or (ACCOUNT if by_account else ZONE)
    unreadable = [(name, failure["message"]) for name, failure in failures if survey or name == "delivery"]
    failed = next((failure for name, failure in failures if not survey and name != "delivery"), None)
    error = _readable(given.get("error")) or failed
    # `result` by itself says nothing.
    read = [*(part for name, part in parts.items() if name != "result"), *dict_of(parts["result"]).values()]
    if survey and unreadable and not error and scope == ZONE and all(part is None for part in read):
        # A token for zones can read nothing of an account, which is not an error.
        error = {"kind": "permission", "message": f"nothing of it can be read: {unreadable[0][1]}"}
    if isinstance(error, dict):
        parts = dict.fromkeys(parts)
        kind, message = error.get("kind") or "bad_response", error.get("message") or "no reason was given"
        error = {"kind": str(kind), "message": str(message)}
    checked = {**given, **parts, "scope": scope, "error": error}
    check(_RECORD, checked, place)
    scripts = dict_of(parts["scripts"])
    if scripts and not survey and "findings" not in scripts:
        raise invalid_option(f"{place}.scripts.findings", "is missing: the result of script_audit is needed")
    ids = {name: str(given.get(name) or "") or None for name in ("zone_id", "account_id")}
    return t.cast("AuditRecord", {**checked, **ids, "unreadable": unreadable})  # by the schema


def _read_parts(given: t.Mapping[str, Json]) -> tuple[dict[str, Json], list[tuple[str, dict[str, str]]]]:
    """Return the parts of a record, None for those that were skipped or failed, and the failures by resource."""
    failures: list[tuple[str, dict[str, str]]] = []

    def read(name: str, value: Json) -> Json:
        failure = failure_of(value) if isinstance(value, dict) else None
        if failure:
            failures.append((name, failure))
        return None if failure else _readable(value)

    result = read("jobs", given.get("result"))
    if isinstance(result, dict):
        result = {**result, **{name: read(name, result.get(name)) for name in MANAGED}}
    jobs = given.get("jobs")
    if jobs is None and isinstance(result, dict):
        jobs = result.get("listed_jobs")
    jobs, rows = read("jobs", jobs), read("delivery", given.get("delivery"))
    if isinstance(rows, dict) and rows.get("available") is False:
        reason = str(rows.get("reason") or "the service has no delivery facts")
        failures.append(("delivery", {"kind": "permission", "message": reason}))
        rows = None
    coverage, scripts = (read(name, given.get(name)) for name in ("coverage", "scripts"))
    return {"result": result, "jobs": _rows(jobs), "coverage": coverage, "scripts": scripts, "delivery": _rows(rows)}, failures


def _readable(value: Json) -> Json:
    """Return a member of a record; None if it is empty or the result of a skipped task."""
    skipped = isinstance(value, dict) and value.get("skipped") is True
    return None if skipped or value in ("", {}) else value


def _rows(value: Json) -> Json:
    """Return the rows in the result of an info module, or the rows themselves."""
    return value["jobs"] if isinstance(value, dict) and "jobs" in value else value


def failure_of(result: t.Mapping[str, Json]) -> dict[str, str] | None:
    """Return why a task failed; None if it did not, or if its gate refused what it found."""
    if result.get("unreachable") is True:
        return {"kind": "unavailable", "message": str(result.get("msg") or "it could not be reached")}
    kind = str(dict_of(result.get("error")).get("kind") or "bad_response")
    if result.get("failed") is not True or (kind == GATE and "findings" in result):
        return None
    return {"kind": kind, "message": str(result.get("msg") or "it failed")}
