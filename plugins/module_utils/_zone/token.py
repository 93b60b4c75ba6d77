# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import datetime
import types
import typing as t

from .._address import ACCOUNT, ACCOUNT_ID, ZONE, ZONE_ADDRESSES, Address, is_zone_id, need_id, parse_address
from .._api.client import MAX_PARALLEL, Client, side_by_side
from .._api.permissions import NEEDED, in_form, is_unentitled
from .._api.response import is_missing
from .._core import AUTHENTICATION, PERMISSION, UNAVAILABLE, Conclusion, Failure, Json
from .._engine.task import Params
from .._logpush import delivery
from .._logpush.delivery_query import is_of_plan
from .._observed import Meaning
from .._scripts.facts import AUTO
from .._scripts.read import monitor
from .._text import dict_of, format_time, line, list_of, parse_time, plain_id, quoted

# What a token may do: one read of each product tells, because no route shows it.

PLAYBOOKS = ("survey", "check", "deliver", "adopt")
_ACTIVE = "active"
_MAX_TEXT = 60
# Members that a verification may lack, and what that means.
MAY_BE_ABSENT: t.Mapping[str, Meaning] = {
    "expires_on": Meaning(None, "user/tokens/verify, API reference (read 2026-10): optional, a token without it does not expire"),
    "not_before": Meaning(
        None, "user/tokens/verify, API reference (read 2026-10): optional, a token without it is valid at once"
    ),
}
_SHOWN = ("status", "not_before", "expires_on")
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
    account = address if address.scope == ACCOUNT else None
    facts = client.at_service_time(lambda now: delivery.report(client.query, asked, account, now)).result
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


PRODUCT_NAMES = tuple(dict.fromkeys(product.name for product in PRODUCTS))
_NEEDED = frozenset(product.name for product in PRODUCTS if not product.optional)


# What is said of products of which it cannot be told whether the token may read them.
_NO_ANSWER = "It is not known whether the token can read {}: there was no usable answer."
_NO_ADDRESS = "It is not known whether the token can read {}: no zone or account is listed in which it could be tried."
_NO_ROUTE = "The service does not have {} at the address that was looked at; no permission changes that."
_NOT_OFFERED = "The plan does not have {}; no permission changes that."
_UNTOLD = (_NO_ANSWER, _NO_ADDRESS, _NO_ROUTE, _NOT_OFFERED)


class DesiredToken(t.NamedTuple):
    """The zone and the account to look at (None: the first that is listed), and the playbooks that have to be able to read something.

    Of `products` alone something is read.
    """

    zone: Address | None
    account: Address | None
    required_for: tuple[str, ...]
    products: frozenset[str]


def desire(params: Params) -> DesiredToken:
    """Return the validated options; raise `invalid_option` with the path of an invalid one."""
    zone = parse_address(params, ZONE_ADDRESSES) if any(params.get(name) for name in ZONE_ADDRESSES) else None
    account_id = params.get(ACCOUNT_ID)
    account = Address(ACCOUNT, need_id(ACCOUNT_ID, account_id)) if account_id else None
    required_for = tuple(name for name in PLAYBOOKS if name in (params["required_for"] or ()))
    products = frozenset(PRODUCT_NAMES if params["products"] is None else params["products"])
    return DesiredToken(zone, account, required_for, products)


class Permitted(t.TypedDict):
    """What a token may read of a product; `readable` is None where that cannot be told."""

    product: str
    scope: str
    readable: bool | None
    permission: str
    needed_for: list[str]


class _Look:
    """What one token may read: each product that counts is read once, and an account is looked for only if something needs it."""

    def __init__(self, client: Client, desired: DesiredToken) -> None:
        self._client = client
        self._desired = desired
        self.failures: list[Failure] = []
        # Products of which it cannot be told whether the token may read them, by what is said of them.
        self.untold: dict[str, list[str]] = {text: [] for text in _UNTOLD}
        # Whether anything could be read.
        self.is_accepted = False
        self._listings: dict[str, tuple[list[dict[str, Json]], bool | None]] = {}

    def counts(self, scope: str, playbooks: t.Sequence[str]) -> bool:
        """Return whether a product counts: all do, unless playbooks are named, which read some, and of a zone only those of zones."""
        zone, account, required_for, _products = self._desired
        is_asked = {ZONE: zone is not None or account is None, ACCOUNT: account is not None or zone is None}
        if not required_for:
            return True
        return is_asked[scope] and not {*playbooks}.isdisjoint(required_for)

    def listing(self, scope: str) -> tuple[list[dict[str, Json]], bool | None]:
        """Return the first zones or accounts, and whether the token may list them."""
        if scope not in self._listings:
            self._listings[scope] = _listed(self._client, f"{scope}s.list", lambda failure: self._note(f"{scope}s", failure))
            self.is_accepted |= self._listings[scope][1] is True
        return self._listings[scope]

    def zone(self) -> Address | None:
        zone = self._desired.zone
        if zone is not None and not zone.id:
            return self._client.at(zone).resolve().address
        account = self._desired.account
        if zone is not None or (account is not None and self._desired.required_for):
            return zone  # what playbooks read of an account alone is of no zone
        listed = self.listing(ZONE)[0]
        own = [
            item
            for item in listed
            if account is not None and plain_id(dict_of(item.get("account")).get("id")) == plain_id(account.id)
        ]
        return _first(ZONE, own) or _first(ZONE, listed)

    def account(self, zone: Address | None) -> Address | None:
        return self._desired.account or _first(ACCOUNT, self.listing(ACCOUNT)[0]) or _owner(self.listing(ZONE)[0], zone)

    def permissions(self, addresses: t.Mapping[str, Address | None]) -> list[Permitted]:
        """Return a row for each product; `readable` is None for one that does not count."""
        is_survey = not self._desired.required_for or "survey" in self._desired.required_for
        listed = [
            _permitted(f"{scope}s", scope, self.listing(scope)[1] if is_survey else None, ("survey",))
            for scope in (ZONE, ACCOUNT)
        ]
        outcomes = side_by_side(lambda product: self._readable(product, addresses[product.scope]), PRODUCTS, MAX_PARALLEL)
        return [
            *listed,
            *(
                _permitted(product.name, product.scope, outcome, product.playbooks)
                for product, outcome in zip(PRODUCTS, outcomes, strict=True)
            ),
        ]

    def _readable(self, product: Product, address: Address | None) -> bool | None:
        """Return whether the token may read a product; None if that cannot be told: there is nothing to read, no route or no answer."""
        if product.name not in self._desired.products or not self.counts(product.scope, product.playbooks):
            return None
        name = f"{product.name.replace('_', ' ')} ({product.scope})"
        if address is None:
            self.untold[_NO_ADDRESS].append(name)
            return None
        try:
            product.read(self._client.at(address), address)
        except Failure as failure:
            return self._note(name, failure)
        self.is_accepted = True
        return True

    def _note(self, name: str, failure: Failure) -> bool | None:
        """Note why something could not be read; return whether the token may read it, None if the failure does not tell."""
        self.failures.append(failure)
        if is_unentitled(failure.message) or is_of_plan(failure.message):
            self.untold[_NOT_OFFERED].append(name)
            return None
        if failure.kind in _REFUSED:
            return False
        self.untold[_NO_ROUTE if is_missing(failure) else _NO_ANSWER].append(name)
        return None

    def refusal(self) -> Failure | None:
        """Return the first failure if the service accepts the credentials nowhere, which is no missing permission."""
        answered = [failure for failure in self.failures if failure.status is not None]
        if self.is_accepted or any(failure.kind != AUTHENTICATION for failure in answered):
            return None
        return answered[0] if answered else None


def report(client: Client, desired: DesiredToken) -> Conclusion:
    """Return the status of the token and what it may read; raise a failure only if nobody answers, or if a playbook could read nothing."""
    look = _Look(client, desired)
    zone = look.zone()
    account = desired.account
    if account is None and any(look.counts(ACCOUNT, product.playbooks) for product in PRODUCTS if product.scope == ACCOUNT):
        account = look.account(zone)
    verified = _verified(client, lambda: account or look.account(zone), look.failures)
    permissions = look.permissions({ZONE: zone, ACCOUNT: account})
    failures = look.failures
    if (
        failures
        and all(failure.kind == UNAVAILABLE for failure in failures)
        and not any(permission["readable"] for permission in permissions)
    ):
        raise failures[0]
    refused = None if verified else look.refusal()
    lines = lines_of(verified, permissions, refused, look.untold)
    # The result of a task that names an account alone is about this account.
    is_of_zone = zone is not None and (desired.zone is not None or desired.account is None)
    looked_at = {"zone_id": zone.id if zone and is_of_zone else None, "account_id": account.id if account else None}
    token = None if verified is None else verified.shown
    result = {**looked_at, "token": token, "permissions": permissions, "missing": list(_missing(permissions)), "lines": lines}
    if desired.required_for:
        _refuse(verified, permissions, desired.required_for, refused, lines)
    return Conclusion(result)


def _refuse(
    verified: Verified | None,
    permissions: t.Sequence[Permitted],
    playbooks: t.Sequence[str],
    refused: Failure | None,
    lines: t.Sequence[str],
) -> None:
    """Raise `authentication` for a token that is not known to be active, and `permission` where a playbook could read nothing."""
    if verified is not None and verified.failure:
        raise dataclasses.replace(verified.failure, message=verified.objection)
    if verified is not None and verified.objection:
        raise Failure(AUTHENTICATION, f"{verified.objection} Make a new token, or use another one.")
    if refused is not None:
        raise dataclasses.replace(refused, message=" ".join(lines))
    needed = [
        permission
        for permission in permissions
        if permission["product"] in _NEEDED and {*playbooks} & {*permission["needed_for"]}
    ]
    told = [permission for permission in needed if permission["readable"] is not None]
    if told and not any(permission["readable"] for permission in told):
        raise Failure(PERMISSION, " ".join(lines))


def _listed(
    client: Client, operation: str, note: t.Callable[[Failure], bool | None]
) -> tuple[list[dict[str, Json]], bool | None]:
    """Return the first items of a listing, and whether the token may read it."""
    try:
        return [dict_of(item) for item in list_of(client.call(operation, query={"page": "1", "per_page": "5"}).result)], True
    except Failure as failure:
        if failure.kind == UNAVAILABLE and failure.status is None:
            raise  # nobody answers, so that nothing can be told
        return [], note(failure)


def _first(scope: str, listed: t.Sequence[t.Mapping[str, Json]]) -> Address | None:
    return next((Address(scope, number) for item in listed if is_zone_id(number := str(item.get("id")))), None)


def _owner(zones: t.Sequence[t.Mapping[str, Json]], zone: Address | None) -> Address | None:
    """Return the account of the zone, if the listing names it."""
    of_zone = [dict_of(item.get("account")) for item in zones if zone is not None and item.get("id") == zone.id]
    return _first(ACCOUNT, of_zone)


class Verified(t.NamedTuple):
    """A verification as the service answered it, and why it does not show that the token is active; "" if it does.

    `failure` is set if there was no usable answer.
    """

    shown: dict[str, Json]
    objection: str
    failure: Failure | None = None


def _verified(client: Client, account: t.Callable[[], Address | None], failures: list[Failure]) -> Verified | None:
    """Return the verification of the token of a user, or else of an account; None where the service does not show it.

    A route that is missing or refused shows nothing; one that fails, or whose answer cannot be told, hides what the token is.
    """
    verified: Verified | None = None
    for operation in ("tokens.verify", "account_tokens.verify"):
        address = account() if operation == "account_tokens.verify" else None
        if operation == "account_tokens.verify" and address is None:
            break
        try:
            answer = client.at(address).call(operation).result
        except Failure as failure:
            failures.append(failure)
            if not is_missing(failure) and failure.kind not in _REFUSED:
                nothing: dict[str, Json] = dict.fromkeys(_SHOWN)
                objection = f"It is not known whether the token is active: {failure.message}"
                verified = verified or Verified(nothing, objection, failure)
            continue
        verified = verification(answer, client.now())
        if verified.shown["status"] is not None:
            return verified
    return verified


def verification(answer: Json, now: datetime.datetime) -> Verified:
    """Return what a verification shows at a time of the service.

    A status that is missing or unknown, a beginning that is to come, an end that is past, and either that is no time, are objections.
    """
    members = {name: dict_of(answer).get(name) for name in _SHOWN}
    status = members["status"]
    if not isinstance(status, str):
        return Verified({**members, "status": None}, "The service does not say whether the token is active.")
    if status != _ACTIVE:
        return Verified(members, f"The token is {line(status, _MAX_TEXT)}.")
    for name, verb in (("not_before", "begins"), ("expires_on", "ends")):
        if members[name] is not None and parse_time(members[name]) is None:
            return Verified(members, f"The service says that the token {verb} at {quoted(members[name])}, which is no time.")
    begin, end = parse_time(members["not_before"]), parse_time(members["expires_on"])
    if begin is not None and begin > now:
        return Verified(members, f"The token is not valid before {format_time(begin)}, although the service calls it {_ACTIVE}.")
    if end is not None and end <= now:
        return Verified(members, f"The token expired at {format_time(end)}, although the service calls it {_ACTIVE}.")
    return Verified(members, "")


def _permitted(product: str, scope: str, readable: bool | None, playbooks: t.Sequence[str]) -> Permitted:
    return {
        "product": product,
        "scope": scope,
        "readable": readable,
        "permission": NEEDED[product].read,
        "needed_for": list(playbooks),
    }


def lines_of(
    verified: Verified | None,
    permissions: t.Sequence[Permitted],
    refused: Failure | None = None,
    untold: t.Mapping[str, t.Sequence[str]] = types.MappingProxyType({}),
) -> list[str]:
    """Return the block for the terminal: what is missing, for which playbooks, and what to tick in the form in which tokens are made.

    `refused` is the failure of credentials that the service accepts nowhere, which comes first; `untold` are products of which it cannot be
    told whether the token may read them, by what is said of them.
    """
    head = []
    if verified is not None:
        end = parse_time(verified.shown["expires_on"])
        head = [verified.objection or f"The token is {_ACTIVE}{f', and expires at {format_time(end)}' if end else ''}."]
    if refused is not None:
        errors = "; ".join(f"{error['message']} (code {error['code']})" for error in refused.errors)
        why = f"The service does not accept the credentials: HTTP {refused.status} for every request{f', {errors}' if errors else ''}."
        advice = "Check that api_token, or api_email and api_key, is whole, was not rolled or deleted, and is of the service at base_url."
        head = [f"{why} {advice}"]
    unknown = [] if refused else [text.format(", ".join(sorted(names))) for text, names in untold.items() if names]
    head += unknown
    missing = _missing(permissions)
    if not missing:
        return head if refused or unknown else [*head, "The token can read everything that was asked for."]
    number = sum(map(len, missing.values()))
    advice = "If they are right, tick" if refused else f"The token cannot read {number} of {len(permissions)} products. Tick"
    return [*head, f"{advice} in the form of the token:", *(f"  {form}  ({_needed(its)})" for form, its in missing.items())]


def _missing(permissions: t.Sequence[Permitted]) -> dict[str, list[Permitted]]:
    """Return what the token cannot read, by what to tick in the form in which tokens are made."""
    missing: dict[str, list[Permitted]] = {}
    for permission in permissions:
        if permission["readable"] is False:
            missing.setdefault(in_form(permission["permission"], permission["scope"]), []).append(permission)
    return missing


def _needed(permissions: t.Sequence[Permitted]) -> str:
    """Return what a permission is for, in one line."""
    products = ", ".join(dict.fromkeys(permission["product"].replace("_", " ") for permission in permissions))
    playbooks = [name for name in PLAYBOOKS if any(name in permission["needed_for"] for permission in permissions)]
    names = ", ".join(dict.fromkeys(permission["permission"] for permission in permissions))
    return f"{names}: {products}; for {', '.join(playbooks)}"
