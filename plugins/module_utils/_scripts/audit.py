# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import datetime
import typing as t

from .._baseline.entries import (
    AUTHORISATION,
    MEMBERS,
    PINNED,
    Baseline,
    Declared,
    Entry,
    Match,
    add_name,
    is_expired,
    is_host,
    parse_baseline,
    why_unauthorised,
)
from .._baseline.pattern import Pattern, is_url, normalize_url, parse_pattern
from .._chain.evidence import Keeping, LastRecord
from .._chain.kinds import SCRIPTS, is_digest
from .._core import Json
from .._redact import clean_text
from .._text import quoted
from .facts import ALL, FAILURES, MAX_DETAILS, SAMPLED, SCRIPT_FINDINGS
from .listing import News, Observation, Script, ScriptQuery, categories_of, is_reported, judge, looks_at, observe, parse_items
from .monitor import Status

Find = t.Callable[["str | None", "str | None"], Match]
# The members of a script that change only for a reason; with counters or the time it was last seen, every record would repeat
# the whole inventory.
_KEPT = ("script_id", "script_url", "host", "status", "hash", "js_integrity_score", "first_seen_at", "malicious")


class Audit(t.NamedTuple):
    """What to audit, against which baseline, and where the evidence goes."""

    query: ScriptQuery
    baseline: Baseline
    pages: tuple[Pattern, ...]
    fail_on: frozenset[str]
    details: str
    keeping: Keeping

    def choose_details(self, listing: t.Sequence[Script], find: Find) -> tuple[list[str], tuple[str, ...]]:
        """Return the identifiers of the scripts to read singly, and a warning if not all that have findings are read."""
        if self.details == "none":
            return [], ()
        if self.details == "all":
            return list(dict.fromkeys(script["script_id"] for script in listing)), ()
        candidates: list[tuple[bool, str]] = []
        for seen in observe(listing):
            kinds = {finding.kind for finding in find_in_script(self.row_of(seen, find(seen.url, seen.host), None, {}))}
            if kinds:
                candidates += [(kinds == {"new"}, script["script_id"]) for script in seen.scripts]
        # New scripts come last, because no entry has hashes to compare their versions with.
        identifiers = list(dict.fromkeys(identifier for _is_new, identifier in sorted(candidates)))
        if len(identifiers) <= MAX_DETAILS:
            return identifiers, ()
        text = (
            f"{len(identifiers)} scripts have findings; only {MAX_DETAILS} of them were read singly."
            " Use details=all to read every script."
        )
        return identifiers[:MAX_DETAILS], (text,)

    def row_of(self, seen: Observation, match: Match, news: News | None, singles: t.Mapping[str, Script | None]) -> AuditedScript:
        pages = seen.pages() if self.pages else ()
        covered_pages = [page for page in pages if any(pattern.covers(normalize_url(page)) for pattern in self.pages)]
        by_script = seen.hashes(news)
        hashes = frozenset[str]().union(*by_script.values())
        hides = "" if all(by_script.values()) else _HIDES_ONE if hashes else _HIDES_ALL
        if not hides and not seen.shows_versions(singles, news and news.since):
            hides = "the service does not show the hash of each version since its versions were last read"
        return AuditedScript(seen, match.entry, match.names, hashes, hides, covered_pages if pages else None)

    def result_of(
        self, rows: t.Sequence[AuditedScript], status: Status, last: LastRecord, at: datetime.datetime
    ) -> dict[str, t.Any]:
        """Return the result of the audit, but for the record that is kept of it."""
        of_scripts = [find_in_script(row) for row in rows]
        of_entries = find_in_entries(self.baseline.entries, rows, self.query.hosts, at.date().isoformat())
        of_audit = find_in_audit(status["enabled"], len(rows), last, at, self.keeping.max_gap_days)
        findings = in_order([*(finding for of_script in of_scripts for finding in of_script), *of_entries, *of_audit])
        counts = collections.Counter(finding.kind for finding in findings)
        by_entry: dict[str | None, list[Finding]] = collections.defaultdict(list)
        for finding in of_entries:
            by_entry[finding.entry].append(finding)
        inventory = []
        for row, of_script in zip(rows, of_scripts, strict=True):
            entry = row.entry.name if row.entry else None
            about = [*of_script, *by_entry.get(entry, ())]
            inventory.append({"script": row.seen.latest, "entry": entry, "findings": [finding.kind for finding in about]})
        return {
            "script_monitor": status,
            "summary": {kind: counts[kind] for kind in SCRIPT_FINDINGS},
            "inventory": inventory,
            "findings": [finding._asdict() for finding in findings],
            "passed": not any(kind in FAILURES for kind in counts),
            "proposals": propose(self.baseline.entries, rows),
        }

    def to_keep(self, result: t.Mapping[str, t.Any], query: ScriptQuery) -> dict[str, Json]:
        """Return what the evidence contains of a result, and what the audit looked at: without it, no finding means nothing.

        `query` is the one for the route that answered.
        """
        return {
            "monitor": {**result["script_monitor"], "sampled": SAMPLED[query.route]},
            "scope": {
                "hosts": list(self.query.hosts),
                "status": list(self.query.statuses),
                "pages": [pattern.text for pattern in self.pages],
                "fail_on": [kind for kind in SCRIPT_FINDINGS if kind in self.fail_on],
                "details": self.details,
                "route": query.route,
                **query.own_scores,
            },
            "inventory": [{**item, "script": _kept(item["script"])} for item in result["inventory"]],
            "findings": result["findings"],
            "passed": result["passed"],
        }

    def refusal(self, summary: t.Mapping[str, int]) -> str:
        """Return why the task fails although the audit is complete; "" if it has no finding of `fail_on`."""
        deciding = _deciding(self.fail_on)
        counts = ", ".join(f"{count} {kind}" for kind, count in summary.items() if count and kind in deciding)
        if not counts:
            return ""
        return (
            f"fail_on: the audit of the scripts found {counts}."
            " See findings; authorise the scripts in the baseline, or remove them."
        )


def _kept(script: Script) -> dict[str, Json]:
    """Return what the evidence contains of a script; a hash of another type than text is not known."""
    kept = {name: script.get(name) for name in _KEPT}
    return kept if isinstance(kept["hash"], str) else {**kept, "hash": None}


def _deciding(fail_on: t.Collection[str]) -> frozenset[str]:
    """Return the findings that fail the task: an audit that could see nothing, and a hash that nobody can compare, are never better than what they hide."""
    blind = ("monitor_off", "nothing_seen") if fail_on else ()
    return frozenset((*fail_on, *blind, *(("unverified",) if "changed" in fail_on else ())))


def desire(params: t.Mapping[str, t.Any]) -> Audit:
    """Return the audit of validated options; refuse invalid values."""
    query = ScriptQuery(
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
        keeping=Keeping.of(params),
    )


def with_singles(listing: t.Iterable[Script], singles: t.Mapping[str, Script | None], query: ScriptQuery) -> t.Iterator[Script]:
    """Yield each listed script; if it was read singly, also that answer, with the listing's value for what it lacks."""
    for script in listing:
        yield script
        single = singles.get(script["script_id"])
        if single is not None:
            present = {name: value for name, value in single.items() if value is not None}
            yield judge(t.cast("Script", {**script, **present}), query)


# Why a hash is not known.
_HIDES_ALL = (
    "the service shows no hash; the plan of the account may hide it, and integrity unpinned with an integrity_reason needs none"
)
_HIDES_ONE = "the service lists several scripts of this URL and host, and does not show the hash of each"


class Finding(t.NamedTuple):
    """A finding: about a script, an entry of the baseline, or the audit itself.

    `pages` are the pages of the audit on which the script was seen, None if they are not known.
    """

    kind: str
    script_url: str | None
    host: str | None
    entry: str | None
    message: str
    pages: list[str] | None = None


class AuditedScript(t.NamedTuple):
    """One script with its entry, the names of all entries that match it, its hashes, and the pages of the audit that load it.

    `hides` is why it may have had another hash since its versions were last read, "" if it cannot.
    """

    seen: Observation
    entry: Entry | None
    matching: frozenset[str]
    hashes: frozenset[str]
    hides: str
    pages: list[str] | None

    @property
    def unauthorised(self) -> frozenset[str]:
        """Return the hashes that the entry does not list, if it is pinned."""
        return self.hashes - self.entry.hashes if self.entry is not None and self.entry.pinned else frozenset()


def find_in_script(row: AuditedScript) -> list[Finding]:
    entry = row.entry.name if row.entry else None
    return [Finding(kind, row.seen.url, row.seen.host, entry, clean_text(text), row.pages) for kind, text in _kinds(row)]


def _kinds(row: AuditedScript) -> t.Iterator[tuple[str, str]]:
    scripts = row.seen.scripts
    if any(script["malicious"] for script in scripts):
        reasons = dict.fromkeys(reason for script in scripts if script["malicious"] for reason in script["malicious_reasons"])
        yield "malicious", "; ".join(reasons)
    if any(map(is_reported, scripts)):
        categories = dict.fromkeys(category for script in scripts for category in categories_of(script))
        yield "reported", "; ".join(["the URL or the domain is reported as malicious", *categories])
    if row.entry is None:
        yield "new", "no entry of the baseline covers it" if row.seen.url else "the service shows no URL, so no entry covers it"
    elif unauthorised := row.unauthorised:
        hashes = ", ".join(value if is_digest(value) else quoted(value) for value in sorted(unauthorised)[:3])
        noun = "hash" if len(unauthorised) == 1 else "hashes"
        yield "changed", f"{len(unauthorised)} {noun} seen that the entry does not list: {hashes}"
    elif row.entry.pinned and row.hides:
        yield "unverified", f"the entry is pinned, and {row.hides}"


def find_in_entries(
    entries: t.Sequence[Entry], rows: t.Iterable[AuditedScript], hosts: t.Sequence[str], today: str
) -> list[Finding]:
    """Return the findings about entries; `hosts` are those that the listing was limited to."""
    used = frozenset[str]().union(*(row.matching for row in rows))
    findings: list[tuple[str, str, str]] = []
    for entry in entries:
        name, declared = entry.name, entry.declared
        if is_expired(declared, today):
            findings.append((name, "expired", f"had to be reviewed by {declared['review_by']}"))
        if why := why_unauthorised(declared, today):
            findings.append((name, "unjustified", why))
        if name not in used and _is_in_scope(entry, hosts):
            if declared["required"]:
                findings.append((name, "gone", "is required, and no listed script matches it"))
            else:
                findings.append((name, "unused", "matches no listed script"))
    return [Finding(kind, None, None, name, f"the entry {quoted(clean_text(name))} {text}") for name, kind, text in findings]


def _is_in_scope(entry: Entry, limits: t.Sequence[str]) -> bool:
    """Return whether a listing that was limited to some hosts, perhaps with stars, can show a script of the entry."""
    return not entry.hosts or any(looks_at(limits, host) for host in entry.hosts)


def find_in_audit(enabled: bool, seen: int, last: LastRecord, at: datetime.datetime, max_gap_days: float) -> list[Finding]:
    findings = []
    if not enabled:
        findings.append(("monitor_off", "the script monitor is disabled, so the service sees no script"))
    if not seen:
        text = (
            "the service lists no script, because the script monitor is disabled"
            if not enabled
            else (
                "the service lists no script: it samples, and shows nothing before about an hour and 100 requests from browsers;"
                " look at the zone's traffic, at hosts and status, and audit again later"
            )
        )
        findings.append(("nothing_seen", text))
    findings += last.find(at, max_gap_days, SCRIPTS)
    return [Finding(kind, None, None, None, message) for kind, message in findings]


def in_order(findings: t.Iterable[Finding]) -> list[Finding]:
    """Return findings sorted by kind, URL, host and entry."""
    place = {kind: index for index, kind in enumerate(SCRIPT_FINDINGS)}
    return sorted(
        findings, key=lambda finding: (place[finding.kind], finding.script_url or "", finding.host or "", finding.entry or "")
    )


def propose(entries: t.Iterable[Entry], rows: t.Iterable[AuditedScript]) -> list[Declared]:
    """Return entries for new scripts, and changed entries with the hashes seen added, all without an authorisation."""
    new: dict[str, list[AuditedScript]] = {}
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
    nobody = dict.fromkeys((*AUTHORISATION, "authorised_on"))
    proposals = [{**entry.declared, **nobody, "hashes": _usable(entry.hashes, hashes)} for entry, hashes in changed.values()]
    for url, of_url in new.items():
        hosts = sorted({row.seen.host for row in of_url if row.seen.host is not None})
        declared = {
            "name": add_name(url, names, "script"),
            "url": url,
            "hosts": hosts if len(hosts) == len(of_url) else [],
            "integrity": PINNED,
            "hashes": _usable(*(row.hashes for row in of_url)),
            "required": False,
        }
        proposals.append({**dict.fromkeys(MEMBERS), **declared})
    return proposals


def _usable(*hashes: t.Collection[str]) -> list[str]:
    """Return the hashes that an entry may list; any other text of the service leaves the script changed."""
    return sorted(filter(is_digest, frozenset[str]().union(*hashes)))
