# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgeops_simulator import guard, jsontext, openapi
from edgeops_simulator.delivery import deliver
from edgeops_simulator.front.app import Front
from edgeops_simulator.front.routes import BASE_PATH
from edgeops_simulator.front.world import World
from edgeops_simulator.state import script_history
from edgeops_simulator.state.owners import Account, Zone


def _json(value: t.Any, status: int = 200) -> Response:
    return Response(jsontext.dump(value), status, media_type="application/json")


class Control:
    """The control URL: seeds, faults, journal, traffic. It is not part of the API and needs no credentials."""

    def __init__(self, world: World, service: Front, base_url: t.Callable[[], str]) -> None:
        self._world = world
        self._service = service
        self._base_url = base_url
        self._app = self._routes()

    async def __call__(self, scope: t.Any, receive: t.Any, send: t.Any) -> None:
        """Answer control requests; also those to the API, because tools that load the OpenAPI description here send requests here."""
        if scope["type"] != "http":
            return
        at_service = scope["path"].startswith(BASE_PATH + "/")
        headers = guard.read_headers(scope["headers"])
        refused, unusable = guard.check_sender(headers), "" if at_service else guard.check_body(headers)
        if refused or unusable:
            await _json({"error": refused or unusable}, 403 if refused else 415)(scope, receive, send)
        else:
            await (self._service if at_service else self._app)(scope, receive, send)

    def _routes(self) -> Starlette:
        table = {
            ("GET", "/health"): self._health,
            ("GET", "/settings"): self._get_settings,
            ("PATCH", "/settings"): self._change_settings,
            ("GET", "/state"): self._state,
            ("POST", "/seed"): self._seed,
            ("POST", "/reset"): self._reset,
            ("PUT", "/start"): self._start,
            ("GET", "/snapshot"): self._snapshot,
            ("PUT", "/snapshot"): self._restore,
            ("GET", "/journal"): self._journal,
            ("DELETE", "/journal"): self._clear_journal,
            ("GET", "/faults"): self._get_faults,
            ("POST", "/faults"): self._add_faults,
            ("DELETE", "/faults"): self._clear_faults,
            ("GET", "/scripts"): self._get_scripts,
            ("POST", "/scripts"): self._change_scripts,
            ("POST", "/traffic"): self._traffic,
            ("GET", "/openapi.json"): self._openapi,
        }
        routes = [Route(path, handler, methods=[method]) for (method, path), handler in table.items()]
        return Starlette(
            routes=routes,
            exception_handlers={ValueError: _bad, HTTPException: _http, KeyError: _bad, TypeError: _bad, AttributeError: _bad},
        )

    async def _body(self, request: Request) -> t.Any:
        body = await request.body()
        return jsontext.parse(body) if body else {}

    async def _health(self, request: Request) -> Response:
        return _json({"ready": True, "zones": len(self._world.service.zones)})

    async def _get_settings(self, request: Request) -> Response:
        return _json(self._world.service.settings.document())

    async def _change_settings(self, request: Request) -> Response:
        self._world.service.settings.change(await self._body(request))
        return _json(self._world.service.settings.document())

    async def _state(self, request: Request) -> Response:
        query = request.query_params
        if "zone" not in query and "account" not in query:
            return _json(self._world.service.save())
        owner = self._owner(query)
        return _json({owner.kind: owner.summary(), **{name: part.save() for name, part in owner.parts().items()}})

    def _owner(self, address: t.Mapping[str, t.Any]) -> Zone | Account:
        """Return the account or the zone that a request names; by default the first zone."""
        service = self._world.service
        if address.get("account"):
            if address["account"] not in service.accounts:
                raise ValueError(f"no such account: {address['account']}")
            return service.accounts[address["account"]]
        return self._zone(address.get("zone"))

    def _zone(self, zone_id: str | None) -> Zone:
        zones = self._world.service.zones
        zone_id = zone_id or next(iter(zones), "")
        if zone_id not in zones:
            raise ValueError(f"no such zone: {zone_id}")
        return zones[zone_id]

    async def _seed(self, request: Request) -> Response:
        self._world.seed(await self._body(request))
        self._world.keep()
        self._world.close_port_if_due()
        return _json({"seeded": True})

    async def _reset(self, request: Request) -> Response:
        self._world.reset(await self._body(request))
        self._world.keep()
        return _json({"reset": True})

    async def _start(self, request: Request) -> Response:
        """Replace the state at the start and reset to it; zones from the command line remain."""
        self._world.restart(await self._body(request))
        self._world.keep()
        return _json({"reset": True})

    async def _snapshot(self, request: Request) -> Response:
        return _json(self._world.service.save())

    async def _restore(self, request: Request) -> Response:
        self._world.restore(await self._body(request))
        self._world.keep()
        return _json({"restored": True})

    async def _journal(self, request: Request) -> Response:
        query = request.query_params
        return _json(
            {"requests": self._world.journal.read(query.get("zone"), query.get("account"), int(query.get("since", "0")))}
        )

    async def _clear_journal(self, request: Request) -> Response:
        self._world.journal.clear()
        return _json({"cleared": True})

    async def _get_faults(self, request: Request) -> Response:
        return _json({"faults": self._world.faults.documents()})

    async def _add_faults(self, request: Request) -> Response:
        added = self._world.faults.add(await self._body(request))
        self._world.close_port_if_due()
        return _json({"faults": [fault.document() for fault in added]}, 201)

    async def _clear_faults(self, request: Request) -> Response:
        self._world.faults.clear()
        self._world.reopen()
        return _json({"cleared": True})

    async def _get_scripts(self, request: Request) -> Response:
        return _json({"scripts": self._zone(request.query_params.get("zone")).scripts.save()})

    async def _change_scripts(self, request: Request) -> Response:
        """Apply events to scripts; return the scripts that they changed and did not remove."""
        body = await self._body(request)
        zone = self._zone(body.get("zone"))
        touched = script_history.follow(zone, body.get("events"))
        self._world.keep()
        return _json({"scripts": [zone.scripts[script_id] for script_id in touched if script_id in zone.scripts]})

    async def _traffic(self, request: Request) -> Response:
        body = await self._body(request)
        owner, service = self._owner(body), self._world.service
        delivered = deliver.deliver(owner, service.account_of(owner), body, self._world.log_folder, service.settings)
        self._world.keep()
        return _json(delivered)

    async def _openapi(self, request: Request) -> Response:
        service = self._world.service
        return _json(openapi.description(self._base_url(), list(service.zones), list(service.accounts)))


async def _bad(request: Request, problem: Exception) -> Response:
    return _json({"error": f"{type(problem).__name__}: {problem}"}, 400)


async def _http(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    return _json({"error": problem.detail}, problem.status_code)
