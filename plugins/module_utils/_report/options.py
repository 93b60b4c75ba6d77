# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._engine.options import Params
from ansible_collections.edgeops.observability.plugins.module_utils._errors import GATE, Failure, invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._filter.suggest import did_you_mean, nearest, shown
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import DEFAULT_TITLE, GATES, MANAGED
from ansible_collections.edgeops.observability.plugins.module_utils._report.waivers import Waiver, parse_waivers
from ansible_collections.edgeops.observability.plugins.module_utils._times import format_time, need_time

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
