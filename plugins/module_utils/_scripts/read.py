# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._api.client import Client, side_by_side
from .._api.monitor_listings import PARALLEL_PAGES, list_monitored
from .._api.response import lacks_route
from .._core import BAD_RESPONSE, CLOUDFLARE_HOST, REJECTED, Answer, Conclusion, Failure, Json
from .._script_monitor import ROUTES
from .._text import dict_of
from .facts import AUTO, CONNECTIONS, COOKIES, SCRIPTS
from .listing import Script, ScriptQuery, read_script, report
from .monitor import MonitorState, read_monitor

# Statuses of a route that the service, the plan or the token does not have.
_NOT_OFFERED = (403, 404, 405)


def monitor(client: Client, route: str) -> MonitorState:
    """Return the status of the zone's script monitor, and the route that answered; `route` is the option of that name."""
    # Cloudflare has the new names only; elsewhere the old ones are more likely.
    routes = (route,) if route != AUTO else ROUTES[::-1] if client.host == CLOUDFLARE_HOST else ROUTES
    unknown: list[Failure] = []
    for name in routes:
        try:
            return read_monitor(name, dict_of(client.call(f"{name}.get").result))
        except Failure as failure:
            if not lacks_route(failure):
                raise
            unknown.append(failure)
    raise unknown[0].with_note(f"The service does not know the route {routes[1]} either." if len(routes) > 1 else "")


def report_inventory(client: Client, query: ScriptQuery, tell: t.Callable[[str], None] | None = None) -> Conclusion:
    """Return the status of the monitor and what the query selects; what is not selected, or cannot be listed, is None.

    `tell` is as for `scripts`.
    """
    state = monitor(client, query.route)
    inventory: dict[str, Json] = {"script_monitor": state.shown(), "scripts": None, "summary": None}
    warnings = []
    if not state.status["enabled"]:
        warnings.append(
            "The script monitor of the zone is disabled: an empty list, or one without malicious scripts, does not mean that the"
            " pages of the zone load none."
        )
    if SCRIPTS in query.resources:
        settled = query.on_route(state.route)
        inventory.update(report(scripts(client, settled, tell), settled))
    for name in (CONNECTIONS, COOKIES):
        inventory[name] = None
        if name in query.resources:
            try:
                inventory[name] = _list_others(client, query, name)
            except Failure as failure:
                if failure.status not in _NOT_OFFERED:
                    raise
                warnings.append(
                    f"{name} is null, because the service does not list them for this zone or these credentials: {failure}"
                )
    return Conclusion(inventory, tuple(warnings))


def _list_others(client: Client, query: ScriptQuery, name: str) -> list[Json]:
    """Return the connections or cookies as the service sent them, each once, sorted by id."""
    items: dict[str, Json] = {}
    for item in _list(client, query, f"page_shield.{name}"):
        if not isinstance(item, dict) or not isinstance(item.get("id"), str):
            raise Failure(BAD_RESPONSE, f"An item of the listed {name} is not an object with an id.")
        items[item["id"]] = item
    return [items[identifier] for identifier in sorted(items)]


def scripts(client: Client, query: ScriptQuery, tell: t.Callable[[str], None] | None = None) -> list[Json]:
    """Return what the service lists for a query of one route, page by page and status by status, as it was sent.

    `tell` gets the reason why the listing may be incomplete; by default it is a warning.
    """
    if query.script_id is not None:
        answer = client.call(f"{query.route}.script", ids={"script_id": query.script_id})
        _requested(answer, query.script_id, query.route)
        return [answer.result]
    return list(_list(client, query, f"{query.route}.scripts", tell))


def all_scripts(client: Client, query: ScriptQuery) -> list[Json]:
    """Return what the service lists for a query; raise `rejected` if that may be incomplete, because nobody can tell what is not listed."""
    return scripts(client, query, _refuse)


def _refuse(reason: str) -> t.NoReturn:
    text = (
        "Nothing can be told of scripts that are not listed, so that there is no audit and no evidence; see what is listed with"
    )
    raise Failure(REJECTED, f"{reason} {text} script_monitor_info.")


def _list(client: Client, query: ScriptQuery, operation: str, tell: t.Callable[[str], None] | None = None) -> t.Iterator[Json]:
    return list_monitored(
        client,
        operation,
        statuses=query.statuses,
        per_page=query.per_page,
        hosts=query.hosts,
        page_urls=query.page_urls,
        tell=tell,
    )


def read_singly(client: Client, query: ScriptQuery, identifiers: t.Sequence[str]) -> list[Script]:
    """Return scripts with their versions, without those that do not exist any more; refuse another script than was requested."""

    def find(identifier: str) -> Answer | None:
        return client.find(f"{query.route}.script", ids={"script_id": identifier})

    details: list[Script] = []
    for identifier, answer in zip(identifiers, side_by_side(find, identifiers, PARALLEL_PAGES), strict=True):
        if answer is None:
            continue
        details.append({**_requested(answer, identifier, query.route), "script_id": identifier})
    return details


def _requested(answer: Answer, identifier: str, route: str) -> Script:
    """Return the script of an answer; refuse another one than was requested."""
    script = read_script(answer.result, route)
    if script["script_id"].lower() != identifier.lower():
        raise Failure(BAD_RESPONSE, f"Script {identifier} was requested, and the response has script {script['script_id']}.")
    return script
