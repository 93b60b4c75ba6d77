# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Findings and notes of a zone: the health of its jobs, its scripts, the coverage of its custom fields, required log fields.
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.coverage import DATASET, selected_fields
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.label import Identity, labels
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import FINDING, NOTE, SCRIPT_SEVERITIES
from ansible_collections.edgeops.observability.plugins.module_utils._report.items import Observation, compact
from ansible_collections.edgeops.observability.plugins.module_utils._report.text import distinct

Job = t.Mapping[str, Json]


def labelled(jobs: t.Sequence[Job]) -> list[tuple[str, Job]]:
    """Each job with its label, as a difference of the job has it."""
    identities = [Identity(str(job.get("name") or ""), job.get("dataset") or DATASET, job.get("id")) for job in jobs]
    return list(zip(distinct(labels(identities)), jobs, strict=True))


def health(jobs: t.Sequence[Job]) -> t.Iterator[Observation]:
    """Jobs that fail, that the service disabled, that never delivered, or whose last delivery is old."""
    for label, job in labelled(jobs):
        state = health_state(job)
        reason = str((job.get("health") or {}).get("message") or job.get("error_message") or "")
        if state == "failing":
            yield Observation(FINDING, "health", label, state, "high", reason or "its last delivery failed")
        elif state == "disabled" and job.get("error_message"):
            yield Observation(FINDING, "health", label, state, "high", reason or "the service disabled it")
        elif state == "never":
            yield Observation(NOTE, "health", label, state, "info", "the job has not delivered anything yet")
        elif state == "stale":
            when = job.get("last_complete")
            yield Observation(NOTE, "health", label, state, "low", f"the last delivery was at {when}; a quiet zone may be fine")


def health_state(job: Job) -> str:
    """The state that `logpush_job_info` reports for a job."""
    state = (job.get("health") or {}).get("state")
    return state if isinstance(state, str) else "unknown"


def scripts(audit: t.Mapping[str, Json]) -> t.Iterator[Observation]:
    """The findings of `script_audit`; an entry of the baseline that matches nothing is a note."""
    for found in audit.get("findings") or ():
        kind = str(found.get("kind"))
        subject = compact([found.get("script_url"), found.get("host"), found.get("entry")])
        severity = SCRIPT_SEVERITIES.get(kind, "high")
        message = str(found.get("message") or kind)
        yield Observation(NOTE if kind == "unused" else FINDING, "scripts", subject, kind, severity, message)


def coverage(found: t.Mapping[str, Json], jobs: t.Sequence[Job]) -> t.Iterator[Observation]:
    """The notes of `log_field_coverage`: custom fields that no job delivers, and fields of jobs that stay empty."""
    unselected, unconfigured = list(found.get("unselected") or ()), list(found.get("unconfigured") or ())
    sentences = [str(sentence) for sentence in found.get("sentences") or ()]
    sentences += ["does not fit"] * (len(unselected) + len(unconfigured) - len(sentences))
    called = {compact([job.get("name"), job.get("id")]): label for label, job in labelled(jobs)}
    for part, sentence in zip(unselected, sentences, strict=False):
        yield Observation(NOTE, "coverage", None, str(part.get("kind")), "low", sentence)
    for part, sentence in zip(unconfigured, sentences[len(unselected) :], strict=False):
        job = {"name": part.get("job_name"), "id": part.get("job_id"), "dataset": DATASET}
        label = called.get(compact([job["name"], job["id"]])) or labelled([job])[0][0]
        yield Observation(NOTE, "coverage", label, str(part.get("field")), "low", sentence)


def required(fields: t.Mapping[str, t.Sequence[str]], jobs: t.Sequence[Job] | None) -> t.Iterator[Observation]:
    """Log fields that no enabled job without a filter delivers, although the user requires them."""
    for dataset, names in sorted(fields.items()):
        complete = [job for job in jobs or () if _delivers_all(job, dataset)]
        delivered = {name for job in complete for name in selected_fields(job)}
        reason = "the jobs of the zone were not read" if jobs is None else "no enabled job without a filter delivers it"
        for name in sorted(set(names) - delivered):
            yield Observation(FINDING, "fields", dataset, name, "medium", f"{name} of {dataset} is required: {reason}")


def _delivers_all(job: Job, dataset: str) -> bool:
    return (job.get("dataset") or DATASET) == dataset and job.get("enabled") is True and not job.get("filter")
