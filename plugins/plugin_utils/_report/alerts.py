# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from ...module_utils._address import ZONE
from ...module_utils._zone.told import NOT, PERHAPS, Gap, ToldAlert, ToldPolicy
from .._words import MIN_FOLDED, hosts_such_as
from .document import Row
from .facts import INFO
from .items import Problem, problem

# Who is told: the notes about alerts that reach nobody, and the table of the report.

# The notes of each host, by its scope and name.
Notes = t.Mapping[tuple[str, str], t.Sequence[Problem]]


def notes_of(gaps: t.Iterable[Gap]) -> Notes:
    """Return the notes about alerts that reach nobody, or perhaps nobody, or of which that is not known."""
    notes: dict[tuple[str, str], list[Problem]] = collections.defaultdict(list)
    for gap in gaps:
        if gap.degree in (NOT, PERHAPS):
            note = problem("no_alert", gap.alert, gap.message)
            note = note if gap.degree == NOT else note._replace(severity=INFO)
        else:
            note = problem("not_readable", gap.alert, gap.message, resource="notifications")
        notes[gap.scope, gap.host].append(note)
    return notes


class Used(t.NamedTuple):
    """Where the used row of a host is from: the place of its report, and whether that audit says how the host is now."""

    report: int
    is_current: bool


def merged(tables: t.Sequence[t.Sequence[ToldAlert]], used: t.Mapping[str, t.Sequence[Used]]) -> list[ToldAlert]:
    """Return the tables of several reports as one: what the report says of a host whose row is used.

    `used` are the rows by the names of their hosts, which several may have. Of an audit that is too old it is not known who is told.
    """
    alerts: dict[tuple[str, str], ToldAlert] = {}
    degrees: dict[tuple[str, str], dict[str, str]] = collections.defaultdict(dict)
    for place, table in enumerate(tables):
        for alert in table:
            key = (alert["account_id"], alert["alert_type"])
            alerts.setdefault(key, alert)
            # The worst comes last, because it counts.
            for degree in ("covered", "perhaps", "uncovered"):
                for host in alert[degree]:
                    rows = [row for row in used.get(host, ()) if row.report == place]
                    if rows:
                        degrees[key][host] = degree if all(row.is_current for row in rows) or degree == "uncovered" else "perhaps"
    return [{**alerts[key], **_by_degree(degrees[key])} for key in sorted(alerts)]


class _Degrees(t.TypedDict):
    covered: list[str]
    perhaps: list[str]
    uncovered: list[str]


def _by_degree(degrees: t.Mapping[str, str]) -> _Degrees:
    covered, perhaps, uncovered = (
        sorted(host for host, its in degrees.items() if its == degree) for degree in ("covered", "perhaps", "uncovered")
    )
    return {"covered": covered, "perhaps": perhaps, "uncovered": uncovered}


def account_names(rows: t.Iterable[Row]) -> dict[str, str]:
    """Return the names of the accounts of a report, by id."""
    return {row["account_id"]: row["account_name"] for row in rows if row["account_id"] and row["account_name"]}


class AlertRow(t.NamedTuple):
    """A row of the table for people: the alert, whom it covers, who is told, and when something was delivered last."""

    alert: str
    account: str
    covered: str
    told: list[tuple[str, str]]


def rows_of_alerts(alerts: t.Iterable[ToldAlert], rows: t.Sequence[Row]) -> list[AlertRow]:
    """Return the rows of the table of a report with these zones and accounts."""
    accounts, scopes = account_names(rows), {row["zone"]: row["scope"] for row in rows}
    return [
        AlertRow(
            alert["alert_type"],
            accounts.get(alert["account_id"]) or alert["account_id"],
            _coverage(alert, scopes),
            [(_by_whom(policy), policy["last_delivery"] or "not shown") for policy in alert["policies"]],
        )
        for alert in alerts
    ]


def _coverage(alert: ToldAlert, scopes: t.Mapping[str, str]) -> str:
    uncovered = alert["uncovered"]
    parts = (
        (alert["covered"], ""),
        (alert["perhaps"], "perhaps "),
        (uncovered, "not covered: " if len(uncovered) >= MIN_FOLDED else "not "),
    )
    return (
        "; ".join(
            f"{prefix}{hosts_such_as(names, [scopes.get(name, ZONE) for name in names])}" for names, prefix in parts if names
        )
        or "no zone of the run"
    )


def _by_whom(policy: ToldPolicy) -> str:
    recipients = [f"{kind} {', '.join(names)}" for kind, names in policy["mechanisms"].items() if names]
    reason = f" ({policy['reason']})" if policy["reason"] else ""
    return f"{policy['name']}: {'; '.join(recipients) or 'nobody'}{reason}"
