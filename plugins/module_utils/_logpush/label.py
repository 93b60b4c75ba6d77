# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t


class Identity(t.NamedTuple):
    """What distinguishes a job from others; `id` is None for a job that does not exist."""

    name: str | None
    dataset: str
    id: int | None


def labels(jobs: t.Sequence[Identity]) -> list[str]:
    """Return what each of all jobs of a zone is called: its name, or `name/dataset/id` if that is empty or repeated."""
    counts = collections.Counter(job.name for job in jobs)
    full = [f"{job.name or ''}/{job.dataset}/{'new' if job.id is None else job.id}" for job in jobs]
    taken = set(full)
    return [
        job.name if job.name and counts[job.name] == 1 and job.name not in taken else long
        for job, long in zip(jobs, full, strict=True)
    ]
