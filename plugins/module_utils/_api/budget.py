# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
import struct
import threading
import typing as t
import weakref
from urllib.parse import urlsplit

from .._files import state_folder
from .._text import duration, parse_http_date, pause_text
from .connection import MAX_BUDGET_REQUESTS, Allowance, Connection

# The number of requests that the state file has places for.
CAPACITY = MAX_BUDGET_REQUESTS
_MAGIC = b"edgeops1"
# Magic, number of requests so far, end of the pause that the service requested, number of requests it allows, and until when.
_HEADER = struct.Struct("<8sQdQd")
_START, _TIME_BYTES = 64, 8
_SIZE = _START + CAPACITY * _TIME_BYTES
_SANE = 2**62


class State:
    """The content of the locked state file; an invalid file counts as empty and is replaced."""

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
        values = (self.count, self.pause_end, self.allowed, self.allowed_end)
        os.pwrite(self._file, _HEADER.pack(_MAGIC, *values), 0)

    def times(self, first: int, end: int) -> tuple[float, ...]:
        """Return the times of the requests from number `first` up to, but not including, number `end`."""
        place = _START + first % CAPACITY * _TIME_BYTES
        length = (end - first) * _TIME_BYTES
        before_wrap = min(length, _SIZE - place)
        found = os.pread(self._file, before_wrap, place) + os.pread(self._file, length - before_wrap, _START)
        return struct.unpack(f"<{end - first}d", found)

    def set_time(self, number: int, time: float) -> None:
        os.pwrite(self._file, struct.pack("<d", time), _START + number % CAPACITY * _TIME_BYTES)


# A reset later than this is considered invalid.
_MAX_RESET_SECONDS = 3600.0
# The first wait for the budget longer than this is a warning.
LONG_WAIT_SECONDS = 5.0


class PauseTooLong(Exception):
    """The service announced a pause longer than `retry_wait_max`; the text states both."""


class Turn(t.NamedTuple):
    """The number of a request that may begin, or the seconds to wait; `announced`: because of the service's rate limit headers."""

    number: int | None = None
    wait: float = 0.0
    announced: bool = False


_Found = t.TypeVar("_Found")


class Budget:
    """The maximum number of requests in a sliding time window, shared by all processes of this user with the same credential.

    The times of the latest requests are in a file of fixed size. The operating system releases its lock if a process dies.
    If the file cannot be used, every request begins at once.
    """

    def __init__(
        self,
        allowance: Allowance,
        connection: Connection,
        purpose: str = "request",
        *,
        sleep: t.Callable[[float], None],
        now: t.Callable[[], float],
        warn: t.Callable[[str], None],
    ) -> None:
        """`purpose`: what counts separately from other requests with the same credential."""
        self._allowed, self._seconds = allowance
        # The service receives a request slightly later than its time here.
        self._window = self._seconds + min(1.0, max(0.02, self._seconds / 100))
        self._longest_pause = connection.retry_wait_max
        self._sleep = sleep
        self._now = now
        self._warn = warn
        self._warned = False
        self._begun: dict[int, float] = {}
        # The lock of the file does not separate the threads of a process, because they share the open file.
        self._threads = threading.Lock()
        self._file: int | None = None
        try:
            self._file = _open_file(connection, purpose)
            weakref.finalize(self, os.close, self._file)
        except OSError as error:
            self._give_up(error)

    def acquire(self) -> int | None:
        """Wait until a request may begin and count it; return its number, None if the budget is not kept."""
        while True:
            turn = self._locked(self._begin, Turn())
            if turn.wait <= 0:
                return turn.number
            self._report_wait(turn)
            # The file must not be locked meanwhile.
            self._sleep(turn.wait)

    def settle(self, number: int | None, headers: t.Mapping[str, str]) -> None:
        """End a request: its end counts as its time, because only then has the service certainly counted it."""
        if number is not None:
            self._locked(lambda state: self._end(state, number, headers), None)

    def pause(self, seconds: float) -> None:
        """Make all processes wait, as the service requested."""

        def extend(state: State) -> None:
            now = self._now()
            state.pause_end = now + max(seconds, _seconds_until(state.pause_end, self._longest_pause, now))
            state.save()

        self._locked(extend, None)

    def _locked(self, use: t.Callable[[State], _Found], otherwise: _Found) -> _Found:
        """Return the result of a function of the locked state; if the file fails (full disk), warn and return the default from then on."""
        file = self._file
        if file is None:
            return otherwise
        try:
            with self._threads:
                fcntl.flock(file, fcntl.LOCK_EX)
                try:
                    return use(State(file))
                finally:
                    fcntl.flock(file, fcntl.LOCK_UN)
        except OSError as error:
            self._give_up(error)
            return otherwise

    def _give_up(self, error: OSError) -> None:
        self._file = None
        self._warn(f"request_budget is not kept from here on: {error.strerror or error}.")

    def _begin(self, state: State) -> Turn:
        """Count a request if it may begin now, otherwise return how long it has to wait."""
        now = self._now()
        own = _seconds_until(state.pause_end, self._longest_pause, now)
        oldest = state.count - self._allowed
        number, time = oldest, 0.0
        if oldest >= 0:
            number, time = self._earliest(state, oldest, now)
            own = max(own, self._leaves_in(time, now))
        announced = _seconds_until(state.allowed_end, _MAX_RESET_SECONDS, now) if state.count >= state.allowed else 0.0
        if max(own, announced) > 0:
            return Turn(wait=max(own, announced), announced=announced > own)
        if number != oldest:
            # Only the latest requests count, so a slow one must stay among them: it takes the place of the one that leaves.
            state.set_time(number, *state.times(oldest, oldest + 1))
            state.set_time(oldest, time)
        number = state.count
        state.set_time(number, now)
        state.count += 1
        state.save()
        self._begun[number] = now
        return Turn(number)

    def _end(self, state: State, number: int, headers: t.Mapping[str, str]) -> None:
        """Record the end of a request, and what the headers of its response say about the budget."""
        now = self._now()
        # A request slower than the window may have lost its place to another one.
        if state.times(number, number + 1) == (self._begun.pop(number, None),):
            state.set_time(number, now)
        # Reduce the budget to the rate limit headers if these allow less: other users may share the credential.
        remaining = headers.get("x-ratelimit-remaining", "").strip()
        if not (remaining.isascii() and remaining.isdigit()):
            return
        reset = parse_http_date(headers.get("x-ratelimit-reset", ""))
        if reset is None or not now < reset <= now + _MAX_RESET_SECONDS:
            return
        allowed = number + 1 + int(remaining[:9])
        # The next request after the allowed ones begins when this one leaves the window.
        leaving = allowed - self._allowed
        if leaving > number or (leaving >= 0 and self._leaves_in(state.times(leaving, leaving + 1)[0], now) > 0):
            return
        same_window = state.allowed_end >= reset - 1
        state.allowed = min(allowed, state.allowed) if same_window else allowed
        state.allowed_end = max(reset, state.allowed_end) if same_window else reset
        state.save()

    def _earliest(self, state: State, oldest: int, now: float) -> tuple[int, float]:
        """Return number and time of the request that leaves the window first; slow requests leave later than faster ones after them."""
        (time,) = state.times(oldest, oldest + 1)
        if self._leaves_in(time, now) > 0:
            times = state.times(oldest, state.count)
            time = min(times)
            return oldest + times.index(time), time
        return oldest, time

    def _leaves_in(self, time: float, now: float) -> float:
        """Return the seconds until a request leaves the window; 0 for a time in the future, from before the clock was set back."""
        return time + self._window - now if time <= now + 1 else 0.0

    def _report_wait(self, turn: Turn) -> None:
        """Warn of a wait; raise `PauseTooLong` if the service announced a longer one than `retry_wait_max` allows."""
        if turn.announced:
            announced = f"X-RateLimit-Remaining and X-RateLimit-Reset of the service leave no request for {pause_text(turn.wait)}"
            if turn.wait > self._longest_pause:
                raise PauseTooLong(f"{announced}, and retry_wait_max allows {self._longest_pause} s")
            self._warn(f"{announced}; the task waited for that time.")
        elif turn.wait > LONG_WAIT_SECONDS and not self._warned:
            self._warned = True
            count = "1 request" if self._allowed == 1 else f"{self._allowed} requests"
            self._warn(
                f"request_budget: {duration(turn.wait)} passed before the task could go on, because {count} in"
                f" {duration(self._seconds)} had been sent with this credential, by all tasks of this user on this machine."
            )


def _seconds_until(moment: float, longest: float, now: float) -> float:
    """Return the seconds until a moment; 0 for NaN and for a moment that is later than `longest`, which are invalid."""
    return moment - now if moment - now <= longest else 0.0


def _open_file(connection: Connection, purpose: str) -> int:
    """Open the state file of a credential, which its name does not reveal; raise OSError if another user could write to it."""
    parts = urlsplit(connection.base_url)
    credential = (connection.token,) if connection.token else (connection.email, connection.key)
    meant = (purpose, f"{parts.scheme}://{parts.netloc}".lower(), credential)
    digest = hashlib.sha256(repr(meant).encode()).hexdigest()
    path = os.path.join(state_folder(), f"requests-{digest[:40]}")
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
        os.close(file)
        raise OSError("the state file is not a file of this user")
    return file
