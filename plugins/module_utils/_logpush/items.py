# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._logpush import options
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.spec import FORMS
from ansible_collections.edgeops.observability.plugins.module_utils._places import within
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

Params = t.Mapping[str, t.Any]
IGNORE, REPORT, ABSENT = UNLISTED = ("ignore", "report", "absent")


class Item(t.NamedTuple):
    """One job of a task that manages several, and its place in the options.

    `bare` is the same without the fields that carry custom log fields, for a job that turns out to be of another dataset.
    """

    place: str
    desired: options.Desired
    bare: options.Desired | None = None


class Desired(t.NamedTuple):
    """The jobs that a task manages, and what becomes of all others."""

    items: tuple[Item, ...]
    unlisted: str


def desire(params: Params) -> Desired:
    """Return the desired jobs of validated options; refuse each item that could never be applied, and repeated ones."""
    places = [f"jobs[{index}]" for index, _options in enumerate(params["jobs"])]
    sending = params["send_destination"]
    jobs = [{**each, "send_destination": each["send_destination"] or sending} for each in params["jobs"]]
    found = [Item(place, desire_item(place, each, params["zone_id"])) for place, each in zip(places, jobs, strict=True)]
    return checked(Desired(tuple(found), params["unlisted"]))


def desire_item(place: str, given: t.Mapping[str, Json], zone_id: str) -> options.Desired:
    """Return the desired state of one job; `place` is where its options are."""
    for first, second in FORMS:
        if given[first] is not None and given[second] is not None:
            raise invalid_option(f"{place}.{first}", f"cannot be used together with {second}, which is another form of the same")
    with within(place):
        return options.desire({**given, "zone_id": zone_id})


def checked(desired: Desired) -> Desired:
    """Refuse what is wrong with a list of jobs whatever the zone has."""
    if desired.unlisted == ABSENT and not desired.items:
        raise invalid_option("jobs", "is empty; with unlisted jobs 'absent', that would delete every job of the zone")
    seen: dict[Json, str] = {}
    for item in desired.items:
        key = (item.desired.name, item.desired.dataset) if item.desired.job_id is None else item.desired.job_id
        require_other(item.place, seen.setdefault(key, item.place))
    return desired


def require_other(place: str, first: str) -> None:
    """Refuse an item that means the job of an earlier one."""
    if place != first:
        raise invalid_option(place, f"means the same job as {first}")
