# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# What a report of this major version consists of. The JSON Schema in extensions/schemas says the same to other programs.
import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._filter.suggest import shown
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import (
    KINDS,
    MANAGED,
    OUTCOMES,
    RESOURCES,
    SEVERITIES,
    STATUSES,
)
from ansible_collections.edgeops.observability.plugins.module_utils._times import parse_date, parse_time

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
    return _object(_members(later=later))("", report)


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


def _object(members: t.Mapping[str, Check], optional: t.Collection[str] = ()) -> Check:
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
        "plan_ids": _object(dict.fromkeys(MANAGED, text_or_null)),
        "items": _list(_object(item, MORE_OF_ITEM)),
        "error": _nullable(_object({"kind": text, "message": text})),
        "evidence": _nullable(_typed(dict)),
        "carried": _typed(bool),
        "resources": _list(text),
        "jobs": _nullable(_list(_object(job))),
        "inventory": _nullable(_list(_object(dict.fromkeys(("script_url", "host", "entry"), anything)))),
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
        "counts": _object(dict.fromkeys(COUNTS, _typed(int))),
        "plan_id": _nullable(_text(re.compile(r"[0-9a-f]{64}").fullmatch)),
        "zones": _list(_object(zone, MORE_OF_ROW)),
        "comparison": _object({"previous_id": text_or_null, **dict.fromkeys(CHANGES, _list(digest))}),
        "waivers": _list(_object(waiver, _MORE_OF_WAIVER)),
    }
