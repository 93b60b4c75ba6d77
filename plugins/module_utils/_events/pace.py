# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import math
import typing as t

# A poll takes a few requests more or less each time; only a longer interval than this many times the last one is news.
_NEWS = 1.1


class Pace:
    """How long to pause between polls: the interval of the user, or what the request budget needs for all zones."""

    def __init__(
        self,
        interval: float,
        budget: tuple[int, float] | None,
        monotonic: t.Callable[[], float],
        warn: t.Callable[..., None],
    ) -> None:
        self._interval = interval
        self._budget = budget
        self._monotonic = monotonic
        self._warn = warn
        self._begin = 0.0
        self._needed = 0.0
        self._said = float(interval)
        self.polls = 0

    def begin(self, expected: int) -> None:
        """Begin a poll; before the first one nothing but the expected number of requests is known."""
        self._begin = self._monotonic()
        self.polls += 1
        if self.polls == 1:
            self._need(expected)

    def end(self, requests: int) -> None:
        """End a poll that took so many requests."""
        self._need(requests)

    @property
    def pause(self) -> float:
        """Seconds until the next poll, from the end of this one."""
        return max(self._interval, self._needed - (self._monotonic() - self._begin))

    def _need(self, requests: int) -> None:
        if self._budget is None:
            return
        allowed, seconds = self._budget
        self._needed = math.ceil(requests * seconds / allowed)
        if self._needed > self._said * _NEWS:
            self._said = self._needed
            self._warn(
                "interval grows from %d to %d seconds: a poll takes %d requests, and request_budget allows %d in %d seconds."
                " Watch fewer zones, narrow watch, or raise request_budget.",
                self._interval,
                self._needed,
                requests,
                allowed,
                seconds,
            )
