# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import typing as t

from edgeops_simulator.front.call import Answer, Call
from edgeops_simulator.schemas.answers import Schema

Handler = t.Callable[[Call], Answer]
ZONE = "/zones/{zone_id}"
ACCOUNT = "/accounts/{account_id}"


@dataclasses.dataclass(frozen=True)
class Operation:
    """One method of a route: its handler and its description."""

    method: str
    path: str
    name: str
    handler: Handler
    result: Schema | None = None
    """The schema of `result`, or None if a successful answer has no body."""
    body: Schema | None = None
    query: Schema = dataclasses.field(default_factory=dict)
    paged: bool = False
    bare: bool = False
    """Whether `result` is the whole answer, without the envelope."""
    codes: tuple[int, int] = (1001, 1001)
    """The codes for a body of the wrong form, and for a body that is refused for another reason."""
    status: int = 200
    also: tuple[int, ...] = ()
    """Further statuses of this operation, besides `status` and those that all operations have."""
    switch: str | None = None
    """The setting without which the route does not exist."""


class Routes:
    """The operations of one area, below each of its prefixes; each is declared above its handler."""

    def __init__(self, *prefixes: str, codes: tuple[int, int] = (1001, 1001)) -> None:
        self._prefixes, self._codes = prefixes, codes
        self.operations: list[Operation] = []

    def __call__(self, method: str, path: str, name: str, **more: t.Any) -> t.Callable[[Handler], Handler]:
        def declare(handler: Handler) -> Handler:
            for prefix in self._prefixes:
                own_name = name if prefix is self._prefixes[0] else f"account{name[:1].upper()}{name[1:]}"
                self.operations.append(Operation(method, prefix + path, own_name, handler, codes=self._codes, **more))
            return handler

        return declare
