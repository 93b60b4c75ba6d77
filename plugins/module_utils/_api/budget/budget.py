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
from ansible_collections.edgeops.observability.plugins.module_utils._api.budget.window import Allowance, Turn, Window
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection
from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option

_Found = t.TypeVar("_Found")
_FORM = re.compile(r"([0-9]{1,9})/([0-9]{1,9})", re.ASCII)
_MAX_WINDOW_SECONDS = 86400


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
            turn = self._with_state(self._window.begin, Turn())
            if turn.wait <= 0:
                return turn.number
            if turn.announced:
                self._announce(turn.wait)
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


def _not_kept(error: OSError) -> str:
    return f"request_budget is not kept from here on: {error.strerror or error}."


def _file_name(connection: Connection) -> str:
    text = "\0".join(("edgeops.observability request budget", connection.origin, connection.identity))
    return f"requests-{hashlib.sha256(text.encode()).hexdigest()[:40]}"
