# SPDX-License-Identifier: GPL-3.0-or-later

"""Sends GET for a page, with no cookie and no credential, and follows its redirects within bounds."""

from __future__ import annotations

import contextlib
import random
import time
import typing as t

from .._http import NO_ANSWER, Adapter, Fault, fault_of, missing_requests, prepare, proxies_for, read_body, verification
from .facts import MAX_REDIRECTS, MAX_TRIES, Unread
from .options import Options, Page
from .received import Response
from .url import Address, parse

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_TRIED_AGAIN = frozenset((429, 502, 503, 504, *range(520, 528)))
_FIRST_PAUSE_SECONDS, _MAX_PAUSE_SECONDS = 0.5, 8.0


class NoAnswer(Unread):
    """A page that gave no answer, so that another fetch would only wait again."""


class Fetcher:
    """Fetches pages over connections of its own."""

    def __init__(self, options: Options, sleep: t.Callable[[float], None] = time.sleep) -> None:
        missing = missing_requests()
        if missing:
            raise missing
        self._options = options
        self._sleep = sleep
        self._verify = verification(options.ca_path if options.ca_path and options.validate_certs else options.validate_certs)
        self._adapter = Adapter(strict=True)

    def close(self) -> None:
        self._adapter.close()

    def fetch(self, page: Page) -> Response:
        """Return the answer at the end of the redirects of a page; raise `Unread` for none."""
        address, is_local = page.address, page.address.is_loopback
        for _hop in range(MAX_REDIRECTS + 1):
            # What a page is asked with goes to nobody else.
            own = page.headers if address.origin == page.address.origin else {}
            answer = self._tried(address, own)
            if not isinstance(answer, str):
                return answer
            address = _target(answer, address, is_local=is_local)
        raise Unread(f"it redirects more than {MAX_REDIRECTS} times")

    def _tried(self, address: Address, own: t.Mapping[str, str]) -> Response | str:
        """Return the answer of one address, or where it redirects to; tried again as a GET of the API is."""
        pause = _FIRST_PAUSE_SECONDS
        for attempt in range(1, MAX_TRIES + 1):
            outcome = self._try(address, own)
            is_last = attempt == MAX_TRIES
            if isinstance(outcome, Fault):
                if outcome.final or is_last:
                    # A certificate, or an answer that is no HTTP, is one all the same.
                    raise NoAnswer(f"there is no answer: {outcome.reason}")
            elif isinstance(outcome, str) or outcome.status not in _TRIED_AGAIN or outcome.is_challenge or is_last:
                return outcome
            self._sleep(pause * (1 + random.uniform(-0.25, 0.25)))  # so that many do not come at once
            pause = min(2 * pause, _MAX_PAUSE_SECONDS)
        raise NoAnswer("there is no answer")

    def _try(self, address: Address, own: t.Mapping[str, str]) -> Response | Fault | str:
        url, seconds = str(address), self._options.timeout
        headers = {
            "User-Agent": self._options.user_agent,
            "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            "Accept-Language": "en",
            "Accept-Encoding": "gzip",
            **own,
        }
        try:
            request = prepare("GET", url, headers)
            request.url = url  # as a browser writes it
            response = self._adapter.send(request, True, (seconds / 2, seconds), self._verify, proxies=proxies_for(url))
            # The body of a redirect is not read, and the connection closed.
            with contextlib.closing(response):
                target = response.headers.get("Location")
                if response.status_code in _REDIRECTS and target:
                    return target
                return self._received(address, response)
        except NO_ANSWER as error:
            return fault_of(error)

    def _received(self, address: Address, response: t.Any) -> Response:
        raw = response.raw.headers
        received = Response(
            address=address,
            status=response.status_code,
            headers={name.lower(): tuple(map(_text, raw.getlist(name))) for name in raw},
        )
        if not received.is_document:
            return received  # its body says nothing
        body = read_body(response, time.monotonic() + self._options.timeout, self._options.max_bytes)
        return received._replace(body=body)


def _text(value: str) -> str:
    """Return the value of a header with the characters that its bytes mean; the HTTP library takes them for Latin-1."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return value


def _target(location: str, address: Address, *, is_local: bool) -> Address:
    """Return the address of a redirect; raise `Unread` for one that is not followed."""
    target = parse(_text(location), address)
    if target is None or target.scheme not in ("http", "https"):
        raise Unread("it redirects to what is no address of a page")
    if target.is_loopback and not is_local:
        raise Unread("it redirects to this machine")
    if target.scheme == "http" and not target.is_loopback:
        raise Unread(f"it redirects to plain http ({target.origin})")
    if target.has_user:
        raise Unread("it redirects to an address with user information")
    return target
