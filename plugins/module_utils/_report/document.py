# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import Json

# The report as a document: the types of what earlier.REPORT describes as JSON Schema.

# Zones by status and items by kind.
Counts = t.Mapping[str, int]
# Members of objects that come from the results of other modules, and that the report only copies.
Copied = dict[str, Json]


# One difference, finding or note of a zone; a class cannot have a member of the name "is".
Item = t.TypedDict(
    "Item",
    {
        "id": str,
        "kind": str,
        "type": str,
        "resource": str,
        "subject": "str | None",
        "member": "str | None",
        "severity": str,
        "message": str,
        "is": Json,
        "should_be": Json,
        "first_seen": str,
        "waived": bool,
        "carried": bool,
    },
)


class _JobNumber(t.TypedDict, total=False):
    # Reports of the first versions lack it.
    job_id: int | None


class JobRow(_JobNumber):
    """A Logpush job of a zone."""

    job: str
    health: str
    last_complete: str | None


class ScriptRow(t.TypedDict):
    """A script of a zone, and the entry of the baseline that covers it."""

    script_url: Json
    host: Json
    entry: Json


class Row(t.TypedDict):
    """A zone or account of the report; null members were not read."""

    zone: str
    zone_id: str | None
    account_id: str | None
    scope: str
    status: str
    audited_at: str | None
    plan_ids: dict[str, str | None]
    items: list[Item]
    error: dict[str, str] | None
    evidence: Copied | None
    delivery: list[Copied] | None
    proposals: list[Copied] | None
    carried: bool
    resources: list[str]
    jobs: list[JobRow] | None
    inventory: list[ScriptRow] | None


# The changes of an item since the previous report.
Change = t.Literal["new", "resolved", "changed", "persisting", "unknown"]


class Comparison(t.TypedDict):
    """The ids of items by what became of them since the previous report."""

    previous_id: str | None
    new: list[str]
    resolved: list[str]
    changed: list[str]
    persisting: list[str]
    unknown: list[str]


class GivenWaiver(t.TypedDict):
    """A waiver as the user gave it; an omitted pattern is None."""

    zone: str | None
    resource: str | None
    type: str | None
    member: str | None
    subject: str | None
    reason: str
    owner: str
    until: str


class WaiverRow(GivenWaiver):
    """A waiver with the ids of the items that it covers."""

    expired: bool
    items: list[str]


class TrendEntry(t.TypedDict):
    """The counts of an earlier report."""

    at: str
    counts: Counts


class Content(t.TypedDict):
    """A report without its id, which is computed from everything else."""

    schema_version: str
    generated_at: str
    collection_version: str
    title: str
    outcome: str
    counts: Counts
    plan_id: str | None
    zones: list[Row]
    comparison: Comparison
    waivers: list[WaiverRow]
    trend: list[TrendEntry]


class Report(Content):
    """The report."""

    report_id: str
