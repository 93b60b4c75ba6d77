# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t
from types import MappingProxyType

from .._core import Json
from .._redact import clean_text
from .._text import dict_of, list_of
from . import logpull_options
from .facts import DATASET, EDGE

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
# The actions of a record template (a Go text/template), and one that is replaced by the value of a field.
_ACTION = re.compile(r"\{\{.*?(?:\}\}|\Z)", re.DOTALL)
_FIELD = re.compile(r"\{\{(?:-\s)?\s*\.(\w+)\s*(?:\s-)?\}\}")
_NONE: t.Mapping[str, t.Sequence[str]] = MappingProxyType({})
_JOB = frozenset(("job", "id", "name", "dataset", "logpull_options", "output_options"))


class Coverage(t.TypedDict, total=False):
    """The result of `log_field_coverage`; one that was written to a file and read again may have null in place of a list.

    `unselected` are the lists of custom fields of which it is not certain that a job delivers them, and the log field that would
    contain them: no job selects it, or only one in which something else decides.
    `unconfigured` are the log fields that a job selects and that stay empty.
    """

    arrives: bool
    unselected: list[dict[str, Json]] | None
    unconfigured: list[dict[str, Json]] | None
    sentences: list[Json] | None


def log_field_coverage(custom_fields: Json, jobs: Json, *, disabled: t.Mapping[str, t.Sequence[str]] = _NONE) -> Coverage:
    """Compare the custom log fields of a zone with the fields that its jobs select; `disabled` are those that no enabled rule has.

    Both may be whole module results. Jobs of other datasets are ignored, because they never contain custom fields.
    """
    configured = _configured(custom_fields)
    selected = [(job, selected_fields(job)) for job in _jobs(jobs) if dataset_of(job) in (None, DATASET)]
    unselected: list[dict[str, Json]] = []
    unconfigured: list[dict[str, Json]] = []
    sentences: list[str] = []
    live = {kind: [name for name in names if name not in disabled.get(kind, ())] for kind, names in configured.items()}
    for carrier, kinds in CARRIERS.items():
        is_live, deciding = any(live[kind] for kind in kinds), [job for job, fields in selected if carrier in fields]
        is_carried = any(not decided_by(job, carrier) for job in deciding)
        for kind in kinds:
            names, off = configured[kind], "" if live[kind] else "their rule is disabled"
            if is_carried:
                # Where nothing of a field is in effect, it stays empty, which is said of the job.
                names, off = [name for name in names if is_live and name not in live[kind]], "their rule is disabled"
            if not names:
                continue
            reasons = [off, "" if is_carried else _why(carrier, [job for job, _fields in selected], deciding)]
            verb = "are not known to reach a log" if deciding and not off else "reach no log"
            unselected.append({"kind": kind, "names": names, "field": carrier})
            sentences.append(f"{kind} ({', '.join(names)}) {verb}: {', and '.join(filter(None, reasons))}.")
    for job, fields in selected:
        for carrier, kinds in CARRIERS.items():
            is_configured = any(configured[kind] for kind in kinds)
            if carrier in fields and not any(live[kind] for kind in kinds):
                unconfigured.append({"job_id": job.get("id"), "job_name": job.get("name"), "field": carrier})
                why = "the rule of the custom fields is disabled" if is_configured else f"the zone has no {' or '.join(kinds)}"
                sentences.append(f"Job {_named(job)} selects {carrier}, which stays empty: {why}.")
    return {
        "arrives": not sentences,
        "unselected": unselected,
        "unconfigured": unconfigured,
        "sentences": list(map(clean_text, sentences)),
    }


def _why(carrier: str, jobs: t.Sequence[dict[str, Json]], deciding: t.Sequence[dict[str, Json]]) -> str:
    """Return why no job delivers a field for certain; `deciding` are those that select it."""
    if deciding:
        return f"{carrier} of job {_named(deciding[0])} is {decided_by(deciding[0], carrier)}"
    if not jobs:
        return f"there is no job of the dataset {DATASET} to carry them"
    return f"no job that was looked at ({', '.join(map(_named, jobs))}) selects {carrier}"


def dataset_of(job: t.Mapping[str, Json]) -> str | None:
    """Return the dataset of a job, as reported or as declared; None if the service does not show it.

    A declaration may omit its dataset. Results always have it, and have `destination` where options have `destination_conf`.
    """
    dataset = job.get("dataset")
    if isinstance(dataset, str) and dataset:
        return dataset
    return None if dataset or "destination" in job else DATASET


# What a job delivers is known only with all of these.
CONTENT = ("logpull_options", "output_options", "transformer_id")


def unreadable_content(job: t.Mapping[str, Json]) -> str:
    """Return the members of a reported job that cannot be read, and without which it is not known which fields it delivers; "" if there are none."""
    names = list_of(job.get("unreadable"))
    return " and ".join(name for name in names if isinstance(name, str) and name.partition(".")[0] in CONTENT)


def _named(job: t.Mapping[str, Json]) -> str:
    return f"'{job['name']}'" if job.get("name") else f"number {job.get('id')}"


def decided_by(job: t.Mapping[str, Json], field: str) -> str:
    """Return what decides whether a field that a job selects is delivered, "" if that it is selected is enough.

    The query of a transformer decides which fields are delivered, and whether a record is; a record template is the whole text of
    a record; what jobs of further kinds deliver is not documented, nor which of several lists of fields counts.
    """
    if dataset_of(job) is None:
        return "decided by the dataset of the job, which the service does not show"
    if transformer := job.get("transformer") or job.get("transformer_id"):
        return f"decided by transformer {transformer}"
    if job.get("kind") not in (None, "", EDGE):
        return f"decided by the kind {job['kind']!r} of the job"
    parameters = {} if job.get("output_options") else _parameters(job)
    if field not in logpull_options.certain_names(parameters) and logpull_options.FIELDS in logpull_options.repeated(parameters):
        return "decided by which of several lists of fields counts"
    template = dict_of(job.get("output_options")).get("record_template")
    return "decided by the record template" if template and field not in _named_in(template) else ""


def _named_in(template: Json) -> set[str]:
    """Return the fields that a record template names; none if it has anything else in braces, which may leave a field out."""
    actions = _ACTION.findall(template) if isinstance(template, str) else []
    names = [match[1] for action in actions if (match := _FIELD.fullmatch(action))]
    return set(names) if len(names) == len(actions) else set()


def lost_fields(before: t.Mapping[str, Json], after: t.Mapping[str, Json]) -> list[str]:
    """Return the fields that the job before delivers, as far as is known, and the job after does not for certain, sorted.

    A record template that is set or changed drops every field that it does not name, although the list of fields stays.
    """
    were, are = set(selected_fields(before)), set(selected_fields(after))
    was, template = (dict_of(job.get("output_options")).get("record_template") or "" for job in (before, after))
    if template == was:
        return sorted(were - are)
    # A template before that leaves open which fields it names may name them all.
    were &= (_named_in(was) or were) if was else were
    return sorted(were - (are & _named_in(template) if template else are))


def selected_fields(job: t.Mapping[str, Json]) -> list[str]:
    """Return the log fields that a job selects, as reported or as declared; the service ignores `logpull_options` beside `output_options`."""
    output = dict_of(job.get("output_options"))
    if output:
        return names_in(output.get("field_names"))
    return list(logpull_options.split_names(_parameters(job).get(logpull_options.FIELDS, "")))


def _parameters(job: t.Mapping[str, Json]) -> logpull_options.Parameters:
    text = job.get("logpull_options")
    return logpull_options.parse(text if isinstance(text, str) else None)


def _configured(value: Json) -> dict[str, list[str]]:
    fields = value.get("custom_fields", value) if isinstance(value, dict) else value
    if fields is None:
        fields = {}
    # The result of a task that failed or was skipped has no custom fields, which does not mean that the zone has none.
    if not isinstance(fields, dict) or (fields and _KINDS.isdisjoint(fields)):
        raise ValueError("the result of log_custom_fields_info or of log_custom_fields is needed")
    configured = {kind: fields.get(kind) for kinds in CARRIERS.values() for kind in kinds}
    given = {kind: names for kind, names in configured.items() if names not in (None, "")}
    wrong = [kind for kind, names in given.items() if not isinstance(names, (list, tuple)) or len(names_in(names)) < len(names)]
    if wrong:
        raise ValueError(f"{wrong[0]} must be a list of names")
    return {kind: names_in(names) for kind, names in configured.items()}


def _jobs(value: Json) -> list[dict[str, Json]]:
    jobs = value
    if isinstance(value, dict):
        single = [value.get("job", value)] if not value or not _JOB.isdisjoint(value) else None
        jobs = value.get("jobs", single)
    if not isinstance(jobs, (list, tuple)) or not all(job is None or isinstance(job, dict) for job in jobs):
        raise ValueError("jobs: the result of logpush_job_info or of logpush_job, or a list of jobs, is needed")
    return [job for job in jobs if job]


def names_in(value: Json) -> list[str]:
    """Return the strings of a list; none of anything else."""
    return [name for name in value if isinstance(name, str)] if isinstance(value, (list, tuple)) else []


def carriers_of(custom_fields: t.Mapping[str, t.Sequence[str]]) -> list[str]:
    """Return the fields of a job that contain the custom fields of these lists."""
    return [carrier for carrier, kinds in CARRIERS.items() if any(custom_fields.get(kind) for kind in kinds)]
