# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from .._core import GATE, Json, invalid_option
from .._engine.task import Params
from .._text import format_time, need_time, shown
from .facts import ACCOUNT, DEFAULT_KEEP, DEFAULT_TITLE, GATES, MANAGED, SURVEY_TITLE, ZONE
from .schema import RECORD, problems
from .waivers import Waiver, parse_waivers

# The options of `audit_report`, validated.

_PARTS = ("result", "jobs", "coverage", "scripts", "delivery")
# Defaults for the members of an error.
_NO_REASON: t.Mapping[str, str] = {"kind": "bad_response", "message": "no reason was given"}


class AuditRecord(t.NamedTuple):
    """What a run found out about one zone or account; None for parts that it did not read.

    `unreadable` names the resources that a survey was not allowed to read, with the reason.
    """

    zone: str
    zone_id: str | None = None
    account_id: str | None = None
    scope: str = ZONE
    result: dict[str, Json] | None = None
    jobs: list[dict[str, Json]] | None = None
    coverage: dict[str, Json] | None = None
    scripts: dict[str, Json] | None = None
    delivery: list[dict[str, Json]] | None = None
    error: dict[str, str] | None = None
    unreadable: tuple[tuple[str, str], ...] = ()

    @property
    def address(self) -> str | None:
        """Return the id of the zone or account."""
        return self.account_id if self.scope == ACCOUNT else self.zone_id


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
    survey: bool = False
    keep: int = DEFAULT_KEEP
    validate_only: bool = False


def desire(params: Params) -> Order:
    """Return the validated options of `audit_report`; raise `invalid_option` with the path of an invalid one."""
    survey = bool(params.get("survey"))
    records = tuple(_record(f"zones[{place}]", given, survey) for place, given in enumerate(params["zones"]))
    _refuse_repeated(records)
    for name, what in (("dest", "a folder is needed"), ("formats", "at least one format is needed")):
        if not params[name]:
            raise invalid_option(name, what)
    keep = DEFAULT_KEEP if params.get("keep") is None else params["keep"]
    if not 0 <= keep <= 1000:
        raise invalid_option("keep", f"{keep} is not a number from 0 to 1000")
    return Order(
        records=records,
        expected=_expected(params["expected"] or ()),
        dest=params["dest"],
        formats=tuple(dict.fromkeys(params["formats"])),
        previous=params["previous"] or None,
        merge=tuple(params["merge"] or ()),
        waivers=parse_waivers(params["waivers"] or ()),
        required_fields=_required_fields(params["required_fields"] or {}),
        fail_on=tuple(name for name in GATES if name in (params["fail_on"] or ())),
        at=format_time(need_time("at", params["at"]) if params["at"] else datetime.datetime.now(datetime.timezone.utc)),
        title=params["title"] or (SURVEY_TITLE if survey else DEFAULT_TITLE),
        survey=survey,
        keep=keep,
        validate_only=bool(params.get("validate_only")),
    )


def _expected(names: t.Sequence[str]) -> tuple[str, ...]:
    for place, name in enumerate(names):
        if not name:
            raise invalid_option(f"expected[{place}]", "the name of a zone is needed")
    return tuple(dict.fromkeys(names))


def _record(place: str, given: dict[str, Json], survey: bool) -> AuditRecord:
    """Return a record; a part that failed is the error of its zone, in a survey a part that is not readable."""
    parts, failures = _split(given)
    reasons = [(name, failure["message"]) for name, failure in failures if survey or name == "delivery"]
    failed = next((failure for name, failure in failures if not survey and name != "delivery"), None)
    error = _readable(given.get("error")) or failed
    # A token for zones can read nothing of an account, which is not an error.
    result = parts["result"] if isinstance(parts["result"], dict) else {}
    read = [parts[name] for name in _PARTS if name != "result"] + list(result.values())
    if survey and reasons and not error and parts["scope"] == ZONE and not any(part is not None for part in read):
        error = {"kind": "permission", "message": f"nothing of it can be read: {reasons[0][1]}"}
    if isinstance(error, dict):
        parts = {**parts, **dict.fromkeys(_PARTS)}
        error = {name: str(error.get(name) or default) for name, default in _NO_REASON.items()}
    for problem in problems(RECORD, {**parts, "error": error}):
        raise invalid_option(f"{place}.{problem.partition(': ')[0]}", problem.partition(": ")[2])
    if parts["scripts"] is not None and not survey and "findings" not in parts["scripts"]:
        raise invalid_option(f"{place}.scripts.findings", "is missing: the result of script_audit is needed")
    ids = {name: str(parts.get(name) or "") or None for name in ("zone_id", "account_id")}
    members = {name: parts[name] for name in ("zone", "scope", *_PARTS)}
    return AuditRecord(**members, zone_id=ids["zone_id"], account_id=ids["account_id"], error=error, unreadable=tuple(reasons))


def _split(given: t.Mapping[str, Json]) -> tuple[dict[str, Json], list[tuple[str, dict[str, str]]]]:
    """Return the members of a record without those that were skipped or failed, and the failures by resource."""
    failures: list[tuple[str, dict[str, str]]] = []

    def looked_at(name: str, value: Json) -> Json:
        failure = failure_of(value) if isinstance(value, dict) else None
        if failure:
            failures.append((name, failure))
        return None if failure else _readable(value)

    result = looked_at("jobs", given.get("result"))
    if isinstance(result, dict):
        result = {**result, **{name: looked_at(name, result.get(name)) for name in MANAGED}}
    jobs = given.get("jobs")
    if jobs is None and isinstance(result, dict):
        jobs = result.get("listed_jobs")
    jobs, rows = looked_at("jobs", jobs), looked_at("delivery", given.get("delivery"))
    if isinstance(rows, dict) and rows.get("available") is False:
        failures.append(
            ("delivery", {"kind": "permission", "message": str(rows.get("reason") or "the service has no delivery facts")})
        )
        rows = None
    coverage, scripts = (looked_at(name, given.get(name)) for name in ("coverage", "scripts"))
    read = {"result": result, "jobs": _rows(jobs), "coverage": coverage, "scripts": scripts, "delivery": _rows(rows)}
    by_account = given.get("account_id") and not given.get("zone_id")
    return {**given, "scope": given.get("scope") or (ACCOUNT if by_account else ZONE), **read}, failures


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
    error = result.get("error") if isinstance(result.get("error"), dict) else {}
    kind = str((error or {}).get("kind") or "bad_response")
    if result.get("failed") is not True or (kind == GATE and "findings" in result):
        return None
    return {"kind": kind, "message": str(result.get("msg") or "it failed")}


def _refuse_repeated(records: t.Sequence[AuditRecord]) -> None:
    seen: set[tuple[str, str]] = set()
    for place, record in enumerate(records):
        if (record.scope, record.zone) in seen:
            raise invalid_option(f"zones[{place}].zone", f"{shown(record.zone)} has more than one record")
        seen.add((record.scope, record.zone))


def _required_fields(given: t.Mapping[str, Json]) -> dict[str, list[str]]:
    for dataset, names in given.items():
        if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
            raise invalid_option(f"required_fields.{dataset}", "a list of names of log fields is needed")
    return dict(given)
