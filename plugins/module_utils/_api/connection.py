# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import typing as t
from urllib.parse import unquote, urlsplit

from .._zones import Address

DEFAULT_TIMEOUT_SECONDS = 30.0
DEFAULT_RETRIES = 4
DEFAULT_RETRY_WAIT_MAX_SECONDS = 300
# Number of requests, and in how many seconds: the limit that Cloudflare documents for one user.
DEFAULT_REQUEST_BUDGET = (1200, 300.0)


@dataclasses.dataclass(frozen=True)
class Connection:
    """The validated connection options: address, credentials, timeouts and limits.

    `verify` is the option of requests: true, false, or the path of a bundle. `request_budget` is (requests, seconds) or None.
    `address` is None for a task without a single zone or account. `proxies` are those of the environment, by scheme.
    """

    base_url: str
    address: Address | None = None
    token: str | None = dataclasses.field(default=None, repr=False)
    email: str | None = dataclasses.field(default=None, repr=False)
    key: str | None = dataclasses.field(default=None, repr=False)
    timeout: float = DEFAULT_TIMEOUT_SECONDS
    retries: int = DEFAULT_RETRIES
    retry_wait_max: int = DEFAULT_RETRY_WAIT_MAX_SECONDS
    verify: bool | str = True
    request_budget: tuple[int, float] | None = DEFAULT_REQUEST_BUDGET
    user_agent: str = "edgeops.observability"
    proxies: t.Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)

    @property
    def host(self) -> str:
        """Return the host name of the service in lower case."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return the secrets, which no message may contain; a proxy may repeat its credentials in a response.

        Of a proxy these are the password, alone and as `user:password`; a user without a password counts as a password.
        """
        found = set(filter(None, (self.token, self.key)))
        for address in self.proxies.values():
            try:
                parts = urlsplit(address if "://" in address else f"//{address}")
            except ValueError:  # invalid, so nothing is sent to it
                continue
            user, password = unquote(parts.username or ""), unquote(parts.password or "")
            if user or password:
                found |= {password or user, f"{user}:{password}"}
        return tuple(sorted(found))
