# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re

_ZONE_ID = re.compile(r"[0-9a-fA-F]{1,32}")


def is_zone_id(text: str) -> bool:
    """Return whether a text is 1 to 32 hexadecimal digits."""
    return bool(_ZONE_ID.fullmatch(text))
