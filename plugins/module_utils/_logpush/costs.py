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


# Bytes by type of destination; None for those whose type the service does not show.
Delivered: t.TypeAlias = "t.Mapping[str | None, int]"
# The jobs of each dataset that is not counted; None if the jobs of the account cannot be listed.
Excluded: t.TypeAlias = "t.Mapping[str, t.Sequence[int]] | None"


def estimate(
    month: str, billed: int | None, delivered: Delivered, since: str, rates: Rates, excluded: Excluded = None
) -> dict[str, Json]:
    """Return the cost of a month so far, from the billed bytes (None if the service shows none) and the delivered ones.

    The delivered bytes are those since a time that may be after the start of the month, without those of `excluded`.
    """
    total, hidden = sum(delivered.values()), delivered.get(None, 0)
    internal = sum(size for kind, size in delivered.items() if kind in INTERNAL_DESTINATIONS)
    # Usage can lag behind: what was delivered is billed.
    is_estimated = billed is None or total > billed
    counted = total if billed is None else max(total, billed)
    # Where the plan does not show the type of a destination, what costs more counts.
    counts_as = {EXTERNAL: internal, INTERNAL: internal + hidden}
    divided = {kind: _parts(counted, size / total if total else 0.0, rates) for kind, size in counts_as.items()}
    assumed = max(counts_as, key=lambda kind: _amount(divided[kind]))
    parts = divided[assumed]
    assumptions = ["The amount is for the month so far, for deliveries only: transformers are not included."]
    if rates == PUBLISHED_RATES:
        assumptions.append(
            f"Rates as Cloudflare published them on {PUBLISHED}; an Enterprise contract may have others (option rates)."
        )
    if is_estimated:
        shows = "no usage" if billed is None else "less usage than was delivered"
        assumptions.append(f"The service shows {shows}, so the uncompressed bytes of delivered batches since {since} count.")
    if hidden == total and None in delivered:
        assumptions.append(f"The plan does not show bytes by destination, so all count as delivered to {assumed} destinations.")
    elif hidden:
        assumptions.append(
            f"The destinations of {hidden / BYTES_PER_GB:.3f} GB are not shown, so that these count as delivered to {assumed} ones."
        )
    elif total:
        assumptions.append(
            f"Bytes divide between internal (R2, Pipelines) and external destinations as they were delivered since {since}."
        )
    elif billed:
        assumptions.append("No delivery was measured at account scope, so all bytes count as delivered to external destinations.")
    assumptions += _about_excluded(excluded)
    whole = {"month": month, "currency": "USD", "amount": _amount(parts), **parts, "since": f"{month}-01T00:00:00Z"}
    if is_estimated:
        whole["since"] = since
    return {**whole, "estimated": is_estimated, "assumptions": assumptions, "excluded": sorted(excluded or ())}


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
    """What a month costs: so far, and as projected (None from few days), and from how many days; `missing`: earlier ones are not shown."""

    so_far: float
    projected: float | None
    days: int
    missing: str = ""

    @property
    def highest(self) -> float:
        return max(self.so_far, self.projected or 0.0)


def project(cost: t.Mapping[str, Json], rates: Rates, at: datetime.datetime) -> Projection | None:
    """Return what the month of a cost costs, at a time in it; None if the figures are of another month, or cannot be told.

    The bytes so far are projected over the days of the month and then priced, so that the free ones are taken off once for each kind.
    Where the plan shows a part of the month only, those of its time are.
    """
    start = at.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    since = parse_time(cost.get("since", format_time(start)))
    used = {kind: dict_of(cost.get(kind)).get("gb") for kind in rates}
    if cost.get("month") != f"{at:%Y-%m}" or since is None:
        return None
    amounts = [(rates[kind], float(gb)) for kind, gb in used.items() if isinstance(gb, (int, float)) and not isinstance(gb, bool)]
    if len(amounts) != len(rates) or not all(math.isfinite(gb) and gb >= 0 for _rate, gb in amounts):
        return None
    elapsed = (at - max(start, since)).total_seconds() / 86_400
    factor = calendar.monthrange(at.year, at.month)[1] / elapsed if elapsed >= MIN_DAYS else None
    missing = format_time(since) if since > start else ""
    projected = None if factor is None else _price(amounts, factor)
    return Projection(_price(amounts, 1.0), projected, max(1, math.ceil(elapsed)), missing)


def _price(amounts: t.Iterable[tuple[Rate, float]], factor: float) -> float:
    return round(sum(max(0.0, gb * factor - rate.free_gb) * rate.usd_per_gb for rate, gb in amounts), 2)
