# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import math
import re
import typing as t

from .._core import Conclusion, Json, invalid_option
from .._text import need_time, shown
from . import inventory
from .baseline import AUTHORISATION, PINNED, Baseline, Entry, Match, is_host, parse_baseline
from .chain import is_digest
from .evidence import Evidence, Hide, Made, keep
from .facts import ALL, FAILURES, FINDINGS, MAX_DETAILS, MAX_PER_PAGE, SCRIPTS
from .findings import (
    Finding,
    LastRecord,
    Observation,
    Row,
    count_by_kind,
    find_in_audit,
    find_in_entries,
    find_in_script,
    in_order,
    observe,
)
from .inventory import Query, Script
from .monitor import State, Status
from .pattern import Pattern, is_url, normalize_url, parse_pattern

_MAX_NAME_LENGTH = 60


def propose(entries: t.Iterable[Entry], rows: t.Iterable[Row]) -> list[dict[str, Json]]:
    """Return entries for new scripts, and changed entries with the hashes seen added; nobody has authorised any of them."""
    new: dict[str, list[Row]] = {}
    changed: dict[str, tuple[Entry, set[str]]] = {}
    for row in rows:
        if row.entry is not None:
            if row.unauthorised:
                changed.setdefault(row.entry.name, (row.entry, set()))[1].update(row.unauthorised)
        elif row.seen.url is not None and _is_exact(row.seen.url) and (row.seen.host is None or is_host(row.seen.host)):
            new.setdefault(row.seen.url, []).append(row)
    names = {entry.name: 1 for entry in entries}
    return [
        *(_changed(entry, hashes) for entry, hashes in changed.values()),
        *(_new(url, found, names) for url, found in new.items()),
    ]


def _is_exact(url: str) -> bool:
    """Return whether a URL can be an entry that covers nothing else; a star of the service would be one of a pattern."""
    return is_url(url) and "*" not in url


def _changed(entry: Entry, hashes: set[str]) -> dict[str, Json]:
    return {**entry.declared, **_UNAUTHORISED, "hashes": _usable(entry.hashes | hashes)}


def _new(url: str, rows: t.Sequence[Row], names: dict[str, int]) -> dict[str, Json]:
    hosts = sorted({row.seen.host for row in rows if row.seen.host is not None})
    return {
        "name": _name(url, names),
        "url": url,
        "hosts": hosts if len(hosts) == len(rows) else [],
        **_UNAUTHORISED,
        "review_by": None,
        "integrity": PINNED,
        "integrity_reason": None,
        "hashes": _usable(frozenset[str]().union(*(row.hashes for row in rows))),
        "required": False,
    }


def _usable(hashes: t.Iterable[str]) -> list[str]:
    """What an entry may list; a service that sends other text for a hash leaves the script changed."""
    return sorted(value for value in hashes if is_digest(value))


def _name(url: str, names: dict[str, int]) -> str:
    """Return a name from host and path, in characters that mean nothing to templates, and add it to the names in use."""
    plain = (
        re.sub(r"[^a-z0-9.]+", "-", url.partition("://")[2].partition("?")[0].lower()).strip("-.")[:_MAX_NAME_LENGTH] or "script"
    )
    name = plain
    while name in names:
        names[plain] += 1
        name = f"{plain}-{names[plain]}"
    names[name] = 1
    return name


_UNAUTHORISED: dict[str, None] = dict.fromkeys((*AUTHORISATION, "authorised_on"))


# An audit: what the service lists, compared with the baseline, judged, and kept as evidence.


# What an audit reads cannot be narrowed further than by host and status.
_WHOLE: t.Mapping[str, Json] = {
    "script_id": None,
    "per_page": MAX_PER_PAGE,
    "malicious_only": False,
    "members": (),
    "page_url": (),
    "resources": (SCRIPTS,),
}


class Audit(t.NamedTuple):
    """What to audit, against which baseline, and where the evidence goes."""

    query: Query
    baseline: Baseline
    pages: tuple[Pattern, ...]
    fail_on: frozenset[str]
    details: str
    folder: str | None
    expected_head: str | None
    max_gap_days: float
    at: datetime.datetime | None


class Service(t.NamedTuple):
    """What an audit reads: the state of the monitor, a listing, and single scripts by identifier (those that are gone left out)."""

    monitor: t.Callable[[str], State]
    listing: t.Callable[[Query], t.Sequence[Script]]
    singles: t.Callable[[Query, t.Sequence[str]], t.Sequence[Script]]


def desire(params: t.Mapping[str, t.Any]) -> Audit:
    """Return the audit of validated options; refuse what could not be matched."""
    gap, head = params["max_gap_days"], params["expected_head"]
    at = None if params["at"] is None else need_time("at", params["at"])
    if not math.isfinite(gap) or gap <= 0:
        raise invalid_option("max_gap_days", f"{gap!r} is not a number of days above 0")
    if head is not None and not is_digest(head.lower()):
        raise invalid_option("expected_head", f"{shown(head)} is not 64 hexadecimal digits; omit it for the first record")
    query = inventory.desire({**_WHOLE, **params})
    baseline = Baseline(parse_baseline(params["baseline"]))
    return Audit(
        query=query,
        baseline=baseline,
        pages=tuple(parse_pattern(f"pages[{index}]", text) for index, text in enumerate(params["pages"])),
        fail_on=FAILURES if ALL in params["fail_on"] else frozenset(params["fail_on"]),
        details=params["details"],
        folder=params["evidence_dir"] or None,
        expected_head=head and head.lower(),
        max_gap_days=gap,
        at=at,
    )


def perform(audit: Audit, service: Service, evidence: Evidence | None, hide: Hide, now: datetime.datetime) -> Conclusion:
    """Read, judge, keep the evidence, and report; `hide` takes secrets out of what is kept."""
    state = service.monitor(audit.query.route)
    audit = audit._replace(query=audit.query.on_route(state.route))
    listing = [inventory.judge(script, audit.query) for script in service.listing(audit.query)]
    identifiers, warnings = _details(audit, listing)
    singles = {single["script_id"]: single for single in service.singles(audit.query, identifiers)}
    seen = observe(_with_singles(listing, singles, audit.query))
    at = audit.at or now
    matches = [_match(audit, each) for each in seen]  # a tie is refused before there is a file of evidence

    def conclude(last: LastRecord) -> dict[str, Json]:
        rows = [_row(audit, each, match, last.since) for each, match in zip(seen, matches, strict=True)]
        return _report(audit, rows, state.status, last, at)

    made = Made(at, [entry.declared for entry in audit.baseline.entries], _scope(audit))
    result, noted = keep(evidence, audit.expected_head, conclude, hide, made)
    return Conclusion(result, (*warnings, *noted), _refusal(result["summary"], audit.fail_on))


def _scope(audit: Audit) -> dict[str, Json]:
    """Return what an audit looks at; where it differs from record to record, so does what the absence of a finding means."""
    return {
        "hosts": list(audit.query.hosts),
        "status": list(audit.query.statuses),
        "pages": [pattern.text for pattern in audit.pages],
        "fail_on": [kind for kind in FINDINGS if kind in audit.fail_on],
        "details": audit.details,
        "route": audit.query.route,
    }


def _details(audit: Audit, listing: t.Sequence[Script]) -> tuple[list[str], tuple[str, ...]]:
    """Return the identifiers of the scripts to read singly, and a warning if not all that have findings are read."""
    if audit.details == "none":
        return [], ()
    if audit.details == "all":
        return [script["script_id"] for script in listing], ()
    found: list[tuple[bool, str]] = []
    for seen in observe(listing):
        kinds = {finding.kind for finding in find_in_script(_row(audit, seen, _match(audit, seen), None))}
        if kinds:
            found += [(kinds == {"new"}, script["script_id"]) for script in seen.scripts]
    # What nobody knows yet comes last: it has no hashes to compare versions with.
    identifiers = [identifier for _new, identifier in sorted(found)]
    if len(identifiers) <= MAX_DETAILS:
        return identifiers, ()
    text = f"{len(identifiers)} scripts have findings; only {MAX_DETAILS} of them were read singly. Use details=all to read every script."
    return identifiers[:MAX_DETAILS], (text,)


def _with_singles(listing: t.Iterable[Script], singles: t.Mapping[str, Script], query: Query) -> t.Iterator[Script]:
    """Yield what was listed, and each script that was read singly once more, completed by what only the listing has of it."""
    for script in listing:
        yield script
        single = singles.get(script["script_id"])
        if single is not None:
            present = {name: value for name, value in single.items() if value is not None}
            yield inventory.judge(t.cast("Script", {**script, **present}), query)


def _match(audit: Audit, seen: Observation) -> Match:
    return audit.baseline.match(seen.url, seen.host) if seen.url else Match()


def _row(audit: Audit, seen: Observation, match: Match, since: datetime.datetime | None) -> Row:
    return Row(seen, match.entry, match.names, seen.hashes(since), _pages(audit, seen))


def _pages(audit: Audit, seen: Observation) -> list[str] | None:
    """Return the pages of the audit that load a script; None if the service shows no pages of it, or no page is asked for."""
    pages = seen.pages() if audit.pages else ()
    found = [page for page in pages if any(pattern.covers(normalize_url(page)) for pattern in audit.pages)]
    return found if pages else None


def _report(audit: Audit, rows: t.Sequence[Row], status: Status, last: LastRecord, at: datetime.datetime) -> dict[str, Json]:
    of_scripts = [find_in_script(row) for row in rows]
    of_entries = find_in_entries(audit.baseline.entries, rows, audit.query.hosts, at.date().isoformat())
    of_audit = find_in_audit(status["enabled"], len(rows), last, at, audit.max_gap_days)
    findings = in_order([*(finding for found in of_scripts for finding in found), *of_entries, *of_audit])
    by_entry: dict[str | None, list[Finding]] = {}
    for finding in of_entries:
        by_entry.setdefault(finding.entry, []).append(finding)
    return {
        "script_monitor": status,
        "summary": count_by_kind(findings),
        "inventory": [
            _item(row, [*found, *(by_entry.get(row.entry.name, ()) if row.entry else ())])
            for row, found in zip(rows, of_scripts, strict=True)
        ],
        "findings": [finding._asdict() for finding in findings],
        "passed": not any(finding.kind in FAILURES for finding in findings),
        "proposals": propose(audit.baseline.entries, rows),
    }


def _item(row: Row, findings: t.Sequence[Finding]) -> dict[str, Json]:
    entry = row.entry.name if row.entry else None
    return {"script": row.seen.latest, "entry": entry, "findings": [finding.kind for finding in findings]}


def _refusal(summary: t.Mapping[str, int], fail_on: frozenset[str]) -> str:
    """Return why the task fails although its work is done; empty if no finding of `fail_on` is there."""
    counts = ", ".join(f"{count} {kind}" for kind, count in summary.items() if count and kind in fail_on)
    if not counts:
        return ""
    return (
        f"fail_on: the audit of the scripts found {counts}. See findings; authorise the scripts in the baseline, or remove them."
    )
