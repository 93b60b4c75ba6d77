# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import typing as t

from ...module_utils._address import SCOPES, ZONE
from ...module_utils._core import Json
from ...module_utils._schema import Rules, completed, named
from ...module_utils._text import plain_id
from ...module_utils._zone.told import ToldAlert
from .facts import KINDS, MANAGED, PARTS_AUDITED, RESOURCES, SEVERITIES, STATUSES, UNAUDITED

# The report as a document. These types are also its JSON Schema: `scripts/schema.py` writes it to extensions/schemas. A member with a
# default came with a later minor version, or is omitted by other tools.

SCHEMA_VERSION = "1.0"

# Objects that come from the results of other modules, and that the report only copies or shows.
Copied = dict[str, Json]
Number = t.Annotated[int, Rules(minimum=0)]
Time = t.Annotated[
    str,
    Rules(
        "RFC 3339; written in UTC with seconds.",
        pattern=r"^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$",
    ),
]
Id = t.Annotated[
    str,
    Rules(
        "The first 16 hexadecimal digits of SHA-256 over zone_id (or account_id), kind, resource, subject and member.",
        pattern="^[0-9a-f]{16}$",
    ),
]
NonEmpty = t.Annotated[str, Rules(minLength=1)]
Status = t.Annotated[str, Rules(enum=list(STATUSES))]
Severity = t.Annotated[str, Rules(enum=list(SEVERITIES))]


# One difference, finding or note of a zone; a class cannot have a member of the name "is".
Item = t.TypedDict(
    "Item",
    {
        "id": Id,
        "kind": t.Annotated[str, Rules(enum=list(KINDS))],
        "type": t.Annotated[NonEmpty, Rules("The type of finding or note, or difference.")],
        "resource": t.Annotated[str, Rules(enum=list(RESOURCES))],
        "subject": "str | None",
        "member": "str | None",
        "severity": Severity,
        "message": t.Annotated[str, Rules("What is, and what should be.")],
        "is": Json,
        "should_be": Json,
        "first_seen": Time,
        "waived": bool,
        "carried": t.Annotated[
            bool,
            Rules("Taken over from an earlier report, because this run did not look; counts nowhere.", default=False),
        ],
    },
)


class Counts(t.TypedDict):
    """Hosts by scope and by status; items of this run that are not waived, by kind and by severity, and those that are."""

    zones: Number
    accounts: Number
    statuses: t.Annotated[dict[str, int], Rules("Zones and accounts, each in one.", **named(STATUSES, Number))]
    differences: Number
    findings: Number
    notes: Number
    severities: t.Annotated[dict[str, int], Rules("Differences and findings, by severity.", **named(SEVERITIES, Number))]
    waived: Number


_COUNTS = Rules("Zones and accounts of this run, and items that are neither waived nor carried; waived items.")


class Gap(t.TypedDict):
    """A part of a zone or an account that was not audited; `jobs` is how many of its jobs that concerns, None for a part that is not of jobs.

    `asked`: this run was to judge it, and could not.
    """

    part: t.Annotated[str, Rules("What was not audited.", enum=list(PARTS_AUDITED))]
    jobs: t.Annotated[int | None, Rules("Null where the part is no part of jobs.")]
    reason: str
    asked: t.Annotated[bool, Rules("Whether this run was to judge it, and could not.")]


class NotAudited(t.TypedDict):
    """A part that was not audited, in how many zones and accounts and of how many jobs, for one reason."""

    part: t.Annotated[str, Rules("What was not audited.", enum=list(PARTS_AUDITED))]
    jobs: t.Annotated[int | None, Rules("Null where the part is no part of jobs.")]
    reason: str
    zones: t.Annotated[Number, Rules("Zones and accounts.")]


class _ErrorKind(t.TypedDict):
    kind: str
    message: str


class RowError(_ErrorKind, total=False):
    """Why a zone or account could not be audited, or not all of it."""

    permission: t.Annotated[str | None, Rules("What the token lacks, where that is the reason.")]


class JobRow(t.TypedDict):
    """A Logpush job of a zone or account."""

    job: str
    job_id: t.Annotated[int | None, Rules(default=None)]
    dataset: t.Annotated[str | None, Rules(default=None)]
    destination: t.Annotated[Copied | None, Rules("Scheme, address and readable options.", default=None)]
    filter_explained: t.Annotated[str | None, Rules("The filter as a sentence.", default=None)]
    transformer: t.Annotated[str | None, Rules("Name of the transformer; null where it was not read.", default=None)]
    transformer_id: t.Annotated[int | None, Rules("Id of the transformer; null without one.", default=None)]
    personal_fields: t.Annotated[
        list[str] | None,
        Rules("Selected fields that identify persons; null where that is not known.", default=None),
    ]
    health: str
    last_complete: str | None


class ScriptRow(t.TypedDict):
    """A script that the audit saw, with the entry of the baseline that covers it."""

    script_url: Json
    host: Json
    entry: Json


class Judged(t.TypedDict):
    """Of which subjects something was observed: of all, or of `only` some, and not of those of `but`."""

    only: t.Annotated[list[str] | None, Rules("Null where there is no such limit.")]
    but: list[str]


class PageRow(t.TypedDict):
    """How a payment page was read: where it led, when, from what, and which headers were compared."""

    page: str
    led_to: t.Annotated[str, Rules("The final URL.")]
    seen_at: t.Annotated[str, Rules("When it was fetched, or recorded.")]
    source: str
    entry: str | None
    headers: list[str]


class Row(t.TypedDict):
    """A zone or account of the report; null members were not read."""

    zone: NonEmpty
    zone_id: str | None
    account_id: t.Annotated[
        str | None, Rules("Of an account in place of zone_id; of a zone the account that it belongs to.", default=None)
    ]
    scope: t.Annotated[str, Rules(enum=list(SCOPES), default=ZONE)]
    account_name: t.Annotated[
        str | None, Rules("The name of the account, or of the account that the zone belongs to.", default=None)
    ]
    status: Status
    audited_at: t.Annotated[Time | None, Rules("When the zone was last audited.")]
    plan_ids: t.Annotated[dict[str, str | None], Rules("Null where a resource is left alone.", **named(MANAGED, str | None))]
    items: list[Item]
    error: t.Annotated[RowError | None, Rules("Why the zone could not be audited, or not all of it.")]
    evidence: t.Annotated[
        Copied | None, Rules("seq and head of the evidence of scripts, and as pages those of the evidence of pages.")
    ]
    delivery: t.Annotated[
        list[Copied] | None, Rules("What was delivered and lost, a row for each job; null if not read.", default=None)
    ]
    budget: t.Annotated[
        Copied | None, Rules("Cost of an account so far, projected and allowed; null if not asked for.", default=None)
    ]
    proposals: t.Annotated[
        list[Copied] | None, Rules("Entries for the baseline of scripts; null if scripts were not audited.", default=None)
    ]
    carried: t.Annotated[bool, Rules("The zone was not part of this run; its row is that of its last audit.", default=False)]
    resources: t.Annotated[list[str], Rules("What was looked at.", default=[])]
    jobs: t.Annotated[
        list[JobRow] | None,
        Rules("Of an unaudited zone they may be those of its last audit; null where jobs were not read.", default=None),
    ]
    inventory: t.Annotated[
        list[ScriptRow] | None,
        Rules("Scripts with the entry of the baseline; null where scripts were not audited.", default=None),
    ]
    not_audited: t.Annotated[list[Gap] | None, Rules("What of it was not audited.", default=None)]
    pages: t.Annotated[list[PageRow] | None, Rules("How payment pages were read; null where none were audited.", default=None)]
    judged: t.Annotated[
        dict[str, Judged],
        Rules(
            "What was observed, by its name: an item that is missing without the observation it needs is not resolved.",
            default={},
        ),
    ]


class Comparison(t.TypedDict):
    """The ids of items by what became of them since the previous report."""

    previous_id: t.Annotated[str | None, Rules("report_id of the previous report.")]
    new: t.Annotated[list[Id], Rules(uniqueItems=True)]
    resolved: t.Annotated[list[Id], Rules(uniqueItems=True)]
    changed: t.Annotated[list[Id], Rules(uniqueItems=True)]
    persisting: t.Annotated[list[Id], Rules(uniqueItems=True)]
    unknown: t.Annotated[list[Id], Rules("Not looked at by this run.", uniqueItems=True)]


class WaiverRow(t.TypedDict):
    """A waiver with the ids of the items that it covers; an omitted pattern is None."""

    zone: t.Annotated[str | None, Rules(default=None)]
    resource: t.Annotated[str | None, Rules(default=None)]
    type: t.Annotated[str | None, Rules(default=None)]
    member: t.Annotated[str | None, Rules(default=None)]
    subject: t.Annotated[str | None, Rules(default=None)]
    reason: t.Annotated[str, Rules(pattern=r"\S")]
    owner: t.Annotated[str, Rules(pattern=r"\S")]
    until: t.Annotated[str, Rules(format="date")]
    expired: t.Annotated[bool, Rules(default=False)]
    items: t.Annotated[list[Id], Rules("Items that it names.", uniqueItems=True, default=[])]


class TrendEntry(t.TypedDict):
    """The counts of an earlier report."""

    at: Time
    counts: t.Annotated[Counts, _COUNTS]


class Report(t.TypedDict):
    """The report; its id is the digest of everything else."""

    schema_version: t.Annotated[str, Rules("Major and minor version.", pattern=r"^1\.\d+$")]
    report_id: t.Annotated[str, Rules("Digest of everything else in the report.")]
    generated_at: Time
    collection_version: str
    title: str
    outcome: t.Annotated[Status, Rules("The first of the statuses that a zone or account has.")]
    counts: t.Annotated[Counts, _COUNTS]
    plan_id: t.Annotated[
        str | None,
        Rules(
            "SHA-256 over the sorted lines 'zone_id resource plan_id'; null if a zone is unaudited.",
            pattern="^sha256:[0-9a-f]{64}$",
        ),
    ]
    zones: t.Annotated[list[Row], Rules("Sorted by name.")]
    comparison: t.Annotated[Comparison, Rules("Ids of items by what became of them since the previous report.")]
    waivers: list[WaiverRow]
    trend: t.Annotated[list[TrendEntry], Rules("Counts of earlier reports, the oldest first.", default=[])]
    not_audited: t.Annotated[list[NotAudited], Rules("What was not audited, and why.", default=[])]
    alerts: t.Annotated[
        list[ToldAlert],
        Rules("Who is told: by account and type of alert, the policies and the hosts they cover.", default=[]),
    ]


# The row of a zone that was not audited.
NOTHING = completed(
    Row,
    {
        **dict.fromkeys(("zone_id", "audited_at", "error", "evidence")),
        "zone": "",
        "status": UNAUDITED,
        "plan_ids": dict.fromkeys(MANAGED),
        "items": [],
    },
)


def address(row: Row) -> str | None:
    """Return the id of the zone or account of a row."""
    return row["zone_id"] if row["scope"] == ZONE else row["account_id"]


def identity(row: Row) -> str | None:
    """Return the id of the zone or account of a row as it is compared, whatever its spelling."""
    number = address(row)
    return plain_id(number) if number else None


def fleet_plan_id(plans: t.Iterable[tuple[str | None, t.Mapping[str, str | None]]]) -> str:
    """Return one digest of the plans of several zones, each given with its id and its plan ids by resource."""
    lines = sorted(f"{owner} {resource} {plan}" for owner, ids in plans for resource, plan in ids.items() if plan)
    return "sha256:" + hashlib.sha256("\n".join(lines).encode(errors="surrogatepass")).hexdigest()
