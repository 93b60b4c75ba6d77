# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import time
import typing as t

from .._address import (
    ACCOUNT,
    MAX_ZONES_PER_QUERY,
    PAGES_SIDE_BY_SIDE,
    PER_PAGE,
    ZONE,
    Address,
    Filters,
    ListedZone,
    hosts,
    is_selected,
    query,
    read_account,
    read_zone,
    unknown_statuses,
)
from .._api.client import MAX_PARALLEL, Client
from .._content_rules.facts import DEFAULT_LOOK_BACK_DAYS
from .._content_rules.options import RuleQuery
from .._content_rules.read import add_violations
from .._content_rules.read import report as report_rules
from .._core import CONTENT_SECURITY_RULES, CUSTOM_FIELDS, NOT_FOUND, SCRIPT_MONITOR, Conclusion, Failure, Json
from .._custom_fields.read import entry_point
from .._custom_fields.result import names_of
from .._custom_fields.result import report as report_of_fields
from .._custom_fields.state import RulesetRule
from .._destination_secrets import readable_text
from .._engine.task import Params
from .._logpush import delivery
from .._logpush.costs import PUBLISHED_RATES
from .._logpush.coverage import log_field_coverage
from .._logpush.options import JobQuery
from .._logpush.read import read_boundary, read_cost
from .._logpush.read import report as report_jobs
from .._logpush.read import report_fields as report_log_fields
from .._logpush.used_fields import datasets_of
from .._notifications import read as notifications
from .._notifications.options import PolicyQuery
from .._scripts.facts import AUTO, REPORTS
from .._scripts.listing import ScriptQuery
from .._scripts.read import monitor, report_inventory
from .._text import dict_of, duration
from .record import NO_RIGHT, RawRecord

_ALL_RULES = RuleQuery(None, None, None)
_ALL_JOBS = JobQuery(None, None, None)
_ALL_POLICIES = PolicyQuery()
# The members of scripts that a report needs.
_VERDICTS = ("script_url", "host", "malicious", "malicious_reasons", *REPORTS)
_ALL_SCRIPTS = ScriptQuery(AUTO, members=_VERDICTS)

# The result of an info module for one part, or its failure.
PartResult = dict[str, Json]


class Owner(t.NamedTuple):
    """A zone or an account, with the members that identify it in its record; `is_asked`: an account that is named by its id."""

    address: Address
    record: RawRecord
    is_asked: bool = False


def survey(client: Client, params: Params, display: t.Callable[[str], None] = lambda text: None) -> Conclusion:
    """Return a record of each zone and account; a part that cannot be read is marked as failed. `display` is called with lines about the progress."""
    started = time.monotonic()
    listed = client.items("zones.list", query=query(params), per_page=PER_PAGE, parallel=PAGES_SIDE_BY_SIDE)
    zones = [zone for zone in map(read_zone, listed) if may_be_selected(zone, params)]
    owners = [*_zones(zones), *_accounts(client, zones, params)]
    wrong_statuses = unknown_statuses(params)
    if not owners:
        failure = Failure(
            NOT_FOUND, "The credentials can read no zone and no account that names, statuses and account_ids select."
        )
        raise failure.with_note(" ".join(f"{text}." for text in wrong_statuses))
    records: list[RawRecord] = []
    warnings: list[str] = []
    for record in _side_by_side(client, owners, params):
        records.append(record)
        warnings += _take_warnings(record)
        if len(records) * 10 // len(owners) > (len(records) - 1) * 10 // len(owners):
            elapsed = time.monotonic() - started
            left = seconds_left(len(records), len(owners), elapsed, client.tries, client.request_budget)
            rest = f", about {duration(left)} left" if len(records) < len(owners) else ""
            display(f"Survey: {len(records)} of {len(owners)} zones and accounts read{rest}")
    _add_violations(client, records)
    if params["delivery"]:
        _add_delivery(client, owners, records)
    known = {zone["name"].lower() for zone in zones}
    missing = [name for name in params["names"] if name.lower() not in known]
    return Conclusion(
        {"zones": records},
        (
            *warnings,
            *(f"{text}." for text in wrong_statuses),
            *(f"names: no zone that can be read is named {name!r}." for name in missing),
        ),
    )


def may_be_selected(zone: ListedZone, filters: Params) -> bool:
    """Return whether a zone is read: also one that the service lists without its account or status, which may be what is asked for."""
    values = {"account_ids": zone["account"] and zone["account"]["id"], "statuses": zone["status"]}
    return is_selected(zone, {**filters, **{option: () for option, value in values.items() if value is None}})


def seconds_left(done: int, total: int, elapsed: float, sent: int, budget: tuple[int, float] | None) -> float:
    """Return an estimate of the remaining seconds, from the pace so far and the waits for the request budget."""

    def waits(requests: float) -> float:
        return (max(requests, 1) - 1) // budget[0] * budget[1] if budget else 0.0

    busy = max(0.0, elapsed - waits(sent))
    return busy / done * (total - done) + waits(sent * total / done) - waits(sent)


def _zones(zones: t.Sequence[ListedZone]) -> t.Iterator[Owner]:
    """Yield the zones by their host names in the inventory."""
    by_id = {zone["id"]: zone for zone in zones}
    for zone_id, name in hosts((zone["id"], zone["name"]) for zone in by_id.values()):
        owner = by_id[zone_id]["account"] or {"id": None, "name": None}
        named = {"zone": name, "zone_id": zone_id, "account_id": owner["id"], "account_name": owner["name"]}
        yield Owner(Address(ZONE, zone_id), {**named, "scope": ZONE, "declared": False})


def _accounts(client: Client, zones: t.Sequence[ListedZone], filters: Filters) -> t.Iterator[Owner]:
    """Yield the accounts; if they cannot be listed, those known from zones and options, with the reason.

    Filters by zone name and status exclude all accounts.
    """
    if (filters["names"] or filters["statuses"]) and not filters["account_ids"]:
        return
    owners = {owner["id"]: owner["name"] for zone in zones if (owner := zone["account"]) and owner["id"]}
    asked = dict.fromkeys(filters["account_ids"])
    reason = Failure(
        NOT_FOUND,
        "The service does not list this account, which zones of the survey belong to. Usually the token lacks Account Settings Read for it;"
        " to leave it out, select accounts with account_ids.",
    )
    accounts: dict[str, str | None] = {}
    try:
        listed = client.items("accounts.list", per_page=PER_PAGE, parallel=PAGES_SIDE_BY_SIDE)
        accounts.update({account["id"]: account["name"] for account in map(read_account, listed)})
    except Failure as failure:
        if failure.kind not in NO_RIGHT:
            raise
        reason = failure
        # If no account is known, one record reports the failure.
        owners = {**asked, **owners} or dict.fromkeys([""] * bool(zones))
    hidden = {account: owners[account] for account in sorted(owners.keys() - accounts.keys())}
    for account, name in {**asked, **accounts, **hidden}.items():
        if not filters["account_ids"] or account in filters["account_ids"]:
            named = {"zone": f"account_{account}", "account_id": account} if account else {"zone": "accounts"}
            why = {"result": _failed(reason)} if account in hidden else {}
            record = {**named, "account_name": name, "scope": ACCOUNT, "declared": False, **why}
            yield Owner(Address(ACCOUNT, account), record, is_asked=account in asked)


def _side_by_side(client: Client, owners: t.Sequence[Owner], params: Params) -> t.Iterator[RawRecord]:
    """Yield the records in order, each as soon as it and those before it are read."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # slow to import

    with ThreadPoolExecutor(MAX_PARALLEL) as executor:
        yield from executor.map(lambda owner: _record(client.at(owner.address), owner, params), owners)


def _record(client: Client, owner: Owner, params: Params) -> RawRecord:
    if not owner.address.id:
        return owner.record
    record: RawRecord = {**owner.record, "jobs": _part(client, lambda: report_jobs(client, _ALL_JOBS))}
    if owner.is_asked and record["jobs"].get("failed"):
        # Only of an account that is known from a zone, and not listed, it is no error that its jobs cannot be read.
        record.pop("result", None)
    if params["fields"] and not record["jobs"].get("failed"):
        record["fields"] = {
            dataset: _part(client, _fields_of(client, dataset)) for dataset in datasets_of(record["jobs"]["jobs"])
        }
    if owner.address.scope == ACCOUNT:
        if params["fields"]:
            record["boundary"] = _part(client, lambda: read_boundary(client))
        if params["costs"]:
            record["cost"] = _part(client, lambda: read_cost(client, PUBLISHED_RATES))
        return {**record, "notifications": _part(client, lambda: notifications.report(client, _ALL_POLICIES))}
    scripts = _part(client, lambda: _read_scripts(client)) if params["scripts"] else None
    if scripts and not scripts.get("failed"):
        status = {"script_monitor": scripts["script_monitor"]}
    else:
        status = _part(client, lambda: {"script_monitor": monitor(client, AUTO).status})
    rules: list[RulesetRule] = []
    fields = _part(client, lambda: _read_fields(client, rules))
    if fields.get("failed"):
        # Without them it is not known which of them jobs deliver.
        record["coverage"] = fields
    elif rules and not record["jobs"].get("failed"):
        # The result of the module does not tell whether a rule is in effect.
        every, enabled = names_of(rules), names_of([rule for rule in rules if rule.enabled])
        disabled = {kind: [name for name in names if name not in enabled[kind]] for kind, names in every.items()}
        record["coverage"] = log_field_coverage(fields, record["jobs"], disabled=disabled)
    content_rules = _part(client, lambda: report_rules(client, _ALL_RULES))
    result = {CUSTOM_FIELDS: fields, SCRIPT_MONITOR: status, CONTENT_SECURITY_RULES: content_rules}
    return {**record, "result": result, "scripts": scripts}


def _read_scripts(client: Client) -> t.Mapping[str, Json]:
    """Return the scripts as their module does, with why the service may list not all of them."""
    reasons: list[str] = []
    result = report_inventory(client, _ALL_SCRIPTS, reasons.append).result
    return {**result, "incomplete": reasons[0]} if reasons else result


def _fields_of(client: Client, dataset: str) -> t.Callable[[], Conclusion]:
    return lambda: report_log_fields(client, dataset)


def _read_fields(client: Client, rules: list[RulesetRule]) -> t.Mapping[str, Json]:
    """Return the custom fields of a zone as their module does; add their rules to `rules`."""
    ruleset = entry_point(client, confirm=False)
    rules.extend(ruleset.own_rules if ruleset else ())
    return report_of_fields(ruleset)


def _part(client: Client, read: t.Callable[[], Conclusion | t.Mapping[str, Json]]) -> PartResult:
    """Return the result of a read, of a module with its warnings beside it, or its failure."""
    try:
        told = read()
    except Failure as failure:
        return _failed(client.locate(failure))
    return {**told.result, "warnings": list(told.warnings)} if isinstance(told, Conclusion) else dict(told)


def _take_warnings(record: RawRecord) -> list[str]:
    """Remove the warnings of the parts of a record, and return them with its name, as the modules of these parts would show them."""
    parts = [record.get("jobs"), record.get("notifications")]
    parts += [part for member in ("fields", "result") for part in dict_of(record.get(member)).values()]
    return [f"{record['zone']}: {text}" for part in parts if isinstance(part, dict) for text in part.pop("warnings", ())]


# Without what differs between two equal answers.
_SHOWN_OF_ERROR = ("kind", "path", "status", "errors")


def _failed(failure: Failure) -> PartResult:
    reported = failure.report()
    return {"failed": True, "msg": readable_text(str(failure)), "error": {name: reported[name] for name in _SHOWN_OF_ERROR}}


def _add_violations(client: Client, records: t.Sequence[RawRecord]) -> None:
    """Add what browsers reported to the content security rules of the records: one query for ten zones, whose failure is that of these ten."""
    parts = {record["zone_id"]: record["result"] for record in records if record["scope"] == ZONE and record.get("result")}
    rules = {zone_id: parts[zone_id][CONTENT_SECURITY_RULES].get(CONTENT_SECURITY_RULES) for zone_id in parts}
    with_rules = {zone_id: of_zone for zone_id, of_zone in rules.items() if of_zone}
    ids = list(with_rules)
    for start in range(0, len(ids), MAX_ZONES_PER_QUERY):
        group = ids[start : start + MAX_ZONES_PER_QUERY]
        try:
            add_violations(client, {zone_id: with_rules[zone_id] for zone_id in group}, DEFAULT_LOOK_BACK_DAYS)
        except Failure as failure:
            for zone_id in group:
                parts[zone_id][CONTENT_SECURITY_RULES] = _failed(failure)


def _add_delivery(client: Client, owners: t.Sequence[Owner], records: t.Sequence[RawRecord]) -> None:
    """Add the measured delivery to each record with jobs: one query for ten zones, one for each account."""
    deliveries: dict[Address, Json] = {}
    having = [owner.address for owner, record in zip(owners, records, strict=True) if record.get("jobs", {}).get("jobs")]
    zones = [address for address in having if address.scope == ZONE]
    for group in filter(None, [zones, *([address] for address in having if address.scope == ACCOUNT)]):
        shares = _asked(client, group)
        deliveries.update({address: shares[address.id] for address in group})
    for owner, record in zip(owners, records, strict=True):
        if owner.address in deliveries:
            record["delivery"] = deliveries[owner.address]


def _asked(client: Client, group: t.Sequence[Address]) -> dict[str, Json]:
    """Return the delivery facts of several zones, or of one account, by id."""
    ids, account = tuple(address.id for address in group), group[0] if group[0].scope == ACCOUNT else None
    asked = delivery.DesiredFacts(() if account else ids, delivery.DEFAULT_HOURS, None)

    def ask(now: datetime.datetime) -> t.Mapping[str, Json]:
        return delivery.report(client.query, asked, account, now).result

    return delivery.by_owner(_part(client, lambda: client.at_service_time(ask)), ids)
