# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The time that one try of a request has, and what has to keep to it.
import socket
import threading
import time
import typing as t

Address = tuple[int, int, int, tuple[t.Any, ...]]


class Deadline:
    """The moment at which one try of a request has to be over, whatever it is doing then."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """The seconds left; raises `TimeoutError` when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time for this try is over")
        return left


class Try:
    """One try of a request. `sent`: whether a byte of it may have left; `fresh` forbids connections used before."""

    def __init__(self, seconds: float, *, fresh: bool = False) -> None:
        self.deadline = Deadline(seconds)
        self.fresh = fresh
        self.sent = False


class _Current(threading.local):
    attempt: Try


CURRENT = _Current()


def resolve(host: str, port: int | None, deadline: Deadline) -> list[Address]:
    """The addresses of a host, within the deadline although the system's resolver knows none."""
    try:
        return _lookup(host, port, socket.AI_NUMERICHOST)
    except socket.gaierror:
        pass
    outcome: list[list[Address] | OSError] = []

    def look_up() -> None:
        try:
            outcome.append(_lookup(host, port, 0))
        except UnicodeError:
            outcome.append(socket.gaierror(socket.EAI_NONAME, "the name is not valid"))
        except OSError as error:
            outcome.append(error)

    # The resolver cannot be interrupted; a thread that outlives the deadline looks a name up and sends nothing.
    thread = threading.Thread(target=look_up, daemon=True)
    thread.start()
    thread.join(deadline.remaining())
    if not outcome:
        raise TimeoutError("the name was not resolved in time")
    if isinstance(outcome[0], OSError):
        raise outcome[0]
    return outcome[0]


def _lookup(host: str, port: int | None, flags: int) -> list[Address]:
    found = socket.getaddrinfo(host.strip("[]"), port, 0, socket.SOCK_STREAM, 0, flags)
    return [(family, kind, protocol, address) for family, kind, protocol, _name, address in found]
