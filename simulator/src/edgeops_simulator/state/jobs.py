# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
import typing as t

from edgeops_simulator import clock
from edgeops_simulator.state.part import Document, JobIds, Part, Table, need

# The members of a job that requests can set, with their defaults.
DEFAULTS: Document = {
    "name": None,
    "dataset": "http_requests",
    "enabled": False,
    "kind": "",
    "frequency": "high",
    "logpull_options": None,
    "output_options": None,
    "filter": None,
    "filter_attack_traffic": None,
    "merge_subrequests": None,
    "transformer_id": None,
    "destination_conf": "",
    "max_upload_bytes": None,
    "max_upload_interval_seconds": None,
    "max_upload_records": None,
}
HEALTH: Document = {"last_complete": None, "last_error": None, "error_message": None}


class Jobs(Table):
    """The Logpush jobs of a zone or an account, by id."""

    members: t.ClassVar[t.Mapping[str, type]] = {
        "id": int,
        "logpull_options": str,
        "output_options": dict,
        "destination_conf": str,
    }

    def add(self, ids: JobIds, item: Document, index: int) -> None:
        job_id = item.get("id") or ids.take()
        ids.skip(job_id)
        self[job_id] = {"id": job_id, **DEFAULTS, **HEALTH, **copy.deepcopy(item)}


class Fields(Part):
    """The fields of datasets that differ from the default ones, by dataset."""

    @classmethod
    def load(cls, ids: JobIds, document: t.Any, place: str) -> Fields:
        made = super().load(ids, document, place)
        for dataset, fields in made.items():
            need(dict, fields, f"{place}.{dataset}")
        return made


def _settable(body: Document, more: t.Collection[str]) -> Document:
    return {name: value for name, value in body.items() if name in DEFAULTS or name in more}


def create(jobs: Jobs, ids: JobIds, body: Document, more: t.Collection[str]) -> Document:
    """Add a job; `more` are the members that requests can set besides those with a default."""
    members = {name: value for name, value in _settable(body, more).items() if value is not None}
    job = {"id": ids.take(), **DEFAULTS, **members, **HEALTH, "time_created": clock.stamp_seconds()}
    jobs[job["id"]] = job
    return job


def update(job: Document, body: Document, more: t.Collection[str]) -> Document:
    """PUT merges the top level; `output_options` is replaced as a whole; null resets a member to its default."""
    for name, value in _settable(body, more).items():
        job[name] = DEFAULTS.get(name) if value is None else value
    return job
