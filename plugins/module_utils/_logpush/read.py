# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import time

from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._api.service_errors import is_missing
from ansible_collections.edgeops.observability.plugins.module_utils._errors import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.health import health
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.items import IGNORE
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.items import Desired as DesiredJobs
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.match import Listing
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import Desired
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.present import Job, checked, view
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.select import (
    State,
    Wanted,
    named,
    numbered,
    selected,
)
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Conclusion, Json


def read(client: Client, desired: Desired) -> State:
    """The job that a task is about; the clock is read here because plans have none."""
    now = time.time()
    if desired.job_id is not None:
        return State(by_id(client, desired.job_id), now=now)
    try:
        return State(named(listed(client), desired.name, desired.dataset), now=now)
    except Failure as failure:
        if is_missing(failure):
            return State(None, unlisted=failure, now=now)
        raise


def read_all(client: Client, desired: DesiredJobs) -> Listing:
    """Read all jobs of the zone, once; where a service lists none, those that items name by id."""
    now = time.time()
    try:
        return Listing(tuple(checked(job) for job in listed(client)), now=now)
    except Failure as failure:
        if not is_missing(failure):
            raise
        ids = [item.desired.job_id for item in desired.items if item.desired.job_id is not None]
        found = [by_id(client, job_id) for job_id in ids] if desired.unlisted == IGNORE else []
        return Listing(tuple(job for job in found if job is not None), refusal=failure, now=now)


def report(client: Client, wanted: Wanted) -> Conclusion:
    """Return the jobs that meet the conditions with their health; one that does not exist is an empty list."""
    if wanted.job_id is None:
        jobs = listed(client)
    else:
        found = by_id(client, wanted.job_id)
        jobs = [] if found is None else [found]
    now = time.time()
    shown = [{**view(job), "health": health(job, wanted.stale_after, now)} for job in selected(jobs, wanted)]
    return Conclusion({"jobs": shown})


def listed(client: Client) -> list[Json]:
    """All jobs of the zone; the route has no pages to ask for."""
    return client.items("logpush_jobs.list", keys=("id",))


def by_id(client: Client, job_id: int) -> Job | None:
    """The job of that id; a service without a route for one job is asked for the list."""
    try:
        found = client.call("logpush_jobs.get", ids={"job_id": job_id}).result
    except Failure as failure:
        if not is_missing(failure):
            raise
        return _in_list(client, job_id)
    # An official example shows one job as a list of one.
    return checked(found[0] if isinstance(found, list) and len(found) == 1 else found, job_id)


def _in_list(client: Client, job_id: int) -> Job | None:
    try:
        return numbered(listed(client), job_id)
    except Failure as failure:
        if is_missing(failure):
            return None
        raise
