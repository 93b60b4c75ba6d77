# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import re
import typing as t

from .._core import GATE, Failure, Json, invalid_option
from .._engine.task import Params
from .._text import did_you_mean, format_time, nearest, need_time, parse_date, parse_time, shown
from .facts import DEFAULT_TITLE, GATES, KINDS, MANAGED, OUTCOMES, RESOURCES, SEVERITIES, STATUSES
from .waivers import Waiver, parse_waivers

# What a report of this major version consists of. The JSON Schema in extensions/schemas says the same to other programs.


# Yields a sentence for each member that is not as in a report.
Check = t.Callable[[str, Json], t.Iterator[str]]

COUNTS = ("zones", *STATUSES, "differences", "findings", "notes", "waived")
CHANGES = ("new", "resolved", "changed", "persisting", "unknown")
ITEM = ("id", "kind", "resource", "subject", "member", "severity", "message", "before", "after", "first_seen", "waived")
ROW = ("zone", "zone_id", "status", "audited_at", "plan_ids", "items", "error", "evidence")
# What a report that another program wrote may leave out.
MORE_OF_ITEM: t.Mapping[str, Json] = {"carried": False}
MORE_OF_ROW: t.Mapping[str, Json] = {"carried": False, "resources": [], "jobs": None, "inventory": None}
_MORE_OF_WAIVER = ("zone", "resource", "member", "subject", "expired", "items")


def problems(report: dict[str, Json], *, later: bool) -> t.Iterator[str]:
    """What is missing in a report, or of another type; one of a later minor version may know more words."""
    return _object_of(_members(later=later))("", report)


def _missing(place: str) -> str:
    return f"{place} is missing or of another type than in a report"


def _typed(*types: type) -> Check:
    def check(place: str, value: Json) -> t.Iterator[str]:
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            yield _missing(place)

    return check


def _text(fits: t.Callable[[str], object]) -> Check:
    def check(place: str, value: Json) -> t.Iterator[str]:
        if not isinstance(value, str):
            yield _missing(place)
        elif not fits(value):
            yield f"{place} is {shown(value)}, which no report has there"

    return check


def _nullable(check: Check) -> Check:
    return lambda place, value: iter(()) if value is None else check(place, value)


def _list(check: Check) -> Check:
    def check_all(place: str, value: Json) -> t.Iterator[str]:
        if not isinstance(value, list):
            yield _missing(place)
            return
        for number, member in enumerate(value):
            yield from check(f"{place}[{number}]", member)

    return check_all


def _object_of(members: t.Mapping[str, Check], optional: t.Collection[str] = ()) -> Check:
    def check_members(place: str, value: Json) -> t.Iterator[str]:
        if not isinstance(value, dict):
            yield f"{place} is {shown(value)}, not an object"
            return
        paths = {name: f"{place}.{name}" if place else name for name in members}
        yield from (_missing(path) for name, path in paths.items() if name not in value and name not in optional)
        for name, check in members.items():
            if name in value:
                yield from check(paths[name], value[name])

    return check_members


def _members(*, later: bool) -> dict[str, Check]:
    def word(names: t.Collection[str]) -> Check:
        return _text(lambda value: later or value in names)

    text, time, digest = _typed(str), _text(parse_time), _text(re.compile(r"[0-9a-f]{16}").fullmatch)
    text_or_null, anything = _nullable(text), _typed(object, bool)
    item: dict[str, Check] = {
        "id": digest,
        "kind": word(KINDS),
        "resource": word(RESOURCES),
        "subject": text_or_null,
        "member": text_or_null,
        "severity": word(SEVERITIES),
        "message": text,
        "before": anything,
        "after": anything,
        "first_seen": time,
        "waived": _typed(bool),
        "carried": _typed(bool),
    }
    job: dict[str, Check] = {"job": text, "health": text, "last_complete": text_or_null}
    zone: dict[str, Check] = {
        "zone": _text(bool),
        "zone_id": text_or_null,
        "status": _text(STATUSES.__contains__),
        "audited_at": _nullable(time),
        "plan_ids": _object_of(dict.fromkeys(MANAGED, text_or_null)),
        "items": _list(_object_of(item, MORE_OF_ITEM)),
        "error": _nullable(_object_of({"kind": text, "message": text})),
        "evidence": _nullable(_typed(dict)),
        "carried": _typed(bool),
        "resources": _list(text),
        "jobs": _nullable(_list(_object_of(job))),
        "inventory": _nullable(_list(_object_of(dict.fromkeys(("script_url", "host", "entry"), anything)))),
    }
    waiver: dict[str, Check] = {
        **dict.fromkeys(("zone", "resource", "member", "subject"), text_or_null),
        **dict.fromkeys(("reason", "owner"), _text(str.strip)),
        "until": _text(parse_date),
        "expired": _typed(bool),
        "items": _list(digest),
    }
    return {
        "schema_version": _text(re.compile(r"1\.[0-9]+").fullmatch),
        "report_id": text,
        "generated_at": time,
        "collection_version": text,
        "title": text,
        "outcome": word(OUTCOMES),
        "counts": _object_of(dict.fromkeys(COUNTS, _typed(int))),
        "plan_id": _nullable(_text(re.compile(r"[0-9a-f]{64}").fullmatch)),
        "zones": _list(_object_of(zone, MORE_OF_ROW)),
        "comparison": _object_of({"previous_id": text_or_null, **dict.fromkeys(CHANGES, _list(digest))}),
        "waivers": _list(_object_of(waiver, _MORE_OF_WAIVER)),
    }


_MEMBERS = ("zone", "zone_id", "result", "coverage", "scripts", "error", "jobs")


class Record(t.NamedTuple):
    """What a run found out about one zone; `None` where it did not look."""

    zone: str
    zone_id: str | None
    result: dict[str, Json] | None
    jobs: list[dict[str, Json]] | None
    coverage: dict[str, Json] | None
    scripts: dict[str, Json] | None
    error: dict[str, str] | None


class Order(t.NamedTuple):
    """A report as it was requested, checked."""

    records: tuple[Record, ...]
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
    validate_only: bool = False


def desire(params: Params) -> Order:
    """The options of `audit_report`, checked; raise `invalid_option` with the path of what cannot be used."""
    records = tuple(_record(f"zones[{place}]", given) for place, given in enumerate(params["zones"]))
    _refuse_repeated(records)
    if not params["dest"]:
        raise invalid_option("dest", "a folder is needed")
    if not params["formats"]:
        raise invalid_option("formats", "at least one format is needed")
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
        title=params["title"] or DEFAULT_TITLE,
        validate_only=bool(params.get("validate_only")),
    )


def _expected(names: t.Sequence[str]) -> tuple[str, ...]:
    for place, name in enumerate(names):
        if not name:
            raise invalid_option(f"expected[{place}]", "the name of a zone is needed")
    return tuple(dict.fromkeys(names))


def _record(place: str, given: dict[str, Json]) -> Record:
    for name in given:
        if name not in _MEMBERS:
            raise invalid_option(f"{place}.{name}", f"not a member of a zone's record{did_you_mean(nearest(name, _MEMBERS))}")
    zone = given.get("zone")
    if not isinstance(zone, str) or not zone:
        raise invalid_option(f"{place}.zone", "the name of the zone is needed")
    zone_id = given.get("zone_id")
    if not isinstance(zone_id, (str, int, type(None))) or isinstance(zone_id, bool):
        raise invalid_option(f"{place}.zone_id", f"{shown(zone_id)} is not the id of a zone")
    result = _result(f"{place}.result", _part(f"{place}.result", given.get("result")))
    coverage, scripts = (_part(f"{place}.{name}", given.get(name)) for name in ("coverage", "scripts"))
    error = _error(
        _object(f"{place}.error", given.get("error")), [result, *(result or {}).values(), given.get("jobs"), coverage, scripts]
    )
    if error:
        result = jobs = coverage = scripts = None
    else:
        _check_scripts(f"{place}.scripts", scripts)
        _check_coverage(f"{place}.coverage", coverage or {})
        jobs = _jobs(f"{place}.jobs", given.get("jobs"))
    return Record(zone, str(zone_id) if zone_id not in (None, "") else None, result, jobs, coverage, scripts, error)


def _object(place: str, value: Json) -> dict[str, Json] | None:
    if value is None or value == "":
        return None
    if not isinstance(value, dict):
        raise invalid_option(place, f"{shown(value)} is not an object")
    return value or None


def _result(place: str, result: dict[str, Json] | None) -> dict[str, Json] | None:
    """The result of the role, in which a resource whose task was skipped is left alone."""
    if result is None:
        return None
    found = {name: _part(f"{place}.{name}", result.get(name)) or {} for name in MANAGED}
    for name, outcome in found.items():
        if not isinstance(outcome.get("plan_id"), (str, type(None))):
            raise invalid_option(f"{place}.{name}.plan_id", f"{shown(outcome['plan_id'])} is not the digest of a plan")
        diff = _object(f"{place}.{name}.diff", outcome.get("diff")) or {}
        for side in ("before", "after"):
            _object(f"{place}.{name}.diff.{side}", diff.get(side))
    return {**result, **found}


def _check_scripts(place: str, scripts: dict[str, Json] | None) -> None:
    if scripts is None:
        return
    if scripts.get("findings") is None:
        raise invalid_option(f"{place}.findings", "missing: the result of script_audit is needed")
    _check_list(f"{place}.findings", scripts["findings"])
    _object(f"{place}.evidence", scripts.get("evidence"))


def _check_coverage(place: str, coverage: dict[str, Json]) -> None:
    for name in ("unselected", "unconfigured"):
        _check_list(f"{place}.{name}", coverage.get(name))
    if not isinstance(coverage.get("sentences"), (list, type(None))):
        raise invalid_option(f"{place}.sentences", f"{shown(coverage['sentences'])} is not a list")


def _check_list(place: str, value: Json) -> None:
    if value is None:
        return
    if not isinstance(value, list):
        raise invalid_option(place, f"{shown(value)} is not a list")
    for number, member in enumerate(value):
        if not isinstance(member, dict):
            raise invalid_option(f"{place}[{number}]", f"{shown(member)} is not an object")


def _jobs(place: str, value: Json) -> list[dict[str, Json]] | None:
    if value is None or value == "":
        return None
    _check_list(place, value)
    for number, job in enumerate(value):
        _object(f"{place}[{number}].health", job.get("health"))
    jobs: list[dict[str, Json]] = value
    return jobs


def _part(place: str, value: Json) -> dict[str, Json] | None:
    """A member that is an object; what a skipped task registered was not looked at."""
    found = _object(place, value)
    return None if found and found.get("skipped") is True else found


def failure_of(result: t.Mapping[str, Json]) -> dict[str, str] | None:
    """Why a task that was to look at a zone could not; None where it could, and found something that a gate refuses."""
    if result.get("unreachable") is True:
        return {"kind": "unavailable", "message": str(result.get("msg") or "it could not be reached")}
    error = result.get("error") if isinstance(result.get("error"), dict) else {}
    kind = str((error or {}).get("kind") or "bad_response")
    if result.get("failed") is not True or (kind == GATE and "findings" in result):
        return None
    return {"kind": kind, "message": str(result.get("msg") or "it failed")}


def _error(error: dict[str, Json] | None, parts: t.Iterable[Json]) -> dict[str, str] | None:
    """The failure of a record; a failed or unreachable result that was handed over as a result is one as well."""
    if error:
        return {"kind": str(error.get("kind") or "bad_response"), "message": str(error.get("message") or "no reason was given")}
    failures = (failure_of(part) for part in parts if isinstance(part, dict))
    return next((failure for failure in failures if failure), None)


def _refuse_repeated(records: t.Sequence[Record]) -> None:
    seen: set[str] = set()
    for place, record in enumerate(records):
        if record.zone in seen:
            raise invalid_option(f"zones[{place}].zone", f"{shown(record.zone)} has more than one record")
        seen.add(record.zone)


def _required_fields(given: t.Mapping[str, Json]) -> dict[str, list[str]]:
    for dataset, names in given.items():
        if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
            raise _not_names(dataset)
    return dict(given)


def _not_names(dataset: str) -> Failure:
    return invalid_option(f"required_fields.{dataset}", "a list of names of log fields is needed")
