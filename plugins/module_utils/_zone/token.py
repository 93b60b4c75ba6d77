# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from .._address import ACCOUNT, ACCOUNT_ID, ZONE, ZONE_ADDRESSES, Address, is_zone_id, need_id, parse_address
from .._api.client import MAX_PARALLEL, Client, side_by_side
from .._api.permissions import NEEDED, in_form
from .._core import AUTHENTICATION, PERMISSION, UNAVAILABLE, Conclusion, Failure, Json
from .._engine.task import Params
from .._logpush import delivery
from .._scripts.facts import AUTO
from .._scripts.read import monitor
from .._text import dict_of, list_of, parse_time

# What a token may do: one read of each product tells, because no route shows it.

PLAYBOOKS = ("survey", "check", "deliver", "adopt")
_ACTIVE = "active"
# The kinds of failures that mean that the token may not read something.
_REFUSED = (AUTHENTICATION, PERMISSION)


class Product(t.NamedTuple):
    """A product in a scope: the playbooks that read it, whether they can do without it, and how it is read."""

    name: str
    scope: str
    playbooks: tuple[str, ...]
    optional: bool
    read: t.Callable[[Client, Address], object]


def _call(operation: str) -> t.Callable[[Client, Address], object]:
    return lambda client, address: client.call(operation)


def _deliveries(client: Client, address: Address) -> object:
    asked = delivery.DesiredFacts((address.id,) if address.scope == ZONE else (), 1, None)
    now = datetime.datetime.now(datetime.timezone.utc)
    facts = delivery.report(client.query, asked, address if address.scope == ACCOUNT else None, now).result
    if facts["available"] is not True:
        raise Failure(PERMISSION, str(facts["reason"]))
    return facts


# In the order in which what is missing is named.
PRODUCTS = (
    Product("jobs", ZONE, PLAYBOOKS, False, _call("logpush_jobs.list")),
    Product("custom_fields", ZONE, PLAYBOOKS, False, _call("rulesets.list")),
    Product("script_monitor", ZONE, PLAYBOOKS, False, lambda client, address: monitor(client, AUTO)),
    Product("content_security_rules", ZONE, PLAYBOOKS, True, _call("content_security_rules.list")),
    Product("jobs", ACCOUNT, PLAYBOOKS, False, _call("logpush_jobs.list")),
    Product("transformers", ACCOUNT, ("check", "deliver", "adopt"), True, _call("transformers.list")),
    Product("notifications", ACCOUNT, ("survey", "check"), True, _call("notifications.list")),
    Product("delivery", ZONE, ("survey", "check"), True, _deliveries),
    Product("delivery", ACCOUNT, ("survey", "check"), True, _deliveries),
)


_NEEDED = frozenset(product.name for product in PRODUCTS if not product.optional)


class DesiredToken(t.NamedTuple):
    """The zone and the account to look at (None: the first that is listed), and the playbooks that have to be able to read something."""

    zone: Address | None
    account: Address | None
    required_for: tuple[str, ...]


def desire(params: Params) -> DesiredToken:
    """Return the validated options; raise `invalid_option` with the path of an invalid one."""
    zone = parse_address(params, ZONE_ADDRESSES) if any(params.get(name) for name in ZONE_ADDRESSES) else None
    account_id = params.get(ACCOUNT_ID)
    account = Address(ACCOUNT, need_id(ACCOUNT_ID, account_id)) if account_id else None
    return DesiredToken(zone, account, tuple(name for name in PLAYBOOKS if name in (params["required_for"] or ())))


class Permitted(t.TypedDict):
    """What a token may read of a product; `readable` is None where that cannot be told."""

    product: str
    scope: str
    readable: bool | None
    permission: str
    needed_for: list[str]


def report(client: Client, desired: DesiredToken) -> Conclusion:
    """Return the status of the token and what it may read; raise a failure only if nobody answers, or if a playbook could read nothing."""
    failures: list[Failure] = []
    listings = {scope: _listed(client, f"{scope}s.list", failures) for scope in (ZONE, ACCOUNT)}
    zone, account = desired.zone, desired.account
    if zone is not None and not zone.id:
        zone = client.at(zone).resolve().address
    zone = zone or _first(ZONE, listings[ZONE][0])
    account = account or _first(ACCOUNT, listings[ACCOUNT][0]) or _owner(listings[ZONE][0], zone)
    token = _verified(client, account, failures)
    addresses = {ZONE: zone, ACCOUNT: account}
    outcomes = side_by_side(
        lambda product: _readable(client, product, addresses[product.scope], failures), PRODUCTS, MAX_PARALLEL
    )
    permissions: list[Permitted] = [
        *(_permitted(f"{scope}s", scope, readable, ("survey",)) for scope, (_items, readable) in listings.items()),
        *(_permitted(each.name, each.scope, readable, each.playbooks) for each, readable in zip(PRODUCTS, outcomes, strict=True)),
    ]
    if (
        failures
        and all(failure.kind == UNAVAILABLE for failure in failures)
        and not any(each["readable"] for each in permissions)
    ):
        raise failures[0]
    looked_at = {"zone_id": zone.id if zone else None, "account_id": account.id if account else None}
    access = {"token": token, "permissions": permissions, "missing": list(_missing(permissions))}
    result = {**looked_at, **access, "lines": lines_of(token, permissions)}
    scopes = {scope for scope, address in ((ZONE, desired.zone), (ACCOUNT, desired.account)) if address} or {ZONE, ACCOUNT}
    refuse(token, [each for each in permissions if each["scope"] in scopes], desired.required_for, failures)
    return Conclusion(result)


def refuse(
    token: t.Mapping[str, Json] | None,
    permissions: t.Sequence[Permitted],
    playbooks: t.Sequence[str],
    failures: t.Sequence[Failure],
) -> None:
    """Raise `authentication` for a token that is not active any more, and `permission` where a playbook could read nothing."""
    if not playbooks:
        return
    if token is not None and token["status"] != _ACTIVE:
        raise Failure(AUTHENTICATION, f"{_status(token)} Make a new token, or use another one.")
    needed = [each for each in permissions if each["product"] in _NEEDED and {*playbooks} & {*each["needed_for"]}]
    told = [each for each in needed if each["readable"] is not None]
    if told and not any(each["readable"] for each in told):
        answered = [failure for failure in failures if failure.status is not None]
        if token is None and answered and all(failure.kind == AUTHENTICATION for failure in answered):
            raise answered[0]
        raise Failure(PERMISSION, " ".join(lines_of(token, permissions)))


def _listed(client: Client, operation: str, failures: list[Failure]) -> tuple[list[dict[str, Json]], bool | None]:
    """Return the first items of a listing, and whether the token may read it."""
    try:
        return [dict_of(each) for each in list_of(client.call(operation, query={"page": "1", "per_page": "5"}).result)], True
    except Failure as failure:
        if failure.kind == UNAVAILABLE and failure.status is None:
            raise  # nobody answers, so that nothing can be told
        failures.append(failure)
        return [], False if failure.kind in _REFUSED else None


def _first(scope: str, listed: t.Sequence[t.Mapping[str, Json]]) -> Address | None:
    return next((Address(scope, number) for each in listed if is_zone_id(number := str(each.get("id")))), None)


def _owner(zones: t.Sequence[t.Mapping[str, Json]], zone: Address | None) -> Address | None:
    """Return the account of the zone, if the listing names it."""
    of_zone = [dict_of(each.get("account")) for each in zones if zone is not None and each.get("id") == zone.id]
    return _first(ACCOUNT, of_zone)


def _verified(client: Client, account: Address | None, failures: list[Failure]) -> dict[str, Json] | None:
    """Return status and times of the token, that of a user or that of an account; None where the service does not show them."""
    for operation, address in (("tokens.verify", None), ("account_tokens.verify", account)):
        if operation == "account_tokens.verify" and address is None:
            break
        try:
            token = dict_of(client.at(address).call(operation).result)
        except Failure as failure:
            failures.append(failure)
            continue
        if isinstance(token.get("status"), str):
            return {name: token.get(name) for name in ("status", "not_before", "expires_on")}
    return None


def _readable(client: Client, product: Product, address: Address | None, failures: list[Failure]) -> bool | None:
    """Return whether the token may read a product; None if that cannot be told: there is nothing to read, no route or no answer."""
    if address is None:
        return None
    try:
        product.read(client.at(address), address)
    except Failure as failure:
        failures.append(failure)
        return False if failure.kind in _REFUSED else None
    return True


def _permitted(product: str, scope: str, readable: bool | None, playbooks: t.Sequence[str]) -> Permitted:
    return {
        "product": product,
        "scope": scope,
        "readable": readable,
        "permission": NEEDED[product].read,
        "needed_for": list(playbooks),
    }


def _status(token: t.Mapping[str, Json]) -> str:
    ends = f", and expires at {token['expires_on']}" if parse_time(token["expires_on"]) else ""
    return f"The token is {token['status']}{ends}."


def lines_of(token: t.Mapping[str, Json] | None, permissions: t.Sequence[Permitted]) -> list[str]:
    """Return the block for the terminal: what is missing, for which playbooks, and what to tick in the form in which tokens are made."""
    head = [_status(token)] if token is not None else []
    missing = _missing(permissions)
    if not missing:
        return [*head, "The token can read everything that was asked for."]
    number = sum(map(len, missing.values()))
    return [
        *head,
        f"The token cannot read {number} of {len(permissions)} products. Tick in the form of the token:",
        *(f"  {form}  ({_needed(its)})" for form, its in missing.items()),
    ]


def _missing(permissions: t.Sequence[Permitted]) -> dict[str, list[Permitted]]:
    """Return what the token cannot read, by what to tick in the form in which tokens are made."""
    missing: dict[str, list[Permitted]] = {}
    for each in permissions:
        if each["readable"] is False:
            missing.setdefault(in_form(each["permission"], each["scope"]), []).append(each)
    return missing


def _needed(permissions: t.Sequence[Permitted]) -> str:
    """Return what a permission is for, in one line."""
    products = ", ".join(dict.fromkeys(each["product"].replace("_", " ") for each in permissions))
    playbooks = [name for name in PLAYBOOKS if any(name in each["needed_for"] for each in permissions)]
    names = ", ".join(dict.fromkeys(each["permission"] for each in permissions))
    return f"{names}: {products}; for {', '.join(playbooks)}"
