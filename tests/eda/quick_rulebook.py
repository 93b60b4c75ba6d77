# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The real ansible-rulebook, in which a pause of a minute or more takes a second: sources poll often, and nothing else differs."""

from __future__ import annotations

import asyncio
import sys
import typing as t

from ansible_rulebook.cli import main

_sleep = asyncio.sleep


async def _short_sleep(delay: float, result: t.Any = None) -> t.Any:
    return await _sleep(1 if delay >= 60 else delay, result)


asyncio.sleep = _short_sleep
main(sys.argv[1:])
