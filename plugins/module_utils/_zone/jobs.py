# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import DATASET
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.items import (
    ABSENT,
    Desired,
    Item,
    checked,
    desire_item,
)
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.log_fields import select_custom_log_fields
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.spec import IDENTITY, OPTIONS
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._zone.facts import LISTS

Options = t.Mapping[str, Json]
# What distinguishes a job from others; the rest of an item does not matter where it is removed.
_TELLING = (*IDENTITY, "dataset")


def desire(params: Options, lists: t.Mapping[str, list[str]]) -> Desired | None:
    """Return the desired jobs, which select what carries the given lists of custom fields; None where jobs are left alone."""
    prefix = params["option_prefix"]
    given = params["jobs"]
    if params["job"] is not None:
        if given is not None:
            raise invalid_option(f"{prefix}jobs", f"cannot be used together with {prefix}job")
        places, given = [f"{prefix}job"], [params["job"]]
    else:
        places = [f"{prefix}jobs[{index}]" for index, _options in enumerate(given or ())]
    if not given:
        if given is not None and params["unlisted_jobs"] == ABSENT:
            raise invalid_option(f"{prefix}jobs", f"is empty; with {prefix}unlisted_jobs 'absent', that would delete every job")
        return None
    found = [_item(place, each, params, lists) for place, each in zip(places, given, strict=True)]
    return checked(Desired(tuple(found), params["unlisted_jobs"]))


def _item(place: str, given: Options, params: Options, lists: t.Mapping[str, list[str]]) -> Item:
    """Return a job with the defaults under its own options, both as it is and with the fields for the custom ones."""
    present = params["state"] == "present" and (given.get("state") or "present") == "present"
    options = _merged(given, params["job_defaults"] or {}, present)
    plain = desire_item(place, options, params["zone_id"])
    if not present or (options["dataset"] or DATASET) != DATASET:
        return Item(place, plain)
    extended = select_custom_log_fields(options, {LISTS[name]: names for name, names in lists.items() if name in LISTS})
    if extended == options:
        return Item(place, plain)
    known = options["dataset"] is not None or options["job_id"] is None
    return Item(place, desire_item(place, extended, params["zone_id"]), None if known else plain)


def _merged(given: Options, defaults: Options, present: bool) -> dict[str, Json]:
    last = {name: option.get("default") for name, option in OPTIONS.items()}
    last = {**last, "enabled": True} if present else last
    names = OPTIONS if present else _TELLING
    own = {name: given.get(name) if given.get(name) is not None else defaults.get(name) for name in names}
    return {
        **last,
        **{name: value for name, value in own.items() if value is not None},
        "state": "present" if present else "absent",
    }
