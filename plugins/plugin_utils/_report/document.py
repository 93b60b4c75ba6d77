# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._address import ZONE
from ...module_utils._core import Json
from ...module_utils._zone.told import ToldAlert
from .facts import MANAGED, UNAUDITED

# The report as a document: the types of what earlier.REPORT describes as JSON Schema.

SCHEMA_VERSION = "1.0"

# Objects that come from the results of other modules, and that the report only copies or shows.
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


class Counts(t.TypedDict):
    """Hosts by scope and by status; items of this run that are not waived, by kind and by severity, and those that are."""

    zones: int
    accounts: int
    statuses: dict[str, int]
    differences: int
    findings: int
    notes: int
    severities: dict[str, int]
    waived: int


class Gap(t.TypedDict):
    """A part of a zone or an account that was not audited; `jobs` is how many of its jobs that concerns, None for a part that is not of jobs.

    `asked`: this run was to judge it, and could not.
    """

    part: str
    jobs: int | None
    reason: str
    asked: bool


class NotAudited(t.TypedDict):
    """A part that was not audited, in how many zones and accounts and of how many jobs, for one reason."""

    part: str
    zones: int
    jobs: int | None
    reason: str


class Row(t.TypedDict):
    """A zone or account of the report; null members were not read."""

    zone: str
    zone_id: str | None
    account_id: str | None
    scope: str
    account_name: str | None
    status: str
    audited_at: str | None
    plan_ids: dict[str, str | None]
    items: list[Item]
    error: dict[str, str] | None
    evidence: Copied | None
    delivery: list[Copied] | None
    budget: Copied | None
    proposals: list[Copied] | None
    carried: bool
    resources: list[str]
    jobs: list[Copied] | None
    inventory: list[Copied] | None
    not_audited: list[Gap] | None


# The row of a zone that was not audited.
NOTHING = t.cast(
    "Row",
    dict.fromkeys(Row.__annotations__)
    | {"zone": "", "scope": ZONE, "status": UNAUDITED, "plan_ids": dict.fromkeys(MANAGED)}
    | {"items": [], "resources": [], "carried": False},
)


class Comparison(t.TypedDict):
    """The ids of items by what became of them since the previous report."""

    previous_id: str | None
    new: list[str]
    resolved: list[str]
    changed: list[str]
    persisting: list[str]
    unknown: list[str]


class WaiverRow(t.TypedDict):
    """A waiver with the ids of the items that it covers; an omitted pattern is None."""

    zone: str | None
    resource: str | None
    type: str | None
    member: str | None
    subject: str | None
    reason: str
    owner: str
    until: str
    expired: bool
    items: list[str]


class TrendEntry(t.TypedDict):
    """The counts of an earlier report."""

    at: str
    counts: Counts


class Report(t.TypedDict):
    """The report; its id is the digest of everything else."""

    schema_version: str
    report_id: str
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
    not_audited: list[NotAudited]
    alerts: list[ToldAlert]


def address(row: Row) -> str | None:
    """Return the id of the zone or account of a row."""
    return row["zone_id"] if row["scope"] == ZONE else row["account_id"]
