# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import asyncio
import time
import typing as t


async def _pause(seconds: float) -> None:
    await asyncio.sleep(seconds)


class Clock(t.NamedTuple):
    """Time, which tests replace: the pause between polls, the time of day, and a clock for durations."""

    sleep: t.Callable[[float], t.Awaitable[None]] = _pause
    now: t.Callable[[], float] = time.time
    monotonic: t.Callable[[], float] = time.monotonic
