# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import time

_last = [0]


def now_micro() -> int:
    """Microseconds since the epoch, never the same value twice, so that every write moves its timestamp."""
    _last[0] = max(_last[0] + 1, time.time_ns() // 1000)
    return _last[0]


def stamp(micro: int | None = None) -> str:
    """ISO 8601 in UTC with fractional seconds."""
    seconds, fraction = divmod(now_micro() if micro is None else micro, 1_000_000)
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{fraction:06d}Z"


def stamp_seconds() -> str:
    """ISO 8601 in UTC, whole seconds."""
    return f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"
