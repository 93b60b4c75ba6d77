# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._api.client import Client
from .._api.response import is_missing
from .._core import Conclusion, Failure, Json
from .._custom_fields import read as custom_fields
from .._custom_fields.facts import EXPRESSION, PRESERVE_DUPLICATES
from .._custom_fields.result import names_of
from .._custom_fields.state import Ruleset
from .._logpush import read as logpush
from .._logpush.coverage import CARRIERS, DATASET, selected_fields
from .._logpush.job import Job
from .._scripts import read as scripts
from .._text import list_of
from .._zone import options as fields
from .._zones import ZONE
from .jobs import Expressed, Item, LeftOut, check_name, express_jobs, joined, variable_key

# Custom log fields by the names of their lists.
Lists = t.Mapping[str, list[str]]


def express_custom_fields(ruleset: Ruleset | None, items: t.Sequence[Item], base_url: str) -> Expressed:
    """Return the custom log fields as `log_delivery_custom_fields`, without lists that the jobs do not select.

    `items` are the declared jobs, to which the role adds the dataset fields that contain the declared lists.
    """
    rules = ruleset.own_rules if ruleset else ()
    if not rules:
        return Expressed({})
    reason = _unmanageable(rules)
    if reason:
        return Expressed({}, ({"what": "custom fields", "why": reason},))
    names = names_of(rules)
    carrying = [item for item in items if (item.get("dataset") or DATASET) == DATASET]
    kept: dict[str, list[str]] = {}
    left_out = []
    for carrier, kinds in CARRIERS.items():
        lists = {kind: names[kind] for kind in kinds if names[kind] and kind != PRESERVE_DUPLICATES}
        if lists and any(carrier not in _selected(item) for item in carrying):
            why = f"a job of {DATASET} does not select {carrier}, so that declaring them would change it"
            left_out += [LeftOut(what=f"custom fields: {name}", why=why) for name in lists]
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


def _without_change(lists: Lists, ruleset: Ruleset | None, base_url: str) -> tuple[dict[str, list[str]], list[LeftOut]]:
    """Return the lists that the role accepts without a change, and why the others are left out."""
    troubles = {name: _trouble({name: names}, ruleset, base_url) for name, names in lists.items()}
    kept = {name: names for name, names in lists.items() if not troubles[name]}
    together = _trouble(kept, ruleset, base_url)
    if together:
        troubles, kept = {name: troubles[name] or together for name in lists}, {}
    return kept, [LeftOut(what=f"custom fields: {name}", why=why) for name, why in troubles.items() if why]


def _trouble(lists: Lists, ruleset: Ruleset | None, base_url: str) -> str:
    """Return why lists cannot be declared: the plan of the role would change or refuse them; "" if they can."""
    try:
        desired = fields.desire_fields(lists, True, base_url)
        return "declaring them would change their rule" if desired and fields.plan_fields(desired, ruleset)[1].requests else ""
    except Failure as failure:
        return f"the role refuses them: {failure}"


def _selected(item: Item) -> t.Sequence[Json]:
    return list_of(item["fields"]) if "fields" in item else selected_fields(item)


def _unmanageable(rules: t.Sequence[t.Any]) -> str:
    """Return why a run of the role would change these rules; "" if it would not."""
    if len(rules) > 1:
        return f"{len(rules)} rules configure them, which a run would merge into one"
    if not rules[0].enabled:
        return "their rule is disabled, and a run would enable it"
    if rules[0].expression != EXPRESSION:
        return f"their rule has an expression other than {EXPRESSION!r}, which a run would replace"
    return ""


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
    missing = [LeftOut(what=what, why=why) for what, why in reasons.items() if why]
    return Conclusion(
        {
            "zone": label,
            "variables": found.variables,
            "vault": list(found.vault),
            "vault_destinations": list(found.destinations),
            "left_out": [*missing, *found.left_out],
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
    enabled = Expressed({} if monitor is None else {"log_delivery_script_monitor_enabled": monitor["enabled"]})
    found = joined([express_custom_fields(ruleset, items, base_url), declared, enabled])
    if not found.variables:
        found = found._replace(notes=(*found.notes, "No setting of this zone is managed: the role does not change it."))
    return found


def _offered(read: t.Callable[[], Part]) -> tuple[Part | None, str]:
    """Return the result of a read, or the reason if the service lacks the route; raise any other failure."""
    try:
        return read(), ""
    except Failure as failure:
        if not is_missing(failure):
            raise
        return None, f"the service does not offer it ({failure})"
