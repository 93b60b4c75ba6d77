# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from .._address import ACCOUNT_ID, ZONE_ADDRESSES, ZONE_ID, without_ids
from .._api.permissions import is_unentitled, permission_for
from .._core import (
    AUTHENTICATION,
    CONFLICT,
    GATE,
    INVALID_OPTION,
    PARTS,
    PERMISSION,
    UNAVAILABLE,
    Json,
    invalid_option,
)
from .._logpush.delivery_query import is_of_plan
from .._text import dict_of, is_integer, line, list_of, plain_id

# What a registered result is: of which zone or account, whether its task succeeded, and whether it says what it is taken for. Records of
# audits and predictions of deliveries are read by these rules, so that none takes a result for more than it says.

RESULT = "result"


class Reason(t.TypedDict):
    """Why something could not be read; `permission` is what the token lacks, None if that is not the reason.

    `brief` says it without the request, so that it is the same for all zones and parts that lack one thing.
    """

    kind: str
    message: str
    permission: str | None
    brief: str


def reason_of(kind: str, message: str, permission: str | None = None, answer: str = "") -> Reason:
    """Return a reason; `answer` is what the service said."""
    brief = without_ids(message).rstrip(".")
    if permission and (answer or f"The token needs {permission}" in message):
        brief = f"the token needs {permission}{f' ({answer})' if answer else ''}"
    elif is_unentitled(answer):
        brief = f"the plan does not have it ({answer})"
    return {"kind": kind, "message": message, "permission": permission, "brief": brief}


def refuse_other_results(place: str, value: Json) -> None:
    """Raise `invalid_option` for the result of a task with a loop, or of one that has only begun, in which the parts of a record are not."""
    if isinstance(value, dict) and isinstance(value.get("results"), list):
        raise invalid_option(place, "is the result of a task with a loop; register one task without a loop for each zone")
    if isinstance(value, dict) and "ansible_job_id" in value and not value.get("finished"):
        raise invalid_option(place, "is the result of a task that has only begun (async); wait for it with async_status")


def is_skipped(value: Json) -> bool:
    """Return whether a value is the result of a task that Ansible skipped for its condition."""
    return isinstance(value, dict) and value.get("skipped") is True


def why_unread(name: str, value: Json, owner: str) -> Reason | None:
    """Return why a part of a record, or of a result in it, says nothing of its zone or account; None if it does.

    `owner` is the id of the zone or the account as it is compared, "" if it is not known.
    """
    part = dict_of(value)
    if other := _other_owner(name, part, owner):
        return reason_of(UNAVAILABLE, f"{_OF_OTHERS} (it names the {other}); {_EACH_HOST}")
    if name == RESULT and is_skipped(part):
        return reason_of(UNAVAILABLE, "nothing was compared, because the task of this host was skipped")
    return None if _is_refused(part) else failure_of(part, name)


def was_compared(result: Json, owner: str) -> bool:
    """Return whether a registered result is the comparison of its zone or account; one that a policy of the user refused is, too."""
    return bool(dict_of(result)) and why_unread(RESULT, result, owner) is None


_OF_OTHERS = "what is registered is not of this host"
_EACH_HOST = "a task with run_once registers the result of its first host for all hosts, so run it for each host"

# What is registered for several hosts that do not name one zone in their variables is of one of them, and nobody can tell of which.
REGISTERED_ONCE: Reason = reason_of(
    UNAVAILABLE, f"{_OF_OTHERS} alone: one result is registered for several hosts; {_EACH_HOST}, or set the zone_id of the hosts"
)


# The member of a result with the zones and accounts that the variable in which it is registered had results of before.
REPLACES = "replaces"
# A task that failed before it knew its zone.
UNKNOWN_OWNER = "unknown"


def replaced_by(result: t.Mapping[str, Json], previous: Json) -> list[str]:
    """Return of which other zones and accounts a result replaces results; `previous` is what its variable had, which may have replaced others.

    A zone that was only named is the same if it is named again, as in a further try.
    """
    before = dict_of(previous)
    earlier, own = _owner(before), _owner(result)
    others = {*map(str, list_of(before.get(REPLACES)))}
    if not set(earlier) & set(own):
        others.add(next(iter(earlier), UNKNOWN_OWNER if has_failed(before) else ""))
    return sorted(others - {*own, ""})


def _owner(result: t.Mapping[str, Json]) -> list[str]:
    """Return what names the zone of a result, or its account if it is about no zone."""
    zone, account = ([plain_id(result[name]) for name in names if result.get(name)] for names in (ZONE_ADDRESSES, (ACCOUNT_ID,)))
    return zone or account


def why_not_all(result: Json) -> Reason | None:
    """Return why a registered result says less than was done: the results of other zones stood in its place; None if none did.

    One that failed has a reason of its own.
    """
    part = dict_of(result)
    others = [str(other) for other in list_of(part.get(REPLACES))]
    if not others or (has_failed(part) and not _is_refused(part)):
        return None
    zones = f"{len(others)} other {'zone' if len(others) == 1 else 'zones'}"
    message = f"the results of {zones} were replaced in the variable of this host ({', '.join(others)}); use a host for each zone"
    return reason_of(UNAVAILABLE, message)


def _other_owner(name: str, part: t.Mapping[str, Json], owner: str) -> str:
    """Return which other zone or account a part names; "" if it names none, or its own."""
    # Delivery facts, which may be those of several zones, are told apart by their rows.
    if not owner or name == "delivery":
        return ""
    for value in map(dict_of, part.values()) if name == "fields" else (part,):
        noun, number = ("zone", value[ZONE_ID]) if value.get(ZONE_ID) else ("account", value.get(ACCOUNT_ID))
        if number and plain_id(number) != owner:
            return f"{noun} {number}"
    return ""


def why_untold(result: t.Mapping[str, Json], *, by_diff: bool = False) -> str:
    """Return why it cannot be told whether a result of `zone_observability` differs from what is declared; "" if it can.

    `by_diff`: a part that was written by hand, and that has a diff alone, is told by it.
    """
    given = {name: dict_of(result[name]) for name in PARTS if result.get(name)}
    parts = {name: part for name, part in given.items() if not (is_skipped(part) or has_failed(part))}
    for name, part in parts.items():
        if by_diff and "changed" not in part and {"before", "after"} <= dict_of(part.get("diff")).keys():
            continue
        # A secret may differ where the diff shows nothing.
        if not isinstance(part.get("changed"), bool):
            return f"{name} does not say whether it differs (changed)"
    if result.get("changed") is True and not any(part.get("changed") for part in given.values()) and not _is_whole(result):
        return "it says that something differs (changed), and none of its parts does"
    if result.keys().isdisjoint(PARTS):
        return f"it is not the result of zone_observability, because it has none of {', '.join(PARTS)}"
    return ""


def _is_whole(result: t.Mapping[str, Json]) -> bool:
    """Return whether a result has each part as its plans name them, so that `changed` of the task, which a keyword may set, adds nothing."""
    ids = dict_of(result.get("plan_ids"))
    parts = {name: result.get(name) for name in PARTS}
    return all(
        isinstance(part, dict) and name in ids and part.get("plan_id") == ids[name] and bool(part) is bool(ids[name])
        for name, part in parts.items()
    )


def has_failed(result: t.Mapping[str, Json]) -> bool:
    """Return whether a task failed, or its host could not be reached, whatever its playbook made of it.

    With `failed_when` a failed task counts as one that succeeded; the reason of the failure stays.
    """
    said = (result.get(name) for name in ("failed", "failed_when_result", "unreachable"))
    return any(value not in (False, None) for value in said) or bool(dict_of(result.get("error")))


# Cores before 2.19 repeat the whole value in which a template cannot be evaluated, with its secrets.
_REPEATS = re.compile(r"[Tt]he error was: [\[{]|while templating '")
_UNDEFINED = re.compile(r"'[A-Za-z_][A-Za-z0-9_.]{0,200}' is undefined")


def failure_of(result: t.Mapping[str, Json], name: str = "") -> Reason | None:
    """Return why a task failed; None if it did not. `name` is the part of a record that it reads."""
    if result.get("unreachable") not in (False, None):
        said = line(result.get("msg") or "")
        return reason_of(UNAVAILABLE, f"it could not be reached{': ' if said else ''}{said}")
    if not has_failed(result):
        return None
    error = dict_of(result.get("error"))
    # Without a kind the failure is of ansible-core: a variable cannot be evaluated.
    kind = str(error.get("kind") or INVALID_OPTION)
    message = " ".join(str(result.get("msg") or "it failed").split())
    if not error and _REPEATS.search(message):
        undefined = _UNDEFINED.search(message)
        message = f"a variable cannot be evaluated{f': {undefined[0]}' if undefined else ''}"
    answer, is_refused = _answer(error), kind in (AUTHENTICATION, PERMISSION)
    if is_refused and (is_of_plan(message) or is_unentitled(answer)):
        return reason_of(kind, message, answer=answer)
    return reason_of(kind, message, permission_for(name, str(error.get("path") or "")) if is_refused else None, answer)


def _answer(error: t.Mapping[str, Json]) -> str:
    """Return what the service answered: `HTTP 403: Authentication error (code 10000)`; "" if it is not known."""
    errors = [dict_of(item) for item in list_of(error.get("errors"))]
    texts = [f"{line(item.get('message') or 'no text')} (code {item.get('code')})" for item in errors]
    status = [f"HTTP {error['status']}"] if is_integer(error.get("status")) else []
    return ": ".join([*status, *(["; ".join(texts)] if texts else [])])


def _is_refused(result: t.Mapping[str, Json]) -> bool:
    """Return whether a policy of the user refused what a script audit found, or a whole plan of jobs or content security rules."""
    kind = dict_of(result.get("error")).get("kind") if has_failed(result) else None
    return (kind == GATE and "findings" in result) or (kind in (GATE, CONFLICT) and "refusals" in result)


def refusal_of(result: Json) -> str:
    """Return why a policy of the user refused what a script audit found; "" if none did."""
    audit = dict_of(result)
    return " ".join(str(audit.get("msg")).split()) if _is_refused(audit) and list_of(audit.get("findings")) else ""
