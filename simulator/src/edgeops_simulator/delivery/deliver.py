# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pathlib
import typing as t

from edgeops_simulator import clock
from edgeops_simulator.delivery import bucket, custom_fields, output, traffic
from edgeops_simulator.filters import evaluate, syntax
from edgeops_simulator.rules import destinations
from edgeops_simulator.settings import Settings
from edgeops_simulator.state.owners import Zone

Job = dict[str, t.Any]


def deliver(zone: Zone, requests: t.Sequence[t.Any], folder: pathlib.Path | None, settings: Settings) -> dict[str, t.Any]:
    """What each enabled job would push for these requests: the files, their records, and the jobs that pushed nothing."""
    visits = [traffic.visit(request, zone.name) for request in requests]
    names = custom_fields.configured(zone)
    full = [{**visit.fields, **custom_fields.members(names, visit)} for visit in visits]
    files: list[dict[str, t.Any]] = []
    skipped: list[dict[str, t.Any]] = []
    for job in zone.jobs.values():
        reason = _reason_to_skip(job, settings)
        if reason:
            skipped.append({"job_id": job["id"], "reason": reason})
            continue
        pushed = _push(job, full, folder)
        if pushed is None:
            skipped.append({"job_id": job["id"], "reason": "no record passed"})
        else:
            files.append(pushed)
    return {"files": files, "skipped": skipped}


def _reason_to_skip(job: Job, settings: Settings) -> str:
    if not job.get("enabled"):
        return "disabled"
    if job.get("dataset") != "http_requests":
        return f"dataset {job.get('dataset')} has no simulated traffic"
    problem = destinations.fault_of(job["destination_conf"], settings.unwritable_destinations)
    if problem:
        job["last_error"] = clock.stamp_seconds()
        job["error_message"] = f"error pushing logs: {problem}"
        return problem
    return ""


def _push(job: Job, full: t.Sequence[output.Record], folder: pathlib.Path | None) -> dict[str, t.Any] | None:
    tree = syntax.parse(job["filter"]) if job.get("filter") else None
    form = output.of_job(job)
    kept = [r for r in full if form.keeps(str(r["RayID"])) and (tree is None or evaluate.passes(r, tree))]
    job.update(last_complete=clock.stamp_seconds(), error_message=None)
    if not kept:
        return None
    records = [form.record(record) for record in kept]
    times = sorted(r["EdgeStartTimestamp"] for r in kept if isinstance(r["EdgeStartTimestamp"], int)) or [0]
    path = None
    if folder is not None:
        path = bucket.write_records(folder, job["destination_conf"], output.text(records, form), times[0], times[-1])
    key = path and pathlib.Path(path).relative_to(t.cast(pathlib.Path, folder)).as_posix()
    return {"job_id": job["id"], "name": job.get("name"), "path": path, "key": key, "records": records}
