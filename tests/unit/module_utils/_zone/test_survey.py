# SPDX-License-Identifier: GPL-3.0-or-later

import pytest

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
def test_time_left_includes_waits_for_the_budget(done, total, elapsed, sent, budget, left):
    """The estimate uses the pace between waits, and the waits for the budget of the remaining requests."""
    assert seconds_left(done, total, elapsed, sent, budget) == pytest.approx(left)
