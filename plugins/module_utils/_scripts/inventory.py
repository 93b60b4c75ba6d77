# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from .._core import BAD_RESPONSE, Failure, Json, invalid_option
from .._text import json_type
from .facts import MAX_PER_PAGE, MEMBERS, PAGE_SHIELD_NAMES, REPORTED, SCORE, SCRIPTS, VERDICTS


class _Identified(t.TypedDict):
    script_id: str


class Script(_Identified, total=False):
    """A script as the service sent it, under the names of the interface, and how it was judged; other members are kept as well.

    What is an `object` here is not checked when it is read, so whoever uses it has to.
    """

    status: str | None
    host: str | None
    script_url: object
    hash: object
    versions: object
    seen_on: object
    seen_on_first: object
    last_seen_at: object
    js_integrity_score: float | None
    url_reported_malicious: bool | None
    domain_reported_malicious: bool | None
    malicious_url_categories: list[object] | None
    malicious_domain_categories: list[object] | None
    malicious: bool | None
    malicious_reasons: list[str]


class Query(t.NamedTuple):
    """Which scripts to read, and when one of them counts as malicious.

    `route` may be `auto`, and `threshold` and `malicious_when` None for the default of the route; `on_route` settles these.
    """

    route: str
    script_id: str | None
    hosts: tuple[str, ...]
    statuses: tuple[str, ...]
    per_page: int
    threshold: int | None
    malicious_when: str | None
    malicious_only: bool
    # What scripts hold in a report; none named: all that the service sent.
    members: tuple[str, ...] = ()
    page_urls: tuple[str, ...] = ()
    resources: frozenset[str] = frozenset((SCRIPTS,))

    def on_route(self, route: str) -> Query:
        """Return the query for the route that answered."""
        verdict = VERDICTS[route]
        return self._replace(
            route=route,
            malicious_when=self.malicious_when or verdict.when,
            threshold=verdict.threshold if self.threshold is None else self.threshold,
        )


def desire(params: t.Mapping[str, t.Any]) -> Query:
    """Return the query of validated options; refuse values that could not be sent as one item of a comma list."""
    if not 1 <= params["per_page"] <= MAX_PER_PAGE:
        raise invalid_option("per_page", f"{params['per_page']} is not between 1 and {MAX_PER_PAGE}")
    script_id = params["script_id"]
    if script_id is not None and not (script_id.isascii() and script_id.isalnum()):
        raise invalid_option("script_id", f"{script_id!r} is not a script identifier")
    missing = sorted(set(params["resources"]) - {SCRIPTS}) if params["route"] == "script_monitor" else []
    if missing:
        raise invalid_option("resources", f"the route script_monitor has no {missing[0]}; omit route, or set page_shield")
    return Query(
        route=params["route"],
        script_id=script_id,
        hosts=_items("hosts", params["hosts"]),
        statuses=_items("status", params["status"]),
        per_page=params["per_page"],
        threshold=params["malicious_threshold"],
        malicious_when=params["malicious_when"],
        malicious_only=params["malicious_only"],
        members=_members(params["members"]),
        page_urls=_items("page_url", params["page_url"]),
        resources=frozenset(params["resources"]),
    )


def _members(names: t.Sequence[str]) -> tuple[str, ...]:
    for index, name in enumerate(names):
        if name not in MEMBERS:
            from .. import _text as suggest  # noqa: PLC0415  # a mistake alone needs it

            likely = PAGE_SHIELD_NAMES.get(name) or suggest.nearest(name, MEMBERS)
            raise invalid_option(
                f"members[{index}]", f"{suggest.shown(name)} is not a member of a script{suggest.did_you_mean(likely)}"
            )
    return tuple(dict.fromkeys(names))


def _items(option: str, values: t.Iterable[str] | None) -> tuple[str, ...]:
    trimmed = tuple(value.strip() for value in values or ())
    for index, value in enumerate(trimmed):
        if not value or "," in value:
            raise invalid_option(f"{option}[{index}]", f"{value!r} is empty or holds a comma; give each item as one of the list")
    return tuple(dict.fromkeys(trimmed))


def read_script(item: Json, route: str) -> Script:
    """Return a script as the service sent it, under the names of the interface; refuse what cannot be classified or counted."""
    if not isinstance(item, dict):
        raise Failure(BAD_RESPONSE, f"A monitored script is {json_type(item)}, not an object.")
    script = {PAGE_SHIELD_NAMES.get(name, name): value for name, value in item.items()} if route == "page_shield" else dict(item)
    identifier = script.get("script_id")
    if not isinstance(identifier, str) or not identifier:
        raise Failure(BAD_RESPONSE, "A monitored script has no identifier.")
    for name, types in _TYPES.items():
        value = script.get(name)
        # The exact type, because a boolean of Python is a number as well.
        if value is not None and type(value) not in types:
            raise Failure(BAD_RESPONSE, f"Script {identifier} has {json_type(value)} in {name!r}.")
    return t.cast("Script", script)


_TYPES: t.Mapping[str, tuple[type, ...]] = {
    "status": (str,),
    "host": (str,),
    SCORE: (int, float),
    **dict.fromkeys(("malicious_url_categories", "malicious_domain_categories"), (list,)),
    **dict.fromkeys(REPORTED, (bool,)),
}


def classify(score: float | None, threshold: int | None, malicious_when: str | None) -> bool | None:
    """Return whether a score is strictly above, or below, the threshold; None without a score or a threshold."""
    if score is None or threshold is None:
        return None
    return score > threshold if malicious_when == "above" else score < threshold


def judge(script: Script, query: Query) -> Script:
    """Return the script with `malicious` and `malicious_reasons`; categories give reasons, but the score alone decides."""
    score = script.get("js_integrity_score")
    malicious = classify(score, query.threshold, query.malicious_when)
    reasons = [f"{SCORE} {score} is {query.malicious_when} {query.threshold}"] if malicious else []
    return {**script, "malicious": malicious, "malicious_reasons": [*reasons, *categories_of(script)]}


def categories_of(script: Script) -> t.Iterator[str]:
    """Yield the categories in which the service reports the URL or the domain of a script as malicious."""
    yield from (f"URL category: {category}" for category in script.get("malicious_url_categories") or ())
    yield from (f"domain category: {category}" for category in script.get("malicious_domain_categories") or ())


def is_reported(script: Script) -> bool:
    """Return whether the service reports the URL or the domain of a script as malicious."""
    flags = script.get("url_reported_malicious"), script.get("domain_reported_malicious")
    return True in flags or any(categories_of(script))


def summarize(scripts: t.Collection[Script]) -> dict[str, Json]:
    """Return counts over all scripts of a listing; one without `status` or `host` is left out of that count."""
    verdicts = collections.Counter(script["malicious"] for script in scripts)
    return {
        "total": len(scripts),
        "malicious": verdicts[True],
        "not_malicious": verdicts[False],
        "unknown": verdicts[None],
        "by_status": _count(scripts, "status"),
        "by_host": _count(scripts, "host"),
    }


def _count(scripts: t.Iterable[t.Mapping[str, t.Any]], member: str) -> dict[str, int]:
    counter = collections.Counter(script[member] for script in scripts if script.get(member) is not None)
    return dict(sorted(counter.items()))


def report(items: t.Iterable[Json], query: Query) -> dict[str, Json]:
    """Return `scripts` and `summary` of what the service listed: each script once, sorted by its identifier."""
    merged = {script["script_id"]: script for script in (read_script(item, query.route) for item in items)}
    scripts = [judge(merged[identifier], query) for identifier in sorted(merged)]
    kept: list[t.Any] = [script for script in scripts if script["malicious"]] if query.malicious_only else scripts
    if query.members:
        kept = [{name: script[name] for name in query.members if name in script} for script in kept]
    return {"scripts": kept, "summary": summarize(scripts)}
