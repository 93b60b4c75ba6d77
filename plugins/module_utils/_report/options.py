# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._engine.options import Params
from ansible_collections.edgeops.observability.plugins.module_utils._errors import Failure, invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._filter.suggest import did_you_mean, nearest, shown
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import DEFAULT_TITLE, GATES
from ansible_collections.edgeops.observability.plugins.module_utils._report.waivers import Waiver, parse_waivers
from ansible_collections.edgeops.observability.plugins.module_utils._times import format_time, need_time

_OBJECTS = ("result", "coverage", "scripts", "error")
_MEMBERS = ("zone", "zone_id", *_OBJECTS, "jobs")


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
        expected=tuple(dict.fromkeys(params["expected"] or ())),
        dest=params["dest"],
        formats=tuple(dict.fromkeys(params["formats"])),
        previous=params["previous"] or None,
        merge=tuple(params["merge"] or ()),
        waivers=parse_waivers(params["waivers"] or ()),
        required_fields=_required_fields(params["required_fields"] or {}),
        fail_on=tuple(name for name in GATES if name in (params["fail_on"] or ())),
        at=format_time(need_time("at", params["at"]) if params["at"] else datetime.datetime.now(datetime.timezone.utc)),
        title=params["title"] or DEFAULT_TITLE,
    )


def _record(place: str, given: dict[str, Json]) -> Record:
    for name in given:
        if name not in _MEMBERS:
            raise invalid_option(f"{place}.{name}", f"not a member of a zone's record{did_you_mean(nearest(name, _MEMBERS))}")
    zone = given.get("zone")
    if not isinstance(zone, str) or not zone:
        raise invalid_option(f"{place}.zone", "the name of the zone is needed")
    objects = {name: _object(f"{place}.{name}", given.get(name)) for name in _OBJECTS}
    zone_id = given.get("zone_id")
    if not isinstance(zone_id, (str, int, type(None))) or isinstance(zone_id, bool):
        raise invalid_option(f"{place}.zone_id", f"{shown(zone_id)} is not the id of a zone")
    _check_result(f"{place}.result", objects["result"] or {})
    _check_list(f"{place}.scripts.findings", (objects["scripts"] or {}).get("findings"))
    for name in ("unselected", "unconfigured"):
        _check_list(f"{place}.coverage.{name}", (objects["coverage"] or {}).get(name))
    return Record(
        zone=zone,
        zone_id=str(zone_id) if zone_id not in (None, "") else None,
        result=objects["result"],
        jobs=_jobs(f"{place}.jobs", given.get("jobs")),
        coverage=objects["coverage"],
        scripts=objects["scripts"],
        error=_error(objects),
    )


def _object(place: str, value: Json) -> dict[str, Json] | None:
    if value is None or value == "":
        return None
    if not isinstance(value, dict):
        raise invalid_option(place, f"{shown(value)} is not an object")
    return value or None


def _check_result(place: str, result: dict[str, Json]) -> None:
    for resource in ("custom_fields", "jobs", "script_monitor"):
        diff = (_object(f"{place}.{resource}", result.get(resource)) or {}).get("diff")
        for side in ("before", "after"):
            _object(f"{place}.{resource}.diff.{side}", (_object(f"{place}.{resource}.diff", diff) or {}).get(side))


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


def _error(objects: t.Mapping[str, dict[str, Json] | None]) -> dict[str, str] | None:
    """The failure of a record; a failed result that was handed over as a result is one as well."""
    for name in ("result", "scripts"):
        failed = objects[name]
        if failed and failed.get("failed") is True and not objects["error"]:
            error = failed.get("error") if isinstance(failed.get("error"), dict) else {}
            return {"kind": str((error or {}).get("kind") or "bad_response"), "message": str(failed.get("msg") or "it failed")}
    error = objects["error"]
    if not error:
        return None
    return {"kind": str(error.get("kind") or "bad_response"), "message": str(error.get("message") or "no reason was given")}


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
