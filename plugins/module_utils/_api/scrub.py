# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

MASK = "********"


def scrub(text: str, secrets: t.Iterable[str]) -> str:
    """The text without the secrets; for words that come from elsewhere and may quote what was sent."""
    for secret in secrets:
        text = text.replace(secret, MASK)
    return text
