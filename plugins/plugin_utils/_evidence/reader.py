# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._baseline.pattern import normalize_url
from ...module_utils._chain.kinds import OF_SCRIPTS
from ...module_utils._chain.records import CheckedRecord
from ...module_utils._scripts.facts import REPORTED, SCORE
from .chronicle import Finding
from .inventory import Identity, Inventory, Seen, how_many, together

# What the records of a chain list and what they found, of which most refer to the inventory of an earlier record.

_BY_URL, _BY_DOMAIN = REPORTED
_NUMBERS = (int, float)


class Reader:
    """Reads the records of a chain in their order; `inventory` is what the record at hand lists, None if it refers to one that is not there any more."""

    def __init__(self) -> None:
        self.inventory: Inventory | None = {}
        # The last inventory that stands in a record, where, and the findings in it.
        self._whole: Inventory = {}
        self._seq = 0
        self._found: set[Finding] = set()
        self._kinds = frozenset[str]()
        # Names are alike in nearly all records.
        self._names: dict[tuple[str | None, str | None], tuple[str, str]] = {}

    def take(self, record: CheckedRecord) -> None:
        """Take the inventory of a record, with the findings of the record; where the two differ, the worse of both holds."""
        if "inventory" in record:
            self._whole, self._seq = self._read(record), record["seq"]
            self._found = {
                Finding(kind, *identity)
                for identity, seen in self._whole.items()
                if seen.findings
                for kind in seen.findings & OF_SCRIPTS
            }
            self._kinds = frozenset[str]().union(*(seen.findings for seen in self._whole.values()))
            self.inventory = self._whole
        else:
            self.inventory = self._whole if record["inventory_same_as"] == self._seq else None
        if self.inventory and record["findings"]:
            self.inventory = self._with_findings(self.inventory, record)

    @property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of findings that stand in the inventory."""
        return self._kinds if self.inventory else frozenset()

    def findings(self, record: CheckedRecord) -> dict[Finding, str]:
        """Return the findings of the inventory and of the record at hand, with their messages."""
        return {**dict.fromkeys(self._found if self.inventory else (), ""), **dict(self.named(record))}

    def named(self, record: CheckedRecord) -> t.Iterator[tuple[Finding, str]]:
        """Yield the findings that the record at hand names itself, with their messages."""
        for finding in record["findings"]:
            kind, url, message = finding["kind"], finding["script_url"], finding["message"] or ""
            name, host = self.name(url, finding["host"])
            if kind not in OF_SCRIPTS:
                yield Finding(kind, name, host, "", finding["entry"] or ""), message
                continue
            if url:
                yield Finding(kind, name, host), message
                continue
            # Such findings are equal; the inventory tells their scripts apart.
            same = [
                identity
                for identity, seen in (self.inventory or {}).items()
                if not identity.url and identity.host == host and kind in seen.findings
            ]
            for identity in same or [Identity("", host)]:
                many = how_many(self.inventory[identity]) if self.inventory and same else []
                yield Finding(kind, "", host, identity.rest), "; ".join(filter(None, (message, *many)))

    def _read(self, record: CheckedRecord) -> Inventory:
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

    def _with_findings(self, inventory: Inventory, record: CheckedRecord) -> Inventory:
        lacking: dict[Identity, set[str]] = {}
        for finding in record["findings"]:
            identity = Identity(*self.name(finding["script_url"], finding["host"]))
            seen = inventory.get(identity) if identity.url and finding["kind"] in OF_SCRIPTS else None
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
