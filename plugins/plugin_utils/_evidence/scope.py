# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from ...module_utils._chain.kinds import REQUEST_HEADERS, USER_AGENT
from ...module_utils._core import Json
from ...module_utils._pages.facts import COMPARED_HEADERS
from ...module_utils._script_monitor import ON_PAGES
from ...module_utils._scripts.facts import MALICIOUS_SCORES, SCORES, MaliciousScores, parse_scores
from ...module_utils._scripts.listing import asked_statuses
from ...module_utils._text import canonical, dict_of, list_of, parse_time
from .._words import named

# What an audit looked at: without it, no finding means nothing.


def leaves_out(scope: t.Mapping[str, t.Any]) -> str:
    """Return what an audit of scripts did not look at of the pages of a zone, in words; "" if it looked at everything."""
    parts = [f"only at the hosts {', '.join(scope['hosts'])}"] if scope["hosts"] else []
    missing = [status for status in ON_PAGES if status not in asked_statuses(scope["status"])]
    parts += [f"not at {' and '.join(missing)} scripts"] if missing else []
    own, default = scores_of(scope), MALICIOUS_SCORES.get(scope["route"])
    if own is None:
        parts.append("nobody knows which score counted as malicious")
    elif default is None or not own.includes(default):
        parts.append(f"a score counted as malicious only {own}{f' and not {default}' if default else ''}")
    return ", ".join(parts)


def new_setting(
    monitor: t.Mapping[str, Json], earlier: t.Mapping[str, Json] | None, last: datetime.datetime | None
) -> datetime.datetime | None:
    """Return when the setting of the script monitor was changed since the audit before, although it was on then and now; None if it was not.

    `earlier` is the monitor of the audit before, `last` its time. The clock of an audit may be behind that of the service, so that a later
    time alone proves nothing.
    """
    at = parse_time(monitor.get("updated_at"))
    if at is None or earlier is None or last is None or at <= last or at == parse_time(earlier.get("updated_at")):
        return None
    return at if earlier["enabled"] and monitor["enabled"] else None


def scores_of(scope: t.Mapping[str, Json]) -> MaliciousScores | None:
    """Return which scores meant malicious to an audit; None for a route that has no default."""
    scores = scope.get(SCORES)
    return parse_scores(scores) if isinstance(scores, str) else MALICIOUS_SCORES.get(str(scope.get("route")))


def leaves_out_of_pages(scope: t.Mapping[str, t.Any], known: t.Collection[str]) -> str:
    """Return what an audit of payment pages did not look at of the pages that were audited before, in words; "" for nothing."""
    compared = {name.lower() for name in scope["headers"]}
    lacking = [name for name in COMPARED_HEADERS if name not in compared]
    parts = [f"not at the page {url}" for url in sorted(set(known) - set(scope["pages"]))]
    if len(lacking) == len(COMPARED_HEADERS):
        parts.append("at no header")
    elif lacking:
        parts.append(f"not at the header{'s' if len(lacking) > 1 else ''} {named(lacking)}")
    return ", ".join(parts)


def asked_of(scope: t.Mapping[str, Json], page: str) -> str | None:
    """Return by which user agent and with which headers an audit asked for a page, None if its record does not say."""
    headers = dict_of(scope.get(REQUEST_HEADERS)).get(page)
    return canonical([scope[USER_AGENT], headers]) if USER_AGENT in scope else None


def changes_of(before: t.Mapping[str, Json], after: t.Mapping[str, Json]) -> str:
    """Return in words what two audits looked at differently, "" if they did not."""
    names = sorted(name for name in {**before, **after} if before.get(name) != after.get(name))
    return "; ".join(f"{_NAMES.get(name, name)} was {_words(name, before)}, is {_words(name, after)}" for name in names)


_NAMES: t.Mapping[str, str] = {
    SCORES: "the score of malicious scripts",
    USER_AGENT: "the user agent",
    REQUEST_HEADERS: "what was sent in headers",
}
# What an empty list, or a member that is absent, means; of any other, an empty list is nothing.
_EMPTY: t.Mapping[str, str] = {"hosts": "not limited", SCORES: "the default of the route", USER_AGENT: "the default"}


def _words(name: str, scope: t.Mapping[str, Json]) -> str:
    value = scope.get(name)
    if name in (USER_AGENT, REQUEST_HEADERS) and name not in scope:
        return "not known"
    items = list_of(value) or [f"{_sent(headers)} to {page}" for page, headers in dict_of(value).items()]
    if items:
        return ", ".join(map(str, items))
    return _EMPTY.get(name, "none") if value in ([], None, "") else str(value)


def _sent(headers: Json) -> str:
    """Return headers with their values; a value that may be a credential is in no record."""
    return " and ".join(name if value is None else f"{name} {value}" for name, value in dict_of(headers).items())
