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

CAPACITY = 65536
_MAGIC = b"edgeops1"
# Magic, number of requests so far, end of the pause that the service requested, number of requests it allows, and until when.
_HEADER = struct.Struct("<8sQdQd")
_STAMP = struct.Struct("<d")
_START = 64
_SANE = 2**62
_SIZE = _START + CAPACITY * _STAMP.size


class Ledger:
    """A file of fixed size with the times of the latest requests of one credential, shared by all processes of a user.

    The operating system releases the lock of a process that dies.
    """

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        status = os.fstat(self._file)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            os.close(self._file)
            raise OSError("the state file is not a file of this user")
        # The file lock does not separate the threads of a process, because they share the open file.
        self._threads = threading.Lock()

    def __del__(self) -> None:
        if hasattr(self, "_threads"):
            os.close(self._file)

    @contextlib.contextmanager
    def locked(self) -> t.Iterator[State]:
        """Lock the file against other processes and threads; yield its state."""
        with self._threads:
            lock(self._file)
            try:
                yield State(self._file)
            finally:
                unlock(self._file)


class State:
    """The content of the locked file; an invalid file counts as empty and is replaced."""

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
        """Write everything except the times."""
        values = (self.count, self.pause_end, self.allowed, self.allowed_end)
        os.pwrite(self._file, _HEADER.pack(_MAGIC, *values), 0)

    def append(self, time: float) -> int:
        """Count a request; return its number."""
        number = self.count
        self.set_time(number, time)
        self.count += 1
        self.save()
        return number

    def time_of(self, number: int) -> float:
        """Return the time of a request."""
        return t.cast(float, _STAMP.unpack(os.pread(self._file, _STAMP.size, _place(number)))[0])

    def times(self, first: int) -> tuple[float, ...]:
        """Return the times of request `first` and all later ones."""
        length = _STAMP.size * (self.count - first)
        before_wrap = min(length, _SIZE - _place(first))
        found = os.pread(self._file, before_wrap, _place(first)) + os.pread(self._file, length - before_wrap, _START)
        return struct.unpack(f"<{self.count - first}d", found)

    def set_time(self, number: int, time: float) -> None:
        """Record the time of a request."""
        os.pwrite(self._file, _STAMP.pack(time), _place(number))


def _place(number: int) -> int:
    return _START + number % CAPACITY * _STAMP.size


# Requests, and the seconds in which they are allowed.
Allowance = tuple[int, float]
# A reset later than this is considered invalid.
_MAX_RESET_SECONDS = 3600.0


class Turn(t.NamedTuple):
    """The number of a request that may begin, or the seconds to wait; `announced`: because of the service's rate limit headers."""

    number: int | None = None
    wait: float = 0.0
    announced: bool = False


class Window:
    """A sliding time window with a maximum number of requests."""

    def __init__(self, allowance: Allowance, longest_pause: float, now: t.Callable[[], float]) -> None:
        self._requests, seconds = allowance
        # The service receives a request slightly later than its time here.
        self._seconds = seconds + min(1.0, max(0.02, seconds / 100))
        self._longest_pause = longest_pause
        self._now = now
        self._begun: dict[int, float] = {}

    def begin(self, state: State) -> Turn:
        """Count a request if it may begin now, otherwise return how long it has to wait."""
        now = self._now()
        own, announced = self._own_wait(state, now), self._announced_wait(state, now)
        if max(own, announced) > 0:
            return Turn(wait=max(own, announced), announced=announced > own)
        self._vacate(state, now)
        number = state.append(now)
        self._begun[number] = now
        return Turn(number)

    def end(self, state: State, number: int, headers: t.Mapping[str, str]) -> None:
        """End a request: from now on its end counts as its time, and the headers of the response may reduce the budget."""
        now = self._now()
        # A request slower than the window may have lost its place to another one.
        if state.time_of(number) == self._begun.pop(number, None):
            state.set_time(number, now)
        self._correct(state, number, now, headers)

    def pause(self, state: State, seconds: float) -> None:
        """Start no request for this many seconds."""
        state.pause_end = max(self._now() + seconds, self._believed(state.pause_end, self._longest_pause))
        state.save()

    def _own_wait(self, state: State, now: float) -> float:
        """Return the seconds until the budget allows a request and the pauses of all processes are over."""
        pause = self._believed(state.pause_end, self._longest_pause) - now
        if state.count < self._requests:
            return pause
        return max(pause, self._leaves_at(self._earliest(state, now)[1], now) - now)

    def _announced_wait(self, state: State, now: float) -> float:
        """Return the seconds until the service accepts requests again according to its headers."""
        return self._believed(state.allowed_end, _MAX_RESET_SECONDS) - now if state.count >= state.allowed else 0.0

    def _earliest(self, state: State, now: float) -> tuple[int, float]:
        """Return number and time of the request that leaves the window first; slow requests leave later than faster ones after them."""
        oldest = state.count - self._requests
        time = state.time_of(oldest)
        if self._leaves_at(time, now) > now:
            times = state.times(oldest)
            time = min(times)
            return oldest + times.index(time), time
        return oldest, time

    def _vacate(self, state: State, now: float) -> None:
        """Swap a slow request with the earliest one, so that it stays among the latest requests, the only ones that count."""
        oldest = state.count - self._requests
        if oldest >= 0:
            number, time = self._earliest(state, now)
            if number != oldest:
                state.set_time(number, state.time_of(oldest))
                state.set_time(oldest, time)

    def _leaves_at(self, time: float, now: float) -> float:
        """Return when a request leaves the window; 0 for a time in the future, which comes from before the clock was set back."""
        return time + self._seconds if time <= now + 1 else 0.0

    def _believed(self, moment: float, longest: float) -> float:
        return moment if math.isfinite(moment) and moment - self._now() <= longest else 0.0

    def _correct(self, state: State, number: int, now: float, headers: t.Mapping[str, str]) -> None:
        """Reduce the budget to the rate limit headers if these allow less: other users may share the credential."""
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


_Found = t.TypeVar("_Found")
_FORM = re.compile(r"([0-9]{1,9})/([0-9]{1,9})", re.ASCII)
_MAX_WINDOW_SECONDS = 86400
# The first wait for the budget longer than this is a warning.
LONG_WAIT_SECONDS = 5.0


class PauseTooLong(Exception):
    """The service announced a pause longer than `retry_wait_max`; the text states both."""


def parse_budget(text: str) -> Allowance | None:
    """Return (requests, seconds) for `1200/300`, None for `none`."""
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
    """A budget without a limit."""

    def acquire(self) -> int | None:
        """Return at once."""
        return None

    def settle(self, number: int | None, headers: t.Mapping[str, str]) -> None:
        """Do nothing."""

    def pause(self, seconds: float) -> None:
        """Do nothing."""


class Budget(Unlimited):
    """The maximum number of requests in a time window, shared by all processes of this user with the same credential."""

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
        self._warned = False

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
        """Wait until a request may begin and count it; return its number."""
        while True:
            turn = self._with_state(self._window.begin, Turn())
            if turn.wait <= 0:
                return turn.number
            if turn.announced:
                self._announce(turn.wait)
            elif turn.wait > LONG_WAIT_SECONDS and not self._warned:
                self._warned = True
                count = "1 request" if self._allowance == 1 else f"{self._allowance} requests"
                self._warn(
                    f"request_budget: {duration(turn.wait)} passed before the task could go on, because {count} in"
                    f" {duration(self._seconds)} had been sent with this credential, by all tasks of this user on this machine."
                )
            # The file must not be locked meanwhile.
            self._sleep(turn.wait)

    def settle(self, number: int | None, headers: t.Mapping[str, str]) -> None:
        """End a request: its end counts as its time, because only then has the service certainly counted it."""
        if number is not None:
            self._with_state(lambda state: self._window.end(state, number, headers), None)

    def pause(self, seconds: float) -> None:
        """Make all processes wait, as the service requested."""
        self._with_state(lambda state: self._window.pause(state, seconds), None)

    def _announce(self, wait: float) -> None:
        announced = f"X-RateLimit-Remaining and X-RateLimit-Reset of the service leave no request for {pause_text(wait)}"
        if wait > self._longest_pause:
            raise PauseTooLong(f"{announced}, and retry_wait_max allows {self._longest_pause} s")
        self._warn(f"{announced}; the task waited for that time.")

    def _with_state(self, use: t.Callable[[State], _Found], otherwise: _Found) -> _Found:
        """Return the result of a function of the shared state; if the file fails (full disk), warn and return the default from then on."""
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
