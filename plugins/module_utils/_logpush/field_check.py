# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import itertools
import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._composition import Step
from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._filter.suggest import did_you_mean, nearest, shown
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.coverage import selected_fields
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.select import dataset_of
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

_PLAIN_NAME = re.compile(r"\w[\w.:-]{0,99}")
_MAX_CANDIDATES = 2000
_MAX_NAMED = 10


class Selection(t.NamedTuple):
    """A list of fields that would be written: its dataset, and each name with its option path."""

    dataset: str
    places: t.Mapping[str, str]


def selection(step: Step) -> Selection | None:
    """Return the fields that a plan for one job would write; None if their set stays, or is not to be checked."""
    job: Json = step.plan.result["job"]
    if not step.desired.validate_fields or not step.plan.requests or job is None:
        return None
    present: t.Mapping[str, Json] = step.state.job or {}
    names = _names(job)
    if not names or (set(names), dataset_of(job)) == (set(_names(present)), dataset_of(present)):
        return None
    path = f"{step.place}." if step.place else ""
    return Selection(dataset_of(job), {name: path + step.desired.places.get(name, "fields") for name in names})


def check(chosen: Selection, known: t.Collection[str]) -> None:
    """Refuse names that are not among those of the dataset; an empty collection tells nothing."""
    wrong = [name for name in chosen.places if name not in known] if known else []
    if not wrong:
        return
    candidates = list(itertools.islice(filter(_PLAIN_NAME.fullmatch, known), _MAX_CANDIDATES))
    meant = {name: did_you_mean(nearest(name, candidates)) for name in wrong[:_MAX_NAMED]}
    first, *others = meant
    more = "".join(f"; nor is {shown(name)}{meant[name]}" for name in others)
    raise invalid_option(
        chosen.places[first],
        f"{shown(first)} is not a field of the dataset {chosen.dataset}{meant[first]}{more}; records would be delivered without it",
    )


def _names(job: t.Mapping[str, Json]) -> list[str]:
    return [name for name in map(str.strip, selected_fields(job)) if name]
