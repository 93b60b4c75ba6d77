# SPDX-License-Identifier: GPL-3.0-or-later

"""A model of zones over time: it makes random changes, writes the evidence of each audit, and lists the changes that a document must have."""

from __future__ import annotations

import datetime
import hashlib
import random
import typing as t
from pathlib import Path

from support.chains import SCOPE

from ansible_collections.edgeops.observability.plugins.module_utils._chain.evidence import Evidence
from ansible_collections.edgeops.observability.plugins.module_utils._chain.kinds import SCRIPTS

Change = tuple[str, str, str, str]
OWNER, REASON, AUTHOR = "payments@example.com", "card fields of the checkout", "j.doe"


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def entry_of(url: str, hashes: t.Sequence[str], **members: t.Any) -> dict[str, t.Any]:
    declared = {"name": url, "url": url, "hosts": [], "owner": OWNER, "justification": REASON, "authorised_by": AUTHOR}
    declared |= {"authorised_on": "2026-01-01", "review_by": None, "integrity": "pinned", "integrity_reason": None}
    return {**declared, "hashes": sorted(hashes), "required": False, **members}


class ModelZone:
    """One zone: its scripts with their hashes, the baseline, and the changes that audits found."""

    def __init__(self, zone_id: str, folder: Path, chance: random.Random) -> None:
        self.zone_id, self.folder, self.chance = zone_id, folder, chance
        self.scripts: dict[str, str] = {}
        self.entries: dict[str, dict[str, t.Any]] = {}
        self.scope = dict(SCOPE)
        self.monitored = True
        self.changes: list[Change] = []
        self.audits = 0
        self._recorded: dict[str, str] = {}
        self._unauthorised: set[str] = set()
        self._open: set[tuple[str, str]] = set()
        self._count = 0
        self._scope: t.Mapping[str, t.Any] = SCOPE

    def host_of(self, url: str) -> str:
        return "shop.example" if int(hash_of(url)[:2], 16) % 2 else "pay.example"

    def live(self) -> None:
        """Make one random change between two audits, or none."""
        what = self.chance.choice(("add", "change", "remove", "authorise", "authorise", "scope", "monitor", "nothing", "nothing"))
        urls = sorted(self.scripts)
        if what == "add" or not urls:
            self._count += 1
            url = f"https://cdn.example/{self._count}.js"
            self.scripts[url] = hash_of(url)
        elif what == "change":
            url = self.chance.choice(urls)
            self.scripts[url] = hash_of(f"{url} {self.chance.random()}")
        elif what == "remove":
            del self.scripts[self.chance.choice(urls)]
        elif what == "authorise":
            url = self.chance.choice(urls)
            known = self.entries.get(url, {}).get("hashes", [])
            self.entries[url] = entry_of(url, {*known, self.scripts[url]})
        elif what == "scope":
            self.scope = {**SCOPE, "hosts": self.chance.choice(([], ["shop.example"]))}
        elif what == "monitor":
            self.monitored = not self.monitored

    def audit(self, at: datetime.datetime) -> None:
        """Write the record of an audit, and note the changes that it finds."""
        day, looked_at = at.strftime("%Y-%m-%dT%H:%M:%SZ"), {url for url in self.scripts if self._is_looked_at(url)}
        listed = sorted(looked_at) if self.monitored else []
        findings, inventory = [], []
        for url in listed:
            kind = self._finding(url)
            findings += [self._document(kind, url)] if kind else []
            script = {"script_id": hash_of(url)[:32], "script_url": url, "host": self.host_of(url), "status": "active"}
            script |= {"hash": self.scripts[url], "js_integrity_score": 90, "first_seen_at": None, "malicious": False}
            entry = url if url in self.entries else None
            inventory.append({"script": script, "entry": entry, "findings": [kind] if kind else []})
        if not self.monitored:
            findings.append(
                {"kind": "monitor_off", "script_url": None, "host": None, "entry": None, "message": "off", "pages": None}
            )
        record = {
            "monitor": {"enabled": self.monitored, "updated_at": None, "sampled": True},
            "scope": self.scope,
            "inventory": inventory,
            "findings": findings,
            "passed": not findings,
        }
        with Evidence.prepare(str(self.folder), self.zone_id, SCRIPTS).opened() as records:
            records.keep(at, at, record, {"baseline_digest": list(self.entries.values())}, lambda value: value)
        self._note(day, listed, {(finding["kind"], finding["script_url"] or "") for finding in findings})
        self.audits += 1

    def _finding(self, url: str) -> str:
        if url not in self.entries:
            return "new"
        return "" if self.scripts[url] in self.entries[url]["hashes"] else "changed"

    def _document(self, kind: str, url: str) -> dict[str, t.Any]:
        about = {"kind": kind, "script_url": url, "host": self.host_of(url), "entry": url if kind == "changed" else None}
        return {**about, "message": f"what {kind} means", "pages": None}

    def _is_looked_at(self, url: str) -> bool:
        return not self.scope["hosts"] or self.host_of(url) in self.scope["hosts"]

    def _note(self, day: str, listed: t.Sequence[str], findings: set[tuple[str, str]]) -> None:
        if self.audits and self.scope != self._scope:
            self.changes.append((day, self.zone_id, "scope", ""))
        self._scope = self.scope
        changes = [*(self._of_scripts(listed) if listed else ()), *self._of_findings(findings)]
        self.changes += [(day, self.zone_id, what, url) for what, url in changes]

    def _of_scripts(self, listed: t.Sequence[str]) -> t.Iterator[tuple[str, str]]:
        for url in listed:
            if url not in self._recorded:
                yield "seen", url
            elif self._recorded[url] != self.scripts[url]:
                yield "changed", url
            self._recorded[url] = self.scripts[url]
            if self._finding(url):
                self._unauthorised.add(url)
            elif url in self._unauthorised:
                self._unauthorised.discard(url)
                yield "authorised", url
        for url in [url for url in self._recorded if url not in listed and self._is_looked_at(url)]:
            del self._recorded[url]
            self._unauthorised.discard(url)
            yield "gone", url

    def _of_findings(self, findings: set[tuple[str, str]]) -> t.Iterator[tuple[str, str]]:
        yield from (("opened", url) for _kind, url in sorted(findings - self._open))
        yield from (("closed", url) for _kind, url in sorted(self._open - findings))
        self._open = findings


def make_histories(
    folder: Path,
    seed: int,
    days: int,
    zones: int = 2,
    *,
    lively: float = 1.0,
    pauses: t.Sequence[int] = (1, 1, 1, 1, 2, 5, 8),
) -> tuple[list[ModelZone], list[tuple[str, str]]]:
    """Write the evidence of some zones for a number of days; return the zones and, as (time, zone id), the gaps of more than five days.

    `lively` is the probability of a change before an audit, `pauses` are the possible numbers of days between two audits.
    """
    chance, start = random.Random(seed), datetime.datetime(2026, 1, 1, 6, tzinfo=datetime.timezone.utc)
    models = [ModelZone(hash_of(f"{seed} {number}")[:32], folder, chance) for number in range(zones)]
    gaps = []
    for model in models:
        day, last = 0, None
        while day < days:
            if not model.audits or chance.random() < lively:
                model.live()
            model.audit(start + datetime.timedelta(day))
            if last is not None and day - last > 5:
                gaps.append(((start + datetime.timedelta(day)).strftime("%Y-%m-%dT%H:%M:%SZ"), model.zone_id))
            last = day
            day += chance.choice(pauses)
    return models, gaps


SHOWN = {"shop.example.com": "1" * 32, "pay.example.com": "2" * 32, "tickets.example.com": "3" * 32}


def make_showcase(folder: Path) -> dict[str, str]:
    """Write the evidence of invented zones for a picture; return the names of the zones by their ids."""
    start = datetime.datetime(2026, 1, 1, 6, tzinfo=datetime.timezone.utc)
    for place, zone_id in enumerate(SHOWN.values()):
        model = ModelZone(zone_id, folder, random.Random(place))
        for number in range(6 + 3 * place):
            url = f"https://cdn.example/{number}.js"
            model.scripts[url] = hash_of(url)
            model.entries[url] = entry_of(url, [hash_of(url)])
        changed, added = "https://cdn.example/1.js", "https://tags.example/campaign.js"
        # Each audit reads all earlier ones.
        for day in range(0, 360, 2):
            if day == 70 + 90 * place:
                model.scripts[changed] = hash_of(f"{changed} {day}")
            if day == 74 + 90 * place:
                on = str((start + datetime.timedelta(day)).date())
                model.entries[changed] = entry_of(changed, [hash_of(changed), model.scripts[changed]], authorised_on=on)
            if place == 1 and day == 210:
                model.scripts[added] = hash_of(added)
            if place == 1 and day == 226:
                del model.scripts[added]
            if not 120 <= day - 40 * place < 124:
                model.audit(start + datetime.timedelta(day))
    return {zone_id: name for name, zone_id in SHOWN.items()}
