# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator import echo
from edgeops_simulator.delivery import bucket, datasets
from edgeops_simulator.front.call import Answer, Call
from edgeops_simulator.front.routing import ACCOUNT, ZONE, Routes
from edgeops_simulator.refusal import Refusal, unroutable
from edgeops_simulator.rules import destinations, jobs, options
from edgeops_simulator.schemas import bodies
from edgeops_simulator.schemas.answers import FLAG, TEXT, array, nullable, record, ref
from edgeops_simulator.state import jobs as state
from edgeops_simulator.state import ownership

routes = Routes(f"{ZONE}/logpush", f"{ACCOUNT}/logpush", codes=(jobs.CODE, jobs.CODE))
_CODE = jobs.CODE
_VALID = record({"valid": FLAG, "message": TEXT})


def _shown(call: Call, job: dict[str, t.Any]) -> dict[str, t.Any]:
    return echo.job(job, call.settings)


@routes("GET", "/jobs", "listJobs", result=array(ref("Job")), also=(405,))
def list_jobs(call: Call) -> Answer:
    if call.settings.job_list == "404":
        raise unroutable(call.path)
    if call.settings.job_list == "405":
        raise Refusal(405, 7001, "Method GET not available for that URI.", headers={"allow": "POST"})
    return Answer([_shown(call, job) for job in call.owner.jobs.values()])


@routes("GET", "/datasets/{dataset}/jobs", "listDatasetJobs", result=array(ref("Job")))
def list_dataset_jobs(call: Call) -> Answer:
    dataset = call.ids["dataset"]
    if not jobs.is_dataset_name(dataset) or datasets.is_of_other_scope(dataset, call.owner.kind):
        raise Refusal(404, _CODE, f"unknown dataset {dataset!r}")
    return Answer([_shown(call, job) for job in call.owner.jobs.values() if job["dataset"] == dataset])


@routes("GET", "/datasets/{dataset}/fields", "listDatasetFields", result={"type": "object", "additionalProperties": TEXT})
def list_dataset_fields(call: Call) -> Answer:
    fields = datasets.fields(call.ids["dataset"], call.owner.fields, call.owner.kind)
    if fields is None:
        raise Refusal(404, _CODE, f"unknown dataset {call.ids['dataset']!r}")
    gone = {name.partition(".")[2] for name in call.settings.removed_fields if name.startswith(f"{call.ids['dataset']}.")}
    return Answer({name: text for name, text in fields.items() if name not in gone})


def _body(call: Call, before: dict[str, t.Any] | None) -> dict[str, t.Any]:
    """Return the validated body, without duplicates in lists of field names."""
    jobs.check(call.owner, call.body, before, call.settings)
    jobs.check_transformer(call.service.account_of(call.owner), call.body, before)
    used = jobs.check_destination(call.owner, call.body, before, call.settings)
    if used:
        ownership.use(call.owner.challenges, used)
    body: dict[str, t.Any] = dict(call.body)
    if body.get("output_options") is not None:
        body["output_options"] = options.without_repeats(body["output_options"])
    return body


@routes("POST", "/jobs", "createJob", body=bodies.NEW_JOB, result=ref("Job"), status=201)
def create_job(call: Call) -> Answer:
    jobs.check_allowed(call.owner, call.body, call.settings)
    body = _body(call, None)
    job = state.create(call.owner.jobs, call.service.job_ids, body, call.settings.more_job_members)
    return Answer(_shown(call, job), status=201)


def _job(call: Call) -> dict[str, t.Any]:
    text = call.ids["job_id"]
    job: dict[str, t.Any] | None = (
        call.owner.jobs.get(int(text)) if text.isascii() and text.isdigit() and len(text) < 19 else None
    )
    if job is None:
        raise Refusal(404, _CODE, f"job {text!r} not found")
    return job


@routes("GET", "/jobs/{job_id}", "getJob", result={"anyOf": [ref("Job"), {**array(ref("Job")), "maxItems": 1}]})
def get_job(call: Call) -> Answer:
    if call.settings.job_get == "404":
        raise unroutable(call.path)
    job = _shown(call, _job(call))
    return Answer([job] if call.settings.job_get == "array" else job)


@routes("PUT", "/jobs/{job_id}", "updateJob", body=bodies.JOB, result=ref("Job"))
def put_job(call: Call) -> Answer:
    job = _job(call)
    return Answer(_shown(call, state.update(job, _body(call, job), call.settings.more_job_members)))


@routes("DELETE", "/jobs/{job_id}", "deleteJob", result=nullable({"type": "object"}), also=(204,))
def delete_job(call: Call) -> Answer:
    job = _job(call)
    del call.owner.jobs[job["id"]]
    form = call.settings.job_delete
    if form == "204":
        return Answer(status=204)
    return Answer({"id": {"id": job["id"]}, "empty": {}, "null": None}[form])


@routes(
    "POST", "/ownership", "createOwnership", body=bodies.DESTINATION, result=record({"filename": TEXT, **_VALID["properties"]})
)
def create_ownership(call: Call) -> Answer:
    """Write a challenge to the destination; the answer has the path of its file, never its content."""
    destination = call.body["destination_conf"]
    problem = destinations.fault_of(destination, call.settings.unwritable_destinations)
    if problem:
        return Answer({"filename": "", "valid": False, "message": f"error writing challenge: {problem}"})
    challenge = ownership.issue(call.owner.challenges, (f"{call.owner.kind}_id", call.owner.id), destination)
    if call.log_folder is not None:
        try:
            bucket.write_challenge(call.log_folder, destination, challenge["filename"], challenge["token"])
        except OSError as failure:
            return Answer({"filename": "", "valid": False, "message": f"error writing challenge: {failure.strerror}"})
    return Answer({"filename": challenge["filename"], "valid": True, "message": ""})


@routes("POST", "/ownership/validate", "validateOwnership", body=bodies.OWNERSHIP, result=record({"valid": FLAG}))
def validate_ownership(call: Call) -> Answer:
    destination, token = call.body["destination_conf"], call.body["ownership_challenge"]
    return Answer({"valid": ownership.holds(call.owner.challenges, destination, token)})


@routes("POST", "/validate/destination", "validateDestination", body=bodies.DESTINATION, result=_VALID)
def validate_destination(call: Call) -> Answer:
    destination = call.body["destination_conf"]
    problem = destinations.fault_of(destination, call.settings.unwritable_destinations)
    return Answer({"valid": not problem, "message": problem})


@routes("POST", "/validate/destination/exists", "destinationExists", body=bodies.DESTINATION, result=record({"exists": FLAG}))
def destination_exists(call: Call) -> Answer:
    destination = call.body["destination_conf"]
    return Answer({"exists": any(job["destination_conf"] == destination for job in call.owner.jobs.values())})


@routes("POST", "/validate/origin", "validateOrigin", body=bodies.ORIGIN, result=_VALID)
def validate_origin(call: Call) -> Answer:
    text = call.body["logpull_options"]
    dataset = call.body.get("dataset") or "http_requests"
    problem = options.logpull_problem(text)
    if not problem and call.settings.check_fields:
        problem = options.unknown_fields(call.owner, str(dataset), options.logpull_fields(text))
    return Answer({"valid": not problem, "message": problem})
