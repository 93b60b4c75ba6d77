# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import asyncio
import email.utils
import secrets
import sys
import traceback
import typing as t

from edgeops_simulator.faults import wire
from edgeops_simulator.faults.answers import Reply, garble
from edgeops_simulator.faults.table import Fault
from edgeops_simulator.front import analytics, auth
from edgeops_simulator.front.call import Answer
from edgeops_simulator.front.messages import MAX_BODY, journal_body, read_request, refuse, respond, run
from edgeops_simulator.front.routes import BASE_PATH, routes
from edgeops_simulator.front.site import Site
from edgeops_simulator.front.world import World
from edgeops_simulator.journal import Entry
from edgeops_simulator.refusal import Refusal, budget_depleted


class Front:
    """The API as an ASGI application: journal, credentials, rate limit, faults and latency around the routes."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._routes = routes(world)
        self._site = Site(world)

    async def __call__(self, scope: t.Any, receive: t.Any, send: t.Any) -> None:
        if scope["type"] != "http":
            return
        if self._site.serves(scope["path"]):
            await self._site(scope, send)
            return
        world, connection = self._world, scope["connection"]
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        path = scope["path"].removeprefix(BASE_PATH)
        scope["service_path"] = path
        query = scope["query_string"].decode("latin-1")
        entry = world.journal.add(scope["method"], path, query, headers, connection.number)
        fault = world.faults.take(scope["method"], path, entry.zone)
        try:
            body = await read_request(receive)
            entry.body = journal_body(body)
            reply = await self._reply(scope, headers, body, entry, fault)
            await _answer(reply, send, connection, entry, fault)
        finally:
            world.close_port_if_due()

    async def _reply(self, scope: t.Any, headers: dict[str, str], body: bytes | None, entry: Entry, fault: Fault | None) -> Reply:
        """Answer a request; some faults prevent that it is applied."""
        world = self._world
        entry.credential, denied = auth.check(headers, world.service.credentials, world.service.settings)
        extra, too_many = self._count(scope["service_path"])
        if world.service.settings.latency_ms:
            await asyncio.sleep(world.service.settings.latency_ms / 1000)
        if body is None:
            denied = denied or Refusal(413, 10413, f"the body is larger than {MAX_BODY} bytes")
        if refusal := denied or too_many:
            reply = await run(refuse(refusal), scope, b"")
        elif fault and not fault.applied:
            reply = await run(respond(Answer({})), scope, b"")
        else:
            reply = await self._carry_out(scope, body or b"")
            entry.applied = True
        ray = f"{secrets.token_hex(8)}-SIM"
        reply.headers += [("date", email.utils.formatdate(usegmt=True)), ("cf-ray", ray), *extra.items()]
        return reply

    def _count(self, path: str) -> tuple[dict[str, str], Refusal | None]:
        """Count a request against the rate limit; GraphQL queries have their own limit and error."""
        world, settings = self._world, self._world.service.settings
        if path != analytics.PATH:
            return world.rate.take(settings.rate_limit, settings.rate_window, headers_always=settings.rate_headers)
        headers, refusal = world.query_rate.take(settings.graphql_rate_limit, settings.graphql_rate_window, headers_always=False)
        if refusal is not None:
            refusal.bare = budget_depleted()
            refusal.status = 429 if settings.graphql_error_status else 200
        return headers, refusal

    async def _carry_out(self, scope: t.Any, body: bytes) -> Reply:
        try:
            return await run(self._routes, scope, body)
        except Exception:  # an error of the simulator itself is printed, and the client gets an envelope
            traceback.print_exc(file=sys.stderr)
            return await run(refuse(Refusal(500, 10500, "internal error of the simulator")), scope, b"")


async def _answer(reply: Reply, send: t.Any, connection: t.Any, entry: Entry, fault: Fault | None) -> None:
    """Send an answer, or apply a fault to it."""
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
