# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._events.source import Pace


class World:
    """A clock that is set by hand, and what was logged."""

    def __init__(self) -> None:
        self.now = 0.0
        self.said: list[str] = []

    def pace(self, budget: tuple[int, float] | None) -> Pace:
        return Pace(300, budget, lambda: self.now, lambda text, *values: self.said.append(text % values))


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
def test_interval_grows_with_the_budget(budget: tuple[int, float] | None, requests: int, pause: float, warned: bool) -> None:
    """Interval grows with what the budget needs."""
    world = World()
    pace = world.pace(budget)
    pace.begin(requests)
    assert pace.pause == pause
    assert bool(world.said) is warned
    assert all(f"to {pause} seconds" in text for text in world.said)


def test_grown_interval_includes_the_poll() -> None:
    """The time of a poll counts towards an interval that has grown, and no other."""
    world = World()
    pace = world.pace((300, 300.0))
    pace.begin(400)
    world.now = 50
    assert pace.pause == 350
    world.now = 390
    assert pace.pause == 300


def test_warning_comes_once_until_it_grows_again() -> None:
    world = World()
    pace = world.pace((300, 300.0))
    for requests in (1000, 1001, 1050, 900, 1050, 2000, 2001):
        pace.begin(0)
        pace.need(requests)
    assert ["1000 sec" in world.said[0], "2000 sec" in world.said[1], len(world.said)] == [True, True, 2]
