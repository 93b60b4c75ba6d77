# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

# Schemes to which the service writes a challenge, and those that bring their own credentials or need none.
NEED_TOKEN = frozenset(("s3", "gs", "azure", "sumo"))
NEED_NO_TOKEN = frozenset(("r2", "https", "splunk", "datadog"))
# With either option an s3 address brings its keys, or is another store that speaks the same protocol.
KEYS_IN_ADDRESS: t.Mapping[str, frozenset[str]] = {"s3": frozenset(("access-key-id", "endpoint"))}

# Schemes whose path is the credential.
SECRET_PATH = frozenset(("sumo",))

_SECRET_WORDS = ("secret", "token", "password", "sig")


def is_secret(name: str) -> bool:
    """Whether an option of a destination holds something that no output may show; an `access-key-id` may be read."""
    lowered = name.strip().lower()
    return lowered.startswith("header_") or lowered.endswith("key") or any(word in lowered for word in _SECRET_WORDS)


def needs_token(scheme: str, options: t.Collection[str]) -> bool | None:
    """Whether the service asks for a proof of ownership; None for a scheme that nothing is known about."""
    if scheme in NEED_NO_TOKEN or KEYS_IN_ADDRESS.get(scheme, frozenset()).intersection(options):
        return False
    return True if scheme in NEED_TOKEN else None
