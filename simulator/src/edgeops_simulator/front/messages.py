# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from starlette.responses import Response

from edgeops_simulator import jsontext
from edgeops_simulator.faults.answers import Reply
from edgeops_simulator.front.call import Answer
from edgeops_simulator.refusal import Refusal

MAX_BODY = 4 * 1024 * 1024


def respond(answer: Answer) -> Response:
    """Return a result in its envelope; only 204 has none."""
    if answer.status == 204:
        return Response(status_code=204)
    if answer.bare:
        return Response(jsontext.dump(answer.result), answer.status, media_type="application/json")
    content = {"result": answer.result, "success": True, "errors": [], "messages": []}
    if answer.result_info is not None:
        content["result_info"] = answer.result_info
    return Response(jsontext.dump(content), answer.status, media_type="application/json")


def refuse(refusal: Refusal) -> Response:
    content = refusal.bare or {"result": None, "success": False, "errors": refusal.errors, "messages": []}
    return Response(jsontext.dump(content), refusal.status, dict(refusal.headers), "application/json")


def _media_type(headers: t.Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def read_body(body: bytes, headers: t.Mapping[str, str]) -> t.Any:
    """Return the JSON of a request that must have a body."""
    if body and _media_type(headers) != "application/json":
        raise Refusal(415, 10015, "the body must be sent as Content-Type: application/json")
    try:
        return jsontext.parse(body)
    except (ValueError, UnicodeDecodeError) as problem:
        raise Refusal(400, 10014, f"invalid JSON: {problem}") from None


async def run(app: t.Any, scope: t.Any, body: bytes) -> Reply:
    """Return the complete answer of an ASGI application, before any of it is sent."""
    reply = Reply(500, [], b"")

    async def receive() -> dict[str, t.Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: t.Any) -> None:
        if message["type"] == "http.response.start":
            reply.status = message["status"]
            reply.headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in message["headers"]]
        else:
            reply.body += message.get("body", b"")

    await app(scope, receive, send)
    return reply


async def read_request(receive: t.Any) -> bytes | None:
    """Return the body of a request, None if it is too large; then it is read but not kept."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        size += len(message.get("body", b""))
        if size <= MAX_BODY:
            parts.append(message.get("body", b""))
        if not message.get("more_body"):
            break
    return b"".join(parts) if size <= MAX_BODY else None


def journal_body(body: bytes | None) -> t.Any:
    if not body:
        return None
    try:
        return jsontext.parse(body)
    except ValueError:
        return body.decode("utf-8", "replace")
