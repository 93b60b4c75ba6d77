# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import email.utils
import time
import typing as t

from edgeops_simulator import jsontext
from edgeops_simulator.refusal import budget_depleted, query_error

STATUS_KINDS = ("429", "500", "502", "503", "504", *(str(status) for status in range(520, 528)))
_HTML_BY_DEFAULT = (502, *range(520, 528))
_HTML = b"<!DOCTYPE html><html><head><title>%d</title></head><body><center><h1>%d Simulated error</h1></center></body></html>"
Headers = list[tuple[str, str]]
Params = t.Mapping[str, t.Any]


@dataclasses.dataclass
class Reply:
    """An HTTP answer that has not been sent yet."""

    status: int
    headers: Headers
    body: bytes

    def content(self) -> dict[str, t.Any]:
        """Return the envelope; for a body that is not one, an empty success."""
        try:
            envelope = jsontext.parse(self.body)
        except ValueError:
            envelope = None
        return envelope if isinstance(envelope, dict) else {"result": {}, "success": True, "errors": [], "messages": []}

    def with_json(self, value: t.Any, status: int | None = None) -> Reply:
        return self.with_body(jsontext.dump(value).encode(), "application/json", status)

    def with_body(self, body: bytes, media_type: str, status: int | None = None, extra: Headers | None = None) -> Reply:
        kept = [(name, value) for name, value in self.headers if name not in ("content-type", "content-length")]
        headers = [*kept, ("content-type", media_type), ("content-length", str(len(body))), *(extra or [])]
        return Reply(self.status if status is None else status, headers, body)


def failure(code: int, message: str) -> dict[str, t.Any]:
    return {"result": None, "success": False, "errors": [{"code": code, "message": message}], "messages": []}


def _retry_after(params: Params, status: int) -> Headers:
    """Return the Retry-After header: seconds, `date:SECONDS` for an HTTP date, null for none; by default one second with 429."""
    pause = params.get("retry_after", 1 if status == 429 else None)
    if pause is None:
        return []
    if isinstance(pause, str) and pause.startswith("date:"):
        return [("retry-after", email.utils.formatdate(time.time() + float(pause[5:]), usegmt=True))]
    return [("retry-after", str(pause))]


def _status(reply: Reply, params: Params, status: int) -> Reply:
    extra = _retry_after(params, status) + [(str(name).lower(), str(value)) for name, value in params.get("headers", {}).items()]
    if params.get("html", status in _HTML_BY_DEFAULT):
        return reply.with_body(_HTML % (status, status), "text/html; charset=UTF-8", status, extra)
    code = params.get("code", 10429 if status == 429 else 10000 + status)
    body = jsontext.dump(failure(code, params.get("message", f"simulated status {status}"))).encode()
    return reply.with_body(body, "application/json", status, extra)


def _wrong_result(reply: Reply, params: Params) -> Reply:
    content = reply.content()
    other: t.Any = {} if isinstance(content.get("result"), list) else []
    return reply.with_json({**content, "result": params.get("value", other)})


def _bad_result_info(reply: Reply, params: Params) -> Reply:
    content = reply.content()
    info = content.get("result_info") or {"page": 1, "per_page": 20, "count": 0, "total_count": 0, "total_pages": 0}
    contradiction = {**info, "total_count": info.get("total_count", 0) + 7}
    return reply.with_json({**content, "result_info": params.get("value", contradiction)})


def _rewrite(reply: Reply, params: Params) -> Reply:
    """Change single members of the result by paths such as `a.b.0.c`."""
    content = reply.content()
    for place, value in params.get("set", {}).items():
        at: t.Any = content["result"]
        *way, last = [int(step) if step.isdigit() else step for step in place.split(".")]
        for step in way:
            at = at[step]
        at[last] = value
    return reply.with_json(content)


def _without(member: str) -> t.Callable[[Reply, Params], Reply]:
    return lambda reply, params: reply.with_json({k: v for k, v in reply.content().items() if k != member})


def _json(default: t.Any) -> t.Callable[[Reply, Params], Reply]:
    return lambda reply, params: reply.with_json(params.get("value", default))


def _redirect(reply: Reply, params: Params) -> Reply:
    location = [("location", str(params.get("location", "http://127.0.0.1:9/")))]
    return reply.with_body(b"", "text/html", params.get("status", 302), location)


def _failure_200(reply: Reply, params: Params) -> Reply:
    return reply.with_json(failure(params.get("code", 1001), params.get("message", "simulated failure")), 200)


def _graphql_error(reply: Reply, params: Params) -> Reply:
    """Answer with a GraphQL error and HTTP 200; by default the one for a spent budget."""
    document = {"data": None, "errors": [query_error(str(params.get("message")), code=params.get("code", ""))]}
    return reply.with_json(document if "message" in params else budget_depleted(), params.get("status", 200))


ANSWERS: t.Mapping[str, t.Callable[[Reply, Params], Reply]] = {
    "status": lambda reply, params: _status(reply, params, params["status"]),
    "truncated": lambda reply, params: reply.with_body(reply.body[: max(1, len(reply.body) // 2)], "application/json"),
    "array": _json([]),
    "string": _json("text"),
    "number": _json(42),
    "null": _json(None),
    "not_json": lambda reply, params: reply.with_body(str(params.get("value", "<html>fine</html>")).encode(), "application/json"),
    "graphql_error": _graphql_error,
    "empty": lambda reply, params: reply.with_body(b"", "application/json"),
    "no_success": _without("success"),
    "no_result": _without("result"),
    "wrong_result": _wrong_result,
    "bad_result_info": _bad_result_info,
    "failure_200": _failure_200,
    "redirect": _redirect,
    "rewrite": _rewrite,
}


def garble(kind: str, reply: Reply, params: Params) -> Reply:
    """Apply a fault that changes an answer but keeps it valid HTTP."""
    return _status(reply, params, int(kind)) if kind in STATUS_KINDS else ANSWERS[kind](reply, params)
