# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import datetime
import typing as t

from .._core import Json
from .._redact import clean_text
from .._text import list_of, parse_date, parse_time, shown
from .baseline import Entry
from .chain import is_digest
from .facts import FINDINGS
from .inventory import Script, categories_of, is_reported
from .pattern import normalize_url

# What was seen of one script: everything that the service lists under the same URL and host, because identifiers are not stable.


Identity = tuple[str, str, str]
# Before every time; a script without a usable one was not seen last.
NEVER = datetime.datetime.min.replace(tzinfo=datetime.timezone.utc)


class Observation(t.NamedTuple):
    """One script of a host, with all that was listed of it (`scripts`, the latest last)."""

    url: str | None
    host: str | None
    scripts: tuple[Script, ...]

    @property
    def latest(self) -> Script:
        """Return the latest script under this URL and host."""
        return self.scripts[-1]

    def hashes(self, since: datetime.datetime | None) -> frozenset[str]:
        """Return the hashes listed, and those of versions that the service fetched after the last record; else the latest version's."""
        versions = self._versions()
        found = [script.get("hash") for script in self.scripts]
        if since is not None:
            found += [version.get("hash") for version in versions if _is_after(version.get("fetched_at"), since)]
        if versions and not any(found):
            # Some plans hide the hash in the listing and show it in the versions.
            found.append(max(versions, key=lambda version: parse_time(version.get("fetched_at")) or NEVER).get("hash"))
        return frozenset(value.lower() for value in found if isinstance(value, str) and value)

    def pages(self) -> tuple[str, ...]:
        """Return the pages that the service names for the script, those seen last and the first one."""
        listed = [page for script in self.scripts for page in (*list_of(script.get("seen_on")), script.get("seen_on_first"))]
        return tuple(dict.fromkeys(page for page in listed if isinstance(page, str) and page))

    def _versions(self) -> list[dict[str, Json]]:
        listed = (version for script in self.scripts for version in list_of(script.get("versions")))
        return [version for version in listed if isinstance(version, dict)]


def observe(scripts: t.Iterable[Script]) -> list[Observation]:
    """Return the observations in what was listed, sorted by URL and host."""
    found: dict[Identity, list[Script]] = {}
    for script in scripts:
        found.setdefault(_identity(script), []).append(script)
    return [_observation(key, found[key]) for key in sorted(found)]


def _identity(script: Script) -> Identity:
    host = str(script.get("host") or "").lower()
    url = script.get("script_url")
    if isinstance(url, str) and url:
        return normalize_url(url), host, ""
    # Without a URL, only the identifier distinguishes two scripts of a host.
    return "", host, script["script_id"]


def _observation(key: Identity, scripts: list[Script]) -> Observation:
    if len(scripts) > 1:  # of most there is one, whose time need not be read
        scripts = sorted(scripts, key=lambda script: (_last_seen(script), script["script_id"]))
    return Observation(key[0] or None, key[1] or None, tuple(scripts))


def _last_seen(script: Script) -> datetime.datetime:
    """Return when a script was seen last; a day means its beginning."""
    value = script.get("last_seen_at")
    return parse_time(value) or parse_time(f"{parse_date(value)}T00:00:00Z") or NEVER


def _is_after(fetched_at: Json, since: datetime.datetime) -> bool:
    """Return whether a version came after a time; one without a usable time counts, so that nothing passes as unchanged."""
    time = parse_time(fetched_at)
    return time is None or time > since


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
    """One script with the entry of the baseline that it belongs to, the names of all that match, and the hashes that were seen."""

    seen: Observation
    entry: Entry | None
    matching: frozenset[str]
    hashes: frozenset[str]
    pages: list[str] | None = None

    @property
    def unauthorised(self) -> frozenset[str]:
        """Return the current hashes that the entry does not list, if it is pinned."""
        return self.hashes - self.entry.hashes if self.entry is not None and self.entry.pinned else frozenset()


NOTHING_SEEN = (
    "the service lists no script: it samples, and shows nothing before about an hour and 100 requests from browsers;"
    " look at the zone's traffic, at hosts and status, and audit again later"
)


class LastRecord(t.NamedTuple):
    """What an audit needs of the evidence: when the last record was made, from when on versions are news, and what is broken.

    Without any record `since` is None: a first audit has nothing to compare versions with.
    """

    at: datetime.datetime | None = None
    since: datetime.datetime | None = None
    problem: str | None = None


def find_in_script(row: Row) -> list[Finding]:
    """Return the findings about one script."""
    kinds = _kinds(row)
    entry = row.entry.name if row.entry else None
    return [Finding(kind, row.seen.url, row.seen.host, entry, clean_text(message), row.pages) for kind, message in kinds]


def _kinds(row: Row) -> t.Iterator[tuple[str, str]]:
    scripts = row.seen.scripts
    if any(script["malicious"] for script in scripts):
        yield "malicious", "; ".join(_reasons(scripts))
    if any(map(is_reported, scripts)):
        categories = dict.fromkeys(category for script in scripts for category in categories_of(script))
        yield "reported", "; ".join(["the URL or the domain is reported as malicious", *categories])
    if row.entry is None:
        yield "new", "no entry of the baseline covers it" if row.seen.url else "the service shows no URL, so no entry covers it"
    elif row.unauthorised:
        hashes = ", ".join(value if is_digest(value) else shown(value) for value in sorted(row.unauthorised)[:3])
        noun = "hash" if len(row.unauthorised) == 1 else "hashes"
        yield "changed", f"{len(row.unauthorised)} {noun} seen that the entry does not list: {hashes}"
    elif row.entry.pinned and not row.hashes:
        yield "unverified", "the entry is pinned, and the service shows no hash; the plan of the account may hide it"


def _reasons(scripts: t.Iterable[Script]) -> list[str]:
    return list(dict.fromkeys(reason for script in scripts if script["malicious"] for reason in script["malicious_reasons"]))


def find_in_entries(entries: t.Sequence[Entry], rows: t.Iterable[Row], hosts: t.Sequence[str], today: str) -> list[Finding]:
    """Return the findings about entries; `hosts` are those that the listing was limited to."""
    used = frozenset[str]().union(*(row.matching for row in rows))
    found = []
    for entry in entries:
        if entry.review_by is not None and entry.review_by < today:
            found.append(_about(entry, "expired", f"had to be reviewed by {entry.review_by}"))
        if entry.missing:
            found.append(_about(entry, "unjustified", f"has no {', '.join(entry.missing)}"))
        if entry.name not in used and _is_in_scope(entry, hosts):
            found.append(
                _about(entry, "gone", "is required, and no listed script matches it")
                if entry.required
                else _about(entry, "unused", "matches no listed script")
            )
    return found


def _about(entry: Entry, kind: str, text: str) -> Finding:
    return Finding(kind, None, None, entry.name, f"the entry {shown(clean_text(entry.name))} {text}")


def _is_in_scope(entry: Entry, hosts: t.Sequence[str]) -> bool:
    """Return whether a listing that was limited to some hosts can show a script of the entry."""
    return not hosts or not entry.hosts or any(_limits(limit.lower(), host) for limit in hosts for host in entry.hosts)


def _limits(limit: str, host: str) -> bool:
    """Return whether a host is in a limit, which may have a star at its start and at its end."""
    text = limit.strip("*")
    if limit.startswith("*"):
        return text in host if limit.endswith("*") else host.endswith(text)
    return host.startswith(text) if limit.endswith("*") else host == text


def find_in_audit(enabled: bool, seen: int, last: LastRecord, at: datetime.datetime, max_gap: float) -> list[Finding]:
    """Return the findings about the audit as a whole."""
    found = []
    if not enabled:
        found.append(("monitor_off", "the script monitor is disabled, so the service sees no script"))
    if not seen:
        found.append(("nothing_seen", NOTHING_SEEN))
    if last.at is not None and (at - last.at).total_seconds() > max_gap * 86400:
        days = (at - last.at).total_seconds() / 86400
        found.append(
            ("evidence_gap", f"the last record is {days:.1f} days old, more than {max_gap:g}: changes in between are unknown")
        )
    if last.problem is not None:
        found.append(("history_broken", last.problem))
    return [Finding(kind, None, None, None, message) for kind, message in found]


def in_order(findings: t.Iterable[Finding]) -> list[Finding]:
    """Return findings sorted by kind, URL, host and entry."""
    place = {kind: index for index, kind in enumerate(FINDINGS)}
    return sorted(findings, key=lambda each: (place[each.kind], each.script_url or "", each.host or "", each.entry or ""))


def count_by_kind(findings: t.Iterable[Finding]) -> dict[str, int]:
    """Return how many findings of each kind there are; every kind is there."""
    counted = collections.Counter(finding.kind for finding in findings)
    return {kind: counted[kind] for kind in FINDINGS}
