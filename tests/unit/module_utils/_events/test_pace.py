# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._events.source import Pace


class World:
    """A clock that is set by hand."""

    now = 0.0

    def pace(self, budget: tuple[int, float] | None) -> Pace:
        return Pace(300, budget, lambda: self.now)


@pytest.mark.parametrize(
    ("budget", "requests", "pause", "warned"),
    [
        ((300, 300.0), 50, 300, False),
        ((300, 300.0), 300, 300, False),
        ((300, 300.0), 5000, 5000, True),
        ((300, 60.0), 5000, 1000, True),
        (None, 5_000_000, 300, False),
    ],
)
def test_interval_grows_with_the_budget(
    budget: tuple[int, float] | None, requests: int, pause: float, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Interval grows with what the budget needs."""
    pace = World().pace(budget)
    pace.begin()
    assert pace.end(requests) == pause
    assert (f"interval grows from 300 to {pause} seconds" in caplog.text) is warned


def test_grown_interval_includes_the_poll() -> None:
    """The time of a poll counts towards an interval that has grown, and no other."""
    world = World()
    pace = world.pace((300, 300.0))
    pace.begin()
    world.now = 50
    assert pace.end(400) == 350
    world.now = 390
    assert pace.end(400) == 300


def test_warning_comes_once_until_it_grows_again(caplog: pytest.LogCaptureFixture) -> None:
    pace = World().pace((300, 300.0))
    for requests in (1000, 1001, 1050, 900, 1050, 2000, 2001):
        pace.end(requests)
    assert [text.partition(":")[0] for text in caplog.messages] == [
        "interval grows from 300 to 1000 seconds",
        "interval grows from 300 to 2000 seconds",
    ]
