# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import time


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
