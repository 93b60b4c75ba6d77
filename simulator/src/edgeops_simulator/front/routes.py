# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import fnmatch
import typing as t

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgeops_simulator.front.call import Call
from edgeops_simulator.front.messages import read_body, refuse, respond
from edgeops_simulator.front.operations import OPERATIONS
from edgeops_simulator.front.routing import Operation
from edgeops_simulator.front.world import World
from edgeops_simulator.refusal import Refusal, unroutable
from edgeops_simulator.schemas.check import BodyCheck
from edgeops_simulator.state.owners import Owner

BASE_PATH = "/client/v4"
_WITH_BODY = ("POST", "PUT", "PATCH")
_SAFE = ("GET", "HEAD", "OPTIONS")


class _Endpoint:
    """One path with all its methods; it is an ASGI application in order to receive requests of every method."""

    def __init__(self, world: World, methods: t.Mapping[str, Operation]) -> None:
        self._world = world
        self._methods = methods
        self._checks = {m: BodyCheck(o.body, o.codes) for m, o in methods.items() if o.body is not None}
        self._allowed = ", ".join(sorted({*methods, "OPTIONS", *(["HEAD"] if "GET" in methods else [])}))

    async def __call__(self, scope: t.Any, receive: t.Any, send: t.Any) -> None:
        response = await self._respond(Request(scope, receive))
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        self._check_known(request)
        method = "GET" if request.method == "HEAD" else request.method
        if method == "OPTIONS":
            return Response(status_code=204, headers={"allow": self._allowed})
        if method not in self._methods:
            message = f"Method {request.method} not available for that URI."
            raise Refusal(405, 7001, message, headers={"allow": self._allowed})
        operation = self._methods[method]
        owner = self._owner(request)
        if operation.switch and not getattr(self._world.service.settings, operation.switch):
            raise unroutable(request.scope["service_path"])
        body = read_body(await request.body(), request.headers) if method in _WITH_BODY else None
        if method in self._checks:
            self._checks[method](body)
        path, ids, query = request.scope["service_path"], request.path_params, request.query_params
        call = Call(self._world.service, path, ids, query, body, self._world.log_folder, owner)
        answer = operation.handler(call)
        if method not in _SAFE and owner is not None:
            self._world.keep(owner)
        return respond(answer)

    def _check_known(self, request: Request) -> None:
        """Refuse a path that a setting declares unknown, as if the API had removed it."""
        settings, path = self._world.service.settings, request.scope["service_path"]
        if any(fnmatch.fnmatchcase(path, pattern) for pattern in settings.unknown_routes):
            if settings.unknown_route_status == 405:
                raise Refusal(405, 7001, f"Method {request.method} not available for that URI.", headers={"allow": "OPTIONS"})
            raise unroutable(path)

    def _owner(self, request: Request) -> Owner | None:
        """Return the zone or the account in the path."""
        ids, service = request.path_params, self._world.service
        owner: Owner | None = None
        if "zone_id" in ids:
            owner = service.zones.get(ids["zone_id"])
        elif "account_id" in ids:
            owner = service.accounts.get(ids["account_id"])
        else:
            return None
        if owner is None:
            raise unroutable(request.scope["service_path"])
        return owner


async def _refused(request: Request, problem: Exception) -> Response:
    if not isinstance(problem, Refusal):
        raise problem
    return refuse(problem)


async def _no_route(request: Request, problem: Exception) -> Response:
    return refuse(unroutable(request.scope.get("service_path", request.url.path)))


def routes(world: World) -> Starlette:
    """Return the routes of the API, from the table of operations."""
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in OPERATIONS:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    table = [Route(BASE_PATH + path, _Endpoint(world, operations)) for path, operations in by_path.items()]
    app = Starlette(routes=table, exception_handlers={Refusal: _refused, HTTPException: _no_route})
    app.router.redirect_slashes = False
    return app
