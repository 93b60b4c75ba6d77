# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# How many requests may be made in any window of time, over all processes of this user with one credential.
import hashlib
import math
import os
import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.budget.request_log import CAPACITY, Ledger, State
from ansible_collections.edgeops.observability.plugins.module_utils._api.budget.state_folder import state_folder
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection
from ansible_collections.edgeops.observability.plugins.module_utils._api.retry import date_of
from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option

Allowance = tuple[int, float]
_Found = t.TypeVar("_Found")
_FORM = re.compile(r"([0-9]{1,9})/([0-9]{1,9})", re.ASCII)
_LONGEST_WINDOW = 86400
# A reset further away than this is not believed.
_LONGEST_RESET = 3600.0


class Turn(t.NamedTuple):
    """A request that may begin as `number`, or the seconds to wait; `announced`: because of what the service said."""

    number: int | None = None
    wait: float = 0.0
    announced: bool = False


class PauseTooLong(Exception):
    """The service announced that it accepts no request for longer than `retry_wait_max`; the text tells how long."""


def parse_budget(text: str) -> Allowance | None:
    """(requests, seconds) of `1200/300`, or None for `none`."""
    if text.strip().lower() == "none":
        return None
    form = _FORM.fullmatch(text.strip())
    if not form:
        raise invalid_option("request_budget", f"{text!r} is neither REQUESTS/SECONDS, as in 1200/300, nor none")
    requests, seconds = int(form[1]), int(form[2])
    if not 1 <= requests <= CAPACITY:
        raise invalid_option("request_budget", f"the number of requests must be from 1 to {CAPACITY}")
    if not 1 <= seconds <= _LONGEST_WINDOW:
        raise invalid_option("request_budget", f"the number of seconds must be from 1 to {_LONGEST_WINDOW}")
    return requests, float(seconds)


class Unlimited:
    """The budget of those who have none: it neither waits nor counts."""

    def acquire(self) -> int | None:
        """Begins a request at once."""
        return None

    def settle(self, number: int | None, headers: t.Mapping[str, str]) -> None:
        """Ends a request."""

    def pause(self, seconds: float) -> None:
        """Takes no note of a pause."""


class Budget(Unlimited):
    """A share in what all processes may do together."""

    def __init__(
        self,
        ledger: Ledger,
        allowance: Allowance,
        longest_pause: float,
        sleep: t.Callable[[float], None],
        now: t.Callable[[], float],
        warn: t.Callable[[str], None],
    ) -> None:
        self._ledger: Ledger | None = ledger
        self._requests, seconds = allowance
        # The service's clock sees a request a little after ours.
        self._window = seconds + min(1.0, max(0.02, seconds / 100))
        self._longest_pause = longest_pause
        self._sleep = sleep
        self._now = now
        self._warn = warn
        self._begun: dict[int, float] = {}

    @staticmethod
    def of(
        connection: Connection,
        *,
        sleep: t.Callable[[float], None],
        now: t.Callable[[], float],
        warn: t.Callable[[str], None],
    ) -> Unlimited:
        """The budget of a connection; where no state can be kept, a warning and no budget."""
        if connection.request_budget is None:
            return Unlimited()
        folder = state_folder()
        try:
            if folder is None:
                raise OSError("there is no folder that only this user can write to")
            ledger = Ledger(os.path.join(folder, _file_name(connection)))
        except OSError as error:
            warn(_not_kept(error))
            return Unlimited()
        return Budget(ledger, connection.request_budget, connection.retry_wait_max, sleep, now, warn)

    def acquire(self) -> int | None:
        """Waits until a request may begin, and counts it; gives its number."""
        while True:
            turn = self._with_state(self._begin, Turn())
            if turn.wait <= 0:
                return turn.number
            if turn.announced:
                self._announce(turn.wait)
            # Never while the file is locked.
            self._sleep(turn.wait)

    def settle(self, number: int | None, headers: t.Mapping[str, str]) -> None:
        """Ends a request: it counts from its end on, since only then it is sure that the service has counted it."""
        if number is not None:
            self._with_state(lambda state: self._end_of(state, number, headers), None)

    def pause(self, seconds: float) -> None:
        """Makes the other processes wait, too, where the service asked for it."""
        self._with_state(lambda state: self._begin_pause(state, seconds), None)

    def _announce(self, wait: float) -> None:
        announced = f"X-RateLimit-Remaining and X-RateLimit-Reset of the service leave no request for {math.ceil(wait)} s"
        if wait > self._longest_pause:
            raise PauseTooLong(f"{announced}, and retry_wait_max allows {self._longest_pause} s")
        self._warn(f"{announced}; the task waited for that time.")

    def _with_state(self, use: t.Callable[[State], _Found], otherwise: _Found) -> _Found:
        """Uses the shared state, as long as the system lets us keep one (think of a full disk)."""
        if self._ledger is None:
            return otherwise
        try:
            with self._ledger.locked() as state:
                return use(state)
        except OSError as error:
            self._ledger = None
            self._warn(_not_kept(error))
            return otherwise

    def _begin(self, state: State) -> Turn:
        now = self._now()
        own, announced = self._own_wait(state, now), self._announced_wait(state, now)
        if max(own, announced) > 0:
            return Turn(wait=max(own, announced), announced=announced > own)
        self._vacate(state, now)
        number = state.append(now)
        self._begun[number] = now
        return Turn(number)

    def _end_of(self, state: State, number: int, headers: t.Mapping[str, str]) -> None:
        now = self._now()
        # After more than a window, the place may have been given to another request.
        if state.time_of(number) == self._begun.pop(number, None):
            state.set_time(number, now)
        self._correct(state, number, now, headers)

    def _begin_pause(self, state: State, seconds: float) -> None:
        state.pause_end = max(self._now() + seconds, self._believed(state.pause_end, self._longest_pause))
        state.save()

    def _own_wait(self, state: State, now: float) -> float:
        """Return the seconds until the budget has room, and no other process keeps a pause."""
        pause = self._believed(state.pause_end, self._longest_pause) - now
        if state.count < self._requests:
            return pause
        return max(pause, self._end(self._earliest(state, now)[1], now) - now)

    def _announced_wait(self, state: State, now: float) -> float:
        """Return the seconds until the moment at which the service accepts requests again, as its headers announced it."""
        return self._believed(state.allowed_end, _LONGEST_RESET) - now if state.count >= state.allowed else 0.0

    def _earliest(self, state: State, now: float) -> tuple[int, float]:
        """Number and time of the request that leaves the window first; one that was slow leaves later than some that followed it."""
        oldest = state.count - self._requests
        time = state.time_of(oldest)
        if self._end(time, now) > now:
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

    def _end(self, time: float, now: float) -> float:
        """When a request leaves the window; a time that is still to come was noted by a clock that has been set back."""
        return time + self._window if time <= now + 1 else 0.0

    def _believed(self, moment: float, longest: float) -> float:
        return moment if math.isfinite(moment) and moment - self._now() <= longest else 0.0

    def _correct(self, state: State, number: int, now: float, headers: t.Mapping[str, str]) -> None:
        """Believes the service where it allows less than this budget would: others use the credential, too."""
        remaining = headers.get("x-ratelimit-remaining", "").strip()
        reset = date_of(headers.get("x-ratelimit-reset"))
        if not (remaining.isascii() and remaining.isdigit()) or reset is None or not now < reset <= now + _LONGEST_RESET:
            return
        allowed = number + 1 + int(remaining[:9])
        covered = allowed >= self._requests and self._end(state.time_of(allowed - self._requests), now) > now
        if allowed - number <= self._requests and not covered:
            same_window = state.allowed_end >= reset - 1
            state.allowed = min(allowed, state.allowed) if same_window else allowed
            state.allowed_end = max(reset, state.allowed_end) if same_window else reset
            state.save()


def _not_kept(error: OSError) -> str:
    return f"request_budget is not kept from here on: {error.strerror or error}."


def _file_name(connection: Connection) -> str:
    text = "\0".join(("edgeops.observability request budget", connection.origin, connection.identity))
    return f"requests-{hashlib.sha256(text.encode()).hexdigest()[:40]}"
