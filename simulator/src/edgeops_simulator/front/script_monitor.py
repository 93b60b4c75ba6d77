# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator.front.call import Answer, Call, page_of
from edgeops_simulator.front.routing import ZONE, Routes
from edgeops_simulator.refusal import Refusal
from edgeops_simulator.schemas import bodies, queries
from edgeops_simulator.schemas.answers import array, ref
from edgeops_simulator.state import resources, scripts
from edgeops_simulator.state import script_monitor as state

routes = Routes(ZONE)
_NOT_FOUND = 10007
_OLD, _NEW = {"switch": "script_monitor_routes"}, {"switch": "page_shield_routes"}


@routes("GET", "/script_monitor", "getScriptMonitor", result=ref("ScriptMonitor"), **_OLD)
def get_status(call: Call) -> Answer:
    return Answer(state.status(call.zone.script_monitor))


@routes("PUT", "/script_monitor", "updateScriptMonitor", result=ref("ScriptMonitor"), body=bodies.SCRIPT_MONITOR, **_OLD)
def put_status(call: Call) -> Answer:
    return Answer(state.update(call.zone.script_monitor, {"enabled": call.body["enabled"]}))


@routes("GET", "/page_shield", "getPageShield", result=ref("PageShield"), **_NEW)
def get_page_shield(call: Call) -> Answer:
    return Answer(state.page_shield_status(call.zone.script_monitor))


@routes("PUT", "/page_shield", "updatePageShield", result=ref("PageShield"), body=bodies.PAGE_SHIELD, **_NEW)
def put_page_shield(call: Call) -> Answer:
    known = ("enabled", *state.PAGE_SHIELD_DEFAULTS)
    state.update(call.zone.script_monitor, {name: call.body[name] for name in known if name in call.body})
    return Answer(state.page_shield_status(call.zone.script_monitor))


def _page(call: Call, items: list[dict[str, t.Any]]) -> tuple[list[dict[str, t.Any]], dict[str, int] | None]:
    """Return one page; `per_page` may be up to 100, but a page never has more items than the maximum of the settings."""
    most = call.settings.max_per_page
    per_page = min(most, call.number("per_page", min(most, call.settings.default_per_page), 1, max(100, most)))
    if call.query.get("page") == "all" and "/page_shield/" in call.path:
        per_page = max(1, len(items))
        listed, info = page_of(items, 1, per_page)
    else:
        listed, info = page_of(items, call.number("page", 1, 1), per_page)
    return listed, info if call.settings.result_info else None


@routes("GET", "/script_monitor/scripts", "listScripts", result=array(ref("Script")), query=queries.SCRIPTS, paged=True, **_OLD)
def list_scripts(call: Call) -> Answer:
    selected = resources.select(call.zone.scripts, call.query.get("hosts", ""), call.query.get("status", ""))
    listed, info = _page(call, selected)
    return Answer([scripts.in_list(script) for script in listed], result_info=info)


@routes(
    *("GET", "/page_shield/scripts", "listPageShieldScripts"),
    result=array(ref("PageShieldScript")),
    query=queries.PAGE_SHIELD_SCRIPTS,
    paged=True,
    **_NEW,
)
def list_page_shield(call: Call) -> Answer:
    listed, info = _page(call, resources.select_seen(call.zone.scripts, call.query))
    return Answer([scripts.page_shield(script, in_list=True) for script in listed], result_info=info)


def _script(call: Call) -> dict[str, t.Any]:
    script: dict[str, t.Any] | None = call.zone.scripts.get(call.ids["script_id"])
    if script is None:
        raise Refusal(404, _NOT_FOUND, "script not found")
    return script


@routes("GET", "/script_monitor/scripts/{script_id}", "getScript", result=ref("ScriptInFull"), **_OLD)
def get_script(call: Call) -> Answer:
    return Answer(scripts.in_full(_script(call)))


@routes("GET", "/page_shield/scripts/{script_id}", "getPageShieldScript", result=ref("PageShieldScriptInFull"), **_NEW)
def get_page_shield_script(call: Call) -> Answer:
    return Answer(scripts.page_shield(_script(call), in_list=False))


@routes(
    *("GET", "/page_shield/connections", "listConnections"),
    result=array(ref("Connection")),
    query=queries.CONNECTIONS,
    paged=True,
    **_NEW,
)
def list_connections(call: Call) -> Answer:
    listed, info = _page(call, resources.select_seen(call.zone.connections, call.query))
    return Answer([resources.connection(item) for item in listed], result_info=info)


@routes("GET", "/page_shield/connections/{connection_id}", "getConnection", result=ref("Connection"), **_NEW)
def get_connection(call: Call) -> Answer:
    if call.ids["connection_id"] not in call.zone.connections:
        raise Refusal(404, _NOT_FOUND, "connection not found")
    return Answer(resources.connection(call.zone.connections[call.ids["connection_id"]]))


@routes("GET", "/page_shield/cookies", "listCookies", result=array(ref("Cookie")), query=queries.COOKIES, paged=True, **_NEW)
def list_cookies(call: Call) -> Answer:
    listed, info = _page(call, resources.select_cookies(call.zone.cookies, call.query))
    return Answer([resources.cookie(item) for item in listed], result_info=info)


@routes("GET", "/page_shield/cookies/{cookie_id}", "getCookie", result=ref("Cookie"), **_NEW)
def get_cookie(call: Call) -> Answer:
    if call.ids["cookie_id"] not in call.zone.cookies:
        raise Refusal(404, _NOT_FOUND, "cookie not found")
    return Answer(resources.cookie(call.zone.cookies[call.ids["cookie_id"]]))
