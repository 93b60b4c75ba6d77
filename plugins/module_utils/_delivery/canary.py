# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Whether the jobs of a zone are as well after a delivery as they were before it.
import typing as t

from .._core import Json
from .._logpush.job import Identity, labels

Job = t.Mapping[str, Json]
_RANKS = {"healthy": 0, "stale": 1, "never": 1, "unknown": 1, "disabled": 2, "failing": 3}
_NEW = "never"


def worse_jobs(before: t.Sequence[Job], after: t.Sequence[Job], part: Job) -> list[str]:
    """Return a sentence for each job whose state is neither the one before nor better; `part` is what the delivery did to jobs.

    A job that the delivery removed or re-created is not missed.
    """
    delivered = {job["id"]: job for job in part.get("jobs") or () if job}
    managed = (part.get("diff") or {}).get("before") or {}
    names = labels([Identity(job.get("name"), job.get("dataset") or "", job["id"]) for job in before])
    known = {job["id"]: job for label, job in zip(names, before, strict=True) if label not in managed or job["id"] in delivered}
    present = {job["id"]: job for job in after}
    found = (
        _worse(known.get(key) or delivered[key], key in known, present.get(key), delivered.get(key))
        for key in {**known, **delivered}
    )
    return [sentence for sentence in found if sentence]


def _worse(job: Job, existed: bool, now: Job | None, delivered: Job | None) -> str:
    name = f"job '{job.get('name')}' (id {job['id']})" if job.get("name") else f"job {job['id']} ({job.get('dataset')})"
    if now is None:
        return f"{name} does not exist any more"
    before = job["health"]["state"] if existed else _NEW
    state = now["health"]["state"]
    if state == "disabled" and delivered is not None and not delivered.get("enabled") and not now.get("error_message"):
        return ""  # as the delivery left it
    if state == before or _RANKS.get(state, 3) <= _RANKS.get(before, 0):
        return ""
    was = f" was {before} before the delivery and" if existed else ""
    return f"{name}{was} is {state}: {now['health'].get('message') or 'no reason was given'}"
