# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import datetime
import functools
import math
import re
import typing as t

from .._core import Conclusion, invalid_option
from .._text import need_time, shown
from .baseline import PINNED, Baseline, Declared, Entry, Match, is_host, parse_baseline
from .evidence import AuditedScript, AuditResult, Evidence, Head, Scope
from .facts import ALL, FAILURES, FINDINGS, MAX_DETAILS, is_digest
from .findings import (
    Finding,
    LastRecord,
    Observation,
    Row,
    find_in_audit,
    find_in_entries,
    find_in_script,
    in_order,
    observe,
)
from .inventory import Query, Script, judge, judged, parse_items
from .monitor import Status
from .pattern import Pattern, is_url, normalize_url, parse_pattern
from .read import Service

_Find = t.Callable[[str, "str | None"], Match]


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

    def perform(self, service: Service) -> Conclusion:
        """Read, judge, keep the evidence, and report."""
        evidence = Evidence.prepare(self.folder, service.zone_id) if self.folder else None
        # Before the first request, so that what the service fetches meanwhile is new to the next audit.
        at = self.at or service.now
        state = service.monitor(self.query.route)
        query = self.query.on_route(state.route)
        listing = judged(service.list_scripts(query), query)
        # The first look only chooses what to read singly, and the second one asks for the same matches.
        find = functools.cache(self.baseline.match)
        identifiers, warnings = self._choose_details(listing, find)
        singles = {single["script_id"]: single for single in service.read_singly(query, identifiers)}
        seen = observe(_with_singles(listing, singles, query))
        # Entries that match equally well are refused here, before a file of evidence exists.
        matches = [_match(each, find) for each in seen]

        def report(last: LastRecord) -> AuditResult:
            rows = [self._row(each, match, last.since) for each, match in zip(seen, matches, strict=True)]
            return self._report(rows, state.status, last, at)

        if evidence is None:
            result, head = report(LastRecord()), Head(seq=None, head=None)
        else:
            with evidence.opened() as records:
                result = report(records.find_last(self.expected_head, at))
                entries = [entry.declared for entry in self.baseline.entries]
                head = records.keep(result, at, self._scope(query.route), entries, service.hide)
                warnings += records.warnings
        return Conclusion({**result, "evidence": head}, warnings, self._refusal(result["summary"]))

    def _choose_details(self, listing: t.Sequence[Script], find: _Find) -> tuple[list[str], tuple[str, ...]]:
        """Return the identifiers of the scripts to read singly, and a warning if not all that have findings are read."""
        if self.details == "none":
            return [], ()
        if self.details == "all":
            return [script["script_id"] for script in listing], ()
        found: list[tuple[bool, str]] = []
        for seen in observe(listing):
            kinds = {finding.kind for finding in find_in_script(self._row(seen, _match(seen, find), None))}
            if kinds:
                found += [(kinds == {"new"}, script["script_id"]) for script in seen.scripts]
        # New scripts come last, because no entry has hashes to compare their versions with.
        identifiers = [identifier for _is_new, identifier in sorted(found)]
        if len(identifiers) <= MAX_DETAILS:
            return identifiers, ()
        text = (
            f"{len(identifiers)} scripts have findings; only {MAX_DETAILS} of them were read singly."
            " Use details=all to read every script."
        )
        return identifiers[:MAX_DETAILS], (text,)

    def _row(self, seen: Observation, match: Match, since: datetime.datetime | None) -> Row:
        pages = seen.pages() if self.pages else ()
        found = [page for page in pages if any(pattern.covers(normalize_url(page)) for pattern in self.pages)]
        return Row(seen, match.entry, match.names, seen.hashes(since), found if pages else None)

    def _scope(self, route: str) -> Scope:
        return {
            "hosts": list(self.query.hosts),
            "status": list(self.query.statuses),
            "pages": [pattern.text for pattern in self.pages],
            "fail_on": [kind for kind in FINDINGS if kind in self.fail_on],
            "details": self.details,
            "route": route,
        }

    def _report(self, rows: t.Sequence[Row], status: Status, last: LastRecord, at: datetime.datetime) -> AuditResult:
        of_scripts = [find_in_script(row) for row in rows]
        of_entries = find_in_entries(self.baseline.entries, rows, self.query.hosts, at.date().isoformat())
        of_audit = find_in_audit(status["enabled"], len(rows), last, at, self.max_gap_days)
        findings = in_order([*(finding for found in of_scripts for finding in found), *of_entries, *of_audit])
        counts = collections.Counter(finding.kind for finding in findings)
        by_entry: dict[str | None, list[Finding]] = collections.defaultdict(list)
        for finding in of_entries:
            by_entry[finding.entry].append(finding)
        inventory: list[AuditedScript] = []
        for row, found in zip(rows, of_scripts, strict=True):
            entry = row.entry.name if row.entry else None
            about = [*found, *by_entry.get(entry, ())]
            inventory.append({"script": row.seen.latest, "entry": entry, "findings": [finding.kind for finding in about]})
        return {
            "script_monitor": status,
            "summary": {kind: counts[kind] for kind in FINDINGS},
            "inventory": inventory,
            "findings": [finding._asdict() for finding in findings],
            "passed": not any(kind in FAILURES for kind in counts),
            "proposals": propose(self.baseline.entries, rows),
        }

    def _refusal(self, summary: t.Mapping[str, int]) -> str:
        """Return why the task fails although the audit is complete; "" if it has no finding of `fail_on`."""
        counts = ", ".join(f"{count} {kind}" for kind, count in summary.items() if count and kind in self.fail_on)
        if not counts:
            return ""
        return (
            f"fail_on: the audit of the scripts found {counts}."
            " See findings; authorise the scripts in the baseline, or remove them."
        )


def desire(params: t.Mapping[str, t.Any]) -> Audit:
    """Return the audit of validated options; refuse invalid values."""
    gap, head = params["max_gap_days"], params["expected_head"]
    at = None if params["at"] is None else need_time("at", params["at"])
    if not math.isfinite(gap) or gap <= 0:
        raise invalid_option("max_gap_days", f"{gap!r} is not a number of days above 0")
    if head is not None and not is_digest(head.lower()):
        raise invalid_option("expected_head", f"{shown(head)} is not 64 hexadecimal digits; omit it for the first record")
    query = Query(
        route=params["route"],
        hosts=parse_items("hosts", params["hosts"]),
        statuses=parse_items("status", params["status"]),
        threshold=params["malicious_threshold"],
        malicious_when=params["malicious_when"],
    )
    return Audit(
        query=query,
        baseline=Baseline(parse_baseline(params["baseline"])),
        pages=tuple(parse_pattern(f"pages[{index}]", text) for index, text in enumerate(params["pages"])),
        fail_on=FAILURES if ALL in params["fail_on"] else frozenset(params["fail_on"]),
        details=params["details"],
        folder=params["evidence_dir"] or None,
        expected_head=head and head.lower(),
        max_gap_days=gap,
        at=at,
    )


def _match(seen: Observation, find: _Find) -> Match:
    return find(seen.url, seen.host) if seen.url else Match()


def _with_singles(listing: t.Iterable[Script], singles: t.Mapping[str, Script], query: Query) -> t.Iterator[Script]:
    """Yield each listed script; if it was read singly, also that answer, with the listing's value for what it lacks."""
    for script in listing:
        yield script
        single = singles.get(script["script_id"])
        if single is not None:
            present = {name: value for name, value in single.items() if value is not None}
            yield judge(t.cast("Script", {**script, **present}), query)


_MAX_NAME_LENGTH = 60


def propose(entries: t.Iterable[Entry], rows: t.Iterable[Row]) -> list[Declared]:
    """Return entries for new scripts, and changed entries with the hashes seen added, all without an authorisation."""
    new: dict[str, list[Row]] = {}
    changed: dict[str, tuple[Entry, set[str]]] = {}
    for row in rows:
        url, host = row.seen.url, row.seen.host
        if row.entry is not None:
            if row.unauthorised:
                changed.setdefault(row.entry.name, (row.entry, set()))[1].update(row.unauthorised)
        # A star in the URL of a script would make the entry a pattern, which covers other scripts as well.
        elif url is not None and is_url(url) and "*" not in url and (host is None or is_host(host)):
            new.setdefault(url, []).append(row)
    names = {entry.name: 1 for entry in entries}
    return [
        *(_propose_changed(entry, hashes) for entry, hashes in changed.values()),
        *(_propose_new(url, found, names) for url, found in new.items()),
    ]


def _propose_changed(entry: Entry, hashes: t.Iterable[str]) -> Declared:
    return {
        **entry.declared,
        "owner": None,
        "justification": None,
        "authorised_by": None,
        "authorised_on": None,
        "hashes": _usable(entry.hashes.union(hashes)),
    }


def _propose_new(url: str, rows: t.Sequence[Row], names: dict[str, int]) -> Declared:
    hosts = sorted({row.seen.host for row in rows if row.seen.host is not None})
    return {
        "name": _add_name(url, names),
        "url": url,
        "hosts": hosts if len(hosts) == len(rows) else [],
        "owner": None,
        "justification": None,
        "authorised_by": None,
        "authorised_on": None,
        "review_by": None,
        "integrity": PINNED,
        "integrity_reason": None,
        "hashes": _usable(frozenset[str]().union(*(row.hashes for row in rows))),
        "required": False,
    }


def _usable(hashes: t.Iterable[str]) -> list[str]:
    """Return the hashes that an entry may list; any other text of the service leaves the script changed."""
    return sorted(value for value in hashes if is_digest(value))


def _add_name(url: str, names: dict[str, int]) -> str:
    """Return a new name from host and path, without characters that templates use, and add it to the names in use."""
    place = url.partition("://")[2].partition("?")[0].lower()
    plain = re.sub(r"[^a-z0-9.]+", "-", place).strip("-.")[:_MAX_NAME_LENGTH] or "script"
    name = plain
    while name in names:
        names[plain] += 1
        name = f"{plain}-{names[plain]}"
    names[name] = 1
    return name
