# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from ...module_utils._address import ACCOUNT, ZONE
from ...module_utils._core import Json
from ...module_utils._logpush.costs import PUBLISHED_RATES, Projection, Rates, project
from ...module_utils._logpush.coverage import dataset_of
from ...module_utils._observed import Known, Unknown, is_unasked
from ...module_utils._text import dict_of, format_time, is_integer, list_of, parse_time
from ...module_utils._zone.record import ZoneRecord, value_of
from ...module_utils._zone.told import owner_of
from .._variables.readers import read_budget
from .._words import plural
from .document import Copied
from .findings import job_number
from .items import Problem, problem

# What should be of a budget that nobody can compare with the figures of the month.
BUDGET = "figures of the whole account and month"

# A bill before it comes: what an account will cost this month, compared with its budget.


class Bill(t.NamedTuple):
    """The budget of an account in US dollars, and what is known of its month: no projection if there are no figures.

    `unknown` is why it is not known whether the account stays within its budget, "" if it is.
    """

    usd: float
    projection: Projection | None
    estimated: bool
    excluded: tuple[str, ...]
    unknown: str = ""


def bill_of(record: ZoneRecord, budget: float | None, rates: Rates, at: str, records: t.Sequence[ZoneRecord]) -> Bill | None:
    """Return the bill of an account that has a budget: its own, or that of the run; None for a host without one. `records` are those of the run."""
    if record["scope"] != ACCOUNT:
        return None
    cost, now = value_of(record["cost"]), parse_time(at)
    own = (cost or {}).get("budget_usd")
    usd = budget if own is None else read_budget(f"zones: cost.budget_usd of {record['zone']}", own)
    if usd is None:
        return None
    projection = None if cost is None or now is None else project(cost, rates, now)
    excluded = tuple(str(name) for name in list_of((cost or {}).get("excluded")))
    bill = Bill(usd, projection, (cost or {}).get("estimated") is not False, excluded)
    if projection is None:
        return bill._replace(unknown="there are no figures of this month")
    return bill._replace(unknown="" if projection.highest > bill.usd else _unknown(record, bill, projection, records, at))


def _unknown(record: ZoneRecord, bill: Bill, costs: Projection, records: t.Sequence[ZoneRecord], at: str) -> str:
    """Return why figures within a budget are not those of the whole account and month; "" if they are."""
    if costs.missing:
        return costs.missing
    zones = _left_out(record, records, at) if bill.estimated or costs.quiet else []
    if not zones:
        return ""
    where = f"{plural(len(zones), 'zone')}, such as {zones[0]}" if len(zones) > 1 else zones[0]
    usage = "no usage" if bill.estimated else "no usage of some days"
    return f"the plan shows {usage}, and what it shows as delivered of the account leaves out jobs of {where}"


def shown(bill: Bill | None) -> Copied | None:
    """Return a bill as the report has it; None if the figures are not those of the account."""
    if bill is None or bill.projection is None or bill.unknown:
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
    if bill.unknown:
        # Where the cost could not be read, the record says so itself.
        if isinstance(record["cost"], Known) or not any(part == "delivery" for part, _reason in record["unreadable"]):
            text = f"whether Logpush of account {name!r} stays within {bill.usd:g} USD is not known: {bill.unknown}"
            yield problem("not_readable", None, text, BUDGET, member="over_budget", resource="delivery")
        return
    costs = bill.projection
    if costs is None or costs.highest <= bill.usd:
        return
    days = f"{costs.days} day{'' if costs.days == 1 else 's'}"
    will = "" if costs.projected is None else f" and will cost about {costs.projected:.0f} USD this month"
    caveats = f"{'estimated; ' if bill.estimated else ''}without {' and '.join(('transformers', *bill.excluded))}"
    most = _largest(record, records)
    text = f"Logpush of account {name!r} cost {costs.so_far:.2f} USD in {days}{will}, above {bill.usd:g} ({caveats}){f': {most}' if most else ''}"
    yield problem("over_budget", record["account_id"], text)


def _left_out(record: ZoneRecord, records: t.Sequence[ZoneRecord], at: str) -> list[str]:
    """Return the zones with jobs that may have delivered in this month, where what was delivered of their account shows no jobs of zones."""
    cost, facts, own = value_of(record["cost"]) or {}, value_of(record["delivery"]), value_of(record["jobs"])
    counted = {*list_of(cost.get("jobs"))} or {row.get("job_id") for row in (facts.rows if facts else ())}
    is_estimated, has_bytes = (
        cost.get("estimated") is not False,
        any(dict_of(cost.get(kind)).get("gb") for kind in PUBLISHED_RATES),
    )
    # Without jobs of the account itself, what was delivered of it is of its zones.
    if own == [] and (counted or (is_estimated and has_bytes)):
        return []
    # A zone whose account is not known may belong to this one.
    zones = [other for other in records if other["scope"] == ZONE and owner_of(other) in ("", owner_of(record))]
    of_account = {job_number(job) for job in own or ()}
    if any(job_number(job) in counted - of_account for zone in zones for job in value_of(zone["jobs"]) or ()):
        return []
    # Where the usage has other days, a zone that shows no delivery is no reason to doubt it.
    return [
        zone["zone"]
        for zone in zones
        if _delivered(zone, at[:7]) or ((is_estimated or not has_bytes) and _may_deliver(zone, at[:7]))
    ]


def _may_deliver(zone: ZoneRecord, month: str) -> bool:
    """Return whether a zone has enabled jobs that may have delivered in a month, or was asked for its jobs and did not show them."""
    jobs = zone["jobs"]
    if isinstance(jobs, Unknown):
        return not is_unasked(jobs)
    return any(job.get("enabled") is not False and not _is_before(month, job.get("last_complete", "")) for job in jobs.value)


def _delivered(zone: ZoneRecord, month: str) -> bool:
    """Return whether jobs of a zone show that they delivered something in a month."""
    jobs, facts = value_of(zone["jobs"]) or (), value_of(zone["delivery"])
    return any(_is_of(month, job.get("last_complete")) for job in jobs) or any(
        row.get("bytes") != 0 for row in (facts.rows if facts else ())
    )


def _is_of(month: str, sent: Json) -> bool:
    """Return whether a time that the service shows is in a month, or cannot be told."""
    time = parse_time(sent)
    return sent is not None and (time is None or format_time(time)[:7] == month)


def _is_before(month: str, sent: Json) -> bool:
    """Return whether a job with this last delivery delivered nothing since a month began: never, or only before."""
    time = parse_time(sent)
    return sent is None or (time is not None and format_time(time)[:7] < month)


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
