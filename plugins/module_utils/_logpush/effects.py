# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import (
    CHANGE_DESTINATION,
    CHANGE_FILTER,
    CHANGE_TRANSFORMER,
    DELETE_JOB,
    DISABLE_JOB,
    DROP_JOB_FIELDS,
    RECREATE_JOB,
    REDUCE_SAMPLE_RATE,
    Effect,
    Json,
)
from .._destination import leads_elsewhere
from . import logpull_options
from .coverage import selected_fields
from .job import Job


def effects_of_deletion(label: str) -> tuple[Effect, ...]:
    """Return what the deletion of a job destroys."""
    return (Effect(DELETE_JOB, label),)


def effects_of_change(label: str, job: Job, body: t.Mapping[str, Json], differing: t.Collection[str]) -> tuple[Effect, ...]:
    """Return what a write to an existing job destroys; `body` is sent, `differing` names the members that change."""
    after = {**job, **body}
    found = []
    if "enabled" in differing and not after["enabled"]:
        found.append(Effect(DISABLE_JOB, label))
    gone = sorted(set(selected_fields(job)) - set(selected_fields(after)))
    if gone:
        found.append(Effect(DROP_JOB_FIELDS, label, tuple(gone)))
    if not {"filter", "filter_attack_traffic"}.isdisjoint(differing):
        found.append(Effect(CHANGE_FILTER, label))
    if _sample_rate(after) < _sample_rate(job):
        found.append(Effect(REDUCE_SAMPLE_RATE, label))
    if "transformer_id" in differing and job.get("transformer_id"):
        found.append(Effect(CHANGE_TRANSFORMER, label))
    if "destination" in differing and _moves(job.get("destination_conf"), str(after["destination_conf"])):
        found.append(Effect(CHANGE_DESTINATION, label))
    return tuple(found)


def _moves(before: str | None, after: str) -> bool:
    """Return whether records go elsewhere; a destination that the service does not show may be any."""
    return not before or leads_elsewhere(before, after)


def effects_of_recreation(label: str, effects: t.Iterable[Effect]) -> tuple[Effect, ...]:
    """Return what the re-creation of a job destroys, beside the effects of its difference."""
    return (Effect(RECREATE_JOB, label), *effects)


def _sample_rate(job: t.Mapping[str, Json]) -> float:
    """Return the fraction of records that a job delivers, in either form of its options; all of them if it cannot be read."""
    output = job.get("output_options")
    rate = (
        output.get("sample_rate")
        if output
        else logpull_options.canonical(logpull_options.parse(job.get("logpull_options"))).get(logpull_options.SAMPLE)
    )
    return rate if isinstance(rate, (int, float)) and 0 < rate <= 1 else 1.0
