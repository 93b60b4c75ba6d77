# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import functools
import itertools
import typing as t

from .._api.client import Client, side_by_side
from .._api.response import lacks_route
from .._core import BAD_RESPONSE, Answer, Conclusion, Failure, Json
from .._redact import scrub
from .facts import COMPLETE, FURTHER, SCRIPTS, routes_to_try
from .inventory import Query, Script, read_script, report
from .monitor import Desired, State, present, warnings

if t.TYPE_CHECKING:
    from .audit import Audit

# Pages requested side by side; more would only spend the budget of the zone's neighbours faster.
PARALLEL_PAGES = 8
# Statuses of a route that the service, the plan or the token does not have.
_NOT_OFFERED = (403, 404, 405)
# Status of a request with parameters that the service does not know.
_REFUSED = 400


def monitor(client: Client, route: str) -> State:
    """Return the status of the zone's script monitor, and the route that answered; `route` is the option of that name."""
    first, *others = routes_to_try(route, client.host)
    try:
        return _status(client, first)
    except Failure as failure:
        if not others or not lacks_route(failure):
            raise
        try:
            return _status(client, others[0])
        except Failure as second:
            if not lacks_route(second):
                raise
        raise failure.with_note(f"The service does not know the route {others[0]} either.") from failure


def _status(client: Client, route: str) -> State:
    return State(route, present(client.call(f"{route}.get").result))


def report_inventory(client: Client, query: Query) -> Conclusion:
    """Return the status of the monitor and what the query selects; what is not selected, or cannot be listed, is None."""
    state = monitor(client, query.route)
    settled = query.on_route(state.route)
    found: dict[str, Json] = {"script_monitor": state.status, "scripts": None, "summary": None}
    if SCRIPTS in query.resources:
        found.update(report(scripts(client, settled), settled))
    said = list(warnings(state.status))
    for name in FURTHER:
        found[name] = None
        if name in query.resources:
            try:
                found[name] = _further(client, query, name)
            except Failure as failure:
                if failure.status not in _NOT_OFFERED:
                    raise
                said.append(
                    f"{name} is null, because the service does not list them for this zone or these credentials: {failure}"
                )
    return Conclusion(found, tuple(said))


def _further(client: Client, query: Query, name: str) -> list[Json]:
    """Return what the monitor lists beside scripts, as it was sent; only page_shield has routes for it."""
    statuses = query.statuses if "status" in FURTHER[name] else ()
    found: dict[str, Json] = {}
    for status in statuses or (None,):
        parameters = {key: value for key, value in _parameters(query, status).items() if key in FURTHER[name]}
        for item in _items(client, f"page_shield.{name}", query, parameters, ("id",)):
            if not isinstance(item, dict) or not isinstance(item.get("id"), str):
                raise Failure(BAD_RESPONSE, f"An item of the listed {name} is not an object with an id.")
            found[item["id"]] = item
    return [found[identifier] for identifier in sorted(found)]


def read(client: Client, desired: Desired) -> State:
    """Return the state that the state task plans from."""
    return monitor(client, desired.route)


def scripts(client: Client, query: Query) -> list[Json]:
    """Return what the service lists for a query of one route, page by page and status by status, as it was sent."""
    if query.script_id is not None:
        return [client.call(f"{query.route}.script", ids={"script_id": query.script_id}).result]
    listings = (_listing(client, query, status) for status in query.statuses or (None,))
    return list(itertools.chain.from_iterable(listings))


def report_audit(client: Client, audit: Audit) -> Conclusion:
    """Return what an audit finds; secrets of the connection go neither into the result nor into the evidence."""
    # A dozen files, which a task that only switches the monitor or lists its scripts does not need.
    from .audit import Service, perform  # noqa: PLC0415  # see above
    from .evidence import Evidence  # noqa: PLC0415  # see above

    evidence = Evidence.prepare(audit.folder, client.address.id) if audit.folder else None

    service = Service(
        functools.partial(monitor, client), functools.partial(_all_scripts, client), functools.partial(_single_scripts, client)
    )
    hide = functools.partial(scrub, secrets=client.secrets)
    return perform(audit, service, evidence, hide, datetime.datetime.now(datetime.timezone.utc))


def _all_scripts(client: Client, query: Query) -> list[Script]:
    found = (read_script(item, query.route) for item in scripts(client, query))
    return list({script["script_id"]: script for script in found}.values())


def _single_scripts(client: Client, query: Query, identifiers: t.Sequence[str]) -> list[Script]:
    """Return scripts with their versions, read side by side; one that the service forgot meanwhile is left out."""

    def find(identifier: str) -> Answer | None:
        return client.find(f"{query.route}.script", ids={"script_id": identifier})

    answers = side_by_side(find, identifiers, PARALLEL_PAGES)
    found = zip(identifiers, answers, strict=True)
    return [_single(identifier, read_script(answer.result, query.route)) for identifier, answer in found if answer is not None]


def _single(identifier: str, script: Script) -> Script:
    """Return a script that was read singly; refuse another one than was requested."""
    if script["script_id"].lower() != identifier.lower():
        raise Failure(BAD_RESPONSE, f"Script {identifier} was requested, and the response has script {script['script_id']}.")
    return {**script, "script_id": identifier}


def _listing(client: Client, query: Query, status: str | None) -> list[Json]:
    is_new = query.route == "page_shield"
    parameters = _parameters(query, status)
    if not is_new:
        parameters = {name: value for name, value in parameters.items() if name not in COMPLETE}
    key = "id" if is_new else "script_id"
    return _items(client, f"{query.route}.scripts", query, parameters, (key,))


def _items(client: Client, operation: str, query: Query, parameters: t.Mapping[str, str], keys: tuple[str, ...]) -> list[Json]:
    """Return the items of a listing; if the service refuses the parameters of a complete one, ask without them and warn."""
    ask = functools.partial(client.items, operation, per_page=query.per_page, parallel=PARALLEL_PAGES, keys=keys)
    try:
        return ask(query=parameters)
    except Failure as failure:
        others = {name: value for name, value in parameters.items() if name not in COMPLETE}
        if failure.status != _REFUSED or others == parameters:
            raise
        try:
            found = ask(query=others)
        except Failure:
            raise failure from None
    client.warnings.append(
        f"The inventory may be incomplete: the service refuses {' and '.join(sorted(set(parameters) - set(others)))}, so that it"
        " may leave out scripts with the same content, and those that Cloudflare itself serves."
    )
    return found


def _parameters(query: Query, status: str | None) -> dict[str, str]:
    given = {"hosts": ",".join(query.hosts), "page_url": ",".join(query.page_urls), "status": status or "", **COMPLETE}
    return {name: value for name, value in given.items() if value}
