# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._delivery.records import answered, questions
from ansible_collections.edgeops.observability.plugins.module_utils._zone.survey import seconds_left

BUDGET = (1200, 300.0)


@pytest.mark.parametrize(
    ("done", "total", "elapsed", "sent", "budget", "left"),
    [
        (100, 1000, 10, 300, None, 90),
        (100, 200, 10, 300, BUDGET, 10),
        (100, 1000, 10, 300, BUDGET, 690),
        (400, 1000, 40, 1200, BUDGET, 660),
        (500, 1000, 350, 1500, BUDGET, 350),
        (10, 10, 3, 30, BUDGET, 0),
    ],
)
def test_time_left(done, total, elapsed, sent, budget, left):
    """The pace between waits, and the waits that the budget makes of the requests still to come."""
    assert seconds_left(done, total, elapsed, sent, budget) == pytest.approx(left)


def test_one_question_for_a_connection():
    records = {
        "a": {"zone": "a", "zone_id": "0a"},
        "b": {"zone": "b", "zone_id": "0b"},
        "c": {"zone": "c", "zone_id": "0c"},
        "d": {"zone": "d", "account_id": "0d"},
    }
    asked = questions(records, lambda host: "other" if host == "b" else "one")
    assert asked == {"a": {"zone_ids": ["0a", "0c"]}, "b": {"zone_ids": ["0b"]}, "d": {"account_id": "0d"}}
    row = {"zone_id": "0c", "job_id": 1}
    failed = {"msg": "the service is down", "error": {"kind": "unavailable"}}
    facts = {"available": True, "reason": None, "unavailable": {"0a": "no right"}, "jobs": [row]}
    answers = {"a": facts, "b": failed, "d": {"available": False, "reason": "no plan", "unavailable": {}, "jobs": []}}
    found = {record["zone"]: record["delivery"] for record in answered(list(records.values()), asked, answers)}
    reasons = {name: each["reason"] for name, each in found.items() if isinstance(each, dict)}
    assert found["c"] == [row] and reasons == {"a": "no right", "b": "the service is down", "d": "no plan"}
