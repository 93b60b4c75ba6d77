# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import re
import stat
import struct
import threading
import typing as t

from .._core import invalid_option
from .._files import lock, state_folder, unlock
from .._text import duration, pause_text
from .connection import Connection
from .retry import date_of

# The times of the latest requests of one credential, in a file of fixed size that all processes of a user share.


CAPACITY = 65536
_MAGIC = b"edgeops1"
# Magic, number of requests so far, end of the pause that the service requested, number that it allows and until when.
_HEADER = struct.Struct("<8sQdQd")
_STAMP = struct.Struct("<d")
_START = 64
_SANE = 2**62
_SIZE = _START + CAPACITY * _STAMP.size


class Ledger:
    """One open file. `locked` gives the state for as long as a few reads and writes take; the system lets go of a dead process's lock."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        status = os.fstat(self._file)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            os.close(self._file)
            raise OSError("the state file is not a file of this user")
        # The system's lock belongs to the open file, which the threads of a process share.
        self._threads = threading.Lock()

    def __del__(self) -> None:
        if hasattr(self, "_threads"):
            os.close(self._file)

    @contextlib.contextmanager
    def locked(self) -> t.Iterator[State]:
        """The state, locked against other processes."""
        with self._threads:
            lock(self._file)
            try:
                yield State(self._file)
            finally:
                unlock(self._file)


class State:
    """The content of the file while it is locked. Anything that is not such a file is read as an empty one."""

    def __init__(self, file: int) -> None:
        self._file = file
        self.count, self.pause_end, self.allowed, self.allowed_end = 0, 0.0, 0, 0.0
        header = os.pread(file, _HEADER.size, 0)
        if len(header) == _HEADER.size and os.fstat(file).st_size == _SIZE:
            magic, *values = _HEADER.unpack(header)
            if magic == _MAGIC and max(values[0], values[2]) < _SANE:
                self.count, self.pause_end, self.allowed, self.allowed_end = values
                return
        os.ftruncate(file, 0)
        os.ftruncate(file, _SIZE)
        self.save()

    def save(self) -> None:
        """Writes everything but the times."""
        values = (self.count, self.pause_end, self.allowed, self.allowed_end)
        os.pwrite(self._file, _HEADER.pack(_MAGIC, *values), 0)

    def append(self, time: float) -> int:
        """Counts one more request; gives its number."""
        number = self.count
        self.set_time(number, time)
        self.count += 1
        self.save()
        return number

    def time_of(self, number: int) -> float:
        """When request `number` was made."""
        return t.cast(float, _STAMP.unpack(os.pread(self._file, _STAMP.size, _place(number)))[0])

    def times(self, first: int) -> tuple[float, ...]:
        """When request `first` and all after it were made."""
        length = _STAMP.size * (self.count - first)
        before_wrap = min(length, _SIZE - _place(first))
        found = os.pread(self._file, before_wrap, _place(first)) + os.pread(self._file, length - before_wrap, _START)
        return struct.unpack(f"<{self.count - first}d", found)

    def set_time(self, number: int, time: float) -> None:
        """Notes when request `number` was made."""
        os.pwrite(self._file, _STAMP.pack(time), _place(number))


def _place(number: int) -> int:
    return _START + number % CAPACITY * _STAMP.size


# When a request may begin, judged by the times of the latest ones and by what the service announced.


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


# How many requests may be made in any window of time, over all processes of this user with one credential.


_Found = t.TypeVar("_Found")
_FORM = re.compile(r"([0-9]{1,9})/([0-9]{1,9})", re.ASCII)
_MAX_WINDOW_SECONDS = 86400
# A wait for the budget that is longer than this is reported, once.
LONG_WAIT_SECONDS = 5.0


class PauseTooLong(Exception):
    """The service announced that it accepts no request for longer than `retry_wait_max`; the text states how long."""


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
    if not 1 <= seconds <= _MAX_WINDOW_SECONDS:
        raise invalid_option("request_budget", f"the number of seconds must be from 1 to {_MAX_WINDOW_SECONDS}")
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
        self._window = Window(allowance, longest_pause, now)
        self._longest_pause = longest_pause
        self._sleep = sleep
        self._warn = warn
        self._allowance, self._seconds = allowance
        self._told = False

    @staticmethod
    def of(
        connection: Connection,
        *,
        sleep: t.Callable[[float], None],
        now: t.Callable[[], float],
        warn: t.Callable[[str], None],
        purpose: str = "request",
    ) -> Unlimited:
        """Return the budget of a connection for a purpose; if no state can be kept, warn and return one without a limit."""
        if connection.request_budget is None:
            return Unlimited()
        folder = state_folder()
        try:
            if folder is None:
                raise OSError("there is no folder that only this user can write to")
            ledger = Ledger(os.path.join(folder, _file_name(connection, purpose)))
        except OSError as error:
            warn(_not_kept(error))
            return Unlimited()
        return Budget(ledger, connection.request_budget, connection.retry_wait_max, sleep, now, warn)

    def acquire(self) -> int | None:
        """Waits until a request may begin, and counts it; gives its number."""
        while True:
            turn = self._with_state(self._window.begin, Turn())
            if turn.wait <= 0:
                return turn.number
            if turn.announced:
                self._announce(turn.wait)
            elif turn.wait > LONG_WAIT_SECONDS and not self._told:
                self._told = True
                count = "1 request" if self._allowance == 1 else f"{self._allowance} requests"
                self._warn(
                    f"request_budget: {duration(turn.wait)} passed before the task could go on, because {count} in"
                    f" {duration(self._seconds)} had been sent with this credential, by all tasks of this user on this machine."
                )
            # Never while the file is locked.
            self._sleep(turn.wait)

    def settle(self, number: int | None, headers: t.Mapping[str, str]) -> None:
        """Ends a request: it counts from its end on, since only then it is sure that the service has counted it."""
        if number is not None:
            self._with_state(lambda state: self._window.end(state, number, headers), None)

    def pause(self, seconds: float) -> None:
        """Makes the other processes wait as well, where the service requested it."""
        self._with_state(lambda state: self._window.pause(state, seconds), None)

    def _announce(self, wait: float) -> None:
        announced = f"X-RateLimit-Remaining and X-RateLimit-Reset of the service leave no request for {pause_text(wait)}"
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


def _not_kept(error: OSError) -> str:
    return f"request_budget is not kept from here on: {error.strerror or error}."


def _file_name(connection: Connection, purpose: str) -> str:
    text = "\0".join((f"edgeops.observability {purpose} budget", connection.origin, connection.identity))
    return f"requests-{hashlib.sha256(text.encode()).hexdigest()[:40]}"
