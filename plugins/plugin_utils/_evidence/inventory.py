# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from ...module_utils._baseline.entries import PINNED
from ...module_utils._baseline.pattern import normalize_url
from ...module_utils._chain.kinds import SCRIPTS, is_digest
from ...module_utils._chain.records import CheckedRecord
from ...module_utils._core import Json
from ...module_utils._scripts.facts import REPORTED, SCORE
from .audits import day_of
from .endings import Verdict, hashes_of
from .events import NOT_AUTHORISED

# The scripts of a record, by what tells them apart.

# With one of these, no baseline of the record authorises the script as it was seen; the first that applies names the episode.
NEW, HASH_CHANGED, UNJUSTIFIED = KINDS_NOT_AUTHORISED = ("new", "changed", "unjustified")


class Identity(t.NamedTuple):
    """What tells scripts apart: URL without fragment and host, without a visible URL host and hash, or else the id of the service."""

    url: str
    host: str
    rest: str = ""


class Seen(t.NamedTuple):
    """A script of one record; `alike` is the number of scripts without a visible URL that look the same."""

    hash: str
    status: str
    entry: str
    findings: frozenset[str]
    # What its score meant to the audit; None without a verdict.
    is_malicious: bool | None = False
    score: float | None = None
    # Whether the service showed that nobody reports it; where it shows nothing, the plan may hide it.
    is_unreported: bool = False
    alike: int = 1

    @property
    def verdict(self) -> Verdict:
        return Verdict(self.is_malicious, self.score)

    def not_authorised_by(self, declared: t.Mapping[str, Json]) -> str:
        """Return as what the audit found a script that its entry does not authorise, "" if it does; a hash that it does not list is changed."""
        kind = next((kind for kind in KINDS_NOT_AUTHORISED if kind in self.findings), "")
        is_other = self.hash and declared.get("integrity") == PINNED and self.hash not in hashes_of(declared)
        return kind or (HASH_CHANGED if is_other else "")


class Listed(t.NamedTuple):
    """A script of the inventory, with its entry, the entry's declaration and its findings; `left` are former ones that are not resolved."""

    script_url: str
    host: str
    seen: Seen
    declared: t.Mapping[str, Json]
    is_authorised: bool
    left: tuple[str, ...] = ()

    @property
    def entry(self) -> str:
        return self.seen.entry

    @property
    def message(self) -> str:
        kinds = [kind for kind in SCRIPTS.findings if kind in self.seen.findings]
        left = [f"{kind} is not resolved" for kind in self.left]
        return ", ".join([*how_many(self.seen), *(kinds or ([] if self.is_authorised else [NOT_AUTHORISED])), *left])


class Known:
    """What the audits know of a script: its last hash and status, when it was first seen, and the statuses that were asked for when it was last.

    `last_at` is when it was last seen, of a script that audits no longer look at.
    """

    def __init__(self, seen: Seen, at: datetime.datetime) -> None:
        self.hash, self.status, self.first_day, self.asked = seen.hash, seen.status, day_of(at), frozenset[str]()
        self.last_at = at


Inventory = dict[Identity, Seen]


class Likeness:
    """Which scripts an inventory may have under another identity, because the service shows the URL or the host of one of both only."""

    def __init__(self, now: Inventory, known: t.Mapping[Identity, Known]) -> None:
        self._hosts_of_hidden = {identity.host for identity in now if not identity.url}
        self._urls_of_hidden = {identity.url for identity in now if not identity.host}
        self._urls = {identity.url for identity in now}
        self._now, self._known = now, known

    def may_have(self, identity: Identity) -> bool:
        """Return whether a script that is not listed as such may be one of the inventory."""
        url, host = identity.url, identity.host
        if not url:
            return any(self._may_be(identity, other, seen.hash) for other, seen in self._now.items())
        hosts = self._hosts_of_hidden
        return host in hosts or "" in hosts or url in self._urls_of_hidden or (not host and (bool(hosts) or url in self._urls))

    def _may_be(self, hidden: Identity, shown: Identity, value: str) -> bool:
        """Return whether a script is shown, since another one is not listed any more, that may be the other with its URL."""
        is_new = self._known[shown].first_day >= day_of(self._known[hidden].last_at)
        # What tells scripts without a URL apart is the hash, where there is one.
        is_other = is_digest(hidden.rest) and value not in ("", hidden.rest)
        return bool(shown.url) and is_new and not is_other and (hidden.host in ("", shown.host) or not shown.host)


_BY_URL, _BY_DOMAIN = REPORTED
_NUMBERS = (int, float)


class Reader:
    """Reads the inventories of a chain; names are alike in nearly all of its records."""

    def __init__(self) -> None:
        self._names: dict[tuple[str | None, str | None], tuple[str, str]] = {}

    def read(self, record: CheckedRecord) -> Inventory:
        inventory: Inventory = {}
        for item in record["inventory"]:
            script, findings = item["script"], frozenset(item["findings"])
            value = (script["hash"] or "").lower()
            get = script.get
            verdict, score = get("malicious"), get(SCORE)
            # What the service says is the finding, also where the record lacks that.
            if verdict is True:
                findings |= {"malicious"}
            if get(_BY_URL) is True or get(_BY_DOMAIN) is True:
                findings |= {"reported"}
            seen = Seen(
                value,
                script["status"] or "",
                item["entry"] or "",
                findings,
                verdict if verdict is True or verdict is False else None,
                # A year has more than a million scripts: these are the types of JSON, and nothing else is asked of them.
                score if type(score) in _NUMBERS else None,
                get(_BY_URL) is False and get(_BY_DOMAIN) is False,
            )
            url, host = self.name(script["script_url"], script["host"])
            identity = Identity(url, host, "" if url else value or script["script_id"])
            same = inventory.get(identity)
            if same is not None:
                seen = together(same, seen, is_another=not url)
            inventory[identity] = seen
        return inventory

    def with_findings(self, inventory: Inventory, record: CheckedRecord, kinds: t.Container[str]) -> Inventory:
        """Return the inventory with the findings of the record; where the two differ, the worse of both holds."""
        lacking: dict[Identity, set[str]] = {}
        for finding in record["findings"]:
            identity = Identity(*self.name(finding["script_url"], finding["host"]))
            seen = inventory.get(identity) if identity.url and finding["kind"] in kinds else None
            if seen is not None and finding["kind"] not in seen.findings:
                lacking.setdefault(identity, set()).add(finding["kind"])
        more = {
            identity: seen._replace(findings=seen.findings | lacking[identity])
            for identity, seen in inventory.items()
            if identity in lacking
        }
        return {**inventory, **more} if more else inventory

    def name(self, url: str | None, host: str | None) -> tuple[str, str]:
        """Return URL and host as they identify a script."""
        named = self._names.get((url, host))
        if named is None:
            named = self._names[url, host] = (normalize_url(url or ""), (host or "").lower())
        return named


def count(inventory: Inventory | None) -> int:
    """Return the number of scripts, of which several may be one row."""
    return sum(seen.alike for seen in (inventory or {}).values())


def how_many(seen: Seen) -> list[str]:
    return [f"{seen.alike} scripts without a visible URL that have this hash"] if seen.alike > 1 else []


def together(first: Seen, second: Seen, *, is_another: bool) -> Seen:
    """Return what is known of a script that stands twice in an inventory, or of two that nothing tells apart: the worse of both."""
    verdicts = (first.is_malicious, second.is_malicious)
    return second._replace(
        findings=first.findings | second.findings,
        is_malicious=True if True in verdicts else None if None in verdicts else False,
        is_unreported=first.is_unreported and second.is_unreported,
        alike=first.alike + is_another,
    )
