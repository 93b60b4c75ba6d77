# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.http.attempt import CURRENT
from ansible_collections.edgeops.observability.plugins.module_utils._api.http.connections import (
    PacedHTTPConnection,
    PacedHTTPSConnection,
)
from ansible_collections.edgeops.observability.plugins.module_utils._api.http.libraries import (
    HTTPAdapter,
    HTTPConnectionPool,
    HTTPSConnectionPool,
)


class PacedHTTPPool(HTTPConnectionPool):
    """A pool of such connections."""

    ConnectionCls = PacedHTTPConnection


class PacedHTTPSPool(HTTPSConnectionPool):
    """A pool of such connections."""

    ConnectionCls = PacedHTTPSConnection


_POOLS = {"http": PacedHTTPPool, "https": PacedHTTPSPool}


class PacedAdapter(HTTPAdapter):
    """Sends over such connections, directly and through proxies; repeats nothing by itself."""

    def init_poolmanager(self, *args: t.Any, **kwargs: t.Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, proxy: str, **kwargs: t.Any) -> t.Any:
        manager = super().proxy_manager_for(proxy, **kwargs)
        if proxy.lower().startswith("socks"):
            # Such connections cannot tell, so whatever goes over them may have been received.
            CURRENT.attempt.sent = True
        else:
            manager.pool_classes_by_scheme = _POOLS
        return manager
