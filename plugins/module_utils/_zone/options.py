# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import dataclasses
import re
import typing as t

from .._core import Failure, Json, Plan, invalid_option, moved, within
from .._custom_fields import options
from .._custom_fields.facts import PRESERVE_DUPLICATES
from .._custom_fields.result import names_of
from .._custom_fields.state import Ruleset
from .._custom_fields.task import TASK
from .._logpush.coverage import select_custom_log_fields
from .._logpush.facts import DATASET
from .._logpush.jobs import ABSENT, DesiredJobs, Item, checked, desire_item
from .._logpush.options import IDENTITY, OPTIONS
from .._scripts.monitor import Desired as DesiredMonitor
from .._scripts.task import TASK as MONITOR
from .facts import ALL_LISTS, CUSTOM_FIELDS, EVERY_TYPE, LISTS, PARTS

_OWN_NAMES = {kind: name for name, kind in LISTS.items()}
_KIND = re.compile(rf"\b({'|'.join(sorted(_OWN_NAMES, key=len, reverse=True))})\b")


class DesiredFields(t.NamedTuple):
    """The desired custom fields; `removal` stands for them where the zone would be left without any."""

    place: str
    desired: options.Desired
    removal: options.Desired | None


def given_lists(custom_fields: t.Mapping[str, Json] | None) -> dict[str, list[str]]:
    """Return the lists that are given, by their names in a zone."""
    return {name: names for name, names in (custom_fields or {}).items() if names is not None}


def desire_fields(place: str, given: t.Mapping[str, list[str]], present: bool) -> DesiredFields | None:
    """Return the desired custom fields of the given lists; None where no list is given."""
    if not given:
        return None
    lists = {name: names for name, names in given.items() if name in LISTS}
    named = any(lists.values())
    if not present:
        everything = not named and all(name in lists for name in EVERY_TYPE)
        return DesiredFields(place, _options(place, {} if everything else lists, present=False), None)
    removal = None if named or given.get(PRESERVE_DUPLICATES) else _options(place, {}, present=False)
    if removal is not None and len(lists) == len(LISTS):
        return DesiredFields(place, removal, None)
    return DesiredFields(place, _options(place, given, present=True), removal)


def plan_fields(desired: DesiredFields, ruleset: Ruleset | None) -> tuple[options.Desired, Plan]:
    """Plan as a task of its own would; return for what."""
    chosen = desired.desired
    if desired.removal is not None:
        names = names_of(ruleset.own_rules if ruleset else ())
        if not any(names[kind] for kind in LISTS.values() if kind not in chosen.given):
            chosen = desired.removal
    with _worded(desired.place):
        found = TASK.plan(chosen, ruleset)
    return chosen, found._replace(warnings=tuple(moved(desired.place, _in_own_words(text)) for text in found.warnings))


def _options(place: str, given: t.Mapping[str, list[str]], present: bool) -> options.Desired:
    defaults = {name: option.get("default") for name, option in TASK.spec.options.items()}
    lists = {ALL_LISTS[name]: names for name, names in given.items()}
    with _worded(place):
        return TASK.desire({**defaults, **lists, "state": "present" if present else "absent"})


@contextlib.contextmanager
def _worded(place: str) -> t.Iterator[None]:
    """Give failures the names and the place of the lists of a zone."""
    with within(place):
        try:
            yield
        except Failure as failure:
            raise dataclasses.replace(failure, message=_in_own_words(failure.message)) from failure


def _in_own_words(text: str) -> str:
    return _KIND.sub(lambda found: _OWN_NAMES[found[1]], text.removeprefix("field_limit: "))


Options = t.Mapping[str, Json]
# What distinguishes a job from others; the rest of an item does not matter where it is removed.
_TELLING = (*IDENTITY, "dataset")


def desire_zone_jobs(params: Options, lists: t.Mapping[str, list[str]]) -> DesiredJobs | None:
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
    return checked(DesiredJobs(tuple(found), params["unlisted_jobs"]))


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


class Desired(t.NamedTuple):
    """The desired state of a zone as a whole; a part that is None is left alone."""

    present: bool
    zone_id: str
    prefix: str
    fields: DesiredFields | None
    jobs: DesiredJobs | None
    monitor: DesiredMonitor | None
    expected: t.Mapping[str, str | None]


def desire(params: t.Mapping[str, t.Any]) -> Desired:
    """Return the desired state of validated options; refuse what no state of the zone could make right."""
    present, prefix = params["state"] == "present", params["option_prefix"]
    lists = given_lists(params[CUSTOM_FIELDS])
    enabled = params["script_monitor_enabled"]
    expected = params["expected_plan_ids"] or {}
    return Desired(
        present=present,
        zone_id=params["zone_id"],
        prefix=prefix,
        fields=desire_fields(f"{prefix}{CUSTOM_FIELDS}", lists, present),
        jobs=desire_zone_jobs(params, lists),
        monitor=None if enabled is None else MONITOR.desire({"enabled": enabled, "route": params["route"]}),
        expected={name: expected.get(name) for name in PARTS},
    )
