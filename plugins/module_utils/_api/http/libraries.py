# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The one guarded import of the HTTP libraries, and of what they bring along, so that everything else imports without them.
import sys
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import UNAVAILABLE, Failure

_PROBLEM = ""

if t.TYPE_CHECKING:
    from http.client import HTTPException, HTTPResponse, IncompleteRead
    from ssl import SSLCertVerificationError, SSLError, SSLSocket

    import requests
    import urllib3
    from requests.adapters import HTTPAdapter
    from requests.auth import AuthBase
    from urllib3.connection import HTTPConnection, HTTPSConnection
    from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
    from urllib3.exceptions import InvalidHeader
    from urllib3.util.retry import Retry
else:
    try:
        # The libraries first: without them, nothing else here is worth its time.
        import requests
        import urllib3
        from requests.adapters import HTTPAdapter
        from requests.auth import AuthBase
        from urllib3.connection import HTTPConnection, HTTPSConnection
        from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
        from urllib3.exceptions import InvalidHeader
        from urllib3.util.retry import Retry

        from http.client import HTTPException, HTTPResponse, IncompleteRead  # isort: skip
        from ssl import SSLCertVerificationError, SSLError, SSLSocket  # isort: skip

        # Deadlines hook into private methods of connections (see connections.py), which another major version may not have.
        if not urllib3.__version__.startswith("2."):
            _PROBLEM = f"urllib3 is {urllib3.__version__}"
    except ImportError as error:
        _PROBLEM = str(error)
        requests = urllib3 = None
        # Bases of our classes; nothing is ever made of them, because `missing_requests` is asked first.
        HTTPAdapter = AuthBase = Retry = HTTPConnectionPool = HTTPSConnectionPool = HTTPResponse = SSLSocket = object
        HTTPException = IncompleteRead = InvalidHeader = SSLError = SSLCertVerificationError = Exception

        class HTTPConnection:
            """Stands in for a base class."""

        class HTTPSConnection:
            """Stands in for a base class."""


__all__ = [
    "AuthBase",
    "HTTPAdapter",
    "HTTPConnection",
    "HTTPConnectionPool",
    "HTTPException",
    "HTTPResponse",
    "HTTPSConnection",
    "HTTPSConnectionPool",
    "IncompleteRead",
    "InvalidHeader",
    "Retry",
    "SSLCertVerificationError",
    "SSLError",
    "SSLSocket",
    "missing_requests",
    "requests",
    "urllib3",
]


def missing_requests() -> Failure | None:
    """The failure to end with where the library is not there, naming the interpreter that lacks it."""
    if not _PROBLEM:
        return None
    return Failure(
        UNAVAILABLE,
        f"The Python library requests, with urllib3 2, is required and missing for {sys.executable}: {_PROBLEM}.",
    )
