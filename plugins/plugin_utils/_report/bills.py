# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from ...module_utils._address import ACCOUNT, ZONE
from ...module_utils._core import Json
from ...module_utils._logpush.costs import PUBLISHED_RATES, Projection, Rates, project
from ...module_utils._logpush.coverage import dataset_of
from ...module_utils._observed import Known
from ...module_utils._text import dict_of, is_integer, list_of, parse_time
from ...module_utils._zone.record import ZoneRecord, value_of
from ...module_utils._zone.told import owner_of
from .._words import plural
from .document import Copied
from .findings import job_number
from .items import Problem, problem

# A bill before it comes: what an account will cost this month, compared with its budget.


class Bill(t.NamedTuple):
    """The budget of an account in US dollars, and what is known of its month: None if there are no figures."""

    usd: float
    projection: Projection | None
    estimated: bool
    excluded: tuple[str, ...]


def bill_of(record: ZoneRecord, budget: float | None, rates: Rates, at: str) -> Bill | None:
    """Return the bill of an account that has a budget: its own, or that of the run; None for a host without one."""
    if record["scope"] != ACCOUNT:
        return None
    cost, now = value_of(record["cost"]), parse_time(at)
    own = (cost or {}).get("budget_usd", budget)
    if not isinstance(own, (int, float)) or isinstance(own, bool):
        return None
    projection = None if cost is None or now is None else project(cost, rates, now)
    excluded = tuple(str(name) for name in list_of((cost or {}).get("excluded")))
    return Bill(float(own), projection, (cost or {}).get("estimated") is not False, excluded)


def shown(bill: Bill | None) -> Copied | None:
    """Return a bill as the report has it."""
    if bill is None or bill.projection is None:
        return None
    return {
        "usd": bill.usd,
        "so_far": bill.projection.so_far,
        "projected": bill.projection.projected,
        "days": bill.projection.days,
        "estimated": bill.estimated,
        "excluded": list(bill.excluded),
    }


def over_budget(record: ZoneRecord, bill: Bill | None, records: t.Sequence[ZoneRecord]) -> t.Iterator[Problem]:
    """Yield that an account costs more than its budget, or that this is not known."""
    if bill is None:
        return
    name = record["account_name"] or record["account_id"]
    if bill.projection is None:
        if isinstance(record["cost"], Known) or not any(part == "delivery" for part, _reason in record["unreadable"]):
            text = f"whether Logpush of account {name!r} stays within {bill.usd:g} USD is not known: there are no figures of this month"
            yield problem("not_readable", None, text, resource="delivery")
        return
    costs = bill.projection
    if costs.highest <= bill.usd:
        if costs.missing:
            text = (
                f"whether Logpush of account {name!r} stays within {bill.usd:g} USD is not known: the plan shows neither the usage nor what was"
                f" delivered before {costs.missing}"
            )
            yield problem("not_readable", None, text, resource="delivery")
        elif bill.estimated and (zones := _left_out(record, records)):
            where = f"{plural(len(zones), 'zone')}, such as {zones[0]}" if len(zones) > 1 else zones[0]
            text = (
                f"whether Logpush of account {name!r} stays within {bill.usd:g} USD is not known: the plan shows no usage, and what is delivered of the"
                f" account leaves out jobs of {where}"
            )
            yield problem("not_readable", None, text, resource="delivery")
        return
    days = f"{costs.days} day{'' if costs.days == 1 else 's'}"
    will = "" if costs.projected is None else f" and will cost about {costs.projected:.0f} USD this month"
    caveats = f"{'estimated; ' if bill.estimated else ''}without {' and '.join(('transformers', *bill.excluded))}"
    most = _largest(record, records)
    text = f"Logpush of account {name!r} cost {costs.so_far:.2f} USD in {days}{will}, above {bill.usd:g} ({caveats}){f': {most}' if most else ''}"
    yield problem("over_budget", record["account_id"], text)


def _left_out(record: ZoneRecord, records: t.Sequence[ZoneRecord]) -> list[str]:
    """Return the zones with jobs that the delivery facts of their account leave out, or of which that is not known."""
    own, facts, cost = value_of(record["jobs"]), value_of(record["delivery"]), value_of(record["cost"]) or {}
    counted = {row.get("job_id") for row in map(dict_of, facts.rows)} if facts is not None else set()
    # Without jobs of the account itself, what was delivered of it is of its zones.
    is_of_zones = own == [] and any(dict_of(cost.get(kind)).get("gb") for kind in PUBLISHED_RATES)
    return [
        other["zone"]
        for other in records
        if other["scope"] == ZONE and owner_of(other) == owner_of(record) and not is_of_zones and _delivering(other) - counted
    ]


def _delivering(zone: ZoneRecord) -> set[Json]:
    """Return the jobs of a zone that have delivered something; those that are enabled where that is not known."""
    jobs, facts = value_of(zone["jobs"]) or (), value_of(zone["delivery"])
    if facts is None:
        return {job_number(job) for job in jobs if job.get("enabled") is not False}
    return {row.get("job_id") for row in map(dict_of, facts.rows) if row.get("bytes") != 0}


def _largest(record: ZoneRecord, records: t.Sequence[ZoneRecord]) -> str:
    """Return the dataset and host with the most bytes of the account in the window of the delivery facts, with its share; "" if not known."""
    sizes: collections.Counter[str] = collections.Counter()
    for other in records:
        facts, jobs = value_of(other["delivery"]), value_of(other["jobs"])
        if owner_of(other) != owner_of(record) or facts is None or jobs is None:
            continue
        datasets = {job_number(job): dataset_of(job) or "a dataset that is not shown" for job in jobs}
        for row in map(dict_of, facts.rows):
            size, number = row.get("bytes"), row.get("job_id")
            if is_integer(size) and is_integer(number) and number in datasets:
                sizes[f"{datasets[number]} of {other['zone']}"] += size
    total = sum(sizes.values())
    if not total:
        return ""
    name, size = max(sizes.items(), key=lambda pair: (pair[1], pair[0]))
    return f"{name} {100 * size / total:.0f} %"
