# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import email.utils
import math
import time

from edgeops_simulator.refusal import Refusal


class RateLimit:
    """A number of requests in a window that starts with the first request; further ones are refused until it ends."""

    def __init__(self) -> None:
        self._start = 0.0
        self._count = 0

    def take(self, limit: int, window: float, *, headers_always: bool) -> tuple[dict[str, str], Refusal | None]:
        """Count a request; return the rate limit headers, and the refusal if the limit is exceeded."""
        if not limit:
            return (self._headers(1200, 1200, window) if headers_always else {}), None
        now = time.monotonic()
        if now >= self._start + window:
            self._start, self._count = now, 0
        self._count += 1
        left = limit - self._count
        wait = self._start + window - now
        headers = self._headers(limit, max(0, left), wait)
        if left >= 0:
            return headers, None
        headers["retry-after"] = str(math.ceil(wait))
        return headers, Refusal(429, 10429, "More than the allowed number of requests; wait before the next one")

    @staticmethod
    def _headers(limit: int, left: int, wait: float) -> dict[str, str]:
        return {
            "x-ratelimit-limit": str(limit),
            "x-ratelimit-remaining": str(left),
            "x-ratelimit-reset": email.utils.formatdate(time.time() + math.ceil(wait), usegmt=True),
        }
