# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._core import Json
from ...module_utils._logpush.coverage import dataset_of, selected_fields
from ...module_utils._logpush.regions import boundary_of
from ...module_utils._logpush.used_fields import datasets_of, used_fields
from ...module_utils._observed import Known, Observed, Unknown
from ...module_utils._text import dict_of
from ...module_utils._zone.result import ReportedJob
from .findings import labelled
from .items import Problem, problem

# What a job asks for and no longer gets, without an error: fields that its dataset lost, and datasets that a region does not deliver.


def removed(fields: Observed[dict[str, Json]], jobs: t.Sequence[ReportedJob]) -> t.Iterator[Problem]:
    """Yield each field that a job selects or compares and its dataset does not have; a disabled job is not looked at."""
    if not isinstance(fields, Known):
        return
    known: dict[str, t.Mapping[str, Json]] = {}
    for dataset in datasets_of(jobs):
        result = dict_of(fields.value.get(dataset))
        names = dict_of(result.get("fields"))
        if result.get("failed") or not names:
            reason = str(result.get("msg") or "the service lists none")
            yield problem("not_readable", dataset, f"the fields of {dataset} could not be read: {reason}", resource="fields")
        else:
            known[dataset] = names
    for label, job in labelled(jobs):
        if job.get("enabled") is not False:
            yield from _of_job(label, job, known)


def _of_job(label: str, job: ReportedJob, known: t.Mapping[str, t.Mapping[str, Json]]) -> t.Iterator[Problem]:
    """Yield the fields that a job asks for and its dataset does not have, or that this is not known; `known` are the fields of datasets."""
    dataset, used, selected = dataset_of(job), used_fields(job), selected_fields(job)
    if dataset is None or isinstance(used, Unknown):
        reason = used.message if isinstance(used, Unknown) else "the service does not show its dataset"
        yield problem(
            "not_readable", label, f"which fields the job delivers and compares is not known: {reason}", resource="fields"
        )
    names = sorted(set(selected)) if isinstance(used, Unknown) else used.value
    fields = None if dataset is None else known.get(dataset)
    if fields is None:
        return
    # Filters are documented for fields. No source says what the service makes of a member of one, as in `RequestHeaders.x-team`.
    members = [name for name in names if name not in (*fields, *selected) and name.partition(".")[0] in fields]
    if members:
        text = f"the job filters by {', '.join(members)}, which is no field of {dataset} but a member of one: whether a record meets that is not known"
        yield problem("not_readable", label, text, resource="fields")
    for name in names:
        if name not in fields and name not in members:
            verb = "selects" if name in selected else "filters by"
            text = f"the job {verb} {name}, which {dataset} does not have any more, so that it is missing in what is delivered"
            yield problem("field_removed", label, text, member=name)


def outside_region(boundary: Observed[dict[str, Json]], jobs: t.Sequence[ReportedJob]) -> t.Iterator[Problem]:
    """Yield each job that can never deliver, because the region of its account does not support its dataset."""
    if not isinstance(boundary, Known):
        return
    region = boundary_of(boundary.value)
    for label, job in labelled(jobs):
        dataset = dataset_of(job)
        if job.get("enabled") is not False and dataset and region.lacks(dataset):
            text = f"the account keeps its data in the region {str(region.region).upper()}, which delivers nothing of {dataset}, without an error"
            yield problem("region_gap", label, text)
