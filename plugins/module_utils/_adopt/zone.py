# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from .._api.client import Client
from .._api.response import is_missing
from .._core import Conclusion, Failure, Json, invalid_option
from .._custom_fields import read as custom_fields
from .._custom_fields.facts import EXPRESSION, PRESERVE_DUPLICATES
from .._custom_fields.result import names_of
from .._custom_fields.state import Ruleset
from .._logpush import read as logpush
from .._logpush.coverage import CARRIERS, DATASET, selected_fields
from .._logpush.job import Job
from .._scripts import read as scripts
from .._zone import options as fields
from .._zones import ZONE, is_zone_id
from .jobs import Expressed, LeftOut, express_jobs, joined, variable_key


def express_custom_fields(ruleset: Ruleset | None, items: t.Sequence[t.Mapping[str, Json]], base_url: str) -> Expressed:
    """Return the custom log fields as `log_delivery_custom_fields`, without lists that the jobs do not select.

    `items` are the declared jobs, to which the role adds the dataset fields that contain the declared lists.
    """
    rules = ruleset.own_rules if ruleset else ()
    if not rules:
        return Expressed({})
    reason = _unmanageable(rules)
    if reason:
        return Expressed({}, (LeftOut("custom fields", reason),))
    names = names_of(rules)
    carrying = [item for item in items if (item.get("dataset") or DATASET) == DATASET]
    kept: dict[str, Json] = {}
    left_out = []
    for carrier, kinds in CARRIERS.items():
        lists = {kind: names[kind] for kind in kinds if names[kind] and kind != PRESERVE_DUPLICATES}
        if lists and any(carrier not in _selected(item) for item in carrying):
            why = f"a job of {DATASET} does not select {carrier}, so that declaring them would change it"
            left_out += [LeftOut(f"custom fields: {name}", why) for name in lists]
        else:
            kept.update(lists)
    kept, refused = _without_change(kept, ruleset, base_url)
    left_out += refused
    responses = {*kept.get("response_fields", ()), *kept.get("raw_response_fields", ())}
    carried = all(_EVERY_VALUE in _selected(item) for item in carrying)
    flagged = [name for name in names[PRESERVE_DUPLICATES] if name in responses and carried]
    if flagged and not _trouble({**kept, PRESERVE_DUPLICATES: flagged}, ruleset, base_url):
        kept[PRESERVE_DUPLICATES] = flagged
    return Expressed({"log_delivery_custom_fields": kept} if kept else {}, tuple(left_out))


def _without_change(lists: dict[str, Json], ruleset: Ruleset | None, base_url: str) -> tuple[dict[str, Json], list[LeftOut]]:
    """Return the lists that the role accepts without a change, and why the others are left out."""
    troubles = {name: _trouble({name: names}, ruleset, base_url) for name, names in lists.items()}
    kept = {name: names for name, names in lists.items() if not troubles[name]}
    together = _trouble(kept, ruleset, base_url)
    if together:
        troubles, kept = {name: troubles[name] or together for name in lists}, {}
    return kept, [LeftOut(f"custom fields: {name}", why) for name, why in troubles.items() if why]


def _trouble(lists: t.Mapping[str, Json], ruleset: Ruleset | None, base_url: str) -> str:
    """Return why lists cannot be declared: the plan of the role would change or refuse them; "" if they can."""
    try:
        desired = fields.desire_fields(lists, True, base_url)
        return "declaring them would change their rule" if desired and fields.plan_fields(desired, ruleset)[1].requests else ""
    except Failure as failure:
        return f"the role refuses them: {failure}"


def _selected(item: t.Mapping[str, Json]) -> t.Sequence[str]:
    return item["fields"] if "fields" in item else selected_fields(item)


def _unmanageable(rules: t.Sequence[t.Any]) -> str:
    """Return why a run of the role would change these rules; "" if it would not."""
    if len(rules) > 1:
        return f"{len(rules)} rules configure them, which a run would merge into one"
    if not rules[0].enabled:
        return "their rule is disabled, and a run would enable it"
    if rules[0].expression != EXPRESSION:
        return f"their rule has an expression other than {EXPRESSION!r}, which a run would replace"
    return ""


JOBS = "log_delivery_jobs"
DEFAULTS = "log_delivery_job_defaults"
# Options that identify a job or may be secret; they are never defaults.
_OWN = ("name", "job_id", "destination_conf")
_ABSENT = object()


def common_defaults(zones: t.Sequence[Json]) -> dict[str, Json]:
    """Return the members that all jobs of all zones share, as defaults of jobs, without identifying options and destinations."""
    jobs = [job for zone in zones for job in zone["variables"].get(JOBS, ())]
    first = jobs[0] if len(jobs) > 1 else {}
    return {
        name: value
        for name, value in first.items()
        if name not in _OWN and all(_equal(job.get(name, _ABSENT), value) for job in jobs)
    }


def without_defaults(variables: t.Mapping[str, Json], defaults: t.Mapping[str, Json]) -> dict[str, Json]:
    """Return the variables of a zone without the members of its jobs that the defaults contain."""
    if JOBS not in variables:
        return dict(variables)
    jobs = [{name: value for name, value in job.items() if name not in defaults} for job in variables[JOBS]]
    return {**variables, JOBS: jobs}


def _equal(one: Json, other: Json) -> bool:
    """Return whether two values are equal, also in type at every depth: true is not 1."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_equal(value, other[name]) for name, value in one.items())
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other)


_NAME = re.compile(r"[^\x00-\x1f\x7f/\\\ud800-\udfff]+")
_MAX_NAME_BYTES = 255
# For each list, the type of its items and the string members that they must have.
_LISTS: t.Mapping[str, tuple[type, tuple[str, ...]]] = {
    "vault": (str, ()),
    "vault_destinations": (dict, ("destination_conf",)),
    "left_out": (dict, ("what", "why")),
    "notes": (str, ()),
}


def checked_zones(zones: t.Sequence[Json]) -> list[dict[str, Json]]:
    """Validate results of `zone_variables_info`; raise `invalid_option` for invalid ones and for duplicate names or ids."""
    found = [_checked(zone, f"zones[{index}]") for index, zone in enumerate(zones)]
    if not found:
        raise invalid_option("zones", "is empty: no zone could be read")
    names = [zone["zone"] for zone in found]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise invalid_option("zones", f"{repeated!r} is listed more than once")
    hosts: dict[str, str] = {}
    for zone in found:
        key = (zone.get("zone_id") or f"account {zone['account_id']}").lower()
        other = hosts.setdefault(key, zone["zone"])
        if other != zone["zone"]:
            raise invalid_option(
                "zones", f"{other!r} and {zone['zone']!r} are both hosts of the {'zone ' if zone.get('zone_id') else ''}{key}"
            )
    return found


def check_name(place: str, name: str) -> str:
    """Return a name; raise `invalid_option` if it cannot be the name of a folder."""
    unfit = not _NAME.fullmatch(name) or name in (".", "..") or name.strip() != name
    if unfit or len(name.encode()) > _MAX_NAME_BYTES:
        raise invalid_option(place, f"{name!r} cannot be the name of a folder")
    return name


def _checked(zone: Json, place: str) -> dict[str, Json]:
    address = "account_id" if zone.get("account_id") is not None else "zone_id"
    for name in ("zone", address):
        if not isinstance(zone.get(name), str):
            raise invalid_option(f"{place}.{name}", "must be a string")
    check_name(f"{place}.zone", zone["zone"])
    if not is_zone_id(zone[address]):
        raise invalid_option(f"{place}.{address}", f"{zone[address]!r} is not 1 to 32 hexadecimal digits")
    if not isinstance(zone.get("variables"), dict):
        raise invalid_option(f"{place}.variables", "must be a dictionary")
    if not _holds(zone["variables"].get(JOBS, []), dict, ()):
        raise invalid_option(f"{place}.variables.{JOBS}", "must be a list of dictionaries")
    for name, (type_, texts) in _LISTS.items():
        if not _holds(zone.get(name), type_, texts):
            raise invalid_option(f"{place}.{name}", "must be a list as zone_variables_info returns it")
    return {name: zone[name] for name in ("zone", address, "variables", *_LISTS)}


def _holds(value: Json, type_: type, texts: t.Sequence[str]) -> bool:
    """Return whether a value is a list of items of a type that have these string members."""
    items: list[Json] = value if isinstance(value, list) else [None]
    return all(isinstance(item, type_) for item in items) and all(
        isinstance(item.get(name), str) for item in items for name in texts
    )


Part = t.TypeVar("Part")


class Query(t.NamedTuple):
    """The label of the zone or account (None: its id), the route of the script monitor, and the URL that decides which limits apply."""

    label: str | None
    route: str
    base_url: str


def desire(params: t.Mapping[str, t.Any]) -> Query:
    """Return the query of validated options."""
    label = check_name("label", params["label"]) if params["label"] else None
    return Query(label, params["route"], params["base_url"])


def report(client: Client, query: Query) -> Conclusion:
    """Read a zone or an account and express it in variables of the role."""
    label = query.label or client.address.id
    if client.address.scope == ZONE:
        found, reasons = _report_zone(client, query, label)
    else:
        # The role manages only the jobs of an account.
        found, reasons = express_jobs(logpush.listed(client), variable_key(label)), {}
    missing = tuple(LeftOut(what, why) for what, why in reasons.items() if why)
    return Conclusion(
        {
            "zone": label,
            "variables": found.variables,
            "vault": list(found.vault),
            "vault_destinations": list(found.destinations),
            "left_out": [part._asdict() for part in (*missing, *found.left_out)],
            "notes": list(found.notes),
        }
    )


def _report_zone(client: Client, query: Query, label: str) -> tuple[Expressed, dict[str, str]]:
    """Return a zone as variables, and the reasons for parts that the service does not offer.

    Every service has rulesets. If their route is missing, the zone does not exist, and must not be adopted as an empty one.
    """
    ruleset = custom_fields.entry_point(client, confirm=False)
    jobs, no_jobs = _offered(lambda: logpush.listed(client))
    monitor, no_monitor = _offered(lambda: scripts.monitor(client, query.route))
    found = express_zone(label, ruleset, jobs or [], None if monitor is None else monitor.status, query.base_url)
    return found, {"jobs": no_jobs, "script monitor": no_monitor}


# The dataset field that contains the values of `preserve_duplicates`.
_EVERY_VALUE = next(carrier for carrier, kinds in CARRIERS.items() if PRESERVE_DUPLICATES in kinds)


def express_zone(
    zone_name: str, ruleset: Ruleset | None, jobs: t.Sequence[Job], monitor: t.Mapping[str, Json] | None, base_url: str = ""
) -> Expressed:
    """Return a zone as variables of the role, in the order for the file."""
    declared = express_jobs(jobs, variable_key(zone_name))
    items = declared.variables.get("log_delivery_jobs", [])
    found = joined([express_custom_fields(ruleset, items, base_url), declared, _monitor(monitor)])
    if not found.variables:
        found = found._replace(notes=(*found.notes, "No setting of this zone is managed: the role does not change it."))
    return found


def _monitor(status: t.Mapping[str, Json] | None) -> Expressed:
    return Expressed({} if status is None else {"log_delivery_script_monitor_enabled": status["enabled"]})


def _offered(read: t.Callable[[], Part]) -> tuple[Part | None, str]:
    """Return the result of a read, or the reason if the service lacks the route; raise any other failure."""
    try:
        return read(), ""
    except Failure as failure:
        if not is_missing(failure):
            raise
        return None, f"the service does not offer it ({failure})"
