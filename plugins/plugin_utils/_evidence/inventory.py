# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from ...module_utils._baseline.entries import PINNED
from ...module_utils._chain.kinds import SCRIPTS, is_digest
from ...module_utils._core import Json
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
