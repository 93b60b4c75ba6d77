# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The proxies of the environment, and what in their addresses is secret.
import typing as t
from urllib.parse import unquote, urlsplit

from ansible_collections.edgeops.observability.plugins.module_utils._api.http.libraries import requests


def environment_proxies(base_url: str) -> t.Mapping[str, str]:
    """Where requests to this address go through, as a session of requests finds it."""
    proxies: t.Mapping[str, str] = requests.utils.get_environ_proxies(base_url)
    return proxies


def secrets_of(proxies: t.Mapping[str, str]) -> tuple[str, ...]:
    """Passwords of proxies, alone and as they are sent; a name without a password is one itself."""
    found: set[str] = set()
    for address in proxies.values():
        try:
            parts = urlsplit(address if "://" in address else f"//{address}")
        except ValueError:  # not an address, so that nothing is ever sent there
            continue
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        if user or password:
            found |= {password or user, f"{user}:{password}"}
    return tuple(sorted(found))
