# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
import typing as t

from edgeops_simulator import clock
from edgeops_simulator.rules.members import KIND_NAMES, is_a
from edgeops_simulator.state import logpush_jobs, rulesets
from edgeops_simulator.state.service import Service
from edgeops_simulator.state.zone import Document, Zone, default_zone

PARTS = ("script_monitor", "scripts", "rulesets", "jobs", "challenges", "fields")
MEMBERS = ("zones", *PARTS, "settings", "faults", "next_job_id")


# The members that the state itself looks at, as far as a zone has them.
_MEMBERS: t.Mapping[str, t.Mapping[str, type]] = {
    "scripts": {"script_id": str, "hidden": list},
    "rulesets": {"id": str, "rules": list},
    "jobs": {"id": int},
    "challenges": {"token": str, "destination_conf": str, "expires": int},
}


class BadSeed(ValueError):
    """A seed or snapshot that does not have the documented form."""


def save(service: Service) -> Document:
    """The whole state in the form that `load` reads."""
    document: Document = {"zones": [zone.summary() for zone in service.zones.values()]}
    for part in PARTS:
        document[part] = {zone.id: part_of(zone, part) for zone in service.zones.values()}
    return {**document, "settings": service.settings.document(), "next_job_id": service.next_job_id}


def part_of(zone: Zone, part: str) -> t.Any:
    """One part of a zone as plain data, lists where the state has tables."""
    value = getattr(zone, part)
    if part == "scripts":  # never changed by a request, so they need no copy; there may be very many
        return list(value.values())
    return copy.deepcopy(list(value.values()) if part in ("rulesets", "jobs") else value)


def load(service: Service, document: t.Any) -> None:
    """Take over what a document holds. Each part that it gives for a zone replaces that part; zones not named are left alone."""
    if not isinstance(document, dict):
        raise BadSeed("a seed is a JSON object")
    unknown = sorted(set(document) - set(MEMBERS))
    if unknown:
        raise BadSeed(f"unknown members: {', '.join(unknown)}; known are {', '.join(MEMBERS)}")
    for given in _need(list, document.get("zones") or [], "zones"):
        _load_zone(service, given)
    for part in PARTS:
        for zone_id, value in _need(dict, document.get(part) or {}, part).items():
            _check_part(part, zone_id, value)
            zone = service.zones.setdefault(zone_id, default_zone(zone_id))
            _LOADERS[part](service, zone, value if part == "scripts" else copy.deepcopy(value))
    try:
        service.settings.change(_need(dict, document.get("settings") or {}, "settings"))
    except ValueError as problem:
        raise BadSeed(str(problem)) from None
    service.next_job_id = max(service.next_job_id, _need(int, document.get("next_job_id") or 1, "next_job_id"))


def _need(kind: type, value: t.Any, place: str) -> t.Any:
    if not is_a(value, kind):
        raise BadSeed(f"{place} is not {KIND_NAMES[kind]}")
    return value


def _check_part(part: str, zone_id: str, value: t.Any) -> None:
    """What the loaders rely on; whether the service would take it is another question, which a seed is not asked."""
    place = f"{part}.{zone_id}"
    if part in ("script_monitor", "fields"):
        _need(dict, value, place)
        return
    for index, item in enumerate(_need(list, value, place)):
        _need(dict, item, f"{place}[{index}]")
        for name, kind in _MEMBERS[part].items():
            if item.get(name) is not None:
                _need(kind, item[name], f"{place}[{index}].{name}")


def _load_zone(service: Service, given: t.Any) -> None:
    given = {"id": given} if isinstance(given, str) else given
    if not isinstance(given, dict) or not given.get("id") or not isinstance(given["id"], str):
        raise BadSeed("a zone is an id, or an object with at least an id")
    zone = service.zones.setdefault(given["id"], default_zone(given["id"]))
    for name in ("name", "status"):
        setattr(zone, name, _need(str, given.get(name, getattr(zone, name)), f"{name} of a zone"))
    account = given.get("account", zone.account)
    zone.account = {"id": account, "name": account} if isinstance(account, str) else _need(dict, account, "account of a zone")


def _load_script_monitor(service: Service, zone: Zone, value: Document) -> None:
    zone.script_monitor = {"enabled": False, "updated_at": clock.stamp(), **value}


def _load_scripts(service: Service, zone: Zone, value: list[Document]) -> None:
    zone.scripts, zone.listings = {}, {}
    for index, script in enumerate(value):
        script_id = script.get("script_id") or f"{index + 1:032x}"
        zone.scripts[script_id] = script if "script_id" in script else {"script_id": script_id, **script}


def _load_rulesets(service: Service, zone: Zone, value: list[Document]) -> None:
    zone.rulesets = {}
    for given in value:
        moment = clock.stamp()
        made = {"id": rulesets.new_id(), "name": "", "description": "", "kind": "zone", "phase": "http_log_custom_fields"}
        ruleset = {**made, "version": "1", "last_updated": moment, **given}
        ruleset["rules"] = [_rule(rule, moment) for rule in given.get("rules") or []]
        zone.rulesets[ruleset["id"]] = ruleset


def _rule(given: t.Any, moment: str) -> Document:
    given = _need(dict, given, "a rule of a ruleset")
    rule_id = given.get("id") or rulesets.new_id()
    made = {"id": rule_id, "version": "1", "ref": rule_id, "last_updated": moment, "enabled": True, "description": ""}
    return {**made, **given}


def _load_jobs(service: Service, zone: Zone, value: list[Document]) -> None:
    zone.jobs = {}
    for given in value:
        job_id = given.get("id") or service.take_job_id()
        service.next_job_id = max(service.next_job_id, job_id + 1)
        zone.jobs[job_id] = {"id": job_id, **logpush_jobs.DEFAULTS, **logpush_jobs.HEALTH, **given}


def _load_challenges(service: Service, zone: Zone, value: list[Document]) -> None:
    zone.challenges = value


def _load_fields(service: Service, zone: Zone, value: dict[str, Document]) -> None:
    for dataset, fields in value.items():
        _need(dict, fields, f"fields of dataset {dataset}")
    zone.fields = value


_LOADERS: t.Mapping[str, t.Callable[[Service, Zone, t.Any], None]] = {
    "script_monitor": _load_script_monitor,
    "scripts": _load_scripts,
    "rulesets": _load_rulesets,
    "jobs": _load_jobs,
    "challenges": _load_challenges,
    "fields": _load_fields,
}
