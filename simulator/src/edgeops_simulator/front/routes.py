# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgeops_simulator.front.call import Call
from edgeops_simulator.front.messages import read_body, refuse, respond
from edgeops_simulator.front.operations import OPERATIONS, Operation
from edgeops_simulator.front.world import World
from edgeops_simulator.refusal import Refusal, unroutable

BASE_PATH = "/client/v4"
_WITH_BODY = ("POST", "PUT", "PATCH")
_SAFE = ("GET", "HEAD", "OPTIONS")


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
            world.keep(zone.id if zone else None)
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
