# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import Json
from .._destination import CHANGED
from .._filter import compare as filters
from .._filter.parse import read_echo
from .._logpush import logpull_options
from .._logpush.health import DISABLED, HEALTHY, UNKNOWN
from .._logpush.job import Identity, labels
from .._redact import MASK
from .facts import JOB_CHANGED, JOB_CREATED, JOB_DELETED, JOB_RECOVERED, TROUBLE, Change
from .state import Job

Jobs = t.Mapping[int, Job]


class Seen(t.NamedTuple):
    """The jobs of a listing: what is compared, and the health of each as it is reported."""

    jobs: Jobs
    health: t.Mapping[int, t.Mapping[str, Json]]


def compare_jobs(known: Jobs | None, seen: Seen, *, silent: bool) -> tuple[Jobs, list[Change]]:
    """Return the jobs to remember and what changed; jobs that were never listed before are `silent` or all new."""
    before = known or {}
    after = {number: _remembered(before.get(number), job) for number, job in seen.jobs.items()}
    if known is None and silent:
        return after, []
    changes: list[Change] = []
    names = _labels(after)
    for number in sorted(after):
        changes.extend(_changes(names[number], before.get(number), after[number], seen.health[number]))
    gone, names = sorted(before.keys() - after.keys()), _labels(before)
    return after, [*changes, *(Change(JOB_DELETED, names[number], _show(before[number]), None) for number in gone)]


def _labels(jobs: Jobs) -> dict[int, str]:
    identities = [Identity(job.shown.get("name"), str(job.shown.get("dataset")), number) for number, job in jobs.items()]
    return dict(zip(jobs, labels(identities), strict=True))


def _remembered(before: Job | None, now: Job) -> Job:
    """A job of which the service shows no health keeps what was known."""
    return now._replace(health=before.health) if before and now.health == UNKNOWN else now


def _changes(subject: str, before: Job | None, now: Job, health: t.Mapping[str, Json]) -> t.Iterator[Change]:
    shown = {**now.shown, "health": dict(health)}
    was = None if before is None else _show(before)
    if before is None:
        yield Change(JOB_CREATED, subject, None, shown, now.destination)
    elif _is_changed(before, now):
        secret = before.destination != now.destination and before.shown.get("destination") == now.shown.get("destination")
        marks = ({"destination_secret": MASK}, {"destination_secret": CHANGED}) if secret else ({}, {})
        yield Change(JOB_CHANGED, subject, {**(was or {}), **marks[0]}, {**shown, **marks[1]}, now.destination)
    if now.health in TROUBLE and (before is None or before.health != now.health):
        yield Change(TROUBLE[now.health], subject, was, shown, now.destination)
    elif now.health == HEALTHY and before is not None and before.health in TROUBLE:
        yield Change(JOB_RECOVERED, subject, was, shown, now.destination)


def _is_changed(before: Job, now: Job) -> bool:
    """Return whether a user changed the job; that the service disabled it is another event."""
    left_out = {"enabled"} if now.health == DISABLED and before.shown.get("enabled") and not now.shown.get("enabled") else set()
    return before.destination != now.destination or any(
        _meaning(name, before.shown.get(name)) != _meaning(name, now.shown.get(name))
        for name in {*before.shown, *now.shown} - left_out
    )


def _meaning(name: str, value: Json) -> Json:
    """Return a member in a form that is equal for all texts with one meaning: order and percent-encoding are no change."""
    if name == "logpull_options":
        return logpull_options.canonical(logpull_options.parse(value))
    tree = read_echo(value) if name == "filter" and value else None
    return value if tree is None else filters.canonical(tree)


def _show(job: Job) -> dict[str, Json]:
    return {**job.shown, "health": {"state": job.health}}
