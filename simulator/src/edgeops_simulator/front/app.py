# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import asyncio
import email.utils
import secrets
import sys
import traceback
import typing as t

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgeops_simulator import jsontext
from edgeops_simulator.faults import wire
from edgeops_simulator.faults.answers import Reply, garble
from edgeops_simulator.faults.table import Fault
from edgeops_simulator.front import auth
from edgeops_simulator.front.call import Answer, Call
from edgeops_simulator.front.operations import OPERATIONS, Operation
from edgeops_simulator.front.world import World
from edgeops_simulator.journal import Entry
from edgeops_simulator.refusal import Refusal, unroutable

BASE_PATH = "/client/v4"
MAX_BODY = 4 * 1024 * 1024
_WITH_BODY = ("POST", "PUT", "PATCH")
_SAFE = ("GET", "HEAD", "OPTIONS")


def respond(answer: Answer) -> Response:
    """The envelope around a result; the one answer without an envelope is 204."""
    if answer.status == 204:
        return Response(status_code=204)
    content = {"result": answer.result, "success": True, "errors": [], "messages": []}
    if answer.result_info is not None:
        content["result_info"] = answer.result_info
    return Response(jsontext.dump(content), answer.status, media_type="application/json")


def refuse(refusal: Refusal) -> Response:
    content = {"result": None, "success": False, "errors": refusal.errors, "messages": []}
    return Response(jsontext.dump(content), refusal.status, dict(refusal.headers), "application/json")


def _media_type(headers: t.Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def read_body(body: bytes, headers: t.Mapping[str, str]) -> t.Any:
    """The JSON of a request that has to carry some."""
    if body and _media_type(headers) != "application/json":
        raise Refusal(415, 10015, "the body must be sent as Content-Type: application/json")
    try:
        return jsontext.parse(body)
    except (ValueError, UnicodeDecodeError) as problem:
        raise Refusal(400, 10014, f"invalid JSON: {problem}") from None


def _endpoint(world: World, path: str, methods: t.Mapping[str, Operation]) -> t.Callable[[Request], t.Awaitable[Response]]:
    allowed = ", ".join(sorted({*methods, "OPTIONS", *(["HEAD"] if "GET" in methods else [])}))

    async def endpoint(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        if method == "OPTIONS":
            return Response(status_code=204, headers={"allow": allowed})
        if method not in methods:
            raise Refusal(405, 7001, f"Method {request.method} not available for that URI.", headers={"allow": allowed})
        zone = None
        if "zone_id" in request.path_params:
            zone = world.service.zones.get(request.path_params["zone_id"])
            if zone is None:
                raise unroutable(request.scope["service_path"])
        body = read_body(await request.body(), request.headers) if method in _WITH_BODY else None
        query = request.query_params
        call = Call(world.service, request.scope["service_path"], request.path_params, query, body, world.log_folder, zone)
        answer = methods[method].handler(call)
        if method not in _SAFE:
            world.keep(zone and zone.id)
        return respond(answer)

    return endpoint


async def _refused(request: Request, problem: Exception) -> Response:
    return refuse(t.cast(Refusal, problem))


async def _no_route(request: Request, problem: Exception) -> Response:
    return refuse(unroutable(request.scope.get("service_path", request.url.path)))


def routes(world: World) -> Starlette:
    """The service's own routes, from the table of operations."""
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in OPERATIONS:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    every = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
    table = [Route(BASE_PATH + path, _endpoint(world, path, found), methods=every) for path, found in by_path.items()]
    app = Starlette(routes=table, exception_handlers={Refusal: _refused, HTTPException: _no_route})
    app.router.redirect_slashes = False
    return app


class Front:
    """The service as an ASGI application: journal, credentials, rate, faults and latency around the routes."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._routes = routes(world)

    async def __call__(self, scope: t.Any, receive: t.Any, send: t.Any) -> None:
        if scope["type"] != "http":
            return
        world, connection = self._world, scope["connection"]
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        path = scope["path"].removeprefix(BASE_PATH)
        parts = path.split("/")
        zone = parts[2] if len(parts) > 2 and parts[1] == "zones" and parts[2] else None
        scope["service_path"] = path
        query = scope["query_string"].decode("latin-1")
        entry = world.journal.add(scope["method"], path, query, zone, headers, connection.number)
        fault = world.faults.take(scope["method"], path, zone)
        try:
            body = await _read(receive)
            entry.body = _journal_body(body)
            reply = await self._reply(scope, headers, body, entry, fault)
            await _answer(reply, send, connection, entry, fault)
        finally:
            world.close_port_if_due()

    async def _reply(self, scope: t.Any, headers: dict[str, str], body: bytes | None, entry: Entry, fault: Fault | None) -> Reply:
        """What the service answers; nothing is carried out where the fault says so."""
        world = self._world
        entry.credential, denied = auth.check(headers, world.service.credentials, world.service.settings)
        extra, too_many = world.rate.take(world.service.settings)
        if world.service.settings.latency_ms:
            await asyncio.sleep(world.service.settings.latency_ms / 1000)
        if body is None:
            denied = denied or Refusal(413, 10413, f"the body is larger than {MAX_BODY} bytes")
        if denied or too_many:
            reply = await _run(refuse(t.cast(Refusal, denied or too_many)), scope, b"")
        elif fault and not fault.applied:
            reply = await _run(respond(Answer({})), scope, b"")
        else:
            reply = await self._carry_out(scope, body or b"")
            entry.applied = True
        ray = f"{secrets.token_hex(8)}-SIM"
        reply.headers += [("date", email.utils.formatdate(usegmt=True)), ("cf-ray", ray), *extra.items()]
        return reply

    async def _carry_out(self, scope: t.Any, body: bytes) -> Reply:
        try:
            return await _run(self._routes, scope, body)
        except Exception:  # an error of the simulator itself is shown where it runs, and the client gets an envelope
            traceback.print_exc(file=sys.stderr)
            return await _run(refuse(Refusal(500, 10500, "internal error of the simulator")), scope, b"")


async def _answer(reply: Reply, send: t.Any, connection: t.Any, entry: Entry, fault: Fault | None) -> None:
    """Put an answer on the wire, or what a fault makes of it."""
    if fault is None:
        entry.status = reply.status
        await _send(reply, send)
        return
    entry.fault = fault.kind
    if fault.kind in wire.RAW:
        await wire.RAW[fault.kind](connection, reply, fault.params)
    elif fault.kind in ("huge", "gzip_bomb"):
        entry.status = 200
        await wire.send_huge(fault.kind, send, fault.params)
    else:
        reply = garble(fault.kind, reply, fault.params)
        entry.status = reply.status
        await _send(reply, send)


async def _send(reply: Reply, send: t.Any) -> None:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})


async def _run(app: t.Any, scope: t.Any, body: bytes) -> Reply:
    """The whole answer of an ASGI application, before anything of it is sent."""
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


async def _read(receive: t.Any) -> bytes | None:
    """The body of a request; None for one that is too large, which is read to its end but not kept."""
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


def _journal_body(body: bytes | None) -> t.Any:
    if not body:
        return None
    try:
        return jsontext.parse(body)
    except ValueError:
        return body.decode("utf-8", "replace")
