# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import typing as t

from edgeops_simulator.jsontext import is_a
from edgeops_simulator.settings import Settings
from edgeops_simulator.state.owners import Account, Owner, Zone
from edgeops_simulator.state.part import BadSeed, Document, JobIds, need
from edgeops_simulator.state.transformers import Transformers

ACCOUNT_KEY = "accounts/"
DEFAULT_ACCOUNT = {"id": "0" * 32, "name": "Simulated account"}
_PARTS = {name: None for owner in (Zone(""), Account("")) for name in owner.parts()}
PARTS = tuple(_PARTS)
MEMBERS = ("zones", "accounts", *PARTS, "settings", "faults", "next_job_id")


@dataclasses.dataclass
class Credentials:
    token: str
    email: str | None = None
    key: str | None = None


@dataclasses.dataclass
class Service:
    """The whole state: zones and accounts by id, settings, and the ids of jobs."""

    credentials: Credentials
    zones: dict[str, Zone] = dataclasses.field(default_factory=dict)
    accounts: dict[str, Account] = dataclasses.field(default_factory=dict)
    settings: Settings = dataclasses.field(default_factory=Settings)
    job_ids: JobIds = dataclasses.field(default_factory=JobIds)

    def copy(self) -> Service:
        """Return a copy on which a seed can be tried. It shares the parts, which are replaced by a seed, never changed."""
        zones = {zone_id: dataclasses.replace(zone) for zone_id, zone in self.zones.items()}
        accounts = {account_id: dataclasses.replace(account) for account_id, account in self.accounts.items()}
        settings, job_ids = dataclasses.replace(self.settings), JobIds(self.job_ids.following)
        return dataclasses.replace(self, zones=zones, accounts=accounts, settings=settings, job_ids=job_ids)

    def adopt(self, other: Service) -> None:
        """Replace the state with another one, except the credentials."""
        self.zones, self.accounts, self.settings = other.zones, other.accounts, other.settings
        self.job_ids = other.job_ids

    def account_of(self, owner: Owner) -> Account | None:
        if isinstance(owner, Zone):
            return self.accounts.get(owner.account.get("id", ""))
        return owner if isinstance(owner, Account) else None

    def owners_in(self, account: Account) -> t.Iterator[Owner]:
        """Yield an account and its zones."""
        yield account
        yield from (zone for zone in self.zones.values() if zone.account.get("id") == account.id)

    def save(self) -> Document:
        """Return the whole state in the form that `load` reads."""
        document: Document = {"zones": [zone.summary() for zone in self.zones.values()]}
        document["accounts"] = [{"id": account.id, "name": account.name} for account in self.accounts.values()]
        owners: list[tuple[str, Owner]] = list(self.zones.items())
        owners += [(ACCOUNT_KEY + account_id, account) for account_id, account in self.accounts.items()]
        for name in PARTS:
            document[name] = {key: owner.parts()[name].save() for key, owner in owners if name in owner.parts()}
        return {**document, "settings": self.settings.document(), "next_job_id": self.job_ids.following}

    def load(self, document: t.Any) -> None:
        """Load a document. Each part in it replaces the current part; zones and accounts that it does not name are not changed."""
        unknown = sorted(set(need(dict, document, "a seed")) - set(MEMBERS))
        if unknown:
            raise BadSeed(f"unknown members: {', '.join(unknown)}; known are {', '.join(MEMBERS)}")
        for account in need(list, document.get("accounts") or [], "accounts"):
            self._load_account(account)
        for zone in need(list, document.get("zones") or [], "zones"):
            self._load_zone(zone)
        for name in PARTS:
            for key, value in need(dict, document.get(name) or {}, name).items():
                owner = self._owner(key)
                if name not in owner.parts():
                    raise BadSeed(f"{name}.{key}: {owner.kind} has no {name}")
                setattr(owner, name, type(owner.parts()[name]).load(self.job_ids, value, f"{name}.{key}"))
        for key in document.get("jobs") or {}:
            self._add_transformers(self._owner(key))
        try:
            self.settings.change(need(dict, document.get("settings") or {}, "settings"))
        except ValueError as problem:
            raise BadSeed(str(problem)) from None
        self.job_ids.skip(need(int, document.get("next_job_id") or 1, "next_job_id") - 1)

    def _owner(self, key: str) -> Owner:
        """Return the owner of a part: an account if the key has its prefix or only an account has the id, otherwise a zone."""
        if key.startswith(ACCOUNT_KEY) or (key in self.accounts and key not in self.zones):
            return self._account(key.removeprefix(ACCOUNT_KEY))
        return self._zone(key)

    def _add_transformers(self, owner: Owner) -> None:
        """Add the transformers that seeded jobs refer to, and which the seed does not contain."""
        account = self.account_of(owner)
        named = {job["transformer_id"] for job in owner.jobs.values() if is_a(job["transformer_id"], int)}
        for number in sorted(named - {0}):
            if account is not None and number not in account.transformers:
                account.transformers = Transformers(account.transformers)
                account.transformers.add(self.job_ids, {"id": number, "name": f"transformer-{number}"}, 0)

    def _zone(self, zone_id: str) -> Zone:
        """Return the zone with this id, or add it; a new zone belongs to the first account."""
        if zone_id not in self.zones:
            first = next(iter(self.accounts.values()), None)
            account = {"id": first.id, "name": first.name} if first else dict(DEFAULT_ACCOUNT)
            self._account(account["id"], account["name"])
            self.zones[zone_id] = Zone(zone_id, f"zone-{zone_id}.example", account=account)
        return self.zones[zone_id]

    def _account(self, account_id: str, name: str | None = None) -> Account:
        return self.accounts.setdefault(account_id, Account(account_id, name or account_id))

    def _load_account(self, described: t.Any) -> None:
        described = {"id": described} if isinstance(described, str) else described
        if not isinstance(described, dict) or not described.get("id") or not isinstance(described["id"], str):
            raise BadSeed("an account is an id, or an object with at least an id")
        account = self._account(described["id"])
        account.name = need(str, described.get("name", account.name), "name of an account")
        for zone in self.zones.values():
            if zone.account.get("id") == account.id:
                zone.account = {**zone.account, "name": account.name}

    def _load_zone(self, described: t.Any) -> None:
        described = {"id": described} if isinstance(described, str) else described
        if not isinstance(described, dict) or not described.get("id") or not isinstance(described["id"], str):
            raise BadSeed("a zone is an id, or an object with at least an id")
        account = described.get("account", self.zones[described["id"]].account if described["id"] in self.zones else None)
        if account is not None:
            account = {"id": account} if isinstance(account, str) else dict(need(dict, account, "account of a zone"))
            if account.get("id"):
                known = self._account(need(str, account["id"], "id of the account of a zone"), account.get("name"))
                if known.name == known.id:
                    known.name = need(str, account.get("name", known.id), "name of the account of a zone")
                account.setdefault("name", known.name)
        zone = self._zone(described["id"]) if account is None else self.zones.setdefault(described["id"], Zone(described["id"]))
        zone.name = zone.name or f"zone-{zone.id}.example"
        for name in ("name", "status"):
            setattr(zone, name, need(str, described.get(name, getattr(zone, name)), f"{name} of a zone"))
        zone.account = zone.account if account is None else account
        zone.more = {
            **zone.more,
            **{name: described[name] for name in described if name not in ("id", "name", "status", "account")},
        }
