# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t
from urllib.parse import unquote

from .._core import Json
from .._redact import clean_text
from .._text import dict_of, list_of
from . import logpull_options

DATASET = "http_requests"

# Which field of a job contains which types of custom fields.
CARRIERS: t.Mapping[str, tuple[str, ...]] = {
    "RequestHeaders": ("request_fields", "transformed_request_fields"),
    "ResponseHeaders": ("response_fields", "raw_response_fields"),
    "Cookies": ("cookie_fields",),
    # All values of a response header as a list; the other fields contain one string.
    "ResponseFields": ("preserve_duplicates",),
}
# Members by which the custom fields of a zone, and a job or the result of its module, are recognized.
_KINDS = frozenset(kind for kinds in CARRIERS.values() for kind in kinds)
_JOB = frozenset(("job", "id", "name", "dataset", "logpull_options", "output_options"))


class Unselected(t.TypedDict):
    """A list of custom fields that no job delivers, and the log field that would contain them."""

    kind: str
    names: list[str]
    field: str


class Unconfigured(t.TypedDict):
    """A log field that a job selects and that stays empty."""

    job_id: Json
    job_name: Json
    field: str


class Coverage(t.TypedDict):
    """The result of `log_field_coverage`."""

    arrives: bool
    unselected: list[Unselected]
    unconfigured: list[Unconfigured]
    sentences: list[str]


def log_field_coverage(custom_fields: Json, jobs: Json) -> Coverage:
    """Compare the custom log fields of a zone with the fields that its jobs select.

    Both may be whole module results. Jobs of other datasets are ignored, because they never contain custom fields.
    """
    configured = _configured(custom_fields)
    carrying = [job for job in _jobs(jobs) if (job.get("dataset") or DATASET) == DATASET]
    unselected: list[Unselected] = [
        {"kind": kind, "names": configured[kind], "field": carrier}
        for carrier, kinds in CARRIERS.items()
        for kind in kinds
        if configured[kind] and not any(carrier in selected_fields(job) for job in carrying)
    ]
    unconfigured: list[Unconfigured] = [
        {"job_id": job.get("id"), "job_name": job.get("name"), "field": carrier}
        for job in carrying
        for carrier, kinds in CARRIERS.items()
        if carrier in selected_fields(job) and not any(configured[kind] for kind in kinds)
    ]
    sentences = [_unselected_sentence(finding, carrying) for finding in unselected]
    sentences += [_unconfigured_sentence(finding) for finding in unconfigured]
    return {
        "arrives": not sentences,
        "unselected": unselected,
        "unconfigured": unconfigured,
        "sentences": list(map(clean_text, sentences)),
    }


def selected_fields(job: t.Mapping[str, Json]) -> list[str]:
    """Return the log fields that a job selects, as reported or as declared."""
    text = job.get("logpull_options")
    return fields_of(dict_of(job.get("output_options")), logpull_options.parse(text if isinstance(text, str) else None))


def fields_of(output: t.Mapping[str, Json], logpull: logpull_options.Parameters) -> list[str]:
    """Return the log fields that both forms of options select; the service ignores `logpull_options` beside `output_options`."""
    return names_in(output.get("field_names")) if output else logpull_options.selected(logpull)


def _configured(given: Json) -> dict[str, list[str]]:
    fields = given.get("custom_fields", given) if isinstance(given, dict) else given
    if fields is None:
        fields = {}
    # The result of a task that failed or was skipped has no custom fields, which does not mean that the zone has none.
    if not isinstance(fields, dict) or (fields and _KINDS.isdisjoint(fields)):
        raise ValueError("the result of log_custom_fields_info or of log_custom_fields is needed")
    return {kind: names_in(fields.get(kind)) for kinds in CARRIERS.values() for kind in kinds}


def _jobs(given: Json) -> list[dict[str, Json]]:
    found = given
    if isinstance(given, dict):
        single = [given.get("job", given)] if not given or not _JOB.isdisjoint(given) else None
        found = given.get("jobs", single)
    if not isinstance(found, (list, tuple)) or not all(job is None or isinstance(job, dict) for job in found):
        raise ValueError("jobs: the result of logpush_job_info or of logpush_job, or a list of jobs, is needed")
    return [job for job in found if job]


def names_in(given: Json) -> list[str]:
    """Return the strings of a list; none of anything else."""
    return [name for name in given if isinstance(name, str)] if isinstance(given, (list, tuple)) else []


def _job(name: Json, number: Json) -> str:
    return f"'{name}'" if name else f"number {number}"


def _unselected_sentence(finding: Unselected, jobs: t.Sequence[t.Mapping[str, Json]]) -> str:
    names, field = ", ".join(finding["names"]), finding["field"]
    if not jobs:
        return f"{finding['kind']} ({names}) reach no log: there is no job of the dataset {DATASET} to carry them."
    looked_at = ", ".join(_job(job.get("name"), job.get("id")) for job in jobs)
    return f"{finding['kind']} ({names}) reach no log: no job that was looked at ({looked_at}) selects {field}."


def _unconfigured_sentence(finding: Unconfigured) -> str:
    job = _job(finding["job_name"], finding["job_id"])
    kinds = " or ".join(CARRIERS[finding["field"]])
    return f"Job {job} selects {finding['field']}, which stays empty: the zone has no {kinds}."


def select_custom_log_fields(job: Json, custom_fields: Json) -> dict[str, Json]:
    """Return the options of a job with the fields that contain the custom fields of each list that is not empty.

    They are added where the options already select fields: `output_options.field_names`, `logpull_options` or `fields`.
    """
    if not isinstance(job, dict):
        raise ValueError("the options of a Logpush job must be a dictionary, or its JSON text")
    if not isinstance(custom_fields, dict):
        raise ValueError("custom fields must be a dictionary of lists")
    carriers = carriers_of(custom_fields)
    if not carriers:
        return job
    output = job.get("output_options")
    if output is not None:
        if not isinstance(output, dict):
            return job  # the module refuses it
        return {**job, "output_options": {**output, "field_names": _merged(output.get("field_names"), carriers)}}
    if job.get("logpull_options") is not None:
        return {**job, "logpull_options": _with_text_fields(str(job["logpull_options"]), carriers)}
    return {**job, "fields": _merged(job.get("fields"), carriers)}


def carriers_of(custom_fields: t.Mapping[str, Json]) -> list[str]:
    """Return the fields of a job that contain the custom fields of these lists."""
    return [carrier for carrier, kinds in CARRIERS.items() if any(custom_fields.get(kind) for kind in kinds)]


def _with_text_fields(text: str, carriers: t.Sequence[str]) -> str:
    """Return the option string with the fields added; the other parameters keep their spelling."""
    missing = [name for name in carriers if name not in selected_fields({"logpull_options": text})]
    if not missing:
        return text
    plain = text.strip().lstrip("?")
    parameters = plain.split("&") if plain else []
    for position, parameter in enumerate(parameters):
        name, _equals, value = parameter.partition("=")
        if unquote(name).strip() == logpull_options.FIELDS:
            parameters[position] = f"{name}={','.join(filter(None, (value.rstrip(), *missing)))}"
            return "&".join(parameters)
    return "&".join([f"fields={','.join(missing)}", *parameters])


def _merged(own: Json, carriers: t.Sequence[str]) -> list[Json]:
    names: list[Json] = [*own.split(",")] if isinstance(own, str) else list_of(own)
    names = [name.strip() if isinstance(name, str) else name for name in names]
    return [name for name in names if name != ""] + [name for name in carriers if name not in names]
