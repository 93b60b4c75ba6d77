# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t

from .._core import JOBS, PARTS, Json, ReportedEffect
from .._difference import DELETE, UPDATE, Difference, of_part
from .._logpush.coverage import Coverage

# What reports and deliveries use of the result of `zone_observability`; they may read it from a file or from a playbook. Members of the
# type Json are looked at before they are used.


class ReportedJob(t.TypedDict, total=False):
    """A Logpush job as `logpush_job_info` returns it."""

    id: Json
    name: Json
    dataset: Json
    enabled: Json
    kind: Json
    destination: Json
    filter: Json
    filter_attack_traffic: Json
    logpull_options: Json
    output_options: Json
    transformer: Json
    transformer_id: Json
    error_message: Json
    last_complete: Json
    undeclared: Json
    health: dict[str, Json] | None


class Diff(t.TypedDict, total=False):
    """Both sides of a difference."""

    before: dict[str, Json] | None
    after: dict[str, Json] | None


class ManagedPart(t.TypedDict, total=False):
    """The result of the module for one managed resource."""

    plan_id: str | None
    diff: Diff | None
    changed: Json
    effects: list[ReportedEffect] | None
    custom_fields: Json
    script_monitor: Json
    jobs: list[ReportedJob | None] | None
    unlisted_jobs: list[ReportedJob] | None
    content_security_rules: list[dict[str, Json] | None] | None
    unlisted_rules: list[dict[str, Json]] | None
    violations: Json
    undeclared: Json


class ZoneResult(t.TypedDict, total=False):
    """The result of `zone_observability`."""

    changed: Json
    custom_fields: ManagedPart | None
    jobs: ManagedPart | None
    script_monitor: ManagedPart | None
    content_security_rules: ManagedPart | None
    refusals: list[dict[str, Json]] | None
    listed_jobs: list[ReportedJob] | None
    coverage: Coverage | None
    effects: list[ReportedEffect] | None


def differences_of(result: ZoneResult, reasons: t.Mapping[str, str] = types.MappingProxyType({})) -> list[Difference]:
    """Return what differs in the managed parts of a zone; `reasons`: why the service disabled jobs, by their labels."""
    differences = [difference for resource in PARTS for difference in _of(resource, result.get(resource) or {})]
    subjects = {difference.subject for difference in differences if difference.resource == JOBS}
    # A job that is refused because it delivers elsewhere differs, also where the diff does not have it.
    differences += [
        Difference(JOBS, str(refusal["job"]), str(refusal.get("member")), UPDATE, refusal.get("is"), refusal.get("should_be"))
        for refusal in result.get("refusals") or ()
        if refusal.get("job") is not None and refusal["job"] not in subjects
    ]
    stopped: dict[tuple[str, ...], str] = {(JOBS, label, "enabled"): reason for label, reason in reasons.items()}
    return [
        difference._replace(reason=stopped.get((difference.resource, str(difference.subject), str(difference.path))))
        for difference in differences
    ]


def deleted_jobs(part: ManagedPart) -> set[str | None]:
    """Return the labels of the jobs that are deleted."""
    return {difference.subject for difference in _of(JOBS, part) if difference.path is None and difference.action == DELETE}


def _of(resource: str, part: ManagedPart) -> list[Difference]:
    diff = part.get("diff") or {}
    return of_part(resource, diff.get("before"), diff.get("after"), bool(part.get("changed")))
