# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import fnmatch
import gzip
import pathlib
import typing as t

from edgeops_simulator import clock
from edgeops_simulator.delivery import bucket, custom_fields, output, traffic, transform
from edgeops_simulator.filters import evaluate, syntax
from edgeops_simulator.rules import destinations
from edgeops_simulator.settings import Settings
from edgeops_simulator.state.owners import Account, Owner, Zone

Job = dict[str, t.Any]
# Errors of a job that the API would refuse (only a seed can contain it), or of writing a file. Other jobs are still delivered.
_UNDELIVERABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError)
_FAILURE: t.Mapping[str, t.Any] = {"status": 503, "error": "the destination answered 503", "tries": 1, "lost": True}


def deliver(
    owner: Owner,
    account: Account | None,
    described: t.Mapping[str, t.Any],
    folder: pathlib.Path | None,
    settings: Settings,
) -> dict[str, t.Any]:
    """Deliver to all enabled jobs; return their files and records, and the jobs that delivered nothing."""
    dataset, full = _records(owner, described)
    moment = clock.read(described["at"]) if described.get("at") else clock.stamp_seconds()
    failures = [_failure(item) for item in described.get("failures") or []]
    files: list[dict[str, t.Any]] = []
    skipped: list[dict[str, t.Any]] = []
    for job in owner.jobs.values():
        try:
            reason = _reason_to_skip(job, dataset)
            pushed = None if reason else _push(owner, account, job, full, folder, moment, _failure_of(job, failures, settings))
        except _UNDELIVERABLE as problem:
            failure = {**_FAILURE, "status": 500, "error": f"{type(problem).__name__}: {problem}"[:500]}
            pushed, reason = None, _lose(owner, job, {}, moment, failure)
        if isinstance(pushed, dict):
            files.append(pushed)
        else:
            skipped.append({"job_id": job["id"], "reason": reason or pushed or "no record passed"})
    return {"files": files, "skipped": skipped}


def _records(owner: Owner, described: t.Mapping[str, t.Any]) -> tuple[str, list[output.Record]]:
    """Return the dataset and its complete records: requests to a zone, or given records of any dataset."""
    if "records" in described:
        records = described["records"]
        if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
            raise traffic.BadTraffic("records: expected a list of objects")
        return str(described.get("dataset") or "http_requests"), records
    if not isinstance(owner, Zone):
        raise traffic.BadTraffic("traffic of an account is given as dataset and records")
    visits = [traffic.visit(request, owner.name) for request in described.get("requests", [])]
    names = custom_fields.configured(owner)
    return "http_requests", [{**visit.fields, **custom_fields.members(names, visit)} for visit in visits]


def _failure(failure: t.Any) -> dict[str, t.Any]:
    """Return a described failure of the deliveries of one job, or of destinations that match a pattern."""
    known = {*_FAILURE, "job_id", "destination"}
    if not isinstance(failure, dict) or not known >= failure.keys() or not {"job_id", "destination"} & failure.keys():
        raise traffic.BadTraffic(f"a failure is an object with job_id or destination, and of {', '.join(sorted(known))}")
    made = {**_FAILURE, **failure}
    if "error" not in failure and "status" in failure:
        made["error"] = f"the destination answered {failure['status']}"
    if not isinstance(made["tries"], int) or not isinstance(made["status"], int) or made["tries"] < 1:
        raise traffic.BadTraffic("status and tries of a failure are numbers")
    return made


def _failure_of(job: Job, failures: t.Sequence[dict[str, t.Any]], settings: Settings) -> t.Mapping[str, t.Any] | None:
    for failure in failures:
        if failure.get("job_id") == job["id"] or fnmatch.fnmatchcase(job["destination_conf"], failure.get("destination", "")):
            return failure
    problem = destinations.fault_of(job["destination_conf"], settings.unwritable_destinations)
    return {**_FAILURE, "status": 403, "error": problem} if problem else None


def _reason_to_skip(job: Job, dataset: str) -> str:
    if not job.get("enabled"):
        return "disabled"
    if job.get("dataset") != dataset:
        return f"dataset {job.get('dataset')} has no simulated traffic"
    return ""


def _push(
    owner: Owner,
    account: Account | None,
    job: Job,
    full: t.Sequence[output.Record],
    folder: pathlib.Path | None,
    moment: str,
    failure: t.Mapping[str, t.Any] | None,
) -> dict[str, t.Any] | str | None:
    """Deliver one batch; return it, or why it is lost, or None if no record passes the filter."""
    tree = syntax.parse(job["filter"]) if job.get("filter") else None
    form = output.of_job(job)
    kept = [r for r in full if form.keeps(r) and (tree is None or evaluate.passes(r, tree))]
    if not kept and failure and failure["lost"]:
        return _fail(job, moment, failure)
    if not kept:
        job.update(last_complete=moment, error_message=None)
        return None
    records = [form.record(record) for record in kept]
    try:
        records = _transformed(records, job, account)
    except (transform.BadQuery, transform.NotInstalled) as problem:
        # Records are never delivered without the transformation. The error is in the member that otherwise has the time of a failure.
        failed = {**_FAILURE, "status": 400, "error": f"transformer: {problem}"}
        job["last_error"] = _lose(owner, job, {"records": len(records)}, moment, failed)
        return str(job["last_error"])
    if not records:
        job.update(last_complete=moment, error_message=None)
        return None
    text = output.text(records, form).encode("utf-8", "replace")
    data = gzip.compress(text, 6)
    sizes = {"records": len(records), "bytes": len(text), "bytes_compressed": len(data)}
    if failure and failure["lost"]:
        return _lose(owner, job, sizes, moment, failure)
    path = bucket.write_records(folder, job["destination_conf"], data, *output.span(kept)) if folder else None
    owner.uploads.record(moment, {**_upload(job), **sizes}, failure)
    job.update(last_complete=moment, error_message=None)
    key = pathlib.Path(path).relative_to(folder).as_posix() if path and folder else None
    return {"job_id": job["id"], "name": job.get("name"), "path": path, "key": key, "records": records}


def _transformed(records: list[output.Record], job: Job, account: Account | None) -> list[output.Record]:
    """Return the records after the transformer of the job."""
    number = job.get("transformer_id")
    if not number:
        return records
    transformer = account.transformers.get(number) if account else None
    if account is None or transformer is None:
        raise transform.BadQuery(f"transformer {number} not found for this account")
    query = transform.query_of(transformer["code"], account)
    return [made for record in records for made in query.run(record)]


def _upload(job: Job) -> dict[str, t.Any]:
    return {"job_id": job["id"], "destination_type": str(job.get("destination_conf")).partition("://")[0][:20]}


def _lose(owner: Owner, job: Job, sizes: dict[str, int], moment: str, failure: t.Mapping[str, t.Any]) -> str:
    """Record that all tries to deliver a batch failed; return the error."""
    owner.uploads.record(moment, {**_upload(job), **sizes}, failure)
    return _fail(job, moment, failure)


def _fail(job: Job, moment: str, failure: t.Mapping[str, t.Any]) -> str:
    job.update(last_error=moment, error_message=f"error pushing logs: {failure['error']}")
    return str(failure["error"])
