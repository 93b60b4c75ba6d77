# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# What can happen to a try instead of an answer, in our own words: the libraries' texts may hold addresses with secrets.
import re
import socket
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.http.body import BodyError
from ansible_collections.edgeops.observability.plugins.module_utils._api.http.libraries import (
    HTTPException,
    IncompleteRead,
    InvalidHeader,
    SSLCertVerificationError,
    SSLError,
)
from ansible_collections.edgeops.observability.plugins.module_utils._errors import BAD_RESPONSE, UNAVAILABLE


class Fault(t.NamedTuple):
    """A try without a usable answer. `final` means that another try would end the same way; `status` came before the fault."""

    kind: str
    reason: str
    final: bool = False
    timed_out: bool = False
    status: int | None = None


_UNRESOLVED = Fault(UNAVAILABLE, "the host name could not be resolved")
_CUT = Fault(UNAVAILABLE, "the connection was cut before the answer was complete")
# The first of these that occurs anywhere in a chain of causes names the fault.
_FAULTS: tuple[tuple[type[BaseException], Fault], ...] = (
    (
        InvalidHeader,
        Fault(BAD_RESPONSE, "the service's answer names several lengths or no valid one (Content-Length)", final=True),
    ),
    (socket.gaierror, _UNRESOLVED),
    (UnicodeError, _UNRESOLVED),
    (ConnectionRefusedError, Fault(UNAVAILABLE, "the connection was refused")),
    (TimeoutError, Fault(UNAVAILABLE, "there was no complete answer within the timeout", timed_out=True)),
    (IncompleteRead, _CUT),
    (ConnectionError, _CUT),
    (HTTPException, Fault(BAD_RESPONSE, "the service's answer is not HTTP", final=True)),
    (OSError, Fault(UNAVAILABLE, "the connection failed")),
)
_UNUSABLE = Fault(UNAVAILABLE, "the request cannot be sent with these proxies or this address", final=True)
_TUNNEL = re.compile(r"Tunnel connection failed: ([1-5][0-9]{2})")
# The parts of the TLS library that read certificates and keys from files.
_FILES = ("X509", "PEM", "ASN1")


def fault_of(error: BaseException) -> Fault:
    """The fault behind an exception of requests, urllib3, ssl or the socket."""
    chain = list(_chain(error))
    fault = next((found for cause in chain if (found := _special(cause))), None) or _plain(chain)
    if any(type(cause).__name__ == "ProxyError" for cause in chain):
        return fault._replace(reason=f"through the proxy, {fault.reason}")
    return fault


def _special(cause: BaseException) -> Fault | None:
    if isinstance(cause, BodyError):
        return Fault(BAD_RESPONSE, f"the service's answer cannot be used: {cause}", final=True)
    if isinstance(cause, SSLCertVerificationError):
        why = getattr(cause, "verify_message", "") or "no reason given"
        return Fault(UNAVAILABLE, f"the certificate does not verify: {why}", final=True)
    if isinstance(cause, SSLError):
        if cause.library in _FILES:
            return Fault(UNAVAILABLE, "the bundle of certificates to trust cannot be read", final=True)
        return Fault(UNAVAILABLE, f"the TLS connection failed ({cause.reason or 'it was cut'})")
    tunnel = _TUNNEL.match(str(cause)) if isinstance(cause, OSError) else None
    if tunnel:
        return Fault(
            UNAVAILABLE, f"the proxy refused the connection to the service (HTTP {tunnel[1]})", final=tunnel[1][0] == "4"
        )
    return None


def _plain(chain: list[BaseException]) -> Fault:
    # The exceptions of requests are all of the kind OSError and say nothing by that.
    causes = [cause for cause in chain if not type(cause).__module__.startswith("requests.")]
    found = (fault for kind, fault in _FAULTS if any(isinstance(cause, kind) for cause in causes))
    return next(found, _UNUSABLE)


def _chain(error: BaseException) -> t.Iterator[BaseException]:
    waiting: list[t.Any] = [error]
    seen: set[int] = set()
    while waiting:
        cause = waiting.pop(0)
        if not isinstance(cause, BaseException) or id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        waiting += [cause.__cause__, cause.__context__, getattr(cause, "reason", None), *cause.args]
