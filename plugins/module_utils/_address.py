# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from ._core import BAD_RESPONSE, NOT_FOUND, Failure, Json, conflict, invalid_option
from ._text import dict_of, did_you_mean, nearest, quoted

SCOPES = ZONE, ACCOUNT = ("zone", "account")
ZONE_ID, ZONE_NAME, ACCOUNT_ID = "zone_id", "zone_name", "account_id"
ZONE_ADDRESSES = (ZONE_ID, ZONE_NAME)
ALL_ADDRESSES = (ZONE_ID, ZONE_NAME, ACCOUNT_ID)
# The variables of a host in which its address stands; the first that is set decides, so that a zone of an account is a zone.
HOST_ADDRESSES = (ZONE_ID, ACCOUNT_ID, ZONE_NAME)

_MAX_NAMED = 10
_MAX_NAME = 253
_ID = re.compile(r"[0-9a-fA-F]{1,32}")
# Where the address of a request has the id of a zone or an account.
_ID_IN_PATH = re.compile(rf"(/(?:zones|accounts)/){_ID.pattern}\b")
# And where a sentence has it.
_NAMED_ID = re.compile(r"\bthe (zone|account) [0-9a-fA-F]{32}\b")
# With a colon, the name would be a pattern of the API, such as `contains:shop`.
_ZONE_NAME = re.compile(r"[^\s:/\x00-\x1f\x7f]+")


def without_ids(text: str) -> str:
    """Return a text without the ids of zones and accounts, in addresses and beside their nouns, so that equal reasons of several are equal."""
    return _NAMED_ID.sub(r"the \1", _ID_IN_PATH.sub(r"\1...", text))


def is_zone_id(text: str) -> bool:
    """Return whether a text is 1 to 32 hexadecimal digits, the form of the ids of zones and accounts."""
    return bool(_ID.fullmatch(text))


def need_id(place: str, text: str, advice: str = "") -> str:
    """Return the id of a zone or an account; refuse a text of another form as an invalid option."""
    if not is_zone_id(text):
        raise invalid_option(place, f"{quoted(text)} is not 1 to 32 hexadecimal digits{advice}")
    return text


class Address(t.NamedTuple):
    """A zone or an account; `id` is empty while only the name of a zone is known."""

    scope: str
    id: str
    name: str = ""
    # The account of a zone, where the answer that resolved its name had it.
    account: str = ""

    @property
    def named(self) -> dict[str, str]:
        """Return the id by the name of its option and of its member in results."""
        return {f"{self.scope}_id": self.id}


def scope_of(params: t.Mapping[str, Json]) -> str:
    """Return whether validated options are about a zone or an account."""
    return ACCOUNT if params.get(ACCOUNT_ID) else ZONE


def missing_address(options: t.Sequence[str]) -> Failure:
    """Return the failure of a task without an address."""
    return invalid_option(options[0], f"{_either(options)}: one of them is required" if len(options) > 1 else "is required")


def _either(options: t.Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(options[:-1]), options[-1])))


def parse_address(params: t.Mapping[str, Json], options: t.Sequence[str]) -> Address | None:
    """Return the address that one of these options sets (empty means omitted), None if it is a list; refuse none and several."""
    names = [name for name in options if params.get(name)]
    empty = [name for name in options if params.get(name) == []]
    if empty and not names:
        raise invalid_option(empty[0], "the list is empty")
    if not names:
        raise missing_address(options)
    if len(names) > 1:
        raise invalid_option(names[0], f"{_either(options)}: only one of them can be set, and {' and '.join(names)} are")
    (option,), value = names, params[names[0]]
    if isinstance(value, list):
        return None
    text = str(value)
    if option == ZONE_NAME:
        name = text.lower()
        if len(name) > _MAX_NAME or not _ZONE_NAME.fullmatch(name):
            raise invalid_option(option, f"{text[:100]!r} is not the name of a zone, such as shop.example")
        return Address(ZONE, "", name)
    is_name = option == ZONE_ID and "." in text and _ZONE_NAME.fullmatch(text)
    advice = f"; use {ZONE_NAME} for the name of a zone" if is_name else ""
    return Address(option.removesuffix("_id"), need_id(option, text, advice))


def select_named(listed: t.Iterable[Json], name: str) -> Address:
    """Return the zone of this name in a listing; `not_found` for none, `conflict` for several."""
    zones: list[tuple[str, dict[str, Json]]] = []
    for zone in map(dict_of, listed):
        number, named = zone.get("id"), zone.get("name")
        if not isinstance(named, str) or not isinstance(number, str) or not is_zone_id(number):
            raise Failure(BAD_RESPONSE, "The service lists a zone without a valid id and name.")
        if named.lower() == name:
            zones.append((number, zone))
    if not zones:
        raise Failure(
            NOT_FOUND,
            f"zone_name: the credentials can read no zone named {name!r}. Check the name, and that the token has Zone Read for this zone.",
        )
    if len(zones) > 1:
        texts = ", ".join(_with_account(zone) for _number, zone in zones[:_MAX_NAMED])
        raise conflict(f"zone_name: {len(zones)} zones are named {name!r}: {texts}. Set zone_id to select one.")
    ((number, zone),) = zones
    return Address(ZONE, number, name, account_of(zone))


def account_of(zone: Json) -> str:
    """Return the id of the account of a zone as an answer has it; "" if it has no valid one."""
    account = zone.get("account") if isinstance(zone, dict) else None
    number = account.get("id") if isinstance(account, dict) else None
    return number if isinstance(number, str) and is_zone_id(number) else ""


def _with_account(zone: t.Mapping[str, Json]) -> str:
    account = zone.get("account")
    label = account.get("name") or account.get("id") if isinstance(account, dict) else None
    return f"{zone['id']} (account {str(label)[:100]})" if label else str(zone["id"])


PER_PAGE = 50
PAGES_SIDE_BY_SIDE = 4
# Of Cloudflare's GraphQL API.
MAX_ZONES_PER_QUERY = 10

Filters = t.Mapping[str, t.Sequence[str]]
FILTER_OPTIONS: t.Mapping[str, dict[str, t.Any]] = {
    name: {"type": "list", "elements": "str", "default": []} for name in ("names", "statuses", "account_ids")
}

# The statuses that Cloudflare documents; a service with the same API may have others.
_STATUSES = ("initializing", "pending", "active", "moved")

# Host names must be safe in patterns, in paths and on terminals.
_HOST_NAME = re.compile(r"(?!.*\.\.)\w[\w.-]{0,252}")
_RESERVED = frozenset(("all", "ungrouped", "zones", "accounts", "_meta", "localhost", "localhost.localdomain", "127.0.0.1"))


def parse_filters(params: t.Mapping[str, t.Any], prefix: str = "") -> dict[str, t.Any]:
    """Return options with statuses and ids of accounts in lower case, as the service has them; refuse an id of another form."""
    accounts = [need_id(f"{prefix}account_ids[{index}]", number).lower() for index, number in enumerate(params["account_ids"])]
    return {**params, "account_ids": accounts, "statuses": [status.lower() for status in params["statuses"]]}


def unknown_statuses(filters: Filters) -> list[str]:
    """Return a warning for each status that is not documented, which may select no zone at all."""
    unknown = [status for status in filters["statuses"] if status not in _STATUSES]
    known = ", ".join(_STATUSES)
    return [
        f"statuses: {quoted(status)} is not a status of zones that is documented{did_you_mean(nearest(status, _STATUSES))}; known are {known}"
        for status in unknown
    ]


def query(filters: Filters) -> dict[str, str]:
    """Return the query for filters with a single value; the API accepts no lists.

    Names with capitals are not sent, because the API may compare them exactly, and names of zones are in lower case.
    """
    names = filters["names"] if all(name == name.lower() for name in filters["names"]) else ()
    known = {"name": names, "status": filters["statuses"], "account.id": filters["account_ids"]}
    return {name: values[0] for name, values in known.items() if len(values) == 1}


class ListedAccount(t.TypedDict):
    id: str
    name: str


class AccountOfZone(t.TypedDict):
    """The account of a listed zone, as far as the credentials may read it."""

    id: str | None
    name: str | None


class ListedZone(t.TypedDict):
    id: str
    name: str
    status: str | None
    account: AccountOfZone | None


def read_zone(item: Json) -> ListedZone:
    """Return id, name, status and account of a listed zone; raise `bad_response` if one of them is invalid."""
    if not isinstance(item, dict):
        raise Failure(BAD_RESPONSE, f"A zone of the listing is not an object but {type(item).__name__}.")
    account = item.get("account")
    if account is not None and not isinstance(account, dict):
        raise _invalid(item, "account", account)
    members = {name: item.get(name) for name in ("id", "name", "status")}
    # An account may have no name.
    members.update({"account.id": account.get("id"), "account.name": account.get("name") or None} if account else {})
    for name, value in members.items():
        required = name in ("id", "name")
        if not (isinstance(value, str) and value) and (required or value is not None):
            raise _invalid(item, name, value)
    if not is_zone_id(item["id"]):
        raise _invalid(item, "id", item["id"])
    number, status = (value and value.lower() for value in (members.get("account.id"), members["status"]))
    owner: AccountOfZone | None = {"id": number, "name": members["account.name"]} if account else None
    return {"id": item["id"], "name": item["name"], "status": status, "account": owner}


def _invalid(item: t.Mapping[str, Json], member: str, value: Json) -> Failure:
    return Failure(
        BAD_RESPONSE, f"The zone {item.get('id')!r:.200} named {item.get('name')!r:.300} has {value!r:.200} as its {member}."
    )


def read_account(item: Json) -> ListedAccount:
    """Return id and name of a listed account; raise `bad_response` if one of them is invalid. One without a name is called by its id."""
    if not isinstance(item, dict):
        raise Failure(BAD_RESPONSE, f"An account of the listing is not an object but {type(item).__name__}.")
    number, name = item.get("id"), item.get("name")
    if not isinstance(number, str) or not is_zone_id(number):
        raise Failure(BAD_RESPONSE, f"The account {number!r:.200} has {number!r:.200} as its id.")
    if name is not None and not isinstance(name, str):
        raise Failure(BAD_RESPONSE, f"The account {number!r:.200} has {name!r:.200} as its name.")
    return {"id": number.lower(), "name": name or f"account_{number}"}


def is_selected(zone: ListedZone, filters: Filters) -> bool:
    """Return whether a zone has one of the values of each filter that is set; raise `bad_response` for one that does not show what it is."""
    if filters["names"] and zone["name"].lower() not in {name.lower() for name in filters["names"]}:
        return False
    account = zone["account"]
    for option, member, value in (("statuses", "status", zone["status"]), ("account_ids", "account", account and account["id"])):
        if filters[option] and value is None:
            raise Failure(
                BAD_RESPONSE,
                f"The zone {zone['id']} named {zone['name']!r:.300} has no {member}, so that it is not known whether {option} selects it.",
            )
        if filters[option] and value not in filters[option]:
            return False
    return True


def host_name(name: str, zone_id: str) -> str:
    """Return the host name of a zone; append the id to an unsafe or reserved name."""
    if _HOST_NAME.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    return f"{re.sub(r'^-|[^a-zA-Z0-9_-]+', '_', name)[:200]}_{zone_id}"


def hosts(zones: t.Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the id and a unique host name for each of the zones, given as (id, name)."""
    used: set[str] = set()
    pairs: list[tuple[str, str]] = []
    for zone_id, name in sorted(zones, key=lambda zone: (zone[1], zone[0])):
        host = host_name(name, zone_id)
        while host in used:
            host = f"{host}_{zone_id}"
        used.add(host)
        pairs.append((zone_id, host))
    return pairs
