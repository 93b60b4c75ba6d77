# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator import clock


class Refusal(Exception):
    """A request that the API refuses: HTTP status, and the members of the error object."""

    def __init__(self, status: int, code: int, message: str, **more: t.Any) -> None:
        super().__init__(message)
        self.status = status
        self.bare: dict[str, t.Any] | None = None
        """The whole answer, where it is not the envelope."""
        self.headers: dict[str, str] = more.pop("headers", {})
        self.errors: list[dict[str, t.Any]] = [{"code": code, "message": message, **more}]


def query_error(message: str, path: t.Sequence[str | int] | None = None, code: str = "") -> dict[str, t.Any]:
    """Return a GraphQL error, which has a different form from errors in an envelope."""
    extensions = {"timestamp": clock.stamp_seconds(), **({"code": code} if code else {})}
    return {"message": message, "path": None if path is None else [str(step) for step in path], "extensions": extensions}


def budget_depleted() -> dict[str, t.Any]:
    return {"data": None, "errors": [query_error("rate limiter budget depleted, try again after 5 minutes", code="budget")]}


def unroutable(path: str, status: int = 404) -> Refusal:
    """Return the refusal of an unknown route or zone, with the two errors that Cloudflare returns."""
    refusal = Refusal(status, 7003, f"Could not route to {path}, perhaps your object identifier is invalid?")
    refusal.errors.append({"code": 7000, "message": "No route for that URI"})
    return refusal
