# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import json
import types
import typing as t

Json = t.Any


class Request(t.NamedTuple):
    """One write that a plan wants: a named operation, never a path.

    `id_from_answer` names an id of the path that only the answer to the request before holds (its member `id`).
    `creates` marks a POST that must not be repeated blindly: where its outcome is unknown, or where `look_again_on`
    names the kind of its failure, the service is read and planned once more before anything is said.
    `if_it_fails` is a sentence for the failure message: what the requests before this one have already done.
    `digested` stands for the body in `plan_id` where the body also carries other objects, which the service wants back unchanged.
    """

    operation: str
    ids: t.Mapping[str, str | int] = types.MappingProxyType({})
    body: Json = None
    id_from_answer: str | None = None
    creates: bool = False
    look_again_on: tuple[str, ...] = ()
    if_it_fails: str = ""
    digested: Json = None


class Plan(t.NamedTuple):
    """What a run will do, computed once for check mode, diff mode and the real run.

    `before` and `after` hold only what the module manages and are free of secrets; they are equal exactly when nothing changes.
    `result` is the result as predicted, keyed as the module documents it.
    `basis` is the managed state that was read, secrets included and volatile members left out: with the requests it makes `plan_id`.
    `changes` is false for the rare request that asks and changes nothing.
    """

    before: Json
    after: Json
    result: t.Mapping[str, Json]
    requests: tuple[Request, ...] = ()
    basis: Json = None
    warnings: tuple[str, ...] = ()
    changes: bool = True

    @property
    def changed(self) -> bool:
        """Whether carrying the plan out changes the service."""
        return self.changes and bool(self.requests)

    @property
    def creates(self) -> bool:
        """Whether the plan holds a request that must not be sent twice."""
        return any(request.creates for request in self.requests)


class Answer(t.NamedTuple):
    """What the service answered to one request: `result` and `result_info` of the envelope, and how it came about."""

    result: Json
    result_info: dict[str, Json] | None
    status: int
    attempts: int
    request_id: str | None


class Conclusion(t.NamedTuple):
    """What the answers of the service mean: the result, and warnings for the user.

    `refused` is a sentence for a task that did all of its work and fails all the same, because a policy of the user refuses
    what it found: the failure is a `gate`, and keeps the result.
    """

    result: t.Mapping[str, Json]
    warnings: tuple[str, ...] = ()
    refused: str = ""


def plan_id(zone_id: str | None, plan: Plan) -> str:
    """A digest (`sha256:` and 64 hexadecimal digits) of the managed state that was read and of the writes that would follow.

    Equal inputs give equal digests on every machine and in every mode, so a check run can be approved and applied exactly.
    """
    content = {
        "zone_id": zone_id,
        "basis": plan.basis,
        "requests": [_content(request) for request in plan.requests],
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _content(request: Request) -> dict[str, Json]:
    """What of a request is approved: neither other objects that its body carries along nor words for a failure."""
    content: dict[str, Json] = {**request._asdict(), "ids": dict(request.ids)}
    del content["if_it_fails"]
    digested = content.pop("digested")
    return content if digested is None else {**content, "body": digested}
