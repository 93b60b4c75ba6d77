# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
import dataclasses
import datetime
import functools
import time
import typing as t

from .._address import Address, select_named
from .._core import BAD_RESPONSE, NOT_FOUND, REJECTED, Answer, Failure, Json
from .._http import missing_requests
from .._text import list_of
from .budget import Budget
from .connection import Connection
from .graphql import OPERATION, QUERY_BUDGET, read_data
from .pagination import KEYS, Page, Query, page_of, read_listing
from .response import locate, read_answer
from .transport import Transport, Words

_Client = t.TypeVar("_Client", bound="Client")
MAX_PARALLEL = 8
# Clocks may differ so much, and an answer may take so long.
_MAX_CLOCK_ERROR = 300.0
_In = t.TypeVar("_In")
_Out = t.TypeVar("_Out")


class Client:
    """Sends operations by name. `call` and `items` raise `Failure` for a missing object, `find` and `delete` return None or False.

    No output may contain `secrets`: those sent to the service and to a proxy.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        sleep: t.Callable[[float], None] = time.sleep,
        now: t.Callable[[], float] = time.time,
        announce: t.Callable[[str], None] | None = None,
    ) -> None:
        """`announce` gets the reason for the first long wait before it begins; without it, the reason is one of the warnings."""
        missing = missing_requests()
        if missing:
            raise missing
        self.warnings: list[str] = []
        self._transport = Transport(connection, sleep=sleep, now=now, announce=announce or self.warnings.append)
        self._connection = connection = self._transport.session.connection
        self.secrets = connection.secrets
        self.host = connection.host
        self.request_budget = connection.request_budget
        self.sleep = sleep
        self._now = now
        self._new_budget = functools.partial(Budget, now=now, warn=self.warnings.append)
        self._budget = self._new_budget(self.request_budget, connection) if self.request_budget else None
        self._query_budget: Budget | None = None

    @property
    def tries(self) -> int:
        """Return how many requests were sent, repeated ones included, by all clients that share these connections."""
        return self._transport.session.tries

    @property
    def knows_time(self) -> bool:
        """Return whether an answer showed the time of day as the service has it."""
        return self._transport.ahead is not None

    def now(self) -> datetime.datetime:
        """Return the time of day as the service has it, as far as one of its answers showed it."""
        return datetime.datetime.fromtimestamp(self._now() + (self._transport.ahead or 0.0), datetime.timezone.utc)

    @property
    def behind(self) -> datetime.timedelta:
        """Return how far the clock of the service is behind the one of this machine, as its last answer showed it; 0 if it is ahead."""
        return datetime.timedelta(seconds=max(0.0, -(self._transport.ahead or 0.0)))

    def at_service_time(self, ask: t.Callable[[datetime.datetime], _In]) -> _In:
        """Ask for something of a time span that ends now; ask again if the answer shows another time of day than what was known before it.

        That was the clock of this machine, or an earlier answer, which a cache may have kept.
        """
        ahead = self._transport.ahead or 0.0
        try:
            answer = ask(self.now())
        except Failure:
            if not self._has_other_time(ahead):
                raise
            return ask(self.now())
        return ask(self.now()) if self._has_other_time(ahead) else answer

    def _has_other_time(self, ahead: float) -> bool:
        return abs((self._transport.ahead or 0.0) - ahead) >= _MAX_CLOCK_ERROR

    def locate(self, failure: Failure) -> Failure:
        """Return the failure with the request of the latest response, if the caller found it in the content of that response."""
        found_in_content = failure.kind in (BAD_RESPONSE, NOT_FOUND, REJECTED) and failure.path is None
        latest = self._transport.latest
        return locate(failure, latest) if latest and found_in_content else failure

    def call(self, operation: str, *, ids: Words | None = None, body: Json = None, query: Words | None = None) -> Answer:
        exchange = self._transport.send(operation, self._connection.address, ids=ids, query=query, body=body, budget=self._budget)
        return read_answer(self._connection, operation, exchange)

    def query(self, text: str, variables: t.Mapping[str, Json]) -> dict[str, Json]:
        """Return the data that a GraphQL query reads; such queries have a budget of their own."""
        if self.request_budget and self._query_budget is None:
            self._query_budget = self._new_budget(QUERY_BUDGET, self._connection, "query")
        body = {"query": text, "variables": dict(variables)}
        return read_data(self._connection, self._transport.send(OPERATION, None, body=body, budget=self._query_budget))

    def find(self, operation: str, *, ids: Words | None = None) -> Answer | None:
        """Return the answer to an operation, or None if the service reports that the object does not exist."""
        try:
            return self.call(operation, ids=ids)
        except Failure as failure:
            if failure.kind == NOT_FOUND and failure.status == 404:
                return None
            raise

    def delete(self, operation: str, *, ids: Words | None = None) -> bool:
        """Delete an object; return False if it did not exist."""
        if self.find(operation, ids=ids) is not None:
            return True
        # After a try with an unknown outcome, 404 means that this try deleted the object.
        return self._transport.latest is not None and self._transport.latest.received_before

    def items(
        self,
        operation: str,
        *,
        query: Words | None = None,
        per_page: int | None = None,
        parallel: int = 1,
        keys: t.Sequence[str] = KEYS,
    ) -> list[Json]:
        """Return all items of a listing in order, each once; the first of `keys` that an item has identifies it.

        Fetch up to `parallel` pages after the first at the same time.
        """

        def fetch(paging: Query) -> Page:
            words = {**(query or {}), **paging}
            exchange = self._transport.send(operation, self._connection.address, query=words, budget=self._budget)
            answer = read_answer(self._connection, operation, exchange)
            try:
                return page_of(list_of(answer.result), answer.result_info, None if "cursor" in paging else paging.get("page", 1))
            except Failure as failure:
                raise self.locate(failure) from None

        parallel = max(1, min(parallel, MAX_PARALLEL))
        try:
            return read_listing(lambda queries: side_by_side(fetch, queries, parallel), per_page, keys, parallel)
        except Failure as failure:
            raise self.locate(failure) from None

    @property
    def address(self) -> Address:
        """Return the zone or the account that requests are about."""
        if self._connection.address is None:
            raise ValueError("the task has no single zone or account")
        return self._connection.address

    def resolve(self: _Client) -> _Client:
        """Return a client whose address has its id; the name of a zone takes one request."""
        address = self._connection.address
        if address is None or address.id:
            return self
        return self.at(select_named(self.items("zones.list", query={"name": address.name}, keys=("id",)), address.name))

    def at(self: _Client, address: Address | None) -> _Client:
        """Return a client for another address that shares connections, request budget and warnings with this one."""
        other = copy.copy(self)
        other._connection = dataclasses.replace(self._connection, address=address)
        return other

    def close(self) -> None:
        """Close the kept connections; the client can still be used."""
        self._transport.session.adapter.close()


def side_by_side(function: t.Callable[[_In], _Out], values: t.Sequence[_In], parallel: int) -> t.Iterable[_Out]:
    """Return the results of a function for several values, in order; after a failure, start no more calls and wait for the running ones."""
    if parallel == 1 or len(values) < 2:
        return map(function, values)
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # slow to import, and most runs do not need it

    with ThreadPoolExecutor(min(parallel, len(values))) as executor:
        return list(executor.map(function, values))
