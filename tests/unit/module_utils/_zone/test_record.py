# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._observed import Known
from ansible_collections.edgeops.observability.plugins.module_utils._zone.record import read_record

A, B = "0a" * 16, "0b" * 16
OF_A: dict[str, t.Any] = {"zone_id": A, "job_id": 1}
OF_B: dict[str, t.Any] = {"zone_id": B, "job_id": 2}
BARE: dict[str, t.Any] = {"job_id": 3}
FACTS: dict[str, t.Any] = {"available": True, "reason": None, "unavailable": {}, "shortened": {}, "jobs": [OF_A, OF_B]}


@pytest.mark.parametrize(
    ("facts", "rows"),
    [
        (FACTS, [1]),
        (FACTS["jobs"], [1]),
        ([{**OF_A, "zone_id": A.upper()}, OF_B, BARE], [1, 3]),
        ([BARE], [3]),
        ({**FACTS, "jobs": [OF_B]}, []),
        ({**FACTS, "unavailable": {B: "no right"}}, [1]),
        ({**FACTS, "unavailable": {A: "no right"}}, "no right"),
        ({**FACTS, "unavailable": {A.upper(): "no right"}, "jobs": []}, "no right"),
        ({**FACTS, "zone_id": A}, [1]),
        ({**FACTS, "zone_id": B, "jobs": []}, f"the facts are those of {B}"),
        ({**FACTS, "account_id": B, "jobs": [{"account_id": B, "job_id": 9}]}, f"the facts are those of {B}"),
        ({"available": False, "reason": "no plan", "jobs": []}, "no plan"),
        ({"failed": True, "msg": "no answer", "error": {"kind": "unavailable"}}, "no answer"),
    ],
)
def test_delivery_facts_of_several_zones_are_told_apart(facts: t.Any, rows: list[int] | str) -> None:
    """A play asks once for all zones: each has its own rows, and what is not available of it."""
    part = read_record("zones[0]", {"zone": "a", "zone_id": A, "delivery": facts})["delivery"]
    assert (part.message if not isinstance(part, Known) else [row["job_id"] for row in part.value.rows]) == rows


@pytest.mark.parametrize(
    ("shortened", "text"),
    [
        (None, ""),
        ({}, ""),
        ({B: {"hours": 24, "requested": 48}}, ""),
        ({A: {"hours": 24, "requested": 48}}, "24 of 48 hours"),
        ({A.upper(): {"hours": 24, "requested": 48}}, "24 of 48 hours"),
        ({A: {"hours": None, "requested": 48}}, "a part of the hours"),
        ({A: "24"}, "a part of the hours"),
        ([A], "a part of the hours"),
    ],
)
def test_a_window_that_was_shortened_is_told_whatever_its_spelling(shortened: t.Any, text: str) -> None:
    part = read_record("zones[0]", {"zone": "a", "zone_id": A, "delivery": {**FACTS, "shortened": shortened}})["delivery"]
    assert isinstance(part, Known) and part.value.shortened == text


def test_two_rows_of_one_job_are_not_told_apart() -> None:
    """One of them would count, and what the other one lost would be told by nobody."""
    rows = [{**OF_A, "dropped_records": 5}, {**OF_A, "dropped_records": 0}]
    part = read_record("zones[0]", {"zone": "a", "zone_id": A, "delivery": rows})["delivery"]
    assert not isinstance(part, Known) and part.message == "two rows are of the job 1"


@pytest.mark.parametrize("available", [None, "false", 0])
def test_facts_of_which_nobody_says_that_they_are_available_are_none(available: t.Any) -> None:
    facts = {**FACTS, "available": available, "jobs": []}
    assert not isinstance(read_record("zones[0]", {"zone": "a", "zone_id": A, "delivery": facts})["delivery"], Known)


def test_delivery_facts_of_a_record_without_an_id() -> None:
    """Those of one zone are its own; of several nobody can tell which are."""
    one = read_record("zones[0]", {"zone": "a", "delivery": [OF_A, BARE]})["delivery"]
    several = read_record("zones[0]", {"zone": "a", "delivery": FACTS})["delivery"]
    assert isinstance(one, Known) and len(one.value.rows) == 2
    assert not isinstance(several, Known) and "does not name its own" in several.message
