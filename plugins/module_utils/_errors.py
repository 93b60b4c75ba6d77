# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import typing as t

# What can go wrong, in the words of the public contract; nothing else is ever reported as `error.kind`.
INVALID_OPTION = "invalid_option"
AUTHENTICATION = "authentication"
PERMISSION = "permission"
NOT_FOUND = "not_found"
REJECTED = "rejected"
RATE_LIMITED = "rate_limited"
UNAVAILABLE = "unavailable"
BAD_RESPONSE = "bad_response"
CONFLICT = "conflict"
# A policy that the user set refused.
GATE = "gate"

KINDS = frozenset(
    (INVALID_OPTION, AUTHENTICATION, PERMISSION, NOT_FOUND, REJECTED, RATE_LIMITED, UNAVAILABLE, BAD_RESPONSE, CONFLICT, GATE)
)


@dataclasses.dataclass(eq=False, repr=False)
class Failure(Exception):
    """The one exception that ends a run: a sentence for the user, and members for a playbook.

    `errors` are the error objects of the service's envelope, reduced to `code` (int or None) and `message` (str).
    `unanswered`: a write may have been received although no usable answer came back, so that only another
    look at the service can tell what happened. `accepted`: a write was answered with a status of success, and nothing
    usable behind it. Neither is part of the report.
    """

    kind: str
    message: str
    method: str | None = None
    path: str | None = None
    status: int | None = None
    errors: t.Sequence[t.Mapping[str, t.Any]] = ()
    request_id: str | None = None
    attempts: int = 0
    unanswered: bool = False
    accepted: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is not a kind of failure")
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message

    def with_note(self, note: str) -> Failure:
        """The same failure with a further sentence; an empty note changes nothing."""
        return dataclasses.replace(self, message=f"{self.message} {note}") if note else self

    def report(self) -> dict[str, t.Any]:
        """The `error` member of a failed result."""
        return {
            "kind": self.kind,
            "method": self.method,
            "path": self.path,
            "status": self.status,
            "errors": [dict(error) for error in self.errors],
            "request_id": self.request_id,
            "attempts": self.attempts,
        }


def invalid_option(place: str, message: str) -> Failure:
    """A value that is refused before any request; `place` names the option and the place in it, as in `filter.where.and[1]`."""
    return Failure(INVALID_OPTION, f"{place}: {message}")


def conflict(message: str) -> Failure:
    """The desired and the current state exclude each other; nothing was written."""
    return Failure(CONFLICT, message)
