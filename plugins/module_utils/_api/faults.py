# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


"""What can happen to a try instead of an answer, in our own words: the libraries' texts may hold addresses with secrets."""

import dataclasses
import http.client
import socket
import ssl
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.body import BodyError
from ansible_collections.edgeops.observability.plugins.module_utils._errors import BAD_RESPONSE, UNAVAILABLE


@dataclasses.dataclass(frozen=True)
class Fault:
    """A try without a usable answer. `final` means that another try would end the same way."""

    kind: str
    reason: str
    final: bool = False


# In this order, since the first that occurs anywhere in a chain of causes names the fault.
_WORDS: tuple[tuple[type[BaseException], Fault], ...] = (
    (socket.gaierror, Fault(UNAVAILABLE, "its host name could not be resolved")),
    (ConnectionRefusedError, Fault(UNAVAILABLE, "the connection was refused")),
    (TimeoutError, Fault(UNAVAILABLE, "there was no complete answer within the timeout")),
    (http.client.IncompleteRead, Fault(UNAVAILABLE, "the answer was cut off")),
    (ConnectionError, Fault(UNAVAILABLE, "the connection was cut")),
    (ssl.SSLError, Fault(UNAVAILABLE, "the TLS connection failed")),
    (http.client.HTTPException, Fault(BAD_RESPONSE, "the answer is not HTTP", final=True)),
    (OSError, Fault(UNAVAILABLE, "the connection failed")),
)
_UNKNOWN = Fault(UNAVAILABLE, "the request could not be sent", final=True)


def fault_of(error: BaseException) -> Fault:
    """The fault behind an exception of requests, urllib3, ssl or the socket."""
    chain = list(_chain(error))
    for cause in chain:
        if isinstance(cause, BodyError):
            return Fault(BAD_RESPONSE, str(cause), final=True)
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Fault(UNAVAILABLE, f"its certificate does not verify: {cause.verify_message}", final=True)
    through = "through the proxy: " if any(type(cause).__name__ == "ProxyError" for cause in chain) else ""
    roots = [cause for cause in chain if type(cause).__module__.partition(".")[0] not in ("requests", "urllib3")]
    for kind, fault in _WORDS:
        if any(isinstance(cause, kind) for cause in roots):
            return dataclasses.replace(fault, reason=through + fault.reason)
    return _UNKNOWN


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
