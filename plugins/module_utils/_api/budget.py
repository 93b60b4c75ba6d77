# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import fcntl
import hashlib
import json
import os
import re
import threading
import typing as t
import weakref
from urllib.parse import urlsplit

from .._files import read_regular, state_folder
from .._text import duration, parse_http_date, parse_time, pause_text
from .connection import MAX_BUDGET_SECONDS, Allowance, Connection

# A reset later than this is considered invalid.
_MAX_RESET_SECONDS = 3600.0
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z", re.ASCII)
_SECOND = len("2027-01-15T08:00:00")
_Result = t.TypeVar("_Result")
# Waits for a number of seconds, for a reason.
Wait = t.Callable[[float, str], None]


class PauseTooLong(Exception):
    """The service announced a pause longer than `retry_wait_max`; the text states both."""


def to_text(moment: float) -> str:
    """Return a time in UTC with milliseconds, rounded up. Such texts sort like their times."""
    milliseconds = -int(-moment * 1000 // 1)
    time = datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.timezone.utc).replace(tzinfo=None)
    return f"{time.isoformat()}.{milliseconds % 1000:03}Z"


def seconds_until(text: str, now: float, longest: float) -> float:
    """Return the seconds until a time; 0 for no time, for one in the past, and for one later than `longest`, which is invalid."""
    time = parse_time(text)
    left = time.timestamp() - now if time else 0.0
    return left if 0 < left <= longest else 0.0


@dataclasses.dataclass
class Log:
    """What was sent with a credential and what the service asked for: the content of the state file.

    `requests`: the number of requests in each second, by the time of the latest of them.
    `window`: the seconds of the longest window of the tasks that share the file. `sent`: the number of requests so far.
    `pause_until`: the end of the pause that the service asked for.
    `allowed`: the value of `sent` at which the service, by its rate limit headers, allows no further request before `allowed_until`.
    `announced`: when each run, named by its process, announced a long wait.
    """

    requests: dict[str, int] = dataclasses.field(default_factory=dict)
    window: float = 0
    sent: int = 0
    pause_until: str = ""
    allowed: int = 0
    allowed_until: str = ""
    announced: dict[str, str] = dataclasses.field(default_factory=dict)

    @classmethod
    def parse(cls, content: bytes) -> Log:
        """Return the log of a file; raise ValueError or TypeError for anything else."""
        log = cls(**json.loads(content))
        if not isinstance(log.requests, dict) or not isinstance(log.announced, dict):
            raise TypeError("a member is not an object")
        times = [*log.requests, *log.announced.values(), *(text for text in (log.pause_until, log.allowed_until) if text != "")]
        counts = (log.sent, log.allowed, *log.requests.values())
        if not all(map(_TIME.fullmatch, times)) or any(isinstance(count, bool) or not isinstance(count, int) for count in counts):
            raise ValueError("a time or a number is invalid")
        if not 0 <= log.window <= MAX_BUDGET_SECONDS + 1:
            raise ValueError("the window is invalid")
        return log

    def content(self) -> bytes:
        """Return the content of the state file."""
        return json.dumps(vars(self)).encode()

    def forget(self, window: float, now: float) -> None:
        """Remove what no window contains any more, and what is later than now: from before the clock was set back."""
        self.window = max(window, self.window)
        start, end = to_text(now - self.window), to_text(now + 1)
        self.requests = {time: count for time, count in sorted(self.requests.items()) if start < time <= end and count > 0}
        self.window = self.window if self.requests else window
        # A run that takes longer announces a wait again.
        start = to_text(now - MAX_BUDGET_SECONDS)
        self.announced = {run: time for run, time in self.announced.items() if start < time <= end}

    def count(self, now: float) -> None:
        """Count a request at a time, with those of the same second."""
        time = to_text(now)
        known = self.in_second(time)
        self.requests[max(known or time, time)] = 1 + (self.requests.pop(known) if known else 0)

    def in_second(self, time: str) -> str | None:
        """Return the time at which the requests of a second are counted."""
        return next((known for known in reversed(self.requests) if known[:_SECOND] == time[:_SECOND]), None)

    def since(self, moment: float) -> dict[str, int]:
        """Return the requests after a time, the oldest first."""
        start = to_text(moment)
        return {time: count for time, count in self.requests.items() if time > start}

    def wait(self, allowed: int, window: float, now: float) -> float:
        """Return the seconds until one more request may begin, if so many are allowed in a window."""
        requests = self.since(now - window)
        leaving = sum(requests.values()) - allowed + 1
        wait = 0.0
        for time, count in requests.items():
            if leaving > 0:
                leaving -= count
                wait = seconds_until(time, now - window, window + 1)
        return wait


class Begun(t.NamedTuple):
    """A request that was counted: its number, and when it began."""

    number: int
    time: str


class Turn(t.NamedTuple):
    """The request that may begin, or the seconds to wait and why; `is_announced`: by the rate limit headers of the service."""

    begun: Begun | None = None
    wait: float = 0.0
    reason: str = ""
    is_announced: bool = False


class Budget:
    """The maximum number of requests in a sliding time window, shared by all processes of this user with the same credential.

    What was sent is in a small file beside a lock file, whose lock the operating system releases if a process dies.
    If the files cannot be used, every request begins at once.
    """

    def __init__(
        self,
        allowance: Allowance,
        connection: Connection,
        purpose: str = "request",
        *,
        now: t.Callable[[], float],
        warn: t.Callable[[str], None],
    ) -> None:
        """`purpose`: what counts separately from other requests with the same credential."""
        self._allowed, self._seconds = allowance
        # Clocks differ a little, and what is left of a killed task was received later than it began.
        self._window = self._seconds + min(1.0, max(0.02, self._seconds / 300))
        self._longest_pause = connection.retry_wait_max
        self._now = now
        self._warn = warn
        # The lock of the file does not separate the threads of a process, because they share the open file.
        self._threads = threading.Lock()
        self._lock: int | None = None
        try:
            self._path = os.path.join(state_folder(), _file_name(connection, purpose))
            self._lock = _open(f"{self._path}.lock", os.O_RDWR)
            weakref.finalize(self, os.close, self._lock)
        except OSError as error:
            self._give_up(error)

    def acquire(self, wait: Wait) -> Begun | None:
        """Wait until a request may begin, and count it; return None if the budget is not kept."""
        while True:
            turn = self._change(self._begin, Turn())
            if turn.wait <= 0:
                return turn.begun
            if turn.is_announced and turn.wait > self._longest_pause:
                raise PauseTooLong(
                    f"{turn.reason} for {pause_text(turn.wait)}, and retry_wait_max allows {self._longest_pause} s"
                )
            # The file must not be locked meanwhile.
            wait(turn.wait, turn.reason)

    def settle(self, begun: Begun | None, headers: t.Mapping[str, str]) -> None:
        """End a request: its end counts as its time, because only then has the service certainly counted it."""
        if begun is not None:
            self._change(lambda log: self._end(log, begun, headers), None)

    def pause(self, seconds: float) -> None:
        """Make all processes wait, as the service requested."""

        def extend(log: Log) -> None:
            now = self._now()
            log.pause_until = to_text(now + max(seconds, seconds_until(log.pause_until, now, self._longest_pause)))

        self._change(extend, None)

    def announce(self) -> bool:
        """Return whether the run, whose processes have one parent, has announced no wait yet; from then on it has."""
        run = str(os.getppid())

        def is_first(log: Log) -> bool:
            is_new = run not in log.announced
            log.announced.setdefault(run, to_text(self._now()))
            return is_new

        return self._change(is_first, True)

    def _change(self, use: t.Callable[[Log], _Result], otherwise: _Result) -> _Result:
        """Return the result of a function that may change the log; if a file fails (full disk), warn and return the default from then on."""
        if self._lock is None:
            return otherwise
        try:
            with self._threads:
                fcntl.flock(self._lock, fcntl.LOCK_EX)
                try:
                    present = self._read()
                    log = self._parse(present)
                    log.forget(self._window, self._now())
                    result = use(log)
                    content = log.content()
                    if content != present:
                        self._write(content)
                    return result
                finally:
                    fcntl.flock(self._lock, fcntl.LOCK_UN)
        except OSError as error:
            self._give_up(error)
            return otherwise

    def _read(self) -> bytes:
        """Return the content of the file, of the new one if a process was killed while it replaced the old one, or nothing."""
        for path in (self._path, f"{self._path}.new"):
            try:
                return read_regular(path)
            except FileNotFoundError:
                continue
            except IsADirectoryError:
                raise
            except OSError:
                break  # it is replaced, as a file with other content
        return b""

    def _parse(self, content: bytes) -> Log:
        try:
            return Log.parse(content)
        except (ValueError, TypeError, RecursionError):
            # Without the file, this is what a process left that was killed while it wrote the first one.
            if os.path.lexists(self._path):
                self._warn(f"request_budget: {self._path} is not a record of requests and is replaced.")
            return Log()

    def _write(self, content: bytes) -> None:
        """Replace the file, so that a process that is killed leaves the old content or the new one."""
        with os.fdopen(_open(f"{self._path}.new", os.O_WRONLY | os.O_TRUNC), "wb") as file:
            file.write(content)
        # To rename it over the old file would make common file systems write to the disk at once, which takes milliseconds.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path)
        os.rename(f"{self._path}.new", self._path)

    def _give_up(self, error: OSError) -> None:
        self._lock = None
        self._warn(f"request_budget is not kept from here on: {error.strerror or error}.")

    def _begin(self, log: Log) -> Turn:
        """Count a request if it may begin now, otherwise return how long it has to wait."""
        now = self._now()
        requests = "1 request" if self._allowed == 1 else f"{self._allowed} requests"
        waits = (
            Turn(
                wait=log.wait(self._allowed, self._window, now),
                reason=f"{requests} in {duration(self._seconds)} were sent with this credential, by all tasks of this user on this machine"
                " (request_budget)",
            ),
            Turn(
                wait=seconds_until(log.pause_until, now, self._longest_pause),
                reason="the service asked for this pause (HTTP 429)",
            ),
            Turn(
                wait=seconds_until(log.allowed_until, now, _MAX_RESET_SECONDS) if log.sent >= log.allowed else 0.0,
                reason="X-RateLimit-Remaining and X-RateLimit-Reset of the service leave no request",
                is_announced=True,
            ),
        )
        longest = max(waits, key=lambda turn: turn.wait)
        if longest.wait > 0:
            return longest
        log.count(now)
        log.sent += 1
        return Turn(Begun(log.sent - 1, to_text(now)))

    def _end(self, log: Log, begun: Begun, headers: t.Mapping[str, str]) -> None:
        """Record the end of a request, and what the headers of its response say about the rate limit."""
        now = self._now()
        # A request slower than the window is counted only now.
        counted = log.in_second(begun.time)
        if counted:
            log.requests[counted] -= 1
        log.count(now)
        # Reduce the budget to the rate limit headers if these allow less: other users may share the credential.
        remaining = headers.get("x-ratelimit-remaining", "").strip()
        if not (remaining.isascii() and remaining.isdigit()):
            return
        reset = parse_http_date(headers.get("x-ratelimit-reset", ""))
        if reset is None or not now < reset <= now + _MAX_RESET_SECONDS:
            return
        allowed = begun.number + 1 + int(remaining[:9])
        # If the next request after the allowed ones has to wait for this budget anyway, the headers say nothing new.
        if allowed >= log.sent + self._allowed - sum(log.since(now - self._window).values()):
            return
        is_known = log.allowed_until >= to_text(reset - 1)
        log.allowed = min(allowed, log.allowed) if is_known else allowed
        log.allowed_until = max(to_text(reset), log.allowed_until) if is_known else to_text(reset)


def _file_name(connection: Connection, purpose: str) -> str:
    """Return the name of the state file of a credential, which it does not reveal."""
    parts = urlsplit(connection.base_url)
    credential = (connection.token,) if connection.token else (connection.email, connection.key)
    meant = (purpose, f"{parts.scheme}://{parts.netloc}".lower(), credential)
    return f"requests-{hashlib.sha256(repr(meant).encode()).hexdigest()[:40]}.json"


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
