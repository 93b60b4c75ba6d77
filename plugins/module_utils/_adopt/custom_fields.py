# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._adopt.expression import Expressed, LeftOut
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.facts import EXPRESSION, PRESERVE_DUPLICATES
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.present import names_of
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.state import Ruleset
from ansible_collections.edgeops.observability.plugins.module_utils._errors import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.coverage import CARRIERS, DATASET, selected_fields
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._zone import fields

# The role's name of each list, and the field of a job that carries it.
LISTS: t.Mapping[str, str] = {
    "request_fields": "request_headers",
    "transformed_request_fields": "transformed_request_headers",
    "response_fields": "response_headers",
    "raw_response_fields": "raw_response_headers",
    "cookie_fields": "cookies",
}


def express_custom_fields(ruleset: Ruleset | None, items: t.Sequence[t.Mapping[str, Json]]) -> Expressed:
    """The custom log fields as `log_delivery_custom_fields`, without those that the jobs do not select.

    `items` are the jobs as they are declared: the role adds the field that carries a list to each of them.
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
        lists = {LISTS[kind]: names[kind] for kind in kinds if names[kind]}
        if lists and any(carrier not in _selected(item) for item in carrying):
            why = f"a job of {DATASET} does not select {carrier}, so that declaring them would change it"
            left_out += [LeftOut(f"custom fields: {name}", why) for name in lists]
        else:
            kept.update(lists)
    kept, refused = _without_change(kept, ruleset)
    left_out += refused
    responses = {*kept.get("response_headers", ()), *kept.get("raw_response_headers", ())}
    flagged = [name for name in names[PRESERVE_DUPLICATES] if name in responses]
    if flagged and not _trouble({**kept, PRESERVE_DUPLICATES: flagged}, ruleset):
        kept[PRESERVE_DUPLICATES] = flagged
    return Expressed({"log_delivery_custom_fields": kept} if kept else {}, tuple(left_out))


def _without_change(lists: dict[str, Json], ruleset: Ruleset | None) -> tuple[dict[str, Json], list[LeftOut]]:
    """The lists that the role takes and leaves as they are, alone and together; why the others are not among them."""
    troubles = {name: _trouble({name: names}, ruleset) for name, names in lists.items()}
    kept = {name: names for name, names in lists.items() if not troubles[name]}
    together = _trouble(kept, ruleset)
    if together:
        troubles, kept = {name: troubles[name] or together for name in lists}, {}
    return kept, [LeftOut(f"custom fields: {name}", why) for name, why in troubles.items() if why]


def _trouble(lists: t.Mapping[str, Json], ruleset: Ruleset | None) -> str:
    """Why lists cannot be declared: the plan of the role itself would write, or refuse them; "" where they can."""
    try:
        desired = fields.desire("custom_fields", lists, present=True)
        return "declaring them would change their rule" if desired and fields.plan(desired, ruleset)[1].requests else ""
    except Failure as failure:
        return f"the role refuses them: {failure}"


def _selected(item: t.Mapping[str, Json]) -> t.Sequence[str]:
    return item["fields"] if "fields" in item else selected_fields(item)


def _unmanageable(rules: t.Sequence[t.Any]) -> str:
    """Why a single rule that is in force for every request would not be left as it is; "" where it would."""
    if len(rules) > 1:
        return f"{len(rules)} rules configure them, which a run would merge into one"
    if not rules[0].enabled:
        return "their rule is disabled, and a run would enable it"
    if rules[0].expression != EXPRESSION:
        return f"their rule has an expression other than {EXPRESSION!r}, which a run would replace"
    return ""
