# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t

from ansible.module_utils.parsing.convert_bool import boolean

from ...module_utils._address import ACCOUNT, ACCOUNT_ID, HOST_ADDRESSES, ZONE, ZONE_ID
from ...module_utils._core import UNAVAILABLE, Failure, Json, invalid_option
from ...module_utils._logpush.delivery import by_owner
from ...module_utils._logpush.used_fields import datasets_of
from ...module_utils._text import canonical, dict_of, did_you_mean, line, nearest, plain_id, quoted
from ...module_utils._zone.record import RawRecord, read_record, value_of
from ...module_utils._zone.registered import (
    REGISTERED_ONCE,
    has_failed,
    is_skipped,
    refusal_of,
    refuse_other_results,
    was_compared,
    why_not_all,
)
from .._ansible_core import own_members
from .._host_variables import Host
from .._variables.readers import read_budget
from .._variables.table import RESULT, variable_of

# The records of the hosts of a play, from what their tasks registered.

# The members of a record that tasks register, each with the default name of its variable.
REGISTERED: t.Mapping[str, str | None] = {
    "result": RESULT,
    **dict.fromkeys(("jobs", "coverage", "scripts", "delivery", "cost", "notifications", "fields", "boundary", "pages")),
}
# The addresses that the role takes.
_ADDRESSES = {ZONE_ID: "log_delivery_zone_id", "zone_name": "log_delivery_zone_name", ACCOUNT_ID: "log_delivery_account_id"}
# What an audit reads in tasks of their own, beside the comparison of a zone.
READS = ("jobs", "scripts", "notifications", "pages")
_OF_ACCOUNTS = ("notifications", "cost", "boundary")
# What of a host is audited only if a variable says so.
_ASKED_BY = {"scripts": "edgeops_audit_scripts", "pages": "edgeops_pages"}
_BASELINE = "edgeops_script_baseline"
_MAX_MESSAGE = 2000

# Asks for the delivery facts of zones, or of one account, with a connection.
Ask = t.Callable[[t.Mapping[str, t.Any]], t.Mapping[str, Json]]


def records_of(hosts: t.Mapping[str, Host], registered: t.Mapping[str, str | None]) -> dict[str, RawRecord]:
    """Return the records of the hosts of a play, by their names."""
    _refuse_unregistered(hosts, registered)
    _refuse_unnamed(hosts, registered)
    variable = str(registered["result"])
    records = {}
    for name, host in hosts.items():
        once = REGISTERED_ONCE if is_registered_once(name, hosts, variable) else None
        reason = once or why_not_all(host.raw.get(variable))
        own: RawRecord = {"zone": name, "scope": scope_of_host(host)}
        records[name] = {**own, "error": {**reason}} if reason else record_of(name, host, registered)
    return records


def _refuse_unregistered(hosts: t.Mapping[str, Host], registered: t.Mapping[str, str | None]) -> None:
    """Refuse a name that no host has, although a task that comes after a comparison ran; its part would look like one that nothing declares.

    A host without its comparison or its scripts is unaudited by itself.
    """
    parts = {part: variable for part, variable in registered.items() if variable and part not in ("result", "scripts")}
    for part, variable in parts.items():
        if not has_variable(variable, hosts.values()) and any(
            _reaches(part, host, dict_of(host.raw.get(str(registered["result"])))) for host in hosts.values()
        ):
            raise unregistered(part, variable, hosts.values())


def _refuse_unnamed(hosts: t.Mapping[str, Host], registered: t.Mapping[str, str | None]) -> None:
    """Refuse parts that a host is to be audited for, and of which no name of a result is given: they would look like parts that nobody asked for."""
    for part, variable in _ASKED_BY.items():
        asked = next((name for name, host in hosts.items() if part in _asked_of(host, scope_of_host(host), {})), None)
        if asked is not None and registered.get(part) is None:
            raise invalid_option(
                f"registered.{part}",
                f"is missing, although {variable} of {asked} asks for {part}: give the name under which their audit is registered, or set {variable}"
                " for this play so that it asks for none",
            )


def has_variable(name: str, hosts: t.Iterable[Host]) -> bool:
    """Return whether a host has a variable, with whatever value."""
    return any(name in host.raw for host in hosts)


def unregistered(part: str, variable: str, hosts: t.Iterable[Host]) -> Failure:
    """Return the failure for a variable that no host has."""
    hint = did_you_mean(nearest(variable, {name for host in hosts for name in host.raw}))
    return invalid_option(
        f"registered.{part}", f"no host of the play has a variable {quoted(variable)}, so that no task registered it{hint}"
    )


def _reaches(part: str, host: Host, result: t.Mapping[str, Json]) -> bool:
    """Return whether a task that reads a part after the comparison runs for a host."""
    return was_compared(result, own_id(host, result)) and (part not in _OF_ACCOUNTS or scope_of_host(host) == ACCOUNT)


def record_of(name: str, host: Host, registered: t.Mapping[str, str | None]) -> RawRecord:
    """Return the record of a host; one whose task has not registered anything was not audited."""
    parts = {part: host.raw.get(variable) for part, variable in registered.items() if variable}
    for part, variable in registered.items():
        refuse_other_results(f"registered.{part}: {variable} of {name}", parts.get(part))
    result = dict_of(parts.get("result"))
    if result.get("listed_jobs") is not None:
        parts.pop("jobs", None)  # what was registered as jobs is of an earlier audit then
    record: RawRecord = {"zone": name, **_address(host, result)}
    # A task that Ansible skips for its condition is registered too; after a failure none runs.
    has_ended = has_failed(result) or is_skipped(result)
    variable = registered["result"]
    missing = [variable] if variable and host.raw.get(variable) in (None, "", {}) else []
    scripts = registered.get("scripts")
    missing += [scripts] if scripts and not has_ended and scripts not in host.raw else []
    is_compared = was_compared(result, own_id(host, result))
    asked = list(_asked_of(host, record["scope"], result)) if is_compared else []
    missing += [place for part in asked if (place := registered.get(part)) and _did_not_run(host, part, place, has_ended)]
    if missing:
        message = f"nothing is registered as {missing[0]}: the task of this host did not run"
        return {**record, "error": {"kind": UNAVAILABLE, "message": message}}
    return {**record, **{part: _plain(value) for part, value in parts.items() if value is not None}}


def _did_not_run(host: Host, part: str, place: str, has_ended: bool) -> bool:
    """Return whether a task that was to run for a host has registered nothing; `has_ended`: the host had failed before.

    With null in its place, a task was to run after a refusal, too. A task that was skipped is none where a variable asks for its part.
    """
    value = host.raw.get(place)
    return (part in _ASKED_BY and is_skipped(dict_of(value))) or (value is None and (place in host.raw or not has_ended))


def reads_of(hosts: t.Mapping[str, Host], variable: str) -> dict[str, list[str]]:
    """Return the hosts of a play of which an audit reads more than their comparison, by what it reads.

    `variable` is the name under which the comparison is registered. Of a host that was not compared, only pages are read.
    """
    reads: dict[str, list[str]] = {part: [] for part in READS}
    for name, host in hosts.items():
        raw = host.raw.get(variable)
        refuse_other_results(f"{variable} of {name}", raw)
        result = dict_of(raw)
        is_alone = not (is_registered_once(name, hosts, variable) or why_not_all(result))
        is_compared = is_alone and was_compared(result, own_id(host, result))
        for part in _asked_of(host, scope_of_host(host), result):
            if is_compared or part == "pages":
                reads[part].append(name)
    return reads


def without_baseline(hosts: t.Mapping[str, Host], names: t.Iterable[str]) -> list[str]:
    """Return those of some hosts that set no baseline of scripts."""
    return [name for name in names if not _is_given(hosts[name], _BASELINE)]


def _is_given(host: Host, name: str) -> bool:
    """Return whether a variable is set, also where it cannot be evaluated, which fails the task that needs it."""
    raw = host.raw.get(name)
    if not isinstance(raw, str):
        return raw is not None  # without an evaluation, which takes a millisecond for each host
    try:
        return host.value(name) is not None
    except Failure:
        return True


def _asked_of(host: Host, scope: str, result: t.Mapping[str, Json]) -> t.Iterator[str]:
    """Yield the parts that are to be read of a host, so that null in the place of a result is no audit."""
    if scope == ACCOUNT:
        yield "notifications"
    yield from (
        part for part, variable in _ASKED_BY.items() if not (scope == ACCOUNT and part == "scripts") and _option(host, variable)
    )
    if any(dict_of(result.get("plan_ids")).values()) and result.get("listed_jobs") is None:
        yield "jobs"


def _plain(result: Json) -> Json:
    """Return the result of a task without what ansible-core adds to it, some of which is no data; the message of a failure is one line."""
    if not isinstance(result, dict):
        return result
    members = own_members(result)
    return {**members, "msg": line(" ".join(str(members["msg"]).split()), _MAX_MESSAGE)} if "msg" in members else members


def _address(host: Host, result: t.Mapping[str, Json]) -> RawRecord:
    """Return scope, ids and the name of the account of a host: of its variables, or of the result of its task where they have no id.

    The account of a zone is the one that an answer named, else the host's `account_id`, else that of the inventory plugin.
    """
    ids = _ids_of(host, result) or address_of(host)
    scope = ACCOUNT if ACCOUNT_ID in ids and ZONE_ID not in ids else ZONE
    owner = dict_of(_value(host, "zone_account")) if scope == ZONE else {"name": _value(host, "account_name")}
    account_id = ids.get(ACCOUNT_ID)
    if scope == ZONE:
        account_id = account_id or _value(host, ACCOUNT_ID) or owner.get("id")
        # The name belongs to the account that the inventory plugin found.
        owner = owner if account_id == owner.get("id") else {}
    names = {ACCOUNT_ID: account_id, "account_name": owner.get("name")}
    known = {name: str(value) for name, value in names.items() if isinstance(value, (str, int)) and value}
    return {"scope": scope, **({ZONE_ID: str(ids[ZONE_ID])} if ZONE_ID in ids else {}), **known}


def _ids_of(host: Host, result: t.Mapping[str, Json]) -> dict[str, Json]:
    """Return the ids in a result, unless it is of another zone or account than the host, or else those of the host."""
    named = {name: result[name] for name in (ZONE_ID, ACCOUNT_ID) if result.get(name)}
    own = own_id(host, result)
    main = named.get(ZONE_ID) or named.get(ACCOUNT_ID)
    return named if not own or (main and plain_id(main) == own) else {}


def own_id(host: Host, result: t.Mapping[str, Json]) -> str:
    """Return the id of the zone or the account of a host by its own variables, as it is compared; "" if they have none."""
    given = host.raw.get(ZONE_ID)
    is_of_role = any(host.raw.get(variable) for variable in _ADDRESSES.values())
    if given and not is_of_role and plain_id(given) == plain_id(result.get(ZONE_ID) or ""):
        return plain_id(given)  # without an evaluation, which takes a millisecond for each host
    address = address_of(host)
    return plain_id(address.get(ZONE_ID) or ("" if "zone_name" in address else address.get(ACCOUNT_ID)) or "")


def is_registered_once(name: str, hosts: t.Mapping[str, Host], variable: str) -> bool:
    """Return whether a host whose id is not known has the result of a task that ran once for several zones."""
    result = hosts[name].raw.get(variable)
    if not isinstance(result, dict) or own_id(hosts[name], result):
        return False
    others = [host for other, host in hosts.items() if other != name and host.raw.get(variable) is result]
    own = canonical(address_of(hosts[name])).lower()
    return any(own == canonical({}) or canonical(address_of(host)).lower() != own for host in others)


def address_of(host: Host) -> dict[str, Json]:
    """Return the address of a host whose task has none, as far as it can be evaluated: that of the role, or else of the host."""
    role = {name: value for name, variable in _ADDRESSES.items() if (value := _option(host, variable))}
    try:
        return role or dict(host.address())
    except Failure:
        return {}


def has_address(host: Host) -> bool:
    """Return whether a host has an address, which may be one that cannot be evaluated."""
    return any(host.raw.get(name) not in (None, "") for name in (*HOST_ADDRESSES, *_ADDRESSES.values()))


def scope_of_host(host: Host) -> str:
    """Return whether a host is a zone or an account; a host without an address counts as a zone."""
    if not any(host.raw.get(name) for name in (ACCOUNT_ID, _ADDRESSES[ACCOUNT_ID])):
        return ZONE  # without an evaluation, which takes a millisecond for each host
    address = address_of(host)
    return ACCOUNT if ACCOUNT_ID in address and ZONE_ID not in address else ZONE


def _value(host: Host, name: str) -> Json:
    try:
        return host.value(name)
    except Failure:
        return None


def _option(host: Host, name: str) -> Json:
    try:
        value: Json = host.option(name)
    except Failure:
        return None
    return value


def refusals(hosts: t.Mapping[str, Host], registered: t.Mapping[str, str | None]) -> dict[str, str]:
    """Return the hosts whose script audit was refused by its own `fail_on`, with the reason."""
    reasons = {name: refusal_of(host.raw.get(registered.get("scripts") or "")) for name, host in hosts.items()}
    return {name: line(f"gate: {reason}", _MAX_MESSAGE) for name, reason in reasons.items() if reason}


def with_delivery(records: t.Mapping[str, RawRecord], hosts: t.Mapping[str, Host], ask: Ask) -> list[RawRecord]:
    """Return the records with the delivery facts of those that have jobs.

    All zones of one connection are asked for together, each account by itself.
    """
    read = {name: read_record(name, record) for name, record in records.items()}
    asked: dict[str, dict[str, t.Any]] = {}
    facts: dict[str, Json] = {}
    for name, record in read.items():
        if not value_of(record["jobs"]):
            continue
        try:
            connection = hosts[name].connection()
        except Failure as failure:
            facts[name] = {"failed": True, "msg": str(failure), "error": failure.report()}
            continue
        owner = record["account_id"] if record["scope"] == ACCOUNT else record["zone_id"]
        if owner:
            key = canonical([connection, owner if record["scope"] == ACCOUNT else None])
            question = asked.setdefault(key, {"connection": connection, "scope": record["scope"], "hosts": {}})
            question["hosts"][name] = owner
    for question in asked.values():
        ids = list(dict.fromkeys(question["hosts"].values()))
        address = {ACCOUNT_ID: ids[0]} if question["scope"] == ACCOUNT else {"zone_ids": ids}
        shares = by_owner(ask({**question["connection"], **address}), ids)
        facts |= {name: shares[owner] for name, owner in question["hosts"].items()}
    return [{**record, "delivery": facts[name]} if name in facts else record for name, record in records.items()]


def check_budget(arguments: t.Mapping[str, t.Any], hosts: t.Mapping[str, Host]) -> None:
    """Refuse a budget that could not be compared with anything in this run."""
    accounts = [host for host in hosts.values() if scope_of_host(host) == ACCOUNT]
    # One that is set for the run is a variable of the first host, too.
    of_task = arguments.get("monthly_budget_usd") is not None
    place = "monthly_budget_usd" if of_task else variable_of("monthly_budget_usd")
    if not of_task and not any(map(_has_budget, accounts or [*hosts.values()][:1])):
        return
    if not boolean(arguments.get("delivery") or False, strict=False):
        raise invalid_option(place, "needs edgeops_audit_delivery: true, which reads what was delivered")
    if not accounts:
        raise invalid_option(
            place,
            "costs arise for an account, and no host of this run is one; the inventory plugin lists them with accounts: true",
        )


def check_budget_of_survey(host: Host, arguments: t.Mapping[str, t.Any]) -> None:
    """Refuse a budget of a survey that reads no account; what the task omits of the filters comes from the variables of the run."""
    filters = {**dict_of(host.option("edgeops_survey")), **arguments}
    is_narrowed = (filters.get("names") or filters.get("statuses")) and not filters.get("account_ids")
    if is_narrowed and host.option("edgeops_monthly_budget_usd") is not None:
        raise invalid_option(
            variable_of("monthly_budget_usd"),
            "costs arise for an account, and a survey that names or statuses narrow reads none; add account_ids to edgeops_survey",
        )


def _has_budget(host: Host) -> bool:
    try:
        return host.option("edgeops_monthly_budget_usd") is not None
    except Failure:
        return True


def _fails_by_budget(host: Host) -> bool:
    """Return whether a host has failed already, and has a budget that cannot be evaluated."""
    try:
        host.option("edgeops_monthly_budget_usd")
    except Failure:
        return has_failed(dict_of(host.raw.get(RESULT)))
    return False


def budgets_of(arguments: t.Mapping[str, t.Any], hosts: t.Mapping[str, Host]) -> dict[str, float]:
    """Return the budget of each account host that has one: that of the task, or else of the host."""
    of_task = arguments.get("monthly_budget_usd")
    budgets = {
        name: host.option("edgeops_monthly_budget_usd") if of_task is None else of_task
        for name, host in hosts.items()
        if scope_of_host(host) == ACCOUNT and not _fails_by_budget(host)
    }
    return {name: read_budget("monthly_budget_usd", budget) for name, budget in budgets.items() if budget is not None}


def with_part(
    records: t.Mapping[str, RawRecord],
    hosts: t.Mapping[str, Host],
    part: str,
    ask: Ask,
    options: t.Mapping[str, t.Any] = types.MappingProxyType({}),
) -> dict[str, RawRecord]:
    """Return the records with a part that only accounts have, asked for with the connection of each."""
    made = dict(records)
    for name, host in hosts.items():
        record = records[name]
        if record.get("scope") == ACCOUNT and record.get(ACCOUNT_ID):
            made[name] = {**record, part: _asked(host, ask, {ACCOUNT_ID: record[ACCOUNT_ID], **options})}
    return made


def with_fields(records: t.Mapping[str, RawRecord], hosts: t.Mapping[str, Host], ask: Ask) -> dict[str, RawRecord]:
    """Return the records with the fields of the datasets that their jobs deliver: a request for each host and dataset."""
    made = dict(records)
    for name, record in records.items():
        jobs = value_of(read_record(name, record)["jobs"])
        scope = ACCOUNT_ID if record.get("scope") == ACCOUNT else ZONE_ID
        if jobs and record.get(scope):
            made[name] = {
                **record,
                "fields": {
                    dataset: _asked(hosts[name], ask, {scope: record[scope], "dataset": dataset}) for dataset in datasets_of(jobs)
                },
            }
    return made


def _asked(host: Host, ask: Ask, arguments: t.Mapping[str, t.Any]) -> Json:
    try:
        return _plain(dict(ask({**host.connection(), **arguments})))
    except Failure as failure:
        return {"failed": True, "msg": str(failure), "error": failure.report()}
