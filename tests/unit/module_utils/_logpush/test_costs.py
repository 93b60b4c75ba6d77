# SPDX-License-Identifier: GPL-3.0-or-later

import datetime
import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.costs import (
    PUBLISHED_RATES,
    Deliveries,
    Rate,
    desire_rates,
    estimate,
)

GB = 1_000_000_000
SINCE = "2026-11-01T00:00:00Z"
START = datetime.datetime(2026, 11, 1, tzinfo=datetime.timezone.utc)
NOON = START.replace(hour=12)
ALWAYS = "The amount is for the month so far, for deliveries only: transformers are not included."
PUBLISHED = "Rates as Cloudflare published them on 2026-10-02; an Enterprise contract may have others (option rates)."
ESTIMATED = f"The service shows no usage, so the uncompressed bytes of delivered batches since {SINCE} count."
LESS = ESTIMATED.replace("no usage", "less usage than was delivered")
DIVIDED = f"Bytes divide between internal (R2, Pipelines) and external destinations as they were delivered since {SINCE}."
ALL_EXTERNAL = "No delivery was measured at account scope, so all bytes count as delivered to external destinations."
NO_TYPES = "The plan does not show bytes by destination, so all count as delivered to external destinations."
HIDDEN = "The destinations of 20.000 GB are not shown, so that these count as delivered to {} ones."
HIDDEN_30 = "The destinations of 30.000 GB are not shown, so that these count as delivered to external ones."
UNSEEN = "The destinations of 2800.000 GB are not shown, so that these count as delivered to external ones."
OWN = {"internal": Rate(0.02, 0.0), "external": Rate(0.1, 0.0)}


@pytest.mark.parametrize(
    ("billed", "delivered", "internal", "external", "assumptions"),
    [
        (
            100 * GB,
            {"r2": 25 * GB, "pipelines": 25 * GB, "s3": 50 * GB},
            (50.0, 0.75),
            (50.0, 2.5),
            [ALWAYS, PUBLISHED, DIVIDED],
        ),
        # Sampled figures differ a little.
        (100_000, {"r2": 100_100}, (0.0, 0.0), (0.0, 0.0), [ALWAYS, PUBLISHED, DIVIDED]),
        (100_000, {"r2": 99_100}, (0.0, 0.0), (0.0, 0.0), [ALWAYS, PUBLISHED, DIVIDED]),
        # What was billed and is not among the measured deliveries may have been delivered anywhere.
        (2800 * GB, {"r2": 1}, (0.0, 0.0), (2800.0, 277.5), [ALWAYS, PUBLISHED, UNSEEN]),
        (None, {"r2": 30 * GB, "s3": 20 * GB}, (30.0, 0.15), (20.0, 0.0), [ALWAYS, PUBLISHED, ESTIMATED, DIVIDED]),
        (26 * GB, {}, (0.0, 0.0), (26.0, 0.1), [ALWAYS, PUBLISHED, ALL_EXTERNAL]),
        (26 * GB, {None: 0}, (0.0, 0.0), (26.0, 0.1), [ALWAYS, PUBLISHED, NO_TYPES]),
        (None, {None: 26 * GB}, (0.0, 0.0), (26.0, 0.1), [ALWAYS, PUBLISHED, ESTIMATED, NO_TYPES]),
        (0, {}, (0.0, 0.0), (0.0, 0.0), [ALWAYS, PUBLISHED]),
        (None, {}, (0.0, 0.0), (0.0, 0.0), [ALWAYS, PUBLISHED, ESTIMATED]),
        # What is not known counts as what costs more.
        (
            None,
            {None: 20 * GB, "r2": 60 * GB},
            (80.0, 1.65),
            (0.0, 0.0),
            [ALWAYS, PUBLISHED, ESTIMATED, HIDDEN.format("internal")],
        ),
        (None, {None: 30 * GB, "s3": 20 * GB}, (0.0, 0.0), (50.0, 2.5), [ALWAYS, PUBLISHED, ESTIMATED, HIDDEN_30]),
        (25_123_456_789, {"http": 25 * GB}, (0.0, 0.0), (25.123, 0.01), [ALWAYS, PUBLISHED, DIVIDED]),
    ],
)
def test_bytes_are_billed_by_destination(
    billed: int | None,
    delivered: dict[str | None, int],
    internal: tuple[float, float],
    external: tuple[float, float],
    assumptions: list[str],
) -> None:
    usage = None if billed is None else {"2026-11-01": billed}
    assert estimate(NOON, usage, Deliveries(delivered, frozenset((2, 1)), {}), START, PUBLISHED_RATES, {}) == {
        "month": "2026-11",
        "currency": "USD",
        "amount": round(internal[1] + external[1], 2),
        "internal": {"gb": internal[0], "free_gb": 25.0, "amount": internal[1]},
        "external": {"gb": external[0], "free_gb": 25.0, "amount": external[1]},
        "since": SINCE,
        "missing_days": {},
        "jobs": [1, 2],
        "estimated": billed is None,
        "assumptions": assumptions,
        "excluded": [],
    }


NOTHING = Deliveries({}, frozenset(), {})
ON_FOURTH = START.replace(day=4, hour=6)


@pytest.mark.parametrize(
    ("usage", "by_day", "missing"),
    [
        # The usage of today may be late.
        ({"2026-11-01": 1, "2026-11-02": 1, "2026-11-03": 1}, {"2026-11-04": 5}, {}),
        (
            {"2026-11-02": 1},
            {"2026-11-01": 5, "2026-11-03": 0, "2026-11-04": 5},
            {"2026-11-01": 5, "2026-11-03": 0},
        ),
        ({"2026-11-03": 1}, {"2026-11-03": 5, "2026-11-04": 5}, {"2026-11-01": None, "2026-11-02": None}),
        # No usage at all is none of today either.
        ({}, {"2026-11-04": 5}, {"2026-11-01": None, "2026-11-02": None, "2026-11-03": None, "2026-11-04": 5}),
        (None, {}, {}),
    ],
)
def test_days_without_usage_are_returned_with_what_was_delivered(usage: t.Any, by_day: t.Any, missing: t.Any) -> None:
    cost: t.Any = estimate(ON_FOURTH, usage, Deliveries({}, frozenset(), by_day), START, PUBLISHED_RATES, {})
    assert cost["missing_days"] == missing
    said = [text for text in cost["assumptions"] if "such as 2026-11-01, which count as nothing" in text]
    assert bool(said) is bool(missing)


def test_deliveries_of_a_part_of_the_month_are_compared_with_the_usage_of_their_days() -> None:
    """Else the days before would count as delivered to what costs more, although the plan shows only one day of deliveries."""
    usage = {f"2026-11-{day:02}": 10 * GB for day in range(1, 21)}
    since = START.replace(day=19, hour=6)
    whole: t.Any = estimate(START.replace(day=20, hour=6), usage, Deliveries({"r2": 10 * GB}, frozenset(), {}), since, OWN, {})
    assert (whole["internal"]["gb"], whole["since"]) == (200.0, SINCE)
    half: t.Any = estimate(START.replace(day=20, hour=6), usage, Deliveries({"r2": 5 * GB}, frozenset(), {}), since, OWN, {})
    assert half["external"]["gb"] == 100.0


@pytest.mark.parametrize(
    ("excluded", "names", "said"),
    [
        (
            {"workers_trace_events": [5]},
            ["workers_trace_events"],
            "The dataset workers_trace_events (job 5) is paid by the number of",
        ),
        ({"workers_trace_events": [5, 6]}, ["workers_trace_events"], "The dataset workers_trace_events (jobs 5, 6) is paid by"),
        (
            None,
            [],
            "The jobs of the account cannot be listed, so that those of workers_trace_events, which is not paid by the GB, may",
        ),
    ],
)
def test_datasets_without_price_are_named(excluded: t.Any, names: list[str], said: str) -> None:
    cost: t.Any = estimate(NOON, {"2026-11-01": 0}, NOTHING, START, PUBLISHED_RATES, excluded)
    assert cost["excluded"] == names and cost["assumptions"][-1].startswith(said)


def test_what_was_delivered_is_billed() -> None:
    """The usage may come late, and has fewer bytes than were delivered already."""
    delivered = Deliveries({"r2": 50 * GB, "s3": 50 * GB}, frozenset(), {})
    cost: t.Any = estimate(ON_FOURTH, {"2026-11-01": 50 * GB}, delivered, START, PUBLISHED_RATES, {})
    assert (cost["internal"]["gb"], cost["external"]["gb"], cost["estimated"]) == (50.0, 50.0, True)
    assert cost["missing_days"] == {} and LESS in cost["assumptions"]


def test_own_rates_apply() -> None:
    delivered = Deliveries({"pipeline": 25 * GB, "s3": 75 * GB}, frozenset(), {})
    cost: t.Any = estimate(NOON, {"2026-11-01": 100 * GB}, delivered, START, OWN, {})
    assert (cost["internal"]["amount"], cost["external"]["amount"], cost["amount"]) == (0.5, 7.5, 8.0)
    assert cost["assumptions"] == [ALWAYS, DIVIDED]


def test_omitted_rates_are_the_published_ones() -> None:
    assert desire_rates(None) == desire_rates({"internal": None, "external": {"free_gb": None}}) == PUBLISHED_RATES
    assert desire_rates({"external": {"usd_per_gb": 0.05}}) == {**PUBLISHED_RATES, "external": Rate(0.05, 25.0)}


@pytest.mark.parametrize("value", [-0.01, float("nan"), float("inf")])
def test_invalid_rate_is_refused(value: float) -> None:
    with pytest.raises(Failure, match=rf"rates\.internal\.usd_per_gb: {value!r} is not a number from 0 on"):
        desire_rates({"internal": {"usd_per_gb": value}})
