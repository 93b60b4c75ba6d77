# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import calendar
import datetime
import math
import typing as t

from .._core import Json, invalid_option
from .._text import dict_of, format_time, parse_time

# What the deliveries of an account cost in the month so far.

BYTES_PER_GB = 1_000_000_000
# Prices that Cloudflare publishes, for accounts without a contract of their own [Cloudflare documentation, Logpush, pricing].
PUBLISHED = "2026-10-02"
INTERNAL, EXTERNAL = "internal", "external"
# Datasets that are not paid by the gigabyte [the same page]: 10 million requests of a month are free, then 0.05 USD a million.
NOT_BY_SIZE = ("workers_trace_events",)
# Destinations inside Cloudflare: R2, and Pipelines, by what is known of their names.
INTERNAL_DESTINATIONS = frozenset(("r2", "pipelines", "pipeline"))


class Rate(t.NamedTuple):
    """The price of a gigabyte in US dollars after the free ones of the month."""

    usd_per_gb: float
    free_gb: float


Rates = t.Mapping[str, Rate]
PUBLISHED_RATES: Rates = {INTERNAL: Rate(0.03, 25.0), EXTERNAL: Rate(0.10, 25.0)}
_RATE: dict[str, Json] = {"type": "dict", "options": {name: {"type": "float"} for name in Rate._fields}}
RATES_OPTION: dict[str, Json] = {"type": "dict", "options": dict.fromkeys(PUBLISHED_RATES, _RATE)}


def desire_rates(option: t.Mapping[str, t.Mapping[str, float | None] | None] | None) -> Rates:
    """Return the rates of the option, and the published ones for what it omits."""
    rates: dict[str, Rate] = {}
    for kind, published in PUBLISHED_RATES.items():
        own = {name: value for name, value in ((option or {}).get(kind) or {}).items() if value is not None}
        for name, value in own.items():
            if not math.isfinite(value) or value < 0:
                raise invalid_option(f"rates.{kind}.{name}", f"{value!r} is not a number from 0 on")
        rates[kind] = published._replace(**own)
    return rates


class Deliveries(t.NamedTuple):
    """What was delivered of an account: bytes by type of destination (None where it is not shown), the jobs, and the bytes of each day that is shown whole."""

    by_type: t.Mapping[str | None, int]
    jobs: frozenset[int]
    by_day: t.Mapping[str, int]


# Of a plan that shows no bytes.
NO_DELIVERIES = Deliveries({None: 0}, frozenset(), {})
# The jobs of each dataset that is not counted; None if the jobs of the account cannot be listed.
Excluded: t.TypeAlias = "t.Mapping[str, t.Sequence[int]] | None"
# The figures are of sampled rows: a smaller share is no difference.
_MIN_SHARE = 0.01


def whole_days(since: datetime.datetime, until: datetime.datetime) -> list[str]:
    """Return the days of a time span, without the first one if only a part of it is in the span."""
    first = since.date() + datetime.timedelta(since.time() != datetime.time.min)
    return [(first + datetime.timedelta(day)).isoformat() for day in range((until.date() - first).days + 1)]


def missing_days(usage: t.Mapping[str, int], by_day: t.Mapping[str, int], days: t.Sequence[str]) -> dict[str, int | None]:
    """Return the days of a month so far without usage, with the bytes that were delivered on each; None where that is not shown.

    The usage of the last one, today, may be late, unless there is no usage at all.
    """
    return {day: by_day.get(day) for day in (days[:-1] if usage else days) if day not in usage}


def estimate(
    now: datetime.datetime,
    usage: t.Mapping[str, int] | None,
    delivered: Deliveries,
    since: datetime.datetime,
    rates: Rates,
    excluded: Excluded = None,
) -> dict[str, Json]:
    """Return the cost of a month so far, from the billed bytes by day (None if the service shows none) and the delivered ones.

    The delivered bytes are those since a time that may be after the start of the month, without those of `excluded`.
    """
    begins = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    total, billed = sum(delivered.by_type.values()), sum((usage or {}).values())
    # Usage can lag behind: what was delivered is billed.
    is_estimated = usage is None or total - billed >= _MIN_SHARE * total > 0
    days = {} if usage is None or is_estimated else missing_days(usage, delivered.by_day, whole_days(begins, now))
    parts, about_types = _divide(max(total, billed), usage or {}, delivered, since, now, rates)
    assumptions = ["The amount is for the month so far, for deliveries only: transformers are not included."]
    if rates == PUBLISHED_RATES:
        assumptions.append(
            f"Rates as Cloudflare published them on {PUBLISHED}; an Enterprise contract may have others (option rates)."
        )
    if is_estimated:
        shows = "no usage" if usage is None else "less usage than was delivered"
        assumptions.append(
            f"The service shows {shows}, so the uncompressed bytes of delivered batches since {format_time(since)} count."
        )
    if days:
        count = f"{len(days)} day{'' if len(days) == 1 else 's'}"
        assumptions.append(f"The usage has no figures of {count} of the month, such as {min(days)}, which count as nothing.")
    return {
        "month": f"{now:%Y-%m}",
        "currency": "USD",
        "amount": _amount(parts),
        **parts,
        "since": format_time(since if is_estimated else begins),
        "missing_days": days,
        "jobs": sorted(delivered.jobs),
        "estimated": is_estimated,
        "assumptions": [*assumptions, *about_types, *_about_excluded(excluded)],
        "excluded": sorted(excluded or ()),
    }


def _divide(
    counted: int,
    usage: t.Mapping[str, int],
    delivered: Deliveries,
    since: datetime.datetime,
    now: datetime.datetime,
    rates: Rates,
) -> tuple[_Parts, list[str]]:
    """Return what bytes cost, divided as they were delivered since a time, and what that assumes.

    Bytes of destinations that are not shown count as what costs more. So do those that were billed in that time and are not among the
    deliveries.
    """
    total = sum(delivered.by_type.values())
    measured = max(total, sum(usage.get(day, 0) for day in whole_days(since, now)))
    unseen = measured - total if measured - total >= _MIN_SHARE * measured else 0
    hidden = delivered.by_type.get(None, 0) + unseen
    internal = sum(size for kind, size in delivered.by_type.items() if kind in INTERNAL_DESTINATIONS)
    divided = {
        assumed: _parts(counted, size / measured if measured else 0.0, rates)
        for assumed, size in ((EXTERNAL, internal), (INTERNAL, internal + hidden))
    }
    assumed = max(divided, key=lambda kind: _amount(divided[kind]))
    said = []
    if None in delivered.by_type and hidden == measured:
        said = [f"The plan does not show bytes by destination, so all count as delivered to {assumed} destinations."]
    elif not total and counted:
        said = ["No delivery was measured at account scope, so all bytes count as delivered to external destinations."]
    elif hidden:
        size = counted * hidden / measured / BYTES_PER_GB
        said = [f"The destinations of {size:.3f} GB are not shown, so that these count as delivered to {assumed} ones."]
    elif total:
        between = "internal (R2, Pipelines) and external destinations"
        said = [f"Bytes divide between {between} as they were delivered since {format_time(since)}."]
    return divided[assumed], said


def _about_excluded(excluded: Excluded) -> t.Iterator[str]:
    """Yield which jobs do not count because their datasets are not paid by the GB."""
    if excluded is None:
        names = " and ".join(NOT_BY_SIZE)
        yield f"The jobs of the account cannot be listed, so that those of {names}, which is not paid by the GB, may be included."
        return
    for dataset, jobs in excluded.items():
        which = f"job {jobs[0]}" if len(jobs) == 1 else f"jobs {', '.join(map(str, jobs))}"
        yield f"The dataset {dataset} ({which}) is paid by the number of requests and not by the GB, so it is left out."


_Parts = dict[str, dict[str, float]]


def _parts(size: int, internal: float, rates: Rates) -> _Parts:
    """Return what bytes cost of which this share goes to internal destinations, by kind."""
    parts: _Parts = {}
    for kind, share in ((INTERNAL, internal), (EXTERNAL, 1 - internal)):
        gigabytes, rate = size * share / BYTES_PER_GB, rates[kind]
        cost = round(max(0.0, gigabytes - rate.free_gb) * rate.usd_per_gb, 2)
        parts[kind] = {"gb": round(gigabytes, 3), "free_gb": rate.free_gb, "amount": cost}
    return parts


def _amount(parts: _Parts) -> float:
    return round(sum(part["amount"] for part in parts.values()), 2)


# With fewer days than these nothing is projected: one busy day would be a month of busy days.
MIN_DAYS = 3


class Projection(t.NamedTuple):
    """What a month costs: so far, and as projected (None from few days), and from how many days.

    `missing` says which days are not shown, "" if all are. `quiet` is whether there are days without usage on which nothing was delivered,
    as far as the account shows.
    """

    so_far: float
    projected: float | None
    days: int
    missing: str = ""
    quiet: bool = False

    @property
    def highest(self) -> float:
        return max(self.so_far, self.projected or 0.0)


def project(cost: t.Mapping[str, Json], rates: Rates, at: datetime.datetime) -> Projection | None:
    """Return what the month of a cost costs, at a time in it; None if the figures are of another month, or cannot be told.

    The bytes so far are projected over the days of the month and then priced, so that the free ones are taken off once for each kind.
    Where a part of the month only is shown, the days of that part are projected.
    """
    start = at.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    since, lacking = parse_time(cost.get("since", format_time(start))), cost.get("missing_days", {})
    used = {kind: dict_of(cost.get(kind)).get("gb") for kind in rates}
    if cost.get("month") != f"{at:%Y-%m}" or since is None or not isinstance(lacking, dict):
        return None
    amounts = [(rates[kind], float(gb)) for kind, gb in used.items() if isinstance(gb, (int, float)) and not isinstance(gb, bool)]
    if len(amounts) != len(rates) or not all(math.isfinite(gb) and gb >= 0 for _rate, gb in amounts):
        return None
    unknown = sorted(day for day, size in lacking.items() if size != 0)
    elapsed = (at - max(start, since)).total_seconds() / 86_400 - len(unknown)
    factor = calendar.monthrange(at.year, at.month)[1] / elapsed if elapsed >= MIN_DAYS else None
    missing = f"the plan shows neither the usage nor what was delivered before {format_time(since)}" if since > start else ""
    if unknown:
        missing = f"the usage has no figures of {len(unknown)} day{'' if len(unknown) == 1 else 's'}, such as {unknown[0]}"
    projected = None if factor is None else _price(amounts, factor)
    return Projection(_price(amounts, 1.0), projected, max(1, math.ceil(elapsed)), missing, len(unknown) < len(lacking))


def _price(amounts: t.Iterable[tuple[Rate, float]], factor: float) -> float:
    return round(sum(max(0.0, gb * factor - rate.free_gb) * rate.usd_per_gb for rate, gb in amounts), 2)
