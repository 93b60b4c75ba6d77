# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from .._redact import clean_text
from .._text import list_of, parse_date, parse_time, shown
from .baseline import AUTHORISATION, Entry
from .facts import FINDINGS, is_digest
from .inventory import Script, categories_of, is_reported
from .pattern import normalize_url

# Earlier than every other time; also of a script for which the service shows no usable time.
NEVER = datetime.datetime.min.replace(tzinfo=datetime.timezone.utc)


class Observation(t.NamedTuple):
    """One script of a host: everything that the service lists under the same URL and host (`scripts`, the latest last)."""

    url: str | None
    host: str | None
    scripts: tuple[Script, ...]

    @property
    def latest(self) -> Script:
        return self.scripts[-1]

    def hashes(self, since: datetime.datetime | None) -> frozenset[str]:
        """Return the listed hashes and those of versions fetched after `since`; if there are none, that of the latest version."""
        listed = (version for script in self.scripts for version in list_of(script.get("versions")))
        versions = [version for version in listed if isinstance(version, dict)]
        found = [script.get("hash") for script in self.scripts]
        if versions and since is not None:
            fetched = ((version.get("hash"), parse_time(version.get("fetched_at"))) for version in versions)
            # A version without a usable time counts, so that no change goes unseen.
            found += [value for value, time in fetched if time is None or time > since]
        if versions and not any(found):
            # Some plans hide the hash in the listing and show it in the versions.
            found.append(max(versions, key=lambda version: parse_time(version.get("fetched_at")) or NEVER).get("hash"))
        return frozenset(value.lower() for value in found if isinstance(value, str) and value)

    def pages(self) -> tuple[str, ...]:
        """Return the pages on which the service saw the script: the last ones and the first one."""
        listed = [page for script in self.scripts for page in (*list_of(script.get("seen_on")), script.get("seen_on_first"))]
        return tuple(dict.fromkeys(page for page in listed if isinstance(page, str) and page))


def observe(scripts: t.Iterable[Script]) -> list[Observation]:
    """Return the observations in a listing, sorted by URL and host."""
    found: dict[tuple[str, str, str], list[Script]] = {}
    for script in scripts:
        found.setdefault(_identity(script), []).append(script)
    for same in found.values():
        if len(same) > 1:  # nearly always there is one, whose time need not be parsed
            same.sort(key=_last_seen)
    return [Observation(key[0] or None, key[1] or None, tuple(found[key])) for key in sorted(found)]


def _identity(script: Script) -> tuple[str, str, str]:
    """Return URL and host, because identifiers are not stable; without a URL, only the identifier distinguishes two scripts."""
    host = str(script.get("host") or "").lower()
    url = script.get("script_url")
    return (normalize_url(url), host, "") if isinstance(url, str) and url else ("", host, script["script_id"])


def _last_seen(script: Script) -> tuple[datetime.datetime, str]:
    """Return when a script was last seen, a day as its beginning; the identifier decides between equal times."""
    value = script.get("last_seen_at")
    return parse_time(value) or parse_time(f"{parse_date(value)}T00:00:00Z") or NEVER, script["script_id"]


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


class Row(t.NamedTuple):
    """One script with its entry, the names of all entries that match it, its hashes, and the pages of the audit that load it."""

    seen: Observation
    entry: Entry | None
    matching: frozenset[str]
    hashes: frozenset[str]
    pages: list[str] | None

    @property
    def unauthorised(self) -> frozenset[str]:
        """Return the hashes that the entry does not list, if it is pinned."""
        return self.hashes - self.entry.hashes if self.entry is not None and self.entry.pinned else frozenset()


class LastRecord(t.NamedTuple):
    """What an audit needs of the evidence: the time of the last record, from when on versions are new, and what is broken.

    Without any record `since` is None: a first audit has nothing to compare versions with.
    """

    at: datetime.datetime | None = None
    since: datetime.datetime | None = None
    problem: str | None = None


def find_in_script(row: Row) -> list[Finding]:
    """Return the findings about one script."""
    entry = row.entry.name if row.entry else None
    return [Finding(kind, row.seen.url, row.seen.host, entry, clean_text(text), row.pages) for kind, text in _kinds(row)]


def _kinds(row: Row) -> t.Iterator[tuple[str, str]]:
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
        hashes = ", ".join(value if is_digest(value) else shown(value) for value in sorted(unauthorised)[:3])
        noun = "hash" if len(unauthorised) == 1 else "hashes"
        yield "changed", f"{len(unauthorised)} {noun} seen that the entry does not list: {hashes}"
    elif row.entry.pinned and not row.hashes:
        yield "unverified", "the entry is pinned, and the service shows no hash; the plan of the account may hide it"


def find_in_entries(entries: t.Sequence[Entry], rows: t.Iterable[Row], hosts: t.Sequence[str], today: str) -> list[Finding]:
    """Return the findings about entries; `hosts` are those that the listing was limited to."""
    used = frozenset[str]().union(*(row.matching for row in rows))
    found: list[tuple[str, str, str]] = []
    for entry in entries:
        name, declared = entry.name, entry.declared
        if declared["review_by"] is not None and declared["review_by"] < today:
            found.append((name, "expired", f"had to be reviewed by {declared['review_by']}"))
        missing = [member for member in AUTHORISATION if not declared[member]]
        if missing:
            found.append((name, "unjustified", f"has no {', '.join(missing)}"))
        if name not in used and _is_in_scope(entry, hosts):
            if declared["required"]:
                found.append((name, "gone", "is required, and no listed script matches it"))
            else:
                found.append((name, "unused", "matches no listed script"))
    return [Finding(kind, None, None, name, f"the entry {shown(clean_text(name))} {text}") for name, kind, text in found]


def _is_in_scope(entry: Entry, hosts: t.Sequence[str]) -> bool:
    """Return whether a listing that was limited to some hosts can show a script of the entry."""
    return not hosts or not entry.hosts or any(_limits(limit.lower(), host) for limit in hosts for host in entry.hosts)


def _limits(limit: str, host: str) -> bool:
    """Return whether a limit, which may have a star at its start and at its end, includes a host."""
    text = limit.strip("*")
    if limit.startswith("*"):
        return text in host if limit.endswith("*") else host.endswith(text)
    return host.startswith(text) if limit.endswith("*") else host == text


def find_in_audit(enabled: bool, seen: int, last: LastRecord, at: datetime.datetime, max_gap_days: float) -> list[Finding]:
    """Return the findings about the audit as a whole."""
    found = []
    if not enabled:
        found.append(("monitor_off", "the script monitor is disabled, so the service sees no script"))
    if not seen:
        text = (
            "the service lists no script: it samples, and shows nothing before about an hour and 100 requests from browsers;"
            " look at the zone's traffic, at hosts and status, and audit again later"
        )
        found.append(("nothing_seen", text))
    seconds = (at - last.at).total_seconds() if last.at else 0
    if seconds > max_gap_days * 86400:
        text = f"the last record is {seconds / 86400:.1f} days old, more than {max_gap_days:g}: changes in between are unknown"
        found.append(("evidence_gap", text))
    if last.problem is not None:
        found.append(("history_broken", last.problem))
    return [Finding(kind, None, None, None, message) for kind, message in found]


def in_order(findings: t.Iterable[Finding]) -> list[Finding]:
    """Return findings sorted by kind, URL, host and entry."""
    place = {kind: index for index, kind in enumerate(FINDINGS)}
    return sorted(findings, key=lambda each: (place[each.kind], each.script_url or "", each.host or "", each.entry or ""))
