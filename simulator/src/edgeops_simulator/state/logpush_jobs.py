# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from edgeops_simulator.state.service import Service
from edgeops_simulator.state.zone import Document, Zone

# Every member of a job that a request may set, with its value where it was never set.
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
    "destination_conf": "",
    "max_upload_bytes": None,
    "max_upload_interval_seconds": None,
    "max_upload_records": None,
}
HEALTH: Document = {"last_complete": None, "last_error": None, "error_message": None}


def _settable(body: Document) -> Document:
    return {name: value for name, value in body.items() if name in DEFAULTS}


def create(service: Service, zone: Zone, body: Document) -> Document:
    given = {name: value for name, value in _settable(body).items() if value is not None}
    job = {"id": service.take_job_id(), **DEFAULTS, **given, **HEALTH}
    zone.jobs[job["id"]] = job
    return job


def update(job: Document, body: Document) -> Document:
    """PUT merges the top level; `output_options` is replaced as a whole; null means the default again."""
    for name, value in _settable(body).items():
        job[name] = DEFAULTS[name] if value is None else value
    return job
