# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from .._address import ACCOUNT, SCOPES, ZONE
from .._chain.kinds import UNUSED
from .._core import (
    AUTHENTICATION,
    BAD_RESPONSE,
    INTERNAL,
    NOT_FOUND,
    PARTS,
    PERMISSION,
    RATE_LIMITED,
    UNAVAILABLE,
    Failure,
    Json,
    invalid_option,
)
from .._logpush.coverage import Coverage
from .._observed import Cause, Known, Observed, Unknown, unknown
from .._schema import Rules, checked
from .._text import dict_of, is_integer, list_of, plain_id
from .registered import RESULT, Reason, is_skipped, reason_of, refuse_other_results, why_unread, why_untold
from .result import ReportedJob, ZoneResult

# What a run knows of a zone or an account: one record, made by an audit, by a survey or by a user's own playbook.

# Kinds of failures that mean that the token or the plan does not show something.
NO_RIGHT = (AUTHENTICATION, PERMISSION, NOT_FOUND)
# Kinds of failures of the service itself, and of answers that cannot be used: none says anything about what the token may read.
_NO_ANSWER = (UNAVAILABLE, RATE_LIMITED, INTERNAL)
_SERVER_ERRORS = (*_NO_ANSWER, BAD_RESPONSE)


class Scripts(t.TypedDict, total=False):
    """The result of `script_audit`, or of `script_monitor_info` for a zone without a baseline; `incomplete` is why the latter may not be all."""

    findings: list[dict[str, Json]] | None
    incomplete: Json
    scripts: list[dict[str, Json]] | None
    inventory: list[dict[str, Json]] | None
    proposals: list[dict[str, Json]] | None
    evidence: dict[str, Json] | None


class Pages(t.TypedDict, total=False):
    """The result of `page_audit`."""

    findings: list[dict[str, Json]] | None
    pages: list[dict[str, Json]] | None
    proposals: list[dict[str, Json]] | None
    evidence: dict[str, Json] | None


class Delivery(t.NamedTuple):
    """The delivery facts of a zone or an account, a row for each job; `shortened` says of how many hours, "" of all that were asked for."""

    rows: list[dict[str, Json]]
    shortened: str


class ZoneRecord(t.TypedDict):
    """What a run knows of one zone or account.

    `declared` is false where nothing is declared for any zone of the run, as in a survey. `result` has the parts that were read.
    `error` is why the audit is not complete. `unreadable` are the resources that may be missing all the same, each with the reason.
    """

    zone: str
    zone_id: str | None
    account_id: str | None
    scope: str
    account_name: str | None
    declared: bool
    result: Observed[ZoneResult]
    jobs: Observed[list[ReportedJob]]
    coverage: Observed[Coverage]
    scripts: Observed[Scripts]
    delivery: Observed[Delivery]
    cost: Observed[dict[str, Json]]
    notifications: Observed[dict[str, Json]]
    fields: Observed[dict[str, Json]]
    boundary: Observed[dict[str, Json]]
    pages: Observed[Pages]
    error: Reason | None
    unreadable: list[tuple[str, Reason]]


# A record in an option or a variable, before it is checked; what a member contains depends on the task that made it.
RawRecord = dict[str, t.Any]


class _Identity(t.TypedDict, total=False):
    zone_id: str | int | None
    account_id: str | int | None
    account_name: str | None


class CheckedRecord(_Identity):
    """A record in an option or a variable, without the failures of its tasks; None for parts that were not read."""

    zone: t.Annotated[str, Rules(minLength=1)]
    scope: t.Annotated[str, Rules(enum=list(SCOPES))]
    declared: bool
    result: ZoneResult | None
    jobs: list[ReportedJob] | None
    coverage: Coverage | None
    scripts: Scripts | None
    delivery: list[dict[str, Json]] | None
    cost: dict[str, Json] | None
    notifications: dict[str, Json] | None
    fields: dict[str, Json] | None
    boundary: dict[str, Json] | None
    pages: Pages | None
    error: dict[str, Json] | None


_T = t.TypeVar("_T")
_NOT_ASKED = Unknown(Cause.NOT_ASKED, "it was not asked for")


def read_record(place: str, raw: t.Mapping[str, Json]) -> ZoneRecord:
    """Return the record in an option or a variable; each of its parts may be the result of a task that failed or was skipped.

    Raise `invalid_option` with the path of what is neither.
    """
    for part in _PARTS_OF_A_RECORD:
        refuse_other_results(f"{place}.{part}", raw.get(part))
    parts, failures = _read_parts(raw)
    declared = raw.get("declared") is not False
    by_account = raw.get("account_id") and not raw.get("zone_id")
    scope = raw.get("scope") or (ACCOUNT if by_account else ZONE)
    values = {name: part.value if isinstance(part, Known) else None for name, part in parts.items()}
    whole = {**raw, **values, "scope": scope, "declared": raw.get("declared", True), "error": raw.get("error") or None}
    record = checked(CheckedRecord, whole, place, is_closed=True)
    errors, unreadable = _sorted_out(failures, record["scope"], declared)
    if not declared and scope == ZONE and unreadable and not _has_parts(values):
        errors.append(unreadable[0][1])
    audits: dict[str, Scripts | Pages | None] = {"scripts": record["scripts"] if declared else None, "pages": record["pages"]}
    for part, audit in audits.items():
        if audit is not None and "findings" not in audit:
            raise invalid_option(f"{place}.{part}.findings", "is missing")
    zone_id, account_id, name = (str(raw.get(member) or "") or None for member in ("zone_id", "account_id", "account_name"))
    shortened = _shortened(raw.get("delivery"), account_id if scope == ACCOUNT else zone_id)
    rows = record["delivery"]
    return {
        "zone": record["zone"],
        "zone_id": zone_id,
        "account_id": account_id,
        "scope": record["scope"],
        "account_name": name,
        "declared": declared,
        "result": _typed(parts["result"], record["result"]),
        "jobs": _typed(parts["jobs"], record["jobs"]),
        "coverage": _typed(parts["coverage"], record["coverage"]),
        "scripts": _typed(parts["scripts"], record["scripts"]),
        "delivery": _typed(parts["delivery"], None if rows is None else Delivery(rows, shortened)),
        "cost": _typed(parts["cost"], record["cost"]),
        "notifications": _typed(parts["notifications"], record["notifications"]),
        "fields": _typed(parts["fields"], record["fields"]),
        "boundary": _typed(parts["boundary"], record["boundary"]),
        "pages": _typed(parts["pages"], record["pages"]),
        "error": _read_error(raw.get("error")) or next(iter(errors), None),
        "unreadable": unreadable,
    }


# The parts of a record that are the results of one task.
_PARTS_OF_A_RECORD = ("result", "coverage", "scripts", "cost", "notifications", "boundary", "pages")


def _typed(part: Observed[Json], value: _T | None) -> Observed[_T]:
    """Return a part with the type that its value was checked for."""
    if isinstance(part, Unknown):
        return part
    return _NOT_ASKED if value is None else Known(value)


def _sorted_out(
    failures: t.Sequence[tuple[str, Reason]], scope: str, declared: bool
) -> tuple[list[Reason], list[tuple[str, Reason]]]:
    """Return the reasons why an audit is not complete, and the resources that could not be read without which it is complete."""
    hidden = not declared and scope == ACCOUNT and any(name == "result" for name, _reason in failures)
    errors: list[Reason] = []
    unreadable: list[tuple[str, Reason]] = []
    for name, reason in failures:
        if _is_error(name, reason, declared, hidden):
            errors.append(reason)
        elif name not in _WITHOUT_NOTE:
            unreadable.append((_RESOURCE.get(name, name), reason))
    return errors, unreadable


def value_of(part: Known[_T] | Unknown) -> _T | None:
    """Return what is known of a part. None is what is not known, for callers that do not report it themselves."""
    return part.value if isinstance(part, Known) else None


def result_of(record: ZoneRecord) -> ZoneResult:
    """Return the parts of the result that were read."""
    return value_of(record["result"]) or {}


# The resource of a note about a part that could not be read.
_RESOURCE = {"result": "jobs", "cost": "delivery"}
# What is told where it could not be read is not a note but in the list of what was not audited: not every plan has it.
_WITHOUT_NOTE = ("boundary",)
# A run does without these, unless the service fails.
_OPTIONAL = ("coverage", "delivery", "cost", "notifications", "fields", "boundary")


def _is_error(name: str, reason: Reason, declared: bool, hidden: bool) -> bool:
    """Return whether a part that could not be read leaves the audit incomplete: what the run is for, or an error of the service.

    `hidden`: the token does not list this account, which is known from a zone only.
    """
    if name in _OPTIONAL:
        return name != "coverage" and reason["kind"] in _NO_ANSWER
    is_needed = name == "jobs" and not (hidden and reason["kind"] in NO_RIGHT)
    return declared or is_needed or (name != "result" and reason["kind"] in _SERVER_ERRORS)


def _has_parts(parts: t.Mapping[str, Json]) -> bool:
    """Return whether anything of a zone was read; `result` by itself shows nothing."""
    return any(part is not None for name, part in parts.items() if name != "result") or any(
        part is not None for part in dict_of(parts["result"]).values()
    )


def _read_parts(raw: t.Mapping[str, Json]) -> tuple[dict[str, Observed[Json]], list[tuple[str, Reason]]]:
    """Return the parts of a record, and why some could not be read, the jobs first."""
    failures: dict[str, Reason] = {}
    owner = _owner_of(raw) or _owner_of(dict_of(raw.get(RESULT)))
    account = plain_id(raw.get("account_id") or "")

    def read(name: str, value: Json) -> Observed[Json]:
        failure = why_unread(name, value, account if name in _OF_ACCOUNTS else owner)
        if failure:
            failures[name] = failure
            return unknown(Failure(failure["kind"], failure["brief"]))
        # Of jobs whose datasets are not shown no fields could be asked for.
        readable = value if name == "fields" and value == {} else _readable(value)
        if readable is None:
            return _NOT_ASKED
        if lacking := _lacking(name, readable):
            failures[name] = reason_of(BAD_RESPONSE, lacking)
            return Unknown(Cause.NOT_READABLE, lacking, BAD_RESPONSE)
        return Known(readable)

    result, coverage = read(RESULT, raw.get(RESULT)), raw.get("coverage")
    jobs = _rows(read("jobs", raw.get("jobs")))
    if isinstance(result, Known) and isinstance(result.value, dict):
        whole = result.value
        if raw.get("declared") is not False and (untold := why_untold(whole, by_diff=True)):
            failures["result"] = reason_of(BAD_RESPONSE, untold)
        managed = {name: part for name in PARTS if isinstance(part := read(name, whole.get(name)), Known)}
        result = Known({**whole, **{name: managed[name].value if name in managed else None for name in PARTS}})
        if "jobs" in managed and dict_of(managed["jobs"].value).get("unlisted_jobs", ()) is None:
            failures.setdefault("jobs", reason_of(UNAVAILABLE, _UNKNOWN_UNLISTED))
        listed = whole.get("listed_jobs")
        jobs = Known(listed) if jobs is _NOT_ASKED and listed is not None else jobs
        coverage = coverage or whole.get("coverage")
    rows = _delivery_of(raw.get("delivery"), _owner_of(raw))
    if isinstance(rows, dict) and rows.get("available", True) is not True:
        message = str(rows.get("reason") or "the service has no delivery facts")
        rows = {"failed": True, "msg": message, "error": {"kind": PERMISSION}}
    parts = {"result": result, "jobs": jobs, "coverage": read("coverage", coverage), "delivery": _rows(read("delivery", rows))}
    others = ("scripts", "cost", "notifications", "fields", "boundary", "pages")
    parts |= {name: read(name, raw.get(name)) for name in others}
    return parts, sorted(failures.items(), key=lambda pair: pair[0] not in ("result", "jobs"))


_UNKNOWN_UNLISTED = (
    "its jobs could not be listed, so that it is not known which of them no item declares; list them with logpush_job_info"
)
# Of which of these members a result must have one, and none that is null: without it the result shows nothing, or not all.
_SHOWN_BY: t.Mapping[str, tuple[str, ...]] = {
    "jobs": ("jobs",),
    "delivery": ("jobs",),
    "scripts": ("findings", "scripts"),
    "pages": ("findings",),
    "coverage": ("unselected", "unconfigured"),
}


def _lacking(name: str, part: Json) -> str:
    """Return what a part of a record lacks so that it shows something; "" if it does. A result without the member at all is refused."""
    members = _SHOWN_BY.get(name, ())
    named = [member for member in members if member in part] if isinstance(part, dict) else []
    if null := next((member for member in named if dict_of(part)[member] is None), ""):
        return f"{null} is null in the result"
    if members and not named and dict_of(part).get("failed_when_result") is not None:
        return f"{members[0]} is missing in the result, whose task does not fail (failed_when)"
    if name == "coverage" and isinstance(part, dict) and len(named) < len(members):
        return f"{next(member for member in members if member not in named)} is missing in the result"
    if name in _AUDITS and isinstance(part, dict) and part.get("passed") is False and not _fails(part):
        return "the audit did not pass, and its result has no finding"
    numbers = [dict_of(row).get("job_id") for row in list_of(_rows_in(part))] if name == "delivery" else []
    if not all(map(is_integer, numbers)):
        return "a row does not name its job"
    twice = [number for number, count in collections.Counter(map(str, numbers)).items() if count > 1]
    return f"two rows are of the job {twice[0]}" if twice else ""


def _owner_of(raw: t.Mapping[str, Json]) -> str:
    """Return the id of the zone or the account that a record is about, as it is compared; "" if it names none."""
    name = "account_id" if raw.get("scope") == ACCOUNT or not raw.get("zone_id") else "zone_id"
    return plain_id(raw.get(name) or "")


def _delivery_of(delivery: Json, owner: str) -> Json:
    """Return what delivery facts, which may be those of several zones, say of one: its own rows, or why there are none."""
    whole = dict_of(delivery)
    if whole and "jobs" not in whole:
        return delivery
    named = [whole[name] for name in ("zone_id", "account_id") if whole.get(name)]
    lacking = {plain_id(number): reason for number, reason in dict_of(whole.get("unavailable")).items()}
    rows = [dict_of(row) for row in list_of(_rows_in(delivery))]
    owners = {plain_id(number): number for row in rows if (number := row.get("zone_id") or row.get("account_id"))}
    reason = lacking.get(owner)
    if reason is None and owner and named and owner not in map(plain_id, named):
        reason = f"the facts are those of {named[0]}"
    if reason is None and not owner and len(owners) > 1:
        reason = "the facts are those of several zones, and the record does not name its own"
    if reason is not None:
        return {"available": False, "reason": reason}
    if owners.keys() <= {owner or next(iter(owners), "")}:
        return delivery
    own = [row for row in rows if plain_id(row.get("zone_id") or row.get("account_id") or owner) == owner]
    return {**whole, "jobs": own} if whole else t.cast("Json", own)


_AUDITS = ("scripts", "pages")
# What only accounts have; the record of a zone may have what its account has.
_OF_ACCOUNTS = ("cost", "notifications", "boundary")


def _fails(audit: t.Mapping[str, Json]) -> bool:
    return any(dict_of(finding).get("kind") != UNUSED for finding in list_of(audit.get("findings")))


def _shortened(delivery: Json, owner: str | None) -> str:
    """Return of how many of the requested hours the delivery facts of a zone or an account are; "" of all."""
    shortened = dict_of(delivery).get("shortened")
    if not isinstance(shortened, (dict, type(None))):
        return _SOME_HOURS
    own = [hours for number, hours in dict_of(shortened).items() if plain_id(number) == plain_id(owner or "")]
    return part_of_hours(own[0]) if own else ""


_SOME_HOURS = "a part of the hours"


def part_of_hours(shortened: Json) -> str:
    """Return how many of the requested hours a plan shows; "" for all."""
    if shortened is None:
        return ""
    hours = dict_of(shortened)
    covered, requested = hours.get("hours"), hours.get("requested")
    is_told = isinstance(covered, (int, float)) and isinstance(requested, (int, float))
    return f"{covered:g} of {requested:g} hours" if is_told else _SOME_HOURS


def _readable(value: Json) -> Json:
    """Return a member of a record; None if it is empty or the result of a skipped task."""
    return None if is_skipped(value) or value in ("", {}) else value


def _rows(part: Observed[Json]) -> Observed[Json]:
    """Return the rows in the result of an info module, or the rows themselves."""
    return Known(_rows_in(part.value)) if isinstance(part, Known) else part


def _rows_in(value: Json) -> Json:
    return value["jobs"] if isinstance(value, dict) and "jobs" in value else value


def _read_error(value: Json) -> Reason | None:
    error = dict_of(_readable(value))
    if not error:
        return None
    kind, message = error.get("kind") or UNAVAILABLE, error.get("message") or "no reason was given"
    return reason_of(str(kind), str(message))
