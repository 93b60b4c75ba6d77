# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# When a request may begin, judged by the times of the latest ones and by what the service announced.
import math
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.budget.request_log import State
from ansible_collections.edgeops.observability.plugins.module_utils._api.retry import date_of

Allowance = tuple[int, float]
# A reset further away than this is not believed.
_MAX_RESET_SECONDS = 3600.0


class Turn(t.NamedTuple):
    """A request that may begin as `number`, or the seconds to wait; `announced`: because of what the service said."""

    number: int | None = None
    wait: float = 0.0
    announced: bool = False


class Window:
    """A window of time, in which only so many requests may begin; it moves on with the clock."""

    def __init__(self, allowance: Allowance, longest_pause: float, now: t.Callable[[], float]) -> None:
        self._requests, seconds = allowance
        # The service's clock sees a request a little after ours.
        self._seconds = seconds + min(1.0, max(0.02, seconds / 100))
        self._longest_pause = longest_pause
        self._now = now
        self._begun: dict[int, float] = {}

    def begin(self, state: State) -> Turn:
        """Count a request that may begin now, or say how long it has to wait."""
        now = self._now()
        own, announced = self._own_wait(state, now), self._announced_wait(state, now)
        if max(own, announced) > 0:
            return Turn(wait=max(own, announced), announced=announced > own)
        self._vacate(state, now)
        number = state.append(now)
        self._begun[number] = now
        return Turn(number)

    def end(self, state: State, number: int, headers: t.Mapping[str, str]) -> None:
        """End a request: it counts from now on, and the headers of its answer may allow less."""
        now = self._now()
        # After more than a window, the place may have been given to another request.
        if state.time_of(number) == self._begun.pop(number, None):
            state.set_time(number, now)
        self._correct(state, number, now, headers)

    def pause(self, state: State, seconds: float) -> None:
        """Let no request begin for that long."""
        state.pause_end = max(self._now() + seconds, self._believed(state.pause_end, self._longest_pause))
        state.save()

    def _own_wait(self, state: State, now: float) -> float:
        """Return the seconds until the budget allows a request, and no other process keeps a pause."""
        pause = self._believed(state.pause_end, self._longest_pause) - now
        if state.count < self._requests:
            return pause
        return max(pause, self._leaves_at(self._earliest(state, now)[1], now) - now)

    def _announced_wait(self, state: State, now: float) -> float:
        """Return the seconds until the moment at which the service accepts requests again, as its headers announced it."""
        return self._believed(state.allowed_end, _MAX_RESET_SECONDS) - now if state.count >= state.allowed else 0.0

    def _earliest(self, state: State, now: float) -> tuple[int, float]:
        """Number and time of the request that leaves the window first; one that was slow leaves later than some that followed it."""
        oldest = state.count - self._requests
        time = state.time_of(oldest)
        if self._leaves_at(time, now) > now:
            times = state.times(oldest)
            time = min(times)
            return oldest + times.index(time), time
        return oldest, time

    def _vacate(self, state: State, now: float) -> None:
        """Keeps what is in the window among the latest requests, the only ones that are looked at."""
        oldest = state.count - self._requests
        if oldest >= 0:
            number, time = self._earliest(state, now)
            if number != oldest:
                state.set_time(number, state.time_of(oldest))
                state.set_time(oldest, time)

    def _leaves_at(self, time: float, now: float) -> float:
        """When a request leaves the window; a time that is still to come was noted by a clock that has been set back."""
        return time + self._seconds if time <= now + 1 else 0.0

    def _believed(self, moment: float, longest: float) -> float:
        return moment if math.isfinite(moment) and moment - self._now() <= longest else 0.0

    def _correct(self, state: State, number: int, now: float, headers: t.Mapping[str, str]) -> None:
        """Believes the service where it allows less than this budget would: others use the credential, too."""
        remaining = headers.get("x-ratelimit-remaining", "").strip()
        reset = date_of(headers.get("x-ratelimit-reset"))
        if not (remaining.isascii() and remaining.isdigit()) or reset is None or not now < reset <= now + _MAX_RESET_SECONDS:
            return
        allowed = number + 1 + int(remaining[:9])
        covered = allowed >= self._requests and self._leaves_at(state.time_of(allowed - self._requests), now) > now
        if allowed - number <= self._requests and not covered:
            same_window = state.allowed_end >= reset - 1
            state.allowed = min(allowed, state.allowed) if same_window else allowed
            state.allowed_end = max(reset, state.allowed_end) if same_window else reset
            state.save()
