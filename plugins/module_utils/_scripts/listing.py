# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import datetime
import fnmatch
import types
import typing as t

from .._baseline.pattern import normalize_url
from .._core import BAD_RESPONSE, Failure, Json, invalid_option
from .._script_monitor import MAX_PER_PAGE, ON_PAGES
from .._text import NEVER, did_you_mean, json_type, list_of, nearest, parse_date, parse_time, quoted
from .facts import MALICIOUS_SCORES, MAY_BE_ABSENT, MEMBERS, PAGE_SHIELD_NAMES, REPORTED, SCORE, SCORES, SCRIPTS, MaliciousScores


class Script(t.TypedDict, total=False):
    """A script as the service sent it, under the names of `script_monitor`, with its verdict; other members are kept as well.

    All have an identifier. A member of the type `object` is not checked when it is read, so whoever uses it has to.
    """

    script_id: str
    status: str | None
    host: str | None
    script_url: str | None
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


class ScriptQuery(t.NamedTuple):
    """Which scripts to read, and when one of them counts as malicious.

    `route` may be `auto`, and `threshold` and `malicious_when` None for the default of the route; `on_route` sets all three.
    `members` are those that a report contains; an empty tuple means all.
    """

    route: str
    script_id: str | None = None
    hosts: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    per_page: int = MAX_PER_PAGE
    threshold: int | None = None
    malicious_when: str | None = None
    malicious_only: bool = False
    members: tuple[str, ...] = ()
    page_urls: tuple[str, ...] = ()
    resources: frozenset[str] = frozenset((SCRIPTS,))

    def on_route(self, route: str) -> ScriptQuery:
        """Return the query for the route that answered."""
        default = MALICIOUS_SCORES[route]
        return self._replace(
            route=route,
            malicious_when=self.malicious_when or default.when,
            threshold=default.threshold if self.threshold is None else self.threshold,
        )

    @property
    def own_scores(self) -> dict[str, str]:
        """Return which scores mean malicious to a query for one route, as its record has it; nothing where the route decides."""
        if self.malicious_when is None or self.threshold is None:
            return {}
        scores = MaliciousScores(self.malicious_when, self.threshold)
        return {} if scores == MALICIOUS_SCORES[self.route] else {SCORES: str(scores)}


def desire(params: t.Mapping[str, t.Any]) -> ScriptQuery:
    """Return the query of validated options; refuse values that cannot be sent or returned."""
    if not 1 <= params["per_page"] <= MAX_PER_PAGE:
        raise invalid_option("per_page", f"{params['per_page']} is not between 1 and {MAX_PER_PAGE}")
    script_id = params["script_id"]
    if script_id is not None and not (script_id.isascii() and script_id.isalnum()):
        raise invalid_option("script_id", f"{script_id!r} is not a script identifier")
    missing = sorted(set(params["resources"]) - {SCRIPTS}) if params["route"] == "script_monitor" else []
    if missing:
        raise invalid_option("resources", f"the route script_monitor has no {missing[0]}; omit route, or set page_shield")
    for index, name in enumerate(params["members"]):
        if name not in MEMBERS:
            likely = did_you_mean(PAGE_SHIELD_NAMES.get(name) or nearest(name, MEMBERS))
            raise invalid_option(f"members[{index}]", f"{quoted(name)} is not a member of a script{likely}")
    return ScriptQuery(
        route=params["route"],
        script_id=script_id,
        hosts=parse_items("hosts", params["hosts"]),
        statuses=parse_items("status", params["status"]),
        per_page=params["per_page"],
        threshold=params["malicious_threshold"],
        malicious_when=params["malicious_when"],
        malicious_only=params["malicious_only"],
        members=tuple(dict.fromkeys(params["members"])),
        page_urls=parse_items("page_url", params["page_url"]),
        resources=frozenset(params["resources"]),
    )


def parse_items(option: str, values: t.Iterable[str] | None) -> tuple[str, ...]:
    """Return the items of an option, trimmed and without duplicates; refuse one that cannot be sent in a list with commas."""
    trimmed = tuple(value.strip() for value in values or ())
    for index, value in enumerate(trimmed):
        if not value or "," in value:
            raise invalid_option(f"{option}[{index}]", f"{value!r} is empty or holds a comma; give each item as one of the list")
    return tuple(dict.fromkeys(trimmed))


_TYPES: t.Mapping[str, tuple[type, ...]] = {
    "script_url": (str,),
    "status": (str,),
    "host": (str,),
    SCORE: (int, float),
    **dict.fromkeys(("malicious_url_categories", "malicious_domain_categories"), (list,)),
    **dict.fromkeys(REPORTED, (bool,)),
}


def read_script(item: Json, route: str) -> Script:
    """Return a script under the names of `script_monitor`; refuse one that cannot be classified or counted."""
    if not isinstance(item, dict):
        raise Failure(BAD_RESPONSE, f"A monitored script is {json_type(item)}, not an object.")
    script = {PAGE_SHIELD_NAMES.get(name, name): value for name, value in item.items()} if route == "page_shield" else dict(item)
    identifier = script.get("script_id")
    if not isinstance(identifier, str) or not identifier:
        raise Failure(BAD_RESPONSE, "A monitored script has no identifier.")
    for name, accepted in _TYPES.items():
        value = script.get(name)
        # Compare the exact type, because a boolean of Python is a number as well.
        if type(value) not in accepted and not (value is None and f"scripts[].{name}" in MAY_BE_ABSENT):
            raise Failure(BAD_RESPONSE, f"Script {identifier} has {json_type(value)} in {name!r}.")
    for newer, name in PAGE_SHIELD_NAMES.items() if route == "page_shield" and len(script) < len(item) else ():
        if newer in item and name in item and item[newer] != item[name]:
            raise Failure(BAD_RESPONSE, f"Script {identifier} has two values, in {newer!r} and in {name!r}.")
    return t.cast("Script", script)


def judge(script: Script, query: ScriptQuery) -> Script:
    """Return the script with `malicious` and `malicious_reasons`; categories are reasons, but the score alone decides.

    Without a score or a threshold `malicious` is None.
    """
    score = script.get("js_integrity_score")
    malicious, reasons = None, []
    if score is not None and query.malicious_when is not None and query.threshold is not None:
        malicious = MaliciousScores(query.malicious_when, query.threshold).has(score)
        reasons = [f"{SCORE} {score} is {query.malicious_when} {query.threshold}"] if malicious else []
    return {**script, "malicious": malicious, "malicious_reasons": [*reasons, *categories_of(script)]}


def categories_of(script: t.Mapping[str, object]) -> t.Iterator[str]:
    """Yield the categories in which the service reports the URL or the domain of a script as malicious."""
    for kind, name in (("URL", "malicious_url_categories"), ("domain", "malicious_domain_categories")):
        value: t.Any = script.get(name)
        # A record that a user made may have a text there.
        yield from (
            f"{kind} category: {category}" for category in (value if isinstance(value, list) else [value] if value else ())
        )


def reports_of(script: t.Mapping[str, object]) -> tuple[str, ...]:
    """Return as what the service reports a script as malicious: its URL or its domain, then the categories of both."""
    return *(name for name in REPORTED if script.get(name) is True), *categories_of(script)


def is_reported(script: Script) -> bool:
    return bool(reports_of(script))


def judged(items: t.Iterable[Json], query: ScriptQuery) -> list[Script]:
    """Return what the service listed with verdicts, sorted by identifier; refuse two scripts of one identifier.

    One that moved from status to status while they were listed is there twice, so that nothing of it is lost.
    """
    known: dict[str, Script] = {}
    scripts = [read_script(item, query.route) for item in items]
    for script in scripts:
        if identity_of(known.setdefault(script["script_id"], script)) != identity_of(script):
            raise Failure(
                BAD_RESPONSE, f"The service lists two scripts with the identifier {script['script_id']}, of other URLs or hosts."
            )
    return [judge(script, query) for script in sorted(scripts, key=lambda script: script["script_id"])]


def report(items: t.Iterable[Json], query: ScriptQuery) -> dict[str, Json]:
    """Return `scripts`, each once, and `summary`, which counts before `malicious_only`, of what the service listed."""
    scripts = list({script["script_id"]: script for script in judged(items, query)}.values())
    verdicts = collections.Counter(script["malicious"] for script in scripts)
    summary = {
        "total": len(scripts),
        "malicious": verdicts[True],
        "not_malicious": verdicts[False],
        "unknown": verdicts[None],
        "by_status": _count(script.get("status") for script in scripts),
        "by_host": _count(script.get("host") for script in scripts),
    }
    kept: list[t.Any] = [script for script in scripts if script["malicious"]] if query.malicious_only else scripts
    if query.members:
        kept = [{name: script[name] for name in query.members if name in script} for script in kept]
    return {"scripts": kept, "summary": summary}


def _count(values: t.Iterable[str | None]) -> dict[str, int]:
    return dict(sorted(collections.Counter(value or "unknown" for value in values).items()))


def looks_at(limits: t.Sequence[str], host: str) -> bool:
    """Return whether a listing that is limited to some hosts, perhaps with stars, shows this host."""
    return not limits or any(fnmatch.fnmatchcase(host, limit.lower()) for limit in limits)


def asked_statuses(statuses: t.Collection[str]) -> frozenset[str]:
    """Return the statuses that a listing asks for; without any, the service lists active scripts."""
    return frozenset(statuses or ON_PAGES[:1])


class Identity(t.NamedTuple):
    """What tells scripts apart: URL without fragment and host, because identifiers are not stable; without a URL, only the identifier."""

    url: str
    host: str
    script_id: str


def identity_of(script: t.Mapping[str, t.Any]) -> Identity:
    host = str(script.get("host") or "").lower()
    url = script.get("script_url")
    return Identity(normalize_url(url), host, "") if url else Identity("", host, script["script_id"])


class News(t.NamedTuple):
    """Which versions of a script are news: those fetched after `since`, but not those that an audit has judged and authorised later, by their hash."""

    since: datetime.datetime
    authorised: t.Mapping[str, datetime.datetime] = types.MappingProxyType({})

    def has(self, value: object, time: datetime.datetime | None) -> bool:
        """Return whether a version is news; without a usable time it is, so that no change goes unseen."""
        authorised = self.authorised.get(value.lower(), NEVER) if isinstance(value, str) else NEVER
        return time is None or time > max(self.since, authorised)


class Observation(t.NamedTuple):
    """One script of a host: everything that the service lists under the same URL and host (`scripts`, the latest last)."""

    url: str | None
    host: str | None
    scripts: tuple[Script, ...]

    @property
    def latest(self) -> Script:
        return self.scripts[-1]

    @property
    def identity(self) -> Identity:
        return identity_of(self.latest)

    def hashes(self, news: News | None) -> dict[str, frozenset[str]]:
        """Return by identifier the listed hashes and those of versions that are news: an older one says nothing about the present."""
        by_script: dict[str, frozenset[str]] = {}
        for script in self.scripts:
            hashes = [script.get("hash")]
            if news is not None:
                versions = [version for version in list_of(script.get("versions")) if isinstance(version, dict)]
                fetched = ((version.get("hash"), parse_time(version.get("fetched_at"))) for version in versions)
                hashes += [value for value, time in fetched if news.has(value, time)]
            shown = frozenset(value.lower() for value in hashes if isinstance(value, str) and value)
            by_script[script["script_id"]] = by_script.get(script["script_id"], frozenset()) | shown
        return by_script

    def shows_versions(self, singles: t.Mapping[str, Script | None], since: datetime.datetime | None) -> bool:
        """Return whether the service shows the hash of each version that was fetched after `since`, as far as it was asked.

        A script that was to be read singly and was not there any more shows none; a listing need not have versions.
        """
        if since is None:
            return True
        for script in self.scripts:
            is_single = script["script_id"] in singles
            shown = singles[script["script_id"]] if is_single else script
            versions = None if shown is None else shown.get("versions")
            if versions is None and not is_single:
                continue
            if not isinstance(versions, list) or not all(_shows_hash(version, since) for version in versions):
                return False
        return True

    def pages(self) -> tuple[str, ...]:
        """Return the pages on which the service saw the script: the last ones and the first one."""
        listed = [page for script in self.scripts for page in (*list_of(script.get("seen_on")), script.get("seen_on_first"))]
        return tuple(dict.fromkeys(page for page in listed if isinstance(page, str) and page))


def _shows_hash(version: object, since: datetime.datetime) -> bool:
    """Return whether a version has a hash, or was fetched before a time."""
    if not isinstance(version, dict):
        return False
    time = parse_time(version.get("fetched_at"))
    return (time is not None and time <= since) or (isinstance(version.get("hash"), str) and bool(version["hash"]))


def observe(scripts: t.Iterable[Script]) -> list[Observation]:
    """Return the observations in a listing, sorted by URL and host."""
    groups: dict[Identity, list[Script]] = {}
    for script in scripts:
        groups.setdefault(identity_of(script), []).append(script)
    for same in groups.values():
        if len(same) > 1:  # nearly always there is one, whose time need not be parsed
            same.sort(key=_last_seen)
    return [Observation(key.url or None, key.host or None, tuple(groups[key])) for key in sorted(groups)]


def _last_seen(script: Script) -> tuple[datetime.datetime, str]:
    """Return when a script was last seen, a day as its beginning; the identifier decides between equal times."""
    value = script.get("last_seen_at")
    return parse_time(value) or parse_time(f"{parse_date(value)}T00:00:00Z") or NEVER, script["script_id"]
