# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from .._core import Json
from .._logpush.coverage import DATASET, log_field_coverage, selected_fields
from .facts import NOTE, PERSONAL_FIELDS
from .findings import Job, labelled
from .items import Observation, found
from .options import Record

# What can be said about zones of which nothing is declared, and about the destinations of all of them together.


class Destinations:
    """The zones of each account by the host or bucket to which their jobs deliver."""

    def __init__(self, records: t.Iterable[Record]) -> None:
        self._zones: dict[str | None, dict[str, set[str]]] = collections.defaultdict(lambda: collections.defaultdict(set))
        for record in records:
            for job in record.jobs or ():
                target = _target(job)
                if target:
                    self._zones[record.account_id][target].add(record.zone)

    def is_single(self, account: str | None, target: str) -> bool:
        """Whether one zone alone delivers there, while others of the account share a destination."""
        return len(self._zones[account][target]) == 1 and max(map(len, self._zones[account].values())) > 1

    def is_usual(self, account: str | None, target: str) -> bool:
        """Whether no destination of the account is used by more zones than this one."""
        return len(self._zones[account][target]) == max(map(len, self._zones[account].values()))


def survey(record: Record, destinations: Destinations) -> t.Iterator[Observation]:
    """Notes on a zone of which nothing is declared; findings about jobs and scripts are those of any audit."""
    for resource, message in record.unreadable:
        yield found("not_readable", None, message, resource=resource)
    if record.jobs is not None and all(job.get("enabled") is False for job in record.jobs):
        reason = "every Logpush job of it is disabled" if record.jobs else "no Logpush job delivers logs of it"
        yield found("no_job", None, reason)
    monitor = ((record.result or {}).get("script_monitor") or {}).get("script_monitor")
    if isinstance(monitor, dict) and monitor.get("enabled") is False:
        yield found("monitor_off", None, "the script monitor is disabled", resource="script_monitor", kind=NOTE)
    for label, job in labelled(record.jobs or ()):
        target = _target(job)
        if target:
            yield from _of_destination(label, job, target, record.account_id, destinations)


def covered(record: Record) -> dict[str, Json] | None:
    """What `log_field_coverage` says of a record, where custom fields and jobs were read."""
    fields = ((record.result or {}).get("custom_fields") or {}).get("custom_fields")
    if record.coverage is not None or record.jobs is None or not isinstance(fields, dict):
        return record.coverage
    return log_field_coverage(fields, record.jobs)


def _of_destination(
    label: str, job: Job, target: str, account: str | None, destinations: Destinations
) -> t.Iterator[Observation]:
    if destinations.is_single(account, target):
        yield found("single_destination", label, f"no other zone delivers to {target}")
    personal = PERSONAL_FIELDS.get(job.get("dataset") or DATASET, frozenset()).intersection(selected_fields(job))
    if personal and job.get("enabled") is True and not destinations.is_usual(account, target):
        names = ", ".join(sorted(personal))
        yield found("personal_data", label, f"delivers {names} to {target}, which is not where most zones deliver")


def _target(job: Job) -> str:
    """The scheme with the host or bucket of a job's destination; empty where it is not shown."""
    public = job.get("destination")
    if not isinstance(public, dict) or not public.get("scheme") or not public.get("address"):
        return ""
    host = str(public["address"]).rpartition("@")[2].partition("/")[0]
    return f"{public['scheme']}://{host}" if host else ""
